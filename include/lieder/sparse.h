/* sparse.h - large systems of linear equations with few entries, for systems.h.
 *
 * The order of the pivots is chosen once for a pattern (src/block/sparse.c) and stands in a table,
 * with the places of all entries of the factors: P A Q = L U. The factors are computed column by
 * column,
 *
 *   x = A(:, j);   for k < j with U(k, j): U(k, j) = x(k), x -= L(:, k) U(k, j)
 *   D(j) = x(j), L(:, j) = x / x(j)
 *
 * on registers of lanes, each lane with its own numbers. Rows are scaled by powers of two. A lane
 * in which a pivot of the table is less than a thousandth of the largest number of its column, or
 * is nothing but rounding errors, is solved alone, with pivots chosen by its numbers among all rows
 * that are left (Gilbert, Peierls, Sparse partial pivoting in time proportional to arithmetic
 * operations, 1988). So the order of the table is a matter of speed only, and what a lane
 * computes depends on nothing but its own numbers.
 *
 * Beside each number x stands the largest number m that it was computed from. A pivot that is
 * not larger than the rounding errors of m is no pivot.
 */
#ifndef LIEDER_SPARSE_H
#define LIEDER_SPARSE_H

#include <stddef.h>
#include <string.h>

#include <lieder/real.h>

/* of the largest number of a column, what a pivot must have at least; KLU has the same limit
 * (Davis, Palamadai Natarajan, Algorithm 907: KLU, 2010) */
#define LIEDER_PIVOT_SHARE 1e-3

/* The table, in unsigned numbers: how many entries L and U have off the diagonal, then the lists.
 * Rows and columns are named by their position among the pivots. */
typedef struct LiederSparse {
    size_t n, nl, nu;
    const unsigned *row_at, *column_at;  /* by position: row and column of the system */
    const unsigned *first, *entry, *row; /* by column: entries of the system, and their rows */
    const unsigned *lfirst, *lrow;       /* by column of L: rows below the diagonal */
    const unsigned *ufirst, *urow;       /* by column of U: rows above the diagonal, ascending */
} LiederSparse;

LIEDER_INLINE LiederSparse lieder_sparse_of(const unsigned *table, int size, int nentry)
{
    const size_t n = (size_t)size, m = (size_t)nentry;
    LiederSparse s = {.n = n, .nl = table[0], .nu = table[1], .row_at = table + 2};
    s.column_at = s.row_at + n;
    s.first = s.column_at + n;
    s.entry = s.first + n + 1;
    s.row = s.entry + m;
    s.lfirst = s.row + m;
    s.lrow = s.lfirst + n + 1;
    s.ufirst = s.lrow + s.nl;
    s.urow = s.ufirst + n + 1;
    return s;
}

static inline size_t lieder_sparse_table(size_t n, size_t nentry, size_t nl, size_t nu)
{
    return 2 + 2 * n + 3 * (n + 1) + 2 * nentry + nl + nu;
}

/* reals of the factors: row scales, L, U, D, and 1 where they do not count */
static inline size_t lieder_sparse_factors(size_t n, const unsigned *table)
{
    return 2 * n + table[0] + table[1] + 1;
}

/* entries of L and of U where a lane chooses its own pivots */
static inline size_t lieder_sparse_own(size_t n, const unsigned *table)
{
    return 2 * ((size_t)table[0] + table[1]) + 8 * n;
}

/* reals beside the factors: x and m; and for a lane alone x, m, right side, D, four lists of rows
 * or columns, bits, and the entries with their rows */
static inline size_t lieder_sparse_room(size_t n, const unsigned *table)
{
    return 2 * n + 10 * n + 2 + n / 64 + 1 + 4 * lieder_sparse_own(n, table);
}

/* ------------------------------------------------------------------ factors by the table */

typedef struct LiederFactors {
    real *scale, *l, *u, *d, *refused;
    size_t apart;
} LiederFactors;

LIEDER_INLINE LiederFactors lieder_factors_at(const LiederSparse *s, real *at, size_t apart)
{
    LiederFactors f = {.scale = at, .apart = apart};
    f.l = f.scale + s->n * apart;
    f.u = f.l + s->nl * apart;
    f.d = f.u + s->nu * apart;
    f.refused = f.d + s->n * apart;
    return f;
}

