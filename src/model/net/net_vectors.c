/* net_vectors.c - the linear system of a net as loops over vectors, compiled once per instruction
 * set; see net_solve.c for the equations.
 *
 *   multiply, start        A x tie by tie and cell by cell, and the residual
 *   scale, into_scale ...  A scaled by the Cholesky factors of its diagonal blocks
 *   band_red ... turn      conjugate gradients on the scaled bands, in single precision
 *
 * Sums run in NET_WIDTH columns on every machine, so that the bits are the same for all instruction
 * sets.
 */
#include "model/net/net_lanes.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ A x, and what is missing */

/* flows of all ties of a class: those that are live, n of them */
LIEDER_INLINE void add_flows(NetWork *w, const NetTieWork *work, const int *live, const double *x,
                             double one, const int k, const int n)
{
    const NetTie *tie = work->tie;
    const uint32_t *cell = tie->cells.items, *point = tie->points.items;
    const double *answer[NET_FLOWS];
    double *flows[NET_FLOWS];
    for (int i = 0; i < n; i++) {
        answer[i] = answer_of(work, live[i], 0, k);
        flows[i] = w->flows + live[i];
    }
    for (size_t t = 0; t < tie->components.n; t++, cell += 2, point += 2) {
        const double *x0 = x + (size_t)cell[0] * (size_t)k, *x1 = x + (size_t)cell[1] * (size_t)k;
        size_t at = t / NET_WIDTH * NET_WIDTH * (size_t)(2 * k + 1) + t % NET_WIDTH;
        size_t to0 = (size_t)point[0] * NET_FLOWS, to1 = (size_t)point[1] * NET_FLOWS;
        for (int i = 0; i < n; i++) {
            const double *a = answer[i] + at;
            double lambda = one * a[2 * k * NET_WIDTH];
            for (int m = 0; m < k; m++)
                lambda += a[m * NET_WIDTH] * x0[m] + a[(k + m) * NET_WIDTH] * x1[m];
            flows[i][to0] -= lambda;
            flows[i][to1] += lambda;
        }
    }
}

LIEDER_INLINE void tie_flows(NetWork *w, const NetTieWork *tie, const double *x, double one,
                             const int k)
{
    int live[NET_FLOWS] = {0}, n = 0;
    for (int r = 0; r < (int)tie->tie->nf; r++)
        if (tie->live[r])
            live[n++] = r;
    if (n == 2)
        add_flows(w, tie, live, x, one, k, 2);
    else
        add_flows(w, tie, live, x, one, k, n);
}

/* y = M x + Q flows, or `missing`: y = -(bias + M x + Q flows); x NULL: M x is left out. Returns 0
 * if all of y is finite. */
LIEDER_INLINE double cell_rows(const NetWork *w, const double *x, const bool missing, double *y,
                               const int k)
{
    const Net *net = w->net;
    double zero = 0;
    for (size_t c = 0; c < net->ncell; c++) {
        double sum[NET_BLOCK], all = 0;
        const double *M = w->own + c * (size_t)(k * k);
        for (int i = 0; i < k; i++) {
            sum[i] = missing ? w->bias[c * (size_t)k + (size_t)i] : 0;
            for (int m = 0; m < k && x; m++)
                sum[i] += M[i * k + m] * x[c * (size_t)k + (size_t)m];
        }
        for (size_t s = net->cell_point[c]; s < net->cell_point[c + 1]; s++) {
            const double *Q = w->Q + s * (size_t)(k * NET_FLOWS);
            const double *f = w->flows + s * NET_FLOWS;
            for (int i = 0; i < k; i++)
                for (int r = 0; r < NET_FLOWS; r++)
                    sum[i] += Q[i * NET_FLOWS + r] * f[r];
        }
        for (int i = 0; i < k; i++) {
            y[c * (size_t)k + (size_t)i] = missing ? -sum[i] : sum[i];
            all += sum[i] * 0.0;
        }
        zero += all;
    }
    return zero;
}

static void multiply(NetWork *w, const double *x, bool missing, double *y)
{
    const Net *net = w->net;
    memset(w->flows, 0, (size_t)net->npoint * NET_FLOWS * sizeof(double));
    for (size_t i = 0; i < net->ties.n; i++)
        FOR_BLOCK(net->block, tie_flows(w, &w->ties[i], x, missing ? 1 : 0, K));
    if (missing)
        FOR_BLOCK(net->block, cell_rows(w, x, true, y, K));
    else
        FOR_BLOCK(net->block, cell_rows(w, x, false, y, K));
}

