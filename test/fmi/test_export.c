/* test_export.c - exported models have the bits of our own runs in co-simulation, our derivatives
 * in model exchange, variables of our observers; wrong calls are answered, never a crash. */
#define _GNU_SOURCE /* memmem */
#include "fmi/bits.h"
#include "help/full.h"

#include <pthread.h>
#include <sys/stat.h>

static int run_command(const char *command)
{
    return system(command);
}

static const char fleet[] =
    "model Fleet\n"
    "  inner Dialectic.World world;\n"
    "  Dialectic.Examples.CraneCrab crab[3](revolute(phi(start = {1, 0.5, 0.25})));\n"
    "end Fleet;\n";
static const char driven[] = "model Driven\n"
                             "  inner Dialectic.World world(TD = 1e-2);\n"
                             "  Signals.Pulse pulse(period = 0.05, amplitude = 3);\n"
                             "  Dialectic.Translational.Force force;\n"
                             "  Dialectic.Translational.Force open;\n"
                             "  Dialectic.Translational.Fixed fixed;\n"
                             "  Dialectic.Translational.Joint joint;\n"
                             "  Dialectic.Translational.Body body(m = 2);\n"
                             "equation\n"
                             "  connect(pulse.y, force.f);\n"
                             "  connect(fixed.flange_b, joint.flange_a);\n"
                             "  connect(joint.flange_b, body.flange_a);\n"
                             "  connect(force.flange, joint.flange_b);\n"
                             "  connect(open.flange, joint.flange_b);\n"
                             "end Driven;\n";
static const char own[] = "model Own\n"
                          "  parameter Real mu = 2; Real x(start = 1), y, z;\n"
                          "equation\n"
                          "  der(x) = y; der(y) = mu*(1 - x^2)*y - x; z = x*y;\n"
                          "end Own;\n";

/* ------------------------------------------------------------------ the same bits */

static void test_bits_of_crab(void **state)
{
    (void)state;
    check_bits(SOURCE_DIR "/models/crane_crab.mo", "crab", LIEDER_RK4);
    check_bits(SOURCE_DIR "/models/crane_crab.mo", "crab1", LIEDER_RK1);
}

static void test_bits_of_lanes(void **state)
{
    (void)state;
    check_bits(fleet, "fleet", LIEDER_RK3);
}

static void test_bits_of_signals(void **state)
{
    (void)state;
    check_bits(driven, "driven", LIEDER_RK2);
}

static void test_bits_of_equations(void **state)
{
    (void)state;
    check_bits(own, "own", LIEDER_RK4);
    check_bits(SOURCE_DIR "/models/equations/drive_train.mo", "train", LIEDER_RK4);
}

static void test_bits_of_loops(void **state)
{
    (void)state;
    check_bits_at(SOURCE_DIR "/models/papers/001/clamp.mo", "clamp", LIEDER_RK4, 1e-5);
    check_bits_at(SOURCE_DIR "/models/papers/001/landing_gear.mo", "gear", LIEDER_RK4, 1e-5);
}

/* a shape that is too long for one function runs as lists */
static void test_bits_of_chain(void **state)
{
    (void)state;
    check_bits(
        "model M inner Dialectic.World world; Dialectic.Examples.Chain chain(n = 60); end M;",
        "chain", LIEDER_RK4);
}

/* ------------------------------------------------------------------ one instance */

static Fmu crab(void)
{
    char path[256], into[64];
    static int count;
    Lieder *session = lieder_create(NULL);
    LiederSystem *system = load_scalar(session, SOURCE_DIR "/models/crane_crab.mo", NULL);
    FmiExport e = export_defaults(3);
    in_folder("shared.fmu", path);
    if (access(path, R_OK) != 0)
        assert_int_equal(fmi_export(system, &e, path), LIEDER_DONE);
    lieder_system_destroy(system);
    lieder_destroy(session);
    snprintf(into, sizeof into, "shared%d", count++);
    return load_fmu(path, into, machine);
}

