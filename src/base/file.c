/* file.c - see file.h.
 *
 * Publishing is rename(2). Where the system refuses it although the file may be written (a single
 * file mounted into a container, a directory of another user), the bytes are copied into the old
 * file at that moment and the descriptor leads there from then on, unless FILE_ATOMIC forbids it.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(off_t) == 8, "files may be larger than 2 GB");

enum {
    MAX_LINKS = 40,   /* as the kernel */
    MAX_ATTEMPTS = 8, /* at a random name */
    KEPT_NAME = 200,  /* characters of the target's name in the temporary one */
    READER_NAPS = 500 /* of 10 ms, for a pipe to get a reader */
};

/* ------------------------------------------------------------------ names */

/* where the name itself begins */
static size_t base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash + 1 - path) : 0;
}

/* the path with the symbolic links at its end followed; 0 or an errno */
static int follow_links(const char *path, char target[FILE_PATH])
{
    char link[FILE_PATH], next[FILE_PATH];
    if (!*path)
        return ENOENT;
    if (snprintf(target, FILE_PATH, "%s", path) >= FILE_PATH)
        return ENAMETOOLONG;
    for (int i = 0; i < MAX_LINKS; i++) {
        ssize_t n = readlink(target, link, sizeof link - 1);
        if (n < 0)
            return errno == EINVAL || errno == ENOENT ? 0 : errno;
        link[n] = '\0';
        int directory = *link == '/' ? 0 : (int)base_of(target);
        if (snprintf(next, sizeof next, "%.*s%s", directory, target, link) >= (int)sizeof next)
            return ENAMETOOLONG;
        memcpy(target, next, sizeof next);
    }
    return ELOOP;
}

/* a name beside the target that cannot be predicted: ".NAME.RANDOM" */
static int random_name(const char *target, char beside[FILE_PATH])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
    uint64_t number;
    char text[13];
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        return errno;
    for (size_t i = 0; i < sizeof text - 1; i++, number >>= 5)
        text[i] = letters[number & 31];
    text[sizeof text - 1] = '\0';
    size_t base = base_of(target);
    int n = snprintf(beside, FILE_PATH, "%.*s.%.*s.%s", (int)base, target, KEPT_NAME, target + base,
                     text);
    return n < FILE_PATH ? 0 : ENAMETOOLONG;
}

/* ------------------------------------------------------------------ opening */

