/* external_text.c - external functions of texts, files and the environment.
 *
 * Texts are scanned as the Modelica Standard Library says in Modelica.Utilities.Strings.Advanced:
 * indices count from 1, blanks in front of a token are skipped, and a token that is not found is
 * reported by the index of the first character that is no blank. hashString is the function of
 * Arash Partow (2002) on 32 bits. Files are read while the model is built, never during a run;
 * functions that would change files are not built in.
 */
#include "front/external/external.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "front/names/load.h"

static bool is_text(const ExternalCall *c, size_t i)
{
    return i < c->n && c->a[i].kind == V_STRING && c->a[i].ndim == 0;
}

static bool is_whole(const ExternalCall *c, size_t i)
{
    return i < c->n && (c->a[i].kind == V_INTEGER || c->a[i].kind == V_BOOLEAN) &&
           c->a[i].ndim == 0 && !is_symbolic(c->a[i].x);
}

static bool need_text(const ExternalCall *c)
{
    return is_text(c, 0) || external_fail(c, "a text is needed\ngive it a String");
}

/* a copy in the memory of the front end; V_NONE: memory ran out */
static Value text_value(ExternalCall *c, const char *text, size_t n)
{
    const char *copy = arena_text(&c->f->work, text, n);
    if (!copy)
        c->f->work.failed = true;
    return copy ? value_string(copy) : (Value){0};
}

static void set_output(ExternalCall *c, size_t i, Value v)
{
    if (i < c->n && c->output[i])
        c->output[i]->value = v;
}

/* ------------------------------------------------------------------ texts */

static bool string_length(ExternalCall *c)
{
    if (!need_text(c))
        return false;
    c->result = value_number(V_INTEGER, (double)strlen(c->a[0].s));
    return true;
}

/* (text, first, last), both from 1 and included */
static bool string_part(ExternalCall *c)
{
    if (!is_text(c, 0) || !is_whole(c, 1) || !is_whole(c, 2))
        return external_fail(c, "a text and two indices are needed\nsee its declaration");
    double length = (double)strlen(c->a[0].s), first = c->a[1].x, last = c->a[2].x;
    if (first < 1 || last > length || last < first)
        return external_fail(c,
                             "there are no characters %g to %g of \"%.100s\"\nindices count from 1",
                             first, last, c->a[0].s);
    c->result = text_value(c, c->a[0].s + (size_t)first - 1, (size_t)(last - first) + 1);
    return c->result.kind != V_NONE;
}

/* (text, text, case counts): 1 less, 2 equal, 3 greater, as Modelica.Utilities.Types.Compare */
static bool string_compare(ExternalCall *c)
{
    if (!is_text(c, 0) || !is_text(c, 1) || !is_whole(c, 2))
        return external_fail(c, "two texts and a Boolean are needed\nsee its declaration");
    const char *a = c->a[0].s, *b = c->a[1].s;
    bool exact = c->a[2].x != 0;
    int order = 0;
    for (; order == 0; a++, b++) {
        int x = (unsigned char)*a, y = (unsigned char)*b;
        order = exact ? x - y : tolower(x) - tolower(y);
        if (!*a)
            break;
    }
    c->result = value_number(V_INTEGER, order < 0 ? 1 : order == 0 ? 2 : 3);
    return true;
}

/* the characters from the index in argument 1 on, without the blanks in front; *at: its place from
 * 0. false after an error */
static bool scan_start(ExternalCall *c, const char **text, size_t *at)
{
    if (!is_text(c, 0) || !is_whole(c, 1) || c->a[1].x < 1)
        return external_fail(c, "a text and an index are needed\nindices count from 1");
    size_t n = strlen(c->a[0].s);
    *at = c->a[1].x - 1 < (double)n ? (size_t)c->a[1].x - 1 : n;
    while (*at < n && isspace((unsigned char)c->a[0].s[*at]))
        (*at)++;
    *text = c->a[0].s + *at;
    return true;
}

/* (text, index): the first index from there on that is no white space */
static bool string_skip(ExternalCall *c)
{
    const char *text;
    size_t at;
    if (!scan_start(c, &text, &at))
        return false;
    c->result = value_number(V_INTEGER, (double)at + 1);
    return true;
}

/* length of a number at the text, 0 if there is none */
static size_t number_length(const char *text, bool is_unsigned, bool real)
{
    const char *p = text;
    if (*p == '+' || *p == '-') {
        if (is_unsigned)
            return 0;
        p++;
    }
    size_t digits = strspn(p, "0123456789");
    p += digits;
    if (!real)
        return digits ? (size_t)(p - text) : 0;
    if (*p == '.') {
        size_t more = strspn(p + 1, "0123456789");
        digits += more;
        p += 1 + more;
    }
    if (!digits)
        return 0;
    if (*p == 'e' || *p == 'E') {
        const char *q = p + 1 + (p[1] == '+' || p[1] == '-');
        size_t exponent = strspn(q, "0123456789");
        if (exponent)
            p = q + exponent;
    }
    return (size_t)(p - text);
}

