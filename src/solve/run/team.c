/* team.c - threads that share the strips of a system.
 *
 * Lanes are independent of each other, so that a strip may be worked on by any thread: each has
 * its own workspaces, writes to its own part of the vectors, and adds nothing up across strips.
 * So the bits are the same for any number of threads. Of several failures the one with the lowest
 * task counts.
 */
#include "solve/run/team.h"
#include "base/clock.h"
#include "solve/events/events.h"

#include <pthread.h>
#include <string.h>

static const double CHECK_SECONDS = 0.1; /* between two calls of go_on */

bool should_stop(StopCheck *p, int worker)
{
    if (!p)
        return false;
    int stopped = __atomic_load_n(&p->stopped, __ATOMIC_RELAXED);
    if (stopped || worker > 0 || clock_seconds() < p->next)
        return stopped;
    p->next = clock_seconds() + CHECK_SECONDS;
    stopped = !p->go_on(p->user);
    __atomic_store_n(&p->stopped, stopped, __ATOMIC_RELAXED);
    return stopped;
}

/* ------------------------------------------------------------------ creation */

/* a task for every strip of every shape that has states, crossings or memory; false if there is no
 * memory
 */
static bool list_tasks(Team *team)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(team->system);
    for (uint32_t i = 0; i < team->system->shapes.n; i++) {
        const SystemShape *ss = &team->system->shapes.items[i];
        size_t width = ss->width, n;
        if (!vec_push(alloc, &team->first_task, team->tasks.n))
            return false;
        if (ss->shape->states.n + ss->held.crossings.n + ss->held.memories.n == 0)
            continue;
        for (size_t lane = 0; lanes_next(ss, &lane, &n, width); lane += n)
            if (!vec_push(alloc, &team->tasks, (Task){i, lane, n}))
                return false;
    }
    return vec_push(alloc, &team->first_task, team->tasks.n);
}

/* a thread's own workspaces and stage vectors */
static bool make_worker(Team *team, Worker *w)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(team->system);
    size_t nshape = team->system->shapes.n;
    w->stages = memory_aligned(alloc, STAGE_VECTORS * team->system->stage_room * sizeof(double));
    w->workspaces = memory_zeroed(alloc, nshape * sizeof *w->workspaces);
    if (!w->stages || !w->workspaces)
        return false;
    for (size_t i = 0; i < nshape; i++) {
        SystemShape *ss = &team->system->shapes.items[i];
        if (ss->workspace &&
            !(w->workspaces[i] = workspace_create(team->system, ss, ss->held.linear_crossings)))
            return false;
    }
    return true;
}

/* Parameters may have been set since the workspaces were filled; false: no memory. Afterwards
 * evaluations ask for none. */
static bool follow_numbers(Team *team)
{
    bool ok = true;
    for (uint32_t i = 0; i < team->system->shapes.n && ok; i++)
        for (int w = 0; w < team->n && team->system->shapes.items[i].workspace && ok; w++)
            ok = workspace_follow(&team->system->shapes.items[i], team_workspace(team, w, i));
    return ok;
}

LiederStatus team_create(Team *team, LiederSystem *system, int threads)
{
    *team = (Team){.system = system, .n = threads > 1 ? threads : 1};
    bool ok = list_tasks(team);
    if (ok && team->n > 1) {
        team->pool = pool_create(SYSTEM_ALLOC(system), team->n);
        team->n = team->pool ? pool_threads(team->pool) : 1;
        team->workers = memory_zeroed(SYSTEM_ALLOC(system), (size_t)team->n * sizeof(Worker));
        ok = team->pool && team->workers;
        for (int w = 1; w < team->n && ok; w++)
            ok = make_worker(team, &team->workers[w]);
    }
    ok = ok && follow_numbers(team);
    if (!ok)
        team_drop(team);
    return ok ? LIEDER_DONE : LIEDER_NO_MEMORY;
}

void team_drop(Team *team)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(team->system);
    size_t nshape = team->system->shapes.n;
    slides_drop(team);
    pool_destroy(team->pool);
    team->pool = NULL;
    for (int w = 1; w < team->n && team->workers; w++) {
        Worker *worker = &team->workers[w];
        for (size_t i = 0; i < nshape && worker->workspaces; i++)
            workspace_destroy(&team->system->shapes.items[i], worker->workspaces[i], alloc);
        memory_free(alloc, worker->workspaces, nshape * sizeof *worker->workspaces);
        memory_free_aligned(alloc, worker->stages,
                            STAGE_VECTORS * team->system->stage_room * sizeof(double));
    }
    if (team->workers)
        memory_free(alloc, team->workers, (size_t)team->n * sizeof(Worker));
    team->workers = NULL;
    vec_drop(alloc, &team->tasks);
    vec_drop(alloc, &team->first_task);
}

