/* hdf5.c - results as an HDF5 file: a data set for each variable, arrays kept.
 *
 *     /time              rows                 attributes unit, text
 *     /cart.s            rows                 unit = "m", text = "position"
 *     /crab.rod.r        rows x 1000 x 2      first = "crab[1].rod.r[1]": its first element
 *     /cart.m            a number             a constant; arrays of them have their dimensions
 *     attributes of /    lieder = version of this layout, program
 *
 * * An array is one data set if all its elements are recorded, with the first index first; else
 * each element has a data set with its full name. In names of links a / becomes U+2215, and
 * attribute name has the true name. Links are kept in the order of the columns; parameters of a
 * sweep come before /time, which begins anew with each of its members. Variables are chunked and
 * grow along the time.
 *
 * Ranks (RecordTeam) write one file together, by the build of libhdf5 for MPI: all of them make the
 * head, and each writes its own elements of a data set, a range of its first index. The streaming
 * below is impossible then: such a file can be read when it is closed, or, after a kill, as the
 * last flush left it.
 *
 * Streaming: the file is in the mode of one writer and many readers (SWMR), in which libhdf5 orders
 * its writes so that a file is whole at any moment, also after kill -9: readers open it with
 * H5F_ACC_SWMR_READ (h5py: swmr=True) until it is closed. A flush writes all variables and then the
 * time, whose length is the number of rows that count.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "base/hdf5.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "record/format.h"

enum { LAYOUT = 1, MAX_RANK = 8, BUFFER = 4 << 20, MAX_CHUNK = 64 * 1024, MIN_TEAM = 4096 };

/* a variable: its columns are source[first] ... source[first + n - 1], the last index fastest */
typedef struct RowSeries {
    hid_t set;
    size_t first, n;
    int rank;
    hsize_t dims[MAX_RANK];
    bool varies;
    hsize_t own_first, own_n; /* of a team: indices of the first dimension that this rank has */
} RowSeries;

typedef struct H5File {
    Hdf5 h5;
    NewFile file;
    hid_t id, time;
    const RecordTeam *team; /* or NULL */
    bool writes;            /* the first or only rank */
    void *set_fapl_mpio;
    RowSeries *series;
    size_t nseries;
    size_t *source;  /* columns in the order of the series (ncolumn) */
    double *rows;    /* values of all columns (room x ncolumn) */
    double *times;   /* (room) */
    double *scratch; /* of one series (room x n of the largest) */
    size_t room, largest, nbuffered, nwritten;
} H5File;

/* ------------------------------------------------------------------ arrays by name */

/* base: a name without its indices, which go to `index`; returns their number, -1: it is no array
 * element that can be part of a data set */
static int split_name(const char *name, char *base, hsize_t *index)
{
    int n = 0;
    bool quoted = false;
    for (const char *c = name; *c; c++) {
        quoted ^= *c == '\'';
        if (*c != '[' || quoted) {
            *base++ = *c;
            continue;
        }
        do {
            unsigned long i = 0;
            for (c++; *c >= '0' && *c <= '9'; c++)
                i = 10 * i + (unsigned long)(*c - '0');
            if (n == MAX_RANK - 1 || i == 0 || (*c != ',' && *c != ']'))
                return -1;
            index[n++] = i;
        } while (*c == ',');
    }
    *base = '\0';
    return n;
}

/* the columns with one base name */
typedef struct Array {
    size_t count;
    int rank;
    bool fits;
    hsize_t dims[MAX_RANK];
} Array;

/* adds an element to its array; elements of another rank or kind do not fit */
static void array_take(Array *a, int rank, const hsize_t *index, bool same_kind)
{
    if (a->count == 0)
        *a = (Array){.rank = rank, .fits = rank >= 0};
    a->count++;
    a->fits = a->fits && a->rank == rank && same_kind;
    for (int k = 0; a->fits && k < rank; k++)
        if (index[k] > a->dims[k])
            a->dims[k] = index[k];
}

/* are all its elements there? */
static bool array_whole(const Array *a)
{
    size_t n = 1;
    for (int k = 0; a->fits && k < a->rank; k++)
        if (__builtin_mul_overflow(n, a->dims[k], &n))
            return false;
    return a->fits && n == a->count;
}

/* scratch of plan_series */
typedef struct Plan {
    RecordColumn *bases; /* of each column, by name */
    Array *arrays;       /* at the first column of a base name */
    size_t *series;      /* of an array, + 1 */
    NameIndex index;
} Plan;

