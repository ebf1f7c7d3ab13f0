/* system.h - a model with numbers: shapes with their programs, workspaces and parameters. Types
 * first, then the functions file by file.
 *
 * The map of model/, in the order in which a model passes through its rooms; each header says more:
 *
 *   class/session.h         classes: members and ports, what blocks read and write (facts.c)
 *   description/describe.h  a model by ids: declarations, settings, connections
 *   description/model.h     the model as it is kept
 *   flat/flatten.h          native instances on sheets, numbers of parameters, connected ports
 *   shape/shape.h           equal subsystems found once: who drives whom, order of blocks, groups
 *   program/program.h       a shape laid out as a record, with its ops in order, for one
 *                           instruction set
 *   system/system.h         all shapes with numbers: SystemShape (values), Workspace (what a thread
 *                           writes); derivatives and observed variables from them (evaluate.c)
 *
 * Linear groups are solved in one of four ways: trees by ops of the program, with the complement
 * where flows close loops (program/lanes.h); networks by one sparse matrix and, as an oracle, any
 * group by probing (linear/linear.h); many small parts as a net (net/net.h).
 *
 * Beside this way: variables/variables.h names every variable by handles, change/structure.h changes
 * connections while a system lives, flat/share.c and flat/split.h give a rank its part.
 */
#ifndef LIEDER_MODEL_SYSTEM_H
#define LIEDER_MODEL_SYSTEM_H

#include "model/program/lanes.h"
#include "model/change/structure.h"
#include "model/variables/variables.h"

/* one settable number of a component, for all lanes of a shape */
typedef struct SlotValue {
    double value;
    double *lanes; /* nlane values if they differ, else NULL; at home those of a NumberList that the
                      model and other systems may hold as well, see own_lanes */
} SlotValue;

/* a number in which a component differs from the one whose slots it shares: see ncommon */
typedef struct SlotException {
    uint32_t component, slot;
    SlotValue value;
} SlotException;

/* an unknown of a linear group: where it and its residual stand in the full record. The residual of
 * a free node's potential is the sum of flows: `residual` then counts the flows of the port. */
typedef struct UnknownPlace {
    uint32_t component, unknown, residual;
    uint32_t node; /* free node, or NOWHERE */
} UnknownPlace;

/* a member of a component: a crossing, or memory, timer, request, history or guess */
typedef struct CrossingRef {
    uint32_t component;
    const LiederMember *member;
} CrossingRef;

typedef struct Sparse Sparse;         /* sparse.c: the plan, */
typedef struct SparseWork SparseWork; /* and the numbers of one thread */
typedef struct Net Net;               /* net.h: the plan, */
typedef struct NetWork NetWork;       /* and the numbers of one thread */

/* What one thread writes while it evaluates lanes of a shape. Everything else stays as it is
 * meanwhile: the plan (Shape, Program, Sparse, Net) and the values of parameters. */
typedef struct Workspace {
    double *strip;      /* lean: SystemShape.strip records, then their scratch area; nets: NULL */
    double *record;     /* full: one record and its scratch area; NULL until full_prepare */
    SparseWork *sparse; /* or NULL, as all that follow */
    double *dense;      /* probing: matrix and right-hand side of the largest group */
    double *found;      /* probing: the unknowns */
    NetWork *net;
    SlotValue *slots; /* parts of nets: parameters in the lane of the net at hand, in place of those
                         of the shape */
    size_t numbers;   /* ShapeValues.numbers when the records were filled */
} Workspace;

/* A strip through generated code, see compile/evaluate.inc. Not LIEDER_DONE if a pivot is too small
 * or a derivative is not finite. */
typedef LiederStatus CompiledShape(const LiederStrip *strip, const double *x, size_t x_stride,
                                   double *dx, size_t dx_stride, size_t n);

/* Numbers of the record that are 0, 1 or -1 for good, see known.c. */
typedef VEC(LiederKnown) KnownList;
typedef struct Known {
    KnownList places;
    size_t lanes; /* how many parameters differed between lanes when they were found, */
    bool differ;  /* and whether any did */
} Known;

