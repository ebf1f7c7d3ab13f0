/* test_allocation.c - memory: the k-th allocation failing is survived for every k, nothing leaks,
 * evaluation allocates nothing, and lanes cost no allocations. */
#include "help/engine.h"
#include "help/full.h"
#include "help/meter.h"

/* arrays, nested models, a template, loops, tables, signals and values by lane */
static void build(Lieder *session)
{
    LiederModel *axle = lieder_model_create(session, "Axle", "a wheel on a motor");
    lieder_model_add(axle, "fixed", "Rotational.Fixed");
    lieder_model_add(axle, "joint", "Rotational.Joint");
    lieder_model_set(axle, "joint.phi.nominal", 0.5);
    lieder_model_add(axle, "wheel", "Rotational.RollingWheel");
    lieder_model_add(axle, "mass", "Translational.Body");
    lieder_model_add(axle, "plan", "Signals.TimeTable");
    lieder_model_add(axle, "sensor", "Rotational.AngleSensor");
    lieder_model_set_vector(axle, "plan.table", (double[]){0, 0, 1, 2, 3, 3}, 6);
    lieder_model_set(axle, "sensor.filtered", 1);
    lieder_model_connect(axle, "fixed.flange_b", "joint.flange_a");
    lieder_model_connect(axle, "joint.flange_b", "wheel.flangeR");
    lieder_model_connect(axle, "wheel.flangeT", "mass.flange_a");
    lieder_model_connect(axle, "plan.y", "joint.tau_ext");
    lieder_model_connect(axle, "joint.flange_b", "sensor.flange");
    lieder_model_expose(axle, "rim", "wheel.flangeT");

    LiederModel *m = lieder_model_create(session, "M", "all of it");
    lieder_model_add(m, "world", "World");
    lieder_model_add_array(m, "crab", "Examples.CraneCrab", 5);
    lieder_model_add_array(m, "axle", "Axle", 3);
    lieder_model_add_array(m, "fleet", "Axle", 4);
    lieder_model_add_array(m, "band", "Translational.SpringDamper", 2);
    lieder_model_add(m, "chain", "Examples.Chain");
    lieder_model_set(m, "chain.n", 4);
    lieder_model_set_each(m, "crab.cart.m", (double[]){1, 2, 3, 4, 5}, 5);
    lieder_model_set(m, "crab[2].revolute.phi", 0.5);
    lieder_model_set_each(m, "fleet.mass.m", (double[]){1, 2, 3, 4}, 4);
    lieder_model_connect(m, "axle[1].rim", "band[1].flange_a");
    lieder_model_connect(m, "axle[2].rim", "band[1].flange_b");
    lieder_model_connect(m, "axle[2].rim", "band[2].flange_a");
    lieder_model_connect(m, "axle[3].rim", "band[2].flange_b");
    lieder_model_add(m, "tie", "Planar.SpringDamper");
    lieder_model_spare(m, "tie");
}

/* Connections change, and change back: two elements of an array, and one that the model has
 * expanded. Whatever is not done is not done at all: derivatives tell. */
static bool restructure(LiederSystem *system, const double *x)
{
    size_t n = lieder_system_state_count(system);
    double *before = calloc(n, sizeof *before), *after = calloc(n, sizeof *after);
    bool ok = lieder_system_derivatives(system, 0.5, x, before) == LIEDER_DONE;
    for (int k = 0; k < 3 && ok; k++) {
        if (k == 0) {
            lieder_system_connect(system, "tie.frame_a", "crab[2].load.frame_a");
            lieder_system_connect(system, "tie.frame_b", "crab[4].load.frame_a");
        } else if (k == 1) {
            lieder_system_disconnect(system, "band[1].flange_a");
            lieder_system_connect(system, "band[1].flange_a", "fleet[3].rim");
        } else {
            lieder_system_disconnect(system, "tie.frame_a");
            lieder_system_disconnect(system, "tie.frame_b");
            lieder_system_disconnect(system, "band[1].flange_a");
            lieder_system_connect(system, "band[1].flange_a", "axle[1].rim");
        }
        LiederStatus status = lieder_system_restructure(system, NULL);
        ok = lieder_system_derivatives(system, 0.5, x, after) == LIEDER_DONE;
        bool same = memcmp(before, after, n * sizeof *before) == 0;
        assert_true(ok);
        assert_true(same == (status != LIEDER_DONE));
        memcpy(before, after, n * sizeof *before);
        ok = status == LIEDER_DONE;
    }
    free(before);
    free(after);
    return ok;
}

