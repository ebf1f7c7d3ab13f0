/* simulate.c - lieder simulate FILE: a model over time, its results into a file
 * or a socket. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "record/record.h"

/* ------------------------------------------------------------------ options */

enum {
    OPT_MODEL,
    OPT_START,
    OPT_STOP,
    OPT_SOLVER,
    OPT_STEP,
    OPT_TOLERANCE,
    OPT_INTERVAL,
    OPT_INTERVALS,
    OPT_OVERRIDE,
    OPT_OUTPUT,
    OPT_RECORD,
    OPT_REAL_TIME,
    OPT_THREADS,
    OPT_CHECKPOINT,
    OPT_RESUME,
    OPT_LOG_FORMAT,
    OPT_QUIET
};

static const Option options[] = {
    [OPT_MODEL] = {"model", 0, "NAME", "simulate this model, not the last of the file"},
    [OPT_START] = {"start-time", 0, "T", "first time in s, instead of the experiment annotation's"},
    [OPT_STOP] = {"stop-time", 0, "T", "last time in s"},
    [OPT_SOLVER] = {"solver", 0, "NAME",
                    "rk1, rk2, rk3, rk4 or euler-backward with a fixed step, esdirk23 or "
                    "bdf with a step "
                    "chosen by the tolerance (bdf; esdirk23 for models with discrete updates; rk4 "
                    "with --step or --real-time)"},
    [OPT_STEP] = {"step", 0, "H",
                  "step in s of the solvers with a fixed step (a hundredth of "
                  "the interval; 1e-3 with --real-time)"},
    [OPT_TOLERANCE] = {"tolerance", 0, "R", "relative error of the others (1e-6)"},
    [OPT_INTERVAL] = {"interval", 0, "DT", "time between two rows of the result"},
    [OPT_INTERVALS] = {"intervals", 0, "N", "or their number (500)"},
    [OPT_OVERRIDE] = {"override", 0, "NAME=VALUE",
                      "set a parameter or start value, as in crab.cart.m=3; "
                      "may be repeated"},
    [OPT_OUTPUT] = {"output", 'o', "FILE",
                    "results: .csv, .mat (MATLAB v4, as Dymola and "
                    "OpenModelica write it), tcp://HOST:PORT "
                    "to connect to a reader or tcp://:PORT to wait for one "
                    "(MODEL_result.csv)"},
    [OPT_RECORD] = {"record", 0, "REGEX",
                    "record every variable whose whole name matches this "
                    "extended regular expression (states, "
                    "derivatives and outputs)"},
    [OPT_REAL_TIME] = {"real-time", 0, NULL, "pace the run to the clock on the wall"},
    [OPT_THREADS] = {"threads", 0, "N", "threads for the evaluation (1)"},
    [OPT_CHECKPOINT] = {"checkpoint", 0, "FILE",
                        "write the state here at the end and once a minute, to go on from"},
    [OPT_RESUME] = {"resume", 0, "FILE", "go on from such a file"},
    [OPT_LOG_FORMAT] = {"log-format", 0, "FORMAT", "text, or json: one object a line"},
    [OPT_QUIET] = {"quiet", 'q', NULL, "errors only"},
    {0}};

/* the command line as it was read; NaN or 0: not given */
typedef struct Wishes {
    const char *file, *model, *output, *record, *checkpoint, *resume;
    double start, stop, step, tolerance, interval;
    size_t intervals, threads;
    LiederSolver solver;
    bool real_time;
    Overrides overrides;
} Wishes;

static bool read_positive(Arguments *a, int option, const char *text, double *value)
{
    if (!arguments_number(a, options[option].name, text, value))
        return false;
    if (*value > 0)
        return true;
    log_error(a->log, "--%s must be greater than zero, not %s", options[option].name, text);
    return false;
}

static const char *solver_name(const void *from, size_t index)
{
    (void)from;
    return index <= LIEDER_BDF - LIEDER_RK1 ? lieder_solver_name((LiederSolver)(LIEDER_RK1 + index))
                                            : NULL;
}

static bool read_solver(Arguments *a, const char *text, LiederSolver *solver)
{
    if (lieder_solver_find(text, solver))
        return true;
    const char *meant = suggest(text, solver_name, NULL);
    log_error(a->log,
              "there is no solver \"%s\"\n%s%s%srk1, rk2, rk3, rk4, "
              "euler-backward, esdirk23, bdf",
              text, meant ? "did you mean " : "", meant ? meant : "",
              meant ? "? There are " : "there are ");
    return false;
}

