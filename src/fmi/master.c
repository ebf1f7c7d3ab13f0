/* master.c - a run of a system with FMUs.
 *
 * At a communication point t_k the inputs of all FMUs are read from the system, all FMUs step to
 * t_{k+1}, and the system runs there with the outputs of t_k held; then it gets those of t_{k+1}
 * * (Jacobi: the order of FMUs does not matter). The distance of the points is the step of the
 * options, or else the smallest stepSize of the FMUs' default experiments, or that of the rows. The
 * solver begins anew at each of them, since outputs jump there. Rows are at communication points.
 *
 * A system with memory (when, sample, pre) must not begin anew: it is run by a stepper, one fixed
 * step from point to point. */
#include "base/clock.h"
#include "fmi/fmi.h"
#include "solve/run/simulate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double MAX_POINTS = 1e9;

/* a number of an inner component: its handle in the system, and its place in a vector of the
 * host */
typedef struct Link {
    LiederHandle handle;
    size_t host, at;
    ForeignRole role;
} Link;

typedef struct Master {
    LiederSystem *system;
    const FmiImports *imports;
    const LiederAllocator *alloc;
    const LiederSimulateOptions *o;
    VEC(Host) hosts;
    VEC(Link) links;
    VEC(double *) in, out, par; /* by host */
    LiederObserver *observer;   /* of the inputs, in the order of links */
    double *seen;
    size_t nseen;
    double *x;              /* at the end of a segment */
    LiederStepper *stepper; /* of a system with memory, or NULL */
    double t, h, interval;  /* h: between communication points; interval: between rows */
    bool stopped;           /* by a callback */
} Master;

static LiederStatus fail_host(Master *m, const Host *h)
{
    if (h->given_up) { /* the program has stopped the run: no fault of the FMU */
        m->stopped = true;
        return LIEDER_STOPPED;
    }
    diag_error(&m->system->session->diag, NULL, h->component, "%s", h->wrong);
    return LIEDER_GAVE_UP;
}

static LiederStatus no_memory(Master *m)
{
    diag_error(&m->system->session->diag, NULL, NULL, "not enough memory for the run");
    return LIEDER_NO_MEMORY;
}

/* Host.waits: does the run go on while an FMU works? */
static bool still_waits(void *user)
{
    const Master *m = user;
    const LiederStatistics none = {.limiting_state = -1, .t = m->t};
    return !m->o->progress || m->o->progress(m->o->user, m->t, &none);
}

/* ------------------------------------------------------------------ links */

/* the variable of a file that an inner component stands for, and the first of its numbers among
 * those of its role */
static const ForeignVariable *find_inner(const ImportedFile *file, const char *inner, size_t n,
                                         size_t *at)
{
    const ForeignModel *m = &file->model;
    const char *number = strchr(inner, '_'); /* the name holds the number of the variable */
    unsigned long i = number ? strtoul(number + 1, NULL, 10) : m->variables.n;
    if (i >= m->variables.n || strlen(m->variables.items[i].inner) != n ||
        memcmp(m->variables.items[i].inner, inner, n) != 0)
        return NULL;
    *at = m->variables.items[i].first;
    return &m->variables.items[i];
}

/* the number of the host of a component, by its path; a new one is opened. SIZE_MAX: failed */
static size_t find_host(Master *m, size_t file, const char *path, LiederStatus *status)
{
    for (size_t i = 0; i < m->hosts.n; i++)
        if (strcmp(m->hosts.items[i].component, path) == 0)
            return i;
    Host h;
    bool good =
        host_open(&h, m->imports->files.items[file], path, m->imports->in_process, still_waits, m);
    double *in = memory_zeroed(m->alloc, (h.nin + 1) * sizeof *in),
           *out = memory_zeroed(m->alloc, (h.nout + 1) * sizeof *out),
           *par = memory_zeroed(m->alloc, 2 * (h.npar + 1) * sizeof *par);
    if (!in || !out || !par || !vec_push(m->alloc, &m->hosts, h) ||
        !vec_push(m->alloc, &m->in, in) || !vec_push(m->alloc, &m->out, out) ||
        !vec_push(m->alloc, &m->par, par)) {
        *status = no_memory(m);
        return SIZE_MAX;
    }
    if (!good) {
        *status = fail_host(m, &h);
        return SIZE_MAX;
    }
    return m->hosts.n - 1;
}

/* the last element of a path with a name as import.c gives it, "fmu1_3_u", or NULL; names of users
 * may begin with fmu as well */
