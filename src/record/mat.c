/* mat.c - results as a MATLAB v4 file in the layout that Dymola and OpenModelica write.
 *
 * A v4 file is matrices one after the other, each with a head of five 32-bit numbers (type, rows,
 * columns, imaginary, length of the name with its NUL), the name and the elements column by
 * column. "binTrans" says that all but Aclass are stored the other way round: a column is a
 * variable in name, description and dataInfo, and a time point in data_1 and data_2.
 *
 *     Aclass       4 x 11 text    Atrajectory, 1.1, empty, binTrans
 *     name         w x n text     time and all columns, padded with blanks
 *     description  w x n text     "text [unit]"
 *     dataInfo     4 x n int32    [matrix; row; 0: linear; outside: -1 not defined, 0 constant]
 *                                 time is [0; 1; 0; -1]: the abscissa, row 1 of each data matrix
 *     data_1       (1 + constants) x 2       values at the first and the last time
 *     data_2       (1 + varying) x points the time and the columns that vary
 *
 * data_1 has the time in row 1 and two columns because DyMat and ModelicaRes count on it; newer
 * OpenModelica writes one column without time, but reads both.
 *
 * Streaming: data_2 is last and grows at its end. A flush appends whole columns, then sets the last
 * time in data_1, then the number of columns in the head of data_2, in place. A reader that goes by
 * that number finds whole columns at any moment, also after kill -9. The number itself is never
 * torn: the widths of the text matrices are multiples of 8, which puts the head of data_2 (and the
 * times of data_1) at a multiple of 8, never across two pages.
 *
 * Rejected: matio, since it writes a v4 matrix from one block of memory and appends to matrices in
 * 7.3 (HDF5) files only, which the readers of this layout do not take. The tests read everything
 * back with matio.
 *
 * References: "MAT-File Format", The MathWorks (level 4); OpenModelica User's Guide, Technical
 * Details, "The MATv4 Result File Format".
 */
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif
#include "record/format.h"

#include <string.h>
#include <unistd.h>

enum { BUFFER = 64 * 1024 };

typedef struct Mat {
    NewFile file;
    double *buffer;     /* columns of data_2 (room x width); bytes of the head during open */
    size_t width, room; /* width = 1 + nvarying */
    size_t nbuffered;   /* columns in the buffer */
    size_t nput;        /* bytes in the buffer, during open */
    int32_t nwritten;   /* columns in the file */
    double span[2];     /* first and last time in the file */
    off_t size;         /* bytes written during open */
    off_t span_at;      /* data_1(1,:) with stride of the rows of data_1 */
    off_t span_step;
    off_t count_at; /* the number of columns in the head of data_2 */
    off_t data_at;  /* the elements of data_2 */
} Mat;

/* ------------------------------------------------------------------ head of the file */

static LiederStatus put_out(Recorder *r, Mat *s)
{
    size_t done;
    int error = record_file_write(r, &s->file, s->size, s->buffer, s->nput, &done);
    if (error)
        return record_file_fail(r, error, 0);
    s->size += (off_t)done;
    s->nput = 0;
    return LIEDER_DONE;
}

/* n bytes to the head; after an error nothing more happens */
static void put_mat(Recorder *r, Mat *s, const void *bytes, size_t n)
{
    size_t room = s->room * s->width * sizeof(double);
    const char *from = bytes;
    while (n && r->status == LIEDER_DONE) {
        if (s->nput == room && put_out(r, s) < 0)
            return;
        size_t some = n < room - s->nput ? n : room - s->nput;
        memcpy((char *)s->buffer + s->nput, from, some);
        s->nput += some;
        from += some;
        n -= some;
    }
}

static off_t put_position(const Mat *s)
{
    return s->size + (off_t)s->nput;
}

static void put_matrix(Recorder *r, Mat *s, const char *name, int32_t type, size_t nrows,
                       size_t ncolumns)
{
    MatHead head = mat_head(name, type, nrows, ncolumns);
    put_mat(r, s, &head, sizeof head);
    put_mat(r, s, name, (size_t)head.name_size);
}

static size_t put_mat_text(Recorder *r, Mat *s, const char *text)
{
    size_t n = text ? strlen(text) : 0;
    put_mat(r, s, text, n);
    return n;
}

static void put_blanks(Recorder *r, Mat *s, size_t n)
{
    while (n--)
        put_mat(r, s, " ", 1);
}

