/* clocks.c - lanes with clocks of their own.
 *
 * Every lane has its time, its step, its events and its next row. A thread takes a block of lanes
 * and runs them in a strip (strip.c): one trial step for all lanes of the strip, each from its own
 * time with its own step; what is accepted moves on, what is done is replaced by the next lane of
 * the block. Nothing is added up over lanes, so a lane has the bits that it has alone.
 *
 * A result wants rows of all lanes at one time. So lanes run up to a horizon of some rows, which
 * wait in a buffer until all lanes have passed them. A step that passes the horizon is not cut: its
 * rows are read off its curve, then it is forgotten and taken again, with the same bits, behind the
 * horizon. Without that the bits would depend on the number of rows in the buffer.
 *
 * A lane that fails ends alone: it is named, and its rows are NaN from there on. A lane in which an
 * assertion does not hold fails. A component that ends the run (terminate) ends it for all, as with
 * one clock: the horizon in which the first component does so is repeated from its begin, with that
 * time as the last row.
 *
 * Ranks run their own lanes. At the end of each horizon, whose rows are those of a single process,
 * they agree whether a lane of any rank has failed, is stiff or has ended the run.
 */
#include "solve/run/ranks.h"
#include "solve/method/rk.h"
#include "solve/clocks/strip.h"

#include <math.h>
#include <string.h>

enum {
    MAX_ROWS = 64,
    MAX_DELAYED_ROWS = 16,
    BUFFER_BYTES = 128 << 20,
    MIN_ROWS = 4,
    MAX_WARNINGS = 5,
    MAX_ERRORS = 20
};

/* ------------------------------------------------------------------ what may have clocks */

bool clocks_possible(const LiederSystem *system, const char **why)
{
    *why = NULL;
    if (system->shapes.n != system->nhome)
        *why = "connections have changed";
    for (size_t i = 0; i < system->shapes.n && !*why; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        if (ss->away.n || ss->shape->asleep)
            *why = "some components are not connected";
        else if (ss->plan.method != LIEDER_METHOD_TREE)
            *why = "a subsystem is no tree, so that its lanes share their equation solver";
        else if (ss->held.linear_crossings)
            *why = "a choice depends on forces or accelerations, which are solved for lane by lane";
    }
    return !*why;
}

size_t clocks_count(const LiederSystem *system)
{
    size_t n = 0;
    for (size_t i = 0; i < system->nhome; i++)
        n += system->shapes.items[i].shape->all_lanes; /* of all ranks */
    return n;
}

bool clocks_can_end(const LiederSystem *system)
{
    for (size_t i = 0; i < system->nhome; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        for (size_t k = ss->held.nmemory; k < ss->held.memories.n; k++)
            if (ss->held.memories.items[k].member->kind == LIEDER_REQUEST &&
                ss->held.memories.items[k].member->request == LIEDER_TERMINATE)
                return true;
    }
    return false;
}

/* ------------------------------------------------------------------ creation */

/* the session's allocator behind a mutex: threads store their messages through it */
static void *locked_resize(void *user, void *block, size_t old_size, size_t size)
{
    MessageAllocator *m = user;
    pthread_mutex_lock(&m->mutex);
    void *result = m->alloc->resize(m->alloc->user, block, old_size, size);
    pthread_mutex_unlock(&m->mutex);
    return result;
}

/* clocks by shape and lane; false: no memory */
static bool create_tables(Clocks *c)
{
    const LiederSystem *system = c->system;
    const LiederAllocator *alloc = c->alloc;
    size_t nshape = system->shapes.n;
    c->first_clock = memory_zeroed(alloc, (nshape + 1) * sizeof *c->first_clock);
    c->times = memory_zeroed(alloc, (nshape + 1) * sizeof *c->times);
    for (size_t i = 0; i < nshape && c->first_clock; i++) {
        c->first_clock[i] = c->nclock;
        c->nclock += system->shapes.items[i].shape->nlane;
    }
    c->clocks = memory_zeroed(alloc, (c->nclock + 1) * sizeof *c->clocks);
    c->row_numbers = system->nstate + system->nchoice + system->nmemory + c->nclock;
    size_t all = ranks_sum(system, c->row_numbers);
    double rows = (double)BUFFER_BYTES / (sizeof(double) * (double)(all + 1));
    /* the past is kept as far back as rows wait */
    size_t most = histories_anywhere(system) ? MAX_DELAYED_ROWS : MAX_ROWS;
    c->row_room = rows < MIN_ROWS ? MIN_ROWS : rows > (double)most ? most : (size_t)rows;
    c->rows = memory_resize(alloc, NULL, 0, (c->row_room * c->row_numbers + 1) * sizeof(double));
    return c->first_clock && c->times && c->clocks && c->rows;
}

