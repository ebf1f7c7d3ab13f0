/* test_blocks.c - the blocks of the library that are Modelica text, against closed forms. */
#include <math.h>

#include <lieder/load.h>
#include <lieder/simulate.h>

#include "help/engine.h"
#include "help/run.h"

/* the model T of a text, run to `stop` by rk4 with steps of h; values of variables at the end */
static void run_text(const char *text, double stop, double h, const char *const *names, size_t n,
                     double *values)
{
    Lieder *session = lieder_create(NULL);
    LiederSystem *system = NULL;
    if (lieder_load_text(session, "T.mo", text) == LIEDER_DONE)
        system = lieder_system_load(session, "T", NULL, 0, NULL, NULL);
    if (!system)
        lieder_diagnostic_print_all(session, stderr);
    assert_non_null(system);
    double *x = calloc(lieder_system_state_count(system) + 1, sizeof *x);
    LiederObserver *o = lieder_observer_create(system);
    for (size_t i = 0; i < n; i++)
        if (lieder_observer_add(o, names[i]) < 0)
            fail_msg("there is no %s", names[i]);
    lieder_system_start(system, x);
    assert_int_equal(lieder_step(system, LIEDER_RK4, 0, h, (size_t)lround(stop / h), x),
                     LIEDER_DONE);
    assert_int_equal(lieder_observer_evaluate(o, stop, x, values), LIEDER_DONE);
    lieder_observer_destroy(o);
    lieder_system_destroy(system);
    lieder_destroy(session);
    free(x);
}

/* answers to a step of height one at t = 0, after two seconds */
static void step_responses(void **unused)
{
    (void)unused;
    static const char *const names[] = {"i.y",  "fo.y", "so.y",  "tf.y", "ss.y",
                                        "pi.y", "d.y",  "pid.y", "sr.y"};
    double v[9], t = 2;
    run_text("model T\n"
             "  Signals.Constant s(k = 1);\n"
             "  Signals.Integrator i(k = 3, y_start = 1);\n"
             "  Signals.FirstOrder fo(k = 2, T = 0.5, y_start = 0.5);\n"
             "  Signals.SecondOrder so(k = 2, w = 3, D = 0.2);\n"
             "  Signals.TransferFunction tf(b = {1, 2}, a = {1, 3, 2});\n"
             "  Signals.StateSpace ss(A = [0, 1; -2, -3], B = {0, 1}, C = {2, 1});\n"
             "  Signals.PI pi(k = 2, T = 4);\n"
             "  Signals.Derivative d(k = 3, T = 0.5);\n"
             "  Signals.PID pid(k = 2, Ti = 0.5, Td = 0.1, Nd = 0.1);\n"
             "  Signals.SlewRateLimiter sr(Rising = 0.25);\n"
             "equation\n"
             "  connect(s.y, i.u); connect(s.y, fo.u); connect(s.y, so.u); connect(s.y, tf.u);\n"
             "  connect(s.y, ss.u); connect(s.y, pi.u); connect(s.y, d.u); connect(s.y, pid.u);\n"
             "  connect(s.y, sr.u);\n"
             "end T;\n",
             t, 1e-4, names, 9, v);
    double wd = 3 * sqrt(1 - 0.04);
    assert_close(v[0], 1 + 3 * t, 1e-10);
    assert_close(v[1], 2 - 1.5 * exp(-t / 0.5), 1e-10);
    assert_close(v[2], 2 - 2 * exp(-0.6 * t) * (cos(wd * t) + 0.6 / wd * sin(wd * t)), 1e-10);
    assert_close(v[3], 1 - exp(-t), 1e-10); /* (s + 2)/((s + 1)(s + 2)) */
    assert_close(v[4], v[3], 1e-12);
    assert_close(v[5], 2 * (1 + t / 4), 1e-10);
    assert_close(v[6], 3 * exp(-t / 0.5) / 0.5, 1e-10);
    assert_close(v[7], 2 * (1 + t / 0.5 + 0.1 * exp(-t)), 1e-10);
    assert_close(v[8], 0.25 * t, 1e-10);
}

