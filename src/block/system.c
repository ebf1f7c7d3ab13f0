/* system.c - equations that are solved together, as nodes of the graph.
 *
 * A system is a node whose operands are lists, and a solution is a set of parts of it, so that
 * everything that is done with expressions (replacing symbols, differentiating, finding what
 * depends on what) is done with solutions as well. A nonlinear system has a template: residuals and
 * their partial derivatives in symbols of its own, which stand for the unknowns and for the
 * operands. What does not depend on the unknowns is an operand, which is computed once, outside of
 * the iteration.
 *
 * Derivatives follow from the implicit function theorem,
 *
 *   A z = b:       A z' = b' - A' z
 *   r(z, p) = 0:   J z' = -r_p p'
 *
 * and are the solutions of linear systems in turn.
 */
#include "block/expression.h"

#include <math.h>

#include <lieder/sparse.h>

uint32_t system_nfactor(const GraphSystem *s)
{
    return s->table.n ? (uint32_t)lieder_sparse_factors(s->n, s->table.items) : 0;
}

size_t system_outputs(const GraphSystem *s)
{
    return s->residual.n + s->entry.n + s->size.n;
}

Node system_output(const GraphSystem *s, size_t k)
{
    if (k < s->residual.n)
        return s->residual.items[k];
    k -= s->residual.n;
    return k < s->entry.n ? s->entry.items[k] : s->size.items[k - s->entry.n];
}

static Node graph_fail(Graph *g)
{
    g->failed = true;
    return NO_NODE;
}

void graph_system_drop(Graph *g, GraphSystem *s)
{
    vec_drop(g->alloc, &s->row);
    vec_drop(g->alloc, &s->column);
    vec_drop(g->alloc, &s->residual);
    vec_drop(g->alloc, &s->entry);
    vec_drop(g->alloc, &s->size);
    vec_drop(g->alloc, &s->table);
    vec_drop(g->alloc, &s->nominal);
    if (s->call)
        graph_call_drop(g, s->call);
}

/* ------------------------------------------------------------------ lists and parts */

Node node_list(Graph *g, const Node *nodes, size_t n)
{
    Node list = NO_NODE;
    for (size_t i = n; i-- > 0;)
        list = node_make(g, NODE_LIST, nodes[i], list, NO_NODE);
    return list;
}

bool list_items(const Graph *g, Node list, NodeList *items)
{
    for (; list; list = node_data(g, list)->b)
        if (!vec_push(g->alloc, items, node_data(g, list)->a))
            return false;
    return true;
}

Node node_part(Graph *g, Node system, uint32_t index)
{
    return node_make(g, NODE_PART, system, node_constant(g, index), NO_NODE);
}

/* whether a node is a number: lists and systems are not */
static bool is_number(const Graph *g, Node node)
{
    NodeKind kind = (NodeKind)node_data(g, node)->kind;
    return kind != NODE_LIST && kind != NODE_SYSTEM;
}

/* ------------------------------------------------------------------ sparse systems */

/* A number for a symbol: a typical one, or else one between 0.5 and 1.5 that depends on the symbol.
 * `zeros`: typical zeros that hold stay zero; other zeros become a number of that kind times
 * `scale`. */
static double sample_of(const Graph *g, uint64_t symbol, bool zeros, double scale)
{
    bool holds = false;
    double x = g->sample ? g->sample(g->sample_user, symbol, &holds) : NAN;
    if (isfinite(x) && (x != 0 || (zeros && holds)))
        return x;
    uint64_t mixed = (symbol + 1) * 0x9e3779b97f4a7c15u;
    return (x == 0 ? scale : 1) * (0.5 + (double)(mixed >> 40) * 0x1p-24);
}

static double symbol_sample(void *user, uint64_t symbol)
{
    return sample_of(user, symbol, false, 1);
}

/* Away from the start a variable is not zero, even if it is there. A parameter stays zero: a
 * product of inertia of 1 beside masses of grams would choose the pivots of another machine. */
static double symbol_sample_far(void *user, uint64_t symbol)
{
    return sample_of(user, symbol, true, 1);
}

/* at the start; a variable that is zero there is small: nothing that vanishes with it is a pivot */
static double symbol_sample_here(void *user, uint64_t symbol)
{
    return sample_of(user, symbol, true, 1e-9);
}

