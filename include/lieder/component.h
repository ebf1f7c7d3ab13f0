/* component.h - component classes written in C.
 *
 * A class is a plain struct of `real`, three kinds of functions on it ("blocks"), and a table with
 * the names of its members. The ports are arguments: triplets of signals, potentials and flows.
 *
 *   explicit  outward from the root: states and incoming signals -> outgoing signals. May be
 *             nonlinear. Everything it stores in the struct can be used by the other two. A class
 *             may have several, which run one by one as soon as what they read is there.
 *   outward   linear: incoming potentials and own unknowns -> outgoing potentials, derivatives
 *   inward    linear: outgoing flows, or for a leaf incoming potentials -> incoming flows,
 *             residuals
 *
 * and five rare ones: `constant` sees parameters only and runs once; `incoming` sees parameters and
 * incoming signals but no states and runs before explicit, once if these never change; `start` may
 * change the start values of states once all signals are known; `event` may change states when a
 * crossing of the component has just changed its sign (its choice is the new one), and memory;
 * `iterate` reads the potentials after a solution and may change what the linear blocks read.
 *
 * A domain without signals (electrical.h) has nothing that runs outward. Its components are leaves
 * and roots; a node without a root is free, and its potentials are unknowns with the sums of
 * flows as their equations.
 *
 * In any domain a leaf may have unknowns of its own and compute derivatives in its inward block, a
 * link may have several incoming ports, and a class may iterate; one sparse system solves such a
 * group. `iterate` returns zero where it has converged, and anything else has the group solved
 * again. The explicit block starts the search anew in every evaluation, so that the result depends
 * on time and states alone. A number that events alone change is MEMORY (below).
 *
 * A block touches its own struct and its own ports, nothing else. In the linear blocks every
 * term that contains no potential, flow or unknown stands in constant_term(...): the engine
 * obtains the affine law flow = F potential + f0 of a component by running its linear blocks on
 * unit inputs without the constant terms, and f0 by zero inputs with them. That is exact,
 * where a difference of two runs would cancel digits, and it is checked for every class when it
 * is registered.
 *
 * Ports come in the order: incoming (towards the root), outgoing, inputs, outputs. A link, which
 * takes motion in and passes it on, is written once from its first port `in` to its
 * second port `out`; if it is reversible the engine may exchange the two, and call.dir is then
 * -1. call.dir is a plain number: `if` and ?: are fine on it.
 *
 * After the blocks a class includes kernels.inc, which makes the loops over lanes out of them
 * (see there for the names to define), and describes itself in a LiederClassDef.
 * examples/own_component.c shows all of it on one page. Files with classes may be compiled
 * several times, with LIEDER_VARIANT=avx2 and -mavx2 -mfma for instance: each compilation
 * adds code for one instruction set to the same class.
 */
#ifndef LIEDER_COMPONENT_H
#define LIEDER_COMPONENT_H

#include <stddef.h>

#include <lieder/functions.h>
#include <lieder/lieder.h>
#include <lieder/real.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ what a block is given */

typedef struct Call {
    real time;         /* of each lane */
    real event_time;   /* time at which jumps are decided: the start of a step and a margin for
                          rounding; a stage at t + h must not see a jump at t + h */
    double dir;        /* +1, or -1 for a reversed link */
    double bias_scale; /* 1, or 0 while the engine probes without the constant terms */
    int hold;          /* 1: keep the choices made at the last event, see hold_choice */
    int initial;       /* 1: a pass of the first event, at the start of a run */
    int terminal;      /* 1: the last pass, at the end of a run */
} Call;

/* a term of a linear block that contains no potential, flow or unknown */
#define constant_term(x) ((x)*call.bias_scale)

/* A choice that an event-locating solver keeps between events: true where condition holds, written
 * to *choice as 1 or 0; while call.hold is set it is read from there. The class declares it as a
 * CROSSING, whose condition is value < 0. A choice of 2 means that events came too fast and that
 * the run holds the surface value = 0; a class that can rest there does so. */
