/* events.c - events, as src/solve/events/iterate.c, crossing.c and request.c handle them for fixed
 * steps.
 *
 *   pass: choices that their values contradict get their new side; event blocks run, all from the
 *         same numbers; memory and states take what they have set; values are computed anew
 *
 * until nothing changes. The event block of a component with memory or timers runs in every pass,
 * any other one in the pass in which a crossing of the component has changed. In a lane with such
 * components modes are settled first. Modes change together in the first JOINT_PASSES passes, then
 * one by one.
 *
 * The choice of a mode chooses the equations that its value comes from: after a change it is not
 * armed, and changes back only where its value leaves a band about zero. Marks of a lane:
 *
 *   with modes: armed (by crossing), largest value so far (by crossing, on each side; of the lane)
 *   with event blocks: the numbers of Bounces of zeno.c (by crossing, Bounce) by request: REPORTED
 *   while its condition holds, MADE by an event block and not yet reported */
#include "fmu.h"

#include <math.h>
#include <stdio.h>

enum { MAX_PASSES = 100, JOINT_PASSES = 16 };
enum { REPORTED = 1, MADE = 2, EXPLICIT = 4 };
enum { MODES = 1, EDGES = 2 };
static const double BAND = 1e-10, ROUNDING = 4e-16, BAND_AT_REST = 1e-12;

typedef struct LaneEvent {
    Values *v;
    ShapeValues *s;
    size_t lane;
    Call call;
    double *x, *values;           /* of the lane: its first state, its first crossing */
    int settling;                 /* passes since memory or states have changed */
    bool flipped, changed, moved; /* moved: event blocks have set states in this event */
} LaneEvent;

/* in v->moved: states were set in this pass, the choice has changed in this event */
enum { MOVED = 1, COUNTED = 2 };

static bool report(Values *v, const char *what, double t)
{
    snprintf(v->wrong, sizeof v->wrong, "%s at t = %.15g", what, t);
    return false;
}

/* the values of crossings, with what is held now */
static void find_values(const LaneEvent *e)
{
    const FmuShape *shape = e->s->shape;
    lane_explicit(e->v, e->s, e->lane, e->x, e->s->nlane, e->call);
    for (size_t k = 0; k < shape->ncrossing; k++)
        e->values[k * e->s->nlane] = e->s->full[shape->crossing_place[k]];
}

static size_t choice_of(const LaneEvent *e, size_t k)
{
    return e->s->first_choice + k * e->s->nlane + e->lane;
}

static bool is_mode(const LaneEvent *e, size_t k)
{
    return e->s->shape->crossing_kind[k] != LIEDER_EDGE;
}

/* ------------------------------------------------------------------ crossings */

static double *mark_of(const Values *v, const ShapeValues *s, size_t number, size_t lane)
{
    return &v->marks[s->first_mark + number * s->nlane + lane];
}

static double *armed_of(const LaneEvent *e, size_t k)
{
    return mark_of(e->v, e->s, k, e->lane);
}

static double *largest_of(const Values *v, const ShapeValues *s, size_t k, bool side, size_t lane)
{
    return mark_of(v, s, s->shape->ncrossing * (side ? 2 : 1) + k, lane);
}

static double *largest_of_lane(const Values *v, const ShapeValues *s, size_t lane)
{
    return mark_of(v, s, 3 * s->shape->ncrossing, lane);
}

/* the band that the value of a mode must leave to change its choice when it is not armed */
static double band_of(const Values *v, const ShapeValues *s, size_t k, size_t lane)
{
    bool side = v->choices[s->first_choice + k * s->nlane + lane] > 0.5;
    return fmax(BAND * *largest_of(v, s, k, side, lane), ROUNDING * *largest_of_lane(v, s, lane));
}

static bool is_contradicted(const LaneEvent *e, size_t k)
{
    double value = e->values[k * e->s->nlane];
    if ((value < 0) == (e->v->choices[choice_of(e, k)] > 0.5))
        return false;
    return !is_mode(e, k) || *armed_of(e, k) > 0 || fabs(value) > band_of(e->v, e->s, k, e->lane);
}

/* a clean point, where nothing is contradicted: scales of modes; those beyond their band are
 * armed */
