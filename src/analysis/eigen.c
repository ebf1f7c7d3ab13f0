/* eigen.c - all eigenvalues of the blocks of a linear model, by LAPACK.
 *
 * dgeevx balances the block (rows and columns scaled by powers of two), reduces it, and gives
 * eigenvalues with left and right eigenvectors w, v and the condition s = |w* v| of each. An
 * eigenvalue is off by at most, to first order,
 *
 *   (|| D^-1 E D ||_1 + eps sqrt(n) || D^-1 A D ||_1) / s
 *
 * with the errors E of the differences and the scaling D of the balancing. This bound distinguishes
 * an undamped motion from one with a little damping, and a motion at rest (a free body has a double
 * eigenvalue 0 with one eigenvector: s is about 1e-8) from a slow one.
 *
 * Participation of state k: |w_k| |v_k| over the sum of all (Perez-Arriaga et al. 1982,
 * magnitudes). It does not depend on the units of the states. Where s vanishes the products vanish,
 * too, and the squares of the balanced right vector are taken.
 *
 * A fleet has one block per lane, most of them equal: lanes with the same bits count once.
 */
#include "analysis/analysis.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/delayed.h"

/* dgeevx of LAPACK; the lengths of the texts follow at the end, as gfortran passes them */
typedef void Dgeevx(const char *balance, const char *left, const char *right, const char *sense,
                    const int *n, double *a, const int *lda, double *wr, double *wi, double *vl,
                    const int *ldvl, double *vr, const int *ldvr, int *ilo, int *ihi, double *scale,
                    double *norm, double *rconde, double *rcondv, double *work, const int *lwork,
                    int *iwork, int *info, size_t, size_t, size_t, size_t);

/* ------------------------------------------------------------------ order */

static int compare_values(const void *a, const void *b)
{
    const Eigenvalue *p = a, *q = b;
    double m = hypot(p->re, p->im), k = hypot(q->re, q->im);
    if (m != k) /* of a pair both have the same bits */
        return m > k ? -1 : 1;
    if (p->re != q->re)
        return p->re < q->re ? -1 : 1;
    return p->im > q->im ? -1 : p->im < q->im;
}

void eigen_sort(Eigenvalue *values, size_t n)
{
    qsort(values, n, sizeof *values, compare_values);
}

Motion eigen_motion(const Eigenvalue *v)
{
    if (hypot(v->re, v->im) <= v->error)
        return MOTION_REST;
    if (fabs(v->re) <= v->error)
        return MOTION_UNDAMPED;
    return v->re < 0 ? MOTION_DECAYING : MOTION_GROWING;
}

/* ------------------------------------------------------------------ participation */

void eigen_shares(Eigenvalue *value, const double *parts, size_t n)
{
    for (size_t i = 0; i < SHARES; i++)
        value->shares[i].part = 0;
    for (size_t k = 0; k < n; k++) {
        size_t at = SHARES;
        while (at > 0 && (float)parts[k] > value->shares[at - 1].part)
            at--;
        for (size_t i = SHARES; i-- > at + 1;)
            value->shares[i] = value->shares[i - 1];
        if (at < SHARES) {
            value->shares[at].state = (uint32_t)k;
            value->shares[at].part = (float)parts[k];
        }
    }
}

void eigen_parts(size_t n, const double *w, const double *v, double condition, double *parts)
{
    double sum = 0;
    bool lost = condition < 1e-6; /* a double eigenvalue with one vector, but for rounding */
    for (size_t k = 0; k < n; k++) {
        parts[k] = lost ? v[k] * v[k] : w[k] * v[k];
        sum += parts[k];
    }
    for (size_t k = 0; k < n; k++)
        parts[k] = sum > 0 ? parts[k] / sum : 1.0 / (double)n;
}

/* magnitudes of a complex vector whose parts stand in two columns (imaginary NULL: real), times or
 * over the scale */
static void magnitudes(size_t n, const double *re, const double *im, const double *scale, bool over,
                       double *to)
{
    for (size_t k = 0; k < n; k++) {
        double size = im ? hypot(re[k], im[k]) : fabs(re[k]);
        to[k] = over ? size / scale[k] : size * scale[k];
    }
}