/* a shape that has no states, crossings or memory, or no lanes on this rank */
static bool rests(const SystemShape *ss)
{
    return !ss->shape->nlane ||
           ss->shape->states.n + ss->held.crossings.n + ss->held.memories.n == 0;
}

/* blocks of lanes: several strips long, so that lanes that are done can be replaced, and short
 * enough to keep all threads busy */
static bool list_blocks(Clocks *c)
{
    enum { STRIPS = 8 };
    for (uint32_t i = 0; i < c->system->shapes.n; i++) {
        const SystemShape *ss = &c->system->shapes.items[i];
        size_t nlane = ss->shape->nlane, width = strip_width(c->setup.solver, ss);
        if (rests(ss))
            continue;
        size_t most = STRIPS * width, least = (nlane + (size_t)c->team->n - 1) / (size_t)c->team->n;
        size_t n = most < least ? most : least < width ? width : least;
        for (size_t lane = 0; lane < nlane; lane += n)
            if (!vec_push(c->alloc, &c->blocks,
                          (StripBlock){.task = {i, lane, nlane - lane < n ? nlane - lane : n}}))
                return false;
    }
    return true;
}

static void drop_strips(Clocks *c, Strip *strips)
{
    size_t n = (size_t)c->team->n * c->system->shapes.n;
    for (size_t i = 0; i < n && strips; i++)
        strip_drop(&strips[i]);
    memory_free(c->alloc, strips, (n + 1) * sizeof *strips);
}

/* strips of all workers and shapes that take their steps with a solver; NULL: no memory */
static Strip *create_strips(Clocks *c, LiederSolver solver)
{
    size_t nshape = c->system->shapes.n, n = (size_t)c->team->n;
    Strip *strips = memory_zeroed(c->alloc, (n * nshape + 1) * sizeof *strips);
    bool ok = strips;
    for (size_t i = 0; i < n * nshape && ok; i++)
        if (!rests(&c->system->shapes.items[i % nshape]))
            ok = strip_create(&strips[i], c, solver, (int)(i / nshape), (uint32_t)(i % nshape),
                              &c->lane_systems[i]);
    if (!ok)
        drop_strips(c, strips);
    return ok ? strips : NULL;
}

/* what each thread has of its own: its copy of the system, strips; false: no memory */
static bool create_workers(Clocks *c)
{
    size_t nshape = c->system->shapes.n, n = (size_t)c->team->n;
    c->threads = memory_zeroed(c->alloc, n * sizeof *c->threads);
    c->lane_systems = memory_zeroed(c->alloc, (n * nshape + 1) * sizeof *c->lane_systems);
    if (!c->threads || !c->lane_systems)
        return false;
    for (size_t w = 0; w < n; w++) {
        if (!thread_system_create(&c->threads[w], c->system, &c->messages.as_allocator))
            return false;
        for (uint32_t i = 0; i < nshape; i++)
            if (!rests(&c->system->shapes.items[i]) &&
                !lane_system_create(&c->lane_systems[w * nshape + i], &c->threads[w], c->system, i,
                                    c->tolerance, c->setup.stop - c->setup.origin))
                return false;
    }
    c->strips = create_strips(c, c->setup.solver);
    return c->strips;
}

/* the Jacobians of all shapes, which rodas4 and the switch to it need */
static bool create_jacobian(Clocks *c, double t)
{
    Moment moment = events_moment(c->events, NAN, false);
    c->timed = ranks_any(c->system, solver_sees_time(c->system));
    return jacobian_create(&c->jacobian, c->team, t, &moment, c->x) == LIEDER_DONE;
}