/* The lists of the lean program with generated kernels for sequences of ops, see compile/fuse.c */
typedef struct Fused {
    OpList explicit_, reduce, solve;
    VEC(uint32_t) at;
} Fused;

/* where the energies of a lane stand, or what computes them: see energy.c */
typedef struct EnergyPart {
    enum EnergyKind {
        ENERGY_BLOCK,
        ENERGY_PORT,
        ENERGY_KINETIC, /* and on: a variable that a class declares, at `flows` */
        ENERGY_POTENTIAL,
        ENERGY_LOSS,
        ENERGY_FILTER
    } kind;
    LiederEnergyKernel *run;
    uint32_t component;
    uint32_t n, signals, potentials, flows;
} EnergyPart;

/* how a shape is evaluated: found once, by prepare.c */
typedef struct ShapePlan {
    Program lean, full; /* for derivatives; with all variables, see full_prepare */
    const LaneOps *lean_ops, *full_ops;
    LiederMethod method;        /* TREE, SPARSE, PROBE or NET */
    Sparse *sparse;             /* of the method of this name, else NULL */
    Net *net;                   /* likewise */
    VEC(UnknownPlace) unknowns; /* probing: group by group, */
    size_t ndense;              /* numbers of the largest group */
} ShapePlan;

/* What lanes hold between events, see held.c: choices, then memory, timers and requests. */
typedef struct ShapeHeld {
    VEC(CrossingRef) crossings;
    size_t first_choice;   /* choice k of lane l is choices[first_choice + k * nlane + l] */
    size_t nheld;          /* crossings of kind LIEDER_HELD */
    bool linear_crossings; /* some crossing is known after the linear solution only */
    VEC(CrossingRef) memories;
    size_t first_memory;     /* number k of lane l is memory[first_memory + k * nlane + l] */
    size_t nmemory;          /* of them those that blocks read */
    size_t nhistory, nguess; /* of these the histories, and where iterations begin */
    double *own_memory;      /* of the system */
    VEC(uint32_t) alert;     /* components with memory or timers: see lane_pass */
} ShapeHeld;

/* the numbers of its components, as the model and lieder_system_set have them */
typedef struct ShapeValues {
    VEC(uint32_t) slot_first; /* by component: first in slots */
    VEC(SlotValue) slots;
    uint32_t ncommon; /* slots before may belong to several components, of a net that is cut */
    VEC(SlotException) exceptions; /* of these, in the order of components and slots */
    bool lanes_differ;             /* some parameter differs between lanes */
    size_t numbers;                /* how often parameters have been set */
} ShapeValues;

/* generated code, or none (compile/compile.c), and the joined tape that it may be made of */
typedef struct ShapeCode {
    CompiledShape *compiled; /* or NULL */
    Fused fused;             /* or empty */
    void *library;           /* that holds what was compiled */
    Known known;             /* numbers that are folded into it */
    LiederJoined joined;     /* the lean program joined with known numbers folded in */
    Known joined_known;      /* which ones */
} ShapeCode;

/* of a guest: where its numbers are at home, see structure.h */
typedef struct ShapeGuest {
    size_t room;        /* for lanes; 0: the shape is no guest, it is at home */
    uint32_t *members;  /* parts: that of component c in lane l is members[l * components + c] */
    size_t *state_home; /* place in x of state s of lane l: state_home[s * room + l] */
    size_t *choice_home, *memory_home;
    double *slot_block; /* memory of the slots' lanes */
} ShapeGuest;