/* ------------------------------------------------------------------ one block */

/* room for calls of dgeevx, made once for all blocks of a shape */
typedef struct DenseEigen {
    const LiederAllocator *alloc;
    size_t n, bytes;
    double *A, *left, *right, *wr, *wi, *scale, *rconde, *rcondv, *work;
    int *iwork, nwork;
    Dgeevx *dgeevx;
} DenseEigen;

/* workspace of LAPACK's eigenvalues for matrices of this order */
static LiederStatus dense_create(DenseEigen *d, const LiederAllocator *alloc, size_t n)
{
    *d = (DenseEigen){
        .alloc = alloc, .n = n, .dgeevx = (Dgeevx *)delayed_function(LIEDER_LAPACK, "dgeevx_")};
    if (!d->dgeevx)
        return LIEDER_IO; /* spectrum_create reports why */
    int order = (int)n, ilo, ihi, info, query = -1;
    double size = 0, none = 0;
    d->dgeevx("B", "V", "V", "E", &order, &none, &order, &none, &none, &none, &order, &none, &order,
              &ilo, &ihi, &none, &none, &none, &none, &size, &query, &ilo, &info, 1, 1, 1, 1);
    d->nwork = (int)size;
    d->bytes = (3 * n * n + 5 * n + (size_t)d->nwork) * sizeof(double) + 2 * n * sizeof(int);
    d->A = memory_zeroed(alloc, d->bytes);
    if (!d->A)
        return LIEDER_NO_MEMORY;
    d->left = d->A + n * n;
    d->right = d->left + n * n;
    d->wr = d->right + n * n;
    d->wi = d->wr + n;
    d->scale = d->wi + n;
    d->rconde = d->scale + n;
    d->rcondv = d->rconde + n;
    d->work = d->rcondv + n;
    d->iwork = (int *)(d->work + d->nwork);
    return LIEDER_DONE;
}

static void dense_drop(DenseEigen *d)
{
    memory_free(d->alloc, d->A, d->bytes);
}

/* || D^-1 E D ||_1; rows and columns that were only exchanged keep their size */
static double error_norm(const DenseEigen *d, const double *error)
{
    double most = 0;
    for (size_t c = 0; c < d->n; c++) {
        double sum = 0;
        for (size_t r = 0; r < d->n; r++)
            sum += error[c * d->n + r] * d->scale[c] / d->scale[r];
        most = fmax(most, sum);
    }
    return most;
}

/* eigenvalues of A with error bounds, from the errors of its entries; parts: participations of the
 * states, n for each, or NULL */
static LiederStatus dense_solve(DenseEigen *d, const double *A, const double *error,
                                Eigenvalue *values, double *parts)
{
    size_t n = d->n;
    int order = (int)n, ilo, ihi, info;
    double norm;
    memcpy(d->A, A, n * n * sizeof(double));
    d->dgeevx("B", "V", "V", "E", &order, d->A, &order, d->wr, d->wi, d->left, &order, d->right,
              &order, &ilo, &ihi, d->scale, &norm, d->rconde, d->rcondv, d->work, &d->nwork,
              d->iwork, &info, 1, 1, 1, 1);
    if (info != 0)
        return LIEDER_GAVE_UP;
    for (size_t i = 0; i < n; i++) /* outside of ilo ... ihi scale has numbers of rows */
        if (i + 1 < (size_t)ilo || i >= (size_t)ihi)
            d->scale[i] = 1;
    double off = error_norm(d, error) + DBL_EPSILON * sqrt((double)n) * norm;
    double *room = d->work; /* parts of one eigenvalue and magnitudes of its vectors */
    for (size_t k = 0; k < n; k++) {
        bool pair = d->wi[k] != 0;
        values[k] = (Eigenvalue){.re = d->wr[k],
                                 .im = d->wi[k],
                                 .error = d->rconde[k] > 0 ? off / d->rconde[k] : INFINITY};
        /* LAPACK keeps v and its conjugate in two columns: real and imaginary part */
        size_t column = pair && d->wi[k] < 0 ? k - 1 : k;
        const double *w = d->left + column * n, *v = d->right + column * n;
        double *to = parts ? parts + k * n : room;
        magnitudes(n, w, pair ? w + n : NULL, d->scale, false, room + n);
        magnitudes(n, v, pair ? v + n : NULL, d->scale, true, room + 2 * n);
        eigen_parts(n, room + n, room + 2 * n, d->rconde[k], to);
        eigen_shares(&values[k], to, n);
    }
    return LIEDER_DONE;
}

