/* simulate.h - functions of runs and steppers that other folders call. */
#ifndef LIEDER_SOLVE_SIMULATE_H
#define LIEDER_SOLVE_SIMULATE_H

#include "solve/events/events.h"
#include "solve/judge/growth.h"

/* true: a lane of the system gives the bits and the rows that it would give alone */
bool simulate_keeps_lanes_apart(const LiederSystem *system, const LiederSimulateOptions *options);

/* true: without a solver in the options so many copies of the system are best run as lanes with
 * clocks of their own */
bool simulate_prefers_own_clocks(const LiederSystem *system, const LiederSimulateOptions *options,
                                 size_t copies);

/* true: something happens at the boundaries of fixed steps: some component has an event block, held
 * modes or requests */
bool simulate_has_event_blocks(const LiederSystem *system);

/* k->n explicit steps with all checks; on failure k->x is the state after *good of them, and the
 * diagnostics say what is wrong. kept, other: room for a state each. */
LiederStatus simulate_explicit_steps(Team *team, Growth *growth, RkSteps *k, double *kept,
                                     double *other, size_t *good);

/* lieder_simulate until a guard fires: LIEDER_STOPPED with guards->fired >= 0, after the row before
 * the event. guards NULL: lieder_simulate. */
LiederStatus simulate_guarded(LiederSystem *system, const LiederSimulateOptions *options,
                              LiederStatistics *statistics, Guards *guards);

/* ------------------------------------------------------------------ stepper.c */

/* calls o->output with the present state of a stepper; observers read its choices and memory.
 * False: the program wants no more rows */
bool stepper_row(LiederStepper *s, const LiederSimulateOptions *o);

#endif
