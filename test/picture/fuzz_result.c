/* fuzz_result.c - libFuzzer target: no bytes make the readers of results crash, loop or lie.
 *
 * Each input is a file of results, text or MATLAB v4. Either it is refused with a message, or its
 * columns have names, every row has all of them, and a second reading gives the same rows. Now and
 * then memory runs out on the way.
 *
 *   clang -std=gnu17 -g -O1 -fsanitize=fuzzer,address,undefined,float-cast-overflow \
 *     -Iinclude -Isrc test/picture/fuzz_result.c src/picture/result*.c src/base/[a-z]*.c \
 *     -lm -o fuzz_result
 *   ./fuzz_result -max_len=4096 NEW_CORPUS test/picture/corpus
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/intern.h"
#include "picture/picture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "fuzz_result: %s\n", what);
        abort();
    }
}

/* an allocator that says no from the k-th request on */
static void *miser_resize(void *user, void *block, size_t old_size, size_t size)
{
    size_t *left = user;
    (void)old_size;
    if (size == 0) {
        free(block);
        return NULL;
    }
    if (*left == 0)
        return NULL;
    --*left;
    return realloc(block, size);
}

typedef struct Rows {
    size_t n, width;
    unsigned long long hash;
} Rows;

static bool take_row(void *user, const double *values)
{
    Rows *rows = user;
    rows->n++;
    rows->hash = hash_bytes(rows->hash, values, rows->width * sizeof *values);
    return rows->n < 100000;
}

static LiederStatus read_file(const char *path, size_t memory, Rows *rows)
{
    LiederAllocator miser = {.resize = miser_resize, .user = &memory};
    Result r;
    LiederStatus status = result_open(&r, &miser, path);
    *rows = (Rows){.hash = HASH_SEED};
    if (status == LIEDER_DONE) {
        require(r.columns.n > 0 && r.time < r.columns.n, "a result without columns");
        size_t n = r.columns.n < 50 ? r.columns.n : 50, columns[50];
        for (size_t i = 0; i < n; i++) {
            require(r.columns.items[i].name && r.columns.items[i].unit, "a column without texts");
            columns[i] = i;
        }
        rows->width = n;
        status = result_read(&r, columns, n, take_row, rows);
    }
    require(status >= 0 || *r.message, "a refusal without a reason");
    result_close(&r);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    size_t done;
    char path[64];
    require(fd >= 0 && file_write(fd, -1, data, size, &done) == 0, "no file in memory");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    Rows rows, again;
    LiederStatus status = read_file(path, SIZE_MAX, &rows);
    require(read_file(path, SIZE_MAX, &again) == status && rows.n == again.n &&
                rows.hash == again.hash,
            "a second reading gives something else");
    if (size % 4 == 0)
        read_file(path, size / 4 % 40, &again);
    close(fd);
    return 0;
}
