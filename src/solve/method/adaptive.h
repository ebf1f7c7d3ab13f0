/* adaptive.h - what steps a system with one clock: see adaptive.c. */
#ifndef LIEDER_SOLVE_ADAPTIVE_H
#define LIEDER_SOLVE_ADAPTIVE_H

#include "solve/method/implicit.h"

/* what steps a system with one clock: exactly one of the two. Fixed steps use `implicit`. */
typedef struct Adaptive {
    Implicit *implicit;
    struct OneClock *clock;
} Adaptive;

bool solver_is_one_step(LiederSolver solver); /* adaptive, with dense output: rk45, rodas4 */
/* as the functions of implicit.c with these names */
LiederStatus adaptive_create(Adaptive *a, Team *team, LiederSolver solver, double tolerance,
                             double longest, const Glances *glances, double t, const Moment *moment,
                             const double *x);
void adaptive_destroy(Adaptive *a);
double adaptive_tolerance(const Adaptive *a);
double adaptive_finest(LiederSolver solver);
LiederStatus adaptive_restart(Adaptive *a, double t, const double *x);
LiederStatus adaptive_step(Adaptive *a, double limit, double *t, double *x);
void adaptive_between(Adaptive *a, double t, double *x);
void adaptive_slope_between(Adaptive *a, double t, double *slope);
/* what rounding of states has made in derivatives, see Jacobian; NULL: it has no Jacobian */
const double *adaptive_noise(const Adaptive *a);
void adaptive_statistics(const Adaptive *a, LiederStatistics *statistics);
/* leaves the limiting state to the rank that has it */
void adaptive_agree(const Adaptive *a, const LiederSystem *system, LiederStatistics *statistics);

#endif
