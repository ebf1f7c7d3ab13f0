/* class_blocks.c - the assignments of the blocks. A node is computed in the block of its level;
 * parts of it that belong to an earlier block are computed there and kept in the struct. */
#include "equation/class/class_maker.h"

/* ------------------------------------------------------------------ parts kept between blocks */

/* numbers and symbols cost nothing and are read where they are */
static bool is_compound(const Graph *g, Node node)
{
    return node && node_data(g, node)->kind > NODE_SYMBOL;
}

/* the symbol that stands for a part which an earlier block computes; a force and its reaction are
 * one part */
static Node keep_part(ClassMaker *m, Node node)
{
    Graph *g = &m->cell->graph;
    NodeData n = *node_data(g, node);
    if (n.kind == NODE_NEGATE)
        return node_negate(g, is_compound(g, n.a) ? keep_part(m, n.a) : n.a);
    if (!vec_resize(g->alloc, &m->kept_of, g->nodes.n)) {
        maker_fail(m);
        return NO_NODE;
    }
    if (!m->kept_of.items[node]) {
        if (!TRY(m, vec_push(g->alloc, &m->kept, node) &&
                        vec_push(g->alloc, &m->kept_at, maker_new_real(m, 1))))
            return NO_NODE;
        m->kept_of.items[node] = (Node)m->kept.n;
    }
    return node_symbol(g, KEPT_SYMBOL + m->kept_of.items[node] - 1);
}

/* one operation on parameters: that is read as fast as its result, and an instance with numbers of
 * its own needs no constant block for it */
static bool is_cheap(const ClassMaker *m, Node node)
{
    const Graph *g = &m->cell->graph;
    const NodeData *n = node_data(g, node);
    bool simple = n->kind == NODE_NEGATE || n->kind == NODE_ADD || n->kind == NODE_SUBTRACT ||
                  n->kind == NODE_MULTIPLY;
    return simple && node_level(m, node) <= LEVEL_PARAMETER && !is_compound(g, n->a) &&
           !is_compound(g, n->b);
}

typedef struct Cut {
    ClassMaker *maker;
    Level level; /* of the block at hand */
} Cut;

static Node cut_operand(const Cut *cut, Node node, const Node *done)
{
    ClassMaker *m = cut->maker;
    if (!node || !is_compound(&m->cell->graph, node))
        return node;
    if (node_data(&m->cell->graph, node)->kind == NODE_SYSTEM)
        return done[node];
    if (is_cheap(m, node))
        return node;
    return node_level(m, node) < cut->level ? keep_part(m, node) : done[node];
}

/* a list with its items as the block computes them */
static Node cut_list(const Cut *cut, Node list, const Node *done)
{
    Graph *g = &cut->maker->cell->graph;
    NodeList items = {0};
    if (!list_items(g, list, &items))
        g->failed = true;
    for (size_t k = 0; k < items.n && !g->failed; k++)
        items.items[k] = cut_operand(cut, items.items[k], done);
    Node result = g->failed ? NO_NODE : node_list(g, items.items, items.n);
    vec_drop(g->alloc, &items);
    return result;
}

/* a node of a lower level is computed by an earlier block: a symbol stands for it here */
static Node cut_step(GraphPass *pass, Node node, const Node *done)
{
    Cut *cut = pass->user;
    Graph *g = pass->graph;
    NodeData n = *node_data(g, node);
    if (!is_compound(g, node) || node_level(cut->maker, node) < cut->level || n.kind == NODE_LIST)
        return node;
    if (n.kind == NODE_SYSTEM)
        return node_make(g, NODE_SYSTEM, cut_list(cut, n.a, done), n.b,
                         n.c ? cut_list(cut, n.c, done) : NO_NODE);
    Node a = cut_operand(cut, n.a, done), b = cut_operand(cut, n.b, done),
         c = cut_operand(cut, n.c, done);
    return n.kind == NODE_CALL ? node_call(g, n.function, a, b) : node_make(g, n.kind, a, b, c);
}

/* the node as a block of a level computes it */
static Node cut_node(ClassMaker *m, Level level, Node node)
{
    if (!node || !maker_find_levels(m, node))
        return NO_NODE;
    if (is_compound(&m->cell->graph, node) && node_level(m, node) < level)
        return is_cheap(m, node) ? node : keep_part(m, node);
    Cut cut = {m, level};
    GraphPass pass = {.graph = &m->cell->graph, .user = &cut, .done = m->cuts[level]};
    Node result = pass_run(&pass, node, cut_step);
    m->cuts[level] = pass.done; /* what nodes share is cut once */
    return result;
}

/* ------------------------------------------------------------------ blocks */

