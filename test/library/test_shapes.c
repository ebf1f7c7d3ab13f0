/* test_shapes.c - contact of discs, capsules and polygons in the plane: gaps against distances
 * computed here, forces against statics, momentum, real-time steps. */
#include "help/run.h"

#define BOX(w, h) "{{-" #w ", -" #h "}, {" #w ", -" #h "}, {" #w ", " #h "}, {-" #w ", " #h "}}"

/* a text in which every body is a FreeMotion with a Body; real-time steps unless it says
 * otherwise */
static Run *run_steps(const char *text, double stop, const char *const *paths)
{
    Run *run = run_load_text(text, paths);
    run->options.stop = stop;
    run->options.interval = 0.01;
    run->options.solver = LIEDER_RK4;
    run->options.step = 1e-3;
    run_start(run, LIEDER_DONE);
    return run;
}

#define BODY(name, start)                                                                          \
    "  Dialectic.Planar.FreeMotion " name start ";\n"                                              \
    "  Dialectic.Planar.Body " name "_b(m = 2, I = 0.02);\n"
#define JOIN(name)                                                                                 \
    "  connect(ground.frame, " name ".frame_a); connect(" name ".frame_b, " name "_b.frame_a);\n"

/* least gap of two shapes that stand at given poses */
static double gap(const char *a, double ra, const char *b, double rb, double x, double y,
                  double phi)
{
    char text[2000];
    snprintf(
        text, sizeof text,
        "model T\n  inner Dialectic.World world(g = 0);\n"
        "  Dialectic.Planar.Fixed ground, other(r = {%.17g, %.17g}, phi = %.17g);\n"
        "  Dialectic.Planar.ShapeContact pair(shape_a = %s, radius_a = %.17g, shape_b = %s,\n"
        "    radius_b = %.17g, c = 1);\n"
        "equation\n  connect(ground.frame, pair.frame_a); connect(other.frame, pair.frame_b);\n"
        "end T;\n",
        x, y, phi, a, ra, b, rb);
    Run *run = run_load_text(text, (const char *[]){"pair.touch.opening", NULL});
    double value;
    assert_int_equal(lieder_observer_evaluate(run->observer, 0, (double[]){0}, &value),
                     LIEDER_DONE);
    run_drop(run);
    return value;
}

/* distances by hand, for all pairs of kinds */
static void distances(void **unused)
{
    (void)unused;
    const char *disc = "{{0, 0}}", *rod = "{{-1, 0}, {1, 0}}", *box = BOX(1, 0.5);
    assert_close(gap(disc, 1, disc, 0.5, 3, 4, 0), 3.5, 1e-12);
    assert_close(gap(disc, 1, rod, 0.5, 3, 4, 0), sqrt(4 + 16) - 1.5, 1e-12);
    assert_close(gap(disc, 1, rod, 0.5, 0.5, 4, 0), 2.5, 1e-12);
    assert_close(gap(rod, 0.1, disc, 0.5, 0.5, 4, 0), 3.4, 1e-12);
    assert_close(gap(rod, 0.1, rod, 0.1, 0, 2, M_PI / 2), 0.8, 1e-12);
    assert_close(gap(rod, 0.1, rod, 0.1, 3, 4, 0), sqrt(17) - 0.2, 1e-12);
    assert_close(gap(box, 0, disc, 0.25, 0.3, 1, 0), 0.25, 1e-12);
    assert_close(gap(box, 0, disc, 0.25, 0.3, 0.4, 0), -0.35, 1e-12);
    assert_close(gap(box, 0, disc, 0.25, 2, 1.5, 0), sqrt(2) - 0.25, 1e-12);
    assert_close(gap(box, 0, box, 0, 0, 1.2, 0), 0.2, 1e-12);
    assert_close(gap(box, 0, box, 0, 0.3, 0.95, 0), -0.05, 1e-12);
    /* a corner of the upper box, turned by 45 degrees, points down */
    assert_close(gap(box, 0, BOX(1, 1), 0, 0, 2.5, M_PI / 4), 2 - sqrt(2), 1e-12);
    assert_close(gap(box, 0.1, BOX(1, 1), 0.2, 3, 3, 0), hypot(1, 1.5) - 0.3, 1e-12);
}

/* A box comes to rest on the floor and a second one on it: weight m g each, gaps m g/c per point,
 * angles zero. Everything at T_D = h = 1 ms with c = 1e6. */
