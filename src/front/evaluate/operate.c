/* operate.c - the operators on values.
 *
 * + and - need equal sizes, * is a product of scalars, vectors and matrices, / divides by a
 * scalar, ^ is a power of scalars or of a square matrix; with a dot in front an operator works
 * element by element and a scalar goes with every element. Integers stay Integer under + - *.
 */
#include <math.h>
#include <string.h>

#include "block/function.h"
#include "front/divide/noted.h"
#include "front/instance/semantic.h"

static ValueKind number_kind(const Value *a, const Value *b)
{
    return a->kind == V_INTEGER && b->kind == V_INTEGER ? V_INTEGER : V_REAL;
}

/* says why an operator does not fit its operands */
static Value reject(Front *f, Operator op, const Value *a, const Value *b, SourceSpan span,
                    const Inst *where)
{
    char sa[100], sb[100];
    bool is_relation = op >= OP_LESS && op <= OP_NOT_EQUAL;
    if (b && (a->ndim || b->ndim) && is_number(a) && is_number(b))
        report_error(
            f, span, where, "'%s' cannot be applied to the sizes %s and %s\n%s%s%s",
            operator_text(op), a->ndim ? value_sizes_text(a, sa, sizeof sa) : "of a scalar",
            b->ndim ? value_sizes_text(b, sb, sizeof sb) : "of a scalar", is_relation ? "" : "\".",
            is_relation ? "compare element by element, or max(abs(a - b))" : operator_text(op),
            is_relation ? "" : "\" works element by element");
    else if (b)
        report_error(f, span, where, "'%s' cannot be applied to %s and %s\n%s", operator_text(op),
                     value_kind_text(a->kind), value_kind_text(b->kind),
                     a->kind == V_STRING || b->kind == V_STRING
                         ? "String(x) makes a text of a number"
                     : op == OP_AND || op == OP_OR ? "Booleans are needed: compare numbers, x > 0"
                     : a->kind == V_BOOLEAN || b->kind == V_BOOLEAN
                         ? "if b then 1 else 0 makes a number of a Boolean"
                         : "both need to be of types that it is defined for");
    else
        report_error(f, span, where, "'%s' cannot be applied to %s\n%s", operator_text(op),
                     value_kind_text(a->kind),
                     op == OP_NOT ? "a Boolean is needed" : "a number is needed");
    return (Value){0};
}

Value operate_unary(Front *f, Operator op, Value a, SourceSpan span, const Inst *where)
{
    if (a.kind == V_NONE)
        return a;
    if (a.kind == V_RECORD)
        return overload_unary(f, op, &a, span, where);
    if (op == OP_NOT ? a.kind != V_BOOLEAN : !is_number(&a))
        return reject(f, op, &a, NULL, span, where);
    if (op == OP_ADD || op == OP_EACH_ADD)
        return a;
    Value v = value_array(f, span, a.kind, a.ndim, a.dim);
    if (v.kind == V_NONE)
        return v;
    v.unit = a.unit;
    for (size_t i = 0; i < a.n; i++) {
        double x = value_at(&a, i), y = op == OP_NOT ? x == 0 : 0 - x;
        if (is_symbolic(x))
            y = symbolic_unary(f, op, x);
        if (v.ndim)
            v.num[i] = y;
        else
            v.x = y;
    }
    return v;
}

/* ------------------------------------------------------------------ numbers */

/* false when the result is no number */
static bool apply(Operator op, double a, double b, double *y)
{
    switch (op) {
    case OP_ADD:
    case OP_EACH_ADD:
        *y = a + b;
        break;
    case OP_SUB:
    case OP_EACH_SUB:
        *y = a - b;
        break;
    case OP_MUL:
    case OP_EACH_MUL:
        *y = a * b;
        break;
    case OP_DIV:
    case OP_EACH_DIV:
        *y = a / b;
        return b != 0;
    default:
        *y = function_value(FUNCTION_POW, a, b);
        return isfinite(*y);
    }
    return true;
}

static void report_quotient(Front *f, Operator op, double x, double z, SourceSpan span,
                            const Inst *where)
{
    if (op == OP_DIV || op == OP_EACH_DIV)
        report_error(f, span, where,
                     "division of %g by zero\ncheck the parameter in the denominator", x);
    else
        report_error(f, span, where, "%g ^ %g is not a finite number\ncheck base and exponent", x,
                     z);
}