void maker_assign(ClassMaker *m, BlockKind kind, Level level, BlockPlace place, Node node)
{
    Assignment a = {kind, m->direction ? BLOCK_REVERSED : BLOCK_FORWARD, place,
                    cut_node(m, level, node)};
    /* parameters know no direction */
    if (a.kind == BLOCK_CONSTANT)
        a.direction = BLOCK_FORWARD;
    TRY(m, a.node && vec_push(m->cell->alloc, &m->assignments, a));
}

void maker_assign_at(ClassMaker *m, Level level, BlockPlace place, Node node)
{
    static const BlockKind kinds[] = {BLOCK_CONSTANT, BLOCK_CONSTANT,        BLOCK_INCOMING,
                                      BLOCK_EXPLICIT, BLOCK_EXPLICIT_SECOND, BLOCK_OUTWARD,
                                      BLOCK_INWARD};
    maker_assign(m, kinds[level], level, place, node);
}

static LiederStatus report_late(const ClassMaker *m, const CellVariable *v, const char *why)
{
    diag_error(m->cell->diag, &v->place, NULL, "'%s' %s\n%s", v->name, why,
               "this is not supported yet; compute it from positions and velocities");
    return LIEDER_BAD_MODEL;
}

/* outward variables of outgoing ports, inward ones of incoming ports */
LiederStatus maker_assign_ports(ClassMaker *m)
{
    const Cell *cell = m->cell;
    const CellPlan *plan = maker_plan(m);
    for (uint32_t v = 0; v < cell->variables.n && !m->failed; v++) {
        const CellVariable *x = &cell->variables.items[v];
        const NodeList *values = &plan->values.items[v];
        if (x->role < CELL_OUTWARD)
            continue;
        int port = port_place(m, x->port), index = place_in_port(cell, v);
        if (x->role == CELL_OUTWARD && port_is_out(m, x->port)) {
            for (uint32_t order = 0; order < x->contract; order++) {
                Level level = maker_level_for(m, values->items[order], LEVEL_SIGNAL);
                if (level > LEVEL_INPUT)
                    return report_late(m, x, "is a signal that depends on forces or accelerations");
                maker_assign_at(m, level,
                                (BlockPlace){PLACE_SIGNAL, port, signal_in_port(cell, v, order)},
                                values->items[order]);
            }
            int first = first_potential(m, x->port);
            maker_assign_at(m, LEVEL_POTENTIAL, (BlockPlace){PLACE_POTENTIAL, port, first + index},
                            values->items[x->contract]);
            if (first) /* the derivatives of positions are potentials of the domain, too */
                maker_assign_at(m, LEVEL_POTENTIAL, (BlockPlace){PLACE_POTENTIAL, port, index},
                                values->items[1]);
        } else if (x->role == CELL_INWARD && !port_is_out(m, x->port)) {
            maker_assign_at(m, LEVEL_FLOW, (BlockPlace){PLACE_FLOW, port, index}, values->items[0]);
        }
    }
    for (int i = 0; m->c->hangs && i < m->info->domains[0]->nflow; i++)
        maker_assign_at(m, LEVEL_FLOW, (BlockPlace){PLACE_FLOW, 0, i},
                        node_constant(&m->cell->graph, 0));
    return LIEDER_DONE;
}

/* the derivative of a state; one that is projected follows what it is projected to (project.c) */
static Node derivative_of_state(ClassMaker *m, size_t k)
{
    const CellPlan *plan = maker_plan(m);
    const CellState *s = &plan->states.items[k];
    const Node *values = plan->values.items[s->variable].items;
    Graph *g = &m->cell->graph;
    if (!s->is_projected)
        return values[s->order + 1];
    Node raw = node_symbol(g, cell_symbol(s->variable, CELL_RAW + s->order));
    return node_add(g, values[s->order + 1], node_subtract(g, values[s->order], raw));
}

/* derivatives of states, residuals */
LiederStatus maker_assign_states(ClassMaker *m)
{
    const CellPlan *plan = maker_plan(m);
    for (size_t k = 0; k < plan->states.n && !m->failed; k++) {
        const CellState *s = &plan->states.items[k];
        Node node = derivative_of_state(m, k);
        Level level = maker_level_for(m, node, LEVEL_SIGNAL);
        bool unknown = false;
        for (size_t u = 0; u < plan->unknowns.n; u++)
            unknown |= m->unknown_at.items[u] == m->derivative_at.items[k];
        if (s->is_projected)
            maker_assign_at(m, LEVEL_SIGNAL, (BlockPlace){PLACE_MEMBER, 0, m->shown_at.items[k]},
                            plan->values.items[s->variable].items[s->order]);
        if (unknown)
            continue;
        if (level == LEVEL_FLOW)
            return report_late(m, &m->cell->variables.items[s->variable],
                               "has a derivative that depends on forces or accelerations");
        maker_assign_at(m, level, (BlockPlace){PLACE_MEMBER, 0, m->derivative_at.items[k]}, node);
    }
    for (size_t k = 0; k < plan->residuals.n && !m->failed; k++)
        maker_assign_at(m, LEVEL_FLOW, (BlockPlace){PLACE_MEMBER, 0, m->residual_at.items[k]},
                        plan->residuals.items[k]);
    return LIEDER_DONE;
}

