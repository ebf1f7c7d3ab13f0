/* observer.c - values at (t, x) by handle, in batches.
 *
 * States are copied from x. Everything else stands in the full record of a shape, which holds one
 * lane: values are sorted by shape and lane, and each lane is evaluated once. */
#include <math.h>
#include <stdio.h>

#include "model/net/net.h"
#include "model/system/evaluate.h"
#include "model/system/slides.h"
#include "model/system/system.h"

typedef enum WatchSource { FROM_RECORD, FROM_STATES, FROM_ENVIRONMENT } WatchSource;

/* A watched value. Its place follows from its component, and is found again when connections have
 * changed. */
typedef struct ObservedValue {
    LiederElement element;
    int area; /* LIEDER_SIGNALS ... of a port, or -1: in the struct */
    int port;
    uint32_t offset; /* there */
    WatchSource source;
    size_t index; /* in x, or in the record */
    double value; /* of an environment */
    bool whole;   /* an Integer or a Boolean */
    uint32_t shape;
    size_t lane;
    const char *unit;
} ObservedValue;

struct LiederObserver {
    LiederSystem *system;
    VEC(ObservedValue) watches;
    VEC(uint32_t) order; /* by shape and lane, so that each lane is evaluated once */
    VEC(double) sides;   /* values on the other side and choices, where a lane slides */
    bool sorted, flows, warned;
    size_t version; /* of the structure that the places belong to */
};

LiederObserver *lieder_observer_create(LiederSystem *system)
{
    LiederObserver *o = memory_zeroed(SYSTEM_ALLOC(system), sizeof *o);
    if (o)
        o->system = system;
    return o;
}

void lieder_observer_destroy(LiederObserver *o)
{
    if (!o)
        return;
    const LiederAllocator *alloc = SYSTEM_ALLOC(o->system);
    vec_drop(alloc, &o->watches);
    vec_drop(alloc, &o->order);
    vec_drop(alloc, &o->sides);
    memory_free(alloc, o, sizeof *o);
}

size_t lieder_observer_count(const LiederObserver *o)
{
    return o->watches.n;
}

const char *lieder_observer_unit(const LiederObserver *o, size_t index)
{
    return o->watches.items[index].unit;
}

/* finds shape, lane and place of a value; makes the full layout of its shape if it is needed */
static LiederStatus place_watch(LiederSystem *system, ObservedValue *w)
{
    if (w->source == FROM_ENVIRONMENT)
        return LIEDER_DONE;
    Seat seat = current_seat(system, &w->element);
    w->shape = seat.shape;
    w->lane = seat.lane;
    if (seat.shape == NOWHERE || w->source == FROM_STATES)
        return LIEDER_DONE;
    SystemShape *ss = &system->shapes.items[seat.shape];
    LiederStatus status = full_prepare(system, ss);
    if (status != LIEDER_DONE)
        return status;
    const uint32_t *at = at_of(&ss->plan.full, seat.component);
    w->index = w->offset + (w->area < 0 ? at[LIEDER_AT_SELF]
                                        : at[LIEDER_AT_PORT + LIEDER_PER_PORT * w->port + w->area]);
    return LIEDER_DONE;
}

/* Whether a value is a flow on the ground of a net that ranks share: its sum over the ranks is not
 * computed. */
static bool is_nowhere(LiederObserver *o, const LiederHandle *handle, const ClassVariable *v,
                       const Seat *home)
{
    LiederSystem *system = o->system;
    char name[600];
    if (!system->cut || home->shape == NOWHERE ||
        (v->info.kind != LIEDER_VARIABLE_FLOW && v->info.kind != LIEDER_VARIABLE_OBSERVABLE))
        return false;
    const Component *c =
        &system->shapes.items[home->shape].shape->components.items[home->component];
    if (!c->root && !(c->link && c->constant))
        return false;
    if (!o->warned)
        diag_warning(&system->session->diag, NULL,
                     lieder_handle_name(system, handle, name, sizeof name),
                     "is not known: ranks share this net, and what they put on its ground is not "
                     "added up\nrecord flows of components that are not fixed, or use one process");
    o->warned = true;
    return true;
}

