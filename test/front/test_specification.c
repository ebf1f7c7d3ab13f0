/* test_specification.c - what the language specification demands of single constructs, by the
 * numbers of closed forms. docs/language.md names the tests. */
#include "hybrid_help.h"

#include "help/observe.h"

/* ------------------------------------------------------------------ classes */

/* an outer class is the inner one of its name around the instance, whatever stands behind it */
static void test_outer_classes(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  partial model Base Real y; end Base;\n"
        "  model One extends Base; equation y = time; end One;\n"
        "  model Two extends Base; equation y = 2*time; end Two;\n"
        "  function same input Real x; output Real y; algorithm y := x; end same;\n"
        "  function triple extends same; algorithm y := 3*x; end triple;\n"
        "  package A constant Real c = 1; end A;\n"
        "  package B extends A(c = 5); end B;\n"
        "  model R outer model T = Base; outer function f = same; outer package Q = A;\n"
        "    T t, u[2]; Real y = f(time), z = Q.c*time; end R;\n"
        "  model Around R r; end Around;\n"
        "  model Other inner model T = One; inner function f = same; inner package Q = A;\n"
        "    Around in_[2]; end Other;\n"
        "  model M inner model T = Two; inner function f = triple; inner package Q = B;\n"
        "    R r; Around a; Other o[2]; end M;\n"
        "end P;\n",
        "P.M");
    assert_observed(&b, 2, "r.t.y", 4);
    assert_observed(&b, 2, "a.r.u[2].y", 4);
    assert_observed(&b, 2, "a.r.y", 6);
    assert_observed(&b, 2, "a.r.z", 10);
    assert_observed(&b, 2, "o[2].in_[1].r.t.y", 2);
    assert_observed(&b, 2, "o[1].in_[2].r.y", 2);
    assert_observed(&b, 2, "o[2].in_[2].r.z", 2);
    drop(&b);
}

/* E(i) is the i-th literal, of parameters, variables and arrays; a run ends where there is none */
static void test_literals_by_number(void **state)
{
    (void)state;
    Built b =
        build_class("package P\n"
                    "  type E = enumeration(a, b, c);\n"
                    "  model M\n"
                    "    parameter Integer i = 2; parameter E p = E(i), list[2] = E({3, 1});\n"
                    "    Integer k = if time > 1 then 3 else 1; E e = E(k);\n"
                    "    Real y = Integer(e), z = Integer(p), w = if e == E.c then 5 else 6;\n"
                    "    Real l = Integer(list[1]);\n"
                    "  end M;\n"
                    "end P;\n",
                    "P.M");
    assert_observed(&b, 0.5, "y", 1);
    assert_observed(&b, 1.5, "y", 3);
    assert_observed(&b, 0.5, "w", 6);
    assert_observed(&b, 1.5, "w", 5);
    assert_observed(&b, 0, "z", 2);
    assert_observed(&b, 0, "l", 3);
    drop(&b);
    b = build_class("package P type E = enumeration(a, b);\n"
                    "  model A Integer k = integer(2*time) + 1; E e = E(k); end A;\n"
                    "  model M A a; Real x(start = 0, fixed = true) = time; end M; end P;\n",
                    "P.M");
    Run r = run_with(&b, adaptive(2), "a.e");
    assert_int_equal(r.status, LIEDER_GAVE_UP);
    assert_message(&b, "enumeration 'E' has no literal of this number");
    assert_near(r.rows[(r.nrow - 1) * (1 + MAX_PATHS)], 1, 1e-6);
    run_drop(&r);
    drop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outer_classes),
        cmocka_unit_test(test_literals_by_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
