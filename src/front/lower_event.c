/* lower_event.c - relations, pre, sample and when-clauses as discrete variables of the cell.
 *
 * What each construct becomes (event.h says what is made of it):
 *
 * - x > 3: a relation, whose side is a discrete variable. Inside noEvent, smooth(1, ...),
 * functions, bodies of when and initial equations it is computed where it stands;
 * - floor(x), mod(x, y): a step;
 * - pre(v): a variable of its own; edge, change and the conditions of when are made of it;
 * - sample(s, d): a counter k in memory: true where the time of the event has reached s + k d,
 * which is a product and not a sum of many steps;
 * - when c then v = e: v = if fires then e else pre(v), where fires = edge(c), and nothing fires
 *   during the initialisation but when initial().
 *
 * A variable that a clause assigns is memory, whatever its type. See Modelica 8.3.5, 8.6.
 */
#include "front/lower.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ hidden variables */

/* variables that the cell has made by itself have no member */
bool lower_sync(Lower *lower)
{
    while (lower->variables.n < lower->cell.variables.n)
        if (!vec_push(lower->front->alloc, &lower->variables, (LowerVariable){0})) {
            lower->front->work.failed = true;
            return false;
        }
    return true;
}

static const char *keep_text(Front *f, const char *text)
{
    const char *copy = arena_text(&f->work, text, strlen(text));
    if (!copy)
        f->work.failed = true;
    return copy ? copy : "";
}

const char *lower_inst_text(Lower *lower, const Inst *where)
{
    char path[300];
    if (!where || where == lower->top)
        return NULL;
    return keep_text(lower->front, inst_path(where, path, sizeof path));
}

uint32_t lower_hidden(Lower *lower, CellMeaning meaning, const char *what, size_t number,
                      SourceSpan span)
{
    char name[60];
    snprintf(name, sizeof name, "%s %zu", what, number);
    uint32_t v =
        cell_add_discrete(&lower->cell, meaning, keep_text(lower->front, name), span_place(span));
    if (v == UINT32_MAX || !lower_sync(lower))
        lower->front->work.failed = true;
    return v;
}

static Node both(Graph *g, Node a, Node b)
{
    return node_make(g, NODE_AND, a, b, NO_NODE);
}

static Node either(Graph *g, Node a, Node b)
{
    return node_make(g, NODE_OR, a, b, NO_NODE);
}

static Node negated(Graph *g, Node a)
{
    return node_make(g, NODE_NOT, a, NO_NODE, NO_NODE);
}

static Node initial_flag(Lower *lower)
{
    Node node = cell_initial(&lower->cell);
    lower_sync(lower);
    return node;
}

static Node flag(Lower *lower, CellMeaning meaning)
{
    Node node = cell_flag(&lower->cell, meaning);
    lower_sync(lower);
    return node;
}

void lower_memory(Lower *lower, CellMemory memory)
{
    if (!vec_push(lower->cell.alloc, &lower->cell.events.memories, memory))
        lower->front->work.failed = true;
}

void lower_literal(Front *f, int by)
{
    if (f->lowering)
        f->lowering->literal += by;
}

/* ------------------------------------------------------------------ relations and steps */

static bool note_varying(void *user, uint64_t symbol, Node node)
{
    const Cell *cell = user;
    (void)node;
    return symbol != CELL_TIME &&
           cell->variables.items[symbol_variable(symbol)].role == CELL_PARAMETER;
}

bool lower_varies(Lower *lower, Node node)
{
    return !graph_symbols(&lower->cell.graph, &node, 1, note_varying, &lower->cell);
}

/* the side of a relation with this value: 1 where it is below zero */
static Node side_of(Lower *lower, Node value, SourceSpan span, const Inst *where)
{
    Front *f = lower->front;
    Cell *cell = &lower->cell;
    if (!vec_resize(f->alloc, &lower->side_of, cell->graph.nodes.n)) {
        f->work.failed = true;
        return NO_NODE;
    }
    if (!lower->side_of.items[value]) {
        size_t number = cell->events.relations.n + 1;
        uint32_t v = lower_hidden(lower, MEANING_SIDE, "relation", number, span);
        CellRelation r = {v, value, span_place(span), lower_inst_text(lower, where)};
        if (v == UINT32_MAX || !vec_push(cell->alloc, &cell->events.relations, r)) {
            f->work.failed = true;
            return NO_NODE;
        }
        lower->side_of.items[value] = v + 1;
    }
    return cell_variable(cell, lower->side_of.items[value] - 1, 0);
}

