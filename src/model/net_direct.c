/* net_direct.c - factorisations of the linear system of a net; see net_solve.c for the equations.
 *
 * Cholesky (CHOLMOD, analysed once) where the matrix is symmetric, repeated only if the matrix has
 * changed: what is solved with it does not depend on what was solved before. Unknowns that no tie
 * couples are kept apart: only what is not zero in some cell is in the pattern, so that a net whose
 * springs act along two axes is two systems of half the size. The matrix added up has lost part of
 * the mass of a stiff net, and has its diagonal lifted a little, so that rounding cannot make it
 * indefinite; refinement from true residuals finds what was lost. Two rounds do as a rule, five at
 * c T_D^2 / m = 1e12.
 *
 * Of CHOLMOD we call the simplicial factorisation only, which is under the LGPL as the modules that
 * order and analyse are; the supernodal one is under the GPL. Simplicial factors are slower to make
 * (1.3 times with the axes of a net of 300 x 300 bodies apart, 2.4 times with them together),
 * faster to solve with (1.1 to 1.7 times), and plain C: the same bits whatever BLAS there is.
 *
 * Ranks that share a net factor it together (net_substructure.c), and refine in the same way.
 *
 * LU (lu.c) where it is not symmetric: joints with different T_D, levers that turn.
 *
 * CHOLMOD asks the system for the memory of its factors itself.
 */
#include "model/net.h"

#include <math.h>
#include <string.h>

#include "model/cholmod.h"
#include "model/lu.h"

static const double LIFT = 1e-15; /* of the diagonal before it is factored */
enum { MAX_STEPS = 60 };

struct NetDirect {
    cholmod_common common;
    cholmod_sparse *matrix; /* lower half */
    cholmod_factor *factor;
    cholmod_dense *right, *solution, *work[2];
    uint64_t couples; /* the pattern it was analysed for, see Net */
    size_t version;   /* of the matrix that `factor` belongs to; 0: none */
    double flops, entries;
    double *p, *q, *z;
    bool begun; /* the library is */
    /* without symmetry */
    LuPlan plan;
    Lu lu;
    bool planned; /* both are there */
    size_t lu_version;
    int *columns, *rows;
    double *value;
    uint32_t *place; /* by pair and side: first of its entries; by cell: first of the diagonal */
    uint32_t *diagonal;
};

/* ------------------------------------------------------------------ factorisation */

/* Lower half, column by column: the diagonal block, then the pairs of the cell, and of both what is
 * coupled at all. Without values it makes the pattern and returns the number of entries. Rounding
 * must not make the sum of all indefinite; the little that `lift` adds is taken out again by
 * refinement. */
static size_t lower_half(const Net *net, int *columns, int *rows, double *values, double lift)
{
    size_t k = net->block, first = 0, at = 0;
    for (size_t c = 0; c < net->ncell; c++) {
        const double *D = net->diagonal + c * k * k;
        size_t end = first;
        while (end < net->npair && net->pair_cells[2 * end] == c)
            end++;
        for (size_t j = 0; j < k; j++) {
            if (columns)
                columns[c * k + j] = (int)at;
            for (size_t i = j; i < k; i++)
                if (net_couples(net, i, j)) {
                    if (rows)
                        rows[at] = (int)(c * k + i);
                    if (values)
                        values[at] = i == j ? D[i * k + j] * (1 + lift) : D[i * k + j];
                    at++;
                }
            for (size_t p = first; p < end; p++)
                for (size_t i = 0; i < k; i++)
                    if (net_couples(net, i, j)) {
                        if (rows)
                            rows[at] = (int)(net->pair_cells[2 * p + 1] * k + i);
                        if (values)
                            values[at] = net->pair_block[(p * k + j) * k + i];
                        at++;
                    }
        }
        first = end;
    }
    if (columns)
        columns[net->ncell * k] = (int)at;
    return at;
}

static NetDirect *direct_of(Net *net)
{
    if (!net->direct)
        net->direct = net_get(net, 1, sizeof *net->direct);
    return net->direct;
}

static void forget(NetDirect *d)
{
    cholmod_free_sparse(&d->matrix, &d->common);
    cholmod_free_factor(&d->factor, &d->common);
    d->version = 0;
}

