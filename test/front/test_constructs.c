/* test_constructs.c - constructs of the language that libraries use, each by its numbers. */
#include <stdlib.h>

#include "equation_help.h"
#include "help/meter.h"
#include "help/observe.h"

typedef struct Case {
    const char *name;
    double early, late; /* at 0.25 and 2 s */
} Case;

static void check(const char *text, const char *class_name, const Case *cases, size_t n)
{
    Built b = build_class(text, class_name);
    for (size_t i = 0; i < n; i++) {
        assert_observed(&b, 0.25, cases[i].name, cases[i].early);
        assert_observed(&b, 2, cases[i].name, cases[i].late);
    }
    drop(&b);
}
#define CHECK(text, class_name, ...)                                                               \
    do {                                                                                           \
        const Case cases[] = {__VA_ARGS__};                                                        \
        check(text, class_name, cases, sizeof cases / sizeof *cases);                              \
    } while (0)

/* ------------------------------------------------------------------ indices that vary */

/* of matrices, by enumerations and Booleans, of components, on left sides */
static void test_varying_index(void **state)
{
    (void)state;
    CHECK(
        "package P\n"
        "  type E = enumeration(a, b, c);\n"
        "  constant Real table[E, E] = [1, 2, 3; 4, 5, 6; 7, 8, 9];\n"
        "  constant Real pair[Boolean] = {10, 20};\n"
        "  constant E next[E] = {E.b, E.c, E.a};\n"
        "  block Part parameter Real k = 1; Real y = k*time; end Part;\n"
        "  function put input Integer i; input Real v; output Real a[3]; output Real m[2, 2];\n"
        "  algorithm a := {1, 2, 3}; a[i] := v; m := zeros(2, 2); m[i, 2] := v; m[3 - i, 1:2] := "
        "{v, 2*v}; end put;\n"
        "  function row input Integer i; input Real v; output Real m[2, 2]; protected Real a[3];\n"
        "  algorithm (a, m) := put(i, v); end row;\n"
        "  model M\n"
        "    E e = if time > 1 then E.c else E.a, f = next[e];\n"
        "    Boolean late = time > 1;\n"
        "    Integer i = if late then 2 else 1;\n"
        "    Real t = table[e, f], r[3] = table[f, :], p = pair[late];\n"
        "    Part part[2](k = {3, 5});\n"
        "    Real y = part[i].y, a[3] = put(i, 7), m[2, 2] = row(i, 7);\n"
        "    Real x[2, 2] = [time, 2; 3, 4], c[2] = x[:, i], last = x[end, i];\n"
        "  end M;\n"
        "end P;\n",
        "P.M", {"t", 2, 7}, {"r[1]", 4, 1}, {"r[3]", 6, 3}, {"p", 10, 20}, {"y", 0.75, 10},
        {"a[1]", 7, 1}, {"a[2]", 2, 7}, {"a[3]", 3, 3},
        /* early: m[1, 2] = 7, m[2, :] = {7, 14}; late: m[2, 2] = 7, m[1, :] = {7, 14} */
        {"m[1,1]", 0, 7}, {"m[1,2]", 7, 14}, {"m[2,1]", 7, 0}, {"m[2,2]", 14, 7}, {"c[1]", 0.25, 2},
        {"c[2]", 3, 4}, {"last", 3, 4});
}

/* ------------------------------------------------------------------ functions */

/* variables in any order, sizes that an input has itself, parameters of functions, vectors of one
 */
static void test_function_variables(void **state)
{
    (void)state;
    CHECK("package P\n"
          "  function f input Real A[:, size(A, 1)]; input Real k = n; input Real n = 2;\n"
          "    output Real y[columns] = fill(total, columns);\n"
          "  protected Real total = sum(A) + k; Integer columns = rows + 1;\n"
          "    parameter Integer rows = size(A, 2);\n"
          "  algorithm y[1] := rows; end f;\n"
          "  block One parameter Real b[:] = {2}; Real y = b*{time}; end One;\n"
          "  model M\n"
          "    Real y[3] = f([1, 2; 3, time]), z[2] = f([time], n = 5, k = 1);\n"
          "    One one(b = {3}), two;\n"
          "  end M;\n"
          "end P;\n",
          "P.M", {"y[1]", 2, 2}, {"y[3]", 8.25, 10}, {"z[1]", 1, 1}, {"z[2]", 1.25, 3},
          {"one.y", 0.75, 6}, {"two.y", 0.5, 4});
}

