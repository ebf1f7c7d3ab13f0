/* test_streams.c - stream connectors: mixtures by their closed forms. */
#include "hybrid_help.h"

#include "help/observe.h"

#define PARTS                                                                                      \
    "  connector Port Real p; flow Real m; stream Real h; stream Real X[2]; end Port;\n"           \
    "  model Source Port a; parameter Real m = 1, h = 1, x = 0.25;\n"                              \
    "  equation a.m = -m; a.h = h; a.X = {x, 1 - x}; end Source;\n"                                \
    "  model Driven Port a; input Real m, h; equation a.m = -m; a.h = h; a.X = {0, 1};\n"          \
    "  end Driven;\n"                                                                              \
    "  model Sink Port a; Real seen, actual, X[2]; equation a.p = 0; a.h = 77; a.X = {1, 0};\n"    \
    "    seen = inStream(a.h); actual = actualStream(a.h); X = inStream(a.X); end Sink;\n"         \
    "  model Pipe Port a, b; equation a.p = b.p; a.m + b.m = 0; a.h = inStream(b.h) + 1;\n"        \
    "    b.h = inStream(a.h) + 1; a.X = inStream(b.X); b.X = inStream(a.X); end Pipe;\n"

/* two streams meet: weights are the flows that come in; arrays element by element */
static void test_mixture(void **state)
{
    (void)state;
    Built b =
        build_class("package P\n" PARTS
                    "  model M Source s1(m = 1, h = 10), s2(m = 3, h = 20, x = 0.75); Sink k;\n"
                    "  equation connect(s1.a, k.a); connect(s2.a, k.a); end M;\n"
                    "end P;\n",
                    "P.M");
    assert_observed(&b, 1, "k.seen", (10.0 + 3 * 20) / 4);
    assert_observed(&b, 1, "k.actual", (10.0 + 3 * 20) / 4);
    assert_observed(&b, 1, "k.X[1]", (0.25 + 3 * 0.75) / 4);
    assert_observed(&b, 1, "k.X[2]", (0.75 + 3 * 0.25) / 4);
    drop(&b);
}

/* a flow that turns: the one that it leads to does not count any more, and where nothing flows the
 * value is between the two */
static void test_reversal(void **state)
{
    (void)state;
    Built b = build_class("package P\n" PARTS
                          "  model M Driven d(m = 1 - time, h = 10); Source s(m = 2, h = 20);\n"
                          "    Sink k; Real x = inStream(d.a.h);\n"
                          "  equation connect(d.a, k.a); connect(s.a, k.a); end M;\n"
                          "  model N Driven d(m = 1 - time, h = 10), e(m = time - 1, h = 20);\n"
                          "    Sink k; equation connect(d.a, k.a); connect(e.a, k.a); end N;\n"
                          "end P;\n",
                          "P.M");
    assert_observed(&b, 0, "k.seen", (10 + 2 * 20.0) / 3);
    assert_observed(&b, 0.5, "k.seen", (0.5 * 10 + 2 * 20) / 2.5);
    assert_observed(&b, 2, "k.seen", 20);
    assert_observed(&b, 0, "x", 20);
    assert_observed(&b, 5, "x", (2 * 20 + 2 * 77.0) / 4);
    drop(&b);
    b = build_class("package P\n" PARTS
                    "  model N Driven d(m = 1 - time, h = 10), e(m = time - 1, h = 20);\n"
                    "    Sink k; equation connect(d.a, k.a); connect(e.a, k.a); end N;\n"
                    "end P;\n",
                    "P.N");
    assert_observed(&b, 0, "k.seen", 10);
    assert_observed(&b, 2, "k.seen", 20);
    assert_observed(&b, 1, "k.seen", 15);
    drop(&b);
}

/* connectors of a model of models hand through in both directions; three pipes meet inside, one of
 * them leads out */