static void clean(const LaneEvent *e)
{
    const ShapeValues *s = e->s;
    for (size_t k = 0; k < s->shape->ncrossing && s->shape->nmode; k++) {
        double value = e->values[k * s->nlane], size = fabs(value);
        bool side = e->v->choices[choice_of(e, k)] > 0.5;
        if (!is_mode(e, k) || (value < 0) != side || !fmu_finite(value))
            continue;
        double *largest = largest_of(e->v, s, k, side, e->lane),
               *of_lane = largest_of_lane(e->v, s, e->lane);
        *largest = fmax(*largest, size);
        *of_lane = fmax(*of_lane, size);
        if (size > band_of(e->v, s, k, e->lane))
            *armed_of(e, k) = 1;
    }
}

static double surface(const Values *v, const ShapeValues *s, size_t k, size_t lane)
{
    bool mode = s->shape->crossing_kind[k] != LIEDER_EDGE;
    return mode && *mark_of(v, s, k, lane) == 0 ? band_of(v, s, k, lane) : 0;
}

/* ------------------------------------------------------------------ requests */

static double *request_mark(const LaneEvent *e, size_t k)
{
    const FmuShape *shape = e->s->shape;
    return mark_of(e->v, e->s, mark_count(shape) - shape->nrequest + k, e->lane);
}

static bool is_requested(const LaneEvent *e, size_t k)
{
    return e->s->full[e->s->shape->requests[k].place] != 0;
}

/* before event blocks run: requests of explicit blocks; after: those that event blocks have
 * added */
static void mark_requests(const LaneEvent *e, bool after)
{
    for (size_t k = 0; k < e->s->shape->nrequest; k++) {
        double *mark = request_mark(e, k);
        int now = (int)*mark & (REPORTED | MADE), before = (int)*mark & EXPLICIT;
        if (is_requested(e, k))
            now |= !after ? EXPLICIT : before ? 0 : MADE;
        *mark = now;
    }
}

/* the end of the run, a warning, or an error: false */
static bool report_request(Values *v, const FmuRequest *r)
{
    bool end = r->kind == LIEDER_TERMINATE;
    if (r->kind == LIEDER_ASSERT_ERROR)
        return report(v, r->text, v->t);
    snprintf(v->wrong, sizeof v->wrong, "%s t = %.15g%s: %s",
             end ? "the model ends the run at" : "a condition does not hold from", v->t,
             end ? "" : " on", r->text);
    v->ends |= end;
    if (v->warn)
        v->warn(v->user, v->wrong);
    return true;
}

/* the record is computed: reports requests that begin; false: one is an error */
static bool report_requests(const LaneEvent *e)
{
    bool good = true;
    for (size_t k = 0; k < e->s->shape->nrequest; k++) {
        double *mark = request_mark(e, k);
        bool now = is_requested(e, k);
        if ((now && !((int)*mark & REPORTED)) || (int)*mark & MADE)
            good &= report_request(e->v, &e->s->shape->requests[k]);
        *mark = now ? REPORTED : 0;
    }
    return good;
}

/* ------------------------------------------------------------------ bounces */

/* As src/solve/events/zeno.c: events that come faster and faster, until steps pass through them. */
typedef enum Bounce {
    BOUNCE_LAST, /* the last one, */
    BOUNCE_INTERVAL,
    BOUNCE_LONGEST,
    BOUNCE_SIDE,
    BOUNCE_VALUE,
    BOUNCE_TURNED,
    BOUNCE_COUNT
} Bounce;
enum { MIN_BOUNCES = 3 };
static const double LONGER = 2.5, SHORT = 0.25, STAYS = 10, FAR = 20, FAR_ROUNDING = 1e-14;

static double *bounce_of(const LaneEvent *e, size_t k, Bounce number)
{
    const FmuShape *shape = e->s->shape;
    size_t first = shape->nmode ? 3 * shape->ncrossing + 1 : 0;
    return mark_of(e->v, e->s, first + (size_t)number * shape->ncrossing + k, e->lane);
}

/* crossing k has changed in an event in which states were set */
static void note_bounce(const LaneEvent *e, size_t k)
{
    double *count = bounce_of(e, k, BOUNCE_COUNT), *last = bounce_of(e, k, BOUNCE_LAST),
           *apart = bounce_of(e, k, BOUNCE_INTERVAL), *longest = bounce_of(e, k, BOUNCE_LONGEST),
           interval = e->v->t - *last;
    if (*count == 0 || (*count > 1 && interval > LONGER * *apart))
        *count = *longest = 0;
    else
        *longest = fmax(*longest, interval);
    *apart = *count > 0 ? interval : 1e308;
    *count += 1;
    *last = e->v->t;
    *bounce_of(e, k, BOUNCE_SIDE) = *bounce_of(e, k, BOUNCE_TURNED);
    *bounce_of(e, k, BOUNCE_VALUE) = e->values[k * e->s->nlane];
}

