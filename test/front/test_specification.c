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

/* extends without some components and connections; those of the base's base, too */
static void test_left_out(void **state)
{
    (void)state;
    static const char text[] =
        "package P\n"
        "  connector Pin Real v; flow Real i; end Pin;\n"
        "  model R Pin p, n; parameter Real R = 1;\n"
        "  equation p.v - n.v = R*p.i; p.i + n.i = 0; end R;\n"
        "  model G Pin p; equation p.v = 0; end G;\n"
        "  model V Pin p; equation p.v = time; end V;\n"
        "  model Base V v; R r[2](R = {1, 2}); G g; equation connect(v.p, r[1].p);\n"
        "    connect(r[1].n, r[2].p); connect(r[2].n, g.p); end Base;\n"
        "  model Longer extends Base(break connect(r[2].p, r[1] . n), break g); G ground;\n"
        "    R mid(R = 5); equation connect(r[1].n, mid.p); connect(mid.n, r[2].p);\n"
        "    connect(r[2].n, ground.p); end Longer;\n"
        "  model Last extends Longer(break connect(mid.n, r[2].p)); R x(R = 2);\n"
        "  equation connect(mid.n, x.p); connect(x.n, r[2].p); end Last;\n"
        "  model M Base b; Longer l; Last e; end M;\n"
        "end P;\n";
    Built b = build_class(text, "P.M");
    assert_observed(&b, 2, "b.r[1].p.i", 2.0 / 3);
    assert_observed(&b, 2, "l.r[1].p.i", 2.0 / 8);
    assert_observed(&b, 2, "e.r[1].p.i", 2.0 / 10);
    drop(&b);
    /* a value that an equation gives instead */
    b = build_class("model A Real x = 1; Real y = x; end A;\n"
                    "model M extends A(x = break); equation x = 3*time; end M;\n",
                    "M");
    assert_observed(&b, 2, "y", 6);
    drop(&b);
    /* composed of classes of the library: a rod without the body at its end, another one there */
    b = build_class("model A Dialectic.Planar.Fixed fixed; Dialectic.Planar.Revolute joint;\n"
                    "  Dialectic.Planar.Body body(m = 1, I = 1);\n"
                    "equation connect(fixed.frame, joint.frame_a);\n"
                    "  connect(joint.frame_b, body.frame_a); end A;\n"
                    "model M extends A(break body); Dialectic.Planar.Body other(m = 2, I = 3);\n"
                    "equation connect(joint.frame_b, other.frame_a); end M;\n",
                    "M");
    assert_value(&b, "other.I", 3);
    assert_int_equal(lieder_system_state_count(b.system), 2);
    drop(&b);
}

/* a class that two bases declare in the same way is one, and a redeclaration reaches it */
static void test_twice(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  package A constant Real c = 1; end A;\n"
        "  package B extends A(c = 5); end B;\n"
        "  partial model X replaceable package Medium = A \"one\"; Real x = Medium.c*time; end X;\n"
        "  partial model Y replaceable package Medium = A \"other\"; Real y = Medium.c; end Y;\n"
        "  model Z extends X; extends Y; replaceable package Medium = A; Real z = Medium.c; end "
        "Z;\n"
        "  model M replaceable package Medium = B; Z plain;\n"
        "    Z z(redeclare package Medium = Medium); end M;\n"
        "end P;\n",
        "P.M");
    assert_observed(&b, 2, "plain.x", 2);
    assert_observed(&b, 2, "z.x", 10);
    assert_observed(&b, 2, "z.y", 5);
    assert_observed(&b, 2, "z.z", 5);
    drop(&b);
    /* attributes of a variable that one of the two gives hold; both have to agree in the rest */
    b = build_class(
        "package P\n"
        "  partial model X Real x(min = 0); end X;\n"
        "  partial model Y Real x(min = 0, start = 3, fixed = true); end Y;\n"
        "  model M extends X; extends Y; Real y = x + time; equation der(x) = 0; end M;\n"
        "end P;\n",
        "P.M");
    Run r = run_with(&b, adaptive(1), "y");
    assert_near(r.rows[(r.nrow - 1) * (1 + MAX_PATHS) + 1], 4, 1e-12);
    run_drop(&r);
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