static const char *inner_of(const char *name)
{
    const char *found = NULL;
    for (const char *at = name; at; at = strchr(at, '.')) {
        unsigned file, number;
        int n = 0;
        at += *at == '.';
        if (sscanf(at, "fmu%u_%u_%n", &file, &number, &n) == 2 && n > 0)
            found = at;
    }
    return found;
}

/* one number of the table: "pump.fmu1_3_u[2].u" */
static LiederStatus add_link(Master *m, const LiederHandle *handle, const char *name,
                             const char *inner)
{
    unsigned long file = strtoul(inner + 3, NULL, 10);
    size_t n = strcspn(inner, ".["), at, element = 0;
    if (file < 1 || file > m->imports->files.n)
        return LIEDER_DONE;
    const ForeignVariable *v = find_inner(m->imports->files.items[file - 1], inner, n, &at);
    const char *member = strrchr(inner, '.');
    if (!v || !member || strcmp(member, v->role == FOREIGN_INPUT ? ".u" : ".k") != 0)
        return LIEDER_DONE;
    if (inner[n] == '[')
        element = strtoul(inner + n + 1, NULL, 10) - 1;
    char path[512];
    snprintf(path, sizeof path, "%.*s", (int)(inner == name ? 0 : inner - name - 1), name);
    LiederStatus status = LIEDER_DONE;
    size_t host = find_host(m, file - 1, path, &status);
    if (host == SIZE_MAX || element >= v->n)
        return status;
    Link link = {.handle = *handle, .host = host, .at = at + element, .role = v->role};
    if (!vec_push(m->alloc, &m->links, link))
        return no_memory(m);
    if (v->role != FOREIGN_INPUT)
        return LIEDER_DONE;
    m->nseen++;
    return lieder_observer_watch(m->observer, handle) >= 0 ? LIEDER_DONE : LIEDER_BAD_USE;
}

static LiederStatus too_long(Master *m, const char *name)
{
    diag_error(&m->system->session->diag, NULL, NULL,
               "a run with FMUs takes names of up to 598 characters, not %.40s...", name);
    return LIEDER_BAD_MODEL;
}

/* links variables of the system with those of FMUs, by the names of inner components */
static LiederStatus find_links(Master *m)
{
    LiederStatus status = LIEDER_DONE;
    for (size_t i = 0; i < lieder_variable_count(m->system) && status == LIEDER_DONE; i++) {
        LiederVariableInfo info = lieder_variable_info(m->system, i);
        char name[600];
        lieder_variable_name(m->system, i, name, sizeof name);
        if (!strstr(name, "fmu") && strlen(name) + 1 < sizeof name)
            continue;
        for (size_t k = 0; k < info.n && status == LIEDER_DONE; k++) {
            LiederHandle h;
            if (!lieder_variable_handle(m->system, i, k, &h))
                continue;
            lieder_handle_name(m->system, &h, name, sizeof name);
            const char *inner = inner_of(name);
            if (strlen(name) + 1 >= sizeof name)
                status = too_long(m, name);
            else if (inner)
                status = add_link(m, &h, name, inner);
        }
    }
    m->seen = memory_zeroed(m->alloc, (m->nseen + 1) * sizeof *m->seen);
    return status == LIEDER_DONE && !m->seen ? no_memory(m) : status;
}

/* ------------------------------------------------------------------ inputs and outputs */

/* sends the inputs of all FMUs, as the system has them at (t, x) */
static LiederStatus read_inputs(Master *m)
{
    LiederStatus status = m->stepper ? lieder_stepper_observe(m->stepper, m->observer, m->seen)
                                     : lieder_observer_evaluate(m->observer, m->t, m->x, m->seen);
    size_t at = 0;
    for (size_t i = 0; i < m->links.n && status == LIEDER_DONE; i++)
        if (m->links.items[i].role == FOREIGN_INPUT)
            m->in.items[m->links.items[i].host][m->links.items[i].at] = m->seen[at++];
    for (size_t i = 0; i < m->hosts.n && status == LIEDER_DONE; i++)
        if (!host_set(&m->hosts.items[i], m->in.items[i]))
            status = fail_host(m, &m->hosts.items[i]);
    return status;
}

/* sets the outputs of all FMUs in the system; one that is not finite ends the run */
static LiederStatus write_outputs(Master *m)
{
    for (size_t i = 0; i < m->hosts.n; i++) {
        Host *h = &m->hosts.items[i];
        if (!host_get(h, m->out.items[i]))
            return fail_host(m, h);
        for (size_t k = 0; k < h->nout; k++)
            if (!isfinite(m->out.items[i][k])) {
                snprintf(h->wrong, sizeof h->wrong,
                         "the FMU %.200s gives a number that is not finite at t = %g",
                         h->file->path, m->t);
                return fail_host(m, h);
            }
    }
    LiederStatus status = LIEDER_DONE;
    for (size_t i = 0; i < m->links.n && status == LIEDER_DONE; i++) {
        const Link *l = &m->links.items[i];
        if (l->role == FOREIGN_OUTPUT)
            status = lieder_handle_set(m->system, &l->handle, m->out.items[l->host][l->at]);
    }
    return status;
}