ptrdiff_t lieder_observer_watch(LiederObserver *o, const LiederHandle *handle)
{
    LiederSystem *system = o->system;
    const ClassVariable *v = handle_variable(system, handle);
    if (!v || handle->index >= (uint32_t)v->info.length) {
        diag_error(&system->session->diag, NULL, NULL, "there is no variable of this handle");
        return -1;
    }
    ptrdiff_t state = lieder_handle_state(system, handle);
    int shown = state >= 0 ? v->member->shown : 0; /* a block computes what is shown of a state */
    if (shown)
        state = -1;
    ObservedValue w = {.element = handle->element,
                       .area = v->area,
                       .port = v->port,
                       .offset = shown ? (uint32_t)shown : v->offset + handle->index,
                       .source = state >= 0 ? FROM_STATES : FROM_RECORD,
                       .index = state >= 0 ? (size_t)state : 0,
                       .whole = v->info.type != LIEDER_TYPE_REAL,
                       .unit = v->info.unit};
    Seat home = home_seat(system, &handle->element);
    bool ready = true;
    if (!owns_element(system, &handle->element)) {
        char name[600];
        diag_error(&system->session->diag, NULL,
                   lieder_handle_name(system, handle, name, sizeof name),
                   "belongs to another rank\nask the process that owns it");
        return -1;
    }
    if (home.shape == NOWHERE) { /* an environment: no shape, and its numbers do not change */
        w.source = FROM_ENVIRONMENT;
        w.shape = NOWHERE;
        ready = lieder_handle_get(system, handle, &w.value) == LIEDER_DONE;
    } else if (is_nowhere(o, handle, v, &home)) {
        w.source = FROM_ENVIRONMENT;
        w.shape = NOWHERE;
        w.value = NAN;
    } else {
        /* at home, too, so that a part that returns there finds all it needs; states need no
         * record, which of a large net has gigabytes */
        SystemShape *ss = &system->shapes.items[home.shape];
        ready = (w.source == FROM_STATES || ss->shape->asleep ||
                 full_prepare(system, ss) == LIEDER_DONE) &&
                place_watch(system, &w) == LIEDER_DONE;
    }
    if (!ready || !vec_reserve(SYSTEM_ALLOC(system), &o->order, o->watches.n + 1) ||
        !vec_push(SYSTEM_ALLOC(system), &o->watches, w)) {
        char path[600];
        diag_error(&system->session->diag, NULL,
                   lieder_handle_name(system, handle, path, sizeof path), "not enough memory");
        return -1;
    }
    /* observables are computed in the inward pass, too */
    o->flows |= v->info.kind == LIEDER_VARIABLE_OBSERVABLE || v->info.kind == LIEDER_VARIABLE_FLOW;
    o->sorted = false;
    return (ptrdiff_t)o->watches.n - 1;
}

ptrdiff_t observer_watch_real(LiederObserver *o, const LiederElement *element, int index)
{
    LiederSystem *system = o->system;
    ObservedValue w = {.element = *element, .area = -1, .offset = (uint32_t)index, .unit = ""};
    Seat home = home_seat(system, element);
    if (home.shape == NOWHERE ||
        full_prepare(system, &system->shapes.items[home.shape]) != LIEDER_DONE ||
        place_watch(system, &w) != LIEDER_DONE ||
        !vec_reserve(SYSTEM_ALLOC(system), &o->order, o->watches.n + 1) ||
        !vec_push(SYSTEM_ALLOC(system), &o->watches, w))
        return -1;
    o->sorted = false;
    return (ptrdiff_t)o->watches.n - 1;
}

ptrdiff_t lieder_observer_add(LiederObserver *o, const char *path)
{
    LiederHandle handle;
    return lieder_handle_find(o->system, path, &handle) == LIEDER_DONE
               ? lieder_observer_watch(o, &handle)
               : -1;
}

bool observer_place(const LiederObserver *o, size_t index, uint32_t *shape, size_t *lane)
{
    Seat seat = current_seat(o->system, &o->watches.items[index].element);
    *shape = seat.shape;
    *lane = seat.lane;
    return seat.shape != NOWHERE;
}

