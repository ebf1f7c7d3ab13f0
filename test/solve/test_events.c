/* test_events.c - time events, crossings, discrete updates, chattering. */
#include "solve/help.h"

#include <unistd.h>

#include <lieder/component.h>

/* ------------------------------------------------------------------ classes of our own */

/* a ball that loses a part of its velocity at the floor; a memory of 2: at rest there */
typedef struct Ball {
    real g, e;
    real s, v, ds, dv;
    real below;
} Ball;

static inline void ball_explicit(Ball *c, Signal *y, Call call)
{
    hold_choice(call, (mask)(c->s < 0.0), &c->below);
    mask rest = (mask)(c->below > 1.5);
    c->ds = choose(rest, 0.0, c->v);
    c->dv = choose(rest, 0.0, -c->g);
    y->y = c->s;
}

static inline void ball_event(Ball *c, Signal *y, Call call)
{
    (void)y;
    (void)call;
    mask rest = (mask)(c->below > 1.5), hit = (mask)(c->below > 0.5) & (mask)(c->v < 0.0);
    c->v = choose(rest, 0.0, choose(hit, -c->e * c->v, c->v));
    c->s = choose(rest, 0.0, choose(hit, 0.0, c->s));
}

#define CLASS    Ball
#define PORTS(X) X(0, OUT, Signal)
#define EXPLICIT ball_explicit
#define EVENT    ball_event
#include <lieder/kernels.inc>

static const LiederPortDef one_output[] = {
    {.name = "y", .domain = &lieder_signal, .role = LIEDER_OUT, .optional = true}};
static const LiederMember ball_members[] = {
    PARAMETER(Ball, g, "", 9.81, ANY, ""), PARAMETER(Ball, e, "", 0.9, ANY, ""),
    STATE(Ball, s, ds, "m", 10, ""), STATE(Ball, v, dv, "m/s", 0, ""),
    CROSSING(Ball, s, below, LIEDER_EDGE, "m", "height")};
static const LiederClassDef ball_class = {.name = "Test.Ball",
                                          .text = "",
                                          .nport = 1,
                                          .ports = one_output,
                                          .nmember = LIEDER_COUNT(ball_members),
                                          .members = ball_members,
                                          .kernels = &Ball_kernels};

/* x' = -sign x: slides on x = 0 */
typedef struct Relay {
    real x, dx, negative;
} Relay;

static inline void relay_explicit(Relay *c, Signal *y, Call call)
{
    mask negative = hold_choice(call, (mask)(c->x < 0.0), &c->negative);
    c->dx = choose(negative, 1.0, -1.0);
    y->y = c->x;
}

#define CLASS    Relay
#define PORTS(X) X(0, OUT, Signal)
#define EXPLICIT relay_explicit
#include <lieder/kernels.inc>

static const LiederMember relay_members[] = {STATE(Relay, x, dx, "", 1, ""),
                                             CROSSING(Relay, x, negative, LIEDER_EDGE, "", "")};
static const LiederClassDef relay_class = {.name = "Test.Relay",
                                           .text = "",
                                           .nport = 1,
                                           .ports = one_output,
                                           .nmember = LIEDER_COUNT(relay_members),
                                           .members = relay_members,
                                           .kernels = &Relay_kernels};

static Lieder *session_with_classes(void)
{
    Lieder *session = lieder_create(NULL);
    assert_int_equal(lieder_class_register(session, &ball_class), LIEDER_DONE);
    assert_int_equal(lieder_class_register(session, &relay_class), LIEDER_DONE);
    LiederModel *m = lieder_model_create(session, "Balls", "");
    lieder_model_add(m, "ball", "Test.Ball");
    m = lieder_model_create(session, "Relays", "");
    lieder_model_add(m, "relay", "Test.Relay");
    return session;
}

/* ------------------------------------------------------------------ the bouncing ball */

