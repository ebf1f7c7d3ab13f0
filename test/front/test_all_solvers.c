/* test_all_solvers.c - every model under models/ by every solver: they come to the same states.
 *
 * What is right is the run of bdf with a tolerance of 1e-10. A method with fixed steps is compared
 * with it at 2500 and at 5000 steps: its error must go down with the step, to 0.6 at most where
 * the order is one, or be below 1e-5 already. A method that chooses its steps has 1e-6 as
 * tolerance, which becomes 1e-3 where a motion multiplies errors; beyond that it must become
 * smaller with the tolerance. A step that is too long for an explicit method is reported: that is
 * a right answer, too. In brief each model is run by every fourth solver, the next one by those
 * beside them. */
#define _GNU_SOURCE /* nftw */
#include <ftw.h>

#include "help/run.h"
#include "help/full.h"

enum { MAX_STATES = 2000, FIXED_STEPS = 2500 };

typedef struct Model {
    Lieder *session;
    Front *front;
    LiederSystem *system;
    const char *path;
    size_t n;
    double stop;
    double right[MAX_STATES], last[MAX_STATES];
} Model;

static size_t models_run, runs, refusals;

static bool keep_state(void *user, double t, const double *x, LiederRow kind)
{
    Model *m = user;
    (void)t;
    (void)kind;
    memcpy(m->last, x, m->n * sizeof *x);
    return true;
}

/* the text of an error of the session */
static bool is_reported(const Model *m, const char *text)
{
    for (size_t k = 0; k < lieder_diagnostic_count(m->session); k++)
        if (strstr(lieder_diagnostic_get(m->session, k)->message, text))
            return true;
    return false;
}

/* the largest difference of a state from what is right, of its size; INFINITY: the step is too long
 */
static double error_of(Model *m, LiederSolver solver, double steps, double tolerance)
{
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.solver = solver;
    o.stop = o.interval = m->stop;
    o.step = steps > 0 ? m->stop / steps : 0;
    if (tolerance > 0)
        o.tolerance = tolerance;
    o.output = keep_state;
    o.user = m;
    lieder_diagnostic_clear(m->session);
    LiederStatus status = lieder_simulate(m->system, &o, NULL);
    runs++;
    if (status < 0 && steps > 0 && is_reported(m, "too long for")) {
        refusals++;
        return INFINITY;
    }
    if (status < 0)
        lieder_diagnostic_print_all(m->session, stderr);
    if (status < 0)
        fail_msg("%s by %s fails", m->path, lieder_solver_name(solver));
    double worst = 0;
    for (size_t i = 0; i < m->n; i++)
        worst = fmax(worst, fabs(m->last[i] - m->right[i]) / fmax(fabs(m->right[i]), 1e-3));
    return worst;
}

static void compare_solver(Model *m, LiederSolver solver)
{
    bool adaptive = lieder_solver_info(solver)->adaptive;
    double coarse = adaptive ? error_of(m, solver, 0, 1e-6) : error_of(m, solver, FIXED_STEPS, 0);
    if (coarse <= (adaptive ? 1e-3 : 1e-5))
        return;
    double fine = adaptive ? error_of(m, solver, 0, 1e-8) : error_of(m, solver, 2 * FIXED_STEPS, 0);
    if (isfinite(coarse) && isfinite(fine) && !(fine <= fmax(0.6 * coarse, 1e-5)))
        fail_msg("%s by %s: an error of %g becomes %g", m->path, lieder_solver_name(solver), coarse,
                 fine);
}

/* switching is resolved by 2500 steps */
static double horizon(const char *path, double stop)
{
    return fmin(strstr(path, "buck.mo") ? 1e-3 : 0.05, stop);
}

static int run_file(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)place;
    size_t n = strlen(path);
    if (kind != FTW_F || n < 4 || strcmp(path + n - 3, ".mo") != 0)
        return 0;
    Model *m = calloc(1, sizeof *m);
    assert_non_null(m);
    const bool many = strstr(path, "/scale/") != NULL;
    const FrontOverride few = {.name = "n", .value = "3"};
    const char *name = NULL;
    FrontExperiment experiment;
    m->path = path;
    m->session = lieder_create(NULL);
    m->front = front_create(m->session);
    bool ok = front_load(m->front, path) == LIEDER_DONE &&
              front_instantiate(m->front, front_last_model(m->front), &few, many, &experiment,
                                &name) == LIEDER_DONE;
    m->system = ok ? lieder_system_create(m->session, name, NULL) : NULL;
    if (!m->system)
        fail_msg("%s is no system", path);
    m->n = lieder_system_state_count(m->system);
    m->stop = horizon(path, experiment.stop);
    assert_true(m->n <= MAX_STATES);
    error_of(m, LIEDER_BDF, 0, 1e-10);
    memcpy(m->right, m->last, sizeof m->right);
    for (int solver = LIEDER_SOLVER_AUTO + 1; solver < LIEDER_SOLVER_COUNT; solver++)
        if (((size_t)solver + models_run) % IN_FULL(1, 4) == 0)
            compare_solver(m, (LiederSolver)solver);
    lieder_system_destroy(m->system);
    front_destroy(m->front);
    lieder_destroy(m->session);
    free(m);
    models_run++;
    return 0;
}

static void all_models_by_all_solvers(void **state)
{
    (void)state;
    assert_int_equal(nftw(SOURCE_DIR "/models", run_file, 8, FTW_PHYS), 0);
    assert_true(models_run >= 50 && runs >= IN_FULL(10, 3) * models_run &&
                refusals <= models_run / 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_models_by_all_solvers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
