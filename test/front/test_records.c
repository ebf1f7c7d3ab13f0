/* test_records.c - records as values: constructors, functions, arrays, equations; sizes and numbers
 * that parameters decide. */
#include <stdlib.h>

#include <lieder/variables.h>

#include "front_help.h"
#include "help/observe.h"
#include "starved.h"

static const char text[] =
    "package P\n"
    "  record Point Real x; Real y; Real v[2]; end Point;\n"
    "  record Data Real a; Real b; Real w[3]; end Data;\n"
    "  record Sized parameter Real a; parameter Real b = 2*a; parameter Integer n = 3; parameter "
    "Real w[n] = ones(n); end Sized;\n"
    "  record Inside Data d; Point p[2]; end Inside;\n"
    "  function make input Real a; output Point p;\n"
    "  algorithm p.x := a; p.y := 2; p.v[2] := 3*a; end make;\n"
    "  function sum_of input Point p; output Real s;\n"
    "  algorithm s := p.x + 10*p.y + 100*p.v[1] + 1000*p.v[2]; end sum_of;\n"
    "  function many input Real a[:]; output Point p[size(a, 1)];\n"
    "  algorithm\n"
    "    for i in 1:size(a, 1) loop\n"
    "      p[i].x := a[i]; p[i].y := i; p[i].v := {i, 2*i};\n"
    "    end for;\n"
    "  end many;\n"
    "  function choose input Real u; output Point p;\n"
    "  algorithm\n"
    "    p := make(1);\n"
    "    if u > 1 then p := make(u); else p.v := {u, u}; end if;\n"
    "  end choose;\n"
    "  function swap input Inside i; output Inside o; output Real first;\n"
    "  algorithm o := i; o.p[1] := i.p[2]; o.p[2].v[1] := 7; first := i.p[1].x; end swap;\n"
    "  model M\n"
    "    parameter Sized q = Sized(3, n = 2);\n"
    "    parameter Sized list[2] = {Sized(1), Sized(a = 2, b = 5)};\n"
    "    parameter Point three[3] = many({1, 2, 3});\n"
    "    Point p = make(time), s, pair[2], c = if time > 0.5 then p else s, d = choose(time);\n"
    "    Inside in1, in2; Real first;\n"
    "    Real n = sum_of(p), n1 = sum_of(three[2]), n2 = sum_of(Point(x = time, y = 1, v = {2, "
    "3}));\n"
    "    Real n3 = list[2].b + q.b + q.w[2], each_[3] = sum_of(many({time, 1, 2})), n4 = "
    "three[3].v[2];\n"
    "  equation\n"
    "    s = make(2*time);\n"
    "    pair = many({time, 4});\n"
    "    in1.d = Data(time, 2*time, w = {1, 2, 3}); in1.p = pair;\n"
    "    (in2, first) = swap(in1);\n"
    "  end M;\n"
    "end P;\n";