/* full records are made before threads copy them */
static bool prepare_records(Clocks *c)
{
    LiederSystem *system = c->team->system;
    for (size_t i = 0; i < system->shapes.n; i++)
        if (!rests(&system->shapes.items[i]) &&
            system->shapes.items[i].held.crossings.n + system->shapes.items[i].held.memories.n &&
            full_prepare(system, &system->shapes.items[i]) != LIEDER_DONE)
            return false;
    return true;
}

/* ------------------------------------------------------------------ back to the begin of a horizon
 */

/* what lanes change on their way */
typedef struct KeptLanes {
    double *x, *choices, *memory;
    Crossing *crossings;
    LaneClock *clocks;
    HistoryMark *marks;
} KeptLanes;

/* room for what lanes change, where a component can end the run; false: no memory */
static bool create_kept(Clocks *c)
{
    const LiederSystem *system = c->system;
    if (!clocks_can_end(system))
        return true;
    KeptLanes *k = c->kept = memory_zeroed(c->alloc, sizeof *c->kept);
    if (!k)
        return false;
    k->x = memory_zeroed(c->alloc, (system->nstate + 1) * sizeof(double));
    k->choices = memory_zeroed(c->alloc, (system->nchoice + 1) * sizeof(double));
    k->memory = memory_zeroed(c->alloc, (system->nmemory + 1) * sizeof(double));
    k->crossings = memory_zeroed(c->alloc, (system->nchoice + 1) * sizeof *k->crossings);
    k->clocks = memory_zeroed(c->alloc, (c->nclock + 1) * sizeof *k->clocks);
    k->marks = memory_zeroed(c->alloc, (c->events->histories.n + 1) * sizeof *k->marks);
    return k->x && k->choices && k->memory && k->crossings && k->clocks && k->marks;
}

/* frees what create_kept has made */
static void drop_kept(Clocks *c)
{
    const LiederSystem *system = c->system;
    KeptLanes *k = c->kept;
    if (!k)
        return;
    memory_free(c->alloc, k->x, (system->nstate + 1) * sizeof(double));
    memory_free(c->alloc, k->choices, (system->nchoice + 1) * sizeof(double));
    memory_free(c->alloc, k->memory, (system->nmemory + 1) * sizeof(double));
    memory_free(c->alloc, k->crossings, (system->nchoice + 1) * sizeof *k->crossings);
    memory_free(c->alloc, k->clocks, (c->nclock + 1) * sizeof *k->clocks);
    memory_free(c->alloc, k->marks, (c->events->histories.n + 1) * sizeof *k->marks);
    memory_free(c->alloc, k, sizeof *k);
}

/* what lanes change is kept, or (`back`) becomes again what was kept */
static void copy_kept(Clocks *c, bool back)
{
    KeptLanes *k = c->kept;
    Events *e = c->events;
    struct {
        void *now, *kept;
        size_t bytes;
    } parts[] = {{c->x, k->x, c->system->nstate * sizeof(double)},
                 {e->choices, k->choices, c->system->nchoice * sizeof(double)},
                 {e->memory, k->memory, c->system->nmemory * sizeof(double)},
                 {e->crossings, k->crossings, c->system->nchoice * sizeof *k->crossings},
                 {c->clocks, k->clocks, c->nclock * sizeof *k->clocks}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].bytes)
            memcpy(back ? parts[i].now : parts[i].kept, back ? parts[i].kept : parts[i].now,
                   parts[i].bytes);
    if (back)
        histories_return(e, k->marks);
    else
        histories_mark(e, k->marks);
}

/* ------------------------------------------------------------------ creation of all */

static void start_clocks(Clocks *c)
{
    for (size_t i = 0; i < c->nclock; i++)
        c->clocks[i] = (LaneClock){
            .t = c->setup.start, .event_time = NAN, .due = INFINITY, .smallest = INFINITY};
}

