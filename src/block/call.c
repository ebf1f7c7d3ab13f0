/* call.c - functions that are called, as nodes of the graph.
 *
 * A function is written out once, in symbols of its own that stand for its arguments. A call is a
 * node whose operands are the list of the arguments, a result is a part of it; so equal calls are
 * one, all results of a call share one evaluation, and everything that is done with expressions
 * (replacing symbols, finding what depends on what) is done with calls as well. Nothing goes
 * through the body of a function again, however often it is called.
 *
 * Derivatives follow from the chain rule,
 *
 *   f_k(p)' = sum over j of f_kj(p) p_j'
 *
 * where the partial derivative f_kj is one more result of the same function, made once, when it is
 * first needed: results and derivatives share what they have in common, and a derivative stays
 * linear in p_j', which is what equations that were differentiated are solved for.
 *
 * An argument that a result does not read is a zero in the list of its call, so that the result
 * depends on nothing but what it reads. Results that are short are written out.
 */
#include "block/tape.h"

enum { SHORT_RESULT = 8 }; /* nodes */

GraphCall *node_called(const Graph *g, Node node)
{
    const NodeData *d = node_data(g, node);
    if (d->kind == NODE_PART)
        d = node_data(g, d->a);
    return d->kind == NODE_SYSTEM ? g->systems.items[(uint32_t)node_data(g, d->b)->value].call
                                  : NULL;
}

void graph_call_drop(Graph *g, GraphCall *c)
{
    vec_drop(g->alloc, &c->output);
    vec_drop(g->alloc, &c->plain);
    vec_drop(g->alloc, &c->size);
    vec_drop(g->alloc, &c->reads);
    vec_drop(g->alloc, &c->derivatives);
    vec_drop(g->alloc, &c->order);
    vec_drop(g->alloc, &c->guards);
    tape_bodies_release(c->bodies, g->alloc);
    memory_free(g->alloc, c, sizeof *c);
}

/* ------------------------------------------------------------------ results */

uint32_t graph_call_begin(Graph *g)
{
    GraphSystem s = {.step = SYSTEM_CALL, .call = memory_zeroed(g->alloc, sizeof *s.call)};
    if (s.call && vec_push(g->alloc, &g->systems, s))
        return (uint32_t)g->systems.n - 1;
    if (s.call)
        memory_free(g->alloc, s.call, sizeof *s.call);
    g->failed = true;
    return UINT32_MAX;
}

typedef struct ReadArguments {
    uint32_t number;
    const GraphCall *call;
    uint8_t *reads;
} ReadArguments;

static bool note_argument(void *user, uint64_t symbol, Node node)
{
    const ReadArguments *r = user;
    uint64_t k = symbol - bound_symbol(r->number, 0);
    (void)node;
    if (k < r->call->ninput)
        r->reads[k] = 1;
    return true;
}

/* how many nodes there are below a node; 0: memory ran out */
static uint32_t nodes_below(Graph *g, Node node)
{
    NodeList order = {0};
    bool good = graph_reach(g, &node, 1, NULL, &order);
    uint32_t n = good ? (uint32_t)order.n : 0;
    vec_drop(g->alloc, &order);
    return n;
}

uint32_t graph_call_result(Graph *g, uint32_t number, Node node)
{
    GraphCall *c = g->systems.items[number].call;
    for (uint32_t k = 0; k < c->output.n; k++)
        if (c->output.items[k] == node)
            return k;
    GraphPass pass = {.graph = g};
    Node plain = node_plain(&pass, node);
    pass_drop(&pass);
    size_t first = c->reads.n;
    uint32_t size = plain ? nodes_below(g, plain) : 0;
    bool good = size && vec_resize(g->alloc, &c->reads, first + c->ninput);
    ReadArguments r = {number, c, c->reads.items + first};
    good = good && graph_symbols(g, &node, 1, note_argument, &r) &&
           vec_push(g->alloc, &c->output, node) && vec_push(g->alloc, &c->plain, plain) &&
           vec_push(g->alloc, &c->size, size);
    if (good)
        return (uint32_t)c->output.n - 1;
    g->failed = true;
    return (uint32_t)NO_RESULT;
}

void graph_call_inputs(Graph *g, uint32_t number, uint32_t ninput)
{
    g->systems.items[number].call->ninput = g->systems.items[number].ninput = ninput;
}

typedef struct CallArguments {
    Graph *g;
    uint32_t number;
    const NodeList *items;
} CallArguments;

static Node argument_of(void *user, uint64_t symbol, Node node)
{
    const CallArguments *a = user;
    uint64_t k = symbol - bound_symbol(a->number, 0);
    return k < a->items->n ? a->items->items[k] : node;
}

/* the arguments, with zeros for those that the result does not read */
static Node list_of_read(Graph *g, const GraphCall *c, const NodeList *items, uint32_t result)
{
    NodeList read = {0};
    bool good = true;
    for (uint32_t k = 0; good && k < c->ninput; k++)
        good = vec_push(g->alloc, &read,
                        c->reads.items[(size_t)result * c->ninput + k] ? items->items[k]
                                                                       : node_constant(g, 0));
    Node list = good ? node_list(g, read.items, read.n) : NO_NODE;
    g->failed |= !good;
    vec_drop(g->alloc, &read);
    return list;
}

