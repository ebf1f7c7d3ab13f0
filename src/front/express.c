/* express.c - expressions of constants and parameters to values. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "front/external.h"

/* ------------------------------------------------------------------ subscripts */

/* positions from 0 that one subscript selects of `size` */
static bool select_one(Front *f, const Expr *e, Env env, size_t size, SourceSpan span,
                       const char *name, int k, Selection *s)
{
    if (e->kind == EX_COLON) {
        s->n[k] = size;
        s->drop[k] = false;
    } else {
        Frame end = {env.frame, f->word_end, value_number(V_INTEGER, (double)size), NULL};
        if (size != NO_SIZE)
            env.frame = &end;
        Value v = evaluate(f, e, env);
        if (v.kind == V_NONE)
            return false;
        if (v.kind == V_BOOLEAN || v.kind == V_ENUM ? v.ndim > 0
                                                    : v.kind != V_INTEGER || v.ndim > 1) {
            report_error(
                f, e->span, env.inst,
                "an index must be an Integer, this is of type %s\ninteger(x) makes one of a Real",
                value_kind_text(v.kind));
            return false;
        }
        s->n[k] = v.n;
        s->drop[k] = v.ndim == 0;
        if (!parameter_number(f, &v) && !is_known(f, &v, e->span, env.inst, "an index"))
            return false;
        s->at[k] = v.n > 1 ? scratch_zeroed(f, v.n * sizeof *s->at[k]) : &s->one[k];
        for (size_t i = 0; s->at[k] && i < v.n; i++) {
            double x = value_at(&v, i) + (v.kind == V_BOOLEAN);
            if (!(x >= 1 && x <= (double)size)) {
                report_error(f, e->span, env.inst,
                             "index %.0f of '%s' is outside 1 ... %zu\nindices count from 1", x,
                             name, size);
                return false;
            }
            s->at[k][i] = (size_t)x - 1;
        }
        (void)span;
        return s->at[k] != NULL;
    }
    if (!spend(f, e->span, size / 16))
        return false;
    s->at[k] = scratch_zeroed(f, (size ? size : 1) * sizeof *s->at[k]);
    for (size_t i = 0; s->at[k] && i < size; i++)
        s->at[k][i] = i;
    return s->at[k] != NULL;
}

bool select_subscripts(Front *f, const ExprList *subscripts, Env env, int ndim, const size_t *dim,
                       SourceSpan span, const char *name, Selection *s)
{
    static const Expr colon = {.kind = EX_COLON};
    *s = (Selection){.ndim = ndim};
    if (subscripts->n > (size_t)ndim) {
        if (ndim == 0)
            report_error(f, span, env.inst, "'%s' is no array and has no index\nremove the index",
                         name);
        else
            report_error(
                f, span, env.inst,
                "'%s' has %d dimension(s), but %zu indices\ngive one index for each dimension",
                name, ndim, subscripts->n);
        return false;
    }
    for (int k = 0; k < ndim; k++)
        if (!select_one(f, (size_t)k < subscripts->n ? subscripts->items[k] : &colon, env, dim[k],
                        span, name, k, s))
            return false;
    return true;
}

/* number of selected elements, and the sizes of the result */
static size_t selection_sizes(const Selection *s, int *ndim, size_t *dim)
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

/* position in the array of the i-th selected element */
static size_t selection_position(const Selection *s, const size_t *dim, size_t i)
{
    size_t at[VALUE_DIMS], position = 0;
    for (int k = s->ndim; k-- > 0;) {
        at[k] = s->at[k][i % s->n[k]];
        i /= s->n[k];
    }
    for (int k = 0; k < s->ndim; k++)
        position = position * dim[k] + at[k];
    return position;
}

bool select_element(Front *f, const ExprList *subscripts, Env env, int ndim, const size_t *dim,
                    size_t *element)
{
    *element = 0;
    if (subscripts->n != (size_t)ndim)
        return false;
    size_t before = f->nwrong;
    for (int k = 0; k < ndim; k++) {
        const Expr *e = subscripts->items[k];
        if (e->kind == EX_COLON || e->kind == EX_RANGE || dim[k] == NO_SIZE)
            return false;
        Frame end = {env.frame, f->word_end, value_number(V_INTEGER, (double)dim[k]), NULL};
        Env inside = env;
        inside.frame = &end;
        Value i = evaluate(f, e, inside);
        if (f->nwrong != before || i.kind != V_INTEGER || i.ndim || is_symbolic(i.x) ||
            !(i.x >= 1 && i.x <= (double)dim[k]))
            return false;
        *element = *element * dim[k] + (size_t)i.x - 1;
    }
    return true;
}