LIEDER_INLINE mask hold_choice(Call call, mask condition, real *choice)
{
    if (call.hold)
        return (mask)(*choice > 0.5);
    *choice = choose(condition, 1.0, 0.0);
    return condition;
}

/* A table parameter: rows x columns, row by row; the same for all lanes. */
typedef struct LiederTable {
    size_t rows, columns;
    const double *data;
} LiederTable;
typedef union TableSlot {
    const LiederTable *table;
    real fill_;
} TableSlot;

/* ------------------------------------------------------------------ how it describes itself */

typedef enum LiederRole { LIEDER_IN, LIEDER_OUT } LiederRole;

typedef struct LiederPortDef {
    const char *name;
    const LiederDomain *domain;
    LiederRole role;
    bool optional; /* may stay open: an input is then zero, an outgoing port free of flow */
    const char *text;
} LiederPortDef;

#define PORT_IN(name_, domain_, text_)                                                             \
    {                                                                                              \
        .name = name_, .domain = &(domain_), .role = LIEDER_IN, .text = text_                      \
    }
#define PORT_OUT(name_, domain_, text_)                                                            \
    {                                                                                              \
        .name = name_, .domain = &(domain_), .role = LIEDER_OUT, .optional = true, .text = text_   \
    }
#define PORT_INPUT(name_, text_)                                                                   \
    {                                                                                              \
        .name = name_, .domain = &lieder_signal, .role = LIEDER_IN, .optional = true,              \
        .text = text_                                                                              \
    }
#define PORT_OUTPUT(name_, text_)                                                                  \
    {                                                                                              \
        .name = name_, .domain = &lieder_signal, .role = LIEDER_OUT, .optional = true,             \
        .text = text_                                                                              \
    }

/* How a crossing is compared with its choice. */
typedef enum LiederCrossingKind {
    LIEDER_EDGE, /* the value follows from time and states alone: its sign decides */
    LIEDER_MODE, /* the value is computed from equations that the choice is a part of: a choice that
                    has just changed is changed back only by a value that leaves a band about zero
                  */
    LIEDER_HELD /* a mode that no block decides: whatever call.hold says, the blocks read the choice
                   as the engine holds it. Fixed steps decide it anew at their boundaries */
} LiederCrossingKind;

/* What happens where a request is not zero. */
typedef enum LiederRequestKind {
    LIEDER_TERMINATE,     /* the run ends, and that is well */
    LIEDER_ASSERT_ERROR,  /* the run fails */
    LIEDER_ASSERT_WARNING /* reported once each time it begins */
} LiederRequestKind;

typedef struct LiederMember {
    LiederMemberKind kind;
    const char *name, *unit;
    int index;  /* position in the struct, counted in reals */
    int other;  /* state: derivative; unknown: residual; memory: its new value */
    int shown;  /* state: where an explicit block puts the number that is shown, 0: itself */
    int length; /* of a parameter: 1, n, or 0 for a table */
    int ndim;   /* of a parameter with several indices: how many, and the size of each, the */
    const size_t *sizes; /* last one fastest; length is their product. Else 0 and NULL */
    double fallback;     /* parameter: default; state, memory: start value; crossing of kind
                            LIEDER_HELD: the choice that a run begins with, 0 or 1 */
    double min, max;
    const char *environment, *other_name, *only_if;
    bool structural;
    bool linear; /* crossing: linear blocks compute its value */
    bool varies; /* history: its delay is no parameter */
    LiederCrossingKind crossing;
    LiederRequestKind request;
    LiederType type; /* of memory and observables; numbers all the same */
    bool by_observe; /* observable: of the block LiederKernels.observe */
    const char *text;
} LiederMember;

#define LIEDER_AT(class_, field) ((int)(offsetof(class_, field) / sizeof(real)))

/* admissible ranges */
#define ANY                .min = -INFINITY, .max = INFINITY
#define AT_LEAST(low)      .min = (low), .max = INFINITY
#define BETWEEN(low, high) .min = (low), .max = (high)

