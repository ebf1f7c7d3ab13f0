/* event_clause.c - when-clauses of a solved cell as the event block computes them: clauses and the
 * variables that they assign are sorted together. And initial equations that decide memory. */
#include <stdio.h>

#include "equation/eliminate.h"
#include "equation/event_work.h"

/* ------------------------------------------------------------------ clauses */

/* discrete equations that need each other within one event */
static LiederStatus report_loop(EventWork *w, const EventItems *items, const EventOrder *s,
                                size_t component)
{
    char names[300];
    size_t at = 0;
    const EventItem *first = NULL;
    names[0] = '\0';
    for (uint32_t k = s->first.items[component];
         k < s->first.items[component + 1] && at < sizeof names; k++) {
        const EventItem *item = &items->items[s->order.items[k]];
        const CellVariable *v = &w->cell->variables.items[item->variable];
        if (v->meaning != MEANING_WHEN)
            continue;
        if (!first)
            first = item;
        at += (size_t)snprintf(names + at, sizeof names - at, "%s'%s'", at ? ", " : "", v->name);
    }
    if (!first)
        first = &items->items[s->order.items[s->first.items[component]]];
    diag_error(w->cell->diag, &first->place, NULL,
               "at an event %s would have to be known before %s computed: the when-clauses depend "
               "on each other\nuse pre(...) of one of the variables",
               *names ? names : "a condition", at ? "they are" : "it is");
    return LIEDER_BAD_MODEL;
}

/* Reals that clauses assign, in terms of each other */
static LiederStatus solve_loop(EventWork *w, const EventItems *items, const EventOrder *s,
                               size_t component)
{
    Cell *cell = w->cell;
    Graph *g = &cell->graph;
    VEC(CellEquation) sources = {0};
    System system = {.cell = cell, .plan = w->plan};
    uint32_t first = s->first.items[component], end = s->first.items[component + 1];
    bool good = true, reals = true;
    for (uint32_t k = first; good && k < end; k++) {
        const EventItem *item = &items->items[s->order.items[k]];
        const CellVariable *v = &cell->variables.items[item->variable];
        Node own = cell_variable(cell, item->variable, 0);
        reals = reals && v->meaning == MEANING_WHEN && v->type == LIEDER_TYPE_REAL;
        CellEquation e = {.left = own, .right = item->value, .place = item->place};
        Node residual = node_subtract(g, own, event_replace(w, &w->then, item->value));
        good = vec_push(g->alloc, &sources, e) &&
               system_add(&system, residual, k - first, cell_symbol(item->variable, 0));
    }
    system.source = sources.items;
    LiederStatus status = !good   ? LIEDER_NO_MEMORY
                          : reals ? system_solve(&system)
                                  : report_loop(w, items, s, component);
    for (uint32_t k = first; status == LIEDER_DONE && k < end; k++)
        w->then.items[items->items[s->order.items[k]].variable] = system.solution.items[k - first];
    system_drop(&system);
    vec_drop(g->alloc, &sources);
    return status;
}

void event_pass_begin(EventWork *w, EventPass *p)
{
    p->by = (EventReplace){&w->then};
    p->known = (GraphPass){.graph = &w->cell->graph, .of_symbol = known_value, .user = w->plan};
    p->then = (GraphPass){.graph = &w->cell->graph, .of_symbol = event_replaced, .user = &p->by};
    p->by_now = (EventReplace){&w->now};
    p->now = (GraphPass){.graph = &w->cell->graph, .of_symbol = event_replaced, .user = &p->by_now};
}

void event_pass_end(EventPass *p)
{
    pass_drop(&p->known);
    pass_drop(&p->then);
    pass_drop(&p->now);
}

Node event_pass_known(EventWork *w, EventPass *p, Node node)
{
    Node known = node ? replace_symbols(&p->known, node) : NO_NODE;
    if (node && !known)
        event_fail(w);
    return known;
}

