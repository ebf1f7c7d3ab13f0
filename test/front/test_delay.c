/* test_delay.c - delay(expression, time): against the method of steps, shifted functions, and
 * events at instants that are known. */
#include <unistd.h>

#include "equation_help.h"
#include "starved.h"

enum { MAX_PATHS = 8 };

typedef struct Run {
    LiederObserver *observer;
    double last[MAX_PATHS], most[MAX_PATHS]; /* at the last row; largest |value| of all rows */
    double before;                           /* time of the last row before an event */
    LiederStatistics statistics;
    LiederStatus status;
} Run;

static bool take_row(void *user, double t, const double *x, LiederRow kind)
{
    Run *r = user;
    if (kind == LIEDER_ROW_BEFORE_EVENT)
        r->before = t;
    assert_int_equal(lieder_observer_evaluate(r->observer, t, x, r->last), LIEDER_DONE);
    for (size_t i = 0; i < lieder_observer_count(r->observer); i++)
        r->most[i] = fmax(r->most[i], fabs(r->last[i]));
    return true;
}

static Run run(Built *b, LiederSimulateOptions o, const char *paths)
{
    Run r = {.observer = lieder_observer_create(b->system)};
    char copy[200];
    snprintf(copy, sizeof copy, "%s", paths);
    for (char *p = strtok(copy, " "); p; p = strtok(NULL, " "))
        assert_true(lieder_observer_add(r.observer, p) >= 0);
    o.output = take_row;
    o.user = &r;
    r.status = lieder_simulate(b->system, &o, &r.statistics);
    if (r.status != LIEDER_DONE)
        lieder_diagnostic_print_all(b->session, stderr);
    lieder_observer_destroy(r.observer);
    return r;
}

static LiederSimulateOptions options(LiederSolver solver, double stop)
{
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.solver = solver;
    o.stop = stop;
    o.tolerance = 1e-9;
    return o;
}

static LiederSimulateOptions fixed(LiederSolver solver, double stop, double step)
{
    LiederSimulateOptions o = options(solver, stop);
    o.step = o.interval = step;
    return o;
}

/* x' = -x(t - 1), x = 1 up to the start: on [k - 1, k] the sum of (-1)^j (t - j + 1)^j / j! for j
 * up to k, found by the method of steps */
static double steps(double t)
{
    double sum = 1, power;
    for (int j = 1; j - 1 <= t; j++) {
        power = 1;
        for (int i = 1; i <= j; i++)
            power *= (t - j + 1) / i;
        sum += j % 2 ? -power : power;
    }
    return sum;
}

static const char *const decay = "model M\n"
                                 "  Real x(start = 1, fixed = true);\n"
                                 "equation\n"
                                 "  der(x) = -delay(x, 1);\n"
                                 "end M;\n";

static void test_method_of_steps(void **state)
{
    (void)state;
    Built b = build(decay);
    const LiederSolver solvers[] = {LIEDER_BDF, LIEDER_RK45, LIEDER_RODAS4, LIEDER_ESDIRK23};
    const double errors[] = {2e-7, 1e-8, 1e-7, 1e-5};
    for (int i = 0; i < 4; i++) {
        Run r = run(&b, options(solvers[i], 5.5), "x");
        assert_int_equal(r.status, LIEDER_DONE);
        assert_near(r.last[0], steps(5.5), errors[i]);
    }
    /* the order of fixed steps stays what it is: all kinks are on the grid */
    double e1 = run(&b, fixed(LIEDER_RK4, 5.5, 0.1), "x").last[0] - steps(5.5);
    double e2 = run(&b, fixed(LIEDER_RK4, 5.5, 0.05), "x").last[0] - steps(5.5);
    assert_near(e1, 0, 1e-5);
    assert_true(fabs(e2) < fabs(e1) / 13);
    e1 = run(&b, fixed(LIEDER_EULER_BACKWARD, 5.5, 0.01), "x").last[0] - steps(5.5);
    e2 = run(&b, fixed(LIEDER_EULER_BACKWARD, 5.5, 0.005), "x").last[0] - steps(5.5);
    assert_true(fabs(e1) < 0.05 && fabs(e2) < fabs(e1) / 1.8);
    drop(&b);
}