/* initialises a host, with the parameters that differ from the FMU's own start values */
static LiederStatus begin_host(Master *m, size_t number)
{
    Host *h = &m->hosts.items[number];
    double *par = m->par.items[number], *own = par + h->npar + 1;
    unsigned char *given = memory_zeroed(m->alloc, h->npar + 1);
    if (!given)
        return no_memory(m);
    size_t at = 0;
    for (size_t i = 0; i < h->file->model.variables.n; i++) {
        const ForeignVariable *v = &h->file->model.variables.items[i];
        if (v->role == FOREIGN_PARAMETER && v->inner[0]) {
            foreign_starts(v, own + at);
            at += v->n;
        }
    }
    memcpy(par, own, h->npar * sizeof *par);
    LiederStatus status = LIEDER_DONE;
    for (size_t i = 0; i < m->links.n && status == LIEDER_DONE; i++) {
        const Link *l = &m->links.items[i];
        if (l->host == number && l->role == FOREIGN_PARAMETER)
            status = lieder_handle_get(m->system, &l->handle, &par[l->at]);
    }
    for (size_t i = 0; i < h->npar; i++)
        given[i] = par[i] != own[i];
    if (status == LIEDER_DONE && !host_begin(h, m->o->start, m->o->stop, par, given))
        status = fail_host(m, h);
    memory_free(m->alloc, given, h->npar + 1);
    return status;
}

/* has the system memory other than guesses? */
static bool remembers(const LiederSystem *system)
{
    for (size_t i = 0; i < system->nhome; i++)
        if (system->shapes.items[i].held.nmemory > system->shapes.items[i].held.nguess)
            return true;
    return false;
}

/* Inputs and outputs at the start: twice, so that outputs that depend on inputs reach the next
 * FMU. */
static LiederStatus initialise(Master *m)
{
    LiederStatus status = LIEDER_DONE;
    for (size_t i = 0; i < m->hosts.n && status == LIEDER_DONE; i++)
        status = begin_host(m, i);
    for (int pass = 0; pass < 2 && status == LIEDER_DONE; pass++) {
        status = write_outputs(m);
        if (status == LIEDER_DONE)
            status = lieder_system_start(m->system, m->x);
        if (status == LIEDER_DONE)
            status = read_inputs(m);
    }
    if (status == LIEDER_DONE && remembers(m->system)) {
        LiederSimulateOptions o = *m->o;
        o.step = m->h;
        o.x0 = m->x;
        m->stepper = lieder_stepper_create(m->system, &o);
        status = m->stepper ? read_inputs(m) : LIEDER_BAD_USE;
    }
    for (size_t i = 0; i < m->hosts.n && status == LIEDER_DONE; i++)
        if (!host_ready(&m->hosts.items[i], m->o->start))
            status = fail_host(m, &m->hosts.items[i]);
    return status == LIEDER_DONE ? write_outputs(m) : status;
}

/* ------------------------------------------------------------------ segments */

static bool on_row(void *user, double t, const double *x, LiederRow kind)
{
    Master *m = user;
    memcpy(m->x, x, m->system->nstate * sizeof *x);
    if (kind == LIEDER_ROW || !m->o->output)
        return true; /* rows at both ends are given by the master */
    m->stopped = !m->o->output(m->o->user, t, x, kind);
    return !m->stopped;
}

static bool on_progress(void *user, double t, const LiederStatistics *statistics)
{
    Master *m = user;
    m->stopped = m->o->progress && !m->o->progress(m->o->user, t, statistics);
    return !m->stopped;
}

/* adds the statistics of a segment to those of the run */
static void add_statistics(LiederStatistics *all, const LiederStatistics *s)
{
    all->solver = s->solver;
    all->steps += s->steps;
    all->rejected += s->rejected;
    all->evaluations += s->evaluations;
    all->jacobians += s->jacobians;
    all->factorisations += s->factorisations;
    all->state_events += s->state_events;
    all->time_events += s->time_events;
    all->evaluation_seconds += s->evaluation_seconds;
    all->solve_seconds += s->solve_seconds;
    all->smallest_step =
        all->smallest_step > 0 ? fmin(all->smallest_step, s->smallest_step) : s->smallest_step;
    all->largest_step = fmax(all->largest_step, s->largest_step);
    all->limiting_state = s->limiting_state;
}

