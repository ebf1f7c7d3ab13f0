/* test_stepper.c - fixed steps one call at a time have the bits of a run; a controller outside the
 * model; what is refused. */
#include "solve/help.h"

#include "help/net_model.h"

#include <lieder/load.h>
#include <lieder/variables.h>

static void build_model(Lieder *session)
{
    build_crabs(session, "Crabs", 5, 1e-3);
}

/* a mass on a joint, with a force and with something between it and the ground that breaks */
static void build_pushed(Lieder *session, const char *name, double stiffness)
{
    LiederModel *model = lieder_model_create(session, name, "");
    lieder_model_add(model, "fixed", "Translational.Fixed");
    lieder_model_add(model, "joint", "Translational.Joint");
    lieder_model_add(model, "body", "Translational.Body");
    lieder_model_add(model, "force", "Translational.Force");
    lieder_model_add(model, "wire", "Translational.Breakable");
    lieder_model_set(model, "joint.TD", 0);
    lieder_model_set(model, "wire.TD", 0);
    lieder_model_set(model, "wire.c", stiffness);
    lieder_model_set(model, "wire.f_max", 1);
    lieder_model_set(model, "body.m", 2);
    lieder_model_set(model, "body.g", 0);
    lieder_model_set(model, "joint.v", stiffness > 0 ? 1 : 0);
    lieder_model_connect(model, "fixed.flange_b", "joint.flange_a");
    lieder_model_connect(model, "joint.flange_b", "body.flange_a");
    lieder_model_connect(model, "joint.flange_b", "force.flange");
    lieder_model_connect(model, "fixed.flange_b", "wire.flange_a");
    lieder_model_connect(model, "joint.flange_b", "wire.flange_b");
}

/* any pieces of any solver, any number of threads */
static void compare_with_run(const char *name)
{
    Lieder *session = lieder_create(NULL);
    build_model(session);
    build_pushed(session, "Breaking", 2);
    LiederSystem *system = system_new(session, name), *other = system_new(session, name);
    size_t n = lieder_system_state_count(system);
    for (LiederSolver solver = LIEDER_RK1; solver <= LIEDER_EULER_BACKWARD; solver++) {
        LiederSimulateOptions o = lieder_simulate_defaults();
        o.solver = solver;
        o.step = 1e-3;
        o.stop = 0.7;
        o.interval = 0.1;
        Rows rows = {0};
        assert_int_equal(run_rows(system, o, &rows, NULL), LIEDER_DONE);
        o.threads = 1 + solver % 2;
        LiederStepper *s = lieder_stepper_create(other, &o);
        assert_non_null(s);
        static const size_t pieces[] = {1, 2, 297, 300, 100};
        for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
            assert_int_equal(lieder_stepper_step(s, pieces[i]), LIEDER_DONE);
        assert_true(lieder_stepper_time(s) == 700 * 1e-3);
        assert_memory_equal(lieder_stepper_state(s), last_row(&rows), n * sizeof(double));
        /* the same once more, from the start */
        assert_int_equal(lieder_stepper_reset(s, 0, NULL), LIEDER_DONE);
        assert_int_equal(lieder_stepper_step(s, 700), LIEDER_DONE);
        assert_memory_equal(lieder_stepper_state(s), last_row(&rows), n * sizeof(double));
        lieder_stepper_destroy(s);
        rows_drop(&rows);
    }
    lieder_system_destroy(system);
    lieder_system_destroy(other);
    lieder_destroy(session);
}

static void bits_are_those_of_a_run(void **unused)
{
    (void)unused;
    compare_with_run("Crabs");
}

