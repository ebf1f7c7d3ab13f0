/* view_run.c - a run that is kept in memory: every variable at every row, and what is drawn.
 *
 * The model is made anew for every run, with the parameters as overrides, exactly as lieder
 * simulate
 * --override does: so a run of the viewer has the bits of a run of the command line, whatever a
 * parameter changes. Its text is read once (ViewModel).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/intern.h"
#include "base/text.h"
#include "cli/view.h"

enum { MAX_VALUES = 100000000 };       /* numbers of a run: 800 MB */
static const double MANY_VALUES = 6e6; /* more than these only if they are asked for ... */
static const double USUAL_ROWS = 500;  /* of a run that does not say */
static const double MIN_ROWS = 50;     /* ... or if there would be fewer rows */

/* ------------------------------------------------------------------ which variables */

/* All variables of a model that is not large; of a fleet those of the lanes that are shown, or of
 * some of them; what --record names in any case. */
static ExitCode choose_columns(ViewRun *r, const RunSettings *w, const char *lanes, Log *log,
                               LiederSystem *system, const Front *front)
{
    RunSettings all = *w;
    size_t numbers;
    r->fleet = lanes_of_system(system, &numbers);
    if (lanes && !lanes_read(&r->lanes, lanes)) {
        log_error(log,
                  "%s is no choice of lanes\nwrite numbers and ranges, as in 1:100 or 3,7,20:30",
                  lanes);
        return EXIT_USAGE;
    }
    lanes_sort(&r->lanes);
    if (w->record || (numbers * r->fleet <= VIEW_MAX_COLUMNS && !lanes)) {
        if (!w->record)
            all.record = ".*";
        return run_select(&all, log, system, front, false, &r->selection);
    }
    Lanes listed = {0};
    size_t most = numbers < VIEW_MAX_COLUMNS ? VIEW_MAX_COLUMNS / numbers : 1;
    bool good = lanes_spread(&listed, lanes ? r->lanes.n : r->fleet, most < 100 ? most : 100);
    for (size_t i = 0; good && lanes && i < listed.n; i++)
        listed.items[i] = r->lanes.items[listed.items[i]];
    char *pattern = good ? lanes_pattern(&listed) : NULL;
    all.record = pattern;
    ExitCode code = EXIT_SIMULATION;
    if (pattern)
        code = run_select(&all, log, system, front, false, &r->selection);
    else
        log_error(log, "out of memory");
    if (code == EXIT_DONE && listed.n < r->fleet)
        log_note(log,
                 "a fleet of %zu: the variables of %zu members are listed\n"
                 "--lanes chooses others, and --record REGEX variables",
                 r->fleet, listed.n);
    free(pattern);
    vec_drop(HEAP, &listed);
    return code;
}

/* a parameter of the model itself that follows from others */
static bool is_final(const Front *front, const char *name)
{
    for (size_t i = 0; front && i < front_parameter_count(front); i++)
        if (strcmp(front_parameter(front, i)->name, name) == 0)
            return front_parameter(front, i)->final;
    return false;
}

void view_describe(ViewRun *r, const LiederSystem *system, const Front *front)
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
        ViewVariable v = {LIEDER_VARIABLE_PARAMETER, -INFINITY, INFINITY,
                          !s->own || !is_final(front, s->name)};
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

/* a pose number of a node: ports that are connected share its column */
typedef struct NodeColumn {
    uint32_t sheet, node, variable;
    size_t lane, column; /* + 1; 0: free */
} NodeColumn;

/* the columns by name, and those of nodes by open addressing */
typedef struct ColumnIndex {
    ViewRun *run;
    LiederSystem *system;
    NamedColumn *sorted;
    size_t n;
    NodeColumn *nodes;
    size_t nnode; /* a power of two */
} ColumnIndex;