static bool samples(Graph *g, const Node *nodes, size_t n, SymbolValue *value,
                    GraphNumbers *numbers)
{
    Node list = node_list(g, nodes, n);
    if (n && list)
        node_evaluate_again(g, list, value, g, numbers);
    return n == 0 || (list && numbers->of_node.n >= g->nodes.n);
}

bool graph_samples(Graph *g, const Node *nodes, size_t n, GraphNumbers *numbers)
{
    return samples(g, nodes, n, symbol_sample, numbers);
}

/* the table of a large system, from samples of its entries at the start and elsewhere */
static bool find_table(Graph *g, GraphSystem *s, const Node *entry)
{
    static SymbolValue *const at[SPARSE_SAMPLES] = {symbol_sample_here, symbol_sample_far};
    if (s->n < SPARSE_FROM)
        return true;
    VEC(double) sample = {0};
    const double *lists[SPARSE_SAMPLES];
    bool good = vec_resize(g->alloc, &sample, SPARSE_SAMPLES * s->row.n);
    for (size_t i = 0; good && i < SPARSE_SAMPLES; i++) {
        GraphNumbers numbers = {0};
        lists[i] = sample.items + i * s->row.n;
        good = samples(g, entry, s->row.n, at[i], &numbers);
        for (size_t k = 0; good && k < s->row.n; k++) {
            double x = numbers.of_node.items[entry[k]];
            sample.items[i * s->row.n + k] = isfinite(x) ? x : 1;
        }
        graph_numbers_drop(g, &numbers);
    }
    good = good &&
           sparse_table(&s->table, g->alloc, s->n, s->row.items, s->column.items, lists, s->row.n);
    vec_drop(g->alloc, &sample);
    return good;
}

/* ------------------------------------------------------------------ linear systems */

/* the pattern of a linear system that is searched for */
typedef struct WantedSystem {
    uint32_t n, source;
    const uint32_t *row, *column;
    const Node *entry;
    size_t nentry;
} WantedSystem;

static bool same_pattern(const GraphSystem *s, const WantedSystem *w, SystemStep step)
{
    if (!s->linear || s->step != step || s->n != w->n || s->row.n != w->nentry ||
        s->source != w->source)
        return false;
    for (size_t k = 0; k < w->nentry; k++)
        if (s->row.items[k] != w->row[k] || s->column.items[k] != w->column[k])
            return false;
    return true;
}

/* the table of another system with the same pattern, or a new one */
static bool take_table(Graph *g, GraphSystem *s, const WantedSystem *w)
{
    for (uint32_t i = 0; i < g->systems.n; i++) {
        const GraphSystem *other = &g->systems.items[i];
        if (!same_pattern(other, w, other->step))
            continue;
        bool good = vec_resize(g->alloc, &s->table, other->table.n);
        for (size_t k = 0; good && k < other->table.n; k++)
            s->table.items[k] = other->table.items[k];
        return good;
    }
    return find_table(g, s, w->entry);
}

/* the number of the linear system with this pattern; UINT32_MAX: memory ran out */
static uint32_t find_pattern(Graph *g, const WantedSystem *w, SystemStep step)
{
    for (uint32_t i = 0; i < g->systems.n; i++)
        if (same_pattern(&g->systems.items[i], w, step))
            return i;
    GraphSystem s = {.linear = true, .step = step, .n = w->n, .source = w->source};
    bool good = true;
    for (size_t k = 0; good && k < w->nentry; k++)
        good = vec_push(g->alloc, &s.row, w->row[k]) && vec_push(g->alloc, &s.column, w->column[k]);
    good = good && take_table(g, &s, w);
    s.ninput = (uint32_t)(w->nentry + (step == SYSTEM_FACTORED ? system_nfactor(&s) : 0));
    if (good && vec_push(g->alloc, &g->systems, s))
        return (uint32_t)g->systems.n - 1;
    graph_system_drop(g, &s);
    return UINT32_MAX;
}

/* more factors are not kept: each is a number that a block loads and stores */
enum { MAX_FACTORS = 20000 };

