/* test_004.c - the experiments of paper 004 (models/papers/004) against closed forms. */
#include "help/run.h"

static const double g = 9.81;

/* ------------------------------------------------------------------ components */

/* s = s0 exp(-b t) (cos wt + b/w sin wt), b = d / 2m, w^2 = c/m - b^2; the rotational twin does the
 * same to the bit */
static void spring_damper_mass(void **state)
{
    (void)state;
    const char *const paths[] = {"slide.s", "hinge.phi", "slide.v", "hinge.w", NULL};
    Run *run = run_model("papers/004/spring_damper_mass.mo", NULL, 0, LIEDER_RK4, 1e-3, 0, paths);
    const double b = 1, w = sqrt(100 - b * b);
    for (size_t i = 0; i < run->nrow; i++) {
        double t = run->t[i], s = 0.1 * exp(-b * t) * (cos(w * t) + b / w * sin(w * t));
        /* order four: (w h)^4 / 120 of the amplitude a radian */
        assert_close(run->value[i][0], s, 1e-10);
        assert_true(run->value[i][0] == run->value[i][1]);
        assert_true(run->value[i][2] == run->value[i][3]);
    }
    run_drop(run);
}

/* phi = phi0 cos wt, w^2 = c / (J1 + ratio^2 J2); tau_1 = ratio tau_2 */
static void gear(void **state)
{
    (void)state;
    const char *const paths[] = {"joint.phi", "load.flange_a.phi", "before.y", "behind.y", NULL};
    Run *run = run_model("papers/004/gear.mo", NULL, 0, LIEDER_RK4, 1e-3, 0, paths);
    const double w = sqrt(50 / (0.5 + 9 * 0.1));
    for (size_t i = 0; i < run->nrow; i++) {
        const double *v = run->value[i];
        double phi = 0.2 * cos(w * run->t[i]);
        assert_close(v[0], phi, 1e-10); /* as above */
        assert_close(v[1], 3 * phi, 3e-10);
        assert_close(v[3], -0.1 * 3 * w * w * phi, 1e-9); /* J2 times its acceleration */
        assert_close(v[2], 3 * v[3], 1e-14);              /* rounding */
    }
    run_drop(run);
}

/* a = g sin(slope) / (1 + J / m R^2): a full disc has two thirds; any Runge-Kutta method of order
 * two or more integrates this exactly */
static void rolling_wheel(void **state)
{
    (void)state;
    const char *const paths[] = {"axle.phi", "mass.flange_a.s", "mass.flange_a.v", NULL};
    Run *run = run_model("papers/004/rolling_wheel.mo", NULL, 0, LIEDER_RK2, 1e-2, 0, paths);
    const double a = 2.0 / 3 * g * sin(0.2);
    for (size_t i = 0; i < run->nrow; i++) {
        const double *v = run->value[i];
        double t = run->t[i];
        assert_close(v[1], 0.5 * a * t * t, 1e-13); /* two hundred roundings */
        assert_close(v[2], a * t, 1e-13);
        assert_close(v[1], 0.3 * v[0], 1e-15);
    }
    run_drop(run);
}

/* ------------------------------------------------------------------ holonomic constraint */

static double springs_potential(double s2)
{
    return 10 * (s2 - 5) * (s2 - 5) + 0.5 * pow(s2, 4);
}

/* One coordinate with the energy E = (m2 + 4 m1 s2^2) v2^2 / 2 + V(s2) = V(0), so the period is
 * twice the integral of ds / v between the turning points 0 and s_max; s = s_max (1 - cos q) / 2
 * takes the roots at the ends away. */
static double springs_period(double s_max)
{
    const int n = 2000;
    double sum = 0;
    for (int i = 0; i < n; i++) { /* midpoints: exponentially accurate, the integrand is periodic */
        double q = acos(-1.0) * (i + 0.5) / n, s = 0.5 * s_max * (1 - cos(q));
        double v = sqrt(2 * (springs_potential(0) - springs_potential(s)) / (2 + 40 * s * s));
        sum += 0.5 * s_max * sin(q) / v;
    }
    return 2 * acos(-1.0) / n * sum;
}