/* 2^-k, where 2^k is not larger than the largest entry of the row and 2^(k+1) is */
LIEDER_INLINE void lieder_sparse_scale(const LiederSparse *s, const real *e, const LiederFactors *f)
{
    const size_t apart = f->apart;
    for (size_t i = 0; i < s->n; i++)
        f->scale[i * apart] = real_splat(0.0);
    for (size_t t = 0; t < s->first[s->n]; t++) {
        real *largest = &f->scale[s->row[t] * apart];
        *largest = maximum(absolute(e[s->entry[t] * apart]), *largest);
    }
    for (size_t i = 0; i < s->n; i++) {
        real power = real_from_bits(real_bits(f->scale[i * apart]) & 0x7ff0000000000000);
        f->scale[i * apart] = real_select((mask)(power > 0.0) & (mask)(power < (double)INFINITY),
                                          1.0 / power, real_splat(1.0));
    }
}

/* column j of A in x, of its magnitudes in m; zeros where the factors have more */
LIEDER_INLINE void lieder_sparse_scatter(const LiederSparse *s, const real *e,
                                         const LiederFactors *f, real *x, real *m, size_t j)
{
    const size_t apart = f->apart;
    const real zero = real_splat(0.0);
    for (size_t t = s->ufirst[j]; t < s->ufirst[j + 1]; t++)
        x[s->urow[t] * apart] = m[s->urow[t] * apart] = zero;
    for (size_t t = s->lfirst[j]; t < s->lfirst[j + 1]; t++)
        x[s->lrow[t] * apart] = m[s->lrow[t] * apart] = zero;
    x[j * apart] = m[j * apart] = zero;
    for (size_t t = s->first[j]; t < s->first[j + 1]; t++) {
        const size_t i = s->row[t] * apart;
        x[i] = e[s->entry[t] * apart] * f->scale[i];
        m[i] = absolute(x[i]);
    }
}

/* e: entries, x and m: room; f.refused: 1 in lanes that need pivots of their own */
LIEDER_INLINE void lieder_sparse_factor(const LiederSparse *s, const real *e,
                                        const LiederFactors *f, real *x, real *m)
{
    const size_t apart = f->apart;
    mask good = (mask)(real_splat(0.0) == 0.0);
    lieder_sparse_scale(s, e, f);
    for (size_t j = 0; j < s->n; j++) {
        lieder_sparse_scatter(s, e, f, x, m, j);
        for (size_t t = s->ufirst[j]; t < s->ufirst[j + 1]; t++) {
            const size_t k = s->urow[t];
            const real u = x[k * apart], size = m[k * apart];
            f->u[t * apart] = u;
            for (size_t q = s->lfirst[k]; q < s->lfirst[k + 1]; q++) {
                const size_t i = s->lrow[q] * apart;
                const real l = f->l[q * apart];
                x[i] = fused(-l, u, x[i]);
                m[i] = maximum(m[i], absolute(l) * size);
            }
        }
        const real pivot = x[j * apart];
        real largest = real_splat(0.0);
        for (size_t q = s->lfirst[j]; q < s->lfirst[j + 1]; q++) {
            const real below = x[s->lrow[q] * apart];
            largest = maximum(absolute(below), largest);
            f->l[q * apart] = below / pivot;
        }
        f->d[j * apart] = pivot;
        good &= (mask)(absolute(pivot) >= LIEDER_PIVOT_SHARE * largest);
        good &= (mask)(absolute(pivot) > 1e-14 * m[j * apart]);
    }
    *f->refused = real_select(good, real_splat(0.0), real_splat(1.0));
}

/* b becomes the solution; y: room */
LIEDER_INLINE void lieder_sparse_substitute(const LiederSparse *s, const LiederFactors *f, real *b,
                                            real *y)
{
    const size_t apart = f->apart;
    for (size_t i = 0; i < s->n; i++)
        y[i * apart] = b[s->row_at[i] * apart] * f->scale[i * apart];
    for (size_t j = 0; j < s->n; j++) {
        const real x = y[j * apart];
        for (size_t q = s->lfirst[j]; q < s->lfirst[j + 1]; q++) {
            const size_t i = s->lrow[q] * apart;
            y[i] = fused(-f->l[q * apart], x, y[i]);
        }
    }
    for (size_t j = s->n; j-- > 0;) {
        const real x = y[j * apart] / f->d[j * apart];
        b[s->column_at[j] * apart] = x;
        for (size_t t = s->ufirst[j]; t < s->ufirst[j + 1]; t++) {
            const size_t k = s->urow[t] * apart;
            y[k] = fused(-f->u[t * apart], x, y[k]);
        }
    }
}

/* ------------------------------------------------------------------ a lane alone */

