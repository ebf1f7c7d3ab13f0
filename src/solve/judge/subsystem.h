/* subsystem.h - a subsystem alone and a step of it: growth.c, stability.c and fade.c examine steps
 * with it. Vectors have the subsystem's states; "room: five" is scratch for five such vectors. */
#ifndef LIEDER_SOLVE_SUBSYSTEM_H
#define LIEDER_SOLVE_SUBSYSTEM_H

#include "solve/judge/growth.h"

#include <complex.h>

/* a subsystem; whole: scratch, a vector of the system in which only its own entries are used */
typedef struct SubsystemStep {
    LiederSystem *system;
    SystemShape *ss;
    size_t lane, n;
    double *whole;
    double t, decided, h; /* the step at hand */
    const Moment *moment; /* choices and memory in it */
} SubsystemStep;

/* what is wrong with a step of a subsystem */
typedef struct Verdict {
    bool wrong;
    size_t step;                /* of the chunk, before which all is right */
    double t;                   /* there */
    size_t state;               /* of the system */
    double before, after, fine; /* the step ends where its solution does not */
    bool elsewhere;             /* the state is one of another rank, which says what is wrong */
    double complex z;           /* or h times the eigenvalue of a motion that grows; else 0 */
} Verdict;

/* states of the largest shape */
size_t subsystem_largest(const LiederSystem *system);
/* the first state of the subsystem after that whose first state is i; 0 after the last */
size_t subsystem_next(const LiederSystem *system, size_t i);
/* the subsystem of state i, where it is now; no states: it does not move */
SubsystemStep subsystem_find(LiederSystem *system, size_t i, double *whole);
void subsystem_get(const SubsystemStep *l, const double *whole, double *to);
void subsystem_put(const SubsystemStep *l, const double *from);
/* the size at which an error of state s counts */
double subsystem_nominal(const SubsystemStep *l, size_t s);
/* the greatest number of all ranks, or whether any has `here`, where they share one net and examine
 * it together; else `here` */
double subsystem_greatest(const SubsystemStep *l, double here);
bool subsystem_any(const SubsystemStep *l, bool here);
/* k = slope at x, with jumps as in the step; false: the model has none there */
bool subsystem_slope(const SubsystemStep *l, double t, const double *x, double *k);
/* Solves the step from x, in place, by rk4 with steps as short as accuracy needs, as far as a
 * budget of slopes goes; range: raised to the largest |x - from| on the way (from NULL: |x|). room:
 * five. */
void subsystem_integrate(const SubsystemStep *l, double *x, const double *from, double *range,
                         double *room);
/* y = J d at x by central differences; room: two */
bool subsystem_product(const SubsystemStep *l, const double *x, const double *d, double *y,
                       double *room);
/* z: h times the one or two eigenvalues of the motion d0, with d1 = J d0, d2 = J d1; false: it has
 * more than two */
bool subsystem_eigenvalues(const SubsystemStep *l, const double *d0, const double *d1,
                           const double *d2, double complex z[2]);
/* the factor of a motion in a step of an explicit method: R(z) = sum of z^k / k! up to the order */
double complex method_factor(int order, double complex z);
/* ln |R(z)| - max(0, Re z): the growth in a step that is due to the method */
double method_excess(int order, double complex z);

LiederStatus growth_report(const Growth *g, const RkSteps *k, const Verdict *v);

#endif
