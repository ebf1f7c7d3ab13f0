/* plot.h - what the files of 'lieder plot' share. Inside them only.
 *
 *   plot.c         the command: options, drawing, closing line
 *   plot_choose.c  opens the results and chooses the variables, with their units
 *   plot_read.c    reads the results into runs
 *   plot_panels.c  makes panels and curves of them: what stands together, names, colours
 */
#ifndef LIEDER_CLI_PLOT_H
#define LIEDER_CLI_PLOT_H

#include "cli/cli.h"

/* a NAME of --y and the number of the --panel before it */
typedef struct PlotName {
    const char *text;
    size_t panel;
} PlotName;

typedef struct PlotOptions {
    VEC(const char *) results, labels, groups;
    VEC(PlotName) names;
    const char *x, *output, *title, *script;
    double from, to;
    size_t width, height, npanel; /* npanel: how often --panel was given */
    bool log_x, log_y, points;
    bool failed; /* memory */
} PlotOptions;

enum { ABSENT = -1 };

typedef VEC(double) Series;

/* a variable to draw; the same name in all results */
typedef struct PlotVariable {
    const char *name;
    char part[128]; /* what is left of it after the last dot: "phi" of "final(revolute.phi)" */
    char unit[64];
    size_t panel; /* of --panel */
} PlotVariable;

/* a curve for each variable */
typedef struct PlotRun {
    size_t result;
    double *groups; /* values of the columns it is grouped by (ngroup) */
    char label[256];
    Series x;
    Series *y; /* by variable; empty when the result has none of the name */
} PlotRun;

typedef struct Plot {
    Log *log;
    const PlotOptions *given;
    Lieder *session; /* for units */
    Arena arena;
    VEC(Result) results;
    VEC(PlotVariable) variables;
    const char *x; /* its name */
    char x_unit[64];
    VEC(const char *) groups; /* names of columns */
    VEC(PlotRun) runs;
    bool summary; /* of a sweep: a row for each member */
    size_t nrow;  /* rows read */
    bool failed;  /* memory */
    /* while a result is read */
    PlotRun *run;
    size_t reading;
    double last;       /* time of the row before */
    ptrdiff_t *column; /* by group, then by variable: place in the values of a row, or ABSENT */
    double *key;       /* values of the groups of a row */
} Plot;

/* ------------------------------------------------------------------ plot.c */

/* says so */
ExitCode plot_no_memory(Log *log);
/* a file of results, by the end of its name */
bool plot_is_result(const char *text);

/* ------------------------------------------------------------------ plot_choose.c */

ExitCode plot_open(Plot *p);
/* x, groups and variables */
ExitCode plot_choose(Plot *p);
/* what a column is measured in: as a result says, or else as the library does by its name */
void plot_find_unit(Plot *p, const char *name, char *unit, size_t size);

/* ------------------------------------------------------------------ plot_read.c */

ExitCode plot_read(Plot *p);

/* ------------------------------------------------------------------ plot_panels.c */

/* text: to be printed in the terminal; false: out of memory */
bool plot_compose(Plot *p, bool text, Picture *picture);

#endif
