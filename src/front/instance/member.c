/* member.c - what is asked about a member: type, sizes, presence, who it is. Its value:
 * member_value.c. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "front/instance/semantic.h"

/* ------------------------------------------------------------------ elements of arrays */

size_t memo_key(const Axis *axis, unsigned long long touched)
{
    size_t key = 0;
    for (; axis && touched; axis = axis->outer)
        if (touched >> axis->depth & 1)
            key = key * (axis->n + 1) + axis->index + 1;
    return key;
}

bool same_for_all(Front *f, unsigned long long touched, SourceSpan span, const Inst *where,
                  const char *what)
{
    touched &=
        ~(where ? differing_axes(where->axis) : 0); /* it is asked for one element of these */
    if (!touched)
        return true;
    note_differing(f, touched, where);
    report_error(
        f, span, where,
        "the elements of an array would differ in structure: '%s' is not the same for all of them\n"
        "declare them as separate components, or give each the same value",
        what);
    return false;
}

/* what is asked again for every element: an expression, a parameter, or what a modifier gives a
 * variable */
typedef struct ParameterQuestion {
    const Expr *e;
    Env env;
    Member *parameter, *variable;
    Mod *mod;
    SourceSpan span;
    unsigned long long inner; /* axes whose elements may have different answers */
} ParameterQuestion;

/* what decides structure is computed once, when the model is made: what it reads is bound */
static Value ask(Front *f, const ParameterQuestion *q)
{
    if (q->mod)
        return mod_value(f, q->mod, q->variable->ndim, q->variable->inst, q->variable->name);
    BoundRoot root;
    bound_begin(f, &root, NULL);
    Value v = q->parameter ? member_value(f, q->parameter, q->span) : evaluate(f, q->e, q->env);
    bound_end(f, &root);
    return v;
}

/* steps the cursors of the touched axes to the next element; false after the last */
static bool next_element(Axis *axis, unsigned long long touched)
{
    for (; axis; axis = axis->outer) {
        if (!(touched >> axis->depth & 1))
            continue;
        if (++axis->index < axis->n)
            return true;
        axis->index = 0;
    }
    return false;
}

/* asks a question for all elements of the arrays around; the answers must be the same */
static Value ask_all(Front *f, const ParameterQuestion *q, const Inst *where, const char *what)
{
    unsigned long long before = f->touched;
    f->touched = 0;
    Value first = ask(f, q);
    unsigned long long inside = f->touched & q->inner;
    unsigned long long touched = f->touched & ~q->inner & ~differing_axes(where->axis);
    size_t saved[AXIS_DEPTH];
    for (Axis *axis = where->axis; axis && touched; axis = axis->outer) {
        saved[axis->depth] = axis->index;
        if (touched >> axis->depth & 1)
            axis->index = 0;
    }
    bool same = true;
    for (bool more = touched != 0; more && same && first.kind != V_NONE;
         more = next_element(where->axis, touched)) {
        Value v = spend(f, q->span, 1) ? ask(f, q) : (Value){0};
        same = value_identical(&first, &v);
        if (v.kind == V_NONE)
            first = v;
    }
    for (Axis *axis = where->axis; axis && touched; axis = axis->outer)
        axis->index = saved[axis->depth];
    f->touched = before | inside;
    if (!same && first.kind != V_NONE && !same_for_all(f, touched, q->span, where, what))
        return (Value){0};
    return first;
}

Value structural_value(Front *f, const Expr *e, Env env, const Inst *where, const char *what)
{
    return ask_all(f, &(ParameterQuestion){.e = e, .env = env, .span = e->span}, where, what);
}

Value structural_parameter(Front *f, Member *m, SourceSpan span)
{
    return ask_all(f, &(ParameterQuestion){.parameter = m, .span = span}, m->inst, m->name);
}

Value number_of_class(Front *f, Member *m, SourceSpan span, unsigned long long inner)
{
    return ask_all(f, &(ParameterQuestion){.parameter = m, .span = span, .inner = inner}, m->inst,
                   m->name);
}

Value binding_of_class(Front *f, Member *m, Mod *mod, unsigned long long inner)
{
    return ask_all(
        f, &(ParameterQuestion){.variable = m, .mod = mod, .span = mod->span, .inner = inner},
        m->inst, m->name);
}

/* ------------------------------------------------------------------ type */

