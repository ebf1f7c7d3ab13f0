/* test_beside.c - equations and connectors of a model's own beside components of the compiled
 * library: closed forms, and the same model without equations. */
#include <math.h>

#include <lieder/load.h>
#include <lieder/variables.h>
#include <lieder/simulate.h>

#include "help/engine.h"
#include "help/run.h"

typedef struct Loaded {
    Lieder *session;
    LiederSystem *system;
    double x[32];
} Loaded;

static Loaded load(const char *text, const char *model)
{
    Loaded l = {.session = lieder_create(NULL)};
    if (lieder_load_text(l.session, "M.mo", text) == LIEDER_DONE)
        l.system = lieder_system_load(l.session, model, NULL, 0, NULL, NULL);
    if (!l.system)
        lieder_diagnostic_print_all(l.session, stderr);
    assert_non_null(l.system);
    lieder_system_start(l.system, l.x);
    return l;
}

static void run(Loaded *l, double h, size_t n)
{
    assert_int_equal(lieder_step(l->system, LIEDER_RK4, 0, h, n, l->x), LIEDER_DONE);
}

static double value(const Loaded *l, double t, const char *name)
{
    double v;
    LiederObserver *o = lieder_observer_create(l->system);
    if (lieder_observer_add(o, name) < 0)
        fail_msg("there is no %s", name);
    assert_int_equal(lieder_observer_evaluate(o, t, l->x, &v), LIEDER_DONE);
    lieder_observer_destroy(o);
    return v;
}

static void drop(Loaded *l)
{
    lieder_system_destroy(l->system);
    lieder_destroy(l->session);
}

#define MASS                                                                                       \
    "  inner Dialectic.World world(TD = 0);\n"                                                     \
    "  Dialectic.Translational.Fixed fixed;\n"                                                     \
    "  Dialectic.Translational.Joint joint(s(start = 1));\n"                                       \
    "  Dialectic.Translational.Body body(m = 2, g = 0);\n"
#define MASS_CONNECTIONS                                                                           \
    "  connect(fixed.flange_b, joint.flange_a);\n  connect(joint.flange_b, body.flange_a);\n"

/* outputs of components are read, inputs are set by equations: a spring of 8 N/m is cos(2 t) */
static void signals_in_equations(void **unused)
{
    (void)unused;
    Loaded l = load("model M\n" MASS "  Dialectic.Translational.PositionSensor sensor;\n"
                    "  parameter Real k = 8;\n  Real e, I(start = 0);\nequation\n" MASS_CONNECTIONS
                    "  connect(sensor.flange, body.flange_a);\n"
                    "  e = -sensor.y;\n  der(I) = e;\n  joint.f_ext = k*e;\nend M;\n",
                    "M");
    run(&l, 1e-3, 1000);
    assert_close(value(&l, 1, "joint.s"), cos(2), 1e-10);
    assert_close(value(&l, 1, "I"), -sin(2) / 2, 1e-10);
    assert_close(value(&l, 1, "joint.f_ext"), -8 * cos(2), 1e-9);
    drop(&l);
}

static const char heat[] =
    "package H\n"
    "connector HeatPort Real T; flow Real Q_flow; end HeatPort;\n"
    "model Capacitor HeatPort port; parameter Real C = 1; Real T(start = 0);\n"
    "equation T = port.T; C*der(T) = port.Q_flow; end Capacitor;\n"
    "model HotDamper\n"
    "  Dialectic.Translational.Flange flange_a, flange_b; HeatPort heat;\n"
    "  parameter Real d = 1; Real v_rel;\n"
    "equation\n"
    "  v_rel = flange_b.v - flange_a.v;\n"
    "  flange_b.f_ki = d*v_rel; flange_b.f_el = 0;\n"
    "  flange_a.f_ki = -flange_b.f_ki; flange_a.f_el = 0;\n"
    "  heat.Q_flow = -d*v_rel^2;\n"
    "end HotDamper;\n"
    "model Coast\n" MASS "  HotDamper damper(d = 3);\n  Capacitor c(C = 5);\n"
    "equation\n" MASS_CONNECTIONS
    "  connect(fixed.flange_b, damper.flange_a); connect(damper.flange_b, body.flange_a);\n"
    "  connect(damper.heat, c.port);\nend Coast;\n"
    "model Fleet Coast coast[3](joint(v(start = {1, 2, 3}))); end Fleet;\n"
    "end H;\n";

/* what the mass loses, the capacitor has: energy is kept */
static void own_connectors(void **unused)
{
    (void)unused;
    Loaded l = load(heat, "H.Coast");
    l.x[state_at(l.system, "joint.v")] = 2;
    run(&l, 1e-3, 1000);
    double v = 2 * exp(-1.5);
    assert_close(value(&l, 1, "joint.v"), v, 1e-10);
    assert_close(value(&l, 1, "c.T"), (4 - v * v) / 5, 1e-10);
    drop(&l);
}

