/* test_late.c - relations on forces and accelerations in classes with connectors of the library,
 * against closed forms. */
#include "hybrid_help.h"

#include <lieder/load.h>

/* ------------------------------------------------------------------ forces */

static const char *const acceleration_switch =
    "model Switch\n"
    "  Dialectic.Translational.Flange flange;\n"
    "  parameter Real limit = 5;\n"
    "  Boolean hard;\n"
    "  Integer hits(start = 0, fixed = true);\n"
    "  discrete Real at(start = -1, fixed = true);\n"
    "equation\n"
    "  flange.f_el = 0;\n"
    "  flange.f_ki = 0;\n"
    "  hard = der(flange.v) > limit;\n"
    "  when hard then\n"
    "    hits = pre(hits) + 1;\n"
    "    at = time;\n"
    "  end when;\n"
    "end Switch;\n"
    "model Hit\n"
    "  inner Dialectic.World world(TD = 0);\n"
    "  parameter Real limit = 5;\n"
    "  Dialectic.Translational.Fixed fixed;\n"
    "  Dialectic.Translational.Joint joint(s(start = 1));\n"
    "  Dialectic.Translational.Body body(m = 2, g = 0);\n"
    "  Dialectic.Translational.Spring spring(c = 18);\n"
    "  Switch switch_(limit = limit);\n"
    "equation\n"
    "  connect(fixed.flange_b, joint.flange_a);\n"
    "  connect(joint.flange_b, body.flange_a);\n"
    "  connect(joint.flange_b, switch_.flange);\n"
    "  connect(fixed.flange_b, spring.flange_a);\n"
    "  connect(joint.flange_b, spring.flange_b);\n"
    "end Hit;\n"
    "model Hits\n"
    "  Hit hit[5](limit = {1, 2, 3, 5, 20});\n"
    "end Hits;\n";

/* s = cos 3t, a = -9 cos 3t > limit where cos 3t < -limit/9 */
static double hit_time(double limit, int k)
{
    return (acos(-limit / 9) + 2 * 3.14159265358979323846 * k) / 3;
}

static void test_acceleration(void **state)
{
    (void)state;
    Built b = build_class(acceleration_switch, "Hit");
    Run r = run_to_end(&b, adaptive(5), "switch_.hits switch_.at");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_true(r.last[0] == 3);
    assert_near(r.last[1], hit_time(5, 2), 1e-6);
    r = run_to_end(&b, fixed(5, 1e-3), "switch_.hits switch_.at");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_true(r.last[0] == 3);
    assert_near(r.last[1], hit_time(5, 2), 2e-3);
    drop(&b);
    /* lanes */
    b = build_class(acceleration_switch, "Hits");
    r = run_to_end(&b, adaptive(5), "hit[1].switch_.at hit[4].switch_.at hit[5].switch_.hits");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_near(r.last[0], hit_time(1, 2), 1e-6);
    assert_near(r.last[1], hit_time(5, 2), 1e-6);
    assert_true(r.last[2] == 0);
    drop(&b);
}

/* the same where one sparse system is solved instead of a tree */
static void test_sparse(void **state)
{
    (void)state;
    LiederSystemOptions o = lieder_system_defaults();
    o.method = LIEDER_METHOD_SPARSE;
    Built b = {.session = lieder_create(NULL)};
    assert_int_equal(lieder_load_text(b.session, "hit.mo", acceleration_switch), LIEDER_DONE);
    b.system = lieder_system_load(b.session, "Hit", NULL, 0, &o, NULL);
    assert_non_null(b.system);
    Run r = run_to_end(&b, fixed(5, 1e-3), "switch_.hits switch_.at");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_true(r.last[0] == 3);
    assert_near(r.last[1], hit_time(5, 2), 2e-3);
    r = run_to_end(&b, adaptive(5), "switch_.hits switch_.at");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_true(r.last[0] == 3);
    assert_near(r.last[1], hit_time(5, 2), 1e-6);
    lieder_system_destroy(b.system);
    lieder_destroy(b.session);
}

/* |a| through variables, with min and max around it: 9 |cos 3t| > 5 begins where 3t = k pi - acos
 * 5/9. And a bend that never decides. */
