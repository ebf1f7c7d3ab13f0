/* class.h - a component class made of expressions, which the engine takes like one written in C.
 *
 * A class is described as in component.h (ports, members, struct of reals), but its blocks are
 * lists of assignments of expressions instead of C functions. What the symbols of the expressions
 * stand for is given by a list of symbols and places. Reads see what was there before the block; an
 * assigned value that the block needs again is its node. A link is written once, from its first
 * port to its second, with PLACE_DIRECTION for what depends on the direction, or with different
 * assignments for BLOCK_FORWARD and BLOCK_REVERSED.
 *
 * Outward and inward blocks are affine in potentials, flows, unknowns and in what the two assign.
 * Their constant terms, which are marked by constant_term in C, are found: where a sum has a term
 * that depends on none of these, it is multiplied by bias_scale.
 *
 * block_class_finish makes tapes of the blocks and, by tracing, of everything that kernels.inc
 * makes of blocks in C: the columns of the affine law are the blocks on unit inputs, with zeros
 * folded, and the elimination of the class's own unknowns runs on expressions. The formulas and
 * their order are those of kernels.inc, so that a class gives the same bits either way. It also
 * writes the class as C text for generated code.
 */
#ifndef LIEDER_BLOCK_CLASS_H
#define LIEDER_BLOCK_CLASS_H

#include <lieder/component.h>

#include "base/text.h"
#include "block/loop.h"

typedef enum BlockKind {
    BLOCK_CONSTANT,
    BLOCK_INCOMING,
    BLOCK_EXPLICIT,
    BLOCK_EXPLICIT_SECOND, /* a second explicit block: what depends on inputs that the first one
                            does not read, so that these may depend on its outputs */
    BLOCK_OUTWARD,
    BLOCK_INWARD,
    BLOCK_START,
    BLOCK_EVENT,
    BLOCK_ITERATE,
    /* in C only, and but for the first one functions of parameters: */
    BLOCK_ENERGY,    /* what a class declares of its energy */
    BLOCK_CHECK,     /* conditions, see BlockClassInfo.assertions */
    BLOCK_COUPLES,   /* LiederClassDef.couples */
    BLOCK_NEXT_TIME, /* LiederClassDef.next_time, a function of the time of the event as well */
    /* as instructions only: */
    BLOCK_OBSERVE, /* LiederKernels.observe */
    BLOCK_KINDS
} BlockKind;

typedef enum BlockDirection { BLOCK_FORWARD, BLOCK_REVERSED, BLOCK_BOTH } BlockDirection;

typedef enum PlaceKind {
    PLACE_MEMBER, /* index: real of the struct */
    PLACE_SIGNAL,
    PLACE_POTENTIAL,
    PLACE_FLOW, /* index: regime * nflow + flow */
    PLACE_TIME,
    PLACE_EVENT_TIME,
    PLACE_HOLD,      /* 1: choices are kept, see hold_choice of component.h */
    PLACE_INITIAL,   /* 1: a pass of the first event of a run */
    PLACE_TERMINAL,  /* 1: the pass at its end */
    PLACE_DIRECTION, /* 1, or -1 for a reversed link */
    PLACE_RESULT     /* of iterate: zero where it has converged; index: of Energy, of assertions */
} PlaceKind;

typedef struct BlockPlace {
    PlaceKind kind;
    int port, index;
} BlockPlace;

/* what a symbol of the graph reads; symbols below 2^63 */
typedef struct BlockSymbol {
    uint64_t symbol;
    BlockPlace place;
} BlockSymbol;

typedef struct BlockAssignment {
    BlockPlace place;
    Node node;
} BlockAssignment;
typedef VEC(BlockAssignment) BlockAssignments;

/* How the class is described. What it points to must stay; graph and symbols are needed until
 * block_class_finish only. */