/* columns sorted by name, and a table of nodes that begins empty */
static bool index_columns(ColumnIndex *x, ViewRun *r, LiederSystem *system, size_t nparts)
{
    *x = (ColumnIndex){.run = r, .system = system, .n = r->selection.list.n};
    for (x->nnode = 16; x->nnode < 12 * nparts;)
        x->nnode *= 2;
    x->sorted = calloc(x->n + 1, sizeof *x->sorted);
    x->nodes = calloc(x->nnode, sizeof *x->nodes);
    if (!x->nodes)
        return false;
    for (size_t i = 0; x->sorted && i < x->n; i++)
        x->sorted[i] = (NamedColumn){r->selection.list.items[i].name, i};
    if (x->sorted)
        qsort(x->sorted, x->n, sizeof *x->sorted, compare_names);
    return x->sorted;
}

/* the column of a variable of a component, added if there is none yet; VIEW_NO_COLUMN: it has no
 * such variable */
static size_t column_of(ColumnIndex *x, const LiederElement *element, const char *path, bool add)
{
    char name[1024];
    LiederHandle handle;
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

/* where the pose number of a node is, or is to be, in the table */
static NodeColumn *find_node(const ColumnIndex *x, const NodeColumn *key)
{
    size_t h = key->lane * 0x9e3779b97f4a7c15u ^ key->node * 0xc2b2ae3d27d4eb4fu ^
               key->sheet * 0x165667b19e3779f9u ^ key->variable * 0x27d4eb2f165667c5u;
    for (h ^= h >> 29;; h++) {
        NodeColumn *c = &x->nodes[h & (x->nnode - 1)];
        if (!c->column || (c->sheet == key->sheet && c->node == key->node &&
                           c->variable == key->variable && c->lane == key->lane))
            return c;
    }
}

/* the column of a pose number of a port, shared by all ports of its node */
static size_t pose_column(ColumnIndex *x, Mechanism *m, const DrawnPart *from, int port, int number)
{
    char path[300];
    const Symbol *symbol = from->drawn.symbol;
    mechanism_pose_name(from, port, number, path, sizeof path);
    if (*from->path || (symbol->lever && port == 0 && number < 2))
        return column_of(x, &from->element, path, true);
    NodeColumn key = {from->element.sheet, mechanism_node(m, from, symbol->ports[port]),
                      symbol->linear ? 3 : (uint32_t)number, from->element.lane, 0};
    NodeColumn *known = find_node(x, &key);
    if (known->column)
        return known->column - 1;
    size_t column = column_of(x, &from->element, path, true);
    if (column != VIEW_NO_COLUMN) {
        key.column = column + 1;
        *known = key;
    }
    return column;
}

/* "cart" of its "cart.frame_a.x" */
static const char *component_name(ColumnIndex *x, const DrawnPart *from, const char *port,
                                  const char *variable)
{
    char path[300], name[1024];
    LiederHandle handle;
    int n = snprintf(path, sizeof path, "%s%s.%s", from->path, port, variable) -
            (int)strlen(from->path);
    if (!lieder_handle_search(x->system, &from->element, path, &handle))
        return NULL;
    lieder_handle_name(x->system, &handle, name, sizeof name);
    size_t length = strlen(name), tail = (size_t)n + 1;
    return arena_text(&x->run->selection.arena, name, length > tail ? length - tail : length);
}

/* the column of a force at the first port, if it is recorded */
static size_t force_column(ColumnIndex *x, const DrawnPart *from, const char *variable)
{
    char path[300];
    snprintf(path, sizeof path, "%s%s.%s", from->path, from->drawn.symbol->ports[0], variable);
    return column_of(x, &from->element, path, false);
}

/* a shape, which outlives the mechanism */
static const Outline *keep_outline(ViewRun *r, const Outline *from)
{
    Outline *o = from ? arena_zeroed(&r->selection.arena, sizeof *o) : NULL;
    r->failed |= from && !o;
    if (o)
        *o = *from;
    return o;
}

/* a part with the columns of its poses and forces; left out if it has no place */
static void add_part(ColumnIndex *x, Mechanism *m, const DrawnPart *from)
{
    ViewRun *r = x->run;
    const Symbol *symbol = from->drawn.symbol;
    ViewPart p = {.symbol = symbol,
                  .joint = from->joint,
                  .mass = from->mass,
                  .axis = {from->drawn.axis[0], from->drawn.axis[1]},
                  .thread = from->drawn.thread,
                  .hidden = from->drawn.hidden,
                  .lane = r->fleet > 1 ? (ptrdiff_t)from->element.lane : -1,
                  .force = {VIEW_NO_COLUMN, VIEW_NO_COLUMN}};
    for (int i = 0; i < 6; i++)
        p.columns[i] = VIEW_NO_COLUMN;
    for (int k = 0; k < 2 && symbol->ports[k]; k++)
        for (int i = 0; i < (symbol->linear ? 1 : 3); i++)
            p.columns[3 * k + i] = pose_column(x, m, from, k, i);
    if (r->failed || p.columns[0] == VIEW_NO_COLUMN)
        return;
    p.force[0] = force_column(x, from, symbol->linear ? "f_el" : "fx_el");
    if (!symbol->linear)
        p.force[1] = force_column(x, from, "fy_el");
    for (int k = 0; k < 2; k++)
        p.outline[k] = keep_outline(r, from->drawn.outline[k]);
    p.name = component_name(x, from, symbol->ports[0], symbol->linear ? "s" : "x");
    r->failed |= !p.name || !vec_push(HEAP, &r->parts, p);
}

/* the parts of all lanes, or of so many at even distances as the page takes */
static MechanismStatus open_mechanism(ViewRun *r, Mechanism *m, LiederSystem *system, Log *log)
{
    MechanismStatus status =
        mechanism_open(m, system, VIEW_MAX_PARTS, r->lanes.n ? &r->lanes : NULL);
    if (status != MECHANISM_TOO_LARGE)
        return status;
    size_t each = (m->nall + r->fleet - 1) / (r->fleet ? r->fleet : 1);
    size_t all = r->lanes.n ? r->lanes.n : r->fleet, most = each ? VIEW_MAX_PARTS / each : 0;
    if (most < 1 || all < 2) {
        log_note(log, "the model has more than %d parts: they are not drawn", VIEW_MAX_PARTS);
        return status;
    }
    Lanes drawn = {0};
    bool good = lanes_spread(&drawn, all, most);
    for (size_t i = 0; good && r->lanes.n && i < drawn.n; i++)
        drawn.items[i] = r->lanes.items[drawn.items[i]];
    mechanism_close(m);
    status = good ? mechanism_open(m, system, VIEW_MAX_PARTS, &drawn) : MECHANISM_NO_MEMORY;
    log_note(log, "%zu of %zu members are drawn\n--lanes chooses which", drawn.n, r->fleet);
    vec_drop(HEAP, &drawn);
    return status;
}

void view_find_parts(ViewRun *r, LiederSystem *system, Log *log)
{
    Mechanism m;
    ColumnIndex x = {0};
    MechanismStatus status = open_mechanism(r, &m, system, log);
    size_t before = r->selection.list.n;
    r->failed |= status == MECHANISM_NO_MEMORY || !index_columns(&x, r, system, m.parts.n);
    r->planar = m.planar;
    for (size_t i = 0; i < m.parts.n && status == MECHANISM_DONE && !r->failed; i++)
        add_part(&x, &m, &m.parts.items[i]);
    r->nnamed = r->selection.list.n - before > VIEW_MAX_COLUMNS ? before : r->selection.list.n;
    free(x.sorted);
    free(x.nodes);
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

/* keeps a row and the time of an event; false: too long, no memory, or stopped by the page */
static bool on_row(void *user, double t, const double *x, LiederRow kind)
{
    Running *u = user;
    ViewRun *r = u->run;
    size_t n = r->selection.list.n;
    u->observing = watch_row(&u->watch, t, x);
    if (u->observing == LIEDER_NOT_FINITE)
        u->observing = LIEDER_DONE; /* curves have a gap there; the others are worth looking at */
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

/* A fleet has so many columns that rows are what can be spared. */
static void choose_interval(ViewRun *r, const RunSettings *w, LiederSimulateOptions *o, Log *log)
{
    double columns = (double)r->selection.list.n, span = o->stop - o->start;
    double rows = fmax(MANY_VALUES / columns, MIN_ROWS);
    bool given = !isnan(w->interval) || w->intervals;
    double asked = o->interval > 0 ? span / o->interval : USUAL_ROWS;
    if (given || columns * asked <= MANY_VALUES || rows >= asked)
        return;
    o->interval = span / floor(rows);
    log_note(log,
             "%zu numbers a row: a row every %g s only\n--interval asks for others, --lanes for "
             "fewer members",
             r->selection.list.n, o->interval);
}

/* what became of it, in words */
static ExitCode judge_view(const Running *u, Log *log, LiederStatus status)
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

/* settles the options, chooses columns and parts, runs; returns the exit code */
static ExitCode simulate_view(ViewRun *r, const RunSettings *w, const char *lanes, Log *log,
                              Loaded *loaded, Running *u, bool real_time)
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
    ExitCode code = choose_columns(r, w, lanes, log, system, loaded->front);
    if (code == EXIT_DONE) {
        view_find_parts(r, system, log);
        view_describe(r, system, loaded->front);
        choose_interval(r, w, &o, log);
        r->interval = o.interval;
        run_check_step(log, loaded, system, &o);
        if (!watch_open(&u->watch, system, &r->selection, 0))
            r->failed = true;
        LiederStatus status =
            r->failed ? LIEDER_NO_MEMORY : lieder_simulate(system, &o, &r->statistics);
        log_diagnostics(log, loaded->session, loaded->front);
        code = judge_view(u, log, status);
        watch_close(&u->watch);
    }
    lieder_system_destroy(system);
    return code;
}

/* ------------------------------------------------------------------ the model between runs */

/* changes when a file does, or a file comes or goes; of a folder its package.mo counts */
static unsigned long long stamp(unsigned long long hash, const char *path)
{
    struct stat st;
    char inside[4096];
    if (!path || stat(path, &st) != 0)
        return hash;
    if (S_ISDIR(st.st_mode)) {
        snprintf(inside, sizeof inside, "%s/package.mo", path);
        if (stat(inside, &st) != 0)
            return hash;
    }
    const long long facts[] = {st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
                               (long long)st.st_ino};
    return hash_bytes(hash, facts, sizeof facts);
}

void view_model_drop(ViewModel *m)
{
    if (m->open)
        loaded_drop(&m->loaded);
    *m = (ViewModel){0};
}

/* the model with these overrides, its text read if there is need */
static ExitCode make_model(ViewModel *m, const RunSettings *w, Log *log)
{
    unsigned long long files = stamp(HASH_SEED, w->source.file);
    for (size_t i = 0; i < w->source.before.n; i++)
        files = stamp(files, w->source.before.items[i]);
    if (m->open && (m->files != files || m->nrun == VIEW_SESSION_RUNS))
        view_model_drop(m);
    if (m->open) {
        lieder_diagnostic_clear(m->loaded.session);
    } else {
        m->open = true;
        m->files = files;
        ExitCode code = load_source(&m->loaded, log, &w->source);
        if (code != EXIT_DONE)
            return code;
    }
    m->nrun++;
    return load_instance(&m->loaded, log, &w->source.overrides);
}

ViewRun *view_run(ViewModel *m, const RunSettings *w, const char *lanes, bool real_time,
                  const Log *from, ViewTick *tick, void *user)
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
    log.shown = 0;
    r->code = make_model(m, w, &log);
    snprintf(r->title, sizeof r->title, "%s", m->loaded.title);
    Running u = {.run = r, .tick = tick, .user = user};
    if (r->code == EXIT_DONE)
        r->code = simulate_view(r, w, lanes, &log, &m->loaded, &u, real_time);
    r->done = true;
    fclose(log.stream);
    return r;
}

void view_run_drop(ViewRun *r)
{
    if (!r)
        return;
    selection_drop(&r->selection);
    vec_drop(HEAP, &r->variables);
    vec_drop(HEAP, &r->lanes);
    vec_drop(HEAP, &r->members);
    vec_drop(HEAP, &r->parts);
    vec_drop(HEAP, &r->rows);
    vec_drop(HEAP, &r->events);
    free(r->said);
    free(r);
}
