/* history.c - the past of variables that components delay.
 *
 * Every lane has a history of each delayed variable (lieder/history.h), whose value blocks read at
 * s = t - T. It grows by a segment where a step has been accepted: the polynomial through the
 * variable at equidistant times inside the step, at the states that the method has there. That is
 * degree 5 for adaptive steps, by their dense output, and degree 3 for fixed ones, by the cubic
 * through states and slopes at both ends. A segment never goes beyond an event. What only events
 * change grows by a segment where it has changed.
 *
 * No step is longer than the shortest delay that is a parameter, so s never lies after the last
 * accepted point. A delay that varies may reach there: the value is no number then, and adaptive
 * steps become shorter.
 *
 * Jumps arrive exactly: a jump at t is a time event at t + T, where the run begins anew, if T is a
 * parameter. So is the begin of the run, where the past bends. A jump that a delay which varies
 * brings back is left to the control of errors.
 *
 * Segments that lie farther back than the longest delay are forgotten.
 *
 * Where lanes have clocks of their own (clocks.c) the histories belong to the Events of all lanes,
 * and the Events of a single lane (lane_system.c) borrow them by their addresses in its memory.
 * Rows are shown after the lanes have gone on, so segments are forgotten only where a horizon
 * begins, and a horizon that is repeated goes back to marks. */
#include "solve/events/history.h"
#include "solve/events/events.h"
#include "solve/run/ranks.h"

#include <math.h>
#include <string.h>

enum { LONG_POINTS = LIEDER_DIFFERENCES, SHORT_POINTS = 4 };

struct History {
    LiederHistory shared; /* what blocks read; first: memory has its address */
    VEC(LiederSegment) segments;
    VEC(double) jumps;
    double end, last; /* up to where it is known, and the value there */
    double seen;      /* jumps that arrive up to here have had their event */
    double delay, most;
    bool stepwise, varies; /* only events change it; its delay is no parameter */
    uint32_t shape;
    size_t lane, number; /* for messages: its member */
};

/* ------------------------------------------------------------------ creation */

/* one history for each member of this kind and lane */
static void list_histories(Events *e, uint32_t shape, size_t *n)
{
    const SystemShape *ss = &e->team->system->shapes.items[shape];
    Histories *all = &e->histories;
    for (size_t k = 0; k < ss->held.nmemory; k++) {
        const LiederMember *m = ss->held.memories.items[k].member;
        for (size_t lane = 0; m->kind == LIEDER_HISTORY && lane < ss->shape->nlane; lane++, ++*n) {
            all->at[*n] = home_memory(ss, k, lane);
            all->items[*n] = &all->own[*n];
            all->own[*n] = (History){.stepwise = m->type != LIEDER_TYPE_REAL,
                                     .varies = m->varies,
                                     .shared.strict = m->varies && m->type == LIEDER_TYPE_REAL,
                                     .shape = shape,
                                     .lane = lane,
                                     .number = k};
        }
    }
}

static size_t count_histories(const LiederSystem *system)
{
    size_t n = 0;
    for (size_t i = 0; i < system->nhome; i++)
        n += system->shapes.items[i].held.nhistory * system->shapes.items[i].shape->nlane;
    return n;
}

bool histories_anywhere(const LiederSystem *system)
{
    for (size_t i = 0; i < system->nhome; i++)
        if (system->shapes.items[i].held.nhistory)
            return true;
    return false;
}

void histories_attach(Events *e, bool on)
{
    for (size_t i = 0; i < e->histories.n; i++) {
        uint64_t address = on ? (uintptr_t)&e->histories.items[i]->shared : 0;
        memcpy(&e->memory[e->histories.at[i]], &address, sizeof address);
    }
}

