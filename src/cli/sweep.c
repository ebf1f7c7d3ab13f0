/* sweep.c - lieder sweep FILE --vary ...: one model for many parameter values, in one file.
 *
 * Members of the grid are cut into batches, which threads take one after the other, each with a
 * session of its own. Where explicit steps keep lanes apart, a batch is one system: an array of the
 * model with its varied parameters set element by element, so that eight members cost little more
 * than one. Its lanes give the bits of a run alone. Everything else (adaptive steps, events that
 * make rows, sparse systems, parameters that change the structure) runs one member at a time.
 *
 * A batch that fails, while it is made or on its way, is halved until the culprits are alone. Since
 * lanes do not feel each other, the others lose nothing but time.
 *
 * Rows stay in memory until all earlier members are written: the file has the order of the grid
 * whatever the threads do. A batch is small enough for that.
 */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "cli/cli.h"
#include "record/record.h"
#include "solve/solve.h"

#define HEAP (&memory_default)

enum {
    BATCH_MOST = 1024,      /* members of one system */
    BATCH_BYTES = 16 << 20, /* of their rows in memory */
    SESSION_BATCHES = 64,   /* a session keeps the models of its batches: then it begins anew */
    FAILURES_SHOWN = 10,
};
static const char array_class[] = "LiederSweepOfMembers";

/* ------------------------------------------------------------------ options */

enum { OPT_VARY = RUN_OPTIONS, OPT_SUMMARY };

static const Option options[] = {
    RUN_OPTION_ROWS,
    [RUN_OUTPUT] = {"output", 'o', "FILE", "results: a .csv file (MODEL_sweep.csv)"},
    [RUN_THREADS] = {"threads", 0, "N", "batches of members at a time (one for each processor)"},
    [OPT_VARY] = {"vary", 0, "NAME=VALUES",
                  "parameter or start value to vary, and how: LOW:HIGH:N in equal steps, "
                  "LOW:HIGH:log:N in equal ratios, or V1,V2,...; several make a grid, the last one "
                  "varies fastest"},
    [OPT_SUMMARY] = {"summary", 0, NULL,
                     "one row for each member: final value, minimum, maximum and mean over time of "
                     "each variable"},
    {0}};

typedef struct Wishes {
    RunWishes run;
    Grid grid;
    bool summary;
} Wishes;

static bool read_option(Arguments *a, int option, const char *value, void *wishes)
{
    Wishes *w = wishes;
    switch (option) {
    case OPT_VARY:
        return grid_add(&w->grid, a->log, value);
    case OPT_SUMMARY:
        return w->summary = true;
    default:
        return run_read_option(a, option, value, &w->run);
    }
}

/* ------------------------------------------------------------------ a sweep */

/* what became of one member */
typedef struct Member {
    VEC(double) rows; /* time and columns; for a summary final, min, max, integral by column */
    size_t nrow;
    double begun, t; /* time of the first and of the last row */
    bool failed;
    double failed_at;
    char *message;
} Member;

typedef struct MemberBatch {
    size_t first, n;
    Member *members;
    char *warning; /* of the solver */
} MemberBatch;

/* what a thread works with */
typedef struct Workplace {
    Loaded loaded;
    bool open;
    size_t nbatch;
} Workplace;

typedef struct Sweep {
    Log *log;
    const Wishes *wishes;
    const Grid *grid;
    Workplace main; /* finds out about the model */
    size_t typical; /* a member that can be made */
    Selection selection;
    LiederSimulateOptions options;
    bool lanes;
    size_t group, batch; /* members of the same structure in a row; of them, in one batch */
    char output[512];
    Recorder recorder;
    double *row; /* of the file, without time */
    Progress progress;
    /* results */
    size_t ndone, nfailed;
    bool stopped;  /* the file cannot be written */
    char *warning; /* said last */
} Sweep;

/* ------------------------------------------------------------------ from members to systems */

static void workplace_close(Workplace *w)
{
    if (w->open)
        loaded_drop(&w->loaded);
    *w = (Workplace){0};
}

