/* run.h - what the files of one run share: simulate.c begins, goes on by adaptive steps and ends
 * it, fixed.c takes fixed steps, options.c checks what was asked for and chooses the solver. */
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
    Adaptive method;          /* of implicit and of adaptive steps */
    Glances glances;          /* into long ones */
    Growth growth;            /* of explicit steps */
    Fade fade;                /* oscillations that fixed steps damp */
    Watcher watcher;          /* of nonlinear systems, constraints, min and max */
    Ranges ranges;            /* what is reported at the end */
    Seeds seeds;              /* states that grew from below the tolerance */
    Twin twin;                /* how errors of steps add up */
    EnergyMeter meter;        /* energies, if someone wants them */
    Guards *guards;           /* or NULL */
    Clocks *clocks;           /* of lanes that have their own, or NULL */
    double *x, *kept, *other; /* the state; a copy of an earlier one; a scratch */
    double t;
    double from, until; /* the fixed step in which guards are located; kept is its begin */
    /* grid of fixed steps */
    double origin, h, wanted;
    size_t counter, per_row;
    Late late;
    size_t crowded; /* events of time in a row, too close to each other */
    bool resumed;
    bool chosen; /* the solver is our choice */
    bool paused; /* the last steps were given up: the program has asked to stop */
    Pause pause; /* whether to go on, asked inside steps as well */
    double began, next_progress, next_checkpoint, clock_origin;
    Compilation *compilation; /* under way, or NULL */
    double next_compilation;  /* when to look after it; infinite: not any more */
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
/* can a sign change because time goes on, while all states rest? */
bool run_crosses_in_time(const LiederSystem *system);
/* is there anything that happens at an instant of its own? */
bool run_has_events(const LiederSystem *system);
/* Where no solver is named it is bdf: stiff or not, it gets through, and at the default tolerance
 * it needs a fiftieth of the steps of esdirk23 (docs/solvers.md has the numbers). A step that is
 * given, and real time, mean rk4; a large net, whose Jacobian is full, and a fleet with events
 * rk45. Lanes with clocks of their own begin with rk45, too, and go over to rodas4 where they are
 * stiff (clocks.c). Models without states take steps only to find events. */
LiederSolver run_choose_solver(const LiederSystem *system, const LiederSimulateOptions *o);
/* why choose_solver chose as it did, or NULL where the options name it */
const char *run_reason_of(const LiederSystem *system, const LiederSimulateOptions *o);
/* Do lanes have clocks of their own in this run? why: why they cannot, if that was asked for */
bool run_own_clocks(const LiederSystem *system, const LiederSimulateOptions *o, bool guarded,
                    const char **why);

/* fixed.c */
/* why steps may be late */
void run_report_overruns(const Run *r);
LiederStatus run_fixed(Run *r);

/* run_adaptive.c: the steps of a solver that chooses them, for all lanes or for each its own */
LiederStatus run_adaptive(Run *r);
LiederStatus run_clocks(Run *r);

/* simulate.c */
/* has `output` asked for other connections? */
bool run_changes_wait(const Run *r);
bool run_call_output(Run *r, double t, const double *x, LiederRow kind, const Moment *moment);
/* what is held in fixed steps, decided at a time */
Moment run_fixed_moment(const Run *r, double decided);
/* a row of fixed steps at a time */
bool run_fixed_row(Run *r, double t, const double *x, LiederRow kind, double decided);
/* Components may end the run at (r->t, r->x): LIEDER_STOPPED, and the statistics say so. `here`: it
 * is looked, or other ranks may do so. */
LiederStatus run_look_at_requests(Run *r, const Moment *moment, bool here);
/* choices and memory at the start */
LiederStatus run_start_events(Run *r, double decided);
/* what is done now and then: the progress callback, the state file, compiling */
LiederStatus run_now_and_then(Run *r);
/* what `output` has collected at r->t */
LiederStatus run_take_changes(Run *r);

#endif
