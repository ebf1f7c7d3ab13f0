/* test_initial.c - start values from initial equations, fixed starts and parameters that these
 * decide, against solutions by hand; what is missing or contradicts is reported. */
#include <lieder/simulate.h>

#include "equation_help.h"

/* At rest: p = q(p) with a square root in the valve, a cubic in the pump. The unknowns of the block
 * are variables of the model, and one of them is a start value. */
static void test_steady_state(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  parameter Real k = 0.5;\n"
                    "  Real h(start = 1), q, u, s(start = 7, fixed = true);\n"
                    "equation\n"
                    "  der(h) = u - q;\n"
                    "  q = k*sqrt(h);\n"
                    "  u^3 + u = 4 - h;\n"
                    "  der(s) = 1;\n"
                    "initial equation\n"
                    "  der(h) = 0;\n"
                    "end M;\n");
    double x[2];
    assert_int_equal(lieder_system_start(b.system, x), LIEDER_DONE);
    double h = start_of(&b, "h"), q = 0.5 * sqrt(h);
    assert_true(fabs(q * q * q + q - (4 - h)) < 1e-13);
    assert_number(start_of(&b, "s"), 7);
    assert_true(fabs(derivative(&b, x, 0, "h")) < 1e-14);
    assert_int_equal(lieder_diagnostic_count(b.session), 0);
    drop(&b);
}

/* parameters with fixed = false: a number, an array, a Boolean, and what follows from them */
static void test_free_parameters(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  parameter Real p(fixed = false, start = 1), q = 2*p;\n"
                    "  parameter Real a[2](each fixed = false);\n"
                    "  parameter Boolean up(fixed = false), down = not up;\n"
                    "  Real x(start = 1, fixed = true), y, z, w;\n"
                    "equation\n"
                    "  der(x) = -p*x;\n"
                    "  der(y) = z - y;\n"
                    "  z^3 + z = y + x + q;\n"
                    "  if down then\n    w = a[1]*x;\n  else\n    w = a[2]*x;\n  end if;\n"
                    "initial equation\n"
                    "  der(y) = 0;\n"
                    "  z = 2;\n"
                    "  up = z > 1;\n"
                    "initial algorithm\n"
                    "  a[1] := 10;\n"
                    "  for i in 2:2 loop\n    a[i] := a[i - 1] + x;\n  end for;\n"
                    "end M;\n");
    /* y = z = 2, z^3 + z = 10 = 2 + 1 + 2 p */
    assert_true(fabs(start_of(&b, "p") - 3.5) < 1e-14);
    assert_number(start_of(&b, "a[2]"), 11);
    assert_number(start_of(&b, "up"), 1);
    double x[10];
    assert_int_equal(lieder_system_start(b.system, x), LIEDER_DONE);
    assert_true(fabs(derivative(&b, x, 0, "x") + 3.5) < 1e-14);
    assert_number(derivative(&b, x, 0, "p"), 0);
    assert_number(observe(&b, 0, x, "w"), 11);
    assert_int_equal(lieder_diagnostic_count(b.session), 0);
    drop(&b);
}

/* A pendulum in Cartesian coordinates: one coordinate and one velocity hold, the others follow from
 * the constraint and its derivative; the start value of y says on which side. All four are states.
 */
static void test_index_three(void **state)
{
    (void)state;
    Built b = build("model Pendulum\n"
                    "  parameter Real L = 2, g = 9.81;\n"
                    "  Real x(start = 1.2, fixed = true), y(start = -1);\n"
                    "  Real vx(start = 0.3, fixed = true), vy, f;\n"
                    "equation\n"
                    "  der(x) = vx;\n  der(y) = vy;\n"
                    "  der(vx) = -f*x;\n  der(vy) = -f*y - g;\n"
                    "  x^2 + y^2 = L^2;\n"
                    "end Pendulum;\n");
    double s[4];
    assert_int_equal(lieder_system_state_count(b.system), 4);
    assert_int_equal(lieder_system_start(b.system, s), LIEDER_DONE);
    assert_true(fabs(observe(&b, 0, s, "y") + 1.6) < 1e-14);
    assert_true(fabs(observe(&b, 0, s, "vy") - 0.3 * 1.2 / 1.6) < 1e-14);
    assert_true(fabs(observe(&b, 0, s, "x") - 1.2) < 1e-14);
    drop(&b);
}

