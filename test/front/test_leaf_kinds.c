/* test_leaf_kinds.c - own classes that answer at connectors of different kinds, or at more than
 * two: ropes between points of the plane and a drum. Against equations of motion solved by hand. */
#include "hybrid_help.h"

static const char *const ropes =
    "model Winch\n"
    "  Dialectic.Planar.Frame frame;\n"
    "  Dialectic.Rotational.Flange flange;\n"
    "  parameter Real R = 0.1, c = 1e4, d = 50, l0 = 1;\n"
    "  Real l, e[2], f;\n"
    "equation\n"
    "  l = sqrt(frame.x^2 + frame.y^2);\n"
    "  e = {frame.x, frame.y}/l;\n"
    "  f = c*(l - l0 + R*flange.phi) + d*(der(l) + R*der(flange.phi));\n"
    "  {frame.fx_el, frame.fy_el, frame.t_el} = {f*e[1], f*e[2], 0};\n"
    "  {frame.fx_ki, frame.fy_ki, frame.t_ki} = {0, 0, 0};\n"
    "  flange.tau_el = f*R;\n"
    "  flange.tau_ki = 0;\n"
    "end Winch;\n"
    "model Rope\n"
    "  Dialectic.Planar.Frame frame_a, frame_b;\n"
    "  Dialectic.Rotational.Flange flange;\n"
    "  parameter Real R = 0.1, c = 1e3, d = 50, l0 = 1;\n"
    "  Real l, e_a[2], e_b[2], l_a, l_b, f;\n"
    "equation\n"
    "  l_a = sqrt(frame_a.x^2 + frame_a.y^2);\n"
    "  l_b = sqrt(frame_b.x^2 + frame_b.y^2);\n"
    "  e_a = {frame_a.x, frame_a.y}/l_a;\n"
    "  e_b = {frame_b.x, frame_b.y}/l_b;\n"
    "  l = l_a + l_b + R*flange.phi;\n"
    "  f = c*(l - l0) + d*der(l);\n"
    "  {frame_a.fx_el, frame_a.fy_el, frame_a.t_el} = {f*e_a[1], f*e_a[2], 0};\n"
    "  {frame_b.fx_el, frame_b.fy_el, frame_b.t_el} = {f*e_b[1], f*e_b[2], 0};\n"
    "  {frame_a.fx_ki, frame_a.fy_ki, frame_a.t_ki} = zeros(3);\n"
    "  {frame_b.fx_ki, frame_b.fy_ki, frame_b.t_ki} = zeros(3);\n"
    "  flange.tau_el = f*R;\n"
    "  flange.tau_ki = 0;\n"
    "end Rope;\n"
    "model Lift\n"
    "  inner Dialectic.World world(TD = 0);\n"
    "  Dialectic.Planar.Fixed fixed;\n"
    "  Dialectic.Planar.Prismatic prismatic(r = {0, 1}, s(start = -1));\n"
    "  Dialectic.Planar.Body load(m = 3);\n"
    "  Dialectic.Rotational.Fixed base;\n"
    "  Dialectic.Rotational.Joint shaft;\n"
    "  Dialectic.Rotational.Inertia drum(J = 0.05);\n"
    "  Winch winch;\n"
    "equation\n"
    "  connect(fixed.frame, prismatic.frame_a);\n"
    "  connect(prismatic.frame_b, load.frame_a);\n"
    "  connect(base.flange_b, shaft.flange_a);\n"
    "  connect(shaft.flange_b, drum.flange_a);\n"
    "  connect(prismatic.frame_b, winch.frame);\n"
    "  connect(shaft.flange_b, winch.flange);\n"
    "end Lift;\n"
    "model Hoist\n"
    "  parameter Real TD = 0;\n"
    "  inner Dialectic.World world(TD = TD);\n"
    "  Dialectic.Planar.Fixed fixed;\n"
    "  Dialectic.Planar.Prismatic a(r = {0, 1}), b(r = {1, 0});\n"
    "  Dialectic.Planar.Body left(m = 3), right(m = 2);\n"
    "  Dialectic.Rotational.Fixed base;\n"
    "  Dialectic.Rotational.Joint shaft;\n"
    "  Dialectic.Rotational.Inertia drum(J = 0.05);\n"
    "  Rope rope;\n"
    "equation\n"
    "  connect(fixed.frame, a.frame_a);\n"
    "  connect(a.frame_b, left.frame_a);\n"
    "  connect(fixed.frame, b.frame_a);\n"
    "  connect(b.frame_b, right.frame_a);\n"
    "  connect(base.flange_b, shaft.flange_a);\n"
    "  connect(shaft.flange_b, drum.flange_a);\n"
    "  connect(a.frame_b, rope.frame_a);\n"
    "  connect(b.frame_b, rope.frame_b);\n"
    "  connect(shaft.flange_b, rope.flange);\n"
    "end Hoist;\n"
    "model Lifts\n"
    "  Lift lift[3](load(m = {1, 3, 5}));\n"
    "end Lifts;\n"
    "model Gauge\n"
    "  Dialectic.Planar.Frame frame;\n"
    "  Dialectic.Rotational.Flange flange;\n"
    "  output Real y;\n"
    "equation\n"
    "  y = frame.y - flange.phi;\n"
    "  {frame.fx_el, frame.fy_el, frame.t_el} = zeros(3);\n"
    "  {frame.fx_ki, frame.fy_ki, frame.t_ki} = zeros(3);\n"
    "  flange.tau_el = 0;\n"
    "  flange.tau_ki = 0;\n"
    "end Gauge;\n"
    "model Measured\n"
    "  extends Lift;\n"
    "  Gauge gauge;\n"
    "equation\n"
    "  connect(prismatic.frame_b, gauge.frame);\n"
    "  connect(shaft.flange_b, gauge.flange);\n"
    "end Measured;\n";

