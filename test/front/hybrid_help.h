/* hybrid_help.h - runs with events in tests: what variables are in each row, and at the end. */
#ifndef LIEDER_TEST_HYBRID_HELP_H
#define LIEDER_TEST_HYBRID_HELP_H

#include "equation_help.h"

enum { MAX_PATHS = 8 };

/* a run that keeps what some variables are at the last row, and at given times */
typedef struct Run {
    Built *b;
    LiederObserver *observer;
    size_t npath;
    double last[MAX_PATHS];
    /* rows, one after the other: time and variables */
    double *rows;
    size_t nrow, capacity;
    LiederStatistics statistics;
    LiederStatus status;
} Run;

static inline bool keep_row(void *user, double t, const double *x, LiederRow kind)
{
    Run *r = user;
    (void)kind;
    if (r->nrow == r->capacity) {
        r->capacity = r->capacity ? 2 * r->capacity : 256;
        r->rows = realloc(r->rows, r->capacity * (1 + MAX_PATHS) * sizeof *r->rows);
        assert_non_null(r->rows);
    }
    double *row = r->rows + r->nrow++ * (1 + MAX_PATHS);
    row[0] = t;
    assert_int_equal(lieder_observer_evaluate(r->observer, t, x, row + 1), LIEDER_DONE);
    memcpy(r->last, row + 1, sizeof r->last);
    return true;
}

static inline Run run_with(Built *b, LiederSimulateOptions o, const char *paths)
{
    Run r = {.b = b, .observer = lieder_observer_create(b->system)};
    char copy[200];
    snprintf(copy, sizeof copy, "%s", paths);
    for (char *p = strtok(copy, " "); p; p = strtok(NULL, " ")) {
        if (lieder_observer_add(r.observer, p) != (ptrdiff_t)r.npath)
            lieder_diagnostic_print_all(b->session, stderr);
        r.npath++;
    }
    assert_int_equal(lieder_observer_count(r.observer), r.npath);
    o.output = keep_row;
    o.user = &r;
    r.status = lieder_simulate(b->system, &o, &r.statistics);
    return r;
}

static inline void run_drop(Run *r)
{
    lieder_observer_destroy(r->observer);
    free(r->rows);
}

/* the last row alone */
static inline Run run_to_end(Built *b, LiederSimulateOptions o, const char *paths)
{
    Run r = run_with(b, o, paths);
    if (r.status != LIEDER_DONE)
        lieder_diagnostic_print_all(b->session, stderr);
    run_drop(&r);
    return r;
}

static inline LiederSimulateOptions adaptive(double stop)
{
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.stop = stop;
    o.tolerance = 1e-9;
    return o;
}

static inline LiederSimulateOptions fixed(double stop, double step)
{
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.stop = stop;
    o.solver = LIEDER_RK4;
    o.step = step;
    o.interval = step;
    return o;
}

static inline Run run(Built *b, double stop, const char *paths)
{
    Run r = run_with(b, adaptive(stop), paths);
    if (r.status != LIEDER_DONE)
        lieder_diagnostic_print_all(b->session, stderr);
    assert_int_equal(r.status, LIEDER_DONE);
    return r;
}

#endif
