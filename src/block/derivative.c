/* derivative.c - derivatives and affine parts of expressions.
 *
 * Forward, in one direction, operand before result: (a b)' = a' b + a b', (f(a))' = f_a a' with the
 * partial derivatives of the table of functions. Zero factors vanish when nodes are made, so what
 * does not depend on the direction costs nothing.
 *
 * A derivative that has one rate s alone keeps the form x s: the derivative of a vector that turns,
 * (cos u a - sin u b)' = -(sin u a + cos u b) u', has then its other coordinate as a factor, which
 * is there already.
 */
#include "block/expression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* the partial derivatives by the first and the second argument; y is the call itself. Functions
 * with steps are constant between them; at corners the derivative from above is taken. */
#define DERIVATIVES(X)                                                                             \
    X(ABS, SELECT(LESS(a, NUM(0.0)), NUM(-1.0), NUM(1.0)), NO_NODE)                                \
    X(SIGN, NUM(0.0), NO_NODE)                                                                     \
    X(SQRT, DIV(NUM(0.5), y), NO_NODE)                                                             \
    X(SIN, CALL(COS, a), NO_NODE)                                                                  \
    X(COS, NEG(CALL(SIN, a)), NO_NODE)                                                             \
    X(TAN, ADD(NUM(1.0), MUL(y, y)), NO_NODE)                                                      \
    X(ASIN, DIV(NUM(1.0), CALL(SQRT, SUB(NUM(1.0), MUL(a, a)))), NO_NODE)                          \
    X(ACOS, DIV(NUM(-1.0), CALL(SQRT, SUB(NUM(1.0), MUL(a, a)))), NO_NODE)                         \
    X(ATAN, DIV(NUM(1.0), ADD(NUM(1.0), MUL(a, a))), NO_NODE)                                      \
    X(ATAN2, DIV(b, ADD(MUL(a, a), MUL(b, b))), NEG(DIV(a, ADD(MUL(a, a), MUL(b, b)))))            \
    X(SINH, CALL(COSH, a), NO_NODE)                                                                \
    X(COSH, CALL(SINH, a), NO_NODE)                                                                \
    X(TANH, SUB(NUM(1.0), MUL(y, y)), NO_NODE)                                                     \
    X(EXP, y, NO_NODE)                                                                             \
    X(LOG, DIV(NUM(1.0), a), NO_NODE)                                                              \
    X(LOG10, DIV(NUM(0.43429448190325182765), a), NO_NODE)                                         \
    X(FLOOR, NUM(0.0), NO_NODE)                                                                    \
    X(CEIL, NUM(0.0), NO_NODE)                                                                     \
    X(INTEGER, NUM(0.0), NO_NODE)                                                                  \
    X(DIV, NUM(0.0), NUM(0.0))                                                                     \
    X(MOD, NUM(1.0), NEG(CALL(FLOOR, DIV(a, b))))                                                  \
    X(REM, NUM(1.0), NEG(CALL2(DIV, a, b)))                                                        \
    X(POW, MUL(b, CALL2(POW, a, SUB(b, NUM(1.0)))), MUL(y, CALL(LOG, a)))                          \
    X(MIN, LESS(a, b), SELECT(LESS(a, b), NUM(0.0), NUM(1.0)))                                     \
    X(MAX, LESS(b, a), SELECT(LESS(b, a), NUM(0.0), NUM(1.0)))                                     \
    X(XOR, NUM(0.0), NUM(0.0))                                                                     \
    X(HISTORY_READY, NUM(0.0), NUM(0.0))                                                           \
    X(HISTORY_FROM, NUM(0.0), NUM(0.0))                                                            \
    X(HISTORY_UNTIL, NUM(0.0), NUM(0.0))                                                           \
    X(HISTORY_VALUE, NUM(0.0), CALL2(HISTORY_SLOPE, a, b))                                         \
    X(HISTORY_SLOPE, NUM(0.0), CALL2(HISTORY_CURVE, a, b))                                         \
    X(HISTORY_CURVE, NUM(0.0), NUM(NAN)) /* is not kept: the run ends */

