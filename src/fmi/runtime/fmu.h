/* fmu.h - the parts of an exported model, and the map of the code that runs it.
 *
 *   fmu.c       all files below that are not generated, and model.c: one text for the compiler
 *   model.c     generated: rows of variables, shapes, solver and step; model.h: which FMI
 *   shape_N.c   generated: blocks of one shape, its lists of ops, its function from x to dx
 *   values.c    an instance: numbers of parameters, records, variables by row
 *   evaluate.c  derivatives, variables, event indicators
 *   events.c    events: states, memory and modes that jump; requests
 *   late.c      instants between two steps, which co-simulation reports
 *   history.c   the past of delayed variables
 *   sparse.[ch] groups that elimination along a tree does not solve, with model/linear/lu.c
 *   step.c      explicit Runge-Kutta steps, as lieder simulate takes them, bit for bit
 *   state.c     copies of all that changes, as objects and as bytes
 *   fmi2.c or fmi3.c   the interface: order of calls, logging
 *
 * A shape is a set of connected components; its lanes are equal copies of it. State s of lane l
 * stands at x[first_state + s * nlane + l]. A record holds all variables of one lane. Two layouts *
 * come from the same shape: the full one has everything, and its lists of ops compute it; the lean
 * one has the numbers that the function from x to dx reads. That function contains some numbers as
 * constants (`known`); as soon as one of them is set to another value, the lists of the full layout
 * are used instead.
 *
 * Everything is compiled as if numbers were finite, so that zeros fold; whether they are is checked
 * by their bits. Contraction of products and sums is forbidden: it would change the bits. */
#ifndef LIEDER_FMU_H
#define LIEDER_FMU_H

#ifndef FMI_VERSION
#include "model.h" /* generated: FMI_VERSION; FMU_EVENTS if some shape has event blocks */
#endif

#include "compile/options.inc"
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC optimize("fp-contract=off")
#endif
#ifndef LIEDER_LANES
#define LIEDER_LANES 1
#endif
#define LIEDER_BLOCKS_ONLY

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <lieder/component.h>

#include "kinds.h"

#define FMU_NOWHERE 0xffffffffu

/* ------------------------------------------------------------------ a shape */

/* the function of an op: short rather than fast, since steps use FmuFunction */
#ifdef __clang__
#define FMU_OP static __attribute__((minsize)) void
#else
#define FMU_OP static __attribute__((optimize("Os"))) void
#endif
/* functions of every step, which are fast; the rest of the runtime is short rather than fast */
#ifdef __clang__
#define FMU_STEP
#else
#define FMU_STEP __attribute__((optimize("O2")))
#endif
typedef void FmuRun(real *rec, const uint32_t *at, Call call);
typedef struct FmuOp {
    FmuRun *run;
    uint32_t at;     /* into at[] of the layout */
    uint32_t gather; /* into gathers[]: flows that are summed before, or FMU_NOWHERE */
} FmuOp;
typedef struct FmuList {
    const FmuOp *ops;
    size_t n;
} FmuList;

typedef struct FmuNumber {
    uint32_t place;
    double value;
} FmuNumber;
typedef struct FmuTablePlace {
    uint32_t place;
    const LiederTable *table;
} FmuTablePlace;

typedef struct FmuLayout {
    uint32_t nreal;
    const uint32_t *at;
    FmuList constant;
    const uint32_t *slot_place; /* by slot: the place of its number, or FMU_NOWHERE */
    const FmuNumber *limits;    /* smallest admissible pivots */
    size_t nlimit;
    const FmuTablePlace *tables;
    size_t ntable;
    const uint32_t *choice_place; /* by crossing */
} FmuLayout;

typedef struct FmuSlotInfo {
    double value, min, max;
    const double *lanes; /* where they differ, or NULL */
    bool input;          /* blocks that read it run in every evaluation */
} FmuSlotInfo;

/* a component with events of time: when the next one is */
typedef struct FmuTimed {
    double (*next)(const double *numbers, const LiederTable *table, double t);
    uint32_t slot, nslot; /* its numbers */
    const LiederTable *table;
} FmuTimed;

