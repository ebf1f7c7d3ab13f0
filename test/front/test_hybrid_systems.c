/* test_hybrid_systems.c - relations that decide their own values in own classes: ideal diodes,
 * friction, sliding, feedback; own contacts and controllers beside the library. */
#include "hybrid_help.h"
#include "starved.h"

/* ------------------------------------------------------------------ mixed systems */

static const char *const rectifier =
    "model M\n"
    "  parameter Real L = 0.1, R = 2, Ron = 1e-5, Goff = 1e-5, w = 10;\n"
    "  Real i(start = 0, fixed = true), u, s, v;\n"
    "  Boolean off(start = true);\n"
    "equation\n"
    "  u = sin(w*time);\n"
    "  L*der(i) = u - v - R*i;\n"
    "  off = s < 0;\n"
    "  v = s*(if off then 1 else Ron);\n"
    "  i = s*(if off then Goff else 1);\n"
    "end M;\n";

/* a diode, a coil, a resistance: the current rises and falls to zero, then nothing flows until the
 * next period */
static void test_diode(void **state)
{
    (void)state;
    Built b = build(rectifier);
    double w = 10, L = 0.1, R = 2 + 1e-5, z2 = R * R + w * w * L * L;
    for (double t = 0.05; t < 0.6; t += 0.11) {
        Run r = run(&b, t, "i off");
        /* conducting from 0: i = (R sin wt - wL cos wt + wL exp(-R t / L)) / z2, until it is zero
         */
        double i = (R * sin(w * t) - w * L * cos(w * t) + w * L * exp(-R * t / L)) / z2;
        bool conducts = i > 0 && t < 0.45;
        if (conducts)
            assert_near(r.last[0], i, 1e-6);
        else
            assert_true(fabs(r.last[0]) < 2e-5);
        assert_true(r.last[1] == !conducts);
        run_drop(&r);
    }
    drop(&b);
}

/* An ideal diode straight into a capacitor: while it conducts nothing decides the current. The
 * model is named, not the solver behind. */
static void test_diode_into_capacitor(void **state)
{
    (void)state;
    static const LiederSolver solvers[] = {LIEDER_BDF, LIEDER_ESDIRK23};
    for (size_t k = 0; k < 2; k++) {
        Built b = build("model M\n"
                        "  Real u, i, s, uc(start = 0, fixed = true);\n"
                        "  Boolean off;\n"
                        "equation\n"
                        "  off = s < 0;\n"
                        "  u = if off then s else 0;\n"
                        "  i = if off then 0 else s;\n"
                        "  u + uc = sin(time);\n"
                        "  der(uc) = i;\n"
                        "end M;\n");
        LiederSimulateOptions o = adaptive(5);
        o.solver = solvers[k];
        assert_true(lieder_simulate(b.system, &o, NULL) < 0);
        assert_message(&b, "nothing decides s (test.mo:6:3)");
        drop(&b);
    }
}

/* A charger with constant current, then constant voltage: v >= limit holds as long as it makes v
 * the limit, so both are solutions at the start, and the start value of the Boolean says which. */
static void test_start_of_mode(void **state)
{
    (void)state;
    static const char *const relations[] = {"v >= 4", "not v < 4", "v > 4", "not v <= 4"};
    static const LiederSolver solvers[] = {LIEDER_BDF, LIEDER_RK4};
    for (size_t k = 0; k < sizeof relations / sizeof *relations; k++)
        for (int full = 0; full < 2; full++)
            for (size_t s = 0; s < 2; s++) {
                char text[400];
                snprintf(text, sizeof text,
                         "model M\n"
                         "  Real v, i, q(start = 3, fixed = true);\n"
                         "  Boolean full(start = %s, fixed = true);\n"
                         "equation\n"
                         "  full = %s;\n"
                         "  if full then v = 4; else i = 0.5; end if;\n"
                         "  v = q + 0.2*i;\n"
                         "  der(q) = i;\n"
                         "end M;\n",
                         full ? "true" : "false", relations[k]);
                Built b = build(text);
                LiederSimulateOptions o = adaptive(3);
                o.solver = solvers[s];
                if (o.solver == LIEDER_RK4)
                    o.step = o.interval = 1e-3;
                Run r = run_with(&b, o, "q full");
                /* 0.5 A until q = 3.9 at 1.8 s; or 4 V from the start */
                double q = full ? 4 - exp(-3 / 0.2) : 4 - 0.1 * exp(-1.2 / 0.2);
                assert_int_equal(r.status, LIEDER_DONE);
                assert_near(r.last[0], q, o.solver == LIEDER_RK4 ? 1e-4 : 1e-5);
                assert_true(r.last[1] == 1);
                run_drop(&r);
                drop(&b);
            }
}