/* An outer component or connector stands for the inner one. Flows of the parts in the leaves and
 * of the hub sum to zero there: three capacities, two of them behind conductances. A connector of
 * the leaf itself is seen from inside, as in the example of 9.2: the resistor is connected through
 * the load. */
static void test_outer_connections(void **state)
{
    (void)state;
    static const char text[] =
        "package P\n"
        "  connector C Real T; flow Real q; end C;\n"
        "  model Hub C p; Real x(start = 10); equation der(x) = p.q; p.T = x; end Hub;\n"
        "  model Part C a; Real y(start = 1);\n"
        "  equation a.q = a.T - y; der(y) = a.q; end Part;\n"
        "  model Leaf outer Hub hub; Part part; Real y = part.y;\n"
        "  equation connect(part.a, hub.p); end Leaf;\n"
        "  model Tap outer C line; Part part; Real y = part.y;\n"
        "  equation connect(line, part.a); end Tap;\n"
        "  model Leaves Leaf l[2]; end Leaves;\n"
        "  model ByComponent inner Hub hub; Leaves s; Leaf l; end ByComponent;\n"
        "  model ByConnector inner C line; Hub hub; Tap t[2]; Tap u;\n"
        "  equation connect(line, hub.p); end ByConnector;\n"
        "  model Resistor C p, n; equation p.T - n.T = 2*p.q; p.q + n.q = 0; end Resistor;\n"
        "  model Fixed C p; parameter Real T = 0; equation p.T = T; end Fixed;\n"
        "  model Load outer Resistor r; C p, n;\n"
        "  equation connect(p, r.p); connect(r.n, n); end Load;\n"
        "  model Circuit inner Resistor r; Fixed one(T = 6), two; Load load;\n"
        "  equation connect(load.p, one.p); connect(load.n, two.p); end Circuit;\n"
        "end P;\n";
    static const char *const classes[] = {"P.ByComponent", "P.ByConnector"};
    static const char *const leaves[] = {"s.l[2].part.y", "t[2].part.y"};
    for (int i = 0; i < 2; i++) {
        Built b = build_class(text, classes[i]);
        double x[4];
        assert_int_equal(lieder_system_state_count(b.system), 4);
        assert_int_equal(lieder_system_start(b.system, x), LIEDER_DONE);
        assert_float_equal(derivative(&b, x, 0, "hub.x"), -27, 1e-13);
        assert_float_equal(derivative(&b, x, 0, leaves[i]), 9, 1e-13);
        drop(&b);
    }
    Built b = build_class(text, "P.Circuit");
    assert_observed(&b, 0, "r.p.q", 3);
    assert_observed(&b, 0, "one.p.q", -3);
    drop(&b);
}

/* r.b[2] of an array r of records is that element of each b, in functions as in models; types as
 * sizes hold in functions and in algorithms that have other variables before them. */