/* A number of memory of each lane: blocks read the places `full` and `lean`, the event block sets
 * `next`. Of a timer `next` is `full`: the time of the next event. Of a past the number is an
 * address, and `next` the first of three numbers: variable, delay, longest delay. */
typedef struct FmuMemory {
    uint32_t full, next, lean;
    uint32_t slot;         /* its start value */
    uint8_t kind;          /* FmuMemoryKind */
    bool stepwise, varies; /* of a past: only events change it; its delay is no parameter */
} FmuMemory;

/* the event block of a component; alert: it runs in every pass, since it has memory or timers */
typedef struct FmuEvent {
    FmuRun *run;
    uint32_t at;
    bool alert;
} FmuEvent;

/* a number that is not zero where a component ends the run or finds a condition violated */
typedef struct FmuRequest {
    uint32_t place;
    LiederRequestKind kind;
    const char *text;
} FmuRequest;

/* a strip of lanes from states to derivatives, see compile/evaluate.inc */
typedef LiederStatus FmuFunction(const LiederStrip *strip, const double *x, size_t x_stride,
                                 double *dx, size_t dx_stride, size_t n);

typedef struct FmuShape {
    size_t nlane, nstate, nslot, ncrossing;
    size_t nmode,
        nheld; /* crossings whose choices the equations depend on; that no block decides */
    bool linear_crossings; /* crossings are known after the linear groups */
    bool scales;           /* the importer may choose the number of lanes */
    const FmuSlotInfo *slots;
    const uint32_t *start_slot; /* by state: its start value */
    FmuLayout lean, full;
    FmuFunction *function; /* or NULL */
    const FmuNumber *known;
    size_t nknown;
    /* full layout */
    FmuList explicit_, reduce, solve, outward, inward, start;
    void (*complement)(real *rec, Call call); /* or NULL */
    const struct FmuSparse *sparse;           /* or NULL, see sparse.h */
    bool general; /* no tree: crossings may depend on the solution, derivatives on flows */
    const uint32_t *gathers;      /* {to, n, k, from 1 ... from k} */
    const uint32_t *last_gathers; /* of the roots, in gathers; ended by FMU_NOWHERE */
    const uint32_t *state_place, *derivative_place;
    const uint32_t *crossing_place;
    const uint8_t *crossing_kind; /* LiederCrossingKind */
    const uint8_t *first_choice;  /* by crossing: the choice with which a run begins */
    const FmuTimed *timed;
    size_t ntimed;
    /* events */
    const FmuMemory *memories;
    const FmuEvent *events;
    const FmuRequest *requests;
    size_t nmemory, nevent, nrequest, nguess;
    const uint32_t *crossing_event; /* by crossing: the event block that runs when it changes */
    const uint32_t *state_event;    /* by state: the event block that may set it */
} FmuShape;

/* ------------------------------------------------------------------ variables */

/* Elements of a row: number i stands at place + i % length of lane + i / length. */
typedef struct FmuPiece {
    uint32_t shape, place;
    uint32_t lane, length, n;
} FmuPiece;

typedef struct FmuRow {
    uint8_t kind, type;
    bool input, settable;   /* settable: parameters, inputs, start values */
    bool scales;            /* an element for each lane of shapes that scale */
    uint32_t piece, npiece; /* in fmu_pieces */
    uint32_t n;             /* elements */
} FmuRow;

/* generated, see model.c */
extern const char fmu_token[], fmu_model[];
extern const FmuShape *const fmu_shapes[];
extern const size_t fmu_nshape;
extern const FmuRow fmu_rows[]; /* the first is the time */
extern const size_t fmu_nrow;
extern const size_t fmu_lanes,
    fmu_most_lanes; /* of shapes that scale: exported, at most (0: any) */
