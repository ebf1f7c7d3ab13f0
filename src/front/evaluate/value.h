/* value.h - numbers, texts, records and arrays of them, and the units of numbers. Private to
 * front/.
 */
#ifndef LIEDER_FRONT_VALUE_H
#define LIEDER_FRONT_VALUE_H

#include "front/front.h"
#include "front/syntax/tree.h"

enum { VALUE_DIMS = 6 };

typedef struct Member Member;

typedef enum ValueKind {
    V_NONE, /* wrong, and reported already */
    V_REAL,
    V_INTEGER,
    V_BOOLEAN,
    V_STRING,
    V_ENUM,
    V_RECORD,  /* its fields stand in record */
    V_OBJECT,  /* external: a table */
    V_FUNCTION /* an argument of a function */
} ValueKind;

typedef struct RecordValue RecordValue;
typedef struct Table Table; /* table.c */
typedef struct FunctionValue FunctionValue;

/* A scalar stands in x or s, the elements of an array in num or text, the last index fastest.
 * Integers, Booleans and enumeration literals (from 1) are numbers, too. */
typedef struct Value {
    ValueKind kind;
    int ndim;
    size_t n; /* elements; 1 for a scalar */
    size_t dim[VALUE_DIMS];
    double x;
    const char *s;
    double *num;
    const char **text;
    const Class *literals;         /* V_ENUM */
    const char *unit;              /* or NULL: not known */
    RecordValue *record;           /* V_RECORD */
    const Table *table;            /* V_OBJECT */
    const FunctionValue *function; /* V_FUNCTION */
} Value;

/* A record, or an array of records: each field has the dimensions of the array in front of its own.
 */
struct RecordValue {
    Front *front;
    const Class *class_;
    size_t n;
    const char **names;
    Value *fields;
};

/* A function as an argument, function f(a = 1): some of its inputs have values already. */
struct FunctionValue {
    Member *member;
    size_t n;
    const char **names;
    Value *values;
};

/* An element of a Value is a number or, in equations, an expression: a NaN whose low bits are the
 * node of the graph. No arithmetic is done with it but through symbolic.c. */
#define SYMBOLIC_TAG 0x7ffc4c4900000000ull
static inline bool is_symbolic(double x)
{
    union {
        double x;
        unsigned long long bits;
    } u = {x};
    return u.bits >> 32 == SYMBOLIC_TAG >> 32;
}

static inline bool is_number(const Value *v)
{
    return v->kind == V_REAL || v->kind == V_INTEGER;
}

static inline double value_at(const Value *v, size_t i)
{
    return v->num ? v->num[i] : v->x;
}
static inline const char *value_text(const Value *v, size_t i)
{
    return v->text ? v->text[i] : v->s;
}

/* A text that a run completes, of a message in a function: OPEN_TEXT stands before "<a.x>", whose
 * number it puts in. It can be joined with others and written; nothing may depend on it. */
#define OPEN_TEXT "\002"
bool text_is_open(const Value *v);

Value value_number(ValueKind kind, double x);
Value value_string(const char *s);
/* an array to be filled; V_NONE with a diagnostic when it is too big */
Value value_array(Front *f, SourceSpan span, ValueKind kind, int ndim, const size_t *dim);
Value value_element(const Value *v, size_t i); /* as a scalar */
void value_put(Value *array, size_t i, const Value *scalar);
/* the part below the leading index: a[i] of a matrix a is a vector */
Value value_below(const Value *v, int nleading, size_t i);
const char *value_kind_text(ValueKind kind);
const char *value_sizes_text(const Value *v, char *buffer, size_t size); /* "[2, 3]" */
bool value_same_sizes(const Value *a, const Value *b);
/* Integer as Real; anything else that does not fit is false */
bool value_convert(Value *v, ValueKind kind);
/* items of equal sizes to an array with one dimension more */
Value value_stack(Front *f, SourceSpan span, const Value *items, size_t n);
/* the leading dimension of a stack split into the given ones */
Value value_reshape(Front *f, SourceSpan span, const Value *v, int ndim, const size_t *dim);
/* a text for messages and String(): "2.5", "{1, 2}" */
const char *value_print(Front *f, const Value *v);

/* an array of elements like those of v, to be filled; V_NONE with a diagnostic when it is too big
 */
Value value_array_like(Front *f, SourceSpan span, const Value *v, int ndim, const size_t *dim);
/* of its own memory, fields included: elements can be assigned in place */
Value value_copy(Front *f, const Value *v, SourceSpan span);
bool value_identical(const Value *a, const Value *b); /* bit by bit */

/* units: NULL when both are the same quantity or one is not understood */
bool unit_is_text(const char *text); /* is it written as a unit, of whatever symbols? */
bool unit_differs(const char *a, const char *b);
/* the same text, or understood and the same quantity and factor */
bool unit_agrees(const char *a, const char *b);
/* the same quantity, whatever the factor; also if one is not understood */
bool unit_converts(const char *a, const char *b);
/* the unit of a b^power, NULL where one of them is not known */
const char *unit_times(Front *f, const char *a, const char *b, int power);

#endif