/* functions as arguments: by name, with some inputs given, passed on; recursion */
static void test_function_arguments(void **state)
{
    (void)state;
    CHECK(
        "package P\n"
        "  partial function scalar input Real u; output Real y; end scalar;\n"
        "  function square extends scalar; algorithm y := u^2; end square;\n"
        "  function poly extends scalar; input Real c[:]; input Real shift = 0;\n"
        "  algorithm y := 0; for i in 1:size(c, 1) loop y := y*(u + shift) + c[i]; end for; end "
        "poly;\n"
        "  function twice input scalar f; input Real u; output Real y;\n"
        "  algorithm y := f(f(u)); end twice;\n"
        "  function pass input scalar f; input Real u; output Real y;\n"
        "  algorithm y := twice(f, u) + twice(function poly(c = {1, u}), 1) + twice(f = f, u = "
        "2); end pass;\n"
        "  function root input scalar f; input Real a; input Real b; output Real x;\n"
        "  protected Real lo = a, hi = b;\n"
        "  algorithm\n"
        "    for i in 1:60 loop x := (lo + hi)/2; if f(x) > 0 then hi := x; else lo := x; end if; "
        "end for; end root;\n"
        "  function factorial input Integer n; output Integer y;\n"
        "  algorithm y := if n <= 1 then 1 else n*factorial(n - 1); end factorial;\n"
        "  model M\n"
        "    parameter Real r = root(function poly(c = {1, 0, -2}), 0, 2), k = 2;\n"
        "    Real y = twice(square, time), z = twice(function poly(c = {k, 1}, shift = 1), time);\n"
        "    Real p = pass(square, time), q = r*r, n = factorial(5);\n"
        "  end M;\n"
        "end P;\n",
        "P.M", {"y", 0.00390625, 16},
        /* 2 (u + 1) + 1, twice */
        {"z", 2 * (2 * 1.25 + 1 + 1) + 1, 2 * (2 * 3 + 1 + 1) + 1},
        /* u^4 + (1 + 2 u) + 16 */
        {"p", 0.00390625 + 1.5 + 16, 16 + 5 + 16}, {"q", 2, 2}, {"n", 120, 120});
}

/* ------------------------------------------------------------------ classes */

/* the same declaration in two bases is seen from both; protected inputs are connected inside */
static void test_bases(void **state)
{
    (void)state;
    CHECK("package P\n"
          "  connector In = input Real; connector Out = output Real;\n"
          "  partial model A parameter Integer m = 3; Real a[m] = fill(time, m); end A;\n"
          "  partial model B parameter Integer m = 3; Real b[m] = fill(2*time, m); end B;\n"
          "  model Both extends A; extends B; Real y = sum(a) + sum(b); end Both;\n"
          "  block Gain parameter Boolean use = true; In k if use; Out y; In u;\n"
          "  protected In inside; Const one(k = 10) if not use;\n"
          "  equation connect(k, inside); connect(one.y, inside); y = inside*u; end Gain;\n"
          "  block Const parameter Real k; Out y = k; end Const;\n"
          "  block Time Out y = time; end Time;\n"
          "  model M Both both(m = 2); Gain g, h(use = false); Time t; Const c(k = 4);\n"
          "  equation connect(t.y, g.u); connect(t.y, h.u); connect(c.y, g.k); end M;\n"
          "end P;\n",
          "P.M", {"both.y", 1.5, 12}, {"g.y", 1, 8}, {"h.y", 2.5, 20});
}

/* ------------------------------------------------------------------ expandable connectors */

/* elements by connections, through models and nested buses, arrays and elements of them, flows */
static void test_buses(void **state)
{
    (void)state;
    CHECK("package P\n"
          "  connector In = input Real; connector Out = output Real;\n"
          "  connector Pin Real v; flow Real i; end Pin;\n"
          "  expandable connector Bus Real declared; Sub sub; end Bus;\n"
          "  expandable connector Sub end Sub;\n"
          "  block Source parameter Real k; Out y = k*time; end Source;\n"
          "  block Many Out y[2] = {10*time, 20*time}; end Many;\n"
          "  block Sink In u; Real y = u; end Sink;\n"
          "  model Inside Bus bus; Source a(k = 1), b(k = 2); Many many; Volt v; equation\n"
          "    connect(a.y, bus.x); connect(b.y, bus.sub.y); connect(many.y, bus.list);\n"
          "    connect(v.p, bus.pin); end Inside;\n"
          "  model Volt Pin p; equation p.v = time; end Volt;\n"
          "  model Load Pin p; equation p.i = 2*p.v; end Load;\n"
          "  model Outside Bus other; Sink s, t, second; Load l; equation\n"
          "    connect(other.x, s.u); connect(other.list[2], second.u); connect(other.pin, l.p);\n"
          "    connect(other.sub.y, t.u); end Outside;\n"
          "  model M Inside inside; Bus middle; Outside outside; Sub sub; Sink u; Load l; \n"
          "    Inside row[2](a(k = {3, 4})); Sink rows[2];\n"
          "  equation connect(inside.bus, middle); connect(middle, outside.other);\n"
          "    connect(middle.sub, sub); connect(sub.y, u.u); connect(l.p, middle.pin);\n"
          "    for i in 1:2 loop connect(row[i].bus.x, rows[i].u); end for; end M;\n"
          "end P;\n",
          "P.M", {"outside.s.y", 0.25, 2}, {"outside.t.y", 0.5, 4}, {"u.y", 0.5, 4},
          {"outside.second.y", 5, 40}, {"outside.l.p.v", 0.25, 2}, {"l.p.i", 0.5, 4},
          {"inside.v.p.i", -1, -8}, {"middle.x", 0.25, 2}, {"outside.other.sub.y", 0.5, 4},
          {"rows[1].y", 0.75, 6}, {"rows[2].y", 1, 8});
}

