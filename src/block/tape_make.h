/* tape_make.h - making a tape, shared by tape.c (instructions), tape_system.c (systems and calls)
 * and tape_slots.c (slots). Private to these three. */
#ifndef LIEDER_BLOCK_TAPE_MAKE_H
#define LIEDER_BLOCK_TAPE_MAKE_H

#include "block/tape.h"

enum { MAX_SLOTS = 65535 };

/* an instruction on nodes, before slots are known */
typedef struct TapePending {
    uint16_t op;
    Node d, e, a, b, c; /* of a system: d is its node, e its number in the tape */
} TapePending;

typedef struct TapeMaker {
    Graph *g;
    const LiederAllocator *alloc;
    Tape *t;
    NodeList order;              /* what is needed, operands first */
    VEC(uint32_t) uses;          /* by node: of needed nodes and outputs */
    VEC(uint8_t) joined;         /* by node: has no instruction of its own */
    NodeList sine_of, cosine_of; /* by argument */
    VEC(TapePending) code;
    VEC(uint32_t) last; /* by node: instruction that uses it last, see tape_slots.c */
    VEC(uint32_t) slot; /* by node */
    VEC(uint16_t) free;
    VEC(NodeList) operands, parts; /* by system of the tape */
    CallGuards guards;
    bool keeps; /* numbers of the record and constants stay in their slots */
    TapeStatus status;
} TapeMaker;

/* notes that memory ran out, unless ok */
static inline void tape_check(TapeMaker *m, bool ok)
{
    if (!ok)
        m->status = TAPE_NO_MEMORY;
}

/* an output that stays as it is: it need not even be read */
bool tape_is_unchanged(const TapeMaker *m, const TapeOutput *o);

/* An entry of the tape's systems for a node; operands are kept as nodes until slots are known. */
void tape_plan_system(TapeMaker *m, TapePending *p);
/* where operand k of n stands in the workspace of a system, conditions being the last ones */
uint32_t tape_place_operand(const TapeSystem *s, const GraphSystem *system, size_t k, size_t n);
/* where a part of a system stands in its workspace */
uint32_t tape_place_part(const TapeSystem *s, const GraphSystem *system, uint32_t part);
void tape_system_drop(TapeSystem *s, const LiederAllocator *alloc);

/* instructions on slots in place of nodes, loads, constants and stores */
void tape_place(TapeMaker *m, const TapeOutput *outputs, size_t n);

#endif
