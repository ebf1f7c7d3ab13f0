/* test_000.c - the experiments of paper 000 (models/papers/000) against closed forms.
 *
 * One mass, and the relative motion of two, is (s' = v + T_D a, v' = a, m' = m + d_el T_D):
 *
 *   m' a = -d v - c s + f,   d_el = d + c T_D
 *
 * A Runge-Kutta method multiplies the state by a polynomial of h times its matrix, so that even a
 * coarse run has a closed form. Eigenvalues themselves are tested beside `lieder eigen`.
 */
#include "help/run.h"

/* ------------------------------------------------------------------ a matrix of order two */

typedef struct Matrix {
    double e[2][2];
} Matrix;

static Matrix product(Matrix a, Matrix b)
{
    Matrix r;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            r.e[i][j] = a.e[i][0] * b.e[0][j] + a.e[i][1] * b.e[1][j];
    return r;
}

/* 1 + hA + (hA)^2 / 2 + ... up to the given order: one step of a Runge-Kutta method with as many
 * stages; many terms are the matrix exponential */
static Matrix series(Matrix a, double h, int order)
{
    Matrix sum = {{{1, 0}, {0, 1}}}, term = sum;
    for (int k = 1; k <= order; k++) {
        term = product(term, a);
        for (int i = 0; i < 4; i++) {
            term.e[i / 2][i % 2] *= h / k;
            sum.e[i / 2][i % 2] += term.e[i / 2][i % 2];
        }
    }
    return sum;
}

/* the damped dialectic oscillator with the states s, v */
static Matrix oscillator(double m, double d, double c, double TD)
{
    double d_el = TD > 0 ? d + c * TD : 0, mass = m + d_el * TD;
    return (Matrix){{{-TD * c / mass, 1 - TD * d / mass}, {-c / mass, -d / mass}}};
}

static void advance(Matrix step, double x[2])
{
    double s = x[0], v = x[1];
    x[0] = step.e[0][0] * s + step.e[0][1] * v;
    x[1] = step.e[1][0] * s + step.e[1][1] * v;
}

/* ------------------------------------------------------------------ table 1 */

/* Both models have the same motion behind the filter. w = s - T_D v obeys the equation of the
 * classical system with m', d' and c, and a Runge-Kutta method does not care about coordinates: the
 * two agree to rounding with any step. */
static void table_1(void **state)
{
    (void)state;
    const char *const paths[] = {"sensor.y",         "classicalJoint.s", "joint.v",
                                 "classicalJoint.v", "joint.s",          NULL};
    Run *run = run_model("papers/000/spring_damper.mo", NULL, 0, LIEDER_RK3, 1e-4, 0, paths);
    double mass = 0, damping = 0, x[2] = {1e-3, 0}, unfiltered = 0;
    assert_int_equal(lieder_system_get(run->system, "classicalBody.m", &mass), LIEDER_DONE);
    assert_int_equal(lieder_system_get(run->system, "classicalSpring.d", &damping), LIEDER_DONE);
    assert_close(mass, 2.1, 1e-15); /* the numbers that the paper prints */
    assert_close(damping, 1100, 1e-12);
    Matrix step = series(oscillator(1, 100, 1e6, 1e-3), 1e-4, 3);
    for (size_t i = 0; i < run->nrow; i++) {
        const double *v = run->value[i];
        /* 200 steps of rounding errors of numbers of size 1e-3 and 1 */
        assert_close(v[0], v[1], 1e-17);
        assert_close(v[2], v[3], 1e-14);
        assert_close(v[4], x[0], 1e-16);
        unfiltered = fmax(unfiltered, fabs(v[4] - v[1]));
        advance(step, x);
    }
    /* and the filter is needed: s - w = T_D v, with a velocity of some 0.3 m/s */
    assert_true(unfiltered > 1e-4);
    /* back at the equilibrium: exp(-1100 / 4.2 * 0.02) = 0.5 % of 1 mm */
    assert_close(run_last(run, 0), 0, 1e-5);
    run_drop(run);
}

/* m g = c s in the end, whatever T_D: the derivatives vanish at this state to rounding, and the
 * run ends there. The classical model with modified mass sags by 2.1 times as much. */