/* a file without a name in the target's directory; -1: this system or directory has none */
static int open_unnamed(const char *target)
{
    char directory[FILE_PATH];
    size_t base = base_of(target);
    if (access("/proc/self/fd", X_OK) != 0) // it could get no name later
        return -1;
    snprintf(directory, sizeof directory, "%.*s", (int)base, target);
    return open(base ? directory : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
}

/* a new file in the folder of the target: without a name where the system can, else with a random
 * one; 0 or errno */
static int open_beside(NewFile *f)
{
    f->fd = f->flags & FILE_NAMED ? -1 : open_unnamed(f->target);
    f->unnamed = f->fd >= 0;
    for (int i = 0; i < MAX_ATTEMPTS && f->fd < 0; i++) {
        int error = random_name(f->target, f->beside);
        if (error)
            return error;
        f->fd =
            open(f->beside, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0666);
        if (f->fd < 0 && errno != EEXIST && errno != EINTR) {
            error = errno;
            f->beside[0] = '\0';
            return error;
        }
    }
    return f->fd < 0 ? EEXIST : 0;
}

/* permissions and owner of the file that will be replaced */
static void take_over_rights(int fd, const struct stat *old)
{
    struct stat own;
    if (fstat(fd, &own) == 0 && (own.st_uid != old->st_uid || own.st_gid != old->st_gid) &&
        fchown(fd, old->st_uid, old->st_gid) != 0 && fchown(fd, (uid_t)-1, old->st_gid) != 0)
        return; // another user's: the new one is ours, with the rights of a new file
    fchmod(fd, old->st_mode & 0777);
}

/* a pipe without a reader gets a while to find one: both ends are often started together */
static int open_stream(NewFile *f)
{
    f->stream = true;
    for (int i = 0;; i++) {
        f->fd = open(f->target, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
        if (f->fd >= 0)
            break;
        struct timespec nap = {.tv_nsec = 10000000};
        if (errno != ENXIO || i == READER_NAPS || nanosleep(&nap, NULL) != 0)
            return errno == EINTR ? ENXIO : errno;
    }
    struct stat now;
    if (fstat(f->fd, &now) != 0 || !(S_ISFIFO(now.st_mode) || S_ISCHR(now.st_mode)))
        return FILE_NOT_REGULAR; // it was exchanged
    int flags = fcntl(f->fd, F_GETFL);
    return flags < 0 || fcntl(f->fd, F_SETFL, flags & ~O_NONBLOCK) < 0 ? errno : 0;
}

/* opens by what the target is: absent or a regular file, beside it; a pipe, itself; anything else
 * is refused */
static int open_kind(NewFile *f)
{
    struct stat old;
    bool there = stat(f->target, &old) == 0;
    if (!there && errno != ENOENT)
        return errno;
    if (!f->target[base_of(f->target)])
        return EISDIR; // "folder/"
    if (!there)
        return open_beside(f);
    if (S_ISDIR(old.st_mode))
        return EISDIR;
    if (S_ISFIFO(old.st_mode) || S_ISCHR(old.st_mode))
        return f->flags & FILE_STREAMS ? open_stream(f) : FILE_NOT_REGULAR;
    if (!S_ISREG(old.st_mode))
        return FILE_NOT_REGULAR;
    if (faccessat(AT_FDCWD, f->target, W_OK, AT_EACCESS) != 0)
        return errno; // what is protected is not replaced
    int error = open_beside(f);
    if (error == 0)
        take_over_rights(f->fd, &old);
    if ((error != EACCES && error != EPERM) || f->flags & FILE_ATOMIC)
        return error;
    f->fd = memfd_create("lieder", MFD_CLOEXEC);
    f->in_place = true;
    return f->fd < 0 ? error : 0;
}

int new_file_open(NewFile *f, const char *path, int flags)
{
    *f = (NewFile){.fd = -1, .flags = flags};
    int error = follow_links(path, f->target);
    if (!error)
        error = open_kind(f);
    if (error)
        new_file_close(f);
    return error;
}

int new_file_try(const char *path, int flags)
{
    NewFile f;
    int error = new_file_open(&f, path, flags);
    new_file_close(&f);
    return error;
}

FILE *new_file_stream(const NewFile *f)
{
    int copy = fcntl(f->fd, F_DUPFD_CLOEXEC, 3);
    FILE *stream = copy < 0 ? NULL : fdopen(copy, "wb");
    if (!stream && copy >= 0) {
        int error = errno;
        close(copy);
        errno = error;
    }
    return stream;
}

/* ------------------------------------------------------------------ publishing */

/* what is there so far, from one descriptor to another */
static int copy_bytes(int from, int to)
{
    char block[16384];
    for (off_t at = 0;;) {
        ssize_t n = pread(from, block, sizeof block, at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : 0;
        size_t done;
        int error = file_write(to, -1, block, (size_t)n, &done);
        if (error)
            return error;
        at += n;
    }
}

/* the old file with the new bytes; the descriptor leads there from now on */
static int copy_in_place(NewFile *f)
{
    struct stat now;
    int fd = open(f->target, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    int error = 0;
    if (fstat(fd, &now) != 0 || !S_ISREG(now.st_mode))
        error = FILE_NOT_REGULAR;
    else if (ftruncate(fd, 0) != 0)
        error = errno;
    if (!error)
        error = copy_bytes(f->fd, fd);
    if (!error && dup3(fd, f->fd, O_CLOEXEC) < 0)
        error = errno;
    close(fd);
    return error;
}

/* a random name beside the target for a file that was opened without one; 0 or errno */
static int give_name(NewFile *f)
{
    char own[64];
    snprintf(own, sizeof own, "/proc/self/fd/%d", f->fd);
    for (int i = 0; i < MAX_ATTEMPTS; i++) {
        int error = random_name(f->target, f->beside);
        if (error)
            return error;
        if (linkat(AT_FDCWD, own, AT_FDCWD, f->beside, AT_SYMLINK_FOLLOW) == 0) {
            f->unnamed = false;
            return 0;
        }
        error = errno;
        f->beside[0] = '\0';
        if (error != EEXIST)
            return error;
    }
    return EEXIST;
}

int new_file_publish(NewFile *f)
{
    struct stat old;
    int error = 0;
    if (f->published || f->stream)
        return 0;
    bool atomic = f->flags & FILE_ATOMIC, there = lstat(f->target, &old) == 0;
    if (there && !S_ISREG(old.st_mode))
        return FILE_NOT_REGULAR; // it has become something else meanwhile
    if (f->flags & FILE_SYNCED && fsync(f->fd) != 0 && errno != EINVAL)
        return errno;
    if (f->unnamed)
        error = give_name(f);
    if (!error && !f->in_place && rename(f->beside, f->target) != 0)
        error = errno;
    if (!error && !f->in_place)
        f->beside[0] = '\0';
    if (f->in_place || (!atomic && there && (error == EBUSY || error == EPERM || error == EACCES)))
        error = copy_in_place(f);
    f->published = !error;
    return error;
}

int new_file_close(NewFile *f)
{
    int error = 0;
    if (f->fd >= 0 && close(f->fd) != 0 && errno != EINTR)
        error = errno; // a network file system may report only now that there was no room
    f->fd = -1;
    if (f->beside[0])
        unlink(f->beside);
    f->beside[0] = '\0';
    return error;
}

/* ------------------------------------------------------------------ writing */

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

const char *file_reason(int error, char buffer[FILE_REASON])
{
    switch (error) {
    case FILE_NOT_REGULAR:
        return "it is not a regular file, and only those are replaced";
    case ENOENT:
        return "the directory does not exist";
    case ENXIO:
        return "it is a pipe or a socket that no program reads from";
    default:
        return strerror_r(error, buffer, FILE_REASON);
    }
}

/* ------------------------------------------------------------------ reading */

/* Waits for a writer of a pipe that does not block. True: a program has opened it to write; *first
 * is the first byte, or -1 if there is none yet. False: none has for two seconds. */
static bool await_writer(int fd, int *first)
{
    enum { TRIES = 20 };
    struct timespec pause = {.tv_nsec = 100000000};
    *first = -1;
    for (int k = 0; k < TRIES; k++) {
        unsigned char c;
        ssize_t n = read(fd, &c, 1);
        if (n > 0)
            *first = c;
        if (n != 0)
            return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

/* a device that may have no end, such as /dev/zero: a block device, or a character device that is
 * no terminal and can be read */
static bool is_endless(int fd, const struct stat *s)
{
    unsigned char c;
    return S_ISBLK(s->st_mode) || (S_ISCHR(s->st_mode) && !isatty(fd) && read(fd, &c, 1) > 0);
}

FILE *file_open_to_read(const char *path, const char **why)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY), first = -1;
    struct stat s;
    bool ok = fd >= 0 && fstat(fd, &s) == 0;
    if (ok && S_ISDIR(s.st_mode)) {
        errno = EISDIR;
        ok = false;
    }
    if (ok && S_ISFIFO(s.st_mode) && !await_writer(fd, &first)) {
        close(fd);
        *why = "it is a pipe that no program writes to";
        return NULL;
    }
    if (ok && is_endless(fd, &s)) {
        close(fd);
        *why = "it is a device without an end";
        return NULL;
    }
    FILE *file = ok && fcntl(fd, F_SETFL, 0) == 0 ? fdopen(fd, "rb") : NULL;
    if (file && first >= 0)
        ungetc(first, file);
    if (!file)
        *why = strerror(errno);
    if (!file && fd >= 0)
        close(fd);
    return file;
}

/* ------------------------------------------------------------------ the same file */

/* the directory of a path */
static bool stat_directory(const char *path, struct stat *s)
{
    char directory[FILE_PATH];
    size_t base = base_of(path);
    snprintf(directory, sizeof directory, "%.*s", (int)base, path);
    return stat(base ? directory : ".", s) == 0;
}

bool file_same(const char *a, const char *b)
{
    char one[FILE_PATH], other[FILE_PATH];
    struct stat s, t;
    bool there = stat(a, &s) == 0, also = stat(b, &t) == 0;
    if (there != also)
        return false;
    if (there)
        return s.st_dev == t.st_dev && s.st_ino == t.st_ino && S_ISREG(s.st_mode);
    // neither is there yet: the same name in the same directory
    return follow_links(a, one) == 0 && follow_links(b, other) == 0 &&
           strcmp(one + base_of(one), other + base_of(other)) == 0 && stat_directory(one, &s) &&
           stat_directory(other, &t) && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}
