/* builtin.c - the built-in functions of Modelica that parameters may use. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block/function.h"
#include "front/evaluate/builtin.h"
#include "front/divide/noted.h"

/* ------------------------------------------------------------------ of numbers, element by element
 */

/* a function of one or two numbers, for each element of an array */
static Value each_number(Builtin *b)
{
    const Value *x = &b->a[0], *y = &b->a[b->n - 1];
    const Function function = (Function)b->code;
    if (function == FUNCTION_INTEGER && x->kind == V_ENUM)
        return value_number(V_INTEGER, x->x);
    if (!is_number(x) || !is_number(y) ||
        (b->n == 2 && x->ndim && y->ndim && !value_same_sizes(x, y)))
        return builtin_fail(b, "numbers are needed");
    bool whole = x->kind == V_INTEGER && y->kind == V_INTEGER;
    FunctionResult result = function_table[function].result;
    ValueKind kind =
        result == RESULT_INTEGER || (result == RESULT_SAME && whole) ? V_INTEGER : V_REAL;
    const Value *shape = x->ndim ? x : y;
    Value v = value_array(b->f, b->call->span, kind, shape->ndim, shape->dim);
    for (size_t i = 0; v.kind != V_NONE && i < shape->n; i++) {
        double p = value_at(x, x->ndim ? i : 0), q = value_at(y, y->ndim ? i : 0);
        bool known = !is_symbolic(p) && !is_symbolic(q);
        if (known && (function == FUNCTION_ABS || function == FUNCTION_SIGN ||
                      (function >= FUNCTION_FLOOR && function <= FUNCTION_REM)))
            note_rounding(b->f, b->call->span, p, q);
        Value e = value_number(
            kind, known   ? function_value(function, p, q)
                  : whole ? symbolic_call(b->f, function, p, q)
                          : symbolic_step(b->f, function, p, q, b->call->span, b->where));
        if (known && !isfinite(e.x) &&
            !(b->f->nchoice && b->f->lower)) { /* else variables may not lead here */
            report_error(b->f, b->call->span, b->where,
                         function == FUNCTION_DIV || function == FUNCTION_MOD ||
                                 function == FUNCTION_REM
                             ? "%s: division of %g by zero\ncheck the second argument"
                             : "%s(%g) is not a finite number\ncheck the argument",
                         b->name, p);
            return (Value){0};
        }
        value_put(&v, i, &e);
    }
    if (function == FUNCTION_ABS)
        v.unit = x->unit;
    return v;
}

/* ------------------------------------------------------------------ reductions */

enum { F_MIN, F_MAX, F_SUM, F_PRODUCT };

typedef struct Reduction {
    const Expr *body;
    int code;
    Value value;
    bool any, ok;
} Reduction;

/* one more value of sum, product, min or max */
static bool reduce(Front *f, Reduction *r, Value v, SourceSpan span, const Inst *where)
{
    if (v.kind == V_NONE)
        return r->ok = false;
    for (size_t i = 0; i < v.n && r->ok; i++) {
        Value e = v.ndim ? value_element(&v, i) : v;
        if (!r->any) {
            r->value = e;
            r->any = true;
        } else if (r->code == F_SUM || r->code == F_PRODUCT) {
            r->value =
                operate_binary(f, r->code == F_SUM ? OP_ADD : OP_MUL, r->value, e, span, where);
        } else {
            if (e.kind == V_REAL && r->value.kind == V_INTEGER)
                r->value.kind = V_REAL;
            if (!is_symbolic(e.x) && !is_symbolic(r->value.x))
                note_rounding(f, span, r->value.x, e.x);
            if (is_symbolic(e.x) || is_symbolic(r->value.x))
                r->value.x = symbolic_call(f, r->code == F_MIN ? FUNCTION_MIN : FUNCTION_MAX,
                                           r->value.x, e.x);
            else if (r->code == F_MIN ? e.x < r->value.x : e.x > r->value.x)
                r->value.x = e.x;
        }
        r->ok = r->value.kind != V_NONE;
    }
    return r->ok;
}

