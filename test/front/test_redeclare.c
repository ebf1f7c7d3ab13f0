/* test_redeclare.c - declarations that replace others: whose modifiers hold (Modelica 7.2, 7.3),
 * and what a redeclaration keeps. */
#include "hybrid_help.h"

#include "help/observe.h"

/* What a constraining clause says holds for every new type, what the declaration itself says only
 * for its own; without such a clause the declaration's modifiers are those of the constraint. */
static void test_constraining_modifiers(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  partial model T parameter Real k = 1, j = 1; Real y; end T;\n"
        "  model One extends T; equation y = k*time; end One;\n"
        "  model Two extends T; parameter Real z = 3; equation y = (k*z + 100*j)*time; end Two;\n"
        "  model H replaceable One t(k = 2, j = 7) constrainedby T(k = 4); end H;\n"
        "  model K extends H; redeclare Two t(z = 5); end K;\n"
        "  model N replaceable One t(k = 2); end N;\n"
        "  model L extends N; redeclare Two t; end L;\n"
        "  model M H a, b(redeclare Two t); K c, d(t(j = 2)); N e(redeclare Two t(z = 1)); L f;\n"
        "  end M;\n"
        "end P;\n",
        "P.M");
    assert_observed(&b, 1, "a.t.y", 2);
    assert_observed(&b, 1, "b.t.y", 112);
    assert_observed(&b, 1, "c.t.y", 120);
    assert_observed(&b, 1, "d.t.y", 220);
    assert_observed(&b, 1, "e.t.y", 102);
    assert_observed(&b, 1, "f.t.y", 106);
    drop(&b);
}

/* A component that is redeclared keeps the condition of its declaration, with the names that are
 * seen there, unless the new declaration has one. */
static void test_condition_of_redeclared(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  model T Real x(start = 1, fixed = true), y = time; equation der(x) = 0; end T;\n"
        "  model One extends T; parameter Real z = 3; end One;\n"
        "  partial model H parameter Boolean use = false; replaceable T t if not use; end H;\n"
        "  model A extends H(redeclare final One t(final z = 5)); end A;\n"
        "  model B extends H; redeclare One t; end B;\n"
        "  model C extends H; redeclare One t if use; end C;\n"
        "  model M A a, b(use = true); B c, d(use = true); C e, f(use = true); end M;\n"
        "end P;\n",
        "P.M");
    assert_int_equal(lieder_system_state_count(b.system), 3);
    assert_observed(&b, 1, "a.t.y", 1);
    assert_observed(&b, 1, "c.t.y", 1);
    assert_observed(&b, 1, "f.t.y", 1);
    drop(&b);
}

/* A redeclaration in a class stands between the modifiers from outside and those of its extends
 * clause; one from outside replaces it. */
static void test_order_of_redeclarations(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  model R1 Real y; parameter Real p = 1; equation y = p*time; end R1;\n"
        "  model R2 Real y; parameter Real p = 1, q = 1; equation y = (p + 100*q)*time; end R2;\n"
        "  model A replaceable parameter Real x(max = 10) = 1; replaceable model M = R1(p = 3); M "
        "m;\n"
        "    Real z = x; end A;\n"
        "  model B extends A(M(p = 5), x = 7); redeclare replaceable Real x = 2;\n"
        "    redeclare replaceable model M = R2; end B;\n"
        "  model C extends B(x = 3); end C;\n"
        "  model M B b; C c, d(x = 4); B e(redeclare model M = R1(p = 11), redeclare Real x = 6);\n"
        "    B f(redeclare model M = R2(q = 2)), g(M(p = 8, q = 3)), h(m(p = 9)); A i;\n"
        "  end M;\n"
        "end P;\n",
        "P.M");
    assert_observed(&b, 1, "b.z", 2);
    assert_observed(&b, 1, "b.m.y", 105);
    assert_observed(&b, 1, "c.z", 3);
    assert_observed(&b, 1, "d.z", 4);
    assert_observed(&b, 1, "e.z", 6);
    assert_observed(&b, 1, "e.m.y", 11);
    assert_observed(&b, 1, "f.m.y", 205);
    assert_observed(&b, 1, "g.m.y", 308);
    assert_observed(&b, 1, "h.m.y", 109);
    assert_observed(&b, 1, "i.m.y", 3);
    drop(&b);
}

/* What a class says about its base holds, then the constraining clause, or where there is none what
 * the first declaration said. */
