/* test_rigid.c - rigid loops of components of the library: against loops in classes with connectors
 * of their own (models/equations/RigidLoops.mo), closed forms and themselves, divided differently.
 */
#include "equation/class/summary.h"
#include "equation_help.h"

static char *linkages(void)
{
    return read_model("../machines/linkages.mo");
}

static Built build_td(const char *text, const char *class_name, const char *td)
{
    const FrontOverride o = {.name = "world.TD", .value = td};
    Built b = build_with(text, class_name, &o, 1);
    if (b.status != LIEDER_DONE)
        lieder_diagnostic_print_all(b.session, stderr);
    assert_int_equal(b.status, LIEDER_DONE);
    return b;
}

static void run(Built *b, double h, size_t n, double *x)
{
    assert_int_equal(lieder_system_start(b->system, x), LIEDER_DONE);
    assert_int_equal(lieder_step(b->system, LIEDER_RK4, 0, h, n, x), LIEDER_DONE);
}

/* a number that two models have under different names */
typedef struct Same {
    const char *a, *b;
} Same;

static void assert_same(Built *a, const double *x, Built *b, const double *y, double t,
                        const Same *pairs, size_t n, double limit)
{
    for (size_t i = 0; i < n; i++) {
        double p = observe(a, t, x, pairs[i].a), q = observe(b, t, y, pairs[i].b);
        if (fabs(p - q) > limit)
            fail_msg("%s = %.15g, %s = %.15g", pairs[i].a, p, pairs[i].b, q);
    }
}

/* The four-bar linkage and the piston against the same in other classes and other coordinates: from
 * the assembled start on, over several turns and both dead points. */
static void test_other_classes(void **state)
{
    (void)state;
    static const Same bars[] = {{"p1.phi", "crank.phi"},
                                {"p1.w", "crank.w"},
                                {"coupler.body.frame_a.phi", "coupler.phi"},
                                {"coupler.body.frame_a.x", "coupler.x"},
                                {"coupler.body.frame_a.vy", "coupler.vy"},
                                {"rocker.body.frame_a.y", "rocker.y"},
                                {"rocker.body.frame_a.w", "rocker.w"}};
    static const Same pistons[] = {{"bearing.phi", "crank.phi"},
                                   {"bearing.w", "crank.w"},
                                   {"guide.s", "piston.s"},
                                   {"guide.v", "piston.v"},
                                   {"knee.frame_b.phi", "rod.phi"}};
    char *text = linkages(), *other = read_model("RigidLoops.mo");
    for (int k = 0; k < 2; k++) {
        double x[8], y[8];
        Built a = build_class(text, k ? "Linkages.Piston" : "Linkages.FourBar");
        Built b = build_class(other, k ? "RigidLoops.Piston" : "RigidLoops.FourBar");
        assert_int_equal(lieder_system_state_count(a.system), 6);
        assert_int_equal(front_cell(a.front, 0)->nkept, 2);
        const Same *pairs = k ? pistons : bars;
        size_t n = k ? sizeof pistons / sizeof *pistons : sizeof bars / sizeof *bars;
        assert_int_equal(lieder_system_start(a.system, x), LIEDER_DONE);
        assert_int_equal(lieder_system_start(b.system, y), LIEDER_DONE);
        assert_same(&a, x, &b, y, 0, pairs, n, 1e-9);
        run(&a, 5e-4, 4000, x);
        run(&b, 5e-4, 4000, y);
        assert_same(&a, x, &b, y, 2, pairs, n, 1e-8);
        drop(&a);
        drop(&b);
    }
    free(text);
    free(other);
}

