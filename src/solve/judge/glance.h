/* glance.h - short pulses inside a step that the evaluations of the solver have missed: see
 * glance.c. */
#ifndef LIEDER_SOLVE_GLANCE_H
#define LIEDER_SOLVE_GLANCE_H

#include <stdbool.h>
#include <stddef.h>

/* the cells of a run: steps of an adaptive solver that are longer than one are examined */
typedef struct Glances {
    double origin, cell; /* cell 0: nowhere */
    double tolerance;    /* of the run */
} Glances;
/* an instant inside a step from `begin` to `end` */
typedef struct Glance {
    double t, cell, begin, end;
    double largest, when; /* largest d so far in its own size, and where it began; 0: none */
} Glance;
/* the first instant inside a step; false: the step is too short to have one that is examined */
bool glance_first(const Glances *g, double from, double to, Glance *at);
/* the curve of a solver inside its last step */
typedef struct GlanceCurve {
    size_t n;              /* states */
    const double *nominal; /* NULL: 1 */
    double *x, *slope, *f; /* room: the curve at an instant, its slope, the derivatives there */
    double *sum;           /* room: S */
    /* fills x, slope and f for the time t; false: there are no derivatives at this instant */
    bool (*read)(void *user, double t, const struct GlanceCurve *c);
    /* turns S into e, and x into the state at the end of the step */
    void (*weigh)(void *user, const struct GlanceCurve *c);
    void *user;
} GlanceCurve;
/* Examines the instants of a step from that of glance_first on. Returns the time at which a pulse
 * begins that the step has missed, INFINITY: there is none beyond the tolerance. */
double glance_walk(const Glances *g, Glance *at, const GlanceCurve *c);

#endif
