/* net_carve.h - parts of a shape, taken out one by one to become cells of a net: private to
 * net_build.c, which compares them, and net_carve.c, which makes shapes of them. */
#ifndef LIEDER_MODEL_NET_CARVE_H
#define LIEDER_MODEL_NET_CARVE_H

#include "model/net/net_plan.h"

typedef struct Carver {
    const Shape *shape;
    const Division *division;
    Net *net;
    const LiederAllocator *alloc;
    VEC(uint32_t) first, own;   /* components of part p: own[first[p]] ... */
    VEC(uint32_t) members;      /* of the part at hand: shared ones first */
    VEC(uint32_t) local;        /* by component: number in the part at hand, or NOWHERE */
    VEC(uint32_t) node;         /* by node, the same */
    VEC(uint32_t) nodes;        /* of the part at hand */
    VEC(uint8_t) tied;          /* by node: a tie is connected there */
    VEC(uint32_t) point;        /* by node: point */
    VEC(uint32_t) order, state; /* by component: place in the order; first state */
    VEC(uint32_t) link;         /* by component: place among the links, or NOWHERE */
    VEC(uint32_t) table;        /* by component: first table */
    VEC(uint64_t) signature;
    VEC(uint32_t) buckets; /* parts by hash, plus one */
} Carver;

/* lists by part and by component; false: no memory */
bool carver_index(Carver *c);
void carver_drop(Carver *c);
/* members and nodes of a part, in an order that depends on its structure only; false: no memory */
bool carver_collect(Carver *c, uint32_t part);
/* resets the lists by component and node */
void carver_forget(Carver *c);
/* what makes two parts equal: classes, flags, switches, and connections by local numbers; false: no
 * memory */
bool carver_sign(Carver *c);
/* the part at hand as a shape; false: no memory */
bool carver_shape(Carver *c, Shape *to);

#endif
