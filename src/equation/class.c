/* class.c - see class.h. The struct of the class is: parameters, states, derivatives, residuals,
 * other variables, then parts of expressions that are kept from one block to the next. */
#include "equation/class.h"

#include "block/class.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum Level {
    LEVEL_NUMBER,
    LEVEL_PARAMETER,
    LEVEL_SIGNAL,
    LEVEL_POTENTIAL,
    LEVEL_FLOW
} Level;

enum { NO_PLACE = -1 };
/* symbols of kept parts: above those of variables and below 2^63 */
#define KEPT_SYMBOL ((uint64_t)1 << 61)

struct CellClass {
    const LiederAllocator *alloc;
    Arena arena; /* names and tables that the class points to */
    CellPlan plan[2];
    bool reversible;
    BlockClass *block;
    LiederPortDef *ports;
    LiederMember *members;
    int nport, nmember, nreal;
};

/* an assignment of a block, until all places are known */
typedef struct Assignment {
    BlockKind kind;
    BlockDirection direction;
    BlockPlace place;
    Node node;
} Assignment;

/* a class under construction */
typedef struct ClassMaker {
    Cell *cell;
    CellClass *c;
    const CellClassInfo *info;
    VEC(uint8_t) hidden;  /* by variable: linear blocks cannot compute it */
    VEC(int) variable_at; /* by variable: its real as a parameter or observable, or NO_PLACE */
    VEC(int) input_port;  /* by variable: port of an input or output, or NO_PLACE */
    VEC(int) state_at, derivative_at, residual_at; /* by state, state, unknown */
    VEC(int) unknown_at; /* by unknown: a derivative, or a real of its own */
    VEC(BlockSymbol) symbols;
    VEC(LiederMember) members;
    VEC(LiederPortDef) ports;
    VEC(uint8_t) levels; /* by node; 0: not yet */
    NodeList kept;       /* parts in the order of their reals */
    VEC(int) kept_at;    /* by part */
    NodeList kept_of;    /* by node: 1 + part, in the direction at hand */
    VEC(Assignment) assignments;
    VEC(uint64_t) linear; /* symbols of potentials, unknowns and flows, in the direction at hand */
    int direction;        /* the plan at hand: 0, or 1 for reversed */
    bool failed;
} ClassMaker;

static bool fail(ClassMaker *m)
{
    m->failed = true;
    return false;
}
#define TRY(m, call) ((call) ? true : fail(m))

/* ------------------------------------------------------------------ orientations */

/* the cell solved for a set of outgoing ports, without keeping what is wrong with it */
static LiederStatus try_orientation(Cell *cell, uint64_t out, CellPlan *plan)
{
    size_t before = cell->diag->list.n, nerrors = cell->diag->nerrors;
    LiederStatus status = cell_solve(cell, out, plan);
    if (status != LIEDER_DONE) {
        plan_drop(plan, cell->alloc);
        diag_forget(cell->diag, before);
        cell->diag->nerrors = nerrors;
    }
    return status;
}

static bool same_states(const CellPlan *a, const CellPlan *b)
{
    bool same = a->states.n == b->states.n && a->unknowns.n == b->unknowns.n;
    for (size_t k = 0; same && k < a->states.n; k++)
        same = a->states.items[k].variable == b->states.items[k].variable &&
               a->states.items[k].order == b->states.items[k].order;
    for (size_t k = 0; same && k < a->unknowns.n; k++)
        same = a->unknowns.items[k].variable == b->unknowns.items[k].variable &&
               a->unknowns.items[k].order == b->unknowns.items[k].order;
    return same;
}

/* leaf, link, root: the first that works */
static LiederStatus orient(Cell *cell, CellClass *c)
{
    uint64_t all = cell->nport >= 64 ? UINT64_MAX : ((uint64_t)1 << cell->nport) - 1;
    if (cell->nport == 0)
        return cell_solve(cell, 0, &c->plan[0]);
    LiederStatus status = try_orientation(cell, 0, &c->plan[0]);
    if (status != LIEDER_BAD_MODEL)
        return status;
    /* everything but one port outgoing */
    for (uint32_t in = 0; cell->nport > 1 && in < cell->nport; in++) {
        status = try_orientation(cell, all & ~((uint64_t)1 << in), &c->plan[0]);
        if (status == LIEDER_BAD_MODEL)
            continue;
        if (status == LIEDER_DONE && cell->nport == 2 && in == 0) {
            LiederStatus other = try_orientation(cell, 1, &c->plan[1]);
            c->reversible = other == LIEDER_DONE && same_states(&c->plan[0], &c->plan[1]);
            if (other == LIEDER_NO_MEMORY)
                status = other;
        }
        return status;
    }
    status = try_orientation(cell, all, &c->plan[0]);
    if (status != LIEDER_BAD_MODEL)
        return status;
    /* once more, to say what is wrong with it as a leaf */
    return cell_solve(cell, 0, &c->plan[0]);
}