LiederStatus eigen_dense(const LiederAllocator *alloc, size_t n, const double *A,
                         const double *error, Eigenvalue *values, double *parts)
{
    DenseEigen d;
    LiederStatus status = dense_create(&d, alloc, n);
    if (status == LIEDER_DONE)
        status = dense_solve(&d, A, error, values, parts);
    dense_drop(&d);
    return status;
}

/* ------------------------------------------------------------------ equal lanes */

static size_t hash_bits(const double *a, size_t n)
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &a[i], sizeof bits);
        h = (h ^ bits) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return (size_t)h;
}

/* one block for all lanes of a shape with the same bits, in the order of their first lanes */
static bool group_lanes(Spectrum *s, const SystemShape *ss, const LinearShape *ls, uint32_t shape)
{
    size_t size = 64, nn = ls->n * ls->n, first = s->blocks.n;
    while (size < 2 * ls->nlane)
        size *= 2;
    size_t *table = memory_zeroed(s->alloc, size * sizeof *table); /* block + 1, 0 is free */
    bool ok = table;
    for (size_t lane = 0, n; ok && lanes_next(ss, &lane, &n, 1); lane++) {
        const double *A = ls->A + lane * nn;
        size_t at = hash_bits(A, nn) & (size - 1);
        for (; table[at]; at = (at + 1) & (size - 1)) {
            Block *b = &s->blocks.items[first + table[at] - 1];
            if (memcmp(ls->A + b->lane * nn, A, nn * sizeof(double)) == 0) {
                b->nlane++;
                break;
            }
        }
        if (table[at])
            continue;
        ok = vec_push(s->alloc, &s->blocks, (Block){.shape = shape, .lane = lane, .nlane = 1});
        table[at] = s->blocks.n - first;
    }
    memory_free(s->alloc, table, size * sizeof *table);
    return ok;
}

/* eigenvalues of a shape: equal lanes once, the others one by one */
static LiederStatus solve_shape(Spectrum *s, const SystemShape *ss, const LinearShape *ls,
                                uint32_t shape, bool quick)
{
    size_t first = s->blocks.n;
    DenseEigen d = {0};
    if (!group_lanes(s, ss, ls, shape))
        return LIEDER_NO_MEMORY;
    LiederStatus status = quick ? LIEDER_DONE : dense_create(&d, s->alloc, ls->n);
    for (size_t i = first; i < s->blocks.n && status == LIEDER_DONE; i++) {
        Block *b = &s->blocks.items[i];
        size_t at = b->lane * ls->n * ls->n;
        b->complete = true;
        b->first = s->values.n;
        b->n = ls->n;
        if (!vec_resize(s->alloc, &s->values, s->values.n + b->n))
            status = LIEDER_NO_MEMORY;
        else if (quick)
            status = eigen_small(b->n, ls->A + at, ls->error + at, s->values.items + b->first)
                         ? LIEDER_DONE
                         : LIEDER_GAVE_UP;
        else
            status = dense_solve(&d, ls->A + at, ls->error + at, s->values.items + b->first, NULL);
        if (status == LIEDER_DONE)
            eigen_sort(s->values.items + b->first, b->n);
    }
    if (!quick)
        dense_drop(&d);
    return status;
}

/* ------------------------------------------------------------------ the whole system */

enum { FASTEST = 12 }; /* so many are found of a block that is too large for all */

