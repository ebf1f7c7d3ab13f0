/* lu.c - sparse LU factors, for matrices of one pattern that are factored in every evaluation.
 *
 * Once (lu_plan.c): KLU brings the matrix to block upper triangular form and orders each block by
 * minimum degree (Davis, Palamadai Natarajan, ACM TOMS 37:3, 2010). Each time (Lu): the diagonal
 * blocks are factored column by column, from the left (Gilbert, Peierls, SIAM J. Sci. Stat. Comput.
 * 9:5, 1988). Column k is solved with the columns of L before it,
 *
 *   L x = a_k,   U_jk = x_j for pivoted rows j,   L_ik = x_i / x_pivot for the others,
 *
 * where a search through L finds beforehand which entries of x are not zero, in an order in which
 * each is complete before it is used. The pivot is the row that the order of KLU pairs with the
 * column, unless another one is a thousand times larger. Rows are scaled to a largest entry of one.
 * What stands above a diagonal block is not factored: it is taken from the right-hand side.
 *
 * All memory is there before the first evaluation. Only where pivots fill in more than twice what
 * minimum degree expects the lists of entries grow, once. Why not klu_factor: it asks the system
 * for memory in every call and our allocator never, and takes twice as long: a mesh of 30 x 30 has
 * 2.42 million instructions here where the pivots stay, 2.44 with klu_refactor, which never chooses
 * others, and 4.17 with klu_factor; one of 10 x 10 has 0.089, 0.084 and 0.21 (callgrind).
 *
 * The pivots of the last time are tried first, which saves the search: column by column it is
 * checked that they would be chosen again, and at the first one that would not all is done anew. So
 * the factors depend on the values alone, never on what was factored before, and any thread gets
 * the same bits.
 *
 * The other sparse elimination of the project, block/sparse.c with include/lieder/sparse.h, is for
 * systems inside blocks: in registers of lanes, each with its own numbers, by a table of places
 * that is made once, in headers that generated code and FMUs contain and that know no KLU. This one
 * is for the group of a whole shape, one lane at a time, where the search for pivots and blocks
 * pays.
 *
 * This file is part of FMUs, too, as it is: it needs libc, lieder.h and lu.h alone.
 *
 * Positions are rows and columns in the order of the plan; step k is that of the k-th pivot.
 */
#include "model/linear/lu.h"

#include <math.h>
#include <string.h>

static const double PREFERENCE = 1e-3; /* of the diagonal, over the largest entry */

/* ------------------------------------------------------------------ memory */

static void *lu_resize(const LiederAllocator *alloc, void *block, size_t old_size, size_t size)
{
    return alloc->resize(alloc->user, block, old_size, size);
}

/* room for so many entries; false: no memory, and what was there stays */
static bool factor_reserve(const LiederAllocator *alloc, LuFactor *f, size_t room)
{
    int *rows = lu_resize(alloc, f->rows, f->room_rows * sizeof *rows, room * sizeof *rows);
    if (!rows)
        return false;
    f->rows = rows;
    f->room_rows = room;
    double *values = lu_resize(alloc, f->values, f->room * sizeof *values, room * sizeof *values);
    if (!values)
        return false;
    f->values = values;
    f->room = room;
    return true;
}

static void factor_drop(LuFactor *f, const LiederAllocator *alloc)
{
    if (f->rows)
        lu_resize(alloc, f->rows, f->room_rows * sizeof *f->rows, 0);
    if (f->values)
        lu_resize(alloc, f->values, f->room * sizeof *f->values, 0);
}

