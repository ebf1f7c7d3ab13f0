/* paths.c - the files of a command: none that is written may be another one of them.
 *
 * Names are compared by the files they lead to (base/file.h): ./X, a hard or a symbolic link to X
 * and X are one. Texts of any length: a name that is cut would be the name of another file.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"

/* a socket, or not given */
static bool is_file(const PathOfCommand *p)
{
    return p->path && !strstr(p->path, "://");
}

/* the stream of the program that goes to the same regular file, as in -o run.csv > run.csv; NULL:
 * none */
static const char *stream_of(const char *path)
{
    static const char *const names[] = {"the standard input", "the standard output",
                                        "the standard error"};
    struct stat file, stream;
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode))
        return NULL;
    for (int fd = 0; fd < 3; fd++)
        if (fstat(fd, &stream) == 0 && stream.st_dev == file.st_dev &&
            stream.st_ino == file.st_ino)
            return names[fd];
    return NULL;
}

static bool report_same(Log *log, const PathOfCommand *out, const char *other)
{
    log_error(log,
              "%s and %s are the same file, %.700s: one would overwrite the other\n"
              "give each a name of its own",
              out->what, other, out->path);
    return false;
}

bool paths_check(Log *log, const PathOfCommand *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const PathOfCommand *out = &list[i];
        const char *stream = out->written && is_file(out) ? stream_of(out->path) : NULL;
        if (stream)
            return report_same(log, out, stream);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            const PathOfCommand *out = &list[i], *other = &list[k];
            if (i == k || !out->written || (other->written && k < i) || !is_file(out) ||
                !is_file(other) || !file_same(out->path, other->path))
                continue;
            return report_same(log, out, other->what);
        }
    return true;
}

bool paths_check_read(Log *log, const Loaded *loaded, const char *what, const char *path)
{
    const char *file;
    bool apart = true;
    for (size_t i = 0; apart && (file = front_file_read(loaded->front, i)); i++)
        apart = paths_check(
            log, (PathOfCommand[]){{what, path, true}, {"a file of the model", file, false}}, 2);
    for (size_t i = 0; apart && i < log->nextension; i++)
        apart = paths_check(
            log, (PathOfCommand[]){{what, path, true}, {"--load", log->extensions[i], false}}, 2);
    return apart;
}

bool paths_try_write(Log *log, const char *what, const char *path)
{
    char reason[FILE_REASON];
    int error = path ? new_file_try(path, FILE_ATOMIC) : 0;
    if (error)
        log_error(log, "cannot write the %s %s: %s", what, path, file_reason(error, reason));
    return !error;
}

bool paths_try_read(Log *log, const char *what, const char *path)
{
    struct stat st;
    if (!path)
        return true;
    if (stat(path, &st) != 0 || access(path, R_OK) != 0)
        log_error(log, "cannot read the %s %s: %s", what, path, strerror(errno));
    else if (!S_ISREG(st.st_mode))
        log_error(log, "cannot read the %s %s: it is no regular file", what, path);
    else
        return true;
    return false;
}

char *path_join(Log *log, const char *begin, size_t n, const char *end)
{
    char *text;
    if (asprintf(&text, "%.*s%s", (int)n, begin, end) >= 0)
        return text;
    log_error(log, "out of memory");
    return NULL;
}

char *path_of_results(Log *log, const char *given, const char *title, const char *ending)
{
    char *text = given ? path_join(log, given, strlen(given), "")
                       : path_join(log, title, strlen(title), ending);
    for (char *c = text; c && *c && !given; c++) // a name in quotes may hold anything
        if (*c == '/')
            *c = '_';
    return text;
}
