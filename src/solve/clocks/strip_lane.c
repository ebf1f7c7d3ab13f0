/* strip_lane.c - what becomes of one lane of a strip: its start, its rows, and what follows from a
 * trial step.
 *
 *   rejected: a shorter step; accepted: events in it are located -> rows up to there -> the event
 *   -> requests of components
 *
 * The values of crossings are evaluated for the whole strip (strip_find_values); where one
 * contradicts its choice the lane becomes a system of its own (lane_system.c), for which locate.c,
 * events.c and request.c do the rest. A component that ends the run ends its lane here; clocks.c
 * ends all others at the same time.
 */
#include "solve/clocks/strip.h"
#include "solve/judge/growth.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ rows */

/* states, choices and memory of one lane into a row of the result */
static void write_row(Strip *s, size_t l, size_t row, const double *x, size_t stride)
{
    const Clocks *c = s->c;
    double *to = c->rows + (row - c->first_row) * c->row_numbers;
    size_t lane = s->view.lanes[l];
    for (size_t i = 0; i < s->n; i++)
        to[home_state(s->home, i, lane)] = x[i * stride];
    to += c->system->nstate;
    for (size_t k = 0; k < s->home->held.crossings.n; k++)
        to[home_choice(s->home, k, lane)] = s->choices[k * s->width + l];
    to += c->system->nchoice;
    for (size_t k = 0; k < s->home->held.memories.n; k++)
        to[home_memory(s->home, k, lane)] = s->memory[k * s->width + l];
    to += c->system->nmemory;
    to[c->first_clock[s->shape] + lane] = strip_clock(s, l)->event_time;
}

/* the state inside the trial step of a lane */
static void between_times(const Strip *s, size_t l, double t, double *x)
{
    const Trial *b = &s->trial;
    double begin = strip_clock(s, l)->t;
    bool inside = t > begin && t < s->plans[l].end;
    if (inside)
        onestep_between(s->solver, b, l, (t - begin) / s->h[l], x, 1);
    for (size_t i = 0; i < s->n && !inside; i++)
        x[i] = (t <= begin ? b->x : b->y)[i * s->width + l];
}

/* rows of the trial step up to t, as far as the horizon */
static void rows_until(Strip *s, size_t l, double t)
{
    const Clocks *c = s->c;
    LaneClock *k = strip_clock(s, l);
    for (; k->row < c->first_row + c->nrow; k->row++) {
        double at = clocks_row_time(c, k->row);
        if (!(at <= t))
            return;
        between_times(s, l, at, s->single->x);
        write_row(s, l, k->row, s->single->x, 1);
    }
}

/* the states of a lane that has failed are NaN */
static void rows_of_nothing(Strip *s, size_t l)
{
    const Clocks *c = s->c;
    LaneClock *k = strip_clock(s, l);
    for (size_t i = 0; i < s->n; i++)
        s->single->x[i] = NAN;
    k->event_time = NAN;
    for (; k->row < c->first_row + c->nrow; k->row++)
        write_row(s, l, k->row, s->single->x, 1);
}

/* Where an event has ended the last step just before the stop, or has ended the run, the row shows
 * the state after it. */
void strip_rows_at_end(Strip *s, size_t l)
{
    const Clocks *c = s->c;
    LaneClock *k = strip_clock(s, l);
    if (k->status != LIEDER_DONE) {
        rows_of_nothing(s, l);
        return;
    }
    if (!k->terminated && c->setup.stop - k->t > events_margin(&s->single->events, k->t))
        return;
    while (k->terminated && k->row > c->first_row && clocks_row_time(c, k->row - 1) >= k->t)
        k->row--;
    for (; k->row < c->first_row + c->nrow; k->row++)
        write_row(s, l, k->row, s->trial.x + l, s->width);
}

/* ------------------------------------------------------------------ events */

/* the single lane becomes that of place l; its state is set by the caller */
static void enter(Strip *s, size_t l)
{
    lane_system_enter(s->single, s->c->system, s->view.lanes[l], s->c->events);
}

/* choices, memory and state of the single lane become those of place l and of the run */
static void leave(Strip *s, size_t l)
{
    lane_system_leave(s->single, s->c->events);
    strip_fetch_held(s, l);
    for (size_t i = 0; i < s->n; i++)
        s->trial.x[i * s->width + l] = s->single->x[i];
    s->fresh[l] = 0;
}

