/* strip.h - what clocks.c and strip.c share: all lanes, and a strip of lanes that step together. */
#ifndef LIEDER_SOLVE_STRIP_H
#define LIEDER_SOLVE_STRIP_H

#include "solve/clocks.h"

/* an event of a lane, to be handed out */
typedef struct LaneEvent {
    double t;
    size_t lane, state; /* state: where its numbers begin */
    LiederRow kind;
} LaneEvent;

/* lanes that one thread takes through a horizon, and what it has to tell */
typedef struct Block {
    Task task;
    VEC(LaneEvent) events;
    VEC(double) states;
    Diagnostics diag;
    size_t evaluations, jacobians; /* of lanes */
} Block;

/* threads store messages through it */
typedef struct MessageAllocator {
    pthread_mutex_t mutex;
    const LiederAllocator *alloc;
    LiederAllocator as_allocator;
} MessageAllocator;

/* A strip of lanes; see strip.c. All vectors are blocks of `width` lanes as onestep.h has them. */
typedef struct Strip {
    struct Clocks *c;
    Lone *lone;
    const SystemShape *home;
    uint32_t shape;
    View view;
    void *workspace;
    size_t n, width, active; /* states; lanes; those in use stand first */
    bool loaded;             /* the parameters of the lanes are in the workspace */
    double *vectors;         /* all that follows */
    size_t nvector;          /* numbers in it */
    Trial trial;
    double *stage, *f, *f_t, *nominal;
    double *choices, *end_values, *middle_values; /* crossing by crossing */
    double *h, *error, *times, *event_times, *size_x, *size_f, *steps;
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
    VEC(Block) blocks;
    MessageAllocator messages;
    Bench *benches; /* by worker */
    Lone *lones;    /* by worker and shape */
    Strip *strips;
    Jacobian jacobian; /* patterns */
    bool timed;
    /* rows at hand */
    double *rows;
    size_t row_numbers, row_room, first_row, nrow, last_row;
    bool begun;
    double until; /* the time of the last one */
    double (*row_time)(const struct Clocks *c, size_t row);
    const double **times;
    size_t told; /* messages */
};

size_t strip_width(const Clocks *c, const SystemShape *ss);
bool strip_create(Strip *s, Clocks *c, int worker, uint32_t shape, Lone *lone);
void strip_drop(Strip *s);
/* uses generated code that has become ready */
void strip_refresh(Strip *s);
/* all lanes of a block up to the horizon */
LiederStatus strip_run(Strip *s, Block *block);

#endif
