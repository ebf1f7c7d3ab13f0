/* fuse.h - sequences of ops from which kernels are made: what fuse.c and fuse_kernel.c share. */
#ifndef LIEDER_COMPILE_FUSE_H
#define LIEDER_COMPILE_FUSE_H

#include "compile/compile.h"

enum {
    MAX_BLOCKS = 40,  /* of a sequence */
    MAX_PLACES = 128, /* at[] of an op; one with more places stays alone */
    MAX_OPS = 6,      /* of a sequence: a compiler's time grows faster than its length */
    ALL_OPS = 36,     /* of all sequences: about a third of a second for a compiler */
    MIN_COUNT = 3,    /* instances of a pair, to be worth a symbol */
    MIN_SHARE = 100,  /* a kernel must save this part of the ops: one in a hundred */
    MAX_RULES = 64,   /* for each list */
    SAMPLE = 2048,    /* items in each of the samples of a list */
    NSAMPLE = 3,
    LISTS = 3,
    ZERO = NOWHERE - 1, /* as a block: the area that is always zero */
    ALONE = 0,          /* the symbol of ops that nothing is joined to */
};

/* a block of a part within a block of the whole */
typedef struct Within {
    uint32_t block, offset;
} Within;

/* one op, or a pair of symbols */
typedef struct FuseSymbol {
    uint32_t left, right; /* NOWHERE: an op */
    Op op;                /* of an op: its first instance */
    uint32_t nop;
    uint32_t nblock, sizes; /* in Fuser.sizes */
    uint32_t within;        /* in Fuser.within: for an op by index in at[], else by block of left,
                               then of right */
    uint32_t count, pieces; /* visit count_pieces */
    uint32_t kernel;        /* or NOWHERE */
} FuseSymbol;

typedef struct SequenceItem {
    uint32_t symbol; /* NOWHERE: the end of a sample */
    uint32_t places; /* in Sequence.places: where its blocks stand */
} SequenceItem;

typedef struct Sequence {
    VEC(SequenceItem) items;
    VEC(uint32_t) places;
} Sequence;

/* a pair of neighbours, and how often it occurs */
typedef struct SymbolPair {
    uint64_t hash;               /* 0: free */
    uint32_t count, first, last; /* items of its first and last instance */
} SymbolPair;

typedef struct Fuser {
    const Program *p;
    const LiederAllocator *alloc;
    VEC(FuseSymbol) symbols;
    VEC(uint32_t) sizes;
    VEC(Within) within;
    Sequence lists[LISTS];
    VEC(SymbolPair) pairs; /* open addressing */
    VEC(double) known;     /* by place of the record: the number that it always has, or NaN */
    bool ok;
} Fuser;

static inline uint32_t op_length(const Program *p, const Op *op)
{
    return at_length(&p->shape->components.items[op->component]);
}

/* fuse.c */
bool fuser_add_item(Fuser *f, Sequence *to, uint32_t symbol, const uint32_t *places, uint32_t n);

/* fuse_kernel.c: kernels of the chosen symbols, with the numbers that they contain and the results
 * that they store; then the lists of ops with them */
bool fuser_make_kernels(Fuser *f, Fusion *fusion, KnownList *known,
                        const OpList *const lists[LISTS]);
bool fuser_write_lists(const Fuser *f, Fusion *fusion, const OpList *const lists[LISTS]);

#endif
