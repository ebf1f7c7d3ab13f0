/* eliminate.h - equations of one component solved for their variables. Private to equation/. */
#ifndef LIEDER_EQUATION_ELIMINATE_H
#define LIEDER_EQUATION_ELIMINATE_H

#include "equation/cell/cell.h"

/* residuals that shall be zero, and the symbols to solve for; as many of each */
typedef struct System {
    Cell *cell;
    CellPlan *plan;
    const CellEquation *source;   /* where the equations come from, for messages */
    NodeList residuals, solution; /* solution in the order of the symbols */
    NodeList mixed;               /* by residual, or empty: with homotopy, see homotopy.c */
    VEC(uint32_t) equations;
    VEC(uint64_t) symbols;
} System;

/* a column of a system by its symbol */
typedef struct SymbolColumn {
    uint64_t symbol;
    uint32_t column;
} SymbolColumn;
typedef VEC(SymbolColumn) SymbolColumns;
/* the columns in the order of their symbols, for bsearch; false: memory ran out */
bool symbol_columns(const System *system, SymbolColumns *to);
int symbol_column_order(const void *a, const void *b);

bool system_add(System *system, Node residual, uint32_t equation, uint64_t symbol);
/* what homotopy makes of the residual that was added last, or NO_NODE; likewise false */
bool system_add_mixed(System *system, Node mixed);
/* LIEDER_BAD_MODEL after reporting why */
LiederStatus system_solve(System *system);
void system_drop(System *system);

/* what it costs to solve an equation for a variable, by the factor of the variable */
enum {
    COST_ONE = 1,      /* 1 or -1 */
    COST_CONSTANT = 3, /* another number */
    COST_PARAMETER = 30,
    COST_VARYING = 300,
    COST_NONLINEAR = 15000, /* more than it is worth to be a state that the text prefers */
    COST_DERIVATIVE = 100000, /* of solving for a derivative where that may be an unknown */
    COST_VANISHES = 100000,   /* the factor is zero at the probe */
    COST_SWITCHED = 50000000  /* a relation makes the factor zero: pivots are chosen by numbers */
};
/* of a residual and n of its symbols; NEVER: the factor is zero, or may be where ports need an
 * answer; false: memory ran out */
bool solving_costs(Cell *cell, Node residual, const uint64_t *symbols, size_t n, int32_t *costs);

/* ------------------------------------------------------------------ iterate.c */

/* equations that are not affine: torn, the rest solved where the class runs */
LiederStatus system_iterate(System *system);

/* ------------------------------------------------------------------ annotated.c */

/* the unknown by the inverse of a function in the equation of the row; NO_NODE: by none */
Node solve_by_inverse(const System *system, size_t row, uint64_t symbol);

/* ------------------------------------------------------------------ several.c */

/* 1: it may have several solutions; -1: memory ran out */
int system_has_several(System *system);
void report_several(const System *system);

/* ------------------------------------------------------------------ homotopy.c */

/* a residual of the model with actual values mixed with simplified ones; NO_NODE: it has none */
Node homotopy_mixed(Cell *cell, Node residual);
/* before a system is iterated: residuals become mixed ones; after it: solutions are actual ones;
 * false: memory ran out */
bool homotopy_put_in(System *system);
bool homotopy_take_out(System *system);

/* ------------------------------------------------------------------ probe.c */

/* takes the probe of a cell without ports; false: memory ran out */
/* what a reader is shown about the matrix of a system: dense, sparse */
void cell_note_matrix(Cell *cell, uint32_t system, Node node);
bool probe_take(Cell *cell, uint64_t out);
/* the number of a symbol, NaN: it has none */
double probe_number_of(const Cell *cell, uint64_t symbol);
/* is the node zero there, but not nearby? */
bool probe_vanishes(Cell *cell, Node node);

/* ------------------------------------------------------------------ shared */

/* of a pass over a graph whose user is a plan: the value of a symbol that has one */
Node known_value(void *user, uint64_t symbol, Node node);
/* the node with the values of all symbols that have one */
Node known_put_in(Cell *cell, const CellPlan *plan, Node node);
/* likewise, but for variables whose values need a large system (CellPlan.deep) */
Node shallow_put_in(Cell *cell, const CellPlan *plan, Node node);
/* a factor that some side of a selection makes zero */
bool node_may_vanish_by_choice(const Graph *graph, Node node);
/* no variable is left that the equation may be solved for */
LiederStatus report_unsolvable(Cell *cell, const CellEquation *equation);

#endif