static void test_levels(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n" PARTS "  model Two Port a, b; Pipe p, q;\n"
        "  equation connect(a, p.a); connect(p.b, q.a); connect(q.b, b); end Two;\n"
        "  model Branch Port a, b, c; equation connect(a, b); connect(a, c); end Branch;\n"
        "  model M Source s(h = 5); Two t; Sink k;\n"
        "    Real back = inStream(s.a.h);\n"
        "  equation connect(s.a, t.a); connect(t.b, k.a); end M;\n"
        "  model N Source s(m = 1, h = 5), u(m = 3, h = 9); Branch n; Two t; Sink k;\n"
        "  equation connect(s.a, n.a); connect(u.a, n.b); connect(n.c, t.a); connect(t.b, k.a);\n"
        "  end N;\n"
        "end P;\n",
        "P.M");
    assert_observed(&b, 1, "k.seen", 7);
    assert_observed(&b, 1, "back", 79);
    assert_observed(&b, 1, "t.b.h", 7);
    drop(&b);
    b = build_class(
        "package P\n" PARTS "  model Two Port a, b; Pipe p, q;\n"
        "  equation connect(a, p.a); connect(p.b, q.a); connect(q.b, b); end Two;\n"
        "  model Branch Port a, b, c; equation connect(a, b); connect(a, c); end Branch;\n"
        "  model N Source s(m = 1, h = 5), u(m = 3, h = 9); Branch n; Two t; Sink k;\n"
        "  equation connect(s.a, n.a); connect(u.a, n.b); connect(n.c, t.a); connect(t.b, k.a);\n"
        "  end N;\n"
        "end P;\n",
        "P.N");
    assert_observed(&b, 1, "n.c.h", (5.0 + 3 * 9) / 4);
    assert_observed(&b, 1, "k.seen", (5.0 + 3 * 9) / 4 + 2);
    drop(&b);
}

/* what nothing is connected to comes back; a flow that cannot leave (min = 0) is no source; arrays
 * of connectors */
static void test_ends(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n" PARTS "  model Closed Port a(m(min = 0)); equation a.m = 0; a.h = 1000; a.X "
        "= {0, 0}; end Closed;\n"
        "  model Vessel Port ports[3]; Real h[3];\n"
        "  equation for i in 1:3 loop h[i] = inStream(ports[i].h); ports[i].p = i;\n"
        "    ports[i].h = 100*i; ports[i].X = {0, 1}; end for; end Vessel;\n"
        "  model M Vessel v; Source s(m = 0, h = 3); Closed c; Source r(m = 0, h = 8);\n"
        "  equation connect(s.a, v.ports[1]); connect(c.a, v.ports[1]); connect(r.a, v.ports[2]);\n"
        "  end M;\n"
        "end P;\n",
        "P.M");
    assert_observed(&b, 1, "v.h[1]", 3);
    assert_observed(&b, 1, "v.h[2]", 8);
    assert_observed(&b, 1, "v.h[3]", 300);
    drop(&b);
}

/* a tank that is filled with what comes and loses what it has: H' = m actualStream(h), with the
 * flow sin(t): while it comes in, U' = 2 sin t, then U' = (U / M) sin t */
static void test_tank(void **state)
{
    (void)state;
    Built b =
        build_class("package P\n" PARTS "  model Tank Port a; Real M(start = 1, fixed = true);\n"
                    "    Real U(start = 1, fixed = true);\n"
                    "  equation der(M) = a.m; der(U) = a.m*actualStream(a.h); a.h = U/M;\n"
                    "    a.X = {0, 1}; a.p = 1; end Tank;\n"
                    "  model M Tank t; Driven d(m = sin(time), h = 2);\n"
                    "  equation connect(t.a, d.a); end M;\n"
                    "end P;\n",
                    "P.M");
    Run r = run_with(&b, adaptive(6), "t.U");
    assert_int_equal(r.status, LIEDER_DONE);
    /* at pi: M = 3, U = 1 + 2*2; afterwards U / M stays */
    double M = 1 + 1 - cos(6);
    assert_near(r.rows[(r.nrow - 1) * (1 + MAX_PATHS) + 1], M * 5 / 3, 2e-4);
    run_drop(&r);
    drop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mixture), cmocka_unit_test(test_reversal),
        cmocka_unit_test(test_levels),  cmocka_unit_test(test_ends),
        cmocka_unit_test(test_tank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