/* after an event */
static void note_bounces(const LaneEvent *e)
{
    e->v->set_states |= e->moved;
    for (size_t k = 0; k < e->s->shape->ncrossing && e->moved; k++)
        if (e->v->moved[choice_of(e, k)] & COUNTED)
            note_bounce(e, k);
}

static bool is_suspect(const LaneEvent *e, size_t k)
{
    double apart = *bounce_of(e, k, BOUNCE_INTERVAL);
    return *bounce_of(e, k, BOUNCE_COUNT) >= MIN_BOUNCES &&
           apart <= SHORT * *bounce_of(e, k, BOUNCE_LONGEST) &&
           e->v->t - *bounce_of(e, k, BOUNCE_LAST) > STAYS * apart;
}

/* has the value moved away since the last event, to the side that this led to? */
static bool has_passed(const LaneEvent *e, size_t k)
{
    double value = *bounce_of(e, k, BOUNCE_VALUE), now = e->values[k * e->s->nlane], largest = 0;
    for (size_t i = 0; i < e->s->shape->nstate; i++)
        largest = fmax(largest, fabs(e->x[i * e->s->nlane]));
    return (now < 0) == (*bounce_of(e, k, BOUNCE_SIDE) > 0.5) &&
           fabs(now - value) > FAR * fabs(value) + FAR_ROUNDING * largest;
}

/* after an accepted step: has some crossing passed through? False: v->wrong */
static bool check_bounces(LaneEvent *e, bool *unused)
{
    (void)unused;
    bool found = false;
    for (size_t k = 0; k < e->s->shape->ncrossing && e->s->shape->nevent; k++) {
        if (!is_suspect(e, k))
            continue;
        if (!found)
            find_values(e);
        found = true;
        if (has_passed(e, k))
            return report(e->v,
                          "events came faster and faster, without end, then the model passed "
                          "through them: it does not say what follows (Zeno); let it rest there, "
                          "or give the contact an elasticity. The last event was",
                          *bounce_of(e, k, BOUNCE_LAST));
    }
    return true;
}

/* ------------------------------------------------------------------ a pass */

/* states out of the record that an event block may set; true if one has changed */
static bool take_states(const LaneEvent *e, size_t event)
{
    const FmuShape *shape = e->s->shape;
    bool moved = false;
    for (size_t i = 0; i < shape->nstate; i++) {
        if (shape->state_event[i] != event)
            continue;
        double *x = &e->x[i * e->s->nlane], value = e->s->full[shape->state_place[i]];
        moved |= *x != value;
        *x = value;
    }
    return moved;
}

/* a contradicted choice gets its new side, and the event block of a component without memory
 * runs */
static void flip(LaneEvent *e, size_t k)
{
    const FmuShape *shape = e->s->shape;
    size_t i = choice_of(e, k), event = shape->crossing_event[k];
    e->v->choices[i] = e->values[k * e->s->nlane] < 0;
    e->v->moved[i] |= COUNTED;
    if (shape->nevent)
        *bounce_of(e, k, BOUNCE_TURNED) = e->v->choices[i];
    if (is_mode(e, k))
        *armed_of(e, k) = 0;
    e->flipped = true;
    if (event == FMU_NOWHERE)
        return;
    lane_explicit(e->v, e->s, e->lane, e->x, e->s->nlane, e->call);
    shape->events[event].run(e->s->full, shape->full.at + shape->events[event].at, e->call);
    if (take_states(e, event)) {
        e->v->moved[i] |= MOVED;
        e->moved = true;
    }
}

static void flip_choices(LaneEvent *e, int kinds)
{
    bool alone = false; /* a mode was changed, and no other one may be */
    for (size_t k = 0; k < e->s->shape->ncrossing; k++) {
        bool mode = is_mode(e, k);
        if (!(kinds & (mode ? MODES : EDGES)) || (mode && alone) || !is_contradicted(e, k))
            continue;
        alone = mode && e->settling >= JOINT_PASSES;
        flip(e, k);
    }
}