bool histories_create(Events *e)
{
    const LiederSystem *system = e->team->system;
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    Histories *all = &e->histories;
    size_t n = count_histories(system);
    all->alloc = alloc;
    if (n == 0)
        return true;
    all->own = memory_zeroed(alloc, n * sizeof *all->own);
    all->items = memory_zeroed(alloc, n * sizeof(History *));
    all->at = memory_zeroed(alloc, n * sizeof *all->at);
    all->values = memory_zeroed(alloc, 3 * system->nmemory * sizeof(double));
    all->points = memory_zeroed(alloc, n * LONG_POINTS * sizeof(double));
    all->x = memory_zeroed(alloc, 3 * system->nstate * sizeof(double) + 1);
    all->n = n;
    if (!all->own || !all->items || !all->at || !all->values || !all->points || !all->x)
        return false;
    size_t at = 0;
    for (uint32_t i = 0; i < system->nhome; i++)
        list_histories(e, i, &at);
    histories_attach(e, true);
    return true;
}

/* frees the histories that were made here, not those of another */
static void drop_own(Histories *all, const LiederAllocator *alloc)
{
    for (size_t i = 0; all->own && i < all->n; i++) {
        vec_drop(alloc, &all->own[i].segments);
        vec_drop(alloc, &all->own[i].jumps);
    }
    memory_free(alloc, all->own, all->n * sizeof *all->own);
    all->own = NULL;
}

void histories_drop(Events *e)
{
    const LiederSystem *system = e->team->system;
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    Histories *all = &e->histories;
    drop_own(all, alloc);
    memory_free(alloc, all->items, all->n * sizeof(History *));
    memory_free(alloc, all->at, all->n * sizeof *all->at);
    memory_free(alloc, all->values, 3 * system->nmemory * sizeof(double));
    memory_free(alloc, all->points, all->n * LONG_POINTS * sizeof(double));
    memory_free(alloc, all->x, 3 * system->nstate * sizeof(double) + 1);
    *all = (Histories){0};
}

void histories_borrow(Events *e, const LiederAllocator *alloc)
{
    drop_own(&e->histories, SYSTEM_ALLOC(e->team->system));
    e->histories.alloc = alloc;
}

void histories_enter(Events *e)
{
    for (size_t i = 0; i < e->histories.n; i++)
        e->histories.items[i] = (History *)lieder_history(e->memory[e->histories.at[i]]);
}

/* ------------------------------------------------------------------ growing */

/* variables and delays at (t, x) */
static void read_delays(Events *e, double t, const Moment *moment, const double *x)
{
    Histories *all = &e->histories;
    size_t n = e->team->system->nmemory;
    team_read(e->team, t, moment, x, (Readings){.delayed = all->values, .nmemory = n});
}

static double value_of(const Events *e, size_t i)
{
    return e->histories.values[e->histories.at[i]];
}

static void take_delay(const Events *e, size_t i)
{
    size_t n = e->team->system->nmemory, at = e->histories.at[i];
    History *h = e->histories.items[i];
    h->delay = e->histories.values[n + at];
    h->most = fmax(h->delay, e->histories.values[2 * n + at]);
}

static void show(History *h)
{
    h->shared.segments = h->segments.items;
    h->shared.n = h->segments.n;
    h->shared.jumps = h->jumps.items;
    h->shared.njump = h->jumps.n;
}

/* forgets segments and jumps that delays from `since` on do not reach, once they are half of all */
static void forget_history(History *h, double since)
{
    double oldest = since - h->most * (1 + 1e-9) - 1e-12 * fabs(h->end);
    size_t gone = 0, jumps = 0, n = h->segments.n;
    while (gone + 1 < n && h->segments.items[gone].end < oldest)
        gone++;
    if (2 * gone < n || n < 16)
        return;
    while (jumps < h->jumps.n && h->jumps.items[jumps] < oldest)
        jumps++;
    memmove(h->segments.items, h->segments.items + gone, (n - gone) * sizeof *h->segments.items);
    h->segments.n -= gone;
    if (jumps)
        memmove(h->jumps.items, h->jumps.items + jumps, (h->jumps.n - jumps) * sizeof(double));
    h->jumps.n -= jumps;
}

/* the polynomial through n values at equal distances */
static LiederSegment segment_through(double begin, double end, const double *values, int n)
{
    LiederSegment g = {.begin = begin, .end = end, .rate = (double)(n - 1) / (end - begin)};
    memcpy(g.d, values, (size_t)n * sizeof(double));
    for (int order = 1; order < n; order++)
        for (int k = n - 1; k >= order; k--)
            g.d[k] -= g.d[k - 1];
    return g;
}

