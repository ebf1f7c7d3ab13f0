/* team.h - threads that share the strips of a system: see team.c. */
#ifndef LIEDER_SOLVE_TEAM_H
#define LIEDER_SOLVE_TEAM_H

#include "base/pool.h"
#include "model/system/system.h"

/* A strip of lanes, the unit of work of a thread. */
typedef struct Task {
    uint32_t shape;
    size_t lane, n;
} Task;

/* Workspaces of one thread: by shape, and stage vectors. */
typedef struct Worker {
    Workspace **workspaces;
    double *stages;
} Worker;

/* Calls go_on now and then, from the thread that called, since steps of huge systems and their
 * Jacobians take seconds. Once it has returned false, running work ends with LIEDER_STOPPED. */
typedef struct StopCheck {
    bool (*go_on)(void *user);
    void *user;
    double next; /* time of the clock for the next call */
    int stopped;
} StopCheck;
/* shall the work end? `p` may be NULL; worker 0, the thread of the caller, calls go_on */
bool should_stop(StopCheck *p, int worker);

typedef struct Team {
    LiederSystem *system;
    int n;      /* threads; the first one works in the system's own workspaces */
    Pool *pool; /* NULL for one thread */
    Worker *workers;
    VEC(Task) tasks;
    VEC(size_t) first_task; /* by shape, and the end */
    size_t evaluations;     /* of the whole system; parts of it add up */
    double seconds;         /* spent in them */
    double step_seconds; /* of one thread for one Runge-Kutta step of a strip, about; 0: unknown */
    StopCheck *stop_check; /* of evaluations, which give LIEDER_STOPPED then; or NULL */
    double *slide_room;    /* of slide.c; NULL: nothing slides */
    size_t slides_reported;
} Team;

LiederStatus team_create(Team *team, LiederSystem *system, int threads);
void team_drop(Team *team);
Workspace *team_workspace(const Team *team, int worker, uint32_t shape);
double *team_stages(const Team *team, int worker);

/* work on one task by one worker; results must not depend on the worker */
typedef LiederStatus TeamWork(Team *team, int worker, size_t task, void *argument);
typedef struct TeamEffort {
    size_t few;          /* fewer tasks are all done by the calling thread */
    double task_seconds; /* what a task takes, about */
} TeamEffort;
/* all tasks from first to end - 1; the status of the first one that failed, *failed its number */
LiederStatus team_run(Team *team, size_t first, size_t end, const TeamEffort *effort,
                      TeamWork *work, void *argument, size_t *failed);

void team_copy(Team *team, double *to, const double *from, size_t n);

/* dx = f(t, x) for all shapes; `explain`: put a failure into the diagnostics */
LiederStatus team_derivatives(Team *team, double t, const Moment *moment, const double *x,
                              double *dx, bool explain);
/* the same for one shape */
LiederStatus team_shape_derivatives(Team *team, uint32_t shape, double t, const Moment *moment,
                                    const double *x, double *dx);
/* values of crossings and the choices that follow, requests, delays, guesses: see Readings */
void team_read(Team *team, double t, const Moment *moment, const double *x, Readings to);

#endif
