/* strip.c - a strip of lanes, each with its own time, step and events.
 *
 *   loop: slopes where they are not known (after an event), first steps, a trial step for all
 *         lanes, errors, values of crossings at the end and in the middle of the step; then each
 *         lane by itself (strip_lane.c); lanes that have reached the horizon make room for the next
 *         lanes of the block
 *
 * Lanes in use stand first; when half of the places are empty the strip becomes narrower.
 */
#include "solve/clocks/strip.h"

#include <math.h>
#include <string.h>

enum { MAX_WIDTH = 64, STRIP_BYTES = 1 << 17, PAUSE_ROUNDS = 64 };

/* ------------------------------------------------------------------ creation */

/* how many numbers a strip keeps for each lane: they decide how wide it may be */
static size_t lane_numbers(LiederSolver solver, const SystemShape *ss)
{
    size_t n = ss->shape->states.n, k = ss->held.crossings.n, m = ss->held.memories.n;
    size_t stiff = solver == LIEDER_RODAS4 ? n * n + 3 * n : 0;
    return (6 + ONESTEP_SLOPES) * n + 3 * k + 4 * m + 8 + stiff;
}

size_t strip_width(LiederSolver solver, const SystemShape *ss)
{
    size_t lanes = (size_t)ss->plan.lean.lanes, width = (size_t)ss->strip * lanes;
    if (width > MAX_WIDTH)
        width = MAX_WIDTH;
    while (width > lanes && (lane_numbers(solver, ss) * width * sizeof(double) > STRIP_BYTES ||
                             width / 2 >= ss->shape->nlane))
        width /= 2;
    return width;
}

/* places of the vectors for a strip of this width */
static void lay_out(Strip *s, size_t width)
{
    size_t n = s->n, k = s->home->held.crossings.n, m = s->home->held.memories.n;
    double *at = s->vectors;
    double **rows[] = {&s->trial.x, &s->trial.y, &s->stage, &s->f, &s->f_t, &s->nominal};
    double **crossings[] = {&s->choices, &s->end_values, &s->middle_values};
    double **memories[] = {&s->memory, &s->requested, &s->requested_inside, &s->found};
    double **single[] = {&s->h, &s->error, &s->size_x, &s->size_f, &s->steps, &s->stiffness};
    double **stiff[] = {&s->moved, &s->changed, &s->step};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++, at += n * width)
        *rows[i] = at;
    for (size_t i = 0; i < ONESTEP_SLOPES; i++, at += n * width)
        s->trial.k[i] = at;
    for (size_t i = 0; i < sizeof crossings / sizeof *crossings; i++, at += k * width)
        *crossings[i] = at;
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++, at += m * width)
        *memories[i] = at;
    for (size_t i = 0; i < sizeof single / sizeof *single; i++, at += width)
        *single[i] = at;
    if (s->solver == LIEDER_RODAS4) {
        for (size_t i = 0; i < sizeof stiff / sizeof *stiff; i++, at += n * width)
            *stiff[i] = at;
        s->matrices = at;
        at += n * n * width;
    }
    s->times = at; /* whole registers are read */
    s->event_times = at + width + 2 * LIEDER_TIMES;
    s->width = width;
    s->trial.n = n;
    s->trial.width = width;
    s->trial.h = s->h;
    s->view.shape.nlane = width;
}

bool strip_create(Strip *s, Clocks *c, LiederSolver solver, int worker, uint32_t shape,
                  LaneSystem *single)
{
    const SystemShape *home = &c->system->shapes.items[shape];
    size_t width = strip_width(solver, home);
    *s = (Strip){.c = c,
                 .solver = solver,
                 .tolerance = onestep_tolerance(solver, c->setup.tolerance),
                 .single = single,
                 .home = home,
                 .shape = shape,
                 .workspace = team_workspace(c->team, worker, shape),
                 .n = home->shape->states.n};
    s->nvector = lane_numbers(solver, home) * width + 4 * LIEDER_TIMES;
    s->vectors = memory_aligned(c->alloc, s->nvector * sizeof(double));
    s->pivots = memory_zeroed(c->alloc, (s->n * width + 1) * sizeof *s->pivots);
    s->plans = memory_zeroed(c->alloc, width * sizeof *s->plans);
    s->fresh = memory_zeroed(c->alloc, width);
    bool ok = s->vectors && s->pivots && s->plans && s->fresh &&
              view_create(&s->view, home, width, s->workspace, c->alloc);
    if (!ok) {
        s->view.width = width;
        strip_drop(s);
        return false;
    }
    lay_out(s, width);
    return true;
}