/* what abs has as its argument; NO_NODE: the node is no abs */
static Node argument_of_abs(const Graph *g, Node node)
{
    const NodeData *n = node_data(g, node);
    return n->kind == NODE_CALL && n->function == FUNCTION_ABS ? n->a : NO_NODE;
}

/* abs(x) > y in a class with connectors: a relation for each side, x > y or -x > y. Forces and
 * accelerations are linear in what is solved for, and so are the values of these. */
static double relation_of_abs(Front *f, Operator op, Node x, double y, SourceSpan span,
                              const Inst *where)
{
    Graph *g = lower_graph(f);
    bool outside = op == OP_GREATER || op == OP_GREATER_EQUAL;
    double up = symbolic_relation(f, op, symbolic_element(x), y, span, where);
    double down = symbolic_relation(f, op, symbolic_element(node_negate(g, x)), y, span, where);
    return symbolic_element(outside ? either(g, symbolic_node(f, up), symbolic_node(f, down))
                                    : both(g, symbolic_node(f, up), symbolic_node(f, down)));
}

static Operator turned(Operator op)
{
    return op == OP_LESS         ? OP_GREATER
           : op == OP_LESS_EQUAL ? OP_GREATER_EQUAL
           : op == OP_GREATER    ? OP_LESS
                                 : OP_LESS_EQUAL;
}

double symbolic_relation(Front *f, Operator op, double a, double b, SourceSpan span,
                         const Inst *where)
{
    Lower *lower = f->lower;
    Graph *g = lower_graph(f);
    Node x = symbolic_node(f, a), y = symbolic_node(f, b);
    bool is_order =
        op == OP_LESS || op == OP_GREATER || op == OP_LESS_EQUAL || op == OP_GREATER_EQUAL;
    if (is_order && lower->ports.n && !lower->literal && x && y) {
        if (argument_of_abs(g, x))
            return relation_of_abs(f, op, argument_of_abs(g, x), b, span, where);
        if (argument_of_abs(g, y))
            return relation_of_abs(f, turned(op), argument_of_abs(g, y), a, span, where);
    }
    bool swapped = op == OP_GREATER || op == OP_LESS_EQUAL;
    Node value = swapped ? node_subtract(g, y, x) : node_subtract(g, x, y);
    if (!is_order || lower->literal || !value || !lower_varies(lower, value))
        return symbolic_binary(f, op, a, b);
    Node side = side_of(lower, value, span, where);
    if (op == OP_LESS_EQUAL || op == OP_GREATER_EQUAL)
        side = negated(g, side);
    return symbolic_element(side);
}

/* floor(value), held between events */
static Node step_of(Lower *lower, Node value, SourceSpan span, const Inst *where)
{
    Graph *g = &lower->cell.graph;
    CellEvents *events = &lower->cell.events;
    for (size_t i = 0; i < events->steps.n; i++)
        if (events->steps.items[i].value == value)
            return cell_variable(&lower->cell, events->steps.items[i].variable, 0);
    uint32_t v = lower_hidden(lower, MEANING_STEP, "step", events->steps.n + 1, span);
    if (v == UINT32_MAX)
        return NO_NODE;
    lower->cell.variables.items[v].type = LIEDER_TYPE_INTEGER;
    Node cell = cell_variable(&lower->cell, v, 0);
    Node next = node_add(g, cell, node_constant(g, 1));
    CellStep step = {.variable = v, .value = value};
    size_t n = events->relations.n;
    side_of(lower, node_subtract(g, value, cell), span, where);
    side_of(lower, node_subtract(g, value, next), span, where);
    if (lower->front->work.failed || events->relations.n != n + 2)
        return NO_NODE;
    step.below = events->relations.items[n].variable;
    step.above = events->relations.items[n + 1].variable;
    if (!vec_push(lower->cell.alloc, &events->steps, step))
        lower->front->work.failed = true;
    return cell;
}

