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
    assert_string_equal(said, "1 a condition does not hold from t = 0.26 on: x is large; "
                              "1 the model ends the run at t = 0.51: far enough; ");
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits_of_events),     cmocka_unit_test(test_bits_of_modes),
        cmocka_unit_test(test_bits_of_delays),     cmocka_unit_test(test_bits_of_guesses),
        cmocka_unit_test(test_requests),           cmocka_unit_test(test_states_with_past),
        cmocka_unit_test(test_states_with_memory), cmocka_unit_test(test_events)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