/* a series for column i alone or for the whole array that begins with it */
static void add_series(H5File *s, const RecordColumn *c, const Array *a, size_t *next)
{
    RowSeries *v = &s->series[s->nseries++];
    *v = (RowSeries){.set = -1, .first = *next, .n = 1, .varies = !c->constant};
    if (a) {
        v->n = a->count;
        v->rank = a->rank;
        memcpy(v->dims, a->dims, sizeof v->dims);
    }
    *next += v->n;
    s->largest = v->n > s->largest ? v->n : s->largest;
}

/* which data set each column belongs to, and where in it */
static void place_columns(Recorder *r, H5File *s, const RecordColumn *columns, Plan *p, char *base)
{
    hsize_t index[MAX_RANK];
    size_t next = 0;
    for (size_t i = 0; i < r->ncolumn; i++) {
        int rank = split_name(columns[i].name, base, index);
        size_t home = (size_t)names_find(&p->index, p->bases, p->bases[i].name);
        const Array *a = &p->arrays[home];
        if (rank < 1 || !array_whole(a)) {
            add_series(s, &columns[i], NULL, &next);
            s->source[s->series[s->nseries - 1].first] = i;
            continue;
        }
        if (!p->series[home]) {
            add_series(s, &columns[i], a, &next);
            p->series[home] = s->nseries;
        }
        size_t at = 0;
        for (int k = 0; k < rank; k++)
            at = at * a->dims[k] + index[k] - 1;
        s->source[s->series[p->series[home] - 1].first + at] = i;
    }
}

/* which columns are arrays together, and the series that follow */
static LiederStatus plan_series(Recorder *r, H5File *s, const RecordColumn *columns)
{
    size_t n = r->ncolumn, longest = 0, duplicate;
    hsize_t index[MAX_RANK];
    Arena arena;
    arena_init(&arena, &r->alloc);
    for (size_t i = 0; i < n; i++)
        longest = strlen(columns[i].name) > longest ? strlen(columns[i].name) : longest;
    char *base = arena_zeroed(&arena, longest + 1);
    Plan p = {.bases = arena_zeroed(&arena, (n + 1) * sizeof *p.bases),
              .arrays = arena_zeroed(&arena, (n + 1) * sizeof *p.arrays),
              .series = arena_zeroed(&arena, (n + 1) * sizeof *p.series)};
    for (size_t i = 0; i < n && !arena.failed; i++) {
        int rank = split_name(columns[i].name, base, index);
        const char *name = rank > 0 ? base : columns[i].name;
        p.bases[i].name = arena_text(&arena, name, strlen(name));
    }
    bool fine = !arena.failed && names_init(&p.index, &r->alloc, p.bases, n, &duplicate);
    for (size_t i = 0; i < n && fine; i++) {
        size_t home = (size_t)names_find(&p.index, p.bases, p.bases[i].name);
        int rank = split_name(columns[i].name, base, index);
        array_take(&p.arrays[home], rank, index, columns[i].constant == columns[home].constant);
    }
    if (fine) {
        place_columns(r, s, columns, &p, base);
        names_drop(&p.index, &r->alloc);
    }
    arena_drop(&arena);
    return fine ? LIEDER_DONE : record_fail_memory(r, 0);
}

/* ------------------------------------------------------------------ head */

/* an attribute with a text; false: HDF5 refused */
static bool put_text(const Hdf5 *h5, hid_t object, const char *name, const char *text)
{
    if (!text || !*text)
        return true;
    hid_t type = h5->Tcopy(h5->text), space = h5->Screate(H5S_SCALAR), a = -1;
    if (h5->Tset_size(type, strlen(text) + 1) >= 0 && h5->Tset_cset(type, H5T_CSET_UTF8) >= 0)
        a = h5->Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool fine = a >= 0 && h5->Awrite(a, type, text) >= 0;
    if (a >= 0)
        h5->Aclose(a);
    h5->Sclose(space);
    h5->Tclose(type);
    return fine;
}

static bool put_number(const Hdf5 *h5, hid_t object, const char *name, double value)
{
    hid_t space = h5->Screate(H5S_SCALAR);
    hid_t a = h5->Acreate2(object, name, h5->number, space, H5P_DEFAULT, H5P_DEFAULT);
    bool fine = a >= 0 && h5->Awrite(a, h5->number, &value) >= 0;
    if (a >= 0)
        h5->Aclose(a);
    h5->Sclose(space);
    return fine;
}