/* the text, and the array of members around the model */
static ExitCode workplace_open(Workplace *w, const Sweep *s, Log *log)
{
    char text[512];
    w->open = true;
    ExitCode code = load_source(&w->loaded, log, s->wishes->run.file, s->wishes->run.model);
    if (code != EXIT_DONE)
        return code;
    snprintf(text, sizeof text, "model %s parameter Integer n; .%s member[n]; end %s;", array_class,
             w->loaded.title, array_class);
    if (front_load_text(w->loaded.front, "sweep", text) == LIEDER_NO_MEMORY)
        return EXIT_SIMULATION;
    return EXIT_DONE;
}

/* Members first, first + stride, ... as one system; NULL: the session's diagnostics say why. */
static LiederSystem *make_system(Workplace *w, const Sweep *s, size_t first, size_t stride,
                                 size_t n)
{
    Settings setting;
    LiederSystem *system = NULL;
    Loaded *l = &w->loaded;
    if (settings_make(&setting, s->grid, &s->wishes->run.overrides, first, stride, n) &&
        front_instantiate(l->front, n > 1 ? array_class : l->title, setting.list.items,
                          setting.list.n, n > 1 ? NULL : &l->experiment, &l->model) >= 0)
        system = lieder_system_create(l->session, l->model, NULL);
    settings_drop(&setting);
    return system;
}

/* the first thing of a severity that went wrong since `from`, as one line, or NULL */
static char *first_diagnostic(const Loaded *l, size_t from, LiederSeverity severity)
{
    char text[1024];
    for (size_t i = from; i < lieder_diagnostic_count(l->session); i++) {
        const LiederDiagnostic *d = lieder_diagnostic_get(l->session, i);
        if (d->severity != severity)
            continue;
        snprintf(text, sizeof text, "%.300s%s%.600s", d->path ? d->path : "", d->path ? ": " : "",
                 d->message ? d->message : "out of memory");
        return strdup(text);
    }
    return NULL;
}

/* ------------------------------------------------------------------ rows of members */

/* a row into what is kept of a member; false: out of memory */
static bool keep_row(Member *m, size_t ncolumn, double t, const double *values)
{
    if (!vec_reserve(HEAP, &m->rows, m->rows.n + ncolumn + 1))
        return false;
    m->rows.items[m->rows.n++] = t;
    memcpy(m->rows.items + m->rows.n, values, ncolumn * sizeof *values);
    m->rows.n += ncolumn;
    return true;
}

enum { FINAL, LEAST, MOST, INTEGRAL, SUMS };

static bool sum_row(Member *m, size_t ncolumn, double t, const double *values)
{
    bool first = m->nrow == 0;
    if (first && !vec_resize(HEAP, &m->rows, SUMS * ncolumn))
        return false;
    for (size_t i = 0; i < ncolumn; i++) {
        double *sum = m->rows.items + SUMS * i, x = values[i];
        sum[INTEGRAL] = first ? 0 : sum[INTEGRAL] + 0.5 * (sum[FINAL] + x) * (t - m->t);
        sum[LEAST] = first ? x : fmin(sum[LEAST], x);
        sum[MOST] = first ? x : fmax(sum[MOST], x);
        sum[FINAL] = x;
    }
    return true;
}

typedef struct Rows { /* of a system */
    const Sweep *sweep;
    MemberBatch *batch;
    Member *members;
    size_t n;
    Watch watch;
    LiederStatus observing;
} Rows;

static bool on_row(void *user, double t, const double *x, LiederRow kind)
{
    Rows *r = user;
    size_t ncolumn = r->sweep->selection.list.n;
    (void)kind;
    r->observing = watch_row(&r->watch, t, x);
    if (r->observing < 0)
        return false;
    for (size_t i = 0; i < r->n; i++) {
        Member *m = &r->members[i];
        if (!(r->sweep->wishes->summary ? sum_row : keep_row)(m, ncolumn, t,
                                                              r->watch.values + i * ncolumn)) {
            r->observing = LIEDER_NO_MEMORY;
            return false;
        }
        if (m->nrow++ == 0)
            m->begun = t;
        m->t = t;
    }
    return !run_interrupted;
}