static double start(NetWork *w)
{
    const Net *net = w->net;
    FOR_BLOCK(net->block, return cell_rows(w, NULL, true, w->residual, K));
    return 0;
}

/* ------------------------------------------------------------------ scaling */

/* y = L^-1 x: L lower, its diagonal stored inverse */
LIEDER_INLINE void forward(const double *L, const double *x, double *y, const int k)
{
    for (int i = 0; i < k; i++) {
        double sum = x[i];
        for (int j = 0; j < i; j++)
            sum -= L[i * k + j] * y[j];
        y[i] = sum * L[i * k + i];
    }
}

/* D = L L^T, D taken from its lower half; false if it is not positive definite */
LIEDER_INLINE bool factor_block(const double *D, double *L, const int k)
{
    for (int i = 0; i < k; i++)
        for (int j = 0; j <= i; j++) {
            double sum = D[i * k + j];
            for (int h = 0; h < j; h++)
                sum -= L[i * k + h] * L[j * k + h];
            if (i != j)
                L[i * k + j] = sum * L[j * k + j];
            else if (sum > 0 && sum < INFINITY)
                L[i * k + i] = 1 / sqrt(sum);
            else
                return false;
        }
    return true;
}

/* couples from `live`: unknowns that answer to each other through others do so when scaled */
LIEDER_INLINE void find_couples(NetWork *w, bool *live, const int k)
{
    for (int i = 0; i < k; i++)
        for (int j = 0; j < i; j++)
            live[i * k + j] = live[j * k + i] = live[i * k + j] || live[j * k + i];
    for (int h = 0; h < k; h++)
        for (int i = 0; i < k; i++)
            for (int j = 0; j < k; j++)
                live[i * k + j] |= live[i * k + h] && live[h * k + j];
    w->couples = 0;
    for (int i = 0; i < k * k; i++)
        w->couples |= (uint64_t)live[i] << i;
}

LIEDER_INLINE bool scale_blocks(NetWork *w, uint32_t *cell, const int k)
{
    const Net *net = w->net;
    size_t size = (size_t)(k * k);
    for (size_t c = 0; c < net->ncell; c++)
        if (!factor_block(w->diagonal + c * size, w->factor + c * size, k)) {
            *cell = (uint32_t)c;
            return false;
        }
    bool live[NET_BLOCK * NET_BLOCK] = {0};
    for (int i = 0; i < k; i++)
        live[i * k + i] = true;
    for (size_t c = 0; c < net->ncell; c++)
        for (int i = 0; i < k; i++)
            for (int j = 0; j < i; j++)
                live[i * k + j] |= w->diagonal[c * size + (size_t)(i * k + j)] != 0;
    for (size_t p = 0; p < net->npair; p++) {
        const uint32_t *ends = net->pair_cells + 2 * p;
        const double *Li = w->factor + ends[0] * size, *Lj = w->factor + ends[1] * size;
        const double *A = w->pair_block + p * size;
        double left[NET_BLOCK][NET_BLOCK], both[NET_BLOCK][NET_BLOCK];
        for (int m = 0; m < k; m++) { /* left[m] = L_i^-1 (column m) */
            double column[NET_BLOCK];
            for (int i = 0; i < k; i++)
                column[i] = A[i * k + m];
            forward(Li, column, left[m], k);
        }
        for (int i = 0; i < k; i++) { /* (L_i^-1 A L_j^-T)^T = L_j^-1 (L_i^-1 A)^T */
            double column[NET_BLOCK];
            for (int m = 0; m < k; m++)
                column[m] = left[m][i];
            forward(Lj, column, both[i], k);
        }
        int first = net->entry_matrix[2 * p], second = net->entry_matrix[2 * p + 1];
        float *a = w->bands[first], *b = w->bands[second];
        size_t a_plane = net->bands[first].plane, b_plane = net->bands[second].plane;
        for (int i = 0; i < k; i++)
            for (int m = 0; m < k; m++) {
                float x = (float)both[i][m];
                if (net->entry[2 * p] != NOWHERE)
                    a[(size_t)(i * k + m) * a_plane + net->entry[2 * p]] = x;
                if (net->entry[2 * p + 1] != NOWHERE)
                    b[(size_t)(m * k + i) * b_plane + net->entry[2 * p + 1]] = x;
                live[i * k + m] |= A[i * k + m] != 0;
            }
    }
    find_couples(w, live, k);
    return true;
}