/* memory and timers out of the record; false: one is no number */
static bool take_memory(LaneEvent *e)
{
    const FmuShape *shape = e->s->shape;
    bool good = true;
    for (size_t k = 0; k < shape->nmemory; k++) {
        const FmuMemory *m = &shape->memories[k];
        double *memory = &e->v->memory[e->s->first_memory + k * e->s->nlane + e->lane];
        double value = e->s->full[m->next];
        if (m->kind == FMU_PAST || m->kind == FMU_GUESS)
            continue;
        good &= m->kind == FMU_TIMER ? !fmu_nan(value) : fmu_finite(value);
        if (memcmp(memory, &value, sizeof value) == 0)
            continue;
        *memory = value;
        e->changed |= m->kind == FMU_NUMBER;
    }
    return good;
}

static bool is_alert(const FmuShape *shape)
{
    for (size_t i = 0; i < shape->nevent; i++)
        if (shape->events[i].alert)
            return true;
    return false;
}

/* the event blocks of components with memory or timers, all from the same numbers */
static bool run_blocks(LaneEvent *e)
{
    const FmuShape *shape = e->s->shape;
    lane_explicit(e->v, e->s, e->lane, e->x, e->s->nlane, e->call);
    mark_requests(e, false);
    for (size_t i = 0; i < shape->nevent; i++)
        if (shape->events[i].alert)
            shape->events[i].run(e->s->full, shape->full.at + shape->events[i].at, e->call);
    for (size_t i = 0; i < shape->nevent; i++)
        if (shape->events[i].alert && take_states(e, i))
            e->changed = e->moved = true;
    bool good = take_memory(e);
    mark_requests(e, true);
    /* at the start values follow from others that the next pass has */
    return good || (e->call.initial && e->changed) ||
           report(e->v, "a discrete variable becomes a number that is not finite", e->v->t);
}

/* choices, event blocks, values; e->values are those with the choices that are held */
static bool one_pass(LaneEvent *e, bool alert)
{
    const FmuShape *shape = e->s->shape;
    e->flipped = e->changed = false;
    for (size_t k = 0; k < shape->ncrossing; k++)
        e->v->moved[choice_of(e, k)] &= COUNTED;
    flip_choices(e, alert ? MODES : MODES | EDGES);
    if (alert && !e->flipped) {
        flip_choices(e, EDGES);
        if (!run_blocks(e))
            return false;
    }
    if (!e->flipped && !e->changed)
        return true;
    e->settling = e->changed ? 0 : e->settling + 1;
    find_values(e);
    for (size_t k = 0; k < shape->ncrossing; k++)
        if (e->v->moved[choice_of(e, k)] & MOVED) {
            e->v->choices[choice_of(e, k)] = e->values[k * e->s->nlane] < 0;
            if (is_mode(e, k))
                *armed_of(e, k) = 1;
        }
    return true;
}

/* passes of the event of a lane until nothing changes; *changed: something did */
static bool iterate(LaneEvent *e, bool *changed)
{
    bool alert = is_alert(e->s->shape);
    for (size_t k = 0; k < e->s->shape->ncrossing; k++)
        e->v->moved[choice_of(e, k)] = 0;
    for (int pass = 0; pass < MAX_PASSES; pass++) {
        if (!one_pass(e, alert))
            return false;
        if (!e->flipped && !e->changed) {
            note_bounces(e);
            return true;
        }
        *changed = true;
    }
    return report(e->v,
                  "an event does not end: equations like b = not pre(b), or modes that contradict "
                  "each other, have no solution",
                  e->v->t);
}

static LaneEvent lane_event(Values *v, ShapeValues *s, size_t lane, bool initial)
{
    LaneEvent e = {.v = v,
                   .s = s,
                   .lane = lane,
                   .call = call_at(v->t, v->event_time, true),
                   .x = v->x + s->first_state + lane,
                   .values = v->scratch + v->nstate + s->first_choice + lane};
    e.call.initial = initial;
    return e;
}

/* ------------------------------------------------------------------ all lanes */

/* called for a lane; false: no further lanes */
typedef bool ForLane(LaneEvent *e, bool *flag);

/* acts on each lane of all shapes that take part in events; or in requests */
static bool each_lane(Values *v, bool requests, ForLane *act, bool *flag)
{
    bool good = true;
    for (size_t i = 0; i < fmu_nshape && good; i++) {
        ShapeValues *s = &v->shapes[i];
        bool concerned =
            requests ? s->shape->nrequest || s->shape->nguess : takes_part(v, s->shape);
        for (size_t lane = 0; lane < s->nlane && concerned && good; lane++) {
            LaneEvent e = lane_event(v, s, lane, false);
            good = act(&e, flag);
        }
    }
    return good;
}

