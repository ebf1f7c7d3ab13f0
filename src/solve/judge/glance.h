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
/* how a solver is looked at inside of its step */
typedef struct GlanceCurve {
    size_t n;              /* states */
    const double *nominal; /* NULL: 1 */
    double *x, *slope, *f; /* room: the curve at an instant, its slope, the derivatives there */
    double *sum;           /* room: S */
    /* fills x, slope and f for the time t; false: there are no derivatives at this instant */
    bool (*look)(void *user, double t, const struct GlanceCurve *c);
    /* turns S into e, and x into the state at the end of the step */
    void (*weigh)(void *user, const struct GlanceCurve *c);
    void *user;
} GlanceCurve;
/* looks at all instants of the step that glance_first has found; when that begins what the step
 * passes over, INFINITY: it passes over nothing beyond the tolerance */
double glance_walk(const Glances *g, Glance *at, const GlanceCurve *c);

#endif
