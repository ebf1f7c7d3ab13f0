/* builtin_array.c - built-in functions of sizes and of whole arrays: size, fill, transpose,
 * identity and their like. Arguments that are sizes are numbers when these functions are called. */
#include <string.h>

#include "front/evaluate/builtin.h"

/* ------------------------------------------------------------------ sizes */

Value builtin_size(Builtin *b)
{
    const Value *x = &b->a[0], *which = &b->a[1];
    if (b->n == 2) {
        if (which->kind != V_INTEGER || which->ndim || !(which->x >= 1 && which->x <= x->ndim))
            return builtin_fail(b, "the array does not have this dimension");
        return value_number(V_INTEGER, (double)x->dim[(int)which->x - 1]);
    }
    Value v = value_array(b->f, b->call->span, V_INTEGER, 1, (size_t[]){(size_t)x->ndim});
    for (int k = 0; v.kind != V_NONE && k < x->ndim; k++)
        v.num[k] = (double)x->dim[k];
    return v;
}

Value builtin_ndims(Builtin *b)
{
    return value_number(V_INTEGER, b->a[0].ndim);
}

/* of an array, so that it is a whole number; without memory a size may be none at all */
static const double MAX_SIZE = 1e15;

/* sizes from the arguments k on */
static bool sizes_from(Builtin *b, size_t k, int *ndim, size_t *dim)
{
    *ndim = 0;
    for (; k < b->n; k++) {
        const Value *v = &b->a[k];
        if (v->kind != V_INTEGER || v->ndim || !(v->x >= 0 && v->x < MAX_SIZE) ||
            *ndim == VALUE_DIMS) {
            builtin_fail(b, "sizes must be Integers of at least 0");
            return false;
        }
        dim[(*ndim)++] = (size_t)v->x;
    }
    return true;
}

/* an array of the sizes that the arguments from k on give, filled with one value */
static Value filled(Builtin *b, Value with, size_t k)
{
    int ndim;
    size_t dim[VALUE_DIMS];
    if (!sizes_from(b, k, &ndim, dim))
        return (Value){0};
    if (with.ndim) {
        if (with.ndim + ndim > VALUE_DIMS)
            return builtin_fail(b, "too many dimensions");
        memcpy(dim + ndim, with.dim, (size_t)with.ndim * sizeof *dim);
    }
    Value v = value_array_like(b->f, b->call->span, &with, ndim + with.ndim, dim);
    for (size_t i = 0; v.kind != V_NONE && i < v.n; i++) {
        Value e = value_element(&with, with.n ? i % with.n : 0);
        value_put(&v, i, &e);
    }
    return v;
}

static Value square_matrix(Builtin *b, size_t n)
{
    return value_array(b->f, b->call->span, V_REAL, 2, (size_t[]){n, n});
}

/* ------------------------------------------------------------------ arrays that are made */

Value builtin_fill(Builtin *b)
{
    return filled(b, b->a[0], 1);
}

Value builtin_zeros(Builtin *b)
{
    return filled(b, value_number(V_INTEGER, 0), 0);
}

Value builtin_ones(Builtin *b)
{
    return filled(b, value_number(V_INTEGER, 1), 0);
}

Value builtin_identity(Builtin *b)
{
    const Value *n = &b->a[0];
    if (n->kind != V_INTEGER || n->ndim || !(n->x >= 0 && n->x <= 1e6))
        return builtin_fail(b, "a size is needed");
    Value v = square_matrix(b, (size_t)n->x);
    if (v.kind != V_NONE)
        v.kind = V_INTEGER;
    for (size_t i = 0; v.kind != V_NONE && i < v.dim[0]; i++)
        v.num[i * v.dim[0] + i] = 1;
    return v;
}

Value builtin_diagonal(Builtin *b)
{
    const Value *x = &b->a[0];
    if (!is_number(x) || x->ndim != 1 || x->n > 1000000)
        return builtin_fail(b, "a vector is needed");
    Value v = square_matrix(b, x->n);
    for (size_t i = 0; v.kind != V_NONE && i < x->n; i++)
        v.num[i * x->n + i] = value_at(x, i);
    return v;
}

