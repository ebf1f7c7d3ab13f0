/* net_direct.c - factorisations of the linear system of a net; see net_solve.c for the equations.
 *
 * Cholesky (cholesky.c, analysed once) where the matrix is symmetric, repeated only if the matrix
 * has changed: what is solved with it does not depend on what was solved before. Unknowns that no
 * tie couples are kept apart: only what is not zero in some cell is in the pattern, so that a net
 * whose springs act along two axes is two systems of half the size. The sum of its blocks has lost
 * part of the mass of a stiff net, and its diagonal is lifted a little, so that rounding cannot
 * make it indefinite; refinement from true residuals corrects both. Two rounds are enough as a
 * rule, five at c T_D^2 / m = 1e12.
 *
 * Ranks that share a net factor it together (net_substructure.c), and refine in the same way.
 *
 * LU (lu.c) where it is not symmetric: joints with different T_D, levers that turn.
 */
#include "model/net/net_plan.h"

#include <math.h>
#include <string.h>

#include "model/net/cholesky.h"
#include "model/linear/lu.h"

static const double LIFT = 1e-15; /* of the diagonal before it is factored */
enum { MAX_STEPS = 60 };

/* Pattern and order of the matrix without symmetry, see full_pattern. */
struct NetLuPlan {
    LuPlan lu;
    bool planned; /* it is complete */
    int *columns, *rows;
    uint32_t *place; /* by pair and side: first of its entries; by cell: first of the diagonal */
    uint32_t *diagonal;
};

/* Cholesky factors of one pattern */
typedef struct NetFactors {
    Cholesky cholesky;
    uint64_t couples; /* the pattern that was analysed, see Net */
    size_t version;   /* of the matrix that the factor belongs to; 0: none */
    double flops, entries;
} NetFactors;

struct NetDirect {
    cholmod_common common;
    /* of the pattern that was found when the net was made (Net.couples), and of all unknowns of
     * cells coupled, for matrices that do not fit it: the pattern depends on the matrix alone */
    NetFactors planned, full;
    double *p, *q, *z;
    bool begun; /* the library is */
    /* without symmetry */
    const NetLuPlan *plan; /* that of the net, or: */
    NetLuPlan own;         /* where the matrix had symmetry at the start */
    Lu lu;
    double *value; /* of the matrix; NULL: lu is not there */
    size_t lu_version;
};

/* ------------------------------------------------------------------ factorisation */

/* the lower half of the matrix while it is listed: its pattern, its values, or how long it is */
typedef struct LowerHalf {
    const NetWork *w;
    uint64_t couples; /* of unknowns: see net_couples */
    int *columns, *rows;
    const Cholesky *values;
    double lift;
    size_t n; /* entries so far */
} LowerHalf;

/* entries (i, j) of a block from i = first on whose unknowns are coupled */
static void lower_column(LowerHalf *h, size_t cell, size_t first, size_t j, const double *block,
                         size_t step, double lift)
{
    const Net *net = h->w->net;
    for (size_t i = first; i < net->block; i++) {
        if (!net_couples(net, h->couples, i, j))
            continue;
        if (h->rows)
            h->rows[h->n] = (int)(cell * net->block + i);
        if (h->values)
            *cholesky_value(h->values, h->n) = i == j ? block[i * step] * lift : block[i * step];
        h->n++;
    }
}

/* Lower half, column by column: the diagonal block, then the pairs of the cell, and of both what is
 * coupled at all. Without values it makes the pattern and returns the number of entries. Rounding
 * must not make the sum of all indefinite; the little that `lift` adds is taken out again by
 * refinement. */
