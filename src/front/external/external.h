/* external.h - external functions that are built in. Private to front/.
 *
 * A call of a Modelica function with an external clause evaluates the arguments of the clause and
 * finds a function of our own by the name in C. Numbers may be expressions (symbolic.c): a table is
 * then looked up by a tree of choices, so that it runs in blocks, over lanes and in generated code
 * like any other expression, and has its derivative.
 */
#ifndef LIEDER_FRONT_EXTERNAL_H
#define LIEDER_FRONT_EXTERNAL_H

#include "front/instance/semantic.h"

enum { MAX_EXTERNAL_ARGUMENTS = 32 };

typedef struct ExternalCall {
    Front *f;
    const char *name; /* in C */
    SourceSpan span;
    const Inst *where;
    size_t n;
    Value a[MAX_EXTERNAL_ARGUMENTS];           /* an output that has no value yet: V_NONE */
    LocalName *output[MAX_EXTERNAL_ARGUMENTS]; /* of an argument that is an output, or NULL */
    Value result;
} ExternalCall;

/* runs the external clause of a function; its variables stand in the frames of env. False after
 * reporting an error. */
bool external_run(Front *f, const Inst *inst, const External *external, Env env, SourceSpan span);
/* a class of external objects: it extends ExternalObject */
bool is_external_object(const Class *class_);
/* reports what does not fit the arguments; false */
__attribute__((format(printf, 2, 3))) bool external_fail(const ExternalCall *c, const char *format,
                                                         ...);

/* Functions of texts and files, of random numbers, of matrices and of spectra, by the name of the
 * call: 1 done, 0 after an error, -1: there is none of this name. */
int text_call(ExternalCall *c);
int random_call(ExternalCall *c);
int matrix_call(ExternalCall *c);
int fourier_call(ExternalCall *c);

/* functions of tables, by the part of the name behind ModelicaStandardTables_; false after an error
 */
bool table_call(ExternalCall *c, const char *function);
/* the numbers of a table in a file: rows times columns, in f->work; NULL after reporting an error
 */
double *table_read(ExternalCall *c, const char *file, const char *table, const char *delimiter,
                   size_t nheader, size_t *nrow, size_t *ncolumn);

#endif