static bool reduce_item(Front *f, Env env, void *user)
{
    Reduction *r = user;
    Value v = evaluate(f, r->body, env);
    if (v.kind == V_STRING) {
        report_error(f, r->body->span, env.inst, "numbers are needed here\nthis is a text");
        return r->ok = false;
    }
    return reduce(f, r, v, r->body->span, env.inst);
}

static Value finish_builtin(Reduction *r)
{
    if (!r->ok)
        return (Value){0};
    if (r->any)
        return r->value;
    double none = r->code == F_MIN   ? 1.7976931348623157e308
                  : r->code == F_MAX ? -1.7976931348623157e308
                                     : r->code == F_PRODUCT;
    return value_number(V_REAL, none);
}

static Value reduction(Builtin *b)
{
    Reduction r = {.code = b->code, .ok = true};
    if (b->n == 2 && b->code >= F_SUM)
        return builtin_fail(b, "one array is needed");
    for (size_t i = 0; i < b->n; i++) {
        if (b->a[i].kind == V_STRING)
            return builtin_fail(b, "numbers are needed");
        reduce(b->f, &r, b->a[i], b->call->span, b->where);
    }
    return finish_builtin(&r);
}

static Value reduction_over(Front *f, const Expr *e, int code, Env env)
{
    Reduction r = {.body = e->call->positional.items[0], .code = code, .ok = true};
    iterate(f, &e->call->iterators, env, reduce_item, &r);
    return finish_builtin(&r);
}

/* ------------------------------------------------------------------ the rest */

enum { F_STRING, F_NOEVENT, F_SMOOTH, F_SEMILINEAR, F_HOMOTOPY };

/* A text of at least so many characters, to the left or to the right, in the front end's memory. */
static Value padded(const Builtin *b, const char *text, double least, bool left)
{
    size_t n = strlen(text), width = least > (double)n ? (size_t)least : n;
    char *copy = least <= 10000 ? work_zeroed(b->f, width + 1) : NULL;
    if (!copy)
        return least <= 10000 ? (Value){0} : builtin_fail(b, "minimumLength is at most 10000");
    memset(copy, ' ', width);
    memcpy(copy + (left ? 0 : width - n), text, n);
    return value_string(copy);
}

/* printf formats of one number: [flags][width][.precision] and one of e f g E G d i */
static Value formatted(const Builtin *b, const Value *v, const char *format)
{
    char whole[64], text[400];
    const char *p = format;
    if (*p == '%')
        p++;
    const char *first = p;
    p += strspn(p, "-+ #0");
    p += strspn(p, "0123456789");
    p += *p == '.' ? 1 + strspn(p + 1, "0123456789") : 0;
    bool real = *p && strchr("efgEG", *p), integer = *p && strchr("di", *p);
    if ((!real && !integer) || p[1] || p - first > 12 || (integer && v->kind != V_INTEGER))
        return builtin_fail(b, "a format such as \".3f\" or \"8d\" is needed");
    if (integer) {
        snprintf(whole, sizeof whole, "%%%.*slld", (int)(p - first), first);
        snprintf(text, sizeof text, whole, (long long)v->x);
    } else {
        snprintf(whole, sizeof whole, "%%%s", first);
        snprintf(text, sizeof text, whole, v->x);
    }
    return padded(b, text, 0, true);
}

/* String(x, significantDigits, minimumLength, leftJustified) of a Real, String(x, minimumLength,
 * leftJustified) of other scalars, String(x, format = "...") */
