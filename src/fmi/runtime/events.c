/* events.c - what happens at events, as src/solve/iterate.c and events.c do it for fixed steps.
 *
 *   pass: choices that their values contradict get their new side; event blocks run, all from the
 *         same numbers; memory and states take what they have set; values are computed anew
 *
 * until nothing changes. The event block of a component with memory or timers runs in every pass,
 * any other one in the pass in which a crossing of the component has changed. */
#include "fmu.h"

#include <math.h>
#include <stdio.h>

enum { MOST_PASSES = 100 };

typedef struct LaneEvent {
    Values *v;
    ShapeValues *s;
    size_t lane;
    Call call;
    double *x, *values; /* of the lane: its first state, its first crossing */
    bool flipped, changed;
} LaneEvent;

static bool report(Values *v, const char *what, double t)
{
    snprintf(v->wrong, sizeof v->wrong, "%s at t = %.15g", what, t);
    return false;
}

/* the values of crossings, with what is held now */
static void look(const LaneEvent *e)
{
    const FmuShape *shape = e->s->shape;
    lane_explicit(e->v, e->s, e->lane, e->x, shape->nlane, e->call);
    for (size_t k = 0; k < shape->ncrossing; k++)
        e->values[k * shape->nlane] = e->s->full[shape->crossing_place[k]];
}

static size_t choice_of(const LaneEvent *e, size_t k)
{
    return e->s->first_choice + k * e->s->shape->nlane + e->lane;
}

static bool is_contradicted(const LaneEvent *e, size_t k)
{
    return (e->values[k * e->s->shape->nlane] < 0) != (e->v->choices[choice_of(e, k)] > 0.5);
}

/* states out of the record that an event block may set; true if one has changed */
static bool take_states(const LaneEvent *e, size_t event)
{
    const FmuShape *shape = e->s->shape;
    bool moved = false;
    for (size_t i = 0; i < shape->nstate; i++) {
        if (shape->state_event[i] != event)
            continue;
        double *x = &e->x[i * shape->nlane], value = e->s->full[shape->state_place[i]];
        moved |= *x != value;
        *x = value;
    }
    return moved;
}

/* contradicted choices get their new side, and components without memory hear of it */
static void flip_choices(LaneEvent *e)
{
    const FmuShape *shape = e->s->shape;
    for (size_t k = 0; k < shape->ncrossing; k++) {
        size_t i = choice_of(e, k), event = shape->crossing_event[k];
        e->v->moved[i] = 0;
        if (!is_contradicted(e, k))
            continue;
        e->v->choices[i] = e->values[k * shape->nlane] < 0;
        e->flipped = true;
        if (event == FMU_NOWHERE)
            continue;
        lane_explicit(e->v, e->s, e->lane, e->x, shape->nlane, e->call);
        shape->events[event].run(e->s->full, shape->full.at + shape->events[event].at, e->call);
        e->v->moved[i] = take_states(e, event);
    }
}

/* memory and timers out of the record; false: one is no number */
static bool take_memory(LaneEvent *e)
{
    const FmuShape *shape = e->s->shape;
    bool good = true;
    for (size_t k = 0; k < shape->nmemory; k++) {
        const FmuMemory *m = &shape->memories[k];
        double *memory = &e->v->memory[e->s->first_memory + k * shape->nlane + e->lane];
        double value = e->s->full[m->next];
        good &= m->timer ? !fmu_nan(value) : fmu_finite(value);
        if (memcmp(memory, &value, sizeof value) == 0)
            continue;
        *memory = value;
        e->changed |= !m->timer;
    }
    return good;
}

static bool requests_are_met(const LaneEvent *e)
{
    const FmuShape *shape = e->s->shape;
    for (size_t k = 0; k < shape->nrequest; k++)
        if (e->s->full[shape->requests[k].place] != 0)
            return report(e->v, shape->requests[k].text, e->v->t);
    return true;
}

/* the event blocks of components with memory or timers, all from the same numbers */
static bool run_blocks(LaneEvent *e)
{
    const FmuShape *shape = e->s->shape;
    bool any = false;
    for (size_t i = 0; i < shape->nevent; i++)
        any |= shape->events[i].alert;
    if (!any)
        return true;
    lane_explicit(e->v, e->s, e->lane, e->x, shape->nlane, e->call);
    for (size_t i = 0; i < shape->nevent; i++)
        if (shape->events[i].alert)
            shape->events[i].run(e->s->full, shape->full.at + shape->events[i].at, e->call);
    for (size_t i = 0; i < shape->nevent; i++)
        if (shape->events[i].alert)
            e->changed |= take_states(e, i);
    bool good = take_memory(e);
    /* at the start values follow from others that the next pass has */
    if (!good && !(e->call.initial && e->changed))
        return report(e->v, "a discrete variable becomes a number that is not finite", e->v->t);
    return e->call.initial || requests_are_met(e);
}

