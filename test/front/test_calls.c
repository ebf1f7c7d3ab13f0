/* test_calls.c - calls of large functions that stay calls, against the same calls written out: the
 * same bits where the same operations are done, derivatives against those of the statements. */
#include "hybrid_help.h"

/* every call that gives more than so many operations stays one */
static Built build_calls(const char *text, const char *class_name, size_t calls)
{
    const FrontLimits limits = {.calls = calls};
    return require_built(build_within(text, class_name, NULL, 0, &limits));
}

enum { STAY = 1 };
#define WRITTEN_OUT SIZE_MAX

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* branches, loops, arrays, records, several results, constant arguments, calls in functions */
static const char text[] =
    "package P\n"
    "  record State Real p, h, d; Integer phase; end State;\n"
    "  function series input Real x; input Integer n; output Real y; protected Real t;\n"
    "  algorithm y := 1; t := 1; for i in 1:n loop t := t*x/i; y := y + t*sin(i*x)/(2 + t); end "
    "for;\n"
    "  end series;\n"
    "  function region input Real p, h; output Integer r;\n"
    "  algorithm if p > 1 then r := if h > 0.5*p then 2 else 1; elseif h > p*p then r := 3;\n"
    "    else r := 4; end if; end region;\n"
    "  function state input Real p, h; output State s; protected Integer r = region(p, h);\n"
    "    Real d;\n"
    "  algorithm if r == 1 then d := series(h, 6)/(1 + p*p); elseif r == 2 then\n"
    "    d := exp(-p) + series(p + h, 6); elseif r == 3 then d := series(p*h, 4);\n"
    "    else d := sqrt(2 + p*p*h*h) + 0.1*p; end if;\n"
    "    s := State(p = p, h = h, d = d, phase = if d > 1 then 1 else 2); end state;\n"
    "  function both input Real x[3]; input Real k = 2; output Real a, b[2];\n"
    "  algorithm a := series(x[1], 5) + k*x[2]; b[1] := a*x[3]; b[2] := series(x[3], 5)/(1 + "
    "a*a);\n"
    "  end both;\n"
    "  function root input Real a; output Real x;\n"
    "  algorithm x := 1 + 0.1*a; while abs(x*x - 2 - a*a) > 1e-9*(2 + a*a) loop\n"
    "    x := 0.5*(x + (2 + a*a)/x); end while; end root;\n"
    "  model M\n"
    "    parameter Real k = 0.7; State s, z, t; Real a, b[2], c, e, f, g;\n"
    "    Real x(start = 0.9, fixed = true), y(start = 0.4, fixed = true);\n"
    "  equation\n"
    "    s = state(1 + x, y); z = state(x - y, k*x); (a, b) = both({x, y, k}); c = both({y, y, 1}, "
    "3);\n"
    "    e = root(x); f = s.d + z.d; t = state(x, 0.3); g = t.d;\n"
    "    der(x) = b[1]/(2 + f*f) - x; der(y) = sin(e) - 0.5*y + 0.1*s.phase + 0.01*(b[2] + c + "
    "g);\n"
    "  end M;\n"
    "  model Fleet M m[5](k = {0.1, 0.5, 0.7, 1.1, 3}); end Fleet;\n"
    "  model Implicit \"solved for what goes into a function\"\n"
    "    Real T(start = 0.3), u, x(start = 0.2, fixed = true);\n"
    "  equation u = 1.5 + 0.1*x; series(T, 6) = u; der(x) = T - x; end Implicit;\n"
    "  model Reduced \"differentiated: the state is the argument of a function\"\n"
    "    Real T(start = 0.3, fixed = true), u, q, w, v; State t;\n"
    "  equation u = series(T, 6) + series(2*T, 3); der(u) = q; q = 0.3 - u*T; v = der(q);\n"
    "    t = state(T, u); w = t.d; end Reduced;\n"
    "end P;\n";

/* derivatives and variables at many points */
static void test_bits(void **state)
{
    (void)state;
    static const char *const names[] = {"s.d",  "z.d", "s.phase", "z.phase", "a", "b[1]",
                                        "b[2]", "c",   "e",       "f",       "g"};
    Built one = build_calls(text, "P.M", WRITTEN_OUT), two = build_calls(text, "P.M", STAY);
    for (int k = 0; k < 200; k++) {
        double x[2] = {3 * draw(), 3 * draw()}, dx[2], dy[2];
        assert_int_equal(lieder_system_derivatives(one.system, 0, x, dx), LIEDER_DONE);
        assert_int_equal(lieder_system_derivatives(two.system, 0, x, dy), LIEDER_DONE);
        assert_true(same_bits(dx[0], dy[0]) && same_bits(dx[1], dy[1]));
        for (size_t i = 0; k < 20 && i < sizeof names / sizeof *names; i++)
            assert_true(same_bits(observe(&one, 0, x, names[i]), observe(&two, 0, x, names[i])));
    }
    drop(&one);
    drop(&two);
}

/* generated code calls, too: the bits of the interpreter */
static void test_generated(void **state)
{
    (void)state;
    Built one = build_calls(text, "P.M", STAY), two = build_calls(text, "P.M", STAY);
    assert_int_equal(lieder_system_compile(two.system), LIEDER_DONE);
    for (int k = 0; k < 100; k++) {
        double x[2] = {3 * draw(), 3 * draw()}, dx[2], dy[2];
        assert_int_equal(lieder_system_derivatives(one.system, 0, x, dx), LIEDER_DONE);
        assert_int_equal(lieder_system_derivatives(two.system, 0, x, dy), LIEDER_DONE);
        assert_true(same_bits(dx[0], dy[0]) && same_bits(dx[1], dy[1]));
    }
    drop(&one);
    drop(&two);
}

