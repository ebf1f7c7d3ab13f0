/* rk.c - explicit Runge-Kutta with fixed steps, strip by strip.
 *
 *   rk1  Euler           rk3  Kutta      0   |              rk4  classical  0   |
 *   rk2  Heun  0 |                       1/2 | 1/2                          1/2 | 1/2
 *              1 | 1                     1   | -1   2                       1/2 | 0   1/2
 *              1/2 1/2                   1/6 4/6 1/6                        1   | 0   0   1
 *                                                                           1/6 2/6 2/6 1/6
 *
 * Heun rather than the midpoint rule: its second stage reads the end of the step, as those of
 * rk3 and rk4 do, so that one rule about jumps serves all.
 *
 * A step needs three vectors beside x: the stage y, the slope k and a weighted sum of slopes.
 *
 *   k = f(t, x);              y = x + p k,            sum = k
 *   k = f(t + c h, y);        y = x + (p k + q sum),  sum = sum + r k       (stages between)
 *   k = f(t + h, y);          x = x + s (sum + k)
 *
 * For the strip at hand they fit the first-level cache together with its records, and stay there
 * for all stages of many steps; whole-array stages are bound by memory (four times slower at a
 * million crane crabs). Keeping all slopes apart, as a general Butcher table wants, was rejected:
 * twice the vectors for nothing.
 *
 * The time of step i is origin + i h. Jumps are decided at the start of a step: what happens at
 * t + h belongs to the next step even though the last stage stands there.
 */
#include "solve/method/rk.h"
#include "base/clock.h"
#include "solve/run/ranks.h"

#include <math.h>

enum { HUGE_STRIP = 10000 }; /* states of a strip of which a single step takes long */
enum { APART_STRIDE = 4 };   /* in one step of so many the end is compared with the last stage */

typedef struct RungeKuttaTable {
    size_t nstage;
    double c[4];             /* of stage 2 ... */
    double p[4], q[4], r[4]; /* after stage 1 ..., in steps */
    double s;
} RungeKuttaTable;

static const RungeKuttaTable tables[] = {
    [LIEDER_RK1] = {.nstage = 1, .s = 1},
    [LIEDER_RK2] = {.nstage = 2, .c = {1}, .p = {1}, .s = 1.0 / 2},
    [LIEDER_RK3] =
        {.nstage = 3, .c = {0.5, 1}, .p = {0.5, 2}, .q = {0, -1}, .r = {0, 4}, .s = 1.0 / 6},
    [LIEDER_RK4] =
        {.nstage = 4, .c = {0.5, 0.5, 1}, .p = {0.5, 0.5, 1}, .r = {0, 2, 2}, .s = 1.0 / 6},
};

ButcherTable rk_table(LiederSolver solver)
{
    const RungeKuttaTable *t = &tables[solver];
    ButcherTable b = {.nstage = (int)t->nstage, .order = lieder_solver_info(solver)->order};
    double sum[MAX_STAGES] = {0};
    for (size_t stage = 1; stage < t->nstage; stage++) {
        size_t i = stage - 1;
        b.c[stage] = t->c[i];
        for (size_t k = 0; k < i; k++)
            b.a[stage][k] = t->q[i] * sum[k];
        b.a[stage][i] = t->p[i];
        sum[i] = stage == 1 ? 1 : t->r[i];
    }
    sum[t->nstage - 1] = 1;
    for (size_t k = 0; k < t->nstage; k++)
        b.b[k] = t->s * sum[k];
    return b;
}

/* one strip while its steps are taken */
typedef struct StripWalk {
    LiederSystem *system;
    SystemShape *ss;
    Workspace *workspace;
    size_t lane, n;
    double *whole;              /* the state of the system */
    double *x, *y, *k, *sum;    /* x: the strip in the whole vector, or a copy for a guest */
    size_t rows, row, stride;   /* x is rows pieces of `row` numbers, `stride` apart */
    const Moment *moment;       /* choices and memory */
    double stage_time, decided; /* of the last stage: its time, that for which jumps are decided */
    bool first_stage;           /* it is the first one of its step, at x */
    bool oriented;              /* the shape has a sign (orientation.c), so that `apart` is found */
    bool apart;                 /* in some step the last stage stood far from the end */
    size_t apart_step, apart_lane; /* the first such step of this call, and a lane of it */
} StripWalk;

/* prepares steps of a strip of lanes, from the state x of the system */
static StripWalk walk_strips(LiederSystem *system, SystemShape *ss, Workspace *workspace,
                             double *stages, const Moment *moment, size_t lane, size_t n, double *x)
{
    size_t nstate = ss->shape->states.n;
    StripView v = strip_view(system, ss, lane, n, x, NULL, stages + 3 * system->stage_room);
    StripWalk w = {.system = system,
                   .ss = ss,
                   .workspace = workspace,
                   .moment = moment,
                   .lane = lane,
                   .n = n,
                   .whole = x,
                   .x = (double *)v.x,
                   .y = stages,
                   .k = stages + system->stage_room,
                   .sum = stages + 2 * system->stage_room,
                   .rows = nstate,
                   .row = n,
                   .stride = v.stride};
    if (n == v.stride) { /* one piece */
        w.rows = 1;
        w.row = nstate * n;
    }
    return w;
}

