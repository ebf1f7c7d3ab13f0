/* events.c - what interrupts the smooth motion of a system.
 *
 * Time events: a component's next_time tells when something jumps or bends. Adaptive solvers step
 * exactly there. Times closer than events_margin count as one.
 *
 * State events: a crossing is a value with a choice, choice = (value < 0), which is held between
 * events so that the solver sees a smooth function. After every step the values are compared with
 * the choices, at the end and in the middle. If some choice is contradicted, the first such point
 * is located in the solver's own interpolant:
 *
 *   invariant: nothing contradicted at `low`, something at `high`
 *   next point: the earliest zero of the secants of all contradicted values, pushed to alternate
 *   sides by a part of the tolerance; every third time the middle
 *
 * down to `tolerance` of the step, or of LONGEST_PART of the run if that is shorter. The event
 * takes place at `high`, where the new sides are strictly right: afterwards choice = (value < 0)
 * holds for all, and no rounding can make the same event happen twice. If already the begin of the
 * step is contradicted (an event block left a value at zero and it leaves to the wrong side after a
 * short flight) points towards the begin are tried, halving each time; if none is clean the event
 * is there at once.
 *
 * Chattering and Zeno: a crossing that fires CHATTER_COUNT times within CHATTER_SPAN of the run.
 * Then the run stops, or the crossing is held: its choice becomes 2 and is no longer compared
 * until the value has left the surface by HELD_BAND.
 *
 * Guards of a program that changes between modes (modes.c) stand behind the crossings and are
 * located with them. They are one-sided: only what becomes negative is an event.
 *
 * Rejected: the root finding of ARKODE and CVODE. It works on one sign per function and cannot say
 * that a choice is right from the start, ARKODE interpolates a method of order two linearly, and
 * two codes would have to be told apart in every case above.
 */
#include "solve/solve.h"

#include <math.h>
#include <string.h>

enum { CHATTER_COUNT = 32, MOST_PASSES = 16, MOST_HALVINGS = 40 };
static const double CHATTER_SPAN = 1e-8, HELD_BAND = 1e-6, TIME_MARGIN = 1e-13, LONGEST_PART = 1e-3;

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
    e->recent = memory_zeroed(alloc, n * sizeof *e->recent);
    if (e->choices && e->low && e->high && e->middle && e->recent) {
        for (size_t i = 0; i < n; i++)
            e->recent[i].since = -INFINITY;
        return LIEDER_DONE;
    }
    events_drop(e);
    return LIEDER_NO_MEMORY;
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
    memory_free(alloc, e->recent, e->n * sizeof *e->recent);
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

/* ------------------------------------------------------------------ contradicted choices */

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