/* Equations read what a bus declares, at either end of connections, arrays and arrays of buses in
 * it included; a connection to an element of a declared array of buses is one to that of each. */
static void test_declared_in_buses(void **state)
{
    (void)state;
    CHECK("package P\n"
          "  connector In = input Real; connector Out = output Real;\n"
          "  expandable connector Cell Real soc; Real T[2]; end Cell;\n"
          "  expandable connector Bus parameter Integer n = 2; Real v; Cell cell[n]; end Bus;\n"
          "  block Source parameter Real k; Out y = k*time; end Source;\n"
          "  block Sink In u; Real y = u; end Sink;\n"
          "  model Part parameter Real k; Cell bus; Source a(k = k), t[2](k = {10*k, 100*k});\n"
          "    Real own = bus.soc + bus.T[2];\n"
          "  equation connect(a.y, bus.soc); connect(t.y, bus.T); end Part;\n"
          "  model Stack Part part[2](k = {1, 2}); Bus bus(n = 2); Source v(k = 7);\n"
          "    Real both = sum(bus.cell.soc) + bus.v, last = bus.cell[2].T[1];\n"
          "  equation connect(part.bus, bus.cell); connect(v.y, bus.v); end Stack;\n"
          "  model M Stack stack; Bus bus; Sink s[2], t[2, 2], one; Real v = 2*bus.v;\n"
          "  equation connect(stack.bus, bus); connect(bus.cell.soc, s.u);\n"
          "    connect(t.u, bus.cell.T); connect(bus.cell[2].soc, one.u); end M;\n"
          "end P;\n",
          "P.M", {"stack.part[2].own", 50.5, 404}, {"stack.both", 2.5, 20}, {"stack.last", 5, 40},
          {"v", 3.5, 28}, {"bus.v", 1.75, 14}, {"s[1].y", 0.25, 2}, {"s[2].y", 0.5, 4},
          {"t[1,2].y", 25, 200}, {"t[2,1].y", 5, 40}, {"one.y", 0.5, 4},
          {"bus.cell[1].soc", 0.25, 2});
}

/* Arrays of two dimensions at an element of a bus: as a whole and by their elements, in either
 * order; arrays of components with arrays inside, slices, connectors of several variables, and
 * arrays of buses. z.s writes its inputs as digits of one number. */