/* positions, velocities and energy by closed forms: s = r cos p + sqrt(l^2 - r^2 sin^2 p) */
static void test_piston(void **state)
{
    (void)state;
    char *text = linkages();
    double x[8];
    Built b = build_class(text, "Linkages.Piston");
    for (int k = 0; k < 4; k++) {
        run(&b, 5e-4, (size_t)k * 1000, x);
        double t = 0.5 * k, p = observe(&b, t, x, "bearing.phi"),
               w = observe(&b, t, x, "bearing.w");
        double root = sqrt(1.44 - 0.25 * sin(p) * sin(p));
        double s = 0.5 * cos(p) + root, ds = -0.5 * sin(p) - 0.25 * sin(p) * cos(p) / root;
        assert_true(fabs(observe(&b, t, x, "guide.s") - s) < 1e-9);
        assert_true(fabs(observe(&b, t, x, "guide.v") - ds * w) < 1e-8);
        double wr = -0.5 * cos(p) * w / root; /* of the rod, whose angle is -asin(r sin p / l) */
        double vx = -0.5 * sin(p) * w - 0.6 * (-0.5 * sin(p) / 1.2) * wr, vy = 0.25 * cos(p) * w;
        double E = 2 * 0.25 / 3 * w * w / 2 + 0.5 * ds * w * ds * w / 2 +
                   (vx * vx + vy * vy + 1.44 / 12 * wr * wr) / 2 + 9.81 * (2 + 1) * 0.25 * sin(p);
        static double first;
        first = k ? first : E;
        assert_true(fabs(E - first) < 1e-7);
    }
    drop(&b);
    free(text);
}

/* A damper of the compiled library beside the loop, and the power it takes: the energy of all
 * bodies is less by just that; and a pin with a damper in other classes. */
static void test_beside(void **state)
{
    (void)state;
    char *text = linkages(), *other = read_model("RigidLoops.mo"),
         *end = strstr(other, "end RigidLoops;");
    double x[8], y[8];
    snprintf(end, 2000,
             "  model DampedPin\n    Frame a, b;\n  equation\n    a.x = b.x;\n    a.y = b.y;\n    "
             "a.fx + b.fx = 0;\n"
             "    a.fy + b.fy = 0;\n    a.t + b.t = 0;\n    b.t = 0.5*(der(b.phi) - der(a.phi));\n "
             " end DampedPin;\n"
             "  model Engine\n    Rod crank(L = 0.5, m = 2, phi(start = 0.3, fixed = true), "
             "w(start = 6, fixed = true)), rod(L = 1.2);\n"
             "    Slider piston(m = 0.5);\n    Ground ground;\n    DampedPin bearing;\n    Pin "
             "knee, bolt;\n  equation\n"
             "    connect(ground.b, bearing.a);\n    connect(bearing.b, crank.a);\n    "
             "connect(crank.b, knee.a);\n"
             "    connect(knee.b, rod.a);\n    connect(rod.b, bolt.a);\n    connect(bolt.b, "
             "piston.a);\n  end Engine;\n"
             "end RigidLoops;\n");
    Built a = build_class(text, "Linkages.Engine"), b = build_class(other, "RigidLoops.Engine");
    static const Same pairs[] = {
        {"bearing.phi", "crank.phi"}, {"bearing.w", "crank.w"}, {"guide.s", "piston.s"}};
    run(&a, 5e-4, 4000, x);
    run(&b, 5e-4, 4000, y);
    assert_same(&a, x, &b, y, 2, pairs, 3, 1e-9);
    assert_true(fabs(observe(&a, 2, x, "load.flange_b.w") - observe(&a, 2, x, "bearing.w")) <
                1e-12);
    drop(&a);
    drop(&b);
    free(text);
    free(other);
}

/* A loop in a model of its own that hangs on an arm, and all of it in one model: two cells or one;
 * with T_D = 0 and with T_D > 0. The fingers stay parallel. */