typedef struct SystemShape {
    Shape *shape;
    ShapePlan plan;
    size_t first_state; /* in x: state s of lane l is x[first_state + s * nlane + l], home_state */
    ShapeHeld held;
    ShapeValues values;
    ShapeCode code;
    ShapeGuest guest;
    Away away; /* lanes of a home shape that are evaluated elsewhere, or asleep */
    /* evaluation outside of threads */
    Workspace *workspace;             /* NULL: nothing to evaluate */
    size_t strip_bytes, record_bytes; /* of its parts */
    int strip;                        /* records in it */
    size_t width;                     /* most lanes of a strip, see choose_width */
    LiederStrip direct;               /* the workspace with all lanes on its first record, see
                                         lieder_system_derivatives */
    VEC(double) limit;        /* smallest admissible pivots, by unknown in the order of links */
    VEC(double) pivots;       /* room for as many */
    VEC(EnergyPart) energies; /* found when they are first needed, see energy.c */
    bool energies_known;
} SystemShape;

/* place of a state in x, and of a choice */
static inline size_t home_state(const SystemShape *ss, size_t s, size_t lane)
{
    return ss->guest.room ? ss->guest.state_home[s * ss->guest.room + lane]
                          : ss->first_state + s * ss->shape->nlane + lane;
}
static inline size_t home_choice(const SystemShape *ss, size_t k, size_t lane)
{
    return ss->guest.room ? ss->guest.choice_home[k * ss->guest.room + lane]
                          : ss->held.first_choice + k * ss->shape->nlane + lane;
}
static inline size_t home_memory(const SystemShape *ss, size_t k, size_t lane)
{
    return ss->guest.room ? ss->guest.memory_home[k * ss->guest.room + lane]
                          : ss->held.first_memory + k * ss->shape->nlane + lane;
}
/* How jumps and choices are decided, see Call in component.h. */
typedef struct Moment {
    double event_time;     /* NaN: the time of evaluation */
    const double *choices; /* held; NULL: decided anew */
    bool decides;          /* blocks decide all choices but those of kind LIEDER_HELD */
    bool initial, terminal;
    const double *memory; /* NULL: that of the system itself, its start values */
    /* For lanes with clocks of their own: time of evaluation and event time by lane of the strip
     * that is evaluated, readable as LiederStrip says; NULL: the same for all lanes. A shape that
     * is evaluated lane by lane takes the first. */
    const double *times, *event_times;
    /* For rows of such lanes, by shape and lane: event time; NaN: the lane has ended. */
    const double *const *clocks;
} Moment;

/* By state of the system; NULL where the model gives no attribute at all: see scales.c. */
typedef struct Scales {
    double *nominal, *min, *max;
    size_t bytes; /* of each */
} Scales;

struct LiederSystem {
    Lieder *session;
    LiederSystemOptions options;
    Flat flat;
    ShapeList list;
    VEC(SystemShape) shapes; /* at home, then guests */
    size_t nhome;
    VEC(Seat *) places; /* by sheet, then by Instance.held: where its first lane is at home */
    Structure structure;
    RowCounts rows; /* of the table of variables */
    size_t nstate, nchoice, nmemory;
    size_t nguess;     /* guesses in memory */
    bool cut;          /* its only shape is a net that ranks share: split.h */
    size_t cut_states; /* then, states of all ranks */
    size_t nheld;      /* choices of kind LIEDER_HELD */
    double *memory;    /* outside of runs: start values, nmemory of them */
    double *choices; /* outside of runs, found for each evaluation, and as many values of crossings
                        behind them; NULL without nheld */
    Scales scales;
    double *stages;    /* vectors of the largest strip: three for a step, one for guests */
    size_t stage_room; /* numbers in each */
    Moment moment;     /* how observers and lieder_system_derivatives decide; a run sets its own
                          while it hands out rows. event_time NaN: the time that is given */
};

/* whether one record serves all lanes: same parameters, and nothing that is held */
static inline bool shape_uniform(const SystemShape *ss)
{
    return !ss->values.lanes_differ && ss->held.crossings.n == 0 && ss->held.memories.n == 0;
}

#define SYSTEM_ALLOC(system) (&(system)->session->alloc)
enum { STAGE_VECTORS = 4, GUEST_WIDTH = 256 /* most lanes of a guest's strip */ };

/* ------------------------------------------------------------------ system.c: shapes and homes */