/* functions of time, shifted; two delays in series; one that varies */
static void test_shifted(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  Real y, z, w, e1, e2, e3, T;\n"
                    "equation\n"
                    "  y = delay(sin(3*time), 0.3);\n"
                    "  z = delay(y, 0.45);\n"
                    "  T = 0.6 + 0.2*cos(time);\n"
                    "  w = delay(sin(3*time), T, 0.8);\n"
                    "  e1 = y - noEvent(if time < 0.3 then 0 else sin(3*(time - 0.3)));\n"
                    "  e2 = z - noEvent(if time < 0.75 then 0 else sin(3*(time - 0.75)));\n"
                    "  e3 = w - noEvent(if time < T then 0 else sin(3*(time - T)));\n"
                    "end M;\n");
    LiederSimulateOptions o = options(LIEDER_SOLVER_AUTO, 5);
    o.interval = 0.01;
    Run r = run(&b, o, "e1 e2 e3 y");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_true(r.most[0] < 1e-11 && r.most[1] < 1e-10 && r.most[2] < 1e-11);
    assert_true(r.most[3] > 0.99);
    r = run(&b, fixed(LIEDER_RK4, 5, 0.01), "e1 e2 e3 y");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_true(r.most[0] < 1e-7 && r.most[1] < 2e-7 && r.most[2] < 1e-7);
    drop(&b);
}

/* a square wave arrives at its instants; Booleans and Integers stay what they are */
static void test_jumps(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  Real x(start = 1, fixed = true), v(start = 0, fixed = true), u, y, s;\n"
                    "  Boolean b, late;\n"
                    "  Integer n(start = 0, fixed = true), m, first;\n"
                    "  discrete Real at(start = 0);\n"
                    "equation\n"
                    "  der(x) = v;\n"
                    "  der(v) = -x;\n"
                    "  u = if x > 0 then 1 else -1;\n"
                    "  y = delay(u, 0.7);\n"
                    "  der(s) = y;\n"
                    "  b = x < 0;\n"
                    "  late = delay(b, 0.4);\n"
                    "  when late then\n"
                    "    n = pre(n) + 1;\n"
                    "    at = time;\n"
                    "  end when;\n"
                    "  m = delay(n, 0.3);\n"
                    "  first = delay(m, 0.25);\n"
                    "initial equation\n"
                    "  s = 0;\n"
                    "end M;\n");
    const double pi = 3.14159265358979323846;
    const LiederSolver solvers[] = {LIEDER_BDF, LIEDER_RK45};
    for (int i = 0; i < 2; i++) {
        Run r = run(&b, options(solvers[i], 2), "y s late n at m first");
        assert_int_equal(r.status, LIEDER_DONE);
        /* x < 0 from pi/2 on */
        assert_true(r.last[0] == 1 && r.last[2] == 1 && r.last[3] == 1 && r.last[5] == 0);
        assert_near(r.last[1], 2, 1e-9);
        assert_near(r.last[4], pi / 2 + 0.4, 1e-7);
        r = run(&b, options(solvers[i], 2.6), "y s late n at m first");
        assert_true(r.last[0] == -1 && r.last[5] == 1 && r.last[6] == 1);
        assert_near(r.last[1], 2 * (pi / 2 + 0.7) - 2.6, 1e-7);
        assert_near(r.before, pi / 2 + 0.95, 1e-7);
    }
    Run r = run(&b, fixed(LIEDER_RK4, 2.6, 1e-3), "y s late n at m first");
    assert_true(r.last[0] == -1 && r.last[5] == 1 && r.last[6] == 1);
    assert_near(r.last[1], 2 * (pi / 2 + 0.7) - 2.6, 4e-3);
    assert_near(r.last[4], pi / 2 + 0.4, 2e-3);
    drop(&b);
}

