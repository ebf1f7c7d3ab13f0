/* function.c - functions that the user wrote in Modelica, run for parameter expressions.
 *
 * A call has a frame for each variable of the function; statements change the values in the
 * frames. Loops and recursion are bounded by the limits of the instantiation.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "front/external.h"

enum { MAX_INPUTS = 40 };

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
static bool store(Front *f, Frame *variable, Value v, Spot spot, const Inst *where)
{
    const Type *type = member_type(f, (Member *)variable->variable);
    if (v.kind == V_NONE || type->kind == TY_NONE)
        return false;
    ValueKind kind = kind_of(type->kind);
    if (kind == V_RECORD && is_external_object(type->class_))
        kind = V_OBJECT;
    if (kind == V_RECORD && !record_template(f, (Member *)variable->variable)) {
        wrong(f, spot, where, "'%s' is no variable of a function\nuse numbers, texts and records",
              variable->name);
        return false;
    }
    if (kind == V_RECORD && v.n == 0 && v.kind != V_RECORD) /* {} */
        v = record_unassigned(f, (Member *)variable->variable, v.ndim, v.dim);
    Value before = v;
    if (kind == V_RECORD && v.kind == V_RECORD &&
        !record_fits(f, &v, (Member *)variable->variable)) {
        wrong(f, spot, where,
              "'%s' is a record '%s', and the value is a record '%s' with other fields\n"
              "both have fields of the same names",
              variable->name, type->class_->name, v.record->class_ ? v.record->class_->name : "");
        return false;
    }
    if (!value_convert(&v, kind) || (kind == V_ENUM && v.literals != type->class_)) {
        wrong(f, spot, where,
              "'%s' is of type %s, but the value is of type %s\n"
              "change the type or the value",
              variable->name, value_kind_text(kind), value_kind_text(before.kind));
        return false;
    }
    /* a copy of its own: elements are assigned in place */
    variable->value = value_copy(f, &v, spot);
    variable->value.unit = attribute_text(f, (Member *)variable->variable, "unit");
    return variable->value.kind != V_NONE;
}

/* the dimensions of a variable one after the other: its own, those at its type, those of the type
 */
typedef struct Dimension {
    const Expr *size;
    Env env;
} Dimension;

static size_t dimensions_of(Front *f, Member *m, Env env, Dimension *to)
{
    size_t n = 0;
    const ExprList *lists[2] = {m->dims, &m->component->type_subscripts};
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

static bool check_dimensions(Front *f, Member *m, const Value *v, Spot spot, Env env)
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
                wrong(f, spot, env.inst,
                      "'%s' has %zu elements in dimension %zu, the value has the sizes %s\n"
                      "give as many numbers as it has",
                      m->name, size, k + 1, value_sizes_text(v, have, sizeof have));
                return false;
            }
        }
    if (n != (size_t)v->ndim) {
        wrong(f, spot, env.inst,
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
            v.record->fields[i] = value_copy(f, &field, mod->spot);
            break;
        }
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
    Value v = value_array(f, m->component->name_spot, kind_of(type->kind), (int)n, dim);
    v.literals = type->class_;
    return v;
}

/* the first modifier that gives a variable of a function or a field a value, evaluated where it
 * stands: those of the class itself see the variables before it */
static Value field_default(Front *f, const Member *m, Frame *frame)
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
    if (ndim == 0) {
        Value v = field_default(f, m, NULL);
        if (v.kind != V_NONE) {
            value_convert(&v, kind_of(type->kind));
            return value_copy(f, &v, m->component->name_spot);
        }
    }
    if (type->kind == TY_CLASS)
        return record_unassigned(f, m, ndim + (int)n, all);
    if (ndim + (int)n == 0)
        return (Value){0};
    Value v = value_array(f, m->component->name_spot, kind_of(type->kind), ndim + (int)n, all);
    v.literals = type->kind == TY_ENUM ? type->class_ : NULL;
    return v;
}

/* ------------------------------------------------------------------ statements */