void events_decide(Events *e, double t, double decided, const double *x)
{
    Moment moment = {.event_time = decided};
    if (e->ncrossing)
        team_crossings(e->team, t, &moment, x, e->high, e->choices);
    evaluate_guards(e, t, &moment, x, e->high);
    for (size_t i = e->ncrossing; i < e->n; i++)
        e->choices[i] = e->high[i] < 0;
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

/* A crossing that is held at its surface takes part again once it is far from it. */
static bool contradicted(const Events *e, size_t i, const double *values)
{
    if (e->choices[i] > 1.5)
        return fabs(values[i]) > HELD_BAND;
    return (values[i] < 0) != (e->choices[i] > 0.5);
}

static bool any_contradicted(const Events *e, const double *values)
{
    for (size_t i = e->first; i < e->n; i++)
        if (contradicted(e, i, values))
            return true;
    return false;
}

static void evaluate(Events *e, double t, double decided, const double *x, double *values)
{
    Moment moment = {.event_time = decided, .choices = e->first == 0 ? e->choices : NULL};
    if (e->first < e->ncrossing)
        team_crossings(e->team, t, &moment, x, values, NULL);
    evaluate_guards(e, t, &moment, x, values);
}

bool events_violated(Events *e, double t, double decided, const double *x)
{
    if (e->n == e->first)
        return false;
    evaluate(e, t, decided, x, e->high);
    return any_contradicted(e, e->high);
}

/* ------------------------------------------------------------------ location */

/* earliest zero of the secants between low and high, as a part of the way */
static double earliest_secant(const Events *e)
{
    double part = 1;
    for (size_t i = e->first; i < e->n; i++) {
        if (!contradicted(e, i, e->high))
            continue;
        double surface = e->choices[i] > 1.5 ? copysign(HELD_BAND, e->high[i]) : 0;
        double a = e->low[i] - surface, b = e->high[i] - surface;
        double p = a == b ? 0.5 : a / (a - b);
        part = fmin(part, p);
    }
    return part >= 0 ? part : 0;
}

static void swap(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

/* evaluates at t into e->middle */
static bool clean_at(Events *e, Between *between, void *user, double t, double decided, double *x)
{
    between(user, t, x);
    evaluate(e, t, decided, x, e->middle);
    return !any_contradicted(e, e->middle);
}

/* the first point of contradiction between t0 and t1; the values there stay in e->high */
static bool locate_first(Events *e, Between *between, void *user, double t0, double t1,
                         double decided, double smallest, double *t, double *x)
{
    double low = t0, high = t1;
    between(user, t1, x);
    bool at_end = events_violated(e, t1, decided, x);
    /* an even number of zeros hides from the end: look into the middle, too */
    bool clean = clean_at(e, between, user, 0.5 * (t0 + t1), decided, x);
    if (clean && !at_end)
        return false;
    if (clean) {
        low = 0.5 * (t0 + t1);
        swap(&e->low, &e->middle);
    } else {
        high = 0.5 * (t0 + t1);
        swap(&e->high, &e->middle);
        clean = clean_at(e, between, user, t0, decided, x);
        for (int k = 0; k < MOST_HALVINGS && !clean && high - t0 > smallest; k++) {
            double try = t0 + 0.5 * (high - t0);
            clean = clean_at(e, between, user, try, decided, x);
            if (clean) {
                low = try;
            } else {
                high = try;
                swap(&e->high, &e->middle);
            }
        }
        if (!clean) {
            *t = t0;
            between(user, t0, x);
            return true;
        }
        swap(&e->low, &e->middle);
    }
    for (int k = 1; high - low > smallest; k++) {
        double part = k % 3 == 0 ? 0.5 : earliest_secant(e);
        double try = low + part * (high - low), push = 0.4 * smallest;
        try = k % 2 ? try + push : try - push;
        if (!(try > low + 0.1 * push))
            try = low + push;
        if (!(try < high - 0.1 * push))
            try = high - push;
        if (!(try > low && try < high))
            break;
        if (clean_at(e, between, user, try, decided, x)) {
            low = try;
            swap(&e->low, &e->middle);
        } else {
            high = try;
            swap(&e->high, &e->middle);
        }
    }
    *t = high;
    between(user, high, x);
    return true;
}

/* guards that became positive take their new side; true if there is nothing else */
static bool pass_over(Events *e)
{
    bool only = true;
    for (size_t i = e->first; i < e->n; i++)
        if (contradicted(e, i, e->high)) {
            if (i >= e->ncrossing && e->high[i] >= 0)
                e->choices[i] = 0;
            else
                only = false;
        }
    return only;
}

bool events_locate(Events *e, Between *between, void *user, double t0, double t1, double decided,
                   double tolerance, double *t, double *x)
{
    if (e->n == e->first)
        return false;
    /* a method that is exact for a flight steps over the whole run: no event is that vague */
    double step = fmin(t1 - t0, LONGEST_PART * e->span);
    double smallest = fmax(tolerance * step, 4e-16 * fabs(t1));
    while (locate_first(e, between, user, t0, t1, decided, smallest, t, x)) {
        evaluate(e, *t, decided, x, e->high);
        if (!pass_over(e))
            return true;
        t0 = *t;
    }
    return false;
}

/* ------------------------------------------------------------------ handling */

static void describe(const Events *e, size_t i, double t, LiederChatter chatter)
{
    const CrossingRef *ref;
    size_t lane;
    char path[512];
    SystemShape *ss = find_crossing(e, i, &ref, &lane);
    lane_path(e->team->system, ss, ref->component, lane, path, sizeof path);
    if (chatter == LIEDER_CHATTER_STOP)
        diag_error(&e->team->system->session->diag, NULL, path,
                   "events of %s follow each other without end from t = %.15g on (chattering or "
                   "Zeno)\nsmooth the component, take fixed steps (--solver rk3 --step 1e-3), or "
                   "let the run hold the surface (--chatter hold, LIEDER_CHATTER_HOLD)",
                   ref->member->name, t);
    else
        diag_warning(&e->team->system->session->diag, NULL, path,
                     "events of %s follow each other without end from t = %.15g on (chattering or "
                     "Zeno): held at its surface",
                     ref->member->name, t);
}

bool chatter_count(Recent *r, double t, double span)
{
    if (t - r->since > CHATTER_SPAN * span) {
        r->since = t;
        r->count = 0;
    }
    return ++r->count >= CHATTER_COUNT;
}

/* gives every contradicted choice its new side and runs the event blocks; *ran: their number */
static LiederStatus one_pass(Events *e, double t, double decided, double *x, bool patient,
                             LiederChatter chatter, size_t *ran)
{
    Moment moment = {.event_time = decided, .choices = e->choices};
    *ran = 0;
    for (size_t i = e->first; i < e->n; i++) {
        e->recent[i].ran = false;
        if (!contradicted(e, i, e->high))
            continue;
        if (i >= e->ncrossing) {
            e->choices[i] = e->high[i] < 0;
            if (e->high[i] < 0 && e->guards->fired < 0)
                e->guards->fired = (ptrdiff_t)(i - e->ncrossing);
            continue;
        }
        const CrossingRef *ref;
        size_t lane;
        SystemShape *ss = find_crossing(e, i, &ref, &lane);
        double before = e->choices[i];
        e->choices[i] = e->high[i] < 0;
        if (!patient && chatter_count(&e->recent[i], t, e->span)) {
            describe(e, i, t, chatter);
            if (chatter == LIEDER_CHATTER_STOP)
                return LIEDER_GAVE_UP;
            e->choices[i] = 2;
            e->recent[i].count = 0;
        }
        /* leaving a held surface is no event of the component */
        e->recent[i].ran =
            before < 1.5 && lane_event(e->team->system, ss, ref->component, lane, t, &moment, x);
        *ran += e->recent[i].ran;
    }
    if (*ran == 0)
        return LIEDER_DONE;
    /* where the event blocks have left their own values; what else follows is for the next pass */
    evaluate(e, t, decided, x, e->high);
    for (size_t i = 0; i < e->n; i++)
        if (e->recent[i].ran && e->choices[i] < 1.5)
            e->choices[i] = e->high[i] < 0;
    return LIEDER_DONE;
}

LiederStatus events_handle(Events *e, double t, double decided, double *x, LiederChatter chatter,
                           bool *changed)
{
    size_t ran = 1;
    *changed = false;
    for (int pass = 0; pass < MOST_PASSES && ran; pass++) {
        LiederStatus status = one_pass(e, t, decided, x, false, chatter, &ran);
        if (status != LIEDER_DONE)
            return status;
        *changed |= ran > 0;
    }
    return LIEDER_DONE;
}

size_t events_at_boundary(Events *e, double t, double decided, double *x)
{
    size_t ran = 1, all = 0;
    for (int pass = 0; pass < MOST_PASSES && ran && events_violated(e, t, decided, x); pass++) {
        one_pass(e, t, decided, x, true, LIEDER_CHATTER_HOLD, &ran);
        all += ran;
    }
    return all;
}
