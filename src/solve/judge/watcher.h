/* watcher.h - variables that a run examines beside its rows, and the three judges of them. */
#ifndef LIEDER_SOLVE_WATCHER_H
#define LIEDER_SOLVE_WATCHER_H

#include "solve/method/adaptive.h"
#include "solve/events/events.h"

/* ------------------------------------------------------------------ watcher.c */

/* what is examined, in the order of the observer */
typedef enum WatchedKind {
    WATCHED_NOTHING,
    WATCHED_UNKNOWN,    /* of a nonlinear system: branches.c */
    WATCHED_DRIFT,      /* how far a constraint that is kept is off: drift.c */
    WATCHED_REGULARITY, /* of all constraints of a component: drift.c */
    WATCHED_LIMIT,      /* a variable with min or max: limits.c */
    WATCHED_KINDS
} WatchedKind;

/* a number of a component in one lane; limits are known by their handles */
typedef struct WatchedValue {
    WatchedKind kind;
    uint32_t shape, component;
    size_t lane;
    const char *text; /* the name of an unknown, or the place of a constraint */
} WatchedValue;

/* a variable with min or max, and its range in the run */
typedef struct Limit {
    LiederHandle handle;
    double min, max, lowest, highest;
    double t, value; /* where it left its range first */
} Limit;

typedef struct Branches {
    double t;                /* of the last point; Watcher.before has its numbers */
    bool known;              /* there is one since choices or memory have changed */
    bool reported, followed; /* a jump; a solution that needed guesses on the way */
} Branches;

typedef struct Drift {
    bool shared;           /* some rank has kept constraints: all call drift_row and drift_step */
    bool reported, failed; /* a constraint is off: it was reported; so far that the run ends */
    double row, last;      /* the smallest regularity of the last row, of the last point */
    double t, speed;       /* the time of that point, and how fast it changed */
    bool close, passed;    /* a change point is near: steps are examined; it was reported */
} Drift;

typedef struct Watcher {
    LiederSystem *system;
    LiederObserver *observer; /* NULL: there is nothing to examine */
    VEC(WatchedValue) values;
    size_t first[WATCHED_KINDS], end[WATCHED_KINDS]; /* of each kind, among the values */
    VEC(Limit) limits;                               /* of WATCHED_LIMIT */
    double *numbers;                                 /* of the values, at the last point */
    double *x;                                       /* a scratch of states */
    double *before; /* states and numbers of the last point of branches.c */
    double *other;  /* numbers of a point in between */
    double *room;   /* all of these */
    size_t nroom;
    Events *events; /* branches.c may take new guesses; NULL: it may not */
    Branches branches;
    Drift drift;
} Watcher;

/* without: a bit for each kind that is not examined */
LiederStatus watcher_create(Watcher *w, LiederSystem *system, unsigned without);
void watcher_drop(Watcher *w);
/* does some judge examine rows? */
bool watcher_wants_rows(const Watcher *w);
/* examines a row; false: the run has to end, which is reported */
bool watcher_row(Watcher *w, double t, const Moment *moment, const double *x);
/* Likewise after a step, or at a row inside it. method: the solver of adaptive steps, or NULL;
 * held: choices or memory may have changed since the last step. */
bool watcher_step(Watcher *w, double t, const Moment *moment, const double *x, Adaptive *method,
                  bool held);

/* for the judges: the numbers of all values at a point; false: they cannot be evaluated */
bool watcher_evaluate(Watcher *w, double t, const Moment *moment, const double *x, double *to);
/* the component of a value in its lane; returns buffer */
char *watched_path(const Watcher *w, const WatchedValue *v, char *buffer, size_t size);

/* ------------------------------------------------------------------ branches.c */

/* lists the unknowns of a system in the lane of v; false: memory ran out */
bool branches_watch(Watcher *w, WatchedValue *v, const LiederSystemDef *def);
/* choices or memory have changed: the next point has no earlier one to compare with */
void branches_forget(Watcher *w);
/* the connections have changed: unknowns are not examined any more */
void branches_end(Watcher *w);
bool branches_wanted(const Watcher *w);
/* a jump since the last step: guesses follow the solution up to here, or it is reported; good: the
 * numbers of this one are known */
void branches_step(Watcher *w, double t, const Moment *moment, const double *x, bool good);

/* ------------------------------------------------------------------ drift.c */

/* after a row, whose numbers are w->numbers if they are `good`; false: the run has to end, which is
 * reported */
bool drift_row(Watcher *w, double t, bool good);
/* has drift_step to be called at t? The same after a step */
bool drift_wanted(const Watcher *w, double t);
bool drift_step(Watcher *w, double t, const Moment *moment, Adaptive *method, bool good);

/* ------------------------------------------------------------------ limits.c */

bool limits_watch(Watcher *w); /* false: memory ran out */
void limits_row(Watcher *w, double t);
/* warns of variables that have left their ranges */
void limits_report(const Watcher *w);

#endif
