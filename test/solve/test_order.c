/* test_order.c - observed order, stability limits on both axes, L-stability. */
#include "help/full.h"
#include "solve/help.h"

/* ------------------------------------------------------------------ order */

static void end_of_run(LiederSystem *system, LiederSolver solver, double stop, double step,
                       double *x)
{
    LiederSimulateOptions o = lieder_simulate_defaults();
    Rows rows = {0};
    o.stop = stop;
    o.solver = solver;
    o.step = step;
    o.interval = stop;
    assert_int_equal(run_rows(system, o, &rows, NULL), LIEDER_DONE);
    memcpy(x, last_row(&rows), rows.nstate * sizeof *x);
    rows_drop(&rows);
}

/* A crane crab over a second, the step halved each time; the reference is rk4 with a step eight
 * times shorter than the shortest, whose error is below 1e-12. */
static void check_order(double TD, LiederSolver solver, double step, double order, double slack)
{
    Lieder *session = lieder_create(NULL);
    build_crabs(session, "M", 1, TD);
    LiederSystem *system = system_new(session, "M");
    double reference[4], x[4], error[4];
    end_of_run(system, LIEDER_RK4, 1, 1.0 / 8192, reference);
    for (int k = 0; k < 3; k++) {
        end_of_run(system, solver, 1, step / (1 << k), x);
        error[k] = 0;
        for (int i = 0; i < 4; i++)
            error[k] = fmax(error[k], fabs(x[i] - reference[i]));
    }
    double seen = log2(error[1] / error[2]);
    printf("%-14s TD = %-5g error %.3e, order %.3f\n", lieder_solver_name(solver), TD, error[2],
           seen);
    assert_true(fabs(seen - order) < slack);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

static void order_of_fixed_solvers(void **unused)
{
    (void)unused;
    for (int k = 0; k < 2; k++) {
        double TD = k ? 0.02 : 0;
        check_order(TD, LIEDER_RK1, 1.0 / 512, 1, 0.1);
        check_order(TD, LIEDER_RK2, 1.0 / 128, 2, 0.1);
        check_order(TD, LIEDER_RK3, 1.0 / 64, 3, 0.2);
        check_order(TD, LIEDER_RK4, 1.0 / 64, 4, 0.25);
        check_order(TD, LIEDER_EULER_BACKWARD, 1.0 / 512, 1, 0.1);
    }
}

/* The error of an adaptive solver of order p goes with the steps as steps^-p. */
static void check_adaptive(double TD, LiederSolver solver, double coarse, double fine, double slack)
{
    Lieder *session = lieder_create(NULL);
    build_crabs(session, "M", 1, TD);
    LiederSystem *system = system_new(session, "M");
    double reference[4], error[2], steps[2];
    end_of_run(system, LIEDER_RK4, 1, 1.0 / 8192, reference);
    for (int i = 0; i < 2; i++) {
        LiederSimulateOptions o = lieder_simulate_defaults();
        LiederStatistics s;
        Rows rows = {0};
        o.solver = solver;
        o.tolerance = i ? fine : coarse;
        assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE);
        error[i] = 0;
        for (size_t q = 0; q < 4; q++)
            error[i] = fmax(error[i], fabs(last_row(&rows)[q] - reference[q]));
        steps[i] = (double)s.steps;
        if (lieder_solver_info(solver)->implicit)
            assert_true(s.jacobians > 0 && s.factorisations > 0);
        assert_true(s.limiting_state >= 0 && s.evaluations > s.steps);
        rows_drop(&rows);
    }
    double seen = log(error[0] / error[1]) / log(steps[1] / steps[0]);
    printf("%s errors %.2e %.2e steps %g %g order %.3f\n", lieder_solver_name(solver), error[0],
           error[1], steps[0], steps[1], seen);
    assert_true(fabs(seen - lieder_solver_info(solver)->order) < slack);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

static void order_of_adaptive_solvers(void **unused)
{
    (void)unused;
    for (int k = 0; k < 2; k++) {
        double TD = k ? 0.02 : 0;
        check_adaptive(TD, LIEDER_ESDIRK23, 1e-4, 1e-6, 0.2);
        check_adaptive(TD, LIEDER_RK45, 1e-5, 1e-8, 0.5);
        check_adaptive(TD, LIEDER_RODAS4, 1e-4, 1e-7, 0.4);
    }
}

/* ------------------------------------------------------------------ stability limits */

/* does the oscillation die out (or stay) with this step? */
static bool stable(LiederSystem *system, LiederSolver solver, double step)
{
    double x[2];
    lieder_system_start(system, x);
    /* growth by 1.0001 per step, a tenth of the demanded precision, is 1e8 after 2e5 steps, and 2.7
     * after 1e4, which still serves here */
    if (lieder_step(system, solver, 0, step, IN_FULL(200000, 10000), x) != LIEDER_DONE)
        return false;
    return fabs(x[0]) < 10 && fabs(x[1]) < 10;
}

/* m s'' + d s' = 0 has the eigenvalue -d/m; m s'' + c s = 0 has +- i sqrt(c/m) */
static void stability_limits(void **unused)
{
    (void)unused;
    static const struct {
        LiederSolver solver;
        double real, imaginary;
    } theory[] = {{LIEDER_RK1, 2, 0},
                  {LIEDER_RK2, 2, 0},
                  {LIEDER_RK3, 2.512745, 1.732051},
                  {LIEDER_RK4, 2.785294, 2.828427}};
    Lieder *session = lieder_create(NULL);
    build_oscillator(session, "Real", 1, 0, 1, 0, 0, 1);
    build_oscillator(session, "Imaginary", 1, 1, 0, 0, 0, 1);
    LiederSystem *damper = system_new(session, "Real"), *spring = system_new(session, "Imaginary");
    for (size_t i = 0; i < sizeof theory / sizeof *theory; i++) {
        double seen[2] = {0};
        for (int axis = 0; axis < (theory[i].imaginary > 0 ? 2 : 1); axis++) {
            double low = 0.5, high = 4;
            for (int k = 0; k < 16; k++) {
                double middle = 0.5 * (low + high);
                *(stable(axis ? spring : damper, theory[i].solver, middle) ? &low : &high) = middle;
            }
            seen[axis] = low;
            double expected = axis ? theory[i].imaginary : theory[i].real;
            assert_true(fabs(low / expected - 1) < 1e-3);
        }
        printf("%s real %.6f imaginary %.6f\n", lieder_solver_name(theory[i].solver), seen[0],
               seen[1]);
    }
    lieder_system_destroy(damper);
    lieder_system_destroy(spring);
    lieder_destroy(session);
}

/* A damper of 1e8 with steps of 0.1: an L-stable method damps the velocity in a step or two by
 * many orders, an A-stable one like the trapezoidal rule would let it ring. */
static void l_stability(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_oscillator(session, "Stiff", 1, 0, 1e8, 0, 0, 1);
    LiederSystem *system = system_new(session, "Stiff");
    size_t v = state_at(system, "o.joint.v");
    LiederSimulateOptions o = lieder_simulate_defaults();
    Rows rows = {0};
    o.solver = LIEDER_EULER_BACKWARD;
    o.step = o.interval = 0.1;
    assert_int_equal(run_rows(system, o, &rows, NULL), LIEDER_DONE);
    assert_true(fabs(rows.x[1 * rows.nstate + v]) < 2e-7); /* 1/(1 + 1e7) */
    assert_true(fabs(last_row(&rows)[v]) < 1e-12);
    rows_drop(&rows);
    LiederStatistics s;
    o = lieder_simulate_defaults();
    o.solver = LIEDER_ESDIRK23;
    o.tolerance = 1e-2;
    o.stop = 100;
    assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE);
    printf("esdirk23 on lambda = -1e8: %zu steps, largest %g, v at the end %g\n", s.steps,
           s.largest_step, last_row(&rows)[v]);
    assert_true(s.steps < 200 && s.largest_step > 1); /* h lambda = 1e8 */
    assert_true(fabs(last_row(&rows)[v]) < 1e-4);
    rows_drop(&rows);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_of_fixed_solvers), cmocka_unit_test(order_of_adaptive_solvers),
        cmocka_unit_test(stability_limits), cmocka_unit_test(l_stability)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
