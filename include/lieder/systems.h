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
 *   m        n, or 0   what the terms of the residuals amount to (LiederPattern.sized)
 *
 * and what the solution needs beside these. Instructions or generated code fill r and e.
 *
 * Linear: Gaussian elimination with scaled partial pivoting, of dense matrices here, of large ones
 * with few entries in sparse.h. The factors of these may be computed apart, so that a matrix that
 * is made of parameters is factored once. Where a pivot is not larger than the rounding errors of
 * the numbers it was computed from, the system is singular, and its solution is NaN. A system whose
 * factors a mode of the model makes zero may be `lenient`: it is solved once more with pivots from
 * all rows and columns, and has the shortest of its solutions if the equations do not contradict
 * each other, such as zero for an unknown that occurs nowhere.
 *
 * Nonlinear: Newton's method. A step is taken if it makes the residuals smaller, each measured by
 * what the terms of its equation amount to (Armijo's rule), else it is halved. It has converged
 * where the next full step changes no unknown by more than a part of 1e-10, and this step is still
 * taken: it squares the error. Where residuals are not more than the rounding errors of their terms
 * and a step does not make them smaller, that is the end as well: the potential between diodes that
 * all block, whose exponential functions vanish beside 1, has no digits that could be found. Of an
 * unknown that becomes zero 1e-14 of its size is left: of its nominal value; without one of its
 * start value, if that is less than 1; else of 1. Where rounding keeps residuals from becoming
 * smaller, a step of 1e-8 of the unknowns is the end as well. A singular matrix on the way gets a
 * small pivot; the step is then large, so that it leads away from there and is not taken for
 * convergence. (Deuflhard, Newton Methods for Nonlinear Problems, 2004, section 3.) Where that
 * finds nothing, the solution is followed from the start values z0 by Newton's homotopy, r(z) = (1
 * - l) r(z0) with l from 0 to 1 in steps that are halved where an iteration fails and doubled where
 * it does not (Allgower, Georg, Introduction to Numerical Continuation Methods, 2003, section 1.2).
 * It begins at z0 as well, so that the result still depends on operands alone. A system whose
 * equations have a simplified form (homotopy() of the text) is solved in this form first, operand l
 * = 0, from z0, and its solution is followed to l = 1 in such steps, since that is the solution
 * which the text means; where this fails it is solved like the others.
 *
 * A system with guesses has n more operands: how far its last solution lay from its start values
 * (solve/events/guess.c). Lanes whose guesses are not all zero begin there, without a simplified
 * form: a system with several solutions stays on its own. Where that solution has ended, a single
 * unknown is searched for a change of sign on both sides, in distances that double, and the
 * interval is halved; several follow Newton's homotopy from there. Where all this finds nothing,
 * the lane begins at its start values like the others. Last of all two other ways are tried from
 * there: full steps, whatever residuals do on the way (a valley of the residuals that is no
 * solution holds every method that only goes down), and residuals as they are, without weights. Of
 * 84 problems (21 systems, most of them of More, Garbow and Hillstrom, ACM TOMS 7, 1981, from start
 * values times 1, 10, 100 and -1) 65 are solved without these and 74 with them; KINSOL solves 67 by
 * line search and 56 by full steps, and two of the ten that are left. Rejected therefore: KINSOL,
 * which lanes, generated code and FMUs would not have.
 */
#ifndef LIEDER_SYSTEMS_H
#define LIEDER_SYSTEMS_H

#include <stddef.h>

#include <lieder/real.h>
#include <lieder/sparse.h>

/* The shape of a system; the same for all its lanes. */
typedef struct LiederPattern {
    int n, noperand, nentry;
    const unsigned *row, *column; /* by entry */
    int lenient;                  /* linear: see above; such a system is dense */
    int near;     /* nonlinear: Newton's method alone, for a projection (equation/cell/project.c),
                     whose solution is near */
    int sized;    /* nonlinear: what the terms of residuals amount to is computed, too */
    int homotopy; /* nonlinear: place of the operand l in z p; 0: there is none */
    int guess;    /* likewise: of n operands, see above; 0: there are none */
    const unsigned *sparse; /* table of sparse.h; NULL: the matrix is dense */
    const double *nominal;  /* nonlinear, by unknown: 0 where none is given; NULL: nowhere */
} LiederPattern;

/* computes r and e from z and p */
typedef void LiederResiduals(const void *code, real *workspace, int nvec);

/* places in the workspace, as numbers k of a register */
#define LIEDER_SYSTEM_R(s)       ((size_t)(s)->n + (size_t)(s)->noperand)
#define LIEDER_SYSTEM_E(s)       (LIEDER_SYSTEM_R(s) + (size_t)(s)->n)
#define LIEDER_SYSTEM_SIZES(s)   (LIEDER_SYSTEM_E(s) + (size_t)(s)->nentry)
#define LIEDER_SYSTEM_PRIVATE(s) (LIEDER_SYSTEM_SIZES(s) + ((s)->sized ? (size_t)(s)->n : 0))
/* where the last iterate and the row that failed stand in the end; see lieder_solve_... */
#define LIEDER_SYSTEM_LAST(s)   LIEDER_SYSTEM_PRIVATE(s)
#define LIEDER_SYSTEM_STATUS(s) (LIEDER_SYSTEM_LAST(s) + (size_t)(s)->n)
/* the matrix, or its factors */
#define LIEDER_SYSTEM_MATRIX(s) (LIEDER_SYSTEM_STATUS(s) + 1)

enum { LIEDER_SYSTEM_TRIES = 200, LIEDER_SYSTEM_NEAR = 30 }; /* evaluations of residuals */

/* how an iteration judges a step; LIEDER_NEWTON_FOLLOWS: of the homotopy */
enum { LIEDER_NEWTON_DOWN, LIEDER_NEWTON_FOLLOWS, LIEDER_NEWTON_FULL, LIEDER_NEWTON_PLAIN };