/* keeps a row of an event for the program's callback, with the state of the single lane */
static bool note_event(Strip *s, size_t l, StripBlock *block, LiederRow kind)
{
    const LiederAllocator *alloc = &s->c->messages.as_allocator;
    if (!s->c->setup.watched)
        return true;
    LaneEvent e = {strip_clock(s, l)->t, s->view.lanes[l], block->states.n, kind};
    for (size_t i = 0; i < s->n; i++)
        if (!vec_push(alloc, &block->states, s->single->x[i]))
            return false;
    return vec_push(alloc, &block->events, e);
}

/* does a component of the lane end the run, or an assertion fail? */
static LiederStatus check_requests(Strip *s, LaneClock *k)
{
    Events *e = &s->single->events;
    Moment moment = events_moment(e, k->event_time, false);
    return events_check_requests(e, k->t, &moment, s->single->x, &k->terminated);
}

/* An event of the single lane, whose state is set; as take_event of run_adaptive.c. */
static LiederStatus take_event(Strip *s, size_t l, StripBlock *block, bool segment)
{
    LaneSystem *single = s->single;
    Events *e = &single->events;
    LaneClock *k = strip_clock(s, l);
    LiederStatus status = LIEDER_DONE;
    if (!note_event(s, l, block, LIEDER_ROW_BEFORE_EVENT))
        return LIEDER_NO_MEMORY;
    k->time_events += segment;
    k->event_time = k->t + events_margin(e, k->t);
    bool violated = events_violated(e, k->t, k->event_time, single->x);
    k->state_events += violated;
    if (violated || events_due(e, k->event_time)) {
        status = events_handle(e, k->t, k->event_time, single->x, s->c->setup.chatter);
        k->after_event = e->fresh;
    }
    Moment after = events_moment(e, k->event_time, false);
    if (status == LIEDER_DONE)
        status = histories_event(e, k->t, k->event_time, &after, single->x);
    guesses_take(e, k->t, &after, single->x);
    if (status == LIEDER_DONE && segment)
        status = events_next_after(e, k->t, &k->crowded, &k->due);
    else
        k->due = events_next_time(e, k->t);
    if (status == LIEDER_DONE && !note_event(s, l, block, LIEDER_ROW_AFTER_EVENT))
        return LIEDER_NO_MEMORY;
    return status == LIEDER_DONE ? check_requests(s, k) : status;
}

void strip_find_values(Strip *s)
{
    Moment moment = strip_moment(s, 0);
    Readings ends = {.values = s->end_values,
                     .requests = s->single->events.requested ? s->requested : NULL,
                     .found = s->home->held.nguess ? s->found : NULL};
    for (size_t l = 0; l < s->active; l++)
        s->times[l] = s->plans[l].end;
    strip_read(&s->view.ss, s->workspace, s->times[0], &moment, 0, s->active, s->trial.y, s->width,
               ends);
    for (size_t l = 0; l < s->active; l++) {
        double t = strip_clock(s, l)->t;
        s->times[l] = 0.5 * (t + s->plans[l].end);
        onestep_between(s->solver, &s->trial, l, (s->times[l] - t) / s->h[l], s->stage + l,
                        s->width);
    }
    strip_read(&s->view.ss, s->workspace, s->times[0], &moment, 0, s->active, s->stage, s->width,
               (Readings){.values = s->middle_values,
                          .requests = s->single->events.requested ? s->requested_inside : NULL});
}

/* may a choice be contradicted in the step of a lane? */
static bool may_have_event(const Strip *s, size_t l)
{
    if (s->home->held.crossings.n && strip_clock(s, l)->after_event)
        return true;
    for (size_t k = 0; k < s->home->held.crossings.n; k++) {
        double choice = s->choices[k * s->width + l];
        bool side = choice > 0.5;
        double end = s->end_values[k * s->width + l], middle = s->middle_values[k * s->width + l];
        if (choice > 1.5 || (end < 0) != side || (middle < 0) != side)
            return true;
        /* zeros of a diode may hide between these points */
        if (s->home->held.crossings.items[k].member->crossing != LIEDER_EDGE &&
            fabs(end - middle) > fmin(fabs(end), fabs(middle)))
            return true;
    }
    return false;
}