void system_shape_drop(SystemShape *ss, const LiederAllocator *alloc);
/* numbers that a stage vector has for a strip of this shape */
size_t stage_need(const SystemShape *ss);
/* whether some parameter differs between lanes; code for a whole shape depends on it */
void set_lanes_differ(SystemShape *ss, bool differ);
void forget_compiled(SystemShape *ss);
void fused_drop(Fused *fused, const LiederAllocator *alloc);
/* whether a shape runs as generated code */
static inline bool shape_compiled(const SystemShape *ss)
{
    return ss->code.compiled || ss->code.fused.at.n;
}

/* where the first lane of an instance is at home; shape NOWHERE: nowhere here */
Seat system_place(const LiederSystem *system, uint32_t sheet, uint32_t instance);
/* Home of a component: shape, component and lane; shape NOWHERE: an environment, or a component of
 * another rank. */
Seat home_seat(const LiederSystem *system, const LiederElement *element);
/* the batch that a lane belongs to, which counts the lanes of all ranks */
const Batch *batch_of_lane(const Shape *shape, size_t lane);

/* of all ranks */
size_t system_all_states(const LiederSystem *system);
/* whether a state of a shape is this rank's own, and not one of its halo */
bool owns_state(const LiederSystem *system, const Shape *shape, size_t s);
/* whether a component is this rank's own; environments are every rank's */
bool owns_element(const LiederSystem *system, const LiederElement *element);

/* as lieder_system_start, at another time than zero */
LiederStatus system_start(LiederSystem *system, double t, double *x);

/* flat/share.c: the lanes of each shape that this rank owns, see LiederRanks */
LiederStatus share_lanes(LiederSystem *system);
/* the lanes of a shape, counted over the whole model, that a rank owns */
void lanes_of_rank(const LiederSystem *system, const Shape *shape, int rank, size_t *first,
                   size_t *n);
static inline int rank_count(const LiederSystem *system)
{
    return system->options.ranks ? system->options.ranks->count : 1;
}

/* ------------------------------------------------------------------ prepare.c, program/known.c */

/* a shape with its lanes and numbers is made ready to be evaluated */
LiederStatus prepare_shape(LiederSystem *system, SystemShape *ss, size_t nlane);
/* what solves the linear half of a shape; LIEDER_METHOD_AUTO: as its structure asks for */
LiederStatus choose_method(const Shape *shape, LiederMethod wanted, const LiederAllocator *alloc,
                           LiederMethod *method);

/* false: memory ran out; whether known numbers hold with the parameters as they are now */
bool known_find(SystemShape *ss, const LiederAllocator *alloc, Known *to);
bool known_hold(const SystemShape *ss, const Known *known);

/* ------------------------------------------------------------------ slots.c, scales.c */

/* values of all slots of a shape, as one number or by lane; false: no memory */
bool slots_collect(LiederSystem *system, SystemShape *ss);
/* NULL: it has the number of those that share its slots */
const SlotValue *slot_exception(const SystemShape *ss, uint32_t component, uint32_t slot);
/* the number of a slot of a component */
static inline const SlotValue *slot_of(const SystemShape *ss, uint32_t component, uint32_t slot)
{
    uint32_t first = ss->values.slot_first.items[component];
    const SlotValue *exception = ss->values.exceptions.n && first < ss->values.ncommon
                                     ? slot_exception(ss, component, slot)
                                     : NULL;
    return exception ? exception : &ss->values.slots.items[first + slot];
}
static inline const SlotValue *slot_value(const SystemShape *ss, const ParameterPlace *p)
{
    return slot_of(ss, p->component, p->slot);
}
/* lanes between one number of a slot and the next one: what lanes are allocated for */
static inline size_t lane_room(const SystemShape *ss)
{
    return ss->guest.room ? ss->guest.room : ss->shape->nlane;
}