/* once: the library's own state and our vectors */
static bool begin_factors(Net *net)
{
    NetDirect *d = direct_of(net);
    size_t n = net_order(net);
    if (!d || d->z)
        return d;
    d->p = net_get(net, 3 * n, sizeof(double));
    d->q = d->p ? d->p + n : NULL;
    d->z = d->p ? d->p + 2 * n : NULL;
    if (!d->z || net->share)
        return d->z;
    cholmod_start(&d->common);
    d->begun = true;
    d->common.print = 0;
    d->common.error_handler = NULL;
    d->common.supernodal = CHOLMOD_SIMPLICIAL; /* see above: this is a decision about licences */
    d->common.final_ll = 1;
    d->common.nmethods = 1;
    d->common.method[0].ordering = CHOLMOD_METIS;
    d->common.postorder = 1;
    d->right = cholmod_zeros(n, 1, CHOLMOD_REAL, &d->common);
    net->no_memory |= !d->right;
    return d->right;
}

/* what answers to what on any rank; the pattern is one */
static void share_couples(Net *net)
{
    size_t n = (size_t)net->block * net->block;
    double bits[NET_BLOCK * NET_BLOCK];
    for (size_t i = 0; i < n; i++)
        bits[i] = (double)(net->couples >> i & 1);
    net_greatest(net, bits, n);
    for (size_t i = 0; i < n; i++)
        net->couples |= (uint64_t)(bits[i] > 0) << i;
}

/* analyses the pattern; the library asks the system for its memory itself */
static bool analyse(Net *net)
{
    if (!begin_factors(net))
        return false;
    NetDirect *d = net->direct;
    if (net->share) {
        share_couples(net);
        d->version = d->couples == net->couples ? d->version : 0;
        d->couples = net->couples;
        bool analysed = substructure_analyse(net, &d->entries, &d->flops);
        net->no_memory |= !analysed;
        return analysed;
    }
    if (d->factor && d->couples == net->couples)
        return true;
    forget(d);
    size_t n = net_order(net), entries = lower_half(net, NULL, NULL, NULL, 0);
    d->matrix = cholmod_allocate_sparse(n, n, entries, 1, 1, -1, CHOLMOD_REAL, &d->common);
    if (d->matrix) {
        lower_half(net, d->matrix->p, d->matrix->i, NULL, 0);
        d->factor = cholmod_analyze(d->matrix, &d->common);
        d->couples = net->couples;
        d->flops = d->common.fl;
        d->entries = d->common.lnz;
    }
    net->no_memory |= !d->factor;
    return d->factor;
}

/* factors of the matrix at hand, with a lift of the diagonal that grows where it is not definite */
static bool factorise(Net *net, uint32_t *cell)
{
    NetDirect *d = net->direct;
    if (d->version == net->version)
        return true;
    d->version = 0;
    for (double lift = LIFT; lift < 1000 * LIFT; lift *= 10) {
        if (net->share) {
            if (substructure_factorise(net, lift)) {
                d->version = net->version;
                return true;
            }
            *cell = NOWHERE;
            continue;
        }
        lower_half(net, NULL, NULL, d->matrix->x, lift);
        if (!cholmod_factorize(d->matrix, d->factor, &d->common) && d->common.status < CHOLMOD_OK)
            return false;
        if (d->factor->minor >= d->factor->n) {
            d->version = net->version;
            return true;
        }
        *cell = (uint32_t)(((int *)d->factor->Perm)[d->factor->minor] / (int)net->block);
    }
    return false;
}

static double dot(const Net *net, const double *x, const double *y)
{
    double sum[NET_WIDTH] = {0}, all = 0;
    size_t n = net_order(net);
    for (size_t i = 0; i < n; i++)
        if (net_is_own(net, i / net->block))
            sum[i % NET_WIDTH] += x[i] * y[i];
    for (size_t l = 0; l < NET_WIDTH; l++)
        all += sum[l];
    return net_total(net, all);
}

/* length of a step in the scale of the diagonal blocks */
static double length(const Net *net, const double *x)
{
    double sum = 0;
    for (size_t c = 0, k = net->block; c < net->ncell; c++)
        for (size_t i = 0; i < k && net_is_own(net, c); i++)
            sum += net->diagonal[(c * k + i) * k + i] * x[c * k + i] * x[c * k + i];
    return sqrt(net_total(net, sum));
}

/* the solution for the right-hand side r by the factors at hand, of this rank or of all together */
static const double *solve_factored(Net *net, double *r)
{
    NetDirect *d = net->direct;
    size_t n = net_order(net);
    if (net->share) {
        substructure_solve(net, r, d->z);
        return d->z;
    }
    memcpy(d->right->x, r, n * sizeof(double));
    bool ok = cholmod_solve2(CHOLMOD_A, d->factor, d->right, NULL, &d->solution, NULL, &d->work[0],
                             &d->work[1], &d->common);
    return ok ? d->solution->x : NULL;
}

