/* picture.h - results read back, and pictures of them.
 *
 * Two independent halves. A Result is a file that record/ (or Dymola, or OpenModelica) wrote: its
 * columns are known after result_open, and result_read calls a function for each row, with the
 * columns that are wanted. A Picture is panels of curves, which the caller fills; picture_write has
 * gnuplot make SVG, PNG, PDF or text of it.
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
    const char *unit, *text; /* "" when the file has none */
    bool constant;           /* known to be (.mat and .h5) */
    double value;            /* of a constant */
    size_t row;              /* .mat: row of data_2 from 0 */
    size_t set;              /* .h5: data set, in which row counts the elements */
    double sign;             /* .mat: -1 for a variable that is the negative of another */
} ResultColumn;

/* The fields are to be read, not set. */
typedef struct Result {
    LiederStatus status;
    char message[PICTURE_MESSAGE]; /* the first error; after a read also a warning for the user */
    const char *path;              /* belongs to the caller */
    VEC(ResultColumn) columns;
    size_t time; /* the column with this name, else the first */

    LiederAllocator alloc;
    Arena arena; /* texts */
    const struct ResultFormat *format;
    void *format_state; /* .h5 */
    FILE *file;
    long long data_at;             /* where the rows begin */
    size_t width, npoint, element; /* .mat: of data_2; bytes of an element */
    char *line;                    /* .csv: the line that is read */
    size_t line_room, nline;
} Result;

/* Reads the head of a .csv, .mat or .h5 file. Call result_close in any case. */
LiederStatus result_open(Result *r, const LiederAllocator *alloc, const char *path);
/* column of that name or -1 */
ptrdiff_t result_find(const Result *r, const char *name);
/* Calls `row` with the values of n columns, row by row, until it returns false (LIEDER_STOPPED). Of
 * a damaged file the rows before the damage are read; the message then says what is missing. */
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

typedef enum PictureFormat {
    PICTURE_TEXT,
    PICTURE_SVG,
    PICTURE_PNG,
    PICTURE_PDF,
    PICTURE_GIF
} PictureFormat;

enum { PICTURE_COLOURS = 7, PICTURE_DASHES = 4 };

/* by the end of the file's name; false: none of them */
bool picture_format(const char *path, PictureFormat *format);
/* The script for gnuplot, data included. It writes to `output`, or to stdout for NULL. */
void picture_script(const Picture *p, PictureFormat format, const char *output, bool coloured,
                    FILE *to);
/* is there a point that can be shown? */
bool picture_has_points(const PicturePanel *panel);
/* "m/s2" as "m/s²", "N.m" as "N·m"; returns buffer */
const char *picture_unit(const char *unit, char *buffer, size_t size);
/* "phi / rad", or one of the two if the other is empty; returns buffer */
const char *picture_label(const char *name, const char *unit, char *buffer, size_t size);

/* ------------------------------------------------------------------ scenes: scene.c, svg.c */

/* Shapes in the plane in metres: first the background, then the same shapes frame by frame. */
typedef struct ScenePoint {
    double x, y;
} ScenePoint;

typedef enum SceneKind { SCENE_LINE, SCENE_AREA, SCENE_CIRCLE } SceneKind;

typedef struct SceneShape {
    SceneKind kind;
    unsigned line, fill; /* 0xrrggbb; an area has both */
    double width;        /* of the line, pixels */
    double radius;       /* of a circle, m */
    size_t first, n;     /* points; a circle has one */
} SceneShape;

typedef struct SceneFrame {
    double t;
    size_t first, n;  /* shapes */
    ScenePoint label; /* where its time stands; x NaN: nowhere */
} SceneFrame;

typedef struct Scene {
    LiederAllocator alloc;
    const char *title; /* or NULL */
    VEC(ScenePoint) points;
    VEC(SceneShape) shapes;
    VEC(SceneFrame) frames; /* the shapes before the first one are the background */
    ScenePoint least, most; /* what is shown */
    double seconds;         /* an animation lasts so long; 0: all frames in one picture */
    double fade;            /* of shapes that are added now: 0 as they are, 1 white */
    bool rows;              /* y has no meaning: one dimension, frames below each other */
    bool bare;              /* SVG inside a page: no axes */
    int width, height;      /* pixels; 0: chosen */
    bool failed;            /* memory */
} Scene;

