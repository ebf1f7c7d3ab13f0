/* test_models.c - the models under models/ run from their text, and their physics is right. */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <lieder/simulate.h>

#include "front/front.h"

enum { MOST_VALUES = 6, MOST_ROWS = 20000 };

/* a run of a model, with the values of some variables at every row */
typedef struct Run {
    Lieder *session;
    Front *front;
    LiederSystem *system;
    LiederObserver *observer;
    LiederStatistics statistics;
    size_t nvalue, nrow;
    double t[MOST_ROWS], value[MOST_ROWS][MOST_VALUES];
} Run;

static bool keep_row(void *user, double t, const double *x, LiederRow kind)
{
    Run *run = user;
    (void)kind;
    if (run->nrow == MOST_ROWS)
        return true;
    run->t[run->nrow] = t;
    return lieder_observer_evaluate(run->observer, t, x, run->value[run->nrow++]) == LIEDER_DONE;
}

/* paths end with NULL; solver and step 0: what the program would choose */
static Run *run_model(const char *file, const FrontOverride *overrides, size_t noverride,
                      LiederSolver solver, double step, double tolerance, const char *const *paths)
{
    Run *run = calloc(1, sizeof *run);
    char path[512];
    FrontExperiment experiment;
    const char *name = NULL;
    assert_non_null(run);
    snprintf(path, sizeof path, "%s/models/%s", SOURCE_DIR, file);
    run->session = lieder_create(NULL);
    run->front = front_create(run->session);
    bool ok = front_load(run->front, path) == LIEDER_DONE &&
              front_instantiate(run->front, front_last_model(run->front), overrides, noverride,
                                &experiment, &name) == LIEDER_DONE &&
              (run->system = lieder_system_create(run->session, name, NULL)) != NULL;
    lieder_diagnostic_print_all(run->session, stderr);
    assert_true(ok);
    run->observer = lieder_observer_create(run->system);
    for (; paths[run->nvalue]; run->nvalue++)
        assert_true(lieder_observer_add(run->observer, paths[run->nvalue]) >= 0);
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.stop = experiment.stop;
    o.interval = isnan(experiment.interval) ? 0 : experiment.interval;
    o.solver = solver;
    o.step = step;
    if (tolerance > 0)
        o.tolerance = tolerance;
    o.output = keep_row;
    o.user = run;
    LiederStatus status = lieder_simulate(run->system, &o, &run->statistics);
    lieder_diagnostic_print_all(run->session, stderr);
    assert_int_equal(status, LIEDER_DONE);
    assert_true(run->nrow > 1);
    return run;
}

static void drop(Run *run)
{
    lieder_observer_destroy(run->observer);
    lieder_system_destroy(run->system);
    front_destroy(run->front);
    lieder_destroy(run->session);
    free(run);
}

/* a value at a time that is a row, the last one if there are two */
static double at(const Run *run, double t, size_t value)
{
    for (size_t i = run->nrow; i-- > 0;)
        if (fabs(run->t[i] - t) < 1e-9)
            return run->value[i][value];
    fail_msg("no row at %g", t);
    return 0;
}

static void assert_close(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.12g, expected %.12g within %g", value, expected, tolerance);
}

/* every model of the folder is whole: it becomes a system and can be evaluated at its start */
static void all_models_start(void **state)
{
    (void)state;
    DIR *folder = opendir(SOURCE_DIR "/models");
    int count = 0;
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        size_t n = strlen(entry->d_name);
        if (n < 4 || strcmp(entry->d_name + n - 3, ".mo") != 0)
            continue;
        char path[600];
        const char *name = NULL;
        snprintf(path, sizeof path, "%s/models/%s", SOURCE_DIR, entry->d_name);
        Lieder *session = lieder_create(NULL);
        Front *front = front_create(session);
        bool ok =
            front_load(front, path) == LIEDER_DONE &&
            front_instantiate(front, front_last_model(front), NULL, 0, NULL, &name) == LIEDER_DONE;
        LiederSystem *system = ok ? lieder_system_create(session, name, NULL) : NULL;
        lieder_diagnostic_print_all(session, stderr);
        assert_non_null(system);
        size_t nstate = lieder_system_state_count(system);
        double *x = malloc(2 * nstate * sizeof *x);
        lieder_system_start(system, x);
        assert_int_equal(lieder_system_derivatives(system, 0, x, x + nstate), LIEDER_DONE);
        free(x);
        lieder_system_destroy(system);
        front_destroy(front);
        lieder_destroy(session);
        count++;
    }
    closedir(folder);
    assert_true(count >= 8);
}

