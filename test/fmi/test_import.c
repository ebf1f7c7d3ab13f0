/* test_import.c - FMUs as components: our own exports in closed loops have the bits of our
 * steppers; an FMU that crashes, fails or gives NaN is a diagnostic with its name; archives of
 * enemies are refused. */
#include "fmi/help.h"
#include "front/front.h"

static const char plant[] = "model Plant\n"
                            "  Signals.RealInput u; Signals.RealOutput y; parameter Real T = 0.5;\n"
                            "  Real x(start = 0.25);\n"
                            "equation\n"
                            "  T*der(x) = u - x; y = x;\n"
                            "end Plant;\n";

/* ------------------------------------------------------------------ runs */

typedef struct Result {
    LiederStatus status;
    char message[800];
    double times[64], values[64];
    size_t n;
    LiederObserver *observer;
} Result;

static bool impatient; /* the run is to end as soon as it asks */
static bool on_progress(void *user, double t, const LiederStatistics *statistics)
{
    (void)user;
    (void)t;
    (void)statistics;
    return !impatient;
}

static bool on_row(void *user, double t, const double *x, LiederRow kind)
{
    Result *r = user;
    (void)kind;
    assert_true(r->n < 64);
    r->times[r->n] = t;
    if (r->observer)
        assert_int_equal(lieder_observer_evaluate(r->observer, t, x, &r->values[r->n]),
                         LIEDER_DONE);
    r->n++;
    return true;
}

/* a text whose FMUs stand in the folder of the test; watch: a variable, or NULL */
static Result run_text(const char *text, const char *watch, double stop, double step,
                       bool in_process)
{
    Result r = {0};
    char name[256];
    const char *model;
    Lieder *session = lieder_create(NULL);
    Front *front = front_create(session);
    FmiImports imports = {.alloc = &memory_default, .in_process = in_process};
    front_set_fmu(front, imports_class, &imports);
    r.status = front_load_text(front, in_folder("test.mo", name), text);
    if (r.status == LIEDER_DONE)
        r.status = front_instantiate(front, front_last_model(front), NULL, 0, NULL, &model);
    LiederSystem *system =
        r.status == LIEDER_DONE ? lieder_system_create(session, model, NULL) : NULL;
    if (system) {
        LiederSimulateOptions o = lieder_simulate_defaults();
        o.stop = stop;
        o.step = o.interval = step;
        o.solver = LIEDER_RK4;
        o.output = on_row;
        o.progress = on_progress;
        o.user = &r;
        if (watch) {
            r.observer = lieder_observer_create(system);
            assert_true(lieder_observer_add(r.observer, watch) == 0);
        }
        r.status = fmi_simulate(system, &imports, &o, NULL);
        lieder_observer_destroy(r.observer);
    }
    for (size_t i = 0; i < lieder_diagnostic_count(session); i++) {
        const LiederDiagnostic *d = lieder_diagnostic_get(session, i);
        size_t at = strlen(r.message);
        snprintf(r.message + at, sizeof r.message - at, "%s%s%s\n", d->path ? d->path : "",
                 d->path ? ": " : "", d->message);
    }
    lieder_system_destroy(system);
    front_destroy(front);
    lieder_destroy(session);
    imports_drop(&imports);
    return r;
}

