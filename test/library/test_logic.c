/* test_logic.c - blocks of truth values, comparisons, steps, samples, noise and tables, against
 * closed forms and recurrences computed here. */
#include <unistd.h>

#include "help/run.h"

static const double pi = 3.14159265358979323846;

/* a text, by an adaptive solver; rows every `interval` */
static Run *run_text(const char *text, double stop, double interval, const char *const *paths)
{
    Run *run = run_load_text(text, paths);
    run->options.stop = stop;
    run->options.interval = interval;
    run->options.tolerance = 1e-8;
    run_start(run, LIEDER_DONE);
    return run;
}

/* the sine of one hertz is above 1/2 from t = 1/12 to t = 5/12 of every second */
#define SINE "  Signals.Sine s(f = 1);\n"

static void logic(void **unused)
{
    (void)unused;
    static const char *const paths[] = {"both.y", "any.y", "xor.y", "nand.y", "nor.y", "no.y",
                                        "ff.Q",   "ff.QI", "ls.y",  "sw.y",   NULL};
    Run *run = run_text("model T\n"
                        "  Signals.BooleanStep a(startTime = 0.25);\n"
                        "  Signals.BooleanTable b(table = {0.1, 0.4, 0.6});\n"
                        "  Signals.And both; Signals.Or any; Signals.Xor xor; Signals.Nand nand;\n"
                        "  Signals.Nor nor; Signals.Not no; Signals.RSFlipFlop ff;\n"
                        "  Signals.LogicalSwitch ls; Signals.Switch sw;\n"
                        "  Signals.Constant one(k = 1); Signals.Ramp ramp(duration = 1);\n"
                        "equation\n"
                        "  connect(a.y, both.u1); connect(b.y, both.u2); connect(a.y, any.u1);\n"
                        "  connect(b.y, any.u2); connect(a.y, xor.u1); connect(b.y, xor.u2);\n"
                        "  connect(a.y, nand.u1); connect(b.y, nand.u2); connect(a.y, nor.u1);\n"
                        "  connect(b.y, nor.u2); connect(a.y, no.u); connect(b.y, ff.S);\n"
                        "  connect(nor.y, ff.R); connect(a.y, ls.u1); connect(b.y, ls.u2);\n"
                        "  connect(no.y, ls.u3); connect(ramp.y, sw.u1); connect(b.y, sw.u2);\n"
                        "  connect(one.y, sw.u3);\n"
                        "end T;\n",
                        1, 0.05, paths);
    bool q = false;
    for (double t = 0.025; t < 1; t += 0.05) {
        /* between the rows of events, on the row before */
        double at = t - 0.025;
        bool a = at >= 0.25 - 1e-9;
        bool b = (at >= 0.1 - 1e-9 && at < 0.4 - 1e-9) || at >= 0.6 - 1e-9;
        bool none = !a && !b;
        q = !none && (b || q);
        bool expected[] = {a && b, a || b, a != b, !(a && b), none, !a, q, !q, b ? a : !a};
        for (size_t i = 0; i < 9; i++)
            if (run_at(run, at, i) != expected[i])
                fail_msg("%s is wrong at %g", paths[i], at);
        assert_close(run_at(run, at, 9), b ? at : 1, 1e-12);
    }
    run_drop(run);
}

static void comparisons(void **unused)
{
    (void)unused;
    static const char *const paths[] = {"hy.y",       "timer.y", "on.y",   "count.up",
                                        "count.down", "whole.y", "high.y", NULL};
    Run *run = run_text("model Count\n"
                        "  Signals.BooleanInput u, v;\n"
                        "  Integer up(start = 0, fixed = true), down(start = 0, fixed = true);\n"
                        "equation\n"
                        "  when u then\n    up = pre(up) + 1;\n  end when;\n"
                        "  when v then\n    down = pre(down) + 1;\n  end when;\n"
                        "end Count;\n"
                        "model T\n" SINE "  Signals.Constant zero(k = 0);\n"
                        "  Signals.Hysteresis hy(uLow = -0.5, uHigh = 0.5);\n"
                        "  Signals.GreaterThreshold high(threshold = 0.5);\n"
                        "  Signals.Timer timer; Signals.Edge edge; Signals.FallingEdge fall;\n"
                        "  Signals.OnOffController on(bandwidth = 1); Count count;\n"
                        "  Signals.Gain three(k = 3); Signals.RealToInteger whole;\n"
                        "equation\n"
                        "  connect(s.y, hy.u); connect(s.y, high.u); connect(high.y, timer.u);\n"
                        "  connect(high.y, edge.u); connect(high.y, fall.u);\n"
                        "  connect(edge.y, count.u); connect(fall.y, count.v);\n"
                        "  connect(zero.y, on.reference); connect(s.y, on.u);\n"
                        "  connect(s.y, three.u); connect(three.y, whole.u);\n"
                        "end T;\n",
                        3, 0.01, paths);
    for (size_t k = 0; k < 300; k++) {
        double t = 0.01 * (double)k, part = t - floor(t + 1e-9), u = sin(2 * pi * t);
        bool high = part > 1.0 / 12 && part < 5.0 / 12;
        /* on from 1/12 of a second on, off at 7/12 */
        assert_true(run_at(run, t, 0) == (part > 1.0 / 12 && part < 7.0 / 12));
        assert_close(run_at(run, t, 1), high ? part - 1.0 / 12 : 0, 1e-8);
        /* the controller switches on below -1/2, off above 1/2 */
        bool on = t > 7.0 / 12 && (part < 1.0 / 12 || part > 7.0 / 12);
        assert_true(run_at(run, t, 2) == on);
        assert_true(run_at(run, t, 5) == (u > 0 ? floor(3 * u + 0.5) : ceil(3 * u - 0.5)));
        assert_true(run_at(run, t, 6) == high);
    }
    assert_true(run_last(run, 3) == 3 && run_last(run, 4) == 3);
    run_drop(run);
}

