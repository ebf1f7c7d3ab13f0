/* test_hybrid_text.c - events in own classes: when, pre, sample, reinit, relations, mixed systems,
 * against closed forms and recurrences computed here. */
#include "equation_help.h"
#include "starved.h"

enum { MAX_PATHS = 8 };

/* a run that keeps what some variables are at the last row, and at given times */
typedef struct Run {
    Built *b;
    LiederObserver *observer;
    size_t npath;
    double last[MAX_PATHS];
    /* rows, one after the other: time and variables */
    double *rows;
    size_t nrow, capacity;
    LiederStatistics statistics;
    LiederStatus status;
} Run;

static bool keep_row(void *user, double t, const double *x, LiederRow kind)
{
    Run *r = user;
    (void)kind;
    if (r->nrow == r->capacity) {
        r->capacity = r->capacity ? 2 * r->capacity : 256;
        r->rows = realloc(r->rows, r->capacity * (1 + MAX_PATHS) * sizeof *r->rows);
        assert_non_null(r->rows);
    }
    double *row = r->rows + r->nrow++ * (1 + MAX_PATHS);
    row[0] = t;
    assert_int_equal(lieder_observer_evaluate(r->observer, t, x, row + 1), LIEDER_DONE);
    memcpy(r->last, row + 1, sizeof r->last);
    return true;
}

static Run run_with(Built *b, LiederSimulateOptions o, const char *paths)
{
    Run r = {.b = b, .observer = lieder_observer_create(b->system)};
    char copy[200];
    snprintf(copy, sizeof copy, "%s", paths);
    for (char *p = strtok(copy, " "); p; p = strtok(NULL, " ")) {
        if (lieder_observer_add(r.observer, p) != (ptrdiff_t)r.npath)
            lieder_diagnostic_print_all(b->session, stderr);
        r.npath++;
    }
    assert_int_equal(lieder_observer_count(r.observer), r.npath);
    o.output = keep_row;
    o.user = &r;
    r.status = lieder_simulate(b->system, &o, &r.statistics);
    return r;
}

static void run_drop(Run *r)
{
    lieder_observer_destroy(r->observer);
    free(r->rows);
}

static LiederSimulateOptions adaptive(double stop)
{
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.stop = stop;
    o.tolerance = 1e-9;
    return o;
}

static LiederSimulateOptions fixed(double stop, double step)
{
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.stop = stop;
    o.solver = LIEDER_RK4;
    o.step = step;
    o.interval = step;
    return o;
}

static Run run(Built *b, double stop, const char *paths)
{
    Run r = run_with(b, adaptive(stop), paths);
    if (r.status != LIEDER_DONE)
        lieder_diagnostic_print_all(b->session, stderr);
    assert_int_equal(r.status, LIEDER_DONE);
    return r;
}

static void assert_near(double a, double b, double error)
{
    if (!(fabs(a - b) <= error))
        fail_msg("%.17g is not %.17g: error %g, allowed %g", a, b, a - b, error);
}

static void assert_message(Built *b, const char *part)
{
    for (size_t i = 0; i < lieder_diagnostic_count(b->session); i++)
        if (strstr(lieder_diagnostic_get(b->session, i)->message, part))
            return;
    lieder_diagnostic_print_all(b->session, stderr);
    fail_msg("no message has \"%s\"", part);
}

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

/* ------------------------------------------------------------------ start and end */

static void test_start(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  Boolean b, edges(start = false), early(start = false), first;\n"
                    "  Integer n(start = 7), m, i(start = 0), k(start = 0);\n"
                    "  discrete Real z(start = 0), t1(start = -1);\n"
                    "  Real x(start = 4, fixed = true);\n"
                    "initial equation\n"
                    "  pre(b) = true;\n"
                    "  i = 5;\n"
                    "initial algorithm\n"
                    "  k := integer(2.5*3);\n"
                    "equation\n"
                    "  der(x) = -1;\n"
                    "  b = pre(b) and time < 1;\n"
                    "  m = if initial() then 1 else 2;\n"
                    "  first = x > 3;\n"
                    "  when initial() then\n"
                    "    z = 2*x;\n"
                    "  end when;\n"
                    "  when first then\n" /* true from the start: no edge */
                    "    edges = true;\n"
                    "  end when;\n"
                    "  when {initial(), time >= 0.5} then\n"
                    "    n = pre(n) + 1;\n"
                    "  end when;\n"
                    "  when time > 0 then\n" /* becomes true right after the start */
                    "    early = true;\n"
                    "    t1 = time;\n"
                    "  end when;\n"
                    "  when time >= 0.25 then\n"
                    "    i = pre(i) + 1;\n"
                    "    k = pre(k) + 1;\n"
                    "  end when;\n"
                    "end M;\n");
    Run r = run(&b, 0.9, "b edges n m z i k early");
    assert_true(r.last[0] == 1 && r.last[1] == 0 && r.last[2] == 9 && r.last[3] == 2);
    assert_true(r.last[4] == 8 && r.last[5] == 6 && r.last[6] == 8 && r.last[7] == 1);
    run_drop(&r);
    r = run(&b, 1.5, "b t1");
    assert_true(r.last[0] == 0);
    assert_near(r.last[1], 0, 1e-9);
    run_drop(&r);
    drop(&b);
}