static Frame *find_variable(Front *f, const Ref *ref, Env env)
{
    for (Frame *frame = env.frame; frame; frame = frame->outer)
        if (frame->name == ref->name) {
            if (!frame->variable)
                wrong(f, ref->spot, env.inst,
                      "the loop index '%s' cannot be assigned\nuse a variable of its own",
                      ref->name);
            else if (frame->variable->component->prefix.causality == CAUSE_INPUT)
                wrong(f, ref->spot, env.inst,
                      "the input '%s' cannot be assigned\nuse a protected variable", ref->name);
            else
                return frame;
            return NULL;
        }
    wrong(f, ref->spot, env.inst,
          "there is no variable '%s' in this function\ndeclare it output or protected", ref->name);
    return NULL;
}

/* where an assignment goes: a value in a frame, and the subscripts of all records on the way */
typedef struct Target {
    Value *value;
    Member *member; /* of the function, or a field */
    Expr *items[VALUE_DIMS];
    ExprList subscripts;
    const char *name;
} Target;

/* subscripts of one part of the name; of an array of records all are needed, ":" stands for none */
static bool add_subscripts(Target *t, const Ref *ref, int ndim)
{
    static Expr colon = {.kind = EX_COLON};
    size_t n = ref->rest ? (size_t)ndim : ref->subscripts.n;
    if (ref->subscripts.n > n || t->subscripts.n + n > VALUE_DIMS)
        return false;
    for (size_t i = 0; i < n; i++)
        t->items[t->subscripts.n++] = i < ref->subscripts.n ? ref->subscripts.items[i] : &colon;
    t->subscripts.items = t->items;
    return true;
}

/* follows r[2].a.x through the fields */
static bool find_target(Front *f, Frame *variable, const Ref *ref, Env env, Target *t)
{
    *t = (Target){
        .value = &variable->value, .member = (Member *)variable->variable, .name = variable->name};
    int ndim = t->value->ndim;
    while (ref->rest) {
        Inst *inst = record_template(f, t->member);
        Member *field = inst ? inst_find(inst, NULL, ref->rest->name) : NULL;
        Value *next = record_field(t->value, ref->rest->name);
        if (!field || !next || !add_subscripts(t, ref, ndim)) {
            wrong(f, ref->rest->spot, env.inst,
                  "'%s' has no field '%s' that could be assigned\nassign a field of a record",
                  ref->name, ref->rest->name);
            return false;
        }
        ndim = next->ndim - t->value->ndim;
        t->value = next;
        t->member = field;
        t->name = field->name;
        ref = ref->rest;
    }
    if (add_subscripts(t, ref, ndim))
        return true;
    wrong(f, ref->spot, env.inst, "'%s' has too many indices\ngive one for each dimension",
          t->name);
    return false;
}

/* elements of an array, of any record on the way */
static bool assign_elements(Front *f, const Expr *left, const Target *t, Value v, Env env)
{
    Value whole = *t->value;
    Selection s;
    if (whole.kind == V_NONE) {
        wrong(f, left->spot, env.inst, "'%s' has no sizes yet\nassign all of it first", t->name);
        return false;
    }
    if (!value_convert(&v, whole.kind)) {
        wrong(f, left->spot, env.inst,
              "'%s' is of type %s, but the value is of type %s\n"
              "change the type or the value",
              t->name, value_kind_text(whole.kind), value_kind_text(v.kind));
        return false;
    }
    if (!select_subscripts(f, &t->subscripts, env, whole.ndim, whole.dim, left->spot, t->name, &s))
        return false;
    size_t n = 1, at[VALUE_DIMS];
    for (int k = 0; k < s.ndim; k++)
        n *= s.n[k];
    if (n != v.n) {
        wrong(f, left->spot, env.inst,
              "%zu elements are assigned to %zu\nboth sides have the same sizes", v.n, n);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        size_t rest = i, position = 0;
        for (int k = s.ndim; k-- > 0; rest /= s.n[k])
            at[k] = s.at[k][rest % s.n[k]];
        for (int k = 0; k < s.ndim; k++)
            position = position * whole.dim[k] + at[k];
        Value e = value_element(&v, i);
        value_put(t->value, position, &e);
    }
    return true;
}

static bool assign(Front *f, const Expr *left, Value v, Env env)
{
    if (v.kind == V_NONE)
        return false;
    if (left->kind != EX_REF) {
        wrong(f, left->spot, env.inst,
              "this cannot be assigned in a function\nassign a variable of the function");
        return false;
    }
    Frame *variable = find_variable(f, left->ref, env);
    Target t;
    if (!variable || !find_target(f, variable, left->ref, env, &t))
        return false;
    if (t.subscripts.n)
        return assign_elements(f, left, &t, v, env);
    Env inside = left->ref->rest ? (Env){.inst = t.member->inst, .part = t.member->part} : env;
    if (!check_dimensions(f, t.member, &v, left->spot, inside))
        return false;
    Frame field = {.name = t.name, .variable = t.member};
    if (!store(f, &field, v, left->spot, env.inst))
        return false;
    *t.value = field.value;
    return true;
}

