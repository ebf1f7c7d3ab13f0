/* table.h - tables of Modelica.Blocks. Private to table.c and table_plane.c. */
#ifndef LIEDER_FRONT_TABLE_H
#define LIEDER_FRONT_TABLE_H

#include <stdio.h>

#include "front/external/external.h"

enum { MAX_PIECES = 2000 };

enum {
    SMOOTH_LINEAR = 1,
    SMOOTH_AKIMA,
    SMOOTH_CONSTANT,
    SMOOTH_FRITSCH,
    SMOOTH_STEFFEN,
    SMOOTH_MAKIMA
};
enum { BEYOND_HOLD = 1, BEYOND_LINEAR, BEYOND_PERIODIC, BEYOND_NOTHING };
enum { EVENTS_ALWAYS = 1, EVENTS_AT_JUMPS, EVENTS_NEVER };

struct Table {
    int dimensions; /* 1 or 2; a time table has 1 */
    bool is_time;
    size_t nrow, ncolumn, nwanted;
    const double *x;       /* rows times columns; the first column, of two dimensions also the first
                              row, are abscissas */
    const size_t *columns; /* nwanted of them, from 0 */
    int smoothness, extrapolation, events;
    double start, shift; /* of time */
};

static inline double table_at(const Table *t, size_t row, size_t column)
{
    return t->x[row * t->ncolumn + column];
}

/* ------------------------------------------------------------------ elements, known or not */

double element_less(Front *f, double a, double b);
double element_or(Front *f, double a, double b);
double element_choose(Front *f, double condition, double a, double b);

/* slopes of the two intervals before point k of n and of the two behind it; beyond the ends they go
 * on as a line does */
void slopes_around(const double *x, const double *y, size_t n, size_t k, bool periodic,
                   double s[4]);
/* the weights of the slopes on both sides of a point, of those of four intervals: Akima */
void akima_weights(const double s[4], bool modified, double *left, double *right);
/* u moved by whole periods to from ... from + period */
double period_first(Front *f, double from, double period, double u);

/* ------------------------------------------------------------------ files */

/* A file by its name: as it is given, else beside the texts that were loaded last. NULL after
 * reporting an error. */
FILE *table_open(ExternalCall *c, const char *name);
/* table_mat.c: a matrix out of a file of MATLAB, by rows; NULL after reporting an error */
double *table_read_mat(ExternalCall *c, const char *path, const char *table, size_t *nrow,
                       size_t *ncolumn);

/* ------------------------------------------------------------------ table_plane.c */

/* a table in two dimensions at a point; false after an error */
bool plane_value(const ExternalCall *c, const Table *t, const double u[2], double *y);

#endif
