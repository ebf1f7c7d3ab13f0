/* test_steady.c - states in which models rest, and mechanisms that are put together. */
#include "solve/help.h"

#include <lieder/load.h>

#include "analysis/analysis.h"

static Lieder *session;
static LiederSystem *system_;
static double x[64];

static void open_model(const char *text)
{
    session = lieder_create(NULL);
    assert_int_equal(lieder_load_text(session, "M.mo", text), LIEDER_DONE);
    system_ = lieder_system_create(session, "M", NULL);
    if (!system_)
        lieder_diagnostic_print_all(session, stderr);
    assert_non_null(system_);
    assert_true(lieder_system_state_count(system_) < 64);
    assert_int_equal(lieder_system_start(system_, x), LIEDER_DONE);
}

static double state_of(const char *path)
{
    ptrdiff_t i = lieder_system_state_index(system_, path);
    assert_true(i >= 0);
    return x[i];
}

static void close_model(void)
{
    lieder_system_destroy(system_);
    lieder_destroy(session);
}

static void rests(LiederStatus status)
{
    double dx[64];
    if (status != LIEDER_DONE)
        lieder_diagnostic_print_all(session, stderr);
    assert_int_equal(status, LIEDER_DONE);
    assert_int_equal(lieder_system_derivatives(system_, 0, x, dx), LIEDER_DONE);
    for (size_t i = 0; i < lieder_system_state_count(system_); i++)
        assert_true(fabs(dx[i]) < 1e-6);
}

static void rests_with(LiederStatus status)
{
    if (status != LIEDER_DONE)
        lieder_diagnostic_print_all(session, stderr);
    assert_int_equal(status, LIEDER_DONE);
}

static bool stays(void *user, double t, const double *now, LiederRow kind)
{
    (void)user, (void)t, (void)kind;
    for (size_t i = 0; i < lieder_system_state_count(system_); i++)
        assert_true(fabs(now[i] - x[i]) < 1e-6);
    return true;
}

/* ------------------------------------------------------------------ steady */

static const char crane[] =
    "model M import Dialectic.Planar.*; inner Dialectic.World world;\n"
    "Fixed fixed; Prismatic slide(r = {1, 0}, s(start = 0.3)); Body cart(m = 2), load;\n"
    "Revolute hinge(phi(start = 1), w(start = 0.2)); FixedTranslation rod(r = {0, -1});\n"
    "equation connect(fixed.frame, slide.frame_a); connect(slide.frame_b, cart.frame_a);\n"
    "connect(slide.frame_b, hinge.frame_a); connect(hinge.frame_b, rod.frame_a);\n"
    "connect(rod.frame_b, load.frame_a); end M;";

static const char drop[] =
    "model M import Dialectic.Translational.*; inner Dialectic.World world(TD = %s);\n"
    "Fixed fixed; Joint joint(s(start = 1)); Body ball; ElastoGap floor(c = 1e6, d = 10);\n"
    "equation connect(fixed.flange_b, joint.flange_a); connect(joint.flange_b, ball.flange_a);\n"
    "connect(fixed.flange_b, floor.flange_a); connect(joint.flange_b, floor.flange_b); end M;";

static void a_crane_hangs_still(void **unused)
{
    (void)unused;
    open_model(crane);
    rests(steady_find(system_, 0, x));
    assert_true(fabs(state_of("hinge.phi")) < 1e-6 && fabs(state_of("slide.s") - 0.3) < 2);
    close_model();
}

static void a_ball_lies_on_the_floor(void **unused)
{
    (void)unused;
    static const char *const TDs[] = {"0", "1e-3"};
    for (int i = 0; i < 2; i++) {
        char text[1000];
        snprintf(text, sizeof text, drop, TDs[i]);
        open_model(text);
        rests(steady_find(system_, 0, x));
        assert_true(fabs(state_of("joint.s") + 9.81e-6) < 1e-10);
        close_model();
    }
}

static void a_fleet_rests_lane_by_lane(void **unused)
{
    (void)unused;
    session = lieder_create(NULL);
    build_crabs(session, "Fleet", 12, 1e-3);
    system_ = system_new(session, "Fleet");
    assert_int_equal(lieder_system_start(system_, x), LIEDER_DONE);
    rests(steady_find(system_, 0, x));
    close_model();
}

static void what_moves_on_is_named(void **unused)
{
    (void)unused;
    open_model("model M import Dialectic.Translational.*; inner Dialectic.World world;\n"
               "Fixed fixed; Joint joint; Body body;\n"
               "equation connect(fixed.flange_b, joint.flange_a);\n"
               "connect(joint.flange_b, body.flange_a); end M;");
    assert_int_equal(steady_find(system_, 0, x), LIEDER_GAVE_UP);
    size_t n = lieder_diagnostic_count(session);
    assert_true(n > 0 && strstr(lieder_diagnostic_get(session, n - 1)->message, "der(joint."));
    close_model();
}

/* ------------------------------------------------------------------ assemble */