/* ------------------------------------------------------------------ running a batch */

static void forget_rows(Member *members, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        members[i].rows.n = 0;
        members[i].nrow = 0;
    }
}

static void mark_failed(Member *m, double t, LiederStatus status, const Loaded *l)
{
    m->failed = true;
    m->failed_at = t;
    m->message = first_diagnostic(l, 0, LIEDER_ERROR);
    if (!m->message)
        m->message = strdup(lieder_status_text(status));
}

/* members as one system over time */
static LiederStatus run_system(Rows *r, Workplace *w, LiederSystem *system, LiederStatistics *s)
{
    LiederSimulateOptions o = r->sweep->options;
    size_t before = lieder_diagnostic_count(w->loaded.session);
    bool structural = r->sweep->group < r->sweep->grid->n;
    o.output = on_row;
    o.user = r;
    LiederStatus status = LIEDER_NO_MEMORY;
    if (watch_open(&r->watch, system, &r->sweep->selection, r->n > 1 ? r->n : 0) &&
        (r->watch.nmissing == 0 || structural)) {
        if (r->watch.nmissing) /* that a structure lacks a variable of another is no mistake */
            lieder_diagnostic_clear(w->loaded.session), before = 0;
        status = lieder_simulate(system, &o, s);
        if (status == LIEDER_STOPPED && r->observing < 0)
            status = r->observing;
        if (!r->batch->warning)
            r->batch->warning = first_diagnostic(&w->loaded, before, LIEDER_WARNING);
    }
    watch_close(&r->watch);
    return status;
}

/* members from..from + n - 1 of a batch; halves them if they fail together */
static void run_members(const Sweep *s, Workplace *w, MemberBatch *b, size_t from, size_t n)
{
    Rows r = {.sweep = s, .batch = b, .members = b->members + from, .n = n};
    LiederStatistics statistics = {.t = s->options.start};
    LiederStatus status = LIEDER_BAD_MODEL;
    if (run_interrupted)
        return;
    lieder_diagnostic_clear(w->loaded.session);
    LiederSystem *system = make_system(w, s, b->first + from, 1, n);
    if (system && (n == 1 || simulate_keeps_lanes_apart(system, &s->options)))
        status = run_system(&r, w, system, &statistics);
    lieder_system_destroy(system);
    if (status >= 0)
        return;
    if (n == 1 || status == LIEDER_BAD_USE) {
        for (size_t i = 0; i < n; i++)
            mark_failed(&r.members[i], statistics.t, status, &w->loaded);
        return;
    }
    forget_rows(r.members, n);
    run_members(s, w, b, from, n / 2);
    run_members(s, w, b, from + n / 2, n - n / 2);
}

/* all of it; false: out of memory */
static bool run_batch(const Sweep *s, Workplace *w, MemberBatch *b)
{
    if (w->open && w->nbatch++ >= SESSION_BATCHES)
        workplace_close(w);
    if (!w->open) {
        Log silent = *s->log;
        silent.quiet = true;
        silent.shown = 0;
        if (workplace_open(w, s, &silent) != EXIT_DONE)
            return false;
    }
    b->members = calloc(b->n, sizeof *b->members);
    if (!b->members)
        return false;
    run_members(s, w, b, 0, b->n);
    return true;
}

static void batch_drop(MemberBatch *b)
{
    for (size_t i = 0; i < b->n && b->members; i++) {
        vec_drop(HEAP, &b->members[i].rows);
        free(b->members[i].message);
    }
    free(b->members);
    free(b->warning);
}

/* ------------------------------------------------------------------ writing */

/* "world.TD = 1e-05, cart.m = 2" */
static const char *values_text(const Grid *g, size_t member, char *text, size_t size)
{
    size_t at = 0;
    for (size_t i = 0; i < g->axes.n && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%s = %.6g", i ? ", " : "",
                               g->axes.items[i].name, grid_value(g, member, i));
    return text;
}