/* whether a crossing of the lane is contradicted, a timer due, or a past one */
static bool has_event(const LaneEvent *e)
{
    const FmuShape *shape = e->s->shape;
    for (size_t k = 0; k < shape->ncrossing; k++)
        if (is_contradicted(e, k))
            return true;
    for (size_t k = 0; k < shape->nmemory; k++) {
        double memory = e->v->memory[e->s->first_memory + k * e->s->nlane + e->lane];
        int kind = shape->memories[k].kind;
        if (kind == FMU_TIMER ? memory <= e->v->event_time
                              : kind == FMU_PAST && past_is_due(e->v, memory))
            return true;
    }
    return false;
}

static bool find_event(LaneEvent *e, bool *any)
{
    find_values(e);
    *any |= has_event(e);
    return true;
}

static bool handle_lane(LaneEvent *e, bool *changed)
{
    return !has_event(e) || iterate(e, changed);
}

static bool clean_lane(LaneEvent *e, bool *unused)
{
    (void)unused;
    clean(e);
    return true;
}

/* iterations begin at their last solutions from now on, see src/solve/events/guess.c */
static void take_guesses(const LaneEvent *e)
{
    const FmuShape *shape = e->s->shape;
    for (size_t k = 0; k < shape->nmemory; k++) {
        double found = e->s->full[shape->memories[k].next];
        if (shape->memories[k].kind == FMU_GUESS && fmu_finite(found))
            e->v->memory[e->s->first_memory + k * e->s->nlane + e->lane] = found;
    }
}

/* with choices as blocks make them */
static bool check_lane(LaneEvent *e, bool *unused)
{
    (void)unused;
    e->call.hold = e->v->hold;
    lane_explicit(e->v, e->s, e->lane, e->x, e->s->nlane, e->call);
    take_guesses(e);
    return report_requests(e);
}

static bool check_requests(Values *v)
{
    bool unused;
    bool good =
        each_lane(v, false, check_bounces, &unused) && each_lane(v, true, check_lane, &unused);
    values_moved(v);
    return good;
}

static bool iterate_lanes(Values *v, bool *changed)
{
    bool any = false;
    *changed = false;
    each_lane(v, false, find_event, &any);
    bool good = each_lane(v, false, any ? handle_lane : clean_lane, changed);
    values_moved(v);
    return good;
}

static bool events_handle(Values *v, bool *changed)
{
    return iterate_lanes(v, changed) && check_requests(v);
}

static void before_step(Values *v)
{
    if (v->npast)
        memcpy(v->before, v->x, v->nstate * sizeof *v->x);
}

/* the next instant after t at which a timer is due; INFINITY: none */
static double events_next_time(const Values *v, double t)
{
    double next = INFINITY;
    for (size_t i = 0; i < fmu_nshape; i++) {
        const ShapeValues *s = &v->shapes[i];
        for (size_t k = 0; k < s->shape->nmemory * s->nlane; k++) {
            double timer = v->memory[s->first_memory + k];
            if (s->shape->memories[k / s->nlane].kind == FMU_TIMER && fmu_finite(timer) &&
                timer > t && (!fmu_finite(next) || timer < next))
                next = timer;
        }
    }
    return next;
}

/* reports once that an event inside the step has set states at its end */
static void report_jump(Values *v)
{
    v->reported_jump = true;
    snprintf(v->wrong, sizeof v->wrong,
             "an event sets states at t = %.9g, the end of a step of %g s: it takes place inside "
             "the step, and every such event is late by up to a step; a smaller step or model "
             "exchange is closer",
             v->t, fmu_step);
    if (v->warn)
        v->warn(v->user, v->wrong);
}

/* the past grows by a step of co-simulation, and events at its end */
static bool after_step(Values *v, double from)
{
    double due = events_next_time(v, from);
    bool changed, timer = fmu_finite(due) && due <= v->event_time;
    v->set_states = false;
    bool good = (!v->npast || pasts_step(v, from, v->t, from + STEP_MARGIN * fmu_step)) &&
                iterate_lanes(v, &changed);
    if (good && v->set_states && !timer && !v->reported_jump)
        report_jump(v);
    return good && (!v->npast || pasts_event(v)) && check_requests(v);
}