Workspace *team_workspace(const Team *team, int worker, uint32_t shape)
{
    return worker == 0 ? team->system->shapes.items[shape].workspace
                       : team->workers[worker].workspaces[shape];
}

double *team_stages(const Team *team, int worker)
{
    return worker == 0 ? team->system->stages : team->workers[worker].stages;
}

/* ------------------------------------------------------------------ work */

/* a strip is evaluated in some microseconds, about as long as it takes to wake a thread */
static const TeamEffort evaluation = {.few = 64, .task_seconds = 5e-6};

/* Tasks that follow each other stand side by side in the vectors, down to one cache line: pieces of
 * several tasks where there are many, but none longer than POOL_PIECE. */
enum { PIECES = 8 };

static size_t piece_of(const Team *team, size_t ntask, double task_seconds)
{
    size_t piece = ntask / ((size_t)team->n * PIECES);
    if ((double)piece * task_seconds > POOL_PIECE)
        piece = (size_t)(POOL_PIECE / task_seconds);
    return piece ? piece : 1;
}

/* a range of tasks that threads work on */
typedef struct TaskRange {
    Team *team;
    size_t first;
    TeamWork *work;
    void *argument;
    pthread_mutex_t mutex; /* of what follows */
    size_t failed;
    LiederStatus status;
} TaskRange;

/* tasks first ... end; of several failures that of the first task counts, for any number of threads
 */
static void take_part(void *argument, int worker, size_t first, size_t end)
{
    TaskRange *s = argument;
    for (size_t i = s->first + first; i < s->first + end; i++) {
        LiederStatus status = s->work(s->team, worker, i, s->argument);
        if (status == LIEDER_DONE)
            continue;
        pthread_mutex_lock(&s->mutex);
        if (i < s->failed) {
            s->failed = i;
            s->status = status;
        }
        pthread_mutex_unlock(&s->mutex);
    }
}

LiederStatus team_run(Team *team, size_t first, size_t end, const TeamEffort *effort,
                      TeamWork *work, void *argument, size_t *failed)
{
    TaskRange s = {.team = team,
                   .first = first,
                   .work = work,
                   .argument = argument,
                   .mutex = PTHREAD_MUTEX_INITIALIZER,
                   .failed = end,
                   .status = LIEDER_DONE};
    size_t n = end - first;
    *failed = first;
    if (team->n > 1 && !follow_numbers(team))
        return LIEDER_NO_MEMORY;
    if (team->n > 1 && n >= effort->few)
        pool_run(team->pool, n, piece_of(team, n, effort->task_seconds), take_part, &s);
    else
        take_part(&s, 0, 0, n);
    *failed = s.failed;
    return s.status;
}

/* ------------------------------------------------------------------ copies */

typedef struct Copy {
    double *to;
    const double *from;
    size_t n;
} Copy;

enum { COPY_PIECE = 1 << 15 }; /* numbers */

static LiederStatus copy_task(Team *team, int worker, size_t task, void *argument)
{
    const Copy *c = argument;
    size_t at = task * COPY_PIECE, left = c->n - at;
    (void)team;
    (void)worker;
    memcpy(c->to + at, c->from + at, (left < COPY_PIECE ? left : COPY_PIECE) * sizeof *c->to);
    return LIEDER_DONE;
}

void team_copy(Team *team, double *to, const double *from, size_t n)
{
    Copy c = {to, from, n};
    size_t failed;
    TeamEffort effort = {.few = 2 * (size_t)team->n, .task_seconds = POOL_PIECE};
    team_run(team, 0, (n + COPY_PIECE - 1) / COPY_PIECE, &effort, copy_task, &c, &failed);
}

/* ------------------------------------------------------------------ evaluations */

typedef struct TeamEvaluation {
    double t;
    const Moment *moment;
    const double *x;
    double *dx;
    Readings readings;
} TeamEvaluation;

