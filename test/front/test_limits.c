/* test_limits.c - what hostile and large texts may cost: steps, memory, stack, and how the work
 * grows; libraries that are read when they are asked for. */
#include "front_help.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "front/instance/semantic.h"

/* the first error holds the text; the model is refused */
static void assert_refused(const char *text, FrontLimits limits, const char *says, int line)
{
    Built b = {.session = lieder_create(NULL)};
    b.front = front_create(b.session);
    front_set_limits(b.front, limits);
    b.status = front_load_text(b.front, "test.mo", text);
    if (b.status == LIEDER_DONE)
        b.status = front_instantiate(b.front, front_last_model(b.front), NULL, 0, NULL, &b.model);
    assert_int_equal(b.status, LIEDER_BAD_MODEL);
    const LiederDiagnostic *d = lieder_diagnostic_get(b.session, 0);
    assert_non_null(d);
    if (!strstr(d->message, says))
        fail_msg("\"%s\" instead of \"%s\"", d->message, says);
    assert_int_equal(d->line, line);
    drop(&b);
}

/* each of these would run for minutes; the message names the line where the budget ended */
static void test_steps(void **state)
{
    (void)state;
    /* arrays are written out, as those are that cannot stay loops */
    const FrontLimits few = {.steps = 200000, .loops = SIZE_MAX};
    assert_refused("model M\nDialectic.Translational.Fixed a; Dialectic.Translational.Body b;\n"
                   "equation\nfor i in 1:1000000000 loop\nconnect(a.flange_b, b.flange_a);\n"
                   "end for;\nend M;",
                   few, "more than 200000 steps", 5);
    assert_refused("model M\nDialectic.Translational.Fixed a; Dialectic.Translational.Body b;\n"
                   "equation\nfor i in 1:100, j in 1:100, k in 1:100, l in 1:100, m in 1:100 loop\n"
                   "for n in 1:100, o in 1:100, p in 1:100, q in 1:100, r in 1:100 loop\n"
                   "connect(a.flange_b, b.flange_a);\nend for; end for;\nend M;",
                   few, "more than 200000 steps", 6);
    assert_refused("package P\nfunction f\ninput Integer n; output Real y;\nalgorithm\n"
                   "y := if n == 0 then 1 else f(n - 1) + f(n - 1);\nend f;\n"
                   "model M parameter Real x = f(60); end M;\nend P;",
                   few, "more than 200000 steps", 5);
    assert_refused("model M\nparameter Real x = sum(i for i in 1:100000000);\nend M;", few,
                   "more than 200000 steps", 2);
    assert_refused("package P function f output Real y; algorithm y := 0;\nwhile true loop\n"
                   "y := y + 1; end while; end f; model M parameter Real x = f(); end M; end P;",
                   few, "more than 200000 steps", 2);
    /* loops of equations are written out: which one, and for what */
    assert_refused("model M\nReal T[20000](each start = 1);\nequation\n"
                   "for i in 1:19999 loop\nder(T[i]) = T[i + 1] - T[i];\nend for;\n"
                   "T[20000] = 0;\nend M;",
                   few, "the loop over 'i' in line 4 has become", 5);
    assert_refused("model M\nReal T[20000](each start = 1);\nequation\n"
                   "for i in 1:19999 loop\nder(T[i]) = T[i + 1] - T[i];\nend for;\n"
                   "T[20000] = 0;\nend M;",
                   few, "one for each T[i]; 'T' alone has 20000 elements", 5);
    /* variables and expressions of these count as well */
    assert_refused("model M\nReal x[1000000000](each start = 1);\nequation der(x) = -x;\nend M;",
                   few, "more than 200000 steps", 2);
    assert_refused("model M\nReal x[1000000000](each start = 1);\nequation der(x) = -x;\nend M;",
                   few, "'x' alone has 1000000000 elements", 2);
    assert_refused("model M\nReal x[1000, 1000, 1000];\nequation der(x) = -x;\nend M;", few,
                   "more than 200000 steps", 2);
    assert_refused("model M Real y(start = 0); equation\nder(y) = sum(y*i for i in 1:100000000);\n"
                   "end M;",
                   few, "more than 200000 steps", 2);
    assert_refused("package P function f input Real u; output Real y; algorithm y := 0;\n"
                   "for i in 1:1000000000 loop y := y + u*i; end for; end f;\n"
                   "model M Real z(start = 0); equation der(z) = f(z); end M; end P;",
                   few, "more than 200000 steps", 2);
    assert_refused("model M Real x(start = 0); discrete Real k[2000]; equation der(x) = 1;\n"
                   "for i in 1:2000 loop\nwhen x > i then\nk[i] = pre(k[i]) + 1;"
                   " end when; end for;\nend M;",
                   few, "more than 200000 steps", 3);
    /* and so does what comes after reading: each equation holds all unknowns */
    assert_refused("model M\nReal x[100](each start = 1); Real y[100];\nequation der(x) = -y;\n"
                   "for i in 1:100 loop y[i] + sum(y)*1e-4 = x[i]; end for;\nend M;",
                   few, "more than 200000 steps", 1);
}