/* ------------------------------------------------------------------ places */

static const CellPlan *plan_of(const ClassMaker *m)
{
    return &m->c->plan[m->direction];
}

static bool is_out(const ClassMaker *m, uint32_t port)
{
    return plan_of(m)->out >> port & 1;
}

/* The port of the class that a port of the cell is: incoming ones first. A reversed link is written
 * from its incoming port as well. */
static int port_place(const ClassMaker *m, uint32_t port)
{
    int place = 0;
    for (uint32_t p = 0; p < m->cell->nport; p++)
        if (is_out(m, p) != is_out(m, port) ? is_out(m, port) : p < port)
            place++;
    return place;
}

/* which of the outward or inward variables of its port a variable is */
static int place_in_port(const Cell *cell, uint32_t variable)
{
    const CellVariable *v = &cell->variables.items[variable];
    int place = 0;
    for (uint32_t i = 0; i < variable; i++)
        place +=
            cell->variables.items[i].role == v->role && cell->variables.items[i].port == v->port;
    return place;
}

static int new_real(ClassMaker *m, int count)
{
    int first = m->c->nreal;
    m->c->nreal += count;
    return first;
}

static const char *keep_text(ClassMaker *m, const char *text, size_t length)
{
    const char *copy = arena_text(&m->c->arena, text ? text : "", text ? length : 0);
    TRY(m, copy);
    return copy ? copy : "";
}

/* "x", and x'' for its second derivative as a state: der(x) is the derivative of the state x */
static const char *keep_name(ClassMaker *m, const char *name, uint32_t order)
{
    char text[300];
    snprintf(text, sizeof text, "%.280s%.*s", name, (int)order, "''");
    return keep_text(m, text, strlen(text));
}

static void add_member(ClassMaker *m, LiederMember member)
{
    TRY(m, vec_push(m->cell->alloc, &m->members, member));
}

/* ------------------------------------------------------------------ levels */

/* the symbols in which linear blocks are affine */
static void list_linear(ClassMaker *m)
{
    const Cell *cell = m->cell;
    const CellPlan *plan = plan_of(m);
    m->linear.n = 0;
    for (uint32_t v = 0; v < cell->variables.n; v++) {
        const CellVariable *x = &cell->variables.items[v];
        if (x->role == CELL_OUTWARD && !is_out(m, x->port))
            TRY(m, vec_push(cell->alloc, &m->linear, cell_symbol(v, x->contract)));
        else if (x->role == CELL_INWARD && is_out(m, x->port))
            TRY(m, vec_push(cell->alloc, &m->linear, cell_symbol(v, 0)));
    }
    for (size_t k = 0; k < plan->unknowns.n; k++)
        TRY(m,
            vec_push(cell->alloc, &m->linear,
                     cell_symbol(plan->unknowns.items[k].variable, plan->unknowns.items[k].order)));
}

static Level symbol_level(const ClassMaker *m, uint64_t symbol)
{
    if (symbol == CELL_TIME)
        return LEVEL_SIGNAL;
    uint32_t v = symbol_variable(symbol), order = symbol_order(symbol);
    const CellVariable *x = &m->cell->variables.items[v];
    if (x->role == CELL_PARAMETER)
        return LEVEL_PARAMETER;
    const CellPlan *plan = plan_of(m);
    /* a leaf has no outward block: potentials come in with its inward one */
    if (x->role == CELL_OUTWARD && !is_out(m, x->port))
        return order < x->contract ? LEVEL_SIGNAL : plan->out ? LEVEL_POTENTIAL : LEVEL_FLOW;
    if (x->role == CELL_INWARD)
        return LEVEL_FLOW;
    for (size_t k = 0; k < plan->unknowns.n; k++)
        if (plan->unknowns.items[k].variable == v && plan->unknowns.items[k].order == order)
            return LEVEL_POTENTIAL;
    return LEVEL_SIGNAL;
}

