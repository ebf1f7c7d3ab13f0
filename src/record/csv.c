/* csv.c - results as comma-separated text.
 *
 *     "time","cart.s","cart.m"
 *     0,0.1,5
 *
 * Names are quoted (a quote inside is doubled), time is first unless RecordOptions.leading columns
 * come before it, numbers have 16 significant digits and a decimal point in any locale, or are nan,
 * inf, -inf. Constants are columns like all others. Units are not in the file: every reader takes
 * the first line for names.
 *
 * Lines gather in a buffer, and each write(2) gets whole lines. A write that fails half way (disk
 * full) is cut back to the last whole line. kill -9 is harder: Linux looks for a pending SIGKILL
 * between two pages of one write, and then leaves the first. So a write stays within a page of the
 * file wherever lines allow it; only a line that itself crosses into the next page can be torn, by
 * a kill in the microsecond in which it is written. It is then the last one and has no newline; all
 * before are whole. (Of 500 kills of a program that did nothing but record, 22 tore the last line;
 * with writes of 64 kB it was 48 and 61.) The rows that a .mat file counts are always whole.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif
#include "record/format.h"

#include <assert.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 64 * 1024, PAGE = 4096 };

typedef struct Csv {
    NewFile file;
    char *buffer; /* whole lines (room) */
    size_t used, room;
    size_t line;                /* bytes a row may need */
    off_t good;                 /* size of the file up to the last whole line */
    size_t nbuffered, nwritten; /* rows */
    char (*fixed)[NUMBER_ROOM]; /* text of constants, "" for what varies (ncolumn) */
    NumberWriter numbers;
} Csv;

/* after a failed write: drop the torn line, count the whole ones */
static LiederStatus csv_failed(Recorder *r, Csv *s, int error, size_t done)
{
    const char *last = memrchr(s->buffer, '\n', done);
    size_t whole = last && s->nbuffered ? (size_t)(last + 1 - s->buffer) : 0;
    for (size_t i = 0; i < whole; i++)
        s->nwritten += s->buffer[i] == '\n';
    s->good += (off_t)whole;
    if (ftruncate(s->file.fd, s->good) != 0) {
        // a device: nothing to cut
    }
    r->nlost = r->nrow - s->nwritten;
    return record_file_fail(r, error, s->nwritten);
}

/* How many of the n bytes at `from`, which go to the file at offset `at`, are for one write(2): the
 * lines that end in the same page, or else one line. */
static size_t cut_line(const char *from, size_t n, off_t at)
{
    size_t page = PAGE - (size_t)(at % PAGE);
    if (n <= page)
        return n;
    const char *end = memrchr(from, '\n', page);
    if (!end)
        end = memchr(from + page, '\n', n - page);
    return end ? (size_t)(end + 1 - from) : n;
}

/* writes the buffer in whole lines; lines that were written count even if it fails then */
static LiederStatus flush_csv(Recorder *r)
{
    Csv *s = r->state;
    size_t done = 0;
    while (done < s->used) {
        const char *from = s->buffer + done;
        size_t some;
        int error = record_file_write(r, &s->file, -1, from,
                                      cut_line(from, s->used - done, s->good + (off_t)done), &some);
        done += some;
        if (error)
            return csv_failed(r, s, error, done);
    }
    s->good += (off_t)done;
    s->nwritten += s->nbuffered;
    s->used = s->nbuffered = 0;
    return LIEDER_DONE;
}

/* a piece of the head line, which may be longer than the buffer */
static LiederStatus put_csv(Recorder *r, const char *text, size_t n)
{
    Csv *s = r->state;
    while (n) {
        if (s->used == s->room && flush_csv(r) < 0)
            return r->status;
        size_t some = n < s->room - s->used ? n : s->room - s->used;
        memcpy(s->buffer + s->used, text, some);
        s->used += some;
        text += some;
        n -= some;
    }
    return LIEDER_DONE;
}

