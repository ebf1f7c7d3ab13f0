/* test_pool.c - every task is done exactly once, whoever comes, however late. */
#include "base/pool.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_TASKS = 5000, MAX_WORKERS = 8 };

typedef struct Counts {
    unsigned done[MAX_TASKS]; /* plain numbers: two workers at one task are a data race */
    size_t n, piece;
    atomic_bool wrong;
} Counts;

static void count(void *argument, int worker, size_t first, size_t end)
{
    Counts *c = argument;
    if (worker < 0 || worker >= MAX_WORKERS || end > c->n || end - first > c->piece || end == first)
        atomic_store(&c->wrong, true);
    for (size_t i = first; i < end; i++)
        c->done[i]++;
}

/* sizes and pieces that fit and do not fit, many runs one after the other without a break */
static void each_task_once(void **unused)
{
    static const size_t sizes[] = {1, 2, 3, 7, 64, 1000, MAX_TASKS}, pieces[] = {1, 2, 5, 100};
    static Counts c;
    (void)unused;
    for (int threads = 1; threads <= MAX_WORKERS; threads += 1 + threads / 3) {
        Pool *pool = pool_create(&memory_default, threads);
        assert_non_null(pool);
        assert_int_equal(pool_threads(pool), threads);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
                enum { RUNS = 20 };
                memset(&c, 0, sizeof c);
                c.n = sizes[s];
                c.piece = threads == 1 ? MAX_TASKS : pieces[p];
                for (int run = 0; run < RUNS; run++)
                    pool_run(pool, c.n, pieces[p], count, &c);
                assert_false(atomic_load(&c.wrong));
                for (size_t i = 0; i < c.n; i++)
                    assert_int_equal(c.done[i], RUNS);
            }
        pool_destroy(pool);
    }
}

/* what one run leaves is seen by the next one, on whatever thread */
static void shift(void *argument, int worker, size_t first, size_t end)
{
    uint64_t(*v)[2] = argument;
    (void)worker;
    for (size_t i = first; i < end; i++)
        v[i][1] = v[(i + 777) % MAX_TASKS][0] + 1;
}

static void take_over(void *argument, int worker, size_t first, size_t end)
{
    uint64_t(*v)[2] = argument;
    (void)worker;
    for (size_t i = first; i < end; i++)
        v[i][0] = v[i][1];
}

static void runs_follow_each_other(void **unused)
{
    static uint64_t v[MAX_TASKS][2];
    Pool *pool = pool_create(&memory_default, 3);
    enum { RUNS = 300 };
    (void)unused;
    memset(v, 0, sizeof v);
    for (int run = 0; run < RUNS; run++) {
        pool_run(pool, MAX_TASKS, 50, shift, v);
        pool_run(pool, MAX_TASKS, 70, take_over, v);
    }
    for (size_t i = 0; i < MAX_TASKS; i++)
        assert_int_equal(v[i][0], RUNS);
    pool_destroy(pool);
}

/* One worker stays in its first piece until all other tasks are done: were tasks bound to threads,
 * or did a run wait for threads, this would never end. */
typedef struct Held {
    atomic_size_t others;
    atomic_bool holding;
    size_t n;
} Held;

static void hold(void *argument, int worker, size_t first, size_t end)
{
    Held *h = argument;
    (void)worker;
    (void)first;
    if (!atomic_exchange(&h->holding, true))
        while (atomic_load(&h->others) != h->n - (end - first))
            ;
    else
        atomic_fetch_add(&h->others, end - first);
}

static void others_do_the_rest(void **unused)
{
    Pool *pool = pool_create(&memory_default, 2);
    (void)unused;
    for (int run = 0; run < 20; run++) {
        Held h = {.n = 200};
        pool_run(pool, h.n, 3, hold, &h);
        assert_int_equal(atomic_load(&h.others), h.n - 3);
    }
    pool_destroy(pool);
}

/* ------------------------------------------------------------------ memory */

typedef struct Starved {
    long left, balance;
} Starved;

static void *starve(void *user, void *block, size_t old_size, size_t size)
{
    Starved *s = user;
    if (size > 0 && s->left-- <= 0)
        return NULL;
    s->balance += (long)size - (long)old_size;
    if (size > 0)
        return realloc(block, size);
    free(block);
    return NULL;
}

static void memory_may_run_out(void **unused)
{
    bool made = false;
    (void)unused;
    for (long k = 0; !made; k++) {
        Starved s = {.left = k};
        LiederAllocator alloc = {starve, &s};
        Pool *pool = pool_create(&alloc, 2);
        made = pool;
        assert_true(made || k < 3);
        pool_destroy(pool);
        assert_int_equal(s.balance, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_task_once), cmocka_unit_test(runs_follow_each_other),
        cmocka_unit_test(others_do_the_rest), cmocka_unit_test(memory_may_run_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