static void steady_state(void **state)
{
    (void)state;
    static const char *const TDs[] = {"0", "1e-6", "1e-5", "1e-4", "1e-3", "1e-2"};
    const char *const paths[] = {"joint.s", "joint.v", "classicalJoint.s", "classicalBody.m", NULL};
    const double sag = -9.81 / 1e6;
    for (size_t i = 0; i < sizeof TDs / sizeof *TDs; i++) {
        FrontOverride overrides[] = {{.name = "world.TD", .value = TDs[i]},
                                     {.name = "g", .value = "-9.81"}};
        Run *run = run_load("papers/000/spring_damper.mo", overrides, 2, paths);
        double x[8] = {0}, dx[8];
        size_t n = lieder_system_state_count(run->system);
        assert_true(n <= 8);
        ptrdiff_t s = lieder_system_state_index(run->system, "joint.s");
        ptrdiff_t v = lieder_system_state_index(run->system, "joint.v");
        x[s] = sag;
        assert_int_equal(lieder_system_derivatives(run->system, 0, x, dx), LIEDER_DONE);
        assert_close(dx[v], 0, 1e-15 * 9.81); /* c s rounded */
        assert_close(dx[s], 0, 1e-15 * 9.81);
        /* the slowest is T_D = 1e-2 with beta = 50/s: exp(-50) of 1 mm is left after 1 s */
        run->options.solver = LIEDER_RK3;
        double TD = strtod(TDs[i], NULL);
        run->options.step = TD > 0 ? fmin(5e-5, 2 * TD) : 5e-5; /* the filter of the sensor */
        run->options.stop = 1;
        run_start(run, LIEDER_DONE);
        assert_close(run_last(run, 0), sag, 1e-19); /* a few units in the last place of 1e-5 */
        if (TD == 1e-3)
            assert_close(run_last(run, 2), 2.1 * sag, 1e-15);
        run_drop(run);
    }
}

/* ------------------------------------------------------------------ figures 6 and 7 */

enum { SCALED, FORCE, DIFFERENCE, FIRST, FIRST_V, SECOND_V };
static const char *const two_masses_paths[] = {"scaled.y", "springForce.y", "second.s", "first.s",
                                               "first.v",  "second.v",      NULL};
static const double coarse = 1.2e-3; /* the step of the paper's kind: see figure_6 */

static Run *two_masses(const char *c, const char *TD, double step, double stop)
{
    FrontOverride overrides[] = {{.name = "c", .value = c}, {.name = "world.TD", .value = TD}};
    Run *run = run_load("papers/000/two_masses.mo", overrides, 2, two_masses_paths);
    run->options.solver = LIEDER_RK3;
    run->options.step = step;
    run->options.interval = step;
    run->options.stop = stop;
    run_start(run, LIEDER_DONE);
    return run;
}

/* Relative motion: the reduced mass 1/2 with the force -F m2 / (m1 + m2) = -F / 2. It goes around
 * s = -F / 2c, which moves when the force steps. */
static void relative_motion(double c, double TD, double h, size_t nrow, double (*x)[2])
{
    Matrix step = series(oscillator(0.5, 0, c, TD), h, 3);
    double y[2] = {0, 0}, rest = 0;
    for (size_t i = 0; i < nrow; i++) {
        double t = (double)i * h + 1e-9, F = t < 0.12 ? 10 : t < 0.24 ? 0 : t < 0.36 ? -10 : 0;
        y[0] += rest; /* from the old point of rest to the new one */
        rest = -F / (2 * c);
        y[0] -= rest;
        x[i][0] = y[0] + rest;
        x[i][1] = y[1];
        advance(step, y);
    }
}

static double expected[2001][2];

/* At h = 1.2 ms the classical model is just inside of the stability of RK3, h omega = 1.697 of
 * 1.7321 with omega = sqrt(2c / m): its oscillation is damped by the solver alone, by
 * |R(i 1.697)| = 0.98609 a step. The dialectic one dies down within a few periods. */
