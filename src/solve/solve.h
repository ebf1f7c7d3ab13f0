/* solve.h - what the integrators share: a team of threads, the parts of a run, a map of files.
 *
 *   simulate.c   options, rows, statistics; the loop of fixed steps and the loop of adaptive ones
 *   stepper.c    fixed steps one call at a time, for a program that closes the loop
 *   rk.c         explicit Runge-Kutta, strip by strip
 *   growth.c     explicit steps that are too long
 *   stability.c  those whose growth the model bounds; fade.c (fade.h) damping by the method
 *   orientation.c  steps that pass over a singular point
 *   implicit.c   backward Euler, ESDIRK23 (ARKODE) and BDF (CVODE)
 *   onestep.c    formulas of rk45 and rodas4, over lanes with times of their own
 *   oneclock.c   rk45 and rodas4 with one clock for the whole system
 *   clocks.c     rk45 and rodas4 with a clock per lane: rows, blocks of lanes, what fails
 *   strip.c      a strip of such lanes; strip_lane.c what becomes of each; lone.c one of them as a
 *                system of its own
 *   adaptive.c   whatever steps a system with one clock
 *   glance.c     what happens inside a step that its evaluations have not met
 *   twin.c       how errors of steps add up over a run
 *   vectors.c    vectors and matrices of SUNDIALS in memory of ours
 *   jacobian.c   block diagonal Jacobians by coloured differences
 *   pattern.c    where these are not zero; depend.c what instructions say about that
 *   events.c     what is held between events, time events, events of a whole system
 *   iterate.c    the event of one lane: passes until nothing changes; chattering
 *   crossing.c   when a choice is contradicted: sides, bands, noise
 *   zeno.c       events that come faster and faster until the run passes through
 *   slide.c      lanes that slide along the surface of a crossing
 *   locate.c     where in a step that is so for the first time
 *   request.c    components that end the run or find that a condition does not hold
 *   history.c    the past of variables that components delay
 *   guess.c      where the iterations of nonlinear systems begin
 *   watcher.c    variables that a run examines for its own sake, and what judges them (watcher.h):
 *   branches.c   nonlinear systems that go over to another solution
 *   drift.c      constraints that are kept and come apart, change points
 *   limits.c     variables that leave the range of min and max
 *   seeds.c      states that grow by themselves from below the tolerance
 *   digits.c     elastic elements whose elongation is lost in rounding
 *   meter.c      energies along a run
 *   modes.c      systems that take turns
 *   restart.c    state files
 *   ranks.c      what several processes decide together
 *   team.c       threads and their workspaces
 */
#ifndef LIEDER_SOLVE_H
#define LIEDER_SOLVE_H

#include <lieder/simulate.h>

#include "base/clock.h"
#include "base/pool.h"
#include "model/energy.h"
#include "model/slides.h"
#include "model/system.h"
#include "solve/glance.h"

/* ------------------------------------------------------------------ team.c */

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

/* Asks now and then, from the thread that called, whether to go on: steps of huge systems take
 * seconds, and so do their Jacobians. Once the answer was no, what is under way comes to nothing.
 */
typedef struct Pause {
    bool (*go_on)(void *user);
    void *user;
    double next; /* time of the clock */
    int stopped;
} Pause;
/* shall the work end? `p` may be NULL; worker 0 is the thread of the caller and asks */
bool pause_asks_to_stop(Pause *p, int worker);

typedef struct Team {
    LiederSystem *system;
    int n;      /* threads; the first one works in the system's own workspaces */
    Pool *pool; /* NULL for one thread */
    Worker *workers;
    VEC(Task) tasks;
    VEC(size_t) first_task; /* by shape, and the end */
    size_t evaluations;     /* of the whole system, or as much */
    double seconds;         /* in them */
    double step_seconds; /* of one thread for one Runge-Kutta step of a strip, about; 0: unknown */
    Pause *pause;        /* of evaluations, which give LIEDER_STOPPED then; or NULL */
    double *slide_room;  /* of slide.c; NULL: nothing slides */
    size_t slides_told;
} Team;

LiederStatus team_create(Team *team, LiederSystem *system, int threads);
void team_drop(Team *team);
Workspace *team_workspace(const Team *team, int worker, uint32_t shape);
double *team_stages(const Team *team, int worker);

