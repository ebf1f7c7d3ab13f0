/* extreme.c - the fastest eigenvalues of a block that is too large to be written down, by ARPACK.
 *
 * Implicitly restarted Arnoldi (Lehoucq, Sorensen, Yang 1998) needs products A v only, and these
 * are differences of the derivatives along v (linear_apply): an evaluation of the model costs O(n),
 * where the matrix would have n^2 numbers. It finds the largest magnitudes, which limit the step of
 * an explicit solver.
 *
 * The error of an eigenvalue is the residual || A v - lambda v || of its vector, || v || = 1; for a
 * matrix that is far from normal the true error may be larger. There are no left eigenvectors
 * without products with the transpose, so the shares are those of |v_k|^2: they show which states
 * move most, in their units, not which take part.
 */
#include "analysis/analysis.h"

#include <math.h>
#include <string.h>

#include <arpack/arpack.h>

#include "base/delayed.h"

enum { BASIS = 60, RESTARTS = 40 };
/* of the residual, relative; eigenvalues that stand close together need the later ones */
static const double tolerances[] = {1e-10, 1e-7, 1e-4};

typedef struct Arnoldi {
    Linear *l;
    uint32_t shape;
    size_t lane, n;
    a_int nev, ncv;
    double tolerance;
    double *residual, *basis, *workd, *workl, *room, *vectors;
    double *dr, *di, *workev;
    a_int *select;
    size_t *products;
    __typeof__(dnaupd_c) *naupd; /* of ARPACK */
    __typeof__(dneupd_c) *neupd;
} Arnoldi;

/* the reverse communication of ARPACK, which returns for each product that it needs */
static LiederStatus iterate_arnoldi(Arnoldi *a, a_int *iparam, a_int *ipntr, a_int *info)
{
    a_int ido = 0, n = (a_int)a->n, nworkl = 3 * a->ncv * a->ncv + 6 * a->ncv;
    *info = 1; /* the residual holds the first vector */
    for (;;) {
        a->naupd(&ido, "I", n, "LM", a->nev, a->tolerance, a->residual, a->ncv, a->basis, n, iparam,
                 ipntr, a->workd, a->workl, nworkl, info);
        if (ido != 1 && ido != -1)
            return LIEDER_DONE;
        LiederStatus status = linear_apply(a->l, a->shape, a->lane, a->workd + ipntr[0] - 1,
                                           a->workd + ipntr[1] - 1, a->room);
        ++*a->products;
        if (status != LIEDER_DONE)
            return status;
    }
}

/* || A v - lambda v || / || v || for v = p + i q; q NULL: real */
static double residual_of(Arnoldi *a, double re, double im, const double *p, const double *q)
{
    double *Ap = a->workd, *Aq = a->workd + a->n, sum = 0, norm = 0;
    LiederStatus status = linear_apply(a->l, a->shape, a->lane, p, Ap, a->room);
    if (status == LIEDER_DONE && q)
        status = linear_apply(a->l, a->shape, a->lane, q, Aq, a->room);
    *a->products += q ? 2 : 1;
    for (size_t i = 0; i < a->n; i++) {
        double y = q ? q[i] : 0, u = Ap[i] - re * p[i] + im * y;
        double w = q ? Aq[i] - re * y - im * p[i] : 0;
        sum += u * u + w * w;
        norm += p[i] * p[i] + y * y;
    }
    return status == LIEDER_DONE ? sqrt(sum / norm) : INFINITY;
}