/* entries, then the factors of a node of their own; NO_NODE: memory ran out */
static Node factored_list(Graph *g, const WantedSystem *w)
{
    uint32_t number = find_pattern(g, w, SYSTEM_FACTORS);
    if (number == UINT32_MAX)
        return NO_NODE;
    Node factors = node_make(g, NODE_SYSTEM, node_list(g, w->entry, w->nentry),
                             node_constant(g, number), NO_NODE);
    uint32_t nfactor = system_nfactor(&g->systems.items[number]);
    NodeList all = {0};
    bool good = factors != NO_NODE;
    for (size_t k = 0; good && k < w->nentry; k++)
        good = vec_push(g->alloc, &all, w->entry[k]);
    for (uint32_t k = 0; good && k < nfactor; k++)
        good = vec_push(g->alloc, &all, node_part(g, factors, k));
    Node list = good ? node_list(g, all.items, all.n) : NO_NODE;
    vec_drop(g->alloc, &all);
    return list;
}

Node node_linear_system(Graph *g, uint32_t n, const uint32_t *row, const uint32_t *column,
                        const Node *entry, size_t nentry, const Node *right, uint32_t source,
                        bool constant)
{
    const WantedSystem w = {n, source, row, column, entry, nentry};
    uint32_t number = find_pattern(g, &w, SYSTEM_WHOLE);
    Node list = NO_NODE;
    if (number != UINT32_MAX && constant && g->systems.items[number].table.n &&
        system_nfactor(&g->systems.items[number]) <= MAX_FACTORS) {
        number = find_pattern(g, &w, SYSTEM_FACTORED);
        list = number == UINT32_MAX ? NO_NODE : factored_list(g, &w);
    } else if (number != UINT32_MAX) {
        list = node_list(g, entry, nentry);
    }
    if (!list)
        return graph_fail(g);
    return node_make(g, NODE_SYSTEM, list, node_constant(g, number), node_list(g, right, n));
}

/* ------------------------------------------------------------------ templates */

typedef struct Template {
    Graph *g;
    uint32_t number; /* of the system */
    uint32_t n;
    const uint64_t *symbols;
    NodeList order;
    VEC(uint8_t) depends, needed; /* by node */
    NodeList image;               /* by node: in bound symbols */
    NodeList inputs;              /* starts, then operands */
    uint32_t homotopy;            /* of GraphSystem */
} Template;

static uint32_t unknown_of(const Template *t, const NodeData *d)
{
    for (uint32_t k = 0; d->kind == NODE_SYMBOL && k < t->n; k++)
        if (t->symbols[k] == d->symbol)
            return k;
    return UINT32_MAX;
}

static bool is_homotopy(const Template *t, const NodeData *d)
{
    return d->kind == NODE_SYMBOL && t->g->homotopy && d->symbol == t->g->homotopy - 1;
}

/* which nodes depend on the unknowns, and which of them a template is made of */
static void mark_template(Template *t, const Node *residuals)
{
    for (size_t i = 0; i < t->order.n; i++) {
        Node k = t->order.items[i];
        const NodeData *d = node_data(t->g, k);
        t->depends.items[k] = unknown_of(t, d) != UINT32_MAX || is_homotopy(t, d) ||
                              t->depends.items[d->a] || t->depends.items[d->b] ||
                              t->depends.items[d->c];
    }
    for (uint32_t i = 0; i < t->n; i++)
        t->needed.items[residuals[i]] = 1;
    for (size_t i = t->order.n; i-- > 0;) {
        Node k = t->order.items[i];
        const NodeData *d = node_data(t->g, k);
        if (t->needed.items[k] && (t->depends.items[k] || !is_number(t->g, k)))
            t->needed.items[d->a] = t->needed.items[d->b] = t->needed.items[d->c] = 1;
    }
}

/* a node that does not depend on the unknowns: a number stays, anything else is an operand */
static Node template_operand(Template *t, Node node)
{
    if (node_data(t->g, node)->kind == NODE_CONSTANT)
        return node;
    if (!vec_push(t->g->alloc, &t->inputs, node))
        return graph_fail(t->g);
    return node_symbol(t->g, bound_symbol(t->number, (uint32_t)t->inputs.n - 1));
}

