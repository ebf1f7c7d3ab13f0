/* view_result.c - a file of results as a run; with its model the mechanism is shown as well.
 *
 * The columns of the file come first. What is drawn needs the poses of ports, which a file seldom
 * has: they are computed from the states of each row, as lieder draw does. A member of a sweep is
 * computed with the parameters that the file says it has.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/view.h"

enum { MAX_FILE_COLUMNS = 100000, MAX_FILE_VALUES = 100000000 };

typedef struct Reading {
    Log *log;
    const ViewOptions *options;
    const char *path;
    ViewRun *run;
    Result result;
    size_t *columns; /* time, then all columns of the file as they are read */
    size_t nfile;    /* without time */
    /* the model, if there is one */
    char *file;
    ModelSource source;
    Loaded loaded;
    size_t nmade; /* models of its session */
    LiederSystem *system;
    LiederObserver *observer;
    size_t nstate;
    size_t *states; /* (nstate) where the states stand among the columns of the file */
    double *x, *poses;
    LiederStatus observing;
    ExitCode changing; /* to another member */
    bool too_long;
} Reading;

static ExitCode no_memory(Log *log)
{
    log_error(log, "out of memory for the results");
    return EXIT_SIMULATION;
}

/* ------------------------------------------------------------------ columns */

/* the columns of the file as variables of the run; time stands apart */
static ExitCode take_columns(Reading *r)
{
    const Result *from = &r->result;
    Selection *to = &r->run->selection;
    size_t n = from->columns.n;
    if (n > MAX_FILE_COLUMNS) {
        log_error(r->log, "%s has %zu columns: the viewer shows up to %d", r->path, n,
                  MAX_FILE_COLUMNS);
        return EXIT_USAGE;
    }
    r->columns = calloc(n + 1, sizeof *r->columns);
    if (!r->columns)
        return no_memory(r->log);
    r->columns[0] = from->time;
    r->run->nvaried = from->time; /* a sweep has what it varies before time */
    for (size_t i = 0; i < n; i++) {
        const ResultColumn *c = &from->columns.items[i];
        if (i == from->time)
            continue;
        r->columns[1 + r->nfile++] = i;
        Selected s = {.name = arena_text(&to->arena, c->name, strlen(c->name)),
                      .unit = c->unit,
                      .text = c->text,
                      .constant = c->constant,
                      .value = c->value};
        if (!s.name || !vec_push(HEAP, &to->list, s))
            return no_memory(r->log);
    }
    return EXIT_DONE;
}

/* ------------------------------------------------------------------ the model */

/* the column of each state, without which motion cannot be shown */
static ExitCode find_states(Reading *r)
{
    char name[1024];
    r->nstate = lieder_system_state_count(r->system);
    r->states = calloc(r->nstate + 1, sizeof *r->states);
    r->x = calloc(r->nstate + 1, sizeof *r->x);
    if (!r->states || !r->x)
        return no_memory(r->log);
    for (size_t i = 0; i < r->nstate; i++) {
        lieder_system_state_name(r->system, i, name, sizeof name);
        ptrdiff_t at = result_find(&r->result, name);
        if (at < 0) {
            log_error(r->log,
                      "%s lacks the state %s of %s\nis it the result of that model? Motion needs "
                      "all states, which simulate records unless --record asks for others",
                      r->path, name, r->loaded.title);
            return EXIT_USAGE;
        }
        size_t k = 0;
        while (r->columns[1 + k] != (size_t)at)
            k++;
        r->states[i] = k;
    }
    return EXIT_DONE;
}

