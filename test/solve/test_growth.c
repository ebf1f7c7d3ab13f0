/* test_growth.c - explicit steps that are too long end the run; models that grow go on. */
#include "solve/help.h"

#include <lieder/component.h>
#include <lieder/load.h>

/* ------------------------------------------------------------------ a class that grows by itself
 */

/* x' = a x + b x^2 */
typedef struct Grower {
    real a, b;
    real x, dx;
} Grower;

static inline void grower_explicit(Grower *c, Signal *y, Call call)
{
    (void)call;
    c->dx = c->a * c->x + c->b * c->x * c->x;
    y->y = c->x;
}

#define CLASS    Grower
#define PORTS(X) X(0, OUT, Signal)
#define EXPLICIT grower_explicit
#include <lieder/kernels.inc>

static const LiederPortDef grower_ports[] = {PORT_OUTPUT("y", "")};
static const LiederMember grower_members[] = {PARAMETER(Grower, a, "1/s", 1, ANY, ""),
                                              PARAMETER(Grower, b, "1/s", 0, ANY, ""),
                                              STATE(Grower, x, dx, "", 1, "")};
static const LiederClassDef grower_class = {.name = "Test.Grower",
                                            .text = "",
                                            .nport = 1,
                                            .ports = grower_ports,
                                            .nmember = LIEDER_COUNT(grower_members),
                                            .members = grower_members,
                                            .kernels = &Grower_kernels};

static LiederStatus run_fixed(Lieder *session, LiederSystem *system, LiederSolver solver, double h,
                              double stop, LiederStatistics *s)
{
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.solver = solver;
    o.step = h;
    o.stop = stop;
    lieder_diagnostic_clear(session);
    return lieder_simulate(system, &o, s);
}

/* ------------------------------------------------------------------ by the method */