static bool scale(NetWork *w, uint32_t *cell)
{
    const Net *net = w->net;
    FOR_BLOCK(net->block, return scale_blocks(w, cell, K));
    return false;
}

/* sums of NET_WIDTH columns */
typedef double WideNumbers[NET_WIDTH];
static double total(const WideNumbers c)
{
    double sum = 0;
    for (int l = 0; l < NET_WIDTH; l++)
        sum += c[l];
    return sum;
}

LIEDER_INLINE double scale_vector(const NetWork *w, const double *r, double *scaled, const int k)
{
    const Net *net = w->net;
    WideNumbers sum = {0};
    for (size_t c = 0; c < net->ncell; c++) {
        double *to = scaled + c * (size_t)k;
        if (net->halo && net->halo[c]) /* stays zero: a row of another rank */
            continue;
        forward(w->factor + c * (size_t)(k * k), r + c * (size_t)k, to, k);
        for (int i = 0; i < k; i++)
            sum[c % NET_WIDTH] += to[i] * to[i];
    }
    return total(sum);
}

static double into_scale(const NetWork *w, const double *r, double *scaled)
{
    const Net *net = w->net;
    FOR_BLOCK(net->block, return scale_vector(w, r, scaled, K));
    return 0;
}

/* where component 0 of a cell stands, and the stride to the next */
static float *cell_vector(const Net *net, float *red, float *black, size_t cell, size_t *stride)
{
    uint32_t at = net->position[cell];
    bool is_red = at < net->nred;
    *stride = net->stride[!is_red];
    return is_red ? red + at : black + (at - net->nred);
}

LIEDER_INLINE double add_correction(NetWork *w, double size, const int k)
{
    const Net *net = w->net;
    WideNumbers sum = {0};
    for (size_t c = 0; c < net->ncell; c++) {
        size_t stride;
        if (net->halo && net->halo[c])
            continue;
        const float *z = cell_vector(net, w->red, w->x, c, &stride);
        const double *L = w->factor + c * (size_t)(k * k);
        double *u = w->u + c * (size_t)k, step[NET_BLOCK];
        for (int i = k; i-- > 0;) { /* L^T step = size z */
            double value = size * (double)z[(size_t)i * stride];
            sum[c % NET_WIDTH] += value * value;
            for (int j = i + 1; j < k; j++)
                value -= L[j * k + i] * step[j];
            step[i] = value * L[i * k + i];
        }
        for (int i = 0; i < k; i++)
            u[i] += step[i];
    }
    return total(sum);
}

static double out_of_scale(NetWork *w, double size)
{
    const Net *net = w->net;
    FOR_BLOCK(net->block, return add_correction(w, size, K));
    return 0;
}

/* ------------------------------------------------------------------ iteration */

typedef float Floats __attribute__((vector_size(NET_WIDTH * sizeof(float))));
typedef float HalfFloats __attribute__((vector_size(NET_WIDTH / 2 * sizeof(float))));
typedef double HalfDoubles __attribute__((vector_size(NET_WIDTH / 2 * sizeof(double))));

/* macros, since vectors wider than the machine's registers cannot be arguments of functions */
#define load_floats(from)                                                                          \
    ({                                                                                             \
        Floats loaded_;                                                                            \
        memcpy(&loaded_, (from), sizeof loaded_);                                                  \
        loaded_;                                                                                   \
    })
#define pick_floats(from, places)                                                                  \
    ({                                                                                             \
        Floats picked_;                                                                            \
        for (int l = 0; l < NET_WIDTH; l++)                                                        \
            picked_[l] = (from)[(places)[l]];                                                      \
        picked_;                                                                                   \
    })
#define splat_floats(x) ((Floats){0} + (x))

/* sums of NET_WIDTH columns in double precision, in halves that a register holds */
typedef struct Sums {
    HalfDoubles low, high;
} Sums;

