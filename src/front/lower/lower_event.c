/* lower_event.c - relations, steps, pre and sample as discrete variables of the cell; when-clauses:
 * lower_when.c.
 *
 * What each construct becomes (event.h says what is made of it):
 *
 * - x > 3: a relation, whose side is a discrete variable. Inside noEvent, smooth(1, ...),
 * functions, bodies of when and initial equations it is computed where it stands;
 * - floor(x), mod(x, y): a step;
 * - pre(v): a variable of its own; edge, change and the conditions of when are made of it;
 * - sample(s, d): a counter k in memory: true where the time of the event has reached s + k d,
 * which is a product and not a sum of many steps.
 */
#include "front/function/large.h"
#include "front/lower/lower.h"

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
    if (large_refuse(lower->front))
        return UINT32_MAX;
    char name[80];
    int line = span_place(span).line;
    if (meaning == MEANING_MEMORY && line > 0) /* those of one line are elements of an array */
        snprintf(name, sizeof name, "%s %zu (line %d)", what, number, line);
    else
        snprintf(name, sizeof name, "%s %zu", what, number);
    uint32_t v =
        cell_add_discrete(&lower->cell, meaning, keep_text(lower->front, name), span_place(span));
    if (v == UINT32_MAX || !lower_sync(lower))
        lower->front->work.failed = true;
    return v;
}

Node lower_initial_flag(Lower *lower)
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

typedef struct VaryingSymbols {
    const Cell *cell;
    bool any;
} VaryingSymbols;

static bool note_varying(void *user, uint64_t symbol, Node node)
{
    VaryingSymbols *s = user;
    (void)node;
    s->any |= symbol == CELL_TIME || is_seed(symbol) || is_bound_symbol(symbol) ||
              s->cell->variables.items[symbol_variable(symbol)].role != CELL_PARAMETER;
    return !s->any;
}

bool lower_varies(Lower *lower, Node node)
{
    VaryingSymbols s = {.cell = &lower->cell};
    if (!graph_symbols(&lower->cell.graph, &node, 1, note_varying, &s) && !s.any)
        lower->front->work.failed = true;
    return s.any;
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
        CellRelation r = {.variable = v,
                          .value = value,
                          .place = span_place(span),
                          .path = lower_inst_text(lower, where)};
        if (v == UINT32_MAX || !vec_push(cell->alloc, &cell->events.relations, r)) {
            f->work.failed = true;
            return NO_NODE;
        }
        lower->side_of.items[value] = v + 1;
    }
    return cell_variable(cell, lower->side_of.items[value] - 1, 0);
}

/* == or <> of Reals, which a warning reports unless both are discrete */
static void note_equality(Lower *lower, Node difference, SourceSpan span, const Inst *where)
{
    Cell *cell = &lower->cell;
    for (size_t i = 0; i < cell->events.equalities.n; i++)
        if (cell->events.equalities.items[i].difference == difference)
            return;
    CellEquality e = {difference, span_place(span), lower_inst_text(lower, where)};
    if (!vec_push(cell->alloc, &cell->events.equalities, e))
        lower->front->work.failed = true;
}

double symbolic_relation(Front *f, Operator op, double a, double b, SourceSpan span,
                         const Inst *where)
{
    Lower *lower = f->lower;
    Graph *g = lower_graph(f);
    Node x = symbolic_node(f, a), y = symbolic_node(f, b);
    bool is_order =
        op == OP_LESS || op == OP_GREATER || op == OP_LESS_EQUAL || op == OP_GREATER_EQUAL;
    bool swapped = op == OP_GREATER || op == OP_LESS_EQUAL;
    Node value = swapped ? node_subtract(g, y, x) : node_subtract(g, x, y);
    if (lower->literal || !value || !lower_varies(lower, value))
        return symbolic_binary(f, op, a, b);
    if (!is_order) {
        note_equality(lower, value, span, where);
        return symbolic_binary(f, op, a, b);
    }
    Node side = side_of(lower, value, span, where);
    if (op == OP_LESS_EQUAL || op == OP_GREATER_EQUAL)
        side = lower_not(g, side);
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
    if (n->kind != NODE_SYMBOL || n->symbol == CELL_TIME || is_seed(n->symbol) ||
        is_bound_symbol(n->symbol) || symbol_order(n->symbol))
        return UINT32_MAX;
    return symbol_variable(n->symbol);
}

