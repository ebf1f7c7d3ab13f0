/* test_energy.c - energies along a run: the balance of dialectic mechanics closes as well as the
 * solver integrates, and the filter takes what theory says. */
#include "solve/help.h"

#include <lieder/energy.h>
#include <lieder/load.h>

#define DIALECTIC "  inner Dialectic.World world;\n"

static const char double_pendulum[] =
    "model M import Dialectic.Planar.*;" DIALECTIC
    "Fixed fixed; Revolute r1(phi(start = 1.5)), r2(phi(start = 0.5));\n"
    "FixedTranslation a(r = {0, -1}), b(r = {0, -1}); Body m1, m2;\n"
    "equation connect(fixed.frame, r1.frame_a); connect(r1.frame_b, a.frame_a);\n"
    "connect(a.frame_b, m1.frame_a); connect(a.frame_b, r2.frame_a);\n"
    "connect(r2.frame_b, b.frame_a); connect(b.frame_b, m2.frame_a); end M;";

static const char crane[] =
    "model M import Dialectic.Planar.*;" DIALECTIC
    "Fixed fixed; Prismatic slide(r = {1, 0}); Body cart(m = 2), load;\n"
    "Revolute hinge(phi(start = 1)); FixedTranslation rod(r = {0, -1});\n"
    "equation connect(fixed.frame, slide.frame_a); connect(slide.frame_b, cart.frame_a);\n"
    "connect(slide.frame_b, hinge.frame_a); connect(hinge.frame_b, rod.frame_a);\n"
    "connect(rod.frame_b, load.frame_a); end M;";

static const char ball[] =
    "model M import Dialectic.Planar.*;" DIALECTIC
    "parameter Real d = 10, v = 0.3; Fixed fixed; FreeMotion free(y(start = 1.05), vx(start = "
    "v));\n"
    "Body body(I = 1e-3);\n"
    "Contact floor(wall(n = {0, 1}, radius = 0.05), touch(c = 1e6, d = d, mu_A = 0.3, mu_S = 0.2));"
    "\nequation connect(fixed.frame, free.frame_a); connect(free.frame_b, body.frame_a);\n"
    "connect(fixed.frame, floor.frame_a); connect(free.frame_b, floor.frame_b); end M;";

/* a force, an external force, friction, a spring with a damper, a text class in between */
static const char driven[] =
    "model M import Dialectic.Translational.*;" DIALECTIC
    "Fixed fixed; Joint j(s(start = 0.1)), k; Body m1(m = 2, g = 0), m2(m = 1);\n"
    "SpringDamper spring(c = 2000, d = 3); Force force; DryFriction friction(N = 2);\n"
    "CubicSpring cubic(c = 100, c3 = 1e4, d = 1);\n"
    "Signals.Sine sine(amplitude = 20, f = 1.3), sine2(amplitude = 5, f = 2.3);\n"
    "equation connect(fixed.flange_b, j.flange_a); connect(j.flange_b, m1.flange_a);\n"
    "connect(j.flange_b, k.flange_a); connect(k.flange_b, m2.flange_a);\n"
    "connect(fixed.flange_b, spring.flange_a); connect(k.flange_b, spring.flange_b);\n"
    "connect(fixed.flange_b, friction.flange_a); connect(k.flange_b, friction.flange_b);\n"
    "connect(j.flange_b, cubic.flange_a); connect(k.flange_b, cubic.flange_b);\n"
    "connect(sine.y, force.f); connect(force.flange, j.flange_b); connect(sine2.y, k.f_ext); end "
    "M;";

/* a shaft that is turned as prescribed, against a spring and drag */
static const char prescribed[] =
    "model M import Dialectic.Rotational.*;" DIALECTIC
    "Speed speed; Signals.Sine sine(amplitude = 4, f = 0.7); Joint shaft; Inertia disc(J = 0.1);\n"
    "SpringDamper spring(c = 20, d = 0.05); QuadraticDrag drag(k = 0.01);\n"
    "equation connect(sine.y, speed.w_ref); connect(speed.flange, shaft.flange_a);\n"
    "connect(shaft.flange_b, disc.flange_a); connect(speed.flange, spring.flange_a);\n"
    "connect(shaft.flange_b, spring.flange_b); connect(shaft.flange_b, drag.flange); end M;";

