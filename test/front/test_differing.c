/* test_differing.c - arrays of components whose elements differ in structure: sizes, conditional
 * components, counts of library components, arrays in arrays. Numbers by analytic solutions, and by
 * the same components declared one by one. */
#include <math.h>

#include "equation/class/summary.h"
#include "equation_help.h"

/* a chain of n first-order lags */
#define PIPE                                                                                       \
    "  model Pipe parameter Integer n = 1; parameter Real k = 1; Real T[n]; Real y = T[n];\n"      \
    "  equation der(T[1]) = k*(1 - T[1]); for i in 2:n loop der(T[i]) = k*(T[i - 1] - T[i]);\n"    \
    "  end for; end Pipe;\n"

/* a variable, or the derivative of a state, at the start values */
static double at_start(Built *b, const char *name, bool rate)
{
    double x[64];
    assert_true(lieder_system_state_count(b->system) <= 64);
    assert_int_equal(lieder_system_start(b->system, x), LIEDER_DONE);
    return rate ? derivative(b, x, 0, name) : observe(b, 0, x, name);
}

typedef struct Number {
    const char *name;
    bool rate;
    double value;
} Number;

static void check(const char *text, const char *class_name, const Number *numbers, size_t n)
{
    Built b = build_class(text, class_name);
    for (size_t i = 0; i < n; i++) {
        double x = at_start(&b, numbers[i].name, numbers[i].rate);
        if (fabs(x - numbers[i].value) > 1e-14)
            fail_msg("%s is %.17g, not %.17g", numbers[i].name, x, numbers[i].value);
    }
    drop(&b);
}
#define CHECK(text, class_name, ...)                                                               \
    do {                                                                                           \
        const Number numbers[] = {__VA_ARGS__};                                                    \
        check(text, class_name, numbers, sizeof numbers / sizeof *numbers);                        \
    } while (0)

static void test_sizes(void **state)
{
    (void)state;
    static const char text[] =
        "package P\n" PIPE
        "  model M Pipe p[3](n = {1, 3, 2}, k = {1, 2, 5}, T(each start = 0.5));\n"
        "    Real s = sum(p.y), first = p[2].T[1], n = size(p[2].T, 1), last = p[end].T[end];\n"
        "  end M;\n"
        "  model Rows Pipe p[2, 2](n = [1, 2; 3, 1], T(each start = 1));\n"
        "    Real a = p[2, 1].T[3] + size(p[1, 2].T, 1); end Rows;\n"
        "  model Bank parameter Integer m[2]; Pipe p[2](n = m); Real y = sum(p.y); end Bank;\n"
        "  model Banks Bank b[2](m = {{1, 2}, {2, 3}}); Real a = size(b[1].p[2].T, 1),\n"
        "    c = size(b[2].p[2].T, 1); Real d = 10*b[2].p[1].n + b[2].p[2].n; end Banks;\n"
        "end P;\n";
    CHECK(text, "P.M", {"n", false, 3}, {"s", false, 1.5}, {"p[1].T[1]", true, 0.5},
          {"p[2].T[1]", true, 1}, {"p[3].T[1]", true, 2.5}, {"p[3].T[2]", true, 0});
    CHECK(text, "P.Rows", {"a", false, 3}, {"p[2,1].T[1]", true, 0});
    CHECK(text, "P.Banks", {"a", false, 2}, {"c", false, 3}, {"d", false, 23},
          {"b[2].p[2].T[1]", true, 1});
}

/* the second of three capacitors has no resistor to lose its charge through: v' = -v / (R C) */
static void test_conditions(void **state)
{
    (void)state;
    static const char text[] =
        "package P\n"
        "  connector Pin Real v; flow Real i; end Pin;\n"
        "  model Ground Pin p; equation p.v = 0; end Ground;\n"
        "  model R Pin p, n; parameter Real R = 1; equation p.v - n.v = R*p.i; p.i + n.i = 0;\n"
        "  end R;\n"
        "  model C Pin p, n; Real v(start = 1, fixed = true); equation v = p.v - n.v;\n"
        "    der(v) = p.i; p.i + n.i = 0; end C;\n"
        "  model Cell parameter Boolean leaks; parameter Real Rl; Pin p, n; C c;\n"
        "    R r(R = Rl) if leaks;\n"
        "  equation connect(p, c.p); connect(c.n, n); connect(p, r.p); connect(r.n, n); end Cell;\n"
        "  model M Cell c[3](leaks = {true, false, true}, Rl = {2, 3, 4}); Ground g[3];\n"
        "  equation connect(c.n, g.p); end M;\n"
        "end P;\n";
    CHECK(text, "P.M", {"c[1].c.v", true, -0.5}, {"c[2].c.v", true, 0}, {"c[3].c.v", true, -0.25},
          {"c[3].r.p.i", false, 0.25});
}

