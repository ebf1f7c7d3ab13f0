/* lu_plan.c - pattern and order of sparse LU factors (lu.c): block upper triangular form and
 * minimum degree, by KLU. The one place where the factors need it. */
#include <math.h>
#include <string.h>

#include <suitesparse/klu.h>

#include "base/memory.h"
#include "model/linear/lu.h"

/* entries of L or of U: twice what is expected, but no more than there can be */
static size_t room_for(const klu_symbolic *s)
{
    double most = 0, expected = 2 * fmax(s->lnz, s->unz) + 20 * s->n;
    for (int b = 0; b < s->nblocks; b++)
        most += (double)(s->R[b + 1] - s->R[b]) * (s->R[b + 1] - s->R[b]) / 2;
    return (size_t)(most < expected ? most : expected) + 1;
}

/* the entries above the diagonal blocks, column by column */
static void list_above(const LuPlan *p, int *above_first, int *above)
{
    int n = 0;
    for (int b = 0; b < p->nblock; b++)
        for (int k = p->block[b]; k < p->block[b + 1]; k++) {
            int column = p->column_order[k];
            for (int e = p->columns[column]; e < p->columns[column + 1]; e++)
                if (p->row_position[p->rows[e]] < p->block[b])
                    above[n++] = e;
            above_first[k + 1] = n;
        }
}

LuStatus lu_plan_create(LuPlan *plan, int n, const int *columns, const int *rows,
                        const LiederAllocator *alloc)
{
    *plan = (LuPlan){.alloc = alloc, .n = n, .columns = columns, .rows = rows};
    klu_common common;
    klu_defaults(&common);
    klu_symbolic *s = klu_analyze(n, (int *)columns, (int *)rows, &common);
    if (!s) /* without a diagonal of entries that are not zero in the pattern nothing is regular */
        return common.status == KLU_OUT_OF_MEMORY ? LU_NO_MEMORY : LU_SINGULAR;
    size_t length = (size_t)n;
    plan->bytes = (5 * length + 2 + (size_t)columns[n]) * sizeof(int);
    int *all = plan->arrays = memory_zeroed(alloc, plan->bytes);
    if (all) {
        int *position = all + length, *order = position + length, *block = order + length,
            *above_first = block + length + 1, *above = above_first + length + 1;
        memcpy(all, s->P, length * sizeof *all);
        memcpy(order, s->Q, length * sizeof *all);
        memcpy(block, s->R, ((size_t)s->nblocks + 1) * sizeof *all);
        for (int i = 0; i < n; i++)
            position[all[i]] = i;
        plan->row_order = all;
        plan->row_position = position;
        plan->column_order = order;
        plan->block = block;
        plan->nblock = s->nblocks;
        plan->most = room_for(s);
        list_above(plan, above_first, above);
        plan->above_first = above_first;
        plan->above = above;
    }
    klu_free_symbolic(&s, &common);
    return all ? LU_DONE : LU_NO_MEMORY;
}

void lu_plan_drop(LuPlan *plan)
{
    if (plan->arrays)
        memory_free(plan->alloc, plan->arrays, plan->bytes);
    *plan = (LuPlan){0};
}