/* Classes of the library that are equations, none with a source: what nobody else has, the filter
 * takes. A disc on a slope against a spring; a wheel that coasts in a circle; one with a spring on
 * its axle; teeth between two wheels; a gear box; a spring with a table. */
static const char *const text_classes[] = {
    "model M import Dialectic.Planar.*;" DIALECTIC
    "Fixed slope(phi = -0.5); RollingDisc roll(radius = 0.2); Body disc(m = 2, I = 0.04);\n"
    "Dialectic.Translational.Spring spring(c = 40);\n"
    "equation connect(slope.frame, roll.frame_a); connect(roll.frame_b, disc.frame_a);\n"
    "connect(roll.support, spring.flange_a); connect(roll.flange_a, spring.flange_b); end M;",

    "model M import Dialectic.Planar.*; inner Dialectic.World world(g = 0);\n"
    "Fixed ground; FreeMotion free(vx(start = 2), w(start = 1)); Body car(m = 2, I = 0.3);\n"
    "IdealWheel wheel(radius = 0.2); Dialectic.Rotational.Inertia rim(J = 0.01);\n"
    "equation connect(ground.frame, free.frame_a); connect(free.frame_b, car.frame_a);\n"
    "connect(free.frame_b, wheel.frame); connect(rim.flange_a, wheel.flange); end M;",

    "model M import Dialectic.Planar.*; inner Dialectic.World world(g = 0);\n"
    "Fixed ground; FreeMotion free(vx(start = 2)); Body car(m = 2, I = 0.3);\n"
    "DryFrictionWheel wheel(radius = 0.2, J = 0.05, N = 20);\n"
    "Dialectic.Rotational.Fixed axle; Dialectic.Rotational.Spring spring(c = 2);\n"
    "equation connect(ground.frame, free.frame_a); connect(free.frame_b, car.frame_a);\n"
    "connect(free.frame_b, wheel.frame); connect(axle.flange_b, spring.flange_a);\n"
    "connect(spring.flange_b, wheel.flange); end M;",

    "model M import Dialectic.Planar.*;" DIALECTIC
    "Fixed left, right(r = {0.3, 0}); Revolute a(w(start = 3)), b(w(start = -6));\n"
    "Body wheel_a(I = 0.02), wheel_b(I = 0.01); FixedTranslation arm(r = {0.05, 0});\n"
    "Body eccentric(m = 0.5); GearContact teeth(radius_a = 0.2, radius_b = 0.1, c = 1e5);\n"
    "equation connect(left.frame, a.frame_a); connect(a.frame_b, wheel_a.frame_a);\n"
    "connect(right.frame, b.frame_a); connect(b.frame_b, wheel_b.frame_a);\n"
    "connect(a.frame_b, arm.frame_a); connect(arm.frame_b, eccentric.frame_a);\n"
    "connect(a.frame_b, teeth.frame_a); connect(b.frame_b, teeth.frame_b); end M;",

    "model M import Dialectic.Rotational.*;" DIALECTIC
    "Fixed housing; Inertia motor(J = 0.1), load(J = 2); Spring spring(c = 5, phi0 = 2);\n"
    "LossyGear gear(ratio = 0.2, lossTable = [0, 0.9, 0.8, 0.01, 0.01]);\n"
    "equation connect(gear.support, housing.flange_b); connect(motor.flange_a, gear.flange_a);\n"
    "connect(load.flange_a, gear.flange_b); connect(housing.flange_b, spring.flange_a);\n"
    "connect(spring.flange_b, gear.flange_a); end M;",

    "model M import Dialectic.Translational.*;" DIALECTIC
    "Fixed wall; Joint j(s(start = 1.5)); Body mass(m = 2, g = 0);\n"
    "TableSpring spring(table = [-1, -30; 0, 0; 1, 10; 2, 30], d = 0.1);\n"
    "equation connect(wall.flange_b, j.flange_a); connect(j.flange_b, mass.flange_a);\n"
    "connect(wall.flange_b, spring.flange_a); connect(spring.flange_b, j.flange_b); end M;",

    "model M import Dialectic.Planar.*;" DIALECTIC
    "Fixed fixed; FreeMotion free(x(start = 0.8), y(start = -0.6)); Body body(I = 0.1);\n"
    "LineSpring spring(c = 500, d = 0.3, l = 0.9);\n"
    "equation connect(fixed.frame, free.frame_a); connect(free.frame_b, body.frame_a);\n"
    "connect(fixed.frame, spring.frame_a); connect(free.frame_b, spring.frame_b); end M;"};

