/* hybrid.h - the hybrid benchmark of paper 002 and the constraint of paper 004: the models, which
 * are those of examples/, and what their runs are compared with. */
#ifndef TEST_SOLVE_HYBRID_H
#define TEST_SOLVE_HYBRID_H

#include "solve/help.h"

#include <lieder/modes.h>

int bouncing_ball_main(void);
int pendulum_flight_main(void);
int pendulum_thread_main(void);
int two_springs_main(void);
int circuit_equations_main(void);

#define main bouncing_ball_main
#include "../../examples/bouncing_ball.c"
#undef main
#define main pendulum_flight_main
#include "../../examples/pendulum_flight.c"
#undef main
#define main pendulum_thread_main
#include "../../examples/pendulum_thread.c"
#undef main
#define main two_springs_main
#include "../../examples/two_springs.c"
#undef main
#define main circuit_equations_main
#include "../../examples/circuit_equations.c"
#undef main

/* ------------------------------------------------------------------ bouncing ball */

/* impact n = 0, 1 ... of the ball in vacuum */
static inline double impact_time(size_t n)
{
    return sqrt(2 * 10 / 9.81) * (1 + 2 * 0.9 * (1 - pow(0.9, (double)n)) / (1 - 0.9));
}
static const double ZENO_AT = 27.1290193356142, AIR_IMPACT_AT = 1.43260732544532;

/* the first contact in closed form: a damped oscillation about -g/k that ends where k x + d v = 0
 */
static inline double contact_length(double k, double d, double v)
{
    double a = d / 2, w = sqrt(k - a * a), rest = -9.81 / k, low = 1e-6, high = 2 * M_PI / w;
    /* x = rest + exp(-a t) (A cos w t + B sin w t) */
    double A = -rest, B = (v + a * A) / w;
    for (int i = 0; i < 200; i++) {
        double t = 0.5 * (low + high), e = exp(-a * t), c = cos(w * t), s = sin(w * t);
        double x = rest + e * (A * c + B * s), u = e * (w * (B * c - A * s) - a * (A * c + B * s));
        if (k * x + d * u < 0)
            low = t;
        else
            high = t;
    }
    return low;
}

/* ------------------------------------------------------------------ pendulum */

static const double FLYING_AT = 1.921999019786355, BOUND_AT = 2.661498894058365,
                    CALM_AT = 7.59627140587139;

static inline Lieder *pendulum_session(void)
{
    Lieder *session = lieder_create(NULL);
    assert_int_equal(lieder_class_register(session, &bound_class), LIEDER_DONE);
    assert_int_equal(lieder_class_register(session, &flying_class), LIEDER_DONE);
    return session;
}

/* changes of modes, and the first turning point below pi/10, which ends the run */
typedef struct Log {
    size_t n, mode[16], last, rows, steps;
    double t[16], calm, before;
} Log;

static inline bool log_change(void *user, size_t mode, double t, const double *x, LiederRow kind)
{
    Log *log = user;
    if (kind == LIEDER_ROW_BEFORE_EVENT)
        log->before = t;
    if (kind == LIEDER_ROW_AFTER_EVENT)
        assert_true(t == log->before);
    log->rows += kind == LIEDER_ROW;
    if (mode != log->last && log->n < 16) {
        assert_true(kind == LIEDER_ROW_AFTER_EVENT);
        log->mode[log->n] = mode;
        log->t[log->n++] = t;
    }
    log->last = mode;
    if (kind == LIEDER_ROW_BEFORE_EVENT && mode == PENDULUM_BOUND && fabs(x[1]) < 1e-6 &&
        fabs(x[0] - M_PI) < M_PI / 10) {
        log->calm = t;
        return false;
    }
    return true;
}

static inline Log run_pendulum(Pendulum *p, LiederSolver solver, double step, double tolerance)
{
    LiederModesOptions o = lieder_modes_defaults();
    LiederModesStatistics s;
    Log log = {.last = PENDULUM_BOUND};
    o.run.solver = solver;
    o.run.step = step;
    o.run.tolerance = tolerance;
    o.run.stop = 10;
    o.output = log_change;
    o.user = &log;
    assert_int_equal(lieder_modes_simulate(p->modes, &o, &s), LIEDER_STOPPED);
    assert_true(s.run.t == log.calm && s.mode == PENDULUM_BOUND);
    assert_true(log.n == 2 && log.mode[0] == PENDULUM_FLYING && log.mode[1] == PENDULUM_BOUND);
    log.steps = s.run.steps;
    return log;
}

/* ------------------------------------------------------------------ circuit */

/* the branch in other words: the Shockley diode by bisection of its voltage */
static inline double own_branch(int which, double U, double t, double u)
{
    if (which == CIRCUIT_RESISTOR) {
        double on = fmin(fmax((t - 20e-6) / 0.1e-6, 0), 1) - fmin(fmax((t - 60e-6) / 0.1e-6, 0), 1);
        return -u / (20 + 1e5 + (1 - 1e5) * on);
    }
    if (which == CIRCUIT_DIODE)
        return u < -U ? (-u - U) / 20 : 0;
    if (which == CIRCUIT_BASIC)
        return 0;
    double low = u > 0 ? -u - 1e-9 : -1e-9, high = u > 0 ? 1e-9 : fmin(-u + 1e-9, 0.9);
    for (int i = 0; i < 50; i++) {
        double v = 0.5 * (low + high);
        if (20 * 1e-12 * expm1(v / 25e-3) + u + v < 0)
            low = v;
        else
            high = v;
    }
    return (-u - 0.5 * (low + high)) / 20;
}

static inline void own_circuit_step(int which, double U, double t, double h, double *x)
{
    static const double c[] = {0, 0.5, 0.5, 1};
    double k[4][2];
    for (int s = 0; s < 4; s++) {
        double at = t + c[s] * h, z[2];
        for (int j = 0; j < 2; j++)
            z[j] = x[j] + (s ? c[s] * h * k[s - 1][j] : 0);
        k[s][0] = (5 * sin(2 * M_PI * 0.15e6 * at) - z[1]) / 25.3e-6;
        k[s][1] = (z[0] - z[1] / 1000 + own_branch(which, U, at, z[1])) / 100e-9;
    }
    for (int j = 0; j < 2; j++)
        x[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
}

/* rk4 with n steps up to 100 us; on the ramps of the resistor 1000 times as many */
static inline void own_circuit(int which, double U, int n, double *x)
{
    double h = 100e-6 / n;
    x[0] = x[1] = 0;
    for (int i = 0; i < n; i++) {
        double t = i * h, since = t - (t < 40e-6 ? 20e-6 : 60e-6) + h / 2;
        int parts = which == CIRCUIT_RESISTOR && since > 0 && since < 0.1e-6 ? 1000 : 1;
        for (int k = 0; k < parts; k++)
            own_circuit_step(which, U, t + k * h / parts, h / parts, x);
    }
}

#endif
