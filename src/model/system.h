/* system.h - a model with numbers: shapes with their programs, workspaces and parameters. */
#ifndef LIEDER_MODEL_SYSTEM_H
#define LIEDER_MODEL_SYSTEM_H

#include "model/lanes.h"

/* one settable number of a component, for all lanes of a shape */
typedef struct SlotValue {
    double value;
    double *lanes; /* nlane values if they differ, else NULL */
} SlotValue;

/* an unknown of a linear group: where it and its residual stand in the full record */
typedef struct UnknownPlace {
    uint32_t component, unknown, residual;
} UnknownPlace;

typedef struct Sparse Sparse; /* sparse.c */

typedef struct SystemShape {
    Shape *shape;
    Program lean, full;
    const LaneOps *lean_ops, *full_ops;
    LiederMethod method;   /* TREE, SPARSE or PROBE */
    bool direct;           /* no coupling leaves: reduce and solve are all */
    size_t first_state;    /* in x: state s of lane l is x[first_state + s * nlane + l] */
    VEC(uint32_t) slot_first; /* by component: first in slots */
    VEC(SlotValue) slots;
    bool lanes_differ;     /* some parameter differs between lanes */
    void *workspace, *record; /* lean: strip records; full: one */
    size_t workspace_bytes, record_bytes;
    int strip;             /* records in the workspace */
    VEC(double) limit;     /* smallest admissible pivots, by unknown in the order of links */
    VEC(UnknownPlace) unknowns; /* probing: group by group */
    VEC(double) found;          /* probing: their values */
    double *dense;         /* probing: matrix and right-hand side of the largest group */
    size_t ndense;
    Sparse *sparse;
} SystemShape;

/* where an instance of a sheet went */
typedef struct InstancePlace {
    uint32_t shape, batch, component;
} InstancePlace;

struct LiederSystem {
    Lieder *session;
    LiederSystemOptions options;
    Flat flat;
    ShapeList list;
    VEC(SystemShape) shapes;
    VEC(InstancePlace *) places; /* by sheet, then by instance */
    size_t nstate;
};

#define SYSTEM_ALLOC(system) (&(system)->session->alloc)

/* evaluate.c */
LiederStatus workspace_prepare(SystemShape *ss, const LiederAllocator *alloc);
void workspace_refill(SystemShape *ss); /* after parameters changed */
/* Everything about one lane into ss->record: signals, potentials and, if wanted, flows. */
LiederStatus evaluate_lane(LiederSystem *system, SystemShape *ss, size_t lane, double t,
                           const double *x, bool flows);
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

#endif
