/* net_solve.c - the linear system of a net.
 *
 * Cell i has the unknowns u_i and the residuals r_i = bias_i + M_i u_i + sum of Q_s f_s over its
 * points; tie t takes lambda_t = lambda0_t + Lambda_t0 u_a + Lambda_t1 u_b at its second point and
 * gives it back at its first. So A u = -r, r the residuals at u = 0, with
 *
 *   A_ii = M_i + sum Q Lambda,   A_ij = sum Q Lambda,   in general symmetric positive definite
 *
 * A stiff net has entries c T_D^2 beside m, and their sum loses the mass: with c T_D^2 / m = 1e12
 * the diagonal keeps four digits of it, and the motion of the net as a whole, which its mass
 * decides, would be wrong by as much. Therefore residuals are always computed tie by tie
 * (multiply): both ends of a tie get the same number with opposite signs, so that the sum over the
 * net stays right; and the answers of a tie to the states (lambda0, up to c times a length) are
 * added to those to u before anything smaller. The summed matrix is an approximation only;
 * refinement solves with it again for the error that is left.
 *
 * Iteration. Blocks are scaled, L_i^-1 A_ij L_j^-T with A_ii = L_i L_i^T, and kept as floats. An
 * independent set of cells ("red": no two are tied) is eliminated,
 *
 *   S = 1 + A_bb - A_br A_rb,
 *
 * which costs nothing and halves the number of conjugate gradient steps where the net has two
 * colours: if the eigenvalues of the scaled A lie in 1 +- rho, those of S lie in 1 - rho^2 ... 1.
 * A square net has rho = 4 kappa / (1 + 4 kappa) with kappa = c T_D^2 / m. Two or three rounds of
 * that with residuals in double precision give full accuracy, for half the traffic.
 *
 * Factorisation. Beyond some hundred steps a factorisation is cheaper (net_direct.c), and a net
 * whose matrix is not symmetric has no other way.
 *
 * Of a net that ranks share each has the rows of its own cells; the rest of the vectors comes from
 * the other ranks (net_share.c).
 *
 * The result depends on the system alone, not on what was solved before.
 */
#include "model/net/net_plan.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SYMMETRIC = 1e-9; /* up to here refinement corrects what is not symmetric */
static const double ROUND_OFF = 1e-13;
static const float INNER_TOLERANCE = 2e-7f;
enum { MAX_ROUNDS = 12, MAX_ITERATIONS = 3000, SOFT_ITERATIONS = 48 };

size_t net_order(const Net *net)
{
    return (size_t)net->ncell * net->block;
}

/* ------------------------------------------------------------------ pairs of cells */

typedef struct PairKey {
    uint32_t low, high, tie, lane;
} PairKey;

static int compare_pairs(const void *a, const void *b)
{
    const PairKey *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    if (x->tie != y->tie)
        return x->tie < y->tie ? -1 : 1;
    return x->lane < y->lane ? -1 : x->lane > y->lane;
}

/* numbers the pairs of cells that ties join */
static bool find_pairs(Net *net)
{
    const LiederAllocator *alloc = net->pool.alloc;
    VEC(PairKey) keys = {0};
    bool ok = true;
    for (uint32_t i = 0; i < net->ties.n && ok; i++) {
        NetTie *tie = net->ties.items[i];
        ok = vec_resize(alloc, &tie->pairs, tie->components.n);
        for (uint32_t t = 0; t < tie->components.n && ok; t++) {
            uint32_t a = tie->cells.items[2 * t], b = tie->cells.items[2 * t + 1];
            tie->pairs.items[t] = NOWHERE;
            if (a != b)
                ok = vec_push(alloc, &keys, (PairKey){a < b ? a : b, a < b ? b : a, i, t});
        }
    }
    if (ok && keys.n)
        qsort(keys.items, keys.n, sizeof *keys.items, compare_pairs);
    net->pair_cells = ok ? net_get(&net->pool, 2 * keys.n, sizeof(uint32_t)) : NULL;
    ok = net->pair_cells;
    for (size_t i = 0; i < keys.n && ok; i++) {
        const PairKey *k = &keys.items[i];
        bool fresh = i == 0 || k->low != k[-1].low || k->high != k[-1].high;
        if (fresh) {
            net->pair_cells[2 * net->npair] = k->low;
            net->pair_cells[2 * net->npair++ + 1] = k->high;
        }
        NetTie *tie = net->ties.items[k->tie];
        tie->pairs.items[k->lane] = (net->npair - 1) << PAIR_BITS | (fresh ? PAIR_FIRST : 0) |
                                    (tie->cells.items[2 * k->lane] != k->low ? PAIR_TURNED : 0);
    }
    vec_drop(alloc, &keys);
    return ok;
}