extern const FmuPiece fmu_pieces[];
extern const double fmu_constants[];
extern const uint32_t fmu_state_rows[], fmu_crossing_rows[];
extern const size_t fmu_nstate_row, fmu_ncrossing_row;
extern const double *const fmu_nominals; /* by state of x, or NULL: 1 */
extern const int fmu_solver;             /* 1 ... 4: rk1 ... rk4 */
extern const double fmu_step;

/* ------------------------------------------------------------------ an instance */

typedef struct ShapeValues {
    const FmuShape *shape;
    size_t nlane;
    size_t first_state, first_choice, first_memory, first_mark;
    double *slots;                /* numbers */
    double **lanes;               /* by slot: nlane numbers if they differ, else NULL */
    size_t differ;                /* slots with such numbers, but for start values */
    double *lean, *full;          /* records; lean NULL without function */
    size_t loaded;                /* the lane whose numbers are in the records; SIZE_MAX: none */
    bool stale;                   /* numbers have changed: constants must be computed again */
    bool folded;                  /* the numbers that the function has folded in hold */
    size_t seen;                  /* the lane in the full record, with all flows; SIZE_MAX: none */
    struct SparseNumbers *sparse; /* or NULL */
} ShapeValues;

typedef struct Past Past;
typedef struct Values {
    ShapeValues *shapes;
    size_t lanes; /* of shapes that scale */
    size_t nstate, nchoice, nmemory, nmark, nmode;
    double *memory;     /* number k of a lane at first_memory + k * nlane + lane */
    struct Past *pasts; /* see history.c */
    size_t npast;
    double *before;       /* states at the begin of a step, and room for three such vectors */
    double *marks;        /* of crossings and requests, see events.c; placed like memory */
    unsigned char *moved; /* by choice, see events.c */
    bool set_states;      /* an event block has, in the last event */
    bool reported_late, reported_jump; /* each is reported once */
    double t, event_time;
    double next;                        /* time event in model exchange; 1e308: none */
    bool hold;                          /* choices of the last event hold: model exchange */
    double *x, *dx, *choices, *scratch; /* scratch: nstate + nchoice */
    double *walk;                       /* vectors of a strip, see step.c */
    size_t walk_room;
    bool has_dx;    /* dx belongs to t, x and the numbers */
    bool at_start;  /* x follows from start values */
    bool has_start; /* x was computed from start values */
    bool ends;      /* a component has ended the run */
    void (*warn)(void *user, const char *message);
    void *user;
    /* grid of steps: t = origin + counter * fmu_step */
    double origin;
    size_t counter;
    char wrong[256]; /* what failed last */
} Values;

/* NaN and infinities, by their bits */
static inline bool fmu_finite(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits & 0x7ff0000000000000u) != 0x7ff0000000000000u;
}
static inline bool fmu_nan(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits & 0x7fffffffffffffffu) > 0x7ff0000000000000u;
}

/* ------------------------------------------------------------------ values.c */

Values *values_create(size_t lanes); /* NULL: no memory */
/* changes the number of lanes; other parameters stay. False: v->wrong is the reason */
bool values_resize(Values *v, size_t lanes);
static inline size_t row_count(const Values *v, const FmuRow *row)
{
    return row->scales ? v->lanes : row->n;
}
static inline size_t piece_count(const Values *v, const FmuRow *row, const FmuPiece *p)
{
    return row->scales ? v->lanes : p->n;
}
void values_destroy(Values *v);
void values_reset(Values *v); /* as created */
/* the row of a value reference, and the first element if rows have one reference for each
 * (FMI 2); NULL: there is none */
