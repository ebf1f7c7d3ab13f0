/* test_divide.c - models of components with connectors of their own, merged into one class and
 * divided into classes with ports: the same states, start values, derivatives and variables. Chains
 * of any length are one class compiled once; what cannot be divided is merged. */
#define _GNU_SOURCE /* nftw */
#include <ctype.h>
#include <ftw.h>

#include "model/linear/solvable.h"

#include "equation_help.h"

#include "equation/class/summary.h"
#include "starved.h"

static const char *const parts_text =
    "package Parts\n"
    "  connector Flange Real s(unit = \"m\"); flow Real f(unit = \"N\"); end Flange;\n"
    "  connector Plug = Flange;\n"
    "  model Wall Flange a; parameter Real A = 1; equation a.s = A*sin(time); end Wall;\n"
    "  model Element \"spring and mass\"\n"
    "    Flange a; Plug b; parameter Real m = 1, c = 100;\n"
    "    Real s(start = 0.1, fixed = true), v(start = 0, fixed = true), f;\n"
    "  equation s = b.s; v = der(s); f = c*(b.s - a.s) + 0.3*der(b.s - a.s); a.f = -f;\n"
    "    m*der(v) = b.f - f; end Element;\n"
    "  model Mass Flange a, b; parameter Real m = 1;\n"
    "    Real s(start = 0.2, fixed = true), v(start = -0.1, fixed = true), acc(start = 0);\n"
    "  equation s = a.s; s = b.s; v = der(s); acc = der(v); m*acc = a.f + b.f; end Mass;\n"
    "  model Tied \"a mass without start values\" Flange a, b; parameter Real m = 1; Real v;\n"
    "  equation a.s = b.s; v = der(a.s); m*der(v) = a.f + b.f; end Tied;\n"
    "  model Gear Flange a, b; parameter Real r = 1.5;\n"
    "  equation a.s = r*b.s; r*a.f + b.f = 0; end Gear;\n"
    "  model Spring Flange a, b; parameter Real c = 50, d = 2; Real x, f;\n"
    "  equation x = b.s - a.s; f = c*x + c*x^3 + d*der(x); b.f = f; a.f = -f; end Spring;\n"
    "  model Push Flange a; parameter Real F = 1; equation a.f = -F*sin(3*time); end Push;\n"
    "  connector Heat Real T; flow Real Q; end Heat;\n"
    "  model Capacity Heat p; parameter Real C = 1; Real T(start = 300, fixed = true);\n"
    "  equation T = p.T; C*der(T) = p.Q; end Capacity;\n"
    "  model Conductor Heat a, b; parameter Real G = 2;\n"
    "  equation a.Q = G*(a.T - b.T); a.Q + b.Q = 0; end Conductor;\n"
    "  model Hot Heat p; equation p.T = 400 + 10*time; end Hot;\n"
    "\n"
    "  model Chain parameter Integer n = 12; Wall wall; Element e[n](m = {1 + i/n for i in 1:n});\n"
    "  equation connect(wall.a, e[1].a);\n"
    "    for i in 1:n - 1 loop connect(e[i].b, e[i + 1].a); end for; end Chain;\n"
    "  model Masses parameter Integer n = 9; Wall wall; Mass m[n](each m = 2); Spring s[n]; Push "
    "p;\n"
    "  equation connect(wall.a, s[1].a); for i in 1:n loop connect(s[i].b, m[i].a); end for;\n"
    "    for i in 1:n - 1 loop connect(m[i].b, s[i + 1].a); end for; connect(m[n].b, p.a); end "
    "Masses;\n"
    "  model Geared parameter Integer n = 7;\n"
    "    Wall wall; Spring s[n]; Mass m[n]; Gear g[n]; Tied q[n](m = {1 + 0.1*i for i in 1:n});\n"
    "    Push p[n]; Spring e[n - 1](each c = 9);\n"
    "  equation connect(wall.a, s[1].a); for i in 1:n loop connect(s[i].b, m[i].a);\n"
    "    connect(m[i].b, g[i].a); connect(g[i].b, q[i].a); connect(q[i].b, p[i].a); end for;\n"
    "    for i in 2:n loop connect(q[i - 1].a, s[i].a); end for;\n"
    "    for i in 1:n - 1 loop connect(m[i].a, e[i].a); connect(m[i + 1].a, e[i].b); end for;\n"
    "  end Geared;\n"
    "  model Rod parameter Integer n = 10; Hot h; Capacity c[n](each C = 3); Conductor k[n];\n"
    "  equation connect(h.p, k[1].a); for i in 1:n loop connect(k[i].b, c[i].p); end for;\n"
    "    for i in 1:n - 1 loop connect(c[i].p, k[i + 1].a); end for; end Rod;\n"
    "  model Rods Rod rod[3](c(each C = 2)); end Rods;\n"
    "  model Ring \"masses in a rigid ring with start values on each\" Mass m[3]; Spring s;\n"
    "  equation connect(m[1].b, m[2].a); connect(m[2].b, m[3].a); connect(m[3].b, s.a); end Ring;\n"
    "  model Middle \"a node without mass between dampers\" Wall wall; Mass m; Spring a, b;\n"
    "  equation connect(wall.a, a.a); connect(a.b, b.a); connect(b.b, m.a); end Middle;\n"
    "  model Linear Flange a, b; equation b.f = 30*(b.s - a.s); a.f + b.f = 0; end Linear;\n"
    "  model Series \"a node without mass between springs\" Wall wall; Mass m; Linear a, b;\n"
    "  equation connect(wall.a, a.a); connect(a.b, b.a); connect(b.b, m.a); end Series;\n"
    "  model Equations \"has an equation of its own\" Wall wall; Mass m; Spring a; Real power;\n"
    "  equation connect(wall.a, a.a); connect(a.b, m.a); power = a.f*m.v; end Equations;\n"
    "  model Begun Wall wall; Tied m; Spring a(x(start = 0.5, fixed = true));\n"
    "  equation connect(wall.a, a.a); connect(a.b, m.a); end Begun;\n"
    "  model Loop \"gears that drive each other\" Gear a(r = 2), b(r = 3); Push p;\n"
    "  equation connect(a.b, b.a); connect(b.b, a.a); connect(a.a, p.a); end Loop;\n"
    "end Parts;\n";

