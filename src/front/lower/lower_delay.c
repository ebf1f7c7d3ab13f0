/* lower_delay.c - delay(expression, time) and delay(expression, time, longest).
 *
 *   delay(u, T)   if decided - T is in the past then u(s) else u0,
 *                 where s = time - T, kept between the jumps about decided - T (history.h);
 *                 nothing happens when a jump arrives by a T that varies: it is decided at s
 *
 * u0 is memory that the first event of a run sets to u. The past is a discrete variable that stands
 * for an address (MEANING_HISTORY); the engine keeps it (solve/events/history.c). Of what only
 * events change the past is read at the time of decision itself, so that a Boolean stays one
 * between events.
 */
#include "front/lower/lower.h"

#include <stdio.h>
#include <string.h>

static Node fail_delay(Lower *lower)
{
    lower->front->work.failed = true;
    return NO_NODE;
}

/* "delay 2" and the like, which stays */
static const char *number_name(Lower *lower, const char *what, size_t number)
{
    char name[60];
    snprintf(name, sizeof name, "%s %zu", what, number);
    const char *copy = arena_text(&lower->front->work, name, strlen(name));
    return copy ? copy : (fail_delay(lower), "");
}

static uint32_t add_variable(Lower *lower, CellMeaning meaning, const char *what, size_t number,
                             SourceSpan span)
{
    uint32_t v = cell_add_discrete(&lower->cell, meaning, number_name(lower, what, number),
                                   span_place(span));
    if (v == UINT32_MAX || !lower_sync(lower))
        fail_delay(lower);
    else
        lower->cell.variables.items[v].type = LIEDER_TYPE_REAL;
    return v;
}

/* what the time of a delay has to be, examined while the run goes on */
static void demand(Lower *lower, Node wrong_, const char *text, SourceSpan span)
{
    CellRequest r = {
        .kind = REQUEST_ERROR, .node = wrong_, .text = text, .place = span_place(span)};
    if (!wrong_ || !vec_push(lower->cell.alloc, &lower->cell.events.requests, r))
        fail_delay(lower);
}

/* the past of u at s = time - T, or u0 */
static Node past(Lower *lower, uint32_t history, Node first, Node T, bool discrete)
{
    Graph *g = &lower->cell.graph;
    Node address = cell_variable(&lower->cell, history, 0);
    Node now = cell_flag(&lower->cell, MEANING_EVENT_TIME);
    if (!now || !lower_sync(lower))
        return fail_delay(lower);
    Node s = node_subtract(g, cell_time(&lower->cell), T);
    Node decided = lower_varies(lower, T) ? s : node_subtract(g, now, T);
    if (discrete) {
        s = decided;
    } else if (s != decided) {
        s = node_call(g, FUNCTION_MAX, s, node_call(g, FUNCTION_HISTORY_FROM, address, decided));
        s = node_call(g, FUNCTION_MIN, s, node_call(g, FUNCTION_HISTORY_UNTIL, address, decided));
    }
    return node_select(g, node_call(g, FUNCTION_HISTORY_READY, address, decided),
                       node_call(g, FUNCTION_HISTORY_VALUE, address, s), first);
}

/* the value of u at t - T, by a history and the value at the start; equal delays are one */
static Node delay_of(Lower *lower, Node u, Node T, Node most, bool discrete, bool may_be_zero,
                     SourceSpan span)
{
    Cell *cell = &lower->cell;
    for (size_t i = 0; i < cell->events.delays.n; i++) {
        const CellDelay *d = &cell->events.delays.items[i];
        if (d->value == u && d->time == T && d->most == most)
            return d->result;
    }
    size_t number = cell->events.delays.n + 1;
    uint32_t history = add_variable(lower, MEANING_HISTORY, "past", number, span);
    uint32_t first = add_variable(lower, MEANING_MEMORY, "delayed at the start", number, span);
    if (lower->front->work.failed)
        return NO_NODE;
    Node u0 = cell_variable(cell, first, 0);
    CellMemory memory = {.variable = first, .next = u0, .initial = u, .place = span_place(span)};
    CellDelay d = {.variable = history,
                   .value = u,
                   .time = T,
                   .most = most,
                   .place = span_place(span),
                   .result = past(lower, history, u0, T, discrete)};
    if (!d.result || !vec_push(cell->alloc, &cell->events.memories, memory) ||
        !vec_push(cell->alloc, &cell->events.delays, d))
        return fail_delay(lower);
    Graph *g = &cell->graph;
    Node zero = node_constant(g, 0);
    if (most != T)
        demand(lower, node_make(g, NODE_LESS, most, T, NO_NODE),
               "the time of a delay is longer than its limit", span);
    demand(lower,
           may_be_zero ? node_make(g, NODE_LESS, T, zero, NO_NODE)
                       : node_make(g, NODE_LESS_EQUAL, T, zero, NO_NODE),
           "the time of a delay must be positive", span);
    return d.result;
}

