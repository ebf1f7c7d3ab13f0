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

LiederStatus matrices_write(const char *file, const Matrix *list, size_t n, char *message,
                            size_t size)
{
    char reason[128];
    FILE *f = fopen(file, "wb");
    bool ok = f;
    int error = errno;
    if (f) {
        errno = 0;
        if (text_ends(file, ".json"))
            write_json(f, list, n);
        else
            write_mat(f, list, n);
        ok = !ferror(f);
        error = errno;
        if (fclose(f) != 0) { /* the last bytes may be the ones that find no room */
            ok = false;
            error = error ? error : errno;
        }
    }
    if (ok)
        return LIEDER_DONE;
    snprintf(message, size, "cannot write matrices to %s: %s", file,
             record_error_text(error, reason, sizeof reason));
    return LIEDER_IO;
}