static void test_slices_and_types_as_sizes(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  type E = enumeration(a, b, c);\n"
        "  record R Real a; Real b[2]; end R;\n"
        "  function f input R r[:]; output Real s; output Real p;\n"
        "  algorithm s := sum(r.b[1]); p := product(r[2:end].b[2]); end f;\n"
        "  function g input Real x[E]; output Real y[Boolean]; protected Real t[P.E];\n"
        "  algorithm for e in E loop t[e] := x[e]*Integer(e); end for;\n"
        "    y := {sum(t), t[E.c]}; end g;\n"
        "  model M\n"
        "    R q[3] = {R(i*time, {i*time, 2*i}) for i in 1:3}; Real s, p, y[2] = g({time, 2, 3});\n"
        "    Integer n(start = 1); Boolean on[E](each start = false); Real z;\n"
        "  equation\n"
        "    (s, p) = f(q);\n"
        "    z = n + (if on[E.b] then 10 else 0);\n"
        "  algorithm\n"
        "    when initial() then n := n + 1; on[E.b] := not on[E.b]; end when;\n"
        "  end M;\n"
        "end P;\n",
        "P.M");
    assert_observed(&b, 1, "s", 6);
    assert_observed(&b, 1, "p", 24);
    assert_observed(&b, 1, "y[1]", 14);
    assert_observed(&b, 1, "y[2]", 9);
    drop(&b);
}

/* ------------------------------------------------------------------ external functions */

/* functions of the language and of C by their names, with their derivatives */
static void test_functions_of_c(void **state)
{
    (void)state;
    Built b =
        build_class("package P\n"
                    "  function s input Real x; output Real y; external \"builtin\" y = "
                    "sin(x); end s;\n"
                    "  function p input Real x; input Real z; output Real y; external \"C\" "
                    "y = pow(x, z); end p;\n"
                    "  function a input Real x; input Real z; output Real y; external \"C\" "
                    "y = atan2(x, z); end a;\n"
                    "  model M parameter Real q = p(2, 10); Real y = s(time), z = p(time, 3), "
                    "w = a(time, 2), d = der(y), n = q; end M;\n"
                    "end P;\n",
                    "P.M");
    assert_observed(&b, 1.5, "y", sin(1.5));
    assert_observed(&b, 1.5, "d", cos(1.5));
    assert_observed(&b, 1.5, "z", 3.375);
    assert_observed(&b, 1.5, "w", atan2(1.5, 2));
    assert_observed(&b, 1.5, "n", 1024);
    drop(&b);
}

/* ------------------------------------------------------------------ assertions */

/* the end of a run by an assertion: when, and what it says; NULL: it does not end */
static void assert_ends(const char *text, const char *class_name, double at, const char *message)
{
    Built b = build_class(text, class_name);
    Run r = run_with(&b, adaptive(2), "y");
    assert_int_equal(r.status, message ? LIEDER_GAVE_UP : LIEDER_DONE);
    /* the last row is that of the grid before it */
    double last = r.rows[(r.nrow - 1) * (1 + MAX_PATHS)];
    assert_true(last <= at && last > at - 0.0041);
    if (message)
        assert_message(&b, message);
    else
        assert_int_equal(lieder_diagnostic_count(b.session), 0);
    run_drop(&r);
    drop(&b);
}

#define CHECKED                                                                                    \
    "package P\n"                                                                                  \
    "  function root input Real x; output Real y;\n"                                               \
    "  algorithm assert(x >= 0, \"x is \" + String(x)); y := sqrt(max(x, 0)); end root;\n"

