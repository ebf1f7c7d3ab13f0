/* intern.c - see intern.h. */
#include "base/intern.h"

#include <string.h>

unsigned long long hash_bytes(unsigned long long seed, const void *bytes, size_t n)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < n; i++)
        seed = (seed ^ b[i]) * 1099511628211ull;
    return seed;
}

void intern_init(Interner *in, const LiederAllocator *alloc)
{
    *in = (Interner){0};
    arena_init(&in->arena, alloc);
}

void intern_drop(Interner *in)
{
    memory_free(&in->arena.alloc, in->slots, in->nslots * sizeof *in->slots);
    arena_drop(&in->arena);
    *in = (Interner){0};
}

/* the slot that holds the text, or the empty one where it belongs */
static const char **slot_of(const char **slots, size_t nslots, const char *text, size_t length)
{
    size_t at = hash_bytes(HASH_SEED, text, length) & (nslots - 1);
    while (slots[at] && (strncmp(slots[at], text, length) != 0 || slots[at][length] != '\0'))
        at = (at + 1) & (nslots - 1);
    return &slots[at];
}

/* twice the slots, all names put in again; false if there is no memory */
static bool grow_names(Interner *in)
{
    size_t nslots = in->nslots ? in->nslots * 2 : 64;
    const char **slots = memory_zeroed(&in->arena.alloc, nslots * sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < in->nslots; i++)
        if (in->slots[i])
            *slot_of(slots, nslots, in->slots[i], strlen(in->slots[i])) = in->slots[i];
    memory_free(&in->arena.alloc, in->slots, in->nslots * sizeof *slots);
    in->slots = slots;
    in->nslots = nslots;
    return true;
}

const char *intern_range(Interner *in, const char *text, size_t length)
{
    if (in->used * 2 >= in->nslots && !grow_names(in))
        return NULL;
    const char **slot = slot_of(in->slots, in->nslots, text, length);
    if (!*slot) {
        *slot = arena_text(&in->arena, text, length);
        if (*slot)
            in->used++;
    }
    return *slot;
}

const char *intern_text(Interner *in, const char *text)
{
    return intern_range(in, text, strlen(text));
}
