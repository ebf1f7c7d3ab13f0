/* shape.h - what is found once about all equal subsystems.
 *
 * A subsystem is a set of components that connections hold together. Subsystems with the same
 * classes, switches and connections share a Shape and become its lanes. A shape knows its
 * components and nodes in a canonical order, which way each link is driven, the order of the
 * explicit blocks, and the linear groups. It knows no numbers.
 */
#ifndef LIEDER_MODEL_SHAPE_H
#define LIEDER_MODEL_SHAPE_H

#include "model/flat/flatten.h"

typedef struct ShapeNode { /* a node: a set of connected ports */
    const LiederDomain *domain;
    int driver, driver_port; /* component that decides signals and potentials; -1: an open input,
                                or a free node */
    uint32_t first_taker, ntaker;
    int group;     /* linear group, or -1 */
    bool free;     /* its potentials are unknowns, the sums of flows their equations */
    bool constant; /* its signals never change */
    bool grounded; /* its potentials are known without solving anything */
} ShapeNode;

typedef struct Taker { /* a port of a component at a node */
    uint32_t component;
    int port;
} Taker;

typedef enum Coupling {
    COUPLE_NONE, /* flows do not depend on the potentials of the other port */
    COUPLE_ONE,  /* one port is grounded: an ordinary leaf at the other, see coupled_port */
    COUPLE_BOTH  /* joins two branches of a group */
} Coupling;

typedef struct Component { /* of a shape, in all its lanes */
    const LiederClass *class_;
    uint32_t *node;          /* by port, in Shape.port_nodes */
    const uint8_t *switches; /* by slot, in Shape.switches: a structural parameter that is not 0 */
    int group; /* of a link with unknowns, a coupling leaf or a leaf of a network, or -1 */
    int coupled_port;
    Coupling coupling : 8;
    bool reversed;
    bool link, root; /* neither: a leaf or a signal block */
    bool couples;
    bool constant;          /* all its explicit blocks run once */
    bool incoming_constant; /* its incoming signals never change */
} Component;

/* a unit of a component in the order of explicit blocks */
typedef struct Step {
    uint32_t component, unit; /* see ClassFacts */
    bool constant;            /* runs once */
} Step;

typedef struct StateRef {
    const LiederMember *member;
    uint32_t component;
    uint32_t slot; /* of the class: start value */
} StateRef;

typedef struct Group {
    uint32_t nunknown, ncoupling;
} Group;

typedef struct Batch { /* lanes of a shape: all lanes of one sheet, owned or not */
    uint32_t sheet;
    uint32_t *instances; /* by component */
    size_t first_lane, nlane;
} Batch;

typedef struct Shape {
    VEC(Component) components;
    VEC(uint32_t) port_nodes; /* node of every port, component by component */
    VEC(uint8_t) switches;
    VEC(ShapeNode) nodes;
    VEC(Taker) takers;
    VEC(Step) order;     /* explicit blocks */
    VEC(uint32_t) links; /* links from the roots outward */
    VEC(StateRef) states;
    VEC(Group) groups;
    VEC(const LiederTable *) tables; /* of components with table parameters, in their order */
    VEC(Batch) batches;
    size_t nlane;
    /* A system that is one of several ranks owns lanes first_lane ... first_lane + nlane - 1 of
     * all_lanes (share.c). Batches count all of them, everything else its own from 0. */
    size_t first_lane, all_lanes;
    uint64_t weight_before; /* of the lanes of all shapes before this one, see share.c */
    bool whole;             /* one rank owns all its lanes */
    bool cut;               /* a net of one lane, of which every rank has a part: split.h */
    uint64_t hash;
    VEC(uint64_t) signature;
    uint32_t id;         /* position in its list */
    struct Shape *older; /* see ShapeList.fresh */
    bool network;        /* has components of a domain without signals */
    bool general;        /* elimination along a tree does not solve it: a network, a leaf with
                            unknowns, a link with several incoming ports, a block that iterates */
    bool asleep;         /* spare components only: states and parameters, nothing to evaluate */
    bool wrong;          /* problems were reported */
} Shape;

/* shapes, found by their signature */
typedef struct ShapeList {
    VEC(Shape *) shapes; /* NULL: a free place, which is in the next list */
    VEC(uint32_t) places;
    uint32_t *table; /* open addressing: position + 1 */
    size_t ntable;
    Shape *fresh;    /* those made since it was set to NULL, the newest first */
    uint64_t weight; /* of all lanes, see share.c */
} ShapeList;

/* all shapes of a flattened model; problems go to the session's diagnostics */
LiederStatus find_shapes(ShapeList *list, Flat *flat);
/* frees what a shape holds, not the shape */
void shape_empty(Shape *shape, const LiederAllocator *alloc);
void shapes_drop(ShapeList *list, const LiederAllocator *alloc);
size_t shape_bytes(const Shape *shape);
/* the first state of a component or a later one: states stand in the order of components */
size_t shape_first_state(const Shape *shape, uint32_t component);

/* The same for a sheet of one lane that is no part of the model: components of a running system
 * with other connections (structure.c). `origin`: by instance of the sheet, the component of the
 * system, for messages. No lanes are made. */
typedef struct Subsystem {
    Shape *shape;            /* NULL: asleep */
    uint32_t first, nmember; /* in Subsystems.members: instances of the sheet, by component */
} Subsystem;
typedef struct Subsystems {
    VEC(Subsystem) list;
    VEC(uint32_t) members;
    /* a shape elsewhere that the members belong to, or NULL: then it is looked up in the list */
    Shape *(*home)(void *user, const uint32_t *members, size_t n, const uint64_t *signature,
                   size_t nsignature);
    void *user;
} Subsystems;
LiederStatus find_subsystems(ShapeList *list, Flat *flat, Sheet *sheet, const LiederElement *origin,
                             Subsystems *found);
void shape_remove(ShapeList *list, uint32_t id, const LiederAllocator *alloc);

/* whether potentials come in through a port of a component */
static inline bool port_incoming(const Component *c, int port)
{
    return class_port_incoming(c->class_->def, c->reversed, port);
}

#endif
