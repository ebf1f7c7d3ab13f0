/* systems.h - linear and nonlinear systems of equations in the lanes of a block.
 *
 * Every lane has its own matrix, its own pivots and its own iteration; what a lane computes depends
 * on its own numbers alone, so that one lane and many give the same bits. All numbers of a
 * system stand in one workspace of `real`, number k of register v at [k * nvec + v]:
 *
 *   z        n         unknowns: start values, then the solution
 *   p        noperand  operands of a nonlinear system
 *   r        n         residuals; of a linear system the right sides
 *   e        nentry    entries of the matrix, see LiederPattern.row and .column
 *
 * and what the solution needs beside these. Instructions or generated code fill r and e.
 *
 * Linear: Gaussian elimination with scaled partial pivoting. A pivot that is not larger than the
 * rounding errors of the numbers it was computed from is no pivot: the system is singular, and its
 * solution is NaN.
 *
 * Nonlinear: Newton's method. A step is taken if it makes the residuals smaller, each measured by
 * what the terms of its equation amount to (Armijo's rule), else it is halved. It has converged
 * where the next full step changes no unknown by more than a part of 1e-10, and this step is still
 * taken: it squares the error. A singular matrix on the way gets a small pivot; that leads away
 * from there, and convergence is never judged by it, since the step is then large.
 * (Deuflhard, Newton Methods for Nonlinear Problems, 2004, section 3.)
 */
#ifndef LIEDER_SYSTEMS_H
#define LIEDER_SYSTEMS_H

#include <stddef.h>

#include <lieder/real.h>

/* What a system looks like; the same for all its lanes. */
typedef struct LiederPattern {
    int n, noperand, nentry;
    const unsigned *row, *column; /* by entry */
} LiederPattern;

/* computes r and e from z and p */
typedef void LiederResiduals(const void *code, real *workspace, int nvec);

/* places in the workspace */
#define LIEDER_SYSTEM_R(s)       ((size_t)(s)->n + (size_t)(s)->noperand)
#define LIEDER_SYSTEM_E(s)       (LIEDER_SYSTEM_R(s) + (size_t)(s)->n)
#define LIEDER_SYSTEM_PRIVATE(s) (LIEDER_SYSTEM_E(s) + (size_t)(s)->nentry)
/* where the last iterate and the row that failed stand in the end; see lieder_solve_... */
#define LIEDER_SYSTEM_LAST(s)   LIEDER_SYSTEM_PRIVATE(s)
#define LIEDER_SYSTEM_STATUS(s) (LIEDER_SYSTEM_LAST(s) + (size_t)(s)->n)

enum { LIEDER_SYSTEM_TRIES = 200 }; /* evaluations of residuals */

/* reals of a workspace, for each register */
static inline size_t lieder_system_size(int n, int noperand, int nentry)
{
    size_t m = (size_t)n;
    /* z p r e, last status | matrix, magnitudes | step, row scales, weights | norm, length, first
     */
    return 2 * m + (size_t)noperand + (size_t)nentry + m + 1 + 2 * m * m + 3 * m + 3;
}

/* ------------------------------------------------------------------ one matrix */

/* the matrix of one register, in rows of n; beside it the magnitudes that its entries came from */
typedef struct LiederMatrix {
    real *a, *size, *scale; /* scale: by row, largest entry */
    size_t apart;           /* between neighbours */
    int n;
} LiederMatrix;

#define LM(field, i, j) m->field[((size_t)(i) * (size_t)m->n + (size_t)(j)) * m->apart]

LIEDER_INLINE void lieder_matrix_fill(const LiederMatrix *m, const LiederPattern *s, const real *e)
{
    for (int i = 0; i < m->n; i++)
        for (int j = 0; j < m->n; j++)
            LM(a, i, j) = real_splat(0.0);
    for (int k = 0; k < s->nentry; k++)
        LM(a, s->row[k], s->column[k]) = e[(size_t)k * m->apart];
    for (int i = 0; i < m->n; i++) {
        real largest = real_splat(0.0);
        for (int j = 0; j < m->n; j++) {
            LM(size, i, j) = absolute(LM(a, i, j));
            largest = maximum(LM(size, i, j), largest);
        }
        m->scale[(size_t)i * m->apart] = largest;
    }
}

