/* record.c - chooses the format by the target, keeps the first error, decides when to flush.
 *
 * A flush is due after flush_rows rows or flush_seconds of wall clock, whichever comes first,
 * checked with every row: kill -9 then costs about a second of results. There is no thread
 * and no timer behind this; a program that pauses between rows calls record_flush.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "record/format.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/intern.h"
#include "base/text.h"

/* ------------------------------------------------------------------ errors, clock */

LiederStatus record_fail(Recorder *r, LiederStatus status, const char *format, ...)
{
    if (r->status < 0)
        return r->status;
    va_list args;
    va_start(args, format);
    vsnprintf(r->message, sizeof r->message, format, args);
    va_end(args);
    return r->status = status;
}

const char *record_error_text(int error, char *buffer, size_t size)
{
    return strerror_r(error, buffer, size);
}

LiederStatus record_fail_memory(Recorder *r, size_t nrow)
{
    return record_fail(r, LIEDER_NO_MEMORY,
                       "cannot record to %.700s: out of memory (after %zu rows)",
                       r->target ? r->target : "the target", nrow);
}

const char *record_message(const Recorder *r)
{
    return r->message;
}

const char *record_kept(const Recorder *r)
{
    return r->nrow > r->nlost ? "the rows up to there are kept" : "no row was written";
}

double record_clock(void)
{
    struct timespec t;
#ifdef CLOCK_MONOTONIC_COARSE
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t); // a few ms are fine enough, and it is cheap
#else
    clock_gettime(CLOCK_MONOTONIC, &t);
#endif
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ------------------------------------------------------------------ columns by name */

/* the slot that holds the name, or the free one where it belongs */
static size_t find_record_slot(const NameIndex *index, const RecordColumn *columns,
                               const char *name)
{
    size_t mask = index->nslots - 1;
    size_t at = (size_t)hash_bytes(HASH_SEED, name, strlen(name)) & mask;
    while (index->slots[at] && strcmp(columns[index->slots[at] - 1].name, name) != 0)
        at = (at + 1) & mask;
    return at;
}

bool names_init(NameIndex *index, const LiederAllocator *alloc, const RecordColumn *columns,
                size_t n, size_t *duplicate)
{
    *duplicate = n;
    index->nslots = 8;
    while (index->nslots < 2 * n)
        index->nslots *= 2;
    index->slots = memory_zeroed(alloc, index->nslots * sizeof *index->slots);
    if (!index->slots)
        return false;
    for (size_t i = 0; i < n; i++) {
        size_t at = find_record_slot(index, columns, columns[i].name);
        if (index->slots[at])
            *duplicate = i;
        else
            index->slots[at] = i + 1;
    }
    return true;
}

ptrdiff_t names_find(const NameIndex *index, const RecordColumn *columns, const char *name)
{
    return (ptrdiff_t)index->slots[find_record_slot(index, columns, name)] - 1;
}

void names_drop(NameIndex *index, const LiederAllocator *alloc)
{
    memory_free(alloc, index->slots, index->nslots * sizeof *index->slots);
    *index = (NameIndex){0};
}

/* ------------------------------------------------------------------ open */

RecordOptions record_defaults(void)
{
    return (RecordOptions){
        .flush_rows = 1024,
        .flush_seconds = 1,
        .memory_rows = 1024,
        .tcp_bytes = (size_t)4 << 20,
        .tcp_connect_seconds = 5,
        .tcp_wait_seconds = 0,
        .tcp_linger_seconds = 2,
    };
}

/* the format by how the target begins or ends */
static const RecordFormat *choose_record_format(const char *target)
{
    if (strncmp(target, "tcp://", 6) == 0 || strncmp(target, "tcp-listen://", 13) == 0)
        return &record_tcp;
    if (strcmp(target, "memory:") == 0)
        return &record_memory;
    if (text_ends(target, ".csv"))
        return &record_csv;
    if (text_ends(target, ".mat"))
        return &record_mat;
    if (text_ends(target, ".h5"))
        return &record_h5;
    return NULL;
}