/* towards zero: the number of whole steps in a quotient */
static Node whole_part(Lower *lower, Node value, SourceSpan span, const Inst *where)
{
    Graph *g = &lower->cell.graph;
    Node down = step_of(lower, value, span, where);
    Node up = node_negate(g, step_of(lower, node_negate(g, value), span, where));
    return node_select(g, side_of(lower, value, span, where), up, down);
}

double symbolic_step(Front *f, Function function, double a, double b, SourceSpan span,
                     const Inst *where)
{
    Lower *lower = f->lower;
    Graph *g = lower_graph(f);
    Node x = symbolic_node(f, a), y = symbolic_node(f, b), node;
    Node quotient = function == FUNCTION_DIV || function == FUNCTION_MOD || function == FUNCTION_REM
                        ? node_divide(g, x, y)
                        : x;
    if (lower->literal || !quotient || !lower_varies(lower, quotient))
        return symbolic_call(f, function, a, b);
    switch (function) {
    case FUNCTION_FLOOR:
    case FUNCTION_INTEGER:
        node = step_of(lower, x, span, where);
        break;
    case FUNCTION_CEIL:
        node = node_negate(g, step_of(lower, node_negate(g, x), span, where));
        break;
    case FUNCTION_SIGN:
        node = node_subtract(g, side_of(lower, node_negate(g, x), span, where),
                             side_of(lower, x, span, where));
        break;
    case FUNCTION_DIV:
        node = whole_part(lower, quotient, span, where);
        break;
    case FUNCTION_MOD:
        node = node_subtract(g, x, node_multiply(g, step_of(lower, quotient, span, where), y));
        break;
    case FUNCTION_REM:
        node = node_subtract(g, x, node_multiply(g, whole_part(lower, quotient, span, where), y));
        break;
    default:
        return symbolic_call(f, function, a, b);
    }
    if (!node)
        f->work.failed = true;
    return symbolic_element(node);
}

/* ------------------------------------------------------------------ pre, edge, change */

/* the variable that a node is, or UINT32_MAX */
uint32_t lower_variable_of(const Lower *lower, Node node)
{
    const NodeData *n = node_data(&lower->cell.graph, node);
    if (n->kind != NODE_SYMBOL || n->symbol == CELL_TIME || symbol_order(n->symbol))
        return UINT32_MAX;
    return symbol_variable(n->symbol);
}

static Node pre_of(Lower *lower, uint32_t v, SourceSpan span)
{
    Front *f = lower->front;
    Cell *cell = &lower->cell;
    char name[330];
    lower->npre++;
    if (!vec_resize(f->alloc, &lower->pre_of, cell->variables.n + 1)) {
        f->work.failed = true;
        return NO_NODE;
    }
    if (!lower->pre_of.items[v]) {
        CellVariable x = cell->variables.items[v];
        snprintf(name, sizeof name, "pre(%.300s)", x.name);
        CellVariable pre = {.name = keep_text(f, name),
                            .place = span_place(span),
                            .role = CELL_DISCRETE,
                            .meaning = MEANING_PRE,
                            .of = v,
                            .type = x.type,
                            .unit = x.unit,
                            .length = 1};
        uint32_t p = cell_add_variable(cell, pre);
        if (p == UINT32_MAX || !vec_push(f->alloc, &lower->variables, lower->variables.items[v])) {
            f->work.failed = true;
            return NO_NODE;
        }
        lower->pre_of.items[v] = p + 1;
    }
    uint32_t p = lower->pre_of.items[v] - 1;
    /* of a continuous variable there is one in the bodies of clauses only */
    if (!lower->in_when && !cell->variables.items[p].is_hint) {
        cell->variables.items[p].is_hint = true;
        cell->variables.items[p].place = span_place(span);
    }
    return cell_variable(cell, p, 0);
}

