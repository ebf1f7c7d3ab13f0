/* ranges.h - what a run reports about its numbers at its end: see ranges.c, digits.c. */
#ifndef LIEDER_SOLVE_RANGES_H
#define LIEDER_SOLVE_RANGES_H

#include "solve/method/adaptive.h"

/* sizes of states and derivatives over a run */
typedef struct Ranges {
    LiederSystem *system;
    size_t n;
    double tolerance;          /* of the run */
    bool limited, adaptive;    /* some state has min or max; steps are adaptive */
    double *least, *most;      /* by state, NULL in fixed steps, as all vectors: its range */
    double *off, *slope;       /* see ranges.c */
    double *rate, *dx, *curve; /* rate: largest |derivative|; scratch */
    double at;                 /* the end of the last step */
    size_t lengths[64];        /* how many steps were shorter than 2^(k-60) s, and not than half */
    size_t rows, stride;       /* rows so far; one of `stride` is examined */
    bool violated;             /* a state has left its limits: the first one */
    size_t state;
    double t, value;
} Ranges;

/* rows: about how many the run has */
LiederStatus ranges_create(Ranges *g, LiederSystem *system, double tolerance, bool adaptive,
                           double rows, const double *x);
void ranges_drop(Ranges *g);
/* after a step, and at the start */
void ranges_state(Ranges *g, double t, const double *x);
/* a row inside the last step of an adaptive solver */
void ranges_row(Ranges *g, Team *team, Adaptive *method, double t, const Moment *moment,
                const double *x);
/* Warns at the end of a run of so many steps over so many seconds of its time; noise: see Jacobian,
 * or NULL. `failed`: averages over the run are not judged. */
void ranges_report(const Ranges *g, const double *noise, double seconds, size_t steps, bool failed);

/* ------------------------------------------------------------------ digits.c */

/* warns of an elastic element whose elongation is lost in rounding, once */
bool report_lost_digits(LiederSystem *system, double t, const double *x);

#endif
