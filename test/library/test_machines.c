/* test_machines.c - the machines of models/machines: what each shall do, as numbers. */
#include <math.h>

#include "help/engine.h"
#include "help/run.h"

#include <lieder/load.h>

typedef struct Machine {
    Lieder *session;
    LiederSystem *system;
    LiederSimulateOptions options;
    LiederObserver *observer;
    size_t n, nrow;
    double t[2000], v[2000][4];
} Machine;

static bool keep_row(void *user, double t, const double *x, LiederRow kind)
{
    Machine *m = user;
    (void)kind;
    if (m->nrow == 2000)
        return true;
    m->t[m->nrow] = t;
    return lieder_observer_evaluate(m->observer, t, x, m->v[m->nrow++]) == LIEDER_DONE;
}

/* runs as the annotation of the model says */
static Machine *run(const char *file, const char *model, const char *const *names)
{
    Machine *m = calloc(1, sizeof *m);
    char path[512];
    LiederExperiment experiment;
    snprintf(path, sizeof path, "%s/models/machines/%s", SOURCE_DIR, file);
    m->session = lieder_create(NULL);
    assert_int_equal(lieder_load(m->session, path), LIEDER_DONE);
    m->system = lieder_system_load(m->session, model, NULL, 0, NULL, &experiment);
    if (!m->system)
        lieder_diagnostic_print_all(m->session, stderr);
    assert_non_null(m->system);
    m->observer = lieder_observer_create(m->system);
    for (; names[m->n]; m->n++)
        if (lieder_observer_add(m->observer, names[m->n]) < 0)
            fail_msg("%s has no %s", file, names[m->n]);
    m->options = lieder_experiment_options(&experiment);
    m->options.output = keep_row;
    m->options.user = m;
    LiederStatistics s;
    LiederStatus status = lieder_simulate(m->system, &m->options, &s);
    if (status != LIEDER_DONE)
        lieder_diagnostic_print_all(m->session, stderr);
    assert_int_equal(status, LIEDER_DONE);
    return m;
}

static void drop(Machine *m)
{
    lieder_observer_destroy(m->observer);
    lieder_system_destroy(m->system);
    lieder_destroy(m->session);
    free(m);
}

/* the trolley arrives, the voltage stays within its limit, the load swings little in the end */
static void crane(void **unused)
{
    (void)unused;
    Machine *m = run("crane.mo", "Crane",
                     (const char *[]){"slide.s", "hook.phi", "voltage.y", "motor.i", NULL});
    assert_close(m->v[m->nrow - 1][0], 2, 0.02);
    for (size_t i = 0; i < m->nrow; i++) {
        assert_true(fabs(m->v[i][2]) <= 48);
        assert_true(fabs(m->v[i][1]) < 0.35);
    }
    drop(m);
}

/* m v' = -F - k v^2: v = sqrt(F/k) tan(atan(v0 sqrt(k/F)) - sqrt(F k) t / m) */
static void coast_down(void **unused)
{
    (void)unused;
    Machine *m = run("coast_down.mo", "CoastDown", (const char *[]){"travel.v", NULL});
    double mass = 1200, k = 0.4, F = 150;
    for (size_t i = 0; i < m->nrow; i++) {
        double v = sqrt(F / k) * tan(atan(30 * sqrt(k / F)) - sqrt(F * k) * m->t[i] / mass);
        assert_close(m->v[i][0], v, 1e-5);
    }
    drop(m);
}

/* with the right equations of motion the error decays as e'' + d e' + k e = 0, here (10 + s)^2 */
static void arm(void **unused)
{
    (void)unused;
    static const char *const names[] = {"e[1]", "e[2]", "ew[1]", "ew[2]", NULL};
    Machine *pd = run("arm.mo", "Arm.PD", names);
    Machine *computed = run("arm.mo", "Arm.ComputedTorque", names);
    double ew0 = computed->v[0][2];
    for (size_t i = 0; i < computed->nrow; i++) {
        double t = computed->t[i];
        assert_close(computed->v[i][0], ew0 * t * exp(-10 * t), 1e-5);
        assert_close(computed->v[i][1], 0, 1e-5);
    }
    /* without them a part of the weight stays as an error */
    assert_true(fabs(pd->v[pd->nrow - 1][0]) > 0.01 && fabs(pd->v[pd->nrow - 1][0]) < 0.2);
    drop(pd);
    drop(computed);
}