static void boxes_rest(void **unused)
{
    (void)unused;
    static const char *const paths[] = {"floor.touch.N", "pair.touch.N", "a.y", "a.phi",
                                        "b.y",           "b.phi",        "b.x", NULL};
    Run *run =
        run_steps(
            "model T\n  inner Dialectic.World world(TD = 1e-3); Dialectic.Planar.Fixed "
            "ground;\n" BODY("a", "(y(start = 0.3), phi(start = 0.3))")
                BODY(
                    "b",
                    "(x(start = 0.03), y(start = 0.6))") "  Dialectic.Planar.LineContact "
                                                         "floor(n = {0, 2}, shape = " BOX(
                                                             0.1,
                                                             0.05) ", c = 1e6,\n"
                                                                   "    mu_A = 0.5, mu_S = "
                                                                   "0.4);\n"
                                                                   "  "
                                                                   "Dialectic.Planar."
                                                                   "ShapeContact "
                                                                   "pair(shape_a = " BOX(0.1, 0.05) ", shape_b = " BOX(
                                                                       0.1,
                                                                       0.05) ", c = 1e6,\n   "
                                                                             " mu_A = 0.5, "
                                                                             "mu_S = "
                                                                             "0.4);"
                                                                             "\nequation"
                                                                             "\n" JOIN("a")
                                                                                 JOIN("b") "  "
                                                                                           "co"
                                                                                           "nn"
                                                                                           "ec"
                                                                                           "t("
                                                                                           "gr"
                                                                                           "ou"
                                                                                           "nd"
                                                                                           ".f"
                                                                                           "ra"
                                                                                           "me"
                                                                                           ", "
                                                                                           "fl"
                                                                                           "oo"
                                                                                           "r."
                                                                                           "fr"
                                                                                           "am"
                                                                                           "e_"
                                                                                           "a)"
                                                                                           "; "
                                                                                           "co"
                                                                                           "nn"
                                                                                           "ec"
                                                                                           "t("
                                                                                           "a."
                                                                                           "fr"
                                                                                           "am"
                                                                                           "e_"
                                                                                           "b,"
                                                                                           " f"
                                                                                           "lo"
                                                                                           "or"
                                                                                           ".f"
                                                                                           "ra"
                                                                                           "me"
                                                                                           "_b"
                                                                                           ");"
                                                                                           "\n"
                                                                                           "  "
                                                                                           "co"
                                                                                           "nn"
                                                                                           "ec"
                                                                                           "t("
                                                                                           "a."
                                                                                           "fr"
                                                                                           "am"
                                                                                           "e_"
                                                                                           "b,"
                                                                                           " p"
                                                                                           "ai"
                                                                                           "r."
                                                                                           "fr"
                                                                                           "am"
                                                                                           "e_"
                                                                                           "a)"
                                                                                           "; "
                                                                                           "co"
                                                                                           "nn"
                                                                                           "ec"
                                                                                           "t("
                                                                                           "b."
                                                                                           "fr"
                                                                                           "am"
                                                                                           "e_"
                                                                                           "b,"
                                                                                           " p"
                                                                                           "ai"
                                                                                           "r."
                                                                                           "fr"
                                                                                           "am"
                                                                                           "e_"
                                                                                           "b)"
                                                                                           ";"
                                                                                           "\n"
                                                                                           "en"
                                                                                           "d "
                                                                                           "T;"
                                                                                           "\n",
            2, paths);
    double weight = 2 * 9.81;
    assert_close(run_last(run, 0), 2 * weight, 1e-3);
    assert_close(run_last(run, 1), weight, 1e-3);
    assert_close(run_last(run, 2), 0.05 - weight / 1e6, 2e-5);
    assert_close(run_last(run, 3), 0, 1e-3);
    assert_close(run_last(run, 4), 0.15 - 1.5 * weight / 1e6, 4e-5);
    assert_close(run_last(run, 5), 0, 2e-3);
    run_drop(run);
}

/* On a slope of the angle phi a box rests if tan phi < mu_A, else it slides with the acceleration
 * g (sin phi - mu_S cos phi). */
