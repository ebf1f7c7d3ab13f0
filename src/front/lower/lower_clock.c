/* lower_clock.c - clocks as the text has them (Modelica 16): each call of an operator becomes a
 * variable that stands for it, with an entry in Lower.clocks. Variables of type Clock are variables
 * of the cell until lower_partition.c has found when each of them ticks; lower_tick.c then says
 * what all of it is at events. */
#include "front/lower/lower.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ arguments */

static const struct {
    const char *name;
    ClockKind kind;
    int most; /* arguments */
    const char *names[3];
} operators[] = {
    {"hold", CLOCK_HOLD, 1, {"u"}},
    {"previous", CLOCK_PREVIOUS, 1, {"u"}},
    {"subSample", CLOCK_SUB, 2, {"u", "factor"}},
    {"superSample", CLOCK_SUPER, 2, {"u", "factor"}},
    {"shiftSample", CLOCK_SHIFT, 3, {"u", "shiftCounter", "resolution"}},
    {"backSample", CLOCK_BACK, 3, {"u", "backCounter", "resolution"}},
    {"noClock", CLOCK_NO_CLOCK, 1, {"u"}},
    {"interval", CLOCK_INTERVAL, 1, {"u"}},
    {"firstTick", CLOCK_FIRST_TICK, 1, {"u"}},
};

/* the argument at a position, or of a name; NULL: it is not given */
static const Expr *argument_at(const CallExpr *call, size_t at, const char *name)
{
    for (size_t i = 0; name && i < call->named.n; i++)
        if (strcmp(call->named.items[i]->name, name) == 0)
            return call->named.items[i]->value;
    return at < call->positional.n ? call->positional.items[at] : NULL;
}

/* an Integer that does not change; -1 after an error */
static long long whole_number(Front *f, const Expr *e, Env env, long long least)
{
    Value v = evaluate(f, e, env);
    if (v.kind == V_NONE)
        return -1;
    if (v.kind != V_INTEGER || v.ndim || !parameter_number_of_all(f, &v) || v.x < (double)least ||
        v.x > 1e15) {
        report_error(f, e->span, env.inst,
                     "an Integer of at least %lld is needed here, which does not change\n"
                     "clocks are found before the simulation: use a number or a parameter",
                     least);
        return -1;
    }
    return (long long)v.x;
}

static bool is_clock(const Lower *lower, Node node)
{
    uint32_t v = lower_variable_of(lower, node);
    return v != UINT32_MAX && lower->variables.items[v].is_clock;
}

bool is_clock_value(Front *f, const Value *v)
{
    return v->kind == V_REAL && v->n && is_symbolic(value_at(v, 0)) &&
           is_clock(f->lower, symbolic_node(f, value_at(v, 0)));
}

/* may the expression be a clock? Calls and names alone are. */
static bool may_be_clock(const Expr *e)
{
    static const char *const calls[] = {"Clock", "subSample", "superSample", "shiftSample",
                                        "backSample"};
    if (e->kind == EX_REF)
        return true;
    for (size_t i = 0; e->kind == EX_CALL && i < sizeof calls / sizeof *calls; i++)
        if (!e->call->function->rest && strcmp(e->call->function->name, calls[i]) == 0)
            return true;
    return false;
}

/* ------------------------------------------------------------------ operators */

static LiederType type_of(ValueKind kind)
{
    return kind == V_REAL      ? LIEDER_TYPE_REAL
           : kind == V_BOOLEAN ? LIEDER_TYPE_BOOLEAN
                               : LIEDER_TYPE_INTEGER;
}

/* a variable without a name in the text */
static uint32_t new_variable(Lower *lower, CellRole role, const char *what, LiederType type,
                             SourceSpan span)
{
    char name[80];
    Front *f = lower->front;
    snprintf(name, sizeof name, "%s %zu (line %d)", what, lower->clocks.n + 1, span_line(span));
    const char *kept = arena_text(&f->work, name, strlen(name));
    uint32_t v = kept ? cell_add_variable(&lower->cell, (CellVariable){.name = kept,
                                                                       .place = span_place(span),
                                                                       .role = role,
                                                                       .type = type,
                                                                       .select = SELECT_DEFAULT,
                                                                       .is_hidden = true,
                                                                       .length = 1})
                      : UINT32_MAX;
    if (v == UINT32_MAX || !lower_sync(lower))
        f->work.failed = true;
    return v;
}

/* one element of a call; NO_NODE: memory ran out */
static Node new_call(Lower *lower, ClockOperator call, LiederType type, bool is_a_clock)
{
    CellRole role = call.kind == CLOCK_HOLD ? CELL_UNKNOWN : CELL_DISCRETE;
    call.result = new_variable(lower, role, "clocked", type, call.span);
    if (call.result == UINT32_MAX || !vec_push(lower->front->alloc, &lower->clocks, call)) {
        lower->front->work.failed = true;
        return NO_NODE;
    }
    lower->variables.items[call.result].is_clock = is_a_clock;
    return cell_variable(&lower->cell, call.result, 0);
}

