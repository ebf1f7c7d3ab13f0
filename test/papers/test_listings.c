/* test_listings.c - the listings of the papers as Modelica text against the compiled library.
 *
 * Both have states of the same names. At random states the derivatives of a text and of the same
 * model of library classes are equal up to rounding, whose size is that of the largest
 * derivative there; so are the trajectories of one solver with fixed steps. */
#include <lieder/load.h>

#include "help/engine.h"
#include "help/run.h"

#define LISTINGS "papers/001/DialecticMechanics.mo"
#define LECTURE  "papers/004/VirtualPhysics.mo"

typedef struct Pair {
    Lieder *session;
    LiederSystem *text, *native;
    size_t n;
    size_t place[64]; /* in the text's states, of a state of the library's model */
} Pair;

static LiederSystem *load(Lieder *session, const char *file, const char *model,
                          const LiederOverride *overrides, size_t n)
{
    char path[512];
    snprintf(path, sizeof path, "%s/models/%s", SOURCE_DIR, file);
    assert_int_equal(lieder_load(session, path), LIEDER_DONE);
    LiederSystem *system = lieder_system_load(session, model ? model : lieder_last_model(session),
                                              overrides, n, NULL, NULL);
    if (!system)
        lieder_diagnostic_print_all(session, stderr);
    assert_non_null(system);
    return system;
}

static Pair pair_load(const char *text, const char *model, const char *native,
                      const LiederOverride *overrides, size_t noverride)
{
    Pair p = {.session = lieder_create(NULL)};
    p.text = load(p.session, text, model, NULL, 0);
    p.native = load(p.session, native, NULL, overrides, noverride);
    p.n = lieder_system_state_count(p.native);
    assert_int_equal(lieder_system_state_count(p.text), p.n);
    for (size_t i = 0; i < p.n; i++) {
        char name[256];
        lieder_system_state_name(p.native, i, name, sizeof name);
        p.place[i] = state_at(p.text, name);
    }
    return p;
}

static void pair_drop(Pair *p)
{
    lieder_system_destroy(p->text);
    lieder_system_destroy(p->native);
    lieder_destroy(p->session);
}

static void to_text(const Pair *p, const double *native, double *text)
{
    for (size_t i = 0; i < p->n; i++)
        text[p->place[i]] = native[i];
}

/* the difference of two vectors of states, the second in the order of the text */
static double difference(const Pair *p, const double *native, const double *text)
{
    double most = 0, scale = 1;
    for (size_t i = 0; i < p->n; i++) {
        most = fmax(most, fabs(native[i] - text[p->place[i]]));
        scale = fmax(scale, fabs(native[i]));
    }
    return most / scale;
}

/* 1000 states about the start, `spread` wide, and a trajectory of rk4 */
static void compare(Pair *p, double spread, double h, size_t steps, double tolerance)
{
    uint64_t seed = 11;
    double start[64], x[64], y[64], dx[64], dy[64];
    lieder_system_start(p->native, start);
    for (int k = 0; k < 1000; k++) {
        for (size_t i = 0; i < p->n; i++)
            x[i] = start[i] + random_between(&seed, -spread, spread);
        to_text(p, x, y);
        derivatives(p->session, p->native, 0, x, dx);
        derivatives(p->session, p->text, 0, y, dy);
        assert_true(difference(p, dx, dy) < 1e-12);
    }
    lieder_system_start(p->text, y);
    assert_true(difference(p, start, y) < 1e-15);
    assert_int_equal(lieder_step(p->native, LIEDER_RK4, 0, h, steps, start), LIEDER_DONE);
    assert_int_equal(lieder_step(p->text, LIEDER_RK4, 0, h, steps, y), LIEDER_DONE);
    if (!(difference(p, start, y) < tolerance))
        fail_msg("trajectories differ by %g", difference(p, start, y));
    pair_drop(p);
}

static void crane_crab(void **unused)
{
    (void)unused;
    LiederOverride plain = {.name = "world.damped", .value = "false"};
    Pair p =
        pair_load(LISTINGS, "DialecticMechanics.Examples.CraneCrab", "crane_crab.mo", &plain, 1);
    compare(&p, 2, 1e-3, 10000, 1e-12);
}

static void clamp(void **unused)
{
    (void)unused;
    Pair p =
        pair_load(LISTINGS, "DialecticMechanics.Examples.Clamp", "papers/001/clamp.mo", NULL, 0);
    compare(&p, 1e-3, 1e-4, 10000, 1e-12); /* over all jumps of the force */
}

static void thread_pendulum(void **unused)
{
    (void)unused;
    Pair p = pair_load(LISTINGS, "DialecticMechanics.Examples.ThreadPendulum",
                       "papers/001/thread_pendulum.mo", NULL, 0);
    compare(&p, 0.5, 1e-5, 60000, 1e-12);
}

static void landing_gear(void **unused)
{
    (void)unused;
    Pair p = pair_load(LISTINGS, "DialecticMechanics.Examples.LandingGear",
                       "papers/001/landing_gear.mo", NULL, 0);
    compare(&p, 0.1, 1e-5, 50000, 1e-12);
}