/* the whole life of a session; true if everything worked */
static bool live(const LiederAllocator *alloc, LiederMethod method)
{
    Lieder *session = lieder_create(alloc);
    if (!session)
        return false;
    build(session);
    LiederSystemOptions options = {.method = method};
    LiederSystem *system = lieder_system_create(session, "M", &options);
    bool ok = system != NULL;
    if (system) {
        size_t n = lieder_system_state_count(system);
        double *x = calloc(n, sizeof *x), *dx = calloc(n, sizeof *dx);
        double values[3];
        lieder_system_start(system, x);
        ok = lieder_system_derivatives(system, 0.5, x, dx) == LIEDER_DONE;
        ok &= lieder_system_set(system, "crab[3].load.m", 2.5) == LIEDER_DONE;
        x[lieder_system_state_index(system, "crab[4].revolute.phi")] = 0.4;
        x[lieder_system_state_index(system, "axle[2].joint.phi")] = 0.7;
        ok &= restructure(system, x);
        LiederObserver *o = lieder_observer_create(system);
        ok &= o && lieder_observer_add(o, "axle[2].mass.flange_a.f_ki") >= 0;
        ok &= o && lieder_observer_add(o, "crab[4].load.frame_a.x") >= 0;
        ok &= o && lieder_observer_add(o, "nobody.knows") == -1;
        ok &= o && lieder_observer_evaluate(o, 0.5, x, values) == LIEDER_DONE;
        lieder_observer_destroy(o);
        lieder_system_destroy(system);
        free(x);
        free(dx);
    }
    for (size_t i = 0; i < lieder_diagnostic_count(session); i++)
        assert_non_null(lieder_diagnostic_get(session, i));
    lieder_destroy(session);
    return ok;
}

/* one after the other; in brief every third one, but not when sanitized, where more is seen */
static void every_allocation_may_fail(LiederMethod method, size_t first)
{
    const size_t step = UNLESS_SANITIZED(IN_FULL(1, 3), 1);
    size_t k = first;
    for (;; k += step) {
        Meter meter = {.fail_at = k};
        LiederAllocator alloc = METER_ALLOCATOR(&meter);
        bool ok = live(&alloc, method);
        if (meter.live || meter.bytes)
            fail_msg("allocation %zu failed: %zu blocks, %lld bytes left", k, meter.live,
                     meter.bytes);
        if (meter.wrong)
            fail_msg("allocation %zu failed: %zu blocks given back with another size", k,
                     meter.wrong);
        if (meter.calls < k) { /* none failed */
            assert_true(ok);
            break;
        }
    }
    assert_true(k > first + 100); /* there was something to fail */
}

/* allocations that a session needs alone */
static size_t session_calls(void)
{
    Meter meter = {0};
    LiederAllocator alloc = METER_ALLOCATOR(&meter);
    lieder_destroy(lieder_create(&alloc));
    assert_int_equal(meter.live, 0);
    return meter.calls;
}

static void survives_in_the_tree_method(void **state)
{
    (void)state;
    every_allocation_may_fail(LIEDER_METHOD_TREE, 1);
}

/* the other methods differ once the session stands */
static void survives_in_the_sparse_method(void **state)
{
    (void)state;
    every_allocation_may_fail(LIEDER_METHOD_SPARSE, session_calls() + 1);
}