/* Robots of the fleet have the bits of one alone with their payload, the first, the middle and the
 * last of ten thousand; and the heavier the payload the more the hand hangs behind. */
static void fleet(void **unused)
{
    (void)unused;
    static const int which[] = {1, 5000, 10000};
    enum { N = 10000, STEPS = 20 };
    LiederSystemOptions scalar = lieder_system_defaults();
    Lieder *session = lieder_create(NULL);
    char name[64], value[32];
    double before = 0;
    assert_int_equal(lieder_load(session, SOURCE_DIR "/models/machines/arm.mo"), LIEDER_DONE);
    LiederSystem *all = lieder_system_load(session, "Arm.Fleet", NULL, 0, &scalar, NULL);
    assert_non_null(all);
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.solver = LIEDER_RK4;
    o.step = 1e-3;
    LiederStepper *fleet = lieder_stepper_create(all, &o);
    assert_int_equal(lieder_stepper_step(fleet, STEPS), LIEDER_DONE);
    for (size_t i = 0; i < 3; i++) {
        snprintf(value, sizeof value, "%.17g", 1 + 3.0 * which[i] / N);
        LiederSystem *one = lieder_system_load(
            session, "Arm.PD", &(LiederOverride){"m2", value, false}, 1, &scalar, NULL);
        assert_non_null(one);
        LiederStepper *alone = lieder_stepper_create(one, &o);
        assert_int_equal(lieder_stepper_step(alone, STEPS), LIEDER_DONE);
        static const char *const states[] = {"shoulder.phi", "elbow.phi", "shoulder.w", "elbow.w"};
        for (size_t s = 0; s < 4; s++) {
            snprintf(name, sizeof name, "arm[%d].%s", which[i], states[s]);
            ptrdiff_t there = lieder_system_state_index(all, name),
                      here = lieder_system_state_index(one, states[s]);
            assert_true(there >= 0 && here >= 0);
            assert_true(lieder_stepper_state(fleet)[there] == lieder_stepper_state(alone)[here]);
        }
        double shoulder =
            lieder_stepper_state(alone)[lieder_system_state_index(one, "shoulder.phi")];
        assert_true(i == 0 || shoulder < before - 1e-5);
        before = shoulder;
        lieder_stepper_destroy(alone);
        lieder_system_destroy(one);
    }
    lieder_stepper_destroy(fleet);
    lieder_system_destroy(all);
    lieder_destroy(session);
}

/* the temperature of the chamber comes to the set point, and what flows out is what is heated */
static void oven(void **unused)
{
    (void)unused;
    Machine *m =
        run("oven.mo", "Oven",
            (const char *[]){"chamber.T", "wall.T", "heater.Q_flow", "outside.Q_flow", NULL});
    const double *end = m->v[m->nrow - 1];
    assert_close(end[0], 450, 1e-3);
    assert_close(end[2], end[3], 1e-2);
    assert_close(end[1], 293.15 + end[3] / 3, 1e-3);
    for (size_t i = 0; i < m->nrow; i++)
        assert_true(m->v[i][2] >= 0 && m->v[i][2] <= 2000);
    drop(m);
}

/* The wheel spins at the limit of the voltage: friction mu_S m g against drag moves the cart, its
 * torque asks for the current, which heats the winding. In the end the controller keeps the wanted
 * speed. */
