/* cli.h - the map of the program: one banner per file.
 *
 * A subcommand is a table row (Command): its options, help and function. Everything a person
 * reads goes through a Log, which knows text from JSON; everything that ends the program is an
 * exit code that travels up to main. A command of several files has a header of its own: sweep.h,
 * eigen.h, plot.h.
 */
#ifndef LIEDER_CLI_H
#define LIEDER_CLI_H

#include <lieder/lieder.h>
#include <lieder/simulate.h>
#include <lieder/variables.h>

#include <signal.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/memory.h"
#include "cli/commands.h"
#include "fmi/import.h"
#include "front/front.h"
#include "picture/picture.h"
#include "record/record.h"
#include "record/select.h"

typedef enum ExitCode {
    EXIT_DONE = 0,
    EXIT_MODEL = 1,      /* the model is wrong */
    EXIT_USAGE = 2,      /* the command line is wrong */
    EXIT_SIMULATION = 3, /* the run failed; results up to there are kept */
    EXIT_IO = 4,         /* a file or a socket */
    EXIT_INTERRUPTED = 130
} ExitCode;

/* ------------------------------------------------------------------ log.c: messages */

enum { MAX_EXTENSIONS = 32 };
typedef struct Log {
    bool json;       /* one object a line on stdout instead of text */
    bool quiet;      /* errors only */
    bool colour;     /* stderr takes colours */
    FILE *stream;    /* takes all messages; NULL: stdout and stderr */
    size_t shown;    /* diagnostics of the session that were printed already */
    size_t left_out; /* of those beyond MAX_DIAGNOSTICS, how many were reported already */
    size_t nerror, nwarning;
    /* --load: shared libraries with classes, which load_source gives to the session */
    const char *extensions[MAX_EXTENSIONS];
    size_t nextension;
} Log;

Log log_open(void);
/* "lieder: error: what" and an indented line of advice; the two joined by one newline */
__attribute__((format(printf, 2, 3))) void log_error(Log *log, const char *format, ...);
__attribute__((format(printf, 2, 3))) void log_note(Log *log, const char *format, ...);
/* The session's diagnostics that were not shown yet, with place and caret. The front end, if
 * given, knows where a component is declared that the engine names by its path. */
void log_diagnostics(Log *log, const Lieder *session, const Front *front);
/* width of the terminal behind stdout or stderr, or 80 */
int log_width(FILE *to);

/* one JSON object a line: begin, members, end; a number that is not finite becomes null */
void json_begin(FILE *to, const char *type);
void json_text(FILE *to, const char *key, const char *value); /* left out when NULL */
void json_number(FILE *to, const char *key, double value);
void json_count(FILE *to, const char *key, size_t value);
void json_flag(FILE *to, const char *key, bool value);
void json_texts(FILE *to, const char *key, const char *const *values, size_t n);
void json_numbers(FILE *to, const char *key, const double *values, size_t n);
void json_end(FILE *to);

/* ------------------------------------------------------------------ options.c: the command line */

typedef struct Option {
    const char *name;  /* "stop-time" */
    char letter;       /* 'o', or 0 */
    const char *value; /* what stands after it in the help, "T"; NULL: a switch */
    const char *text;
} Option;

/* understood by arguments_all for every command that lists them */
#define LOG_FORMAT_OPTION                                                                          \
    {                                                                                              \
        "log-format", 0, "FORMAT", "text, or json: one object a line"                              \
    }
#define OVERRIDE_OPTION                                                                            \
    {                                                                                              \
        "override", 0, "NAME=VALUE", "set a parameter or start value first; may be repeated"       \
    }
#define LOAD_OPTION                                                                                \
    {                                                                                              \
        "load", 0, "FILE.so",                                                                      \
            "take the component classes of this shared library, too; its code runs in the "        \
            "program; may be repeated"                                                             \
    }
#define QUIET_OPTION                                                                               \
    {                                                                                              \
        "quiet", 'q', NULL, "errors only"                                                          \
    }