/* The whole moves with a = F / (M + m), and the ball sits deeper in the jaw that pushes it by
 * m a / 2c, whatever T_D. Without damping but with T_D the oscillation has died out after 0.2 s. */
static void clamp(void **state)
{
    (void)state;
    const char *const paths[] = {"slide.s", "leftGap.s_rel", "rightGap.s_rel", "slide.v", NULL};
    Run *run = run_model("clamp.mo", NULL, 0, LIEDER_RK3, 1e-3, 0, paths);
    double a = 10 / 2.5, shift = 0.5 * a / (2 * 2e6);
    /* relative to the indentation of 1e-4: what is left of the oscillation is below 1e-5 of it */
    assert_close(at(run, 0.298, 1), 0.05 - shift, 1e-9);
    assert_close(at(run, 0.298, 2), 0.05 + shift, 1e-9);
    assert_close(at(run, 0.55, 1), 0.05, 1e-9);
    assert_close(at(run, 0.798, 1), 0.05 + shift, 1e-9);
    /* pushed 0.2 s, coasting 0.3 s, stopped 0.2 s: v = 0.8 m/s over 0.5 s; T_D delays by O(T_D v)
     */
    assert_close(at(run, 1.0, 3), 0, 1e-6);
    assert_close(at(run, 1.0, 0), 0.8 * 0.5, 2e-3);
    drop(run);
}

/* While the thread is taut it is longer by f / c; the body never leaves the circle by more than the
 * thread gives way, and energy is only lost. */
static void thread_pendulum(void **state)
{
    (void)state;
    const char *const paths[] = {"prismatic.s", "body.frame_a.y", "body.frame_a.vx",
                                 "body.frame_a.vy", NULL};
    Run *run = run_model("thread_pendulum.mo", NULL, 0, LIEDER_BDF, 0, 1e-8, paths);
    double first = 0;
    bool slack = false;
    for (size_t i = 0; i < run->nrow; i++) {
        const double *v = run->value[i];
        double energy = 0.5 * (v[2] * v[2] + v[3] * v[3]) + 9.81 * v[1];
        if (i == 0)
            first = energy;
        assert_true(v[0] < 1 + 5e-3);
        assert_true(energy < first + 1e-3);
        slack |= v[0] < 0.98;
        if (!slack) {
            /* m (v^2 / l - g sin) = c (s - 1), with sin = -y / s; 2 % for the first swing-in */
            double force = (v[2] * v[2] + v[3] * v[3]) / v[0] - 9.81 * v[1] / v[0];
            if (run->t[i] > 0.1 && run->t[i] < 0.3)
                assert_close((v[0] - 1) * 1e6, force, 0.02 * force);
        }
    }
    assert_true(slack);
    drop(run);
}

/* at rest on the stop: c (phi_stop - phi) = m g l cos phi */
static void limited_joint(void **state)
{
    (void)state;
    const char *const paths[] = {"revolute.phi", "revolute.w", NULL};
    Run *run = run_model("limited_joint.mo", NULL, 0, LIEDER_BDF, 0, 1e-9, paths);
    double phi = run->value[run->nrow - 1][0];
    assert_close(run->value[run->nrow - 1][1], 0, 1e-6);
    assert_close(1e5 * (-0.5 - phi), 9.81 * cos(phi), 1e-4);
    drop(run);
}

/* The same step for 1e6, 1e12 and 1e18 N/m; both bodies end where a rigid pair would: pushed for
 * 0.1 s with a = 5 m/s2 and stopped, 0.05 m. During the push the spring holds F/2. */