static bool events_accept(Values *v)
{
    bool any = false;
    each_lane(v, false, find_event, &any);
    if (!any)
        each_lane(v, false, clean_lane, &any);
    return check_requests(v);
}

/* ------------------------------------------------------------------ the start */

/* a number of memory before the run */
static double start_memory(const Values *v, const ShapeValues *s, size_t k, size_t lane)
{
    switch ((FmuMemoryKind)s->shape->memories[k].kind) {
    case FMU_TIMER:
        return INFINITY;
    case FMU_PAST: /* there is none before the run */
        return v->at_start ? 0 : past_address(v, s, k, lane);
    case FMU_GUESS:
        return 0;
    default:
        return slot_value(s, s->shape->memories[k].slot, lane);
    }
}

/* start values of memory and choices */
static void events_prepare(Values *v, ShapeValues *s, size_t lane)
{
    const FmuShape *shape = s->shape;
    for (size_t k = 0; k < shape->nmemory; k++)
        v->memory[s->first_memory + k * s->nlane + lane] = start_memory(v, s, k, lane);
    for (size_t k = 0; k < shape->ncrossing; k++)
        v->choices[s->first_choice + k * s->nlane + lane] = shape->first_choice[k];
    for (size_t k = 0; k < mark_count(shape); k++)
        *mark_of(v, s, k, lane) = 0;
}

/* changes the modes that no block decides and their values contradict, all or the first; true if
 * there was one */
static bool change_held(const LaneEvent *e, bool one)
{
    const FmuShape *shape = e->s->shape;
    double largest = 0;
    bool any = false;
    for (size_t k = 0; k < shape->ncrossing; k++)
        if (shape->crossing_kind[k] == LIEDER_HELD)
            largest = fmax(largest, fabs(e->values[k * e->s->nlane]));
    for (size_t k = 0; k < shape->ncrossing && !(one && any); k++) {
        double value = e->values[k * e->s->nlane], *choice = &e->v->choices[choice_of(e, k)];
        if (shape->crossing_kind[k] != LIEDER_HELD || (value < 0) == (*choice > 0.5) ||
            !(fabs(value) > BAND_AT_REST * largest))
            continue;
        *choice = value < 0;
        any = true;
    }
    return any;
}

/* without a run modes follow from the states alone, as src/model/system/held.c finds them */
static bool settle_lane(LaneEvent *e, bool *unused)
{
    (void)unused;
    if (e->s->shape->nheld == 0)
        return true;
    e->call.hold = false;
    for (int pass = 0; pass < MAX_PASSES; pass++) {
        find_values(e);
        if (!change_held(e, pass >= JOINT_PASSES))
            return true;
    }
    return report(e->v, "the choices between modes contradict each other", e->v->t);
}

static bool events_settle(Values *v)
{
    bool unused, good = each_lane(v, false, settle_lane, &unused);
    values_moved(v);
    return good;
}

/* choices as the blocks make them, then the first event */
static bool start_lane(LaneEvent *e, bool *changed)
{
    const FmuShape *shape = e->s->shape;
    events_prepare(e->v, e->s, e->lane);
    e->call.hold = false;
    find_values(e);
    for (size_t k = 0; k < shape->ncrossing; k++)
        e->v->choices[choice_of(e, k)] = e->s->full[shape->full.choice_place[k]];
    clean(e);
    bool good = true;
    for (int initial = 1; initial >= 0 && (shape->nmemory || shape->nheld) && good; initial--) {
        LaneEvent first = lane_event(e->v, e->s, e->lane, initial);
        find_values(&first);
        good = iterate(&first, changed);
    }
    return good;
}

static bool events_start(Values *v)
{
    bool changed, good = each_lane(v, false, start_lane, &changed);
    good = good && pasts_begin(v);
    values_moved(v);
    return good && check_requests(v);
}

const FmuEvents fmu_event_functions = {.create = pasts_create,
                                       .drop = pasts_drop,
                                       .before_step = before_step,
                                       .after_step = after_step,
                                       .pasts_size = pasts_size,
                                       .pasts_write = pasts_write,
                                       .pasts_read = pasts_read,
                                       .pasts_length = pasts_length,
                                       .prepare = events_prepare,
                                       .settle = events_settle,
                                       .start = events_start,
                                       .handle = events_handle,
                                       .accept = events_accept,
                                       .next_time = events_next_time,
                                       .surface = surface};