static size_t lower_half(LowerHalf h)
{
    const NetWork *w = h.w;
    const Net *net = w->net;
    size_t k = net->block, first = 0;
    for (size_t c = 0; c < net->ncell; c++) {
        size_t end = first;
        while (end < net->npair && net->pair_cells[2 * end] == c)
            end++;
        for (size_t j = 0; j < k; j++) {
            if (h.columns)
                h.columns[c * k + j] = (int)h.n;
            lower_column(&h, c, j, j, w->diagonal + c * k * k + j, k, 1 + h.lift);
            for (size_t p = first; p < end; p++)
                lower_column(&h, net->pair_cells[2 * p + 1], 0, j, w->pair_block + (p * k + j) * k,
                             1, 1);
        }
        first = end;
    }
    if (h.columns)
        h.columns[net->ncell * k] = (int)h.n;
    return h.n;
}

static NetDirect *direct_of(NetWork *w)
{
    if (!w->direct)
        w->direct = net_get(&w->pool, 1, sizeof *w->direct);
    return w->direct;
}

/* once: the library's own state and our vectors */
static bool begin_factors(NetWork *w)
{
    const Net *net = w->net;
    NetDirect *d = direct_of(w);
    size_t n = net_order(net);
    if (!d || d->z)
        return d;
    if (!net->share && !d->begun)
        d->begun = cholesky_begin(&d->common);
    w->pool.failed |= !net->share && !d->begun;
    d->p = net_get(&w->pool, 3 * n, sizeof(double));
    if (!d->p || w->pool.failed)
        return false;
    d->q = d->p + n;
    d->z = d->p + 2 * n;
    return true;
}

/* couples of any rank are those of all: ranks have one pattern */
static void share_couples(NetWork *w)
{
    const Net *net = w->net;
    size_t n = (size_t)net->block * net->block;
    double bits[NET_BLOCK * NET_BLOCK];
    for (size_t i = 0; i < n; i++)
        bits[i] = (double)(w->couples >> i & 1);
    net_greatest(net, bits, n);
    for (size_t i = 0; i < n; i++)
        w->couples |= (uint64_t)(bits[i] > 0) << i;
}

/* the factors whose pattern the matrix at hand fits */
static NetFactors *factors_of(NetWork *w)
{
    bool fits = w->net->share || !(w->couples & ~w->net->couples);
    return fits ? &w->direct->planned : &w->direct->full;
}

/* pattern and symbolic factor, unless they are there; false: no memory */
static bool analyse(NetWork *w, NetFactors *f, uint64_t couples)
{
    const Net *net = w->net;
    NetDirect *d = w->direct;
    if (net->share) {
        share_couples(w);
        f->version = f->couples == w->couples ? f->version : 0;
        f->couples = w->couples;
        bool analysed = substructure_analyse(w, &f->entries, &f->flops);
        w->pool.failed |= !analysed;
        return analysed;
    }
    if (f->cholesky.factor && f->couples == couples)
        return true;
    cholesky_drop(&f->cholesky, &d->common);
    f->version = 0;
    f->couples = couples;
    size_t n = net_order(net), entries = lower_half((LowerHalf){.w = w, .couples = couples});
    bool ordered = net->factor_order && net->couples == couples, analysed = false;
    cholmod_sparse *lower =
        cholmod_allocate_sparse(n, n, entries, 1, 1, -1, CHOLMOD_PATTERN, &d->common);
    if (lower) {
        lower_half((LowerHalf){.w = w, .couples = couples, .columns = lower->p, .rows = lower->i});
        analysed = cholesky_analyse(&f->cholesky, lower, ordered ? net->factor_order : NULL,
                                    &d->common, w->pool.alloc);
        cholmod_free_sparse(&lower, &d->common);
    }
    f->flops = f->cholesky.flops;
    f->entries = f->cholesky.entries;
    w->pool.failed |= !analysed;
    return analysed;
}

/* The factors for the matrix at hand, ready to be made; NULL: no memory. They exist but in two
 * cases that cannot be foreseen, where allocating in an evaluation is better than failing: unknowns
 * answer to each other that did so in no state that was tried, and iteration fails for a matrix
 * that did not change at the start. */