/* the operand that the solver moves; in the end it is 1 */
static Node template_homotopy(Template *t)
{
    t->homotopy = (uint32_t)t->inputs.n;
    if (!vec_push(t->g->alloc, &t->inputs, node_constant(t->g, 1)))
        return graph_fail(t->g);
    return node_symbol(t->g, bound_symbol(t->number, t->homotopy));
}

/* a node with unknowns, operands and homotopies of the system replaced by its symbols */
static Node template_node(Template *t, Node node)
{
    NodeData d = *node_data(t->g, node);
    const Node *image = t->image.items;
    uint32_t unknown = unknown_of(t, &d);
    if (unknown != UINT32_MAX)
        return node_symbol(t->g, bound_symbol(t->number, unknown));
    if (is_homotopy(t, &d))
        return template_homotopy(t);
    if (!t->depends.items[node] && is_number(t->g, node))
        return template_operand(t, node);
    return d.kind == NODE_CALL ? node_call(t->g, d.function, image[d.a], image[d.b])
                               : node_make(t->g, d.kind, image[d.a], image[d.b], image[d.c]);
}

/* copies the residuals of a system into its template, in which what does not depend on unknowns is
 * an input */
static bool fill_template(Template *t, const Node *residuals, GraphSystem *s)
{
    Graph *g = t->g;
    size_t size = g->nodes.n;
    bool good = graph_reach(g, residuals, t->n, NULL, &t->order) &&
                vec_resize(g->alloc, &t->depends, size) && vec_resize(g->alloc, &t->needed, size) &&
                vec_resize(g->alloc, &t->image, size);
    if (!good)
        return false;
    mark_template(t, residuals);
    for (size_t i = 0; i < t->order.n && !g->failed; i++) {
        Node k = t->order.items[i];
        if (t->needed.items[k])
            t->image.items[k] = template_node(t, k);
    }
    for (uint32_t i = 0; good && i < t->n; i++)
        good = vec_push(g->alloc, &s->residual, t->image.items[residuals[i]]);
    return good && !g->failed;
}

typedef struct Unknowns {
    uint32_t system, n;
    uint8_t *seen;
} Unknowns;

static bool note_unknown(void *user, uint64_t symbol, Node node)
{
    Unknowns *u = user;
    (void)node;
    if (symbol - bound_symbol(u->system, 0) < u->n)
        u->seen[symbol - bound_symbol(u->system, 0)] = 1;
    return true;
}

/* partial derivatives that are not zero, row by row */
static bool fill_entries(Graph *g, uint32_t number, GraphSystem *s)
{
    VEC(uint8_t) seen = {0};
    bool good = vec_resize(g->alloc, &seen, s->n);
    for (uint32_t i = 0; good && i < s->n; i++) {
        for (uint32_t j = 0; j < s->n; j++)
            seen.items[j] = 0;
        Unknowns u = {number, s->n, seen.items};
        good = graph_symbols(g, &s->residual.items[i], 1, note_unknown, &u);
        for (uint32_t j = 0; good && j < s->n; j++) {
            if (!seen.items[j])
                continue;
            Node entry = node_partial(g, s->residual.items[i], bound_symbol(number, j));
            if (!entry || node_is_constant(g, entry, 0))
                continue;
            good = vec_push(g->alloc, &s->row, i) && vec_push(g->alloc, &s->column, j) &&
                   vec_push(g->alloc, &s->entry, entry);
        }
    }
    vec_drop(g->alloc, &seen);
    return good && !g->failed;
}

/* ------------------------------------------------------------------ sizes */

static Node absolute_of(Graph *g, Node node)
{
    return node_call(g, FUNCTION_ABS, node, NO_NODE);
}

/* the size of a function's value: what is in the exponent counts, since its rounding is multiplied
 */
static Node call_size(Graph *g, Node node, const NodeData *n, const Node *done)
{
    if (n->function == FUNCTION_EXP)
        return node_multiply(g, node, node_add(g, node_constant(g, 1), done[n->a]));
    return absolute_of(g, node);
}

/* Exponential functions vanish beside what is added to them (a diode that blocks): residuals of
 * systems that have some are compared with their rounding errors. */