Node node_call_part(Graph *g, uint32_t number, Node list, uint32_t result)
{
    const GraphCall *c = g->systems.items[number].call;
    NodeList items = {0};
    if (g->failed || !list_items(g, list, &items) || items.n != c->ninput) {
        g->failed = true;
        vec_drop(g->alloc, &items);
        return NO_NODE;
    }
    Node part, plain = c->plain.items[result];
    if (c->size.items[result] <= SHORT_RESULT && c->output.items[result] == plain) {
        CallArguments a = {g, number, &items};
        part = replace_once(g, argument_of, &a, plain);
    } else {
        Node read = list_of_read(g, c, &items, result);
        Node system = node_make(g, NODE_SYSTEM, read, node_constant(g, number), NO_NODE);
        part = system ? node_part(g, system, result) : NO_NODE;
    }
    vec_drop(g->alloc, &items);
    return part;
}

/* ------------------------------------------------------------------ derivatives */

/* *is: the result that a derivative is; false: it has not been found yet */
static bool known_derivative(const GraphCall *c, uint32_t of, uint32_t by, bool own, uint32_t *is)
{
    for (size_t i = 0; i < c->derivatives.n; i++) {
        const CallDerivative *d = &c->derivatives.items[i];
        if (d->of == of && d->by == by && d->own == own) {
            *is = d->is;
            return true;
        }
    }
    return false;
}

/* keeps the derivative `node` as a result and returns that; NO_RESULT: it is zero */
static uint32_t keep_derivative(Graph *g, uint32_t number, CallDerivative d, Node node)
{
    d.is = (uint32_t)NO_RESULT;
    if (node && node != g->zero && !node_is_constant(g, node, 0))
        d.is = graph_call_result(g, number, node);
    GraphCall *c = g->systems.items[number].call;
    if (!vec_push(g->alloc, &c->derivatives, d))
        g->failed = true;
    return d.is;
}

static uint32_t partial_result(Graph *g, uint32_t number, uint32_t of, uint32_t by)
{
    const GraphCall *c = g->systems.items[number].call;
    uint32_t is;
    if (known_derivative(c, of, by, false, &is))
        return is;
    if (!c->reads.items[(size_t)of * c->ninput + by])
        return (uint32_t)NO_RESULT;
    Node node = node_partial(g, c->plain.items[of], bound_symbol(number, by));
    return keep_derivative(g, number, (CallDerivative){of, by, false, 0}, node);
}

/* The derivative by time of a result, in symbols of the rates of the arguments, which follow these.
 * Own derivatives of functions are linear in them and may have a term without. */
typedef struct CallRates {
    Graph *g;
    uint32_t number, ninput;
} CallRates;

static Node rate_of_argument(void *user, uint64_t symbol, Node node)
{
    const CallRates *r = user;
    uint64_t k = symbol - bound_symbol(r->number, 0);
    (void)node;
    return k < r->ninput ? node_symbol(r->g, bound_symbol(r->number, r->ninput + (uint32_t)k))
                         : NO_NODE;
}

/* finds the factors of all rates and the rest, by = ninput; false: it is not linear in them */
static bool find_own_derivative(Graph *g, uint32_t number, uint32_t of)
{
    const GraphCall *c = g->systems.items[number].call;
    const uint32_t n = c->ninput;
    uint32_t is;
    if (known_derivative(c, of, n, true, &is))
        return true;
    CallRates rates = {g, number, n};
    GraphPass pass = {.graph = g, .of_symbol = rate_of_argument, .user = &rates, .by_time = true};
    Node whole = differentiate(&pass, c->output.items[of]), rest = NO_NODE;
    pass_drop(&pass);
    VEC(uint64_t) symbols = {0};
    NodeList factors = {0};
    bool good = vec_resize(g->alloc, &factors, n);
    for (uint32_t k = 0; good && k < n; k++)
        good = vec_push(g->alloc, &symbols, bound_symbol(number, n + k));
    g->failed |= !good;
    int affine = good && whole ? node_affine(g, whole, symbols.items, n, factors.items, &rest) : -1;
    g->failed |= affine < 0;
    for (uint32_t k = 0; affine == 1 && k < n; k++)
        keep_derivative(g, number, (CallDerivative){of, k, true, 0}, factors.items[k]);
    if (affine == 1)
        keep_derivative(g, number, (CallDerivative){of, n, true, 0}, rest);
    vec_drop(g->alloc, &symbols);
    vec_drop(g->alloc, &factors);
    return affine == 1;
}

static Node term_of(Graph *g, uint32_t number, Node list, uint32_t result)
{
    return result == (uint32_t)NO_RESULT ? node_constant(g, 0)
                                         : node_call_part(g, number, list, result);
}

