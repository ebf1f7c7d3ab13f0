/* flat.h - the benchmark's models written by hand: what the engine is measured against. */
#ifndef BENCH_FLAT_H
#define BENCH_FLAT_H

#include <stddef.h>

/* n crane crabs, states s, v, phi, w one after the other (n each) */
void flat_crab(const double *x, double *dx, double TD, size_t n);

/* a chain of n links of length l and mass m each, planar, by the O(n) recursion; states phi, then w
 * (n each); work holds 16 n */
void flat_chain(const double *x, double *dx, double *work, double TD, double l, double m, size_t n);

/* a tree of n such links: link i hangs at the end of link parent[i] < i, or at the ground (-1);
 * work holds 32 n */
void flat_tree(const double *x, double *dx, double *work, const int *parent, double TD, double l,
               double m, size_t n);

/* n masses on a line, the first tied to the ground and each to the one before by a spring c and a
 * damper d with d_el = d + c TD; states s, then v (n each); work holds 2 n */
void flat_cable(const double *x, double *dx, double *work, double TD, double m, double c, double d,
                size_t n);

#endif