/* a box that falls on a floor with friction, and a disc that rolls into it */
static const char shapes[] =
    "model M import Dialectic.Planar.*;" DIALECTIC
    "Fixed floor; FreeMotion free(y(start = 0.1), phi(start = 0.1), vx(start = 0.5));\n"
    "FreeMotion ball(x(start = -0.5), y(start = 0.0499), vx(start = 3)); Body brick(I = 0.01);\n"
    "Body wheel(m = 0.5, I = 6e-4);\n"
    "LineContact a(n = {0, 1}, shape = box(0.2, 0.1), c = 1e5, d = 100, mu_A = 0.5, mu_S = 0.4, "
    "vAdhesion = 0.05);\n"
    "LineContact b(n = {0, 1}, shape = disc(), radius = 0.05, c = 1e5, d = 50, mu_A = 0.5, "
    "vAdhesion = 0.05);\n"
    "ShapeContact c(shape_a = disc(), radius_a = 0.05, shape_b = box(0.2, 0.1), c = 1e5, d = 50,\n"
    "mu_A = 0.3, vAdhesion = 0.05);\n"
    "equation connect(floor.frame, free.frame_a); connect(free.frame_b, brick.frame_a);\n"
    "connect(floor.frame, ball.frame_a); connect(ball.frame_b, wheel.frame_a);\n"
    "connect(floor.frame, a.frame_a); connect(free.frame_b, a.frame_b);\n"
    "connect(floor.frame, b.frame_a); connect(ball.frame_b, b.frame_b);\n"
    "connect(ball.frame_b, c.frame_a); connect(free.frame_b, c.frame_b); end M;";

/* Losses that leave through heat ports or as signals; all of them come into one capacity, which
 * begins at zero, so that its temperature is the heat in J. */
static const char heated[] =
    "model M import Dialectic.Planar.*; import Thermal.*;" DIALECTIC
    "Fixed fixed; FreeMotion free(x(start = 0.5), y(start = -0.8)), ball(y(start = 0.2));\n"
    "FreeMotion slab(y(start = 0.1), vx(start = 1)); Body a(I = 0.1), b(I = 0.01), c(I = 0.01);\n"
    "HeatingLineSpring line(c = 200, d = 2, l = 0.7);\n"
    "HeatingSpringDamper bed(c_x = 50, c_y = 20, c_phi = 3, d_x = 1, d_y = 2, d_phi = 0.2);\n"
    "Contact touch(wall(n = {0, 1}, radius = 0.05), touch(c = 1e4, d = 20, mu_A = 0.3, mu_S = "
    "0.3, vAdhesion = 0.05, vSlide = 0.5));\n"
    "LineContact floor(n = {0, 1}, shape = box(0.2, 0.1), c = 1e4, d = 30, mu_A = 0.4, vAdhesion = "
    "0.05);\n"
    "HeatCapacitor heat(C = 1, T(start = 0)); PrescribedHeatFlow p, q;\n"
    "equation connect(fixed.frame, free.frame_a); connect(free.frame_b, a.frame_a);\n"
    "connect(fixed.frame, ball.frame_a); connect(ball.frame_b, b.frame_a);\n"
    "connect(fixed.frame, slab.frame_a); connect(slab.frame_b, c.frame_a);\n"
    "connect(fixed.frame, line.frame_a); connect(free.frame_b, line.frame_b);\n"
    "connect(fixed.frame, bed.frame_a); connect(free.frame_b, bed.frame_b);\n"
    "connect(fixed.frame, touch.frame_a); connect(ball.frame_b, touch.frame_b);\n"
    "connect(fixed.frame, floor.frame_a); connect(slab.frame_b, floor.frame_b);\n"
    "connect(touch.lossPower, p.Q_flow); connect(floor.lossPower, q.Q_flow);\n"
    "connect(line.heatPort, heat.port); connect(bed.heatPort, heat.port);\n"
    "connect(p.port, heat.port); connect(q.port, heat.port); end M;";

/* a force with kinks that are no events: every step looks the same to bdf until one of them comes
 */