/* what it is applied to: a variable of the text, or one that is this expression */
static void set_argument(Lower *lower, ClockOperator *call, Node node, LiederType type)
{
    call->of = lower_variable_of(lower, node);
    call->is = NO_NODE;
    const CellVariable *x = call->of == UINT32_MAX ? NULL : &lower->cell.variables.items[call->of];
    bool named = x && (lower->variables.items[call->of].is_clock ||
                       (lower->variables.items[call->of].member && x->role == CELL_UNKNOWN));
    if (named && call->kind != CLOCK_SAMPLE && call->kind != CLOCK_EVENT)
        return;
    call->is = node;
    call->of = new_variable(lower, CELL_UNKNOWN, "argument", type, call->span);
}

/* the operator on each element of a value, field by field of records */
static Value apply_operator(Front *f, ClockOperator call, const Value *u)
{
    Lower *lower = f->lower;
    Value v = value_copy(f, u, call.span);
    for (size_t i = 0; v.kind == V_RECORD && i < v.record->n; i++)
        v.record->fields[i] = apply_operator(f, call, &u->record->fields[i]);
    for (size_t i = 0; v.kind != V_RECORD && v.kind != V_NONE && i < v.n; i++) {
        Node node = symbolic_node(f, value_at(u, i));
        bool constant = !is_symbolic(value_at(u, i)) || !lower_varies(lower, node);
        if (constant && call.kind != CLOCK_SAMPLE)
            continue;
        set_argument(lower, &call, node, type_of(v.kind));
        if (f->work.failed)
            return (Value){0};
        Node result = new_call(lower, call, type_of(v.kind), is_clock(lower, node));
        Value x = value_number(v.kind, symbolic_element(result));
        value_put(&v, i, &x);
    }
    return v;
}

/* hold, previous, subSample, ...: known by number in the table */
static Value lower_conversion(Front *f, const Expr *e, Env env, size_t which)
{
    const CallExpr *call = e->call;
    ClockOperator op = {.kind = operators[which].kind,
                        .of = UINT32_MAX,
                        .clock = UINT32_MAX,
                        .parts = 1,
                        .span = e->span,
                        .where = env.inst};
    const Expr *u = argument_at(call, 0, NULL),
               *count = argument_at(call, 1, operators[which].names[1]),
               *parts = argument_at(call, 2, operators[which].names[2]);
    bool alone = op.kind == CLOCK_INTERVAL || op.kind == CLOCK_FIRST_TICK;
    if (call->positional.n + call->named.n > (size_t)operators[which].most || (!u && !alone) ||
        (call->positional.n + call->named.n >
         (size_t)(u != NULL) + (count != NULL) + (parts != NULL))) {
        report_error(f, e->span, env.inst, "%s has other arguments\nwrite %s(%s%s%s%s%s)",
                     operators[which].name, operators[which].name, operators[which].names[0],
                     operators[which].most > 1 ? ", " : "",
                     operators[which].most > 1 ? operators[which].names[1] : "",
                     operators[which].most > 2 ? ", " : "",
                     operators[which].most > 2 ? operators[which].names[2] : "");
        return (Value){0};
    }
    if (operators[which].most > 1 && count && (op.count = whole_number(f, count, env, 0)) < 0)
        return (Value){0};
    if (operators[which].most > 2 && parts && (op.parts = whole_number(f, parts, env, 1)) < 0)
        return (Value){0};
    Value v = {0};
    if (u) {
        bool before = f->of_variables;
        f->of_variables = op.kind == CLOCK_PREVIOUS;
        v = evaluate(f, u, env);
        f->of_variables = before;
        if (v.kind == V_NONE)
            return v;
    }
    if (!alone)
        return apply_operator(f, op, &v);
    if (u && v.n && v.kind != V_RECORD && is_symbolic(value_at(&v, 0)))
        set_argument(f->lower, &op, symbolic_node(f, value_at(&v, 0)), type_of(v.kind));
    bool first = op.kind == CLOCK_FIRST_TICK;
    Node node = new_call(f->lower, op, first ? LIEDER_TYPE_BOOLEAN : LIEDER_TYPE_REAL, false);
    return value_number(first ? V_BOOLEAN : V_REAL, symbolic_element(node));
}

/* sample(u), sample(u, clock); false: sample(start, interval) */
static bool lower_clocked_sample(Front *f, const Expr *e, Env env, Value *result)
{
    const Expr *u = argument_at(e->call, 0, NULL), *clock = argument_at(e->call, 1, "clock");
    ClockOperator op = {
        .kind = CLOCK_SAMPLE, .clock = UINT32_MAX, .span = e->span, .where = env.inst};
    if (!u || e->call->positional.n + e->call->named.n > 2 || (clock && !may_be_clock(clock)))
        return false;
    if (clock) {
        Value c = evaluate(f, clock, env);
        *result = (Value){0};
        if (!is_clock_value(f, &c))
            return c.kind == V_NONE;
        op.clock = lower_variable_of(f->lower, symbolic_node(f, value_at(&c, 0)));
    }
    Value v = evaluate(f, u, env);
    *result = v.kind == V_NONE ? v : apply_operator(f, op, &v);
    return true;
}