static bool read_option(Arguments *a, int option, const char *value, void *wishes)
{
    Wishes *w = wishes;
    const char *name = option >= 0 ? options[option].name : "";
    switch (option) {
    case ARGUMENT_OPERAND:
        return arguments_operand(a, value, &w->file);
    case OPT_MODEL:
        w->model = value;
        return true;
    case OPT_START:
        return arguments_number(a, name, value, &w->start);
    case OPT_STOP:
        return arguments_number(a, name, value, &w->stop);
    case OPT_SOLVER:
        return read_solver(a, value, &w->solver);
    case OPT_STEP:
        return read_positive(a, option, value, &w->step);
    case OPT_TOLERANCE:
        if (!read_positive(a, option, value, &w->tolerance))
            return false;
        if (w->tolerance < 1)
            return true;
        log_error(a->log, "--tolerance must be less than one, not %s\n1e-6 for example", value);
        return false;
    case OPT_INTERVAL:
        return read_positive(a, option, value, &w->interval);
    case OPT_INTERVALS:
        return arguments_count(a, name, value, &w->intervals);
    case OPT_OVERRIDE:
        return arguments_override(a, value, &w->overrides);
    case OPT_OUTPUT:
        w->output = value;
        return true;
    case OPT_RECORD:
        w->record = value;
        return true;
    case OPT_REAL_TIME:
        return w->real_time = true;
    case OPT_THREADS:
        if (!arguments_count(a, name, value, &w->threads))
            return false;
        if (w->threads <= 1024)
            return true;
        log_error(a->log, "--threads goes up to 1024");
        return false;
    case OPT_CHECKPOINT:
        w->checkpoint = value;
        return true;
    case OPT_RESUME:
        w->resume = value;
        return true;
    case OPT_LOG_FORMAT:
        return arguments_log_format(a, value);
    case OPT_QUIET:
        return a->log->quiet = true;
    default:
        return false;
    }
}

/* ------------------------------------------------------------------ one run */

static const double CHECKPOINT_SECONDS = 60; /* a long run is saved this often */
static const double REAL_TIME_STEP = 1e-3;   /* what an ordinary clock can pace */
static const double PATIENCE = 1;            /* after Ctrl-C, for the next row */

typedef struct Run {
    Log *log;
    const Wishes *wishes;
    Loaded loaded;
    LiederSystem *system;
    Selection selection;
    LiederObserver *observer;
    double *values; /* of a row, by selected variable */
    size_t *index;  /* by observed value: its place in values */
    double *observed;
    char output[512];
    Recorder recorder;
    bool recording;
    LiederSimulateOptions options;
    LiederStatistics statistics;
    Progress progress;
    LiederStatus observing; /* of the observer */
    double interrupted;     /* clock at Ctrl-C, or 0 */
} Run;

/* Ctrl-C asks the run to stop; a second one ends the program at once */
static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    interrupted = number;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* ------------------------------------------------------------------ what and where */