const FmuRow *row_of(uint32_t reference, uint32_t *element);
/* elements first ... first + n - 1 of a row; false: v->wrong */
bool row_get(Values *v, const FmuRow *row, size_t first, size_t n, double *to);
bool row_set(Values *v, const FmuRow *row, size_t first, size_t n, const double *from);
/* after t or x was written */
void values_moved(Values *v);
/* numbers and constants of a lane into the records */
void lane_load(ShapeValues *s, size_t lane);
double slot_value(const ShapeValues *s, size_t slot, size_t lane);
/* does events.c handle the events of the shape? Else its blocks decide their choices */
static inline bool takes_part(const Values *v, const FmuShape *shape)
{
    return shape->nevent || shape->nheld || (v->nmode && shape->ncrossing);
}
/* numbers that events.c keeps of a lane */
enum { BOUNCE_NUMBERS = 7 };
static inline size_t mark_count(const FmuShape *shape)
{
    return (shape->nmode ? 3 * shape->ncrossing + 1 : 0) +
           (shape->nevent ? BOUNCE_NUMBERS * shape->ncrossing : 0) + shape->nrequest;
}
/* x in the order of the state rows, and back */
void states_get(const Values *v, const double *x, double *to);
bool states_set(Values *v, const double *from);

/* whether a slot is the start value of a state */
bool slot_is_start(const FmuShape *shape, size_t slot);

/* ------------------------------------------------------------------ evaluate.c */

static inline Call call_at(double t, double event_time, bool hold)
{
    return (Call){.time = t, .event_time = event_time, .dir = 1, .bias_scale = 1, .hold = hold};
}
/* numbers, states, memory and choices of a lane into the full record, then the explicit blocks, and
 * the linear groups if crossings depend on them */
void lane_explicit(Values *v, ShapeValues *s, size_t lane, const double *x, size_t stride,
                   Call call);

/* sets x to the start values; false: v->wrong */
bool start_find(Values *v);
/* n lanes; x and dx: state s of the l-th lane at s * stride + l */
bool lanes_derivatives(Values *v, ShapeValues *s, double t, double event_time, size_t lane,
                       size_t n, const double *x, size_t x_stride, double *dx, size_t dx_stride);
bool derivatives_update(Values *v); /* dx at t */
/* everything about a lane into the full record */
bool lane_observe(Values *v, ShapeValues *s, size_t lane);
/* choices of shapes without event blocks, by v->x; true: one has changed */
bool choices_decide(Values *v);
bool choices_decide_at(Values *v, double t, double event_time);
/* event indicators with the choices that hold, by shape */
bool crossings_get(Values *v, double *to);
double next_time(const Values *v, double t);
/* sensitivity of n numbers to m numbers along a seed */
typedef struct Direction {
    const uint32_t *unknowns, *knowns; /* value references */
    size_t nunknown, nknown;
    const double *seed;
    size_t nseed;
    double *to;
    size_t nto;
} Direction;
bool direction_get(Values *v, const Direction *d);

/* ------------------------------------------------------------------ events.c */

/* events of an FMU; models without events have none */
typedef struct FmuEvents {
    bool (*create)(Values *v); /* false: no memory */
    void (*drop)(Values *v);
    void (*before_step)(Values *v);
    bool (*after_step)(Values *v, double from); /* and what `handle` does */
    /* pasts in copies of the state */
    size_t (*pasts_size)(const Values *v);
    double *(*pasts_write)(const Values *v, double *to);
    const double *(*pasts_read)(Values *v, const double *from);               /* NULL: no memory */
    size_t (*pasts_length)(const Values *v, const double *numbers, size_t n); /* > n: wrong */
    /* before a run: sets memory and modes to their start values; finds the modes that fit to x */
    void (*prepare)(Values *v, ShapeValues *s, size_t lane);
    bool (*settle)(Values *v);
    /* the begin of a run: event blocks run with `initial` and without */
    bool (*start)(Values *v);
    /* events at v->t, decided at v->event_time, of lanes with contradicted choices or timers that
     * are due; false: v->wrong */
    bool (*handle)(Values *v, bool *changed);
    /* model exchange: a step has been accepted; false: v->wrong */
    bool (*accept)(Values *v);
    double (*next_time)(const Values *v, double t); /* the next timer after t, or INFINITY */
    /* where the indicator of a choice has its zero */
    double (*surface)(const Values *v, const ShapeValues *s, size_t crossing, size_t lane);
} FmuEvents;
extern const FmuEvents fmu_event_functions;
extern const FmuEvents *const fmu_events; /* generated: these, or NULL */

/* ------------------------------------------------------------------ sparse.c */