/* ------------------------------------------------------------------ constructors */

/* the interval of a clock: of Integers or a Real */
static bool read_interval(Front *f, const Expr *e, Env env, const Value *first, const Expr *second,
                          ClockOperator *op)
{
    const Expr *at = argument_at(e->call, 0, "interval");
    Value number = *first;
    if (first->kind == V_INTEGER) {
        op->kind = CLOCK_RATIONAL;
        at = argument_at(e->call, 0, "intervalCounter");
        op->count = whole_number(f, at, env, 0);
        op->parts = second ? whole_number(f, second, env, 1) : 1;
        return op->count >= 0 && op->parts >= 1;
    }
    op->kind = CLOCK_REAL;
    op->number = symbolic_node(f, first->x);
    if (first->kind != V_REAL || first->ndim || lower_varies(f->lower, op->number) ||
        !parameter_number_of_all(f, &number) || !(number.x > 1e-18)) {
        report_error(f, e->span, env.inst,
                     "the interval of a clock must be a positive number that does not change\n"
                     "intervals that variables decide are not supported yet: use an event clock");
        return false;
    }
    op->number = node_constant(lower_graph(f), number.x);
    return true;
}

/* Clock(...): by the type of its first argument */
static Value lower_constructor(Front *f, const Expr *e, Env env)
{
    static const char *const firsts[] = {"intervalCounter", "interval", "condition", "c"};
    const CallExpr *call = e->call;
    ClockOperator op = {.kind = CLOCK_INFERRED,
                        .of = UINT32_MAX,
                        .clock = UINT32_MAX,
                        .parts = 1,
                        .span = e->span,
                        .where = env.inst};
    const Expr *first = argument_at(call, 0, NULL), *second = argument_at(call, 1, NULL);
    for (size_t i = 0; i < 4 && !first; i++)
        first = argument_at(call, 0, firsts[i]);
    static const char *const seconds[] = {"resolution", "startInterval", "solverMethod"};
    for (size_t i = 0; i < 3 && !second; i++)
        second = argument_at(call, 9, seconds[i]);
    Value v = first ? evaluate(f, first, env) : (Value){0};
    if (first && v.kind == V_NONE)
        return v;
    if (first && v.kind == V_BOOLEAN && v.ndim == 0) {
        Value start = second ? evaluate(f, second, env) : value_number(V_REAL, 0);
        op.kind = CLOCK_EVENT;
        op.number = start.kind == V_NONE ? NO_NODE : symbolic_node(f, start.x);
        set_argument(f->lower, &op, symbolic_node(f, v.x), LIEDER_TYPE_BOOLEAN);
    } else if (first && is_clock_value(f, &v)) {
        Value method = second ? evaluate(f, second, env) : (Value){0};
        op.kind = CLOCK_SOLVER;
        op.of = lower_variable_of(f->lower, symbolic_node(f, v.x));
        op.method = method.kind == V_STRING ? method.s : "";
    } else if (first && !read_interval(f, e, env, &v, second, &op)) {
        return (Value){0};
    }
    Node node = new_call(f->lower, op, LIEDER_TYPE_REAL, true);
    return value_number(V_REAL, symbolic_element(node));
}

bool lower_clock_function(Front *f, const Expr *e, Env env, Value *result)
{
    const char *name = e->call->function->name;
    if (strcmp(name, "sample") == 0)
        return lower_clocked_sample(f, e, env, result);
    if (strcmp(name, "Clock") == 0) {
        *result = lower_constructor(f, e, env);
        return true;
    }
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (strcmp(name, operators[i].name) == 0) {
            *result = lower_conversion(f, e, env, i);
            return true;
        }
    return false;
}

/* ------------------------------------------------------------------ when */

bool lower_clocked_when(Lower *lower, const Equation *e, Env env)
{
    Front *f = lower->front;
    const Expr *condition = e->branches.n ? e->branches.items[0]->condition : NULL;
    if (!condition || !may_be_clock(condition) || lower->is_initial)
        return false;
    Value c = evaluate(f, condition, env);
    if (!is_clock_value(f, &c))
        return false;
    const char *what = e->branches.n > 1 ? "a clocked when-clause has elsewhen"
                       : lower->in_when || lower->in_clock
                           ? "a clocked when-clause stands inside another one"
                       : lower->branch || f->nchoice
                           ? "a clocked when-clause stands in a branch that variables decide"
                           : NULL;
    if (what) {
        report_error(f, e->span, env.inst, "%s\nwrite a clause of its own", what);
        return true;
    }
    ClockBody body = {.first = lower->cell.equations.n,
                      .clock = lower_variable_of(lower, symbolic_node(f, value_at(&c, 0)))};
    lower->in_clock = true;
    lower->literal++;
    lower_equations(lower, &e->branches.items[0]->body, env);
    lower->literal--;
    lower->in_clock = false;
    body.end = lower->cell.equations.n;
    if (!vec_push(f->alloc, &lower->clock_bodies, body))
        f->work.failed = true;
    return true;
}