/* conditions of functions hold where the function is evaluated, and only there */
static void test_function_conditions(void **state)
{
    (void)state;
    /* z = 1 - t leaves the range at 1 */
    assert_ends(CHECKED "model M Real z = 1 - time, y = root(z); end M; end P;\n", "P.M", 1,
                "at t = 1.000");
    /* in a function that is called by another one, under its condition, doubled: at 1.5 */
    assert_ends(CHECKED
                "  function f input Real x; output Real y; algorithm y := if x > 1 then root(3 - "
                "2*x) else 0; end f;\n"
                "  model M Real y = f(time); end M; end P;\n",
                "P.M", 1.5, "at t = 1.5");
    /* branches of expressions, equations and algorithms that do not hold ask for nothing */
    assert_ends(CHECKED
                "  model M Real u = time - 1, y = if u > 0 then root(u) else 0, z, w, v;\n"
                "  equation if u > 0 then z = root(u); else z = 1; end if;\n"
                "    v = noEvent(if u >= 0 then root(u) else root(-u));\n"
                "  algorithm if u > 0 then w := root(u); else w := 2; end if; end M; end P;\n",
                "P.M", 2, NULL);
    /* what stands behind return and break is not reached */
    assert_ends("package P\n"
                "  function f input Real x; output Real y;\n"
                "  algorithm if x > 0 then y := 1; return; end if; assert(x < -5, \"reached\"); y "
                ":= 2; end f;\n"
                "  model M Real y = f(time + 1); end M; end P;\n",
                "P.M", 2, NULL);
    /* i x > 3 leaves the loop: 2 x reaches 2.5 before, at 1.25 */
    assert_ends("package P\n"
                "  function f input Real x; output Real y; algorithm y := 0;\n"
                "    for i in 1:5 loop if i*x > 3 or i > 2 then break; end if;\n"
                "      assert(i*x < 2.5, \"in the loop\"); y := i; end for; end f;\n"
                "  model M Real y = f(time); end M; end P;\n",
                "P.M", 1.25, "at t = 1.25");
    /* where a clause fires: samples at 0.25, 0.75, 1.25 */
    assert_ends("package P\n"
                "  function f input Real x; output Real y; algorithm assert(x < 1, \"late\"); y "
                ":= x; end f;\n"
                "  model M discrete Real y(start = 0, fixed = true);\n"
                "  equation when sample(0.25, 0.5) then y = f(time); end when; end M; end P;\n",
                "P.M", 1.25, "at t = 1.25: late");
}

/* level warning goes on, at run time and for parameters; parameters are checked before a run */
static void test_function_levels(void **state)
{
    (void)state;
    static const char text[] =
        "package P\n"
        "  function f input Real x; output Real y;\n"
        "  algorithm assert(x < 1.5, \"large: \" + String(x), AssertionLevel.warning);\n"
        "    assert(x < 5, \"too large: \" + String(x)); y := 2*x; end f;\n"
        "  model M parameter Real p = f(3); Real y = f(time) + p; end M;\n"
        "  model N parameter Real q = 7; Real y = f(q)*time; end N;\n"
        "  model O parameter Real q = f(7); Real y = q*time; end O;\n"
        "end P;\n";
    Built b = build_class(text, "P.M");
    assert_message(&b, "a condition does not hold: large: 3");
    Run r = run(&b, 2, "y");
    assert_near(r.last[0], 10, 1e-12);
    assert_message(&b, "a condition does not hold from t = 1.5");
    run_drop(&r);
    drop(&b);
    static const char *const wrong[] = {"P.N", "P.O"};
    for (int i = 0; i < 2; i++) {
        b = build_with(text, wrong[i], NULL, 0);
        assert_int_equal(b.status, LIEDER_BAD_MODEL);
        assert_message(&b, "assertion failed: too large: 7");
        drop(&b);
    }
}

/* conditions of initial equations and algorithms hold at the start only */
static void test_initial_conditions(void **state)
{
    (void)state;
    static const char *const good[] = {
        "model M Real y; initial equation y = 1; assert(y < 1.5, \"start\"); equation der(y) = 1; "
        "end M;",
        "package P function f input Real x; output Real y; algorithm assert(x < 1, \"start\"); y "
        ":= x; end f;\n"
        "  model M Real y; initial equation y = f(time + 0.5); equation der(y) = 1; end M; end P;",
        "model M Real y(start = 1); initial algorithm assert(time < 1, \"start\"); y := 1; "
        "equation "
        "der(y) = 1; end M;"};
    for (int i = 0; i < 3; i++)
        assert_ends(good[i], i == 1 ? "P.M" : "M", 2, NULL);
    assert_ends("model M Real y; initial equation y = 1; assert(y > 1.5, \"start\"); equation "
                "der(y) = 1; end M;",
                "M", 0, "start");
}

