/* table_read.c - tables in text files.
 *
 * The format of the Modelica Standard Library: the first line begins with #1, then come tables
 *
 *   double name(rows, columns)     or float
 *   numbers, separated by blanks, tabs, commas or semicolons; # and what follows is no number
 *
 * and files *.csv without names: one row a line, after so many header lines.
 *
 * Files *.mat of version 4 (MATLAB's MAT-file format, level 4): matrices one after the other, each
 * a header of five 32-bit numbers (type, rows, columns, imaginary, length of the name), its name
 * and its numbers by columns. Type is 1000 M + 10 P with M = 0 for little endian and P = 0 for
 * double, 1 for float, 2 and 3 for 32 and 16 bits with sign, 4 and 5 for 16 and 8 bits without. A
 * name may be "a.b": fields of a structure, which version 4 does not have.
 */
#include "front/external.h"
#include "front/load.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef VEC(double) Numbers;

/* A file by its name: as it is given, else beside the texts that were loaded last. NULL after
 * reporting an error. */
static FILE *open_table(ExternalCall *c, const char *name)
{
    FILE *file = fopen(name, "rb");
    if (file)
        note_read(c->f, name);
    for (size_t i = 0; i < c->f->last_loaded.n && !file && name[0] != '/'; i++) {
        const char *beside = c->f->last_loaded.items[i]->span.file->name;
        const char *slash = strrchr(beside, '/');
        char path[4096];
        int n =
            slash ? snprintf(path, sizeof path, "%.*s/%s", (int)(slash - beside), beside, name) : 0;
        if (n > 0 && n < (int)sizeof path)
            file = fopen(path, "rb");
        if (file)
            note_read(c->f, path);
    }
    if (!file)
        external_fail(c,
                      "the file %.200s of a table cannot be read\n"
                      "check its name: it is looked for in the current folder and beside the model",
                      name);
    return file;
}

/* the file as a text; NULL after reporting an error */
static char *read_whole(ExternalCall *c, const char *path)
{
    FILE *file = open_table(c, path);
    if (!file)
        return NULL;
    VEC(char) text = {0};
    bool good = true;
    for (int ch; good && (ch = getc(file)) != EOF;)
        good = vec_push(&c->f->work.alloc, &text, (char)ch);
    fclose(file);
    char *copy = good ? arena_text(&c->f->work, text.items ? text.items : "", text.n) : NULL;
    vec_drop(&c->f->work.alloc, &text);
    if (!copy)
        c->f->work.failed = true;
    return copy;
}

/* numbers from `at` up to `end`, at most `most` */
static bool read_list(ExternalCall *c, const char *at, const char *end, const char *between,
                      size_t most, Numbers *numbers)
{
    while (at < end && numbers->n < most) {
        if (*at == '#') {
            at += strcspn(at, "\n");
        } else if (strchr(between, *at)) {
            at++;
        } else {
            char *after;
            double x = strtod(at, &after);
            if (after == at)
                return external_fail(c, "\"%.20s\" is no number of a table\ncheck the file", at);
            if (!vec_push(&c->f->work.alloc, numbers, x)) {
                c->f->work.failed = true;
                return false;
            }
            at = after;
        }
    }
    return true;
}

static double *keep_numbers(ExternalCall *c, Numbers *numbers)
{
    double *copy = work_zeroed(c->f, (numbers->n + 1) * sizeof *copy);
    if (copy && numbers->n)
        memcpy(copy, numbers->items, numbers->n * sizeof *copy);
    vec_drop(&c->f->work.alloc, numbers);
    return copy;
}

/* the place behind "double name(rows, columns)"; NULL: there is no such table */
static const char *find_table(const char *text, const char *name, size_t *nrow, size_t *ncolumn)
{
    for (const char *line = text; line && *line;
         line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        char kind[16], found[128];
        unsigned long rows, columns;
        if (sscanf(line, " %15[a-z] %127[^ (\t] ( %lu , %lu )", kind, found, &rows, &columns) ==
                4 &&
            (strcmp(kind, "double") == 0 || strcmp(kind, "float") == 0) &&
            strcmp(found, name) == 0) {
            *nrow = rows;
            *ncolumn = columns;
            return line + strcspn(line, ")") + 1;
        }
    }
    return NULL;
}

/* a file without names: columns are counted in its first row */
static double *read_csv(ExternalCall *c, const char *text, const char *delimiter, size_t nheader,
                        size_t *nrow, size_t *ncolumn)
{
    char between[8];
    snprintf(between, sizeof between, " \t\r%.1s", *delimiter ? delimiter : ",");
    while (nheader-- && *text)
        text += strcspn(text, "\n") + (text[strcspn(text, "\n")] != 0);
    Numbers numbers = {0};
    *nrow = *ncolumn = 0;
    while (*text) {
        const char *end = text + strcspn(text, "\n");
        size_t before = numbers.n;
        if (!read_list(c, text, end, between, SIZE_MAX, &numbers)) {
            vec_drop(&c->f->work.alloc, &numbers);
            return NULL;
        }
        size_t n = numbers.n - before;
        if (n && *ncolumn && n != *ncolumn) {
            external_fail(c,
                          "rows of %zu and %zu numbers in a table\nall rows have the same length",
                          *ncolumn, n);
            vec_drop(&c->f->work.alloc, &numbers);
            return NULL;
        }
        if (n) {
            *ncolumn = n;
            ++*nrow;
        }
        text = end + (*end != 0);
    }
    return keep_numbers(c, &numbers);
}