/* the fastest eigenvalues of each lane of a shape that is too large for a dense matrix */
static LiederStatus solve_large(Spectrum *s, Linear *l, uint32_t shape)
{
    LiederStatus status = LIEDER_DONE;
    const SystemShape *ss = &l->system->shapes.items[shape];
    for (size_t lane = 0, n; status == LIEDER_DONE && lanes_next(ss, &lane, &n, 1); lane++) {
        Block b = {.shape = shape, .lane = lane, .nlane = 1, .first = s->values.n, .n = FASTEST};
        if (!vec_resize(s->alloc, &s->values, b.first + b.n))
            return LIEDER_NO_MEMORY;
        status = eigen_extreme(l, shape, lane, s->values.items + b.first, &b.n, &s->products);
        s->values.n = b.first + b.n;
        if (status == LIEDER_DONE && !vec_push(s->alloc, &s->blocks, b))
            status = LIEDER_NO_MEMORY;
    }
    return status;
}

/* ------------------------------------------------------------------ the spectrum */

LiederStatus spectrum_create(Spectrum *s, Linear *l)
{
    *s = (Spectrum){.alloc = SYSTEM_ALLOC(l->system)};
    char problem[400];
    LiederStatus status = LIEDER_DONE;
    for (uint32_t i = 0; i < l->shapes.n && status == LIEDER_DONE; i++) {
        const LinearShape *ls = &l->shapes.items[i];
        if (ls->n && ls->nlane)
            status = ls->A ? solve_shape(s, &l->system->shapes.items[i], ls, i, false)
                           : solve_large(s, l, i);
    }
    if (status == LIEDER_NO_MEMORY)
        diag_error(&l->system->session->diag, NULL, NULL, "not enough memory for the eigenvalues");
    else if (status == LIEDER_IO && *analysis_problem(problem, sizeof problem))
        diag_error(&l->system->session->diag, NULL, NULL,
                   "LAPACK cannot be loaded: %s\ninstall it; it finds the eigenvalues", problem);
    else if (status != LIEDER_DONE)
        diag_error(&l->system->session->diag, NULL, NULL,
                   "the eigenvalues at t = %g could not be found", l->t);
    return status;
}

LiederStatus spectrum_quick(Spectrum *s, Linear *l)
{
    *s = (Spectrum){.alloc = SYSTEM_ALLOC(l->system)};
    LiederStatus status = LIEDER_DONE;
    for (uint32_t i = 0; i < l->shapes.n && status == LIEDER_DONE; i++) {
        const LinearShape *ls = &l->shapes.items[i];
        if (ls->n > EIGEN_SMALL || !ls->A)
            status = ls->n ? LIEDER_GAVE_UP : LIEDER_DONE;
        else if (ls->n && ls->nlane)
            status = solve_shape(s, &l->system->shapes.items[i], ls, i, true);
    }
    if (status == LIEDER_DONE)
        return status;
    spectrum_drop(s);
    return spectrum_create(s, l);
}

void spectrum_drop(Spectrum *s)
{
    if (!s->alloc)
        return;
    vec_drop(s->alloc, &s->blocks);
    vec_drop(s->alloc, &s->values);
    *s = (Spectrum){0};
}

const Block *spectrum_block(const Spectrum *s, size_t value)
{
    size_t low = 0, high = s->blocks.n;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(s->blocks.items[middle].first <= value ? &low : &high) = middle;
    }
    return &s->blocks.items[low];
}

void spectrum_range(const Spectrum *s, uint32_t shape, size_t k, double *least, double *most)
{
    *least = INFINITY;
    *most = 0;
    for (size_t i = 0; i < s->blocks.n; i++) {
        const Block *b = &s->blocks.items[i];
        if (b->shape != shape || k >= b->n)
            continue;
        const Eigenvalue *v = &s->values.items[b->first + k];
        *least = fmin(*least, hypot(v->re, v->im));
        *most = fmax(*most, hypot(v->re, v->im));
    }
}

const Block *spectrum_fastest(const Spectrum *s, uint32_t shape, size_t *count)
{
    const Block *best = NULL;
    double most = -1;
    *count = 0;
    for (size_t i = 0; i < s->blocks.n; i++) {
        const Block *b = &s->blocks.items[i];
        if (b->shape != shape)
            continue;
        ++*count;
        double size = hypot(s->values.items[b->first].re, s->values.items[b->first].im);
        if (size > most) {
            most = size;
            best = b;
        }
    }
    return best;
}

bool spectrum_complete(const Spectrum *s)
{
    for (size_t i = 0; i < s->blocks.n; i++)
        if (!s->blocks.items[i].complete)
            return false;
    return true;
}
