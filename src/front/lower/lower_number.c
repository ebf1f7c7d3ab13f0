/* lower_number.c - numbers of parameters, for what has to be known while equations are read: sizes,
 * indices, conditions that decide structure. See lower.h. */
#include "front/lower/lower.h"
#include "front/divide/noted.h"

typedef struct ParameterNumber {
    Front *f;
    bool varies;
    bool probes; /* asks no parameter: only whether something varies */
    bool quiet;  /* a parameter that differs between the elements of an array varies */
    int depth;   /* of variables that follow from others */
} ParameterNumber;

/* A Boolean or Integer variable may follow from parameters: ideal = isEqual(table, ...), and so may
 * a parameter with fixed = false. The other side of the last such equation that was read, or
 * NO_NODE. */
static Node decided_by(Lower *lower, uint64_t symbol)
{
    const LowerVariable *v = &lower->variables.items[symbol_variable(symbol)];
    const CellVariable *x = &lower->cell.variables.items[symbol_variable(symbol)];
    if (!v->member || (x->role != CELL_UNKNOWN && !x->is_free))
        return NO_NODE;
    TypeKind kind = member_type(lower->front, v->member)->kind;
    if (symbol_order(symbol) || kind == TY_REAL)
        return NO_NODE;
    Node self = cell_variable(&lower->cell, symbol_variable(symbol), 0);
    size_t n = x->is_free ? lower->cell.initial.n : lower->cell.equations.n;
    const CellEquation *list = x->is_free ? lower->cell.initial.items : lower->cell.equations.items;
    for (size_t i = n; i-- > 0;) {
        const CellEquation *e = &list[i];
        if (e->left == self || e->right == self)
            return e->left == self ? e->right : e->left;
    }
    return NO_NODE;
}

/* a parameter that stands for a number of the text, see loop_number.c */
static bool is_number_of_text(const Lower *lower, uint64_t symbol)
{
    return symbol != CELL_TIME && !is_seed(symbol) && !is_bound_symbol(symbol) &&
           symbol_variable(symbol) < lower->variables.n &&
           lower->variables.items[symbol_variable(symbol)].number;
}

/* a parameter at the cursors of its key; anything else varies */
static double number_of_symbol(void *user, uint64_t symbol)
{
    ParameterNumber *p = user;
    Lower *lower = p->f->lower;
    const LowerVariable *v = NULL;
    if (is_number_of_text(lower, symbol)) {
        const CellVariable *x = &lower->cell.variables.items[symbol_variable(symbol)];
        note_rounding(p->f, (SourceSpan){0}, (double)symbol, x->number);
        return x->number;
    }
    if (is_seed(symbol)) {
        double x = seed_element(p->f, symbol);
        return is_symbolic(x) ? node_evaluate(&lower->cell.graph, symbolic_node(p->f, x),
                                              number_of_symbol, user)
                              : x;
    }
    if (is_bound_symbol(symbol)) {
        p->varies = true;
        return 0;
    }
    if (symbol != CELL_TIME && symbol_order(symbol) == 0 &&
        lower->cell.variables.items[symbol_variable(symbol)].role == CELL_PARAMETER &&
        !lower->cell.variables.items[symbol_variable(symbol)].is_free)
        v = &lower->variables.items[symbol_variable(symbol)];
    if (!v || !member_is_parameter(v->member)) {
        Node right = symbol == CELL_TIME ? NO_NODE : decided_by(lower, symbol);
        p->varies |= !right || p->depth == 20;
        if (p->varies)
            return 0;
        p->depth++;
        double number = node_evaluate(&lower->cell.graph, right, number_of_symbol, user);
        p->depth--;
        return number;
    }
    if (p->probes)
        return 0;
    Axis *inner[AXIS_DEPTH];
    size_t n = 0, saved[AXIS_DEPTH], key = v->key;
    for (Axis *axis = v->member->inst->axis; axis && axis != lower->top->axis; axis = axis->outer) {
        saved[n] = axis->index;
        inner[n++] = axis;
    }
    for (size_t i = n; key && i-- > 0; key /= inner[i]->n + 1) /* memo_key has the outermost last */
        inner[i]->index = key % (inner[i]->n + 1) - 1;
    unsigned long long before = p->f->touched;
    p->f->touched = 0;
    SourceSpan span = v->member->component->name_span;
    Value x = member_value(p->f, v->member, span);
    unsigned long long outer = p->f->touched & ~lower_inner_axes(lower, v->member->inst);
    p->f->touched = before;
    for (size_t i = 0; i < n; i++)
        inner[i]->index = saved[i];
    p->varies |=
        p->quiet ? outer != 0 : !same_for_all(p->f, outer, span, lower->top, v->member->name);
    p->varies |= x.kind == V_NONE || v->element >= x.n;
    if (p->varies)
        return 0;
    note_structural(p->f, v->member, v->element, v->key, value_at(&x, v->element));
    return value_at(&x, v->element);
}

