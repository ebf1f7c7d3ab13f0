/* clocks.h - lanes with clocks of their own: strips of lanes that step together (clocks.c), one
 * lane as a system of its own (lone.c), rows that all lanes have passed (clocks.c). */
#ifndef LIEDER_SOLVE_CLOCKS_H
#define LIEDER_SOLVE_CLOCKS_H

#include <pthread.h>

#include "solve/events/events.h"
#include "solve/method/onestep.h"

/* ------------------------------------------------------------------ lone.c */

/* Lanes of a shape, gathered into a shape of `width` lanes of its own: lane l of the view is any
 * lane of the real one. States, choices and parameters of the view stand in vectors of its own, so
 * that everything of the engine that works on a shape works on the view. */
typedef struct View {
    SystemShape ss;
    Shape shape;
    Batch batch;
    const SystemShape *home;
    const LiederAllocator *alloc;
    size_t width;
    SlotValue *slots;
    uint32_t *differing; /* slots with numbers by lane */
    size_t ndiffering;
    double *numbers; /* of these: slot by slot, `width` each */
    size_t *lanes;   /* by lane of the view: the real one */
} View;

bool view_create(View *v, const SystemShape *home, size_t width, Workspace *workspace,
                 const LiederAllocator *alloc);
void view_drop(View *v);
/* lane l of the view is `lane` of the real shape from now on */
void view_set(View *v, size_t l, size_t lane);

/* What a thread works in: a copy of the system whose shapes are views, with diagnostics of its own.
 */
typedef struct Bench {
    LiederSystem system;
    Lieder session;
    Shape empty;
    size_t nshape;
    uint32_t active;                 /* the shape that is not empty, or NOWHERE */
    const LiederAllocator *messages; /* for what threads store in turn */
} Bench;

/* One lane as a system: what events.c, crossing.c and locate.c work on. */
typedef struct Lone {
    Bench *bench;
    const SystemShape *home;
    View view;
    uint32_t shape;
    Team team;
    Task task;
    Events events;
    double *x, *found, *nominal; /* found: where an event was located */
    double *pivots;              /* room for those of its linear groups */
    Workspace *workspace;
} Lone;

bool bench_create(Bench *b, const LiederSystem *system, const LiederAllocator *messages);
void bench_drop(Bench *b, const LiederSystem *system);
bool lone_create(Lone *lone, Bench *bench, LiederSystem *system, uint32_t shape, double tolerance,
                 double span);
void lone_drop(Lone *lone);
/* the bench and its events become those of a lane; `all` holds choices and memory of all lanes */
void lone_enter(Lone *lone, const LiederSystem *system, size_t lane, const Events *all);
/* what its events have changed goes back to all */
void lone_leave(const Lone *lone, Events *all);

/* ------------------------------------------------------------------ clocks.c */

/* of one lane */
typedef struct LaneClock {
    double t, h;       /* h: of the next step; 0: not known yet */
    double event_time; /* at which jumps are decided */
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

/* whether all subsystems of a system may have clocks of their own; else why not */
bool clocks_possible(const LiederSystem *system, const char **why);
size_t clocks_count(const LiederSystem *system);
/* some component may end the run */
bool clocks_can_end(const LiederSystem *system);

/* x and the choices and memory of `events` are those of the run */
Clocks *clocks_create(Team *team, const ClocksSetup *setup, Events *events, double *x);
void clocks_destroy(Clocks *c);
/* All lanes up to the next rows; false: there are none any more. Row i of clocks_rows is then the
 * state of all lanes at its time. A status below 0 ends the run; lanes that fail do not. */
LiederStatus clocks_advance(Clocks *c, size_t *nrow);
/* of the rows at hand: the time; the state; choices, memory and by shape and lane the time at which
 * jumps are decided, as the moment of the row */
double clocks_row(const Clocks *c, size_t row, const double **x, Moment *moment);
/* Has a component ended the run? The last row is the end then, of all lanes. */
bool clocks_ended(const Clocks *c);
/* hands out events of lanes in the order of lanes; false: the program wants to stop */
bool clocks_events(Clocks *c,
                   bool (*output)(void *user, const LiederLane *lane, double t, const double *x,
                                  LiederRow kind),
                   void *user);
/* how many messages of lanes there were beside those that were shown */
void clocks_tell_rest(const Clocks *c);
/* the first failure of a lane, or LIEDER_DONE */
LiederStatus clocks_status(const Clocks *c);
/* statistics of all ranks, which come here together */
void clocks_agree(const Clocks *c, LiederStatistics *s);
void clocks_statistics(const Clocks *c, LiederStatistics *statistics);

/* ------------------------------------------------------------------ orientation.c */

/* Has a lane passed over a singular point? By its states; *sign is that at the begin (0: not known
 * yet, it becomes that of these). True after reporting it. */
bool orientation_turned(LiederSystem *system, SystemShape *ss, size_t lane, double t,
                        const double *states, signed char *sign);

#endif
