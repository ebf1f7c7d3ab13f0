/* constant.c - variables that equations make numbers.
 *
 * "c = 0" where c is a variable, because parameters that are evaluated leave nothing else: a
 * capacitance that is switched off. Its number is put in wherever the variable occurs, so that
 * c*der(v) is gone before it is asked how often equations have to be differentiated; numbers that
 * follow from it are put in next, and relations between numbers decide: of a vessel without a level
 * the one branch is left in which its ports are open. The variable and its own equation stay.
 */
#include "equation/cell/cell.h"

typedef struct Constants {
    Cell *cell;
    NodeList number;  /* by variable: its constant, or NO_NODE */
    VEC(uint8_t) own; /* by equation: says so of its variable */
} Constants;

/* the variable of an equation variable = number, on any side */
static bool finds_number(Constants *c, Node variable, Node number)
{
    const NodeData *v = node_data(&c->cell->graph, variable),
                   *n = node_data(&c->cell->graph, number);
    if (v->kind != NODE_SYMBOL || n->kind != NODE_CONSTANT || v->symbol == CELL_TIME ||
        symbol_order(v->symbol) > 0)
        return false;
    const CellVariable *x = &c->cell->variables.items[symbol_variable(v->symbol)];
    Node *known = &c->number.items[symbol_variable(v->symbol)];
    if (x->role != CELL_UNKNOWN || *known ||
        (x->type != LIEDER_TYPE_REAL && x->type != LIEDER_TYPE_BOOLEAN))
        return false;
    *known = number;
    return true;
}

static Node constant_symbol(void *user, uint64_t symbol, Node node)
{
    const Constants *c = user;
    Node number = symbol == CELL_TIME ? NO_NODE : c->number.items[symbol_variable(symbol)];
    if (!number)
        return node;
    return symbol_order(symbol) ? node_constant(&c->cell->graph, 0) : number;
}

/* equations that say a number, which have not been seen before; their number */
static size_t find_numbers(Constants *c)
{
    size_t found = 0;
    for (size_t i = 0; i < c->cell->equations.n; i++) {
        const CellEquation *e = &c->cell->equations.items[i];
        if (c->own.items[i] || e->by_time || /* it may move all the same */
            !(finds_number(c, e->left, e->right) || finds_number(c, e->right, e->left)))
            continue;
        c->own.items[i] = 1;
        found++;
    }
    return found;
}

/* relations whose value has become a number; how many have not been seen before */
static size_t decide_relations(Constants *c)
{
    Graph *g = &c->cell->graph;
    GraphPass pass = {.graph = g, .of_symbol = constant_symbol, .user = c};
    size_t found = 0;
    for (size_t i = 0; i < c->cell->events.relations.n && !g->failed; i++) {
        const CellRelation *r = &c->cell->events.relations.items[i];
        Node value = c->number.items[r->variable] ? NO_NODE : replace_symbols(&pass, r->value);
        if (!value || node_data(g, value)->kind != NODE_CONSTANT)
            continue;
        c->number.items[r->variable] = node_constant(g, node_data(g, value)->value < 0);
        found++;
    }
    pass_drop(&pass);
    return found;
}

/* how many symbols an equation has, without those that are numbers */
typedef struct SymbolCount {
    const Constants *c;
    size_t n;
} SymbolCount;

static bool count_symbol(void *user, uint64_t symbol, Node node)
{
    SymbolCount *count = user;
    (void)node;
    count->n += symbol == CELL_TIME || !count->c->number.items[symbol_variable(symbol)];
    return true;
}

static size_t count_symbols(const Constants *c, Node left, Node right)
{
    const Node sides[] = {left, right};
    SymbolCount count = {.c = c};
    if (!graph_symbols(&c->cell->graph, sides, 2, count_symbol, &count))
        c->cell->graph.failed = true;
    return count.n;
}

/* Where something vanishes with the number, or another number follows. Elsewhere the equation stays
 * as it stands, for messages about it. */
static bool is_worth_it(const Constants *c, const CellEquation *e, Node left, Node right)
{
    const NodeData *l = node_data(&c->cell->graph, left), *r = node_data(&c->cell->graph, right);
    bool follows = (l->kind == NODE_SYMBOL && r->kind == NODE_CONSTANT) ||
                   (r->kind == NODE_SYMBOL && l->kind == NODE_CONSTANT);
    size_t now = count_symbols(c, left, right);
    return now > 0 && (follows || now < count_symbols(c, e->left, e->right));
}

/* an actual value may now stand there with the numbers put in */
static void put_in_homotopies(Constants *c, GraphPass *pass)
{
    for (size_t i = 0, n = c->cell->homotopies.n; i < n && !c->cell->graph.failed; i++) {
        CellHomotopy h = c->cell->homotopies.items[i];
        Node actual = replace_symbols(pass, h.actual);
        if (actual != h.actual &&
            !cell_add_homotopy(c->cell, actual, replace_symbols(pass, h.simplified)))
            c->cell->graph.failed = true;
    }
}

/* likewise calls */
static void put_in_calls(Constants *c, GraphPass *pass)
{
    for (size_t i = 0, n = c->cell->calls.n; i < n && !c->cell->graph.failed; i++) {
        CellCall call = c->cell->calls.items[i];
        Node value = replace_symbols(pass, call.value);
        if (value == call.value)
            continue;
        call.value = value;
        call.list = replace_symbols(pass, call.list);
        if (!cell_add_call(c->cell, call))
            c->cell->graph.failed = true;
    }
}

/* variables that are constant replaced by their numbers in all other equations */
static void put_numbers(Constants *c)
{
    GraphPass pass = {.graph = &c->cell->graph, .of_symbol = constant_symbol, .user = c};
    for (size_t i = 0; i < c->cell->equations.n && !c->cell->graph.failed; i++) {
        CellEquation *e = &c->cell->equations.items[i];
        if (c->own.items[i])
            continue;
        Node left = replace_symbols(&pass, e->left), right = replace_symbols(&pass, e->right);
        if (!left || !right || (left == e->left && right == e->right) ||
            !is_worth_it(c, e, left, right))
            continue;
        e->left = left;
        e->right = right;
        e->by_time = e->by_time ? replace_symbols(&pass, e->by_time) : NO_NODE;
    }
    put_in_homotopies(c, &pass);
    put_in_calls(c, &pass);
    pass_drop(&pass);
}

bool cell_put_constants(Cell *cell)
{
    Constants c = {.cell = cell};
    bool good = vec_resize(cell->alloc, &c.number, cell->variables.n + 1) &&
                vec_resize(cell->alloc, &c.own, cell->equations.n + 1);
    while (good && find_numbers(&c) + decide_relations(&c) > 0 && !cell->graph.failed)
        put_numbers(&c);
    vec_drop(cell->alloc, &c.number);
    vec_drop(cell->alloc, &c.own);
    return good && !cell->graph.failed;
}