Clocks *clocks_create(Team *team, const ClocksSetup *setup, Events *events, double *x)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(team->system);
    Clocks *c = memory_zeroed(alloc, sizeof *c);
    if (!c)
        return NULL;
    *c = (Clocks){.team = team,
                  .system = team->system,
                  .alloc = alloc,
                  .setup = *setup,
                  .events = events,
                  .x = x,
                  .end = INFINITY,
                  .switches = setup->solver == LIEDER_SOLVER_AUTO,
                  .messages = {.mutex = PTHREAD_MUTEX_INITIALIZER, .alloc = alloc}};
    c->messages.as_allocator = (LiederAllocator){locked_resize, &c->messages};
    if (c->switches)
        c->setup.solver = LIEDER_RK45;
    c->tolerance = onestep_tolerance(c->setup.solver, setup->tolerance);
    bool ok = prepare_records(c) && create_tables(c) && create_kept(c) && list_blocks(c) &&
              (setup->solver != LIEDER_RODAS4 || create_jacobian(c, setup->start)) &&
              create_workers(c);
    if (!ok) {
        clocks_destroy(c);
        return NULL;
    }
    start_clocks(c);
    return c;
}

void clocks_destroy(Clocks *c)
{
    if (!c)
        return;
    size_t nshape = c->system->shapes.n, n = (size_t)c->team->n;
    drop_strips(c, c->strips);
    drop_strips(c, c->stiff);
    for (size_t i = 0; i < n * nshape && c->lane_systems; i++)
        lane_system_drop(&c->lane_systems[i]);
    for (size_t w = 0; w < n && c->threads; w++)
        if (c->threads[w].nshape)
            thread_system_drop(&c->threads[w], c->system);
    for (size_t i = 0; i < c->blocks.n; i++) {
        StripBlock *b = &c->blocks.items[i];
        vec_drop(&c->messages.as_allocator, &b->events);
        vec_drop(&c->messages.as_allocator, &b->states);
        diag_drop(&b->diag);
    }
    vec_drop(c->alloc, &c->blocks);
    drop_kept(c);
    memory_free(c->alloc, c->lane_systems, (n * nshape + 1) * sizeof *c->lane_systems);
    memory_free(c->alloc, c->threads, n * sizeof *c->threads);
    memory_free(c->alloc, c->rows, (c->row_room * c->row_numbers + 1) * sizeof(double));
    memory_free(c->alloc, c->clocks, (c->nclock + 1) * sizeof *c->clocks);
    memory_free(c->alloc, c->times, (nshape + 1) * sizeof *c->times);
    memory_free(c->alloc, c->first_clock, (nshape + 1) * sizeof *c->first_clock);
    jacobian_drop(&c->jacobian);
    memory_free(c->alloc, c, sizeof *c);
}

/* ------------------------------------------------------------------ up to a horizon */

/* a block of lanes up to the next row, on one thread */
static LiederStatus run_block(Team *team, int worker, size_t number, void *argument)
{
    Clocks *c = argument;
    StripBlock *block = &c->blocks.items[number];
    size_t nshape = team->system->shapes.n;
    Strip *strips = c->stepping == LIEDER_RODAS4 && c->stiff ? c->stiff : c->strips;
    Strip *s = &strips[(size_t)worker * nshape + block->task.shape];
    Diagnostics *diag = &c->threads[worker].session.diag, own = *diag;
    if (should_stop(team->stop_check, worker))
        return LIEDER_STOPPED;
    if (!block->diag.alloc.resize)
        diag_init(&block->diag, &c->messages.as_allocator);
    *diag = block->diag;
    LiederStatus status = strip_run(s, block, worker);
    block->diag = *diag;
    *diag = own;
    return status;
}

/* reports the messages that the threads have collected, in the order of lanes */
static void report_messages(Clocks *c)
{
    Diagnostics *diag = &c->system->session->diag;
    for (size_t i = 0; i < c->blocks.n; i++) {
        Diagnostics *own = &c->blocks.items[i].diag;
        for (size_t k = 0; k < own->list.n; k++) {
            const LiederDiagnostic *d = &own->list.items[k];
            bool error = d->severity == LIEDER_ERROR;
            if (c->reported[error]++ >= (error ? MAX_ERRORS : MAX_WARNINGS))
                continue;
            if (d->advice)
                diag_add(diag, d->severity, NULL, d->path, "%s\n%s", d->message, d->advice);
            else
                diag_add(diag, d->severity, NULL, d->path, "%s", d->message);
        }
        diag_clear(own);
    }
}

/* forgets the messages of lanes, which report them again */
static void forget_reported(Clocks *c)
{
    for (size_t i = 0; i < c->blocks.n; i++) {
        StripBlock *b = &c->blocks.items[i];
        if (b->diag.alloc.resize)
            diag_clear(&b->diag);
        b->events.n = b->states.n = 0;
    }
}