/* ------------------------------------------------------------------ colours and bands */

/* an independent set, greedily in the natural order: on a square net one colour of a chessboard */
static bool find_colours(Net *net)
{
    const LiederAllocator *alloc = net->pool.alloc;
    size_t n = net->ncell;
    uint8_t *black = memory_zeroed(alloc, n + 1);
    net->position = net_get(&net->pool, n, sizeof(uint32_t));
    if (black && net->position) {
        net_share_pairs(net, black);
        /* pairs stand in the order of their lower cell: when a cell is met as the lower one, all
         * its lower neighbours have been met */
        for (size_t p = 0; p < net->npair; p++)
            if (!black[net->pair_cells[2 * p]])
                black[net->pair_cells[2 * p + 1]] = 1;
        for (size_t c = 0; c < n; c++)
            net->nred += !black[c];
        net->nblack = (uint32_t)n - net->nred - net->nhalo;
        uint32_t next[3] = {0, net->nred, net->nred + net_halo_begin(net)};
        for (size_t c = 0; c < n; c++)
            net->position[c] = next[net->halo && net->halo[c] ? 2 : black[c]]++;
    }
    bool ok = black && net->position;
    memory_free(alloc, black, n + 1);
    return ok;
}

/* one block of a band matrix: entry (pair, side) */
typedef struct BandEntry {
    uint32_t row, column, index;
} BandEntry;

static int compare_entries(const void *a, const void *b)
{
    const BandEntry *x = a, *y = b;
    if (x->row / NET_WIDTH != y->row / NET_WIDTH)
        return x->row < y->row ? -1 : 1;
    int64_t s = (int64_t)x->column - x->row, t = (int64_t)y->column - y->row;
    if (s != t)
        return s < t ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* the entries of a chunk, n of them from e on, get their slots */
static void place_chunk(Net *net, Bands *m, const BandEntry *e, size_t n)
{
    uint32_t degree[NET_WIDTH] = {0}, most = 0, shifts = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t d = ++degree[e[i].row % NET_WIDTH];
        most = d > most ? d : most;
        shifts += i == 0 || e[i].column - e[i].row != e[i - 1].column - e[i - 1].row;
    }
    /* slots by shift, unless they would stay nearly empty */
    bool scattered = shifts > 2 * most + 2;
    memset(degree, 0, sizeof degree);
    uint32_t first = m->nslot;
    for (size_t i = 0; i < n; i++) {
        uint32_t lane = e[i].row % NET_WIDTH, slot;
        if (scattered) {
            slot = first + degree[lane]++;
            m->shift[slot] = NET_SCATTERED;
            m->scattered = true;
            if (m->columns)
                m->columns[slot * NET_WIDTH + lane] = e[i].column;
            m->nslot = slot + 1 > m->nslot ? slot + 1 : m->nslot;
        } else {
            if (i == 0 || e[i].column - e[i].row != e[i - 1].column - e[i - 1].row)
                m->nslot++;
            slot = m->nslot - 1;
            m->shift[slot] = (int32_t)((int64_t)e[i].column - e[i].row);
        }
        net->entry[e[i].index] = slot * NET_WIDTH + lane;
    }
}

/* all entries in the order of their rows get their slots */
static void place_entries(Net *net, Bands *m, const BandEntry *entries, size_t n)
{
    size_t at = 0;
    m->nslot = 0;
    for (uint32_t c = 0; c < m->nchunk; c++) {
        size_t end = at;
        while (end < n && entries[end].row / NET_WIDTH == c)
            end++;
        m->first[c] = m->nslot;
        place_chunk(net, m, entries + at, end - at);
        at = end;
    }
    m->first[m->nchunk] = m->nslot;
}

