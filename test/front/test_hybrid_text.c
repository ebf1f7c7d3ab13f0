/* test_hybrid_text.c - events in own classes: when, pre, sample, reinit, relations, lanes, against
 * closed forms and recurrences computed here. */
#include "hybrid_help.h"

/* ------------------------------------------------------------------ state events */

static void test_bouncing_ball(void **state)
{
    (void)state;
    char *text = read_model("bouncing_ball.mo");
    Built b = build(text);
    Run r = run(&b, 2, "h v bounces flying");
    /* impact k at t_k, with velocity e^k v1 after it */
    double g = 9.81, e = 0.7, t = sqrt(2 / g), v = e * sqrt(2 * g);
    int n = 1;
    while (t + 2 * v / g < 2) {
        t += 2 * v / g;
        v *= e;
        n++;
    }
    double d = 2 - t;
    assert_near(r.last[0], v * d - g * d * d / 2, 1e-7);
    assert_near(r.last[1], v - g * d, 1e-7);
    assert_true(r.last[2] == n && r.last[3] == 1);
    run_drop(&r);
    /* it comes to rest, and stays */
    r = run(&b, 10, "h v bounces flying");
    assert_true(r.last[3] == 0 && r.last[1] == 0 && fabs(r.last[0]) < 1e-6);
    assert_true(r.last[2] > 20);
    run_drop(&r);
    drop(&b);
    free(text);
}

/* relations outside of when: exact instants, results as by pieces */
static void test_pieces(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  Real x(start = 1, fixed = true), y(start = 0, fixed = true);\n"
                    "  Boolean far;\n"
                    "  Integer n;\n"
                    "equation\n"
                    "  der(x) = if x > 0.5 then -1 else -0.1;\n"
                    "  der(y) = if far then 1 else if time < 0.75 then 10 else 100;\n"
                    "  far = x > 0.7;\n"
                    "  n = if far then 3 else 4;\n"
                    "end M;\n");
    Run r = run(&b, 1, "x y far n");
    assert_near(r.last[0], 0.5 - 0.05, 1e-9);
    assert_near(r.last[1], 0.3 + 4.5 + 25, 1e-7);
    assert_true(r.last[2] == 0 && r.last[3] == 4);
    assert_int_equal(r.statistics.state_events, 2);
    assert_int_equal(r.statistics.time_events, 1);
    run_drop(&r);
    drop(&b);
}

static void test_thermostat(void **state)
{
    (void)state;
    char *text = read_model("thermostat.mo");
    Built b = build(text);
    Run r = run(&b, 3600, "x on switched");
    double t = 600 * log((35.0 - 15) / (35 - 21)), x;
    double cool = 600 * log((21.0 - 5) / (19 - 5)), heat = 600 * log((35.0 - 19) / (35 - 21));
    int n = 1;
    for (;;) { /* it is off from t on */
        if (t + cool > 3600) {
            x = 5 + 16 * exp(-(3600 - t) / 600);
            break;
        }
        t += cool;
        n++;
        if (t + heat > 3600) {
            x = 35 - 16 * exp(-(3600 - t) / 600);
            break;
        }
        t += heat;
    }
    assert_near(r.last[0], x, 1e-5);
    /* the first time at the start: on at once, which is no edge */
    assert_true(r.last[2] == n - 1);
    run_drop(&r);
    drop(&b);
    free(text);
}

/* ------------------------------------------------------------------ time */

static void sampled_reference(int n, double *y, double *u)
{
    double T = 0.1, kp = 2, ki = 3, s = 0, a = exp(-T);
    *y = 0;
    for (int k = 0; k <= n; k++) {
        s += T * (1 - *y);
        *u = kp * (1 - *y) + ki * s;
        if (k < n)
            *y = *y * a + *u * (1 - a);
    }
}

