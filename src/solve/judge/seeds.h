/* seeds.h - states that grow by themselves from below what the tolerance shows; see seeds.c */
#ifndef LIEDER_SOLVE_SEEDS_H
#define LIEDER_SOLVE_SEEDS_H

#include "solve/run/team.h"

typedef struct Seeds {
    LiederSystem *system;
    double tolerance; /* of the run */
    size_t n;
    struct StateSeed *seeds; /* by state; NULL: too many */
    double *x, *dx;          /* scratch */
    ptrdiff_t found;         /* the first state that has grown by itself, or -1 */
    double from, t;          /* from which |x|; when it was found */
} Seeds;

LiederStatus seeds_create(Seeds *s, LiederSystem *system, double tolerance);
void seeds_drop(Seeds *s);
/* after an accepted step of an adaptive solver */
void seeds_step(Seeds *s, Team *team, double t, const Moment *moment, const double *x);
/* an event has taken place: forgets all seeds */
void seeds_event(Seeds *s);
void seeds_report(const Seeds *s);

#endif