/* s1 goes to s2 after half a second, or to s3 if x > 0.8 comes first; s2 to s3 at x > 0.8; s3 back
 * after a quarter. x = t. */
static void steps(void **unused)
{
    (void)unused;
    static const char *const paths[] = {"s1.active", "s2.active", "s3.active", "x", NULL};
    Run *run =
        run_text("model T\n"
                 "  StateGraph.InitialStep s1(nOut = 2); StateGraph.Step s2, s3(nIn = 2);\n"
                 "  StateGraph.Transition t12(enableTimer = true, waitTime = 0.5);\n"
                 "  StateGraph.Transition t13(condition = x > 0.8), t23(condition = x > 0.8);\n"
                 "  StateGraph.TransitionWithSignal t31(enableTimer = true, waitTime = 0.25);\n"
                 "  Signals.BooleanConstant always; Real x(start = 0, fixed = true);\n"
                 "equation\n"
                 "  der(x) = 1;\n"
                 "  connect(s1.outPort[1], t12.inPort); connect(t12.outPort, s2.inPort[1]);\n"
                 "  connect(s1.outPort[2], t13.inPort); connect(t13.outPort, s3.inPort[1]);\n"
                 "  connect(s2.outPort[1], t23.inPort); connect(t23.outPort, s3.inPort[2]);\n"
                 "  connect(s3.outPort[1], t31.inPort); connect(t31.outPort, s1.inPort[1]);\n"
                 "  connect(always.y, t31.condition);\n"
                 "end T;\n",
                 1.5, 0.01, paths);
    for (size_t k = 0; k < 150; k++) {
        double t = 0.01 * (double)k;
        if (k == 50 || k == 80 || k == 105 || k == 130)
            continue; /* rows of events */
        /* at 1.05 back in s1; x > 0.8 holds, so s3 again at once, and a quarter later */
        int active = t < 0.5 ? 1 : t < 0.8 ? 2 : 3;
        for (int i = 0; i < 3; i++)
            assert_true(run_at(run, t, (size_t)i) == (active == i + 1));
    }
    run_drop(run);
}

#define PERIOD "samplePeriod = 0.1"

