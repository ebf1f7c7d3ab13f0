/* run_adaptive.c - runs whose solver chooses its steps, for all lanes together or for each lane.
 *
 * Adaptive steps go up to the next time event; rows are read off the solver's interpolant, so
 * that asking for many rows changes nothing.
 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "solve/run/ranks.h"
#include "solve/run/run.h"

/* ------------------------------------------------------------------ adaptive steps */

static void between_adaptive(void *user, double t, double *x)
{
    adaptive_between(user, t, x);
}

/* the rows that the last step has passed, up to t */
static bool rows_until(Run *r, size_t *row, double t)
{
    for (;; (*row)++) {
        double at = r->origin + (double)*row * r->o.interval;
        if (!(at <= t) || at > r->o.stop)
            return true;
        adaptive_between(&r->method, at, r->other);
        ranges_row(&r->ranges, &r->team, &r->method, at, &r->moment, r->other);
        watcher_step(&r->watcher, at, &r->moment, r->other, &r->method, false);
        if (!run_call_output(r, at, r->other, LIEDER_ROW, &r->moment))
            return false;
        if (run_changes_wait(r) && at < t) { /* back to the row: the rest of the step is dropped */
            r->t = at;
            memcpy(r->x, r->other, r->system->nstate * sizeof(double));
            (*row)++;
            return true;
        }
    }
}

/* Conditions that fail inside the last step, row by row: the run goes back to where the first one
 * of level error does. `at_end`: an event changes what holds at the end of the step. */
static bool back_to_failure(Run *r, size_t row, double from, bool at_end)
{
    double until = r->t, t;
    if (!r->events.requested || !(until > from))
        return false;
    for (bool last = false; !last; row++) {
        double to = r->origin + (double)row * r->o.interval;
        last = !(to < until);
        if (to <= from)
            continue;
        if (last && at_end)
            return false;
        to = last ? until : to;
        if (events_locate_requests(&r->events, between_adaptive, &r->method, from, to, &r->moment,
                                   &t, r->other)) {
            r->t = t;
            memcpy(r->x, r->other, r->system->nstate * sizeof(double));
            return true;
        }
        from = to;
    }
    return false;
}

/* An event at r->t: rows on both sides, new choices, a new beginning. `segment`: a time event. */
static LiederStatus take_event(Run *r, bool segment)
{
    if (!run_call_output(r, r->t, r->x, LIEDER_ROW_BEFORE_EVENT, &r->moment))
        return LIEDER_STOPPED;
    LiederStatus status = LIEDER_DONE;
    MeterTaker taker = events_hold_surface(&r->events) ? TAKEN_BY_FILTER : TAKEN_BY_EVENT;
    branches_forget(&r->watcher);
    seeds_event(&r->seeds);
    r->s.time_events += segment;
    /* instants that are due by this time are part of the event; those that it sets come later */
    r->moment.event_time = r->t + events_margin(&r->events, r->t);
    bool violated = events_violated(&r->events, r->t, r->moment.event_time, r->x);
    bool due = events_due(&r->events, r->moment.event_time);
    r->s.state_events += ranks_any(r->system, violated);
    size_t before = r->system->session->diag.list.n;
    if (violated || due)
        status = events_handle(&r->events, r->t, r->moment.event_time, r->x, r->o.chatter);
    r->events.fresh = ranks_any(r->system, r->events.fresh); /* for all ranks together */
    if (status == LIEDER_DONE)
        status = histories_event(&r->events, r->t, r->moment.event_time, &r->moment, r->x);
    guesses_take(&r->events, r->t, &r->moment, r->x);
    status = ranks_status(r->system, status, before);
    if (status != LIEDER_DONE)
        return status;
    meter_after(&r->meter, r->t, r->x, &r->moment, taker);
    if (r->guards && r->guards->fired >= 0)
        return LIEDER_STOPPED;
    if (!run_call_output(r, r->t, r->x, LIEDER_ROW_AFTER_EVENT, &r->moment))
        return LIEDER_STOPPED;
    return adaptive_restart(&r->method, r->t, r->x);
}

