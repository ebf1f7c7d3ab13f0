/* run.c - what commands that run models share: their options, the columns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* ------------------------------------------------------------------ options */

bool run_read_when(Arguments *a, const char *option, const char *text, LiederCompile *when)
{
    if (lieder_compile_find(text, when))
        return true;
    log_error(a->log, "--%s cannot be \"%s\"\nthere are %s", option, text, lieder_compile_names());
    return false;
}

RunSettings run_settings(void)
{
    return (RunSettings){.compile = LIEDER_COMPILE_AUTO,
                         .start = NAN,
                         .stop = NAN,
                         .step = NAN,
                         .tolerance = NAN,
                         .interval = NAN};
}

bool run_read_option(Arguments *a, int option, const char *value, RunSettings *w)
{
    const char *name = option >= 0 ? a->command->options[option].name : "";
    switch (option) {
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
    case RUN_CLOCKS:
        if (lieder_clocks_find(value, &w->clocks))
            return true;
        log_error(a->log, "--clocks cannot be \"%s\"\nthere are %s", value, lieder_clocks_names());
        return false;
    case RUN_INTERVAL:
        return arguments_positive(a, name, value, &w->interval);
    case RUN_INTERVALS:
        return arguments_count(a, name, value, &w->intervals);
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
        return run_read_when(a, name, value, &w->compile);
    default:
        return false;
    }
}

bool run_check_settings(const RunSettings *w, Log *log)
{
    if (isnan(w->interval) || !w->intervals)
        return true;
    log_error(log, "--interval and --intervals say the same thing twice\ngive one of them");
    return false;
}

bool run_check_adaptive(const RunSettings *w, const LiederSimulateOptions *o, Log *log)
{
    LiederSolver solver = o->solver != LIEDER_SOLVER_AUTO ? o->solver
                          : o->step > 0                   ? LIEDER_RK4
                                                          : LIEDER_BDF;
    const char *unused = !isnan(w->tolerance) ? "tolerance" : w->chatter_given ? "chatter" : NULL;
    if (lieder_solver_info(solver)->adaptive || !unused)
        return true;
    log_error(log,
              "--%s is for solvers that choose their steps: %s takes fixed ones\n"
              "leave it out, or name another --solver; with that --step is the longest step",
              unused, lieder_solver_name(solver));
    return false;
}

void run_set_solver(LiederSimulateOptions *o, LiederSolver solver, double step,
                    const FrontExperiment *e)
{
    bool named = solver != LIEDER_SOLVER_AUTO;
    o->solver = named ? solver : e->solver;
    o->step = !isnan(step) ? step : !named && !isnan(e->step) ? e->step : 0;
}

LiederSimulateOptions run_options(const RunSettings *w, const FrontExperiment *e)
{
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.start = !isnan(w->start) ? w->start : !isnan(e->start) ? e->start : 0;
    o.stop = !isnan(w->stop) ? w->stop : !isnan(e->stop) ? e->stop : o.start + 1;
    if (!isnan(w->tolerance) || e->tolerance > 0)
        o.tolerance = !isnan(w->tolerance) ? w->tolerance : e->tolerance;
    run_set_solver(&o, w->solver, w->step, e);
    o.chatter = w->chatter_given ? w->chatter : e->chatter;
    o.clocks = w->clocks;
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

bool run_quote(const char *text, char *buffer, size_t size)
{
    size_t n = 0;
    for (; *text && n + 3 < size; text++) {
        if (strchr(".[]()*+?{}|^$\\", *text))
            buffer[n++] = '\\';
        buffer[n++] = *text;
    }
    buffer[n] = '\0';
    return !*text;
}

/* brackets are part of names and of expressions: was the name itself meant? */
static bool meant_literally(LiederSystem *system, const char *regex, char *quoted, size_t size)
{
    char message[128];
    Pattern *pattern =
        run_quote(regex, quoted, size) ? pattern_create(quoted, message, sizeof message) : NULL;
    if (!pattern)
        return false;
    Selection s;
    select_matching(&s, system, pattern);
    bool found = s.list.n > 0;
    selection_drop(&s);
    pattern_destroy(pattern);
    return found;
}

void select_own(Selection *s, const Front *front, Pattern *pattern)
{
    for (size_t i = 0; front && i < front_parameter_count(front); i++) {
        const FrontParameter *p = front_parameter(front, i);
        if (pattern_matches(pattern, p->name))
            selection_add_constant(s, p->name, p->unit, p->text, p->value);
    }
}

ExitCode select_or_say(Selection *s, Log *log, LiederSystem *system, const Front *front,
                       bool energies, const char *regex)
{
    char message[256], quoted[512];
    *s = (Selection){0};
    arena_init(&s->arena, HEAP);
    Pattern *pattern = pattern_create(regex, message, sizeof message);
    if (!pattern) {
        log_error(log, "--record %.300s is no regular expression: %s", regex, message);
        return EXIT_USAGE;
    }
    select_matching(s, system, pattern);
    select_own(s, front, pattern);
    if (energies)
        select_energies(s, system, pattern);
    bool failed = s->failed || pattern_failed(pattern);
    pattern_destroy(pattern);
    if (failed) {
        log_error(log,
                  "out of memory for the variables that --record names (%zu so far), or the "
                  "expression is too complicated\nname fewer of them, or write it more simply",
                  s->list.n);
        return EXIT_SIMULATION;
    }
    if (s->list.n)
        return EXIT_DONE;
    if (meant_literally(system, regex, quoted, sizeof quoted))
        log_error(log,
                  "no variable matches --record %.300s\nbrackets and dots mean "
                  "something in a regular "
                  "expression: did you mean '%s'?",
                  regex, quoted);
    else
        log_error(log,
                  "no variable matches --record %.300s\nit must match whole names, as "
                  "'.*phi' does; 'lieder show "
                  "FILE.mo --record .*' lists all",
                  regex);
    return EXIT_USAGE;
}

ExitCode run_select(const RunSettings *w, Log *log, LiederSystem *system, const Front *front,
                    bool energies, Selection *selection)
{
    if (w->record)
        return select_or_say(selection, log, system, front, energies, w->record);
    SelectDefault few = select_default(selection, system);
    if (few == SELECT_STATES)
        log_note(log,
                 "the model has %zu states: they are recorded without their derivatives\n"
                 "--record REGEX names others",
                 lieder_system_info(system).all_states);
    else if (few == SELECT_SOME)
        log_note(log,
                 "the model has %zu states: %zu variables are recorded, states evenly spaced\n"
                 "--record REGEX names others, as in --record '.*\\[1\\]\\..*'; 'lieder show "
                 "--record REGEX' tries an expression",
                 lieder_system_info(system).all_states, selection->list.n);
    return selection->failed ? EXIT_SIMULATION : EXIT_DONE;
}
