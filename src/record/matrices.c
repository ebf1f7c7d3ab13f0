/* matrices.c - a few named matrices as a file.
 *
 * MATLAB v4: every matrix with its head (format.h), column by column; texts are rows of one
 * character matrix, padded with blanks, as MATLAB's char() makes them. JSON: one object, a
 * matrix is a list of its rows. Full precision in both.
 */
#include "record/matrices.h"

#include <errno.h>
#include <stdio.h>

#include "base/json.h"
#include "base/text.h"
#include "record/format.h"

bool matrices_know(const char *file)
{
    return text_ends(file, ".mat") || text_ends(file, ".json");
}

/* ------------------------------------------------------------------ MATLAB v4 */

/* MATLAB wants each character as a number; v4 allows bytes for it */
static void write_texts(FILE *f, const Matrix *m)
{
    size_t width = 0;
    for (size_t i = 0; i < m->nrow; i++)
        width = strlen(m->texts[i]) > width ? strlen(m->texts[i]) : width;
    MatHead head = mat_head(m->name, MAT_TEXT, m->nrow, width);
    fwrite(&head, sizeof head, 1, f);
    fwrite(m->name, (size_t)head.name_size, 1, f);
    for (size_t j = 0; j < width; j++)
        for (size_t i = 0; i < m->nrow; i++)
            fputc(j < strlen(m->texts[i]) ? m->texts[i][j] : ' ', f);
}

/* MATLAB v4, one matrix after the other */
static void write_mat(FILE *f, const Matrix *list, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const Matrix *m = &list[k];
        if (m->texts) {
            write_texts(f, m);
            continue;
        }
        MatHead head = mat_head(m->name, MAT_DOUBLE, m->nrow, m->ncolumn);
        fwrite(&head, sizeof head, 1, f);
        fwrite(m->name, (size_t)head.name_size, 1, f);
        fwrite(m->values, sizeof(double), m->nrow * m->ncolumn, f);
    }
}

/* ------------------------------------------------------------------ JSON */

static void write_row(FILE *f, const Matrix *m, size_t i)
{
    fputc('[', f);
    for (size_t j = 0; j < m->ncolumn; j++) {
        fputs(j ? ", " : "", f);
        json_value(f, m->values[j * m->nrow + i]);
    }
    fputc(']', f);
}

/* one object: an array of rows or of texts for each matrix */
static void write_json(FILE *f, const Matrix *list, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const Matrix *m = &list[k];
        fputs(k ? ",\n" : "{\n", f);
        json_string(f, m->name);
        fputs(": [", f);
        for (size_t i = 0; i < m->nrow; i++) {
            fputs(i ? ",\n  " : "", f);
            if (m->texts)
                json_string(f, m->texts[i]);
            else
                write_row(f, m, i);
        }
        fputc(']', f);
    }
    fputs("\n}\n", f);
}

/* ------------------------------------------------------------------ both */

/* all of them through one descriptor; 0 or an errno */
static int write_number_list(const NewFile *file, bool json, const Matrix *list, size_t n)
{
    FILE *f = new_file_stream(file);
    if (!f)
        return errno;
    errno = 0;
    (json ? write_json : write_mat)(f, list, n);
    int error = ferror(f) ? (errno ? errno : EIO) : 0;
    if (fclose(f) != 0 && !error)
        error = errno; // the last bytes may be the ones that find no room
    return error;
}

LiederStatus matrices_write(const char *file, const Matrix *list, size_t n, char *message,
                            size_t size)
{
    char reason[FILE_REASON];
    NewFile f;
    int error = new_file_open(&f, file, FILE_STREAMS);
    if (!error)
        error = write_number_list(&f, text_ends(file, ".json"), list, n);
    if (!error)
        error = new_file_publish(&f);
    int closed = new_file_close(&f);
    error = error ? error : closed;
    if (!error)
        return LIEDER_DONE;
    snprintf(message, size, "cannot write matrices to %s: %s", file, file_reason(error, reason));
    return LIEDER_IO;
}
