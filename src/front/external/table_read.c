/* table_read.c - tables in files of text.
 *
 * The format of the Modelica Standard Library: the first line begins with #1, then come tables
 *
 *   double name(rows, columns)     or float
 *   numbers, separated by blanks, tabs, commas or semicolons; # and what follows is no number
 *
 * and files *.csv without names: one row a line, after so many header lines. Files *.mat:
 * table_mat.c.
 */
#include "front/external/table.h"

#include "base/file.h"
#include "front/names/load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

FILE *table_open(ExternalCall *c, const char *name)
{
    const char *why = "";
    FILE *file = file_open_to_read(name, &why);
    if (file)
        note_read(c->f, name);
    for (size_t i = 0; i < c->f->last_loaded.n && !file && name[0] != '/'; i++) {
        const char *beside = c->f->last_loaded.items[i]->span.file->name;
        const char *slash = strrchr(beside, '/');
        char path[4096];
        int n =
            slash ? snprintf(path, sizeof path, "%.*s/%s", (int)(slash - beside), beside, name) : 0;
        if (n > 0 && n < (int)sizeof path)
            file = file_open_to_read(path, &why);
        if (file)
            note_read(c->f, path);
    }
    if (!file)
        external_fail(c,
                      "the file %.200s of a table cannot be read: %s\n"
                      "check its name: it is looked for in the current folder and beside the model",
                      name, why);
    return file;
}

/* the file as a text; NULL after reporting an error */
static char *read_whole(ExternalCall *c, const char *path)
{
    FILE *file = table_open(c, path);
    if (!file)
        return NULL;
    VEC(char) text = {0};
    bool good = true;
    for (int ch; good && (ch = getc(file)) != EOF;)
        good = vec_push(&c->f->work.alloc, &text, (char)ch);
    bool whole = !ferror(file);
    fclose(file);
    if (!whole || (text.n && memchr(text.items, '\0', text.n))) {
        vec_drop(&c->f->work.alloc, &text);
        external_fail(c, "%.200s of a table is %s\ncheck the file", path,
                      whole ? "no text: there is a zero byte in it" : "no file that can be read");
        return NULL;
    }
    char *copy = good ? arena_text(&c->f->work, text.items ? text.items : "", text.n) : NULL;
    vec_drop(&c->f->work.alloc, &text);
    if (!copy)
        c->f->work.failed = true;
    return copy;
}

/* Does a number end where it was read to? Behind it comes what separates it from the next. A text
 * that ends there has perhaps lost the rest of it: "3." is certainly cut, "3" may be. */
static bool number_ends(ExternalCall *c, const char *at, const char *after, const char *between)
{
    if (*after)
        return *after == '\n' || *after == '#' || strchr(between, *after);
    if (after[-1] == '.')
        return false;
    warn(c->f, c->span, c->where,
         "a table ends with \"%.40s\", without the end of the line\n"
         "if the file was cut off there, this number is wrong; else end it with a newline",
         at);
    return true;
}

/* numbers from `at` up to `end`, at most `most` */
static bool read_list(ExternalCall *c, const char *at, const char *end, const char *between,
                      size_t most, DoubleVec *numbers)
{
    while (at < end && numbers->n < most) {
        if (*at == '#') {
            at += strcspn(at, "\n");
        } else if (strchr(between, *at)) {
            at++;
        } else {
            char *after;
            double x = strtod(at, &after);
            if (after == at || !isfinite(x) || !number_ends(c, at, after, between))
                return external_fail(c,
                                     "\"%.*s\" is no number of a table, or one that is cut off\n"
                                     "check the file",
                                     (int)strcspn(at, "\r\n#"), at);
            if (!vec_push(&c->f->work.alloc, numbers, x)) {
                c->f->work.failed = true;
                return false;
            }
            at = after;
        }
    }
    return true;
}

static double *keep_numbers(ExternalCall *c, DoubleVec *numbers)
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

/* does a row have a field without a number? It would move the others to the left. */
static bool has_empty_field(const char *at, const char *end, char delimiter)
{
    bool empty = true;
    for (; at < end && *at != '#'; at++) {
        if (*at == delimiter && empty && !strchr(" \t", delimiter))
            return true;
        empty = *at == delimiter || (empty && strchr(" \t\r", *at));
    }
    return false;
}

/* a file without names: columns are counted in its first row */
static double *read_csv(ExternalCall *c, const char *text, const char *delimiter, size_t nheader,
                        size_t *nrow, size_t *ncolumn)
{
    char between[8];
    snprintf(between, sizeof between, " \t\r%.1s", *delimiter ? delimiter : ",");
    while (nheader-- && *text)
        text += strcspn(text, "\n") + (text[strcspn(text, "\n")] != 0);
    DoubleVec numbers = {0};
    *nrow = *ncolumn = 0;
    while (*text) {
        const char *end = text + strcspn(text, "\n");
        size_t before = numbers.n;
        if (has_empty_field(text, end, between[3])) {
            external_fail(c, "\"%.*s\" of a table has an empty field\neach one is a number",
                          (int)(end - text), text);
            vec_drop(&c->f->work.alloc, &numbers);
            return NULL;
        }
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

double *table_read(ExternalCall *c, const char *file, const char *table, const char *delimiter,
                   size_t nheader, size_t *nrow, size_t *ncolumn)
{
    size_t n = strlen(file);
    if (n > 4 && strcmp(file + n - 4, ".mat") == 0)
        return table_read_mat(c, file, table, nrow, ncolumn);
    const char *text = read_whole(c, file);
    if (!text)
        return NULL;
    if (strncmp(text, "\xEF\xBB\xBF", 3) == 0) /* editors and spreadsheets put it before UTF-8 */
        text += 3;
    if (n > 4 && strcmp(file + n - 4, ".csv") == 0)
        return read_csv(c, text, delimiter, nheader, nrow, ncolumn);
    const char *at = find_table(text, table, nrow, ncolumn);
    DoubleVec numbers = {0};
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
