/* test_sticking.c - friction that sticks, against closed forms, by adaptive solvers and by fixed
 * steps, with classical and with dialectic joints. */
#include "help/run.h"

/* adaptive runs are as exact as events are located, fixed steps to the length of a step */
static const struct Way {
    LiederSolver solver;
    double step, TD, error;
} ways[] = {
    {LIEDER_BDF, 0, 0, 1e-5},
    {LIEDER_RK45, 0, 0, 1e-5},
    {LIEDER_RK4, 1e-3, 0, 5e-3},
    {LIEDER_RK1, 1e-3, 1e-3, 8e-3},
};
enum { NWAY = sizeof ways / sizeof *ways };

static Run *run_way(const struct Way *way, const char *text, double stop, const char *const *paths)
{
    char whole[4000];
    snprintf(whole, sizeof whole, "model T\n  inner Dialectic.World world(TD = %g);\n%s", way->TD,
             text);
    Run *run = run_load_text(whole, paths);
    run->options.stop = stop;
    run->options.interval = 0.05;
    run->options.solver = way->solver;
    run->options.step = way->step;
    run->options.tolerance = 1e-8;
    run_start(run, LIEDER_DONE);
    return run;
}

#define SLIDER                                                                                     \
    "  Dialectic.Translational.Fixed ground; Dialectic.Translational.Body body(m = 2, g = 0);\n"   \
    "  Dialectic.Translational.Force force;\n"
#define CONNECT_SLIDER                                                                             \
    "equation\n  connect(ground.flange_b, joint.flange_a);\n"                                      \
    "  connect(joint.flange_b, body.flange_a); connect(force.flange, body.flange_a);\n"

/* v = 3 - t/2 until it stops after 6 s and 9 m, and rests under a force that is too weak */
static void stops(void **unused)
{
    (void)unused;
    static const char *const paths[] = {"joint.s", "joint.v", "friction.mode", "friction.f", NULL};
    for (int k = 0; k < NWAY; k++) {
        Run *run = run_way(
            &ways[k],
            SLIDER "  Dialectic.Translational.Joint joint(v(start = 3));\n"
                   "  Dialectic.Translational.CoulombFriction friction(F_Coulomb = 1);\n"
                   "  Signals.Step push(height = 0.9, startTime = 8);\n" CONNECT_SLIDER
                   "  connect(ground.flange_b, friction.flange_a); connect(push.y, force.f);\n"
                   "  connect(joint.flange_b, friction.flange_b);\nend T;\n",
            10, paths);
        for (size_t i = 0; i < run->nrow; i++) {
            double t = run->t[i], v = fmax(3 - t / 2, 0), s = t < 6 ? 3 * t - t * t / 4 : 9;
            assert_close(run->value[i][0], s, ways[k].error);
            assert_close(run->value[i][1], v, ways[k].error);
        }
        assert_true(run_last(run, 2) == 0);
        assert_close(run_last(run, 3), 0.9, 1e-3);
        assert_close(run_last(run, 1), 0, 1e-8);
        run_drop(run);
    }
}

/* a brake holds up to peak mu fn = 1.5; pushed with the force t it breaks away at 1.5 s, and slides
 * with mu fn = 1: 2 v' = t - 1 */
static void breaks_away(void **unused)
{
    (void)unused;
    static const char *const paths[] = {"joint.v", "brake.mode", NULL};
    for (int k = 0; k < NWAY; k++) {
        Run *run = run_way(
            &ways[k],
            SLIDER "  Dialectic.Translational.Joint joint;\n"
                   "  Dialectic.Translational.Brake brake(mu = 0.5, fn_max = 4, peak = 1.5);\n"
                   "  Signals.Constant half(k = 0.5); Signals.Ramp push(height = 4, duration = "
                   "4);\n" CONNECT_SLIDER
                   "  connect(brake.flange, body.flange_a); connect(push.y, force.f);\n"
                   "  connect(half.y, brake.f_normalized);\nend T;\n",
            4, paths);
        for (size_t i = 0; i < run->nrow; i++) {
            double t = run->t[i], v = t < 1.5 ? 0 : ((t * t - 2.25) / 2 - (t - 1.5)) / 2;
            assert_close(run->value[i][0], v, ways[k].error);
            assert_true(run->value[i][1] == (t > 1.5) || fabs(t - 1.5) < 2e-3);
        }
        run_drop(run);
    }
}

/* On a belt of 0.1 m/s, held by a spring of 10 N/m: sticks up to 2 N, slides with 1 N. With m = 1
 * the sliding part is half a circle and a bit; here the belt rests and the other end of the spring
 * moves backwards. */
