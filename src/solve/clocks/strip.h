/* strip.h - what clocks.c, strip.c and strip_lane.c share: all lanes, and a strip of lanes that
 * step together. */
#ifndef LIEDER_SOLVE_STRIP_H
#define LIEDER_SOLVE_STRIP_H

#include "solve/clocks/clocks.h"
#include "solve/method/jacobian.h"

/* a row of an event of a lane, for the program's callback */
typedef struct LaneEvent {
    double t;
    size_t lane, state; /* state: where its states begin in StripBlock.states */
    LiederRow kind;
} LaneEvent;

/* lanes that one thread takes through a horizon, and what it has to report */
typedef struct StripBlock {
    Task task;
    VEC(LaneEvent) events;
    VEC(double) states;
    Diagnostics diag;
    size_t evaluations, jacobians; /* of lanes */
} StripBlock;

/* an allocator that locks: threads store messages through it */
typedef struct MessageAllocator {
    pthread_mutex_t mutex;
    const LiederAllocator *alloc;
    LiederAllocator as_allocator;
} MessageAllocator;

/* A strip of lanes; see strip.c. Vectors are blocks of `width` lanes: number i of lane l stands at
 * i * width + l (onestep.h). */
typedef struct Strip {
    struct Clocks *c;
    LiederSolver solver;
    double tolerance; /* of a step */
    LaneSystem *single;
    const SystemShape *home;
    uint32_t shape;
    View view;
    Workspace *workspace;
    size_t n, width, active; /* states; lanes; those in use stand first */
    bool loaded;             /* the parameters of the lanes are in the workspace */
    double *vectors;         /* the memory of all vectors below, which lay_out places */
    size_t nvector;          /* numbers in it */
    Trial trial;
    double *stage, *f, *f_t, *nominal;            /* by state */
    double *choices, *end_values, *middle_values; /* by crossing */
    /* by memory: its values; requests at the end of the step and in its middle; guesses
     * (guess.c) */
    double *memory, *requested, *requested_inside, *found;
    double *h, *error, *times, *event_times, *size_x, *size_f, *steps, *stiffness; /* by lane */
    double *matrices, *moved, *changed, *step;                                     /* rodas4 */
    uint32_t *pivots;
    StepPlan *plans;      /* by lane */
    unsigned char *fresh; /* by lane: its slope is known */
} Strip;

struct Clocks {
    Team *team;
    LiederSystem *system;
    const LiederAllocator *alloc;
    ClocksSetup setup;
    double tolerance; /* of a step */
    Events *events;   /* of all lanes: choices and memory */
    double *x;
    size_t nclock, *first_clock; /* by shape */
    LaneClock *clocks;
    VEC(StripBlock) blocks;
    MessageAllocator messages;
    ThreadSystem *threads;    /* by worker */
    LaneSystem *lane_systems; /* by worker and shape */
    Strip *strips;            /* by worker and shape */
    Strip *stiff;             /* the same with rodas4; NULL until a lane turns out stiff */
    bool switches;            /* stiff lanes go over to them */
    LiederSolver stepping;    /* of the strips that run now */
    Jacobian jacobian;        /* patterns, for rodas4 */
    bool timed;               /* some component reads the time */
    struct KeptLanes *kept;   /* NULL: no component can end the run */
    double end;               /* when one did, or infinite */
    /* Rows at hand: nrow of at most row_room, from number first_row of the run on, each of
     * row_numbers: states, choices, memory, and by clock the time for which jumps are decided. */
    double *rows;
    size_t row_numbers, row_room, first_row, nrow;
    size_t last_row;      /* of the run; set by the first call of clocks_advance */
    bool begun;           /* there was one */
    double until;         /* the time of the last row at hand */
    const double **times; /* by shape: its times in the row that clocks_row has read */
    size_t reported[2];   /* warnings and errors of lanes */
};

/* rows of the grid, and a last one where the run ends */
static inline double clocks_row_time(const Clocks *c, size_t row)
{
    double last = c->end < c->setup.stop ? c->end : c->setup.stop;
    return row >= c->last_row ? last : c->setup.origin + (double)row * c->setup.interval;
}

/* ------------------------------------------------------------------ strip.c */

size_t strip_width(LiederSolver solver, const SystemShape *ss);
bool strip_create(Strip *s, Clocks *c, LiederSolver solver, int worker, uint32_t shape,
                  LaneSystem *single);
void strip_drop(Strip *s);
/* uses generated code that has become ready */
void strip_refresh(Strip *s);
/* all lanes of a block up to the horizon; fails without memory or when the program stops the run */
LiederStatus strip_run(Strip *s, StripBlock *block, int worker);
/* choices and memory of the lane at place l, as the run has them now */
void strip_fetch_held(Strip *s, size_t l);
/* choices, memory and times of the lanes from place l on */
Moment strip_moment(const Strip *s, size_t l);

static inline LaneClock *strip_clock(const Strip *s, size_t l)
{
    return &s->c->clocks[s->c->first_clock[s->shape] + s->view.lanes[l]];
}

/* ------------------------------------------------------------------ strip_lane.c */

/* choices, memory and timers of a lane at the start, and its first row */
void strip_start_lane(Strip *s, size_t l);
/* values of crossings and requests at the ends of the trial steps, of crossings in their middles */
void strip_find_values(Strip *s);
/* what follows from an accepted trial; false: it passes the horizon, and is taken again later */
bool strip_accept(Strip *s, size_t l, StripBlock *block);
/* a rejected trial: a shorter step, or the lane ends here */
void strip_reject(Strip *s, size_t l);
/* rows of a lane that goes no further: its last state, or nothing if it has failed */
void strip_rows_at_end(Strip *s, size_t l);

#endif