/* may the lane have passed a point to which its events came faster and faster? */
static bool suspects_zeno(const Strip *s, size_t l)
{
    for (size_t k = 0; k < s->home->held.crossings.n; k++)
        if (zeno_suspects(s->c->events, home_choice(s->home, k, s->view.lanes[l]),
                          strip_clock(s, l)->t))
            return true;
    return false;
}

/* Does a request begin or end in the trial step? */
static bool requests_change(const Strip *s, size_t l)
{
    for (size_t m = s->home->held.nmemory;
         m < s->home->held.memories.n && s->single->events.requested; m++) {
        size_t at = m * s->width + l;
        bool before = s->memory[at] != 0;
        if (s->home->held.memories.items[m].member->kind == LIEDER_REQUEST &&
            ((s->requested[at] != 0) != before || (s->requested_inside[at] != 0) != before))
            return true;
    }
    return false;
}

/* after a step without an event: checks the requests at its end where they have changed */
static LiederStatus check_lane(Strip *s, size_t l)
{
    LaneClock *k = strip_clock(s, l);
    if (!requests_change(s, l) && !suspects_zeno(s, l))
        return LIEDER_DONE;
    enter(s, l);
    for (size_t i = 0; i < s->n; i++)
        s->single->x[i] = s->trial.x[i * s->width + l];
    LiederStatus status = check_requests(s, k);
    lane_system_leave(s->single, s->c->events);
    strip_fetch_held(s, l);
    return status;
}

typedef struct LaneInside {
    const Strip *s;
    size_t l;
} LaneInside;

static void between_single(void *user, double t, double *x)
{
    const LaneInside *i = user;
    between_times(i->s, i->l, t, x);
}

/* the first event in the trial step of a lane: its time, and the state there in single->found */
static bool locate_lane(Strip *s, size_t l, double *at)
{
    const ClocksSetup *o = &s->c->setup;
    const LaneClock *k = strip_clock(s, l);
    LaneSystem *single = s->single;
    LaneInside inside = {s, l};
    single->events.fresh = k->after_event;
    events_forget_steps(&single->events);
    return events_locate(&single->events, between_single, &inside, k->t, s->plans[l].end,
                         k->event_time, o->event_tolerance, at, single->found);
}

/* Where in the trial step a condition of level error begins to fail, before *end, which becomes
 * that time. `event`: it changes what holds at *end. */
static bool locate_failure(Strip *s, size_t l, bool event, double *end)
{
    const LaneClock *k = strip_clock(s, l);
    LaneSystem *single = s->single;
    LaneInside inside = {s, l};
    Moment moment = events_moment(&single->events, k->event_time, false);
    double middle = fmin(0.5 * (k->t + s->plans[l].end), *end), at;
    bool failed = events_locate_requests(&single->events, between_single, &inside, k->t, middle,
                                         &moment, &at, single->x);
    if (!failed && !event && middle < *end)
        failed = events_locate_requests(&single->events, between_single, &inside, middle, *end,
                                        &moment, &at, single->x);
    *end = failed ? at : *end;
    return failed;
}

/* ------------------------------------------------------------------ the start of a lane */

void strip_start_lane(Strip *s, size_t l)
{
    LaneClock *k = strip_clock(s, l);
    LaneSystem *single = s->single;
    Events *e = &single->events;
    enter(s, l);
    k->event_time = k->t + events_margin(e, k->t);
    k->started = true;
    for (size_t i = 0; i < s->n; i++)
        single->x[i] = s->trial.x[i * s->width + l];
    if (!s->c->setup.resumed)
        k->status = events_start(e, k->t, k->event_time, single->x, s->c->setup.chatter);
    if (!s->c->setup.resumed) {
        Moment first = events_moment(e, k->event_time, false);
        guesses_take(e, k->t, &first, single->x);
    }
    if (k->status == LIEDER_DONE)
        k->status = check_requests(s, k);
    k->due = events_next_time(e, k->t);
    k->longest = fmin(s->c->setup.longest, histories_shortest(e));
    leave(s, l);
    if (k->status == LIEDER_DONE)
        write_row(s, l, k->row++, single->x, 1);
}

/* ------------------------------------------------------------------ after a trial step */

