/* view_run.c - a run that is kept in memory: every variable at every row, and what is drawn.
 *
 * The model is loaded again for every run, with the parameters as overrides, exactly as lieder
 * simulate --override does: so a run of the viewer has the bits of a run of the command line,
 * whatever a parameter changes. For a crane crab that takes a few milliseconds.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/text.h"
#include "cli/view.h"

enum { MAX_VALUES = 100000000 }; /* numbers of a run: 800 MB */

/* ------------------------------------------------------------------ which variables */

/* numbers that the table of variables has */
static size_t count_numbers(const LiederSystem *system)
{
    size_t n = 0, rows = lieder_variable_count(system);
    for (size_t i = 0; i < rows && n <= VIEW_MAX_COLUMNS; i++)
        n += lieder_variable_info(system, i).n;
    return n;
}

/* all variables of a model that is not large; of a large one what --record names, or the states */
static ExitCode choose_columns(ViewRun *r, const RunWishes *w, Log *log, LiederSystem *system,
                               const Front *front)
{
    RunWishes all = *w;
    if (!w->record && count_numbers(system) <= VIEW_MAX_COLUMNS)
        all.record = ".*";
    return run_select(&all, log, system, front, &r->selection);
}

void view_describe(ViewRun *r, const LiederSystem *system)
{
    r->table = HASH_SEED;
    for (size_t i = 0; i < r->selection.list.n; i++) {
        Selected *s = &r->selection.list.items[i];
        /* the session ends before the run is shown */
        s->unit =
            arena_text(&r->selection.arena, s->unit ? s->unit : "", strlen(s->unit ? s->unit : ""));
        s->text =
            arena_text(&r->selection.arena, s->text ? s->text : "", strlen(s->text ? s->text : ""));
        if (!s->unit || !s->text) {
            r->failed = true;
            return;
        }
        ViewVariable v = {LIEDER_VARIABLE_PARAMETER, -INFINITY, INFINITY, true};
        if (!s->own && system) {
            LiederVariableInfo info = lieder_handle_info(system, &s->handle);
            v = (ViewVariable){info.kind, info.min, info.max,
                               info.kind == LIEDER_VARIABLE_PARAMETER ||
                                   info.kind == LIEDER_VARIABLE_STATE};
        }
        r->failed |= !vec_push(HEAP, &r->variables, v);
        r->table = hash_bytes(r->table, s->name, strlen(s->name) + 1);
        r->table = hash_bytes(r->table, s->unit, strlen(s->unit) + 1);
    }
    r->table &= (1ull << 52) - 1; /* goes through a double of JavaScript */
}

/* ------------------------------------------------------------------ parts */

typedef struct NamedColumn {
    const char *name;
    size_t column;
} NamedColumn;

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const NamedColumn *)a)->name, ((const NamedColumn *)b)->name);
}

/* the columns by name */
typedef struct ColumnIndex {
    ViewRun *run;
    LiederSystem *system;
    NamedColumn *sorted;
    size_t n;
} ColumnIndex;

static bool index_columns(ColumnIndex *x, ViewRun *r, LiederSystem *system)
{
    *x = (ColumnIndex){r, system, calloc(r->selection.list.n + 1, sizeof *x->sorted),
                       r->selection.list.n};
    for (size_t i = 0; x->sorted && i < x->n; i++)
        x->sorted[i] = (NamedColumn){r->selection.list.items[i].name, i};
    if (x->sorted)
        qsort(x->sorted, x->n, sizeof *x->sorted, compare_names);
    return x->sorted;
}

/* the column of a variable of a component, added if there is none yet; VIEW_NO_COLUMN: it has no
 * such variable */
static size_t column_of(ColumnIndex *x, const LiederElement *element, const char *port,
                        const char *variable, bool add)
{
    char path[128], name[1024];
    LiederHandle handle;
    snprintf(path, sizeof path, "%s.%s", port, variable);
    if (!lieder_handle_search(x->system, element, path, &handle))
        return VIEW_NO_COLUMN;
    lieder_handle_name(x->system, &handle, name, sizeof name);
    NamedColumn key = {name, 0}, *found = bsearch(&key, x->sorted, x->n, sizeof key, compare_names);
    if (found)
        return found->column;
    if (!add)
        return VIEW_NO_COLUMN;
    Selection *s = &x->run->selection;
    LiederVariableInfo info = lieder_handle_info(x->system, &handle);
    Selected one = {.name = arena_text(&s->arena, name, strlen(name)),
                    .unit = info.unit,
                    .text = info.text,
                    .handle = handle};
    if (!one.name || !vec_push(HEAP, &s->list, one)) {
        x->run->failed = true;
        return VIEW_NO_COLUMN;
    }
    return s->list.n - 1;
}