/* a shape without points, to which scene_point adds */
void scene_shape(Scene *s, SceneKind kind, unsigned line, unsigned fill, double width);
void scene_point(Scene *s, double x, double y);
void scene_circle(Scene *s, double x, double y, double radius, unsigned line, unsigned fill);
void scene_frame(Scene *s, double t); /* the shapes that follow belong to it */
void scene_drop(Scene *s);
/* Writes .svg, .png or .pdf, and an animation as .svg or .gif. */
LiederStatus scene_write(const Scene *s, const char *path, char *message, size_t size);
/* as SVG, without gnuplot */
void scene_svg(const Scene *s, FILE *to);

/* ------------------------------------------------------------------ symbols: symbol.c */

typedef struct SymbolPose {
    double x, y, phi;
} SymbolPose;

/* The rim of a convex shape in the axes of its frame: closed, the last point is the first one. */
enum { MAX_OUTLINE = 80 };
typedef struct Outline {
    ScenePoint points[MAX_OUTLINE];
    size_t n;
    double reach; /* of the farthest point from the frame */
    double spoke; /* of a disc: its radius, so that a stroke shows how it turns; else 0 */
} Outline;

/* of the hull of up to 8 corners, x and y by turns, counterclockwise, with a radius around it */
void symbol_outline(Outline *o, const double *corners, size_t n, double radius);

/* a component as it is drawn */
typedef struct SymbolPart {
    const struct Symbol *symbol;
    SymbolPose pose[2]; /* of its ports, in one frame */
    double unit;        /* m: the length by which symbols are scaled */
    double share;       /* of the largest mass: 0 to 1 */
    double axis[2];     /* of a sliding joint, or normal of a wall, in the axes of the first port */
    double span[2];     /* least and greatest way along it, m */
    const Outline *outline[2]; /* of the shapes at its ports, or NULL */
    bool thread;               /* a gap that holds a sliding joint back */
    double slack;              /* its length, m */
    bool hidden;
} SymbolPart;

typedef struct Symbol {
    const char *class_name; /* "Planar.Body" */
    const char *look;       /* "body": its name in the viewer's page (web/src/symbols.js) */
    const char *ports[2];   /* whose poses are needed; NULL: one only */
    bool linear;            /* of one dimension: a port has a position s */
    int layer;              /* drawn from the lowest up */
    void (*draw)(Scene *scene, const SymbolPart *part);
    const char
        *shapes[2];       /* at the ports: the parameter with the corners, or NULL for a disc ... */
    const char *radii[2]; /* ... and the one with the radius around them, or NULL for no shape */
    bool lever; /* the first port is where the second one is: its inputs x and y say where the first
                   body is */
} Symbol;

/* the symbol of a class; NULL: components of that class are not drawn */
const Symbol *symbol_find(const char *class_name);
/* a symbol alone, as SVG inside a page */
void symbol_svg(const Symbol *symbol, FILE *to);
/* by the last part of the name: a class in Modelica, "Spring" or "Spring#2", looks as the class of
 * the library that is called so */
const Symbol *symbol_like(const char *name, bool linear);
/* properties of a symbol: it has a mass; an axis; a wall and a shape; may be a thread; never
 * moves */
bool symbol_is_body(const Symbol *s);
bool symbol_is_slider(const Symbol *s);
bool symbol_is_contact(const Symbol *s);
bool symbol_is_gap(const Symbol *s);
bool symbol_is_still(const Symbol *s);

/* ------------------------------------------------------------------ gnuplot: gnuplot.c */

/* any text as a string of gnuplot, with its quotes (script.c) */
void gnuplot_text(FILE *to, const char *text);

/* Calls `script`, runs gnuplot on the script that it writes, and writes the picture to the file, or
 * to stdout for NULL. After a failure a file that was there is kept. */
typedef void GnuplotScript(const void *user, FILE *to);
LiederStatus gnuplot_draw(const char *path, GnuplotScript *script, const void *user, char *message,
                          size_t size);
/* writes the text of `script` to a file: beside the target first, which it then replaces */
LiederStatus picture_file(const char *path, GnuplotScript *script, const void *user, char *message,
                          size_t size);

/* Draws to a file; its name determines the format. */
LiederStatus picture_write(const Picture *p, const char *path, char *message, size_t size);
/* Draws as text to stdout, in colour if wanted. */
LiederStatus picture_print(const Picture *p, bool coloured, char *message, size_t size);

#endif