const Type *member_type(Front *f, Member *m)
{
    if (m->type_state == MEMO_DONE)
        return &m->type;
    if (m->type_state == MEMO_BUSY) {
        report_error(f, m->component->name_span, m->inst,
                     "the type of '%s' depends on itself\nname another class", m->name);
        return &m->type;
    }
    m->type_state = MEMO_BUSY;
    Type type = lookup_type(f, m->env, m->component->type);
    m->type = type;
    m->type_state = MEMO_DONE;
    if (type.kind == TY_CLASS) {
        ClassKind kind = type.class_->kind;
        bool argument = m->prefix.causality == CAUSE_INPUT && is_function_class(m->inst->class_) &&
                        is_function_class(type.class_);
        if ((kind == CLASS_PACKAGE || kind == CLASS_FUNCTION || kind == CLASS_OPERATOR ||
             kind == CLASS_OPERATOR_FUNCTION) &&
            !argument) {
            report_error(f, ref_span(m->component->type), m->inst,
                         "a %s cannot be a component\nname a model or a type",
                         class_kind_text(kind));
            m->type.kind = TY_NONE;
        }
    }
    if (type.mods && type.kind != TY_CLASS)
        m->mods = mods_join(f, m->mods, type.mods);
    return &m->type;
}

bool member_is_parameter(const Member *m)
{
    if (!m->component)
        return false;
    /* the fields of a parameter record are parameters */
    for (const Inst *in = m->inst; in && in->parent && is_record_class(in->class_); in = in->parent)
        if (in->member->prefix.variability >= VARY_PARAMETER)
            return true;
    return m->prefix.variability >= VARY_PARAMETER;
}

/* ------------------------------------------------------------------ sizes */

/* A[:, size(A, 1)]: a size that an earlier one of the same member gives */
static bool repeats_size(const Member *m, const Expr *e, size_t *size)
{
    if (e->kind != EX_CALL || strcmp(e->call->function->name, "size") != 0 ||
        e->call->function->rest || e->call->positional.n != 2)
        return false;
    const Expr *array = e->call->positional.items[0], *which = e->call->positional.items[1];
    if (array->kind != EX_REF || array->ref->name != m->name || array->ref->rest ||
        array->ref->subscripts.n || which->kind != EX_INTEGER || which->integer < 1 ||
        which->integer > m->ndim)
        return false;
    *size = m->dim[which->integer - 1];
    return true;
}

/* dimensions of a declaration; false after reporting an error */
static bool add_sizes(Front *f, Member *m, const ExprList *list, Env env)
{
    for (size_t i = 0; i < list->n; i++) {
        if (m->ndim == VALUE_DIMS) {
            report_error(f, list->items[i]->span, m->inst,
                         "'%s' has more than %d dimensions\nuse fewer", m->name, VALUE_DIMS);
            return false;
        }
        size_t size = NO_SIZE;
        const Expr *e = list->items[i];
        if (e->kind != EX_COLON && !repeats_size(m, e, &size) &&
            !evaluate_type_size(f, e, env, &size)) {
            Value v = structural_value(f, e, env, m->inst, m->name);
            if (!size_of_value(f, &v, e->span, env.inst, &size))
                return false;
        }
        m->dim[m->ndim++] = size;
    }
    return true;
}

bool member_sizes(Front *f, Member *m)
{
    if (m->size_state == MEMO_DONE)
        return m->ndim >= 0;
    if (m->size_state == MEMO_BUSY) {
        report_error(f, m->component->name_span, m->inst,
                     "the size of '%s' depends on itself\ngive it a number", m->name);
        return false;
    }
    m->size_state = MEMO_BUSY;
    const Type *type = member_type(f, m);
    bool ok = type->kind != TY_NONE;
    m->ndim = 0;
    if (ok && m->dims)
        ok = add_sizes(f, m, m->dims, m->dims_env);
    ok = ok && add_sizes(f, m, m->type_dims, m->dims_env);
    for (const DimList *d = type->dims; d && ok; d = d->next)
        ok = add_sizes(f, m, d->list, d->env);
    if (!ok)
        m->ndim = -1;
    m->size_state = MEMO_DONE;
    return ok;
}

