/* test_fmu_events.c - events of exported models: states, memory and modes that jump have the bits
 * of our own runs, and so have delays; conditions warn, and end the simulation. */
#include "fmi/bits.h"

static const char balls[] =
    "model Ball\n"
    "  parameter Real e = 0.7; Real h(start = 1, fixed = true), v(start = 0, fixed = true);\n"
    "  discrete Real last(start = -1); Boolean high(start = true); Integer n(start = 0);\n"
    "equation\n"
    "  der(h) = v; der(v) = -9.81;\n"
    "  when h < 0 then\n"
    "    reinit(v, -e*pre(v)); last = time; n = pre(n) + 1;\n"
    "  end when;\n"
    "  when {h > 0.4, h < 0.2} then high = not pre(high); end when;\n"
    "  assert(h > -100, \"through the floor\");\n"
    "end Ball;\n"
    "model Balls\n"
    "  Ball ball[3](h(start = {1, 0.5, 0.25}), e = {0.9, 0.95, 0.99});\n"
    "end Balls;\n";
static const char sampled[] = "model Sampled\n"
                              "  parameter Real Ts = 0.05; parameter Real gain = -2;\n"
                              "  Real x(start = 1, fixed = true), y; discrete Real u(start = 0);\n"
                              "equation\n"
                              "  der(x) = x + u + (if y > 0.5 then 0.1 else 0); y = x^2;\n"
                              "  when sample(0, Ts) then u = 0.2*pre(u) + gain*x; end when;\n"
                              "end Sampled;\n";

static const char rectifier[] =
    "model Rectifier\n"
    "  Electrical.SineVoltage source(V = 10, f = 5); Electrical.Resistor line(R = 0.1);\n"
    "  Electrical.IdealDiode up(Ron = 1e-2, Goff = 1e-6), down(Ron = 1e-2, Goff = 1e-6);\n"
    "  Electrical.Ground ground;\n"
    "  Electrical.Resistor load(R = 10); Electrical.Capacitor c(C = 1e-2);\n"
    "equation\n"
    "  connect(source.p, line.p); connect(line.n, up.p); connect(up.n, c.p);\n"
    "  connect(c.p, load.p); connect(c.n, ground.p); connect(load.n, ground.p);\n"
    "  connect(source.n, ground.p); connect(down.p, ground.p); connect(down.n, up.p);\n"
    "end Rectifier;\n";
static const char late[] =
    "model Late\n"
    "  Real x(start = 1, fixed = true), y, z; discrete Real s(start = 0); parameter Real T = 0.1;\n"
    "equation\n"
    "  der(x) = -delay(x, T) + 0.1*delay(s, 0.05);\n"
    "  y = delay(if time > 0.2 then 1.0 else 0.0, 0.07);\n"
    "  z = delay(x*x, 0.03 + 0.01*sin(time), 0.05);\n"
    "  when sample(0, 0.11) then s = pre(s) + 1; end when;\n"
    "end Late;\n";
static const char branch[] = "model Branch\n"
                             "  Real x(start = 0, fixed = true), y(start = 2), z;\n"
                             "equation\n"
                             "  der(x) = 9*cos(3*time); y^3 - 3*y = x; der(z) = y;\n"
                             "end Branch;\n";
static const char ending[] = "model Ending\n"
                             "  Real x(start = 0, fixed = true), y;\n"
                             "equation\n"
                             "  der(x) = 1; y = 2*x;\n"
                             "  assert(x < 0.255, \"x is large\", AssertionLevel.warning);\n"
                             "  when x > 0.505 then terminate(\"far enough\"); end when;\n"
                             "end Ending;\n";