#define LIBRARY_OPTION                                                                             \
    {                                                                                              \
        "library", 0, "DIR",                                                                       \
            "look here for packages that no file has; before MODELICAPATH; may be repeated"        \
    }
#define LIMIT_OPTION                                                                               \
    {                                                                                              \
        "limit", 0, "LIST",                                                                        \
            "what building the model may take: steps=N, memory=SIZE as 500M or 4G; loops=N: "      \
            "arrays "                                                                              \
            "of N elements stay loops; several with commas; may be repeated (1e8 steps, 2G, 100)"  \
    }

typedef struct Command {
    const char *name, *operands, *text;
    const char *description; /* paragraphs of the help */
    const char *examples;
    const Option *options; /* ended by a NULL name; --help is understood by all */
    ExitCode (*run)(const struct Command *command, int argc, char **argv);
    bool shared; /* several ranks share the work; else rank 0 does it */
} Command;

/* commands.h has the list */
#define COMMAND_DECLARE(name) extern const Command command_##name;
COMMANDS(COMMAND_DECLARE)
extern const Command *const commands[]; /* ended by NULL */

typedef VEC(FrontOverride) Overrides;

/* what a command works on: its operands, --model, --override, --library, --limit */
typedef struct ModelSource {
    const char *file;  /* the last operand, or NULL */
    const char *model; /* NULL: the last of the file */
    Overrides overrides;
    VEC(const char *) before, libraries; /* operands before the last; folders */
    FrontLimits limits;
    bool alone; /* see front_set_alone */
    bool fmus;  /* the command can run a model with FMUs */
} ModelSource;
void model_source_drop(ModelSource *source);

/* Reads an argument list from left to right. */
typedef struct Arguments {
    const Command *command;
    Log *log;
    int argc, at;
    char **argv;
    bool only_operands;  /* after -- */
    const char *cluster; /* rest of -qo */
    ModelSource *source; /* takes the operands and the options above; or NULL */
    uint64_t given;      /* a bit for each option of the table that was there */
} Arguments;
enum { ARGUMENT_END = -1, ARGUMENT_OPERAND = -2, ARGUMENT_WRONG = -3, ARGUMENT_HELP = -4 };
Arguments arguments_read(const Command *command, Log *log, int argc, char **argv);
/* hands every option and operand but the shared ones above to `read`, which says what is wrong and
 * returns false; NULL: there are no others. False: the command is over with *code */
typedef bool ReadOption(Arguments *a, int option, const char *value, void *settings);
bool arguments_all(Arguments *a, ReadOption *read, void *settings, ExitCode *code);
/* Refuses options that would do nothing; `list` ends with -1, `why` goes on after "--step does
 * nothing". False after reporting the first of them. */
bool arguments_refuse(const Arguments *a, const int *list, const char *why);
/* the value of an option as a number; says what is wrong and returns false */
bool arguments_number(Arguments *a, const char *option, const char *text, double *value);
bool arguments_positive(Arguments *a, const char *option, const char *text, double *value);
bool arguments_count(Arguments *a, const char *option, const char *text, size_t *value);
/* WIDTHxHEIGHT of a picture */
bool arguments_size(Arguments *a, const char *text, size_t *width, size_t *height);
bool arguments_solver(Arguments *a, const char *text, LiederSolver *solver);
/* the operand of a command that has no source; false after reporting an error when there is one
 * already */
bool arguments_operand(Arguments *a, const char *text, const char **operand);
/* says how the command is used */
ExitCode arguments_missing(Arguments *a, const char *what);
void command_help(const Command *command, FILE *to);

/* the candidate that was probably meant, or NULL */
typedef const char *(*CandidateFunction)(const void *from, size_t index); /* NULL at the end */
const char *suggest(const char *word, CandidateFunction candidate, const void *from);

/* ------------------------------------------------------------------ load.c: what is simulated */

typedef struct Loaded {
    Lieder *session;
    Front *front;
    const char *model; /* class of the session, ready for lieder_system_create */
    char title[256];   /* the model's name as the user knows it */
    FrontExperiment experiment;
    FmiImports imports; /* FMUs that the files name */
} Loaded;