static NetFactors *ready_factors(NetWork *w)
{
    if (!begin_factors(w))
        return NULL;
    NetFactors *f = factors_of(w);
    bool planned = f == &w->direct->planned;
    return analyse(w, f, planned ? w->net->couples : net_all_couples(w->net)) ? f : NULL;
}

/* factors of the matrix at hand, with a lift of the diagonal that grows where it is not definite */
static bool factorise(NetWork *w, NetFactors *f, uint32_t *cell)
{
    const Net *net = w->net;
    if (f->version == w->version)
        return true;
    f->version = 0;
    for (double lift = LIFT; lift < 1000 * LIFT; lift *= 10) {
        if (net->share) {
            if (substructure_factorise(w, lift)) {
                f->version = w->version;
                return true;
            }
            *cell = NOWHERE;
            continue;
        }
        size_t bad;
        lower_half(
            (LowerHalf){.w = w, .couples = f->couples, .values = &f->cholesky, .lift = lift});
        if (cholesky_factor(&f->cholesky, &bad, &w->direct->common)) {
            f->version = w->version;
            return true;
        }
        *cell = (uint32_t)(bad / net->block);
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
static double length(const NetWork *w, const double *x)
{
    const Net *net = w->net;
    double sum = 0;
    for (size_t c = 0, k = net->block; c < net->ncell; c++)
        for (size_t i = 0; i < k && net_is_own(net, c); i++)
            sum += w->diagonal[(c * k + i) * k + i] * x[c * k + i] * x[c * k + i];
    return sqrt(net_total(net, sum));
}

/* the solution for the right-hand side r by the factors at hand, of this rank or of all together */
static const double *solve_factored(NetWork *w, NetFactors *f, double *r)
{
    const Net *net = w->net;
    NetDirect *d = w->direct;
    if (net->share) {
        substructure_solve(w, r, d->z);
        return d->z;
    }
    return cholesky_solve(&f->cholesky, r, &d->common);
}

/* Refinement from the true residual. Where the mass is all but lost in the matrix, conjugate
 * gradients with the factorisation find it again; else their two factors would only carry the
 * noise of one direction into the others. */
bool net_solve_cholesky(NetWork *w, uint32_t *cell)
{
    const Net *net = w->net;
    NetFactors *f = ready_factors(w);
    if (!f || !factorise(w, f, cell))
        return false;
    NetDirect *d = w->direct;
    size_t n = net_order(net);
    bool plain = net_mass_lost(w, 2 * LIFT) < 0.5;
    double before = 0, whole = 0, rz = INFINITY;
    net_start(w);
    for (w->rounds = 1; w->rounds <= MAX_STEPS; w->rounds++) {
        if (w->rounds > 1)
            net_find_residual(w);
        const double *z = solve_factored(w, f, w->residual);
        if (!z)
            return false;
        double alpha = 1, beta = 0;
        if (!plain) {
            double next = dot(net, w->residual, z);
            beta = next < rz ? next / rz : 0;
            rz = next;
        }
        for (size_t i = 0; i < n; i++)
            d->p[i] = z[i] + beta * d->p[i];
        if (!plain) {
            net->vectors->multiply(w, d->p, false, d->q);
            alpha = dot(net, w->residual, d->p) / dot(net, d->p, d->q);
        }
        double step = alpha * length(w, d->p);
        if (step == 0)
            return true;
        if (!(step > 0) || !(step < INFINITY))
            return false;
        for (size_t i = 0; i < n; i++)
            w->u[i] += alpha * d->p[i];
        if (w->rounds == 1)
            whole = step;
        else if (net_settled(w, step, before, whole, 2 * LIFT))
            return true;
        before = step;
    }
    return before <= 1e-10 * whole;
}

/* ------------------------------------------------------------------ without symmetry */

static size_t full_entries(const Net *net)
{
    return (net->ncell + 2 * (size_t)net->npair) * net->block * net->block;
}

/* all of A, column by column: upper neighbours, the diagonal block, lower neighbours */
static bool full_pattern(const Net *net, NetPool *pool, NetLuPlan *d)
{
    if (d->planned)
        return true;
    size_t n = net_order(net), k = net->block, npair = net->npair;
    size_t entries = full_entries(net);
    d->columns = net_get(pool, n + 1, sizeof(int));
    d->rows = net_get(pool, entries + 1, sizeof(int));
    d->place = net_get(pool, 2 * npair + 1, sizeof(uint32_t));
    d->diagonal = net_get(pool, net->ncell + 1, sizeof(uint32_t));
    uint32_t *count = net_get(pool, net->ncell + 2, sizeof(uint32_t));
    bool ok = d->columns && d->rows && d->place && d->diagonal && count;
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
    lu_plan_drop(&d->lu); /* of an attempt that failed */
    d->planned = ok && lu_plan_create(&d->lu, (int)n, d->columns, d->rows, pool->alloc) == LU_DONE;
    pool->failed |= !d->planned;
    return d->planned;
}

bool net_plan_lu(Net *net)
{
    if (!net->lu)
        net->lu = net_get(&net->pool, 1, sizeof *net->lu);
    return net->lu && full_pattern(net, &net->pool, net->lu);
}

void net_plan_lu_drop(Net *net)
{
    if (net->lu)
        lu_plan_drop(&net->lu->lu);
}

/* factors by the plan of the net, or by an own one; false: no memory */
static bool begin_lu(NetWork *w)
{
    const Net *net = w->net;
    NetDirect *d = direct_of(w);
    if (!d || d->value)
        return d;
    bool shared = net->lu && net->lu->planned;
    if (!shared && !full_pattern(net, &w->pool, &d->own))
        return false;
    d->plan = shared ? net->lu : &d->own;
    lu_drop(&d->lu); /* of an attempt that failed */
    if (lu_create(&d->lu, &d->plan->lu) == LU_DONE)
        d->value = net_get(&w->pool, full_entries(net) + 1, sizeof(double));
    w->pool.failed |= !d->value;
    return d->value;
}

/* adds x to entry (i, j) of a block, number `place` in the column of cell `c` */
static void add_entry(const Net *net, NetDirect *d, size_t c, size_t place, size_t i, size_t j,
                      double x)
{
    size_t k = net->block;
    d->value[(size_t)d->plan->columns[c * k + j] + (place - d->plan->diagonal[c]) * k + i] += x;
}

/* the block of one end of a tie: Q of that end times what the tie answers to the cell of the other
 */
static void add_end(const NetWork *w, NetDirect *d, size_t t, size_t l, size_t e)
{
    const Net *net = w->net;
    const NetTie *tie = net->ties.items[t];
    size_t k = net->block, other = 1 - e;
    uint32_t pair = tie->pairs.items[l];
    const double *Q = w->Q + tie->points.items[2 * l + e] * k * NET_FLOWS;
    const double *answer =
        w->ties[t].answer + (l / NET_WIDTH * (2 * k + 1) + other * k) * NET_WIDTH + l % NET_WIDTH;
    size_t place = d->plan->place[2 * (pair >> PAIR_BITS) + (other ^ (pair & PAIR_TURNED))];
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++) {
            double sum = 0;
            for (size_t r = 0; r < tie->nf; r++)
                if (w->ties[t].live[r])
                    sum += Q[i * NET_FLOWS + r] * answer[r * tie->answer_size + j * NET_WIDTH];
            add_entry(net, d, tie->cells.items[2 * l + other], place, i, j, e ? sum : -sum);
        }
}

/* the blocks of cells and ties summed into the sparse matrix */
static void full_values(const NetWork *w, NetDirect *d)
{
    const Net *net = w->net;
    const NetLuPlan *plan = d->plan;
    size_t k = net->block;
    memset(d->value, 0, (size_t)plan->columns[net_order(net)] * sizeof(double));
    for (size_t c = 0; c < net->ncell; c++)
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < k; j++)
                add_entry(net, d, c, plan->diagonal[c], i, j, w->diagonal[(c * k + i) * k + j]);
    for (size_t t = 0; t < net->ties.n; t++)
        for (size_t l = 0; l < net->ties.items[t]->components.n; l++)
            for (size_t e = 0; e < 2 && net->ties.items[t]->pairs.items[l] != NOWHERE; e++)
                add_end(w, d, t, l, e);
}

