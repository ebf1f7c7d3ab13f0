/* simulate.h - a system over time.
 *
 *   LiederSimulateOptions o = lieder_simulate_defaults();
 *   o.stop = 10;
 *   LiederStatus status = lieder_simulate(system, &o, &statistics);
 *
 * Solvers with fixed steps take steps of `step`, adaptive ones choose them by `tolerance`
 * (solver.h has the table). Rows are handed to `output` at the multiples of
 * `interval` and, around an event, twice for the same time: before and after.
 *
 * Times of fixed steps are start + i step, by multiplication, without drift. A step that does not
 * divide the interval is shortened until it does, with a warning; the last step is cut short at
 * `stop`. docs/solvers.md says which solver suits what, and what events cost. */
#ifndef LIEDER_SIMULATE_H
#define LIEDER_SIMULATE_H

#include <lieder/energy.h>
#include <lieder/lieder.h>
#include <lieder/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What to do when events of one component follow each other without end:
 *   AUTO  HOLD for contacts of dialectic mechanics, without a warning: with 0 < v < T_D g a contact
 *         opens when it is closed and closes when it is open, and the motion along the surface is
 *         the solution. Others slide along the surface, with a warning, where both sides lead back
 *         to it (Filippov; adaptive solvers with one clock); else STOP
 *   STOP  the run ends with LIEDER_GAVE_UP and the component's name
 *   HOLD  a warning, and the crossing slides or rests on its surface: see hold_choice */
#define LIEDER_CHATTERS(X) X(CHATTER_AUTO, "auto") X(CHATTER_STOP, "stop") X(CHATTER_HOLD, "hold")

/* Generated code for the shapes of a model, see lieder_system_compile; results do not depend on it:
 *   AUTO    beside a run that has lasted a quarter of a second, where it pays
 *   ALWAYS  everything, before the run */
#define LIEDER_COMPILES(X)                                                                         \
    X(COMPILE_NEVER, "never") X(COMPILE_AUTO, "auto") X(COMPILE_ALWAYS, "always")

/* How many clocks a run has. Subsystems that are not connected are independent: with OWN clocks
 * each lane of each has its own time, steps and events, for rk45 and rodas4:
 *   AUTO    own clocks if there are several subsystems and the solver can, else a shared one;
 *           where the run chooses the solver, own ones also if 16 or more of them have events,
 *           see docs/solvers.md
 *   SHARED  one clock: an event of one subsystem interrupts all
 *   OWN     also for a single one; refused where it cannot be
 * Rows at the multiples of the interval are the same. With own clocks there are no rows at events:
 * `lane_event` reports them. */
#define LIEDER_CLOCKS(X) X(CLOCKS_AUTO, "auto") X(CLOCKS_SHARED, "shared") X(CLOCKS_OWN, "own")

#define LIEDER_NAMED_CONSTANT(constant, name) LIEDER_##constant,
typedef enum LiederChatter {
    LIEDER_CHATTERS(LIEDER_NAMED_CONSTANT) LIEDER_CHATTER_COUNT
} LiederChatter;
typedef enum LiederCompile {
    LIEDER_COMPILES(LIEDER_NAMED_CONSTANT) LIEDER_COMPILE_COUNT
} LiederCompile;

typedef enum LiederClocks { LIEDER_CLOCKS(LIEDER_NAMED_CONSTANT) LIEDER_CLOCKS_COUNT } LiederClocks;

/* Of each choice: its name, all names in a row for messages ("auto, stop, hold"), and the choice of
 * a name; false if there is none. The texts are constants. */
const char *lieder_chatter_name(LiederChatter chatter);
const char *lieder_chatter_names(void);
bool lieder_chatter_find(const char *name, LiederChatter *chatter);
const char *lieder_compile_name(LiederCompile compile);
const char *lieder_compile_names(void);
bool lieder_compile_find(const char *name, LiederCompile *compile);
const char *lieder_clocks_name(LiederClocks clocks);
const char *lieder_clocks_names(void);
bool lieder_clocks_find(const char *name, LiederClocks *clocks);

/* a row of the grid, or one of the two around an event, which have the same time */
typedef enum LiederRow { LIEDER_ROW, LIEDER_ROW_BEFORE_EVENT, LIEDER_ROW_AFTER_EVENT } LiederRow;

typedef struct LiederStatistics {
    LiederSolver solver; /* the one that ran */
    const char *why;     /* why it was chosen, in words; NULL: the options named it */
    size_t steps, rejected, evaluations, jacobians, factorisations;
    size_t state_events, time_events;
    double t;       /* where the run ended */
    double seconds; /* wall clock in all */
    double evaluation_seconds, solve_seconds, output_seconds;
    double smallest_step, largest_step;
    ptrdiff_t limiting_state; /* the state that limited the step most often, or -1 */
    size_t stiff_steps;       /* of rk45 with one clock: those that stability decides, about */
    /* Own clocks: steps, rejected, evaluations, Jacobians and events are sums over lanes. */
    size_t lanes;        /* with clocks of their own; 0: one clock for all */
    size_t most_steps;   /* of one lane */
    size_t failed_lanes; /* those that failed before the end of the run */
    size_t stiff_lanes;  /* those that changed from rk45 to rodas4 */
    /* real time */
    double worst_step_seconds;
    size_t overruns; /* steps that ended later than the clock allows */
    /* state files that were written whole, and the time of the last one */
    size_t checkpoints;
    double checkpoint_t;
    bool terminated; /* a component has ended the run: t is the time when */
} LiederStatistics;

