/* test_tube.c - the tube around a reference: against rectangles drawn one by one, at events, at the
 * edges. */
#include "help/engine.h"

#include <math.h>

#include "analysis/tube.h"
#include "base/memory.h"

enum { N = 200, M = 333 };

/* the rule itself, without a window that moves: the largest of sign r within w of each point */
static double slow_bound(TubeCurve r, double sign, double w, double t)
{
    double bound[N];
    for (size_t i = 0; i < r.n; i++) {
        bound[i] = -INFINITY;
        for (size_t k = 0; k < r.n; k++)
            if (fabs(r.t[k] - r.t[i]) <= w)
                bound[i] = fmax(bound[i], sign * r.y[k]);
    }
    double best = -INFINITY;
    for (size_t i = 0; i < r.n; i++)
        if (r.t[i] == t)
            best = fmax(best, bound[i]);
    for (size_t i = 0; best == -INFINITY && i + 1 < r.n; i++)
        if (r.t[i] < t && t < r.t[i + 1]) {
            double part = (t - r.t[i]) / (r.t[i + 1] - r.t[i]);
            best = bound[i] * (1 - part) + bound[i + 1] * part;
        }
    return best;
}

/* random references with events and random curves near them: the same points are outside */
static void test_random_curves(void **state)
{
    (void)state;
    unsigned seed = 4;
    size_t inside = 0, outside = 0;
    for (int round = 0; round < 20; round++) {
        double t[N], r[N], tt[M], y[M];
        double time = 0;
        for (int i = 0; i < N; i++) {
            seed = seed * 1664525u + 1013904223u;
            time += seed % 7 == 0 ? 0 : 0.01 * (1 + (seed >> 8) % 5); // now and then an event
            t[i] = time;
            r[i] = sin(3 * time) + (seed % 7 == 0);
        }
        for (int i = 0; i < M; i++) {
            seed = seed * 1664525u + 1013904223u;
            tt[i] = i % 9 == 0 ? t[(size_t)i * (N - 1) / M] : time * i / (M - 1);
            y[i] = sin(3 * tt[i]) + 0.006 * ((double)(seed >> 8) / (1 << 24) - 0.5);
        }
        for (int i = 1; i < M; i++)
            tt[i] = fmax(tt[i], tt[i - 1]);
        TubeCurve reference = {t, r, N}, curve = {tt, y, M};
        TubeVerdict v;
        assert_true(tube_compare(&memory_default, reference, curve, 2e-3, &v));
        double least = INFINITY, most = -INFINITY;
        for (int i = 0; i < N; i++) {
            least = fmin(least, r[i]);
            most = fmax(most, r[i]);
        }
        double size = fmax(most - least, fabs(least)), w = 2e-3 * (t[N - 1] - t[0]);
        size_t expected = 0, points = 0;
        for (int i = 0; i < M; i++) {
            if (tt[i] < t[0] || tt[i] > t[N - 1])
                continue;
            points++;
            expected += y[i] > slow_bound(reference, 1, w, tt[i]) + 2e-3 * size ||
                        -y[i] > slow_bound(reference, -1, w, tt[i]) + 2e-3 * size;
        }
        assert_int_equal(v.npoint, points);
        assert_int_equal(v.noutside, expected);
        outside += expected;
        inside += points - expected;
    }
    assert_true(inside > 500 && outside > 20);
}

/* a step that comes late by less than the width is inside, by more it is not; a constant has a
 * height */
static void test_steps(void **state)
{
    (void)state;
    double t[] = {0, 4, 4, 4.019, 4.03, 10}, r[] = {0, 0, 1, 1, 1, 1}, step[] = {0, 0, 1, 1};
    TubeCurve reference = {t, r, 6};
    TubeVerdict v;
    double near[] = {0, 4.015, 4.015, 10}, far[] = {0, 4.3, 4.3, 10};
    assert_true(tube_compare(&memory_default, reference, (TubeCurve){near, step, 4}, 2e-3, &v));
    assert_int_equal(v.noutside, 0);
    assert_true(tube_compare(&memory_default, reference, (TubeCurve){far, step, 4}, 2e-3, &v));
    assert_int_equal(v.noutside, 1);
    assert_true(v.first == 4.3 && fabs(v.worst - (1 - 2e-3)) < 1e-15);
    double zero[6] = {0}, small[] = {1e-6, -1e-6, 1.9e-6, 0}, bad[] = {0, NAN, 0, 3e-6};
    reference.y = zero;
    assert_true(tube_compare(&memory_default, reference, (TubeCurve){t, small, 4}, 2e-3, &v));
    assert_int_equal(v.noutside, 0);
    assert_true(tube_compare(&memory_default, reference, (TubeCurve){t, bad, 4}, 2e-3, &v));
    assert_true(v.noutside == 2 && isinf(v.worst));
    double later[] = {11, 12, 13, 14};
    assert_true(tube_compare(&memory_default, reference, (TubeCurve){later, zero, 4}, 2e-3, &v));
    assert_int_equal(v.npoint, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_curves),
        cmocka_unit_test(test_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
