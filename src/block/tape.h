/* tape.h - straight-line code of three-address instructions on slots, made from a graph.
 *
 * A tape is run over the lanes of a strip (interpret.c): what it reads is copied from the records
 * of the strip into slots, instructions work on slots, and in the end slots are copied into the
 * records. So all reads come before all writes. A slot holds one value of all lanes at hand, and is
 * used again after the last instruction that reads this value. An instruction has 12 bytes:
 * operation, destination d, operands a, b, c, and e, a fourth operand or a second destination.
 *
 * Inputs are symbols of the graph that tape_symbol makes; inputs and outputs are named by a group
 * and an index:
 *
 *   TAPE_RECORD      place in the record
 *   TAPE_CALL        a number of the Call: TAPE_TIME, ...
 *   TAPE_STATE       number of a state, in joined tapes only; TAPE_DERIVATIVE: likewise, to write
 *   TAPE_AT + k      places from at[k] on, see component.h
 */
#ifndef LIEDER_BLOCK_TAPE_H
#define LIEDER_BLOCK_TAPE_H

#include <lieder/component.h>
#include <lieder/systems.h>

#include "block/operation.h"

enum { TAPE_RECORD, TAPE_CALL, TAPE_STATE, TAPE_DERIVATIVE, TAPE_AT };
enum { TAPE_TIME, TAPE_EVENT_TIME, TAPE_BIAS_SCALE, TAPE_HOLD, TAPE_INITIAL, TAPE_TERMINAL };

static inline uint64_t tape_symbol(uint32_t group, uint32_t index)
{
    return (uint64_t)1 << 63 | (uint64_t)group << 32 | index;
}

typedef struct TapeInstruction {
    uint16_t op, d, a, b, c, e;
} TapeInstruction;

/* In a chained tape an operand that is the result of the instruction before is taken from
 * registers; which one stands above the operation, see tape_chain. */
enum { CHAIN_NONE, CHAIN_A, CHAIN_B, CHAIN_C, CHAINS, CHAIN_SHIFT = 8 };

/* `count` neighbours, in the record and in slots */
typedef struct TapeCopy {
    uint16_t group, slot;
    uint32_t index, count;
} TapeCopy;
typedef VEC(TapeCopy) TapeCopies;

typedef struct TapeConstant {
    uint16_t slot;
    double value;
} TapeConstant;

/* a slot and the place of its number in the workspace of a system, in numbers of a register */
typedef struct TapeMove {
    uint16_t slot;
    uint32_t place;
} TapeMove;
/* Equations that one instruction solves, or a function that it calls, in a workspace behind the
 * slots (systems.h, tape_system.c). */
typedef struct TapeSystem {
    LiederPattern solver; /* its lists are those of `pattern` and `nominal` */
    VEC(unsigned) pattern;
    VEC(double) nominal;
    SystemStep step;
    VEC(TapeMove) from, to; /* operands to the workspace; results from there */
    struct Tape *residuals; /* loads and stores places of the workspace; NULL: a linear system */
    struct TapeBody *body;  /* SYSTEM_CALL: whose tape that is; its workspace has the arguments,
                               then the results */
    VEC(uint8_t)
    guards;      /* SYSTEM_CALL: CallGuard.wanted of its conditions, which are the last
                               numbers of the workspace */
    size_t size; /* of the workspace, in reals for each register */
} TapeSystem;

typedef struct Tape {
    VEC(TapeInstruction) code; /* ends with OPERATION_END */
    VEC(TapeConstant) constants;
    TapeCopies loads, stores;
    VEC(TapeSystem) systems;
    uint32_t nslot;
    uint32_t nscratch; /* slots and the largest workspace behind them */
    uint32_t nkept;    /* the first loads, whose slots nothing else is written to; if there are any,
                          those of constants are kept, too */
} Tape;

/* Some results of a function that is called (call.c), compiled once for all calls that want these.
 */
typedef struct TapeBody {
    Tape tape;
    VEC(uint32_t) results;
    uint32_t users;        /* systems of tapes, and the graph */
    struct TapeBody *next; /* of the graph */
} TapeBody;
void tape_bodies_release(TapeBody *list, const LiederAllocator *alloc);

typedef struct TapeOutput {
    Node node;
    uint32_t group, index;
} TapeOutput;
typedef VEC(TapeOutput) TapeOutputs;

