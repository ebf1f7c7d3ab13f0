/* format.h - the functions of a format of results. Inside picture/ only. */
#ifndef LIEDER_PICTURE_FORMAT_H
#define LIEDER_PICTURE_FORMAT_H

#include "picture/picture.h"

/* head fills columns and data_at; rows calls `row` for each row. Both return LIEDER_DONE, or the
 * status of result_fail. */
typedef struct ResultFormat {
    LiederStatus (*head)(Result *r);
    LiederStatus (*rows)(Result *r, const size_t *columns, size_t n, ResultRow *row, void *user,
                         double *values);
    void (*close)(Result *r); /* or NULL */
} ResultFormat;

extern const ResultFormat result_csv, result_mat, result_h5;

/* keeps the first error and returns its status */
__attribute__((format(printf, 3, 4))) LiederStatus result_fail(Result *r, LiederStatus status,
                                                               const char *format, ...);
LiederStatus result_fail_memory(Result *r);
/* a warning for the user although there are results */
__attribute__((format(printf, 2, 3))) void result_note(Result *r, const char *format, ...);
/* a column with its texts copied; NULL after result_fail */
ResultColumn *result_add(Result *r, const char *name, size_t n);

#endif