/* value NAN: must be set */
#define PARAMETER(class_, field, unit_, value, range_, text_)                                      \
    {                                                                                              \
        .kind = LIEDER_PARAMETER, .name = #field, .unit = unit_,                                   \
        .index = LIEDER_AT(class_, field),                                                         \
        .length = (int)(sizeof(((class_ *)0)->field) / sizeof(real)), .fallback = value, range_,   \
        .text = text_                                                                              \
    }
/* default taken from the parameter of the same name of the environment, in mechanics the World */
#define WORLD_PARAMETER(class_, field, unit_, range_, text_)                                       \
    {                                                                                              \
        .kind = LIEDER_PARAMETER, .name = #field, .unit = unit_,                                   \
        .index = LIEDER_AT(class_, field), .length = 1, .fallback = NAN, range_,                   \
        .environment = #field, .text = text_                                                       \
    }
/* a switch that decides what the class is made of: 0 or 1 */
#define SWITCH(class_, field, value, text_)                                                        \
    {                                                                                              \
        .kind = LIEDER_PARAMETER, .name = #field, .unit = "", .index = LIEDER_AT(class_, field),   \
        .length = 1, .fallback = value, .min = 0, .max = 1, .structural = true, .text = text_      \
    }
#define WORLD_SWITCH(class_, field, text_)                                                         \
    {                                                                                              \
        .kind = LIEDER_PARAMETER, .name = #field, .unit = "", .index = LIEDER_AT(class_, field),   \
        .length = 1, .fallback = NAN, .min = 0, .max = 1, .structural = true,                      \
        .environment = #field, .text = text_                                                       \
    }
#define TABLE(class_, field, unit_, text_)                                                         \
    {                                                                                              \
        .kind = LIEDER_PARAMETER, .name = #field, .unit = unit_,                                   \
        .index = LIEDER_AT(class_, field), .length = 0, .fallback = NAN, .min = -INFINITY,         \
        .max = INFINITY, .structural = true, .text = text_                                         \
    }
#define STATE(class_, field, derivative, unit_, start_, text_)                                     \
    {                                                                                              \
        .kind = LIEDER_STATE, .name = #field, .unit = unit_, .index = LIEDER_AT(class_, field),    \
        .other = LIEDER_AT(class_, derivative), .other_name = #derivative, .fallback = start_,     \
        .min = -INFINITY, .max = INFINITY, .text = text_                                           \
    }
/* a state that exists only where the switch is on */
#define STATE_IF(switch_, class_, field, derivative, unit_, start_, text_)                         \
    {                                                                                              \
        .kind = LIEDER_STATE, .name = #field, .unit = unit_, .index = LIEDER_AT(class_, field),    \
        .other = LIEDER_AT(class_, derivative), .other_name = #derivative, .fallback = start_,     \
        .min = -INFINITY, .max = INFINITY, .only_if = #switch_, .text = text_                      \
    }
#define UNKNOWN(class_, field, residual, unit_, text_)                                             \
    {                                                                                              \
        .kind = LIEDER_UNKNOWN, .name = #field, .unit = unit_, .index = LIEDER_AT(class_, field),  \
        .other = LIEDER_AT(class_, residual), .other_name = #residual, .text = text_               \
    }
#define OBSERVABLE(class_, field, unit_, text_)                                                    \
    {                                                                                              \
        .kind = LIEDER_OBSERVABLE, .name = #field, .unit = unit_,                                  \
        .index = LIEDER_AT(class_, field), .text = text_                                           \
    }
/* A choice by hold_choice: the sign of `value`, which the explicit block sets or which is an
 * unknown, decides; `choice` holds it; kind_ is LIEDER_EDGE or LIEDER_MODE. With LIEDER_HELD blocks
 * read `choice` without hold_choice. */
#define CROSSING(class_, value, choice, kind_, unit_, text_)                                       \
    {                                                                                              \
        .kind = LIEDER_CROSSING, .name = #value, .unit = unit_, .index = LIEDER_AT(class_, value), \
        .other = LIEDER_AT(class_, choice), .other_name = #choice, .crossing = kind_,              \
        .text = text_                                                                              \
    }

