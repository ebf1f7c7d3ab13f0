/* events.c - what interrupts the smooth motion of a system.
 *
 * Time events: a component's next_time tells when something jumps or bends. Adaptive solvers step
 * exactly there. Times closer than events_margin count as one.
 *
 * State events: a crossing is a value with a choice, which is held between events so that the
 * solver sees a smooth function. crossing.c tells when a choice is contradicted, locate.c where in
 * a step that is so first. At that point
 *
 *   pass: every contradicted choice gets its new side and event blocks run; values are computed
 *         anew; what an event block has set is on the side that its sign tells
 *
 * is repeated until no choice is contradicted. Choices of modes are changed together in the first
 * JOINT_PASSES passes, afterwards only the contradicted one of least index, which ends where the
 * equations of the modes are a P-matrix (Murty, Math. Programming 7, 1974). After MAX_PASSES the
 * components that change are reported; the run stops, or holds them at their surface where they are
 * close to it.
 *
 * Chattering and Zeno: a crossing that fires CHATTER_COUNT times within CHATTER_SPAN of the run, or
 * within UNARMED_SPAN if each time it came back before it was armed. Then the run stops, or the
 * crossing is held: its choice becomes 2.
 *
 * Guards of a program that changes between modes (modes.c) stand behind the crossings and are
 * located with them. They are one-sided: only what becomes negative is an event.
 */
#include "solve/solve.h"

#include <math.h>
#include <string.h>

enum { CHATTER_COUNT = 32, MAX_PASSES = 100, JOINT_PASSES = 16 };
static const double UNARMED_SPAN = 1e-2, TIME_MARGIN = 1e-13;

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

/* which crossings are modes, by choice */
static void list_modes(Events *e)
{
    const LiederSystem *system = e->team->system;
    for (size_t k = 0; k < system->nhome; k++) {
        const SystemShape *ss = &system->shapes.items[k];
        size_t nlane = ss->shape->nlane;
        for (size_t c = 0; c < ss->crossings.n; c++) {
            bool mode = ss->crossings.items[c].member->crossing == LIEDER_MODE;
            memset(e->mode + ss->first_choice + c * nlane, mode, nlane);
            e->nmode += mode ? nlane : 0;
        }
    }
}

LiederStatus events_create(Events *e, Team *team, double span, Guards *guards)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(team->system);
    size_t ncrossing = team->system->nchoice, n = ncrossing + (guards ? guards->n : 0);
    *e = (Events){.team = team,
                  .guards = guards,
                  .ncrossing = ncrossing,
                  .n = n,
                  .timed = has_time_events(team->system),
                  .span = span};
    if (n == 0)
        return LIEDER_DONE;
    e->choices = memory_zeroed(alloc, n * sizeof(double));
    e->low = memory_zeroed(alloc, n * sizeof(double));
    e->high = memory_zeroed(alloc, n * sizeof(double));
    e->middle = memory_zeroed(alloc, n * sizeof(double));
    e->crossings = memory_zeroed(alloc, n * sizeof *e->crossings);
    e->mode = memory_zeroed(alloc, n);
    e->news = memory_zeroed(alloc, n);
    bool ok = e->choices && e->low && e->high && e->middle && e->crossings && e->mode && e->news;
    if (ok)
        list_modes(e);
    if (ok && e->nmode)
        ok = (e->moved = memory_zeroed(alloc, team->system->nstate * sizeof(double) + 1)) != NULL;
    if (!ok) {
        events_drop(e);
        return LIEDER_NO_MEMORY;
    }
    for (size_t i = 0; i < n; i++)
        e->crossings[i] = (Crossing){.armed = 1, .recent.since = -INFINITY};
    return LIEDER_DONE;
}