LIEDER_INLINE void lieder_exchange(mask where, real *x, real *y)
{
    real old = *x;
    *x = real_select(where, *y, *x);
    *y = real_select(where, old, *y);
}

/* the row with the largest entry of column k, measured by the scale of its row, becomes row k */
LIEDER_INLINE void lieder_matrix_pivot(const LiederMatrix *m, int k, real *b)
{
    real best = real_splat(-1.0), where = real_splat(0.0);
    for (int i = k; i < m->n; i++) {
        real scale = m->scale[(size_t)i * m->apart];
        real worth = choose(scale > 0.0, absolute(LM(a, i, k)) / scale, 0.0);
        mask better = (mask)(worth > best);
        best = real_select(better, worth, best);
        where = real_select(better, real_splat((double)i), where);
    }
    for (int i = k + 1; i < m->n; i++) {
        mask here = (mask)(where == (double)i);
        if (!mask_any(here))
            continue;
        for (int j = k; j < m->n; j++) {
            lieder_exchange(here, &LM(a, i, j), &LM(a, k, j));
            lieder_exchange(here, &LM(size, i, j), &LM(size, k, j));
        }
        lieder_exchange(here, &m->scale[(size_t)i * m->apart], &m->scale[(size_t)k * m->apart]);
        lieder_exchange(here, &b[(size_t)i * m->apart], &b[(size_t)k * m->apart]);
    }
}

/* b becomes the solution of a x = b; returns 0, or 1 + the first column without a pivot. `bend`:
 * such a column gets a small pivot. */
LIEDER_INLINE real lieder_matrix_solve(const LiederMatrix *m, real *b, const int bend)
{
    real failed = real_splat(0.0);
    for (int k = 0; k < m->n; k++) {
        lieder_matrix_pivot(m, k, b);
        real pivot = LM(a, k, k), size = LM(size, k, k);
        mask small = (mask)(absolute(pivot) <= 1e-14 * size);
        failed = real_select(small & (mask)(failed == 0.0), real_splat((double)k + 1.0), failed);
        if (bend) {
            real instead = choose(size > 0.0, 1e-8 * size, 1.0);
            pivot = real_select(small, choose(pivot < 0.0, -instead, instead), pivot);
            LM(a, k, k) = pivot;
        }
        for (int i = k + 1; i < m->n; i++) {
            if (!mask_any((mask)(LM(a, i, k) != 0.0)))
                continue;
            real factor = LM(a, i, k) / pivot, far = absolute(factor);
            for (int j = k + 1; j < m->n; j++) {
                LM(a, i, j) = fused(-factor, LM(a, k, j), LM(a, i, j));
                LM(size, i, j) = maximum(LM(size, i, j), far * LM(size, k, j));
            }
            b[(size_t)i * m->apart] =
                fused(-factor, b[(size_t)k * m->apart], b[(size_t)i * m->apart]);
        }
    }
    for (int k = m->n - 1; k >= 0; k--) {
        real sum = b[(size_t)k * m->apart];
        for (int j = k + 1; j < m->n; j++)
            sum = fused(-LM(a, k, j), b[(size_t)j * m->apart], sum);
        b[(size_t)k * m->apart] = sum / LM(a, k, k);
    }
    return failed;
}

#undef LM

/* ------------------------------------------------------------------ linear systems */

/* z = solution, NaN where there is none; LAST: the same; STATUS: 0, or 1 + a column that nothing
 * decides */
static __attribute__((unused)) void lieder_solve_linear(const LiederPattern *s, real *w, int nvec)
{
    const size_t apart = (size_t)nvec, n = (size_t)s->n;
    for (int v = 0; v < nvec; v++) {
        real *at = w + v, *private_ = at + (LIEDER_SYSTEM_STATUS(s) + 1) * apart;
        LiederMatrix m = {private_, private_ + n * n * apart, private_ + 2 * n * n * apart, apart,
                          s->n};
        lieder_matrix_fill(&m, s, at + LIEDER_SYSTEM_E(s) * apart);
        for (size_t i = 0; i < n; i++)
            at[i * apart] = at[(LIEDER_SYSTEM_R(s) + i) * apart];
        real failed = lieder_matrix_solve(&m, at, 0);
        at[LIEDER_SYSTEM_STATUS(s) * apart] = failed;
        for (size_t i = 0; i < n; i++) {
            at[(LIEDER_SYSTEM_LAST(s) + i) * apart] = at[i * apart];
            at[i * apart] = choose(failed == 0.0, at[i * apart], (double)NAN);
        }
    }
}

