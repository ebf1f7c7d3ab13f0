/* test_stability.c - stability functions and regions of the solvers, the T_D for a step. */
#include "help/engine.h"

#include "analysis/analysis.h"

static const Method RK1 = {LIEDER_RK1, 1}, RK2 = {LIEDER_RK2, 2}, RK3 = {LIEDER_RK3, 3},
                    RK4 = {LIEDER_RK4, 4}, EULER = {LIEDER_EULER_BACKWARD, 1},
                    ESDIRK = {LIEDER_ESDIRK23, 2};

/* R(z) agrees with exp(z) up to the order, and explicit ones are the Taylor polynomial */
static void test_functions(void **state)
{
    (void)state;
    double complex z = 0.1 * cexp(2.1 * I);
    for (size_t i = 0; i < method_count(); i++) {
        Method m = method_at(i);
        if (m.solver == LIEDER_BDF) {
            /* the principal root; the error constant of bdf q is 1 / (q + 1) */
            double off = fabs(stability_growth(m, z) - cabs(cexp(z)));
            assert_true(off < pow(cabs(z), m.order + 1));
            continue;
        }
        double off = cabs(stability_function(m, z) - cexp(z));
        assert_true(off < pow(cabs(z), m.order + 1));
        assert_true(off > 1e-4 * pow(cabs(z), m.order + 1));
    }
    double complex w = -1.3 + 0.4 * I, taylor = 1 + w + w * w / 2 + w * w * w / 6;
    assert_true(cabs(stability_function(RK3, w) - taylor) < 1e-15);
    assert_true(cabs(stability_function(RK4, w) - taylor - w * w * w * w / 24) < 1e-15);
    assert_true(cabs(stability_function(EULER, w) - 1 / (1 - w)) < 1e-15);
    /* L-stable: fast motions are gone after one step */
    assert_true(cabs(stability_function(ESDIRK, -1e9)) < 1e-8);
    assert_true(cabs(stability_function((Method){LIEDER_RODAS4, 4}, -1e9)) < 1e-8);
}

/* real and imaginary axis; the numbers of the textbooks */
static void test_steps(void **state)
{
    (void)state;
    static const double axis[] = {2, 2, 2.512745326618329, 2.785293563405282};
    const double imaginary[] = {0, 0, sqrt(3), 2 * sqrt(2)};
    for (int i = 0; i < 4; i++) {
        Method m = method_at(i);
        assert_near(stability_step(m, -1), axis[i], 1e-13);
        assert_near(stability_step(m, I), imaginary[i], 1e-12);
        assert_near(stability_step(m, -50 - 0 * I), axis[i] / 50, 1e-14);
        assert_near(stability_step(m, 1e-3 + I), i < 2 ? 0 : stability_step(m, 1e-3 + I), 0);
        assert_true(isinf(stability_step(m, 0)));
    }
    /* rk1: |1 + z| = 1, r = 2 cos */
    assert_near(stability_step(RK1, -1e-6 + I), 2e-6, 1e-15);
    assert_true(isinf(stability_step(EULER, -3 + 100 * I)));
    assert_true(isinf(stability_step(ESDIRK, I)));
    assert_true(stability_step((Method){LIEDER_BDF, 4}, -0.1 + I) < 10);
    assert_true(isinf(stability_step((Method){LIEDER_BDF, 2}, -0.1 + I)));
    /* along any ray: on the boundary at the limit, inside before */
    uint64_t seed = 5;
    for (int k = 0; k < 1000; k++) {
        Method m = method_at(random_below(&seed, 4));
        double complex e = cexp(I * random_between(&seed, 1.6, 4.6));
        double h = stability_step(m, e);
        assert_true(h > 0 && h < 4);
        assert_near(stability_growth(m, h * e), 1, 1e-12);
        assert_true(stability_holds(stability_growth(m, h * e)));
        assert_false(stability_holds(stability_growth(m, 1.001 * h * e)));
        for (double part = 0.05; part < 1; part += 0.05)
            assert_true(stability_growth(m, part * h * e) <= 1 + 1e-14);
    }
    /* one damped dialectic mass: T_D lambda lies in both disks |1 + z| <= 1 and |z| <= 1, which the
     * solvers hold up to so many times as large */
    const double factor[] = {1, 2, 2.3318, 2.6156};
    for (int i = 0; i < 4; i++) {
        double least = INFINITY;
        for (double phi = 0; phi < 6.28318; phi += 1e-4) {
            double complex disk = -1 + cexp(I * phi), circle = cexp(I * phi);
            if (cabs(disk) > 1e-3 && cabs(disk) <= 1)
                least = fmin(least, stability_step(method_at(i), disk));
            if (cabs(1 + circle) <= 1)
                least = fmin(least, stability_step(method_at(i), circle));
        }
        assert_near(least, factor[i], 1e-3 * factor[i]);
    }
}