/* Is the last stage not finite? Then it is the cause of pivots that are small, too. */
static bool overflowed(StripWalk *w)
{
    for (size_t i = 0; i < w->rows * w->row; i++)
        if (!isfinite(w->y[i])) {
            strip_fill(w->ss, w->workspace);
            return true;
        }
    return false;
}

/* the worst status of all ranks, where they share one net */
static LiederStatus agree_on_strips(const StripWalk *w, LiederStatus status)
{
    return w->system->cut ? (LiederStatus)-ranks_greatest(w->system, -(double)status) : status;
}

/* Does the last stage of the step of `length` that ends at x stand far from there? A step over a
 * singular point ends anywhere, and its slopes say so. With one stage it is the begin of the step,
 * whose slope is in k. */
static void note_apart(StripWalk *w, bool alone, double length)
{
    static const double APART = 0.05; /* of 1 + |x| */
    for (size_t s = 0; s < w->rows && alone; s++)
        for (size_t i = s * w->row; i < (s + 1) * w->row; i++)
            w->y[i] = w->x[s * w->stride + i - s * w->row] - length * w->k[i];
    for (size_t s = 0; s < w->rows && !w->apart; s++) {
        size_t i = w->ss->plan.lean_ops->first_apart(w->x + s * w->stride, w->y + s * w->row, APART,
                                                     w->row);
        w->apart = i < w->row;
        w->apart_lane = w->lane + i % w->n;
    }
}

/* keeps step, shape and lane of a strip whose stages stand apart, if no thread has an earlier
 * one */
