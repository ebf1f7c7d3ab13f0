/* reference.c - names with subscripts to values: a[2].b[i], through components, packages and
 * records, also with an index that varies. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "front/external/external.h"
#include "front/divide/noted.h"
#include "front/evaluate/subscript.h"

/* ------------------------------------------------------------------ elements */

/* number of selected elements, and the sizes of the result */
static size_t selection_sizes(const IndexSelection *s, int *ndim, size_t *dim)
{
    size_t n = 1;
    *ndim = 0;
    for (int k = 0; k < s->ndim; k++) {
        n *= s->n[k];
        if (!s->drop[k])
            dim[(*ndim)++] = s->n[k];
    }
    return n;
}

/* a[i] for an index that varies: what its number selects, the last one if it is none */
static Value choose_selected(Front *f, const Value *v, Varying *varies, Env env, SourceSpan span,
                             const char *name)
{
    Value chosen = {0};
    for (size_t i = varies->n; i-- > 0 && spend(f, span, 1);) {
        double condition = varying_is(f, varies, i);
        Value one = evaluate_subscripts(f, v, &varies->subscripts, env, span, name);
        chosen =
            i + 1 == varies->n ? one : symbolic_choice(f, condition, one, chosen, span, env.inst);
        if (chosen.kind == V_NONE)
            break;
    }
    return chosen;
}

/* Numbers of a table are read at an index. What the text reads there in a large model need not go
 * on as it does in a small one. */
static void note_lookup(Front *f, SourceSpan span, const Value *v, size_t position)
{
    if (f->decisions && v->kind <= V_ENUM && v->kind != V_STRING &&
        !is_symbolic(value_at(v, position)))
        note_rounding(f, span, (double)position, value_at(v, position));
}

Value evaluate_subscripts(Front *f, const Value *v, const ExprList *subscripts, Env env,
                          SourceSpan span, const char *name)
{
    const bool notes = f->decisions && !f->follows;
    f->follows = false;
    if (subscripts->n == 0 || v->kind == V_NONE)
        return *v;
    /* one element, without anything to allocate */
    if (subscripts->n == 1 && v->ndim == 1 && subscripts->items[0]->kind != EX_COLON) {
        LocalName end = {env.frame, f->word_end, value_number(V_INTEGER, (double)v->dim[0]), NULL};
        Env inside = env;
        inside.frame = &end;
        Value i = evaluate(f, subscripts->items[0], inside);
        if (i.kind == V_NONE)
            return i;
        if (i.kind == V_INTEGER && i.ndim == 0 && i.x >= 1 && i.x <= (double)v->dim[0]) {
            if (notes)
                note_lookup(f, span, v, (size_t)i.x - 1);
            return value_element(v, (size_t)i.x - 1);
        }
    }
    Varying varies;
    if (find_varying(f, subscripts, env, v->ndim, v->dim, &varies))
        return choose_selected(f, v, &varies, env, span, name);
    IndexSelection s;
    size_t dim[VALUE_DIMS] = {0};
    int ndim;
    if (!select_subscripts(f, subscripts, env, v->ndim, v->dim, span, name, &s))
        return (Value){0};
    size_t n = selection_sizes(&s, &ndim, dim);
    Value result = value_array_like(f, span, v, ndim, dim);
    for (size_t i = 0; result.kind != V_NONE && i < n; i++) {
        const size_t position = selection_position(&s, v->dim, i);
        Value e = value_element(v, position);
        value_put(&result, i, &e);
        if (notes)
            note_lookup(f, span, v, position);
    }
    return result;
}

/* ------------------------------------------------------------------ references */

static Value walk(Front *f, Member *m, const Ref *ref, Env env);

Value report_no_element(Front *f, const Inst *inst, const Ref *ref, Env env)
{
    if (base_is_missing(inst) || (inst->member && inst->member->misfit)) {
        f->nwrong++;
        return (Value){0};
    }
    char hint[140];
    NearestName nearest = {.name = ref->name};
    for (size_t i = 0; i < inst->members.n; i++)
        nearest_try(&nearest, inst->members.items[i]->name);
    nearest_text(&nearest, hint, sizeof hint);
    report_error(f, ref->span, env.inst, "'%s' has no element '%s'\n%s",
                 inst->class_ ? inst->class_->name : "", ref->name,
                 *hint ? hint : "look at its declaration for the names it has");
    return (Value){0};
}