/* c, T_D, solver, step: what a spring of these makes of 1 kg */
static void springs_explode(void **unused)
{
    (void)unused;
    static const struct {
        double c, TD;
        LiederSolver solver;
        double h;
        bool stable;
    } cases[] = {
        {1e20, 1e-5, LIEDER_RK4, 1e-3, false}, /* eigenvalues at 1/T_D: |R| = 4e6 */
        {1e20, 1e-5, LIEDER_RK4, 2e-5, true},
        {1e6, 0, LIEDER_RK4, 2.9e-3, false}, /* the limit is 2.828e-3 */
        {1e6, 0, LIEDER_RK4, 2.8e-3, true},
        {1e6, 0, LIEDER_RK3, 1.75e-3, false}, /* 1.732e-3 */
        {1e6, 0, LIEDER_RK3, 1.72e-3, true},
        {1e6, 0, LIEDER_RK2, 3e-4, false}, /* none is stable; |R| = 1.001 */
        {1e6, 0, LIEDER_RK1, 1e-5, false}, /* |R| = 1.00005 */
        {1e12, 0, LIEDER_RK4, 1e-3, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Lieder *session = lieder_create(NULL);
        build_oscillator(session, "O", 1, cases[k].c, 0, cases[k].TD, 0.01, 0);
        LiederSystem *system = system_new(session, "O");
        LiederStatistics s;
        LiederStatus status = run_fixed(session, system, cases[k].solver, cases[k].h, 1, &s);
        if (status != (cases[k].stable ? LIEDER_DONE : LIEDER_GAVE_UP))
            fail_msg("case %zu ends with %d", k, status);
        if (!cases[k].stable)
            assert_said(session, "joint", "too long for");
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
}

/* one step passes through a contact that is over after 3e-7 s */
static void contacts_explode(void **unused)
{
    (void)unused;
    static const double c[] = {1e14, 1e10, 1e8};
    for (int k = 0; k < 3; k++) {
        Lieder *session = lieder_create(NULL);
        LiederModel *m = lieder_model_create(session, "Drop", "");
        lieder_model_add(m, "world", "World");
        lieder_model_set(m, "world.TD", 0);
        lieder_model_add(m, "floor", "Translational.Fixed");
        lieder_model_add(m, "joint", "Translational.Joint");
        lieder_model_add(m, "body", "Translational.Body");
        lieder_model_add(m, "contact", "Translational.ElastoGap");
        lieder_model_set(m, "body.g", -10);
        lieder_model_set(m, "joint.s", 1.25);
        lieder_model_set(m, "contact.c", c[k]);
        lieder_model_connect(m, "floor.flange_b", "joint.flange_a");
        lieder_model_connect(m, "joint.flange_b", "body.flange_a");
        lieder_model_connect(m, "floor.flange_b", "contact.flange_a");
        lieder_model_connect(m, "contact.flange_b", "body.flange_a");
        LiederSystem *system = system_new(session, "Drop");
        LiederStatistics s;
        assert_int_equal(run_fixed(session, system, LIEDER_RK4, 1e-3, 1, &s), LIEDER_GAVE_UP);
        assert_said(session, "joint.v", "where shorter steps give 4.9");
        assert_true(fabs(s.t - 0.5) < 2e-3);
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
}

/* A half-wave rectifier: while the diode blocks, the current decays within L Goff. Longer steps
 * multiply it until the diode conducts: it stays below ten, and means nothing. */
static void rectifiers_end(void **unused)
{
    (void)unused;
    static const struct {
        LiederSolver solver;
        double h, Goff;
        const char *L, *Ron; /* parameters as text */
        bool stable;
    } cases[] = {
        {LIEDER_RK3, 1e-5, 1e-3, "1e-3", "1e-2", false}, /* the limit is 2.5e-6 */
        {LIEDER_RK3, 1e-5, 1e-4, "1e-3", "1e-2", false},
        {LIEDER_RK3, 1e-5, 1e-5, "1e-2", "1e-5", false}, /* blocks for one step at a time */
        {LIEDER_RK1, 1e-5, 1e-5, "5.4e-3", "3e-4", false},
        {LIEDER_RK4, 1e-5, 3e-4, "1e-2", "0", false}, /* 8e-6 */
        {LIEDER_RK3, 1e-6, 1e-3, "1e-3", "1e-2", true},
        {LIEDER_RK4, 2e-6, 1e-3, "1e-3", "1e-2", true},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "model Rectifier Electrical.SineVoltage s(V = 7.5, f = 50); Electrical.Ground g;"
                 "Electrical.Resistor R(R = 14); Electrical.Inductor L(L = %s);"
                 "Electrical.IdealDiode D(Vforward = 0.7, Ron = %s, Goff = %g);"
                 "equation connect(s.n, g.p); connect(s.p, L.p); connect(L.n, D.p);"
                 "connect(D.n, R.p); connect(R.n, g.p); end Rectifier;",
                 cases[k].L, cases[k].Ron, cases[k].Goff);
        Lieder *session = lieder_create(NULL);
        assert_int_equal(lieder_load_text(session, "Rectifier.mo", text), LIEDER_DONE);
        LiederSystem *system = lieder_system_load(session, "Rectifier", NULL, 0, NULL, NULL);
        assert_non_null(system);
        LiederStatistics s;
        LiederStatus status = run_fixed(session, system, cases[k].solver, cases[k].h, 0.06, &s);
        if (status != (cases[k].stable ? LIEDER_DONE : LIEDER_GAVE_UP))
            fail_msg("case %zu ends with %d", k, status);
        if (!cases[k].stable)
            assert_said(session, "L.i", "too long for");
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
}

/* is a message with these words among those of the session? */
static bool was_said(const Lieder *session, const char *words)
{
    for (size_t i = 0; i < lieder_diagnostic_count(session); i++)
        if (strstr(lieder_diagnostic_get(session, i)->message, words))
            return true;
    return false;
}

/* rk1 multiplies an oscillation by sqrt(1 + (w h)^2) in each step, rk2 by 1 + (w h)^4 / 8: little,
 * but again and again. Damping that outweighs it, and other solvers, are not reported. */
static void slow_growth_is_reported(void **unused)
{
    (void)unused;
    static const struct {
        LiederSolver solver;
        double h, stop, damping;
        bool reported;
    } cases[] = {
        {LIEDER_RK1, 0.01, 100, 0, true},  /* e^0.5 */
        {LIEDER_RK1, 0.01, 1, 0, false},   /* e^0.005 */
        {LIEDER_RK2, 0.1, 10000, 0, true}, /* e^1.25 */
        {LIEDER_RK2, 0.01, 1000, 0, false}, {LIEDER_RK3, 0.1, 10000, 0, false},
        {LIEDER_RK4, 0.1, 10000, 0, false}, {LIEDER_RK1, 0.01, 100, 0.1, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[300];
        snprintf(text, sizeof text,
                 "model O Real x(start = 1), v(start = 0); equation der(x) = v;"
                 " der(v) = -x - %g*v; end O;",
                 cases[k].damping);
        Lieder *session = lieder_create(NULL);
        assert_int_equal(lieder_load_text(session, "O.mo", text), LIEDER_DONE);
        LiederSystem *system = lieder_system_load(session, "O", NULL, 0, NULL, NULL);
        LiederSimulateOptions o = lieder_simulate_defaults();
        o.solver = cases[k].solver;
        o.step = cases[k].h;
        o.stop = cases[k].stop;
        assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_DONE);
        if (was_said(session, "lets a motion grow") != cases[k].reported)
            fail_msg("case %zu", k);
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
}

/* the number after these words, in the last message that has them */
static double said_number(const Lieder *session, const char *words)
{
    double number = NAN;
    for (size_t i = 0; i < lieder_diagnostic_count(session); i++) {
        const char *at = strstr(lieder_diagnostic_get(session, i)->message, words);
        number = at ? strtod(at + strlen(words), NULL) : number;
    }
    return number;
}

/* rk4 multiplies an oscillation by 1 - (w h)^6 / 144 in each step, rk3 by 1 - (w h)^4 / 24,
 * backward Euler by 1 / sqrt(1 + (w h)^2). What is lost over the run is reported as a share of the
 * amplitude, and a step that keeps it; damping of the model, motions that are not there and slow
 * drives are not. */
static void false_damping_is_reported(void **unused)
{
    (void)unused;
    static const char free_motion[] = "der(x) = v; der(v) = -1e6*x - 2*%g*v;",
                      driven[] = "der(x) = v; der(v) = -1e6*(x - sin(time)) - 2*%g*v;",
                      beside[] = "der(x) = v; der(v) = -1e6*x - 2*%g*v; der(y) = u; der(u) = -y;",
                      coupled[] = "der(x) = v; der(v) = -1e6*x - 2*%g*v + 1e5*(y - x);"
                                  "der(y) = u; der(u) = -1e2*y + 1e5*(x - y);";
    static const struct {
        const char *equations;
        LiederSolver solver;
        double h, damping, start;
        double lost; /* per cent; 0: nothing is reported */
    } cases[] = {
        {free_motion, LIEDER_RK4, 1e-3, 0, 0.01, 99.78}, /* 1 - e^-6.1 */
        {free_motion, LIEDER_RK4, 2.7e-3, 0, 0.01, 100}, /* inside the region of stability */
        {free_motion, LIEDER_RK4, 2.2e-3, 0, 0.01, 100}, /* by 0.6 in each step */
        {free_motion, LIEDER_RK4, 3.8e-4, 0, 0.01, 5.26},
        {free_motion, LIEDER_RK4, 3.3e-4, 0, 0.01, 0},   /* 2.7 % */
        {free_motion, LIEDER_RK4, 1e-3, 0, 0, 0},        /* at rest */
        {free_motion, LIEDER_RK4, 1e-3, 10, 0.01, 16.5}, /* the larger half is the model's */
        {free_motion, LIEDER_RK4, 1e-3, 100, 0.01, 0},   /* a / d = 0.06 */
        {free_motion, LIEDER_RK4, 1e-3, 1200, 0.01, 0},  /* no oscillation */
        {free_motion, LIEDER_RK3, 2e-4, 0, 0.01, 28.3},  /* 1 - e^-0.333 */
        {free_motion, LIEDER_RK2, 1e-4, 0, 0.01, 0},     /* grows */
        {free_motion, LIEDER_EULER_BACKWARD, 1e-5, 0, 0.01, 99.33}, /* 1 - e^-5 */
        {driven, LIEDER_RK4, 1e-3, 1, 0, 0},
        {driven, LIEDER_EULER_BACKWARD, 1e-3, 1, 0, 0},
        {beside, LIEDER_RK4, 1e-3, 0, 0.01, 99.78},
        {coupled, LIEDER_RK4, 1e-3, 0, 0.01, 77.1}, /* 90 m/s of 1054 rad/s beside 30 of 302 */
        {coupled, LIEDER_RK4, 1e-4, 0, 0.01, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char equations[300], text[600];
        snprintf(equations, sizeof equations, cases[k].equations, cases[k].damping);
        bool two = strstr(equations, "der(y)") != NULL;
        snprintf(text, sizeof text,
                 "model O Real x(start = %g), v(start = %d); %s equation %s end O;", cases[k].start,
                 cases[k].equations == driven, two ? "Real y(start = 1), u(start = 0);" : "",
                 equations);
        Lieder *session = lieder_create(NULL);
        assert_int_equal(lieder_load_text(session, "O.mo", text), LIEDER_DONE);
        LiederSystem *system = lieder_system_load(session, "O", NULL, 0, NULL, NULL);
        LiederStatistics s;
        assert_int_equal(run_fixed(session, system, cases[k].solver, cases[k].h, 1, &s),
                         LIEDER_DONE);
        double lost = said_number(session, "by the method alone, "),
               step = said_number(session, "at most ");
        if (cases[k].lost == 0 ? !isnan(lost) : !(fabs(lost - cases[k].lost) < 0.4))
            fail_msg("case %zu: %g %%, where %g is right", k, lost, cases[k].lost);
        if (cases[k].lost > 0)
            assert_true(fabs(said_number(session, "oscillation of ") - 1000) < 60);
        if (cases[k].equations == free_motion && cases[k].lost > 0 && step > 1e-6) {
            /* the step of the advice: the energy of a hundredth of the amplitude is missing */
            assert_int_equal(run_fixed(session, system, cases[k].solver, step, 1, &s), LIEDER_DONE);
            assert_false(was_said(session, "damps a motion"));
        }
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
}

/* one of many, and only there; the same time for any number of lanes, threads and rows */
static void verdict_is_that_of_one(void **unused)
{
    (void)unused;
    double alone = NAN;
    for (size_t n = 1; n <= 37; n += 12)
        for (int threads = 1; threads <= 2; threads++)
            for (int rows = 0; rows < 2; rows++) {
                Lieder *session = lieder_create(NULL);
                LiederModel *m = lieder_model_create(session, "Many", "");
                lieder_model_add(m, "world", "World");
                lieder_model_set(m, "world.TD", 0);
                lieder_model_add_array(m, "o", "Examples.SpringMass", n);
                double c[40];
                for (size_t i = 0; i < n; i++)
                    c[i] = i == n / 2 ? 9e6 : 1e4;
                lieder_model_set_each(m, "o.spring.c", c, n);
                lieder_model_set(m, "o.body.g", 0);
                lieder_model_set(m, "o.joint.s", 0.1);
                LiederSystem *system = system_new(session, "Many");
                LiederSimulateOptions o = lieder_simulate_defaults();
                LiederStatistics s;
                char path[16];
                snprintf(path, sizeof path, "o[%zu]", n / 2 + 1);
                o.solver = LIEDER_RK4;
                o.step = 1e-3;
                o.interval = rows ? 1e-3 : 0.5;
                o.threads = threads;
                assert_int_equal(lieder_simulate(system, &o, &s), LIEDER_GAVE_UP);
                assert_said(session, n == 1 ? NULL : path, "too long for");
                if (isnan(alone))
                    alone = s.t;
                assert_true(s.t == alone);
                lieder_system_destroy(system);
                lieder_destroy(session);
            }
}

/* ------------------------------------------------------------------ by the model */

static void growing_models_go_on(void **unused)
{
    (void)unused;
    static const struct {
        double a, b, h, stop;
        LiederStatus status;
    } cases[] = {
        {1, 0, 1e-2, 100, LIEDER_DONE},       /* e^100 */
        {1, 0, 0.5, 300, LIEDER_DONE},        /* e^300 */
        {50, 0, 0.1, 5, LIEDER_DONE},         /* e^5 in a step, of which rk4 makes 65 */
        {1, 0, 0.1, 1000, LIEDER_NOT_FINITE}, /* e^1000 */
        {0, 1, 1e-3, 0.99, LIEDER_DONE},      /* 1 / (1 - t) */
        {0, 1, 1e-3, 2, LIEDER_GAVE_UP},      /* beyond its end: no step passes there */
        {-1, 0.9, 1e-2, 1000, LIEDER_DONE},   /* decays */
        {-1, 1.0001, 1e-2, 5, LIEDER_DONE},   /* leaves an unstable rest */
        {-400, 0, 1e-2, 10, LIEDER_GAVE_UP},  /* and one that does not grow: |R| = 8.5 */
        {-270, 0, 1e-2, 10, LIEDER_DONE},     /* |R| = 0.95 */
    };
    Lieder *session = lieder_create(NULL);
    assert_int_equal(lieder_class_register(session, &grower_class), LIEDER_DONE);
    LiederModel *m = lieder_model_create(session, "Growers", "");
    lieder_model_add(m, "g", "Test.Grower");
    LiederSystem *system = system_new(session, "Growers");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        LiederStatistics s;
        lieder_system_set(system, "g.a", cases[k].a);
        lieder_system_set(system, "g.b", cases[k].b);
        LiederStatus status = run_fixed(session, system, LIEDER_RK4, cases[k].h, cases[k].stop, &s);
        if (status != cases[k].status)
            fail_msg("case %zu ends with %d at %g", k, status, s.t);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* falls for long, swings over, is pushed in resonance: large numbers that are right */
static void large_numbers_go_on(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    LiederModel *m = lieder_model_create(session, "Fall", "");
    lieder_model_add(m, "world", "World");
    lieder_model_set(m, "world.TD", 0);
    lieder_model_add(m, "fixed", "Translational.Fixed");
    lieder_model_add(m, "joint", "Translational.Joint");
    lieder_model_add(m, "body", "Translational.Body");
    lieder_model_connect(m, "fixed.flange_b", "joint.flange_a");
    lieder_model_connect(m, "joint.flange_b", "body.flange_a");
    build_crabs(session, "Crabs", 5, 0);
    const char *names[] = {"Fall", "Crabs"};
    for (LiederSolver solver = LIEDER_RK1; solver <= LIEDER_RK4; solver++)
        for (int k = 0; k < 2; k++) {
            LiederSystem *system = system_new(session, names[k]);
            LiederStatistics s;
            double h = solver == LIEDER_RK1 && k == 1 ? 1e-4 : 1e-2;
            LiederStatus status = run_fixed(session, system, solver, h, k ? 10 : 1e4, &s);
            if (status != LIEDER_DONE)
                lieder_diagnostic_print_all(session, stderr);
            assert_int_equal(status, LIEDER_DONE);
            lieder_system_destroy(system);
        }
    lieder_destroy(session);
}

/* A mechanism whose linear group becomes singular at 0.0592 s, in an independent code, too: steps
 * that pass over that point end with an error, and before it nothing is reported. */
static void singular_points_are_not_passed(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    assert_int_equal(lieder_load(session, SOURCE_DIR "/test/solve/breaks_down.mo"), LIEDER_DONE);
    LiederSystem *system = lieder_system_load(session, "BreaksDown", NULL, 0, NULL, NULL);
    assert_non_null(system);
    for (LiederSolver solver = LIEDER_RK1; solver <= LIEDER_RK3; solver++) {
        LiederStatistics s;
        assert_int_equal(run_fixed(session, system, solver, 1e-4, 0.058, &s), LIEDER_DONE);
        assert_int_equal(run_fixed(session, system, solver, 1e-4, 1, &s), LIEDER_SINGULAR);
        assert_true(s.t > 0.05 && s.t < 0.5);
    }
    /* Steps of other lengths are thrown back to the side where they began, so that signs at the
     * ends of steps say nothing; those with stages are ended at the point, t = 0.0592, or soon
     * behind. */
    static const double steps[] = {1e-3, 5e-4, 2e-4, 1e-4, 3e-5, 1e-5};
    for (LiederSolver solver = LIEDER_RK1; solver <= LIEDER_RK4; solver++)
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            LiederStatistics s;
            assert_true(run_fixed(session, system, solver, steps[i], 1, &s) < 0);
            assert_true(s.t > 0.058 && s.t < (solver == LIEDER_RK1 ? 0.5 : 0.1));
        }
    /* implicit and adaptive steps that jump over the point end there too, at coarse tolerances as
     * at fine ones: bdf at 1e-3 went on to t = 1 with 1e11 m */
    static const LiederSolver adaptive[] = {LIEDER_BDF, LIEDER_ESDIRK23, LIEDER_RK45,
                                            LIEDER_RODAS4};
    static const double tolerances[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
    for (size_t k = 0; k < sizeof adaptive / sizeof *adaptive; k++)
        for (size_t i = 0; i < sizeof tolerances / sizeof *tolerances; i++) {
            LiederSimulateOptions o = lieder_simulate_defaults();
            LiederStatistics s;
            o.solver = adaptive[k];
            o.tolerance = tolerances[i];
            o.stop = 1;
            assert_true(lieder_simulate(system, &o, &s) < 0);
            assert_true(s.t > 0.0591 && s.t < 0.0593);
        }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* the same mechanism with a soft spring that closes a loop, and two of them with clocks of their
 * own: rk4 at 1e-4 went on to the end, and so did lanes by rk45 at 1e-2 */
static void nor_in_loops_and_lanes(void **unused)
{
    (void)unused;
    static const char text[] =
        "model Closed extends BreaksDown; Dialectic.Planar.SpringDamper tie(damped = true, c_x = "
        "1e-3, c_y = 1e-3, c_phi = 1e-3, d_x = 1e-3, d_y = 1e-3, d_phi = 1e-3);"
        "equation connect(e3.frame_b, tie.frame_a); connect(tie.frame_b, e5.frame_b); end Closed;"
        "model Two Closed two[2](e6(w(start = {1.7523493855003132, 1.76}))); end Two;";
    Lieder *session = lieder_create(NULL);
    assert_int_equal(lieder_load(session, SOURCE_DIR "/test/solve/breaks_down.mo"), LIEDER_DONE);
    assert_int_equal(lieder_load_text(session, "Closed.mo", text), LIEDER_DONE);
    LiederSystem *system = lieder_system_load(session, "Closed", NULL, 0, NULL, NULL);
    assert_non_null(system);
    LiederStatistics s;
    static const double steps[] = {1e-3, 1e-4, 1e-5};
    for (LiederSolver solver = LIEDER_RK1; solver <= LIEDER_RK4; solver++)
        for (size_t i = 0; i < 3; i++) {
            assert_true(run_fixed(session, system, solver, steps[i], 1, &s) < 0);
            assert_true(s.t > 0.059 && s.t < (solver == LIEDER_RK1 ? 0.5 : 0.1));
        }
    static const LiederSolver adaptive[] = {LIEDER_BDF, LIEDER_ESDIRK23, LIEDER_RK45,
                                            LIEDER_RODAS4};
    static const double tolerances[] = {1e-2, 1e-3, 1e-4};
    LiederSimulateOptions o = lieder_simulate_defaults();
    for (size_t k = 0; k < 4; k++)
        for (size_t i = 0; i < 3; i++) {
            o.solver = adaptive[k];
            o.tolerance = tolerances[i];
            o.stop = 1;
            assert_true(lieder_simulate(system, &o, &s) < 0);
            assert_true(s.t > 0.0591 && s.t < 0.0593);
        }
    lieder_system_destroy(system);
    system = lieder_system_load(session, "Two", NULL, 0, NULL, NULL);
    assert_non_null(system);
    o.clocks = LIEDER_CLOCKS_OWN;
    for (size_t k = 2; k < 4; k++)
        for (size_t i = 0; i < 3; i++) {
            o.solver = adaptive[k];
            o.tolerance = tolerances[i];
            lieder_diagnostic_clear(session);
            assert_true(lieder_simulate(system, &o, &s) < 0);
            assert_int_equal(s.failed_lanes, 2);
            assert_said(session, "two[2].e1", "");
        }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs_explode),
        cmocka_unit_test(contacts_explode),
        cmocka_unit_test(rectifiers_end),
        cmocka_unit_test(slow_growth_is_reported),
        cmocka_unit_test(false_damping_is_reported),
        cmocka_unit_test(verdict_is_that_of_one),
        cmocka_unit_test(growing_models_go_on),
        cmocka_unit_test(large_numbers_go_on),
        cmocka_unit_test(singular_points_are_not_passed),
        cmocka_unit_test(nor_in_loops_and_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