/* an own derivative is not linear in rates: here the function is written out */
static Node derivative_written_out(const GraphPass *pass, const CallArguments *a, Node output)
{
    Graph *g = a->g;
    GraphPass own = {.graph = g, .of_symbol = pass->of_symbol, .user = pass->user, .by_time = true};
    GraphPass plain = {.graph = g};
    Node whole = replace_once(g, argument_of, (void *)a, output);
    Node result = node_plain(&plain, differentiate(&own, whole));
    pass_drop(&own);
    pass_drop(&plain);
    return result;
}

Node called_derivative(GraphPass *pass, Node part, Node rates)
{
    Graph *g = pass->graph;
    const NodeData d = *node_data(g, part), call = *node_data(g, d.a);
    uint32_t number = system_number(g, d.a), of = (uint32_t)node_data(g, d.b)->value;
    const GraphCall *c = g->systems.items[number].call;
    NodeList moved = {0}, items = {0};
    Node sum = node_constant(g, 0);
    bool own = pass->by_time && c->output.items[of] != c->plain.items[of];
    bool good = list_items(g, rates, &moved) && list_items(g, call.a, &items), still = true;
    for (size_t k = 0; good && k < moved.n; k++)
        still &= moved.items[k] == g->zero;
    if (good && own && !still && !find_own_derivative(g, number, of)) {
        CallArguments a = {g, number, &items};
        sum = g->failed ? NO_NODE : derivative_written_out(pass, &a, c->output.items[of]);
    } else if (good && !still) {
        for (uint32_t k = 0; k < moved.n && !g->failed; k++) {
            if (moved.items[k] == g->zero)
                continue;
            uint32_t is = (uint32_t)NO_RESULT;
            if (own)
                known_derivative(c, of, k, true, &is);
            else
                is = partial_result(g, number, of, k);
            sum = derivative_term(g, sum, term_of(g, number, call.a, is), moved.items[k]);
        }
        uint32_t rest = (uint32_t)NO_RESULT;
        if (own && known_derivative(c, of, c->ninput, true, &rest))
            sum = node_add(g, sum, term_of(g, number, call.a, rest));
    }
    g->failed |= !good;
    vec_drop(g->alloc, &moved);
    vec_drop(g->alloc, &items);
    return g->failed ? NO_NODE : sum;
}

/* ------------------------------------------------------------------ numbers */

typedef struct ArgumentNumbers {
    uint32_t number;
    VEC(double) items;
} ArgumentNumbers;

static double number_of_argument(void *user, uint64_t symbol)
{
    const ArgumentNumbers *a = user;
    uint64_t k = symbol - bound_symbol(a->number, 0);
    return k < a->items.n ? a->items.items[k] : NAN;
}

/* the results that have been added since the last time belong to the order, too */
static bool extend_order(Graph *g, GraphCall *c)
{
    if (c->nordered == c->plain.n)
        return true;
    c->order.n = 0;
    c->guards.n = 0;
    c->nordered = c->plain.n;
    return graph_reach(g, c->plain.items, c->plain.n, NULL, &c->order) &&
           graph_guards(g, &c->order, c->plain.items, c->plain.n, &c->guards);
}

/* appends the number of results and all of them for these arguments; false: memory ran out */
static bool evaluate_call(Graph *g, GraphCall *c, ArgumentNumbers *a, double *x,
                          CallNumbers *results)
{
    CallNumbers inner = {0};
    bool good = extend_order(g, c);
    if (good)
        evaluate_nodes(g, &c->order, number_of_argument, a, x, &inner, &c->guards);
    good = good && vec_push(g->alloc, results, (double)c->plain.n);
    for (size_t k = 0; good && k < c->plain.n; k++)
        good = vec_push(g->alloc, results, x[c->plain.items[k]]);
    vec_drop(g->alloc, &inner);
    return good;
}

double called_numbers(Graph *g, Node system, double *x, CallNumbers *results)
{
    ArgumentNumbers a = {.number = system_number(g, system)};
    size_t first = results->n;
    bool good = true;
    for (Node list = node_data(g, system)->a; good && list; list = node_data(g, list)->b)
        good = vec_push(g->alloc, &a.items, x[node_data(g, list)->a]);
    good = good && evaluate_call(g, g->systems.items[a.number].call, &a, x, results);
    vec_drop(g->alloc, &a.items);
    return good ? (double)first : NAN;
}

Node called_constant(Graph *g, Node system, Node which)
{
    VEC(double) x = {0};
    CallNumbers results = {0};
    ArgumentNumbers a = {.number = system_number(g, system)};
    bool good = vec_resize(g->alloc, &x, g->nodes.n);
    for (Node list = node_data(g, system)->a; good && list; list = node_data(g, list)->b)
        good = vec_push(g->alloc, &a.items, node_data(g, node_data(g, list)->a)->value);
    good = good && evaluate_call(g, g->systems.items[a.number].call, &a, x.items, &results);
    double value = good ? results.items[1 + (uint32_t)node_data(g, which)->value] : 0;
    vec_drop(g->alloc, &a.items);
    vec_drop(g->alloc, &x);
    vec_drop(g->alloc, &results);
    g->failed |= !good;
    return good ? node_constant(g, value) : NO_NODE;
}