/* derivatives of one strip */
static LiederStatus evaluate_task(Team *team, int worker, size_t task, void *argument)
{
    const TeamEvaluation *e = argument;
    const Task *k = &team->tasks.items[task];
    SystemShape *ss = &team->system->shapes.items[k->shape];
    Workspace *workspace = team_workspace(team, worker, k->shape);
    StripView v =
        strip_view(team->system, ss, k->lane, k->n, e->x, e->dx, team_stages(team, worker));
    strip_load(ss, workspace, k->lane, k->n);
    LiederStatus status = strip_evaluate(team->system, ss, workspace, e->t, e->moment, k->lane,
                                         k->n, v.x, v.stride, v.dx, v.stride);
    strip_return(ss, k->lane, k->n, &v, e->dx);
    return status;
}

/* After a failure: with `explain` evaluates the task again and reports it; clears the mark that a
 * small pivot leaves in workspaces. */
static LiederStatus drop_workers(Team *team, TeamEvaluation *e, size_t task, bool explain,
                                 LiederStatus failure)
{
    const Task *k = &team->tasks.items[task];
    SystemShape *ss = &team->system->shapes.items[k->shape];
    if (explain) {
        failure = evaluate_task(team, 0, task, e);
        StripView v =
            strip_view(team->system, ss, k->lane, k->n, e->x, e->dx, team_stages(team, 0));
        strip_explain(team->system, ss, ss->workspace, e->t, e->moment, k->lane, k->n, v.x,
                      v.stride, v.dx, v.stride, failure);
    }
    if (failure == LIEDER_SINGULAR)
        for (int w = 0; w < team->n; w++)
            strip_fill(ss, team_workspace(team, w, k->shape));
    return failure;
}

LiederStatus team_derivatives(Team *team, double t, const Moment *moment, const double *x,
                              double *dx, bool explain)
{
    double began = clock_seconds();
    TeamEvaluation e = {.t = t, .moment = moment, .x = x, .dx = dx};
    size_t failed;
    if (should_stop(team->stop_check, 0))
        return LIEDER_STOPPED;
    for (size_t i = 0; i < team->system->nhome; i++)
        rest_states(team->system, &team->system->shapes.items[i], dx);
    LiederStatus status = team_run(team, 0, team->tasks.n, &evaluation, evaluate_task, &e, &failed);
    if (status != LIEDER_DONE)
        status = drop_workers(team, &e, failed, explain, status);
    for (uint32_t i = 0; team->slide_room && status == LIEDER_DONE && i < team->system->shapes.n;
         i++)
        status = slide_derivatives(team, i, t, moment, x, dx);
    team->evaluations++;
    team->seconds += clock_seconds() - began;
    return status;
}

LiederStatus team_shape_derivatives(Team *team, uint32_t shape, double t, const Moment *moment,
                                    const double *x, double *dx)
{
    TeamEvaluation e = {.t = t, .moment = moment, .x = x, .dx = dx};
    size_t failed;
    if (should_stop(team->stop_check, 0))
        return LIEDER_STOPPED;
    LiederStatus status =
        team_run(team, team->first_task.items[shape], team->first_task.items[shape + 1],
                 &evaluation, evaluate_task, &e, &failed);
    if (status != LIEDER_DONE)
        status = drop_workers(team, &e, failed, false, status);
    return status == LIEDER_DONE ? slide_derivatives(team, shape, t, moment, x, dx) : status;
}

/* reads crossings, requests, delays and guesses of one strip, see Readings */
static LiederStatus read_task(Team *team, int worker, size_t task, void *argument)
{
    const TeamEvaluation *e = argument;
    const Task *k = &team->tasks.items[task];
    SystemShape *ss = &team->system->shapes.items[k->shape];
    Workspace *workspace = team_workspace(team, worker, k->shape);
    if (ss->held.crossings.n == 0 && ss->held.memories.n == 0)
        return LIEDER_DONE;
    strip_load(ss, workspace, k->lane, k->n);
    StripView v =
        strip_view(team->system, ss, k->lane, k->n, e->x, NULL, team_stages(team, worker));
    strip_read(ss, workspace, e->t, e->moment, k->lane, k->n, v.x, v.stride, e->readings);
    return LIEDER_DONE;
}

void team_read(Team *team, double t, const Moment *moment, const double *x, Readings to)
{
    TeamEvaluation e = {.t = t, .moment = moment, .x = x, .readings = to};
    size_t failed;
    if (to.values)
        rest_choices(team->system, to.values);
    if (to.choices)
        rest_choices(team->system, to.choices);
    team_run(team, 0, team->tasks.n, &evaluation, read_task, &e, &failed);
}
