/* stage.h - what cell.c and stage.c share: the solution of a cell under way. Private to equation/.
 */
#ifndef LIEDER_EQUATION_STAGE_H
#define LIEDER_EQUATION_STAGE_H

#include "equation/system/eliminate.h"

/* an entry that only derivatives of an equation have, see own_derivative.c */
typedef struct OwnDerivativeEntry {
    uint32_t row, column;
    int32_t order; /* below zero, or above that of the equation itself */
} OwnDerivativeEntry;

typedef struct Solve {
    Cell *cell;
    CellPlan *plan;
    VEC(uint32_t) column;    /* by variable: its column, or NO_COLUMN */
    VEC(uint32_t) unknown;   /* by column: its variable */
    VEC(uint8_t) has_inward; /* by equation: contains inward variables */
    VEC(uint8_t) is_kept;    /* by equation: in CellPlan.kept */
    VEC(uint8_t) is_pinned;  /* by column: a state from here on, with its derivatives */
    VEC(uint8_t) has_force;  /* by equation: a constraint that others enforce, see find_forces */
    bool keeps;              /* there is such a constraint that is not linear */
    Incidence table;         /* equations, then virtual rows, against unknowns */
    VEC(uint32_t) transversal;
    VEC(int32_t) c, d;
    GraphPass derivative, plain;
    VEC(NodeList) marked; /* by equation: as CellPlan.equations, with own derivatives */
    VEC(OwnDerivativeEntry) own_entries; /* by row */
} Solve;

static inline const CellVariable *variable_at(const Solve *s, uint32_t column)
{
    return &s->cell->variables.items[s->unknown.items[column]];
}
/* equation i differentiated n times */
Node residual_at(Solve *s, size_t i, uint32_t n);
/* own_derivative.c: the entries that derivatives of equations bring, at the offsets that were
 * found; *more: there are new ones. false: memory ran out */
bool own_derivative_entries(Solve *s, bool *more);

/* annotated.c: warns of functions that are differentiated too often; false: memory ran out */
bool check_smooth(Solve *s);

/* The equations and variables of a stage, and what matters about them. An entry counts if the
 * variable occurs with its highest derivative; those of lower order are known from earlier stages.
 */
typedef struct Stage {
    Solve *solve;
    int32_t s;
    bool solves_algebraic;       /* rather for what is not differentiated, see run_outward */
    VEC(uint32_t) rows, columns; /* by row and column of the table: equation, column of solve */
    Incidence table;
    VEC(uint32_t) column_of;
    RowList order, first;
} Stage;

/* what it is worth to be a state */
int32_t state_worth(const CellVariable *v, int32_t order);

/* A component of a stage */
typedef struct Candidate {
    Stage *stage;
    const uint32_t *rows;
    uint32_t n;
    const uint32_t
        *place; /* by column of the stage: 1 + row of the component that is solved for it */
} Candidate;

/* What to do with each component; false: memory ran out. */
typedef bool CandidateVisit(const Candidate *c, void *user);

/* the strongly connected parts of a stage, in the order in which they are solved; false: memory ran
 * out, or the visitor stopped */
bool visit_components(Stage *stage, CandidateVisit *visit, void *user);
/* what it costs to solve for an entry, without the worth of a state */
int32_t plain_cost(const Stage *stage, const IncidenceEntry *e);

/* constraint.c: what is not solved; false: memory ran out */
bool find_forces(Solve *s);
bool keep_constraints(Stage *stage);

/* dependent.c: choices of states that cannot be, and equations that hide a constraint: one of
 * those is replaced, and everything begins anew; false: memory ran out */
bool stage_make_regular(Stage *stage);
bool stage_replace_dependent(Stage *stage, bool *replaced);
/* stage.c: of the last stage */
bool replace_dependent(Solve *s, bool *replaced);

/* prefer.c: equations are differentiated more often, so that preferred variables become states;
 * false: memory ran out */
bool raise_preferred(Solve *s);

/* project.c: states are read as points of the constraints that are kept; false: memory ran out */
bool project_states(Solve *s, int32_t highest);

/* a stage before the last one: signals and states */
LiederStatus run_stage(Solve *s, int32_t number);
/* the last one: potentials, derivatives, answers, residuals */
LiederStatus run_last_stage(Solve *s);

#endif