static void keep_apart(RkSteps *r, const StripWalk *w, uint32_t shape)
{
    uint64_t key = (uint64_t)(w->apart_step + 1) << 48 | (uint64_t)shape << 32 | w->apart_lane;
    uint64_t least = __atomic_load_n(&r->apart, __ATOMIC_RELAXED);
    if (!w->apart || w->apart_step >= UINT16_MAX || shape > UINT16_MAX ||
        w->apart_lane > UINT32_MAX)
        return;
    while ((!least || key < least) &&
           !__atomic_compare_exchange_n(&r->apart, &least, key, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
        ;
}

/* one step from t; a failure leaves the slope that is wrong in k */
static LiederStatus step_strip(StripWalk *w, const RungeKuttaTable *table, double t, double h)
{
    const LaneOps *ops = w->ss->plan.lean_ops;
    Moment moment = *w->moment;
    moment.event_time = t + STEP_MARGIN * h;
    LiederStatus status = strip_evaluate(w->system, w->ss, w->workspace, t, &moment, w->lane, w->n,
                                         w->x, w->stride, w->k, w->n);
    w->decided = moment.event_time;
    w->stage_time = t;
    w->first_stage = true;
    if (status != LIEDER_DONE)
        return status;
    w->first_stage = false;
    if (table->nstage == 1)
        for (size_t i = 0; i < w->rows * w->row; i++)
            w->sum[i] = 0;
    for (size_t stage = 1; stage < table->nstage; stage++) {
        size_t i = stage - 1;
        for (size_t s = 0; s < w->rows; s++) {
            double *x = w->x + s * w->stride, *y = w->y + s * w->row, *k = w->k + s * w->row,
                   *sum = w->sum + s * w->row;
            if (stage == 1)
                ops->stage_first(y, sum, x, k, table->p[0] * h, w->row);
            else
                ops->stage_next(y, sum, x, k, table->p[i] * h, table->q[i] * h, table->r[i],
                                w->row);
        }
        status = strip_evaluate(w->system, w->ss, w->workspace, t + table->c[i] * h, &moment,
                                w->lane, w->n, w->y, w->n, w->k, w->n);
        w->stage_time = t + table->c[i] * h;
        if (status != LIEDER_DONE)
            return agree_on_strips(w, overflowed(w) ? LIEDER_NOT_FINITE : status);
    }
    double not_finite = 0;
    for (size_t s = 0; s < w->rows; s++)
        not_finite += ops->stage_last(w->x + s * w->stride, w->sum + s * w->row, w->k + s * w->row,
                                      table->s * h, w->row);
    return agree_on_strips(w, not_finite != 0 ? LIEDER_NOT_FINITE : LIEDER_DONE);
}

/* r->n steps; *good: how many went well */
static LiederStatus steps_of_strip(StripWalk *w, const RkSteps *r, int worker, size_t *good)
{
    const RungeKuttaTable *table = &tables[r->solver];
    LiederStatus status = LIEDER_DONE;
    bool huge = w->ss->shape->states.n * w->n > HUGE_STRIP;
    strip_load(w->ss, w->workspace, w->lane, w->n);
    for (*good = 0; *good < r->n; (*good)++) {
        if (huge && should_stop(r->stop_check, worker)) {
            status = LIEDER_STOPPED;
            break;
        }
        status = step_strip(w, table, r->origin + (double)(r->first + *good) * r->h, r->h);
        if (status != LIEDER_DONE)
            break;
        if (w->oriented && (r->first + *good) % APART_STRIDE == 0 && !w->apart) {
            note_apart(w, table->nstage == 1, r->h);
            w->apart_step = *good;
        }
    }
    strip_return(w->ss, w->lane, w->n, &(StripView){.dx = w->x}, w->whole);
    return status;
}

/* the steps of one strip, on one thread; a lane that fails is explained */
static LiederStatus work_on_strip(Team *team, int worker, size_t task, void *argument)
{
    RkSteps *r = argument;
    const Task *k = &team->tasks.items[task];
    StripWalk w = walk_strips(team->system, &team->system->shapes.items[k->shape],
                              team_workspace(team, worker, k->shape), team_stages(team, worker),
                              r->moment, k->lane, k->n, r->x);
    w.oriented = shape_has_sign(w.ss);
    size_t good;
    if (should_stop(r->stop_check, worker))
        return LIEDER_STOPPED;
    LiederStatus status = steps_of_strip(&w, r, worker, &good);
    keep_apart(r, &w, k->shape);
    if (status != LIEDER_DONE) {
        /* small pivots have left a mark in the workspace */
        strip_fill(w.ss, w.workspace);
        /* the least of all threads */
        size_t least = __atomic_load_n(&r->good, __ATOMIC_RELAXED);
        while (good < least && !__atomic_compare_exchange_n(&r->good, &least, good, true,
                                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            ;
    }
    return status;
}

/* Steps that a task takes at once. A thread that is stopped in the middle of a task holds up the
 * others, so that tasks end after POOL_PIECE; the bits do not depend on it. */
static size_t steps_at_once(const Team *team, size_t left)
{
    enum { STEPS_AT_FIRST = 4 };
    double most = STEPS_AT_FIRST;
    if (team->n == 1)
        return left;
    if (team->step_seconds > 0)
        most = POOL_PIECE / team->step_seconds;
    if (most >= (double)left)
        return left;
    size_t parts = most < 1 ? left : (left + (size_t)most - 1) / (size_t)most;
    return (left + parts - 1) / parts; /* equal parts */
}

/* Measures the time of a step of a strip, from the time of all. Other programs make it longer,
 * never shorter, so that the least counts; it grows slowly in case the model has become slower. */
static void learn_step_seconds(Team *team, double seconds, size_t steps)
{
    if (team->tasks.n == 0)
        return;
    double now = seconds * team->n / (double)team->tasks.n / (double)steps;
    double before = 1.1 * team->step_seconds;
    team->step_seconds = before > 0 && before < now ? before : now;
}

LiederStatus rk_run(Team *team, RkSteps *r)
{
    double began = clock_seconds();
    size_t failed, good = 0;
    LiederStatus status = LIEDER_DONE;
    RkSteps some = *r;
    while (good < r->n && status == LIEDER_DONE) {
        double part_began = clock_seconds();
        some.first = r->first + good;
        some.apart = 0;
        some.good = some.n = steps_at_once(team, r->n - good);
        TeamEffort effort = {.few = 2, .task_seconds = team->step_seconds * (double)some.n};
        status = team_run(team, 0, team->tasks.n, &effort, work_on_strip, &some, &failed);
        if (status == LIEDER_DONE && team->n > 1)
            learn_step_seconds(team, clock_seconds() - part_began, some.n);
        if (some.apart && !r->apart)
            r->apart = some.apart + ((uint64_t)good << 48);
        good += some.good;
    }
    r->good = good;
    team->evaluations += r->good * tables[r->solver].nstage;
    team->seconds += clock_seconds() - began;
    return status;
}

/* reports what was wrong with the stage that failed */
static void explain_stage(StripWalk *w, LiederStatus failure)
{
    Moment moment = *w->moment;
    moment.event_time = w->decided;
    strip_explain(w->system, w->ss, w->workspace, w->stage_time, &moment, w->lane, w->n,
                  w->first_stage ? w->x : w->y, w->first_stage ? w->stride : w->n, w->k, w->n,
                  failure);
}

/* reports a state that has overflowed */
static void name_state(LiederSystem *system, const SystemShape *ss, const StripWalk *w, double t)
{
    char name[600];
    for (size_t s = 0; s < ss->shape->states.n; s++)
        for (size_t l = 0; l < w->n; l++)
            if (!isfinite(w->x[s * w->stride + l])) {
                lieder_system_state_name(system, home_state(ss, s, w->lane + l), name, sizeof name);
                diag_error(&system->session->diag, NULL, name,
                           "the state is %g after the step from t = %g\nthe step may be too long "
                           "for this solver: 'lieder eigen' has the longest stable one; adaptive "
                           "solvers (--solver bdf) find theirs",
                           w->x[s * w->stride + l], t);
                return;
            }
}

LiederStatus rk_lane_steps(LiederSystem *system, SystemShape *ss, size_t lane, RkSteps *r)
{
    StripWalk w = walk_strips(system, ss, ss->workspace, system->stages, r->moment, lane, 1, r->x);
    return steps_of_strip(&w, r, 0, &r->good);
}

LiederStatus rk_lane_slope(LiederSystem *system, SystemShape *ss, size_t lane, double t,
                           double decided, const Moment *held, double *x, double *k)
{
    StripWalk w = walk_strips(system, ss, ss->workspace, system->stages, held, lane, 1, x);
    Moment moment = *held;
    moment.event_time = decided;
    strip_load(ss, ss->workspace, lane, 1);
    return strip_evaluate(system, ss, ss->workspace, t, &moment, lane, 1, w.x, w.stride, k, 1);
}

LiederStatus rk_explain(Team *team, const RkSteps *r, LiederStatus failure)
{
    LiederSystem *system = team->system;
    double t = r->origin + (double)(r->first + r->good) * r->h;
    for (size_t i = 0; i < team->tasks.n; i++) {
        const Task *k = &team->tasks.items[i];
        SystemShape *ss = &system->shapes.items[k->shape];
        StripWalk w =
            walk_strips(system, ss, ss->workspace, system->stages, r->moment, k->lane, k->n, r->x);
        strip_load(ss, ss->workspace, k->lane, k->n);
        LiederStatus status = step_strip(&w, &tables[r->solver], t, r->h);
        if (status == LIEDER_DONE)
            continue;
        size_t before = system->session->diag.list.n;
        explain_stage(&w, status);
        if (system->session->diag.list.n == before)
            name_state(system, ss, &w, t);
        return status;
    }
    return failure;
}

/* by one thread, with a diagnostic where it fails */
static LiederStatus steps_of_all(LiederSystem *system, const RkSteps *r)
{
    for (size_t i = 0; i < system->shapes.n; i++) {
        SystemShape *ss = &system->shapes.items[i];
        size_t width = ss->width, lanes, good;
        for (size_t lane = 0; lanes_next(ss, &lane, &lanes, width) && ss->shape->states.n;
             lane += lanes) {
            StripWalk w = walk_strips(system, ss, ss->workspace, system->stages, r->moment, lane,
                                      lanes, r->x);
            LiederStatus status = steps_of_strip(&w, r, 0, &good);
            if (status == LIEDER_DONE)
                continue;
            double when = r->origin + (double)(r->first + good) * r->h;
            size_t before = system->session->diag.list.n;
            explain_stage(&w, status);
            if (system->session->diag.list.n == before)
                name_state(system, ss, &w, when);
            return status;
        }
    }
    return LIEDER_DONE;
}

LiederStatus lieder_step(LiederSystem *system, LiederSolver solver, double t, double h, size_t n,
                         double *x)
{
    if (!solver_steps_explicitly(solver)) {
        diag_error(&system->session->diag, NULL, NULL,
                   "lieder_step takes explicit solvers with fixed steps only\nuse lieder_simulate "
                   "for %s",
                   lieder_solver_name(solver));
        return LIEDER_BAD_USE;
    }
    if (!(h > 0) || !isfinite(h) || !isfinite(t)) {
        diag_error(&system->session->diag, NULL, NULL,
                   "a step of %g at t = %g is impossible\nthe step must be positive", h, t);
        return LIEDER_BAD_USE;
    }
    for (size_t i = 0; i < system->nhome; i++)
        if (system->shapes.items[i].held.nhistory) {
            diag_error(
                &system->session->diag, NULL, NULL,
                "the model has delays, and lieder_step keeps no past\nuse lieder_simulate or "
                "a stepper");
            return LIEDER_BAD_USE;
        }
    RkSteps r = {.solver = solver, .origin = t, .h = h, .n = n, .x = x, .moment = &system->moment};
    if (!system->choices)
        return steps_of_all(system, &r);
    LiederStatus status = LIEDER_DONE;
    for (r.n = 1; r.first < n && status == LIEDER_DONE; r.first++) { /* modes change between them */
        status = held_enter(system, t + (double)r.first * h, x);
        if (status == LIEDER_DONE)
            status = steps_of_all(system, &r);
        held_leave(system);
    }
    return status;
}
