/* eigen.c - lieder eigen FILE: a model near one point of its motion: eigenvalues, who takes part in
 * them, which steps are stable, and A, B, C, D as a file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/eigen.h"
#include "record/matrices.h"

/* ------------------------------------------------------------------ options */

enum {
    OPT_MODEL,
    OPT_AT,
    OPT_SOLVER,
    OPT_STEP,
    OPT_WANTED,
    OPT_OVERRIDE,
    OPT_LOAD,
    OPT_LIBRARY,
    OPT_LIMIT,
    OPT_INPUT,
    OPT_VARIABLE,
    OPT_OUTPUT,
    OPT_ALL,
    OPT_LOG_FORMAT,
    OPT_QUIET
};

static const Option options[] = {
    [OPT_MODEL] = {"model", 0, "NAME", "analyse this model, not the last of the file"},
    [OPT_AT] = {"at", 0, "TIME", "simulate to this time first (the start)"},
    [OPT_SOLVER] = {"solver", 0, "NAME",
                    "is this solver stable with --step or --wanted-step? It also runs the model "
                    "to --at"},
    [OPT_STEP] = {"step", 0, "H", "step in s that is judged"},
    [OPT_WANTED] = {"wanted-step", 0, "H",
                    "find the T_D of the world that makes this step stable (rk4, or --solver)"},
    [OPT_OVERRIDE] = OVERRIDE_OPTION,
    [OPT_INPUT] = {"input", 'u', "PATH",
                   "a parameter or an open signal input as input of the linear model; may be "
                   "repeated"},
    [OPT_VARIABLE] = {"output-variable", 'y', "PATH",
                      "any variable as output of the linear model; may be repeated"},
    [OPT_OUTPUT] = {"output", 'o', "FILE",
                    "write A, B, C, D with names: .mat (MATLAB v4) or .json"},
    [OPT_ALL] = {"all", 'a', NULL, "print every eigenvalue, not only the first 40"},
    [OPT_LOAD] = LOAD_OPTION,
    [OPT_LIBRARY] = LIBRARY_OPTION,
    [OPT_LIMIT] = LIMIT_OPTION,
    [OPT_LOG_FORMAT] = LOG_FORMAT_OPTION,
    [OPT_QUIET] = QUIET_OPTION,
    {0}};

/* reads one option into EigenSettings; false after reporting an error */
static bool read_option(Arguments *a, int option, const char *value, void *settings)
{
    EigenSettings *w = settings;
    const char *name = option >= 0 ? options[option].name : "";
    switch (option) {
    case OPT_AT:
        return arguments_number(a, name, value, &w->at);
    case OPT_SOLVER:
        return arguments_solver(a, value, &w->solver);
    case OPT_STEP:
        return arguments_positive(a, name, value, &w->step);
    case OPT_WANTED:
        return arguments_positive(a, name, value, &w->wanted);
    case OPT_INPUT:
    case OPT_VARIABLE:
        if (vec_push(HEAP, option == OPT_INPUT ? &w->inputs : &w->outputs, value))
            return true;
        log_error(a->log, "out of memory");
        return false;
    case OPT_OUTPUT:
        w->output = value;
        if (matrices_know(value))
            return true;
        log_error(a->log, "matrices go to a .mat or .json file, not to %s", value);
        return false;
    case OPT_ALL:
        return w->all = true;
    default:
        return false;
    }
}

/* what only the options together tell */
static bool check_settings(const EigenSettings *w, Log *log)
{
    const LiederSolverInfo *solver = lieder_solver_info(w->solver);
    if (!isnan(w->wanted) && solver->implicit) {
        log_error(log, "%s is stable whatever T_D is\n--wanted-step is for the explicit solvers",
                  solver->name);
        return false;
    }
    if (w->solver && isnan(w->step) && isnan(w->wanted) && isnan(w->at)) {
        log_error(log, "--solver does nothing without --step, --wanted-step or --at\n"
                       "say which step is judged, or how far it runs");
        return false;
    }
    if (!isnan(w->step) && w->solver && solver->stages == 0) {
        log_error(log, "%s chooses its steps\n'lieder stability' shows the regions of its orders",
                  solver->name);
        return false;
    }
    return true;
}

/* ------------------------------------------------------------------ the point */

/* runs the model up to --at, where it is linearised; reports a run that fails on the way */
static ExitCode find_point(Analysis *a)
{
    const EigenSettings *w = a->settings;
    const FrontExperiment *e = &a->loaded.experiment;
    LiederSimulateOptions o = lieder_simulate_defaults();
    LiederStatistics s;
    o.start = isnan(e->start) ? 0 : e->start;
    if (w->at < o.start) {
        log_error(a->log, "--at %g is before the model starts, at %g s", w->at, o.start);
        return EXIT_USAGE;
    }
    o.stop = isnan(w->at) ? o.start : w->at;
    if (e->tolerance > 0)
        o.tolerance = e->tolerance;
    run_set_solver(&o, w->solver, w->solver != LIEDER_SOLVER_AUTO ? w->step : NAN, e);
    o.chatter = e->chatter;
    LiederStatus status = point_find(&a->point, a->system, &o, &s);
    log_diagnostics(a->log, a->loaded.session, a->loaded.front);
    if (status == LIEDER_STOPPED)
        log_note(a->log, "the model ended the run at t = %g s, before %g s", s.t, w->at);
    if (status >= 0)
        return EXIT_DONE;
    log_error(a->log, "the run to t = %g s failed at t = %g s: %s%s", o.stop, s.t,
              lieder_status_text(status),
              w->solver != LIEDER_SOLVER_AUTO ? "\nwithout --solver the default one goes there"
                                              : "");
    return EXIT_SIMULATION;
}

