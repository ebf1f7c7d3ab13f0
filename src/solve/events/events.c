/* events.c - what interrupts the smooth motion of a system: what is held between events, and when
 * and in which lanes there is one.
 *
 * Time events: a component's next_time says when something jumps or bends, a timer when it wants
 * an event. Adaptive solvers step exactly there; fixed steps examine their boundaries. Times closer
 * than events_margin count as one.
 *
 * State events: a crossing is a value with a choice, which is held between events so that the
 * solver sees a smooth function. crossing.c says when a choice is contradicted, locate.c where in
 * a step that is so first. iterate.c is the event of a lane; lanes with a contradicted choice or a
 * timer that is due have one, each for itself.
 *
 * The begin of a run is an event of all lanes that have memory or held modes: first with `initial`
 * set, so that what happens once at the start happens, then without, so that samples at the start
 * fire. Its end is one pass with `terminal` set.
 *
 * Guards of a program that changes between modes (modes.c) stand behind the crossings and are
 * located with them. They are one-sided: only what becomes negative is an event.
 */
#include "solve/events/events.h"
#include "solve/run/ranks.h"
#include "solve/run/simulate.h"

#include <math.h>
#include <string.h>

static const double TIME_MARGIN = 1e-13;
/* Events of time closer than CROWDED margins are merged, or leave steps of a rounded length. A run
 * that does nothing else has not got far after MAX_CROWDED of them. */
static const double CROWDED = 10;
enum { MAX_CROWDED = 1000 };

/* ------------------------------------------------------------------ creation */

static bool has_time_events(const LiederSystem *system)
{
    for (size_t i = 0; i < system->shapes.n; i++) {
        const Shape *shape = system->shapes.items[i].shape;
        for (size_t c = 0; c < shape->components.n; c++)
            if (shape->components.items[c].class_->def->next_time)
                return true;
    }
    return false;
}

static bool has_requests(const LiederSystem *system)
{
    for (size_t k = 0; k < system->nhome; k++) {
        const SystemShape *ss = &system->shapes.items[k];
        for (size_t m = ss->held.nmemory; m < ss->held.memories.n; m++)
            if (ss->held.memories.items[m].member->kind == LIEDER_REQUEST)
                return true;
    }
    return false;
}

/* on any rank, since all ranks know all shapes */
static bool has_crossings(const LiederSystem *system)
{
    for (size_t i = 0; i < system->shapes.n; i++)
        if (system->shapes.items[i].held.crossings.n)
            return true;
    return false;
}

/* fills e->mode and counts lanes and modes; is there memory or a timer? */
static void list_kinds(Events *e)
{
    const LiederSystem *system = e->team->system;
    for (size_t k = 0; k < system->nhome; k++) {
        const SystemShape *ss = &system->shapes.items[k];
        size_t nlane = ss->shape->nlane;
        e->alert |= ss->held.alert.n > 0;
        e->nlane += nlane;
        for (size_t c = 0; c < ss->held.crossings.n; c++) {
            bool mode = ss->held.crossings.items[c].member->crossing != LIEDER_EDGE;
            e->edges |= !mode;
            e->nmode += mode ? nlane : 0;
            if (nlane) /* a rank may have no lane of it */
                memset(e->mode + ss->held.first_choice + c * nlane, mode, nlane);
        }
    }
}

/* the lane that each crossing belongs to */
static void number_lanes(Events *e)
{
    const LiederSystem *system = e->team->system;
    uint32_t first = 0;
    for (size_t k = 0; k < system->nhome; k++) {
        const SystemShape *ss = &system->shapes.items[k];
        uint32_t nlane = (uint32_t)ss->shape->nlane;
        for (size_t c = 0; c < ss->held.crossings.n; c++)
            for (uint32_t lane = 0; lane < nlane; lane++)
                e->lane_of[home_choice(ss, c, lane)] = first + lane;
        first += nlane;
    }
}