static Value walk_elements(Front *f, Member *m, const Ref *ref, Env env, Inst *child);

/* c[i].x of components for an index that varies */
static Value choose_component(Front *f, Member *m, const Ref *ref, Env env, Inst *child,
                              Varying *varies)
{
    Value chosen = {0};
    for (size_t i = varies->n; i-- > 0 && spend(f, ref->span, 1);) {
        double condition = varying_is(f, varies, i);
        Ref one = *ref;
        one.subscripts = varies->subscripts;
        Value v = walk_elements(f, m, &one, env, child);
        chosen =
            i + 1 == varies->n ? v : symbolic_choice(f, condition, v, chosen, ref->span, env.inst);
        if (chosen.kind == V_NONE)
            break;
    }
    return chosen;
}

/* the rest of the reference in every selected element of an array of components */
static Value walk_elements(Front *f, Member *m, const Ref *ref, Env env, Inst *child)
{
    IndexSelection s;
    size_t dim[VALUE_DIMS] = {0};
    int ndim;
    Axis *axis = m->axis;
    Varying varies;
    if (find_varying(f, &ref->subscripts, env, m->ndim, m->dim, &varies))
        return choose_component(f, m, ref, env, child, &varies);
    if (!select_subscripts(f, &ref->subscripts, env, m->ndim, m->dim, ref->span, m->name, &s))
        return (Value){0};
    size_t n = selection_sizes(&s, &ndim, dim), saved = axis->index;
    if (!spend(f, ref->span, n))
        return (Value){0};
    Value *items = n > 1 || ndim ? scratch_zeroed(f, (n ? n : 1) * sizeof *items) : NULL, one = {0};
    if (!items && (n > 1 || ndim))
        return (Value){0};
    Member *next = ref->rest ? inst_find(child, NULL, ref->rest->name) : NULL;
    if (ref->rest && !next && !m->elements)
        return report_no_element(f, child, ref->rest, env);
    const Inst *known =
        m->elements ? NULL : child; /* where it was found: of different elements in each of them */
    for (size_t i = 0; i < n; i++) {
        axis->index = selection_position(&s, m->dim, i);
        child = member_child(f, m);
        if (child && child != known && ref->rest)
            next = inst_find(child, NULL, ref->rest->name);
        known = child;
        if (!child || (ref->rest && !next)) {
            axis->index = saved;
            return child ? report_no_element(f, child, ref->rest, env) : (Value){0};
        }
        unsigned long long before = f->touched;
        f->touched = 0;
        one = next ? walk(f, next, ref->rest, env) : record_of_inst(f, child, ref->span, env, walk);
        /* this axis was set here: the result does not depend on where it stood */
        f->touched = before | (f->touched & ~(1ull << axis->depth));
        if (one.kind == V_NONE)
            break;
        if (items)
            items[i] = one;
    }
    axis->index = saved;
    if (!items || (one.kind == V_NONE && n))
        return one;
    /* a list first, then its true sizes in front of those of the elements */
    Value all = value_stack(f, ref->span, items, n);
    return ndim == 1 ? all : value_reshape(f, ref->span, &all, ndim, dim);
}

/* the component that a reference names, or NULL after reporting why it has no value */
static Member *readable_component(Front *f, Member *m, const Ref *ref, Env env)
{
    if (!m->component) {
        report_error(f, ref->span, env.inst,
                     "'%s' is a class, but a value is needed here\nname a constant or parameter",
                     m->name);
        return NULL;
    }
    m = member_resolve(f, m, ref->span);
    if (!m)
        return NULL;
    if (m->is_protected && env.inst != m->inst && m->inst->parent) {
        report_error(f, ref->span, env.inst, "'%s' is protected in '%s'\nmake it public there",
                     m->name, m->part->class_->name);
        return NULL;
    }
    if (!member_present(f, m)) {
        report_error(f, ref->span, env.inst,
                     m->left_out ? "'%s' is left out by 'break' in an extends clause\n"
                                   "leave out only what no equation reads"
                                 : "'%s' is switched off by its condition and has no value\n"
                                   "use its value only where the condition holds",
                     m->name);
        return NULL;
    }
    return m;
}

