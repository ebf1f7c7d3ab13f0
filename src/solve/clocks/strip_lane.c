/* strip_lane.c - what becomes of one lane of a strip: its start, its rows, and what follows from a
 * trial step.
 *
 *   rejected: a shorter step; accepted: events in it are located -> rows up to there -> the event
 *   -> requests of components
 *
 * The values of crossings are evaluated for the whole strip (strip_find_values); where one
 * contradicts its choice the lane becomes a system of its own (lone.c), for which locate.c,
 * events.c and request.c do the rest. A component that ends the run ends its lane here; clocks.c
 * ends all others at the same time.
 */
#include "solve/clocks/strip.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ rows */

/* states and what is held of one lane into a row of the result */
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
        between_times(s, l, at, s->lone->x);
        write_row(s, l, k->row, s->lone->x, 1);
    }
}

/* a lane that has failed has no more numbers */
static void rows_of_nothing(Strip *s, size_t l)
{
    const Clocks *c = s->c;
    LaneClock *k = strip_clock(s, l);
    for (size_t i = 0; i < s->n; i++)
        s->lone->x[i] = NAN;
    k->event_time = NAN;
    for (; k->row < c->first_row + c->nrow; k->row++)
        write_row(s, l, k->row, s->lone->x, 1);
}

/* An event may have ended the last step just before the stop, or have ended the run: its row shows
 * the state after it. */
void strip_rows_at_end(Strip *s, size_t l)
{
    const Clocks *c = s->c;
    LaneClock *k = strip_clock(s, l);
    if (k->status != LIEDER_DONE) {
        rows_of_nothing(s, l);
        return;
    }
    if (!k->terminated && c->setup.stop - k->t > events_margin(&s->lone->events, k->t))
        return;
    while (k->terminated && k->row > c->first_row && clocks_row_time(c, k->row - 1) >= k->t)
        k->row--;
    for (; k->row < c->first_row + c->nrow; k->row++)
        write_row(s, l, k->row, s->trial.x + l, s->width);
}

/* ------------------------------------------------------------------ events */

/* the lone lane becomes that of place l; lone->x its state at the end of the trial step */
static void enter(Strip *s, size_t l)
{
    lone_enter(s->lone, s->c->system, s->view.lanes[l], s->c->events);
}

/* what is held and the state of the lone lane come back */
static void leave(Strip *s, size_t l)
{
    lone_leave(s->lone, s->c->events);
    strip_fetch_held(s, l);
    for (size_t i = 0; i < s->n; i++)
        s->trial.x[i * s->width + l] = s->lone->x[i];
    s->fresh[l] = 0;
}

/* what is handed out about an event; the state is that of the lone lane */
static bool note_event(Strip *s, size_t l, StripBlock *block, LiederRow kind)
{
    const LiederAllocator *alloc = &s->c->messages.as_allocator;
    if (!s->c->setup.watched)
        return true;
    LaneEvent e = {strip_clock(s, l)->t, s->view.lanes[l], block->states.n, kind};
    for (size_t i = 0; i < s->n; i++)
        if (!vec_push(alloc, &block->states, s->lone->x[i]))
            return false;
    return vec_push(alloc, &block->events, e);
}

/* does a component of the lane ask to end the run, or find fault? */
static LiederStatus look_at_requests(Strip *s, LaneClock *k)
{
    Events *e = &s->lone->events;
    Moment moment = events_moment(e, k->event_time, false);
    return events_look_at_requests(e, k->t, &moment, s->lone->x, &k->terminated);
}

/* An event of the lone lane, whose state is at hand; as take_event of simulate.c. */
static LiederStatus take_event(Strip *s, size_t l, StripBlock *block, bool segment)
{
    Lone *lone = s->lone;
    Events *e = &lone->events;
    LaneClock *k = strip_clock(s, l);
    LiederStatus status = LIEDER_DONE;
    if (!note_event(s, l, block, LIEDER_ROW_BEFORE_EVENT))
        return LIEDER_NO_MEMORY;
    k->time_events += segment;
    k->event_time = k->t + events_margin(e, k->t);
    bool violated = events_violated(e, k->t, k->event_time, lone->x);
    k->state_events += violated;
    if (violated || events_due(e, k->event_time)) {
        status = events_handle(e, k->t, k->event_time, lone->x, s->c->setup.chatter);
        k->after_event = e->fresh;
    }
    Moment after = events_moment(e, k->event_time, false);
    if (status == LIEDER_DONE)
        status = histories_event(e, k->t, k->event_time, &after, lone->x);
    guesses_take(e, k->t, &after, lone->x);
    if (status == LIEDER_DONE && segment)
        status = events_next_after(e, k->t, &k->crowded, &k->due);
    else
        k->due = events_next_time(e, k->t);
    if (status == LIEDER_DONE && !note_event(s, l, block, LIEDER_ROW_AFTER_EVENT))
        return LIEDER_NO_MEMORY;
    return status == LIEDER_DONE ? look_at_requests(s, k) : status;
}