/* texts of assertions in algorithms, where variables are expressions */
static void test_texts_in_algorithms(void **state)
{
    (void)state;
    assert_ends("model M Real y; Integer k; algorithm k := integer(3*time); y := time;\n"
                "  assert(y < 1, \"k = \" + String(k) + \", y = \" + String(2*y)); end M;",
                "M", 1, "k = 3, y = <...>");
    assert_ends("model M Real y; algorithm y := time;\n"
                "  assert(y < 1, if y > 0.5 then \"big\" else \"small\"); end M;",
                "M", 1, "<...>");
}

/* constant arrays of records whose number their value tells, in packages that are replaced */
static void test_open_records(void **state)
{
    (void)state;
    Built b =
        build_class("package P\n"
                    "  record D Real m; Real a[2]; end D;\n"
                    "  constant D N2(m = 28, a = {1, 2}); constant D O2(m = 32, a = {3, 4});\n"
                    "  partial package Mix constant D[:] data;\n"
                    "    constant Real X[size(data, 1)] = fill(1/size(data, 1), size(data, 1));\n"
                    "    function mass input Real x; output Real y;\n"
                    "    algorithm y := x*sum(data[i].m*X[i] for i in 1:size(data, 1)); end mass;\n"
                    "    function more input Real x; output Real y;\n"
                    "    algorithm y := sum(data.m) + data[2].a[1]*x; end more;\n"
                    "  end Mix;\n"
                    "  package Air extends Mix(data = {N2, O2}); end Air;\n"
                    "  model M replaceable package Medium = Air; Real y = Medium.mass(time);\n"
                    "    Real z = Medium.more(time), w = Medium.data[1].m; end M;\n"
                    "end P;\n",
                    "P.M");
    assert_observed(&b, 2, "y", 60);
    assert_observed(&b, 2, "z", 66);
    assert_observed(&b, 2, "w", 28);
    drop(&b);
}

/* texts of variables inside of functions reach the message, and an error is called only where
 * variables lead there */
static void test_open_texts(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  function error input String s; algorithm assert(false, s); end error;\n"
        "  function fail input String s; external \"C\" ModelicaError(s); end fail;\n"
        "  function check input Real x[2]; input String name; output Real y;\n"
        "  protected String t; algorithm t := \"\";\n"
        "    if abs(sum(x) - 1) > 0.5 then\n"
        "      for i in 1:2 loop t := t + \" x\" + String(i) + \"=\" + String(x[i]); end for;\n"
        "      error(\"bad \" + name + t);\n"
        "    end if;\n"
        "    if x[1] > 0.125 then fail(\"late\" + String(x[1])); end if; y := x[1]; end check;\n"
        "  model M parameter Real k = 1; Real a = k*time, b = 1 - 3*time;\n"
        "    Real z = check({a, b}, \"here\"); Real w(start = 0, fixed = true) = time; end M;\n"
        "end P;\n",
        "P.M");
    Run r = run_with(&b, adaptive(2), "z");
    assert_int_equal(r.status, LIEDER_GAVE_UP);
    assert_message(&b, "late0.125");
    assert_near(r.rows[(r.nrow - 1) * (1 + MAX_PATHS)], 0.125, 2e-3);
    run_drop(&r);
    drop(&b);
}

/* a function that writes a file and has a result is left out where a clause calls it, and
 * reported */
static void test_call_left_out(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  function write input Real x; output Boolean ok;\n"
        "  external \"C\" ok = ModelicaIO_writeRealMatrix(x); end write;\n"
        "  function keep input Real x; output Boolean ok; algorithm ok := write(x); end keep;\n"
        "  model M Real x(start = 0, fixed = true); equation der(x) = 1;\n"
        "    when time > 1 then keep(x); end when; end M;\n"
        "end P;\n",
        "P.M");
    assert_message(&b, "a call that variables decide is left out of the simulation");
    drop(&b);
}

