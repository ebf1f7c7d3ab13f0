/* test_text_trees.c - random trees and loops of joints, written with classes of three origins: the
 * compiled library, the same classes as equations with its connectors (each compiled alone), and
 * the listings of paper 001 with connectors of their own (merged into one class). The derivatives
 * at random states agree: to 1e-12 where the same elimination along the tree is done, to 1e-9 where
 * all equations are solved together and in another order. What lieder check says about the linear
 * groups of such trees is tested as well. */
#include "model/linear/solvable.h"

#include "equation_help.h"

/* ------------------------------------------------------------------ random trees as text */

typedef enum Origin { NATIVE, OWN, LISTINGS } Origin;

/* the same numbers for every origin */
static uint64_t seed;
static double number(double least, double most)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return least + (most - least) * ((double)(seed >> 11) * 0x1p-53);
}
static int whole(int n)
{
    return (int)number(0, n) % n;
}

typedef struct Text {
    char declared[20000], connected[20000];
} Text;

__attribute__((format(printf, 2, 3))) static void add(char *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t n = strlen(to);
    vsnprintf(to + n, 20000 - n, format, arguments);
    va_end(arguments);
}

static const char *const planar[] = {"Dialectic.Planar.", "OwnMechanics.",
                                     "DialecticMechanics.Planar."};

/* a joint, a rod and a body on any frame that is there; either way round */
static void add_limb(Text *t, Origin origin, int k, double TD)
{
    static const char *const letters = "ab";
    bool turns = whole(3) > 0;
    int joint_in = whole(2), at = whole(k);
    char on[40], time_constant[40] = "";
    snprintf(on, sizeof on, at ? "rod%d.frame_b" : "fixed.frame", at);
    if (origin == LISTINGS)
        snprintf(time_constant, sizeof time_constant, "TD = %g, ", TD);
    double x = number(0.3, 1), y = number(-0.5, 0.5), angle = number(0, 6);
    if (turns)
        add(t->declared, "%sRevolute j%d(%sphi(start = 0.1));\n", planar[origin], k, time_constant);
    else
        add(t->declared, "%sPrismatic j%d(%sr = {%.17g, %.17g}, s(start = 0.1));\n", planar[origin],
            k, time_constant, cos(angle), sin(angle));
    add(t->declared, "%sFixedTranslation rod%d(r = {%.17g, %.17g});\n", planar[origin], k, x, y);
    add(t->declared, "%sBody b%d(m = %.17g, I = %.17g);\n", planar[origin], k, number(0.5, 3),
        number(0.05, 0.5));
    add(t->connected, "connect(%s, j%d.frame_%c);\n", on, k, letters[joint_in]);
    add(t->connected, "connect(j%d.frame_%c, rod%d.frame_a);\n", k, letters[1 - joint_in], k);
    add(t->connected, "connect(rod%d.frame_b, b%d.frame_a);\n", k, k);
}

/* a spring between any two rods */
static void add_spring(Text *t, Origin origin, int n, int k)
{
    int a = 1 + whole(n), b = 1 + whole(n);
    if (a == b)
        b = b % n + 1;
    add(t->declared, "%sSpringDamper c%d(c_x = %.17g, c_y = %.17g, c_phi = %.17g, d_x = 0.5);\n",
        planar[origin], k, number(10, 90), number(10, 90), number(1, 9));
    add(t->connected,
        "connect(rod%d.frame_b, c%d.frame_a);\nconnect(rod%d.frame_b, c%d.frame_b);\n", a, k, b, k);
}

static char *read_file(const char *name)
{
    char path[600];
    snprintf(path, sizeof path, "%s/models/%s", SOURCE_DIR, name);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    char *text = calloc(1, 100000);
    assert_true(fread(text, 1, 99999, in) > 0);
    fclose(in);
    return text;
}

/* d_el belongs to the library alone: the listings have none, so that loops are compared without */
static Built build_tree(Origin origin, uint64_t from, int njoint, int nloop, double TD, bool damped)
{
    static const char *const files[] = {NULL, "equations/OwnMechanics.mo",
                                        "papers/001/DialecticMechanics.mo"};
    Text *t = calloc(1, sizeof *t);
    seed = from;
    add(t->declared, "inner Dialectic.World world(TD = %g, damped = %s);\n%sFixed fixed;\n", TD,
        damped ? "true" : "false", planar[origin == OWN ? NATIVE : origin]);
    for (int k = 1; k <= njoint; k++)
        add_limb(t, origin, k, TD);
    for (int k = 1; k <= nloop; k++)
        add_spring(t, origin, njoint, k);
    char *classes = files[origin] ? read_file(files[origin]) : calloc(1, 1);
    size_t room = strlen(classes) + 50000;
    char *text = calloc(1, room);
    snprintf(text, room, "%s\nmodel Tree\n%sequation\n%send Tree;\n", classes, t->declared,
             t->connected);
    Built b = build_class(text, "Tree");
    free(t);
    free(classes);
    free(text);
    return b;
}