Node lower_pre_of(Lower *lower, uint32_t v, SourceSpan span)
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
    bool is_pre = strcmp(e->call->function->name, "pre") == 0;
    if (a->kind == V_STRING || (a->kind == V_RECORD && !is_pre) || a->kind == V_OBJECT) {
        report_error(f, e->span, env.inst,
                     "%s needs a variable, this is of type %s\nname a variable",
                     e->call->function->name, value_kind_text(a->kind));
        return (Value){0};
    }
    Value v = value_copy(f, a, e->span);
    for (size_t i = 0; v.kind == V_RECORD && i < v.record->n; i++) { /* field by field */
        v.record->fields[i] = value_before(f, e, &a->record->fields[i], env);
        if (v.record->fields[i].kind == V_NONE)
            return (Value){0};
    }
    for (size_t i = 0; v.kind != V_RECORD && v.kind != V_NONE && i < v.n; i++) {
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
        Value before =
            value_number(v.kind, symbolic_element(lower_pre_of(lower, variable, e->span)));
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
        Value before = value_number(v.kind, symbolic_element(lower_pre_of(f->lower, x, span)));
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
        Node node = change ? lower_not(g, node_make(g, NODE_EQUAL, a, b, NO_NODE))
                           : lower_and(g, a, lower_not(g, b));
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

/* the clock of a sample; equal ones are one */
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
    Node fires = lower_and(g, lower_not(g, early), lower_not(g, lower_initial_flag(lower)));
    Node next = next_count(lower, count, fires, start, interval);
    lower_memory(lower, (CellMemory){.variable = v, .next = next, .place = span_place(span)});
    Node timer = node_add(g, start, node_multiply(g, next, interval));
    LowerSample sample = {start, interval, fires};
    if (!timer || !vec_push(lower->cell.alloc, &lower->cell.events.timers, timer) ||
        !vec_push(lower->front->alloc, &lower->samples, sample))
        lower->front->work.failed = true;
    return fires;
}

bool lower_is_sample(const Lower *lower, Node node)
{
    for (size_t i = 0; i < lower->samples.n; i++)
        if (lower->samples.items[i].fires == node)
            return true;
    return false;
}

/* an interval that differs between the elements of an array is examined when the run begins */
static Node positive_interval(Lower *lower, Node interval, SourceSpan span)
{
    Graph *g = &lower->cell.graph;
    Node positive = node_make(g, NODE_LESS, node_constant(g, 0), interval, NO_NODE);
    CellRequest r = {.kind = REQUEST_ERROR,
                     .node = lower_not(g, positive),
                     .text = "the interval of sample must be positive",
                     .place = span_place(span)};
    if (!r.node || !vec_push(lower->cell.alloc, &lower->cell.events.requests, r))
        lower->front->work.failed = true;
    return node_select(g, positive, interval, node_constant(g, 1));
}

#define SHORTEST_SAMPLE 1e-18

/* sample(start, interval) */
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
    if (lower_clock_function(f, e, env, result))
        return true;
    if (strcmp(name, "pre") == 0)
        *result = lower_pre(f, e, env);
    else if (strcmp(name, "edge") == 0 || strcmp(name, "change") == 0)
        *result = lower_edge(f, e, env, *name == 'c');
    else if (strcmp(name, "sample") == 0)
        *result = lower_sample(f, e, env);
    else if (strcmp(name, "delay") == 0)
        *result = lower_delay(f, e, env);
    else if (strcmp(name, "initial") == 0)
        *result = no_arguments(f, e, env, lower_initial_flag(f->lower));
    else if (strcmp(name, "terminal") == 0)
        *result = no_arguments(f, e, env, flag(f->lower, MEANING_TERMINAL));
    else
        return false;
    return true;
}