/* "cart" of "cart.frame_a.x" */
static const char *component_name(ViewRun *r, size_t column, const char *port)
{
    const char *name = r->selection.list.items[column].name;
    char end[128];
    int n = snprintf(end, sizeof end, ".%s.", port);
    const char *at = NULL;
    for (const char *next = strstr(name, end); next; next = strstr(next + n, end))
        at = next;
    return arena_text(&r->selection.arena, name, at ? (size_t)(at - name) : strlen(name));
}

static void add_part(ColumnIndex *x, const DrawnPart *from)
{
    static const char *const pose[] = {"x", "y", "phi"};
    ViewRun *r = x->run;
    const Symbol *symbol = from->drawn.symbol;
    ViewPart p = {.symbol = symbol,
                  .joint = from->joint,
                  .mass = from->mass,
                  .axis = {from->drawn.axis[0], from->drawn.axis[1]},
                  .radius = from->drawn.radius,
                  .thread = from->drawn.thread,
                  .hidden = from->drawn.hidden,
                  .force = {VIEW_NO_COLUMN, VIEW_NO_COLUMN}};
    for (int i = 0; i < 6; i++)
        p.columns[i] = VIEW_NO_COLUMN;
    for (int k = 0; k < 2 && symbol->ports[k]; k++)
        for (int i = 0; i < (symbol->linear ? 1 : 3); i++)
            p.columns[3 * k + i] = column_of(x, &from->element, symbol->ports[k],
                                             symbol->linear ? "s" : pose[i], true);
    if (r->failed || p.columns[0] == VIEW_NO_COLUMN)
        return;
    p.force[0] =
        column_of(x, &from->element, symbol->ports[0], symbol->linear ? "f_el" : "fx_el", false);
    if (!symbol->linear)
        p.force[1] = column_of(x, &from->element, symbol->ports[0], "fy_el", false);
    p.name = component_name(r, p.columns[0], symbol->ports[0]);
    r->failed |= !p.name || !vec_push(HEAP, &r->parts, p);
}

void view_find_parts(ViewRun *r, LiederSystem *system, Log *log)
{
    Mechanism m;
    ColumnIndex x = {0};
    MechanismStatus status = mechanism_open(&m, system, VIEW_MAX_PARTS);
    if (status == MECHANISM_TOO_LARGE)
        log_note(log, "the model has more than %d parts: they are not drawn", VIEW_MAX_PARTS);
    r->failed |= status == MECHANISM_NO_MEMORY || !index_columns(&x, r, system);
    r->planar = m.planar;
    for (size_t i = 0; i < m.parts.n && status == MECHANISM_DONE && !r->failed; i++)
        add_part(&x, &m.parts.items[i]);
    free(x.sorted);
    mechanism_close(&m);
}

/* ------------------------------------------------------------------ the run */

typedef struct Running {
    ViewRun *run;
    Watch watch;
    LiederStatus observing;
    bool too_long;
    ViewTick *tick;
    void *user;
} Running;

static bool on_row(void *user, double t, const double *x, LiederRow kind)
{
    Running *u = user;
    ViewRun *r = u->run;
    size_t n = r->selection.list.n;
    u->observing = watch_row(&u->watch, t, x);
    u->too_long = r->rows.n + n + 1 > MAX_VALUES;
    if (u->observing < 0 || u->too_long)
        return false;
    if (kind == LIEDER_ROW_AFTER_EVENT &&
        (r->events.n == 0 || r->events.items[r->events.n - 1] < t))
        r->failed |= !vec_push(HEAP, &r->events, t);
    r->failed |= !vec_push(HEAP, &r->rows, t) || !vec_reserve(HEAP, &r->rows, r->rows.n + n);
    if (r->failed)
        return false;
    memcpy(r->rows.items + r->rows.n, u->watch.values, n * sizeof(double));
    r->rows.n += n;
    r->statistics.t = t;
    return !u->tick || u->tick(u->user, r);
}