/* the largest difference of a derivative, relative to the largest derivative, at random states */
static double difference(Built *a, Built *b, int njoint)
{
    double x[100], y[100], dx[100], dy[100], worst = 0;
    size_t n = lieder_system_state_count(a->system);
    assert_int_equal(n, 2 * (size_t)njoint);
    assert_int_equal(lieder_system_state_count(b->system), n);
    for (int k = 0; k < 5; k++) {
        double most = 0, error = 0;
        ptrdiff_t at[100];
        for (size_t i = 0; i < n; i++) {
            char name[60];
            lieder_system_state_name(a->system, i, name, sizeof name);
            at[i] = lieder_system_state_index(b->system, name);
            assert_true(at[i] >= 0);
            y[at[i]] = x[i] = number(-1, 1);
        }
        assert_int_equal(lieder_system_derivatives(a->system, 0, x, dx), LIEDER_DONE);
        assert_int_equal(lieder_system_derivatives(b->system, 0, y, dy), LIEDER_DONE);
        for (size_t i = 0; i < n; i++) {
            most = fmax(most, fabs(dx[i]));
            error = fmax(error, fabs(dx[i] - dy[at[i]]));
        }
        worst = fmax(worst, error / most);
    }
    return worst;
}

static void compare(Origin origin, int nloop, bool damped, double tolerance)
{
    for (uint64_t from = 1; from <= 3; from++) {
        int njoint = 1 + 2 * (int)from - (from == 3);
        Built native = build_tree(NATIVE, from, njoint, nloop, 1e-3, damped);
        Built text = build_tree(origin, from, njoint, nloop, 1e-3, damped);
        double d = difference(&native, &text, njoint);
        if (!(d < tolerance))
            fail_msg("seed %d, %d joints, %d loops: %g", (int)from, njoint, nloop, d);
        drop(&native);
        drop(&text);
    }
}

static void trees_of_own_classes(void **state)
{
    (void)state;
    compare(OWN, 0, true, 1e-12);
}

static void loops_of_own_classes(void **state)
{
    (void)state;
    compare(OWN, 2, true, 1e-12);
    compare(OWN, 2, false, 1e-12);
}

/* one merged class: equations are eliminated in another order */
static void trees_of_listings(void **state)
{
    (void)state;
    compare(LISTINGS, 0, false, 1e-9);
}

static void loops_of_listings(void **state)
{
    (void)state;
    compare(LISTINGS, 2, false, 1e-9);
}

/* ------------------------------------------------------------------ nets */

/* models/scale/Net.mo with own joints, bodies and springs */
static char *own_net(void)
{
    static const char *const kinds[] = {"Prismatic", "Body", "SpringDamper"};
    char *classes = read_file("equations/OwnMechanics.mo"), *net = read_file("scale/Net.mo");
    char *text = calloc(1, 60000), *out = text + sprintf(text, "%s\n", classes);
    for (const char *p = net; *p;) {
        size_t kind = 0, n = strlen(planar[NATIVE]);
        bool is_class = strncmp(p, planar[NATIVE], n) == 0;
        while (is_class && kind < 3 && strncmp(p + n, kinds[kind], strlen(kinds[kind])) != 0)
            kind++;
        if (is_class && kind < 3) {
            out += sprintf(out, "%s", planar[OWN]);
            p += n;
        } else {
            *out++ = *p++;
        }
    }
    free(classes);
    free(net);
    return text;
}