static void figure_6(void **state)
{
    (void)state;
    Run *dialectic = two_masses("1e6", "1e-3", coarse, 0.48);
    Run *classical = two_masses("1e6", "0", coarse, 0.48);
    const Run *runs[] = {dialectic, classical};
    for (int k = 0; k < 2; k++) {
        relative_motion(1e6, k ? 0 : 1e-3, coarse, runs[k]->nrow, expected);
        assert_int_equal(runs[k]->nrow, 401);
        for (size_t i = 0; i < runs[k]->nrow; i++) {
            /* some 400 roundings of 10 N */
            assert_close(runs[k]->value[i][DIFFERENCE], expected[i][0], 1e-18 * 10 * 400);
            assert_close(runs[k]->value[i][FORCE], -1e6 * expected[i][0], 1e-12 * 10);
        }
    }
    /* the step from 10 N to 0 N is at row 100; the excerpt ends before the next one */
    double mean = 0, left[2] = {0};
    for (size_t i = 100; i < 200; i++)
        mean += (dialectic->value[i][FORCE] - classical->value[i][FORCE]) / 100;
    for (size_t i = 190; i < 200; i++)
        for (int k = 0; k < 2; k++)
            left[k] = fmax(left[k], fabs(runs[k]->value[i][FORCE]));
    assert_true(fabs(mean) < 0.05); /* 1 % of the 5 N that the spring held before */
    assert_true(left[0] < 1e-12);
    assert_true(left[1] > 1 && left[1] < 5 * pow(0.98609, 90) * 1.2); /* 1.42 N, and a phase */
    /* numerical damping, over whole periods: the energy falls by |R|^2 a step */
    double square = 1 - pow(1.2e-3 * sqrt(2e6), 4) / 12 + pow(1.2e-3 * sqrt(2e6), 6) / 36;
    double energy[2];
    for (int k = 0; k < 2; k++) {
        const double *v = classical->value[120 + 60 * k];
        energy[k] = 0.5 * 1e6 * v[DIFFERENCE] * v[DIFFERENCE] + 0.25 * v[SECOND_V] * v[SECOND_V];
    }
    assert_close(energy[1] / energy[0], pow(square, 60), 1e-9);
    run_drop(dialectic);
    run_drop(classical);
}

/* Both come to rest at the same place, where a rigid pair would: 5 m/s2 for 0.12 s, coasting for
 * 0.12 s, braking. T_D does not shift it, because T_D v is zero at rest. */
static void final_positions(void **state)
{
    (void)state;
    static const char *const TDs[] = {"0", "1e-4", "1e-3"};
    for (int i = 0; i < 3; i++) {
        Run *run = two_masses("1e6", TDs[i], coarse * (i == 1 ? 0.1 : 1), i == 1 ? 0.6 : 3.6);
        const double *v = run->value[run->nrow - 1];
        assert_close(v[FIRST], 0.6 * 0.24, 1e-13); /* thousands of roundings of 0.1 m */
        assert_close(v[DIFFERENCE], 0, 1e-13); /* the classical oscillation: 5e-6 0.98609^2700 */
        assert_close(v[FIRST_V], 0, 1e-11);
        run_drop(run);
    }
}

/* beyond its limit the classical model leaves all bounds with the same step; the dialectic one does
 * not, see below */
static void classical_fails(void **state)
{
    (void)state;
    FrontOverride overrides[] = {{.name = "c", .value = "1e12"},
                                 {.name = "world.TD", .value = "0"}};
    Run *run = run_load("papers/000/two_masses.mo", overrides, 2, two_masses_paths);
    run->options.solver = LIEDER_RK3;
    run->options.step = coarse;
    LiederStatus status = lieder_simulate(run->system, &run->options, &run->statistics);
    assert_true(status != LIEDER_DONE || !(fabs(run_last(run, DIFFERENCE)) < 1));
    run_drop(run);
}

/* 1e6, 1e12 and 1e18 N/m with the same step. The joint counts from the first body, so that even
 * 5e-18 m keeps its digits; the scaled curves are those of the closed form to rounding. */
