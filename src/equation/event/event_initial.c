/* event_initial.c - initial equations that decide memory.
 *
 * v = e and pre(v) = e give a discrete variable the value that it begins with. Each of these
 * equations decides a different one; the others stay among the initial equations of the cell.
 *
 * A clause that fires in the first event, when {initial(), ...}, gives v = next(pre(v)) there, and
 * an equation that has pre(v), such as y = pre(y) for a filter at rest, is one for pre(v):
 *
 *   r(v, pre(v)) = 0,  v = next(pre(v))    solved for pre(v), of all such variables together
 *
 * What v begins with is next of the solution; pre(v) itself is not kept, since the first event
 * ends with pre(v) = v.
 */
#include "equation/system/eliminate.h"
#include "equation/event/event_work.h"

/* ------------------------------------------------------------------ sides that are memory */

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

/* ------------------------------------------------------------------ clauses of the first event */

typedef struct FirstEvent {
    const EventWork *w;
    double side; /* of relations */
    int depth;
} FirstEvent;

/* at the first event: initial() holds, no condition has held before, of samples none */
static double number_at_first(void *user, uint64_t symbol)
{
    FirstEvent *first = user;
    const Cell *cell = first->w->cell;
    if (symbol == CELL_TIME)
        return first->side;
    uint32_t v = symbol_variable(symbol);
    CellMeaning meaning = cell->variables.items[v].meaning;
    if (meaning == MEANING_INITIAL || v + 1 == cell->events.starting)
        return 1;
    if (meaning == MEANING_FIRES && ++first->depth < 1000)
        for (size_t i = 0; i < cell->events.whens.n; i++)
            if (cell->events.whens.items[i].variable == v)
                return node_evaluate(&first->w->cell->graph, cell->events.whens.items[i].fires,
                                     number_at_first, first);
    return meaning == MEANING_MEMORY ? 0 : first->side;
}

/* whether a clause fires there, where that does not depend on relations: a constant or itself */
static Node fires_at_first(void *user, uint64_t symbol, Node node)
{
    EventWork *w = user;
    if (symbol == CELL_TIME ||
        w->cell->variables.items[symbol_variable(symbol)].meaning != MEANING_FIRES)
        return node;
    FirstEvent low = {w, 0, 0}, high = {w, 1, 0};
    double a = number_at_first(&low, symbol), b = number_at_first(&high, symbol);
    return a == b ? node_constant(&w->cell->graph, a) : node;
}

/* an initial equation with pre of variables that clauses of the first event assign */
typedef struct FirstValues {
    EventWork *w;
    NodeList next; /* by variable: what it becomes in the first event, or NO_NODE */
    System system;
    VEC(uint32_t) memories; /* by unknown */
} FirstValues;

static Node next_at_first(void *user, uint64_t symbol, Node node)
{
    const FirstValues *f = user;
    Node next = symbol == CELL_TIME || symbol_order(symbol)
                    ? NO_NODE
                    : f->next.items[symbol_variable(symbol)];
    return next ? next : node;
}

/* finds what variables become that clauses of the first event assign from their pre values */
static bool find_next(FirstValues *f)
{
    EventWork *w = f->w;
    Cell *cell = w->cell;
    if (!vec_resize(cell->alloc, &f->next, cell->variables.n + 1))
        return event_fail(w);
    for (size_t k = 0; k < cell->events.memories.n && !w->failed; k++) {
        const CellMemory *m = &cell->events.memories.items[k];
        uint32_t pre = w->pre_at.items[m->variable];
        if (cell->variables.items[m->variable].meaning != MEANING_WHEN || !pre)
            continue;
        Node next = replace_once(&cell->graph, fires_at_first, w, m->next);
        w->failed |= next == NO_NODE;
        if (next != cell_variable(cell, pre - 1, 0))
            f->next.items[m->variable] = next;
    }
    return !w->failed;
}

typedef struct PreUse {
    const EventWork *w;
    uint32_t variable;
} PreUse;

static bool is_other(void *user, uint64_t symbol, Node node)
{
    const PreUse *use = user;
    (void)node;
    return symbol == CELL_TIME ||
           symbol_variable(symbol) + 1 != use->w->pre_at.items[use->variable];
}