static bool fill_sizes(Graph *g, GraphSystem *s)
{
    static const Magnitude term_size = {absolute_of, call_size};
    NodeList order = {0};
    bool good = graph_reach(g, s->residual.items, s->residual.n, NULL, &order), found = false;
    for (size_t i = 0; good && i < order.n; i++) {
        const NodeData *d = node_data(g, order.items[i]);
        found |= d->kind == NODE_CALL && d->function == FUNCTION_EXP;
    }
    for (uint32_t i = 0; good && found && i < s->n; i++) {
        /* times the precision of a number, about the rounding error of the residual */
        Node size = node_magnitude(g, s->residual.items[i], &term_size);
        good = size && vec_push(g->alloc, &s->size, size);
    }
    vec_drop(g->alloc, &order);
    return good && !g->failed;
}

Node node_nonlinear_system(Graph *g, uint32_t n, const Node *residuals, const uint64_t *symbols,
                           const Node *starts, const double *nominal, uint32_t source)
{
    uint32_t number = (uint32_t)g->systems.n;
    GraphSystem s = {.n = n, .source = source};
    Template t = {.g = g, .number = number, .n = n, .symbols = symbols};
    bool good = !g->failed;
    for (uint32_t k = 0; good && k < n; k++)
        good = starts[k] && vec_push(g->alloc, &t.inputs, starts[k]) &&
               (!nominal || vec_push(g->alloc, &s.nominal, nominal[k]));
    good = good && fill_template(&t, residuals, &s) && fill_entries(g, number, &s) &&
           fill_sizes(g, &s) && find_table(g, &s, s.entry.items);
    s.ninput = (uint32_t)t.inputs.n;
    s.homotopy = t.homotopy;
    good = good && vec_push(g->alloc, &g->systems, s);
    Node system = NO_NODE;
    if (good)
        system = node_make(g, NODE_SYSTEM, node_list(g, t.inputs.items, t.inputs.n),
                           node_constant(g, number), NO_NODE);
    else {
        graph_fail(g);
        graph_system_drop(g, &s);
    }
    vec_drop(g->alloc, &t.order);
    vec_drop(g->alloc, &t.depends);
    vec_drop(g->alloc, &t.needed);
    vec_drop(g->alloc, &t.image);
    vec_drop(g->alloc, &t.inputs);
    return system;
}

Node node_guess_system(Graph *g, Node system, Node list, const uint64_t *symbols)
{
    NodeData d = *node_data(g, system);
    GraphSystem *s = &g->systems.items[system_number(g, system)];
    NodeList all = {0};
    bool good = list_items(g, list, &all);
    if (good && !s->guess) {
        s->guess = s->ninput;
        s->ninput += s->n;
    }
    for (uint32_t k = 0; good && k < s->n; k++)
        good = vec_push(g->alloc, &all, node_symbol(g, symbols[k]));
    Node result = good ? node_make(g, NODE_SYSTEM, node_list(g, all.items, all.n), d.b, NO_NODE)
                       : graph_fail(g);
    vec_drop(g->alloc, &all);
    return result;
}

/* ------------------------------------------------------------------ derivatives */

/* bound symbols of a template as the nodes that they stand for at the solution */
typedef struct Solved {
    Graph *g;
    Node system;
    uint32_t number, n;
    NodeList inputs;
} Solved;

static Node solved_symbol(void *user, uint64_t symbol, Node node)
{
    Solved *s = user;
    uint64_t index = symbol - bound_symbol(s->number, 0);
    if (index >= s->inputs.n)
        return node;
    return index < s->n ? node_part(s->g, s->system, (uint32_t)index)
                        : s->inputs.items[(uint32_t)index];
}

static bool all_zero(const Graph *g, Node list)
{
    for (; list; list = node_data(g, list)->b)
        if (!node_is_constant(g, node_data(g, list)->a, 0))
            return false;
    return true;
}

/* b' - A' z */
static void linear_right(Graph *g, const Solved *s, const NodeList *da, const NodeList *db,
                         Node *right)
{
    for (uint32_t i = 0; i < s->n; i++)
        right[i] = db->items[i];
    for (size_t k = 0; k < da->n; k++) {
        const GraphSystem *t = &g->systems.items[s->number];
        uint32_t i = t->row.items[k];
        Node z = node_part(g, s->system, t->column.items[k]);
        right[i] = node_subtract(g, right[i], node_multiply(g, da->items[k], z));
    }
}

