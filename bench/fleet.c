/* fleet.c - crane crabs that know nothing of each other, 1 to 53 million.
 *
 * One evaluation by all ways there are; a whole run with RK4 from text to a result file; and crabs
 * whose parameters differ. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <lieder/simulate.h>

#include "front/front.h"
#include "record/record.h"

#include "bench.h"
#include "flat.h"

/* ------------------------------------------------------------------ one evaluation */

typedef struct Flat {
    const double *x;
    double *dx;
    size_t n;
} Flat;

static void evaluate_flat(void *user)
{
    Flat *f = user;
    flat_crab(f->x, f->dx, 1e-3, f->n);
    __asm__ volatile("" ::"r"(f->dx) : "memory");
}

enum { PAPER_MOST = 65536 }; /* crabs; beyond, the slowest way says nothing new */

static void evaluate_crabs(Bench *bench, const void *job)
{
    size_t n = *(const size_t *)job;
    Subject kernels, compiled, paper = {0};
    subject_begin(&kernels, "crane crab", "kernels", n);
    subject_array(&kernels, "Examples.CraneCrab", 1e-3, LIEDER_METHOD_AUTO);
    subject_begin(&compiled, "crane crab", "compiled", n);
    subject_array(&compiled, "Examples.CraneCrab", 1e-3, LIEDER_METHOD_AUTO);
    subject_compile(&compiled);
    if (n <= PAPER_MOST) {
        subject_begin(&paper, "crane crab", "paper", n);
        subject_array(&paper, "Examples.CraneCrab", 1e-3, LIEDER_METHOD_PROBE);
    }
    Flat flat = {kernels.x, calloc(kernels.nstate, sizeof(double)), n};
    Runner runners[] = {{.evaluate = evaluate_flat, .user = &flat},
                        {.evaluate = subject_evaluate, .user = &kernels},
                        {.evaluate = subject_evaluate, .user = &compiled},
                        {.evaluate = subject_evaluate, .user = &paper}};
    race(runners, paper.system ? 4 : 3, (double)n);
    if (!(difference(kernels.dx, flat.dx, kernels.nstate) < 1e-12 &&
          difference(compiled.dx, kernels.dx, kernels.nstate) == 0))
        bench_fail("crane crabs: the ways to evaluate them disagree");
    Record by_hand = {.case_ = "crane crab", .tier = "flat C", .n = n, .ns = runners[0].ns};
    kernels.record.ns = runners[1].ns;
    compiled.record.ns = runners[2].ns;
    compiled.record.resident = kernels.record.resident; /* a second system in this process */
    compiled.record.bytes = kernels.record.bytes;
    bench_report(bench, &by_hand);
    bench_report(bench, &kernels.record);
    bench_report(bench, &compiled.record);
    if (paper.system) {
        paper.record.ns = runners[3].ns;
        paper.record.resident = paper.record.bytes = 0;
        bench_report(bench, &paper.record);
        subject_drop(&paper);
    }
    free(flat.dx);
    subject_drop(&kernels);
    subject_drop(&compiled);
}

/* ------------------------------------------------------------------ from text to result */

typedef struct Run {
    size_t n, steps;
    bool compile;
    int rounds;
} Run;

/* four signals of the last crab go to a file */
typedef struct Result {
    LiederObserver *observer;
    Recorder recorder;
    double values[4];
} Result;

static void result_open(Result *r, const Subject *s)
{
    static const char *const signals[] = {"prismatic.s", "prismatic.v", "revolute.phi",
                                          "revolute.w"};
    char paths[4][64];
    RecordColumn columns[4] = {0};
    r->observer = lieder_observer_create(s->system);
    for (int i = 0; i < 4; i++) {
        snprintf(paths[i], sizeof paths[i], "crab[%zu].%s", s->record.n, signals[i]);
        columns[i].name = paths[i];
        if (!r->observer || lieder_observer_add(r->observer, paths[i]) != i)
            bench_fail("the fleet has no %s", paths[i]);
    }
    if (record_open(&r->recorder, NULL, "results/bench_fleet.csv", columns, 4, NULL) != LIEDER_DONE)
        bench_fail("%s", record_message(&r->recorder));
}

static bool result_row(void *user, double t, const double *x, LiederRow kind)
{
    Result *r = user;
    (void)kind;
    return lieder_observer_evaluate(r->observer, t, x, r->values) == LIEDER_DONE &&
           record_row(&r->recorder, t, r->values) == LIEDER_DONE;
}

/* one thread by the clock of the processor, several by the clock on the wall */
static double simulate(Subject *s, const Run *run, int threads)
{
    Result result;
    LiederSimulateOptions o = lieder_simulate_defaults();
    LiederStatistics statistics;
    result_open(&result, s);
    o.solver = LIEDER_RK4;
    o.step = 1e-3;
    o.stop = 1e-3 * (double)run->steps;
    o.interval = 1e-2;
    o.threads = threads;
    o.output = result_row;
    o.user = &result;
    double wall = clock_wall(), processor = clock_processor();
    LiederStatus status = lieder_simulate(s->system, &o, &statistics);
    double seconds = threads > 1 ? clock_wall() - wall : clock_processor() - processor;
    if (status != LIEDER_DONE || record_close(&result.recorder) != LIEDER_DONE ||
        statistics.steps != run->steps) {
        lieder_diagnostic_print_all(s->session, stderr);
        bench_fail("the fleet does not run");
    }
    lieder_observer_destroy(result.observer);
    return seconds;
}