/* room for crossings and guards, and for modes among them */
static bool make_crossings(Events *e, const LiederAllocator *alloc)
{
    size_t n = e->n;
    e->choices = memory_zeroed(alloc, n * sizeof(double));
    e->low = memory_zeroed(alloc, n * sizeof(double));
    e->high = memory_zeroed(alloc, n * sizeof(double));
    e->middle = memory_zeroed(alloc, n * sizeof(double));
    e->begin = memory_zeroed(alloc, n * sizeof(double));
    e->before = memory_zeroed(alloc, n * sizeof(double));
    e->probe = memory_zeroed(alloc, n * sizeof(double));
    e->swing = memory_zeroed(alloc, n * sizeof(double));
    e->crossings = memory_zeroed(alloc, n * sizeof *e->crossings);
    e->mode = memory_zeroed(alloc, n);
    e->news = memory_zeroed(alloc, n);
    if (!e->choices || !e->low || !e->high || !e->middle || !e->begin || !e->before || !e->probe ||
        !e->swing || !e->crossings || !e->mode || !e->news)
        return false;
    events_forget_steps(e);
    list_kinds(e);
    for (size_t i = 0; i < n; i++)
        e->crossings[i] = (Crossing){.armed = 1, .recent.since = -INFINITY};
    if (e->nmode == 0)
        return true;
    e->moved = memory_zeroed(alloc, e->team->system->nstate * sizeof(double) + 1);
    e->lane_of = memory_zeroed(alloc, e->ncrossing * sizeof *e->lane_of);
    e->largest = memory_zeroed(alloc, e->nlane * sizeof(double));
    if (!e->moved || !e->lane_of || !e->largest)
        return false;
    number_lanes(e);
    return true;
}

void events_forget_steps(Events *e)
{
    e->begin_at = NAN;
    for (size_t i = 0; i < e->n; i++)
        e->swing[i] = -1;
}

/* memory before and after an event, and what changed; false: no memory */
static bool make_memory(Events *e, const LiederAllocator *alloc)
{
    const LiederSystem *system = e->team->system;
    size_t n = system->nmemory;
    if (n == 0 && system->nheld == 0)
        return true;
    e->memory = memory_zeroed(alloc, n * sizeof(double) + 1);
    e->changed = memory_zeroed(alloc, n + 1);
    e->old = memory_zeroed(alloc, (n + system->nchoice) * sizeof(double) + 1);
    if (!e->memory || !e->changed || !e->old)
        return false;
    held_start(system, e->memory);
    if (!histories_create(e))
        return false;
    if (system->nguess && !(e->found = memory_zeroed(alloc, n * sizeof(double))))
        return false;
    if (!has_requests(system))
        return true;
    e->requested = memory_zeroed(alloc, n * sizeof(double));
    e->slopes = memory_resize(alloc, NULL, 0, 2 * system->nstate * sizeof(double) + 1);
    return e->requested && e->slopes;
}

LiederStatus events_create(Events *e, Team *team, double span, Guards *guards)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(team->system);
    size_t ncrossing = team->system->nchoice, n = ncrossing + (guards ? guards->n : 0);
    *e = (Events){.team = team,
                  .guards = guards,
                  .ncrossing = ncrossing,
                  .n = n,
                  .elsewhere = rank_count(team->system) > 1 && has_crossings(team->system),
                  .requests = has_requests(team->system),
                  .timed = has_time_events(team->system),
                  .watches = simulate_has_event_blocks(team->system),
                  .slopes_at = NAN,
                  .span = span};
    if ((n && !make_crossings(e, alloc)) || !make_memory(e, alloc)) {
        events_drop(e);
        return LIEDER_NO_MEMORY;
    }
    if (n == 0)
        list_kinds(e);
    return LIEDER_DONE;
}

