/* run.h - shared by tests that run a model from its text: the rows of a few variables. */
#ifndef TEST_HELP_RUN_H
#define TEST_HELP_RUN_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <lieder/simulate.h>

#include "front/front.h"

enum { RUN_VALUES = 32, RUN_ROWS = 20000 };

/* a number as the text of an override */
typedef struct Number {
    char text[32];
} Number;

static inline Number number(double value)
{
    Number n;
    snprintf(n.text, sizeof n.text, "%.17g", value);
    return n;
}

/* a model from its text, ready to run */
typedef struct Run {
    Lieder *session;
    Front *front;
    LiederSystem *system;
    LiederObserver *observer;
    LiederSimulateOptions options; /* as the experiment annotation says */
    LiederStatistics statistics;
    size_t nvalue, nrow;
    double t[RUN_ROWS], value[RUN_ROWS][RUN_VALUES];
} Run;

static inline bool run_keep_row(void *user, double t, const double *x, LiederRow kind)
{
    Run *run = user;
    (void)kind;
    if (run->nrow == RUN_ROWS)
        return true;
    run->t[run->nrow] = t;
    return lieder_observer_evaluate(run->observer, t, x, run->value[run->nrow++]) == LIEDER_DONE;
}

/* the last model of what was loaded, and an observer of paths, which end with NULL */
static inline void run_build(Run *run, const FrontOverride *overrides, size_t noverride,
                             const char *const *paths)
{
    FrontExperiment experiment;
    const char *name = NULL;
    bool ok = front_instantiate(run->front, front_last_model(run->front), overrides, noverride,
                                &experiment, &name) == LIEDER_DONE &&
              (run->system = lieder_system_create(run->session, name, NULL)) != NULL;
    lieder_diagnostic_print_all(run->session, stderr);
    assert_true(ok);
    run->observer = lieder_observer_create(run->system);
    for (; paths[run->nvalue]; run->nvalue++) {
        assert_true(run->nvalue < RUN_VALUES);
        if (lieder_observer_add(run->observer, paths[run->nvalue]) < 0)
            fail_msg("there is no %s", paths[run->nvalue]);
    }
    run->options = lieder_simulate_defaults();
    run->options.stop = experiment.stop;
    run->options.interval = isnan(experiment.interval) ? 0 : experiment.interval;
    run->options.output = run_keep_row;
    run->options.user = run;
}

static inline Run *run_create(void)
{
    Run *run = calloc(1, sizeof *run);
    assert_non_null(run);
    run->session = lieder_create(NULL);
    run->front = front_create(run->session);
    assert_non_null(run->front);
    return run;
}

/* file under models/; change `options` before run_start */
static inline Run *run_load(const char *file, const FrontOverride *overrides, size_t noverride,
                            const char *const *paths)
{
    Run *run = run_create();
    char path[512];
    snprintf(path, sizeof path, "%s/models/%s", SOURCE_DIR, file);
    if (front_load(run->front, path) != LIEDER_DONE)
        lieder_diagnostic_print_all(run->session, stderr);
    run_build(run, overrides, noverride, paths);
    return run;
}

/* the last model of a text */
static inline Run *run_load_text(const char *text, const char *const *paths)
{
    Run *run = run_create();
    if (front_load_text(run->front, "T.mo", text) != LIEDER_DONE)
        lieder_diagnostic_print_all(run->session, stderr);
    run_build(run, NULL, 0, paths);
    return run;
}

/* to the end, with the status the test expects */
static inline void run_start(Run *run, LiederStatus expected)
{
    LiederStatus status = lieder_simulate(run->system, &run->options, &run->statistics);
    if (status != expected)
        lieder_diagnostic_print_all(run->session, stderr);
    assert_int_equal(status, expected);
    assert_true(run->nrow > 1);
}

/* both in one; step or tolerance 0: as the program would choose */
static inline Run *run_model(const char *file, const FrontOverride *overrides, size_t noverride,
                             LiederSolver solver, double step, double tolerance,
                             const char *const *paths)
{
    Run *run = run_load(file, overrides, noverride, paths);
    run->options.solver = solver;
    run->options.step = step;
    if (tolerance > 0)
        run->options.tolerance = tolerance;
    run_start(run, LIEDER_DONE);
    return run;
}

static inline void run_drop(Run *run)
{
    lieder_observer_destroy(run->observer);
    lieder_system_destroy(run->system);
    front_destroy(run->front);
    lieder_destroy(run->session);
    free(run);
}

/* a value at a time that is a row, the last one if there are two */
static inline double run_at(const Run *run, double t, size_t value)
{
    for (size_t i = run->nrow; i-- > 0;)
        if (fabs(run->t[i] - t) < 1e-9)
            return run->value[i][value];
    fail_msg("no row at %g", t);
    return 0;
}

static inline double run_last(const Run *run, size_t value)
{
    return run->value[run->nrow - 1][value];
}

static inline void assert_close(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.15g, expected %.15g within %g", value, expected, tolerance);
}

#endif
