/* sparse.h - the order in which a large system with few entries is eliminated; see
 * include/lieder/sparse.h for what is done with it. */
#ifndef LIEDER_BLOCK_SPARSE_H
#define LIEDER_BLOCK_SPARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

typedef VEC(uint32_t) SparseTable;

enum {
    SPARSE_FROM = 32,  /* smaller systems are dense */
    SPARSE_SAMPLES = 2 /* samples of the entries: at the start, and far from it */
};

/* The table for a pattern, entries without duplicates. A sample has a number for each entry, zero:
 * no pivot. The table stays empty where dense elimination does not take longer. false: memory ran
 * out. */
bool sparse_table(SparseTable *to, const LiederAllocator *alloc, uint32_t n, const uint32_t *row,
                  const uint32_t *column, const double *const sample[SPARSE_SAMPLES],
                  size_t nentry);

#endif