/* thyristor: off = s < 0 or pre(off) and not fire; phase control of a resistance */
static void test_thyristor(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  parameter Real R = 2, angle = 1;\n"
                    "  constant Real w = 6.283185307179586;\n"
                    "  Real i, u, s, v, q(start = 0, fixed = true);\n"
                    "  Boolean off(start = true), fire;\n"
                    "equation\n"
                    "  u = sin(w*time);\n"
                    "  fire = mod(w*time, 2*3.141592653589793) >= angle and mod(w*time, "
                    "2*3.141592653589793) < angle + 0.2;\n"
                    "  off = s < 0 or pre(off) and not fire;\n"
                    "  u = v + R*i;\n"
                    "  v = s*(if off then 1 else 0);\n"
                    "  i = s*(if off then 0 else 1);\n"
                    "  der(q) = i;\n"
                    "end M;\n");
    Run r = run(&b, 3, "q i");
    /* charge of a half wave from the angle on: (1 + cos(angle)) / (R w) */
    assert_near(r.last[0], 3 * (1 + cos(1)) / (2 * 6.283185307179586), 1e-7);
    run_drop(&r);
    drop(&b);
}

static void test_stick_slip(void **state)
{
    (void)state;
    char *text = read_model("stick_slip.mo");
    Built b = build(text);
    Run r = run(&b, 20, "x v sticks");
    /* sticks until c x = f_stick; then m x'' = f_slip - c x from (0.2, 0.1) until x' = 0.1 again */
    double c = 10, belt = 0.1, x0 = 0.2, w = sqrt(c), a = x0 - 0.1, t = 0, x = 0, v = belt;
    for (;;) {
        double until = t + (0.2 - x) / belt;
        if (until > 20) {
            x += belt * (20 - t);
            break;
        }
        t = until;
        /* about 0.1: a cos + belt / w sin; velocity is belt again at the mirrored place */
        double phase = atan2(belt / w, a), back = (M_PI + 2 * phase) / w;
        if (t + back > 20) {
            double d = 20 - t;
            x = 0.1 + a * cos(w * d) + belt / w * sin(w * d);
            v = -a * w * sin(w * d) + belt * cos(w * d);
            break;
        }
        t += back;
        x = 0.1 + a * cos(w * back) + belt / w * sin(w * back);
    }
    assert_near(r.last[0], x, 1e-5);
    assert_near(r.last[1], v, 1e-5);
    run_drop(&r);
    drop(&b);
    free(text);
}

/* Both sides lead back to the surface: it slides along it until one side leads away, by every
 * solver that locates events; what depends on the side is the mixture. u = -0.8 t until t = 1.25.
 */
