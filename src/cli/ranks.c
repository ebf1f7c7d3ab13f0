/* ranks.c - what the commands of several processes do together: how it ends, who says what, rows.
 *
 * All ranks read the model and come to the same conclusions, which rank 0 says; the others are
 * silent (log_open). What only one of them finds out, a lane that fails say, is a diagnostic of its
 * session: these are brought to rank 0. A kind of diagnostic that rank 0 has already is not
 * repeated for the lanes of others.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cluster/cluster.h"
#include "model/class/session.h"

enum { TAG_DIAGNOSTICS = 1, TAG_COLUMNS, TAG_ROW, TAG_NAME };

/* ------------------------------------------------------------------ how it ends */

double ranks_worst(double here)
{
    const LiederRanks *r = cluster_ranks();
    if (r)
        r->combine(r->user, LIEDER_GREATEST, &here, 1);
    return here;
}

ExitCode ranks_code(ExitCode here)
{
    return (ExitCode)ranks_worst(here);
}

/* ------------------------------------------------------------------ diagnostics */

/* as long as two messages of one kind are equal: up to the first number */
static size_t kind_length(const char *message)
{
    return strcspn(message, "0123456789");
}

static bool has_kind(const Diagnostics *d, size_t from, const LiederDiagnostic *other)
{
    for (size_t i = from; i < d->list.n; i++) {
        const LiederDiagnostic *g = &d->list.items[i];
        size_t n = kind_length(other->message);
        if (g->message && g->severity == other->severity && kind_length(g->message) == n &&
            strncmp(g->message, other->message, n) == 0)
            return true;
    }
    return false;
}

/* severity, path, message and advice as texts one after the other */
static void send_diagnostics(const Diagnostics *d, size_t from)
{
    size_t n = 0;
    char *text = NULL;
    FILE *f = open_memstream(&text, &n);
    for (size_t i = from; f && i < d->list.n; i++) {
        const LiederDiagnostic *g = &d->list.items[i];
        fprintf(f, "%d%c%s%c%s%c%s%c", (int)g->severity, 0, g->path ? g->path : "", 0,
                g->message ? g->message : "out of memory", 0, g->advice ? g->advice : "", 0);
    }
    if (f)
        fclose(f);
    cluster_send(0, TAG_DIAGNOSTICS, &n, sizeof n);
    cluster_send(0, TAG_DIAGNOSTICS, text, n);
    free(text);
}

/* diagnostics of another rank, packed as texts; those that are there already are left out */
static void take_diagnostics(Diagnostics *d, size_t from, char *text, size_t n)
{
    for (char *at = text; at < text + n;) {
        LiederDiagnostic g = {.severity = (LiederSeverity)atoi(at)};
        g.path = at + strlen(at) + 1;
        g.message = g.path + strlen(g.path) + 1;
        g.advice = g.message + strlen(g.message) + 1;
        at = (char *)g.advice + strlen(g.advice) + 1;
        if (!has_kind(d, from, &g))
            diag_add(d, g.severity, NULL, *g.path ? g.path : NULL, *g.advice ? "%s\n%s" : "%s",
                     g.message, g.advice);
    }
}

void ranks_join_diagnostics(Lieder *session, size_t from)
{
    Diagnostics *d = &session->diag;
    if (cluster_rank() > 0) {
        send_diagnostics(d, from);
        return;
    }
    for (int r = 1; r < cluster_count(); r++) {
        size_t n;
        cluster_receive(r, TAG_DIAGNOSTICS, &n, sizeof n);
        char *text = calloc(n + 1, 1);
        if (!text)
            cluster_abort(EXIT_SIMULATION);
        cluster_receive(r, TAG_DIAGNOSTICS, text, n);
        take_diagnostics(d, from, text, n);
        free(text);
    }
}

/* ------------------------------------------------------------------ a name */

bool ranks_find_name(char *name, size_t size)
{
    double owner = ranks_worst(*name ? cluster_count() - cluster_rank() : 0);
    int from = cluster_count() - (int)owner;
    if (owner == 0)
        return false;
    if (cluster_rank() == from && from > 0)
        cluster_send(0, TAG_NAME, name, size);
    if (cluster_rank() == 0 && from > 0)
        cluster_receive(from, TAG_NAME, name, size);
    return true;
}

/* ------------------------------------------------------------------ rows */

static int compare_columns(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x < y ? -1 : x > y;
}

bool ranks_open_rows(RankRows *rows, LiederSystem *system, const Selection *selection)
{
    size_t ncolumn = selection->list.n;
    *rows = (RankRows){.own = calloc(ncolumn + 1, sizeof *rows->own),
                       .sent = calloc(ncolumn + 1, sizeof *rows->sent),
                       .others = calloc((size_t)cluster_count(), sizeof *rows->others)};
    if (!rows->own || !rows->sent || !rows->others)
        return false;
    for (size_t i = 0; i < ncolumn; i++) {
        const Selected *s = &selection->list.items[i];
        if (!s->own && lieder_handle_here(system, &s->handle))
            rows->own[rows->n++] = i;
    }
    qsort(rows->own, rows->n, sizeof *rows->own, compare_columns);
    if (cluster_rank() > 0) {
        cluster_send(0, TAG_COLUMNS, &rows->n, sizeof rows->n);
        cluster_send(0, TAG_COLUMNS, rows->own, rows->n * sizeof *rows->own);
        return true;
    }
    for (int r = 1; r < cluster_count(); r++) {
        struct RankColumns *c = &rows->others[r];
        cluster_receive(r, TAG_COLUMNS, &c->n, sizeof c->n);
        c->columns = calloc(c->n + 1, sizeof *c->columns);
        if (!c->columns)
            cluster_abort(EXIT_SIMULATION);
        cluster_receive(r, TAG_COLUMNS, c->columns, c->n * sizeof *c->columns);
    }
    return true;
}

bool ranks_write_together(RankRows *rows, const char *target, const RecordColumn *columns,
                          size_t ncolumn)
{
    uint8_t *own = calloc(ncolumn + 1, 1);
    rows->team = (RecordTeam){cluster_ranks(), own, cluster_share_file};
    for (size_t i = 0; i < rows->n && own; i++)
        own[rows->own[i]] = 1;
    if (ranks_worst(!own) > 0) {
        free(own);
        return false;
    }
    rows->together = record_team_suits(&rows->team, target, columns, ncolumn);
    return rows->together;
}

void ranks_close_rows(RankRows *rows)
{
    for (int r = 1; r < cluster_count() && rows->others; r++)
        free(rows->others[r].columns);
    free(rows->others);
    free(rows->own);
    free(rows->sent);
    free((void *)(uintptr_t)rows->team.own);
    *rows = (RankRows){0};
}

void ranks_join_row(RankRows *rows, double *values)
{
    if (cluster_rank() > 0) {
        for (size_t i = 0; i < rows->n; i++)
            rows->sent[i] = values[rows->own[i]];
        if (rows->n)
            cluster_send(0, TAG_ROW, rows->sent, rows->n * sizeof *rows->sent);
        return;
    }
    for (int r = 1; r < cluster_count(); r++) {
        const struct RankColumns *c = &rows->others[r];
        if (!c->n)
            continue;
        cluster_receive(r, TAG_ROW, rows->sent, c->n * sizeof *rows->sent);
        for (size_t i = 0; i < c->n; i++)
            values[c->columns[i]] = rows->sent[i];
    }
}