/* pre of each element of a variable; numbers and parameters do not change */
static Value value_before(Front *f, const Expr *e, const Value *a, Env env)
{
    Lower *lower = f->lower;
    if (a->kind == V_STRING || a->kind == V_RECORD || a->kind == V_OBJECT) {
        report_error(f, e->span, env.inst,
                     "%s needs a variable, this is of type %s\nname a variable",
                     e->call->function->name, value_kind_text(a->kind));
        return (Value){0};
    }
    Value v = value_copy(f, a, e->span);
    for (size_t i = 0; v.kind != V_NONE && i < v.n; i++) {
        double x = value_at(a, i);
        if (!is_symbolic(x))
            continue;
        Node node = symbolic_node(f, x);
        uint32_t variable = lower_variable_of(lower, node);
        if (variable == UINT32_MAX && !lower_varies(lower, node))
            continue;
        if (variable != UINT32_MAX && !lower->variables.items[variable].member)
            variable = UINT32_MAX; /* the side of a relation */
        if (variable == UINT32_MAX) {
            report_error(f, e->span, env.inst, "%s needs a variable\nname a variable of the model",
                         e->call->function->name);
            return (Value){0};
        }
        if (lower->cell.variables.items[variable].role == CELL_PARAMETER)
            continue;
        Value before = value_number(v.kind, symbolic_element(pre_of(lower, variable, e->span)));
        value_put(&v, i, &before);
    }
    return v;
}

Value lower_before(Front *f, Value variable, SourceSpan span)
{
    Value v = value_copy(f, &variable, span);
    for (size_t i = 0; v.kind == V_RECORD && i < v.record->n; i++)
        v.record->fields[i] = lower_before(f, v.record->fields[i], span);
    for (size_t i = 0; v.kind != V_RECORD && v.kind != V_NONE && i < v.n; i++) {
        uint32_t x = lower_variable_of(f->lower, symbolic_node(f, value_at(&v, i)));
        if (x == UINT32_MAX)
            continue;
        Value before = value_number(v.kind, symbolic_element(pre_of(f->lower, x, span)));
        value_put(&v, i, &before);
    }
    return v;
}

/* the argument is a name: the variable, not what an algorithm has assigned to it */
static Value argument_variable(Front *f, const Expr *e, Env env)
{
    if (e->call->positional.n != 1 || e->call->named.n) {
        report_error(f, e->span, env.inst, "%s has one argument\nname a variable",
                     e->call->function->name);
        return (Value){0};
    }
    bool before = f->of_variables;
    f->of_variables = true;
    Value a = evaluate(f, e->call->positional.items[0], env);
    f->of_variables = before;
    return a;
}

static Value lower_pre(Front *f, const Expr *e, Env env)
{
    Value a = argument_variable(f, e, env);
    return a.kind == V_NONE ? a : value_before(f, e, &a, env);
}

/* edge(b) = b and not pre(b); change(v) = v <> pre(v) */
static Value lower_edge(Front *f, const Expr *e, Env env, bool change)
{
    Value before = argument_variable(f, e, env);
    Value now = before.kind == V_NONE ? before : evaluate(f, e->call->positional.items[0], env);
    if (now.kind == V_NONE)
        return now;
    if (!change && now.kind != V_BOOLEAN) {
        report_error(f, e->span, env.inst,
                     "edge needs a Boolean variable, this is of type %s\n"
                     "use change(...) for numbers",
                     value_kind_text(now.kind));
        return (Value){0};
    }
    Graph *g = lower_graph(f);
    Value pre = value_before(f, e, &before, env);
    Value v = value_array(f, e->span, V_BOOLEAN, now.ndim, now.dim);
    for (size_t i = 0; v.kind != V_NONE && pre.kind != V_NONE && i < v.n; i++) {
        Node a = symbolic_node(f, value_at(&now, i)), b = symbolic_node(f, value_at(&pre, i));
        Node node = change ? negated(g, node_make(g, NODE_EQUAL, a, b, NO_NODE))
                           : both(g, a, negated(g, b));
        Value x = value_number(V_BOOLEAN, symbolic_element(node));
        value_put(&v, i, &x);
    }
    return pre.kind == V_NONE ? pre : v;
}

/* ------------------------------------------------------------------ sample */

/* the next counter: one more, or as many as have gone by where steps are longer than the interval
 */