void strip_find_values(Strip *s)
{
    Moment moment = strip_moment(s, 0);
    Readings ends = {.values = s->end_values,
                     .requests = s->lone->events.asked ? s->asked : NULL,
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
                          .requests = s->lone->events.asked ? s->asked_inside : NULL});
}

/* may something be contradicted in the step of a lane? */
static bool looks_eventful(const Strip *s, size_t l)
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

/* have events of the lane come faster and faster, and ended? */
static bool suspects(const Strip *s, size_t l)
{
    for (size_t k = 0; k < s->home->held.crossings.n; k++)
        if (zeno_suspects(s->c->events, home_choice(s->home, k, s->view.lanes[l]),
                          strip_clock(s, l)->t))
            return true;
    return false;
}

/* Do components ask for something in the trial step that they did not ask for before, or no longer?
 */
static bool asks_anew(const Strip *s, size_t l)
{
    for (size_t m = s->home->held.nmemory; m < s->home->held.memories.n && s->lone->events.asked;
         m++) {
        size_t at = m * s->width + l;
        bool before = s->memory[at] != 0;
        if (s->home->held.memories.items[m].member->kind == LIEDER_REQUEST &&
            ((s->asked[at] != 0) != before || (s->asked_inside[at] != 0) != before))
            return true;
    }
    return false;
}

/* the end of the step is the lane's state now, in which something is asked for, or may be wrong */
static LiederStatus ask_lane(Strip *s, size_t l)
{
    LaneClock *k = strip_clock(s, l);
    if (!asks_anew(s, l) && !suspects(s, l))
        return LIEDER_DONE;
    enter(s, l);
    for (size_t i = 0; i < s->n; i++)
        s->lone->x[i] = s->trial.x[i * s->width + l];
    LiederStatus status = look_at_requests(s, k);
    lone_leave(s->lone, s->c->events);
    strip_fetch_held(s, l);
    return status;
}

typedef struct LaneInside {
    const Strip *s;
    size_t l;
} LaneInside;

static void between_lone(void *user, double t, double *x)
{
    const LaneInside *i = user;
    between_times(i->s, i->l, t, x);
}

/* the first event in the trial step of a lane; its state is that of the lone lane then */
static bool locate_lane(Strip *s, size_t l, double *at)
{
    const ClocksSetup *o = &s->c->setup;
    const LaneClock *k = strip_clock(s, l);
    Lone *lone = s->lone;
    LaneInside inside = {s, l};
    lone->events.fresh = k->after_event;
    events_forget_steps(&lone->events);
    return events_locate(&lone->events, between_lone, &inside, k->t, s->plans[l].end, k->event_time,
                         o->event_tolerance, at, lone->found);
}

/* Where in the trial step a condition of level error begins to fail, before *end, which becomes
 * that time. `event`: it changes what holds at *end. */
static bool locate_failure(Strip *s, size_t l, bool event, double *end)
{
    const LaneClock *k = strip_clock(s, l);
    Lone *lone = s->lone;
    LaneInside inside = {s, l};
    Moment moment = events_moment(&lone->events, k->event_time, false);
    double middle = fmin(0.5 * (k->t + s->plans[l].end), *end), at;
    bool failed = events_locate_requests(&lone->events, between_lone, &inside, k->t, middle,
                                         &moment, &at, lone->x);
    if (!failed && !event && middle < *end)
        failed = events_locate_requests(&lone->events, between_lone, &inside, middle, *end, &moment,
                                        &at, lone->x);
    *end = failed ? at : *end;
    return failed;
}

/* ------------------------------------------------------------------ the start of a lane */

void strip_start_lane(Strip *s, size_t l)
{
    LaneClock *k = strip_clock(s, l);
    Lone *lone = s->lone;
    Events *e = &lone->events;
    enter(s, l);
    k->event_time = k->t + events_margin(e, k->t);
    k->started = true;
    for (size_t i = 0; i < s->n; i++)
        lone->x[i] = s->trial.x[i * s->width + l];
    if (!s->c->setup.resumed)
        k->status = events_start(e, k->t, k->event_time, lone->x, s->c->setup.chatter);
    if (!s->c->setup.resumed) {
        Moment first = events_moment(e, k->event_time, false);
        guesses_take(e, k->t, &first, lone->x);
    }
    if (k->status == LIEDER_DONE)
        k->status = look_at_requests(s, k);
    k->due = events_next_time(e, k->t);
    k->longest = fmin(s->c->setup.longest, histories_shortest(e));
    leave(s, l);
    if (k->status == LIEDER_DONE)
        write_row(s, l, k->row++, lone->x, 1);
}