/* the vocabulary of the table */
#define NUM(x)          node_constant(g, x)
#define NEG(x)          node_negate(g, x)
#define ADD(x, y_)      node_add(g, x, y_)
#define SUB(x, y_)      node_subtract(g, x, y_)
#define MUL(x, y_)      node_multiply(g, x, y_)
#define DIV(x, y_)      node_divide(g, x, y_)
#define CALL(id, x)     node_call(g, FUNCTION_##id, x, NO_NODE)
#define CALL2(id, x, z) node_call(g, FUNCTION_##id, x, z)
#define LESS(x, z)      node_make(g, NODE_LESS, x, z, NO_NODE)
#define SELECT(c, x, z) node_select(g, c, x, z)

/* partial derivative of a call `y` = function(a, b) by its first or second argument */
static Node partial_of_call(Graph *g, Node y, int which)
{
    NodeData call = *node_data(g, y);
    Node a = call.a, b = call.b;
    (void)a;
    (void)b;
    switch ((Function)call.function) {
#define PARTIAL(id, by_a, by_b)                                                                    \
    case FUNCTION_##id:                                                                            \
        return which == 0 ? (by_a) : (by_b);
        DERIVATIVES(PARTIAL)
    default:
        return NO_NODE;
    }
}

static Node derivative_of_call(Graph *g, Node y, Node da, Node db)
{
    Node sum = node_constant(g, 0);
    if (!node_is_constant(g, da, 0))
        sum = node_multiply(g, partial_of_call(g, y, 0), da);
    if (db && !node_is_constant(g, db, 0))
        sum = node_add(g, sum, node_multiply(g, partial_of_call(g, y, 1), db));
    return sum;
}

/* (a / b)' = (a' - (a / b) b') / b */
static Node derivative_of_quotient(Graph *g, Node y, Node b, Node da, Node db)
{
    return DIV(SUB(da, MUL(y, db)), b);
}

/* x s or -x s with a symbol s */
typedef struct Rate {
    Node x, s;
    bool minus;
} Rate;

static bool is_rate(const Graph *g, Node node, Rate *rate)
{
    const NodeData *n = node_data(g, node);
    rate->minus = n->kind == NODE_NEGATE;
    if (rate->minus)
        n = node_data(g, n->a);
    *rate = (Rate){n->a, n->b, rate->minus};
    return n->kind == NODE_MULTIPLY && node_data(g, n->b)->kind == NODE_SYMBOL;
}

static Node rate_node(Graph *g, Rate r)
{
    Node product = MUL(r.x, r.s);
    return r.minus ? NEG(product) : product;
}

/* (a b)' */
static Node derivative_of_product(Graph *g, const NodeData *n, Node da, Node db)
{
    Rate r;
    if (db == g->zero && is_rate(g, da, &r)) {
        r.x = MUL(r.x, n->b);
        return rate_node(g, r);
    }
    if (da == g->zero && is_rate(g, db, &r)) {
        r.x = MUL(n->a, r.x);
        return rate_node(g, r);
    }
    return da == g->zero ? MUL(n->a, db) : ADD(MUL(da, n->b), MUL(n->a, db));
}

static Node derivative_of_sum(Graph *g, NodeKind kind, Node da, Node db)
{
    Rate a, b;
    if (!is_rate(g, da, &a) || !is_rate(g, db, &b) || a.s != b.s)
        return kind == NODE_ADD ? ADD(da, db) : SUB(da, db);
    bool minus = b.minus != (kind == NODE_SUBTRACT);
    if (a.minus == minus)
        a.x = ADD(a.x, b.x);
    else
        a.x = SUB(a.x, b.x);
    return rate_node(g, a);
}

Node derivative_term(Graph *g, Node sum, Node factor, Node rate)
{
    Rate r;
    Node term;
    if (is_rate(g, rate, &r)) {
        r.x = MUL(factor, r.x);
        term = rate_node(g, r);
    } else {
        term = MUL(factor, rate);
    }
    return sum == g->zero ? term : derivative_of_sum(g, NODE_ADD, sum, term);
}

static bool list_is_zero(const Graph *g, Node list)
{
    for (; list; list = node_data(g, list)->b)
        if (node_data(g, list)->a != g->zero)
            return false;
    return true;
}

