/* growth.h - fixed steps that are wrong although each is finite: too long (growth.c, and where the
 * model bounds them stability.c), or over a singular point (orientation.c). */
#ifndef LIEDER_SOLVE_GROWTH_H
#define LIEDER_SOLVE_GROWTH_H

#include "solve/method/rk.h"

/* explicit fixed steps that are too long: see there */
typedef struct Growth {
    LiederSystem *system;
    size_t nstate, most; /* most: states of a shape */
    double *level;       /* by state: |x| when it was examined last */
    double *room;
    /* orientation.c: steps since lanes were examined, the next lane; steps in all, and those that
     * were examined because their stages stand far apart */
    size_t steps, turn_lane, taken, examined;
    uint32_t turn_shape;
    /* stability.c: steps until the subsystem of a state is examined, how often again, the pause
     * after that, steps that pay for examinations after events */
    size_t wait, turn_state, again, pause, credit;
    /* and what steps inside its patience have added up: steps since the last examination, growth
     * of motions and errors of states, relative, over the run */
    size_t since;
    double slow_growth, slow_error;
} Growth;
LiederStatus growth_create(Growth *g, LiederSystem *system);
/* after a change of connections, which may have made larger shapes */
LiederStatus growth_fit(Growth *g);
void growth_drop(Growth *g);
void growth_begin(Growth *g, const double *x);
/* after steps->n steps from `begin` to steps->x: reports numbers that grow by the method;
 * *good: the steps that are right */
LiederStatus growth_check(Growth *g, const RkSteps *steps, const double *begin, double *scratch,
                          size_t *good);

/* ------------------------------------------------------------------ orientation.c */

/* after steps->n steps from `begin` to steps->x: reports lanes that have passed over a singular
 * point */
LiederStatus orientation_check(Growth *g, const RkSteps *steps, const double *begin,
                               double *scratch, size_t *good);
/* has any lane a sign that can be examined? */
bool orientation_wanted(const LiederSystem *system);
/* likewise after an implicit or adaptive step to (t, x), for some lanes at a time */
LiederStatus orientation_step(Growth *g, double t, const double *x);

/* ------------------------------------------------------------------ stability.c */

/* after steps->n steps from `begin` to steps->x: reports steps outside the region of stability,
 * also where something nonlinear bounds what they do */
LiederStatus stability_check(Growth *g, const RkSteps *steps, const double *begin, double *scratch,
                             size_t *good);
/* an event has taken place: the next step is examined */
void stability_event(Growth *g);
/* warns of motions that have grown slowly, by the method alone */
void stability_report(const Growth *g, LiederSolver solver, double h);

#endif