static Value to_string(Builtin *b)
{
    const Value *v = &b->a[0];
    Value text;
    if (v->kind == V_RECORD) {
        if (overload_string(b->f, v, b->n, b->call->span, b->where, &text))
            return text;
        return builtin_fail(b, "the record has no operator 'String'");
    }
    static const char *const names[] = {"significantDigits", "minimumLength", "leftJustified",
                                        "format"};
    Value option[4] = {{0}};
    const CallExpr *call = b->call->call;
    size_t shift = v->kind == V_REAL ? 0 : 1;
    for (size_t i = 1; i < b->n; i++) {
        size_t k = i - 1 + shift;
        if (i == 1 && b->a[1].kind == V_STRING)
            k = 3;
        if (i >= call->positional.n)
            for (k = 0; k < 4; k++)
                if (strcmp(call->named.items[i - call->positional.n]->name, names[k]) == 0)
                    break;
        if (k >= 4)
            return builtin_fail(
                b, "its options are significantDigits, minimumLength, leftJustified and "
                   "format");
        option[k] = b->a[i];
    }
    if (v->ndim || v->kind == V_OBJECT)
        return builtin_fail(b, "a scalar is needed");
    /* a function may be called for a message, whose numbers are put in where it is written */
    if (b->f->writes_parameters || (b->f->lower && !b->f->nfunction))
        parameter_number(b->f, &b->a[0]);
    if (b->f->nfunction && b->f->lower && is_symbolic(v->x) && v->kind < V_RECORD)
        return lower_open_text(b->f, v->x);
    if (!is_known(b->f, v, b->call->span, b->where, "the argument of String"))
        return (Value){0};
    static const ValueKind kinds[] = {V_INTEGER, V_INTEGER, V_BOOLEAN, V_STRING};
    for (int k = 0; k < 4; k++)
        if (option[k].kind != V_NONE && (option[k].kind != kinds[k] || option[k].ndim))
            return builtin_fail(
                b, "significantDigits and minimumLength are Integers, leftJustified is a "
                   "Boolean, format a String");
    if (option[3].kind)
        return is_number(v) ? formatted(b, v, option[3].s)
                            : builtin_fail(b, "format is for numbers");
    double least = option[1].kind ? option[1].x : 0;
    bool left = option[2].kind ? option[2].x != 0 : true;
    if (v->kind != V_REAL)
        return padded(b, value_print(b->f, v), least, left);
    double digits = option[0].kind ? option[0].x : 6;
    char number[64];
    if (!(digits >= 1 && digits <= 17))
        return builtin_fail(b, "significantDigits is 1 to 17");
    snprintf(number, sizeof number, "%.*g", (int)digits, v->x);
    return padded(b, number, least, left);
}

/* is argument i computed without events: noEvent(x), smooth(1, x)? */
static bool is_plain(const Builtin *b, size_t i)
{
    return b->code == F_NOEVENT || (b->code == F_SMOOTH && i == 1 && b->a[0].x >= 1);
}

/* the functions that are none of the above */
static Value other(Builtin *b)
{
    switch (b->code) {
    case F_STRING:
        return to_string(b);
    case F_SMOOTH:
        if (b->a[0].kind != V_INTEGER || b->a[0].ndim || is_symbolic(b->a[0].x) || b->a[0].x < 0)
            return builtin_fail(
                b, "the first one is an Integer: how often the other may be differentiated");
        return b->a[1];
    case F_SEMILINEAR:
        if (!is_number(&b->a[0]) || !is_number(&b->a[1]) || !is_number(&b->a[2]))
            return builtin_fail(b, "three numbers are needed");
        return operate_semi_linear(b->f, b->a, b->call->span, b->where);
    case F_HOMOTOPY:
        return b->f->lower ? lower_homotopy(b->f, b->a[0], &b->a[1]) : b->a[0];
    default:
        return b->a[0]; /* noEvent */
    }
}

/* ------------------------------------------------------------------ the table */