static const char kinked[] =
    "model M import Dialectic.Translational.*;" DIALECTIC
    "Fixed fixed; Joint j; Body m1(m = 2, g = 0); Force force;\n"
    "equation force.f = noEvent(min(min(4, 200*time), 40 - 60*time) + 30*max(0, time - 0.77));\n"
    "connect(fixed.flange_b, j.flange_a); connect(j.flange_b, m1.flange_a);\n"
    "connect(force.flange, j.flange_b); end M;";

/* ------------------------------------------------------------------ runs */

typedef struct Report {
    LiederEnergy start, now;
    double open; /* largest gap of the balance at a row */
    double lowest, highest, top;
    double last[8];
    double heat; /* the last state, which is a temperature where a model has one */
    size_t states, rows;
} Report;

static double sum(const LiederEnergy *e)
{
    return e->kinetic + e->potential + e->dissipated + e->filter - e->supplied;
}

static bool on_row(void *user, double t, const double *x, LiederRow kind)
{
    Report *r = user;
    (void)kind;
    if (!r->rows++)
        r->start = r->now;
    r->open = fmax(r->open, fabs(sum(&r->now) - sum(&r->start)));
    r->lowest = fmin(r->lowest, r->now.potential);
    if (t > 0.5)
        r->top = fmax(r->top, r->now.potential);
    memcpy(r->last, x, 2 * sizeof *x);
    r->heat = x[r->states - 1];
    return true;
}

static Report run_at(const char *text, const char *TD, double stop, LiederSolver solver,
                     double step, double interval)
{
    Report r = {0};
    Lieder *session = lieder_create(NULL);
    assert_int_equal(lieder_load_text(session, "M.mo", text), LIEDER_DONE);
    LiederOverride override = {.name = "world.TD", .value = TD};
    LiederSystem *system = lieder_system_load(session, "M", &override, 1, NULL, NULL);
    if (!system)
        lieder_diagnostic_print_all(session, stderr);
    assert_non_null(system);
    r.states = lieder_system_state_count(system);
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.stop = stop;
    o.solver = solver;
    o.step = step;
    o.interval = interval;
    o.tolerance = 1e-8;
    o.clocks = LIEDER_CLOCKS_SHARED;
    o.energy = &r.now;
    o.output = on_row;
    o.user = &r;
    LiederStatus status = lieder_simulate(system, &o, NULL);
    if (status != LIEDER_DONE)
        lieder_diagnostic_print_all(session, stderr);
    assert_int_equal(status, LIEDER_DONE);
    lieder_system_destroy(system);
    lieder_destroy(session);
    return r;
}

static Report run(const char *text, const char *TD, double stop, LiederSolver solver, double step)
{
    return run_at(text, TD, stop, solver, step, 0);
}

/* ------------------------------------------------------------------ the balance */

