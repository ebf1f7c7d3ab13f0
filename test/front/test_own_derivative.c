/* test_own_derivative.c - annotations of functions: derivative, inverse, smoothOrder,
 * GenerateEvents. Most derivatives and inverses here are not those of the statements, so that a
 * result tells which of the two was used. */
#include "hybrid_help.h"

#include "help/observe.h"

/* a position, velocity and acceleration that are given together, as Move of the standard library
 * does it */
#define MOVE                                                                                       \
    "  function place input Real q[3]; input Real t; output Real s; algorithm s := q[1];\n"        \
    "    annotation(derivative(noDerivative = q) = rate); end place;\n"                            \
    "  function rate input Real q[3]; input Real t, dt; output Real v; algorithm v := q[2];\n"     \
    "    annotation(derivative(noDerivative = q, order = 2) = curve); end rate;\n"                 \
    "  function curve input Real q[3]; input Real t, dt, ddt; output Real a;\n"                    \
    "  algorithm a := q[3]; end curve;\n"

/* der of the call itself, of a variable, twice, and inside of other expressions */
static void test_order(void **state)
{
    (void)state;
    Built b =
        build_class("package P\n" MOVE "  model M\n"
                    "    Real q[3] = {sin(time), 7*time, 5 + time};\n"
                    "    Real s = place(q, time), v = der(s), a = der(v);\n"
                    "    Real direct = der(place(q, time)), twice = der(der(place(q, time)));\n"
                    "    Real square = der(place(q, time)^2), inner_ = der(sin(s));\n"
                    "    Real x(start = 1, fixed = true); equation der(x) = v; end M;\n"
                    "end P;\n",
                    "P.M");
    assert_observed(&b, 2, "s", sin(2));
    assert_observed(&b, 2, "v", 14);
    assert_observed(&b, 2, "a", 7);
    assert_observed(&b, 2, "direct", 14);
    assert_observed(&b, 2, "twice", 7);
    assert_observed(&b, 2, "square", 2 * sin(2) * 14);
    assert_observed(&b, 2, "inner_", cos(sin(2)) * 14);
    drop(&b);
}

/* a mass that is moved: its equations are differentiated twice, which brings variables that they do
 * not have themselves, and which other equations decide */
static void test_constraint(void **state)
{
    (void)state;
    Built b = build_class("package P\n" MOVE "  connector Flange Real s; flow Real f; end Flange;\n"
                          "  model Mass Flange a; parameter Real m = 2; Real v, acc;\n"
                          "  equation v = der(a.s); acc = der(v); m*acc = a.f; end Mass;\n"
                          "  model Move Flange a; input Real u[3]; equation a.s = place(u, time);\n"
                          "  end Move;\n"
                          "  model Source output Real y; Real z; equation z = 3*time; y = z^2;\n"
                          "  end Source;\n"
                          "  model M Mass mass; Move move; Source source;\n"
                          "  equation connect(mass.a, move.a); move.u[1] = 10;\n"
                          "    move.u[2] = 4*time; move.u[3] = source.y; end M;\n"
                          "end P;\n",
                          "P.M");
    assert_observed(&b, 2, "mass.v", 8);
    assert_observed(&b, 2, "mass.acc", 36);
    assert_observed(&b, 2, "mass.a.f", 72);
    assert_observed(&b, 2, "move.a.f", -72);
    drop(&b);
}

/* the same in an integrator: the own derivative is what a state moves by */
static void test_run_of_state(void **state)
{
    (void)state;
    Built b = build_class("package P\n"
                          "  function f input Real x; output Real y; algorithm y := exp(x);\n"
                          "    annotation(derivative = df); end f;\n"
                          "  function df input Real x, dx; output Real y; algorithm y := -3*dx;\n"
                          "  end df;\n"
                          "  model M Real x(start = 1, fixed = true), y, z(start = 0);\n"
                          "  equation y = f(x); der(x) = -x; der(z) = der(y); end M;\n"
                          "end P;\n",
                          "P.M");
    Run r = run_with(&b, adaptive(1), "z");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_near(r.rows[(r.nrow - 1) * (1 + MAX_PATHS) + 1], 3 * (1 - exp(-1)), 1e-5);
    run_drop(&r);
    drop(&b);
}