static Built build_parts(const char *class_name, size_t merge, const char *n)
{
    const FrontOverride override = {.name = "n", .value = n};
    const FrontLimits limits = {.merge = merge, .loops = SIZE_MAX};
    return require_built(build_within(parts_text, class_name, &override, n != NULL, &limits));
}

/* classes that have ports: whether the model was divided */
static size_t count_divided(const Built *b)
{
    size_t n = 0;
    for (size_t i = 0; i < front_cell_count(b->front); i++)
        n += front_cell(b->front, i)->nport > 0;
    return n;
}

/* states, start values, derivatives at random states, and the variables of a list agree */
static void compare(const char *class_name, const char *const *names, double tolerance)
{
    Built one = build_parts(class_name, 1000, NULL), many = build_parts(class_name, 2, NULL);
    double x[100], y[100], dx[100], dy[100];
    size_t n = lieder_system_state_count(one.system);
    assert_int_equal(count_divided(&one), 0);
    assert_true(count_divided(&many) > 1);
    assert_int_equal(lieder_system_state_count(many.system), n);
    assert_int_equal(lieder_system_start(one.system, x), LIEDER_DONE);
    assert_int_equal(lieder_system_start(many.system, y), LIEDER_DONE);
    for (int k = 0; k < 6; k++) {
        double t = 0.3 * k;
        ptrdiff_t at[100];
        for (size_t i = 0; i < n; i++) {
            char name[60];
            lieder_system_state_name(one.system, i, name, sizeof name);
            at[i] = lieder_system_state_index(many.system, name);
            if (at[i] < 0)
                fail_msg("%s is no state of the divided %s", name, class_name);
            if (k == 0)
                assert_true(x[i] == y[at[i]]);
            else
                y[at[i]] = x[i] = 5 * draw();
        }
        assert_int_equal(lieder_system_derivatives(one.system, t, x, dx), LIEDER_DONE);
        assert_int_equal(lieder_system_derivatives(many.system, t, y, dy), LIEDER_DONE);
        for (size_t i = 0; i < n; i++)
            if (!(fabs(dx[i] - dy[at[i]]) <= tolerance * (1 + fabs(dx[i]))))
                fail_msg("%s: derivative %zu is %.17g and %.17g", class_name, i, dx[i], dy[at[i]]);
        for (const char *const *name = names; *name; name++) {
            double a = observe(&one, t, x, *name), b = observe(&many, t, y, *name);
            if (!(fabs(a - b) <= tolerance * (1 + fabs(a))))
                fail_msg("%s: %s is %.17g and %.17g", class_name, *name, a, b);
        }
    }
    drop(&one);
    drop(&many);
}

