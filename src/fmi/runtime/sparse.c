/* sparse.c - groups of a shape that elimination along a tree does not solve, as one sparse system:
 * what src/model/linear/sparse.c and solve_record of src/model/system/evaluate.c do, in the same
 * order. The pattern is part of the FMU, so that only lu.c is needed here. */
#include "sparse.h"

#include "model/linear/lu.c"

enum { MAX_ITERATIONS = 1000, JOINT_CHANGES = 16 };

typedef struct SparseNumbers {
    LuPlan plan; /* that of the shape, with the allocator of this file */
    Lu lu;
    double *value, *factored, *rhs, *known;
    bool complete; /* lu are the factors of `factored` */
} SparseNumbers;

static void *sparse_resize(void *user, void *block, size_t old_size, size_t size)
{
    (void)user, (void)old_size;
    if (size)
        return realloc(block, size);
    free(block);
    return NULL;
}
static const LiederAllocator sparse_memory = {.resize = sparse_resize};

static void sparse_drop(SparseNumbers *w)
{
    if (!w)
        return;
    lu_drop(&w->lu);
    free(w->value);
    free(w);
}

/* room for the numbers of a system; NULL: no memory */
static SparseNumbers *sparse_create(const FmuSparse *sparse)
{
    SparseNumbers *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->plan = sparse->plan;
    w->plan.alloc = &sparse_memory;
    size_t n = (size_t)w->plan.n, entries = (size_t)w->plan.columns[n];
    w->value = calloc(2 * entries + n + sparse->nknown + 1, sizeof *w->value);
    if (!w->value || (n && lu_create(&w->lu, &w->plan) != LU_DONE)) {
        sparse_drop(w);
        return NULL;
    }
    w->factored = w->value + entries;
    w->rhs = w->factored + entries;
    w->known = w->rhs + n;
    return w;
}

/* the blocks of a component with these inputs */
static void run_map(const FmuMap *m, const uint32_t *at, double *rec, Call call)
{
    if (m->outward)
        m->outward(rec, at + m->at, call);
    if (m->inward)
        m->inward(rec, at + m->at, call);
}

/* an output, the sum of its regimes */
static double read_map(const double *rec, const FmuQuantity *q)
{
    double sum = 0;
    for (int g = 0; g < q->regimes; g++)
        sum += rec[q->place + (uint32_t)(g * q->stride)];
    return sum;
}

/* known potentials are put aside and become zero, or come back */
static void swap_known(const FmuSparse *p, const FmuMap *m, double *rec, double *known, bool aside)
{
    for (uint32_t i = 0; i < m->nknown; i++) {
        double *at = &rec[p->places[m->known + i]];
        if (aside)
            known[i] = *at;
        *at = aside ? 0 : known[i];
    }
}

/* coefficients and right-hand side, by unit inputs of each component */
static void assemble(const FmuSparse *p, SparseNumbers *w, const uint32_t *at, double *rec,
                     Call call)
{
    Call off = call;
    size_t probe = 0;
    off.bias_scale = 0;
    memset(w->value, 0, (size_t)p->plan.columns[p->plan.n] * sizeof *w->value);
    memset(w->rhs, 0, (size_t)p->plan.n * sizeof *w->rhs);
    for (size_t d = 0; d < p->ndiagonal; d++)
        w->value[p->diagonal[d]] = 1;
    for (const FmuMap *m = p->maps; m < p->maps + p->nmap; m++) {
        const FmuQuantity *in = p->quantities + m->input, *out = p->quantities + m->output;
        for (uint32_t i = 0; i < m->ninput; i++)
            rec[in[i].place] = 0;
        for (uint32_t i = 0; i < m->nflow; i++)
            rec[p->places[m->flow + i]] = 0;
        run_map(m, at, rec, call);
        for (uint32_t o = 0; o < m->noutput; o++)
            w->rhs[out[o].number] -= out[o].sign * read_map(rec, &out[o]);
        swap_known(p, m, rec, w->known, true);
        for (uint32_t i = 0; i < m->ninput; i++) {
            rec[in[i].place] = 1;
            run_map(m, at, rec, off);
            rec[in[i].place] = 0;
            for (uint32_t o = 0; o < m->noutput; o++)
                w->value[p->entries[probe++]] += out[o].sign * read_map(rec, &out[o]);
        }
        swap_known(p, m, rec, w->known, false);
    }
}

/* factors the matrix unless it is the last one that was factored */
static LuStatus factor_numbers(const FmuSparse *p, SparseNumbers *w, bool general)
{
    int column = -1;
    size_t bytes = (size_t)p->plan.columns[p->plan.n] * sizeof *w->value;
    if (w->complete && memcmp(w->value, w->factored, bytes) == 0)
        return LU_DONE;
    LuStatus status = lu_factor(&w->lu, w->value, &column);
    if (status == LU_DONE && general && lu_lost_pivot(&w->lu, w->value, LU_SMALLEST_PIVOT) >= 0)
        status = LU_SINGULAR;
    w->complete = status == LU_DONE;
    if (w->complete)
        memcpy(w->factored, w->value, bytes);
    return status;
}

/* runs the components that iterate, those with choices or those without; true: one has moved */
static bool move_iterates(const FmuSparse *p, const uint32_t *at, double *rec, Call call,
                          bool choices, bool one)
{
    bool moved = false;
    for (size_t i = 0; i < p->niterate && !(one && moved); i++) {
        if (p->iterates[i].choices != choices)
            continue;
        rec[LIEDER_ALARM] = 0;
        p->iterates[i].run(rec, at + p->iterates[i].at, call);
        moved |= rec[LIEDER_ALARM] != 0;
    }
    return moved;
}

/* see FmuSparseFunctions: assembles, factors and solves until all components have converged */
static const char *sparse_solve(const ShapeValues *s, Call call)
{
    const FmuSparse *p = s->shape->sparse;
    SparseNumbers *w = s->sparse;
    const uint32_t *at = s->shape->full.at;
    for (int count = 0; count < MAX_ITERATIONS; count++) {
        if (p->plan.n) {
            assemble(p, w, at, s->full, call);
            LuStatus status = factor_numbers(p, w, s->shape->general);
            if (status != LU_DONE)
                return status == LU_NO_MEMORY ? "out of memory for the factors of a linear group"
                                              : "a linear group is singular";
            lu_solve(&w->lu, w->rhs);
            for (const FmuMap *m = p->maps; m < p->maps + p->nmap; m++)
                for (uint32_t i = m->input; i < m->input + m->ninput; i++)
                    s->full[p->quantities[i].place] = w->rhs[p->quantities[i].number];
        }
        bool joint = count < JOINT_CHANGES, moved = false;
        if (s->shape->general) {
            moved = move_iterates(p, at, s->full, call, false, false);
            if (joint || !moved)
                moved |= move_iterates(p, at, s->full, call, true, !joint);
        }
        if (!moved)
            return NULL;
    }
    return "components that iterate, such as diodes, find no solution";
}

const FmuSparseFunctions fmu_sparse_functions = {
    .create = sparse_create, .drop = sparse_drop, .solve = sparse_solve};
