/* vectors.c - see vectors.h. The operations are those of SUNDIALS except
 *
 *   clone, destroy     take vectors from the shelf and give them back
 *   norm               the largest component instead of the mean (implicit.c says why)
 *   sums of multiples  with the same bits: SUNDIALS spends 120 instructions on a sum of four
 *                      numbers, for a small model nearly half of a step
 *
 * Operations that read all components go through ranks.c. With several ranks those that CVODE and
 * ARKODE, as they are used here, do not call are removed. */
#include "solve/method/vectors.h"
#include "solve/run/ranks.h"

#include <math.h>

/* ------------------------------------------------------------------ operations */

static double *numbers(N_Vector v)
{
    return ((ShelfVector *)v)->content.data;
}

static realtype largest_part(N_Vector y, N_Vector weight)
{
    const double *x = numbers(y), *w = numbers(weight);
    double most = 0;
    for (size_t i = 0; i < ((ShelfVector *)y)->shelf->n; i++) {
        double size = fabs(x[i] * w[i]);
        most = size <= most ? most : size; /* NaN stays */
    }
    return ranks_greatest(((ShelfVector *)y)->shelf->system, most);
}

static realtype largest_norm(N_Vector y)
{
    return ranks_greatest(((ShelfVector *)y)->shelf->system, N_VMaxNorm_Serial(y));
}

static realtype least(N_Vector y)
{
    return ranks_least(((ShelfVector *)y)->shelf->system, N_VMin_Serial(y));
}

/* z = a x + b y; with the bits of N_VLinearSum_Serial, which has a (x + y) for a = b */
static void sum_multiples(realtype a, N_Vector x, realtype b, N_Vector y, N_Vector z)
{
    const size_t n = ((ShelfVector *)z)->shelf->n;
    const double *p = numbers(x), *q = numbers(y);
    double *to = numbers(z);
    bool common = fabs(a) == fabs(b) && fabs(a) != 1;
    if (!common)
        for (size_t i = 0; i < n; i++)
            to[i] = a * p[i] + b * q[i];
    else if (a == b)
        for (size_t i = 0; i < n; i++)
            to[i] = a * (p[i] + q[i]);
    else
        for (size_t i = 0; i < n; i++)
            to[i] = a * (p[i] - q[i]);
}

static void multiple(realtype c, N_Vector x, N_Vector z)
{
    const size_t n = ((ShelfVector *)z)->shelf->n;
    const double *p = numbers(x);
    double *to = numbers(z);
    for (size_t i = 0; i < n; i++)
        to[i] = c * p[i];
}

/* z = c_1 x_1 + c_2 x_2 + ..., from left to right; z may be x_1 */
static int sum_many(int count, realtype *c, N_Vector *x, N_Vector z)
{
    const size_t n = ((ShelfVector *)z)->shelf->n;
    double *to = numbers(z);
    for (size_t i = 0; i < n; i++) {
        double sum = c[0] * numbers(x[0])[i];
        for (int k = 1; k < count; k++)
            sum += c[k] * numbers(x[k])[i];
        to[i] = sum;
    }
    return 0;
}

static N_Vector clone_vector(N_Vector like)
{
    return shelf_vector(((ShelfVector *)like)->shelf);
}

static void return_vector(N_Vector v)
{
    ShelfVector *s = (ShelfVector *)v;
    s->taken = false;
    if (s->extra)
        memory_free(s->shelf->alloc, s, sizeof *s + s->shelf->n * sizeof(double));
}

static SUNMatrix clone_matrix(SUNMatrix like)
{
    return shelf_matrix(((ShelfMatrix *)like)->shelf);
}

static void return_matrix(SUNMatrix A)
{
    ((ShelfMatrix *)A)->taken = false;
}

/* ------------------------------------------------------------------ the shelf */

static void fill_vector(Shelf *shelf, ShelfVector *v, double *data, SUNContext context)
{
    v->content = (struct _N_VectorContent_Serial){.length = (sunindextype)shelf->n, .data = data};
    v->base.content = &v->content;
    v->base.ops = &shelf->vector_ops;
    v->base.sunctx = context;
    v->shelf = shelf;
}