static void test_sampled_control(void **state)
{
    (void)state;
    char *text = read_model("sampled_control.mo");
    Built b = build(text);
    Run r = run(&b, 5, "y u s");
    double y, u;
    sampled_reference(50, &y, &u);
    assert_near(r.last[0], y, 1e-7);
    assert_near(r.last[1], u, 1e-7);
    assert_int_equal(r.statistics.state_events, 0);
    run_drop(&r);
    /* fixed steps whose ends are the instants give the same */
    r = run_with(&b, fixed(5, 0.01), "y u s");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_near(r.last[0], y, 1e-8);
    run_drop(&r);
    drop(&b);
    free(text);
}

/* two samples meet at common multiples, in one pass; a counter of each */
static void test_samples_meet(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  Integer a(start = 0), c(start = 0), both(start = 0), late(start = 0);\n"
                    "equation\n"
                    "  when sample(0, 0.1) then\n"
                    "    a = pre(a) + 1;\n"
                    "  end when;\n"
                    "  when sample(0, 0.3) then\n"
                    "    c = pre(c) + 1;\n"
                    "    both = pre(both) + (if change(a) then 1 else 0);\n"
                    "  end when;\n"
                    "  when sample(5, 1) then\n"
                    "    late = pre(late) + 1;\n"
                    "  end when;\n"
                    "end M;\n");
    Run r = run(&b, 100, "a c both late");
    assert_true(r.last[0] == 1001);
    assert_true(r.last[1] == 334 && r.last[2] == 334);
    assert_true(r.last[3] == 96);
    run_drop(&r);
    drop(&b);
}

/* relations in time are events at their instants; integer(...) of time, too */
static void test_time_events(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  parameter Real T = 0.3, t0 = 0.1, w = 0.1;\n"
                    "  Integer count(start = 0), k;\n"
                    "  discrete Real since(start = 0);\n"
                    "  Real y, x(start = 0, fixed = true), saw;\n"
                    "equation\n"
                    "  k = integer((time - t0)/T);\n"
                    "  when k > pre(count) then\n"
                    "    count = pre(count) + 1;\n"
                    "    since = time;\n"
                    "  end when;\n"
                    "  y = if time >= t0 and time < since + w then 2 else 0;\n"
                    "  saw = mod(time, 0.25);\n"
                    "  der(x) = y;\n"
                    "end M;\n");
    Run r = run(&b, 2, "x count y saw since");
    /* pulses at 0.4, 0.7 ... 1.9, each w long; at t0 the pulse that began at 0 is over */
    assert_near(r.last[0], 2 * 0.1 * 6, 1e-9);
    assert_true(r.last[1] == 6);
    assert_near(r.last[4], 1.9, 1e-12);
    assert_near(r.last[3], 0, 1e-12);
    assert_int_equal(r.statistics.state_events, 0);
    run_drop(&r);
    drop(&b);
}

/* Instants closer than times can be told apart end an adaptive run: they were lost by rounding, and
 * the number stayed behind without a word. Fixed steps have it right at their ends. */
static void test_crowded_times(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "equation der(x) = -x; n = integer(1e18*time);",
        "equation der(x) = -x; n = integer(1e15*time);",
        "equation der(x) = -x; n = if mod(time, 1e-14) < 5e-15 then 1 else 0;",
        "equation der(x) = -x; when sample(0, 1e-14) then n = pre(n) + 1; end when;",
        "Signals.Pulse p(period = 1e-16); equation der(x) = p.y; n = 0;"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < 3; k++) {
            char text[300];
            snprintf(text, sizeof text,
                     "model M Integer n(start = 0); Real x(start = 1, fixed = true); %s end M;\n",
                     cases[i]);
            Built b = build(text);
            LiederSimulateOptions o = adaptive(1);
            o.solver = k ? LIEDER_RK45 : LIEDER_BDF;
            o.clocks = k == 2 ? LIEDER_CLOCKS_OWN : LIEDER_CLOCKS_SHARED;
            Run r = run_with(&b, o, "n");
            assert_int_equal(r.status, LIEDER_GAVE_UP);
            assert_message(&b, "events of time follow each other by 1");
            run_drop(&r);
            drop(&b);
        }
    Built b = build("model M Integer n(start = 0); Real x(start = 1, fixed = true);\n"
                    "equation der(x) = -x; n = integer(1e18*time); end M;\n");
    Run r = run_with(&b, fixed(1, 0.125), "n");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_near(r.last[0] / 1e18, 1, 1e-9); /* decided a rounding later than the step ends */
    run_drop(&r);
    drop(&b);
}