static void survives_in_the_probing_method(void **state)
{
    (void)state;
    every_allocation_may_fail(LIEDER_METHOD_PROBE, session_calls() + 1);
}

/* a failed allocation must not pass for success with wrong numbers */
static void failure_is_reported(void **state)
{
    (void)state;
    size_t refused = 0, first = session_calls();
    for (size_t k = first + 1; k < first + 200; k++) {
        Meter meter = {.fail_at = k};
        LiederAllocator alloc = METER_ALLOCATOR(&meter);
        refused += !live(&alloc, LIEDER_METHOD_TREE);
    }
    assert_int_equal(refused, 199);
}

static void evaluation_allocates_nothing(void **state)
{
    (void)state;
    for (int method = LIEDER_METHOD_TREE; method <= LIEDER_METHOD_PROBE; method++) {
        Meter meter = {0};
        LiederAllocator alloc = METER_ALLOCATOR(&meter);
        Lieder *session = lieder_create(&alloc);
        build(session);
        LiederSystem *system =
            system_new_with(session, "M", (LiederSystemOptions){.method = (LiederMethod)method});
        size_t n = lieder_system_state_count(system);
        double *x = state_new(system), *dx = malloc(n * sizeof *dx), value;
        LiederObserver *o = lieder_observer_create(system);
        assert_int_equal(lieder_observer_add(o, "chain.body[3].frame_a.ay"), 0);
        size_t before = meter.calls;
        for (int i = 0; i < 10; i++) {
            x[0] += 0.1;
            derivatives(session, system, i, x, dx);
            assert_int_equal(lieder_observer_evaluate(o, i, x, &value), LIEDER_DONE);
            lieder_system_start(system, x);
        }
        assert_int_equal(meter.calls, before);
        lieder_observer_destroy(o);
        lieder_system_destroy(system);
        lieder_destroy(session);
        free(x);
        free(dx);
        assert_int_equal(meter.bytes, 0);
    }
}