/* events, rows and judges at the start */
static LiederStatus begin_adaptive(Run *r)
{
    r->moment.event_time = r->t + events_margin(&r->events, r->t);
    if (!r->resumed) {
        LiederStatus status = run_start_events(r, r->moment.event_time);
        if (status != LIEDER_DONE)
            return status;
        guesses_take(&r->events, r->t, &r->moment, r->x);
    }
    r->watcher.events = &r->events;
    r->meter.method = &r->method;
    r->meter.multistep = r->o.solver == LIEDER_BDF;
    r->meter.tolerance = r->o.tolerance;
    meter_begin(&r->meter, r->t, r->x, &r->moment);
    if (!run_call_output(r, r->t, r->x, r->guards ? r->guards->entry : LIEDER_ROW, &r->moment))
        return LIEDER_STOPPED;
    LiederStatus status = run_check_requests(r, &r->moment, true);
    if (status == LIEDER_DONE)
        status = run_take_changes(r);
    if (status == LIEDER_DONE)
        status = adaptive_restart(&r->method, r->t, r->x);
    return status;
}

/* One accepted step, up to the first event of states in it: *event. due: the next time event. */
static LiederStatus step_to_event(Run *r, size_t row, double due, bool *event)
{
    double from = r->t, at;
    LiederStatus status = adaptive_step(&r->method, fmin(r->o.stop, due), &r->t, r->x);
    if (status == LIEDER_DONE && r->growth.system)
        status = orientation_step(&r->growth, r->t, r->x);
    if (status != LIEDER_DONE)
        return status;
    ranges_state(&r->ranges, r->t, r->x);
    *event = events_locate(&r->events, between_adaptive, &r->method, from, r->t,
                           r->moment.event_time, r->o.event_tolerance, &at, r->other);
    if (*event) {
        r->t = at;
        memcpy(r->x, r->other, r->system->nstate * sizeof(double));
    }
    if (back_to_failure(r, row, from, *event || r->t >= due - events_margin(&r->events, due)))
        *event = false;
    return histories_step(&r->events, from, r->t, between_adaptive, &r->method, &r->moment, r->x);
}

/* what happens at the end of a step: an event that was located, one of time at *due, or neither */
static LiederStatus end_of_step(Run *r, bool event, double *due)
{
    LiederStatus status = LIEDER_DONE;
    bool timed = !event && r->t >= *due - events_margin(&r->events, *due);
    if (timed)
        r->t = *due;
    if (event || timed) {
        status = take_event(r, timed);
        if (status == LIEDER_DONE && timed)
            status = events_next_after(&r->events, r->t, &r->crowded, due);
        else
            *due = events_next_time(&r->events, r->t);
    } else {
        guesses_take(&r->events, r->t, &r->moment, r->x);
    }
    return status == LIEDER_DONE ? twin_step(&r->twin, r->t, r->x, event || timed) : status;
}

/* a step, rows up to its end, judges, events at its end; *row: the next row; *due: time event */
static LiederStatus turn_adaptive(Run *r, size_t *row, double *due)
{
    bool event;
    LiederStatus status = step_to_event(r, *row, *due, &event);
    if (status != LIEDER_DONE)
        return status;
    double reached = r->t;
    if (!rows_until(r, row, reached) ||
        !watcher_step(&r->watcher, r->t, &r->moment, r->x, &r->method, false))
        return LIEDER_STOPPED;
    meter_adaptive(&r->meter, r->t, r->x, &r->moment);
    seeds_step(&r->seeds, &r->team, r->t, &r->moment, r->x);
    /* where a row has changed connections the step ends there, without an event */
    status = r->t < reached ? twin_step(&r->twin, r->t, r->x, true) : end_of_step(r, event, due);
    if (status == LIEDER_DONE)
        status = run_check_requests(r, &r->moment, true);
    if (r->s.terminated && !run_call_output(r, r->t, r->x, LIEDER_ROW, &r->moment))
        return LIEDER_STOPPED;
    if (status == LIEDER_DONE && run_changes_wait(r) && r->t < r->o.stop) {
        status = run_take_changes(r);
        *due = events_next_time(&r->events, r->t);
    }
    return status == LIEDER_DONE ? run_now_and_then(r) : status;
}

