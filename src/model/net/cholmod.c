/* cholmod.c - see cholmod.h. The address of a function is found once and never changes. */
#define CHOLMOD_OWN_NAMES
#include "model/net/cholmod.h"

#include "base/delayed.h"
#include "model/net/net.h"

/* the function of the library with the type that its header gives it; returns `otherwise` from the
 * caller where there is none */
#define FORWARD(name, otherwise, ...)                                                              \
    do {                                                                                           \
        static _Atomic(void *) known;                                                              \
        void *address = known;                                                                     \
        if (!address)                                                                              \
            known = address = delayed_function(LIEDER_CHOLMOD, #name);                             \
        return address ? ((__typeof__(name) *)address)(__VA_ARGS__) : (otherwise);                 \
    } while (0)

int delayed_cholmod_start(cholmod_common *c)
{
    FORWARD(cholmod_start, 0, c);
}

int delayed_cholmod_finish(cholmod_common *c)
{
    FORWARD(cholmod_finish, 0, c);
}

cholmod_dense *delayed_cholmod_zeros(size_t nrow, size_t ncol, int xtype, cholmod_common *c)
{
    FORWARD(cholmod_zeros, NULL, nrow, ncol, xtype, c);
}

cholmod_sparse *delayed_cholmod_allocate_sparse(size_t nrow, size_t ncol, size_t nzmax, int sorted,
                                                int packed, int stype, int xtype, cholmod_common *c)
{
    FORWARD(cholmod_allocate_sparse, NULL, nrow, ncol, nzmax, sorted, packed, stype, xtype, c);
}

cholmod_factor *delayed_cholmod_analyze(cholmod_sparse *matrix, cholmod_common *c)
{
    FORWARD(cholmod_analyze, NULL, matrix, c);
}

cholmod_factor *delayed_cholmod_analyze_p(cholmod_sparse *matrix, int *permutation, int *columns,
                                          size_t ncolumn, cholmod_common *c)
{
    FORWARD(cholmod_analyze_p, NULL, matrix, permutation, columns, ncolumn, c);
}

int delayed_cholmod_change_factor(int xtype, int ll, int super, int packed, int monotonic,
                                  cholmod_factor *factor, cholmod_common *c)
{
    FORWARD(cholmod_change_factor, 0, xtype, ll, super, packed, monotonic, factor, c);
}

int delayed_cholmod_rowfac(cholmod_sparse *matrix, cholmod_sparse *f, double *beta, size_t first,
                           size_t end, cholmod_factor *factor, cholmod_common *c)
{
    FORWARD(cholmod_rowfac, 0, matrix, f, beta, first, end, factor, c);
}

int delayed_cholmod_solve2(int sys, cholmod_factor *factor, cholmod_dense *b, cholmod_sparse *bset,
                           cholmod_dense **x, cholmod_sparse **xset, cholmod_dense **y,
                           cholmod_dense **e, cholmod_common *c)
{
    FORWARD(cholmod_solve2, 0, sys, factor, b, bset, x, xset, y, e, c);
}

int delayed_cholmod_free_sparse(cholmod_sparse **matrix, cholmod_common *c)
{
    FORWARD(cholmod_free_sparse, 0, matrix, c);
}

int delayed_cholmod_free_factor(cholmod_factor **factor, cholmod_common *c)
{
    FORWARD(cholmod_free_factor, 0, factor, c);
}

int delayed_cholmod_free_dense(cholmod_dense **vector, cholmod_common *c)
{
    FORWARD(cholmod_free_dense, 0, vector, c);
}

const char *cholmod_problem(char *buffer, size_t size)
{
    return delayed_problem(LIEDER_CHOLMOD, buffer, size);
}