/* a sparse matrix in chunks of rows whose entries stand at equal distances; false: no memory */
static bool build_bands(Net *net, int which, uint32_t nrow, BandEntry *entries, size_t n)
{
    Bands *m = &net->bands[which];
    m->nrow = nrow;
    m->nchunk = (nrow + NET_WIDTH - 1) / NET_WIDTH;
    /* no chunk needs more slots than it has entries */
    m->first = net_get(&net->pool, m->nchunk + 1, sizeof(uint32_t));
    m->shift = net_get(&net->pool, n, sizeof(int32_t));
    if (!m->first || !m->shift)
        return false;
    if (n)
        qsort(entries, n, sizeof *entries, compare_entries);
    place_entries(net, m, entries, n);
    if (m->scattered) { /* how many slots there are is known now */
        m->columns = net_get(&net->pool, (size_t)m->nslot * NET_WIDTH, sizeof(uint32_t));
        if (!m->columns)
            return false;
        place_entries(net, m, entries, n);
    }
    m->plane = (size_t)m->nslot * NET_WIDTH;
    return true;
}

/* divides the entries of ties by colour of row and column and builds the three matrices; false: no
 * memory */
static bool find_bands(Net *net)
{
    const LiederAllocator *alloc = net->pool.alloc;
    VEC(BandEntry) entries[3] = {{0}};
    bool ok = true;
    net->entry = net_get(&net->pool, 2 * (size_t)net->npair, sizeof(uint32_t));
    net->entry_matrix = net_get(&net->pool, 2 * (size_t)net->npair, 1);
    ok = net->entry && net->entry_matrix;
    for (uint32_t p = 0; p < net->npair && ok; p++)
        for (uint32_t side = 0; side < 2 && ok; side++) {
            uint32_t row = net->position[net->pair_cells[2 * p + side]],
                     column = net->position[net->pair_cells[2 * p + 1 - side]];
            int which = row < net->nred ? 0 : column < net->nred ? 1 : 2;
            net->entry[2 * p + side] = NOWHERE;
            if (net->halo && net->halo[net->pair_cells[2 * p + side]])
                continue; /* a row of another rank */
            row -= row < net->nred ? 0 : net->nred;
            column -= column < net->nred ? 0 : net->nred;
            net->entry_matrix[2 * p + side] = (uint8_t)which;
            ok = vec_push(alloc, &entries[which], (BandEntry){row, column, 2 * p + side});
        }
    for (int i = 0; i < 3 && ok; i++)
        ok = build_bands(net, i, i == 0 ? net->nred : net->nblack, entries[i].items, entries[i].n);
    for (int i = 0; i < 3; i++)
        vec_drop(alloc, &entries[i]);
    return ok;
}

enum { VECTOR_MARGIN = 2 * NET_WIDTH }; /* room around vectors for shifted reads */

/* numbers of a red and of a black vector */
static void vector_sizes(const Net *net, size_t *size)
{
    size[0] = net->stride[0] * net->block;
    size[1] = net->stride[1] * net->block;
}

/* strides of vectors of red and of black cells, and the memory of all */
static void plan_vectors(Net *net)
{
    size_t size[2];
    for (int i = 0; i < 2; i++) {
        size_t n = i ? net_halo_begin(net) + net->nhalo : net->nred;
        net->stride[i] = (n + NET_WIDTH - 1) / NET_WIDTH * NET_WIDTH + VECTOR_MARGIN;
    }
    vector_sizes(net, size);
    net->vector_bytes = (2 * size[0] + 5 * size[1] + 2 * VECTOR_MARGIN) * sizeof(float);
}

LiederStatus net_linear_plan(Net *net)
{
    if (!find_pairs(net) || !find_colours(net) || !find_bands(net))
        return LIEDER_NO_MEMORY;
    plan_vectors(net);
    return LIEDER_DONE;
}

/* two red and five black vectors */
static bool make_vectors(NetWork *w)
{
    size_t size[2];
    float *next = net_get(&w->pool, w->net->vector_bytes, 1);
    if (!next)
        return false;
    next += VECTOR_MARGIN;
    vector_sizes(w->net, size);
    float **red[] = {&w->red, &w->red_right};
    float **black[] = {&w->right, &w->x, &w->r, &w->p, &w->q};
    for (int i = 0; i < 2; i++, next += size[0])
        *red[i] = next;
    for (int i = 0; i < 5; i++, next += size[1])
        *black[i] = next;
    return true;
}

