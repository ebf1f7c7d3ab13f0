/* ranks.h - ranks as threads of one process, for tests: see LiederRanks. */
#ifndef TEST_HELP_RANKS_H
#define TEST_HELP_RANKS_H

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <lieder/lieder.h>

enum { MAX_RANKS = 8 };

typedef struct ThreadRanks {
    int count;
    int here, turn; /* of wait_for_all: ranks that have come, and how often all had come */
    double *values[MAX_RANKS]; /* of each rank, while they are combined */
    void *bytes[MAX_RANKS];    /* of each rank, on their way to the first one; or NULL */
    size_t calls;              /* of combine, by the first rank */
    LiederRanks ranks[MAX_RANKS];
    struct ThreadRank {
        struct ThreadRanks *all;
        int rank;
    } own[MAX_RANKS];
    const LiederLetter *letters[MAX_RANKS]; /* of each rank, while they are exchanged */
    size_t nletter[MAX_RANKS];
    size_t letters_sent, bytes_sent; /* by the first rank */
    pthread_mutex_t mutex;           /* of `bytes` */
    pthread_cond_t changed;
} ThreadRanks;

/* A barrier. Ranks meet some hundred thousand times: a futex takes one call of the system for each
 * that sleeps, pthread_barrier_wait several. */
static inline void wait_for_all(ThreadRanks *all)
{
    int turn = __atomic_load_n(&all->turn, __ATOMIC_ACQUIRE);
    if (__atomic_add_fetch(&all->here, 1, __ATOMIC_ACQ_REL) == all->count) {
        __atomic_store_n(&all->here, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&all->turn, turn + 1, __ATOMIC_RELEASE);
        syscall(SYS_futex, &all->turn, FUTEX_WAKE_PRIVATE, MAX_RANKS, NULL, NULL, 0);
    }
    while (__atomic_load_n(&all->turn, __ATOMIC_ACQUIRE) == turn)
        syscall(SYS_futex, &all->turn, FUTEX_WAIT_PRIVATE, turn, NULL, NULL, 0);
}

static inline void thread_combine(void *user, LiederCombine how, double *values, size_t n)
{
    struct ThreadRank *own = user;
    ThreadRanks *all = own->all;
    all->values[own->rank] = values;
    all->calls += own->rank == 0;
    wait_for_all(all);
    double *result = malloc((n + 1) * sizeof *result);
    for (size_t i = 0; i < n; i++) {
        result[i] = all->values[all->count - 1][i]; /* the order must not matter */
        for (int r = all->count - 1; r-- > 0;) {
            double other = all->values[r][i];
            if (how == LIEDER_SUM)
                result[i] += other;
            else if (!(other <= result[i]) && result[i] == result[i])
                result[i] = other;
        }
    }
    wait_for_all(all);
    memcpy(values, result, n * sizeof *values);
    free(result);
}

static inline void thread_collect(void *user, int from, void *bytes, size_t n)
{
    struct ThreadRank *own = user;
    ThreadRanks *all = own->all;
    pthread_mutex_lock(&all->mutex);
    if (own->rank == from) {
        all->bytes[from] = bytes;
        pthread_cond_broadcast(&all->changed);
        while (all->bytes[from])
            pthread_cond_wait(&all->changed, &all->mutex);
    } else {
        while (!all->bytes[from])
            pthread_cond_wait(&all->changed, &all->mutex);
        memcpy(bytes, all->bytes[from], n);
        all->bytes[from] = NULL;
        pthread_cond_broadcast(&all->changed);
    }
    pthread_mutex_unlock(&all->mutex);
}

static inline void thread_exchange(void *user, const LiederLetter *letters, size_t n)
{
    struct ThreadRank *own = user;
    ThreadRanks *all = own->all;
    all->letters[own->rank] = letters;
    all->nletter[own->rank] = n;
    wait_for_all(all);
    for (size_t i = 0; i < n; i++) {
        int from = letters[i].rank;
        for (size_t k = 0; k < all->nletter[from]; k++)
            if (all->letters[from][k].rank == own->rank && letters[i].nreceived)
                memcpy(letters[i].received, all->letters[from][k].sent, letters[i].nreceived);
        all->letters_sent += own->rank == 0;
        all->bytes_sent += own->rank == 0 ? letters[i].nsent : 0;
    }
    wait_for_all(all);
}

/* The calling thread and those that it starts stay on the processor that it is on. Waking a thread
 * up on another processor takes some ten times as long as on the own one, and ranks of tests wait
 * for each other more than they compute. */
static inline void ranks_stay_here(void)
{
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(sched_getcpu(), &here);
    sched_setaffinity(0, sizeof here, &here);
}

/* each thread takes one of ranks[0] ... ranks[count - 1] */
static inline ThreadRanks *ranks_create(int count)
{
    ThreadRanks *all = calloc(1, sizeof *all);
    all->count = count;
    pthread_mutex_init(&all->mutex, NULL);
    pthread_cond_init(&all->changed, NULL);
    for (int r = 0; r < count; r++) {
        all->own[r] = (struct ThreadRank){all, r};
        all->ranks[r] = (LiederRanks){.rank = r,
                                      .count = count,
                                      .combine = thread_combine,
                                      .collect = thread_collect,
                                      .exchange = thread_exchange,
                                      .user = &all->own[r]};
    }
    return all;
}

static inline void ranks_destroy(ThreadRanks *all)
{
    pthread_mutex_destroy(&all->mutex);
    pthread_cond_destroy(&all->changed);
    free(all);
}

#endif