/* an operator on numbers, element by element */
static Value each(Front *f, Operator op, const Value *a, const Value *b, ValueKind kind,
                  SourceSpan span, const Inst *where)
{
    const Value *shape = a->ndim ? a : b;
    Value v = value_array(f, span, kind, shape->ndim, shape->dim);
    if (v.kind == V_NONE)
        return v;
    for (size_t i = 0; i < v.n; i++) {
        double x = value_at(a, a->ndim ? i : 0), z = value_at(b, b->ndim ? i : 0), y;
        if (is_symbolic(x) || is_symbolic(z)) {
            y = symbolic_binary(f, op, x, z);
        } else if (!apply(op, x, z, &y)) {
            /* in a branch that variables decide it may never be computed */
            if (f->nchoice > 0 && f->lower) {
                y = NAN;
            } else {
                report_quotient(f, op, x, z, span, where);
                return (Value){0};
            }
        }
        if (v.ndim)
            v.num[i] = y;
        else
            v.x = y;
    }
    if (kind == V_INTEGER && v.n && fabs(value_at(&v, 0)) > 9007199254740992.0) {
        report_error(f, span, where, "the Integer %g is too big\nuse a Real", value_at(&v, 0));
        return (Value){0};
    }
    return v;
}

double number_operate(Front *f, Operator op, double a, double b)
{
    double y;
    if (is_symbolic(a) || is_symbolic(b))
        return symbolic_binary(f, op, a, b);
    apply(op, a, b, &y);
    return y;
}

/* vectors and matrices: a (n x k) times b (k x m) */
static Value product(Front *f, const Value *a, const Value *b, SourceSpan span, const Inst *where)
{
    bool fits = a->ndim <= 2 && b->ndim <= 2 && a->dim[a->ndim - 1] == b->dim[0];
    if (!fits)
        return reject(f, OP_MUL, a, b, span, where);
    size_t n = a->ndim == 2 ? a->dim[0] : 1, k = b->dim[0], m = b->ndim == 2 ? b->dim[1] : 1;
    size_t dim[2] = {n, m};
    int ndim = (a->ndim == 2) + (b->ndim == 2);
    if (a->ndim == 1)
        dim[0] = m;
    if (m && n && !spend(f, span, n * m * k / 16))
        return (Value){0};
    Value v = value_array(f, span, number_kind(a, b), ndim, dim);
    for (size_t i = 0; v.kind != V_NONE && i < n; i++)
        for (size_t j = 0; j < m; j++) {
            double sum = 0;
            for (size_t l = 0; l < k; l++)
                sum = number_operate(
                    f, OP_ADD, sum,
                    number_operate(f, OP_MUL, value_at(a, i * k + l), value_at(b, l * m + j)));
            if (v.ndim)
                v.num[i * m + j] = sum;
            else
                v.x = sum;
        }
    return v;
}

/* power of a square matrix */
static Value matrix_power(Front *f, const Value *a, const Value *b, SourceSpan span,
                          const Inst *where)
{
    Value exponent = *b;
    if (a->ndim != 2 || a->dim[0] != a->dim[1] || b->ndim || b->kind != V_INTEGER)
        return reject(f, OP_POW, a, b, span, where);
    if (!parameter_number(f, &exponent) && !is_known(f, b, span, where, "the exponent of a matrix"))
        return (Value){0};
    if (exponent.x < 0 || exponent.x > 1e6)
        return reject(f, OP_POW, a, b, span, where);
    Value result = value_array(f, span, a->kind, 2, a->dim), base = *a;
    for (size_t i = 0; result.kind != V_NONE && i < a->dim[0]; i++)
        result.num[i * a->dim[0] + i] = 1;
    for (long n = (long)exponent.x; n > 0 && result.kind != V_NONE && base.kind != V_NONE;
         n >>= 1) {
        if (n & 1)
            result = product(f, &result, &base, span, where);
        if (n > 1)
            base = product(f, &base, &base, span, where);
    }
    return result;
}

/* Numbers of different units: an error; where variables are among them a warning, since the
 * equations of a model may be right without their units. */
static void check_units(Front *f, Operator op, const Value *a, const Value *b, SourceSpan span,
                        const Inst *where)
{
    static const char text[] =
        "'%s' of the units \"%s\" and \"%s\"\nconvert one of the two, or correct its unit";
    if (!a->unit || !b->unit || a->n == 0 || b->n == 0 || !unit_differs(a->unit, b->unit))
        return;
    if (is_symbolic(value_at(a, 0)) || is_symbolic(value_at(b, 0)))
        warn(f, span, where, text, operator_text(op), a->unit, b->unit);
    else
        report_error(f, span, where, text, operator_text(op), a->unit, b->unit);
}