/* reports the state that moves fastest, or what is wrong with its derivatives */
static void explain_lane(Strip *s, size_t l, double h)
{
    const LaneClock *k = strip_clock(s, l);
    LiederSystem *system = &s->single->thread->system;
    char path[512], name[600];
    size_t before = system->session->diag.list.n;
    double rate;
    enter(s, l);
    Moment moment = events_moment(&s->single->events, k->event_time, false);
    for (size_t i = 0; i < s->n; i++)
        s->single->x[i] = s->trial.x[i * s->width + l];
    SystemShape *ss = &s->single->view.ss;
    strip_load(ss, ss->workspace, 0, 1);
    double *dx = s->stage; /* at least as long */
    LiederStatus status =
        strip_evaluate(system, ss, ss->workspace, k->t, &moment, 0, 1, s->single->x, 1, dx, 1);
    if (status != LIEDER_DONE)
        strip_clock(s, l)->status = status;
    if (status != LIEDER_DONE)
        strip_explain(system, ss, ss->workspace, k->t, &moment, 0, 1, s->single->x, 1, dx, 1,
                      status);
    if (system->session->diag.list.n > before)
        return;
    size_t fastest = onestep_fastest(s->n, dx, s->single->x, s->single->nominal, &rate);
    const StateRef *ref = &ss->shape->states.items[fastest];
    lane_path(system, ss, ref->component, 0, path, sizeof path);
    snprintf(name, sizeof name, "%s.%s", path, ref->member->name);
    onestep_report(system, name, s->solver, k->t, h, dx[fastest], k->standing >= MAX_STANDING);
}

void strip_reject(Strip *s, size_t l)
{
    LaneClock *k = strip_clock(s, l);
    k->h = onestep_next(s->solver, s->plans[l], k->h, s->error[l], k->repeated);
    k->rejected++;
    k->repeated = true;
    if (!(k->h < ONESTEP_SHORTEST * fabs(k->t) || k->h < 1e-300))
        return;
    k->status = LIEDER_GAVE_UP;
    explain_lane(s, l, s->plans[l].h);
}

/* the end of the trial step becomes the begin of the next one */
static void move_on(Strip *s, size_t l)
{
    bool slopes = s->solver == LIEDER_RK45;
    for (size_t i = l; i < s->n * s->width; i += s->width) {
        s->trial.x[i] = s->trial.y[i];
        if (slopes)
            s->trial.k[0][i] = s->trial.k[6][i];
    }
    s->fresh[l] = slopes;
}

/* An explicit step whose length the error decides stays well inside of the range of stability; one
 * that stability decides is at its edge, again and again (Hairer, Wanner, IV.2). */
static void watch_stiffness(LaneClock *k, double product)
{
    enum { OFTEN = 15, CALM = 6 };
    if (product > RK45_EDGE) {
        k->at_edge++;
        k->calm = 0;
    } else if (++k->calm >= CALM) {
        k->at_edge = k->calm = 0;
    }
    k->stiff = k->at_edge >= OFTEN;
}

static void count_step(Strip *s, size_t l)
{
    LaneClock *k = strip_clock(s, l);
    double h = s->plans[l].h;
    k->steps++;
    k->smallest = h < k->smallest ? h : k->smallest;
    k->largest = h > k->largest ? h : k->largest;
    k->h = onestep_next(s->solver, s->plans[l], k->h, s->error[l], k->repeated);
    k->repeated = false;
    if (s->c->switches && s->solver == LIEDER_RK45)
        watch_stiffness(k, s->stiffness[l]);
}

/* iterations of the next step begin where those at the end of this one have ended */
static void take_guesses(Strip *s, size_t l)
{
    for (size_t k = 0; k < s->home->held.nmemory && s->home->held.nguess; k++) {
        double found = s->found[k * s->width + l];
        if (s->home->held.memories.items[k].member->kind != LIEDER_GUESS || !isfinite(found))
            continue;
        s->memory[k * s->width + l] = found;
        s->c->events->memory[home_memory(s->home, k, s->view.lanes[l])] = found;
    }
}