static const struct {
    const char *name;
    BuiltinFunction *function;
    int code, least, most; /* arguments */
    unsigned sizes;        /* bit i: argument i is a size, which has to be known */
} functions[] = {
#define EACH_NUMBER(id, name, arity, lanes, result)                                                \
    {#name, each_number, FUNCTION_##id, arity, arity, 0},
    ELEMENT_FUNCTIONS(EACH_NUMBER){"Integer", each_number, FUNCTION_INTEGER, 1, 1, 0},
    {"min", reduction, F_MIN, 1, 2, 0},
    {"max", reduction, F_MAX, 1, 2, 0},
    {"sum", reduction, F_SUM, 1, 1, 0},
    {"product", reduction, F_PRODUCT, 1, 1, 0},
    {"size", builtin_size, 0, 1, 2, 1u << 1},
    {"ndims", builtin_ndims, 0, 1, 1, 0},
    {"fill", builtin_fill, 0, 2, MAX_ARGUMENTS, ~1u},
    {"zeros", builtin_zeros, 0, 1, MAX_ARGUMENTS, ~0u},
    {"ones", builtin_ones, 0, 1, MAX_ARGUMENTS, ~0u},
    {"identity", builtin_identity, 0, 1, 1, 1u << 0},
    {"linspace", builtin_linspace, 0, 3, 3, 1u << 2},
    {"diagonal", builtin_diagonal, 0, 1, 1, 0},
    {"transpose", builtin_transpose, 0, 1, 1, 0},
    {"symmetric", builtin_symmetric, 0, 1, 1, 0},
    {"cross", builtin_cross, 0, 2, 2, 0},
    {"skew", builtin_skew, 0, 1, 1, 0},
    {"outerProduct", builtin_outer_product, 0, 2, 2, 0},
    {"cat", builtin_cat, 0, 2, MAX_ARGUMENTS, 1u << 0},
    {"vector", builtin_vector, 0, 1, 1, 0},
    {"matrix", builtin_matrix, 0, 1, 1, 0},
    {"scalar", builtin_scalar, 0, 1, 1, 0},
    {"String", other, F_STRING, 1, 4, 0},
    {"noEvent", other, F_NOEVENT, 1, 1, 0},
    {"smooth", other, F_SMOOTH, 2, 2, 0},
    {"semiLinear", other, F_SEMILINEAR, 3, 3, 0},
    {"homotopy", other, F_HOMOTOPY, 2, 2, 0},
    {"array", NULL, 0, 1, MAX_ARGUMENTS, 0}, /* evaluate_as_list */
};

/* functions that need time, states or events */
static const char *const later[] = {
    "der", "initial", "terminal", "sample", "pre", "edge", "change", "reinit", "delay", "inStream",
    "actualStream", "spatialDistribution", "terminate", "assert", "Connections",
    /* clocks, behind a user's functions of these names */
    "Clock", "hold", "previous", "subSample", "superSample", "shiftSample", "backSample", "noClock",
    "interval", "firstTick"};
enum { FIRST_CLOCK = 15 };

void nearest_builtins(NearestName *nearest)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        nearest_try(nearest, functions[i].name);
}

/* getInstanceName() and cardinality(c), which ask about the model and not about numbers */
static Value of_structure(Front *f, const Expr *e, Env env)
{
    const CallExpr *call = e->call;
    if (strcmp(call->function->name, "getInstanceName") == 0) {
        char path[400], text[700];
        const char *top = f->top && f->top->class_ ? f->top->class_->name : "";
        inst_path(env.inst, path, sizeof path);
        snprintf(text, sizeof text, "%.280s%s%s", top, *path ? "." : "", path);
        const char *copy = arena_text(&f->work, text, strlen(text));
        return copy ? value_string(copy) : (Value){0};
    }
    const Expr *connector = call->positional.n == 1 ? call->positional.items[0] : NULL;
    long count = connector && connector->kind == EX_REF && !connector->ref->rest
                     ? connection_count(f, connector->ref, env)
                     : -1;
    if (count >= 0)
        return value_number(V_INTEGER, (double)count);
    report_error(f, e->span, env.inst,
                 "the cardinality is known only of a connector of the model itself\n"
                 "use a Boolean parameter instead");
    return (Value){0};
}

