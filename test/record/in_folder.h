/* in_folder.h - for tests that write files: a folder while a group of them runs. */
#ifndef TEST_RECORD_IN_FOLDER_H
#define TEST_RECORD_IN_FOLDER_H

#include "help.h"

static char *folder;

static inline int enter(void **unused)
{
    (void)unused;
    folder = scratch_create();
    return 0;
}

static inline int leave(void **unused)
{
    (void)unused;
    scratch_destroy(folder);
    return 0;
}

/* Rows of time i without end into a file, flushed every 50, by a process that is killed after so
 * many microseconds. values: what row i has. False: it was killed before it began. */
static inline bool record_until_killed(const char *path, const RecordColumn *columns, size_t n,
                                       double (*time_of)(size_t i),
                                       void (*values)(size_t i, double *to), useconds_t after)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        RecordOptions options = record_defaults();
        options.flush_rows = 50;
        Recorder r;
        double row[16];
        LiederStatus status = record_open(&r, NULL, path, columns, n, &options);
        for (size_t i = 0; status == LIEDER_DONE; i++) {
            values(i, row);
            status = record_row(&r, time_of(i), row);
        }
        _exit(1);
    }
    usleep(after);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    struct stat file;
    return stat(path, &file) == 0 && file.st_size > 0;
}

#endif