static void test_parameters(void **state)
{
    (void)state;
    Fmu f = crab();
    uint32_t mass = reference(&f, "cart.m"), rod = reference(&f, "rod.r"),
             phi = reference(&f, "revolute.phi"), a = reference(&f, "der(prismatic.v)");
    double value, other, vector[2] = {0.5, -1}, start = 0.3, wrong = -1, nan = NAN;
    void *m = instantiate3(&f, true, NULL);
    assert_int_equal(set3(&f, m, phi, &start, 1), 0);
    assert_int_equal(enter3(&f, m), 0);
    assert_int_equal(get3(&f, m, a, &value, 1), 0);
    assert_int_equal(call3(&f, m, "fmi3ExitInitializationMode"), 0);
    assert_int_equal(get3(&f, m, phi, &other, 1), 0);
    assert_true(other == 0.3);
    /* states are set before, parameters at any time; the acceleration follows; 0 and -1 of the rod
     * are folded into the fast function, which is left now */
    assert_int_equal(set3(&f, m, phi, &start, 1), 3);
    double twice = 20;
    assert_int_equal(set3(&f, m, mass, &twice, 1), 0);
    assert_int_equal(get3(&f, m, a, &other, 1), 0);
    assert_true(other != value);
    assert_int_equal(set3(&f, m, rod, vector, 2), 0);
    assert_int_equal(get3(&f, m, a, &value, 1), 0);
    assert_true(other != value);
    assert_int_equal(set3(&f, m, rod, vector, 1), 3);
    assert_int_equal(set3(&f, m, mass, &wrong, 1), 3);
    assert_int_equal(set3(&f, m, mass, &nan, 1), 3);
    assert_int_equal(set3(&f, m, 99999, &twice, 1), 3);
    assert_int_equal(get3(&f, m, 99999, &other, 1), 3);
    /* a step with these numbers is that of our own system */
    Lieder *session = lieder_create(NULL);
    LiederSystem *system = load_scalar(session, SOURCE_DIR "/models/crane_crab.mo", NULL);
    assert_int_equal(lieder_system_set(system, "cart.m", 20), LIEDER_DONE);
    assert_int_equal(lieder_system_set(system, "rod.r[1]", 0.5), LIEDER_DONE);
    assert_int_equal(lieder_system_set(system, "revolute.phi", 0.3), LIEDER_DONE);
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.solver = LIEDER_RK4;
    o.step = 1e-3;
    LiederStepper *s = lieder_stepper_create(system, &o);
    assert_int_equal(lieder_stepper_step(s, 100), LIEDER_DONE);
    assert_int_equal(step3(&f, m, 0, 0.1), 0);
    assert_int_equal(get3(&f, m, phi, &value, 1), 0);
    assert_true(value ==
                lieder_stepper_state(s)[lieder_system_state_index(system, "revolute.phi")]);
    lieder_stepper_destroy(s);
    lieder_system_destroy(system);
    lieder_destroy(session);
    CALL(&f, void, "fmi3FreeInstance", void *)(m);
    drop_fmu(&f);
}

static void test_wrong_order(void **state)
{
    (void)state;
    Fmu f = crab();
    double value, values[4];
    bool flag[5];
    size_t n;
    assert_int_equal(step3(&f, NULL, 0, 1), 3);
    CALL(&f, void, "fmi3FreeInstance", void *)(NULL);
    void *m = instantiate3(&f, true, NULL);
    assert_int_equal(step3(&f, m, 0, 1e-3), 3);
    assert_int_equal(call3(&f, m, "fmi3ExitInitializationMode"), 3);
    assert_int_equal(call3(&f, m, "fmi3Terminate"), 3);
    assert_int_equal(call3(&f, m, "fmi3EnterEventMode"), 3);
    assert_int_equal(call3(&f, m, "fmi3EnterConfigurationMode"), 3);
    assert_int_equal(enter3(&f, m), 0);
    assert_int_equal(enter3(&f, m), 3);
    assert_int_equal(call3(&f, m, "fmi3ExitInitializationMode"), 0);
    assert_int_equal(call3(&f, m, "fmi3EnterContinuousTimeMode"), 3);
    assert_int_equal(CALL(&f, int, "fmi3SetTime", void *, double)(m, 1), 3);
    assert_int_equal(
        CALL(&f, int, "fmi3SetContinuousStates", void *, const double *, size_t)(m, values, 4), 3);
    assert_int_equal(CALL(&f, int, "fmi3UpdateDiscreteStates", void *, bool *, bool *, bool *,
                          bool *, bool *, double *)(m, flag, flag, flag, flag, flag, &value),
                     3);
    assert_int_equal(step3(&f, m, 0, 0), 3);
    assert_int_equal(step3(&f, m, 0, -1), 3);
    assert_int_equal(step3(&f, m, 0, NAN), 3);
    assert_int_equal(step3(&f, m, 1, 1e-3), 3);
    assert_int_equal(step3(&f, m, 0, 2.5e-3), 0); /* two whole steps and a half one */
    assert_int_equal(step3(&f, m, 2.5e-3, 1e-3), 0);
    assert_int_equal(call3(&f, m, "fmi3Terminate"), 0);
    assert_int_equal(step3(&f, m, 3.5e-3, 1e-3), 3);
    assert_int_equal(call3(&f, m, "fmi3Reset"), 0);
    assert_int_equal(enter3(&f, m), 0);
    assert_int_equal(CALL(&f, int, "fmi3GetNumberOfContinuousStates", void *, size_t *)(m, &n), 0);
    assert_int_equal(n, 4);
    CALL(&f, void, "fmi3FreeInstance", void *)(m);
    char good = f.token[1];
    f.token[1] = 'x';
    assert_null(instantiate3(&f, true, NULL));
    f.token[1] = good;
    drop_fmu(&f);
}