/* The file of the source is a .mo file, a folder with package.mo, or the name of a library model;
 * NULL: the model is a class of a library. What is wrong has been reported. loaded_drop is due in
 * any case. */
ExitCode load_source(Loaded *loaded, Log *log, const ModelSource *source);
/* the same, and its model made with the overrides */
ExitCode load_model(Loaded *loaded, Log *log, const ModelSource *source);
/* the model of a loaded source made once more, with other overrides; systems made before must be
 * gone. The session keeps every model it made: begin anew after some dozens. */
ExitCode load_instance(Loaded *loaded, Log *log, const Overrides *overrides);
/* NULL: the model is wrong, which has been reported */
LiederSystem *load_system(Loaded *loaded, Log *log);
/* the same by all ranks together: each has the system of its own lanes */
LiederSystem *load_shared_system(Loaded *loaded, Log *log);
void loaded_drop(Loaded *loaded);
/* FILE.mo:NAME, or FOLDER:NAME, is a file and a model of it: the file, to be freed, and the model
 * or NULL. NULL after reporting an error. */
char *load_file_of(Log *log, const char *operand, const char **model);

/* a class of the session by the name of Modelica ("Dialectic.Planar.Body") or its own
 * ("Planar.Body") */
const LiederClass *library_find(const Lieder *session, const char *name);
/* the name by which Modelica knows a class: "Dialectic.Planar.Body", "Signals.Step" */
const char *library_name(const Front *front, const char *class_name, char *buffer, size_t size);
/* what to do about a class that the library does not have: "did you mean ..." */
const char *library_advice(const Lieder *session, const Front *front, const char *name,
                           char *buffer, size_t size);
/* doc.c: writes the reference of a class; false: the library has none of that name */
bool doc_write(FILE *to, const Lieder *session, const Front *front, const char *name);
/* --library, then MODELICAPATH; false: no memory */
bool load_libraries(Front *front, const ModelSource *source);

/* ------------------------------------------------------------------ paths.c: files of a command */

typedef struct PathOfCommand {
    const char *what; /* "--output" */
    const char *path; /* or NULL; sockets are passed over */
    bool written;
} PathOfCommand;
/* No file that is written may be another one by any name; false after reporting an error. */
bool paths_check(Log *log, const PathOfCommand *list, size_t n);
/* Nor one that the model was read from: its texts, tables, FMUs and shared libraries. */
bool paths_check_read(Log *log, const Loaded *loaded, const char *what, const char *path);
/* Files that are needed at the end of a run, tried at its beginning: nothing is touched. False
 * after reporting an error; path NULL: true. */
bool paths_try_write(Log *log, const char *what, const char *path);
bool paths_try_read(Log *log, const char *what, const char *path);
/* n characters of `begin` and `end`, to be freed; NULL after reporting an error */
char *path_join(Log *log, const char *begin, size_t n, const char *end);
/* where results go: as given, or a file in this directory that is named after the model */
char *path_of_results(Log *log, const char *given, const char *title, const char *ending);

/* ------------------------------------------------------------------ run.c: what runs share */

