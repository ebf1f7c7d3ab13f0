/* late.h - jumps inside of fixed steps, which take effect late: see late.c. */
#ifndef LIEDER_SOLVE_LATE_H
#define LIEDER_SOLVE_LATE_H

#include "solve/events/events.h"

/* which jumps were reported: instants of components and events that set states, each once */
typedef struct Late {
    double due;  /* the next instant of a component; infinite: none is examined any more */
    bool jumped; /* an event inside a step has set states */
} Late;
/* The last step of the grid origin + i h, which has ended at time `end` with the state x; room: two
 * vectors like x. */
typedef struct LateStep {
    Events *events;
    double origin, h, end;
    const double *x;
    double *room[2];
} LateStep;
/* reports an instant that lies inside the step, if something jumps there; true: there were
 * instants */
bool late_instants(Late *late, const LateStep *step);
/* after events at the end of the step: the next instant, which event blocks may have set */
void late_next(Late *late, const LateStep *step);
/* after an event at the end of the step, before which the states were `before`: reports that it has
 * set states */
void late_jump(Late *late, const LateStep *step, const double *before);

#endif
