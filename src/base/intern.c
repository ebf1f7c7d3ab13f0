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
static InternSlot *slot_of(InternSlot *slots, size_t nslots, uint32_t hash, const char *text,
                           size_t length)
{
    size_t at = hash & (nslots - 1);
    while (slots[at].text && (slots[at].hash != hash || slots[at].length != length ||
                              memcmp(slots[at].text, text, length) != 0))
        at = (at + 1) & (nslots - 1);
    return &slots[at];
}

/* twice the slots, all names put in again, which are different; false if there is no memory */
static bool grow_names(Interner *in)
{
    size_t nslots = in->nslots ? in->nslots * 2 : 64;
    InternSlot *slots = memory_zeroed(&in->arena.alloc, nslots * sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < in->nslots; i++) {
        size_t at = in->slots[i].hash & (nslots - 1);
        if (!in->slots[i].text)
            continue;
        while (slots[at].text)
            at = (at + 1) & (nslots - 1);
        slots[at] = in->slots[i];
    }
    memory_free(&in->arena.alloc, in->slots, in->nslots * sizeof *slots);
    in->slots = slots;
    in->nslots = nslots;
    return true;
}

const char *intern_range(Interner *in, const char *text, size_t length)
{
    if (length > UINT32_MAX || (in->used * 2 >= in->nslots && !grow_names(in)))
        return NULL;
    uint32_t hash = (uint32_t)hash_bytes(HASH_SEED, text, length);
    InternSlot *slot = slot_of(in->slots, in->nslots, hash, text, length);
    if (!slot->text) {
        *slot = (InternSlot){arena_text(&in->arena, text, length), hash, (uint32_t)length};
        if (slot->text)
            in->used++;
    }
    return slot->text;
}

const char *intern_text(Interner *in, const char *text)
{
    return intern_range(in, text, strlen(text));
}
