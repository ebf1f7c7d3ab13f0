/* fade.h - oscillations that fixed steps damp and the model does not: see fade.c. */
#ifndef LIEDER_SOLVE_FADE_H
#define LIEDER_SOLVE_FADE_H

#include "solve/judge/subsystem.h"

enum { FADES_WATCHED = 64 };

/* an oscillation of a subsystem */
typedef struct Fading {
    size_t lane; /* the first state of the subsystem, which identifies it */
    /* when it was examined last: the state with the largest loss, step times eigenvalue (0: none
     * was found), its amplitude there */
    size_t state;
    double complex z;
    double amplitude;
    /* what the method has taken, now and at its largest, as a share of the largest value (level) of
     * the state `shown`, and z then */
    double taken, most, level;
    size_t shown;
    double complex shown_z;
} Fading;

typedef struct Fade {
    LiederSystem *system;
    LiederSolver solver;
    double h;
    size_t nstate, largest; /* largest: states of a shape */
    double *direction;      /* by state: the motion of its subsystem's oscillation */
    double *level;          /* by state: the largest |x| or amplitude seen */
    double *room;
    size_t since, done; /* steps since the last examination, and before it */
    size_t turn;        /* the next subsystem beside those that are watched */
    size_t n;
    Fading watched[FADES_WATCHED];
} Fade;

LiederStatus fade_create(Fade *f, LiederSystem *system, LiederSolver solver, double h);
/* after a change of connections, which may have made larger shapes */
LiederStatus fade_fit(Fade *f);
void fade_drop(Fade *f);
/* Call it after every n steps, at (t, x): it examines subsystems now and then, and always with n
 * = 0, at the begin and the end. moment: choices and memory there; scratch: a vector of the
 * system. */
void fade_examine(Fade *f, size_t n, double t, const Moment *moment, const double *x,
                  double *scratch);
/* warns of the oscillation that has lost most */
void fade_report(Fade *f);

#endif
