/* test_starved.c - every single allocation of a run fails once, whoever asks for it: SUNDIALS and
 * KLU do not come through the hook of the session, so that malloc itself is replaced here.
 *
 * Blocks of up to TINY bytes are spared. SUNDIALS 6.4 makes some of fixed size without looking at
 * the result (the table of its logger, the list of stages) or crashes when it cleans up after
 * them; there are five such places, and nobody but SUNDIALS can mend them. All that grows with the
 * model is larger. */
#include "help/sanitized.h"
#include "solve/help.h"

#include <errno.h>

#if IS_SANITIZED || !defined(__GLIBC__)
#define REPLACED 0 /* sanitizers have a malloc of their own */
#else
#define REPLACED 1
#endif

enum { TINY = 64 };

/* calls while armed, and the one that fails; live blocks of everybody */
static volatile bool armed;
static volatile size_t calls, fail_at;
static volatile long long live;

#if REPLACED
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

static bool refuse(size_t size)
{
    if (!armed || size <= TINY || ++calls != fail_at)
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    void *block = refuse(size) ? NULL : __libc_malloc(size);
    live += block != NULL;
    return block;
}

void *calloc(size_t n, size_t size)
{
    void *block = refuse(n * size) ? NULL : __libc_calloc(n, size);
    live += block != NULL;
    return block;
}

void *realloc(void *block, size_t size)
{
    void *moved = refuse(size) ? NULL : __libc_realloc(block, size);
    live += !block && moved;
    return moved;
}

void free(void *block)
{
    live -= block != NULL;
    __libc_free(block);
}
#endif

/* runs with the k-th allocation failing, for all k that occur */
static void starve(LiederSolver solver, LiederMethod method)
{
    long long before = live;
    Meter meter = {0};
    LiederAllocator alloc = METER_ALLOCATOR(&meter);
    Lieder *session = lieder_create(&alloc);
    build_crabs(session, "Crabs", 3, 1e-3);
    LiederSystemOptions options = lieder_system_defaults();
    options.method = method;
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.solver = solver;
    o.stop = 0.01;
    o.step = !lieder_solver_info(solver)->adaptive ? 1e-3 : 0;
    size_t k = 0, refused = 0;
    do {
        LiederSystem *system = lieder_system_create(session, "Crabs", &options);
        assert_non_null(system);
        calls = 0;
        fail_at = ++k;
        armed = true;
        LiederStatus status = lieder_simulate(system, &o, NULL);
        armed = false;
        if (status != LIEDER_DONE && status != LIEDER_NO_MEMORY)
            lieder_diagnostic_print_all(session, stderr);
        assert_true(status == LIEDER_DONE || status == LIEDER_NO_MEMORY);
        assert_true(status == LIEDER_DONE || lieder_diagnostic_count(session) > 0);
        refused += status != LIEDER_DONE;
        lieder_diagnostic_clear(session);
        lieder_system_destroy(system);
        assert_true(k < 5000);
    } while (calls >= fail_at);
    assert_true(refused > 3);
    lieder_destroy(session);
    assert_int_equal(meter.bytes, 0);
    assert_int_equal(meter.wrong, 0);
    printf("%s, method %d: %zu allocations, %zu of them vital, %lld blocks lost\n",
           lieder_solver_name(solver), (int)method, k - 1, refused, live - before);
}

static void every_allocation_may_fail(void **unused)
{
    (void)unused;
    if (!REPLACED)
        skip();
    for (LiederSolver solver = LIEDER_RK4; solver < LIEDER_SOLVER_COUNT; solver++) {
        starve(solver, LIEDER_METHOD_TREE);
        starve(solver, LIEDER_METHOD_SPARSE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
