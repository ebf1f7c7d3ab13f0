/* cost.c - what it costs to solve an equation for each of its variables.
 *
 * The cost depends on the factor of the variable, which is a partial derivative. Of an equation
 * with few variables it is taken of the whole. A long sum, such as the balance of a node where a
 * thousand components meet, would cost its length for each variable; so it is divided into its
 * terms first,
 *
 *   (t1 + t2 - ...) c / d   into   t1 c / d,  t2 c / d,  ...    (c, d of numbers and parameters)
 *
 * and a variable sees only the terms that it occurs in. The time is that of the terms together.
 */
#include "equation/system/eliminate.h"

#include <stdlib.h>

/* what a factor is made of */
typedef struct FactorUse {
    const Cell *cell;
    uint64_t self;
    bool has_self, varies;
} FactorUse;

static bool note_factor(void *user, uint64_t symbol, Node node)
{
    FactorUse *use = user;
    (void)node;
    use->has_self |= symbol == use->self;
    const CellVariable *v =
        symbol == CELL_TIME ? NULL : &use->cell->variables.items[symbol_variable(symbol)];
    use->varies |= !v || v->role != CELL_PARAMETER || v->is_free;
    return true;
}

/* what it costs to solve a residual for a symbol: little where the factor is a number, more where
 * it may vanish, most where the symbol is not linear in it; -1: memory ran out */
static int32_t solving_cost(Cell *cell, Node residual, uint64_t symbol)
{
    Graph *g = &cell->graph;
    Node factor, rest;
    int affine = node_affine(g, residual, &symbol, 1, &factor, &rest);
    if (affine < 0)
        return -1;
    if (!affine)
        return COST_NONLINEAR +
               (probe_vanishes(cell, node_partial(g, residual, symbol)) ? COST_VANISHES : 0);
    const NodeData *f = node_data(g, factor);
    if (f->kind == NODE_CONSTANT)
        return f->value == 0 ? NEVER : f->value == 1 || f->value == -1 ? COST_ONE : COST_CONSTANT;
    FactorUse use = {.cell = cell, .self = symbol};
    if (!graph_symbols(g, &factor, 1, note_factor, &use))
        return -1;
    return node_may_vanish_by_choice(g, factor) ? (cell->nport ? NEVER : COST_SWITCHED)
           : probe_vanishes(cell, factor)       ? COST_VANISHES
           : use.varies                         ? COST_VARYING
                                                : COST_PARAMETER;
}

/* ------------------------------------------------------------------ long sums */

enum { FEW = 12, NO_FACTOR = -1 };

/* what a term is multiplied with or divided by, and what its result is, or NO_FACTOR */
typedef struct TermFactor {
    NodeKind kind;
    Node other;
    bool is_left; /* other * term */
    int32_t outer;
} TermFactor;

typedef struct Term {
    Node node;
    bool negative;
    int32_t factor;
} Term;

/* a variable and a term that it occurs in */
typedef struct TermUse {
    uint64_t symbol;
    uint32_t term;
} TermUse;

typedef struct Sum {
    Cell *cell;
    VEC(Term) open; /* to be divided further */
    VEC(TermFactor) factors;
    NodeList terms;
    VEC(TermUse) uses;
    uint32_t term; /* whose symbols are noted */
} Sum;

/* a short expression of numbers and parameters */
static bool is_of_parameters(const Cell *cell, Node node, int *budget)
{
    const NodeData *n = node_data(&cell->graph, node);
    if (n->kind == NODE_CONSTANT)
        return true;
    if (n->kind == NODE_SYMBOL)
        return n->symbol != CELL_TIME &&
               cell->variables.items[symbol_variable(n->symbol)].role == CELL_PARAMETER;
    const Node operand[] = {n->a, n->b, n->c};
    if (n->kind >= NODE_LIST || --*budget < 0)
        return false;
    for (int k = 0; k < 3; k++)
        if (operand[k] && !is_of_parameters(cell, operand[k], budget))
            return false;
    return true;
}

/* the term with its factors, the innermost first */
static bool term_close(Sum *s, Term t)
{
    Graph *g = &s->cell->graph;
    for (int32_t k = t.factor; k != NO_FACTOR; k = s->factors.items[k].outer) {
        const TermFactor *f = &s->factors.items[k];
        t.node = f->is_left ? node_make(g, f->kind, f->other, t.node, NO_NODE)
                            : node_make(g, f->kind, t.node, f->other, NO_NODE);
    }
    return vec_push(g->alloc, &s->terms, t.negative ? node_negate(g, t.node) : t.node);
}

