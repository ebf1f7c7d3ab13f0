/* result.c - a file of results: which format, and what the formats share.
 *
 * The format is chosen by what the file begins with, not by its name: a MATLAB v4 file begins with
 * a type number below 5000 and has NUL bytes, HDF5 with eight bytes of its own; text has no NUL.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "picture/format.h"

/* ------------------------------------------------------------------ what went wrong */

LiederStatus result_fail(Result *r, LiederStatus status, const char *format, ...)
{
    if (r->status < 0)
        return r->status;
    va_list args;
    va_start(args, format);
    vsnprintf(r->message, sizeof r->message, format, args);
    va_end(args);
    return r->status = status;
}

LiederStatus result_fail_memory(Result *r)
{
    return result_fail(r, LIEDER_NO_MEMORY, "out of memory for the results in %.700s", r->path);
}

void result_note(Result *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(r->message, sizeof r->message, format, args);
    va_end(args);
}

/* ------------------------------------------------------------------ columns */

ResultColumn *result_add(Result *r, const char *name, size_t n)
{
    const char *copy = arena_text(&r->arena, name, n);
    ResultColumn column = {.name = copy, .unit = "", .text = "", .sign = 1};
    if (copy && vec_push(&r->alloc, &r->columns, column))
        return &r->columns.items[r->columns.n - 1];
    result_fail_memory(r);
    return NULL;
}

ptrdiff_t result_find(const Result *r, const char *name)
{
    for (size_t i = 0; i < r->columns.n; i++)
        if (strcmp(r->columns.items[i].name, name) == 0)
            return (ptrdiff_t)i;
    return -1;
}

static void find_time(Result *r)
{
    ptrdiff_t at = result_find(r, "time");
    if (at < 0)
        at = result_find(r, "Time"); // old Dymola files
    r->time = at < 0 ? 0 : (size_t)at;
}

/* ------------------------------------------------------------------ open, read, close */

/* the format of a result by its first bytes */
static LiederStatus choose_format(Result *r)
{
    unsigned char head[64];
    size_t n = fread(head, 1, sizeof head, r->file);
    if (ferror(r->file))
        return result_fail(r, LIEDER_IO, "cannot read %.700s: %s", r->path, strerror(errno));
    if (n == 0)
        return result_fail(r, LIEDER_IO, "%.700s is empty: it holds no results", r->path);
    r->format = memchr(head, '\0', n) ? &result_mat : &result_csv;
    if (n >= 8 && memcmp(head, "\x89HDF\r\n\x1a\n", 8) == 0)
        r->format = &result_h5;
    rewind(r->file);
    return r->format->head(r);
}

LiederStatus result_open(Result *r, const LiederAllocator *alloc, const char *path)
{
    *r = (Result){.path = path, .alloc = alloc ? *alloc : memory_default};
    arena_init(&r->arena, &r->alloc);
    struct stat kind;
    if (stat(path, &kind) == 0 && !S_ISREG(kind.st_mode)) // it is read several times, from anywhere
        return result_fail(r, LIEDER_IO, "cannot read %.700s: it is no regular file", path);
    r->file = fopen(path, "rb");
    if (!r->file)
        return result_fail(r, LIEDER_IO, "cannot read %.700s: %s", path, strerror(errno));
    if (choose_format(r) < 0)
        return r->status;
    find_time(r);
    return r->status;
}

LiederStatus result_read(Result *r, const size_t *columns, size_t n, ResultRow *row, void *user)
{
    if (r->status < 0)
        return r->status;
    double *values = memory_zeroed(&r->alloc, (n + 1) * sizeof *values);
    if (!values)
        return result_fail_memory(r);
    LiederStatus status = r->format->rows(r, columns, n, row, user, values);
    memory_free(&r->alloc, values, (n + 1) * sizeof *values);
    return status;
}

void result_close(Result *r)
{
    if (r->format && r->format->close)
        r->format->close(r);
    if (r->file)
        fclose(r->file);
    r->file = NULL;
    memory_free(&r->alloc, r->line, r->line_room);
    r->line = NULL;
    r->line_room = 0;
    vec_drop(&r->alloc, &r->columns);
    arena_drop(&r->arena);
}