/* the first letter distinguishes nearly all names, and calls are many */
static inline bool is_named(const char *own, const char *name)
{
    return *own == *name && strcmp(own, name) == 0;
}

/* Of size(x, 1) only the sizes of x are needed, which are known of variables, too: *v has them and
 * no numbers. False: x is no whole variable. */
static bool sizes_of_variable(Front *f, const Expr *x, Env env, Value *v)
{
    if (!x || x->kind != EX_REF || x->ref->global || x->ref->subscripts.n)
        return false;
    Found found = lookup(f, env, x->ref->name);
    Member *m = found.kind == FOUND_MEMBER ? found.member : NULL;
    for (const Ref *r = x->ref; m && m->component; r = r->rest) {
        m = member_resolve(f, m, r->span);
        if (!m || r->subscripts.n || !member_present(f, m))
            return false;
        if (!r->rest)
            break;
        Inst *child = member_type(f, m)->kind == TY_CLASS ? member_child(f, m) : NULL;
        if (!child || m->axis)
            return false;
        m = inst_find(child, NULL, r->rest->name);
    }
    if (!m || !m->component || member_is_parameter(m) || member_type(f, m)->kind == TY_NONE)
        return false;
    *v = (Value){0};
    if (!member_all_sizes(f, m, x->span))
        return true;
    *v = (Value){.kind = V_REAL, .ndim = m->ndim, .n = 1};
    memcpy(v->dim, m->dim, sizeof v->dim);
    return true;
}

/* The i-th argument of a call by names, in the order of the declaration; of String in that of the
 * call. NULL after an error. */
static const Expr *named_argument(Front *f, const Expr *e, const char *name, size_t i, Env env)
{
    static const char *const homotopy[] = {"actual", "simplified"};
    const CallExpr *call = e->call;
    if (is_named("String", name))
        return call->named.items[i - call->positional.n]->value;
    if (!is_named("homotopy", name)) {
        report_error(f, call->named.items[0]->span, env.inst,
                     "'%s' has no argument '%s'\ngive its arguments by position", name,
                     call->named.items[0]->name);
        return NULL;
    }
    for (size_t k = 0; k < call->named.n; k++)
        if (strcmp(call->named.items[k]->name, homotopy[i]) == 0)
            return call->named.items[k]->value;
    report_error(f, e->span, env.inst,
                 "homotopy needs the argument '%s'\nwrite homotopy(actual = ..., simplified = ...)",
                 homotopy[i]);
    return NULL;
}

/* What follows if a function needs time, states or events: it is lowered, or there is an error.
 * True: it is such a function, or one of the user's has its name, and *result or *own says so. */
static bool call_later(Front *f, const Expr *e, Env env, Env from, Value *result, bool *own)
{
    const char *name = e->call->function->name;
    size_t i = 0, n = sizeof later / sizeof *later;
    while (i < n && !is_named(later[i], name))
        i++;
    *own = i < n && i >= FIRST_CLOCK && is_own_class(f, from, name);
    if (i == n || *own)
        return i < n;
    if (f->lower)
        *result = lower_call(f, e, env);
    else
        report_error(f, e->span, env.inst,
                     "'%s' cannot be used in a parameter\n"
                     "only constants and parameters are known before the simulation",
                     name);
    return true;
}

/* array(a, b) and array(a for i in b) are other ways to write {a, b} and {a for i in b} */
static Value evaluate_as_list(Front *f, const Expr *e, Env env)
{
    const CallExpr *call = e->call;
    Expr list = {.kind = EX_ARRAY, .span = e->span, .list = call->positional};
    if (call->iterators.n && call->positional.n == 1) {
        list.kind = EX_COLLECT;
        list.collect.body = call->positional.items[0];
        list.collect.iterators = (ForIndexList *)&call->iterators;
    }
    return evaluate(f, &list, env);
}