static void unit_of_sum(Front *f, Operator op, const Value *a, const Value *b, Value *v,
                        SourceSpan span, const Inst *where)
{
    check_units(f, op, a, b, span, where);
    v->unit = a->unit ? a->unit : b->unit;
}

/* of a product, a quotient or a power with a whole exponent that is a number */
static const char *unit_of_product(Front *f, Operator op, const Value *a, const Value *b)
{
    switch (op) {
    case OP_MUL:
    case OP_EACH_MUL:
        return unit_times(f, a->unit, b->unit, 1);
    case OP_DIV:
    case OP_EACH_DIV:
        return unit_times(f, a->unit, b->unit, -1);
    case OP_POW:
        return a->ndim == 0 && b->ndim == 0 && !is_symbolic(b->x) && fabs(b->x) < 10 &&
                       b->x == floor(b->x)
                   ? unit_times(f, "1", a->unit, (int)b->x)
                   : NULL;
    default:
        return NULL;
    }
}

/* arithmetic on numbers and arrays by the rules of the language */
static Value compute(Front *f, Operator op, const Value *a, const Value *b, SourceSpan span,
                     const Inst *where)
{
    if (!is_number(a) || !is_number(b))
        return reject(f, op, a, b, span, where);
    bool same = value_same_sizes(a, b), scalar = a->ndim == 0 || b->ndim == 0;
    ValueKind kind = number_kind(a, b);
    Value v;
    switch (op) {
    case OP_ADD:
    case OP_SUB:
        if (!same)
            return reject(f, op, a, b, span, where);
        v = each(f, op, a, b, kind, span, where);
        unit_of_sum(f, op, a, b, &v, span, where);
        return v;
    case OP_MUL:
        return scalar ? each(f, op, a, b, kind, span, where) : product(f, a, b, span, where);
    case OP_DIV:
        if (b->ndim)
            return reject(f, op, a, b, span, where);
        return each(f, op, a, b, V_REAL, span, where);
    case OP_POW:
        if (a->ndim)
            return matrix_power(f, a, b, span, where);
        if (b->ndim)
            return reject(f, op, a, b, span, where);
        return each(f, op, a, b, V_REAL, span, where);
    default:
        if (!same && !scalar)
            return reject(f, op, a, b, span, where);
        v = each(f, op, a, b, op == OP_EACH_DIV || op == OP_EACH_POW ? V_REAL : kind, span, where);
        if (op == OP_EACH_ADD || op == OP_EACH_SUB)
            unit_of_sum(f, op, a, b, &v, span, where);
        return v;
    }
}

static Value arithmetic(Front *f, Operator op, const Value *a, const Value *b, SourceSpan span,
                        const Inst *where)
{
    Value v = compute(f, op, a, b, span, where);
    if (v.kind != V_NONE && a->unit && op != OP_ADD && op != OP_SUB && op != OP_EACH_ADD &&
        op != OP_EACH_SUB)
        v.unit = unit_of_product(f, op, a, b);
    return v;
}

/* ------------------------------------------------------------------ texts, order, logic */

/* two texts become one */
static Value join_texts(Front *f, const Value *a, const Value *b, SourceSpan span,
                        const Inst *where)
{
    if (a->ndim || b->ndim)
        return reject(f, OP_ADD, a, b, span, where);
    size_t na = strlen(a->s), nb = strlen(b->s);
    if (!spend(f, span, (na + nb) / 16))
        return (Value){0};
    char *text = work_zeroed(f, na + nb + 1);
    if (!text)
        return (Value){0};
    memcpy(text, a->s, na);
    memcpy(text + na, b->s, nb);
    return value_string(text);
}

