/* growth.h - fixed steps that are wrong although each is finite: too long (growth.c, and where the
 * model bounds them stability.c), or over a singular point (orientation.c). */
#ifndef LIEDER_SOLVE_GROWTH_H
#define LIEDER_SOLVE_GROWTH_H

#include "solve/method/rk.h"

/* what the three judges remember */
typedef struct Growth {
    LiederSystem *system;
    size_t nstate, most; /* most: states of the largest shape */
    double *level;       /* by state: |x| when it was examined last */
    double *room;        /* scratch for vectors of a subsystem */
    /* orientation.c: steps since lanes were examined, the next lane; steps in all, and those that
     * were examined because their stages stand far apart */
    size_t steps, turn_lane, taken, examined;
    uint32_t turn_shape;
    /* stability.c: steps until the subsystem of state turn_state is examined; how often a suspicion
     * was followed by another examination; steps between examinations; steps that pay for
     * examinations after events */
    size_t wait, turn_state, again, pause, credit;
    /* stability.c, of steps that are not suspect: steps since the last examination, and the
     * relative growth of motions and errors of states that they have added up over the run */
    size_t since;
    double slow_growth, slow_error;
} Growth;
LiederStatus growth_create(Growth *g, LiederSystem *system);
/* after a change of connections, which may have made larger shapes */
LiederStatus growth_fit(Growth *g);
void growth_drop(Growth *g);
/* a run begins at x */
void growth_begin(Growth *g, const double *x);
/* After steps->n steps from `begin` to steps->x: reports numbers that grow by the method, and what
 * orientation_check and stability_check find. *good: the steps that are right; scratch: a vector of
 * the system. */
LiederStatus growth_check(Growth *g, const RkSteps *steps, const double *begin, double *scratch,
                          size_t *good);

/* ------------------------------------------------------------------ orientation.c */

/* growth_check calls it: reports lanes that have passed over a singular point */
LiederStatus orientation_check(Growth *g, const RkSteps *steps, const double *begin,
                               double *scratch, size_t *good);
/* has any lane a sign that can be examined? */
bool orientation_wanted(const LiederSystem *system);
/* likewise after an implicit or adaptive step to (t, x), for some lanes at a time */
LiederStatus orientation_step(Growth *g, double t, const double *x);
/* For a lane with a clock of its own: has it passed over a singular point? By its states; *sign:
 * that at the begin (0: not known yet, it becomes that of these states). True after reporting
 * it. */
bool orientation_turned(LiederSystem *system, SystemShape *ss, size_t lane, double t,
                        const double *states, signed char *sign);

/* ------------------------------------------------------------------ stability.c */

/* growth_check calls it: reports steps outside the region of stability where something nonlinear
 * bounds their growth */
LiederStatus stability_check(Growth *g, const RkSteps *steps, const double *begin, double *scratch,
                             size_t *good);
/* an event has taken place: the next step is examined */
void stability_event(Growth *g);
/* warns of motions that have grown slowly, by the method alone */
void stability_report(const Growth *g, LiederSolver solver, double h);

#endif