static bool add_segment(const Events *e, History *h, LiederSegment g)
{
    if (e->histories.own)
        forget_history(h, h->end);
    bool good = vec_push(e->histories.alloc, &h->segments, g);
    show(h);
    return good;
}

/* a segment with one value from t on, of a stepwise history until the next one */
static bool add_value(const Events *e, History *h, double t, double value)
{
    LiederSegment g = {.begin = t, .end = h->stepwise ? LIEDER_LATE : t, .d = {value}};
    if (h->segments.n && h->stepwise)
        h->segments.items[h->segments.n - 1].end = t;
    return add_segment(e, h, g);
}

LiederStatus histories_begin(Events *e, double t, double decided, const Moment *moment,
                             const double *x)
{
    if (e->histories.n == 0)
        return LIEDER_DONE;
    read_delays(e, t, moment, x);
    for (size_t i = 0; i < e->histories.n; i++) {
        History *h = e->histories.items[i];
        h->segments.n = h->jumps.n = 0;
        h->shared.begin = h->end = t;
        h->seen = decided;
        h->last = value_of(e, i);
        take_delay(e, i);
        if (!add_value(e, h, t, h->last))
            return LIEDER_NO_MEMORY;
    }
    return LIEDER_DONE;
}

/* the values at hand are point k of a segment */
static void keep_point(Events *e, int k)
{
    for (size_t i = 0; i < e->histories.n; i++)
        e->histories.points[i * LONG_POINTS + (size_t)k] = value_of(e, i);
}

static bool any_continuous(const Events *e)
{
    for (size_t i = 0; i < e->histories.n; i++)
        if (!e->histories.items[i]->stepwise)
            return true;
    return false;
}

/* the points of a step are known: n of them, the last one at t */
static LiederStatus add_step(Events *e, double t, int n)
{
    for (size_t i = 0; i < e->histories.n; i++) {
        History *h = e->histories.items[i];
        double *points = e->histories.points + i * LONG_POINTS;
        take_delay(e, i);
        if (h->stepwise || !(t > h->end))
            continue;
        points[0] = h->last;
        if (!add_segment(e, h, segment_through(h->end, t, points, n)))
            return LIEDER_NO_MEMORY;
        h->last = points[n - 1];
        h->end = t;
    }
    return LIEDER_DONE;
}

/* all ranks come here or none, and all go on or none */
static LiederStatus agree_on_delays(const Events *e, LiederStatus here, size_t before)
{
    LiederSystem *system = e->team->system;
    return histories_anywhere(system) ? ranks_status(system, here, before) : here;
}

/* histories_step of this rank */
static LiederStatus grow_history(Events *e, double from, double t, Between *between, void *user,
                                 const Moment *moment, const double *x)
{
    if (!any_continuous(e))
        return LIEDER_DONE;
    for (int k = 1; k < LONG_POINTS - 1; k++) {
        double at = from + (t - from) * k / (LONG_POINTS - 1);
        between(user, at, e->histories.x);
        read_delays(e, at, moment, e->histories.x);
        keep_point(e, k);
    }
    read_delays(e, t, moment, x);
    keep_point(e, LONG_POINTS - 1);
    return add_step(e, t, LONG_POINTS);
}

LiederStatus histories_step(Events *e, double from, double t, Between *between, void *user,
                            const Moment *moment, const double *x)
{
    size_t before = e->team->system->session->diag.list.n;
    return agree_on_delays(e, grow_history(e, from, t, between, user, moment, x), before);
}

