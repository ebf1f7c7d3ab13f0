/* subsystem.h - a subsystem alone and the step at hand: what growth.c and stability.c examine steps
 * with. Vectors have the subsystem's states; `room` counts such vectors. */
#ifndef LIEDER_SOLVE_SUBSYSTEM_H
#define LIEDER_SOLVE_SUBSYSTEM_H

#include "solve/judge/growth.h"

#include <complex.h>

/* a subsystem; `whole` is a vector of the system of which only its entries count */
typedef struct Lane {
    LiederSystem *system;
    SystemShape *ss;
    size_t lane, n;
    double *whole;
    double t, decided, h; /* the step at hand */
    const Moment *moment; /* what is held in it */
} Lane;

/* what is wrong with a subsystem */
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
size_t lane_largest(const LiederSystem *system);
/* the first state of the subsystem after that whose first state is i; 0 after the last */
size_t lane_next(const LiederSystem *system, size_t i);
/* the subsystem of state i, where it is now; no states: it does not move */
Lane lane_find(LiederSystem *system, size_t i, double *whole);
void lane_get(const Lane *l, const double *whole, double *to);
void lane_put(const Lane *l, const double *from);
/* the size at which an error of state s counts */
double lane_nominal(const Lane *l, size_t s);
/* Of a net that is cut each rank has a part of the one subsystem: they examine it together. Where
 * lanes are whole each rank decides alone. */
double lane_greatest(const Lane *l, double here);
bool lane_any(const Lane *l, bool here);
/* slope at x; jumps are decided as in the step at hand */
bool lane_slope(const Lane *l, double t, const double *x, double *k);
/* Solves the step at hand from x, in place, by steps as short as accuracy asks, as far as the
 * budget goes; range: raised to the largest |x - from| on the way (from NULL: |x|). room: five. */
void lane_integrate(const Lane *l, double *x, const double *from, double *range, double *room);
/* y = J d at x by central differences; room: two */
bool lane_product(const Lane *l, const double *x, const double *d, double *y, double *room);
/* h times the eigenvalues that carry d0, with d1 = J d0, d2 = J d1; false if these are more than
 * two */
bool lane_eigenvalues(const Lane *l, const double *d0, const double *d1, const double *d2,
                      double complex z[2]);
/* what a step of an explicit method multiplies a motion by: R(z) = sum of z^k / k! up to the order
 */
double complex method_factor(int order, double complex z);
/* logarithm of what a step of a method multiplies by beyond what the model does */
double method_excess(int order, double complex z);

LiederStatus growth_report(const Growth *g, const RkSteps *k, const Verdict *v);

#endif