/* An algebraic variable whose start value holds decides a state through an equation that is not
 * linear */
static void test_algebraic_start(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  Real T(start = 300), r(start = 5, fixed = true);\n"
                    "equation\n"
                    "  der(T) = -0.1*(T - 280);\n"
                    "  r = 2*exp(0.01*(T - 300)) + 1e-3*T;\n"
                    "end M;\n");
    double T = start_of(&b, "T");
    assert_true(fabs(2 * exp(0.01 * (T - 300)) + 1e-3 * T - 5) < 1e-13);
    drop(&b);
}

/* conditions that follow from others are compared; one that contradicts ends the run with both
 * numbers and its place */
static void test_too_many(void **state)
{
    (void)state;
    const char *format = "model M\n"
                         "  Real x(start = 1, fixed = true), v(start = 2, fixed = true), w;\n"
                         "equation\n"
                         "  der(x) = v;\n"
                         "  der(v) = -w;\n"
                         "  w = x + v;\n"
                         "initial equation\n"
                         "  w = %s;\n"
                         "end M;\n";
    char text[400];
    double x[2];
    snprintf(text, sizeof text, format, "3");
    Built b = build(text);
    assert_message(&b, "1 initial condition(s) more than start values");
    assert_int_equal(lieder_system_start(b.system, x), LIEDER_DONE);
    drop(&b);
    snprintf(text, sizeof text, format, "3.25");
    b = build(text);
    assert_int_equal(lieder_system_start(b.system, x), LIEDER_GAVE_UP);
    assert_message(&b, "its left side is 3, its right side 3.25");
    assert_message(&b, ":8:3");
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.stop = 1;
    LiederStatistics statistics;
    assert_int_equal(lieder_simulate(b.system, &o, &statistics), LIEDER_GAVE_UP);
    drop(&b);
}

/* too few: states that are asked for and those with start values keep these, and that is
 * reported */
static void test_too_few(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  Real x, y(start = 3), z(stateSelect = StateSelect.prefer);\n"
                    "equation\n"
                    "  der(x) = -x;\n  der(y) = x;\n  der(z) = y;\n"
                    "initial equation\n"
                    "  x + y + z = 5;\n"
                    "end M;\n");
    assert_message(&b, "1 condition(s) for 3 start values: chosen are the start attributes of");
    assert_number(start_of(&b, "x"), 2);
    assert_number(start_of(&b, "y"), 3);
    assert_number(start_of(&b, "z"), 0);
    drop(&b);
}

/* a system at the start that has no solution is named, with place and component */
static void test_no_solution(void **state)
{
    (void)state;
    Built b = build("package P\n"
                    "  model Part\n    Real x(start = 1), y;\n  equation\n"
                    "    der(x) = y;\n    y = x^2 + 1;\n"
                    "  initial equation\n    der(x) = 0;\n  end Part;\n"
                    "  model M\n    Part part;\n    Real z = part.x;\n  end M;\n"
                    "end P;\n");
    double x[1];
    assert_int_equal(lieder_system_start(b.system, x), LIEDER_GAVE_UP);
    assert_true(isnan(x[0]));
    assert_message(&b, "not solved at t = 0");
    drop(&b);
}

/* initial equations of time are those at the start of the run */
static void test_start_time(void **state)
{
    (void)state;
    Built b = build("model M\n  Real x;\nequation\n  der(x) = 1;\ninitial equation\n"
                    "  x = 2*time;\nend M;\n");
    LiederSimulateOptions o = {.start = 3, .stop = 4, .step = 0.5, .solver = LIEDER_RK4};
    LiederStepper *s = lieder_stepper_create(b.system, &o);
    assert_non_null(s);
    assert_int_equal(lieder_stepper_reset(s, 3, NULL), LIEDER_DONE);
    assert_number(lieder_stepper_state(s)[0], 6);
    lieder_stepper_destroy(s);
    drop(&b);
}

/* The factors of three linear conditions are found by an iteration, and those that structure would
 * divide by are zero: u, v and w turn by the angle a, which is zero for c = 0. */