/* two cranks and a coupler, closed by a stiff spring; `far` away the second bearing */
static const char four_bar[] =
    "model M import Dialectic.Planar.*; inner Dialectic.World world;\n"
    "Fixed left, right(r = {%s, 0}); Revolute a(phi(start = 1.2), w(start = 3)), b(phi(start = "
    "-1)), c(phi(start = 1.5));\n"
    "FixedTranslation crank(r = {1, 0}), coupler(r = {2, 0}), rocker(r = {1.5, 0});\n"
    "Body m1, m2, m3; SpringDamper pin(c_x = 1e6, c_y = 1e6, c_phi = 0, d_x = 100, d_y = 100);\n"
    "equation connect(left.frame, a.frame_a); connect(a.frame_b, crank.frame_a);\n"
    "connect(crank.frame_b, m1.frame_a); connect(crank.frame_b, b.frame_a);\n"
    "connect(b.frame_b, coupler.frame_a); connect(coupler.frame_b, m2.frame_a);\n"
    "connect(right.frame, c.frame_a); connect(c.frame_b, rocker.frame_a);\n"
    "connect(rocker.frame_b, m3.frame_a); connect(coupler.frame_b, pin.frame_a);\n"
    "connect(rocker.frame_b, pin.frame_b); end M;";

static void a_loop_is_closed(void **unused)
{
    (void)unused;
    char text[2000];
    snprintf(text, sizeof text, four_bar, "2.2");
    open_model(text);
    LiederStatus status = assemble_find(system_, 0, x);
    if (status != LIEDER_DONE)
        lieder_diagnostic_print_all(session, stderr);
    assert_int_equal(status, LIEDER_DONE);
    double a = state_of("a.phi"), ab = a + state_of("b.phi"), c = state_of("c.phi");
    assert_true(hypot(cos(a) + 2 * cos(ab) - 2.2 - 1.5 * cos(c),
                      sin(a) + 2 * sin(ab) - 1.5 * sin(c)) < 1e-6);
    assert_true(state_of("a.w") == 3 && fabs(a - 1.2) < 0.8); /* near, and gravity is back */
    double g;
    assert_int_equal(lieder_system_get(system_, "m1.g", &g), LIEDER_DONE);
    assert_true(g > 9.8);
    close_model();
}

static void a_loop_that_does_not_reach_is_named(void **unused)
{
    (void)unused;
    char text[2000];
    snprintf(text, sizeof text, four_bar, "9");
    open_model(text);
    assert_int_equal(assemble_find(system_, 0, x), LIEDER_BAD_MODEL);
    assert_said(session, "pin", "cannot be put together");
    close_model();
}

/* where all rests a delay brings what it takes in: loops through delays alone, delays in series, of
 * different lengths, and one of states whose rest depends on it */
static void delays_bring_what_they_take(void **state)
{
    (void)state;
    open_model("model M Real x(start = 1), y(start = 0), u, a, b;\n"
               "equation u = x + 0.5*delay(u, 0.7); der(x) = 6 - delay(u, 1);\n"
               "a = delay(y^2, 0.3); b = delay(a, 0.2); der(y) = 2 - b; end M;");
    x[lieder_system_state_index(system_, "y")] = 1;
    rests_with(steady_find(system_, 0, x));
    assert_true(fabs(state_of("x") - 3) < 1e-7);
    assert_true(fabs(state_of("y") - sqrt(2)) < 1e-7);
    /* the run stays there: what was before the start is the value at the start */
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.solver = LIEDER_RK45;
    o.x0 = x;
    o.stop = 1;
    o.output = stays;
    assert_int_equal(lieder_simulate(system_, &o, NULL), LIEDER_DONE);
    close_model();
    /* each lane its own; there is no rest */
    open_model("model D parameter Real c = 1; Real x(start = 0.5);\n"
               "equation der(x) = c - delay(x, 0.2)^3; end D;\n"
               "model M D d[3](c = {1, 8, 27}); end M;");
    rests_with(steady_find(system_, 0, x));
    assert_true(fabs(state_of("d[1].x") - 1) < 1e-7 && fabs(state_of("d[2].x") - 2) < 1e-7 &&
                fabs(state_of("d[3].x") - 3) < 1e-7);
    close_model();
    open_model("model M Real x(start = 1); equation der(x) = 1 + delay(x, 1)^2; end M;");
    assert_int_equal(steady_find(system_, 0, x), LIEDER_GAVE_UP);
    assert_non_null(strstr(lieder_diagnostic_get(session, 0)->message, "der(x) ="));
    close_model();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crane_hangs_still),
        cmocka_unit_test(a_ball_lies_on_the_floor),
        cmocka_unit_test(a_fleet_rests_lane_by_lane),
        cmocka_unit_test(what_moves_on_is_named),
        cmocka_unit_test(a_loop_is_closed),
        cmocka_unit_test(a_loop_that_does_not_reach_is_named),
        cmocka_unit_test(delays_bring_what_they_take),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