/* the first annotation that holds: zeroDerivative, defaults included; as written where none does */
static void test_several(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  function g input Real x; input Real k = 3; output Real y; algorithm y := k*x^2;\n"
        "    annotation(derivative(zeroDerivative = k) = still, derivative = moving); end g;\n"
        "  function still input Real x, k, dx; output Real y; algorithm y := 2*k*x*dx + 100;\n"
        "  end still;\n"
        "  function moving input Real x, k, dx, dk; output Real y;\n"
        "  algorithm y := 2*k*x*dx + dk*x^2 + 1000; end moving;\n"
        "  function h input Real x, k; output Real y; algorithm y := k*x;\n"
        "    annotation(derivative(zeroDerivative = k) = h_still); end h;\n"
        "  function h_still input Real x, k, dx; output Real y; algorithm y := k*dx + 100;\n"
        "  end h_still;\n"
        "  model M parameter Real p = 2; Real a = der(g(time)), b = der(g(time, 2*time));\n"
        "    Real c = der(g(k = p, x = time)), d = der(h(time, time)), e = der(h(time, p));\n"
        "    Real s = der(g(p)); end M;\n"
        "end P;\n",
        "P.M");
    assert_observed(&b, 1, "a", 106);
    assert_observed(&b, 1, "b", 1006);
    assert_observed(&b, 1, "c", 104);
    assert_observed(&b, 1, "d", 2);
    assert_observed(&b, 1, "e", 102);
    assert_observed(&b, 1, "s", 0);
    drop(&b);
}

/* arrays, records, Integers and several results: each element of each result */
static void test_structures(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  record R Real a; Real b[2]; end R;\n"
        "  function f input R r; input Integer n; input Real x[:]; output Real y[2];\n"
        "    output Integer k; output R s;\n"
        "  algorithm y := r.b*r.a; k := n; s := R(x[1], {x[2], r.a});\n"
        "    annotation(derivative = df); end f;\n"
        "  function df input R r; input Integer n; input Real x[:]; input R dr; input Real dx[:];\n"
        "    output Real y[2]; output R s;\n"
        "  algorithm y := 10*(dr.b*r.a + r.b*dr.a)*n; s := R(2*dx[1], {3*dx[2], 4*dr.a}); end df;\n"
        "  model M R r(a = time, b = {1, 2*time}); Real y[2], dy[2]; Integer k; R s, ds;\n"
        "  equation (y, k, s) = f(r, 2, {time^2, 5*time}); dy = der(y); ds.a = der(s.a);\n"
        "    ds.b = der(s.b); end M;\n"
        "end P;\n",
        "P.M");
    assert_observed(&b, 3, "dy[1]", 20);
    assert_observed(&b, 3, "dy[2]", 10 * 2 * (2 * 3 + 6));
    assert_observed(&b, 3, "ds.a", 12);
    assert_observed(&b, 3, "ds.b[1]", 15);
    assert_observed(&b, 3, "ds.b[2]", 4);
    drop(&b);
}

/* a built-in function is differentiated as it is computed, whatever its annotation names */
static void test_built_in(void **state)
{
    (void)state;
    Built b =
        build_class("package P\n"
                    "  function f input Real x; output Real y; external \"C\" y = sin(x);\n"
                    "    annotation(derivative = df); end f;\n"
                    "  function df input Real x, dx; output Real y; algorithm y := 7; end df;\n"
                    "  model M Real y = der(f(2*time)); end M;\n"
                    "end P;\n",
                    "P.M");
    assert_observed(&b, 1, "y", 2 * cos(2));
    drop(&b);
}