static Node next_count(Lower *lower, Node count, Node fires, Node start, Node interval)
{
    Graph *g = &lower->cell.graph;
    Node one = node_constant(g, 1), zero = node_constant(g, 0);
    Node since = node_subtract(g, flag(lower, MEANING_EVENT_TIME), start);
    Node passed = node_call(g, FUNCTION_FLOOR, node_divide(g, since, interval), NO_NODE);
    Node next = node_call(g, FUNCTION_MAX, node_add(g, count, one), node_add(g, passed, one));
    Node first = node_divide(g, node_subtract(g, cell_time(&lower->cell), start), interval);
    first = node_call(g, FUNCTION_MAX, zero, node_call(g, FUNCTION_CEIL, first, NO_NODE));
    return node_select(g, flag(lower, MEANING_INITIAL), first, node_select(g, fires, next, count));
}

static Node sample_of(Lower *lower, Node start, Node interval, SourceSpan span)
{
    Graph *g = &lower->cell.graph;
    for (size_t i = 0; i < lower->samples.n; i++)
        if (lower->samples.items[i].start == start && lower->samples.items[i].interval == interval)
            return lower->samples.items[i].fires;
    uint32_t v = lower_hidden(lower, MEANING_MEMORY, "samples", lower->samples.n + 1, span);
    if (v == UINT32_MAX)
        return NO_NODE;
    lower->cell.variables.items[v].type = LIEDER_TYPE_INTEGER;
    Node count = cell_variable(&lower->cell, v, 0);
    Node instant = node_add(g, start, node_multiply(g, count, interval));
    Node early = node_make(g, NODE_LESS, flag(lower, MEANING_EVENT_TIME), instant, NO_NODE);
    Node fires = both(g, negated(g, early), negated(g, initial_flag(lower)));
    Node next = next_count(lower, count, fires, start, interval);
    lower_memory(lower, (CellMemory){.variable = v, .next = next, .place = span_place(span)});
    Node timer = node_add(g, start, node_multiply(g, next, interval));
    LowerSample sample = {start, interval, fires};
    if (!timer || !vec_push(lower->cell.alloc, &lower->cell.events.timers, timer) ||
        !vec_push(lower->front->alloc, &lower->samples, sample))
        lower->front->work.failed = true;
    return fires;
}

static bool is_sample(const Lower *lower, Node node)
{
    for (size_t i = 0; i < lower->samples.n; i++)
        if (lower->samples.items[i].fires == node)
            return true;
    return false;
}

/* an interval that differs between the elements of an array is looked at when the run begins */
static Node positive_interval(Lower *lower, Node interval, SourceSpan span)
{
    Graph *g = &lower->cell.graph;
    Node positive = node_make(g, NODE_LESS, node_constant(g, 0), interval, NO_NODE);
    CellRequest r = {.kind = REQUEST_ERROR,
                     .node = negated(g, positive),
                     .text = "the interval of sample must be positive",
                     .place = span_place(span)};
    if (!r.node || !vec_push(lower->cell.alloc, &lower->cell.events.requests, r))
        lower->front->work.failed = true;
    return node_select(g, positive, interval, node_constant(g, 1));
}

#define SHORTEST_SAMPLE 1e-18

static Value lower_sample(Front *f, const Expr *e, Env env)
{
    Lower *lower = f->lower;
    Node at[2];
    if (e->call->positional.n != 2 || e->call->named.n) {
        report_error(f, e->span, env.inst,
                     "sample has two arguments, start and interval\nwrite sample(0, 0.1)");
        return (Value){0};
    }
    for (int i = 0; i < 2; i++) {
        const Expr *x = e->call->positional.items[i];
        Value v = evaluate(f, x, env), number = v;
        if (v.kind == V_NONE)
            return v;
        if ((v.kind != V_REAL && v.kind != V_INTEGER) || v.ndim ||
            (is_symbolic(v.x) && lower_varies(lower, symbolic_node(f, v.x)))) {
            report_error(f, x->span, env.inst,
                         "sample needs numbers that do not change\nuse parameters here");
            return (Value){0};
        }
        bool known = parameter_number_of_all(f, &number);
        if (i == 1 && known && !(number.x > SHORTEST_SAMPLE)) {
            report_error(f, x->span, env.inst, "the interval of sample is %g\nit must be %s",
                         number.x,
                         number.x > 0 ? "longer than the rounding of the time" : "positive");
            return (Value){0};
        }
        at[i] = symbolic_node(f, v.x);
        if (i == 1 && !known)
            at[i] = positive_interval(lower, at[i], x->span);
    }
    return value_number(V_BOOLEAN, symbolic_element(sample_of(lower, at[0], at[1], e->span)));
}

