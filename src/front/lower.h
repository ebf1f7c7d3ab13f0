/* lower.h - an instance with equations of its own as a cell. Private to front/.
 *
 * The instance and all components in it are flattened: every variable of every component becomes a
 * variable of the cell, every equation, binding and connection an equation. What stays data are
 * Real parameters; Integer, Boolean and enumeration parameters and constants are known numbers,
 * because sizes, indices and branches depend on them.
 */
#ifndef LIEDER_FRONT_LOWER_H
#define LIEDER_FRONT_LOWER_H

#include "equation/cell.h"
#include "front/semantic.h"

/* where a variable of the cell comes from */
typedef struct LowerVariable {
    Member *member;
    size_t element; /* of an array */
    size_t key;     /* cursors of the arrays of components around it, inside the cell */
    bool is_start;  /* a parameter that holds the start value of the element */
    bool flow;
} LowerVariable;

/* variables of a member, one after the other */
typedef struct LowerBlock {
    const Member *member;
    size_t key;
    uint32_t first;
} LowerBlock;

/* a connector of the cell itself */
typedef struct LowerPort {
    Member *member;
    size_t element; /* of an array */
} LowerPort;

typedef VEC(CellEquation) EquationPairs;

typedef struct Lower {
    Front *front;
    Inst *top;
    Cell cell;
    VEC(LowerVariable) variables; /* by variable of the cell */
    VEC(LowerPort) ports;         /* by port of the cell */
    LowerBlock *table;            /* open addressing */
    size_t ntable, nblock;
    VEC(uint32_t) joined;   /* by end of a connection, see connect_ends: union-find */
    VEC(Place) join_places; /* by end: the first connection of the set */
    bool is_initial;        /* initial equations are being read */
    EquationPairs *branch;  /* equations of a branch are collected here; or NULL */
} Lower;

/* the modifier that binds a variable: Real x = 2 * y; or NULL */
Mod *member_binding(Front *f, const Member *m);
/* does the instance have variables or equations of its own, or components with connectors of their
 * own? */
bool inst_is_cell(Front *f, Inst *inst);
/* false after reporting what is wrong */
bool lower_instance(Lower *lower, Front *f, Inst *inst);
void lower_drop(Lower *lower);

/* lower_variable.c */
Graph *lower_graph(Front *f);
/* the first variable of the cell of a member at the present cursors; UINT32_MAX after an error */
uint32_t lower_variables(Front *f, Member *m, Spot spot);
/* of a connector of the library: how many signals it has, and where a member of it stands; the
 * potentials follow the signals in the same order */
int lower_signals(const Lower *lower, const Inst *connector);
int lower_position(const Member *m);

/* lower_equation.c */
void lower_equation_pair(Lower *lower, Node left, Node right, Spot spot, const Inst *where);
/* left = right, element by element */
void lower_equal(Lower *lower, Value left, Value right, Spot spot, Env env);
void lower_equations(Lower *lower, const EquationList *list, Env env);
void lower_algorithm(Lower *lower, const Algorithm *algorithm, Env env);

/* lower_connect.c */
void lower_connect(Lower *lower, const Equation *e, Env env);
void lower_connection_sets(Lower *lower);

#endif
