/* file.h - files that are replaced as a whole, and one file by several names.
 *
 * A NewFile is written beside its target and takes the target's place when it is published; until
 * then nothing that exists is touched, and what is dropped before leaves no trace.
 *
 *     NewFile f;
 *     char reason[FILE_REASON];
 *     int error = new_file_open(&f, "run.csv", FILE_STREAMS);
 *     ... file_write(f.fd, ...) ...
 *     if (!error)
 *         error = new_file_publish(&f);    // the descriptor stays open: it may be written on
 *     int closed = new_file_close(&f);     // unpublished: removed
 *     if (error || closed)
 *         fprintf(stderr, "%s\n", file_reason(error ? error : closed, reason));
 *
 * Only regular files are replaced. The temporary one has no name at all where the system can do
 * that (O_TMPFILE), else a random one in the same directory; it is created exclusively, so that
 * nothing planted there, no symbolic link above all, is followed or written to. Symbolic links of
 * the target itself are followed: the file they lead to is replaced, the link stays. Permissions
 * and, if allowed, the owner are those of the file that is replaced.
 */
#ifndef LIEDER_BASE_FILE_H
#define LIEDER_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

enum {
    FILE_STREAMS = 1, /* a pipe or a character device is written to, not replaced */
    FILE_ATOMIC = 2,  /* there is always a whole file: never written in place */
    FILE_SYNCED = 4,  /* on the disk before it is published: also after a loss of power */
    FILE_NAMED = 8,   /* beside from the start, as where there are no unnamed files */
};

/* besides errno */
enum { FILE_NOT_REGULAR = -1 };

enum { FILE_PATH = 4096, FILE_REASON = 160 };

/* The fields are to be read, not set. */
typedef struct NewFile {
    int fd;      /* -1: closed */
    bool stream; /* a pipe or device; publishing does nothing */
    bool in_place, unnamed, published;
    int flags;
    char target[FILE_PATH]; /* links followed */
    char beside[FILE_PATH]; /* the temporary name, or "" */
} NewFile;

/* Each gives 0, an errno or FILE_NOT_REGULAR; file_reason says it in words. */
int new_file_open(NewFile *f, const char *path, int flags);
int new_file_publish(NewFile *f);
/* what was not published is gone; closing twice does no harm */
int new_file_close(NewFile *f);
/* the descriptor as a stream of its own, which the caller closes; NULL: errno */
FILE *new_file_stream(const NewFile *f);
/* opens it and drops it: whether it could be written */
int new_file_try(const char *path, int flags);

/* All n bytes at the offset, or at the end for -1; 0 or an errno (EAGAIN for a pipe that is full
 * and does not block). `done` counts the bytes that went out. */
int file_write(int fd, off_t at, const void *bytes, size_t n, size_t *done);
const char *file_reason(int error, char buffer[FILE_REASON]);

/* A file or a pipe to be read. A pipe that no program opens to write for two seconds is refused,
 * where fopen would wait for ever. NULL: *why is the reason. */
FILE *file_open_to_read(const char *path, const char **why);

/* Would one overwrite the other? Names are compared by what they lead to, also if it is not there
 * yet. False for devices and pipes. */
bool file_same(const char *a, const char *b);

#endif