/* ------------------------------------------------------------------ .mat of version 4 */

typedef struct MatHeader {
    int32_t type, rows, columns, imaginary, name;
} MatHeader;

static const size_t mat_sizes[] = {8, 4, 4, 2, 2, 1};

/* a number of a MATLAB file in any of its precisions */
static double mat_number(const unsigned char *at, int precision)
{
    union {
        double d;
        float f;
        int32_t i;
        int16_t s;
        uint16_t u;
    } x;
    memcpy(&x, at, mat_sizes[precision]);
    switch (precision) {
    case 0:
        return x.d;
    case 1:
        return x.f;
    case 2:
        return x.i;
    case 3:
        return x.s;
    case 4:
        return x.u;
    default:
        return *at;
    }
}

/* numbers of the matrix behind a header, by rows */
static double *take_matrix(ExternalCall *c, FILE *file, const MatHeader *h, size_t *nrow,
                           size_t *ncolumn)
{
    size_t n = (size_t)h->rows * (size_t)h->columns, size = mat_sizes[h->type / 10 % 10];
    unsigned char *bytes = scratch_zeroed(c->f, n * size + 1);
    double *numbers = work_zeroed(c->f, (n + 1) * sizeof *numbers);
    if (!bytes || !numbers || fread(bytes, size, n, file) != n) {
        external_fail(c, "the file of a table ends too early\ncheck the file");
        return NULL;
    }
    *nrow = (size_t)h->rows;
    *ncolumn = (size_t)h->columns;
    for (size_t i = 0; i < n; i++)
        numbers[i % *nrow * *ncolumn + i / *nrow] = mat_number(bytes + i * size, h->type / 10 % 10);
    return numbers;
}

static bool is_mat_header(const MatHeader *h)
{
    return h->type >= 0 && h->type < 1000 && h->type / 10 % 10 < 6 && h->type % 10 < 2 &&
           h->rows >= 0 && h->columns >= 0 && h->name > 0 && h->name < 500 &&
           (h->columns == 0 || h->rows < 10000000 / h->columns);
}

/* a matrix out of a MATLAB file; NULL after reporting an error */
static double *read_mat(ExternalCall *c, const char *path, const char *table, size_t *nrow,
                        size_t *ncolumn)
{
    FILE *file = open_table(c, path);
    if (!file)
        return NULL;
    MatHeader h;
    bool any = false, good = true;
    double *numbers = NULL;
    while (good && !numbers && fread(&h, sizeof h, 1, file) == 1) {
        char name[500] = "";
        good = is_mat_header(&h) && fread(name, 1, (size_t)h.name, file) == (size_t)h.name;
        any |= good;
        if (good && strcmp(name, table) == 0 && h.rows && h.columns && !h.imaginary) {
            numbers = take_matrix(c, file, &h, nrow, ncolumn);
            fclose(file);
            return numbers;
        }
        long skip = good ? (long)((size_t)h.rows * (size_t)h.columns * (h.imaginary ? 2 : 1) *
                                  mat_sizes[h.type / 10 % 10])
                         : 0;
        good = good && fseek(file, skip, SEEK_CUR) == 0;
    }
    fclose(file);
    external_fail(c,
                  any ? "there is no matrix \"%.100s\" in %.200s\ncheck its name"
                      : "\"%.100s\": %.200s is no .mat file of version 4\n"
                        "store it in that version (-v4), or as a text file",
                  table, path);
    return NULL;
}

double *table_read(ExternalCall *c, const char *file, const char *table, const char *delimiter,
                   size_t nheader, size_t *nrow, size_t *ncolumn)
{
    size_t n = strlen(file);
    if (n > 4 && strcmp(file + n - 4, ".mat") == 0)
        return read_mat(c, file, table, nrow, ncolumn);
    char *text = read_whole(c, file);
    if (!text)
        return NULL;
    if (n > 4 && strcmp(file + n - 4, ".csv") == 0)
        return read_csv(c, text, delimiter, nheader, nrow, ncolumn);
    const char *at = find_table(text, table, nrow, ncolumn);
    Numbers numbers = {0};
    if (!at || strncmp(text, "#1", 2) != 0) {
        external_fail(c,
                      "there is no table \"%.100s\" in %.200s\nits first line is #1, a table "
                      "begins with double NAME(rows, columns)",
                      table, file);
        return NULL;
    }
    bool good = *nrow && *ncolumn && *nrow < 10000000 / *ncolumn &&
                read_list(c, at, at + strlen(at), " \t\r\n,;", *nrow * *ncolumn, &numbers);
    if (good && numbers.n == *nrow * *ncolumn)
        return keep_numbers(c, &numbers);
    if (good || numbers.n == 0)
        external_fail(c, "table \"%.100s\" has %zu of %zu numbers\ncheck the file", table,
                      numbers.n, *nrow * *ncolumn);
    vec_drop(&c->f->work.alloc, &numbers);
    return NULL;
}
