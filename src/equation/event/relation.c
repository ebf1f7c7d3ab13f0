/* relation.c - relations of abs, min and max as relations that do not bend.
 *
 * Forces and accelerations at connectors come out of a linear system, so the value of a relation of
 * them has to be linear. abs(f) > limit is f > limit or -f > limit, each of which is:
 *
 *   max(p, q) < 0   is   p < 0 and q < 0        abs(x) is max(x, -x)
 *   min(p, q) < 0   is   p < 0 or  q < 0
 *
 * and the other way round behind a minus sign. The functions may stand inside sums, with numbers as
 * factors, and in the equation of a variable that the relation names: with g = abs(f), g > limit is
 * the same relation. Such definitions are put in; those that do not bend stay.
 */
#include "equation/event/event_work.h"

/* bends in one relation, which becomes 16; how deep and how long they are looked for */
enum { MAX_BENDS = 4, MAX_DEPTH = 100, MAX_LOOKS = 2000 };

typedef enum Bent { BENT_UNKNOWN, BENT_ASKED, BENT_NO, BENT_YES } Bent;

typedef struct Divider {
    Cell *cell;
    NodeList definition; /* by variable: the right side of its equation, or NO_NODE */
    VEC(uint8_t) bent;   /* by variable: does its definition bend? */
    bool failed;
} Divider;

/* ------------------------------------------------------------------ definitions */

static bool is_bend(const NodeData *n)
{
    return n->kind == NODE_CALL && (n->function == FUNCTION_ABS || n->function == FUNCTION_MIN ||
                                    n->function == FUNCTION_MAX);
}

/* the unknown that a node is, or UINT32_MAX */
static uint32_t unknown_of(const Cell *cell, Node node)
{
    const NodeData *n = node_data(&cell->graph, node);
    if (n->kind != NODE_SYMBOL || n->symbol == CELL_TIME || symbol_order(n->symbol))
        return UINT32_MAX;
    uint32_t v = symbol_variable(n->symbol);
    return cell->variables.items[v].role == CELL_UNKNOWN ? v : UINT32_MAX;
}

/* variables that one equation gives explicitly, to look behind them; false: no memory */
static bool list_definitions(Divider *d)
{
    Cell *cell = d->cell;
    if (!vec_resize(cell->alloc, &d->definition, cell->variables.n + 1) ||
        !vec_resize(cell->alloc, &d->bent, cell->variables.n + 1))
        return false;
    for (size_t i = 0; i < cell->equations.n; i++) {
        const CellEquation *e = &cell->equations.items[i];
        for (int side = 0; side < 2; side++) {
            uint32_t v = unknown_of(cell, side ? e->right : e->left);
            if (v != UINT32_MAX && !d->definition.items[v])
                d->definition.items[v] = side ? e->left : e->right;
        }
    }
    return true;
}

static bool bends(Divider *d, Node node);

/* graph_symbols ends where this is false: a definition bends */
static bool is_straight(void *user, uint64_t symbol, Node node)
{
    Divider *d = user;
    uint32_t v = unknown_of(d->cell, node);
    (void)symbol;
    if (v == UINT32_MAX || !d->definition.items[v] || d->bent.items[v] == BENT_ASKED)
        return true;
    if (d->bent.items[v] == BENT_UNKNOWN) {
        d->bent.items[v] = BENT_ASKED;
        bool yes = bends(d, d->definition.items[v]);
        d->bent.items[v] = yes ? BENT_YES : BENT_NO;
    }
    return d->bent.items[v] != BENT_YES;
}

/* is there an abs, min or max in it, or in what it names? */
static bool bends(Divider *d, Node node)
{
    NodeList order = {0};
    bool found = false;
    if (!graph_reach(&d->cell->graph, &node, 1, NULL, &order))
        d->failed = true;
    for (size_t i = 0; i < order.n && !found && !d->failed; i++)
        found = is_bend(node_data(&d->cell->graph, order.items[i]));
    vec_drop(d->cell->alloc, &order);
    return found || !graph_symbols(&d->cell->graph, &node, 1, is_straight, d);
}

static Node put_definition(void *user, uint64_t symbol, Node node)
{
    Divider *d = user;
    uint32_t v = unknown_of(d->cell, node);
    if (is_straight(d, symbol, node) || d->bent.items[v] != BENT_YES)
        return node;
    Node definition = d->definition.items[v];
    d->bent.items[v] = BENT_NO; /* once on the way down: definitions may go round */
    Node result = replace_once(&d->cell->graph, put_definition, d, definition);
    d->bent.items[v] = BENT_YES;
    return result;
}

/* ------------------------------------------------------------------ one relation */

