/* equation_help.h - models made of equations in tests: build, evaluate, observe. */
#ifndef LIEDER_TEST_EQUATION_HELP_H
#define LIEDER_TEST_EQUATION_HELP_H

#include <stdlib.h>

#include <lieder/simulate.h>

#include "front_help.h"

static inline double draw(void)
{
    return 2.0 * rand() / RAND_MAX - 1;
}

static inline char *read_model(const char *name)
{
    char path[600];
    snprintf(path, sizeof path, "%s/models/equations/%s", SOURCE_DIR, name);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    char *text = calloc(1, 100000);
    assert_true(fread(text, 1, 99999, in) > 0);
    fclose(in);
    return text;
}

static inline Built build_class(const char *text, const char *class_name)
{
    return require_built(build_with(text, class_name, NULL, 0));
}

/* derivative of a state at x, by names, so that the order of states does not matter */
static inline double derivative(Built *b, const double *x, double t, const char *state)
{
    double dx[2000];
    assert_true(lieder_system_state_count(b->system) <= 2000);
    assert_int_equal(lieder_system_derivatives(b->system, t, x, dx), LIEDER_DONE);
    ptrdiff_t i = lieder_system_state_index(b->system, state);
    assert_true(i >= 0);
    return dx[i];
}

static inline void put_state(Built *b, double *x, const char *state, double value)
{
    ptrdiff_t i = lieder_system_state_index(b->system, state);
    assert_true(i >= 0);
    x[i] = value;
}

/* any variable at (t, x) */
static inline double observe(Built *b, double t, const double *x, const char *path)
{
    LiederObserver *observer = lieder_observer_create(b->system);
    double value[1];
    if (lieder_observer_add(observer, path) != 0)
        lieder_diagnostic_print_all(b->session, stderr);
    assert_int_equal(lieder_observer_evaluate(observer, t, x, value), LIEDER_DONE);
    lieder_observer_destroy(observer);
    return value[0];
}

static inline void assert_near(double a, double b, double error)
{
    if (!(fabs(a - b) <= error))
        fail_msg("%.17g is not %.17g: error %g, allowed %g", a, b, a - b, error);
}

/* a message of the session has this part */
static inline void assert_message(Built *b, const char *part)
{
    for (size_t i = 0; i < lieder_diagnostic_count(b->session); i++)
        if (strstr(lieder_diagnostic_get(b->session, i)->message, part))
            return;
    lieder_diagnostic_print_all(b->session, stderr);
    fail_msg("no message has \"%s\"", part);
}

#endif
