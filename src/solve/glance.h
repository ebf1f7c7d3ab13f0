/* glance.h - what happens inside a step that no evaluation of the solver has met: see glance.c. */
#ifndef LIEDER_SOLVE_GLANCE_H
#define LIEDER_SOLVE_GLANCE_H

#include <stdbool.h>
#include <stddef.h>

/* where steps of an adaptive solver that are longer than a cell are looked into: see there */
typedef struct Glances {
    double origin, cell; /* cell 0: nowhere */
    double tolerance;    /* of the run */
} Glances;
/* an instant inside a step from `begin` to `end` */
typedef struct Glance {
    double t, cell, begin, end;
    double largest, when; /* what was seen so far, and where it began; 0: nothing */
} Glance;
bool glance_first(const Glances *g, double from, double to, Glance *at);
bool glance_next(const Glances *g, Glance *at);
/* what the curve with this slope passes over at the state x, where the derivatives are f, is added
 * to `sum`; nominal NULL: 1 */
void glance_add(const Glances *g, Glance *at, size_t n, const double *f, const double *slope,
                const double *x, const double *nominal, double *sum);
/* is what was passed over, as an error e of the state, more than the tolerance? */
bool glance_sees(const Glances *g, size_t n, const double *e, const double *x,
                 const double *nominal);

#endif