static void divided_models_agree(void **state)
{
    (void)state;
    srand(5);
    compare("Parts.Chain",
            (const char *const[]){"e[3].f", "e[3].a.f", "e[3].b.f", "e[2].b.s", "e[12].v",
                                  "wall.a.f", NULL},
            1e-12);
    compare("Parts.Masses",
            (const char *const[]){"s[2].x", "s[2].f", "s[2].a.f", "m[9].b.f", "m[4].a.s",
                                  "m[4].acc", NULL},
            1e-12);
    compare("Parts.Geared", (const char *const[]){"q[3].v", "g[2].a.f", "g[2].b.s", "e[3].f", NULL},
            1e-11);
    compare("Parts.Rod", (const char *const[]){"k[3].a.Q", "c[2].p.T", NULL}, 1e-12);
    compare("Parts.Rods", (const char *const[]){"rod[2].k[3].a.Q", "rod[1].c[2].T", NULL}, 1e-12);
}

/* masses between springs, heat: regular whatever the states are */
static void divided_models_are_proved(void **state)
{
    (void)state;
    static const char *const classes[] = {"Parts.Chain", "Parts.Masses", "Parts.Geared",
                                          "Parts.Rod"};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        Built b = build_parts(classes[i], 2, NULL);
        GroupSolvables list = {0};
        assert_int_equal(system_solvable(b.system, &list), LIEDER_DONE);
        assert_true(list.n > 0);
        for (size_t k = 0; k < list.n; k++)
            if (list.items[k].verdict != SOLVABLE_PROVED)
                fail_msg("%s: %s", classes[i], list.items[k].why);
        vec_drop(SYSTEM_ALLOC(b.system), &list);
        drop(&b);
    }
}

/* merged, and without a word about the attempt */
static void others_are_merged(void **state)
{
    (void)state;
    static const char *const classes[] = {"Parts.Ring",   "Parts.Series", "Parts.Equations",
                                          "Parts.Middle", "Parts.Begun",  "Parts.Loop"};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        Built b = build_parts(classes[i], 2, NULL);
        size_t alone = 0;
        for (size_t k = 0; k < front_cell_count(b.front); k++)
            alone += front_cell(b.front, k)->nport == 0;
        if (alone != 1)
            fail_msg("%s: %zu classes without ports", classes[i], alone);
        for (size_t k = 0; k < lieder_diagnostic_count(b.session); k++)
            assert_true(lieder_diagnostic_get(b.session, k)->severity != LIEDER_ERROR);
        drop(&b);
    }
}

/* 10 000 elements: as many classes as one, and equal to what the merged class of a few computes */
static void long_chains(void **state)
{
    (void)state;
    Built b = build_parts("Parts.Chain", 0, "10000");
    assert_int_equal(lieder_system_state_count(b.system), 20000);
    assert_int_equal(front_cell_count(b.front), 2); /* Wall and Element */
    double *x = calloc(40000, sizeof *x);
    lieder_system_start(b.system, x);
    assert_int_equal(lieder_system_derivatives(b.system, 0.5, x, x + 20000), LIEDER_DONE);
    /* all at 0.1 and at rest: only the first spring is stretched, by 0.1 - sin(0.5) */
    ptrdiff_t first = lieder_system_state_index(b.system, "e[1].v");
    ptrdiff_t last = lieder_system_state_index(b.system, "e[10000].v");
    double x0 = sin(0.5), v0 = cos(0.5);
    double expected = -(100 * (0.1 - x0) + 0.3 * (0 - v0)) / (1 + 1.0 / 10000);
    assert_true(fabs(x[20000 + first] - expected) < 1e-12 * fabs(expected));
    assert_true(fabs(x[20000 + last]) < 1e-12);
    free(x);
    drop(&b);
}

/* ------------------------------------------------------------------ all models of the project */

static size_t models_tried, models_divided;

/* a model of a file, merged where `merge` is large; b.system is NULL where it is no model alone */
static Built build_file(const char *path, const char *class_name, size_t merge)
{
    Built b = {.session = lieder_create(NULL)};
    b.front = front_create(b.session);
    const FrontOverride few = {.name = "n", .value = "3"};
    front_set_limits(b.front, (FrontLimits){.merge = merge});
    b.status = front_load(b.front, path);
    if (b.status == LIEDER_DONE && front_has_class(b.front, class_name))
        b.status = front_instantiate(b.front, class_name, &few, strstr(path, "/scale/") != NULL,
                                     &b.experiment, &b.model);
    if (b.status == LIEDER_DONE && b.model)
        b.system = lieder_system_create(b.session, b.model, NULL);
    return b;
}