void events_drop(Events *e)
{
    if (!e->team)
        return;
    const LiederAllocator *alloc = SYSTEM_ALLOC(e->team->system);
    memory_free(alloc, e->choices, e->n * sizeof(double));
    memory_free(alloc, e->low, e->n * sizeof(double));
    memory_free(alloc, e->high, e->n * sizeof(double));
    memory_free(alloc, e->middle, e->n * sizeof(double));
    memory_free(alloc, e->crossings, e->n * sizeof *e->crossings);
    memory_free(alloc, e->mode, e->n);
    memory_free(alloc, e->news, e->n);
    memory_free(alloc, e->moved, e->team->system->nstate * sizeof(double) + 1);
    *e = (Events){0};
}

/* shape, crossing and lane of choice i */
static SystemShape *find_crossing(const Events *e, size_t i, const CrossingRef **ref, size_t *lane)
{
    LiederSystem *system = e->team->system;
    for (uint32_t k = 0; k < system->nhome; k++) {
        SystemShape *ss = &system->shapes.items[k];
        size_t nlane = ss->shape->nlane;
        if (i - ss->first_choice >= ss->crossings.n * nlane)
            continue;
        *ref = &ss->crossings.items[(i - ss->first_choice) / nlane];
        *lane = (i - ss->first_choice) % nlane;
        /* it may have become a guest elsewhere */
        Element element = element_at(system, ss, (*ref)->component, *lane);
        Seat seat = current_seat(system, &element);
        if (seat.shape == k || seat.shape == NOWHERE)
            return ss;
        const LiederMember *member = (*ref)->member;
        ss = &system->shapes.items[seat.shape];
        for (size_t c = 0; c < ss->crossings.n; c++)
            if (ss->crossings.items[c].component == seat.component &&
                ss->crossings.items[c].member == member)
                *ref = &ss->crossings.items[c];
        *lane = seat.lane;
        return ss;
    }
    return NULL;
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
    const SlotValue *slots = ss->slots.items + ss->slot_first.items[component];
    const LiederTable *table = table_of(ss->shape, component);
    bool differ = false;
    for (int s = 0; s < class_->nslot; s++)
        differ |= slots[s].lanes != NULL;
    double next = INFINITY, *values = system->session->values.items;
    size_t n;
    for (size_t lane = 0; lanes_next(ss, &lane, &n, 1); lane++) {
        for (int s = 0; s < class_->nslot; s++)
            values[s] = slots[s].lanes ? slots[s].lanes[lane] : slots[s].value;
        next = fmin(next, class_->def->next_time(values, table, t));
        if (!differ)
            break;
    }
    return next;
}

double events_next_time(const Events *e, double t)
{
    double next = INFINITY;
    if (!e->timed)
        return next;
    const LiederSystem *system = e->team->system;
    for (size_t i = 0; i < system->shapes.n; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        for (uint32_t c = 0; c < ss->shape->components.n; c++)
            if (ss->shape->components.items[c].class_->def->next_time)
                next = fmin(next, next_of_component(system, ss, c, t + events_margin(e, t)));
    }
    return next;
}

/* ------------------------------------------------------------------ choices */

/* values of the guards, which see jumps and choices as the run does */
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
    Moment moment = {.event_time = decided, .choices = e->first == 0 ? e->choices : NULL};
    if (e->first < e->ncrossing)
        team_crossings(e->team, t, &moment, x, values, NULL);
    evaluate_guards(e, t, &moment, x, values);
}

void events_decide(Events *e, double t, double decided, const double *x)
{
    Moment moment = {.event_time = decided};
    if (e->ncrossing)
        team_crossings(e->team, t, &moment, x, e->high, e->choices);
    evaluate_guards(e, t, &moment, x, e->high);
    for (size_t i = e->ncrossing; i < e->n; i++)
        e->choices[i] = e->high[i] < 0;
    for (size_t i = 0; i < e->ncrossing; i++) {
        e->crossings[i].armed = !e->mode[i];
        e->news[i] = CROSSING_FLIPPED;
    }
    if (e->nmode) {
        crossing_measure_noise(e, t, decided, x, CROSSING_FLIPPED);
        crossing_clean(e, e->high);
    }
}

