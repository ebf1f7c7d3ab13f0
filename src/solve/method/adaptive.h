/* adaptive.h - adaptive steps of a system with one clock: see adaptive.c. */
#ifndef LIEDER_SOLVE_ADAPTIVE_H
#define LIEDER_SOLVE_ADAPTIVE_H

#include "solve/method/implicit.h"

/* A solver of a system with one clock: exactly one of the two is there; both NULL: none. Fixed
 * steps of euler-backward use `implicit`, too. */
typedef struct Adaptive {
    Implicit *implicit;
    struct OneClock *clock;
} Adaptive;

bool solver_is_one_step(LiederSolver solver); /* adaptive, with dense output: rk45, rodas4 */
/* These are the functions of implicit.h with the same names. LIEDER_STOPPED: the program has asked
 * to stop while the pattern of the Jacobian was found. */
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
/* by state: the rounding of its derivative, see Jacobian; NULL: the solver has no Jacobian */
const double *adaptive_noise(const Adaptive *a);
void adaptive_statistics(const Adaptive *a, LiederStatistics *statistics);
/* keeps limiting_state on the rank that has it, and makes it -1 on the others; all ranks call it */
void adaptive_agree(const Adaptive *a, const LiederSystem *system, LiederStatistics *statistics);

#endif