/* calls that differ in a function that they are given have derivatives of their own */
static void test_functions_given(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  partial function scalar input Real x; output Real y; end scalar;\n"
        "  function twice extends scalar; algorithm y := 2*x; end twice;\n"
        "  function triple extends scalar; algorithm y := 3*x; end triple;\n"
        "  function f input scalar s; input Real x; output Real y; algorithm y := s(x);\n"
        "    annotation(derivative = df); end f;\n"
        "  function df input scalar s; input Real x, dx; output Real y; algorithm y := s(10*dx);\n"
        "  end df;\n"
        "  model M Real a = der(f(twice, time)), b = der(f(triple, time)); end M;\n"
        "end P;\n",
        "P.M");
    assert_observed(&b, 1, "a", 20);
    assert_observed(&b, 1, "b", 30);
    drop(&b);
}

/* in nonlinear systems the exact derivatives of the statements lead to the solution; two functions
 * that are each other's derivatives end nowhere, and are asked for as often as needed */
static void test_partial_and_cycle(void **state)
{
    (void)state;
    Built b =
        build_class("package P\n"
                    "  function f input Real x; output Real y; algorithm y := x^3 + x;\n"
                    "    annotation(derivative = bad); end f;\n"
                    "  function bad input Real x, dx; output Real y; algorithm y := 0; end bad;\n"
                    "  function s input Real x; output Real y; algorithm y := sin(x);\n"
                    "    annotation(derivative = c); end s;\n"
                    "  function c input Real x, dx; output Real y; algorithm y := cos(x)*dx;\n"
                    "    annotation(derivative(order = 2) = s2); end c;\n"
                    "  function s2 input Real x, dx, ddx; output Real y;\n"
                    "  algorithm y := -s(x)*dx^2 + cos(x)*ddx; end s2;\n"
                    "  model M Real z(start = 1); Real w = s(2*time), w4 = der(der(der(der(w))));\n"
                    "  equation f(z) = 10 + time; end M;\n"
                    "end P;\n",
                    "P.M");
    assert_observed(&b, 0, "z", 2);
    assert_observed(&b, 1, "w4", 16 * sin(2));
    drop(&b);
}

/* ------------------------------------------------------------------ inverse */

/* an unknown in the input of a function is what its inverse gives, through factors, other inputs
 * and calls inside of calls; no equation is iterated */
static void test_own_inverse(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  function f input Real x; input Real k = 1; output Real y; algorithm y := k*x^3;\n"
        "    annotation(inverse(x = g(y, k), k = h(x, y))); end f;\n"
        "  function g input Real y; input Real k = 1; output Real x;\n"
        "  algorithm x := sign(y)*(abs(y)/k)^(1/3); end g;\n"
        "  function h input Real x, y; output Real k; algorithm k := y/x^3; end h;\n"
        "  function odd input Real x; output Real y; algorithm y := x + sin(x);\n"
        "    annotation(inverse(x = other(y))); end odd;\n"
        "  function other input Real y; output Real x; algorithm x := 100*y; end other;\n"
        "  model M parameter Real p = 8; Real x, z, w, u, v, q, k;\n"
        "  equation f(x) = 8*(1 + time)^3; 2*f(3*z - 1, p) + time = 129; odd(w) = time;\n"
        "    f(f(u)) = 512; f(v + time) = q; q = 27; f(2, k^3 + k) = 16*time; end M;\n"
        "end P;\n",
        "P.M");
    assert_observed(&b, 1, "x", 4);
    assert_observed(&b, 1, "z", 1);
    assert_observed(&b, 1, "w", 100); /* not what makes w + sin(w) = 1 */
    assert_observed(&b, 1, "u", 2);
    assert_observed(&b, 1, "v", 2);
    assert_observed(&b, 1, "k", 1); /* the inverse does not reach it */
    drop(&b);
}

/* in a loop of equations, in a component, of what varies with a state; an inverse that searches is
 * left alone */