/* four rows of eleven characters, column by column */
static void put_class(Recorder *r, Mat *s)
{
    static const char rows[4][12] = {"Atrajectory", "1.1        ", "           ", "binTrans   "};
    put_matrix(r, s, "Aclass", MAT_TEXT, 4, 11);
    for (int j = 0; j < 11; j++)
        for (int i = 0; i < 4; i++)
            put_mat(r, s, &rows[i][j], 1);
}

static void put_names(Recorder *r, Mat *s, const RecordColumn *columns, size_t width)
{
    put_matrix(r, s, "name", MAT_TEXT, width, r->ncolumn + 1);
    put_blanks(r, s, width - put_mat_text(r, s, "time"));
    for (size_t i = 0; i < r->ncolumn; i++)
        put_blanks(r, s, width - put_mat_text(r, s, columns[i].name));
}

static bool has(const char *text)
{
    return text && *text;
}

static size_t description_length(const RecordColumn *c)
{
    size_t text = has(c->text) ? strlen(c->text) : 0;
    size_t unit = has(c->unit) ? strlen(c->unit) + 2 : 0;
    return text + unit + (text && unit);
}

/* "text [unit]" */
static void put_descriptions(Recorder *r, Mat *s, const RecordColumn *columns, size_t width)
{
    put_matrix(r, s, "description", MAT_TEXT, width, r->ncolumn + 1);
    put_blanks(r, s, width - put_mat_text(r, s, "Simulation time [s]"));
    for (size_t i = 0; i < r->ncolumn; i++) {
        const RecordColumn *c = &columns[i];
        put_mat_text(r, s, c->text);
        if (has(c->unit)) {
            put_mat_text(r, s, has(c->text) ? " [" : "[");
            put_mat_text(r, s, c->unit);
            put_mat_text(r, s, "]");
        }
        put_blanks(r, s, width - description_length(c));
    }
}

static void put_info(Recorder *r, Mat *s, const RecordColumn *columns)
{
    put_matrix(r, s, "dataInfo", MAT_INT32, 4, r->ncolumn + 1);
    put_mat(r, s, (int32_t[]){0, 1, 0, -1}, 4 * sizeof(int32_t));
    int32_t rows[2] = {1, 1}; // last used in data_1 and data_2: the time
    for (size_t i = 0; i < r->ncolumn; i++) {
        bool varies = !columns[i].constant;
        put_mat(r, s, (int32_t[]){1 + varies, ++rows[varies], 0, -varies}, 4 * sizeof(int32_t));
    }
}

/* data_1: first and last time, then the constant columns, twice each */
static void put_constants(Recorder *r, Mat *s, const RecordColumn *columns)
{
    size_t nrows = 1 + r->ncolumn - r->nvarying;
    put_matrix(r, s, "data_1", MAT_DOUBLE, nrows, 2);
    s->span_at = put_position(s);
    s->span_step = (off_t)(nrows * sizeof(double));
    for (int j = 0; j < 2; j++) {
        put_mat(r, s, &s->span[j], sizeof(double));
        for (size_t i = 0; i < r->ncolumn; i++)
            if (columns[i].constant)
                put_mat(r, s, &columns[i].value, sizeof(double));
    }
}

/* the next multiple of 8, see the file head */
static size_t round_up(size_t width)
{
    return (width + 7) & ~(size_t)7;
}

/* all matrices before data_2 and the head of data_2, whose count of columns is set as rows come in
 */
static LiederStatus put_mat_head(Recorder *r, Mat *s, const RecordColumn *columns)
{
    size_t name = strlen("time"), description = strlen("Simulation time [s]");
    for (size_t i = 0; i < r->ncolumn; i++) {
        size_t n = strlen(columns[i].name), m = description_length(&columns[i]);
        name = n > name ? n : name;
        description = m > description ? m : description;
    }
    put_class(r, s);
    put_names(r, s, columns, round_up(name));
    put_descriptions(r, s, columns, round_up(description));
    put_info(r, s, columns);
    put_constants(r, s, columns);
    s->count_at = put_position(s) + 2 * (off_t)sizeof(int32_t);
    put_matrix(r, s, "data_2", MAT_DOUBLE, s->width, 0);
    s->data_at = put_position(s);
    return r->status < 0 ? r->status : put_out(r, s);
}

