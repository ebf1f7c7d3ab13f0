/* class_level.c - which block can compute a node: that of what it depends on, see class.h. */
#include "equation/class/class_maker.h"

/* the symbols in which linear blocks are affine */
static void list_linear(ClassMaker *m)
{
    const Cell *cell = m->cell;
    const CellPlan *plan = maker_plan(m);
    m->linear.n = 0;
    for (uint32_t v = 0; v < cell->variables.n; v++) {
        const CellVariable *x = &cell->variables.items[v];
        if (x->role == CELL_OUTWARD && !port_is_out(m, x->port))
            TRY(m, vec_push(cell->alloc, &m->linear, cell_symbol(v, x->contract)));
        else if (x->role == CELL_INWARD && port_is_out(m, x->port))
            TRY(m, vec_push(cell->alloc, &m->linear, cell_symbol(v, 0)));
    }
    for (size_t k = 0; k < plan->unknowns.n; k++)
        TRY(m,
            vec_push(cell->alloc, &m->linear,
                     cell_symbol(plan->unknowns.items[k].variable, plan->unknowns.items[k].order)));
}

/* A link with states of its own: what only depends on where it hangs, such as the direction of a
 * slider, is computed once where that never moves. */
static bool has_incoming(const CellPlan *plan)
{
    return plan->out && plan->states.n;
}

/* which half of an evaluation knows a symbol: constants, signals or the linear half */
static Level symbol_level(const ClassMaker *m, uint64_t symbol)
{
    if (symbol == CELL_TIME)
        return LEVEL_SIGNAL;
    uint32_t v = symbol_variable(symbol), order = symbol_order(symbol);
    const CellVariable *x = &m->cell->variables.items[v];
    if (x->role == CELL_PARAMETER)
        return x->is_free ? LEVEL_SIGNAL : LEVEL_PARAMETER;
    if (x->role == CELL_INPUT && m->split)
        return LEVEL_INPUT;
    const CellPlan *plan = maker_plan(m);
    /* a leaf has no outward block: potentials come in with its inward one */
    if (x->role == CELL_OUTWARD && !port_is_out(m, x->port))
        return order < x->contract ? (has_incoming(plan) ? LEVEL_INCOMING : LEVEL_SIGNAL)
               : plan->out         ? LEVEL_POTENTIAL
                                   : LEVEL_FLOW;
    if (x->role == CELL_INWARD)
        return LEVEL_FLOW;
    for (size_t k = 0; k < plan->unknowns.n; k++)
        if (plan->unknowns.items[k].variable == v && plan->unknowns.items[k].order == order)
            return LEVEL_POTENTIAL;
    return LEVEL_SIGNAL;
}

/* whether a node of LEVEL_INCOMING is a function, or made of one; a product is computed again as
 * fast as it is read. Symbols have no block. */
static bool is_worth_keeping(const ClassMaker *m, const NodeData *n)
{
    const Graph *g = &m->cell->graph;
    const Node operands[] = {n->a, n->b, n->c};
    bool worth = n->kind == NODE_SYMBOL || n->kind == NODE_CALL;
    for (int o = 0; o < 3; o++)
        worth |= operands[o] && node_data(g, operands[o])->kind > NODE_SYMBOL &&
                 node_level(m, operands[o]) == LEVEL_INCOMING;
    return worth;
}

/* levels of everything below a node */
bool maker_find_levels(ClassMaker *m, Node root)
{
    Graph *g = &m->cell->graph;
    NodeList order = {0};
    bool good = vec_resize(g->alloc, &m->levels, g->nodes.n) &&
                graph_reach(g, &root, 1, m->levels.items, &order);
    for (size_t i = 0; good && i < order.n; i++) {
        Node k = order.items[i];
        const NodeData *n = node_data(g, k);
        const Node operands[] = {n->a, n->b, n->c};
        /* a system of numbers alone is solved all the same, where parameters are known */
        Level level = n->kind == NODE_SYMBOL   ? symbol_level(m, n->symbol)
                      : n->kind == NODE_SYSTEM ? LEVEL_PARAMETER
                                               : LEVEL_NUMBER;
        for (int o = 0; o < 3; o++)
            if (operands[o] && node_level(m, operands[o]) > level)
                level = node_level(m, operands[o]);
        if (level == LEVEL_INCOMING && !is_worth_keeping(m, n))
            level = LEVEL_SIGNAL;
        m->levels.items[k] = (Node)level + 1;
    }
    vec_drop(g->alloc, &order);
    return TRY(m, good);
}