static void test_factors_of_iteration(void **state)
{
    (void)state;
    Built b = build("model M\n  parameter Real c = 0;\n  Real a(start = 1), u, v, w;\nequation\n"
                    "  der(a) = 1;\n  der(u) = 1;\n  der(v) = 1;\n  der(w) = 1;\n"
                    "initial equation\n  a^3 + a = c;\n"
                    "  sin(a)*u + cos(a)*v = 1;\n"
                    "  cos(a)*u - sin(a)*v + a*w = 2;\n"
                    "  sin(a)*u + cos(a)*w = 3;\nend M;\n");
    for (int k = 0; k < 2; k++) {
        assert_int_equal(lieder_system_set(b.system, "c", 2 * k), LIEDER_DONE);
        double a = start_of(&b, "a"), u = start_of(&b, "u"), v = start_of(&b, "v"),
               w = start_of(&b, "w");
        assert_true(fabs(a - k) < 1e-14);
        assert_true(fabs(sin(a) * u + cos(a) * v - 1) < 1e-14);
        assert_true(fabs(cos(a) * u - sin(a) * v + a * w - 2) < 1e-14);
        assert_true(fabs(sin(a) * u + cos(a) * w - 3) < 1e-14);
    }
    drop(&b);
}

/* A tank whose energy and mass are states without start values: those of its temperature and level,
 * which are preferred, take their place, also where mass and energy follow from them by products. A
 * variable that is not preferred has no say. */
static void test_preferred_starts(void **state)
{
    (void)state;
    Built b =
        build("model M\n  parameter Real k(fixed = false), c = 4.2, A = 2;\n"
              "  Real U, m, h;\n"
              "  Real T(start = 300, stateSelect = StateSelect.prefer);\n"
              "  Real level(start = 0.5, stateSelect = StateSelect.prefer);\n"
              "  Real other(start = 7);\nequation\n"
              "  m = 1000*A*level + sin(time);\n  U = m*h;\n  h = c*T + 1e-3*T^2 + sin(time);\n"
              "  other = m*T;\n"
              "  der(m) = -k*m;\n  der(U) = -k*m*h;\ninitial equation\n"
              "  k = 0.1;\nend M;\n");
    assert_true(fabs(start_of(&b, "m") - 1000) < 1e-9);
    assert_true(fabs(start_of(&b, "U") - 1000 * (4.2 * 300 + 90)) < 1e-6);
    assert_message(&b, "chosen are the start attributes of T, level");
    drop(&b);
}

static const char fleet_text[] =
    "package P\n  model One\n    parameter Real a = 1, p(fixed = false, start = 0.5);\n"
    "    Real x(start = 1), y(start = 0.5), z;\n  equation\n"
    "    der(x) = -y*a + p;\n    y^3 + y*a = x + z;\n    z = 0.1*sin(y);\n"
    "  initial equation\n    der(x) = 0;\n    x*x + p = 3 + a;\n  end One;\n"
    "  model Fleet\n    One one[50](a = {1 + 0.03*k for k in 1:50});\n  end Fleet;\nend P;\n";

/* many lanes start with the bits of one alone */
static void test_fleet(void **state)
{
    (void)state;
    Built all = build_class(fleet_text, "P.Fleet");
    for (int k = 1; k <= 50; k += 7) {
        Built one = build_class(fleet_text, "P.One");
        char name[30];
        assert_int_equal(lieder_system_set(one.system, "a", 1 + 0.03 * k), LIEDER_DONE);
        double p = start_of(&one, "p"), x = start_of(&one, "x");
        assert_true(fabs(x * x + p - 4 - 0.03 * k) < 1e-13);
        snprintf(name, sizeof name, "one[%d].x", k);
        assert_true(start_of(&all, name) == x);
        snprintf(name, sizeof name, "one[%d].p", k);
        assert_true(start_of(&all, name) == p);
        drop(&one);
    }
    drop(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steady_state),
        cmocka_unit_test(test_free_parameters),
        cmocka_unit_test(test_index_three),
        cmocka_unit_test(test_algebraic_start),
        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_too_few),
        cmocka_unit_test(test_no_solution),
        cmocka_unit_test(test_start_time),
        cmocka_unit_test(test_fleet),
        cmocka_unit_test(test_factors_of_iteration),
        cmocka_unit_test(test_preferred_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