bool member_present(Front *f, Member *m)
{
    if (m->condition_state == MEMO_DONE)
        return m->present;
    if (m->condition_state == MEMO_BUSY) {
        report_error(f, m->component->name_span, m->inst,
                     "the condition of '%s' depends on itself\ngive it true or false", m->name);
        return true;
    }
    m->condition_state = MEMO_BUSY;
    m->present = true;
    const Expr *condition = m->condition;
    if (condition) {
        Env env = {.inst = m->inst, .part = m->condition_part};
        Value v = structural_value(f, condition, env, m->inst, m->name);
        if (v.kind == V_BOOLEAN && v.ndim == 0 && is_symbolic(v.x)) {
            struct Lower *lower = f->lower; /* it says which variable decides */
            f->lower = NULL;
            v = structural_value(f, condition, env, m->inst, m->name);
            f->lower = lower;
        }
        if (v.kind == V_BOOLEAN && v.ndim == 0)
            m->present = v.x != 0;
        else if (v.kind != V_NONE)
            report_error(
                f, condition->span, m->inst,
                "a condition must be Boolean, this is of type %s\ncompare it with something: x > 0",
                value_kind_text(v.kind));
    }
    m->condition_state = MEMO_DONE;
    return m->present;
}

/* ------------------------------------------------------------------ inner and outer */

static bool is_world(const Front *f, const Type *type)
{
    const char *native = type->kind == TY_CLASS ? library_mark(f, type->class_, "native") : NULL;
    return native && strcmp(native, "World") == 0;
}

/* the World among the members of an instance, whatever its name; searched once */
static Member *own_world(Front *f, Inst *in)
{
    bool busy = false; /* a type that is being found may still turn out to be the World */
    for (size_t i = 0; i < in->members.n && !in->world_known; i++) {
        Member *m = in->members.items[i];
        if (m->component && !m->is_outer && !m->component->type->rest &&
            strcmp(m->component->type->name, "World") != 0)
            continue;
        if (!m->component || m->is_outer)
            continue;
        busy |= m->type_state == MEMO_BUSY;
        if (m->type_state != MEMO_BUSY && is_world(f, member_type(f, m))) {
            in->world = m;
            in->world_known = true;
        }
    }
    in->world_known |= !busy;
    return in->world;
}

/* the World that holds inside an instance */
static Member *find_world(Front *f, const Inst *inst)
{
    Member *world = NULL;
    for (Inst *in = inst->parent; in && !world; in = in->parent)
        world = own_world(f, in);
    return world;
}

/* an outer variable has the type of the inner one, which has the value; false: another type */
static bool check_outer(Front *f, const Member *m, const Type *type)
{
    /* of "inner outer" the value is that of the inner one, for what is inside */
    for (const Mod *mod = m->is_inner ? NULL : m->mods; mod; mod = mod->next)
        if (!mod->rest && mod->modification && mod->modification->value)
            report_error(f, mod->modification->value->span, m->inst,
                         "outer '%s' cannot have a value: it is the inner '%s' around it\n"
                         "give the value to the inner one",
                         m->name, m->name);
    const Type *is = type->kind == TY_CLASS ? type : member_type(f, m->inner);
    bool fits = is->kind == type->kind || is->kind == TY_NONE || type->kind == TY_NONE;
    if (!fits)
        report_error(f, m->component->name_span, m->inst,
                     "outer '%s' is of type %s, the inner one (line %d) is not\n"
                     "declare both alike",
                     m->name, m->component->type->name, span_line(m->inner->component->name_span));
    return fits;
}

Member *member_resolve(Front *f, Member *m, SourceSpan span)
{
    (void)span; /* what is missing is reported where the outer is declared */
    if (!m->component || !m->is_outer)
        return m;
    if (m->inner)
        return m->inner;
    for (const Inst *in = m->inst->parent; in && !m->inner; in = in->parent) {
        Member *candidate = inst_find(in, NULL, m->name);
        if (candidate && candidate->component && candidate->is_inner)
            m->inner = candidate; /* "inner outer" is one of its own for what is inside */
    }
    const Type *type = member_type(f, m);
    if (m->inner) {
        if (!check_outer(f, m, type))
            m->inner = NULL;
        return m->inner;
    }
    if (is_world(f, type)) {
        /* without a World its defaults hold: this outer is as good as an instance of it */
        Member *world = find_world(f, m->inst);
        return m->inner = world ? world : m;
    }
    if (type->kind == TY_NONE || !m->inst->parent) {
        if (type->kind != TY_NONE && m->inst == f->top)
            report_error(f, m->component->name_span, m->inst,
                         "outer '%s' has no inner '%s' around it\n"
                         "this model is meant to be a component of another one",
                         m->name, m->name);
        return NULL;
    }
    if (imply_inner(f, m))
        f->nwrong++; /* this attempt is given up, the next one has it */
    else
        report_error(f, m->component->name_span, m->inst,
                     "outer '%s' has no inner '%s' around it\n"
                     "declare \"inner %s %s;\" in a model around it",
                     m->name, m->name, m->component->type->name, m->name);
    return NULL;
}

