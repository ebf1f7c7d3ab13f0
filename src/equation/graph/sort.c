/* sort.c - the order of evaluation: strongly connected components by Tarjan's algorithm, with a
 * stack of its own because a chain of a million equations is a million calls deep.
 */
#include "equation/graph/incidence.h"

typedef struct RowVisit {
    uint32_t row, entry; /* the next entry to follow */
} RowVisit;

typedef struct SortWalk {
    const Incidence *table;
    const LiederAllocator *alloc;
    const uint32_t *column_of;
    RowList row_of;     /* by column */
    RowList index, low; /* by row; index 0: not visited */
    RowList pending;    /* visited rows that have no component yet */
    VEC(uint8_t) is_pending;
    VEC(RowVisit) stack;
    uint32_t count;
} SortWalk;

static bool walk_enter(SortWalk *w, uint32_t row)
{
    w->index.items[row] = w->low.items[row] = ++w->count;
    w->is_pending.items[row] = 1;
    return vec_push(w->alloc, &w->pending, row) &&
           vec_push(w->alloc, &w->stack, (RowVisit){row, w->table->first.items[row]});
}

/* the pending rows down to `row` are a component */
static bool walk_close(SortWalk *w, uint32_t row, RowList *rows, RowList *first)
{
    uint32_t top;
    if (!vec_push(w->alloc, first, (uint32_t)rows->n))
        return false;
    do {
        top = w->pending.items[--w->pending.n];
        w->is_pending.items[top] = 0;
        if (!vec_push(w->alloc, rows, top))
            return false;
    } while (top != row);
    return true;
}

/* everything that can be reached from a row */
static bool walk_from(SortWalk *w, uint32_t start, RowList *rows, RowList *first)
{
    if (!walk_enter(w, start))
        return false;
    while (w->stack.n) {
        RowVisit *top = &w->stack.items[w->stack.n - 1];
        uint32_t row = top->row, *low = &w->low.items[row];
        if (top->entry < w->table->first.items[row + 1]) {
            uint32_t next = w->row_of.items[w->table->entries.items[top->entry++].column];
            if (next == NO_ROW || next == row)
                continue;
            if (!w->index.items[next]) {
                if (!walk_enter(w, next))
                    return false;
            } else if (w->is_pending.items[next] && w->index.items[next] < *low)
                *low = w->index.items[next];
            continue;
        }
        w->stack.n--;
        if (*low == w->index.items[row] && !walk_close(w, row, rows, first))
            return false;
        if (w->stack.n) {
            uint32_t below = w->stack.items[w->stack.n - 1].row;
            if (*low < w->low.items[below])
                w->low.items[below] = *low;
        }
    }
    return true;
}

static uint32_t set_root(RowList *set_of, uint32_t column)
{
    uint32_t *parent = set_of->items;
    while (parent[column] != column)
        column = parent[column] = parent[parent[column]];
    return column;
}

bool incidence_column_sets(const Incidence *table, const LiederAllocator *alloc, RowList *set_of)
{
    if (!vec_resize(alloc, set_of, table->ncolumn + 1))
        return false;
    for (uint32_t j = 0; j < table->ncolumn; j++)
        set_of->items[j] = j;
    for (uint32_t i = 0; i < incidence_rows(table); i++) {
        uint32_t first = NO_COLUMN;
        FOR_ENTRIES(table, i, e)
        {
            uint32_t root = set_root(set_of, e->column);
            if (first == NO_COLUMN)
                first = root;
            set_of->items[root] = first;
        }
    }
    for (uint32_t j = 0; j < table->ncolumn; j++)
        set_of->items[j] = set_root(set_of, j);
    return true;
}

bool sort_rows(const Incidence *table, const LiederAllocator *alloc, const uint32_t *column_of,
               RowList *rows, RowList *first)
{
    uint32_t n = incidence_rows(table);
    SortWalk w = {.table = table, .alloc = alloc, .column_of = column_of};
    bool good = vec_resize(alloc, &w.row_of, table->ncolumn) && vec_resize(alloc, &w.index, n) &&
                vec_resize(alloc, &w.low, n) && vec_resize(alloc, &w.is_pending, n);
    for (uint32_t j = 0; good && j < table->ncolumn; j++)
        w.row_of.items[j] = NO_ROW;
    for (uint32_t i = 0; good && i < n; i++)
        if (column_of[i] != NO_COLUMN)
            w.row_of.items[column_of[i]] = i;
    for (uint32_t i = 0; good && i < n; i++)
        if (!w.index.items[i])
            good = walk_from(&w, i, rows, first);
    good = good && vec_push(alloc, first, (uint32_t)rows->n);
    vec_drop(alloc, &w.row_of);
    vec_drop(alloc, &w.index);
    vec_drop(alloc, &w.low);
    vec_drop(alloc, &w.pending);
    vec_drop(alloc, &w.is_pending);
    vec_drop(alloc, &w.stack);
    return good;
}