/* the model of a result, its parts, and an observer of their poses */
static ExitCode load_mechanism(Reading *r)
{
    r->source = r->options->run.source;
    r->source.file = r->file = load_file_of(r->log, r->source.model, &r->source.model);
    if (!r->file)
        return EXIT_SIMULATION;
    ExitCode code = load_model(&r->loaded, r->log, &r->source);
    if (code == EXIT_DONE && !(r->system = load_system(&r->loaded, r->log)))
        code = EXIT_MODEL;
    if (code == EXIT_DONE)
        code = find_states(r);
    if (code != EXIT_DONE)
        return code;
    view_find_parts(r->run, r->system, r->log);
    r->observer = lieder_observer_create(r->system);
    const Selection *s = &r->run->selection;
    bool good = r->observer && !r->run->failed;
    for (size_t i = r->nfile; good && i < s->list.n; i++)
        good = lieder_observer_watch(r->observer, &s->list.items[i].handle) >= 0;
    r->poses = calloc(s->list.n - r->nfile + 1, sizeof *r->poses);
    log_diagnostics(r->log, r->loaded.session, r->loaded.front);
    return good && r->poses ? EXIT_DONE : no_memory(r->log);
}

/* the values that a member was run with, over those of the command line; false: no memory */
static bool member_overrides(const Reading *r, const double *values, Overrides *to, Arena *texts)
{
    bool good = true;
    for (size_t i = 0; i < r->source.overrides.n && good; i++)
        good = vec_push(HEAP, to, r->source.overrides.items[i]);
    for (size_t i = 0; i < r->run->nvaried && good; i++) {
        char text[32];
        const char *name = r->run->selection.list.items[i].name;
        snprintf(text, sizeof text, "%.17g", values[1 + i]);
        if (strchr(name, '(')) /* start(x): its first row has it */
            continue;
        FrontOverride o = {.name = name, .value = arena_text(texts, text, strlen(text))};
        good = o.value && vec_push(HEAP, to, o);
    }
    return good;
}

/* a session keeps the models that it made: after some it begins anew */
static ExitCode begin_session(Reading *r)
{
    r->log->shown = 0;
    if (++r->nmade % VIEW_SESSION_RUNS) {
        lieder_diagnostic_clear(r->loaded.session);
        return EXIT_DONE;
    }
    loaded_drop(&r->loaded);
    return load_source(&r->loaded, r->log, &r->source);
}

/* the observer of poses for another member; a structure that is another one has other states */
static ExitCode change_member(Reading *r, const double *values)
{
    Overrides overrides = {0};
    Arena texts;
    arena_init(&texts, HEAP);
    lieder_observer_destroy(r->observer);
    lieder_system_destroy(r->system);
    r->observer = NULL;
    r->system = NULL;
    ExitCode code = begin_session(r);
    if (code == EXIT_DONE)
        code = member_overrides(r, values, &overrides, &texts)
                   ? load_instance(&r->loaded, r->log, &overrides)
                   : no_memory(r->log);
    if (code == EXIT_DONE && !(r->system = load_system(&r->loaded, r->log)))
        code = EXIT_MODEL;
    if (code == EXIT_DONE && lieder_system_state_count(r->system) != r->nstate) {
        log_error(r->log,
                  "members of %s have different numbers of states\nleave --model out: their "
                  "curves are shown without the mechanism",
                  r->path);
        code = EXIT_USAGE;
    }
    r->observer = code == EXIT_DONE ? lieder_observer_create(r->system) : NULL;
    const Selection *s = &r->run->selection;
    LiederHandle handle;
    bool good = r->observer;
    for (size_t i = r->nfile; good && i < s->list.n; i++)
        good = lieder_handle_search(r->system, NULL, s->list.items[i].name, &handle) &&
               lieder_observer_watch(r->observer, &handle) >= 0;
    vec_drop(HEAP, &overrides);
    arena_drop(&texts);
    return code == EXIT_DONE && !good ? no_memory(r->log) : code;
}

/* ------------------------------------------------------------------ rows */

/* a row of the file, with the poses of the parts at its states; members of a sweep begin where time
 * goes back */