static void test_memory(void **state)
{
    (void)state;
    const FrontLimits few = {.memory = 4 << 20, .loops = SIZE_MAX};
    assert_refused("model M\nparameter Real x[:] = fill(1.0, 1000000);\nend M;", few,
                   "more than 4 MB", 2);
    assert_refused("package P function f input Integer n; output String s; algorithm s := \"a\";\n"
                   "for i in 1:n loop\ns := s + s; end for; end f;\n"
                   "model M parameter String s = f(60); end M; end P;",
                   few, "more than 4 MB", 3);
    assert_refused("model M\nparameter Real x[:] = {i for i in 1:10000000};\nend M;", few,
                   "more than 4 MB", 2);
    assert_refused("model M\nReal x[100000](each start = 1);\nequation der(x) = -x;\nend M;", few,
                   "more than 4 MB", 3);
    /* the front end can be used again */
    Built b = {.session = lieder_create(NULL)};
    b.front = front_create(b.session);
    front_set_limits(b.front, few);
    front_load_text(b.front, "a.mo",
                    "model M parameter Integer n = 1000000;"
                    " parameter Real x[:] = fill(1.0, n); end M;");
    const FrontOverride small = {.name = "n", .value = "10"};
    assert_int_equal(front_instantiate(b.front, "M", NULL, 0, NULL, &b.model), LIEDER_BAD_MODEL);
    assert_int_equal(front_instantiate(b.front, "M", &small, 1, NULL, &b.model), LIEDER_DONE);
    drop(&b);
}

/* recursion of calls does not pile up memory: 2^16 calls in a megabyte */
static void test_recursion(void **state)
{
    (void)state;
    Built b = {.session = lieder_create(NULL)};
    b.front = front_create(b.session);
    front_set_limits(b.front, (FrontLimits){.memory = 2 << 20});
    front_load_text(b.front, "a.mo",
                    "package P function f input Integer n; output Real y; algorithm"
                    " y := if n == 0 then 1 else f(n - 1) + f(n - 1); end f;"
                    " model M Dialectic.Translational.Body b(m = f(16)); end M; end P;");
    assert_int_equal(front_instantiate(b.front, "P.M", NULL, 0, NULL, &b.model), LIEDER_DONE);
    drop(&b);
}

/* ------------------------------------------------------------------ small stacks */

static const char *nested(const char *before, const char *open, size_t n, const char *middle,
                          const char *close, const char *after)
{
    size_t size =
        strlen(before) + n * (strlen(open) + strlen(close)) + strlen(middle) + strlen(after) + 1;
    char *text = malloc(size), *to = text;
    to += sprintf(to, "%s", before);
    for (size_t i = 0; i < n; i++)
        to += sprintf(to, "%s", open);
    to += sprintf(to, "%s", middle);
    for (size_t i = 0; i < n; i++)
        to += sprintf(to, "%s", close);
    sprintf(to, "%s", after);
    return text;
}