/* samples of a sine, k T apart */
static void samples(void **unused)
{
    (void)unused;
    static const char *const paths[] = {"sa.y", "foh.y", "ud.y", "tf.y", "ss.y", "ts.y", NULL};
    const char *text =
        "model T\n" SINE "  Signals.Sampler sa(" PERIOD "); Signals.FirstOrderHold foh(" PERIOD ");"
        "  Signals.UnitDelay ud(" PERIOD ", y_start = 7);\n"
        "  Signals.DiscreteTransferFunction tf(" PERIOD ", b = {0.5, 0.25}, a = {2, -1, 0.5});\n"
        "  Signals.DiscreteStateSpace ss(" PERIOD ", A = [0.5, 1; 0, 0.25], B = {0, 1},\n"
        "    C = {1, 2}, D = 3);\n"
        "  Signals.BooleanPulse p(period = 0.2, startTime = 0.2); Signals.TriggeredSampler "
        "ts(y_start = 9);\n"
        "equation\n"
        "  connect(s.y, sa.u); connect(s.y, foh.u); connect(s.y, ud.u); connect(s.y, tf.u);\n"
        "  connect(s.y, ss.u); connect(p.y, ts.trigger); connect(s.y, ts.u);\n"
        "end T;\n";
    for (int fixed = 0; fixed < 2; fixed++) {
        Run *run = run_load_text(text, paths);
        run->options.stop = 2;
        run->options.interval = 0.05;
        if (fixed) {
            run->options.solver = LIEDER_RK4;
            run->options.step = 0.0125;
        }
        run_start(run, LIEDER_DONE);
        double w[3] = {0}, x[2] = {0}, before = 0, tf = 0, ss = 0;
        for (int k = 0; k < 20; k++) {
            double t = 0.1 * k + 0.05, u = sin(2 * pi * 0.1 * k);
            w[2] = w[1];
            w[1] = w[0];
            w[0] = (u + w[1] - 0.5 * w[2]) / 2;
            tf = 0.5 * w[1] + 0.25 * w[2];
            ss = x[0] + 2 * x[1] + 3 * u;
            x[0] = 0.5 * x[0] + x[1];
            x[1] = 0.25 * x[1] + u;
            assert_close(run_at(run, t, 0), u, 1e-12);
            assert_close(run_at(run, t, 1), k ? u + (u - before) / 2 : u, 1e-12);
            assert_close(run_at(run, t, 2), k ? before : 7, 1e-12);
            assert_close(run_at(run, t, 3), tf, 1e-12);
            assert_close(run_at(run, t, 4), ss, 1e-12);
            assert_close(run_at(run, t, 5), k < 2 ? 9 : k % 2 ? before : u, 1e-12);
            before = u;
        }
        run_drop(run);
    }
}

/* a sampled controller with limits on y' = u - y, against the recurrence: exact between samples */
static void sampled_controller(void **unused)
{
    (void)unused;
    static const char *const paths[] = {"plant.y", "c.y", NULL};
    Run *run = run_text(
        "model T\n"
        "  Signals.Constant one; Signals.FirstOrder plant;\n"
        "  Signals.SampledPID c(samplePeriod = 0.05, k = 4, Ti = 0.5, Td = 0.1, yMax = 2);\n"
        "equation\n"
        "  connect(one.y, c.u_s); connect(plant.y, c.u_m); connect(c.y, plant.u);\n"
        "end T;\n",
        8, 0.05, paths);
    double T = 0.05, k = 4, Ti = 0.5, Td = 0.1, N = 10, y = 0, I = 0, D = 0, m = 0, out = 0;
    double q = Td / (Td + N * T), most = 0;
    for (int i = 0; i <= 160; i++) {
        assert_close(run_at(run, T * i, 0), y, 1e-6);
        double e = 1 - y;
        D = q * D - (i ? k * N * (1 - q) * (y - m) : 0);
        m = y;
        double free = k * e + I + k * T / Ti * e + D;
        if (!((free > 2 && e > 0) || (free < -2 && e < 0)))
            I += k * T / Ti * e;
        out = fmin(fmax(k * e + I + D, -2), 2);
        assert_close(run_at(run, T * i, 1), out, 1e-5);
        most = fmax(most, y);
        y = out + (y - out) * exp(-T);
    }
    assert_close(y, 1, 1e-3);
    assert_true(most < 1.2); /* the integral part did not wind up */
    run_drop(run);
}

/* L'Ecuyer's two generators, with whole numbers */
typedef struct Generator {
    int64_t s[2];
} Generator;

static Generator seeded(int64_t seed)
{
    Generator g = {{(llabs(seed) * 69069 + 1) % 2147483562 + 1,
                    (llabs(seed) * 1664525 + (seed < 0 ? 7 : 3)) % 2147483398 + 1}};
    for (int i = 0; i < 20; i++)
        g = (Generator){{g.s[0] * 40014 % 2147483563, g.s[1] * 40692 % 2147483399}};
    return g;
}

static double next_number(Generator *g)
{
    *g = (Generator){{g->s[0] * 40014 % 2147483563, g->s[1] * 40692 % 2147483399}};
    int64_t d = (g->s[0] - g->s[1] - 1) % 2147483562;
    return (double)(d < 0 ? d + 2147483563 : d + 1) / 2147483563;
}