static void test_sliding(void **state)
{
    (void)state;
    static const LiederSolver solvers[] = {LIEDER_BDF, LIEDER_RK45, LIEDER_RODAS4, LIEDER_ESDIRK23};
    for (int k = 0; k < 4; k++) {
        Built b = build("model M\n"
                        "  Real x(start = 0.5, fixed = true), y(start = 0, fixed = true), u;\n"
                        "  Boolean up = x < 0;\n"
                        "equation\n"
                        "  u = -sign(x);\n"
                        "  der(x) = u + 0.8*time;\n"
                        "  der(y) = u;\n"
                        "end M;\n");
        LiederSimulateOptions o = adaptive(1.2);
        o.solver = solvers[k];
        o.tolerance = 1e-8;
        Run r = run_with(&b, o, "x u y");
        assert_int_equal(r.status, LIEDER_DONE);
        assert_message(&b, "slides along it");
        double begin = (1 - sqrt(0.2)) / 0.8; /* 0.5 - t + 0.4 t^2 = 0 */
        assert_near(r.last[0], 0, 1e-6);
        assert_near(r.last[1], -0.96, 1e-4);
        assert_near(r.last[2], -begin - 0.4 * (1.44 - begin * begin), 1e-5);
        run_drop(&r);
        o.stop = 2;
        r = run_with(&b, o, "x u");
        assert_near(r.last[0], 0.4 * (4 - 1.5625) - 0.75, 1e-5);
        assert_near(r.last[1], -1, 1e-9);
        run_drop(&r);
        o.chatter = LIEDER_CHATTER_STOP;
        r = run_with(&b, o, "x u");
        assert_int_equal(r.status, LIEDER_GAVE_UP);
        run_drop(&r);
        drop(&b);
    }
    Built b = build("model M\n"
                    "  Real x(start = 0.5, fixed = true), y(start = 1, fixed = true);\n"
                    "equation\n"
                    "  der(x) = if x > 0 then -1 else 1;\n"
                    "  der(y) = if y > 0 then -1 else 1 + 0*x;\n"
                    "end M;\n");
    Run r = run_with(&b, adaptive(2), "x");
    assert_int_equal(r.status, LIEDER_GAVE_UP);
    assert_message(&b, "slides already, and one at a time can");
    run_drop(&r);
    drop(&b);
}

/* A trigger with positive feedback before an integrator: at x = 0 both limits and the unstable
 * point between them are solutions, and the simplified value names one, here through a variable.
 * The output jumps at |x| = 0.8, so that x is a triangle with a period of 1.6. */
static void test_mode_by_homotopy(void **state)
{
    (void)state;
    static const char *const limits[] = {"low", "high", "named"};
    for (int k = 0; k < 3; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "model M\n"
                 "  parameter Real low = -2, high = 2;\n"
                 "  Real x(start = 0, fixed = true), y, u, named;\n"
                 "equation\n"
                 "  named = low;\n"
                 "  u = 10*(x + y/2);\n"
                 "  y = homotopy(actual = smooth(0, if u > high then high else if u < low then low"
                 " else u), simplified = %s);\n"
                 "  der(x) = -y;\n"
                 "end M;\n",
                 limits[k]);
        Built b = build(text);
        Run r = run(&b, 2.6, "x y");
        double sign = k == 1 ? -1 : 1; /* high: everything the other way round */
        assert_int_equal(r.status, LIEDER_DONE);
        assert_near(r.rows[2], -2 * sign, 1e-12);
        assert_near(r.last[0], -0.4 * sign, 1e-8);
        assert_near(r.last[1], 2 * sign, 1e-12);
        run_drop(&r);
        drop(&b);
    }
}

/* A limited amplifier with positive feedback: where its solution ends the next one is found among
 * all combinations of its modes, and stays until it ends itself. Limits: 7.5 - u = 0.15 and back.
 */
static void test_feedback(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  Real u = 20*sin(time), e, y;\n"
                    "  discrete Real down(start = 0, fixed = true), up(start = 0, fixed = true);\n"
                    "equation\n"
                    "  e = 0.5*y - u;\n"
                    "  y = if 100*e > 15 then 15 elseif 100*e < -15 then -15 else 100*e;\n"
                    "  when y < -14 then\n"
                    "    down = time;\n"
                    "  end when;\n"
                    "  when y > 14 then\n"
                    "    up = time;\n"
                    "  end when;\n"
                    "end M;\n");
    double limit = asin(7.35 / 20), pi = 3.14159265358979323846;
    Run r = run_with(&b, adaptive(7), "y down up");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_near(r.last[0], -15, 1e-9);
    assert_near(r.last[1], 2 * pi + limit, 1e-6);
    assert_near(r.last[2], pi + limit, 1e-6);
    run_drop(&r);
    drop(&b);
}

/* ------------------------------------------------------------------ beside the library */