/* loads and instantiates whatever it says; what counts is that it comes back */
static void *survive(void *user)
{
    const char *text = user;
    Lieder *session = lieder_create(NULL);
    Front *front = front_create(session);
    const char *model;
    size_t nerror = 0;
    if (front && front_load_text(front, "deep.mo", text) == LIEDER_DONE)
        front_instantiate(front, front_last_model(front), NULL, 0, NULL, &model);
    nerror = lieder_diagnostic_count(session);
    front_destroy(front);
    lieder_destroy(session);
    return (void *)nerror;
}

/* a thread with 256 kB, as embedding programs have them */
static size_t survive_in_thread(const char *text)
{
    pthread_attr_t attributes;
    pthread_t thread;
    void *result = NULL;
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstacksize(&attributes, 256 * 1024), 0);
    assert_int_equal(pthread_create(&thread, &attributes, survive, (void *)text), 0);
    pthread_join(thread, &result);
    pthread_attr_destroy(&attributes);
    free((void *)text);
    return (size_t)result;
}

static void test_small_stack(void **state)
{
    (void)state;
    for (size_t n = 10; n <= 100000; n *= 10) {
        size_t least = n >= 1000; /* so many must be refused, a few must pass */
        assert_true(survive_in_thread(nested("model M parameter Real x = ", "(", n, "1", ")",
                                             "; end M;")) >= least);
        survive_in_thread(nested("model M parameter Real x = ", "-(", n, "1", ")", "; end M;"));
        survive_in_thread(nested("model M parameter Real x = ", "abs(1+", n, "1", ")", "; end M;"));
        survive_in_thread(nested("model M parameter Real x[:] = ", "{", n, "1", "}", "; end M;"));
        survive_in_thread(
            nested("model M parameter Real x = ", "if true then ", n, "1", " else 2", "; end M;"));
        survive_in_thread(nested("model M parameter Real x[3] = {1,2,3}; parameter Integer i = ",
                                 "integer(x[", n, "1", "])", "; end M;"));
        survive_in_thread(nested("model M Real x", "(a", n, "=1", ")", "; end M;"));
        survive_in_thread(
            nested("model M equation ", "if true then ", n, "", " end if;", " end M;"));
        survive_in_thread(nested("", "package P ", n, "", " end P;", ""));
    }
    assert_int_equal(survive_in_thread(nested("model M parameter Real x = ", "(", 10, "1", ")",
                                              "; Dialectic.Translational.Fixed f; end M;")),
                     0);
    /* a function that calls itself for ever, and parameters that hang on each other */
    assert_int_equal(survive_in_thread(strdup(
                         "package P function f input Real x; output Real y; algorithm y := f(x);"
                         " end f; model M parameter Real x = f(1); end M; end P;")),
                     1);
}

/* ------------------------------------------------------------------ extends */

static void add(char **to, const char *format, int a, int b, int c, int d)
{
    *to += sprintf(*to, format, a, b, c, d);
}

/* a class that is inherited on two ways is there once, whichever way its names are used */
static void test_diamonds(void **state)
{
    (void)state;
    char text[20000], *to = text;
    to += sprintf(to, "package P model A0 parameter Real x = 1; end A0;");
    for (int k = 1; k <= 40; k++) {
        add(&to, "model B%d extends A%d; parameter Real b%d = x + %d; end B%1$d;", k, k - 1, k, k);
        add(&to, "model C%d extends A%d; parameter Real c%d = x - %d; end C%1$d;", k, k - 1, k, k);
        add(&to, "model A%d extends B%d; extends C%d; end A%d;", k, k, k, k);
    }
    sprintf(to, "model M extends A40(x = 3); Dialectic.Translational.Fixed b(s = b7 - c40 + c1);"
                " end M; end P;");
    Built b = build(text);
    assert_float_equal(get(&b, "b.s"), (3 + 7) - (3 - 40) + (3 - 1), 0);
    drop(&b);
}

