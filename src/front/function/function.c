/* function.c - the variables and statements of functions and algorithms.
 *
 * A call (call.c) has a frame for each variable of the function; statements change the values in
 * the frames. Loops and recursion are bounded by the limits of the instantiation.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "front/external/external.h"
#include "front/function/function.h"

typedef enum Flow { FLOW_ON, FLOW_BREAK, FLOW_RETURN, FLOW_WRONG } Flow;

static Flow run_list(Front *f, const EquationList *list, Env env);

static ValueKind kind_of(TypeKind kind)
{
    static const ValueKind kinds[] = {V_NONE,   V_REAL, V_INTEGER, V_BOOLEAN,
                                      V_STRING, V_ENUM, V_RECORD};
    return kinds[kind];
}

/* ------------------------------------------------------------------ variables */

/* a value that goes into a variable must have its type and number of dimensions */
bool store_value(Front *f, LocalName *variable, Value v, SourceSpan span, const Inst *where)
{
    const Type *type = member_type(f, (Member *)variable->variable);
    if (v.kind == V_NONE || type->kind == TY_NONE)
        return false;
    ValueKind kind = kind_of(type->kind);
    if (kind == V_RECORD && is_external_object(type->class_))
        kind = V_OBJECT;
    if (kind == V_RECORD && is_function_class(type->class_))
        kind = V_FUNCTION;
    if (kind == V_RECORD && !record_template(f, (Member *)variable->variable)) {
        report_error(f, span, where,
                     "'%s' is no variable of a function\nuse numbers, texts and records",
                     variable->name);
        return false;
    }
    if (kind == V_RECORD && v.n == 0 && v.kind != V_RECORD) /* {} */
        v = record_unassigned(f, (Member *)variable->variable, v.ndim, v.dim);
    Value before = v;
    if (kind == V_RECORD && v.kind == V_RECORD &&
        !record_fits(f, &v, (Member *)variable->variable)) {
        report_error(f, span, where,
                     "'%s' is a record '%s', and the value is a record '%s' with other fields\n"
                     "both have fields of the same names",
                     variable->name, type->class_->name,
                     v.record->class_ ? v.record->class_->name : "");
        return false;
    }
    if (!value_convert(&v, kind) || (kind == V_ENUM && v.literals != type->class_)) {
        report_error(f, span, where,
                     "'%s' is of type %s, but the value is of type %s\n"
                     "change the type or the value",
                     variable->name, value_kind_text(kind), value_kind_text(before.kind));
        return false;
    }
    /* a copy of its own: elements are assigned in place */
    variable->value = value_copy(f, &v, span);
    variable->value.unit = attribute_text(f, (Member *)variable->variable, "unit");
    return variable->value.kind != V_NONE;
}

/* the dimensions of a variable one after the other: its own, those at its type, those of the type
 */
size_t dimensions_of(Front *f, Member *m, Env env, Dimension *to)
{
    size_t n = 0;
    const ExprList *lists[2] = {m->dims, m->type_dims};
    for (int l = 0; l < 2; l++)
        for (size_t i = 0; lists[l] && i < lists[l]->n && n < VALUE_DIMS; i++)
            to[n++] = (Dimension){lists[l]->items[i], env};
    for (const DimList *d = member_type(f, m)->dims; d; d = d->next)
        for (size_t i = 0; i < d->list->n && n < VALUE_DIMS; i++)
            to[n++] = (Dimension){d->list->items[i], d->env};
    return n;
}

int function_dimensions(Front *f, Member *m)
{
    Dimension dims[VALUE_DIMS];
    return (int)dimensions_of(f, m, (Env){.inst = m->inst, .part = m->part}, dims);
}

bool check_dimensions(Front *f, Member *m, const Value *v, SourceSpan span, Env env)
{
    Dimension dims[VALUE_DIMS];
    size_t n = dimensions_of(f, m, env, dims);
    char have[100];
    if (n == (size_t)v->ndim)
        for (size_t k = 0; k < n; k++) {
            size_t size;
            if (dims[k].size->kind == EX_COLON)
                continue;
            if (!evaluate_size(f, dims[k].size, dims[k].env, &size))
                return false;
            if (size != v->dim[k]) {
                report_error(f, span, env.inst,
                             "'%s' has %zu elements in dimension %zu, the value has the sizes %s\n"
                             "give as many numbers as it has",
                             m->name, size, k + 1, value_sizes_text(v, have, sizeof have));
                return false;
            }
        }
    if (n != (size_t)v->ndim) {
        report_error(f, span, env.inst,
                     "'%s' has %zu dimension(s), the value has %d\ngive a value of its dimensions",
                     m->name, n, v->ndim);
        return false;
    }
    return true;
}