/* ------------------------------------------------------------------ functions of events */

static Value no_arguments(Front *f, const Expr *e, Env env, Node node)
{
    if (e->call->positional.n || e->call->named.n) {
        report_error(f, e->span, env.inst, "%s has no argument\nwrite %s()",
                     e->call->function->name, e->call->function->name);
        return (Value){0};
    }
    return value_number(V_BOOLEAN, symbolic_element(node));
}

bool lower_event_function(Front *f, const Expr *e, Env env, Value *result)
{
    const char *name = e->call->function->name;
    if (strcmp(name, "pre") == 0)
        *result = lower_pre(f, e, env);
    else if (strcmp(name, "edge") == 0 || strcmp(name, "change") == 0)
        *result = lower_edge(f, e, env, *name == 'c');
    else if (strcmp(name, "sample") == 0)
        *result = lower_sample(f, e, env);
    else if (strcmp(name, "delay") == 0)
        *result = lower_delay(f, e, env);
    else if (strcmp(name, "initial") == 0)
        *result = no_arguments(f, e, env, initial_flag(f->lower));
    else if (strcmp(name, "terminal") == 0)
        *result = no_arguments(f, e, env, flag(f->lower, MEANING_TERMINAL));
    else
        return false;
    return true;
}

/* ------------------------------------------------------------------ clauses */

/* a condition becomes true: its memory is what it was before the event */
static Node rises(Lower *lower, Node condition, SourceSpan span)
{
    Graph *g = &lower->cell.graph;
    if (is_sample(lower, condition))
        return condition; /* true in one pass only */
    uint32_t v =
        lower_hidden(lower, MEANING_MEMORY, "condition", lower->cell.events.memories.n + 1, span);
    if (v == UINT32_MAX)
        return NO_NODE;
    lower_memory(lower, (CellMemory){.variable = v, .next = condition, .place = span_place(span)});
    return both(g, condition, negated(g, cell_variable(&lower->cell, v, 0)));
}

bool clause_begin(Front *f, Clause *c, SourceSpan span, Env env)
{
    Lower *lower = f->lower;
    const char *what = lower->in_when ? "a when-clause stands inside another one"
                       : lower->branch || f->nchoice
                           ? "a when-clause stands in a branch that variables decide"
                       : lower->is_initial ? "a when-clause stands in an initial section"
                                           : NULL;
    *c = (Clause){.lower = lower, .earlier = node_constant(&lower->cell.graph, 0)};
    if (!what)
        return true;
    report_error(f, span, env.inst, "%s\nput the condition into the condition of the clause", what);
    return false;
}

/* conditions: one, or a vector of them */
static bool read_conditions(Front *f, Clause *c, const Expr *condition, Env env)
{
    Value v = evaluate(f, condition, env);
    if (v.kind == V_NONE)
        return false;
    if (v.kind != V_BOOLEAN || v.ndim > 1) {
        report_error(f, condition->span, env.inst,
                     "the condition of a when-clause must be Boolean, this is of type %s\n"
                     "compare it with something: x > 0",
                     value_kind_text(v.kind));
        return false;
    }
    c->conditions = v;
    return true;
}

bool clause_open(Front *f, Clause *c, const Expr *condition, Env env, double *fires)
{
    Lower *lower = c->lower;
    size_t number = lower->cell.events.whens.n + 1;
    if (!condition || !read_conditions(f, c, condition, env))
        return false;
    c->span = condition->span;
    c->variable = lower_hidden(lower, MEANING_FIRES, "when", number, c->span);
    if (c->variable == UINT32_MAX)
        return false;
    *fires = symbolic_element(cell_variable(&lower->cell, c->variable, 0));
    lower->fires = cell_variable(&lower->cell, c->variable, 0);
    lower->in_when = true;
    lower->literal++;
    c->npre = lower->npre;
    return true;
}