/* a long chain is no cycle; too long a chain says what it is */
static void test_chain(void **state)
{
    (void)state;
    for (int n = 130; n <= 1300; n *= 10) {
        char *text = malloc(100000), *to = text;
        to += sprintf(to, "package P model A0 parameter Real x = 1; end A0;");
        for (int k = 1; k <= n; k++)
            add(&to, "model A%d extends A%d; end A%d;", k, k - 1, k, 0);
        sprintf(to, "model M extends A%d; Dialectic.Translational.Fixed f(s = x); end M; end P;",
                n);
        if (n == 130) {
            Built b = build(text);
            assert_float_equal(get(&b, "f.s"), 1, 0);
            drop(&b);
        } else {
            assert_refused(text, (FrontLimits){0}, "in a row", 1);
        }
        free(text);
    }
}

/* ------------------------------------------------------------------ how the work grows */

static size_t steps_for(size_t n, const char *class_name, bool wrong)
{
    char *text = malloc(200 + n * 80), *to = text;
    to += sprintf(to, "model M\n");
    for (size_t k = 0; k < n; k++)
        to += sprintf(to, "%s u%zu(s = %zu);\n", class_name, k, k);
    sprintf(to, "end M;\n");
    Lieder *session = lieder_create(NULL);
    Front *front = front_create(session);
    const char *model;
    assert_int_equal(front_load_text(front, "many.mo", text), LIEDER_DONE);
    LiederStatus status = front_instantiate(front, "M", NULL, 0, NULL, &model);
    assert_int_equal(status, wrong ? LIEDER_BAD_MODEL : LIEDER_DONE);
    size_t steps = front->steps, imports = front->nimport;
    assert_int_equal(imports, 0); /* a class without imports costs no look at its elements */
    front_destroy(front);
    lieder_destroy(session);
    free(text);
    return steps;
}

/* one component more costs the same number of steps, right or wrong */
static void test_growth(void **state)
{
    (void)state;
    size_t a = steps_for(1000, "Dialectic.Translational.Fixed", false),
           b = steps_for(2000, "Dialectic.Translational.Fixed", false),
           c = steps_for(4000, "Dialectic.Translational.Fixed", false);
    assert_int_equal(c - b, 2 * (b - a));
    a = steps_for(1000, "Nowhere", true), b = steps_for(2000, "Nowhere", true),
    c = steps_for(4000, "Nowhere", true);
    assert_int_equal(c - b, 2 * (b - a));
}

/* ------------------------------------------------------------------ which model, which names */

static void test_default_model(void **state)
{
    (void)state;
    Built b = build("package P model Whole Dialectic.Translational.Fixed f(s = 3);"
                    " annotation(experiment(StopTime = 2)); end Whole;"
                    " model Part Dialectic.Translational.Flange a; Dialectic.Translational.Body b;"
                    " equation connect(a, b.flange_a); end Part; end P;");
    assert_float_equal(get(&b, "f.s"), 3, 0);
    drop(&b);
    b = build("package 'p.q' model 'a.b' Dialectic.Translational.Fixed f(s = 4); end 'a.b';"
              " end 'p.q';");
    assert_float_equal(get(&b, "f.s"), 4, 0);
    assert_int_equal(front_instantiate(b.front, "'p.q'.'a.b'", NULL, 0, NULL, &b.model),
                     LIEDER_DONE);
    drop(&b);
}

static size_t count_warnings(const char *text, const char *says)
{
    Built b = build(text);
    size_t n = 0;
    for (size_t i = 0; i < lieder_diagnostic_count(b.session); i++)
        n += strstr(lieder_diagnostic_get(b.session, i)->message, says) != NULL;
    drop(&b);
    return n;
}