/* the first time at which a component has ended the run, or infinite */
static double first_end(const Clocks *c)
{
    double end = INFINITY;
    for (size_t i = 0; i < c->nclock; i++)
        if (c->clocks[i].terminated)
            end = fmin(end, c->clocks[i].t);
    return end;
}

static bool any_stiff(const Clocks *c)
{
    for (size_t i = 0; i < c->nclock; i++)
        if (c->clocks[i].stiff)
            return true;
    return false;
}

/* the worst status of all ranks; each keeps its own messages */
static LiederStatus agree_on(const Clocks *c, LiederStatus here)
{
    LiederSystem *system = c->team->system;
    return ranks_status(system, here, system->session->diag.list.n);
}

/* all lanes up to the last of the rows at hand; lanes that turn out stiff on the way go on with
 * rodas4 */
static LiederStatus run_horizon(Clocks *c)
{
    TeamEffort effort = {.few = 2, .task_seconds = 1e-3};
    size_t failed;
    c->until = clocks_row_time(c, c->first_row + c->nrow - 1);
    c->stepping = c->setup.solver;
    LiederStatus status = team_run(c->team, 0, c->blocks.n, &effort, run_block, c, &failed);
    status = agree_on(c, status);
    if (status != LIEDER_DONE || !c->switches || !ranks_any(c->system, any_stiff(c)))
        return status;
    if (!c->stiff && !(create_jacobian(c, c->setup.start) &&
                       (c->stiff = create_strips(c, LIEDER_RODAS4)) != NULL))
        return agree_on(c, should_stop(c->team->stop_check, 0) ? LIEDER_STOPPED : LIEDER_NO_MEMORY);
    c->stepping = LIEDER_RODAS4;
    return agree_on(c, team_run(c->team, 0, c->blocks.n, &effort, run_block, c, &failed));
}

/* the same, and again if a component has ended the run */
static LiederStatus run_to_end(Clocks *c)
{
    if (c->kept)
        copy_kept(c, false);
    LiederStatus status = run_horizon(c);
    double end = c->kept && status == LIEDER_DONE ? ranks_least(c->system, first_end(c)) : INFINITY;
    if (!isfinite(end))
        return status;
    copy_kept(c, true);
    forget_reported(c);
    size_t row = c->first_row;
    while (row < c->last_row && clocks_row_time(c, row) < end)
        row++;
    c->last_row = row;
    c->end = end;
    c->nrow = row + 1 - c->first_row;
    return run_horizon(c);
}

LiederStatus clocks_advance(Clocks *c, size_t *nrow)
{
    double span = c->setup.stop - c->setup.origin;
    if (c->first_row == 0 && !c->begun) {
        double whole = floor(span / c->setup.interval + STEP_MARGIN);
        double rest = c->setup.stop - (c->setup.origin + whole * c->setup.interval);
        c->last_row = (size_t)whole + (rest > STEP_MARGIN * c->setup.interval);
        c->begun = true;
    } else {
        c->first_row += c->nrow;
    }
    *nrow = c->nrow = 0;
    if (c->first_row > c->last_row)
        return LIEDER_DONE;
    size_t left = c->last_row + 1 - c->first_row;
    c->nrow = left < c->row_room ? left : c->row_room;
    histories_forget(c->events, clocks_row_time(c, c->first_row));
    for (size_t i = 0; i < (size_t)c->team->n * c->system->shapes.n; i++)
        strip_refresh(&c->strips[i]);
    for (size_t i = 0; i < (size_t)c->team->n * c->system->shapes.n && c->stiff; i++)
        strip_refresh(&c->stiff[i]);
    LiederStatus status = run_to_end(c);
    *nrow = status == LIEDER_DONE ? c->nrow : 0;
    report_messages(c);
    return status;
}