void strip_drop(Strip *s)
{
    if (!s->c)
        return;
    const LiederAllocator *alloc = s->c->alloc;
    size_t width = s->view.width;
    memory_free_aligned(alloc, s->vectors, s->nvector * sizeof(double));
    memory_free(alloc, s->pivots, (s->n * width + 1) * sizeof *s->pivots);
    memory_free(alloc, s->plans, width * sizeof *s->plans);
    memory_free(alloc, s->fresh, width);
    view_drop(&s->view);
    *s = (Strip){0};
}

void strip_refresh(Strip *s)
{
    if (!s->c)
        return;
    s->view.ss.code.compiled = s->home->code.compiled;
    s->view.ss.code.fused = s->home->code.fused;
}

/* ------------------------------------------------------------------ lanes come and go */

void strip_fetch_held(Strip *s, size_t l)
{
    const Events *all = s->c->events;
    size_t lane = s->view.lanes[l];
    for (size_t k = 0; k < s->home->held.crossings.n; k++)
        s->choices[k * s->width + l] = all->choices[home_choice(s->home, k, lane)];
    for (size_t k = 0; k < s->home->held.memories.n; k++)
        s->memory[k * s->width + l] = all->memory[home_memory(s->home, k, lane)];
}

static void put_lane(Strip *s, size_t l, size_t lane)
{
    view_set(&s->view, l, lane);
    for (size_t i = 0; i < s->n; i++) {
        size_t at = home_state(s->home, i, lane);
        s->trial.x[i * s->width + l] = s->c->x[at];
        s->nominal[i * s->width + l] = state_nominal(s->c->system, at);
    }
    strip_fetch_held(s, l);
    s->fresh[l] = 0;
    s->loaded = false;
}

/* the state of the lane at place l is written to that of the system */
static void take_lane(Strip *s, size_t l)
{
    for (size_t i = 0; i < s->n; i++)
        s->c->x[home_state(s->home, i, s->view.lanes[l])] = s->trial.x[i * s->width + l];
}

/* place l becomes what place `from` is */
static void move_lane(Strip *s, size_t l, size_t from)
{
    size_t w = s->width;
    view_set(&s->view, l, s->view.lanes[from]);
    for (size_t i = 0; i < s->n; i++) {
        s->trial.x[i * w + l] = s->trial.x[i * w + from];
        s->trial.k[0][i * w + l] = s->trial.k[0][i * w + from];
        s->nominal[i * w + l] = s->nominal[i * w + from];
    }
    for (size_t k = 0; k < s->home->held.crossings.n; k++)
        s->choices[k * w + l] = s->choices[k * w + from];
    for (size_t k = 0; k < s->home->held.memories.n; k++)
        s->memory[k * w + l] = s->memory[k * w + from];
    s->fresh[l] = s->fresh[from];
    s->loaded = false;
}

/* fewer places, once half of them are empty: the lanes in use are read again */
static void narrow(Strip *s)
{
    size_t lanes = (size_t)s->home->plan.lean.lanes, width = s->width;
    while (width / 2 >= s->active && width / 2 >= lanes && width > 1)
        width /= 2;
    if (width == s->width)
        return;
    size_t kept[MAX_WIDTH];
    for (size_t l = 0; l < s->active; l++) {
        kept[l] = s->view.lanes[l];
        take_lane(s, l);
    }
    lay_out(s, width);
    for (size_t l = 0; l < s->active; l++)
        put_lane(s, l, kept[l]);
}

/* ------------------------------------------------------------------ evaluations */

Moment strip_moment(const Strip *s, size_t l)
{
    return (Moment){.event_time = NAN,
                    .choices = s->choices,
                    .memory = s->memory,
                    .times = s->times + l,
                    .event_times = s->event_times + l};
}

/* a small pivot somewhere: lane by lane; the derivatives of those that fail become NaN */
static void evaluate_singly(Strip *s, const double *x, double *dx)
{
    for (size_t l = 0; l < s->active; l++) {
        Moment moment = strip_moment(s, l);
        strip_load(&s->view.ss, s->workspace, l, 1);
        LiederStatus status =
            strip_evaluate(&s->single->thread->system, &s->view.ss, s->workspace, s->times[l],
                           &moment, l, 1, x + l, s->width, dx + l, s->width);
        if (status == LIEDER_DONE || status == LIEDER_NOT_FINITE)
            continue;
        strip_fill(&s->view.ss, s->workspace);
        for (size_t i = 0; i < s->n; i++)
            dx[i * s->width + l] = NAN;
    }
    strip_load(&s->view.ss, s->workspace, 0, s->active);
}