/* Both sides lead back to the surface: it slides along it until one side leads away, by every
 * solver that locates events; what depends on the side is the mixture. u = -0.8 t until t = 1.25.
 */
static void test_sliding(void **state)
{
    (void)state;
    static const LiederSolver solvers[] = {LIEDER_BDF, LIEDER_RK45, LIEDER_RODAS4, LIEDER_ESDIRK23};
    for (int k = 0; k < 4; k++) {
        Built b = build("model M\n"
                        "  Real x(start = 0.5, fixed = true), y(start = 0, fixed = true), u;\n"
                        "  Boolean up = x < 0;\n"
                        "equation\n"
                        "  u = -sign(x);\n"
                        "  der(x) = u + 0.8*time;\n"
                        "  der(y) = u;\n"
                        "end M;\n");
        LiederSimulateOptions o = adaptive(1.2);
        o.solver = solvers[k];
        o.tolerance = 1e-8;
        Run r = run_with(&b, o, "x u y");
        assert_int_equal(r.status, LIEDER_DONE);
        assert_message(&b, "slides along it");
        double begin = (1 - sqrt(0.2)) / 0.8; /* 0.5 - t + 0.4 t^2 = 0 */
        assert_near(r.last[0], 0, 1e-6);
        assert_near(r.last[1], -0.96, 1e-4);
        assert_near(r.last[2], -begin - 0.4 * (1.44 - begin * begin), 1e-5);
        run_drop(&r);
        o.stop = 2;
        r = run_with(&b, o, "x u");
        assert_near(r.last[0], 0.4 * (4 - 1.5625) - 0.75, 1e-5);
        assert_near(r.last[1], -1, 1e-9);
        run_drop(&r);
        o.chatter = LIEDER_CHATTER_STOP;
        r = run_with(&b, o, "x u");
        assert_int_equal(r.status, LIEDER_GAVE_UP);
        run_drop(&r);
        drop(&b);
    }
    Built b = build("model M\n"
                    "  Real x(start = 0.5, fixed = true), y(start = 1, fixed = true);\n"
                    "equation\n"
                    "  der(x) = if x > 0 then -1 else 1;\n"
                    "  der(y) = if y > 0 then -1 else 1 + 0*x;\n"
                    "end M;\n");
    Run r = run_with(&b, adaptive(2), "x");
    assert_int_equal(r.status, LIEDER_GAVE_UP);
    assert_message(&b, "slides already, and one at a time can");
    run_drop(&r);
    drop(&b);
}

/* A limited amplifier with positive feedback: where its solution ends the next one is found among
 * all combinations of its modes, and stays until it ends itself. Limits: 7.5 - u = 0.15 and back.
 */
static void test_feedback(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  Real u = 20*sin(time), e, y;\n"
                    "  discrete Real down(start = 0, fixed = true), up(start = 0, fixed = true);\n"
                    "equation\n"
                    "  e = 0.5*y - u;\n"
                    "  y = if 100*e > 15 then 15 elseif 100*e < -15 then -15 else 100*e;\n"
                    "  when y < -14 then\n"
                    "    down = time;\n"
                    "  end when;\n"
                    "  when y > 14 then\n"
                    "    up = time;\n"
                    "  end when;\n"
                    "end M;\n");
    double limit = asin(7.35 / 20), pi = 3.14159265358979323846;
    Run r = run_with(&b, adaptive(7), "y down up");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_near(r.last[0], -15, 1e-9);
    assert_near(r.last[1], 2 * pi + limit, 1e-6);
    assert_near(r.last[2], pi + limit, 1e-6);
    run_drop(&r);
    drop(&b);
}

