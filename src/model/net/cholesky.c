/* cholesky.c - sparse Cholesky factors by CHOLMOD.
 *
 * A matrix is analysed once and factored whenever its numbers change, in the middle of an
 * evaluation. cholmod_factorize would allocate a permuted copy each time. Here the permuted upper
 * half is laid out once, values go to their places in it, and cholmod_rowfac, which is what
 * cholmod_factorize calls, factors it in place; room for numbers and for a solution is made with
 * the analysis.
 *
 * Of CHOLMOD we call the simplicial factorisation only, which is under the LGPL as the modules that
 * order and analyse are; the supernodal one is under the GPL. Simplicial factors are slower to make
 * (1.3 times with the axes of a net of 300 x 300 bodies apart, 2.4 times with them together),
 * faster to solve with (1.1 to 1.7 times), and plain C: the same bits whatever BLAS there is.
 *
 * CHOLMOD allocates the memory of factors by itself, not by our allocator.
 */
#include "model/net/cholesky.h"

#include <string.h>

#include "base/memory.h"

bool cholesky_begin(cholmod_common *c)
{
    if (!cholmod_start(c))
        return false;
    c->print = 0;
    c->error_handler = NULL;
    c->supernodal = CHOLMOD_SIMPLICIAL; /* see above: this is a decision about licences */
    c->final_ll = 1;
    c->nmethods = 1;
    return true;
}

/* Entry (i, j) of the lower half stands in the upper half of the permuted matrix, in the column of
 * the later of the two: columns are counted, then filled in the order in which cholmod_factorize
 * would fill them, so that sums run in its order, too. */
static void permute(Cholesky *k, const cholmod_sparse *lower, int *position, int *next)
{
    const int *order = k->factor->Perm, *first = lower->p, *rows = lower->i;
    int n = (int)lower->ncol, *columns = k->upper->p, *to = k->upper->i;
    for (int j = 0; j < n; j++)
        position[order[j]] = j;
    memset(next, 0, ((size_t)n + 1) * sizeof *next);
    for (int j = 0; j < n; j++)
        for (int e = first[j]; e < first[j + 1]; e++) {
            int a = position[j], b = position[rows[e]];
            next[a > b ? a : b]++;
        }
    for (int j = 0, sum = 0; j <= n; j++) {
        int here = j < n ? next[j] : 0;
        columns[j] = next[j] = sum;
        sum += here;
    }
    for (int j = 0; j < n; j++)
        for (int e = first[order[j]]; e < first[order[j] + 1]; e++) {
            int i = position[rows[e]], column = i > j ? i : j;
            to[next[column]] = i > j ? j : i;
            k->to[e] = (uint32_t)next[column]++;
        }
}

/* the permuted matrix, room for the numbers of the factor and for a solution; false: no memory */
static bool make_room(Cholesky *k, const cholmod_sparse *lower, cholmod_common *c)
{
    size_t n = lower->ncol, bytes = 2 * (n + 1) * sizeof(int);
    k->upper = cholmod_allocate_sparse(n, n, k->nentry, 0, 1, 1, CHOLMOD_REAL, c);
    k->to = memory_zeroed(k->alloc, (k->nentry + 1) * sizeof *k->to);
    k->right = cholmod_zeros(n, 1, CHOLMOD_REAL, c);
    int *work = memory_zeroed(k->alloc, bytes);
    bool ok = k->upper && k->to && k->right && work;
    if (ok)
        permute(k, lower, work, work + n + 1);
    memory_free(k->alloc, work, bytes);
    /* the factor of the identity, which takes a solution */
    return ok && cholmod_change_factor(CHOLMOD_REAL, 1, 0, 0, 1, k->factor, c) &&
           cholesky_solve(k, k->right->x, c);
}

bool cholesky_analyse(Cholesky *k, cholmod_sparse *lower, int *order, cholmod_common *c,
                      const LiederAllocator *alloc)
{
    *k = (Cholesky){.alloc = alloc, .nentry = (size_t)((int *)lower->p)[lower->ncol]};
    c->method[0].ordering = order ? CHOLMOD_GIVEN : CHOLMOD_METIS;
    c->postorder = !order;
    k->factor = order ? cholmod_analyze_p(lower, order, NULL, 0, c) : cholmod_analyze(lower, c);
    if (k->factor && make_room(k, lower, c)) {
        k->flops = c->fl;
        k->entries = c->lnz;
        return true;
    }
    cholesky_drop(k, c);
    return false;
}

bool cholesky_factor(Cholesky *k, size_t *bad, cholmod_common *c)
{
    double nothing[2] = {0, 0};
    cholmod_rowfac(k->upper, NULL, nothing, 0, k->factor->n, k->factor, c);
    if (k->factor->minor >= k->factor->n)
        return true;
    *bad = (size_t)((int *)k->factor->Perm)[k->factor->minor];
    return false;
}

const double *cholesky_solve(Cholesky *k, const double *r, cholmod_common *c)
{
    size_t n = k->right->nrow;
    memmove(k->right->x, r, n * sizeof(double));
    /* the library leaves its work matrix with as many rows as it has used, and would take it for
     * too small the next time */
    if (k->work[0] && n)
        k->work[0]->nrow = k->work[0]->d = k->work[0]->nzmax / n;
    bool ok = cholmod_solve2(CHOLMOD_A, k->factor, k->right, NULL, &k->solution, NULL, &k->work[0],
                             &k->work[1], c);
    return ok ? k->solution->x : NULL;
}

void cholesky_drop(Cholesky *k, cholmod_common *c)
{
    if (!k->alloc)
        return;
    cholmod_free_sparse(&k->upper, c);
    cholmod_free_factor(&k->factor, c);
    cholmod_free_dense(&k->right, c);
    cholmod_free_dense(&k->solution, c);
    cholmod_free_dense(&k->work[0], c);
    cholmod_free_dense(&k->work[1], c);
    memory_free(k->alloc, k->to, (k->nentry + 1) * sizeof *k->to);
    *k = (Cholesky){0};
}