/* the system alone to `end`, by its stepper */
static LiederStatus step_system(Master *m, double end, LiederStatistics *all)
{
    LiederStatus status = lieder_stepper_step(m->stepper, 1);
    memcpy(m->x, lieder_stepper_state(m->stepper), m->system->nstate * sizeof *m->x);
    all->solver = m->o->solver;
    all->smallest_step = all->largest_step = m->h;
    all->steps++;
    if (status == LIEDER_DONE && !on_progress(m, end, all))
        status = LIEDER_STOPPED;
    return status;
}

/* the same by a run, which begins anew */
static LiederStatus run_system(Master *m, double end, LiederStatistics *all)
{
    LiederSimulateOptions o = *m->o;
    LiederStatistics s = {0};
    double *x0 = memory_copy(m->alloc, m->x, (m->system->nstate + 1) * sizeof *m->x);
    if (!x0)
        return no_memory(m);
    o.start = m->t;
    o.stop = end;
    o.interval = end - m->t;
    o.step = o.step > end - m->t ? end - m->t : o.step;
    o.x0 = x0;
    o.output = on_row;
    o.progress = on_progress;
    o.user = m;
    o.checkpoint = o.resume = NULL;
    LiederStatus status = lieder_simulate(m->system, &o, &s);
    add_statistics(all, &s);
    memory_free(m->alloc, x0, (m->system->nstate + 1) * sizeof *m->x);
    return status;
}

/* the system and all FMUs from m->t to `end` */
static LiederStatus run_segment(Master *m, double end, LiederStatistics *all)
{
    LiederStatus status = read_inputs(m);
    for (size_t i = 0; i < m->hosts.n && status == LIEDER_DONE; i++)
        if (!host_step(&m->hosts.items[i], m->t, end - m->t))
            status = fail_host(m, &m->hosts.items[i]);
    if (status == LIEDER_DONE)
        status = (m->stepper ? step_system : run_system)(m, end, all);
    m->t = end;
    return status == LIEDER_DONE ? write_outputs(m) : status;
}

static bool give_row(Master *m)
{
    if (m->stepper)
        return stepper_row(m->stepper, m->o);
    return !m->o->output || m->o->output(m->o->user, m->t, m->x, LIEDER_ROW);
}

/* an FMU has ended the simulation, which is no error: reports that, and shows the last row */
static LiederStatus end_run(Master *m, const Host *h, size_t row, double interval,
                            LiederStatistics *all)
{
    double last = m->o->start + (double)(row - 1) * interval;
    diag_warning(&m->system->session->diag, NULL, h->component,
                 "the FMU %.200s ends the simulation at t = %g", h->file->path, m->t);
    if (fabs(m->t - last) > 1e-9 * interval)
        give_row(m);
    all->terminated = true;
    return LIEDER_STOPPED;
}

/* where rows and communication points stand */
static LiederStatus choose_points(Master *m)
{
    const LiederSimulateOptions *o = m->o;
    Diagnostics *diag = &m->system->session->diag;
    double span = o->stop - o->start;
    m->interval = o->interval > 0 ? o->interval : span / 500;
    m->h = o->step;
    for (size_t i = 0; i < m->hosts.n && !(o->step > 0); i++) {
        double own = m->hosts.items[i].file->model.step;
        m->h = own > 0 && (m->h == 0 || own < m->h) ? own : m->h;
    }
    if (o->step > m->interval * (1 + 1e-9))
        diag_warning(diag, NULL, NULL,
                     "rows every %g s need communication points as close: the step of %g s is not "
                     "taken\ngive a longer --interval, or that step",
                     m->interval, o->step);
    if (!(m->h > 0) || m->h > m->interval)
        m->h = m->interval;
    if (!(span / m->h < MAX_POINTS)) {
        diag_error(diag, NULL, NULL,
                   "communication points %g apart are more than %g in a run of %g s\ngive the time "
                   "between them by --step",
                   m->h, MAX_POINTS, span);
        return LIEDER_BAD_USE;
    }
    double steps = span / m->h;
    if (remembers(m->system) && fabs(steps - round(steps)) > 1e-6) {
        diag_error(diag, NULL, NULL,
                   "a run of %g s with discrete variables beside FMUs takes fixed steps from one "
                   "communication point to the next, and %g s do not divide it\ngive a --step that "
                   "does",
                   span, m->h);
        return LIEDER_BAD_USE;
    }
    return LIEDER_DONE;
}

