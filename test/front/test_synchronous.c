/* test_synchronous.c - clocked equations (Modelica 16) against recurrences that are computed here:
 * operators on clocks, inference, sampled control, discretised derivatives, event clocks, runs that
 * begin later, several instances. */
#include "hybrid_help.h"

/* ------------------------------------------------------------------ operators */

/* ticks of n at 0, 0.1, ..., 1: the eleventh at the end, where n is 11 */
static void test_conversions(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  Integer n(start = 0), slow, fast, late, back, k(start = 0);\n"
                    "  Real h, last;\n"
                    "equation\n"
                    "  when Clock(1, 10) then\n"
                    "    n = previous(n) + 1;\n"
                    "    h = interval();\n"
                    "    last = previous(n);\n"
                    "  end when;\n"
                    "  slow = subSample(n, 4);\n"
                    "  fast = superSample(n, 2);\n"
                    "  late = shiftSample(n, 3, 2);\n"
                    "  back = backSample(late, 3, 2);\n"
                    "  k = previous(k) + (if fast > 0 then 1 else 0);\n"
                    "end M;\n");
    Run r = run(&b, 1.02, "n slow fast late back k h last");
    assert_true(r.last[0] == 11);
    assert_true(r.last[1] == 9);  /* ticks at 0, 0.4, 0.8, where n is 1, 5, 9 */
    assert_true(r.last[2] == 11); /* ticks at 0, 0.05, ... */
    assert_true(r.last[3] == 10); /* ticks at 0.15, ..., 0.95, where n is 2, ..., 10 */
    assert_true(r.last[4] == 10); /* ticks at 0, ..., 1: what late was last */
    assert_true(r.last[5] == 21); /* as many as fast has */
    assert_near(r.last[6], 0.1, 1e-17);
    assert_true(r.last[7] == 10);
    run_drop(&r);
    drop(&b);
}

/* hold, noClock, firstTick; the clock of y comes through connectors */
static void test_inference(void **state)
{
    (void)state;
    Built b = build("package P\n"
                    "  connector In = input Real;\n"
                    "  connector Out = output Real;\n"
                    "  block Sum\n"
                    "    In u;\n"
                    "    Out y(start = 0);\n"
                    "  equation\n"
                    "    y = previous(y) + u;\n"
                    "  end Sum;\n"
                    "  block Sampler\n"
                    "    In u;\n"
                    "    Out y;\n"
                    "  equation\n"
                    "    y = sample(u, Clock(0.25));\n"
                    "  end Sampler;\n"
                    "  model M\n"
                    "    Sampler s;\n"
                    "    Sum sum, twice;\n"
                    "    Real held, f, x(start = 0, fixed = true), other, g;\n"
                    "  equation\n"
                    "    s.u = time;\n"
                    "    connect(s.y, sum.u);\n"
                    "    connect(sum.y, twice.u);\n"
                    "    held = hold(twice.y);\n"
                    "    der(x) = held;\n"
                    "    f = if firstTick(s.y) then 5 else previous(f);\n"
                    "    other = sample(0, Clock(1, 8)) + noClock(s.y);\n"
                    "    g = hold(other);\n"
                    "  end M;\n"
                    "end P;\n");
    Run r = run(&b, 1.1, "held x f g");
    double sum = 0, twice = 0, x = 0;
    for (int k = 0; k <= 4; k++) {
        sum += 0.25 * k;
        twice += sum;
        x += twice * (k < 4 ? 0.25 : 0.1);
    }
    assert_near(r.last[0], twice, 1e-14);
    assert_near(r.last[1], x, 1e-9);
    assert_true(r.last[2] == 5);
    assert_true(r.last[3] == 1);
    run_drop(&r);
    drop(&b);
}

/* ------------------------------------------------------------------ control */

static const char *const control = "model M\n"
                                   "  parameter Real kp = 2;\n"
                                   "  Real x(start = 0, fixed = true), u, e, i(start = 0);\n"
                                   "equation\n"
                                   "  e = 1 - sample(x, Clock(0.1));\n"
                                   "  i = previous(i) + 0.1 * e;\n"
                                   "  u = kp * e + 3 * i;\n"
                                   "  der(x) = hold(u) - x;\n"
                                   "end M;\n";

/* a first-order plant between ticks has a closed form */
static double controlled(double kp, int nstep)
{
    double x = 0, i = 0;
    for (int k = 0; k < nstep; k++) {
        double e = 1 - x;
        i += 0.1 * e;
        double u = kp * e + 3 * i;
        x = u + (x - u) * exp(-0.1);
    }
    return x;
}

static void test_sampled_control(void **state)
{
    (void)state;
    Built b = build(control);
    Run r = run(&b, 2.5, "x");
    assert_near(r.last[0], controlled(2, 25), 1e-8);
    run_drop(&r);
    LiederSimulateOptions o = fixed(2.5, 0.01);
    r = run_with(&b, o, "x");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_near(r.last[0], controlled(2, 25), 1e-8);
    run_drop(&r);
    drop(&b);
}