/* lanes that take different branches have the bits of one */
static void test_lanes(void **state)
{
    (void)state;
    static const double k[] = {0.1, 0.5, 0.7, 1.1, 3};
    Built fleet = build_calls(text, "P.Fleet", STAY);
    for (int i = 0; i < 5; i++) {
        char path[20];
        Built one = build_calls(text, "P.M", STAY);
        assert_int_equal(lieder_system_set(one.system, "k", k[i]), LIEDER_DONE);
        for (int n = 0; n < 20; n++) {
            double x[10], dx[10], y[2], dy[2];
            for (int j = 0; j < 10; j++)
                x[j] = 2 * draw();
            snprintf(path, sizeof path, "m[%d].x", i + 1);
            ptrdiff_t at_x = lieder_system_state_index(fleet.system, path);
            snprintf(path, sizeof path, "m[%d].y", i + 1);
            ptrdiff_t at_y = lieder_system_state_index(fleet.system, path);
            ptrdiff_t to_x = lieder_system_state_index(one.system, "x"), to_y = 1 - to_x;
            assert_true(at_x >= 0 && at_y >= 0 && to_x >= 0);
            y[to_x] = x[at_x];
            y[to_y] = x[at_y];
            assert_int_equal(lieder_system_derivatives(fleet.system, 0, x, dx), LIEDER_DONE);
            assert_int_equal(lieder_system_derivatives(one.system, 0, y, dy), LIEDER_DONE);
            assert_true(same_bits(dx[at_x], dy[to_x]) && same_bits(dx[at_y], dy[to_y]));
        }
        drop(&one);
    }
    drop(&fleet);
}

/* Newton's method with derivatives of calls finds what it finds with the statements */
static void test_implicit(void **state)
{
    (void)state;
    Built one = build_calls(text, "P.Implicit", WRITTEN_OUT),
          two = build_calls(text, "P.Implicit", STAY);
    Run a = run(&one, 3, "T x u"), b = run(&two, 3, "T x u");
    assert_int_equal(a.status, LIEDER_DONE);
    assert_int_equal(b.status, LIEDER_DONE);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(a.last[i] - b.last[i]) < 1e-9);
    run_drop(&a);
    run_drop(&b);
    drop(&one);
    drop(&two);
}

/* first and second derivatives by time, by the chain rule: other operations, so no equal bits */
static void test_derivatives(void **state)
{
    (void)state;
    Built one = build_calls(text, "P.Reduced", WRITTEN_OUT),
          two = build_calls(text, "P.Reduced", STAY);
    assert_int_equal(lieder_system_state_count(two.system), 1);
    for (int k = 0; k < 50; k++) {
        double x = 0.5 + 0.4 * draw(), dx, dy;
        assert_int_equal(lieder_system_derivatives(one.system, 0, &x, &dx), LIEDER_DONE);
        assert_int_equal(lieder_system_derivatives(two.system, 0, &x, &dy), LIEDER_DONE);
        assert_true(fabs(dx - dy) <= 1e-13 * (1 + fabs(dx)));
        double u = observe(&one, 0, &x, "v"), v = observe(&two, 0, &x, "v");
        assert_true(fabs(u - v) <= 1e-11 * (1 + fabs(u)));
        /* and against differences: du/dT times dT/dt is q */
        double h = 1e-6, up = x + h, down = x - h;
        double slope = (observe(&two, 0, &up, "u") - observe(&two, 0, &down, "u")) / (2 * h);
        assert_true(fabs(slope * dy - observe(&two, 0, &x, "q")) < 1e-8);
    }
    drop(&one);
    drop(&two);
}

/* an assertion in a function holds where it is called, and names what it was called with */
static void test_assertion(void **state)
{
    (void)state;
    static const char model[] =
        "package P\n"
        "  function f input Real p; input Real lim; output Real y; protected Real t = p*p + "
        "sin(p);\n"
        "  algorithm assert(p < lim, \"p = \" + String(p) + \" is too large\");\n"
        "    y := t*exp(-t) + cos(t)*p + t^3/(1 + p*p); end f;\n"
        "  function outside input Real q; output Real y; algorithm y := f(q, 2) + f(2*q, 100); end "
        "outside;\n"
        "  model M Real pressure = time, y; equation y = outside(pressure); end M;\n"
        "end P;\n";
    for (int stay = 0; stay < 2; stay++) {
        Built b = build_calls(model, "P.M", stay ? STAY : WRITTEN_OUT);
        Run r = run_with(&b, adaptive(3), "y");
        assert_int_not_equal(r.status, LIEDER_DONE);
        assert_true(r.rows[(r.nrow - 1) * (1 + MAX_PATHS)] <= 2 + 1e-6);
        bool found = false;
        for (size_t i = 0; i < lieder_diagnostic_count(b.session); i++) {
            const LiederDiagnostic *d = lieder_diagnostic_get(b.session, i);
            found |= strstr(d->message, "p = 2") && strstr(d->message, "is too large");
        }
        if (!found)
            lieder_diagnostic_print_all(b.session, stderr);
        assert_true(found);
        run_drop(&r);
        drop(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),        cmocka_unit_test(test_generated),
        cmocka_unit_test(test_lanes),       cmocka_unit_test(test_implicit),
        cmocka_unit_test(test_derivatives), cmocka_unit_test(test_assertion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