/* a model like this is a component like any other, and an array of it is lanes */
static void arrays_of_such_models(void **unused)
{
    (void)unused;
    Loaded l = load(heat, "H.Fleet");
    run(&l, 1e-3, 1000);
    for (int k = 1; k <= 3; k++) {
        char name[32];
        double v = k * exp(-1.5);
        snprintf(name, sizeof name, "coast[%d].c.T", k);
        assert_close(value(&l, 1, name), (k * k - v * v) / 5, 1e-10);
    }
    drop(&l);
}

/* an elastic element of the model's own between two joints of the library, against the library's */
static void same_as_composed(void **unused)
{
    (void)unused;
    static const char text[] =
        "package P\n"
        "connector Probe Real x; flow Real f; end Probe;\n"
        "model Spring Dialectic.Translational.Flange flange_a, flange_b; Probe probe;\n"
        "  parameter Real c;\n"
        "equation flange_b.f_el = c*(flange_b.s - flange_a.s); flange_b.f_ki = 0;\n"
        "  flange_a.f_el = -flange_b.f_el; flange_a.f_ki = 0;\n"
        "  probe.x = flange_b.f_el; end Spring;\n"
        "model Meter Probe probe; Real y; equation y = probe.x; probe.f = 0; end Meter;\n"
        "partial model Two inner Dialectic.World world(TD = 1e-3, damped = false);\n"
        "  Dialectic.Translational.Fixed fixed;\n"
        "  Dialectic.Translational.Joint j1(s(start = 0.2)), j2(s(start = -0.4));\n"
        "  Dialectic.Translational.Body b1(m = 1), b2(m = 3);\n"
        "equation connect(fixed.flange_b, j1.flange_a); connect(j1.flange_b, b1.flange_a);\n"
        "  connect(fixed.flange_b, j2.flange_a); connect(j2.flange_b, b2.flange_a); end Two;\n"
        "model Own extends Two; Spring spring(c = 50); Meter meter;\n"
        "equation connect(b1.flange_a, spring.flange_a); connect(spring.flange_b, b2.flange_a);\n"
        "  connect(spring.probe, meter.probe); end Own;\n"
        "model Composed extends Two; Dialectic.Translational.Spring spring(c = 50);\n"
        "equation connect(b1.flange_a, spring.flange_a); connect(spring.flange_b, b2.flange_a);\n"
        "end Composed;\nend P;\n";
    Loaded own = load(text, "P.Own"), composed = load(text, "P.Composed");
    run(&own, 1e-3, 2000);
    run(&composed, 1e-3, 2000);
    static const char *const names[] = {"j1.s", "j1.v", "j2.s", "j2.v"};
    for (int i = 0; i < 4; i++)
        assert_close(value(&own, 2, names[i]), value(&composed, 2, names[i]), 1e-12);
    assert_close(value(&own, 2, "meter.y"), value(&composed, 2, "spring.f_el"), 1e-10);
    drop(&own);
    drop(&composed);
}

/* An inerter and a spring without d_el between two bodies that both move: what answers to
 * accelerations alone, or to nothing, by all methods. */
static void answers_of_leaves(void **unused)
{
    (void)unused;
    static const char text[] =
        "package P\n"
        "model Between Dialectic.Translational.Flange flange_a, flange_b; parameter Real c, b;\n"
        "equation flange_b.f_el = c*(flange_b.s - flange_a.s);\n"
        "  flange_b.f_ki = b*(flange_b.a - flange_a.a);\n"
        "  flange_a.f_el = -flange_b.f_el; flange_a.f_ki = -flange_b.f_ki; end Between;\n"
        "model M inner Dialectic.World world(TD = 0);\n"
        "  Dialectic.Translational.Fixed fixed;\n"
        "  Dialectic.Translational.Joint j1(s(start = 0.2)), j2(s(start = -0.4));\n"
        "  Dialectic.Translational.Body b1(m = 1, g = 0), b2(m = 3, g = 0);\n"
        "  Between between(c = 50, b = 0.5);\n"
        "equation connect(fixed.flange_b, j1.flange_a); connect(j1.flange_b, b1.flange_a);\n"
        "  connect(fixed.flange_b, j2.flange_a); connect(j2.flange_b, b2.flange_a);\n"
        "  connect(b1.flange_a, between.flange_a); connect(between.flange_b, b2.flange_a); end M;\n"
        "end P;\n";
    static const LiederMethod methods[] = {LIEDER_METHOD_AUTO, LIEDER_METHOD_TREE,
                                           LIEDER_METHOD_SPARSE, LIEDER_METHOD_PROBE};
    for (int inerter = 0; inerter < 2; inerter++)
        for (int k = 0; k < 4; k++) {
            Lieder *session = lieder_create(NULL);
            LiederSystemOptions options = lieder_system_defaults();
            options.method = methods[k];
            LiederOverride b = {.name = "between.b", .value = inerter ? "0.5" : "0"};
            assert_int_equal(lieder_load_text(session, "M.mo", text), LIEDER_DONE);
            LiederSystem *s = lieder_system_load(session, "P.M", &b, 1, &options, NULL);
            assert_non_null(s);
            double x[4], dx[4];
            lieder_system_start(s, x);
            derivatives(session, s, 0, x, dx);
            /* m1 a1 = f + b (a2 - a1), m2 a2 = -f - b (a2 - a1), f = c (s2 - s1) = -30 N */
            double w = inerter ? 0.5 : 0, f = -30,
                   relative = -f * (1 + 1.0 / 3) / (1 + w * (1 + 1.0 / 3));
            assert_close(dx[state_at(s, "j1.v")], f + w * relative, 1e-12);
            assert_close(dx[state_at(s, "j2.v")], -(f + w * relative) / 3, 1e-12);
            lieder_system_destroy(s);
            lieder_destroy(session);
        }
}