/* friction of all kinds that sticks: it begins to slide and comes to rest again */
static const char rotation[] =
    "model Rotation\n"
    "  inner Dialectic.World world(TD = 1e-3);\n"
    "  Dialectic.Rotational.Fixed fixed; Dialectic.Rotational.Joint j[3];\n"
    "  Dialectic.Rotational.Inertia i[3](each J = 1);\n"
    "  Dialectic.Rotational.CoulombFriction coulomb(tau_Coulomb = 2, tau_Stribeck = 1);\n"
    "  Dialectic.Rotational.Clutch clutch(mu = 0.4, cgeo = 0.5, fn_max = 20);\n"
    "  Dialectic.Rotational.OneWayClutch one(mu = 0.3, cgeo = 0.5, fn_max = 10);\n"
    "  Dialectic.Rotational.Torque drive; Signals.Sine wave(amplitude = 9, f = 3);\n"
    "  Signals.Pulse press(period = 0.11); Signals.Constant half(k = 0.5);\n"
    "equation\n"
    "  for k in 1:3 loop\n"
    "    connect(fixed.flange_b, j[k].flange_a); connect(j[k].flange_b, i[k].flange_a);\n"
    "  end for;\n"
    "  connect(drive.flange, j[1].flange_b);\n"
    "  connect(wave.y, drive.tau); connect(press.y, clutch.f_normalized);\n"
    "  connect(half.y, one.f_normalized);\n"
    "  connect(fixed.flange_b, coulomb.flange_a); connect(coulomb.flange_b, j[1].flange_b);\n"
    "  connect(j[1].flange_b, clutch.flange_a); connect(clutch.flange_b, j[2].flange_b);\n"
    "  connect(j[2].flange_b, one.flange_a); connect(one.flange_b, j[3].flange_b);\n"
    "end Rotation;\n";
static const char translation[] =
    "model Translation\n"
    "  inner Dialectic.World world(TD = 0);\n"
    "  Dialectic.Translational.Fixed fixed; Dialectic.Translational.Joint joint[2];\n"
    "  Dialectic.Translational.Body body[2](each m = 2);\n"
    "  Dialectic.Translational.CoulombFriction slides(F_Coulomb = 3, F_Stribeck = 2, fexp = 1);\n"
    "  Dialectic.Translational.Brake brake(mu = 0.5, cgeo = 1, fn_max = 30);\n"
    "  Dialectic.Translational.Force force; Signals.Sine wave(amplitude = 12, f = 2);\n"
    "  Signals.Pulse press(period = 0.15);\n"
    "equation\n"
    "  for k in 1:2 loop\n"
    "    connect(fixed.flange_b, joint[k].flange_a); connect(joint[k].flange_b, "
    "body[k].flange_a);\n"
    "  end for;\n"
    "  connect(force.flange, joint[1].flange_b);\n"
    "  connect(wave.y, force.f); connect(press.y, brake.f_normalized);\n"
    "  connect(joint[1].flange_b, slides.flange_a); connect(slides.flange_b, joint[2].flange_b);\n"
    "  connect(brake.flange, joint[2].flange_b);\n"
    "end Translation;\n";
/* ------------------------------------------------------------------ the same bits */

/* events at the ends of steps: states and memory that jump, timers, lanes each for itself */
static void test_bits_of_events(void **state)
{
    (void)state;
    check_bits_at(balls, "balls", LIEDER_RK4, 1e-2);
    check_bits_at(sampled, "sampled", LIEDER_RK2, 1e-2);
}

/* modes that all equations of a circuit decide together: diodes, and a switch that a timer drives
 */
static void test_bits_of_modes(void **state)
{
    (void)state;
    check_bits(rectifier, "rectifier", LIEDER_RK4);
    check_bits_at(SOURCE_DIR "/models/machines/buck.mo", "buck", LIEDER_RK2, 2e-6);
}

/* groups that are no tree: sparse systems, with events and components that iterate */
static void test_bits_of_sticking(void **state)
{
    (void)state;
    check_bits(rotation, "rotation", LIEDER_RK4);
    check_bits(translation, "translation", LIEDER_RK2);
    check_bits_at(SOURCE_DIR "/models/machines/elevator.mo", "elevator", LIEDER_RK4, 1e-3);
}

/* diodes of the library in C, which iterate: one of each law */
static void test_bits_of_diodes(void **state)
{
    (void)state;
    static const char *const parts[][2] = {
        {"V", "SineVoltage"}, {"G", "Ground"},        {"C", "Capacitor"}, {"L", "Inductor"},
        {"R", "Resistor"},    {"S", "ShockleyDiode"}, {"D", "IdealDiode"}};
    static const char *const wires[][2] = {{"V.p", "D.p"}, {"D.n", "R.p"}, {"R.n", "C.p"},
                                           {"R.n", "L.p"}, {"L.n", "G.p"}, {"V.n", "G.p"},
                                           {"C.n", "G.p"}, {"S.n", "G.p"}, {"S.p", "C.p"}};
    char name[64];
    Lieder *session = lieder_create(NULL);
    LiederModel *m = lieder_model_create(session, "Rectifier", "");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(name, sizeof name, "Electrical.%s", parts[i][1]);
        lieder_model_add(m, parts[i][0], name);
    }
    lieder_model_set(m, "V.f", 5);
    lieder_model_set(m, "C.C", 1e-2);
    for (size_t i = 0; i < sizeof wires / sizeof *wires; i++)
        lieder_model_connect(m, wires[i][0], wires[i][1]);
    LiederSystemOptions o = lieder_system_defaults();
    o.isa = LIEDER_ISA_SCALAR;
    LiederSystem *system = lieder_system_create(session, "Rectifier", &o);
    if (!system)
        lieder_diagnostic_print_all(session, stderr);
    assert_non_null(system);
    check_bits_of(session, system, "diodes", LIEDER_RK4, 1e-3);
}