static void say_failure(Sweep *s, size_t member, const Member *m)
{
    char text[600];
    const char *message = m->message ? m->message : "out of memory";
    s->nfailed++;
    if (s->log->json) {
        json_begin(stdout, "member");
        json_count(stdout, "member", member + 1);
        json_text(stdout, "values", values_text(s->grid, member, text, sizeof text));
        json_text(stdout, "status", "failed");
        json_number(stdout, "time", m->failed_at);
        json_text(stdout, "message", message);
        json_end(stdout);
        return;
    }
    if (s->nfailed > FAILURES_SHOWN)
        return;
    progress_end(&s->progress);
    if (m->nrow)
        log_error(s->log, "member %zu (%s) failed at t = %g s: %s", member + 1,
                  values_text(s->grid, member, text, sizeof text), m->failed_at, message);
    else
        log_error(s->log, "member %zu (%s) cannot run: %s", member + 1,
                  values_text(s->grid, member, text, sizeof text), message);
}

/* Rows of a member; one that failed ends with a row of nan. */
static LiederStatus write_rows(Sweep *s, const Member *m)
{
    size_t ncolumn = s->selection.list.n, naxis = s->grid->axes.n;
    LiederStatus status = LIEDER_DONE;
    for (size_t i = 0; i < m->nrow && status == LIEDER_DONE; i++) {
        const double *row = m->rows.items + i * (ncolumn + 1);
        memcpy(s->row + naxis, row + 1, ncolumn * sizeof *row);
        status = record_row(&s->recorder, row[0], s->row);
    }
    if (!m->failed || status != LIEDER_DONE)
        return status;
    for (size_t i = 0; i < ncolumn; i++)
        s->row[naxis + i] = NAN;
    return record_row(&s->recorder, m->failed_at, s->row);
}

/* One row of a member: where it ended, whether it failed, and the numbers of its variables. */
static LiederStatus write_summary(Sweep *s, const Member *m)
{
    double *to = s->row + s->grid->axes.n, span = m->t - m->begun;
    *to++ = m->failed;
    for (size_t i = 0; i < s->selection.list.n; i++) {
        const double *sum = m->rows.items + SUMS * i;
        double none[SUMS] = {NAN, NAN, NAN, NAN};
        if (!m->nrow)
            sum = none;
        *to++ = sum[FINAL];
        if (s->selection.list.items[i].constant)
            continue;
        *to++ = sum[LEAST];
        *to++ = sum[MOST];
        *to++ = span > 0 ? sum[INTEGRAL] / span : sum[FINAL];
    }
    return record_row(&s->recorder, m->failed ? m->failed_at : m->t, s->row);
}

static void write_batch(Sweep *s, const MemberBatch *b)
{
    for (size_t i = 0; i < b->n && !s->stopped; i++) {
        const Member *m = &b->members[i];
        for (size_t k = 0; k < s->grid->axes.n; k++)
            s->row[k] = grid_value(s->grid, b->first + i, k);
        s->stopped = (s->wishes->summary ? write_summary : write_rows)(s, m) < 0;
        if (m->failed)
            say_failure(s, b->first + i, m);
        s->ndone++;
    }
    if (b->warning && (!s->warning || strcmp(s->warning, b->warning) != 0)) {
        log_note(s->log, "%s", b->warning);
        free(s->warning);
        s->warning = strdup(b->warning);
    }
    progress_show(&s->progress, (double)s->ndone);
}

/* ------------------------------------------------------------------ what and where */

/* The model as it is for some member that can be made: mostly the first. */
static ExitCode find_typical(Sweep *s, LiederSystem **system)
{
    size_t n = s->grid->n, tries[] = {0, n - 1, n / 2};
    ExitCode code = workplace_open(&s->main, s, s->log);
    for (int i = 0; i < 3 && code == EXIT_DONE && !*system; i++) {
        lieder_diagnostic_clear(s->main.loaded.session);
        *system = make_system(&s->main, s, s->typical = tries[i], 1, 1);
    }
    if (code != EXIT_DONE || *system)
        return code;
    /* what is wrong, in the words of the first */
    lieder_diagnostic_clear(s->main.loaded.session);
    s->log->shown = 0;
    lieder_system_destroy(make_system(&s->main, s, 0, 1, 1));
    log_diagnostics(s->log, s->main.loaded.session, s->main.loaded.front);
    return EXIT_MODEL;
}