/* ------------------------------------------------------------------ components of a class */

/* records of which a value says how many there are: constant R data[:] = {a, b}; ":" stays where
 * nothing says so */
static void sizes_of_records(Front *f, Member *m)
{
    bool open = false;
    for (int k = 0; k < m->ndim; k++)
        open |= m->dim[k] == NO_SIZE;
    Mod *mod = open && is_record_class(member_type(f, m)->class_) ? member_binding(f, m) : NULL;
    if (!mod)
        return;
    struct Lower *lower = f->lower;
    if (member_is_parameter(m))
        f->lower = NULL;
    Value v = mod_value(f, mod, m->ndim, m->inst, m->name);
    f->lower = lower;
    for (int k = 0; k < m->ndim && v.kind == V_RECORD && v.ndim == m->ndim; k++)
        if (m->dim[k] == NO_SIZE)
            m->dim[k] = v.dim[k];
}

/* the array that a member is, inside those around it */
static Axis *make_axis(Front *f, Member *m)
{
    Axis *outer = m->inst->axis;
    if (m->ndim == 0)
        return outer;
    Axis *axis = work_zeroed(f, sizeof *axis);
    if (!axis)
        return NULL;
    *axis = (Axis){.outer = outer,
                   .owner = m->inst,
                   .name = m->name,
                   .ndim = m->ndim,
                   .n = 1,
                   .depth = outer ? outer->depth + 1 : 0};
    for (int k = 0; k < m->ndim; k++) {
        if (m->dim[k] == NO_SIZE) {
            report_error(f, m->component->name_span, m->inst,
                         "'%s' is an array of components of unknown size\n"
                         "give a number instead of \":\"",
                         m->name);
            return NULL;
        }
        if (m->dim[k] && axis->n > 4000000000u / m->dim[k]) {
            report_error(f, m->component->name_span, m->inst,
                         "'%s' has too many elements\nmake it smaller", m->name);
            return NULL;
        }
        axis->dim[k] = m->dim[k];
        axis->n *= m->dim[k];
    }
    if (axis->depth >= AXIS_DEPTH) {
        report_error(f, m->component->name_span, m->inst,
                     "arrays of components are nested too deep\nuse fewer levels");
        return NULL;
    }
    return axis;
}

/* the Inst of a component, or of the element at the cursor */
static Inst *create_child(Front *f, Member *m, Axis *axis)
{
    const Type *type = &m->type;
    /* what is modified inside passes the array */
    Mod *mods = mods_join(f, m->mods, type->mods);
    for (Mod *mod = mods; mod && mod != type->mods; mod = mod->next)
        mod->cross = m->ndim > 0 ? axis : NULL;
    return inst_create(f, type, mods, m->inst, m, axis, ref_span(m->component->type));
}

/* of an array of different elements the Inst at the cursor; each is tried once */
static Inst *element_child(Front *f, Member *m)
{
    size_t at = m->axis->index;
    if (!m->elements[at] && !m->child_busy) {
        m->child_busy = true;
        m->elements[at] = create_child(f, m, m->axis);
        m->child_busy = f->nwrong > 0; /* nothing follows from what failed */
    }
    if (!m->child)
        m->child = m->elements[at];
    return m->elements[at];
}

Inst *member_child(Front *f, Member *m)
{
    if (m->elements)
        return element_child(f, m);
    if (m->child || m->child_busy)
        return m->child;
    m->child_busy = true; /* stays: a child that failed is not tried again */
    const Type *type = member_type(f, m);
    if (type->kind != TY_CLASS || !member_sizes(f, m))
        return NULL;
    if (type->class_->partial && !m->is_outer) {
        report_error(f, m->component->name_span, m->inst,
                     "'%s' is partial and cannot be a component\n"
                     "use a class that extends it",
                     type->class_->name);
        return NULL;
    }
    sizes_of_records(f, m);
    Axis *axis = make_axis(f, m);
    if (m->ndim > 0 && !axis)
        return NULL;
    m->axis = m->ndim > 0 ? axis : NULL;
    if (m->axis && m->axis->n > 0 && member_differs(f, m)) {
        m->axis->differs = true;
        m->elements = work_zeroed(f, m->axis->n * sizeof *m->elements);
        m->child_busy = false;
        return m->elements ? element_child(f, m) : NULL;
    }
    m->child = create_child(f, m, axis);
    return m->child;
}