/* derivatives and directional derivatives in model exchange */
static void test_model_exchange(void **state)
{
    (void)state;
    Fmu f = crab();
    Lieder *session = lieder_create(NULL);
    LiederSystem *system = load_scalar(session, SOURCE_DIR "/models/crane_crab.mo", NULL);
    void *m = instantiate3(&f, false, NULL);
    double x[4] = {0.1, 0.2, 0.3, 0.4}, dx[4], expected[4], nan[4] = {NAN, 0, 0, 0};
    assert_int_equal(enter3(&f, m), 0);
    assert_int_equal(call3(&f, m, "fmi3ExitInitializationMode"), 0);
    assert_int_equal(call3(&f, m, "fmi3EnterContinuousTimeMode"), 0);
    assert_int_equal(step3(&f, m, 0, 1e-3), 3);
    assert_int_equal(
        CALL(&f, int, "fmi3SetContinuousStates", void *, const double *, size_t)(m, x, 4), 0);
    assert_int_equal(
        CALL(&f, int, "fmi3GetContinuousStateDerivatives", void *, double *, size_t)(m, dx, 4), 0);
    assert_int_equal(lieder_system_derivatives(system, 0, x, expected), LIEDER_DONE);
    assert_memory_equal(dx, expected, sizeof dx);
    assert_int_equal(
        CALL(&f, int, "fmi3SetContinuousStates", void *, const double *, size_t)(m, nan, 4), 3);
    /* d der(w) / d phi by our own differences */
    uint32_t unknown = reference(&f, "der(revolute.w)"), known = reference(&f, "revolute.phi");
    double seed = 2, sensitivity, up[4], down[4], h = 1e-5;
    assert_int_equal(CALL(&f, int, "fmi3GetDirectionalDerivative", void *, const uint32_t *, size_t,
                          const uint32_t *, size_t, const double *, size_t, double *,
                          size_t)(m, &unknown, 1, &known, 1, &seed, 1, &sensitivity, 1),
                     0);
    ptrdiff_t phi = lieder_system_state_index(system, "revolute.phi"),
              w = lieder_system_state_index(system, "revolute.w");
    x[phi] += h;
    assert_int_equal(lieder_system_derivatives(system, 0, x, up), LIEDER_DONE);
    x[phi] -= 2 * h;
    assert_int_equal(lieder_system_derivatives(system, 0, x, down), LIEDER_DONE);
    double slope = 2 * (up[w] - down[w]) / (2 * h); /* wrong by about h^2 and eps / h */
    assert_true(fabs(sensitivity - slope) < 1e-7 * fabs(slope));
    /* asking changes nothing */
    assert_int_equal(
        CALL(&f, int, "fmi3GetContinuousStateDerivatives", void *, double *, size_t)(m, dx, 4), 0);
    assert_memory_equal(dx, expected, sizeof dx);
    CALL(&f, void, "fmi3FreeInstance", void *)(m);
    lieder_system_destroy(system);
    lieder_destroy(session);
    drop_fmu(&f);
}