/* Refinement from the true residual. Where the mass is all but lost in the matrix, conjugate
 * gradients with the factorisation find it again; else their two factors would only carry the
 * noise of one direction into the others. */
bool net_solve_cholesky(Net *net, uint32_t *cell)
{
    if (!analyse(net) || !factorise(net, cell))
        return false;
    NetDirect *d = net->direct;
    size_t n = net_order(net);
    bool plain = net_mass_lost(net, 2 * LIFT) < 0.5;
    double before = 0, whole = 0, rz = INFINITY;
    net_start(net);
    for (net->rounds = 1; net->rounds <= MAX_STEPS; net->rounds++) {
        if (net->rounds > 1)
            net_find_residual(net);
        const double *z = solve_factored(net, net->residual);
        if (!z)
            return false;
        double alpha = 1, beta = 0;
        if (!plain) {
            double next = dot(net, net->residual, z);
            beta = next < rz ? next / rz : 0;
            rz = next;
        }
        for (size_t i = 0; i < n; i++)
            d->p[i] = z[i] + beta * d->p[i];
        if (!plain) {
            net->vectors->multiply(net, d->p, false, d->q);
            alpha = dot(net, net->residual, d->p) / dot(net, d->p, d->q);
        }
        double step = alpha * length(net, d->p);
        if (step == 0)
            return true;
        if (!(step > 0) || !(step < INFINITY))
            return false;
        for (size_t i = 0; i < n; i++)
            net->u[i] += alpha * d->p[i];
        if (net->rounds == 1)
            whole = step;
        else if (net_settled(net, step, before, whole, 2 * LIFT))
            return true;
        before = step;
    }
    return before <= 1e-10 * whole;
}

/* ------------------------------------------------------------------ without symmetry */

/* all of A, column by column: upper neighbours, the diagonal block, lower neighbours */
static bool full_pattern(Net *net)
{
    NetDirect *d = direct_of(net);
    if (!d || d->planned)
        return d;
    size_t n = net_order(net), k = net->block, npair = net->npair;
    size_t entries = (net->ncell + 2 * npair) * k * k;
    d->columns = net_get(net, n + 1, sizeof(int));
    d->rows = net_get(net, entries + 1, sizeof(int));
    d->value = net_get(net, entries + 1, sizeof(double));
    d->place = net_get(net, 2 * npair + 1, sizeof(uint32_t));
    d->diagonal = net_get(net, net->ncell + 1, sizeof(uint32_t));
    uint32_t *count = net_get(net, net->ncell + 2, sizeof(uint32_t));
    bool ok = d->columns && d->rows && d->value && d->place && d->diagonal && count;
    /* blocks of each column of cells: first the diagonal, then the pairs as they come */
    for (size_t p = 0; p < 2 * npair && ok; p++)
        count[net->pair_cells[p] + 1]++;
    for (uint32_t c = 0; c < net->ncell && ok; c++) {
        count[c + 1] += count[c] + 1;
        d->diagonal[c] = count[c];
    }
    for (uint32_t c = 0; c < net->ncell && ok; c++)
        count[c]++;
    for (size_t p = 0; p < 2 * npair && ok; p++) /* block (other cell, this cell) */
        d->place[p] = count[net->pair_cells[p]]++;
    /* `count` is now where the next column of cells begins */
    for (uint32_t c = 0; c < net->ncell && ok; c++)
        for (size_t j = 0; j < k; j++) {
            size_t blocks = count[c] - d->diagonal[c];
            d->columns[c * k + j + 1] = (int)(d->diagonal[c] * k * k + (j + 1) * blocks * k);
        }
    for (uint32_t c = 0; c < net->ncell && ok; c++)
        for (size_t j = 0; j < k; j++)
            for (size_t i = 0; i < k; i++)
                d->rows[(size_t)d->columns[c * k + j] + i] = (int)(c * k + i);
    for (size_t p = 0; p < 2 * npair && ok; p++) {
        size_t c = net->pair_cells[p], other = net->pair_cells[p ^ 1];
        for (size_t j = 0; j < k; j++)
            for (size_t i = 0; i < k; i++)
                d->rows[(size_t)d->columns[c * k + j] + (d->place[p] - d->diagonal[c]) * k + i] =
                    (int)(other * k + i);
    }
    lu_plan_drop(&d->plan); /* of an attempt that failed */
    ok = ok && lu_plan_create(&d->plan, (int)n, d->columns, d->rows, net->alloc) == LU_DONE &&
         lu_create(&d->lu, &d->plan) == LU_DONE;
    d->planned = ok;
    net->no_memory |= !ok;
    return ok;
}