/* the experiment annotation, and over it the command line */
static ExitCode set_options(Run *r)
{
    const Wishes *w = r->wishes;
    const FrontExperiment *e = &r->loaded.experiment;
    LiederSimulateOptions *o = &r->options;
    *o = lieder_simulate_defaults();
    o->start = !isnan(w->start) ? w->start : !isnan(e->start) ? e->start : 0;
    o->stop = !isnan(w->stop) ? w->stop : !isnan(e->stop) ? e->stop : o->start + 1;
    if (!isnan(w->tolerance) || e->tolerance > 0)
        o->tolerance = !isnan(w->tolerance) ? w->tolerance : e->tolerance;
    o->step = !isnan(w->step) ? w->step : w->real_time ? REAL_TIME_STEP : 0;
    o->solver = w->solver;
    /* zero: 500 intervals, or as many as steps divide */
    o->interval = !isnan(w->interval) ? w->interval
                  : w->intervals      ? (o->stop - o->start) / (double)w->intervals
                  : e->interval > 0   ? e->interval
                                      : 0;
    o->threads = (int)w->threads;
    o->real_time = w->real_time;
    o->checkpoint = w->checkpoint;
    o->checkpoint_seconds = CHECKPOINT_SECONDS;
    o->resume = w->resume;
    if (o->stop < o->start && !w->resume) {
        log_error(r->log,
                  "the stop time %g s is before the start time %g s\ngive another "
                  "--stop-time",
                  o->stop, o->start);
        return EXIT_USAGE;
    }
    if (w->real_time && (o->solver == LIEDER_ESDIRK23 || o->solver == LIEDER_BDF)) {
        log_error(r->log,
                  "%s chooses its steps and cannot follow the clock\nuse rk4 or "
                  "euler-backward with "
                  "--real-time",
                  lieder_solver_name(o->solver));
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

/* files that are needed at the end are tried at the beginning */
static ExitCode check_files(const Run *r)
{
    const char *resume = r->wishes->resume, *checkpoint = r->wishes->checkpoint;
    if (resume && access(resume, R_OK) != 0) {
        log_error(r->log, "cannot read the checkpoint %s: %s", resume, strerror(errno));
        return EXIT_IO;
    }
    if (checkpoint) {
        FILE *f = fopen(checkpoint, "ab"); /* keeps what is there */
        if (!f) {
            log_error(r->log, "cannot write the checkpoint %s: %s", checkpoint, strerror(errno));
            return EXIT_IO;
        }
        bool empty = ftell(f) == 0;
        fclose(f);
        if (empty)
            remove(checkpoint);
    }
    return EXIT_DONE;
}

static ExitCode choose_columns(Run *r)
{
    const char *regex = r->wishes->record;
    if (!regex) {
        if (!select_default(&r->selection, r->system))
            log_note(r->log,
                     "the model has %zu states: they are not recorded unless you "
                     "name them\n"
                     "as in --record '.*\\[1\\]\\..*'; 'lieder show --record REGEX' "
                     "tries an expression",
                     lieder_system_state_count(r->system));
        return r->selection.failed ? EXIT_SIMULATION : EXIT_DONE;
    }
    return select_or_say(&r->selection, r->log, r->system, regex);
}

/* an observer for all that varies */
static bool prepare_values(Run *r)
{
    size_t n = r->selection.list.n;
    r->observer = lieder_observer_create(r->system);
    r->values = calloc(n + 1, sizeof *r->values);
    r->observed = calloc(n + 1, sizeof *r->observed);
    r->index = calloc(n + 1, sizeof *r->index);
    if (!r->observer || !r->values || !r->observed || !r->index)
        return false;
    for (size_t i = 0; i < n; i++) {
        const Selected *s = &r->selection.list.items[i];
        ptrdiff_t at = s->constant ? 0 : lieder_observer_add(r->observer, s->path);
        if (at < 0)
            return false;
        if (!s->constant)
            r->index[at] = i;
    }
    return true;
}

static ExitCode open_recorder(Run *r)
{
    size_t n = r->selection.list.n;
    RecordColumn *columns = calloc(n + 1, sizeof *columns);
    if (!columns || !prepare_values(r)) {
        free(columns);
        log_diagnostics(r->log, r->loaded.session, r->loaded.front);
        log_error(r->log, "out of memory for %zu columns", n);
        return EXIT_SIMULATION;
    }
    for (size_t i = 0; i < n; i++) {
        const Selected *s = &r->selection.list.items[i];
        columns[i] = (RecordColumn){s->name, s->unit, s->text, s->constant, s->value};
    }
    if (r->wishes->output)
        snprintf(r->output, sizeof r->output, "%s", r->wishes->output);
    else
        snprintf(r->output, sizeof r->output, "%s_result.csv", r->loaded.title);
    LiederStatus status = record_open(&r->recorder, NULL, r->output, columns, n, NULL);
    free(columns);
    r->recording = status == LIEDER_DONE;
    if (r->recording) {
        int port = record_tcp_port(&r->recorder);
        if (port >= 0)
            log_note(r->log, "waiting for readers on port %d", port);
        return EXIT_DONE;
    }
    log_error(r->log, "%s", record_message(&r->recorder));
    return status == LIEDER_BAD_USE ? EXIT_USAGE : EXIT_IO;
}

/* ------------------------------------------------------------------ during the run */

static bool on_row(void *user, double t, const double *x, LiederRow kind)
{
    Run *r = user;
    (void)kind;
    r->observing = lieder_observer_evaluate(r->observer, t, x, r->observed);
    if (r->observing < 0)
        return false;
    for (size_t i = 0; i < lieder_observer_count(r->observer); i++)
        r->values[r->index[i]] = r->observed[i];
    if (record_row(&r->recorder, t, r->values) < 0)
        return false;
    progress_show(&r->progress, t);
    return !interrupted;
}

/* ------------------------------------------------------------------ after the run */

static const char *status_word(ExitCode code)
{
    return code == EXIT_DONE ? "done" : code == EXIT_INTERRUPTED ? "interrupted" : "failed";
}

static void print_json(const Run *r, ExitCode code)
{
    const LiederStatistics *s = &r->statistics;
    const LiederSimulateOptions *o = &r->options;
    char state[512];
    json_begin(stdout, "summary");
    json_text(stdout, "model", r->loaded.title);
    json_text(stdout, "status", status_word(code));
    json_count(stdout, "exit_code", (size_t)code);
    if (s->solver != LIEDER_SOLVER_AUTO)
        json_text(stdout, "solver", lieder_solver_name(s->solver));
    json_number(stdout, "start", o->start);
    json_number(stdout, "stop", o->stop);
    json_number(stdout, "time", s->t);
    json_count(stdout, "steps", s->steps);
    json_count(stdout, "rejected", s->rejected);
    json_count(stdout, "evaluations", s->evaluations);
    json_count(stdout, "jacobians", s->jacobians);
    json_count(stdout, "factorisations", s->factorisations);
    json_count(stdout, "state_events", s->state_events);
    json_count(stdout, "time_events", s->time_events);
    json_number(stdout, "smallest_step", s->smallest_step);
    json_number(stdout, "largest_step", s->largest_step);
    if (s->limiting_state >= 0)
        json_text(
            stdout, "limiting_state",
            lieder_system_state_name(r->system, (size_t)s->limiting_state, state, sizeof state));
    json_number(stdout, "seconds", s->seconds);
    json_number(stdout, "real_time_factor",
                s->seconds > 0 ? (s->t - o->start) / s->seconds : INFINITY);
    if (o->real_time) {
        json_number(stdout, "worst_step_seconds", s->worst_step_seconds);
        json_count(stdout, "overruns", s->overruns);
    }
    json_text(stdout, "output", r->output);
    json_count(stdout, "rows", r->recorder.nrow - r->recorder.nlost);
    json_count(stdout, "rows_lost", r->recorder.nlost);
    json_count(stdout, "columns", r->selection.list.n);
    json_text(stdout, "checkpoint", o->checkpoint);
    json_end(stdout);
}

static void print_text(const Run *r)
{
    const LiederStatistics *s = &r->statistics;
    const LiederSimulateOptions *o = &r->options;
    char state[512], factor[32];
    printf("%s from %.6g to %.6g s by %s\n", r->loaded.title, o->start, s->t,
           lieder_solver_name(s->solver));
    printf("  steps        %zu", s->steps);
    if (s->rejected)
        printf(", %zu rejected", s->rejected);
    if (s->steps && s->smallest_step < s->largest_step)
        printf(", from %.3g to %.3g s", s->smallest_step, s->largest_step);
    else if (s->steps)
        printf(" of %.4g s", s->largest_step);
    printf("\n  evaluations  %zu", s->evaluations);
    if (s->jacobians || s->factorisations)
        printf(", %zu Jacobians, %zu factorisations", s->jacobians, s->factorisations);
    printf("\n  events       %zu of states, %zu of time\n", s->state_events, s->time_events);
    if (s->limiting_state >= 0)
        printf("  limited by   %s\n",
               lieder_system_state_name(r->system, (size_t)s->limiting_state, state, sizeof state));
    if (o->real_time)
        printf("  real time    worst step %.3g ms, %zu overruns\n", 1e3 * s->worst_step_seconds,
               s->overruns);
    printf("  wall time    %.4g s", s->seconds);
    if (s->seconds > 0)
        printf(", %s times real time",
               factor_text((s->t - o->start) / s->seconds, factor, sizeof factor));
    size_t ncolumn = r->selection.list.n;
    printf("\n  results      %s, %zu rows of time and %zu variable%s\n", r->output,
           r->recorder.nrow - r->recorder.nlost, ncolumn, ncolumn == 1 ? "" : "s");
    if (o->checkpoint)
        printf("  checkpoint   %s\n", o->checkpoint);
}

/* what became of it, in the order of importance: recorder, solver, Ctrl-C */
static ExitCode judge(Run *r, LiederStatus status)
{
    LiederStatus closing = record_close(&r->recorder);
    const char *message = record_message(&r->recorder);
    log_diagnostics(r->log, r->loaded.session, r->loaded.front);
    if (closing < 0) {
        log_error(r->log, "%s\nthe rows up to there are kept; the run ended at t = %g s", message,
                  r->statistics.t);
        return EXIT_IO;
    }
    if (*message)
        log_note(r->log, "%s", message);
    if (status == LIEDER_STOPPED && r->observing < 0)
        status = r->observing;
    if (status == LIEDER_STOPPED && interrupted) {
        log_error(r->log, "interrupted at t = %g s\nthe results up to there are in %s",
                  r->statistics.t, r->output);
        return EXIT_INTERRUPTED;
    }
    if (status == LIEDER_STOPPED)
        log_note(r->log, "the model ended the run at t = %g s", r->statistics.t);
    if (status >= 0)
        return EXIT_DONE;
    if (status == LIEDER_BAD_USE && r->recorder.nrow == 0)
        return EXIT_USAGE;
    log_error(r->log,
              "the simulation failed at t = %g s: %s\nthe results up to there "
              "are in %s",
              r->statistics.t, lieder_status_text(status), r->output);
    return status == LIEDER_IO ? EXIT_IO : EXIT_SIMULATION;
}

static ExitCode finish(Run *r, LiederStatus status)
{
    progress_end(&r->progress);
    ExitCode code = judge(r, status);
    if (r->log->json && !r->log->quiet)
        print_json(r, code);
    else if (!r->log->quiet && code != EXIT_USAGE)
        print_text(r);
    return code;
}

/* Ctrl-C is answered by on_row; if no row comes for long, the program ends here */
static void on_progress(void *user, double t, const LiederStatistics *statistics)
{
    Run *r = user;
    progress_show(&r->progress, t);
    if (!interrupted)
        return;
    if (r->interrupted == 0)
        r->interrupted = clock_now();
    if (clock_now() - r->interrupted < PATIENCE)
        return;
    r->statistics = *statistics;
    finish(r, LIEDER_STOPPED);
    exit(EXIT_INTERRUPTED);
}

static ExitCode run_model(Run *r)
{
    r->progress = progress_begin(r->log, r->loaded.title, r->options.start, r->options.stop);
    r->options.output = on_row;
    r->options.progress = on_progress;
    r->options.user = r;
    r->statistics.t = r->options.start;
    catch_signals();
    return finish(r, lieder_simulate(r->system, &r->options, &r->statistics));
}

static void drop(Run *r)
{
    if (r->recording)
        record_close(&r->recorder);
    lieder_observer_destroy(r->observer);
    free(r->values);
    free(r->observed);
    free(r->index);
    selection_drop(&r->selection);
    lieder_system_destroy(r->system);
    loaded_drop(&r->loaded);
}

static ExitCode simulate(Log *log, const Wishes *w)
{
    Run r = {.log = log, .wishes = w};
    ExitCode code = check_files(&r);
    if (code != EXIT_DONE)
        return code;
    code = load_model(&r.loaded, log, w->file, w->model, w->overrides.items, w->overrides.n);
    if (code == EXIT_DONE)
        code = set_options(&r);
    if (code == EXIT_DONE && !(r.system = load_system(&r.loaded, log)))
        code = EXIT_MODEL;
    if (code == EXIT_DONE)
        code = choose_columns(&r);
    if (code == EXIT_DONE)
        code = open_recorder(&r);
    if (code == EXIT_DONE)
        code = run_model(&r);
    drop(&r);
    return code;
}

static ExitCode run(const Command *command, int argc, char **argv)
{
    Log log = log_open();
    Arguments a = arguments_read(command, &log, argc, argv);
    Wishes w = {.start = NAN, .stop = NAN, .step = NAN, .tolerance = NAN, .interval = NAN};
    ExitCode code;
    bool read = arguments_all(&a, read_option, &w, &code);
    if (read && !isnan(w.interval) && w.intervals) {
        log_error(&log, "--interval and --intervals say the same thing twice\ngive "
                        "one of them");
        code = EXIT_USAGE;
    } else if (read) {
        code = w.file ? simulate(&log, &w) : arguments_missing(&a, "FILE.mo");
    }
    overrides_drop(&w.overrides);
    return code;
}

const Command command_simulate = {
    .name = "simulate",
    .operands = "FILE.mo",
    .text = "Run a model over time and write its results",
    .description = "FILE.mo is a Modelica file or a folder with package.mo; "
                   "the name of a library model such\n"
                   "as Examples.CraneCrab does as well. Times, tolerance and "
                   "interval come from the experiment\n"
                   "annotation of the model where it has one: else 0 to 1 s in "
                   "500 intervals. Ctrl-C ends the\n"
                   "run and keeps the results so far.",
    .examples = "  lieder simulate crane.mo\n"
                "  lieder simulate crane.mo --stop-time 20 --solver rk4 --step "
                "1e-3 -o crane.mat\n"
                "  lieder simulate crane.mo --override cart.m=3 --override "
                "revolute.phi=0.5\n"
                "  lieder simulate fleet.mo --record "
                "'crab\\[7\\]\\.(prismatic|revolute)\\..*'\n"
                "  lieder simulate plant.mo --real-time --output "
                "tcp://localhost:5000\n",
    .options = options,
    .run = run};
