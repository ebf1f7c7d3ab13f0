/* result_mat.c - MATLAB v4 trajectories, as record/mat.c, Dymola and OpenModelica write them.
 *
 * record/mat.c describes the layout. Variants of other programs are read as well: single instead of
 * double precision, integers, rows that are negative (the variable is the negative of another), a
 * data_1 of one column, text as doubles. Not read: big endian, "binNormal" (every time point a
 * row). Every number of the head is checked against the size of the file before it is used: of a
 * file that was cut off the whole rows are read. Bytes behind data_2 that are no matrix are columns
 * that a run has written but not counted yet, or was killed before it did: they are left out, and
 * the message says so.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "picture/format.h"

/* one matrix of the file */
typedef struct StoredMatrix {
    char name[32];
    size_t nrow, ncolumn, element; /* bytes of an element */
    int kind;                      /* 0 double, 1 float, 2 int32, 3 int16, 4 uint16, 5 uint8 */
    long long at;                  /* of the elements */
} StoredMatrix;

enum { ACLASS, NAME, DESCRIPTION, INFO, DATA_1, DATA_2, NMATRIX };
static const char *const matrix_names[NMATRIX] = {"Aclass",   "name",   "description",
                                                  "dataInfo", "data_1", "data_2"};

static LiederStatus foreign(Result *r, const char *why)
{
    return result_fail(
        r, LIEDER_IO,
        "%.700s is not a MATLAB v4 file of trajectories: %s\nresults are .csv files, "
        "or .mat files as lieder simulate, Dymola and OpenModelica write them",
        r->path, why);
}

static LiederStatus damaged(Result *r, const char *what)
{
    return result_fail(r, LIEDER_IO, "%.700s is damaged or was cut off: %s", r->path, what);
}

/* ------------------------------------------------------------------ matrices */

/* a number of one of the kinds of MATLAB v4: double, float, int32, int16, uint16, uint8 */
static double read_mat_number(const unsigned char *from, int kind)
{
    double d;
    float f;
    int32_t i;
    int16_t s;
    uint16_t u;
    switch (kind) {
    case 0:
        return memcpy(&d, from, sizeof d), d;
    case 1:
        return (double)(memcpy(&f, from, sizeof f), f);
    case 2:
        return memcpy(&i, from, sizeof i), i;
    case 3:
        return memcpy(&s, from, sizeof s), s;
    case 4:
        return memcpy(&u, from, sizeof u), u;
    default:
        return *from;
    }
}

/* the head of the matrix at the file's position; LIEDER_STOPPED at the end */
static LiederStatus next_matrix(Result *r, StoredMatrix *m)
{
    static const size_t sizes[6] = {8, 4, 4, 2, 2, 1};
    int32_t head[5];
    size_t n = fread(head, 1, sizeof head, r->file);
    if (n == 0)
        return LIEDER_STOPPED;
    if (n < sizeof head)
        return damaged(r, "it ends in the head of a matrix");
    if (head[0] >= 1000 && head[0] < 5000)
        return foreign(r, "its numbers are not little endian");
    int kind = head[0] / 10 % 10;
    if (head[0] < 0 || head[0] >= 100 || kind > 5 || head[0] % 10 > 1 || head[1] < 0 ||
        head[2] < 0 || head[3] != 0 || head[4] < 1 || head[4] > 1000)
        return foreign(r, "it does not consist of real matrices");
    char name[1001] = "";
    if (fread(name, 1, (size_t)head[4], r->file) < (size_t)head[4])
        return damaged(r, "it ends in the name of a matrix");
    *m = (StoredMatrix){.nrow = (size_t)head[1],
                        .ncolumn = (size_t)head[2],
                        .element = sizes[kind],
                        .kind = kind,
                        .at = ftello(r->file)};
    snprintf(m->name, sizeof m->name, "%.31s", name);
    return LIEDER_DONE;
}

/* bytes of the elements; 2^31 * 2^31 * 8 does not fit */
static bool matrix_size(const StoredMatrix *m, long long *size)
{
    long long n;
    return !__builtin_mul_overflow((long long)m->nrow, (long long)m->ncolumn, &n) &&
           !__builtin_mul_overflow(n, (long long)m->element, size);
}

static bool has_all_matrices(const StoredMatrix m[NMATRIX])
{
    for (int i = 0; i < NMATRIX; i++)
        if (!*m[i].name && i != DESCRIPTION)
            return false;
    return true;
}

/* notes that columns of data_2 stand behind those that it counts, if no other matrix does */
static void note_rest(Result *r, const StoredMatrix *data, long long end, long long file_size)
{
    StoredMatrix next;
    Result quiet = {.path = r->path, .file = r->file};
    long long size;
    if (end == file_size ||
        (fseeko(r->file, end, SEEK_SET) == 0 && next_matrix(&quiet, &next) == LIEDER_DONE &&
         matrix_size(&next, &size) && size <= file_size - next.at))
        return;
    long long bytes = (long long)(data->nrow * data->element);
    result_note(r,
                "%.700s holds %lld more bytes, about %lld rows, that are not counted and were left "
                "out: a run is writing it, or was killed",
                r->path, file_size - end, bytes ? (file_size - end) / bytes : 0);
}

