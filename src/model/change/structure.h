/* structure.h - connections that change while a system lives.
 *
 * Every state has its place in x for as long as the system lives, at home: in the shape that its
 * component belonged to when the system was made. A change of connections takes whole subsystems
 * out of their shapes and makes other ones out of their components. The new ones are lanes of guest
 * shapes, which fetch their states from home and bring the derivatives back there. So x keeps its
 * length and its order, untouched subsystems stay as they are, and the cost is that of the touched
 * ones:
 *
 *   home shape    lanes side by side in x, found by arithmetic; some may be away
 *   guest shape   lanes with a list of places in x, appended and taken out as needed
 *
 * A subsystem that becomes again what it was at home returns there.
 *
 * A subsystem that was never touched is known by shape, batch and lane only. At the first touch its
 * components become parts (StructurePart), and the ports of each node a ring: splicing two rings
 * connects, leaving a ring disconnects.
 */
#ifndef LIEDER_MODEL_STRUCTURE_H
#define LIEDER_MODEL_STRUCTURE_H

#include "model/shape/shape.h"

/* a seat: where a component is evaluated, or at home */
typedef struct Seat {
    uint32_t shape, component; /* shape NOWHERE: asleep */
    size_t lane;
} Seat;

typedef struct StructurePart {
    LiederElement element;
    Seat now, next; /* next: while a change is made ready */
    uint32_t first_port;
    uint32_t local; /* number in the change at hand */
    bool touched, woken;
} StructurePart;

/* a port of a part */
typedef struct PartPort {
    uint32_t part;
    uint32_t next; /* port of the same node, or itself */
} PartPort;

typedef struct Change {
    LiederElement a, b;
    int port_a, port_b; /* port_b -1: disconnect */
} Change;

enum { KEPT_EMPTY = 8 }; /* guests without lanes that are kept */

typedef struct Structure {
    VEC(Change) changes;
    bool wrong; /* one of them was refused */
    bool busy;  /* a run is under way: it restructures by itself */
    VEC(StructurePart) parts;
    VEC(PartPort) ports;
    uint32_t *table; /* open addressing: part + 1 by element */
    size_t ntable;
    ShapeList list;             /* of guests: shape id is system shape nhome + id */
    uint32_t empty[KEPT_EMPTY]; /* guests without lanes, the oldest first: they may come back */
    size_t nempty;
    size_t nasleep; /* parts that are evaluated nowhere */
    size_t version; /* counts the changes */
} Structure;

/* lanes that are away from a home shape: 64 to a block, in a hash table of blocks */
typedef struct AwayBlock {
    size_t block; /* + 1; 0: free */
    uint64_t mask;
} AwayBlock;

typedef struct Away {
    AwayBlock *table;
    size_t ntable, nblock;
    size_t n; /* lanes */
} Away;

/* parts.c: makes the block of a lane, so that set_away cannot fail; false: no memory */
bool reserve_away(Away *away, size_t lane, const LiederAllocator *alloc);
void set_away(Away *away, size_t lane, bool is);
uint64_t hash_element(const LiederElement *e);
bool same_element(const LiederElement *a, const LiederElement *b);
uint32_t find_part(const Structure *s, const LiederElement *e); /* or NOWHERE */

#endif