static Level node_level(const ClassMaker *m, Node node)
{
    return node ? (Level)(m->levels.items[node] - 1) : LEVEL_NUMBER;
}

/* levels of everything below a node */
static bool find_levels(ClassMaker *m, Node root)
{
    Graph *g = &m->cell->graph;
    NodeList order = {0};
    bool good =
        vec_resize(g->alloc, &m->levels, g->nodes.n) && graph_reach(g, &root, 1, NULL, &order);
    for (size_t i = 0; good && i < order.n; i++) {
        Node k = order.items[i];
        const NodeData *n = node_data(g, k);
        const Node operands[] = {n->a, n->b, n->c};
        Level level = n->kind == NODE_SYMBOL ? symbol_level(m, n->symbol) : LEVEL_NUMBER;
        for (int o = 0; o < 3; o++)
            if (operands[o] && node_level(m, operands[o]) > level)
                level = node_level(m, operands[o]);
        m->levels.items[k] = (uint8_t)(level + 1);
    }
    vec_drop(g->alloc, &order);
    return TRY(m, good);
}

/* the earliest block that can compute a node, but not before `least` */
static Level level_for(ClassMaker *m, Node node, Level least)
{
    if (!node || !find_levels(m, node))
        return least;
    return node_level(m, node) > least ? node_level(m, node) : least;
}

static bool is_affine(ClassMaker *m, Node node)
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

/* Linear blocks hold what is affine in forces and accelerations. The power of a force over an
 * acceleration is not, and cannot be observed. */
static bool find_hidden(ClassMaker *m)
{
    const Cell *cell = m->cell;
    if (!vec_resize(cell->alloc, &m->hidden, cell->variables.n + 1))
        return fail(m);
    for (m->direction = 0; m->direction < 1 + m->c->reversible; m->direction++) {
        vec_drop(cell->alloc, &m->levels);
        list_linear(m);
        for (uint32_t v = 0; v < cell->variables.n && !m->failed; v++) {
            const NodeList *values = &plan_of(m)->values.items[v];
            if (cell->variables.items[v].role == CELL_UNKNOWN && values->n &&
                level_for(m, values->items[0], LEVEL_SIGNAL) > LEVEL_SIGNAL)
                m->hidden.items[v] |= !is_affine(m, values->items[0]);
        }
    }
    m->direction = 0;
    return !m->failed;
}

/* ------------------------------------------------------------------ members */

/* a vector parameter is one member, whose name has no index */
static void add_parameter(ClassMaker *m, uint32_t v)
{
    const CellVariable *x = &m->cell->variables.items[v];
    if (x->element > 0) {
        m->variable_at.items[v] = m->variable_at.items[v - 1] + 1;
        return;
    }
    int length = x->length > 1 ? (int)x->length : 1;
    m->variable_at.items[v] = new_real(m, length);
    const char *index = x->length > 1 ? strrchr(x->name, '[') : NULL;
    add_member(
        m, (LiederMember){
               .kind = LIEDER_PARAMETER,
               .name = keep_text(m, x->name, index ? (size_t)(index - x->name) : strlen(x->name)),
               .unit = keep_name(m, x->unit ? x->unit : "", 0),
               .index = m->variable_at.items[v],
               .length = length,
               .fallback = NAN,
               .min = -INFINITY,
               .max = INFINITY,
               .text = keep_name(m, x->text ? x->text : "", 0)});
}

static void add_states(ClassMaker *m)
{
    const CellPlan *plan = plan_of(m);
    const LiederAllocator *alloc = m->cell->alloc;
    for (size_t k = 0; k < plan->states.n; k++)
        TRY(m, vec_push(alloc, &m->state_at, new_real(m, 1)));
    for (size_t k = 0; k < plan->states.n; k++)
        TRY(m, vec_push(alloc, &m->derivative_at, new_real(m, 1)));
    for (size_t k = 0; k < plan->states.n && !m->failed; k++) {
        const CellState *s = &plan->states.items[k];
        const CellVariable *v = &m->cell->variables.items[s->variable];
        add_member(m,
                   (LiederMember){.kind = LIEDER_STATE,
                                  .name = keep_name(m, v->name, s->order),
                                  .unit = keep_name(m, s->order == 0 && v->unit ? v->unit : "", 0),
                                  .index = m->state_at.items[k],
                                  .other = m->derivative_at.items[k],
                                  .other_name = keep_name(m, v->name, s->order + 1),
                                  /* NaN: the start block finds it */
                                  .fallback = s->initial ? NAN : 0,
                                  .min = -INFINITY,
                                  .max = INFINITY,
                                  .text = keep_name(m, v->text ? v->text : "", 0)});
    }
}

