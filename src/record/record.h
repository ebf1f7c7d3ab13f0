/* record.h - where the results of a run go: open, a row per time point, close.
 *
 * The target decides the format:
 *
 *     run.csv                   text, a line per row                         csv.c
 *     run.mat                   MATLAB v4 as Dymola and OpenModelica do it   mat.c
 *     run.h5                    HDF5, a data set for each variable           hdf5.c
 *     tcp://HOST:PORT           connects to a reader                         tcp.c
 *     tcp-listen://HOST:PORT    waits for readers; tcp://:PORT is the same   tcp.c
 *                               on 127.0.0.1; port 0: see record_tcp_port
 *     memory:                   rows kept for the program itself             memory.c
 *
 *     Recorder r;
 *     if (record_open(&r, NULL, "run.csv", columns, n, NULL) < 0)
 *         fprintf(stderr, "%s\n", record_message(&r));
 *     ... record_row(&r, t, values) ...
 *     if (record_close(&r) < 0 || *record_message(&r))
 *         fprintf(stderr, "%s\n", record_message(&r));
 *
 * * A file is written beside the target and takes its place when its first row is written: until
 * then, and if the run is cancelled before (record_cancel), the results of an earlier run stay as
 * they are. From the first row on it may be read under its name while the run goes on.
 *
 * The Recorder belongs to the caller and contains the text of an error, so that there is one even
 * when memory ran out. The first error stays: later rows are refused with the same status, and rows
 * that were written before stay readable. Everything is allocated by open; row allocates nothing
 * (memory: grows past the rows that were reserved). Two rows may have the same time: before and
 * after an event.
 */
#ifndef LIEDER_RECORD_RECORD_H
#define LIEDER_RECORD_RECORD_H

#include <lieder/lieder.h>
#include <stdint.h>

#include "base/memory.h"

/* One thing to record. A constant (a parameter) has its value here; its place in the values of
 * a row is ignored. Texts are needed during open only. */
typedef struct RecordColumn {
    const char *name;        /* not "time", and every name once */
    const char *unit, *text; /* or NULL */
    bool constant;
    double value; /* of a constant */
} RecordColumn;

/* Ranks that write one file together: all of them open the recorder with the same columns, and call
 * every function together. A rank gives the values of the columns that it owns; its values of other
 * columns are ignored. .h5 only, and only if record_team_suits. */
typedef struct RecordTeam {
    const LiederRanks *ranks;
    const uint8_t *own; /* by column, until open returns */
    /* the property list of HDF5 becomes one for a file that all ranks open; false: it failed */
    bool (*share_file)(void *set_fapl_mpio, int64_t access);
} RecordTeam;

typedef struct RecordOptions {
    size_t flush_rows;          /* files: rows held back at most (1024) ... */
    double flush_seconds;       /* ... and how long, checked with every row (1) */
    size_t leading;             /* csv, h5: columns that stand before the time (0) */
    size_t memory_rows;         /* memory: rows that open makes room for (1024) */
    size_t tcp_bytes;           /* rows waiting for a slow reader, in bytes (4 MB) */
    double tcp_connect_seconds; /* connecting: open waits this long (5) */
    double tcp_wait_seconds;    /* listening: open waits this long for a first reader (0) */
    double tcp_linger_seconds;  /* close waits this long for a slow reader (2) */
    const RecordTeam *team; /* h5: see above; NULL: one process. Lives as long as the recorder */
    /* called while the recorder waits for a reader; true: it stops waiting. NULL: it waits on */
    bool (*interrupted)(void *user);
    void *user;
} RecordOptions;
RecordOptions record_defaults(void);

/* The fields are to be read, not set. */
typedef struct Recorder {
    size_t nrow;  /* rows taken */
    size_t nlost; /* of these, rows that no reader got (tcp), or not written after an error */
    LiederStatus status;
    char message[1024];

    LiederAllocator alloc;
    RecordOptions options;
    const struct RecordFormat *format; /* NULL: not open */
    void *state;                       /* of the format */
    char *target;
    size_t *varying; /* columns that are not constant (nvarying) */
    size_t ncolumn, nvarying;
    size_t nwaiting;     /* rows since the last flush */
    double now, flushed; /* clock at the last row and at the last flush, s */
} Recorder;

/* alloc and options may be NULL. When it fails there is nothing to close. */
LiederStatus record_open(Recorder *r, const LiederAllocator *alloc, const char *target,
                         const RecordColumn *columns, size_t ncolumn, const RecordOptions *options);
/* Can all ranks of a team write the file together? That needs many columns, of which each rank has
 * consecutive elements of arrays, and the library for it. All ranks call it and get the same
 * result. */
bool record_team_suits(const RecordTeam *team, const char *target, const RecordColumn *columns,
                       size_t ncolumn);
/* values[i] belongs to columns[i] (ncolumn) */
LiederStatus record_row(Recorder *r, double time, const double *values);
/* writes the rows that are held back; for a program that pauses long between two rows */
LiederStatus record_flush(Recorder *r);
/* The status of the first error of the whole run. Closing twice does no harm. */
LiederStatus record_close(Recorder *r);

/* Closes a recorder whose run has not begun: if there was no row, the target stays as it is. */
LiederStatus record_cancel(Recorder *r);

/* the first error, or after close a warning ("12 of 1000 rows were lost ..."), or "" */
const char *record_message(const Recorder *r);
/* After an error, in words: which rows are kept. */
const char *record_kept(const Recorder *r);

/* memory: a recorded column, valid until the next row. Value i is values[i * stride]; the
 * stride of a constant is 0. */
typedef struct RecordSeries {
    const double *values;
    size_t n, stride;
    const char *unit, *text; /* "" when not given */
} RecordSeries;
/* by name, "time" included; false: no such column, or another format */
bool record_memory_series(const Recorder *r, const char *name, RecordSeries *series);

/* the port on which a tcp target listens, also if it was given as 0; other targets: -1 */
int record_tcp_port(const Recorder *r);

#endif