/* a record before it is assigned, with what its declaration says about fields: R r(x = u) */
static Value record_with_modifiers(Front *f, Member *m, int ndim, const size_t *dim, Env env)
{
    Value v = record_unassigned(f, m, ndim, dim);
    for (size_t i = 0; v.kind != V_NONE && ndim == 0 && m->mods && i < v.record->n; i++)
        for (Mod *mod = mods_below(f, m->mods, v.record->names[i]); mod; mod = mod->next) {
            if (mod->rest || !mod->modification || !mod->modification->value)
                continue;
            Value field = evaluate(f, mod->modification->value, env);
            if (field.kind == V_NONE)
                return field;
            if (field.kind == V_INTEGER && v.record->fields[i].kind == V_NONE)
                field.kind = V_REAL;
            v.record->fields[i] = value_copy(f, &field, mod->span);
            break;
        }
    return v;
}

Value open_array_value(Front *f, Member *m, Env env)
{
    size_t dim[VALUE_DIMS];
    Dimension dims[VALUE_DIMS];
    size_t n = dimensions_of(f, m, env, dims);
    bool open = false;
    for (size_t k = 0; k < n; k++) {
        bool colon = dims[k].size->kind == EX_COLON;
        open |= colon;
        dim[k] = 0;
        if (!colon && !evaluate_size(f, dims[k].size, dims[k].env, &dim[k]))
            return (Value){0};
    }
    const Type *type = member_type(f, m);
    if (!open || kind_of(type->kind) == V_NONE || type->kind == TY_CLASS)
        return (Value){0};
    Value v = value_array(f, m->component->name_span, kind_of(type->kind), (int)n, dim);
    v.literals = type->class_;
    return v;
}

/* an array variable without a value: zeros of its sizes, so that elements can be assigned */
Value unassigned_value(Front *f, Member *m, Env env)
{
    size_t dim[VALUE_DIMS];
    Dimension dims[VALUE_DIMS];
    size_t n = dimensions_of(f, m, env, dims);
    for (size_t k = 0; k < n; k++)
        if (dims[k].size->kind == EX_COLON || !evaluate_size(f, dims[k].size, dims[k].env, &dim[k]))
            return (Value){0};
    const Type *type = member_type(f, m);
    if (type->kind == TY_CLASS && is_external_object(type->class_))
        return (Value){0};
    if (type->kind == TY_CLASS)
        return record_template(f, m) ? record_with_modifiers(f, m, (int)n, dim, env) : (Value){0};
    if (n == 0 || kind_of(type->kind) == V_NONE)
        return (Value){0};
    Value v = value_array(f, m->component->name_span, kind_of(type->kind), (int)n, dim);
    v.literals = type->class_;
    return v;
}

/* the first modifier that gives a variable of a function or a field a value, evaluated where it
 * stands: those of the class itself see the variables before it */
Value field_default(Front *f, const Member *m, LocalName *frame)
{
    for (const Mod *mod = m->mods; mod; mod = mod->next) {
        if (mod->rest || !mod->modification || !mod->modification->value)
            continue;
        Env env = mod->env;
        if (env.inst == m->inst)
            env.frame = frame;
        return evaluate(f, mod->modification->value, env);
    }
    return (Value){0};
}

Value unassigned_field(Front *f, Member *m, int ndim, const size_t *dim)
{
    size_t all[VALUE_DIMS];
    Dimension dims[VALUE_DIMS];
    size_t n = dimensions_of(f, m, (Env){.inst = m->inst, .part = m->part}, dims);
    const Type *type = member_type(f, m);
    if (ndim + (int)n > VALUE_DIMS || type->kind == TY_NONE)
        return (Value){0};
    memcpy(all, dim, (size_t)ndim * sizeof *all);
    for (size_t k = 0; k < n; k++)
        if (dims[k].size->kind == EX_COLON)
            all[(size_t)ndim + k] = 0;
        else if (!evaluate_size(f, dims[k].size, dims[k].env, &all[(size_t)ndim + k]))
            return (Value){0};
    if (ndim == 0 && !default_reads_variables(f, m)) { /* those have no values yet */
        Value v = field_default(f, m, NULL);
        if (v.kind != V_NONE) {
            value_convert(&v, kind_of(type->kind));
            return value_copy(f, &v, m->component->name_span);
        }
    }
    if (type->kind == TY_CLASS)
        return record_unassigned(f, m, ndim + (int)n, all);
    if (ndim + (int)n == 0)
        return (Value){0};
    Value v = value_array(f, m->component->name_span, kind_of(type->kind), ndim + (int)n, all);
    v.literals = type->kind == TY_ENUM ? type->class_ : NULL;
    return v;
}