/* the value of a component of a predefined type, which has nothing inside */
static Value plain_value(Front *f, Member *m, const Ref *ref, Env env)
{
    if (ref->subscripts.n && !check_index_types(f, m, &ref->subscripts, env))
        return (Value){0};
    if (ref->rest) {
        report_error(f, ref->rest->span, env.inst,
                     "'%s' has nothing inside\nremove what follows the dot", m->name);
        return (Value){0};
    }
    if (f->lower) {
        m->connected |= m->inst->compiled && env.inst != m->inst;
        return lower_elements(f, m, ref, env);
    }
    if (!member_is_parameter(m)) {
        report_error(f, ref->span, env.inst,
                     "'%s' is a variable, but a parameter is needed here\n"
                     "only constants and parameters are known before the simulation",
                     m->name);
        return (Value){0};
    }
    if (m->inst->opaque && (!m->mods || m->mods->own)) {
        report_error(f, ref->span, env.inst,
                     "the value of '%s' is decided inside '%s' and not known here\n"
                     "give it a value by a modifier to use it",
                     m->name, m->inst->parent->class_->name);
        return (Value){0};
    }
    Value v = member_value(f, m, ref->span);
    f->follows = member_follows(f, m);
    return evaluate_subscripts(f, &v, &ref->subscripts, env, ref->span, m->name);
}

/* the value of a component reference from a member on */
static Value walk(Front *f, Member *m, const Ref *ref, Env env)
{
    if (is_function_class(m->class_) && !ref->rest && !ref->subscripts.n)
        return function_value_of(f, m, ref->span);
    m = readable_component(f, m, ref, env);
    const Type *type = m ? member_type(f, m) : NULL;
    if (!type || type->kind == TY_NONE)
        return (Value){0};
    if (type->kind != TY_CLASS)
        return plain_value(f, m, ref, env);
    if (is_external_object(type->class_) && !ref->rest)
        return member_value(f, m, ref->span);
    Inst *child = member_child(f, m);
    if (!child)
        return (Value){0};
    if (!ref->rest && !is_record_class(type->class_)) {
        report_error(f, ref->span, env.inst,
                     "'%s' is a component, but a value is needed here\n"
                     "name one of its parameters as in \"%s.x\"",
                     m->name, m->name);
        return (Value){0};
    }
    if (ref->subscripts.n && m->axis && !check_index_types(f, m, &ref->subscripts, env))
        return (Value){0};
    if (m->axis)
        return walk_elements(f, m, ref, env, child);
    if (ref->subscripts.n) {
        report_error(f, ref->span, env.inst, "'%s' is no array and has no index\nremove the index",
                     m->name);
        return (Value){0};
    }
    if (!ref->rest)
        return record_of_inst(f, child, ref->span, env, walk);
    Member *next = inst_find(child, NULL, ref->rest->name);
    return next ? walk(f, next, ref->rest, env) : report_no_element(f, child, ref->rest, env);
}

/* a literal of an enumeration: E.a */
static Value literal_of(Front *f, const Class *class_, const Ref *ref, Env env)
{
    NearestName nearest = {.name = ref->name};
    char hint[140];
    for (size_t i = 0; i < class_->literals.n; i++) {
        if (class_->literals.items[i]->name == ref->name && !ref->rest)
            return (Value){.kind = V_ENUM, .n = 1, .x = (double)i + 1, .literals = class_};
        nearest_try(&nearest, class_->literals.items[i]->name);
    }
    nearest_text(&nearest, hint, sizeof hint);
    report_error(f, ref->span, env.inst, "enumeration '%s' has no literal '%s'\n%s", class_->name,
                 ref->name, *hint ? hint : "see its declaration for the literals");
    return (Value){0};
}

/* r.b[2] of an array r: the subscripts are those of b, behind the sizes of r */
static Value subscript_field(Front *f, const Value *v, int behind, const Ref *ref, Env env)
{
    static Expr colon = {.kind = EX_COLON};
    Expr *items[2 * VALUE_DIMS];
    ExprList all = {items, 0};
    if (!ref->subscripts.n || !behind || ref->subscripts.n > VALUE_DIMS)
        return evaluate_subscripts(f, v, &ref->subscripts, env, ref->span, ref->name);
    while (all.n < (size_t)behind)
        items[all.n++] = &colon;
    for (size_t i = 0; i < ref->subscripts.n; i++)
        items[all.n++] = ref->subscripts.items[i];
    return evaluate_subscripts(f, v, &all, env, ref->span, ref->name);
}