static void the_balance_closes(void **unused)
{
    (void)unused;
    static const struct {
        const char *name, *text;
        double stop;
    } models[] = {{"double pendulum", double_pendulum, 2},
                  {"crane", crane, 2},
                  {"ball", ball, 1},
                  {"driven", driven, 1},
                  {"prescribed", prescribed, 1}};
    static const char *const TDs[] = {"0", "1e-4", "1e-3", "1e-2"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (size_t k = 0; k < sizeof TDs / sizeof *TDs; k++) {
            Report r = run(models[i].text, TDs[k], models[i].stop, LIEDER_RODAS4, 0);
            if (!(r.open < 2e-6))
                fail_msg("%s, T_D = %s: the balance is open by %g J", models[i].name, TDs[k],
                         r.open);
            /* nothing for the filter with T_D = 0, and something otherwise */
            assert_true(k ? fabs(r.now.filter) > 1e-6 : fabs(r.now.filter) < 1e-12);
        }
}

static void other_solvers_close_it_to_their_order(void **unused)
{
    (void)unused;
    double bdf = run(double_pendulum, "1e-3", 1, LIEDER_BDF, 0).open;
    double rk45 = run(double_pendulum, "1e-3", 1, LIEDER_RK45, 0).open;
    double long_ = run(double_pendulum, "1e-3", 1, LIEDER_RK4, 4e-3).open;
    double short_ = run(double_pendulum, "1e-3", 1, LIEDER_RK4, 2e-3).open;
    double euler = run(double_pendulum, "1e-3", 1, LIEDER_EULER_BACKWARD, 2e-3).open;
    double half = run(double_pendulum, "1e-3", 1, LIEDER_EULER_BACKWARD, 1e-3).open;
    assert_true(bdf < 1e-5 && rk45 < 1e-6);
    assert_in_range((long)(10 * log2(long_ / short_)), 35, 55); /* order four */
    assert_in_range((long)(10 * log2(euler / half)), 8, 12);
}

/* The powers of bdf are those of rows and of some of its steps: their places must not matter. */
static void nodes_of_bdf_serve(void **unused)
{
    (void)unused;
    static const struct {
        const char *name, *text;
    } models[] = {
        {"double pendulum", double_pendulum}, {"crane", crane},  {"ball", ball}, {"driven", driven},
        {"prescribed", prescribed},           {"kinked", kinked}};
    static const double intervals[] = {0, 1e-4, 0.5};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (size_t k = 0; k < sizeof intervals / sizeof *intervals; k++) {
            Report r = run_at(models[i].text, "1e-3", 1, LIEDER_BDF, 0, intervals[k]);
            if (!(r.open < 2e-7))
                fail_msg("%s, rows %g s apart: the balance is open by %g J", models[i].name,
                         intervals[k], r.open);
        }
}

static void the_filter_takes_what_is_known(void **unused)
{
    (void)unused;
    Report r = run(double_pendulum, "1e-3", 10, LIEDER_RODAS4, 0);
    double whole = r.start.kinetic + r.start.potential - -3 * 9.81;
    assert_true(r.now.dissipated == 0 && fabs(r.now.supplied) < 1e-9);
    assert_in_range((long)(1000 * r.now.filter / whole), 20, 200);
    /* a ball that loses nothing else comes back to 0.11 m instead of 0.91 m or more */
    Report hard = run(ball, "1e-3", 1, LIEDER_RODAS4, 0),
           soft = run(ball, "0", 1, LIEDER_RODAS4, 0);
    assert_true(hard.top / 9.81 - 0.05 < 0.2 && soft.top / 9.81 - 0.05 > 0.85);
    assert_true(hard.now.filter > 0.8 * 9.81 && fabs(soft.now.filter) < 1e-12);
}

static void classes_of_equations_tell_theirs(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof text_classes / sizeof *text_classes; i++) {
        Report r = run(text_classes[i], "1e-3", 1, LIEDER_RODAS4, 0);
        if (r.open > 1e-5 || fabs(r.now.supplied) > 1e-5 || r.now.filter < 1e-4)
            fail_msg("class %zu: balance open by %g J, %g J supplied, the filter took %g J", i,
                     r.open, r.now.supplied, r.now.filter);
    }
    /* the wheel in the circle: T_D m a^2, with v = 2 m/s and 1 rad/s */
    Report circle = run(text_classes[1], "1e-3", 1, LIEDER_RODAS4, 0);
    assert_true(fabs(circle.now.filter - 1e-3 * 2 * 4) < 2e-4);
}

static void friction_and_dampers_dissipate(void **unused)
{
    (void)unused;
    Report r = run(driven, "1e-3", 1, LIEDER_RODAS4, 0);
    assert_true(r.now.dissipated > 0.1 && fabs(r.now.supplied) > 0.1);
    r = run(prescribed, "1e-3", 1, LIEDER_RODAS4, 0);
    assert_true(r.now.dissipated > 0 && fabs(r.now.supplied) > 0.1);
}

/* What contacts, springs and dampers of the plane lose is heat, nothing of it a source; where it
 * leaves through ports all of it arrives. */
static void losses_of_the_plane_are_heat(void **unused)
{
    (void)unused;
    static const char *const TDs[] = {"0", "1e-3"};
    for (int k = 0; k < 2; k++) {
        Report r = run(shapes, TDs[k], 0.6, LIEDER_BDF, 0);
        assert_true(r.now.dissipated > 2.5 && fabs(r.now.supplied) < 1e-8 && r.open < 1e-4);
        r = run(heated, TDs[k], 0.6, LIEDER_BDF, 0);
        assert_true(r.now.dissipated > 10 && fabs(r.now.supplied) < 1e-8 && r.open < 1e-4);
        assert_true(fabs(r.heat - r.now.dissipated) < 1e-6 * r.now.dissipated);
    }
}