/* Equations read what is inside components of the library, also in a model of such components and
 * where a force closes the loop; inputs that nothing drives stay zero. */
static void read_inside(void **unused)
{
    (void)unused;
    Loaded l = load("package P\nmodel Slider\n" MASS "  Dialectic.Translational.Flange end_;\n"
                    "equation\n" MASS_CONNECTIONS "  connect(joint.flange_b, end_);\nend Slider;\n"
                    "model M\n" MASS "  Slider slider(joint(s(start = 2)));\n"
                    "  Real e = 0.5*body.m*joint.v^2;\n  Real gap = slider.joint.s - joint.s;\n"
                    "equation\n" MASS_CONNECTIONS "  joint.f_ext = 8*(gap - 1);\nend M;\nend P;\n",
                    "P.M");
    l.x[state_at(l.system, "slider.joint.s")] = 2;
    l.x[state_at(l.system, "joint.s")] = 0;
    run(&l, 1e-3, 1000);
    /* 2 kg on 8 N/m about s = 1; the other mass rests */
    assert_close(value(&l, 1, "joint.s"), 1 - cos(2), 1e-10);
    assert_close(value(&l, 1, "slider.joint.s"), 2, 1e-15);
    assert_close(value(&l, 1, "e"), 4 * sin(2) * sin(2), 1e-9);
    drop(&l);
}

/* a connector of a model with equations of its own is no variable, whatever it is called: "m" is a
 * name that the advice on T_D asks for */
static void connectors_are_no_variables(void **unused)
{
    (void)unused;
    Loaded l = load("package P\nmodel Part\n  Dialectic.Translational.Flange m;\n"
                    "  output Real x = 2*time;\n"
                    "  Dialectic.Translational.Joint joint;\n"
                    "  Dialectic.Translational.Body body;\n"
                    "equation\n  connect(m, joint.flange_a);\n"
                    "  connect(joint.flange_b, body.flange_a);\nend Part;\n"
                    "model M\n  inner Dialectic.World world(TD = 1e-3);\n"
                    "  Dialectic.Translational.Fixed fixed;\n  Part part;\n"
                    "equation\n  connect(fixed.flange_b, part.m);\nend M;\nend P;\n",
                    "P.M");
    LiederHandle h;
    assert_false(lieder_handle_search(l.system, NULL, "part.m", &h));
    assert_true(lieder_handle_search(l.system, NULL, "part.x", &h));
    assert_true(lieder_handle_search(l.system, NULL, "part.body.m", &h));
    drop(&l);
}

