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

typedef struct Watched {
    LiederObserver *observer;
    double *values;
} Watched;

static bool watch_row(void *user, double t, const double *x, LiederRow kind)
{
    const Watched *w = user;
    (void)kind;
    return lieder_observer_evaluate(w->observer, t, x, w->values) == LIEDER_DONE;
}

/* the same with events, by any solver; step 0: adaptive */
static void simulate_text(const char *text, double stop, LiederSolver solver, double step,
                          const char *const *names, size_t n, double *values)
{
    Lieder *session = lieder_create(NULL);
    assert_int_equal(lieder_load_text(session, "T.mo", text), LIEDER_DONE);
    LiederSystem *system = lieder_system_load(session, "T", NULL, 0, NULL, NULL);
    if (!system)
        lieder_diagnostic_print_all(session, stderr);
    assert_non_null(system);
    Watched w = {lieder_observer_create(system), values};
    for (size_t i = 0; i < n; i++)
        assert_true(lieder_observer_add(w.observer, names[i]) >= 0);
    LiederSimulateOptions options = lieder_simulate_defaults();
    options.stop = stop;
    options.solver = solver;
    options.step = step;
    options.tolerance = 1e-8;
    options.output = watch_row;
    options.user = &w;
    assert_int_equal(lieder_simulate(system, &options, NULL), LIEDER_DONE);
    lieder_observer_destroy(w.observer);
    lieder_system_destroy(system);
    lieder_destroy(session);
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
    static const char *const names[] = {"s.x",  "s.y",  "s.phi", "s.vx", "s.vy",
                                        "v.vx", "v.vy", "a.ax",  "a.ay"};
    double v[9];
    run_text("model T\n  inner Dialectic.World world(TD = 0, g = 0);\n"
             "  Dialectic.Planar.Fixed ground(r = {1, 2}, phi = 0.5);\n"
             "  Dialectic.Planar.Position p(x_start = 3, y_start = 4);\n"
             "  Signals.Constant x(k = 3), y(k = 4), zero(k = 0), two(k = 2);\n"
             "  Dialectic.Planar.FreeMotion m; Dialectic.Planar.Body b(m = 4, I = 1), c;\n"
             "  Dialectic.Planar.Force f(resolveIn = Dialectic.Planar.ResolveIn.given);\n"
             "  Dialectic.Planar.PositionSensor axes;\n"
             "  Dialectic.Planar.RelativeSensor s;\n"
             "  Dialectic.Planar.SpeedSensor v(resolveIn = Dialectic.Planar.ResolveIn.frame);\n"
             "  Dialectic.Planar.AccelerationSensor a(T = 1e-2);\n"
             "equation\n"
             "  connect(x.y, p.x_ref); connect(y.y, p.y_ref); connect(zero.y, p.phi_ref);\n"
             "  connect(p.frame, c.frame_a); connect(ground.frame, m.frame_a);\n"
             "  connect(m.frame_b, b.frame_a); connect(f.frame, b.frame_a);\n"
             "  connect(axes.frame, ground.frame); connect(axes.phi, f.phi_resolve);\n"
             "  connect(two.y, f.fx); connect(zero.y, f.fy); connect(zero.y, f.t);\n"
             "  connect(v.frame, m.frame_b); connect(a.frame, m.frame_b);\n"
             "  connect(s.frame_a, ground.frame); connect(s.frame_b, m.frame_b);\nend T;\n",
             1, 1e-3, names, 9, v);
    /* half a metre per second squared along the axes of the ground */
    assert_close(v[0], 0.25, 1e-9);
    assert_close(v[1], 0, 1e-12);
    assert_close(v[2], 0, 1e-12);
    assert_close(v[3], 0.5, 1e-9);
    assert_close(v[4], 0, 1e-12);
    assert_close(v[5], 0.5, 1e-9);
    assert_close(v[6], 0, 1e-12);
    assert_close(v[7], 0.5 * cos(0.5), 1e-9);
    assert_close(v[8], 0.5 * sin(0.5), 1e-9);
}