/* Can two members that differ in this axis alone be lanes of one system? */
static bool is_structural(Sweep *s, size_t axis, LiederSystemInfo alone)
{
    size_t stride = grid_stride(s->grid, axis), last = s->grid->n - 1;
    const size_t firsts[] = {0, last - stride};
    for (int i = 0; i < 2; i++) {
        LiederSystem *system = make_system(&s->main, s, firsts[i], stride, 2);
        LiederSystemInfo info = system ? lieder_system_info(system) : (LiederSystemInfo){0};
        lieder_system_destroy(system);
        if (system && info.nshape == alone.nshape && info.nlane == 2 * alone.nlane)
            return false;
    }
    return true;
}

static void find_structure(Sweep *s, const LiederSystem *system)
{
    s->group = s->grid->n;
    for (size_t i = 0; i < s->grid->axes.n; i++) {
        Axis *axis = &s->grid->axes.items[i];
        axis->structural = axis->values.n > 1 && is_structural(s, i, lieder_system_info(system));
        if (axis->structural)
            s->group = grid_stride(s->grid, i);
    }
    lieder_diagnostic_clear(s->main.loaded.session);
}

/* is this the first member of its structure? */
static bool begins_structure(const Grid *g, size_t member)
{
    for (size_t i = 0; i < g->axes.n; i++)
        if (!g->axes.items[i].structural && grid_index(g, member, i) != 0)
            return false;
    return true;
}

/* a varied parameter is a column already */
static void drop_varied(Sweep *s)
{
    Selection *list = &s->selection;
    size_t kept = 0;
    for (size_t i = 0; i < list->list.n; i++) {
        bool varied = false;
        for (size_t k = 0; k < s->grid->axes.n && list->list.items[i].constant; k++)
            varied |= strcmp(list->list.items[i].name, s->grid->axes.items[k].name) == 0;
        if (!varied)
            list->list.items[kept++] = list->list.items[i];
    }
    list->list.n = kept;
}

/* adds the columns of a structure, none of them if --record is no expression */
static void join_columns(Sweep *s, LiederSystem *system)
{
    const char *regex = s->wishes->run.record;
    char message[64];
    Pattern *pattern = regex ? pattern_create(regex, message, sizeof message) : NULL;
    if (regex && !pattern)
        return;
    Selection selection;
    if (pattern)
        select_matching(&selection, system, pattern);
    else
        select_default(&selection, system);
    s->selection.failed |= selection.failed || (pattern && pattern_failed(pattern));
    pattern_destroy(pattern);
    selection_join(&s->selection, &selection);
    selection_drop(&selection);
}

/* the columns of all structures that the grid has */
static ExitCode choose_columns(Sweep *s, LiederSystem *system)
{
    const RunWishes *w = &s->wishes->run;
    ExitCode code = EXIT_DONE;
    for (size_t m = 0; m < s->grid->n && s->group < s->grid->n; m += s->group) {
        LiederSystem *other =
            begins_structure(s->grid, m) ? make_system(&s->main, s, m, 1, 1) : NULL;
        if (other)
            join_columns(s, other);
        lieder_system_destroy(other);
    }
    lieder_diagnostic_clear(s->main.loaded.session);
    /* one structure, or nothing found: what there is to say about it is said here */
    if (s->selection.list.n == 0 && !s->selection.failed) {
        selection_drop(&s->selection);
        code = run_select(w, s->log, system, &s->selection);
    }
    drop_varied(s);
    if (code == EXIT_DONE && s->selection.failed) {
        log_error(s->log, "out of memory for the columns");
        code = EXIT_SIMULATION;
    }
    return code;
}

/* as many members as keep their rows within bounds and all threads busy */
static void choose_batch(Sweep *s, size_t threads)
{
    const LiederSimulateOptions *o = &s->options;
    double rows = o->interval > 0 ? (o->stop - o->start) / o->interval + 2 : 502;
    double bytes = 8 * (double)(s->selection.list.n + 1) * (s->wishes->summary ? SUMS : rows);
    size_t n = s->lanes ? (size_t)fmin(BATCH_MOST, BATCH_BYTES / bytes) : 1;
    size_t share = (s->grid->n + threads - 1) / threads;
    if (n > share)
        n = share;
    s->batch = n < 1 ? 1 : n > s->group ? s->group : n;
}

