/* expression.c - making nodes, and walks over the graph. Walks keep a stack of their own and cost
 * what they reach, not the size of the graph. */
#include "block/expression.h"

#include <math.h>
#include <string.h>

#include "base/intern.h"

void graph_init(Graph *graph, const LiederAllocator *alloc)
{
    *graph = (Graph){.alloc = alloc};
    if (!vec_push(alloc, &graph->nodes, (NodeData){0}))
        graph->failed = true;
}

void graph_drop(Graph *graph)
{
    for (size_t i = 0; i < graph->systems.n; i++)
        graph_system_drop(graph, &graph->systems.items[i]);
    vec_drop(graph->alloc, &graph->systems);
    vec_drop(graph->alloc, &graph->nodes);
    vec_drop(graph->alloc, &graph->mark);
    vec_drop(graph->alloc, &graph->scratch);
    vec_drop(graph->alloc, &graph->free_);
    vec_drop(graph->alloc, &graph->settled);
    memory_free(graph->alloc, graph->table, graph->ntable * sizeof *graph->table);
    *graph = (Graph){.alloc = graph->alloc};
}

int node_operands(NodeKind kind)
{
    static const uint8_t count[] = {
        [NODE_NEGATE] = 1, [NODE_ADD] = 2,           [NODE_SUBTRACT] = 2, [NODE_MULTIPLY] = 2,
        [NODE_DIVIDE] = 2, [NODE_FUSED] = 3,         [NODE_LESS] = 2,     [NODE_LESS_EQUAL] = 2,
        [NODE_EQUAL] = 2,  [NODE_NOT] = 1,           [NODE_AND] = 2,      [NODE_OR] = 2,
        [NODE_SELECT] = 3, [NODE_CALL] = 2,          [NODE_LIST] = 1,     [NODE_SYSTEM] = 2,
        [NODE_PART] = 2,   [NODE_OWN_DERIVATIVE] = 3};
    return count[kind];
}

/* ------------------------------------------------------------------ the table of nodes */

