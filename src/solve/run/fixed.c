/* fixed.c - fixed steps. They lie on a grid, origin + i h; rows on every per_row-th of its points.
 * All steps up to the next row are one chunk of work for the team. If a chunk fails in some strip,
 * the run goes back to its begin and repeats the steps that all lanes survived: so it ends at the
 * last good time, whichever strip failed first. */
#include "base/clock.h"
#include "solve/run/ranks.h"
#include "solve/run/run.h"
#include "solve/run/simulate.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum { LONGEST_CHUNK = 256 };

static double grid_time(const Run *r, size_t i)
{
    return i % r->per_row == 0 && !r->resumed ? r->origin + (double)(i / r->per_row) * r->o.interval
                                              : r->origin + (double)i * r->h;
}

LiederStatus simulate_explicit_steps(Team *team, Growth *growth, RkSteps *k, double *kept,
                                     double *other, size_t *good)
{
    size_t nstate = team->system->nstate, bytes = nstate * sizeof(double);
    double *x = k->x;
    team_copy(team, kept, x, nstate);
    LiederStatus status = rk_run(team, k);
    if (k->stop_check && k->stop_check->stopped) {
        memcpy(x, kept, bytes);
        *good = 0;
        return LIEDER_STOPPED;
    }
    k->stop_check = NULL;
    if (status != LIEDER_DONE) {
        memcpy(x, kept, bytes);
        k->n = k->good;
        rk_run(team, k);
    }
    /* numbers that grow by the method, also those that led to a failure */
    LiederStatus grown = growth_check(growth, k, kept, other, good);
    if (grown != LIEDER_DONE && *good < k->n) {
        memcpy(x, kept, bytes);
        k->n = *good;
        rk_run(team, k);
    }
    if (grown != LIEDER_DONE || status == LIEDER_DONE)
        return grown;
    memcpy(other, x, bytes);
    k->x = other;
    k->good = *good;
    return rk_explain(team, k, status);
}

/* Finds the steps that all ranks survived: ranks that came further go back, and the first one of
 * the others reports why. */
static LiederStatus join_failures(Run *r, const RkSteps *k, size_t n, LiederStatus status,
                                  size_t before, size_t *good)
{
    size_t here = status == LIEDER_DONE ? n : *good;
    double least = ranks_least(r->system, status == LIEDER_DONE ? (double)n : (double)here - 0.5);
    if (least == (double)n)
        return LIEDER_DONE;
    *good = (size_t)ceil(least);
    if (here > *good) {
        RkSteps again = *k;
        again.x = r->x;
        again.n = *good;
        if (r->system->nstate)
            memcpy(r->x, r->kept, r->system->nstate * sizeof(double));
        rk_run(&r->team, &again);
        diag_forget(&r->system->session->diag, before);
        status = LIEDER_DONE;
    }
    return ranks_status(r->system, status, before);
}

/* n steps of h from origin + first h, which end at the time `end` */
typedef struct StepSpan {
    double origin, h, end;
    size_t first, n;
} StepSpan;

static double span_begin(const StepSpan *s)
{
    return s->origin + (double)s->first * s->h;
}

/* the steps of a span; on failure x is the state after *good of them */
static LiederStatus explicit_steps(Run *r, const StepSpan *s, size_t *good)
{
    Moment moment = run_fixed_moment(r, NAN);
    RkSteps k = {.solver = r->o.solver,
                 .origin = s->origin,
                 .h = s->h,
                 .first = s->first,
                 .n = s->n,
                 .x = r->x,
                 .moment = &moment,
                 .stop_check = r->team.stop_check};
    size_t before = r->system->session->diag.list.n;
    LiederStatus status =
        simulate_explicit_steps(&r->team, &r->growth, &k, r->kept, r->other, good);
    return rank_count(r->system) > 1 ? join_failures(r, &k, s->n, status, before, good) : status;
}

/* likewise by an implicit solver */
static LiederStatus implicit_steps(Run *r, const StepSpan *s, size_t *good)
{
    for (*good = 0; *good < s->n; (*good)++) {
        double t = s->origin + (double)(s->first + *good) * s->h;
        r->moment.event_time = t + STEP_MARGIN * s->h;
        events_decide(&r->events, t, r->moment.event_time, r->x);
        if (r->growth.system && r->system->nstate)
            memcpy(r->other, r->x, r->system->nstate * sizeof(double));
        LiederStatus status = implicit_fixed_step(r->method.implicit, t, s->h, r->x);
        if (status == LIEDER_DONE && r->growth.system) {
            status = orientation_step(&r->growth, t + s->h, r->x);
            if (status != LIEDER_DONE && r->system->nstate)
                memcpy(r->x, r->other, r->system->nstate * sizeof(double));
        }
        if (status != LIEDER_DONE)
            return status;
    }
    return LIEDER_DONE;
}

