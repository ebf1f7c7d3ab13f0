/* format.h - what result.c asks of a format of results. Inside picture/ only. */
#ifndef LIEDER_PICTURE_FORMAT_H
#define LIEDER_PICTURE_FORMAT_H

#include "picture/picture.h"

/* head fills columns and data_at; rows streams. Both may call result_fail and hand its status up.
 */
typedef struct ResultFormat {
    LiederStatus (*head)(Result *r);
    LiederStatus (*rows)(Result *r, const size_t *columns, size_t n, ResultRow *row, void *user,
                         double *values);
    void (*close)(Result *r); /* or NULL */
} ResultFormat;

extern const ResultFormat result_csv, result_mat, result_h5;

/* Keeps the first error, gives back its status. */
__attribute__((format(printf, 3, 4))) LiederStatus result_fail(Result *r, LiederStatus status,
                                                               const char *format, ...);
LiederStatus result_fail_memory(Result *r);
/* what a person should know although there are results */
__attribute__((format(printf, 2, 3))) void result_note(Result *r, const char *format, ...);
/* a column with its texts copied; NULL after result_fail */
ResultColumn *result_add(Result *r, const char *name, size_t n);

#endif
