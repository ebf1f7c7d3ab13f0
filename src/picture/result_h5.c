/* result_h5.c - HDF5 results, as record/hdf5.c writes them.
 *
 * The layout is described there. The data sets of the root are the variables, in the order of their
 * links; an array is as many columns as it has elements, named after its attribute `first`. A file
 * that a run is writing, or that was left by a run that was killed, is opened as a reader beside a
 * writer; the rows that /time has are whole. Data sets are read in blocks of rows, column by
 * column.
 */
#include "base/hdf5.h"

#include <stdio.h>
#include <string.h>

#include "picture/format.h"

enum { MAX_RANK = 9, BLOCK = 1 << 20 }; /* numbers that are read at a time */

typedef struct Set {
    hid_t id;
    int rank; /* with the time */
    hsize_t dims[MAX_RANK];
} Set;

typedef struct H5Result {
    Hdf5 h5;
    hid_t file;
    VEC(Set) sets;
} H5Result;

static LiederStatus h5_foreign(Result *r, const char *why)
{
    return result_fail(r, LIEDER_IO,
                       "%.700s is not an HDF5 file of results: %s\nresults are .csv, .mat or .h5 "
                       "files as lieder simulate writes them",
                       r->path, why);
}

/* ------------------------------------------------------------------ head */

/* an attribute that is a text, in the arena; "" if there is none */
static const char *get_text(Result *r, const H5Result *s, hid_t object, const char *name)
{
    const Hdf5 *h5 = &s->h5;
    char *text = NULL;
    if (h5->Aexists(object, name) <= 0)
        return "";
    hid_t a = h5->Aopen(object, name, H5P_DEFAULT), type = a >= 0 ? h5->Aget_type(a) : -1;
    size_t n = type >= 0 && h5->Tget_class(type) == H5T_STRING && !h5->Tis_variable_str(type)
                   ? h5->Tget_size(type)
                   : 0;
    if (n > 0 && n < 1 << 20)
        text = arena_zeroed(&r->arena, n + 1);
    if (text && h5->Aread(a, type, text) < 0)
        *text = '\0';
    if (type >= 0)
        h5->Tclose(type);
    if (a >= 0)
        h5->Aclose(a);
    return text ? text : "";
}

/* name of element `at` of an array, from that of its first: the k-th number in brackets is its
 * k-th index; returns the length */
static size_t element_name(const char *first, const Set *set, int inner, size_t at, char *to,
                           size_t size)
{
    size_t index[MAX_RANK], n = 0;
    const hsize_t *dims = set->dims + set->rank - inner;
    for (int k = inner - 1; k >= 0; k--) {
        index[k] = at % dims[k];
        at /= dims[k];
    }
    bool quoted = false, inside = false;
    int k = 0;
    for (const char *c = first; *c && n + 24 < size; c++) {
        quoted ^= *c == '\'';
        if (!quoted && (*c == '[' || *c == ']'))
            inside = *c == '[';
        if (!inside || *c == '[' || *c == ',') {
            to[n++] = *c;
            if (inside && k < inner)
                n += (size_t)snprintf(to + n, size - n, "%zu", index[k++] + 1);
        }
    }
    to[n] = '\0';
    return n;
}

