/* pool.c - see pool.h.
 *
 * The tasks of a run are cut into pieces and the pieces into one part per worker. A part is a range
 * (from, to) in one atomic word. Its owner takes pieces from the front, so that it walks through
 * memory; others take them from the back, so that two threads meet in one cache line at most once.
 *
 * A worker that wakes late may find the parts of the next run. That is no harm: it reads what to do
 * after it has taken a piece, and a run is not over before all its pieces are done, so that what it
 * reads belongs to the piece it has.
 *
 * A thread that waits pauses SPINS times (about 16 us), then sleeps. A sleeping thread leaves its
 * processor to one that was stopped in the middle of a piece; one that spins longer takes it away
 * from the very thread it is waiting for. OpenMP was used before: its runtime spins for
 * milliseconds, every thread must arrive at every barrier, and a library cannot change that; with
 * another program on one of two processors two threads were up to seven times slower than one.
 */
#define _GNU_SOURCE
#include "base/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

enum { SPINS = 1000, CACHE_LINE = 64 };

typedef struct PoolPart {
    _Alignas(CACHE_LINE) _Atomic uint64_t range; /* from in the upper half, to in the lower */
} PoolPart;

typedef struct PoolThread {
    Pool *pool;
    int worker;
    pthread_t id;
} PoolThread;

struct Pool {
    const LiederAllocator *alloc;
    int nthread;         /* workers, the caller included */
    int nroom;           /* workers that parts and threads have room for */
    PoolPart *parts;     /* by worker */
    PoolThread *threads; /* [0] is the caller's and not used */

    /* the run under way */
    PoolWork *work;
    void *argument;
    size_t n, piece;

    _Alignas(CACHE_LINE) _Atomic size_t left;  /* pieces that are not done */
    _Alignas(CACHE_LINE) _Atomic uint32_t run; /* counts the runs */
    atomic_bool stop, caller_sleeps;
    _Atomic int sleepers;
    pthread_mutex_t mutex;
    pthread_cond_t begun, done;
};

static inline void pause_shortly(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

/* ------------------------------------------------------------------ pieces */

/* takes a piece from the front or the back of a part; false if it is empty */
static bool take_piece(PoolPart *part, bool front, uint32_t *piece)
{
    uint64_t range = atomic_load_explicit(&part->range, memory_order_relaxed);
    for (;;) {
        uint32_t from = (uint32_t)(range >> 32), to = (uint32_t)range;
        if (from >= to)
            return false;
        *piece = front ? from : to - 1;
        uint64_t rest = front ? (uint64_t)(from + 1) << 32 | to : (uint64_t)from << 32 | (to - 1);
        if (atomic_compare_exchange_weak_explicit(&part->range, &range, rest, memory_order_acquire,
                                                  memory_order_relaxed))
            return true;
    }
}

static void do_piece(Pool *pool, int worker, uint32_t piece)
{
    size_t first = piece * pool->piece, end = first + pool->piece;
    pool->work(pool->argument, worker, first, end < pool->n ? end : pool->n);
    if (atomic_fetch_sub_explicit(&pool->left, 1, memory_order_seq_cst) != 1)
        return;
    if (atomic_load_explicit(&pool->caller_sleeps, memory_order_seq_cst)) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_signal(&pool->done);
        pthread_mutex_unlock(&pool->mutex);
    }
}

/* the own part first, then those of the others */
static void do_pieces(Pool *pool, int worker)
{
    uint32_t piece;
    for (int i = 0; i < pool->nthread; i++) {
        PoolPart *part = &pool->parts[(worker + i) % pool->nthread];
        while (take_piece(part, i == 0, &piece))
            do_piece(pool, worker, piece);
    }
}

/* ------------------------------------------------------------------ threads */

/* until there is another run than `seen`; false: the pool is destroyed */
static bool wait_for_run(Pool *pool, uint32_t *seen)
{
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load_explicit(&pool->run, memory_order_acquire) != *seen)
            break;
        pause_shortly();
    }
    if (atomic_load_explicit(&pool->run, memory_order_acquire) == *seen) {
        pthread_mutex_lock(&pool->mutex);
        atomic_fetch_add(&pool->sleepers, 1);
        while (atomic_load(&pool->run) == *seen && !atomic_load(&pool->stop))
            pthread_cond_wait(&pool->begun, &pool->mutex);
        atomic_fetch_sub(&pool->sleepers, 1);
        pthread_mutex_unlock(&pool->mutex);
    }
    *seen = atomic_load(&pool->run);
    return !atomic_load(&pool->stop);
}

