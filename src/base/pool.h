/* pool.h - threads that share numbered tasks.
 *
 * The caller of pool_run is worker 0 and works like the others. pool_run returns when all tasks are
 * done, whether or not every thread has come: a thread that gets no processor delays the others
 * only if it was stopped in the middle of a piece. So pieces should be short, 50 to 100 us
 * (POOL_PIECE).
 */
#ifndef LIEDER_BASE_POOL_H
#define LIEDER_BASE_POOL_H

#include "base/memory.h"

typedef struct Pool Pool;

/* `threads` workers, the caller included; fewer if the system has no more threads to give. NULL:
 * out of memory. */
Pool *pool_create(const LiederAllocator *alloc, int threads);
void pool_destroy(Pool *pool); /* or NULL; no pool_run may be under way */
int pool_threads(const Pool *pool);

/* tasks first ... end - 1, in order, by one worker */
typedef void PoolWork(void *argument, int worker, size_t first, size_t end);

/* All tasks from 0 to n - 1 in pieces of `piece` tasks. Each worker starts in its own part of them,
 * which is the same in every call, and goes on with pieces of the others'. What was written before
 * the call is seen by all workers, and what they wrote is seen after it. */
void pool_run(Pool *pool, size_t n, size_t piece, PoolWork *work, void *argument);

/* seconds: the longest piece that one worker should take at a time */
#define POOL_PIECE 75e-6

#endif