/* a time: a number, a parameter, or with a limit anything that varies */
static bool read_time(Front *f, const Expr *x, Env env, bool may_vary, Node *node, Value *number)
{
    Value v = evaluate(f, x, env);
    if (v.kind == V_NONE)
        return false;
    if ((v.kind != V_REAL && v.kind != V_INTEGER) || v.ndim) {
        report_error(f, x->span, env.inst,
                     "the time of a delay must be a Real, this is %s\ngive seconds",
                     v.ndim ? "an array" : value_kind_text(v.kind));
        return false;
    }
    *node = symbolic_node(f, v.x);
    if (!may_vary && is_symbolic(v.x) && lower_varies(f->lower, *node)) {
        report_error(
            f, x->span, env.inst,
            "the time of this delay varies\nsay how long it may be: delay(u, T, Tmax), with a "
            "parameter as Tmax");
        return false;
    }
    *number = v;
    if (!parameter_number_of_all(f, number))
        number->kind = V_NONE;
    if (number->kind != V_NONE && !(number->x >= 0)) {
        report_error(f, x->span, env.inst, "the time of a delay is %g\nit must not be negative",
                     number->x);
        return false;
    }
    return true;
}

Value lower_delay(Front *f, const Expr *e, Env env)
{
    Lower *lower = f->lower;
    Graph *g = &lower->cell.graph;
    const CallExpr *call = e->call;
    size_t n = call->positional.n;
    Node T, most;
    Value seconds, limit;
    if (n < 2 || n > 3 || call->named.n) {
        report_error(
            f, e->span, env.inst,
            "delay has two or three arguments\nwrite delay(u, T), or delay(u, T, Tmax) where T "
            "varies");
        return (Value){0};
    }
    Value u = evaluate(f, call->positional.items[0], env);
    if (u.kind == V_NONE || !read_time(f, call->positional.items[1], env, n == 3, &T, &seconds) ||
        (n == 3 && !read_time(f, call->positional.items[2], env, false, &most, &limit)))
        return (Value){0};
    if (u.kind == V_STRING || u.kind == V_RECORD || u.kind == V_OBJECT) {
        report_error(f, e->span, env.inst,
                     "delay needs numbers, this is of type %s\nname a variable",
                     value_kind_text(u.kind));
        return (Value){0};
    }
    if (n == 2 || !lower_varies(lower, T))
        most = T;
    /* without a delay, and at the start, it is the expression itself; a parameter that is zero may
     * become another */
    bool none = seconds.kind != V_NONE && seconds.x == 0;
    if ((none && node_is_constant(g, T, 0)) || lower->is_initial)
        return u;
    Value v = value_copy(f, &u, e->span);
    for (size_t i = 0; v.kind != V_NONE && i < v.n; i++) {
        double x = value_at(&u, i);
        if (!is_symbolic(x) || !lower_varies(lower, symbolic_node(f, x)))
            continue;
        Node now = symbolic_node(f, x);
        Node node = delay_of(lower, now, T, most, u.kind != V_REAL, none, e->span);
        if (none)
            node =
                node_select(g, node_make(g, NODE_LESS, node_constant(g, 0), T, NO_NODE), node, now);
        Value delayed = value_number(v.kind, symbolic_element(node));
        value_put(&v, i, &delayed);
    }
    return v;
}