/* A net is a sparse system in an FMU, with the bits of ours that is solved so; our solver of nets
 * has the same derivatives but for rounding. */
static void test_bits_of_net(void **state)
{
    (void)state;
    enum { MOST = 128 };
    const LiederOverride size = {.name = "n", .value = "4"};
    Lieder *session = lieder_create(NULL);
    LiederSystem *systems[2];
    double x[MOST], dx[2][MOST];
    assert_int_equal(lieder_load(session, SOURCE_DIR "/models/scale/Net.mo"), LIEDER_DONE);
    for (int net = 0; net < 2; net++) {
        LiederSystemOptions o = lieder_system_defaults();
        o.isa = LIEDER_ISA_SCALAR;
        o.method = net ? LIEDER_METHOD_NET : LIEDER_METHOD_SPARSE;
        systems[net] = lieder_system_load(session, "Net", &size, 1, &o, NULL);
        assert_non_null(systems[net]);
        assert_true(system_has_net(systems[net]) == net);
        assert_true(system_has_sparse(systems[net]) == !net);
        assert_true(lieder_system_state_count(systems[net]) <= MOST);
        if (net == 0)
            lieder_system_start(systems[net], x);
        assert_int_equal(lieder_system_derivatives(systems[net], 0, x, dx[net]), LIEDER_DONE);
    }
    for (size_t i = 0; i < lieder_system_state_count(systems[0]); i++)
        assert_true(fabs(dx[0][i] - dx[1][i]) <= 1e-9 * (1 + fabs(dx[0][i])));
    lieder_system_destroy(systems[1]);
    check_bits_of(session, systems[0], "net", LIEDER_RK4, 1e-3);
}

static void test_bits_of_delays(void **state)
{
    (void)state;
    check_bits_at(late, "late", LIEDER_RK4, 1e-2);
}

/* where iterations begin is remembered as in our own runs: a solution is followed to its end */
static void test_bits_of_guesses(void **state)
{
    (void)state;
    check_bits_at(branch, "branch", LIEDER_RK4, 1e-2);
}

/* ------------------------------------------------------------------ one instance */

/* memory is a part of the state */
static void test_states_with_memory(void **state)
{
    (void)state;
    Fmu f = export_text(sampled, "kept", 3);
    uint32_t x = reference(&f, "x"), u = reference(&f, "u");
    double first[2], second[2];
    void *m = instantiate3(&f, true, NULL), *kept = NULL;
    assert_int_equal(enter3(&f, m), 0);
    assert_int_equal(call3(&f, m, "fmi3ExitInitializationMode"), 0);
    assert_int_equal(get3(&f, m, u, first, 1), 0);
    assert_true(first[0] == -2); /* the sample at the start */
    assert_int_equal(step3(&f, m, 0, 0.07), 0);
    assert_int_equal(CALL(&f, int, "fmi3GetFMUState", void *, void **)(m, &kept), 0);
    for (int again = 0; again < 2; again++) {
        double *to = again ? second : first;
        assert_int_equal(step3(&f, m, 0.07, 0.2), 0);
        assert_int_equal(get3(&f, m, x, &to[0], 1), 0);
        assert_int_equal(get3(&f, m, u, &to[1], 1), 0);
        assert_int_equal(CALL(&f, int, "fmi3SetFMUState", void *, void *)(m, kept), 0);
    }
    assert_memory_equal(first, second, sizeof first);
    CALL(&f, int, "fmi3FreeFMUState", void *, void **)(m, &kept);
    CALL(&f, void, "fmi3FreeInstance", void *)(m);
    drop_fmu(&f);
}

