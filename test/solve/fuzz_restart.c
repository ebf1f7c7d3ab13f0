/* fuzz_restart.c - libFuzzer target: no bytes make a state file crash the reader or get through
 * with numbers that no run writes.
 *
 * The input replaces bytes of a right state file: pairs of a place and a value; its length may be
 * changed as well. The checksum is then made right, since a wrong one is refused before anything
 * else is looked at.
 *
 *   clang -std=gnu17 -g -O1 -fsanitize=fuzzer,address,undefined,float-cast-overflow \
 *     -Iinclude -Isrc test/solve/fuzz_restart.c src/solve/run/restart.c build/liblieder.a \
 *     -lklu -lm ... -o fuzz_restart
 *   ./fuzz_restart -max_len=64 NEW_CORPUS test/solve/corpus
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/intern.h"
#include "solve/run/restart.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz_restart: %s\n", what);
        abort();
    }
}

enum { MAX_FILE = 1024, MAX_NUMBERS = 64 };

/* a system, and a state file of it */
typedef struct Given {
    Lieder *session;
    LiederSystem *system;
    size_t size;
    unsigned char bytes[MAX_FILE];
} Given;

static Given make_known(void)
{
    char file[] = "/tmp/lieder_fuzz_XXXXXX";
    Given k = {.session = lieder_create(NULL)};
    k.system = lieder_system_create(k.session, "Examples.CraneCrab", NULL);
    require(k.system, "no system");
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.solver = LIEDER_RK4;
    o.step = 1e-3;
    o.stop = 0.1;
    o.checkpoint = file;
    int fd = mkstemp(file);
    require(fd >= 0 && lieder_simulate(k.system, &o, NULL) == LIEDER_DONE, "no run");
    close(fd);
    FILE *f = fopen(file, "rb");
    k.size = fread(k.bytes, 1, sizeof k.bytes, f);
    fclose(f);
    unlink(file);
    require(k.system->nstate + k.system->nchoice + k.system->nmemory <= MAX_NUMBERS,
            "too many states");
    return k;
}

static void check_numbers(const Given *k, const Checkpoint *c, const double *x)
{
    require(isfinite(c->t) && isfinite(c->origin) && isfinite(c->step) && isfinite(c->wanted) &&
                c->step >= 0 && c->wanted >= 0 && c->solver > LIEDER_SOLVER_AUTO &&
                c->solver < LIEDER_SOLVER_COUNT && c->counter < (size_t)1 << 53,
            "numbers that no run writes");
    for (size_t i = 0; i < k->system->nstate; i++)
        require(isfinite(x[i]), "a state that is not a number");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Given known;
    if (!known.session)
        known = make_known();
    unsigned char bytes[MAX_FILE + 16];
    size_t n = known.size;
    memcpy(bytes, known.bytes, n);
    if (size % 3 == 1)
        n = data[--size] * n / 200 < MAX_FILE ? data[size] * n / 200 : n;
    for (size_t i = 0; i + 1 < size && n; i += 2)
        bytes[data[i] % n] = data[i + 1];
    if (n >= 8) {
        unsigned long long sum = hash_bytes(HASH_SEED, bytes, n - 8);
        memcpy(bytes + n - 8, &sum, 8);
    }
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    size_t done;
    char path[64];
    require(fd >= 0 && file_write(fd, -1, bytes, n, &done) == 0, "no file in memory");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    Checkpoint c;
    double x[MAX_NUMBERS], choices[MAX_NUMBERS], memory[MAX_NUMBERS];
    Crossing crossings[MAX_NUMBERS];
    Events held = {.choices = choices, .crossings = crossings, .memory = memory};
    lieder_diagnostic_clear(known.session);
    LiederStatus status = checkpoint_read(known.system, path, &c, x, &held);
    require((status < 0) == (lieder_diagnostic_count(known.session) > 0),
            "refused without a reason");
    if (status >= 0)
        check_numbers(&known, &c, x);
    close(fd);
    return 0;
}