/* (text, index, unsigned, next, number) */
static bool scan_number(ExternalCall *c, bool real)
{
    const char *text;
    size_t at;
    if (!scan_start(c, &text, &at))
        return false;
    size_t n = number_length(text, is_whole(c, 2) && c->a[2].x != 0, real);
    double x = n ? strtod(text, NULL) : 0;
    if (!real && (fabs(x) > 2147483647.0 || strchr(".eE", text[n] ? text[n] : 'x')))
        n = 0; /* no Integer, or part of a Real */
    set_output(c, 3, value_number(V_INTEGER, (double)(at + n) + 1));
    set_output(c, 4, value_number(real ? V_REAL : V_INTEGER, n ? x : 0));
    return true;
}

static bool scan_real(ExternalCall *c)
{
    return scan_number(c, true);
}

static bool scan_integer(ExternalCall *c)
{
    return scan_number(c, false);
}

/* (text, index, next, identifier) */
static bool scan_identifier(ExternalCall *c)
{
    const char *text;
    size_t at, n = 0;
    if (!scan_start(c, &text, &at))
        return false;
    if (isalpha((unsigned char)*text) || *text == '_')
        while (isalnum((unsigned char)text[n]) || text[n] == '_')
            n++;
    set_output(c, 2, value_number(V_INTEGER, (double)(at + n) + 1));
    set_output(c, 3, text_value(c, text, n));
    return !c->f->work.failed;
}

/* (text, index, next, string): a text in quotes, without them */
static bool scan_string(ExternalCall *c)
{
    const char *text;
    size_t at, n = 0;
    if (!scan_start(c, &text, &at))
        return false;
    if (*text == '"')
        for (n = 1; text[n] && text[n] != '"'; n++)
            n += text[n] == '\\' && text[n + 1];
    bool found = n > 0 && text[n] == '"';
    set_output(c, 2, value_number(V_INTEGER, (double)(found ? at + n + 1 : at) + 1));
    set_output(c, 3, found ? text_value(c, text + 1, n - 1) : value_string(""));
    return !c->f->work.failed;
}

/* the hash of a text as the Modelica Standard Library has it */
static bool hash_string(ExternalCall *c)
{
    if (!need_text(c))
        return false;
    unsigned hash = 0xAAAAAAAAu;
    const char *s = c->a[0].s;
    for (size_t i = 0; s[i]; i++) {
        unsigned letter = (unsigned)(int)s[i];
        hash ^= i % 2 == 0 ? (hash << 7) ^ (letter * (hash >> 3))
                           : ~((hash << 11) + (letter ^ (hash >> 5)));
    }
    c->result = value_number(V_INTEGER, (double)(int)hash);
    return true;
}

/* ------------------------------------------------------------------ messages */

/* the program stops with the text of the model */
static bool report_text(ExternalCall *c)
{
    if (!need_text(c))
        return false;
    report_error(c->f, c->span, c->where, "the model says: %s\nit calls an error itself",
                 c->a[0].s);
    return false;
}

/* (text, file): what a model prints while it is built is a note at the place of the call */
static bool print_text(ExternalCall *c)
{
    if (!need_text(c))
        return false;
    if (is_text(c, 1) && *c->a[1].s) {
        warn(c->f, c->span, c->where,
             "the model says: %s\nit would print this into the file %.200s, which is not written",
             c->a[0].s, c->a[1].s);
        return true;
    }
    warn(c->f, c->span, c->where, "the model says: %s\nit prints this itself", c->a[0].s);
    return true;
}

static bool do_nothing(ExternalCall *c)
{
    (void)c;
    return true;
}

/* ------------------------------------------------------------------ files and environment */

/* the whole file, NUL terminated, in the memory of the front end; NULL after an error */
static const char *read_text_file(ExternalCall *c, const char *path)
{
    const char *why;
    FILE *file = file_open_to_read(path, &why);
    if (!file) {
        external_fail(c, "the file %.200s cannot be read: %s\ncheck its name", path, why);
        return NULL;
    }
    note_read(c->f, path);
    TextBuffer text = {0};
    char part[4096];
    bool good = true;
    for (size_t n; good && (n = fread(part, 1, sizeof part, file)) > 0;) {
        good = text.n + n < 100000000 && vec_reserve(c->f->alloc, &text, text.n + n);
        if (good) {
            memcpy(text.items + text.n, part, n);
            text.n += n;
        }
    }
    fclose(file);
    const char *copy = good ? arena_text(&c->f->work, text.items ? text.items : "", text.n) : NULL;
    vec_drop(c->f->alloc, &text);
    if (!copy)
        c->f->work.failed = true;
    return copy;
}