/* ------------------------------------------------------------------ statements */

static bool close_exits(Front *f, Env env, size_t first, bool breaks_only, SourceSpan span);

typedef struct BodyLoop {
    const EquationList *body;
    Flow flow;
} BodyLoop;

static bool run_body(Front *f, Env env, void *user)
{
    BodyLoop *loop = user;
    loop->flow = run_list(f, loop->body, env);
    return loop->flow == FLOW_ON;
}

static Flow run_for(Front *f, const Equation *s, Env env)
{
    BodyLoop loop = {&s->body, FLOW_ON};
    size_t first = f->exits.n;
    bool whole = iterate(f, &s->indices, env, run_body, &loop);
    if (!close_exits(f, env, first, true, s->span))
        return FLOW_WRONG;
    if (loop.flow == FLOW_BREAK)
        return FLOW_ON;
    return loop.flow == FLOW_ON && !whole ? FLOW_WRONG : loop.flow;
}

static bool save_values(Front *f, Env env, SourceSpan span, ValueList *values);
static void swap_values(Env env, ValueList *values);
static bool merge_values(Front *f, Env env, const ValueList *other, double condition,
                         SourceSpan span);
static bool keep_exit(Front *f, Env env, Flow flow, double condition, SourceSpan span);
static void exits_under(Front *f, size_t first, size_t last, double condition);

/* one round of a loop that variables decide: the body changes variables where the condition holds
 */
static Flow run_round(Front *f, const Equation *s, double condition, Env env)
{
    ValueList before = {0};
    size_t first = f->exits.n;
    Node guard = lower_begin_guard(f, condition);
    f->nchoice++;
    Flow flow = save_values(f, env, s->span, &before) ? run_list(f, &s->body, env) : FLOW_WRONG;
    f->nchoice--;
    lower_end_guard(f, guard);
    exits_under(f, first, f->exits.n, condition);
    if (flow == FLOW_BREAK || flow == FLOW_RETURN) { /* always: there is no other round */
        flow = keep_exit(f, env, flow, condition, s->span) ? flow : FLOW_WRONG;
        swap_values(env, &before);
    } else if (flow == FLOW_ON && !merge_values(f, env, &before, condition, s->span)) {
        flow = FLOW_WRONG;
    }
    vec_drop(f->alloc, &before);
    return flow;
}

/* what a loop has not finished is no number */
static bool spoil_values(Front *f, Env env, const ValueList *before, double condition,
                         SourceSpan span)
{
    size_t i = 0;
    for (LocalName *frame = env.frame; frame; frame = frame->outer) {
        if (!frame->variable)
            continue;
        Value *v = &frame->value;
        if (value_identical(v, &before->items[i++]) || v->kind == V_STRING || v->kind == V_RECORD)
            continue;
        for (size_t k = 0; v->kind != V_NONE && k < v->n; k++) {
            Value e = value_number(v->kind, symbolic_select(f, condition, NAN, value_at(v, k)));
            value_put(v, k, &e);
        }
    }
    (void)span;
    return !f->work.failed;
}

/* A loop that variables decide is written out, round by round, up to a number of rounds that is
 * enough for a search in a table from event to event. If it is not, what the loop computes is not a
 * number, which nobody takes for a result. */
enum { MAX_ROUNDS = 50 };

/* the rounds of such a loop; what leaves it has been kept since exit `first` */
static Flow run_unrolled(Front *f, const Equation *s, Value condition, Env env, size_t first)
{
    ValueList before = {0};
    Flow flow = save_values(f, env, s->span, &before) ? FLOW_ON : FLOW_WRONG;
    for (int k = 0; flow == FLOW_ON && is_symbolic(condition.x); k++) {
        if (k == MAX_ROUNDS) {
            flow = spoil_values(f, env, &before, condition.x, s->span) ? FLOW_ON : FLOW_WRONG;
            break;
        }
        Value last = condition;
        flow = run_round(f, s, condition.x, env);
        if (flow == FLOW_ON) {
            condition = evaluate(f, s->left, env);
            if (condition.kind != V_BOOLEAN || condition.ndim || !spend(f, s->span, 1))
                flow = FLOW_WRONG;
        }
        if (flow == FLOW_ON && (value_identical(&last, &condition) ||
                                (!is_symbolic(condition.x) && condition.x != 0))) {
            report_error(f, s->span, env.inst,
                         "this loop never ends: nothing in it changes its condition\n"
                         "let the condition depend on what the loop assigns");
            flow = FLOW_WRONG;
        }
    }
    vec_drop(f->alloc, &before);
    if (flow == FLOW_BREAK || flow == FLOW_RETURN) /* where the condition held; else it is over */
        flow = FLOW_ON;
    return close_exits(f, env, first, true, s->span) ? flow : FLOW_WRONG;
}

