/* cholmod.h - the functions of CHOLMOD that we call, loaded with the first net that is factored:
 * see base/delayed.h.
 *
 * The names are those of the library with a prefix, and the macros below let the two files of
 * factors use its own. Where the library is not there they return 0 or NULL, and cholmod_problem
 * says why. */
#ifndef LIEDER_MODEL_CHOLMOD_H
#define LIEDER_MODEL_CHOLMOD_H

#include <stddef.h>

#include <suitesparse/cholmod.h>

int delayed_cholmod_start(cholmod_common *c);
int delayed_cholmod_finish(cholmod_common *c);
cholmod_dense *delayed_cholmod_zeros(size_t nrow, size_t ncol, int xtype, cholmod_common *c);
cholmod_sparse *delayed_cholmod_allocate_sparse(size_t nrow, size_t ncol, size_t nzmax, int sorted,
                                                int packed, int stype, int xtype,
                                                cholmod_common *c);
cholmod_factor *delayed_cholmod_analyze(cholmod_sparse *matrix, cholmod_common *c);
cholmod_factor *delayed_cholmod_analyze_p(cholmod_sparse *matrix, int *permutation, int *columns,
                                          size_t ncolumn, cholmod_common *c);
int delayed_cholmod_change_factor(int xtype, int ll, int super, int packed, int monotonic,
                                  cholmod_factor *factor, cholmod_common *c);
int delayed_cholmod_rowfac(cholmod_sparse *matrix, cholmod_sparse *f, double *beta, size_t first,
                           size_t end, cholmod_factor *factor, cholmod_common *c);
int delayed_cholmod_solve2(int sys, cholmod_factor *factor, cholmod_dense *b, cholmod_sparse *bset,
                           cholmod_dense **x, cholmod_sparse **xset, cholmod_dense **y,
                           cholmod_dense **e, cholmod_common *c);
int delayed_cholmod_free_sparse(cholmod_sparse **matrix, cholmod_common *c);
int delayed_cholmod_free_factor(cholmod_factor **factor, cholmod_common *c);
int delayed_cholmod_free_dense(cholmod_dense **vector, cholmod_common *c);

#ifndef CHOLMOD_OWN_NAMES /* cholmod.c calls the library itself */
#define cholmod_start           delayed_cholmod_start
#define cholmod_finish          delayed_cholmod_finish
#define cholmod_zeros           delayed_cholmod_zeros
#define cholmod_allocate_sparse delayed_cholmod_allocate_sparse
#define cholmod_analyze         delayed_cholmod_analyze
#define cholmod_analyze_p       delayed_cholmod_analyze_p
#define cholmod_change_factor   delayed_cholmod_change_factor
#define cholmod_rowfac          delayed_cholmod_rowfac
#define cholmod_solve2          delayed_cholmod_solve2
#define cholmod_free_sparse     delayed_cholmod_free_sparse
#define cholmod_free_factor     delayed_cholmod_free_factor
#define cholmod_free_dense      delayed_cholmod_free_dense

#endif

#endif