/* where the matrices of a result stand; data_2 may be cut off */
static LiederStatus find_matrices(Result *r, StoredMatrix m[NMATRIX], long long file_size)
{
    StoredMatrix next;
    LiederStatus status;
    while ((status = next_matrix(r, &next)) == LIEDER_DONE) {
        long long size;
        bool last = strcmp(next.name, matrix_names[DATA_2]) == 0;
        if (!matrix_size(&next, &size) || (size > file_size - next.at && !last))
            return damaged(r, "a matrix is longer than the file");
        if (next.ncolumn == 0 && !last) // empty: no room for its rows is needed
            next.nrow = 0;
        for (int i = 0; i < NMATRIX; i++)
            if (strcmp(next.name, matrix_names[i]) == 0)
                m[i] = next;
        if (last && size > file_size - next.at)
            return LIEDER_DONE; // cut off in the last matrix: the rows that are there count
        if (last && has_all_matrices(m)) {
            note_rest(r, &next, next.at + size, file_size);
            return LIEDER_DONE;
        }
        if (fseeko(r->file, next.at + size, SEEK_SET) != 0)
            return result_fail(r, LIEDER_IO, "cannot read %.700s: %s", r->path, strerror(errno));
    }
    return status == LIEDER_STOPPED ? LIEDER_DONE : status;
}

/* one column of a matrix as numbers (nrow) */
static bool read_column(Result *r, const StoredMatrix *m, size_t column, double *values)
{
    unsigned char element[8];
    if (fseeko(r->file, m->at + (long long)(column * m->nrow * m->element), SEEK_SET) != 0)
        return false;
    for (size_t i = 0; i < m->nrow; i++) {
        if (fread(element, 1, m->element, r->file) < m->element)
            return false;
        values[i] = read_mat_number(element, m->kind);
    }
    return true;
}

/* a character from a number, which may be out of range */
static char to_character(double x)
{
    return x > 0 && x < 256 ? (char)(unsigned char)x : ' ';
}

/* one column of a text matrix without the blanks at its end; false: cannot be read */
static bool read_text(Result *r, const StoredMatrix *m, size_t column, double *values, char *text)
{
    if (!read_column(r, m, column, values))
        return false;
    size_t n = 0;
    for (size_t i = 0; i < m->nrow; i++) {
        text[i] = to_character(values[i]);
        if (text[i] != ' ')
            n = i + 1;
    }
    text[n] = '\0';
    return true;
}

/* ------------------------------------------------------------------ head */

/* "text [unit]"; OpenModelica and Dymola write "text [unit|displayUnit]" */
static void split_description(Result *r, ResultColumn *c, char *text)
{
    char *open = strrchr(text, '['), *close = open ? strchr(open, ']') : NULL;
    if (close && !close[1]) {
        size_t n = strcspn(open + 1, "|]:#(");
        const char *unit = arena_text(&r->arena, open + 1, n);
        c->unit = unit ? unit : "";
        while (open > text && open[-1] == ' ')
            open--;
        *open = '\0';
    }
    const char *copy = arena_text(&r->arena, text, strlen(text));
    c->text = copy ? copy : "";
}

/* where the values of column i are */
static LiederStatus place_column(Result *r, const StoredMatrix *m, size_t i, ResultColumn *c,
                                 double *info, double *constants)
{
    if (!read_column(r, &m[INFO], i, info))
        return damaged(r, "dataInfo cannot be read");
    double row = fabs(info[1]) - 1;
    c->sign = info[1] < 0 ? -1 : 1;
    c->constant = info[0] == 1;
    const StoredMatrix *data = c->constant ? &m[DATA_1] : &m[DATA_2];
    if ((info[0] != 0 && info[0] != 1 && info[0] != 2) || !(row >= 0 && row < (double)data->nrow) ||
        row != floor(row))
        return damaged(r, "dataInfo points outside of the data");
    c->row = (size_t)row;
    if (c->constant)
        c->value = c->sign * constants[c->row];
    return LIEDER_DONE;
}

/* names, texts and places of all columns; constants from data_1 */
static LiederStatus read_columns(Result *r, const StoredMatrix *m, double *numbers, char *text,
                                 double *constants)
{
    if (m[DATA_1].ncolumn > 0 && !read_column(r, &m[DATA_1], 0, constants))
        return damaged(r, "data_1 cannot be read");
    for (size_t i = 0; i < m[NAME].ncolumn; i++) {
        if (!read_text(r, &m[NAME], i, numbers, text))
            return damaged(r, "the names cannot be read");
        ResultColumn *c = result_add(r, text, strlen(text));
        if (!c || place_column(r, m, i, c, numbers, constants) < 0)
            return r->status;
        if (i < m[DESCRIPTION].ncolumn && read_text(r, &m[DESCRIPTION], i, numbers, text))
            split_description(r, c, text);
    }
    return r->arena.failed ? result_fail_memory(r) : LIEDER_DONE;
}

