/* simulate.c - lieder simulate FILE: a model over time, its results into a file
 * or a socket. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lieder/variables.h>

#include "analysis/analysis.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/view.h"
#include "cluster/cluster.h"
#include "model/class/session.h"
#include "record/record.h"

/* ------------------------------------------------------------------ options */

enum {
    OPT_REAL_TIME = RUN_OPTIONS,
    OPT_CHECKPOINT,
    OPT_RESUME,
    OPT_ENERGY,
    OPT_TD_CHECK,
    OPT_INITIAL,
    OPT_FMUS_INSIDE
};

static const Option options[] = {
    RUN_OPTION_ROWS,
    [RUN_OUTPUT] =
        {"output", 'o', "FILE",
         "results: .csv, .mat (MATLAB v4, as Dymola and OpenModelica write it), .h5 (HDF5), "
         "tcp://HOST:PORT to connect to a reader or tcp://:PORT for readers to come; "
         "view: shows the run in the browser while it goes on (MODEL_result.csv)"},
    [RUN_THREADS] = {"threads", 0, "N", "threads for the evaluation (1)"},
    [OPT_REAL_TIME] = {"real-time", 0, NULL,
                       "pace the run to the clock on the wall (rk4 in steps of 1e-3 s)"},
    [OPT_CHECKPOINT] = {"checkpoint", 0, "FILE",
                        "write the state here at the end and once a minute, to go on from"},
    [OPT_RESUME] = {"resume", 0, "FILE", "go on from such a file"},
    [OPT_ENERGY] = {"energy", 0, "WHEN",
                    "auto, always or never: who took how much energy, for the summary and for "
                    "energy.kinetic, .potential, .dissipated, .filter and .supplied, which can be "
                    "recorded (auto: if they are recorded, else with adaptive steps and few "
                    "subsystems)"},
    [OPT_TD_CHECK] = {"td-check", 0, NULL,
                      "run once more with half of every T_D and tell what that changes in what is "
                      "recorded"},
    [OPT_INITIAL] = {"initial", 0, "HOW",
                     "steady: begin where the model rests, near its start values; assemble: close "
                     "the loops of a mechanism first, so that elastic elements carry no force"},
    [OPT_FMUS_INSIDE] = {"fmus-inside", 0, NULL,
                         "run FMUs of the model in this process: a little faster, but one that "
                         "crashes takes the run with it"},
    {0}};

typedef struct SimulateSettings {
    RunSettings run;
    const char *checkpoint, *resume, *initial;
    bool real_time, fmus_inside, td_check;
    LiederCompile energy; /* never, auto, always */
} SimulateSettings;

/* reads one option into SimulateSettings; false after reporting an error */
static bool read_option(Arguments *a, int option, const char *value, void *settings)
{
    SimulateSettings *w = settings;
    switch (option) {
    case OPT_REAL_TIME:
        return w->real_time = true;
    case OPT_ENERGY:
        return run_read_when(a, "energy", value, &w->energy);
    case OPT_INITIAL:
        w->initial = value;
        if (strcmp(value, "steady") == 0 || strcmp(value, "assemble") == 0)
            return true;
        log_error(a->log, "--initial cannot be \"%s\"\nthere are steady, assemble", value);
        return false;
    case OPT_TD_CHECK:
        return w->td_check = true;
    case OPT_FMUS_INSIDE:
        return w->fmus_inside = true;
    case OPT_CHECKPOINT:
        w->checkpoint = value;
        return true;
    case OPT_RESUME:
        w->resume = value;
        return true;
    default:
        return run_read_option(a, option, value, &w->run);
    }
}

/* ------------------------------------------------------------------ one run */

static const double CHECKPOINT_SECONDS = 60; /* a long run is saved this often */
static const double REAL_TIME_STEP = 1e-3;   /* what an ordinary clock can pace */

