/* run.c - what commands that run models share: their options, the columns, the values of a row. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

/* ------------------------------------------------------------------ options */

static bool read_compile(Arguments *a, const char *text, LiederCompile *compile)
{
    if (lieder_compile_find(text, compile))
        return true;
    log_error(a->log, "--compile cannot be \"%s\"\nthere are %s", text, lieder_compile_names());
    return false;
}

RunWishes run_wishes(void)
{
    return (RunWishes){.compile = LIEDER_COMPILE_AUTO,
                       .start = NAN,
                       .stop = NAN,
                       .step = NAN,
                       .tolerance = NAN,
                       .interval = NAN};
}

bool run_read_option(Arguments *a, int option, const char *value, RunWishes *w)
{
    const char *name = option >= 0 ? a->command->options[option].name : "";
    switch (option) {
    case ARGUMENT_OPERAND:
        return arguments_operand(a, value, &w->file);
    case RUN_MODEL:
        w->model = value;
        return true;
    case RUN_START:
        return arguments_number(a, name, value, &w->start);
    case RUN_STOP:
        return arguments_number(a, name, value, &w->stop);
    case RUN_SOLVER:
        return arguments_solver(a, value, &w->solver);
    case RUN_STEP:
        return arguments_positive(a, name, value, &w->step);
    case RUN_TOLERANCE:
        if (!arguments_positive(a, name, value, &w->tolerance))
            return false;
        if (w->tolerance < 1)
            return true;
        log_error(a->log, "--tolerance must be less than one, not %s\n1e-6 for example", value);
        return false;
    case RUN_CHATTER:
        w->chatter_given = lieder_chatter_find(value, &w->chatter);
        if (!w->chatter_given)
            log_error(a->log, "--chatter cannot be \"%s\"\nthere are %s", value,
                      lieder_chatter_names());
        return w->chatter_given;
    case RUN_INTERVAL:
        return arguments_positive(a, name, value, &w->interval);
    case RUN_INTERVALS:
        return arguments_count(a, name, value, &w->intervals);
    case RUN_OVERRIDE:
        return arguments_override(a, value, &w->overrides);
    case RUN_OUTPUT:
        w->output = value;
        return true;
    case RUN_RECORD:
        w->record = value;
        return true;
    case RUN_THREADS:
        if (!arguments_count(a, name, value, &w->threads))
            return false;
        if (w->threads <= 1024)
            return true;
        log_error(a->log, "--threads goes up to 1024");
        return false;
    case RUN_COMPILE:
        return read_compile(a, value, &w->compile);
    default:
        return false;
    }
}

bool run_check_wishes(const RunWishes *w, Log *log)
{
    if (isnan(w->interval) || !w->intervals)
        return true;
    log_error(log, "--interval and --intervals say the same thing twice\ngive one of them");
    return false;
}

void run_set_solver(LiederSimulateOptions *o, LiederSolver solver, double step,
                    const FrontExperiment *e)
{
    bool named = solver != LIEDER_SOLVER_AUTO;
    o->solver = named ? solver : e->solver;
    o->step = !isnan(step) ? step : !named && !isnan(e->step) ? e->step : 0;
}

LiederSimulateOptions run_options(const RunWishes *w, const FrontExperiment *e)
{
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.start = !isnan(w->start) ? w->start : !isnan(e->start) ? e->start : 0;
    o.stop = !isnan(w->stop) ? w->stop : !isnan(e->stop) ? e->stop : o.start + 1;
    if (!isnan(w->tolerance) || e->tolerance > 0)
        o.tolerance = !isnan(w->tolerance) ? w->tolerance : e->tolerance;
    run_set_solver(&o, w->solver, w->step, e);
    o.chatter = w->chatter_given ? w->chatter : e->chatter;
    o.compile = w->compile;
    /* zero: 500 intervals, or as many as steps divide */
    o.interval = !isnan(w->interval) ? w->interval
                 : w->intervals      ? (o.stop - o.start) / (double)w->intervals
                 : e->interval > 0   ? e->interval
                                     : 0;
    return o;
}

bool run_check_times(const LiederSimulateOptions *o, Log *log)
{
    if (!(o->stop < o->start))
        return true;
    log_error(log, "the stop time %g s is before the start time %g s\ngive another --stop-time",
              o->stop, o->start);
    return false;
}

const char *run_outcome(ExitCode code)
{
    return code == EXIT_DONE ? "done" : code == EXIT_INTERRUPTED ? "interrupted" : "failed";
}

/* ------------------------------------------------------------------ columns */