/* e->values are those with the choices that are held */
static bool iterate(LaneEvent *e, bool *changed)
{
    const FmuShape *shape = e->s->shape;
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        e->flipped = e->changed = false;
        flip_choices(e);
        if (!run_blocks(e))
            return false;
        if (!e->flipped && !e->changed)
            return true;
        *changed = true;
        look(e);
        for (size_t k = 0; k < shape->ncrossing; k++)
            if (e->v->moved[choice_of(e, k)])
                e->v->choices[choice_of(e, k)] = e->values[k * shape->nlane] < 0;
    }
    return report(e->v, "an event does not end: equations like b = not pre(b) have no solution",
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

static bool has_event(const LaneEvent *e)
{
    const FmuShape *shape = e->s->shape;
    for (size_t k = 0; k < shape->ncrossing; k++)
        if (is_contradicted(e, k))
            return true;
    for (size_t k = 0; k < shape->nmemory; k++)
        if (shape->memories[k].timer &&
            e->v->memory[e->s->first_memory + k * shape->nlane + e->lane] <= e->v->event_time)
            return true;
    return false;
}

/* what must be zero, with choices as blocks make them */
static bool check_requests(Values *v, ShapeValues *s, size_t lane)
{
    LaneEvent e = lane_event(v, s, lane, false);
    e.call.hold = v->hold;
    if (s->shape->nrequest == 0)
        return true;
    lane_explicit(v, s, lane, e.x, s->shape->nlane, e.call);
    return requests_are_met(&e);
}

static bool events_handle(Values *v, bool *changed)
{
    bool good = true;
    *changed = false;
    for (size_t i = 0; i < fmu_nshape && good; i++) {
        ShapeValues *s = &v->shapes[i];
        for (size_t lane = 0; lane < s->shape->nlane && s->shape->nevent && good; lane++) {
            LaneEvent e = lane_event(v, s, lane, false);
            look(&e);
            good = (!has_event(&e) || iterate(&e, changed)) && check_requests(v, s, lane);
        }
    }
    values_moved(v);
    return good;
}

/* start values of memory, and choices as the blocks make them */
static void begin_lane(Values *v, ShapeValues *s, size_t lane)
{
    const FmuShape *shape = s->shape;
    for (size_t k = 0; k < shape->nmemory; k++)
        v->memory[s->first_memory + k * shape->nlane + lane] =
            shape->memories[k].timer ? INFINITY : slot_value(s, shape->memories[k].slot, lane);
    lane_explicit(v, s, lane, v->x + s->first_state + lane, shape->nlane,
                  call_at(v->t, v->event_time, false));
    for (size_t k = 0; k < shape->ncrossing; k++)
        v->choices[s->first_choice + k * shape->nlane + lane] =
            s->full[shape->full.choice_place[k]];
}

static bool events_start(Values *v)
{
    bool good = true, changed;
    for (size_t i = 0; i < fmu_nshape && good; i++) {
        ShapeValues *s = &v->shapes[i];
        for (size_t lane = 0; lane < s->shape->nlane && s->shape->nevent && good; lane++) {
            begin_lane(v, s, lane);
            for (int initial = 1; initial >= 0 && s->shape->nmemory && good; initial--) {
                LaneEvent e = lane_event(v, s, lane, initial);
                look(&e);
                good = iterate(&e, &changed);
            }
            good = good && check_requests(v, s, lane);
        }
    }
    values_moved(v);
    return good;
}

static double events_next_time(const Values *v, double t)
{
    double next = INFINITY;
    for (size_t i = 0; i < fmu_nshape; i++) {
        const ShapeValues *s = &v->shapes[i];
        for (size_t k = 0; k < s->shape->nmemory * s->shape->nlane; k++) {
            double timer = v->memory[s->first_memory + k];
            if (s->shape->memories[k / s->shape->nlane].timer && fmu_finite(timer) && timer > t &&
                (!fmu_finite(next) || timer < next))
                next = timer;
        }
    }
    return next;
}

const FmuEvents fmu_event_functions = {events_start, events_handle, events_next_time};
