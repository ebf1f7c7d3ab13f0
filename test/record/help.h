/* help.h - shared by the tests of record/: a counting and failing allocator, a scratch folder. */
#ifndef TEST_RECORD_HELP_H
#define TEST_RECORD_HELP_H

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/record.h"

/* calls counts what could fail; fail_at = k makes the k-th fail, 0 none; live must end at 0 */
typedef struct Meter {
    size_t calls, fail_at;
    long long live;
} Meter;

static inline void *meter_resize(void *user, void *block, size_t old_size, size_t size)
{
    Meter *m = user;
    if (size == 0) {
        m->live -= (long long)old_size;
        free(block);
        return NULL;
    }
    if (++m->calls == m->fail_at)
        return NULL;
    void *moved = realloc(block, size);
    m->live += moved ? (long long)size - (long long)old_size : 0;
    return moved;
}

static inline LiederAllocator meter_allocator(Meter *m)
{
    return (LiederAllocator){.resize = meter_resize, .user = m};
}

/* a folder for the test's files */
static inline char *scratch_create(void)
{
    char *folder = strdup("/tmp/lieder-record-XXXXXX");
    assert_non_null(mkdtemp(folder));
    return folder;
}

static inline void scratch_destroy(char *folder)
{
    char command[256];
    snprintf(command, sizeof command, "rm -r -- '%s'", folder);
    assert_int_equal(system(command), 0);
    free(folder);
}

static inline char *scratch_path(const char *folder, const char *name)
{
    char *path = malloc(strlen(folder) + strlen(name) + 2);
    sprintf(path, "%s/%s", folder, name);
    return path;
}

/* the whole file, NUL at the end */
static inline char *read_whole(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    long n = ftell(f);
    rewind(f);
    char *text = malloc((size_t)n + 1);
    assert_int_equal(fread(text, 1, (size_t)n, f), (size_t)n);
    fclose(f);
    text[n] = '\0';
    *size = (size_t)n;
    return text;
}

static inline void write_whole(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* entries of the folder that begin so */
static inline size_t count_files(const char *folder, const char *begin)
{
    DIR *d = opendir(folder);
    assert_non_null(d);
    size_t n = 0;
    for (struct dirent *e; (e = readdir(d));)
        n += strncmp(e->d_name, begin, strlen(begin)) == 0;
    closedir(d);
    return n;
}

/* Every k-th allocation of open failing: a clean refusal each time, nothing left behind. */
static inline void check_open_without_memory(const char *target, const RecordColumn *columns,
                                             size_t n, const RecordOptions *options)
{
    LiederStatus status = LIEDER_NO_MEMORY;
    size_t k = 1;
    for (; status == LIEDER_NO_MEMORY; k++) {
        assert_true(k < 1000);
        Meter m = {.fail_at = k};
        LiederAllocator alloc = meter_allocator(&m);
        Recorder r;
        status = record_open(&r, &alloc, target, columns, n, options);
        if (status == LIEDER_NO_MEMORY)
            assert_non_null(strstr(record_message(&r), "out of memory"));
        record_close(&r);
        assert_int_equal(m.live, 0);
    }
    assert_int_equal(status, LIEDER_DONE);
    assert_true(k > 3); // it did fail before it did not
}

/* Runs `work` in a child whose files may have `limit` bytes; true when the child found all well.
 * cmocka's asserts do not work across the fork. */
static inline bool with_file_limit(size_t limit, bool (*work)(const char *), const char *argument)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        struct rlimit l = {.rlim_cur = limit, .rlim_max = limit};
        _exit(setrlimit(RLIMIT_FSIZE, &l) == 0 && work(argument) ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#endif