/* waits until the clock shows t */
static void wait_for(const Run *r, double t)
{
    double when = r->clock_origin + t;
    struct timespec until = {.tv_sec = (time_t)floor(when),
                             .tv_nsec = (long)((when - floor(when)) * 1e9)};
    if (when > clock_seconds())
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* the state inside a fixed step: that of a shorter step from its begin */
static void between_fixed(void *user, double t, double *x)
{
    Run *r = user;
    memcpy(x, t >= r->until ? r->x : r->kept, r->system->nstate * sizeof(double));
    if (t >= r->until || !(t > r->from))
        return;
    Moment moment = run_fixed_moment(r, NAN);
    RkSteps k = {.solver = r->o.solver,
                 .origin = r->from,
                 .h = t - r->from,
                 .n = 1,
                 .x = x,
                 .moment = &moment};
    if (r->method.implicit)
        implicit_fixed_step(r->method.implicit, r->from, t - r->from, x);
    else
        rk_run(&r->team, &k);
}

/* Guards are located inside fixed steps, too: they end the run, and time goes on from there. */
static LiederStatus watch_guards(Run *r, double from, double until)
{
    Events *e = &r->events;
    double at, decided = from + STEP_MARGIN * (until - from);
    r->from = from;
    r->until = until;
    e->first = e->ncrossing;
    if (events_locate(e, between_fixed, r, from, until, decided, r->o.event_tolerance, &at,
                      r->other)) {
        r->t = at;
        memcpy(r->x, r->other, r->system->nstate * sizeof(double));
        events_handle(e, at, decided, r->x, r->o.chatter);
    }
    e->first = 0;
    if (r->guards->fired < 0)
        return LIEDER_DONE;
    r->s.state_events++;
    run_fixed_row(r, r->t, r->x, LIEDER_ROW_BEFORE_EVENT, decided);
    return LIEDER_STOPPED;
}

/* Conditions that fail inside the one step that has just been taken: the run goes back to where the
 * first one of level error does, and ends there. */
static LiederStatus watch_conditions(Run *r, double from, double end, double decided)
{
    Events *e = &r->events;
    Moment moment = run_fixed_moment(r, from + STEP_MARGIN * (end - from));
    double t;
    /* an event changes which conditions hold at the end */
    bool at_end =
        e->requested && !events_due(e, decided) && !events_violated(e, end, decided, r->x);
    bool found = events_locate_in_step(e, from, end, &moment, r->kept, r->x, at_end, &t, r->other);
    if (found) {
        r->t = t;
        memcpy(r->x, r->other, r->system->nstate * sizeof(double));
    }
    return e->requests ? run_check_requests(r, &moment, found) : LIEDER_DONE;
}

/* energies of the one step that has just been taken */
static void measure_step(Run *r, const StepSpan *s)
{
    if (!r->meter.to)
        return;
    Moment moment = run_fixed_moment(r, span_begin(s) + STEP_MARGIN * s->h);
    if (r->method.implicit)
        meter_implicit(&r->meter, s->end, s->h, r->x, &moment);
    else
        meter_explicit(&r->meter, &r->team, r->o.solver, span_begin(s), s->h, &moment);
}

/* the past of delayed variables over the one step that has just been taken */
static LiederStatus grow_histories(Run *r, double from, double end)
{
    Moment moment = run_fixed_moment(r, from + STEP_MARGIN * (end - from));
    return histories_anywhere(r->system)
               ? histories_fixed_step(&r->events, from, end, &moment, r->kept, r->x)
               : LIEDER_DONE;
}

/* the steps of a span, with the time and counter that they reach */
static LiederStatus take_steps(Run *r, const StepSpan *s)
{
    size_t good;
    if (r->method.implicit && (r->guards || r->events.histories.n || r->events.requested))
        memcpy(r->kept, r->x, r->system->nstate * sizeof(double));
    meter_keep(&r->meter, r->x);
    LiederStatus status =
        r->method.implicit ? implicit_steps(r, s, &good) : explicit_steps(r, s, &good);
    r->s.steps += good;
    r->stopped = status == LIEDER_STOPPED;
    if (status != LIEDER_DONE)
        r->counter += good;
    r->t = status == LIEDER_DONE ? s->end : s->origin + (double)(s->first + good) * s->h;
    return status;
}

/* after the steps of a span, before events at its end: judges, energies, delays, guards,
 * conditions */
static LiederStatus watch_span(Run *r, const StepSpan *s, bool blocks)
{
    double decided = s->end + STEP_MARGIN * s->h, from = span_begin(s);
    ranges_state(&r->ranges, s->end, r->x);
    Moment here = run_fixed_moment(r, decided);
    if (!watcher_step(&r->watcher, s->end, &here, r->x, NULL, r->events.ncrossing || blocks))
        return LIEDER_STOPPED;
    measure_step(r, s);
    LiederStatus status = grow_histories(r, from, s->end);
    if (status == LIEDER_DONE && r->guards)
        status = watch_guards(r, from, s->end);
    if (status == LIEDER_DONE && blocks)
        status = watch_conditions(r, from, s->end, decided);
    return status;
}

/* Rows on both sides of the events that ran at the end of a step, whose states before them are
 * r->other. */
static LiederStatus show_events(Run *r, double end, const Moment *before, const Moment *after)
{
    meter_row(&r->meter, end, r->other, before);
    meter_after(&r->meter, end, r->x, after, TAKEN_BY_EVENT);
    return run_call_output(r, end, r->other, LIEDER_ROW_BEFORE_EVENT, before) &&
                   run_call_output(r, end, r->x, LIEDER_ROW_AFTER_EVENT, after)
               ? LIEDER_DONE
               : LIEDER_STOPPED;
}

/* Events at the end of a step. `due`: an instant of a component lies inside the step. */
static LiederStatus boundary_events(Run *r, const LateStep *step, bool due)
{
    double end = step->end, decided = end + STEP_MARGIN * step->h;
    if (r->system->nstate)
        memcpy(r->other, r->x, r->system->nstate * sizeof(double));
    Boundary b;
    size_t said = r->system->session->diag.list.n;
    bool timer = !r->late.jumped && events_due(&r->events, decided);
    LiederStatus status = events_at_boundary(&r->events, end, decided, r->x, r->o.chatter, &b);
    Moment before = events_moment_before(&r->events, decided), after = run_fixed_moment(r, decided);
    if (status == LIEDER_DONE)
        status = histories_event(&r->events, end, decided, &after, r->x);
    status = ranks_status(r->system, status, said);
    size_t ran = ranks_sum(r->system, b.ran);
    bool due_now = ranks_any(r->system, b.due), crossed = ranks_any(r->system, b.crossed);
    r->s.time_events += due_now;
    r->s.state_events += crossed || !due_now ? ran : 0; /* of both at once: of states, too */
    if (status < 0)
        return status;
    if (ran || due)
        r->events.slopes_at = NAN;
    if (ran)
        stability_event(&r->growth);
    if (ran && !r->guards) /* after a timer no states count as set by the event */
        late_jump(&r->late, step, timer ? r->x : r->other);
    if (ran) {
        LiederStatus shown = show_events(r, end, &before, &after);
        status = shown == LIEDER_DONE ? status : shown;
    }
    if (status == LIEDER_DONE)
        status = run_check_requests(r, &after, true);
    return r->guards && r->guards->fired >= 0 ? LIEDER_STOPPED : status;
}

/* the steps of a span, then what happens at its end */
static LiederStatus advance(Run *r, const StepSpan *s, bool blocks)
{
    double began = r->o.real_time ? clock_seconds() : 0;
    LiederStatus status = take_steps(r, s);
    if (status == LIEDER_DONE)
        status = watch_span(r, s, blocks);
    if (status != LIEDER_DONE)
        return status;
    /* r->kept, the begin of the step, is scratch from here on */
    LateStep step = {&r->events, r->origin, s->h, s->end, r->x, {r->kept, r->other}};
    bool due = late_instants(&r->late, &step);
    if (blocks)
        status = boundary_events(r, &step, due);
    if (status < 0)
        return status;
    if (due)
        late_next(&r->late, &step);
    Moment reached = run_fixed_moment(r, s->end + STEP_MARGIN * s->h);
    guesses_take(&r->events, s->end, &reached, r->x);
    fade_examine(&r->fade, s->n, s->end, &reached, r->x, r->other);
    if (r->o.real_time)
        r->s.worst_step_seconds = fmax(r->s.worst_step_seconds, clock_seconds() - began);
    return status;
}

/* the row of a grid point, if there is one */
static LiederStatus grid_row(Run *r, bool last)
{
    bool due = r->counter % r->per_row == 0 || last;
    due |= r->s.terminated;
    return !due || run_fixed_row(r, last ? r->o.stop : r->t, r->x, LIEDER_ROW,
                                 r->t + STEP_MARGIN * r->h)
               ? LIEDER_DONE
               : LIEDER_STOPPED;
}

void run_report_overruns(const Run *r)
{
    if (r->s.overruns)
        diag_warning(&r->system->session->diag, NULL, NULL,
                     "%zu of %zu steps ended later than the clock allows; the longest took %.3g ms "
                     "of a step of %.3g ms\na longer step, less recorded variables, generated code "
                     "(--compile always) or a machine with less other work make steps end in time",
                     r->s.overruns, r->s.steps, 1e3 * r->s.worst_step_seconds, 1e3 * r->h);
}

/* events, rows and judges at the start */
static LiederStatus begin_fixed(Run *r, bool blocks)
{
    const double margin = STEP_MARGIN * r->h;
    if ((blocks || r->guards) && !r->resumed) {
        LiederStatus status = run_start_events(r, r->t + margin);
        if (status != LIEDER_DONE)
            return status;
    }
    r->late.due = r->guards ? INFINITY : events_next_time(&r->events, r->t);
    r->clock_origin = clock_seconds() - r->t;
    r->s.smallest_step = r->s.largest_step = r->h;
    Moment start = run_fixed_moment(r, r->t + margin);
    if (!r->resumed)
        guesses_take(&r->events, r->t, &start, r->x);
    meter_begin(&r->meter, r->t, r->x, &start);
    fade_examine(&r->fade, 0, r->t, &start, r->x, r->other);
    if (!run_fixed_row(r, r->t, r->x, r->guards ? r->guards->entry : LIEDER_ROW, r->t + margin))
        return LIEDER_STOPPED;
    LiederStatus status = run_check_requests(r, &start, true);
    return status == LIEDER_DONE ? run_take_changes(r) : status;
}

/* a short step to the next point of the grid, since a mode begins anywhere; last: the run ends
 * there */
static LiederStatus step_to_grid(Run *r, bool blocks, bool last)
{
    double end = grid_time(r, r->counter);
    StepSpan span = {.origin = r->t, .h = end - r->t, .end = end, .n = 1};
    LiederStatus status = advance(r, &span, blocks);
    if (status == LIEDER_DONE)
        status = grid_row(r, last);
    if (status == LIEDER_DONE && r->t < r->o.stop)
        status = run_take_changes(r);
    return status;
}

/* Steps up to the next row or, if `single`, one; then events and the row at their end. `whole`
 * steps fit the run; `rest`: a shorter one follows. */
static LiederStatus step_on_grid(Run *r, size_t whole, bool rest, bool blocks, bool single)
{
    size_t i = r->counter, n = r->per_row - i % r->per_row;
    if (n > whole - i)
        n = whole - i;
    if (n > LONGEST_CHUNK)
        n = LONGEST_CHUNK;
    if (single || r->watcher.drift.close)
        n = 1;
    if (r->o.real_time)
        wait_for(r, r->t);
    StepSpan span = {r->origin, r->h, grid_time(r, i + n), i, n};
    LiederStatus status = advance(r, &span, blocks);
    if (status < 0 || r->stopped)
        return status;
    r->counter += n;
    if (status == LIEDER_STOPPED && r->guards && r->guards->fired >= 0)
        return status;
    LiederStatus shown = grid_row(r, r->counter == whole && !rest);
    if (shown != LIEDER_DONE)
        status = shown;
    if (r->o.real_time && clock_seconds() > r->clock_origin + r->t)
        r->s.overruns++;
    LiederStatus written = run_now_and_then(r);
    if (written != LIEDER_DONE)
        return written;
    return status == LIEDER_DONE && r->t < r->o.stop ? run_take_changes(r) : status;
}

/* the last step, which is shorter; the grid begins anew after it */
static LiederStatus step_to_stop(Run *r, double t, double rest, bool blocks)
{
    StepSpan span = {.origin = t, .h = r->o.stop - t, .end = r->o.stop, .n = 1};
    LiederStatus status = advance(r, &span, blocks);
    if (status < 0 || r->stopped || (r->guards && r->guards->fired >= 0))
        return status;
    r->s.smallest_step = rest;
    r->origin = r->t = r->o.stop;
    r->counter = 0;
    return run_fixed_row(r, r->t, r->x, LIEDER_ROW, r->t + STEP_MARGIN * r->h) ? status
                                                                               : LIEDER_STOPPED;
}

LiederStatus run_fixed(Run *r)
{
    const double margin = STEP_MARGIN * r->h;
    bool blocks = simulate_has_event_blocks(r->system), single = blocks || r->system->nguess ||
                                                                 r->o.real_time || r->guards ||
                                                                 r->meter.to || r->system->cut;
    size_t whole = (size_t)floor((r->o.stop - r->origin) / r->h + STEP_MARGIN);
    double rest = r->o.stop - (r->origin + (double)whole * r->h);
    LiederStatus status = begin_fixed(r, blocks);
    if (status == LIEDER_DONE && r->counter <= whole && grid_time(r, r->counter) - r->t > margin &&
        r->guards)
        status = step_to_grid(r, blocks, r->counter == whole && !(rest > margin));
    while (r->counter < whole && status == LIEDER_DONE)
        status = step_on_grid(r, whole, rest > margin, blocks, single);
    if (status == LIEDER_DONE && rest > margin && r->o.stop > r->t)
        status = step_to_stop(r, r->counter > whole ? r->t : r->origin + (double)whole * r->h, rest,
                              blocks);
    return status;
}
