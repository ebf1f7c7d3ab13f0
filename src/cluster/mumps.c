/* mumps.c - factors of a matrix that the ranks of MPI share, by MUMPS (CeCILL-C; Amestoy, Duff,
 * L'Excellent, Koster 2001): see RankFactors.
 *
 * Each rank hands over its own entries (ICNTL(18) = 3) and keeps its part of the factors. The
 * right-hand side and the solution go through rank 0, which has `order` numbers for that. Fronts
 * are worked on by ranks as these become free, so that sums may be rounded otherwise in another
 * run; whoever solves refines what comes out.
 */
#include "cluster/mumps.h"

#include <dmumps_c.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* its jobs, and entries of icntl, infog and rinfog as its manual counts them, from 1 */
enum { JOB_INIT = -1, JOB_END = -2, JOB_ANALYSE = 1, JOB_FACTORISE = 2, JOB_SOLVE = 3 };
#define ICNTL(i)  icntl[(i)-1]
#define INFOG(i)  infog[(i)-1]
#define RINFOG(i) rinfog[(i)-1]
enum { WORKSPACE_TOO_SMALL = -9, WORKSPACE_TOO_SMALL_INT = -8, MAX_PERCENT = 2000 };

typedef struct Factors {
    DMUMPS_STRUC_C id;
    int rank, count;
    int n;                /* own unknowns */
    int *counts, *before; /* of all ranks, on rank 0 */
    double *right;        /* of the whole, on rank 0 */
} Factors;

static void factors_drop(void *factors)
{
    Factors *f = factors;
    f->id.job = JOB_END;
    dmumps_c(&f->id);
    free(f->id.irn_loc);
    free(f->id.jcn_loc);
    free(f->counts);
    free(f->before);
    free(f->right);
    free(f);
}

/* whether all ranks have what they asked for */
static bool all_have(bool here)
{
    int has = here;
    MPI_Allreduce(MPI_IN_PLACE, &has, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return has;
}

/* what a rank keeps beside MUMPS; false: no memory */
static bool make_room(Factors *f, size_t order, size_t nentry)
{
    f->id.irn_loc = malloc((nentry + 1) * sizeof *f->id.irn_loc);
    f->id.jcn_loc = malloc((nentry + 1) * sizeof *f->id.jcn_loc);
    f->counts = malloc((size_t)f->count * sizeof *f->counts);
    f->before = malloc((size_t)f->count * sizeof *f->before);
    f->right = malloc((f->rank == 0 ? order + 1 : 1) * sizeof *f->right);
    return f->id.irn_loc && f->id.jcn_loc && f->counts && f->before && f->right;
}

/* a handle of MUMPS for a symmetric matrix of which this rank has the given entries, ordered; NULL:
 * it failed */
static void *factors_analyse(size_t order, size_t first, size_t n, size_t nentry,
                             const uint32_t *rows, const uint32_t *columns, double *entries,
                             double *flops)
{
    Factors *f = calloc(1, sizeof *f);
    if (!all_have(f)) {
        free(f);
        return NULL;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &f->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &f->count);
    f->n = (int)n;
    f->id.job = JOB_INIT;
    f->id.par = 1; /* rank 0 works, too */
    f->id.sym = 1; /* positive definite */
    f->id.comm_fortran = (MUMPS_INT)MPI_Comm_c2f(MPI_COMM_WORLD);
    dmumps_c(&f->id);
    if (!all_have(make_room(f, order, nentry))) {
        factors_drop(f);
        return NULL;
    }
    int at = (int)first;
    MPI_Gather(&f->n, 1, MPI_INT, f->counts, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gather(&at, 1, MPI_INT, f->before, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (size_t i = 0; i < nentry; i++) {
        f->id.irn_loc[i] = (MUMPS_INT)rows[i] + 1;
        f->id.jcn_loc[i] = (MUMPS_INT)columns[i] + 1;
    }
    f->id.ICNTL(1) = f->id.ICNTL(2) = f->id.ICNTL(3) = -1; /* says nothing itself */
    f->id.ICNTL(4) = 0;
    f->id.ICNTL(18) = 3;
    f->id.n = (MUMPS_INT)order;
    f->id.nnz_loc = (MUMPS_INT8)nentry;
    f->id.job = JOB_ANALYSE;
    dmumps_c(&f->id);
    if (f->id.INFOG(1) < 0) {
        factors_drop(f);
        return NULL;
    }
    /* INFOG(3): entries, or their millions below zero */
    *entries = f->id.INFOG(3) < 0 ? -1e6 * f->id.INFOG(3) : f->id.INFOG(3);
    *flops = f->id.RINFOG(1);
    return f;
}

/* the factors for new values of the entries; false: the matrix is singular or memory ran out */
static bool factors_factorise(void *factors, const double *values)
{
    Factors *f = factors;
    f->id.a_loc = (double *)(uintptr_t)values;
    f->id.job = JOB_FACTORISE;
    /* more room than was estimated, where it asks for it */
    for (int percent = 30; percent <= MAX_PERCENT; percent *= 4) {
        f->id.ICNTL(14) = percent;
        dmumps_c(&f->id);
        if (f->id.INFOG(1) != WORKSPACE_TOO_SMALL && f->id.INFOG(1) != WORKSPACE_TOO_SMALL_INT)
            break;
    }
    f->id.a_loc = NULL;
    return f->id.INFOG(1) >= 0 && f->id.INFOG(12) == 0;
}

static bool factors_solve(void *factors, double *numbers)
{
    Factors *f = factors;
    MPI_Gatherv(numbers, f->n, MPI_DOUBLE, f->right, f->counts, f->before, MPI_DOUBLE, 0,
                MPI_COMM_WORLD);
    f->id.rhs = f->rank == 0 ? f->right : NULL;
    f->id.job = JOB_SOLVE;
    dmumps_c(&f->id);
    MPI_Scatterv(f->right, f->counts, f->before, MPI_DOUBLE, numbers, f->n, MPI_DOUBLE, 0,
                 MPI_COMM_WORLD);
    return f->id.INFOG(1) >= 0;
}

const RankFactors mumps_factors = {.analyse = factors_analyse,
                                   .factorise = factors_factorise,
                                   .solve = factors_solve,
                                   .drop = factors_drop};