/* dx = f at s->times, not finite in lanes that fail */
static void evaluate_strip_lanes(Strip *s, StripBlock *block, const double *x, double *dx)
{
    Moment moment = strip_moment(s, 0);
    if (!s->loaded)
        strip_load(&s->view.ss, s->workspace, 0, s->active);
    s->loaded = true;
    block->evaluations += s->active;
    if (s->n == 0)
        return;
    LiederStatus status =
        strip_evaluate(&s->single->thread->system, &s->view.ss, s->workspace, s->times[0], &moment,
                       0, s->active, x, s->width, dx, s->width);
    if (status == LIEDER_DONE || status == LIEDER_NOT_FINITE)
        return;
    strip_fill(&s->view.ss, s->workspace);
    evaluate_singly(s, x, dx);
}

/* times of all lanes at a part of their steps */
static void set_times(Strip *s, double part)
{
    for (size_t l = 0; l < s->active; l++)
        s->times[l] = part < 1 ? strip_clock(s, l)->t + part * s->h[l] : s->plans[l].end;
}

/* slopes at the begin, where they are not known */
static void find_slopes(Strip *s, StripBlock *block)
{
    bool all = true;
    for (size_t l = 0; l < s->active; l++) {
        const LaneClock *k = strip_clock(s, l);
        s->event_times[l] = k->event_time;
        s->times[l] = k->t;
        all &= s->fresh[l] != 0;
    }
    if (all)
        return;
    evaluate_strip_lanes(s, block, s->trial.x, s->f);
    for (size_t l = 0; l < s->active; l++) {
        for (size_t i = l; i < s->n * s->width && !s->fresh[l]; i += s->width)
            s->trial.k[0][i] = s->f[i];
        s->fresh[l] = 1;
    }
}

/* ------------------------------------------------------------------ steps */

static double limit_of(const Strip *s, const LaneClock *k)
{
    return k->due < s->c->setup.stop ? k->due : s->c->setup.stop;
}

/* first steps of lanes that have none */
static void find_first_steps(Strip *s, StripBlock *block)
{
    size_t n = s->n, w = s->width;
    bool any = false;
    for (size_t l = 0; l < s->active; l++)
        any |= !(strip_clock(s, l)->h > 0);
    if (!any)
        return;
    memset(s->size_x, 0, w * sizeof(double));
    memset(s->size_f, 0, w * sizeof(double));
    memset(s->error, 0, w * sizeof(double));
    onestep_sizes(n, w, s->trial.x, s->trial.x, s->tolerance, s->nominal, s->size_x);
    onestep_sizes(n, w, s->trial.k[0], s->trial.x, s->tolerance, s->nominal, s->size_f);
    for (size_t l = 0; l < s->active; l++) {
        const LaneClock *k = strip_clock(s, l);
        double most = fmin(limit_of(s, k) - k->t, k->longest);
        s->steps[l] = onestep_first_trial(s->size_x[l], s->size_f[l], most);
        s->times[l] = k->t + s->steps[l];
        for (size_t i = l; i < n * w; i += w)
            s->stage[i] = s->trial.x[i] + s->steps[l] * s->trial.k[0][i];
    }
    evaluate_strip_lanes(s, block, s->stage, s->f);
    for (size_t i = 0; i < n * w; i++)
        s->f[i] -= s->trial.k[0][i];
    onestep_sizes(n, w, s->f, s->trial.x, s->tolerance, s->nominal, s->error);
    for (size_t l = 0; l < s->active; l++) {
        LaneClock *k = strip_clock(s, l);
        double most = fmin(limit_of(s, k) - k->t, k->longest);
        if (!(k->h > 0))
            k->h = onestep_first(s->solver, s->steps[l], s->size_f[l], s->error[l], most);
    }
}

static void plan_steps(Strip *s)
{
    for (size_t l = 0; l < s->active; l++) {
        const LaneClock *k = strip_clock(s, l);
        s->plans[l] = onestep_plan(k->t, fmin(k->h, k->longest), limit_of(s, k));
        s->h[l] = s->plans[l].h;
    }
    for (size_t l = s->active; l < s->width; l++)
        s->h[l] = 1;
}