/* The first subscript that is one number which variables decide; false: there is none, or an error,
 * which select_subscripts reports. *varies is the list with a place for a number in it. */
bool find_varying(Front *f, const ExprList *subscripts, Env env, int ndim, const size_t *dim,
                  Varying *varies)
{
    for (size_t k = 0; f->lower && k < subscripts->n && (int)k < ndim; k++) {
        const Expr *e = subscripts->items[k];
        if (e->kind == EX_COLON || e->kind == EX_INTEGER || e->kind == EX_END ||
            e->kind == EX_RANGE || dim[k] == 0 || dim[k] == NO_SIZE)
            continue;
        Frame end = {env.frame, f->word_end, value_number(V_INTEGER, (double)dim[k]), NULL};
        Env inside = env;
        inside.frame = &end;
        size_t before = f->nwrong;
        Value i = evaluate(f, e, inside);
        bool index = i.kind == V_INTEGER || i.kind == V_ENUM || i.kind == V_BOOLEAN;
        if (!index || i.ndim || !is_symbolic(i.x) || parameter_number(f, &i) || f->nwrong != before)
            continue;
        *varies = (Varying){.index = i.x,
                            .n = dim[k],
                            .first = i.kind == V_BOOLEAN ? 0 : 1,
                            .number = {.kind = EX_INTEGER, .height = 1, .span = e->span}};
        for (size_t j = 0; j < subscripts->n && j < VALUE_DIMS; j++)
            varies->items[j] = j == k ? &varies->number : subscripts->items[j];
        varies->subscripts = (ExprList){varies->items, subscripts->n};
        return true;
    }
    return false;
}