static uint64_t node_hash(const NodeData *n)
{
    /* field by field: the struct has gaps */
    uint64_t parts[3] = {(uint64_t)n->kind << 8 | n->function | (uint64_t)n->a << 32,
                         (uint64_t)n->b << 32 | n->c, n->symbol};
    uint64_t hash = HASH_SEED;
    for (int k = 0; k < 3; k++) {
        hash = (hash ^ parts[k]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static bool node_same(const NodeData *x, const NodeData *y)
{
    return x->kind == y->kind && x->function == y->function && x->a == y->a && x->b == y->b &&
           x->c == y->c && x->symbol == y->symbol;
}

/* doubles the table of nodes by content; false: no memory */
static bool table_grow(Graph *g)
{
    size_t n = g->ntable ? 2 * g->ntable : 256;
    Node *table = memory_zeroed(g->alloc, n * sizeof *table);
    if (!table)
        return false;
    for (size_t i = 1; i < g->nodes.n; i++) {
        size_t at = node_hash(&g->nodes.items[i]) & (n - 1);
        while (table[at])
            at = (at + 1) & (n - 1);
        table[at] = (Node)i;
    }
    memory_free(g->alloc, g->table, g->ntable * sizeof *g->table);
    g->table = table;
    g->ntable = n;
    return true;
}

/* the node with this content, a new one if there is none: equal expressions are one node */
static Node node_intern(Graph *g, NodeData n)
{
    enum { FOUND = 1, MADE = 4 }; /* effort */
    g->effort += FOUND;
    if (g->max_effort && g->effort > g->max_effort)
        g->failed = g->exhausted = true;
    if (g->failed)
        return NO_NODE;
    if (2 * (g->nodes.n + 1) > g->ntable && !table_grow(g)) {
        g->failed = true;
        return NO_NODE;
    }
    size_t at = node_hash(&n) & (g->ntable - 1);
    for (; g->table[at]; at = (at + 1) & (g->ntable - 1))
        if (node_same(&g->nodes.items[g->table[at]], &n))
            return g->table[at];
    if (g->nodes.n == UINT32_MAX || !vec_push(g->alloc, &g->nodes, n)) {
        g->failed = true;
        return NO_NODE;
    }
    g->effort += MADE;
    return g->table[at] = (Node)(g->nodes.n - 1);
}

Node node_constant(Graph *graph, double value)
{
    if (value != 0)
        return node_intern(graph, (NodeData){.kind = NODE_CONSTANT, .value = value});
    if (!graph->zero) /* one zero: blocks know no sign of it */
        graph->zero = node_intern(graph, (NodeData){.kind = NODE_CONSTANT});
    return graph->failed ? NO_NODE : graph->zero;
}

Node node_symbol(Graph *graph, uint64_t symbol)
{
    return node_intern(graph, (NodeData){.kind = NODE_SYMBOL, .symbol = symbol});
}

Node graph_find_symbol(const Graph *graph, uint64_t symbol)
{
    const NodeData n = {.kind = NODE_SYMBOL, .symbol = symbol};
    size_t at = graph->ntable ? node_hash(&n) & (graph->ntable - 1) : 0;
    while (graph->ntable && graph->table[at] &&
           !node_same(&graph->nodes.items[graph->table[at]], &n))
        at = (at + 1) & (graph->ntable - 1);
    return graph->ntable ? graph->table[at] : NO_NODE;
}

/* ------------------------------------------------------------------ operations on numbers */

/* the number that an operation gives */
static double operate(NodeKind kind, double a, double b, double c)
{
    switch (kind) {
    case NODE_NEGATE:
        return -a;
    case NODE_ADD:
        return a + b;
    case NODE_SUBTRACT:
        return a - b;
    case NODE_MULTIPLY:
        return a * b;
    case NODE_DIVIDE:
        return a / b;
    case NODE_FUSED:
        return fma(a, b, c);
    case NODE_LESS:
        return a < b;
    case NODE_LESS_EQUAL:
        return a <= b;
    case NODE_EQUAL:
        return a == b;
    case NODE_NOT:
        return a == 0;
    case NODE_AND:
        return a != 0 && b != 0;
    case NODE_OR:
        return a != 0 || b != 0;
    default:
        return a != 0 ? b : c;
    }
}

static bool all_constant(const Graph *g, Node a, Node b, Node c)
{
    const Node operand[] = {a, b, c};
    for (int i = 0; i < 3; i++)
        if (operand[i] && node_data(g, operand[i])->kind != NODE_CONSTANT)
            return false;
    return true;
}

static double number_of(const Graph *g, Node node)
{
    return node ? node_data(g, node)->value : 0;
}

/* ------------------------------------------------------------------ rewriting */

/* the operand of a negation, or NO_NODE */
static Node negated(const Graph *g, Node node)
{
    const NodeData *n = node_data(g, node);
    return n->kind == NODE_NEGATE ? n->a : NO_NODE;
}

/* sums with zeros and negated terms */
static Node simplify_sum(Graph *g, NodeKind kind, Node a, Node b)
{
    if (node_is_constant(g, b, 0))
        return a;
    if (node_is_constant(g, a, 0))
        return kind == NODE_ADD ? b : node_negate(g, b);
    if (negated(g, b))
        return node_make(g, kind == NODE_ADD ? NODE_SUBTRACT : NODE_ADD, a, negated(g, b), NO_NODE);
    if (kind == NODE_ADD && negated(g, a))
        return node_subtract(g, b, negated(g, a));
    if (kind == NODE_SUBTRACT && a == b)
        return node_constant(g, 0);
    return node_intern(g, (NodeData){.kind = (uint8_t)kind, .a = a, .b = b});
}

/* products and quotients with zeros, ones and negated factors */
static Node simplify_product(Graph *g, NodeKind kind, Node a, Node b)
{
    if (node_is_constant(g, a, 0) || (kind == NODE_MULTIPLY && node_is_constant(g, b, 0)))
        return node_constant(g, 0);
    if (node_is_constant(g, b, 1))
        return a;
    if (node_is_constant(g, b, -1))
        return node_negate(g, a);
    if (kind == NODE_MULTIPLY && node_is_constant(g, a, 1))
        return b;
    if (kind == NODE_MULTIPLY && node_is_constant(g, a, -1))
        return node_negate(g, b);
    if (negated(g, a))
        return node_negate(g, node_make(g, kind, negated(g, a), b, NO_NODE));
    if (negated(g, b))
        return node_negate(g, node_make(g, kind, a, negated(g, b), NO_NODE));
    return node_intern(g, (NodeData){.kind = (uint8_t)kind, .a = a, .b = b});
}

static Node simplify_logic(Graph *g, NodeKind kind, Node a, Node b)
{
    double absorbs = kind == NODE_OR; /* false and x, true or x */
    if (node_is_constant(g, a, absorbs) || node_is_constant(g, b, absorbs))
        return node_constant(g, absorbs);
    if (a == b || node_data(g, b)->kind == NODE_CONSTANT)
        return a;
    if (node_data(g, a)->kind == NODE_CONSTANT)
        return b;
    return node_intern(g, (NodeData){.kind = (uint8_t)kind, .a = a, .b = b});
}

static Node simplify_select(Graph *g, Node condition, Node a, Node b)
{
    const NodeData *n = node_data(g, condition);
    if (n->kind == NODE_CONSTANT)
        return n->value != 0 ? a : b;
    if (a == b)
        return a;
    if (n->kind == NODE_NOT)
        return node_select(g, n->a, b, a);
    return node_intern(g, (NodeData){.kind = NODE_SELECT, .a = condition, .b = a, .c = b});
}

/* a product that is exact is rounded with the sum alone */
static Node simplify_fused(Graph *g, Node a, Node b, Node c)
{
    if (node_is_constant(g, a, 0) || node_is_constant(g, b, 0))
        return c;
    if (node_is_constant(g, c, 0))
        return node_multiply(g, a, b);
    if (node_is_constant(g, a, 1) || node_is_constant(g, b, 1) || node_is_constant(g, a, -1) ||
        node_is_constant(g, b, -1))
        return node_add(g, node_multiply(g, a, b), c);
    return node_intern(g, (NodeData){.kind = NODE_FUSED, .a = a, .b = b, .c = c});
}

static bool list_is_constant(const Graph *g, Node list)
{
    for (; list; list = node_data(g, list)->b)
        if (node_data(g, node_data(g, list)->a)->kind != NODE_CONSTANT)
            return false;
    return true;
}

Node node_make(Graph *graph, NodeKind kind, Node a, Node b, Node c)
{
    int n = node_operands(kind);
    if (graph->failed || !a || (n > 1 && !b) || (n > 2 && !c))
        return NO_NODE;
    graph->has_own_derivatives |= kind == NODE_OWN_DERIVATIVE;
    bool number = kind >= NODE_PART && node_data(graph, a)->kind == NODE_CONSTANT;
    if (number && (kind == NODE_PART || list_is_constant(graph, b)))
        return a;
    if (kind == NODE_PART && node_called(graph, a) &&
        list_is_constant(graph, node_data(graph, a)->a))
        return called_constant(graph, a, b);
    if (kind >= NODE_LIST)
        return node_intern(graph, (NodeData){.kind = (uint8_t)kind, .a = a, .b = b, .c = c});
    if (all_constant(graph, a, b, c))
        return node_constant(
            graph, operate(kind, number_of(graph, a), number_of(graph, b), number_of(graph, c)));
    switch (kind) {
    case NODE_NEGATE:
        if (negated(graph, a))
            return negated(graph, a);
        break;
    case NODE_ADD:
    case NODE_SUBTRACT:
        return simplify_sum(graph, kind, a, b);
    case NODE_MULTIPLY:
    case NODE_DIVIDE:
        return simplify_product(graph, kind, a, b);
    case NODE_NOT:
        if (node_data(graph, a)->kind == NODE_NOT)
            return node_data(graph, a)->a;
        break;
    case NODE_AND:
    case NODE_OR:
        return simplify_logic(graph, kind, a, b);
    case NODE_SELECT:
        return simplify_select(graph, a, b, c);
    case NODE_FUSED:
        return simplify_fused(graph, a, b, c);
    default:
        break;
    }
    return node_intern(graph, (NodeData){.kind = (uint8_t)kind, .a = a, .b = b, .c = c});
}

Node node_call(Graph *graph, Function function, Node a, Node b)
{
    int n = function_table[function].arity;
    if (graph->failed || !a || (n > 1 && !b))
        return NO_NODE;
    if (n < 2)
        b = NO_NODE;
    if (all_constant(graph, a, b, NO_NODE))
        return node_constant(graph,
                             function_value(function, number_of(graph, a), number_of(graph, b)));
    if (function == FUNCTION_POW && node_is_constant(graph, b, 2))
        return node_multiply(graph, a, a);
    if (function == FUNCTION_POW && node_is_constant(graph, b, 1))
        return a;
    if (function == FUNCTION_ABS && node_data(graph, a)->kind == NODE_NEGATE)
        a = node_data(graph, a)->a;
    if (function == FUNCTION_HISTORY_READY && node_is_constant(graph, a, 0))
        return a; /* there is none */
    return node_intern(
        graph, (NodeData){.kind = NODE_CALL, .function = (uint8_t)function, .a = a, .b = b});
}

/* ------------------------------------------------------------------ walks */

/* the next operand of a node that the walk has to reach first, or NO_NODE */
static Node open_operand(const Graph *g, Node node, const Node *done)
{
    const NodeData *d = node_data(g, node);
    const Node operand[] = {d->a, d->b, d->c};
    for (int i = 0; i < 3; i++)
        if (operand[i] && g->mark.items[operand[i]] != g->walk && !(done && done[operand[i]]))
            return operand[i];
    return NO_NODE;
}

bool graph_reach(Graph *graph, const Node *nodes, size_t n, const Node *done, NodeList *order)
{
    NodeList stack = {0};
    if (graph->failed || !vec_resize(graph->alloc, &graph->mark, graph->nodes.n))
        return false;
    graph->walk++;
    bool good = true;
    for (size_t i = 0; good && i < n; i++) {
        if (!nodes[i] || graph->mark.items[nodes[i]] == graph->walk || (done && done[nodes[i]]))
            continue;
        good = vec_push(graph->alloc, &stack, nodes[i]);
        while (good && stack.n) {
            Node top = stack.items[stack.n - 1], next = open_operand(graph, top, done);
            if (next) {
                good = vec_push(graph->alloc, &stack, next);
                continue;
            }
            stack.n--;
            /* a node may be on the stack once only: its users wait for it */
            graph->mark.items[top] = graph->walk;
            good = vec_push(graph->alloc, order, top);
        }
    }
    vec_drop(graph->alloc, &stack);
    return good;
}

/* visits the symbols below nodes, but not below those that are done */
static bool visit_symbols(Graph *graph, const Node *nodes, size_t n, const Node *done,
                          SymbolVisit *visit, void *user)
{
    NodeList order = {0};
    bool good = graph_reach(graph, nodes, n, done, &order);
    for (size_t i = 0; good && i < order.n; i++)
        if (node_data(graph, order.items[i])->kind == NODE_SYMBOL)
            good = visit(user, node_data(graph, order.items[i])->symbol, order.items[i]);
    vec_drop(graph->alloc, &order);
    return good;
}

bool graph_symbols(Graph *graph, const Node *nodes, size_t n, SymbolVisit *visit, void *user)
{
    return visit_symbols(graph, nodes, n, NULL, visit, user);
}

bool graph_symbols_among(Graph *graph, Node node, NodeList *free_, SymbolVisit *visit, void *user)
{
    return vec_resize(graph->alloc, free_, graph->nodes.n) &&
           visit_symbols(graph, &node, 1, free_->items, visit, user);
}

Node node_replaced(GraphPass *pass, Node node, const Node *done)
{
    NodeData d = *node_data(pass->graph, node); /* a copy: the array grows */
    if (d.kind == NODE_CONSTANT)
        return node;
    if (d.kind == NODE_SYMBOL)
        return pass->of_symbol ? pass->of_symbol(pass->user, d.symbol, node) : node;
    Node a = done[d.a], b = d.b ? done[d.b] : NO_NODE, c = d.c ? done[d.c] : NO_NODE;
    return d.kind == NODE_CALL ? node_call(pass->graph, d.function, a, b)
                               : node_make(pass->graph, d.kind, a, b, c);
}

Node replace_symbols(GraphPass *pass, Node node)
{
    return pass_run(pass, node, node_replaced);
}

/* own derivatives are left out */
static Node plain_step(GraphPass *pass, Node node, const Node *done)
{
    const NodeData *d = node_data(pass->graph, node);
    return d->kind == NODE_OWN_DERIVATIVE ? done[d->a] : node_replaced(pass, node, done);
}

Node node_plain(GraphPass *pass, Node node)
{
    return pass->graph->has_own_derivatives ? pass_run(pass, node, plain_step) : node;
}

Node pass_run(GraphPass *pass, Node node, GraphStep *step)
{
    Graph *g = pass->graph;
    NodeList order = {0};
    if (g->failed || !node)
        return NO_NODE;
    if (!vec_resize(g->alloc, &pass->done, g->nodes.n) ||
        !graph_reach(g, &node, 1, pass->done.items, &order))
        g->failed = true;
    for (size_t i = 0; i < order.n && !g->failed; i++) {
        Node k = order.items[i];
        pass->done.items[k] = step(pass, k, pass->done.items);
    }
    vec_drop(g->alloc, &order);
    return g->failed ? NO_NODE : pass->done.items[node];
}

void pass_drop(GraphPass *pass)
{
    vec_drop(pass->graph->alloc, &pass->done);
}

/* a pass for one node alone, with the graph's own list of results */
Node pass_once(Graph *graph, SymbolNode *of_symbol, void *user, Node node, GraphStep *step)
{
    NodeList order = {0};
    if (graph->failed || !node)
        return NO_NODE;
    if (!vec_resize(graph->alloc, &graph->scratch, graph->nodes.n) ||
        !graph_reach(graph, &node, 1, NULL, &order))
        graph->failed = true;
    GraphPass pass = {.graph = graph, .of_symbol = of_symbol, .user = user};
    /* a step may begin a pass of its own, which needs a place of its own */
    NodeList own = graph->scratch;
    graph->scratch = (NodeList){0};
    Node *done = own.items, result = NO_NODE;
    for (size_t i = 0; i < order.n && !graph->failed; i++)
        result = done[order.items[i]] = step(&pass, order.items[i], done);
    for (size_t i = 0; i < order.n && done; i++)
        done[order.items[i]] = NO_NODE;
    vec_drop(graph->alloc, &graph->scratch);
    graph->scratch = own;
    vec_drop(graph->alloc, &order);
    return graph->failed ? NO_NODE : result;
}

Node replace_once(Graph *graph, SymbolNode *of_symbol, void *user, Node node)
{
    return pass_once(graph, of_symbol, user, node, node_replaced);
}

/* the measure of a node, from those of its operands */
static Node magnitude_step(GraphPass *pass, Node node, const Node *done)
{
    Graph *g = pass->graph;
    const Magnitude *measure = pass->user;
    const NodeData n = *node_data(g, node);
    switch ((NodeKind)n.kind) {
    case NODE_NEGATE:
    case NODE_OWN_DERIVATIVE:
        return done[n.a];
    case NODE_ADD:
    case NODE_SUBTRACT:
        return node_add(g, done[n.a], done[n.b]);
    case NODE_MULTIPLY:
        return node_multiply(g, done[n.a], done[n.b]);
    case NODE_DIVIDE:
        return node_divide(g, done[n.a], measure->of(g, n.b));
    case NODE_FUSED:
        return node_add(g, node_multiply(g, done[n.a], done[n.b]), done[n.c]);
    case NODE_SELECT:
        return node_select(g, n.a, done[n.b], done[n.c]);
    case NODE_CALL:
        return measure->of_call(g, node, &n, done);
    case NODE_LIST:
    case NODE_SYSTEM:
        return node;
    case NODE_CONSTANT:
    case NODE_SYMBOL:
    case NODE_PART:
        return measure->of(g, node);
    default:
        return node_constant(g, 1); /* a relation */
    }
}

Node node_magnitude(Graph *graph, Node node, const Magnitude *measure)
{
    return pass_once(graph, NULL, (void *)measure, node, magnitude_step);
}

/* a part of a call has its number among those of all results; systems are solved where tapes run */
static double list_number(Graph *g, Node node, double *x, CallNumbers *results)
{
    const NodeData *d = node_data(g, node);
    if (d->kind == NODE_OWN_DERIVATIVE)
        return x[d->a];
    if (d->kind == NODE_LIST || !node_called(g, node))
        return NAN;
    if (d->kind == NODE_SYSTEM)
        return called_numbers(g, node, x, results);
    /* before the results stands their number: derivatives may have been added since */
    const double which = node_data(g, d->b)->value;
    if (x[d->a] >= 0 && which >= results->items[(size_t)x[d->a]])
        x[d->a] = called_numbers(g, d->a, x, results);
    return x[d->a] >= 0 ? results->items[(size_t)(x[d->a] + 1 + which)] : NAN;
}

void evaluate_nodes(Graph *graph, const NodeList *order, SymbolValue *value, void *user, double *x,
                    CallNumbers *results, const CallGuards *guards)
{
    size_t at = 0;
    for (size_t i = 0; i < order->n; i++) {
        Node k = order->items[i];
        const NodeData *d = node_data(graph, k);
        double a = x[d->a], b = x[d->b], c = x[d->c];
        bool needed = true;
        for (; guards && at < guards->n && guards->items[at].system == k; at++)
            needed &= (x[guards->items[at].condition] != 0) == guards->items[at].wanted;
        if (d->kind >= NODE_LIST) {
            x[k] = !needed ? NAN : list_number(graph, k, x, results);
            continue;
        }
        x[k] = d->kind == NODE_CONSTANT ? d->value
               : d->kind == NODE_SYMBOL ? value(user, d->symbol)
               : d->kind == NODE_CALL   ? function_value(d->function, a, b)
                                        : operate(d->kind, a, b, c);
    }
}

double node_evaluate_again(Graph *graph, Node node, SymbolValue *value, void *user,
                           GraphNumbers *numbers)
{
    NodeList *order = &numbers->order;
    order->n = numbers->results.n = 0;
    if (!node)
        return NAN;
    if (!vec_resize(graph->alloc, &numbers->of_node, graph->nodes.n) ||
        !graph_reach(graph, &node, 1, NULL, order)) {
        graph->failed = true;
        return NAN;
    }
    evaluate_nodes(graph, order, value, user, numbers->of_node.items, &numbers->results, NULL);
    return numbers->of_node.items[node];
}

double node_evaluate_more(Graph *graph, Node node, SymbolValue *value, void *user,
                          GraphNumbers *numbers)
{
    NodeList *order = &numbers->order;
    order->n = 0;
    if (!node)
        return NAN;
    if (!vec_resize(graph->alloc, &numbers->of_node, graph->nodes.n) ||
        !vec_resize(graph->alloc, &numbers->done, graph->nodes.n) ||
        !graph_reach(graph, &node, 1, numbers->done.items, order)) {
        graph->failed = true;
        return NAN;
    }
    evaluate_nodes(graph, order, value, user, numbers->of_node.items, &numbers->results, NULL);
    for (size_t i = 0; i < order->n; i++)
        numbers->done.items[order->items[i]] = order->items[i];
    return numbers->of_node.items[node];
}

void graph_numbers_drop(Graph *graph, GraphNumbers *numbers)
{
    vec_drop(graph->alloc, &numbers->of_node);
    vec_drop(graph->alloc, &numbers->results);
    vec_drop(graph->alloc, &numbers->done);
    vec_drop(graph->alloc, &numbers->order);
}

double node_evaluate(Graph *graph, Node node, SymbolValue *value, void *user)
{
    GraphNumbers numbers = {0};
    double result = node_evaluate_again(graph, node, value, user, &numbers);
    graph_numbers_drop(graph, &numbers);
    return result;
}
