/* file.c - creating and writing files, shared by the formats that have one. 64-bit offsets. */
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif
#include "record/format.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

_Static_assert(sizeof(off_t) == 8, "results may be larger than 2 GB");

int file_create(Recorder *r)
{
    int fd;
    do
        fd = open(r->target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    while (fd < 0 && errno == EINTR);
    if (fd < 0 && errno == ENOENT)
        record_fail(r, LIEDER_IO, "cannot write results to %.700s: the directory does not exist",
                    r->target);
    else if (fd < 0)
        record_fail_write(r, errno, 0);
    return fd;
}

int file_write(int fd, off_t at, const void *bytes, size_t n, size_t *done)
{
    *done = 0;
    while (*done < n) {
        const char *from = (const char *)bytes + *done;
        ssize_t some =
            at < 0 ? write(fd, from, n - *done) : pwrite(fd, from, n - *done, at + (off_t)*done);
        if (some > 0)
            *done += (size_t)some;
        else if (some == 0)
            return ENOSPC;
        else if (errno != EINTR)
            return errno;
    }
    return 0;
}