ExitCode run_select(const RunWishes *w, Log *log, LiederSystem *system, const Front *front,
                    Selection *selection)
{
    if (w->record)
        return select_or_say(selection, log, system, front, w->record);
    if (!select_default(selection, system))
        log_note(log,
                 "the model has %zu states: they are not recorded unless you name them\n"
                 "as in --record '.*\\[1\\]\\..*'; 'lieder show --record REGEX' tries an "
                 "expression",
                 lieder_system_state_count(system));
    return selection->failed ? EXIT_SIMULATION : EXIT_DONE;
}

/* ------------------------------------------------------------------ values */

/* "cart.s" of the third member: "member[3].cart.s"; der(cart.s): der(member[3].cart.s) */
static const char *path_of_member(const char *path, size_t member, char *buffer, size_t size)
{
    int der = strncmp(path, "der(", 4) == 0 ? 4 : 0;
    int n = snprintf(buffer, size, "%.*smember[%zu].%s", der, path, member + 1, path + der);
    return n > 0 && (size_t)n < size ? buffer : NULL;
}

/* the handle of a column in the system at hand, which may be another one than that of the selection
 */
static bool watch_find(LiederSystem *system, const Selection *selection, const Selected *s,
                       size_t nmember, size_t member, LiederHandle *handle)
{
    char path[1100];
    if (nmember)
        return path_of_member(s->name, member, path, sizeof path) &&
               lieder_handle_search(system, NULL, path, handle);
    if (selection->system != system)
        return lieder_handle_search(system, NULL, s->name, handle);
    *handle = s->handle;
    return true;
}

/* constants are found once, the rest goes to the observer */
static void watch_add(Watch *w, LiederSystem *system, bool constant, const LiederHandle *handle,
                      size_t place)
{
    if (constant && lieder_handle_get(system, handle, &w->values[place]) == LIEDER_DONE)
        return;
    ptrdiff_t at = constant ? -1 : lieder_observer_watch(w->observer, handle);
    if (at >= 0) {
        w->index[at] = place;
        return;
    }
    w->values[place] = NAN;
    w->nmissing++;
}

bool watch_open(Watch *w, LiederSystem *system, const Selection *selection, size_t nmember)
{
    size_t ncolumn = selection->list.n, n = ncolumn * (nmember ? nmember : 1) + 1;
    *w = (Watch){.observer = lieder_observer_create(system),
                 .values = calloc(n, sizeof *w->values),
                 .observed = calloc(n, sizeof *w->observed),
                 .index = calloc(n, sizeof *w->index)};
    if (!w->observer || !w->values || !w->observed || !w->index)
        return false;
    for (size_t place = 0; place + 1 < n; place++) {
        const Selected *s = &selection->list.items[place % ncolumn];
        LiederHandle handle;
        if (s->own) {
            w->values[place] = s->value;
        } else if (watch_find(system, selection, s, nmember, place / ncolumn, &handle)) {
            watch_add(w, system, s->constant, &handle, place);
        } else {
            w->values[place] = NAN;
            w->nmissing++;
        }
    }
    return true;
}

LiederStatus watch_row(Watch *w, double t, const double *x)
{
    LiederStatus status = lieder_observer_evaluate(w->observer, t, x, w->observed);
    if (status < 0)
        return status;
    for (size_t i = 0; i < lieder_observer_count(w->observer); i++)
        w->values[w->index[i]] = w->observed[i];
    return LIEDER_DONE;
}

void watch_close(Watch *w)
{
    lieder_observer_destroy(w->observer);
    free(w->values);
    free(w->observed);
    free(w->index);
    *w = (Watch){0};
}

/* ------------------------------------------------------------------ Ctrl-C */

volatile sig_atomic_t run_interrupted;

/* Runs ask for this between steps, which takes no second unless the model is huge: then at least it
 * is said that the signal has come. */
static void on_signal(int number)
{
    run_interrupted = number;
    alarm(1);
}

static void on_alarm(int number)
{
    static const char text[] =
        "lieder: interrupted: the step that is under way has to end; once more "
        "ends the program at once\n";
    (void)number;
    int error = errno;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) {
        // nobody to tell
    }
    errno = error;
}

void run_end_signals(void)
{
    alarm(0);
}

static bool ask_interrupted(void *user)
{
    (void)user;
    return run_interrupted;
}

RecordOptions run_record_options(void)
{
    RecordOptions o = record_defaults();
    o.interrupted = ask_interrupted;
    return o;
}

void run_catch_signals(void)
{
    static const int stopping[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND}, before;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof stopping / sizeof *stopping; i++)
        if (sigaction(stopping[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(stopping[i], &action, NULL); /* nohup goes on ignoring */
    action = (struct sigaction){.sa_handler = on_alarm};
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    /* nobody reads what is said any more: no reason to lose the run */
    signal(SIGPIPE, SIG_IGN);
}