static bool on_progress(void *user, double t, const LiederStatistics *statistics)
{
    Running *u = user;
    (void)t;
    (void)statistics;
    return !u->tick || u->tick(u->user, u->run);
}

/* what became of it, in words */
static ExitCode judge(const Running *u, Log *log, LiederStatus status)
{
    const ViewRun *r = u->run;
    if (r->failed) {
        log_error(log, "out of memory at t = %g s", r->statistics.t);
        return EXIT_SIMULATION;
    }
    if (u->too_long) {
        log_error(log,
                  "the run has more than %d numbers at t = %g s: the viewer keeps no more\n"
                  "a longer --interval, or --record REGEX for fewer variables",
                  MAX_VALUES, r->statistics.t);
        return EXIT_SIMULATION;
    }
    if (status == LIEDER_STOPPED)
        status = u->observing;
    if (status >= 0)
        return EXIT_DONE;
    log_error(log, "the simulation failed at t = %g s: %s\n%s", r->statistics.t,
              lieder_status_text(status),
              view_row_count(r) ? "the results up to there are shown" : "there are no results");
    return EXIT_SIMULATION;
}

static ExitCode simulate(ViewRun *r, const RunWishes *w, Log *log, Loaded *loaded, Running *u,
                         bool real_time)
{
    LiederSimulateOptions o = run_options(w, &loaded->experiment);
    if (o.step == 0 && real_time)
        o.step = 1e-3;
    o.threads = (int)w->threads;
    o.real_time = real_time;
    o.output = on_row;
    o.progress = on_progress;
    o.user = u;
    r->start = o.start;
    r->stop = o.stop;
    r->tolerance = o.tolerance;
    r->interval = o.interval;
    r->step = o.step;
    if (!run_check_times(&o, log))
        return EXIT_USAGE;
    if (real_time && lieder_solver_info(o.solver)->adaptive) {
        log_error(log,
                  "%s chooses its steps and cannot follow the clock\nuse rk4 or euler-backward",
                  lieder_solver_name(o.solver));
        return EXIT_USAGE;
    }
    LiederSystem *system = load_system(loaded, log);
    if (!system)
        return EXIT_MODEL;
    ExitCode code = choose_columns(r, w, log, system, loaded->front);
    if (code == EXIT_DONE) {
        view_find_parts(r, system, log);
        view_describe(r, system);
        run_check_step(log, loaded, system, &o);
        if (!watch_open(&u->watch, system, &r->selection, 0))
            r->failed = true;
        LiederStatus status =
            r->failed ? LIEDER_NO_MEMORY : lieder_simulate(system, &o, &r->statistics);
        log_diagnostics(log, loaded->session, loaded->front);
        code = judge(u, log, status);
        watch_close(&u->watch);
    }
    lieder_system_destroy(system);
    return code;
}

ViewRun *view_run(const RunWishes *w, bool real_time, const Log *from, ViewTick *tick, void *user)
{
    ViewRun *r = calloc(1, sizeof *r);
    Log log = *from;
    log.json = true;
    log.stream = r ? open_memstream(&r->said, &r->nsaid) : NULL;
    if (!log.stream) {
        free(r);
        return NULL;
    }
    arena_init(&r->selection.arena, HEAP);
    Loaded loaded;
    r->code = load_model(&loaded, &log, &w->source, w->file, w->model, w->overrides.items,
                         w->overrides.n);
    snprintf(r->title, sizeof r->title, "%s", loaded.title);
    Running u = {.run = r, .tick = tick, .user = user};
    if (r->code == EXIT_DONE)
        r->code = simulate(r, w, &log, &loaded, &u, real_time);
    r->done = true;
    loaded_drop(&loaded);
    fclose(log.stream);
    return r;
}

void view_run_drop(ViewRun *r)
{
    if (!r)
        return;
    selection_drop(&r->selection);
    vec_drop(HEAP, &r->variables);
    vec_drop(HEAP, &r->parts);
    vec_drop(HEAP, &r->rows);
    vec_drop(HEAP, &r->events);
    free(r->said);
    free(r);
}
