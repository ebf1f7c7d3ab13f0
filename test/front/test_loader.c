/* test_loader.c - Modelica from C: lieder_load, systems by class name, experiments, overrides; and
 * component classes out of shared libraries. */
#include <stdlib.h>
#include <unistd.h>

#include "help/engine.h"
#include "help/meter.h"

#include <lieder/component.h>
#include <lieder/load.h>
#include <lieder/variables.h>

static const char text[] = "package P\n"
                           "  model One\n"
                           "    parameter Real mass = 3;\n"
                           "    Dialectic.Translational.Fixed fixed;\n"
                           "    Dialectic.Translational.Joint joint(s(start = 0.5));\n"
                           "    Dialectic.Translational.Body body(m = mass, g = 0);\n"
                           "  equation\n"
                           "    connect(fixed.flange_b, joint.flange_a);\n"
                           "    connect(joint.flange_b, body.flange_a);\n"
                           "    annotation(experiment(StopTime = 2, Tolerance = 1e-8),\n"
                           "      __Lieder(solver = \"rk3\", step = 1e-3));\n"
                           "  end One;\n"
                           "end P;\n";

static double value_of(LiederSystem *system, const char *path)
{
    double value = NAN;
    assert_int_equal(lieder_system_get(system, path, &value), LIEDER_DONE);
    return value;
}

/* the last diagnostic has this text */
static void assert_said(const Lieder *session, const char *part)
{
    size_t n = lieder_diagnostic_count(session);
    assert_true(n > 0);
    const LiederDiagnostic *d = lieder_diagnostic_get(session, n - 1);
    char all[2000];
    snprintf(all, sizeof all, "%s: %s\n%s", d->path ? d->path : "", d->message,
             d->advice ? d->advice : "");
    if (!strstr(all, part))
        fail_msg("expected \"%s\" in \"%s\"", part, all);
}

static void systems_by_class_name(void **state)
{
    (void)state;
    Lieder *session = session_new();
    assert_null(lieder_last_model(session));
    assert_int_equal(lieder_load_text(session, "p.mo", text), LIEDER_DONE);
    assert_string_equal(lieder_last_model(session), "P.One");
    LiederSystem *plain = lieder_system_create(session, "P.One", NULL);
    assert_non_null(plain);
    assert_near(value_of(plain, "body.m"), 3, 0);
    LiederExperiment e;
    LiederOverride set[] = {{.name = "mass", .value = "5"}, {.name = "joint.s", .value = "0.25"}};
    LiederSystem *heavy = lieder_system_load(session, "P.One", set, 2, NULL, &e);
    assert_non_null(heavy);
    assert_near(value_of(heavy, "body.m"), 5, 0);
    assert_near(value_of(heavy, "joint.s"), 0.25, 0);
    assert_true(e.stop == 2 && isnan(e.start) && e.tolerance == 1e-8 && e.step == 1e-3);
    assert_int_equal(e.solver, LIEDER_RK3);
    LiederSimulateOptions o = lieder_experiment_options(&e);
    assert_true(o.start == 0 && o.stop == 2 && o.solver == LIEDER_RK3 && o.step == 1e-3);
    /* without overrides it is what the text says again, and systems made before stay */
    LiederSystem *again = lieder_system_create(session, "P.One", NULL);
    assert_near(value_of(again, "body.m"), 3, 0);
    assert_near(value_of(heavy, "body.m"), 5, 0);
    /* classes of the library by either name, models of C beside */
    LiederSystem *library = lieder_system_create(session, "Dialectic.Examples.CraneCrab", NULL);
    LiederSystem *native = lieder_system_create(session, "Examples.CraneCrab", NULL);
    assert_true(library && native);
    LiederModel *m = lieder_model_create(session, "InC", "");
    lieder_model_add(m, "crab", "Examples.CraneCrab");
    LiederSystem *composed = lieder_system_create(session, "InC", NULL);
    assert_non_null(composed);
    LiederSystem *all[] = {plain, heavy, again, library, native, composed};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        lieder_system_destroy(all[i]);
    lieder_destroy(session);
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    Lieder *session = session_new();
    assert_int_equal(lieder_load(session, "/nowhere/at/all.mo"), LIEDER_IO);
    lieder_diagnostic_clear(session);
    assert_int_equal(lieder_load_text(session, "bad.mo", "model A\n  Real x = ;\nend A;\n"),
                     LIEDER_BAD_MODEL);
    const LiederDiagnostic *d = lieder_diagnostic_get(session, 0);
    assert_string_equal(d->file, "bad.mo");
    assert_int_equal(d->line, 2);
    lieder_diagnostic_clear(session);
    assert_int_equal(lieder_load_text(session, "p.mo", text), LIEDER_DONE);
    assert_null(lieder_system_create(session, "P.Two", NULL));
    assert_said(session, "there is no model of this name");
    LiederOverride negative = {.name = "mass", .value = "-1"};
    assert_null(lieder_system_load(session, "P.One", &negative, 1, NULL, NULL));
    assert_true(lieder_diagnostic_count(session) > 1);
    lieder_destroy(session);
}