/* a + (b - a) i / n of elements that may be symbolic */
static double between(Front *f, double a, double b, double i, double n)
{
    if (!is_symbolic(a) && !is_symbolic(b))
        return a + (b - a) * i / n;
    double way = symbolic_binary(f, OP_MUL, symbolic_binary(f, OP_SUB, b, a), i);
    return symbolic_binary(f, OP_ADD, a, symbolic_binary(f, OP_DIV, way, n));
}

Value builtin_linspace(Builtin *b)
{
    const Value *x = &b->a[0], *y = &b->a[1], *count = &b->a[2];
    if (!is_number(x) || !is_number(y) || x->ndim || y->ndim || count->kind != V_INTEGER ||
        count->ndim || !(count->x >= 2 && count->x <= 1e12))
        return builtin_fail(b, "two numbers and a count of at least 2 are needed");
    Value v = value_array(b->f, b->call->span, V_REAL, 1, (size_t[]){(size_t)count->x});
    for (size_t i = 0; v.kind != V_NONE && i < v.n; i++)
        v.num[i] = between(b->f, x->x, y->x, (double)i, (double)(v.n - 1));
    v.unit = x->unit;
    return v;
}

/* joins arrays along dimension k */
Value builtin_cat(Builtin *b)
{
    const Value *k = &b->a[0], *first = &b->a[1];
    if (b->n < 2 || k->kind != V_INTEGER || k->ndim || !(k->x >= 1 && k->x <= first->ndim))
        return builtin_fail(
            b, "the dimension along which to join, and arrays that have it, are needed");
    int along = (int)k->x - 1;
    size_t dim[VALUE_DIMS], before = 1, after = 1;
    memcpy(dim, first->dim, sizeof dim);
    dim[along] = 0;
    ValueKind kind = first->kind;
    for (size_t i = 1; i < b->n; i++) {
        const Value *v = &b->a[i];
        bool fits =
            v->ndim == first->ndim && (v->kind == kind || (is_number(v) && is_number(first)));
        for (int d = 0; d < first->ndim && fits; d++)
            fits = d == along || v->dim[d] == first->dim[d];
        if (!fits)
            return builtin_fail(b, "the arrays do not fit together");
        dim[along] += v->dim[along];
        if (v->kind == V_REAL)
            kind = V_REAL;
    }
    for (int d = 0; d < first->ndim; d++)
        *(d < along ? &before : &after) *= d == along ? 1 : dim[d];
    Value like = *first;
    if (like.kind != V_RECORD)
        like.kind = kind;
    Value all = value_array_like(b->f, b->call->span, &like, first->ndim, dim);
    all.unit = NULL;
    for (size_t o = 0, at = 0; all.kind != V_NONE && o < before; o++)
        for (size_t i = 1; i < b->n; i++) {
            size_t m = b->a[i].dim[along] * after;
            for (size_t j = 0; j < m; j++, at++) {
                Value e = value_element(&b->a[i], o * m + j);
                value_put(&all, at, &e);
            }
        }
    all.literals = first->literals;
    return all;
}

/* ------------------------------------------------------------------ arrays in another shape */

/* the same elements in other sizes */
static Value reshaped(const Builtin *b, const Value *v, int ndim, const size_t *dim)
{
    Value w = value_array_like(b->f, b->call->span, v, ndim, dim);
    for (size_t i = 0; w.kind != V_NONE && i < w.n; i++) {
        Value e = value_element(v, i);
        value_put(&w, i, &e);
    }
    return w;
}

Value builtin_vector(Builtin *b)
{
    const Value *x = &b->a[0];
    size_t long_ = 0;
    for (int k = 0; k < x->ndim; k++)
        long_ += x->dim[k] != 1;
    if (long_ > 1)
        return builtin_fail(b, "only one dimension may be longer than 1");
    return reshaped(b, x, 1, (size_t[]){x->n});
}