/* a relation of numbers, texts, Booleans or enumeration literals */
static Value compare(Front *f, Operator op, const Value *a, const Value *b, SourceSpan span,
                     const Inst *where)
{
    bool numbers = is_number(a) && is_number(b);
    if (a->ndim || b->ndim || !(numbers || a->kind == b->kind) || a->literals != b->literals)
        return reject(f, op, a, b, span, where);
    if (numbers)
        check_units(f, op, a, b, span, where);
    double x = a->x, y = b->x;
    if (a->kind == V_STRING) {
        if (text_is_open(a) || text_is_open(b)) {
            report_error(f, span, where,
                         "a text that variables decide is compared, but must be known before the "
                         "simulation\ndeclare it as a parameter, parameter String s = ..., or "
                         "compare numbers");
            return (Value){0};
        }
        x = strcmp(a->s, b->s);
        y = 0;
    }
    if (is_symbolic(x) || is_symbolic(y))
        return value_number(V_BOOLEAN, a->kind == V_REAL || b->kind == V_REAL
                                           ? symbolic_relation(f, op, x, y, span, where)
                                           : symbolic_binary(f, op, x, y));
    note_decision(f, span, where, x, y);
    bool holds = op == OP_LESS            ? x < y
                 : op == OP_LESS_EQUAL    ? x <= y
                 : op == OP_GREATER       ? x > y
                 : op == OP_GREATER_EQUAL ? x >= y
                 : op == OP_EQUAL         ? x == y
                                          : x != y;
    return value_number(V_BOOLEAN, holds);
}

/* and, or: element by element */
static Value logic(Front *f, Operator op, const Value *a, const Value *b, SourceSpan span,
                   const Inst *where)
{
    if (a->kind != V_BOOLEAN || b->kind != V_BOOLEAN || !value_same_sizes(a, b))
        return reject(f, op, a, b, span, where);
    Value v = value_array(f, span, V_BOOLEAN, a->ndim, a->dim);
    for (size_t i = 0; v.kind != V_NONE && i < v.n; i++) {
        double x = value_at(a, i), y = value_at(b, i);
        bool known = !is_symbolic(x) && !is_symbolic(y), both = x != 0 && y != 0;
        Value e = value_number(V_BOOLEAN, !known         ? symbolic_binary(f, op, x, y)
                                          : op == OP_AND ? both
                                                         : x != 0 || y != 0);
        value_put(&v, i, &e);
    }
    return v;
}

Value operate_binary(Front *f, Operator op, Value a, Value b, SourceSpan span, const Inst *where)
{
    if (a.kind == V_NONE || b.kind == V_NONE)
        return (Value){0};
    if (a.kind == V_RECORD || b.kind == V_RECORD)
        return overload_binary(f, op, &a, &b, span, where);
    switch (op) {
    case OP_AND:
    case OP_OR:
        return logic(f, op, &a, &b, span, where);
    case OP_LESS:
    case OP_LESS_EQUAL:
    case OP_GREATER:
    case OP_GREATER_EQUAL:
    case OP_EQUAL:
    case OP_NOT_EQUAL:
        return compare(f, op, &a, &b, span, where);
    default:
        if ((op == OP_ADD || op == OP_EACH_ADD) && a.kind == V_STRING && b.kind == V_STRING)
            return join_texts(f, &a, &b, span, where);
        return arithmetic(f, op, &a, &b, span, where);
    }
}

/* x * (if x >= 0 then a else b) */
static Value semi_linear(Front *f, const Value *a, SourceSpan span, const Inst *where)
{
    Value slope = a[0].x >= 0 ? a[1] : a[2];
    if (is_symbolic(a[0].x))
        slope = symbolic_choice(f, symbolic_binary(f, OP_GREATER_EQUAL, a[0].x, 0), a[1], a[2],
                                span, where);
    return operate_binary(f, OP_MUL, slope, a[0], span, where);
}

Value operate_semi_linear(Front *f, const Value *a, SourceSpan span, const Inst *where)
{
    Value shape = {0}, one[3];
    for (int k = 0; k < 3; k++) {
        if (a[k].ndim && shape.ndim && !value_same_sizes(&a[k], &shape)) {
            report_error(f, span, where,
                         "the arguments of semiLinear are arrays of different sizes\n"
                         "give it arrays of the same sizes, and scalars");
            return (Value){0};
        }
        if (a[k].ndim)
            shape = a[k];
    }
    if (!shape.ndim)
        return semi_linear(f, a, span, where);
    Value v = value_array(f, span, V_REAL, shape.ndim, shape.dim);
    for (size_t i = 0; v.kind != V_NONE && i < v.n; i++) {
        for (int k = 0; k < 3; k++)
            one[k] = a[k].ndim ? value_element(&a[k], i) : a[k];
        Value x = semi_linear(f, one, span, where);
        if (x.kind == V_NONE || !value_convert(&x, V_REAL))
            return (Value){0};
        value_put(&v, i, &x);
    }
    return v;
}