static void figure_7(void **state)
{
    (void)state;
    static const char *const stiffness[] = {"1e6", "1e12", "1e18"};
    for (int k = 0; k < 3; k++) {
        double c = strtod(stiffness[k], NULL);
        Run *run = two_masses(stiffness[k], "1e-3", coarse, 0.48);
        relative_motion(c, 1e-3, coarse, run->nrow, expected);
        for (size_t i = 0; i < run->nrow; i++)
            assert_close(run->value[i][SCALED] * 1e6, c * expected[i][0], 1e-11);
        assert_close(c * run_at(run, 0.12, DIFFERENCE), -5, 1e-13);
        run_drop(run);
    }
}

/* The period tends to 4 pi T_D / sqrt 3 = 7.2552 ms (equation 20). Zeros of the difference after
 * the force is gone are half a period apart; steps of T_D / 100 have an error of 1e-6. */
static void limit_period(void **state)
{
    (void)state;
    const double limit = 4 * acos(-1.0) * 1e-3 / sqrt(3);
    static const char *const stiffness[] = {"1e6", "1e12", "1e18"};
    assert_close(limit, 0.00725, 6e-6); /* as the paper prints it */
    for (int k = 0; k < 3; k++) {
        double c = strtod(stiffness[k], NULL), zero[6];
        int nzero = 0;
        Run *run = two_masses(stiffness[k], "1e-3", 1e-5, 0.15);
        for (size_t i = 1; i < run->nrow && nzero < 6; i++) {
            double a = run->value[i - 1][DIFFERENCE], b = run->value[i][DIFFERENCE];
            if (run->t[i - 1] > 0.1205 && a * b < 0)
                zero[nzero++] = run->t[i - 1] + 1e-5 * a / (a - b);
        }
        assert_int_equal(nzero, 6);
        double beta = 0.5 * c * 1e-3 / (0.5 + c * 1e-6), square = c / (0.5 + c * 1e-6);
        double period = 2 * acos(-1.0) / sqrt(square - beta * beta);
        /* linear interpolation between rows: 1e-5 of a period */
        assert_close((zero[5] - zero[1]) / 2, period, 1e-5 * period);
        if (c > 1e6)
            assert_close((zero[5] - zero[1]) / 2, limit, 2e-5 * limit);
        else
            assert_close(period, 8.4298e-3, 1e-7); /* 1e6 N/m is not yet stiff against T_D */
        run_drop(run);
    }
}

/* ------------------------------------------------------------------ section 4.3 */

static size_t evaluations(const char *c, const char *TD)
{
    FrontOverride overrides[] = {{.name = "c", .value = c}, {.name = "world.TD", .value = TD}};
    Run *run = run_load("papers/000/two_masses.mo", overrides, 2, two_masses_paths);
    run->options.solver = LIEDER_BDF;
    run->options.tolerance = 1e-8;
    run_start(run, LIEDER_DONE);
    size_t n = run->statistics.evaluations;
    run_drop(run);
    return n;
}

/* A solver that chooses its steps follows every oscillation of the classical model that its
 * tolerance sees, the more the stiffer; the dialectic one costs the same at any stiffness. Counts
 * of bdf at 1e-8 stand in docs/papers/000.md; here are bounds half as strict. */
static void evaluations_saved(void **state)
{
    (void)state;
    size_t classical6 = evaluations("1e6", "0"), classical8 = evaluations("1e8", "0");
    size_t dialectic6 = evaluations("1e6", "1e-3"), dialectic8 = evaluations("1e8", "1e-3");
    size_t dialectic12 = evaluations("1e12", "1e-3");
    print_message("classical %zu %zu, dialectic %zu %zu %zu\n", classical6, classical8, dialectic6,
                  dialectic8, dialectic12);
    assert_true(classical6 > 3 * dialectic6);
    assert_true(classical8 > 10 * dialectic8);
    assert_true(dialectic12 < 2 * dialectic6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_1),         cmocka_unit_test(steady_state),
        cmocka_unit_test(figure_6),        cmocka_unit_test(final_positions),
        cmocka_unit_test(classical_fails), cmocka_unit_test(figure_7),
        cmocka_unit_test(limit_period),    cmocka_unit_test(evaluations_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
