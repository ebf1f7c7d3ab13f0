/* implicit.h - backward Euler, ESDIRK23 and BDF: see implicit.c. */
#ifndef LIEDER_SOLVE_IMPLICIT_H
#define LIEDER_SOLVE_IMPLICIT_H

#include "solve/method/butcher.h"
#include "solve/judge/glance.h"
#include "solve/run/team.h"

typedef struct Implicit Implicit;

ButcherTable implicit_table(LiederSolver solver); /* euler-backward, esdirk23 */

/* For euler-backward, esdirk23 and bdf. *moment stays with the caller and is read in every
 * evaluation. `longest`: no step of an adaptive solver is longer; 0: no limit. NULL: no memory, or
 * the program has asked to stop. */
Implicit *implicit_create(Team *team, LiederSolver solver, double tolerance, double longest,
                          const Glances *glances, double t, const Moment *moment, const double *x);
/* the finest tolerance of a run that an adaptive solver reaches */
double implicit_finest(LiederSolver solver);
void implicit_destroy(Implicit *m);
/* error that a step may have, relative to nominal + |x|; 0 for fixed steps */
double implicit_tolerance(const Implicit *m);
/* steps go on from (t, x): at the start and after an event */
LiederStatus implicit_restart(Implicit *m, double t, const double *x);
/* One step of the adaptive solvers from *t, at most up to `limit`: *t and x become its end. Reports
 * why there is none. */
LiederStatus implicit_step(Implicit *m, double limit, double *t, double *x);
/* the state inside the last step */
void implicit_between(Implicit *m, double t, double *x);
/* one fixed step: depends on nothing but (t, h, x) */
LiederStatus implicit_fixed_step(Implicit *m, double t, double h, double *x);
void implicit_statistics(const Implicit *m, LiederStatistics *statistics);
size_t implicit_limits(const Implicit *m, size_t state); /* how often it limited the step */
/* the slope of the solution's curve inside the last step */
void implicit_slope_between(Implicit *m, double t, double *slope);
const double *implicit_noise(const Implicit *m); /* Jacobian.noise */

#endif