static bool on_row(void *user, const double *values)
{
    Reading *r = user;
    ViewRun *run = r->run;
    size_t n = run->selection.list.n, width = n + 1, rows = run->rows.n / width;
    double t = values[0], before = rows ? run->rows.items[(rows - 1) * width] : -INFINITY;
    if (isnan(t))
        return true; /* the mark of a member that failed */
    r->too_long = run->rows.n + width > MAX_FILE_VALUES;
    if (r->too_long)
        return false;
    if (rows == 0 || t < before) /* a member of a sweep begins */
        run->failed |= !vec_push(HEAP, &run->members, rows);
    if (r->observer && run->nvaried && (rows == 0 || t < before))
        r->changing = change_member(r, values);
    if (r->changing != EXIT_DONE)
        return false;
    if (t == before && (run->events.n == 0 || run->events.items[run->events.n - 1] < t))
        run->failed |= !vec_push(HEAP, &run->events, t);
    if (r->observer) {
        for (size_t i = 0; i < r->nstate; i++)
            r->x[i] = values[1 + r->states[i]];
        r->observing = lieder_observer_evaluate(r->observer, t, r->x, r->poses);
        if (r->observing < 0)
            return false;
    }
    run->failed |= !vec_reserve(HEAP, &run->rows, run->rows.n + width);
    if (run->failed)
        return false;
    double *to = run->rows.items + run->rows.n;
    memcpy(to, values, (1 + r->nfile) * sizeof *to);
    if (n > r->nfile)
        memcpy(to + 1 + r->nfile, r->poses, (n - r->nfile) * sizeof *to);
    run->rows.n += width;
    return true;
}

/* reads all rows and reports why some are missing */
static ExitCode read_rows(Reading *r)
{
    LiederStatus status = result_read(&r->result, r->columns, r->nfile + 1, on_row, r);
    const char *name = r->path;
    if (r->changing != EXIT_DONE)
        return r->changing;
    if (r->run->failed)
        return no_memory(r->log);
    if (status < 0 || r->observing < 0) {
        if (status < 0)
            log_error(r->log, "%s", r->result.message);
        else
            log_error(r->log, "the model cannot be evaluated at a row of %s", name);
        return status < 0 ? EXIT_IO : EXIT_SIMULATION;
    }
    if (r->too_long) {
        log_error(r->log, "%s has more than %d numbers\nthe viewer keeps no more in memory", name,
                  MAX_FILE_VALUES);
        return EXIT_USAGE;
    }
    if (*r->result.message)
        log_note(r->log, "%s", r->result.message);
    if (r->run->rows.n == 0) {
        log_error(r->log, "%s has no rows", name);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

/* ------------------------------------------------------------------ all of it */

/* frees what reading needed; the run stays */
static void drop_reading(Reading *r)
{
    free(r->columns);
    free(r->states);
    free(r->x);
    free(r->poses);
    free(r->file);
    lieder_observer_destroy(r->observer);
    lieder_system_destroy(r->system);
    if (r->file)
        loaded_drop(&r->loaded);
    result_close(&r->result);
}

ViewRun *view_read(const ViewOptions *o, Log *log, const char *path, ExitCode *code)
{
    Reading r = {.log = log, .options = o, .path = path, .run = calloc(1, sizeof *r.run)};
    if (!r.run) {
        *code = no_memory(log);
        return NULL;
    }
    arena_init(&r.run->selection.arena, HEAP);
    r.run->file = r.run->done = true;
    r.run->has_model = o->run.source.model;
    r.run->fleet = 1;
    const char *slash = strrchr(path, '/');
    snprintf(r.run->title, sizeof r.run->title, "%s", slash ? slash + 1 : path);
    *code = EXIT_DONE;
    if (result_open(&r.result, NULL, path) < 0) {
        log_error(log, "%s", r.result.message);
        *code = EXIT_IO;
    }
    if (*code == EXIT_DONE)
        *code = take_columns(&r);
    if (*code == EXIT_DONE && o->run.source.model)
        *code = load_mechanism(&r);
    if (*code == EXIT_DONE) {
        r.run->nnamed = r.run->selection.list.n;
        view_describe(r.run, NULL, NULL);
        *code = read_rows(&r);
    }
    if (*code == EXIT_DONE) {
        size_t width = r.run->selection.list.n + 1;
        r.run->start = r.run->rows.items[0];
        r.run->stop = r.run->statistics.t = r.run->rows.items[r.run->rows.n - width];
    }
    drop_reading(&r);
    if (*code == EXIT_DONE)
        return r.run;
    view_run_drop(r.run);
    return NULL;
}