#define add_to_sums(sums, floats)                                                                  \
    do {                                                                                           \
        Floats all_ = (floats);                                                                    \
        HalfFloats low_, high_;                                                                    \
        memcpy(&low_, &all_, sizeof low_);                                                         \
        memcpy(&high_, (const char *)&all_ + sizeof low_, sizeof high_);                           \
        (sums).low += __builtin_convertvector(low_, HalfDoubles);                                  \
        (sums).high += __builtin_convertvector(high_, HalfDoubles);                                \
    } while (0)

static double total_sums(const Sums *sums)
{
    double sum = 0;
    for (int l = 0; l < NET_WIDTH / 2; l++)
        sum += sums->low[l];
    for (int l = 0; l < NET_WIDTH / 2; l++)
        sum += sums->high[l];
    return sum;
}

/* the loops below are compiled for unknowns that do not answer to each other, that all do, and
 * others */
#define FOR_BANDS(w, call)                                                                         \
    do {                                                                                           \
        uint64_t couples_ = (w)->couples;                                                          \
        if (bands_apart(w)) {                                                                      \
            enum { COUPLES = BANDS_APART };                                                        \
            FOR_BLOCK((w)->net->block, call);                                                      \
        } else if (couples_ == ((uint64_t)1 << (w)->net->block * (w)->net->block) - 1) {           \
            enum { COUPLES = BANDS_ALL };                                                          \
            FOR_BLOCK((w)->net->block, call);                                                      \
        } else {                                                                                   \
            enum { COUPLES = BANDS_SOME };                                                         \
            FOR_BLOCK((w)->net->block, call);                                                      \
        }                                                                                          \
    } while (0)

enum { BANDS_APART, BANDS_ALL, BANDS_SOME };

static bool bands_apart(const NetWork *w)
{
    const Net *net = w->net;
    uint64_t diagonal = 0;
    for (uint32_t i = 0; i < net->block; i++)
        diagonal |= (uint64_t)1 << (i * net->block + i);
    return w->couples == diagonal;
}

/* acc += rows of a chunk times x: a slot beside another, all of them shifted or all scattered */
LIEDER_INLINE void chunk_rows(const Bands *m, const float *values, uint64_t live, uint32_t chunk,
                              const float *x, size_t stride, Floats *acc, const int k,
                              const int couples)
{
    uint32_t first = m->first[chunk], end = m->first[chunk + 1];
    bool scattered = first < end && m->shift[first] == NET_SCATTERED;
#define ADD_SLOTS(load)                                                                            \
    for (uint32_t s = first; s < end; s++) {                                                       \
        const float *value = values + (size_t)s * NET_WIDTH;                                       \
        for (int j = 0; j < k; j++) {                                                              \
            Floats xj = load;                                                                      \
            for (int i = 0; i < k; i++)                                                            \
                if (couples == BANDS_APART ? i == j                                                \
                                           : couples == BANDS_ALL || (live >> (i * k + j) & 1))    \
                    acc[i] += load_floats(value + (size_t)(i * k + j) * m->plane) * xj;            \
        }                                                                                          \
    }
    if (scattered)
        ADD_SLOTS(pick_floats(x + (size_t)j * stride, m->columns + s * NET_WIDTH))
    else
        ADD_SLOTS(load_floats(x + (size_t)j * stride + (ptrdiff_t)chunk * NET_WIDTH + m->shift[s]))
#undef ADD_SLOTS
}

LIEDER_INLINE void red_rows(NetWork *w, const float *x, float *y, const float *base, const int k,
                            const int couples)
{
    const Net *net = w->net;
    const Bands m = net->bands[0]; /* a copy: no store can touch it */
    const float *values = w->bands[0];
    const size_t red = net->stride[0], black = net->stride[1];
    const uint64_t live = w->couples;
    for (uint32_t c = 0; c < m.nchunk; c++) {
        Floats acc[NET_BLOCK];
        for (int i = 0; i < k; i++)
            acc[i] = splat_floats(0);
        chunk_rows(&m, values, live, c, x, black, acc, k, couples);
        for (int i = 0; i < k; i++) {
            size_t at = (size_t)i * red + c * NET_WIDTH;
            if (base)
                acc[i] = load_floats(base + at) - acc[i];
            memcpy(y + at, &acc[i], sizeof acc[i]);
        }
    }
}

