/* late.h - what fixed steps see late: see late.c. */
#ifndef LIEDER_SOLVE_LATE_H
#define LIEDER_SOLVE_LATE_H

#include "solve/events/events.h"

/* What fixed steps see late, of which each kind is reported once: late.c. */
typedef struct Late {
    double due;  /* the next instant of a component; infinite: none is looked for */
    bool jumped; /* an event inside a step has set states */
} Late;
/* the last of the steps origin + i h that end at `end`, in x; room: two vectors like x */
typedef struct LateStep {
    Events *events;
    double origin, h, end;
    const double *x;
    double *room[2];
} LateStep;
/* instants that lie between two steps; false: there were none */
bool late_instants(Late *late, const LateStep *step);
/* after events at the end: also instants that event blocks have set */
void late_next(Late *late, const LateStep *step);
/* after an event of states at the end, before which the states were these */
void late_jump(Late *late, const LateStep *step, const double *before);

#endif