static bool watch_before(const ObservedValue *a, const ObservedValue *b)
{
    return a->shape != b->shape ? a->shape < b->shape : a->lane < b->lane;
}

/* heap sort of the order: no allocation, no recursion */
static void sift(LiederObserver *o, size_t root, size_t n)
{
    uint32_t *order = o->order.items;
    for (size_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n &&
            watch_before(&o->watches.items[order[child]], &o->watches.items[order[child + 1]]))
            child++;
        if (!watch_before(&o->watches.items[order[root]], &o->watches.items[order[child]]))
            return;
        uint32_t swap = order[root];
        order[root] = order[child];
        order[child] = swap;
    }
}

/* heap sort by place: no memory, and the same order on every machine */
static void sort_watches(LiederObserver *o)
{
    size_t n = o->watches.n;
    for (size_t i = 0; i < n; i++)
        o->order.items[i] = (uint32_t)i;
    for (size_t i = n / 2; i-- > 0;)
        sift(o, i, n);
    for (size_t end = n; end-- > 1;) {
        uint32_t swap = o->order.items[0];
        o->order.items[0] = o->order.items[end];
        o->order.items[end] = swap;
        sift(o, 0, end);
    }
    o->sorted = true;
}

/* Ranks that share a net solve it together if one of them watches a value of the linear half. */
static LiederStatus watch_together(LiederObserver *o, double t, const double *x)
{
    LiederSystem *system = o->system;
    const LiederRanks *r = system->options.ranks;
    bool here = false;
    if (!system->cut)
        return LIEDER_DONE;
    for (size_t i = 0; i < o->watches.n; i++)
        here |= o->watches.items[i].source == FROM_RECORD && o->watches.items[i].shape != NOWHERE;
    double any = here;
    r->combine(r->user, LIEDER_GREATEST, &any, 1);
    SystemShape *ss = &system->shapes.items[0];
    return any == 0 || here ? LIEDER_DONE
                            : net_take_part(ss, ss->workspace->net, t, &system->moment, x);
}

/* a lane with a clock of its own has failed: there is no time at which its jumps are decided */
static bool has_ended(const LiederSystem *system, const ObservedValue *w)
{
    const double *const *clocks = system->moment.clocks;
    return clocks && w->source != FROM_ENVIRONMENT && w->shape != NOWHERE &&
           isnan(clocks[w->shape][w->lane]);
}

bool lieder_observer_ended(const LiederObserver *o, size_t index)
{
    return has_ended(o->system, &o->watches.items[index]);
}

/* all values in the order of shapes and lanes */
static LiederStatus read_watches(LiederObserver *o, double t, const double *x, double *values)
{
    LiederSystem *system = o->system;
    const ObservedValue *last = NULL;
    for (size_t i = 0; i < o->watches.n; i++) {
        const ObservedValue *w = &o->watches.items[o->order.items[i]];
        if (w->source != FROM_RECORD || w->shape == NOWHERE) {
            values[o->order.items[i]] = w->source == FROM_ENVIRONMENT ? w->value
                                        : w->shape == NOWHERE         ? NAN
                                                                      : x[w->index];
            continue;
        }
        SystemShape *ss = &system->shapes.items[w->shape];
        if (has_ended(system, w)) {
            values[o->order.items[i]] = NAN;
            continue;
        }
        if (!last || watch_before(last, w)) {
            LiederStatus status = evaluate_lane(system, ss, w->lane, t, x, o->flows);
            if (status != LIEDER_DONE)
                return status;
            last = w;
        }
        values[o->order.items[i]] = ss->workspace->record[w->index * (size_t)ss->plan.full.lanes];
    }
    return LIEDER_DONE;
}

/* the choice by which a lane slides, or 0 */
static double lane_slide(const LiederSystem *system, const SystemShape *ss, size_t lane)
{
    const double *choices = system->moment.choices;
    for (size_t k = 0; k < ss->held.crossings.n; k++)
        if (slides(choices[home_choice(ss, k, lane)]))
            return choices[home_choice(ss, k, lane)];
    return 0;
}