static void band_red(NetWork *w, const float *x, float *y, const float *base)
{
    FOR_BANDS(w, red_rows(w, x, y, base, K, COUPLES));
}

/* q = (1 + A_bb) p - A_br red */
LIEDER_INLINE double black_rows(NetWork *w, const int k, const int couples)
{
    const Net *net = w->net;
    const Bands across = net->bands[1], among = net->bands[2];
    const size_t red = net->stride[0], black = net->stride[1];
    const uint64_t live = w->couples;
    const float *p = w->p, *from = w->red;
    float *to = w->q;
    Sums sums = {0};
    for (uint32_t c = 0; c < across.nchunk; c++) {
        Floats minus[NET_BLOCK], acc[NET_BLOCK];
        for (int i = 0; i < k; i++) {
            minus[i] = splat_floats(0);
            acc[i] = load_floats(p + (size_t)i * black + c * NET_WIDTH);
        }
        chunk_rows(&across, w->bands[1], live, c, from, red, minus, k, couples);
        if (among.nslot)
            chunk_rows(&among, w->bands[2], live, c, p, black, acc, k, couples);
        for (int i = 0; i < k; i++) {
            size_t at = (size_t)i * black + c * NET_WIDTH;
            Floats q = acc[i] - minus[i];
            memcpy(to + at, &q, sizeof q);
            add_to_sums(sums, q * load_floats(p + at));
        }
    }
    return total_sums(&sums);
}

static double band_black(NetWork *w)
{
    FOR_BANDS(w, return black_rows(w, K, COUPLES));
    return 0;
}

LIEDER_INLINE void split_rows(NetWork *w, double size, const int k, const int couples)
{
    const Net *net = w->net;
    const Bands across = net->bands[1];
    const size_t red = net->stride[0], black = net->stride[1];
    const uint64_t live = w->couples;
    const float *from = w->red_right;
    float *right = w->right;
    double factor = 1 / size;
    for (size_t c = 0; c < net->ncell; c++) {
        size_t stride;
        float *to = cell_vector(net, w->red_right, right, c, &stride);
        for (int i = 0; i < k; i++)
            to[(size_t)i * stride] = (float)(factor * w->scaled[c * (size_t)k + (size_t)i]);
    }
    for (uint32_t c = 0; c < across.nchunk; c++) {
        Floats acc[NET_BLOCK];
        for (int i = 0; i < k; i++)
            acc[i] = splat_floats(0);
        chunk_rows(&across, w->bands[1], live, c, from, red, acc, k, couples);
        for (int i = 0; i < k; i++) {
            size_t at = (size_t)i * black + c * NET_WIDTH;
            acc[i] = load_floats(right + at) - acc[i];
            memcpy(right + at, &acc[i], sizeof acc[i]);
        }
    }
}

static void split(NetWork *w, double size)
{
    FOR_BANDS(w, split_rows(w, size, K, COUPLES));
}

/* the vectors of black cells are one piece, padding and all */
static double descend(NetWork *w, float alpha)
{
    const Net *net = w->net;
    size_t n = net->stride[1] * net->block;
    const float *p = w->p, *q = w->q;
    float *to_x = w->x, *to_r = w->r;
    Sums sums = {0};
    Floats a = splat_floats(alpha);
    for (size_t i = 0; i < n; i += NET_WIDTH) {
        Floats x = load_floats(to_x + i) + a * load_floats(p + i);
        Floats r = load_floats(to_r + i) - a * load_floats(q + i);
        memcpy(to_x + i, &x, sizeof x);
        memcpy(to_r + i, &r, sizeof r);
        add_to_sums(sums, r * r);
    }
    return total_sums(&sums);
}

static void turn(NetWork *w, float beta)
{
    const Net *net = w->net;
    size_t n = net->stride[1] * net->block;
    const float *r = w->r;
    float *to = w->p;
    Floats b = splat_floats(beta);
    for (size_t i = 0; i < n; i += NET_WIDTH) {
        Floats p = load_floats(r + i) + b * load_floats(to + i);
        memcpy(to + i, &p, sizeof p);
    }
}

extern const NetVectors LIEDER_SYMBOL(net_vectors);
const NetVectors LIEDER_SYMBOL(net_vectors) = {
    start, multiply, scale, into_scale, out_of_scale, split, band_red, band_black, descend, turn};