/* conditions that fail between two steps, and in components; variables that leave min and max */
static void test_conditions(void **state)
{
    (void)state;
    Built b = build("package P\n"
                    "  connector Pin\n"
                    "    Real v;\n"
                    "    flow Real i;\n"
                    "  end Pin;\n"
                    "  model Part\n"
                    "    parameter Real k = 1;\n"
                    "    Pin p;\n"
                    "    Real x(start = 0, fixed = true), y(max = 1.5) = k*x;\n"
                    "  equation\n"
                    "    der(x) = 1;\n"
                    "    p.i = p.v;\n"
                    "    assert(y < 1, \"y = \" + String(y), AssertionLevel.warning);\n"
                    "  end Part;\n"
                    "  model M\n"
                    "    Part part[2](k = {1, 2});\n"
                    "    Real z = sin(20*time);\n"
                    "    Integer n(min = 0, max = 1) = if z > 0.5 then 1 else 0;\n"
                    "    String name = \"part\" + String(2);\n"
                    "  equation\n"
                    "    connect(part[1].p, part[2].p);\n"
                    "    assert(z < 0.99, \"z in \" + name, AssertionLevel.warning);\n"
                    "    assert(part[2].x < 0.9, \"end at \" + String(part[2].x));\n"
                    "  end M;\n"
                    "end P;\n");
    Run r = run_with(&b, adaptive(1), "z");
    assert_int_equal(r.status, LIEDER_GAVE_UP);
    assert_message(&b, "from t = 0.0714628");
    assert_message(&b, "from t = 0.385622");
    assert_message(&b, "from t = 0.699781");
    assert_message(&b, "z in part2");
    assert_message(&b, "from t = 0.5");
    assert_message(&b, "part[2]: y = 1");
    assert_message(&b, "end at 0.9");
    assert_message(&b, "this variable becomes 1.8, above 1.5");
    assert_near(r.statistics.t, 0.9, 1e-8);
    run_drop(&r);
    drop(&b);
}

static void test_end(void **state)
{
    (void)state;
    const char *text = "model M\n"
                       "  parameter Real limit = 2;\n"
                       "  Real x(start = 0, fixed = true);\n"
                       "  Integer n(start = 0);\n"
                       "equation\n"
                       "  der(x) = 1;\n"
                       "  assert(x < limit, \"x is too large: \" + String(x));\n"
                       "  assert(x < 0.5, \"x is large\", AssertionLevel.warning);\n"
                       "  when x > 3 then\n"
                       "    terminate(\"far enough\");\n"
                       "  end when;\n"
                       "  when terminal() then\n"
                       "    n = 1;\n"
                       "  end when;\n"
                       "end M;\n";
    Built b = build(text);
    Run r = run_with(&b, adaptive(10), "x");
    assert_int_not_equal(r.status, LIEDER_DONE);
    assert_message(&b, "x is too large: 2");
    assert_message(&b, "from t = 0.5");
    assert_near(r.statistics.t, 2, 1e-8);
    run_drop(&r);
    drop(&b);
    FrontOverride far = {.name = "limit", .value = "100"};
    b = build_with(text, NULL, &far, 1);
    r = run_with(&b, adaptive(10), "x");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_near(r.statistics.t, 3, 1e-8);
    run_drop(&r);
    drop(&b);
}

/* ------------------------------------------------------------------ mixed systems */

static const char *const rectifier =
    "model M\n"
    "  parameter Real L = 0.1, R = 2, Ron = 1e-5, Goff = 1e-5, w = 10;\n"
    "  Real i(start = 0, fixed = true), u, s, v;\n"
    "  Boolean off(start = true);\n"
    "equation\n"
    "  u = sin(w*time);\n"
    "  L*der(i) = u - v - R*i;\n"
    "  off = s < 0;\n"
    "  v = s*(if off then 1 else Ron);\n"
    "  i = s*(if off then Goff else 1);\n"
    "end M;\n";

/* a diode, a coil, a resistance: the current rises and falls to zero, then nothing flows until the
 * next period */