typedef enum TapeStatus {
    TAPE_DONE,
    TAPE_NO_MEMORY,
    TAPE_TOO_LARGE,  /* more than 65535 values or groups at a time */
    TAPE_NOT_AFFINE, /* class.h: a linear block is not */
    TAPE_UNKNOWN_SYMBOL
} TapeStatus;

TapeStatus tape_compile(Tape *t, Graph *g, const TapeOutput *outputs, size_t n);
/* the same, and numbers of the record stay in their slots (nkept), unless there are many */
TapeStatus tape_compile_kept(Tape *t, Graph *g, const TapeOutput *outputs, size_t n);
void tape_drop(Tape *t, const LiederAllocator *alloc);
/* Marks the operands that the interpreter has in registers, above the operations; such a tape is no
 * longer linked, packed or joined. */
void tape_chain(Tape *t);

/* a system as systems.h has it; lists are those of the graph */
LiederPattern tape_pattern(const GraphSystem *s);
/* where operand k of a system, in the order of its lists, and a part of it stand in its workspace
 */
uint32_t tape_operand_place(const GraphSystem *s, size_t k);
uint32_t tape_part_place(const GraphSystem *s, uint32_t part);

/* ------------------------------------------------------------------ link.c */

/* operands in bytes from the beginning of a record */
typedef struct LinkedInstruction {
    uint32_t op, d, a, b, c, e;
} LinkedInstruction;

/* a system with the places of its operands and results, in bytes from the beginning of a record */
typedef struct LinkedSystem {
    const TapeSystem *system;
    VEC(uint32_t) from, to;
} LinkedSystem;

/* one operation on n values: place k of the record, in reals, moves on by step[k] from one to the
 * next; E is a second result or a fourth operand */
enum { LINKED_D, LINKED_A, LINKED_B, LINKED_C, LINKED_E, LINKED_PLACES };
typedef struct LinkedRun {
    uint32_t op, n; /* OPERATION_END: the n-th instruction and those that follow, up to an end */
    uint32_t place[LINKED_PLACES];
    int32_t step[LINKED_PLACES];
} LinkedRun;

typedef struct LinkedTape {
    VEC(LinkedInstruction) code;
    VEC(double) values;
    VEC(LinkedSystem) systems;
    VEC(LinkedRun) runs; /* after the code, see vector.c */
} LinkedTape;

/* scratch: nslot reals of the record; `t` must stay; false: memory ran out */
bool tape_link(LinkedTape *to, const Tape *t, const uint32_t *at, uint32_t scratch, int lanes,
               const LiederAllocator *alloc);
void linked_drop(LinkedTape *t, const LiederAllocator *alloc);

/* ------------------------------------------------------------------ join.c */

/* a tape with the places of one op; of a compiled class it stands packed, see pack.h */
typedef struct TapePart {
    const Tape *tape; /* or NULL */
    const uint16_t *packed;
    bool add;
    const uint32_t *at;
} TapePart;

/* The tapes one after the other as one tape from states to derivatives (LiederJoinedRun); `parts`
 * are those of the sequence. It stores derivatives, and in the record the alarm alone.
 * TAPE_TOO_LARGE: one of them solves systems, or there are too many instructions. */
TapeStatus tape_join(Tape *to, const TapePart *parts, const LiederSequence *sequence,
                     const LiederAllocator *alloc);

/* ------------------------------------------------------------------ vector.c */

/* whether a tape is long enough for a search for arrays, and the reals of the record for their
 * values */
bool tape_is_long(const Tape *t);
uint32_t tape_vector_scratch(const Tape *t);
/* tape_link for records of one lane, with runs; false: memory ran out, or it has no arrays */
bool tape_link_vectors(LinkedTape *to, const Tape *t, const uint32_t *at, uint32_t scratch,
                       const LiederAllocator *alloc);

/* ------------------------------------------------------------------ interpret.c, for each set */

/* the `code` of a kernel that is made of instructions */
typedef struct TapeCode {
    Tape tape[2]; /* stores its results; adds them to laws */
    Tape lean;    /* the first one without observables, for linked code: no derivative needs them,
                     and no other block of the class reads them */
    bool is_lean; /* there is a lean one */
} TapeCode;

#endif
