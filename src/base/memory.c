/* memory.c - see memory.h. */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void *default_resize(void *user, void *block, size_t old_size, size_t size)
{
    (void)user;
    (void)old_size;
    if (size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, size);
}

const LiederAllocator memory_default = {.resize = default_resize, .user = NULL};

void *memory_resize(const LiederAllocator *alloc, void *block, size_t old_size, size_t size)
{
    return alloc->resize(alloc->user, block, old_size, size);
}

void *memory_zeroed(const LiederAllocator *alloc, size_t size)
{
    void *block = memory_resize(alloc, NULL, 0, size ? size : 1);
    if (block)
        memset(block, 0, size ? size : 1);
    return block;
}

void *memory_copy(const LiederAllocator *alloc, const void *block, size_t size)
{
    void *copy = memory_resize(alloc, NULL, 0, size ? size : 1);
    if (copy && size)
        memcpy(copy, block, size);
    return copy;
}

char *memory_text(const LiederAllocator *alloc, const char *text)
{
    return memory_copy(alloc, text, strlen(text) + 1);
}

void memory_free(const LiederAllocator *alloc, void *block, size_t size)
{
    if (block)
        memory_resize(alloc, block, size ? size : 1, 0); /* nothing was allocated as one byte */
}

void memory_free_text(const LiederAllocator *alloc, char *text)
{
    if (text)
        memory_free(alloc, text, strlen(text) + 1);
}

/* The word before an aligned block holds its distance from the allocated one. */
void *memory_aligned(const LiederAllocator *alloc, size_t size)
{
    char *raw = memory_resize(alloc, NULL, 0, size + 128);
    if (!raw)
        return NULL;
    char *block = (char *)(((uintptr_t)raw + 127) & ~(uintptr_t)63);
    ((size_t *)block)[-1] = (size_t)(block - raw);
    memset(block, 0, size);
    return block;
}

void memory_free_aligned(const LiederAllocator *alloc, void *block, size_t size)
{
    if (block)
        memory_free(alloc, (char *)block - ((size_t *)block)[-1], size + 128);
}

bool vec_reserve_(const LiederAllocator *alloc, void **items, size_t *room, size_t count,
                  size_t size)
{
    if (count <= *room)
        return true;
    size_t grown = *room + *room / 2 + 4;
    if (grown < count)
        grown = count;
    if (grown > SIZE_MAX / size)
        return false;
    void *block = memory_resize(alloc, *items, *room * size, grown * size);
    if (!block)
        return false;
    *items = block;
    *room = grown;
    return true;
}

bool vec_resize_(const LiederAllocator *alloc, void **items, size_t *n, size_t *room, size_t count,
                 size_t size)
{
    if (!vec_reserve_(alloc, items, room, count, size))
        return false;
    if (count > *n)
        memset((char *)*items + *n * size, 0, (count - *n) * size);
    *n = count;
    return true;
}

struct ArenaChunk {
    ArenaChunk *next;
    size_t size, used; /* of data[] */
    _Alignas(16) char data[];
};

void arena_init(Arena *arena, const LiederAllocator *alloc)
{
    *arena = (Arena){.alloc = *alloc};
}

void arena_drop(Arena *arena)
{
    while (arena->chunk) {
        ArenaChunk *next = arena->chunk->next;
        memory_free(&arena->alloc, arena->chunk, sizeof(ArenaChunk) + arena->chunk->size);
        arena->chunk = next;
    }
}

void *arena_zeroed(Arena *arena, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    ArenaChunk *chunk = arena->chunk;
    if (!chunk || chunk->size - chunk->used < size) {
        size_t room = !chunk ? 4096 : chunk->size < (1 << 20) ? chunk->size * 2 : 1 << 20;
        if (room < size)
            room = size;
        chunk = memory_resize(&arena->alloc, NULL, 0, sizeof(ArenaChunk) + room);
        if (!chunk) {
            arena->failed = true;
            return NULL;
        }
        *chunk = (ArenaChunk){.next = arena->chunk, .size = room};
        arena->chunk = chunk;
    }
    void *block = chunk->data + chunk->used;
    chunk->used += size;
    return memset(block, 0, size);
}

char *arena_text(Arena *arena, const char *text, size_t length)
{
    char *copy = arena_zeroed(arena, length + 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}