static void test_values(void **state)
{
    (void)state;
    Built b = build_with(text, "P.M", NULL, 0);
    if (b.status != LIEDER_DONE)
        lieder_diagnostic_print_all(b.session, stderr);
    assert_int_equal(b.status, LIEDER_DONE);
    const struct {
        const char *name;
        double early, late; /* at 0.25 and 2 s */
    } cases[] = {
        {"p.x", 0.25, 2},
        {"p.v[2]", 0.75, 6},
        {"s.v[2]", 1.5, 12},
        {"pair[1].x", 0.25, 2},
        {"pair[2].v[2]", 4, 4},
        {"c.x", 0.5, 2}, /* changes from s to p */
        {"d.x", 1, 2},
        {"d.v[1]", 0.25, 0},
        {"d.v[2]", 0.25, 6},
        {"n", 0.25 + 20 + 750, 2 + 20 + 6000},
        {"n1", 2 + 20 + 200 + 4000, 4222},
        {"n2", 3210.25, 3212},
        {"n3", 5 + 6 + 1, 12},
        {"n4", 6, 6},
        {"each_[1]", 2110.25, 2112},
        {"each_[3]", 2 + 30 + 300 + 6000, 6332},
        {"in2.d.w[3]", 3, 3},
        {"in2.d.b", 0.5, 4},
        {"in2.p[1].x", 4, 4},
        {"in2.p[2].v[1]", 7, 7},
        {"in2.p[2].v[2]", 4, 4},
        {"first", 0.25, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_observed(&b, 0.25, cases[i].name, cases[i].early);
        assert_observed(&b, 2, cases[i].name, cases[i].late);
    }
    drop(&b);
}

/* a function of a component, with inputs that a modifier there gives; sizes that a value has; loops
 * and conditions of functions that Real parameters decide */
static void test_functions_of_components(void **state)
{
    (void)state;
    Built b = build(
        "package P\n"
        "  partial function field input Real r; output Real g; end field;\n"
        "  function linear extends field; input Real k; input Real g0 = 1;\n"
        "  algorithm g := g0 + k*r; end linear;\n"
        "  model World parameter Real k = 3;\n"
        "    replaceable function at = linear(k = k, g0 = 2*k) constrainedby field;\n"
        "  end World;\n"
        "  model Body outer World world; Real g = world.at(time); end Body;\n"
        "  model Lines input Real lines[:, 2] = zeros(0, 2); parameter Integer n = size(lines, "
        "1);\n"
        "    Real total = sum(lines) + n; end Lines;\n"
        "  function digits input Real x; output Real n;\n"
        "  protected Real rest = x;\n"
        "  algorithm\n"
        "    assert(x > 0, \"positive\");\n"
        "    n := 0; while rest >= 1 loop rest := rest/10; n := n + 1; end while;\n"
        "  end digits;\n"
        "  model M\n"
        "    inner World world(k = 4); Body body; Lines none, some(lines = {{time, 1}, {2, 3}});\n"
        "    parameter Real limit = 1234, table[:, 2] = {{1, 2}, {3, 4}};\n"
        "    Real n = digits(limit)*time, s = size(table, 1);\n"
        "  end M;\n"
        "end P;\n");
    assert_observed(&b, 2, "body.g", 8 + 4 * 2);
    assert_observed(&b, 2, "none.total", 0);
    assert_observed(&b, 2, "some.total", 2 + 6 + 2);
    assert_observed(&b, 2, "n", 8);
    assert_observed(&b, 2, "s", 2);
    drop(&b);
}

/* ------------------------------------------------------------------ what variables and parameters
 * decide */

/* break and return in branches that variables decide, an index that varies, a condition that
 * follows from parameters through a Boolean variable, a component whose variable is bound from
 * outside */
static void test_decisions(void **state)
{
    (void)state;
    Built b =
        build("package P\n"
              "  function first input Boolean b[:]; output Integer i;\n"
              "  algorithm\n"
              "    i := 0;\n"
              "    for k in 1:size(b, 1) loop if b[k] then i := k; return; end if; end for;\n"
              "    i := -1;\n"
              "  end first;\n"
              "  function steps input Real u; output Real n; output Real s;\n"
              "  algorithm\n"
              "    n := 0; s := 0;\n"
              "    for k in 1:5 loop\n"
              "      s := s + k;\n"
              "      if s > u then if u > 8 then n := 100; break; else n := n + 10; break; end if; "
              "end if;\n"
              "      n := n + 1;\n"
              "    end for;\n"
              "    if u < 0 then return; end if;\n"
              "    s := -s;\n"
              "  end steps;\n"
              "  model Source parameter Real k = 1; output Real y; end Source;\n"
              "  model Logic input Boolean u; output Boolean y; equation y = not u; end Logic;\n"
              "  model M\n"
              "    parameter Real table[:] = {1, 2}; Boolean same; Real z;\n"
              "    Integer i = first({time > 3, time > 2, time > 1});\n"
              "    Real list[3] = {10, 20, 30}*time, chosen = list[if i > 0 then i else 1];\n"
              "    Real n, s; Source source(y = 2*z); Logic one, two;\n"
              "  equation\n"
              "    same = table[1] + 1 == table[2];\n"
              "    if same then z = 5*time; else z = 1; z = 2; end if;\n"
              "    (n, s) = steps(4*time - 1);\n"
              "    one.u = time > 2; connect(one.y, two.u);\n"
              "  end M;\n"
              "end P;\n");
    static const double times[] = {0, 0.5, 1.5, 2.5, 4};
    static const double first[] = {-1, -1, 3, 2, 1};
    for (size_t k = 0; k < 5; k++) {
        double t = times[k], u = 4 * t - 1, n = 0, s = 0;
        for (int i = 1; i <= 5; i++) {
            s += i;
            if (s > u) {
                n = u > 8 ? 100 : n + 10;
                break;
            }
            n++;
        }
        if (u >= 0)
            s = -s;
        assert_observed(&b, t, "i", first[k]);
        assert_observed(&b, t, "chosen", t * (first[k] > 0 ? 10 * first[k] : 10));
        assert_observed(&b, t, "n", n);
        assert_observed(&b, t, "s", s);
        assert_observed(&b, t, "z", 5 * t);
        assert_observed(&b, t, "source.y", 10 * t);
        assert_observed(&b, t, "two.y", t > 2);
    }
    drop(&b);
}

/* the value of a whole record leaves fields alone that are final in its class */
static void test_final_fields(void **state)
{
    (void)state;
    Built b = build("package P\n"
                    "  record Loss parameter Real p = 1; parameter Real w = 2; final parameter "
                    "Real t = p/w; end Loss;\n"
                    "  model Part parameter Loss loss; Real x = loss.t*time; end Part;\n"
                    "  model M parameter Loss loss(p = 6); Part part(final loss = loss); end M;\n"
                    "end P;\n");
    assert_observed(&b, 2, "part.x", 6);
    drop(&b);
}

/* a record that extends another one has defaults of its own: they hold for a component of the other
 */
static void test_defaults_of_constructors(void **state)
{
    (void)state;
    Built b =
        build("package P\n"
              "  record Base parameter Real a = 1; parameter Real b = 1; end Base;\n"
              "  record Steel extends Base(a = 5, b = 7); end Steel;\n"
              "  record Iron = Base(a = 11);\n"
              "  record Other parameter Real b = 2; parameter Real a = 3; end Other;\n"
              "  model Part parameter Base m = Base(); Real x = (m.a + 10*m.b)*time; end Part;\n"
              "  model Made parameter Base m = Steel(); Real x = (m.a + 10*m.b)*time; end Made;\n"
              "  model M\n"
              "    parameter Boolean soft = true; parameter Steel s(b = 9);\n"
              "    Part p, steel(m = Steel()), iron(m = Iron()), some(m = Steel(a = 2)),\n"
              "      chosen(m = if soft then Iron() else Steel()), own(m = Base(a = 3)),\n"
              "      swapped(m = Other(4)), same(m = s), part(m(a = 8) = Steel());\n"
              "    Made made, other(m = Iron(b = 0.5)), three[3](m = {Base(), Steel(), Iron()});\n"
              "  end M;\n"
              "end P;\n");
    const struct {
        const char *name;
        double x;
    } cases[] = {{"p.x", 11},        {"steel.x", 75},   {"iron.x", 21},    {"some.x", 72},
                 {"chosen.x", 21},   {"own.x", 13},     {"swapped.x", 43}, {"same.x", 95},
                 {"part.x", 78},     {"made.x", 75},    {"other.x", 16},   {"three[1].x", 11},
                 {"three[2].x", 75}, {"three[3].x", 21}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_observed(&b, 1, cases[i].name, cases[i].x);
    drop(&b);
}

/* an algorithm of a model assigns a whole record, then fields of it by a call with two results */
static void test_record_in_algorithm(void **state)
{
    (void)state;
    Built b = build("package P\n"
                    "  record Data\n    Real a, b, c;\n  end Data;\n"
                    "  function make\n    input Real x;\n    output Data d;\n"
                    "  algorithm\n    d.a := x;\n    d.b := 2*x;\n    d.c := 0;\n"
                    "  end make;\n"
                    "  function two\n    input Real x;\n    output Real p, q;\n"
                    "  algorithm\n    p := 3*x;\n    q := 4*x;\n  end two;\n"
                    "  model M\n"
                    "    parameter Real k = 2;\n"
                    "    Data d, e;\n"
                    "    Real i, v = time + 1;\n"
                    "  algorithm\n"
                    "    d := make(k*v);\n"
                    "    e := d;\n"
                    "    (d.b, d.c) := two(d.a);\n"
                    "    i := d.c*v;\n"
                    "  end M;\n"
                    "end P;\n");
    assert_observed(&b, 2, "d.a", 6);
    assert_observed(&b, 2, "d.b", 18);
    assert_observed(&b, 2, "d.c", 24);
    assert_observed(&b, 2, "e.b", 12);
    assert_observed(&b, 2, "e.c", 0);
    assert_observed(&b, 2, "i", 72);
    drop(&b);
}

/* every allocation may fail */
static void test_memory(void **state)
{
    (void)state;
    starve((Starved){.text = text, .class_name = "P.M", .finer = 6, .model_only = true});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_functions_of_components),
        cmocka_unit_test(test_decisions),
        cmocka_unit_test(test_final_fields),
        cmocka_unit_test(test_record_in_algorithm),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_defaults_of_constructors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