/* what is not linear, on a ramp from -2 to 2 */
static void characteristics(void **unused)
{
    (void)unused;
    static const char *const names[] = {"lim.y", "dead.y", "abs.y", "min.y",
                                        "max.y", "pr.y",   "at.y"};
    for (double t = 0; t < 4.01; t += 0.25) {
        double v[7], u = t - 2;
        run_text("model T\n"
                 "  Signals.Ramp r(height = 4, duration = 4, offset = -2);\n"
                 "  Signals.Limiter lim(uMax = 1, uMin = -0.5);\n"
                 "  Signals.DeadZone dead(uMax = 1, uMin = -0.5);\n"
                 "  Signals.Abs abs; Signals.Min min; Signals.Max max; Signals.Product pr;\n"
                 "  Signals.Atan2 at; Signals.Constant c(k = 0.3);\n"
                 "equation\n"
                 "  connect(r.y, lim.u); connect(r.y, dead.u); connect(r.y, abs.u);\n"
                 "  connect(r.y, min.u1); connect(c.y, min.u2); connect(r.y, max.u1);\n"
                 "  connect(c.y, max.u2); connect(r.y, pr.u1); connect(c.y, pr.u2);\n"
                 "  connect(r.y, at.u1); connect(c.y, at.u2);\n"
                 "end T;\n",
                 t, 0.25, names, 7, v);
        assert_close(v[0], fmin(fmax(u, -0.5), 1), 1e-15);
        assert_close(v[1], u > 1 ? u - 1 : u < -0.5 ? u + 0.5 : 0, 1e-15);
        assert_close(v[2], fabs(u), 1e-15);
        assert_close(v[3], fmin(u, 0.3), 1e-15);
        assert_close(v[4], fmax(u, 0.3), 1e-15);
        assert_close(v[5], 0.3 * u, 1e-15);
        assert_close(v[6], atan2(u, 0.3), 1e-15);
    }
}

/* The output of a controller depends on its input, the plant's on its state alone: no algebraic
 * loop. PI k = 2, T = 1 on 1/(s + 1) is 2/(s + 2). */
static void closed_loop(void **unused)
{
    (void)unused;
    static const char *const names[] = {"plant.y"};
    double v;
    run_text("model T\n"
             "  Signals.Constant s(k = 1); Signals.Feedback e; Signals.PI pi(k = 2, T = 1);\n"
             "  Signals.FirstOrder plant;\n"
             "equation\n"
             "  connect(s.y, e.u1); connect(plant.y, e.u2); connect(e.y, pi.u);\n"
             "  connect(pi.y, plant.u);\n"
             "end T;\n",
             0.7, 1e-4, names, 1, &v);
    assert_close(v, 1 - exp(-1.4), 1e-10);
}

/* a limited controller: its output stays within the limits, its integral part comes back */
static void no_windup(void **unused)
{
    (void)unused;
    static const char *const names[] = {"c.y", "plant.y", "c.I"};
    double v[3];
    const char *text =
        "model T\n"
        "  Signals.Constant s(k = 1); Signals.LimPID c(k = 5, Ti = 1, Td = 0, yMax = 1.2);\n"
        "  Signals.FirstOrder plant(T = 2);\n"
        "equation\n"
        "  connect(s.y, c.u_s); connect(plant.y, c.u_m); connect(c.y, plant.u);\n"
        "end T;\n";
    run_text(text, 0.5, 1e-4, names, 3, v);
    assert_close(v[0], 1.2, 1e-15);
    assert_close(v[1], 1.2 * (1 - exp(-0.25)), 1e-10);
    run_text(text, 40, 1e-3, names, 3, v);
    assert_close(v[0], 1, 1e-6);
    assert_close(v[1], 1, 1e-6);
    assert_close(v[2], 0.2, 1e-6);
}

/* Pade's rational function is exp(-s T) up to (w T)^(2 n + 1), and passes all frequencies alike */
static void rational_delay(void **unused)
{
    (void)unused;
    static const char *const names[] = {"p1.y", "p2.y", "p3.y", "p4.y"};
    double v[4], t = 6, w = 4, T = 0.1, c[] = {0, 0, 0, 0};
    run_text("model T\n"
             "  Signals.Sine s(f = 4/6.283185307179586);\n"
             "  Signals.PadeDelay p1(delayTime = 0.1, n = 1), p2(delayTime = 0.1, n = 2),\n"
             "    p3(delayTime = 0.1), p4(delayTime = 0.1, n = 4);\n"
             "equation\n"
             "  connect(s.y, p1.u); connect(s.y, p2.u); connect(s.y, p3.u); connect(s.y, p4.u);\n"
             "end T;\n",
             t, 1e-3, names, 4, v);
    /* phases 2 arg D(i w T), by hand for two orders */
    double z = w * T;
    c[0] = sin(w * t - 2 * atan2(z / 2, 1));
    c[1] = sin(w * t - 2 * atan2(z / 2, 1 - z * z / 12));
    assert_close(v[0], c[0], 1e-7);
    assert_close(v[1], c[1], 1e-7);
    assert_close(v[2], sin(w * (t - T)), 1e-6);
    assert_close(v[3], sin(w * (t - T)), 1e-7);
}