/* an echo: what is delayed depends on its own past; derivatives of what is delayed */
static void test_echo(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  Real u, x(start = 0, fixed = true), e, d;\n"
                    "equation\n"
                    "  u = time + 0.5*delay(u, 1);\n"
                    "  der(x) = u;\n"
                    "  d = der(delay(x, 0.5));\n"
                    "  e = d - delay(u, 0.5);\n"
                    "end M;\n");
    LiederSimulateOptions o = options(LIEDER_RK45, 3.5);
    Run r = run(&b, o, "u x e");
    assert_int_equal(r.status, LIEDER_DONE);
    /* u = t + (t - 1)/2 + (t - 2)/4 + (t - 3)/8 from the instants on where the terms are positive
     */
    assert_near(r.last[0], 3.5 + 1.25 + 0.375 + 0.0625, 1e-12);
    assert_near(r.last[1], (3.5 * 3.5 + 2.5 * 2.5 / 2 + 1.5 * 1.5 / 4 + 0.25 / 8) / 2, 1e-9);
    assert_true(r.most[2] < 1e-7);
    drop(&b);
}

/* a block of the library in a loop with mechanics: its output needs no input of the same instant */
static void test_block(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  inner Dialectic.World world(TD = 0);\n"
                    "  Dialectic.Translational.Fixed fixed;\n"
                    "  Dialectic.Translational.Joint joint(v(start = 1));\n"
                    "  Dialectic.Translational.Body body(m = 2, g = 0);\n"
                    "  Dialectic.Translational.Force force;\n"
                    "  Dialectic.Translational.SpeedSensor sensor;\n"
                    "  Signals.FixedDelay late(delayTime = 0.5);\n"
                    "  Signals.Gain gain(k = -4);\n"
                    "equation\n"
                    "  connect(fixed.flange_b, joint.flange_a);\n"
                    "  connect(joint.flange_b, body.flange_a);\n"
                    "  connect(joint.flange_b, force.flange);\n"
                    "  connect(joint.flange_b, sensor.flange);\n"
                    "  connect(sensor.y, late.u);\n"
                    "  connect(late.y, gain.u);\n"
                    "  connect(gain.y, force.f);\n"
                    "end M;\n");
    /* 2 v' = -4 v(t - 1/2) */
    Run r = run(&b, options(LIEDER_SOLVER_AUTO, 2), "joint.v");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_near(r.last[0], steps(4), 2e-7);
    double e1 = run(&b, fixed(LIEDER_RK4, 2.75, 0.05), "joint.v").last[0] - steps(5.5);
    double e2 = run(&b, fixed(LIEDER_RK4, 2.75, 0.025), "joint.v").last[0] - steps(5.5);
    assert_true(fabs(e1) < 1e-5 && fabs(e2) < fabs(e1) / 13);
    drop(&b);
}

/* lanes with pasts and delays of their own, jumps and a delay that varies among them */
static const char *const fleet = "model M\n"
                                 "  model D\n"
                                 "    parameter Real T = 1;\n"
                                 "    Real x(start = 1, fixed = true), late, u, w;\n"
                                 "    Real s(start = 0, fixed = true), e;\n"
                                 "  equation\n"
                                 "    der(x) = -late/T;\n"
                                 "    late = delay(x, T);\n"
                                 "    u = if x > 0 then 1 else -1;\n"
                                 "    der(s) = delay(u, T/3);\n"
                                 "    w = delay(sin(3*time), T*(0.6 + 0.2*cos(time)), T);\n"
                                 "    e = w - noEvent(if time < T*(0.6 + 0.2*cos(time)) then 0\n"
                                 "      else sin(3*(time - T*(0.6 + 0.2*cos(time)))));\n"
                                 "  end D;\n"
                                 "  parameter Real T[20] = linspace(0.5, 1.5, 20);\n"
                                 "  D d[20](T = T);\n"
                                 "end M;\n";

