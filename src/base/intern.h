/* intern.h - every text once: equal names have equal pointers. */
#ifndef LIEDER_BASE_INTERN_H
#define LIEDER_BASE_INTERN_H

#include <stdint.h>

#include "base/memory.h"

/* a text, with what a search compares before it reads the text */
typedef struct InternSlot {
    const char *text; /* NULL: empty */
    uint32_t hash, length;
} InternSlot;

typedef struct Interner {
    Arena arena;
    InternSlot *slots; /* open addressing, nslots a power of two */
    size_t nslots, used;
} Interner;

void intern_init(Interner *in, const LiederAllocator *alloc);
void intern_drop(Interner *in);
const char *intern_range(Interner *in, const char *text, size_t length); /* NULL: no memory */
const char *intern_text(Interner *in, const char *text);

/* 64-bit FNV-1a; chain calls by passing the last result as seed */
#define HASH_SEED 14695981039346656037ull
unsigned long long hash_bytes(unsigned long long seed, const void *bytes, size_t n);

#endif