/* soft and stiff: iteration and factors; elastic elements of text hold the parts together */
static void nets_of_own_classes(void **state)
{
    (void)state;
    enum { STATES = 4 * 7 * 7 };
    char *text = own_net(), *native = read_file("scale/Net.mo");
    static const char *const stiffness[] = {"1e2", "1e8"};
    for (int k = 0; k < 2; k++) {
        const FrontOverride o[] = {{.name = "n", .value = "7"},
                                   {.name = "c", .value = stiffness[k]}};
        Built a = build_with(native, "Net", o, 2), b = build_with(text, "Net", o, 2);
        assert_int_equal(a.status, LIEDER_DONE);
        if (b.status != LIEDER_DONE)
            lieder_diagnostic_print_all(b.session, stderr);
        assert_int_equal(b.status, LIEDER_DONE);
        assert_int_equal(lieder_system_state_count(a.system), STATES);
        assert_int_equal(b.system->shapes.n, 1);
        assert_non_null(b.system->shapes.items[0].plan.net);
        double x[STATES], dx[STATES], y[STATES], dy[STATES], most = 0, error = 0;
        ptrdiff_t at[STATES];
        for (size_t i = 0; i < STATES; i++) {
            char name[60];
            lieder_system_state_name(a.system, i, name, sizeof name);
            at[i] = lieder_system_state_index(b.system, name);
            assert_true(at[i] >= 0);
            y[at[i]] = x[i] = number(-1, 1);
        }
        assert_int_equal(lieder_system_derivatives(a.system, 0, x, dx), LIEDER_DONE);
        assert_int_equal(lieder_system_derivatives(b.system, 0, y, dy), LIEDER_DONE);
        for (size_t i = 0; i < STATES; i++) {
            most = fmax(most, fabs(dx[i]));
            error = fmax(error, fabs(dx[i] - dy[at[i]]));
        }
        assert_true(error < 1e-12 * most);
        drop(&a);
        drop(&b);
    }
    free(text);
    free(native);
}

/* ------------------------------------------------------------------ solvable before it runs */

/* the worst verdict; *who is the component that it names */
static SolvableVerdict verdict_of(Built *b, char *who, size_t size)
{
    GroupSolvables list = {0};
    assert_int_equal(system_solvable(b->system, &list), LIEDER_DONE);
    assert_true(list.n > 0);
    GroupSolvable g = list.items[0];
    for (size_t i = 1; i < list.n; i++)
        g = list.items[i].verdict > g.verdict ? list.items[i] : g;
    assert_true(g.ntried >= 5);
    assert_true((g.why == NULL) == (g.verdict == SOLVABLE_PROVED));
    lane_path(b->system, &b->system->shapes.items[g.shape], g.component, g.lane, who, size);
    vec_drop(SYSTEM_ALLOC(b->system), &list);
    return g.verdict;
}

/* what was proved holds at states that were not tried */
static void assert_regular(Built *b, int ntry)
{
    double x[100], dx[100];
    size_t n = lieder_system_state_count(b->system);
    for (int k = 0; k < ntry; k++) {
        for (size_t i = 0; i < n; i++)
            x[i] = number(-30, 30);
        assert_int_equal(lieder_system_derivatives(b->system, 0, x, dx), LIEDER_DONE);
    }
}

/* positive masses: all states without T_D, native and text; with T_D rods that turn are named */
static void trees_are_proved(void **state)
{
    (void)state;
    char who[200];
    for (uint64_t from = 1; from <= 3; from++)
        for (Origin origin = NATIVE; origin <= OWN; origin++) {
            int nloop = (int)from % 3;
            Built b = build_tree(origin, from, 5, nloop, 0, true);
            assert_int_equal(verdict_of(&b, who, sizeof who), SOLVABLE_PROVED);
            assert_regular(&b, 100);
            drop(&b);
        }
    /* Revolute, rod, body, and again */
    Built b =
        build_class("model Pendulum\n"
                    "  inner Dialectic.World world(TD = 1e-3);\n"
                    "  Dialectic.Planar.Fixed fixed; Dialectic.Planar.Revolute j1, j2;\n"
                    "  Dialectic.Planar.FixedTranslation rod1(r = {1, 0}), rod2(r = {1, 0});\n"
                    "  Dialectic.Planar.Body b1(m = 1, I = 0.1), b2(m = 1);\n"
                    "equation\n"
                    "  connect(fixed.frame, j1.frame_a); connect(j1.frame_b, rod1.frame_a);\n"
                    "  connect(rod1.frame_b, b1.frame_a); connect(rod1.frame_b, j2.frame_a);\n"
                    "  connect(j2.frame_b, rod2.frame_a); connect(rod2.frame_b, b2.frame_a);\n"
                    "end Pendulum;\n",
                    "Pendulum");
    assert_int_equal(verdict_of(&b, who, sizeof who), SOLVABLE_AT_REST);
    assert_string_equal(who, "rod2");
    drop(&b);
}