/* When initial() holds its clause is a part of the initial equations: it holds in every initial
 * pass, but where it counts from pre values it happens once. */
void clause_close(Front *f, Clause *c)
{
    Lower *lower = c->lower;
    Graph *g = &lower->cell.graph;
    Node initial = initial_flag(lower), any = node_constant(g, 0);
    bool counts = lower->npre > c->npre;
    lower->in_when = false;
    lower->literal--;
    for (size_t i = 0; i < c->conditions.n; i++) {
        Node condition = symbolic_node(f, value_at(&c->conditions, i));
        Node rise;
        if (condition == initial)
            rise = counts ? rises(lower, initial, c->span) : initial;
        else
            rise = both(g, rises(lower, condition, c->span), negated(g, initial));
        any = either(g, any, rise);
    }
    CellWhen when = {c->variable, both(g, any, negated(g, c->earlier)), span_place(c->span)};
    c->earlier = either(g, c->earlier, cell_variable(&lower->cell, c->variable, 0));
    if (!c->earlier || !vec_push(lower->cell.alloc, &lower->cell.events.whens, when))
        f->work.failed = true;
}

/* ------------------------------------------------------------------ variables of clauses */

void lower_assigned(Lower *lower, Node left, Node value, SourceSpan span, const Inst *where)
{
    Front *f = lower->front;
    uint32_t v = lower_variable_of(lower, left);
    CellVariable *x = v == UINT32_MAX ? NULL : &lower->cell.variables.items[v];
    if (!x || (x->role != CELL_UNKNOWN && x->meaning != MEANING_WHEN)) {
        report_error(f, span, where,
                     "the left side of an equation in a when-clause must be a variable\n"
                     "write v = expression, where nothing else decides v");
        return;
    }
    if (x->meaning == MEANING_WHEN) {
        report_error(f, span, where,
                     "'%s' is assigned by more than one when-clause\n"
                     "use one clause with elsewhen, which says what comes first",
                     x->name);
        return;
    }
    x->role = CELL_DISCRETE;
    x->meaning = MEANING_WHEN;
    lower_memory(lower, (CellMemory){.variable = v,
                                     .next = value,
                                     .place = span_place(span),
                                     .path = lower_inst_text(lower, where)});
}

/* element by element, and field by field of records */
void lower_assigned_values(Lower *lower, Value left, Value value, SourceSpan span, Env env)
{
    Front *f = lower->front;
    if (left.kind == V_NONE || value.kind == V_NONE)
        return;
    for (size_t i = 0; left.kind == V_RECORD && i < left.record->n; i++) {
        const Value *field = record_field(&value, left.record->names[i]);
        if (field)
            lower_assigned_values(lower, left.record->fields[i], *field, span, env);
    }
    for (size_t i = 0; left.kind != V_RECORD && i < left.n && i < value.n; i++)
        lower_assigned(lower, symbolic_node(f, value_at(&left, i)),
                       symbolic_node(f, value_at(&value, i)), span, env.inst);
}

/* what one clause of a when-equation assigns */
typedef struct ClauseBranch {
    Node fires;
    EquationPairs pairs;
} ClauseBranch;
typedef VEC(ClauseBranch) ClauseBranches;

static bool read_clause(Lower *lower, Clause *c, const Branch *branch, Env env, ClauseBranch *to)
{
    Front *f = lower->front;
    double fires;
    if (!clause_open(f, c, branch->condition, env, &fires))
        return false;
    to->fires = symbolic_node(f, fires);
    lower->branch = &to->pairs;
    lower_equations(lower, &branch->body, env);
    lower->branch = NULL;
    clause_close(f, c);
    return true;
}

enum { CLAUSE_STEPS = 100 }; /* of when, beside what it says */

