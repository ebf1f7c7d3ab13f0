/* test_models.c - the models under models/ run from their text, and their physics is right. */
#define _GNU_SOURCE /* nftw */
#include <ftw.h>

#include "help/meter.h"
#include "help/run.h"

static int models_started;

/* a file under models/ that is a model becomes a system and can be evaluated at its start */
static int start_model(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)place;
    size_t n = strlen(path);
    const char *name = NULL;
    if (kind != FTW_F || n < 4 || strcmp(path + n - 3, ".mo") != 0)
        return 0;
    Lieder *session = lieder_create(NULL);
    Front *front = front_create(session);
    bool ok =
        front_load(front, path) == LIEDER_DONE &&
        front_instantiate(front, front_last_model(front), NULL, 0, NULL, &name) == LIEDER_DONE;
    LiederSystem *system = ok ? lieder_system_create(session, name, NULL) : NULL;
    lieder_diagnostic_print_all(session, stderr);
    if (!system)
        fail_msg("%s is no system", path);
    size_t nstate = lieder_system_state_count(system);
    double *x = malloc(2 * nstate * sizeof *x);
    lieder_system_start(system, x);
    assert_int_equal(lieder_system_derivatives(system, 0, x, x + nstate), LIEDER_DONE);
    free(x);
    lieder_system_destroy(system);
    front_destroy(front);
    lieder_destroy(session);
    models_started++;
    return 0;
}

static void all_models_start(void **state)
{
    (void)state;
    assert_int_equal(nftw(SOURCE_DIR "/models", start_model, 8, FTW_PHYS), 0);
    assert_true(models_started >= 10);
}

/* from the file to the end of a short run with an allocator that says no at its k-th call; returns
 * the number of calls */
static size_t pass_starved(const char *path, size_t k)
{
    Meter meter = {.fail_at = k};
    LiederAllocator alloc = METER_ALLOCATOR(&meter);
    Lieder *session = lieder_create(&alloc);
    Front *front = session ? front_create(session) : NULL;
    const char *name = NULL;
    LiederStatus status = front ? front_load(front, path) : LIEDER_NO_MEMORY;
    if (status == LIEDER_DONE)
        status = front_instantiate(front, front_last_model(front), NULL, 0, NULL, &name);
    LiederSystem *system = status == LIEDER_DONE ? lieder_system_create(session, name, NULL) : NULL;
    if (system) {
        LiederSimulateOptions o = lieder_simulate_defaults();
        LiederStatistics statistics;
        o.stop = o.interval = 1e-3;
        status = lieder_simulate(system, &o, &statistics);
    }
    if (status != LIEDER_DONE && status != LIEDER_NO_MEMORY) {
        lieder_diagnostic_print_all(session, stderr);
        fail_msg("%s: allocation %zu fails, and the status is %d", path, k, status);
    }
    lieder_system_destroy(system);
    front_destroy(front);
    lieder_destroy(session);
    assert_int_equal(meter.bytes, 0);
    assert_int_equal(meter.wrong, 0);
    return meter.calls;
}

static int starve_model(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    enum { FAILURES = 6 };
    (void)info;
    (void)place;
    size_t n = strlen(path);
    if (kind != FTW_F || n < 4 || strcmp(path + n - 3, ".mo") != 0)
        return 0;
    size_t ncall = pass_starved(path, 0);
    for (size_t i = 0; i < FAILURES; i++) /* somewhere in each part, elsewhere for each file */
        pass_starved(path, 1 + (i * ncall + ncall * (n % 7) / 7) / FAILURES);
    return 0;
}

/* no crash, nothing lost, and memory is what is missing */
static void all_models_starved(void **state)
{
    (void)state;
    assert_int_equal(nftw(SOURCE_DIR "/models", starve_model, 8, FTW_PHYS), 0);
    /* while the last model of the file is looked for */
    size_t k = 300;
    for (size_t ncall = pass_starved(SOURCE_DIR "/models/circuit.mo", 0); k < ncall && k < 700; k++)
        pass_starved(SOURCE_DIR "/models/circuit.mo", k);
}

/* A million crabs from text are lanes: memory grows by the parameter that differs, once for front
 * end, model and system together. */
static void fleet(void **state)
{
    (void)state;
    Meter meter = {0};
    LiederAllocator alloc = METER_ALLOCATOR(&meter);
    Lieder *session = lieder_create(&alloc);
    Front *front = front_create(session);
    FrontOverride n = {.name = "n", .value = "1000000"};
    const char *name = NULL;
    assert_int_equal(front_load(front, SOURCE_DIR "/models/scale/Fleet.mo"), LIEDER_DONE);
    assert_int_equal(front_instantiate(front, "Fleet", &n, 1, NULL, &name), LIEDER_DONE);
    LiederSystem *system = lieder_system_create(session, name, NULL);
    assert_non_null(system);
    LiederSystemInfo info = lieder_system_info(system);
    assert_int_equal(info.nstate, 4000000);
    /* the library, the tree of the text and one crab are less than 4 MB */
    assert_true(meter.bytes < 8 * 1000000 + 4000000);
    lieder_system_destroy(system);
    front_destroy(front);
    lieder_destroy(session);
}

/* A million instances of an own class of equations: nothing each but the numbers that differ. */
static void own_fleet(void **state)
{
    (void)state;
    static const char *const text =
        "model Ode\n  parameter Real k = 1;\n  Real x(start = 1), y(start = 0);\nequation\n"
        "  der(x) = -k*x;\n  der(y) = x;\nend Ode;\n"
        "model Equal\n  Ode o[1000000];\nend Equal;\n"
        "model Unequal\n  Ode o[1000, 1000](k = {{i + j/1000 for j in 1:1000} for i in "
        "1:1000});\nend Unequal;\n";
    static const char *const names[] = {"Equal", "Unequal"};
    for (int k = 0; k < 2; k++) {
        Meter meter = {0};
        LiederAllocator alloc = METER_ALLOCATOR(&meter);
        Lieder *session = lieder_create(&alloc);
        Front *front = front_create(session);
        const char *name = NULL;
        assert_int_equal(front_load_text(front, "own.mo", text), LIEDER_DONE);
        assert_int_equal(front_instantiate(front, names[k], NULL, 0, NULL, &name), LIEDER_DONE);
        LiederSystem *system = lieder_system_create(session, name, NULL);
        assert_non_null(system);
        assert_int_equal(lieder_system_info(system).nstate, 2000000);
        assert_int_equal(lieder_system_info(system).nlane, 1000000);
        assert_true(meter.bytes < (long long)k * 8 * 1000000 + 4000000);
        double value = 0;
        if (k == 1)
            assert_int_equal(lieder_system_get(system, "o[7,250].k", &value), LIEDER_DONE);
        assert_true(k == 0 || fabs(value - 7.25) < 1e-12);
        assert_true(lieder_system_state_index(system, k ? "o[1000,1000].y" : "o[1000000].y") >= 0);
        lieder_system_destroy(system);
        front_destroy(front);
        lieder_destroy(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_models_start),
        cmocka_unit_test(all_models_starved),
        cmocka_unit_test(fleet),
        cmocka_unit_test(own_fleet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