/* from one communication point to the next */
static LiederStatus run_all(Master *m, LiederStatistics *all)
{
    const LiederSimulateOptions *o = m->o;
    double h = m->h, interval = m->interval;
    if (!give_row(m))
        return LIEDER_STOPPED;
    LiederStatus status = LIEDER_DONE;
    size_t row = 1;
    for (size_t k = 1; m->t < o->stop - 1e-9 * h && status == LIEDER_DONE; k++) {
        double end = o->start + (double)k * h;
        status = run_segment(m, end > o->stop - 1e-9 * h ? o->stop : end, all);
        double due = o->start + (double)row * interval;
        if (status == LIEDER_DONE && (m->t >= due - 1e-6 * h || m->t == o->stop)) {
            row = 1 + (size_t)floor((m->t - o->start) / interval + 1e-6);
            if (!give_row(m))
                status = LIEDER_STOPPED;
        }
        all->t = m->t;
        for (size_t i = 0; i < m->hosts.n && status == LIEDER_DONE && m->t < o->stop; i++)
            if (m->hosts.items[i].ended)
                status = end_run(m, &m->hosts.items[i], row, interval, all);
    }
    return status;
}

/* reports options that a run with FMUs cannot follow */
static LiederStatus check_options(Master *m)
{
    const LiederSimulateOptions *o = m->o;
    const char *what = o->checkpoint || o->resume ? "state files: an FMU does not tell its state"
                       : o->real_time             ? "real time"
                                                  : NULL;
    bool fixed = o->solver != LIEDER_SOLVER_AUTO && !lieder_solver_info(o->solver)->adaptive;
    if (!what && remembers(m->system) && !fixed) {
        diag_error(&m->system->session->diag, NULL, NULL,
                   "discrete variables beside FMUs (when, sample, pre) need fixed steps: %s would "
                   "begin anew at each communication point and forget them\nname --solver rk1, "
                   "rk2, rk3, rk4 or euler-backward, and a --step",
                   o->solver == LIEDER_SOLVER_AUTO ? "the solver" : lieder_solver_name(o->solver));
        return LIEDER_BAD_USE;
    }
    if (what)
        diag_error(&m->system->session->diag, NULL, NULL, "a run with FMUs has no %s", what);
    return what ? LIEDER_BAD_USE : LIEDER_DONE;
}

/* frees all of it; processes of FMUs end here */
static void master_drop(Master *m)
{
    for (size_t i = 0; i < m->hosts.n; i++) {
        Host *h = &m->hosts.items[i];
        memory_free(m->alloc, m->in.items[i], (h->nin + 1) * sizeof(double));
        memory_free(m->alloc, m->out.items[i], (h->nout + 1) * sizeof(double));
        memory_free(m->alloc, m->par.items[i], 2 * (h->npar + 1) * sizeof(double));
        host_close(h);
    }
    vec_drop(m->alloc, &m->hosts);
    vec_drop(m->alloc, &m->links);
    vec_drop(m->alloc, &m->in);
    vec_drop(m->alloc, &m->out);
    vec_drop(m->alloc, &m->par);
    lieder_stepper_destroy(m->stepper);
    lieder_observer_destroy(m->observer);
    memory_free(m->alloc, m->seen, m->seen ? (m->nseen + 1) * sizeof *m->seen : 0);
    memory_free(m->alloc, m->x, m->x ? (m->system->nstate + 1) * sizeof *m->x : 0);
}

LiederStatus fmi_simulate(LiederSystem *system, const FmiImports *imports,
                          const LiederSimulateOptions *options, LiederStatistics *statistics)
{
    if (imports->files.n == 0)
        return lieder_simulate(system, options, statistics);
    double began = clock_seconds();
    LiederStatistics all = {.limiting_state = -1, .t = options->start};
    Master m = {.system = system,
                .imports = imports,
                .alloc = SYSTEM_ALLOC(system),
                .o = options,
                .t = options->start};
    m.x = memory_zeroed(m.alloc, (system->nstate + 1) * sizeof *m.x);
    m.observer = lieder_observer_create(system);
    LiederStatus status = m.x && m.observer ? check_options(&m) : no_memory(&m);
    if (status == LIEDER_DONE)
        status = find_links(&m);
    if (status == LIEDER_DONE)
        status = choose_points(&m);
    if (status == LIEDER_DONE)
        status = initialise(&m);
    if (status == LIEDER_DONE)
        status = run_all(&m, &all);
    all.seconds = clock_seconds() - began;
    master_drop(&m);
    if (statistics)
        *statistics = all;
    return status;
}