/* a state event at the instant of a time event, and an instant that a state event sets to itself */
static void test_coincidence(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  Boolean low, early, waited;\n"
                    "  Integer n(start = 0), m(start = 0), s(start = 0);\n"
                    "  discrete Real since(start = 100);\n"
                    "  Real x(start = 4, fixed = true);\n"
                    "equation\n"
                    "  der(x) = -1;\n"
                    "  low = x < 3;\n"
                    "  early = time < 1;\n"
                    "  waited = time >= since;\n"
                    "  when low then\n"
                    "    n = pre(n) + 1;\n"
                    "  end when;\n"
                    "  when not early then\n"
                    "    m = pre(m) + 1;\n"
                    "  end when;\n"
                    "  when x < 3.7 then\n"
                    "    since = time;\n"
                    "  end when;\n"
                    "  when waited then\n"
                    "    s = pre(s) + 1;\n"
                    "  end when;\n"
                    "end M;\n");
    for (double longest = 0; longest < 0.4; longest = 2 * longest + 0.013) {
        LiederSimulateOptions o = adaptive(1.5);
        o.solver = LIEDER_BDF;
        o.step = longest;
        Run r = run_with(&b, o, "n m s since low early waited");
        assert_int_equal(r.status, LIEDER_DONE);
        assert_true(r.last[0] == 1 && r.last[1] == 1 && r.last[2] == 1);
        assert_near(r.last[3], 0.3, 1e-9);
        assert_true(r.last[4] == 1 && r.last[5] == 0 && r.last[6] == 1);
        run_drop(&r);
    }
    drop(&b);
}

/* a relation of time alone is found though no state moves */
static void test_time_alone(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  Real x(start = 0, fixed = true), u = sin(6.283185307179586*time);\n"
                    "  Integer n(start = 0);\n"
                    "equation\n"
                    "  der(x) = if u > 0.5 then 1 else 0;\n"
                    "  when u > 0.5 then\n"
                    "    n = pre(n) + 1;\n"
                    "  end when;\n"
                    "end M;\n");
    Run r = run(&b, 10, "n x");
    assert_true(r.last[0] == 10);
    assert_near(r.last[1], 10.0 / 3, 1e-7);
    run_drop(&r);
    drop(&b);
}

/* floor of a state: an event at every whole number, upwards and downwards */
static void test_steps(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  Real x(start = 0, fixed = true), y(start = 0, fixed = true), z;\n"
                    "  Integer n, c, d;\n"
                    "equation\n"
                    "  der(x) = if time < 3.5 then 1 else -2;\n"
                    "  n = integer(x);\n"
                    "  c = integer(ceil(x));\n"
                    "  d = integer(div(x, 2.0));\n"
                    "  z = rem(x, 2.0);\n"
                    "  der(y) = n;\n"
                    "end M;\n");
    Run r = run(&b, 6, "x y n c d z");
    assert_near(r.last[0], -1.5, 1e-9);
    /* 0 1 2 for a second each, 3 for 0.5 + 0.25, then 2 1 0 -1 -2 for half a second each and the
     * rest */
    assert_near(r.last[1], 0 + 1 + 2 + 3 * 0.75 + 0.5 * (2 + 1 + 0 - 1) - 2 * 0.25, 1e-6);
    assert_true(r.last[2] == -2 && r.last[3] == -1 && r.last[4] == 0);
    assert_near(r.last[5], -1.5, 1e-9);
    run_drop(&r);
    drop(&b);
}