void events_decide_again(Events *e, double t, double decided, const double *x)
{
    if (e->ncrossing)
        memcpy(e->low, e->choices, e->ncrossing * sizeof *e->low);
    events_decide(e, t, decided, x);
    for (size_t i = 0; i < e->ncrossing; i++)
        if (e->low[i] > 1.5)
            e->choices[i] = 2;
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

/* ------------------------------------------------------------------ chattering */

/* path of the component of crossing i; the name of its value */
static const char *name_crossing(const Events *e, size_t i, char *path, size_t size)
{
    const CrossingRef *ref;
    size_t lane;
    SystemShape *ss = find_crossing(e, i, &ref, &lane);
    lane_path(e->team->system, ss, ref->component, lane, path, size);
    return ref->member->name;
}

/* an error if the run stops there, a warning if it holds the surface */
static void report_chatter(const Events *e, size_t i, double t, LiederChatter chatter)
{
    char path[512];
    const char *name = name_crossing(e, i, path, sizeof path);
    if (chatter == LIEDER_CHATTER_STOP)
        diag_error(&e->team->system->session->diag, NULL, path,
                   "events of %s follow each other without end from t = %.15g on (chattering or "
                   "Zeno)\nsmooth the component, take fixed steps (--solver rk3 with a step that "
                   "lieder eigen calls stable), or let the run hold the surface (--chatter hold, "
                   "LIEDER_CHATTER_HOLD)",
                   name, t);
    else
        diag_warning(&e->team->system->session->diag, NULL, path,
                     "events of %s follow each other without end from t = %.15g on (chattering or "
                     "Zeno): held at its surface",
                     name, t);
}

bool chatter_count(Recent *r, double t, double span)
{
    if (t - r->since > span) {
        r->since = t;
        r->count = 0;
    }
    return ++r->count >= CHATTER_COUNT;
}

/* ------------------------------------------------------------------ an event */

/* where it takes place, and what chattering does: patient runs do not count it */
typedef struct Instant {
    double t, decided;
    double *x;
    LiederChatter chatter;
    bool patient;
    size_t flipped, ran; /* in this pass */
} Instant;

/* Choices that change in every pass rest at their surface, if they can; else nothing is changed. */
static bool hold_alternating(Events *e, const Instant *at)
{
    memcpy(e->low, e->choices, e->n * sizeof *e->low);
    for (size_t i = 0; i < e->ncrossing; i++)
        if (e->news[i] & CROSSING_FLIPPED)
            e->choices[i] = 2;
    if (!events_violated(e, at->t, at->decided, at->x))
        return true;
    memcpy(e->choices, e->low, e->n * sizeof *e->low);
    return false;
}

/* choices that change in every pass are named */
static LiederStatus report_alternation(Events *e, const Instant *at)
{
    enum { MAX_NAMED = 3 };
    Diagnostics *diag = &e->team->system->session->diag;
    bool held = at->chatter == LIEDER_CHATTER_HOLD && hold_alternating(e, at);
    size_t found = 0;
    for (size_t i = 0; i < e->ncrossing; i++) {
        if (!(e->news[i] & CROSSING_FLIPPED) || found++ >= MAX_NAMED)
            continue;
        char path[512];
        const char *name = name_crossing(e, i, path, sizeof path);
        if (held)
            diag_warning(diag, NULL, path,
                         "the choice by %s changes in every one of %d passes at t = %.15g: held at "
                         "its surface",
                         name, MAX_PASSES, at->t);
        else
            diag_error(diag, NULL, path,
                       "the choice by %s changes in every one of %d passes at t = %.15g: the "
                       "choices of the model contradict each other\nis there a solution at all? "
                       "smooth the component, or give it a range where both choices are right",
                       name, MAX_PASSES, at->t);
    }
    if (found > MAX_NAMED)
        diag_warning(diag, NULL, NULL, "%zu other choices change with these", found - MAX_NAMED);
    return held ? LIEDER_DONE : LIEDER_GAVE_UP;
}

static void flip_guard(Events *e, size_t i)
{
    e->choices[i] = e->high[i] < 0;
    if (e->high[i] < 0 && e->guards->fired < 0)
        e->guards->fired = (ptrdiff_t)(i - e->ncrossing);
}

/* a contradicted choice gets its new side, and its component hears of it */
static LiederStatus flip_crossing(Events *e, Instant *at, size_t i)
{
    Moment moment = {.event_time = at->decided, .choices = e->choices};
    Crossing *c = &e->crossings[i];
    const CrossingRef *ref;
    size_t lane;
    SystemShape *ss = find_crossing(e, i, &ref, &lane);
    double before = e->choices[i];
    double span = (c->armed > 0 ? CHATTER_SPAN : UNARMED_SPAN) * e->span;
    crossing_flip(e, i, e->high[i]);
    at->flipped++;
    if (!at->patient && !(e->news[i] & CROSSING_COUNTED) &&
        chatter_count(&c->recent, at->t, span)) {
        report_chatter(e, i, at->t, at->chatter);
        if (at->chatter == LIEDER_CHATTER_STOP)
            return LIEDER_GAVE_UP;
        e->choices[i] = 2;
        c->recent.count = 0;
    }
    e->news[i] |= CROSSING_FLIPPED | CROSSING_COUNTED;
    /* leaving a held surface is no event of the component */
    bool moved = false;
    if (before < 1.5 &&
        lane_event(e->team->system, ss, ref->component, lane, at->t, &moment, at->x, &moved))
        at->ran++;
    if (moved)
        e->news[i] |= CROSSING_MOVED;
    return LIEDER_DONE;
}

/* changes every crossing whose choice its value contradicts and runs the event blocks; from
 * JOINT_PASSES on one mode at a time */
static LiederStatus one_pass(Events *e, Instant *at, int pass)
{
    bool alone = false; /* a mode was changed, and it shall be the only one */
    at->flipped = at->ran = 0;
    for (size_t i = e->first; i < e->n; i++) {
        e->news[i] &= CROSSING_COUNTED;
        if (!crossing_contradicted(e, i, e->high[i]) || (e->mode[i] && alone))
            continue;
        if (i >= e->ncrossing) {
            flip_guard(e, i);
            continue;
        }
        alone = e->mode[i] && pass >= JOINT_PASSES;
        LiederStatus status = flip_crossing(e, at, i);
        if (status != LIEDER_DONE)
            return status;
    }
    if (at->flipped == 0)
        return LIEDER_DONE;
    events_evaluate(e, at->t, at->decided, at->x, e->high);
    if (e->nmode)
        crossing_measure_noise(e, at->t, at->decided, at->x, CROSSING_FLIPPED);
    /* where the event blocks have left their own values; what else follows is for the next pass */
    for (size_t i = 0; i < e->ncrossing; i++)
        if (e->news[i] & CROSSING_MOVED && e->choices[i] < 1.5)
            crossing_set(e, i, e->high[i]);
    return LIEDER_DONE;
}

/* passes until nothing is contradicted; *ran: event blocks in all */
static LiederStatus iterate_events(Events *e, Instant *at, size_t *ran)
{
    LiederStatus status = LIEDER_DONE;
    *ran = 0;
    memset(e->news, 0, e->n);
    for (int pass = 0; status == LIEDER_DONE; pass++) {
        if (pass == MAX_PASSES)
            return report_alternation(e, at);
        status = one_pass(e, at, pass);
        *ran += at->ran;
        if (at->flipped == 0)
            break;
    }
    return status;
}

LiederStatus events_handle(Events *e, double t, double decided, double *x, LiederChatter chatter)
{
    Instant at = {.t = t, .decided = decided, .x = x, .chatter = chatter};
    size_t ran;
    return iterate_events(e, &at, &ran);
}

LiederStatus events_at_boundary(Events *e, double t, double decided, double *x,
                                LiederChatter chatter, size_t *ran)
{
    Instant at = {.t = t, .decided = decided, .x = x, .chatter = chatter, .patient = true};
    *ran = 0;
    if (e->n == e->first)
        return LIEDER_DONE;
    if (events_violated(e, t, decided, x))
        return iterate_events(e, &at, ran);
    crossing_clean(e, e->high);
    return LIEDER_DONE;
}