/* One lane with pivots of its own. Rows are named by their position in the table, `pivot_of` says
 * where they have become a pivot, -1: nowhere yet. Numbers of rows are kept as doubles. */
typedef struct LiederAlone {
    const LiederSparse *s;
    double *x, *m, *b, *d;
    double *pivot_of, *row_of; /* row to pivot and back */
    double *lfirst, *ufirst;
    double *open, *seen; /* rows of the column at hand that are no pivots yet; 1: x counts */
    double *bits;        /* pivots of the column at hand that have not been used */
    double *l, *lrow, *u, *urow;
    size_t nopen, nown;
} LiederAlone;

LIEDER_INLINE LiederAlone lieder_alone_at(const LiederSparse *s, const unsigned *table,
                                          double *room)
{
    const size_t n = s->n;
    LiederAlone t = {.s = s, .nown = lieder_sparse_own(n, table)};
    double **const lists[] = {&t.x,      &t.m,    &t.b,    &t.d,     &t.pivot_of,
                              &t.row_of, &t.open, &t.seen, &t.lfirst};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++, room += n)
        *lists[k] = room;
    t.ufirst = room + 1; /* both have n + 1 */
    t.bits = t.ufirst + n + 1;
    t.l = t.bits + n / 64 + 1;
    t.lrow = t.l + t.nown;
    t.u = t.lrow + t.nown;
    t.urow = t.u + t.nown;
    return t;
}

/* row i has a number in the column at hand */
LIEDER_INLINE void lieder_alone_touch(LiederAlone *t, size_t i)
{
    if (t->seen[i] != 0)
        return;
    t->seen[i] = 1;
    t->x[i] = t->m[i] = 0;
    if (t->pivot_of[i] < 0) {
        t->open[t->nopen++] = (double)i;
        return;
    }
    const size_t k = (size_t)t->pivot_of[i];
    uint64_t word;
    memcpy(&word, &t->bits[k / 64], sizeof word);
    word |= (uint64_t)1 << k % 64;
    memcpy(&t->bits[k / 64], &word, sizeof word);
}

/* takes the first pivot that is marked, from word *at on; the number of pivots: none */
LIEDER_INLINE size_t lieder_alone_next(LiederAlone *t, size_t *at, size_t j)
{
    for (; *at * 64 < j; ++*at) {
        uint64_t word;
        memcpy(&word, &t->bits[*at], sizeof word);
        if (!word)
            continue;
        const size_t k = *at * 64 + (size_t)__builtin_ctzll(word);
        word &= word - 1;
        memcpy(&t->bits[*at], &word, sizeof word);
        return k;
    }
    return t->s->n;
}

/* column j without what earlier pivots take out; 0: no room for the factors */
LIEDER_INLINE int lieder_alone_column(LiederAlone *t, size_t j)
{
    size_t word = 0, to = (size_t)t->ufirst[j];
    for (size_t k; (k = lieder_alone_next(t, &word, j)) < t->s->n;) {
        const size_t row = (size_t)t->row_of[k];
        const double u = t->x[row], size = t->m[row];
        t->seen[row] = 0;
        if (to == t->nown)
            return 0;
        t->u[to] = u;
        t->urow[to++] = (double)k;
        for (size_t q = (size_t)t->lfirst[k]; q < (size_t)t->lfirst[k + 1]; q++) {
            const size_t i = (size_t)t->lrow[q];
            const double l = t->l[q], far = fabs(l) * size;
            lieder_alone_touch(t, i);
            t->x[i] -= l * u;
            t->m[i] = far > t->m[i] ? far : t->m[i];
        }
    }
    t->ufirst[j + 1] = (double)to;
    return 1;
}

/* the row of the pivot: that of the table if it is not much less than the largest; n: there is none
 */
LIEDER_INLINE size_t lieder_alone_pivot(const LiederAlone *t, size_t j)
{
    double largest = -1;
    size_t best = t->s->n;
    for (size_t q = 0; q < t->nopen; q++) {
        const size_t i = (size_t)t->open[q];
        if (fabs(t->x[i]) > largest || best == t->s->n) {
            best = i;
            largest = fabs(t->x[i]);
        }
    }
    if (t->seen[j] != 0 && t->pivot_of[j] < 0 && fabs(t->x[j]) >= LIEDER_PIVOT_SHARE * largest)
        return j;
    return best;
}