/* Memory: a discrete number of each lane, held between events. All blocks read `field`, which in a
 * pass of an event is what it was before; the event block sets `next`, which it is afterwards. With
 * memory or a timer the event block of a component runs in every pass of every event of its
 * subsystem, until nothing changes any more: see solve/events/events.c. */
#define MEMORY(class_, field, next, type_, unit_, start_, text_)                                   \
    {                                                                                              \
        .kind = LIEDER_MEMORY, .name = #field, .unit = unit_, .index = LIEDER_AT(class_, field),   \
        .other = LIEDER_AT(class_, next), .other_name = #next, .fallback = start_,                 \
        .min = -INFINITY, .max = INFINITY, .type = type_, .text = text_                            \
    }
/* The time of the component's next event, INFINITY if there is none. The event block sets it in
 * every pass. Adaptive solvers stop exactly there, fixed steps at their next boundary. */
#define TIMER(class_, field, text_)                                                                \
    {                                                                                              \
        .kind = LIEDER_TIMER, .name = #field, .unit = "s", .index = LIEDER_AT(class_, field),      \
        .text = text_                                                                              \
    }
/* A member by which an explicit or an event block ends the run or reports `message`: where it is
 * not zero, kind_ says what happens. It is read where a step has been accepted, after events, and
 * at the start. */
#define REQUEST(class_, field, kind_, message)                                                     \
    {                                                                                              \
        .kind = LIEDER_REQUEST, .name = #field, .unit = "", .index = LIEDER_AT(class_, field),     \
        .request = kind_, .text = message                                                          \
    }

/* The past of a variable: `field` holds its address, for the functions of history.h. Three reals
 * follow each other from `now` on, which explicit blocks set: the variable, the delay, and the
 * longest delay. type_ LIEDER_TYPE_REAL: it is kept step by step; else only events change it.
 * varies_: the delay is no parameter. A class with a history has an event block. */
#define HISTORY(class_, field, now, type_, varies_, text_)                                         \
    {                                                                                              \
        .kind = LIEDER_HISTORY, .name = #field, .unit = "", .index = LIEDER_AT(class_, field),     \
        .other = LIEDER_AT(class_, now), .varies = varies_, .type = type_, .text = text_           \
    }

/* Where the iteration for an unknown of a nonlinear system begins, as the distance from its start
 * value: blocks read `field`, which is zero at the start and then, wherever a step has been
 * accepted or an event has ended, becomes what explicit blocks have put into `found`: see
 * solve/events/guess.c. */
#define GUESS(class_, field, found, text_)                                                         \
    {                                                                                              \
        .kind = LIEDER_GUESS, .name = #field, .unit = "", .index = LIEDER_AT(class_, field),       \
        .other = LIEDER_AT(class_, found), .text = text_                                           \
    }

/* ------------------------------------------------------------------ what kernels.inc makes */

/* A strip of lanes: nvec records of `record` reals each. A record holds all variables of a shape
 * for LIEDER_LANES lanes. The type is the same for all instruction sets. */
typedef struct LiederStrip {
    void *base;
    void *scratch; /* nvec times the largest nscratch of the shape's classes, in reals, aligned like
                      the records; its content is lost between two calls */
    size_t record;
    int nvec;
    int hold, initial, terminal;
    double bias_scale;
    double time, event_time;
    /* Times of the lanes; NULL: `time` and `event_time` hold for all. Readable for whole registers:
     * up to the next multiple of LIEDER_TIMES beyond the last lane. */
    const double *times, *event_times;
} LiederStrip;
enum { LIEDER_TIMES = 16 };

/* the Call for a register of lanes, of which `lane` is the first */
LIEDER_INLINE Call lieder_call(const LiederStrip *strip, size_t lane)
{
    Call call = {.dir = 1,
                 .bias_scale = strip->bias_scale,
                 .hold = strip->hold,
                 .initial = strip->initial,
                 .terminal = strip->terminal};
    if (strip->times)
        __builtin_memcpy(&call.time, strip->times + lane, sizeof call.time);
    else
        call.time = real_splat(strip->time);
    if (strip->event_times)
        __builtin_memcpy(&call.event_time, strip->event_times + lane, sizeof call.event_time);
    else
        call.event_time = real_splat(strip->event_time);
    return call;
}

