/* bench.c - time and memory, as ratios measured in one run.
 *
 * Each figure is the best of several repetitions; what is compared is measured in turn, so that a
 * noisy machine disturbs both. Prints a table and writes results/bench.json, one record per case.
 *
 *   lieder-bench [quick]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <lieder/lieder.h>

#include "front/front.h"

#include "flat.h"
#include "net.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static FILE *json;
static int nrecord;

static void record(const char *what, const char *how, size_t n, double ns, double instantiation,
                   double bytes)
{
    if (json)
        fprintf(json,
                "%s  {\"case\": \"%s\", \"evaluator\": \"%s\", \"n\": %zu, \"ns\": %.3f, "
                "\"instantiation_s\": %.6g, \"bytes\": %.1f}",
                nrecord++ ? ",\n" : "[\n", what, how, n, ns, instantiation, bytes);
}

/* a system that is measured, with its vectors */
typedef struct Subject {
    LiederSystem *system;
    double *x, *dx, seconds; /* instantiation */
    size_t nstate, bytes;
} Subject;

static Subject subject(Lieder *session, const char *class_name, size_t n, const char *argument,
                       LiederMethod method, double TD)
{
    static int count;
    char name[64];
    Subject s = {0};
    snprintf(name, sizeof name, "Bench%d", ++count);
    double begin = now();
    LiederModel *m = lieder_model_create(session, name, "");
    lieder_model_add(m, "world", "World");
    lieder_model_set(m, "world.TD", TD);
    if (argument) {
        char path[64];
        lieder_model_add(m, "unit", class_name);
        snprintf(path, sizeof path, "unit.%s", argument);
        lieder_model_set(m, path, (double)n);
    } else {
        lieder_model_add_array(m, "unit", class_name, n);
    }
    LiederSystemOptions o = lieder_system_defaults();
    o.method = method;
    s.system = lieder_system_create(session, name, &o);
    s.seconds = now() - begin;
    if (!s.system) {
        lieder_diagnostic_print_all(session, stderr);
        exit(1);
    }
    s.nstate = lieder_system_state_count(s.system);
    s.bytes = lieder_system_info(s.system).bytes;
    s.x = malloc(s.nstate * sizeof(double));
    s.dx = malloc(s.nstate * sizeof(double));
    for (size_t i = 0; i < s.nstate; i++)
        s.x[i] = 2.0 * rand() / RAND_MAX - 1.0;
    return s;
}

static void drop(Subject *s)
{
    lieder_system_destroy(s->system);
    free(s->x);
    free(s->dx);
}

static double *scratch;

/* ns per unit of one repetition */
static double time_engine(Subject *s, size_t n, size_t repeat)
{
    double begin = now();
    for (size_t i = 0; i < repeat; i++)
        if (lieder_system_derivatives(s->system, 0, s->x, s->dx) != LIEDER_DONE)
            exit(1);
    return (now() - begin) * 1e9 / (double)(n * repeat);
}

static double time_flat_crab(Subject *s, size_t n, size_t repeat)
{
    double begin = now();
    for (size_t i = 0; i < repeat; i++) {
        flat_crab(s->x, scratch, 1e-3, n);
        __asm__ volatile("" ::"r"(scratch) : "memory");
    }
    return (now() - begin) * 1e9 / (double)(n * repeat);
}

static double time_flat_chain(Subject *s, size_t n, size_t repeat)
{
    static double *work;
    static size_t room;
    if (room < n) {
        free(work);
        work = malloc((room = n) * 16 * sizeof(double));
    }
    double begin = now();
    for (size_t i = 0; i < repeat; i++) {
        flat_chain(s->x, scratch, work, 1e-3, 1.0 / (double)n, 1.0 / (double)n, n);
        __asm__ volatile("" ::"r"(scratch) : "memory");
    }
    return (now() - begin) * 1e9 / (double)(n * repeat);
}

static size_t repeats(size_t n, double ns)
{
    double wanted = 2e7 / ns / (double)n; /* 20 ms each */
    return wanted < 1 ? 1 : (size_t)wanted;
}

static double difference(const Subject *s)
{
    double most = 0;
    for (size_t i = 0; i < s->nstate; i++)
        most = fmax(most, fabs(s->dx[i] - scratch[i]) / (1 + fabs(scratch[i])));
    return most;
}

static void crabs(Lieder *session, bool quick)
{
    printf("\ncrane crabs, ns per crab and right-hand side\n"
           "%9s %9s %9s %9s %10s %10s %12s %12s\n",
           "n", "engine", "flat C", "paper", "flat/eng.", "paper/eng.", "bytes/crab",
           "start us/crab");
    for (size_t n = 1; n <= (quick ? 4096u : 1u << 20); n *= n < 65536 ? 4 : 16) {
        Subject s = subject(session, "Examples.CraneCrab", n, NULL, LIEDER_METHOD_AUTO, 1e-3);
        bool paper = n <= 65536;
        Subject p = {0};
        if (paper)
            p = subject(session, "Examples.CraneCrab", n, NULL, LIEDER_METHOD_PROBE, 1e-3);
        double best[3] = {1e30, 1e30, 1e30};
        for (int k = 0; k < 9; k++) {
            best[0] = fmin(best[0], time_engine(&s, n, repeats(n, 30)));
            best[1] = fmin(best[1], time_flat_crab(&s, n, repeats(n, 20)));
            if (paper && k < 4)
                best[2] = fmin(best[2], time_engine(&p, n, repeats(n, 800)));
        }
        if (difference(&s) > 1e-12)
            printf("engine and flat code differ by %g\n", difference(&s));
        double bytes = (double)(s.bytes + 2 * s.nstate * sizeof(double)) / (double)n;
        printf("%9zu %9.2f %9.2f ", n, best[0], best[1]);
        if (paper)
            printf("%9.1f %10.2f %10.1f", best[2], best[1] / best[0], best[2] / best[0]);
        else
            printf("%9s %10.2f %10s", "-", best[1] / best[0], "-");
        printf(" %12.1f %12.4f\n", bytes, s.seconds * 1e6 / (double)n);
        record("crane crab", "engine", n, best[0], s.seconds, bytes);
        record("crane crab", "flat", n, best[1], 0, 0);
        if (paper) {
            record("crane crab", "paper", n, best[2], p.seconds, 0);
            drop(&p);
        }
        drop(&s);
    }
}

