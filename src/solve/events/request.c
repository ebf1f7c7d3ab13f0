/* request.c - components that end the run, or find that a condition does not hold (REQUEST).
 *
 * A request is a number of a component that is not zero. An explicit block sets it in every
 * evaluation in which its condition holds, so it is examined where a state is part of the solution:
 * after accepted steps, at the boundaries of fixed steps, after events and at the start. It is
 * reported once when it begins. Inside adaptive steps every row is examined as well, inside fixed
 * steps and steps of lanes with clocks of their own the middle; then halvings on the polynomial of
 * the step locate where the condition of a component begins to fail. A step in which a condition of
 * level error fails cannot be taken, however short it is (Modelica 8.3.7). An event block sets a
 * request in one pass of an event, which is remembered until the requests are examined (LanePass).
 */
#include "solve/events/events.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_BEGINS = 100 }; /* warnings located between two rows; others are reported at the end */

/* ------------------------------------------------------------------ messages */

/* the number of a variable at (t, x), by its path from a component on */
static bool find_number(LiederSystem *system, const char *name, double t, const Moment *moment,
                        const double *x, double *value)
{
    LiederHandle handle;
    size_t said = system->session->diag.list.n;
    if (!lieder_handle_search(system, NULL, name, &handle) || !lieder_handle_here(system, &handle))
        return false;
    LiederObserver *observer = lieder_observer_create(system);
    Moment before = system->moment;
    system->moment = *moment;
    bool good = observer && lieder_observer_watch(observer, &handle) == 0 &&
                lieder_observer_evaluate(observer, t, x, value) == LIEDER_DONE;
    system->moment = before;
    if (observer)
        lieder_observer_destroy(observer);
    if (!good)
        diag_forget(&system->session->diag, said);
    return good;
}

/* the text of a request with numbers in the place of "<variable>" */
static void fill_numbers(LiederSystem *system, const char *path, const char *text, double t,
                         const Moment *moment, const double *x, char *to, size_t size)
{
    size_t at = 0;
    while (*text && at + 1 < size) {
        char name[800];
        double value;
        const char *end = *text == '<' ? strchr(text, '>') : NULL;
        if (end &&
            snprintf(name, sizeof name, "%s%s%.*s", path, *path ? "." : "", (int)(end - text - 1),
                     text + 1) < (int)sizeof name &&
            find_number(system, name, t, moment, x, &value)) {
            at += (size_t)snprintf(to + at, size - at, "%g", value);
            at = at < size ? at : size - 1;
            text = end + 1;
        } else {
            to[at++] = *text++;
        }
    }
    to[at] = '\0';
}

/* reports request k of a lane; LIEDER_GAVE_UP if it is an error */
static LiederStatus report_request(const Events *e, const SystemShape *ss, size_t k, size_t lane,
                                   double t, const Moment *moment, const double *x, bool *end)
{
    const CrossingRef *ref = &ss->held.memories.items[k];
    Diagnostics *diag = &e->team->system->session->diag;
    char path[512], text[2000];
    lane_path(e->team->system, ss, ref->component, lane, path, sizeof path);
    fill_numbers(e->team->system, path,
                 ref->member->text && *ref->member->text ? ref->member->text : "no message", t,
                 moment, x, text, sizeof text);
    switch (ref->member->request) {
    case LIEDER_TERMINATE:
        *end = true;
        diag_warning(diag, NULL, path, "the model ends the run at t = %.15g: %s", t, text);
        return LIEDER_DONE;
    case LIEDER_ASSERT_WARNING:
        diag_warning(diag, NULL, path, "a condition does not hold from t = %.15g on: %s", t, text);
        return LIEDER_DONE;
    case LIEDER_ASSERT_ERROR:
        break;
    }
    diag_error(diag, NULL, path, "a condition does not hold at t = %.15g: %s", t, text);
    return LIEDER_GAVE_UP;
}

/* ------------------------------------------------------------------ when they begin */

/* a place in the walk over all requests of all lanes */
typedef struct RequestPlace {
    SystemShape *ss;
    size_t shape, k, lane; /* k: in ss->held.memories */
    size_t next;           /* lane */
} RequestPlace;

/* all requests of lanes that are evaluated, from zeros on; false: there are no more */
static bool next_request(const LiederSystem *system, RequestPlace *r)
{
    for (; r->shape < system->shapes.n; r->shape++, r->k = 0) {
        SystemShape *ss = r->ss = &system->shapes.items[r->shape];
        r->k = r->k < ss->held.nmemory ? ss->held.nmemory : r->k;
        for (; r->k < ss->held.memories.n; r->k++, r->next = 0) {
            size_t n;
            r->lane = r->next;
            if (ss->held.memories.items[r->k].member->kind != LIEDER_REQUEST ||
                !lanes_next(ss, &r->lane, &n, 1))
                continue;
            r->next = r->lane + 1;
            return true;
        }
    }
    return false;
}