static void stick_slip(void **unused)
{
    (void)unused;
    static const char *const paths[] = {"joint.s", "joint.v", "brake.mode", NULL};
    double belt = 0.1, w = sqrt(10), a = 0.1;
    /* one period: from the place where it sticks again to 0.2 on the belt, and back */
    double slide = (M_PI + 2 * atan2(belt / w, a)) / w;
    double period = slide + 2 * a / belt; /* it sticks again at 0, mirrored about 0.1 */
    for (int k = 0; k < NWAY; k++) {
        Run *run = run_way(
            &ways[k],
            "  Dialectic.Translational.Fixed ground;\n"
            "  Dialectic.Translational.Body body(m = 1, g = 0); Dialectic.Translational.Joint "
            "joint;\n"
            "  Dialectic.Translational.Brake brake(mu = 0.5, fn_max = 2, peak = 2);\n"
            "  Dialectic.Translational.Spring spring(c = 10);\n"
            "  Dialectic.Translational.Speed pull(v_start = -0.1);\n"
            "  Signals.Constant full(k = 1), v(k = -0.1);\n"
            "equation\n  connect(ground.flange_b, joint.flange_a);\n"
            "  connect(joint.flange_b, body.flange_a); connect(body.flange_a, brake.flange);\n"
            "  connect(full.y, brake.f_normalized); connect(v.y, pull.v_ref);\n"
            "  connect(pull.flange, spring.flange_a); connect(spring.flange_b, body.flange_a);\n"
            "end T;\n",
            4 * period + 2 + 0.1, paths);
        /* breaks away first at 2 s, then once in a period */
        double starts[8];
        int n = 0;
        for (size_t i = 1; i < run->nrow && n < 8; i++)
            if (run->value[i][2] != 0 && run->value[i - 1][2] == 0)
                starts[n++] = run->t[i];
        assert_int_equal(n, 5);
        for (int i = 0; i < n; i++)
            assert_close(starts[i], 2 + i * period, ways[k].TD > 0 ? 5e-2 : 10 * ways[k].error);
        run_drop(run);
    }
}

#define SHAFTS                                                                                     \
    "  Dialectic.Rotational.Fixed ground; Dialectic.Rotational.Inertia J1(J = 1), J2(J = 3);\n"    \
    "  Dialectic.Rotational.Torque torque;\n"
#define CONNECT_SHAFTS                                                                             \
    "equation\n  connect(ground.flange_b, a.flange_a); connect(ground.flange_b, b.flange_a);\n"    \
    "  connect(a.flange_b, J1.flange_a); connect(b.flange_b, J2.flange_a);\n"                      \
    "  connect(a.flange_b, clutch.flange_a); connect(b.flange_b, clutch.flange_b);\n"              \
    "  connect(torque.flange, J1.flange_a);\n"

/* J1 = 1 with 8 rad/s and J2 = 3 at rest: 2 rad/s together, after 8/(tau (1 + 1/3)) = 3 s with
 * tau = 2; 24 J become heat */
static void clutch_closes(void **unused)
{
    (void)unused;
    static const char *const paths[] = {"a.w", "b.w", "heat.y", "clutch.mode", NULL};
    for (int k = 0; k < NWAY; k++) {
        Run *run = run_way(
            &ways[k],
            SHAFTS "  Dialectic.Rotational.Joint a(w(start = 8)), b;\n"
                   "  Dialectic.Rotational.Clutch clutch(mu = 0.5, cgeo = 0.1, fn_max = 40);\n"
                   "  Signals.Step press(height = 1, startTime = 1); Signals.Integrator "
                   "heat;\n" CONNECT_SHAFTS "  connect(press.y, clutch.f_normalized);\n"
                   "  connect(clutch.lossPower, heat.u);\nend T;\n",
            6, paths);
        for (size_t i = 0; i < run->nrow; i++) {
            double s = fmin(fmax(run->t[i] - 1, 0), 3);
            assert_close(run->value[i][0], 8 - 2 * s, 2 * ways[k].error);
            assert_close(run->value[i][1], 2 * s / 3, 2 * ways[k].error);
        }
        assert_close(run_last(run, 2), 24, 20 * ways[k].error);
        assert_true(run_last(run, 3) == 0);
        run_drop(run);
    }
}

