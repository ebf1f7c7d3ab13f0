/* rank_factors.h - factors of a matrix that ranks share: nets that are cut and stiff are solved by
 * them. src/cluster/mumps.c has them by MUMPS. */
#ifndef LIEDER_BASE_RANK_FACTORS_H
#define LIEDER_BASE_RANK_FACTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Factors of a symmetric positive definite matrix that ranks share. All ranks call each of these
 * together. */
typedef struct RankFactors {
    /* The whole has `order` unknowns, of which this rank owns n from `first` on, ranks one after
     * the other. It has nentry entries of the matrix by row and column from 0, each of one half of
     * it only, and no two ranks have the same. *entries, *flops: what the factors will take, of all
     * ranks. NULL: no memory. */
    void *(*analyse)(size_t order, size_t first, size_t n, size_t nentry, const uint32_t *rows,
                     const uint32_t *columns, double *entries, double *flops);
    /* false: it is not positive definite, or there is no memory */
    bool (*factorise)(void *factors, const double *values);
    /* n numbers of a right-hand side become those of the solution */
    bool (*solve)(void *factors, double *numbers);
    void (*drop)(void *factors);
} RankFactors;

#endif
