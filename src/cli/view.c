/* view.c - lieder view FILE: the model or a result in the browser. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/view.h"
#include "view/page.h"

/* ------------------------------------------------------------------ options */

enum { OPT_PORT = RUN_OPTIONS, OPT_NO_OPEN, OPT_KEEP, OPT_REAL_TIME, OPT_LANES };

static const Option options[] = {
    RUN_OPTION_ROWS,
    [RUN_OUTPUT] = {"save", 's', "PAGE.html",
                    "write one file that shows the run without this program, and end"},
    [RUN_THREADS] = {"threads", 0, "N", "threads for the evaluation (1)"},
    [OPT_PORT] = {"port", 0, "N", "serve the page at this port (a free one)"},
    [OPT_NO_OPEN] = {"no-open", 0, NULL, "only print the address, open no browser"},
    [OPT_KEEP] = {"keep", 0, NULL, "go on when the page is closed, until Ctrl-C"},
    [OPT_REAL_TIME] = {"real-time", 0, NULL,
                       "pace the run to the clock on the wall (rk4 in steps of 1e-3 s)"},
    [OPT_LANES] = {"lanes", 0, "LIST",
                   "members of a fleet that are shown, as in 1:100 or 3,7,20:30 (some at even "
                   "distances)"},
    {0}};

/* reads one option into ViewOptions; false after reporting an error */
static bool read_option(Arguments *a, int option, const char *value, void *settings)
{
    ViewOptions *o = settings;
    switch (option) {
    case OPT_PORT:
        if (!arguments_count(a, "port", value, &o->port))
            return false;
        if (o->port <= 65535)
            return true;
        log_error(a->log, "--port goes up to 65535");
        return false;
    case OPT_NO_OPEN:
        return o->no_open = true;
    case OPT_KEEP:
        return o->keep = true;
    case OPT_LANES:
        o->lanes = value;
        return true;
    case OPT_REAL_TIME:
        return o->real_time = true;
    default:
        return run_read_option(a, option, value, &o->run);
    }
}

/* ------------------------------------------------------------------ the command */

/* reports what is wrong with the model before a page is opened */
static ExitCode try_model(const ViewOptions *o, Log *log)
{
    Loaded loaded;
    ExitCode code = load_model(&loaded, log, &o->run.source);
    if (code == EXIT_DONE && !paths_check_read(log, &loaded, "the page", o->save))
        code = EXIT_USAGE;
    LiederSystem *system = code == EXIT_DONE ? load_system(&loaded, log) : NULL;
    if (code == EXIT_DONE && !system)
        code = EXIT_MODEL;
    lieder_system_destroy(system);
    loaded_drop(&loaded);
    return code;
}

/* the messages of the run, on the terminal */
static void print_said(const ViewRun *run, Log *log)
{
    if (log->json)
        fwrite(run->said, 1, run->nsaid, stdout);
}

static bool on_tick(void *user, ViewRun *run)
{
    (void)user;
    (void)run;
    return !run_interrupted;
}

/* Ctrl-C, and the run does not answer */
static ExitCode end_in_place(void *user)
{
    log_error(user, "interrupted in a step that takes long\nno page was written");
    return EXIT_INTERRUPTED;
}

/* runs once, and writes the page */
static ExitCode save_model(const ViewOptions *o, Log *log)
{
    run_catch_signals(end_in_place, log);
    ViewModel model = {0};
    ViewRun *run = view_run(&model, &o->run, o->lanes, o->real_time, log, on_tick, NULL);
    view_model_drop(&model);
    run_end_signals();
    if (!run) {
        log_error(log, "out of memory");
        return EXIT_SIMULATION;
    }
    print_said(run, log);
    ExitCode code = run->code;
    if (run_interrupted) {
        log_error(log, "interrupted at t = %g s\nno page was written", run->statistics.t);
        code = EXIT_INTERRUPTED;
    } else if (code != EXIT_DONE) {
        log_error(log,
                  "the run failed at t = %g s: no page was written\n'lieder simulate' says why",
                  run->statistics.t);
    } else {
        code = view_save(o, log, run);
    }
    view_run_drop(run);
    return code;
}

static bool is_result(const char *file)
{
    return text_ends(file, ".csv") || text_ends(file, ".mat") || text_ends(file, ".h5");
}

static ExitCode view_model(const ViewOptions *o, Log *log)
{
    ExitCode code = try_model(o, log);
    if (code != EXIT_DONE)
        return code;
    return o->save ? save_model(o, log) : view_serve(o, log, NULL, 0);
}

/* the files of results, in the order of the command line: the first is the run of the page */
static ExitCode read_results(const ViewOptions *o, Log *log, const char *const *paths, size_t n,
                             ViewRun **runs, size_t *nrun)
{
    ExitCode code = EXIT_DONE;
    for (size_t i = 0; i < n && code == EXIT_DONE; i++) {
        if (!is_result(paths[i])) {
            log_error(log,
                      "%s is no result\nseveral results are shown over each other, or one model "
                      "by itself; --model names that of results",
                      paths[i]);
            code = EXIT_USAGE;
        } else if ((runs[*nrun] = view_read(o, log, paths[i], &code))) {
            ++*nrun;
        }
    }
    return code;
}