static void try_rk45(Strip *s, StripBlock *block)
{
    for (int stage = 1; stage < 7; stage++) {
        double *to = stage == 6 ? s->trial.y : s->stage;
        rk45_stage(&s->trial, stage, to);
        set_times(s, rk45_time(stage));
        evaluate_strip_lanes(s, block, to, s->trial.k[stage]);
    }
}

/* ------------------------------------------------------------------ rodas4 */

/* the columns of one colour of all Jacobians, as jacobian_evaluate computes them */
static void find_columns(Strip *s, StripBlock *block, uint32_t colour)
{
    const struct JacobianShape *pattern = &s->c->jacobian.shapes.items[s->shape];
    size_t n = s->n, w = s->width;
    memcpy(s->moved, s->trial.x, n * w * sizeof(double));
    for (size_t c = 0; c < n; c++)
        for (size_t i = c * w; i < (c + 1) * w && pattern->colour[c] == colour; i++)
            s->moved[i] = s->trial.x[i] + s->step[i];
    evaluate_strip_lanes(s, block, s->moved, s->changed);
    for (size_t c = 0; c < n; c++)
        for (uint32_t k = pattern->column[c];
             k < pattern->column[c + 1] && pattern->colour[c] == colour; k++) {
            size_t r = pattern->row[k];
            double *to = s->matrices + (r * n + c) * w;
            for (size_t l = 0; l < w; l++)
                to[l] = -((s->changed[r * w + l] - s->trial.k[0][r * w + l]) *
                          (1 / s->step[c * w + l]));
        }
}

/* 4/h I - J of all lanes, factorised */
static void find_matrices(Strip *s, StripBlock *block)
{
    const struct JacobianShape *pattern = &s->c->jacobian.shapes.items[s->shape];
    size_t n = s->n, w = s->width;
    for (size_t l = 0; l < s->active; l++)
        s->times[l] = strip_clock(s, l)->t;
    memset(s->matrices, 0, n * n * w * sizeof(double));
    for (size_t i = 0; i < n * w; i++)
        s->step[i] = jacobian_step(s->trial.x[i], s->nominal[i]);
    for (uint32_t colour = 0; colour < pattern->ncolour; colour++)
        find_columns(s, block, colour);
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < w; l++)
            s->matrices[(i * n + i) * w + l] += RODAS4_DIAGONAL / s->h[l];
    lanes_factorise(s->matrices, s->pivots, n, w);
    block->jacobians += s->active;
}

/* df/dt: the same difference as with one clock */
static void find_time_slopes(Strip *s, StripBlock *block)
{
    double *near = s->trial.k[1], *far = s->trial.k[2];
    for (int twice = 0; twice < 2; twice++) {
        for (size_t l = 0; l < s->active; l++) {
            double t = strip_clock(s, l)->t, d = onestep_time_difference(t, s->h[l]);
            s->times[l] = t + (twice ? 2 * d : d);
        }
        evaluate_strip_lanes(s, block, s->trial.x, twice ? far : near);
    }
    for (size_t l = 0; l < s->active; l++) {
        double d = onestep_time_difference(strip_clock(s, l)->t, s->h[l]);
        for (size_t i = l; i < s->n * s->width; i += s->width)
            onestep_time_slope(1, s->trial.k[0] + i, near + i, far + i, d, s->f_t + i);
    }
}

/* the defects of the curves in s->stage, and the errors of the curves in s->f_t */
static void examine_curves(Strip *s, StripBlock *block)
{
    rodas4_curve(&s->trial, s->stage, s->f_t);
    set_times(s, RODAS4_CURVE);
    evaluate_strip_lanes(s, block, s->stage, s->f);
    for (size_t i = 0; i < s->n * s->width; i++)
        s->f_t[i] = s->stage[i] = s->f[i] - s->f_t[i];
    lanes_solve(s->matrices, s->pivots, s->n, s->width, s->f_t);
}