/* -r_p p'; start values do not matter */
static void nonlinear_right(Graph *g, Solved *s, const NodeList *dp, Node *right)
{
    for (uint32_t i = 0; i < s->n; i++)
        right[i] = node_constant(g, 0);
    for (uint32_t j = s->n; j < dp->n; j++) {
        if (node_is_constant(g, dp->items[j], 0))
            continue;
        for (uint32_t i = 0; i < s->n && !g->failed; i++) {
            Node residual = g->systems.items[s->number].residual.items[i];
            Node partial = node_partial(g, residual, bound_symbol(s->number, j));
            partial = replace_once(g, solved_symbol, s, partial);
            right[i] = node_subtract(g, right[i], node_multiply(g, partial, dp->items[j]));
        }
    }
}

/* the matrix of a system at its solution */
static bool solved_entries(Graph *g, Solved *s, NodeList *entries)
{
    for (size_t k = 0; k < g->systems.items[s->number].row.n; k++) {
        const GraphSystem *t = &g->systems.items[s->number];
        Node entry =
            t->linear ? s->inputs.items[k] : replace_once(g, solved_symbol, s, t->entry.items[k]);
        if (!entry || !vec_push(g->alloc, entries, entry))
            return false;
    }
    return true;
}

/* A z' = b' - A' z with the factors that A has already */
static Node factored_derivative(Graph *g, Node system, Node a, Node c)
{
    NodeData d = *node_data(g, system);
    Solved s = {.g = g, .system = system, .number = system_number(g, system)};
    s.n = g->systems.items[s.number].n;
    NodeList da = {0}, dc = {0}, right = {0};
    bool good = list_items(g, a, &da) && list_items(g, c, &dc) && vec_resize(g->alloc, &right, s.n);
    if (good) {
        da.n = g->systems.items[s.number].row.n; /* those of the factors do not matter */
        linear_right(g, &s, &da, &dc, right.items);
    }
    Node result =
        good ? node_make(g, NODE_SYSTEM, d.a, d.b, node_list(g, right.items, s.n)) : graph_fail(g);
    vec_drop(g->alloc, &da);
    vec_drop(g->alloc, &dc);
    vec_drop(g->alloc, &right);
    return result;
}

Node system_derivative(Graph *g, Node system, Node a, Node c)
{
    SystemStep step = g->systems.items[system_number(g, system)].step;
    if ((all_zero(g, a) && all_zero(g, c)) || step == SYSTEM_FACTORS)
        return node_constant(g, 0);
    if (step == SYSTEM_FACTORED)
        return factored_derivative(g, system, a, c);
    NodeData d = *node_data(g, system);
    Solved s = {.g = g, .system = system, .number = system_number(g, system)};
    s.n = g->systems.items[s.number].n;
    NodeList da = {0}, dc = {0}, entries = {0}, right = {0};
    bool good = list_items(g, d.a, &s.inputs) && list_items(g, a, &da) && list_items(g, c, &dc) &&
                solved_entries(g, &s, &entries) && vec_resize(g->alloc, &right, s.n);
    Node result = NO_NODE;
    if (good) {
        if (g->systems.items[s.number].linear)
            linear_right(g, &s, &da, &dc, right.items);
        else
            nonlinear_right(g, &s, &da, right.items);
        const GraphSystem *t = &g->systems.items[s.number];
        /* copies: the table of systems may move */
        VEC(uint32_t) row = {0}, column = {0};
        for (size_t k = 0; good && k < entries.n; k++)
            good = vec_push(g->alloc, &row, t->row.items[k]) &&
                   vec_push(g->alloc, &column, t->column.items[k]);
        if (good)
            result = node_linear_system(g, s.n, row.items, column.items, entries.items, entries.n,
                                        right.items, t->source, false);
        vec_drop(g->alloc, &row);
        vec_drop(g->alloc, &column);
    }
    vec_drop(g->alloc, &s.inputs);
    vec_drop(g->alloc, &da);
    vec_drop(g->alloc, &dc);
    vec_drop(g->alloc, &entries);
    vec_drop(g->alloc, &right);
    return good && result ? result : graph_fail(g);
}