/* at an event everything sees the new result of integer(): z is never 1, and the clause fires once,
 * for 2 */
static void test_step_at_event(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  Real x(start = 0, fixed = true);\n"
                    "  Integer k = integer(x), z, first(start = 0), n(start = 0);\n"
                    "equation\n"
                    "  der(x) = 2;\n"
                    "  z = if x >= 1 then k + 1 else 0;\n"
                    "  when change(z) then\n"
                    "    n = pre(n) + 1;\n"
                    "    first = if pre(n) == 0 then z else pre(first);\n"
                    "  end when;\n"
                    "end M;\n");
    Run r = run(&b, 0.9, "z first n");
    assert_true(r.last[0] == 2 && r.last[1] == 2 && r.last[2] == 1);
    run_drop(&r);
    drop(&b);
}

/* pre of a continuous variable that jumps at the event: by time, by a state, by what the clause
 * itself assigns; in the second pass of an event it is the value of the first */
static void test_left_limits(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  Real x(start = 0, fixed = true), y, z, w, u;\n"
                    "  discrete Real a(start = -1), b(start = -1), c(start = -1), d(start = 1),\n"
                    "    e(start = -1), f(start = -1);\n"
                    "equation\n"
                    "  der(x) = 1;\n"
                    "  y = if time >= 1 then 5 else 2*time;\n"
                    "  z = if x >= 1.5 then 7 else x;\n"
                    "  w = if x >= 1.5 then y + z else x;\n"
                    "  u = d*x;\n"
                    "  when time >= 1 then\n"
                    "    a = pre(y);\n"
                    "  end when;\n"
                    "  when x >= 1.5 then\n"
                    "    b = pre(z);\n"
                    "    c = pre(w);\n"
                    "  end when;\n"
                    "  when time >= 0.5 then\n"
                    "    d = 10;\n"
                    "    e = pre(u);\n"
                    "  end when;\n"
                    "  when pre(d) > 5 then\n"
                    "    f = pre(u);\n"
                    "  end when;\n"
                    "end M;\n");
    Run r = run(&b, 2, "a b c e f");
    static const double limits[] = {2, 1.5, 1.5, 0.5, 5};
    for (size_t k = 0; k < 5; k++)
        assert_near(r.last[k], limits[k], 1e-8);
    run_drop(&r);
    drop(&b);
}

/* ------------------------------------------------------------------ clauses */

/* clauses on one event see the same pre; elsewhen; vectors of conditions; order in algorithms */
static void test_clauses(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  Integer a(start = 1), c(start = 2), e(start = 0), v(start = 0), w(start = "
                    "0), s[3](each start = 0);\n"
                    "  Boolean p, q;\n"
                    "algorithm\n"
                    "  when time >= 1 then\n"
                    "    w := 5;\n"
                    "    w := w + pre(w) + 1;\n"
                    "  elsewhen time >= 2 then\n"
                    "    w := 10*w;\n"
                    "  end when;\n"
                    "  for i in 1:3 loop\n"
                    "    when time >= i then\n"
                    "      s[i] := i*i;\n"
                    "    end when;\n"
                    "  end for;\n"
                    "equation\n"
                    "  when time >= 1 then\n"
                    "    a = pre(c);\n"
                    "    c = pre(a);\n"
                    "  end when;\n"
                    "  p = time >= 1;\n"
                    "  q = time >= 2;\n"
                    "  when p then\n"
                    "    e = pre(e) + 1;\n"
                    "  elsewhen {p, q} then\n"
                    "    e = pre(e) + 10;\n"
                    "  end when;\n"
                    "  when {time >= 1, time >= 1.5, q} then\n"
                    "    if q then\n"
                    "      v = pre(v) + 100;\n"
                    "    else\n"
                    "      v = pre(v) + 1;\n"
                    "    end if;\n"
                    "  end when;\n"
                    "end M;\n");
    Run r = run(&b, 2.5, "a c e v w s[1] s[2] s[3]");
    assert_true(r.last[0] == 2 && r.last[1] == 1); /* exchanged */
    assert_true(r.last[2] == 11);
    assert_true(r.last[3] == 102);
    assert_true(r.last[4] == 60);
    assert_true(r.last[5] == 1 && r.last[6] == 4 && r.last[7] == 0);
    run_drop(&r);
    drop(&b);
}