/* reads the requests at (t, x) to e->requested */
static void read_requests(Events *e, double t, const Moment *moment, const double *x)
{
    memset(e->requested, 0, e->team->system->nmemory * sizeof(double));
    team_read(e->team, t, moment, x, (Readings){.requests = e->requested});
}

/* Does a request begin at (t, x)? *error: one of these ends the run. Reports nothing. */
static bool find_requests(Events *e, double t, const Moment *moment, const double *x, bool *error)
{
    const LiederSystem *system = e->team->system;
    bool any = false;
    *error = false;
    read_requests(e, t, moment, x);
    for (RequestPlace r = {0}; next_request(system, &r);) {
        size_t at = home_memory(r.ss, r.k, r.lane);
        bool begins = e->requested[at] != 0 && e->memory[at] == 0;
        if (e->requested[at] == 0)
            e->memory[at] = 0; /* over: it may begin again */
        any |= begins;
        *error |= begins && r.ss->held.memories.items[r.k].member->request != LIEDER_ASSERT_WARNING;
    }
    return any;
}

/* where a request begins that is made at `high` and not at `low`; x: the state there */
static double locate_begin(Events *e, Between *between, void *user, double low, double high,
                           const Moment *moment, double *x, bool *error)
{
    enum { MAX_HALVINGS = 60 };
    for (int k = 0; k < MAX_HALVINGS && high - low > events_margin(e, high); k++) {
        double middle = low + (high - low) / 2;
        between(user, middle, x);
        if (find_requests(e, middle, moment, x, error))
            high = middle;
        else
            low = middle;
    }
    between(user, high, x);
    find_requests(e, high, moment, x, error);
    return high;
}

bool events_locate_requests(Events *e, Between *between, void *user, double from, double to,
                            const Moment *moment, double *t, double *x)
{
    bool error, end;
    if (!e->requested)
        return false;
    for (int k = 0; k < MAX_BEGINS; k++) {
        between(user, to, x);
        if (!find_requests(e, to, moment, x, &error))
            return false;
        *t = locate_begin(e, between, user, from, to, moment, x, &error);
        if (error)
            return true;
        events_check_requests(e, *t, moment, x, &end);
        from = *t;
    }
    return false;
}

/* a fixed step and the slopes at its ends */
typedef struct FixedStep {
    double from, h;
    const double *begin, *end, *slopes;
    size_t n;
} FixedStep;

static void between_ends(void *user, double t, double *x)
{
    const FixedStep *s = user;
    cubic_between(s->n, fmin((t - s->from) / s->h, 1), s->h, s->begin, s->end, s->slopes,
                  s->slopes + s->n, x);
}

bool events_locate_in_step(Events *e, double from, double to, const Moment *moment,
                           const double *begin, const double *end, bool at_end, double *t,
                           double *x)
{
    size_t n = e->team->system->nstate;
    FixedStep step = {from, to - from, begin, end, e->slopes, n};
    double middle = from + (to - from) / 2;
    if (!e->requested || !(to > from))
        return false;
    /* where the last step has ended smoothly its slope there is the one here */
    bool known = e->slopes_at == from;
    e->slopes_at = NAN;
    if (known && n)
        memcpy(e->slopes, e->slopes + n, n * sizeof(double));
    else if (team_derivatives(e->team, from, moment, begin, e->slopes, true) != LIEDER_DONE)
        return false;
    if (team_derivatives(e->team, to, moment, end, e->slopes + n, true) != LIEDER_DONE)
        return false;
    e->slopes_at = to;
    return events_locate_requests(e, between_ends, &step, from, middle, moment, t, x) ||
           (at_end && events_locate_requests(e, between_ends, &step, middle, to, moment, t, x));
}

LiederStatus events_check_requests(Events *e, double t, const Moment *moment, const double *x,
                                   bool *end)
{
    const LiederSystem *system = e->team->system;
    LiederStatus status = zeno_check(e, t, moment, x);
    if (!e->requested || status != LIEDER_DONE)
        return status;
    read_requests(e, t, moment, x);
    for (RequestPlace r = {0}; next_request(system, &r);) {
        size_t at = home_memory(r.ss, r.k, r.lane);
        bool now = e->requested[at] != 0, before = e->memory[at] != 0;
        if (((now && !before) || e->changed[at]) &&
            report_request(e, r.ss, r.k, r.lane, t, moment, x, end) != LIEDER_DONE)
            status = LIEDER_GAVE_UP;
        e->memory[at] = now;
        e->changed[at] = 0;
    }
    return status;
}