/* A lane with a clock of its own: its s-th state is state first_state + s stride of the system. */
typedef struct LiederLane {
    size_t number; /* of all lanes of the system */
    size_t nstate, first_state, stride;
} LiederLane;

typedef struct LiederSimulateOptions {
    double start, stop;
    LiederSolver solver;
    double step;            /* fixed step; 0: a hundredth of the interval. Adaptive: the longest */
    double tolerance;       /* of the run, relative to 1 + |value|: see docs/solvers.md */
    double interval;        /* of rows; 0: stop - start over 500, or the next multiple of `step` */
    double event_tolerance; /* events are located to this part of a step; default 1e-10 */
    LiederChatter chatter;
    LiederClocks clocks;
    int threads;               /* 0: one */
    LiederCompile compile;     /* never, unless a program asks for it */
    bool real_time;            /* pace the steps to the wall clock */
    const double *x0;          /* NULL: start values of the model */
    const char *checkpoint;    /* write the state here at the end */
    double checkpoint_seconds; /* and whenever so much wall clock has passed; 0: only at the end */
    const char *resume;        /* start from this file */
    /* Energies are kept here, up to date whenever `output` is called and at the end; NULL: they are
     * not computed. Costs about as many evaluations again as the run has, one lane at a time. With
     * own clocks the last three are NaN. Results do not depend on it. */
    LiederEnergy *energy;
    /* called for every row; returning false stops the run (LIEDER_STOPPED) */
    bool (*output)(void *user, double t, const double *x, LiederRow kind);
    /* Connections may change in a run: `output` calls lieder_system_connect and
     * lieder_system_disconnect, and when it returns the run restructures, at the time of the row,
     * calls `restructured` (or NULL), which may alter x, and goes on with a row after the event.
     * The change itself costs what it touches; the solver starts anew as after any event, which
     * costs about a step. If the change is refused the run ends there with that status. What
     * `output` collects at the last row, or when it stops the run, waits for
     * lieder_system_restructure. */
    void (*restructured)(void *user, double t, double *x);
    /* Own clocks: called for every event of a lane, before and after, with the lane's nstate
     * states. Lanes come one after the other, each up to some rows ahead; returning false stops the
     * run. */
    bool (*lane_event)(void *user, const LiederLane *lane, double t, const double *x,
                       LiederRow kind);
    void *user;
    /* called now and then (ten times a second) with the time reached, also if no row is due for
     * long; returning false stops the run (LIEDER_STOPPED) */
    bool (*progress)(void *user, double t, const LiederStatistics *statistics);
} LiederSimulateOptions;
LiederSimulateOptions lieder_simulate_defaults(void);

/* A run from start to stop; x of the callbacks is the state there, of lieder_system_state_count
 * numbers. LIEDER_STOPPED: a callback asked for it; negative: the session's diagnostics say why,
 * and rows up to there have been handed out. statistics may be NULL. */
LiederStatus lieder_simulate(LiederSystem *system, const LiederSimulateOptions *options,
                             LiederStatistics *statistics);

/* n steps of size h of an explicit solver with fixed steps from (t, x), in place; allocates nothing
 */
LiederStatus lieder_step(LiederSystem *system, LiederSolver solver, double t, double h, size_t n,
                         double *x);

/* ------------------------------------------------------------------ step by step */

/* A system that a program steps: a controller, a game, a co-simulation. It takes the steps of
 * lieder_simulate with that solver and step, bit for bit, event blocks included, and stops between
 * two of them for as long as the program likes. There parameters and open inputs may be set
 * (lieder_handle_set) and variables read (lieder_stepper_observe).
 *
 * Of the options these count: start, solver (fixed steps; AUTO is rk4), step, chatter, threads,
 * compile (ALWAYS before the first step, else not at all), x0. The stepper belongs to the caller
 * and must go before the system, of which there is one stepper or run at a time; connections cannot
 * change meanwhile. NULL: see the diagnostics of the session. */
typedef struct LiederStepper LiederStepper;
LiederStepper *lieder_stepper_create(LiederSystem *system, const LiederSimulateOptions *options);
void lieder_stepper_destroy(LiederStepper *stepper);
/* n steps; allocates nothing with explicit solvers. On failure time and state are those before the
 * step that failed. Constraints that are kept by their derivatives are examined when the call
 * returns: a warning in the diagnostics where they come apart, LIEDER_GAVE_UP from a tenth of their
 * size on, with time and state as they are then, until a reset. */
LiederStatus lieder_stepper_step(LiederStepper *stepper, size_t n);
/* the grid of steps begins anew at t, with x or (NULL) the start values */
LiederStatus lieder_stepper_reset(LiederStepper *stepper, double t, const double *x);
/* the time where it stands */
double lieder_stepper_time(const LiederStepper *stepper);
/* all states, of the stepper and as long as it lives; may be written between two steps */
double *lieder_stepper_state(LiederStepper *stepper);
/* lieder_observer_evaluate where the stepper stands, with the cases that hold there */
LiederStatus lieder_stepper_observe(LiederStepper *stepper, LiederObserver *observer,
                                    double *values);

#ifdef __cplusplus
}
#endif
#endif