/* eigenvalues and vectors out of the converged basis */
static LiederStatus collect_extremes(Arnoldi *a, a_int *iparam, a_int *ipntr, Eigenvalue *values,
                                     size_t *n)
{
    a_int order = (a_int)a->n, nworkl = 3 * a->ncv * a->ncv + 6 * a->ncv, info = 0;
    a->neupd(1, "A", a->select, a->dr, a->di, a->vectors, order, 0, 0, a->workev, "I", order, "LM",
             a->nev, a->tolerance, a->residual, a->ncv, a->basis, order, iparam, ipntr, a->workd,
             a->workl, nworkl, &info);
    if (info != 0)
        return LIEDER_GAVE_UP;
    size_t found = (size_t)iparam[4] < *n ? (size_t)iparam[4] : *n, at = 0;
    for (size_t k = 0; k < found && at < *n;) {
        bool pair = a->di[k] != 0;
        if (pair && at + 2 > *n)
            break;
        const double *p = a->vectors + k * a->n, *q = pair ? p + a->n : NULL;
        Eigenvalue v = {.re = a->dr[k], .im = fabs(a->di[k])};
        /* the two columns belong to the first of the pair */
        v.error = residual_of(a, v.re, a->di[k], p, q);
        double sum = 0, *parts = a->workd;
        for (size_t i = 0; i < a->n; i++)
            sum += parts[i] = p[i] * p[i] + (q ? q[i] * q[i] : 0);
        for (size_t i = 0; i < a->n; i++)
            parts[i] /= sum;
        eigen_shares(&v, parts, a->n);
        values[at++] = v;
        if (pair) {
            v.im = -v.im;
            values[at++] = v;
        }
        k += pair ? 2 : 1;
    }
    *n = at;
    eigen_sort(values, at);
    return LIEDER_DONE;
}

LiederStatus eigen_extreme(Linear *l, uint32_t shape, size_t lane, Eigenvalue *values, size_t *n,
                           size_t *products)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(l->system);
    Arnoldi a = {.l = l,
                 .shape = shape,
                 .lane = lane,
                 .n = l->shapes.items[shape].n,
                 .nev = (a_int)*n,
                 .ncv = BASIS,
                 .products = products,
                 .naupd = delayed_function(LIEDER_ARPACK, "dnaupd_c"),
                 .neupd = delayed_function(LIEDER_ARPACK, "dneupd_c")};
    if (!a.naupd || !a.neupd) {
        char problem[400];
        diag_error(&l->system->session->diag, NULL, NULL,
                   "ARPACK cannot be loaded: %s\ninstall it; it finds the eigenvalues of large "
                   "models",
                   delayed_problem(LIEDER_ARPACK, problem, sizeof problem));
        return LIEDER_IO;
    }
    if (a.n < BASIS + 2 || *n + 2 > BASIS)
        return LIEDER_BAD_USE; /* small blocks have a matrix */
    size_t ncv = BASIS, nworkl = 3 * ncv * ncv + 6 * ncv;
    size_t count = a.n * (1 + ncv + 3 + 4 + *n + 1) + nworkl + 2 * (*n + 2) + 3 * ncv;
    size_t bytes = count * sizeof(double) + ncv * sizeof(a_int);
    double *all = memory_zeroed(alloc, bytes);
    if (!all)
        return LIEDER_NO_MEMORY;
    a.residual = all;
    a.basis = a.residual + a.n;
    a.workd = a.basis + a.n * ncv;
    a.room = a.workd + 3 * a.n;
    a.vectors = a.room + 4 * a.n;
    a.workl = a.vectors + a.n * (*n + 1);
    a.dr = a.workl + nworkl;
    a.di = a.dr + *n + 2;
    a.workev = a.di + *n + 2;
    a.select = (a_int *)(a.workev + 3 * ncv);
    for (size_t i = 0; i < a.n; i++)
        a.residual[i] = 1 + 0.3 * sin(12.9898 * (double)(i + 1)); /* without symmetry */
    LiederStatus status = LIEDER_GAVE_UP;
    for (size_t k = 0; k < sizeof tolerances / sizeof *tolerances; k++) {
        a_int iparam[11] = {[0] = 1, [2] = RESTARTS, [3] = 1, [6] = 1}, ipntr[14] = {0}, info;
        a.tolerance = tolerances[k];
        status = iterate_arnoldi(&a, iparam, ipntr, &info);
        if (status == LIEDER_DONE && (info < 0 || iparam[4] == 0))
            status = LIEDER_GAVE_UP;
        if (status == LIEDER_GAVE_UP && info >= 0)
            continue; /* with the next tolerance, from the present residual */
        if (status == LIEDER_DONE)
            status = collect_extremes(&a, iparam, ipntr, values, n);
        break;
    }
    memory_free(alloc, all, bytes);
    return status;
}
