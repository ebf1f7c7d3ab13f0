/* team.c - threads that share the strips of a system.
 *
 * Lanes are independent of each other, so that a strip may be worked on by any thread: each has
 * its own workspaces, writes to its own part of the vectors, and adds nothing up across strips.
 * So the bits are the same for any number of threads. Of several failures the one with the lowest
 * task counts. A shape that needs the sparse or the probing method has one record only, and is left
 * to the first thread.
 */
#include "solve/solve.h"

#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

/* ThreadSanitizer does not see into the OpenMP runtime. It is told what OpenMP guarantees, and
 * nothing more: what was done before a parallel region is seen in it, what was done in it is seen
 * after it, and a critical section sees those before. Workers among each other have no such marks:
 * what two of them touch is reported. */
#ifdef __SANITIZE_THREAD__
void __tsan_acquire(void *address);
void __tsan_release(void *address);
static char region, section, joined;
#define SEEN(mark)  __tsan_acquire(&(mark))
#define DONE(mark)  __tsan_release(&(mark))
#define NOT_WATCHED __attribute__((no_sanitize_thread, noinline))
#else
#define SEEN(mark)
#define DONE(mark)
#define NOT_WATCHED
#endif

/* ------------------------------------------------------------------ creation */

static bool list_tasks(Team *team)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(team->system);
    for (uint32_t i = 0; i < team->system->shapes.n; i++) {
        const SystemShape *ss = &team->system->shapes.items[i];
        size_t width = ss->width, n;
        if (!vec_push(alloc, &team->first_task, team->tasks.n))
            return false;
        if (ss->shape->states.n + ss->crossings.n == 0)
            continue;
        for (size_t lane = 0; lanes_next(ss, &lane, &n, width); lane += n)
            if (!vec_push(alloc, &team->tasks, (Task){i, lane, n}))
                return false;
    }
    return vec_push(alloc, &team->first_task, team->tasks.n);
}

static bool make_worker(Team *team, Worker *w)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(team->system);
    size_t nshape = team->system->shapes.n;
    w->stages = memory_aligned(alloc, STAGE_VECTORS * team->system->stage_room * sizeof(double));
    w->workspaces = memory_zeroed(alloc, nshape * sizeof(void *));
    if (!w->stages || !w->workspaces)
        return false;
    for (size_t i = 0; i < nshape; i++) {
        SystemShape *ss = &team->system->shapes.items[i];
        w->workspaces[i] = memory_aligned(alloc, ss->workspace_bytes);
        if (!w->workspaces[i])
            return false;
        if (ss->workspace)
            strip_fill(ss, w->workspaces[i]);
    }
    return true;
}

LiederStatus team_create(Team *team, LiederSystem *system, int threads)
{
    *team = (Team){.system = system, .n = threads > 1 ? threads : 1};
#ifndef _OPENMP
    team->n = 1;
#endif
    for (size_t i = 0; i < system->shapes.n; i++)
        if (system->shapes.items[i].workspace &&
            system->shapes.items[i].method != LIEDER_METHOD_TREE)
            team->n = 1;
    bool ok = list_tasks(team);
    if (ok && team->n > 1) {
        team->workers = memory_zeroed(SYSTEM_ALLOC(system), (size_t)team->n * sizeof(Worker));
        ok = team->workers;
        for (int w = 1; w < team->n && ok; w++)
            ok = make_worker(team, &team->workers[w]);
    }
    if (!ok)
        team_drop(team);
    return ok ? LIEDER_DONE : LIEDER_NO_MEMORY;
}

void team_drop(Team *team)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(team->system);
    size_t nshape = team->system->shapes.n;
    for (int w = 1; w < team->n && team->workers; w++) {
        Worker *worker = &team->workers[w];
        for (size_t i = 0; i < nshape && worker->workspaces; i++)
            memory_free_aligned(alloc, worker->workspaces[i],
                                team->system->shapes.items[i].workspace_bytes);
        memory_free(alloc, worker->workspaces, nshape * sizeof(void *));
        memory_free_aligned(alloc, worker->stages,
                            STAGE_VECTORS * team->system->stage_room * sizeof(double));
    }
    if (team->workers)
        memory_free(alloc, team->workers, (size_t)team->n * sizeof(Worker));
    team->workers = NULL;
    vec_drop(alloc, &team->tasks);
    vec_drop(alloc, &team->first_task);
}

void *team_workspace(const Team *team, int worker, uint32_t shape)
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
enum { FEW_EVALUATIONS = 64 };

/* Tasks that follow each other stand side by side in the vectors, down to one cache line. Threads
 * that take turns at them hand these lines back and forth with every store (measured: two threads
 * no faster than one), so that each takes long pieces, and enough of them to end together. */
enum { PIECES = 8 };

static size_t piece_of(const Team *team, size_t ntask)
{
    size_t piece = ntask / ((size_t)team->n * PIECES);
    return piece ? piece : 1;
}

/* a range of tasks on its way */
typedef struct Share {
    Team *team;
    size_t first, end, piece;
    TeamWork *work;
    void *argument;
    size_t failed;
    LiederStatus status;
} Share;

