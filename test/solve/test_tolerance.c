/* test_tolerance.c - a run agrees to the tolerance that was asked for.
 *
 * Event times and end states of the hybrid benchmark, against closed forms, published values and
 * integrations of another kind, relative to 1 + |value|; the table shows errors in units of the
 * tolerance. */
#include "solve/hybrid.h"

#include "help/full.h"

/* of the runs that others are compared with; sanitized, only the coarsest tolerance is tried */
static const double FINE = UNLESS_SANITIZED(1e-4, 1e-3);

/* worst error of a case */
typedef double Case(LiederSolver solver, double tolerance, size_t *steps);

static double beside(double value, double exact)
{
    return fabs(value - exact) / (1 + fabs(exact));
}

static LiederSimulateOptions options(LiederSolver solver, double tolerance, double stop)
{
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.solver = solver;
    o.tolerance = tolerance;
    o.stop = stop;
    return o;
}

/* ------------------------------------------------------------------ smooth motion */

static double oscillator(LiederSolver solver, double tolerance, size_t *steps)
{
    Lieder *session = lieder_create(NULL);
    build_oscillator(session, "O", 1, 1, 0, 0, 1, 0);
    LiederSystem *system = system_new(session, "O");
    LiederStatistics s;
    Rows rows = {0};
    double worst = 0;
    assert_int_equal(run_rows(system, options(solver, tolerance, 10), &rows, &s), LIEDER_DONE);
    for (size_t i = 0; i < rows.n; i++) {
        worst = fmax(worst, beside(rows.x[2 * i], cos(rows.t[i])));
        worst = fmax(worst, beside(rows.x[2 * i + 1], -sin(rows.t[i])));
    }
    *steps = s.steps;
    rows_drop(&rows);
    lieder_system_destroy(system);
    lieder_destroy(session);
    return worst;
}

/* against rk4 with a short step */
static double compare_with_rk4(LiederSystem *system, LiederSimulateOptions o, double step,
                               size_t *steps)
{
    LiederStatistics s;
    Rows rows = {0}, fine = {0};
    double worst = 0;
    o.interval = o.stop;
    assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE);
    o.solver = LIEDER_RK4;
    o.step = step;
    assert_int_equal(run_rows(system, o, &fine, NULL), LIEDER_DONE);
    for (size_t i = 0; i < rows.nstate; i++)
        worst = fmax(worst, beside(last_row(&rows)[i], last_row(&fine)[i]));
    *steps = s.steps;
    rows_drop(&rows);
    rows_drop(&fine);
    return worst;
}

static double crane_crab(LiederSolver solver, double tolerance, size_t *steps)
{
    Lieder *session = lieder_create(NULL);
    build_crabs(session, "Crab", 1, 1e-3);
    LiederSystem *system = system_new(session, "Crab");
    double worst = compare_with_rk4(system, options(solver, tolerance, 5), FINE, steps);
    lieder_system_destroy(system);
    lieder_destroy(session);
    return worst;
}

static double two_springs(LiederSolver solver, double tolerance, size_t *steps)
{
    Lieder *session = lieder_create(NULL);
    assert_int_equal(lieder_class_register(session, &springs_classes[0]), LIEDER_DONE);
    LiederSystem *system = springs_create(session, 0);
    double worst = compare_with_rk4(system, options(solver, tolerance, 10), FINE, steps);
    lieder_system_destroy(system);
    lieder_destroy(session);
    return worst;
}

/* ------------------------------------------------------------------ the ball */