static void test_hanging(void **state)
{
    (void)state;
    static const Same pairs[] = {
        {"shoulder.phi", "shoulder.phi"},   {"shoulder.w", "shoulder.w"},
        {"gripper.hinge.phi", "hinge.phi"}, {"gripper.hinge.w", "hinge.w"},
        {"gripper.h4.phi", "h4.phi"},       {"gripper.load.frame_a.x", "load.frame_a.x"}};
    static const char *const td[] = {"0", "0.01"};
    char *text = linkages();
    for (int k = 0; k < 2; k++) {
        double x[20], y[20];
        Built a = build_td(text, "Linkages.Arm", td[k]),
              b = build_td(text, "Linkages.ArmInOne", td[k]);
        assert_int_equal(lieder_system_start(a.system, x), LIEDER_DONE);
        assert_int_equal(lieder_system_start(b.system, y), LIEDER_DONE);
        assert_same(&a, x, &b, y, 0, pairs, sizeof pairs / sizeof *pairs, 1e-12);
        assert_number(observe(&a, 0, x, "gripper.h2.phi"), 0.5);
        run(&a, 1e-3, 500, x);
        run(&b, 1e-3, 500, y);
        assert_same(&a, x, &b, y, 0.5, pairs, sizeof pairs / sizeof *pairs, 1e-11);
        assert_true(fabs(observe(&a, 0.5, x, "gripper.h2.phi") -
                         observe(&a, 0.5, x, "gripper.hinge.phi")) < 1e-9);
        assert_true(fabs(observe(&a, 0.5, x, "gripper.tip.body.frame_a.phi") -
                         observe(&a, 0.5, x, "shoulder.phi") - acos(0)) < 1e-9);
        drop(&a);
        drop(&b);
    }
    free(text);
}

/* T_D > 0: the elastic regime closes the loop, kinetic velocities agree at the start and then up to
 * T_D times something, and the motion goes to that of T_D = 0 */
static void test_dialectic(void **state)
{
    (void)state;
    static const char *const td[] = {"0", "1e-3", "5e-4"};
    char *text = linkages();
    double phi[3], gap[3];
    for (int k = 0; k < 3; k++) {
        double x[20];
        Built b = build_td(text, "Linkages.FourBar", td[k]);
        assert_int_equal(lieder_system_start(b.system, x), LIEDER_DONE);
        assert_true(fabs(observe(&b, 0, x, "p4.frame_b.vx")) < 1e-9 &&
                    fabs(observe(&b, 0, x, "p4.frame_b.w")) < 1e-9);
        run(&b, 2e-4, 2000, x);
        assert_true(fabs(observe(&b, 0.4, x, "p4.frame_b.x") - 2.2) < 1e-8);
        phi[k] = observe(&b, 0.4, x, "p1.phi");
        gap[k] =
            fabs(observe(&b, 0.4, x, "p4.frame_a.vx")) + fabs(observe(&b, 0.4, x, "p4.frame_a.vy"));
        drop(&b);
    }
    assert_true(gap[0] < 1e-8 && gap[1] > 1e-4 && gap[1] < 0.2);
    assert_true(gap[2] / gap[1] > 0.4 && gap[2] / gap[1] < 0.6);
    assert_true((phi[2] - phi[0]) / (phi[1] - phi[0]) > 0.4 &&
                (phi[2] - phi[0]) / (phi[1] - phi[0]) < 0.6);
    free(text);
}

/* what users read */
static void test_reports(void **state)
{
    (void)state;
    char *text = linkages();
    Built b = build_class(text, "Linkages.FourBar");
    const CellSummary *c = front_cell(b.front, 0);
    assert_int_equal(c->nmerged, 15);
    assert_non_null(strstr(c->merged_why, "rigid loop"));
    assert_int_equal(c->npart, 15); /* which draw and view show */
    bool found = false;
    for (size_t i = 0; i < c->npart; i++)
        found |= strcmp(c->parts[i].path, "coupler.body.") == 0 &&
                 strcmp(c->parts[i].class_name, "Planar.Body") == 0;
    assert_true(found);
    drop(&b);
    free(text);
}

