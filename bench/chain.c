/* chain.c - one linear group that grows: a chain of links, a tree of them, a cable.
 *
 * The chain and the tree are eliminated in O(n). The cable is masses with their own degrees of
 * freedom and damped springs between neighbours: d_el closes a loop with every spring. */
#include <stdio.h>
#include <stdlib.h>

#include "front/front.h"
#include "help/row.h"

#include "flat.h"
#include "tree.h"

enum { COMPARE_MOST = 1000 }; /* links; beyond, paths take longer than the measurement */

/* ------------------------------------------------------------------ the chain */

typedef struct ChainByHand {
    double *x, *dx, *work;
    size_t n;
} ChainByHand;

static void evaluate_chain(void *user)
{
    ChainByHand *c = user;
    double share = 1.0 / (double)c->n;
    flat_chain(c->x, c->dx, c->work, 1e-3, share, share, c->n);
    __asm__ volatile("" ::"r"(c->dx) : "memory");
}

/* the same states for both, and the same derivatives */
static void compare_chain(ChainByHand *c, Subject *s)
{
    size_t n = c->n, *phi = subject_states(s, "unit.revolute[%zu].phi", n),
           *w = subject_states(s, "unit.revolute[%zu].w", n);
    double *dx = malloc(2 * n * sizeof *dx);
    for (size_t i = 0; i < n; i++) {
        c->x[i] = s->x[phi[i]];
        c->x[n + i] = s->x[w[i]];
        dx[i] = s->dx[phi[i]];
        dx[n + i] = s->dx[w[i]];
    }
    evaluate_chain(c);
    double most = difference(dx, c->dx, 2 * n);
    if (!(most < 1e-8))
        bench_fail("chain of %zu: engine and flat C differ by %g", n, most);
    free(phi);
    free(w);
    free(dx);
}

static void build_chain(Subject *s, size_t n)
{
    LiederModel *m = lieder_model_create(s->session, "Hanging", "");
    lieder_model_add(m, "world", "World");
    lieder_model_add(m, "unit", "Examples.Chain");
    lieder_model_set(m, "unit.n", (double)n);
    subject_ready(s, "Hanging", LIEDER_METHOD_AUTO, -1, 1);
}

/* the same system in generated code; a second one in this process has no memory of its own */
static void report_compiled(Bench *bench, Subject *t, double ns)
{
    t->record.ns = ns;
    t->record.resident = t->record.bytes = 0;
    bench_report(bench, &t->record);
}

static void measure_chain(Bench *bench, const void *job)
{
    size_t n = *(const size_t *)job;
    Subject s, t;
    subject_begin(&s, "chain of links", "kernels", n);
    build_chain(&s, n);
    subject_begin(&t, "chain of links", "compiled", n);
    build_chain(&t, n);
    subject_compile(&t);
    ChainByHand flat = {malloc(2 * n * sizeof(double)), malloc(2 * n * sizeof(double)),
                        malloc(16 * n * sizeof(double)), n};
    for (size_t i = 0; i < 2 * n; i++)
        flat.x[i] = s.x[i];
    if (n <= COMPARE_MOST)
        compare_chain(&flat, &s);
    Runner runners[] = {{.evaluate = evaluate_chain, .user = &flat},
                        {.evaluate = subject_evaluate, .user = &s},
                        {.evaluate = subject_evaluate, .user = &t}};
    race(runners, 3, (double)n);
    Record by_hand = {.case_ = "chain of links", .tier = "flat C", .n = n, .ns = runners[0].ns};
    bench_report(bench, &by_hand);
    s.record.ns = runners[1].ns;
    bench_report(bench, &s.record);
    report_compiled(bench, &t, runners[2].ns);
}

/* from models/scale/Chain.mo */
static void chain_from_text(Bench *bench, const void *job)
{
    Subject s;
    char size[24];
    const char *model = NULL;
    const FrontOverride n = {.name = "n", .value = size};
    snprintf(size, sizeof size, "%zu", *(const size_t *)job);
    subject_begin(&s, "chain from text", "kernels", *(const size_t *)job);
    Front *front = front_create(s.session);
    if (front_load(front, "models/scale/Chain.mo") != LIEDER_DONE ||
        front_instantiate(front, "Chain", &n, 1, NULL, &model) != LIEDER_DONE)
        model = NULL;
    subject_ready(&s, model, LIEDER_METHOD_AUTO, -1, 1);
    Runner runner = {.evaluate = subject_evaluate, .user = &s};
    race(&runner, 1, (double)s.record.n);
    s.record.ns = runner.ns;
    bench_report(bench, &s.record);
}

/* ------------------------------------------------------------------ the tree */