/* a body of 2 kg on a rod that a force across accelerates: what a cell between them feels, in the
 * axes of the rod */
static void force_cells(void **unused)
{
    (void)unused;
    static const char *const names[] = {"f.fx", "f.fy", "hinge.w", "tension.y"};
    double v[4];
    run_text("model T\n  inner Dialectic.World world(TD = 0, g = 0);\n"
             "  Dialectic.Planar.Fixed ground; Dialectic.Planar.Revolute hinge(w(start = 3));\n"
             "  Dialectic.Planar.FixedTranslation rod(r = {0.5, 0});\n"
             "  Dialectic.Planar.Body b(m = 2);\n"
             "  Dialectic.Planar.FilteredForceSensor f(\n"
             "    resolveIn = Dialectic.Planar.ResolveIn.frame, T = 1e-2);\n"
             "  Dialectic.Translational.Fixed wall; Dialectic.Translational.Joint j;\n"
             "  Dialectic.Translational.Body c(m = 3, g = 2);\n"
             "  Dialectic.Translational.FilteredForceSensor tension(T = 1e-2);\n"
             "equation\n"
             "  connect(ground.frame, hinge.frame_a); connect(hinge.frame_b, rod.frame_a);\n"
             "  connect(rod.frame_b, f.frame_a); connect(f.frame_b, b.frame_a);\n"
             "  connect(wall.flange_b, tension.flange_a); connect(tension.flange_b, j.flange_a);\n"
             "  connect(j.flange_b, c.flange_a);\nend T;\n",
             1, 1e-3, names, 4, v);
    /* the filter is in the axes of the world, where the force turns with 3 rad/s */
    double lag = atan(3 * 1e-2), size = 2 * 9 * 0.5 / sqrt(1 + 9e-4);
    assert_close(v[0], -size * cos(lag), 1e-7);
    assert_close(v[1], size * sin(lag), 1e-7);
    assert_close(v[2], 3, 1e-9);
    assert_close(v[3], 0, 1e-9); /* it falls freely */
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
                     "  Dialectic.Rotational.Torque motor; Signals.Constant drive(k = %d);\n"
                     "equation\n"
                     "  connect(ground.frame, m.frame_a); connect(m.frame_b, b.frame_a);\n"
                     "  connect(m.frame_b, wheel.frame); connect(motor.flange, wheel.flange);\n"
                     "  connect(drive.y, motor.tau);\nend T;\n",
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

/* A wheel that cannot slip carries 2 kg with the inertia J/r^2 added; it turns with 1 rad/s, so
 * that the ground has to push m v w across. Also with T_D, whose lag is v w T_D across; its axle
 * turns in both, though nothing of it is an unknown. */
static void ideal_wheel(void **unused)
{
    (void)unused;
    static const char *const names[] = {"wheel.v", "wheel.across", "wheel.f", "wheel.phi", "m.phi"};
    for (int dialectic = 0; dialectic < 2; dialectic++) {
        char text[1000];
        double v[5], a = 0.5 / 0.2 / (2 + 0.01 / 0.04), speed = 2 + a, TD = dialectic ? 1e-4 : 0;
        snprintf(
            text, sizeof text,
            "model T\n  inner Dialectic.World world(TD = %g, g = 0);\n"
            "  Dialectic.Planar.Fixed ground; Dialectic.Planar.Body b(m = 2, I = 0.3);\n"
            "  Dialectic.Planar.FreeMotion m(vx(start = 2), w(start = 1));\n"
            "  Dialectic.Planar.IdealWheel wheel(radius = 0.2);\n"
            "  Dialectic.Rotational.Inertia rim(J = 0.01); Dialectic.Rotational.Torque motor;\n"
            "  Signals.Constant drive(k = 0.5);\n"
            "equation\n"
            "  connect(ground.frame, m.frame_a); connect(m.frame_b, b.frame_a);\n"
            "  connect(m.frame_b, wheel.frame); connect(motor.flange, wheel.flange);\n"
            "  connect(rim.flange_a, wheel.flange); connect(drive.y, motor.tau);\nend T;\n",
            TD);
        run_text(text, 1, dialectic ? 1e-4 : 1e-3, names, 5, v);
        assert_close(v[0], speed, 1e-6 + 10 * TD);
        assert_close(v[1], -TD * speed, 1e-7 + 0.01 * TD);
        assert_close(v[2], 2 * speed, 1e-3 + 20 * TD);
        assert_close(v[3], (2 + a / 2) / 0.2, 1e-5 + 20 * TD);
        assert_close(v[4], 1, 1e-9);
    }
}

/* down a slope: g sin(0.5)/(1 + I/(m r^2)) */
static void rolling_disc(void **unused)
{
    (void)unused;
    static const char *const names[] = {"roll.s", "b.frame_a.x", "b.frame_a.phi"};
    double v[3], a = 9.81 * sin(0.5) / 1.5, s = a / 2;
    run_text(
        "model T\n  inner Dialectic.World world(TD = 0);\n"
        "  Dialectic.Planar.Fixed slope(phi = -0.5); Dialectic.Planar.Body b(m = 2, I = 0.09);\n"
        "  Dialectic.Planar.RollingDisc roll(radius = 0.3);\n"
        "equation\n"
        "  connect(slope.frame, roll.frame_a); connect(roll.frame_b, b.frame_a);\nend T;\n",
        1, 1e-2, names, 3, v);
    assert_close(v[0], s, 1e-9);
    assert_close(v[1], s * cos(0.5) + 0.3 * sin(0.5), 1e-9);
    assert_close(v[2], -0.5 - s / 0.3, 1e-9);
}

/* a planetary gear whose ring rests: the carrier has a third of the velocity of the sun, the planet
 * minus it; with T_D = h = 1 ms on teeth of 1e6 N/m, through more than a turn of the carrier */
static void planetary_gear(void **unused)
{
    (void)unused;
    static const char *const names[] = {"sun.w", "carrier.w", "planet.w", "carrier.phi"};
    double v[4], I = 0.02 + (0.01 + 0.5 * 0.09) / 9 + 0.005;
    run_text(
        "model T\n  inner Dialectic.World world(TD = 1e-3, g = 0);\n"
        "  Dialectic.Planar.Fixed ground; Dialectic.Planar.Revolute sun, carrier, planet;\n"
        "  Dialectic.Planar.FixedTranslation arm(r = {0.3, 0});\n"
        "  Dialectic.Planar.Body a(m = 1, I = 0.02), b(m = 0.5, I = 0.005), c(m = 0, I = 0.01);\n"
        "  Dialectic.Planar.GearContact inner1(radius_a = 0.2, radius_b = 0.1, c = 1e6, d = 100);\n"
        "  Dialectic.Planar.GearContact ring(radius_a = 0.4, radius_b = 0.1, teeth = 40,\n"
        "    internal = true, c = 1e6, d = 100);\n"
        "  Dialectic.Rotational.Torque t; Signals.Constant k(k = 0.5);\n"
        "equation\n"
        "  connect(ground.frame, sun.frame_a); connect(sun.frame_b, a.frame_a);\n"
        "  connect(ground.frame, carrier.frame_a); connect(carrier.frame_b, arm.frame_a);\n"
        "  connect(carrier.frame_b, c.frame_a); connect(arm.frame_b, planet.frame_a);\n"
        "  connect(planet.frame_b, b.frame_a); connect(sun.frame_b, inner1.frame_a);\n"
        "  connect(planet.frame_b, inner1.frame_b); connect(ground.frame, ring.frame_a);\n"
        "  connect(planet.frame_b, ring.frame_b); connect(t.flange, sun.flange_a);\n"
        "  connect(k.y, t.tau);\nend T;\n",
        2, 1e-3, names, 4, v);
    assert_close(v[0], 0.5 / I * 2, 1e-6);
    assert_close(v[1], v[0] / 3, 1e-6);
    assert_close(v[2] + v[1], -v[0], 1e-6);
    assert_true(v[3] > 2 * M_PI);
}

/* 3 N.m less the bearing's 0.1 accelerate J_a and, through teeth that lose a tenth, ratio^2 J_b */
static void lossy_gear(void **unused)
{
    (void)unused;
    static const char *const names[] = {"gear.box.w", "oil.T", "gear.box.phi",
                                        "housing.flange_b.tau_el", "housing.flange_b.tau_ki"};
    double v[5], a = 2.9 / (0.1 + 0.08 / 0.9);
    simulate_text(
        "model T\n  inner Dialectic.World world(TD = 0);\n"
        "  Dialectic.Rotational.Fixed housing;\n"
        "  Dialectic.Rotational.Inertia motor(J = 0.1), load(J = 2);\n"
        "  Dialectic.Rotational.LossyGear gear(ratio = 0.2,\n"
        "    lossTable = [0, 0.9, 0.9, 0.1, 0.1]);\n"
        "  Thermal.HeatCapacitor oil(C = 10); Thermal.PrescribedHeatFlow heat;\n"
        "  Dialectic.Rotational.Torque t; Signals.Constant three(k = 3);\n"
        "equation\n"
        "  connect(t.flange, motor.flange_a); connect(three.y, t.tau);\n"
        "  connect(motor.flange_a, gear.flange_a); connect(gear.flange_b, load.flange_a);\n"
        "  connect(gear.support, housing.flange_b); connect(gear.lossPower, heat.Q_flow);\n"
        "  connect(heat.port, oil.port);\nend T;\n",
        1, LIEDER_RODAS4, 0, names, 5, v);
    assert_close(v[0], a, 2e-3);
    /* what the motor gave is in the inertias or in the oil */
    assert_close(10 * (v[1] - 293.15), 3 * v[2] - 0.5 * 0.18 * v[0] * v[0], 1e-5);
    /* the housing is held against what both shafts leave over: J_a' s part and the load's */
    assert_close(v[3] + v[4], 3 - 0.1 * a - 2 * 0.2 * a, 1e-2);
}

/* The other way round the load drives the motor, which gets nine tenths. And a housing that turns
 * by itself, with shafts against each other: 5.1 Om' - 1.9 w' = 2, -1.9 Om' + 2.1 w' = 2. */
static void driven_gear(void **unused)
{
    (void)unused;
    static const char *const names[] = {"gear.box.w"}, *const both[] = {"box.w", "gear.box.w"};
    double v[2];
    simulate_text(
        "model T\n  inner Dialectic.World world(TD = 0);\n"
        "  Dialectic.Rotational.Fixed housing;\n"
        "  Dialectic.Rotational.Inertia motor(J = 0.1), load(J = 2);\n"
        "  Dialectic.Rotational.LossyGear gear(ratio = 0.2,\n"
        "    lossTable = [0, 0.8, 0.9, 0, 0]);\n"
        "  Dialectic.Rotational.Torque t; Signals.Constant ten(k = 10);\n"
        "equation\n"
        "  connect(t.flange, load.flange_a); connect(ten.y, t.tau);\n"
        "  connect(motor.flange_a, gear.flange_a); connect(gear.flange_b, load.flange_a);\n"
        "  connect(gear.support, housing.flange_b);\nend T;\n",
        1, LIEDER_RODAS4, 0, names, 1, v);
    assert_close(v[0], 0.9 * 2 / (0.1 + 0.9 * 0.08), 2e-3);
    simulate_text(
        "model T\n  inner Dialectic.World world(TD = 0);\n"
        "  Dialectic.Rotational.Fixed ground; Dialectic.Rotational.Joint box(w(start = 1));\n"
        "  Dialectic.Rotational.Inertia housing(J = 3), a(J = 0.1), b(J = 2);\n"
        "  Dialectic.Rotational.LossyGear gear(ratio = -1);\n"
        "  Dialectic.Rotational.Torque t; Signals.Constant two(k = 2);\n"
        "equation\n"
        "  connect(ground.flange_b, box.flange_a); connect(box.flange_b, housing.flange_a);\n"
        "  connect(gear.support, box.flange_b); connect(a.flange_a, gear.flange_a);\n"
        "  connect(gear.flange_b, b.flange_a); connect(t.flange, gear.flange_a);\n"
        "  connect(two.y, t.tau);\nend T;\n",
        1, LIEDER_RK4, 1e-3, both, 2, v);
    assert_close(v[0], 1 + 8 / 7.1, 1e-9);
    assert_close(v[1], 14 / 7.1, 1e-9);
}

/* A worm gear holds 1 N.m of its load, at shaft a, by itself. 3 N.m turn it upward: J w' = 3 -
 * 0.01 - (1 + 0.0008 w')/0.4. It comes to rest, holds against 0.15 N.m downward, and goes down with
 * 0.3 N.m: 0.01 w' = -0.3 - (1 + 0.0008 w') + 1.2 (1 + 0.0008 w') + 0.01, fixed steps and not. */
static void worm_gear(void **unused)
{
    (void)unused;
    static const char *const names[] = {"gear.box.phi", "gear.box.w", "gear.friction.mode"};
    static const char text[] =
        "model T\n  inner Dialectic.World world(TD = 0);\n"
        "  parameter Real drive[:, 2] = [0, 0; 1, 0; 1, 3; 2, 3; 2, 0; 3, 0; 3, -0.15; 4, -0.15;\n"
        "    4, -0.3; 9, -0.3];\n"
        "  Dialectic.Rotational.Fixed housing;\n"
        "  Dialectic.Rotational.Inertia motor(J = 0.01), load(J = 2);\n"
        "  Dialectic.Rotational.LossyGear gear(ratio = 0.02,\n"
        "    lossTable = [0, 0.4, -0.2, 0.01, 0.01; 100, 0.4, -0.2, 0.01, 0.01]);\n"
        "  Dialectic.Rotational.Torque t, weight; Signals.Constant down(k = -50);\n"
        "  Signals.TimeTable table(table = drive);\n"
        "equation\n"
        "  connect(t.flange, motor.flange_a); connect(table.y, t.tau);\n"
        "  connect(motor.flange_a, gear.flange_a); connect(gear.flange_b, load.flange_a);\n"
        "  connect(weight.flange, load.flange_a); connect(down.y, weight.tau);\n"
        "  connect(gear.support, housing.flange_b);\nend T;\n";
    double up = 0.49 / 0.012, down = -0.09 / (0.01 - 0.2 * 0.0008), v[3], rest;
    for (int fixed = 0; fixed < 2; fixed++) {
        const LiederSolver solver = fixed ? LIEDER_RK4 : LIEDER_RODAS4;
        const double h = fixed ? 1e-4 : 0;
        simulate_text(text, 0.99, solver, h, names, 3, v);
        assert_close(v[0], 0, 1e-3); /* what it sinks until the loss knows the load, in T = 1 ms */
        assert_true(v[2] == 0 && fabs(v[1]) < 1e-8);
        simulate_text(text, 2, solver, h, names, 3, v);
        assert_close(v[1], up, 1e-2 * up);
        simulate_text(text, 2.99, solver, h, names, 3, v);
        rest = v[0];
        assert_true(v[2] == 0 && fabs(v[1]) < 1e-8 && rest > 20);
        simulate_text(text, 3.99, solver, h, names, 3, v);
        assert_true(v[2] == 0 && fabs(v[1]) < 1e-8 && fabs(v[0] - rest) < 1e-6);
        simulate_text(text, 5, solver, h, names, 3, v);
        assert_close(v[1], down, 2e-2 * fabs(down));
    }
}

/* 2 kg on a table that bends at 1 m, heated by two elements that meet in one capacity */
static void springs(void **unused)
{
    (void)unused;
    static const char *const names[] = {"j.s", "warm.T", "spring.f"};
    double v[3];
    run_text(
        "model T\n  inner Dialectic.World world(TD = 0);\n"
        "  Dialectic.Translational.Fixed wall; Dialectic.Translational.Joint j(s(start = 1.5));\n"
        "  Dialectic.Translational.Body b(m = 2, g = 0);\n"
        "  Dialectic.Translational.TableSpring spring(table = [0, 0; 1, 10; 2, 30]);\n"
        "  Dialectic.Translational.HeatingSpringDamper oil(c = 0, d = 20);\n"
        "  Dialectic.Translational.HeatingFriction pad(f_Coulomb = 0.1, v_small = 0.1);\n"
        "  Thermal.HeatCapacitor warm(C = 4);\n"
        "equation\n"
        "  connect(wall.flange_b, j.flange_a); connect(j.flange_b, b.flange_a);\n"
        "  connect(wall.flange_b, spring.flange_a); connect(spring.flange_b, b.flange_a);\n"
        "  connect(wall.flange_b, oil.flange_a); connect(oil.flange_b, b.flange_a);\n"
        "  connect(wall.flange_b, pad.flange_a); connect(pad.flange_b, b.flange_a);\n"
        "  connect(oil.heatPort, warm.port); connect(pad.heatPort, warm.port);\nend T;\n",
        20, 1e-3, names, 3, v);
    assert_close(v[0], 0, 1e-3);
    assert_close(v[2], 10 * v[0], 1e-12);
    /* 10/2 up to 1 m, (10 + 20)/2 * 0.5 beyond, all of it heat */
    assert_close(4 * (v[1] - 293.15), 5 + 7.5, 1e-3);
    /* as stiff as SpringDamper may be, with steps of T_D: a mass comes to rest on a floor that
     * warms up, a disc on a spring */
    static const char *const line[] = {"j.s", "warm.T"}, *const axis[] = {"shaft.phi", "warm.T"};
    run_text("model T\n  inner Dialectic.World world(TD = 1e-3);\n"
             "  Dialectic.Translational.Fixed wall; Dialectic.Translational.Body b(m = 2);\n"
             "  Dialectic.Translational.Joint j(s(start = 0.1));\n"
             "  Dialectic.Translational.HeatingElastoGap floor(c = 1e6, d = 100);\n"
             "  Thermal.HeatCapacitor warm(C = 4);\n"
             "equation\n"
             "  connect(wall.flange_b, j.flange_a); connect(j.flange_b, b.flange_a);\n"
             "  connect(wall.flange_b, floor.flange_a); connect(floor.flange_b, b.flange_a);\n"
             "  connect(floor.heatPort, warm.port);\nend T;\n",
             1, 1e-3, line, 2, v);
    assert_close(v[0], -2 * 9.81 / 1e6, 1e-9);
    assert_true(v[1] > 293.2 && v[1] < 293.15 + 2 * 9.81 * 0.1 / 4);
    run_text("model T\n  inner Dialectic.World world(TD = 1e-3);\n"
             "  Dialectic.Rotational.Fixed box; Dialectic.Rotational.Joint shaft(w(start = 1));\n"
             "  Dialectic.Rotational.Inertia disc(J = 2);\n"
             "  Dialectic.Rotational.HeatingSpringDamper spring(c = 1e6, d = 100);\n"
             "  Thermal.HeatCapacitor warm(C = 4);\n"
             "equation\n"
             "  connect(box.flange_b, shaft.flange_a); connect(shaft.flange_b, disc.flange_a);\n"
             "  connect(box.flange_b, spring.flange_a); connect(spring.flange_b, disc.flange_a);\n"
             "  connect(spring.heatPort, warm.port);\nend T;\n",
             1, 1e-3, axis, 2, v);
    assert_close(v[0], 0, 1e-9);
    assert_true(v[1] > 293.16 && v[1] < 293.15 + 1.0 / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_responses), cmocka_unit_test(characteristics),
        cmocka_unit_test(closed_loop),    cmocka_unit_test(no_windup),
        cmocka_unit_test(rational_delay), cmocka_unit_test(sources),
        cmocka_unit_test(losses),         cmocka_unit_test(resolved),
        cmocka_unit_test(wheels),         cmocka_unit_test(force_cells),
        cmocka_unit_test(ideal_wheel),    cmocka_unit_test(rolling_disc),
        cmocka_unit_test(planetary_gear), cmocka_unit_test(lossy_gear),
        cmocka_unit_test(springs),        cmocka_unit_test(driven_gear),
        cmocka_unit_test(worm_gear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
