/* class_drift.c - how far constraints that are kept (cell.h) are off: a number of the class that a
 * run looks at, see solve/drift.c.
 *
 * Constraints g = 0 of one place in the text, such as x and y where a loop is closed, are one:
 *
 *   drift = sqrt(sum g^2 / (sum s^2 + s0^2))
 *
 * s is the size of a constraint: the terms of g as a mean square, in which sin and cos count as
 * 1/2 each, so that it does not vanish at dead points and a vector keeps its length when it is
 * turned. s0 keeps the quotient from rounding where all terms vanish: a length of 1e-3, or 1 where
 * velocities are tied, which may all rest.
 */
#include "equation/class_maker.h"

#include "equation/eliminate.h"

#include <string.h>

/* ------------------------------------------------------------------ the size of a constraint */

static Node square(Graph *g, Node a)
{
    return node_multiply(g, a, a);
}

static Node call_square(Graph *g, Node node, const NodeData *n, const Node *done)
{
    switch (n->function) {
    case FUNCTION_SIN:
    case FUNCTION_COS:
        return node_constant(g, 0.5);
    case FUNCTION_ABS:
        return done[n->a];
    case FUNCTION_SQRT:
        return node_call(g, FUNCTION_SQRT, done[n->a], NO_NODE);
    default:
        return square(g, node);
    }
}

/* the mean square of a node, of those of its operands */
static Node mean_square(GraphPass *pass, Node node, const Node *done)
{
    Graph *g = pass->graph;
    const NodeData n = *node_data(g, node);
    switch ((NodeKind)n.kind) {
    case NODE_NEGATE:
        return done[n.a];
    case NODE_ADD:
    case NODE_SUBTRACT:
        return node_add(g, done[n.a], done[n.b]);
    case NODE_MULTIPLY:
        return node_multiply(g, done[n.a], done[n.b]);
    case NODE_DIVIDE:
        return node_divide(g, done[n.a], square(g, n.b));
    case NODE_FUSED:
        return node_add(g, node_multiply(g, done[n.a], done[n.b]), done[n.c]);
    case NODE_SELECT:
        return node_select(g, n.a, done[n.b], done[n.c]);
    case NODE_CALL:
        return call_square(g, node, &n, done);
    case NODE_LIST:
    case NODE_SYSTEM:
        return node;
    default:
        return square(g, node);
    }
}

/* ------------------------------------------------------------------ constraints of one place */

static bool same_place(const CellEquation *a, const CellEquation *b)
{
    bool path = a->path == b->path || (a->path && b->path && strcmp(a->path, b->path) == 0);
    return path && a->place.file == b->place.file && a->place.line == b->place.line &&
           a->place.column == b->place.column;
}

typedef struct EventUse {
    const Cell *cell;
    bool found;
} EventUse;

static bool note_discrete(void *user, uint64_t symbol, Node node)
{
    EventUse *use = user;
    (void)node;
    use->found |= symbol != CELL_TIME &&
                  use->cell->variables.items[symbol_variable(symbol)].role == CELL_DISCRETE;
    return true;
}

/* the drift of constraint k and of those that stand where it does; NO_NODE: there is nothing to
 * look at, since an earlier one has it, events change it, or memory ran out */
static Node drift_at(ClassMaker *m, size_t k)
{
    const CellPlan *plan = maker_plan(m);
    const CellEquation *equations = m->cell->equations.items;
    Graph *g = &m->cell->graph;
    EventUse use = {.cell = m->cell};
    uint32_t first = plan->kept.items[k];
    double least = plan->equations.items[first].n > 2 ? 1e-6 : 1;
    Node off = NO_NODE, size = node_constant(g, least);
    for (size_t j = 0; j < plan->kept.n; j++) {
        uint32_t i = plan->kept.items[j];
        if (!same_place(&equations[i], &equations[first]))
            continue;
        Node node =
            j < k ? NO_NODE : known_put_in(m->cell, plan, plan->equations.items[i].items[0]);
        if (!node || !TRY(m, graph_symbols(g, &node, 1, note_discrete, &use)) || use.found)
            return NO_NODE;
        off = off ? node_add(g, off, square(g, node)) : square(g, node);
        size = node_add(g, size, pass_once(g, NULL, NULL, node, mean_square));
    }
    return node_call(g, FUNCTION_SQRT, node_divide(g, off, size), NO_NODE);
}

void maker_assign_drift(ClassMaker *m)
{
    static const char *const names[] = {"drift"};
    const CellPlan *plan = maker_plan(m);
    for (size_t k = 0; k < plan->kept.n && m->direction == 0 && !m->failed; k++) {
        Node drift = drift_at(m, k);
        if (!TRY(m, !m->cell->graph.failed) || m->failed || !drift)
            continue;
        Level level = maker_level_for(m, drift, LEVEL_SIGNAL);
        if (level > LEVEL_INPUT)
            continue;
        LiederSystemDef def = {
            .kind = LIEDER_SYSTEM_CONDITION,
            .status = maker_new_real(m, 1),
            .values = maker_new_real(m, 1),
            .nvalue = 1,
            .nequation = 1,
            .names = names,
            .places = maker_keep_places(m, &m->cell->equations.items[plan->kept.items[k]], 1)};
        maker_assign_at(m, LEVEL_PARAMETER, (BlockPlace){PLACE_MEMBER, 0, def.status},
                        node_constant(&m->cell->graph, 0));
        maker_assign_at(m, level, (BlockPlace){PLACE_MEMBER, 0, def.values}, drift);
        TRY(m, vec_push(m->cell->alloc, &m->systems, def));
    }
}