typedef struct SimulateRun {
    Log *log;
    const SimulateSettings *settings;
    Loaded loaded;
    LiederSystem *system;
    Selection selection;
    Watch watch;
    RankRows rows;
    char *output;
    Recorder recorder;
    bool recording;
    LiederSimulateOptions options;
    LiederStatistics statistics;
    Progress progress;
    EnergyReport energy;
    TdCheck td_check;
    double begun; /* time of the first row: that of the checkpoint in a run that goes on */
    double now;   /* as far as it is known to have come */
    LiederStatus observing; /* of the observer */
    char limiting[512];     /* the state that limited the steps, or "" */
    double *x0;             /* of --initial, or NULL */
} SimulateRun;

/* ------------------------------------------------------------------ what and where */

/* options of the run from the command line and the annotation of the model, checked against each
 * other */
static ExitCode set_options(SimulateRun *r)
{
    const SimulateSettings *w = r->settings;
    LiederSimulateOptions *o = &r->options;
    *o = run_options(&w->run, &r->loaded.experiment);
    if (o->step == 0 && w->real_time)
        o->step = REAL_TIME_STEP;
    o->threads = (int)w->run.threads;
    o->real_time = w->real_time;
    o->checkpoint = w->checkpoint;
    o->checkpoint_seconds = CHECKPOINT_SECONDS;
    o->resume = w->resume;
    if ((!w->resume && !run_check_times(o, r->log)) || !run_check_adaptive(&w->run, o, r->log))
        return EXIT_USAGE;
    if (w->resume && !isnan(w->run.start)) {
        log_error(r->log, "--start-time does nothing with --resume: the run goes on at the time of "
                          "the file\nleave it out");
        return EXIT_USAGE;
    }
    if (w->real_time && lieder_solver_info(o->solver)->adaptive) {
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
static ExitCode check_files(const SimulateRun *r)
{
    return paths_try_read(r->log, "checkpoint", r->settings->resume) &&
                   (cluster_rank() > 0 ||
                    paths_try_write(r->log, "checkpoint", r->settings->checkpoint))
               ? EXIT_DONE
               : EXIT_IO;
}

/* a run may write the checkpoint that it goes on from, and nothing else that it reads */
static ExitCode choose_output(SimulateRun *r)
{
    const SimulateSettings *w = r->settings;
    r->output = path_of_results(r->log, w->run.output, r->loaded.title, "_result.csv");
    if (!r->output)
        return EXIT_SIMULATION;
    const PathOfCommand results[] = {{"the result", r->output, true},
                                     {"--checkpoint", w->checkpoint, false},
                                     {"--resume", w->resume, false},
                                     {"the model", w->run.source.file, false}};
    const PathOfCommand checkpoint[] = {{"--checkpoint", w->checkpoint, true},
                                        {"the model", w->run.source.file, false}};
    return paths_check(r->log, results, 4) && paths_check(r->log, checkpoint, 2) &&
                   paths_check_read(r->log, &r->loaded, "the result", r->output) &&
                   paths_check_read(r->log, &r->loaded, "--checkpoint", w->checkpoint)
               ? EXIT_DONE
               : EXIT_USAGE;
}

/* columns, observer and file of results; of several ranks only the first writes */
static ExitCode open_recorder(SimulateRun *r)
{
    size_t n = r->selection.list.n;
    RecordColumn *columns = calloc(n + 1, sizeof *columns);
    if (!columns || !watch_open(&r->watch, r->system, &r->selection, 0) || r->watch.nmissing ||
        (cluster_ranks() && !ranks_open_rows(&r->rows, r->system, &r->selection))) {
        free(columns);
        log_diagnostics(r->log, r->loaded.session, r->loaded.front);
        log_error(r->log, "out of memory for %zu columns", n);
        return EXIT_SIMULATION;
    }
    for (size_t i = 0; i < n; i++) {
        const Selected *s = &r->selection.list.items[i];
        columns[i] = (RecordColumn){s->name, s->unit, s->text, s->constant, s->value};
    }
    if (cluster_ranks()) {
        ranks_join_row(&r->rows, r->watch.values); /* the constants, for now */
        for (size_t i = 0; i < n; i++)
            if (columns[i].constant)
                columns[i].value = r->watch.values[i];
    }
    RecordOptions o = run_record_options();
    if (cluster_ranks() && ranks_write_together(&r->rows, r->output, columns, n))
        o.team = &r->rows.team;
    if (cluster_rank() > 0 && !o.team) {
        free(columns);
        return EXIT_DONE;
    }
    LiederStatus status = record_open(&r->recorder, NULL, r->output, columns, n, &o);
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

/* a variable that no state depends on has left its range */
static void say_not_finite(SimulateRun *r, double t, const double *x)
{
    lieder_observer_explain(r->watch.observer, r->watch.wrong,
                            r->selection.list.items[r->watch.index[r->watch.wrong]].name, t, x);
    log_diagnostics(r->log, r->loaded.session, r->loaded.front);
}

/* a row of results: energies, values, the file, the bar; false: the run has to end */
static bool on_row(void *user, double t, const double *x, LiederRow kind)
{
    SimulateRun *r = user;
    if (r->recorder.nrow == 0)
        r->begun = t;
    r->now = t;
    energy_look(&r->energy, r->system, t, x);
    energy_row(&r->energy);
    r->observing = watch_row(&r->watch, t, x);
    if (r->observing == LIEDER_NOT_FINITE && !cluster_ranks())
        say_not_finite(r, t, x);
    else if (r->observing == LIEDER_NOT_FINITE)
        r->observing = LIEDER_DONE; /* what other ranks have is no number here */
    if (cluster_ranks() && !r->rows.together)
        ranks_join_row(&r->rows, r->watch.values);
    if (cluster_rank() > 0 && !r->rows.together) {
        r->recorder.nrow++; /* as rank 0 has it */
        return r->observing >= 0 && !run_interrupted;
    }
    td_check_keep(&r->td_check, t, r->watch.values, r->selection.list.n, kind);
    if (r->rows.together ? ranks_worst(r->observing < 0) > 0 : r->observing < 0)
        return false;
    run_hold_files();
    LiederStatus written = record_row(&r->recorder, t, r->watch.values);
    run_release_files();
    if (written < 0)
        return false;
    progress_show(&r->progress, t);
    return !run_interrupted;
}

/* ------------------------------------------------------------------ after the run */

/* the sum of the run as one JSON object */
static void print_json(const SimulateRun *r, ExitCode code)
{
    const LiederStatistics *s = &r->statistics;
    const LiederSimulateOptions *o = &r->options;
    json_begin(stdout, "summary");
    json_text(stdout, "model", r->loaded.title);
    json_text(stdout, "status", run_outcome(code));
    json_count(stdout, "exit_code", (size_t)code);
    if (s->solver != LIEDER_SOLVER_AUTO)
        json_text(stdout, "solver", lieder_solver_name(s->solver));
    if (s->why)
        json_text(stdout, "solver_chosen", s->why);
    json_number(stdout, "start", r->begun);
    json_number(stdout, "stop", o->stop);
    json_number(stdout, "time", s->t);
    json_count(stdout, "steps", s->steps);
    json_count(stdout, "lanes", s->lanes);
    json_count(stdout, "most_steps", s->most_steps);
    json_count(stdout, "failed_lanes", s->failed_lanes);
    json_count(stdout, "stiff_lanes", s->stiff_lanes);
    json_count(stdout, "stiff_steps", s->stiff_steps);
    json_count(stdout, "rejected", s->rejected);
    json_count(stdout, "evaluations", s->evaluations);
    json_count(stdout, "jacobians", s->jacobians);
    json_count(stdout, "factorisations", s->factorisations);
    json_count(stdout, "state_events", s->state_events);
    json_count(stdout, "time_events", s->time_events);
    json_number(stdout, "smallest_step", s->smallest_step);
    json_number(stdout, "largest_step", s->largest_step);
    if (*r->limiting)
        json_text(stdout, "limiting_state", r->limiting);
    json_count(stdout, "compiled_shapes", lieder_system_info(r->system).ncompiled);
    json_number(stdout, "seconds", s->seconds);
    json_number(stdout, "real_time_factor",
                s->seconds > 0 ? (s->t - r->begun) / s->seconds : INFINITY);
    if (o->real_time) {
        json_number(stdout, "worst_step_seconds", s->worst_step_seconds);
        json_count(stdout, "overruns", s->overruns);
    }
    json_text(stdout, "output", r->recorder.nrow || code == EXIT_DONE ? r->output : NULL);
    json_count(stdout, "rows", r->recorder.nrow - r->recorder.nlost);
    json_count(stdout, "rows_lost", r->recorder.nlost);
    json_count(stdout, "columns", r->selection.list.n);
    if (cluster_count() > 1) {
        ClusterTraffic traffic = cluster_traffic();
        json_count(stdout, "ranks", (size_t)cluster_count());
        json_count(stdout, "decisions", traffic.decisions);
        json_count(stdout, "messages", traffic.messages);
        json_count(stdout, "message_bytes", traffic.bytes);
    }
    energy_json(&r->energy);
    if (s->checkpoints) {
        json_text(stdout, "checkpoint", o->checkpoint);
        json_number(stdout, "checkpoint_time", s->checkpoint_t);
    }
    json_end(stdout);
}

/* so many adaptive steps have a reason that another solver may not have */
static void print_many_steps(const LiederStatistics *s, const LiederSimulateOptions *o)
{
    enum { MANY = 50000 };
    if (s->steps < MANY)
        return;
    if (s->solver == LIEDER_ESDIRK23 && o->tolerance < 1e-5)
        printf(
            "  many steps   esdirk23 is of order two: two digits more cost ten times the steps;\n"
            "               bdf, rk45 or rodas4 take a part of them\n");
    else if (s->stiff_steps > s->steps / 2)
        printf(
            "  many steps   the model is stiff, and stability decides how long the steps of rk45\n"
            "               are; rodas4 or bdf take a part of them\n");
    else if (s->solver == LIEDER_RODAS4)
        printf(
            "  many steps   rodas4 loses its order where stiff friction sticks; bdf or rk45 may\n"
            "               take a part of them\n");
}

/* the same as lines of text */
static void print_text(const SimulateRun *r)
{
    const LiederStatistics *s = &r->statistics;
    const LiederSimulateOptions *o = &r->options;
    char factor[32];
    printf("%s from %.6g to %.6g s by %s\n", r->loaded.title, r->begun, s->t,
           lieder_solver_name(s->solver));
    if (s->why)
        printf("  chosen       %s: %s\n", lieder_solver_name(s->solver), s->why);
    if (s->lanes)
        printf("  own clocks   %zu lanes, %zu of them ended early; at most %zu steps of one\n",
               s->lanes, s->failed_lanes, s->most_steps);
    if (s->stiff_lanes)
        printf("  stiff        %zu lanes, by rodas4\n", s->stiff_lanes);
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
    bool late = s->state_events && !lieder_solver_info(s->solver)->adaptive;
    printf("\n  events       %zu of states%s, %zu of time\n", s->state_events,
           late ? ", met at the ends of steps" : "", s->time_events);
    if (*r->limiting)
        printf("  limited by   %s\n", r->limiting);
    print_many_steps(s, o);
    energy_print(&r->energy);
    if (cluster_count() > 1)
        printf("  ranks        %d\n", cluster_count());
    if (o->real_time)
        printf("  real time    worst step %.3g ms, %zu overruns\n", 1e3 * s->worst_step_seconds,
               s->overruns);
    LiederSystemInfo info = lieder_system_info(r->system);
    if (info.ncompiled)
        printf("  compiled     %zu of %zu shapes\n", info.ncompiled, info.nshape);
    printf("  wall time    %.4g s", s->seconds);
    if (s->seconds > 0)
        printf(", %s times real time",
               factor_text((s->t - r->begun) / s->seconds, factor, sizeof factor));
    size_t ncolumn = r->selection.list.n;
    printf("\n  results      %s, %zu rows of time and %zu variable%s\n", r->output,
           r->recorder.nrow - r->recorder.nlost, ncolumn, ncolumn == 1 ? "" : "s");
    if (s->checkpoints)
        printf("  checkpoint   %s, of t = %.6g s\n", o->checkpoint, s->checkpoint_t);
    else if (o->checkpoint)
        printf("  checkpoint   none\n");
}

/* after the run: failures, messages and the limiting state of all ranks */
static void join_ranks(SimulateRun *r, LiederStatus status)
{
    if (status == LIEDER_NO_MEMORY) { /* someone may wait for this rank */
        Log log = *r->log;
        log.stream = NULL;
        log_error(&log, "rank %d is out of memory at t = %g s", cluster_rank(), r->statistics.t);
        cluster_abort(EXIT_SIMULATION);
    }
    double worst = ranks_worst(r->observing < 0 ? -(double)r->observing : 0);
    r->observing = (LiederStatus)-worst;
    run_interrupted = ranks_worst(run_interrupted) > 0;
    ranks_join_diagnostics(r->loaded.session, r->log->shown);
    if (r->statistics.limiting_state >= 0)
        lieder_system_state_name(r->system, (size_t)r->statistics.limiting_state, r->limiting,
                                 sizeof r->limiting);
    ranks_find_name(r->limiting, sizeof r->limiting);
}

/* what became of it, in the order of importance: recorder, solver, Ctrl-C */
static ExitCode judge_run(SimulateRun *r, LiederStatus status)
{
    if (cluster_ranks())
        join_ranks(r, status);
    bool ran = status >= 0 && !run_interrupted;
    LiederStatus closing = (ran ? record_close : record_cancel)(&r->recorder);
    const char *message = record_message(&r->recorder);
    log_diagnostics(r->log, r->loaded.session, r->loaded.front);
    if (closing < 0) {
        log_error(r->log, "%s\n%s; the run ended at t = %g s", message, record_kept(&r->recorder),
                  r->statistics.t);
        return EXIT_IO;
    }
    if (*message)
        log_note(r->log, "%s", message);
    if (status == LIEDER_STOPPED && r->observing < 0)
        status = r->observing;
    if (status == LIEDER_STOPPED && run_interrupted) {
        log_error(r->log, "interrupted at t = %g s\n%s%s", r->statistics.t,
                  r->recorder.nrow ? "the results up to there are in " : "there are no results",
                  r->recorder.nrow ? r->output : "");
        return EXIT_INTERRUPTED;
    }
    if (status == LIEDER_STOPPED)
        log_note(r->log, "the model ended the run at t = %g s", r->statistics.t);
    if (status >= 0)
        return EXIT_DONE;
    if (status == LIEDER_BAD_USE && r->recorder.nrow == 0)
        return EXIT_USAGE;
    if (status == LIEDER_IO && r->recorder.nrow == 0)
        return EXIT_IO; /* the state file, which has been reported */
    if (r->recorder.nrow)
        log_error(r->log,
                  "the simulation failed at t = %g s: %s\nthe results up to there are in %s",
                  r->statistics.t, lieder_status_text(status), r->output);
    else
        log_error(r->log, "the simulation failed at t = %g s: %s\nthere are no results",
                  r->statistics.t, lieder_status_text(status));
    return status == LIEDER_IO ? EXIT_IO : EXIT_SIMULATION;
}

/* what follows a run: its exit code, warnings about energy, the sum, the second run of --td-check
 */
static ExitCode finish_run(SimulateRun *r, LiederStatus status)
{
    progress_end(&r->progress);
    if (!cluster_ranks() && r->statistics.limiting_state >= 0)
        lieder_system_state_name(r->system, (size_t)r->statistics.limiting_state, r->limiting,
                                 sizeof r->limiting);
    ExitCode code = judge_run(r, status);
    if (code == EXIT_DONE)
        energy_warn(&r->energy, r->system, r->statistics.solver, &r->loaded, r->log);
    if (r->log->json && !r->log->quiet)
        print_json(r, code);
    else if (!r->log->quiet && (code == EXIT_DONE || r->recorder.nrow))
        print_text(r);
    if (code == EXIT_DONE && r->settings->td_check)
        code = td_check_run(&r->td_check, r->system, &r->selection, &r->watch, r->options,
                            &r->loaded, r->log);
    return code;
}

/* Ctrl-C, and a step that takes longer than one waits: what there is stays, without the step */
static ExitCode end_in_place(void *user)
{
    SimulateRun *r = user;
    const char *checkpoint = r->settings->checkpoint;
    progress_end(&r->progress);
    LiederStatus closed = record_cancel(&r->recorder);
    r->statistics.t = r->now;
    log_error(r->log, "interrupted at t = %g s, in a step that takes long\n%s%s%s%s", r->now,
              closed < 0         ? record_message(&r->recorder)
              : r->recorder.nrow ? "the results up to there are in "
                                 : "there are no results",
              closed >= 0 && r->recorder.nrow ? r->output : "",
              checkpoint ? "; no state of that time is in " : "", checkpoint ? checkpoint : "");
    if (r->log->json && !r->log->quiet)
        print_json(r, EXIT_INTERRUPTED);
    return EXIT_INTERRUPTED;
}

/* Ctrl-C is answered here, too: rows may be far apart */
static bool on_progress(void *user, double t, const LiederStatistics *statistics)
{
    SimulateRun *r = user;
    (void)statistics;
    r->now = t;
    progress_show(&r->progress, t);
    return !run_interrupted;
}

/* where it costs little, and wherever someone asked */
static void choose_energy(SimulateRun *r)
{
    const LiederSimulateOptions *o = &r->options;
    bool fixed =
        o->solver == LIEDER_SOLVER_AUTO ? o->step > 0 : !lieder_solver_info(o->solver)->adaptive;
    bool has = lieder_system_has_energy(r->system) && !cluster_ranks();
    bool cheap = r->settings->energy == LIEDER_COMPILE_AUTO && energy_is_cheap(r->system) &&
                 !o->real_time && !r->loaded.imports.files.n;
    bool asked = r->watch.energies || r->settings->energy == LIEDER_COMPILE_ALWAYS;
    if (!has && r->settings->energy == LIEDER_COMPILE_ALWAYS) {
        diag_warning(&r->loaded.session->diag, NULL, NULL, "--energy always does nothing: %s",
                     cluster_ranks() ? "ranks do not add energies up"
                                     : "no component of the model tells its energy");
        log_diagnostics(r->log, r->loaded.session, r->loaded.front);
    }
    if (has && asked && o->clocks == LIEDER_CLOCKS_AUTO)
        r->options.clocks = LIEDER_CLOCKS_SHARED;
    else if (has && asked && o->clocks == LIEDER_CLOCKS_OWN)
        log_note(r->log,
                 "with clocks of their own lanes do not tell who took energy: "
                 "energy.dissipated, .filter and .supplied are nan\n--clocks shared knows them");
    r->energy.integrated = has && (asked || (cheap && !fixed));
    r->energy.measured = has && (asked || cheap);
    r->options.energy = r->energy.integrated ? &r->energy.now : NULL;
    r->watch.energy = &r->energy.now;
}

/* is it the name of a start value? Without its indices and .start, which `name` loses. */
static bool is_start_value(const LiederSystem *system, char *name)
{
    char *to = name, row[1024];
    for (const char *from = name; *from; from++) {
        if (*from == '[' && strchr(from, ']'))
            from = strchr(from, ']');
        else
            *to++ = *from;
    }
    *to = '\0';
    if (text_ends(name, ".start"))
        to[-6] = '\0';
    for (size_t i = 0; i < lieder_variable_count(system); i++) {
        LiederVariableKind kind = lieder_variable_info(system, i).kind;
        if ((kind == LIEDER_VARIABLE_STATE || kind == LIEDER_VARIABLE_DISCRETE) &&
            strcmp(lieder_variable_name(system, i, row, sizeof row), name) == 0)
            return true;
    }
    return false;
}

/* a run that goes on takes its states from the file: start values that are given would do nothing
 */
static ExitCode check_resumed(const SimulateRun *r)
{
    const Overrides *overrides = &r->settings->run.source.overrides;
    for (size_t i = 0; r->settings->resume && i < overrides->n; i++) {
        char name[1024];
        snprintf(name, sizeof name, "%s", overrides->items[i].name);
        if (is_start_value(r->system, name)) {
            log_error(
                r->log,
                "--override %s does nothing with --resume: the run goes on with the states of "
                "the file\nleave it out; parameters can be set",
                overrides->items[i].name);
            return EXIT_USAGE;
        }
    }
    return EXIT_DONE;
}

/* runs with Ctrl-C caught */
static ExitCode run_model(SimulateRun *r)
{
    choose_energy(r);
    r->progress = progress_begin(r->log, r->loaded.title, r->options.start, r->options.stop);
    r->options.output = on_row;
    r->options.progress = on_progress;
    r->options.user = r;
    r->statistics.t = r->begun = r->now = r->options.start;
    run_catch_signals(cluster_ranks() ? NULL : end_in_place, r);
    LiederStatus status = fmi_simulate(r->system, &r->loaded.imports, &r->options, &r->statistics);
    run_end_signals();
    return finish_run(r, status);
}

/* frees all of it; a file of results that is still open is given up */
static void drop_run(SimulateRun *r)
{
    if (r->recording)
        record_cancel(&r->recorder);
    free(r->output);
    td_check_drop(&r->td_check);
    free(r->x0);
    watch_close(&r->watch);
    ranks_close_rows(&r->rows);
    selection_drop(&r->selection);
    lieder_system_destroy(r->system);
    loaded_drop(&r->loaded);
}

/* where the run begins, if --initial asks for more than start values */
static ExitCode find_initial(SimulateRun *r)
{
    const char *how = r->settings->initial;
    if (!how)
        return EXIT_DONE;
    if (r->settings->resume || cluster_ranks() || r->loaded.imports.files.n) {
        log_error(r->log, "--initial goes without --resume, several ranks and FMUs");
        return EXIT_USAGE;
    }
    r->x0 = calloc(lieder_system_state_count(r->system) + 1, sizeof *r->x0);
    if (!r->x0) {
        log_error(r->log, "out of memory");
        return EXIT_SIMULATION;
    }
    LiederStatus status = lieder_system_start(r->system, r->x0);
    if (status == LIEDER_DONE)
        status = (strcmp(how, "steady") == 0 ? steady_find
                                             : assemble_find)(r->system, r->options.start, r->x0);
    log_diagnostics(r->log, r->loaded.session, r->loaded.front);
    r->options.x0 = r->x0;
    return status == LIEDER_DONE ? EXIT_DONE : EXIT_SIMULATION;
}

/* from options to results, step by step; ranks agree on the exit code after each that may fail on
 * one alone */
static ExitCode simulate(Log *log, const SimulateSettings *w)
{
    SimulateRun r = {.log = log, .settings = w, .td_check = {.wanted = w->td_check}};
    if (w->td_check && (w->real_time || w->resume || cluster_ranks())) {
        log_error(log,
                  "--td-check runs twice from the start: it goes without --real-time, --resume "
                  "and several ranks");
        return EXIT_USAGE;
    }
    ExitCode code = ranks_code(check_files(&r));
    if (code != EXIT_DONE)
        return code;
    code = load_model(&r.loaded, log, &w->run.source);
    r.loaded.imports.in_process = w->fmus_inside;
    if (code == EXIT_DONE)
        code = set_options(&r);
    if (code == EXIT_DONE)
        code = choose_output(&r);
    code = ranks_code(code);
    if (code == EXIT_DONE && !(r.system = load_shared_system(&r.loaded, log)))
        code = EXIT_MODEL;
    if (code == EXIT_DONE)
        code = check_resumed(&r);
    if (code == EXIT_DONE)
        code = find_initial(&r);
    if (code == EXIT_DONE)
        code = run_select(&w->run, log, r.system, r.loaded.front, !cluster_ranks(), &r.selection);
    code = ranks_code(code);
    if (code == EXIT_DONE)
        code = ranks_code(open_recorder(&r));
    if (code == EXIT_DONE) {
        run_check_step(log, &r.loaded, r.system, &r.options);
        code = run_model(&r);
    }
    drop_run(&r);
    return code;
}

/* --output view: shows the run while it goes on, instead of a file */
static ExitCode show_page(Log *log, const SimulateSettings *w)
{
    if (w->checkpoint || w->resume || w->initial || w->td_check || w->fmus_inside ||
        w->energy != LIEDER_COMPILE_AUTO) {
        log_error(log, "--output view: goes without --checkpoint, --resume, --initial, "
                       "--td-check, --energy and --fmus-inside\na run that is "
                       "looked at can be made again with other parameters, and has no end of its "
                       "own");
        return EXIT_USAGE;
    }
    return view_live(&w->run, w->real_time, log);
}

/* lieder simulate */
static ExitCode simulate_command(const Command *command, int argc, char **argv)
{
    Log log = log_open();
    Arguments a = arguments_read(command, &log, argc, argv);
    SimulateSettings w = {.run = run_settings(), .energy = LIEDER_COMPILE_AUTO};
    w.run.source.fmus = true;
    a.source = &w.run.source;
    ExitCode code;
    if (arguments_all(&a, read_option, &w, &code))
        code = !run_check_settings(&w.run, &log) ? EXIT_USAGE
               : w.run.output && strcmp(w.run.output, "view:") == 0 &&
                       (w.run.source.file || w.run.source.model)
                   ? show_page(&log, &w)
               : w.run.source.file || w.run.source.model ? simulate(&log, &w)
                                                         : arguments_missing(&a, "FILE.mo");
    model_source_drop(&w.run.source);
    return code;
}

const Command command_simulate = {
    .name = "simulate",
    .operands = "FILE.mo...",
    .text = "Run a model over time and write its results",
    .description = "FILE.mo is a Modelica file or a folder with package.mo; "
                   "the name of a library model such\n"
                   "as Examples.CraneCrab does as well. Times, tolerance and "
                   "interval come from the experiment\n"
                   "annotation of the model where it has one: else 0 to 1 s in "
                   "500 intervals. Solver and step\n"
                   "come from annotation(__Lieder(solver = \"rk3\", step = 1e-3)) "
                   "where it has that. Ctrl-C ends\n"
                   "the run and keeps the results so far.",
    .examples = "  lieder simulate crane.mo\n"
                "  lieder simulate crane.mo --stop-time 20 --solver rk4 --step "
                "1e-3 -o crane.mat\n"
                "  lieder simulate crane.mo --override cart.m=3 --override "
                "revolute.phi=0.5\n"
                "  lieder simulate fleet.mo --record "
                "'crab\\[7\\]\\.(prismatic|revolute)\\..*'\n"
                "  lieder simulate plant.mo --real-time --output "
                "tcp://localhost:5000\n"
                "  lieder simulate plant.mo --real-time --output view:\n",
    .options = options,
    .run = simulate_command,
    .shared = true};