/* the crane crab that equations look into moves as the one of compiled components */
static void same_when_read(void **unused)
{
    (void)unused;
    static const char text[] = "model M\n  extends Dialectic.Examples.CraneCrab;\n%s\nend M;\n";
    double x[2][4], dx[2][4];
    unsigned seed = 7;
    for (int turn = 0; turn < 100; turn++) {
        for (int k = 0; k < 4; k++)
            x[0][k] = (double)rand_r(&seed) / RAND_MAX * 4 - 2;
        for (int k = 0; k < 2; k++) {
            static LiederSystem *systems[2];
            static Lieder *sessions[2];
            if (turn == 0) {
                char all[400];
                sessions[k] = lieder_create(NULL);
                snprintf(all, sizeof all, text,
                         k ? "  Real y = revolute.phi*prismatic.v + rod.frame_b.x;" : "");
                assert_int_equal(lieder_load_text(sessions[k], "M.mo", all), LIEDER_DONE);
                systems[k] = lieder_system_load(sessions[k], "M", NULL, 0, NULL, NULL);
                assert_non_null(systems[k]);
            }
            static const char *const names[] = {"prismatic.s", "prismatic.v", "revolute.phi",
                                                "revolute.w"};
            double at[4], slope[4];
            for (int i = 0; i < 4; i++)
                at[state_at(systems[k], names[i])] = x[0][i];
            derivatives(sessions[k], systems[k], 0, at, slope);
            for (int i = 0; i < 4; i++)
                dx[k][i] = slope[state_at(systems[k], names[i])];
            if (turn == 99) {
                lieder_system_destroy(systems[k]);
                lieder_destroy(sessions[k]);
            }
        }
        for (int i = 0; i < 4; i++)
            assert_close(dx[1][i], dx[0][i], 1e-12 * (1 + fabs(dx[0][i])));
    }
}

/* what components that are written in C keep to themselves */
static void refused(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    assert_int_equal(lieder_load_text(session, "M.mo",
                                      "model M\n" MASS "  Dialectic.Translational.Breakable b;\n"
                                      "  Real e = b.flange_a.s;\nequation\n" MASS_CONNECTIONS
                                      "  connect(fixed.flange_b, b.flange_a);\n"
                                      "  connect(b.flange_b, body.flange_a);\nend M;\n"),
                     LIEDER_DONE);
    assert_null(lieder_system_load(session, "M", NULL, 0, NULL, NULL));
    bool found = false;
    for (size_t i = 0; i < lieder_diagnostic_count(session); i++)
        found |=
            strstr(lieder_diagnostic_get(session, i)->message, "equations cannot read") != NULL;
    assert_true(found);
    lieder_destroy(session);
}

/* momentum of a classical and a dialectic body that an adapter joins */
static void momentum(const Loaded *l, double t, double p[3])
{
    const double m = 2, J = 0.1, mb = 1, Jb = 0.05;
    double x = value(l, t, "point.x"), y = value(l, t, "point.y");
    double vx = value(l, t, "point.vx"), vy = value(l, t, "point.vy");
    double xb = value(l, t, "body.frame_a.x"), yb = value(l, t, "body.frame_a.y");
    double vxb = value(l, t, "body.frame_a.vx"), vyb = value(l, t, "body.frame_a.vy");
    p[0] = m * vx + mb * vxb;
    p[1] = m * vy + mb * vyb;
    p[2] = m * (x * vy - y * vx) + J * value(l, t, "point.w") + mb * (xb * vyb - yb * vxb) +
           Jb * value(l, t, "body.frame_a.w");
}

/* Adapters between classical and dialectic connectors: momentum stays, and a classical drive
 * presses a dialectic jaw with the force that its motor has when it stands. */
static void adapters(void **unused)
{
    (void)unused;
    Loaded l = {.session = lieder_create(NULL)};
    double p[3], first[3];
    LiederOverride newton = {.name = "world.TD", .value = "0"};
    assert_int_equal(lieder_load(l.session, SOURCE_DIR "/models/adapters/Adapters.mo"),
                     LIEDER_DONE);
    l.system = lieder_system_load(l.session, "Adapters.Pair", &newton, 1, NULL, NULL);
    assert_non_null(l.system);
    lieder_system_start(l.system, l.x);
    momentum(&l, 0, first);
    run(&l, 1e-4, 5000);
    momentum(&l, 0.5, p);
    for (int k = 0; k < 3; k++)
        assert_true(fabs(p[k] - first[k]) < 1e-6 && fabs(first[k]) > 0.1);
    assert_true(fabs(value(&l, 0.5, "point.x") - value(&l, 0.5, "free.frame_b.x")) < 1e-4);
    lieder_system_destroy(l.system);
    l.system = lieder_system_load(l.session, "Adapters.Gripper", NULL, 0, NULL, NULL);
    assert_non_null(l.system);
    lieder_system_start(l.system, l.x);
    run(&l, 5e-5, 20000);
    assert_true(fabs(value(&l, 1, "adapter.f") + 0.2 * 2 * M_PI / 0.01) < 0.5);
    drop(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_in_equations),
        cmocka_unit_test(own_connectors),
        cmocka_unit_test(arrays_of_such_models),
        cmocka_unit_test(same_as_composed),
        cmocka_unit_test(answers_of_leaves),
        cmocka_unit_test(read_inside),
        cmocka_unit_test(same_when_read),
        cmocka_unit_test(connectors_are_no_variables),
        cmocka_unit_test(refused),
        cmocka_unit_test(adapters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