/* The constraint holds to the bit, energy to the order of the method, and the period is that of
 * the integral. */
static void two_springs(void **state)
{
    (void)state;
    const char *const paths[] = {"joint.s", "joint.v", "mass1.flange_a.s", "mass1.flange_a.v",
                                 NULL};
    Run *run = run_model("papers/004/two_springs.mo", NULL, 0, LIEDER_RK4, 1e-3, 0, paths);
    double s_max = 5, back = 0, top = 0;
    for (int i = 0; i < 50; i++) /* V(s) = V(0): s^3 / 2 + 10 s = 100, by Newton */
        s_max -= (0.5 * pow(s_max, 3) + 10 * s_max - 100) / (1.5 * s_max * s_max + 10);
    for (size_t i = 0; i < run->nrow; i++) {
        const double *v = run->value[i];
        double kinetic = 0.5 * (2 * v[1] * v[1] + 10 * v[3] * v[3]);
        assert_true(v[2] == fabs(v[0]) * v[0]);
        assert_close(v[3], 2 * fabs(v[0]) * v[1], 1e-14 * 30);
        assert_close(kinetic + springs_potential(v[0]), 250, 1e-6);
        top = fmax(top, v[0]);
        /* v2 rises through zero once a period, where s2 is smallest */
        if (back == 0 && i > 0 && run->value[i - 1][1] < 0 && v[1] >= 0)
            back = run->t[i] - 0.02 * v[1] / (v[1] - run->value[i - 1][1]);
    }
    assert_close(top, s_max, 1e-4); /* rows are 20 ms apart: curvature */
    assert_close(back, springs_period(s_max), 1e-4);
    run_drop(run);
}

/* ------------------------------------------------------------------ friction */

static double s_function(double x0, double x1, double y0, double y1, double x)
{
    double q = fmax(-1, fmin(1, (2 * x - x0 - x1) / (x1 - x0)));
    return 0.5 * (y0 + y1) + 0.5 * (y1 - y0) * (1.5 * q - 0.5 * q * q * q);
}

/* The curve of the paper: between minus and plus adhesion an S, then down to sliding. With equal
 * coefficients it is a single S. */
static void friction_curve(void **state)
{
    (void)state;
    const char *const paths[] = {"joint.v", "singleS.f_ki", "tripleS.f_ki", NULL};
    Run *run = run_model("papers/004/friction_curve.mo", NULL, 0, LIEDER_RK4, 1e-3, 0, paths);
    double highest = 0;
    for (size_t i = 0; i < run->nrow; i++) {
        double v = run->value[i][0], side = v < 0 ? -1 : 1, u = fabs(v);
        double rising = s_function(-0.01, 0.01, -5, 5, u);
        double triple = u < 0.01 ? rising : s_function(0.01, 0.03, 5, 3, u);
        assert_close(v, -0.05 + 0.1 * run->t[i], 1e-8); /* friction on 1e9 kg */
        assert_close(run->value[i][1], s_function(-0.01, 0.01, -3, 3, v), 1e-14);
        assert_close(run->value[i][2], side * triple, 1e-13);
        highest = fmax(highest, run->value[i][2]);
    }
    assert_close(highest, 5, 1e-3); /* mu_A N, at a row 1e-5 m/s beside the top */
    assert_close(run_last(run, 2), 3, 1e-13);
    run_drop(run);
}

/* ------------------------------------------------------------------ ball with counter spin */

/* Slip u = v - R w. A force f of the ground gives m v' = f and J w' = -R f, J = 2/5 m R^2:
 *   u' = 7/2 f / m,   and 5 v + 2 R w stays, so that it rolls with (5 v0 + 2 R w0) / 7 */
static const double v0 = 2, w0 = -60, R = 0.1, m = 0.2, u0 = 8, rolling = -2.0 / 7;
static const char *const ball[] = {"travel.v", "spin.w", NULL};

