/* picture.h - results read back, and pictures of them.
 *
 * Two halves that do not know each other. A Result is a file that record/ (or Dymola, or
 * OpenModelica) wrote: its columns are known after result_open, and result_read streams the rows
 * of those that are wanted. A Picture is panels of curves: whoever draws fills one, and
 * picture_write has gnuplot make SVG, PNG, PDF or text of it.
 *
 *     PictureCurve curve = {.label = "cart.s", .x = t, .y = s, .n = n};
 *     PicturePanel panel = {.x_label = "time / s", .y_label = "s / m", .curves = &curve,
 *                           .ncurve = 1};
 *     Picture picture = {.panels = &panel, .npanel = 1};
 *     char message[PICTURE_MESSAGE];
 *     if (picture_write(&picture, "run.svg", message, sizeof message) < 0)
 *         fprintf(stderr, "%s\n", message);
 *
 * Nothing here allocates except result.c and its formats. Messages are "what" or "what\nadvice".
 */
#ifndef LIEDER_PICTURE_PICTURE_H
#define LIEDER_PICTURE_PICTURE_H

#include <stdio.h>

#include "base/memory.h"

enum { PICTURE_MESSAGE = 2048 };

/* ------------------------------------------------------------------ results: result.c */

typedef struct ResultColumn {
    const char *name;
    const char *unit, *text; /* "" when the file does not say */
    bool constant;           /* known to be (.mat only) */
    double value;            /* of a constant */
    size_t row;              /* .mat: row of data_2 from 0 */
    double sign;             /* .mat: -1 for a variable that is the negative of another */
} ResultColumn;

/* The fields are to be read, not set. */
typedef struct Result {
    LiederStatus status;
    char
        message[PICTURE_MESSAGE]; /* what went wrong; after a read also what a person should know */
    const char *path;             /* belongs to the caller */
    VEC(ResultColumn) columns;
    size_t time; /* the column that is called so, else the first */

    LiederAllocator alloc;
    Arena arena; /* texts */
    const struct ResultFormat *format;
    FILE *file;
    long long data_at;             /* where the rows begin */
    size_t width, npoint, element; /* .mat: of data_2; bytes of an element */
    char *line;                    /* .csv: the line that is read */
    size_t line_room, nline;
} Result;

/* Reads the head of a .csv or .mat file. result_close is due in any case. */
LiederStatus result_open(Result *r, const LiederAllocator *alloc, const char *path);
/* column of that name or -1 */
ptrdiff_t result_find(const Result *r, const char *name);
/* Hands the values of n columns to `row`, row by row, until it returns false (LIEDER_STOPPED). What
 * stands before the damage of a damaged file is read; the message then says what is missing. */
typedef bool ResultRow(void *user, const double *values);
LiederStatus result_read(Result *r, const size_t *columns, size_t n, ResultRow *row, void *user);
void result_close(Result *r);

/* ------------------------------------------------------------------ pictures: script.c */

/* A point that is not finite interrupts the line. */
typedef struct PictureCurve {
    const char *label; /* NULL: not in the legend */
    const double *x, *y;
    size_t n;
    int colour;   /* of the palette, from 0 */
    int dash;     /* 0: solid */
    double shade; /* with a colour bar: the value that chooses the colour */
    bool points;  /* marks, no line */
} PictureCurve;

typedef struct PicturePanel {
    const char *x_label, *y_label;
    const PictureCurve *curves;
    size_t ncurve;
    bool log_x, log_y;
    bool equal; /* one unit is as long on both axes */
} PicturePanel;

typedef struct Picture {
    const char *title;          /* or NULL */
    const PicturePanel *panels; /* one below the other */
    size_t npanel;
    bool shared_x;       /* all panels have the same x: numbers stand at the lowest only */
    bool phase;          /* x runs to and fro: curves keep off the edges */
    double x_from, x_to; /* shown range of x when x_from < x_to */
    const char *bar;     /* label of a colour bar for the shades, or NULL */
    double bar_from, bar_to;
    bool bar_log;
    int width, height; /* pixels, or characters of text; 0: chosen */
} Picture;

typedef enum PictureFormat { PICTURE_TEXT, PICTURE_SVG, PICTURE_PNG, PICTURE_PDF } PictureFormat;

enum { PICTURE_COLOURS = 7, PICTURE_DASHES = 4 };

/* by the end of the file's name; false: none of them */
bool picture_format(const char *path, PictureFormat *format);
/* The script for gnuplot, data included. It writes to `output`, or to stdout for NULL. */
void picture_script(const Picture *p, PictureFormat format, const char *output, bool coloured,
                    FILE *to);
/* "m/s2" as "m/s²", "N.m" as "N·m"; returns buffer */
const char *picture_unit(const char *unit, char *buffer, size_t size);
/* "phi / rad", or what there is of it; returns buffer */
const char *picture_label(const char *name, const char *unit, char *buffer, size_t size);

/* ------------------------------------------------------------------ gnuplot: gnuplot.c */

/* Draws to a file; its name says the format. A file that was there is kept when it fails. */
LiederStatus picture_write(const Picture *p, const char *path, char *message, size_t size);
/* Draws as text to stdout, in colour if wanted. */
LiederStatus picture_print(const Picture *p, bool coloured, char *message, size_t size);

#endif
