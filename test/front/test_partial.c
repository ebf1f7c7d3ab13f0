/* test_partial.c - function df = der(f, x): exact derivatives, against closed forms. */
#include "hybrid_help.h"

#include "help/observe.h"
#include "starved.h"

#define FUNCTIONS                                                                                  \
    "package P\n"                                                                                  \
    "  function h input Real x; input Real y; output Real z;\n"                                    \
    "  algorithm z := x^2*y + sin(x*y); end h;\n"                                                  \
    "  function hx = der(h, x);\n"                                                                 \
    "  function hy = der(h, y) \"by y\";\n"                                                        \
    "  function hxy = der(h, x, y);\n"                                                             \
    "  function hxx = der(hx, x);\n"                                                               \
    "  function hyx = der(hy, x);\n"                                                               \
    "  function at3 = hx(y = 3);\n"

/* h = x^2 y + sin(x y) */
static double h_x(double x, double y)
{
    return 2 * x * y + y * cos(x * y);
}

static double h_xx(double x, double y)
{
    return 2 * y - y * y * sin(x * y);
}

static double h_xy(double x, double y)
{
    return 2 * x + cos(x * y) - x * y * sin(x * y);
}

/* in equations, of one and of several inputs, of derivatives, through short classes, by element */
static void test_closed_forms(void **state)
{
    (void)state;
    Built b = build_class(
        FUNCTIONS
        "  model M\n"
        "    Real a = hx(2, time), b = hy(time, 3), c = hxy(time, 2*time), d = hxx(time, 2);\n"
        "    Real e = hyx(time, 2*time), k = at3(time), u[2] = hx({1, 2}, {time, 1});\n"
        "    parameter Real q = 2, p = hx(q, 1), r = hxx(q, p); Real s = p + 10*r;\n"
        "  end M;\n"
        "end P;\n",
        "P.M");
    for (double t = 0.25; t < 3; t += 0.5) {
        assert_observed(&b, t, "a", h_x(2, t));
        assert_observed(&b, t, "b", t * t + t * cos(3 * t));
        assert_observed(&b, t, "c", h_xy(t, 2 * t));
        assert_observed(&b, t, "d", h_xx(t, 2));
        assert_observed(&b, t, "e", h_xy(t, 2 * t));
        assert_observed(&b, t, "k", h_x(t, 3));
        assert_observed(&b, t, "u[1]", h_x(1, t));
        assert_observed(&b, t, "u[2]", h_x(2, 1));
    }
    double p = h_x(2, 1);
    assert_observed(&b, 0, "s", p + 10 * h_xx(2, p));
    drop(&b);
}

/* loops, searches, branches, arrays, records inside, several outputs, defaults, other derivatives;
 * with variables and with numbers */
