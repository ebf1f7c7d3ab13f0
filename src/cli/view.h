/* view.h - the files of lieder view.
 *
 *   view.c        options, and the order of things
 *   view_run.c    a run of the model, kept in memory: ViewRun
 *   view_lanes.c  which members of a fleet are shown
 *   view_result.c a file of results as a ViewRun
 *   view_write.c  a ViewRun as the page reads it: JSON, then columns of numbers
 *   view_serve.c  what the page asks for
 *   view_sweep.c  sweeps that the page asks for
 *   view_analyse.c the model's diagram, eigenvalues and stability regions
 *   view_save.c   the page and a run as one file
 *
 * A message to the page is
 *
 *     length of the JSON as 4 bytes, the JSON with blanks up to a multiple of 8 bytes, columns
 *
 * with numbers as little-endian doubles. "columns" of the JSON has for every variable that was
 * asked for the number of its column among those that follow; variables with the same numbers, as
 * ports that are connected have them, share one. Of a sweep (view_sweep.c) the numbers of member
 * after member follow, time and one variable.
 */
#ifndef LIEDER_CLI_VIEW_H
#define LIEDER_CLI_VIEW_H

#include "cli/cli.h"
#include "cli/mechanism.h"
#include "view/message.h"
#include "view/server.h"

enum { VIEW_MAX_LANES = 100000, VIEW_MAX_RESULTS = 12 };
enum { VIEW_SESSION_RUNS = 64 }; /* a session keeps the models that it made: then it begins anew */

typedef struct ViewOptions {
    RunSettings run;    /* of the command line */
    const char *lanes;  /* of a fleet, as text; or NULL */
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
    double mass, axis[2];
    const Outline *outline[2]; /* or NULL */
    bool thread, hidden;
    ptrdiff_t lane;  /* of a fleet; -1: there is one only */
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
    size_t nnamed; /* variables that the page lists; poses of a fleet follow */
    size_t fleet;  /* lanes of the model, 1 if it is no fleet */
    Lanes lanes;   /* those that are shown; none: all */
    VEC(ViewPart) parts;
    bool planar;
    VEC(double) rows;    /* time and all variables, row by row */
    VEC(double) events;  /* times */
    VEC(size_t) members; /* rows where the members of a sweep begin; of a file only */
    size_t nvaried;      /* its first variables, which differ from member to member */
    double start, stop, tolerance, interval, step;
    LiederStatistics statistics;
    ExitCode code;
    bool file;      /* of results: it cannot be run again */
    bool has_model; /* a file, and its model */
    size_t others;  /* results that are shown over this one: runs number 1, 2 ... */
    bool done;      /* the rows are all there are */
    char *said;     /* diagnostics as JSON, one object a line; from a FILE in memory */
    size_t nsaid;
    bool failed; /* memory */
} ViewRun;

enum { VIEW_MAX_COLUMNS = 4000, VIEW_MAX_PARTS = 70000 };

static inline size_t view_row_count(const ViewRun *r)
{
    return r->rows.n / (r->selection.list.n + 1);
}

/* view_lanes.c: false: no list of numbers, or no memory */
bool lanes_read(Lanes *l, const char *text);
/* `most` of all, at even distances */
bool lanes_spread(Lanes *l, size_t all, size_t most);
void lanes_sort(Lanes *l);
/* the longest array of components, and the numbers that one lane of all arrays has */
size_t lanes_of_system(const LiederSystem *system, size_t *numbers);
/* a regular expression for the names of these lanes, from the heap */
char *lanes_pattern(const Lanes *l);

/* The text of the model between two runs, so that only the first one reads it. It is read again
 * when a file that was named has changed; libraries are not examined again. */
typedef struct ViewModel {
    bool open;
    Loaded loaded;
    unsigned long long files; /* sizes and times of the files that were named */
    size_t nrun;              /* made in this session */
} ViewModel;
void view_model_drop(ViewModel *m);

/* called after every row, and now and then between them; false ends the run */
typedef bool ViewTick(void *user, ViewRun *run);
/* Runs the model with the settings. What is wrong stands in run->said, and in run->code. NULL: out
 * of memory. */
ViewRun *view_run(ViewModel *model, const RunSettings *settings, const char *lanes, bool real_time,
                  const Log *log, ViewTick *tick, void *user);
/* a file of results, and the model that it came from; NULL after reporting an error */
ViewRun *view_read(const ViewOptions *o, Log *log, const char *path, ExitCode *code);
void view_run_drop(ViewRun *r);
/* what is drawn, with columns for the poses; a model without anything to draw is none the worse */
void view_find_parts(ViewRun *r, LiederSystem *system, Log *log);
/* kinds and limits of the columns, and their hash; both NULL: what there is without a model */
void view_describe(ViewRun *r, const LiederSystem *system, const Front *front);

/* The message of a run. `known` is the table that the page has: the variables are described if it
 * is another one. Columns from row `from` on; want NULL: all. False: out of memory. */
typedef struct ViewWanted {
    unsigned long long known;
    size_t from;
    const double *want;
    size_t n;
    bool parts; /* what is drawn is described as well */
} ViewWanted;
bool view_write(const ViewRun *r, const ViewWanted *wanted, char **bytes, size_t *n);

/* the frame of a message: JSON goes to `to` until frame_numbers, then numbers */
typedef struct ViewFrame {
    FILE *to;
    char **bytes;
    size_t *n;
    uint32_t length; /* of the JSON */
} ViewFrame;
bool frame_open(ViewFrame *f, char **bytes, size_t *n); /* false: out of memory */
void frame_numbers(ViewFrame *f);
bool frame_close(ViewFrame *f); /* false: out of memory, and *bytes is gone */
/* ,"said":[...]: lines of JSON as a list */
void write_said_lines(FILE *to, const char *lines);

/* A sweep over what the message names; the next members of it in each answer. Takes the message.
 * NULL: out of memory. */
typedef struct ViewSweep ViewSweep;
ViewSweep *view_sweep_open(const RunSettings *settings, Message *message, unsigned number,
                           const Log *log);
unsigned view_sweep_number(const ViewSweep *s);
/* Some members from `first` on as a message. `tick` is asked now and then and ends it by false:
 * then *stopped. False: out of memory, or stopped. */
bool view_sweep_members(ViewSweep *s, size_t first, bool (*tick)(void *user), void *user,
                        bool *stopped, char **bytes, size_t *n);
void view_sweep_drop(ViewSweep *s);

/* The model's diagram as SVG; empty without a model or without components. NULL: out of memory. */
char *view_diagram(const ViewOptions *o, const Log *log, size_t *n);
/* Eigenvalues at a time as lines of JSON, and the regions of the solvers. NULL: out of memory. */
char *view_eigen(const RunSettings *settings, double at, bool regions, const Log *log, size_t *n);

/* `results`: what is shown instead of runs, the first one as the run; they are dropped in the end
 */
ExitCode view_serve(const ViewOptions *o, Log *log, ViewRun *const *results, size_t n);
/* lieder simulate --output view: */
ExitCode view_live(const RunSettings *settings, bool real_time, Log *log);
ExitCode view_save(const ViewOptions *o, Log *log, const ViewRun *run);

#endif