/* pushed with 4 N.m for a second both turn, 1 rad/s2; slowed down J1 leaves J2, which goes on */
static void one_way(void **unused)
{
    (void)unused;
    static const char *const paths[] = {"a.w", "b.w", NULL};
    for (int k = 0; k < NWAY; k++) {
        Run *run = run_way(
            &ways[k],
            SHAFTS "  Dialectic.Rotational.Joint a, b;\n"
                   "  Dialectic.Rotational.OneWayClutch clutch(fn_max = 1, f_normalized = 0);\n"
                   "  Signals.Step push(height = -5, offset = 4, startTime = 1);\n" CONNECT_SHAFTS
                   "  connect(push.y, torque.tau);\nend T;\n",
            3, paths);
        for (size_t i = 0; i < run->nrow; i++) {
            double t = run->t[i];
            assert_close(run->value[i][0], t < 1 ? t : 2 - t, ways[k].error);
            assert_close(run->value[i][1], t < 1 ? t : 1, ways[k].error);
        }
        run_drop(run);
    }
}

/* A block of 1 kg on a block of 3 kg on the ground, frictions 2 and 4 N. Pulled at the lower one
 * with the force 3 t: both start at 4/3 s, the upper one is left behind from 4 s on, where the
 * common acceleration (3 t - 4)/4 is 2. */
static void two_blocks(void **unused)
{
    (void)unused;
    static const char *const paths[] = {"low.v", "high.v", NULL};
    for (int k = 0; k < NWAY; k++) {
        Run *run = run_way(
            &ways[k],
            "  Dialectic.Translational.Fixed ground; Dialectic.Translational.Joint low, high;\n"
            "  Dialectic.Translational.Body m1(m = 3, g = 0), m2(m = 1, g = 0);\n"
            "  Dialectic.Translational.CoulombFriction f1(F_Coulomb = 4), f2(F_Coulomb = 2);\n"
            "  Dialectic.Translational.Force force; Signals.Ramp pull(height = 18, duration = 6);\n"
            "equation\n  connect(ground.flange_b, low.flange_a);\n"
            "  connect(ground.flange_b, high.flange_a); connect(low.flange_b, m1.flange_a);\n"
            "  connect(high.flange_b, m2.flange_a); connect(ground.flange_b, f1.flange_a);\n"
            "  connect(low.flange_b, f1.flange_b); connect(low.flange_b, f2.flange_a);\n"
            "  connect(high.flange_b, f2.flange_b); connect(force.flange, m1.flange_a);\n"
            "  connect(pull.y, force.f);\nend T;\n",
            6, paths);
        for (size_t i = 0; i < run->nrow; i++) {
            double t = run->t[i], t1 = 4.0 / 3, both = fmin(fmax(t, t1), 4), late = fmax(t, 4);
            double v = (1.5 * (both * both - t1 * t1) - 4 * (both - t1)) / 4;
            double after = (1.5 * (late * late - 16) - 6 * (late - 4)) / 3;
            assert_close(run->value[i][0], v + after, 2 * ways[k].error);
            assert_close(run->value[i][1], v + 2 * (late - 4), 2 * ways[k].error);
        }
        run_drop(run);
    }
}

/* two frictions of 1 and 3 N on one body: they stop it together, share what is less than 4 N as one
 * to three while they stick, and let go together */
static void shared(void **unused)
{
    (void)unused;
    static const char *const paths[] = {"joint.v", "weak.f", "strong.f", "weak.mode", NULL};
    for (int k = 0; k < NWAY; k++) {
        Run *run = run_way(
            &ways[k],
            SLIDER "  Dialectic.Translational.Joint joint(v(start = 2));\n"
                   "  Dialectic.Translational.CoulombFriction weak(F_Coulomb = 1);\n"
                   "  Dialectic.Translational.CoulombFriction strong(F_Coulomb = 3);\n"
                   "  Signals.Ramp push(height = 8, duration = 4, startTime = 2);\n" CONNECT_SLIDER
                   "  connect(ground.flange_b, weak.flange_a); connect(push.y, force.f);\n"
                   "  connect(joint.flange_b, weak.flange_b);\n"
                   "  connect(ground.flange_b, strong.flange_a);\n"
                   "  connect(joint.flange_b, strong.flange_b);\nend T;\n",
            5, paths);
        for (size_t i = 0; i < run->nrow; i++) {
            const double *v = run->value[i];
            double t = run->t[i], push = fmax(2 * (t - 2), 0);
            if (t > 1.1 && t < 3.9) {
                assert_true(v[3] == 0);
                assert_close(v[0], 0, 2e-9);
                assert_close(v[1], push / 4, 1e-3);
                assert_close(v[2], 3 * v[1], 1e-3);
            }
            if (t > 4.1)
                assert_close(v[0], (t - 4) * (t - 4) / 2, 10 * ways[k].error);
        }
        run_drop(run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stops),      cmocka_unit_test(breaks_away),
        cmocka_unit_test(stick_slip), cmocka_unit_test(clutch_closes),
        cmocka_unit_test(one_way),    cmocka_unit_test(two_blocks),
        cmocka_unit_test(shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