typedef struct BlockClassInfo {
    LiederClassDef def; /* without kernels; uses_time is found */
    const char *tag;    /* a name in C, unique; NULL: made from the content of the class */
    int nreal;          /* of the struct */
    bool reversible;
    const unsigned *basic; /* by port: bit set of basic signals, see kernels.inc; NULL: not given */
    bool is_library;       /* its whole text is written, too: BlockClass.whole */
    bool is_of_equations; /* fused multiply-adds are placed by a rule, see mark.c; else the author's
                           */
    const char *const
        *assertions; /* what is reported where a condition of BLOCK_CHECK is not met */
    Graph *graph;    /* tracing adds nodes to it */
    const BlockSymbol *symbols;
    size_t nsymbol;
} BlockClassInfo;

typedef struct BlockClass {
    BlockClassInfo info;
    const LiederAllocator *alloc;
    BlockAssignments blocks[BLOCK_KINDS][2]; /* [reversed] */
    bool failed;                             /* memory ran out */
    int nunknown;
    VEC(int) unknown, residual; /* reals of the struct */
    VEC(BlockSymbol) symbols;   /* sorted */
    /* by block_class_finish */
    BlockPlace trouble; /* TAPE_NOT_AFFINE: where the assignment goes that is not affine */
    VEC(TapeCode *) codes;
    VEC(LoopBlock *) loops;                         /* block_class_set_loops */
    LiederCode second[LIEDER_ISA_AVX512 + 1][1][2]; /* LiederKernels.more */
    LiederKernels kernels[LIEDER_ISA_AVX512 + 1];
    LiederClassDef defs[LIEDER_ISA_AVX512 + 1];
    TextBuffer text;  /* for generated code */
    TextBuffer whole; /* of a class of the library: with its energies and its check */
    char own_tag[24];
} BlockClass;

/* NULL: memory ran out */
BlockClass *block_class_create(const LiederAllocator *alloc, const BlockClassInfo *info);
void block_class_destroy(BlockClass *c); /* after the session that it was registered in */

void block_assign(BlockClass *c, BlockKind kind, BlockDirection direction, BlockPlace place,
                  Node node);

/* ------------------------------------------------------------------ making it a class */

/* Fills text, kernels and defs. The caller destroys the class whatever this returns. */
TapeStatus block_class_finish(BlockClass *c);
/* In place of block_class_finish: blocks made of loops, which the class then owns; any may be NULL.
 * `uses_time`: the explicit one reads the time. false: memory ran out. */
bool block_class_set_loops(BlockClass *c, LoopBlock *constant, LoopBlock *start,
                           LoopBlock *explicit_, LoopBlock *event, bool uses_time);
/* the place that a symbol reads, or NULL */
const BlockPlace *block_place_of(const BlockClass *c, uint64_t symbol);
/* for every instruction set that this build has */
LiederStatus block_class_register(Lieder *session, const BlockClass *c);

/* whether a block of this kind has assignments */
static inline bool block_has(const BlockClass *c, BlockKind kind)
{
    return c->blocks[kind][0].n || c->blocks[kind][1].n;
}

/* ------------------------------------------------------------------ mark.c */

/* outward and inward blocks: constant terms are multiplied by the symbol of TAPE_BIAS_SCALE, sums
 * get their fused multiply-adds */
TapeStatus mark_linear_blocks(BlockClass *c);

/* ------------------------------------------------------------------ trace.c */

/* A tape for each kind of kernel; `skip`: by real of the struct, 1: it is not stored; or NULL. */
TapeStatus trace_plain(const BlockClass *c, BlockKind kind, bool reversed, bool basic,
                       const uint8_t *skip, Tape *t);
TapeStatus trace_solve(const BlockClass *c, int variant, Tape *t);
TapeStatus trace_reduce(const BlockClass *c, int variant, int add, Tape *t);
TapeStatus trace_couple(const BlockClass *c, Tape *t);

/* where elimination keeps its results, as in kernels.inc */
typedef struct SaveLayout {
    int u0, limit, pivot, flow, inverse, size;
} SaveLayout;
SaveLayout block_save_layout(const BlockClass *c);

/* ------------------------------------------------------------------ write.c */

/* The class in C, as if it had been written by hand; false: memory ran out. `whole`: with its
 * energies, its check (TAG_check) and TAPES, see kernels.inc; generated code needs none of these.
 */
bool block_class_write(const BlockClass *c, bool whole, TextBuffer *to);

#endif
