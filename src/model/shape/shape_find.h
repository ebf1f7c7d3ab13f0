/* shape_find.h - what the files that find shapes share: shape.c collects subsystems and compares
 * them, shape_orient.c says who drives whom, shape_order.c what runs when and which unknowns belong
 * together. */
#ifndef LIEDER_MODEL_SHAPE_FIND_H
#define LIEDER_MODEL_SHAPE_FIND_H

#include "model/shape/shape.h"

/* one sheet, and the subsystem of it at hand */
typedef struct Finder {
    Flat *flat;
    ShapeList *list;
    const LiederAllocator *alloc;
    uint32_t sheet_id;
    Sheet *sheet;
    const LiederElement
        *origin; /* by instance, for a sheet that is no part of the model; or NULL */
    /* ports of each node, by node representative */
    uint32_t *node_first, *node_ports;
    uint32_t *local_node; /* by node representative: number in this subsystem, or NOWHERE */
    /* instances count among those held, see flatten.h */
    uint32_t *local_component; /* by instance, or NOWHERE */
    VEC(uint32_t) members;     /* instances of the subsystem */
    VEC(uint32_t) node_list;   /* representatives of its nodes */
    VEC(uint64_t) signature;
} Finder;

#define DIAG (&f->flat->session->diag)
#define WRONG(path, ...)                                                                           \
    (f->flat->nwrong++, shape->wrong = true, diag_error(DIAG, NULL, path, __VA_ARGS__))

/* path of a component of the subsystem at hand */
const char *finder_path(Finder *f, uint32_t component, char *buffer, size_t size);

/* shape_orient.c: false: memory ran out; a structure that is wrong sets shape->wrong */
bool shape_orient(Finder *f, Shape *shape);
bool shape_sort_links(Finder *f, Shape *shape);
void shape_check_ports(Finder *f, Shape *shape);
bool shape_check_grounds(Finder *f, Shape *shape);
/* sets of nodes as a forest: the root of a node's set; and joining the sets of a component's
 * nodes */
uint32_t find_group(uint32_t *parent, uint32_t i);
void join_nodes(const Shape *shape, const Component *c, uint32_t *parent);

/* shape_order.c */
bool shape_list_states(Finder *f, Shape *shape);
bool shape_order_blocks(Finder *f, Shape *shape);
bool shape_classify(Finder *f, Shape *shape);

#endif