static void slope(void **unused)
{
    (void)unused;
    static const char *const paths[] = {"a.x", "a.y", "a.vx", "a.vy", NULL};
    for (int slides = 0; slides < 2; slides++) {
        char text[2000];
        double phi = slides ? atan(0.6) : atan(0.3), t = 1;
        snprintf(
            text, sizeof text,
            "model T\n  inner Dialectic.World world(TD = 1e-3);\n"
            "  Dialectic.Planar.Fixed ground, plane(phi = %.17g);\n" BODY(
                "a",
                "(x(start = %.17g), y(start = %.17g), phi(start = %.17g))") "  "
                                                                            "Dialectic.Planar."
                                                                            "LineContact floor(n = "
                                                                            "{0, 1}, c = 1e6, mu_A "
                                                                            "= 0.5,\n"
                                                                            "    mu_S = 0.4, "
                                                                            "vAdhesion = 1e-5, "
                                                                            "shape = " BOX(
                                                                                0.1,
                                                                                0.05) ");\n"
                                                                                      "equation"
                                                                                      "\n" JOIN(
                                                                                          "a") "  "
                                                                                               "con"
                                                                                               "nec"
                                                                                               "t("
                                                                                               "pla"
                                                                                               "ne."
                                                                                               "fra"
                                                                                               "me,"
                                                                                               " fl"
                                                                                               "oor"
                                                                                               ".fr"
                                                                                               "ame"
                                                                                               "_a)"
                                                                                               "; "
                                                                                               "con"
                                                                                               "nec"
                                                                                               "t("
                                                                                               "a."
                                                                                               "fra"
                                                                                               "me_"
                                                                                               "b, "
                                                                                               "flo"
                                                                                               "or."
                                                                                               "fra"
                                                                                               "me_"
                                                                                               "b);"
                                                                                               "\n"
                                                                                               "end"
                                                                                               " T;"
                                                                                               "\n",
            phi, -0.05 * sin(phi), 0.05 * cos(phi), phi);
        Run *run = run_steps(text, t, paths);
        double way = -((run_last(run, 0) + 0.05 * sin(phi)) * cos(phi) +
                       (run_last(run, 1) - 0.05 * cos(phi)) * sin(phi));
        double faster = -((run_last(run, 2) - run_at(run, t / 2, 2)) * cos(phi) +
                          (run_last(run, 3) - run_at(run, t / 2, 3)) * sin(phi));
        if (slides)
            assert_close(faster, 9.81 * (sin(phi) - 0.4 * cos(phi)) * t / 2, 5e-3);
        else
            assert_close(way, 0, 2e-5);
        run_drop(run);
    }
}

/* shapes that fly against each other: momentum and angular momentum of the pair stay */
static void momentum(void **unused)
{
    (void)unused;
    static const char *const paths[] = {"a.x",  "a.y",  "a.w",  "b.x",  "b.y",          "b.w",
                                        "a.vx", "a.vy", "b.vx", "b.vy", "pair.touch.N", NULL};
    static const char *const shapes[] = {"{{0, 0}}", "{{-0.1, 0}, {0.1, 0}}", BOX(0.1, 0.05),
                                         "{{0.1, 0}, {0, 0.1}, {-0.1, -0.05}}"};
    for (size_t k = 0; k < 16; k++) {
        if (k / 4 > k % 4)
            continue;
        char text[2000];
        snprintf(text, sizeof text,
                 "model T\n  inner Dialectic.World world(g = 0, TD = 1e-4); Dialectic.Planar.Fixed "
                 "ground;\n" BODY("a", "(phi(start = 0.4), w(start = 2))")
                     BODY("b", "(x(start = 0.5), y(start = "
                               "0.03), vx(start = -2), "
                               "phi(start = 1))") "  "
                                                  "Dialectic."
                                                  "Planar."
                                                  "ShapeContact"
                                                  " pair(shape_"
                                                  "a = %s, "
                                                  "shape_b = "
                                                  "%s, c = "
                                                  "1e4,\n"
                                                  "    "
                                                  "radius_a = "
                                                  "0.04, "
                                                  "radius_b = "
                                                  "0.03, mu_A "
                                                  "= 0.3, mu_S "
                                                  "= 0.3);\n"
                                                  "equation"
                                                  "\n" JOIN("a") JOIN("b") "  "
                                                                           "con"
                                                                           "nec"
                                                                           "t("
                                                                           "a."
                                                                           "fra"
                                                                           "me_"
                                                                           "b, "
                                                                           "pai"
                                                                           "r."
                                                                           "fra"
                                                                           "me_"
                                                                           "a);"
                                                                           " co"
                                                                           "nne"
                                                                           "ct("
                                                                           "b."
                                                                           "fra"
                                                                           "me_"
                                                                           "b, "
                                                                           "pai"
                                                                           "r."
                                                                           "fra"
                                                                           "me_"
                                                                           "b);"
                                                                           "\ne"
                                                                           "nd "
                                                                           "T;"
                                                                           "\n",
                 shapes[k / 4], shapes[k % 4]);
        Run *run = run_load_text(text, paths);
        run->options.stop = 0.3;
        run->options.interval = 0.01;
        run->options.solver = LIEDER_RK4;
        run->options.step = 1e-4;
        run_start(run, LIEDER_DONE);
        double most = 0;
        for (size_t i = 0; i < run->nrow; i++) {
            const double *v = run->value[i];
            double spin =
                0.02 * (v[2] + v[5]) + 2 * (v[0] * v[7] - v[1] * v[6] + v[3] * v[9] - v[4] * v[8]);
            assert_close(2 * (v[6] + v[8]), -4, 1e-9);
            assert_close(2 * (v[7] + v[9]), 0, 1e-9);
            assert_close(spin, 0.02 * 2 + 2 * 0.03 * 2, 4e-4);
            most = fmax(most, v[10]);
        }
        assert_true(most > 1); /* they met */
        run_drop(run);
    }
}