/* the rest of a reference in a value: r[2].a.x */
static Value evaluate_fields(Front *f, Value v, const Ref *ref, bool variable, Env env)
{
    for (int behind = 0;; ref = ref->rest) {
        if (v.kind == V_NONE && variable)
            report_error(f, ref->span, env.inst,
                         "'%s' is used before it has a value\nassign it first", ref->name);
        v = subscript_field(f, &v, behind, ref, env);
        if (!ref->rest || v.kind == V_NONE)
            return v;
        behind = v.ndim;
        const Value *field = record_field(&v, ref->rest->name);
        if (!field) {
            if (v.kind == V_RECORD)
                report_error(
                    f, ref->rest->span, env.inst,
                    "'%s' has no field '%s'\nlook at the declaration of '%s' for its fields",
                    ref->name, ref->rest->name, v.record->class_ ? v.record->class_->name : "");
            else
                report_error(f, ref->rest->span, env.inst,
                             "'%s' has nothing inside\nremove what follows the dot", ref->name);
            return (Value){0};
        }
        v = *field;
    }
}

void report_no_name(Front *f, const Ref *ref, Env env)
{
    if (is_missing_elsewhere(env, ref->name)) {
        f->nwrong++;
        return;
    }
    char hint[140];
    NearestName nearest = {.name = ref->name};
    nearest_names(env, false, &nearest);
    nearest_text(&nearest, hint, sizeof hint);
    report_error(f, ref->span, env.inst, "there is no '%s' here\n%s", ref->name,
                 *hint ? hint : "declare it, or import it");
}

/* a variable of a function or an index */
static Value evaluate_frame(Front *f, const LocalName *frame, const Ref *ref, Env env)
{
    Member *variable = (Member *)frame->variable;
    Value v = frame->value;
    f->nlocal += !variable;
    f->nvariable += variable != NULL;
    if (v.kind == V_NONE && variable) /* Real x[:] is empty before it is assigned */
        v = open_array_value(f, variable, env);
    if (variable && ref->subscripts.n && !check_index_types(f, variable, &ref->subscripts, env))
        return (Value){0};
    return evaluate_fields(f, v, ref, variable != NULL, env);
}

/* a name that nothing declares: time, where it has a meaning */
static Value evaluate_time(Front *f, const Ref *ref, Env env)
{
    bool in_function = env.part && is_function_class(env.part->class_);
    if (ref->name != f->word_time || ref->rest)
        report_no_name(f, ref, env);
    else if (in_function)
        report_error(f, ref->span, env.inst,
                     "functions know no time\nhand it over as an input: f(time)");
    else if (f->lower)
        return lower_time(f);
    else
        report_error(f, ref->span, env.inst,
                     "time cannot be used in a parameter\n"
                     "only constants and parameters are known before the simulation");
    return (Value){0};
}

Value evaluate_reference(Front *f, const Ref *ref, Env env)
{
    Found found;
    if (ref->global) {
        found = lookup(f, (Env){.inst = f->root}, ref->name);
    } else {
        found = lookup(f, env, ref->name);
    }
    if (found.kind == FOUND_FRAME && f->of_variables && found.frame->variable)
        return walk(f, (Member *)found.frame->variable, ref, env);
    if (found.kind == FOUND_FRAME)
        return evaluate_frame(f, found.frame, ref, env);
    if (found.kind == FOUND_NOTHING)
        return evaluate_time(f, ref, env);
    if (found.kind == FOUND_TYPE) {
        report_error(f, ref->span, env.inst,
                     "'%s' is a type, but a value is needed here\nname a constant or parameter",
                     ref->name);
        return (Value){0};
    }
    /* through packages to a constant or a literal */
    Member *m = found.member;
    bool dotted = false;
    while (m->class_ && ref->rest) {
        Type type = type_follow(f, class_type(f, m), ref->span);
        if (type.kind == TY_NONE)
            return (Value){0};
        if (type.kind == TY_ENUM)
            return literal_of(f, type.class_, ref->rest, env);
        Inst *inst = class_inst(f, m, ref->span);
        if (!inst)
            return (Value){0};
        ref = ref->rest;
        m = inst_find(inst, NULL, ref->name);
        dotted = true;
        if (!m)
            return report_no_element(f, inst, ref, env);
    }
    if (m->component && (dotted || found.enclosing) && m->prefix.variability != VARY_CONSTANT &&
        !m->is_outer) {
        report_error(f, ref->span, env.inst,
                     "'%s' is not a constant, and only constants of a class around can be used\n"
                     "pass it on as a parameter, or declare it constant",
                     m->name);
        return (Value){0};
    }
    return walk(f, m, ref, env);
}
