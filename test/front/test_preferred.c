/* test_preferred.c - states that the text prefers: in the stage of their rivals, and instead of
 * variables that follow from them; against closed forms. */
#include <lieder/simulate.h>

#include "equation_help.h"
#include "help/run.h"

#define MASSES                                                                                     \
    "  connector C\n    Real s;\n    flow Real f;\n  end C;\n"                                     \
    "  model Mass\n    parameter Real m = 1;\n    C c;\n    Real s(start = 0), v(start = 0);\n"    \
    "  equation\n    c.s = s;\n    der(s) = v;\n    m*der(v) = c.f;\n  end Mass;\n"                \
    "  model Spring\n    C a, b;\n    parameter Real k = 1, d = 0.1;\n"                            \
    "    Real s(start = 0, stateSelect = StateSelect.prefer);\n"                                   \
    "    Real v(start = 0, stateSelect = StateSelect.prefer);\n"                                   \
    "  equation\n    s = b.s - a.s;\n    v = der(s);\n    b.f = k*s + d*v;\n    a.f = -b.f;\n"     \
    "  end Spring;\n"

/* nobody needs the second derivative of an extension, and it is a state where the text prefers it
 */
static void test_preferred(void **state)
{
    (void)state;
    Built b = build_class("package P\n" MASSES
                          "  model M\n    Mass one, two, three;\n    Spring spring;\n  equation\n"
                          "    connect(one.c, spring.a);\n    connect(spring.b, two.c);\n"
                          "    connect(two.c, three.c);\n  end M;\nend P;\n",
                          "P.M");
    assert_int_equal(lieder_system_state_count(b.system), 4);
    assert_true(lieder_system_state_index(b.system, "spring.s") >= 0);
    assert_true(lieder_system_state_index(b.system, "spring.v") >= 0);
    drop(&b);
}

/* the same extension twice, preferred both times: one of them is computed */
static void test_preferred_twice(void **state)
{
    (void)state;
    double x[8];
    Built b = build_class(
        "package P\n" MASSES "  model M\n    Mass one(s(start = 1)), two(s(start = 3));\n"
        "    Spring spring, again(k = 2);\n  equation\n"
        "    connect(one.c, spring.a);\n    connect(spring.b, two.c);\n"
        "    connect(one.c, again.a);\n    connect(again.b, two.c);\n  end M;\nend P;\n",
        "P.M");
    assert_int_equal(lieder_system_state_count(b.system), 4);
    assert_int_equal(lieder_system_start(b.system, x), LIEDER_DONE);
    assert_number(observe(&b, 0, x, "spring.s"), observe(&b, 0, x, "again.s"));
    drop(&b);
}

/* Mass and energy of a liquid that hardly gives way: m = V d(p, T), U = m u(p, T). d and u are
 * functions of the user's own, one of them with its derivative beside it. */
static const char volume_text[] =
    "package P\n"
    "  function d\n    input Real p, T;\n    output Real d;\n  algorithm\n"
    "    d := 1000*(1 + 5e-10*(p - 1e5)) - 0.3*(T - 293) - 1e-3*(T - 293)^2;\n"
    "    annotation(derivative = d_der);\n  end d;\n"
    "  function d_der\n    input Real p, T, p_der, T_der;\n    output Real d;\n  algorithm\n"
    "    d := 5e-7*p_der - (0.3 + 2e-3*(T - 293))*T_der;\n  end d_der;\n"
    "  function h\n    input Real p, T;\n    output Real h;\n  algorithm\n"
    "    h := 4200*(T - 273) + 0.2*(T - 273)^2 + 1e-3*(p - 1e5);\n  end h;\n"
    "  model M\n"
    "    parameter Real V = 0.5, k = 1e-4, Q = 2e4;\n"
    "    Real m, U, u;\n"
    "    Real p(start = 1e5, fixed = true, stateSelect = StateSelect.prefer, nominal = 1e5);\n"
    "    Real T(start = 300, fixed = true, stateSelect = StateSelect.prefer, nominal = 300);\n"
    "  equation\n"
    "    m = V*d(p, T);\n    U = m*u;\n    u = h(p, T) - p/d(p, T);\n"
    "    der(m) = k*sin(time);\n    der(U) = Q*cos(time);\n"
    "    annotation(experiment(StopTime = 10));\n  end M;\nend P;\n";

static double density(double p, double T)
{
    return 1000 * (1 + 5e-10 * (p - 1e5)) - 0.3 * (T - 293) - 1e-3 * (T - 293) * (T - 293);
}
static double energy(double p, double T)
{
    return 4200 * (T - 273) + 0.2 * (T - 273) * (T - 273) + 1e-3 * (p - 1e5) - p / density(p, T);
}

/* p and T are integrated. From mass and energy p would follow by an iteration in every evaluation,
 * and 1e-6 of the density are 2000 Pa. */