static void test_inverse_in_loop(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  function f input Real x; output Real y; algorithm y := exp(x);\n"
        "    annotation(inverse(x = g(y))); end f;\n"
        "  function g input Real y; output Real x; algorithm x := log(y); end g;\n"
        "  function s input Real x; output Real y; algorithm y := x^3 + x;\n"
        "    annotation(inverse(x = t(y))); end s;\n"
        "  function t input Real y; output Real x; protected Real d = 1;\n"
        "  algorithm x := 1; while abs(d) > 1e-12 loop d := (x^3 + x - y)/(3*x^2 + 1);\n"
        "    x := x - d; end while; end t;\n"
        "  model Part Real a, b, q(start = 1, fixed = true);\n"
        "  equation b = f(a); a = (b + time)/4; der(q) = -q; end Part;\n"
        "  model M Part p[2](a(start = {3, 0.5})); Real z(start = 1), r;\n"
        "  equation s(z) = 10 + 20*time; f(r) = p[1].q; end M;\n"
        "end P;\n",
        "P.M");
    Run r = run_with(&b, adaptive(1), "r");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_near(r.rows[(r.nrow - 1) * (1 + MAX_PATHS) + 1], -1, 1e-5);
    run_drop(&r);
    assert_observed(&b, 0, "z", 2);
    assert_observed(&b, 1, "z", 3);
    for (int k = 1; k <= 2; k++) {
        double a = observe_at(&b, 0.2, k == 1 ? "p[1].a" : "p[2].a");
        assert_near((exp(a) + 0.2) / 4, a, 1e-9);
    }
    drop(&b);
}

/* ------------------------------------------------------------------ events */

/* relations of a function are events where it asks for that, and nowhere else */
static void test_generate_events(void **state)
{
    (void)state;
    for (int events = 0; events < 2; events++) {
        char text[600];
        snprintf(text, sizeof text,
                 "package P\n"
                 "  function f input Real x; output Real y;\n"
                 "  algorithm y := if x > 0.3 then floor(5*x) else 0;\n"
                 "    annotation(Inline = true, GenerateEvents = %s); end f;\n"
                 "  model M Real x(start = 0, fixed = true), y(start = 0, fixed = true);\n"
                 "  equation der(x) = 1; der(y) = f(x); end M;\n"
                 "end P;\n",
                 events ? "true" : "false");
        Built b = build_class(text, "P.M");
        Run r = run_with(&b, adaptive(1), "y");
        assert_int_equal(r.status, LIEDER_DONE);
        /* 1 from 0.3 to 0.4, then 2, 3 and 4 for 0.2 each */
        assert_near(r.rows[(r.nrow - 1) * (1 + MAX_PATHS) + 1], 1.9, events ? 1e-9 : 1e-3);
        assert_int_equal(r.statistics.state_events > 0, events);
        run_drop(&r);
        drop(&b);
    }
}

/* a derivative that is called while the model is solved, with an assertion on the function itself
 */
static void test_assertion_of_derivative(void **state)
{
    (void)state;
    Built b = build_class("package P\n"
                          "  function g input Real x; output Real y; algorithm y := x^3 + x;\n"
                          "    annotation(derivative = dg); end g;\n"
                          "  function dg input Real x, dx; output Real dy; algorithm\n"
                          "    assert(g(x) > -100, \"too low\"); dy := (3*x^2 + 1)*dx; end dg;\n"
                          "  model M Real x(start = 1), v; equation\n"
                          "    g(x) = 2 + time; v = der(x); end M;\n"
                          "end P;\n",
                          "P.M");
    double x[1] = {0}, at = observe(&b, 1, x, "x");
    assert_true(fabs(at * at * at + at - 3) < 1e-14);
    assert_true(fabs(observe(&b, 1, x, "v") - 1 / (3 * at * at + 1)) < 1e-14);
    drop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),           cmocka_unit_test(test_constraint),
        cmocka_unit_test(test_run_of_state),    cmocka_unit_test(test_several),
        cmocka_unit_test(test_structures),      cmocka_unit_test(test_built_in),
        cmocka_unit_test(test_functions_given), cmocka_unit_test(test_partial_and_cycle),
        cmocka_unit_test(test_own_inverse),     cmocka_unit_test(test_inverse_in_loop),
        cmocka_unit_test(test_generate_events), cmocka_unit_test(test_assertion_of_derivative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