/* what only the engine can know has the place of the component, too */
static void engine_speaks_of_places(void **state)
{
    (void)state;
    Lieder *session = session_new();
    assert_int_equal(lieder_load_text(session, "loose.mo",
                                      "model Loose\n"
                                      "  Dialectic.Translational.Fixed fixed;\n"
                                      "  Dialectic.Translational.Joint joint;\n"
                                      "equation\n"
                                      "  connect(fixed.flange_b, joint.flange_a);\n"
                                      "end Loose;\n"),
                     LIEDER_DONE);
    assert_null(lieder_system_create(session, "Loose", NULL));
    const LiederDiagnostic *d = lieder_diagnostic_get(session, 0);
    assert_non_null(d);
    assert_string_equal(d->path, "joint");
    assert_string_equal(d->file, "loose.mo");
    assert_int_equal(d->line, 3);
    assert_int_equal(d->column, 33);
    assert_string_equal(d->source, "  Dialectic.Translational.Joint joint;");
    /* a model made in C has none, whatever it is called */
    LiederModel *m = lieder_model_create(session, "InC", "");
    lieder_model_add(m, "fixed", "Translational.Fixed");
    lieder_model_add(m, "joint", "Translational.Joint");
    lieder_model_connect(m, "fixed.flange_b", "joint.flange_a");
    lieder_diagnostic_clear(session);
    assert_null(lieder_system_create(session, "InC", NULL));
    assert_null(lieder_diagnostic_get(session, 0)->file);
    lieder_destroy(session);
}