/* the library's model has a filtered sensor, whose state the text has not and nothing reads */
static void table_1(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    LiederSystem *text =
        load(session, LISTINGS, "DialecticMechanics.Examples.SpringDamperSystem", NULL, 0);
    LiederSystem *native = load(session, "papers/000/spring_damper.mo", NULL, NULL, 0);
    double x[16], y[16], dx[16], dy[16];
    size_t n = lieder_system_state_count(text);
    assert_int_equal(n, 4);
    assert_int_equal(lieder_system_state_count(native), n + 1);
    uint64_t seed = 3;
    for (int k = 0; k < 1000; k++) {
        size_t at[4];
        for (size_t i = 0; i <= n; i++)
            y[i] = random_between(&seed, -1, 1);
        for (size_t i = 0; i < n; i++) {
            char name[256];
            lieder_system_state_name(text, i, name, sizeof name);
            at[i] = state_at(native, name);
            x[i] = y[at[i]];
        }
        derivatives(session, text, 0, x, dx);
        derivatives(session, native, 0, y, dy);
        double scale = 1, most = 0;
        for (size_t i = 0; i < n; i++) {
            scale = fmax(scale, fabs(dx[i]));
            most = fmax(most, fabs(dx[i] - dy[at[i]]));
        }
        assert_true(most < 1e-12 * scale);
    }
    lieder_system_start(text, x);
    lieder_system_start(native, y);
    assert_int_equal(lieder_step(text, LIEDER_RK3, 0, 1e-5, 2000, x), LIEDER_DONE);
    assert_int_equal(lieder_step(native, LIEDER_RK3, 0, 1e-5, 2000, y), LIEDER_DONE);
    static const char *const names[] = {"joint.s", "joint.v", "classicalJoint.s",
                                        "classicalJoint.v"};
    for (int i = 0; i < 4; i++) {
        double a = x[state_at(text, names[i])], b = y[state_at(native, names[i])];
        assert_close(a, b, 1e-12);
    }
    /* the same eigenvalues: after one time constant of the filter the motions agree */
    double s = x[state_at(text, "joint.s")], classical = x[state_at(text, "classicalJoint.s")];
    assert_true(fabs(s - classical) < 1e-3);
    lieder_system_destroy(text);
    lieder_system_destroy(native);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ the lecture */

/* index reduction by hand: s1 = |s2| s2, v1 = 2 |s2| v2, and with q = 2 |s2| the motion of s2 is
 * (m2 + m1 q^2) v2' = -20 (s2 - 5) - q s1 - m1 q * 2 sign(s2) v2^2 */
static void two_springs(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    LiederSystem *s = load(session, LECTURE, "VirtualPhysics.TwoSpringsWithConstraint", NULL, 0);
    assert_int_equal(lieder_system_state_count(s), 2);
    uint64_t seed = 5;
    for (int k = 0; k < 1000; k++) {
        double s2 = random_between(&seed, -6, 6), v2 = random_between(&seed, -3, 3), x[2], dx[2];
        double q = 2 * fabs(s2), side = s2 < 0 ? -1 : 1;
        x[state_at(s, "s2")] = s2;
        x[state_at(s, "v2")] = v2;
        derivatives(session, s, 0, x, dx);
        double a =
            (-20 * (s2 - 5) - q * fabs(s2) * s2 - 10 * q * 2 * side * v2 * v2) / (2 + 10 * q * q);
        assert_close(dx[state_at(s, "s2")], v2, 1e-14 * fabs(v2));
        assert_close(dx[state_at(s, "v2")], a, 1e-12 * (1 + 40 * q * v2 * v2));
    }
    lieder_system_destroy(s);
    lieder_destroy(session);
}

/* energy of both springs and masses, which the constraint keeps; in integrals of the velocities the
 * constraint is lost: s1 - |s2| s2 drifts */
static void constraint_and_drift(void **unused)
{
    (void)unused;
    static const char *const names[] = {"s1", "s2", "v1", "v2", NULL};
    static const char *const models[] = {"VirtualPhysics.TwoSpringsWithConstraint",
                                         "VirtualPhysics.TwoSpringsWithVelocities"};
    double drift[2];
    for (int k = 0; k < 2; k++) {
        Lieder *session = lieder_create(NULL);
        LiederSystem *s = load(session, LECTURE, models[k], NULL, 0);
        LiederObserver *observer = lieder_observer_create(s);
        double v[4], x[8], h = 0.02;
        for (int i = 0; i < 4; i++)
            assert_int_equal(lieder_observer_add(observer, names[i]), i);
        lieder_system_start(s, x);
        /* coarse steps, as in the lecture */
        assert_int_equal(lieder_step(s, LIEDER_RK2, 0, h, 1000, x), LIEDER_DONE);
        assert_int_equal(lieder_observer_evaluate(observer, 20, x, v), LIEDER_DONE);
        drift[k] = fabs(v[0] - fabs(v[1]) * v[1]);
        lieder_observer_destroy(observer);
        lieder_system_destroy(s);
        lieder_destroy(session);
    }
    assert_true(drift[0] < 1e-12);
    assert_true(drift[1] > 1e-4);
}

/* the mass slides with mu_S until it sticks: v falls by mu_S g t */
static void sliding_mass(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    LiederSystem *s = load(session, LECTURE, "VirtualPhysics.SlidingMass", NULL, 0);
    double x[2], g = 9.81;
    lieder_system_start(s, x);
    assert_int_equal(lieder_step(s, LIEDER_RK4, 0, 1e-4, 8000, x), LIEDER_DONE);
    LiederObserver *o = lieder_observer_create(s);
    double v;
    lieder_observer_add(o, "mass.v");
    assert_int_equal(lieder_observer_evaluate(o, 0.8, x, &v), LIEDER_DONE);
    assert_close(v, 3 - 0.3 * g * 0.8, 1e-12);
    lieder_observer_destroy(o);
    lieder_system_destroy(s);
    lieder_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crane_crab),
        cmocka_unit_test(clamp),
        cmocka_unit_test(thread_pendulum),
        cmocka_unit_test(landing_gear),
        cmocka_unit_test(table_1),
        cmocka_unit_test(two_springs),
        cmocka_unit_test(constraint_and_drift),
        cmocka_unit_test(sliding_mass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
