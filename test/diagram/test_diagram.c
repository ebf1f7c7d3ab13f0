/* test_diagram.c - diagrams: what the text says is where it says it, and what it leaves open is
 * laid out so that it can be read: nothing on top of each other, lines around components. */
#include "../front/front_help.h"

#include <stdlib.h>

#include "diagram/diagram.h"

typedef struct Drawn {
    Built built;
    Diagram diagram;
} Drawn;

static Drawn lay_out(const char *text)
{
    Drawn d = {.built = build(text)};
    assert_true(front_diagram(d.built.front, &d.diagram));
    assert_true(diagram_layout(&d.diagram));
    return d;
}

static void drop_drawn(Drawn *d)
{
    diagram_drop(&d->diagram);
    drop(&d->built);
}

static const DiagramComponent *find(const Diagram *d, const char *path)
{
    for (size_t i = 0; i < d->components.n; i++)
        if (strcmp(d->components.items[i].path, path) == 0)
            return &d->components.items[i];
    fail_msg("there is no %s", path);
    return NULL;
}

static const char *read_model(const char *name)
{
    static char text[20000];
    char path[512];
    snprintf(path, sizeof path, "%s/models/%s", SOURCE_DIR, name);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
    return text;
}

/* does the segment run through the inside of the box? */
static bool runs_through(DiagramPoint a, DiagramPoint b, DiagramBox box)
{
    const double e = 0.5;
    return fmax(a.x, b.x) > box.x0 + e && fmin(a.x, b.x) < box.x1 - e &&
           fmax(a.y, b.y) > box.y0 + e && fmin(a.y, b.y) < box.y1 - e;
}

/* components apart, lines from port to port, level or upright, and around all components */
static void check_readable(const Diagram *d)
{
    for (size_t i = 0; i < d->components.n; i++)
        for (size_t k = 0; k < i; k++) {
            DiagramBox a = diagram_box(&d->components.items[i]);
            DiagramBox b = diagram_box(&d->components.items[k]);
            if (a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1)
                fail_msg("%s lies on %s", d->components.items[i].name, d->components.items[k].name);
        }
    for (size_t i = 0; i < d->connections.n; i++) {
        const DiagramConnection *c = &d->connections.items[i];
        assert_true(c->n >= 2);
        for (int k = 0; k < 2; k++) {
            DiagramPoint out, end = diagram_end(d, &c->ends[k], &out);
            DiagramPoint at = c->points[k ? c->n - 1 : 0];
            assert_true(fabs(at.x - end.x) + fabs(at.y - end.y) < 1e-9);
        }
        for (size_t k = 0; k + 1 < c->n; k++) {
            DiagramPoint a = c->points[k], b = c->points[k + 1];
            if (fabs(a.x - b.x) > 1e-9 && fabs(a.y - b.y) > 1e-9)
                fail_msg("connect(%s, %s) runs askew", c->names[0], c->names[1]);
            for (size_t m = 0; m < d->components.n; m++)
                if (runs_through(a, b, diagram_box(&d->components.items[m])))
                    fail_msg("connect(%s, %s) runs through %s", c->names[0], c->names[1],
                             d->components.items[m].name);
        }
    }
}

static void test_automatic(void **state)
{
    (void)state;
    static const char *const models[] = {"crane_crab.mo",
                                         "circuit.mo",
                                         "papers/phenomena/gripper.mo",
                                         "papers/001/landing_gear.mo",
                                         "papers/001/clamp.mo",
                                         "papers/001/thread_pendulum.mo",
                                         "papers/004/counter_spin_friction.mo"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        Drawn d = lay_out(read_model(models[i]));
        assert_true(d.diagram.components.n > 3);
        check_readable(&d.diagram);
        drop_drawn(&d);
    }
}