/* at[]: the places of an instance in the record, counted in reals: its struct, its save area (the
 * result of its elimination), and for each port signals, potentials, law and flows. A law has the
 * columns of F one after the other, then f0. */
enum { LIEDER_AT_SELF, LIEDER_AT_SAVE, LIEDER_AT_PORT, LIEDER_PER_PORT = 4 };
enum { LIEDER_SIGNALS, LIEDER_POTENTIALS, LIEDER_LAW, LIEDER_FLOWS };
enum { LIEDER_ALARM = 0 /* first real of a record */ };

/* A loop over the records of a strip, and what it works from: compiled C ignores `code`, an
 * interpreter finds its instructions there. run == NULL: the class has no such block. */
typedef void LiederKernel(const void *code, const LiederStrip *strip, const uint32_t *at, int add);
typedef struct LiederCode {
    LiederKernel *run;
    const void *code;
} LiederCode;

static inline void lieder_run(LiederCode code, const LiederStrip *strip, const uint32_t *at,
                              int add)
{
    code.run(code.code, strip, at, add);
}

/* What a component has of energy at a moment, in J, and what it does with it, in W: what dampers
 * and friction take, what the filter between the elastic and the kinetic regime takes, what comes
 * in from outside. The power of a component at its ports is, flows being positive into it,
 *
 *   p = sum f_el v_el + f_ki v = kinetic' + potential' + dissipated + filter - supplied
 *
 * and p summed over a model is zero. Without an energy block all of p counts as taken out:
 * supplied = -p; see model/system/energy.c. */
typedef struct Energy {
    real kinetic, potential, dissipated, filter, supplied;
} Energy;
enum { LIEDER_ENERGIES = 5 };
/* the energies of nvec records, one after the other, as `Energy` has them */
typedef void LiederEnergyKernel(const LiederStrip *strip, const uint32_t *at, void *energies);

/* bits of a variant of a kernel */
enum {
    LIEDER_REVERSED = 1, /* link: in is the second port; leaf: the answer at the second port */
    LIEDER_INERTIAL = 2, /* only the inertial columns of laws */
    LIEDER_OPEN = 4,     /* reduce: nothing that answers is connected to the ports from the third
                            on; solve: the outgoing potentials are not read */
    LIEDER_GROUNDED = 8, /* link: the potentials at `in` are known already; leaf: those at its
                            other port */
    LIEDER_VARIANTS = 16
};

/* The ops of a program in their order, of which LiederKernels.join makes one code. */
typedef struct LiederPart {
    LiederCode code;
    const uint32_t *at;
    int add;
} LiederPart;
typedef struct LiederKnown {
    uint32_t place; /* in the record */
    double value;   /* that it has for good */
} LiederKnown;
typedef struct LiederSequence {
    const LiederPart *parts;
    size_t n;
    uint32_t nreal;       /* of a record */
    uint32_t zero, nzero; /* an area of it that is always zero */
    const LiederKnown *known;
    size_t nknown;
    const uint32_t *states, *derivatives; /* their places, nstate of each */
    size_t nstate;
} LiederSequence;

/* The code of a whole sequence: from the states of n lanes to their derivatives. State s of lane l
 * stands at x[s * x_stride + l], and derivatives likewise. Of the records it reads what is no
 * state, and writes nothing there; `record == 0` in the strip: all lanes read the first one.
 * Scratch is there for nvec records. LIEDER_GAVE_UP: a pivot is too small, or a derivative may not
 * be finite. */
typedef LiederStatus LiederJoinedRun(const void *code, const LiederStrip *strip, const double *x,
                                     size_t x_stride, double *dx, size_t dx_stride, size_t n);
typedef struct LiederJoined {
    LiederJoinedRun *run;
    const void *code;
} LiederJoined;

