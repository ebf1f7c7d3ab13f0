/* engine.h - shared by the tests of model/ and library/: random numbers, systems that must be
 * created, looking at single variables, a Runge-Kutta step. */
#ifndef TEST_HELP_ENGINE_H
#define TEST_HELP_ENGINE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <lieder/lieder.h>

/* ------------------------------------------------------------------ random numbers */

/* splitmix64: the same numbers on every machine */
static inline uint64_t random_bits(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static inline double random_between(uint64_t *seed, double low, double high)
{
    return low + (high - low) * (double)(random_bits(seed) >> 11) * 0x1p-53;
}

static inline size_t random_below(uint64_t *seed, size_t n)
{
    return (size_t)(random_bits(seed) >> 11) % n;
}

static inline void random_fill(uint64_t *seed, double *x, size_t n, double low, double high)
{
    for (size_t i = 0; i < n; i++)
        x[i] = random_between(seed, low, high);
}

/* ------------------------------------------------------------------ systems */

static inline Lieder *session_new(void)
{
    Lieder *session = lieder_create(NULL);
    if (!session)
        fail_msg("no session");
    return session;
}

/* a system, or the test ends with the diagnostics */
static inline LiederSystem *system_new_with(Lieder *session, const char *model,
                                            LiederSystemOptions options)
{
    LiederSystem *system = lieder_system_create(session, model, &options);
    if (!system) {
        lieder_diagnostic_print_all(session, stderr);
        fail_msg("model %s was refused", model);
    }
    return system;
}

static inline LiederSystem *system_new(Lieder *session, const char *model)
{
    return system_new_with(session, model, lieder_system_defaults());
}

static inline double *state_new(const LiederSystem *system)
{
    double *x = calloc(lieder_system_state_count(system) + 1, sizeof *x);
    assert_non_null(x);
    lieder_system_start(system, x);
    return x;
}

static inline size_t state_at(const LiederSystem *system, const char *path)
{
    ptrdiff_t i = lieder_system_state_index(system, path);
    if (i < 0)
        fail_msg("no state %s", path);
    return (size_t)i;
}

/* derivatives, which must be found */
static inline void derivatives(Lieder *session, LiederSystem *system, double t, const double *x,
                               double *dx)
{
    if (lieder_system_derivatives(system, t, x, dx) != LIEDER_DONE) {
        lieder_diagnostic_print_all(session, stderr);
        fail_msg("no derivatives");
    }
}

/* one variable at (t, x) */
static inline double look(LiederSystem *system, double t, const double *x, const char *path)
{
    LiederObserver *o = lieder_observer_create(system);
    double value = NAN;
    if (!o || lieder_observer_add(o, path) != 0 ||
        lieder_observer_evaluate(o, t, x, &value) != LIEDER_DONE)
        fail_msg("cannot observe %s", path);
    lieder_observer_destroy(o);
    return value;
}

/* the classical Runge-Kutta step of order four; work holds 5 n */
static inline void rk4_step(LiederSystem *system, double t, double h, double *x, double *work)
{
    size_t n = lieder_system_state_count(system);
    double *k[4] = {work, work + n, work + 2 * n, work + 3 * n}, *y = work + 4 * n;
    static const double at[4] = {0, 0.5, 0.5, 1};
    for (int s = 0; s < 4; s++) {
        for (size_t i = 0; i < n; i++)
            y[i] = x[i] + (s ? at[s] * h * k[s - 1][i] : 0);
        assert_int_equal(lieder_system_derivatives(system, t + at[s] * h, y, k[s]), LIEDER_DONE);
    }
    for (size_t i = 0; i < n; i++)
        x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

static inline void rk4_run(LiederSystem *system, double from, double to, size_t steps, double *x)
{
    size_t n = lieder_system_state_count(system);
    double *work = malloc((5 * n + 1) * sizeof *work);
    assert_non_null(work);
    double h = (to - from) / (double)steps;
    for (size_t s = 0; s < steps; s++)
        rk4_step(system, from + (double)s * h, h, x, work);
    free(work);
}

/* ------------------------------------------------------------------ checks */

/* |value - expected| <= tolerance; says both when it fails */
#define assert_near(value, expected, tolerance)                                                    \
    do {                                                                                           \
        double near_value_ = (value), near_expected_ = (expected);                                 \
        if (!(fabs(near_value_ - near_expected_) <= (tolerance)))                                  \
            fail_msg("%s = %.17g, expected %.17g, differs by %g", #value, near_value_,             \
                     near_expected_, near_value_ - near_expected_);                                \
    } while (0)

#endif