/* Rounds whose condition is known, after a break or return that variables decide: as run_unrolled.
 * Returns whether there may be another one. */
static bool another_round(Front *f, const Equation *s, Env env, ValueList *before, int *rounds)
{
    if (++*rounds == 1)
        return save_values(f, env, s->span, before);
    if (*rounds < MAX_ROUNDS)
        return true;
    spoil_values(f, env, before, 1, s->span);
    return false;
}

/* a while loop, as long as its condition is known */
static Flow run_while(Front *f, const Equation *s, Env env)
{
    bool holds;
    int rounds = 0;
    size_t first = f->exits.n;
    ValueList before = {0};
    Flow flow = FLOW_ON;
    while (flow == FLOW_ON) {
        Value c = evaluate(f, s->left, env);
        if (f->lower && c.kind == V_BOOLEAN && c.ndim == 0 && is_symbolic(c.x)) {
            Value number = c;
            if (!parameter_number(f, &number)) {
                vec_drop(f->alloc, &before);
                if (f->refuses_search)
                    return FLOW_WRONG;
                return run_unrolled(f, s, c, env, first);
            }
        }
        if (!spend(f, s->span, 1) || !condition_of_value(f, &c, s->left->span, env.inst, &holds)) {
            vec_drop(f->alloc, &before);
            return FLOW_WRONG;
        }
        if (!holds)
            break;
        flow = run_list(f, &s->body, env);
        if (flow == FLOW_ON && f->exits.n > first && !another_round(f, s, env, &before, &rounds))
            break;
    }
    vec_drop(f->alloc, &before);
    if (!close_exits(f, env, first, true, s->span))
        return FLOW_WRONG;
    return flow == FLOW_BREAK ? FLOW_ON : flow;
}

/* the values of all variables of the function, or back from there */
static bool save_values(Front *f, Env env, SourceSpan span, ValueList *values)
{
    for (LocalName *frame = env.frame; frame; frame = frame->outer)
        if (frame->variable && !vec_push(f->alloc, values, value_copy(f, &frame->value, span))) {
            f->work.failed = true;
            return false;
        }
    return true;
}

static void swap_values(Env env, ValueList *values)
{
    size_t i = 0;
    for (LocalName *frame = env.frame; frame; frame = frame->outer)
        if (frame->variable) {
            Value v = frame->value;
            frame->value = values->items[i];
            values->items[i++] = v;
        }
}

/* what a variable has after either branch: chosen where they differ */
static bool merge_values(Front *f, Env env, const ValueList *other, double condition,
                         SourceSpan span)
{
    size_t i = 0;
    for (LocalName *frame = env.frame; frame; frame = frame->outer) {
        if (!frame->variable)
            continue;
        const Value *no = &other->items[i++];
        Value *yes = &frame->value;
        if (value_identical(yes, no) || (yes->kind == V_STRING && no->kind == V_STRING))
            continue;
        /* of an algorithm a variable that only one branch gives a value has none afterwards */
        bool none = !f->nfunction && (yes->kind == V_NONE || no->kind == V_NONE);
        *yes = none ? (Value){0} : symbolic_merge(f, condition, *yes, *no, span, env.inst);
    }
    return !f->work.failed;
}

static Flow run_if(Front *f, const Equation *s, size_t first, Env env);

/* A branch that variables decide may end with break or return. What the variables have there is
 * kept with its condition, the other branch goes on, and at the end of the loop or function the
 * kept values are chosen where the condition holds. */

static double element_not(Front *f, double a)
{
    return is_symbolic(a) ? symbolic_unary(f, OP_NOT, a) : a == 0;
}

static bool keep_exit(Front *f, Env env, Flow flow, double condition, SourceSpan span)
{
    struct FunctionExit e = {.is_return = flow == FLOW_RETURN, .condition = condition};
    if (save_values(f, env, span, &e.values) && vec_push(f->alloc, &f->exits, e))
        return true;
    vec_drop(f->alloc, &e.values);
    f->work.failed = true;
    return false;
}

