/* regimes.c - what a dialectic right-hand side costs more than the classical one (paper 000,
 * section 4.3): one mass, and two with a spring between them, whose joints count from the ground or
 * one from the other. */
#include "front/front.h"

#include "bench.h"

typedef struct Pair {
    const char *case_, *class_; /* class_ NULL: from the text of the paper's experiment */
    size_t n;
} Pair;

static const char *class_from_text(Front *front, double TD)
{
    const char *name = NULL;
    const FrontOverride world = {.name = "world.TD", .value = TD > 0 ? "1e-3" : "0"};
    bool ok =
        front_load(front, "models/papers/000/two_masses.mo") == LIEDER_DONE &&
        front_instantiate(front, front_last_model(front), &world, 1, NULL, &name) == LIEDER_DONE;
    return ok ? name : "?";
}

static void prepare(Subject *s, Front **front, const Pair *pair, double TD)
{
    subject_begin(s, pair->case_, TD > 0 ? "dialectic" : "classical", pair->n);
    *front = front_create(s->session);
    subject_array(s, pair->class_ ? pair->class_ : class_from_text(*front, TD), TD,
                  LIEDER_METHOD_AUTO);
}

static void compare(Bench *bench, const void *job)
{
    Subject s[2];
    Front *fronts[2];
    Runner runners[2];
    for (int i = 0; i < 2; i++) {
        prepare(&s[i], &fronts[i], job, i ? 1e-3 : 0);
        runners[i] = (Runner){.evaluate = subject_evaluate, .user = &s[i]};
    }
    race(runners, 2, (double)s[0].record.n);
    for (int i = 0; i < 2; i++) {
        s[i].record.ns = runners[i].ns;
        s[i].record.resident = s[i].record.bytes = 0; /* two systems in this process */
        bench_report(bench, &s[i].record);
        front_destroy(fronts[i]);
        subject_drop(&s[i]);
    }
}

void bench_regimes(Bench *bench)
{
    static const char *const cases[][2] = {{"one mass", "Examples.SpringMass"},
                                           {"two masses, from the ground", "Examples.TwoMasses"},
                                           {"two masses, one from the other", NULL}};
    for (int i = 0; i < 3; i++)
        for (size_t n = 1; n <= 4096; n *= 64)
            bench_run(bench, compare, &(Pair){cases[i][0], cases[i][1], n});
}