/* reals of the matrix and what its solution needs, for each register */
static inline size_t lieder_matrix_size(int n, const unsigned *sparse)
{
    size_t m = (size_t)n; /* matrix, magnitudes, row scales; or factors and room */
    return sparse ? lieder_sparse_factors(m, sparse) + lieder_sparse_room(m, sparse)
                  : 2 * m * m + m;
}

/* reals of a workspace, for each register */
static inline size_t lieder_system_size(const LiederPattern *s)
{
    /* z p r e, last status | matrix | step, weights | norm, length, first | begin, its residuals,
     * how far, step | start values */
    return LIEDER_SYSTEM_MATRIX(s) + lieder_matrix_size(s->n, s->sparse) + 2 * (size_t)s->n + 3 +
           3 * (size_t)s->n + 3;
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

/* row i and column j become row and column k where these are `row` and `column` of the lane; order:
 * what the columns are */
LIEDER_INLINE void lieder_matrix_turn(const LiederMatrix *m, int k, real row, real column, real *b,
                                      real *size, real *order)
{
    const size_t apart = m->apart, n = (size_t)m->n, at = (size_t)k;
    for (size_t i = at + 1; i < n; i++) {
        mask here = (mask)(row == (double)i);
        for (size_t j = 0; j < n; j++) {
            lieder_exchange(here, &m->a[(i * n + j) * apart], &m->a[(at * n + j) * apart]);
            lieder_exchange(here, &m->size[(i * n + j) * apart], &m->size[(at * n + j) * apart]);
        }
        lieder_exchange(here, &m->scale[i * apart], &m->scale[at * apart]);
        lieder_exchange(here, &b[i * apart], &b[at * apart]);
        lieder_exchange(here, &size[i * apart], &size[at * apart]);
    }
    for (size_t j = at + 1; j < n; j++) {
        mask here = (mask)(column == (double)j);
        for (size_t i = 0; i < n; i++) {
            lieder_exchange(here, &m->a[(i * n + j) * apart], &m->a[(i * n + at) * apart]);
            lieder_exchange(here, &m->size[(i * n + j) * apart], &m->size[(i * n + at) * apart]);
        }
        lieder_exchange(here, &order[j * apart], &order[at * apart]);
    }
}

/* the largest entry of the rows and columns from k on that is more than rounding, measured by the
 * scale of its row; 0: there is none */
LIEDER_INLINE real lieder_matrix_best(const LiederMatrix *m, int k, real *row, real *column)
{
    real best = real_splat(0.0);
    *row = *column = real_splat((double)k);
    for (int i = k; i < m->n; i++)
        for (int j = k; j < m->n; j++) {
            const size_t at = ((size_t)i * (size_t)m->n + (size_t)j) * m->apart;
            real entry = absolute(m->a[at]), scale = m->scale[(size_t)i * m->apart];
            real worth = choose(entry > 1e-14 * m->size[at], entry / scale, 0.0);
            mask better = (mask)(worth > best);
            best = real_select(better, worth, best);
            *row = real_select(better, real_splat((double)i), *row);
            *column = real_select(better, real_splat((double)j), *column);
        }
    return best;
}

/* x = the vector that the eliminated rows leave for right sides x */
LIEDER_INLINE void lieder_matrix_back(const LiederMatrix *m, real *x)
{
    const size_t apart = m->apart, n = (size_t)m->n;
    for (size_t k = n; k-- > 0;) {
        real sum = x[k * apart];
        for (size_t j = k + 1; j < n; j++)
            sum = fused(-m->a[(k * n + j) * apart], x[j * apart], sum);
        x[k * apart] = sum / m->a[(k * n + k) * apart];
    }
}

/* x without its part along v; v may be zero */
LIEDER_INLINE void lieder_vector_clear(real *x, const real *v, size_t n, size_t apart)
{
    real along = real_splat(0.0), length = real_splat(0.0);
    for (size_t i = 0; i < n; i++) {
        along = fused(x[i * apart], v[i * apart], along);
        length = fused(v[i * apart], v[i * apart], length);
    }
    real part = choose(length > 0.0, along / length, 0.0);
    for (size_t i = 0; i < n; i++)
        x[i * apart] = fused(-part, v[i * apart], x[i * apart]);
}

/* The shortest of the solutions b + combinations of the vectors that the rows leave open. Position
 * k is open where open[k] is 1; the vectors stand in the place of the magnitudes. */
LIEDER_INLINE void lieder_matrix_shortest(const LiederMatrix *m, real *b, const real *open)
{
    const size_t apart = m->apart, n = (size_t)m->n;
    for (size_t k = 0; k < n; k++) {
        real *v = &m->size[k * n * apart];
        for (size_t i = 0; i < n; i++)
            v[i * apart] = i == k ? open[k * apart] : real_splat(0.0);
        if (!mask_any((mask)(open[k * apart] > 0.0)))
            continue;
        lieder_matrix_back(m, v);
        for (size_t i = 0; i < k; i++)
            lieder_vector_clear(v, &m->size[i * n * apart], n, apart);
        lieder_vector_clear(b, v, n, apart);
    }
}

/* A lenient system that is singular: b becomes the shortest of its solutions; unknown k of it is
 * order[k]. Returns 1 + the first unknown that nothing decides, or -1 where the equations
 * contradict each other. */
LIEDER_INLINE real lieder_matrix_undecided(const LiederMatrix *m, real *b, real *size, real *order)
{
    const size_t apart = m->apart, n = (size_t)m->n;
    real found = real_splat(0.0);
    for (size_t i = 0; i < n; i++) {
        size[i * apart] = absolute(b[i * apart]);
        order[i * apart] = real_splat((double)i);
    }
    for (size_t k = 0; k < n; k++) {
        real row, column;
        mask none = (mask)(lieder_matrix_best(m, (int)k, &row, &column) == 0.0);
        lieder_matrix_turn(m, (int)k, row, column, b, size, order);
        mask wrong = none & (mask)(absolute(b[k * apart]) > 1e-10 * size[k * apart]);
        found = real_select(none & (mask)(found == 0.0), order[k * apart] + 1.0, found);
        found = real_select(wrong, real_splat(-1.0), found);
        b[k * apart] = real_select(none, real_splat(0.0), b[k * apart]);
        real *pivot = &m->a[(k * n + k) * apart], large = size[k * apart];
        *pivot = real_select(none, real_splat(1.0), *pivot);
        for (size_t j = k + 1; j < n; j++) {
            real *entry = &m->a[(k * n + j) * apart];
            *entry = real_select(none, real_splat(0.0), *entry);
        }
        for (size_t i = k + 1; i < n; i++) {
            real factor = real_select(none, real_splat(0.0), m->a[(i * n + k) * apart] / *pivot);
            real far = absolute(factor);
            for (size_t j = k + 1; j < n; j++) {
                real *entry = &m->a[(i * n + j) * apart], *bound = &m->size[(i * n + j) * apart];
                *entry = fused(-factor, m->a[(k * n + j) * apart], *entry);
                *bound = maximum(*bound, far * m->size[(k * n + j) * apart]);
            }
            b[i * apart] = fused(-factor, b[k * apart], b[i * apart]);
            size[i * apart] = maximum(size[i * apart], far * large);
        }
        size[k * apart] = real_select(none, real_splat(1.0), real_splat(0.0));
    }
    lieder_matrix_back(m, b);
    lieder_matrix_shortest(m, b, size);
    return found;
}

/* register v of a lenient system: lanes that have failed get a solution, and -(1 + an unknown that
 * nothing decides) as their status, if there is one */
static __attribute__((unused, noinline)) void lieder_solve_undecided(const LiederPattern *s,
                                                                     real *w, int nvec, int v)
{
    const size_t apart = (size_t)nvec, n = (size_t)s->n;
    real *at = w + v, *matrix = at + (LIEDER_SYSTEM_STATUS(s) + 1) * apart;
    real *size = matrix + (2 * n * n + n) * apart, *order = size + n * apart;
    real *b = at + LIEDER_SYSTEM_LAST(s) * apart, *status = at + LIEDER_SYSTEM_STATUS(s) * apart;
    LiederMatrix m = {matrix, matrix + n * n * apart, matrix + 2 * n * n * apart, apart, s->n};
    lieder_matrix_fill(&m, s, at + LIEDER_SYSTEM_E(s) * apart);
    for (size_t i = 0; i < n; i++)
        b[i * apart] = at[(LIEDER_SYSTEM_R(s) + i) * apart];
    real found = lieder_matrix_undecided(&m, b, size, order);
    mask good = (mask)(*status > 0.0) & (mask)(found > 0.0);
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < n; j++) {
            mask here = good & (mask)(order[k * apart] == (double)j);
            at[j * apart] = real_select(here, b[k * apart], at[j * apart]);
        }
    *status = real_select(good, -found, *status);
    for (size_t i = 0; i < n; i++)
        b[i * apart] = at[i * apart];
}