/* the wire breaks on the way, in an event block at the boundary of a step */
static void event_blocks_run(void **unused)
{
    (void)unused;
    compare_with_run("Breaking");
    Lieder *session = lieder_create(NULL);
    build_pushed(session, "Breaking", 2);
    LiederSystem *system = system_new(session, "Breaking");
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.step = 1e-3;
    LiederStepper *s = lieder_stepper_create(system, &o);
    size_t broken = state_at(system, "wire.broken");
    assert_true(lieder_stepper_state(s)[broken] == 0);
    assert_int_equal(lieder_stepper_step(s, 700), LIEDER_DONE);
    assert_true(lieder_stepper_state(s)[broken] == 1);
    lieder_stepper_destroy(s);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* what a step sees late is reported, once, as a run does */
static void late_instants_are_reported(void **unused)
{
    (void)unused;
    static const double periods[] = {0.05, 0.045};
    for (int late = 0; late < 2; late++) {
        Lieder *session = lieder_create(NULL);
        char text[300];
        snprintf(text, sizeof text,
                 "model Pulses Signals.Pulse p(period = %g, width = 40); Real x(start = 0); "
                 "equation der(x) = p.y; end Pulses;",
                 periods[late]);
        assert_int_equal(lieder_load_text(session, "pulses.mo", text), LIEDER_DONE);
        LiederSystem *system = lieder_system_load(session, "Pulses", NULL, 0, NULL, NULL);
        assert_non_null(system);
        LiederSimulateOptions o = lieder_simulate_defaults();
        o.step = 1e-2;
        LiederStepper *s = lieder_stepper_create(system, &o);
        assert_non_null(s);
        for (int i = 0; i < 50; i++)
            assert_int_equal(lieder_stepper_step(s, 1 + i % 3), LIEDER_DONE);
        assert_int_equal(lieder_diagnostic_count(session), late);
        if (late)
            assert_non_null(
                strstr(lieder_diagnostic_get(session, 0)->message, "between two fixed"));
        lieder_stepper_destroy(s);
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
}

/* an input that is set between two steps: constant force on a mass, v = f t / m */
static void inputs_act_from_the_next_step_on(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_pushed(session, "Pushed", 0);
    LiederSystem *system = system_new(session, "Pushed");
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.step = 0.25;
    LiederStepper *s = lieder_stepper_create(system, &o);
    LiederObserver *observer = lieder_observer_create(system);
    LiederHandle f, v;
    double value;
    assert_int_equal(lieder_handle_find(system, "force.f", &f), LIEDER_DONE);
    assert_int_equal(lieder_handle_find(system, "body.flange_a.v", &v), LIEDER_DONE);
    assert_int_equal(lieder_observer_watch(observer, &v), 0);
    assert_int_equal(lieder_handle_set(system, &f, 4), LIEDER_DONE);
    assert_int_equal(lieder_stepper_step(s, 4), LIEDER_DONE);
    assert_int_equal(lieder_stepper_observe(s, observer, &value), LIEDER_DONE);
    assert_true(fabs(value - 2) < 1e-15);
    assert_int_equal(lieder_handle_set(system, &f, -2), LIEDER_DONE);
    assert_int_equal(lieder_stepper_step(s, 8), LIEDER_DONE);
    assert_int_equal(lieder_stepper_observe(s, observer, &value), LIEDER_DONE);
    assert_true(fabs(value) < 1e-15);
    assert_true(lieder_stepper_time(s) == 3);
    /* a state that is no number is refused by the step, which is not taken */
    lieder_stepper_state(s)[0] = NAN;
    assert_true(lieder_stepper_step(s, 1) < 0);
    assert_true(lieder_stepper_time(s) == 3);
    lieder_observer_destroy(observer);
    lieder_stepper_destroy(s);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* chains of 1 ... 8 links, each a shape of one lane, and nets with several lanes */
static void build_shapes(Lieder *session)
{
    LiederModel *model = lieder_model_create(session, "Shapes", "");
    lieder_model_add(model, "fixed", "Translational.Fixed");
    for (int chain = 1; chain <= 8; chain++) {
        char last[80] = "fixed.flange_b";
        for (int k = 0; k < chain; k++) {
            char joint[40], body[40], port[80];
            snprintf(joint, sizeof joint, "joint_%d_%d", chain, k);
            snprintf(body, sizeof body, "body_%d_%d", chain, k);
            lieder_model_add(model, joint, "Translational.Joint");
            lieder_model_add(model, body, "Translational.Body");
            snprintf(port, sizeof port, "%s.flange_a", joint);
            lieder_model_connect(model, last, port);
            snprintf(last, sizeof last, "%s.flange_b", joint);
            snprintf(port, sizeof port, "%s.flange_a", body);
            lieder_model_connect(model, last, port);
        }
    }
    net_model(session, "Net",
              (NetOptions){.n = 3,
                           .cell = CELL_SLIDES,
                           .mass = 1,
                           .stiffness = 1e4,
                           .damping = 3,
                           .TD = 1e-2,
                           .held = true});
    lieder_model_add_array(model, "net", "Net", 4);
}

/* A parameter that is set between two steps holds in the workspaces of all threads: of shapes with
 * one lane, and of nets, whose lanes differ from then on. */
static void parameters_reach_every_thread(void **unused)
{
    (void)unused;
    static const char *const paths[] = {"body_1_0.g", "body_5_3.g", "body_8_7.g",
                                        "net[3].body_2_2.m"};
    double *alone = NULL;
    Lieder *session = lieder_create(NULL);
    build_shapes(session);
    for (int threads = 1; threads <= 3; threads++) {
        LiederSystem *system = system_new(session, "Shapes");
        size_t bytes = lieder_system_state_count(system) * sizeof(double);
        LiederSimulateOptions o = lieder_simulate_defaults();
        o.step = 1e-3;
        o.threads = threads;
        LiederStepper *s = lieder_stepper_create(system, &o);
        assert_non_null(s);
        for (int round = 0; round < 20; round++) {
            for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
                LiederHandle h;
                assert_int_equal(lieder_handle_find(system, paths[i], &h), LIEDER_DONE);
                assert_int_equal(lieder_handle_set(system, &h, 1 + round + (double)i), LIEDER_DONE);
            }
            assert_int_equal(lieder_stepper_step(s, 5), LIEDER_DONE);
        }
        if (alone)
            assert_memory_equal(lieder_stepper_state(s), alone, bytes);
        else
            memcpy(alone = malloc(bytes), lieder_stepper_state(s), bytes);
        lieder_stepper_destroy(s);
        lieder_system_destroy(system);
    }
    free(alone);
    lieder_destroy(session);
}

static void what_cannot_be_stepped_is_refused(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_model(session);
    LiederSystem *system = system_new(session, "Crabs");
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.step = 1e-3;
    o.solver = LIEDER_BDF;
    assert_null(lieder_stepper_create(system, &o));
    assert_said(session, NULL, "bdf chooses its steps");
    o.solver = LIEDER_RK4;
    o.step = -1;
    assert_null(lieder_stepper_create(system, &o));
    assert_said(session, NULL, "steps of -1 from t = 0 are impossible");
    o.step = 10; /* far too long */
    LiederStepper *s = lieder_stepper_create(system, &o);
    assert_true(lieder_stepper_step(s, 1000) < 0);
    assert_true(lieder_stepper_time(s) < 10000);
    for (size_t i = 0; i < lieder_system_state_count(system); i++)
        assert_true(isfinite(lieder_stepper_state(s)[i]));
    lieder_stepper_destroy(s);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* one allocation after the other fails */
static void memory_may_run_out(void **unused)
{
    (void)unused;
    static const LiederSolver solvers[] = {LIEDER_RK4, LIEDER_EULER_BACKWARD};
    for (int i = 0; i < 2; i++) {
        size_t failed = 0;
        for (bool all = false; !all;) {
            Meter meter = {0};
            LiederAllocator alloc = METER_ALLOCATOR(&meter);
            Lieder *session = lieder_create(&alloc);
            build_model(session);
            LiederSystem *system = system_new(session, "Crabs");
            LiederSimulateOptions o = lieder_simulate_defaults();
            o.step = 1e-3;
            o.solver = solvers[i];
            meter.fail_at = meter.calls + ++failed;
            LiederStepper *s = lieder_stepper_create(system, &o);
            all = meter.calls < meter.fail_at;
            assert_true(s || !all);
            lieder_stepper_destroy(s);
            lieder_system_destroy(system);
            lieder_destroy(session);
            assert_int_equal(meter.bytes, 0);
            assert_int_equal(meter.wrong, 0);
        }
        assert_true(failed > 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_those_of_a_run),
        cmocka_unit_test(event_blocks_run),
        cmocka_unit_test(late_instants_are_reported),
        cmocka_unit_test(inputs_act_from_the_next_step_on),
        cmocka_unit_test(parameters_reach_every_thread),
        cmocka_unit_test(what_cannot_be_stepped_is_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