/* work on one task by one worker; results must not depend on who does it */
typedef LiederStatus TeamWork(Team *team, int worker, size_t task, void *argument);
typedef struct TeamEffort {
    size_t few;          /* fewer tasks are done by one thread */
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
/* values of crossings, the choices they call for, requests: see Looks */
void team_look(Team *team, double t, const Moment *moment, const double *x, Looks to);

/* ------------------------------------------------------------------ ranks.c */

/* Decisions that all ranks of a model share, see LiederRanks: all call them in the same order, and
 * get the same. A system alone keeps what it has. */
bool ranks_any(const LiederSystem *system, bool here);
double ranks_greatest(const LiederSystem *system, double here);
double ranks_least(const LiederSystem *system, double here);
size_t ranks_sum(const LiederSystem *system, size_t here);
double ranks_total(const LiederSystem *system, double here); /* of any numbers, in rank order */
/* the worst one; only the first rank that has it keeps its diagnostics from `before` on */
LiederStatus ranks_status(LiederSystem *system, LiederStatus here, size_t before);
/* whether it is for this rank to say something about value `here`, the greatest of all: it is the
 * first one that has it */
bool ranks_first_with(const LiederSystem *system, double here);
/* the first lane of a shape limits the pivots of all */
LiederStatus ranks_share_limits(LiederSystem *system);

/* ------------------------------------------------------------------ solver.c */

/* Butcher table of a one-step method; diagonally implicit at most. A Rosenbrock method has its
 * matrix of the linear part in a, and alpha where f is evaluated. */
enum { MAX_STAGES = 8 };
typedef struct ButcherTable {
    int nstage, order;
    double a[MAX_STAGES][MAX_STAGES], b[MAX_STAGES], c[MAX_STAGES];
    bool rosenbrock;
    double alpha[MAX_STAGES][MAX_STAGES];
} ButcherTable;
/* of a solver that has stages, as it is run */
ButcherTable solver_table(LiederSolver solver);
/* explicit with fixed steps: strip by strip, by rk.c */
bool solver_steps_explicitly(LiederSolver solver);

/* ------------------------------------------------------------------ rk.c */

/* Fixed steps first ... first + n - 1 of the grid origin + i h, in place. On failure x is
 * undefined, and *good is the number of steps that all lanes survived. `explain` NULL: silent. */
typedef struct RkSteps {
    LiederSolver solver;
    double origin, h;
    size_t first, n;
    double *x;
    size_t good;
    const Moment *moment; /* what is held; its event time does not count */
    Pause *pause;         /* or NULL; LIEDER_STOPPED leaves x undefined */
    /* the first step whose last stage stands far from its end, of a lane whose linear group may be
     * singular: step + 1, shape and lane in 16, 16 and 32 bits; 0: there is none */
    uint64_t apart;
} RkSteps;
LiederStatus rk_run(Team *team, RkSteps *steps);
/* repeats the step after steps->good from x, which is the state there, and says what is wrong */
LiederStatus rk_explain(Team *team, const RkSteps *steps, LiederStatus failure);
size_t rk_stages(LiederSolver solver);
/* steps of one lane alone, in place, with the bits that it has among others; its slope k */
LiederStatus rk_lane_steps(LiederSystem *system, SystemShape *ss, size_t lane, RkSteps *steps);
LiederStatus rk_lane_slope(LiederSystem *system, SystemShape *ss, size_t lane, double t,
                           double decided, const Moment *moment, double *x, double *k);
ButcherTable rk_table(LiederSolver solver); /* rk1 ... rk4, as they are run */

/* jumps within this part of a step count as at its start */
#define STEP_MARGIN 1e-9

/* ------------------------------------------------------------------ growth.c */

/* explicit fixed steps that are too long: see there */
typedef struct Growth {
    LiederSystem *system;
    size_t nstate, most; /* most: states of a shape */
    double *level;       /* by state: |x| when it was examined last */
    double *room;
    /* orientation.c: steps since lanes were examined, the next lane; steps in all, and those that
     * were examined because their stages stand far apart */
    size_t steps, turn_lane, taken, examined;
    uint32_t turn_shape;
    /* stability.c: steps until the subsystem of a state is examined, how often again, the pause
     * after that, steps that pay for examinations after events */
    size_t wait, turn_state, again, pause, credit;
    /* and what steps inside its patience have added up: steps since the last examination, growth
     * of motions and errors of states, relative, over the run */
    size_t since;
    double slow_growth, slow_error;
} Growth;
LiederStatus growth_create(Growth *g, LiederSystem *system);
/* after a change of connections, which may have made larger shapes */
LiederStatus growth_fit(Growth *g);
void growth_drop(Growth *g);
void growth_begin(Growth *g, const double *x);
/* after steps->n steps from `begin` to steps->x: reports numbers that grow by the method;
 * *good: the steps that are right */
LiederStatus growth_check(Growth *g, const RkSteps *steps, const double *begin, double *scratch,
                          size_t *good);

/* ------------------------------------------------------------------ orientation.c */

/* after steps->n steps from `begin` to steps->x: reports lanes that have passed over a singular
 * point */
LiederStatus orientation_check(Growth *g, const RkSteps *steps, const double *begin,
                               double *scratch, size_t *good);
/* has any lane a sign that can be examined? */
bool orientation_wanted(const LiederSystem *system);
/* likewise after an implicit or adaptive step to (t, x), for some lanes at a time */
LiederStatus orientation_step(Growth *g, double t, const double *x);

/* ------------------------------------------------------------------ stability.c */

/* after steps->n steps from `begin` to steps->x: reports steps outside the region of stability,
 * also where something nonlinear bounds what they do */
LiederStatus stability_check(Growth *g, const RkSteps *steps, const double *begin, double *scratch,
                             size_t *good);
/* an event has taken place: the next step is examined */
void stability_event(Growth *g);
/* warns of motions that have grown slowly, by the method alone */
void stability_report(const Growth *g, LiederSolver solver, double h);

/* ------------------------------------------------------------------ jacobian.c */

/* Compressed columns of the whole system; the blocks of lanes do not meet. */
typedef struct Jacobian {
    Team *team;
    const LiederAllocator *alloc;
    size_t n, nonzeros;
    VEC(struct JacobianShape {
        size_t ncolour;
        uint32_t *colour; /* by state */
        uint32_t *column; /* by state, and the end: first in row */
        uint32_t *row;
        size_t nrow;
        uint32_t *rank; /* guests: by lane and row, where it stands in its column of the whole */
        size_t nrank;
    })
    shapes;
    int64_t *columns;                      /* of the whole: n + 1 */
    double *moved, *base, *changed, *step; /* n each */
    double *noise; /* by state: the most that rounding of states makes in its derivative, so far */
    size_t count, evaluations;
} Jacobian;

LiederStatus pattern_find(Jacobian *j, uint32_t shape, double t, const Moment *moment,
                          const double *x); /* pattern.c: of one shape */
LiederStatus jacobian_create(Jacobian *j, Team *team, double t, const Moment *moment,
                             const double *x);
void jacobian_drop(Jacobian *j);
/* pattern: columns n + 1, rows nonzeros, sorted */
void jacobian_pattern(const Jacobian *j, int64_t *columns, int64_t *rows);
/* by what a state is moved */
double jacobian_step(double x, double nominal);
/* values in the order of the pattern; dx = f(t, x) is known */
LiederStatus jacobian_evaluate(Jacobian *j, double t, const Moment *moment, const double *x,
                               const double *dx, double *values);

/* ------------------------------------------------------------------ implicit.c */

typedef struct Implicit Implicit;

ButcherTable implicit_table(LiederSolver solver); /* euler-backward, esdirk23 */

/* for euler-backward, esdirk23 and bdf; *moment is examined in every evaluation */
/* `longest`: no step of an adaptive solver is longer; 0: no limit */
Implicit *implicit_create(Team *team, LiederSolver solver, double tolerance, double longest,
                          const Glances *glances, double t, const Moment *moment, const double *x);
/* the finest tolerance of a run that an adaptive solver reaches */
double implicit_finest(LiederSolver solver);
void implicit_destroy(Implicit *m);
/* error that a step may have, relative to nominal + |x|; 0 for fixed steps */
double implicit_tolerance(const Implicit *m);
/* from here on, after a start or an event */
LiederStatus implicit_restart(Implicit *m, double t, const double *x);
/* one step of the adaptive solvers, never beyond `limit`; the new time and state */
LiederStatus implicit_step(Implicit *m, double limit, double *t, double *x);
/* the state inside the last step */
void implicit_between(Implicit *m, double t, double *x);
/* one fixed step: depends on nothing but (t, h, x) */
LiederStatus implicit_fixed_step(Implicit *m, double t, double h, double *x);
void implicit_statistics(const Implicit *m, LiederStatistics *statistics);
size_t implicit_limits(const Implicit *m, size_t state); /* how often it limited the step */
/* the slope of the solution's curve inside the last step */
void implicit_slope_between(Implicit *m, double t, double *slope);
const double *implicit_noise(const Implicit *m);

/* ------------------------------------------------------------------ adaptive.c */

/* what steps a system with one clock: exactly one of the two. Fixed steps use `implicit`. */
typedef struct Adaptive {
    Implicit *implicit;
    struct OneClock *clock;
} Adaptive;

bool solver_is_one_step(LiederSolver solver); /* adaptive, with dense output: rk45, rodas4 */
/* as the functions of implicit.c with these names */
LiederStatus adaptive_create(Adaptive *a, Team *team, LiederSolver solver, double tolerance,
                             double longest, const Glances *glances, double t, const Moment *moment,
                             const double *x);
void adaptive_destroy(Adaptive *a);
double adaptive_tolerance(const Adaptive *a);
double adaptive_finest(LiederSolver solver);
LiederStatus adaptive_restart(Adaptive *a, double t, const double *x);
LiederStatus adaptive_step(Adaptive *a, double limit, double *t, double *x);
void adaptive_between(Adaptive *a, double t, double *x);
void adaptive_slope_between(Adaptive *a, double t, double *slope);
/* what rounding of states has made in derivatives, see Jacobian; NULL: it has no Jacobian */
const double *adaptive_noise(const Adaptive *a);
void adaptive_statistics(const Adaptive *a, LiederStatistics *statistics);
/* leaves the limiting state to the rank that has it */
void adaptive_agree(const Adaptive *a, const LiederSystem *system, LiederStatistics *statistics);

/* ------------------------------------------------------------------ meter.c */

enum { METER_POWERS = 3, METER_NODES = 5 };

/* the powers of dampers, filter and sources at a moment */
typedef struct MeterNode {
    double t, p[METER_POWERS];
} MeterNode;

/* Energies along a run. to == NULL: nobody asked, and nothing is done. */
typedef struct EnergyMeter {
    LiederSystem *system;
    LiederEnergy *to;
    size_t n;
    double *x;       /* a state that is kept, a scratch, slopes of the stages */
    double t;        /* up to where the powers are summed */
    double work;     /* of sources, without what declared energies did: see EnergyNow */
    double declared; /* at the start */
    double before, declared_before; /* energy of the last row, and what is declared of it */
    /* adaptive steps: how they were made, for meter_adaptive; NULL in fixed ones */
    Adaptive *method;
    bool multistep;
    double tolerance;
    /* multistep: moments whose powers are known, the latest first, and the sums up to that one */
    MeterNode nodes[METER_NODES];
    double sum[METER_POWERS];
    int nnode, nstep, stride; /* steps since the last node; so many steps are between nodes */
    double since, step;       /* where the last step began, how long the one before was */
    double most;              /* kinetic energy so far */
} EnergyMeter;
LiederStatus meter_create(EnergyMeter *m, LiederSystem *system, LiederEnergy *to);
void meter_drop(EnergyMeter *m);
void meter_begin(EnergyMeter *m, double t, const double *x, const Moment *moment);
/* energies of a row; the powers are summed up to it */
void meter_row(EnergyMeter *m, double t, const double *x, const Moment *moment);
void meter_lose_count(EnergyMeter *m); /* integrals become NaN */
/* the state before a fixed step, and the step from there */
void meter_keep(EnergyMeter *m, const double *x);
void meter_explicit(EnergyMeter *m, Team *team, LiederSolver solver, double t, double h,
                    const Moment *moment);
/* a step of backward Euler that has ended at (t, x) */
void meter_implicit(EnergyMeter *m, double t, double h, const double *x, const Moment *moment);
/* a step of an adaptive solver has ended at (t, x); rows inside it are behind */
void meter_adaptive(EnergyMeter *m, double t, const double *x, const Moment *moment);
/* after an event, or a change of connections by the program; before it there was a row */
void meter_after(EnergyMeter *m, double t, const double *x, const Moment *moment, bool by_program);

/* ------------------------------------------------------------------ ranges.c */

/* ranges of states and of what the tolerance leaves in their derivatives */
typedef struct Ranges {
    LiederSystem *system;
    size_t n;
    double tolerance;          /* of the run */
    bool limited, adaptive;    /* some state has min or max; all vectors are there */
    double *least, *most;      /* range of each state */
    double *off, *slope;       /* of its derivative: see ranges.c */
    double *rate, *dx, *curve; /* its largest; scratch */
    double at;                 /* the end of the last step */
    size_t lengths[64];        /* how many steps were shorter than 2^(k-60) s, and not than half */
    size_t rows, stride;       /* seen so far; one of `stride` rows is examined */
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
/* warns of what is not right; noise: that of the Jacobians, or NULL; the run took so many
 * steps for so many seconds */
void ranges_report(const Ranges *g, const double *noise, double seconds, size_t steps);

/* ------------------------------------------------------------------ events.c */

/* What a program watches beside the crossings of components. A run ends where the first of them
 * becomes negative; they are located together with the crossings. See modes.c. */
typedef struct Guards {
    size_t n;
    void (*evaluate)(void *user, double t, const double *x, double *values);
    void *user;
    double origin;   /* of the grid of rows and of fixed steps: not after the start of the run */
    LiederRow entry; /* what the first row is */
    double *x;       /* room for the state at the end of the run */
    ptrdiff_t fired; /* afterwards: which one, or -1 */
} Guards;

/* by crossing or transition: what tells chattering */
typedef struct Recent {
    double since;
    uint64_t count;
} Recent;
/* counts how often something happens within `span`; true: too often */
#define CHATTER_SPAN 1e-8 /* of the run: what is short for things that may happen as they like */
bool chatter_count(Recent *r, double t, double span);

/* events of a crossing in a row that have set states: see zeno.c */
typedef struct Bounces {
    double last, interval; /* the last one, and how long after the one before */
    double longest;        /* of such times */
    double side, value;    /* to which the last one led, and where it left the crossing */
    double turned;         /* the side to which the last event of any kind led */
    uint64_t count;
} Bounces;

/* What a crossing remembers beside its choice: see crossing.c. Written to state files as it is. */
typedef struct Crossing {
    double armed;    /* 1: the sign of its value decides; 0: it has to leave the band */
    double scale[2]; /* the largest |value| seen on the sides of choice 0 and 1 */
    double noise;    /* what the tolerance of a step leaves in the value */
    Recent recent;
    Bounces bounces;
    /* of a mode that is not armed: |value| where it began to grow, its last value, and at how many
     * points it has grown since */
    double first, last, grown;
    double wrong, since; /* points in a row on the wrong side, in the band; the first */
} Crossing;

/* what happened to a crossing in the event at hand */
enum {
    CROSSING_FLIPPED = 1,
    CROSSING_COUNTED = 2,
    CROSSING_MOVED = 4,
    CROSSING_CHANGED = 8,
    CROSSING_OTHER = 16,  /* a mode whose equations are others now: memory has changed */
    CROSSING_DOUBTED = 32 /* an edge that is not armed, while its noise is measured */
};

/* what lanes were: see history.c */
typedef struct History History;
typedef struct Histories {
    size_t n;
    History *own;                 /* NULL: they are borrowed */
    History **items;              /* these, or those of the lane at hand */
    size_t *at;                   /* by item: of memory */
    double *values;               /* as Looks.delayed */
    double *points;               /* of the segments in the making */
    double *x;                    /* room for three states */
    const LiederAllocator *alloc; /* of what they keep */
} Histories;

typedef struct Events {
    Team *team;
    Histories histories;
    Guards *guards;              /* or NULL */
    size_t ncrossing, n;         /* choices: of components; with the guards, which come last */
    size_t first;                /* the first one that counts; fixed steps locate guards only */
    bool elsewhere;              /* there are crossings, and other ranks may own them */
    bool requests;               /* some component makes them, on some rank */
    size_t nmode;                /* crossings of kind LIEDER_MODE or LIEDER_HELD */
    bool edges;                  /* there are others, of this rank or of another */
    double *choices;             /* held */
    double *memory;              /* what lanes remember, see model/held.c */
    double *old;                 /* choices and memory before the last event at a boundary */
    double *asked;               /* requests that are made now; NULL: there are none */
    double *slopes;              /* likewise: at both ends of a fixed step */
    double slopes_at;            /* where the later ones hold for the next step; NAN: nowhere */
    double *found;               /* by guess: see guess.c; NULL: there are none */
    unsigned char *changed;      /* by memory: what happened in this event, see LanePass */
    double *low, *high, *middle; /* values of crossings while locating */
    double *begin;               /* ... at begin_at, where the last step has ended */
    double *before, *probe;      /* ... at other points of the step */
    double begin_at, begin_decided;
    double *swing; /* what values have moved by lately in a step; < 0: not known */
    double *moved; /* a state beside the one at hand; NULL without modes */
    Crossing *crossings;
    unsigned char *mode, *news; /* by crossing: is it a mode; what happened in this event */
    uint32_t *lane_of;          /* by crossing: lane of the system; NULL without modes */
    double *largest;            /* by such lane: of all scales of its modes */
    size_t nlane;
    double late;      /* by what the tolerance has delayed events; infinite: told (iterate.c) */
    bool fresh;       /* the next step begins with an event */
    bool alert;       /* some component has memory or timers */
    bool watches;     /* something happens at the boundaries of fixed steps */
    double tolerance; /* of a step, relative to nominal + |x|; 0: fixed steps */
    bool timed;       /* some component has time events */
    double span;      /* of the run: what is short is measured by it */
    /* Of a system that is one lane (lone.c): its shape, whose workspace has the lane's parameters;
     * else NULL. */
    SystemShape *alone;
} Events;

/* ------------------------------------------------------------------ crossing.c */

/* where a lane is about to have an event: edges that are not armed may be rounding, of the states
 * as they are now */
void crossing_doubt_lane(Events *e, SystemShape *ss, size_t lane, double t, const Moment *moment,
                         const double *x);
/* modes that the tolerance leaves undecided for long are told, where a run ends */
void crossing_report_doubts(const Events *e);
/* is the choice of crossing i contradicted by its value? */
bool crossing_contradicted(const Events *e, size_t i, double value);
/* the value at which it begins to be so, on the side of `value` */
double crossing_surface(const Events *e, size_t i, double value);
/* the side that `value` asks for, as an event */
void crossing_flip(Events *e, size_t i, double value);
/* the side of `value` by its sign alone: a start, or states that an event block has set */
void crossing_set(Events *e, size_t i, double value);
/* a point where nothing is contradicted: what is seen there */
void crossing_clean(Events *e, double t, const double *values);
/* the same for the crossings of one lane, whose values stand `stride` apart */
void crossing_clean_lane(Events *e, const SystemShape *ss, size_t lane, double t,
                         const double *values, size_t stride);
/* what else the memory of crossings tells once it has been read from a state file */
void crossing_resume(Events *e);
/* what the tolerance of a step at (t, x) leaves in the values of modes, where `news` has a bit of
 * `which`; uses e->middle. Of all lanes, or of one. */
void crossing_measure_noise(Events *e, double t, double decided, const double *x, unsigned which);
void crossing_measure_lane(Events *e, SystemShape *ss, size_t lane, double t, const Moment *moment,
                           const double *x, unsigned which);

/* ------------------------------------------------------------------ slide.c */

/* room of the team, before something slides; false: memory ran out */
bool slides_prepare(Team *team);
void slides_drop(Team *team);
/* Do both sides of a crossing lead back to its surface at (t, x)? Then its choice says so. */
bool slide_begins(Events *e, uint32_t shape, size_t lane, size_t choice, double t,
                  const Moment *moment, const double *x);
/* the derivatives of lanes that slide, after those of all */
LiederStatus slide_derivatives(Team *team, uint32_t shape, double t, const Moment *moment,
                               const double *x, double *dx);
/* choices say what part each side has, for observers */
void slide_shares(Events *e, double t, const Moment *moment, const double *x);

/* ------------------------------------------------------------------ iterate.c */

/* Where an event takes place, and what chattering does: patient runs do not count it. */
typedef struct Instant {
    double t, decided;
    double *x; /* of the whole system */
    LiederChatter chatter;
    bool patient, initial;
    size_t ran; /* lanes and components that had an event, in all */
} Instant;

/* The event of one lane of a shape: choices that their values contradict change, event blocks run,
 * memory and states take their new values, until nothing changes any more. The values of the lane's
 * crossings stand in e->high. Nothing but the choices, crossings, memory and states of this lane
 * is touched, and nothing of other lanes is read, so that its bits do not depend on them. It works
 * in the full record of the shape: one thread at a time. */
LiederStatus events_iterate_lane(Events *e, uint32_t shape, size_t lane, Instant *at);

/* ------------------------------------------------------------------ request.c */

/* Looks at the requests of all components, those that event blocks have made since the last look
 * among them. Warnings are reported when they begin; LIEDER_GAVE_UP after an error; *end becomes
 * true if a component ends the run. */
LiederStatus events_look_at_requests(Events *e, double t, const Moment *moment, const double *x,
                                     bool *end);

/* Where requests begin between two times inside the last step; warnings are reported. True: one
 * ends the run, at *t with the state x, and is reported when it is examined there. */
typedef void Between(void *user, double t, double *x);
bool events_locate_requests(Events *e, Between *between, void *user, double from, double to,
                            const Moment *moment, double *t, double *x);
/* The same for a fixed step from `begin` to `end`, on the cubic polynomial between them: it is
 * examined in the middle, and at the end unless an event has changed what holds there. An event at
 * the end makes e->slopes_at NAN. */
bool events_locate_in_step(Events *e, double from, double to, const Moment *moment,
                           const double *begin, const double *end, bool at_end, double *t,
                           double *x);

/* ------------------------------------------------------------------ events.c */

LiederStatus events_create(Events *e, Team *team, double span, Guards *guards);
void events_drop(Events *e);
/* How the system is seen between events. `fixed`: blocks decide all choices but those of held
 * modes. */
Moment events_moment(const Events *e, double decided, bool fixed);
/* the same before the last event at a boundary of fixed steps */
Moment events_moment_before(const Events *e, double decided);
/* values of crossings and guards with the choices that are held */
void events_evaluate(Events *e, double t, double decided, const double *x, double *values);
/* choices as the state has them; those of held modes stay */
void events_decide(Events *e, double t, double decided, const double *x);
/* the begin of a run at (t, x), which event blocks may change: start values of memory, choices,
 * and the first event, with `initial` and then without */
LiederStatus events_start(Events *e, double t, double decided, double *x, LiederChatter chatter);
/* the last pass of event blocks; true: something has changed */
bool events_finish(Events *e, double t, double decided, double *x);
/* Decides again after a change of the system; what is held at its surface stays so, and so does
 * memory. An event of all lanes that have memory or held modes. */
LiederStatus events_decide_again(Events *e, double t, double decided, double *x,
                                 LiederChatter chatter);
/* times closer than this count as one */
double events_margin(const Events *e, double t);
double events_next_time(const Events *e, double t);
/* is some timer due at the time of decision? */
bool events_due(const Events *e, double decided);
/* is some choice contradicted by the values? */
bool events_contradicted(const Events *e, const double *values);
/* is some choice contradicted at (t, x)? The values stay in e->high. */
bool events_violated(Events *e, double t, double decided, const double *x);
/* The event at (t, x), whose values are in e->high, of all lanes that have one there. Chattering
 * stops or holds. */
LiederStatus events_handle(Events *e, double t, double decided, double *x, LiederChatter chatter);
/* the same at the boundary of fixed steps; what there was */
typedef struct Boundary {
    size_t ran;        /* lanes and components that had an event */
    bool crossed, due; /* a choice was contradicted; an instant was due */
} Boundary;
LiederStatus events_at_boundary(Events *e, double t, double decided, double *x,
                                LiederChatter chatter, Boundary *b);

/* ------------------------------------------------------------------ locate.c */

/* the next step has nothing to do with the last one: another lane */
void events_forget_steps(Events *e);
/* Between: the state at a time inside the last step */
/* Where in the last step, between t0 and t1, the first choice is contradicted; false: not at all.
 * x is the state there, on the new side. Guards that become positive are passed over. */
bool events_locate(Events *e, Between *between, void *user, double t0, double t1, double decided,
                   double tolerance, double *t, double *x);

/* The state at part a of a fixed step of length h: the cubic polynomial through its ends, f0 and f1
 * the slopes there. */
static inline void cubic_between(size_t n, double a, double h, const double *begin,
                                 const double *end, const double *f0, const double *f1, double *x)
{
    double b = 1 - a;
    for (size_t i = 0; i < n; i++)
        x[i] = b * begin[i] + a * end[i] +
               a * b * ((a - b) * (end[i] - begin[i]) + h * (b * f0[i] - a * f1[i]));
}

/* ------------------------------------------------------------------ zeno.c */

/* a row of where a stepper stands, for o->output, whose observers see what it remembers; false: no
 * more of them */
bool stepper_row(LiederStepper *s, const LiederSimulateOptions *o);

/* What fixed steps see late, of which each kind is reported once: late.c. */
typedef struct Late {
    double due;  /* the next instant of a component; infinite: none is looked for */
    bool jumped; /* an event inside a step has set states */
} Late;
/* the last of the steps origin + i h that end at `end`, in x; room: two vectors like x */
typedef struct LateStep {
    Events *events;
    double origin, h, end;
    const double *x;
    double *room[2];
} LateStep;
/* instants that lie between two steps; false: there were none */
bool late_instants(Late *late, const LateStep *step);
/* after events at the end: also instants that event blocks have set */
void late_next(Late *late, const LateStep *step);
/* after an event of states at the end, before which the states were these */
void late_jump(Late *late, const LateStep *step, const double *before);

/* crossing i has changed in an event at t in which components have set states */
void zeno_note(Events *e, size_t i, double t);
/* do its events come faster and faster? They may come to an end then */
bool zeno_converges(const Events *e, size_t i);
/* may its events have ended by passing through? */
bool zeno_suspects(const Events *e, size_t i, double t);
/* after an accepted step: LIEDER_GAVE_UP after reporting that they have */
LiederStatus zeno_look(Events *e, double t, const Moment *moment, const double *x);

/* ------------------------------------------------------------------ history.c */

bool histories_create(Events *e); /* false: memory ran out */
void histories_drop(Events *e);
/* has the system some, on any rank? */
bool histories_anywhere(const LiederSystem *system);
/* addresses of histories in the memory of the run, or none */
void histories_attach(Events *e, bool on);
/* These events have none of their own: those of the lane at hand, whose memory has the addresses.
 * alloc: of what they keep, for threads. */
void histories_borrow(Events *e, const LiederAllocator *alloc);
void histories_enter(Events *e);
/* before a run from (t, x): reports delays that are impossible, or shorter than fixed steps */
LiederStatus histories_check(Events *e, double t, const Moment *moment, const double *x,
                             double step);
/* the shortest delay that limits steps, once they were checked; of all ranks */
double histories_shortest(const Events *e);
/* the past begins */
LiederStatus histories_begin(Events *e, double t, double decided, const Moment *moment,
                             const double *x);
/* a step has been accepted up to (t, x); between: inside it */
LiederStatus histories_step(Events *e, double from, double t, Between *between, void *user,
                            const Moment *moment, const double *x);
LiederStatus histories_fixed_step(Events *e, double from, double t, const Moment *moment,
                                  const double *begin, const double *end);
/* an event has taken place */
LiederStatus histories_event(Events *e, double t, double decided, const Moment *moment,
                             const double *x);
/* when the next jump arrives after t; has one arrived that had no event yet? */
double histories_next(const Events *e, double t);
bool history_is_due(double handle, double decided);
/* Borrowed histories forget nothing: this does, up to what rows from `shown` on need. What is kept
 * may go back to marks, one for each. */
typedef struct HistoryMark {
    size_t n, njump;
    double end, last, seen, delay, most;
} HistoryMark;
void histories_forget(Events *e, double shown);
void histories_mark(const Events *e, HistoryMark *marks);
void histories_return(Events *e, const HistoryMark *marks);
/* what stands in a state file: a head, then segments and jumps */
typedef struct HistoryHead {
    double begin, end, last, seen;
    uint64_t n, njump;
} HistoryHead;
typedef struct HistoryParts {
    HistoryHead head;
    const LiederSegment *segments;
    const double *jumps;
} HistoryParts;
HistoryParts history_parts(const Events *e, size_t i);
/* the next one of a file becomes number i, or is passed over if there is none; false: it is wrong
 */
typedef bool HistoryGet(void *user, void *bytes, size_t n);
bool history_read(Events *e, size_t i, HistoryGet *get, void *user);

/* ------------------------------------------------------------------ guess.c */

/* a point of the run, where a step has been accepted or an event has ended */
void guesses_take(Events *e, double t, const Moment *moment, const double *x);
/* of what is remembered only the guesses; from NULL: those outside of runs */
void guesses_copy(const LiederSystem *system, const double *from, double *to);

/* ------------------------------------------------------------------ simulate.c */

/* true: a lane of the system gives the bits and the rows that it would give alone */
bool simulate_keeps_lanes_apart(const LiederSystem *system, const LiederSimulateOptions *options);

/* true: so many copies of the system with nothing said about the solver are best run as lanes with
 * clocks of their own */
bool simulate_prefers_own_clocks(const LiederSystem *system, const LiederSimulateOptions *options,
                                 size_t copies);

/* true: something happens at the boundaries of fixed steps: some component has an event block, held
 * modes or requests */
bool simulate_has_event_blocks(const LiederSystem *system);

/* k->n explicit steps with all checks; on failure k->x is the state after *good of them, and the
 * diagnostics say what is wrong. kept, other: room for a state each. */
LiederStatus simulate_explicit_steps(Team *team, Growth *growth, RkSteps *k, double *kept,
                                     double *other, size_t *good);

/* lieder_simulate until a guard fires: LIEDER_STOPPED with guards->fired >= 0, after the row before
 * the event. guards NULL: lieder_simulate. */
LiederStatus simulate_guarded(LiederSystem *system, const LiederSimulateOptions *options,
                              LiederStatistics *statistics, Guards *guards);

/* ------------------------------------------------------------------ digits.c */

/* warns of an elastic element whose elongation is lost in rounding, once */
bool report_lost_digits(LiederSystem *system, double t, const double *x);

/* ------------------------------------------------------------------ restart.c */

typedef struct Checkpoint {
    LiederSolver solver;
    double t;
    double origin, step, wanted; /* grid of fixed steps: origin + counter * step */
    size_t counter;
    bool synced; /* writing: wait for the disk, which takes milliseconds */
} Checkpoint;

/* x, and what events hold */
LiederStatus checkpoint_write(LiederSystem *system, const char *file, const Checkpoint *c,
                              const double *x, Events *held);
LiederStatus checkpoint_read(LiederSystem *system, const char *file, Checkpoint *c, double *x,
                             Events *held);

#endif