static bool any_slides(const LiederSystem *system)
{
    const double *choices = system->moment.choices;
    for (size_t i = 0; choices && !system->moment.decides && i < system->nchoice; i++)
        if (slides(choices[i]))
            return true;
    return false;
}

/* A lane that slides is a mixture of both sides (solve/events/slide.c). What only jumps is that of
 * the side with the larger part: it is the same number, or differs by a whole one. */
static LiederStatus read_slides(LiederObserver *o, double t, const double *x, double *values)
{
    LiederSystem *system = o->system;
    const double *held = system->moment.choices;
    size_t n = o->watches.n;
    if (!vec_resize(SYSTEM_ALLOC(system), &o->sides, n + system->nchoice))
        return LIEDER_NO_MEMORY;
    double *other = o->sides.items, *choices = other + n;
    LiederStatus status = LIEDER_DONE;
    for (int side = 0; side < 2 && status == LIEDER_DONE; side++) {
        for (size_t i = 0; i < system->nchoice; i++)
            choices[i] = choice_on_side(held[i], side);
        system->moment.choices = choices;
        status = read_watches(o, t, x, side ? other : values);
        system->moment.choices = held;
    }
    for (size_t i = 0; i < n && status == LIEDER_DONE; i++) {
        const ObservedValue *w = &o->watches.items[i];
        if (w->source != FROM_RECORD || w->shape == NOWHERE)
            continue;
        double slide = lane_slide(system, &system->shapes.items[w->shape], w->lane);
        double a = slide >= LIEDER_SLIDES ? slide - LIEDER_SLIDES : 0;
        if (w->whole)
            values[i] = a > 0.5 ? other[i] : values[i];
        else
            values[i] = (1 - a) * values[i] + a * other[i];
    }
    return status;
}

/* reports a system of equations without a solution in the lane of a value; false: there is none */
static bool explain_lane(LiederSystem *system, const ObservedValue *w, double t, const double *x)
{
    SystemShape *ss = w->shape == NOWHERE ? NULL : &system->shapes.items[w->shape];
    return ss && w->source == FROM_RECORD && held_enter(system, t, x) == LIEDER_DONE &&
           evaluate_lane(system, ss, w->lane, t, x, true) == LIEDER_DONE &&
           find_failed_system(system, ss, &ss->plan.full, ss->workspace->record, 0, w->lane, t,
                              false);
}

void lieder_observer_explain(LiederObserver *o, size_t index, const char *name, double t,
                             const double *x)
{
    LiederSystem *system = o->system;
    double *values = memory_zeroed(SYSTEM_ALLOC(system), o->watches.n * sizeof *values);
    if (values && lieder_observer_evaluate(o, t, x, values) == LIEDER_DONE &&
        !explain_lane(system, &o->watches.items[index], t, x))
        diag_error(&system->session->diag, NULL, name,
                   "is %s at t = %.15g\na function has left its range there or has no value, "
                   "something is divided by zero, or a while loop that variables decide has not "
                   "ended after 50 rounds",
                   isnan(values[index]) ? "no number" : "infinite", t);
    held_leave(system);
    memory_free(SYSTEM_ALLOC(system), values, o->watches.n * sizeof *values);
}

LiederStatus lieder_observer_evaluate(LiederObserver *o, double t, const double *x, double *values)
{
    LiederSystem *system = o->system;
    if (o->version != system->structure.version) {
        for (size_t i = 0; i < o->watches.n; i++) {
            LiederStatus status = place_watch(system, &o->watches.items[i]);
            if (status != LIEDER_DONE)
                return status;
        }
        o->version = system->structure.version;
        o->sorted = false;
    }
    if (!o->sorted)
        sort_watches(o);
    LiederStatus status = held_enter(system, t, x);
    if (status == LIEDER_DONE)
        status = watch_together(o, t, x);
    if (status == LIEDER_DONE)
        status = any_slides(system) ? read_slides(o, t, x, values) : read_watches(o, t, x, values);
    held_leave(system);
    return status;
}