void events_drop(Events *e)
{
    if (!e->team)
        return;
    const LiederSystem *system = e->team->system;
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    histories_drop(e);
    memory_free(alloc, e->choices, e->n * sizeof(double));
    memory_free(alloc, e->low, e->n * sizeof(double));
    memory_free(alloc, e->high, e->n * sizeof(double));
    memory_free(alloc, e->middle, e->n * sizeof(double));
    memory_free(alloc, e->begin, e->n * sizeof(double));
    memory_free(alloc, e->before, e->n * sizeof(double));
    memory_free(alloc, e->probe, e->n * sizeof(double));
    memory_free(alloc, e->swing, e->n * sizeof(double));
    memory_free(alloc, e->crossings, e->n * sizeof *e->crossings);
    memory_free(alloc, e->mode, e->n);
    memory_free(alloc, e->news, e->n);
    memory_free(alloc, e->moved, system->nstate * sizeof(double) + 1);
    memory_free(alloc, e->lane_of, e->ncrossing * sizeof *e->lane_of);
    memory_free(alloc, e->largest, e->nlane * sizeof(double));
    memory_free(alloc, e->memory, system->nmemory * sizeof(double) + 1);
    memory_free(alloc, e->changed, system->nmemory + 1);
    memory_free(alloc, e->old, (system->nmemory + system->nchoice) * sizeof(double) + 1);
    memory_free(alloc, e->requested, system->nmemory * sizeof(double));
    memory_free(alloc, e->slopes, 2 * system->nstate * sizeof(double) + 1);
    memory_free(alloc, e->found, system->nmemory * sizeof(double));
    *e = (Events){0};
}

Moment events_moment(const Events *e, double decided, bool fixed)
{
    bool held = !fixed || e->team->system->nheld;
    return (Moment){.event_time = decided,
                    .choices = held ? e->choices : NULL,
                    .decides = fixed,
                    .memory = e->memory};
}

Moment events_moment_before(const Events *e, double decided)
{
    Moment m = events_moment(e, decided, true);
    m.memory = e->old;
    if (m.choices)
        m.choices = e->old + e->team->system->nmemory;
    return m;
}

/* ------------------------------------------------------------------ time events */

double events_margin(const Events *e, double t)
{
    return TIME_MARGIN * fmax(fabs(t), e->span);
}

/* the first table of a component; tables of a shape stand in the order of components */
static const LiederTable *table_of(const Shape *shape, uint32_t component)
{
    size_t at = 0;
    for (uint32_t i = 0; i <= component; i++) {
        const LiederClassDef *def = shape->components.items[i].class_->def;
        for (int m = 0; m < def->nmember; m++)
            if (def->members[m].kind == LIEDER_PARAMETER && def->members[m].length == 0) {
                if (i == component)
                    return shape->tables.items[at];
                at++;
            }
    }
    return NULL;
}

/* the next time of one component over all its lanes */
static double next_of_component(const LiederSystem *system, const SystemShape *ss,
                                uint32_t component, double t)
{
    const LiederClass *class_ = ss->shape->components.items[component].class_;
    const LiederTable *table = table_of(ss->shape, component);
    bool differ = false;
    for (int s = 0; s < class_->nslot; s++)
        differ |= slot_of(ss, component, (uint32_t)s)->lanes != NULL;
    double next = INFINITY, *values = system->session->values.items;
    size_t n;
    for (size_t lane = 0; lanes_next(ss, &lane, &n, 1); lane++) {
        for (int s = 0; s < class_->nslot; s++) {
            const SlotValue *v = slot_of(ss, component, (uint32_t)s);
            values[s] = v->lanes ? v->lanes[lane] : v->value;
        }
        next = fmin(next, class_->def->next_time(values, table, t));
        if (!differ)
            break;
    }
    return next;
}

