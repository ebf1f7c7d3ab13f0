/* test_parts.c - parts of the library that no other test names, each in a small model of its own
 * against a closed form. */
#include <math.h>

#include <lieder/load.h>
#include <lieder/simulate.h>

#include "help/engine.h"
#include "help/run.h"

typedef struct Watched {
    LiederObserver *observer;
    double *values;
} Watched;

enum { MAX_VALUES = 24 };

static bool watch_row(void *user, double t, const double *x, LiederRow kind)
{
    const Watched *w = user;
    (void)kind;
    return lieder_observer_evaluate(w->observer, t, x, w->values) == LIEDER_DONE;
}

typedef struct Expected {
    const char *name;
    double value, tolerance;
} Expected;

/* the model T of a text by bdf to `stop`, with the defaults of a run; its variables then */
static void check_text(const char *text, double stop, const Expected *expected, size_t n)
{
    Lieder *session = lieder_create(NULL);
    LiederSystem *system = NULL;
    if (lieder_load_text(session, "T.mo", text) == LIEDER_DONE)
        system = lieder_system_load(session, "T", NULL, 0, NULL, NULL);
    if (!system)
        lieder_diagnostic_print_all(session, stderr);
    assert_non_null(system);
    double values[MAX_VALUES];
    Watched w = {lieder_observer_create(system), values};
    assert_true(n <= MAX_VALUES);
    for (size_t i = 0; i < n; i++)
        if (lieder_observer_add(w.observer, expected[i].name) < 0)
            fail_msg("there is no %s", expected[i].name);
    LiederSimulateOptions options = lieder_simulate_defaults();
    options.stop = stop;
    options.tolerance = 1e-9;
    options.output = watch_row;
    options.user = &w;
    if (lieder_simulate(system, &options, NULL) != LIEDER_DONE) {
        lieder_diagnostic_print_all(session, stderr);
        fail();
    }
    for (size_t i = 0; i < n; i++)
        if (!(fabs(values[i] - expected[i].value) < expected[i].tolerance))
            fail_msg("%s is %.12g instead of %.12g", expected[i].name, values[i],
                     expected[i].value);
    lieder_observer_destroy(w.observer);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

#define CHECK(text, stop, expected)                                                                \
    check_text(text, stop, expected, sizeof(expected) / sizeof *(expected))

static void heat_flows(void **unused)
{
    (void)unused;
    double t = 3, radiated = pow(pow(1000, -3) + 3 * 0.1 * 5.670374419e-8 * t / 10, -1.0 / 3);
    const Expected expected[] = {{"a.T", 280 + 20 * exp(-0.6), 1e-5},
                                 {"b.T", 280 + 20 * exp(-0.6), 1e-5},
                                 {"c.T", 300 + 0.5 * t, 1e-6},
                                 {"meter.y", 5, 1e-9},
                                 {"d.T", radiated, 1e-4},
                                 {"fan.Q_flow", 2 * 20 * exp(-0.6), 1e-5}};
    CHECK(
        "model T import Thermal.*;\n"
        "  HeatCapacitor a(C = 10, T_start = 300), b(C = 10, T_start = 300);\n"
        "  HeatCapacitor c(C = 10, T_start = 300), d(C = 10, T_start = 1000);\n"
        "  Convection fan; ThermalResistor wall(R = 0.5); PrescribedTemperature air;\n"
        "  FixedHeatFlow source(Q_flow = 5); HeatFlowSensor meter; BodyRadiation sky(Gr = 0.1);\n"
        "  FixedTemperature space(T = 0); Signals.Constant Gc(k = 2), cold(k = 280);\n"
        "equation\n"
        "  connect(a.port, fan.solid); connect(fan.fluid, air.port); connect(Gc.y, fan.Gc);\n"
        "  connect(cold.y, air.T); connect(b.port, wall.port_a); connect(wall.port_b, air.port);\n"
        "  connect(source.port, meter.port_a); connect(meter.port_b, c.port);\n"
        "  connect(d.port, sky.port_a); connect(sky.port_b, space.port);\n"
        "end T;\n",
        t, expected);
}

static void sources_and_meters(void **unused)
{
    (void)unused;
    double t = 2, w = 6.283185307179586 * 0.3;
    const Expected expected[] = {
        {"a.v", 2 * (t - 0.5) / 0.1, 1e-5},
        {"b.v", (1 - cos(w * t)) / w / 0.1, 1e-5},
        {"c.v", 3 * t * t / 2 / 0.1, 1e-4},
        {"volts.y", 3 * t, 1e-6},
        {"level.y", 3 * t, 1e-6},
        {"amperes.y", 3 * t / 5, 1e-6},
        {"slide.v", 4 * exp(-9.0 / (2 * 1.5) * t), 1e-5},
    };
    CHECK("model T import Electrical.*; inner Dialectic.World world(TD = 0);\n"
          "  Ground g; Capacitor a(C = 0.1), b(C = 0.1), c(C = 0.1); Resistor r(R = 5), coil(R = "
          "2);\n"
          "  StepCurrent jump(I = 2, startTime = 0.5); SineCurrent sine(I = 1, f = 0.3);\n"
          "  SignalCurrent signal; SignalVoltage supply; VoltageSensor volts; PotentialSensor "
          "level;\n"
          "  CurrentSensor amperes; Signals.Ramp ramp(height = 30, duration = 10);\n"
          "  LinearEMF voice(k = 3); Dialectic.Translational.Fixed frame;\n"
          "  Dialectic.Translational.Joint slide(v(start = 4));\n"
          "  Dialectic.Translational.Body mass(m = 1.5, g = 0);\n"
          "equation\n"
          "  connect(jump.n, a.p); connect(jump.p, g.p); connect(a.n, g.p);\n"
          "  connect(sine.n, b.p); connect(sine.p, g.p); connect(b.n, g.p);\n"
          "  connect(signal.n, c.p); connect(signal.p, g.p); connect(c.n, g.p);\n"
          "  connect(ramp.y, signal.u); connect(ramp.y, supply.u);\n"
          "  connect(supply.n, g.p); connect(supply.p, amperes.p); connect(amperes.n, r.p);\n"
          "  connect(r.n, g.p); connect(volts.p, supply.p); connect(volts.n, g.p);\n"
          "  connect(level.p, supply.p); connect(voice.p, coil.p); connect(coil.n, voice.n);\n"
          "  connect(voice.n, g.p); connect(frame.flange_b, slide.flange_a);\n"
          "  connect(slide.flange_b, mass.flange_a); connect(voice.flange, slide.flange_b);\n"
          "end T;\n",
          t, expected);
}

static void prescribed_accelerations(void **unused)
{
    (void)unused;
    double t = 1.5;
    const Expected expected[] = {{"line.s", 1 + 0.5 * t + t * t, 1e-6},
                                 {"shaft.phi", -0.2 * t + 1.5 * t * t, 1e-6},
                                 {"plane.x", t * t, 1e-6},
                                 {"plane.y", t - 0.5 * t * t, 1e-6},
                                 {"plane.phi", 0.25 * t * t, 1e-6},
                                 {"torque.y", 0.4 * 3, 1e-6},
                                 {"slab.v", 5 - 2 * t, 1e-5},
                                 {"heat.y", 3 * (5 - 2 * t), 1e-4},
                                 {"turn.w", -5 + 2 * t, 1e-5}};
    CHECK("model T inner Dialectic.World world(TD = 0);\n"
          "  import L = Dialectic.Translational; import A = Dialectic.Rotational;\n"
          "  L.Accelerate line(s_start = 1, v_start = 0.5); A.Accelerate shaft(w_start = -0.2);\n"
          "  Dialectic.Planar.Accelerate plane(vy_start = 1); Dialectic.Planar.Body body(I = 1);\n"
          "  L.Body mass; A.Inertia disc(J = 0.4); A.FilteredTorqueSensor torque;\n"
          "  Signals.Constant two(k = 2), three(k = 3), less(k = -1), half(k = 0.5);\n"
          "  L.Fixed ground; L.Joint slab(v(start = 5)); L.Body brick(m = 1.5, g = 0);\n"
          "  L.VariableFriction rubs; A.Fixed house; A.Joint turn(w(start = -5));\n"
          "  A.Inertia wheel(J = 1.5); A.VariableFriction drags; Signals.Gain heat(k = 1);\n"
          "equation\n"
          "  connect(two.y, line.a); connect(three.y, shaft.a); connect(two.y, plane.ax);\n"
          "  connect(less.y, plane.ay); connect(half.y, plane.z);\n"
          "  connect(line.flange, mass.flange_a); connect(plane.frame, body.frame_a);\n"
          "  connect(shaft.flange, torque.flange_a); connect(torque.flange_b, disc.flange_a);\n"
          "  connect(ground.flange_b, slab.flange_a); connect(slab.flange_b, brick.flange_a);\n"
          "  connect(ground.flange_b, rubs.flange_a); connect(rubs.flange_b, slab.flange_b);\n"
          "  connect(three.y, rubs.forward); connect(three.y, rubs.backward);\n"
          "  connect(house.flange_b, turn.flange_a); connect(turn.flange_b, wheel.flange_a);\n"
          "  connect(house.flange_b, drags.flange_a); connect(drags.flange_b, turn.flange_b);\n"
          "  connect(two.y, drags.forward); connect(three.y, drags.backward);\n"
          "  connect(rubs.lossPower, heat.u);\n"
          "end T;\n",
          t, expected);
}

/* a capsule lies on the ground in two points, one stands on one: m g = 2 c s, and c s */
static void a_capsule_rests(void **unused)
{
    (void)unused;
    const Expected expected[] = {{"lies.y", 0.05 - 9.81 / 2e5, 1e-9},
                                 {"stands.y", 0.15 - 9.81 / 1e5, 1e-9}};
    CHECK("model T import Dialectic.Planar.*; inner Dialectic.World world(TD = 1e-3);\n"
          "  Fixed ground; FreeMotion lies(y(start = 0.05)); Body a(I = 0.1), b(I = 0.1);\n"
          "  FreeMotion stands(y(start = 0.15), phi(start = 1.5707963267948966));\n"
          "  LineContact touch_a(n = {0, 1}, shape = capsule(0.2), radius = 0.05, c = 1e5, d = "
          "500);\n"
          "  LineContact touch_b(n = {0, 1}, shape = capsule(0.2), radius = 0.05, c = 1e5, d = "
          "500);\n"
          "equation\n"
          "  connect(ground.frame, lies.frame_a); connect(lies.frame_b, a.frame_a);\n"
          "  connect(ground.frame, stands.frame_a); connect(stands.frame_b, b.frame_a);\n"
          "  connect(ground.frame, touch_a.frame_a); connect(lies.frame_b, touch_a.frame_b);\n"
          "  connect(ground.frame, touch_b.frame_a); connect(stands.frame_b, touch_b.frame_b);\n"
          "end T;\n",
          1, expected);
}

static void functions_of_numbers(void **unused)
{
    (void)unused;
    double t = 1.3;
    const Expected expected[] = {
        {"s.y", sin(t), 1e-12},          {"c.y", cos(t), 1e-12}, {"ta.y", tan(t), 1e-12},
        {"r.y", sqrt(t), 1e-12},         {"e.y", exp(t), 1e-12}, {"q.y", t / exp(t), 1e-12},
        {"late.y", t - 0.4, 1e-6},       {"hold.y", 1.2, 1e-9},  {"p.y", 3, 1e-12},
        {"pi.y", 3 * (1 + t / 2), 1e-6}, {"pd.y", 3, 1e-12},     {"pid.y", 3 * (1 + t / 2), 1e-6}};
    CHECK("model T Signals.ContinuousClock t; Signals.Sin s; Signals.Cos c; Signals.Tan ta;\n"
          "  Signals.Sqrt r; Signals.Exp e; Signals.Division q; Signals.VariableDelay late;\n"
          "  Signals.ZeroOrderHold hold(samplePeriod = 0.2); Signals.Constant d(k = 0.4);\n"
          "  Signals.Constant one(k = 1), zero(k = 0); import Signals.SimpleController;\n"
          "  Signals.LimPID p(controllerType = SimpleController.P, k = 3, Ti = 2, yMax = 100);\n"
          "  Signals.LimPID pi(controllerType = SimpleController.PI, k = 3, Ti = 2, yMax = 100);\n"
          "  Signals.LimPID pd(controllerType = SimpleController.PD, k = 3, Ti = 2, yMax = 100);\n"
          "  Signals.LimPID pid(k = 3, Ti = 2, yMax = 100);\n"
          "equation\n"
          "  connect(t.y, s.u); connect(t.y, c.u); connect(t.y, ta.u); connect(t.y, r.u);\n"
          "  connect(t.y, e.u); connect(t.y, q.u1); connect(e.y, q.u2); connect(t.y, late.u1);\n"
          "  connect(d.y, late.u2); connect(t.y, hold.u);\n"
          "  connect(one.y, p.u_s); connect(one.y, pi.u_s); connect(one.y, pd.u_s);\n"
          "  connect(one.y, pid.u_s); connect(zero.y, p.u_m); connect(zero.y, pi.u_m);\n"
          "  connect(zero.y, pd.u_m); connect(zero.y, pid.u_m);\n"
          "end T;\n",
          t, expected);
}

/* what is true of 1.3, 2 and 2 counts with a weight of its own */
static void comparisons(void **unused)
{
    (void)unused;
    const Expected expected[] = {{"truth", 1 + 0 + 4 + 8 + 16 + 0 + 64 + 128, 1e-12},
                                 {"whole", 5 + 7 + 1, 1e-12},
                                 {"y", 2, 1e-12},
                                 {"behind.y", 1, 1e-12}};
    CHECK("model T Signals.ContinuousClock t; Signals.Constant two(k = 2), also(k = 2);\n"
          "  Signals.Greater a; Signals.Less b; Signals.GreaterEqual c; Signals.LessEqual d;\n"
          "  Signals.GreaterEqualThreshold e(threshold = 1.3); Signals.LessThreshold f(threshold = "
          "1);\n"
          "  Signals.LessEqualThreshold g(threshold = 2); Signals.RealToBoolean h(threshold = 1);\n"
          "  Signals.BooleanExpression x(y = time > 1); Signals.IntegerStep step(height = 5, "
          "startTime = 0.5);\n"
          "  Signals.IntegerConstant seven(k = 7); Signals.IntegerExpression n(y = if x.y then 1 "
          "else 0);\n"
          "  Signals.IntegerToBoolean big(threshold = 4); Signals.BooleanToInteger "
          "two_of(integerTrue "
          "= 2);\n"
          "  Signals.IntegerToReal number; Signals.Pre behind; Real truth, whole, y;\n"
          "equation\n"
          "  connect(two.y, a.u1); connect(t.y, a.u2); connect(two.y, b.u1); connect(t.y, b.u2);\n"
          "  connect(two.y, c.u1); connect(also.y, c.u2); connect(two.y, d.u1); connect(also.y, "
          "d.u2);\n"
          "  connect(two.y, e.u); connect(t.y, f.u); connect(two.y, g.u); connect(t.y, h.u);\n"
          "  connect(step.y, big.u); connect(big.y, two_of.u); connect(two_of.y, number.u);\n"
          "  connect(x.y, behind.u);\n"
          "  truth = (if a.y then 1 else 0) + (if b.y then 2 else 0) + (if c.y then 4 else 0)\n"
          "    + (if d.y then 8 else 0) + (if e.y then 16 else 0) + (if f.y then 32 else 0)\n"
          "    + (if g.y then 64 else 0) + (if h.y then 128 else 0);\n"
          "  whole = step.y + seven.y + n.y; y = number.y;\n"
          "end T;\n",
          1.3, expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heat_flows),
        cmocka_unit_test(sources_and_meters),
        cmocka_unit_test(prescribed_accelerations),
        cmocka_unit_test(a_capsule_rests),
        cmocka_unit_test(functions_of_numbers),
        cmocka_unit_test(comparisons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