static void test_order(void **state)
{
    (void)state;
    Drawn d = lay_out(read_model("crane_crab.mo"));
    static const char *const chain[] = {"fixed", "prismatic", "revolute", "rod", "load"};
    for (int i = 0; i + 1 < 5; i++)
        assert_true(find(&d.diagram, chain[i])->map.x < find(&d.diagram, chain[i + 1])->map.x);
    assert_int_equal(d.diagram.connections.n, 5);
    const DiagramComponent *cart = find(&d.diagram, "cart");
    assert_string_equal(cart->class_name, "Dialectic.Planar.Body");
    assert_string_equal(cart->place.file, "test.mo");
    assert_int_equal(cart->place.line, 8);
    drop_drawn(&d);
}

static void test_annotations(void **state)
{
    (void)state;
    Drawn d = lay_out(
        "model M\n"
        "  Signals.Constant one(k = 3) annotation(Placement(transformation(extent = {{-60, 20}, "
        "{-40, "
        "40}})));\n"
        "  Signals.Gain two(k = 2) annotation(Placement(transformation(extent = {{-10, -10}, {10, "
        "10}}, rotation = 90, origin = {30, 50})));\n"
        "  Dialectic.Translational.Fixed fixed;\n"
        "  Dialectic.Translational.Body body;\n"
        "  Dialectic.Translational.Spring spring;\n"
        "  Dialectic.Translational.Joint joint;\n"
        "  inner Dialectic.World world;\n"
        "equation\n"
        "  connect(one.y, two.u) annotation(Line(points = {{-39, 30}, {0, 30}, {0, 40}, {30, 40}}, "
        "color = {1, 2, 3}));\n"
        "  connect(fixed.flange_b, joint.flange_a);\n"
        "  connect(joint.flange_b, body.flange_a);\n"
        "  connect(fixed.flange_b, spring.flange_a);\n"
        "  connect(spring.flange_b, body.flange_a);\n"
        "  annotation(Diagram(graphics = {Rectangle(extent = {{-70, 0}, {70, 70}}), Text(extent = "
        "{{-70, 70}, {70, 80}}, textString = \"the <drive> of %class\")}));\n"
        "end M;\n");
    const DiagramComponent *one = find(&d.diagram, "one"), *two = find(&d.diagram, "two");
    assert_true(one->placed && two->placed && !find(&d.diagram, "body")->placed);
    assert_true(fabs(one->map.x + 50) < 1e-12 && fabs(one->map.y - 30) < 1e-12);
    /* turned by 90 degrees: the input, at the left of the icon, is below */
    DiagramPoint left = diagram_map(&two->map, -100, 0);
    assert_true(fabs(left.x - 30) < 1e-9 && fabs(left.y - 40) < 1e-9);
    const DiagramConnection *line = &d.diagram.connections.items[0];
    assert_int_equal(line->n, 4);
    assert_int_equal(line->colour, 0x010203);
    assert_true(line->points[2].y == 40 && !line->automatic);
    /* what was not placed lies below what was */
    DiagramBox body = diagram_box(find(&d.diagram, "body"));
    assert_true(body.y1 < 20);
    char *svg = NULL;
    size_t n;
    FILE *to = open_memstream(&svg, &n);
    diagram_svg(&d.diagram, to);
    fclose(to);
    assert_non_null(strstr(svg, "the &lt;drive&gt; of M"));
    assert_non_null(strstr(svg, "data-component='two' data-file='test.mo' data-line='3'"));
    assert_null(strstr(svg, "style="));
    free(svg);
    drop_drawn(&d);
}