/* model exchange: a state event, a timer, an assertion */
static void test_events(void **state)
{
    (void)state;
    char ball[1000];
    snprintf(ball, sizeof ball, "%.*s", (int)(strstr(balls, "model Balls") - balls), balls);
    Fmu f = export_text(ball, "event", 3);
    void *m = instantiate3(&f, false, NULL);
    bool again, end, nominals, values, has_next;
    double next, x[2], number;
    assert_int_equal(enter3(&f, m), 0);
    assert_int_equal(call3(&f, m, "fmi3ExitInitializationMode"), 0);
    assert_int_equal(call3(&f, m, "fmi3EnterContinuousTimeMode"), 0);
    assert_int_equal(CALL(&f, int, "fmi3SetTime", void *, double)(m, 0.5), 0);
    int h = reference(&f, "h") < reference(&f, "v") ? 0 : 1;
    x[h] = -1e-6;
    x[1 - h] = -4;
    assert_int_equal(
        CALL(&f, int, "fmi3SetContinuousStates", void *, const double *, size_t)(m, x, 2), 0);
    assert_int_equal(call3(&f, m, "fmi3EnterEventMode"), 0);
    assert_int_equal(CALL(&f, int, "fmi3UpdateDiscreteStates", void *, bool *, bool *, bool *,
                          bool *, bool *,
                          double *)(m, &again, &end, &nominals, &values, &has_next, &next),
                     0);
    assert_true(values && !again && !end && !has_next);
    assert_int_equal(CALL(&f, int, "fmi3GetContinuousStates", void *, double *, size_t)(m, x, 2),
                     0);
    assert_true(x[1 - h] == 0.7 * 4);
    assert_int_equal(get3(&f, m, reference(&f, "last"), &number, 1), 0);
    assert_true(number == 0.5);
    x[h] = -1000;
    assert_int_equal(call3(&f, m, "fmi3EnterContinuousTimeMode"), 0);
    assert_int_equal(
        CALL(&f, int, "fmi3SetContinuousStates", void *, const double *, size_t)(m, x, 2), 0);
    assert_int_equal(call3(&f, m, "fmi3EnterEventMode"), 0);
    assert_int_equal(CALL(&f, int, "fmi3UpdateDiscreteStates", void *, bool *, bool *, bool *,
                          bool *, bool *,
                          double *)(m, &again, &end, &nominals, &values, &has_next, &next),
                     3);
    CALL(&f, void, "fmi3FreeInstance", void *)(m);
    drop_fmu(&f);
    f = export_text(sampled, "timer", 3);
    m = instantiate3(&f, false, NULL);
    assert_int_equal(enter3(&f, m), 0);
    assert_int_equal(call3(&f, m, "fmi3ExitInitializationMode"), 0);
    assert_int_equal(CALL(&f, int, "fmi3UpdateDiscreteStates", void *, bool *, bool *, bool *,
                          bool *, bool *,
                          double *)(m, &again, &end, &nominals, &values, &has_next, &next),
                     0);
    assert_true(has_next && fabs(next - 0.05) < 1e-12);
    CALL(&f, void, "fmi3FreeInstance", void *)(m);
    drop_fmu(&f);
}

static char said[1000];
static void listen(void *environment, int status, const char *category, const char *message)
{
    (void)environment;
    (void)category;
    snprintf(said + strlen(said), sizeof said - strlen(said), "%d %s; ", status, message);
}