/* two loops on one ground, an array of linkages, a tree that stays as it is beside a loop */
static void test_several(void **state)
{
    (void)state;
    static const char *const models =
        "  model Two\n    FourBar a, b(p1.w(start = -4));\n  end Two;\n"
        "  model Many\n    FourBar bar[5](p1(w(start = {9, 9, 4, 9, -4})));\n  end Many;\n"
        "  model Mixed\n    extends FourBar;\n    Revolute swing(phi(start = 1));\n    Rod "
        "pendulum;\n  equation\n"
        "    connect(left.frame, swing.frame_a);\n    connect(swing.frame_b, pendulum.frame_a);\n  "
        "end Mixed;\n"
        "end Linkages;\n";
    char *text = linkages();
    snprintf(strstr(text, "end Linkages;"), 2000, "%s", models);
    double x[40], y[40], z[40];
    Built two = build_class(text, "Linkages.Two"), many = build_class(text, "Linkages.Many");
    Built mixed = build_class(text, "Linkages.Mixed");
    assert_int_equal(lieder_system_info(many.system).nlane, 5);
    run(&two, 1e-3, 300, x);
    run(&many, 1e-3, 300, y);
    run(&mixed, 1e-3, 300, z);
    double a = observe(&two, 0.3, x, "a.p1.phi");
    assert_number(observe(&many, 0.3, y, "bar[1].p1.phi"), a);
    assert_number(observe(&many, 0.3, y, "bar[4].p1.phi"), a);
    assert_number(observe(&many, 0.3, y, "bar[5].p1.phi"), observe(&two, 0.3, x, "b.p1.phi"));
    assert_true(fabs(observe(&mixed, 0.3, z, "p1.phi") - a) < 1e-12);
    assert_int_equal(front_cell(mixed.front, 0)->nmerged, 15);
    drop(&two);
    drop(&many);
    drop(&mixed);
    free(text);
}

/* start values that cannot be closed are reported */
static void test_wrong_start(void **state)
{
    (void)state;
    char *text = linkages();
    const FrontOverride o = {.name = "right.r", .value = "{5, 0}"};
    Built b = build_with(text, "Linkages.FourBar", &o, 1);
    double x[8];
    assert_int_equal(b.status, LIEDER_DONE);
    assert_int_not_equal(lieder_system_start(b.system, x), LIEDER_DONE);
    drop(&b);
    free(text);
}

/* a mass of its own that is a root, and one that tells the force on what is fixed: each hangs on
 * something that rests */
static void test_own_root(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  model Mass\n    Dialectic.Translational.Flange f;\n    Real s(start = 1), "
                    "v(start = 0);\n"
                    "  equation\n    f.s = s;\n    f.v = v;\n    der(s) = v;\n"
                    "    2*der(v) = -10*s + f.f_el + f.f_ki;\n  end Mass;\n"
                    "  model Wall\n    Dialectic.Translational.Flange f;\n    Real reaction = "
                    "f.f_el + f.f_ki;\n"
                    "  equation\n    f.s = 0;\n    f.v = 0;\n  end Wall;\n"
                    "  inner Dialectic.World world(TD = 0);\n  Mass mass[3];\n  Wall wall[3];\n"
                    "  Dialectic.Translational.Spring spring[3](c = {3, 3, 8});\n"
                    "equation\n  for i in 1:3 loop\n    connect(mass[i].f, spring[i].flange_b);\n"
                    "    connect(spring[i].flange_a, wall[i].f);\n  end for;\nend M;\n");
    double x[6];
    assert_int_equal(lieder_system_start(b.system, x), LIEDER_DONE);
    assert_int_equal(lieder_step(b.system, LIEDER_RK4, 0, 1e-3, 1000, x), LIEDER_DONE);
    assert_true(fabs(observe(&b, 1, x, "mass[2].s") - cos(sqrt(13.0 / 2))) < 1e-10);
    assert_true(fabs(observe(&b, 1, x, "mass[3].s") - cos(3)) < 1e-10);
    assert_true(fabs(fabs(observe(&b, 1, x, "wall[3].reaction")) - fabs(8 * cos(3))) < 1e-9);
    drop(&b);
}