static double ball(LiederSolver solver, double tolerance, double beta, double stop, size_t *steps)
{
    Lieder *session = lieder_create(NULL);
    assert_int_equal(lieder_class_register(session, &ball_class), LIEDER_DONE);
    LiederSystem *system = ball_create(session, "Bouncing", "Ball");
    LiederStatistics s;
    Rows rows = {0};
    double worst = 0;
    size_t n = 0;
    lieder_system_set(system, "ball.beta", beta);
    assert_int_equal(run_rows(system, options(solver, tolerance, stop), &rows, &s), LIEDER_DONE);
    for (size_t i = 0; i < rows.n; i++)
        if (rows.kind[i] == LIEDER_ROW_BEFORE_EVENT)
            worst = fmax(worst, beside(rows.t[i], beta > 0 ? AIR_IMPACT_AT : impact_time(n++)));
    *steps = s.steps;
    rows_drop(&rows);
    lieder_system_destroy(system);
    lieder_destroy(session);
    return worst;
}

/* 13 impacts */
static double ball_in_vacuum(LiederSolver solver, double tolerance, size_t *steps)
{
    return ball(solver, tolerance, 0, 20, steps);
}

static double ball_in_air(LiederSolver solver, double tolerance, size_t *steps)
{
    return ball(solver, tolerance, 0.002, 1.5, steps);
}

/* begin and end of the first contact */
static double ball_with_contact(LiederSolver solver, double tolerance, size_t *steps)
{
    Lieder *session = lieder_create(NULL);
    assert_int_equal(lieder_class_register(session, &elastic_class), LIEDER_DONE);
    LiederSystem *system = ball_create(session, "Soft", "ElasticBall");
    LiederStatistics s;
    Rows rows = {0};
    double touch = sqrt(2 * 10 / 9.81), worst = 0;
    double exact[] = {touch, touch + contact_length(1e6, 500, -9.81 * touch)};
    assert_int_equal(run_rows(system, options(solver, tolerance, 2), &rows, &s), LIEDER_DONE);
    size_t n = 0;
    for (size_t i = 0; i < rows.n && n < 2; i++)
        if (rows.kind[i] == LIEDER_ROW_BEFORE_EVENT)
            worst = fmax(worst, beside(rows.t[i], exact[n++]));
    assert_int_equal(n, 2);
    *steps = s.steps;
    rows_drop(&rows);
    lieder_system_destroy(system);
    lieder_destroy(session);
    return worst;
}

/* ------------------------------------------------------------------ pendulum and circuits */

static double pendulum(LiederSolver solver, double tolerance, size_t *steps)
{
    Lieder *session = pendulum_session();
    Pendulum p = pendulum_create(session, 0);
    Log log = run_pendulum(&p, solver, 0, tolerance);
    *steps = log.steps;
    pendulum_destroy(&p);
    lieder_destroy(session);
    return fmax(beside(log.calm, CALM_AT),
                fmax(beside(log.t[0], FLYING_AT), beside(log.t[1], BOUND_AT)));
}

/* own_circuit, which takes its time, once for all solvers */
static const double *reference_of(int which, double U, int n)
{
    enum { KNOWN = 8 };
    static struct {
        int which, n;
        double x[2];
    } known[KNOWN];
    int i = 0;
    while (i < KNOWN && known[i].n && (known[i].n != n || known[i].which != which))
        i++;
    assert_true(i < KNOWN);
    if (!known[i].n) {
        known[i].n = n;
        known[i].which = which;
        own_circuit(which, U, n, known[i].x);
    }
    return known[i].x;
}

static double circuit(int which, double U, int n, LiederSolver solver, double tolerance,
                      size_t *steps)
{
    Lieder *session = lieder_create(NULL);
    LiederSystem *system = circuit_create(session, which);
    LiederStatistics s;
    double x[2];
    lieder_system_set(system, "c.U", U);
    assert_int_equal(circuit_run(system, solver, tolerance, x, &s), LIEDER_DONE);
    const double *y = reference_of(which, U, n);
    *steps = s.steps;
    lieder_system_destroy(system);
    lieder_destroy(session);
    return fmax(beside(x[0], y[0]), beside(x[1], y[1]));
}

static double circuit_basic(LiederSolver solver, double tolerance, size_t *steps)
{
    return circuit(CIRCUIT_BASIC, 0, UNLESS_SANITIZED(100000, 20000), solver, tolerance, steps);
}

