/* instructions.c - crane crabs of classes that are made of instructions against those written in C,
 * kernels and generated code, measured in one race. */
#define LIEDER_LANES 1 /* classes in C that are compiled here have a scalar variant */
#include "block/class_help.h"

#include "bench.h"

/* Examples.CraneCrab from native classes or from those of class_help.h */
static void build_crab(Lieder *session, const char *name, bool made)
{
    static const char *const parts[][2] = {{"prismatic", "Prismatic"},
                                           {"cart", "Body"},
                                           {"revolute", "Revolute"},
                                           {"rod", "FixedTranslation"},
                                           {"load", "Body"}};
    static const char *const connections[][2] = {{"fixed.frame", "prismatic.frame_a"},
                                                 {"prismatic.frame_b", "cart.frame_a"},
                                                 {"prismatic.frame_b", "revolute.frame_a"},
                                                 {"revolute.frame_b", "rod.frame_a"},
                                                 {"rod.frame_b", "load.frame_a"}};
    LiederModel *m = lieder_model_create(session, name, "");
    lieder_model_add(m, "fixed", "Planar.Fixed");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char class_[64];
        snprintf(class_, sizeof class_, "%s.%s", made ? "Block" : "Planar", parts[i][1]);
        lieder_model_add(m, parts[i][0], class_);
    }
    lieder_model_set_vector(m, "prismatic.r", (double[]){1, 0}, 2);
    lieder_model_set_vector(m, "rod.r", (double[]){0, -1}, 2);
    lieder_model_set(m, "cart.m", 2);
    lieder_model_set(m, "load.m", 1);
    for (size_t i = 0; i < sizeof connections / sizeof *connections; i++)
        lieder_model_connect(m, connections[i][0], connections[i][1]);
}

typedef struct Crabs {
    Subject s;
    BlockClass *classes[BLOCK_CLASSES];
} Crabs;

static void crabs_begin(Crabs *c, const char *tier, size_t n, bool made, bool compile)
{
    *c = (Crabs){0};
    subject_begin(&c->s, "crab of parts", tier, n);
    for (int i = 0; i < BLOCK_CLASSES && made; i++) {
        c->classes[i] = block_class_make(i, &memory_default);
        if (!c->classes[i] || block_class_register(c->s.session, c->classes[i]) != LIEDER_DONE)
            bench_fail("%s could not be made", block_classes[i].name);
    }
    build_crab(c->s.session, "Crab", made);
    subject_array(&c->s, "Crab", 1e-3, LIEDER_METHOD_AUTO);
    if (compile)
        subject_compile(&c->s);
}

static void crabs_end(Crabs *c)
{
    subject_drop(&c->s);
    for (int i = 0; i < BLOCK_CLASSES; i++)
        block_class_destroy(c->classes[i]);
}

static void race_crabs(Bench *bench, const void *job)
{
    static const char *const tiers[] = {"kernels", "instructions", "compiled C", "compiled instr."};
    size_t n = *(const size_t *)job;
    Crabs crabs[4];
    Runner runners[4];
    for (int i = 0; i < 4; i++) {
        crabs_begin(&crabs[i], tiers[i], n, i % 2, i >= 2);
        runners[i] = (Runner){.evaluate = subject_evaluate, .user = &crabs[i].s};
    }
    race(runners, 4, (double)n);
    for (int i = 0; i < 4; i++) {
        /* the library's text classes fuse multiplications and additions, those of this file do not
         */
        const Crabs *same = &crabs[i % 2], *other = &crabs[0];
        if (difference(crabs[i].s.dx, same->s.dx, same->s.nstate) != 0 ||
            !(difference(crabs[i].s.dx, other->s.dx, other->s.nstate) < 1e-12))
            bench_fail("crabs of instructions: the ways to evaluate them disagree");
        crabs[i].s.record.ns = runners[i].ns;
        crabs[i].s.record.resident = crabs[i].s.record.bytes = 0; /* four systems in this process */
        bench_report(bench, &crabs[i].s.record);
    }
    for (int i = 0; i < 4; i++)
        crabs_end(&crabs[i]);
}

void bench_instructions(Bench *bench)
{
    static const size_t sizes[] = {1, 64, 1024, 16384};
    for (size_t i = 0; i < (bench->scope == BENCH_QUICK ? 3 : 4); i++)
        bench_run(bench, race_crabs, &sizes[i]);
}