static void test_states(void **state)
{
    (void)state;
    Fmu f = crab();
    uint32_t phi = reference(&f, "revolute.phi"), mass = reference(&f, "cart.m");
    double first, second, heavy = 30, value;
    void *m = instantiate3(&f, true, NULL), *kept = NULL, *back = NULL;
    assert_int_equal(enter3(&f, m), 0);
    assert_int_equal(call3(&f, m, "fmi3ExitInitializationMode"), 0);
    assert_int_equal(step3(&f, m, 0, 0.1), 0);
    assert_int_equal(CALL(&f, int, "fmi3GetFMUState", void *, void **)(m, &kept), 0);
    assert_int_equal(step3(&f, m, 0.1, 0.1), 0);
    assert_int_equal(get3(&f, m, phi, &first, 1), 0);
    /* through bytes, into another instance */
    size_t n;
    assert_int_equal(
        CALL(&f, int, "fmi3SerializedFMUStateSize", void *, void *, size_t *)(m, kept, &n), 0);
    uint8_t *bytes = malloc(n);
    assert_int_equal(CALL(&f, int, "fmi3SerializeFMUState", void *, void *, uint8_t *,
                          size_t)(m, kept, bytes, n),
                     0);
    void *other = instantiate3(&f, true, NULL);
    assert_int_equal(set3(&f, other, mass, &heavy, 1), 0);
    assert_int_equal(CALL(&f, int, "fmi3DeserializeFMUState", void *, const uint8_t *, size_t,
                          void **)(other, bytes, n, &back),
                     0);
    assert_int_equal(CALL(&f, int, "fmi3SetFMUState", void *, void *)(other, back), 0);
    assert_int_equal(get3(&f, other, mass, &value, 1), 0);
    assert_true(value == 2);
    assert_int_equal(step3(&f, other, 0.1, 0.1), 0);
    assert_int_equal(get3(&f, other, phi, &second, 1), 0);
    assert_true(first == second);
    /* bytes that are no state */
    void *none = NULL;
    for (size_t cut = 0; cut < n; cut += 1 + cut / 3)
        assert_int_equal(CALL(&f, int, "fmi3DeserializeFMUState", void *, const uint8_t *, size_t,
                              void **)(other, bytes, cut, &none),
                         3);
    bytes[20] ^= 1;
    assert_int_equal(CALL(&f, int, "fmi3DeserializeFMUState", void *, const uint8_t *, size_t,
                          void **)(other, bytes, n, &none),
                     3);
    bytes[20] ^= 1;
    /* a phase that there is not, and numbers that are none; the numbers begin after the head */
    static const double phases[] = {0, -1, 3, 64, 0x1ff, 1e300, NAN};
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        memcpy(bytes + 48 + 6 * sizeof(double), &phases[i], sizeof(double));
        assert_int_equal(CALL(&f, int, "fmi3DeserializeFMUState", void *, const uint8_t *, size_t,
                              void **)(other, bytes, n, &none),
                         3);
    }
    free(bytes);
    /* a state of co-simulation is none of model exchange, which goes on as it was */
    void *exchange = instantiate3(&f, false, NULL);
    assert_int_equal(CALL(&f, int, "fmi3SetFMUState", void *, void *)(exchange, kept), 3);
    assert_int_equal(enter3(&f, exchange), 0);
    assert_int_equal(call3(&f, exchange, "fmi3ExitInitializationMode"), 0);
    CALL(&f, void, "fmi3FreeInstance", void *)(exchange);
    CALL(&f, int, "fmi3FreeFMUState", void *, void **)(m, &kept);
    CALL(&f, int, "fmi3FreeFMUState", void *, void **)(m, &back);
    CALL(&f, void, "fmi3FreeInstance", void *)(m);
    CALL(&f, void, "fmi3FreeInstance", void *)(other);
    drop_fmu(&f);
}

/* a thousand lives, and two instances in two threads */
static void live(const Fmu *f, int times, double *end)
{
    for (int i = 0; i < times; i++) {
        void *m = instantiate3(f, true, NULL);
        for (int again = 0; again < 2; again++) {
            assert_int_equal(enter3(f, m), 0);
            assert_int_equal(call3(f, m, "fmi3ExitInitializationMode"), 0);
            assert_int_equal(step3(f, m, 0, 0.02), 0);
            assert_int_equal(get3(f, m, reference(f, "revolute.phi"), end, 1), 0);
            assert_int_equal(call3(f, m, "fmi3Terminate"), 0);
            assert_int_equal(call3(f, m, "fmi3Reset"), 0);
        }
        CALL(f, void, "fmi3FreeInstance", void *)(m);
    }
}

typedef struct Life {
    const Fmu *f;
    double end;
} Life;

static void *live_beside(void *user)
{
    Life *l = user;
    live(l->f, 200, &l->end);
    return NULL;
}

