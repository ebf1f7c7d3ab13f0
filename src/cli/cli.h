/* cli.h - the map of the program: one banner per file.
 *
 * A subcommand is a table row (Command): its options, help and function. Everything a person
 * reads goes through a Log, which knows text from JSON; everything that ends the program is an
 * exit code that travels up to main.
 */
#ifndef LIEDER_CLI_H
#define LIEDER_CLI_H

#include <lieder/lieder.h>
#include <lieder/simulate.h>

#include "base/memory.h"
#include "front/front.h"
#include "picture/picture.h"

typedef enum ExitCode {
    EXIT_DONE = 0,
    EXIT_MODEL = 1,      /* the model is wrong */
    EXIT_USAGE = 2,      /* the command line is wrong */
    EXIT_SIMULATION = 3, /* the run failed; results up to there are kept */
    EXIT_IO = 4,         /* a file or a socket */
    EXIT_INTERRUPTED = 130
} ExitCode;

/* ------------------------------------------------------------------ log.c: what is said */

typedef struct Log {
    bool json;    /* one object a line on stdout instead of text */
    bool quiet;   /* errors only */
    bool colour;  /* stderr takes colours */
    size_t shown; /* diagnostics of the session that were said already */
    size_t nerror, nwarning;
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
void json_end(FILE *to);

/* ------------------------------------------------------------------ options.c: the command line */

typedef struct Option {
    const char *name;  /* "stop-time" */
    char letter;       /* 'o', or 0 */
    const char *value; /* what stands after it in the help, "T"; NULL: a switch */
    const char *text;
} Option;

typedef struct Command {
    const char *name, *operands, *text;
    const char *description; /* paragraphs of the help */
    const char *examples;
    const Option *options; /* ended by a NULL name; --help is understood by all */
    ExitCode (*run)(const struct Command *command, int argc, char **argv);
} Command;

extern const Command command_simulate, command_check, command_list, command_doc, command_show,
    command_plot, command_draw;
extern const Command *const commands[]; /* ended by NULL */

/* Reads an argument list from left to right. */
typedef struct Arguments {
    const Command *command;
    Log *log;
    int argc, at;
    char **argv;
    bool only_operands;  /* after -- */
    const char *cluster; /* rest of -qo */
} Arguments;
enum { ARGUMENT_END = -1, ARGUMENT_OPERAND = -2, ARGUMENT_WRONG = -3, ARGUMENT_HELP = -4 };
Arguments arguments_read(const Command *command, Log *log, int argc, char **argv);
/* hands every option and operand to `read`, which says what is wrong and returns false; false: the
 * command is over with *code */
typedef bool ReadOption(Arguments *a, int option, const char *value, void *wishes);
bool arguments_all(Arguments *a, ReadOption *read, void *wishes, ExitCode *code);
/* the value of an option as a number; says what is wrong and returns false */
bool arguments_number(Arguments *a, const char *option, const char *text, double *value);
bool arguments_count(Arguments *a, const char *option, const char *text, size_t *value);
/* WIDTHxHEIGHT of a picture */
bool arguments_size(Arguments *a, const char *text, size_t *width, size_t *height);
bool arguments_log_format(Arguments *a, const char *text);
/* NAME=VALUE of one more --override; the text lives as long as argv */
typedef VEC(FrontOverride) Overrides;
bool arguments_override(Arguments *a, const char *text, Overrides *overrides);
void overrides_drop(Overrides *overrides);
/* one operand more; false, said, when there is one already */
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
} Loaded;

/* A .mo file, a folder with package.mo, or the name of a library model; model NULL: the last of
 * the file. What is wrong has been said. loaded_drop is due in any case. */
ExitCode load_model(Loaded *loaded, Log *log, const char *operand, const char *model,
                    const FrontOverride *overrides, size_t noverride);
/* NULL: the model is wrong, which has been said */
LiederSystem *load_system(Loaded *loaded, Log *log);
void loaded_drop(Loaded *loaded);

/* a class of the session by the name of Modelica ("Dialectic.Planar.Body") or its own
 * ("Planar.Body") */
const LiederClass *library_find(const Lieder *session, const char *name);
/* the name by which Modelica knows a class: "Dialectic.Planar.Body", "Signals.Step" */
const char *library_name(const Front *front, const char *class_name, char *buffer, size_t size);
/* what to do about a class that the library does not have: "did you mean ..." */
const char *library_advice(const Lieder *session, const Front *front, const char *name,
                           char *buffer, size_t size);

/* ------------------------------------------------------------------ pattern.c: regular expressions
 */

/* A POSIX extended regular expression as an automaton that can be fed piece by piece, so that
 * names with a common beginning share the work; see pattern.c. */
typedef struct Pattern Pattern;
enum { PATTERN_DEAD = 0 }; /* no continuation matches */
Pattern *pattern_create(const char *regex, char *message, size_t size);
void pattern_destroy(Pattern *p);
int pattern_start(const Pattern *p);
int pattern_step(Pattern *p, int state, const char *text, size_t n);
bool pattern_accepts(const Pattern *p, int state);
bool pattern_matches(Pattern *p, const char *text);
bool pattern_failed(const Pattern *p); /* memory ran out or too many states: results are void */

/* ------------------------------------------------------------------ select.c: what is recorded */

typedef struct Selected {
    const char *name, *path; /* column, and what the observer is asked for */
    char *unit;              /* in the arena */
    const char *text;
    bool constant;
    double value;
} Selected;

typedef struct Selection {
    Arena arena;
    VEC(Selected) list;
    bool failed; /* memory ran out */
} Selection;

enum { SELECT_FEW = 1000 }; /* columns that are recorded without being asked for */

/* all variables whose whole name the expression matches */
void select_matching(Selection *s, LiederSystem *system, Pattern *pattern);
/* states, derivatives and declared outputs; states only if the columns are few: then true */
bool select_default(Selection *s, LiederSystem *system);
/* select_matching for an expression that a user wrote: an error, said, if it is no expression or
 * matches nothing */
ExitCode select_or_say(Selection *s, Log *log, LiederSystem *system, const char *regex);
void selection_drop(Selection *s);

/* ------------------------------------------------------------------ units.c: units by name */

/* unit of a derivative; returns buffer */
const char *unit_derivative(const char *unit, char *buffer, size_t size);
/* what the library says a column of that name is measured in, or ""; returns buffer */
const char *unit_guess(const Lieder *session, const Result *r, const char *name, char *buffer,
                       size_t size);

/* ------------------------------------------------------------------ progress.c */

typedef struct Progress {
    Log *log;
    const char *title;
    double start, stop;
    bool bar;            /* stderr is a terminal */
    double begun, drawn; /* clock, s */
} Progress;

Progress progress_begin(Log *log, const char *title, double start, double stop);
void progress_show(Progress *p, double t);
void progress_end(Progress *p); /* wipes the bar */
double clock_now(void);
const char *factor_text(double factor, char *buffer, size_t size); /* "1673", "0.85" */

#endif