/* a step without an event: modes note their values, guesses are taken, requests are checked */
static LiederStatus pass_on(Strip *s, size_t l, bool entered)
{
    size_t lane = s->view.lanes[l];
    if (entered) {
        lane_system_leave(s->single, s->c->events);
    } else if (s->single->events.ncrossing) {
        double t = strip_clock(s, l)->t;
        crossing_clean_lane(s->c->events, s->home, lane, t, s->middle_values + l, s->width);
        crossing_clean_lane(s->c->events, s->home, lane, t, s->end_values + l, s->width);
    }
    take_guesses(s, l);
    move_on(s, l);
    return check_lane(s, l);
}

/* the past of delayed variables grows by the trial step up to `end`; x: the state there, NULL: that
 * of the step. The single lane is that of place l. */
static LiederStatus grow_past(Strip *s, size_t l, double end, const double *x)
{
    const LaneClock *k = strip_clock(s, l);
    Events *e = &s->single->events;
    Moment moment = events_moment(e, k->event_time, false);
    LaneInside inside = {s, l};
    if (!s->home->held.nhistory)
        return LIEDER_DONE;
    between_times(s, l, end, s->single->x);
    return histories_step(e, k->t, end, between_single, &inside, &moment, x ? x : s->single->x);
}

/* the trial step of a lane for glance_walk */
typedef struct LaneTrial {
    Strip *strip;
    size_t l;
    StripBlock *block;
    Moment moment;
} LaneTrial;

/* the curve of the lane's trial step at t and the derivatives there */
static bool examine_lane(void *user, double t, const GlanceCurve *curve)
{
    const LaneTrial *trial = user;
    Strip *s = trial->strip;
    SystemShape *ss = &s->single->view.ss;
    size_t l = trial->l;
    double part = (t - strip_clock(s, l)->t) / s->h[l];
    onestep_between(s->solver, &s->trial, l, part, curve->x, 1);
    onestep_slope_between(s->solver, &s->trial, l, part, curve->slope, 1);
    trial->block->evaluations++;
    return strip_evaluate(&s->single->thread->system, ss, ss->workspace, t, &trial->moment, 0, 1,
                          curve->x, 1, curve->f, 1) == LIEDER_DONE;
}

/* the error that the lane's trial step passes over, by the matrix of its step */
static void weigh_lane(void *user, const GlanceCurve *curve)
{
    const LaneTrial *trial = user;
    Strip *s = trial->strip;
    double *sum = curve->sum;
    if (s->solver == LIEDER_RODAS4) {
        /* to the place of the lane in a vector of the strip, and back */
        for (size_t i = s->n; i-- > 0;) {
            double whole = sum[i] * (RODAS4_DIAGONAL / s->h[trial->l]);
            sum[i] = 0;
            sum[i * s->width + trial->l] = whole;
        }
        lanes_solve(s->matrices, s->pivots, s->n, s->width, sum);
        for (size_t i = 0; i < s->n; i++)
            sum[i] = sum[i * s->width + trial->l];
    }
    for (size_t i = 0; i < s->n; i++)
        curve->x[i] = s->trial.y[i * s->width + trial->l];
}

/* Does the trial step of a lane pass over something? *at: where it begins. See glance.c. */
static bool passes_over(Strip *s, size_t l, StripBlock *block, double *at)
{
    const Glances *to = &s->c->setup.glances;
    const LaneClock *k = strip_clock(s, l);
    LaneSystem *single = s->single;
    SystemShape *ss = &single->view.ss;
    LaneTrial trial = {.strip = s, .l = l, .block = block};
    GlanceCurve curve = {.n = s->n,
                         .nominal = single->nominal,
                         .x = single->x,
                         .slope = s->f_t,
                         .f = s->f,
                         .sum = s->stage,
                         .read = examine_lane,
                         .weigh = weigh_lane,
                         .user = &trial};
    Glance g;
    if (!s->n || !glance_first(to, k->t, s->plans[l].end, &g))
        return false;
    enter(s, l);
    trial.moment = events_moment(&single->events, k->event_time, false);
    strip_load(ss, ss->workspace, 0, 1);
    /* places of the other lanes, for the solve */
    memset(curve.sum, 0, s->n * s->width * sizeof(double));
    *at = glance_walk(to, &g, &curve);
    return *at < INFINITY;
}