/* the six stages of a step in all lanes, each with its own step */
static void try_rodas4(Strip *s, StripBlock *block)
{
    Trial *b = &s->trial;
    find_matrices(s, block);
    if (s->c->timed)
        find_time_slopes(s, block);
    for (int stage = 0; stage < 6; stage++) {
        const double *f = b->k[0];
        double *to = stage == 5 ? b->y : s->stage;
        if (stage > 0) {
            rodas4_stage(b, stage, to);
            set_times(s, rodas4_time(stage));
            evaluate_strip_lanes(s, block, to, s->f);
            f = s->f;
        }
        rodas4_right(b, stage, f, s->c->timed ? s->f_t : NULL, b->k[1 + stage]);
        lanes_solve(s->matrices, s->pivots, s->n, s->width, b->k[1 + stage]);
    }
    for (size_t i = 0; i < s->n * s->width; i++)
        b->y[i] += b->k[6][i];
    examine_curves(s, block);
}

/* ------------------------------------------------------------------ a block of lanes */

/* does the solver of this strip take the steps of the lane? Stiff ones go to rodas4 */
static bool fits_solver(const Strip *s, size_t lane)
{
    const LaneClock *k = &s->c->clocks[s->c->first_clock[s->shape] + lane];
    return !s->c->switches || k->stiff == (s->solver == LIEDER_RODAS4);
}

/* does the lane need no further step before the horizon? */
static bool done(const Strip *s, size_t l)
{
    const LaneClock *k = strip_clock(s, l);
    return k->status != LIEDER_DONE || k->terminated || !fits_solver(s, s->view.lanes[l]) ||
           k->t >= s->c->until ||
           s->c->setup.stop - k->t <= events_margin(&s->single->events, k->t);
}

/* lanes of the block into empty places */
static void fill_strip(Strip *s, const StripBlock *block, size_t *next)
{
    while (s->active < s->width && *next < block->task.n) {
        size_t l = s->active, lane = block->task.lane + (*next)++;
        if (!fits_solver(s, lane))
            continue;
        put_lane(s, l, lane);
        if (!strip_clock(s, l)->started)
            strip_start_lane(s, l);
        strip_rows_at_end(s, l);
        if (done(s, l))
            take_lane(s, l); /* an event at the start may have changed it */
        else
            s->active++;
    }
}

/* one trial step of each lane of the strip with its own length: slopes, stages, error, values of
 * crossings */
static void try_steps(Strip *s, StripBlock *block)
{
    find_slopes(s, block);
    find_first_steps(s, block);
    plan_steps(s);
    if (s->solver == LIEDER_RODAS4)
        try_rodas4(s, block);
    else
        try_rk45(s, block);
    if (s->c->switches && s->solver == LIEDER_RK45)
        rk45_stiffness(&s->trial, s->stage, s->nominal, s->stiffness);
    onestep_error(s->solver, &s->trial, s->tolerance, s->nominal, s->error);
    CurveDefect curve = {
        .f = s->f, .defect = s->stage, .off = s->f_t, .modes = solver_holds_modes(s->home)};
    if (s->solver == LIEDER_RODAS4)
        rodas4_curve_error(&s->trial, &curve, s->tolerance, s->nominal, s->error);
    if (s->home->held.crossings.n || s->home->held.nguess || s->single->events.requested)
        strip_find_values(s);
}

/* accepts or rejects the trial step of lane l; true: it leaves the strip */
static bool settle_lane(Strip *s, size_t l, StripBlock *block, LiederStatus *status)
{
    LaneClock *k = strip_clock(s, l);
    bool stays = true;
    if (s->error[l] <= 1)
        stays = strip_accept(s, l, block);
    else
        strip_reject(s, l);
    if (k->status == LIEDER_NO_MEMORY)
        *status = LIEDER_NO_MEMORY;
    if (stays && !done(s, l))
        return false;
    take_lane(s, l);
    strip_rows_at_end(s, l);
    return true;
}

LiederStatus strip_run(Strip *s, StripBlock *block, int worker)
{
    LiederStatus status = LIEDER_DONE;
    size_t next = 0, rounds = 0;
    lay_out(s, s->view.width);
    s->active = 0;
    s->loaded = false;
    for (;;) {
        fill_strip(s, block, &next);
        if (s->active == 0 || status != LIEDER_DONE)
            return status;
        if (++rounds % PAUSE_ROUNDS == 0 && should_stop(s->c->team->stop_check, worker))
            return LIEDER_STOPPED; /* a stiff lane may take millions of steps to the next row */
        narrow(s);
        try_steps(s, block);
        bool leaves[MAX_WIDTH];
        for (size_t l = 0; l < s->active; l++)
            leaves[l] = settle_lane(s, l, block, &status);
        for (size_t l = s->active; l-- > 0;)
            if (leaves[l] && l != --s->active)
                move_lane(s, l, s->active);
    }
}
