/* subscript.c - subscripts: which elements they select, also where an index varies, and whether
 * they are of the type that the array is indexed by. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "front/function/function.h"
#include "front/evaluate/subscript.h"

/* ------------------------------------------------------------------ types of indices */

/* what a dimension is indexed by */
typedef struct IndexType {
    ValueKind kind; /* V_INTEGER, V_BOOLEAN, V_ENUM */
    const Class *literals;
} IndexType;

static IndexType dimension_type(Front *f, const Dimension *d)
{
    const Expr *e = d->size;
    if (e->kind != EX_REF || e->ref->subscripts.n)
        return (IndexType){V_INTEGER, NULL};
    Found found = e->ref->rest ? (Found){0} : lookup(f, d->env, e->ref->name);
    if (found.kind == FOUND_TYPE && found.type == TY_BOOLEAN)
        return (IndexType){V_BOOLEAN, NULL};
    const Class *literals = named_enumeration(f, e, d->env);
    return (IndexType){literals ? V_ENUM : V_INTEGER, literals};
}

/* may the expression be of another type than Integer? Answered without evaluating it. */
static bool may_be_other(const Expr *e, Env env)
{
    switch (e->kind) {
    case EX_REF:
        for (const LocalName *frame = env.frame; frame && !e->ref->rest; frame = frame->outer)
            if (frame->name == e->ref->name)
                return frame->value.kind == V_BOOLEAN || frame->value.kind == V_ENUM;
        return true;
    case EX_RANGE:
        return may_be_other(e->range.first, env);
    case EX_UNARY:
        return e->op == OP_NOT;
    case EX_BINARY:
        return e->op < OP_ADD;
    case EX_BOOLEAN:
    case EX_ARRAY:
        return true;
    default:
        return false;
    }
}

static const char *index_type_text(const IndexType *t)
{
    return t->kind == V_ENUM ? t->literals->name : t->kind == V_BOOLEAN ? "Boolean" : "Integer";
}

bool check_index_types(Front *f, Member *m, const ExprList *subscripts, Env env)
{
    Dimension dims[VALUE_DIMS];
    size_t n = 0;
    if (m->index_types == INDEX_TYPES_NEW) {
        n = dimensions_of(f, m, (Env){.inst = m->inst, .part = m->part}, dims);
        m->index_types = INDEX_TYPES_INTEGER;
        for (size_t k = 0; k < n; k++)
            if (dimension_type(f, &dims[k]).kind != V_INTEGER)
                m->index_types = INDEX_TYPES_OTHER;
    }
    for (size_t k = 0; k < subscripts->n && k < VALUE_DIMS; k++) {
        const Expr *e = subscripts->items[k];
        if (e->kind == EX_COLON || e->kind == EX_END ||
            (m->index_types == INDEX_TYPES_INTEGER && !may_be_other(e, env)))
            continue;
        if (!n)
            n = dimensions_of(f, m, (Env){.inst = m->inst, .part = m->part}, dims);
        LocalName end = {env.frame, f->word_end, value_number(V_INTEGER, 1), NULL};
        Env inside = env;
        inside.frame = &end;
        Value v = k < n ? evaluate(f, e, inside) : (Value){0};
        IndexType wanted = k < n ? dimension_type(f, &dims[k]) : (IndexType){V_INTEGER, NULL};
        IndexType is = {v.kind, v.literals};
        if ((v.kind != V_INTEGER && v.kind != V_BOOLEAN && v.kind != V_ENUM) ||
            (is.kind == wanted.kind && is.literals == wanted.literals))
            continue;
        report_error(f, e->span, env.inst,
                     "'%s' is indexed by %s here, this is of type %s\n"
                     "give an index of the type in the declaration of the array",
                     m->name, index_type_text(&wanted), index_type_text(&is));
        return false;
    }
    return true;
}

Value all_of_type(Front *f, const Class *literals, SourceSpan span)
{
    size_t n = literals ? literals->literals.n : 2;
    Value range = value_array(f, span, literals ? V_ENUM : V_BOOLEAN, 1, &n);
    range.literals = literals;
    for (size_t i = 0; range.kind != V_NONE && i < n; i++)
        range.num[i] = (double)(literals ? i + 1 : i);
    return range;
}

/* the declaration of the array that an index without a range is a subscript of, or NULL */
static Member *subscripted_member(Front *f, const ForIndex *index, Env env)
{
    const Ref *ref = index->used;
    Found found = lookup(f, env, ref->name);
    Member *m = found.kind == FOUND_FRAME    ? (Member *)found.frame->variable
                : found.kind == FOUND_MEMBER ? found.member
                                             : NULL;
    for (size_t k = 0; m && m->component && k < index->used_depth; k++) {
        Inst *child =
            member_type(f, m)->kind == TY_CLASS && member_present(f, m) ? member_child(f, m) : NULL;
        ref = ref->rest;
        m = child && ref ? inst_find(child, NULL, ref->name) : NULL;
    }
    return m && m->component ? m : NULL;
}

Value implied_of_type(Front *f, const ForIndex *index, Env env)
{
    Dimension dims[VALUE_DIMS];
    Member *m = subscripted_member(f, index, env);
    size_t n = m ? dimensions_of(f, m, (Env){.inst = m->inst, .part = m->part}, dims) : 0;
    if (index->used_dimension >= n)
        return (Value){0};
    IndexType type = dimension_type(f, &dims[index->used_dimension]);
    return type.kind == V_INTEGER ? (Value){0} : all_of_type(f, type.literals, index->span);
}

/* ------------------------------------------------------------------ selected elements */

/* positions from 0 that one subscript selects of `size` */
static bool select_one(Front *f, const Expr *e, Env env, size_t size, SourceSpan span,
                       const char *name, int k, IndexSelection *s)
{
    if (e->kind == EX_COLON) {
        s->n[k] = size;
        s->drop[k] = false;
    } else {
        LocalName end = {env.frame, f->word_end, value_number(V_INTEGER, (double)size), NULL};
        if (size != NO_SIZE)
            env.frame = &end;
        Value v = evaluate(f, e, env);
        if (v.kind == V_NONE)
            return false;
        if ((v.kind != V_INTEGER && v.kind != V_BOOLEAN && v.kind != V_ENUM) || v.ndim > 1) {
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
                       SourceSpan span, const char *name, IndexSelection *s)
{
    static const Expr colon = {.kind = EX_COLON};
    *s = (IndexSelection){.ndim = ndim};
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

size_t selection_count(const IndexSelection *s)
{
    size_t n = 1;
    for (int k = 0; k < s->ndim; k++)
        n *= s->n[k];
    return n;
}

size_t selection_position(const IndexSelection *s, const size_t *dim, size_t i)
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
        LocalName end = {env.frame, f->word_end, value_number(V_INTEGER, (double)dim[k]), NULL};
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
        LocalName end = {env.frame, f->word_end, value_number(V_INTEGER, (double)dim[k]), NULL};
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
