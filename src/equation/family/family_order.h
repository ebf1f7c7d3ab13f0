/* family_order.h - how pieces of a family depend on each other at one size: what family_write.c
 * asks of family_order.c. Private to equation/. */
#ifndef LIEDER_EQUATION_FAMILY_ORDER_H
#define LIEDER_EQUATION_FAMILY_ORDER_H

#include "equation/family/family_work.h"

/* A piece reads another. `distance`: how many turns what is read is ahead of the turn that reads
 * it, where that is the same for all turns; else not `is_shift`. */
typedef struct PieceEdge {
    uint32_t to;
    bool is_shift;
    Element distance;
} PieceEdge;

static inline bool same_turn(const PieceEdge *e)
{
    return e->is_shift && e->distance.at[ROW] == 0 && e->distance.at[COLUMN] == 0;
}

typedef struct PieceOrder {
    Family *f;
    VEC(uint32_t) first_of; /* by series: its pieces, in `by_series` */
    VEC(uint32_t) by_series;
    VEC(uint32_t) begin; /* by piece: its edges */
    VEC(PieceEdge) edges;
    /* Tarjan */
    VEC(uint32_t) number, low, stack, component; /* component: 1 + which */
    uint32_t next, ncomponent;
    VEC(uint32_t) sorted; /* pieces, component by component, dependencies first */
} PieceOrder;

/* edges, and components in order; pieces of a circle go over the same elements, some ends become
 * points. What `o` had is dropped. */
bool family_order_pieces(PieceOrder *o);
void family_order_drop(PieceOrder *o);
/* The runs of a circle in the order of one turn, and in which direction turns go. false: see
 * family_refuse */
bool family_order_circle(PieceOrder *o, uint32_t *pieces, size_t n, bool *down);
/* does a piece read itself? */
bool family_reads_itself(const PieceOrder *o, uint32_t i);

/* coordinate d of the element that a leaf reads in a turn, or a number */
double family_leaf_at(const LeafForm *l, int d, Element turn);
/* Does a leaf of p read in each turn what q sets as many turns before or behind it? */
bool family_distance(const Piece *p, const LeafForm *l, const Piece *q, Element *distance);

#endif
