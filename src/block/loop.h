/* loop.h - blocks whose code does not grow with the arrays that they work on.
 *
 * A LoopCode is a list of loops that run one after the other on a record. The body of a loop is a
 * tape (tape.h); what it reads and writes are places of the record that move on by a constant step
 * from one turn to the next, so x[i - 1] (step 1), y[n + 1 - i] (step -1) and a number that all
 * turns share (step 0) are read alike. A loop over an array with two indices has rows of turns, and
 * places move on by another step, a leap, from row to row:
 *
 *   LOOP_LANES  no turn reads what another one writes: several turns side by side, as lanes
 *   LOOP_SWEEP  a turn reads what turns before it have written: one after the other
 *   LOOP_FOLD   a sum over all turns, added up in their order, from the number that its place has;
 *               where this place has a leap, a sum for each row
 *
 * In records of one lane the registers of the widest instruction set hold neighbouring turns; in
 * others a register holds one turn of all lanes. Every value is computed by the same operations in
 * the same order as by the scalar code that the loops stand for, so it has the same bits.
 *
 * A single equation is a loop of one turn. Time and memory of an evaluation follow the arrays, the
 * code does not: loop_code_size.
 */
#ifndef LIEDER_BLOCK_LOOP_H
#define LIEDER_BLOCK_LOOP_H

#include "block/linked.h"
#include "block/tape.h"

typedef enum LoopKind { LOOP_LANES, LOOP_SWEEP, LOOP_FOLD } LoopKind;

typedef enum LoopFrom {
    LOOP_RECORD, /* `place` is a real of the struct */
    LOOP_CALL,   /* `place` is TAPE_TIME, ... */
    LOOP_NUMBER  /* first + row * rise + k * increment in turn k */
} LoopFrom;

typedef struct LoopLoad {
    LoopFrom from;
    uint16_t slot;
    uint32_t place;
    int32_t step, leap;
    double first, increment, rise;
} LoopLoad;

typedef struct LoopStore {
    uint16_t slot;
    uint32_t place;
    int32_t step, leap;
} LoopStore;

/* how a fold takes up its term: s + a, s - a, fused(a, b, s), fused(-a, b, s) */
typedef enum LoopFold { FOLD_ADD, FOLD_SUBTRACT, FOLD_FUSED, FOLD_FUSED_MINUS } LoopFold;

typedef struct Loop {
    LoopKind kind;
    LoopFold fold;
    uint32_t n, rows; /* turns of a row, and rows */
    Tape body;
    VEC(LoopLoad) loads;
    VEC(LoopStore) stores; /* of a fold: slots of a and b, `place` of the first is that of s */
    VEC(uint32_t) first_need, needs; /* by store: the loads that it depends on */
} Loop;

typedef struct LoopCode {
    VEC(Loop) loops;
} LoopCode;

/* The `code` of a kernel that is made of loops: all that the block sets; what derivatives need (for
 * linked code). */
typedef struct LoopBlock {
    LoopCode whole, lean;
} LoopBlock;

/* slots of a body at most: they stand on the stack */
enum { LOOP_SLOTS = 1024 };

/* Adds a loop whose body computes `outputs` (group TAPE_AT + 1, index: which store). Symbols of its
 * nodes are tape_symbol(TAPE_AT, k): loads[k], whose slots are filled in; so are those of the
 * stores. TAPE_TOO_LARGE: the body has too many values. */
TapeStatus loop_add(LoopCode *code, Graph *g, Loop loop, const LoopLoad *loads, size_t nload,
                    const LoopStore *stores, const Node *outputs, size_t noutput);
void loop_block_drop(LoopBlock *block, const LiederAllocator *alloc);
/* instructions, loads and stores: the same for arrays of any size */
size_t loop_code_size(const LoopCode *code);

/* LiederKernels.link and unlink of classes made of loops */
LiederCode loop_link(LiederCode code, const uint32_t *at, int add, uint32_t scratch,
                     const LiederAllocator *alloc);
void loop_unlink(LiederCode code, const LiederAllocator *alloc);
/* turn by turn, see linked_steps */
void loop_steps(LiederCode code, int lanes, LinkedStep *visit, void *user);

/* kernels whose code is a LoopBlock; `alone`: for records of one lane, on wide registers */
LiederKernel loops_run_scalar, loops_run_scalar_fma, loops_run_sse2, loops_run_avx2,
    loops_run_avx512;
LiederKernel loops_alone_scalar, loops_alone_scalar_fma, loops_alone_sse2, loops_alone_avx2,
    loops_alone_avx512;

/* linked code */
typedef struct LoopLinked {
    LoopBlock block; /* its whole code is the lean one, which it does not own */
    uint32_t at[1];
    LiederKernel *run;
} LoopLinked;

#endif
