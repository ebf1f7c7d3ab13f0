/* test_ranges.c - attributes of states: nominal sets the weight of errors, min and max are watched;
 * derivatives that the tolerance leaves open are reported. */
#include "help/full.h"
#include "solve/help.h"

#include <lieder/load.h>
#include <lieder/variables.h>

/* the oscillator of help.h as a model that may be given attributes */
static LiederModel *build_spring(Lieder *session, double s)
{
    LiederModel *m = lieder_model_create(session, "O", "");
    lieder_model_add(m, "world", "World");
    lieder_model_set(m, "world.TD", 0);
    lieder_model_add(m, "o", "Examples.SpringMass");
    lieder_model_set(m, "o.body.m", 1);
    lieder_model_set(m, "o.body.g", 0);
    lieder_model_set(m, "o.spring.c", 1e4);
    lieder_model_set(m, "o.spring.d", 0);
    lieder_model_set(m, "o.joint.s", s);
    return m;
}

/* an oscillation of `size` for about two periods; the largest error of a row over size */
static double oscillate(Lieder *session, LiederSolver solver, double size)
{
    LiederSystem *system = system_new(session, "O");
    LiederSimulateOptions o = lieder_simulate_defaults();
    Rows rows = {0};
    double worst = 0;
    o.solver = solver;
    o.tolerance = solver == LIEDER_BDF ? 1e-6 : 1e-4;
    o.stop = 0.1;
    assert_int_equal(run_rows(system, o, &rows, NULL), LIEDER_DONE);
    for (size_t i = 0; i < rows.n; i++)
        worst = fmax(worst, fabs(rows.x[i * rows.nstate] - size * cos(100 * rows.t[i])) / size);
    rows_drop(&rows);
    lieder_system_destroy(system);
    return worst;
}

/* with the nominal values it is right to the tolerance at any size, and nobody warns */
static void nominal_values_set_the_weight(void **unused)
{
    (void)unused;
    static const double sizes[] = {1e-15, 1e-9, 1, 1e6};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (LiederSolver solver = LIEDER_ESDIRK23; solver <= LIEDER_BDF; solver++) {
            Lieder *session = lieder_create(NULL);
            LiederModel *m = build_spring(session, sizes[k]);
            lieder_model_set(m, "o.joint.s.nominal", sizes[k]);
            /* the sign does not matter, and is reported */
            bool negative = solver == LIEDER_BDF;
            lieder_model_set(m, "o.joint.v.nominal", negative ? -100 * sizes[k] : 100 * sizes[k]);
            double error = oscillate(session, solver, sizes[k]);
            /* the same at every size: it is the tolerance of the run, twice for 1 + |x| / nominal
             */
            assert_true(error <= (solver == LIEDER_BDF ? 2e-6 : 2e-4));
            assert_int_equal(lieder_diagnostic_count(session), negative);
            if (negative)
                assert_said(session, "o.joint.v", "is below zero");
            lieder_destroy(session);
        }
}

