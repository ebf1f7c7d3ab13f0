/* tree.c - see tree.h. */
#include "tree.h"

#include <stdio.h>
#include <stdlib.h>

#include "flat.h"

LiederModel *tree_build(Lieder *session, const char *name, const int *parent, size_t n, double l,
                        double m)
{
    LiederModel *model = lieder_model_create(session, name, "");
    char a[64], b[64];
    lieder_model_add(model, "fixed", "Planar.Fixed");
    lieder_model_add_array(model, "revolute", "Planar.Revolute", n);
    lieder_model_add_array(model, "rod", "Planar.FixedTranslation", n);
    lieder_model_add_array(model, "body", "Planar.Body", n);
    lieder_model_set(model, "rod.r[1]", l);
    lieder_model_set(model, "body.m", m);
    for (size_t i = 1; i <= n; i++) {
        if (parent[i - 1] < 0)
            snprintf(a, sizeof a, "fixed.frame");
        else
            snprintf(a, sizeof a, "rod[%d].frame_b", parent[i - 1] + 1);
        snprintf(b, sizeof b, "revolute[%zu].frame_a", i);
        lieder_model_connect(model, a, b);
        snprintf(a, sizeof a, "revolute[%zu].frame_b", i);
        snprintf(b, sizeof b, "rod[%zu].frame_a", i);
        lieder_model_connect(model, a, b);
        snprintf(a, sizeof a, "rod[%zu].frame_b", i);
        snprintf(b, sizeof b, "body[%zu].frame_a", i);
        lieder_model_connect(model, a, b);
    }
    return model;
}

TreeByHand tree_by_hand(const int *parent, size_t n, size_t count, double l, double m)
{
    size_t nstate = 2 * n * count;
    TreeByHand t = {.parent = parent,
                    .n = n,
                    .count = count,
                    .TD = 1e-3,
                    .l = l,
                    .m = m,
                    .x = malloc(nstate * sizeof(double)),
                    .dx = malloc(nstate * sizeof(double)),
                    .work = malloc(32 * n * sizeof(double))};
    if (!t.x || !t.dx || !t.work)
        bench_fail("out of memory");
    for (size_t i = 0; i < nstate; i++)
        t.x[i] = 2.0 * rand() / RAND_MAX - 1;
    return t;
}

void tree_drop(TreeByHand *t)
{
    free(t->x);
    free(t->dx);
    free(t->work);
}

void tree_evaluate(void *by_hand)
{
    TreeByHand *t = by_hand;
    for (size_t i = 0; i < t->count; i++) {
        size_t at = 2 * t->n * i;
        flat_tree(t->x + at, t->dx + at, t->work, t->parent, t->TD, t->l, t->m, t->n);
    }
    __asm__ volatile("" ::"r"(t->dx) : "memory");
}

void tree_compare(TreeByHand *t, Subject *s, const char *prefix, double tolerance)
{
    char format[64];
    snprintf(format, sizeof format, "%s.phi", prefix);
    size_t *phi = subject_states(s, format, t->n);
    snprintf(format, sizeof format, "%s.w", prefix);
    size_t *w = subject_states(s, format, t->n);
    double *dx = malloc(2 * t->n * sizeof *dx);
    for (size_t i = 0; i < t->n; i++) {
        t->x[i] = s->x[phi[i]];
        t->x[t->n + i] = s->x[w[i]];
    }
    tree_evaluate(t);
    subject_evaluate(s);
    for (size_t i = 0; i < t->n; i++) {
        dx[i] = s->dx[phi[i]];
        dx[t->n + i] = s->dx[w[i]];
    }
    double most = difference(dx, t->dx, 2 * t->n);
    if (!(most < tolerance))
        bench_fail("%s: engine and flat C differ by %g", s->record.case_, most);
    free(phi);
    free(w);
    free(dx);
}