/* those from `first` on happen only if the condition holds, too */
static void exits_under(Front *f, size_t first, size_t last, double condition)
{
    for (size_t i = first; i < last; i++) {
        double *c = &f->exits.items[i].condition;
        *c = symbolic_binary(f, OP_AND, *c, condition);
    }
}

/* at the end of a loop (breaks) or of a function (all): the last ones first */
static bool close_exits(Front *f, Env env, size_t first, bool breaks_only, SourceSpan span)
{
    bool good = true;
    for (size_t i = f->exits.n; i-- > first;) {
        struct FunctionExit e = f->exits.items[i];
        if (breaks_only && e.is_return)
            continue;
        good = good && merge_values(f, env, &e.values, element_not(f, e.condition), span);
        vec_drop(f->alloc, &e.values);
        memmove(f->exits.items + i, f->exits.items + i + 1,
                (f->exits.n - i - 1) * sizeof *f->exits.items);
        f->exits.n--;
    }
    return good;
}

/* both branches are run when variables decide between them */
static Flow run_choice(Front *f, const Equation *s, size_t i, double condition, Env env)
{
    ValueList values = {0};
    if (!save_values(f, env, s->span, &values)) {
        vec_drop(f->alloc, &values);
        return FLOW_WRONG;
    }
    size_t first = f->exits.n;
    f->nchoice++;
    Node guard = lower_begin_guard(f, condition);
    Flow yes = run_list(f, &s->branches.items[i]->body, env);
    lower_end_guard(f, guard);
    exits_under(f, first, f->exits.n, condition);
    if (yes == FLOW_BREAK || yes == FLOW_RETURN)
        yes = keep_exit(f, env, yes, condition, s->span) ? yes : FLOW_WRONG;
    swap_values(env, &values); /* as before the branch */
    size_t other = f->exits.n;
    lower_begin_guard(f, element_not(f, condition));
    Flow no = yes == FLOW_WRONG ? FLOW_WRONG : run_if(f, s, i + 1, env);
    lower_end_guard(f, guard);
    f->nchoice--;
    exits_under(f, other, f->exits.n, element_not(f, condition));
    if (no != FLOW_WRONG && yes == FLOW_ON && no != FLOW_ON) {
        /* the first branch goes on */
        no = keep_exit(f, env, no, element_not(f, condition), s->span) ? FLOW_ON : FLOW_WRONG;
        swap_values(env, &values);
    } else if (no == FLOW_ON && yes == FLOW_ON) {
        swap_values(env, &values); /* after the first branch; the other one's are in the list */
        if (!merge_values(f, env, &values, condition, s->span))
            no = FLOW_WRONG;
    }
    vec_drop(f->alloc, &values);
    return no;
}

/* the branches from the first one on */
static Flow run_if(Front *f, const Equation *s, size_t first, Env env)
{
    for (size_t i = first; i < s->branches.n; i++) {
        const Branch *branch = s->branches.items[i];
        if (branch->condition && f->lower) {
            Value c = evaluate(f, branch->condition, env);
            if (c.kind == V_BOOLEAN && c.ndim == 0 && is_symbolic(c.x) &&
                !(lower_of_numbers(f) && parameter_number(f, &c)))
                return run_choice(f, s, i, c.x, env);
        }
        bool holds = true;
        if (branch->condition && !evaluate_condition(f, branch->condition, env, &holds))
            return FLOW_WRONG;
        if (holds)
            return run_list(f, &branch->body, env);
    }
    return FLOW_ON;
}

/* the clauses of a statement one after the other: where one fires, its body holds */
static Flow run_when(Front *f, const Equation *s, Env env)
{
    Clause clause;
    Flow flow = clause_begin(f, &clause, s->span, env) ? FLOW_ON : FLOW_WRONG;
    for (size_t i = 0; i < s->branches.n && flow == FLOW_ON; i++) {
        const Branch *branch = s->branches.items[i];
        ValueList before = {0};
        double fires;
        if (!save_values(f, env, s->span, &before) ||
            !clause_open(f, &clause, branch->condition, env, &fires)) {
            vec_drop(f->alloc, &before);
            return FLOW_WRONG;
        }
        flow = run_list(f, &branch->body, env);
        clause_close(f, &clause);
        if (flow == FLOW_BREAK || flow == FLOW_RETURN) {
            report_error(f, s->span, env.inst,
                         "a when-clause is left by break or return\nuse if inside of it");
            flow = FLOW_WRONG;
        }
        if (flow == FLOW_ON && !merge_values(f, env, &before, fires, s->span))
            flow = FLOW_WRONG;
        vec_drop(f->alloc, &before);
    }
    return flow;
}