/* Springs with laws of their own, a million times stiffer than a step of 1 ms could follow: they
 * come to rest where the law carries the weight. */
static void stiff_laws_at_fixed_steps(void **unused)
{
    (void)unused;
    static const struct {
        const char *spring;
        double rest; /* of m g = 9.81 N */
    } laws[] = {{"CubicSpring spring(c = 1e6, c3 = 1e16, d = 2e3)", -6.74346e-6},
                {"TableSpring spring(table = [-1e-6, -1e3; 0, 0; 1e-3, 1], d = 1e4)", -9.81e-9}};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "model M import Dialectic.Translational.*;" DIALECTIC
                 "Fixed wall; Joint j; Body mass; %s;\n"
                 "equation connect(wall.flange_b, j.flange_a); connect(j.flange_b, mass.flange_a);"
                 "connect(wall.flange_b, spring.flange_a); connect(spring.flange_b, j.flange_b); "
                 "end M;",
                 laws[i].spring);
        Report r = run(text, "1e-3", 1, LIEDER_RK4, 1e-3);
        if (!(fabs(r.last[0] - laws[i].rest) < 1e-4 * fabs(laws[i].rest)))
            fail_msg("%s rests at %g m instead of %g m", laws[i].spring, r.last[0], laws[i].rest);
    }
    /* a steel rope of 1e8 N/m in the plane: hangs at its length and by m g/c more */
    static const char rope[] =
        "model M import Dialectic.Planar.*;" DIALECTIC
        "Fixed fixed; FreeMotion free(y(start = -1)); Body body(I = 0.1);\n"
        "LineSpring spring(c = 1e8, d = 1e4, l = 1);\n"
        "equation connect(fixed.frame, free.frame_a); connect(free.frame_b, body.frame_a);\n"
        "connect(fixed.frame, spring.frame_a); connect(free.frame_b, spring.frame_b); end M;";
    Report r = run(rope, "1e-3", 1, LIEDER_RK4, 1e-3);
    assert_true(fabs(r.last[1] + 1 + 9.81e-8) < 1e-11);
}

static bool keep_two(void *user, double t, const double *x, LiederRow kind)
{
    (void)t;
    (void)kind;
    memcpy(user, x, 2 * sizeof *x);
    return true;
}

typedef struct Net {
    size_t states;
    double x[864];
} Net;

static bool keep_net(void *user, double t, const double *x, LiederRow kind)
{
    Net *net = user;
    (void)t;
    (void)kind;
    memcpy(net->x, x, net->states * sizeof *x);
    return true;
}

/* ------------------------------------------------------------------ the first try of a contact */

/* A ball that falls on a floor, with the defaults of lieder simulate: nine of these combinations
 * ended by chattering once. All come to rest where the spring carries the weight, or bounce on. There
 * is no damper: what is lost the filter has taken, at surfaces that are held as well. */