/* what a pass makes of a node whose known symbols are replaced */
static Node pass_after_known(EventWork *w, EventPass *p, GraphPass *pass, Node node)
{
    Node known = event_pass_known(w, p, node);
    Node result = known ? replace_symbols(pass, known) : NO_NODE;
    if (known && !result)
        event_fail(w);
    return result;
}

Node event_pass_at(EventWork *w, EventPass *p, Node node)
{
    return pass_after_known(w, p, &p->then, node);
}

Node event_pass_now(EventWork *w, EventPass *p, Node node)
{
    return pass_after_known(w, p, &p->now, node);
}

/* each clause with what it reads and sets; false: no memory */
static bool list_clauses(EventWork *w, EventItems *items)
{
    const CellEvents *e = &w->cell->events;
    EventPass pass;
    bool good = true;
    event_pass_begin(w, &pass);
    for (size_t i = 0; good && i < e->whens.n; i++) {
        const CellWhen *c = &e->whens.items[i];
        EventItem item = {
            .variable = c->variable, .value = event_pass_at(w, &pass, c->fires), .place = c->place};
        good = vec_push(w->cell->alloc, items, item);
    }
    for (size_t i = 0; good && i < e->memories.n; i++) {
        const CellMemory *m = &e->memories.items[i];
        if (w->cell->variables.items[m->variable].meaning != MEANING_WHEN)
            continue;
        EventItem item = {
            .variable = m->variable, .value = event_pass_at(w, &pass, m->next), .place = m->place};
        good = vec_push(w->cell->alloc, items, item);
    }
    event_pass_end(&pass);
    return good && !w->failed;
}

LiederStatus event_take_clauses(EventWork *w)
{
    EventItems items = {0};
    EventOrder s = {0};
    bool good = list_clauses(w, &items) && event_sort(w, &items, &s);
    LiederStatus status = good ? LIEDER_DONE : LIEDER_NO_MEMORY;
    EventPass pass;
    event_pass_begin(w, &pass);
    for (size_t k = 0; status == LIEDER_DONE && k + 1 < s.first.n && !w->failed; k++) {
        const EventItem *item = &items.items[s.order.items[s.first.items[k]]];
        if (event_is_loop(&s, k)) {
            event_pass_end(&pass); /* it may have seen variables of the loop without their values */
            event_pass_begin(w, &pass);
            status = solve_loop(w, &items, &s, k);
        } else if (!(w->then.items[item->variable] = replace_symbols(&pass.then, item->value))) {
            event_fail(w);
        }
    }
    event_pass_end(&pass);
    event_order_drop(&s, w->cell->alloc);
    vec_drop(w->cell->alloc, &items);
    return w->failed ? LIEDER_NO_MEMORY : status;
}

bool event_close_sides(EventWork *w)
{
    for (uint32_t v = 0; v < w->cell->variables.n && !w->failed; v++) {
        CellMeaning meaning = w->cell->variables.items[v].meaning;
        if (w->then.items[v] && (meaning == MEANING_SIDE || meaning == MEANING_STEP))
            w->then.items[v] = event_replace(w, &w->then, w->then.items[v]);
    }
    return !w->failed;
}

/* ------------------------------------------------------------------ initial equations */

/* by variable: the first memory that is it, and the first pre of it */
static bool index_memories(EventWork *w)
{
    const Cell *cell = w->cell;
    if (!vec_resize(cell->alloc, &w->memory_at, cell->variables.n + 1) ||
        !vec_resize(cell->alloc, &w->pre_at, cell->variables.n + 1))
        return false;
    for (uint32_t i = (uint32_t)cell->events.memories.n; i-- > 0;)
        w->memory_at.items[cell->events.memories.items[i].variable] = i + 1;
    for (uint32_t v = (uint32_t)cell->variables.n; v-- > 0;)
        if (cell->variables.items[v].meaning == MEANING_PRE)
            w->pre_at.items[cell->variables.items[v].of] = v + 1;
    return true;
}

static uint32_t memory_of(const EventWork *w, uint32_t variable)
{
    return w->memory_at.items[variable] ? w->memory_at.items[variable] - 1 : (uint32_t)NO_COLUMN;
}