/* LIEDER_BAD_MODEL after reporting attributes that make no sense */
LiederStatus scales_create(LiederSystem *system);
void scales_drop(LiederSystem *system);
/* the size of a state at which an error of the tolerance is allowed */
static inline double state_nominal(const LiederSystem *system, size_t state)
{
    return system->scales.nominal ? system->scales.nominal[state] : 1;
}

/* ------------------------------------------------------------------ workspace.c */

/* the workspace of a shape that has its lean program or net, filled with its parameters */
LiederStatus workspace_prepare(SystemShape *ss, const LiederAllocator *alloc);
/* then what its method needs beside records */
LiederStatus workspace_add_method(LiederSystem *system, SystemShape *ss);
/* The full layout is made when it is first needed: observers, probing, sparse, events, start
 * blocks. Before that shape_is_full is false. */
LiederStatus full_prepare(LiederSystem *system, SystemShape *ss);
static inline bool shape_is_full(const SystemShape *ss)
{
    return ss->workspace && ss->workspace->record;
}

/* One more workspace of a shape that is ready, filled with its parameters; NULL: no memory.
 * record: with the full record, if the shape has one. workspace_destroy takes NULL, too. */
Workspace *workspace_create(LiederSystem *system, SystemShape *ss, bool record);
void workspace_destroy(const SystemShape *ss, Workspace *workspace, const LiederAllocator *alloc);
/* strip_bytes of a shape; a workspace with an empty strip alone; NULL: no memory */
void workspace_size(SystemShape *ss);
Workspace *workspace_begin(const SystemShape *ss, const LiederAllocator *alloc);
/* a copy of the shape's parameters in a workspace, which needs memory only where lists are new;
 * false: there is none */
bool slots_copy(const SystemShape *ss, Workspace *workspace, const LiederAllocator *alloc);
void slots_drop(const SystemShape *ss, Workspace *workspace, const LiederAllocator *alloc);

/* After a parameter got values by lane, or has none any more: the parameters that a strip loads
 * for its lanes, and the constant blocks that depend on them. No memory: the lists are as they
 * were. */
LiederStatus list_lanes(SystemShape *ss, const LiederAllocator *alloc);
/* after parameters changed; false: no memory, and the next evaluation tries again */
bool workspace_refill(SystemShape *ss);
/* after one number changed: its place, and the constant blocks that depend on it; false as above */
bool workspace_update(SystemShape *ss, uint32_t component, uint32_t slot);
/* The workspace of another thread after one of these, before it is used again; false: no memory. */
bool workspace_follow(SystemShape *ss, Workspace *workspace);

/* ------------------------------------------------------------------ evaluate.c: strips of lanes */

/* nvec records of a workspace, all lanes at time t */
LiederStrip workspace_strip(const SystemShape *ss, const Workspace *workspace, int nvec, double t);
/* the same for code that reads the first record for all lanes, see LiederJoinedRun */
LiederStrip uniform_strip(const SystemShape *ss, const Workspace *workspace, double t);
/* A strip is lanes lane ... lane + n - 1 of a shape, n <= ss->width. Integrators take it through
 * many steps in a workspace of their own: fill, load (workspace.c), then evaluate as often as they
 * like. State s of the strip's l-th lane is x[s * stride + l]; choices are those of the whole
 * system. */
void choose_width(SystemShape *ss);
void strip_fill(const SystemShape *ss, Workspace *workspace);
void strip_load(const SystemShape *ss, Workspace *workspace, size_t lane, size_t n);
LiederStatus strip_evaluate(LiederSystem *system, SystemShape *ss, Workspace *workspace, double t,
                            const Moment *moment, size_t lane, size_t n, const double *x,
                            size_t x_stride, double *dx, size_t dx_stride);
/* explain.c: reports which joint or derivative made strip_evaluate fail with these arguments;
 * returns `failure` */
LiederStatus strip_explain(LiederSystem *system, SystemShape *ss, Workspace *workspace, double t,
                           const Moment *moment, size_t lane, size_t n, const double *x,
                           size_t x_stride, double *dx, size_t dx_stride, LiederStatus failure);