static void test_open_inputs(void **state)
{
    (void)state;
    /* gain open, one input of add open; that of the joint is meant, as is a value */
    assert_int_equal(count_warnings("model M Dialectic.Translational.Fixed a;"
                                    " Dialectic.Translational.Joint j;"
                                    " Dialectic.Translational.Body b; Signals.Gain g(k = 2);"
                                    " Signals.Add add; Signals.Gain meant(u = 0);"
                                    " equation connect(a.flange_b, j.flange_a);"
                                    " connect(j.flange_b, b.flange_a); connect(g.y, add.u1);"
                                    " end M;",
                                    "is open and zero"),
                     2);
    /* a force that nothing drives does nothing; one of three components is enough */
    static const char force[] = "model M Dialectic.Translational.Fixed a;"
                                " Dialectic.Translational.Joint j; Dialectic.Translational.Body b;"
                                " Dialectic.Translational.Force f%s; equation"
                                " connect(a.flange_b, j.flange_a);"
                                " connect(j.flange_b, b.flange_a);"
                                " connect(f.flange, b.flange_a); end M;";
    char text[600];
    snprintf(text, sizeof text, force, "");
    assert_int_equal(count_warnings(text, "'f' of 'f' is open and zero"), 1);
    snprintf(text, sizeof text, force, "(f = 0)");
    assert_int_equal(count_warnings(text, "is open and zero"), 0);
    static const char planar[] =
        "model M Dialectic.Planar.Fixed a; Dialectic.Planar.Prismatic p(r = {1, 0});"
        " Dialectic.Planar.Body b; Dialectic.Planar.WorldForce f;"
        " Signals.Constant c; equation connect(a.frame, p.frame_a);"
        " connect(p.frame_b, b.frame_a); connect(f.frame, b.frame_a);"
        " %s end M;";
    snprintf(text, sizeof text, planar, "");
    assert_int_equal(count_warnings(text, "is open and zero"), 1); /* at one place */
    snprintf(text, sizeof text, planar, "connect(c.y, f.fx);");
    assert_int_equal(count_warnings(text, "is open and zero"), 0);
    /* through a model of one's own */
    static const char part[] = "package P block Half Signals.RealInput u; Signals.RealOutput y;"
                               " Signals.Gain g(k = 0.5); equation connect(u, g.u);"
                               " connect(g.y, y); end Half; model M Half h; Signals.Constant c;"
                               " %s end M; end P;";
    snprintf(text, sizeof text, part, "");
    assert_int_equal(count_warnings(text, "'u' of 'h' is open and zero"), 1);
    snprintf(text, sizeof text, part, "equation connect(c.y, h.u);");
    assert_int_equal(count_warnings(text, "is open and zero"), 0);
}

/* ------------------------------------------------------------------ libraries */

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *to = fopen(path, "w");
    assert_non_null(to);
    fputs(text, to);
    fclose(to);
}