static void test_diode(void **state)
{
    (void)state;
    Built b = build(rectifier);
    double w = 10, L = 0.1, R = 2 + 1e-5, z2 = R * R + w * w * L * L;
    for (double t = 0.05; t < 0.6; t += 0.11) {
        Run r = run(&b, t, "i off");
        /* conducting from 0: i = (R sin wt - wL cos wt + wL exp(-R t / L)) / z2, until it is zero
         */
        double i = (R * sin(w * t) - w * L * cos(w * t) + w * L * exp(-R * t / L)) / z2;
        bool conducts = i > 0 && t < 0.45;
        if (conducts)
            assert_near(r.last[0], i, 1e-6);
        else
            assert_true(fabs(r.last[0]) < 2e-5);
        assert_true(r.last[1] == !conducts);
        run_drop(&r);
    }
    drop(&b);
}

/* thyristor: off = s < 0 or pre(off) and not fire; phase control of a resistance */
static void test_thyristor(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  parameter Real R = 2, angle = 1;\n"
                    "  constant Real w = 6.283185307179586;\n"
                    "  Real i, u, s, v, q(start = 0, fixed = true);\n"
                    "  Boolean off(start = true), fire;\n"
                    "equation\n"
                    "  u = sin(w*time);\n"
                    "  fire = mod(w*time, 2*3.141592653589793) >= angle and mod(w*time, "
                    "2*3.141592653589793) < angle + 0.2;\n"
                    "  off = s < 0 or pre(off) and not fire;\n"
                    "  u = v + R*i;\n"
                    "  v = s*(if off then 1 else 0);\n"
                    "  i = s*(if off then 0 else 1);\n"
                    "  der(q) = i;\n"
                    "end M;\n");
    Run r = run(&b, 3, "q i");
    /* charge of a half wave from the angle on: (1 + cos(angle)) / (R w) */
    assert_near(r.last[0], 3 * (1 + cos(1)) / (2 * 6.283185307179586), 1e-7);
    run_drop(&r);
    drop(&b);
}

static void test_stick_slip(void **state)
{
    (void)state;
    char *text = read_model("stick_slip.mo");
    Built b = build(text);
    Run r = run(&b, 20, "x v sticks");
    /* sticks until c x = f_stick; then m x'' = f_slip - c x from (0.2, 0.1) until x' = 0.1 again */
    double c = 10, belt = 0.1, x0 = 0.2, w = sqrt(c), a = x0 - 0.1, t = 0, x = 0, v = belt;
    for (;;) {
        double until = t + (0.2 - x) / belt;
        if (until > 20) {
            x += belt * (20 - t);
            break;
        }
        t = until;
        /* about 0.1: a cos + belt / w sin; velocity is belt again at the mirrored place */
        double phase = atan2(belt / w, a), back = (M_PI + 2 * phase) / w;
        if (t + back > 20) {
            double d = 20 - t;
            x = 0.1 + a * cos(w * d) + belt / w * sin(w * d);
            v = -a * w * sin(w * d) + belt * cos(w * d);
            break;
        }
        t += back;
        x = 0.1 + a * cos(w * back) + belt / w * sin(w * back);
    }
    assert_near(r.last[0], x, 1e-5);
    assert_near(r.last[1], v, 1e-5);
    run_drop(&r);
    drop(&b);
    free(text);
}

/* ------------------------------------------------------------------ beside the library */