/* the branches of an if-equation may have their equations in different orders, discrete ones too */
static void test_order_in_branches(void **state)
{
    (void)state;
    Built b = build("model M Integer n; Boolean s; Real x, y; equation\n"
                    "  if time > 1 then n = 3; s = n > 2; x = y + 1; y = time;\n"
                    "  else y = 2*x; s = n > 5; x = 5; n = 4; end if; end M;\n");
    assert_observed(&b, 0.5, "n", 4);
    assert_observed(&b, 0.5, "s", 0);
    assert_observed(&b, 0.5, "y", 10);
    drop(&b);
}

/* a field of a parameter that its function does not assign: nothing where nobody needs it, and no
 * number in what needs it */
static void test_unassigned_field(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  record C Real a; Real b; end C;\n"
        "  function f input Real g, x; output C c; algorithm c.a := x; if g > 0.5 then c.b := "
        "2*x;\n"
        "  end if; end f;\n"
        "  function g input Real g; input C c; input Real u; output Real y; algorithm\n"
        "    if g > 0.5 then y := c.b*u; else y := c.a*u; end if; end g;\n"
        "  model M parameter Real d = 0, e = 1, x = 3; parameter C c = f(d, x), both = f(e, x);\n"
        "    Real y = g(d, c, time), z = g(e, both, time), none = c.b*time; end M;\n"
        "end P;\n",
        "P.M");
    assert_observed(&b, 2, "y", 6);
    assert_observed(&b, 2, "z", 12);
    assert_true(isnan(observe(&b, 2, NULL, "none")));
    drop(&b);
}

/* a search that gives its result where it ends: no value before; a variable that only some branches
 * assign is no number where they were not taken, and fields of records likewise */
static void test_undefined(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  record R Real a; Real b; end R;\n"
        "  function root input Real y; output Real u; protected Real a, b; Boolean found = false;\n"
        "  algorithm a := 0; b := 8;\n"
        "    while not found loop\n"
        "      if b - a < 1e-9 then found := true; u := (a + b)/2;\n"
        "      elseif ((a + b)/2)^2 > y then b := (a + b)/2; else a := (a + b)/2; end if;\n"
        "    end while; end root;\n"
        "  function parts input Real x; output R r; algorithm r.a := 1;\n"
        "    if x > 0 then r.b := x; elseif x > -1 then r.a := 2; r.b := -x; end if; end parts;\n"
        "  function deep input Real p, x; output Real y;\n"
        "  algorithm y := if x > 1 then sqrt(p) else 5; if x > 2 then y := log(p)/0; end if;\n"
        "  end deep;\n"
        "  model M parameter Real p = -4 annotation(Evaluate = true); Real t = deep(p, time);\n"
        "    Real u = if abs(root(2 + time) - 3) < 1e-8 then 1 else 0; R r = parts(1 - "
        "time); R q = parts(1 - time); Real w = q.a;\n"
        "  end M;\n"
        "end P;\n",
        "P.M");
    assert_observed(&b, 7, "u", 1);
    assert_observed(&b, 0.5, "t", 5); /* sqrt(-4) in a branch where nobody comes */
    assert_observed(&b, 0.5, "r.b", 0.5);
    assert_observed(&b, 1.5, "r.b", 0.5);
    assert_observed(&b, 1.5, "w", 2);
    assert_observed(&b, 3, "w", 1);
    drop(&b);
}

/* a field whose default reads another one has no value before the record is assigned */
static void test_default_of_field(void **state)
{
    (void)state;
    Built b = build_class("package P\n"
                          "  record In Real a; end In;\n"
                          "  record Out In x[2]; Real y = 2*x[1].a; end Out;\n"
                          "  function f input Out o; output Out r; algorithm r := o;\n"
                          "    r.x[1].a := 7; end f;\n"
                          "  function g input Real u; output Out r; algorithm r.x[1].a := u;\n"
                          "    r.x[2].a := 2*u; r.y := r.x[2].a + 3; end g;\n"
                          "  model M Out o(x(a = {time, 2*time})), p = f(o), q = g(time); end M;\n"
                          "end P;\n",
                          "P.M");
    assert_observed(&b, 2, "o.y", 4);
    assert_observed(&b, 2, "p.y", 4);
    assert_observed(&b, 2, "p.x[1].a", 7);
    assert_observed(&b, 2, "q.y", 7);
    drop(&b);
}