/* pre in a chain: each Boolean follows the one before, a pass later; an alternation is named */
static void test_iteration(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  Boolean a, c, d, e;\n"
                    "  Integer n(start = 0);\n"
                    "equation\n"
                    "  a = time >= 1;\n"
                    "  c = pre(a);\n"
                    "  d = pre(c);\n"
                    "  e = pre(d);\n"
                    "  when e then\n"
                    "    n = pre(n) + 1;\n"
                    "  end when;\n"
                    "end M;\n");
    Run r = run(&b, 2, "e n");
    assert_true(r.last[0] == 1 && r.last[1] == 1);
    run_drop(&r);
    drop(&b);
    b = build("model M\n"
              "  Boolean flip(start = false);\n"
              "  Real x(start = 0);\n"
              "equation\n"
              "  flip = if time < 1 then false else not pre(flip);\n"
              "  der(x) = if flip then 1 else 2;\n"
              "end M;\n");
    r = run_with(&b, adaptive(2), "x");
    assert_int_not_equal(r.status, LIEDER_DONE);
    assert_message(&b, "flip");
    run_drop(&r);
    drop(&b);
}

/* a discrete Real in a loop with continuous equations is solved at the event */
static void test_loop_at_event(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  parameter Real k = 2, d = 0.25;\n"
                    "  Real x(start = 1, fixed = true), y;\n"
                    "  discrete Real u(start = 0);\n"
                    "equation\n"
                    "  der(x) = u;\n"
                    "  y = x + d*u;\n"
                    "  when sample(0.5, 0.5) then\n"
                    "    u = -k*y;\n"
                    "  end when;\n"
                    "end M;\n");
    Run r = run(&b, 1.25, "x u");
    double x = 1, u = 0, k = 2, d = 0.25;
    for (int i = 0; i < 2; i++) {
        x += 0.5 * u;
        u = -k * x / (1 + k * d);
    }
    assert_near(r.last[0], x + 0.25 * u, 1e-9);
    assert_near(r.last[1], u, 1e-9);
    run_drop(&r);
    drop(&b);
}

/* ------------------------------------------------------------------ lanes, other solvers */

/* a fleet of balls with different e: each as alone */
static void test_fleet(void **state)
{
    (void)state;
    char *text = read_model("bouncing_ball.mo"), all[8000];
    snprintf(
        all, sizeof all,
        "%s\nmodel Fleet\n  BouncingBall ball[5](e = {0.6, 0.65, 0.7, 0.75, 0.8});\nend Fleet;\n",
        text);
    Built b = build_class(all, "Fleet");
    Run r = run(&b, 1.5,
                "ball[1].bounces ball[2].bounces ball[3].bounces ball[4].bounces ball[5].bounces "
                "ball[5].h");
    for (int k = 0; k < 5; k++) {
        double g = 9.81, e = 0.6 + 0.05 * k, t = sqrt(2 / g), v = e * sqrt(2 * g);
        int n = 1;
        for (; t + 2 * v / g < 1.5; n++) {
            t += 2 * v / g;
            v *= e;
        }
        assert_true(r.last[k] == n);
        if (k == 4)
            assert_near(r.last[5], v * (1.5 - t) - g * (1.5 - t) * (1.5 - t) / 2, 1e-6);
    }
    run_drop(&r);
    drop(&b);
    free(text);
}