/* places of one register of a sparse system */
typedef struct LiederSparseAt {
    LiederSparse s;
    LiederFactors f;
    real *x, *m;  /* n reals each */
    double *room; /* of a lane alone, shared by all registers */
} LiederSparseAt;

LIEDER_INLINE LiederSparseAt lieder_sparse_at(const LiederPattern *s, real *w, int nvec, int v)
{
    const size_t apart = (size_t)nvec, n = (size_t)s->n;
    LiederSparseAt t = {.s = lieder_sparse_of(s->sparse, s->n, s->nentry)};
    t.f = lieder_factors_at(&t.s, w + v + LIEDER_SYSTEM_MATRIX(s) * apart, apart);
    t.x = t.f.refused + apart;
    t.m = t.x + n * apart;
    t.room = (double *)(t.m - v + n * apart);
    return t;
}

/* b becomes the solution of register v, for the entries in the workspace; see lieder_matrix_solve.
 * `factored`: the factors are there already */
static __attribute__((unused)) real lieder_sparse_solve(const LiederPattern *s, real *w, int nvec,
                                                        int v, real *b, int bend, int factored)
{
    LiederSparseAt t = lieder_sparse_at(s, w, nvec, v);
    const real *e = w + v + LIEDER_SYSTEM_E(s) * (size_t)nvec;
    if (!factored)
        lieder_sparse_factor(&t.s, e, &t.f, t.x, t.m);
    return lieder_sparse_finish(&t.s, s->sparse, e, &t.f, b, t.x, t.m, t.room, bend);
}

LIEDER_INLINE real lieder_dense_solve(const LiederPattern *s, real *w, int nvec, int v, real *b,
                                      const int bend)
{
    const size_t apart = (size_t)nvec, n = (size_t)s->n;
    real *at = w + v, *a = at + LIEDER_SYSTEM_MATRIX(s) * apart;
    LiederMatrix m = {a, a + n * n * apart, a + 2 * n * n * apart, apart, s->n};
    lieder_matrix_fill(&m, s, at + LIEDER_SYSTEM_E(s) * apart);
    return lieder_matrix_solve(&m, b, bend);
}

/* right sides to the solution, NaN where there is none; LAST: the same; STATUS: 0, or 1 + a column
 * that nothing decides; or see lieder_solve_undecided */
LIEDER_INLINE void lieder_solve_register(const LiederPattern *s, real *w, int nvec, int v,
                                         int factored)
{
    const size_t apart = (size_t)nvec, n = (size_t)s->n;
    real *at = w + v;
    for (size_t i = 0; i < n; i++)
        at[i * apart] = at[(LIEDER_SYSTEM_R(s) + i) * apart];
    real failed = s->sparse ? lieder_sparse_solve(s, w, nvec, v, at, 0, factored)
                            : lieder_dense_solve(s, w, nvec, v, at, 0);
    at[LIEDER_SYSTEM_STATUS(s) * apart] = failed;
    for (size_t i = 0; i < n; i++) {
        at[(LIEDER_SYSTEM_LAST(s) + i) * apart] = at[i * apart];
        at[i * apart] = choose(failed == 0.0, at[i * apart], (double)NAN);
    }
    if (s->lenient && mask_any((mask)(failed > 0.0)))
        lieder_solve_undecided(s, w, nvec, v);
}