/* the way from the value of a relation down to a bend, and the sign of the bend in the value */
typedef struct BendPath {
    Node nodes[MAX_DEPTH];
    size_t n, looked;
    int sign;
} BendPath;

/* the first bend below a node that enters it with a number as its factor; false: none */
static bool find_bend(const Graph *g, Node node, int sign, BendPath *way)
{
    const NodeData *n = node_data(g, node);
    if (way->n == MAX_DEPTH || ++way->looked > MAX_LOOKS)
        return false;
    way->nodes[way->n++] = node;
    way->sign = sign;
    if (is_bend(n))
        return true;
    bool sum = n->kind == NODE_ADD || n->kind == NODE_SUBTRACT;
    if (n->kind == NODE_NEGATE && find_bend(g, n->a, -sign, way))
        return true;
    if (sum && (find_bend(g, n->a, sign, way) ||
                find_bend(g, n->b, n->kind == NODE_ADD ? sign : -sign, way)))
        return true;
    if (n->kind == NODE_MULTIPLY || n->kind == NODE_DIVIDE) {
        const NodeData *a = node_data(g, n->a), *b = node_data(g, n->b);
        if (b->kind == NODE_CONSTANT && b->value != 0 &&
            find_bend(g, n->a, b->value < 0 ? -sign : sign, way))
            return true;
        if (n->kind == NODE_MULTIPLY && a->kind == NODE_CONSTANT && a->value != 0 &&
            find_bend(g, n->b, a->value < 0 ? -sign : sign, way))
            return true;
    }
    way->n--;
    return false;
}

/* the value with something else in the place of the bend */
static Node without_bend(Graph *g, const BendPath *way, Node by)
{
    for (size_t i = way->n - 1; i-- > 0;) {
        const NodeData n = *node_data(g, way->nodes[i]);
        bool first = n.a == way->nodes[i + 1];
        by = n.kind == NODE_NEGATE
                 ? node_negate(g, by)
                 : node_make(g, n.kind, first ? by : n.a, first ? n.b : by, NO_NODE);
    }
    return by;
}

/* the side of a relation with this value; equal ones are one */
static Node straight_side(Divider *d, Node value, CellRelation like)
{
    Cell *cell = d->cell;
    for (size_t i = 0; i < cell->events.relations.n; i++) {
        const CellRelation *r = &cell->events.relations.items[i];
        if (r->value == value && !r->sides && r->variable != like.variable)
            return cell_variable(cell, r->variable, 0);
    }
    CellRelation r = {.value = value, .place = like.place, .path = like.path};
    r.variable = cell_add_discrete(cell, MEANING_SIDE, cell->variables.items[like.variable].name,
                                   like.place);
    if (r.variable == UINT32_MAX || !vec_push(cell->alloc, &cell->events.relations, r)) {
        d->failed = true;
        return NO_NODE;
    }
    return cell_variable(cell, r.variable, 0);
}

/* "value < 0" by relations that do not bend */
static Node sides_of(Divider *d, Node value, const CellRelation *like, int depth)
{
    Graph *g = &d->cell->graph;
    BendPath way = {0};
    if (d->failed)
        return NO_NODE;
    if (depth == MAX_BENDS || !find_bend(g, value, 1, &way))
        return straight_side(d, value, *like);
    const NodeData n = *node_data(g, way.nodes[way.n - 1]);
    Node p = n.a, q = n.function == FUNCTION_ABS ? node_negate(g, n.a) : n.b;
    bool both = (n.function != FUNCTION_MIN) == (way.sign > 0);
    Node first = sides_of(d, without_bend(g, &way, p), like, depth + 1);
    Node second = sides_of(d, without_bend(g, &way, q), like, depth + 1);
    return node_make(g, both ? NODE_AND : NODE_OR, first, second, NO_NODE);
}

bool cell_divide_relations(Cell *cell)
{
    Divider d = {.cell = cell};
    size_t n = cell->events.relations.n;
    bool good = n == 0 || list_definitions(&d);
    for (size_t i = 0; good && i < n && !d.failed; i++) {
        CellRelation r = cell->events.relations.items[i];
        BendPath way = {0};
        if (!bends(&d, r.value))
            continue;
        Node value = replace_once(&cell->graph, put_definition, &d, r.value);
        if (!value || !find_bend(&cell->graph, value, 1, &way)) {
            good = value != NO_NODE;
            continue;
        }
        r.sides = sides_of(&d, value, &r, 0);
        cell->events.relations.items[i].sides = r.sides;
    }
    vec_drop(cell->alloc, &d.definition);
    vec_drop(cell->alloc, &d.bent);
    return good && !d.failed && !cell->graph.failed;
}
