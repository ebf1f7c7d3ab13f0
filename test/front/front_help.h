/* front_help.h - a session and its front end for one test; values of what was built. */
#ifndef TEST_FRONT_HELP_H
#define TEST_FRONT_HELP_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "front/front.h"

typedef struct Built {
    Lieder *session;
    Front *front;
    LiederSystem *system;
    const char *model;
    FrontExperiment experiment;
    LiederStatus status;
} Built;

/* text to system, with limits other than the usual ones or NULL */
static inline Built build_within(const char *text, const char *class_name,
                                 const FrontOverride *overrides, size_t noverride,
                                 const FrontLimits *limits)
{
    Built b = {.session = lieder_create(NULL)};
    assert_non_null(b.session);
    b.front = front_create(b.session);
    if (!b.front)
        lieder_diagnostic_print_all(b.session, stderr);
    assert_non_null(b.front);
    if (limits)
        front_set_limits(b.front, *limits);
    b.status = front_load_text(b.front, "test.mo", text);
    if (b.status == LIEDER_DONE)
        b.status = front_instantiate(b.front, class_name ? class_name : front_last_model(b.front),
                                     overrides, noverride, &b.experiment, &b.model);
    if (b.status == LIEDER_DONE) {
        b.system = lieder_system_create(b.session, b.model, NULL);
        if (!b.system)
            b.status = LIEDER_BAD_MODEL;
    }
    return b;
}

static inline Built build_with(const char *text, const char *class_name,
                               const FrontOverride *overrides, size_t noverride)
{
    return build_within(text, class_name, overrides, noverride, NULL);
}

/* stops the test where there is no system */
static inline Built require_built(Built b)
{
    if (b.status != LIEDER_DONE)
        lieder_diagnostic_print_all(b.session, stderr);
    assert_int_equal(b.status, LIEDER_DONE);
    return b;
}

static inline Built build(const char *text)
{
    return require_built(build_with(text, NULL, NULL, 0));
}

static inline void drop(Built *b)
{
    lieder_system_destroy(b->system);
    front_destroy(b->front);
    lieder_destroy(b->session);
}

static inline double get(Built *b, const char *path)
{
    double value = NAN;
    if (lieder_system_get(b->system, path, &value) != LIEDER_DONE)
        lieder_diagnostic_print_all(b->session, stderr);
    return value;
}

static inline double start_of(Built *b, const char *path)
{
    ptrdiff_t i = lieder_system_state_index(b->system, path);
    assert_true(i >= 0);
    size_t n = lieder_system_state_count(b->system);
    double *x = test_malloc(n * sizeof *x), value;
    lieder_system_start(b->system, x);
    value = x[i];
    test_free(x);
    return value;
}

/* numbers that take no rounding, or the same operations in the same order */
static inline void check_value(double have, double want, const char *path, const char *file,
                               int line)
{
    if (fabs(have - want) <= 1e-14 * (1 + fabs(want)))
        return;
    print_error("%s is %.17g, not %.17g\n", path, have, want);
    _fail(file, line);
}
#define assert_value(b, path, value) check_value(get(b, path), value, path, __FILE__, __LINE__)
#define assert_start(b, path, value) check_value(start_of(b, path), value, path, __FILE__, __LINE__)
#define assert_number(have, want)    check_value(have, want, #have, __FILE__, __LINE__)

#endif