/* the derivative of a node, from those of its operands, which the pass has made before */
static Node derivative_of(GraphPass *pass, Node node, const Node *done)
{
    Graph *g = pass->graph;
    NodeData n = *node_data(g, node);
    Node da = n.a ? done[n.a] : NO_NODE, db = n.b ? done[n.b] : NO_NODE,
         dc = n.c ? done[n.c] : NO_NODE, of;
    if (n.kind >= NODE_NEGATE && n.kind <= NODE_CALL && da == g->zero && (!db || db == g->zero) &&
        (!dc || dc == g->zero))
        return g->zero; /* most nodes do not depend on the direction */
    switch ((NodeKind)n.kind) {
    case NODE_SYMBOL:
        of = pass->of_symbol(pass->user, n.symbol, node);
        return of ? of : NUM(0.0);
    case NODE_NEGATE:
        return NEG(da);
    case NODE_ADD:
    case NODE_SUBTRACT:
        return derivative_of_sum(g, n.kind, da, db);
    case NODE_MULTIPLY:
        return derivative_of_product(g, &n, da, db);
    case NODE_DIVIDE:
        return derivative_of_quotient(g, node, n.b, da, db);
    case NODE_FUSED:
        return ADD(ADD(MUL(da, n.b), MUL(n.a, db)), dc);
    case NODE_SELECT:
        return SELECT(n.a, db, dc);
    case NODE_CALL:
        return derivative_of_call(g, node, da, db);
    case NODE_LIST: /* the list of the derivatives */
        return node_make(g, NODE_LIST, da, db, NO_NODE);
    case NODE_SYSTEM:
        return node_called(g, node) ? node : system_derivative(g, node, da, dc);
    case NODE_PART: /* a constant zero stays one; the status of a system is not differentiated */
        if (node_called(g, n.a))
            return called_derivative(pass, node, done[node_data(g, n.a)->a]);
        return node_make(g, NODE_PART, da, n.b, NO_NODE);
    case NODE_OWN_DERIVATIVE: /* zero where no input moves */
        return pass->by_time && g->own_derivative && !list_is_zero(g, db)
                   ? g->own_derivative(g->function_user, (uint32_t)node_data(g, n.c)->value, n.b,
                                       db, da)
                   : da;
    default:
        return NUM(0.0); /* constants, and what only jumps */
    }
}

Node differentiate(GraphPass *pass, Node node)
{
    return pass_run(pass, node, derivative_of);
}

/* ------------------------------------------------------------------ partial derivatives */

typedef struct PartialSymbol {
    Graph *graph;
    uint64_t symbol;
} PartialSymbol;

static Node one_for_symbol(void *user, uint64_t symbol, Node node)
{
    PartialSymbol *direction = user;
    (void)node;
    return symbol == direction->symbol ? node_constant(direction->graph, 1) : NO_NODE;
}

Node node_partial(Graph *graph, Node node, uint64_t symbol)
{
    PartialSymbol direction = {graph, symbol};
    return pass_once(graph, one_for_symbol, &direction, node, derivative_of);
}

/* ------------------------------------------------------------------ affine parts */

static int symbol_order_of(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* All nodes below a settled node are settled, so a settled node depends on settled symbols alone.
 * If one of the symbols is settled, nothing is settled any more. */
static void forget_settled(const Graph *graph, NodeList *settled, const uint64_t *symbols, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        Node node = graph_find_symbol(graph, symbols[k]);
        if (node && settled->items[node]) {
            memset(settled->items, 0, settled->n * sizeof *settled->items);
            return;
        }
    }
}