/* f = -d u: u = u0 exp(-7/2 d/m t), never quite rolling */
static void counter_spin_damper(void **state)
{
    (void)state;
    Run *run = run_model("papers/004/counter_spin_damper.mo", NULL, 0, LIEDER_RK4, 1e-3, 0, ball);
    double turns = 0;
    assert_close((5 * v0 + 2 * R * w0) / 7, rolling, 1e-15);
    for (size_t i = 0; i < run->nrow; i++) {
        double v = run->value[i][0], w = run->value[i][1], u = u0 * exp(-3.5 * 0.2 / m * run->t[i]);
        assert_close(v - R * w, u, 1e-11); /* (3.5 h)^4 / 120 of 8 m/s */
        assert_close(v, rolling + 2.0 / 7 * u, 1e-11);
        assert_close(5 * v + 2 * R * w, -2, 1e-13);
        if (turns == 0 && v < 0)
            turns = run->t[i];
    }
    assert_close(turns, log(8) / 3.5, 0.003); /* where u = 1: v = 0; to the next row */
    run_drop(run);
}

/* the time for the slip to fall from a to b under the friction of the paper, by quadrature of
 * du / (7/2 g mu(u)) in the logarithm of u */
static double slip_time(double a, double b, double mu_A, double mu_S)
{
    const int n = 20000;
    double sum = 0, step = log(a / b) / n;
    for (int i = 0; i < n; i++) {
        double u = b * exp((i + 0.5) * step);
        double mu = u < 1e-3 ? s_function(-1e-3, 1e-3, -mu_A, mu_A, u)
                             : s_function(1e-3, 2e-3, mu_A, mu_S, u);
        sum += step * u / (3.5 * g * mu);
    }
    return sum;
}

/* With triple S: slides with mu_S g until the slip is vSlide, t = (u0 - vSlide) / (3.5 mu_S g),
 * then the regularisation takes 0.1 ms more. Rolling is said to begin when the slip is 1e-6 m/s. */
static void counter_spin_friction(void **state)
{
    (void)state;
    static const char *const mu_As[] = {"0.45", "0.3"}; /* three S, one S */
    for (int k = 0; k < 2; k++) {
        FrontOverride mu = {.name = "mu_A", .value = mu_As[k]};
        double mu_A = strtod(mu_As[k], NULL), slides = (u0 - 2e-3) / (3.5 * 0.3 * g), begin = 0;
        Run *run = run_load("papers/004/counter_spin_friction.mo", &mu, 1, ball);
        run->options.solver = LIEDER_RK4;
        run->options.step = 1e-5;
        run->options.interval = 1e-4;
        run_start(run, LIEDER_DONE);
        for (size_t i = 0; i < run->nrow; i++) {
            double t = run->t[i], v = run->value[i][0], w = run->value[i][1];
            if (t < slides) /* constant force: exact */
                assert_close(v, v0 - 0.3 * g * t, 1e-10);
            assert_close(5 * v + 2 * R * w, -2, 1e-10); /* 1e5 roundings */
            if (begin == 0 && v - R * w < 1e-6)
                begin = t;
        }
        assert_close(run_last(run, 0), rolling, 1e-11);
        assert_close(run_last(run, 1), rolling / R, 1e-10);
        double regular = slip_time(2e-3, 1e-6, mu_A, 0.3);
        assert_close(begin, slides + regular, 1.2e-4); /* the next row */
        if (k == 1) { /* one S: a formula for the last part, with q = u / vAdhesion */
            double q = 1e-3,
                   last = 1e-3 / (3.5 * 0.3 * g) * (log((3 - q * q) / (q * q)) - log(2)) / 3;
            assert_close(slip_time(1e-3, 1e-6, 0.3, 0.3), last, 1e-7 * last);
        }
        /* an ideal contact rolls after u0 / (3.5 mu g) = 0.7767 s: the regularised one is late by
         * less than a millisecond */
        assert_close(begin, u0 / (3.5 * 0.3 * g), 1e-3);
        run_drop(run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spring_damper_mass),    cmocka_unit_test(gear),
        cmocka_unit_test(rolling_wheel),         cmocka_unit_test(two_springs),
        cmocka_unit_test(friction_curve),        cmocka_unit_test(counter_spin_damper),
        cmocka_unit_test(counter_spin_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