/* sources and sums: at 2.3 s, that is 0.3 s after the begin of a period of one second */
static void sources(void **unused)
{
    (void)unused;
    double v[7];
    Run *run = run_load_text(
        "model T\n"
        "  Signals.ContinuousClock clock(offset = 1, startTime = 0.5);\n"
        "  Signals.SawTooth saw(amplitude = 2, offset = 3);\n"
        "  Signals.Trapezoid tr(amplitude = 2, rising = 0.1, width = 0.4, falling = 0.2);\n"
        "  Signals.Sum sum(nin = 2, k = {2, 3}); Signals.Add3 add(k3 = 5); Signals.Sign sign;\n"
        "  Signals.VariableLimiter lim; Signals.Constant one, minus(k = -1);\n"
        "  Real x(start = 0, fixed = true);\n"
        "equation\n"
        "  der(x) = tr.y;\n"
        "  connect(saw.y, sum.u[1]); connect(clock.y, sum.u[2]); connect(saw.y, add.u1);\n"
        "  connect(clock.y, add.u2); connect(one.y, add.u3); connect(saw.y, lim.u);\n"
        "  connect(one.y, lim.limit1); connect(minus.y, lim.limit2); connect(minus.y, sign.u);\n"
        "end T;\n",
        (const char *[]){"clock.y", "saw.y", "x", "sum.y", "add.y", "lim.y", "sign.y", NULL});
    run->options.stop = 2.3;
    run->options.interval = 0.1;
    run->options.tolerance = 1e-9;
    run_start(run, LIEDER_DONE);
    for (size_t i = 0; i < 7; i++)
        v[i] = run_last(run, i);
    assert_close(v[0], 2.8, 1e-12);
    assert_close(v[1], 3.6, 1e-12);
    assert_close(v[2], 2 * 2 * (0.05 + 0.4 + 0.1) + 2 * (0.05 + 0.2), 1e-8);
    assert_close(v[3], 2 * 3.6 + 3 * 2.8, 1e-12);
    assert_close(v[4], 3.6 + 2.8 + 5, 1e-12);
    assert_close(v[5], 1, 1e-12);
    assert_close(v[6], -1, 0);
    run_drop(run);
}

/* P = 1 W into 2 J/K from a resistor with a heat port, and d v^2 from a damper at 3 m/s */
static void losses(void **unused)
{
    (void)unused;
    static const char *const names[] = {"warm.T", "oil.T", "r.LossPower"};
    double v[3];
    run_text(
        "model T\n  inner Dialectic.World world(TD = 0);\n"
        "  Electrical.Ground g; Electrical.ConstantVoltage s(V = 2);\n"
        "  Electrical.Resistor r(R = 4, useHeatPort = true);\n"
        "  Thermal.HeatCapacitor warm(C = 2), oil(C = 5);\n"
        "  Dialectic.Translational.Fixed wall; Dialectic.Translational.Speed drive(v_start = 3);\n"
        "  Dialectic.Translational.HeatingDamper d(d = 10); Signals.Constant three(k = 3);\n"
        "equation\n"
        "  connect(s.p, r.p); connect(r.n, g.p); connect(s.n, g.p);\n"
        "  connect(r.heatPort, warm.port); connect(three.y, drive.v_ref);\n"
        "  connect(wall.flange_b, d.flange_a); connect(drive.flange, d.flange_b);\n"
        "  connect(d.heatPort, oil.port);\nend T;\n",
        1, 1e-3, names, 3, v);
    assert_close(v[0], 293.15 + 0.5, 1e-9);
    assert_close(v[1], 293.15 + 90.0 / 5, 1e-9);
    assert_close(v[2], 1, 1e-12);
}