static void cart(void **unused)
{
    (void)unused;
    Machine *m = run("cart.mo", "Cart",
                     (const char *[]){"free.vx", "wheel.w", "motor.current", "winding.T", NULL});
    double i = 0.2 * 20 * 9.81 * 0.1 / 0.3, hot = 300 + 0.2 * i * i / 2, before = NAN;
    for (size_t k = 0; k < m->nrow; k++) {
        if (fabs(m->t[k] - 1.5) < 1e-6)
            before = m->v[k][3];
        if (fabs(m->t[k] - 3) > 1e-6)
            continue;
        assert_close(m->v[k][0], 19.62 * (1 - exp(-0.25)), 1e-3);
        assert_close(m->v[k][1], (48 - 0.2 * i) / 0.3, 1e-3);
        assert_close(m->v[k][2], i, 1e-4);
        assert_close(m->v[k][3], hot + (before - hot) * exp(-0.03), 1e-3);
    }
    assert_true(before > 300);
    assert_close(m->v[m->nrow - 1][0], 5, 1e-4);
    assert_close(m->v[m->nrow - 1][2], 2 * 5 * 0.1 / 0.3, 1e-3);
    drop(m);
}

/* in the mean the converter gives duty * 24 V: w = V k/(k^2 + R d) in the end */
static void buck(void **unused)
{
    (void)unused;
    Machine *m = run("buck.mo", "Buck", (const char *[]){"bearing.w", "capacitor.v", NULL});
    double w = 12 * 0.1 / (0.01 + 2e-3);
    assert_close(m->v[m->nrow - 1][0], w, 0.05 * w);
    assert_close(m->v[m->nrow - 1][1], 12, 0.6);
    drop(m);
}

/* before and long after the bump the car rests where springs carry it: c s + c3 s^3 = m g */
static void quarter_car(void **unused)
{
    (void)unused;
    Machine *m = run("quarter_car.mo", "QuarterCar",
                     (const char *[]){"suspension.s_rel", "wheelTravel.s", "comfort.y", NULL});
    const double *end = m->v[m->nrow - 1];
    assert_close(-18000 * end[0] - 1e5 * pow(end[0], 3), 300 * 9.81, 30);
    assert_close(-180000 * end[1], 340 * 9.81, 30);
    double most = 0;
    for (size_t i = 0; i < m->nrow; i++)
        most = fmax(most, fabs(m->v[i][2]));
    assert_true(most > 3 && most < 30); /* m/s2 */
    drop(m);
}

/* On a road of class B the body feels much less than the wheel. The rows of the file are what the
 * road follows. */
static void measured_road(void **unused)
{
    (void)unused;
    Machine *m =
        run("quarter_car.mo", "QuarterCarOnRoad",
            (const char *[]){"comfort.y", "harshness.y", "road.s", "profile.source.y", NULL});
    double body = 0, wheel = 0;
    for (size_t i = 0; i < m->nrow; i++) {
        body += m->v[i][0] * m->v[i][0] / (double)m->nrow;
        wheel += m->v[i][1] * m->v[i][1] / (double)m->nrow;
        assert_close(m->v[i][2], m->v[i][3], 3e-3);
    }
    assert_true(sqrt(body) > 0.3 && sqrt(body) < 2); /* m/s2 */
    assert_true(sqrt(wheel) > 5 * sqrt(body));
    drop(m);
}

/* without losses each wheel comes to u/k: 0.6 and 0.5 m/s, 0.3 m apart */
static void robot(void **unused)
{
    (void)unused;
    Machine *m = run("robot.mo", "Robot",
                     (const char *[]){"speed.vx", "speed.vy", "motion.w", "leftMotor.i", NULL});
    const double *end = m->v[m->nrow - 1];
    assert_close(end[0], 0.55, 1e-5);
    assert_close(end[1], 0, 1e-6);
    assert_close(end[2], 0.1 / 0.3, 1e-5);
    assert_close(end[3], 0, 1e-5);
    drop(m);
}

/* 0.5 N.m on what all wheels have as inertia at the sun */
static void planetary_gear(void **unused)
{
    (void)unused;
    Machine *m = run("planetary_gear.mo", "PlanetaryGear",
                     (const char *[]){"sun.w", "carrier.w", "planet.w", NULL});
    const double *end = m->v[m->nrow - 1];
    double I = 0.02 + (0.01 + 0.5 * 0.09) / 9 + 0.005;
    assert_close(end[0], 0.5 / I, 1e-3);
    assert_close(end[1], end[0] / 3, 1e-4);
    assert_close(end[2] + end[1], -end[0], 1e-4);
    drop(m);
}