static void dropped_balls_come_down(void **unused)
{
    (void)unused;
    static const double TDs[] = {0, 1e-5, 1e-4, 1e-3, 3e-3, 1e-2}, cs[] = {1e4, 1e6, 1e8, 1e10};
    for (int i = 0; i < 24; i++) {
        double TD = TDs[i / 4], c = cs[i % 4], x[2];
        Lieder *session = lieder_create(NULL);
        LiederModel *m = lieder_model_create(session, "Drop", "");
        lieder_model_add(m, "world", "World");
        lieder_model_add(m, "fixed", "Translational.Fixed");
        lieder_model_add(m, "joint", "Translational.Joint");
        lieder_model_add(m, "ball", "Translational.Body");
        lieder_model_add(m, "floor", "Translational.ElastoGap");
        lieder_model_connect(m, "fixed.flange_b", "joint.flange_a");
        lieder_model_connect(m, "joint.flange_b", "ball.flange_a");
        lieder_model_connect(m, "fixed.flange_b", "floor.flange_a");
        lieder_model_connect(m, "joint.flange_b", "floor.flange_b");
        lieder_model_set(m, "world.TD", TD);
        lieder_model_set(m, "joint.s", 1);
        lieder_model_set(m, "floor.c", c);
        LiederSystem *system = system_new(session, "Drop");
        LiederSimulateOptions o = lieder_simulate_defaults();
        o.stop = TD < 5e-3 ? 1 : 0.645; /* it rides on the surface for 14 T_D there */
        o.output = keep_two;
        o.user = x;
        LiederEnergy e;
        o.energy = &e;
        if (lieder_simulate(system, &o, NULL) != LIEDER_DONE) {
            lieder_diagnostic_print_all(session, stderr);
            fail_msg("T_D = %g s, c = %g N/m", TD, c);
        }
        double rest = -9.81 / c;
        if (c * TD * TD > 1e2 && TD < 5e-3 && !(fabs(x[0] - rest) < 1e-3 * fabs(rest) + 1e-11))
            fail_msg("T_D = %g s, c = %g N/m: rests at %g m instead of %g m", TD, c, x[0], rest);
        if (!(fabs(e.dissipated) < 1e-6))
            fail_msg("T_D = %g s, c = %g N/m: %g J in dampers", TD, c, e.dissipated);
        if (TD == 0 && !(fabs(x[0] * 9.81 + x[1] * x[1] / 2 - 9.81) < 1e-3))
            fail_msg("c = %g N/m: Newton's ball has lost energy", c);
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
}

/* A net of 864 states hangs: each row of springs carries the bodies below it. By the defaults, to
 * where it rests. */
static void a_net_hangs(void **unused)
{
    (void)unused;
    static const char text[] =
        "model M parameter Integer n = 12; inner Dialectic.World world(TD = 1e-2);\n"
        "Dialectic.Planar.Fixed fixed;\n"
        "Dialectic.Planar.FreeMotion free[n, n](x(start = {{0.1*j for j in 1:n} for i in 1:n}),\n"
        "  y(start = {{-0.1*i for j in 1:n} for i in 1:n}));\n"
        "Dialectic.Planar.Body body[n, n](each m = 0.1, each I = 1e-4);\n"
        "Dialectic.Planar.SpringDamper weft[n, n - 1](each c_x = 1e6, each c_y = 1e6,\n"
        "  each c_phi = 100, each d_x = 10, each d_y = 10, each d_phi = 0.01, each s_relx0 = "
        "0.1);\n"
        "Dialectic.Planar.SpringDamper warp[n - 1, n](each c_x = 1e6, each c_y = 1e6,\n"
        "  each c_phi = 100, each d_x = 10, each d_y = 10, each d_phi = 0.01, each s_rely0 = "
        "-0.1);\n"
        "Dialectic.Planar.SpringDamper edge[n](each c_x = 1e6, each c_y = 1e6, each c_phi = 100,\n"
        "  s_relx0 = {0.1*j for j in 1:n}, each s_rely0 = -0.1);\n"
        "equation for i in 1:n loop for j in 1:n loop\n"
        "  connect(fixed.frame, free[i, j].frame_a);\n"
        "  connect(free[i, j].frame_b, body[i, j].frame_a);\n"
        "  if j < n then connect(free[i, j].frame_b, weft[i, j].frame_a);\n"
        "    connect(weft[i, j].frame_b, free[i, j + 1].frame_b); end if;\n"
        "  if i < n then connect(free[i, j].frame_b, warp[i, j].frame_a);\n"
        "    connect(warp[i, j].frame_b, free[i + 1, j].frame_b); end if;\n"
        "end for; end for;\n"
        "for j in 1:n loop connect(fixed.frame, edge[j].frame_a);\n"
        "  connect(edge[j].frame_b, free[1, j].frame_b); end for; end M;";
    Lieder *session = lieder_create(NULL);
    assert_int_equal(lieder_load_text(session, "M.mo", text), LIEDER_DONE);
    LiederSystem *system = lieder_system_load(session, "M", NULL, 0, NULL, NULL);
    assert_non_null(system);
    assert_int_equal(lieder_system_state_count(system), 864);
    Net last = {.states = 864};
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.stop = 1;
    o.output = keep_net;
    o.user = &last;
    LiederStatistics statistics;
    assert_int_equal(lieder_simulate(system, &o, &statistics), LIEDER_DONE);
    assert_true(statistics.steps < 1000);
    char name[100];
    for (size_t k = 0; k < 864; k++) {
        int i, j;
        lieder_system_state_name(system, k, name, sizeof name);
        size_t n = strlen(name);
        if (sscanf(name, "free[%d,%d].", &i, &j) != 2 || strcmp(name + n - 2, ".y") != 0)
            continue;
        double y = -0.1 * i;
        for (int row = 1; row <= i; row++)
            y -= (13 - row) * 0.1 * 9.81 / 1e6;
        if (!(fabs(last.x[k] - y) < 1e-7))
            fail_msg("%s is %.9g instead of %.9g", name, last.x[k], y);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ fleets, and what it costs */

static void a_fleet_has_the_sum(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_crabs(session, "Fleet", 37, 1e-3);
    LiederSystem *system = system_new(session, "Fleet");
    double x[37 * 4];
    LiederEnergy e;
    assert_int_equal(lieder_system_start(system, x), LIEDER_DONE);
    assert_int_equal(lieder_system_energy(system, 0, x, &e), LIEDER_DONE);
    double expected = 0;
    for (size_t i = 0; i < 37; i++)
        expected -= 9.81 * (1 + 0.5 * (double)i / 37) * cos(0.5 + (double)i / 37);
    assert_true(fabs(e.potential - expected) < 1e-9 && e.kinetic == 0);
    assert_null(lieder_system_unmeasured(system, 0));
    lieder_system_destroy(system);
    lieder_destroy(session);
}

static bool keep_last(void *user, double t, const double *x, LiederRow kind)
{
    (void)t;
    (void)kind;
    memcpy(user, x, 4 * sizeof *x);
    return true;
}

static void results_do_not_depend_on_it(void **unused)
{
    (void)unused;
    static const LiederSolver solvers[] = {LIEDER_RK4, LIEDER_BDF, LIEDER_RK45};
    Lieder *session = lieder_create(NULL);
    build_crabs(session, "Fleet", 1, 1e-3);
    LiederSystem *system = system_new(session, "Fleet");
    for (int i = 0; i < 3; i++) {
        double with[4], without[4];
        LiederEnergy e;
        LiederSimulateOptions o = lieder_simulate_defaults();
        o.solver = solvers[i];
        o.step = solvers[i] == LIEDER_RK4 ? 2e-3 : 0;
        o.clocks = LIEDER_CLOCKS_SHARED;
        o.output = keep_last;
        o.user = without;
        assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_DONE);
        o.user = with;
        o.energy = &e;
        assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_DONE);
        assert_memory_equal(with, without, sizeof with);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ classes of users */

static void equations_of_users_are_named(void **unused)
{
    (void)unused;
    static const char text[] =
        "model Sticky Dialectic.Translational.Flange flange; parameter Real d = 2;\n"
        "equation flange.f_ki = d*flange.v; flange.f_el = 0; end Sticky;\n"
        "model Told extends Sticky; Real lossPower(unit = \"W\") = d*flange.v^2; end Told;\n"
        "model M import Dialectic.Translational.*; " DIALECTIC
        "Fixed fixed; Joint j(v(start = 1)); Body m(g = 0); %s part;\n"
        "equation connect(fixed.flange_b, j.flange_a); connect(j.flange_b, m.flange_a);\n"
        "connect(j.flange_b, part.flange); end M;";
    for (int declared = 0; declared < 2; declared++) {
        char model[2000];
        snprintf(model, sizeof model, text, declared ? "Told" : "Sticky");
        Report r = run(model, "0", 1, LIEDER_RODAS4, 0);
        double lost = 0.5 * (1 - exp(-4.0));
        assert_true(fabs((declared ? r.now.dissipated : -r.now.supplied) - lost) < 1e-6);
        assert_true(fabs(declared ? r.now.supplied : r.now.dissipated) < 1e-9 && r.open < 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_balance_closes),
        cmocka_unit_test(other_solvers_close_it_to_their_order),
        cmocka_unit_test(nodes_of_bdf_serve),
        cmocka_unit_test(the_filter_takes_what_is_known),
        cmocka_unit_test(classes_of_equations_tell_theirs),
        cmocka_unit_test(losses_of_the_plane_are_heat),
        cmocka_unit_test(stiff_laws_at_fixed_steps),
        cmocka_unit_test(friction_and_dampers_dissipate),
        cmocka_unit_test(dropped_balls_come_down),
        cmocka_unit_test(a_net_hangs),
        cmocka_unit_test(a_fleet_has_the_sum),
        cmocka_unit_test(results_do_not_depend_on_it),
        cmocka_unit_test(equations_of_users_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