/* sensors and forces in axes of frames, and a prescribed pose, in the plane */
static void resolved(void **unused)
{
    (void)unused;
    static const char *const names[] = {"s.x", "s.y", "s.phi", "s.vx", "s.vy", "m.vx", "m.vy"};
    double v[7];
    run_text("model T\n  inner Dialectic.World world(TD = 0, g = 0);\n"
             "  Dialectic.Planar.Fixed ground(r = {1, 2}, phi = 0.5);\n"
             "  Dialectic.Planar.Position p(x_start = 3, y_start = 4);\n"
             "  Signals.Constant x(k = 3), y(k = 4), zero(k = 0), two(k = 2);\n"
             "  Signals.Ramp phi(height = 1, duration = 1);\n"
             "  Dialectic.Planar.FreeMotion m; Dialectic.Planar.Body b(m = 4, I = 1), c;\n"
             "  Dialectic.Planar.ResolvedForce f; Dialectic.Planar.PositionSensor axes;\n"
             "  Dialectic.Planar.RelativeSensor s;\n"
             "equation\n"
             "  connect(x.y, p.x_ref); connect(y.y, p.y_ref); connect(zero.y, p.phi_ref);\n"
             "  connect(p.frame, c.frame_a); connect(ground.frame, m.frame_a);\n"
             "  connect(m.frame_b, b.frame_a); connect(f.frame, b.frame_a);\n"
             "  connect(axes.frame, ground.frame); connect(axes.phi, f.phi_resolve);\n"
             "  connect(two.y, f.fx); connect(zero.y, f.fy); connect(zero.y, f.t);\n"
             "  connect(s.frame_a, ground.frame); connect(s.frame_b, m.frame_b);\nend T;\n",
             1, 1e-3, names, 7, v);
    /* half a metre per second squared along the axes of the ground */
    assert_close(v[0], 0.25, 1e-9);
    assert_close(v[1], 0, 1e-12);
    assert_close(v[2], 0, 1e-12);
    assert_close(v[3], 0.5, 1e-9);
    assert_close(v[4], 0, 1e-12);
    assert_close(v[5], 0.5, 1e-9);
    assert_close(v[6], 0, 1e-12);
}

/* 2 kg on a wheel: driven by 1 N.m it is accelerated as if it rolled, to the slip that the force
 * takes; pushed sideways it slides with mu_S N */
static void wheels(void **unused)
{
    (void)unused;
    static const char *const names[] = {"m.vx", "m.vy", "wheel.w"};
    static const char *const kinds[] = {"DryFrictionWheel", "SlipWheel"};
    for (int kind = 0; kind < 2; kind++)
        for (int sideways = 0; sideways < 2; sideways++) {
            char text[1000];
            double v[3], a = 1 / 0.2 / (2 + 0.01 / 0.04);
            snprintf(text, sizeof text,
                     "model T\n  inner Dialectic.World world(TD = 0, g = 0);\n"
                     "  Dialectic.Planar.Fixed ground; Dialectic.Planar.Body b(m = 2, I = 1);\n"
                     "  Dialectic.Planar.FreeMotion m(vy(start = %d));\n"
                     "  Dialectic.Planar.%s wheel(radius = 0.2, J = 0.01, N = 20);\n"
                     "  Signals.Constant drive(k = %d);\n"
                     "equation\n"
                     "  connect(ground.frame, m.frame_a); connect(m.frame_b, b.frame_a);\n"
                     "  connect(m.frame_b, wheel.frame); connect(drive.y, wheel.tau);\nend T;\n",
                     sideways ? 10 : 0, kinds[kind], sideways ? 0 : 1);
            run_text(text, 1, 1e-3, names, 3, v);
            if (sideways) {
                assert_close(v[1], 10 - 0.7 * 20 / 2, 1e-6);
                assert_close(v[0], 0, 1e-9);
            } else {
                assert_close(v[0], a, 0.03 * a);
                assert_close(v[0] - 0.2 * v[2], 0, 0.1);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_responses), cmocka_unit_test(characteristics),
        cmocka_unit_test(closed_loop),    cmocka_unit_test(no_windup),
        cmocka_unit_test(rational_delay), cmocka_unit_test(sources),
        cmocka_unit_test(losses),         cmocka_unit_test(resolved),
        cmocka_unit_test(wheels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