/* "the index is the i-th that there is", i from 0 */
double varying_is(Front *f, Varying *varies, size_t i)
{
    varies->number.integer = (long long)i + 1;
    return symbolic_binary(f, OP_EQUAL, varies->index, (double)(i + (size_t)varies->first));
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

Value evaluate_subscripts(Front *f, const Value *v, const ExprList *subscripts, Env env,
                          SourceSpan span, const char *name)
{
    if (subscripts->n == 0 || v->kind == V_NONE)
        return *v;
    /* one element, without anything to allocate */
    if (subscripts->n == 1 && v->ndim == 1 && subscripts->items[0]->kind != EX_COLON) {
        Frame end = {env.frame, f->word_end, value_number(V_INTEGER, (double)v->dim[0]), NULL};
        Env inside = env;
        inside.frame = &end;
        Value i = evaluate(f, subscripts->items[0], inside);
        if (i.kind == V_NONE)
            return i;
        if (i.kind == V_INTEGER && i.ndim == 0 && i.x >= 1 && i.x <= (double)v->dim[0])
            return value_element(v, (size_t)i.x - 1);
    }
    Varying varies;
    if (find_varying(f, subscripts, env, v->ndim, v->dim, &varies))
        return choose_selected(f, v, &varies, env, span, name);
    Selection s;
    size_t dim[VALUE_DIMS] = {0};
    int ndim;
    if (!select_subscripts(f, subscripts, env, v->ndim, v->dim, span, name, &s))
        return (Value){0};
    size_t n = selection_sizes(&s, &ndim, dim);
    Value result = value_array_like(f, span, v, ndim, dim);
    for (size_t i = 0; result.kind != V_NONE && i < n; i++) {
        Value e = value_element(v, selection_position(&s, v->dim, i));
        value_put(&result, i, &e);
    }
    return result;
}

/* ------------------------------------------------------------------ references */

static Value walk(Front *f, Member *m, const Ref *ref, Env env);

static Value report_member(Front *f, const Inst *inst, const Ref *ref, Env env)
{
    char hint[140];
    Guess guess = {.name = ref->name};
    for (size_t i = 0; i < inst->members.n; i++)
        guess_try(&guess, inst->members.items[i]->name);
    guess_text(&guess, hint, sizeof hint);
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
    Selection s;
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
    if (ref->rest && !next)
        return report_member(f, child, ref->rest, env);
    for (size_t i = 0; i < n; i++) {
        axis->index = selection_position(&s, m->dim, i);
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

/* the value of a component reference from a member on */
static Value walk(Front *f, Member *m, const Ref *ref, Env env)
{
    if (is_function_class(m->class_) && !ref->rest && !ref->subscripts.n)
        return function_value_of(f, m, ref->span);
    if (!m->component) {
        report_error(f, ref->span, env.inst,
                     "'%s' is a class, but a value is needed here\nname a constant or parameter",
                     m->name);
        return (Value){0};
    }
    m = member_resolve(f, m, ref->span);
    if (!m)
        return (Value){0};
    if (m->is_protected && env.inst != m->inst && m->inst->parent) {
        report_error(f, ref->span, env.inst, "'%s' is protected in '%s'\nmake it public there",
                     m->name, m->part->class_->name);
        return (Value){0};
    }
    if (!member_present(f, m)) {
        report_error(f, ref->span, env.inst,
                     "'%s' is switched off by its condition and has no value\n"
                     "use its value only where the condition holds",
                     m->name);
        return (Value){0};
    }
    const Type *type = member_type(f, m);
    if (type->kind == TY_NONE)
        return (Value){0};
    if (type->kind != TY_CLASS) {
        if (ref->rest) {
            report_error(f, ref->rest->span, env.inst,
                         "'%s' has nothing inside\nremove what follows the dot", m->name);
            return (Value){0};
        }
        if (f->lower)
            return lower_elements(f, m, ref, env);
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
        return evaluate_subscripts(f, &v, &ref->subscripts, env, ref->span, m->name);
    }
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
    return next ? walk(f, next, ref->rest, env) : report_member(f, child, ref->rest, env);
}

/* a literal of an enumeration: E.a */
static Value literal_of(Front *f, const Class *class_, const Ref *ref, Env env)
{
    Guess guess = {.name = ref->name};
    char hint[140];
    for (size_t i = 0; i < class_->literals.n; i++) {
        if (class_->literals.items[i]->name == ref->name && !ref->rest)
            return (Value){.kind = V_ENUM, .n = 1, .x = (double)i + 1, .literals = class_};
        guess_try(&guess, class_->literals.items[i]->name);
    }
    guess_text(&guess, hint, sizeof hint);
    report_error(f, ref->span, env.inst, "enumeration '%s' has no literal '%s'\n%s", class_->name,
                 ref->name, *hint ? hint : "see its declaration for the literals");
    return (Value){0};
}

/* the rest of a reference in a value: r[2].a.x */
static Value evaluate_fields(Front *f, Value v, const Ref *ref, bool variable, Env env)
{
    for (;; ref = ref->rest) {
        if (v.kind == V_NONE && variable)
            report_error(f, ref->span, env.inst,
                         "'%s' is used before it has a value\nassign it first", ref->name);
        v = evaluate_subscripts(f, &v, &ref->subscripts, env, ref->span, ref->name);
        if (!ref->rest || v.kind == V_NONE)
            return v;
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

static Value evaluate_ref(Front *f, const Ref *ref, Env env)
{
    Found found;
    if (ref->global) {
        found = lookup(f, (Env){.inst = f->root}, ref->name);
    } else {
        found = lookup(f, env, ref->name);
    }
    if (found.kind == FOUND_FRAME && f->of_variables && found.frame->variable)
        return walk(f, (Member *)found.frame->variable, ref, env);
    if (found.kind == FOUND_FRAME) {
        return evaluate_fields(f, found.frame->value, ref, found.frame->variable != NULL, env);
    }
    if (found.kind == FOUND_NOTHING && f->lower && ref->name == f->word_time && !ref->rest)
        return lower_time(f);
    if (found.kind == FOUND_NOTHING) {
        char hint[140];
        Guess guess = {.name = ref->name};
        guess_names(env, false, &guess);
        guess_text(&guess, hint, sizeof hint);
        if (ref->name == f->word_time)
            report_error(f, ref->span, env.inst,
                         "time cannot be used in a parameter\n"
                         "only constants and parameters are known before the simulation");
        else
            report_error(f, ref->span, env.inst, "there is no '%s' here\n%s", ref->name,
                         *hint ? hint : "declare it, or import it");
        return (Value){0};
    }
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
            return report_member(f, inst, ref, env);
    }
    if (m->component && (dotted || found.enclosing) &&
        m->component->prefix.variability != VARY_CONSTANT && !m->element->outer) {
        report_error(f, ref->span, env.inst,
                     "'%s' is not a constant, and only constants of a class around can be used\n"
                     "pass it on as a parameter, or declare it constant",
                     m->name);
        return (Value){0};
    }
    return walk(f, m, ref, env);
}

/* ------------------------------------------------------------------ iterators */

/* the enumeration that an expression names, or NULL */
static const Class *named_enumeration(Front *f, const Expr *e, Env env)
{
    Found found = e->kind == EX_REF ? lookup(f, env, e->ref->name) : (Found){0};
    if (found.kind != FOUND_MEMBER || !found.member->class_)
        return NULL;
    Type type = {0};
    if (!e->ref->rest) {
        type = type_follow(f, class_type(f, found.member), e->span);
    } else { /* P.E, or anything else of P: without a word */
        size_t before = f->diag->list.n, nerrors = f->diag->nerrors, nwrong = f->nwrong;
        type = lookup_type(f, env, e->ref);
        if (f->nwrong != nwrong) {
            diag_forget(f->diag, before);
            f->diag->nerrors = nerrors;
            f->nwrong = nwrong;
            return NULL;
        }
    }
    return type.kind == TY_ENUM ? type.class_ : NULL;
}

static bool iterate_from(Front *f, const ForIndexList *indices, size_t which, Env env,
                         IterateBody *body, void *user)
{
    if (which == indices->n)
        return body(f, env, user);
    const ForIndex *index = indices->items[which];
    const Expr *r = index->range;
    if (!r && !index->used) {
        report_error(f, index->span, env.inst,
                     "the index '%s' has no range, and nothing has it as a subscript\n"
                     "write \"%s in 1:n\"",
                     index->name, index->name);
        return false;
    }
    /* a range is counted, not stored */
    SourceSpan span = r ? r->span : index->span;
    Frame frame = {env.frame, index->name, {0}, NULL};
    Env inside = env;
    inside.frame = &frame;
    if (!r || (r->kind == EX_RANGE && !r->range.step)) {
        Value first = r ? evaluate(f, r->range.first, env) : value_number(V_INTEGER, 1);
        Value last = r ? evaluate(f, r->range.last, env) : implied_last(f, index, env);
        if (first.kind == V_NONE || last.kind == V_NONE)
            return false;
        if (first.kind == V_INTEGER && last.kind == V_INTEGER && first.ndim == 0 &&
            last.ndim == 0) {
            if ((!parameter_number(f, &first) && !is_known(f, &first, span, env.inst, "a range")) ||
                (!parameter_number(f, &last) && !is_known(f, &last, span, env.inst, "a range")))
                return false;
            for (double i = first.x; i <= last.x; i++) {
                frame.value = value_number(V_INTEGER, i);
                if (!spend(f, index->span, 1) ||
                    !iterate_from(f, indices, which + 1, inside, body, user))
                    return false;
            }
            return true;
        }
    }
    if (!r)
        return false;
    Value range;
    TypeKind predefined = TY_NONE;
    if (r->kind == EX_REF && lookup(f, env, r->ref->name).kind == FOUND_TYPE)
        predefined = lookup(f, env, r->ref->name).type;
    const Class *literals = r->kind == EX_REF ? named_enumeration(f, r, env) : NULL;
    if (predefined == TY_BOOLEAN) {
        range = value_array(f, r->span, V_BOOLEAN, 1, (size_t[]){2});
        if (range.num)
            range.num[1] = 1;
    } else if (literals) { /* for e in E loop */
        size_t n = literals->literals.n;
        range = value_array(f, r->span, V_ENUM, 1, &n);
        range.literals = literals;
        for (size_t i = 0; range.kind != V_NONE && i < n; i++)
            range.num[i] = (double)i + 1;
    } else {
        range = evaluate(f, r, env);
    }
    if (range.kind == V_NONE)
        return false;
    if (range.ndim != 1) {
        report_error(f, r->span, env.inst,
                     "the range of '%s' is no vector\nwrite a range such as 1:n", index->name);
        return false;
    }
    for (size_t i = 0; i < range.n; i++) {
        frame.value = value_element(&range, i);
        if (!spend(f, index->span, 1) || !iterate_from(f, indices, which + 1, inside, body, user))
            return false;
    }
    return true;
}

bool iterate(Front *f, const ForIndexList *indices, Env env, IterateBody *body, void *user)
{
    return iterate_from(f, indices, 0, env, body, user);
}

/* {body for i in a, j in b}: j is the outer dimension */
typedef struct Collection {
    const Expr *body;
    VEC(Value) items;
    VEC(double) numbers; /* scalars, which need no Value each */
    ValueKind kind;
    const char *unit;
    bool ok;
} Collection;

static bool collect_item(Front *f, Env env, void *user)
{
    Collection *c = user;
    Value v = evaluate(f, c->body, env);
    if (v.kind == V_NONE)
        return c->ok = false;
    bool first = c->items.n == 0 && c->numbers.n == 0;
    if (first) {
        c->kind = v.kind;
        c->unit = v.unit;
    } else if (!v.unit || (c->unit && unit_differs(c->unit, v.unit))) {
        c->unit = NULL;
    }
    bool plain = v.ndim == 0 && (v.kind == V_REAL || v.kind == V_INTEGER);
    if (plain && c->items.n == 0) {
        if (v.kind == V_REAL)
            c->kind = V_REAL;
        c->ok = vec_push(f->alloc, &c->numbers, v.x);
    } else {
        /* what came before goes over to the list of values */
        for (size_t i = 0; i < c->numbers.n && c->ok; i++)
            c->ok = vec_push(f->alloc, &c->items, value_number(c->kind, c->numbers.items[i]));
        c->numbers.n = 0;
        c->ok = c->ok && vec_push(f->alloc, &c->items, v);
    }
    if (!c->ok)
        f->work.failed = true;
    return c->ok;
}

static Value evaluate_collect(Front *f, const Expr *e, Env env)
{
    const ForIndexList *list = e->collect.iterators;
    Collection c = {.body = e->collect.body, .ok = true};
    Value v = {0};
    if (list->n > 1) {
        /* the last index is the outermost dimension: {f(i, j) for i in a, j in b} is a list over j
         */
        ForIndexList first = {list->items, list->n - 1}, last = {list->items + list->n - 1, 1};
        Expr inner = {.kind = EX_COLLECT, .span = e->span, .collect = {e->collect.body, &first}};
        Expr outer = {.kind = EX_COLLECT, .span = e->span, .collect = {&inner, &last}};
        return evaluate(f, &outer, env);
    }
    c.ok = iterate(f, list, env, collect_item, &c) && c.ok;
    if (c.ok && c.numbers.n) {
        v = value_array(f, e->span, c.kind, 1, &c.numbers.n);
        if (v.kind != V_NONE)
            memcpy(v.num, c.numbers.items, c.numbers.n * sizeof *v.num);
        v.unit = c.unit;
    } else if (c.ok) {
        v = value_stack(f, e->span, c.items.items, c.items.n);
    }
    vec_drop(f->alloc, &c.items);
    vec_drop(f->alloc, &c.numbers);
    return v;
}

/* ------------------------------------------------------------------ arrays */

static Value evaluate_list(Front *f, const ExprList *list, Env env, SourceSpan span)
{
    Value few[3];
    Value *items = list->n <= 3 ? few : scratch_zeroed(f, list->n * sizeof *items);
    if (!items)
        return (Value){0};
    bool ok = true;
    for (size_t i = 0; i < list->n; i++) {
        items[i] = evaluate(f, list->items[i], env);
        ok = ok && items[i].kind != V_NONE;
    }
    return ok ? value_stack(f, span, items, list->n) : (Value){0};
}

/* with as many dimensions as asked for: sizes of one are added at the end */
static Value promoted(Front *f, const Value *v, int ndim, SourceSpan span)
{
    size_t dim[VALUE_DIMS] = {0};
    if (v->ndim >= ndim)
        return *v;
    for (int k = 0; k < ndim; k++)
        dim[k] = k < v->ndim ? v->dim[k] : 1;
    Value w = value_array_like(f, span, v, ndim, dim);
    for (size_t i = 0; w.kind != V_NONE && i < w.n; i++) {
        Value e = v->ndim ? value_element(v, i) : *v;
        value_put(&w, i, &e);
    }
    return w;
}

/* the elements of b behind those of a, along one dimension */
static Value join_arrays(Front *f, Value a, Value b, int along, SourceSpan span)
{
    if (a.kind == V_NONE || b.kind == V_NONE)
        return (Value){0};
    bool numbers =
        (a.kind == V_REAL || a.kind == V_INTEGER) && (b.kind == V_REAL || b.kind == V_INTEGER);
    bool fits = (numbers || (a.kind == b.kind && a.literals == b.literals)) && a.ndim == b.ndim;
    size_t dim[VALUE_DIMS], before = 1, after = 1;
    char sa[100], sb[100];
    for (int k = 0; fits && k < a.ndim; k++) {
        fits = k == along || a.dim[k] == b.dim[k];
        dim[k] = a.dim[k] + (k == along ? b.dim[k] : 0);
        before *= k < along ? a.dim[k] : 1;
        after *= k > along ? a.dim[k] : 1;
    }
    if (!fits) {
        report_error(f, span, NULL,
                     "parts of the sizes %s and %s do not fit into one matrix\n"
                     "parts of a row have the same number of rows, rows the same length",
                     value_sizes_text(&a, sa, sizeof sa), value_sizes_text(&b, sb, sizeof sb));
        return (Value){0};
    }
    Value like = a;
    like.kind = a.kind == b.kind ? a.kind : V_REAL;
    Value v = value_array_like(f, span, &like, a.ndim, dim);
    size_t na = a.dim[along] * after, nb = b.dim[along] * after;
    for (size_t i = 0, at = 0; v.kind != V_NONE && i < before; i++)
        for (size_t k = 0; k < na + nb; k++) {
            Value e = k < na ? value_element(&a, i * na + k) : value_element(&b, i * nb + k - na);
            value_put(&v, at++, &e);
        }
    v.unit = NULL;
    return v;
}

/* [a, b; c, d] joins along the second dimension, then along the first (Modelica 10.4.2.1) */
static Value evaluate_matrix(Front *f, const Expr *e, Env env)
{
    Value all = {0};
    size_t n = 0, count = 0;
    int ndim = 2;
    for (size_t i = 0; i < e->matrix.nrow; i++)
        n += e->matrix.rows[i]->n;
    Value *parts = scratch_zeroed(f, (n + 1) * sizeof *parts);
    for (size_t i = 0; parts && i < e->matrix.nrow; i++)
        for (size_t j = 0; j < e->matrix.rows[i]->n; j++) {
            Value v = evaluate(f, e->matrix.rows[i]->items[j], env);
            if (v.kind == V_NONE)
                return v;
            ndim = v.ndim > ndim ? v.ndim : ndim;
            parts[count++] = v;
        }
    count = 0;
    for (size_t i = 0; parts && i < e->matrix.nrow; i++) {
        Value row = {0};
        for (size_t j = 0; j < e->matrix.rows[i]->n; j++) {
            Value v = promoted(f, &parts[count++], ndim, e->span);
            row = j ? join_arrays(f, row, v, 1, e->span) : v;
        }
        all = i ? join_arrays(f, all, row, 0, e->span) : row;
        if (all.kind == V_NONE)
            return all;
    }
    return all;
}

static Value evaluate_range(Front *f, const Expr *e, Env env)
{
    Value first = evaluate(f, e->range.first, env), last = evaluate(f, e->range.last, env);
    Value step = e->range.step ? evaluate(f, e->range.step, env) : value_number(V_INTEGER, 1);
    if (first.kind == V_NONE || last.kind == V_NONE || step.kind == V_NONE)
        return (Value){0};
    bool numbers = first.kind <= V_INTEGER && last.kind <= V_INTEGER && step.kind <= V_INTEGER;
    bool literals = first.kind == V_ENUM && last.kind == V_ENUM && first.literals == last.literals;
    if (first.ndim || last.ndim || step.ndim || !(numbers || literals)) {
        report_error(f, e->span, env.inst,
                     "a range needs numbers\nwrite first : last or first : step : last");
        return (Value){0};
    }
    if (step.x == 0) { /* no expression: that is no number */
        report_error(
            f, e->span, env.inst,
            "the step of a range is zero\ngive it a number that leads from the first to the last");
        return (Value){0};
    }
    Value *ends[] = {&first, &step, &last};
    for (int k = 0; k < 3; k++)
        if (!parameter_number(f, ends[k]) && !is_known(f, ends[k], e->span, env.inst, "a range"))
            return (Value){0};
    double count = floor((last.x - first.x) / step.x * (1 + 1e-15) + 1e-12) + 1;
    ValueKind kind = literals ? V_ENUM
                     : first.kind == V_INTEGER && last.kind == V_INTEGER && step.kind == V_INTEGER
                         ? V_INTEGER
                         : V_REAL;
    if (!(count <= 1e15)) {
        report_error(f, e->span, env.inst, "the range has too many elements\nuse a greater step");
        return (Value){0};
    }
    size_t n = count > 0 ? (size_t)count : 0;
    Value v = value_array(f, e->span, kind, 1, &n);
    for (size_t i = 0; v.kind != V_NONE && i < n; i++)
        v.num[i] = first.x + (double)i * step.x;
    v.literals = first.literals;
    return v;
}

/* ------------------------------------------------------------------ expressions */

/* the branches from the first one on */
static Value evaluate_if(Front *f, const Expr *e, size_t first, Env env)
{
    for (size_t i = first; i < e->choice.conditions->n; i++) {
        Value c = evaluate(f, e->choice.conditions->items[i], env);
        if (c.kind == V_NONE)
            return c;
        if (c.kind != V_BOOLEAN || c.ndim) {
            report_error(f, e->choice.conditions->items[i]->span, env.inst,
                         "a condition must be Boolean, this is of type %s\n"
                         "compare it with something: x > 0",
                         value_kind_text(c.kind));
            return (Value){0};
        }
        if (is_symbolic(c.x)) {
            Value yes = evaluate(f, e->choice.values->items[i], env);
            return symbolic_choice(f, c.x, yes, evaluate_if(f, e, i + 1, env), e->span, env.inst);
        }
        if (c.x != 0)
            return evaluate(f, e->choice.values->items[i], env);
    }
    return evaluate(f, e->choice.values->items[e->choice.conditions->n], env);
}

/* "and" and "or" look at the right side only if it matters */
static Value evaluate_binary(Front *f, const Expr *e, Env env)
{
    Value a = evaluate(f, e->left, env);
    if (a.kind == V_BOOLEAN && a.ndim == 0 && !is_symbolic(a.x) &&
        ((e->op == OP_AND && a.x == 0) || (e->op == OP_OR && a.x != 0)))
        return a;
    return operate_binary(f, e->op, a, evaluate(f, e->right, env), e->span, env.inst);
}

/* (base).name */
static Value select_field(Front *f, const Value *v, const Expr *e, Env env)
{
    const Value *field = record_field(v, e->select.name);
    if (field || v->kind == V_NONE)
        return field ? *field : *v;
    report_error(f, e->span, env.inst,
                 "this is of type %s and has no field '%s'\na record is needed",
                 v->kind == V_RECORD && v->record->class_ ? v->record->class_->name
                                                          : value_kind_text(v->kind),
                 e->select.name);
    return (Value){0};
}

static Value evaluate_kind(Front *f, const Expr *e, Env env)
{
    Value v;
    switch (e->kind) {
    case EX_INTEGER:
        return value_number(V_INTEGER, (double)e->integer);
    case EX_REAL:
        return value_number(V_REAL, e->real);
    case EX_STRING:
        return value_string(e->text);
    case EX_BOOLEAN:
        return value_number(V_BOOLEAN, e->boolean);
    case EX_REF:
        return evaluate_ref(f, e->ref, env);
    case EX_END:
        for (Frame *frame = env.frame; frame; frame = frame->outer)
            if (frame->name == f->word_end)
                return frame->value;
        report_error(f, e->span, env.inst,
                     "\"end\" has a meaning only inside an index\nwrite the size");
        return (Value){0};
    case EX_UNARY:
        return operate_unary(f, e->op, evaluate(f, e->right, env), e->span, env.inst);
    case EX_BINARY:
        return evaluate_binary(f, e, env);
    case EX_RANGE:
        return evaluate_range(f, e, env);
    case EX_IF:
        return evaluate_if(f, e, 0, env);
    case EX_CALL:
        if (call_builtin(f, e, env, &v))
            return v;
        if (e->call->function->rest && strcmp(e->call->function->name, "Connections") == 0)
            return virtual_call(f, e, env);
        return call_function(f, e, env, NULL, 0);
    case EX_ARRAY:
        return evaluate_list(f, &e->list, env, e->span);
    case EX_COLLECT:
        return evaluate_collect(f, e, env);
    case EX_MATRIX:
        return evaluate_matrix(f, e, env);
    case EX_SELECT:
        v = evaluate(f, e->select.base, env);
        if (!e->select.subscripts)
            return select_field(f, &v, e, env);
        return evaluate_subscripts(f, &v, e->select.subscripts, env, e->span, "the array");
    case EX_COLON:
        report_error(f, e->span, env.inst,
                     "\":\" stands for a whole dimension and has no value here\nwrite a number");
        return (Value){0};
    case EX_TUPLE:
        report_error(f, e->span, env.inst,
                     "a list in parentheses has no value here\nwrite an array in braces");
        return (Value){0};
    case EX_PARTIAL:
        return evaluate_partial(f, e, env);
    case EX_NONE:
        break;
    }
    return (Value){0};
}

Value evaluate(Front *f, const Expr *e, Env env)
{
    if (!e || !enter(f, e->span))
        return (Value){0};
    Value v = evaluate_kind(f, e, env);
    leave(f);
    return v;
}

/* Boolean and enumerations may be dimensions, too */
bool evaluate_type_size(Front *f, const Expr *e, Env env, size_t *size)
{
    if (e->kind == EX_REF && !e->ref->subscripts.n && !env.frame) {
        Found found = e->ref->rest ? (Found){0} : lookup(f, env, e->ref->name);
        if (found.kind == FOUND_TYPE && found.type == TY_BOOLEAN) {
            *size = 2;
            return true;
        }
        const Class *literals = named_enumeration(f, e, env);
        if (literals) {
            *size = literals->literals.n;
            return true;
        }
    }
    return false;
}

bool size_of_value(Front *f, const Value *v, SourceSpan span, const Inst *where, size_t *size)
{
    if (v->kind == V_NONE)
        return false;
    if (v->kind != V_INTEGER || v->ndim) {
        report_error(
            f, span, where,
            "a size must be an Integer, this is of type %s\ninteger(x) makes one of a Real",
            value_kind_text(v->kind));
        return false;
    }
    Value number = *v;
    if (!parameter_number(f, &number) && !is_known(f, v, span, where, "a size"))
        return false;
    if (number.x < 0 || number.x > 4e9) {
        report_error(f, span, where, "%.0f is no size of an array\na size is at least 0", number.x);
        return false;
    }
    *size = (size_t)number.x;
    return true;
}

bool evaluate_size(Front *f, const Expr *e, Env env, size_t *size)
{
    if (evaluate_type_size(f, e, env, size))
        return true;
    Value v = evaluate(f, e, env);
    return size_of_value(f, &v, e->span, env.inst, size);
}

bool condition_of_value(Front *f, const Value *v, SourceSpan span, const Inst *where, bool *holds)
{
    Value number = *v;
    if (v->kind == V_NONE)
        return false;
    if (v->kind != V_BOOLEAN || v->ndim) {
        report_error(f, span, where,
                     "a condition must be Boolean, this is of type %s\n"
                     "compare it with something: x > 0",
                     value_kind_text(v->kind));
        return false;
    }
    if (!parameter_number(f, &number) && !is_known(f, v, span, where, "this condition"))
        return false;
    *holds = number.x != 0;
    return true;
}

bool evaluate_condition(Front *f, const Expr *e, Env env, bool *holds)
{
    Value v = evaluate(f, e, env);
    return condition_of_value(f, &v, e->span, env.inst, holds);
}