static size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; *text; n++) {
        text += strcspn(text, "\n");
        text += *text != '\0';
    }
    return n;
}

/* the line that begins at *text, without its end; *text moves behind it */
static Value next_line(ExternalCall *c, const char **text)
{
    size_t n = strcspn(*text, "\n"), length = n && (*text)[n - 1] == '\r' ? n - 1 : n;
    Value line = text_value(c, *text, length);
    *text += n + ((*text)[n] != '\0');
    return line;
}

static bool file_lines(ExternalCall *c)
{
    const char *text = need_text(c) ? read_text_file(c, c->a[0].s) : NULL;
    if (text)
        c->result = value_number(V_INTEGER, (double)count_lines(text));
    return text != NULL;
}

/* (file, lines, count) */
static bool file_read(ExternalCall *c)
{
    const char *text = need_text(c) ? read_text_file(c, c->a[0].s) : NULL;
    if (!text)
        return false;
    size_t n = count_lines(text);
    Value lines = value_array(c->f, c->span, V_STRING, 1, &n);
    for (size_t i = 0; lines.kind != V_NONE && i < n; i++) {
        Value line = next_line(c, &text);
        value_put(&lines, i, &line);
    }
    set_output(c, 1, lines);
    return lines.kind != V_NONE && !c->f->work.failed;
}

/* (file, number, end of file): one line */
static bool file_line(ExternalCall *c)
{
    const char *text = need_text(c) ? read_text_file(c, c->a[0].s) : NULL;
    if (!text || !is_whole(c, 1))
        return false;
    double n = (double)count_lines(text);
    for (double i = 1; i < c->a[1].x && i <= n; i++)
        text += strcspn(text, "\n") + 1;
    bool end = c->a[1].x > n || c->a[1].x < 1;
    c->result = end ? value_string("") : next_line(c, &text);
    set_output(c, 2, value_number(V_BOOLEAN, end));
    return c->result.kind != V_NONE;
}

/* an absolute name; modelica://Library/path is a file of a library */
static bool file_full_name(ExternalCall *c)
{
    char path[4096], folder[4096];
    static const char scheme[] = "modelica://", file[] = "file://";
    if (!need_text(c))
        return false;
    const char *name = c->a[0].s;
    if (strncmp(name, scheme, sizeof scheme - 1) == 0) {
        if (!load_resource(c->f, name + sizeof scheme - 1, path, sizeof path))
            return external_fail(c, "%.200s is not found in the libraries\ncheck the name", name);
        name = path;
    } else if (strncmp(name, file, sizeof file - 1) == 0) {
        name += sizeof file - 1;
    }
    if (*name != '/' && getcwd(folder, sizeof folder)) {
        char whole[8200];
        int n = snprintf(whole, sizeof whole, "%s/%s", folder,
                         name[0] == '.' && name[1] == '/' ? name + 2 : name);
        c->result = text_value(c, whole, (size_t)n);
    } else {
        c->result = text_value(c, name, strlen(name));
    }
    return c->result.kind != V_NONE;
}

/* Modelica.Utilities.Types.FileType: NoFile, RegularFile, Directory, SpecialFile */
static bool file_kind(ExternalCall *c)
{
    struct stat s;
    if (!need_text(c))
        return false;
    int kind = stat(c->a[0].s, &s) != 0 ? 1 : S_ISREG(s.st_mode) ? 2 : S_ISDIR(s.st_mode) ? 3 : 4;
    c->result = value_number(V_INTEGER, kind);
    return true;
}

static bool folder_now(ExternalCall *c)
{
    char folder[4096];
    if (!getcwd(folder, sizeof folder))
        return external_fail(c, "the working directory has no name\nchange to another one");
    c->result = text_value(c, folder, strlen(folder));
    return c->result.kind != V_NONE;
}

/* (name, convert, content, exists) */
static bool environment(ExternalCall *c)
{
    if (!need_text(c))
        return false;
    const char *text = getenv(c->a[0].s);
    set_output(c, 2, text_value(c, text ? text : "", text ? strlen(text) : 0));
    set_output(c, 3, value_number(V_BOOLEAN, text != NULL));
    return !c->f->work.failed;
}

/* ------------------------------------------------------------------ matrices of files */