/* the columns of a data set; constants with their values */
static LiederStatus add_columns(Result *r, H5Result *s, size_t number, const char *link,
                                bool varies)
{
    const Set *set = &s->sets.items[number];
    char name[4096];
    size_t n = 1;
    int inner = set->rank - (varies ? 1 : 0);
    const char *unit = get_text(r, s, set->id, "unit"), *text = get_text(r, s, set->id, "text");
    const char *first = get_text(r, s, set->id, "first"), *own = get_text(r, s, set->id, "name");
    for (int k = set->rank - inner; k < set->rank; k++)
        if (__builtin_mul_overflow(n, set->dims[k], &n) || n > (size_t)1 << 28)
            return h5_foreign(r, "a data set is too large");
    double *values = varies ? NULL : memory_zeroed(&r->alloc, (n + 1) * sizeof *values);
    if (!varies && !values)
        return result_fail_memory(r);
    if (values && s->h5.Dread(set->id, s->h5.number, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        h5_foreign(r, "a constant cannot be read");
    for (size_t i = 0; i < n && r->status >= 0; i++) {
        size_t length = inner
                            ? element_name(*first ? first : link, set, inner, i, name, sizeof name)
                            : (size_t)snprintf(name, sizeof name, "%s", *own ? own : link);
        ResultColumn *c = result_add(r, name, length < sizeof name ? length : sizeof name - 1);
        if (!c)
            break;
        c->unit = unit;
        c->text = text;
        c->constant = !varies;
        c->value = values ? values[i] : 0;
        c->row = i;
        c->set = number;
    }
    memory_free(&r->alloc, values, (n + 1) * sizeof *values);
    return r->status;
}

/* opens a data set of real numbers and finds its dimensions; others are left out */
static LiederStatus add_set(Result *r, H5Result *s, const char *link)
{
    const Hdf5 *h5 = &s->h5;
    hsize_t most[MAX_RANK];
    Set set = {.id = h5->Dopen2(s->file, link, H5P_DEFAULT)};
    if (set.id < 0) { // a group that another program has added, or a damaged data set
        result_note(r, "%.700s: %.200s is no data set that can be read, and is left out", r->path,
                    link);
        return LIEDER_DONE;
    }
    hid_t space = h5->Dget_space(set.id), type = h5->Dget_type(set.id);
    set.rank = h5->Sget_simple_extent_ndims(space);
    bool fits = set.rank >= 0 && set.rank <= MAX_RANK && h5->Tget_class(type) == H5T_FLOAT &&
                h5->Sget_simple_extent_dims(space, set.dims, most) >= 0;
    h5->Sclose(space);
    h5->Tclose(type);
    if (!fits || !vec_push(&r->alloc, &s->sets, set)) {
        h5->Dclose(set.id);
        return fits ? result_fail_memory(r) : LIEDER_DONE;
    }
    bool varies = set.rank > 0 && most[0] == H5S_UNLIMITED;
    if (strcmp(link, "time") == 0)
        r->npoint = set.rank == 1 ? set.dims[0] : 0;
    return add_columns(r, s, s->sets.n - 1, link, varies);
}

/* the data sets of a result of record/hdf5.c, in the order in which it was written */
static LiederStatus read_links(Result *r, H5Result *s)
{
    H5G_info_t info;
    char link[4096];
    if (s->h5.Aexists(s->file, "lieder") <= 0 || s->h5.Gget_info(s->file, &info) < 0)
        return h5_foreign(r, "the attribute lieder is missing");
    for (hsize_t i = 0; i < info.nlinks && r->status >= 0; i++) {
        ssize_t n = s->h5.Lget_name_by_idx(s->file, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, link,
                                           sizeof link, H5P_DEFAULT);
        if (n < 0)
            n = s->h5.Lget_name_by_idx(s->file, ".", H5_INDEX_NAME, H5_ITER_INC, i, link,
                                       sizeof link, H5P_DEFAULT);
        if (n <= 0 || n >= (ssize_t)sizeof link)
            return h5_foreign(r, "a link cannot be read");
        add_set(r, s, link);
    }
    if (r->status >= 0 && result_find(r, "time") < 0)
        return h5_foreign(r, "there is no data set time");
    return r->status;
}

/* Is the file marked as not closed by its writer? Superblock of version 3: flags in byte 11, of
 * which 4 is a writer beside readers. */
static bool is_open_for_writing(Result *r)
{
    unsigned char head[12];
    return fread(head, 1, sizeof head, r->file) == sizeof head && head[8] == 3 && (head[11] & 4);
}

/* opens the file and lists its data sets as columns */
static LiederStatus read_h5_head(Result *r)
{
    H5Result *s = r->format_state = memory_zeroed(&r->alloc, sizeof *s);
    char why[300];
    if (!s)
        return result_fail_memory(r);
    s->file = -1;
    if (!hdf5_load(&s->h5))
        return result_fail(r, LIEDER_IO,
                           "cannot read %.500s: %s\non Debian the package is libhdf5-103-1",
                           r->path, hdf5_problem(why, sizeof why));
    hid_t access = s->h5.Pcreate(s->h5.file_access);
    s->h5.Pset_file_locking(access, false, true);
    bool open = is_open_for_writing(r);
    if (open) {
        s->h5.Pset_metadata_read_attempts(access, 3); // a cut file has lost what it waits for
        result_note(r, "%.700s was not closed: a run is writing it, or was killed", r->path);
    }
    s->file = s->h5.Fopen(r->path, H5F_ACC_RDONLY | (open ? H5F_ACC_SWMR_READ : 0), access);
    s->h5.Pclose(access);
    return s->file < 0 ? h5_foreign(r, "it is damaged or was cut off") : read_links(r, s);
}

/* ------------------------------------------------------------------ rows */

/* `count` rows of one column from row `begin` on */
static bool read_block(const H5Result *s, const ResultColumn *c, size_t begin, size_t count,
                       double *to)
{
    const Hdf5 *h5 = &s->h5;
    const Set *set = &s->sets.items[c->set];
    hsize_t at[MAX_RANK] = {begin}, size[MAX_RANK] = {count}, rest = c->row;
    for (int k = set->rank - 1; k >= 1; k--) {
        at[k] = rest % set->dims[k];
        rest /= set->dims[k];
        size[k] = 1;
    }
    hid_t from = h5->Dget_space(set->id), memory = h5->Screate_simple(1, &(hsize_t){count}, NULL);
    bool fine = h5->Sselect_hyperslab(from, H5S_SELECT_SET, at, NULL, size, NULL) >= 0 &&
                h5->Dread(set->id, h5->number, memory, from, H5P_DEFAULT, to) >= 0;
    h5->Sclose(memory);
    h5->Sclose(from);
    return fine;
}

/* block by block: columns[i] stands at i * room */
static LiederStatus stream_h5(Result *r, const size_t *columns, size_t n, ResultRow *row,
                              void *user, double *values, double *block, size_t room)
{
    const H5Result *s = r->format_state;
    for (size_t begin = 0; begin < r->npoint; begin += room) {
        size_t count = r->npoint - begin < room ? r->npoint - begin : room;
        for (size_t i = 0; i < n; i++) {
            const ResultColumn *c = &r->columns.items[columns[i]];
            if (!c->constant && !read_block(s, c, begin, count, block + i * room))
                return result_fail(r, LIEDER_IO,
                                   "%.700s is damaged: rows from %zu on of %s cannot be read",
                                   r->path, begin + 1, c->name);
        }
        for (size_t k = 0; k < count; k++) {
            for (size_t i = 0; i < n; i++) {
                const ResultColumn *c = &r->columns.items[columns[i]];
                values[i] = c->constant ? c->value : block[i * room + k];
            }
            if (!row(user, values))
                return LIEDER_STOPPED;
        }
    }
    return LIEDER_DONE;
}

static LiederStatus read_h5_rows(Result *r, const size_t *columns, size_t n, ResultRow *row,
                                 void *user, double *values)
{
    size_t room = BLOCK / (n + 1);
    room = room > 1024 ? 1024 : room < 16 ? 16 : room;
    double *block = memory_resize(&r->alloc, NULL, 0, (n + 1) * room * sizeof *block);
    if (!block)
        return result_fail_memory(r);
    LiederStatus status = stream_h5(r, columns, n, row, user, values, block, room);
    memory_free(&r->alloc, block, (n + 1) * room * sizeof *block);
    return status;
}

/* closes data sets and file */
static void close_h5_result(Result *r)
{
    H5Result *s = r->format_state;
    if (!s)
        return;
    for (size_t i = 0; i < s->sets.n; i++)
        s->h5.Dclose(s->sets.items[i].id);
    if (s->file >= 0)
        s->h5.Fclose(s->file);
    vec_drop(&r->alloc, &s->sets);
    memory_free(&r->alloc, s, sizeof *s);
    r->format_state = NULL;
}

const ResultFormat result_h5 = {
    .head = read_h5_head, .rows = read_h5_rows, .close = close_h5_result};