bool net_solve_lu(NetWork *w, uint32_t *cell)
{
    const Net *net = w->net;
    if (!begin_lu(w))
        return false;
    NetDirect *d = w->direct;
    if (d->lu_version != w->version) {
        d->lu_version = 0;
        full_values(w, d);
        int column = 0;
        LuStatus status = lu_factor(&d->lu, d->value, &column);
        w->pool.failed |= status == LU_NO_MEMORY;
        if (status != LU_DONE) {
            *cell = (uint32_t)column / net->block;
            return false;
        }
        d->lu_version = w->version;
    }
    double before = 0, whole = 0;
    net_start(w);
    for (w->rounds = 1; w->rounds <= MAX_STEPS; w->rounds++) {
        if (w->rounds > 1)
            net_find_residual(w);
        lu_solve(&d->lu, w->residual);
        for (size_t i = 0; i < net_order(net); i++)
            w->u[i] += w->residual[i];
        double step = length(w, w->residual);
        if (w->rounds == 1)
            whole = step;
        else if (net_settled(w, step, before, whole, 2 * LIFT))
            return true;
        else if (!(step < 0.5 * before))
            return before <= 1e-10 * whole;
        before = step;
    }
    return false;
}

/* ------------------------------------------------------------------ cost and end */

/* the order in which this thread factors becomes that of the net; false: no memory */
static bool keep_order(Net *net, const NetWork *w)
{
    const cholmod_factor *factor = w->direct->planned.cholesky.factor;
    if (net->share || net->factor_order)
        return true; /* ranks have orders of their own */
    net->factor_order = net_get(&net->pool, factor->n + 1, sizeof(int));
    if (!net->factor_order)
        return false;
    memcpy(net->factor_order, factor->Perm, factor->n * sizeof(int));
    return true;
}

