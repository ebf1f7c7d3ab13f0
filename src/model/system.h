/* system.h - a model with numbers: shapes with their programs, workspaces and parameters. */
#ifndef LIEDER_MODEL_SYSTEM_H
#define LIEDER_MODEL_SYSTEM_H

#include "model/lanes.h"

/* one settable number of a component, for all lanes of a shape */
typedef struct SlotValue {
    double value;
    double *lanes; /* nlane values if they differ, else NULL */
} SlotValue;

/* an unknown of a linear group: where it and its residual stand in the full record. The residual of
 * a free node's potential is the sum of flows: `residual` then counts the flows of the port. */
typedef struct UnknownPlace {
    uint32_t component, unknown, residual;
    uint32_t node; /* free node, or NOWHERE */
} UnknownPlace;

/* a choice between events, see CROSSING */
typedef struct CrossingRef {
    uint32_t component;
    const LiederMember *member;
} CrossingRef;

typedef struct Sparse Sparse; /* sparse.c */
typedef struct Net Net;       /* net.h */

/* A strip through generated code, see compile/evaluate.inc. Not LIEDER_DONE if a pivot is too small
 * or a derivative is not finite. */
typedef LiederStatus CompiledShape(const LiederStrip *strip, const double *x, size_t x_stride,
                                   double *dx, size_t dx_stride, size_t n);

typedef struct SystemShape {
    Shape *shape;
    Program lean, full;
    const LaneOps *lean_ops, *full_ops;
    LiederMethod method; /* TREE, SPARSE, PROBE or NET */
    size_t first_state;  /* in x: state s of lane l is x[first_state + s * nlane + l] */
    VEC(CrossingRef) crossings;
    size_t first_choice;      /* choice k of lane l is choices[first_choice + k * nlane + l] */
    VEC(uint32_t) slot_first; /* by component: first in slots */
    VEC(SlotValue) slots;
    bool lanes_differ;        /* some parameter differs between lanes */
    void *workspace, *record; /* lean: strip records; full: one */
    size_t workspace_bytes, record_bytes;
    int strip;                  /* records in the workspace */
    VEC(double) limit;          /* smallest admissible pivots, by unknown in the order of links */
    VEC(UnknownPlace) unknowns; /* probing: group by group */
    VEC(double) found;          /* probing: their values */
    double *dense;              /* probing: matrix and right-hand side of the largest group */
    size_t ndense;
    Sparse *sparse;
    CompiledShape *compiled; /* or NULL */
    void *library;           /* that holds it */
    Net *net;
} SystemShape;

/* where an instance of a sheet went */
typedef struct InstancePlace {
    uint32_t shape, batch, component;
} InstancePlace;

/* How jumps and choices are decided, see Call in component.h. */
typedef struct Moment {
    double decided;        /* NaN: at the time of evaluation */
    const double *choices; /* held; NULL: decided anew */
} Moment;

struct LiederSystem {
    Lieder *session;
    LiederSystemOptions options;
    Flat flat;
    ShapeList list;
    VEC(SystemShape) shapes;
    VEC(InstancePlace *) places; /* by sheet, then by instance */
    size_t nstate, nchoice;
    double *stages;    /* three vectors of the largest strip, for lieder_step */
    size_t stage_room; /* numbers in each */
    Moment moment; /* rows of a run are seen as the run sees them; decided NaN: at the time given */
};

/* whether one record serves all lanes: same parameters, and no choices that are held */
static inline bool shape_uniform(const SystemShape *ss)
{
    return !ss->lanes_differ && ss->crossings.n == 0;
}

#define SYSTEM_ALLOC(system) (&(system)->session->alloc)

/* evaluate.c */
LiederStatus workspace_prepare(SystemShape *ss, const LiederAllocator *alloc);
void workspace_refill(SystemShape *ss); /* after parameters changed */
/* The full layout is made when it is first needed: observers, probing, sparse, events, start
 * blocks. Before that ss->record is NULL. */