/* the derivative of this state is a variable and order, or no state has it: NO_PLACE */
static int find_derivative(const ClassMaker *m, const CellState *of)
{
    const CellPlan *plan = plan_of(m);
    for (size_t k = 0; k < plan->states.n; k++)
        if (plan->states.items[k].variable == of->variable &&
            plan->states.items[k].order + 1 == of->order)
            return m->derivative_at.items[k];
    return NO_PLACE;
}

static void add_unknowns(ClassMaker *m)
{
    const CellPlan *plan = plan_of(m);
    const LiederAllocator *alloc = m->cell->alloc;
    for (size_t k = 0; k < plan->unknowns.n && !m->failed; k++) {
        const CellState *u = &plan->unknowns.items[k];
        int at = find_derivative(m, u), residual = new_real(m, 1);
        if (at == NO_PLACE)
            at = new_real(m, 1);
        TRY(m, vec_push(alloc, &m->unknown_at, at) && vec_push(alloc, &m->residual_at, residual));
        const CellVariable *v = &m->cell->variables.items[u->variable];
        char name[300];
        snprintf(name, sizeof name, "residual of der(%.270s)", v->name);
        add_member(m, (LiederMember){.kind = LIEDER_UNKNOWN,
                                     .name = keep_name(m, v->name, u->order),
                                     .unit = "",
                                     .index = at,
                                     .other = residual,
                                     .other_name = keep_text(m, name, strlen(name)),
                                     .text = ""});
    }
}

/* a variable that is neither state nor port variable can be observed */
static bool is_observable(const ClassMaker *m, uint32_t v)
{
    const CellVariable *x = &m->cell->variables.items[v];
    if (x->role != CELL_UNKNOWN || m->input_port.items[v] != NO_PLACE || m->hidden.items[v])
        return false;
    const CellPlan *plan = plan_of(m);
    for (size_t k = 0; k < plan->states.n; k++)
        if (plan->states.items[k].variable == v && plan->states.items[k].order == 0)
            return false;
    return plan->values.items[v].n > 0;
}

static void add_observable(ClassMaker *m, uint32_t v)
{
    const CellVariable *x = &m->cell->variables.items[v];
    m->variable_at.items[v] = new_real(m, 1);
    add_member(m, (LiederMember){.kind = LIEDER_OBSERVABLE,
                                 .name = keep_name(m, x->name, 0),
                                 .unit = keep_name(m, x->unit ? x->unit : "", 0),
                                 .index = m->variable_at.items[v],
                                 .text = keep_name(m, x->text ? x->text : "", 0)});
}

static bool add_members(ClassMaker *m)
{
    Cell *cell = m->cell;
    const LiederAllocator *alloc = cell->alloc;
    if (!vec_resize(alloc, &m->variable_at, cell->variables.n + 1))
        return fail(m);
    for (uint32_t v = 0; v < cell->variables.n; v++)
        m->variable_at.items[v] = NO_PLACE;
    for (uint32_t v = 0; v < cell->variables.n && !m->failed; v++)
        if (cell->variables.items[v].role == CELL_PARAMETER)
            add_parameter(m, v);
    add_states(m);
    add_unknowns(m);
    for (uint32_t v = 0; v < cell->variables.n && !m->failed; v++)
        if (is_observable(m, v))
            add_observable(m, v);
    return !m->failed;
}

/* ------------------------------------------------------------------ ports */