/* the hexagon is put down where it shall be, turned by 60 degrees; while it is carried it stays
 * between the fingers, and these carry its weight */
static void gripper_cell(void **unused)
{
    (void)unused;
    Machine *m = run("gripper.mo", "Gripper.Cell",
                     (const char *[]){"free.x", "free.y", "free.phi", "y.s", NULL});
    const double *end = m->v[m->nrow - 1];
    assert_close(end[0], 0.3, 2e-3);
    assert_close(end[1], 0.04 * cos(M_PI / 6), 2e-5);
    assert_close(end[2], -M_PI / 3, 1e-3);
    for (size_t i = 0; i < m->nrow; i++)
        if (m->t[i] > 0.7 && m->t[i] < 4)
            assert_close(m->v[i][1] - m->v[i][3], 1e-3, 1e-3);
    drop(m);
}

/* the pull at which the workpiece leaves: both fingers hold mu_A N each, 40 N together */
static void gripper_pull(void **unused)
{
    (void)unused;
    Machine *m = run("gripper.mo", "Gripper.Pull",
                     (const char *[]){"free.y", "pull.y", "jaws.onLeft.touch.N", NULL});
    for (size_t i = 0; i < m->nrow; i++) {
        double pull = -m->v[i][1];
        if (pull > 1 && pull < 42)
            assert_close(m->v[i][2], 40, 0.1);
        if (pull < 39.5)
            assert_close(m->v[i][0], 0, 1e-4); /* creeps with vAdhesion = 1e-4 m/s at most */
        if (pull > 43)
            assert_true(m->v[i][0] < -0.01);
    }
    drop(m);
}

/* it arrives, and the brake holds it: before, while it waits, and after; the car is 100 kg heavier
 * than the counterweight, which is 245 N.m */
static void elevator(void **unused)
{
    (void)unused;
    Machine *m = run("elevator.mo", "Elevator",
                     (const char *[]){"sheave.phi", "sheave.w", "brake.tau", "brake.mode", NULL});
    double up = 3.5 / 0.25, weight = 100 * 9.81 * 0.25;
    for (size_t i = 0; i < m->nrow; i++) {
        const double *v = m->v[i];
        assert_true(fabs(v[1]) < 4.3);
        if (m->t[i] < 1)
            assert_close(v[0], 0, 1e-6);
    }
    const double *end = m->v[m->nrow - 1];
    assert_close(end[0], up, 0.01);
    assert_close(end[1], 0, 1e-6);
    assert_true(end[3] == 0);
    assert_close(end[2], -weight, 0.1);
    drop(m);
}

/* fifty steps of 2 pi/200; ten times as fast they are too much for it */
static void stepper(void **unused)
{
    (void)unused;
    static const char *const names[] = {"bearing.phi", "motor.ia", NULL};
    double step = 2 * M_PI / 200;
    Machine *m = run("stepper.mo", "Stepper.Drive", names);
    assert_close(m->v[m->nrow - 1][0], 50.5 * step, 0.05 * step);
    drop(m);
    m = run("stepper.mo", "Stepper.TooFast", names);
    assert_true(m->v[m->nrow - 1][0] < 40 * step);
    drop(m);
}

/* One stroke for one press of the pedal: the clutch takes the crank along, and the brake, which had
 * held it, takes nothing then; the blank is formed, and the ram stands in the upper dead point. */
static void press(void **unused)
{
    (void)unused;
    Machine *m = run("press.mo", "Press",
                     (const char *[]){"crank.phi", "shaft.w", "brake.tau", "blank.f", NULL});
    double lowest = 8, formed = 0;
    for (size_t i = 0; i < m->nrow; i++) {
        const double *v = m->v[i];
        if (m->t[i] < 1)
            assert_close(v[0], M_PI / 2, 1e-6);
        if (m->t[i] > 1.1 && m->t[i] < 1.75)
            assert_close(v[2], 0, 1);
        lowest = fmin(lowest, v[1]);
        formed = fmax(formed, v[3]);
    }
    const double *end = m->v[m->nrow - 1];
    assert_close(end[0], 2.5 * M_PI, 0.1);
    assert_close(formed, 150e3, 1);
    assert_true(lowest > 5.5 && lowest < 7);
    drop(m);
}