/* ------------------------------------------------------------------ the file */

static bool ends_with_csv(const char *name)
{
    size_t n = strlen(name);
    return n > 4 && strcmp(name + n - 4, ".csv") == 0;
}

typedef struct Columns {
    Arena arena;
    VEC(RecordColumn) list;
    bool failed;
} Columns;

/* a column of the name, or of function(name) */
static void add_column(Columns *c, const char *function, const char *name, const Selected *s)
{
    char text[1200];
    if (function)
        snprintf(text, sizeof text, "%s(%s)", function, name);
    else
        snprintf(text, sizeof text, "%s", name);
    RecordColumn column = {.name = arena_text(&c->arena, text, strlen(text))};
    if (s) {
        column.unit = s->unit;
        column.text = s->text;
    }
    c->failed |= !column.name || !vec_push(HEAP, &c->list, column);
}

/* what is varied, then the variables or the numbers that sum them up */
static void list_columns(const Sweep *s, const LiederSystem *system, Columns *c)
{
    static const char *const functions[] = {"final", "min", "max", "mean"};
    for (size_t i = 0; i < s->grid->axes.n; i++) {
        const char *name = s->grid->axes.items[i].name;
        add_column(c, lieder_system_state_index(system, name) >= 0 ? "start" : NULL, name, NULL);
    }
    if (s->wishes->summary)
        add_column(c, NULL, "failed", NULL);
    for (size_t i = 0; i < s->selection.list.n; i++) {
        const Selected *one = &s->selection.list.items[i];
        for (int k = 0; k < (s->wishes->summary && !one->constant ? SUMS : 1); k++)
            add_column(c, s->wishes->summary && !one->constant ? functions[k] : NULL, one->name,
                       one);
    }
}

static ExitCode open_recorder(Sweep *s, const LiederSystem *system)
{
    Columns c = {0};
    arena_init(&c.arena, HEAP);
    list_columns(s, system, &c);
    RecordOptions o = record_defaults();
    o.leading = s->grid->axes.n;
    s->row = calloc(c.list.n + 1, sizeof *s->row);
    LiederStatus status = LIEDER_NO_MEMORY;
    if (!c.failed && s->row)
        status = record_open(&s->recorder, NULL, s->output, c.list.items, c.list.n, &o);
    if (status < 0)
        log_error(s->log, "%s",
                  c.failed || !s->row ? "out of memory for the columns"
                                      : record_message(&s->recorder));
    vec_drop(HEAP, &c.list);
    arena_drop(&c.arena);
    return status >= 0 ? EXIT_DONE : status == LIEDER_BAD_USE ? EXIT_USAGE : EXIT_IO;
}

/* ------------------------------------------------------------------ all members */

static size_t choose_threads(const Sweep *s)
{
#ifdef _OPENMP
    size_t n = s->wishes->run.threads;
    return n ? n : (size_t)omp_get_num_procs();
#else
    (void)s;
    return 1;
#endif
}

static ExitCode run_all(Sweep *s, size_t threads)
{
    size_t per_group = (s->group + s->batch - 1) / s->batch;
    size_t nbatch = s->grid->n / s->group * per_group;
    bool out_of_memory = false;
    Workplace *places = calloc(threads, sizeof *places);
    if (!places) {
        log_error(s->log, "out of memory");
        return EXIT_SIMULATION;
    }
    run_catch_signals();
#ifdef _OPENMP
#pragma omp parallel for ordered schedule(dynamic, 1) num_threads(threads)
#endif
    for (size_t i = 0; i < nbatch; i++) {
        int thread = 0;
#ifdef _OPENMP
        thread = omp_get_thread_num();
#endif
        size_t in_group = i % per_group * s->batch, left = s->group - in_group;
        MemberBatch b = {.first = i / per_group * s->group + in_group,
                         .n = left < s->batch ? left : s->batch};
        bool skip = s->stopped || run_interrupted, ran = false;
        if (!skip)
            ran = run_batch(s, &places[thread], &b);
#ifdef _OPENMP
#pragma omp ordered
#endif
        {
            /* what an interrupt cut short is not written */
            if (ran && !run_interrupted)
                write_batch(s, &b);
            else if (!skip && !ran)
                out_of_memory = s->stopped = true;
        }
        batch_drop(&b);
    }
    for (size_t i = 0; i < threads; i++)
        workplace_close(&places[i]);
    free(places);
    if (out_of_memory)
        log_error(s->log, "out of memory after %zu of %zu members", s->ndone, s->grid->n);
    return out_of_memory || s->nfailed ? EXIT_SIMULATION : EXIT_DONE;
}