/* Measured on an EPYC of 2021: factors take the time of their arithmetic, and each of two solutions
 * reads values and rows twice. */
static const double FLOPS_A_SECOND = 1.6e9, BYTES_A_SECOND = 8e9;
bool net_direct_cost(Net *net, NetWork *w, double *seconds)
{
    NetFactors *f = ready_factors(w);
    if (!f)
        return false;
    w->pool.failed |= !keep_order(net, w);
    size_t bytes = sizeof(double) + sizeof(int);
    *seconds = 2 * 2 * (double)bytes * f->entries / BYTES_A_SECOND;
    if (!net->constant)
        *seconds += f->flops / FLOPS_A_SECOND;
    return true;
}

bool net_direct_prepare(NetWork *w)
{
    if ((w->net->method == NET_LU || w->net->needs_lu) && !begin_lu(w))
        return false;
    if (w->net->method == NET_LU)
        return true;
    if (w->net->method == NET_ITERATE && !w->net->needs_factors)
        return true;
    w->couples = w->net->couples;
    return ready_factors(w);
}

void net_direct_destroy(NetWork *w)
{
    NetDirect *d = w->direct;
    if (!d)
        return;
    substructure_drop(w);
    if (d->begun) {
        cholesky_drop(&d->planned.cholesky, &d->common);
        cholesky_drop(&d->full.cholesky, &d->common);
        cholmod_finish(&d->common);
    }
    lu_drop(&d->lu);
    lu_plan_drop(&d->own.lu);
}
