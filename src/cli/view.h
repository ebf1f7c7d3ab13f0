/* view.h - the files of lieder view.
 *
 *   view.c        options, and the order of things
 *   view_run.c    a run of the model, kept in memory: ViewRun
 *   view_result.c a file of results as a ViewRun
 *   view_write.c  a ViewRun as the page reads it: JSON, then columns of numbers
 *   view_serve.c  what the page asks for
 *   view_analyse.c the model's diagram, eigenvalues and stability regions
 *   view_save.c   the page and a run as one file
 *
 * A message to the page is
 *
 *     length of the JSON as 4 bytes, the JSON with blanks up to a multiple of 8 bytes, columns
 *
 * with numbers as little-endian doubles. "columns" of the JSON has for every variable that was
 * asked for the number of its column among those that follow; variables with the same numbers, as
 * ports that are connected have them, share one.
 */
#ifndef LIEDER_CLI_VIEW_H
#define LIEDER_CLI_VIEW_H

#include "cli/cli.h"
#include "cli/mechanism.h"
#include "view/message.h"
#include "view/server.h"

typedef struct ViewOptions {
    RunWishes run;      /* of the command line */
    const char *result; /* a file instead of a run; run.model is then its model, or NULL */
    const char *save;
    size_t port;
    bool no_open, keep, real_time;
} ViewOptions;

/* a column of pose numbers that does not exist */
#define VIEW_NO_COLUMN ((size_t)-1)

/* a component that is drawn; its numbers are columns of the run */
typedef struct ViewPart {
    const char *name; /* of the component */
    const Symbol *symbol;
    size_t columns[6]; /* x, y, phi or s of each port */
    ptrdiff_t joint;
    double mass, axis[2], radius;
    bool thread, hidden;
    size_t force[2]; /* force of the world at its first port, or VIEW_NO_COLUMN */
} ViewPart;

/* what is kept of a variable beside its column */
typedef struct ViewVariable {
    LiederVariableKind kind;
    double min, max;
    bool settable; /* --override takes it */
} ViewVariable;

/* A run, or what there is of it. */
typedef struct ViewRun {
    unsigned number;
    char title[256];
    unsigned long long table; /* hash of the names: runs with the same table share descriptions */
    Selection selection;      /* every variable that can be shown */
    VEC(ViewVariable) variables;
    VEC(ViewPart) parts;
    bool planar;
    VEC(double) rows;   /* time and all variables, row by row */
    VEC(double) events; /* times */
    double start, stop, tolerance, interval, step;
    LiederStatistics statistics;
    ExitCode code;
    bool file;  /* of results: it cannot be run again */
    bool done;  /* the rows are all there are */
    char *said; /* diagnostics as JSON, one object a line; from a FILE in memory */
    size_t nsaid;
    bool failed; /* memory */
} ViewRun;

enum { VIEW_MAX_COLUMNS = 4000, VIEW_MAX_PARTS = 5000 };

static inline size_t view_row_count(const ViewRun *r)
{
    return r->rows.n / (r->selection.list.n + 1);
}

/* called after every row, and now and then between them; false ends the run */
typedef bool ViewTick(void *user, ViewRun *run);
/* Runs the model with the wishes. What is wrong stands in run->said, and in run->code. NULL: out of
 * memory. */
ViewRun *view_run(const RunWishes *wishes, bool real_time, const Log *log, ViewTick *tick,
                  void *user);
/* a file of results, and the model that it came from; NULL after reporting an error */
ViewRun *view_read(const ViewOptions *o, Log *log, ExitCode *code);
void view_run_drop(ViewRun *r);
/* what is drawn, with columns for the poses; a model without anything to draw is none the worse */
void view_find_parts(ViewRun *r, LiederSystem *system, Log *log);
/* kinds and limits of the columns, and their hash; system NULL: what there is without a model */
void view_describe(ViewRun *r, const LiederSystem *system);

/* The message of a run. `known` is the table that the page has: the variables are described if it
 * is another one. Columns from row `from` on; want NULL: all. False: out of memory. */
typedef struct ViewWanted {
    unsigned long long known;
    size_t from;
    const double *want;
    size_t n;
} ViewWanted;
bool view_write(const ViewRun *r, const ViewWanted *wanted, char **bytes, size_t *n);

/* The model's diagram as SVG; empty without a model or without components. NULL: out of memory. */
char *view_diagram(const ViewOptions *o, const Log *log, size_t *n);
/* Eigenvalues at a time as lines of JSON, and the regions of the solvers. NULL: out of memory. */
char *view_eigen(const RunWishes *wishes, double at, bool regions, const Log *log, size_t *n);

ExitCode view_serve(const ViewOptions *o, Log *log, ViewRun *first);
ExitCode view_save(const ViewOptions *o, Log *log, const ViewRun *run);

#endif