bool graph_free_begin(Graph *graph, const Node *nodes, size_t n, const uint64_t *symbols,
                      size_t nsymbol, bool keep, FreeNodes *to)
{
    VEC(uint64_t) sorted = {0};
    NodeList *list = keep ? &graph->settled : &graph->free_;
    *to = (FreeNodes){.of_node = *list, .keep = keep};
    *list = (NodeList){0};
    bool good = vec_resize(graph->alloc, &sorted, nsymbol) &&
                vec_resize(graph->alloc, &to->of_node, graph->nodes.n);
    if (good && keep)
        forget_settled(graph, &to->of_node, symbols, nsymbol);
    good = good && graph_reach(graph, nodes, n, to->of_node.items, &to->order);
    for (size_t k = 0; good && k < nsymbol; k++)
        sorted.items[k] = symbols[k];
    if (good && nsymbol)
        qsort(sorted.items, nsymbol, sizeof *sorted.items, symbol_order_of);
    for (size_t i = 0; good && i < to->order.n; i++) {
        Node k = to->order.items[i], *f = to->of_node.items;
        const NodeData *d = node_data(graph, k);
        bool member =
            d->kind == NODE_SYMBOL && nsymbol &&
            bsearch(&d->symbol, sorted.items, nsymbol, sizeof *sorted.items, symbol_order_of);
        bool depends = member || (d->a && !f[d->a]) || (d->b && !f[d->b]) || (d->c && !f[d->c]);
        f[k] = depends ? NO_NODE : k;
    }
    vec_drop(graph->alloc, &sorted);
    return good;
}

void graph_free_end(Graph *graph, FreeNodes *nodes)
{
    NodeList *list = nodes->keep ? &graph->settled : &graph->free_;
    for (size_t i = 0; i < nodes->order.n && !nodes->keep; i++)
        if (nodes->order.items[i] < nodes->of_node.n)
            nodes->of_node.items[nodes->order.items[i]] = NO_NODE;
    vec_drop(graph->alloc, &nodes->order);
    vec_drop(graph->alloc, list);
    *list = nodes->of_node;
    nodes->of_node = (NodeList){0};
}

/* the nodes below one that depend on the symbols, operands first, and results of a pass over them
 */
typedef struct Affine {
    Graph *graph;
    NodeList *free_; /* see FreeNodes */
    NodeList order, done;
    uint64_t symbol; /* the direction, or none */
} Affine;

/* Do the symbols stand in a condition or in the argument of a function? Then the node is not affine
 * in them, even where all derivatives are constant (a step). */
static bool jumps_with(Affine *a)
{
    enum { BELOW = 1, INSIDE = 2 }; /* reached; reached through a condition or an argument */
    const Graph *g = a->graph;
    bool jumps = false;
    Node *state = a->done.items;
    for (size_t i = a->order.n; i-- > 0;) {
        Node k = a->order.items[i];
        const NodeData *n = node_data(g, k);
        bool closed = (n->kind >= NODE_LESS && n->kind <= NODE_OR) || n->kind == NODE_CALL ||
                      (n->kind == NODE_SYSTEM && !g->systems.items[system_number(g, k)].linear);
        Node down = closed ? INSIDE : state[k] ? state[k] : BELOW;
        jumps |= n->kind == NODE_SYMBOL && state[k] == INSIDE;
        const Node operand[] = {n->a, n->b, n->c};
        for (int m = 0; m < 3; m++) {
            Node to = n->kind == NODE_SELECT && m == 0 ? (Node)INSIDE : down;
            if (operand[m] && !a->free_->items[operand[m]] && state[operand[m]] < to)
                state[operand[m]] = to;
        }
    }
    for (size_t i = 0; i < a->order.n; i++)
        state[a->order.items[i]] = NO_NODE;
    return jumps;
}

static Node one_for_direction(void *user, uint64_t symbol, Node node)
{
    const Affine *a = user;
    (void)node;
    return symbol == a->symbol ? node_constant(a->graph, 1) : NO_NODE;
}

static Node zero_for_members(void *user, uint64_t symbol, Node node)
{
    const Affine *a = user;
    (void)symbol;
    (void)node;
    return node_constant(a->graph, 0);
}

/* the derivative of a free node: zero, of a list as many zeros as it has items */
static Node free_or_list(Graph *g, Node node, Node zero)
{
    size_t n = 0;
    for (; node && node_data(g, node)->kind == NODE_LIST; node = node_data(g, node)->b)
        n++;
    Node list = n ? NO_NODE : zero;
    while (n--)
        list = node_make(g, NODE_LIST, zero, list, NO_NODE);
    return list;
}

/* A pass over the nodes that depend on the symbols; free nodes are replaced by `free_node`, or by
 * themselves if it is NO_NODE. */