static void put_name(Recorder *r, const char *name, size_t before)
{
    if (before)
        put_csv(r, ",", 1);
    put_csv(r, "\"", 1);
    for (const char *quote; (quote = strchr(name, '"')); name = quote + 1) {
        put_csv(r, name, (size_t)(quote + 1 - name));
        put_csv(r, "\"", 1);
    }
    put_csv(r, name, strlen(name));
    put_csv(r, "\"", 1);
}

static void put_csv_head(Recorder *r, const RecordColumn *columns)
{
    size_t some = 0; /* names so far */
    for (size_t i = 0; i <= r->ncolumn && r->status == LIEDER_DONE; i++) {
        if (i == r->options.leading)
            put_name(r, "time", some++);
        if (i < r->ncolumn)
            put_name(r, columns[i].name, some++);
    }
    put_csv(r, "\n", 1);
}

/* buffer, the texts of constant columns, and the line of names */
static LiederStatus open_csv(Recorder *r, const RecordColumn *columns)
{
    assert(r->options.leading <= r->ncolumn && "there are not so many columns to lead");
    Csv *s = r->state = memory_zeroed(&r->alloc, sizeof *s);
    if (!s)
        return record_fail_memory(r, 0);
    s->file.fd = -1;
    s->line = (r->ncolumn + 1) * NUMBER_ROOM;
    s->room = s->line > BUFFER ? s->line : BUFFER;
    s->buffer = memory_resize(&r->alloc, NULL, 0, s->room);
    s->fixed = memory_zeroed(&r->alloc, r->ncolumn * sizeof *s->fixed);
    if (!s->buffer || !s->fixed)
        return record_fail_memory(r, 0);
    number_init(&s->numbers);
    for (size_t i = 0; i < r->ncolumn; i++)
        if (columns[i].constant)
            *number_write(&s->numbers, columns[i].value, s->fixed[i]) = '\0';

    // the head goes out at once: a full disk shows before the run
    if (record_file_open(r, &s->file, FILE_STREAMS) < 0)
        return r->status;
    put_csv_head(r, columns);
    return r->status < 0 ? r->status : flush_csv(r);
}

static LiederStatus publish_csv(Recorder *r)
{
    Csv *s = r->state;
    return record_file_publish(r, &s->file);
}

/* a line into the buffer, which is written out when the next line might not fit */
static LiederStatus row_csv(Recorder *r, double time, const double *values)
{
    Csv *s = r->state;
    if (s->room - s->used < s->line && flush_csv(r) < 0)
        return r->status;
    char *to = s->buffer + s->used;
    for (size_t i = 0; i <= r->ncolumn; i++) {
        if (i == r->options.leading) {
            to = number_write(&s->numbers, time, to);
            *to++ = ',';
        }
        if (i < r->ncolumn) {
            to = *s->fixed[i] ? stpcpy(to, s->fixed[i]) : number_write(&s->numbers, values[i], to);
            *to++ = ',';
        }
    }
    to[-1] = '\n';
    s->used = (size_t)(to - s->buffer);
    s->nbuffered++;
    return LIEDER_DONE;
}

static LiederStatus finish_csv(Recorder *r)
{
    Csv *s = r->state;
    if (flush_csv(r) < 0)
        return r->status;
    int error = new_file_close(&s->file);
    return error ? record_file_fail(r, error, s->nwritten) : LIEDER_DONE;
}

static void drop_csv(Recorder *r)
{
    Csv *s = r->state;
    if (!s)
        return;
    new_file_close(&s->file);
    memory_free(&r->alloc, s->fixed, r->ncolumn ? r->ncolumn * sizeof *s->fixed : 1);
    memory_free(&r->alloc, s->buffer, s->room);
    memory_free(&r->alloc, s, sizeof *s);
}

const RecordFormat record_csv = {.open = open_csv,
                                 .publish = publish_csv,
                                 .row = row_csv,
                                 .flush = flush_csv,
                                 .finish = finish_csv,
                                 .drop = drop_csv};
