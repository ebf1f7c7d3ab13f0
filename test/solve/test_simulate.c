/* test_simulate.c - rows, options, statistics, failures, threads, memory, real time. */
#include "solve/help.h"

#include "help/net_model.h"

#include <time.h>

/* ------------------------------------------------------------------ rows */

/* rows stand at exact multiples of the interval, and at the stop */
static void rows_at_multiples(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_oscillator(session, "O", 1, 1, 0, 0, 1, 0);
    LiederSystem *system = system_new(session, "O");
    for (LiederSolver solver = LIEDER_RK1; solver <= LIEDER_BDF; solver++) {
        LiederSimulateOptions o = lieder_simulate_defaults();
        LiederStatistics s;
        Rows rows = {0};
        o.solver = solver;
        o.start = 3;
        o.stop = 5.25;
        o.interval = 0.1;
        o.step = solver <= LIEDER_EULER_BACKWARD ? 0.01 : 0;
        assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE);
        assert_int_equal(rows.n, 24);
        for (size_t i = 0; i < 23; i++)
            assert_true(rows.t[i] == 3 + (double)i * 0.1);
        assert_true(rows.t[23] == 5.25 && s.t == 5.25);
        /* cos(t - 3) at the end, as well as the solver can */
        double error = fabs(last_row(&rows)[0] - cos(2.25));
        assert_true(error <
                    (solver == LIEDER_RK1 || solver == LIEDER_EULER_BACKWARD ? 0.02 : 1e-3));
        assert_true(s.steps > 0 && s.evaluations >= s.steps && s.seconds > 0);
        assert_true(s.smallest_step > 0 && s.smallest_step <= s.largest_step);
        if (solver <= LIEDER_EULER_BACKWARD)
            assert_int_equal(s.steps, 225);
        rows_drop(&rows);
    }
    assert_int_equal(lieder_diagnostic_count(session), 0);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* many rows inside one adaptive step are as good as the step */
static void rows_between_steps(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_oscillator(session, "O", 1, 1, 0, 0, 1, 0);
    LiederSystem *system = system_new(session, "O");
    for (LiederSolver solver = LIEDER_ESDIRK23; solver <= LIEDER_BDF; solver++) {
        LiederSimulateOptions o = lieder_simulate_defaults();
        LiederStatistics s;
        Rows rows = {0};
        o.solver = solver;
        o.stop = 10;
        o.interval = 1e-3;
        assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE);
        assert_int_equal(rows.n, 10001);
        double worst = 0;
        for (size_t i = 0; i < rows.n; i++)
            worst = fmax(worst, fabs(rows.x[2 * i] - cos(rows.t[i])));
        printf("%s: %zu steps, worst of 10001 rows %.2e, at the end %.2e\n",
               lieder_solver_name(solver), s.steps, worst, fabs(last_row(&rows)[0] - cos(10)));
        assert_true(worst < 2e-3);
        rows_drop(&rows);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

static void step_is_fitted(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_oscillator(session, "O", 1, 1, 0, 0, 1, 0);
    LiederSystem *system = system_new(session, "O");
    LiederSimulateOptions o = lieder_simulate_defaults();
    LiederStatistics s;
    Rows rows = {0};
    o.solver = LIEDER_RK4;
    o.step = 0.03;
    o.interval = 0.1;
    assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE);
    assert_said(session, NULL, "does not divide the interval");
    assert_int_equal(rows.n, 11);
    assert_int_equal(s.steps, 40);
    assert_true(s.largest_step == 0.1 / 4);
    rows_drop(&rows);
    /* nothing chosen at all */
    o = lieder_simulate_defaults();
    assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE);
    assert_int_equal(rows.n, 501);
    rows_drop(&rows);
    /* nothing to do */
    o.stop = o.start;
    for (LiederSolver solver = LIEDER_SOLVER_AUTO; solver <= LIEDER_BDF; solver++) {
        o.solver = solver;
        assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE);
        assert_int_equal(rows.n, 1);
        rows_drop(&rows);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

