/* sweep_members.c - the members of a batch: made, run, their rows kept.
 *
 * Where explicit steps keep lanes apart, a batch is one system: an array of the model with its
 * varied parameters set element by element, so that eight members cost little more than one. Its
 * lanes give the bits of a run alone. Everything else (adaptive steps, events that make rows,
 * sparse systems, parameters that change the structure) runs one member at a time.
 *
 * A batch that fails, while it is made or on its way, is halved until the culprits are alone. Since
 * lanes do not feel each other, the others lose nothing but time.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sweep.h"
#include "solve/run/simulate.h"

enum { SESSION_BATCHES = 64 }; /* a session keeps the models of its batches: then it begins anew */
static const char array_class[] = "LiederSweepOfMembers";

/* ------------------------------------------------------------------ from members to systems */

void workplace_close(Workplace *w)
{
    if (w->open)
        loaded_drop(&w->loaded);
    *w = (Workplace){0};
}

ExitCode workplace_open(Workplace *w, const Sweep *s, Log *log)
{
    char text[2 * sizeof w->loaded.title];
    w->open = true;
    ExitCode code = load_source(&w->loaded, log, &s->settings->run.source);
    if (code != EXIT_DONE)
        return code;
    snprintf(text, sizeof text, "model %s parameter Integer n; .%s member[n]; end %s;", array_class,
             w->loaded.title, array_class);
    if (front_load_text(w->loaded.front, "sweep", text) == LIEDER_NO_MEMORY)
        return EXIT_SIMULATION;
    return EXIT_DONE;
}

LiederSystem *members_create(Workplace *w, const Sweep *s, size_t first, size_t stride, size_t n)
{
    MemberSettings setting;
    LiederSystem *system = NULL;
    Loaded *l = &w->loaded;
    if (settings_make(&setting, s->grid, &s->settings->run.source.overrides, first, stride, n) &&
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
static bool keep_row(SweepMember *m, size_t ncolumn, double t, const double *values)
{
    if (!vec_reserve(HEAP, &m->rows, m->rows.n + ncolumn + 1))
        return false;
    m->rows.items[m->rows.n++] = t;
    memcpy(m->rows.items + m->rows.n, values, ncolumn * sizeof *values);
    m->rows.n += ncolumn;
    return true;
}

/* adds a row to integral, least, most and last value of each column, for --summary */
static bool sum_row(SweepMember *m, size_t ncolumn, double t, const double *values)
{
    bool first = m->nrow == 0;
    if (first && !vec_resize(HEAP, &m->rows, SUMS * ncolumn))
        return false;
    for (size_t i = 0; i < ncolumn; i++) {
        double *sum = m->rows.items + SUMS * i, x = values[i];
        sum[SUM_INTEGRAL] = first ? 0 : sum[SUM_INTEGRAL] + 0.5 * (sum[SUM_FINAL] + x) * (t - m->t);
        sum[SUM_LEAST] = first ? x : fmin(sum[SUM_LEAST], x);
        sum[SUM_MOST] = first ? x : fmax(sum[SUM_MOST], x);
        sum[SUM_FINAL] = x;
    }
    return true;
}

typedef struct MemberRows { /* of a system */
    const Sweep *sweep;
    MemberBatch *batch;
    SweepMember *members;
    size_t n;
    Watch watch;
    LiederEnergy energy; /* of the one member, if it is recorded */
    LiederStatus observing;
} MemberRows;

static bool goes_on(const Sweep *s)
{
    return !run_interrupted && (!s->ask || s->ask(s->user));
}

/* a row of all members of a batch, kept or summed; false: the run has to end */
static bool on_row(void *user, double t, const double *x, LiederRow kind)
{
    MemberRows *r = user;
    size_t ncolumn = r->sweep->selection.list.n;
    (void)kind;
    r->observing = watch_row(&r->watch, t, x);
    if (r->observing < 0)
        return false;
    for (size_t i = 0; i < r->n; i++) {
        SweepMember *m = &r->members[i];
        if (!(r->sweep->settings->summary ? sum_row : keep_row)(m, ncolumn, t,
                                                                r->watch.values + i * ncolumn)) {
            r->observing = LIEDER_NO_MEMORY;
            return false;
        }
        if (m->nrow++ == 0)
            m->begun = t;
        m->t = t;
    }
    return goes_on(r->sweep);
}

/* rows may be far apart, and a run may be slow */
static bool on_progress(void *user, double t, const LiederStatistics *statistics)
{
    const MemberRows *r = user;
    (void)t, (void)statistics;
    return goes_on(r->sweep);
}

/* ------------------------------------------------------------------ running a batch */

static void forget_rows(SweepMember *members, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        members[i].rows.n = 0;
        members[i].nrow = 0;
    }
}

static void mark_failed(SweepMember *m, double t, LiederStatus status, const Loaded *l)
{
    m->failed = true;
    m->failed_at = t;
    m->message = first_diagnostic(l, 0, LIEDER_ERROR);
    if (!m->message)
        m->message = strdup(lieder_status_text(status));
}

/* what the model itself declares, as the member that was just made has it */
static void set_own(MemberRows *r, const Front *front)
{
    const Selection *s = &r->sweep->selection;
    for (size_t i = 0; i < s->list.n && r->n == 1; i++)
        for (size_t k = 0; s->list.items[i].own && k < front_parameter_count(front); k++)
            if (strcmp(front_parameter(front, k)->name, s->list.items[i].name) == 0)
                r->watch.values[i] = front_parameter(front, k)->value;
}

/* members as one system over time */
static LiederStatus run_system(MemberRows *r, Workplace *w, LiederSystem *system,
                               LiederStatistics *s)
{
    LiederSimulateOptions o = r->sweep->options;
    size_t before = lieder_diagnostic_count(w->loaded.session);
    bool structural = r->sweep->group < r->sweep->grid->n;
    o.output = on_row;
    o.progress = on_progress;
    o.user = r;
    LiederStatus status = LIEDER_NO_MEMORY;
    if (watch_open(&r->watch, system, &r->sweep->selection, r->n > 1 ? r->n : 0) &&
        (r->watch.nmissing == 0 || structural)) {
        set_own(r, w->loaded.front);
        r->watch.energy = &r->energy;
        if (r->watch.energies) {
            o.energy = &r->energy;
            o.clocks = LIEDER_CLOCKS_SHARED;
        }
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
    MemberRows r = {.sweep = s, .batch = b, .members = b->members + from, .n = n};
    LiederStatistics statistics = {.t = s->options.start};
    LiederStatus status = LIEDER_BAD_MODEL;
    if (run_interrupted)
        return;
    lieder_diagnostic_clear(w->loaded.session);
    LiederSystem *system = members_create(w, s, b->first + from, 1, n);
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

bool batch_run(const Sweep *s, Workplace *w, MemberBatch *b)
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

void batch_drop(MemberBatch *b)
{
    for (size_t i = 0; i < b->n && b->members; i++) {
        vec_drop(HEAP, &b->members[i].rows);
        free(b->members[i].message);
    }
    free(b->members);
    free(b->warning);
}