/* ------------------------------------------------------------------ nonlinear systems */

/* one register of a nonlinear system under way; lanes: `open` until they have converged or failed
 */
typedef struct LiederNewton {
    const LiederPattern *s;
    real *z, *r, *e;              /* what is tried */
    real *x, *step, *weight;      /* accepted; step to the next; by row: 1 / size of its terms */
    real *norm, *length, *status; /* of x; part of the step; 0: open, -1: converged, 1 + row */
    LiederMatrix m;
    size_t apart;
} LiederNewton;

LIEDER_INLINE LiederNewton lieder_newton_at(const LiederPattern *s, real *w, int nvec, int v)
{
    const size_t apart = (size_t)nvec, n = (size_t)s->n;
    real *at = w + v, *private_ = at + (LIEDER_SYSTEM_STATUS(s) + 1) * apart;
    LiederNewton t = {.s = s,
                      .z = at,
                      .r = at + LIEDER_SYSTEM_R(s) * apart,
                      .e = at + LIEDER_SYSTEM_E(s) * apart,
                      .x = at + LIEDER_SYSTEM_LAST(s) * apart,
                      .status = at + LIEDER_SYSTEM_STATUS(s) * apart,
                      .apart = apart};
    t.m = (LiederMatrix){private_, private_ + n * n * apart, private_ + 2 * n * n * apart, apart,
                         s->n};
    t.step = private_ + (2 * n * n + n) * apart;
    t.weight = t.step + n * apart;
    t.norm = t.weight + n * apart;
    t.length = t.norm + apart;
    return t;
}

/* sum of the squares of the residuals, each by its weight */
LIEDER_INLINE real lieder_newton_norm(const LiederNewton *t)
{
    real sum = real_splat(0.0);
    for (int i = 0; i < t->s->n; i++) {
        real q = t->r[(size_t)i * t->apart] * t->weight[(size_t)i * t->apart];
        sum = fused(q, q, sum);
    }
    return sum;
}

/* weights at z: the reciprocal of what the terms of a row amount to */
LIEDER_INLINE void lieder_newton_weigh(const LiederNewton *t, mask where)
{
    for (int i = 0; i < t->s->n; i++) {
        real *sum = &t->step[(size_t)i * t->apart];
        *sum = real_select(where, real_splat(0.0), *sum);
    }
    for (int k = 0; k < t->s->nentry; k++) {
        real *sum = &t->step[(size_t)t->s->row[k] * t->apart];
        real entry = absolute(t->e[(size_t)k * t->apart]);
        real far = absolute(t->z[(size_t)t->s->column[k] * t->apart]) + 1.0;
        *sum = real_select(where, fused(entry, far, *sum), *sum);
    }
    for (int i = 0; i < t->s->n; i++) {
        real *weight = &t->weight[(size_t)i * t->apart], sum = t->step[(size_t)i * t->apart];
        *weight = real_select(where, choose(sum > 0.0, 1.0 / sum, 1.0), *weight);
    }
}

/* where z was accepted: the next step, or the end */
LIEDER_INLINE void lieder_newton_step(const LiederNewton *t, mask where)
{
    const int n = t->s->n;
    lieder_newton_weigh(t, where);
    *t->norm = real_select(where, lieder_newton_norm(t), *t->norm);
    lieder_matrix_fill(&t->m, t->s, t->e);
    for (int i = 0; i < n; i++) { /* r is not needed again */
        t->x[(size_t)i * t->apart] =
            real_select(where, t->z[(size_t)i * t->apart], t->x[(size_t)i * t->apart]);
        t->r[(size_t)i * t->apart] = -t->r[(size_t)i * t->apart];
    }
    lieder_matrix_solve(&t->m, t->r, 1);
    mask good = where; /* nothing changes by more than what is allowed; NaN does */
    for (int i = 0; i < n; i++) {
        real x = t->x[(size_t)i * t->apart], d = t->r[(size_t)i * t->apart];
        good &= (mask)(absolute(d) <= fused(1e-10, absolute(x), 1e-14));
    }
    *t->length = real_select(where, minimum(*t->length * 4.0, 1.0), *t->length);
    for (int i = 0; i < n; i++) {
        real *x = &t->x[(size_t)i * t->apart], d = t->r[(size_t)i * t->apart];
        t->step[(size_t)i * t->apart] = real_select(where, d, t->step[(size_t)i * t->apart]);
        *x = real_select(good, *x + d, *x);
    }
    *t->status = real_select(good, real_splat(-1.0), *t->status);
}