/* the model warns, and ends the run, in both kinds */
static void test_requests(void **state)
{
    (void)state;
    Fmu f = export_text(ending, "ending", 3);
    bool event, terminate, early;
    double reached, x = 0.26;
    assert_non_null(strstr(f.description.items, "needsCompletedIntegratorStep=\"true\""));
    said[0] = 0;
    void *m = instantiate3(&f, true, (void *)(uintptr_t)listen);
    assert_int_equal(enter3(&f, m), 0);
    assert_int_equal(call3(&f, m, "fmi3ExitInitializationMode"), 0);
    assert_int_equal(CALL(&f, int, "fmi3DoStep", void *, double, double, bool, bool *, bool *,
                          bool *, double *)(m, 0, 1, true, &event, &terminate, &early, &reached),
                     0);
    assert_true(terminate && early && fabs(reached - 0.51) < 1e-12);
    assert_string_equal(said,
                        "1 a condition does not hold from t = 0.26 on: x is large (test.mo:5:3); "
                        "1 the model ends the run at t = 0.51: far enough (test.mo:6:23); ");
    assert_int_equal(call3(&f, m, "fmi3Terminate"), 0);
    CALL(&f, void, "fmi3FreeInstance", void *)(m);
    said[0] = 0;
    m = instantiate3(&f, false, (void *)(uintptr_t)listen);
    assert_int_equal(enter3(&f, m), 0);
    assert_int_equal(call3(&f, m, "fmi3ExitInitializationMode"), 0);
    assert_int_equal(call3(&f, m, "fmi3EnterContinuousTimeMode"), 0);
    for (int i = 0; i < 2; i++, x = 0.6) {
        bool again, nominals, values, has_next;
        double next;
        assert_int_equal(CALL(&f, int, "fmi3SetTime", void *, double)(m, x), 0);
        assert_int_equal(
            CALL(&f, int, "fmi3SetContinuousStates", void *, const double *, size_t)(m, &x, 1), 0);
        assert_int_equal(CALL(&f, int, "fmi3CompletedIntegratorStep", void *, bool, bool *,
                              bool *)(m, true, &event, &terminate),
                         0);
        assert_true(!terminate && strstr(said, "x is large"));
        assert_int_equal(call3(&f, m, "fmi3EnterEventMode"), 0);
        assert_int_equal(
            CALL(&f, int, "fmi3UpdateDiscreteStates", void *, bool *, bool *, bool *, bool *,
                 bool *, double *)(m, &again, &terminate, &nominals, &values, &has_next, &next),
            0);
        assert_true(terminate == (i == 1));
        assert_int_equal(call3(&f, m, "fmi3EnterContinuousTimeMode"), 0);
    }
    CALL(&f, void, "fmi3FreeInstance", void *)(m);
    drop_fmu(&f);
}

/* the past is a part of the state, also as bytes in another instance; only co-simulation has it */
/* a run of co-simulation in pieces of 0.05 s that listens; the time at which it ends */
static double listen_to(const char *text, const char *into, double stop)
{
    Fmu f = export_text(text, into, 3);
    double t = 0;
    said[0] = 0;
    void *m = instantiate3(&f, true, (void *)(uintptr_t)listen);
    assert_int_equal(enter3(&f, m), 0);
    assert_int_equal(call3(&f, m, "fmi3ExitInitializationMode"), 0);
    while (t < stop - 0.01 && step3(&f, m, t, 0.05) == 0)
        t += 0.05;
    CALL(&f, void, "fmi3FreeInstance", void *)(m);
    drop_fmu(&f);
    return t;
}

/* What a step sees late is reported once, and instants that it meets are not; after infinitely many
 * events the simulation ends with an error. */
static void test_late(void **state)
{
    (void)state;
    static const char samples[] = "model Samples\n"
                                  "  Real x(start = 1, fixed = true); discrete Real u(start = 0);\n"
                                  "equation\n"
                                  "  der(x) = -x + u;\n"
                                  "  when sample(0, %s) then u = 0.2*pre(u) - x; end when;\n"
                                  "end Samples;\n";
    static const char pulses[] =
        "model Pulses\n"
        "  Signals.Pulse p(period = 0.033); Real x(start = 0, fixed = true);\n"
        "equation der(x) = p.y; end Pulses;\n";
    static const char bounces[] = "model Bounces\n"
                                  "  Real h(start = 1, fixed = true), v(start = 0, fixed = true);\n"
                                  "equation\n"
                                  "  der(h) = v; der(v) = -9.81;\n"
                                  "  when h < 0 then reinit(v, -0.5*pre(v)); end when;\n"
                                  "end Bounces;\n";
    char text[1000];
    snprintf(text, sizeof text, samples, "0.05");
    assert_true(listen_to(text, "meets", 1) > 0.9);
    assert_string_equal(said, "");
    snprintf(text, sizeof text, samples, "0.045");
    assert_true(listen_to(text, "misses", 1) > 0.9);
    assert_string_equal(said,
                        "1 something happens at t = 0.045, between two steps of 0.01 s: it takes "
                        "effect at the end of its step, 0.005 s late; export with a step that "
                        "divides such times; ");
    assert_true(listen_to(pulses, "pulses", 1) > 0.9);
    assert_non_null(strstr(said, "1 something happens at t = 0.0165, between"));
    assert_null(strstr(strstr(said, "something") + 1, "something"));
    /* its last bounce is before 1.4 s; a step or two later it is below the floor */
    double end = listen_to(bounces, "bounces", 5);
    assert_true(end > 1.2 && end < 1.8);
    assert_non_null(strstr(said, "1 an event sets states at t = 0.46, the end of a step"));
    assert_non_null(strstr(said, "3 events came faster and faster, without end"));
}