static void test_bodies(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  record R Real a; Real b; end R;\n"
        "  function poly input Real c[:]; input Real x; output Real y;\n"
        "  algorithm y := 0; for i in size(c, 1):-1:1 loop y := c[i] + x*y; end for; end poly;\n"
        "  function dpoly = der(poly, x);\n"
        "  function root input Real a; output Real x; protected Real old = 0;\n"
        "  algorithm x := a; while abs(x - old) > 1e-14 loop old := x; x := 0.5*(x + a/x); end "
        "while; end root;\n"
        "  function droot = der(root, a);\n"
        "  function piece input Real x; output Real y; protected R r;\n"
        "  algorithm r := R(x, 2*x - 1);\n"
        "    if x < 1 then y := r.a^2; return; end if; y := r.b + (x - 1)^3; end piece;\n"
        "  function dpiece = der(piece, x);\n"
        "  function two input Real x; input Real k = x; output Real a; output Real b[2];\n"
        "  algorithm a := k*exp(x); b := {x, x^3}; end two;\n"
        "  function dtwo = der(two, x);\n"
        "  function around input Real x; output Real y; algorithm y := dpoly({1, 2, 3}, x)^2;\n"
        "  end around;\n"
        "  function daround = der(around, x);\n"
        "  function power input Real x; input Integer n; output Real y;\n"
        "  algorithm y := if n == 0 then 1 else x*power(x, n - 1); end power;\n"
        "  function dpower = der(power, x);\n"
        "  function halve input Real x; output Real y;\n"
        "  algorithm y := if x < 1 then x^2 else 3*halve(x/2); end halve;\n"
        "  function dhalve = der(halve, x);\n"
        "  model W parameter Real g = 3; function f input Real r; output Real y;\n"
        "    algorithm y := r^2; end f; function df = der(f, r); end W;\n"
        "  model M W w; Real y = dpoly({1, 2, 3, 4}, time), s = dpiece(time), t = daround(time);\n"
        "    parameter Real n = droot(2), p = dpoly({1, 2, 3, 4}, 2), q = dpiece(0.5) + "
        "dpiece(3);\n"
        "    parameter Real o = dhalve(3), v = daround(2);\n"
        "    Real a, b[2], c = dtwo(time, 5), d = dpower(time, 3), e = w.df(time);\n"
        "    Real k = n + 10*p, l = q, m = o + 100*v; equation (a, b) = dtwo(time); end M;\n"
        "end P;\n",
        "P.M");
    assert_observed(&b, 2, "y", 2 + 6 * 2 + 12 * 4);
    assert_observed(&b, 0.5, "s", 1);
    assert_observed(&b, 2, "s", 5);
    assert_observed(&b, 2, "t", 2 * (2 + 6 * 2) * 6);
    assert_observed(&b, 2, "k", 0.5 / sqrt(2) + 10 * 62);
    assert_observed(&b, 2, "l", 1 + 14);
    /* 3/4 is below 1: 9 (x/4)^2 */
    assert_observed(&b, 2, "m", 9 * 2 * 3 / 16.0 + 100 * 168);
    /* k = x is the default, and held: the derivative is that by x alone */
    assert_observed(&b, 2, "a", 2 * exp(2));
    assert_observed(&b, 2, "b[1]", 1);
    assert_observed(&b, 2, "b[2]", 12);
    assert_observed(&b, 2, "c", 5 * exp(2));
    assert_observed(&b, 2, "d", 12);
    assert_observed(&b, 2, "e", 4);
    drop(&b);
}

/* as an argument of a function, in a state equation and below der(): Newton's method on k x^3 = 16,
 * and y' = -h_x(y, 1) with dz/dt of z = h_x(y, 1) */
static void test_uses(void **state)
{
    (void)state;
    Built b = build_class(
        FUNCTIONS
        "  partial function F input Real x; output Real y; end F;\n"
        "  function f extends F; input Real k = 2; algorithm y := k*x^3; end f;\n"
        "  function df = der(f, x);\n"
        "  function root input F f; input F d; input Real x0; output Real x;\n"
        "  algorithm x := x0; for i in 1:8 loop x := x - (f(x) - 16)/d(x); end for; end root;\n"
        "  model M Real r = root(function f(k = 2), function df(k = 2), 3);\n"
        "    Real y(start = 1, fixed = true), z = hx(y, 1), dz; equation der(y) = -hx(y, 1);\n"
        "    dz = der(z); end M;\n"
        "end P;\n",
        "P.M");
    const double x[] = {0.7};
    assert_near(observe(&b, 0, x, "r"), 2, 1e-14);
    assert_near(derivative(&b, x, 0, "y"), -h_x(0.7, 1), 1e-15);
    assert_near(observe(&b, 0, x, "dz"), -h_xx(0.7, 1) * h_x(0.7, 1), 1e-14);
    drop(&b);
}

/* the k-th allocation fails */
static void test_memory(void **state)
{
    (void)state;
    starve((Starved){.text = FUNCTIONS "  model M parameter Real q = hxy(2, 1);\n"
                                       "    Real a = hxx(2, time) + q; end M;\n"
                                       "end P;\n",
                     .class_name = "P.M",
                     .finer = 20});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_uses),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