bool net_linear_create(NetWork *w)
{
    const Net *net = w->net;
    size_t n = net_order(net), k = net->block;
    w->own = net_get(&w->pool, n * k, sizeof(double));
    w->diagonal = net_get(&w->pool, n * k, sizeof(double));
    w->factor = net_get(&w->pool, n * k, sizeof(double));
    w->bias = net_get(&w->pool, n, sizeof(double));
    w->u = net_get(&w->pool, n, sizeof(double));
    w->residual = net_get(&w->pool, n, sizeof(double));
    w->scaled = net_get(&w->pool, n, sizeof(double));
    w->pair_block = net_get(&w->pool, (size_t)net->npair * k * k, sizeof(double));
    w->flows = net_get(&w->pool, (size_t)net->npoint * NET_FLOWS, sizeof(double));
    for (int i = 0; i < 3; i++)
        w->bands[i] = net_get(&w->pool, net->bands[i].plane * k * k, sizeof(float));
    return make_vectors(w) && !w->pool.failed;
}

/* ------------------------------------------------------------------ iteration */

/* conjugate gradients for S x = right, from zero; counts its steps. False: not positive. */
static bool descend_to(NetWork *w, float tolerance, size_t most)
{
    const Net *net = w->net;
    size_t bytes = net->stride[1] * net->block * sizeof(float);
    memset(w->x, 0, bytes);
    memcpy(w->r, w->right, bytes);
    memcpy(w->p, w->right, bytes);
    double first = net_total(net, net->vectors->descend(w, 0)), now = first;
    for (size_t i = 0; i < most && now > (double)tolerance * tolerance * first; i++) {
        net_fetch_black(net, w->p);
        net->vectors->band_red(w, w->p, w->red, NULL);
        double pq = net_total(net, net->vectors->band_black(w));
        if (!(pq > 0) || !(pq < INFINITY))
            return false;
        double next = net_total(net, net->vectors->descend(w, (float)(now / pq)));
        net->vectors->turn(w, (float)(next / now));
        now = next;
        w->iterations++;
    }
    return isfinite(now);
}

void net_find_residual(NetWork *w)
{
    const Net *net = w->net;
    net->vectors->multiply(w, w->u, true, w->residual);
    w->fresh = false;
}

void net_start(NetWork *w)
{
    const Net *net = w->net;
    w->iterations = w->rounds = 0;
    memset(w->u, 0, net_order(net) * sizeof(double));
    if (!w->fresh) /* another way has been tried before */
        net_find_residual(w);
}

static bool start_at_zero(NetWork *w)
{
    const Net *net = w->net;
    w->fresh = true;
    return !net_any(net, net->vectors->start(w) != 0);
}

/* part of the mass that is lost in a matrix whose numbers are `unit` apart */
double net_mass_lost(const NetWork *w, double unit)
{
    double lost = unit * w->stiffest;
    return lost < 1 ? lost : 1;
}

/* Corrections shrink from one to the next by the same factor as the last time; but the part that
 * moves the net as a whole shrinks by no more than the share of the mass that is lost. */
bool net_settled(const NetWork *w, double step, double before, double whole, double unit)
{
    double shrinks = step / before, lost = net_mass_lost(w, unit);
    return step * (shrinks > lost ? shrinks : lost) <= ROUND_OFF * whole;
}

/* false: it takes too long, or the matrix is not positive definite */
static bool iterate_net(NetWork *w)
{
    const Net *net = w->net;
    double before = 0, whole = 0;
    net_start(w);
    for (w->rounds = 1; w->rounds <= MAX_ROUNDS; w->rounds++) {
        if (w->rounds > 1)
            net_find_residual(w);
        double size = sqrt(net_total(net, net->vectors->into_scale(w, w->residual, w->scaled)));
        if (size == 0)
            return true;
        net->vectors->split(w, size);
        if (!descend_to(w, INNER_TOLERANCE, MAX_ITERATIONS - w->iterations))
            return false;
        net->vectors->band_red(w, w->x, w->red, w->red_right);
        double step = sqrt(net_total(net, net->vectors->out_of_scale(w, size)));
        net_fetch(net, w->u, net->block);
        if (w->rounds == 1)
            whole = step;
        else if (net_settled(w, step, before, whole, FLT_EPSILON / 2))
            return true;
        else if (!(step < 0.1 * before))
            return false;
        if (w->iterations >= MAX_ITERATIONS)
            return false;
        before = step;
    }
    return false;
}