/* linear maps and eigenvalues of all subsystems at that point */
static ExitCode linearise(Analysis *a)
{
    const EigenSettings *w = a->settings;
    LinearPoint p = {.t = a->point.t,
                     .x = a->point.x,
                     .choices = a->point.held ? a->point.choices : NULL,
                     .memory = a->point.taken ? a->point.memory : NULL,
                     .inputs = w->inputs.items,
                     .ninput = w->inputs.n,
                     .outputs = w->outputs.items,
                     .noutput = w->outputs.n};
    a->linearised = true;
    LiederStatus status = linear_create(&a->linear, a->system, &p);
    if (status == LIEDER_DONE)
        status = spectrum_create(&a->spectrum, &a->linear);
    log_diagnostics(a->log, a->loaded.session, a->loaded.front);
    return status == LIEDER_DONE      ? EXIT_DONE
           : status == LIEDER_BAD_USE ? EXIT_USAGE
                                      : EXIT_SIMULATION;
}

/* ------------------------------------------------------------------ the command */

/* prints eigenvalues and steps, looks for the T_D that was asked for, writes the matrices */
static ExitCode report_eigen(const Analysis *a)
{
    if (!a->log->quiet)
        eigen_print(a);
    ExitCode code = EXIT_DONE;
    if (!a->log->quiet && a->system->nstate > 0) {
        eigen_judge_steps(a);
        if (!isnan(a->settings->wanted))
            code = eigen_search_TD(a);
    }
    if (code == EXIT_DONE && a->settings->output)
        code = eigen_write_matrices(a);
    return code;
}

ExitCode eigen_find(Analysis *a)
{
    const EigenSettings *w = a->settings;
    ExitCode code = load_model(&a->loaded, a->log, &w->source);
    if (code == EXIT_DONE && !paths_check_read(a->log, &a->loaded, "--output", w->output))
        code = EXIT_USAGE;
    if (code == EXIT_DONE && !(a->system = load_system(&a->loaded, a->log)))
        code = EXIT_MODEL;
    if (code == EXIT_DONE)
        code = find_point(a);
    return code == EXIT_DONE ? linearise(a) : code;
}

void eigen_drop(Analysis *a)
{
    spectrum_drop(&a->spectrum);
    if (a->linearised)
        linear_drop(&a->linear);
    point_drop(&a->point);
    lieder_system_destroy(a->system);
    loaded_drop(&a->loaded);
}

/* checks files and options against each other, then does all of it */
static ExitCode analyse_model(Log *log, const EigenSettings *w)
{
    Analysis a = {.log = log, .settings = w, .to = stdout};
    const PathOfCommand paths[] = {{"--output", w->output, true},
                                   {"the model", w->source.file, false}};
    if (!paths_check(log, paths, 2))
        return EXIT_USAGE;
    ExitCode code = eigen_find(&a);
    if (code == EXIT_DONE && !w->output && (w->inputs.n || w->outputs.n)) {
        log_error(log, "-u and -y choose what --output writes, but there is none\nname a file: "
                       "--output drive.mat");
        code = EXIT_USAGE;
    }
    if (code == EXIT_DONE)
        code = report_eigen(&a);
    eigen_drop(&a);
    return code;
}

/* lieder eigen */
static ExitCode eigen_command(const Command *command, int argc, char **argv)
{
    Log log = log_open();
    Arguments a = arguments_read(command, &log, argc, argv);
    EigenSettings w = {.at = NAN, .step = NAN, .wanted = NAN};
    a.source = &w.source;
    ExitCode code;
    if (arguments_all(&a, read_option, &w, &code)) {
        if (!check_settings(&w, &log))
            code = EXIT_USAGE;
        else
            code = w.source.file || w.source.model ? analyse_model(&log, &w)
                                                   : arguments_missing(&a, "FILE.mo");
    }
    model_source_drop(&w.source);
    vec_drop(HEAP, &w.inputs);
    vec_drop(HEAP, &w.outputs);
    return code;
}

const Command command_eigen = {
    .name = "eigen",
    .operands = "FILE.mo...",
    .text = "Linearise a model: eigenvalues, stable steps, A, B, C, D",
    .description =
        "Linearises the model at its start, or at --at, on the side of contacts and switches\n"
        "where it is. Prints the eigenvalues with frequency, damping and the states that take\n"
        "part, the largest stable step of every explicit solver, whether --solver with --step\n"
        "is stable, and the T_D that makes --wanted-step stable. Equal subsystems count once.",
    .examples = "  lieder eigen crane.mo --at 2\n"
                "  lieder eigen clamp.mo --solver rk3 --step 1e-3\n"
                "  lieder eigen clamp.mo --wanted-step 1e-3\n"
                "  lieder eigen drive.mo -u force.f -y load.frame_a.s -o drive.mat\n",
    .options = options,
    .run = eigen_command};