static const char *const beside =
    "model Stop \"elastic contact\"\n"
    "  Dialectic.Translational.Flange flange_a, flange_b;\n"
    "  parameter Real c = 1000;\n"
    "  Real gap;\n"
    "  Boolean closed;\n"
    "  Integer contacts(start = 0);\n"
    "equation\n"
    "  gap = flange_b.s - flange_a.s;\n"
    "  closed = gap < 0;\n"
    "  flange_b.f_el = if closed then c*gap else 0;\n"
    "  flange_b.f_ki = 0;\n"
    "  flange_a.f_el + flange_b.f_el = 0;\n"
    "  flange_a.f_ki = 0;\n"
    "  when closed then\n"
    "    contacts = pre(contacts) + 1;\n"
    "  end when;\n"
    "end Stop;\n"
    "block Sampled\n"
    "  input Real u;\n"
    "  output Real y(start = 0);\n"
    "  discrete Real last(start = 0);\n"
    "equation\n"
    "  when sample(0, 0.1) then\n"
    "    last = u;\n"
    "    y = -4*u - 3*(u - pre(last))/0.1;\n"
    "  end when;\n"
    "end Sampled;\n"
    "model Throw\n"
    "  inner Dialectic.World world(TD = 0);\n"
    "  Dialectic.Translational.Fixed fixed;\n"
    "  Dialectic.Translational.Joint joint(s(start = 0.5), v(start = -1));\n"
    "  Dialectic.Translational.Body mass(m = 2, g = 0);\n"
    "  Stop stop;\n"
    "equation\n"
    "  connect(fixed.flange_b, joint.flange_a);\n"
    "  connect(joint.flange_b, mass.flange_a);\n"
    "  connect(fixed.flange_b, stop.flange_a);\n"
    "  connect(joint.flange_b, stop.flange_b);\n"
    "end Throw;\n"
    "model Control\n"
    "  inner Dialectic.World world(TD = 0);\n"
    "  Dialectic.Translational.Fixed fixed;\n"
    "  Dialectic.Translational.Joint joint(s(start = 1));\n"
    "  Dialectic.Translational.Body mass(m = 2, g = 0);\n"
    "  Dialectic.Translational.PositionSensor sensor;\n"
    "  Dialectic.Translational.Force force;\n"
    "  Sampled control;\n"
    "equation\n"
    "  connect(fixed.flange_b, joint.flange_a);\n"
    "  connect(joint.flange_b, mass.flange_a);\n"
    "  connect(joint.flange_b, sensor.flange);\n"
    "  connect(joint.flange_b, force.flange);\n"
    "  connect(sensor.y, control.u);\n"
    "  connect(control.y, force.f);\n"
    "end Control;\n";

/* an own contact between library flanges: a mass comes in with 1 m/s and leaves after half a period
 */
static void test_own_contact(void **state)
{
    (void)state;
    Built b = build_class(beside, "Throw");
    Run r = run(&b, 1.5, "joint.s joint.v stop.contacts");
    double half = M_PI / sqrt(1000.0 / 2);
    assert_near(r.last[0], 1.5 - 0.5 - half, 1e-6);
    assert_near(r.last[1], 1, 1e-6);
    assert_true(r.last[2] == 1);
    run_drop(&r);
    drop(&b);
}