/* along a line nothing turns: proved with T_D, and with springs that close loops */
static const char *const line_text =
    "model Line\n"
    "  inner Dialectic.World world(TD = 1e-3);\n"
    "  Dialectic.Translational.Fixed fixed;\n"
    "  %s j1%s; %s j2%s;\n"
    "  %s m1(m = 2), m2(m = %s);\n"
    "  Dialectic.Translational.SpringDamper spring(c = 100, d = 1);\n"
    "equation\n"
    "  connect(fixed.flange_b, j1.flange_a); connect(j1.flange_b, m1.flange_a);\n"
    "  connect(fixed.flange_b, j2.flange_a); connect(j2.flange_b, m2.flange_a);\n"
    "  connect(j1.flange_b, spring.flange_a); connect(spring.flange_b, j2.flange_b);\n"
    "end Line;\n";

static Built build_line(const char *joint, const char *mass, const char *second,
                        const char *second_setting, const char *m2, LiederStatus expected)
{
    char *classes = read_file("equations/OwnMechanics.mo"), text[40000], model[3000];
    snprintf(model, sizeof model, line_text, joint, "", second, second_setting, mass, m2);
    snprintf(text, sizeof text,
             "%s\n"
             "model Doubled Dialectic.Translational.Flange flange_a, flange_b;\n"
             "  Real s(start = 0), v(start = 0), v_el;\n"
             "equation flange_b.s = flange_a.s + s; flange_b.v = flange_a.v + v;\n"
             "  der(s) = v_el; 1e-3*der(v) = v_el - v;\n"
             "  flange_a.f_el + 2*flange_b.f_el = 0; flange_a.f_ki + 2*flange_b.f_ki = 0;\n"
             "  flange_b.f_el + flange_b.f_ki = 0; end Doubled;\n%s",
             classes, model);
    free(classes);
    Built b = build_with(text, "Line", NULL, 0);
    if (b.status != expected)
        lieder_diagnostic_print_all(b.session, stderr);
    assert_int_equal(b.status, expected);
    return b;
}

static void lines_are_proved(void **state)
{
    (void)state;
    const char *native = "Dialectic.Translational.Joint", *own = "OwnMechanics.Joint";
    const char *body = "Dialectic.Translational.Body", *mass = "OwnMechanics.Mass";
    char who[200];
    Built b = build_line(native, body, native, "", "1", LIEDER_DONE);
    assert_int_equal(verdict_of(&b, who, sizeof who), SOLVABLE_PROVED);
    assert_regular(&b, 100);
    drop(&b);
    b = build_line(own, mass, own, "", "1", LIEDER_DONE);
    assert_int_equal(verdict_of(&b, who, sizeof who), SOLVABLE_PROVED);
    drop(&b);
    /* a joint without inertia: named before anything runs */
    b = build_line(own, mass, own, "(TD = 0)", "0", LIEDER_BAD_MODEL);
    bool named = false;
    for (size_t i = 0; i < lieder_diagnostic_count(b.session); i++) {
        const LiederDiagnostic *d = lieder_diagnostic_get(b.session, i);
        named |= d->path && strcmp(d->path, "j2") == 0 &&
                 strstr(d->message, "no inertia moves with this joint");
    }
    assert_true(named);
    drop(&b);
}

/* what the rules are not about is never said to be proved */
static void others_are_tested(void **state)
{
    (void)state;
    char who[200];
    const char *own = "OwnMechanics.Joint", *mass = "OwnMechanics.Mass";
    /* joints with different T_D, and a spring that answers to elastic velocities */
    Built b = build_line(own, mass, own, "(TD = 2e-3)", "1", LIEDER_DONE);
    assert_int_equal(verdict_of(&b, who, sizeof who), SOLVABLE_TESTED);
    assert_string_equal(who, "spring");
    drop(&b);
    /* a mass below zero */
    b = build_line(own, mass, own, "", "-0.5", LIEDER_DONE);
    assert_int_equal(verdict_of(&b, who, sizeof who), SOLVABLE_TESTED);
    assert_string_equal(who, "m2");
    drop(&b);
    /* a joint that doubles a force on the way back */
    b = build_line(own, mass, "Doubled", "", "1", LIEDER_DONE);
    assert_int_equal(verdict_of(&b, who, sizeof who), SOLVABLE_TESTED);
    assert_string_equal(who, "j2");
    drop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_of_own_classes), cmocka_unit_test(loops_of_own_classes),
        cmocka_unit_test(trees_of_listings),    cmocka_unit_test(loops_of_listings),
        cmocka_unit_test(nets_of_own_classes),  cmocka_unit_test(trees_are_proved),
        cmocka_unit_test(lines_are_proved),     cmocka_unit_test(others_are_tested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