/* one more equation, if it is one for pre(v) of the memory that it decides; else false */
static bool take_first(FirstValues *f, const CellEquation *e, size_t row, uint32_t memory)
{
    EventWork *w = f->w;
    Graph *g = &w->cell->graph;
    uint32_t v = w->cell->events.memories.items[memory].variable;
    const Node sides[] = {e->left, e->right};
    PreUse use = {w, v};
    if (!f->next.items[v] || graph_symbols(g, sides, 2, is_other, &use))
        return false;
    Node residual =
        replace_once(g, next_at_first, f, event_put_in(w, node_subtract(g, e->left, e->right)));
    if (!residual || !vec_push(g->alloc, &f->memories, memory) ||
        !system_add(&f->system, residual, (uint32_t)row, cell_symbol(w->pre_at.items[v] - 1, 0)))
        event_fail(w);
    return true;
}

/* the value of pre(v) in place of it */
static Node solved_pre(void *user, uint64_t symbol, Node node)
{
    const FirstValues *f = user;
    for (size_t k = 0; k < f->system.symbols.n; k++)
        if (f->system.symbols.items[k] == symbol)
            return f->system.solution.items[k];
    return node;
}

/* what the clauses assign in the first event, from the solution for their pre values */
static LiederStatus solve_first(FirstValues *f)
{
    EventWork *w = f->w;
    f->system.source = w->cell->initial.items;
    if (w->failed || !f->memories.n)
        return w->failed ? LIEDER_NO_MEMORY : LIEDER_DONE;
    LiederStatus status = system_solve(&f->system);
    for (size_t k = 0; status == LIEDER_DONE && k < f->memories.n; k++) {
        CellMemory *m = &w->cell->events.memories.items[f->memories.items[k]];
        m->initial = replace_once(&w->cell->graph, solved_pre, f, f->next.items[m->variable]);
        if (!m->initial)
            status = LIEDER_NO_MEMORY;
    }
    return status;
}

/* ------------------------------------------------------------------ all of them */

/* the memory begins with the other side of the equation */
static void take_side(EventWork *w, const CellEquation *e, uint32_t memory)
{
    CellMemory *m = &w->cell->events.memories.items[memory];
    MemorySide left = memory_of_side(w, e->left), right = memory_of_side(w, e->right);
    bool is_left = left.memory == memory;
    m->initial = is_left ? e->right : e->left;
    if (is_left ? left.negated : right.negated)
        m->initial = node_make(&w->cell->graph, NODE_NOT, m->initial, NO_NODE, NO_NODE);
}

LiederStatus event_take_initial(EventWork *w)
{
    Cell *cell = w->cell;
    Incidence table = {0};
    RowList memory_of_row = {0};
    FirstValues first = {.w = w, .system = {.cell = cell, .plan = w->plan}};
    size_t kept = 0;
    bool good = index_memories(w) && list_initial(w, &table) &&
                vec_resize(cell->alloc, &memory_of_row, cell->initial.n + 1) &&
                assign_columns(&table, cell->alloc, memory_of_row.items, NULL) && find_next(&first);
    for (size_t i = 0; good && i < cell->initial.n && !w->failed; i++) {
        const CellEquation e = cell->initial.items[i];
        uint32_t memory = memory_of_row.items[i];
        if (memory != NO_COLUMN && !take_first(&first, &e, i, memory))
            take_side(w, &e, memory);
    }
    LiederStatus status = good && !w->failed ? solve_first(&first) : LIEDER_NO_MEMORY;
    for (size_t i = 0; status == LIEDER_DONE && i < cell->initial.n; i++)
        if (memory_of_row.items[i] == NO_COLUMN)
            cell->initial.items[kept++] = cell->initial.items[i];
    if (status == LIEDER_DONE)
        cell->initial.n = kept;
    incidence_drop(&table, cell->alloc);
    vec_drop(cell->alloc, &memory_of_row);
    vec_drop(cell->alloc, &first.next);
    vec_drop(cell->alloc, &first.memories);
    system_drop(&first.system);
    return status;
}