LiederStatus full_prepare(LiederSystem *system, SystemShape *ss);
/* Everything about one lane into ss->record: signals, potentials and, if wanted, flows. */
LiederStatus evaluate_lane(LiederSystem *system, SystemShape *ss, size_t lane, double t,
                           const double *x, bool flows);

/* A strip is lanes lane ... lane + n - 1 of a shape, n <= strip_width. Integrators take it through
 * many steps in a workspace of their own: fill, load, then evaluate as often as they like. State s
 * of the strip's l-th lane is x[s * stride + l]; choices are those of the whole system. */
size_t strip_width(const SystemShape *ss);
void strip_fill(SystemShape *ss, void *workspace); /* workspace_bytes, aligned to 64 */
void strip_load(SystemShape *ss, void *workspace, size_t lane, size_t n);
LiederStatus strip_evaluate(LiederSystem *system, SystemShape *ss, void *workspace, double t,
                            const Moment *moment, size_t lane, size_t n, const double *x,
                            size_t x_stride, double *dx, size_t dx_stride);
/* says which joint or derivative made strip_evaluate fail with these arguments; returns `failure`
 */
LiederStatus strip_explain(LiederSystem *system, SystemShape *ss, void *workspace, double t,
                           const Moment *moment, size_t lane, size_t n, const double *x,
                           size_t x_stride, double *dx, size_t dx_stride, LiederStatus failure);
/* values of the crossings and the choices that belong to them, as vectors of the whole system;
 * either may be NULL */
void strip_crossings(SystemShape *ss, void *workspace, double t, const Moment *moment, size_t lane,
                     size_t n, const double *x, size_t stride, double *values, double *choices);
/* runs the event block of one component in one lane; true if it has one. x and choices are those
 * of the system; choices hold the new sides. */
bool lane_event(SystemShape *ss, uint32_t component, size_t lane, double t, const Moment *moment,
                double *x);

LiederStatus find_start(LiederSystem *system, SystemShape *ss, double *x);
/* pivots at the start; reports joints without inertia */
LiederStatus check_pivots(LiederSystem *system, SystemShape *ss);
/* runs the plain linear blocks of the full record once: u -> residuals */
void linear_pass(const Program *p, const LiederStrip *strip, bool flows);
/* the strip of one record that holds the full layout */
LiederStrip full_strip(const SystemShape *ss, double t);
/* path of a component in a lane of a shape */
char *lane_path(const LiederSystem *system, const SystemShape *ss, uint32_t component, size_t lane,
                char *buffer, size_t size);

/* probe.c: the scheme of paper 003 */
LiederStatus probe_prepare(SystemShape *ss, const LiederAllocator *alloc);
bool probe_solve(SystemShape *ss, const LiederStrip *strip, uint32_t *culprit);

/* sparse.c */
LiederStatus sparse_create(SystemShape *ss, const LiederAllocator *alloc);
void sparse_destroy(SystemShape *ss, const LiederAllocator *alloc);
bool sparse_solve(SystemShape *ss, const LiederStrip *strip, uint32_t *culprit);

/* net.c: a shape of many small parts that coupling leaves hold together */
LiederStatus net_suits(const Shape *shape, const LiederAllocator *alloc, bool *suits);
LiederStatus net_create(LiederSystem *system, SystemShape *ss);
void net_destroy(SystemShape *ss, const LiederAllocator *alloc);
LiederStatus net_check(LiederSystem *system, SystemShape *ss);
void net_refill(SystemShape *ss); /* after parameters changed */
/* derivatives of one lane; x and dx as for strip_evaluate */
LiederStatus net_evaluate(LiederSystem *system, SystemShape *ss, double t, const Moment *moment,
                          size_t lane, const double *x, size_t x_stride, double *dx,
                          size_t dx_stride, uint32_t *culprit);
/* the unknowns of one lane into the full record */
LiederStatus net_observe(LiederSystem *system, SystemShape *ss, double t, const Moment *moment,
                         size_t lane, const double *x, size_t stride, uint32_t *culprit);
size_t net_bytes(const Net *net);
LiederIsa net_isa(const Net *net); /* the widest that its parts and ties use */

#endif
