/* start.c - from text to a result or a system: the program as users start it, instances of a class
 * of equations, and a text in which no two components are one declaration. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "front/front.h"

#include "bench.h"

/* ------------------------------------------------------------------ the program */

typedef struct Start {
    const char *case_, *file;
} Start;

/* seconds of the processor of one `lieder simulate FILE`, the program beside this one */
static double start_once(const char *file)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 16);
    if (n <= 0)
        bench_fail("where is the program?");
    path[n] = 0;
    strcpy(strrchr(path, '/') + 1, "lieder");
    struct rusage usage;
    int status;
    pid_t child = fork();
    if (child == 0) {
        execl(path, path, "simulate", file, "-q", "-o", "results/bench_start_result.csv",
              (char *)NULL);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0)
        bench_fail("lieder simulate %s does not run", file);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void start_program(Bench *bench, const void *job)
{
    const Start *s = job;
    Record r = {.tier = "program", .n = 1, .instantiation = 1e9};
    snprintf(r.case_, sizeof r.case_, "%s", s->case_);
    for (int k = 0; k < 30; k++) {
        double seconds = start_once(s->file);
        r.instantiation = seconds < r.instantiation ? seconds : r.instantiation;
    }
    remove("results/bench_start_result.csv");
    bench_report(bench, &r);
}

/* ------------------------------------------------------------------ instances of own equations */

static const char ode[] = "model Oscillator parameter Real k = 1, d = 0.1;\n"
                          "  Real x(start = 1), v(start = 0);\n"
                          "equation der(x) = v; der(v) = -k*x - d*v; end Oscillator;\n";

static void start_instances(Bench *bench, const void *job)
{
    size_t n = *(const size_t *)job;
    double *values = malloc(n * sizeof *values); /* before the floor: they are the caller's */
    const char *name = NULL;
    Subject s;
    for (size_t i = 0; values && i < n; i++)
        values[i] = 1 + (double)i / (double)n;
    subject_begin(&s, "own equations, two numbers differ", "text", n);
    Front *front = front_create(s.session);
    if (!values || front_load_text(front, "ode", ode) != LIEDER_DONE ||
        front_instantiate(front, "Oscillator", NULL, 0, NULL, &name) != LIEDER_DONE)
        bench_fail("the text of the oscillator is wrong");
    LiederModel *m = lieder_model_create(s.session, "Fleet", "");
    lieder_model_add_array(m, "unit", name, n);
    lieder_model_set_each(m, "unit.k", values, n);
    lieder_model_set_each(m, "unit.d", values, n);
    s.system = lieder_system_create(s.session, "Fleet", NULL);
    s.record.instantiation = clock_processor() - s.begin;
    if (!s.system)
        bench_fail("no fleet of oscillators");
    subject_weigh(&s);
    bench_report(bench, &s.record);
    free(values);
}

/* ------------------------------------------------------------------ a class */

/* an own joint of the plane whose parts hang on either frame: it is compiled for both orientations
 */
static const char joints[] =
    "model Joints inner Dialectic.World world; Dialectic.Planar.Fixed fixed;\n"
    "  OwnMechanics.Prismatic forward(r = {1, 0}), backward(r = {1, 0});\n"
    "  Dialectic.Planar.Body a, b;\n"
    "equation connect(fixed.frame, forward.frame_a); connect(forward.frame_b, a.frame_a);\n"
    "  connect(fixed.frame, backward.frame_b); connect(backward.frame_a, b.frame_a); end Joints;\n";

/* the least of some times from the loaded text to the system */
static void start_class(Bench *bench, const void *job)
{
    (void)job;
    Record best = {.instantiation = 1e9};
    for (int k = 0; k < 20; k++) {
        const char *name = NULL;
        Subject s;
        subject_begin(&s, "own class, both orientations", "text", 1);
        Front *front = front_create(s.session);
        if (front_load(front, "models/equations/OwnMechanics.mo") != LIEDER_DONE ||
            front_load_text(front, "joints", joints) != LIEDER_DONE)
            bench_fail("models/equations/OwnMechanics.mo: run from the root of the project");
        s.begin = clock_processor();
        if (front_instantiate(front, "Joints", NULL, 0, NULL, &name) != LIEDER_DONE)
            bench_fail("the joints were refused");
        s.system = lieder_system_create(s.session, name, NULL);
        s.record.instantiation = clock_processor() - s.begin;
        if (!s.system || lieder_system_state_count(s.system) != 4)
            bench_fail("the joints have other states");
        if (s.record.instantiation < best.instantiation)
            best = s.record;
        lieder_system_destroy(s.system);
        front_destroy(front);
        lieder_destroy(s.session);
    }
    bench_report(bench, &best);
}

/* ------------------------------------------------------------------ different components */

enum { CHAIN = 30 };

/* joints, rods and bodies, each with a name of its own */
static char *many_components(size_t n)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        bench_fail("out of memory");
    fputs("model Many\n  inner Dialectic.World world;\n  Dialectic.Planar.Fixed fixed;\n", f);
    for (size_t i = 0; i < n / 3; i++)
        fprintf(f,
                "  Dialectic.Planar.Revolute j%zu(phi(start = %g));\n"
                "  Dialectic.Planar.FixedTranslation r%zu(r = {0, -%g});\n"
                "  Dialectic.Planar.Body b%zu(m = %g);\n",
                i, 1e-6 * (double)i, i, 1 + 1e-6 * (double)i, i, 2 + 1e-6 * (double)i);
    fputs("equation\n", f);
    for (size_t i = 0; i < n / 3; i++) {
        if (i % CHAIN)
            fprintf(f, "  connect(r%zu.frame_b, j%zu.frame_a);\n", i - 1, i);
        else
            fprintf(f, "  connect(fixed.frame, j%zu.frame_a);\n", i);
        fprintf(f,
                "  connect(j%zu.frame_b, r%zu.frame_a);\n"
                "  connect(r%zu.frame_b, b%zu.frame_a);\n",
                i, i, i, i);
    }
    fputs("end Many;\n", f);
    fclose(f);
    return text;
}

static void start_components(Bench *bench, const void *job)
{
    size_t n = *(const size_t *)job;
    char *text = many_components(n);
    const char *name = NULL;
    Subject s;
    subject_begin(&s, "different components", "text", n);
    Front *front = front_create(s.session);
    if (front_load_text(front, "many", text) != LIEDER_DONE ||
        front_instantiate(front, "Many", NULL, 0, NULL, &name) != LIEDER_DONE)
        name = NULL;
    s.system = name ? lieder_system_create(s.session, name, NULL) : NULL;
    s.record.instantiation = clock_processor() - s.begin;
    if (!s.system) {
        lieder_diagnostic_print_all(s.session, stderr);
        bench_fail("the text of many components was refused");
    }
    subject_weigh(&s);
    bench_report(bench, &s.record);
}

void bench_start(Bench *bench)
{
    static const Start starts[] = {
        {"program, crane crab from text", "models/crane_crab.mo"},
        {"program, own equations from text", "models/equations/van_der_pol.mo"}};
    bool quick = bench->scope == BENCH_QUICK;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        bench_run(bench, start_program, &starts[i]);
    bench_run(bench, start_class, NULL);
    bench_run(bench, start_instances, &(size_t){quick ? 100000 : 1000000});
    for (size_t n = quick ? 5000 : 50000; n <= (quick ? 10000u : 100000u); n *= 2)
        bench_run(bench, start_components, &n);
}