LuStatus lu_create(Lu *lu, const LuPlan *plan)
{
    size_t n = (size_t)plan->n;
    *lu = (Lu){.plan = plan};
    size_t above = (size_t)plan->above_first[n];
    lu->bytes = (4 * n + above) * sizeof(double) + (2 * (n + 1) + 8 * n) * sizeof(int);
    lu->block = lu_resize(plan->alloc, NULL, 0, lu->bytes);
    if (!lu->block || !factor_reserve(plan->alloc, &lu->lower, plan->most) ||
        !factor_reserve(plan->alloc, &lu->upper, plan->most)) {
        lu_drop(lu);
        return LU_NO_MEMORY;
    }
    memset(lu->block, 0, lu->bytes);
    double *numbers = lu->block;
    lu->pivot = numbers;
    lu->scale = numbers + n;
    lu->x = numbers + 2 * n;
    lu->y = numbers + 3 * n;
    lu->above = numbers + 4 * n;
    int *next = (int *)(lu->above + above);
    int **arrays[] = {&lu->pivot_row, &lu->step,     &lu->stack, &lu->begun,
                      &lu->seen,      &lu->diagonal, &lu->owner, &lu->passed};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++, next += n)
        *arrays[i] = next;
    lu->lower.first = (uint32_t *)next;
    lu->upper.first = lu->lower.first + n + 1;
    return LU_DONE;
}

void lu_drop(Lu *lu)
{
    if (!lu->plan)
        return;
    factor_drop(&lu->lower, lu->plan->alloc);
    factor_drop(&lu->upper, lu->plan->alloc);
    if (lu->block)
        lu_resize(lu->plan->alloc, lu->block, lu->bytes, 0);
    *lu = (Lu){0};
}

/* ------------------------------------------------------------------ both ways */

/* each row by its largest entry; a row of zeros is left to the pivots */
static void scale_rows(Lu *lu, const double *values)
{
    const LuPlan *p = lu->plan;
    for (int r = 0; r < p->n; r++)
        lu->scale[r] = 0;
    for (int e = 0; e < p->columns[p->n]; e++)
        lu->scale[p->rows[e]] = fmax(lu->scale[p->rows[e]], fabs(values[e]));
    for (int r = 0; r < p->n; r++)
        lu->scale[r] = lu->scale[r] > 0 ? 1 / lu->scale[r] : 1;
    for (int i = 0; i < p->above_first[p->n]; i++)
        lu->above[i] = values[p->above[i]] * lu->scale[p->rows[p->above[i]]];
}

/* x -= value times column s of L */
static inline void subtract_column(const LuFactor *lower, uint32_t s, double value, double *x)
{
    for (uint32_t e = lower->first[s]; e < lower->first[s + 1]; e++)
        x[lower->rows[e]] -= value * lower->values[e];
}

/* ------------------------------------------------------------------ new pivots */

/* Rows that column k reaches from row `from` through columns of L, in front of those that are on
 * the stack already (stack[top] ...): what a row depends on comes before it. */
static int search_column(Lu *lu, int from, int k, int top)
{
    int depth = 0, *path = lu->stack; /* its beginning; the end is the result */
    path[0] = from;
    lu->seen[from] = k;
    lu->begun[from] = lu->step[from] < 0 ? 0 : (int)lu->lower.first[lu->step[from]];
    while (depth >= 0) {
        int row = path[depth], s = lu->step[row];
        bool deeper = false;
        while (s >= 0 && lu->begun[row] < (int)lu->lower.first[s + 1] && !deeper) {
            int next = lu->lower.rows[lu->begun[row]++];
            if (lu->seen[next] == k)
                continue;
            lu->seen[next] = k;
            lu->begun[next] = lu->step[next] < 0 ? 0 : (int)lu->lower.first[lu->step[next]];
            path[++depth] = next;
            deeper = true;
        }
        if (!deeper) {
            depth--;
            lu->stack[--top] = row;
        }
    }
    return top;
}

/* the row that column k gets: its own one unless another is far larger; -1: all are zero */
static int choose_pivot(const Lu *lu, int k, int top)
{
    double largest = 0;
    int best = -1;
    for (int i = top; i < lu->plan->n; i++) {
        int row = lu->stack[i];
        if (lu->step[row] < 0 &&
            !(fabs(lu->x[row]) <= largest)) { /* NaN: the result will show it */
            largest = fabs(lu->x[row]);
            best = row;
        }
    }
    int own = lu->diagonal[k];
    bool stays = best >= 0 && lu->seen[own] == k && fabs(lu->x[own]) >= PREFERENCE * largest;
    return stays ? own : best;
}

