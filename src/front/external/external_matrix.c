/* external_matrix.c - functions of LAPACK that Modelica.Math.Matrices.LAPACK calls, on numbers.
 *
 * A Fortran function takes the address of every argument, and the lengths of its texts behind them,
 * as gfortran and its like pass them. Arrays are stored by columns. LAPACK is loaded when it is
 * first called (base/delayed.h).
 *
 * What an array needs is said by Integers of the same call: a leading dimension times a count, or
 * the length of a workspace. So every argument has room for the product of the two largest ones
 * and some more, and a call whose declaration gives an array too small writes into that room and
 * nowhere else. Sizes that contradict each other are for LAPACK to report; it writes info.
 */
#include "front/external/external.h"

#include <stdint.h>
#include <string.h>

#include "base/delayed.h"

enum {
    MAX_FORTRAN = 40,            /* arguments and lengths */
    MAX_FORTRAN_ROOM = 30000000, /* numbers of all arguments */
    EXTRA_ROOM = 64
};

static const char *const routines[] = {
    "dgees",  "dgesv",  "dgels",  "dgelsy", "dgeev",  "dgeevx", "dgesvd", "dgesdd", "dgetrf",
    "dgetrs", "dgetri", "dgbsv",  "dgtsv",  "dgecon", "dgehrd", "dgeqp3", "dgeqrf", "dgesvx",
    "dggev",  "dggevx", "dgglse", "dhgeqz", "dhseqr", "dlange", "dorghr", "dorgqr", "dormhr",
    "dormqr", "dpotrf", "dtrevc", "dtrsen", "dtrsm",  "dtrsyl",
};

typedef void FortranRoutine(void *, void *, void *, void *, void *, void *, void *, void *, void *,
                            void *, void *, void *, void *, void *, void *, void *, void *, void *,
                            void *, void *, void *, void *, void *, void *, void *, void *, void *,
                            void *, void *, void *, void *, void *, void *, void *, void *, void *,
                            void *, void *, void *, void *);
typedef double FortranFunction(void *, void *, void *, void *, void *, void *, void *, void *,
                               void *, void *);

/* position by columns of element i, which is stored by rows */
static size_t by_columns(const Value *v, size_t i)
{
    return v->ndim == 2 ? i % v->dim[1] * v->dim[0] + i / v->dim[1] : i;
}

typedef struct FortranCall {
    ExternalCall *c;
    size_t room; /* numbers of each argument */
    ValueKind kind[MAX_EXTERNAL_ARGUMENTS];
    Value shape[MAX_EXTERNAL_ARGUMENTS];
    void *at[MAX_FORTRAN];
} FortranCall;

/* the product of the two largest Integers of the call; false: one is negative, or too large */
static bool find_room(FortranCall *call)
{
    ExternalCall *c = call->c;
    double first = 1, second = 1;
    for (size_t i = 0; i < c->n; i++) {
        Value *v = &c->a[i];
        if (has_seeds(c->f, v))
            return external_fail(c, "it cannot be differentiated\nwrite it with an algorithm");
        if (v->kind != V_NONE && !parameter_number(c->f, v) &&
            !is_known(c->f, v, c->span, c->where, "an argument of a function of LAPACK"))
            return false;
        if (v->kind != V_INTEGER || v->ndim || c->output[i])
            continue;
        if (v->x < -1)
            return external_fail(c, "the size %g is negative\ngive it matrices that fit", v->x);
        if (v->x > first) {
            second = first;
            first = v->x;
        } else if (v->x > second) {
            second = v->x;
        }
    }
    double room = first * second + EXTRA_ROOM;
    for (size_t i = 0; i < c->n; i++)
        room = (double)c->a[i].n > room ? (double)c->a[i].n : room;
    if (room * (double)c->n > MAX_FORTRAN_ROOM)
        return external_fail(c, "matrices of %g numbers are too large here\nuse smaller ones",
                             room);
    call->room = (size_t)room;
    return true;
}