/* (file, matrix, sizes) */
static bool sizes_out(ExternalCall *c, size_t output, const char *delimiter, size_t nheader)
{
    size_t nrow, ncolumn, two = 2;
    if (!is_text(c, 0) || !is_text(c, 1))
        return external_fail(c, "names of a file and of a matrix are needed\nsee its declaration");
    if (!table_read(c, c->a[0].s, c->a[1].s, delimiter, nheader, &nrow, &ncolumn))
        return false;
    Value sizes = value_array(c->f, c->span, V_INTEGER, 1, &two);
    if (sizes.kind == V_NONE)
        return false;
    sizes.num[0] = (double)nrow;
    sizes.num[1] = (double)ncolumn;
    set_output(c, output, sizes);
    return true;
}

/* numbers as argument `output`, whose sizes stand behind it */
static bool numbers_out(ExternalCall *c, size_t output, const char *delimiter, size_t nheader)
{
    size_t dim[2];
    if (!is_text(c, 0) || !is_text(c, 1) || !is_whole(c, output + 1) || !is_whole(c, output + 2))
        return external_fail(c, "names of a file and of a matrix are needed\nsee its declaration");
    double *numbers = table_read(c, c->a[0].s, c->a[1].s, delimiter, nheader, &dim[0], &dim[1]);
    if (!numbers)
        return false;
    const Value *size = &c->a[output + 1];
    if ((double)dim[0] != size[0].x || (double)dim[1] != size[1].x)
        return external_fail(c,
                             "the matrix %.80s has %zu rows and %zu columns, not %.0f and %.0f\n"
                             "ask for its sizes first",
                             c->a[1].s, dim[0], dim[1], size[0].x, size[1].x);
    Value v = value_array(c->f, c->span, V_REAL, 2, dim);
    if (v.kind != V_NONE)
        memcpy(v.num, numbers, v.n * sizeof *numbers);
    set_output(c, output, v);
    return v.kind != V_NONE;
}

/* (file, matrix, sizes) */
static bool matrix_sizes(ExternalCall *c)
{
    return sizes_out(c, 2, "", 0);
}

/* (file, matrix, numbers, rows, columns, verbose) */
static bool matrix_read(ExternalCall *c)
{
    return numbers_out(c, 2, "", 0);
}

/* of our own, with the delimiter and the header lines of .csv files as third and fourth argument */
static bool has_csv_arguments(ExternalCall *c)
{
    return (is_text(c, 2) && is_whole(c, 3) && c->a[3].x >= 0) ||
           external_fail(c, "a delimiter and a number of header lines are needed\n"
                            "see its declaration");
}

static bool table_sizes(ExternalCall *c)
{
    return has_csv_arguments(c) && sizes_out(c, 4, c->a[2].s, (size_t)c->a[3].x);
}

static bool table_numbers(ExternalCall *c)
{
    return has_csv_arguments(c) && numbers_out(c, 4, c->a[2].s, (size_t)c->a[3].x);
}

static const struct {
    const char *name;
    bool (*run)(ExternalCall *c);
    size_t n; /* of arguments */
} texts[] = {
    {"ModelicaStrings_length", string_length, 1},
    {"ModelicaStrings_substring", string_part, 3},
    {"ModelicaStrings_compare", string_compare, 3},
    {"ModelicaStrings_skipWhiteSpace", string_skip, 2},
    {"ModelicaStrings_scanReal", scan_real, 5},
    {"ModelicaStrings_scanInteger", scan_integer, 5},
    {"ModelicaStrings_scanIdentifier", scan_identifier, 4},
    {"ModelicaStrings_scanString", scan_string, 4},
    {"ModelicaStrings_hashString", hash_string, 1},
    {"ModelicaError", report_text, 1},
    {"ModelicaInternal_print", print_text, 2},
    {"ModelicaStreams_closeFile", do_nothing, 1},
    {"ModelicaInternal_countLines", file_lines, 1},
    {"ModelicaInternal_readFile", file_read, 3},
    {"ModelicaInternal_readLine", file_line, 3},
    {"ModelicaInternal_fullPathName", file_full_name, 1},
    {"ModelicaInternal_stat", file_kind, 1},
    {"ModelicaInternal_getcwd", folder_now, 1},
    {"ModelicaInternal_getenv", environment, 4},
    {"ModelicaIO_readMatrixSizes", matrix_sizes, 3},
    {"ModelicaIO_readRealMatrix", matrix_read, 6},
    {"Lieder_tableSize", table_sizes, 5},
    {"Lieder_tableNumbers", table_numbers, 7},
};

int text_call(ExternalCall *c)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(texts[i].name, c->name) == 0) {
            if (c->n != texts[i].n)
                return external_fail(c, "%zu arguments, not %zu\nsee its declaration", texts[i].n,
                                     c->n);
            return texts[i].run(c);
        }
    return -1;
}
