/* function_assign.c - assignments of algorithms: to variables, to elements of arrays whose index
 * may vary, to fields of records, and of several results at once. function.c runs the statements.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "front/external.h"
#include "front/function.h"

/* the variable that a statement assigns to; NULL after reporting an error */
static LocalName *find_variable(Front *f, const Ref *ref, Env env)
{
    for (LocalName *frame = env.frame; frame; frame = frame->outer)
        if (frame->name == ref->name) {
            if (!frame->variable)
                report_error(f, ref->span, env.inst,
                             "the loop index '%s' cannot be assigned\nuse a variable of its own",
                             ref->name);
            else if (frame->variable->prefix.causality == CAUSE_INPUT)
                report_error(f, ref->span, env.inst,
                             "the input '%s' cannot be assigned\nuse a protected variable",
                             ref->name);
            else
                return frame;
            return NULL;
        }
    report_error(f, ref->span, env.inst,
                 "there is no variable '%s' in this function\ndeclare it output or protected",
                 ref->name);
    return NULL;
}

/* where an assignment goes: a value in a frame, and the subscripts of all records on the way */
typedef struct AssignTarget {
    Value *value;
    Member *member; /* of the function, or a field */
    Expr *items[VALUE_DIMS];
    ExprList subscripts;
    const char *name;
} AssignTarget;

/* subscripts of one part of the name; of an array of records all are needed, ":" stands for none */
static bool add_subscripts(AssignTarget *t, const Ref *ref, int ndim)
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
static bool find_target(Front *f, LocalName *variable, const Ref *ref, Env env, AssignTarget *t)
{
    *t = (AssignTarget){
        .value = &variable->value, .member = (Member *)variable->variable, .name = variable->name};
    int ndim = t->value->ndim;
    while (ref->rest) {
        Inst *inst = record_template(f, t->member);
        Member *field = inst ? inst_find(inst, NULL, ref->rest->name) : NULL;
        Value *next = record_field(t->value, ref->rest->name);
        if (!field || !next || !add_subscripts(t, ref, ndim)) {
            report_error(
                f, ref->rest->span, env.inst,
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
    report_error(f, ref->span, env.inst, "'%s' has too many indices\ngive one for each dimension",
                 t->name);
    return false;
}

static bool assign_elements(Front *f, const Expr *left, const AssignTarget *t, Value v, Env env);

/* a[i] := v for an index that varies: every element may be the one */
static bool assign_varying(Front *f, const Expr *left, const AssignTarget *t, const Value *v,
                           Env env, Varying *varies)
{
    AssignTarget one = *t;
    one.subscripts = varies->subscripts;
    for (size_t i = 0; i < varies->n; i++) {
        double condition = varying_is(f, varies, i);
        Value whole = *t->value;
        Value old = evaluate_subscripts(f, &whole, &one.subscripts, env, left->span, t->name);
        Value chosen = symbolic_choice(f, condition, *v, old, left->span, env.inst);
        if (chosen.kind == V_NONE || !assign_elements(f, left, &one, chosen, env))
            return false;
    }
    return true;
}

/* elements of an array, of any record on the way */
static bool assign_elements(Front *f, const Expr *left, const AssignTarget *t, Value v, Env env)
{
    Value whole = *t->value;
    IndexSelection s;
    if (whole.kind == V_NONE) {
        report_error(f, left->span, env.inst, "'%s' has no sizes yet\nassign all of it first",
                     t->name);
        return false;
    }
    if (!value_convert(&v, whole.kind)) {
        report_error(f, left->span, env.inst,
                     "'%s' is of type %s, but the value is of type %s\n"
                     "change the type or the value",
                     t->name, value_kind_text(whole.kind), value_kind_text(v.kind));
        return false;
    }
    Varying varies;
    if (find_varying(f, &t->subscripts, env, whole.ndim, whole.dim, &varies))
        return assign_varying(f, left, t, &v, env, &varies);
    if (!select_subscripts(f, &t->subscripts, env, whole.ndim, whole.dim, left->span, t->name, &s))
        return false;
    size_t n = selection_count(&s);
    if (n != v.n) {
        report_error(f, left->span, env.inst,
                     "%zu elements are assigned to %zu\nboth sides have the same sizes", v.n, n);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        Value e = value_element(&v, i);
        value_put(t->value, selection_position(&s, whole.dim, i), &e);
    }
    return true;
}

bool assign_value(Front *f, const Expr *left, Value v, Env env)
{
    if (v.kind == V_NONE)
        return false;
    if (left->kind != EX_REF) {
        report_error(f, left->span, env.inst,
                     "this cannot be assigned in a function\nassign a variable of the function");
        return false;
    }
    LocalName *variable = find_variable(f, left->ref, env);
    AssignTarget t;
    if (!variable || !find_target(f, variable, left->ref, env, &t))
        return false;
    if (t.subscripts.n)
        return assign_elements(f, left, &t, v, env);
    Env inside = left->ref->rest ? (Env){.inst = t.member->inst, .part = t.member->part} : env;
    if (!check_dimensions(f, t.member, &v, left->span, inside))
        return false;
    LocalName field = {.name = t.name, .variable = t.member};
    if (!store_value(f, &field, v, left->span, env.inst))
        return false;
    *t.value = field.value;
    return true;
}

bool assign_tuple(Front *f, const Equation *s, Env env)
{
    Value all[16] = {{0}};
    size_t n = s->left->list.n;
    if (s->right->kind != EX_CALL || n > 16) {
        report_error(f, s->right->span, env.inst,
                     "a call with several results is needed here\nassign the variables one by one");
        return false;
    }
    call_function(f, s->right, env, all, n);
    bool ok = true;
    for (size_t i = 0; i < n && ok; i++)
        if (s->left->list.items[i])
            ok = assign_value(f, s->left->list.items[i], all[i], env);
    return ok;
}