/* the arguments of function k of the table; false: one of them has no value, which was reported */
static bool evaluate_arguments(Builtin *b, size_t k, Env env)
{
    Front *f = b->f;
    const CallExpr *call = b->call->call;
    bool sizes = functions[k].function == builtin_size || functions[k].function == builtin_ndims;
    bool ok = true, symbolic = false;
    NumberMark marks[MAX_ARGUMENTS];
    const Expr *from[MAX_ARGUMENTS] = {0};
    for (size_t i = 0; i < b->n; i++) {
        if (i == 0 && sizes &&
            sizes_of_variable(f, call->positional.n ? call->positional.items[0] : NULL, env,
                              &b->a[0])) {
            ok = ok && b->a[0].kind != V_NONE;
            continue;
        }
        const Expr *x = i < call->positional.n ? call->positional.items[i]
                                               : named_argument(f, b->call, b->name, i, env);
        if (!x)
            return false;
        bool plain = functions[k].function == other && is_plain(b, i);
        lower_literal(f, plain);
        b->a[i] = evaluate_operand(f, x, env, &marks[i]);
        lower_literal(f, -plain);
        ok = ok && b->a[i].kind != V_NONE;
        symbolic |= f->numbers && value_is_symbolic(&b->a[i]);
        from[i] = x;
    }
    bool numbers = functions[k].function == each_number || functions[k].function == reduction ||
                   (functions[k].function == other && functions[k].code == F_SEMILINEAR);
    for (size_t i = b->n; symbolic && numbers && i-- > 0;)
        b->a[i] = number_beside(f, from[i], env, b->a[i], &marks[i]);
    for (size_t i = 0; ok && i < b->n; i++)
        ok = !(functions[k].sizes >> i & 1) || parameter_number(f, &b->a[i]) ||
             is_known(f, &b->a[i], b->call->span, b->where, "a size");
    return ok;
}

/* function k of the table with the arguments of a call */
static Value call_of_table(Front *f, const Expr *e, size_t k, Env env)
{
    size_t given = e->call->positional.n + e->call->named.n;
    if (given < (size_t)functions[k].least || given > (size_t)functions[k].most) {
        report_error(f, e->span, env.inst,
                     "'%s' has %d argument(s), not %zu\ngive it what it needs", functions[k].name,
                     functions[k].least, given);
        return (Value){0};
    }
    Builtin *b = f->builtins;
    if (b)
        f->builtins = b->next;
    else if (!(b = work_zeroed(f, sizeof *b)))
        return (Value){0};
    *b = (Builtin){.f = f,
                   .call = e,
                   .name = e->call->function->name,
                   .where = env.inst,
                   .code = functions[k].code,
                   .n = given};
    Value result = {0};
    if (evaluate_arguments(b, k, env))
        result = functions[k].function(b);
    b->next = f->builtins;
    f->builtins = b;
    return result;
}

bool call_builtin(Front *f, const Expr *e, Env env, Value *result)
{
    const CallExpr *call = e->call;
    const char *name = call->function->name;
    *result = (Value){0};
    if (call->function->rest)
        return false;
    if (is_named("getInstanceName", name) || is_named("cardinality", name)) {
        *result = of_structure(f, e, env);
        return true;
    }
    Env from = call->function->global ? (Env){.inst = f->root} : env;
    bool own;
    if (call_later(f, e, env, from, result, &own))
        return !own;
    size_t k = 0, n = sizeof functions / sizeof *functions;
    while (k < n && !is_named(functions[k].name, name))
        k++;
    /* a user's function of the same name comes first */
    if (k == n || lookup(f, from, name).kind == FOUND_MEMBER)
        return false;
    if (is_named("array", name))
        *result = evaluate_as_list(f, e, env);
    else if (!call->iterators.n)
        *result = call_of_table(f, e, k, env);
    else if (functions[k].function == reduction)
        *result = reduction_over(f, e, functions[k].code, env);
    else
        report_error(f, e->span, env.inst,
                     "'%s' cannot be used with an iterator\nonly sum, product, min and max can",
                     name);
    return true;
}