/* ------------------------------------------------------------------ after a trial step */

/* the state that moves fastest is named, or what is wrong with its derivatives */
static void explain_lane(Strip *s, size_t l, double h)
{
    const LaneClock *k = strip_clock(s, l);
    LiederSystem *system = &s->lone->bench->system;
    char path[512], name[600];
    size_t worst = 0, before = system->session->diag.list.n;
    double size = -1;
    enter(s, l);
    Moment moment = events_moment(&s->lone->events, k->event_time, false);
    for (size_t i = 0; i < s->n; i++)
        s->lone->x[i] = s->trial.x[i * s->width + l];
    SystemShape *ss = &s->lone->view.ss;
    strip_load(ss, ss->workspace, 0, 1);
    double *dx = s->stage; /* at least as long */
    LiederStatus status =
        strip_evaluate(system, ss, ss->workspace, k->t, &moment, 0, 1, s->lone->x, 1, dx, 1);
    if (status != LIEDER_DONE)
        strip_clock(s, l)->status = status;
    if (status != LIEDER_DONE)
        strip_explain(system, ss, ss->workspace, k->t, &moment, 0, 1, s->lone->x, 1, dx, 1, status);
    if (system->session->diag.list.n > before)
        return;
    for (size_t i = 0; i < s->n; i++) {
        double part = fabs(dx[i]) / (s->lone->nominal[i] + fabs(s->lone->x[i]));
        if (!(part <= size)) {
            size = part;
            worst = i;
        }
    }
    const StateRef *ref = &ss->shape->states.items[worst];
    lane_path(system, ss, ref->component, 0, path, sizeof path);
    snprintf(name, sizeof name, "%s.%s", path, ref->member->name);
    onestep_report(system, name, s->solver, k->t, h, dx[worst], k->standing >= MAX_STANDING);
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

/* what iterations have found at the end of the step is where they begin in the next one */
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

/* a step without an event: what modes have seen on the way is remembered */
static LiederStatus pass_on(Strip *s, size_t l, bool entered)
{
    size_t lane = s->view.lanes[l];
    if (entered) {
        lone_leave(s->lone, s->c->events);
    } else if (s->lone->events.ncrossing) {
        double t = strip_clock(s, l)->t;
        crossing_clean_lane(s->c->events, s->home, lane, t, s->middle_values + l, s->width);
        crossing_clean_lane(s->c->events, s->home, lane, t, s->end_values + l, s->width);
    }
    take_guesses(s, l);
    move_on(s, l);
    return ask_lane(s, l);
}

/* the past of what is delayed grows by the trial step up to `end`; the state there, or NULL: that
 * of the step. The lone lane is that of place l. */
static LiederStatus grow_past(Strip *s, size_t l, double end, const double *x)
{
    const LaneClock *k = strip_clock(s, l);
    Events *e = &s->lone->events;
    Moment moment = events_moment(e, k->event_time, false);
    LaneInside inside = {s, l};
    if (!s->home->held.nhistory)
        return LIEDER_DONE;
    between_times(s, l, end, s->lone->x);
    return histories_step(e, k->t, end, between_lone, &inside, &moment, x ? x : s->lone->x);
}

/* the trial step of a lane for glance_walk */
typedef struct LaneLook {
    Strip *strip;
    size_t l;
    StripBlock *block;
    Moment moment;
} LaneLook;

/* the curve of the lane's trial step at t and the derivatives there */
static bool examine_lane(void *user, double t, const GlanceCurve *curve)
{
    const LaneLook *look = user;
    Strip *s = look->strip;
    SystemShape *ss = &s->lone->view.ss;
    size_t l = look->l;
    double part = (t - strip_clock(s, l)->t) / s->h[l];
    onestep_between(s->solver, &s->trial, l, part, curve->x, 1);
    onestep_slope_between(s->solver, &s->trial, l, part, curve->slope, 1);
    look->block->evaluations++;
    return strip_evaluate(&s->lone->bench->system, ss, ss->workspace, t, &look->moment, 0, 1,
                          curve->x, 1, curve->f, 1) == LIEDER_DONE;
}

/* the error that the lane's trial step passes over, by the matrix of its step */
static void weigh_lane(void *user, const GlanceCurve *curve)
{
    const LaneLook *look = user;
    Strip *s = look->strip;
    double *sum = curve->sum;
    if (s->solver == LIEDER_RODAS4) {
        /* to the place of the lane, and back */
        for (size_t i = s->n; i-- > 0;) {
            double whole = sum[i] * (RODAS4_DIAGONAL / s->h[look->l]);
            sum[i] = 0;
            sum[i * s->width + look->l] = whole;
        }
        lanes_solve(s->matrices, s->pivots, s->n, s->width, sum);
        for (size_t i = 0; i < s->n; i++)
            sum[i] = sum[i * s->width + look->l];
    }
    for (size_t i = 0; i < s->n; i++)
        curve->x[i] = s->trial.y[i * s->width + look->l];
}

/* Does the trial step of a lane pass over something? *at: where it begins. See glance.c. */
static bool passes_over(Strip *s, size_t l, StripBlock *block, double *at)
{
    const Glances *to = &s->c->setup.glances;
    const LaneClock *k = strip_clock(s, l);
    Lone *lone = s->lone;
    SystemShape *ss = &lone->view.ss;
    LaneLook look = {.strip = s, .l = l, .block = block};
    GlanceCurve curve = {.n = s->n,
                         .nominal = lone->nominal,
                         .x = lone->x,
                         .slope = s->f_t,
                         .f = s->f,
                         .sum = s->stage,
                         .look = examine_lane,
                         .weigh = weigh_lane,
                         .user = &look};
    Glance g;
    if (!s->n || !glance_first(to, k->t, s->plans[l].end, &g))
        return false;
    enter(s, l);
    look.moment = events_moment(&lone->events, k->event_time, false);
    strip_load(ss, ss->workspace, 0, 1);
    /* places of the other lanes, for the solve */
    memset(curve.sum, 0, s->n * s->width * sizeof(double));
    *at = glance_walk(to, &g, &curve);
    return *at < INFINITY;
}

/* an accepted trial step of a lane: where it ends, and what is there */
typedef struct LaneStep {
    double end;
    bool entered; /* the lone lane is this one */
    bool event;   /* of states, which are lone->found */
    bool segment; /* a time event */
    bool failed;  /* a condition of level error */
} LaneStep;

static void enter_once(Strip *s, size_t l, LaneStep *step)
{
    if (!step->entered)
        enter(s, l);
    step->entered = true;
}

/* Has the step passed over a point where the linear group is singular? Looked at in one step in
 * TURNS, the first and the last one. */
static bool passes_singular(Strip *s, size_t l, LaneStep *step)
{
    enum { TURNS = 32 };
    LaneClock *k = strip_clock(s, l);
    Lone *lone = s->lone;
    if (!shape_has_sign(s->home) || (k->steps % TURNS && step->end < s->c->setup.stop))
        return false;
    enter_once(s, l, step);
    LiederSystem *system = &lone->bench->system;
    if (!k->sign) {
        between_times(s, l, k->t, lone->x);
        orientation_turned(system, &lone->view.ss, 0, k->t, lone->x, &k->sign);
    }
    between_times(s, l, step->end, lone->x);
    return orientation_turned(system, &lone->view.ss, 0, step->end, lone->x, &k->sign);
}

/* the rows of a step that passes the horizon. What was seen on the way is forgotten with the step,
 * but where the run ends its past goes up to there. */
static void stop_at_horizon(Strip *s, size_t l)
{
    LaneClock *k = strip_clock(s, l);
    if (clocks_ended(s->c)) {
        enter(s, l);
        k->status = grow_past(s, l, s->c->until, NULL);
    }
    rows_until(s, l, s->c->until);
}

/* what ends a step early or for good: conditions that fail, the past of delays, singular points */
static LiederStatus examine_step(Strip *s, size_t l, LaneStep *step)
{
    if (asks_anew(s, l)) {
        enter_once(s, l, step);
        step->failed = locate_failure(s, l, step->event || step->segment, &step->end);
    }
    if (s->home->held.nhistory) {
        enter_once(s, l, step);
        LiederStatus status =
            grow_past(s, l, step->end, step->event && !step->failed ? s->lone->found : NULL);
        if (status != LIEDER_DONE)
            return status;
    }
    return passes_singular(s, l, step) ? LIEDER_SINGULAR : LIEDER_DONE;
}

/* the lane goes on from the end of the step: a failed condition, an event, or neither */
static LiederStatus enter_end(Strip *s, size_t l, StripBlock *block, LaneStep *step)
{
    Lone *lone = s->lone;
    LaneClock *k = strip_clock(s, l);
    LiederStatus status;
    k->after_event = false;
    if (step->failed)
        between_times(s, l, step->end, lone->x);
    k->t = step->segment && !step->failed ? k->due : step->end;
    if (step->failed) {
        status = look_at_requests(s, k);
    } else if (step->event || step->segment) {
        enter_once(s, l, step);
        for (size_t i = 0; i < s->n; i++)
            lone->x[i] = step->event ? lone->found[i] : s->trial.y[i * s->width + l];
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
    if (looks_eventful(s, l)) {
        enter_once(s, l, &step);
        step.event = locate_lane(s, l, &step.end);
    }
    if (step.end > until) {
        stop_at_horizon(s, l);
        return false;
    }
    step.segment = !step.event && step.end >= k->due - events_margin(&s->lone->events, k->due);
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
