/* offsets.c - how often equations are differentiated: Pryce's structural analysis.
 *
 * The transversal of highest value is an assignment with cost (highest order - order). The offsets
 * are the fixed point of
 *
 *   d_j = max(least_j, max_i order_ij + c_i),   c_i = d_T(i) - order_i,T(i)
 *
 * from c = 0; it exists because no cycle of exchanges gains value. Rows are visited while the d of
 * their column grows, so an index-1 model is done after one pass.
 */
#include "equation/graph/incidence.h"

/* the table with costs that make the assignment prefer high orders; what only derivatives of an
 * equation have is not in itself */
static bool copy_by_order(Incidence *copy, const Incidence *table, const LiederAllocator *alloc)
{
    int32_t highest = 0;
    for (size_t k = 0; k < table->entries.n; k++)
        if (table->entries.items[k].order > highest)
            highest = table->entries.items[k].order;
    copy->ncolumn = table->ncolumn;
    for (uint32_t i = 0; i < incidence_rows(table); i++) {
        FOR_ENTRIES(table, i, e)
        if (!incidence_add(copy, alloc, e->column, e->order,
                           e->order < 0 ? NEVER : highest - e->order))
            return false;
        if (!incidence_end_row(copy, alloc))
            return false;
    }
    return true;
}

/* the fixed point, by a list of rows whose c has changed */
bool raise_offsets(const Incidence *table, const LiederAllocator *alloc,
                   const uint32_t *transversal, int32_t *c, int32_t *d)
{
    uint32_t n = incidence_rows(table);
    RowList row_of = {0}, work = {0};
    VEC(int32_t) own = {0}; /* order of a row in its own column */
    bool good = vec_resize(alloc, &row_of, table->ncolumn) && vec_resize(alloc, &own, n);
    for (uint32_t i = 0; good && i < n; i++) {
        row_of.items[transversal[i]] = i;
        FOR_ENTRIES(table, i, e)
        if (e->column == transversal[i] && e->order > own.items[i])
            own.items[i] = e->order;
        c[i] = -1; /* not visited: its entries have not been counted in d */
        good = vec_push(alloc, &work, i);
    }
    for (size_t k = 0; good && k < work.n; k++) {
        uint32_t i = work.items[k];
        int32_t raised = d[transversal[i]] - own.items[i];
        if (raised < 0)
            raised = 0;
        if (raised <= c[i])
            continue;
        c[i] = raised;
        FOR_ENTRIES(table, i, e)
        {
            if (d[e->column] >= e->order + raised)
                continue;
            d[e->column] = e->order + raised;
            good = good && vec_push(alloc, &work, row_of.items[e->column]);
        }
    }
    vec_drop(alloc, &row_of);
    vec_drop(alloc, &own);
    vec_drop(alloc, &work);
    return good;
}

bool structural_offsets(const Incidence *table, const LiederAllocator *alloc, const int32_t *least,
                        uint32_t *transversal, int32_t *c, int32_t *d, bool *regular, RowList *over)
{
    Incidence by_order = {0};
    bool good = copy_by_order(&by_order, table, alloc) &&
                assign_columns(&by_order, alloc, transversal, over);
    incidence_drop(&by_order, alloc);
    *regular = good && incidence_rows(table) == table->ncolumn;
    for (uint32_t i = 0; good && i < incidence_rows(table); i++)
        *regular = *regular && transversal[i] != NO_COLUMN;
    if (!*regular)
        return good;
    for (uint32_t j = 0; j < table->ncolumn; j++)
        d[j] = least ? least[j] : 0;
    return raise_offsets(table, alloc, transversal, c, d);
}