/* one element of an array has its own; all others have the default */
static void attributes_of_elements(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    LiederModel *m = lieder_model_create(session, "M", "");
    lieder_model_add_array(m, "o", "Examples.SpringMass", 3);
    lieder_model_set(m, "o[2].joint.s.nominal", 1e-3);
    lieder_model_set_each(m, "o.joint.v.max", (double[]){1, 2, 3}, 3);
    lieder_model_set(m, "o.joint.v.min", -4);
    LiederSystem *system = system_new(session, "M");
    for (int i = 1; i <= 3; i++) {
        char path[64];
        LiederHandle h;
        snprintf(path, sizeof path, "o[%d].joint.s", i);
        assert_int_equal(lieder_handle_find(system, path, &h), LIEDER_DONE);
        LiederVariableInfo info = lieder_handle_info(system, &h);
        assert_true(info.nominal == (i == 2 ? 1e-3 : 1) && isinf(info.max));
        snprintf(path, sizeof path, "o[%d].joint.v", i);
        assert_int_equal(lieder_handle_find(system, path, &h), LIEDER_DONE);
        info = lieder_handle_info(system, &h);
        assert_true(info.nominal == 1 && info.max == i && info.min == -4);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

static void wrong_attributes_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *path, *text;
        double value;
    } cases[] = {{"o.joint.s.nominal", "no size", 0},
                 {"o.joint.s.min", "no number lies between", 4},
                 {"o.joint.s.max", "not a finite number", NAN},
                 {"o.joint.s.nominl", "", 1},
                 {"o.body.m.nominal", "", 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Lieder *session = lieder_create(NULL);
        LiederModel *m = lieder_model_create(session, "M", "");
        lieder_model_add(m, "o", "Examples.SpringMass");
        lieder_model_set(m, "o.joint.s.max", 3);
        lieder_model_set(m, cases[k].path, cases[k].value);
        assert_null(lieder_system_create(session, "M", NULL));
        assert_said(session, NULL, cases[k].text);
        lieder_destroy(session);
    }
}

/* s = cos 100 t leaves -0.5 after a third of a period; at -1 it stays within */
static void limits_are_watched(void **unused)
{
    (void)unused;
    for (LiederSolver solver = LIEDER_RK4; solver <= LIEDER_BDF; solver++)
        for (int inside = 0; inside < 2; inside++) {
            Lieder *session = lieder_create(NULL);
            LiederModel *m = build_spring(session, 1);
            lieder_model_set(m, "o.joint.s.min", inside ? -1 : -0.5);
            lieder_model_set(m, "o.joint.s.max", inside ? 1 : 2);
            LiederSystem *system = system_new(session, "O");
            LiederSimulateOptions options = lieder_simulate_defaults();
            options.solver = solver;
            options.stop = 0.2;
            options.tolerance = 1e-4;
            options.step = lieder_solver_info(solver)->adaptive ? 0 : 1e-4;
            assert_int_equal(lieder_simulate(system, &options, NULL), LIEDER_DONE);
            if (said(session, NULL, "below -0.5") == inside)
                lieder_diagnostic_print_all(session, stderr);
            assert_true(said(session, NULL, "below -0.5") == !inside);
            assert_true(said(session, NULL, "above") == false);
            if (!inside)
                assert_said(session, "o.joint.s", "below -0.5");
            lieder_system_destroy(system);
            lieder_destroy(session);
        }
}

/* What a diode blocks is current over conductance: with 1e-12 S the tolerance leaves volts in it,
 * with 1e-3 S nothing. Told how small the current is, it is right. */
static void open_derivatives_are_reported(void **unused)
{
    (void)unused;
    static const struct {
        double Goff, nominal;
        bool open;
    } cases[] = {{1e-3, 1, false}, {1e-9, 1, true}, {1e-9, 1e-5, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Lieder *session = lieder_create(NULL);
        LiederModel *m = lieder_model_create(session, "Bare", "");
        static const char *const parts[][2] = {{"V", "Electrical.SineVoltage"},
                                               {"L", "Electrical.Inductor"},
                                               {"D", "Electrical.IdealDiode"},
                                               {"R", "Electrical.Resistor"},
                                               {"G", "Electrical.Ground"}};
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
            lieder_model_add(m, parts[i][0], parts[i][1]);
        lieder_model_set(m, "V.V", 10);
        lieder_model_set(m, "V.f", 50);
        lieder_model_set(m, "L.L", 1e-3);
        lieder_model_set(m, "R.R", 1);
        lieder_model_set(m, "D.Ron", 1e-3);
        lieder_model_set(m, "D.Vforward", 0.7);
        lieder_model_set(m, "D.Goff", cases[k].Goff);
        lieder_model_set(m, "L.i.nominal", cases[k].nominal);
        lieder_model_connect(m, "V.p", "L.p");
        lieder_model_connect(m, "L.n", "D.p");
        lieder_model_connect(m, "D.n", "R.p");
        lieder_model_connect(m, "R.n", "G.p");
        lieder_model_connect(m, "V.n", "G.p");
        LiederSystem *system = system_new(session, "Bare");
        LiederSimulateOptions o = lieder_simulate_defaults();
        o.solver = LIEDER_BDF;
        o.stop = 0.1;
        assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_DONE);
        if (said(session, NULL, "in the derivative") != cases[k].open)
            lieder_diagnostic_print_all(session, stderr);
        assert_true(said(session, NULL, "in the derivative") == cases[k].open);
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
}

static LiederSystem *load_text(Lieder *session, const char *name, const char *text)
{
    assert_int_equal(lieder_load_text(session, "Test.mo", text), LIEDER_DONE);
    LiederSystem *system = lieder_system_load(session, name, NULL, 0, NULL, NULL);
    assert_non_null(system);
    return system;
}

/* x' = -k (x - sin t) with a time constant far below the steps: the rows between them follow the
 * sine, to the tolerance */
static void rows_follow_slow_solutions(void **unused)
{
    (void)unused;
    static const double rates[] = {1e4, 1e6, 1e8, 1e10};
    for (size_t k = 0; k < sizeof rates / sizeof *rates; k++)
        for (int clocks = 0; clocks < 2; clocks++) {
            Lieder *session = lieder_create(NULL);
            char text[200];
            snprintf(text, sizeof text,
                     "model Slow Real x(start = 0); equation der(x) = -%g*(x - sin(time)); end "
                     "Slow;",
                     rates[k]);
            LiederSystem *system = load_text(session, "Slow", text);
            LiederSimulateOptions o = lieder_simulate_defaults();
            Rows rows = {0};
            o.solver = LIEDER_RODAS4;
            o.clocks = clocks ? LIEDER_CLOCKS_OWN : LIEDER_CLOCKS_SHARED;
            o.tolerance = 1e-5;
            o.stop = 20;
            o.interval = 0.05;
            assert_int_equal(run_rows(system, o, &rows, NULL), LIEDER_DONE);
            for (size_t i = 0; i < rows.n; i++)
                assert_true(fabs(rows.x[i * rows.nstate] - sin(rows.t[i]) +
                                 cos(rows.t[i]) / rates[k]) < (i ? 1e-5 : 1e-3));
            rows_drop(&rows);
            lieder_system_destroy(system);
            lieder_destroy(session);
        }
}

static const char blocking[] =
    "model Blocks Electrical.SineVoltage s(V = 10, f = 50); Electrical.Ground g;"
    "Electrical.Resistor R(R = 10); Electrical.Inductor L(L = 1e-2);"
    "Electrical.IdealDiode D(Vforward = 0.7, Ron = 1e-2, Goff = %s);"
    "equation connect(s.n, g.p); connect(s.p, L.p); connect(L.n, D.p);"
    "connect(D.n, R.p); connect(R.n, g.p); end Blocks;";

/* A blocking current of 1e-5 A and less, below what the tolerance seems to leave: right to a
 * thousandth by rodas4, whose steps do not pass over the time in which the diode conducts. */
static void blocking_currents_are_right(void **unused)
{
    (void)unused;
    static const char *const Goff[] = {"1e-5", "1e-6", "1e-8"};
    for (size_t k = 0; k < 3; k++) {
        Lieder *session = lieder_create(NULL);
        char text[500];
        snprintf(text, sizeof text, blocking, Goff[k]);
        LiederSystem *system = load_text(session, "Blocks", text);
        LiederSimulateOptions o = lieder_simulate_defaults();
        Rows rows = {0};
        double G = strtod(Goff[k], NULL), most = 0;
        o.solver = LIEDER_RODAS4;
        o.tolerance = 1e-6;
        o.stop = 0.06;
        o.interval = 1e-4;
        assert_int_equal(run_rows(system, o, &rows, NULL), LIEDER_DONE);
        for (size_t i = 0; i < rows.n; i++) {
            double t = rows.t[i], x = rows.x[i * rows.nstate];
            most = t > 0.04 ? fmax(most, x) : most;
            if (t > 0.012 && t < 0.0195)
                assert_true(fabs(x - G * (10 * sin(100 * M_PI * t) - 10 * x)) < 1e-3 * 10 * G);
        }
        assert_true(most > 0.7 && most < 0.95);
        rows_drop(&rows);
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
}

/* the largest difference of states of two rows */
static double distance(const Rows *a, size_t i, const Rows *b, size_t j)
{
    double most = 0;
    for (size_t k = 0; k < a->nstate; k++)
        most = fmax(most, fabs(a->x[i * a->nstate + k] - b->x[j * b->nstate + k]));
    return most;
}

/* what the tolerance leaves in a mode delays its events: a diode that begins at its knee */
static void events_are_in_time_or_reported(void **unused)
{
    (void)unused;
    static const char text[] =
        "model Late Electrical.SineVoltage s(V = 1.3, f = 50); Electrical.Ground g;"
        "Electrical.Resistor R(R = 155); Electrical.IdealDiode D(Ron = 1e-5, Goff = 1e-6);"
        "Electrical.Inductor L(L = 5.5e-4); Electrical.Capacitor C(C = 2e-5);"
        "equation connect(s.n, g.p); connect(s.p, L.p); connect(L.n, D.p); connect(D.n, R.p);"
        "connect(R.n, g.p); connect(D.n, C.p); connect(C.n, g.p); end Late;";
    static const double tolerances[] = {1e-10, 1e-8, 1e-4, 1e-3}; /* the first is the reference */
    Rows rows[4] = {0};
    for (int k = 0; k < 4; k++) {
        Lieder *session = lieder_create(NULL);
        LiederSystem *system = load_text(session, "Late", text);
        LiederSimulateOptions o = lieder_simulate_defaults();
        double worst = 0;
        o.solver = LIEDER_BDF;
        o.tolerance = tolerances[k];
        o.stop = 0.06;
        o.interval = 1e-3;
        assert_int_equal(run_rows(system, o, &rows[k], NULL), LIEDER_DONE);
        for (size_t i = 0, j = 0; i < rows[k].n; i++) { // events have rows of their own
            while (j + 1 < rows[0].n && rows[0].t[j] < rows[k].t[i] - 1e-9)
                j++;
            if (fabs(rows[0].t[j] - rows[k].t[i]) < 1e-9)
                worst = fmax(worst, distance(&rows[k], i, &rows[0], j));
        }
        bool reported = said(session, NULL, "events may be late");
        assert_true(reported || worst < 50 * tolerances[k]);
        if (tolerances[k] < 1e-4)
            assert_false(reported);
        if (tolerances[k] > 1e-4)
            assert_true(reported);
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
    for (int k = 0; k < 4; k++)
        rows_drop(&rows[k]);
}

/* A pendulum that has turned a hundred million times swings as one that has not, or it is reported:
 * the steps of bdf are too short there to move it. */
static void large_angles_are_right_or_reported(void **unused)
{
    (void)unused;
    static const double starts[] = {-0.910199807335086194, 6e8}; /* the same but for turns */
    static const LiederSolver solvers[] = {LIEDER_RK45, LIEDER_RODAS4, LIEDER_BDF};
    for (int i = 0; i < 3; i++) {
        double w[2];
        for (int k = 0; k < 2; k++) {
            char text[200];
            snprintf(text, sizeof text,
                     "model Turns Real p(start = %.17g, fixed = true), w(start = 0, fixed = true); "
                     "equation der(p) = w; der(w) = -10*sin(p); end Turns;",
                     starts[k]);
            Lieder *session = lieder_create(NULL);
            LiederSystem *system = load_text(session, "Turns", text);
            LiederSimulateOptions o = lieder_simulate_defaults();
            Rows rows = {0};
            o.solver = solvers[i];
            o.stop = solvers[i] == LIEDER_BDF ? 1e-2 : 1;
            o.interval = o.stop / 100;
            o.tolerance = 1e-6;
            assert_int_equal(run_rows(system, o, &rows, NULL), LIEDER_DONE);
            if (said(session, NULL, "lost in its rounding") != (k == 1 && i == 2))
                fail_msg("%s from %g", lieder_solver_name(solvers[i]), starts[k]);
            w[k] = last_row(&rows)[state_at(system, "w")];
            rows_drop(&rows);
            lieder_system_destroy(system);
            lieder_destroy(session);
        }
        assert_true(fabs(w[0] - w[1]) < 1e-3);
    }
}

/* Over ten seconds some steps are long, so that the average says nothing; most are lost all the
 * same, and w is wrong by 0.2. */
static void steps_that_are_lost_are_counted(void **unused)
{
    (void)unused;
    for (int near = 0; near < 2; near++) {
        Lieder *session = lieder_create(NULL);
        LiederSystem *system =
            load_text(session, "Turns",
                      near ? "model Turns Real p(start = 5.4, fixed = true), w(start = 0, fixed = "
                             "true); equation der(p) = w; der(w) = -9.81*sin(p); end Turns;"
                           : "model Turns Real p(start = 6e8, fixed = true), w(start = 0, fixed = "
                             "true); equation der(p) = w; der(w) = -9.81*sin(p); end Turns;");
        LiederSimulateOptions o = lieder_simulate_defaults();
        o.solver = LIEDER_BDF;
        o.stop = IN_FULL(10, 3);
        assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_DONE);
        assert_true(said(session, NULL, "lost in its rounding") == !near);
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
}

/* 1e18 N/m between two positions make 22 N of their rounding; between masses whose distance is a
 * state they make nothing */
static void lost_digits_are_reported(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "model Lost parameter Real c = 1e18; Real s1(start = 0.1), v1(start = 0), s2(start = 0.2), "
        "v2(start = 0), f; equation f = c*(s2 - s1 - 0.1); der(s1) = v1; der(s2) = v2; der(v1) = f "
        "- 5; der(v2) = -f; end Lost;",
        "model Lost parameter Real c = 1e18; Real s1(start = 0.1), v1(start = 0), e(start = 0, "
        "nominal = 1e-17), v(start = 0, nominal = 1e-8), f; equation f = c*e; der(s1) = v1; der(e) "
        "= "
        "v; der(v1) = f - 5; der(v) = 5 - 2*f; end Lost;"};
    for (int k = 0; k < 2; k++) {
        Lieder *session = lieder_create(NULL);
        LiederSystem *system = load_text(session, "Lost", texts[k]);
        LiederSimulateOptions o = lieder_simulate_defaults();
        o.solver = LIEDER_BDF;
        o.stop = 1e-8;
        assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_DONE);
        assert_int_equal(said(session, NULL, "digits are lost"), k == 0);
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
}

/* what ends at a pole has one message: digits that are lost there are noise, and so are those of
 * states that had no time to grow */
static void poles_are_reported_once(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    LiederSystem *system =
        load_text(session, "M", "model M Real x(start = 1); equation der(x) = x^2; end M;");
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.stop = 2;
    o.solver = LIEDER_ESDIRK23;
    for (int k = 0; k < 2; k++) {
        assert_true(lieder_simulate(system, &o, NULL) < 0);
        assert_int_equal(lieder_diagnostic_count(session), 1);
        assert_true(said(session, NULL, "gives up at t = 0.99999"));
        lieder_diagnostic_clear(session);
        o.solver = LIEDER_BDF;
    }
    lieder_system_destroy(system);
    system = load_text(session, "N",
                       "model N Real x(start = 0); equation der(x) = 1 + sqrt(1e-9 - time); end "
                       "N;");
    assert_true(lieder_simulate(system, &o, NULL) < 0);
    assert_false(said(session, NULL, "digits of its motion"));
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* the first state at the end of a run of a text, 10 s or more */
static double end_of_text(Lieder *session, LiederSolver solver, LiederClocks clocks, double stop,
                          const char *text)
{
    LiederSystem *system = load_text(session, "M", text);
    LiederSimulateOptions o = lieder_simulate_defaults();
    Rows rows = {0};
    o.solver = solver;
    o.clocks = clocks;
    o.stop = stop;
    assert_int_equal(run_rows(system, o, &rows, NULL), LIEDER_DONE);
    double x = last_row(&rows)[0];
    rows_drop(&rows);
    lieder_system_destroy(system);
    return x;
}

/* An unstable motion that begins below what the tolerance shows is reported, or right because its
 * size was said; whatever else begins as small is not reported, however it grows. */
static void growth_from_nothing_is_reported(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        double stop, end;
        bool reported;
    } cases[] = {
        {"model M Real x(start = 1e-10); equation der(x) = x; end M;", 20, 4.85165195e-2, true},
        {"model M Real x(start = 1e-10, nominal = 1e-10); equation der(x) = x; end M;", 20,
         4.85165195e-2, false},
        {"model M Real x(start = 1e-9); equation der(x) = x*(1 - x); end M;", 40, 0.99999999575,
         true},
        {"model M Real x(start = 1e-8), v(start = 0); equation der(x) = v; der(v) = sin(x); end M;",
         16, 4.4430e-2, true},
        {"model M Real x(start = 1e-8), v(start = 0), y(start = 1); equation der(x) = v; der(v) = "
         "sin(x); der(y) = cos(time); end M;",
         16, 4.4430e-2, true},
        {"model M Real x(start = 1e-2); equation der(x) = x; end M;", 10, 220.264657948, false},
        {"model M Real x(start = 0), v(start = 0); equation der(x) = v; der(v) = 9.81; end M;", 100,
         49050, false},
        {"model M Real x(start = 0), v(start = 0), a(start = 0), j(start = 0); equation der(x) = "
         "v; "
         "der(v) = a; der(a) = j; der(j) = 1e-6; end M;",
         100, 1e2 / 24, false},
        {"model M Real x(start = 0), e(start = 1); equation der(x) = 1e-9*e; der(e) = e; end M;",
         20, 0.4851651944, false},
        {"model M Real x(start = 0), v(start = 0); equation der(x) = v; der(v) = sin(time) - x; "
         "end "
         "M;",
         100, -43.3692, false},
    };
    static const LiederSolver solvers[] = {LIEDER_BDF, LIEDER_RK45, LIEDER_RODAS4, LIEDER_RK45};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (size_t i = 0; i < 4; i++) {
            Lieder *session = lieder_create(NULL);
            LiederClocks clocks = i == 3 ? LIEDER_CLOCKS_OWN : LIEDER_CLOCKS_SHARED;
            double x = end_of_text(session, solvers[i], clocks, cases[k].stop, cases[k].text);
            bool right = fabs(x - cases[k].end) < 1e-4 * (1e-2 + fabs(cases[k].end));
            bool reported = said(session, NULL, "grown by itself");
            if (reported != cases[k].reported || !(right || reported)) {
                printf("case %zu, %s: %g is %g, reported: %d\n", k, lieder_solver_name(solvers[i]),
                       cases[k].end, x, reported);
                fail();
            }
            lieder_destroy(session);
        }
}

/* A pulse that comes while all states rest, or move evenly, as a function of time or of the angle
 * of a cam, beside something stiff or in a fleet: its integral is right if it is as long as a cell
 * of glance.c (1/500 of the run or the distance of rows, 1/200 where nothing reads the time), by
 * every solver. */
static void short_pulses_are_seen(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        double stop, interval, width;
    } cases[] = {
        {"model M parameter Real c = %.17g, w = %.17g; Real x(start = 0); equation der(x) = "
         "exp(-((time - c)/w)^2)/w; end M;",
         10, 0, 0.01},
        {"model M parameter Real c = %.17g, w = %.17g; Real x(start = 0); equation der(x) = "
         "exp(-((time - c)/w)^2)/w; end M;",
         1000, 0.1, 0.05},
        {"model M parameter Real c = %.17g, w = %.17g; Real x(start = 0), p(start = 0); equation "
         "der(p) = 1; der(x) = exp(-((p - c)/w)^2)/w; end M;",
         10, 0, 0.025},
        {"model M parameter Real c = %.17g, w = %.17g; Real x(start = 0), z(start = 0); equation "
         "der(x) = exp(-((time - c)/w)^2)/w; der(z) = 1e6*(x - z); end M;",
         1, 0, 0.001},
    };
    static const LiederSolver solvers[] = {LIEDER_BDF, LIEDER_ESDIRK23, LIEDER_RODAS4, LIEDER_RK45,
                                           LIEDER_RODAS4};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (size_t i = 0; i < (k == 3 ? 3 : 5); i++)
            for (size_t place = 0; place < 5; place += IN_FULL(1, 3)) {
                Lieder *session = lieder_create(NULL);
                char text[500];
                double c = cases[k].stop * (0.137 + 0.1709 * (double)place);
                snprintf(text, sizeof text, cases[k].text, c, cases[k].width);
                LiederSystem *system = load_text(session, "M", text);
                LiederSimulateOptions o = lieder_simulate_defaults();
                Rows rows = {0};
                o.solver = solvers[i];
                o.clocks =
                    i == 4 || (i == 3 && place % 2) ? LIEDER_CLOCKS_OWN : LIEDER_CLOCKS_SHARED;
                o.tolerance = 1e-5;
                o.stop = cases[k].stop;
                o.interval = cases[k].interval;
                assert_int_equal(run_rows(system, o, &rows, NULL), LIEDER_DONE);
                double x = rows.x[(rows.n - 1) * rows.nstate];
                if (!(fabs(x - 1.7724538509055160) < 3e-5))
                    printf("case %zu, %s, place %zu: %g\n", k, lieder_solver_name(solvers[i]),
                           place, x);
                assert_true(fabs(x - 1.7724538509055160) < 3e-5);
                rows_drop(&rows);
                lieder_system_destroy(system);
                lieder_destroy(session);
            }
}

/* Errors of steps that a motion keeps add up: after 1000 periods an oscillator is right to ten
 * tolerances, or a warning tells how far it is off, within a factor of ten; motions that forget
 * their errors are not reported, however many steps they take. */
static void sums_of_errors_are_reported(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        double stop;
        LiederSolver solver;
        double tolerance;
        bool keeps;
    } cases[] = {
        {"model M Real x(start = 1), v(start = 0); equation der(x) = v; der(v) = -x; end M;", 6283,
         LIEDER_BDF, 1e-4, true},
        {"model M Real x(start = 1), v(start = 0); equation der(x) = v; der(v) = -x; end M;", 6283,
         LIEDER_RODAS4, 1e-4, true},
        {"model M Real x(start = 1), v(start = 0); equation der(x) = v; der(v) = -x; end M;", 6283,
         LIEDER_RK45, 1e-3, true},
        {"model M Real x(start = 1), v(start = 0); equation der(x) = v; der(v) = -x; end M;", 62.83,
         LIEDER_BDF, 1e-8, true},
        {"model M Real x(start = 0); equation der(x) = -x + sin(time); end M;", 2000, LIEDER_BDF,
         1e-6, false},
        {"model M Real x(start = 0), v(start = 0); equation der(x) = v; der(v) = -x - 0.1*v + "
         "sin(1.3*time); end M;",
         1000, LIEDER_RK45, 1e-6, false},
        {"model M Real x(start = 0), v(start = 0); equation der(x) = v; der(v) = -x - 0.1*v + "
         "sin(1.3*time); end M;",
         1000, LIEDER_RODAS4, 1e-6, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Lieder *session = lieder_create(NULL);
        LiederSystem *system = load_text(session, "M", cases[k].text);
        LiederSimulateOptions o = lieder_simulate_defaults();
        Rows rows = {0};
        o.solver = cases[k].solver;
        o.clocks = LIEDER_CLOCKS_SHARED;
        o.tolerance = cases[k].tolerance;
        o.stop = cases[k].stop;
        assert_int_equal(run_rows(system, o, &rows, NULL), LIEDER_DONE);
        double off = 0, estimate = 0;
        for (size_t i = 0; i < rows.n && cases[k].keeps; i++) {
            const double *x = rows.x + i * rows.nstate;
            double c = cos(rows.t[i]), s = -sin(rows.t[i]);
            off = fmax(off, fmax(fabs(x[0] - c) / (1 + fabs(c)), fabs(x[1] - s) / (1 + fabs(s))));
        }
        off /= o.tolerance;
        for (size_t i = 0; i < lieder_diagnostic_count(session); i++) {
            const char *about = strstr(lieder_diagnostic_get(session, i)->message, "off by about ");
            if (about)
                estimate = strtod(about + strlen("off by about "), NULL);
        }
        if (off > 12 || estimate > 0)
            print_message("case %zu: %g tolerances off, %g reported\n", k, off, estimate);
        if (off > 12)
            assert_true(estimate > 0.1 * off && estimate < 10 * off);
        else
            assert_true(estimate == 0);
        assert_true((k < 3) == (off > 12));
        rows_drop(&rows);
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
}

/* A second run with a finer tolerance follows the rounding of an angle of 6e8 rad: it is given up,
 * and says nothing. It took four thousand evaluations for each step, and told an error of 20. */
static void roundings_are_not_measured(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    LiederSystem *system =
        load_text(session, "M",
                  "model M Real p(start = 6e8, fixed = true), w(start = 0, fixed = true);\n"
                  "equation der(p) = w; der(w) = -100*(p - 6e8) + sin(6.28*time); end M;\n");
    LiederSimulateOptions o = lieder_simulate_defaults();
    LiederStatistics s;
    o.solver = LIEDER_BDF;
    o.stop = 10;
    assert_int_equal(lieder_simulate(system, &o, &s), LIEDER_DONE);
    assert_true(s.steps > 2000 && s.evaluations < 20 * s.steps);
    assert_false(said(session, NULL, "errors of steps add up"));
    lieder_system_destroy(system);
    lieder_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nominal_values_set_the_weight),
        cmocka_unit_test(attributes_of_elements),
        cmocka_unit_test(wrong_attributes_are_refused),
        cmocka_unit_test(poles_are_reported_once),
        cmocka_unit_test(limits_are_watched),
        cmocka_unit_test(open_derivatives_are_reported),
        cmocka_unit_test(rows_follow_slow_solutions),
        cmocka_unit_test(blocking_currents_are_right),
        cmocka_unit_test(events_are_in_time_or_reported),
        cmocka_unit_test(large_angles_are_right_or_reported),
        cmocka_unit_test(steps_that_are_lost_are_counted),
        cmocka_unit_test(lost_digits_are_reported),
        cmocka_unit_test(growth_from_nothing_is_reported),
        cmocka_unit_test(short_pulses_are_seen),
        cmocka_unit_test(sums_of_errors_are_reported),
        cmocka_unit_test(roundings_are_not_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