static void test_bent(void **state)
{
    (void)state;
    Built b = build_class(
        "model Switch\n"
        "  Dialectic.Translational.Flange flange;\n"
        "  Real size, twice = 2*size - 1, a = der(flange.v);\n"
        "  Boolean hard, both;\n"
        "  Integer hits(start = 0, fixed = true);\n"
        "  discrete Real at(start = -1, fixed = true), other(start = -1, fixed = true);\n"
        "equation\n"
        "  flange.f_el = 0;\n"
        "  flange.f_ki = 0;\n"
        "  size = abs(a);\n"
        "  hard = min(twice, 100) > 9;\n"
        "  both = -max(a, -20)/2 + 1 < -2;\n"
        "  when hard then\n"
        "    hits = pre(hits) + 1;\n"
        "    at = time;\n"
        "  end when;\n"
        "  when both then\n"
        "    other = time;\n"
        "  end when;\n"
        "end Switch;\n"
        "model Hit\n"
        "  inner Dialectic.World world(TD = 0);\n"
        "  Dialectic.Translational.Fixed fixed;\n"
        "  Dialectic.Translational.Joint joint(s(start = 1));\n"
        "  Dialectic.Translational.Body body(m = 2, g = 0);\n"
        "  Dialectic.Translational.Spring spring(c = 18);\n"
        "  Switch switch_;\n"
        "equation\n"
        "  connect(fixed.flange_b, joint.flange_a);\n"
        "  connect(joint.flange_b, body.flange_a);\n"
        "  connect(joint.flange_b, switch_.flange);\n"
        "  connect(fixed.flange_b, spring.flange_a);\n"
        "  connect(joint.flange_b, spring.flange_b);\n"
        "end Hit;\n",
        "Hit");
    Run r = run_to_end(&b, adaptive(5), "switch_.hits switch_.at switch_.other");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_true(r.last[0] == 5);
    assert_near(r.last[1], (5 * 3.14159265358979323846 - acos(5.0 / 9)) / 3, 1e-6);
    /* a > 6 */
    assert_near(r.last[2], hit_time(6, 2), 1e-6);
    drop(&b);
}

/* A rigid coupling that breaks at a force. The front mass is pulled by 4 t N; the force in the
 * coupling is 3/4 of that, so it breaks at 6 N after 2 s, with a velocity of 2 m/s. */
static void test_coupling(void **state)
{
    (void)state;
    Built b =
        build_class("model Coupling\n"
                    "  Dialectic.Translational.Flange flange_a, flange_b;\n"
                    "  parameter Real fmax = 1, TD = 1e-3;\n"
                    "  Real s(start = 0), v(start = 0), v_el, f;\n"
                    "  Boolean broken(start = false, fixed = true);\n"
                    "  discrete Real at(start = -1, fixed = true);\n"
                    "equation\n"
                    "  flange_b.s = flange_a.s + s;\n"
                    "  flange_b.v = flange_a.v + v;\n"
                    "  der(s) = v_el;\n"
                    "  TD*der(v) = v_el - v;\n"
                    "  flange_a.f_el + flange_b.f_el = 0;\n"
                    "  flange_a.f_ki + flange_b.f_ki = 0;\n"
                    "  f = flange_b.f_el + flange_b.f_ki;\n"
                    "  if broken then\n"
                    "    flange_b.f_el + flange_b.f_ki = 0;\n"
                    "  else\n"
                    "    v_el = 0;\n"
                    "  end if;\n"
                    "  when abs(f) > fmax then\n"
                    "    broken = true;\n"
                    "    at = time;\n"
                    "  end when;\n"
                    "end Coupling;\n"
                    "model Break\n"
                    "  inner Dialectic.World world(TD = 1e-3);\n"
                    "  Dialectic.Translational.Fixed fixed;\n"
                    "  Dialectic.Translational.Joint joint;\n"
                    "  Dialectic.Translational.Body front(m = 1, g = 0), rear(m = 3, g = 0);\n"
                    "  Coupling coupling(fmax = 6);\n"
                    "  Dialectic.Translational.Force force;\n"
                    "  Signals.Ramp ramp(height = 40, duration = 10);\n"
                    "equation\n"
                    "  connect(fixed.flange_b, joint.flange_a);\n"
                    "  connect(joint.flange_b, front.flange_a);\n"
                    "  connect(joint.flange_b, coupling.flange_a);\n"
                    "  connect(coupling.flange_b, rear.flange_a);\n"
                    "  connect(joint.flange_b, force.flange);\n"
                    "  connect(ramp.y, force.f);\n"
                    "end Break;\n",
                    "Break");
    Run r = run_to_end(&b, adaptive(3), "coupling.at joint.v coupling.v");
    assert_int_equal(r.status, LIEDER_DONE);
    /* the filter of the joint delays the force by T_D */
    assert_near(r.last[0], 2, 3e-3);
    /* afterwards the front mass alone is accelerated by 4 t, the rear one keeps its velocity */
    assert_near(r.last[1] + r.last[2], 2, 2e-2);
    assert_near(r.last[1], 2 + 10, 5e-2);
    drop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_acceleration),
                                       cmocka_unit_test(test_sparse), cmocka_unit_test(test_bent),
                                       cmocka_unit_test(test_coupling)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