/* ------------------------------------------------------------------ afterwards */

static void print_json(const Sweep *s, ExitCode code, size_t threads, double seconds)
{
    json_begin(stdout, "summary");
    json_text(stdout, "model", s->main.loaded.title);
    json_text(stdout, "status",
              code == EXIT_DONE          ? "done"
              : code == EXIT_INTERRUPTED ? "interrupted"
                                         : "failed");
    json_count(stdout, "exit_code", (size_t)code);
    json_count(stdout, "members", s->grid->n);
    json_count(stdout, "done", s->ndone - s->nfailed);
    json_count(stdout, "failed", s->nfailed);
    json_count(stdout, "lanes", s->batch);
    json_count(stdout, "threads", threads);
    json_number(stdout, "seconds", seconds);
    json_text(stdout, "output", s->output);
    json_count(stdout, "rows", s->recorder.nrow - s->recorder.nlost);
    json_count(stdout, "columns", s->recorder.ncolumn);
    json_end(stdout);
}

static void print_text(const Sweep *s, size_t threads, double seconds)
{
    printf("%s for %zu members from %.6g to %.6g s\n", s->main.loaded.title, s->grid->n,
           s->options.start, s->options.stop);
    for (size_t i = 0; i < s->grid->axes.n; i++) {
        const Axis *axis = &s->grid->axes.items[i];
        printf("  %s         %s, %zu value%s%s\n", i ? "    " : "vary", axis->name, axis->values.n,
               axis->values.n == 1 ? "" : "s", axis->structural ? ", changes the structure" : "");
    }
    if (s->batch > 1)
        printf("  batches      up to %zu members as lanes of one system\n", s->batch);
    else
        printf("  batches      none, each member alone\n");
    if (s->nfailed)
        printf("  failed       %zu member%s\n", s->nfailed, s->nfailed == 1 ? "" : "s");
    printf("  wall time    %.4g s on %zu thread%s\n", seconds, threads, threads == 1 ? "" : "s");
    printf("  results      %s, %zu rows of %zu columns\n", s->output,
           s->recorder.nrow - s->recorder.nlost, s->recorder.ncolumn + 1);
}

static ExitCode finish(Sweep *s, ExitCode code, size_t threads)
{
    double seconds = clock_seconds() - s->progress.begun;
    progress_end(&s->progress);
    if (record_close(&s->recorder) < 0) {
        log_error(s->log, "%s\nthe rows up to there are kept", record_message(&s->recorder));
        code = EXIT_IO;
    } else if (run_interrupted) {
        log_error(s->log, "interrupted after %zu of %zu members\nthey are in %s", s->ndone,
                  s->grid->n, s->output);
        code = EXIT_INTERRUPTED;
    } else if (s->nfailed && !s->log->json) {
        log_error(s->log, "%zu of %zu members failed\n%s", s->nfailed, s->grid->n,
                  s->wishes->summary ? "the column \"failed\" marks them"
                                     : "each ends with a row of nan; the others are whole");
    }
    if (s->log->json && !s->log->quiet)
        print_json(s, code, threads, seconds);
    else if (!s->log->quiet)
        print_text(s, threads, seconds);
    return code;
}

