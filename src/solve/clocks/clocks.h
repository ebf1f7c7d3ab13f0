/* clocks.h - lanes with clocks of their own: one lane as a system of its own (lane_system.c), and
 * runs of all lanes, row by row (clocks.c). */
#ifndef LIEDER_SOLVE_CLOCKS_H
#define LIEDER_SOLVE_CLOCKS_H

#include <pthread.h>

#include "solve/events/events.h"
#include "solve/method/onestep.h"

/* ------------------------------------------------------------------ lane_system.c */

/* Lanes of a shape of the system, gathered into a shape of `width` lanes: lane l of the view is any
 * lane of the other one. States, choices and parameters of the view stand in vectors of its own, so
 * that everything of the engine that works on a shape works on the view. */
typedef struct View {
    SystemShape ss;
    Shape shape;
    Batch batch;
    const SystemShape *home; /* the shape of the system */
    const LiederAllocator *alloc;
    size_t width;
    SlotValue *slots;
    uint32_t *differing; /* slots with numbers by lane */
    size_t ndiffering;
    double *numbers; /* of these: slot by slot, `width` each */
    size_t *lanes;   /* by lane of the view: the lane of `home` */
} View;

/* workspace: of the thread that uses the view; false: no memory */
bool view_create(View *v, const SystemShape *home, size_t width, Workspace *workspace,
                 const LiederAllocator *alloc);
void view_drop(View *v);
/* lane l of the view is `lane` of the shape of the system from now on */
void view_set(View *v, size_t l, size_t lane);

/* What a thread works in: a copy of the system whose shapes are views, with diagnostics of its own.
 */
typedef struct ThreadSystem {
    LiederSystem system;
    Lieder session;
    Shape empty;
    size_t nshape;
    uint32_t active;                 /* the shape that is not empty, or NOWHERE */
    const LiederAllocator *messages; /* locks: for what several threads store */
} ThreadSystem;

/* One lane as a system, whose only shape with lanes is a view of width 1: so events.c, crossing.c
 * and locate.c work on it. */
typedef struct LaneSystem {
    ThreadSystem *thread;
    const SystemShape *home;
    View view;
    uint32_t shape;
    Team team;
    Task task;
    Events events;
    double *x, *found, *nominal; /* by state; found: the state where an event was located */
    double *pivots;              /* room for those of its linear groups */
    Workspace *workspace;
} LaneSystem;

bool thread_system_create(ThreadSystem *b, const LiederSystem *system,
                          const LiederAllocator *messages);
void thread_system_drop(ThreadSystem *b, const LiederSystem *system);
bool lane_system_create(LaneSystem *single, ThreadSystem *thread, LiederSystem *system,
                        uint32_t shape, double tolerance, double span);
void lane_system_drop(LaneSystem *single);
/* it becomes this lane of the system; `all` holds choices and memory of all lanes */
void lane_system_enter(LaneSystem *single, const LiederSystem *system, size_t lane,
                       const Events *all);
/* its choices and memory are written to those of all lanes */
void lane_system_leave(const LaneSystem *single, Events *all);

/* ------------------------------------------------------------------ clocks.c */

/* how far one lane has come */
typedef struct LaneClock {
    double t, h;       /* h: of the next step; 0: not known yet */
    double event_time; /* for which jumps are decided */
    double due;        /* next time event */
    double longest;    /* step: of the run, or its shortest delay */
    size_t row;        /* the next one */
    size_t steps, rejected, state_events, time_events;
    size_t standing;             /* steps in a row that moved the time by rounding only */
    size_t crowded;              /* events of time in a row, too close to each other */
    double smallest, largest;    /* step */
    bool started, repeated;      /* repeated: its last trial was rejected */
    bool after_event;            /* the next step begins with an event: see locate.c */
    bool terminated;             /* a component has ended the run at t */
    bool stiff;                  /* rodas4 takes its steps */
    signed char sign;            /* of its determinant at the begin; 0: not known */
    unsigned char at_edge, calm; /* steps of rk45 at the edge of stability, and others */
    LiederStatus status;         /* not LIEDER_DONE: it has ended at t */
} LaneClock;

typedef struct Clocks Clocks;
typedef struct ClocksSetup {
    LiederSolver solver; /* LIEDER_SOLVER_AUTO: rk45, and rodas4 for lanes that turn out stiff */
    double tolerance, longest, start, stop, origin, interval, event_tolerance;
    Glances glances;
    LiederChatter chatter;
    bool resumed, watched; /* watched: events of lanes are handed out */
} ClocksSetup;

/* Can the lanes of all subsystems have clocks of their own? *why: the reason if not, else NULL. */
bool clocks_possible(const LiederSystem *system, const char **why);
size_t clocks_count(const LiederSystem *system); /* lanes, of all ranks */
/* some component may end the run */
bool clocks_can_end(const LiederSystem *system);

/* x and the choices and memory of `events` are those of the run, and outlive the clocks. NULL: no
 * memory, or the program has asked to stop. */
Clocks *clocks_create(Team *team, const ClocksSetup *setup, Events *events, double *x);
void clocks_destroy(Clocks *c);
/* All lanes up to the next rows: *nrow of them, 0 after the last one. A status below 0 ends the
 * run; lanes that fail do not. */
LiederStatus clocks_advance(Clocks *c, size_t *nrow);
/* Row 0 ... nrow - 1 of those: returns its time; *x is the state of all lanes there; the moment has
 * the choices, the memory and, by shape and lane, the times for which jumps are decided. */
double clocks_row(const Clocks *c, size_t row, const double **x, Moment *moment);
/* Has a component ended the run? The last row is the end then, of all lanes. */
bool clocks_ended(const Clocks *c);
/* calls `output` for the events of lanes, in the order of lanes; false: the program wants to
 * stop */
bool clocks_events(Clocks *c,
                   bool (*output)(void *user, const LiederLane *lane, double t, const double *x,
                                  LiederRow kind),
                   void *user);
/* reports how many messages of lanes there were beside those that were shown */
void clocks_report_rest(const Clocks *c);
/* the first failure of a lane, or LIEDER_DONE */
LiederStatus clocks_status(const Clocks *c);
/* turns the statistics of this rank into those of all, which call it together */
void clocks_agree(const Clocks *c, LiederStatistics *s);
void clocks_statistics(const Clocks *c, LiederStatistics *statistics);

#endif