static __attribute__((unused)) void lieder_solve_linear(const LiederPattern *s, real *w, int nvec)
{
    for (int v = 0; v < nvec; v++)
        lieder_solve_register(s, w, nvec, v, 0);
}

/* the same in two steps, for sparse systems: factors from entries, to be kept; solutions with these
 */
static __attribute__((unused)) void lieder_factor_linear(const LiederPattern *s, real *w, int nvec)
{
    for (int v = 0; v < nvec; v++) {
        LiederSparseAt t = lieder_sparse_at(s, w, nvec, v);
        lieder_sparse_factor(&t.s, w + v + LIEDER_SYSTEM_E(s) * (size_t)nvec, &t.f, t.x, t.m);
    }
}

static __attribute__((unused)) void lieder_solve_factored(const LiederPattern *s, real *w, int nvec)
{
    for (int v = 0; v < nvec; v++)
        lieder_solve_register(s, w, nvec, v, 1);
}

/* ------------------------------------------------------------------ nonlinear systems */

/* one register of a nonlinear system under way; lanes: `open` until they have converged or failed
 */
typedef struct LiederNewton {
    const LiederPattern *s;
    real *w; /* workspace of nvec registers, of which this is number v */
    int nvec, v;
    real *z, *r, *e, *size;       /* what is tried */
    real *x, *step, *weight;      /* accepted; step to the next; by row: 1 / size of its terms */
    real *norm, *length, *status; /* of x; part of the step; 0: open, -1: converged, 1 + row */
    real *begin, *rest, *far, *stride; /* see lieder_newton_follow: z0, r(z0); l, step of l */
    real *start, *quiet;               /* quiet: residuals at x are rounding errors */
    size_t apart;
} LiederNewton;

LIEDER_INLINE LiederNewton lieder_newton_at(const LiederPattern *s, real *w, int nvec, int v)
{
    const size_t apart = (size_t)nvec, n = (size_t)s->n;
    real *at = w + v;
    LiederNewton t = {.s = s,
                      .w = w,
                      .nvec = nvec,
                      .v = v,
                      .z = at,
                      .r = at + LIEDER_SYSTEM_R(s) * apart,
                      .e = at + LIEDER_SYSTEM_E(s) * apart,
                      .size = at + LIEDER_SYSTEM_SIZES(s) * apart,
                      .x = at + LIEDER_SYSTEM_LAST(s) * apart,
                      .status = at + LIEDER_SYSTEM_STATUS(s) * apart,
                      .apart = apart};
    t.step = at + (LIEDER_SYSTEM_MATRIX(s) + lieder_matrix_size(s->n, s->sparse)) * apart;
    t.weight = t.step + n * apart;
    t.norm = t.weight + n * apart;
    t.length = t.norm + apart;
    t.begin = t.length + 2 * apart;
    t.rest = t.begin + n * apart;
    t.far = t.rest + n * apart;
    t.stride = t.far + apart;
    t.start = t.stride + apart;
    t.quiet = t.start + n * apart;
    return t;
}

/* the nominal value of unknown i, or 1 */
LIEDER_INLINE double lieder_newton_size(const LiederNewton *t, int i)
{
    return t->s->nominal && t->s->nominal[i] > 0 ? t->s->nominal[i] : 1.0;
}

/* the largest change of unknown i that counts as none, whatever its value is */
LIEDER_INLINE real lieder_newton_nothing(const LiederNewton *t, int i)
{
    if (t->s->nominal && t->s->nominal[i] > 0)
        return real_splat(1e-14 * t->s->nominal[i]);
    real start = absolute(t->start[(size_t)i * t->apart]);
    return 1e-14 * choose(start > 0.0, minimum(start, 1.0), 1.0);
}

/* Lanes whose next step is no more than a part of the unknowns or of their sizes; `given`: of sizes
 * that the text gives */