/* how many diagnostics of a run say that a constraint is off; *last: the last of them */
static int run_drifts(Built *b, LiederSolver solver, double step, double stop,
                      LiederStatus expected, const LiederDiagnostic **last)
{
    LiederSimulateOptions o = lieder_simulate_defaults();
    LiederStatistics statistics;
    int n = 0;
    o.solver = solver;
    o.step = step;
    o.stop = stop;
    o.interval = 0.1;
    lieder_diagnostic_clear(b->session);
    assert_int_equal(lieder_simulate(b->system, &o, &statistics), expected);
    for (size_t i = 0; i < lieder_diagnostic_count(b->session); i++) {
        const LiederDiagnostic *d = lieder_diagnostic_get(b->session, i);
        if (!strstr(d->message, "a constraint is off by") && !strstr(d->message, "change point"))
            continue;
        n++;
        *last = d;
    }
    return n;
}

/* Loops that come apart by steps that are too long are reported, once; good runs through dead
 * points say nothing. */
static void test_drift(void **state)
{
    (void)state;
    static const char *const names[] = {"Linkages.Piston", "Linkages.FourBar", "Linkages.Engine"};
    char *text = linkages();
    const LiederDiagnostic *reported = NULL;
    for (int k = 0; k < 3; k++) {
        Built b = build_class(text, names[k]);
        assert_int_equal(run_drifts(&b, LIEDER_RK4, 1e-3, 5, LIEDER_DONE, &reported), 0);
        assert_int_equal(run_drifts(&b, LIEDER_BDF, 0, 5, LIEDER_DONE, &reported), 0);
        assert_int_equal(run_drifts(&b, LIEDER_RODAS4, 0, 5, LIEDER_DONE, &reported), 0);
        assert_int_equal(run_drifts(&b, LIEDER_RK1, 1e-3, 5, LIEDER_DONE, &reported), 1);
        assert_int_equal(reported->severity, LIEDER_WARNING);
        assert_non_null(strstr(reported->message, k == 1 ? " in coupler" : " in guide"));
        assert_non_null(strstr(reported->advice, "smaller step"));
        drop(&b);
    }
    free(text);
}

/* Pendulums in x and y, whose number is known: |x^2 + y^2 - L^2| of sqrt(x^4 + y^4 + L^4). One that
 * rests is right with any step. */
static void test_drift_of_lanes(void **state)
{
    (void)state;
    static const char text[] =
        "model M\n"
        "  model Pendulum\n    parameter Real L = 1, g = 9.81, x0 = 0, y0 = -L;\n"
        "    Real x(start = x0, fixed = true), y(start = y0), u(start = 0, fixed = true), v, F;\n"
        "  equation\n    der(x) = u;\n    der(y) = v;\n    der(u) = -F*x;\n"
        "    der(v) = -F*y - g;\n    x^2 + y^2 = L^2;\n  end Pendulum;\n"
        "  Pendulum p[3](L = {1, 1, 0.1}, g = {9.81, 9.81, 0.981}, x0 = {0, 0.9, 0.01});\n"
        "end M;\n";
    const LiederDiagnostic *reported = NULL;
    Built b = build(text);
    assert_int_equal(run_drifts(&b, LIEDER_RK4, 1e-3, 5, LIEDER_DONE, &reported), 0);
    assert_int_equal(run_drifts(&b, LIEDER_RODAS4, 0, 5, LIEDER_DONE, &reported), 0);
    assert_int_equal(run_drifts(&b, LIEDER_RK1, 2e-3, 1, LIEDER_DONE, &reported), 1);
    assert_string_equal(reported->path, "p[2]");
    assert_int_equal(run_drifts(&b, LIEDER_RK1, 2e-2, 5, LIEDER_GAVE_UP, &reported), 2);
    assert_int_equal(reported->severity, LIEDER_ERROR);
    assert_string_equal(reported->path, "p[2]");
    /* a stepper says the same at the end of a call, and begins anew after a reset */
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.solver = LIEDER_RK1;
    o.step = 2e-2;
    lieder_diagnostic_clear(b.session);
    LiederStepper *s = lieder_stepper_create(b.system, &o);
    assert_non_null(s);
    for (int k = 0; k < 2; k++) {
        LiederStatus status = LIEDER_DONE;
        for (int i = 0; i < 25 && status == LIEDER_DONE; i++)
            status = lieder_stepper_step(s, 10);
        assert_int_equal(status, LIEDER_GAVE_UP);
        assert_int_equal(lieder_diagnostic_count(b.session), 2);
        assert_int_equal(lieder_diagnostic_get(b.session, 0)->severity, LIEDER_WARNING);
        assert_int_equal(lieder_diagnostic_get(b.session, 1)->severity, LIEDER_ERROR);
        assert_string_equal(lieder_diagnostic_get(b.session, 1)->path, "p[2]");
        assert_int_equal(lieder_stepper_step(s, 1), LIEDER_GAVE_UP);
        lieder_diagnostic_clear(b.session);
        assert_int_equal(lieder_stepper_reset(s, 0, NULL), LIEDER_DONE);
    }
    lieder_stepper_destroy(s);
    drop(&b);
}

