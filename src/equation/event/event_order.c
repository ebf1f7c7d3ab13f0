/* event_order.c - what stands for a discrete variable of a cell, and the order in which such
 * variables depend on each other. See event_work.h. */
#include "equation/event/event_work.h"

#include "equation/system/eliminate.h"

/* ------------------------------------------------------------------ replacements */

Node event_replaced(void *user, uint64_t symbol, Node node)
{
    const EventReplace *r = user;
    if (symbol == CELL_TIME || symbol_order(symbol))
        return node;
    Node other = r->by->items[symbol_variable(symbol)];
    return other ? other : node;
}

Node event_replace(EventWork *w, const NodeList *by, Node node)
{
    EventReplace r = {by};
    Node result = node ? replace_once(&w->cell->graph, event_replaced, &r, node) : NO_NODE;
    if (node && !result)
        event_fail(w);
    return result;
}

Node event_put_in(EventWork *w, Node node)
{
    Node result = node ? known_put_in(w->cell, w->plan, node) : NO_NODE;
    if (node && !result)
        event_fail(w);
    return result;
}

Node event_at(EventWork *w, Node node)
{
    return event_replace(w, &w->then, event_put_in(w, node));
}

/* what an expression depends on: time, states, memory, inputs */
static bool note_dependence(void *user, uint64_t symbol, Node node)
{
    EventDepends *d = user;
    (void)node;
    if (symbol == CELL_TIME) {
        d->time = true;
        return true;
    }
    CellRole role = d->cell->variables.items[symbol_variable(symbol)].role;
    d->continuous |= role != CELL_DISCRETE && role != CELL_PARAMETER;
    d->discrete |= role == CELL_DISCRETE;
    return true;
}

EventDepends event_depends(EventWork *w, Node node)
{
    EventDepends d = {.cell = w->cell};
    if (!graph_symbols(&w->cell->graph, &node, 1, note_dependence, &d))
        event_fail(w);
    return d;
}

/* ------------------------------------------------------------------ order */

typedef struct RowOfItem {
    EventWork *work;
    Incidence *table;
    uint32_t row;
} RowOfItem;

static bool note_item(void *user, uint64_t symbol, Node node)
{
    RowOfItem *r = user;
    (void)node;
    uint32_t item = symbol == CELL_TIME ? 0 : r->work->item_of.items[symbol_variable(symbol)];
    if (!item || r->work->noted.items[item - 1] == r->row + 1)
        return true;
    r->work->noted.items[item - 1] = r->row + 1;
    return incidence_add(r->table, r->work->cell->alloc, item - 1, 0, 1);
}

void event_order_drop(EventOrder *s, const LiederAllocator *alloc)
{
    incidence_drop(&s->table, alloc);
    vec_drop(alloc, &s->order);
    vec_drop(alloc, &s->first);
    vec_drop(alloc, &s->column_of);
}

bool event_sort(EventWork *w, const EventItems *items, EventOrder *s)
{
    const LiederAllocator *alloc = w->cell->alloc;
    w->noted.n = 0;
    bool good = vec_resize(alloc, &w->item_of, w->cell->variables.n + 1) &&
                vec_resize(alloc, &w->noted, items->n + 1) &&
                vec_resize(alloc, &s->column_of, items->n + 1);
    for (size_t v = 0; good && v < w->item_of.n; v++)
        w->item_of.items[v] = 0;
    for (uint32_t i = 0; good && i < items->n; i++) {
        w->item_of.items[items->items[i].variable] = i + 1;
        s->column_of.items[i] = i;
    }
    for (uint32_t i = 0; good && i < items->n; i++) {
        RowOfItem row = {.work = w, .table = &s->table, .row = i};
        good = graph_symbols(&w->cell->graph, &items->items[i].value, 1, note_item, &row) &&
               incidence_end_row(&s->table, alloc);
    }
    s->table.ncolumn = (uint32_t)items->n;
    return good && sort_rows(&s->table, alloc, s->column_of.items, &s->order, &s->first);
}

bool event_is_loop(const EventOrder *s, size_t component)
{
    uint32_t first = s->first.items[component], row = s->order.items[first];
    if (s->first.items[component + 1] - first > 1)
        return true;
    FOR_ENTRIES(&s->table, row, e)
    if (e->column == row)
        return true;
    return false;
}
