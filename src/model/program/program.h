/* program.h - a shape laid out in memory for one instruction set, with its kernels in order.
 *
 * A record holds all variables of the shape for `lanes` lanes; a workspace holds `strip` records,
 * few enough to stay in the first-level cache. Evaluating a strip is: load states, run the
 * explicit kernels, reduce inward, solve outward, store derivatives. Kernels whose result never
 * changes run once, when the workspace is prepared.
 *
 * Two layouts come from the same builder. The lean one is for derivatives: laws and potentials
 * share memory as soon as they are used up, and nothing is computed that no derivative
 * needs. The full one keeps everything, with flows at every port, for observers and for the
 * probing and sparse methods.
 */
#ifndef LIEDER_MODEL_PROGRAM_H
#define LIEDER_MODEL_PROGRAM_H

#include "model/shape/shape.h"

typedef enum OpKind {
    OP_CONSTANT,
    OP_INCOMING, /* runs once if the incoming signals never change */
    OP_EXPLICIT, /* the first one, or one of `more` */
    OP_BASIC,    /* explicit with basic outgoing signals only */
    OP_OUTWARD,
    OP_INWARD,
    OP_REDUCE,
    OP_SOLVE,
    OP_OBSERVE
} OpKind;

typedef struct Op {
    LiederCode code;
    uint32_t at; /* into Program.at */
    uint32_t component;
    uint8_t kind, variant; /* LIEDER_REVERSED and so on */
    uint8_t add;
    bool linked;   /* code belongs to this op, see LiederKernels.link */
    uint32_t unit; /* of an explicit block */
} Op;

typedef VEC(Op) OpList;

/* a number that is copied into the record: parameter, start value or open input */
typedef struct ParameterPlace {
    uint32_t component, slot;
    uint32_t place; /* in the record, in reals */
} ParameterPlace;

/* one coupling leaf of a group: K_b (nf x 2np) and k0 stand at `save` */
typedef struct CoupledLeaf {
    uint32_t component;
    uint32_t save, potential[2];
    uint32_t np, nf;
    uint32_t column;  /* first of its nf columns in the complement */
    uint32_t path[2]; /* for each port: first of its links towards the root, in Complement.path */
    uint32_t npath[2];
} CoupledLeaf;

/* a link on the way inward, entered through one of its outgoing ports */
typedef struct LoopStep {
    uint32_t link; /* position in Complement.links */
    int port;
} LoopStep;

/* a link of such a group */
typedef struct LoopLink {
    uint32_t component;
    uint32_t inward, outward; /* at[] with the potentials at `in` zero; zero if grounded */
    uint32_t first_unknown;
    bool grounded;
} LoopLink;

/* the dense complement of one group with loops; see lanes.c */
typedef struct Complement {
    VEC(CoupledLeaf) leaves;
    VEC(LoopStep) path;     /* from the leaf inward */
    VEC(LoopLink) links;    /* outward */
    VEC(uint32_t) position; /* by component of the shape: position in links */
    uint32_t n;             /* order of the complement */
    uint32_t nunknown;
    uint32_t nflow;                  /* most flows of a port on a path */
    uint32_t matrix, response, base; /* in the record: n x (n+1); n x nunknown; nunknown */
    uint32_t flow;                   /* in the record: two times nflow */
} Complement;

/* Flows at an outgoing port are minus what the others at the node take: to = 0 - from for the first
 * of them, or to = to - from, `n` reals; from NOWHERE: to = 0. */
typedef struct FlowMove {
    uint32_t to, from, n;
    bool add;
} FlowMove;

typedef struct Program {
    const Shape *shape;
    const LiederAllocator *alloc;
    LiederIsa isa;
    int lanes; /* per record */
    bool full, loops;
    uint32_t nreal;             /* of a record */
    uint32_t nscratch;          /* reals per record that some kernel of the shape uses meanwhile */
    uint32_t zero, nzero;       /* an area of it that is always zero */
    VEC(uint32_t) at;           /* lists of places (at[] of component.h), one after the other */
    VEC(uint32_t) at_of;        /* by component: its list in `at`; ops may have a copy of it */
    VEC(uint32_t) signal_of;    /* by node: where its signals stand */
    VEC(uint32_t) potential_of; /* by node, full layout or grounded only */
    OpList constant, explicit_, reduce, solve;
    LiederJoined joined;      /* explicit, reduce and solve at once; run == NULL: they stay apart */
    OpList outward, inward;   /* plain runs, full layout: all roots and links; leaves and links */
    OpList observe;           /* full layout: of what follows from all these */
    VEC(FlowMove) moves;      /* before each op of `inward`, and those of roots at the end */
    VEC(uint32_t) move_first; /* by position in `inward`, then of the roots; one more */
    VEC(ParameterPlace) parameters;
    /* of parameters and constant ops those that lanes do not share, see list_lanes */
    VEC(ParameterPlace) lane_parameters;
    OpList lane_constant;
    VEC(uint32_t) state_place, derivative_place; /* by state: where it stands */
    VEC(Complement) complements;
} Program;

/* whether all classes of a shape have kernels for an instruction set */
bool shape_has_isa(const Shape *shape, LiederIsa isa);
/* the widest instruction set, at most `widest`, that machine and classes have and that the lanes
 * fill; AUTO: there is none */
LiederIsa shape_isa(const Shape *shape, LiederIsa widest, size_t nlane);

/* loops: with the complements, else coupling leaves are left to another method */
LiederStatus program_build(Program *program, const Shape *shape, LiederIsa isa, bool full,
                           bool loops, const LiederAllocator *alloc);
void program_drop(Program *program);
/* whether the interpreter is faster with the joined tape than with the ops apart */
bool program_joins(const Program *program);
/* All ops of explicit, reduce and solve as one code (LiederJoinedRun); `known`: numbers that hold
 * for some places. run == NULL: some class has no tapes, there are loops, or, where *nscratch < 0,
 * memory ran out. */
LiederJoined program_join(const Program *program, const LiederKnown *known, size_t nknown,
                          int *nscratch);
void program_unjoin(const Program *program, LiederJoined *joined);
/* whether ops of classes that are made of instructions get code of their own */
bool program_links(const Program *program);
/* makes it, with slots in the record from `scratch` on; false: no memory */
bool program_link(Program *program, uint32_t scratch);
void program_unlink(const Program *program);
/* length of the area at at[k]; 0: the op does not use it */
uint32_t op_area(const Program *program, const Op *op, uint32_t k);
/* all areas of the record that the kernel of an op may read or write */
typedef void PlaceVisit(void *user, uint32_t first, uint32_t n);
void op_places(const Program *program, const Op *op, PlaceVisit *visit, void *user);
size_t program_bytes(const Program *program);

static inline const LiederKernels *kernels_of(const Program *program, const Component *c)
{
    return c->class_->kernels[program->isa];
}
/* columns and constant of a law */
static inline uint32_t law_size(const LiederDomain *d)
{
    return (uint32_t)(d->nflow * (d->npotential + 1));
}
/* length of at[] */
static inline uint32_t at_length(const Component *c)
{
    return LIEDER_AT_PORT + LIEDER_PER_PORT * (uint32_t)c->class_->def->nport;
}
static inline const uint32_t *at_of(const Program *program, uint32_t component)
{
    return program->at.items + program->at_of.items[component];
}

#endif