/* options of every command that runs models: the head of its table and of its enum */
enum {
    RUN_MODEL,
    RUN_START,
    RUN_STOP,
    RUN_SOLVER,
    RUN_STEP,
    RUN_TOLERANCE,
    RUN_CHATTER,
    RUN_CLOCKS,
    RUN_INTERVAL,
    RUN_INTERVALS,
    RUN_OVERRIDE,
    RUN_LOAD,
    RUN_RECORD,
    RUN_COMPILE,
    RUN_LIBRARY,
    RUN_LIMIT,
    RUN_LOG_FORMAT,
    RUN_QUIET,
    RUN_OUTPUT,  /* the row of the table is the command's own */
    RUN_THREADS, /* as well */
    RUN_OPTIONS
};
/* the names of the solvers with fixed and with adaptive steps, a space after each */
#define FIXED_AND_FIXED(name) name " "
#define FIXED_AND_ADAPTIVE(name)
#define ADAPTIVE_AND_FIXED(name)
#define ADAPTIVE_AND_ADAPTIVE(name)                                 name " "
#define NAME_IF_FIXED(constant, name, order, stages, steps, ...)    FIXED_AND_##steps(name)
#define NAME_IF_ADAPTIVE(constant, name, order, stages, steps, ...) ADAPTIVE_AND_##steps(name)
#define SOLVERS_FIXED                                               LIEDER_SOLVERS(NAME_IF_FIXED)
#define SOLVERS_ADAPTIVE                                            LIEDER_SOLVERS(NAME_IF_ADAPTIVE)
#define RUN_OPTION_ROWS                                                                            \
    [RUN_MODEL] = {"model", 0, "NAME", "simulate this model, not the last of the file"},           \
    [RUN_START] = {"start-time", 0, "T",                                                           \
                   "first time in s, instead of the experiment annotation's"},                     \
    [RUN_STOP] = {"stop-time", 0, "T", "last time in s"},                                          \
    [RUN_SOLVER] = {"solver", 0, "NAME",                                                           \
                    SOLVERS_FIXED "(fixed step), " SOLVERS_ADAPTIVE                                \
                                  "(step chosen by the tolerance); by default what the model's "   \
                                  "annotation says, else bdf; rk4 with --step, rk45 for nets of "  \
                                  "more than 500 states"},                                         \
    [RUN_STEP] = {"step", 0, "H",                                                                  \
                  "step in s of the solvers with a fixed step (a hundredth of the interval), "     \
                  "longest step of the others"},                                                   \
    [RUN_TOLERANCE] = {"tolerance", 0, "R", "relative error of the others, 1e-10 at best (1e-6)"}, \
    [RUN_CHATTER] = {"chatter", 0, "WHAT",                                                         \
                     "when events of one component follow each other without end: stop the run, "  \
                     "or hold the surface where they are (auto: hold contacts, stop for others)"}, \
    [RUN_CLOCKS] = {"clocks", 0, "WHOSE",                                                          \
                    "subsystems that nothing connects have a shared clock or each its own, with "  \
                    "its own steps and events: auto, shared or own (auto: own for rk45 and "       \
                    "rodas4)"},                                                                    \
    [RUN_INTERVAL] = {"interval", 0, "DT", "time between two rows of the result"},                 \
    [RUN_INTERVALS] = {"intervals", 0, "N", "or their number (500)"},                              \
    [RUN_OVERRIDE] = {"override", 0, "NAME=VALUE",                                                 \
                      "set a parameter or start value, as in crab.cart.m=3; may be repeated"},     \
    [RUN_LOAD] = LOAD_OPTION,                                                                      \
    [RUN_RECORD] =                                                                                 \
        {"record", 0, "REGEX",                                                                     \
         "record every variable whose whole name matches this extended regular "                   \
         "expression (states, derivatives, outputs, and what the model itself declares)"},         \
    [RUN_COMPILE] = {"compile", 0, "WHEN",                                                         \
                     "auto, always or never: C code for this model, compiled beside the run; "     \
                     "faster, same results (auto: when a run has lasted a quarter of a second)"},  \
    [RUN_LIBRARY] = LIBRARY_OPTION, [RUN_LIMIT] = LIMIT_OPTION,                                    \
    [RUN_LOG_FORMAT] = LOG_FORMAT_OPTION, [RUN_QUIET] = QUIET_OPTION