/* column k takes the chosen row; the column that owned it takes the row that k leaves */
static void take_pivot(Lu *lu, int k, int row)
{
    int other = lu->owner[row], own = lu->diagonal[k];
    lu->passed[k] = own == row ? LU_OWN : lu->seen[own] == k ? own : LU_OTHER;
    lu->diagonal[other] = own;
    lu->owner[own] = other;
    lu->diagonal[k] = row;
    lu->owner[row] = k;
    lu->pivot_row[k] = row;
    lu->step[row] = k;
}

static bool push_entry(const LiederAllocator *alloc, LuFactor *f, int row, double value)
{
    if (f->n == f->room && !factor_reserve(alloc, f, 2 * f->room))
        return false;
    f->rows[f->n] = row;
    f->values[f->n++] = value;
    return true;
}

/* column at position k of the block that begins at `first` */
static LuStatus factor_column(Lu *lu, const double *values, int first, int k)
{
    const LuPlan *p = lu->plan;
    int column = p->column_order[k], top = p->n;
    for (int e = p->columns[column]; e < p->columns[column + 1]; e++) {
        int row = p->row_position[p->rows[e]];
        if (row >= first && lu->seen[row] != k)
            top = search_column(lu, row, k, top);
    }
    for (int i = top; i < p->n; i++)
        lu->x[lu->stack[i]] = 0;
    for (int e = p->columns[column]; e < p->columns[column + 1]; e++) {
        int row = p->row_position[p->rows[e]];
        if (row >= first)
            lu->x[row] = values[e] * lu->scale[p->rows[e]];
    }
    bool ok = true;
    for (int i = top; i < p->n; i++) {
        int row = lu->stack[i], s = lu->step[row];
        if (s < 0)
            continue;
        double value = lu->x[row];
        ok &= push_entry(p->alloc, &lu->upper, s, value);
        subtract_column(&lu->lower, (uint32_t)s, value, lu->x);
    }
    int chosen = choose_pivot(lu, k, top);
    if (chosen < 0)
        return ok ? LU_SINGULAR : LU_NO_MEMORY;
    lu->pivot[k] = lu->x[chosen];
    for (int i = top; i < p->n; i++) {
        int row = lu->stack[i];
        if (lu->step[row] < 0 && row != chosen)
            ok &= push_entry(p->alloc, &lu->lower, row, lu->x[row] / lu->pivot[k]);
    }
    take_pivot(lu, k, chosen);
    lu->lower.first[k + 1] = (uint32_t)lu->lower.n;
    lu->upper.first[k + 1] = (uint32_t)lu->upper.n;
    return ok ? LU_DONE : LU_NO_MEMORY;
}

/* factors with pivots chosen again, column by column; *column is the one that failed */
static LuStatus factor_anew(Lu *lu, const double *values, int *column)
{
    const LuPlan *p = lu->plan;
    lu->complete = false;
    lu->lower.n = lu->upper.n = 0;
    for (int i = 0; i < p->n; i++) {
        lu->step[i] = lu->seen[i] = -1;
        lu->diagonal[i] = lu->owner[i] = i;
    }
    for (int b = 0; b < p->nblock; b++) {
        for (int k = p->block[b]; k < p->block[b + 1]; k++) {
            LuStatus status = factor_column(lu, values, p->block[b], k);
            *column = p->column_order[k];
            if (status != LU_DONE)
                return status;
        }
        /* all rows of the block have their steps now */
        for (uint32_t e = lu->lower.first[p->block[b]]; e < lu->lower.n; e++)
            lu->lower.rows[e] = lu->step[lu->lower.rows[e]];
        for (int k = p->block[b]; k < p->block[b + 1]; k++)
            lu->passed[k] = lu->passed[k] < 0 ? lu->passed[k] : lu->step[lu->passed[k]];
    }
    lu->complete = true;
    return LU_DONE;
}

/* ------------------------------------------------------------------ the same pivots */

/* Whether choose_pivot would take the row of step k again, with its column in x. Where entries are
 * equally large it depends on the order of the search: false. */