/* whether it is a result as Dymola writes it, and its sizes fit together */
static LiederStatus check_matrices(Result *r, const StoredMatrix *m)
{
    for (int i = 0; i < NMATRIX; i++)
        if (!*m[i].name && i != DESCRIPTION) {
            char why[64];
            snprintf(why, sizeof why, "there is no matrix %s", matrix_names[i]);
            return i == DATA_2 ? damaged(r, why) : foreign(r, why);
        }
    double numbers[4];
    char row[12] = "";
    for (size_t j = 0; j < m[ACLASS].ncolumn && j < 11; j++) {
        if (m[ACLASS].nrow != 4 || !read_column(r, &m[ACLASS], j, numbers))
            return foreign(r, "Aclass is not four rows of text");
        row[j] = to_character(numbers[3]);
    }
    if (strncmp(row, "binTrans", 8) != 0)
        return foreign(r, "it is not stored as binTrans");
    if (m[INFO].nrow < 2 || m[INFO].ncolumn != m[NAME].ncolumn || m[NAME].ncolumn == 0)
        return damaged(r, "names and dataInfo do not fit together");
    if (m[DATA_2].nrow > m[NAME].ncolumn + 1)
        return damaged(r, "data_2 has more rows than there are names");
    return LIEDER_DONE;
}

static size_t largest(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* the columns, and how many rows are really there */
static LiederStatus read_mat_head(Result *r)
{
    StoredMatrix m[NMATRIX] = {0};
    if (fseeko(r->file, 0, SEEK_END) != 0)
        return result_fail(r, LIEDER_IO, "cannot read %.700s: %s", r->path, strerror(errno));
    long long size = ftello(r->file);
    rewind(r->file);
    if (find_matrices(r, m, size) < 0 || check_matrices(r, m) < 0)
        return r->status;

    // a row is one time point of data_2
    r->data_at = m[DATA_2].at;
    r->width = m[DATA_2].nrow;
    r->element = m[DATA_2].element;
    r->npoint = m[DATA_2].ncolumn;
    if (m[DATA_2].kind > 1)
        return foreign(r, "data_2 is not of real numbers");
    long long bytes = (long long)(r->width * r->element);
    size_t there = bytes ? (size_t)((size - r->data_at) / bytes) : 0;
    if (there < r->npoint) {
        result_note(r, "%.700s was cut off: %zu of %zu rows are there", r->path, there, r->npoint);
        r->npoint = there;
    }

    size_t rows = largest(largest(m[NAME].nrow, m[DESCRIPTION].nrow), m[INFO].nrow) + 1;
    double *numbers = memory_zeroed(&r->alloc, rows * sizeof *numbers);
    double *constants = memory_zeroed(&r->alloc, (m[DATA_1].nrow + 1) * sizeof *constants);
    char *text = memory_zeroed(&r->alloc, rows);
    if (numbers && constants && text)
        read_columns(r, m, numbers, text, constants);
    else
        result_fail_memory(r);
    memory_free(&r->alloc, numbers, rows * sizeof *numbers);
    memory_free(&r->alloc, constants, (m[DATA_1].nrow + 1) * sizeof *constants);
    memory_free(&r->alloc, text, rows);
    return r->status;
}

/* ------------------------------------------------------------------ rows */

/* row by row from data_2, the wanted columns only */
static LiederStatus stream(Result *r, const size_t *columns, size_t n, ResultRow *row, void *user,
                           double *values, unsigned char *point)
{
    int kind = r->element == sizeof(double) ? 0 : 1;
    for (size_t k = 0; k < r->npoint; k++) {
        if (fread(point, r->element, r->width, r->file) < r->width)
            return result_fail(r, LIEDER_IO, "cannot read %.700s: %s", r->path,
                               ferror(r->file) ? strerror(errno) : "the file has become shorter");
        for (size_t i = 0; i < n; i++) {
            const ResultColumn *c = &r->columns.items[columns[i]];
            values[i] = c->constant ? c->value
                                    : c->sign * read_mat_number(point + c->row * r->element, kind);
        }
        if (!row(user, values))
            return LIEDER_STOPPED;
    }
    return LIEDER_DONE;
}

static LiederStatus read_mat_rows(Result *r, const size_t *columns, size_t n, ResultRow *row,
                                  void *user, double *values)
{
    if (fseeko(r->file, r->data_at, SEEK_SET) != 0)
        return result_fail(r, LIEDER_IO, "cannot read %.700s: %s", r->path, strerror(errno));
    size_t size = r->width * r->element + 1;
    unsigned char *point = memory_zeroed(&r->alloc, size);
    if (!point)
        return result_fail_memory(r);
    LiederStatus status = stream(r, columns, n, row, user, values, point);
    memory_free(&r->alloc, point, size);
    return status;
}

const ResultFormat result_mat = {.head = read_mat_head, .rows = read_mat_rows};
