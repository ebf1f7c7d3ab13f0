/* tree.h - trees of equal links, as a model and written by hand. */
#ifndef BENCH_TREE_H
#define BENCH_TREE_H

#include "bench.h"

/* Links 1 ... n, each a joint `revolute`, a `rod` of length l and a `body` of mass m at its end;
 * link i hangs at the end of link parent[i - 1] + 1, or at the ground (-1). */
LiederModel *tree_build(Lieder *session, const char *name, const int *parent, size_t n, double l,
                        double m);

/* `count` of them by hand, one after the other in x and dx */
typedef struct TreeByHand {
    const int *parent;
    size_t n, count;
    double TD, l, m;
    double *x, *dx, *work;
} TreeByHand;
void tree_evaluate(void *by_hand); /* as a runner */
TreeByHand tree_by_hand(const int *parent, size_t n, size_t count, double l, double m);
void tree_drop(TreeByHand *t);

/* takes the states of the first instance from s, whose joints have paths like "revolute[%zu]", and
 * fails if the derivatives differ by more than `tolerance` */
void tree_compare(TreeByHand *t, Subject *s, const char *prefix, double tolerance);

#endif
