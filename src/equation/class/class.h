/* class.h - a solved cell as a component class of the engine.
 *
 * Every node has a level: what it depends on decides which block computes it.
 *
 *   level            what it depends on                         block
 *   LEVEL_PARAMETER  parameters only                            constant
 *   LEVEL_INCOMING   parameters and incoming signals            incoming, of a link with states
 *   LEVEL_SIGNAL     states, time, inputs, incoming signals     explicit
 *   LEVEL_INPUT      inputs, if some output reads none of them  explicit, a second block
 *   LEVEL_POTENTIAL  incoming potentials, unknowns              outward
 *   LEVEL_FLOW       flows of outgoing ports                    inward
 *
 * A part of an expression that belongs to an earlier block is computed there and kept in the
 * struct, so that a sine is computed once though the linear blocks run many times.
 */
#ifndef LIEDER_EQUATION_CLASS_H
#define LIEDER_EQUATION_CLASS_H

#include "equation/cell/cell.h"

#define CELL_HOOK ":rest"

/* what a class is called, and what its variables are for a reader */
typedef struct CellClassInfo {
    const char *name, *text;
    const LiederDomain *const *domains; /* by port of the cell */
    const char *const *port_names;
    /* The ports through which outward variables leave, a bit each, if someone has chosen them. A
     * root with unknowns hangs on one that rests: it gets an incoming port CELL_HOOK of the domain
     * of its first port, to which such a root is to be connected (cell_class_hangs). */
    bool is_oriented;
    uint64_t out;
    uint64_t likely_out; /* those that what is connected speaks for, tried before others; 0: none */
    /* A class that serves all numbers, see front/precompile.c: names and places are those of its
     * text, and nothing that it does not show is an observable. By port of the cell: text, and the
     * bits of basic signals (mechanics.h). */
    bool is_library;
    const char *tag; /* a name in C, or NULL */
    const char *const *port_texts;
    const unsigned *basic;
    /* components that were flattened into the class: how many, the first names, and why; or 0 */
    size_t nmerged;
    const char *merged, *merged_why;
    const CellPart *parts; /* those that are of the library */
    size_t npart;
} CellClassInfo;

typedef struct CellClass CellClass;

/* Solves the cell for the ways its ports can be used and makes a class of it: a leaf if outward
 * variables may come in through all ports, else a link, else a root. NULL: *status says why, and
 * the diagnostics. */
CellClass *cell_class_create(Cell *cell, const CellClassInfo *info, LiederStatus *status);
/* after the session in which it was registered */
void cell_class_destroy(CellClass *c);
LiederStatus cell_class_register(Lieder *session, const CellClass *c);
/* the states of the class, in order */
const CellPlan *cell_class_plan(const CellClass *c);
bool cell_class_hangs(const CellClass *c);
const CellSummary *cell_class_summary(const CellClass *c);
/* its blocks */
struct BlockClass;
const struct BlockClass *cell_class_block(const CellClass *c);

#endif