/* adds a block k x k, a (i, j) at x[i * k + j], into column cell `c`, block number `place` */
static void add_block(const Net *net, NetDirect *d, size_t c, size_t place, size_t i, size_t j,
                      double x)
{
    size_t k = net->block;
    d->value[(size_t)d->columns[c * k + j] + (place - d->diagonal[c]) * k + i] += x;
}

/* the blocks of cells and ties summed into the sparse matrix */
static void full_values(const Net *net, NetDirect *d)
{
    size_t k = net->block;
    memset(d->value, 0, (size_t)d->columns[net_order(net)] * sizeof(double));
    for (size_t c = 0; c < net->ncell; c++)
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < k; j++)
                add_block(net, d, c, d->diagonal[c], i, j, net->diagonal[(c * k + i) * k + j]);
    for (size_t t = 0; t < net->ties.n; t++) {
        const NetTie *tie = net->ties.items[t];
        size_t nf = tie->nf;
        for (size_t l = 0; l < tie->components.n; l++) {
            uint32_t pair = tie->pairs.items[l];
            for (size_t e = 0; e < 2 && pair != NOWHERE; e++) { /* row: cell of end e */
                const double *Q = net->Q + tie->points.items[2 * l + e] * k * NET_FLOWS;
                const double *answer = tie->answer +
                                       (l / NET_WIDTH * (2 * k + 1) + (1 - e) * k) * NET_WIDTH +
                                       l % NET_WIDTH;
                size_t side = (1 - e) ^ (pair & PAIR_TURNED), c = tie->cells.items[2 * l + 1 - e];
                for (size_t i = 0; i < k; i++)
                    for (size_t j = 0; j < k; j++) {
                        double sum = 0;
                        for (size_t r = 0; r < nf; r++)
                            if (tie->live[r])
                                sum += Q[i * NET_FLOWS + r] *
                                       answer[r * tie->answer_size + j * NET_WIDTH];
                        add_block(net, d, c, d->place[2 * (pair >> PAIR_BITS) + side], i, j,
                                  e ? sum : -sum);
                    }
            }
        }
    }
}

bool net_solve_lu(Net *net, uint32_t *cell)
{
    if (!full_pattern(net))
        return false;
    NetDirect *d = net->direct;
    if (d->lu_version != net->version) {
        d->lu_version = 0;
        full_values(net, d);
        int column = 0;
        LuStatus status = lu_factor(&d->lu, d->value, &column);
        net->no_memory |= status == LU_NO_MEMORY;
        if (status != LU_DONE) {
            *cell = (uint32_t)column / net->block;
            return false;
        }
        d->lu_version = net->version;
    }
    double before = 0, whole = 0;
    net_start(net);
    for (net->rounds = 1; net->rounds <= MAX_STEPS; net->rounds++) {
        if (net->rounds > 1)
            net_find_residual(net);
        lu_solve(&d->lu, net->residual);
        for (size_t i = 0; i < net_order(net); i++)
            net->u[i] += net->residual[i];
        double step = length(net, net->residual);
        if (net->rounds == 1)
            whole = step;
        else if (net_settled(net, step, before, whole, 2 * LIFT))
            return true;
        else if (!(step < 0.5 * before))
            return before <= 1e-10 * whole;
        before = step;
    }
    return false;
}

/* ------------------------------------------------------------------ cost and end */

/* What it takes was measured on an EPYC of 2021: factors are made as fast as their arithmetic goes,
 * and each of two solutions streams values and rows through twice. */
static const double FLOPS_A_SECOND = 1.6e9, BYTES_A_SECOND = 8e9;
bool net_direct_cost(Net *net, double *seconds)
{
    if (!analyse(net))
        return false;
    size_t bytes = sizeof(double) + sizeof(int);
    *seconds = 2 * 2 * (double)bytes * net->direct->entries / BYTES_A_SECOND;
    if (!net->constant)
        *seconds += net->direct->flops / FLOPS_A_SECOND;
    return true;
}

void net_direct_destroy(Net *net)
{
    NetDirect *d = net->direct;
    if (!d)
        return;
    substructure_drop(net);
    if (d->begun) {
        forget(d);
        cholmod_free_dense(&d->right, &d->common);
        cholmod_free_dense(&d->solution, &d->common);
        cholmod_free_dense(&d->work[0], &d->common);
        cholmod_free_dense(&d->work[1], &d->common);
        cholmod_finish(&d->common);
    }
    lu_drop(&d->lu);
    lu_plan_drop(&d->plan);
}
