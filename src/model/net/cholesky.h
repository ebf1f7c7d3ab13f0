/* cholesky.h - sparse Cholesky factors by CHOLMOD that allocate nothing once they are analysed: see
 * cholesky.c. */
#ifndef LIEDER_MODEL_CHOLESKY_H
#define LIEDER_MODEL_CHOLESKY_H

#include <stdbool.h>
#include <stdint.h>

#include <lieder/lieder.h>

#include "model/net/cholmod.h"

typedef struct Cholesky {
    const LiederAllocator *alloc;
    cholmod_sparse *upper; /* the matrix in the order of the factor: its upper half */
    uint32_t *to;          /* by entry of the lower half as it was analysed: place in upper->x */
    size_t nentry;
    cholmod_factor *factor;
    cholmod_dense *right, *solution, *work[2];
    double flops, entries; /* of the factor */
} Cholesky;

/* starts CHOLMOD with the settings of all factors here; false: it cannot be loaded */
bool cholesky_begin(cholmod_common *c);
/* Pattern of the lower half, entry by entry and without values; order: of the unknowns, or NULL if
 * one is to be found. False: no memory. */
bool cholesky_analyse(Cholesky *k, cholmod_sparse *lower, int *order, cholmod_common *c,
                      const LiederAllocator *alloc);
/* the value of an entry of the lower half */
static inline double *cholesky_value(const Cholesky *k, size_t entry)
{
    return (double *)k->upper->x + k->to[entry];
}
/* The factor of the values that are there; false: the matrix is not positive definite at unknown
 * *bad. */
bool cholesky_factor(Cholesky *k, size_t *bad, cholmod_common *c);
/* solves for the right-hand side r; NULL: no memory */
const double *cholesky_solve(Cholesky *k, const double *r, cholmod_common *c);
void cholesky_drop(Cholesky *k, cholmod_common *c);

#endif
