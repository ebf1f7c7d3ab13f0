/* test_signals.c - Signals over time, corners included. A jump at t is seen from t on. */
#include "help/engine.h"

/* one signal block as a system of its own */
typedef struct Block {
    Lieder *session;
    LiederModel *model;
    LiederSystem *system;
} Block;

static Block block_new(const char *class_)
{
    Block b = {.session = session_new()};
    b.model = lieder_model_create(b.session, "M", "");
    lieder_model_add(b.model, "s", class_);
    return b;
}

static double at(Block *b, double t)
{
    static const double none[1];
    if (!b->system)
        b->system = system_new(b->session, "M");
    return look(b->system, t, none, "s.y");
}

static void block_drop(Block *b)
{
    lieder_system_destroy(b->system);
    lieder_destroy(b->session);
}

static void constant(void **state)
{
    (void)state;
    Block b = block_new("Signals.Constant");
    lieder_model_set(b.model, "s.k", 2.5);
    assert_true(at(&b, 0) == 2.5 && at(&b, 100) == 2.5);
    block_drop(&b);
}

static void step(void **state)
{
    (void)state;
    Block b = block_new("Signals.Step");
    lieder_model_set(b.model, "s.height", 3);
    lieder_model_set(b.model, "s.offset", 1);
    lieder_model_set(b.model, "s.startTime", 2);
    assert_true(at(&b, 0) == 1);
    assert_true(at(&b, nextafter(2, 0)) == 1);
    assert_true(at(&b, 2) == 4);
    assert_true(at(&b, 50) == 4);
    block_drop(&b);
}

/* three pulses of 0.5 s every 2 s from t = 1 on */
static void pulse(void **state)
{
    (void)state;
    Block b = block_new("Signals.Pulse");
    lieder_model_set(b.model, "s.amplitude", 2);
    lieder_model_set(b.model, "s.width", 25);
    lieder_model_set(b.model, "s.period", 2);
    lieder_model_set(b.model, "s.nperiod", 3);
    lieder_model_set(b.model, "s.offset", -1);
    lieder_model_set(b.model, "s.startTime", 1);
    assert_true(at(&b, -1) == -1 && at(&b, 0.99) == -1);
    for (int k = 0; k < 3; k++) {
        assert_true(at(&b, 1 + 2 * k) == 1);
        assert_true(at(&b, nextafter(1.5 + 2 * k, 0)) == 1);
        assert_true(at(&b, 1.5 + 2 * k) == -1);
        assert_true(at(&b, nextafter(3 + 2 * k, 0)) == -1);
    }
    assert_true(at(&b, 7) == -1 && at(&b, 7.25) == -1 && at(&b, 1e6 + 0.1) == -1);
    block_drop(&b);
}

static void pulses_without_end(void **state)
{
    (void)state;
    Block b = block_new("Signals.Pulse");
    lieder_model_set(b.model, "s.period", 0.5);
    assert_true(at(&b, 1000) == 1 && at(&b, 1000.125) == 1);
    assert_true(at(&b, 1000.25) == 0 && at(&b, 1000.375) == 0 && at(&b, -0.1) == 0);
    block_drop(&b);
}

static void ramp(void **state)
{
    (void)state;
    Block b = block_new("Signals.Ramp");
    lieder_model_set(b.model, "s.height", -4);
    lieder_model_set(b.model, "s.duration", 2);
    lieder_model_set(b.model, "s.offset", 1);
    lieder_model_set(b.model, "s.startTime", 3);
    assert_true(at(&b, 0) == 1 && at(&b, 3) == 1);
    assert_near(at(&b, 3.5), 0, 1e-15);
    assert_near(at(&b, 4), -1, 1e-15);
    assert_true(at(&b, 5) == -3 && at(&b, 100) == -3);
    block_drop(&b);
    /* without duration a step */
    b = block_new("Signals.Ramp");
    lieder_model_set(b.model, "s.duration", 0);
    lieder_model_set(b.model, "s.startTime", 1);
    assert_true(at(&b, nextafter(1, 0)) == 0 && at(&b, 1) == 1 && at(&b, 2) == 1);
    block_drop(&b);
}

