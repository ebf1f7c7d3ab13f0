/* matrices.h - a few named matrices as a file: .mat (MATLAB v4) or .json. */
#ifndef LIEDER_RECORD_MATRICES_H
#define LIEDER_RECORD_MATRICES_H

#include "base/memory.h"

/* numbers, column by column; or, if `texts` is given, nrow texts */
typedef struct Matrix {
    const char *name;
    size_t nrow, ncolumn;
    const double *values;
    const char *const *texts;
} Matrix;

/* can this file be written, by the end of its name? */
bool matrices_know(const char *file);
/* Writes all of them; an existing file is replaced. On failure the message says why. */
LiederStatus matrices_write(const char *file, const Matrix *list, size_t n, char *message,
                            size_t size);

#endif