/* the state of `many` that has the name of state i of `one` */
static size_t same_state(const Built *one, const Built *many, size_t i, const char *class_name)
{
    char name[200];
    lieder_system_state_name(one->system, i, name, sizeof name);
    ptrdiff_t at = lieder_system_state_index(many->system, name);
    if (at < 0)
        fail_msg("%s: %s is no state of the divided model", class_name, name);
    return (size_t)at;
}

/* start values are equal; derivatives agree there and around it */
static void compare_models(const Built *one, const Built *many, const char *class_name)
{
    size_t n = lieder_system_state_count(one->system);
    if (lieder_system_state_count(many->system) != n)
        fail_msg("%s: %zu states merged, %zu divided", class_name, n,
                 lieder_system_state_count(many->system));
    double *x = calloc(4 * n + 1, sizeof *x), *y = x + n, *dx = y + n, *dy = dx + n;
    assert_int_equal(lieder_system_start(one->system, x), LIEDER_DONE);
    assert_int_equal(lieder_system_start(many->system, y), LIEDER_DONE);
    for (int k = 0; k < 5; k++) {
        for (size_t i = 0; i < n; i++) {
            size_t at = same_state(one, many, i, class_name);
            if (k == 0 && x[i] != y[at])
                fail_msg("%s: state %zu starts at %g and %g", class_name, i, x[i], y[at]);
            y[at] = x[i] += k ? 0.01 * draw() : 0;
        }
        double t = 0.1 * k;
        assert_int_equal(lieder_system_derivatives(one->system, t, x, dx), LIEDER_DONE);
        assert_int_equal(lieder_system_derivatives(many->system, t, y, dy), LIEDER_DONE);
        double size = 1;
        for (size_t i = 0; i < n; i++)
            size = fmax(size, fabs(dx[i]));
        for (size_t i = 0; i < n; i++) {
            size_t at = same_state(one, many, i, class_name);
            if (!(fabs(dx[i] - dy[at]) <= 1e-12 * size))
                fail_msg("%s: derivative %zu is %.17g and %.17g", class_name, i, dx[i], dy[at]);
        }
    }
    free(x);
}

static void try_model(const char *path, const char *class_name)
{
    Built one = build_file(path, class_name, 1000000), many = build_file(path, class_name, 2);
    if (!one.system != !many.system)
        fail_msg("%s of %s: merged %d, divided %d", class_name, path, one.system != NULL,
                 many.system != NULL);
    if (one.system && many.system) {
        compare_models(&one, &many, class_name);
        models_tried++;
        models_divided += count_divided(&many) > count_divided(&one);
    }
    drop(&one);
    drop(&many);
}

/* every class of a file that the text calls a model, in the package of the file or without one */
static int try_file(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)place;
    size_t n = strlen(path);
    if (kind != FTW_F || n < 4 || strcmp(path + n - 3, ".mo") != 0)
        return 0;
    char *text = calloc(1, 200000), package[100] = "", name[100], full[220];
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    assert_true(fread(text, 1, 199999, in) > 0);
    fclose(in);
    sscanf(text, "package %99[A-Za-z0-9_]", package);
    for (const char *at = text; (at = strstr(at, "model ")); at += 6) {
        if ((at > text && !isspace((unsigned char)at[-1])) ||
            sscanf(at, "model %99[A-Za-z0-9_]", name) != 1)
            continue;
        snprintf(full, sizeof full, "%s%s%s", package, *package ? "." : "", name);
        try_model(path, full);
    }
    free(text);
    return 0;
}

static void models_of_the_project_agree(void **state)
{
    (void)state;
    srand(11);
    assert_int_equal(nftw(SOURCE_DIR "/models", try_file, 8, FTW_PHYS), 0);
    print_message("%zu models, %zu of them divided\n", models_tried, models_divided);
    assert_true(models_tried >= 70 && models_divided >= 1);
}