/* chains of one and of two pendulums from the library, as an array and one by one */
static void test_library(void **state)
{
    (void)state;
    static const char text[] =
        "package P\n"
        "  model Chain parameter Integer n = 1; Dialectic.Planar.Fixed fixed;\n"
        "    Dialectic.Planar.Revolute j[n](each phi.start = 0.3, each TD = 0);\n"
        "    Dialectic.Planar.FixedTranslation rod[n](each r = {1, 0});\n"
        "    Dialectic.Planar.Body b[n](each m = 2, each I = 0.1);\n"
        "  equation connect(fixed.frame, j[1].frame_a);\n"
        "    for i in 1:n loop connect(j[i].frame_b, rod[i].frame_a);\n"
        "      connect(rod[i].frame_b, b[i].frame_a); end for;\n"
        "    for i in 2:n loop connect(rod[i - 1].frame_b, j[i].frame_a); end for; end Chain;\n"
        "  model A Chain c[2](n = {1, 2}); end A;\n"
        "  model B Chain c1(n = 1), c2(n = 2); end B;\n"
        "end P;\n";
    static const char *const names[][2] = {
        {"c[1].j[1].w", "c1.j[1].w"}, {"c[2].j[1].w", "c2.j[1].w"}, {"c[2].j[2].w", "c2.j[2].w"}};
    Built a = build_class(text, "P.A"), b = build_class(text, "P.B");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        double x = at_start(&a, names[i][0], true), y = at_start(&b, names[i][1], true);
        assert_true(fabs(y) > 1);
        assert_true(fabs(x - y) <= 1e-12 * fabs(y));
    }
    drop(&a);
    drop(&b);
}

/* variables of an outer component of one's own: der(x) = w.g w.t with w.t = 2 time */
static void test_outer_variables(void **state)
{
    (void)state;
    Built b = build_class("package P\n"
                          "  model World parameter Real g = 3; Real t = 2*time; end World;\n"
                          "  model B outer World w; Real x; equation der(x) = w.g*w.t; end B;\n"
                          "  model M inner World w(g = 5); B b; B c[2]; end M;\n"
                          "end P;\n",
                          "P.M");
    const double x[3] = {0};
    assert_int_equal(lieder_system_state_count(b.system), 3);
    assert_float_equal(derivative(&b, x, 0.25, "b.x"), 2.5, 1e-15);
    assert_float_equal(derivative(&b, x, 0.25, "c[2].x"), 2.5, 1e-15);
    drop(&b);
}

/* Numbers that are part of equations: Integers, Booleans and texts that differ between the
 * elements, by themselves, as conditions and as values of variables inside. Elements with equal
 * ones stay lanes of one class. */
static void test_numbers(void **state)
{
    (void)state;
    static const char text[] =
        "package P\n"
        "  model A parameter Integer n = 1; parameter Boolean b = false; parameter String s = "
        "\"x\";\n"
        "    Real x(start = 1), y = if s == \"y\" then 2*x else x; equation\n"
        "    if b then der(x) = n; else der(x) = -n; end if; end A;\n"
        "  model M parameter Boolean b[4] = {true, false, true, false};\n"
        "    A a[3](n = {1, 2, 3}, b = b[2:4], s = {\"x\", \"y\", \"x\"}); end M;\n"
        "  model Inner Real x, y; end Inner;\n"
        "  model B Inner a[2]; end B;\n"
        "  model N B b[2](a.x = {{1, 2}, {4, 5}}, a(each y = 2)); end N;\n"
        "  model Same A a[1000](n = fill(4, 1000)); end Same;\n"
        "end P;\n";
    CHECK(text, "P.M", {"a[1].x", true, -1}, {"a[2].x", true, 2}, {"a[3].x", true, -3},
          {"a[2].y", false, 2}, {"a[3].y", false, 1});
    CHECK(text, "P.N", {"b[1].a[2].x", false, 2}, {"b[2].a[1].x", false, 4},
          {"b[2].a[2].x", false, 5}, {"b[2].a[2].y", false, 2});
    Built b = build_class(text, "P.Same");
    assert_int_equal(front_cell_count(b.front), 1);
    assert_int_equal(front_cell(b.front, 0)->nstate, 1);
    drop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),   cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_library), cmocka_unit_test(test_outer_variables),
        cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
