/* flat.h - crane crab and chain written by hand: what the engine is measured against. */
#ifndef BENCH_FLAT_H
#define BENCH_FLAT_H

#include <stddef.h>

/* n crane crabs, states s, v, phi, w one after the other (n each) */
void flat_crab(const double *x, double *dx, double TD, size_t n);

/* a chain of n links of length l and mass m each, planar, by the O(n) recursion; work holds 16 n */
void flat_chain(const double *x, double *dx, double *work, double TD, double l, double m, size_t n);

#endif
