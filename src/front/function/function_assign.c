/* function_assign.c - assignments of algorithms: to variables, to elements of arrays whose index
 * may vary, to fields of records, and of several results at once. function.c runs the statements.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "front/external/external.h"
#include "front/function/function.h"
#include "front/lower/lower.h"
#include "front/evaluate/subscript.h"

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
    if (ref->subscripts.n && !check_index_types(f, t->member, &ref->subscripts, env))
        return false;
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

/* a value to what is named inside of a component of the model */
typedef struct AssignInside {
    const Expr *left;
    Value v;
    Env env;
} AssignInside;

static bool assign_member(Front *f, Member *m, const Ref *ref, const AssignInside *a);

/* the rest of the name in each selected element of an array of components, which has its part of
 * the value */
static bool assign_in_elements(Front *f, Member *m, const Ref *ref, const AssignInside *a)
{
    Axis *axis = m->axis;
    IndexSelection s;
    if (!select_subscripts(f, &ref->subscripts, a->env, m->ndim, m->dim, ref->span, m->name, &s))
        return false;
    size_t n = selection_count(&s), saved = axis->index;
    int used = 0;
    bool good = true;
    for (int k = 0; k < s.ndim; k++)
        good &= s.drop[k] || (used < a->v.ndim && a->v.dim[used++] == s.n[k]);
    if (!good)
        report_error(f, a->left->span, a->env.inst,
                     "the value has other sizes than what is assigned\n"
                     "both sides have the same sizes");
    for (size_t i = 0; i < n && good; i++) {
        AssignInside one = *a;
        one.v = used ? value_below(&a->v, used, i) : a->v;
        axis->index = selection_position(&s, m->dim, i);
        Inst *child = member_child(f, m);
        Member *next = child ? inst_find(child, NULL, ref->rest->name) : NULL;
        good = next && assign_member(f, next, ref->rest, &one);
    }
    axis->index = saved;
    return good;
}

/* each field of a record its part of the value */
static bool assign_fields(Front *f, Inst *record, const Ref *ref, const AssignInside *a)
{
    bool good = true;
    for (size_t i = 0; i < record->members.n && good; i++) {
        Member *m = record->members.items[i];
        const Value *field = m->component ? record_field(&a->v, m->name) : NULL;
        Ref name = {.span = ref->span, .name = m->name};
        AssignInside one = *a;
        if (!field) {
            report_error(f, a->left->span, a->env.inst,
                         "'%s' is a record, and the value has no field '%s'\n"
                         "both have fields of the same names",
                         ref->name, m->name);
            return false;
        }
        one.v = *field;
        good = assign_member(f, m, &name, &one);
    }
    return good;
}

/* follows a name of the algorithm to the frame of the variable, see lower_algorithm.c */
static bool assign_member(Front *f, Member *m, const Ref *ref, const AssignInside *a)
{
    m = member_resolve(f, m, ref->span);
    const Type *type = m ? member_type(f, m) : NULL;
    if (type && type->kind == TY_CLASS && ref->rest && m->axis)
        return assign_in_elements(f, m, ref, a);
    if (type && type->kind == TY_CLASS) {
        Inst *child = member_child(f, m);
        Member *next = child && ref->rest ? inst_find(child, NULL, ref->rest->name) : NULL;
        if (child && !ref->rest && !m->axis)
            return assign_fields(f, child, ref, a);
        return next && assign_member(f, next, ref->rest, a);
    }
    uint32_t first = m ? lower_variables(f, m, ref->span) : UINT32_MAX;
    LocalName *frame = first != UINT32_MAX ? algorithm_frame(f->lower, first) : NULL;
    if (!frame)
        return false;
    AssignTarget t = {.value = &frame->value, .member = m, .name = m->name};
    if (ref->subscripts.n) {
        t.subscripts = ref->subscripts;
        if (frame->value.kind == V_NONE) /* elements are assigned one by one */
            frame->value = value_array(f, ref->span, kind_of_type(type->kind), m->ndim, m->dim);
        return assign_elements(f, a->left, &t, a->v, a->env);
    }
    Value whole = {.ndim = m->ndim};
    memcpy(whole.dim, m->dim, sizeof whole.dim);
    LocalName field = {.name = m->name, .variable = m};
    if (!value_same_sizes(&whole, &a->v)) {
        char have[100], need[100];
        report_error(f, a->left->span, a->env.inst,
                     "'%s' has the sizes %s, the value has %s\nboth sides have the same sizes",
                     m->name, value_sizes_text(&whole, need, sizeof need),
                     value_sizes_text(&a->v, have, sizeof have));
        return false;
    }
    if (!store_value(f, &field, a->v, a->left->span, a->env.inst))
        return false;
    frame->value = field.value;
    return true;
}

/* is the name one of a component of the model, and none of a variable of the algorithm? */
static Member *component_of_model(Front *f, const Ref *ref, Env env)
{
    if (!f->lower || !f->lower->frames || f->nfunction || !ref->rest)
        return NULL;
    for (const LocalName *frame = env.frame; frame; frame = frame->outer)
        if (frame->name == ref->name)
            return NULL;
    return inst_find(env.inst, NULL, ref->name);
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
    Member *component = component_of_model(f, left->ref, env);
    if (component)
        return assign_member(f, component, left->ref, &(AssignInside){left, v, env});
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