static void impact_times(void **unused)
{
    (void)unused;
    static const LiederSolver solvers[] = {LIEDER_ESDIRK23, LIEDER_BDF};
    Lieder *session = session_with_classes();
    LiederSystem *system = system_new(session, "Balls");
    for (int k = 0; k < 2; k++) {
        LiederSimulateOptions o = lieder_simulate_defaults();
        LiederStatistics s;
        Rows rows = {0};
        o.solver = solvers[k];
        o.stop = 20;
        o.tolerance = 1e-8;
        assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE);
        /* impact n is at t1 (1 + 2 e (1 - e^n) / (1 - e)) */
        double first = sqrt(2 * 10 / 9.81), worst = 0, power = 1;
        size_t n = 0;
        for (size_t i = 0; i < rows.n; i++) {
            if (rows.kind[i] != LIEDER_ROW_BEFORE_EVENT)
                continue;
            double exact = first * (1 + 2 * 0.9 * (1 - power) / (1 - 0.9));
            worst = fmax(worst, fabs(rows.t[i] - exact));
            power *= 0.9;
            n++;
            /* left and right of the event */
            assert_true(rows.kind[i + 1] == LIEDER_ROW_AFTER_EVENT && rows.t[i + 1] == rows.t[i]);
            double before = rows.x[i * 2 + 1], after = rows.x[(i + 1) * 2 + 1];
            assert_true(before < 0 && fabs(after + 0.9 * before) < 1e-12);
        }
        printf("%s: %zu impacts, worst time error %.2e, %zu steps\n", lieder_solver_name(o.solver),
               n, worst, s.steps);
        assert_int_equal(n, s.state_events);
        assert_true(n > 10);
        assert_true(worst < 1e-8);
        rows_drop(&rows);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* Zeno at 27.1290193356142 s */
static void zeno_is_recognised(void **unused)
{
    (void)unused;
    static const LiederSolver solvers[] = {LIEDER_ESDIRK23, LIEDER_BDF};
    Lieder *session = session_with_classes();
    LiederSystem *system = system_new(session, "Balls");
    for (int k = 0; k < 2; k++) {
        LiederSimulateOptions o = lieder_simulate_defaults();
        LiederStatistics s;
        Rows rows = {0};
        o.solver = solvers[k];
        o.stop = 30;
        o.tolerance = 1e-8;
        lieder_diagnostic_clear(session);
        assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_GAVE_UP);
        assert_said(session, "ball", "without end");
        printf("%s: Zeno stopped at %.9f after %zu events, %zu steps\n",
               lieder_solver_name(o.solver), s.t, s.state_events, s.steps);
        /* bdf begins at order one after each event: flights lower than 1e-14 m end at once */
        assert_true(fabs(s.t - 27.1290193356142) < (k ? 1e-5 : 1e-7));
        assert_true(rows.n > 400);
        rows_drop(&rows);
        o.chatter = LIEDER_CHATTER_HOLD;
        assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE);
        assert_true(last_row(&rows)[0] == 0 && last_row(&rows)[1] == 0);
        assert_true(rows.t[rows.n - 1] == 30);
        for (size_t i = 0; i < rows.n; i++)
            assert_true(rows.x[2 * i] > -1e-6);
        rows_drop(&rows);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* with fixed steps events are taken at their ends: late by at most a step, never lost */
static void ball_with_fixed_steps(void **unused)
{
    (void)unused;
    Lieder *session = session_with_classes();
    LiederSystem *system = system_new(session, "Balls");
    for (LiederSolver solver = LIEDER_RK1; solver <= LIEDER_EULER_BACKWARD; solver++) {
        LiederSimulateOptions o = lieder_simulate_defaults();
        LiederStatistics s;
        Rows rows = {0};
        o.solver = solver;
        o.step = 1e-3;
        o.stop = 40;
        assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE);
        double lowest = 0;
        for (size_t i = 0; i < rows.n; i++)
            lowest = fmin(lowest, rows.x[2 * i]);
        /* the first impact has 14 m/s, so that a step reaches 0.014 m deep */
        assert_true(lowest > -0.015 && s.state_events > 20);
        assert_true(last_row(&rows)[0] < 0.01);
        rows_drop(&rows);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

static void chattering_is_recognised(void **unused)
{
    (void)unused;
    static const LiederSolver solvers[] = {LIEDER_ESDIRK23, LIEDER_BDF};
    Lieder *session = session_with_classes();
    LiederSystem *system = system_new(session, "Relays");
    for (int k = 0; k < 2; k++) {
        LiederSimulateOptions o = lieder_simulate_defaults();
        LiederStatistics s;
        Rows rows = {0};
        o.solver = solvers[k];
        o.stop = 2;
        assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE); /* it slides */
        assert_said(session, "relay", "both sides");
        assert_true(fabs(last_row(&rows)[0]) < 1e-6);
        rows_drop(&rows);
        o.chatter = LIEDER_CHATTER_STOP;
        lieder_diagnostic_clear(session);
        assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_GAVE_UP);
        assert_said(session, "relay", "chattering");
        assert_true(fabs(s.t - 1) < 1e-6);
        rows_drop(&rows);
        o.chatter = LIEDER_CHATTER_HOLD;
        o.stop = 1.001;
        assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE);
        assert_true(fabs(last_row(&rows)[0]) < 1e-5); /* stays on the surface within the band */
        rows_drop(&rows);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ ElastoGap */

/* a mass falls on a spring: free fall, half an oscillation, free flight; all in closed form */
static void build_drop(Lieder *session, const char *name, double c, double d, double TD)
{
    LiederModel *m = lieder_model_create(session, name, "");
    lieder_model_add(m, "world", "World");
    lieder_model_set(m, "world.TD", TD);
    lieder_model_add(m, "floor", "Translational.Fixed");
    lieder_model_add(m, "joint", "Translational.Joint");
    lieder_model_add(m, "body", "Translational.Body");
    lieder_model_add(m, "contact", "Translational.ElastoGap");
    lieder_model_set(m, "body.g", -10);
    lieder_model_set(m, "joint.s", 1.25);
    lieder_model_set(m, "contact.c", c);
    lieder_model_set(m, "contact.d", d);
    lieder_model_connect(m, "floor.flange_b", "joint.flange_a");
    lieder_model_connect(m, "joint.flange_b", "body.flange_a");
    lieder_model_connect(m, "floor.flange_b", "contact.flange_a");
    lieder_model_connect(m, "contact.flange_b", "body.flange_a");
}

static void contact_events(void **unused)
{
    (void)unused;
    static const LiederSolver solvers[] = {LIEDER_ESDIRK23, LIEDER_BDF};
    Lieder *session = lieder_create(NULL);
    build_drop(session, "Drop", 1e4, 0, 0);
    LiederSystem *system = system_new(session, "Drop");
    /* touch at 0.5 s with 5 m/s; then s = -A sin(w t + a) - g/w^2 ... until s = 0 again */
    double w = 100, rest = 10 / (w * w), A = sqrt(rest * rest + 25 / (w * w));
    double contact = (M_PI + 2 * asin(rest / A)) / w;
    for (int k = 0; k < 2; k++) {
        LiederSimulateOptions o = lieder_simulate_defaults();
        LiederStatistics s;
        Rows rows = {0};
        o.solver = solvers[k];
        o.tolerance = 1e-9;
        o.stop = 1;
        assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE);
        double t[4];
        size_t n = 0;
        for (size_t i = 0; i < rows.n; i++)
            if (rows.kind[i] == LIEDER_ROW_BEFORE_EVENT && n < 4)
                t[n++] = rows.t[i];
        printf("%s: contact at %.12f (%.1e), left after %.1e too much, %zu steps\n",
               lieder_solver_name(o.solver), t[0], t[0] - 0.5, t[1] - t[0] - contact, s.steps);
        assert_int_equal(n, 2);
        assert_true(fabs(t[0] - 0.5) < 1e-9 && fabs(t[1] - t[0] - contact) < 1e-9);
        /* no energy is lost */
        const double *x = last_row(&rows);
        assert_true(fabs(10 * x[0] + 0.5 * x[1] * x[1] - 12.5) < 1e-8);
        rows_drop(&rows);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* nothing falls through a floor, with any solver */
static void floor_holds(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_drop(session, "Drop", 1e6, 500, 1e-3);
    LiederSystem *system = system_new(session, "Drop");
    for (LiederSolver solver = LIEDER_RK1; solver < LIEDER_SOLVER_COUNT; solver++) {
        LiederSimulateOptions o = lieder_simulate_defaults();
        Rows rows = {0};
        o.solver = solver;
        o.stop = 5;
        o.step = !lieder_solver_info(solver)->adaptive ? 5e-4 : 0;
        LiederStatus status = run_rows(system, o, &rows, NULL);
        if (status != LIEDER_DONE)
            lieder_diagnostic_print_all(session, stderr);
        assert_int_equal(status, LIEDER_DONE);
        for (size_t i = 0; i < rows.n; i++)
            assert_true(rows.x[2 * i] > -0.02);
        assert_true(fabs(last_row(&rows)[0]) < 0.01); /* at rest: -1e-5 */
        rows_drop(&rows);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ DryFriction */

/* a mass on a spring, pushed to and fro, with dry friction: it sticks and slides */
static void build_stick_slip(Lieder *session, const char *name)
{
    LiederModel *m = lieder_model_create(session, name, "");
    lieder_model_add(m, "world", "World");
    lieder_model_set(m, "world.TD", 0);
    lieder_model_add(m, "ground", "Translational.Fixed");
    lieder_model_add(m, "joint", "Translational.Joint");
    lieder_model_add(m, "body", "Translational.Body");
    lieder_model_add(m, "spring", "Translational.Spring");
    lieder_model_add(m, "friction", "Translational.DryFriction");
    lieder_model_add(m, "push", "Signals.Sine");
    lieder_model_set(m, "body.g", 0);
    lieder_model_set(m, "spring.c", 10);
    lieder_model_set(m, "push.amplitude", 6);
    lieder_model_set(m, "push.f", 0.5);
    lieder_model_connect(m, "ground.flange_b", "joint.flange_a");
    lieder_model_connect(m, "joint.flange_b", "body.flange_a");
    lieder_model_connect(m, "ground.flange_b", "spring.flange_a");
    lieder_model_connect(m, "spring.flange_b", "body.flange_a");
    lieder_model_connect(m, "ground.flange_b", "friction.flange_a");
    lieder_model_connect(m, "friction.flange_b", "body.flange_a");
    lieder_model_connect(m, "push.y", "joint.f_ext");
}

static void friction_events(void **unused)
{
    (void)unused;
    static const LiederSolver solvers[] = {LIEDER_ESDIRK23, LIEDER_BDF};
    const double corner[] = {1e-3, 1e-2}; /* vAdhesion, vSlide */
    Lieder *session = lieder_create(NULL);
    build_stick_slip(session, "StickSlip");
    LiederSystem *system = system_new(session, "StickSlip");
    LiederSimulateOptions o = lieder_simulate_defaults();
    Rows fine = {0};
    o.stop = 6;
    o.solver = LIEDER_RK4;
    o.step = 1e-5;
    assert_int_equal(run_rows(system, o, &fine, NULL), LIEDER_DONE);
    o.step = 0;
    for (int k = 0; k < 2; k++) {
        LiederStatistics s;
        Rows rows = {0};
        o.solver = solvers[k];
        o.tolerance = k ? 1e-7 : 1e-4;
        assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE);
        /* the velocity is at a corner of the curve, and goes on as it came */
        for (size_t i = 0; i < rows.n; i++)
            if (rows.kind[i] == LIEDER_ROW_BEFORE_EVENT) {
                double v = fabs(rows.x[2 * i + 1]);
                assert_true(fabs(v - corner[0]) < 1e-9 || fabs(v - corner[1]) < 1e-9);
                assert_memory_equal(rows.x + 2 * i, rows.x + 2 * (i + 1), 2 * sizeof(double));
            }
        /* the first half second up to sliding, then four corners at each of six turns */
        assert_int_equal(s.state_events, 26);
        printf("%s: %zu events of friction, %zu steps, %zu rejected, error %.1e of the tolerance\n",
               lieder_solver_name(o.solver), s.state_events, s.steps, s.rejected,
               fabs(last_row(&rows)[0] - last_row(&fine)[0]) / o.tolerance);
        for (size_t i = 0; i < 2; i++)
            assert_true(fabs(last_row(&rows)[i] - last_row(&fine)[i]) <
                        o.tolerance * (1 + fabs(last_row(&fine)[i])));
        rows_drop(&rows);
    }
    rows_drop(&fine);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ time events */

/* a mass pushed by a source: v = integral of the source */
static void build_pushed(Lieder *session, const char *name, const char *source)
{
    LiederModel *m = lieder_model_create(session, name, "");
    lieder_model_add(m, "world", "World");
    lieder_model_set(m, "world.TD", 0);
    lieder_model_add(m, "fixed", "Translational.Fixed");
    lieder_model_add(m, "joint", "Translational.Joint");
    lieder_model_add(m, "body", "Translational.Body");
    lieder_model_set(m, "body.g", 0);
    lieder_model_add(m, "source", source);
    lieder_model_connect(m, "fixed.flange_b", "joint.flange_a");
    lieder_model_connect(m, "joint.flange_b", "body.flange_a");
    lieder_model_connect(m, "source.y", "joint.f_ext");
}

/* A force of 1 from t = 0.5 on belongs to the step after 0.5: at 0.5 nothing has moved, and after
 * k further steps the velocity is exactly what the method makes of a constant force. */
static void step_is_not_seen_early(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_pushed(session, "Pushed", "Signals.Step");
    LiederSystem *system = system_new(session, "Pushed");
    assert_int_equal(lieder_system_set(system, "source.startTime", 0.5), LIEDER_DONE);
    for (LiederSolver solver = LIEDER_RK1; solver <= LIEDER_EULER_BACKWARD; solver++) {
        LiederSimulateOptions o = lieder_simulate_defaults();
        Rows rows = {0};
        o.solver = solver;
        o.step = o.interval = 0.1; /* five times 0.1 is not 0.5 in binary */
        assert_int_equal(run_rows(system, o, &rows, NULL), LIEDER_DONE);
        assert_int_equal(rows.n, 11);
        for (size_t i = 0; i < rows.n; i++) {
            double expected = fmax(0, 0.1 * ((double)i - 5));
            assert_true(fabs(rows.t[i] - 0.1 * (double)i) < 1e-15);
            assert_true(fabs(rows.x[2 * i + 1] - expected) < (i <= 5 ? 1e-300 : 1e-9));
        }
        rows_drop(&rows);
    }
    /* lieder_step alone */
    double x[2] = {0, 0};
    assert_int_equal(lieder_step(system, LIEDER_RK4, 0, 0.1, 5, x), LIEDER_DONE);
    assert_true(x[1] == 0);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* adaptive solvers hit jumps and bends exactly, however short the pulses */
static void jumps_are_hit(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_pushed(session, "Pushed", "Signals.Pulse");
    build_pushed(session, "Ramped", "Signals.Ramp");
    LiederSystem *system = system_new(session, "Pushed"), *ramped = system_new(session, "Ramped");
    lieder_system_set(system, "source.period", 0.1);
    lieder_system_set(system, "source.width", 1); /* pulses of 1 ms */
    lieder_system_set(system, "source.amplitude", 1000);
    lieder_system_set(ramped, "source.startTime", 0.3);
    lieder_system_set(ramped, "source.duration", 0.1);
    for (LiederSolver solver = LIEDER_ESDIRK23; solver < LIEDER_SOLVER_COUNT; solver++) {
        LiederSimulateOptions o = lieder_simulate_defaults();
        LiederStatistics s;
        Rows rows = {0};
        o.solver = solver;
        o.stop = 0.95;
        assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE);
        printf("%s: velocity error %.1e after ten pulses, %zu time events, %zu steps\n",
               lieder_solver_name(solver), last_row(&rows)[1] - 10, s.time_events, s.steps);
        assert_true(fabs(last_row(&rows)[1] - 10) < 1e-6);
        assert_int_equal(s.time_events, 19);
        rows_drop(&rows);
        o.stop = 1;
        assert_int_equal(run_rows(ramped, o, &rows, &s), LIEDER_DONE);
        printf("%s: velocity error %.1e after a ramp\n", lieder_solver_name(solver),
               last_row(&rows)[1] - 0.65);
        assert_true(fabs(last_row(&rows)[1] - 0.65) < 1e-6);
        assert_int_equal(s.time_events, 2);
        rows_drop(&rows);
    }
    lieder_system_destroy(system);
    lieder_system_destroy(ramped);
    lieder_destroy(session);
}

/* an observer that is asked from the output callback sees the left and the right side of a jump */
typedef struct Sides {
    LiederObserver *observer;
    double before, after;
} Sides;

static bool look_at_sides(void *user, double t, const double *x, LiederRow kind)
{
    Sides *sides = user;
    double y;
    assert_int_equal(lieder_observer_evaluate(sides->observer, t, x, &y), LIEDER_DONE);
    if (kind == LIEDER_ROW_BEFORE_EVENT)
        sides->before = y;
    if (kind == LIEDER_ROW_AFTER_EVENT)
        sides->after = y;
    return true;
}

static void both_sides_are_seen(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_pushed(session, "Pushed", "Signals.Step");
    LiederSystem *system = system_new(session, "Pushed");
    lieder_system_set(system, "source.startTime", 0.5);
    Sides sides = {lieder_observer_create(system), -1, -1};
    assert_int_equal(lieder_observer_add(sides.observer, "source.y"), 0);
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.output = look_at_sides;
    o.user = &sides;
    assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_DONE);
    assert_true(sides.before == 0 && sides.after == 1);
    lieder_observer_destroy(sides.observer);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ memory, restart */

static void survives_lack_of_memory(void **unused)
{
    (void)unused;
    Meter meter = {0};
    LiederAllocator alloc = METER_ALLOCATOR(&meter);
    Lieder *session = lieder_create(&alloc);
    build_drop(session, "Drop", 1e4, 0, 0);
    LiederSystem *system = system_new(session, "Drop");
    LiederSimulateOptions o = lieder_simulate_defaults();
    LiederStatus status = LIEDER_NO_MEMORY;
    size_t k = 1;
    for (; status != LIEDER_DONE; k++) {
        assert_true(k < 200);
        meter.fail_at = meter.calls + k;
        status = lieder_simulate(system, &o, NULL);
        assert_true(status == LIEDER_DONE || status == LIEDER_NO_MEMORY);
        meter.fail_at = 0;
        lieder_diagnostic_clear(session);
    }
    assert_true(k > 10);
    lieder_system_destroy(system);
    lieder_destroy(session);
    assert_int_equal(meter.bytes, 0);
    assert_int_equal(meter.wrong, 0);
}

/* a ball at rest stays at rest, a fixed-step run through impacts keeps its bits */
static void restart_between_events(void **unused)
{
    (void)unused;
    char file[] = "/tmp/lieder-events-XXXXXX";
    int handle = mkstemp(file);
    assert_true(handle >= 0);
    Lieder *session = session_with_classes();
    LiederSystem *system = system_new(session, "Balls");
    LiederSimulateOptions o = lieder_simulate_defaults();
    LiederStatistics s;
    Rows whole = {0}, rows = {0};
    o.solver = LIEDER_ESDIRK23;
    o.chatter = LIEDER_CHATTER_HOLD;
    o.stop = 30;
    o.checkpoint = file;
    assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_DONE);
    o.checkpoint = NULL;
    o.resume = file;
    o.stop = 40;
    assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE);
    assert_int_equal(s.state_events, 0);
    assert_true(last_row(&rows)[0] == 0 && last_row(&rows)[1] == 0);
    rows_drop(&rows);
    o = lieder_simulate_defaults();
    o.solver = LIEDER_RK4;
    o.step = 1e-3;
    o.stop = 10;
    assert_int_equal(run_rows(system, o, &whole, NULL), LIEDER_DONE);
    o.stop = 4.321;
    o.checkpoint = file;
    assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_DONE);
    o.checkpoint = NULL;
    o.resume = file;
    o.stop = 10;
    assert_int_equal(run_rows(system, o, &rows, NULL), LIEDER_DONE);
    assert_memory_equal(last_row(&whole), last_row(&rows), 2 * sizeof(double));
    rows_drop(&whole);
    rows_drop(&rows);
    lieder_system_destroy(system);
    lieder_destroy(session);
    close(handle);
    remove(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(impact_times),
                                       cmocka_unit_test(zeno_is_recognised),
                                       cmocka_unit_test(ball_with_fixed_steps),
                                       cmocka_unit_test(chattering_is_recognised),
                                       cmocka_unit_test(contact_events),
                                       cmocka_unit_test(floor_holds),
                                       cmocka_unit_test(friction_events),
                                       cmocka_unit_test(step_is_not_seen_early),
                                       cmocka_unit_test(jumps_are_hit),
                                       cmocka_unit_test(both_sides_are_seen),
                                       cmocka_unit_test(survives_lack_of_memory),
                                       cmocka_unit_test(restart_between_events)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