/* every column has a name, "time" is ours, and no name comes twice */
static LiederStatus check_names(Recorder *r, const RecordColumn *columns)
{
    for (size_t i = 0; i < r->ncolumn; i++) {
        const char *name = columns[i].name;
        if (!name || !*name)
            return record_fail(r, LIEDER_BAD_USE, "cannot record column %zu: it has no name",
                               i + 1);
        if (strcmp(name, "time") == 0)
            return record_fail(r, LIEDER_BAD_USE,
                               "cannot record a column \"time\": the time is always recorded");
    }
    NameIndex index;
    size_t duplicate;
    if (!names_init(&index, &r->alloc, columns, r->ncolumn, &duplicate))
        return record_fail_memory(r, 0);
    names_drop(&index, &r->alloc);
    if (duplicate < r->ncolumn)
        return record_fail(r, LIEDER_BAD_USE, "cannot record \"%.700s\" twice",
                           columns[duplicate].name);
    return LIEDER_DONE;
}

static LiederStatus list_varying(Recorder *r, const RecordColumn *columns)
{
    r->varying = memory_zeroed(&r->alloc, r->ncolumn * sizeof *r->varying);
    if (!r->varying)
        return record_fail_memory(r, 0);
    for (size_t i = 0; i < r->ncolumn; i++)
        if (!columns[i].constant)
            r->varying[r->nvarying++] = i;
    return LIEDER_DONE;
}

/* gives everything back; status, counts and message stay */
static void drop_recorder(Recorder *r)
{
    if (r->format)
        r->format->drop(r);
    r->format = NULL;
    r->state = NULL;
    memory_free(&r->alloc, r->varying, (r->ncolumn ? r->ncolumn * sizeof *r->varying : 1));
    r->varying = NULL;
    memory_free_text(&r->alloc, r->target);
    r->target = NULL;
}

LiederStatus record_open(Recorder *r, const LiederAllocator *alloc, const char *target,
                         const RecordColumn *columns, size_t ncolumn, const RecordOptions *options)
{
    *r = (Recorder){.alloc = alloc ? *alloc : memory_default,
                    .options = options ? *options : record_defaults(),
                    .ncolumn = ncolumn};
    const RecordFormat *format = choose_record_format(target);
    if (!format)
        return record_fail(r, LIEDER_BAD_USE,
                           "cannot tell the result format of \"%.700s\": use a file name that ends "
                           "in .csv, .mat or .h5, tcp://HOST:PORT to connect to a reader, "
                           "tcp-listen://HOST:PORT or tcp://:PORT to wait for one, or memory:",
                           target);
    r->target = memory_text(&r->alloc, target);
    if (!r->target)
        return record_fail_memory(r, 0);
    if (check_names(r, columns) == LIEDER_DONE && list_varying(r, columns) == LIEDER_DONE) {
        r->format = format;
        format->open(r, columns);
    }
    if (r->status < 0)
        drop_recorder(r);
    r->flushed = record_clock();
    return r->status;
}

/* ------------------------------------------------------------------ the run */

bool record_any(const Recorder *r, bool here)
{
    const RecordTeam *team = r->options.team;
    double any = here;
    if (team)
        team->ranks->combine(team->ranks->user, LIEDER_GREATEST, &any, 1);
    return any > 0;
}

LiederStatus record_row(Recorder *r, double time, const double *values)
{
    if (r->status < 0)
        return r->status;
    assert(r->format && "record_row needs a recorder that is open: call record_open first");
    r->now = record_clock();
    r->nrow++;
    r->nwaiting++;
    if (r->format->row(r, time, values) < 0)
        return r->status;
    if (r->nrow == 1 && r->format->publish) // what was there goes when this row is written
        return r->format->flush(r) < 0 ? r->status : r->format->publish(r);
    bool due =
        r->nwaiting >= r->options.flush_rows || r->now - r->flushed >= r->options.flush_seconds;
    if (record_any(r, due))
        return record_flush(r);
    return LIEDER_DONE;
}

LiederStatus record_flush(Recorder *r)
{
    if (r->status < 0 || !r->format)
        return r->status;
    r->now = r->flushed = record_clock();
    r->nwaiting = 0;
    return r->format->flush(r);
}

LiederStatus record_close(Recorder *r)
{
    if (r->format && r->status == LIEDER_DONE && r->nrow == 0 && r->format->publish)
        r->format->publish(r);
    if (r->format && r->status == LIEDER_DONE)
        r->format->finish(r);
    drop_recorder(r);
    return r->status;
}

LiederStatus record_cancel(Recorder *r)
{
    if (r->nrow || !r->format || !r->format->publish)
        return record_close(r);
    drop_recorder(r);
    return r->status;
}