static void export_plant(int version, const char *name)
{
    char path[256];
    Lieder *session = lieder_create(NULL);
    LiederSystem *system = load_scalar(session, plant, NULL);
    FmiExport e = export_defaults(version);
    e.step = 1e-2;
    LiederStatus status = fmi_export(system, &e, in_folder(name, path));
    if (status != LIEDER_DONE)
        lieder_diagnostic_print_all(session, stderr);
    assert_int_equal(status, LIEDER_DONE);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* the plant stepped by ourselves, with the input held from one communication point to the next */
static void expect_loop(double h, double T, double *values, size_t n)
{
    Lieder *session = lieder_create(NULL);
    LiederSystem *system = load_scalar(session, plant, NULL);
    LiederSimulateOptions o = lieder_simulate_defaults();
    LiederHandle u;
    o.solver = LIEDER_RK4;
    o.step = 1e-2;
    assert_int_equal(lieder_system_set(system, "T", T), LIEDER_DONE);
    assert_int_equal(lieder_handle_find(system, "u", &u), LIEDER_DONE);
    LiederStepper *s = lieder_stepper_create(system, &o);
    assert_non_null(s);
    for (size_t i = 0; i < n; i++) {
        double x = lieder_stepper_state(s)[0];
        values[i] = x;
        /* u = -2 y of the communication point: a Gain closes the loop */
        assert_int_equal(lieder_handle_set(system, &u, -2 * x), LIEDER_DONE);
        assert_int_equal(lieder_stepper_step(s, (size_t)(h / 1e-2 + 0.5)), LIEDER_DONE);
    }
    lieder_stepper_destroy(s);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

static void check_loop(int version, bool in_process)
{
    char text[600];
    double expected[11];
    snprintf(text, sizeof text,
             "model Loop FMU plant(file = \"plant%d.fmu\", T = 0.2); Signals.Gain gain(k = -2); "
             "equation connect(plant.y, gain.u); connect(gain.y, plant.u); end Loop;",
             version);
    Result r = run_text(text, "gain.u", 0.5, 0.05, in_process);
    if (r.status != LIEDER_DONE)
        fprintf(stderr, "%s", r.message);
    assert_int_equal(r.status, LIEDER_DONE);
    assert_int_equal(r.n, 11);
    expect_loop(0.05, 0.2, expected, 11);
    for (size_t i = 0; i < 11; i++)
        assert_true(r.values[i] == expected[i]);
}

static void test_loop(void **state)
{
    (void)state;
    export_plant(3, "plant3.fmu");
    export_plant(2, "plant2.fmu");
    check_loop(3, false);
    check_loop(2, false);
    check_loop(3, true);
    check_loop(2, true);
}

/* the FMU `from` with another text in its description */
static void change_description(const char *from, const char *to, const char *was, const char *is)
{
    char path[256];
    Unzip u;
    Zip zip = {.alloc = &memory_default};
    assert_true(unzip_open(&u, &memory_default, in_folder(from, path)));
    for (size_t i = 0; i < u.entries.n; i++) {
        TextBuffer text = {0}, changed = {0};
        assert_true(unzip_read(&u, &u.entries.items[i], &text));
        const char *at = strcmp(u.entries.items[i].name, "modelDescription.xml") == 0
                             ? strstr(text.items, was)
                             : NULL;
        if (at) {
            assert_true(text_add(&memory_default, &changed, "%.*s%s%s", (int)(at - text.items),
                                 text.items, is, at + strlen(was)));
            zip_add(&zip, u.entries.items[i].name, changed.items, changed.n);
        } else {
            zip_add(&zip, u.entries.items[i].name, text.items, u.entries.items[i].size);
        }
        vec_drop(&memory_default, &text);
        vec_drop(&memory_default, &changed);
    }
    assert_true(zip_end(&zip));
    FILE *file = fopen(in_folder(to, path), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(zip.bytes.items, 1, zip.bytes.n, file), zip.bytes.n);
    fclose(file);
    zip_drop(&zip);
    unzip_close(&u);
}

/* a variable whose name is a word of the language stands in quotes */
static void test_words(void **state)
{
    (void)state;
    double expected[11];
    expect_loop(0.05, 0.2, expected, 11);
    change_description("plant3.fmu", "words.fmu", "name=\"y\"", "name=\"end\"");
    Result r = run_text("model Loop FMU plant(file = \"words.fmu\", T = 0.2); Signals.Gain gain(k "
                        "= -2); equation connect(plant.'end', gain.u); connect(gain.y, plant.u); "
                        "end Loop;",
                        "gain.u", 0.5, 0.05, false);
    if (r.status != LIEDER_DONE)
        fprintf(stderr, "%s", r.message);
    assert_int_equal(r.status, LIEDER_DONE);
    for (size_t k = 0; k < 11; k++)
        assert_true(r.values[k] == expected[k]);
}

/* a component called fmu is one like any other, at the top and below */
static void test_names(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "model Loop FMU fmu(file = \"plant3.fmu\", T = 0.2); Signals.Gain gain(k = -2); equation "
        "connect(fmu.y, gain.u); connect(gain.y, fmu.u); end Loop;",
        "model Part FMU fmu1_x(file = \"plant3.fmu\", T = 0.2); Signals.Gain gain(k = -2); "
        "equation "
        "connect(fmu1_x.y, gain.u); connect(gain.y, fmu1_x.u); end Part; model Loop Part fmus; end "
        "Loop;"};
    double expected[11];
    expect_loop(0.05, 0.2, expected, 11);
    for (int i = 0; i < 2; i++) {
        Result r = run_text(texts[i], i ? "fmus.gain.u" : "gain.u", 0.5, 0.05, false);
        assert_int_equal(r.status, LIEDER_DONE);
        for (size_t k = 0; k < 11; k++)
            assert_true(r.values[k] == expected[k]);
    }
}

/* Numbers that are remembered between events are kept from point to point: a sampled controller
 * beside an FMU of x' = u - x/T is what its formulas say. */
static void test_discrete(void **state)
{
    (void)state;
    static const char text[] =
        "model M FMU plant(file = \"plant3.fmu\"); discrete Real u(start = 0), n(start = 0); "
        "Signals.Gain gain(k = 1); equation gain.u = u; connect(gain.y, plant.u); "
        "when sample(0, 0.1) then n = pre(n) + 1; u = 0.5*pre(u) + 1 - n; end when; end M;";
    export_plant(3, "plant3.fmu");
    double u = 0;
    Result r = run_text(text, "n", 1, 0.05, false);
    if (r.status != LIEDER_DONE)
        fprintf(stderr, "%s", r.message);
    assert_int_equal(r.status, LIEDER_DONE);
    for (size_t k = 0; k < 21; k++)
        assert_true(r.values[k] == (double)(1 + k / 2));
    r = run_text(text, "gain.y", 1, 0.05, false);
    assert_int_equal(r.status, LIEDER_DONE);
    for (size_t k = 0; k < 21; k++) {
        if (k % 2 == 0)
            u = 0.5 * u + 1 - (double)(1 + k / 2);
        assert_true(fabs(r.values[k] - u) < 1e-12 * (1 + fabs(u)));
    }
    r = run_text(text, "n", 0.97, 0.05, false);
    assert_true(r.status < 0);
    assert_non_null(strstr(r.message, "do not divide it"));
}

/* the FMU without its co-simulation */
static void make_exchange(const char *from, const char *to)
{
    char path[256];
    Unzip u;
    Zip zip = {.alloc = &memory_default};
    assert_true(unzip_open(&u, &memory_default, in_folder(from, path)));
    for (size_t i = 0; i < u.entries.n; i++) {
        TextBuffer text = {0};
        assert_true(unzip_read(&u, &u.entries.items[i], &text));
        char *at = strcmp(u.entries.items[i].name, "modelDescription.xml") == 0
                       ? strstr(text.items, "<CoSimulation")
                       : NULL;
        char *end = at ? strstr(at, "</CoSimulation>") : NULL; /* FMI 3: one element */
        end = at && !end ? strstr(at, "/>") : end;
        for (end = end ? strchr(end, '>') : NULL; end && end >= at; end--)
            *end = ' ';
        zip_add(&zip, u.entries.items[i].name, text.items, text.n);
        vec_drop(&memory_default, &text);
    }
    unzip_close(&u);
    assert_true(zip_end(&zip));
    FILE *file = fopen(in_folder(to, path), "w");
    assert_int_equal(fwrite(zip.bytes.items, 1, zip.bytes.n, file), zip.bytes.n);
    fclose(file);
    zip_drop(&zip);
}

/* model exchange alone: inputs at communication points, state and time events in between */
static void test_exchange(void **state)
{
    (void)state;
    static const char ball[] =
        "model Ball input Real g; output Real h(start = 1, fixed = true); Real v(start = 0, fixed "
        "= true); output Real n; discrete Real count(start = 0); equation der(h) = v; der(v) = -g; "
        "n "
        "= count; when h < 0 then reinit(v, -0.5*pre(v)); end when; when sample(0.1, 0.1) then "
        "count = pre(count) + 1; end when; end Ball;";
    for (int version = 2; version <= 3; version++) {
        char path[256], text[600];
        Lieder *session = lieder_create(NULL);
        LiederSystem *system = load_scalar(session, ball, NULL);
        FmiExport e = export_defaults(version);
        LiederStatus status = fmi_export(system, &e, in_folder("ball.fmu", path));
        if (status != LIEDER_DONE)
            lieder_diagnostic_print_all(session, stderr);
        assert_int_equal(status, LIEDER_DONE);
        lieder_system_destroy(system);
        lieder_destroy(session);
        make_exchange("ball.fmu", "exchange.fmu");
        snprintf(text, sizeof text,
                 "model M FMU b(file = \"exchange.fmu\"); Signals.Constant g(k = 10); Signals.Add "
                 "all(k2 = 100); equation connect(g.y, b.g); connect(b.h, all.u1); connect(b.n, "
                 "all.u2); end M;");
        Result r = run_text(text, "all.y", 0.75, 0.25, version == 3);
        if (r.status != LIEDER_DONE)
            fprintf(stderr, "%s", r.message);
        assert_int_equal(r.status, LIEDER_DONE);
        /* it falls 1 m with 10 m/s2, and rises with half of its velocity */
        double impact = sqrt(0.2), after = 0.75 - impact,
               h = 5 * impact * after - 5 * after * after;
        assert_true(fabs(r.values[r.n - 1] - (h + 700)) < 1e-6);
    }
}

/* two of one file have states of their own */
static void test_two(void **state)
{
    (void)state;
    Result r = run_text("model Two FMU a(file = \"plant3.fmu\"), b(file = \"plant3.fmu\", T = 1); "
                        "Signals.Constant one; Signals.Add difference(k2 = -1); equation "
                        "connect(one.y, a.u); connect(a.y, b.u); connect(a.y, difference.u1); "
                        "connect(b.y, difference.u2); end Two;",
                        "difference.y", 1, 0.05, false);
    assert_int_equal(r.status, LIEDER_DONE);
    assert_true(r.values[0] == 0 && fabs(r.values[r.n - 1]) > 0.1);
}

/* ------------------------------------------------------------------ FMUs that misbehave */

static const char description[] =
    "<?xml version=\"1.0\"?><fmiModelDescription fmiVersion=\"3.0\" modelName=\"Bad\" "
    "instantiationToken=\"{1}\"><CoSimulation modelIdentifier=\"Bad\"/><ModelVariables>"
    "<Float64 name=\"time\" valueReference=\"0\" causality=\"independent\"/>"
    "<Float64 name=\"y\" valueReference=\"1\" causality=\"output\"/></ModelVariables>"
    "<ModelStructure/></fmiModelDescription>";
static const char code[] =
    "#include <stddef.h>\n#include <stdlib.h>\n#include <unistd.h>\n#include <stdbool.h>\n#include "
    "<stdint.h>\n#include <math.h>\n"
    "static int one;\n"
    "void *fmi3InstantiateCoSimulation(const char *n, const char *t, const char *r, bool a, bool "
    "b,\n"
    "  bool c, bool d, const uint32_t *e, size_t f, void *g, void *h, void *i)\n"
    "{ return INSTANTIATE; }\n"
    "int fmi3EnterInitializationMode(void *m, bool a, double b, double c, bool d, double e) "
    "{return 0;}\n"
    "int fmi3ExitInitializationMode(void *m) { return 0; }\n"
    "int fmi3Terminate(void *m) { return 0; }\nvoid fmi3FreeInstance(void *m) { }\n"
    "int fmi3GetFloat64(void *m, const uint32_t *v, size_t n, double *x, size_t k)\n"
    "{ x[0] = VALUE; return 0; }\n"
    "int fmi3DoStep(void *m, double t, double h, bool p, bool *a, bool *b, bool *c, double *r)\n"
    "{ STEP; return 0; }\n";

/* an FMU whose code is compiled with some of the words above defined */
static void make_bad(const char *name, const char *defines)
{
    char command[1024], path[256], c[256], so[256];
    FILE *file = fopen(in_folder("bad.c", c), "w");
    assert_non_null(file);
    fputs(code, file);
    fclose(file);
    in_folder("bad.so", so);
    snprintf(command, sizeof command, "cc -w -shared -fPIC %s %s -o %s", defines, c, so);
    assert_int_equal(system(command), 0);
    TextBuffer binary = {0};
    file = fopen(so, "r");
    assert_true(vec_resize(&memory_default, &binary, 1 << 20));
    binary.n = fread(binary.items, 1, binary.n, file);
    fclose(file);
    Zip zip = {.alloc = &memory_default};
    zip_add(&zip, "modelDescription.xml", description, sizeof description - 1);
    zip_add(&zip, "binaries/x86_64-linux/Bad.so", binary.items, binary.n);
    assert_true(zip_end(&zip));
    file = fopen(in_folder(name, path), "w");
    assert_int_equal(fwrite(zip.bytes.items, 1, zip.bytes.n, file), zip.bytes.n);
    fclose(file);
    zip_drop(&zip);
    vec_drop(&memory_default, &binary);
}

static void expect_failure(const char *name, const char *words)
{
    char text[300];
    snprintf(text, sizeof text, "model M FMU part(file = \"%s\"); end M;", name);
    Result r = run_text(text, NULL, 1, 0.25, false);
    if (!strstr(r.message, words))
        fprintf(stderr, "%s: %s\n", name, r.message);
    assert_true(r.status < 0);
    assert_non_null(strstr(r.message, words));
    assert_non_null(strstr(r.message, name));
}

static void test_misbehaviour(void **state)
{
    (void)state;
    make_bad("good.fmu", "-DINSTANTIATE='&one' -DVALUE=3 -DSTEP=''");
    Result r = run_text("model M FMU part(file = \"good.fmu\"); end M;", NULL, 1, 0.25, false);
    assert_int_equal(r.status, LIEDER_DONE);
    assert_int_equal(r.n, 5);
    make_bad("crash.fmu", "-DINSTANTIATE='&one' -DVALUE=3 -DSTEP='*(volatile int *)8 = 0'");
    expect_failure("crash.fmu", "part: the FMU");
    expect_failure("crash.fmu", "it crashed");
    make_bad("nan.fmu", "-DINSTANTIATE='&one' -DVALUE='(one++ ? NAN : 3)' -DSTEP=''");
    expect_failure("nan.fmu", "not finite");
    make_bad("fail.fmu", "-DINSTANTIATE='&one' -DVALUE=3 -DSTEP='return 3'");
    expect_failure("fail.fmu", "its step failed");
    make_bad("none.fmu", "-DINSTANTIATE=NULL -DVALUE=3 -DSTEP=''");
    expect_failure("none.fmu", "cannot be instantiated");
    make_bad("exit.fmu", "-DINSTANTIATE='&one' -DVALUE=3 -DSTEP='_exit(7)'");
    expect_failure("exit.fmu", "code 7");
    /* what our streams hold is not written by a child that calls exit */
    char path[256], text[32] = "";
    FILE *file = fopen(in_folder("stream", path), "w+");
    fputs("once", file);
    make_bad("leave.fmu", "-DINSTANTIATE='&one' -DVALUE=3 -DSTEP='exit(8)'");
    expect_failure("leave.fmu", "code 8");
    rewind(file);
    assert_int_equal(fread(text, 1, sizeof text, file), 4);
    fclose(file);
    /* one that closes everything and stays */
    make_bad(
        "deaf.fmu",
        "-DINSTANTIATE='&one' -DVALUE=3 -DSTEP='for (int f = 3; f < 64; f++) close(f); pause()'");
    expect_failure("deaf.fmu", "not at all");
}

/* one that never returns: the run is asked, and ends */
static void test_interrupted(void **state)
{
    (void)state;
    make_bad("hang.fmu", "-DINSTANTIATE='&one' -DVALUE=3 -DSTEP='for (;;) pause()'");
    impatient = true;
    Result r = run_text("model M FMU part(file = \"hang.fmu\"); end M;", NULL, 1, 0.25, false);
    impatient = false;
    assert_int_equal(r.status, LIEDER_STOPPED);
    assert_string_equal(r.message, "");
}

/* ------------------------------------------------------------------ archives */

/* an archive of one entry with this name */
static void write_named(const char *name, const char *entry)
{
    char path[256];
    Zip zip = {.alloc = &memory_default};
    zip_add(&zip, entry, "text", 4);
    assert_true(zip_end(&zip));
    FILE *file = fopen(in_folder(name, path), "w");
    fwrite(zip.bytes.items, 1, zip.bytes.n, file);
    fclose(file);
    zip_drop(&zip);
}

static void test_archives(void **state)
{
    (void)state;
    static const char *const names[] = {"../out", "/etc/out", "a/../../out", "a\\..\\out",
                                        "c:out",  "a/./b",    "..",          "a/.."};
    char path[256];
    Unzip u;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        write_named("named.fmu", names[i]);
        assert_false(unzip_open(&u, &memory_default, in_folder("named.fmu", path)));
        assert_non_null(strstr(u.wrong, "outside"));
        unzip_close(&u);
    }
    write_named("named.fmu", "a..b/c..");
    assert_true(unzip_open(&u, &memory_default, in_folder("named.fmu", path)));
    unzip_close(&u);
    /* every cut, and every byte changed: an answer, never a crash, never other bytes */
    FILE *file = fopen(path, "r");
    char bytes[300];
    size_t n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t k = 0; k < 2 * n; k++) {
        char other[300];
        memcpy(other, bytes, n);
        if (k >= n)
            other[k - n] ^= 0x41;
        file = fopen(in_folder("cut.fmu", path), "w");
        fwrite(other, 1, k < n ? k : n, file);
        fclose(file);
        TextBuffer text = {0};
        if (unzip_open(&u, &memory_default, path) && u.entries.n &&
            unzip_read(&u, &u.entries.items[0], &text))
            assert_memory_equal(text.items, "text", 4);
        vec_drop(&memory_default, &text);
        unzip_close(&u);
    }
    /* a file is never written over */
    write_named("named.fmu", "same");
    assert_true(unzip_open(&u, &memory_default, in_folder("named.fmu", path)));
    assert_true(unzip_extract(&u, folder, "same"));
    assert_false(unzip_extract(&u, folder, "same"));
    unzip_close(&u);
}