/* icons of users' classes, also inherited, with parameters in texts and parts that hide */
static void test_icons(void **state)
{
    (void)state;
    Drawn d = lay_out(
        "partial block Base annotation(Icon(graphics = {Rectangle(extent = {{-100, -100}, {100, "
        "100}}, lineColor = {10, 20, 30}, radius = 10), Ellipse(extent = {{-50, -50}, {50, 50}}, "
        "visible = round)})); parameter Boolean round = false; end Base;\n"
        "block B extends Base; parameter Real k = 2.5; Signals.Constant c(k = k);\n"
        "  annotation(Icon(coordinateSystem(extent = {{0, 0}, {10, 10}}), graphics = {Line(points "
        "= "
        "{{0, 0}, {10, 10}}), Text(extent = {{0, 0}, {10, 2}}, textString = \"k=%k %name\")}));\n"
        "end B;\n"
        "model M B a; B b(k = 7, round = true); end M;\n");
    const DiagramComponent *a = find(&d.diagram, "a"), *b = find(&d.diagram, "b");
    assert_int_equal(a->shapes.n, 3);
    assert_int_equal(b->shapes.n, 4);
    assert_int_equal(a->shapes.items[0].line, 0x0a141e);
    assert_int_equal(a->shapes.items[0].n, 36);
    assert_true(a->shapes.items[1].points[0].x == -100 && a->shapes.items[1].points[1].y == 100);
    assert_string_equal(a->shapes.items[2].text, "k=2.5 a");
    assert_string_equal(b->shapes.items[3].text, "k=7 b");
    assert_true(a->labelled);
    drop_drawn(&d);
}

/* numbers that make no sense, and none at all */
static void test_wrong_annotations(void **state)
{
    (void)state;
    Drawn d = lay_out(
        "model M\n"
        "  Signals.Constant a(k = 1) annotation(Placement(transformation(extent = {{0, 0}, {0, "
        "0}})));\n"
        "  Signals.Constant b(k = 1) annotation(Placement(transformation(extent = {1, 2})));\n"
        "  Signals.Gain g(k = 1) annotation(Placement());\n"
        "equation connect(a.y, g.u) annotation(Line(points = none(1), color = {1}));\n"
        "  annotation(Diagram(graphics = {Bitmap(), Line(points = {{1}}), Text(), Rectangle(extent "
        "= x), nothing, 3}));\n"
        "end M;\n");
    for (size_t i = 0; i < 3; i++)
        assert_false(d.diagram.components.items[i].placed);
    check_readable(&d.diagram);
    drop_drawn(&d);
}

/* every icon of the library can be parsed, and is one */
static void test_library(void **state)
{
    (void)state;
    Lieder *session = lieder_create(NULL);
    size_t n = lieder_class_count(session), shown = 0;
    for (size_t i = 0; i < n; i++) {
        const LiederClass *class_ = lieder_class_get(session, i);
        const char *name = lieder_class_name(class_);
        if (lieder_class_is_model(class_) || strncmp(name, "Examples.", 9) == 0)
            continue;
        char text[400];
        bool mechanical = strncmp(name, "Planar.", 7) == 0 || strncmp(name, "Trans", 5) == 0 ||
                          strncmp(name, "Rot", 3) == 0;
        snprintf(text, sizeof text, "model M inner Dialectic.World world; %s%s x; end M;",
                 mechanical ? "Dialectic." : "", name);
        Lieder *own = lieder_create(NULL);
        Front *front = front_create(own);
        const char *model;
        Diagram d;
        front_load_text(front, "test.mo", text);
        if (front_instantiate(front, "M", NULL, 0, NULL, &model) == LIEDER_DONE) {
            assert_true(front_diagram(front, &d) && diagram_layout(&d));
            const DiagramComponent *x = find(&d, "x");
            if (strncmp(name, "World", 5) != 0)
                assert_true(x->ports.n > 0);
            if (!x->labelled)
                fail_msg("%s has no icon", name);
            shown++;
            diagram_drop(&d);
        }
        front_destroy(front);
        lieder_destroy(own);
    }
    lieder_destroy(session);
    assert_true(shown > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_automatic),         cmocka_unit_test(test_order),
        cmocka_unit_test(test_annotations),       cmocka_unit_test(test_icons),
        cmocka_unit_test(test_wrong_annotations), cmocka_unit_test(test_library)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