/* in the FMUs of models that have sparse systems */
typedef struct FmuSparseFunctions {
    struct SparseNumbers *(*create)(const struct FmuSparse *sparse); /* NULL: no memory */
    void (*drop)(struct SparseNumbers *numbers);
    /* unknowns, potentials and flows into the full record; NULL, or what is wrong */
    const char *(*solve)(const ShapeValues *s, Call call);
} FmuSparseFunctions;
extern const FmuSparseFunctions fmu_sparse_functions;
extern const FmuSparseFunctions *const fmu_sparse; /* generated: these, or NULL */

/* ------------------------------------------------------------------ late.c */

/* after steps of size h from `from` to v->t, before the events there */
typedef void FmuLate(Values *v, double from, double h);
void late_check(Values *v, double from, double h);
extern FmuLate *const fmu_late; /* generated: late_check, or NULL where nothing has instants */

/* ------------------------------------------------------------------ history.c */

bool pasts_create(Values *v);
void pasts_drop(Values *v);
/* each false: v->wrong */
bool pasts_begin(Values *v);
bool pasts_step(Values *v, double from, double t, double decided);
bool pasts_event(Values *v);
/* as a number of memory */
double past_address(const Values *v, const ShapeValues *s, size_t number, size_t lane);
bool past_is_due(const Values *v, double handle);
size_t pasts_size(const Values *v);
double *pasts_write(const Values *v, double *to);
const double *pasts_read(Values *v, const double *from);
size_t pasts_length(const Values *v, const double *numbers, size_t n);

/* ------------------------------------------------------------------ step.c */

#define STEP_MARGIN 1e-9 /* times up to this part of a step behind its start count as its start */
enum { STRIP_NUMBERS = 512, WALK_VECTORS = 3 };
/* n steps of size h of the grid origin + i h, from step `first` */
bool steps_take(Values *v, double origin, size_t first, size_t n, double h);
/* steps up to time t; calls `stepped` (may be NULL) after each, which returns false to stop
 * there */
typedef bool Stepped(void *user, double t);
bool advance_to(Values *v, double t, Stepped *stepped, void *user);

/* the phase of an instance; sets of phases are bits */
typedef enum Phase {
    PHASE_INSTANTIATED = 1,
    PHASE_INITIALIZATION = 2,
    PHASE_EVENT = 4,
    PHASE_CONTINUOUS = 8,
    PHASE_STEP = 16,
    PHASE_TERMINATED = 32,
    PHASE_ERROR = 64,
    PHASE_SETUP = 128, /* FMI 2: the times of the experiment are given */
    PHASE_CONFIGURATION = 256,
    PHASE_ANY = 0x1ff & ~PHASE_ERROR
} Phase;
#define no_exchange "a model with delays steps itself: it is for co-simulation alone"
/* the name of a phase, for messages */
const char *phase_name(int phase);
/* whether this processor has the instructions that the binary was compiled for; else what is wrong
 */
const char *binary_problem(void);
/* the phases in which a variable may be set */
static inline int phases_to_set(const FmuRow *row)
{
    const int before = PHASE_INSTANTIATED | PHASE_SETUP | PHASE_INITIALIZATION;
    return row->kind == FMU_LANES   ? PHASE_CONFIGURATION
           : !row->settable         ? 0
           : row->kind == FMU_STATE ? before
           : row->input             ? before | PHASE_EVENT | PHASE_CONTINUOUS | PHASE_STEP
                                    : before | PHASE_EVENT | PHASE_STEP;
}

/* ------------------------------------------------------------------ state.c */

typedef struct Kept Kept;
Kept *kept_take(const Values *v, Kept *old, int phase); /* NULL: no memory */
int kept_phase(const Kept *kept);
bool kept_restore(Values *v, const Kept *kept); /* false: no memory */
void kept_free(Kept *kept);
size_t kept_size(const Kept *kept);
void kept_write(const Kept *kept, unsigned char *to);
Kept *kept_read(const unsigned char *from, size_t n); /* NULL: of another model, or no memory */

#endif