/* the earliest timer after t */
static double next_timer(const Events *e, double t)
{
    const LiederSystem *system = e->team->system;
    double next = INFINITY;
    for (size_t i = 0; i < system->shapes.n && e->alert; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        size_t n;
        for (size_t k = ss->held.nmemory; k < ss->held.memories.n; k++)
            for (size_t lane = 0; ss->held.memories.items[k].member->kind == LIEDER_TIMER &&
                                  lanes_next(ss, &lane, &n, 1);
                 lane++) {
                double timer = e->memory[home_memory(ss, k, lane)];
                if (timer > t && timer < next)
                    next = timer;
            }
    }
    return next;
}

double events_next_time(const Events *e, double t)
{
    double later = t + events_margin(e, t);
    double next = fmin(next_timer(e, later), histories_next(e, later));
    const LiederSystem *system = e->team->system;
    if (!e->timed && !e->alert)
        return next;
    for (size_t i = 0; i < system->shapes.n && e->timed; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        for (uint32_t c = 0; c < ss->shape->components.n; c++)
            if (ss->shape->components.items[c].class_->def->next_time)
                next = fmin(next, next_of_component(system, ss, c, later));
    }
    return ranks_least(system, next);
}

/* The component that has an event of time after `later` and up to `until`, or NULL */
static const char *name_next(const Events *e, double later, double until, char *path, size_t size)
{
    const LiederSystem *system = e->team->system;
    for (size_t i = 0; i < system->shapes.n; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        size_t n;
        for (uint32_t c = 0; c < ss->shape->components.n && e->timed; c++)
            if (ss->shape->nlane && ss->shape->components.items[c].class_->def->next_time &&
                next_of_component(system, ss, c, later) <= until)
                return lane_path(system, ss, c, 0, path, size);
        for (size_t k = ss->held.nmemory; k < ss->held.memories.n && e->alert; k++)
            for (size_t lane = 0; ss->held.memories.items[k].member->kind == LIEDER_TIMER &&
                                  lanes_next(ss, &lane, &n, 1);
                 lane++) {
                double timer = e->memory[home_memory(ss, k, lane)];
                if (timer > later && timer <= until)
                    return lane_path(system, ss, ss->held.memories.items[k].component, lane, path,
                                     size);
            }
    }
    return NULL;
}

LiederStatus events_next_after(const Events *e, double t, size_t *crowded, double *next)
{
    double margin = events_margin(e, t);
    char path[512];
    *next = events_next_time(e, t);
    *crowded = *next - t < CROWDED * margin ? *crowded + 1 : 0;
    if (*crowded < MAX_CROWDED)
        return LIEDER_DONE;
    const char *name = name_next(e, t + margin, *next, path, sizeof path);
    if (name || rank_count(e->team->system) == 1)
        diag_error(&e->team->system->session->diag, NULL, name,
                   "events of time follow each other by %.2g s from before t = %.15g on, and times "
                   "of this run are told apart by %.2g s\nis a period (sample, pulse, "
                   "floor(time/T)) far too short? Else simulate a shorter time",
                   *next - t, t, margin);
    return LIEDER_GAVE_UP;
}

static bool lane_is_due(const Events *e, const SystemShape *ss, size_t lane, double decided)
{
    for (size_t k = 0; k < ss->held.nmemory && ss->held.nhistory; k++)
        if (ss->held.memories.items[k].member->kind == LIEDER_HISTORY &&
            history_is_due(e->memory[home_memory(ss, k, lane)], decided))
            return true;
    for (size_t k = ss->held.nmemory; k < ss->held.memories.n; k++)
        if (ss->held.memories.items[k].member->kind == LIEDER_TIMER &&
            e->memory[home_memory(ss, k, lane)] <= decided)
            return true;
    return false;
}

bool events_due(const Events *e, double decided)
{
    const LiederSystem *system = e->team->system;
    for (size_t i = 0; i < system->shapes.n && e->alert; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        size_t n;
        for (size_t lane = 0; ss->held.alert.n && lanes_next(ss, &lane, &n, 1); lane++)
            if (lane_is_due(e, ss, lane, decided))
                return true;
    }
    return false;
}

/* ------------------------------------------------------------------ choices */