/* an observable that is a derivative or an unknown, which others assign */
static bool is_elsewhere(const ClassMaker *m, uint32_t v)
{
    int at = m->variable_at.items[v];
    bool found = false;
    for (size_t k = 0; k < m->derivative_at.n; k++)
        found |= m->derivative_at.items[k] == at;
    for (size_t k = 0; k < m->unknown_at.n; k++)
        found |= m->unknown_at.items[k] == at;
    return found;
}

/* outputs and variables that can be observed */
LiederStatus maker_assign_variables(ClassMaker *m)
{
    const Cell *cell = m->cell;
    const CellPlan *plan = maker_plan(m);
    for (uint32_t v = 0; v < cell->variables.n && !m->failed; v++) {
        const CellVariable *x = &cell->variables.items[v];
        if (x->role != CELL_UNKNOWN || plan->values.items[v].n == 0)
            continue;
        Node node = plan->values.items[v].items[0];
        Level level = maker_level_for(m, node, LEVEL_SIGNAL);
        if (x->is_output && level > LEVEL_INPUT)
            return report_late(m, x, "is an output that depends on forces or accelerations");
        if (x->is_output)
            maker_assign_at(m, level, (BlockPlace){PLACE_SIGNAL, m->input_port.items[v], 0}, node);
        else if (m->variable_at.items[v] != NO_PLACE && m->hidden.items[v])
            maker_assign(m, BLOCK_OBSERVE, LEVEL_POTENTIAL,
                         (BlockPlace){PLACE_MEMBER, 0, m->variable_at.items[v]}, node);
        else if (m->variable_at.items[v] != NO_PLACE && !is_elsewhere(m, v))
            maker_assign_at(m, level, (BlockPlace){PLACE_MEMBER, 0, m->variable_at.items[v]}, node);
    }
    return LIEDER_DONE;
}

/* start values of initial equations */
void maker_assign_start(ClassMaker *m)
{
    const CellPlan *plan = maker_plan(m);
    for (size_t k = 0; k < plan->states.n && !m->failed; k++)
        if (plan->states.items[k].initial)
            TRY(m, vec_push(m->cell->alloc, &m->assignments,
                            (Assignment){BLOCK_START,
                                         BLOCK_FORWARD,
                                         {PLACE_MEMBER, 0, m->state_at.items[k]},
                                         plan->states.items[k].initial}));
}

/* Kept parts are computed in the block of their level; those of the explicit block may keep parts
 * of parameters in turn. */
void maker_assign_kept(ClassMaker *m, size_t first)
{
    for (size_t k = first; k < m->kept.n && !m->failed; k++) {
        Node node = m->kept.items[k];
        if (!maker_find_levels(m, node))
            return;
        Level level = node_level(m, node);
        maker_assign_at(m, level < LEVEL_PARAMETER ? LEVEL_PARAMETER : level,
                        (BlockPlace){PLACE_MEMBER, 0, m->kept_at.items[k]}, node);
    }
}

/* the derivatives of inputs are not known */
typedef struct InputCheck {
    const Cell *cell;
    const CellVariable *wrong;
} InputCheck;

/* notes an input that a block reads before it is known */
static bool note_input(void *user, uint64_t symbol, Node node)
{
    InputCheck *check = user;
    (void)node;
    if (symbol == CELL_TIME)
        return true;
    const CellVariable *v = &check->cell->variables.items[symbol_variable(symbol)];
    bool known = v->role == CELL_INPUT     ? symbol_order(symbol) == 0
                 : v->role == CELL_OUTWARD ? symbol_order(symbol) <= v->contract
                 : v->role == CELL_INWARD  ? symbol_order(symbol) == 0
                                           : true;
    if (!known)
        check->wrong = v;
    return true;
}

LiederStatus maker_check_inputs(ClassMaker *m)
{
    Cell *cell = m->cell;
    const CellPlan *plan = maker_plan(m);
    InputCheck check = {.cell = cell};
    NodeList all = {0};
    bool good = true;
    for (size_t v = 0; v < plan->values.n; v++)
        for (size_t k = 0; good && k < plan->values.items[v].n; k++)
            good = vec_push(cell->alloc, &all, plan->values.items[v].items[k]);
    good = good && graph_symbols(&cell->graph, all.items, all.n, note_input, &check);
    vec_drop(cell->alloc, &all);
    if (!good)
        return LIEDER_NO_MEMORY;
    if (!check.wrong)
        return LIEDER_DONE;
    diag_error(cell->diag, &check.wrong->place, NULL,
               "the equations need the derivative of '%s', which is not known\n"
               "filter it, or give its derivative as an input of its own",
               check.wrong->name);
    return LIEDER_BAD_MODEL;
}