/* shows files of results over each other, or saves the page of one */
static ExitCode view_result(ViewOptions *o, Log *log)
{
    const char *paths[VIEW_MAX_RESULTS] = {o->run.source.file};
    ViewRun *runs[VIEW_MAX_RESULTS];
    size_t n = o->run.source.before.n + 1, nrun = 0;
    if (n > VIEW_MAX_RESULTS || (o->save && n > 1)) {
        log_error(log,
                  o->save ? "--save writes one run: name one result"
                          : "at most %d results are shown over each other",
                  VIEW_MAX_RESULTS);
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < n; i++)
        paths[i] = i + 1 < n ? o->run.source.before.items[i] : o->run.source.file;
    o->run.source.before.n = 0; /* these are no texts that the model needs */
    o->result = paths[0];
    ExitCode code = read_results(o, log, paths, n, runs, &nrun);
    if (code == EXIT_DONE && !o->save) {
        code = view_serve(o, log, runs, nrun);
        nrun = 0;
    } else if (code == EXIT_DONE) {
        code = view_save(o, log, runs[0]);
    }
    for (size_t i = 0; i < nrun; i++)
        view_run_drop(runs[i]);
    return code;
}

/* --lanes, before anything is run */
static bool check_lanes(const char *text, Log *log)
{
    Lanes l = {0};
    bool good = !text || lanes_read(&l, text);
    vec_drop(HEAP, &l);
    if (!good)
        log_error(log,
                  "%s is no choice of lanes\nwrite numbers from 1 on and ranges, as in 1:100 or "
                  "3,7,20:30",
                  text);
    return good;
}

/* a model or a result: checks what goes together and shows it */
static ExitCode view(ViewOptions *o, Log *log)
{
    if (!page_is_there()) {
        log_error(log, "this program was built without the viewer, since npm could not be reached\n"
                       "'make build' on a machine with a network adds it");
        return EXIT_USAGE;
    }
    o->save = o->run.output;
    const char *file = o->run.source.file;
    const PathOfCommand paths[] = {{"the page", o->save, true},
                                   {"the model or result", file, false}};
    if (!paths_check(log, paths, 2) || !check_lanes(o->lanes, log))
        return EXIT_USAGE;
    if (!file || !is_result(file))
        return view_model(o, log);
    if (o->lanes) {
        log_error(log, "--lanes is for a model: a file of results has what was recorded");
        return EXIT_USAGE;
    }
    return view_result(o, log);
}

ExitCode view_live(const RunSettings *settings, bool real_time, Log *log)
{
    ViewOptions o = {.run = *settings, .real_time = real_time};
    o.run.output = NULL;
    return view(&o, log);
}

/* options that what is shown has no use for */
static bool check_used(const Arguments *a, const ViewOptions *o)
{
    static const int page[] = {OPT_PORT, OPT_NO_OPEN, OPT_KEEP, OPT_REAL_TIME, -1},
                     runs[] = {RUN_START,     RUN_STOP,     RUN_SOLVER,  RUN_STEP,
                               RUN_TOLERANCE, RUN_CHATTER,  RUN_CLOCKS,  RUN_INTERVAL,
                               RUN_INTERVALS, RUN_OVERRIDE, RUN_COMPILE, RUN_THREADS,
                               OPT_REAL_TIME, RUN_RECORD,   -1},
                     saved[] = {RUN_START,   RUN_STOP,      RUN_SOLVER,
                                RUN_STEP,    RUN_TOLERANCE, RUN_CHATTER,
                                RUN_CLOCKS,  RUN_INTERVAL,  RUN_INTERVALS,
                                RUN_COMPILE, RUN_THREADS,   RUN_RECORD,
                                -1};
    const char *file = o->run.source.file;
    if (o->run.output && !arguments_refuse(a, page, "with --save, which writes the page and ends"))
        return false;
    if (!file || !is_result(file))
        return true;
    if (o->run.source.model)
        return !o->run.output ||
               arguments_refuse(a, saved, "with a file of results that is saved: nobody runs it");
    return arguments_refuse(a, runs, "with a file of results, which nobody runs without --model");
}

/* lieder view */
static ExitCode view_command(const Command *command, int argc, char **argv)
{
    Log log = log_open();
    Arguments a = arguments_read(command, &log, argc, argv);
    ViewOptions o = {.run = run_settings()};
    a.source = &o.run.source;
    ExitCode code;
    if (arguments_all(&a, read_option, &o, &code))
        code = !run_check_settings(&o.run, &log) || !check_used(&a, &o) ? EXIT_USAGE
               : o.run.source.file || o.run.source.model                ? view(&o, &log)
                                                         : arguments_missing(&a, "FILE");
    model_source_drop(&o.run.source);
    return code;
}

const Command command_view = {
    .name = "view",
    .operands = "FILE...",
    .text = "Show a model or a result in the browser",
    .description =
        "FILE is a model, which is simulated, or a .csv, .mat or .h5 file of results, whose model "
        "--model "
        "names\nif the mechanism is to be shown; several results are shown over each other. Prints "
        "the address of a page on this machine: the "
        "mechanism\nmoves beside its curves, and parameters are sliders. Nobody without the "
        "address "
        "can see it, and it\nends when the page is closed. --save writes the page and one run as a "
        "file to keep or to mail.",
    .examples = "  lieder view crane.mo\n"
                "  lieder view crane.csv --model crane.mo\n"
                "  lieder view monday.csv tuesday.csv\n"
                "  lieder view fleet.mo --lanes 1:100\n"
                "  lieder view crane.mo --save crane.html\n",
    .options = options,
    .run = view_command};