static void make_folder(const char *folder, const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

/* a file that is not asked for is not read: it may be wrong */
static void test_library(void **state)
{
    (void)state;
    char folder[] = "/tmp/lieder_library_XXXXXX", command[100];
    assert_non_null(mkdtemp(folder));
    make_folder(folder, "Parts 1.0");
    make_folder(folder, "Parts 2.0");
    make_folder(folder, "Parts 2.0/Deep");
    write_file(folder, "Parts 1.0/package.mo",
               "package Parts annotation(version = \"1.0\"); end Parts;");
    write_file(folder, "Parts 1.0/Ball.mo",
               "within Parts; model Ball = Dialectic.Translational.Fixed(s = 1);");
    write_file(folder, "Parts 2.0/package.mo",
               "package Parts annotation(version = \"2.0\"); end Parts;");
    write_file(folder, "Parts 2.0/Ball.mo",
               "within Parts; model Ball = Dialectic.Translational.Fixed(s = Deep.Heavy.mass);");
    write_file(folder, "Parts 2.0/Broken.mo", "within Parts; model Broken is not Modelica");
    write_file(folder, "Parts 2.0/Other.mo", "within Parts; model Another end Another;");
    write_file(folder, "Parts 2.0/Deep/package.mo", "within Parts; package Deep end Deep;");
    write_file(folder, "Parts 2.0/Deep/Heavy.mo",
               "within Parts.Deep; package Heavy constant Real mass = 20; end Heavy;");
    write_file(folder, "Single.mo", "model Single Parts.Ball ball; end Single;");
    static const struct {
        const char *text, *model, *says;
        double mass;
    } cases[] = {
        {"model M Parts.Ball b; end M;", "M", NULL, 20},
        {"model M Parts.Ball b; annotation(uses(Parts(version = \"1.0\"))); end M;", "M", NULL, 1},
        {"model M Single b; end M;", "M", NULL, NAN},
        {"model M import Parts.Ball; Ball b; end M;", "M", NULL, 20},
        {NULL, "Single", NULL, NAN},
        {"model M Parts.Broken b; end M;", "M", "expected", 0},
        {"model M Parts.Other b; end M;", "M", "must hold one class 'Other'", 0},
        {"model M Missing.Ball b; end M;", "M", "there is no class 'Missing.Ball'", 0},
    };
    /* package.mo stands for its folder */
    Built named = {.session = lieder_create(NULL)};
    char path[300];
    named.front = front_create(named.session);
    snprintf(path, sizeof path, "%s/Parts 2.0/package.mo", folder);
    assert_int_equal(front_load(named.front, path), LIEDER_DONE);
    assert_int_equal(front_load_text(named.front, "use.mo", "model M Parts.Ball b; end M;"),
                     LIEDER_DONE);
    assert_int_equal(front_instantiate(named.front, "M", NULL, 0, NULL, &named.model), LIEDER_DONE);
    drop(&named);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Built b = {.session = lieder_create(NULL)};
        b.front = front_create(b.session);
        assert_true(front_add_library(b.front, folder));
        if (cases[i].text)
            assert_int_equal(front_load_text(b.front, "use.mo", cases[i].text), LIEDER_DONE);
        b.status = front_instantiate(b.front, cases[i].model, NULL, 0, NULL, &b.model);
        if (cases[i].says) {
            assert_int_equal(b.status, LIEDER_BAD_MODEL);
            const char *message = lieder_diagnostic_get(b.session, 0)->message;
            if (strstr(cases[i].says, "there is no"))
                assert_non_null(strstr(lieder_diagnostic_get(b.session, 0)->advice, folder));
            if (strcmp(cases[i].says, "expected") != 0)
                assert_non_null(strstr(message, cases[i].says));
            /* a file that is broken is so the next time, too */
            b.status = front_instantiate(b.front, cases[i].model, NULL, 0, NULL, &b.model);
            assert_int_equal(b.status, LIEDER_BAD_MODEL);
        } else {
            if (b.status != LIEDER_DONE)
                lieder_diagnostic_print_all(b.session, stderr);
            assert_int_equal(b.status, LIEDER_DONE);
            b.system = lieder_system_create(b.session, b.model, NULL);
            if (!isnan(cases[i].mass))
                assert_float_equal(get(&b, "b.s"), cases[i].mass, 0);
        }
        drop(&b);
    }
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

static void count_bodies(const Class *class_, size_t *pending, size_t *read)
{
    if (class_->kind != CLASS_PACKAGE && class_->form == FORM_LONG)
        ++*(class_->pending ? pending : read);
    for (size_t i = 0; i < class_->elements.n; i++)
        if (class_->elements.items[i]->kind == EL_CLASS)
            count_bodies(class_->elements.items[i]->class_, pending, read);
}

/* a model costs the classes of the library that it uses: of the others only heads are read */
static void test_lazy_library(void **state)
{
    (void)state;
    Built b =
        build("model M\n  Dialectic.Translational.Fixed f;\n  Dialectic.Translational.Body b;\n"
              "  Electrical.Ground g;\nequation\n  connect(f.flange_b, b.flange_a);\nend M;");
    size_t pending = 0, read = 0;
    for (size_t i = 0; i < b.front->nlibrary; i++)
        count_bodies(b.front->tops.items[i]->class_, &pending, &read);
    assert_true(pending > 200);
    assert_true(read >= 4 && read < 12);
    drop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_recursion),    cmocka_unit_test(test_small_stack),
        cmocka_unit_test(test_diamonds),     cmocka_unit_test(test_chain),
        cmocka_unit_test(test_growth),       cmocka_unit_test(test_default_model),
        cmocka_unit_test(test_open_inputs),  cmocka_unit_test(test_library),
        cmocka_unit_test(test_lazy_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