static void test_lives(void **state)
{
    (void)state;
    Fmu f = crab();
    double end;
    live(&f, 1000, &end);
    Life lives[2] = {{&f, 0}, {&f, 0}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, live_beside, &lives[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert_true(lives[0].end == end && lives[1].end == end);
    drop_fmu(&f);
}

/* a motion to numbers that are not finite: an error, and nothing but reset is left */
static void test_not_finite(void **state)
{
    (void)state;
    Fmu f = crab();
    uint32_t g = reference(&f, "load.g");
    double huge = 1e307, value;
    int status = 0;
    void *m = instantiate3(&f, true, NULL);
    assert_int_equal(set3(&f, m, g, &huge, 1), 0);
    assert_int_equal(enter3(&f, m), 0);
    assert_int_equal(call3(&f, m, "fmi3ExitInitializationMode"), 0);
    for (int i = 0; i < 300 && status == 0; i++)
        status = step3(&f, m, i * 1e-3, 1e-3);
    assert_int_equal(status, 3);
    assert_int_equal(get3(&f, m, g, &value, 1), 3);
    assert_int_equal(call3(&f, m, "fmi3Reset"), 0);
    assert_int_equal(get3(&f, m, g, &value, 1), 0);
    assert_true(value == 9.81);
    CALL(&f, void, "fmi3FreeInstance", void *)(m);
    drop_fmu(&f);
}

/* ------------------------------------------------------------------ sizes that can be chosen */

static const char crabs[] = "model Crabs\n"
                            "  parameter Integer n = 3;\n"
                            "  inner Dialectic.World world;\n"
                            "  Dialectic.Examples.CraneCrab crab[n](each cart(m = %s));\n"
                            "end Crabs;\n";

/* the model `user` with another n, in a session of its own */
static LiederSystem *resize(void *user, const char *parameter, size_t value)
{
    char number[32];
    LiederSystemOptions o = lieder_system_defaults();
    o.isa = LIEDER_ISA_SCALAR;
    Lieder *session = lieder_create(NULL);
    snprintf(number, sizeof number, "%zu", value);
    assert_int_equal(lieder_load_text(session, "test.mo", user), LIEDER_DONE);
    return lieder_system_load(session, "Crabs", &(LiederOverride){parameter, number, false}, 1, &o,
                              NULL);
}

static void release(void *user, LiederSystem *system)
{
    (void)user;
    Lieder *session = system->session;
    lieder_system_destroy(system);
    lieder_destroy(session);
}

static Fmu export_crabs(const char *mass, const char *into)
{
    char path[256], name[64], text[400];
    snprintf(text, sizeof text, crabs, mass);
    Lieder *session = lieder_create(NULL);
    LiederSystem *system = load_scalar(session, text, NULL);
    FmiExport e = export_defaults(3);
    const FmiSize size = {"n", "number of crabs"};
    e.also = NULL;
    e.sizes = &size;
    e.nsize = 1;
    e.resize = resize;
    e.release = release;
    e.resize_user = text;
    snprintf(name, sizeof name, "%s.fmu", into);
    assert_int_equal(fmi_export(system, &e, in_folder(name, path)), LIEDER_DONE);
    lieder_system_destroy(system);
    lieder_destroy(session);
    return load_fmu(path, into, machine);
}

static int set_size(const Fmu *f, void *m, uint32_t vr, uint64_t n)
{
    return CALL(f, int, "fmi3SetUInt64", void *, const uint32_t *, size_t, const uint64_t *,
                size_t)(m, &vr, 1, &n, 1);
}

static void test_sizes_chosen(void **state)
{
    (void)state;
    Fmu f = export_crabs("2", "crabs");
    uint32_t n = reference(&f, "n"), phi = reference(&f, "crab.revolute.phi"),
             g = reference(&f, "crab.cart.m");
    double starts[5] = {1, 0.5, 0.25, 0.1, -1}, end[5], masses[5] = {2, 2, 2, 2, 7};
    uint64_t value;
    size_t count;
    char text[64];
    snprintf(text, sizeof text, "<Dimension valueReference=\"%u\"/>", n);
    assert_non_null(strstr(f.description.items, text));
    void *m = instantiate3(&f, true, NULL), *other = instantiate3(&f, true, NULL), *kept = NULL;
    assert_int_equal(set_size(&f, m, n, 5), 3); /* not yet */
    assert_int_equal(call3(&f, m, "fmi3ExitConfigurationMode"), 3);
    assert_int_equal(call3(&f, m, "fmi3EnterConfigurationMode"), 0);
    assert_int_equal(set_size(&f, m, n, 0), 3);
    assert_int_equal(set_size(&f, m, phi, 5), 3);
    assert_int_equal(set_size(&f, m, n, 5), 0);
    assert_int_equal(call3(&f, m, "fmi3ExitConfigurationMode"), 0);
    assert_int_equal(CALL(&f, int, "fmi3GetUInt64", void *, const uint32_t *, size_t, uint64_t *,
                          size_t)(m, &n, 1, &value, 1),
                     0);
    assert_int_equal(value, 5);
    assert_int_equal(CALL(&f, int, "fmi3GetNumberOfContinuousStates", void *, size_t *)(m, &count),
                     0);
    assert_int_equal(count, 20);
    assert_int_equal(set3(&f, m, phi, starts, 3), 3);
    assert_int_equal(set3(&f, m, phi, starts, 5), 0);
    assert_int_equal(set3(&f, m, g, masses, 5), 0);
    assert_int_equal(enter3(&f, m), 0);
    assert_int_equal(call3(&f, m, "fmi3ExitInitializationMode"), 0);
    assert_int_equal(call3(&f, m, "fmi3EnterConfigurationMode"), 3);
    assert_int_equal(step3(&f, m, 0, 0.1), 0);
    /* a copy of the state takes its size along */
    assert_int_equal(CALL(&f, int, "fmi3GetFMUState", void *, void **)(m, &kept), 0);
    assert_int_equal(CALL(&f, int, "fmi3SetFMUState", void *, void *)(other, kept), 0);
    assert_int_equal(step3(&f, other, 0.1, 0.1), 0);
    assert_int_equal(get3(&f, other, phi, end, 5), 0);
    CALL(&f, int, "fmi3FreeFMUState", void *, void **)(m, &kept);
    /* the bits of our own five */
    char model[400], name[64];
    snprintf(model, sizeof model, crabs, "2");
    LiederSystem *system = resize(model, "n", 5);
    for (int i = 0; i < 5; i++) {
        snprintf(name, sizeof name, "crab[%d].revolute.phi", i + 1);
        assert_int_equal(lieder_system_set(system, name, starts[i]), LIEDER_DONE);
    }
    assert_int_equal(lieder_system_set(system, "crab[5].cart.m", 7), LIEDER_DONE);
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.solver = LIEDER_RK4;
    o.step = 1e-3;
    LiederStepper *s = lieder_stepper_create(system, &o);
    assert_int_equal(lieder_stepper_step(s, 200), LIEDER_DONE);
    for (int i = 0; i < 5; i++) {
        snprintf(name, sizeof name, "crab[%d].revolute.phi", i + 1);
        assert_true(end[i] == lieder_stepper_state(s)[lieder_system_state_index(system, name)]);
    }
    lieder_stepper_destroy(s);
    release(NULL, system);
    CALL(&f, void, "fmi3FreeInstance", void *)(m);
    CALL(&f, void, "fmi3FreeInstance", void *)(other);
    drop_fmu(&f);
    /* where n decides something else it cannot be chosen */
    f = export_crabs("1 + 1/n", "masses");
    assert_null(strstr(f.description.items, "structuralParameter"));
    drop_fmu(&f);
}

/* ------------------------------------------------------------------ early return, FMI 2 */

static int updates;
static void update(void *environment, double t, bool set, bool get, bool finished, bool may_return,
                   bool *requested, double *at)
{
    (void)environment;
    (void)set;
    (void)get;
    (void)finished;
    *requested = may_return && ++updates == 7;
    *at = t;
}

static void test_early_return(void **state)
{
    (void)state;
    Fmu f = crab();
    bool event, terminate, early;
    double reached;
    void *m = CALL(&f, void *, "fmi3InstantiateCoSimulation", const char *, const char *,
                   const char *, bool, bool, bool, bool, const uint32_t *, size_t, void *, void *,
                   void *)("one", f.token, NULL, false, false, false, true, NULL, 0, NULL, NULL,
                           (void *)(uintptr_t)update);
    assert_int_equal(enter3(&f, m), 0);
    assert_int_equal(call3(&f, m, "fmi3ExitInitializationMode"), 0);
    assert_int_equal(CALL(&f, int, "fmi3DoStep", void *, double, double, bool, bool *, bool *,
                          bool *, double *)(m, 0, 0.05, true, &event, &terminate, &early, &reached),
                     0);
    assert_true(early && reached == 7 * 1e-3);
    assert_int_equal(step3(&f, m, reached, 1e-3), 0);
    CALL(&f, void, "fmi3FreeInstance", void *)(m);
    drop_fmu(&f);
}

static void test_fmi2(void **state)
{
    (void)state;
    char path[256];
    Lieder *session = lieder_create(NULL);
    LiederSystem *system = load_scalar(session, fleet, NULL);
    FmiExport e = export_defaults(2);
    e.also = NULL;
    assert_int_equal(fmi_export(system, &e, in_folder("two.fmu", path)), LIEDER_DONE);
    Fmu f = load_fmu(path, "two", "binaries/linux64/Test.so");
    struct {
        void *logger, *allocate, *release, *finished, *environment;
    } callbacks = {0};
    void *m = CALL(&f, void *, "fmi2Instantiate", const char *, int, const char *, const char *,
                   const void *, int, int)("one", 1, f.token, NULL, &callbacks, 0, 0);
    assert_non_null(m);
    uint32_t vr[] = {reference(&f, "crab[2].revolute.phi"), reference(&f, "crab[3].cart.m")};
    double values[2], heavy = 7;
    assert_int_equal(CALL(&f, int, "fmi2DoStep", void *, double, double, int)(m, 0, 1, 1), 3);
    assert_int_equal(CALL(&f, int, "fmi2SetupExperiment", void *, int, double, double, int,
                          double)(m, 0, 0, 0, 0, 0),
                     0);
    assert_int_equal(CALL(&f, int, "fmi2SetReal", void *, const uint32_t *, size_t,
                          const double *)(m, vr + 1, 1, &heavy),
                     0);
    assert_int_equal(call3(&f, m, "fmi2EnterInitializationMode"), 0);
    assert_int_equal(call3(&f, m, "fmi2ExitInitializationMode"), 0);
    assert_int_equal(CALL(&f, int, "fmi2DoStep", void *, double, double, int)(m, 0, 0.1, 1), 0);
    assert_int_equal(
        CALL(&f, int, "fmi2GetReal", void *, const uint32_t *, size_t, double *)(m, vr, 2, values),
        0);
    assert_true(values[1] == 7);
    /* the bits of our own run, whose lanes differ now */
    assert_int_equal(lieder_system_set(system, "crab[3].cart.m", 7), LIEDER_DONE);
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.solver = LIEDER_RK4;
    o.step = 1e-3;
    LiederStepper *s = lieder_stepper_create(system, &o);
    assert_int_equal(lieder_stepper_step(s, 100), LIEDER_DONE);
    assert_true(values[0] ==
                lieder_stepper_state(s)[lieder_system_state_index(system, "crab[2].revolute.phi")]);
    CALL(&f, void, "fmi2FreeInstance", void *)(m);
    lieder_stepper_destroy(s);
    lieder_system_destroy(system);
    lieder_destroy(session);
    drop_fmu(&f);
}

/* ------------------------------------------------------------------ the file */

static void test_sizes(void **state)
{
    (void)state;
    char path[256];
    struct stat st;
    Lieder *session = lieder_create(NULL);
    LiederSystem *system = load_scalar(session, SOURCE_DIR "/models/crane_crab.mo", NULL);
    FmiExport e = export_defaults(3);
    e.also = NULL;
    assert_int_equal(fmi_export(system, &e, in_folder("size.fmu", path)), LIEDER_DONE);
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_size <= 80000);
    lieder_system_destroy(system);
    lieder_destroy(session);
    session = lieder_create(NULL);
    system = load_scalar(session,
                         "model Million inner Dialectic.World world; Dialectic.Examples.CraneCrab "
                         "crab[1000000]; end Million;",
                         NULL);
    assert_int_equal(fmi_export(system, &e, in_folder("million.fmu", path)), LIEDER_DONE);
    TextBuffer text = read_entry(path, "modelDescription.xml");
    assert_true(text.n <= 20000);
    vec_drop(&memory_default, &text);
    /* FMI 2 has no arrays */
    e.version = 2;
    assert_int_equal(fmi_export(system, &e, path), LIEDER_BAD_USE);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* what a derivative depends on: the time, and the states of its own lane or shape */
static void test_structure(void **state)
{
    (void)state;
    char path[256];
    Lieder *session = lieder_create(NULL);
    LiederSystem *system = load_scalar(session, fleet, NULL);
    FmiExport e = export_defaults(2);
    e.sources_only = true;
    assert_int_equal(fmi_export(system, &e, in_folder("structure.fmu", path)), LIEDER_DONE);
    TextBuffer text = read_entry(path, "modelDescription.xml");
    int at[5], end = 0;
    assert_int_equal(
        sscanf(strstr(text.items, "<Derivatives>"),
               "<Derivatives> <Unknown index=\"%d\" dependencies=\"1 %d %d %d %d\"/>%n", &at[0],
               &at[1], &at[2], &at[3], &at[4], &end),
        5);
    assert_true(end > 0);
    /* s, v, phi and w of one crab, of which there are three */
    for (int i = 1; i < 5; i++) {
        char key[64];
        snprintf(key, sizeof key, "valueReference=\"%d\"", at[i] - 1);
        char *line = strstr(text.items, key);
        while (line > text.items && *line != '\n')
            line--;
        assert_int_equal(strncmp(line + 1, "    <ScalarVariable name=\"crab[1].", 34), 0);
    }
    vec_drop(&memory_default, &text);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* a parameter that others were computed from is a constant of the FMU, the others are tunable */
static void test_bound_parameters(void **state)
{
    (void)state;
    static const char text[] = "model M\n"
                               "  parameter Real k = 1, c = 2*k;\n"
                               "  Real x(start = 1);\n"
                               "equation\n"
                               "  der(x) = c - k*x;\n"
                               "end M;\n";
    char path[256];
    Lieder *session = lieder_create(NULL);
    LiederSystem *system = load_scalar(session, text, NULL);
    for (int version = 2; version <= 3; version++) {
        FmiExport e = export_defaults(version);
        e.sources_only = true;
        assert_int_equal(fmi_export(system, &e, in_folder("bound.fmu", path)), LIEDER_DONE);
        TextBuffer xml = read_entry(path, "modelDescription.xml");
        for (int i = 0; i < 2; i++) {
            const char *line = strstr(xml.items, i ? "name=\"c\"" : "name=\"k\"");
            assert_non_null(line);
            char tag[400];
            snprintf(tag, sizeof tag, "%.*s", (int)strcspn(line, ">"), line);
            const char *tunable = strstr(tag, "variability=\"tunable\"");
            const char *constant = strstr(tag, "variability=\"constant\"");
            assert_true(i ? tunable && !constant : constant && !tunable);
        }
        vec_drop(&memory_default, &xml);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* the sources build with one line of any compiler, with libc and libm, to the same bits */
static void test_sources(void **state)
{
    (void)state;
    char path[256], command[1024];
    Fmu f = crab();
    snprintf(
        command, sizeof command,
        "cd %s/shared0/sources 2>/dev/null || cd %s/shared1/sources; gcc -std=gnu17 %s -shared "
        "-fPIC -I. fmu.c shape_0.c -o %s/built.so -lm && ! ldd %s/built.so | grep -v -e libc.so "
        "-e libm.so -e ld-linux -e vdso",
        folder, folder, IN_FULL("-O1", "-O0"), folder, folder);
    assert_int_equal(system(command), 0);
    Fmu built = f;
    built.library = dlopen(in_folder("built.so", path), RTLD_NOW | RTLD_LOCAL);
    assert_non_null(built.library);
    double end[2];
    live(&f, 1, &end[0]);
    live(&built, 1, &end[1]);
    assert_true(end[0] == end[1]);
    dlclose(built.library);
    drop_fmu(&f);
}

/* equal models give equal files; a name that cannot be written is an error */
static void test_files(void **state)
{
    (void)state;
    char a[256], b[256], command[600];
    Lieder *session = lieder_create(NULL);
    LiederSystem *system = load_scalar(session, own, NULL);
    FmiExport e = export_defaults(3);
    assert_int_equal(fmi_export(system, &e, in_folder("a.fmu", a)), LIEDER_DONE);
    assert_int_equal(fmi_export(system, &e, in_folder("b.fmu", b)), LIEDER_DONE);
    snprintf(command, sizeof command, "cmp -s %s %s", a, b);
    assert_int_equal(run_command(command), 0);
    assert_int_equal(fmi_export(system, &e, "/nowhere/at/all.fmu"), LIEDER_IO);
    e.solver = LIEDER_BDF;
    assert_int_equal(fmi_export(system, &e, a), LIEDER_BAD_USE);
    e.solver = LIEDER_RK4;
    e.step = 0;
    assert_int_equal(fmi_export(system, &e, a), LIEDER_BAD_USE);
    lieder_system_destroy(system);
    lieder_destroy(session);
    /* what an FMU cannot carry */
    session = lieder_create(NULL);
    system = load_scalar(session, SOURCE_DIR "/models/scale/Net.mo", NULL);
    e = export_defaults(3);
    assert_int_equal(fmi_export(system, &e, a), LIEDER_BAD_USE);
    assert_non_null(strstr(lieder_diagnostic_get(session, 0)->message, "sparse"));
    lieder_system_destroy(system);
    lieder_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits_of_crab),    cmocka_unit_test(test_bits_of_lanes),
        cmocka_unit_test(test_bits_of_signals), cmocka_unit_test(test_bits_of_equations),
        cmocka_unit_test(test_bits_of_loops),   cmocka_unit_test(test_bits_of_chain),
        cmocka_unit_test(test_parameters),      cmocka_unit_test(test_wrong_order),
        cmocka_unit_test(test_model_exchange),  cmocka_unit_test(test_states),
        cmocka_unit_test(test_lives),           cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_early_return),    cmocka_unit_test(test_fmi2),
        cmocka_unit_test(test_sizes),           cmocka_unit_test(test_sizes_chosen),
        cmocka_unit_test(test_structure),       cmocka_unit_test(test_bound_parameters),
        cmocka_unit_test(test_sources),         cmocka_unit_test(test_files)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