/* histories_fixed_step of this rank */
static LiederStatus grow_fixed(Events *e, double from, double t, const Moment *moment,
                               const double *begin, const double *end)
{
    size_t n = e->team->system->nstate;
    double h = t - from, *x = e->histories.x, *f0 = x + n, *f1 = f0 + n;
    if (!any_continuous(e))
        return LIEDER_DONE;
    LiederStatus status = team_derivatives(e->team, from, moment, begin, f0, true);
    if (status == LIEDER_DONE)
        status = team_derivatives(e->team, t, moment, end, f1, true);
    for (int k = 1; k < SHORT_POINTS - 1 && status == LIEDER_DONE; k++) {
        double a = (double)k / (SHORT_POINTS - 1);
        cubic_between(n, a, h, begin, end, f0, f1, x);
        read_delays(e, from + a * h, moment, x);
        keep_point(e, k);
    }
    if (status != LIEDER_DONE)
        return status;
    read_delays(e, t, moment, end);
    keep_point(e, SHORT_POINTS - 1);
    return add_step(e, t, SHORT_POINTS);
}

LiederStatus histories_fixed_step(Events *e, double from, double t, const Moment *moment,
                                  const double *begin, const double *end)
{
    size_t before = e->team->system->session->diag.list.n;
    return agree_on_delays(e, grow_fixed(e, from, t, moment, begin, end), before);
}

LiederStatus histories_event(Events *e, double t, double decided, const Moment *moment,
                             const double *x)
{
    if (e->histories.n == 0)
        return LIEDER_DONE;
    read_delays(e, t, moment, x);
    for (size_t i = 0; i < e->histories.n; i++) {
        History *h = e->histories.items[i];
        double value = value_of(e, i);
        take_delay(e, i);
        h->seen = decided;
        if (h->stepwise)
            h->end = t;
        if (value == h->last)
            continue;
        h->last = value;
        if (!vec_push(e->histories.alloc, &h->jumps, t) || !add_value(e, h, t, value))
            return LIEDER_NO_MEMORY;
        show(h);
    }
    return LIEDER_DONE;
}

/* ------------------------------------------------------------------ what arrives */

/* the first arrival after t */
static double next_arrival(const History *h, double t)
{
    if (h->varies || h->segments.n == 0)
        return INFINITY;
    if (!h->stepwise && h->shared.begin + h->delay > t)
        return h->shared.begin + h->delay;
    for (size_t k = 0; k < h->jumps.n; k++)
        if (h->jumps.items[k] + h->delay > t)
            return h->jumps.items[k] + h->delay;
    return INFINITY;
}

double histories_next(const Events *e, double t)
{
    double next = INFINITY;
    for (size_t i = 0; i < e->histories.n; i++)
        next = fmin(next, next_arrival(e->histories.items[i], t));
    return next;
}

bool history_is_due(double handle, double decided)
{
    const History *h = (const History *)lieder_history(handle);
    return h && next_arrival(h, h->seen) <= decided;
}

/* ------------------------------------------------------------------ limits of steps */

static void name_history(const Events *e, const History *h, char *path, size_t size)
{
    const SystemShape *ss = &e->team->system->shapes.items[h->shape];
    lane_path(e->team->system, ss, ss->held.memories.items[h->number].component, h->lane, path,
              size);
}

/* histories_check of this rank */
static LiederStatus check_delays(Events *e, double t, const Moment *moment, const double *x,
                                 double step)
{
    LiederSystem *system = e->team->system;
    Diagnostics *diag = &system->session->diag;
    char path[512];
    if (e->histories.n == 0)
        return LIEDER_DONE;
    read_delays(e, t, moment, x);
    for (size_t i = 0; i < e->histories.n; i++) {
        History *h = e->histories.items[i];
        take_delay(e, i);
        if (h->varies)
            continue;
        name_history(e, h, path, sizeof path);
        if (!(h->delay >= 0) || isinf(h->delay)) {
            diag_error(diag, NULL, path, "the time of a delay is %g\nit must be positive",
                       h->delay);
            return LIEDER_BAD_MODEL;
        }
        if (h->delay == 0) /* the variable itself, or an assertion of the model fails */
            continue;
        if (step > h->delay * (1 + 1e-9)) {
            diag_error(diag, NULL, path,
                       "a step of %g is longer than the delay of %g\ntake a step that is a part of "
                       "the delay, or an adaptive solver",
                       step, h->delay);
            return LIEDER_BAD_USE;
        }
    }
    return LIEDER_DONE;
}