/* ------------------------------------------------------------------ choice of the method */

void net_compare_diagonals(NetWork *w)
{
    const Net *net = w->net;
    size_t k = net->block;
    net_fetch(net, w->diagonal, k * k);
    w->stiffest = 1;
    for (size_t c = 0; c < net->ncell; c++) {
        const double *D = w->diagonal + c * k * k, *M = w->own + c * k * k;
        for (size_t i = 0; i < k; i++)
            if (D[i * k + i] > w->stiffest * M[i * k + i])
                w->stiffest = D[i * k + i] / M[i * k + i];
        for (size_t i = 0; i < k; i++)
            for (size_t j = 0; j < i; j++) {
                double apart = fabs(D[i * k + j] - D[j * k + i]),
                       most = sqrt(fabs(D[i * k + i] * D[j * k + j]));
                if (apart > w->lopsided * most)
                    w->lopsided = apart / most;
            }
    }
    double worst[] = {w->stiffest, w->lopsided};
    net_greatest(net, worst, 2);
    w->stiffest = worst[0];
    w->lopsided = worst[1];
}

/* scales the blocks again when the matrix has changed; false: it is not positive definite */
static bool scale_net(NetWork *w, uint32_t *cell)
{
    const Net *net = w->net;
    if (w->scaled_version == w->version)
        return true;
    w->scaled_version = 0;
    bool positive = net->vectors->scale(w, cell);
    if (net_any(net, !positive)) {
        *cell = positive ? NOWHERE : *cell;
        return false;
    }
    w->scaled_version = w->version;
    return true;
}

bool net_linear_solve(NetWork *w, uint32_t *cell)
{
    const Net *net = w->net;
    *cell = 0;
    if (!start_at_zero(w)) { /* not finite, and so are the derivatives */
        memcpy(w->u, w->residual, net_order(net) * sizeof(double));
        return true;
    }
    w->unsettled = net->share && !(w->lopsided <= SYMMETRIC);
    if (w->unsettled)
        return false;
    if (!(w->lopsided <= SYMMETRIC))
        return net_solve_lu(w, cell);
    if (!scale_net(w, cell))
        return false;
    if (net->method == NET_ITERATE && iterate_net(w))
        return true;
    return net_solve_cholesky(w, cell);
}

uint64_t net_find_couples(NetWork *w, bool *symmetric)
{
    uint32_t cell;
    *symmetric = w->lopsided <= SYMMETRIC;
    return scale_net(w, &cell) ? w->couples : net_all_couples(w->net);
}

/* a step of the iteration takes the time to read its coefficients; on an EPYC of 2021 */
static const double BYTES_A_SECOND = 12e9;

bool net_linear_choose(Net *net, NetWork *w, uint32_t *cell)
{
    net->method = NET_ITERATE;
    net->start_stiffest = w->stiffest;
    bool symmetric;
    net->couples |= net_find_couples(w, &symmetric);
    if (net->share && !(w->lopsided <= SYMMETRIC))
        return net_linear_solve(w, cell);
    start_at_zero(w);
    if (!(w->lopsided <= SYMMETRIC)) {
        net->method = NET_LU;
        w->pool.failed |= !net_plan_lu(net);
        return net_solve_lu(w, cell);
    }
    if (!scale_net(w, cell))
        return false;
    bool done = net->start_converged = iterate_net(w);
    net->start_iterations = w->iterations;
    double bytes = (double)net->vector_bytes;
    for (int i = 0; i < 3; i++)
        for (size_t plane = 0; plane < (size_t)net->block * net->block; plane++)
            if (net_couples(net, w->couples, plane / net->block, plane % net->block))
                bytes += (double)(net->bands[i].plane * sizeof(float));
    net->iterate_cost = (double)w->iterations * bytes / BYTES_A_SECOND;
    net_greatest(net, &net->iterate_cost, 1);
    if (done && w->iterations <= SOFT_ITERATIONS)
        return true;
    if (!net_direct_cost(net, w, &net->direct_cost))
        return done;
    if (done && net->iterate_cost <= net->direct_cost)
        return true;
    net->method = NET_CHOLESKY;
    return net_solve_cholesky(w, cell);
}
