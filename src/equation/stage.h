/* stage.h - what cell.c and stage.c share: the solution of a cell under way. Private to equation/.
 */
#ifndef LIEDER_EQUATION_STAGE_H
#define LIEDER_EQUATION_STAGE_H

#include "equation/eliminate.h"

typedef struct Solve {
    Cell *cell;
    CellPlan *plan;
    VEC(uint32_t) column;    /* by variable: its column, or NO_COLUMN */
    VEC(uint32_t) unknown;   /* by column: its variable */
    VEC(uint8_t) has_inward; /* by equation: contains inward variables */
    VEC(uint8_t) is_kept;    /* by equation: in CellPlan.kept */
    Incidence table;         /* equations, then virtual rows, against unknowns */
    VEC(uint32_t) transversal;
    VEC(int32_t) c, d;
    GraphPass derivative;
} Solve;

static inline const CellVariable *variable_at(const Solve *s, uint32_t column)
{
    return &s->cell->variables.items[s->unknown.items[column]];
}
/* equation i differentiated n times */
Node residual_at(Solve *s, size_t i, uint32_t n);

/* a stage before the last one: signals and states */
LiederStatus run_stage(Solve *s, int32_t number);
/* the last one: potentials, derivatives, answers, residuals */
LiederStatus run_last_stage(Solve *s);

#endif