static double circuit_resistor(LiederSolver solver, double tolerance, size_t *steps)
{
    return circuit(CIRCUIT_RESISTOR, 0, UNLESS_SANITIZED(100000, 20000), solver, tolerance, steps);
}

static double circuit_diode(LiederSolver solver, double tolerance, size_t *steps)
{
    /* a bend off the grid costs (h / 2 us)^2 */
    int n = tolerance < 1e-9 ? 8000000 : UNLESS_SANITIZED(800000, 100000);
    return circuit(CIRCUIT_DIODE, 0.7, n, solver, tolerance, steps);
}

static double circuit_shockley(LiederSolver solver, double tolerance, size_t *steps)
{
    return circuit(CIRCUIT_SHOCKLEY, 0, UNLESS_SANITIZED(100000, 20000), solver, tolerance, steps);
}

/* ------------------------------------------------------------------ the table */

static void tolerance_is_kept(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        Case *run;
    } cases[] = {{"oscillator", oscillator},
                 {"crane crab", crane_crab},
                 {"two springs", two_springs},
                 {"ball in vacuum", ball_in_vacuum},
                 {"ball in air", ball_in_air},
                 {"ball with contact", ball_with_contact},
                 {"pendulum", pendulum},
                 {"circuit", circuit_basic},
                 {"circuit, resistor", circuit_resistor},
                 {"circuit, diode", circuit_diode},
                 {"circuit, Shockley", circuit_shockley}};
    /* an order of two pays for every two digits with ten times the steps */
    static const LiederSolver solvers[] = {LIEDER_ESDIRK23, LIEDER_BDF, LIEDER_RK45, LIEDER_RODAS4};
    static const double tolerances[4][4] = {
        {1e-2, 1e-4}, {1e-4, 1e-6, 1e-8, 1e-10}, {1e-4, 1e-6, 1e-8, 1e-10}, {1e-4, 1e-6, 1e-8}};
    double worst = 0;
    for (int k = 0; k < 4; k++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            LiederSolver solver = solvers[k];
            printf("%-8s %-18s", lieder_solver_name(solver), cases[i].name);
            for (int j = 0; j < UNLESS_SANITIZED(IN_FULL(4, 2), 1) && tolerances[k][j] > 0; j++) {
                size_t steps;
                double error = cases[i].run(solver, tolerances[k][j], &steps) / tolerances[k][j];
                printf("  %7.2g (%zu)", error, steps);
                worst = fmax(worst, error);
            }
            printf("\n");
        }
    assert_true(worst < 1);
}

/* Each lane has the tolerance, however many there are: one crab that swings among many that rest.
 * A mean over all states would let it be wrong by the root of their number. */
static void fleet_is_as_good_as_one(void **unused)
{
    (void)unused;
    enum { FLEET = UNLESS_SANITIZED(100, 10) };
    Lieder *session = lieder_create(NULL);
    build_crabs(session, "Crabs", FLEET, 1e-3);
    LiederSystem *system = system_new(session, "Crabs");
    size_t n = lieder_system_state_count(system);
    double *x = calloc(n, sizeof *x);
    x[state_at(system, "crab[1].revolute.phi")] = 0.5;
    for (LiederSolver solver = LIEDER_ESDIRK23; solver <= LIEDER_RODAS4; solver++) {
        size_t steps;
        LiederSimulateOptions o = options(solver, 1e-4, 2);
        o.x0 = x;
        double worst = compare_with_rk4(system, o, 1e-3, &steps);
        printf("%s: %.2g of the tolerance in a fleet, %zu steps\n", lieder_solver_name(solver),
               worst / 1e-4, steps);
        assert_true(worst < 1e-4);
    }
    free(x);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tolerance_is_kept),
                                       cmocka_unit_test(fleet_is_as_good_as_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