static ExitCode prepare(Sweep *s, size_t threads)
{
    LiederSystem *system = NULL;
    ExitCode code = find_typical(s, &system);
    if (code == EXIT_DONE) {
        s->options = run_options(&s->wishes->run, &s->main.loaded.experiment);
        s->lanes = simulate_keeps_lanes_apart(system, &s->options);
        if (!run_check_times(&s->options, s->log))
            code = EXIT_USAGE;
    }
    if (code == EXIT_DONE) {
        find_structure(s, system);
        code = choose_columns(s, system);
    }
    if (code == EXIT_DONE) {
        choose_batch(s, threads);
        if (s->wishes->run.output)
            snprintf(s->output, sizeof s->output, "%s", s->wishes->run.output);
        else
            snprintf(s->output, sizeof s->output, "%s_sweep.csv", s->main.loaded.title);
        code = open_recorder(s, system);
    }
    lieder_system_destroy(system);
    return code;
}

static ExitCode sweep(Log *log, const Wishes *w)
{
    Sweep s = {.log = log, .wishes = w, .grid = &w->grid};
    arena_init(&s.selection.arena, HEAP);
    size_t threads = choose_threads(&s);
    ExitCode code = prepare(&s, threads);
    if (code == EXIT_DONE) {
        s.progress = progress_begin(log, s.main.loaded.title, 0, (double)w->grid.n);
        s.progress.counts = true;
        code = run_all(&s, threads);
        code = finish(&s, code, threads);
    }
    selection_drop(&s.selection);
    workplace_close(&s.main);
    free(s.row);
    free(s.warning);
    return code;
}

/* what only all options together tell */
static bool check_wishes(const Wishes *w, Log *log)
{
    const RunWishes *run = &w->run;
    if (!run_check_wishes(run, log))
        return false;
    for (size_t i = 0; i < w->grid.axes.n; i++)
        for (size_t k = 0; k < run->overrides.n; k++)
            if (strcmp(w->grid.axes.items[i].name, run->overrides.items[k].name) == 0) {
                log_error(log, "%s has a --vary and an --override\ngive one of them",
                          run->overrides.items[k].name);
                return false;
            }
    if (run->output && !ends_with_csv(run->output)) {
        log_error(log,
                  "a sweep is written to a .csv file, not to %s\n"
                  "time begins anew with every member, which other formats have no place for",
                  run->output);
        return false;
    }
    return true;
}

static ExitCode run(const Command *command, int argc, char **argv)
{
    Log log = log_open();
    Arguments a = arguments_read(command, &log, argc, argv);
    Wishes w = {.run = run_wishes()};
    ExitCode code = EXIT_USAGE;
    if (arguments_all(&a, read_option, &w, &code))
        code = !w.run.file              ? arguments_missing(&a, "FILE.mo")
               : !w.grid.axes.n         ? arguments_missing(&a, "--vary NAME=VALUES")
               : check_wishes(&w, &log) ? sweep(&log, &w)
                                        : EXIT_USAGE;
    overrides_drop(&w.run.overrides);
    grid_drop(&w.grid);
    return code;
}

const Command command_sweep = {
    .name = "sweep",
    .operands = "FILE.mo",
    .text = "Run a model for many values of its parameters",
    .description =
        "Every --vary has a parameter or start value and its values; all combinations are run.\n"
        "With an explicit solver of fixed step (rk1 ... rk4) the members are lanes of one system\n"
        "and give the same numbers as 'lieder simulate --override', many times faster; otherwise\n"
        "they run one by one, spread over threads. The result has the varied parameters in its\n"
        "first columns, then time and the variables, member after member. A member that fails\n"
        "ends with a row of nan and the others go on; the exit code is then 3. Parameters that\n"
        "change the structure (counts, switches) best come first.",
    .examples = "  lieder sweep crane.mo --vary world.TD=1e-5:1e-2:log:7\n"
                "  lieder sweep crane.mo --vary cart.m=1:3:5 --vary revolute.phi=0.5,1,1.5 \\\n"
                "    --solver rk4 --step 1e-3 --record '.*\\.phi' -o crane.csv\n"
                "  lieder sweep chain.mo --vary n=2,4,8 --summary\n",
    .options = options,
    .run = run};