/* a call as a statement: assert, terminate and their like, or a function without outputs */
static Flow run_call(Front *f, const Equation *s, Env env)
{
    const CallExpr *call = s->left->call;
    bool is_assert = strcmp(call->function->name, "assert") == 0 && !call->function->rest;
    if (is_assert && f->lower)
        return lower_assert_call(f, s->left, env) ? FLOW_ON : FLOW_WRONG;
    if (is_assert && call->positional.n >= 2) {
        bool holds = true;
        Value c = evaluate(f, call->positional.items[0], env);
        if (!condition_of_value(f, &c, call->positional.items[0]->span, env.inst, &holds))
            return FLOW_WRONG;
        return holds || report_assertion(f, s->left, env) ? FLOW_ON : FLOW_WRONG;
    }
    if (f->lower && !f->nfunction && lower_event_call(f, s->left, env))
        return FLOW_ON;
    if (f->nchoice) {
        size_t before = f->nwrong;
        if (lower_guarded_call(f, s->left, env))
            return f->nwrong == before && !f->work.failed ? FLOW_ON : FLOW_WRONG;
        warn(f, s->span, env.inst,
             "a call that variables decide is left out of the simulation\nassign its result");
        return FLOW_ON;
    }
    size_t before = f->nwrong;
    call_function(f, s->left, env, NULL, 1);
    return f->nwrong == before && !f->work.failed ? FLOW_ON : FLOW_WRONG;
}

/* one statement of a function or an algorithm; how it goes on after it */
static Flow run_statement(Front *f, const Equation *s, Env env)
{
    switch (s->kind) {
    case EQ_ASSIGN:
        if (s->left->kind == EX_TUPLE)
            return assign_tuple(f, s, env) ? FLOW_ON : FLOW_WRONG;
        return assign_value(f, s->left, evaluate(f, s->right, env), env) ? FLOW_ON : FLOW_WRONG;
    case EQ_IF:
        return run_if(f, s, 0, env);
    case EQ_FOR:
        return run_for(f, s, env);
    case EQ_WHILE:
        return run_while(f, s, env);
    case EQ_BREAK:
        return FLOW_BREAK;
    case EQ_RETURN:
        return FLOW_RETURN;
    case EQ_CALL:
        return run_call(f, s, env);
    case EQ_WHEN:
        if (f->lower && !f->nfunction)
            return run_when(f, s, env);
        /* fall through */
    default:
        report_error(f, s->span, env.inst,
                     "this statement is not allowed in a function\nfunctions know no events");
        return FLOW_WRONG;
    }
}

static Flow run_list(Front *f, const EquationList *list, Env env)
{
    Flow flow = FLOW_ON;
    for (size_t i = 0; i < list->n && flow == FLOW_ON; i++) {
        if (!enter(f, list->items[i]->span))
            return FLOW_WRONG;
        flow = run_statement(f, list->items[i], env);
        leave(f);
    }
    return flow;
}

bool run_algorithm(Front *f, const EquationList *statements, Env env)
{
    size_t first = f->exits.n;
    Flow flow = run_list(f, statements, env);
    SourceSpan span = statements->n ? statements->items[0]->span : (SourceSpan){0};
    return close_exits(f, env, first, false, span) && flow != FLOW_WRONG;
}

bool run_function(Front *f, const Inst *inst, Env inside, SourceSpan span)
{
    size_t first = f->exits.n;
    Flow flow = FLOW_ON;
    for (const ClassPart *part = inst->parts; part && flow == FLOW_ON; part = part->next)
        if (part->class_->external && !external_run(f, inst, part->class_->external, inside, span))
            flow = FLOW_WRONG;
    /* what is inherited comes first: parts stand in the order derived, base */
    for (int number = inst->npart; number-- > 0 && flow == FLOW_ON;) {
        inside.part = inst->parts;
        while (inside.part && inside.part->number != number)
            inside.part = inside.part->next;
        for (size_t i = 0; inside.part && i < inside.part->class_->algorithms.n && flow == FLOW_ON;
             i++)
            flow = run_list(f, &inside.part->class_->algorithms.items[i]->statements, inside);
    }
    return close_exits(f, inside, first, false, span) && flow != FLOW_WRONG;
}