/* the operations of a serial vector, with ours for memory; false: SUNDIALS refused */
static bool take_vector_ops(Shelf *shelf, SUNContext context)
{
    N_Vector example = N_VNewEmpty_Serial(0, context);
    if (!example)
        return false;
    shelf->vector_ops = *example->ops;
    shelf->vector_ops.nvclone = clone_vector;
    shelf->vector_ops.nvdestroy = return_vector;
    shelf->vector_ops.nvlinearsum = sum_multiples;
    shelf->vector_ops.nvscale = multiple;
    shelf->vector_ops.nvlinearcombination = sum_many;
    shelf->vector_ops.nvwrmsnorm = largest_part;
    shelf->vector_ops.nvmaxnorm = largest_norm;
    shelf->vector_ops.nvmin = least;
    if (rank_count(shelf->system) > 1) {
        shelf->vector_ops.nvdotprod = NULL;
        shelf->vector_ops.nvwrmsnormmask = NULL;
        shelf->vector_ops.nvwl2norm = NULL;
        shelf->vector_ops.nvl1norm = NULL;
        shelf->vector_ops.nvinvtest = NULL;
        shelf->vector_ops.nvconstrmask = NULL;
        shelf->vector_ops.nvminquotient = NULL;
    }
    N_VDestroy(example);
    return true;
}

/* a sparse matrix whose copies come from the shelf; false: SUNDIALS refused */
static bool make_matrix(Shelf *shelf, ShelfMatrix *A, size_t nonzeros, SUNContext context)
{
    sunindextype n = (sunindextype)shelf->n;
    A->made = SUNSparseMatrix(n, n, (sunindextype)nonzeros, CSC_MAT, context);
    if (!A->made)
        return false;
    shelf->matrix_ops = *A->made->ops;
    shelf->matrix_ops.clone = clone_matrix;
    shelf->matrix_ops.destroy = return_matrix;
    A->base = *A->made;
    A->base.ops = &shelf->matrix_ops;
    A->shelf = shelf;
    return true;
}

bool shelf_create(Shelf *shelf, const LiederSystem *system, size_t n, size_t count, size_t nonzeros,
                  SUNContext context)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    *shelf = (Shelf){.alloc = alloc, .system = system, .n = n, .count = count};
    shelf->vectors = memory_zeroed(alloc, count * sizeof *shelf->vectors);
    shelf->data = memory_zeroed(alloc, count * n * sizeof(double));
    if (!shelf->vectors || !shelf->data || !take_vector_ops(shelf, context) ||
        !make_matrix(shelf, &shelf->matrices[0], nonzeros, context) ||
        !make_matrix(shelf, &shelf->matrices[1], nonzeros, context)) {
        shelf_drop(shelf);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        fill_vector(shelf, &shelf->vectors[i], shelf->data + i * n, context);
    return true;
}

void shelf_drop(Shelf *shelf)
{
    if (!shelf->alloc)
        return;
    for (int i = 0; i < 2; i++)
        if (shelf->matrices[i].made)
            SUNMatDestroy(shelf->matrices[i].made);
    memory_free(shelf->alloc, shelf->vectors, shelf->count * sizeof *shelf->vectors);
    memory_free(shelf->alloc, shelf->data, shelf->count * shelf->n * sizeof(double));
    *shelf = (Shelf){0};
}

N_Vector shelf_vector(Shelf *shelf)
{
    for (size_t i = 0; i < shelf->count; i++) {
        ShelfVector *v = &shelf->vectors[i];
        if (v->taken)
            continue;
        v->taken = true;
        return &v->base;
    }
    ShelfVector *v = memory_zeroed(shelf->alloc, sizeof *v + shelf->n * sizeof(double));
    if (!v)
        return NULL;
    fill_vector(shelf, v, (double *)(v + 1), shelf->vectors[0].base.sunctx);
    v->extra = true;
    return &v->base;
}

SUNMatrix shelf_matrix(Shelf *shelf)
{
    for (int i = 0; i < 2; i++) {
        ShelfMatrix *A = &shelf->matrices[i];
        if (A->taken)
            continue;
        A->taken = true;
        return &A->base;
    }
    return NULL;
}