/* a network whose diodes open and close: factored anew in every evaluation */
static void networks_allocate_nothing(void **state)
{
    (void)state;
    Meter meter = {0};
    LiederAllocator alloc = METER_ALLOCATOR(&meter);
    Lieder *session = lieder_create(&alloc);
    LiederModel *m = lieder_model_create(session, "Rectifier", "");
    lieder_model_add(m, "V", "Electrical.SineVoltage");
    lieder_model_add(m, "G", "Electrical.Ground");
    lieder_model_add(m, "C", "Electrical.Capacitor");
    lieder_model_add(m, "L", "Electrical.Inductor");
    lieder_model_add(m, "R", "Electrical.Resistor");
    lieder_model_add(m, "D", "Electrical.IdealDiode");
    lieder_model_set(m, "V.f", 100);
    lieder_model_connect(m, "V.p", "D.p");
    lieder_model_connect(m, "D.n", "R.p");
    lieder_model_connect(m, "R.n", "C.p");
    lieder_model_connect(m, "R.n", "L.p");
    lieder_model_connect(m, "V.n", "G.p");
    lieder_model_connect(m, "C.n", "G.p");
    lieder_model_connect(m, "L.n", "G.p");
    LiederSystem *system = system_new(session, "Rectifier");
    size_t n = lieder_system_state_count(system), before = 0;
    double *x = state_new(system), *dx = malloc(n * sizeof *dx);
    for (int i = 0; i < 40; i++) {
        for (size_t s = 0; s < n; s++)
            x[s] = sin(1.7 * i + (double)s);
        derivatives(session, system, 0.001 * i, x, dx);
        before = i == 0 ? meter.calls : before;
        assert_int_equal(meter.calls, before);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
    free(x);
    free(dx);
}

/* allocations and bytes to make a system out of n crabs, or a chain of n links */
static void cost(const char *class_, const char *argument, size_t array, double n, size_t *calls,
                 long long *bytes, size_t *reported)
{
    Meter meter = {0};
    LiederAllocator alloc = METER_ALLOCATOR(&meter);
    Lieder *session = lieder_create(&alloc);
    LiederModel *m = lieder_model_create(session, "M", "");
    if (array)
        lieder_model_add_array(m, "unit", class_, array);
    else
        lieder_model_add(m, "unit", class_);
    if (argument)
        lieder_model_set(m, argument, n);
    size_t calls_before = meter.calls;
    long long bytes_before = meter.bytes;
    LiederSystem *system = system_new(session, "M");
    *calls = meter.calls - calls_before;
    *bytes = meter.bytes - bytes_before;
    *reported = lieder_system_info(system).bytes;
    lieder_system_destroy(system);
    lieder_destroy(session);
    assert_int_equal(meter.live, 0);
}

static void lanes_cost_no_allocations(void **state)
{
    (void)state;
    size_t few, many, reported;
    long long few_bytes, many_bytes;
    cost("Examples.CraneCrab", NULL, 1000, 0, &few, &few_bytes, &reported);
    cost("Examples.CraneCrab", NULL, 1000000, 0, &many, &many_bytes, &reported);
    assert_int_equal(few, many);
    /* equal parameters are shared: a lane costs nothing beyond its states, which are the caller's
     */
    assert_true(many_bytes - few_bytes < 1000);
}

static void links_cost_linear(void **state)
{
    (void)state;
    size_t calls[3], reported[3];
    long long bytes[3];
    double n[3] = {500, 1000, 2000};
    for (int i = 0; i < 3; i++)
        cost("Examples.Chain", "unit.n", 0, n[i], &calls[i], &bytes[i], &reported[i]);
    /* settings and connections of the chain are texts: some allocations per link, no more */
    double per_link = (double)(calls[2] - calls[1]) / 1000;
    assert_true(per_link < 20);
    assert_true((double)(calls[2] - calls[1]) < 2.1 * (double)(calls[1] - calls[0]));
    /* arrays grow by halves: up to 1.5 times the need */
    assert_true((double)bytes[2] < 2.5 * (double)bytes[1]);
}

enum {
    CRABS = 40000
}; /* so many that what does not grow with them, wide records above all, is little for each */

/* a parameter that differs is one number for each element, whoever uses it and however often */
static void unequal_lanes_cost_eight_bytes(void **state)
{
    (void)state;
    static const char *const each[] = {"crab.cart.m", "crab.load.I", "crab.revolute.phi"};
    Meter meter = {0};
    LiederAllocator alloc = METER_ALLOCATOR(&meter);
    Lieder *session = lieder_create(&alloc);
    double *values = malloc(CRABS * sizeof *values), x[2];
    for (size_t i = 0; i < CRABS; i++)
        values[i] = 1 + (double)i;
    LiederModel *m = lieder_model_create(session, "M", "");
    lieder_model_add_array(m, "crab", "Examples.CraneCrab", CRABS);
    long long before = meter.bytes;
    for (int i = 0; i < 3; i++)
        lieder_model_set_each(m, each[i], values, CRABS);
    /* one element alone makes a list of the system's own */
    lieder_model_set(m, "crab[7].load.m", 3);
    LiederSystem *one = system_new(session, "M"), *other = system_new(session, "M");
    double held = (double)(meter.bytes - before) / CRABS;
    /* three that both have in common, and one for each; programs and workspaces do not grow with
     * the crabs */
    assert_in_range((size_t)held, 5 * 8, 5 * 8 + 20);
    /* what one changes is its own */
    assert_int_equal(lieder_system_set(one, "crab[9].cart.m", 77), LIEDER_DONE);
    assert_int_equal(lieder_system_get(one, "crab[9].cart.m", &x[0]), LIEDER_DONE);
    assert_int_equal(lieder_system_get(other, "crab[9].cart.m", &x[1]), LIEDER_DONE);
    assert_true(x[0] == 77 && x[1] == values[8]);
    double more = (double)(meter.bytes - before) / CRABS - held;
    assert_in_range((size_t)more, 8, 9);
    lieder_system_destroy(one);
    one = system_new(session, "M"); /* and the model is as it was */
    assert_int_equal(lieder_system_get(one, "crab[9].cart.m", &x[0]), LIEDER_DONE);
    assert_true(x[0] == values[8]);
    lieder_system_destroy(one);
    lieder_system_destroy(other);
    lieder_destroy(session);
    free(values);
    assert_int_equal(meter.bytes, 0);
}

/* a World for each element: what looks at it holds the list of the World */
static void worlds_are_held_together(void **state)
{
    (void)state;
    Meter meter = {0};
    LiederAllocator alloc = METER_ALLOCATOR(&meter);
    Lieder *session = lieder_create(&alloc);
    double *values = malloc(CRABS * sizeof *values), x;
    for (size_t i = 0; i < CRABS; i++)
        values[i] = 1 + (double)i;
    LiederModel *planet = lieder_model_create(session, "Planet", "");
    lieder_model_add(planet, "world", "World");
    lieder_model_add(planet, "crab", "Examples.CraneCrab");
    LiederModel *m = lieder_model_create(session, "M", "");
    lieder_model_add_array(m, "planet", "Planet", CRABS);
    long long before = meter.bytes;
    lieder_model_set_each(m, "planet.world.g", values, CRABS);
    LiederSystem *system = system_new(session, "M");
    assert_in_range((meter.bytes - before) / CRABS, 8, 8 + 11);
    assert_int_equal(lieder_system_set(system, "planet[2].crab.cart.g", 1), LIEDER_DONE);
    assert_int_equal(lieder_system_get(system, "planet[2].crab.load.g", &x), LIEDER_DONE);
    assert_true(x == values[1]);
    lieder_system_destroy(system);
    lieder_destroy(session);
    free(values);
    assert_int_equal(meter.bytes, 0);
}

/* what the system says it holds is what it holds */
static void reported_bytes_are_true(void **state)
{
    (void)state;
    Meter meter = {0};
    LiederAllocator alloc = METER_ALLOCATOR(&meter);
    Lieder *session = lieder_create(&alloc);
    build(session);
    LiederSystem *built = system_new(session, "M"); /* templates build their models once */
    lieder_system_destroy(built);
    static const LiederMethod methods[] = {LIEDER_METHOD_AUTO, LIEDER_METHOD_TREE};
    for (int i = 0; i < 2; i++) {
        LiederModel *m = lieder_model_create(session, i ? "B" : "A", "");
        lieder_model_add_array(m, "unit", "Axle", 1000);
        long long before = meter.bytes;
        LiederSystem *system =
            system_new_with(session, i ? "B" : "A", (LiederSystemOptions){.method = methods[i]});
        double held = (double)(meter.bytes - before);
        double said = (double)lieder_system_info(system).bytes;
        if (!(said > 0.8 * held && said < 1.1 * held))
            fail_msg("the system holds %.0f bytes and says %.0f", held, said);
        lieder_system_destroy(system);
    }
    lieder_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_in_the_tree_method),
        cmocka_unit_test(survives_in_the_sparse_method),
        cmocka_unit_test(survives_in_the_probing_method),
        cmocka_unit_test(failure_is_reported),
        cmocka_unit_test(evaluation_allocates_nothing),
        cmocka_unit_test(networks_allocate_nothing),
        cmocka_unit_test(lanes_cost_no_allocations),
        cmocka_unit_test(links_cost_linear),
        cmocka_unit_test(unequal_lanes_cost_eight_bytes),
        cmocka_unit_test(worlds_are_held_together),
        cmocka_unit_test(reported_bytes_are_true),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
