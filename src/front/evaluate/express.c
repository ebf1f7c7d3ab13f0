/* express.c - expressions of constants and parameters to values. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "front/external/external.h"
#include "front/divide/noted.h"
#include "front/evaluate/subscript.h"

/* ------------------------------------------------------------------ iterators */

/* the enumeration that an expression names, or NULL */
const Class *named_enumeration(Front *f, const Expr *e, Env env)
{
    Found found = e->kind == EX_REF ? lookup(f, env, e->ref->name) : (Found){0};
    if (found.kind != FOUND_MEMBER || !found.member->class_)
        return NULL;
    Type type = {0};
    if (!e->ref->rest) {
        type = type_follow(f, class_type(f, found.member), e->span);
    } else { /* P.E, or anything else of P: without a word */
        ReportMark before = report_mark(f);
        type = lookup_type(f, env, e->ref);
        if (f->nwrong != before.nwrong) {
            report_forget(f, before);
            return NULL;
        }
    }
    return type.kind == TY_ENUM ? type.class_ : NULL;
}

/* loops of a for-expression, from one index on, and what is done for each value */
typedef struct Iteration {
    const ForIndexList *indices;
    IterateBody *body;
    void *user;
} Iteration;

static bool iterate_from(Front *f, const Iteration *loops, size_t which, Env env);

/* one value of an index: the loops inside of it */
static bool iterate_inside(Front *f, const Iteration *loops, size_t which, Env env, Value value)
{
    LocalName frame = {env.frame, loops->indices->items[which]->name, value, NULL};
    env.frame = &frame;
    return spend(f, loops->indices->items[which]->span, 1) &&
           iterate_from(f, loops, which + 1, env);
}

/* The first and the last number of a range without a step, which is counted, not stored; *counted:
 * they are Integers. False after reporting an error. */
static bool range_ends(Front *f, const ForIndex *index, Env env, Value *first, Value *last,
                       bool *counted)
{
    const Expr *r = index->range;
    SourceSpan span = r ? r->span : index->span;
    *first = r ? evaluate(f, r->range.first, env) : value_number(V_INTEGER, 1);
    *last = r ? evaluate(f, r->range.last, env) : implied_last(f, index, env);
    if (first->kind == V_NONE || last->kind == V_NONE)
        return false;
    *counted =
        first->kind == V_INTEGER && last->kind == V_INTEGER && first->ndim == 0 && last->ndim == 0;
    return !*counted ||
           ((parameter_number(f, first) || is_known(f, first, span, env.inst, "a range")) &&
            (parameter_number(f, last) || is_known(f, last, span, env.inst, "a range")));
}

/* the values of a range that is no range of numbers alone: a vector, Boolean, an enumeration */
static Value range_values(Front *f, const Expr *r, Env env)
{
    TypeKind predefined = TY_NONE;
    if (r->kind == EX_REF && lookup(f, env, r->ref->name).kind == FOUND_TYPE)
        predefined = lookup(f, env, r->ref->name).type;
    const Class *literals = r->kind == EX_REF ? named_enumeration(f, r, env) : NULL;
    if (predefined == TY_BOOLEAN || literals) /* for e in E loop */
        return all_of_type(f, literals, r->span);
    return evaluate(f, r, env);
}

/* runs the body for all values of the indices from this one on */
static bool iterate_from(Front *f, const Iteration *loops, size_t which, Env env)
{
    if (which == loops->indices->n)
        return loops->body(f, env, loops->user);
    const ForIndex *index = loops->indices->items[which];
    const Expr *r = index->range;
    if (!r && !index->used) {
        report_error(f, index->span, env.inst,
                     "the index '%s' has no range, and nothing has it as a subscript\n"
                     "write \"%s in 1:n\"",
                     index->name, index->name);
        return false;
    }
    Value range = r ? (Value){0} : implied_of_type(f, index, env);
    if (range.kind == V_NONE && (!r || (r->kind == EX_RANGE && !r->range.step))) {
        Value first, last;
        bool counted;
        if (!range_ends(f, index, env, &first, &last, &counted))
            return false;
        for (double i = first.x; counted && i <= last.x; i++)
            if (!iterate_inside(f, loops, which, env, value_number(V_INTEGER, i)))
                return false;
        if (counted)
            return true;
    }
    if (r)
        range = range_values(f, r, env);
    if (range.kind == V_NONE)
        return false;
    if (range.ndim != 1) {
        report_error(f, r->span, env.inst,
                     "the range of '%s' is no vector\nwrite a range such as 1:n", index->name);
        return false;
    }
    for (size_t i = 0; i < range.n; i++)
        if (!iterate_inside(f, loops, which, env, value_element(&range, i)))
            return false;
    return true;
}

