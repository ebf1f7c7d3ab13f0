/* value.c - scalars and arrays of parameter expressions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "front/instance/semantic.h"

Value value_number(ValueKind kind, double x)
{
    return (Value){.kind = kind, .n = 1, .x = x};
}

bool text_is_open(const Value *v)
{
    for (size_t i = 0; v->kind == V_STRING && i < v->n; i++)
        if (value_text(v, i) && strstr(value_text(v, i), OPEN_TEXT))
            return true;
    return false;
}

Value value_string(const char *s)
{
    return (Value){.kind = V_STRING, .n = 1, .s = s};
}

Value value_array(Front *f, SourceSpan span, ValueKind kind, int ndim, const size_t *dim)
{
    Value v = {.kind = kind, .ndim = ndim, .n = 1};
    if (ndim == 0)
        return v;
    for (int k = 0; k < ndim; k++) {
        v.dim[k] = dim[k];
        if (dim[k] && v.n > SIZE_MAX / 16 / dim[k])
            v.n = SIZE_MAX / 16;
        else
            v.n *= dim[k];
    }
    f->now = span;
    if (!spend(f, span, v.n / 16))
        return (Value){0};
    size_t n = v.n ? v.n : 1;
    if (kind == V_STRING)
        v.text = scratch_zeroed(f, n * sizeof *v.text);
    else
        v.num = scratch_zeroed(f, n * sizeof *v.num);
    if (!v.text && !v.num)
        return (Value){0};
    for (size_t i = 0; v.text && i < n; i++)
        v.text[i] = "";
    return v;
}

Value value_element(const Value *v, size_t i)
{
    if (v->kind == V_OBJECT || v->kind == V_FUNCTION)
        return *v;
    if (v->kind == V_RECORD)
        return v->ndim ? record_below(v, v->ndim, i) : *v;
    Value e = {.kind = v->kind, .n = 1, .literals = v->literals, .unit = v->unit};
    if (v->kind == V_STRING)
        e.s = value_text(v, i);
    else
        e.x = value_at(v, i);
    return e;
}

void value_put(Value *array, size_t i, const Value *scalar)
{
    if (array->kind == V_RECORD) {
        record_put(array, i, scalar);
    } else if (array->ndim == 0) {
        array->x = scalar->x;
        array->s = scalar->s;
    } else if (array->kind == V_STRING) {
        array->text[i] = value_text(scalar, 0);
    } else {
        array->num[i] = value_at(scalar, 0);
    }
}

Value value_below(const Value *v, int nleading, size_t i)
{
    if (nleading >= v->ndim)
        return value_element(v, i);
    if (v->kind == V_RECORD)
        return record_below(v, nleading, i);
    Value part = *v;
    part.ndim = v->ndim - nleading;
    part.n = 1;
    for (int k = 0; k < part.ndim; k++) {
        part.dim[k] = v->dim[k + nleading];
        part.n *= part.dim[k];
    }
    if (part.num)
        part.num += i * part.n;
    if (part.text)
        part.text += i * part.n;
    return part;
}

const char *value_kind_text(ValueKind kind)
{
    static const char *const texts[] = {"nothing", "Real",        "Integer", "Boolean",
                                        "String",  "enumeration", "record",  "external object",
                                        "function"};
    return texts[kind];
}

const char *value_sizes_text(const Value *v, char *buffer, size_t size)
{
    size_t at = 0;
    buffer[0] = '\0';
    for (int k = 0; k < v->ndim && at < size; k++) {
        const char *open = k ? ", " : "[", *close = k + 1 == v->ndim ? "]" : "";
        at += (size_t)(v->dim[k] == NO_SIZE
                           ? snprintf(buffer + at, size - at, "%s:%s", open, close)
                           : snprintf(buffer + at, size - at, "%s%zu%s", open, v->dim[k], close));
    }
    return buffer;
}

bool value_same_sizes(const Value *a, const Value *b)
{
    if (a->ndim != b->ndim)
        return false;
    for (int k = 0; k < a->ndim; k++)
        if (a->dim[k] != b->dim[k])
            return false;
    return true;
}

bool value_convert(Value *v, ValueKind kind)
{
    if (v->kind == V_INTEGER && kind == V_REAL)
        v->kind = V_REAL;
    /* an empty array {} fits everywhere */
    if (v->n == 0 && v->kind != V_NONE && v->kind != V_STRING && kind != V_STRING &&
        kind != V_ENUM && v->kind != V_RECORD && kind < V_RECORD)
        v->kind = kind;
    return v->kind == kind && kind != V_NONE;
}

/* the kind that holds both, or V_NONE */
static ValueKind common_kind(ValueKind a, ValueKind b)
{
    if (a == b)
        return a;
    if ((a == V_REAL && b == V_INTEGER) || (a == V_INTEGER && b == V_REAL))
        return V_REAL;
    return V_NONE;
}