/* (a, , b) := f(x) */
static bool assign_tuple(Front *f, const Equation *s, Env env)
{
    Value all[16] = {{0}};
    size_t n = s->left->list.n;
    if (s->right->kind != EX_CALL || n > 16) {
        wrong(f, s->right->spot, env.inst,
              "a call with several results is needed here\nassign the variables one by one");
        return false;
    }
    call_function(f, s->right, env, all, n);
    bool ok = true;
    for (size_t i = 0; i < n && ok; i++)
        if (s->left->list.items[i])
            ok = assign(f, s->left->list.items[i], all[i], env);
    return ok;
}

static bool close_exits(Front *f, Env env, size_t first, bool breaks_only, Spot spot);

typedef struct Loop {
    const EquationList *body;
    Flow flow;
} Loop;

static bool run_body(Front *f, Env env, void *user)
{
    Loop *loop = user;
    loop->flow = run_list(f, loop->body, env);
    return loop->flow == FLOW_ON;
}

static Flow run_for(Front *f, const Equation *s, Env env)
{
    Loop loop = {&s->body, FLOW_ON};
    size_t first = f->exits.n;
    bool whole = iterate(f, &s->indices, env, run_body, &loop);
    if (!close_exits(f, env, first, true, s->spot))
        return FLOW_WRONG;
    if (loop.flow == FLOW_BREAK)
        return FLOW_ON;
    return loop.flow == FLOW_ON && !whole ? FLOW_WRONG : loop.flow;
}

static Flow run_while(Front *f, const Equation *s, Env env)
{
    bool holds;
    size_t first = f->exits.n;
    Flow flow = FLOW_ON;
    while (flow == FLOW_ON) {
        if (!spend(f, s->spot, 1) || !evaluate_condition(f, s->left, env, &holds))
            return FLOW_WRONG;
        if (!holds)
            break;
        flow = run_list(f, &s->body, env);
    }
    if (!close_exits(f, env, first, true, s->spot))
        return FLOW_WRONG;
    return flow == FLOW_BREAK ? FLOW_ON : flow;
}

/* the values of all variables of the function, or back from there */
static bool save_values(Front *f, Env env, Spot spot, ValueList *values)
{
    for (Frame *frame = env.frame; frame; frame = frame->outer)
        if (frame->variable && !vec_push(f->alloc, values, value_copy(f, &frame->value, spot))) {
            f->work.failed = true;
            return false;
        }
    return true;
}

static void swap_values(Env env, ValueList *values)
{
    size_t i = 0;
    for (Frame *frame = env.frame; frame; frame = frame->outer)
        if (frame->variable) {
            Value v = frame->value;
            frame->value = values->items[i];
            values->items[i++] = v;
        }
}