/* classical, without damping, by an adaptive solver: a disc and a box fall on a line and rise to
 * where they came from */
static void rebound(void **unused)
{
    (void)unused;
    static const char *const paths[] = {"a.y", "b.y", "b.phi", NULL};
    Run *run = run_load_text(
        "model T\n  inner Dialectic.World world(TD = 0); Dialectic.Planar.Fixed ground;\n" BODY(
            "a", "(y(start = 1.1))")
            BODY("b",
                 "(y(start = 1.05), x(start = 2))") "  Dialectic.Planar.LineContact disc(n = {0, "
                                                    "1}, c = 1e5, radius = 0.1,\n"
                                                    "    shape = Dialectic.Planar.disc());\n"
                                                    "  Dialectic.Planar.LineContact box(n = {0, "
                                                    "1}, c = 1e5,\n"
                                                    "    shape = Dialectic.Planar.box(0.2, "
                                                    "0.1));\nequation\n" JOIN("a") JOIN(
                                                        "b") "  connect(ground.frame, "
                                                             "disc.frame_a); connect(a.frame_b, "
                                                             "disc.frame_b);\n"
                                                             "  connect(ground.frame, "
                                                             "box.frame_a); connect(b.frame_b, "
                                                             "box.frame_b);\nend T;\n",
        paths);
    run->options.stop = 0.92;
    run->options.interval = 0.002;
    run->options.tolerance = 1e-9;
    run_start(run, LIEDER_DONE);
    double high[2] = {0};
    for (size_t i = 0; i < run->nrow; i++)
        for (int k = 0; k < 2 && run->t[i] > 0.6; k++)
            high[k] = fmax(high[k], run->value[i][k]);
    assert_close(high[0], 1.1, 1e-4);
    assert_close(high[1], 1.05, 1e-4);
    assert_close(run_last(run, 2), 0, 1e-6);
    run_drop(run);
}

/* tables that are no shapes */
static void refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *shape, *message;
    } cases[] = {
        {"{{0, 0}, {0, 1}, {1, 0}}", "counterclockwise"},
        {"{{0, 0}, {2, 0}, {0.5, 0.5}, {0, 2}}", "convex"},
        {"{{0, 0}, {1, 0}, {1, 0}, {0, 1}}", "is the same"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "model T\n  inner Dialectic.World world; Dialectic.Planar.Fixed a, b;\n"
                 "  Dialectic.Planar.LineContact floor(n = {0, 1}, c = 1, shape = %s);\n"
                 "equation\n  connect(a.frame, floor.frame_a); connect(b.frame, floor.frame_b);\n"
                 "end T;\n",
                 cases[i].shape);
        Run *run = run_create();
        FrontExperiment experiment;
        const char *name = NULL;
        assert_int_equal(front_load_text(run->front, "T.mo", text), LIEDER_DONE);
        bool built =
            front_instantiate(run->front, "T", NULL, 0, &experiment, &name) == LIEDER_DONE &&
            (run->system = lieder_system_create(run->session, name, NULL)) != NULL;
        assert_false(built);
        bool said = false;
        for (size_t k = 0; k < lieder_diagnostic_count(run->session); k++)
            said |=
                strstr(lieder_diagnostic_get(run->session, k)->advice, cases[i].message) != NULL;
        if (!said)
            lieder_diagnostic_print_all(run->session, stderr);
        assert_true(said);
        front_destroy(run->front);
        lieder_destroy(run->session);
        free(run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances), cmocka_unit_test(boxes_rest), cmocka_unit_test(slope),
        cmocka_unit_test(momentum),  cmocka_unit_test(refused),    cmocka_unit_test(rebound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