static void test_constraining_modifiers_of_classes(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  model R parameter Real k = 1, j = 1; Real y; equation y = (k + 10*j)*time; end R;\n"
        "  model S extends R; parameter Real t = 5; end S;\n"
        "  model A replaceable model M = R(j = 3) constrainedby R(k = 4); M m; end A;\n"
        "  model B replaceable model M = R(k = 6); M m; end B;\n"
        "  model C extends B(redeclare replaceable model M = S(j = 8)); end C;\n"
        "  model D extends A(redeclare replaceable model M = S constrainedby S(j = 9)); end D;\n"
        "  model M A a, b(redeclare model M = R(k = 2)), c(redeclare model M = R(j = 7)); B d;\n"
        "    B e(redeclare model M = S); C f, g(redeclare model M = R); D h;\n"
        "    D i(redeclare model M = S(t = 2)); end M;\n"
        "end P;\n",
        "P.M");
    assert_observed(&b, 1, "a.m.y", 34);
    assert_observed(&b, 1, "b.m.y", 12);
    assert_observed(&b, 1, "c.m.y", 74);
    assert_observed(&b, 1, "d.m.y", 16);
    assert_observed(&b, 1, "e.m.y", 16);
    assert_observed(&b, 1, "f.m.y", 86);
    assert_observed(&b, 1, "g.m.y", 16);
    assert_observed(&b, 1, "h.m.y", 94);
    assert_observed(&b, 1, "i.m.y", 94);
    drop(&b);
}

/* redeclare model extends M: its own modifiers before those of the M that it extends, modifiers
 * from outside before both */
static void test_class_extends(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  model R parameter Real p = 1; Real y = p; end R;\n"
        "  model S parameter Real p = 1, q = 1; Real y = p + q; end S;\n"
        "  model A replaceable model M = R(p = 3); M m; end A;\n"
        "  model B extends A(M(p = 5)); redeclare replaceable model extends M(p = 7)\n"
        "    parameter Real z = 2*p; Real w = z; end M; end B;\n"
        "  model C extends B; redeclare replaceable model extends M parameter Real u = 1;\n"
        "    Real v = z + u; end M; end C;\n"
        "  model M B a, b(M(p = 9)), c(M(z = 3)), d(redeclare model M = S(q = 2)); C e(M(p = 4));\n"
        "  end M;\n"
        "end P;\n",
        "P.M");
    assert_observed(&b, 1, "a.m.w", 14);
    assert_observed(&b, 1, "b.m.w", 18);
    assert_observed(&b, 1, "c.m.w", 3);
    assert_observed(&b, 1, "c.m.y", 7);
    assert_observed(&b, 1, "d.m.y", 7);
    assert_observed(&b, 1, "e.m.v", 9);
    drop(&b);
}

/* prefixes and sizes that a redeclaration leaves out are those of the declaration (7.3) */
static void test_kept_parts(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  type T = Real(min = -9);\n"
        "  partial function F replaceable input Real u[2]; output Real y; end F;\n"
        "  function G extends F; redeclare T u; algorithm y := u[1]*u[2]; end G;\n"
        "  model A replaceable parameter Real p[2] = {3, 4}; replaceable Integer[2, 2] n; Real y;\n"
        "  equation y = p*p; end A;\n"
        "  model W replaceable Real v = 1; end W;\n"
        "  model X Real v = 2; Real z = 3; end X;\n"
        "  model I outer X w; Real y = w.z; end I;\n"
        "  model O inner replaceable W w; I i; end O;\n"
        "  model M A a(redeclare T p, n = {{1, 2}, {3, 4}}), b(redeclare T p = {1, 2},\n"
        "      redeclare Integer n = {{5, 6}, {7, 8}});\n"
        "    O o(redeclare X w); Real g = G({2, time}); end M;\n"
        "end P;\n",
        "P.M");
    assert_observed(&b, 1, "a.y", 25);
    assert_observed(&b, 1, "b.y", 5);
    assert_observed(&b, 1, "b.n[2,1]", 7);
    assert_observed(&b, 1, "o.i.y", 3);
    assert_observed(&b, 3, "g", 6);
    drop(&b);
}

/* a redeclaration that goes into an array of components gives each element its value */
static void test_into_arrays(void **state)
{
    (void)state;
    Built b = build_class("package P\n"
                          "  model A Real x; end A;\n"
                          "  model B replaceable A a; end B;\n"
                          "  model C B b[2]; end C;\n"
                          "  model M extends C(b(redeclare A a(x = {1, 2}))); end M;\n"
                          "end P;\n",
                          "P.M");
    assert_observed(&b, 1, "b[1].a.x", 1);
    assert_observed(&b, 1, "b[2].a.x", 2);
    drop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constraining_modifiers),
        cmocka_unit_test(test_condition_of_redeclared),
        cmocka_unit_test(test_order_of_redeclarations),
        cmocka_unit_test(test_constraining_modifiers_of_classes),
        cmocka_unit_test(test_class_extends),
        cmocka_unit_test(test_kept_parts),
        cmocka_unit_test(test_into_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