/* late of all rows against the method of steps */
typedef struct Watch {
    LiederObserver *observer;
    double worst, worst_e;
    size_t rows;
} Watch;

static bool watch_row(void *user, double t, const double *x, LiederRow kind)
{
    Watch *w = user;
    double values[60];
    (void)kind;
    w->rows++;
    assert_int_equal(lieder_observer_evaluate(w->observer, t, x, values), LIEDER_DONE);
    for (int i = 0; i < 20; i++) {
        double T = 0.5 + i / 19.0, late = t < T ? 1 : steps(t / T - 1);
        w->worst = fmax(w->worst, fabs(values[i] - steps(t / T)));
        w->worst = fmax(w->worst, fabs(values[20 + i] - late));
        w->worst_e = fmax(w->worst_e, fabs(values[40 + i]));
    }
    return true;
}

static Watch watch(Built *b, LiederSimulateOptions o, LiederStatus wanted)
{
    Watch w = {.observer = lieder_observer_create(b->system)};
    const char *const names[] = {"x", "late", "e"};
    for (int k = 0; k < 3; k++)
        for (int i = 1; i <= 20; i++) {
            char path[40];
            snprintf(path, sizeof path, "d[%d].%s", i, names[k]);
            assert_true(lieder_observer_add(w.observer, path) >= 0);
        }
    o.output = watch_row;
    o.user = &w;
    LiederStatus status = lieder_simulate(b->system, &o, NULL);
    if (status != wanted)
        lieder_diagnostic_print_all(b->session, stderr);
    assert_int_equal(status, wanted);
    lieder_observer_destroy(w.observer);
    return w;
}

/* with one clock and with clocks of their own, one thread and several; rows are shown after lanes
 * have gone on, and see the past as it was */
static void test_lanes(void **state)
{
    (void)state;
    Built b = build(fleet);
    const LiederSolver solvers[] = {LIEDER_SOLVER_AUTO, LIEDER_RK45, LIEDER_RODAS4};
    for (int i = 0; i < 3; i++)
        for (int own = 0; own < 2; own++) {
            LiederSimulateOptions o = options(solvers[i], 3);
            o.clocks = own && i ? LIEDER_CLOCKS_OWN : LIEDER_CLOCKS_SHARED;
            o.interval = 0.01;
            o.threads = 1 + own;
            Watch w = watch(&b, o, LIEDER_DONE);
            assert_true(w.rows >= 301);
            assert_near(w.worst, 0, 2e-7);
            assert_near(w.worst_e, 0, 1e-8);
        }
    drop(&b);
}

/* a lane has the bits that it has alone, whatever the delays of others, rows and threads */
static void test_lane_alone(void **state)
{
    (void)state;
    Built b = build(fleet);
    const LiederSolver solvers[] = {LIEDER_RK45, LIEDER_RODAS4};
    for (int i = 0; i < 2; i++) {
        LiederSimulateOptions o = options(solvers[i], 3);
        o.clocks = LIEDER_CLOCKS_OWN;
        o.threads = 2;
        Run all = run(&b, o, "d[1].x d[7].x d[20].x d[1].s d[7].s d[20].s");
        const int lanes[] = {1, 7, 20};
        for (int k = 0; k < 3; k++) {
            char text[1200];
            snprintf(text, sizeof text, "%s\nmodel One M.D d(T = %.17g); end One;\n", fleet,
                     0.5 + (lanes[k] - 1) / 19.0);
            Built one = build_class(text, "One");
            o.interval = 0.7; /* other rows */
            o.threads = 1;
            Run alone = run(&one, o, "d.x d.s");
            /* the last row is the stop, whatever the interval */
            assert_memory_equal(&alone.last[0], &all.last[k], sizeof(double));
            assert_memory_equal(&alone.last[1], &all.last[3 + k], sizeof(double));
            drop(&one);
        }
    }
    drop(&b);
}