/* the earliest block that can compute a node, but not before `least` */
Level maker_level_for(ClassMaker *m, Node node, Level least)
{
    if (!node || !maker_find_levels(m, node))
        return least;
    return node_level(m, node) > least ? node_level(m, node) : least;
}

static bool maker_has_inputs(const ClassMaker *m)
{
    for (size_t v = 0; v < m->cell->variables.n; v++)
        if (m->cell->variables.items[v].role == CELL_INPUT)
            return true;
    return false;
}

/* An input may depend on outputs of its own component, through others: a controller and what it
 * controls. So outputs that read no input are computed in a block before the one that does. */
bool maker_find_split(ClassMaker *m)
{
    const Cell *cell = m->cell;
    bool any = false;
    m->split = true;
    for (m->direction = 0; m->direction < 1 + m->c->reversible && maker_has_inputs(m);
         m->direction++) {
        vec_drop(cell->alloc, &m->levels);
        for (uint32_t v = 0; v < cell->variables.n && !m->failed; v++) {
            const CellVariable *x = &cell->variables.items[v];
            const NodeList *values = &maker_plan(m)->values.items[v];
            bool leaves = x->role == CELL_UNKNOWN
                              ? x->is_output
                              : x->role == CELL_OUTWARD && port_is_out(m, x->port);
            any |= x->role == CELL_DISCRETE && x->is_output;
            if (leaves && values->n)
                any |= maker_level_for(m, values->items[0], LEVEL_SIGNAL) == LEVEL_SIGNAL;
        }
    }
    vec_drop(cell->alloc, &m->levels);
    m->direction = 0;
    m->split = any;
    return !m->failed;
}

bool maker_is_affine(ClassMaker *m, Node node)
{
    Graph *g = &m->cell->graph;
    NodeList factors = {0};
    Node rest;
    int affine = vec_resize(g->alloc, &factors, m->linear.n + 1)
                     ? node_affine(g, node, m->linear.items, m->linear.n, factors.items, &rest)
                     : -1;
    vec_drop(g->alloc, &factors);
    return TRY(m, affine >= 0) && affine == 1;
}

/* whether a node needs the solution of a system of forces or accelerations */
static bool has_late_system(ClassMaker *m, Node node)
{
    Graph *g = &m->cell->graph;
    NodeList order = {0};
    bool found = false;
    TRY(m, graph_reach(g, &node, 1, NULL, &order) && maker_find_levels(m, node));
    for (size_t k = 0; k < order.n && !m->failed; k++)
        found |= node_data(g, order.items[k])->kind == NODE_SYSTEM &&
                 !node_called(g, order.items[k]) && node_level(m, order.items[k]) > LEVEL_INPUT;
    vec_drop(g->alloc, &order);
    return found;
}

/* Linear blocks hold what is affine in forces and accelerations. The power of a force over an
 * acceleration is not: a block of its own computes it for who examines it. */
bool maker_find_hidden(ClassMaker *m)
{
    const Cell *cell = m->cell;
    if (!vec_resize(cell->alloc, &m->hidden, cell->variables.n + 1))
        return maker_fail(m);
    for (m->direction = 0; m->direction < 1 + m->c->reversible; m->direction++) {
        vec_drop(cell->alloc, &m->levels);
        list_linear(m);
        for (uint32_t v = 0; v < cell->variables.n && !m->failed; v++) {
            const NodeList *values = &maker_plan(m)->values.items[v];
            if (cell->variables.items[v].role == CELL_UNKNOWN && values->n &&
                maker_level_for(m, values->items[0], LEVEL_SIGNAL) > LEVEL_INPUT)
                if (!maker_is_affine(m, values->items[0]))
                    m->hidden.items[v] |=
                        m->info->is_library || has_late_system(m, values->items[0]) ? HIDDEN_FOR_ALL
                                                                                    : HIDDEN_EARLY;
        }
    }
    m->direction = 0;
    return !m->failed;
}
