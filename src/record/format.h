/* format.h - the functions of a format, and what the formats share. Inside record/ only. */
#ifndef LIEDER_RECORD_FORMAT_H
#define LIEDER_RECORD_FORMAT_H

#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "base/file.h"
#include "record/record.h"

/* Functions return LIEDER_DONE, or the status of record_fail. drop is called once after open, also
 * after one that has failed, with a state that may be half built or NULL. */
typedef struct RecordFormat {
    LiederStatus (*open)(Recorder *r, const RecordColumn *columns);
    /* files: called when the first row is written, or at the end of a run without rows; NULL: there
     * is nothing to do */
    LiederStatus (*publish)(Recorder *r);
    LiederStatus (*row)(Recorder *r, double time, const double *values);
    LiederStatus (*flush)(Recorder *r);
    LiederStatus (*finish)(Recorder *r); /* before drop, when no error happened */
    void (*drop)(Recorder *r);
} RecordFormat;

extern const RecordFormat record_csv, record_mat, record_h5, record_memory, record_tcp;

/* Keeps the first error and returns its status. */
__attribute__((format(printf, 3, 4))) LiederStatus record_fail(Recorder *r, LiederStatus status,
                                                               const char *format, ...);
LiederStatus record_fail_memory(Recorder *r, size_t nrow);
/* a text for an errno that is safe in any thread; returns buffer or a constant */
const char *record_error_text(int error, char *buffer, size_t size);
double record_clock(void);                     /* monotonic, s */
bool record_any(const Recorder *r, bool here); /* is `here` true on any rank of the team? */

/* ------------------------------------------------------------------ files */

/* a file beside the target; flags of base/file.h */
LiederStatus record_file_open(Recorder *r, NewFile *f, int flags);
/* the file takes the place of the target, and grows there */
LiederStatus record_file_publish(Recorder *r, NewFile *f);
/* file_write of base/file.h, which waits for the reader of a pipe unless the run is interrupted */
int record_file_write(const Recorder *r, const NewFile *f, off_t at, const void *bytes, size_t n,
                      size_t *done);
/* "cannot write results to TARGET: REASON (after NROW rows)", from an error of base/file.h */
LiederStatus record_file_fail(Recorder *r, int error, size_t nrow);
/* calls RecordOptions.interrupted */
bool record_interrupted(const Recorder *r);

/* ------------------------------------------------------------------ MATLAB v4 */

/* types: 1000 for big endian + 10 for the element + 1 for text */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
enum { MAT_ORDER = 1000 };
#else
enum { MAT_ORDER = 0 };
#endif
enum { MAT_DOUBLE = MAT_ORDER, MAT_INT32 = MAT_ORDER + 20, MAT_TEXT = MAT_ORDER + 51 };

/* stands before every matrix; the name with its NUL and the elements follow */
typedef struct MatHead {
    int32_t type, nrows, ncolumns, imaginary, name_size;
} MatHead;

static inline MatHead mat_head(const char *name, int32_t type, size_t nrows, size_t ncolumns)
{
    return (MatHead){type, (int32_t)nrows, (int32_t)ncolumns, 0, (int32_t)strlen(name) + 1};
}

/* ------------------------------------------------------------------ columns by name */

typedef struct NameIndex {
    size_t *slots; /* column + 1, 0 is free; open addressing, nslots a power of two */
    size_t nslots;
} NameIndex;
/* False: memory ran out. *duplicate: a column with the name of an earlier one, or n. */
bool names_init(NameIndex *index, const LiederAllocator *alloc, const RecordColumn *columns,
                size_t n, size_t *duplicate);
/* column of that name or -1 */
ptrdiff_t names_find(const NameIndex *index, const RecordColumn *columns, const char *name);
void names_drop(NameIndex *index, const LiederAllocator *alloc);

/* ------------------------------------------------------------------ numbers as text */

enum { NUMBER_ROOM = 24 }; /* the longest is -1.234567890123456e-308, and a separator */

typedef struct NumberWriter {
    uint64_t five[56][2]; /* 5^k: low and high word */
} NumberWriter;
void number_init(NumberWriter *w);
/* x as printf's %.16g writes it in the C locale, but nan has no sign; no NUL. Returns the end. */
char *number_write(const NumberWriter *w, double x, char *to);

#endif
