/* twin.h - how errors of steps add up over a run: see twin.c. */
#ifndef LIEDER_SOLVE_TWIN_H
#define LIEDER_SOLVE_TWIN_H

#include "solve/run/team.h"

enum { TWIN_POINTS = 6 };

typedef struct Twin {
    LiederSystem *system; /* NULL: the run is not measured */
    Team *team;
    const Moment *moment;
    LiederSolver solver;
    double tolerance, longest; /* of the run; its longest step, 0: no limit */
    size_t n;
    double start, stop;         /* of the run */
    size_t steps, next, length; /* so far; where the next window begins; its steps */
    double *x; /* states at the begin of the window and at its points, n each; scratch */
    bool extended, confirmed; /* the window is a longer one; longer ones have shown a sum */
    size_t extensions, believed, refuted; /* longer windows; how many have shown a sum, or not */
    size_t begun;                         /* w->steps at its begin; 0: there is no window */
    size_t point;                         /* number of the next point */
    double t[1 + TWIN_POINTS];            /* times of begin and points */
    /* what windows have shown, in tolerances */
    size_t windows, multiplied; /* windows; of these in a row that multiply errors */
    double rate, sum;           /* what a step adds; in all steps that are covered */
    size_t covered;
    double kept;          /* the largest error that is forgotten again */
    double growth, half;  /* by what errors are multiplied in that time */
    double last, last_at; /* at the end of the last window */
    ptrdiff_t state;      /* that has it */
} Twin;

LiederStatus twin_create(Twin *w, Team *team, const Moment *moment, LiederSolver solver,
                         double tolerance, double longest, double start, double stop);
void twin_drop(Twin *w);
/* after a step to (t, x); `apart`: something else has changed the state or what is held */
LiederStatus twin_step(Twin *w, double t, const double *x, bool apart);
/* warns if the errors of a run that ended at t have added up */
void twin_report(const Twin *w, double t);

#endif