static void noise(void **unused)
{
    (void)unused;
    static const char *const paths[] = {"u.y", "n.y", "other.y", NULL};
    enum { N = 4000 };
    Run *run = run_load_text("model T\n"
                             "  Signals.UniformNoise u(samplePeriod = 0.1, seed = 5);\n"
                             "  Signals.NormalNoise n(samplePeriod = 0.1, mu = 3, sigma = 2);\n"
                             "  Signals.UniformNoise other(samplePeriod = 0.1, seed = 6);\n"
                             "end T;\n",
                             paths);
    run->options.stop = 0.1 * N;
    run->options.interval = 0.1;
    run_start(run, LIEDER_DONE);
    Generator g = seeded(5);
    double mean = 0, square = 0, after = 0, cross = 0, normal = 0, spread = 0, fourth = 0, last = 0;
    size_t first = 0;
    /* the start draws a number of its own, the sample at 0 the next */
    next_number(&g);
    for (int k = 0; k < N; k++) {
        double t = 0.1 * k, u;
        while (first + 1 < run->nrow && run->t[first + 1] < t + 1e-9)
            first++;
        u = run->value[first][0];
        assert_close(u, -1 + 2 * next_number(&g), 1e-15);
        mean += u / N;
        square += u * u / N;
        after += u * last / N;
        cross += u * run->value[first][2] / N;
        double z = (run->value[first][1] - 3) / 2;
        normal += z / N;
        spread += z * z / N;
        fourth += z * z * z * z / N;
        last = u;
    }
    /* within four standard deviations of what they should be */
    double e = 4 / sqrt(N);
    assert_close(mean, 0, e / sqrt(3));
    assert_close(square, 1.0 / 3, e * sqrt(4.0 / 45));
    assert_close(after, 0, e / 3);
    assert_close(cross, 0, e / 3);
    assert_close(normal, 0, e);
    assert_close(spread, 1, e * sqrt(2));
    assert_close(fourth, 3, e * sqrt(96));
    run_drop(run);
}

static void tables(void **unused)
{
    (void)unused;
    char csv[] = "/tmp/lieder-logic-XXXXXX.csv", text[3000];
    int file = mkstemps(csv, 4);
    assert_true(file >= 0);
    static const char numbers[] = "time,a,b\n0,1,0\n1,3,1\n1,5,4\n2,5,9\n";
    assert_true(write(file, numbers, sizeof numbers - 1) > 0);
    close(file);
    static const char *const paths[] = {"csv.y",   "ct.y[1]", "ct.y[2]", "hold.y[1]",
                                        "c1.y[1]", "c2.y",    "x",       NULL};
    snprintf(
        text, sizeof text,
        "model T\n"
        "  Signals.CsvInput csv(fileName = \"%s\", column = 2);\n"
        "  Signals.CombiTimeTable ct(tableOnFile = true, fileName = \"%s\",\n"
        "    nHeaderLines = 1, columns = {2, 3}, offset = {10, 20}, timeScale = 0.5,\n"
        "    extrapolation = Signals.Extrapolation.HoldLastPoint);\n"
        "  Signals.CombiTimeTable hold(table = [0, 0; 0.5, 1; 1, 3],\n"
        "    extrapolation = Signals.Extrapolation.Periodic,\n"
        "    smoothness = Signals.Smoothness.ConstantSegments);\n"
        "  Signals.CombiTable1Ds c1(table = [0, 0; 1, 1; 2, 4]);\n"
        "  Signals.CombiTable2Ds c2(table = [0, 0, 2; 0, 0, 0; 3, 0, 6]);\n"
        "  Signals.Ramp r(height = 3, duration = 3, offset = -0.5); Signals.Constant c(k = 3);\n"
        "  Real x(start = 0, fixed = true);\n"
        "equation\n"
        "  der(x) = ct.y[1];\n"
        "  connect(r.y, c1.u); connect(r.y, c2.u1); connect(c.y, c2.u2);\n"
        "end T;\n",
        csv, csv);
    Run *run = run_text(text, 3, 0.01, paths);
    unlink(csv);
    for (size_t k = 0; k < 300; k++) {
        double t = 0.01 * (double)k, u = t - 0.5, fast = 2 * t, part = t - floor(t + 1e-9);
        if (k % 50 == 0)
            continue; /* rows of events */
        assert_close(run_at(run, t, 0), t < 1 ? 1 + 2 * t : 5, 1e-12);
        assert_close(run_at(run, t, 1), 10 + (fast < 1 ? 1 + 2 * fast : 5), 1e-12);
        assert_close(run_at(run, t, 2),
                     20 + (fast < 1   ? fast
                           : fast < 2 ? 5 * fast - 1
                                      : 9),
                     1e-12);
        assert_close(run_at(run, t, 3), part < 0.5 ? 0 : 1, 1e-12);
        assert_close(run_at(run, t, 4), u < 1 ? u : 3 * u - 2, 1e-12);
        assert_close(run_at(run, t, 5), u * 3, 1e-12);
    }
    assert_close(run_last(run, 6), 30 + 0.5 + 0.5 + 2.5 * 5, 1e-6);
    run_drop(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logic),  cmocka_unit_test(comparisons),
        cmocka_unit_test(steps),  cmocka_unit_test(samples),
        cmocka_unit_test(noise),  cmocka_unit_test(sampled_controller),
        cmocka_unit_test(tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