LiederStatus run_adaptive(Run *r)
{
    size_t row = 1 + (size_t)fmax(0, floor((r->t - r->origin) / r->o.interval + STEP_MARGIN));
    LiederStatus status = begin_adaptive(r);
    if (status != LIEDER_DONE)
        return status;
    double due = events_next_time(&r->events, r->t);
    while (status == LIEDER_DONE && r->o.stop - r->t > events_margin(&r->events, r->t))
        status = turn_adaptive(r, &row, &due);
    if (status != LIEDER_DONE)
        return status;
    /* a stop that is no multiple of the interval */
    bool shown = row > 0 && r->origin + (double)(row - 1) * r->o.interval >= r->o.stop;
    if (!shown && r->o.stop > r->origin &&
        !run_call_output(r, r->o.stop, r->x, LIEDER_ROW, &r->moment))
        return LIEDER_STOPPED;
    r->t = r->o.stop;
    return status;
}

/* ------------------------------------------------------------------ lanes with own clocks */

/* row number `row` of those at hand, of all lanes */
static bool clocks_output(Run *r, size_t row)
{
    const double *x;
    Moment moment;
    r->t = clocks_row(r->clocks, row, &x, &moment);
    ranges_state(&r->ranges, r->t, x);
    seeds_step(&r->seeds, &r->team, r->t, &moment, x);
    return run_call_output(r, r->t, x, LIEDER_ROW, &moment);
}

/* A component has ended the run: all lanes are at the last row. */
static void end_clocks(Run *r, size_t row)
{
    const double *x;
    Moment moment;
    r->t = clocks_row(r->clocks, row, &x, &moment);
    r->s.terminated = true;
    if (r->system->nstate)
        memcpy(r->x, x, r->system->nstate * sizeof(double));
    if (r->system->nchoice)
        memcpy(r->events.choices, moment.choices, r->system->nchoice * sizeof(double));
    memcpy(r->events.memory, moment.memory, r->system->nmemory * sizeof(double));
}

/* calls the callbacks for events of lanes and for the rows at hand */
static LiederStatus hand_out(Run *r, size_t nrow)
{
    if (r->o.lane_event && !clocks_events(r->clocks, r->o.lane_event, r->o.user))
        return LIEDER_STOPPED;
    for (size_t i = 0; i < nrow; i++) {
        if (!clocks_output(r, i))
            return LIEDER_STOPPED;
        if (run_changes_wait(r)) {
            diag_error(
                &r->system->session->diag, NULL, NULL,
                "connections cannot change while lanes have clocks of their own\ngive all one "
                "clock (--clocks shared, LIEDER_CLOCKS_SHARED)");
            return LIEDER_BAD_USE;
        }
    }
    return LIEDER_DONE;
}

LiederStatus run_clocks(Run *r)
{
    /* lanes that turn out stiff go over to rodas4, whose matrices are small */
    bool switches = r->chosen && r->o.solver == LIEDER_RK45 && solver_blocks_are_small(r->system);
    ClocksSetup setup = {.solver = switches ? LIEDER_SOLVER_AUTO : r->o.solver,
                         .tolerance = r->o.tolerance,
                         .longest = r->o.step > 0 ? r->o.step : INFINITY,
                         .glances = r->glances,
                         .start = r->t,
                         .stop = r->o.stop,
                         .origin = r->origin,
                         .interval = r->o.interval,
                         .event_tolerance = r->o.event_tolerance,
                         .chatter = r->o.chatter,
                         .resumed = r->resumed,
                         .watched = r->o.lane_event != NULL};
    r->clocks = clocks_create(&r->team, &setup, &r->events, r->x);
    if (!r->clocks)
        return should_stop(r->team.stop_check, 0) ? LIEDER_STOPPED : LIEDER_NO_MEMORY;
    LiederStatus status = LIEDER_DONE;
    meter_lose_count(&r->meter);
    for (size_t nrow = 1; status == LIEDER_DONE && nrow;) {
        double began = clock_seconds();
        status = clocks_advance(r->clocks, &nrow);
        r->team.seconds += clock_seconds() - began;
        if (status == LIEDER_DONE)
            status = hand_out(r, nrow);
        if (nrow && clocks_ended(r->clocks))
            end_clocks(r, nrow - 1);
        if (status == LIEDER_DONE)
            status = run_now_and_then(r);
    }
    clocks_report_rest(r->clocks);
    r->moment.event_time = r->t + events_margin(&r->events, r->t);
    return status == LIEDER_DONE ? clocks_status(r->clocks) : status;
}