/* one lane ends the run: the horizon is repeated, and state files have the pasts up to there */
static void test_lanes_end(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  model D\n"
                    "    parameter Real T = 1, least = -10;\n"
                    "    Real x(start = 1, fixed = true), y(start = 0, fixed = true);\n"
                    "    Boolean up;\n"
                    "  equation\n"
                    "    der(x) = -delay(x, T)/T;\n"
                    "    up = delay(x > 0.3, T/4);\n"
                    "    der(y) = if up then 1 else 0;\n"
                    "    when x < least then\n"
                    "      terminate(\"low\");\n"
                    "    end when;\n"
                    "  end D;\n"
                    "  D d[12](T = linspace(0.5, 1.6, 12), least = {if i == 5 then -0.2 else -10 "
                    "for i in 1:12});\n"
                    "end M;\n");
    char file[] = "/tmp/test_delay_XXXXXX";
    int fd = mkstemp(file);
    assert_true(fd >= 0);
    close(fd);
    for (int i = 0; i < 2; i++) {
        LiederSimulateOptions o = options(i ? LIEDER_RODAS4 : LIEDER_RK45, 5);
        o.clocks = LIEDER_CLOCKS_SHARED;
        Run one = run(&b, o, "d[1].x d[5].x d[12].x d[1].y d[12].y");
        o.clocks = LIEDER_CLOCKS_OWN;
        o.checkpoint = file;
        Run own = run(&b, o, "d[1].x d[5].x d[12].x d[1].y d[12].y");
        assert_true(own.statistics.terminated && one.statistics.terminated);
        assert_near(own.statistics.t, one.statistics.t, 1e-6);
        /* 1 - t/T, then (t/T - 1)^2/2 more, which is -0.2 at t/T = 2 - sqrt(0.6) */
        assert_near(own.statistics.t, 0.9 * (2 - sqrt(0.6)), 1e-6);
        for (int k = 0; k < 5; k++)
            assert_near(own.last[k], one.last[k], 2e-6);
        /* x stays low, so that nothing ends the run again */
        o.resume = file;
        o.checkpoint = NULL;
        o.stop = 1.8;
        Run rest = run(&b, o, "d[1].x d[12].x");
        assert_int_equal(rest.status, LIEDER_DONE);
        assert_near(rest.last[0], steps(1.8 / 0.5), 1e-6);
        assert_near(rest.last[1], steps(1.8 / 1.6), 1e-6);
    }
    unlink(file);
    drop(&b);
}

/* own clocks go on from a state file, also one of a run with one clock */
static void test_lanes_resumed(void **state)
{
    (void)state;
    Built b = build(fleet);
    char file[] = "/tmp/test_delay_XXXXXX";
    int fd = mkstemp(file);
    assert_true(fd >= 0);
    close(fd);
    for (int i = 0; i < 4; i++) {
        LiederSimulateOptions o = options(i % 2 ? LIEDER_RODAS4 : LIEDER_RK45, 1.3);
        o.clocks = i / 2 ? LIEDER_CLOCKS_OWN : LIEDER_CLOCKS_SHARED;
        o.checkpoint = file;
        watch(&b, o, LIEDER_DONE);
        o.checkpoint = NULL;
        o.resume = file;
        o.stop = 3;
        o.clocks = LIEDER_CLOCKS_OWN;
        Watch w = watch(&b, o, LIEDER_DONE);
        assert_near(w.worst, 0, 2e-7);
        assert_near(w.worst_e, 0, 1e-8);
    }
    unlink(file);
    drop(&b);
}