/* the row with the largest residual at what was tried last */
LIEDER_INLINE real lieder_newton_worst(const LiederNewton *t)
{
    real worst = real_splat(1.0), largest = real_splat(-1.0);
    for (int i = 0; i < t->s->n; i++) {
        real q = absolute(t->r[(size_t)i * t->apart] * t->weight[(size_t)i * t->apart]);
        mask more = (mask)(q > largest);
        worst = real_select(more, real_splat((double)i + 1.0), worst);
        largest = real_select(more, q, largest);
    }
    return worst;
}

/* judges what was tried; 0: all lanes have ended */
LIEDER_INLINE int lieder_newton_judge(const LiederNewton *t, const int first)
{
    mask open = (mask)(*t->status == 0.0);
    if (!mask_any(open))
        return 0;
    real norm = lieder_newton_norm(t);
    mask taken = open;
    if (!first)
        taken &= (mask)(norm <= *t->norm * (1.0 - 2e-4 * *t->length));
    mask refused = open & ~taken;
    if (mask_any(refused)) {
        real length = real_select(refused, *t->length * 0.5, *t->length);
        /* residuals that are rounding errors do not become smaller */
        mask noise = refused & (mask)(length < 0.1) & (mask)(*t->norm <= 1e-26);
        mask lost = refused & ~noise & (mask)(length < 1e-12);
        *t->length = length;
        *t->status = real_select(noise, real_splat(-1.0), *t->status);
        *t->status = real_select(lost, lieder_newton_worst(t), *t->status);
    }
    if (mask_any(taken))
        lieder_newton_step(t, taken);
    for (int i = 0; i < t->s->n; i++)
        t->z[(size_t)i * t->apart] =
            choose(*t->status == 0.0,
                   fused(*t->length, t->step[(size_t)i * t->apart], t->x[(size_t)i * t->apart]),
                   t->x[(size_t)i * t->apart]);
    return mask_any((mask)(*t->status == 0.0));
}

/* z: start values, becomes the solution, NaN where none was found; LAST: what was found in the end;
 * STATUS: 0, or 1 + the row with the largest residual there */
static __attribute__((unused)) void lieder_solve_nonlinear(const LiederPattern *s, real *w,
                                                           int nvec, LiederResiduals *residuals,
                                                           const void *code)
{
    for (int v = 0; v < nvec; v++) {
        LiederNewton t = lieder_newton_at(s, w, nvec, v);
        *t.status = real_splat(0.0);
        *t.norm = *t.length = real_splat(1.0);
        for (int i = 0; i < s->n; i++)
            t.weight[(size_t)i * t.apart] = t.step[(size_t)i * t.apart] = real_splat(0.0);
    }
    int open = 1;
    for (int k = 0; open && k < LIEDER_SYSTEM_TRIES; k++) {
        open = 0;
        residuals(code, w, nvec);
        for (int v = 0; v < nvec; v++) {
            LiederNewton t = lieder_newton_at(s, w, nvec, v);
            open |= lieder_newton_judge(&t, k == 0);
        }
    }
    if (open) /* to say where it failed */
        residuals(code, w, nvec);
    for (int v = 0; v < nvec; v++) {
        LiederNewton t = lieder_newton_at(s, w, nvec, v);
        mask still = (mask)(*t.status == 0.0);
        *t.status = real_select(still, lieder_newton_worst(&t), maximum(*t.status, 0.0));
        for (int i = 0; i < s->n; i++)
            t.z[(size_t)i * t.apart] =
                choose(*t.status == 0.0, t.x[(size_t)i * t.apart], (double)NAN);
    }
}

#endif