static void two_masses(void **state)
{
    (void)state;
    const char *const paths[] = {"body1.flange_a.s", "joint2.s", "joint1.v", NULL};
    const char *const stiffness[] = {"1e6", "1e12", "1e18"};
    /* at 1e18 N/m the spring is 5e-18 m long: rounding of accelerations of 5 m/s2 is 1 % of that */
    const double tolerance[] = {1e-6, 1e-4, 0.2};
    for (int i = 0; i < 3; i++) {
        FrontOverride c = {.name = "c", .value = stiffness[i]};
        Run *run = run_model("two_masses.mo", &c, 1, LIEDER_RK3, 1e-4, 0, paths);
        assert_close(at(run, 0.3, 0), 0.05,
                     2e-4); /* T_D shifts it by T_D times the velocity changes */
        assert_close(at(run, 0.3, 2), 0, 1e-7);
        /* the body behind pulls: s_2 - s_1 = -F / 2c, after the oscillation of period 7.26 ms died
         */
        double relative = at(run, 0.0999, 1) * strtod(stiffness[i], NULL);
        assert_close(relative, -5, tolerance[i]);
        drop(run);
    }
}

/* Slides with mu g until v = R w: t = (v0 - R w0) / (3.5 mu g), then rolls with (5 v0 + 2 R w0)
 * / 7. The regularised friction is late by its adhesion velocity over mu g, a third of a
 * millisecond. */
static void counter_spin(void **state)
{
    (void)state;
    const char *const paths[] = {"travel.v", "spin.w", NULL};
    Run *run = run_model("counter_spin.mo", NULL, 0, LIEDER_BDF, 0, 1e-8, paths);
    double v0 = 2, w0 = -60, R = 0.1, rolls = (v0 - R * w0) / (3.5 * 0.3 * 9.81);
    double last = run->value[run->nrow - 1][0], begin = 0;
    assert_close(last, (5 * v0 + 2 * R * w0) / 7, 1e-5);
    assert_close(last, R * run->value[run->nrow - 1][1], 1e-6);
    for (size_t i = 0; i < run->nrow && begin == 0; i++)
        if (fabs(run->value[i][0] - R * run->value[i][1]) < 2e-3)
            begin = run->t[i];
    assert_close(begin, rolls, 0.005); /* rows are 4 ms apart */
    assert_close(at(run, 0.4, 0), v0 - 0.3 * 9.81 * 0.4, 1e-4);
    drop(run);
}

/* Eight states; the leg stops where the brace is straight, the loop stays closed, and what moves
 * comes to rest hanging on the straight brace. */
static void landing_gear(void **state)
{
    (void)state;
    const char *const paths[] = {"legJoint.phi", "closure.s_relx", "closure.s_rely",
                                 "legJoint.w",   "hingeJoint.phi", NULL};
    Run *run = run_model("landing_gear.mo", NULL, 0, LIEDER_BDF, 0, 1e-7, paths);
    assert_int_equal(lieder_system_state_count(run->system), 8);
    /* maximal extension: |P - D| = L1 + L2 */
    double reach = 1.18, cosine = 0, low = 2;
    /* |P - D|^2 = b^2 + 1 - 2 b sin phi */
    cosine = (0.7 * 0.7 + 1 - reach * reach) / (2 * 0.7);
    double straight = asin(cosine);
    for (size_t i = 0; i < run->nrow; i++) {
        low = fmin(low, run->value[i][0]);
        assert_true(hypot(run->value[i][1], run->value[i][2]) < 5e-3);
    }
    assert_true(low < straight + 0.05); /* it got there */
    assert_true(low > straight - 0.05); /* and not through */
    drop(run);
}

/* a million crabs from text are lanes: memory grows by the parameter that differs, no more */
static void fleet(void **state)
{
    (void)state;
    Lieder *session = lieder_create(NULL);
    Front *front = front_create(session);
    FrontOverride n = {.name = "n", .value = "1000000"};
    const char *name = NULL;
    assert_int_equal(front_load(front, SOURCE_DIR "/models/fleet.mo"), LIEDER_DONE);
    assert_int_equal(front_instantiate(front, "Fleet", &n, 1, NULL, &name), LIEDER_DONE);
    LiederSystem *system = lieder_system_create(session, name, NULL);
    assert_non_null(system);
    LiederSystemInfo info = lieder_system_info(system);
    assert_int_equal(info.nstate, 4000000);
    /* the mass of the cart, once as written and once as lanes, and the setting it came from */
    assert_true(info.bytes < 1000000 * 40.0);
    lieder_system_destroy(system);
    front_destroy(front);
    lieder_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_models_start), cmocka_unit_test(clamp),
        cmocka_unit_test(thread_pendulum),  cmocka_unit_test(limited_joint),
        cmocka_unit_test(two_masses),       cmocka_unit_test(counter_spin),
        cmocka_unit_test(landing_gear),     cmocka_unit_test(fleet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
