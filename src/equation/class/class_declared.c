/* class_declared.c - what a class of the library declares to the engine beside its blocks, as
 * functions of its parameters that are written in C (front/precompile.c says when):
 *
 *   - energies: the variables that are called so
 *   - check: assertions on parameters
 *   - couples: whether a flow of a leaf may answer to potentials of its other port. The factors of
 *     these are gone through: where parameters decide a choice one branch counts, and whatever
 *     is no constant may differ from zero
 *   - next_time: the next instant after t where nothing but time decides events; the class needs
 *     neither an event block nor a timer then
 *   - only_if: the switch without which nothing reads a state
 */
#include "equation/class/class_maker.h"

/* ------------------------------------------------------------------ couples */

static bool is_parameter_symbol(void *user, uint64_t symbol, Node node)
{
    const Cell *cell = user;
    (void)node;
    return symbol != CELL_TIME &&
           cell->variables.items[symbol_variable(symbol)].role == CELL_PARAMETER;
}

static Node either(Graph *g, Node a, Node b)
{
    if (a == b || node_is_constant(g, b, 0) || node_is_constant(g, a, 1))
        return a;
    if (node_is_constant(g, a, 0) || node_is_constant(g, b, 1))
        return b;
    return node_make(g, NODE_OR, a, b, NO_NODE);
}

static Node both(Graph *g, Node a, Node b)
{
    if (a == b || node_is_constant(g, a, 0) || node_is_constant(g, b, 1))
        return a;
    if (node_is_constant(g, b, 0) || node_is_constant(g, a, 1))
        return b;
    return node_make(g, NODE_AND, a, b, NO_NODE);
}

/* whether condition ? yes : no may differ from zero, from what these may */
static Node either_branch(Graph *g, Cell *cell, Node condition, Node yes, Node no)
{
    NodeData c = *node_data(g, condition);
    if (graph_symbols(g, &condition, 1, is_parameter_symbol, cell))
        return node_select(g, condition, yes, no);
    if (c.kind == NODE_AND)
        return either_branch(g, cell, c.a, either_branch(g, cell, c.b, yes, no), no);
    return either(g, yes, no);
}

/* whether a node may differ from zero, from what its operands may */
static Node may_differ(GraphPass *pass, Node node, const Node *done)
{
    Graph *g = pass->graph;
    NodeData n = *node_data(g, node);
    switch (n.kind) {
    case NODE_CONSTANT:
        return node_constant(g, n.value != 0);
    case NODE_NEGATE:
    case NODE_DIVIDE:
        return done[n.a];
    case NODE_ADD:
    case NODE_SUBTRACT:
        return either(g, done[n.a], done[n.b]);
    case NODE_MULTIPLY:
        return both(g, done[n.a], done[n.b]);
    case NODE_SELECT:
        return either_branch(g, pass->user, n.a, done[n.b], done[n.c]);
    default:
        return node_constant(g, 1);
    }
}

typedef VEC(uint64_t) Symbols;

static bool list_potentials(const ClassMaker *m, uint32_t port, Symbols *to)
{
    for (uint32_t v = 0; v < m->cell->variables.n; v++) {
        const CellVariable *x = &m->cell->variables.items[v];
        if (x->role == CELL_OUTWARD && x->port == port &&
            !vec_push(m->cell->alloc, to, cell_symbol(v, x->contract)))
            return false;
    }
    return true;
}

/* whether the flow `node` may answer to some of these potentials */
static Node answers(ClassMaker *m, Node node, const Symbols *potentials)
{
    Graph *g = &m->cell->graph;
    NodeList factors = {0};
    Node rest, result = node_constant(g, 0);
    int affine = vec_resize(g->alloc, &factors, potentials->n + 1)
                     ? node_affine(g, node, potentials->items, potentials->n, factors.items, &rest)
                     : -1;
    TRY(m, affine >= 0);
    for (size_t k = 0; k < potentials->n && affine == 1; k++)
        result = either(g, result, pass_once(g, NULL, m->cell, factors.items[k], may_differ));
    vec_drop(g->alloc, &factors);
    return result;
}

/* whether the flows of one port answer to the potentials of another, as a number that switches
 * decide */