static void test_volume(void **state)
{
    (void)state;
    Built b = build_class(volume_text, "P.M");
    assert_int_equal(lieder_system_state_count(b.system), 2);
    assert_true(lieder_system_state_index(b.system, "p") >= 0);
    assert_true(lieder_system_state_index(b.system, "T") >= 0);
    drop(&b);
    Run *run = run_load_text(volume_text, (const char *[]){"p", "T", "m", "U", NULL});
    run->options.tolerance = 1e-6;
    run_start(run, LIEDER_DONE);
    double V = 0.5, m0 = V * density(1e5, 300), U0 = m0 * energy(1e5, 300);
    for (size_t i = 0; i < run->nrow; i += run->nrow / 20) {
        /* p and T from mass and energy in closed form, by Newton's method in u and d */
        double t = run->t[i], m = m0 + 1e-4 * (1 - cos(t)), U = U0 + 2e4 * sin(t);
        double p = run->value[i][0], T = run->value[i][1];
        for (int k = 0; k < 20; k++) {
            T -= (energy(p, T) - U / m) / (4200 + 0.4 * (T - 273));
            p -= (density(p, T) - m / V) / 5e-7;
        }
        assert_near(run->value[i][0], p, 1e-6 * 1e5 * 10);
        assert_near(run->value[i][1], T, 1e-6 * 300);
        assert_near(run->value[i][2], m, 1e-8 * m);
    }
    run_drop(run);
}

/* An angle does not follow from the current that is the projection of a given one: the current is no
 * state, and the rotor goes through the angles at which it is largest. */
static void test_current(void **state)
{
    (void)state;
    double x[8];
    Built b = build("model M\n  Real phi(start = 0), w(start = 1);\n"
                    "  Real i(stateSelect = StateSelect.prefer);\nequation\n"
                    "  der(phi) = w;\n  der(w) = 0;\n  i = 3*cos(phi);\nend M;\n");
    assert_true(lieder_system_state_index(b.system, "phi") >= 0);
    assert_int_equal(lieder_system_start(b.system, x), LIEDER_DONE);
    assert_int_equal(lieder_step(b.system, LIEDER_RK4, 0, 0.1, 100, x), LIEDER_DONE);
    assert_near(observe(&b, 10, x, "i"), 3 * cos(10), 1e-12);
    drop(&b);
}

/* A rotor with currents that are imposed in its own frame. The preferred current of the rotor is a
 * function of the angle by its text, by any angle the same by its numbers: the angle is the state,
 * because nothing but an iteration would find it from the current. */
static void test_imposed_current(void **state)
{
    (void)state;
    double x[8];
    Built b = build("model M\n  Real phi(start = 0), w(start = 1), a, b, u, v, tau;\n"
                    "  Real i(stateSelect = StateSelect.prefer, start = 2);\n"
                    "  Real k(stateSelect = StateSelect.prefer, start = 0);\nequation\n"
                    "  a = 2*cos(phi) - 3*sin(phi);\n  b = 2*sin(phi) + 3*cos(phi);\n"
                    "  i = a*cos(phi) + b*sin(phi);\n  k = b*cos(phi) - a*sin(phi);\n"
                    "  u = der(i) + 5*i;\n  v = der(k) + 5*k;\n"
                    "  der(phi) = w;\n  der(w) = tau;\n  tau = 0.5*i;\nend M;\n");
    assert_int_equal(lieder_system_state_count(b.system), 2);
    assert_true(lieder_system_state_index(b.system, "phi") >= 0);
    assert_int_equal(lieder_system_start(b.system, x), LIEDER_DONE);
    assert_int_equal(lieder_step(b.system, LIEDER_RK4, 0, 0.1, 50, x), LIEDER_DONE);
    assert_near(observe(&b, 5, x, "phi"), 5 + 0.5 * 25, 1e-9); /* der(w) = 1 */
    assert_near(observe(&b, 5, x, "u"), 10, 1e-9);
    assert_near(observe(&b, 5, x, "v"), 15, 1e-9);
    drop(&b);
}

/* A mass that an input, a clause or a mode has a part in may jump, and so may not what is computed
 * from it: m stays the state. */
static void test_discontinuous(void **state)
{
    (void)state;
    Built b = build("model M\n  Real m(start = 1), r(start = 2);\n"
                    "  Real p(stateSelect = StateSelect.prefer);\nequation\n"
                    "  m = 2*p*p + (if time > 1 then 3 else 0);\n  der(m) = r;\n  der(r) = -m;\n"
                    "end M;\n");
    assert_true(lieder_system_state_index(b.system, "m") >= 0);
    drop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_preferred),       cmocka_unit_test(test_preferred_twice),
        cmocka_unit_test(test_volume),          cmocka_unit_test(test_current),
        cmocka_unit_test(test_imposed_current), cmocka_unit_test(test_discontinuous),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