static void run_fleet(Bench *bench, const void *job)
{
    const Run *run = job;
    Subject s;
    char size[24];
    const char *model = NULL;
    const FrontOverride n = {.name = "n", .value = size};
    snprintf(size, sizeof size, "%zu", run->n);
    subject_begin(&s, "fleet from text, RK4", run->compile ? "compiled" : "kernels", run->n);
    Front *front = front_create(s.session);
    if (front_load(front, "models/scale/Fleet.mo") != LIEDER_DONE ||
        front_instantiate(front, "Fleet", &n, 1, NULL, &model) != LIEDER_DONE)
        model = NULL;
    s.system = model ? lieder_system_create(s.session, model, NULL) : NULL;
    s.record.instantiation = clock_processor() - s.begin;
    if (!s.system) {
        lieder_diagnostic_print_all(s.session, stderr);
        bench_fail("models/scale/Fleet.mo: run from the root of the project");
    }
    if (run->compile)
        subject_compile(&s);
    double best[2] = {INFINITY, INFINITY};
    for (int k = 0; k < run->rounds; k++)
        for (int threads = 1; threads <= 2; threads++) {
            best[threads - 1] = fmin(best[threads - 1], simulate(&s, run, threads));
            if (threads == 1 && k == 0)
                subject_weigh(&s);
        }
    snprintf(s.record.solver, sizeof s.record.solver, "rk4");
    s.record.steps = run->steps;
    for (int threads = 1; threads <= 2; threads++) {
        s.record.threads = threads;
        s.record.ns = best[threads - 1] * 1e9 / (4.0 * (double)(run->n * run->steps));
        bench_report(bench, &s.record);
        subject_weigh(&s);
    }
    front_destroy(front);
    subject_drop(&s);
}

/* ------------------------------------------------------------------ unequal crabs */

typedef struct Unequal {
    size_t n;
    int nparameter; /* different for every crab */
} Unequal;

static void evaluate_unequal(Bench *bench, const void *job)
{
    static const char *const parameters[] = {"cart.m", "load.m",       "cart.g",     "load.g",
                                             "load.I", "prismatic.TD", "revolute.TD"};
    const Unequal *u = job;
    double *values = malloc(u->n * sizeof *values); /* before the floor: they are the caller's */
    for (size_t i = 0; i < u->n; i++)
        values[i] = 1 + (double)i / (double)u->n;
    Subject s;
    char name[48], path[64];
    snprintf(name, sizeof name, "crane crab, %d parameters differ", u->nparameter);
    subject_begin(&s, name, "kernels", u->n);
    LiederModel *m = lieder_model_create(s.session, "Unequal", "");
    lieder_model_add(m, "world", "World");
    lieder_model_add_array(m, "crab", "Examples.CraneCrab", u->n);
    for (int i = 0; i < u->nparameter; i++) {
        snprintf(path, sizeof path, "crab.%s", parameters[i]);
        lieder_model_set_each(m, path, values, u->n);
    }
    subject_ready(&s, "Unequal", LIEDER_METHOD_AUTO, -1, 1);
    Runner runner = {.evaluate = subject_evaluate, .user = &s};
    race(&runner, 1, (double)u->n);
    s.record.ns = runner.ns;
    bench_report(bench, &s.record);
    snprintf(s.record.tier, sizeof s.record.tier, "compiled");
    subject_compile(&s);
    race(&runner, 1, (double)u->n);
    s.record.ns = runner.ns;
    bench_report(bench, &s.record);
    subject_drop(&s);
    free(values);
}

/* ------------------------------------------------------------------ sizes */

/* about as much work for every n, in whole rows of ten steps */
static size_t steps_for(const Bench *bench, size_t n)
{
    double wanted = (bench->scope == BENCH_QUICK ? 4e6 : 2e7) / (double)n / 10;
    return 10 * (wanted < 1 ? 1 : wanted > 200 ? 200 : (size_t)wanted);
}

void bench_fleet(Bench *bench)
{
    static const size_t full[] = {4096, 65536, 1000000, 5500000};
    bool quick = bench->scope == BENCH_QUICK, huge = bench->scope == BENCH_HUGE;
    for (size_t n = 1; n <= (quick ? 4096u : 1u << 20) && !huge; n *= 4)
        bench_run(bench, evaluate_crabs, &n);
    for (int k = 0; k <= 7 && !huge; k += k == 0 ? 1 : 6)
        bench_run(bench, evaluate_unequal, &(Unequal){quick ? 100000 : 1000000, k});
    const size_t *sizes = huge ? bench->sizes : full;
    size_t nsize = huge ? bench->nsize : quick ? 2 : 4;
    for (size_t i = 0; i < nsize; i++)
        for (int compile = 0; compile <= 1; compile++)
            bench_run(bench, run_fleet,
                      &(Run){sizes[i], steps_for(bench, sizes[i]), compile, huge ? 1 : 3});
}