/* going on from a state file gives the bits of the run in one piece; generated code does, too */
static void test_same_bits(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  Real x(start = 1, fixed = true), u;\n"
                    "equation\n"
                    "  u = if x > 0.2 then 1 else -1;\n"
                    "  der(x) = -delay(x, 1) + 0.1*delay(u, 0.35);\n"
                    "end M;\n");
    char file[] = "/tmp/test_delay_XXXXXX";
    int fd = mkstemp(file);
    assert_true(fd >= 0);
    close(fd);
    LiederSimulateOptions o = fixed(LIEDER_RK4, 6, 0.05);
    double whole = run(&b, o, "x").last[0];
    o.stop = 2.5;
    o.checkpoint = file;
    run(&b, o, "x");
    o.stop = 6;
    o.checkpoint = NULL;
    o.resume = file;
    Run r = run(&b, o, "x");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_memory_equal(&r.last[0], &whole, sizeof whole);
    /* adaptive steps begin anew there, with the same past */
    o = options(LIEDER_RK45, 6);
    whole = run(&b, o, "x").last[0];
    o.stop = 2.5;
    o.checkpoint = file;
    run(&b, o, "x");
    o.stop = 6;
    o.checkpoint = NULL;
    o.resume = file;
    assert_near(run(&b, o, "x").last[0], whole, 1e-8);
    unlink(file);
    LiederSimulateOptions c = fixed(LIEDER_RK4, 6, 0.05);
    whole = run(&b, c, "x").last[0];
    c.compile = LIEDER_COMPILE_ALWAYS;
    r = run(&b, c, "x");
    assert_memory_equal(&r.last[0], &whole, sizeof whole);
    LiederStepper *s = lieder_stepper_create(b.system, &c);
    assert_non_null(s);
    assert_int_equal(lieder_stepper_step(s, 120), LIEDER_DONE);
    assert_memory_equal(lieder_stepper_state(s), &whole, sizeof whole);
    lieder_stepper_destroy(s);
    drop(&b);
}

/* what cannot be, and what is said */
static void test_refused(void **state)
{
    (void)state;
    Built b = build(decay);
    assert_int_equal(run(&b, fixed(LIEDER_RK4, 6, 1.5), "x").status, LIEDER_BAD_USE);
    assert_message(&b, "longer than the delay of 1");
    drop(&b);
    b = build("model M\n"
              "  Real y;\n"
              "equation\n"
              "  y = delay(sin(time), 0.5 + 0.5*time, 1.2);\n"
              "end M;\n");
    assert_int_equal(run(&b, options(LIEDER_RK45, 3), "y").status, LIEDER_GAVE_UP);
    assert_message(&b, "longer than its limit");
    drop(&b);
    /* a parameter that is zero is no delay, until it is another number */
    b = build("model M\n"
              "  parameter Real T = 0;\n"
              "  Real y;\n"
              "equation\n"
              "  y = delay(time, T);\n"
              "end M;\n");
    assert_near(run(&b, options(LIEDER_RK45, 3), "y").last[0], 3, 0);
    drop(&b);
}

static LiederStatus run_lanes(LiederSystem *system)
{
    LiederSimulateOptions o = options(LIEDER_RK45, 0.8);
    o.clocks = LIEDER_CLOCKS_OWN;
    o.interval = 0.2;
    return lieder_simulate(system, &o, NULL);
}

static void test_memory(void **state)
{
    (void)state;
    starve((Starved){.text = decay, .class_name = "M", .finer = 16});
    starve((Starved){.text = "model M\n"
                             "  model D\n"
                             "    parameter Real T = 1;\n"
                             "    Real x(start = 1, fixed = true);\n"
                             "  equation\n"
                             "    der(x) = -delay(x, T) + delay(if x > 0.8 then 1 else 0, 0.1);\n"
                             "  end D;\n"
                             "  D d[3](T = {0.3, 0.4, 0.5});\n"
                             "end M;\n",
                     .class_name = "M",
                     .finer = 16,
                     .then = run_lanes});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_method_of_steps), cmocka_unit_test(test_shifted),
        cmocka_unit_test(test_jumps),           cmocka_unit_test(test_echo),
        cmocka_unit_test(test_block),           cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_lane_alone),      cmocka_unit_test(test_lanes_end),
        cmocka_unit_test(test_lanes_resumed),   cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_refused),         cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