static bool add_ports(ClassMaker *m)
{
    Cell *cell = m->cell;
    const LiederAllocator *alloc = cell->alloc;
    if (!vec_resize(alloc, &m->input_port, cell->variables.n + 1))
        return fail(m);
    for (int out = 0; out < 2; out++)
        for (uint32_t p = 0; p < cell->nport; p++)
            if (is_out(m, p) == (bool)out)
                TRY(m, vec_push(alloc, &m->ports,
                                (LiederPortDef){.name = keep_name(m, m->info->port_names[p], 0),
                                                .domain = m->info->domains[p],
                                                .role = out ? LIEDER_OUT : LIEDER_IN,
                                                .optional = out,
                                                .text = ""}));
    for (uint32_t v = 0; v < cell->variables.n; v++)
        m->input_port.items[v] = NO_PLACE;
    for (int out = 0; out < 2; out++)
        for (uint32_t v = 0; v < cell->variables.n && !m->failed; v++) {
            const CellVariable *x = &cell->variables.items[v];
            if (out ? !x->is_output : x->role != CELL_INPUT)
                continue;
            m->input_port.items[v] = (int)m->ports.n;
            TRY(m, vec_push(alloc, &m->ports,
                            (LiederPortDef){.name = keep_name(m, x->name, 0),
                                            .domain = &lieder_signal,
                                            .role = out ? LIEDER_OUT : LIEDER_IN,
                                            .optional = true,
                                            .text = keep_name(m, x->text ? x->text : "", 0)}));
        }
    return !m->failed;
}

/* ------------------------------------------------------------------ symbols */

/* what the symbols of variables read */
static void add_symbol(ClassMaker *m, uint64_t symbol, PlaceKind kind, int port, int index)
{
    TRY(m, vec_push(m->cell->alloc, &m->symbols, (BlockSymbol){symbol, {kind, port, index}}));
}

/* those of port variables, which differ between directions */
static void add_port_symbols(ClassMaker *m)
{
    const Cell *cell = m->cell;
    for (uint32_t v = 0; v < cell->variables.n; v++) {
        const CellVariable *x = &cell->variables.items[v];
        if (x->role < CELL_OUTWARD)
            continue;
        int port = port_place(m, x->port), index = place_in_port(cell, v);
        if (x->role == CELL_OUTWARD && !is_out(m, x->port)) {
            add_symbol(m, cell_symbol(v, 0), PLACE_SIGNAL, port, index);
            add_symbol(m, cell_symbol(v, x->contract), PLACE_POTENTIAL, port, index);
        } else if (x->role == CELL_INWARD && is_out(m, x->port)) {
            add_symbol(m, cell_symbol(v, 0), PLACE_FLOW, port, index);
        }
    }
}

static void add_member_symbols(ClassMaker *m)
{
    const Cell *cell = m->cell;
    const CellPlan *plan = plan_of(m);
    add_symbol(m, CELL_TIME, PLACE_TIME, 0, 0);
    for (uint32_t v = 0; v < cell->variables.n; v++) {
        const CellVariable *x = &cell->variables.items[v];
        if (x->role == CELL_PARAMETER)
            add_symbol(m, cell_symbol(v, 0), PLACE_MEMBER, 0, m->variable_at.items[v]);
        else if (x->role == CELL_INPUT)
            add_symbol(m, cell_symbol(v, 0), PLACE_SIGNAL, m->input_port.items[v], 0);
    }
    for (size_t k = 0; k < plan->states.n; k++)
        add_symbol(m, cell_symbol(plan->states.items[k].variable, plan->states.items[k].order),
                   PLACE_MEMBER, 0, m->state_at.items[k]);
    for (size_t k = 0; k < plan->unknowns.n; k++)
        add_symbol(m, cell_symbol(plan->unknowns.items[k].variable, plan->unknowns.items[k].order),
                   PLACE_MEMBER, 0, m->unknown_at.items[k]);
    for (size_t k = 0; k < m->kept.n; k++)
        add_symbol(m, KEPT_SYMBOL + k, PLACE_MEMBER, 0, m->kept_at.items[k]);
}

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
        fail(m);
        return NO_NODE;
    }
    if (!m->kept_of.items[node]) {
        if (!TRY(m, vec_push(g->alloc, &m->kept, node) &&
                        vec_push(g->alloc, &m->kept_at, new_real(m, 1))))
            return NO_NODE;
        m->kept_of.items[node] = (Node)m->kept.n;
    }
    return node_symbol(g, KEPT_SYMBOL + m->kept_of.items[node] - 1);
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
    return node_level(m, node) < cut->level ? keep_part(m, node) : done[node];
}

static Node cut_step(GraphPass *pass, Node node, const Node *done)
{
    Cut *cut = pass->user;
    Graph *g = pass->graph;
    NodeData n = *node_data(g, node);
    if (!is_compound(g, node) || node_level(cut->maker, node) < cut->level)
        return node;
    Node a = cut_operand(cut, n.a, done), b = cut_operand(cut, n.b, done),
         c = cut_operand(cut, n.c, done);
    return n.kind == NODE_CALL ? node_call(g, n.function, a, b) : node_make(g, n.kind, a, b, c);
}