static Node affine_pass(Affine *a, SymbolNode *of_symbol, GraphStep *step, Node free_node)
{
    Graph *g = a->graph;
    GraphPass pass = {.graph = g, .of_symbol = of_symbol, .user = a};
    Node *done = a->done.items, result = NO_NODE;
    for (size_t i = 0; i < a->order.n && !g->failed; i++) {
        const NodeData *d = node_data(g, a->order.items[i]);
        const Node operand[] = {d->a, d->b, d->c};
        for (int m = 0; m < 3; m++)
            if (operand[m] && a->free_->items[operand[m]])
                done[operand[m]] = !free_node ? operand[m] : free_or_list(g, operand[m], free_node);
        result = done[a->order.items[i]] = step(&pass, a->order.items[i], done);
    }
    for (size_t i = 0; i < a->order.n; i++) {
        const NodeData *d = node_data(g, a->order.items[i]);
        done[d->a] = done[d->b] = done[d->c] = done[a->order.items[i]] = NO_NODE;
    }
    return g->failed ? NO_NODE : result;
}

/* does one of the nodes depend on the symbols? 1, 0, or -1 when memory ran out */
static int any_depends(Affine *a, const Node *nodes, size_t n, const uint64_t *symbols,
                       size_t nsymbol)
{
    Graph *g = a->graph;
    NodeList order = {0};
    int found = vec_resize(g->alloc, a->free_, g->nodes.n) &&
                        graph_reach(g, nodes, n, a->free_->items, &order)
                    ? 0
                    : -1;
    for (size_t i = 0; found == 0 && i < order.n; i++) {
        const NodeData *d = node_data(g, order.items[i]);
        for (size_t k = 0; d->kind == NODE_SYMBOL && k < nsymbol; k++)
            found |= d->symbol == symbols[k];
    }
    vec_drop(g->alloc, &order);
    return found;
}

int node_affine_among(Graph *graph, Node node, NodeList *free_, const uint64_t *symbols, size_t n,
                      Node *coefficients, Node *rest)
{
    Affine a = {.graph = graph, .free_ = free_};
    if (graph->failed || !node)
        return -1;
    const Node zero = node_constant(graph, 0);
    int affine = vec_resize(graph->alloc, free_, graph->nodes.n) &&
                         vec_resize(graph->alloc, &graph->scratch, graph->nodes.n) &&
                         graph_reach(graph, &node, 1, free_->items, &a.order)
                     ? 1
                     : -1;
    /* results of a walk; a step may begin a pass of its own, which needs a place of its own */
    a.done = graph->scratch;
    graph->scratch = (NodeList){0};
    for (size_t k = 0; k < n; k++)
        coefficients[k] = zero;
    if (affine == 1 && jumps_with(&a))
        affine = 0;
    for (size_t i = 0; affine == 1 && i < a.order.n; i++) {
        const NodeData *d = node_data(graph, a.order.items[i]);
        for (size_t k = 0; d->kind == NODE_SYMBOL && k < n; k++)
            if (symbols[k] == d->symbol) {
                a.symbol = d->symbol;
                coefficients[k] = affine_pass(&a, one_for_direction, derivative_of, zero);
                break;
            }
    }
    if (affine == 1)
        *rest = a.order.n ? affine_pass(&a, zero_for_members, node_replaced, NO_NODE) : node;
    if (affine == 1) {
        int depends = any_depends(&a, coefficients, n, symbols, n);
        affine = depends < 0 ? -1 : !depends;
    }
    vec_drop(graph->alloc, &a.order);
    vec_drop(graph->alloc, &graph->scratch);
    graph->scratch = a.done;
    return graph->failed ? -1 : affine;
}

int node_affine(Graph *graph, Node node, const uint64_t *symbols, size_t n, Node *coefficients,
                Node *rest)
{
    FreeNodes free_;
    if (graph->failed || !node)
        return -1;
    int affine =
        graph_free_begin(graph, &node, 1, symbols, n, false, &free_)
            ? node_affine_among(graph, node, &free_.of_node, symbols, n, coefficients, rest)
            : -1;
    graph_free_end(graph, &free_);
    return affine;
}