static void *thread_main(void *argument)
{
    PoolThread *t = argument;
    uint32_t seen = 0;
    while (wait_for_run(t->pool, &seen))
        do_pieces(t->pool, t->worker);
    return NULL;
}

/* as many threads as there are to be had; signals are left to the threads of the program */
static void start_threads(Pool *pool)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (int i = 1; i < pool->nroom; i++) {
        pool->threads[i] = (PoolThread){.pool = pool, .worker = i};
        if (pthread_create(&pool->threads[i].id, NULL, thread_main, &pool->threads[i]) != 0)
            break;
        pool->nthread = i + 1;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

Pool *pool_create(const LiederAllocator *alloc, int threads)
{
    Pool *pool = memory_aligned(alloc, sizeof *pool);
    if (!pool)
        return NULL;
    *pool = (Pool){.alloc = alloc, .nthread = 1, .nroom = threads > 1 ? threads : 1};
    pool->parts = memory_aligned(alloc, (size_t)pool->nroom * sizeof *pool->parts);
    pool->threads = memory_zeroed(alloc, (size_t)pool->nroom * sizeof *pool->threads);
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->begun, NULL);
    pthread_cond_init(&pool->done, NULL);
    if (!pool->parts || !pool->threads) {
        pool_destroy(pool);
        return NULL;
    }
    start_threads(pool);
    return pool;
}

void pool_destroy(Pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->stop, true);
    atomic_fetch_add(&pool->run, 1); /* those that pause notice, too */
    pthread_cond_broadcast(&pool->begun);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 1; i < pool->nthread; i++)
        pthread_join(pool->threads[i].id, NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->begun);
    pthread_mutex_destroy(&pool->mutex);
    const LiederAllocator *alloc = pool->alloc;
    memory_free_aligned(alloc, pool->parts, (size_t)pool->nroom * sizeof *pool->parts);
    memory_free(alloc, pool->threads, (size_t)pool->nroom * sizeof *pool->threads);
    memory_free_aligned(alloc, pool, sizeof *pool);
}

int pool_threads(const Pool *pool)
{
    return pool->nthread;
}

/* ------------------------------------------------------------------ a run */

/* fills the parts and wakes the threads that sleep */
static void begin_run(Pool *pool, uint32_t npiece)
{
    uint32_t n = (uint32_t)pool->nthread;
    atomic_store_explicit(&pool->left, npiece, memory_order_relaxed);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t from = (uint64_t)npiece * i / n, to = (uint64_t)npiece * (i + 1) / n;
        atomic_store_explicit(&pool->parts[i].range, from << 32 | to, memory_order_release);
    }
    atomic_fetch_add(&pool->run, 1);
    if (atomic_load(&pool->sleepers) > 0) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_broadcast(&pool->begun);
        pthread_mutex_unlock(&pool->mutex);
    }
}

/* until the pieces that others have taken are done */
static void end_run(Pool *pool)
{
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load_explicit(&pool->left, memory_order_acquire) == 0)
            return;
        pause_shortly();
    }
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->caller_sleeps, true);
    while (atomic_load(&pool->left) != 0)
        pthread_cond_wait(&pool->done, &pool->mutex);
    atomic_store(&pool->caller_sleeps, false);
    pthread_mutex_unlock(&pool->mutex);
}

void pool_run(Pool *pool, size_t n, size_t piece, PoolWork *work, void *argument)
{
    if (n == 0)
        return;
    if (piece < n / UINT32_MAX + 1) /* numbers of pieces have 32 bits */
        piece = n / UINT32_MAX + 1;
    if (pool->nthread == 1 || n <= piece) {
        work(argument, 0, 0, n);
        return;
    }
    pool->work = work;
    pool->argument = argument;
    pool->n = n;
    pool->piece = piece;
    begin_run(pool, (uint32_t)((n + piece - 1) / piece));
    do_pieces(pool, 0);
    end_run(pool);
}