/* Around the square, then beyond the limit of x: the switch takes the voltage away, and the buffer
 * and the friction of the rail end it. */
static void gantry(void **unused)
{
    (void)unused;
    Machine *m =
        run("gantry.mo", "Gantry.Cell", (const char *[]){"x.s", "y.s", "hit", "x.v", NULL});
    static const double corners[][3] = {
        {1.45, 0.4, 0}, {2.45, 0.4, 0.4}, {3.45, 0, 0.4}, {4.45, 0, 0}};
    double furthest = 0;
    for (size_t i = 0; i < m->nrow; i++) {
        for (int k = 0; k < 4; k++)
            if (fabs(m->t[i] - corners[k][0]) < 1e-9) {
                assert_close(m->v[i][0], corners[k][1], 2e-3);
                assert_close(m->v[i][1], corners[k][2], 2e-3);
            }
        furthest = fmax(furthest, m->v[i][0]);
        if (fabs(furthest - 0.6) > 1e-6)
            assert_true(m->v[i][2] == (furthest > 0.6));
    }
    const double *end = m->v[m->nrow - 1];
    assert_true(furthest > 0.65 && furthest < 0.67); /* the buffer stands at 0.65 */
    assert_true(end[0] < 0.65 && fabs(end[3]) < 1e-9);
    drop(m);
}

/* the vertical speed of the piece of the gripper's cell at 4 ms, by this solver */
static double speed_of_piece(LiederSolver solver)
{
    static const char *const names[] = {"free.vy", NULL};
    Lieder *session = lieder_create(NULL);
    assert_int_equal(lieder_load(session, SOURCE_DIR "/models/machines/gripper.mo"), LIEDER_DONE);
    Machine m = {.session = session};
    m.system = lieder_system_load(session, "Gripper.Cell", NULL, 0, NULL, NULL);
    assert_non_null(m.system);
    m.observer = lieder_observer_create(m.system);
    assert_true(lieder_observer_add(m.observer, names[0]) >= 0);
    m.options = lieder_simulate_defaults();
    m.options.stop = 0.004;
    m.options.interval = 0.004;
    m.options.solver = solver;
    m.options.tolerance = 1e-8;
    m.options.output = keep_row;
    m.options.user = &m;
    LiederStatistics s;
    assert_int_equal(lieder_simulate(m.system, &m.options, &s), LIEDER_DONE);
    assert_true(s.state_events < 12);
    lieder_observer_destroy(m.observer);
    lieder_system_destroy(m.system);
    lieder_destroy(session);
    return m.v[m.nrow - 1][0];
}

/* The piece, pushed up by the ground it begins in, leaves it with two corners at the same instant:
 * none is sent back by the rounding that the event of the other leaves, as none is in flight by
 * explicit steps. Free fall from 0.0170976 m/s at 1.85473 ms; it touches at 3.34 ms. */
static void corners_leave_together(void **state)
{
    (void)state;
    double speed = speed_of_piece(LIEDER_RK45);
    assert_true(fabs(speed - 5.501e-4) < 1e-6);
    assert_true(fabs(speed_of_piece(LIEDER_BDF) - speed) < 1e-7);
    assert_true(fabs(speed_of_piece(LIEDER_ESDIRK23) - speed) < 1e-7);
    assert_true(fabs(speed_of_piece(LIEDER_RODAS4) - speed) < 1e-7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crane),
        cmocka_unit_test(coast_down),
        cmocka_unit_test(arm),
        cmocka_unit_test(fleet),
        cmocka_unit_test(oven),
        cmocka_unit_test(quarter_car),
        cmocka_unit_test(buck),
        cmocka_unit_test(gripper_cell),
        cmocka_unit_test(gripper_pull),
        cmocka_unit_test(elevator),
        cmocka_unit_test(stepper),
        cmocka_unit_test(measured_road),
        cmocka_unit_test(robot),
        cmocka_unit_test(planetary_gear),
        cmocka_unit_test(press),
        cmocka_unit_test(gantry),
        cmocka_unit_test(corners_leave_together),
        cmocka_unit_test(cart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
