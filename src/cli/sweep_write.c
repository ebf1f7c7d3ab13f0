/* sweep_write.c - the file of a sweep: a row begins with the values that are varied; then come time
 * and the variables, or for a summary the numbers of a whole run. Members that failed are reported.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sweep.h"

enum { FAILURES_SHOWN = 10 };

/* ------------------------------------------------------------------ columns */

typedef struct SweepColumns {
    Arena arena;
    VEC(RecordColumn) list;
    bool failed;
} SweepColumns;

/* a column of the name, or of function(name) */
static void add_column(SweepColumns *c, const char *function, const char *name, const Selected *s)
{
    char text[1200];
    if (function)
        snprintf(text, sizeof text, "%s(%s)", function, name);
    else
        snprintf(text, sizeof text, "%s", name);
    RecordColumn column = {.name = arena_text(&c->arena, text, strlen(text))};
    if (s) {
        column.unit = s->unit;
        column.text = s->text;
    }
    c->failed |= !column.name || !vec_push(HEAP, &c->list, column);
}

/* what is varied, then the variables or the numbers that sum them up */
static void list_columns(const Sweep *s, const LiederSystem *system, SweepColumns *c)
{
    static const char *const functions[] = {"final", "min", "max", "mean"};
    for (size_t i = 0; i < s->grid->axes.n; i++) {
        const char *name = s->grid->axes.items[i].name;
        add_column(c, lieder_system_state_index(system, name) >= 0 ? "start" : NULL, name, NULL);
    }
    if (s->settings->summary)
        add_column(c, NULL, "failed", NULL);
    for (size_t i = 0; i < s->selection.list.n; i++) {
        const Selected *one = &s->selection.list.items[i];
        for (int k = 0; k < (s->settings->summary && !one->constant ? SUMS : 1); k++)
            add_column(c, s->settings->summary && !one->constant ? functions[k] : NULL, one->name,
                       one);
    }
}

ExitCode sweep_open_file(Sweep *s, const LiederSystem *system)
{
    SweepColumns c = {0};
    arena_init(&c.arena, HEAP);
    list_columns(s, system, &c);
    RecordOptions o = run_record_options();
    o.leading = s->grid->axes.n;
    s->row = calloc(c.list.n + 1, sizeof *s->row);
    LiederStatus status = LIEDER_NO_MEMORY;
    if (!c.failed && s->row)
        status = record_open(&s->recorder, NULL, s->output, c.list.items, c.list.n, &o);
    if (status < 0)
        log_error(s->log, "%s",
                  c.failed || !s->row ? "out of memory for the columns"
                                      : record_message(&s->recorder));
    vec_drop(HEAP, &c.list);
    arena_drop(&c.arena);
    return status >= 0 ? EXIT_DONE : status == LIEDER_BAD_USE ? EXIT_USAGE : EXIT_IO;
}

/* ------------------------------------------------------------------ failures */

/* "world.TD = 1e-05, cart.m = 2" */
static const char *values_text(const Grid *g, size_t member, char *text, size_t size)
{
    size_t at = 0;
    for (size_t i = 0; i < g->axes.n && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%s = %.6g", i ? ", " : "",
                               g->axes.items[i].name, grid_value(g, member, i));
    return text;
}

/* reports a member that failed; as text only the first ones */
static void say_failure(Sweep *s, size_t member, const SweepMember *m)
{
    char text[600];
    const char *message = m->message ? m->message : "out of memory";
    s->nfailed++;
    if (s->log->json) {
        json_begin(stdout, "member");
        json_count(stdout, "member", member + 1);
        json_text(stdout, "values", values_text(s->grid, member, text, sizeof text));
        json_text(stdout, "status", "failed");
        json_number(stdout, "time", m->failed_at);
        json_text(stdout, "message", message);
        json_end(stdout);
        return;
    }
    if (s->nfailed > FAILURES_SHOWN)
        return;
    progress_end(&s->progress);
    if (m->nrow)
        log_error(s->log, "member %zu (%s) failed at t = %g s: %s", member + 1,
                  values_text(s->grid, member, text, sizeof text), m->failed_at, message);
    else
        log_error(s->log, "member %zu (%s) cannot run: %s", member + 1,
                  values_text(s->grid, member, text, sizeof text), message);
}

/* ------------------------------------------------------------------ rows */

/* Rows of a member; one that failed ends with a row of nan. */
static LiederStatus write_rows(Sweep *s, const SweepMember *m)
{
    size_t ncolumn = s->selection.list.n, naxis = s->grid->axes.n;
    LiederStatus status = LIEDER_DONE;
    for (size_t i = 0; i < m->nrow && status == LIEDER_DONE; i++) {
        const double *row = m->rows.items + i * (ncolumn + 1);
        memcpy(s->row + naxis, row + 1, ncolumn * sizeof *row);
        status = record_row(&s->recorder, row[0], s->row);
    }
    if (!m->failed || status != LIEDER_DONE)
        return status;
    for (size_t i = 0; i < ncolumn; i++)
        s->row[naxis + i] = NAN;
    return record_row(&s->recorder, m->failed_at, s->row);
}

/* One row of a member: where it ended, whether it failed, and the numbers of its variables. */
static LiederStatus write_summary(Sweep *s, const SweepMember *m)
{
    double *to = s->row + s->grid->axes.n, span = m->t - m->begun;
    *to++ = m->failed;
    for (size_t i = 0; i < s->selection.list.n; i++) {
        const double *sum = m->rows.items + SUMS * i;
        double none[SUMS] = {NAN, NAN, NAN, NAN};
        if (!m->nrow)
            sum = none;
        *to++ = sum[SUM_FINAL];
        if (s->selection.list.items[i].constant)
            continue;
        *to++ = sum[SUM_LEAST];
        *to++ = sum[SUM_MOST];
        *to++ = span > 0 ? sum[SUM_INTEGRAL] / span : sum[SUM_FINAL];
    }
    return record_row(&s->recorder, m->failed ? m->failed_at : m->t, s->row);
}

void sweep_write_batch(Sweep *s, const MemberBatch *b)
{
    for (size_t i = 0; i < b->n && !s->stopped; i++) {
        const SweepMember *m = &b->members[i];
        for (size_t k = 0; k < s->grid->axes.n; k++)
            s->row[k] = grid_value(s->grid, b->first + i, k);
        s->stopped = (s->settings->summary ? write_summary : write_rows)(s, m) < 0;
        if (m->failed)
            say_failure(s, b->first + i, m);
        s->ndone++;
    }
    if (b->warning && (!s->warning || strcmp(s->warning, b->warning) != 0)) {
        log_note(s->log, "%s", b->warning);
        free(s->warning);
        s->warning = strdup(b->warning);
    }
    progress_show(&s->progress, (double)s->ndone);
}