/* three links at the end of every link */
static void measure_tree(Bench *bench, const void *job)
{
    size_t n = *(const size_t *)job;
    int *parent = calloc(n, sizeof *parent);
    for (size_t i = 0; i < n; i++)
        parent[i] = i ? (int)(i - 1) / 3 : -1;
    TreeByHand flat = tree_by_hand(parent, n, 1, 0.3, 1);
    Subject s, t;
    subject_begin(&s, "tree, three branches", "kernels", n);
    tree_build(s.session, "Tree", parent, n, 0.3, 1);
    subject_ready(&s, "Tree", LIEDER_METHOD_AUTO, -1, 1);
    subject_begin(&t, "tree, three branches", "compiled", n);
    tree_build(t.session, "Tree", parent, n, 0.3, 1);
    subject_ready(&t, "Tree", LIEDER_METHOD_AUTO, -1, 1);
    subject_compile(&t);
    if (n <= COMPARE_MOST)
        tree_compare(&flat, &s, "revolute[%zu]", 1e-10);
    Runner runners[] = {{.evaluate = tree_evaluate, .user = &flat},
                        {.evaluate = subject_evaluate, .user = &s},
                        {.evaluate = subject_evaluate, .user = &t}};
    race(runners, 3, (double)n);
    Record by_hand = {.case_ = "tree, three branches", .tier = "flat C", .n = n};
    by_hand.ns = runners[0].ns;
    s.record.ns = runners[1].ns;
    bench_report(bench, &by_hand);
    bench_report(bench, &s.record);
    report_compiled(bench, &t, runners[2].ns);
    tree_drop(&flat);
    free(parent);
}

/* ------------------------------------------------------------------ the cable */

static const double CABLE_C = 1e6, CABLE_D = 10, CABLE_M = 1; /* c TD^2 / m = 1 */

static void build_cable(Lieder *session, size_t n)
{
    LiederModel *m = lieder_model_create(session, "Cable", "");
    lieder_model_add(m, "world", "World");
    row_build(m, "Translational.SpringDamper", n);
    lieder_model_set(m, "body.m", CABLE_M);
    lieder_model_set(m, "body.g", 0);
    lieder_model_set(m, "spring.c", CABLE_C);
    lieder_model_set(m, "spring.d", CABLE_D);
}

typedef struct CableByHand {
    double *x, *dx, *work;
    size_t n;
} CableByHand;

static void evaluate_cable(void *user)
{
    CableByHand *c = user;
    flat_cable(c->x, c->dx, c->work, 1e-3, CABLE_M, CABLE_C, CABLE_D, c->n);
    __asm__ volatile("" ::"r"(c->dx) : "memory");
}

static void compare_cable(CableByHand *c, Subject *s)
{
    size_t n = c->n,
           *at[2] = {subject_states(s, "joint[%zu].s", n), subject_states(s, "joint[%zu].v", n)};
    double *dx = malloc(2 * n * sizeof *dx);
    for (size_t i = 0; i < 2 * n; i++) {
        c->x[i] = s->x[at[i / n][i % n]];
        dx[i] = s->dx[at[i / n][i % n]];
    }
    evaluate_cable(c);
    double most = difference(dx, c->dx, 2 * n);
    if (!(most < 1e-9))
        bench_fail("cable of %zu: engine and flat C differ by %g", n, most);
    free(at[0]);
    free(at[1]);
    free(dx);
}

static void measure_cable(Bench *bench, const void *job)
{
    size_t n = *(const size_t *)job;
    Subject s;
    subject_begin(&s, "cable with d_el", "kernels", n);
    build_cable(s.session, n);
    subject_ready(&s, "Cable", LIEDER_METHOD_AUTO, -0.01, 0.01);
    CableByHand flat = {malloc(2 * n * sizeof(double)), malloc(2 * n * sizeof(double)),
                        malloc(2 * n * sizeof(double)), n};
    for (size_t i = 0; i < 2 * n; i++)
        flat.x[i] = s.x[i];
    if (n <= COMPARE_MOST)
        compare_cable(&flat, &s);
    Runner runners[] = {{.evaluate = evaluate_cable, .user = &flat},
                        {.evaluate = subject_evaluate, .user = &s}};
    race(runners, 2, (double)n);
    Record by_hand = {.case_ = "cable with d_el", .tier = "flat C", .n = n, .ns = runners[0].ns};
    s.record.ns = runners[1].ns;
    bench_report(bench, &by_hand);
    bench_report(bench, &s.record);
}

/* ------------------------------------------------------------------ sizes */

static void each(Bench *bench, Work *work, size_t first, size_t most)
{
    static const size_t sizes[] = {1, 8, 64, 1000, 10000, 100000, 1000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i] >= first && sizes[i] <= most)
            bench_run(bench, work, &sizes[i]);
}

void bench_chain(Bench *bench)
{
    bool quick = bench->scope == BENCH_QUICK;
    each(bench, measure_chain, 1, quick ? 10000 : 1000000);
    each(bench, chain_from_text, 1000, quick ? 1000 : 100000);
    each(bench, measure_tree, 8, quick ? 1000 : 100000);
    each(bench, measure_cable, 8, quick ? 1000 : 100000);
}