/* the node as a block of a level computes it */
static Node cut_node(ClassMaker *m, Level level, Node node)
{
    if (!node || !find_levels(m, node))
        return NO_NODE;
    if (is_compound(&m->cell->graph, node) && node_level(m, node) < level)
        return keep_part(m, node);
    Cut cut = {m, level};
    return pass_once(&m->cell->graph, NULL, &cut, node, cut_step);
}

/* ------------------------------------------------------------------ blocks */

static void assign(ClassMaker *m, Level level, BlockPlace place, Node node)
{
    static const BlockKind kinds[] = {BLOCK_CONSTANT, BLOCK_CONSTANT, BLOCK_EXPLICIT, BLOCK_OUTWARD,
                                      BLOCK_INWARD};
    Assignment a = {kinds[level], m->direction ? BLOCK_REVERSED : BLOCK_FORWARD, place,
                    cut_node(m, level, node)};
    /* parameters know no direction */
    if (a.kind == BLOCK_CONSTANT)
        a.direction = BLOCK_FORWARD;
    TRY(m, a.node && vec_push(m->cell->alloc, &m->assignments, a));
}

static LiederStatus report_late(const ClassMaker *m, const CellVariable *v, const char *why)
{
    diag_error(m->cell->diag, &v->place, NULL, "'%s' %s\n%s", v->name, why,
               "this is not supported yet; compute it from positions and velocities");
    return LIEDER_BAD_MODEL;
}

/* outward variables of outgoing ports, inward ones of incoming ports */
static LiederStatus assign_ports(ClassMaker *m)
{
    const Cell *cell = m->cell;
    const CellPlan *plan = plan_of(m);
    for (uint32_t v = 0; v < cell->variables.n && !m->failed; v++) {
        const CellVariable *x = &cell->variables.items[v];
        const NodeList *values = &plan->values.items[v];
        if (x->role < CELL_OUTWARD)
            continue;
        int port = port_place(m, x->port), index = place_in_port(cell, v);
        if (x->role == CELL_OUTWARD && is_out(m, x->port)) {
            if (level_for(m, values->items[0], LEVEL_SIGNAL) > LEVEL_SIGNAL)
                return report_late(m, x, "is a signal that depends on forces or accelerations");
            assign(m, LEVEL_SIGNAL, (BlockPlace){PLACE_SIGNAL, port, index}, values->items[0]);
            assign(m, LEVEL_POTENTIAL, (BlockPlace){PLACE_POTENTIAL, port, index},
                   values->items[x->contract]);
        } else if (x->role == CELL_INWARD && !is_out(m, x->port)) {
            assign(m, LEVEL_FLOW, (BlockPlace){PLACE_FLOW, port, index}, values->items[0]);
        }
    }
    return LIEDER_DONE;
}

/* derivatives of states, residuals */
static LiederStatus assign_states(ClassMaker *m)
{
    const CellPlan *plan = plan_of(m);
    for (size_t k = 0; k < plan->states.n && !m->failed; k++) {
        const CellState *s = &plan->states.items[k];
        Node node = plan->values.items[s->variable].items[s->order + 1];
        Level level = level_for(m, node, LEVEL_SIGNAL);
        bool unknown = false;
        for (size_t u = 0; u < plan->unknowns.n; u++)
            unknown |= m->unknown_at.items[u] == m->derivative_at.items[k];
        if (unknown)
            continue;
        if (level == LEVEL_FLOW)
            return report_late(m, &m->cell->variables.items[s->variable],
                               "has a derivative that depends on forces or accelerations");
        assign(m, level, (BlockPlace){PLACE_MEMBER, 0, m->derivative_at.items[k]}, node);
    }
    for (size_t k = 0; k < plan->residuals.n && !m->failed; k++)
        assign(m, LEVEL_FLOW, (BlockPlace){PLACE_MEMBER, 0, m->residual_at.items[k]},
               plan->residuals.items[k]);
    return LIEDER_DONE;
}