/* a system that no state depends on: whoever asks why a value is no number is given the equation */
static void test_unsolved_value(void **state)
{
    (void)state;
    Built b = build_class("model M Real y = 2*x; Real x(start = 1);\n"
                          "equation x^2 = 0.5 - time;\n"
                          "end M;\n",
                          "M");
    LiederObserver *o = lieder_observer_create(b.system);
    double value;
    assert_int_equal(lieder_observer_add(o, "y"), 0);
    assert_int_equal(lieder_observer_evaluate(o, 0.25, NULL, &value), LIEDER_DONE);
    assert_near(value, 1, 1e-12);
    assert_int_equal(lieder_observer_evaluate(o, 1, NULL, &value), LIEDER_DONE);
    assert_true(isnan(value));
    lieder_observer_explain(o, 0, "y", 1, NULL);
    assert_message(&b, "1 nonlinear equation(s) are not solved at t = 1");
    assert_message(&b, "with the largest error in the equation test.mo:2:10");
    lieder_observer_destroy(o);
    drop(&b);
    b = build_class("model M Real x = sqrt(0.5 - time); end M;\n", "M");
    o = lieder_observer_create(b.system);
    assert_int_equal(lieder_observer_add(o, "x"), 0);
    lieder_observer_explain(o, 0, "x", 1, NULL);
    assert_message(&b, "is no number at t = 1");
    lieder_observer_destroy(o);
    drop(&b);
}

/* pre of a record is that of its fields, of records and arrays inside, too */
static void test_pre_of_record(void **state)
{
    (void)state;
    Built b =
        build_class("package P\n"
                    "  record In Integer k; Real v[2]; end In;\n"
                    "  record R Real a; In in_; end R;\n"
                    "  function step input R r; output R s;\n"
                    "  algorithm s := R(r.a + 0.5, In(r.in_.k + 1, {r.in_.v[2], r.a})); end step;\n"
                    "  model M R r(a(start = 0, fixed = true), in_(k(start = 0, fixed = true),\n"
                    "      v(start = {7, 8}, each fixed = true)));\n"
                    "  equation when sample(0.1, 0.2) then r = step(pre(r)); end when; end M;\n"
                    "end P;\n",
                    "P.M");
    Run r = run_with(&b, adaptive(1), "r.a r.in_.k r.in_.v[1] r.in_.v[2]");
    const double *last = &r.rows[(r.nrow - 1) * (1 + MAX_PATHS) + 1];
    assert_int_equal(r.status, LIEDER_DONE);
    assert_near(last[0], 2.5, 0);
    assert_near(last[1], 5, 0);
    assert_near(last[2], 1.5, 0);
    assert_near(last[3], 2, 0);
    run_drop(&r);
    drop(&b);
}

/* the text of a parameter is known before the simulation, in equations as well */
static void test_text_of_parameter(void **state)
{
    (void)state;
    Built b = build_class("model M parameter Real p = 2.5; parameter Integer n = 3;\n"
                          "  Boolean t = String(p) + String(n) == \"2.53\";\n"
                          "  Real x = if String(2*p) == \"5\" then time else 0; end M;\n",
                          "M");
    assert_observed(&b, 2, "t", 1);
    assert_observed(&b, 2, "x", 2);
    drop(&b);
}

/* Algorithms assign what connectors, records and arrays of components have inside: connectors of a
 * class of its own are decided by it. */
