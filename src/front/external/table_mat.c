/* table_mat.c - tables in files of MATLAB (MAT-File Format, The MathWorks).
 *
 * Level 4: matrices one after the other, each a header of five 32-bit numbers (type, rows, columns,
 * imaginary, length of the name), its name and its numbers by columns. Type is 1000 M + 10 P with
 * M = 0 for little endian and P = 0 for double, 1 for float, 2 and 3 for 32 and 16 bits with sign,
 * 4 and 5 for 16 and 8 bits without.
 *
 * Level 5 (versions 6 and 7): 128 bytes of header, then elements, each a tag of type and length and
 * its bytes, up to a multiple of eight; four bytes or fewer may stand in the tag itself. A matrix
 * is an element of elements: flags with its class, sizes, name, then its numbers by columns, which
 * are stored in any type that holds them, or, of a structure, the names of its fields and their
 * matrices. Version 7 has each matrix compressed (zlib). A table "a.b" is the field b of the
 * structure a. Version 7.3 is another format (HDF5) and refused.
 */
#include "front/external/table.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { MAX_NUMBERS = 10000000 };

/* ------------------------------------------------------------------ level 4 */

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
           (h->columns == 0 || h->rows < MAX_NUMBERS / h->columns);
}

/* a matrix out of a file of level 4; *any: there is a matrix, *found: this one; NULL: it is not
 * there, or after an error */
static double *read_level4(ExternalCall *c, FILE *file, const char *table, size_t *nrow,
                           size_t *ncolumn, bool *any, bool *found)
{
    MatHeader h;
    bool good = true;
    while (good && fread(&h, sizeof h, 1, file) == 1) {
        char name[500] = "";
        good = is_mat_header(&h) && fread(name, 1, (size_t)h.name, file) == (size_t)h.name;
        *any |= good;
        *found = good && strcmp(name, table) == 0 && h.rows && h.columns && !h.imaginary;
        if (*found)
            return take_matrix(c, file, &h, nrow, ncolumn);
        long skip = good ? (long)((size_t)h.rows * (size_t)h.columns * (h.imaginary ? 2 : 1) *
                                  mat_sizes[h.type / 10 % 10])
                         : 0;
        good = good && fseek(file, skip, SEEK_CUR) == 0;
    }
    return NULL;
}

/* ------------------------------------------------------------------ level 5 */

enum {
    MAT_HEADER = 128,
    MAT_MATRIX = 14,
    MAT_COMPRESSED = 15,
    MAT_STRUCTURE = 2, /* class of a matrix */
    MAT_FIRST_NUMERIC = 6,
    MAT_LAST_NUMERIC = 15,
    MAX_FILE = 1 << 28
};

/* bytes that are left of a file or of an element */
typedef struct MatBytes {
    const unsigned char *at;
    size_t n;
} MatBytes;

typedef struct MatElement {
    uint32_t type;
    MatBytes data;
} MatElement;

/* takes the next element; false: there is none, or it is longer than what is left */
static bool next_element(MatBytes *from, MatElement *e)
{
    uint32_t tag[2];
    if (from->n < 8)
        return false;
    memcpy(tag, from->at, sizeof tag);
    if (tag[0] >> 16) { /* small: length, type and four bytes */
        *e = (MatElement){tag[0] & 0xffff, {from->at + 4, tag[0] >> 16}};
        from->at += 8;
        from->n -= 8;
        return e->data.n <= 4;
    }
    size_t n = tag[1], padded = tag[0] == MAT_COMPRESSED ? n : (n + 7) / 8 * 8;
    *e = (MatElement){tag[0], {from->at + 8, n}};
    if (n > from->n - 8)
        return false;
    padded = padded < from->n - 8 ? padded : from->n - 8;
    from->at += 8 + padded;
    from->n -= 8 + padded;
    return true;
}

/* number i of an element of a numeric type */
static bool element_number(const MatElement *e, size_t i, double *x)
{
    static const size_t sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8};
    size_t size = e->type < sizeof sizes / sizeof *sizes ? sizes[e->type] : 0;
    if (!size || i >= e->data.n / size)
        return false;
    union {
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        float f;
        double d;
        int64_t i64;
        uint64_t u64;
    } v;
    memcpy(&v, e->data.at + i * size, size);
    const double numbers[] = {0,   v.i8, v.u8, v.i16, v.u16, v.i32,         v.u32,
                              v.f, 0,    v.d,  0,     0,     (double)v.i64, (double)v.u64};
    *x = numbers[e->type];
    return true;
}

/* a compressed element; its bytes are kept until the file has been read; false: it is damaged, or
 * no memory */
static bool inflate_element(ExternalCall *c, MatBytes packed, MatBytes *to)
{
    for (size_t room = 4 * packed.n + 1024; room < MAX_FILE; room *= 2) {
        unsigned char *bytes = scratch_zeroed(c->f, room);
        uLongf n = room;
        if (!bytes)
            return false;
        int result = uncompress(bytes, &n, packed.at, packed.n);
        *to = (MatBytes){bytes, n};
        if (result != Z_BUF_ERROR)
            return result == Z_OK;
    }
    return false;
}

/* the parts that all matrices begin with */
typedef struct MatMatrix {
    int class_;
    size_t nrow, ncolumn;
    MatBytes name, rest;
} MatMatrix;