/* the pivot of column j, and the column of L; 0: no room, or no row has a number */
LIEDER_INLINE int lieder_alone_take(LiederAlone *t, size_t j, int bend, double *failed)
{
    const size_t row = lieder_alone_pivot(t, j);
    size_t to = (size_t)t->lfirst[j];
    if (row == t->s->n)
        return 0;
    double pivot = t->x[row], size = t->m[row];
    if (fabs(pivot) <= 1e-14 * size) {
        *failed = *failed == 0 ? (double)t->s->column_at[j] + 1 : *failed;
        double instead = size > 0 ? 1e-8 * size : 1.0;
        if (bend)
            pivot = pivot < 0 ? -instead : instead;
    }
    t->d[j] = pivot;
    t->pivot_of[row] = (double)j;
    t->row_of[j] = (double)row;
    for (size_t q = 0; q < t->nopen; q++) {
        const size_t i = (size_t)t->open[q];
        t->seen[i] = 0;
        if (i == row || t->x[i] == 0)
            continue;
        if (to == t->nown)
            return 0;
        t->l[to] = t->x[i] / pivot;
        t->lrow[to++] = (double)i;
    }
    t->nopen = 0;
    t->lfirst[j + 1] = (double)to;
    return 1;
}

/* b becomes the solution in one lane; returns 0, or 1 + the first column without a pivot */
static __attribute__((unused, noinline)) double
lieder_sparse_lane(const LiederSparse *s, const unsigned *table, const real *e,
                   const LiederFactors *f, real *b, double *room, int lane, int bend)
{
    const size_t n = s->n, apart = f->apart;
    LiederAlone t = lieder_alone_at(s, table, room);
    double failed = 0;
    memset(t.seen, 0, n * sizeof *t.seen);
    memset(t.bits, 0, (n / 64 + 1) * sizeof *t.bits);
    t.lfirst[0] = t.ufirst[0] = 0;
    for (size_t i = 0; i < n; i++) {
        t.pivot_of[i] = -1;
        t.b[i] =
            LIEDER_LANE(b[s->row_at[i] * apart], lane) * LIEDER_LANE(f->scale[i * apart], lane);
    }
    int good = 1;
    for (size_t j = 0; good && j < n; j++) {
        for (size_t q = s->first[j]; q < s->first[j + 1]; q++) {
            const size_t i = s->row[q];
            lieder_alone_touch(&t, i);
            t.x[i] =
                LIEDER_LANE(e[s->entry[q] * apart], lane) * LIEDER_LANE(f->scale[i * apart], lane);
            t.m[i] = fabs(t.x[i]);
        }
        good = lieder_alone_column(&t, j) && lieder_alone_take(&t, j, bend, &failed);
        if (!good)
            failed = failed == 0 ? (double)s->column_at[j] + 1 : failed;
    }
    for (size_t j = 0; good && j < n; j++) {
        const double x = t.b[(size_t)t.row_of[j]];
        for (size_t q = (size_t)t.lfirst[j]; q < (size_t)t.lfirst[j + 1]; q++)
            t.b[(size_t)t.lrow[q]] -= t.l[q] * x;
    }
    for (size_t j = n; j-- > 0;) {
        const double x = good ? t.b[(size_t)t.row_of[j]] / t.d[j] : (double)NAN;
        LIEDER_LANE(b[s->column_at[j] * apart], lane) = x;
        for (size_t q = (size_t)t.ufirst[j]; good && q < (size_t)t.ufirst[j + 1]; q++)
            t.b[(size_t)t.row_of[(size_t)t.urow[q]]] -= t.u[q] * x;
    }
    return failed;
}

/* ------------------------------------------------------------------ solution */

/* b becomes the solution with factors that have been computed; returns 0, or 1 + the first column
 * without a pivot; y: n reals, room: doubles for a lane alone */
LIEDER_INLINE real lieder_sparse_finish(const LiederSparse *s, const unsigned *table, const real *e,
                                        const LiederFactors *f, real *b, real *y, real *alone,
                                        double *room, int bend)
{
    real failed = real_splat(0.0);
    const int any = mask_any((mask)(*f->refused != 0.0));
    for (size_t i = 0; any && i < s->n; i++)
        alone[i * f->apart] = b[i * f->apart];
    lieder_sparse_substitute(s, f, b, y);
    for (int lane = 0; any && lane < LIEDER_LANES; lane++) {
        if (LIEDER_LANE(*f->refused, lane) == 0)
            continue;
        LIEDER_LANE(failed, lane) = lieder_sparse_lane(s, table, e, f, alone, room, lane, bend);
        for (size_t i = 0; i < s->n; i++)
            LIEDER_LANE(b[i * f->apart], lane) = LIEDER_LANE(alone[i * f->apart], lane);
    }
    return failed;
}

#endif