/* A strip of the whole vectors x and dx: where its states stand, fetched into `buffer` if the shape
 * is a guest. The buffer holds two stage vectors; strip_return brings the derivatives home. */
typedef struct StripView {
    const double *x;
    double *dx;
    size_t stride;
} StripView;
StripView strip_view(const LiederSystem *system, const SystemShape *ss, size_t lane, size_t n,
                     const double *x, double *dx, double *buffer);
void strip_return(const SystemShape *ss, size_t lane, size_t n, const StripView *view, double *dx);

/* What is read beside derivatives, as vectors of the whole system; each may be NULL. */
typedef struct Readings {
    double *values, *choices; /* of the crossings */
    double *requests;         /* in the order of memory */
    double *delayed; /* by memory that is a history: the variable, then, each a vector of the whole,
                        its delay and the longest one */
    size_t nmemory;  /* of the system: how long these are */
    double *found;   /* by memory that is a guess: what the iteration has found */
} Readings;
void strip_read(SystemShape *ss, Workspace *workspace, double t, const Moment *moment, size_t lane,
                size_t n, const double *x, size_t stride, Readings to);

/* ------------------------------------------------------------------ evaluate.c: one lane in full */

/* the strip of one record that holds the full layout */
LiederStrip full_strip(const SystemShape *ss, double t);
/* Everything about one lane into the full record: signals, potentials and, if wanted, flows. */
LiederStatus evaluate_lane(LiederSystem *system, SystemShape *ss, size_t lane, double t,
                           const double *x, bool flows);
/* Loads one lane into the full record and runs its explicit blocks; x is that of the system. */
LiederStrip lane_explicit(LiederSystem *system, SystemShape *ss, size_t lane, double t,
                          const Moment *moment, const double *x);
/* runs the plain linear blocks of the full record once: u -> residuals */
void linear_pass(const Program *p, const LiederStrip *strip, bool flows);

/* explain.c: path of a component in a lane of a shape; returns buffer */
char *lane_path(const LiederSystem *system, const SystemShape *ss, uint32_t component, size_t lane,
                char *buffer, size_t size);
/* advice.c: what a domain of the model advises, or what holds for every domain; NULL: nothing */
const char *system_advice(const LiederSystem *system, LiederAdvice kind);

/* ------------------------------------------------------------------ start.c */

/* start values of all lanes of a shape */
LiederStatus find_start(LiederSystem *system, SystemShape *ss, double t, double *x);
/* start values of one lane, one after the other */
LiederStatus lane_start(LiederSystem *system, SystemShape *ss, size_t lane, double *x);
/* start values that start blocks find from signals: those in x that are NaN */
LiederStatus find_open_start(LiederSystem *system, SystemShape *ss, size_t lane, double t,
                             double *x, size_t stride);
/* whether start blocks solve equations or examine conditions */
bool shape_has_conditions(const Shape *shape);
/* Pivots of a lane at the start; reports joints without inertia. Those of the first lane limit the
 * others. */
LiederStatus check_pivots(LiederSystem *system, SystemShape *ss, size_t lane);
/* reports what is wrong with the pivot of a joint; returns LIEDER_BAD_MODEL */
LiederStatus report_pivot(LiederSystem *system, const SystemShape *ss, uint32_t component,
                          size_t lane, double pivot);
/* Whether the sign of the determinant of a lane's linear groups is that of its pivots; then that
 * sign at its states x (0: some pivot is not a number), and the component of the smallest pivot. */
bool shape_has_sign(const SystemShape *ss);
double pivot_sign(SystemShape *ss, size_t lane, double t, const double *x, uint32_t *component);

/* ------------------------------------------------------------------ held.c */

/* crossings and memories of a shape; false: no memory */
bool list_held(SystemShape *ss, const LiederAllocator *alloc);
/* own values of a system whose shapes are there; false: no memory */
bool held_create(LiederSystem *system);
void held_drop(LiederSystem *system);
/* start values; timers that are not set, requests that are not made */
void held_start(const LiederSystem *system, double *memory);
/* the choices of modes that a run begins with */
void held_first_choices(const LiederSystem *system, double *choices);
/* the start value of a component has changed */
void held_update(LiederSystem *system, const Seat *home, const LiederMember *m, double value);