/* flags, sizes and name of a matrix; false: it has more than two dimensions, or is damaged */
static bool open_matrix(MatBytes bytes, MatMatrix *m)
{
    MatElement flags, sizes, name;
    double class_, rows, columns, more;
    if (!next_element(&bytes, &flags) || !next_element(&bytes, &sizes) ||
        !next_element(&bytes, &name) || !element_number(&flags, 0, &class_) ||
        !element_number(&sizes, 0, &rows) || !element_number(&sizes, 1, &columns) ||
        element_number(&sizes, 2, &more) || !(rows >= 0 && columns >= 0) ||
        !(rows * columns < MAX_NUMBERS))
        return false;
    *m = (MatMatrix){(int)((uint32_t)class_ & 0xff), (size_t)rows, (size_t)columns, name.data,
                     bytes};
    return true;
}

/* does a name, which may be filled up by zeros, say the first n letters of a text? */
static bool is_named(MatBytes name, const char *text, size_t n)
{
    return name.n >= n && memcmp(name.at, text, n) == 0 && (name.n == n || name.at[n] == 0);
}

/* numbers of a matrix by rows; NULL after an error */
static double *take_numbers(ExternalCall *c, const MatMatrix *m, size_t *nrow, size_t *ncolumn)
{
    MatElement real_part;
    MatBytes rest = m->rest;
    const size_t n = m->nrow * m->ncolumn;
    double *numbers = work_zeroed(c->f, (n + 1) * sizeof *numbers);
    bool good = numbers && m->class_ >= MAT_FIRST_NUMERIC && m->class_ <= MAT_LAST_NUMERIC &&
                next_element(&rest, &real_part);
    for (size_t i = 0; good && i < n; i++)
        good = element_number(&real_part, i, &numbers[i % m->nrow * m->ncolumn + i / m->nrow]);
    *nrow = m->nrow;
    *ncolumn = m->ncolumn;
    if (good && n)
        return numbers;
    if (numbers)
        external_fail(c, "the table is no matrix of numbers, or ends too early\ncheck the file");
    return NULL;
}

/* the matrix of a field, or what is inside it; a structure of one element */
static bool find_field(const MatMatrix *m, const char *name, size_t n, MatMatrix *field)
{
    MatElement length, names, value;
    MatBytes rest = m->rest;
    double size = 0;
    if (m->class_ != MAT_STRUCTURE || m->nrow * m->ncolumn != 1 || !next_element(&rest, &length) ||
        !next_element(&rest, &names) || !element_number(&length, 0, &size) || !(size >= 1))
        return false;
    const size_t each = (size_t)size;
    for (size_t k = 0; k < names.data.n / each; k++) {
        if (!next_element(&rest, &value) || value.type != MAT_MATRIX)
            return false;
        if (is_named((MatBytes){names.data.at + k * each, each}, name, n))
            return open_matrix(value.data, field);
    }
    return false;
}

/* likewise of level 5: a matrix by its name, or a field of a structure */
static double *read_level5(ExternalCall *c, MatBytes bytes, const char *table, size_t *nrow,
                           size_t *ncolumn, bool *any, bool *found)
{
    MatElement e;
    while (next_element(&bytes, &e)) {
        MatBytes packed = e.data;
        if (e.type == MAT_COMPRESSED &&
            (!inflate_element(c, packed, &packed) || !next_element(&packed, &e)))
            return NULL;
        MatMatrix m;
        if (e.type != MAT_MATRIX || !open_matrix(e.data, &m))
            continue;
        *any = true;
        const char *rest = table;
        size_t n = strcspn(rest, ".");
        *found = is_named(m.name, rest, n);
        while (*found && rest[n]) {
            const MatMatrix around = m;
            rest += n + 1;
            n = strcspn(rest, ".");
            *found = find_field(&around, rest, n, &m);
        }
        if (*found)
            return take_numbers(c, &m, nrow, ncolumn);
    }
    return NULL;
}

/* the whole file after its header; false: too long, or no memory */
static bool read_bytes(ExternalCall *c, FILE *file, MatBytes *to)
{
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size < MAT_HEADER || size > MAX_FILE || fseek(file, MAT_HEADER, SEEK_SET) != 0)
        return false;
    const size_t n = (size_t)size - MAT_HEADER;
    unsigned char *bytes = scratch_zeroed(c->f, n + 1);
    *to = (MatBytes){bytes, n};
    return bytes && fread(bytes, 1, n, file) == n;
}

/* ------------------------------------------------------------------ either */

double *table_read_mat(ExternalCall *c, const char *path, const char *table, size_t *nrow,
                       size_t *ncolumn)
{
    FILE *file = table_open(c, path);
    if (!file)
        return NULL;
    unsigned char header[MAT_HEADER] = {0};
    size_t n = fread(header, 1, sizeof header, file);
    bool five = n == MAT_HEADER && memcmp(header, "MATLAB 5.0", 10) == 0 && header[124] == 0 &&
                header[125] == 1 && memcmp(header + 126, "IM", 2) == 0;
    bool any = false, found = false;
    double *numbers = NULL;
    MatBytes bytes;
    if (five && read_bytes(c, file, &bytes))
        numbers = read_level5(c, bytes, table, nrow, ncolumn, &any, &found);
    else if (!five && fseek(file, 0, SEEK_SET) == 0)
        numbers = read_level4(c, file, table, nrow, ncolumn, &any, &found);
    fclose(file);
    if (!numbers && !found)
        external_fail(c,
                      any ? "there is no matrix \"%.100s\" in %.200s\ncheck its name"
                          : "\"%.100s\": %.200s is no .mat file of version 4, 6 or 7\n"
                            "store it in one of these (-v7), or as a text file",
                      table, path);
    return numbers;
}