static void chains(Lieder *session, bool quick)
{
    printf("\nchain of n planar links, ns per link and right-hand side\n"
           "%9s %9s %9s %10s %12s %12s\n",
           "n", "engine", "by hand", "engine/hand", "bytes/link", "start us/link");
    for (size_t n = 1; n <= (quick ? 10000u : 100000u); n = n == 1    ? 8
                                                            : n == 8  ? 64
                                                            : n == 64 ? 1000
                                                                      : n * 10) {
        Subject s = subject(session, "Examples.Chain", n, "n", LIEDER_METHOD_AUTO, 1e-3);
        double best[2] = {1e30, 1e30};
        for (int k = 0; k < 9; k++) {
            best[0] = fmin(best[0], time_engine(&s, n, repeats(n, 200)));
            best[1] = fmin(best[1], time_flat_chain(&s, n, repeats(n, 60)));
        }
        double bytes = (double)(s.bytes + 2 * s.nstate * sizeof(double)) / (double)n;
        printf("%9zu %9.1f %9.1f %10.2f %12.0f %12.3f\n", n, best[0], best[1], best[0] / best[1],
               bytes, s.seconds * 1e6 / (double)n);
        record("chain", "engine", n, best[0], s.seconds, bytes);
        record("chain", "flat", n, best[1], 0, 0);
        drop(&s);
    }
}

/* the model of a file as a class of the session, or NULL */
static const char *class_from_text(Front *front, const char *path, const char *TD)
{
    const char *name = NULL;
    const FrontOverride world = {"world.TD", TD};
    front_clear(front);
    bool ok =
        front_load(front, path) == LIEDER_DONE &&
        front_instantiate(front, front_last_model(front), &world, 1, NULL, &name) == LIEDER_DONE;
    return ok ? name : NULL;
}

/* What a dialectic right-hand side costs more than the classical one (paper 000, section 4.3): one
 * mass, and two with a spring between them, whose joints count from the ground or one from the
 * other. */
static void regimes(Lieder *session)
{
    Front *front = front_create(session);
    const char *path = "models/papers/000/two_masses.mo";
    const char *cases[][3] = {{"one mass", "Examples.SpringMass", "Examples.SpringMass"},
                              {"two, from the ground", "Examples.TwoMasses", "Examples.TwoMasses"},
                              {"two, one from the other", class_from_text(front, path, "0"),
                               class_from_text(front, path, "1e-3")}};
    printf("\nclassical (T_D = 0) and dialectic, ns per system and right-hand side\n"
           "%-24s %9s %9s %9s %10s\n",
           "", "n", "classical", "dialectic", "dial./cl.");
    for (int i = 0; i < 3 && cases[i][2]; i++)
        for (size_t n = 1; n <= 4096; n *= 64) {
            Subject classical = subject(session, cases[i][1], n, NULL, LIEDER_METHOD_AUTO, 0);
            Subject dialectic = subject(session, cases[i][2], n, NULL, LIEDER_METHOD_AUTO, 1e-3);
            double best[2] = {1e30, 1e30};
            for (int k = 0; k < 9; k++) {
                best[0] = fmin(best[0], time_engine(&classical, n, repeats(n, 30)));
                best[1] = fmin(best[1], time_engine(&dialectic, n, repeats(n, 30)));
            }
            printf("%-24s %9zu %9.2f %9.2f %10.2f\n", cases[i][0], n, best[0], best[1],
                   best[1] / best[0]);
            record(cases[i][0], "classical", n, best[0], classical.seconds, 0);
            record(cases[i][0], "dialectic", n, best[1], dialectic.seconds, 0);
            drop(&classical);
            drop(&dialectic);
        }
    lieder_diagnostic_print_all(session, stderr);
    front_destroy(front);
}

int main(int argc, char **argv)
{
    bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    Lieder *session = lieder_create(NULL);
    scratch = malloc((size_t)(1 << 22) * sizeof(double));
    if (!session || !scratch)
        return 1;
    mkdir("results", 0777);
    json = fopen("results/bench.json", "w");
    crabs(session, quick);
    chains(session, quick);
    regimes(session);
    bench_nets(quick, record);
    if (json) {
        fputs("\n]\n", json);
        fclose(json);
        printf("\nwritten: results/bench.json\n");
    }
    free(scratch);
    lieder_destroy(session);
    return 0;
}