/* Loads start values into a record of one lane, with all choices false: an earlier run may have
 * left its own. */
void held_load_start(const SystemShape *ss, const Program *p, const LaneOps *ops,
                     const LiederStrip *strip, size_t lane);
/* clears the histories in a record: those of an earlier run have ended with it */
void held_forget_past(const SystemShape *ss, const Program *p, const LaneOps *ops,
                      const LiederStrip *strip);

/* values of the crossings of one lane into the vector of all */
void lane_crossings(LiederSystem *system, SystemShape *ss, size_t lane, double t,
                    const Moment *moment, const double *x, double *values);
/* Runs the event block of one component in one lane; true if it has one. x and choices are those
 * of the system; choices hold the new sides. *moved becomes true if a state has changed. */
bool lane_event(LiederSystem *system, SystemShape *ss, uint32_t component, size_t lane, double t,
                const Moment *moment, double *x, bool *moved);
/* One pass over a lane: the event blocks of all components with memory or timers, from the same
 * numbers. Their new values are put into x and memory, which is that of the moment. */
typedef struct LanePass {
    bool memory, states;    /* something has changed */
    size_t trouble;         /* NO_TROUBLE, or which number of the lane is not one */
    unsigned char *changed; /* by memory of the system: becomes 1 where it did, or a request where
                               an event block made one */
} LanePass;
#define NO_TROUBLE ((size_t)-1)
void lane_pass(LiederSystem *system, SystemShape *ss, size_t lane, double t, const Moment *moment,
               double *x, double *memory, LanePass *pass);

/* For evaluations outside of runs: choices of held modes are found and put into the moment of the
 * system, unless it has some. held_leave takes them out again. */
LiederStatus held_enter(LiederSystem *system, double t, const double *x);
static inline void held_leave(LiederSystem *system)
{
    if (system->choices && system->moment.choices == system->choices)
        system->moment = (Moment){.event_time = system->moment.event_time};
}

/* ------------------------------------------------------------------ change: connections */

/* parts.c: where a component is evaluated now; shape NOWHERE if it sleeps */
Seat current_seat(const LiederSystem *system, const LiederElement *element);
/* the component that stands in a lane of a shape */
LiederElement element_at(const LiederSystem *system, const SystemShape *ss, uint32_t component,
                         size_t lane);
const LiederClassDef *def_of(const LiederSystem *system, const LiederElement *e);
/* The subsystem of a component that was never touched becomes parts. False: no memory, and nothing
 * has happened. */
bool make_parts(LiederSystem *system, const Seat *seat);
/* The lanes that are evaluated in a shape, in pieces of at most `most`: the next piece at or after
 * *lane, *n lanes long; false: there is none. */
bool lanes_next(const SystemShape *ss, size_t *lane, size_t *n, size_t most);
/* Zero for what no shape evaluates: states that sleep have no derivative, and choices no value. A
 * shape at home rests before guests write what is theirs. */
void rest_states(const LiederSystem *system, const SystemShape *ss, double *dx);
void rest_choices(const LiederSystem *system, double *values);

/* structure.c */
void structure_drop(LiederSystem *system);
size_t structure_bytes(const LiederSystem *system);
/* distinguishes two structures of a system */
uint64_t structure_hash(const LiederSystem *system);

/* ------------------------------------------------------------------ variables/observer.c */

/* the lane in which a watched value is found now; false: it sleeps */
bool observer_place(const LiederObserver *o, size_t index, uint32_t *shape, size_t *lane);
/* watches a real of the struct of a component that has no name; it does not depend on flows. The
 * index of its value, or -1: memory ran out. */
ptrdiff_t observer_watch_real(LiederObserver *o, const LiederElement *element, int index);

#endif
