/* own_derivative.c - equations with functions that have derivatives of their own.
 *
 * annotation(derivative = g) of a function says what its derivative by time is, which need not
 * follow from its statements: of a position, velocity and acceleration that are given together the
 * derivative of the first is the second. Such a call is a NODE_OWN_DERIVATIVE. Only the equations
 * as they are written are differentiated by time, so these keep it (CellEquation.by_time), and
 * everything that is solved or computed sees the value alone.
 *
 * Derivatives may then have variables that the equation itself does not have. They count in the
 * structural analysis with the order that they would have in it, which is below zero: x at order k
 * in derivative n is an entry of order k - n. Since it takes derivatives to find such entries, and
 * entries to know how many derivatives are needed, both are repeated until nothing is new.
 */
#include "equation/cell/stage.h"

/* ------------------------------------------------------------------ where it stays */

static void settle_node(GraphPass *plain, Node *node)
{
    *node = *node ? node_plain(plain, *node) : NO_NODE;
}

static void settle_equation(GraphPass *plain, CellEquation *e, bool may_move)
{
    Graph *g = plain->graph;
    Node left = node_plain(plain, e->left), right = node_plain(plain, e->right);
    if (may_move && (left != e->left || right != e->right))
        e->by_time = node_subtract(g, e->left, e->right);
    e->left = left;
    e->right = right;
}

/* relations, memory, clauses, requests, delays */
static void settle_events(GraphPass *plain, CellEvents *e)
{
    for (size_t i = 0; i < e->relations.n; i++) {
        settle_node(plain, &e->relations.items[i].value);
        settle_node(plain, &e->relations.items[i].sides);
    }
    for (size_t i = 0; i < e->equalities.n; i++)
        settle_node(plain, &e->equalities.items[i].difference);
    for (size_t i = 0; i < e->steps.n; i++)
        settle_node(plain, &e->steps.items[i].value);
    for (size_t i = 0; i < e->whens.n; i++)
        settle_node(plain, &e->whens.items[i].fires);
    for (size_t i = 0; i < e->memories.n; i++) {
        settle_node(plain, &e->memories.items[i].next);
        settle_node(plain, &e->memories.items[i].initial);
    }
    for (size_t i = 0; i < e->reinits.n; i++) {
        settle_node(plain, &e->reinits.items[i].fires);
        settle_node(plain, &e->reinits.items[i].value);
    }
    for (size_t i = 0; i < e->requests.n; i++)
        settle_node(plain, &e->requests.items[i].node);
    for (size_t i = 0; i < e->delays.n; i++) {
        settle_node(plain, &e->delays.items[i].value);
        settle_node(plain, &e->delays.items[i].time);
        settle_node(plain, &e->delays.items[i].most);
        settle_node(plain, &e->delays.items[i].result);
    }
    for (size_t i = 0; i < e->timers.n; i++)
        settle_node(plain, &e->timers.items[i]);
}

bool cell_settle_own_derivatives(Cell *cell)
{
    GraphPass plain = {.graph = &cell->graph};
    if (!cell->graph.has_own_derivatives)
        return !cell->graph.failed;
    for (size_t i = 0; i < cell->equations.n; i++)
        settle_equation(&plain, &cell->equations.items[i], true);
    for (size_t i = 0; i < cell->initial.n; i++)
        settle_equation(&plain, &cell->initial.items[i], false);
    for (size_t i = 0; i < cell->variables.n; i++)
        settle_node(&plain, &cell->variables.items[i].start);
    for (size_t i = 0; i < cell->homotopies.n; i++) {
        settle_node(&plain, &cell->homotopies.items[i].actual);
        settle_node(&plain, &cell->homotopies.items[i].simplified);
    }
    for (size_t i = 0; i < cell->calls.n; i++) {
        settle_node(&plain, &cell->calls.items[i].value);
        settle_node(&plain, &cell->calls.items[i].list);
    }
    cell_forget_call_nodes(cell);
    for (size_t i = 0; i < cell->assertions.n; i++)
        settle_node(&plain, &cell->assertions.items[i].condition);
    settle_events(&plain, &cell->events);
    pass_drop(&plain);
    return !cell->graph.failed;
}

bool cell_settle_new_own_derivatives(Cell *cell)
{
    GraphPass plain = {.graph = &cell->graph};
    if (cell->graph.has_own_derivatives)
        settle_events(&plain, &cell->events);
    pass_drop(&plain);
    return !cell->graph.failed;
}

/* ------------------------------------------------------------------ what derivatives bring */

typedef struct OwnDerivativeEntries {
    Solve *solve;
    uint32_t row;
    int32_t n; /* how often it is differentiated */
    bool good;
    size_t before; /* entries of other rows */
} OwnDerivativeEntries;

/* a symbol of the derivative at hand, if the equation has none of that order or a higher one */
static bool note_entry(void *user, uint64_t symbol, Node node)
{
    OwnDerivativeEntries *t = user;
    Solve *s = t->solve;
    (void)node;
    uint32_t column =
        symbol == CELL_TIME ? (uint32_t)NO_COLUMN : s->column.items[symbol_variable(symbol)];
    int32_t order = (int32_t)symbol_order(symbol) - t->n;
    if (column == NO_COLUMN)
        return true;
    FOR_ENTRIES(&s->table, t->row, e)
    if (e->column == column && e->order >= order)
        return true;
    for (size_t k = t->before; k < s->own_entries.n; k++)
        if (s->own_entries.items[k].column == column) {
            if (s->own_entries.items[k].order < order)
                s->own_entries.items[k].order = order;
            return true;
        }
    return t->good = vec_push(s->cell->alloc, &s->own_entries,
                              (OwnDerivativeEntry){t->row, column, order});
}

bool own_derivative_entries(Solve *s, bool *more)
{
    Cell *cell = s->cell;
    size_t before = s->own_entries.n;
    OwnDerivativeEntries t = {.solve = s, .good = true};
    for (uint32_t i = 0; t.good && i < cell->equations.n && !cell->graph.failed; i++) {
        Node node = cell->equations.items[i].by_time;
        t.row = i;
        t.before = s->own_entries.n;
        for (t.n = 1; node && t.good && t.n <= s->c.items[i]; t.n++) {
            node = differentiate(&s->derivative, node);
            Node plain = node_plain(&s->plain, node);
            if (!graph_symbols(&cell->graph, &plain, 1, note_entry, &t))
                t.good = false;
        }
    }
    *more = s->own_entries.n > before;
    return t.good && !cell->graph.failed;
}