LIEDER_INLINE mask lieder_newton_is_near(const LiederNewton *t, const double part, const int given)
{
    mask near = (mask)(*t->status == *t->status);
    for (int i = 0; i < t->s->n; i++) {
        real x = absolute(t->x[(size_t)i * t->apart]), d = t->step[(size_t)i * t->apart];
        int counts = !given || (t->s->nominal && t->s->nominal[i] > 0);
        real least = lieder_newton_nothing(t, i) * (counts ? 1e14 * part : 1.0);
        near &= (mask)(absolute(d) <= fused(part, x, least));
    }
    return near;
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
LIEDER_INLINE void lieder_newton_weigh(const LiederNewton *t, mask where, const int manner)
{
    for (int i = 0; i < t->s->n; i++) {
        real *sum = &t->step[(size_t)i * t->apart];
        *sum = real_select(where, real_splat(0.0), *sum);
    }
    for (int k = 0; k < t->s->nentry; k++) {
        real *sum = &t->step[(size_t)t->s->row[k] * t->apart];
        real entry = absolute(t->e[(size_t)k * t->apart]);
        int j = (int)t->s->column[k];
        real far = absolute(t->z[(size_t)j * t->apart]) + lieder_newton_size(t, j);
        *sum = real_select(where, fused(entry, far, *sum), *sum);
    }
    for (int i = 0; i < t->s->n; i++) {
        real *weight = &t->weight[(size_t)i * t->apart], sum = t->step[(size_t)i * t->apart];
        if (manner == LIEDER_NEWTON_PLAIN)
            sum = real_splat(1.0);
        *weight = real_select(where, choose(sum > 0.0, 1.0 / sum, 1.0), *weight);
    }
}

/* lanes whose residuals are not more than the rounding errors of their terms; those of exponential
 * functions far beyond the solution do not count */
LIEDER_INLINE mask lieder_newton_is_rounding(const LiederNewton *t)
{
    mask good = (mask)(*t->status == *t->status);
    for (int i = 0; i < t->s->n; i++) {
        real r = absolute(t->r[(size_t)i * t->apart]), size = t->size[(size_t)i * t->apart];
        good &= (mask)(r <= 2e-15 * size) & (mask)(size < 1e5);
    }
    return good;
}

/* where z was accepted: the next step, or the end */
LIEDER_INLINE void lieder_newton_step(const LiederNewton *t, mask where, const int manner)
{
    const int n = t->s->n;
    mask solved = (mask)(*t->status != *t->status);
    if (t->s->sized && manner != LIEDER_NEWTON_FOLLOWS)
        solved = where & lieder_newton_is_rounding(t);
    lieder_newton_weigh(t, where, manner);
    *t->norm = real_select(where, lieder_newton_norm(t), *t->norm);
    for (int i = 0; i < n; i++) { /* r is not needed again */
        t->x[(size_t)i * t->apart] =
            real_select(where, t->z[(size_t)i * t->apart], t->x[(size_t)i * t->apart]);
        t->r[(size_t)i * t->apart] = -t->r[(size_t)i * t->apart];
    }
    if (t->s->sparse)
        lieder_sparse_solve(t->s, t->w, t->nvec, t->v, t->r, 1, 0);
    else
        lieder_dense_solve(t->s, t->w, t->nvec, t->v, t->r, 1);
    mask good = where; /* nothing changes by more than what is allowed; NaN does */
    for (int i = 0; i < n; i++) {
        real x = t->x[(size_t)i * t->apart], d = t->r[(size_t)i * t->apart];
        good &= (mask)(absolute(d) <= fused(1e-10, absolute(x), lieder_newton_nothing(t, i)));
    }
    *t->length = real_select(where, minimum(*t->length * 4.0, 1.0), *t->length);
    for (int i = 0; i < n; i++) {
        real *x = &t->x[(size_t)i * t->apart], d = t->r[(size_t)i * t->apart];
        t->step[(size_t)i * t->apart] = real_select(where, d, t->step[(size_t)i * t->apart]);
        *x = real_select(good, *x + d, *x);
    }
    *t->quiet =
        real_select(where, real_select(solved, real_splat(1.0), real_splat(0.0)), *t->quiet);
    *t->status = real_select(good, real_splat(-1.0), *t->status);
}

/* 1 + the row with the largest residual at what was tried last; one that is no number is larger */
LIEDER_INLINE real lieder_newton_worst(const LiederNewton *t)
{
    real worst = real_splat(1.0), largest = real_splat(-1.0);
    for (int i = 0; i < t->s->n; i++) {
        real q = absolute(t->r[(size_t)i * t->apart] * t->weight[(size_t)i * t->apart]);
        q = choose(q == q, q, (double)INFINITY);
        mask more = (mask)(q > largest);
        worst = real_select(more, real_splat((double)i + 1.0), worst);
        largest = real_select(more, q, largest);
    }
    return worst;
}

/* the same, half more where the residual of that row is no number */
LIEDER_INLINE real lieder_newton_verdict(const LiederNewton *t)
{
    real worst = lieder_newton_worst(t), half = real_splat(0.0);
    for (int i = 0; i < t->s->n; i++) {
        mask none = (mask)(t->r[(size_t)i * t->apart] != t->r[(size_t)i * t->apart]);
        none &= (mask)(worst == (double)i + 1.0);
        half = real_select(none, real_splat(0.5), half);
    }
    return worst + half;
}

/* judges the residuals at z: lanes accept z, shorten their step, or end; returns 0 when all have
 * ended */
LIEDER_INLINE int lieder_newton_judge(const LiederNewton *t, const int first, const int manner)
{
    mask open = (mask)(*t->status == 0.0);
    if (!mask_any(open))
        return 0;
    real norm = lieder_newton_norm(t);
    mask taken = open;
    if (manner == LIEDER_NEWTON_FULL)
        taken &= (mask)(norm < (double)INFINITY);
    else if (!first)
        taken &= (mask)(norm <= *t->norm * (1.0 - 2e-4 * *t->length));
    mask refused = open & ~taken;
    if (mask_any(refused)) {
        real length = real_select(refused, *t->length * 0.5, *t->length);
        /* residuals that are rounding errors do not become smaller */
        mask noise = refused & (mask)(length < 0.1) &
                     (((mask)(*t->norm <= 1e-26) & lieder_newton_is_near(t, 0.01, 0)) |
                      lieder_newton_is_near(t, 1e-8, 1));
        noise |= refused & (mask)(*t->quiet > 0.0);
        mask lost = refused & ~noise & (mask)(length < 1e-12);
        *t->length = length;
        *t->status = real_select(noise, real_splat(-1.0), *t->status);
        *t->status = real_select(lost, lieder_newton_worst(t), *t->status);
    }
    if (mask_any(taken))
        lieder_newton_step(t, taken, manner);
    for (int i = 0; i < t->s->n; i++)
        t->z[(size_t)i * t->apart] =
            choose(*t->status == 0.0,
                   fused(*t->length, t->step[(size_t)i * t->apart], t->x[(size_t)i * t->apart]),
                   t->x[(size_t)i * t->apart]);
    return mask_any((mask)(*t->status == 0.0));
}

/* all registers from z on: until they have converged or failed, or have been tried often enough.
 * Returns whether some lane is still open. */
LIEDER_INLINE int lieder_newton_run(const LiederPattern *s, real *w, int nvec, int tries,
                                    const int manner, LiederResiduals *residuals, const void *code)
{
    int open = 1;
    for (int k = 0; open && k < tries; k++) {
        open = 0;
        residuals(code, w, nvec);
        for (int v = 0; v < nvec; v++) {
            LiederNewton t = lieder_newton_at(s, w, nvec, v);
            real left = 1.0 - minimum(*t.far + *t.stride, 1.0);
            for (int i = 0; manner == LIEDER_NEWTON_FOLLOWS && i < s->n; i++) {
                real *r = &t.r[(size_t)i * t.apart];
                *r = fused(-left, t.rest[(size_t)i * t.apart], *r);
            }
            open |= lieder_newton_judge(&t, k == 0, manner);
        }
    }
    return open;
}

/* the same, judged by DOWN, as a function of its own: what follows the first iteration of a system
 * is rare */
static __attribute__((unused, noinline)) void lieder_newton_again(const LiederPattern *s, real *w,
                                                                  int nvec, int tries,
                                                                  LiederResiduals *residuals,
                                                                  const void *code)
{
    lieder_newton_run(s, w, nvec, tries, LIEDER_NEWTON_DOWN, residuals, code);
}

/* lanes in `where` begin an iteration at z = `from` */
LIEDER_INLINE void lieder_newton_begin(const LiederNewton *t, mask where, const real *from)
{
    *t->status = real_select(where, real_splat(0.0), *t->status);
    *t->norm = real_select(where, real_splat(1.0), *t->norm);
    *t->length = real_select(where, real_splat(1.0), *t->length);
    for (int i = 0; i < t->s->n; i++) {
        real *z = &t->z[(size_t)i * t->apart];
        *z = real_select(where, from[(size_t)i * t->apart], *z);
    }
}

/* After an iteration of the homotopy: lanes that have converged go on, the others take a shorter
 * step. Returns whether some lane is still on its way; those that end have their status. */
LIEDER_INLINE int lieder_newton_stride(const LiederNewton *t)
{
    mask under_way = (mask)(*t->stride > 0.0);
    mask good = under_way & (mask)(*t->status == -1.0);
    for (int i = 0; i < t->s->n; i++) {
        real *from = &t->begin[(size_t)i * t->apart];
        *from = real_select(good, t->x[(size_t)i * t->apart], *from);
    }
    *t->far = real_select(good, minimum(*t->far + *t->stride, 1.0), *t->far);
    *t->stride =
        real_select(under_way, *t->stride * choose(*t->status == -1.0, 2.0, 0.25), *t->stride);
    mask ended = under_way & ((mask)(*t->far == 1.0) | (mask)(*t->stride < 1e-4));
    *t->stride = real_select(ended, real_splat(0.0), *t->stride);
    lieder_newton_begin(t, under_way & ~ended, t->begin);
    return mask_any((mask)(*t->stride > 0.0));
}

/* the operand l of lanes that are on their way from the simplified equations */
LIEDER_INLINE void lieder_newton_set_homotopy(const LiederNewton *t, mask where, real l)
{
    real *p = &t->z[(size_t)t->s->homotopy * t->apart];
    *p = real_select(where, l, *p);
}

/* all lanes solve the simplified equations, or fail there */
LIEDER_INLINE void lieder_newton_simplify(const LiederPattern *s, real *w, int nvec,
                                          LiederResiduals *residuals, const void *code)
{
    for (int v = 0; v < nvec; v++) {
        LiederNewton t = lieder_newton_at(s, w, nvec, v);
        mask failed = (mask)(*t.status >= 0.0);
        *t.far = real_splat(0.0);
        *t.stride = real_select(failed, real_splat(1.0), real_splat(0.0));
        for (int i = 0; i < s->n; i++)
            t.rest[(size_t)i * t.apart] = t.begin[(size_t)i * t.apart];
        lieder_newton_set_homotopy(&t, failed, real_splat(0.0));
        lieder_newton_begin(&t, failed, t.begin);
    }
    lieder_newton_again(s, w, nvec, LIEDER_SYSTEM_TRIES, residuals, code);
    for (int v = 0; v < nvec; v++) {
        LiederNewton t = lieder_newton_at(s, w, nvec, v);
        mask good = (mask)(*t.stride > 0.0) & (mask)(*t.status == -1.0);
        *t.status = real_select((mask)(*t.status == 0.0), real_splat(1.0), *t.status);
        *t.stride = real_select(good, *t.stride, real_splat(0.0));
        for (int i = 0; i < s->n; i++) {
            real *from = &t.begin[(size_t)i * t.apart];
            *from = real_select(good, t.x[(size_t)i * t.apart], *from);
        }
        lieder_newton_begin(&t, good, t.begin);
    }
}

/* All lanes, from the simplified equations of their system to the actual ones. Lanes that do not
 * arrive begin at their start values again. */
static __attribute__((unused, noinline)) void lieder_newton_lead(const LiederPattern *s, real *w,
                                                                 int nvec,
                                                                 LiederResiduals *residuals,
                                                                 const void *code)
{
    enum { STRIDES = 100, TRIES = 25 };
    lieder_newton_simplify(s, w, nvec, residuals, code);
    int under_way = 1;
    for (int k = 0; under_way && k < STRIDES; k++) {
        for (int v = 0; v < nvec; v++) {
            LiederNewton t = lieder_newton_at(s, w, nvec, v);
            lieder_newton_set_homotopy(&t, (mask)(*t.stride > 0.0),
                                       minimum(*t.far + *t.stride, 1.0));
        }
        lieder_newton_again(s, w, nvec, TRIES, residuals, code);
        under_way = 0;
        for (int v = 0; v < nvec; v++) {
            LiederNewton t = lieder_newton_at(s, w, nvec, v);
            under_way |= lieder_newton_stride(&t);
        }
    }
    for (int v = 0; v < nvec; v++) {
        LiederNewton t = lieder_newton_at(s, w, nvec, v);
        mask lost = (mask)(*t.status >= 0.0) | (mask)(*t.stride > 0.0);
        lieder_newton_set_homotopy(&t, (mask)(*t.status == *t.status), real_splat(1.0));
        *t.far = *t.stride = real_splat(0.0);
        for (int i = 0; i < s->n; i++)
            t.begin[(size_t)i * t.apart] = t.rest[(size_t)i * t.apart];
        lieder_newton_begin(&t, lost, t.begin);
    }
}

/* lanes that have failed, by homotopy from their start values */
static __attribute__((unused, noinline)) void lieder_newton_follow(const LiederPattern *s, real *w,
                                                                   int nvec,
                                                                   LiederResiduals *residuals,
                                                                   const void *code)
{
    enum { STRIDES = 100, TRIES = 25 };
    for (int v = 0; v < nvec; v++) {
        LiederNewton t = lieder_newton_at(s, w, nvec, v);
        mask failed = (mask)(*t.status >= 0.0);
        *t.far = real_splat(0.0);
        *t.stride = real_select(failed, real_splat(0.125), real_splat(0.0));
        lieder_newton_begin(&t, failed, t.begin);
    }
    residuals(code, w, nvec);
    for (int v = 0; v < nvec; v++) {
        LiederNewton t = lieder_newton_at(s, w, nvec, v);
        for (int i = 0; i < s->n; i++)
            t.rest[(size_t)i * t.apart] = t.r[(size_t)i * t.apart];
    }
    int under_way = 1;
    for (int k = 0; under_way && k < STRIDES; k++) {
        lieder_newton_run(s, w, nvec, TRIES, LIEDER_NEWTON_FOLLOWS, residuals, code);
        under_way = 0;
        for (int v = 0; v < nvec; v++) {
            LiederNewton t = lieder_newton_at(s, w, nvec, v);
            under_way |= lieder_newton_stride(&t);
        }
    }
    residuals(code, w, nvec); /* to say where it failed */
    for (int v = 0; v < nvec; v++) {
        LiederNewton t = lieder_newton_at(s, w, nvec, v);
        mask lost = (mask)(*t.status >= 0.0) | (mask)(*t.stride > 0.0);
        *t.status = real_select(lost, lieder_newton_worst(&t), *t.status);
    }
}

/* where a single unknown is tried next, in the lanes of `where` */
LIEDER_INLINE void lieder_newton_at_point(const LiederNewton *t, mask where, real z)
{
    t->z[0] = real_select(where, z, t->z[0]);
}

/* Lanes of a single unknown that have failed: an interval around `begin` in which the residual
 * changes its sign, halved until it is as short as numbers allow. They are open there then, for a
 * last iteration that also sees whether it was a solution and no pole. `step`: the side with the
 * sign of `rest`; `x`: the other side, if there is one. */
static __attribute__((unused, noinline)) void lieder_newton_search(const LiederPattern *s, real *w,
                                                                   int nvec,
                                                                   LiederResiduals *residuals,
                                                                   const void *code)
{
    enum { DOUBLINGS = 44, HALVINGS = 64 };
    for (int v = 0; v < nvec; v++) {
        LiederNewton t = lieder_newton_at(s, w, nvec, v);
        mask failed = (mask)(*t.status >= 0.0);
        *t.far = real_splat(0.0); /* 1: there is an interval */
        *t.stride = real_select(failed, fused(1e-6, absolute(*t.begin), 1e-12), real_splat(0.0));
        lieder_newton_at_point(&t, failed, *t.begin);
    }
    residuals(code, w, nvec);
    for (int v = 0; v < nvec; v++) {
        LiederNewton t = lieder_newton_at(s, w, nvec, v);
        *t.rest = *t.r;
    }
    for (int k = 0; k < 2 * DOUBLINGS; k++) {
        for (int v = 0; v < nvec; v++) {
            LiederNewton t = lieder_newton_at(s, w, nvec, v);
            mask searching = (mask)(*t.stride > 0.0) & (mask)(*t.far == 0.0);
            real side = real_splat(k % 2 ? -1.0 : 1.0);
            lieder_newton_at_point(&t, searching, fused(side, *t.stride, *t.begin));
        }
        residuals(code, w, nvec);
        for (int v = 0; v < nvec; v++) {
            LiederNewton t = lieder_newton_at(s, w, nvec, v);
            mask searching = (mask)(*t.stride > 0.0) & (mask)(*t.far == 0.0);
            mask change = searching & (mask)(*t.r * *t.rest <= 0.0);
            real near = choose(*t.stride > fused(4e-6, absolute(*t.begin), 4e-12), 0.5, 0.0);
            *t.x = real_select(change, *t.z, *t.x);
            *t.step = real_select(change, fused(near, *t.z - *t.begin, *t.begin), *t.step);
            *t.far = real_select(change, real_splat(1.0), *t.far);
            if (k % 2)
                *t.stride = *t.stride * 2.0;
        }
    }
    for (int k = 0; k < HALVINGS; k++) {
        for (int v = 0; v < nvec; v++) {
            LiederNewton t = lieder_newton_at(s, w, nvec, v);
            lieder_newton_at_point(&t, (mask)(*t.far == 1.0), 0.5 * (*t.x + *t.step));
        }
        residuals(code, w, nvec);
        for (int v = 0; v < nvec; v++) {
            LiederNewton t = lieder_newton_at(s, w, nvec, v);
            mask beyond = (mask)(*t.r * *t.rest <= 0.0);
            *t.x = real_select((mask)(*t.far == 1.0) & beyond, *t.z, *t.x);
            *t.step = real_select((mask)(*t.far == 1.0) & ~beyond, *t.z, *t.step);
        }
    }
    for (int v = 0; v < nvec; v++) {
        LiederNewton t = lieder_newton_at(s, w, nvec, v);
        lieder_newton_begin(&t, (mask)(*t.far == 1.0), t.x);
        *t.far = *t.stride = real_splat(0.0);
    }
    lieder_newton_again(s, w, nvec, LIEDER_SYSTEM_TRIES, residuals, code);
}

/* lanes that are still open after all tries get the status of failed ones; returns whether any lane
 * has failed */
LIEDER_INLINE int lieder_newton_failed(const LiederPattern *s, real *w, int nvec)
{
    int failed = 0;
    for (int v = 0; v < nvec; v++) {
        LiederNewton t = lieder_newton_at(s, w, nvec, v);
        *t.status = real_select((mask)(*t.status == 0.0), real_splat(1.0), *t.status);
        failed |= mask_any((mask)(*t.status > 0.0));
    }
    return failed;
}

/* Guesses are added to the start values, which stand in their place then. Lanes that have none
 * solve the simplified equations first, if there are any. */
LIEDER_INLINE void lieder_newton_resume(const LiederPattern *s, real *w, int nvec,
                                        LiederResiduals *residuals, const void *code)
{
    int without = 0;
    for (int v = 0; v < nvec; v++) {
        LiederNewton t = lieder_newton_at(s, w, nvec, v);
        real *guess = &t.z[(size_t)s->guess * t.apart], any = real_splat(0.0);
        for (int i = 0; i < s->n; i++) {
            real start = t.z[(size_t)i * t.apart], begin = start + guess[(size_t)i * t.apart];
            any = maximum(any, absolute(begin - start));
            guess[(size_t)i * t.apart] = start;
            t.z[(size_t)i * t.apart] = t.begin[(size_t)i * t.apart] = begin;
        }
        *t.status = choose(any > 0.0, -1.0, 0.0);
        without |= mask_any((mask)(*t.status == 0.0));
    }
    if (without && s->homotopy)
        lieder_newton_lead(s, w, nvec, residuals, code);
    for (int v = 0; v < nvec; v++) {
        LiederNewton t = lieder_newton_at(s, w, nvec, v);
        real any = real_splat(0.0);
        for (int i = 0; i < s->n; i++) {
            real start = t.z[(size_t)(s->guess + i) * t.apart];
            any = maximum(any, absolute(t.begin[(size_t)i * t.apart] - start));
        }
        lieder_newton_begin(&t, (mask)(any > 0.0), t.begin);
    }
}

/* lanes that have failed, from their start values in another manner */
static __attribute__((unused, noinline)) void lieder_newton_other(const LiederPattern *s, real *w,
                                                                  int nvec, int manner,
                                                                  LiederResiduals *residuals,
                                                                  const void *code)
{
    for (int v = 0; v < nvec; v++) {
        LiederNewton t = lieder_newton_at(s, w, nvec, v);
        *t.far = *t.stride = real_splat(0.0);
        lieder_newton_begin(&t, (mask)(*t.status > 0.0), t.start);
    }
    lieder_newton_run(s, w, nvec, LIEDER_SYSTEM_TRIES, manner, residuals, code);
    for (int v = 0; v < nvec; v++) {
        LiederNewton t = lieder_newton_at(s, w, nvec, v);
        for (int i = 0; i < s->n; i++)
            t.z[(size_t)i * t.apart] = t.x[(size_t)i * t.apart];
    }
    residuals(code, w, nvec); /* to say where it failed */
    for (int v = 0; v < nvec; v++) {
        LiederNewton t = lieder_newton_at(s, w, nvec, v);
        *t.status = real_select((mask)(*t.status >= 0.0), lieder_newton_verdict(&t), *t.status);
    }
}

/* lanes that the first iteration has left without a solution */
static __attribute__((unused, noinline)) void lieder_newton_rescue(const LiederPattern *s, real *w,
                                                                   int nvec,
                                                                   LiederResiduals *residuals,
                                                                   const void *code)
{
    int failed = lieder_newton_failed(s, w, nvec);
    if (failed && s->n == 1)
        lieder_newton_search(s, w, nvec, residuals, code);
    else if (failed && s->guess)
        lieder_newton_follow(s, w, nvec, residuals, code);
    failed = lieder_newton_failed(s, w, nvec);
    for (int v = 0; failed && s->guess && v < nvec; v++) {
        LiederNewton t = lieder_newton_at(s, w, nvec, v);
        for (int i = 0; i < s->n; i++)
            t.begin[(size_t)i * t.apart] = t.z[(size_t)(s->guess + i) * t.apart];
        *t.far = *t.stride = real_splat(0.0);
        lieder_newton_begin(&t, (mask)(*t.status > 0.0), t.begin);
    }
    if (failed && s->guess && s->homotopy)
        lieder_newton_lead(s, w, nvec, residuals, code);
    if (failed && s->guess)
        lieder_newton_again(s, w, nvec, LIEDER_SYSTEM_TRIES, residuals, code);
    if (failed && lieder_newton_failed(s, w, nvec))
        lieder_newton_follow(s, w, nvec, residuals, code);
    if (failed && lieder_newton_failed(s, w, nvec))
        lieder_newton_other(s, w, nvec, LIEDER_NEWTON_FULL, residuals, code);
    if (failed && lieder_newton_failed(s, w, nvec))
        lieder_newton_other(s, w, nvec, LIEDER_NEWTON_PLAIN, residuals, code);
}

/* z: start values, becomes the solution, NaN where none was found; LAST: what was found in the end;
 * STATUS: 0, or 1 + the row with the largest residual there, half more where that is NaN */
static __attribute__((unused)) void lieder_solve_nonlinear(const LiederPattern *s, real *w,
                                                           int nvec, LiederResiduals *residuals,
                                                           const void *code)
{
    for (int v = 0; v < nvec; v++) {
        LiederNewton t = lieder_newton_at(s, w, nvec, v);
        *t.status = real_splat(0.0);
        *t.norm = *t.length = real_splat(1.0);
        *t.quiet = real_splat(0.0);
        for (int i = 0; i < s->n; i++) {
            t.weight[(size_t)i * t.apart] = t.step[(size_t)i * t.apart] = real_splat(0.0);
            t.start[(size_t)i * t.apart] = t.z[(size_t)i * t.apart];
            t.begin[(size_t)i * t.apart] = t.z[(size_t)i * t.apart];
        }
        *t.far = *t.stride = real_splat(0.0);
    }
    if (s->guess)
        lieder_newton_resume(s, w, nvec, residuals, code);
    else if (s->homotopy)
        lieder_newton_lead(s, w, nvec, residuals, code);
    int failed = lieder_newton_run(s, w, nvec, s->near ? LIEDER_SYSTEM_NEAR : LIEDER_SYSTEM_TRIES,
                                   LIEDER_NEWTON_DOWN, residuals, code);
    for (int v = 0; v < nvec; v++)
        failed |= mask_any((mask)(*lieder_newton_at(s, w, nvec, v).status >= 0.0));
    if (failed && s->near)
        lieder_newton_failed(s, w, nvec);
    else if (failed)
        lieder_newton_rescue(s, w, nvec, residuals, code);
    for (int v = 0; v < nvec; v++) {
        LiederNewton t = lieder_newton_at(s, w, nvec, v);
        *t.status = maximum(*t.status, 0.0);
        for (int i = 0; i < s->n; i++)
            t.z[(size_t)i * t.apart] =
                choose(*t.status == 0.0, t.x[(size_t)i * t.apart], (double)NAN);
    }
}

#endif