#define VARIABLES(text)                                                                            \
    "<fmiModelDescription fmiVersion=\"3.0\" instantiationToken=\"x\"><CoSimulation "              \
    "modelIdentifier=\"a\"/><ModelVariables>" text "</ModelVariables></fmiModelDescription>"

static void test_descriptions(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } wrong[] = {
        {"", "no element"},
        {"<a", "unclosed"},
        {"<fmiModelDescription fmiVersion=\"1.0\" guid=\"x\"/>", "neither"},
        {"<fmiModelDescription fmiVersion=\"3.0\"/>", "token"},
        {"<fmiModelDescription fmiVersion=\"3.0\" instantiationToken=\"x\"/>", "co-simulation"},
        {"<fmiModelDescription fmiVersion=\"3.0\" instantiationToken=\"x\"><CoSimulation "
         "modelIdentifier=\"a\"/><ModelVariables><Float64/></ModelVariables></fmiModelDescription>",
         "no name"},
        {"<fmiModelDescription fmiVersion=\"3.0\" instantiationToken=\"x\"><CoSimulation "
         "modelIdentifier=\"a\"/><ModelVariables><Float64 name=\"a\" "
         "valueReference=\"1\"><Dimension "
         "start=\"1000000000\"/></Float64></ModelVariables></fmiModelDescription>",
         "100000"},
        {VARIABLES("<Float64 name=\"a\" valueReference=\"1\"><Dimension start=\"2\"/><Dimension "
                   "valueReference=\"9\"/></Float64><UInt64 name=\"n\" valueReference=\"9\" "
                   "start=\"9223372036854775808\"/>"),
         "100000"},
        {VARIABLES("<Float64 name=\"a\" valueReference=\"1\"><Dimension "
                   "valueReference=\"9\"/></Float64>"),
         "size of an array"},
        {VARIABLES("<Float64 name=\"a\" valueReference=\"-1\"/>"), "32 bits"},
        {VARIABLES("<Float64 name=\"a\" valueReference=\"1\" causality=\"parameter\" start=\"1 "
                   "two\"/>"),
         "no finite number"},
        {VARIABLES("<Float64 name=\"a\" valueReference=\"1\" causality=\"parameter\" "
                   "start=\"INF\"/>"),
         "no finite number"},
        {VARIABLES("<Float64 name=\"a\" valueReference=\"a\"/>"), "32 bits"},
        {"<fmiModelDescription fmiVersion=\"3.0\" instantiationToken=\"x\"><CoSimulation "
         "modelIdentifier=\"../../a\"/></fmiModelDescription>",
         "no name of a file"},
        {"<fmiModelDescription fmiVersion=\"2.0\" guid=\"x\"><CoSimulation "
         "modelIdentifier=\"a\"/><ModelVariables><ScalarVariable name=\"a\" "
         "valueReference=\"1\"><Real start=\"1\"/><Real start=\"2\"/></ScalarVariable>"
         "</ModelVariables></fmiModelDescription>",
         "two types"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ForeignModel m;
        assert_false(foreign_read(&m, &memory_default, wrong[i].text, strlen(wrong[i].text)));
        if (!strstr(m.wrong, wrong[i].words))
            fprintf(stderr, "%s\n", m.wrong);
        assert_non_null(strstr(m.wrong, wrong[i].words));
        foreign_drop(&m);
    }
    Result r = run_text("model M FMU a(file = \"nowhere.fmu\"); end M;", NULL, 1, 0.1, false);
    assert_true(r.status < 0);
    assert_non_null(strstr(r.message, "nowhere.fmu"));
    r = run_text("model M parameter Real p = 1; FMU a(file = p); end M;", NULL, 1, 0.1, false);
    assert_non_null(strstr(r.message, "text in quotes"));
    /* where nobody reads FMUs, a model with one is refused */
    Lieder *session = lieder_create(NULL);
    assert_int_equal(
        lieder_load_text(session, "m.mo", "model M FMU a(file = \"plant3.fmu\"); end M;"),
        LIEDER_BAD_MODEL);
    lieder_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loop),         cmocka_unit_test(test_two),
        cmocka_unit_test(test_names),        cmocka_unit_test(test_words),
        cmocka_unit_test(test_exchange),     cmocka_unit_test(test_discrete),
        cmocka_unit_test(test_misbehaviour), cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_archives),     cmocka_unit_test(test_descriptions)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
