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

/* what was there before it was raised */
static bool note_change(OffsetRaise *raise, bool is_row, uint32_t index, int32_t before)
{
    return !raise->notes ||
           vec_push(raise->alloc, &raise->changes, (OffsetChange){is_row, index, before});
}

/* the fixed point, by the list of rows whose column has been raised; *allowed: nothing stands
 * against it */
static bool spread(OffsetRaise *raise, bool *allowed)
{
    bool good = true;
    for (size_t k = 0; good && *allowed && k < raise->work.n; k++) {
        uint32_t i = raise->work.items[k];
        int32_t raised = raise->d[raise->transversal[i]] - raise->own.items[i];
        if (raised < 0)
            raised = 0;
        if (raised <= raise->c[i])
            continue;
        *allowed = !raise->allows || raise->allows(raise->user, i, raised);
        good = note_change(raise, true, i, raise->c[i]);
        raise->c[i] = raised;
        FOR_ENTRIES(raise->table, i, e)
        {
            if (raise->d[e->column] >= e->order + raised)
                continue;
            good = good && note_change(raise, false, e->column, raise->d[e->column]) &&
                   vec_push(raise->alloc, &raise->work, raise->row_of.items[e->column]);
            raise->d[e->column] = e->order + raised;
        }
    }
    raise->work.n = 0;
    return good;
}

bool offset_raise_init(OffsetRaise *raise)
{
    const Incidence *table = raise->table;
    if (!vec_resize(raise->alloc, &raise->row_of, table->ncolumn) ||
        !vec_resize(raise->alloc, &raise->own, incidence_rows(table)))
        return false;
    for (uint32_t i = 0; i < incidence_rows(table); i++) {
        raise->row_of.items[raise->transversal[i]] = i;
        FOR_ENTRIES(table, i, e)
        if (e->column == raise->transversal[i] && e->order > raise->own.items[i])
            raise->own.items[i] = e->order;
    }
    return true;
}

void offset_raise_drop(OffsetRaise *raise)
{
    vec_drop(raise->alloc, &raise->row_of);
    vec_drop(raise->alloc, &raise->own);
    vec_drop(raise->alloc, &raise->work);
    vec_drop(raise->alloc, &raise->changes);
}

bool offset_raise(OffsetRaise *raise, uint32_t column, int32_t d, bool *allowed)
{
    raise->notes = true;
    raise->changes.n = 0;
    *allowed = true;
    if (!note_change(raise, false, column, raise->d[column]) ||
        !vec_push(raise->alloc, &raise->work, raise->row_of.items[column]))
        return false;
    raise->d[column] = d;
    return spread(raise, allowed);
}

void offset_take_back(OffsetRaise *raise)
{
    while (raise->changes.n) {
        OffsetChange last = raise->changes.items[--raise->changes.n];
        (last.is_row ? raise->c : raise->d)[last.index] = last.before;
    }
}

/* from the columns as they are, all rows */
static bool raise_all(OffsetRaise *raise)
{
    bool allowed = true, good = offset_raise_init(raise);
    for (uint32_t i = 0; good && i < incidence_rows(raise->table); i++) {
        raise->c[i] = -1; /* not visited: its entries have not been counted in d */
        good = vec_push(raise->alloc, &raise->work, i);
    }
    good = good && spread(raise, &allowed);
    offset_raise_drop(raise);
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
    OffsetRaise raise = {
        .table = table, .alloc = alloc, .transversal = transversal, .c = c, .d = d};
    return raise_all(&raise);
}