/* an output that has no value yet is a number of its type */
static bool find_shape(FortranCall *call, size_t i)
{
    ExternalCall *c = call->c;
    Value v = c->a[i];
    if (v.kind == V_NONE && c->output[i]) {
        TypeKind type = member_type(c->f, (Member *)c->output[i]->variable)->kind;
        v = value_number(type == TY_INTEGER ? V_INTEGER : V_REAL, 0);
    }
    call->shape[i] = v;
    call->kind[i] = v.kind;
    if (v.kind == V_REAL || v.kind == V_INTEGER || v.kind == V_BOOLEAN || v.kind == V_STRING)
        return v.ndim <= 2;
    return external_fail(c, "argument %zu is no number, array or text\nsee its declaration", i + 1);
}

/* the argument in the form that Fortran has */
static bool put_argument(FortranCall *call, size_t i)
{
    Front *f = call->c->f;
    const Value *v = &call->shape[i];
    double *numbers = scratch_zeroed(f, call->room * sizeof *numbers);
    if (!numbers)
        return false;
    call->at[i] = numbers;
    if (v->kind == V_STRING) {
        memcpy(numbers, v->s, strlen(v->s) < 8 ? strlen(v->s) + 1 : 8);
        return true;
    }
    int32_t *whole = (int32_t *)numbers;
    for (size_t k = 0; k < v->n; k++)
        if (v->kind == V_REAL)
            numbers[by_columns(v, k)] = value_at(v, k);
        else
            whole[by_columns(v, k)] = (int32_t)value_at(v, k);
    return true;
}

/* an array that a routine has changed, as the value of an output */
static void take_output(FortranCall *call, size_t i)
{
    LocalName *frame = call->c->output[i];
    const Value *shape = &call->shape[i];
    Value v = value_array(call->c->f, call->c->span, call->kind[i], shape->ndim, shape->dim);
    const double *numbers = call->at[i];
    const int32_t *whole = call->at[i];
    for (size_t k = 0; v.kind != V_NONE && k < v.n; k++) {
        size_t at = by_columns(shape, k);
        Value e =
            value_number(call->kind[i], call->kind[i] == V_REAL ? numbers[at] : (double)whole[at]);
        value_put(&v, k, &e);
    }
    frame->value = v;
}

/* calls a routine of LAPACK with its arguments as Fortran wants them */
static bool run_routine(ExternalCall *c)
{
    FortranCall call = {.c = c};
    char name[16], problem[200];
    if (!find_room(&call))
        return false;
    size_t n = c->n;
    for (size_t i = 0; i < c->n; i++) {
        if (!find_shape(&call, i) || !put_argument(&call, i))
            return false;
        if (call.kind[i] == V_STRING)
            call.at[n++] = (void *)(uintptr_t)1; /* the length of a text */
    }
    int length = 0;
    for (; c->name[length] && length < 12; length++)
        name[length] = c->name[length];
    memcpy(name + length, "_", 2);
    void *address = delayed_function(LIEDER_LAPACK, name);
    if (!address)
        return external_fail(c, "LAPACK cannot be loaded: %s\ninstall it",
                             delayed_problem(LIEDER_LAPACK, problem, sizeof problem));
    void **p = call.at;
    if (strcmp(c->name, "dlange") == 0) {
        FortranFunction *function = (FortranFunction *)address;
        c->result = value_number(
            V_REAL, function(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9]));
    } else {
        FortranRoutine *routine = (FortranRoutine *)address;
        routine(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11], p[12],
                p[13], p[14], p[15], p[16], p[17], p[18], p[19], p[20], p[21], p[22], p[23], p[24],
                p[25], p[26], p[27], p[28], p[29], p[30], p[31], p[32], p[33], p[34], p[35], p[36],
                p[37], p[38], p[39]);
    }
    for (size_t i = 0; i < c->n; i++)
        if (c->output[i])
            take_output(&call, i);
    return true;
}

int matrix_call(ExternalCall *c)
{
    for (size_t i = 0; i < sizeof routines / sizeof *routines; i++)
        if (strcmp(routines[i], c->name) == 0)
            return run_routine(c);
    return -1;
}