double clocks_row(const Clocks *c, size_t row, const double **x, Moment *moment)
{
    const LiederSystem *system = c->system;
    const double *choices = c->rows + row * c->row_numbers + system->nstate,
                 *memory = choices + system->nchoice, *times = memory + system->nmemory;
    for (size_t i = 0; i < system->shapes.n; i++)
        c->times[i] = times + c->first_clock[i];
    *x = c->rows + row * c->row_numbers;
    *moment = (Moment){.event_time = NAN,
                       .choices = system->nchoice ? choices : NULL,
                       .memory = system->nmemory ? memory : NULL,
                       .clocks = c->times};
    return clocks_row_time(c, c->first_row + row);
}

bool clocks_ended(const Clocks *c)
{
    return isfinite(c->end);
}

bool clocks_events(Clocks *c,
                   bool (*output)(void *user, const LiederLane *lane, double t, const double *x,
                                  LiederRow kind),
                   void *user)
{
    bool on = true;
    for (size_t i = 0; i < c->blocks.n; i++) {
        StripBlock *b = &c->blocks.items[i];
        const SystemShape *ss = &c->system->shapes.items[b->task.shape];
        for (size_t k = 0; k < b->events.n && on; k++) {
            const LaneEvent *e = &b->events.items[k];
            LiederLane lane = {.number = c->first_clock[b->task.shape] + e->lane,
                               .nstate = ss->shape->states.n,
                               .first_state = ss->first_state + e->lane,
                               .stride = ss->shape->nlane};
            on = output(user, &lane, e->t, b->states.items + e->state, e->kind);
        }
        b->events.n = b->states.n = 0;
    }
    return on;
}

/* ------------------------------------------------------------------ sums */

void clocks_report_rest(const Clocks *c)
{
    Diagnostics *diag = &c->system->session->diag;
    if (c->reported[0] > MAX_WARNINGS)
        diag_warning(diag, NULL, NULL, "%zu more warnings of other lanes are not shown",
                     c->reported[0] - MAX_WARNINGS);
    if (c->reported[1] > MAX_ERRORS)
        diag_error(diag, NULL, NULL, "%zu more errors of other lanes are not shown",
                   c->reported[1] - MAX_ERRORS);
}

LiederStatus clocks_status(const Clocks *c)
{
    LiederStatus status = LIEDER_DONE;
    for (size_t i = 0; i < c->nclock && status == LIEDER_DONE; i++)
        status = c->clocks[i].status;
    return agree_on(c, status);
}

void clocks_agree(const Clocks *c, LiederStatistics *s)
{
    size_t *sums[] = {&s->steps,        &s->rejected,    &s->state_events, &s->time_events,
                      &s->lanes,        &s->evaluations, &s->jacobians,    &s->factorisations,
                      &s->failed_lanes, &s->stiff_lanes};
    if (!c || rank_count(c->system) < 2)
        return;
    double smallest = s->steps ? s->smallest_step : INFINITY;
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        *sums[i] = ranks_sum(c->system, *sums[i]);
    s->most_steps = (size_t)ranks_greatest(c->system, (double)s->most_steps);
    s->largest_step = ranks_greatest(c->system, s->largest_step);
    smallest = ranks_least(c->system, smallest);
    s->smallest_step = s->steps ? smallest : 0;
}

void clocks_statistics(const Clocks *c, LiederStatistics *s)
{
    s->steps = s->rejected = s->state_events = s->time_events = 0;
    s->lanes = c->nclock;
    s->most_steps = s->failed_lanes = s->stiff_lanes = 0;
    s->smallest_step = INFINITY;
    s->largest_step = 0;
    for (size_t i = 0; i < c->nclock; i++) {
        const LaneClock *k = &c->clocks[i];
        s->steps += k->steps;
        s->rejected += k->rejected;
        s->state_events += k->state_events;
        s->time_events += k->time_events;
        s->failed_lanes += k->status != LIEDER_DONE;
        s->stiff_lanes += k->stiff;
        s->most_steps = k->steps > s->most_steps ? k->steps : s->most_steps;
        s->smallest_step = fmin(s->smallest_step, k->smallest);
        s->largest_step = fmax(s->largest_step, k->largest);
    }
    if (!s->steps)
        s->smallest_step = 0;
    s->evaluations = s->jacobians = s->factorisations = 0;
    for (size_t i = 0; i < c->blocks.n; i++) {
        const StripBlock *b = &c->blocks.items[i];
        s->evaluations += b->evaluations;
        s->jacobians += b->jacobians;
        s->factorisations += b->jacobians;
    }
}