/* The load falls with m g/(m + J/R^2); so in lanes, and with a sensor at both connectors. */
static void test_lift(void **state)
{
    (void)state;
    Built b = build_class(ropes, "Measured");
    Run r = run(&b, 2, "prismatic.v gauge.y prismatic.s shaft.phi");
    assert_near(r.last[0], -2 * 3 * 9.81 / (3 + 0.05 / 0.01), 1e-4);
    assert_near(r.last[1], r.last[2] - r.last[3], 1e-12);
    run_drop(&r);
    drop(&b);
    b = build_class(ropes, "Lifts");
    r = run(&b, 2, "lift[1].prismatic.v lift[2].prismatic.v lift[3].prismatic.v");
    for (int k = 0; k < 3; k++)
        assert_near(r.last[k], -2 * (1 + 2 * k) * 9.81 / (1 + 2 * k + 5), 1e-4);
    run_drop(&r);
    drop(&b);
}

/* Three connectors: u_i = -g_i - e_i f/M_i with f = (c (l - l0) + d sum e_i (v_i - TD g_i))/(1 + d
 * TD sum e_i^2/M_i). */
static void test_hoist(void **state)
{
    (void)state;
    static const double TDs[] = {0, 1e-2};
    for (int k = 0; k < 2; k++) {
        char text[6000];
        snprintf(text, sizeof text, "%smodel M\n  extends Hoist(TD = %g);\nend M;\n", ropes,
                 TDs[k]);
        Built b = build_class(text, "M");
        const double mass[] = {3, 2, 0.05}, g[] = {9.81, 0, 0}, TD = TDs[k];
        static const char *const q_names[] = {"a.s", "b.s", "shaft.phi"};
        static const char *const v_names[] = {"a.v", "b.v", "shaft.w"};
        for (int trial = 0; trial < 100; trial++) {
            double x[20] = {0}, q[3], v[3];
            for (int i = 0; i < 3; i++) {
                q[i] = draw() + (i == 0 ? -2 : i == 1 ? 2 : 0);
                v[i] = draw();
                put_state(&b, x, q_names[i], q[i]);
                put_state(&b, x, v_names[i], v[i]);
            }
            double e[] = {-1, 1, 0.1}, top = 1e3 * (fabs(q[0]) + fabs(q[1]) + 0.1 * q[2] - 1);
            double bottom = 1;
            for (int i = 0; i < 3; i++) {
                top += 50 * e[i] * (v[i] - TD * g[i]);
                bottom += 50 * TD * e[i] * e[i] / mass[i];
            }
            for (int i = 0; i < 3; i++) {
                double u = -g[i] - e[i] * top / bottom / mass[i];
                assert_near(derivative(&b, x, 0, v_names[i]), u, 1e-11 * (1 + fabs(u)));
                assert_near(derivative(&b, x, 0, q_names[i]), v[i] + TD * u, 1e-11 * (1 + fabs(u)));
            }
        }
        drop(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lift), cmocka_unit_test(test_hoist)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