/* what a variable has after either branch: chosen where they differ */
static bool merge_values(Front *f, Env env, const ValueList *other, double condition, Spot spot)
{
    size_t i = 0;
    for (Frame *frame = env.frame; frame; frame = frame->outer) {
        if (!frame->variable)
            continue;
        const Value *no = &other->items[i++];
        Value *yes = &frame->value;
        if (value_identical(yes, no) || (yes->kind == V_STRING && no->kind == V_STRING))
            continue;
        /* a variable that only one branch gives a value has none afterwards */
        *yes = yes->kind == V_NONE || no->kind == V_NONE
                   ? (Value){0}
                   : symbolic_choice(f, condition, *yes, *no, spot, env.inst);
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

static bool keep_exit(Front *f, Env env, Flow flow, double condition, Spot spot)
{
    struct FunctionExit e = {.is_return = flow == FLOW_RETURN, .condition = condition};
    if (save_values(f, env, spot, &e.values) && vec_push(f->alloc, &f->exits, e))
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
static bool close_exits(Front *f, Env env, size_t first, bool breaks_only, Spot spot)
{
    bool good = true;
    for (size_t i = f->exits.n; i-- > first;) {
        struct FunctionExit e = f->exits.items[i];
        if (breaks_only && e.is_return)
            continue;
        good = good && merge_values(f, env, &e.values, element_not(f, e.condition), spot);
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
    if (!save_values(f, env, s->spot, &values)) {
        vec_drop(f->alloc, &values);
        return FLOW_WRONG;
    }
    size_t first = f->exits.n;
    f->nchoice++;
    Flow yes = run_list(f, &s->branches.items[i]->body, env);
    exits_under(f, first, f->exits.n, condition);
    if (yes == FLOW_BREAK || yes == FLOW_RETURN)
        yes = keep_exit(f, env, yes, condition, s->spot) ? yes : FLOW_WRONG;
    swap_values(env, &values); /* as before the branch */
    size_t other = f->exits.n;
    Flow no = yes == FLOW_WRONG ? FLOW_WRONG : run_if(f, s, i + 1, env);
    f->nchoice--;
    exits_under(f, other, f->exits.n, element_not(f, condition));
    if (no != FLOW_WRONG && yes == FLOW_ON && no != FLOW_ON) {
        /* the first branch goes on */
        no = keep_exit(f, env, no, element_not(f, condition), s->spot) ? FLOW_ON : FLOW_WRONG;
        swap_values(env, &values);
    } else if (no == FLOW_ON && yes == FLOW_ON) {
        swap_values(env, &values); /* after the first branch; the other one's are in the list */
        if (!merge_values(f, env, &values, condition, s->spot))
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
            if (c.kind == V_BOOLEAN && c.ndim == 0 && is_symbolic(c.x))
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

static Flow run_call(Front *f, const Equation *s, Env env)
{
    const Call *call = s->left->call;
    if (strcmp(call->function->name, "assert") == 0 && call->positional.n >= 2) {
        bool holds = true;
        Value c = evaluate(f, call->positional.items[0], env);
        if (c.kind == V_BOOLEAN && c.ndim == 0 && is_symbolic(c.x) && !parameter_number(f, &c)) {
            warn(f, s->spot, env.inst,
                 "assertions on variables are not checked during the simulation yet\n"
                 "look at the result");
            return FLOW_ON;
        }
        if (!condition_of_value(f, &c, call->positional.items[0]->spot, env.inst, &holds))
            return FLOW_WRONG;
        if (!holds) {
            Value text = evaluate(f, call->positional.items[1], env);
            wrong(f, s->spot, env.inst, "assertion failed: %s\nsee the condition of the function",
                  text.kind == V_STRING ? value_text(&text, 0) : "");
        }
        return holds ? FLOW_ON : FLOW_WRONG;
    }
    if (f->nchoice) {
        /* Streams.error and its like where variables decide: as an assertion */
        warn(f, s->spot, env.inst,
             "a call that variables decide is left out of the simulation\nassign its result");
        return FLOW_ON;
    }
    size_t before = f->nwrong;
    call_function(f, s->left, env, NULL, 1);
    return f->nwrong == before && !f->work.failed ? FLOW_ON : FLOW_WRONG;
}

static Flow run(Front *f, const Equation *s, Env env)
{
    switch (s->kind) {
    case EQ_ASSIGN:
        if (s->left->kind == EX_TUPLE)
            return assign_tuple(f, s, env) ? FLOW_ON : FLOW_WRONG;
        return assign(f, s->left, evaluate(f, s->right, env), env) ? FLOW_ON : FLOW_WRONG;
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
    default:
        wrong(f, s->spot, env.inst,
              "this statement is not allowed in a function\nfunctions know no events");
        return FLOW_WRONG;
    }
}

static Flow run_list(Front *f, const EquationList *list, Env env)
{
    Flow flow = FLOW_ON;
    for (size_t i = 0; i < list->n && flow == FLOW_ON; i++) {
        if (!enter(f, list->items[i]->spot))
            return FLOW_WRONG;
        flow = run(f, list->items[i], env);
        leave(f);
    }
    return flow;
}

bool run_algorithm(Front *f, const EquationList *statements, Env env)
{
    size_t first = f->exits.n;
    Flow flow = run_list(f, statements, env);
    Spot spot = statements->n ? statements->items[0]->spot : (Spot){0};
    return close_exits(f, env, first, false, spot) && flow != FLOW_WRONG;
}

/* ------------------------------------------------------------------ calls */

/* Is the member an input? The fields of a record are those of its constructor. */
static bool is_input(const Inst *inst, const Member *m)
{
    if (!m->component)
        return false;
    if (is_record_class(inst->class_))
        return m->component->prefix.variability != VARY_CONSTANT && !m->element->final;
    return m->component->prefix.causality == CAUSE_INPUT && !member_is_parameter(m);
}

/* the expression given for an input: by position, or by name */
static const Expr *argument_for(const Call *call, size_t position, const char *name)
{
    if (position < call->positional.n)
        return call->positional.items[position];
    for (size_t i = 0; i < call->named.n; i++)
        if (call->named.items[i]->name == name)
            return call->named.items[i]->value;
    return NULL;
}

static bool check_arguments(Front *f, const Expr *e, const Inst *inst, size_t ninput, Env env)
{
    const Call *call = e->call;
    if (call->positional.n > ninput) {
        wrong(f, call->positional.items[ninput]->spot, env.inst,
              "function '%s' has %zu input(s), but %zu are given\nleave out the others",
              inst->class_->name, ninput, call->positional.n);
        return false;
    }
    for (size_t i = 0; i < call->named.n; i++) {
        const Member *m = inst_find(inst, NULL, call->named.items[i]->name);
        if (!m || !is_input(inst, m)) {
            wrong(f, call->named.items[i]->spot, env.inst,
                  "function '%s' has no input '%s'\nsee its declaration", inst->class_->name,
                  call->named.items[i]->name);
            return false;
        }
    }
    return true;
}

/* the binding in the declaration of a function variable */
static const Expr *default_of(const Member *m)
{
    for (const Mod *mod = m->mods; mod; mod = mod->next)
        if (!mod->rest && mod->modification && mod->modification->value)
            return mod->modification->value;
    return NULL;
}

/* frames of a call that is over are used again: recursion must not pile them up */
static void close_frames(Front *f, Frame *frame)
{
    while (frame) {
        Frame *outer = frame->outer;
        *frame = (Frame){.outer = f->frames};
        f->frames = frame;
        frame = outer;
    }
}

/* frames of all variables, inputs first in their order */
static bool open_frames(Front *f, const Expr *e, Inst *inst, Env env, const Value *arguments,
                        Env *inside)
{
    size_t position = 0;
    bool record = is_record_class(inst->class_);
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!m->component || (member_is_parameter(m) && !record))
            continue;
        Frame *frame = f->frames;
        if (frame)
            f->frames = frame->outer;
        else if (!(frame = work_zeroed(f, sizeof *frame)))
            return false;
        *frame = (Frame){inside->frame, m->name, {0}, m};
        bool input = is_input(inst, m);
        const Expr *given = input ? argument_for(e->call, position, m->name) : NULL;
        const Expr *expr = given ? given : default_of(m);
        position += input;
        if (expr) {
            Value v = given ? arguments[position - 1] : field_default(f, m, inside->frame);
            inside->frame = frame;
            Spot spot = given ? given->spot : m->component->name_spot;
            if (v.kind == V_NONE || !check_dimensions(f, m, &v, spot, *inside) ||
                !store(f, frame, v, spot, env.inst))
                return false;
            continue;
        }
        if (input && !(record && member_type(f, m)->kind == TY_CLASS)) {
            wrong(f, e->spot, env.inst, "%s '%s' needs its input '%s'\ngive it a value in the call",
                  record ? "the constructor of" : "function", inst->class_->name, m->name);
            return false;
        }
        frame->value = unassigned_value(f, m, *inside);
        inside->frame = frame;
    }
    return true;
}

/* results in the order of the outputs; the first one is returned */
static Value take_results(Front *f, const Inst *inst, Env env, Spot spot, Value *all, size_t nall)
{
    Value first = {0};
    size_t n = 0;
    for (size_t i = 0; i < inst->members.n; i++) {
        const Member *m = inst->members.items[i];
        if (!m->component || m->component->prefix.causality != CAUSE_OUTPUT)
            continue;
        const Frame *frame = env.frame;
        while (frame && frame->variable != m)
            frame = frame->outer;
        Value v = frame ? frame->value : (Value){0};
        if (v.kind == V_NONE && (n == 0 || (all && n < nall)))
            wrong(f, spot, env.inst,
                  "function '%s' has given no value to its output '%s'\nassign it",
                  inst->class_->name, m->name);
        if (n == 0)
            first = v;
        if (all && n < nall)
            all[n] = v;
        n++;
    }
    if (n == 0 && !(nall && !all)) /* a statement needs none */
        wrong(f, spot, env.inst, "function '%s' has no output\nonly its results can be used",
              inst->class_->name);
    return first;
}

/* the record of a constructor: all its fields */
static Value take_record(Front *f, const Inst *inst, Env env)
{
    size_t n = 0;
    Value v = record_create(f, inst->class_, inst->members.n, 0, NULL);
    for (size_t i = 0; v.kind != V_NONE && i < inst->members.n; i++) {
        const Frame *frame = env.frame;
        while (frame && frame->variable != inst->members.items[i])
            frame = frame->outer;
        if (!frame)
            continue;
        v.record->names[n] = frame->name;
        v.record->fields[n++] = frame->value;
    }
    if (v.kind != V_NONE)
        v.record->n = n;
    return v;
}

/* one call: frames, statements, results */
static Value call_once(Front *f, const Expr *e, Inst *inst, Env env, const Value *arguments,
                       Value *all, size_t nall)
{
    Env inside = {.inst = inst, .part = inst->parts};
    size_t first_exit = f->exits.n;
    Flow flow = open_frames(f, e, inst, env, arguments, &inside) ? FLOW_ON : FLOW_WRONG;
    for (const Part *part = inst->parts; part && flow == FLOW_ON; part = part->next)
        if (part->class_->external &&
            !external_run(f, inst, part->class_->external, inside, e->spot))
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
    Value first = {0};
    if (!close_exits(f, inside, first_exit, false, e->spot))
        flow = FLOW_WRONG;
    if (flow != FLOW_WRONG && is_record_class(inst->class_))
        first = take_record(f, inst, inside);
    else if (flow != FLOW_WRONG)
        first = take_results(f, inst, inside, e->spot, all, nall);
    close_frames(f, inside.frame);
    return first;
}

/* Arguments with more dimensions than the input: the function is called for each element (Modelica
 * 12.4.6). *extra: those dimensions, in front; false, with a diagnostic, if they do not agree. */
static bool find_extra(Front *f, const Expr *e, const Inst *inst, Env env, const Value *arguments,
                       Value *extra)
{
    size_t position = 0;
    for (size_t i = 0; i < inst->members.n; i++) {
        Member *m = inst->members.items[i];
        if (!is_input(inst, m))
            continue;
        const Value *v = &arguments[position++];
        Dimension dims[VALUE_DIMS];
        int more = v->ndim - (int)dimensions_of(f, m, env, dims);
        if (v->kind == V_NONE || more <= 0)
            continue;
        bool same = extra->ndim == 0 || extra->ndim == more;
        for (int k = 0; k < more && same && extra->ndim; k++)
            same = extra->dim[k] == v->dim[k];
        if (!same) {
            wrong(f, e->spot, env.inst,
                  "the arguments of '%s' are arrays of different sizes\n"
                  "a function of scalars is called for each element of arrays of the same sizes",
                  inst->class_->name);
            return false;
        }
        extra->ndim = more;
        extra->n = 1;
        for (int k = 0; k < more; k++)
            extra->n *= extra->dim[k] = v->dim[k];
    }
    return true;
}

static Value call_for_each(Front *f, const Expr *e, Inst *inst, Env env, const Value *arguments,
                           size_t ninput, const Value *extra)
{
    Value *items = scratch_zeroed(f, (extra->n ? extra->n : 1) * sizeof *items), one[MAX_INPUTS];
    for (size_t k = 0; items && k < extra->n; k++) {
        size_t position = 0;
        for (size_t i = 0; i < inst->members.n && position < ninput; i++) {
            Member *m = inst->members.items[i];
            if (!is_input(inst, m))
                continue;
            Dimension dims[VALUE_DIMS];
            const Value *v = &arguments[position];
            bool many = v->kind != V_NONE && v->ndim > (int)dimensions_of(f, m, env, dims);
            one[position++] = many ? value_below(v, extra->ndim, k) : *v;
        }
        items[k] = call_once(f, e, inst, env, one, NULL, 0);
        if (items[k].kind == V_NONE)
            return (Value){0};
    }
    Value v = items ? value_stack(f, e->spot, items, extra->n) : (Value){0};
    return value_reshape(f, e->spot, &v, extra->ndim, extra->dim);
}

/* arguments are evaluated once, where the call stands */
static Value call_with_arguments(Front *f, const Expr *e, Inst *inst, Env env, Value *all,
                                 size_t nall)
{
    Value arguments[MAX_INPUTS] = {{0}}, extra = {0};
    size_t n = 0;
    for (size_t i = 0; i < inst->members.n; i++) {
        const Member *m = inst->members.items[i];
        if (!is_input(inst, m))
            continue;
        if (n == MAX_INPUTS) {
            wrong(f, e->spot, env.inst, "function '%s' has more than %d inputs\nuse arrays",
                  inst->class_->name, MAX_INPUTS);
            return (Value){0};
        }
        const Expr *given = argument_for(e->call, n, m->name);
        if (given && (arguments[n] = evaluate(f, given, env)).kind == V_NONE)
            return (Value){0};
        n++;
    }
    if (!check_arguments(f, e, inst, n, env) || !find_extra(f, e, inst, env, arguments, &extra))
        return (Value){0};
    return extra.ndim ? call_for_each(f, e, inst, env, arguments, n, &extra)
                      : call_once(f, e, inst, env, arguments, all, nall);
}

Value call_function(Front *f, const Expr *e, Env env, Value *all, size_t nall)
{
    const Ref *name = e->call->function;
    TypeKind predefined;
    if (!name->rest && !name->global && lookup(f, env, name->name).kind == FOUND_NOTHING) {
        char hint[140];
        Guess guess = {.name = name->name};
        guess_names(env, true, &guess);
        guess_builtins(&guess);
        guess_text(&guess, hint, sizeof hint);
        wrong(f, name->spot, env.inst, "there is no function '%s'\n%s", name->name,
              *hint ? hint : "declare it, or import it");
        return (Value){0};
    }
    Member *m = lookup_class(f, env, name, &predefined);
    if (!m) {
        if (predefined != TY_NONE)
            wrong(f, e->spot, env.inst, "'%s' is a type, not a function\nname a function",
                  name->name);
        return (Value){0};
    }
    Type type = type_follow(f, class_type(f, m), e->spot);
    if (type.kind == TY_NONE)
        return (Value){0};
    bool record = type.kind == TY_CLASS && is_record_class(type.class_);
    bool object = type.kind == TY_CLASS && is_external_object(type.class_);
    if (!record && !object &&
        (type.kind != TY_CLASS ||
         (type.class_->kind != CLASS_FUNCTION && type.class_->kind != CLASS_OPERATOR_FUNCTION))) {
        wrong(f, e->spot, env.inst, "'%s' is no function\nname a function", name->name);
        return (Value){0};
    }
    if (e->call->iterators.n) {
        wrong(f, e->spot, env.inst,
              "'%s' cannot be used with an iterator\nonly sum, product, min and max can",
              name->name);
        return (Value){0};
    }
    Inst *inst = class_inst(f, m, e->spot);
    if (!inst)
        return (Value){0};
    if (type.class_->partial && !object) {
        wrong(f, e->spot, env.inst,
              "function '%s' is partial and cannot be called\n"
              "call a function that extends it",
              type.class_->name);
        return (Value){0};
    }
    Member *overloaded = record ? record_constructor(f, type.class_, e, env) : NULL;
    if (overloaded && !(inst = class_inst(f, overloaded, e->spot)))
        return (Value){0};
    if (object) {
        Member *constructor = inst_find(inst, NULL, intern(f, "constructor"));
        inst = constructor && constructor->class_ ? class_inst(f, constructor, e->spot) : NULL;
        if (!inst)
            return (Value){0};
    }
    return call_with_arguments(f, e, inst, env, all, nall);
}

Value call_with_values(Front *f, Member *function, const Value *arguments, size_t n, Spot spot,
                       Env env)
{
    Expr given = {.kind = EX_NONE, .spot = spot}, *items[MAX_INPUTS];
    Call call = {.function = &(Ref){.spot = spot, .name = function->name}};
    Inst *inst = class_inst(f, function, spot);
    if (!inst || n > MAX_INPUTS)
        return (Value){0};
    for (size_t i = 0; i < n; i++)
        items[i] = &given;
    call.positional = (ExprList){items, n};
    Expr e = {.kind = EX_CALL, .spot = spot, .call = &call};
    return call_once(f, &e, inst, env, arguments, NULL, 0);
}