bool iterate(Front *f, const ForIndexList *indices, Env env, IterateBody *body, void *user)
{
    const Iteration loops = {indices, body, user};
    return iterate_from(f, &loops, 0, env);
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

/* one more value of an array that iterators make */
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

/* {f(i) for i in 1:n}, the first index outermost */
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

/* {a, b, c} */
static Value evaluate_list(Front *f, const ExprList *list, Env env, SourceSpan span)
{
    Value few[3];
    Value *items = list->n <= 3 ? few : scratch_zeroed(f, list->n * sizeof *items);
    if (!items)
        return (Value){0};
    NumberMark *marks = f->numbers ? scratch_zeroed(f, list->n * sizeof *marks) : NULL, none;
    bool ok = true, symbolic = false;
    for (size_t i = 0; i < list->n; i++) {
        items[i] = evaluate_operand(f, list->items[i], env, marks ? &marks[i] : &none);
        ok = ok && items[i].kind != V_NONE;
        symbolic |= marks && value_is_symbolic(&items[i]);
    }
    for (size_t i = list->n; symbolic && i-- > 0;)
        items[i] = number_beside(f, list->items[i], env, items[i], &marks[i]);
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

/* first : step : last */
static Value evaluate_range(Front *f, const Expr *e, Env env)
{
    Value first = evaluate(f, e->range.first, env), last = evaluate(f, e->range.last, env);
    Value step = e->range.step ? evaluate(f, e->range.step, env) : value_number(V_INTEGER, 1);
    if (first.kind == V_NONE || last.kind == V_NONE || step.kind == V_NONE)
        return (Value){0};
    bool numbers = first.kind <= V_INTEGER && last.kind <= V_INTEGER && step.kind <= V_INTEGER;
    bool literals = first.kind == last.kind && first.literals == last.literals && !e->range.step &&
                    (first.kind == V_ENUM || first.kind == V_BOOLEAN);
    if (first.ndim || last.ndim || step.ndim || !(numbers || literals)) {
        report_error(f, e->span, env.inst,
                     "a range needs numbers, or two Booleans or literals of one enumeration\n"
                     "write first : last or first : step : last");
        return (Value){0};
    }
    if (step.x == 0) { /* no expression: that is no number */
        report_error(
            f, e->span, env.inst,
            "the step of a range is zero\ngive it a number that leads from the first to the last");
        return (Value){0};
    }
    Value *ends[] = {&first, &step, &last};
    for (int k = 0; k < 3; k++) {
        if (ends[k]->kind == V_REAL && has_seeds(f, ends[k])) {
            report_error(f, e->span, env.inst,
                         "this range depends on what is differentiated by\n"
                         "count with Integers and compute the numbers from these");
            return (Value){0};
        }
        if (!parameter_number(f, ends[k]) && !is_known(f, ends[k], e->span, env.inst, "a range"))
            return (Value){0};
    }
    double count = floor((last.x - first.x) / step.x * (1 + 1e-15) + 1e-12) + 1;
    ValueKind kind = literals ? first.kind
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

/* the value of a branch; `chosen`: variables may choose another one */
static Value evaluate_branch(Front *f, const Expr *e, Env env, bool chosen)
{
    NumberMark mark;
    Value v = evaluate_operand(f, e, env, &mark);
    return chosen ? number_beside(f, e, env, v, &mark) : v;
}

/* may another element of the model have an expression where this one has a number? */
static bool may_be_symbolic(const Front *f, const Expr *e, size_t first)
{
    return first > 0 || number_is_mixed(f, e);
}

/* the branches from the first one on; those before it were refused by variables */
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
        if (is_symbolic(c.x) && !(lower_of_numbers(f) && parameter_number(f, &c))) {
            Node guard = lower_begin_guard(f, c.x); /* for assertions of functions */
            f->nchoice++;                           /* no number where nobody comes is no error */
            Value yes = evaluate_branch(f, e->choice.values->items[i], env, true);
            lower_end_guard(f, guard);
            lower_begin_guard(f, symbolic_unary(f, OP_NOT, c.x));
            Value no = evaluate_if(f, e, i + 1, env);
            lower_end_guard(f, guard);
            f->nchoice--;
            return symbolic_choice(f, c.x, yes, no, e->span, env.inst);
        }
        if (c.x != 0)
            return evaluate_branch(f, e->choice.values->items[i], env,
                                   may_be_symbolic(f, e, first));
    }
    return evaluate_branch(f, e->choice.values->items[e->choice.conditions->n], env,
                           may_be_symbolic(f, e, first));
}

/* "and" and "or" examine the right side only if it matters */
static Value evaluate_binary(Front *f, const Expr *e, Env env)
{
    NumberMark left, right;
    Value a = evaluate_operand(f, e->left, env, &left);
    if (a.kind == V_BOOLEAN && a.ndim == 0 && !is_symbolic(a.x) &&
        ((e->op == OP_AND && a.x == 0) || (e->op == OP_OR && a.x != 0)))
        return a;
    Value b = evaluate_operand(f, e->right, env, &right);
    numbers_beside(f, env, e->left, &a, &left, e->right, &b, &right);
    return operate_binary(f, e->op, a, b, e->span, env.inst);
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

/* the value of an expression, without the limits that `evaluate` watches */
static Value evaluate_kind(Front *f, const Expr *e, Env env)
{
    Value v;
    switch (e->kind) {
    case EX_INTEGER:
        return value_number(V_INTEGER, (double)size_number(f, e, env));
    case EX_REAL:
        return value_number(V_REAL, e->real);
    case EX_STRING:
        return value_string(e->text);
    case EX_BOOLEAN:
        return value_number(V_BOOLEAN, e->boolean);
    case EX_REF:
        return evaluate_reference(f, e->ref, env);
    case EX_END:
        for (LocalName *frame = env.frame; frame; frame = frame->outer)
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
    if (e->kind == EX_REF && !e->ref->subscripts.n) {
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
    if (!(number.x >= 0 && number.x <= 4e9)) {
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