static const char *const beside =
    "model Stop \"elastic contact\"\n"
    "  Dialectic.Translational.Flange flange_a, flange_b;\n"
    "  parameter Real c = 1000;\n"
    "  Real gap;\n"
    "  Boolean closed;\n"
    "  Integer contacts(start = 0);\n"
    "equation\n"
    "  gap = flange_b.s - flange_a.s;\n"
    "  closed = gap < 0;\n"
    "  flange_b.f_el = if closed then c*gap else 0;\n"
    "  flange_b.f_ki = 0;\n"
    "  flange_a.f_el + flange_b.f_el = 0;\n"
    "  flange_a.f_ki = 0;\n"
    "  when closed then\n"
    "    contacts = pre(contacts) + 1;\n"
    "  end when;\n"
    "end Stop;\n"
    "block Sampled\n"
    "  input Real u;\n"
    "  output Real y(start = 0);\n"
    "  discrete Real last(start = 0);\n"
    "equation\n"
    "  when sample(0, 0.1) then\n"
    "    last = u;\n"
    "    y = -4*u - 3*(u - pre(last))/0.1;\n"
    "  end when;\n"
    "end Sampled;\n"
    "model Throw\n"
    "  inner Dialectic.World world(TD = 0);\n"
    "  Dialectic.Translational.Fixed fixed;\n"
    "  Dialectic.Translational.Joint joint(s(start = 0.5), v(start = -1));\n"
    "  Dialectic.Translational.Body mass(m = 2, g = 0);\n"
    "  Stop stop;\n"
    "equation\n"
    "  connect(fixed.flange_b, joint.flange_a);\n"
    "  connect(joint.flange_b, mass.flange_a);\n"
    "  connect(fixed.flange_b, stop.flange_a);\n"
    "  connect(joint.flange_b, stop.flange_b);\n"
    "end Throw;\n"
    "model Control\n"
    "  inner Dialectic.World world(TD = 0);\n"
    "  Dialectic.Translational.Fixed fixed;\n"
    "  Dialectic.Translational.Joint joint(s(start = 1));\n"
    "  Dialectic.Translational.Body mass(m = 2, g = 0);\n"
    "  Dialectic.Translational.PositionSensor sensor;\n"
    "  Dialectic.Translational.Force force;\n"
    "  Sampled control;\n"
    "equation\n"
    "  connect(fixed.flange_b, joint.flange_a);\n"
    "  connect(joint.flange_b, mass.flange_a);\n"
    "  connect(joint.flange_b, sensor.flange);\n"
    "  connect(joint.flange_b, force.flange);\n"
    "  connect(sensor.y, control.u);\n"
    "  connect(control.y, force.f);\n"
    "end Control;\n";

/* an own contact between library flanges: a mass comes in with 1 m/s and leaves after half a period
 */
static void test_own_contact(void **state)
{
    (void)state;
    Built b = build_class(beside, "Throw");
    Run r = run(&b, 1.5, "joint.s joint.v stop.contacts");
    double half = M_PI / sqrt(1000.0 / 2);
    assert_near(r.last[0], 1.5 - 0.5 - half, 1e-6);
    assert_near(r.last[1], 1, 1e-6);
    assert_true(r.last[2] == 1);
    run_drop(&r);
    drop(&b);
}

/* an own sampled controller between a sensor and a force of the library, against its recurrence */
static void test_own_controller(void **state)
{
    (void)state;
    Built b = build_class(beside, "Control");
    double s = 1, v = 0, last = 0, T = 0.1, m = 2;
    for (int k = 0; k < 20; k++) {
        double f = -4 * s - 3 * (s - last) / T;
        last = s;
        s += v * T + f / m * T * T / 2;
        v += f / m * T;
    }
    Run r = run(&b, 2, "joint.s joint.v");
    assert_near(r.last[0], s, 1e-7);
    assert_near(r.last[1], v, 1e-7);
    run_drop(&r);
    r = run_with(&b, fixed(2, 0.01), "joint.s joint.v");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_near(r.last[0], s, 1e-9);
    run_drop(&r);
    drop(&b);
}

