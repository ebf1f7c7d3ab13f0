/* td_check.c - what T_D does to a result: the run once more with half of every T_D, and what that
 * changed, variable by variable.
 *
 * Both runs stop for the same rows of the grid; rows at events are passed over, since the second
 * run has its events at other times. The effect of T_D is of first order, so that the difference is
 * about half of what T_D = 0 would change, where it is small. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cluster/cluster.h"
#include "model/system/system.h"

enum { SHOWN = 12 };

void td_check_keep(TdCheck *c, double t, const double *values, size_t n, LiederRow kind)
{
    if (!c->wanted || kind != LIEDER_ROW)
        return;
    bool kept = vec_push(HEAP, &c->times, t);
    for (size_t i = 0; i < n && kept; i++)
        kept = vec_push(HEAP, &c->rows, values[i]);
    c->failed |= !kept;
}

void td_check_drop(TdCheck *c)
{
    vec_drop(HEAP, &c->times);
    vec_drop(HEAP, &c->rows);
    free(c->differences);
}

/* ------------------------------------------------------------------ half of T_D */

/* every parameter TD that is not zero; *largest: what it was */
static size_t halve(LiederSystem *system, double *largest)
{
    char message[64];
    Pattern *pattern = pattern_create("(.*\\.)?TD", message, sizeof message);
    Selection s = {0};
    size_t n = 0;
    *largest = 0;
    if (!pattern)
        return 0;
    select_matching(&s, system, pattern);
    pattern_destroy(pattern);
    for (size_t i = 0; i < s.list.n; i++) {
        const Selected *one = &s.list.items[i];
        double value;
        if (!one->constant || lieder_handle_get(system, &one->handle, &value) != LIEDER_DONE ||
            !(value > 0))
            continue;
        size_t before = system->session->diag.list.n;
        if (lieder_handle_set(system, &one->handle, value / 2) == LIEDER_DONE) {
            *largest = fmax(*largest, value);
            n++;
        } else {
            diag_forget(&system->session->diag, before); /* World itself */
        }
    }
    selection_drop(&s);
    return n;
}

/* ------------------------------------------------------------------ the second run */

typedef struct Second {
    TdCheck *check;
    Watch *watch;
    size_t n, row;
    LiederStatus status;
} Second;

/* the difference of a row, and the range that the variables had in the first run */
static bool on_row(void *user, double t, const double *x, LiederRow kind)
{
    Second *s = user;
    TdCheck *c = s->check;
    if (kind != LIEDER_ROW || s->row >= c->times.n)
        return !run_interrupted;
    s->status = watch_row(s->watch, t, x);
    if (s->status < 0)
        return false;
    const double *first = c->rows.items + s->row++ * s->n;
    for (size_t i = 0; i < s->n; i++) {
        TdDifference *d = &c->differences[i];
        double by = fabs(s->watch->values[i] - first[i]);
        d->low = fmin(d->low, first[i]);
        d->high = fmax(d->high, first[i]);
        if (by > d->by) {
            d->by = by;
            d->t = t;
        }
    }
    return !run_interrupted;
}

static bool on_progress(void *user, double t, const LiederStatistics *statistics)
{
    (void)user, (void)t, (void)statistics;
    return !run_interrupted;
}

static ExitCode report_no_end(void *log)
{
    log_error(log, "--td-check: the run with half of T_D did not end");
    return run_interrupted ? EXIT_INTERRUPTED : EXIT_SIMULATION;
}

static double relative(const TdDifference *d)
{
    double range = d->high - d->low;
    return d->by == 0 ? 0 : range > 0 ? d->by / range : INFINITY;
}

static int by_size(const void *a, const void *b)
{
    double x = relative(a), y = relative(b);
    return (x < y) - (x > y);
}

/* the variables by how far the two runs differ, the largest first */
static void print_differences(const TdCheck *c, const Selection *selection, Log *log, double TD)
{
    size_t n = selection->list.n;
    if (!log->json)
        printf("  T_D halved   largest differences to a run with T_D = %g s instead of %g s, about "
               "half of what T_D does\n",
               TD / 2, TD);
    for (size_t i = 0; i < n && (log->json || i < SHOWN); i++) {
        const TdDifference *d = &c->differences[i];
        const Selected *s = &selection->list.items[d->column];
        if (d->by == 0 || s->constant)
            continue;
        if (log->json) {
            json_begin(stdout, "td_check");
            json_text(stdout, "variable", s->name);
            json_number(stdout, "difference", d->by);
            json_number(stdout, "of_range", relative(d));
            json_number(stdout, "time", d->t);
            json_end(stdout);
        } else {
            printf("    %-28s %.3g %s at t = %.4g s, %.3g %% of its range\n", s->name, d->by,
                   s->unit ? s->unit : "", d->t, 100 * relative(d));
        }
    }
    if (!log->json && n > SHOWN)
        printf("    ... and %zu variables with smaller ones (--log-format json lists all)\n",
               n - SHOWN);
}

ExitCode td_check_run(TdCheck *c, LiederSystem *system, const Selection *selection, Watch *watch,
                      LiederSimulateOptions o, const Loaded *loaded, Log *log)
{
    double TD;
    size_t n = selection->list.n;
    if (!halve(system, &TD)) {
        log_note(log, "--td-check: no joint or element has a T_D above zero: there is nothing to "
                      "compare");
        return EXIT_DONE;
    }
    c->differences = calloc(n + 1, sizeof *c->differences);
    if (!c->differences || c->failed) {
        log_error(log, "out of memory for --td-check\nrecord fewer variables or rows");
        return EXIT_SIMULATION;
    }
    for (size_t i = 0; i < n; i++)
        c->differences[i] = (TdDifference){.column = i, .low = INFINITY, .high = -INFINITY};
    Second s = {.check = c, .watch = watch, .n = n};
    o.output = on_row;
    o.progress = on_progress;
    o.user = &s;
    o.checkpoint = NULL;
    run_catch_signals(cluster_ranks() ? NULL : report_no_end, log);
    LiederStatus status = lieder_simulate(system, &o, NULL);
    run_end_signals();
    log_diagnostics(log, loaded->session, loaded->front);
    if (status < 0 || s.status < 0 || run_interrupted)
        return report_no_end(log);
    qsort(c->differences, n, sizeof *c->differences, by_size);
    print_differences(c, selection, log, TD);
    return EXIT_DONE;
}