static void test_bus_arrays(void **state)
{
    (void)state;
    CHECK("package P\n"
          "  connector In = input Real; connector Out = output Real;\n"
          "  connector Pin Real v; flow Real i; end Pin;\n"
          "  expandable connector Bus end Bus;\n"
          "  block Source parameter Real k; Out y = k*time; end Source;\n"
          "  block Two parameter Real k; Out y[2] = {k, k + 4}*time; end Two;\n"
          "  block One In u; Real y = u; end One;\n"
          "  block Sink In u[2,3]; Real s; equation s = u[1,1] + 10*u[1,2] + 100*u[1,3]\n"
          "    + 1000*u[2,1] + 10000*u[2,2] + 100000*u[2,3]; end Sink;\n"
          "  model Volt parameter Real k; Pin p; equation p.v = k*time; end Volt;\n"
          "  model Load Pin p; equation p.i = 2*p.v; end Load;\n"
          "  model Pass Bus bus; Bus field[2,3]; equation connect(bus.deep, field); end Pass;\n"
          "  model M Bus bus, other; Pass pass; Load load; Source deep(k = 8); One d, last;\n"
          "    Source a[2,3](k = [1, 2, 3; 4, 5, 6]); Two t[3](k = {1, 2, 3}); Sink z, turned;\n"
          "    Volt v[2,2](k = [1, 2; 3, 4]); One part[2,2];\n"
          "  equation connect(bus, other); connect(other, pass.bus);\n"
          "    for i in 1:2 loop for j in 1:3 loop connect(a[i,j].y, bus.v[i,j]);\n"
          "      connect(other.t[j,i], turned.u[i,j]); end for; end for;\n"
          "    connect(other.v, z.u); connect(bus.v[2,3], last.u); connect(t.y, bus.t);\n"
          "    connect(v.p, bus.pins); connect(other.pins[2,1], load.p);\n"
          "    connect(a[:,2:3].y, bus.part); connect(part.u, other.part);\n"
          "    connect(deep.y, bus.deep[2,3].x); connect(pass.field[2,3].x, d.u); end M;\n"
          "end P;\n",
          "P.M", {"z.s", 0.25 * 654321, 2 * 654321.0}, {"turned.s", 0.25 * 765321, 2 * 765321.0},
          {"last.y", 1.5, 12}, {"load.p.v", 0.75, 6}, {"v[2,1].p.i", -1.5, -12},
          {"v[1,2].p.i", 0, 0}, {"part[1,2].y", 0.75, 6}, {"part[2,1].y", 1.25, 10}, {"d.y", 2, 16},
          {"other.v[2,1]", 1, 8}, {"bus.t[3,2]", 1.75, 14}, {"bus.pins[1,2].v", 0.5, 4},
          {"pass.bus.deep[2,3].x", 2, 16});
}

/* ------------------------------------------------------------------ classes alone */

/* a class with connectors is checked as if something were connected: what is missing or too much is
 * said of the class itself */
static void test_alone(void **state)
{
    (void)state;
    static const char text[] =
        "package P\n"
        "  connector Pin Real v; flow Real i; end Pin;\n"
        "  model Good Pin p, n; Real u; equation u = p.v - n.v; u = 2*p.i; p.i + n.i = 0; end "
        "Good;\n"
        "  model State Pin p, n; Real u; equation u = p.v - n.v; der(u) = p.i; p.i + n.i = 0; end "
        "State;\n"
        "  model Row Pin p[2]; equation p[1].i + p[2].i = 0; p[1].v = p[2].v; end Row;\n"
        "  model Event Pin p, n; discrete Real u(start = 1); Boolean b; equation p.v - n.v = u;\n"
        "    b = time > 1; when b then u = 2; end when; p.i + n.i = 0; end Event;\n"
        "  model Few Pin p, n; Real u; equation u = p.v - n.v; p.i + n.i = 0; end Few;\n"
        "  model Own Pin p, n; Real u, q; equation u = p.v - n.v; u = 2*p.i; p.i + n.i = 0; end "
        "Own;\n"
        "  model Many Pin p, n; Real u; equation u = p.v - n.v; u = 2*p.i; p.i + n.i = 0; u = 3;\n"
        "  end Many;\n"
        "end P;\n";
    static const struct {
        const char *name, *message;
        int line;
    } cases[] = {
        {"P.Good", NULL, 0},
        {"P.State", NULL, 0},
        {"P.Row", NULL, 0},
        {"P.Event", NULL, 0},
        {"P.Few", "4 equation(s) for 5 unknown(s)", 2},
        {"P.Own", "nothing decides 'q'", 9},
        {"P.Many", "there are too many equations", 10},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Built b = {.session = lieder_create(NULL)};
        b.front = front_create(b.session);
        assert_int_equal(front_load_text(b.front, "test.mo", text), LIEDER_DONE);
        front_set_alone(b.front, true);
        b.status = front_instantiate(b.front, cases[i].name, NULL, 0, NULL, &b.model);
        size_t n = lieder_diagnostic_count(b.session);
        if (n != (cases[i].message != NULL))
            lieder_diagnostic_print_all(b.session, stderr);
        assert_int_equal(n, cases[i].message != NULL);
        assert_true((b.status == LIEDER_DONE) == (n == 0));
        if (n) {
            const LiederDiagnostic *d = lieder_diagnostic_get(b.session, 0);
            assert_non_null(strstr(d->message, cases[i].message));
            assert_int_equal(d->line, cases[i].line);
        }
        drop(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_varying_index),
        cmocka_unit_test(test_function_variables),
        cmocka_unit_test(test_function_arguments),
        cmocka_unit_test(test_bases),
        cmocka_unit_test(test_buses),
        cmocka_unit_test(test_bus_arrays),
        cmocka_unit_test(test_declared_in_buses),
        cmocka_unit_test(test_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