static void assign_couples(ClassMaker *m)
{
    const Cell *cell = m->cell;
    Graph *g = &m->cell->graph;
    Node result = node_constant(g, 0);
    for (uint32_t p = 0; p < cell->nport && !m->failed; p++) {
        Symbols others = {0};
        for (uint32_t q = 0; q < cell->nport; q++)
            TRY(m, q == p || list_potentials(m, q, &others));
        for (uint32_t v = 0; v < cell->variables.n && !m->failed; v++)
            if (cell->variables.items[v].role == CELL_INWARD && cell->variables.items[v].port == p)
                result =
                    either(g, result, answers(m, maker_plan(m)->values.items[v].items[0], &others));
        vec_drop(cell->alloc, &others);
    }
    block_assign(m->c->block, BLOCK_COUPLES, BLOCK_FORWARD, (BlockPlace){PLACE_RESULT, 0, 0},
                 result);
}

/* ------------------------------------------------------------------ next_time */

static bool is_known_ahead(void *user, uint64_t symbol, Node node)
{
    const Cell *cell = user;
    (void)node;
    if (symbol == CELL_TIME)
        return false;
    const CellVariable *x = &cell->variables.items[symbol_variable(symbol)];
    return x->role == CELL_PARAMETER || x->meaning == MEANING_EVENT_TIME;
}

bool maker_has_next_time(const ClassMaker *m)
{
    const EventPlan *e = &m->c->events;
    return m->info->is_library && e->timer && !e->crossings.n && !e->memories.n && !e->states.n &&
           !e->requests.n && !e->delays.n &&
           graph_symbols(&m->cell->graph, &e->timer, 1, is_known_ahead, m->cell);
}

/* ------------------------------------------------------------------ only_if */

typedef struct Off {
    Graph *graph;
    uint64_t symbol; /* of the switch */
} Off;

static Node switched_off(void *user, uint64_t symbol, Node node)
{
    const Off *off = user;
    return symbol == off->symbol ? node_constant(off->graph, 0) : node;
}

static bool is_other(void *user, uint64_t symbol, Node node)
{
    (void)node;
    return symbol != *(const uint64_t *)user;
}

/* whether a state is read anywhere but for its own derivative while a switch is off */
static bool is_read_without(ClassMaker *m, const CellState *s, uint32_t switch_)
{
    Graph *g = &m->cell->graph;
    const CellPlan *plan = maker_plan(m);
    uint64_t own = cell_symbol(s->variable, s->order);
    Off off = {g, cell_symbol(switch_, 0)};
    bool reads = plan->residuals.n > 0 || m->c->events.crossings.n || m->c->events.memories.n;
    for (uint32_t v = 0; v < plan->values.n && !reads; v++)
        for (size_t k = 0; v != s->variable && k < plan->values.items[v].n && !reads; k++) {
            Node node = replace_once(g, switched_off, &off, plan->values.items[v].items[k]);
            reads = !node || !graph_symbols(g, &node, 1, is_other, &own);
        }
    return reads;
}

const char *maker_only_if(ClassMaker *m, const CellState *s)
{
    const Cell *cell = m->cell;
    for (uint32_t v = 0; v < cell->variables.n && m->info->is_library; v++) {
        const CellVariable *x = &cell->variables.items[v];
        if (x->declared && x->declared->is_switch && !is_read_without(m, s, v))
            return maker_keep_name(m, x->name, 0);
    }
    return NULL;
}

/* ------------------------------------------------------------------ all of it */

void maker_assign_declared(ClassMaker *m)
{
    const Cell *cell = m->cell;
    const BlockPlace result = {PLACE_RESULT, 0, 0};
    for (uint32_t v = 0; v < cell->variables.n; v++) {
        const NodeList *values = &m->c->plan[0].values.items[v];
        if (cell->variables.items[v].energy && values->n)
            block_assign(m->c->block, BLOCK_ENERGY, BLOCK_FORWARD,
                         (BlockPlace){PLACE_RESULT, 0, cell->variables.items[v].energy - 1},
                         values->items[0]);
    }
    for (size_t i = 0; i < cell->assertions.n; i++)
        block_assign(m->c->block, BLOCK_CHECK, BLOCK_FORWARD, (BlockPlace){PLACE_RESULT, 0, (int)i},
                     cell->assertions.items[i].condition);
    if (m->info->is_library && cell->nport > 1 && maker_plan(m)->out == 0)
        assign_couples(m);
    if (maker_has_next_time(m))
        block_assign(m->c->block, BLOCK_NEXT_TIME, BLOCK_FORWARD, result, m->c->events.timer);
}