/* values of the guards, with the jumps and choices of `moment` */
static void evaluate_guards(Events *e, double t, const Moment *moment, const double *x,
                            double *values)
{
    LiederSystem *system = e->team->system;
    if (e->n == e->ncrossing)
        return;
    system->moment = *moment;
    e->guards->evaluate(e->guards->user, t, x, values + e->ncrossing);
    system->moment = (Moment){.event_time = NAN};
}

void events_evaluate(Events *e, double t, double decided, const double *x, double *values)
{
    Moment moment = events_moment(e, decided, e->first != 0);
    if (e->alone)
        strip_read(e->alone, e->alone->workspace, t, &moment, 0, 1, x, 1,
                   (Readings){.values = values});
    else if (e->first < e->ncrossing)
        team_read(e->team, t, &moment, x, (Readings){.values = values});
    evaluate_guards(e, t, &moment, x, values);
}

void events_decide(Events *e, double t, double decided, const double *x)
{
    Moment moment = events_moment(e, decided, true);
    if (e->ncrossing)
        team_read(e->team, t, &moment, x, (Readings){.values = e->high, .choices = e->choices});
    evaluate_guards(e, t, &moment, x, e->high);
    for (size_t i = e->ncrossing; i < e->n; i++)
        e->choices[i] = e->high[i] < 0;
    for (size_t i = 0; i < e->ncrossing; i++) {
        e->crossings[i].armed = !e->mode[i];
        e->news[i] = CROSSING_FLIPPED;
    }
    if (e->nmode) {
        crossing_measure_noise(e, t, decided, x, CROSSING_FLIPPED);
        crossing_clean(e, t, e->high);
    }
}

bool events_hold_surface(const Events *e)
{
    for (size_t i = 0; i < e->ncrossing; i++)
        if (e->choices[i] == LIEDER_HELD_SURFACE)
            return true;
    return false;
}

bool events_contradicted(const Events *e, const double *values)
{
    for (size_t i = e->first; i < e->n; i++)
        if (crossing_contradicted(e, i, values[i]))
            return true;
    return false;
}

bool events_violated(Events *e, double t, double decided, const double *x)
{
    if (e->n == e->first)
        return false;
    events_evaluate(e, t, decided, x, e->high);
    return events_contradicted(e, e->high);
}

/* ------------------------------------------------------------------ events of all lanes */

static bool lane_has_event(const Events *e, const SystemShape *ss, size_t lane, double decided)
{
    for (size_t k = 0; k < ss->held.crossings.n && e->first == 0; k++) {
        size_t i = home_choice(ss, k, lane);
        if (crossing_contradicted(e, i, e->high[i]))
            return true;
    }
    return lane_is_due(e, ss, lane, decided);
}

/* Events of the lanes that have one by e->high; `all`: of every lane that has memory or held modes,
 * whose values are computed first. */
static LiederStatus iterate_lanes(Events *e, Instant *at, bool all)
{
    LiederSystem *system = e->team->system;
    LiederStatus status = LIEDER_DONE;
    for (uint32_t i = 0; i < system->shapes.n; i++) {
        SystemShape *ss = &system->shapes.items[i];
        size_t n;
        if (all ? ss->held.alert.n + ss->held.nheld == 0
                : ss->held.crossings.n + ss->held.alert.n == 0)
            continue;
        for (size_t lane = 0; status == LIEDER_DONE && lanes_next(ss, &lane, &n, 1); lane++) {
            if (!all && !lane_has_event(e, ss, lane, at->decided))
                continue;
            Moment moment = events_moment(e, at->decided, false);
            moment.initial = at->initial;
            if (all)
                lane_crossings(system, ss, lane, at->t, &moment, at->x, e->high);
            status = events_iterate_lane(e, i, lane, at);
        }
    }
    return status;
}