/* an own sampled controller between a sensor and a force of the library, against its recurrence */
static void test_own_controller(void **state)
{
    (void)state;
    Built b = build_class(beside, "Control");
    double s = 1, v = 0, last = 0, T = 0.1, m = 2;
    for (int k = 0; k < 20; k++) {
        double f = -4 * s - 3 * (s - last) / T;
        last = s;
        s += v * T + f / m * T * T / 2;
        v += f / m * T;
    }
    Run r = run(&b, 2, "joint.s joint.v");
    assert_near(r.last[0], s, 1e-7);
    assert_near(r.last[1], v, 1e-7);
    run_drop(&r);
    r = run_with(&b, fixed(2, 0.01), "joint.s joint.v");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_near(r.last[0], s, 1e-9);
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

/* fixed steps see events at their ends */
static void test_fixed_steps(void **state)
{
    (void)state;
    char *text = read_model("bouncing_ball.mo");
    Built b = build(text);
    Run r = run_with(&b, fixed(1, 1e-4), "h bounces");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_true(r.last[1] == 1);
    run_drop(&r);
    drop(&b);
    free(text);
    b = build(rectifier);
    r = run_with(&b, fixed(0.2, 1e-4), "i off");
    assert_int_equal(r.status, LIEDER_DONE);
    double w = 10, L = 0.1, R = 2 + 1e-5, t = 0.2;
    assert_near(r.last[0],
                (R * sin(w * t) - w * L * cos(w * t) + w * L * exp(-R * t / L)) /
                    (R * R + w * w * L * L),
                1e-4);
    run_drop(&r);
    drop(&b);
}

static void test_memory(void **state)
{
    (void)state;
    char *text = read_model("bouncing_ball.mo");
    starve((Starved){.text = text, .class_name = "BouncingBall", .finer = 16});
    free(text);
}

/* ------------------------------------------------------------------ random numbers at events */

/* the generators on words of 64 bits; see external_random.c */
static double draw_64(uint64_t *s)
{
    *s ^= *s >> 12;
    *s ^= *s << 25;
    *s ^= *s >> 27;
    *s *= 0x2545f4914f6cdd1du;
    return (double)(int64_t)*s / 18446744073709551616.0 + 0.5;
}

static double draw_128(uint64_t *s)
{
    uint64_t a = s[0] ^ s[0] << 23, b = s[1];
    s[0] = b;
    s[1] = (a ^ a >> 17 ^ b ^ b >> 26) + b;
    return (double)(int64_t)s[1] / 18446744073709551616.0 + 0.5;
}

static double draw_1024(uint64_t *s, int *at)
{
    uint64_t a = s[*at], b = s[ *at = (*at + 1) % 16];
    b ^= b << 31;
    s[*at] = b ^ b >> 11 ^ a ^ a >> 30;
    return (double)(int64_t)(s[*at] * 0x106689d45497fdb5u) / 18446744073709551616.0 + 0.5;
}

static uint64_t pair_of(double low, double high)
{
    return (uint64_t)(uint32_t)(int32_t)high << 32 | (uint32_t)(int32_t)low;
}

/* states that clauses hold: the numbers have the bits of those on words */
static void test_random_states(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  function r64 input Integer s[2]; output Real r; output Integer n[2];\n"
        "    external \"C\" ModelicaRandom_xorshift64star(s, n, r); end r64;\n"
        "  function r128 input Integer s[4]; output Real r; output Integer n[4];\n"
        "    external \"C\" ModelicaRandom_xorshift128plus(s, n, r); end r128;\n"
        "  function r1024 input Integer s[33]; output Real r; output Integer n[33];\n"
        "    external \"C\" ModelicaRandom_xorshift1024star(s, n, r); end r1024;\n"
        "  model M\n"
        "    Integer a[2](start = {-5, 77}), b[4](start = {-1, 2, 2147483647, -2147483647});\n"
        "    Integer c[33](start = {if i == 33 then 14 else 65537*i*(1 - 2*mod(i, 2)) for i in "
        "1:33});\n"
        "    discrete Real x, y, z;\n"
        "  equation\n"
        "    when sample(0.5, 1) then\n"
        "      (x, a) = r64(pre(a));\n      (y, b) = r128(pre(b));\n"
        "      (z, c) = r1024(pre(c));\n"
        "    end when;\n"
        "  end M;\n"
        "end P;\n",
        "P.M");
    uint64_t s64 = pair_of(-5, 77), s128[] = {pair_of(-1, 2), pair_of(2147483647, -2147483647)};
    uint64_t s1024[16];
    int at = 14;
    for (int i = 1; i <= 31; i += 2)
        s1024[i / 2] = pair_of(-65537.0 * i, 65537.0 * (i + 1));
    LiederSimulateOptions o = adaptive(25);
    o.interval = 1;
    Run r = run_with(&b, o, "x y z");
    assert_int_equal(r.status, LIEDER_DONE);
    double number[3] = {0};
    int drawn = 0;
    for (size_t i = 0; i < r.nrow; i++) {
        const double *row = r.rows + i * (1 + MAX_PATHS);
        for (; drawn < (int)floor(row[0] + 0.5) && drawn + 0.5 < row[0]; drawn++) {
            number[0] = draw_64(&s64);
            number[1] = draw_128(s128);
            number[2] = draw_1024(s1024, &at);
        }
        for (int k = 0; k < 3 && row[0] == floor(row[0]); k++)
            assert_true(row[1 + k] == number[k]);
    }
    assert_int_equal(drawn, 25);
    run_drop(&r);
    drop(&b);
}

/* One hidden state for all calls, in the order of the text; a clause that does not fire, and a
 * branch that is not taken, take no number. The seed stands behind the clauses. */