typedef struct LiederKernels {
    const char *tag;    /* the struct's name in C */
    const char *source; /* library files: the name by which generated code includes them */
    const char *text;   /* or the class as C text, which generated code contains */
    LiederIsa isa;
    int lanes; /* per record */
    int nreal; /* of the struct */
    int nsave; /* reals that elimination needs: see kernels.inc */
    int nunknown, save_limit, save_pivot, save_flow, save_inverse;
    bool reversible;          /* as kernels.inc was given */
    const int *basic_signals; /* by port: a bit for each signal that is basic, see "port types"
                                 below; NULL: there are no `basic` kernels */
    int nscratch;             /* reals of LiederStrip.scratch per record */
    LiederCode constant, start, event, iterate;
    LiederCode incoming[2], explicit_[2], outward[2], inward[2]; /* [reversed] */
    LiederCode basic[2]; /* explicit with basic outgoing signals only */
    /* Observables that are not affine in forces and accelerations, such as the power of a force: on
     * a full record in which everything else is known. No other block reads them. */
    LiederCode observe[2];
    /* Further explicit blocks, nmore of them. Each runs as soon as what it reads is there, so that
     * the input of one may depend on the output of another through other components; one that
     * reads members which another sets stands behind it here. */
    const LiederCode (*more)[2];
    int nmore;
    LiederCode reduce[LIEDER_VARIANTS], solve[LIEDER_VARIANTS];
    LiederCode couple;
    LiederEnergyKernel *energy; /* on a full record with all flows; NULL: nothing is known */
    /* Classes of instructions: makes `code` ready for one op of a program, whose places are at[],
     * with nscratch reals of its record from `scratch` on. run == NULL: memory ran out. NULL: the
     * code is used as it is. */
    LiederCode (*link)(LiederCode code, const uint32_t *at, int add, uint32_t scratch,
                       const LiederAllocator *alloc);
    void (*unlink)(LiederCode code, const LiederAllocator *alloc);
    /* Classes of instructions: makes one code of a whole sequence, where all its ops have the same
     * `join`. It needs *nscratch reals of scratch per record. run == NULL: they stay apart, or,
     * where *nscratch < 0, memory ran out. NULL: the class cannot be joined. */
    LiederJoined (*join)(const LiederSequence *sequence, int *nscratch,
                         const LiederAllocator *alloc);
    void (*unjoin)(LiederJoined joined, const LiederAllocator *alloc);
} LiederKernels;

typedef enum LiederSystemKind {
    LIEDER_SYSTEM_LINEAR, /* a row is an unknown that nothing decides */
    LIEDER_SYSTEM_NONLINEAR,
    LIEDER_SYSTEM_CONDITION /* solves nothing. at_start: two values that have to be equal, the sides
                               of an initial equation; else one value that a run examines, see
                               equation/class/class_drift.c */
} LiederSystemKind;

/* A system of equations that a block solves: where its result stands, for messages. */
typedef struct LiederSystemDef {
    LiederSystemKind kind;
    bool at_start;             /* of the start block */
    int status;                /* real of the struct that is 0, or 1 + the row that failed */
    int values;                /* the first of nvalue reals with the values at the end */
    int nvalue;                /* of the first unknowns */
    int nequation;             /* before tearing */
    const char *const *names;  /* of all unknowns */
    const char *const *places; /* by row: where the equation stands in the text, or "" */
} LiederSystemDef;

typedef struct LiederClassDef {
    const char *name, *text;
    int nport, nmember;
    const LiederPortDef *ports;
    const LiederMember *members;
    const LiederKernels *kernels;
    bool uses_time; /* its explicit block reads call.time or call.event_time */
    /* For a leaf with two ports: whether the flow at one answers to the potentials of the other,
     * for these parameter values (in the order of the table). NULL: always. */
    bool (*couples)(const double *parameters);
    /* The next time after t at which something jumps or bends, INFINITY if there is none; table
     * is its first table parameter or NULL. NULL: never. Adaptive solvers stop there. */
    double (*next_time)(const double *parameters, const LiederTable *table, double t);
    /* Further checks on parameter values; NULL or a sentence. */
    const char *(*check)(const double *parameters);
    /* The same for each of its tables; *row is the row that is wrong, from 0. NULL: any rows. */
    const char *(*check_table)(const LiederTable *table, size_t *row);
    const LiederSystemDef *systems;
    int nsystem;
} LiederClassDef;