/* fixed steps see events at their ends */
static void test_fixed_steps(void **state)
{
    (void)state;
    char *text = read_model("bouncing_ball.mo");
    Built b = build(text);
    Run r = run_with(&b, fixed(1, 1e-4), "h bounces");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_true(r.last[1] == 1);
    run_drop(&r);
    drop(&b);
    free(text);
    b = build(rectifier);
    r = run_with(&b, fixed(0.2, 1e-4), "i off");
    assert_int_equal(r.status, LIEDER_DONE);
    double w = 10, L = 0.1, R = 2 + 1e-5, t = 0.2;
    assert_near(r.last[0],
                (R * sin(w * t) - w * L * cos(w * t) + w * L * exp(-R * t / L)) /
                    (R * R + w * w * L * L),
                1e-4);
    run_drop(&r);
    drop(&b);
}

static void test_memory(void **state)
{
    (void)state;
    char *text = read_model("bouncing_ball.mo");
    starve((Starved){.text = text, .class_name = "BouncingBall", .finer = 16});
    free(text);
}

/* A stiff loop of hysteresis: what the tolerance leaves in der(h), 1e-6/1e-8, is more than its
 * values. Up to 1 with the slope 2, down to -1 with 1, up to 0 with 2. */
static void test_stiff_mode(void **state)
{
    (void)state;
    static const LiederSolver solvers[] = {LIEDER_BDF, LIEDER_RODAS4};
    Built b = build("model M\n"
                    "  Real h(start = 0, fixed = true), b(start = 0, fixed = true);\n"
                    "  Boolean up = der(h) > 0;\n"
                    "equation\n"
                    "  der(b) = (if up then 2 else 1)*der(h);\n"
                    "  1e-8*der(b) = sin(6.283185307179586*time) - h;\n"
                    "end M;\n");
    for (size_t k = 0; k < 2; k++) {
        LiederSimulateOptions o = adaptive(1);
        o.solver = solvers[k];
        o.tolerance = 1e-6;
        Run r = run_with(&b, o, "b");
        assert_near(r.last[0], 2, 1e-3);
        run_drop(&r);
    }
    drop(&b);
}

/* Two brakes on one mass. It stops at 0.5 s, where both could hold it, and no equation says how
 * they share the force. The weaker one was about to let go forwards when it stopped, and does; the
 * other one holds the rest, until the force is greater than both at 0.75 s. */
static void test_two_brakes(void **state)
{
    (void)state;
    Built b = build(
        "model M\n"
        "  model Brake\n    parameter Real f0 = 1;\n    input Real v, a;\n    Real f, s;\n"
        "    Boolean forward(start = false, fixed = true), backward(start = false, fixed = true);\n"
        "    Boolean holds;\n    Integer mode(start = 0, fixed = true);\n  equation\n"
        "    forward = pre(mode) == 0 and s > f0;\n    backward = pre(mode) == 0 and s < -f0;\n"
        "    holds = pre(mode) == 0 and not forward and not backward;\n"
        "    a = if holds then 0 else if forward or pre(mode) == 1 then s - f0 else s + f0;\n"
        "    f = if holds then s else if forward or pre(mode) == 1 then f0 else -f0;\n"
        "    mode = if (pre(mode) == 1 or forward) and v > 0 then 1 else\n"
        "      if (pre(mode) == -1 or backward) and v < 0 then -1 else 0;\n  end Brake;\n"
        "  Real v(start = 0, fixed = true), a, F = 10*time - 5;\n"
        "  Brake first(f0 = 0.5, v = v, a = a), second(f0 = 2, v = v, a = a);\n"
        "equation\n  der(v) = a;\n  a = F - first.f - second.f;\nend M;\n");
    for (double t = 0.52; t < 0.74; t += 0.07) {
        Run r = run(&b, t, "v first.f second.f");
        assert_near(r.last[0], 0, 1e-9);
        assert_near(r.last[1], 0.5, 1e-9);
        assert_near(r.last[2], 10 * t - 5.5, 1e-9);
        run_drop(&r);
    }
    Run r = run(&b, 1, "v");
    assert_near(r.last[0], 0.3125, 1e-8);
    run_drop(&r);
    drop(&b);
}

