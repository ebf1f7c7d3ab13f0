/* result_csv.c - comma-separated text: a line of names, then a line of numbers for each row.
 *
 * Reads the files of record/csv.c and of other programs: names with or without quotes, blanks
 * around fields, CR LF, a byte order mark, comment lines that begin with #. Only the wanted fields
 * are turned into numbers; an empty one is NaN. A last line without its end was torn by a kill or
 * is being written: a number that is cut off is a number as well, so the whole line is left out,
 * and the message says so. A NUL in a line is a block that a crash left unwritten.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture/format.h"

/* ------------------------------------------------------------------ lines */

/* the next line without its end into r->line; false: there is none, or an error. `torn`: the file
 * ends before the line does. */
static bool read_line(Result *r, bool *torn)
{
    size_t n = 0;
    int c;
    *torn = false;
    while ((c = getc_unlocked(r->file)) != EOF && c != '\n') {
        if (n + 2 > r->line_room) {
            size_t room = r->line_room ? 2 * r->line_room : 4096;
            char *line = memory_resize(&r->alloc, r->line, r->line_room, room);
            if (!line) {
                result_fail_memory(r);
                return false;
            }
            r->line = line;
            r->line_room = room;
        }
        r->line[n++] = (char)c;
    }
    if (c == EOF && ferror(r->file)) {
        result_fail(r, LIEDER_IO, "cannot read %.700s: %s", r->path, strerror(errno));
        return false;
    }
    if (c == EOF && n == 0)
        return false;
    r->nline++;
    *torn = c == EOF;
    if (n && memchr(r->line, '\0', n)) {
        result_fail(r, LIEDER_IO, "%.700s:%zu is damaged: there is a zero byte in the text",
                    r->path, r->nline);
        return false;
    }
    if (n && r->line[n - 1] == '\r')
        n--;
    if (!r->line) { // an empty first line
        r->line = memory_zeroed(&r->alloc, 1);
        r->line_room = r->line ? 1 : 0;
        if (!r->line)
            result_fail_memory(r);
        return r->line;
    }
    r->line[n] = '\0';
    return true;
}

static char *skip_blanks(char *s)
{
    return s + strspn(s, " \t");
}

/* a comment, or an empty line */
static bool is_comment(char *line)
{
    char c = *skip_blanks(line);
    return c == '#' || c == '\0';
}

/* the field at s with its quotes undone in place, and where the next one begins or NULL */
static char *take_field(char *s, char **field)
{
    char *to = *field = s = skip_blanks(s);
    if (*s == '"') {
        for (s++; *s && !(s[0] == '"' && s[1] != '"'); s++) {
            s += s[0] == '"'; // doubled
            *to++ = *s;
        }
        s += *s == '"';
        char *after = s + strcspn(s, ",");
        bool more = *after == ',';
        *to = '\0';
        return more ? after + 1 : NULL;
    }
    s += strcspn(s, ",");
    bool more = *s == ',';
    for (to = s; to > *field && (to[-1] == ' ' || to[-1] == '\t');)
        to--;
    *to = '\0';
    return more ? s + 1 : NULL;
}

/* ------------------------------------------------------------------ head */

static bool is_csv_number(const char *text)
{
    char *end;
    strtod(text, &end);
    return end != text && !*end;
}

/* the line of names, after comments; an error if it is numbers or not separated by commas */
static LiederStatus read_csv_head(Result *r)
{
    bool torn, numbers = true;
    do
        if (!read_line(r, &torn))
            return r->status < 0
                       ? r->status
                       : result_fail(r, LIEDER_IO, "%.700s holds no line of names", r->path);
    while (is_comment(r->line));
    if (torn)
        return result_fail(r, LIEDER_IO,
                           "%.700s is cut off in its first line, or has no line of numbers",
                           r->path);
    char *at = r->line, *name;
    if (strncmp(at, "\xef\xbb\xbf", 3) == 0)
        at += 3;
    do {
        at = take_field(at, &name);
        numbers &= is_csv_number(name);
        if (!result_add(r, name, strlen(name)))
            return r->status;
    } while (at);
    if (numbers)
        return result_fail(r, LIEDER_IO,
                           "the first line of %.700s is numbers: the names are missing\na result "
                           "begins with a line such as \"time\",\"cart.s\"",
                           r->path);
    if (r->columns.n == 1 && strpbrk(r->columns.items[0].name, ";\t"))
        return result_fail(r, LIEDER_IO,
                           "the columns of %.700s are not separated by commas\nwrite it with "
                           "commas, and with dots in the numbers",
                           r->path);
    r->data_at = ftello(r->file);
    return LIEDER_DONE;
}

/* ------------------------------------------------------------------ rows */

/* the columns whose values are wanted */
typedef struct WantedColumns {
    const size_t *columns;
    size_t n;
} WantedColumns;

static LiederStatus wrong_field(Result *r, size_t column, const char *field)
{
    return result_fail(r, LIEDER_IO, "%.700s:%zu: \"%.40s\" in the column %.200s is no number",
                       r->path, r->nline, field, r->columns.items[column].name);
}

/* the wanted fields of the line as numbers; false after an error, or when the number of fields,
 * *nfield, is not that of the columns */
static bool read_csv_numbers(Result *r, WantedColumns wanted, double *values, size_t *nfield)
{
    char *at = r->line, *field;
    size_t column = 0;
    for (; at && column < r->columns.n; column++) {
        at = take_field(at, &field);
        for (size_t i = 0; i < wanted.n; i++) {
            if (wanted.columns[i] != column)
                continue;
            char *end = field;
            values[i] = *field ? strtod(field, &end) : NAN;
            if (*end) {
                wrong_field(r, column, field);
                return false;
            }
        }
    }
    *nfield = column + (at != NULL);
    return *nfield == r->columns.n;
}

/* all rows from the first on; a last line without an end is left out with a note */
static LiederStatus read_csv_rows(Result *r, const size_t *columns, size_t n, ResultRow *row,
                                  void *user, double *values)
{
    bool torn;
    if (fseeko(r->file, r->data_at, SEEK_SET) != 0)
        return result_fail(r, LIEDER_IO, "cannot read %.700s: %s", r->path, strerror(errno));
    r->nline = 1;
    while (read_line(r, &torn)) {
        if (is_comment(r->line))
            continue;
        if (torn) {
            result_note(r, "the last line of %.700s has no end and was left out: %s", r->path,
                        "a run is writing it, or was killed");
            return LIEDER_DONE;
        }
        size_t nfield = 0;
        if (!read_csv_numbers(r, (WantedColumns){columns, n}, values, &nfield)) {
            if (r->status < 0)
                return r->status;
            return result_fail(r, LIEDER_IO,
                               "%.700s:%zu has %s%zu fields, but there are %zu columns", r->path,
                               r->nline, nfield > r->columns.n ? "more than " : "",
                               nfield > r->columns.n ? r->columns.n : nfield, r->columns.n);
        }
        if (!row(user, values))
            return LIEDER_STOPPED;
    }
    return r->status;
}

const ResultFormat result_csv = {.head = read_csv_head, .rows = read_csv_rows};