static void callback_stops(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_oscillator(session, "O", 1, 1, 0, 0, 1, 0);
    LiederSystem *system = system_new(session, "O");
    for (LiederSolver solver = LIEDER_SOLVER_AUTO; solver <= LIEDER_BDF; solver++) {
        LiederSimulateOptions o = lieder_simulate_defaults();
        LiederStatistics s;
        Rows rows = {.limit = 7};
        o.solver = solver;
        o.interval = 0.1;
        assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_STOPPED);
        assert_int_equal(rows.n, 7);
        rows_drop(&rows);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ bad options */

static void bad_options(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_oscillator(session, "O", 1, 1, 0, 0, 1, 0);
    LiederSystem *system = system_new(session, "O");
    const LiederSimulateOptions good = lieder_simulate_defaults();
    LiederSimulateOptions o = good;
    const double bad_x0[] = {1, NAN};
#define REFUSED(change, text)                                                                      \
    do {                                                                                           \
        o = good;                                                                                  \
        change;                                                                                    \
        lieder_diagnostic_clear(session);                                                          \
        assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_BAD_USE);                       \
        assert_said(session, NULL, text);                                                          \
    } while (0)
    REFUSED(o.step = -1, "a step of -1");
    REFUSED(o.step = NAN, "a step of nan");
    REFUSED(o.step = INFINITY, "a step of inf");
    REFUSED(o.tolerance = 0, "the tolerance 0");
    REFUSED(o.tolerance = 1, "the tolerance 1");
    REFUSED(o.tolerance = 1e-15, "the tolerance 1e-15 is out of range");
    REFUSED(o.tolerance = 1e-320, "out of range");
    REFUSED((o.start = -1e308, o.stop = 1e308), "longer than a number");
    REFUSED((o.start = 1e15, o.stop = 1e15 + 1), "as short as the rounding");
    REFUSED((o.start = 1e9, o.stop = 1e9 + 1, o.solver = LIEDER_RK4, o.step = 1e-8), "lost in");
    REFUSED(o.interval = 1e-320, "rows");
    REFUSED(o.interval = 1e-10, "1e+10 rows");
    REFUSED(o.tolerance = NAN, "the tolerance nan");
    REFUSED(o.stop = -1, "before its start");
    REFUSED(o.stop = NAN, "the stop time");
    REFUSED(o.start = -INFINITY, "the start time");
    REFUSED(o.interval = -0.1, "an interval of -0.1");
    REFUSED(o.interval = NAN, "an interval of nan");
    REFUSED(o.solver = (LiederSolver)99, "no solver number 99");
    REFUSED(o.threads = -1, "-1 threads");
    REFUSED(o.event_tolerance = 0, "the event tolerance");
    REFUSED((o.real_time = true, o.solver = LIEDER_BDF), "cannot follow the clock");
    REFUSED(o.x0 = bad_x0, "o.joint.v");
    REFUSED((o.step = 1e-17, o.solver = LIEDER_RK1), "too many");
    double x[2] = {0};
    assert_int_equal(lieder_step(system, LIEDER_BDF, 0, 0.1, 1, x), LIEDER_BAD_USE);
    assert_int_equal(lieder_step(system, LIEDER_RK1, 0, 0, 1, x), LIEDER_BAD_USE);
    LiederSolver solver;
    assert_false(lieder_solver_find("rk5", &solver));
    for (LiederSolver k = LIEDER_SOLVER_AUTO; k <= LIEDER_BDF; k++) {
        assert_true(lieder_solver_find(lieder_solver_name(k), &solver));
        assert_int_equal(solver, k);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* of an adaptive solver --step is the longest one; a tolerance below what it reaches is reported */
static void longest_step_and_finest_tolerance(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_oscillator(session, "O", 1, 1, 0, 0, 1, 0);
    LiederSystem *system = system_new(session, "O");
    for (LiederSolver solver = LIEDER_ESDIRK23; solver <= LIEDER_BDF; solver++) {
        LiederSimulateOptions o = lieder_simulate_defaults();
        LiederStatistics s;
        o.solver = solver;
        o.tolerance = 1e-2;
        assert_int_equal(lieder_simulate(system, &o, &s), LIEDER_DONE);
        assert_true(s.largest_step > 2e-3);
        o.step = 1e-3;
        assert_int_equal(lieder_simulate(system, &o, &s), LIEDER_DONE);
        assert_true(s.largest_step < 1.0001e-3 && s.steps >= 1000);
        assert_int_equal(lieder_diagnostic_count(session), 0);
        o.step = 0;
        o.tolerance = 1e-12;
        o.stop = 0.01;
        assert_int_equal(lieder_simulate(system, &o, &s), LIEDER_DONE);
        assert_said(session, NULL, "finer than");
        lieder_diagnostic_clear(session);
    }
    /* an interval beyond the end of the run */
    LiederSimulateOptions o = lieder_simulate_defaults();
    Rows rows = {0};
    o.solver = LIEDER_RK4;
    o.step = 1e-3;
    o.interval = 1e300;
    assert_int_equal(run_rows(system, o, &rows, NULL), LIEDER_DONE);
    assert_true(rows.n == 2 && fabs(last_row(&rows)[0] - cos(1)) < 1e-12);
    rows_drop(&rows);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* a motion that the tolerance does not resolve is reported, and with the tolerance that the advice
 * names it is right; what rests or is large enough is not */
static void small_states_are_reported(void **unused)
{
    (void)unused;
    static const struct {
        double s, tolerance;
        bool small;
    } cases[] = {{1e-9, 1e-6, true}, {1e-9, 1e-10, false}, {1e-2, 1e-6, false}, {0, 1e-6, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (LiederSolver solver = LIEDER_ESDIRK23; solver <= LIEDER_BDF; solver++) {
            Lieder *session = lieder_create(NULL);
            build_oscillator(session, "O", 1, 1e4, 0, 0, cases[k].s, 0);
            LiederSystem *system = system_new(session, "O");
            LiederSimulateOptions o = lieder_simulate_defaults();
            Rows rows = {0};
            o.solver = solver;
            o.tolerance = solver == LIEDER_BDF ? cases[k].tolerance : 100 * cases[k].tolerance;
            o.stop = 0.1;
            assert_int_equal(run_rows(system, o, &rows, NULL), LIEDER_DONE);
            bool small = cases[k].small || (solver == LIEDER_ESDIRK23 && cases[k].s == 1e-9);
            assert_true(said(session, NULL, "no state of this subsystem exceeds") == small);
            double error = fabs(last_row(&rows)[0] - cases[k].s * cos(10));
            if (solver == LIEDER_BDF && !small)
                assert_true(error <= 0.01 * cases[k].s);
            rows_drop(&rows);
            lieder_system_destroy(system);
            lieder_destroy(session);
        }
}

/* two masses at 0.1 m pressed together by 5 N, with a spring between absolute positions */
static void lost_digits_are_reported(void **unused)
{
    (void)unused;
    static const double c[] = {1e18, 1e6};
    for (int k = 0; k < 2; k++) {
        Lieder *session = lieder_create(NULL);
        LiederModel *m = lieder_model_create(session, "Two", "");
        lieder_model_add(m, "world", "World");
        lieder_model_set(m, "world.TD", 1e-3);
        lieder_model_add(m, "ground", "Translational.Fixed");
        lieder_model_add(m, "left", "Translational.Joint");
        lieder_model_add(m, "right", "Translational.Joint");
        lieder_model_add(m, "one", "Translational.Body");
        lieder_model_add(m, "two", "Translational.Body");
        lieder_model_add(m, "spring", "Translational.Spring");
        lieder_model_set(m, "left.s", 0.1);
        lieder_model_set(m, "right.s", 0.1 + 10 / c[k]);
        lieder_model_set(m, "spring.c", c[k]);
        lieder_model_set(m, "one.g", 10);
        lieder_model_set(m, "two.g", 0);
        lieder_model_connect(m, "ground.flange_b", "left.flange_a");
        lieder_model_connect(m, "ground.flange_b", "right.flange_a");
        lieder_model_connect(m, "left.flange_b", "one.flange_a");
        lieder_model_connect(m, "right.flange_b", "two.flange_a");
        lieder_model_connect(m, "left.flange_b", "spring.flange_a");
        lieder_model_connect(m, "right.flange_b", "spring.flange_b");
        LiederSystem *system = system_new(session, "Two");
        LiederSimulateOptions o = lieder_simulate_defaults();
        o.solver = LIEDER_RK4;
        o.step = 1e-4;
        o.stop = 0.1;
        assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_DONE);
        assert_true(said(session, NULL, "has lost its digits") == (k == 0));
        assert_int_equal(lieder_diagnostic_count(session), k == 0);
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
}

static void large_angles_are_reported(void **unused)
{
    (void)unused;
    static const double angles[] = {1, 1e4, 1e6};
    for (int k = 0; k < 3; k++) {
        Lieder *session = lieder_create(NULL);
        LiederModel *m = lieder_model_create(session, "Turn", "");
        lieder_model_add(m, "fixed", "Rotational.Fixed");
        lieder_model_add(m, "joint", "Rotational.Joint");
        lieder_model_add(m, "inertia", "Rotational.Inertia");
        lieder_model_set(m, "joint.phi", angles[k]);
        lieder_model_set(m, "joint.w", 1);
        lieder_model_connect(m, "fixed.flange_b", "joint.flange_a");
        lieder_model_connect(m, "joint.flange_b", "inertia.flange_a");
        LiederSystem *system = system_new(session, "Turn");
        LiederSimulateOptions o = lieder_simulate_defaults();
        assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_DONE);
        assert_true(said(session, NULL, "where in its turn") == (angles[k] > 1e5));
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
}

/* ------------------------------------------------------------------ not finite */

/* An unstable step: rk1 on a stiff damper would overflow after some 300 steps. The run ends at the
 * last good time, keeps its rows, and names the component. */
static void overflow_stops_the_run(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_oscillator(session, "O", 1, 0, 100, 0, 0, 1);
    LiederSystem *system = system_new(session, "O");
    for (int threads = 1; threads <= 2; threads++)
        for (LiederSolver solver = LIEDER_RK1; solver <= LIEDER_RK4; solver++) {
            LiederSimulateOptions o = lieder_simulate_defaults();
            LiederStatistics s;
            Rows rows = {0};
            o.solver = solver;
            o.stop = 1000;
            o.step = o.interval = 0.1;
            o.threads = threads;
            lieder_diagnostic_clear(session);
            assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_GAVE_UP);
            assert_int_equal(lieder_diagnostic_count(session), 1);
            assert_said(session, "joint", "too long for");
            assert_true(s.t < 1); /* long before the numbers overflow */
            assert_int_equal(rows.n, s.steps + 1);
            assert_true(fabs(rows.t[rows.n - 1] - s.t) < 1e-9);
            for (size_t i = 0; i < 2 * rows.n; i++)
                assert_true(isfinite(rows.x[i]));
            rows_drop(&rows);
            /* the same with rows far apart: the same last good time */
            double t = s.t;
            o.interval = 100;
            assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_GAVE_UP);
            assert_int_equal(rows.n, 1);
            assert_true(fabs(s.t - t) < 1e-9);
            rows_drop(&rows);
        }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* a joint that has lost its inertia is named, and the system works again once it has it back */
static void singular_is_survived(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_crabs(session, "Crabs", 20, 1e-3);
    LiederSystem *system = system_new(session, "Crabs");
    for (int threads = 1; threads <= 2; threads++)
        for (LiederSolver solver = LIEDER_RK1; solver <= LIEDER_BDF; solver++) {
            LiederSimulateOptions o = lieder_simulate_defaults();
            o.solver = solver;
            o.step = solver <= LIEDER_EULER_BACKWARD ? 1e-3 : 0;
            o.stop = 0.01;
            o.threads = threads;
            lieder_diagnostic_clear(session);
            assert_int_equal(lieder_system_set(system, "crab[7].load.m", 0), LIEDER_DONE);
            assert_int_equal(lieder_system_set(system, "crab[7].load.I", 0), LIEDER_DONE);
            assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_SINGULAR);
            assert_said(session, "crab[7].revolute", "singular");
            assert_int_equal(lieder_system_set(system, "crab[7].load.m", 1), LIEDER_DONE);
            assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_DONE);
        }
    double x[80];
    lieder_system_start(system, x);
    lieder_system_set(system, "crab[7].load.m", 0);
    assert_int_equal(lieder_step(system, LIEDER_RK4, 0, 1e-3, 1, x), LIEDER_SINGULAR);
    lieder_system_set(system, "crab[7].load.m", 1);
    lieder_system_start(system, x);
    assert_int_equal(lieder_step(system, LIEDER_RK4, 0, 1e-3, 1, x), LIEDER_DONE);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* a system without states has rows, too */
static void nothing_moves(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    LiederModel *m = lieder_model_create(session, "Still", "");
    lieder_model_add(m, "sine", "Signals.Sine");
    LiederSystem *system = system_new(session, "Still");
    for (LiederSolver solver = LIEDER_SOLVER_AUTO; solver <= LIEDER_BDF; solver++) {
        LiederSimulateOptions o = lieder_simulate_defaults();
        Rows rows = {0};
        o.solver = solver;
        assert_int_equal(run_rows(system, o, &rows, NULL), LIEDER_DONE);
        assert_int_equal(rows.n, 501);
        rows_drop(&rows);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ lanes and threads */

/* one, two and three threads write the same rows */
static void check_threads(LiederSystem *system, LiederSolver solver)
{
    double *first = NULL;
    for (int threads = 1; threads <= 3; threads++) {
        LiederSimulateOptions o = lieder_simulate_defaults();
        Rows rows = {0};
        o.solver = solver;
        o.stop = 0.01;
        o.step = solver <= LIEDER_EULER_BACKWARD ? 1e-3 : 0;
        o.tolerance = 1e-4;
        o.interval = 0.005;
        o.threads = threads;
        assert_int_equal(run_rows(system, o, &rows, NULL), LIEDER_DONE);
        if (!first)
            first = rows.x;
        else
            assert_memory_equal(first, rows.x, rows.n * rows.nstate * sizeof(double));
        if (first == rows.x)
            rows.x = NULL;
        rows_drop(&rows);
    }
    free(first);
}

static void same_bits_for_any_threads(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_crabs(session, "Crabs", 1003, 1e-3);
    LiederSystemOptions narrow = lieder_system_defaults();
    narrow.strip = 8; /* enough strips for single evaluations to be shared, too */
    LiederSystem *system = lieder_system_create(session, "Crabs", &narrow);
    assert_non_null(system);
    for (LiederSolver solver = LIEDER_RK1; solver <= LIEDER_BDF; solver++)
        check_threads(system, solver);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* n rectifiers of different currents: networks whose diodes open and close */
static void build_rectifiers(Lieder *session, const char *name, size_t n)
{
    char class_of_one[40];
    snprintf(class_of_one, sizeof class_of_one, "%sOne", name);
    LiederModel *one = lieder_model_create(session, class_of_one, "");
    static const char *const parts[][2] = {{"V", "SineVoltage"}, {"D", "IdealDiode"},
                                           {"R", "Resistor"},    {"C", "Capacitor"},
                                           {"L", "Inductor"},    {"G", "Ground"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char class_name[40];
        snprintf(class_name, sizeof class_name, "Electrical.%s", parts[i][1]);
        lieder_model_add(one, parts[i][0], class_name);
    }
    lieder_model_set(one, "V.f", 500);
    lieder_model_set(one, "C.C", 1e-3);
    lieder_model_connect(one, "V.p", "D.p");
    lieder_model_connect(one, "D.n", "R.p");
    lieder_model_connect(one, "R.n", "C.p");
    lieder_model_connect(one, "R.n", "L.p");
    lieder_model_connect(one, "V.n", "G.p");
    lieder_model_connect(one, "C.n", "G.p");
    lieder_model_connect(one, "L.n", "G.p");
    LiederModel *all = lieder_model_create(session, name, "");
    double *each = malloc(n * sizeof *each);
    for (size_t i = 0; i < n; i++)
        each[i] = 1 + (double)i;
    lieder_model_add_array(all, "r", class_of_one, n);
    lieder_model_set_each(all, "r.R.R", each, n);
    free(each);
}

/* Shapes that are no trees: sparse systems, probing, networks, nets, and several of them in one
 * model. Each thread has numbers of its own for them. */
static void same_bits_by_every_method(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_crabs(session, "Crabs", 40, 1e-3);
    build_rectifiers(session, "Rectifiers", 40);
    build_rectifiers(session, "Few", 5);
    net_model(session, "N",
              (NetOptions){.n = 3,
                           .cell = CELL_SLIDES,
                           .mass = 1,
                           .stiffness = 1e4,
                           .damping = 3,
                           .TD = 1e-2,
                           .held = true});
    net_model(session, "Lopsided",
              (NetOptions){.n = 3,
                           .cell = CELL_SLIDES,
                           .mass = 1,
                           .stiffness = 1e4,
                           .damping = 3,
                           .TD = 1e-2,
                           .other_TD = 3e-2,
                           .held = true});
    LiederModel *all = lieder_model_create(session, "All", "");
    lieder_model_add(all, "crabs", "Crabs");
    lieder_model_add(all, "rectifiers", "Rectifiers");
    lieder_model_add_array(all, "net", "N", 3);
    lieder_model_add_array(all, "lopsided", "Lopsided", 2);
    lieder_model_set(all, "net[2].body_2_2.m", 5);
    static const LiederMethod methods[] = {LIEDER_METHOD_SPARSE, LIEDER_METHOD_PROBE,
                                           LIEDER_METHOD_NET};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        LiederSystemOptions o = lieder_system_defaults();
        o.method = methods[m];
        LiederSystem *system = lieder_system_create(session, "All", &o);
        if (!system)
            lieder_diagnostic_print_all(session, stderr);
        assert_non_null(system);
        check_threads(system, LIEDER_RK4);
        lieder_system_destroy(system);
    }
    LiederSystem *few = system_new(session, "Few"); /* with clocks of their own */
    check_threads(few, LIEDER_RK45);
    lieder_system_destroy(few);
    lieder_destroy(session);
}

/* one crab alone does what it does among others */
static void one_lane_is_n_lanes(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_crabs(session, "Crabs", 77, 1e-3);
    build_crabs(session, "One", 1, 1e-3);
    LiederSystem *many = system_new(session, "Crabs"), *one = system_new(session, "One");
    double *x = calloc(4 * 77, sizeof *x), y[4];
    lieder_system_start(many, x);
    lieder_system_start(one, y);
    for (LiederSolver solver = LIEDER_RK1; solver <= LIEDER_RK4; solver++) {
        assert_int_equal(lieder_step(many, solver, 0, 1e-3, 100, x), LIEDER_DONE);
        assert_int_equal(lieder_step(one, solver, 0, 1e-3, 100, y), LIEDER_DONE);
        for (size_t s = 0; s < 4; s++)
            assert_true(x[s * 77] == y[s]);
    }
    free(x);
    lieder_system_destroy(many);
    lieder_system_destroy(one);
    lieder_destroy(session);
}

/* the sparse and the probing method step as well, to rounding */
static void other_methods_step(void **unused)
{
    (void)unused;
    static const LiederMethod methods[] = {LIEDER_METHOD_TREE, LIEDER_METHOD_SPARSE,
                                           LIEDER_METHOD_PROBE};
    Lieder *session = lieder_create(NULL);
    build_crabs(session, "Crabs", 5, 1e-2);
    double first[20];
    for (int k = 0; k < 3; k++) {
        LiederSystemOptions options = lieder_system_defaults();
        options.method = methods[k];
        LiederSystem *system = lieder_system_create(session, "Crabs", &options);
        assert_non_null(system);
        LiederSimulateOptions o = lieder_simulate_defaults();
        Rows rows = {0};
        o.solver = LIEDER_RK4;
        o.step = 1e-2;
        o.threads = 2;
        assert_int_equal(run_rows(system, o, &rows, NULL), LIEDER_DONE);
        for (size_t i = 0; i < 20; i++) {
            if (k == 0)
                first[i] = last_row(&rows)[i];
            assert_true(fabs(last_row(&rows)[i] - first[i]) < 1e-10);
        }
        rows_drop(&rows);
        lieder_system_destroy(system);
    }
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ memory */

typedef struct Count {
    Meter *meter;
    size_t at_first_row, at_last_row;
} Count;

static bool count_calls(void *user, double t, const double *x, LiederRow kind)
{
    (void)x;
    (void)kind;
    Count *c = user;
    if (t == 0)
        c->at_first_row = c->meter->calls;
    c->at_last_row = c->meter->calls;
    return true;
}

static void steps_allocate_nothing(void **unused)
{
    (void)unused;
    Meter meter = {0};
    LiederAllocator alloc = METER_ALLOCATOR(&meter);
    Lieder *session = lieder_create(&alloc);
    build_crabs(session, "Crabs", 50, 1e-3);
    LiederSystem *system = system_new(session, "Crabs");
    double *x = calloc(lieder_system_state_count(system), sizeof *x);
    lieder_system_start(system, x);
    size_t before = meter.calls;
    for (LiederSolver solver = LIEDER_RK1; solver <= LIEDER_RK4; solver++)
        assert_int_equal(lieder_step(system, solver, 0, 1e-3, 10, x), LIEDER_DONE);
    assert_int_equal(meter.calls, before);
    for (LiederSolver solver = LIEDER_RK1; solver <= LIEDER_BDF; solver++) {
        Count count = {.meter = &meter};
        LiederSimulateOptions o = lieder_simulate_defaults();
        o.solver = solver;
        o.stop = 0.1;
        o.step = solver <= LIEDER_EULER_BACKWARD ? 1e-3 : 0;
        o.threads = 2;
        o.output = count_calls;
        o.user = &count;
        assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_DONE);
        assert_true(count.at_first_row > before);
        assert_int_equal(count.at_first_row, count.at_last_row);
    }
    free(x);
    lieder_system_destroy(system);
    lieder_destroy(session);
    assert_int_equal(meter.bytes, 0);
}

/* whatever allocation of a run fails: a clean status, nothing left behind, and the next run works
 */
static void survives_lack_of_memory(void **unused)
{
    (void)unused;
    for (LiederSolver solver = LIEDER_RK4; solver <= LIEDER_BDF; solver++) {
        Meter meter = {0};
        LiederAllocator alloc = METER_ALLOCATOR(&meter);
        Lieder *session = lieder_create(&alloc);
        build_crabs(session, "Crabs", 50, 1e-3);
        LiederSystem *system = system_new(session, "Crabs");
        LiederSimulateOptions o = lieder_simulate_defaults();
        o.solver = solver;
        o.stop = 0.01;
        o.step = solver <= LIEDER_EULER_BACKWARD ? 1e-3 : 0;
        o.threads = 2;
        long long live = meter.bytes;
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
        assert_true(k > 5 &&
                    meter.bytes - live < 4096); /* the list of diagnostics keeps its room */
        lieder_system_destroy(system);
        lieder_destroy(session);
        assert_int_equal(meter.bytes, 0);
        assert_int_equal(meter.wrong, 0);
    }
}

/* ------------------------------------------------------------------ real time, progress */

static void real_time_follows_the_clock(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_crabs(session, "Crab", 1, 1e-3);
    LiederSystem *system = system_new(session, "Crab");
    LiederSimulateOptions o = lieder_simulate_defaults();
    LiederStatistics s;
    Rows rows = {0}, fast = {0};
    o.stop = 0.3;
    o.step = 1e-2;
    o.real_time = true;
    assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE);
    printf("real time: %.3f s for 0.3 s, worst step %.1f us, %zu overruns\n", s.seconds,
           1e6 * s.worst_step_seconds, s.overruns);
    /* the last step begins one step before the end */
    assert_true(s.seconds > 0.28 && s.worst_step_seconds > 0 && s.overruns <= s.steps);
    o.real_time = false;
    assert_int_equal(run_rows(system, o, &fast, &s), LIEDER_DONE);
    assert_int_equal(rows.n, fast.n);
    assert_memory_equal(rows.x, fast.x, rows.n * rows.nstate * sizeof(double));
    rows_drop(&rows);
    rows_drop(&fast);
    /* steps that cannot be kept are counted */
    o.real_time = true;
    o.stop = 1e-6;
    o.step = 1e-9;
    assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE);
    assert_true(s.overruns > 900);
    assert_said(session, NULL, "later than the clock allows");
    rows_drop(&rows);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

static bool see_progress(void *user, double t, const LiederStatistics *s)
{
    size_t *n = user;
    (*n)++;
    assert_true(t >= 0 && s->t == t && s->steps > 0);
    return true;
}

/* no row will ever be due, and yet the run can be stopped */
static bool have_enough(void *user, double t, const LiederStatistics *s)
{
    (void)s;
    *(double *)user = t;
    return false;
}

static void progress_is_reported(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_oscillator(session, "O", 1, 1, 0, 0, 1, 0);
    LiederSystem *system = system_new(session, "O");
    for (LiederSolver solver = LIEDER_RK4; solver <= LIEDER_BDF; solver++) {
        LiederSimulateOptions o = lieder_simulate_defaults();
        size_t n = 0;
        o.solver = solver;
        o.step = solver <= LIEDER_EULER_BACKWARD ? 1e-3 : 0;
        o.progress = see_progress;
        o.user = &n;
        assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_DONE);
        assert_true(n >= 1);
        double reached = -1;
        LiederStatistics s;
        o.stop = 1e9;
        o.interval = 1e8;
        o.progress = have_enough;
        o.user = &reached;
        assert_int_equal(lieder_simulate(system, &o, &s), LIEDER_STOPPED);
        assert_true(s.t == reached && reached > 0 && reached < 1e9);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

static bool never(void *user, double t, const LiederStatistics *s)
{
    (void)t, (void)s;
    ++*(int *)user;
    return false;
}

/* a fleet whose steps between two rows take seconds: the program is asked inside them, and the
 * state is that of the last row */
static void long_steps_are_given_up(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_crabs(session, "Crabs", 50000, 1e-3);
    LiederSystem *system = system_new(session, "Crabs");
    for (int threads = 1; threads <= 2; threads++) {
        LiederSimulateOptions o = lieder_simulate_defaults();
        LiederStatistics s;
        int asked = 0;
        o.solver = LIEDER_RK4;
        o.step = 1e-3;
        o.stop = o.interval = 10;
        o.threads = threads;
        o.compile = LIEDER_COMPILE_NEVER;
        o.progress = never;
        o.user = &asked;
        assert_int_equal(lieder_simulate(system, &o, &s), LIEDER_STOPPED);
        assert_true(asked == 1 && s.t == 0 && s.steps == 0);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* whether a run of n crabs was given up before there was a step */
static bool given_up_at_once(size_t n, LiederSolver solver)
{
    Lieder *session = lieder_create(NULL);
    build_crabs(session, "Crabs", n, 1e-3);
    LiederSystem *system = system_new(session, "Crabs");
    LiederSimulateOptions o = lieder_simulate_defaults();
    LiederStatistics s;
    int asked = 0;
    o.solver = solver;
    o.clocks = LIEDER_CLOCKS_SHARED;
    o.progress = never;
    o.user = &asked;
    assert_int_equal(lieder_simulate(system, &o, &s), LIEDER_STOPPED);
    assert_true(asked >= 1);
    assert_int_equal(lieder_diagnostic_count(session), 0);
    lieder_system_destroy(system);
    lieder_destroy(session);
    return s.t == 0 && s.steps == 0;
}

/* A Jacobian and its factors that take long: asked before there is a step. How many crabs take
 * that long depends on the machine. */
static void long_jacobians_are_given_up(void **unused)
{
    (void)unused;
    static const LiederSolver solvers[] = {LIEDER_BDF, LIEDER_RODAS4};
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        bool done = false;
        for (size_t n = 50000; n <= 1600000 && !done; n *= 2)
            done = given_up_at_once(n, solvers[i]);
        assert_true(done);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_at_multiples),
                                       cmocka_unit_test(long_jacobians_are_given_up),
                                       cmocka_unit_test(long_steps_are_given_up),
                                       cmocka_unit_test(rows_between_steps),
                                       cmocka_unit_test(step_is_fitted),
                                       cmocka_unit_test(callback_stops),
                                       cmocka_unit_test(bad_options),
                                       cmocka_unit_test(longest_step_and_finest_tolerance),
                                       cmocka_unit_test(small_states_are_reported),
                                       cmocka_unit_test(large_angles_are_reported),
                                       cmocka_unit_test(lost_digits_are_reported),
                                       cmocka_unit_test(overflow_stops_the_run),
                                       cmocka_unit_test(singular_is_survived),
                                       cmocka_unit_test(nothing_moves),
                                       cmocka_unit_test(same_bits_for_any_threads),
                                       cmocka_unit_test(same_bits_by_every_method),
                                       cmocka_unit_test(one_lane_is_n_lanes),
                                       cmocka_unit_test(other_methods_step),
                                       cmocka_unit_test(steps_allocate_nothing),
                                       cmocka_unit_test(survives_lack_of_memory),
                                       cmocka_unit_test(real_time_follows_the_clock),
                                       cmocka_unit_test(progress_is_reported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