/* while loops that variables decide and that break and return leave: where, against plain rules */
static void test_leaving(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  function halve input Real x; output Real y; output Integer n;\n"
        "  algorithm y := x; n := 0;\n"
        "    while y > 1 loop y := y/2; n := n + 1; if n >= 3 then break; end if; end while;\n"
        "    y := y + 100; end halve;\n"
        "  function first input Real x; output Integer k;\n"
        "  algorithm k := 0;\n"
        "    while k < 10 loop k := k + 1; if k*k > x then return; end if; end while;\n"
        "    k := -1; end first;\n"
        "  function always input Real x; output Real y;\n"
        "  algorithm y := 0;\n"
        "    while true loop y := y + 1; if y > x then break; end if; end while;\n"
        "    y := 2*y; end always;\n"
        "  function once input Real x; output Real y;\n"
        "  algorithm y := x;\n"
        "    while y > 1 loop y := 10*x; break; end while; y := y + 1; end once;\n"
        "  model M\n    Real y, z, w, o;\n    Integer n, k;\n    Real u = 20*time;\n  equation\n"
        "    (y, n) = halve(u);\n    z = first(u);\n    k = first(1000*u);\n    w = always(u);\n"
        "    o = once(u);\n  end M;\nend P;\n",
        "P.M");
    Run r = run_with(&b, adaptive(1), "y n z k w o u");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_true(r.nrow > 100);
    for (size_t i = 0; i < r.nrow; i++) {
        const double *v = r.rows + i * (1 + MAX_PATHS) + 1, u = v[6];
        double y = u, n = 0, k = 1;
        for (; y > 1 && n < 3; n++)
            y /= 2;
        while (k * k <= u)
            k++;
        if (fabs(u - rint(u)) < 1e-9) /* at an event either side is right */
            continue;
        assert_near(v[0], y + 100, 1e-12);
        assert_true(v[1] == n && v[2] == k);
        assert_true(v[3] == (1000 * u < 100 ? ceil(sqrt(1000 * u)) : -1));
        assert_near(v[4], 2 * ceil(u), 1e-12);
        assert_near(v[5], u > 1 ? 10 * u + 1 : u + 1, 1e-12);
    }
    run_drop(&r);
    drop(&b);
}

/* ------------------------------------------------------------------ loops that variables decide */

static void test_search(void **state)
{
    (void)state;
    const char *text =
        "package P\n"
        "  function search input Integer from; input Real t; input Integer n; output Integer k;\n"
        "  algorithm k := from;\n"
        "    while k < n and t >= 0.31*k loop k := k + 1; end while; end search;\n"
        "  function root input Real a; output Real x; protected Real low = 0, high = a;\n"
        "    Boolean found = false;\n"
        "  algorithm while not found loop\n"
        "      x := (low + high)/2;\n"
        "      if high - low < 1e-12 then found := true;\n"
        "      elseif x*x > a then high := x; else low := x; end if;\n"
        "    end while; end root;\n"
        "  model M\n    parameter Real a = 2;\n    Integer k(start = 1), all;\n"
        "    Real y = time*root(a);\n  equation\n"
        "    when sample(0, 0.25) then\n      k = search(pre(k), time, 6);\n"
        "      all = search(1, 1000*time, 100000);\n    end when;\n"
        "  end M;\nend P;\n";
    Built b = build_class(text, "P.M");
    LiederSimulateOptions o = adaptive(0.2);
    Run r = run_with(&b, o, "k y all");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_true(r.last[0] == 1 && r.last[2] == 1);
    assert_near(r.last[1], 0.2 * sqrt(2), 1e-12);
    run_drop(&r);
    /* more rounds than are written out: no number, and no run that goes on with it */
    r = run_with(&b, adaptive(3), "k y all");
    assert_int_equal(r.status, LIEDER_NOT_FINITE);
    assert_message(&b, "all becomes nan");
    run_drop(&r);
    drop(&b);
    char other[1500];
    snprintf(other, sizeof other, "%s", text);
    memcpy(strstr(other, "1000*time"), "0001*time", 9);
    b = build_class(other, "P.M");
    r = run_with(&b, adaptive(3), "k");
    assert_int_equal(r.status, LIEDER_DONE);
    for (size_t i = 0; i < r.nrow; i++) {
        const double *row = r.rows + i * (1 + MAX_PATHS);
        double sampled = 0.25 * floor(row[0] / 0.25);
        if (fabs(row[0] - sampled) > 1e-9) /* between events */
            assert_true(row[1] == fmin(6, floor(sampled / 0.31) + 1));
    }
    run_drop(&r);
    drop(&b);
}