#define LIEDER_COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* Registers a class, or adds an instruction set to one that is registered already. */
LiederStatus lieder_class_register(Lieder *session, const LiederClassDef *definition);

/* ------------------------------------------------------------------ shared libraries */

/* A shared library gives its classes to a program (lieder_extension_load, lieder --load FILE.so) by
 * the symbol lieder_extension, which this line defines:
 *
 *   LIEDER_EXTENSION(&hard_spring, &soft_spring);
 *
 *   gcc -shared -fPIC -O2 own_component.c $(pkg-config --cflags lieder-class) -o own_component.so
 *
 * It must be built with the headers of the program that loads it: the version counts the changes of
 * what a class and its kernels look like in memory, and the sizes are compared as well. */
enum { LIEDER_EXTENSION_VERSION = 6 };
typedef struct LiederExtension {
    int version;
    unsigned sizes[6];                    /* of the structs that program and library share */
    const LiederClassDef *const *classes; /* ended by NULL */
} LiederExtension;
#define LIEDER_EXTENSION_SIZES                                                                     \
    {                                                                                              \
        sizeof(LiederClassDef), sizeof(LiederMember), sizeof(LiederPortDef),                       \
            sizeof(LiederKernels), sizeof(LiederDomain), sizeof(LiederStrip)                       \
    }
#define LIEDER_EXTENSION(...)                                                                      \
    static const LiederClassDef *const lieder_extension_classes[] = {__VA_ARGS__, NULL};           \
    extern const LiederExtension lieder_extension __attribute__((visibility("default")));          \
    const LiederExtension lieder_extension = {.version = LIEDER_EXTENSION_VERSION,                 \
                                              .sizes = LIEDER_EXTENSION_SIZES,                     \
                                              .classes = lieder_extension_classes}

/* ------------------------------------------------------------------ port types */

/* A port type T is a struct of reals in the order signals, potentials, flows of each regime, and an
 * enum with what kernels.inc needs of its domain (LiederDomain):
 *   T_NS, T_NP, T_NF, T_NR   nsignal, npotential, nflow, nregime
 *   T_INERTIAL               bits of the inertial potentials
 *   T_BASIC                  bits of the basic signals. Where a class computes its linear blocks
 *                            and its basic outputs from basic inputs alone (the engine tries that),
 *                            its other outputs are computed only if they are read. All bits: no
 *                            difference is made
 * This one is that of inputs and outputs; mechanics.h and electrical.h have others. */
typedef struct Signal {
    real y;
} Signal;
enum {
    Signal_NS = 1,
    Signal_NP = 0,
    Signal_NF = 0,
    Signal_NR = 1,
    Signal_INERTIAL = 0,
    Signal_BASIC = 1
};
extern const LiederDomain lieder_signal;

/* ------------------------------------------------------------------ variants of one source */

#ifndef LIEDER_VARIANT
#define LIEDER_SYMBOL(name) name
#else
#define LIEDER_PASTE_(a, b) a##_##b
#define LIEDER_PASTE(a, b)  LIEDER_PASTE_(a, b)
#define LIEDER_SYMBOL(name) LIEDER_PASTE(name, LIEDER_VARIANT)
#endif

#if LIEDER_LANES == 1
#define LIEDER_THIS_ISA LIEDER_ISA_SCALAR
#elif LIEDER_LANES == 2
#define LIEDER_THIS_ISA LIEDER_ISA_SSE2
#elif LIEDER_LANES == 4
#define LIEDER_THIS_ISA LIEDER_ISA_AVX2
#else
#define LIEDER_THIS_ISA LIEDER_ISA_AVX512
#endif

#ifdef __cplusplus
}
#endif
#endif