/* v = if fires then e else (if fires of a later clause then ... else pre(v)) */
static void join_branches(Lower *lower, const ClauseBranches *all, SourceSpan span, Env env)
{
    Graph *g = &lower->cell.graph;
    NodeList done = {0};
    for (size_t b = 0; b < all->n; b++)
        for (size_t i = 0; i < all->items[b].pairs.n; i++) {
            const CellEquation *first = &all->items[b].pairs.items[i];
            uint32_t v = lower_variable_of(lower, first->left);
            bool known = false;
            for (size_t k = 0; k < done.n; k++)
                known |= done.items[k] == first->left;
            /* twice in one clause is too much; it is found in the first one */
            for (size_t k = 0; k < i; k++)
                if (all->items[b].pairs.items[k].left == first->left) {
                    report_error(lower->front, span, env.inst,
                                 "a when-clause has two equations for '%s'\nremove one of them",
                                 v == UINT32_MAX ? "a variable"
                                                 : lower->cell.variables.items[v].name);
                    known = true;
                }
            if (known)
                continue;
            Node value = v == UINT32_MAX ? NO_NODE : pre_of(lower, v, span);
            for (size_t c = b; c < all->n && value; c++)
                for (size_t k = 0; k < all->items[c].pairs.n; k++)
                    if (all->items[c].pairs.items[k].left == first->left)
                        value = node_select(g, all->items[c].fires,
                                            all->items[c].pairs.items[k].right, value);
            if (!vec_push(lower->front->alloc, &done, first->left))
                lower->front->work.failed = true;
            lower_assigned(lower, first->left, value, span, env.inst);
        }
    vec_drop(lower->front->alloc, &done);
}

void lower_when(Lower *lower, const Equation *e, Env env)
{
    Front *f = lower->front;
    Clause c;
    ClauseBranches all = {0};
    bool good = spend(f, e->span, CLAUSE_STEPS) && clause_begin(f, &c, e->span, env);
    for (size_t i = 0; good && i < e->branches.n; i++) {
        ClauseBranch branch = {0};
        good = read_clause(lower, &c, e->branches.items[i], env, &branch);
        if (!vec_push(f->alloc, &all, branch)) {
            vec_drop(f->alloc, &branch.pairs);
            f->work.failed = true;
        }
    }
    if (good)
        join_branches(lower, &all, e->span, env);
    for (size_t i = 0; i < all.n; i++)
        vec_drop(f->alloc, &all.items[i].pairs);
    vec_drop(f->alloc, &all);
}

/* ------------------------------------------------------------------ when all is read */

/* pre of a variable that no clause assigns is what it was at the end of the last pass */
static void end_pre(Lower *lower, uint32_t p)
{
    const CellVariable *pre = &lower->cell.variables.items[p];
    const CellVariable *of = &lower->cell.variables.items[pre->of];
    if (of->meaning == MEANING_WHEN)
        return;
    if (of->type != LIEDER_TYPE_REAL) {
        lower_memory(lower, (CellMemory){.variable = p,
                                         .next = cell_variable(&lower->cell, pre->of, 0),
                                         .initial = cell_variable(&lower->cell, p, 0),
                                         .place = pre->place});
    } else if (pre->is_hint) {
        diag_error(lower->front->diag, &pre->place, NULL,
                   "pre(%s) outside of a when-clause: the variable is continuous\n"
                   "use it inside of when, or assign the variable by when",
                   of->name);
        lower->front->nwrong++;
    }
}

/* what a clause assigns has no derivative */
static void check_derivatives(Lower *lower)
{
    const Cell *cell = &lower->cell;
    for (Node i = 1; i < cell->graph.nodes.n; i++) {
        const NodeData *n = node_data(&cell->graph, i);
        if (n->kind != NODE_SYMBOL || n->symbol == CELL_TIME || !symbol_order(n->symbol))
            continue;
        const CellVariable *v = &cell->variables.items[symbol_variable(n->symbol)];
        if (v->role != CELL_DISCRETE)
            continue;
        diag_error(lower->front->diag, &v->place, NULL,
                   "'%s' is discrete, since a when-clause assigns it, and has no derivative\n"
                   "use another variable where a derivative is needed",
                   v->name);
        lower->front->nwrong++;
    }
}

void lower_end_events(Lower *lower)
{
    Cell *cell = &lower->cell;
    check_derivatives(lower);
    lower_sync(lower);
    for (uint32_t v = 0, n = (uint32_t)cell->variables.n; v < n; v++)
        if (cell->variables.items[v].meaning == MEANING_PRE)
            end_pre(lower, v);
    lower_end_random(lower);
}