/* a buffer of whole rows, and the head of the file */
static LiederStatus open_mat(Recorder *r, const RecordColumn *columns)
{
    if (r->ncolumn >= INT32_MAX)
        return record_fail(r, LIEDER_BAD_USE, "cannot write results to %.700s: too many columns",
                           r->target);

    Mat *s = r->state = memory_zeroed(&r->alloc, sizeof *s);
    if (!s)
        return record_fail_memory(r, 0);
    s->file.fd = -1;
    s->width = 1 + r->nvarying;
    s->room = BUFFER / (s->width * sizeof(double));
    if (s->room == 0)
        s->room = 1;
    s->buffer = memory_resize(&r->alloc, NULL, 0, s->room * s->width * sizeof(double));
    if (!s->buffer)
        return record_fail_memory(r, 0);

    // the head goes out at once: a full disk shows before the run
    return record_file_open(r, &s->file, 0) < 0 ? r->status : put_mat_head(r, s, columns);
}

/* ------------------------------------------------------------------ rows */

/* counts n buffered columns that are in the file: the times first, the number last */
static int commit_rows(Mat *s, size_t n)
{
    if (n == 0)
        return 0;
    size_t done;
    int error = 0;
    if (s->nwritten == 0) {
        s->span[0] = s->buffer[0];
        error = file_write(s->file.fd, s->span_at, &s->span[0], sizeof(double), &done);
    }
    s->span[1] = s->buffer[(n - 1) * s->width];
    if (!error)
        error =
            file_write(s->file.fd, s->span_at + s->span_step, &s->span[1], sizeof(double), &done);
    int32_t count = s->nwritten + (int32_t)n;
    if (!error)
        error = file_write(s->file.fd, s->count_at, &count, sizeof count, &done);
    if (!error)
        s->nwritten = count;
    return error;
}

/* appends the buffer to data_2 and then its count, so that a reader sees whole rows only */
static LiederStatus flush_mat(Recorder *r)
{
    Mat *s = r->state;
    size_t column = s->width * sizeof(double), done;
    off_t end = s->data_at + (off_t)s->nwritten * (off_t)column;
    int error = file_write(s->file.fd, end, s->buffer, s->nbuffered * column, &done);
    int commit_error = commit_rows(s, done / column);
    if (!error && !commit_error) {
        s->nbuffered = 0;
        return LIEDER_DONE;
    }

    // keep the whole columns only
    if (ftruncate(s->file.fd, s->data_at + (off_t)s->nwritten * (off_t)column) != 0) {
        // a device: nothing to cut
    }
    r->nlost = r->nrow - (size_t)s->nwritten;
    return record_file_fail(r, error ? error : commit_error, (size_t)s->nwritten);
}

static LiederStatus publish_mat(Recorder *r)
{
    Mat *s = r->state;
    return record_file_publish(r, &s->file);
}

/* a row into the buffer; the format cannot count more than INT32_MAX of them */
static LiederStatus row_mat(Recorder *r, double time, const double *values)
{
    Mat *s = r->state;
    if (s->nbuffered == s->room && flush_mat(r) < 0)
        return r->status;
    if ((size_t)s->nwritten + s->nbuffered == INT32_MAX) {
        r->nlost++;
        return record_fail(r, LIEDER_IO,
                           "cannot write more than %d rows to %.700s: the format has no larger "
                           "number; record less often, or to a .csv file",
                           INT32_MAX, r->target);
    }
    double *to = s->buffer + s->nbuffered * s->width;
    *to++ = time;
    for (size_t i = 0; i < r->nvarying; i++)
        to[i] = values[r->varying[i]];
    s->nbuffered++;
    return LIEDER_DONE;
}

static LiederStatus finish_mat(Recorder *r)
{
    Mat *s = r->state;
    if (flush_mat(r) < 0)
        return r->status;
    int error = new_file_close(&s->file);
    return error ? record_file_fail(r, error, (size_t)s->nwritten) : LIEDER_DONE;
}

static void drop_mat(Recorder *r)
{
    Mat *s = r->state;
    if (!s)
        return;
    new_file_close(&s->file);
    memory_free(&r->alloc, s->buffer, s->room * s->width * sizeof(double));
    memory_free(&r->alloc, s, sizeof *s);
}

const RecordFormat record_mat = {.open = open_mat,
                                 .publish = publish_mat,
                                 .row = row_mat,
                                 .flush = flush_mat,
                                 .finish = finish_mat,
                                 .drop = drop_mat};