/* the command line as it was read; NaN or 0: not given */
typedef struct RunSettings {
    const char *output, *record;
    double start, stop, step, tolerance, interval;
    size_t intervals, threads;
    LiederSolver solver;
    LiederChatter chatter;
    bool chatter_given;
    LiederClocks clocks;
    LiederCompile compile;
    ModelSource source;
} RunSettings;
RunSettings run_settings(void);
/* reads one of RUN_OPTIONS */
bool run_read_option(Arguments *a, int option, const char *value, RunSettings *w);
/* auto, always or never as the value of an option */
bool run_read_when(Arguments *a, const char *option, const char *text, LiederCompile *when);
/* what only all options together tell; false after reporting an error */
bool run_check_settings(const RunSettings *w, Log *log);
/* Options for adaptive steps in a run that takes fixed ones; false after reporting an error. */
bool run_check_adaptive(const RunSettings *w, const LiederSimulateOptions *o, Log *log);
/* solver and step of the annotation, unless the command line names a solver; its step wins */
void run_set_solver(LiederSimulateOptions *o, LiederSolver solver, double step,
                    const FrontExperiment *experiment);
/* the annotations of the model, and over them the command line */
LiederSimulateOptions run_options(const RunSettings *w, const FrontExperiment *experiment);
/* false after reporting an error, when the run would end before it begins */
/* warns of a fixed step that is not stable at the start, where that is cheap to know: step_check.c
 */
void run_check_step(Log *log, const Loaded *loaded, LiederSystem *system,
                    const LiederSimulateOptions *o);
bool run_check_times(const LiederSimulateOptions *o, Log *log);
/* "done", "interrupted" or "failed" */
const char *run_outcome(ExitCode code);
/* the variables that an expression of a user matches (record/select.h); an error, which is
 * reported, if it is no expression or matches nothing */
ExitCode select_or_say(Selection *s, Log *log, LiederSystem *system, const Front *front,
                       bool energies, const char *regex);
/* adds the parameters that the model instantiated last declares itself; what the system has under
 * the name stays */
void select_own(Selection *s, const Front *front, Pattern *pattern);
/* the columns that --record names, or the default with a note if they are not all; energies: the
 * run keeps these */
ExitCode run_select(const RunSettings *w, Log *log, LiederSystem *system, const Front *front,
                    bool energies, Selection *selection);
/* the expression that matches a text and nothing else; false: it does not fit */
bool run_quote(const char *text, char *buffer, size_t size);

/* ------------------------------------------------------------------ td_check.c */

typedef struct TdDifference {
    size_t column;
    double by, t;     /* the largest one, and when */
    double low, high; /* of the variable in the first run */
} TdDifference;
/* rows of the first run, of its grid */
typedef struct TdCheck {
    bool wanted, failed;
    VEC(double) times, rows;
    TdDifference *differences; /* by column, then by size */
} TdCheck;
void td_check_keep(TdCheck *c, double t, const double *values, size_t n, LiederRow kind);
/* runs again with half of every T_D, which stays so, and prints what changed */
ExitCode td_check_run(TdCheck *c, LiederSystem *system, const Selection *selection, Watch *watch,
                      LiederSimulateOptions options, const Loaded *loaded, Log *log);
void td_check_drop(TdCheck *c);

/* ------------------------------------------------------------------ td_advice.c */

/* notes on what T_D will do to a small model, as far as its start tells; t NaN: 0 */
void td_advise(LiederSystem *system, double t, Log *log);

/* ------------------------------------------------------------------ energy.c */

/* what a run knows about its energies */
typedef struct EnergyReport {
    bool measured, integrated; /* at rows; in between, too */
    LiederEnergy now, start;
    double lowest, highest; /* potential; kinetic and potential */
    size_t nrow;
} EnergyReport;
/* few enough subsystems to be measured in every run */
bool energy_is_cheap(LiederSystem *system);
/* where the run does not integrate: what a row has */
void energy_look(EnergyReport *e, LiederSystem *system, double t, const double *x);
void energy_row(EnergyReport *e); /* after `now` has been brought up to date */
void energy_print(const EnergyReport *e);
void energy_json(const EnergyReport *e);
/* warnings if the filter or the solver took much, and what is not counted */
void energy_warn(const EnergyReport *e, LiederSystem *system, LiederSolver solver,
                 const Loaded *loaded, Log *log);

/* ------------------------------------------------------------------ interrupt.c: Ctrl-C */