static bool is_chosen_again(const Lu *lu, int k)
{
    double largest = 0, pivot = fabs(lu->x[k]);
    for (uint32_t e = lu->lower.first[k]; e < lu->lower.first[k + 1]; e++)
        largest = fmax(largest, fabs(lu->x[lu->lower.rows[e]]));
    if (lu->passed[k] == LU_OWN)
        return pivot >= PREFERENCE * largest && fmax(pivot, largest) > 0;
    bool own = lu->passed[k] >= 0 && fabs(lu->x[lu->passed[k]]) >= PREFERENCE * pivot;
    return pivot > largest && !own;
}

/* column of step k; x is zero before and after. False: its pivot would be another one */
static bool factor_column_again(Lu *lu, const double *values, int first, int k)
{
    const LuPlan *p = lu->plan;
    double *x = lu->x;
    int column = p->column_order[k];
    for (int e = p->columns[column]; e < p->columns[column + 1]; e++) {
        int row = p->row_position[p->rows[e]];
        if (row >= first)
            x[lu->step[row]] = values[e] * lu->scale[p->rows[e]];
    }
    for (uint32_t e = lu->upper.first[k]; e < lu->upper.first[k + 1]; e++) {
        int s = lu->upper.rows[e];
        double value = x[s];
        x[s] = 0;
        lu->upper.values[e] = value;
        subtract_column(&lu->lower, (uint32_t)s, value, x);
    }
    bool again = is_chosen_again(lu, k);
    lu->pivot[k] = x[k];
    x[k] = 0;
    for (uint32_t e = lu->lower.first[k]; e < lu->lower.first[k + 1]; e++) {
        int row = lu->lower.rows[e];
        lu->lower.values[e] = x[row] / lu->pivot[k];
        x[row] = 0;
    }
    return again;
}

static bool factor_again(Lu *lu, const double *values)
{
    const LuPlan *p = lu->plan;
    memset(lu->x, 0, (size_t)p->n * sizeof *lu->x);
    for (int b = 0; b < p->nblock; b++)
        for (int k = p->block[b]; k < p->block[b + 1]; k++)
            if (!factor_column_again(lu, values, p->block[b], k))
                return false;
    return true;
}

LuStatus lu_factor(Lu *lu, const double *values, int *column)
{
    scale_rows(lu, values);
    return lu->complete && factor_again(lu, values) ? LU_DONE : factor_anew(lu, values, column);
}

/* ------------------------------------------------------------------ solving */

/* block b; right: by row position, scaled; x: by step */
static void solve_block(const Lu *lu, int b, const double *right, double *x)
{
    int first = lu->plan->block[b], end = lu->plan->block[b + 1];
    for (int k = first; k < end; k++)
        x[k] = right[lu->pivot_row[k]];
    for (int k = first; k < end; k++)
        subtract_column(&lu->lower, (uint32_t)k, x[k], x);
    for (int k = end; k-- > first;) {
        x[k] /= lu->pivot[k];
        subtract_column(&lu->upper, (uint32_t)k, x[k], x);
    }
}

void lu_solve(Lu *lu, double *b)
{
    const LuPlan *p = lu->plan;
    double *right = lu->x;
    for (int i = 0; i < p->n; i++)
        right[i] = b[p->row_order[i]] * lu->scale[p->row_order[i]];
    for (int block = p->nblock; block-- > 0;) {
        solve_block(lu, block, right, lu->y);
        for (int k = p->block[block]; k < p->block[block + 1]; k++)
            for (int i = p->above_first[k]; i < p->above_first[k + 1]; i++)
                right[p->row_position[p->rows[p->above[i]]]] -= lu->above[i] * lu->y[k];
    }
    for (int k = 0; k < p->n; k++)
        b[p->column_order[k]] = lu->y[k];
}

int lu_lost_pivot(const Lu *lu, const double *values, double least)
{
    const LuPlan *p = lu->plan;
    for (int k = 0; k < p->n; k++) {
        int column = p->column_order[k];
        double most = 0;
        for (int e = p->columns[column]; e < p->columns[column + 1]; e++)
            most = fmax(most, fabs(values[e]) * lu->scale[p->rows[e]]);
        if (!(fabs(lu->pivot[k]) > least * most))
            return column;
    }
    return -1;
}