/* a data set that grows along its first dimension, or one of constants */
static hid_t create_set(const H5File *s, const char *name, const RowSeries *v)
{
    const Hdf5 *h5 = &s->h5;
    hsize_t dims[MAX_RANK + 1] = {0}, most[MAX_RANK + 1], chunk[MAX_RANK + 1];
    size_t inner = 1;
    hid_t space, plist = h5->Pcreate(h5->dataset_create);
    for (int k = v->rank; k >= 1; k--) { // the last indices stay together
        hsize_t left = MAX_CHUNK / inner ? MAX_CHUNK / inner : 1;
        dims[k] = most[k] = v->dims[k - 1];
        hsize_t pieces = (dims[k] + left - 1) / left; // of equal size: the last one is padded
        chunk[k] = (dims[k] + pieces - 1) / pieces;
        inner *= chunk[k];
    }
    if (v->varies) {
        size_t rows = MAX_CHUNK / inner ? MAX_CHUNK / inner : 1;
        most[0] = H5S_UNLIMITED;
        chunk[0] = rows < s->room ? rows : s->room;
        space = h5->Screate_simple(v->rank + 1, dims, most);
        h5->Pset_chunk(plist, v->rank + 1, chunk);
        if (s->team) /* each element is written once */
            h5->Pset_fill_time(plist, H5D_FILL_TIME_NEVER);
    } else {
        space = v->rank ? h5->Screate_simple(v->rank, dims + 1, NULL) : h5->Screate(H5S_SCALAR);
    }
    hid_t set = h5->Dcreate2(s->id, name, h5->number, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    h5->Sclose(space);
    h5->Pclose(plist);
    return set;
}

/* name as a link may have it; size is three times its length and more */
static void link_name(const char *name, char *to)
{
    for (; *name; name++) {
        if (*name == '/') {
            memcpy(to, "\xe2\x88\x95", 3);
            to += 3;
        } else {
            *to++ = *name;
        }
    }
    *to = '\0';
}

/* the data set of a series with its attributes; constants with their numbers */
static bool put_series(Recorder *r, H5File *s, RowSeries *v, const RecordColumn *columns,
                       char *name)
{
    const Hdf5 *h5 = &s->h5;
    const RecordColumn *c = &columns[s->source[v->first]];
    char *base = name + 3 * strlen(c->name) + 1;
    hsize_t index[MAX_RANK];
    strcpy(base, c->name);
    if (v->rank)
        split_name(c->name, base, index);
    link_name(base, name);
    v->set = create_set(s, name, v);
    if (v->set < 0 || !put_text(h5, v->set, "unit", c->unit) ||
        !put_text(h5, v->set, "text", c->text) ||
        (v->rank && !put_text(h5, v->set, "first", c->name)) ||
        (strcmp(base, name) != 0 && !put_text(h5, v->set, "name", base)))
        return false;
    if (v->varies)
        return true;
    for (size_t i = 0; i < v->n; i++)
        s->scratch[i] = columns[s->source[v->first + i]].value;
    (void)r;
    return !s->writes ||
           h5->Dwrite(v->set, h5->number, H5S_ALL, H5S_ALL, H5P_DEFAULT, s->scratch) >= 0;
}

/* a file that can be read while it is written; false: HDF5 refused */
static bool create_file(H5File *s)
{
    const Hdf5 *h5 = &s->h5;
    const char *path = *s->file.beside ? s->file.beside : s->file.target;
    hid_t access = h5->Pcreate(h5->file_access), create = h5->Pcreate(h5->file_create);
    if (s->team) { // without the mark of a file that is being written, which would stay after kill
                   // -9
        h5->Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
        s->team->share_file(s->set_fapl_mpio, access);
    } else {
        h5->Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
        h5->Pset_file_locking(access, false, true);
    }
    h5->Pset_link_creation_order(create, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    s->id = h5->Fcreate(path, H5F_ACC_TRUNC, create, access);
    h5->Pclose(access);
    h5->Pclose(create);
    return s->id >= 0;
}

/* After a failed write libhdf5 would write the rest of its buffers when it closes the file, in any
 * order, and report no error: its writes go to a file in memory from now on, and the file on the
 * disk stays as the last flush left it. (A device would not do: libhdf5 truncates a file that it
 * closes, and keeps a file that it cannot close.) */
static void abandon(const H5File *s)
{
    if (s->team)
        return; // no file descriptor
    int *fd, nowhere = memfd_create("abandoned", MFD_CLOEXEC);
    if (s->id >= 0 && nowhere >= 0 && s->h5.Fget_vfd_handle(s->id, H5P_DEFAULT, (void **)&fd) >= 0)
        dup2(nowhere, *fd);
    if (nowhere >= 0)
        close(nowhere);
}

/* a call of libhdf5 has failed: reports errno */
static LiederStatus h5_failed(Recorder *r, const H5File *s)
{
    int error = errno ? errno : EIO;
    abandon(s);
    r->nlost = r->nrow - s->nwritten;
    return record_file_fail(r, error, s->nwritten);
}

static bool put_time(H5File *s)
{
    s->time = create_set(s, "time", &(RowSeries){.varies = true});
    return s->time >= 0 && put_text(&s->h5, s->time, "unit", "s") &&
           put_text(&s->h5, s->time, "text", "Simulation time");
}

/* data sets with units and texts for all columns */
static LiederStatus put_h5_head(Recorder *r, H5File *s, const RecordColumn *columns)
{
    const Hdf5 *h5 = &s->h5;
    size_t longest = 0;
    for (size_t i = 0; i < r->ncolumn; i++)
        longest = strlen(columns[i].name) > longest ? strlen(columns[i].name) : longest;
    char *name = memory_resize(&r->alloc, NULL, 0, 4 * longest + 2);
    if (!name)
        return record_fail_memory(r, 0);
    errno = 0;
    bool fine = create_file(s) && put_number(h5, s->id, "lieder", LAYOUT) &&
                put_text(h5, s->id, "program", "Lieder " LIEDER_VERSION);
    for (size_t i = 0; fine && i <= s->nseries; i++) {
        bool leads = i < s->nseries && s->source[s->series[i].first] < r->options.leading;
        fine = leads || s->time >= 0 || put_time(s);
        fine = fine && (i == s->nseries || put_series(r, s, &s->series[i], columns, name));
    }
    memory_free(&r->alloc, name, 4 * longest + 2);
    // the head goes out at once: a full disk shows before the run
    fine = fine && h5->Fflush(s->id, H5F_SCOPE_GLOBAL) >= 0 &&
           (s->team || h5->Fstart_swmr_write(s->id) >= 0);
    fine = !record_any(r, !fine);
    return fine ? LIEDER_DONE : h5_failed(r, s);
}

/* ------------------------------------------------------------------ ranks */

/* the range of the first index that this rank has of a series; false: its elements are no such
 * range */
static bool find_own(const H5File *s, RowSeries *v, const uint8_t *own)
{
    hsize_t nfirst = v->rank ? v->dims[0] : 1, inner = v->n / nfirst, first = nfirst, end = 0;
    for (size_t j = 0; j < v->n; j++) {
        bool here = own[s->source[v->first + j]];
        if (here != (bool)own[s->source[v->first + j / inner * inner]])
            return false;
        if (!here)
            continue;
        first = j / inner < first ? j / inner : first;
        if (end && j / inner > end)
            return false;
        end = j / inner + 1;
    }
    v->own_first = end ? first : 0;
    v->own_n = end ? end - first : 0;
    return true;
}

/* the ranges of this rank in all series; false: elements of some rank are no range */
static bool divide_series(const Recorder *r, H5File *s)
{
    bool plain = true;
    for (size_t i = 0; i < s->nseries; i++)
        plain = find_own(s, &s->series[i], s->team->own) && plain;
    return !record_any(r, !plain);
}

bool record_team_suits(const RecordTeam *team, const char *target, const RecordColumn *columns,
                       size_t ncolumn)
{
    Hdf5 h5;
    void *set_fapl_mpio;
    RecordOptions o = record_defaults();
    o.team = team;
    Recorder r = {.alloc = memory_default, .options = o, .ncolumn = ncolumn};
    size_t series_bytes = (ncolumn + 1) * sizeof(RowSeries),
           source_bytes = (ncolumn + 1) * sizeof(size_t);
    H5File s = {.team = team,
                .series = memory_zeroed(&r.alloc, series_bytes),
                .source = memory_zeroed(&r.alloc, source_bytes)};
    bool good = text_ends(target, ".h5") && ncolumn >= MIN_TEAM && team->ranks->exchange &&
                s.series && s.source && hdf5_load_parallel(&h5, &set_fapl_mpio) &&
                plan_series(&r, &s, columns) == LIEDER_DONE;
    good = !record_any(&r, !good) && divide_series(&r, &s);
    memory_free(&r.alloc, s.series, series_bytes);
    memory_free(&r.alloc, s.source, source_bytes);
    return good;
}

/* rank 0 makes a file beside the target; the others learn its name */
static LiederStatus open_together(Recorder *r, H5File *s)
{
    const LiederRanks *ranks = s->team->ranks;
    LiederLetter letters[1] = {{.rank = 0}}, *all = letters;
    NewFile named;
    size_t n = ranks->rank ? 1 : (size_t)ranks->count - 1;
    if (s->writes) {
        record_file_open(r, &s->file, FILE_NAMED);
        all = memory_zeroed(&r->alloc, (n + 1) * sizeof *all);
    }
    if (record_any(r, r->status < 0 || !all)) {
        if (all != letters)
            memory_free(&r->alloc, all, (n + 1) * sizeof *all);
        return r->status < 0
                   ? r->status
                   : record_fail(r, LIEDER_IO, "the first rank cannot write %.700s", r->target);
    }
    for (size_t i = 0; i < n; i++) {
        all[i].rank = ranks->rank ? 0 : (int)i + 1;
        all[i].sent = &s->file;
        all[i].nsent = s->writes ? sizeof s->file : 0;
        all[i].received = &named;
        all[i].nreceived = s->writes ? 0 : sizeof named;
    }
    ranks->exchange(ranks->user, all, n);
    if (!s->writes) {
        memcpy(s->file.target, named.target, sizeof named.target);
        memcpy(s->file.beside, named.beside, sizeof named.beside);
    }
    if (all != letters)
        memory_free(&r->alloc, all, (n + 1) * sizeof *all);
    return LIEDER_DONE;
}

/* room for rows, the plan of the data sets, and the head of the file */
static LiederStatus open_h5(Recorder *r, const RecordColumn *columns)
{
    H5File *s = r->state = memory_zeroed(&r->alloc, sizeof *s);
    size_t n = r->ncolumn + 1;
    if (!s)
        return record_fail_memory(r, 0);
    s->file.fd = -1;
    s->id = s->time = -1;
    s->team = r->options.team;
    s->writes = !s->team || s->team->ranks->rank == 0;
    s->room = BUFFER / (n * sizeof(double));
    s->room = s->room > 1024 ? 1024 : s->room ? s->room : 1;
    s->largest = 1;
    s->series = memory_zeroed(&r->alloc, n * sizeof *s->series);
    s->source = memory_zeroed(&r->alloc, n * sizeof *s->source);
    s->rows = memory_resize(&r->alloc, NULL, 0, s->room * n * sizeof *s->rows);
    s->times = memory_resize(&r->alloc, NULL, 0, s->room * sizeof *s->times);
    s->scratch = memory_resize(&r->alloc, NULL, 0, s->room * n * sizeof *s->scratch);
    bool ready = s->series && s->source && s->rows && s->times && s->scratch;
    if (record_any(r, !ready))
        return record_fail_memory(r, 0);
    if (s->team ? !hdf5_load_parallel(&s->h5, &s->set_fapl_mpio) : !hdf5_load(&s->h5)) {
        char why[300];
        return record_fail(
            r, LIEDER_IO,
            "cannot write results to %.500s: %s; on Debian the package is libhdf5-103-1", r->target,
            hdf5_problem(why, sizeof why));
    }
    if (record_any(r, plan_series(r, s, columns) < 0))
        return r->status < 0 ? r->status : record_fail_memory(r, 0);
    if (s->team)
        divide_series(r, s);
    if ((s->team ? open_together(r, s) : record_file_open(r, &s->file, FILE_NAMED)) < 0)
        return r->status;
    return put_h5_head(r, s, columns);
}

/* ------------------------------------------------------------------ rows */

/* Rows of values behind those that a data set has, of a team those of this rank: n of the first
 * inner dimension, from `first` on. rank counts the inner dimensions. */
static bool append_rows(const H5File *s, hid_t set, int rank, const hsize_t *inner, hsize_t first,
                        hsize_t n, const double *values)
{
    const Hdf5 *h5 = &s->h5;
    hsize_t size[MAX_RANK + 1] = {s->nwritten + s->nbuffered}, count[MAX_RANK + 1] = {s->nbuffered};
    hsize_t begin[MAX_RANK + 1] = {s->nwritten};
    for (int k = 0; k < rank; k++)
        size[k + 1] = count[k + 1] = inner[k];
    if (rank) {
        begin[1] = first;
        count[1] = n;
    }
    if (h5->Dset_extent(set, size) < 0)
        return false;
    if (n == 0) // other ranks have all elements
        return true;
    hid_t to = h5->Dget_space(set), from = h5->Screate_simple(rank + 1, count, NULL);
    bool fine = h5->Sselect_hyperslab(to, H5S_SELECT_SET, begin, NULL, count, NULL) >= 0 &&
                h5->Dwrite(set, h5->number, from, to, H5P_DEFAULT, values) >= 0 &&
                (s->team || h5->Dflush(set) >= 0);
    h5->Sclose(from);
    h5->Sclose(to);
    return fine;
}

/* all variables, then the time, whose length is the number of rows */
static LiederStatus flush_h5(Recorder *r)
{
    H5File *s = r->state;
    bool fine = true;
    if (s->nbuffered == 0)
        return LIEDER_DONE;
    errno = 0;
    for (size_t i = 0; fine && i < s->nseries; i++) {
        const RowSeries *v = &s->series[i];
        if (!v->varies)
            continue;
        size_t nfirst = v->rank ? v->dims[0] : 1, inner = v->n / nfirst;
        size_t first = s->team ? v->own_first : 0, n = s->team ? v->own_n : nfirst;
        for (size_t k = 0; k < s->nbuffered; k++)
            for (size_t j = 0; j < n * inner; j++)
                s->scratch[k * n * inner + j] =
                    s->rows[k * r->ncolumn + s->source[v->first + first * inner + j]];
        fine = append_rows(s, v->set, v->rank, v->dims, first, n, s->scratch);
    }
    fine = !record_any(r, !fine) && append_rows(s, s->time, 0, NULL, 0, s->writes, s->times);
    if (s->team)
        fine = fine && s->h5.Fflush(s->id, H5F_SCOPE_GLOBAL) >= 0;
    if (record_any(r, !fine))
        return h5_failed(r, s);
    s->nwritten += s->nbuffered;
    s->nbuffered = 0;
    return LIEDER_DONE;
}

static LiederStatus publish_h5(Recorder *r)
{
    H5File *s = r->state;
    if (record_any(r, s->writes && record_file_publish(r, &s->file) < 0) &&
        r->status == LIEDER_DONE)
        record_fail(r, LIEDER_IO, "the first rank cannot write %.700s", r->target);
    return r->status;
}

static LiederStatus row_h5(Recorder *r, double time, const double *values)
{
    H5File *s = r->state;
    if (s->nbuffered == s->room && flush_h5(r) < 0)
        return r->status;
    s->times[s->nbuffered] = time;
    memcpy(s->rows + s->nbuffered * r->ncolumn, values, r->ncolumn * sizeof *values);
    s->nbuffered++;
    return LIEDER_DONE;
}

/* false: buffers of libhdf5 could not be written */
static bool close_h5(H5File *s)
{
    const Hdf5 *h5 = &s->h5;
    for (size_t i = 0; i < s->nseries; i++)
        if (s->series[i].set > 0)
            h5->Dclose(s->series[i].set);
    s->nseries = 0;
    if (s->time > 0)
        h5->Dclose(s->time);
    bool fine = s->id < 0 || h5->Fclose(s->id) >= 0;
    s->id = s->time = -1;
    return fine;
}

static LiederStatus finish_h5(Recorder *r)
{
    H5File *s = r->state;
    if (flush_h5(r) < 0)
        return r->status;
    errno = 0;
    if (record_any(r, !close_h5(s)))
        return h5_failed(r, s);
    int error = s->writes ? new_file_close(&s->file) : 0;
    return error ? record_file_fail(r, error, s->nwritten) : LIEDER_DONE;
}

/* closes the file and frees the recorder's state */
static void drop_h5(Recorder *r)
{
    H5File *s = r->state;
    size_t n = r->ncolumn + 1;
    if (!s)
        return;
    close_h5(s);
    if (s->writes)
        new_file_close(&s->file);
    memory_free(&r->alloc, s->series, n * sizeof *s->series);
    memory_free(&r->alloc, s->source, n * sizeof *s->source);
    memory_free(&r->alloc, s->rows, s->room * n * sizeof *s->rows);
    memory_free(&r->alloc, s->times, s->room * sizeof *s->times);
    memory_free(&r->alloc, s->scratch, s->room * n * sizeof *s->scratch);
    memory_free(&r->alloc, s, sizeof *s);
}

const RecordFormat record_h5 = {.open = open_h5,
                                .publish = publish_h5,
                                .row = row_h5,
                                .flush = flush_h5,
                                .finish = finish_h5,
                                .drop = drop_h5};