/* Ctrl-C, SIGTERM and SIGHUP ask runs to stop; a second one ends the program at once */
extern volatile sig_atomic_t run_interrupted;
/* Ends a run that does not answer: closes files, says what became of them. The program exits with
 * the code. */
typedef ExitCode InterruptEnd(void *user);
/* from now on; `end` NULL: only the run itself answers */
void run_catch_signals(InterruptEnd *end, void *user);
void run_end_signals(void); /* the run has answered */
/* around changes of what `end` reads */
void run_hold_files(void);
void run_release_files(void);
/* a recorder that stops waiting when the run is interrupted */
RecordOptions run_record_options(void);

/* ------------------------------------------------------------------ vary.c: grids of parameters */

/* one --vary: a parameter and its values */
typedef struct GridAxis {
    char *name;
    VEC(double) values;
    bool boolean;    /* true and false */
    bool structural; /* members that differ in it cannot be lanes of one system */
} GridAxis;
typedef struct Grid {
    VEC(GridAxis) axes;
    size_t n; /* members; the last axis varies fastest */
} Grid;
enum { MAX_GRID = 100000000 };
/* one more --vary; what is wrong has been reported */
bool grid_add(Grid *g, Log *log, const char *text);
/* members from one value of an axis to the next; which value a member has, and the value */
size_t grid_stride(const Grid *g, size_t axis);
size_t grid_index(const Grid *g, size_t member, size_t axis);
double grid_value(const Grid *g, size_t member, size_t axis);
void grid_drop(Grid *g);
/* The fixed overrides and the values of every axis, for one member; or, for n > 1, of a model with
 * an array member[n] of the members first, first + stride, ... False: out of memory. */
typedef struct MemberSettings {
    Arena arena; /* of the texts */
    Overrides list;
} MemberSettings;
bool settings_make(MemberSettings *s, const Grid *g, const Overrides *fixed, size_t first,
                   size_t stride, size_t n);
void settings_drop(MemberSettings *s);

/* ------------------------------------------------------------------ units.c: units by name */

/* what the library says a column of that name is measured in, or ""; returns buffer */
const char *unit_guess(Lieder *session, const Result *r, const char *name, char *buffer,
                       size_t size);

/* ------------------------------------------------------------------ progress.c */

typedef struct Progress {
    Log *log;
    const char *title;
    double start, stop;
    bool counts;         /* members of a sweep instead of seconds */
    bool bar;            /* stderr is a terminal */
    double begun, drawn; /* clock, s */
} Progress;

Progress progress_begin(Log *log, const char *title, double start, double stop);
void progress_show(Progress *p, double t);
void progress_end(Progress *p);                                    /* wipes the bar */
const char *factor_text(double factor, char *buffer, size_t size); /* "1673", "0.85" */

/* ------------------------------------------------------------------ ranks.c: several processes */

/* all ranks call these in the same order; alone they do nothing */
double ranks_worst(double here); /* the greatest of all */
ExitCode ranks_code(ExitCode here);
/* brings the diagnostics from number `from` on to rank 0 */
void ranks_join_diagnostics(Lieder *session, size_t from);
/* the name that some rank has, the others "", to rank 0; false: none has one */
bool ranks_find_name(char *name, size_t size);

/* the columns that each rank knows, and its values on their way to rank 0 */
typedef struct RankRows {
    size_t *own, n; /* of this rank */
    double *sent;
    struct RankColumns {
        size_t *columns, n;
    } * others; /* by rank, on rank 0 */
    RecordTeam team;
    bool together; /* all ranks write the file: rows do not travel */
} RankRows;
/* false: no memory */
bool ranks_open_rows(RankRows *rows, LiederSystem *system, const Selection *selection);
void ranks_close_rows(RankRows *rows);
/* Whether all ranks write the result themselves: then record with rows->team, on all of them. The
 * columns must be those of all ranks. */
bool ranks_write_together(RankRows *rows, const char *target, const RecordColumn *columns,
                          size_t ncolumn);
/* values by column: on rank 0 they are complete afterwards */
void ranks_join_row(RankRows *rows, double *values);

#endif