/* closed, on |R| = 1, through the known points, symmetric */
static void test_curves(void **state)
{
    (void)state;
    enum { N = 2001 };
    static double complex points[N];
    for (size_t i = 0; i < method_count(); i++) {
        double left = 0, right = 0;
        stability_curve(method_at(i), N, points);
        for (size_t k = 0; k < N; k++) {
            if (method_at(i).solver != LIEDER_BDF)
                assert_near(stability_growth(method_at(i), points[k]), 1, 1e-11);
            assert_true(cabs(points[k] - conj(points[N - 1 - k])) < 1e-9);
            if (k)
                assert_true(cabs(points[k] - points[k - 1]) < 1);
            left = fmin(left, creal(points[k]));
            right = fmax(right, creal(points[k]));
        }
        assert_true(points[0] == 0 && points[N - 1] == 0);
        if (method_is_explicit(method_at(i)))
            assert_near(creal(points[N / 2]), -stability_step(method_at(i), -1), 1e-10);
        if (method_at(i).solver == LIEDER_EULER_BACKWARD)
            assert_near(right, 2, 1e-9);
        if (method_at(i).solver == LIEDER_ESDIRK23) {
            double g = 1 - sqrt(0.5);
            assert_near(right, 1 / (g * g), 1e-6 * right);
            assert_true(left > -1e-9);
        }
    }
}

static void test_angles(void **state)
{
    (void)state;
    /* Hairer, Wanner: Solving Ordinary Differential Equations II, table V.2.1 */
    static const double bdf[] = {90, 90, 86.03, 73.35, 51.84};
    for (int q = 1; q <= BDF_ORDERS; q++)
        assert_near(stability_angle((Method){LIEDER_BDF, q}), bdf[q - 1], 0.01);
    assert_int_equal(lieder_solver_info(LIEDER_BDF)->order, BDF_ORDERS);
    assert_near(stability_angle(ESDIRK), 90, 0);
    assert_near(stability_angle(RK4), 0, 0);
}

/* the limit is the one that a run has: just below it decays, just above it explodes */
static void test_runs(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederModel *model = lieder_model_create(session, "Swing", "");
    lieder_model_add(model, "world", "World");
    lieder_model_set(model, "world.TD", 1e-3);
    lieder_model_add(model, "o", "Examples.SpringMass");
    lieder_model_set(model, "o.spring.c", 1e6);
    lieder_model_set(model, "o.body.g", 0);
    lieder_model_set(model, "o.joint.s", 1);
    LiederSystem *system = system_new_with(session, "Swing", lieder_system_defaults());
    double x[2];
    lieder_system_start(system, x);
    Linear l;
    Spectrum s;
    assert_int_equal(linear_create(&l, system, &(LinearPoint){.x = x}), LIEDER_DONE);
    assert_int_equal(spectrum_create(&s, &l), LIEDER_DONE);
    for (int i = 0; i < 4; i++) {
        ptrdiff_t limiting, worst;
        double h = spectrum_step(&s, method_at(i), &limiting);
        assert_true(limiting >= 0);
        assert_true(spectrum_growth(&s, method_at(i), 0.999 * h, &worst) < 1);
        assert_true(spectrum_growth(&s, method_at(i), 1.001 * h, &worst) > 1);
        for (int side = -1; side <= 1; side += 2) {
            lieder_system_start(system, x);
            lieder_step(system, method_at(i).solver, 0, (1 + side * 0.01) * h, 20000, x);
            assert_true(side < 0 ? fabs(x[0]) < 1e-3 : !(fabs(x[0]) < 1e3));
        }
    }
    spectrum_drop(&s);
    linear_drop(&l);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ T_D for a step */

static double limit, calls;

static int from_limit_on(void *user, double TD)
{
    (void)user;
    calls++;
    return TD >= limit;
}

static int out_of_order(void *user, double TD)
{
    (void)user;
    (void)TD;
    return -1;
}

static void test_search(void **state)
{
    (void)state;
    double TD;
    for (limit = 1e-6; limit < 1e-1; limit *= 3) {
        calls = 0;
        assert_int_equal(dialectic_search(from_limit_on, NULL, 1e-3, &TD), DIALECTIC_FOUND);
        assert_true(TD >= limit && TD < 1.002 * limit);
        assert_true(calls < 40);
    }
    limit = 0;
    assert_int_equal(dialectic_search(from_limit_on, NULL, 1e-3, &TD), DIALECTIC_ANY);
    limit = INFINITY;
    assert_int_equal(dialectic_search(from_limit_on, NULL, 1e-3, &TD), DIALECTIC_NEVER);
    assert_int_equal(dialectic_search(out_of_order, NULL, 1e-3, &TD), DIALECTIC_FAILED);
}

int main(void)
{
    (void)RK2;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions), cmocka_unit_test(test_steps),
        cmocka_unit_test(test_curves),    cmocka_unit_test(test_angles),
        cmocka_unit_test(test_runs),      cmocka_unit_test(test_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