/* a discrete variable that an algorithm does not assign in every case stays as it was */
static void test_what_stays(void **state)
{
    (void)state;
    Built b = build("model M\n  Integer k(start = 3), a[2](start = {4, 5});\n"
                    "  Boolean seen(start = false);\nalgorithm\n"
                    "  if time > 1 and time < 2 then\n    k := 7;\n    a[2] := k + 1;\n"
                    "    seen := true;\n  end if;\n  if seen then\n    a[1] := 9;\n  end if;\n"
                    "end M;\n");
    const double times[] = {0.5, 1.5, 2.5},
                 expected[][4] = {{3, 4, 5, 0}, {7, 9, 8, 1}, {7, 9, 8, 1}};
    for (int i = 0; i < 3; i++) {
        Run r = run(&b, times[i], "k a[1] a[2] seen");
        for (int k = 0; k < 4; k++)
            assert_true(r.last[k] == expected[i][k]);
        run_drop(&r);
    }
    drop(&b);
}

/* start values of states follow from what initial equations say about memory */
static void test_start_from_memory(void **state)
{
    (void)state;
    Built b = build("model M\n  discrete Real r, q;\n  Real x;\ninitial equation\n"
                    "  x = 2*r + 1;\n  r = log(q);\n  pre(q) = 20;\nequation\n"
                    "  der(x) = 0;\n  when sample(1, 1) then\n    q = 2*pre(q);\n"
                    "    r = log(q);\n  end when;\nend M;\n");
    Run r = run(&b, 1.5, "x r q");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_near(r.last[0], 2 * log(20) + 1, 1e-12);
    assert_near(r.last[1], log(40), 1e-15);
    assert_true(r.last[2] == 40);
    run_drop(&r);
    drop(&b);
}

/* a difference of states that is zero but for rounding has few events, in a lane that has modes */
static void test_rounding(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  Real x1(start = 0, fixed = true), x2(start = 0, fixed = true), d, s, u, i;\n"
                    "  discrete Integer n(start = 0, fixed = true);\n"
                    "  Boolean off, up;\n"
                    "equation\n"
                    "  der(x1) = 3*cos(7*time) + 0.1;\n"
                    "  der(x2) = (3*cos(7*time) + 0.1)/3;\n"
                    "  d = x1 - 3*x2;\n"
                    "  up = d > 0;\n"
                    "  when up then\n    n = pre(n) + 1;\n  end when;\n"
                    "  off = s < 0;\n"
                    "  u = if off then s else 0;\n"
                    "  i = if off then 0 else s;\n"
                    "  u + 2*i = sin(time);\n"
                    "end M;\n");
    Run r = run(&b, 10, "n");
    assert_true(r.last[0] < 30); /* it was a hundred and more */
    run_drop(&r);
    drop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_bouncing_ball),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_thermostat),
        cmocka_unit_test(test_sampled_control),
        cmocka_unit_test(test_samples_meet),
        cmocka_unit_test(test_time_events),
        cmocka_unit_test(test_crowded_times),
        cmocka_unit_test(test_coincidence),
        cmocka_unit_test(test_time_alone),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_step_at_event),
        cmocka_unit_test(test_left_limits),
        cmocka_unit_test(test_clauses),
        cmocka_unit_test(test_iteration),
        cmocka_unit_test(test_loop_at_event),
        cmocka_unit_test(test_search),
        cmocka_unit_test(test_leaving),
        cmocka_unit_test(test_what_stays),
        cmocka_unit_test(test_start_from_memory),
        cmocka_unit_test(test_fleet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