/* one side of an initial equation as memory: NO_COLUMN if it is none */
typedef struct MemorySide {
    uint32_t memory;
    bool negated; /* the side is not m */
} MemorySide;

/* is a side of a relation a discrete variable, and with which sign? */
static MemorySide memory_of_side(EventWork *w, Node side)
{
    const Cell *cell = w->cell;
    const Node tries[] = {side, event_put_in(w, side)};
    for (int k = 0; k < 2 && !w->failed; k++) {
        const NodeData *n = node_data(&cell->graph, tries[k]);
        bool negated = n->kind == NODE_NOT;
        if (negated)
            n = node_data(&cell->graph, n->a);
        if (n->kind != NODE_SYMBOL || n->symbol == CELL_TIME || symbol_order(n->symbol))
            continue;
        uint32_t v = symbol_variable(n->symbol);
        const CellVariable *x = &cell->variables.items[v];
        if (x->meaning == MEANING_PRE && memory_of(w, v) == NO_COLUMN)
            v = x->of;
        if (memory_of(w, v) != NO_COLUMN)
            return (MemorySide){memory_of(w, v), negated};
    }
    /* the equation of v says how it follows from pre(v), which is what can be chosen */
    const NodeData *n = node_data(&cell->graph, side);
    if (n->kind == NODE_SYMBOL && n->symbol != CELL_TIME && symbol_order(n->symbol) == 0 &&
        w->pre_at.items[symbol_variable(n->symbol)])
        return (MemorySide){memory_of(w, w->pre_at.items[symbol_variable(n->symbol)] - 1), false};
    return (MemorySide){NO_COLUMN, false};
}

/* which memory each initial equation could decide: its left side, or its right one */
static bool list_initial(EventWork *w, Incidence *table)
{
    Cell *cell = w->cell;
    bool good = true;
    for (size_t i = 0; good && i < cell->initial.n && !w->failed; i++) {
        const CellEquation *e = &cell->initial.items[i];
        uint32_t left = e->is_start ? NO_COLUMN : memory_of_side(w, e->left).memory;
        uint32_t right = e->is_start ? NO_COLUMN : memory_of_side(w, e->right).memory;
        if (left != NO_COLUMN)
            good = incidence_add(table, cell->alloc, left, 0, 1);
        if (right != NO_COLUMN && right != left)
            good = good && incidence_add(table, cell->alloc, right, 0, 2);
        good = good && incidence_end_row(table, cell->alloc);
    }
    table->ncolumn = (uint32_t)cell->events.memories.n;
    return good && !w->failed;
}

bool event_take_initial(EventWork *w)
{
    Cell *cell = w->cell;
    Incidence table = {0};
    RowList memory_of_row = {0};
    size_t kept = 0;
    bool good = index_memories(w) && list_initial(w, &table) &&
                vec_resize(cell->alloc, &memory_of_row, cell->initial.n + 1) &&
                assign_columns(&table, cell->alloc, memory_of_row.items, NULL);
    for (size_t i = 0; good && i < cell->initial.n && !w->failed; i++) {
        const CellEquation e = cell->initial.items[i];
        if (memory_of_row.items[i] == NO_COLUMN) {
            cell->initial.items[kept++] = e;
            continue;
        }
        CellMemory *m = &cell->events.memories.items[memory_of_row.items[i]];
        MemorySide left = memory_of_side(w, e.left), right = memory_of_side(w, e.right);
        bool is_left = left.memory == memory_of_row.items[i];
        m->initial = is_left ? e.right : e.left;
        if (is_left ? left.negated : right.negated)
            m->initial = node_make(&cell->graph, NODE_NOT, m->initial, NO_NODE, NO_NODE);
    }
    if (good)
        cell->initial.n = kept;
    incidence_drop(&table, cell->alloc);
    vec_drop(cell->alloc, &memory_of_row);
    return good ? !w->failed : event_fail(w);
}