/* A parallelogram, its ground inclined, turns until it is flat: the crank has the direction of the
 * ground, atan(4/3), and its two gradients are parallel there. */
static void test_change_point(void **state)
{
    (void)state;
    static const char text[] =
        "model M\n  import Dialectic.Planar.*;\n  inner Dialectic.World world(TD = 0);\n"
        "  Fixed left, right(r = {1.2, 1.6});\n"
        "  Revolute p1(phi(start = 1.8, fixed = true), w(start = 3, fixed = true)),\n"
        "    p2(phi(start = -0.9)), p3(phi(start = 0.9)), p4;\n"
        "  FixedTranslation crank(r = {1, 0}), coupler(r = {2, 0}), rocker(r = {-1, 0});\n"
        "  Body b1, b2, b3;\n"
        "equation\n  connect(left.frame, p1.frame_a);\n  connect(p1.frame_b, crank.frame_a);\n"
        "  connect(crank.frame_b, p2.frame_a);\n  connect(p2.frame_b, coupler.frame_a);\n"
        "  connect(coupler.frame_b, p3.frame_a);\n  connect(p3.frame_b, rocker.frame_a);\n"
        "  connect(rocker.frame_b, p4.frame_a);\n  connect(p4.frame_b, right.frame);\n"
        "  connect(crank.frame_b, b1.frame_a);\n  connect(coupler.frame_b, b2.frame_a);\n"
        "  connect(rocker.frame_b, b3.frame_a);\nend M;\n";
    static const LiederSolver solvers[] = {LIEDER_RK4, LIEDER_BDF, LIEDER_RODAS4};
    const LiederDiagnostic *reported = NULL;
    Built b = build(text);
    for (int k = 0; k < 3; k++) {
        double step = k ? 0 : 1e-3, x[6];
        assert_int_equal(run_drifts(&b, solvers[k], step, 0.2, LIEDER_DONE, &reported), 0);
        assert_int_equal(run_drifts(&b, solvers[k], step, 0.8, LIEDER_DONE, &reported), 1);
        assert_int_equal(reported->severity, LIEDER_WARNING);
        const char *at = strstr(reported->message, "t = ");
        assert_non_null(at);
        double t = atof(at + 4);
        run(&b, 1e-4, (size_t)round(t / 1e-4), x);
        assert_true(fabs(observe(&b, t, x, "p1.phi") - atan2(-1.6, -1.2) - 2 * 3.14159265358979) <
                    0.05);
        /* whichever way it goes on, the loop is closed */
        run(&b, 1e-3, 800, x);
        assert_true(fabs(observe(&b, 0.8, x, "p4.frame_a.x") - 1.2) < 1e-9);
        assert_true(fabs(observe(&b, 0.8, x, "p4.frame_a.y") - 1.6) < 1e-9);
    }
    drop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_classes),  cmocka_unit_test(test_piston),
        cmocka_unit_test(test_beside),         cmocka_unit_test(test_hanging),
        cmocka_unit_test(test_dialectic),      cmocka_unit_test(test_reports),
        cmocka_unit_test(test_several),        cmocka_unit_test(test_own_root),
        cmocka_unit_test(test_wrong_start),    cmocka_unit_test(test_drift),
        cmocka_unit_test(test_drift_of_lanes), cmocka_unit_test(test_change_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
