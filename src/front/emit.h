/* emit.h - what emit.c and emit_cell.c share. Private to front/. */
#ifndef LIEDER_FRONT_EMIT_H
#define LIEDER_FRONT_EMIT_H

#include "front/semantic.h"

/* An instance with equations of its own as a class of the session: its name, or NULL after
 * reporting what is wrong. Its numbers are set in the model around it. */
const char *emit_cell(Front *f, Inst *inst, const char *name);

/* The class alone, before anything uses it; false: it cannot be had, or the engine does not take
 * it. */
bool emit_cell_class(Front *f, Inst *inst, const char *name);

/* one more component of the model that is being written */
void emit_one(Front *f, Inst *inst, const char *name, const char *class_name);

/* a name that no class of the session has */
const char *emit_free_name(Front *f, const char *name, char *buffer, size_t size);

/* One number of a cell, or all numbers of a vector: `name` is that of the variable in the cell,
 * with the index of its element; key has the cursors of the arrays of components inside the cell.
 */
typedef struct CellSetting {
    Inst *top; /* the instance that is the cell */
    Member *member;
    const char *name;
    size_t key, element;
    const char *attribute; /* "start", "nominal", "min" or "max" of the element of a state; NULL:
                              the value of a parameter */
} CellSetting;
void emit_cell_setting(Front *f, const CellSetting *setting);
/* the number that a setting has, if it is the same in all elements of arrays around the cell */
bool emit_cell_number(Front *f, const CellSetting *setting, double *x);
/* attributes of states that the engine takes beside the start value */
enum { NSTATE_ATTRIBUTES = 3 };
extern const char *const state_attributes[NSTATE_ATTRIBUTES];
/* has it been given a value from outside the text? */
bool emit_is_overridden(const Member *m);

#endif
