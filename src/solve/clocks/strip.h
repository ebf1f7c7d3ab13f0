/* strip.h - what clocks.c, strip.c and strip_lane.c share: all lanes, and a strip of lanes that
 * step together. */
#ifndef LIEDER_SOLVE_STRIP_H
#define LIEDER_SOLVE_STRIP_H

#include "solve/clocks/clocks.h"
#include "solve/method/jacobian.h"

/* an event of a lane, to be handed out */
typedef struct LaneEvent {
    double t;
    size_t lane, state; /* state: where its numbers begin */
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

/* threads store messages through it */
typedef struct MessageAllocator {
    pthread_mutex_t mutex;
    const LiederAllocator *alloc;
    LiederAllocator as_allocator;
} MessageAllocator;

/* A strip of lanes; see strip.c. All vectors are blocks of `width` lanes as onestep.h has them. */
typedef struct Strip {
    struct Clocks *c;
    LiederSolver solver;
    double tolerance; /* of a step */
    Lone *lone;
    const SystemShape *home;
    uint32_t shape;
    View view;
    Workspace *workspace;
    size_t n, width, active; /* states; lanes; those in use stand first */
    bool loaded;             /* the parameters of the lanes are in the workspace */
    double *vectors;         /* all that follows */
    size_t nvector;          /* numbers in it */
    Trial trial;
    double *stage, *f, *f_t, *nominal;
    double *choices, *end_values, *middle_values; /* crossing by crossing */
    double *memory, *asked, *asked_inside; /* what is remembered; requests at the end of the step
                                              and in its middle, in its order */
    double *found;                         /* likewise guesses, see guess.c */
    double *h, *error, *times, *event_times, *size_x, *size_f, *steps, *stiffness;
    double *matrices, *moved, *changed, *step; /* rodas4 */
    uint32_t *pivots;
    StepPlan *plans;
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
    Bench *benches; /* by worker */
    Lone *lones;    /* by worker and shape */
    Strip *strips;
    Strip *stiff;  /* the same with rodas4, once a lane needs it; see ClocksSetup */
    bool switches; /* lanes may go over to them */
    LiederSolver stepping;
    Jacobian jacobian; /* patterns */
    bool timed;
    struct KeptLanes *kept; /* NULL: no component can end the run */
    double end;             /* when one did, or infinite */
    /* rows at hand */
    double *rows;
    size_t row_numbers, row_room, first_row, nrow, last_row;
    bool begun;
    double until; /* the time of the last one */
    const double **times;
    size_t reported[2]; /* warnings and errors */
};

/* rows of the grid, and a last one where the run ends */
static inline double clocks_row_time(const Clocks *c, size_t row)
{
    double last = c->end < c->setup.stop ? c->end : c->setup.stop;
    return row >= c->last_row ? last : c->setup.origin + (double)row * c->setup.interval;
}

/* ------------------------------------------------------------------ strip.c */

size_t strip_width(LiederSolver solver, const SystemShape *ss);
bool strip_create(Strip *s, Clocks *c, LiederSolver solver, int worker, uint32_t shape, Lone *lone);
void strip_drop(Strip *s);
/* uses generated code that has become ready */
void strip_refresh(Strip *s);
/* all lanes of a block up to the horizon */
LiederStatus strip_run(Strip *s, StripBlock *block, int worker);
/* choices and memory of the lane at place l, as the run has them now */
void strip_fetch_held(Strip *s, size_t l);
/* how lanes from place l on are seen */
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