#ifdef _OPENMP
/* what one thread does in a parallel region */
static void take_part(Share *s)
{
    SEEN(region);
#pragma omp for schedule(dynamic, s->piece)
    for (size_t i = s->first; i < s->end; i++) {
        LiederStatus status = s->work(s->team, omp_get_thread_num(), i, s->argument);
        if (status == LIEDER_DONE)
            continue;
#pragma omp critical(lieder_team)
        {
            SEEN(section);
            if (i < s->failed) {
                s->failed = i;
                s->status = status;
            }
            DONE(section);
        }
    }
    DONE(joined);
}

/* OpenMP hands the address of the share over in a place of its own, unseen by ThreadSanitizer */
NOT_WATCHED static void work_together(Share *s)
{
    DONE(region);
#pragma omp parallel num_threads(s->team->n)
    take_part(s);
    SEEN(joined);
}
#endif

LiederStatus team_run(Team *team, size_t first, size_t end, size_t few, TeamWork *work,
                      void *argument, size_t *failed)
{
    Share s = {.team = team,
               .first = first,
               .end = end,
               .piece = piece_of(team, end - first),
               .work = work,
               .argument = argument,
               .failed = end,
               .status = LIEDER_DONE};
    (void)few;
#ifdef _OPENMP
    if (team->n > 1 && end - first >= few) {
        work_together(&s);
        *failed = s.failed;
        return s.status;
    }
#endif
    for (size_t i = first; i < end; i++) {
        LiederStatus status = work(team, 0, i, argument);
        if (status != LIEDER_DONE && s.status == LIEDER_DONE) {
            s.failed = i;
            s.status = status;
        }
    }
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
    team_run(team, 0, (n + COPY_PIECE - 1) / COPY_PIECE, 2 * (size_t)team->n, copy_task, &c,
             &failed);
}

/* ------------------------------------------------------------------ evaluations */

typedef struct Evaluation {
    double t;
    const Moment *moment;
    const double *x;
    double *dx;
    double *values, *choices;
} Evaluation;

static LiederStatus evaluate_task(Team *team, int worker, size_t task, void *argument)
{
    const Evaluation *e = argument;
    const Task *k = &team->tasks.items[task];
    SystemShape *ss = &team->system->shapes.items[k->shape];
    void *workspace = team_workspace(team, worker, k->shape);
    StripView v =
        strip_view(team->system, ss, k->lane, k->n, e->x, e->dx, team_stages(team, worker));
    strip_load(ss, workspace, k->lane, k->n);
    LiederStatus status = strip_evaluate(team->system, ss, workspace, e->t, e->moment, k->lane,
                                         k->n, v.x, v.stride, v.dx, v.stride);
    strip_return(ss, k->lane, k->n, &v, e->dx);
    return status;
}

/* a small pivot leaves its mark in the workspace: evaluate again, name it, clear it */
static LiederStatus clean_up(Team *team, Evaluation *e, size_t task, bool explain,
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
    Evaluation e = {.t = t, .moment = moment, .x = x, .dx = dx};
    size_t failed;
    for (size_t i = 0; i < team->system->nhome; i++)
        rest_states(team->system, &team->system->shapes.items[i], dx);
    LiederStatus status =
        team_run(team, 0, team->tasks.n, FEW_EVALUATIONS, evaluate_task, &e, &failed);
    if (status != LIEDER_DONE)
        status = clean_up(team, &e, failed, explain, status);
    team->evaluations++;
    team->seconds += clock_seconds() - began;
    return status;
}

LiederStatus team_shape_derivatives(Team *team, uint32_t shape, double t, const Moment *moment,
                                    const double *x, double *dx)
{
    Evaluation e = {.t = t, .moment = moment, .x = x, .dx = dx};
    size_t failed;
    LiederStatus status =
        team_run(team, team->first_task.items[shape], team->first_task.items[shape + 1],
                 FEW_EVALUATIONS, evaluate_task, &e, &failed);
    if (status != LIEDER_DONE)
        status = clean_up(team, &e, failed, false, status);
    return status;
}

static LiederStatus cross_task(Team *team, int worker, size_t task, void *argument)
{
    const Evaluation *e = argument;
    const Task *k = &team->tasks.items[task];
    SystemShape *ss = &team->system->shapes.items[k->shape];
    void *workspace = team_workspace(team, worker, k->shape);
    if (ss->crossings.n == 0)
        return LIEDER_DONE;
    strip_load(ss, workspace, k->lane, k->n);
    StripView v =
        strip_view(team->system, ss, k->lane, k->n, e->x, NULL, team_stages(team, worker));
    strip_crossings(ss, workspace, e->t, e->moment, k->lane, k->n, v.x, v.stride, e->values,
                    e->choices);
    return LIEDER_DONE;
}

void team_crossings(Team *team, double t, const Moment *moment, const double *x, double *values,
                    double *choices)
{
    Evaluation e = {.t = t, .moment = moment, .x = x, .values = values, .choices = choices};
    size_t failed;
    if (values)
        rest_choices(team->system, values);
    if (choices)
        rest_choices(team->system, choices);
    team_run(team, 0, team->tasks.n, FEW_EVALUATIONS, cross_task, &e, &failed);
}
