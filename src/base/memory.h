/* memory.h - the one allocation hook, growable arrays and an arena.
 *
 * Every heap byte of Lieder comes through a LiederAllocator (lieder.h), a single
 * resize function in the manner of Lua: it allocates, grows, shrinks and frees. Nothing
 * here exits or jumps: an allocation that fails returns NULL or false, and the caller
 * hands LIEDER_NO_MEMORY upwards. A test build plugs in an allocator that fails at the
 * k-th call.
 */
#ifndef LIEDER_BASE_MEMORY_H
#define LIEDER_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lieder/lieder.h>

/* the allocator that is used when a program gives none: realloc and free */
extern const LiederAllocator memory_default;

void *memory_resize(const LiederAllocator *alloc, void *block, size_t old_size, size_t size);
void *memory_zeroed(const LiederAllocator *alloc, size_t size); /* NULL on failure */
void *memory_copy(const LiederAllocator *alloc, const void *block, size_t size);
char *memory_text(const LiederAllocator *alloc, const char *text);
void memory_free(const LiederAllocator *alloc, void *block, size_t size);
void memory_free_text(const LiederAllocator *alloc, char *text);

/* 64-byte aligned and zeroed, for lanes; free with memory_free_aligned and the same size */
void *memory_aligned(const LiederAllocator *alloc, size_t size);
void memory_free_aligned(const LiederAllocator *alloc, void *block, size_t size);

/* Growable array of T: `VEC(double) v = {0};`. push is false when memory ran out. */
#define VEC(T)                                                                                     \
    struct {                                                                                       \
        T *items;                                                                                  \
        size_t n;                                                                                  \
        size_t room;                                                                               \
    }
typedef VEC(uint32_t) IndexVec;
typedef VEC(double) DoubleVec;
#define vec_push(alloc, v, ...)                                                                    \
    (vec_reserve_(alloc, (void **)&(v)->items, &(v)->room, (v)->n + 1, sizeof *(v)->items)         \
         ? ((v)->items[(v)->n++] = (__VA_ARGS__), true)                                            \
         : false)
#define vec_reserve(alloc, v, count)                                                               \
    vec_reserve_(alloc, (void **)&(v)->items, &(v)->room, count, sizeof *(v)->items)
/* makes room for `count` elements and sets n; what is new is zero */
#define vec_resize(alloc, v, count)                                                                \
    vec_resize_(alloc, (void **)&(v)->items, &(v)->n, &(v)->room, count, sizeof *(v)->items)
#define vec_drop(alloc, v)                                                                         \
    (memory_free(alloc, (v)->items, (v)->room * sizeof *(v)->items), (v)->items = NULL,            \
     (v)->n = (v)->room = 0)

bool vec_reserve_(const LiederAllocator *alloc, void **items, size_t *room, size_t count,
                  size_t size);
bool vec_resize_(const LiederAllocator *alloc, void **items, size_t *n, size_t *room, size_t count,
                 size_t size);

/* Arena: many small objects that live and die together. `failed` is sticky, so a parser may
 * check it once at the end as long as it never follows a NULL. */
typedef struct ArenaChunk ArenaChunk;
typedef struct Arena {
    LiederAllocator alloc;
    ArenaChunk *chunk; /* newest first */
    bool failed;
} Arena;

void arena_init(Arena *arena, const LiederAllocator *alloc);
void arena_drop(Arena *arena);
void *arena_zeroed(Arena *arena, size_t size); /* aligned to 16; NULL on failure */
char *arena_text(Arena *arena, const char *text, size_t length); /* copies, adds the NUL */

#endif
