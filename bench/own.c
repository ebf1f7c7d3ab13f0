/* own.c - crane crabs of classes that a user writes (models/equations/OwnMechanics.mo) against
 * those of the library, without a compiler and with generated code, measured in one race. */
#include <stdio.h>

#include "bench.h"
#include "front/front.h"

typedef struct Crabs {
    Subject s;
    Front *front;
} Crabs;

static void crabs_begin(Crabs *c, const char *tier, size_t n, bool own, bool compile)
{
    *c = (Crabs){0};
    subject_begin(&c->s, "crab of parts", tier, n);
    if (own) {
        char text[100];
        const char *model = NULL;
        snprintf(text, sizeof text, "model Crabs OwnMechanics.CraneCrab crab[%zu]; end Crabs;", n);
        c->front = front_create(c->s.session);
        if (!c->front || front_load(c->front, "models/equations/OwnMechanics.mo") != LIEDER_DONE ||
            front_load_text(c->front, "crabs", text) != LIEDER_DONE ||
            front_instantiate(c->front, "Crabs", NULL, 0, NULL, &model) != LIEDER_DONE)
            model = NULL;
        subject_ready(&c->s, model, LIEDER_METHOD_AUTO, -1, 1);
    } else {
        subject_array(&c->s, "Examples.CraneCrab", 1e-3, LIEDER_METHOD_AUTO);
    }
    if (compile)
        subject_compile(&c->s);
}

static void crabs_end(Crabs *c)
{
    front_destroy(c->front);
    subject_drop(&c->s);
}

static void race_crabs(Bench *bench, const void *job)
{
    static const char *const tiers[] = {"library", "own", "library in C", "own in C"};
    size_t n = *(const size_t *)job;
    Crabs crabs[4];
    Runner runners[4];
    for (int i = 0; i < 4; i++) {
        crabs_begin(&crabs[i], tiers[i], n, i % 2, i >= 2);
        runners[i] = (Runner){.evaluate = subject_evaluate, .user = &crabs[i].s};
    }
    race(runners, 4, (double)n);
    for (int i = 0; i < 4; i++) {
        /* the classes state the same mechanics by other equations, which round differently */
        const Crabs *same = &crabs[i % 2], *other = &crabs[0];
        if (difference(crabs[i].s.dx, same->s.dx, same->s.nstate) != 0 ||
            !(difference(crabs[i].s.dx, other->s.dx, other->s.nstate) < 1e-12))
            bench_fail("crabs of own classes: the ways to evaluate them disagree");
        crabs[i].s.record.ns = runners[i].ns;
        crabs[i].s.record.resident = crabs[i].s.record.bytes = 0; /* four systems in this process */
        bench_report(bench, &crabs[i].s.record);
    }
    for (int i = 0; i < 4; i++)
        crabs_end(&crabs[i]);
}

void bench_own(Bench *bench)
{
    static const size_t sizes[] = {1, 64, 1024, 16384};
    for (size_t i = 0; i < (bench->scope == BENCH_QUICK ? 3 : 4); i++)
        bench_run(bench, race_crabs, &sizes[i]);
}
