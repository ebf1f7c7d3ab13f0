/* file.c - the file of a recorder: written beside its target until the first row, see base/file.h.
 *
 * A result may be read while the run goes on, so the file gets its name before the end of the run:
 * when its first row is written. Then the result of an earlier run under this name is replaced by a
 * file that grows. A run that fails before, or whose first row finds no room on the disk, leaves
 * the old result as it was.
 *
 * A pipe (csv only) does not block: the run waits for its reader here, and stops waiting when
 * RecordOptions.interrupted says so.
 */
#include "record/format.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>

LiederStatus record_file_fail(Recorder *r, int error, size_t nrow)
{
    char buffer[FILE_REASON];
    const char *reason = file_reason(error, buffer);
    if (nrow == 0)
        return record_fail(r, LIEDER_IO, "cannot write results to %.700s: %s", r->target, reason);
    return record_fail(r, LIEDER_IO, "cannot write results to %.700s: %s (after %zu rows)",
                       r->target, reason, nrow);
}

LiederStatus record_file_open(Recorder *r, NewFile *f, int flags)
{
    int error = new_file_open(f, r->target, flags);
    if (!error && f->stream && fcntl(f->fd, F_SETFL, O_NONBLOCK) < 0)
        error = errno;
    return error ? record_file_fail(r, error, 0) : LIEDER_DONE;
}

LiederStatus record_file_publish(Recorder *r, NewFile *f)
{
    int error = new_file_publish(f);
    if (error)
        r->nlost = r->nrow;
    return error ? record_file_fail(r, error, 0) : LIEDER_DONE;
}

bool record_interrupted(const Recorder *r)
{
    return r->options.interrupted && r->options.interrupted(r->options.user);
}

int record_file_write(const Recorder *r, const NewFile *f, off_t at, const void *bytes, size_t n,
                      size_t *done)
{
    enum { WAIT = 50 }; /* ms */
    *done = 0;
    for (;;) {
        size_t some;
        int error = file_write(f->fd, at < 0 ? -1 : at + (off_t)*done, (const char *)bytes + *done,
                               n - *done, &some);
        *done += some;
        if (error != EAGAIN || !f->stream)
            return error;
        if (record_interrupted(r))
            return EINTR;
        poll(&(struct pollfd){.fd = f->fd, .events = POLLOUT}, 1, WAIT);
    }
}