LiederStatus histories_check(Events *e, double t, const Moment *moment, const double *x,
                             double step)
{
    size_t before = e->team->system->session->diag.list.n;
    return agree_on_delays(e, check_delays(e, t, moment, x, step), before);
}

double histories_shortest(const Events *e)
{
    double shortest = INFINITY;
    for (size_t i = 0; i < e->histories.n; i++) {
        const History *h = e->histories.items[i];
        if (!h->varies && !h->stepwise && h->delay > 0)
            shortest = fmin(shortest, h->delay);
    }
    return histories_anywhere(e->team->system) ? ranks_least(e->team->system, shortest) : shortest;
}

/* ------------------------------------------------------------------ horizons */

void histories_forget(Events *e, double shown)
{
    for (size_t i = 0; i < e->histories.n; i++) {
        History *h = e->histories.items[i];
        forget_history(h, fmin(shown, h->end));
        show(h);
    }
}

void histories_mark(const Events *e, HistoryMark *marks)
{
    for (size_t i = 0; i < e->histories.n; i++) {
        const History *h = e->histories.items[i];
        marks[i] = (HistoryMark){.n = h->segments.n,
                                 .njump = h->jumps.n,
                                 .end = h->end,
                                 .last = h->last,
                                 .seen = h->seen,
                                 .delay = h->delay,
                                 .most = h->most};
    }
}

void histories_return(Events *e, const HistoryMark *marks)
{
    for (size_t i = 0; i < e->histories.n; i++) {
        History *h = e->histories.items[i];
        const HistoryMark *m = &marks[i];
        h->segments.n = m->n;
        h->jumps.n = m->njump;
        if (h->stepwise && m->n) /* a later one may have ended it */
            h->segments.items[m->n - 1].end = LIEDER_LATE;
        h->end = m->end;
        h->last = m->last;
        h->seen = m->seen;
        h->delay = m->delay;
        h->most = m->most;
        show(h);
    }
}

/* ------------------------------------------------------------------ state files */

HistoryParts history_parts(const Events *e, size_t i)
{
    const History *h = e->histories.items[i];
    return (HistoryParts){
        .head = {h->shared.begin, h->end, h->last, h->seen, h->segments.n, h->jumps.n},
        .segments = h->segments.items,
        .jumps = h->jumps.items};
}

static bool segment_is_possible(const LiederSegment *g)
{
    bool good = isfinite(g->begin) && isfinite(g->end) && isfinite(g->rate) && g->end >= g->begin;
    for (int k = 0; k < LIEDER_DIFFERENCES; k++)
        good = good && isfinite(g->d[k]);
    return good;
}

/* segments and jumps one by one, so that a wrong number does not ask for memory */
static bool read_parts(const Events *e, History *h, const HistoryHead *head, HistoryGet *get,
                       void *user)
{
    for (uint64_t k = 0; k < head->n; k++) {
        LiederSegment g;
        if (!get(user, &g, sizeof g) || !segment_is_possible(&g) ||
            (k && g.begin < h->segments.items[k - 1].begin) ||
            !vec_push(e->histories.alloc, &h->segments, g))
            return false;
    }
    for (uint64_t k = 0; k < head->njump; k++) {
        double t;
        if (!get(user, &t, sizeof t) || !isfinite(t) || (k && t < h->jumps.items[k - 1]) ||
            !vec_push(e->histories.alloc, &h->jumps, t))
            return false;
    }
    return true;
}

bool history_read(Events *e, size_t i, HistoryGet *get, void *user)
{
    History skipped = {0}, *h = i < e->histories.n ? e->histories.items[i] : &skipped;
    HistoryHead head;
    if (!get(user, &head, sizeof head) || !isfinite(head.begin) || !isfinite(head.end) ||
        !isfinite(head.last) || !isfinite(head.seen) || head.n == 0)
        return false;
    h->segments.n = h->jumps.n = 0;
    bool good = read_parts(e, h, &head, get, user);
    h->shared.begin = head.begin;
    h->end = head.end;
    h->last = head.last;
    h->seen = head.seen;
    show(h);
    vec_drop(e->histories.alloc, &skipped.segments);
    vec_drop(e->histories.alloc, &skipped.jumps);
    return good;
}