/* guards whose values contradict their side change it */
static void flip_guards(Events *e)
{
    for (size_t i = e->ncrossing; i < e->n; i++) {
        if (!crossing_contradicted(e, i, e->high[i]))
            continue;
        e->choices[i] = e->high[i] < 0;
        if (e->high[i] < 0 && e->guards->fired < 0)
            e->guards->fired = (ptrdiff_t)(i - e->ncrossing);
    }
}

static LiederStatus handle(Events *e, Instant *at)
{
    e->fresh = e->edges;
    flip_guards(e);
    LiederStatus status = iterate_lanes(e, at, false);
    if (status != LIEDER_DONE || e->n == e->ncrossing)
        return status;
    Moment moment = events_moment(e, at->decided, e->first != 0);
    evaluate_guards(e, at->t, &moment, at->x, e->high);
    flip_guards(e);
    return LIEDER_DONE;
}

LiederStatus events_handle(Events *e, double t, double decided, double *x, LiederChatter chatter)
{
    Instant at = {.t = t, .decided = decided, .x = x, .chatter = chatter};
    return handle(e, &at);
}

LiederStatus events_at_boundary(Events *e, double t, double decided, double *x,
                                LiederChatter chatter, Boundary *b)
{
    Instant at = {.t = t, .decided = decided, .x = x, .chatter = chatter, .patient = true};
    LiederStatus status = LIEDER_DONE;
    size_t nmemory = e->team->system->nmemory;
    if (e->old) {
        memcpy(e->old, e->memory, nmemory * sizeof(double));
        if (e->ncrossing)
            memcpy(e->old + nmemory, e->choices, e->ncrossing * sizeof(double));
    }
    *b = (Boundary){.due = events_due(e, decided), .crossed = events_violated(e, t, decided, x)};
    if (b->crossed || b->due)
        status = handle(e, &at);
    else if (e->n > e->first)
        crossing_clean(e, t, e->high);
    b->ran = at.ran;
    return status;
}

/* ------------------------------------------------------------------ begin and end */

LiederStatus events_start(Events *e, double t, double decided, double *x, LiederChatter chatter)
{
    Instant at = {.t = t, .decided = decided, .x = x, .chatter = chatter, .patient = true};
    if (e->memory)
        held_start(e->team->system, e->memory);
    histories_attach(e, true);
    held_first_choices(e->team->system, e->choices);
    events_decide(e, t, decided, x);
    if (!e->memory)
        return LIEDER_DONE;
    at.initial = true;
    LiederStatus status = iterate_lanes(e, &at, true);
    at.initial = false;
    if (status == LIEDER_DONE)
        status = iterate_lanes(e, &at, true);
    Moment moment = events_moment(e, decided, false);
    return status == LIEDER_DONE ? histories_begin(e, t, decided, &moment, x) : status;
}

bool events_finish(Events *e, double t, double decided, double *x)
{
    LiederSystem *system = e->team->system;
    Moment moment = events_moment(e, decided, false);
    LanePass pass = {.changed = e->changed};
    bool changed = false;
    moment.terminal = true;
    for (uint32_t i = 0; i < system->shapes.n; i++) {
        SystemShape *ss = &system->shapes.items[i];
        size_t n;
        for (size_t lane = 0; ss->held.alert.n && lanes_next(ss, &lane, &n, 1); lane++) {
            lane_pass(system, ss, lane, t, &moment, x, e->memory, &pass);
            changed |= pass.memory || pass.states;
        }
    }
    return changed;
}

LiederStatus events_decide_again(Events *e, double t, double decided, double *x,
                                 LiederChatter chatter)
{
    Instant at = {.t = t, .decided = decided, .x = x, .chatter = chatter, .patient = true};
    if (e->ncrossing)
        memcpy(e->low, e->choices, e->ncrossing * sizeof *e->low);
    events_decide(e, t, decided, x);
    for (size_t i = 0; i < e->ncrossing; i++)
        if (e->low[i] > 1.5)
            e->choices[i] = e->low[i];
    return e->memory ? iterate_lanes(e, &at, true) : LIEDER_DONE;
}