static void sine_wave(void **state)
{
    (void)state;
    Block b = block_new("Signals.Sine");
    lieder_model_set(b.model, "s.amplitude", 3);
    lieder_model_set(b.model, "s.f", 0.7);
    lieder_model_set(b.model, "s.phase", 0.4);
    lieder_model_set(b.model, "s.offset", 10);
    lieder_model_set(b.model, "s.startTime", 1);
    assert_true(at(&b, 0.5) == 10);
    for (double t = 1; t < 20; t += 0.37) /* two ulp of the sine, and of the sum */
        assert_near(at(&b, t), 10 + 3 * sin(2 * acos(-1) * 0.7 * (t - 1) + 0.4), 2e-14);
    block_drop(&b);
}

/* linear in between, constant beyond, two rows of one time are a jump */
static void time_table(void **state)
{
    (void)state;
    Block b = block_new("Signals.TimeTable");
    lieder_model_set_vector(b.model, "s.table", (double[]){1, 2, 2, 4, 2, -1, 4, 3, 5, 3}, 10);
    static const double expected[][2] = {{-5, 2}, {1, 2}, {1.5, 3}, {2, -1}, {2.5, 0},
                                         {3, 1},  {4, 3}, {4.5, 3}, {5, 3},  {100, 3}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_near(at(&b, expected[i][0]), expected[i][1], 1e-15);
    assert_near(at(&b, nextafter(2, 0)), 4, 1e-14);
    block_drop(&b);
    /* a jump at the very start and at the very end */
    b = block_new("Signals.TimeTable");
    lieder_model_set_vector(b.model, "s.table", (double[]){0, 5, 0, 1, 1, 1, 1, 7}, 8);
    assert_true(at(&b, 0) == 1 && at(&b, 0.5) == 1 && at(&b, 1) == 7 && at(&b, 2) == 7);
    block_drop(&b);
}

/* y = 3 (2 a - 0.5 b), through two blocks whatever the order of declaration */
static void arithmetic(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederModel *m = lieder_model_create(session, "M", "");
    lieder_model_add(m, "gain", "Signals.Gain");
    lieder_model_add(m, "add", "Signals.Add");
    lieder_model_add(m, "a", "Signals.Ramp");
    lieder_model_add(m, "b", "Signals.Constant");
    lieder_model_set(m, "gain.k", 3);
    lieder_model_set(m, "add.k1", 2);
    lieder_model_set(m, "add.k2", -0.5);
    lieder_model_set(m, "b.k", 4);
    lieder_model_connect(m, "add.y", "gain.u");
    lieder_model_connect(m, "b.y", "add.u2");
    lieder_model_connect(m, "add.u1", "a.y");
    LiederSystem *system = system_new(session, "M");
    assert_int_equal(lieder_system_state_count(system), 0);
    double none[1] = {0};
    assert_near(look(system, 1, none, "gain.y"), 3 * (2 * 0.5 - 0.5 * 4), 1e-15);
    assert_near(look(system, 1, none, "gain.u"), 2 * 0.5 - 0.5 * 4, 1e-15);
    assert_int_equal(lieder_system_derivatives(system, 0, none, none), LIEDER_DONE);
    /* a parameter of a constant changes what depends on it */
    assert_int_equal(lieder_system_set(system, "b.k", 0), LIEDER_DONE);
    assert_near(look(system, 1, none, "gain.y"), 3, 1e-15);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* an open input is zero, or the number it is set to */
static void open_inputs(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederModel *m = lieder_model_create(session, "M", "");
    lieder_model_add_array(m, "gain", "Signals.Gain", 2);
    lieder_model_set(m, "gain[2].u", 1.5);
    lieder_model_set(m, "gain.k", 2);
    LiederSystem *system = system_new(session, "M");
    double none[1] = {0};
    assert_true(look(system, 0, none, "gain[1].y") == 0);
    assert_true(look(system, 0, none, "gain[2].y") == 3);
    assert_int_equal(lieder_system_set(system, "gain[1].u", -1), LIEDER_DONE);
    assert_true(look(system, 0, none, "gain[1].y") == -2);
    assert_true(look(system, 0, none, "gain[2].y") == 3);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant),    cmocka_unit_test(step),
        cmocka_unit_test(pulse),       cmocka_unit_test(pulses_without_end),
        cmocka_unit_test(ramp),        cmocka_unit_test(sine_wave),
        cmocka_unit_test(time_table),  cmocka_unit_test(arithmetic),
        cmocka_unit_test(open_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