/* the operand of a product or quotient that is no factor of parameters goes on; false: neither is
 * one, or memory ran out */
static bool term_unwrap(Sum *s, Term t, const NodeData *n)
{
    int budget = 32;
    bool right = is_of_parameters(s->cell, n->b, &budget);
    bool left = !right && n->kind == NODE_MULTIPLY && is_of_parameters(s->cell, n->a, &budget);
    TermFactor f = {(NodeKind)n->kind, right ? n->b : n->a, left, t.factor};
    return (left || right) && vec_push(s->cell->alloc, &s->factors, f) &&
           vec_push(s->cell->alloc, &s->open,
                    (Term){left ? n->b : n->a, t.negative, (int32_t)s->factors.n - 1});
}

/* an expression as a sum of terms with constant factors; false: no memory */
static bool sum_divide(Sum *s, Node node)
{
    const LiederAllocator *alloc = s->cell->alloc;
    bool good = vec_push(alloc, &s->open, (Term){node, false, NO_FACTOR});
    while (good && s->open.n) {
        Term t = s->open.items[--s->open.n];
        NodeData n = *node_data(&s->cell->graph, t.node);
        bool minus = t.negative != (n.kind == NODE_SUBTRACT);
        if (n.kind == NODE_NEGATE)
            good = vec_push(alloc, &s->open, (Term){n.a, !t.negative, t.factor});
        else if (n.kind == NODE_ADD || n.kind == NODE_SUBTRACT) /* the left one is next */
            good = vec_push(alloc, &s->open, (Term){n.b, minus, t.factor}) &&
                   vec_push(alloc, &s->open, (Term){n.a, t.negative, t.factor});
        else if ((n.kind != NODE_MULTIPLY && n.kind != NODE_DIVIDE) || !term_unwrap(s, t, &n))
            good = term_close(s, t);
    }
    return good && !s->cell->graph.failed;
}

static bool note_use(void *user, uint64_t symbol, Node node)
{
    Sum *s = user;
    (void)node;
    return vec_push(s->cell->alloc, &s->uses, (TermUse){symbol, s->term});
}

static int by_symbol(const void *a, const void *b)
{
    const TermUse *x = a, *y = b;
    return x->symbol != y->symbol ? (x->symbol < y->symbol ? -1 : 1)
                                  : (x->term > y->term) - (x->term < y->term);
}

/* the terms that a symbol occurs in, as one expression */
static Node sum_of_uses(const Sum *s, uint64_t symbol)
{
    size_t low = 0, high = s->uses.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->uses.items[middle].symbol < symbol)
            low = middle + 1;
        else
            high = middle;
    }
    Node sum = NO_NODE;
    for (; low < s->uses.n && s->uses.items[low].symbol == symbol; low++) {
        Node term = s->terms.items[s->uses.items[low].term];
        sum = sum ? node_add(&s->cell->graph, sum, term) : term;
    }
    return sum;
}

/* what it costs to solve a residual for each of the symbols */
static bool costs_of_sum(Cell *cell, Node residual, const uint64_t *symbols, size_t n,
                         int32_t *costs)
{
    Sum s = {.cell = cell};
    bool good = sum_divide(&s, residual);
    for (s.term = 0; good && s.term < s.terms.n; s.term++)
        good = graph_symbols(&cell->graph, &s.terms.items[s.term], 1, note_use, &s);
    if (good && s.uses.n)
        qsort(s.uses.items, s.uses.n, sizeof *s.uses.items, by_symbol);
    for (size_t k = 0; good && k < n; k++) {
        Node sum = sum_of_uses(&s, symbols[k]);
        costs[k] = sum ? solving_cost(cell, sum, symbols[k]) : NEVER;
        good = costs[k] >= 0;
    }
    vec_drop(cell->alloc, &s.open);
    vec_drop(cell->alloc, &s.factors);
    vec_drop(cell->alloc, &s.terms);
    vec_drop(cell->alloc, &s.uses);
    return good;
}

bool solving_costs(Cell *cell, Node residual, const uint64_t *symbols, size_t n, int32_t *costs)
{
    if (n > FEW)
        return costs_of_sum(cell, residual, symbols, n, costs);
    for (size_t k = 0; k < n; k++) {
        costs[k] = solving_cost(cell, residual, symbols[k]);
        if (costs[k] < 0)
            return false;
    }
    return true;
}