/* a later begin moves all ticks */
static void test_later_begin(void **state)
{
    (void)state;
    Built b = build(control);
    LiederSimulateOptions o = adaptive(9.53);
    o.start = 7.03;
    Run r = run_with(&b, o, "x");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_near(r.last[0], controlled(2, 25), 1e-8);
    run_drop(&r);
    drop(&b);
}

/* instances in one model compute the bits of one alone */
static void test_instances(void **state)
{
    (void)state;
    char text[1000];
    Built one = build(control);
    Run r = run(&one, 2.5, "x");
    snprintf(text, sizeof text,
             "package P\n%s  model Many\n    M m[3](kp = {2, 1, 2});\n  end Many;\nend P;\n",
             control);
    Built b = build(text);
    Run all = run(&b, 2.5, "m[1].x m[2].x m[3].x");
    assert_near(all.last[0], controlled(2, 25), 1e-8);
    assert_near(all.last[1], controlled(1, 25), 1e-8);
    assert_true(all.last[0] == all.last[2]);
    run_drop(&all);
    drop(&b);
    run_drop(&r);
    drop(&one);
}

/* ------------------------------------------------------------------ derivatives */

/* x' = u - 2 x with the sampled u = time, by the method's own recurrence */
static void test_methods(void **state)
{
    (void)state;
    static const char *const methods[] = {"ExplicitEuler", "ImplicitEuler", "ImplicitTrapezoid"};
    for (int m = 0; m < 3; m++) {
        char text[400];
        snprintf(text, sizeof text,
                 "model M\n"
                 "  Real x(start = 3), u;\n"
                 "equation\n"
                 "  u = sample(time, Clock(Clock(1, 8), \"%s\"));\n"
                 "  der(x) = u - 2 * x;\n"
                 "end M;\n",
                 methods[m]);
        Built b = build(text);
        Run r = run(&b, 1.06, "x");
        double x = 3, h = 0.125;
        for (int k = 1; k <= 8; k++) {
            double before = h * (k - 1), now = h * k;
            if (m == 0)
                x += h * (before - 2 * x);
            else if (m == 1)
                x = (x + h * now) / (1 + 2 * h);
            else
                x = (x + h / 2 * (before - 2 * x + now)) / (1 + h);
        }
        assert_near(r.last[0], x, 1e-13);
        run_drop(&r);
        drop(&b);
    }
}

/* ------------------------------------------------------------------ events */

/* ticks where sin(t) has moved by 0.3 since the last one: exact by arcsine */
static void test_event_clock(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  Real a = sin(time), offset(start = 0), at, h;\n"
                    "  Integer n(start = 0);\n"
                    "  Clock c = Clock(abs(a - hold(offset)) > 0.3, 0.5);\n"
                    "equation\n"
                    "  when c then\n"
                    "    offset = sample(a);\n"
                    "    n = previous(n) + 1;\n"
                    "    at = sample(time);\n"
                    "    h = interval();\n"
                    "  end when;\n"
                    "end M;\n");
    Run r = run(&b, 1.5, "n at offset h");
    assert_true(r.last[0] == 3);
    assert_near(r.last[1], asin(0.9), 1e-8);
    assert_near(r.last[2], 0.9, 1e-8);
    assert_near(r.last[3], asin(0.9) - asin(0.6), 1e-8);
    run_drop(&r);
    drop(&b);
}

/* a condition that is true from the begin: edge(pre(condition)) follows the start value */
static void test_condition_at_start(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  Boolean b = time >= -1, d(start = true) = time >= -1;\n"
                    "  Integer n(start = 0), k(start = 0);\n"
                    "equation\n"
                    "  when Clock(b) then\n"
                    "    n = previous(n) + 1;\n"
                    "  end when;\n"
                    "  when Clock(d) then\n"
                    "    k = previous(k) + 1;\n"
                    "  end when;\n"
                    "end M;\n");
    Run r = run(&b, 1, "n k");
    assert_true(r.last[0] == 1 && r.last[1] == 0);
    run_drop(&r);
    drop(&b);
}

/* ------------------------------------------------------------------ names */

/* a user's functions of these names come first */
static void test_own_names(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  function hold\n"
                    "    input Real u;\n"
                    "    output Real y = 2 * u;\n"
                    "    algorithm\n"
                    "  end hold;\n"
                    "  function interval\n"
                    "    output Real y = 7;\n"
                    "    algorithm\n"
                    "  end interval;\n"
                    "  type Clock = Real;\n"
                    "  Clock a = hold(time), b = interval();\n"
                    "end M;\n");
    Run r = run(&b, 1, "a b");
    assert_true(r.last[0] == 2 && r.last[1] == 7);
    run_drop(&r);
    drop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conversions),     cmocka_unit_test(test_inference),
        cmocka_unit_test(test_sampled_control), cmocka_unit_test(test_later_begin),
        cmocka_unit_test(test_instances),       cmocka_unit_test(test_methods),
        cmocka_unit_test(test_event_clock),     cmocka_unit_test(test_condition_at_start),
        cmocka_unit_test(test_own_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