/* an accepted trial step of a lane: where it ends, and what happens there */
typedef struct LaneStep {
    double end;
    bool entered; /* the single lane is this one */
    bool event;   /* of states, which are then single->found */
    bool segment; /* a time event */
    bool failed;  /* a condition of level error */
} LaneStep;

static void enter_once(Strip *s, size_t l, LaneStep *step)
{
    if (!step->entered)
        enter(s, l);
    step->entered = true;
}

/* Has the step passed over a point where the linear group is singular? Examined in the first, the
 * last and every TURNS-th step. */
static bool passes_singular(Strip *s, size_t l, LaneStep *step)
{
    enum { TURNS = 32 };
    LaneClock *k = strip_clock(s, l);
    LaneSystem *single = s->single;
    if (!shape_has_sign(s->home) || (k->steps % TURNS && step->end < s->c->setup.stop))
        return false;
    enter_once(s, l, step);
    LiederSystem *system = &single->thread->system;
    if (!k->sign) {
        between_times(s, l, k->t, single->x);
        orientation_turned(system, &single->view.ss, 0, k->t, single->x, &k->sign);
    }
    between_times(s, l, step->end, single->x);
    return orientation_turned(system, &single->view.ss, 0, step->end, single->x, &k->sign);
}

/* the rows of a step that passes the horizon. The step is forgotten; where the run ends there, the
 * past of delayed variables grows up to the end. */
static void stop_at_horizon(Strip *s, size_t l)
{
    LaneClock *k = strip_clock(s, l);
    if (clocks_ended(s->c)) {
        enter(s, l);
        k->status = grow_past(s, l, s->c->until, NULL);
    }
    rows_until(s, l, s->c->until);
}

/* conditions that fail, which end the step early; the past of delays; singular points */
static LiederStatus examine_step(Strip *s, size_t l, LaneStep *step)
{
    if (requests_change(s, l)) {
        enter_once(s, l, step);
        step->failed = locate_failure(s, l, step->event || step->segment, &step->end);
    }
    if (s->home->held.nhistory) {
        enter_once(s, l, step);
        LiederStatus status =
            grow_past(s, l, step->end, step->event && !step->failed ? s->single->found : NULL);
        if (status != LIEDER_DONE)
            return status;
    }
    return passes_singular(s, l, step) ? LIEDER_SINGULAR : LIEDER_DONE;
}

/* the lane goes on from the end of the step: a failed condition, an event, or neither */
static LiederStatus enter_end(Strip *s, size_t l, StripBlock *block, LaneStep *step)
{
    LaneSystem *single = s->single;
    LaneClock *k = strip_clock(s, l);
    LiederStatus status;
    k->after_event = false;
    if (step->failed)
        between_times(s, l, step->end, single->x);
    k->t = step->segment && !step->failed ? k->due : step->end;
    if (step->failed) {
        status = check_requests(s, k);
    } else if (step->event || step->segment) {
        enter_once(s, l, step);
        for (size_t i = 0; i < s->n; i++)
            single->x[i] = step->event ? single->found[i] : s->trial.y[i * s->width + l];
        status = take_event(s, l, block, step->segment);
    } else {
        return pass_on(s, l, step->entered);
    }
    leave(s, l);
    return status;
}

bool strip_accept(Strip *s, size_t l, StripBlock *block)
{
    LaneClock *k = strip_clock(s, l);
    double over, until = s->c->until;
    if (passes_over(s, l, block, &over)) {
        k->h = over - k->t;
        k->rejected++;
        k->repeated = true;
        return true;
    }
    LaneStep step = {.end = s->plans[l].end};
    if (may_have_event(s, l)) {
        enter_once(s, l, &step);
        step.event = locate_lane(s, l, &step.end);
    }
    if (step.end > until) {
        stop_at_horizon(s, l);
        return false;
    }
    step.segment = !step.event && step.end >= k->due - events_margin(&s->single->events, k->due);
    k->status = examine_step(s, l, &step);
    if (k->status != LIEDER_DONE)
        return true;
    rows_until(s, l, step.end);
    count_step(s, l);
    if (step.event)
        k->standing = 0;
    if (!step.event && onestep_stands_still(&k->standing, k->t, step.end, until)) {
        k->status = LIEDER_GAVE_UP;
        explain_lane(s, l, step.end - k->t);
        return true;
    }
    k->status = enter_end(s, l, block, &step);
    return true;
}