Value value_stack(Front *f, SourceSpan span, const Value *items, size_t n)
{
    size_t dim[VALUE_DIMS] = {n};
    if (n == 0)
        return value_array(f, span, V_REAL, 1, dim);
    ValueKind kind = items[0].kind;
    const char *unit = items[0].unit;
    char a[100], b[100];
    for (size_t i = 0; i < n; i++) {
        if (items[i].kind == V_NONE)
            return (Value){0};
        if (common_kind(kind, items[i].kind) == V_NONE || items[i].literals != items[0].literals) {
            report_error(f, span, NULL,
                         "an array of both %s and %s\nall elements of an array have the same type",
                         value_kind_text(kind), value_kind_text(items[i].kind));
            return (Value){0};
        }
        kind = common_kind(kind, items[i].kind);
        if (!value_same_sizes(&items[0], &items[i])) {
            report_error(f, span, NULL,
                         "element %zu has the sizes %s, the first one %s\n"
                         "all elements of an array have the same sizes",
                         i + 1,
                         items[i].ndim ? value_sizes_text(&items[i], a, sizeof a) : "of a scalar",
                         items[0].ndim ? value_sizes_text(&items[0], b, sizeof b) : "of a scalar");
            return (Value){0};
        }
        if (unit && items[i].unit && unit_differs(unit, items[i].unit))
            unit = NULL;
    }
    if (items[0].ndim == VALUE_DIMS) {
        report_error(f, span, NULL, "an array of more than %d dimensions\nuse fewer", VALUE_DIMS);
        return (Value){0};
    }
    if (kind == V_RECORD)
        return record_stack(f, span, items, n);
    memcpy(dim + 1, items[0].dim, (size_t)items[0].ndim * sizeof *dim);
    Value v = value_array(f, span, kind, items[0].ndim + 1, dim);
    if (v.kind == V_NONE)
        return v;
    v.unit = unit;
    v.literals = items[0].literals;
    size_t m = items[0].n;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < m; k++)
            if (kind == V_STRING)
                v.text[i * m + k] = value_text(&items[i], k);
            else
                v.num[i * m + k] = value_at(&items[i], k);
    return v;
}

Value value_reshape(Front *f, SourceSpan span, const Value *v, int ndim, const size_t *dim)
{
    Value w = *v;
    if (v->kind == V_NONE)
        return w;
    if (v->ndim - 1 + ndim > VALUE_DIMS) {
        report_error(f, span, NULL, "an array of more than %d dimensions\nuse fewer", VALUE_DIMS);
        return (Value){0};
    }
    memmove(w.dim + ndim, w.dim + 1, (size_t)(v->ndim - 1) * sizeof *w.dim);
    memcpy(w.dim, dim, (size_t)ndim * sizeof *w.dim);
    w.ndim += ndim - 1;
    if (v->kind != V_RECORD)
        return w;
    Value r = record_create(f, v->record->class_, v->record->n, w.ndim, w.dim);
    for (size_t k = 0; r.kind != V_NONE && k < v->record->n; k++) {
        r.record->names[k] = v->record->names[k];
        r.record->fields[k] = value_reshape(f, span, &v->record->fields[k], ndim, dim);
        if (r.record->fields[k].kind == V_NONE)
            return (Value){0};
    }
    return r;
}

/* ------------------------------------------------------------------ as text */

static void print_scalar(const Value *v, size_t i, char *to, size_t size)
{
    if (v->kind == V_STRING)
        snprintf(to, size, "%s", value_text(v, i));
    else if (v->kind == V_BOOLEAN)
        snprintf(to, size, "%s", value_at(v, i) != 0 ? "true" : "false");
    else if (v->kind == V_ENUM && value_at(v, i) >= 1 &&
             (size_t)value_at(v, i) <= v->literals->literals.n)
        snprintf(to, size, "%s", v->literals->literals.items[(size_t)value_at(v, i) - 1]->name);
    else
        snprintf(to, size, v->kind == V_INTEGER ? "%.0f" : "%g", value_at(v, i));
}

const char *value_print(Front *f, const Value *v)
{
    char text[600];
    size_t at = 0;
    if (v->kind == V_RECORD)
        return v->record->class_ ? v->record->class_->name : "record";
    if (v->ndim == 0 && v->kind == V_STRING)
        return value_text(v, 0);
    if (v->ndim == 0) {
        print_scalar(v, 0, text, sizeof text);
        at = strlen(text);
    } else {
        text[at++] = '{';
        for (size_t i = 0; i < v->n && at < 500; i++) {
            print_scalar(v, i, text + at, 90);
            at += strlen(text + at);
            if (i + 1 < v->n)
                at += (size_t)snprintf(text + at, 8, i + 1 < v->n && at >= 490 ? ", ..." : ", ");
        }
        text[at++] = '}';
    }
    const char *copy = arena_text(&f->work, text, at);
    return copy ? copy : "";
}