/* the variables of equations belong to the model itself, and have rows and handles like others */
static void equations_have_rows(void **state)
{
    (void)state;
    Lieder *session = session_new();
    assert_int_equal(lieder_load_text(session, "decay.mo",
                                      "model Decay\n"
                                      "  parameter Real a = 2;\n"
                                      "  Real x(start = 1);\n"
                                      "  Real y;\n"
                                      "equation\n"
                                      "  der(x) = -a * x;\n"
                                      "  y = 3 * x;\n"
                                      "end Decay;\n"),
                     LIEDER_DONE);
    LiederSystem *system = lieder_system_create(session, "Decay", NULL);
    lieder_diagnostic_print_all(session, stderr);
    assert_non_null(system);
    for (size_t i = 0; i < lieder_variable_count(system); i++) {
        LiederHandle h, found;
        char row[100], path[100];
        lieder_variable_name(system, i, row, sizeof row);
        assert_int_equal(lieder_variable_find(system, row), i);
        assert_true(lieder_variable_handle(system, i, 0, &h));
        lieder_handle_name(system, &h, path, sizeof path);
        assert_string_equal(path, row);
        assert_int_equal(lieder_handle_find(system, path, &found), LIEDER_DONE);
        assert_true(found.item == h.item);
    }
    assert_true(lieder_variable_find(system, "der(x)") >= 0);
    double x = 0.5, dx;
    assert_near(look(system, 0, &x, "y"), 1.5, 0);
    assert_int_equal(lieder_system_set(system, "a", 4), LIEDER_DONE);
    assert_int_equal(lieder_system_derivatives(system, 0, &x, &dx), LIEDER_DONE);
    assert_near(dx, -2, 0);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* loads, makes a system and looks at its table; false: something could not be done */
static bool live(const LiederAllocator *alloc)
{
    Lieder *session = lieder_create(alloc);
    bool ok = session && lieder_load_text(session, "p.mo", text) == LIEDER_DONE;
    LiederSystem *system = ok ? lieder_system_create(session, "P.One", NULL) : NULL;
    LiederObserver *observer = system ? lieder_observer_create(system) : NULL;
    size_t n = system ? lieder_variable_count(system) : 0;
    ok = n > 0 && observer;
    for (size_t i = 0; i < n && ok; i++) {
        LiederHandle h;
        char name[100];
        lieder_variable_name(system, i, name, sizeof name);
        ok = lieder_variable_find(system, name) == (ptrdiff_t)i &&
             lieder_variable_handle(system, i, 0, &h) && lieder_observer_watch(observer, &h) >= 0;
    }
    lieder_observer_destroy(observer);
    lieder_system_destroy(system);
    lieder_destroy(session);
    return ok;
}

/* allocation k fails: nothing crashes, nothing is left, and the failure is seen */
static void survives_without_memory(void **state)
{
    (void)state;
    Meter session = {0};
    LiederAllocator counting = METER_ALLOCATOR(&session);
    lieder_destroy(lieder_create(&counting));
    size_t k = session.calls + 1, all = 0;
    for (;; k += 1 + k / 200) { /* not all of the many that texts need */
        Meter meter = {.fail_at = k};
        LiederAllocator alloc = METER_ALLOCATOR(&meter);
        bool ok = live(&alloc);
        if (meter.live || meter.bytes || meter.wrong)
            fail_msg("allocation %zu failed: %zu blocks, %lld bytes left, %zu of another size", k,
                     meter.live, meter.bytes, meter.wrong);
        if (meter.calls < k) { /* none failed */
            assert_true(ok);
            break;
        }
        all++;
    }
    assert_true(all > 50);
}

/* ------------------------------------------------------------------ shared libraries */

static char folder[] = "/tmp/lieder_test_loader_XXXXXX";

/* compiles a file into folder/NAME.so; false: there is no compiler */
static bool compile(const char *source, const char *name, const char *flags)
{
    char command[1200];
    snprintf(command, sizeof command,
             "cc -shared -fPIC -O1 -ffp-contract=off -I'%s/include' %s '%s' -o %s/%s 2>&1",
             SOURCE_DIR, flags, source, folder, name);
    return system("command -v cc >/dev/null") == 0 && system(command) == 0;
}

static const char *in_folder(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* a number that others were computed from cannot be set alone; what nobody else reads can */
static void bound_numbers_stay(void **state)
{
    (void)state;
    static const char bound[] =
        "model Part\n"
        "  parameter Real k = 1, c = 2*k, last = 4;\n"
        "  Real x(start = 1);\n"
        "equation\n"
        "  der(x) = -k*x + c - last;\n"
        "end Part;\n"
        "model Whole\n"
        "  parameter Real a = 1, hidden = 3*a, b = 2, start = 4, switch = 1;\n"
        "  parameter Integer n = if switch > 0 then 2 else 1;\n"
        "  Part one(k = hidden), many[3](k = {1, 2, if b > 1 then b else 1}), plain(c = 1);\n"
        "  Dialectic.Translational.Fixed fixed;\n"
        "  Dialectic.Translational.Joint joint;\n"
        "  Dialectic.Translational.Body body(m = b);\n"
        "  Real y(start = start), z[n];\n"
        "equation\n"
        "  connect(fixed.flange_b, joint.flange_a);\n"
        "  connect(joint.flange_b, body.flange_a);\n"
        "  der(y) = -a*y + b - start;\n"
        "  der(z) = fill(switch, n);\n"
        "end Whole;\n";
    static const char *const free_ones[] = {"one.c", "one.last", "many[2].c", "plain.k", "body.m"};
    static const char *const bound_ones[] = {"a",     "b",         "start",    "switch",
                                             "one.k", "many[1].k", "many[3].k"};
    Lieder *session = session_new();
    assert_int_equal(lieder_load_text(session, "b.mo", bound), LIEDER_DONE);
    LiederSystem *system = lieder_system_create(session, "Whole", NULL);
    assert_non_null(system);
    for (size_t i = 0; i < sizeof free_ones / sizeof *free_ones; i++)
        assert_int_equal(lieder_system_set(system, free_ones[i], 7), LIEDER_DONE);
    assert_int_equal(lieder_diagnostic_count(session), 0);
    for (size_t i = 0; i < sizeof bound_ones / sizeof *bound_ones; i++) {
        LiederHandle h;
        double before = value_of(system, bound_ones[i]);
        assert_int_equal(lieder_system_set(system, bound_ones[i], 7), LIEDER_BAD_USE);
        assert_said(session, bound_ones[i]);
        assert_said(session, "follow from it");
        assert_near(value_of(system, bound_ones[i]), before, 0);
        assert_int_equal(lieder_handle_find(system, bound_ones[i], &h), LIEDER_DONE);
        assert_false(lieder_handle_info(system, &h).tunable);
    }
    lieder_system_destroy(system);
    /* before the model is made all of them follow */
    LiederOverride set = {.name = "a", .value = "5"};
    system = lieder_system_load(session, "Whole", &set, 1, NULL, NULL);
    assert_non_null(system);
    assert_near(value_of(system, "one.k"), 15, 0);
    assert_near(value_of(system, "one.c"), 30, 0);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

static void write_file(const char *name, const char *content)
{
    FILE *f = fopen(in_folder(name), "w");
    assert_non_null(f);
    fputs(content, f);
    fclose(f);
}

/* The symbols of the test program are not exported to what it loads, so the library has a class
 * without ports of the library's domains. */
static const char own_class[] =
    "#include <lieder/component.h>\n"
    "typedef struct Tank { real a, level, rate; } Tank;\n"
    "static inline void tank_explicit(Tank *c, Call call)\n"
    "{ (void)call; c->rate = -c->a * c->level; }\n"
    "#define CLASS Tank\n"
    "#define PORTS(X)\n"
    "#define EXPLICIT tank_explicit\n"
    "#include <lieder/kernels.inc>\n"
    "static const LiederMember members[] = {\n"
    "  PARAMETER(Tank, a, \"1/s\", 1, AT_LEAST(0), \"rate\"),\n"
    "  STATE(Tank, level, rate, \"m\", 1, \"level\")};\n"
    "static const LiederClassDef tank = {.name = \"Tank\", .text = \"Leaks\",\n"
    "  .nmember = LIEDER_COUNT(members), .members = members, .kernels = &Tank_kernels};\n"
    "LIEDER_EXTENSION(&tank);\n";

static void classes_of_a_library(void **state)
{
    (void)state;
    write_file("tank.c", own_class);
    char source[200];
    snprintf(source, sizeof source, "%s", in_folder("tank.c"));
    if (!compile(source, "tank.so", ""))
        skip();
    Lieder *session = session_new();
    assert_int_equal(lieder_extension_load(session, in_folder("tank.so")), LIEDER_DONE);
    assert_non_null(lieder_class_find(session, "Tank"));
    assert_int_equal(lieder_load_text(session, "t.mo", "model T\n  Tank tank(a = 2);\nend T;\n"),
                     LIEDER_DONE);
    LiederSystem *system = lieder_system_create(session, "T", NULL);
    lieder_diagnostic_print_all(session, stderr);
    assert_non_null(system);
    double x = 3, dx;
    assert_int_equal(lieder_system_state_count(system), 1);
    assert_int_equal(lieder_system_derivatives(system, 0, &x, &dx), LIEDER_DONE);
    assert_near(dx, -6, 0);
    lieder_system_destroy(system);
    /* twice is once too often, and says so */
    assert_int_equal(lieder_extension_load(session, in_folder("tank.so")), LIEDER_BAD_USE);
    assert_said(session, "exists already");
    lieder_destroy(session);
}

static void libraries_that_do_not_fit(void **state)
{
    (void)state;
    Lieder *session = session_new();
    assert_int_equal(lieder_extension_load(session, in_folder("nothing.so")), LIEDER_IO);
    assert_said(session, "cannot be loaded");
    write_file("text.so", "this is no library\n");
    assert_int_equal(lieder_extension_load(session, in_folder("text.so")), LIEDER_IO);
    write_file("empty.c", "int nothing_here;\n");
    char source[200];
    snprintf(source, sizeof source, "%s", in_folder("empty.c"));
    if (!compile(source, "empty.so", ""))
        skip();
    assert_int_equal(lieder_extension_load(session, in_folder("empty.so")), LIEDER_BAD_USE);
    assert_said(session, "lieder_extension");
    write_file("old.c", "struct { int version; unsigned sizes[6]; const void *const *classes; } "
                        "lieder_extension = {.version = 0};\n");
    snprintf(source, sizeof source, "%s", in_folder("old.c"));
    assert_true(compile(source, "old.so", ""));
    assert_int_equal(lieder_extension_load(session, in_folder("old.so")), LIEDER_BAD_USE);
    assert_said(session, "built for version 0");
    char other[200];
    snprintf(other, sizeof other,
             "struct { int version; unsigned sizes[6]; const void *const *classes; } "
             "lieder_extension = {.version = %d};\n",
             LIEDER_EXTENSION_VERSION);
    write_file("other.c", other);
    snprintf(source, sizeof source, "%s", in_folder("other.c"));
    assert_true(compile(source, "other.so", ""));
    assert_int_equal(lieder_extension_load(session, in_folder("other.so")), LIEDER_BAD_USE);
    assert_said(session, "other headers");
    lieder_destroy(session);
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_by_class_name),     cmocka_unit_test(what_is_wrong_is_said),
        cmocka_unit_test(engine_speaks_of_places),   cmocka_unit_test(equations_have_rows),
        cmocka_unit_test(survives_without_memory),   cmocka_unit_test(classes_of_a_library),
        cmocka_unit_test(libraries_that_do_not_fit), cmocka_unit_test(bound_numbers_stay)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