Value builtin_scalar(Builtin *b)
{
    const Value *x = &b->a[0];
    return x->n == 1 ? value_element(x, 0) : builtin_fail(b, "an array of one element is needed");
}

Value builtin_matrix(Builtin *b)
{
    const Value *x = &b->a[0];
    size_t dim[2] = {x->ndim > 0 ? x->dim[0] : 1, x->ndim > 1 ? x->dim[1] : 1};
    for (int k = 2; k < x->ndim; k++)
        if (x->dim[k] != 1)
            return builtin_fail(b, "dimensions beyond two must be 1");
    return reshaped(b, x, 2, dim);
}

Value builtin_transpose(Builtin *b)
{
    const Value *x = &b->a[0];
    if (x->ndim != 2)
        return builtin_fail(b, "a matrix is needed");
    Value v = value_array_like(b->f, b->call->span, x, 2, (size_t[]){x->dim[1], x->dim[0]});
    for (size_t i = 0; v.kind != V_NONE && i < x->n; i++) {
        Value e = value_element(x, i);
        value_put(&v, i % x->dim[1] * x->dim[0] + i / x->dim[1], &e);
    }
    v.unit = x->unit;
    return v;
}

/* the upper triangle on both sides */
Value builtin_symmetric(Builtin *b)
{
    const Value *x = &b->a[0];
    if (x->ndim != 2 || x->dim[0] != x->dim[1] || !is_number(x))
        return builtin_fail(b, "a square matrix is needed");
    size_t n = x->dim[0];
    Value v = square_matrix(b, n);
    for (size_t i = 0; v.kind != V_NONE && i < n; i++)
        for (size_t j = 0; j < n; j++)
            v.num[i * n + j] = value_at(x, i < j ? i * n + j : j * n + i);
    return v;
}

/* ------------------------------------------------------------------ products */

static bool is_vector_of_three(const Value *v)
{
    return is_number(v) && v->ndim == 1 && v->n == 3;
}

Value builtin_cross(Builtin *b)
{
    const Value *x = &b->a[0], *y = &b->a[1];
    if (!is_vector_of_three(x) || !is_vector_of_three(y))
        return builtin_fail(b, "vectors of three numbers are needed");
    Value v = value_array(b->f, b->call->span, V_REAL, 1, (size_t[]){3});
    for (int i = 0; v.kind != V_NONE && i < 3; i++)
        v.num[i] = number_operate(
            b->f, OP_SUB, number_operate(b->f, OP_MUL, x->num[(i + 1) % 3], y->num[(i + 2) % 3]),
            number_operate(b->f, OP_MUL, x->num[(i + 2) % 3], y->num[(i + 1) % 3]));
    return v;
}

/* the matrix that makes cross(x, y) of y */
Value builtin_skew(Builtin *b)
{
    const Value *x = &b->a[0];
    if (!is_vector_of_three(x))
        return builtin_fail(b, "vectors of three numbers are needed");
    Value v = square_matrix(b, 3);
    double minus[3];
    for (int i = 0; i < 3; i++)
        minus[i] = is_symbolic(x->num[i]) ? symbolic_unary(b->f, OP_SUB, x->num[i]) : 0 - x->num[i];
    const double s[] = {0, minus[2], x->num[1], x->num[2], 0, minus[0], minus[1], x->num[0], 0};
    if (v.kind != V_NONE)
        memcpy(v.num, s, sizeof s);
    return v;
}

Value builtin_outer_product(Builtin *b)
{
    const Value *x = &b->a[0], *y = &b->a[1];
    if (!is_number(x) || x->ndim != 1 || !is_number(y) || y->ndim != 1)
        return builtin_fail(b, "two vectors are needed");
    Value v = value_array(b->f, b->call->span, V_REAL, 2, (size_t[]){x->n, y->n});
    for (size_t i = 0; v.kind != V_NONE && i < v.n; i++)
        v.num[i] = number_operate(b->f, OP_MUL, value_at(x, i / y->n), value_at(y, i % y->n));
    return v;
}