static void test_hidden_random(void **state)
{
    (void)state;
    const char *text =
        "package P\n"
        "  function set input Integer s[33]; input Integer id;\n"
        "    external \"C\" ModelicaRandom_setInternalState_xorshift1024star(s, size(s, 1), id);\n"
        "  end set;\n"
        "  function begin input Integer seed; output Integer id;\n"
        "  algorithm\n"
        "    id := 7;\n"
        "    set({if i == 33 then 14 else seed*i*(1 - 2*mod(i, 2)) for i in 1:33}, id);\n"
        "  end begin;\n"
        "  function next input Integer id; output Real y;\n"
        "    external \"C\" y = ModelicaRandom_impureRandom_xorshift1024star(id); end next;\n"
        "  model M\n"
        "    parameter Integer seed(fixed = false), id(fixed = false);\n"
        "    discrete Real x, y, z(start = 0);\n"
        "    Boolean even(start = false);\n"
        "  algorithm\n"
        "    when {initial(), sample(0.5, 1)} then\n"
        "      x := next(id);\n"
        "      y := next(id);\n"
        "    end when;\n"
        "    when sample(0.5, 1) then\n"
        "      even := not pre(even);\n"
        "      if even then\n"
        "        z := next(id);\n"
        "      end if;\n"
        "    end when;\n"
        "  initial equation\n"
        "    seed = 65537;\n"
        "    id = begin(seed);\n"
        "  end M;\n"
        "end P;\n";
    Built b = build_class(text, "P.M");
    uint64_t s1024[16];
    int at = 14;
    for (int i = 1; i <= 31; i += 2)
        s1024[i / 2] = pair_of(-65537.0 * i, 65537.0 * (i + 1));
    double x = draw_1024(s1024, &at), y = draw_1024(s1024, &at), z = 0;
    LiederSimulateOptions o = adaptive(12);
    o.interval = 1;
    Run r = run_with(&b, o, "x y z");
    assert_int_equal(r.status, LIEDER_DONE);
    int drawn = 0;
    for (size_t i = 0; i < r.nrow; i++) {
        const double *row = r.rows + i * (1 + MAX_PATHS);
        if (row[0] != floor(row[0]))
            continue;
        for (; drawn + 0.5 < row[0]; drawn++) {
            x = draw_1024(s1024, &at);
            y = draw_1024(s1024, &at);
            z = drawn % 2 == 0 ? draw_1024(s1024, &at) : z;
        }
        assert_true(row[1] == x && row[2] == y && row[3] == z);
    }
    assert_int_equal(drawn, 12);
    run_drop(&r);
    drop(&b);
}

/* a model of components alone may have conditions on their variables */
static void test_assertion_of_components(void **state)
{
    (void)state;
    Built b = build_class("package P\n"
                          "  block Ramp output Real y; equation y = 2*time; end Ramp;\n"
                          "  model M\n"
                          "    Ramp a, b;\n"
                          "  equation\n"
                          "    assert(abs(a.y) < 3, \"a is too large\");\n"
                          "  end M;\n"
                          "end P;\n",
                          "P.M");
    Run r = run_with(&b, adaptive(3), "b.y");
    assert_int_not_equal(r.status, LIEDER_DONE);
    assert_message(&b, "a is too large");
    assert_true(r.statistics.t >= 1.5 && r.statistics.t <= 3);
    run_drop(&r);
    drop(&b);
}

/* an assertion in a branch of an algorithm holds where the branch is taken */
static void test_assertion_in_branch(void **state)
{
    (void)state;
    const char *text = "model M\n"
                       "  parameter Integer most = 100;\n"
                       "  Integer n(start = 0, fixed = true);\n"
                       "algorithm\n"
                       "  when sample(0.25, 0.5) then\n"
                       "    n := pre(n) + 1;\n"
                       "    if n > most then\n"
                       "      assert(false, \"too often\");\n"
                       "    else\n"
                       "      assert(n < 1000, \"never\");\n"
                       "    end if;\n"
                       "  end when;\n"
                       "end M;\n";
    Built b = build(text);
    Run r = run_with(&b, adaptive(3), "n");
    assert_int_equal(r.status, LIEDER_DONE);
    run_drop(&r);
    drop(&b);
    FrontOverride few = {.name = "most", .value = "3"};
    b = build_with(text, NULL, &few, 1);
    r = run_with(&b, adaptive(3), "n");
    assert_int_not_equal(r.status, LIEDER_DONE);
    assert_message(&b, "too often");
    assert_near(r.statistics.t, 1.75, 1e-8);
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
        cmocka_unit_test(test_coincidence),
        cmocka_unit_test(test_time_alone),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_clauses),
        cmocka_unit_test(test_iteration),
        cmocka_unit_test(test_loop_at_event),
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_end),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_sliding),
        cmocka_unit_test(test_feedback),
        cmocka_unit_test(test_diode),
        cmocka_unit_test(test_thyristor),
        cmocka_unit_test(test_random_states),
        cmocka_unit_test(test_hidden_random),
        cmocka_unit_test(test_assertion_of_components),
        cmocka_unit_test(test_assertion_in_branch),
        cmocka_unit_test(test_search),
        cmocka_unit_test(test_what_stays),
        cmocka_unit_test(test_start_from_memory),
        cmocka_unit_test(test_own_contact),
        cmocka_unit_test(test_own_controller),
        cmocka_unit_test(test_stick_slip),
        cmocka_unit_test(test_fleet),
        cmocka_unit_test(test_fixed_steps),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