static void test_states_with_past(void **state)
{
    (void)state;
    Fmu f = export_text(late, "past", 3);
    uint32_t x = reference(&f, "x"), z = reference(&f, "z");
    double first[2], second[2];
    void *kept = NULL, *back = NULL;
    size_t n;
    assert_null(strstr(f.description.items, "<ModelExchange"));
    assert_null(instantiate3(&f, false, NULL));
    void *m = instantiate3(&f, true, NULL), *other = instantiate3(&f, true, NULL);
    assert_int_equal(enter3(&f, m), 0);
    assert_int_equal(call3(&f, m, "fmi3ExitInitializationMode"), 0);
    assert_int_equal(step3(&f, m, 0, 0.33), 0);
    assert_int_equal(CALL(&f, int, "fmi3GetFMUState", void *, void **)(m, &kept), 0);
    assert_int_equal(
        CALL(&f, int, "fmi3SerializedFMUStateSize", void *, void *, size_t *)(m, kept, &n), 0);
    uint8_t *bytes = malloc(n);
    assert_int_equal(CALL(&f, int, "fmi3SerializeFMUState", void *, void *, uint8_t *,
                          size_t)(m, kept, bytes, n),
                     0);
    /* the same again has the same bytes */
    assert_int_equal(CALL(&f, int, "fmi3SetFMUState", void *, void *)(m, kept), 0);
    assert_int_equal(CALL(&f, int, "fmi3GetFMUState", void *, void **)(m, &back), 0);
    uint8_t *again = malloc(n);
    assert_int_equal(CALL(&f, int, "fmi3SerializeFMUState", void *, void *, uint8_t *,
                          size_t)(m, back, again, n),
                     0);
    assert_memory_equal(bytes, again, n);
    free(again);
    CALL(&f, int, "fmi3FreeFMUState", void *, void **)(m, &back);
    assert_int_equal(step3(&f, m, 0.33, 0.4), 0);
    assert_int_equal(get3(&f, m, x, &first[0], 1), 0);
    assert_int_equal(get3(&f, m, z, &first[1], 1), 0);
    CALL(&f, void, "fmi3FreeInstance", void *)(m);
    assert_int_equal(CALL(&f, int, "fmi3DeserializeFMUState", void *, const uint8_t *, size_t,
                          void **)(other, bytes, n, &back),
                     0);
    assert_int_equal(CALL(&f, int, "fmi3SetFMUState", void *, void *)(other, back), 0);
    assert_int_equal(step3(&f, other, 0.33, 0.4), 0);
    assert_int_equal(get3(&f, other, x, &second[0], 1), 0);
    assert_int_equal(get3(&f, other, z, &second[1], 1), 0);
    assert_memory_equal(first, second, sizeof first);
    for (size_t cut = 0; cut < n; cut += 1 + cut / 3) {
        void *none = NULL;
        assert_int_equal(CALL(&f, int, "fmi3DeserializeFMUState", void *, const uint8_t *, size_t,
                              void **)(other, bytes, cut, &none),
                         3);
    }
    free(bytes);
    CALL(&f, int, "fmi3FreeFMUState", void *, void **)(other, &kept);
    CALL(&f, int, "fmi3FreeFMUState", void *, void **)(other, &back);
    CALL(&f, void, "fmi3FreeInstance", void *)(other);
    drop_fmu(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits_of_events),
                                       cmocka_unit_test(test_bits_of_modes),
                                       cmocka_unit_test(test_bits_of_sticking),
                                       cmocka_unit_test(test_bits_of_diodes),
                                       cmocka_unit_test(test_bits_of_net),
                                       cmocka_unit_test(test_bits_of_delays),
                                       cmocka_unit_test(test_bits_of_guesses),
                                       cmocka_unit_test(test_requests),
                                       cmocka_unit_test(test_late),
                                       cmocka_unit_test(test_states_with_past),
                                       cmocka_unit_test(test_states_with_memory),
                                       cmocka_unit_test(test_events)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
