/* builtin.h - what the files of built-in functions share: builtin.c has the table of them and calls
 * them, builtin_array.c those of sizes and whole arrays. */
#ifndef LIEDER_FRONT_BUILTIN_H
#define LIEDER_FRONT_BUILTIN_H

#include "front/instance/semantic.h"

enum { MAX_ARGUMENTS = 8 };

/* a call with its arguments evaluated */
typedef struct Builtin {
    struct Builtin *next; /* of those that are free */
    Front *f;
    const Expr *call;
    const char *name;
    Inst *where;
    int code; /* of functions that share their C function */
    size_t n;
    Value a[MAX_ARGUMENTS];
} Builtin;

/* a value, or V_NONE after reporting an error */
typedef Value BuiltinFunction(Builtin *b);

/* reports that the arguments do not fit, and what would */
static inline Value builtin_fail(const Builtin *b, const char *what)
{
    report_error(b->f, b->call->span, b->where, "%s does not fit its arguments\n%s", b->name, what);
    return (Value){0};
}

/* builtin_array.c */
BuiltinFunction builtin_size, builtin_ndims, builtin_fill, builtin_zeros, builtin_ones,
    builtin_identity, builtin_diagonal, builtin_linspace, builtin_transpose, builtin_symmetric,
    builtin_cross, builtin_skew, builtin_outer_product, builtin_cat, builtin_vector, builtin_scalar,
    builtin_matrix;

#endif
