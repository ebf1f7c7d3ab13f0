/* meter.h - an allocator for tests: it counts, it can fail at the k-th call, and it checks that
 * every block is handed back with the size it was asked for. */
#ifndef TEST_HELP_METER_H
#define TEST_HELP_METER_H

#include <stdint.h>
#include <stdlib.h>

#include <lieder/lieder.h>

typedef struct Meter {
    size_t calls;    /* that could fail: allocations and growth */
    size_t fail_at;  /* the call that fails; 0: none */
    size_t live;     /* blocks */
    long long bytes; /* must end at zero */
    size_t asked;    /* bytes, over all calls */
    size_t wrong;    /* blocks whose old size was not what was allocated */
} Meter;

/* the size stands in front of the block */
static inline void *meter_resize(void *user, void *block, size_t old_size, size_t size)
{
    Meter *m = user;
    size_t *raw = block ? (size_t *)block - 2 : NULL;
    if (raw && raw[0] != old_size)
        m->wrong++;
    if (size == 0) {
        m->bytes -= raw ? (long long)raw[0] : 0;
        m->live -= raw != NULL;
        free(raw);
        return NULL;
    }
    if (++m->calls == m->fail_at)
        return NULL;
    m->asked += size;
    size_t before = raw ? raw[0] : 0;
    size_t *moved = realloc(raw, size + 2 * sizeof(size_t));
    if (!moved)
        return NULL;
    m->live += raw == NULL;
    m->bytes += (long long)size - (long long)before;
    moved[0] = size;
    return moved + 2;
}

#define METER_ALLOCATOR(meter)                                                                     \
    (LiederAllocator)                                                                              \
    {                                                                                              \
        meter_resize, (meter)                                                                      \
    }

#endif