/* Twelve values cross zero together, so slowly that the rounding of what they are differences of
 * has any sign for a while: each has one event, whatever those of the others look at meanwhile. */
static void test_crossing_in_rounding(void **state)
{
    (void)state;
    Built b = build("model M\n  parameter Real a = 100, k = 0.01, t0 = 0.3;\n"
                    "  discrete Integer n[12](each start = 0, each fixed = true);\n"
                    "  Real v[12], x(start = 0, fixed = true);\n  Integer total = sum(n);\n"
                    "equation\n  der(x) = if v[1] > 0 then 1 else -1;\n"
                    "  for i in 1:12 loop\n"
                    "    v[i] = a*(sin(1000*time + i)^2 + cos(1000*time + i)^2) - a - k*(time - "
                    "t0);\n"
                    "    when {v[i] > 0, v[i] < 0} then\n      n[i] = pre(n[i]) + 1;\n"
                    "    end when;\n  end for;\nend M;\n");
    static const LiederSolver solvers[] = {LIEDER_BDF, LIEDER_RK45, LIEDER_RODAS4, LIEDER_ESDIRK23};
    for (size_t i = 0; i < 16; i++) {
        const double t0 = 0.1 + 0.053 * (double)i;
        assert_int_equal(lieder_system_set(b.system, "t0", t0), LIEDER_DONE);
        LiederSimulateOptions o = lieder_simulate_defaults();
        o.stop = 1;
        o.solver = solvers[i % 4];
        Run r = run_with(&b, o, "total x");
        assert_int_equal(r.status, LIEDER_DONE);
        assert_true(r.last[0] == 12);
        assert_near(r.last[1], 2 * t0 - 1, 1e-9);
        run_drop(&r);
    }
    drop(&b);
}

/* Two solutions z = a and z = a - 2 that move by more than their distance in a step: a guess of
 * the step before leads to the wrong one, and the run stays on its own, which it says once. */
static void test_branch_goes_on(void **state)
{
    (void)state;
    const LiederSolver solvers[] = {LIEDER_BDF, LIEDER_ESDIRK23, LIEDER_RODAS4, LIEDER_RK45};
    for (int i = 0; i < 4; i++) {
        Built b = build("model M Real x(start = 0, fixed = true), a, z(start = 1.1);\n"
                        "equation der(x) = 1; a = 1 + x; (z - a)*(z - a + 2) = 0; end M;\n");
        LiederSimulateOptions o = lieder_simulate_defaults();
        o.stop = 10;
        o.interval = 0.5;
        o.solver = solvers[i];
        Run r = run_with(&b, o, "z a");
        assert_int_equal(r.status, LIEDER_DONE);
        assert_true(r.nrow >= 21);
        for (size_t k = 0; k < r.nrow; k++) {
            const double *row = r.rows + k * (1 + MAX_PATHS);
            assert_near(row[1], 1 + row[0], 1e-6);
            assert_near(row[1], row[2], 1e-9);
        }
        size_t reported = 0;
        for (size_t k = 0; k < lieder_diagnostic_count(b.session); k++)
            reported +=
                strstr(lieder_diagnostic_get(b.session, k)->message, "the run follows") != NULL;
        assert_int_equal(reported, 1);
        run_drop(&r);
        drop(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sliding),
        cmocka_unit_test(test_mode_by_homotopy),
        cmocka_unit_test(test_feedback),
        cmocka_unit_test(test_diode),
        cmocka_unit_test(test_diode_into_capacitor),
        cmocka_unit_test(test_thyristor),
        cmocka_unit_test(test_fixed_steps),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_own_contact),
        cmocka_unit_test(test_own_controller),
        cmocka_unit_test(test_stick_slip),
        cmocka_unit_test(test_start_of_mode),
        cmocka_unit_test(test_stiff_mode),
        cmocka_unit_test(test_two_brakes),
        cmocka_unit_test(test_crossing_in_rounding),
        cmocka_unit_test(test_branch_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