/* 1000 equal circuits are one class and 1000 lanes, with the bits of one */
static void equal_circuits(void **state)
{
    (void)state;
    static const char text[] =
        "package Own\n"
        "  connector Pin Real v; flow Real i; end Pin;\n"
        "  model Ground Pin p; equation p.v = 0; end Ground;\n"
        "  model R Pin p, n; parameter Real R = 1; equation p.v - n.v = R*p.i; p.i + n.i = 0; end "
        "R;\n"
        "  model C Pin p, n; Real v(start = 1, fixed = true);\n"
        "  equation v = p.v - n.v; 0.3*der(v) = p.i; p.i + n.i = 0; end C;\n"
        "  model V Pin p, n; equation p.v - n.v = sin(time); p.i + n.i = 0; end V;\n"
        "  model Circuit parameter Real r = 2; R r1(R = r), r2(R = 3), r3(R = 4); C c1, c2; V s;\n"
        "    Ground g; Electrical.Capacitor k(C = 0.1, v(start = 0.2)); Electrical.Ground h;\n"
        "    Electrical.Resistor l(R = r);\n"
        "  equation connect(s.p, r1.p); connect(r1.n, c1.p); connect(c1.n, s.n); connect(s.n, "
        "g.p);\n"
        "    connect(c1.p, r2.p); connect(r2.n, c2.p); connect(c2.n, g.p); connect(c2.p, r3.p);\n"
        "    connect(r3.n, s.p); connect(k.p, l.p); connect(l.n, k.n); connect(k.n, h.p);\n"
        "  end Circuit;\n"
        "  model Many Circuit c[1000](r = {2 + mod(i, 7) for i in 1:1000}); end Many;\n"
        "end Own;\n";
    Built one = build_class(text, "Own.Circuit"), many = build_class(text, "Own.Many");
    assert_int_equal(front_cell_count(many.front), 1);
    LiederSystemInfo info = lieder_system_info(many.system);
    assert_int_equal(info.nshape, 1);
    assert_int_equal(info.nlane, 1000);
    double x[3], dx[3], *y = calloc(6000, sizeof *y);
    static const char *const states[] = {"c1.v", "c2.v", "k.v"};
    lieder_system_start(one.system, x);
    lieder_system_start(many.system, y);
    assert_int_equal(lieder_system_derivatives(one.system, 0.4, x, dx), LIEDER_DONE);
    assert_int_equal(lieder_system_derivatives(many.system, 0.4, y, y + 3000), LIEDER_DONE);
    for (int i = 7; i <= 1000; i += 7) /* r = 2, as the one has it */
        for (int k = 0; k < 3; k++) {
            char path[40];
            snprintf(path, sizeof path, "c[%d].%s", i, states[k]);
            ptrdiff_t at = lieder_system_state_index(many.system, path);
            ptrdiff_t from = lieder_system_state_index(one.system, states[k]);
            assert_true(at >= 0 && from >= 0);
            assert_memory_equal(&y[3000 + at], &dx[from], sizeof(double));
        }
    /* and so for a whole run: the states of each that has the number of the one, bit for bit */
    assert_int_equal(lieder_step(one.system, LIEDER_RK4, 0, 0.01, 50, x), LIEDER_DONE);
    assert_int_equal(lieder_step(many.system, LIEDER_RK4, 0, 0.01, 50, y), LIEDER_DONE);
    for (int i = 7; i <= 1000; i += 7)
        for (int k = 0; k < 3; k++) {
            char path[40];
            snprintf(path, sizeof path, "c[%d].%s", i, states[k]);
            ptrdiff_t at = lieder_system_state_index(many.system, path);
            ptrdiff_t from = lieder_system_state_index(one.system, states[k]);
            assert_memory_equal(&y[at], &x[from], sizeof(double));
        }
    free(y);
    drop(&one);
    drop(&many);
}

static LiederStatus verdicts(LiederSystem *system)
{
    GroupSolvables list = {0};
    LiederStatus status = system_solvable(system, &list);
    vec_drop(SYSTEM_ALLOC(system), &list);
    return status;
}

/* up to the verdicts on linear groups; divided, and merged after an attempt */
static void failing_memory(void **state)
{
    (void)state;
    static const char *const classes[] = {"Parts.Geared", "Parts.Rods", "Parts.Middle"};
    for (size_t i = 0; i < 3; i++)
        starve((Starved){.text = parts_text,
                         .class_name = classes[i],
                         .finer = 12,
                         .merge = 2,
                         .then = verdicts});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(divided_models_agree), cmocka_unit_test(divided_models_are_proved),
        cmocka_unit_test(others_are_merged),    cmocka_unit_test(long_chains),
        cmocka_unit_test(equal_circuits),       cmocka_unit_test(models_of_the_project_agree),
        cmocka_unit_test(failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
