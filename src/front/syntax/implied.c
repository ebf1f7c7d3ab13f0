/* implied.c - indices without a range: "for i loop x[i] = 0; end for" runs over the dimension of x
 * that i stands in (Modelica 11.2.2.1).
 *
 * The parser notes the first place where the index is a subscript by itself; the sizes of what
 * stands there are known when the loop runs: 1:size(x, k).
 */
#include "front/syntax/parser.h"
#include "front/instance/semantic.h"

/* ------------------------------------------------------------------ where it is used */

static bool find_in_expression(ForIndex *index, const Expr *e);

static bool find_in_list(ForIndex *index, const ExprList *list)
{
    for (size_t i = 0; list && i < list->n; i++)
        if (find_in_expression(index, list->items[i]))
            return true;
    return false;
}

static bool is_index(const ForIndex *index, const Expr *e)
{
    return e && e->kind == EX_REF && !e->ref->rest && e->ref->subscripts.n == 0 &&
           e->ref->name == index->name;
}

/* a range from the size of the array that an index subscripts */
static bool find_in_ref(ForIndex *index, const Ref *whole)
{
    size_t depth = 0;
    for (const Ref *ref = whole; ref; ref = ref->rest, depth++)
        for (size_t k = 0; k < ref->subscripts.n; k++)
            if (is_index(index, ref->subscripts.items[k])) {
                index->used = whole;
                index->used_depth = depth;
                index->used_dimension = k;
                return true;
            }
    for (const Ref *ref = whole; ref; ref = ref->rest)
        if (find_in_list(index, &ref->subscripts))
            return true;
    return false;
}

static bool find_in_call(ForIndex *index, const CallExpr *call)
{
    if (find_in_list(index, &call->positional))
        return true;
    for (size_t i = 0; i < call->named.n; i++)
        if (find_in_expression(index, call->named.items[i]->value))
            return true;
    return false;
}

/* the first subscript in an expression that is the index alone */
static bool find_in_expression(ForIndex *index, const Expr *e)
{
    if (!e)
        return false;
    switch (e->kind) {
    case EX_REF:
        return find_in_ref(index, e->ref);
    case EX_UNARY:
    case EX_BINARY:
        return find_in_expression(index, e->left) || find_in_expression(index, e->right);
    case EX_RANGE:
        return find_in_expression(index, e->range.first) ||
               find_in_expression(index, e->range.step) || find_in_expression(index, e->range.last);
    case EX_IF:
        return find_in_list(index, e->choice.conditions) || find_in_list(index, e->choice.values);
    case EX_CALL:
    case EX_PARTIAL:
        return find_in_call(index, e->call);
    case EX_ARRAY:
    case EX_TUPLE:
        return find_in_list(index, &e->list);
    case EX_COLLECT:
        return find_in_expression(index, e->collect.body);
    case EX_MATRIX:
        for (size_t i = 0; i < e->matrix.nrow; i++)
            if (find_in_list(index, e->matrix.rows[i]))
                return true;
        return false;
    case EX_SELECT:
        return find_in_expression(index, e->select.base) ||
               find_in_list(index, e->select.subscripts);
    default:
        return false;
    }
}

/* the same in a list of equations */
static bool find_in_body(ForIndex *index, const EquationList *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const Equation *e = list->items[i];
        if (find_in_expression(index, e->left) || find_in_expression(index, e->right) ||
            find_in_body(index, &e->body))
            return true;
        for (size_t k = 0; k < e->branches.n; k++)
            if (find_in_expression(index, e->branches.items[k]->condition) ||
                find_in_body(index, &e->branches.items[k]->body))
                return true;
    }
    return false;
}

void imply_ranges(const Parser *p, const ForIndexList *indices, const Expr *expression,
                  const EquationList *body)
{
    if (p->no_memory)
        return; // nodes may be the spare one: see parser.h
    for (size_t i = 0; i < indices->n; i++) {
        ForIndex *index = indices->items[i];
        if (!index->range && !find_in_expression(index, expression) && body)
            find_in_body(index, body);
    }
}

/* ------------------------------------------------------------------ how long it is */

Value implied_last(Front *f, const ForIndex *index, Env env)
{
    Ref *parts = scratch_zeroed(f, (index->used_depth + 1) * sizeof *parts);
    if (!parts)
        return (Value){0};
    const Ref *from = index->used;
    for (size_t i = 0; i <= index->used_depth; i++, from = from->rest) {
        parts[i] = *from;
        parts[i].rest = i < index->used_depth ? &parts[i + 1] : NULL;
    }
    parts[index->used_depth].subscripts.n = 0;
    Expr of = {.kind = EX_REF, .height = 1, .span = index->span, .ref = parts};
    Expr dimension = {.kind = EX_INTEGER,
                      .height = 1,
                      .span = index->span,
                      .integer = (long long)index->used_dimension + 1};
    Expr *arguments[] = {&of, &dimension};
    Ref name = {.span = index->span, .name = intern(f, "size")};
    CallExpr call = {.function = &name, .positional = {arguments, 2}};
    Expr size = {.kind = EX_CALL, .height = 2, .span = index->span, .call = &call};
    return evaluate(f, &size, env);
}
