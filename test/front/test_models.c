/* test_models.c - the models under models/ run from their text, and their physics is right. */
#define _GNU_SOURCE /* nftw */
#include <ftw.h>

#include "help/run.h"

static int models_started;

/* a file under models/ that is a model becomes a system and can be evaluated at its start */
static int start_model(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)place;
    size_t n = strlen(path);
    const char *name = NULL;
    if (kind != FTW_F || n < 4 || strcmp(path + n - 3, ".mo") != 0)
        return 0;
    Lieder *session = lieder_create(NULL);
    Front *front = front_create(session);
    bool ok =
        front_load(front, path) == LIEDER_DONE &&
        front_instantiate(front, front_last_model(front), NULL, 0, NULL, &name) == LIEDER_DONE;
    LiederSystem *system = ok ? lieder_system_create(session, name, NULL) : NULL;
    lieder_diagnostic_print_all(session, stderr);
    if (!system)
        fail_msg("%s is no system", path);
    size_t nstate = lieder_system_state_count(system);
    double *x = malloc(2 * nstate * sizeof *x);
    lieder_system_start(system, x);
    assert_int_equal(lieder_system_derivatives(system, 0, x, x + nstate), LIEDER_DONE);
    free(x);
    lieder_system_destroy(system);
    front_destroy(front);
    lieder_destroy(session);
    models_started++;
    return 0;
}

static void all_models_start(void **state)
{
    (void)state;
    assert_int_equal(nftw(SOURCE_DIR "/models", start_model, 8, FTW_PHYS), 0);
    assert_true(models_started >= 10);
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
    assert_close(run_at(run, 0.298, 1), 0.05 - shift, 1e-9);
    assert_close(run_at(run, 0.298, 2), 0.05 + shift, 1e-9);
    assert_close(run_at(run, 0.55, 1), 0.05, 1e-9);
    assert_close(run_at(run, 0.798, 1), 0.05 + shift, 1e-9);
    /* pushed 0.2 s, coasting 0.3 s, stopped 0.2 s: v = 0.8 m/s over 0.5 s; T_D delays by O(T_D v)
     */
    assert_close(run_at(run, 1.0, 3), 0, 1e-6);
    assert_close(run_at(run, 1.0, 0), 0.8 * 0.5, 2e-3);
    run_drop(run);
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
    run_drop(run);
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
    run_drop(run);
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
    run_drop(run);
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
        cmocka_unit_test(landing_gear),     cmocka_unit_test(fleet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