/* time, derivatives and Reals that are no parameters: nothing that is read later makes them numbers
 */
static bool symbol_varies(const Lower *lower, uint64_t symbol)
{
    if (symbol == CELL_TIME || is_bound_symbol(symbol) || is_seed(symbol) || symbol_order(symbol))
        return !is_seed(symbol);
    const CellVariable *x = &lower->cell.variables.items[symbol_variable(symbol)];
    return x->role != CELL_PARAMETER && x->type == LIEDER_TYPE_REAL;
}

/* Does a node depend on such a symbol? Each node is examined once. */
static bool surely_varies(Lower *lower, Node node)
{
    enum { STAYS = 1, VARIES = 2 };
    Graph *g = &lower->cell.graph;
    NodeList order = {0};
    bool good = vec_resize(lower->front->alloc, &lower->varies, g->nodes.n) &&
                graph_reach(g, &node, 1, lower->varies.items, &order);
    Node *verdict = lower->varies.items;
    for (size_t i = 0; good && i < order.n; i++) {
        const NodeData *d = node_data(g, order.items[i]);
        bool varies = d->kind == NODE_SYMBOL && symbol_varies(lower, d->symbol);
        varies |= d->a && verdict[d->a] == VARIES;
        varies |= d->b && verdict[d->b] == VARIES;
        varies |= d->c && verdict[d->c] == VARIES;
        verdict[order.items[i]] = varies ? VARIES : STAYS;
    }
    vec_drop(g->alloc, &order);
    if (!good)
        lower->front->work.failed = true;
    return good && verdict[node] == VARIES;
}

/* does an element depend on variables? */
static bool any_varies(Front *f, const Value *v)
{
    ParameterNumber p = {.f = f, .probes = true};
    for (size_t i = 0; !f->seeds.n && i < v->n; i++)
        if (is_symbolic(value_at(v, i)) &&
            surely_varies(f->lower, symbolic_node(f, value_at(v, i))))
            return true;
    for (size_t i = 0; !p.varies && i < v->n; i++)
        if (is_symbolic(value_at(v, i)))
            node_evaluate(lower_graph(f), symbolic_node(f, value_at(v, i)), number_of_symbol, &p);
    return p.varies;
}

/* replaces parameters in a value by their numbers; false: there are some without */
static bool find_numbers(Front *f, Value *v, bool quiet)
{
    if (!f->lower || v->kind == V_STRING || v->kind == V_RECORD || v->kind == V_NONE)
        return v->kind != V_NONE && v->kind != V_RECORD;
    ParameterNumber p = {.f = f, .quiet = quiet};
    bool known = true;
    for (size_t i = 0; known && i < v->n; i++)
        known = !is_symbolic(value_at(v, i));
    if (known || any_varies(f, v))
        return known;
    Value w = value_copy(f, v, (SourceSpan){0});
    for (size_t i = 0; !p.varies && w.kind != V_NONE && i < v->n; i++) {
        double x = value_at(v, i);
        if (is_symbolic(x))
            x = node_evaluate(lower_graph(f), symbolic_node(f, x), number_of_symbol, &p);
        if (w.ndim)
            w.num[i] = x;
        else
            w.x = x;
    }
    if (p.varies || w.kind == V_NONE)
        return false;
    *v = w;
    return true;
}

bool parameter_number(Front *f, Value *v)
{
    return find_numbers(f, v, false);
}

bool parameter_number_of_all(Front *f, Value *v)
{
    return find_numbers(f, v, true);
}
