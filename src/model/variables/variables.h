/* variables.h - what the table of variables is made of; the public part is lieder/variables.h.
 *
 *   variables.c   variables of a class, the tree of names, rows
 *   handles.c     paths to handles and back, numbers by handle
 *   observer.c    values at (t, x) by handle, in batches
 *
 * Nothing is stored for a row. A class lists its variables once (ClassVariable); a model adds up
 * the rows of its declarations (RowCounts), and row i is found from the root down: the sums of a
 * model give the declaration in which it lies, and in the end i is the number of a variable in the
 * class of a component. All elements of an array are the same class, so the sums are those of its
 * first element. */
#ifndef LIEDER_MODEL_VARIABLES_H
#define LIEDER_MODEL_VARIABLES_H

#include "model/flat/flatten.h"

/* a variable of a native class, an `item` of a handle */
typedef struct ClassVariable {
    LiederVariableInfo info;
    const LiederMember *member; /* or NULL: of a port */
    int area;                   /* LIEDER_SIGNALS ... of a port, or -1: in the struct */
    int port;                   /* or -1 */
    uint32_t offset;            /* there, in reals */
    int slot;                   /* the first settable number of it, or -1 */
} ClassVariable;

/* a port of the model itself that leads to one signal inside */
typedef struct TablePort {
    size_t exposed; /* in the model */
    LiederHandle handle;
} TablePort;

/* built when it is first needed */
typedef struct RowCounts {
    size_t **first; /* by scope: rows before a declaration, and at the end all; NULL for a scope
                       that is not the first element of its array */
    size_t n;       /* scopes */
    size_t ninner;  /* rows of components; those of the ports follow */
    VEC(TablePort) ports;
} RowCounts;

/* the variables of a native class; false: no memory */
bool class_list_variables(Lieder *session, const LiederClass *class_);
/* The numbers of the variables of a member of this name: a state and its derivative, or one.
 * Returns how many there are; variables of ports are not found. */
size_t class_variables_named(const LiederSystem *system, const LiederElement *component,
                             const char *name, size_t length, uint32_t *items);
const ClassVariable *handle_variable(const LiederSystem *system, const LiederHandle *handle);
/* the counts, made when they are first needed; NULL: no memory */
const RowCounts *row_counts(const LiederSystem *system);
void row_counts_drop(LiederSystem *system);
size_t row_counts_bytes(const LiederSystem *system);

/* handles.c: whether lieder_handle_set could give the number this value; reports nothing */
bool handle_admits(LiederSystem *system, const LiederHandle *handle, double value);

#endif
