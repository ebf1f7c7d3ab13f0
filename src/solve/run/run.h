/* run.h - what the files of one run share: simulate.c begins and ends it, fixed.c and
 * run_adaptive.c take its steps, options.c checks the options and chooses the solver. */
#ifndef LIEDER_SOLVE_RUN_H
#define LIEDER_SOLVE_RUN_H

#include "compile/compile.h"
#include "solve/clocks/clocks.h"
#include "solve/judge/fade.h"
#include "solve/run/late.h"
#include "solve/judge/meter.h"
#include "solve/judge/ranges.h"
#include "solve/judge/seeds.h"
#include "solve/judge/twin.h"
#include "solve/judge/watcher.h"

typedef struct Run {
    LiederSystem *system;
    LiederSimulateOptions o;
    LiederStatistics s, past; /* past: of solvers before the connections changed */
    Team team;
    Events events;
    Moment moment;
    Adaptive method;          /* takes implicit and adaptive steps */
    Glances glances;          /* where long adaptive steps are examined */
    Growth growth;            /* judges, see solve/judge: explicit steps; singular points */
    Fade fade;                /* oscillations that fixed steps damp */
    Watcher watcher;          /* nonlinear systems, constraints, min and max */
    Ranges ranges;            /* sizes of states and derivatives */
    Seeds seeds;              /* states that grew from below the tolerance */
    Twin twin;                /* how errors of steps add up */
    EnergyMeter meter;        /* energies, where options.energy wants them */
    Guards *guards;           /* or NULL */
    Clocks *clocks;           /* of lanes that have their own, or NULL */
    double *x, *kept, *other; /* the state; a copy of an earlier one; scratch */
    double t;
    double from, until; /* the fixed step in which guards are located; kept is its begin */
    /* grid of fixed steps: t = origin + counter h; a row after every per_row; `wanted` is the step
     * of the options. Of adaptive steps origin only: rows are at origin + i interval */
    double origin, h, wanted;
    size_t counter, per_row;
    Late late;
    size_t crowded;       /* events of time in a row, too close to each other */
    bool resumed;         /* from a state file */
    bool chosen;          /* the solver was chosen by run_choose_solver */
    bool stopped;         /* the last steps were given up: the program has asked to stop */
    StopCheck stop_check; /* whether to go on, checked inside steps as well */
    double began, next_progress, next_checkpoint, clock_origin;
    Compilation *compilation; /* under way, or NULL */
    double next_compilation;  /* when to poll it; infinite: never */
} Run;

/* options.c */
/* true if the condition holds, else a diagnostic */
#define DEMAND(condition, ...)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            diag_error(&r->system->session->diag, NULL, NULL, __VA_ARGS__);                        \
            ok = false;                                                                            \
        }                                                                                          \
    } while (0)

LiederStatus run_check_options(Run *r);
/* does a crossing depend on the time itself, so that it may change while all states rest? */
bool run_crosses_in_time(const LiederSystem *system);
/* are there crossings, memory, timers or event blocks? */
bool run_has_events(const LiederSystem *system);
/* Where no solver is named it is bdf: stiff or not, it gets through, and at the default tolerance
 * it needs a fiftieth of the steps of esdirk23 (docs/solvers.md has the numbers). A step that is
 * given, and real time, mean rk4; a large net, whose Jacobian is full, and a fleet with events
 * rk45. Lanes with clocks of their own begin with rk45, too, and go over to rodas4 where they are
 * stiff (clocks.c). Models without states take steps only to find events. */
LiederSolver run_choose_solver(const LiederSystem *system, const LiederSimulateOptions *o);
/* the reason of that choice, or NULL where the options name the solver */
const char *run_reason_of(const LiederSystem *system, const LiederSimulateOptions *o);
/* Do lanes have clocks of their own in this run? *why: the reason why they cannot, or NULL */
bool run_own_clocks(const LiederSystem *system, const LiederSimulateOptions *o, bool guarded,
                    const char **why);

/* fixed.c */
/* warns of steps in real time that ended late */
void run_report_overruns(const Run *r);
LiederStatus run_fixed(Run *r);

/* run_adaptive.c: the steps of a solver that chooses them, for all lanes or for each its own */
LiederStatus run_adaptive(Run *r);
LiederStatus run_clocks(Run *r);

/* simulate.c */
/* has the program changed connections that the run has not taken over yet? */
bool run_changes_wait(const Run *r);
bool run_call_output(Run *r, double t, const double *x, LiederRow kind, const Moment *moment);
/* choices and memory in fixed steps, with jumps decided for a time */
Moment run_fixed_moment(const Run *r, double decided);
/* a row of fixed steps at time t */
bool run_fixed_row(Run *r, double t, const double *x, LiederRow kind, double decided);
/* Examines the requests at (r->t, r->x); LIEDER_STOPPED, with s.terminated: a component ends the
 * run. `here`: on this rank; false: only other ranks do. */
LiederStatus run_check_requests(Run *r, const Moment *moment, bool here);
/* choices and memory at the start */
LiederStatus run_start_events(Run *r, double decided);
/* calls the progress callback, writes the state file, polls the compiler, each when it is due */
LiederStatus run_now_and_then(Run *r);
/* takes over the connections that the program has changed in the callbacks at r->t */
LiederStatus run_take_changes(Run *r);

#endif