static void test_assigned_inside(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  connector C discrete Boolean on; Real v; Real r; end C;\n"
        "  record R Real a; Real b[2]; end R;\n"
        "  model W parameter Real t; C c, q[2]; Real w;\n"
        "  equation c.v = 1; q.v = {2, 3}; w = q[2].r;\n"
        "  algorithm\n"
        "    when time > t then c.on := true; q[1].on := c.on; q[2].on := not pre(q[2].on); end "
        "when;\n"
        "    c.r := if c.on then 5*time else -1;\n"
        "    for i in 1:2 loop q[i].r := c.r + i; end for; end W;\n"
        "  model M W w[2](t = {1, 3}); R r, s[3]; Real y = s[2].b[1];\n"
        "  algorithm r.a := time; r.b[1] := 2*r.a; r.b[2] := r.b[1] + 1;\n"
        "    s.a := {1, 2, 3}; s.b := [1, 2; 3, 4; 5, 6]; s[2] := R(r.a, {s[3].b[2], r.b[1]});\n"
        "    (s[1].a, s[1].b[2]) := two(time); end M;\n"
        "  function two input Real u; output Real a = 3*u; output Real b = 4*u; end two;\n"
        "end P;\n",
        "P.M");
    assert_observed(&b, 2, "r.b[2]", 5);
    assert_observed(&b, 2, "y", 6);
    assert_observed(&b, 2, "s[2].b[2]", 4);
    assert_observed(&b, 2, "s[1].a", 6);
    assert_observed(&b, 2, "s[1].b[1]", 1);
    assert_observed(&b, 2, "s[1].b[2]", 8);
    Run r = run(&b, 2, "w[1].c.r w[1].w w[1].q[2].on w[2].c.r w[2].w w[2].q[2].on");
    const double expected[] = {10, 12, 1, -1, 1, 0};
    for (int i = 0; i < 6; i++)
        assert_float_equal(r.last[i], expected[i], 1e-12);
    run_drop(&r);
    drop(&b);
}

/* a Real has its start value when an algorithm begins, whatever it was before (11.1.2) */
static void test_start_in_algorithms(void **state)
{
    (void)state;
    Built b =
        build_class("model M parameter Real p = 7;\n"
                    "  Real x(start = p), n[2](start = {3, 4}), sum(start = 100), k;\n"
                    "algorithm if time > 2 then x := time; end if; n[1] := x;\n"
                    "  k := 1; while k < 4 loop sum := sum + k; k := k + 1; end while; end M;\n",
                    "M");
    assert_observed(&b, 1, "x", 7);
    assert_observed(&b, 3, "x", 3);
    assert_observed(&b, 3, "n[1]", 3);
    assert_observed(&b, 3, "n[2]", 4);
    assert_observed(&b, 3, "sum", 106);
    drop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slices_and_types_as_sizes),
        cmocka_unit_test(test_outer_connections),
        cmocka_unit_test(test_outer_classes),
        cmocka_unit_test(test_literals_by_number),
        cmocka_unit_test(test_functions_of_c),
        cmocka_unit_test(test_function_conditions),
        cmocka_unit_test(test_function_levels),
        cmocka_unit_test(test_initial_conditions),
        cmocka_unit_test(test_texts_in_algorithms),
        cmocka_unit_test(test_twice),
        cmocka_unit_test(test_open_texts),
        cmocka_unit_test(test_call_left_out),
        cmocka_unit_test(test_open_records),
        cmocka_unit_test(test_undefined),
        cmocka_unit_test(test_order_in_branches),
        cmocka_unit_test(test_unassigned_field),
        cmocka_unit_test(test_default_of_field),
        cmocka_unit_test(test_unsolved_value),
        cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_pre_of_record),
        cmocka_unit_test(test_text_of_parameter),
        cmocka_unit_test(test_assigned_inside),
        cmocka_unit_test(test_start_in_algorithms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