/* outputs and variables that can be observed */
static LiederStatus assign_variables(ClassMaker *m)
{
    const Cell *cell = m->cell;
    const CellPlan *plan = plan_of(m);
    for (uint32_t v = 0; v < cell->variables.n && !m->failed; v++) {
        const CellVariable *x = &cell->variables.items[v];
        if (x->role != CELL_UNKNOWN || plan->values.items[v].n == 0)
            continue;
        Node node = plan->values.items[v].items[0];
        Level level = level_for(m, node, LEVEL_SIGNAL);
        if (x->is_output && level > LEVEL_SIGNAL)
            return report_late(m, x, "is an output that depends on forces or accelerations");
        if (x->is_output)
            assign(m, level, (BlockPlace){PLACE_SIGNAL, m->input_port.items[v], 0}, node);
        else if (m->variable_at.items[v] != NO_PLACE)
            assign(m, level, (BlockPlace){PLACE_MEMBER, 0, m->variable_at.items[v]}, node);
    }
    return LIEDER_DONE;
}

/* start values of initial equations */
static void assign_start(ClassMaker *m)
{
    const CellPlan *plan = plan_of(m);
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
static void assign_kept(ClassMaker *m, size_t first)
{
    for (size_t k = first; k < m->kept.n && !m->failed; k++) {
        Node node = m->kept.items[k];
        if (!find_levels(m, node))
            return;
        Level level = node_level(m, node);
        assign(m, level < LEVEL_PARAMETER ? LEVEL_PARAMETER : level,
               (BlockPlace){PLACE_MEMBER, 0, m->kept_at.items[k]}, node);
    }
}

/* the derivatives of inputs are not known */
typedef struct InputCheck {
    const Cell *cell;
    const CellVariable *wrong;
} InputCheck;

static bool note_input(void *user, uint64_t symbol, Node node)
{
    InputCheck *check = user;
    (void)node;
    if (symbol == CELL_TIME)
        return true;
    const CellVariable *v = &check->cell->variables.items[symbol_variable(symbol)];
    bool known = v->role == CELL_INPUT     ? symbol_order(symbol) == 0
                 : v->role == CELL_OUTWARD ? symbol_order(symbol) <= v->contract
                                           : true;
    if (!known)
        check->wrong = v;
    return true;
}

static LiederStatus check_inputs(ClassMaker *m)
{
    Cell *cell = m->cell;
    const CellPlan *plan = plan_of(m);
    InputCheck check = {.cell = cell};
    for (size_t v = 0; v < plan->values.n; v++)
        if (!graph_symbols(&cell->graph, plan->values.items[v].items, plan->values.items[v].n,
                           note_input, &check))
            return LIEDER_NO_MEMORY;
    if (!check.wrong)
        return LIEDER_DONE;
    diag_error(cell->diag, &check.wrong->place, NULL,
               "the equations need the derivative of '%s', which is not known\n"
               "filter it, or give its derivative as an input of its own",
               check.wrong->name);
    return LIEDER_BAD_MODEL;
}

/* ------------------------------------------------------------------ the class */

/* everything of one direction: assignments of all blocks */
static LiederStatus make_direction(ClassMaker *m)
{
    size_t first = m->kept.n;
    const LiederAllocator *alloc = m->cell->alloc;
    vec_drop(alloc, &m->levels); /* levels and parts depend on the direction */
    vec_drop(alloc, &m->kept_of);
    add_port_symbols(m);
    LiederStatus status = check_inputs(m);
    if (status == LIEDER_DONE)
        status = assign_ports(m);
    if (status == LIEDER_DONE)
        status = assign_states(m);
    if (status == LIEDER_DONE)
        status = assign_variables(m);
    if (status == LIEDER_DONE)
        assign_kept(m, first);
    return m->failed ? LIEDER_NO_MEMORY : status;
}

/* the tables that stay with the class */
static bool keep_tables(ClassMaker *m)
{
    CellClass *c = m->c;
    c->ports = arena_zeroed(&c->arena, (m->ports.n + 1) * sizeof *c->ports);
    c->members = arena_zeroed(&c->arena, (m->members.n + 1) * sizeof *c->members);
    if (!c->ports || !c->members)
        return fail(m);
    if (m->ports.n)
        memcpy(c->ports, m->ports.items, m->ports.n * sizeof *c->ports);
    if (m->members.n)
        memcpy(c->members, m->members.items, m->members.n * sizeof *c->members);
    return true;
}

static LiederStatus finish(ClassMaker *m)
{
    CellClass *c = m->c;
    add_member_symbols(m);
    if (!keep_tables(m))
        return LIEDER_NO_MEMORY;
    BlockClassInfo info = {.def = {.name = keep_name(m, m->info->name, 0),
                                   .text = keep_name(m, m->info->text ? m->info->text : "", 0),
                                   .nport = (int)m->ports.n,
                                   .nmember = (int)m->members.n,
                                   .ports = c->ports,
                                   .members = c->members},
                           .nreal = c->nreal > 0 ? c->nreal : 1,
                           .reversible = c->reversible,
                           .graph = &m->cell->graph,
                           .symbols = m->symbols.items,
                           .nsymbol = m->symbols.n};
    c->block = m->failed ? NULL : block_class_create(m->cell->alloc, &info);
    if (!c->block)
        return LIEDER_NO_MEMORY;
    for (size_t i = 0; i < m->assignments.n; i++) {
        const Assignment *a = &m->assignments.items[i];
        block_assign(c->block, a->kind, a->direction, a->place, a->node);
    }
    switch (block_class_finish(c->block)) {
    case TAPE_DONE:
        return LIEDER_DONE;
    case TAPE_NO_MEMORY:
        return LIEDER_NO_MEMORY;
    case TAPE_TOO_LARGE:
        diag_error(m->cell->diag, NULL, NULL,
                   "'%s' is too large for one class: more than 65535 values at a time\n"
                   "divide it into components",
                   m->info->name);
        return LIEDER_BAD_MODEL;
    default:
        diag_error(m->cell->diag, NULL, NULL,
                   "'%s' is not linear in accelerations and forces\n"
                   "write its forces as linear functions of these; positions and velocities may "
                   "enter in any way",
                   m->info->name);
        return LIEDER_BAD_MODEL;
    }
}

static LiederStatus build(ClassMaker *m)
{
    CellClass *c = m->c;
    LiederStatus status = orient(m->cell, c);
    if (status == LIEDER_DONE)
        status = cell_solve_initial(m->cell, &c->plan[0]);
    if (status != LIEDER_DONE)
        return status;
    if (!find_hidden(m) || !add_ports(m) || !add_members(m))
        return LIEDER_NO_MEMORY;
    for (int direction = 0; direction < 1 + c->reversible && status == LIEDER_DONE; direction++) {
        m->direction = direction;
        status = make_direction(m);
    }
    m->direction = 0;
    assign_start(m);
    return m->failed ? LIEDER_NO_MEMORY : status == LIEDER_DONE ? finish(m) : status;
}

static void maker_drop(ClassMaker *m)
{
    const LiederAllocator *alloc = m->cell->alloc;
    vec_drop(alloc, &m->hidden);
    vec_drop(alloc, &m->variable_at);
    vec_drop(alloc, &m->input_port);
    vec_drop(alloc, &m->state_at);
    vec_drop(alloc, &m->derivative_at);
    vec_drop(alloc, &m->residual_at);
    vec_drop(alloc, &m->unknown_at);
    vec_drop(alloc, &m->symbols);
    vec_drop(alloc, &m->members);
    vec_drop(alloc, &m->ports);
    vec_drop(alloc, &m->levels);
    vec_drop(alloc, &m->kept);
    vec_drop(alloc, &m->kept_at);
    vec_drop(alloc, &m->kept_of);
    vec_drop(alloc, &m->assignments);
    vec_drop(alloc, &m->linear);
}

CellClass *cell_class_create(Cell *cell, const CellClassInfo *info, LiederStatus *status)
{
    CellClass *c = memory_zeroed(cell->alloc, sizeof *c);
    *status = LIEDER_NO_MEMORY;
    if (!c)
        return NULL;
    c->alloc = cell->alloc;
    arena_init(&c->arena, cell->alloc);
    ClassMaker m = {.cell = cell, .c = c, .info = info};
    *status = build(&m);
    maker_drop(&m);
    if (*status == LIEDER_DONE)
        return c;
    cell_class_destroy(c);
    return NULL;
}

void cell_class_destroy(CellClass *c)
{
    if (!c)
        return;
    block_class_destroy(c->block);
    plan_drop(&c->plan[0], c->alloc);
    plan_drop(&c->plan[1], c->alloc);
    arena_drop(&c->arena);
    memory_free(c->alloc, c, sizeof *c);
}

LiederStatus cell_class_register(Lieder *session, const CellClass *c)
{
    return block_class_register(session, c->block);
}

const CellPlan *cell_class_plan(const CellClass *c)
{
    return &c->plan[0];
}
