/* locate.c - where in a step a choice is contradicted for the first time.
 *
 * After every step the values of crossings are compared with the choices, at the end and in the
 * middle. If some choice is contradicted, the first such point is located in the solver's own
 * interpolant:
 *
 *   invariant: nothing contradicted at `low`, something at `high`
 *   next point: the earliest zero of the secants of all contradicted values, pushed to alternate
 *   sides by a part of the tolerance. If an end stays where it is twice in a row, the values there
 *   are halved (Illinois); every fourth time the middle.
 *
 * down to `tolerance` of the step, or of LONGEST_PART of the run if that is shorter. A step that
 * begins with an event is examined near its begin, too: values that were left close to zero may
 * pass it at once, and again before the middle of a long step. The event takes place at `high`,
 * where the new sides are right. Every clean point on the way is one at which modes may become
 * armed (crossing.c): a solver that is exact for a flight steps over all of it. If already the
 * begin of the step is contradicted (an event block left a value at zero and it leaves to the wrong
 * side after a short flight) points towards the begin are tried, halving each time; if none is
 * clean the event is there at once.
 *
 * A value that depends on time itself (a source beside a diode) may pass zero twice between the
 * points that are examined, since the solver chooses its steps by the states, which may hardly
 * move. So a parabola through the values at begin, middle and end of a step is compared with the
 * value at one more point. If three times their difference there could hide a zero, the step is
 * examined at the ends of PARTS, and where a value is least of three, at the vertex of their
 * parabola. The point is left out while all values are farther from zero than FAR times the
 * distance by which they have moved lately. (Random circuits of diodes: bdf passed over four of ten
 * events without it.)
 *
 * Rejected: the root finding of ARKODE and CVODE. It works on one sign per function and cannot say
 * that a choice is right from the start, ARKODE interpolates a method of order two linearly, and
 * two codes would have to be distinguished in every case above.
 */
#include "solve/events/events.h"
#include "solve/run/ranks.h"

#include <math.h>

enum { MAX_HALVINGS = 40, MAX_EARLIER = 4, PARTS = 16, FAR = 8 };
static const double LONGEST_PART = 1e-3;

/* the step at hand */
typedef struct CrossingSearch {
    Events *e;
    Between *between;
    void *user;
    double decided, smallest;
    double *x;        /* scratch: the state at the last point */
    double low, high; /* times */
    double weight[2]; /* of the values at low and at high */
    int last;         /* the end that moved last: 0 low, 1 high, -1 none */
} CrossingSearch;

static void swap(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

/* is some choice of any rank contradicted? */
static bool contradicted(const Events *e, const double *values)
{
    return ranks_any(e->team->system, events_contradicted(e, values));
}

/* evaluates at t into e->middle; is no choice contradicted? Then the point is clean */
static bool clean_at(CrossingSearch *s, double t)
{
    Events *e = s->e;
    s->between(s->user, t, s->x);
    events_evaluate(e, t, s->decided, s->x, e->middle);
    if (contradicted(e, e->middle))
        return false;
    if (e->first == 0)
        crossing_clean(e, t, e->middle);
    return true;
}

/* the point t, whose values are e->middle, becomes an end of the interval */
static void move_end(CrossingSearch *s, double t, bool clean)
{
    Events *e = s->e;
    int end = clean ? 0 : 1;
    swap(clean ? &e->low : &e->high, &e->middle);
    *(clean ? &s->low : &s->high) = t;
    s->weight[end] = 1;
    if (s->last == end)
        s->weight[1 - end] *= 0.5;
    s->last = end;
}

/* earliest zero of the secants between low and high, as a part of the way */
static double earliest_secant(const CrossingSearch *s)
{
    const Events *e = s->e;
    double part = 1;
    for (size_t i = e->first; i < e->n; i++) {
        if (!crossing_contradicted(e, i, e->high[i]))
            continue;
        double surface = crossing_surface(e, i, e->high[i]);
        double a = s->weight[0] * (e->low[i] - surface), b = s->weight[1] * (e->high[i] - surface);
        double p = a == b ? 0.5 : a / (a - b);
        part = fmin(part, p);
    }
    part = ranks_least(e->team->system, part);
    return part >= 0 ? part : 0;
}

/* The begin of the step is contradicted unless it is clean: points towards it until one is. */
static bool find_clean_begin(CrossingSearch *s)
{
    double t0 = s->low;
    if (clean_at(s, t0)) {
        move_end(s, t0, true);
        return true;
    }
    for (int k = 0; k < MAX_HALVINGS && s->high - t0 > s->smallest; k++) {
        double try = t0 + 0.5 * (s->high - t0);
        bool clean = clean_at(s, try);
        move_end(s, try, clean);
        if (clean)
            return true;
    }
    return false;
}

/* secants and every fourth time a bisection, until the interval is shorter than `smallest` */
static void close_in(CrossingSearch *s)
{
    s->last = -1;
    s->weight[0] = s->weight[1] = 1;
    for (int k = 1; s->high - s->low > s->smallest; k++) {
        double part = k % 4 == 0 ? 0.5 : earliest_secant(s), push = 0.4 * s->smallest;
        double try = s->low + part * (s->high - s->low);
        try = k % 2 ? try + push : try - push;
        if (!(try > s->low + 0.1 * push))
            try = s->low + push;
        if (!(try < s->high - 0.1 * push))
            try = s->high - push;
        if (!(try > s->low && try < s->high))
            return;
        move_end(s, try, clean_at(s, try));
    }
}

/* between a clean point, if there is one, and s->high, which is contradicted: *t; always true */
static bool close_in_from(CrossingSearch *s, double t0, double *t)
{
    if (s->low == t0 && !find_clean_begin(s)) {
        *t = t0;
    } else {
        close_in(s);
        *t = s->high;
    }
    s->between(s->user, *t, s->x);
    return true;
}

/* Does the value of an edge of any rank in e->middle contradict its choice by more than rounding
 * leaves near a zero? The values at the end of the step show their size. Modes have their bands
 * instead. */
static bool edge_contradicted(const Events *e)
{
    static const double NEGLIGIBLE = 1e-9;
    bool here = false;
    for (size_t i = e->first; i < e->ncrossing && !here; i++)
        here = !e->mode[i] && crossing_contradicted(e, i, e->middle[i]) &&
               fabs(e->middle[i]) > NEGLIGIBLE * fabs(e->high[i]);
    return ranks_any(e->team->system, here);
}

/* Points near the begin of a step after an event, the earliest first: one that is contradicted
 * becomes the end of the interval. e->high has the values at the end of the step. */
static bool search_near_begin(CrossingSearch *s, double t0, double t1)
{
    static const double EARLIEST = 0x1p-20;
    Events *e = s->e;
    for (double part = EARLIEST; part < 0.5; part *= 4) {
        double try = t0 + part * (t1 - t0);
        if (try - t0 < s->smallest)
            continue;
        s->between(s->user, try, s->x);
        events_evaluate(e, try, s->decided, s->x, e->middle);
        if (!edge_contradicted(e))
            continue;
        move_end(s, try, false);
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------ pairs of zeros */

/* how far value i is from being contradicted */
static double distance(const Events *e, size_t i, double value)
{
    bool side = e->choices[i] > 0.5;
    double surface = crossing_surface(e, i, side ? 1 : -1);
    return side ? surface - value : value - surface;
}

/* may crossing i have hidden zeros? One that is contradicted at the end has been found */
static bool may_hide(const Events *e, size_t i)
{
    return e->choices[i] < 1.5 && isfinite(e->begin[i] + e->low[i] + e->high[i]) &&
           !crossing_contradicted(e, i, e->high[i]);
}

/* Does some value move so much that one more point is needed? Values at begin, middle and end stand
 * in e->begin, e->low, e->high. */
static bool wants_point(const Events *e)
{
    bool wanted = false;
    for (size_t i = e->first; i < e->n; i++) {
        double a = e->begin[i], m = e->low[i], b = e->high[i];
        double moved = fmax(fmax(a, m), b) - fmin(fmin(a, m), b);
        double least = fmin(fmin(distance(e, i, a), distance(e, i, m)), distance(e, i, b));
        bool known = e->swing[i] >= 0;
        e->swing[i] = known ? fmax(0.5 * e->swing[i], moved) : moved;
        wanted |= may_hide(e, i) && (!known || !(least > FAR * e->swing[i]));
    }
    return ranks_any(e->team->system, wanted);
}

/* Could a zero be hidden, by the value in e->middle at this part of the step? */
static bool hides(const Events *e, size_t i, double part)
{
    const double edge = 1.0 / PARTS;
    double a = distance(e, i, e->begin[i]), m = distance(e, i, e->low[i]);
    double b = distance(e, i, e->high[i]), c = 2 * (a - 2 * m + b), slope = b - a - c;
    double off = fabs(a + part * (slope + part * c) - distance(e, i, e->middle[i]));
    double least = fmin(a + edge * (slope + edge * c), a + (1 - edge) * (slope + (1 - edge) * c));
    double vertex = c > 0 ? -slope / (2 * c) : -1;
    if (vertex > edge && vertex < 1 - edge)
        least = a + 0.5 * vertex * slope;
    return !(least > 3 * off);
}

/* three clean points of one crossing, the distance of its value at each, and where the parabola
 * through them is least */
typedef struct Dip {
    size_t i;
    double t[3], w[3];
    double try, depth; /* the time; the distance there, as a part of how much it bends */
} Dip;

/* Sets `try` and `depth`; false where the value bends away from zero, or too little to reach it. */
static bool aim_dip(Dip *d)
{
    const double *t = d->t, *w = d->w;
    double bend = w[0] + w[2] - 2 * w[1];
    if (!(w[1] <= w[0] && w[1] <= w[2] && bend > 0) || w[1] > 0.5 * bend)
        return false;
    double left = (w[1] - w[0]) / (t[1] - t[0]), right = (w[2] - w[1]) / (t[2] - t[1]);
    double second = (right - left) / (t[2] - t[0]);
    d->try = 0.5 * (t[0] + t[1]) - 0.5 * left / second;
    d->depth = (w[0] + (d->try - t[0]) * (left + second * (d->try - t[1]))) / bend;
    return second > 0 && d->try > t[0] && d->try < t[2] && d->try != t[1];
}

/* one more point, at `try`, takes the place of an end */
static void narrow_dip(Dip *d, double w)
{
    bool less = w<d->w[1], late = d->try> d->t[1];
    int end = late == less ? 0 : 2;
    d->t[end] = less ? d->t[1] : d->try;
    d->w[end] = less ? d->w[1] : w;
    if (less) {
        d->t[1] = d->try;
        d->w[1] = w;
    }
}

/* the deepest of the dips at three points, whose values stand in e->before, e->low and `now` */
static Dip deepest_dip(const Events *e, const double at[3], const double *now)
{
    Dip best = {.try = INFINITY, .depth = INFINITY};
    for (size_t i = e->first; i < e->n; i++) {
        Dip d = {.i = i, .t = {at[0], at[1], at[2]}};
        d.w[0] = distance(e, i, e->before[i]);
        d.w[1] = distance(e, i, e->low[i]);
        d.w[2] = distance(e, i, now[i]);
        if (e->choices[i] < 1.5 && aim_dip(&d) &&
            (d.depth < best.depth || (d.depth == best.depth && d.try < best.try)))
            best = d;
    }
    return best;
}

/* Is a value contradicted between three clean points, where the deepest of all dips is? Then
 * s->high is there. All ranks examine the same points, so that one process and many find the same
 * events. */
static bool dips(CrossingSearch *s, const double at[3], const double *now)
{
    enum { LOOKS = 3 };
    Events *e = s->e;
    const LiederSystem *system = e->team->system;
    Dip dip = deepest_dip(e, at, now);
    bool own = dip.depth == ranks_least(system, dip.depth) && dip.depth < INFINITY;
    for (int k = 0; k < LOOKS; k++) {
        double try = ranks_least(system, own ? dip.try : INFINITY);
        if (!(try < INFINITY))
            return false;
        swap(&e->middle, &e->probe);
        if (!clean_at(s, try)) {
            swap(&e->low, &e->before);
            s->low = at[0];
            move_end(s, try, false);
            return true;
        }
        own = own && dip.try == try;
        if (own)
            narrow_dip(&dip, distance(e, dip.i, e->middle[dip.i]));
        swap(&e->middle, &e->probe);
        own = own && aim_dip(&dip);
    }
    return false;
}

/* the step in PARTS, and what lies between three of them: see find_hidden */
static bool scan(CrossingSearch *s, double t0, double t1)
{
    Events *e = s->e;
    swap(&e->low, &e->begin);
    e->begin_at = NAN;
    s->low = t0;
    for (int k = 1; k <= PARTS; k++) {
        double try = t0 + k * (t1 - t0) / PARTS, before = s->low - (t1 - t0) / PARTS;
        bool end = k == PARTS, clean = end || clean_at(s, try);
        if (!clean) {
            move_end(s, try, false);
            return true;
        }
        const double at[3] = {before, s->low, try};
        if (k > 1 && dips(s, at, end ? e->high : e->middle))
            return true;
        if (end)
            break;
        swap(&e->before, &e->low);
        swap(&e->low, &e->middle);
        s->low = try;
    }
    return false;
}

/* begin, middle and end of the step are clean, or an event of the second half is known: is there an
 * earlier one? Then s->low and s->high enclose it. */
static bool find_hidden(CrossingSearch *s, double t0, double t1)
{
    static const double PART = 0.29; /* no simple fraction: waves may fit the step */
    Events *e = s->e;
    if (e->begin_at != t0 || e->begin_decided != s->decided) {
        s->between(s->user, t0, s->x);
        events_evaluate(e, t0, s->decided, s->x, e->begin);
    }
    if (!wants_point(e))
        return false;
    double try = t0 + PART * (t1 - t0);
    s->low = t0;
    if (!clean_at(s, try)) {
        move_end(s, try, false);
        return true;
    }
    bool hidden = false;
    for (size_t i = e->first; i < e->n; i++) {
        double m = e->middle[i];
        e->swing[i] = fmax(e->swing[i], fmax(fabs(m - e->begin[i]), fabs(m - e->high[i])));
        hidden |= may_hide(e, i) && hides(e, i, PART);
    }
    if (!ranks_any(e->team->system, hidden))
        return false;
    return scan(s, t0, t1);
}

/* no event up to t1: the next step begins with the values there */
static void keep_begin(CrossingSearch *s, double t1)
{
    Events *e = s->e;
    if (e->first == 0)
        crossing_clean(e, t1, e->high);
    swap(&e->begin, &e->high);
    e->begin_at = t1;
    e->begin_decided = s->decided;
}

/* the first point of contradiction between t0 and t1 */
static bool locate_first(CrossingSearch *s, double t0, double t1, double *t)
{
    Events *e = s->e;
    double middle = 0.5 * (t0 + t1);
    s->low = t0;
    s->high = t1;
    s->between(s->user, t1, s->x);
    events_evaluate(e, t1, s->decided, s->x, e->high);
    if (e->fresh && search_near_begin(s, t0, t1))
        return close_in_from(s, t0, t);
    /* an even number of zeros hides from the end; and a mode may become armed in the middle */
    bool at_end = contradicted(e, e->high), clean = clean_at(s, middle);
    for (int k = 0; k < MAX_EARLIER && !clean; k++) {
        move_end(s, middle, false);
        at_end = true;
        t1 = middle;
        middle = 0.5 * (t0 + t1);
        clean = clean_at(s, middle);
    }
    if (!clean) {
        move_end(s, middle, false);
        return close_in_from(s, t0, t);
    }
    swap(&e->low, &e->middle);
    if (find_hidden(s, t0, t1))
        return close_in_from(s, t0, t);
    if (!at_end) {
        keep_begin(s, t1);
        return false;
    }
    s->low = fmax(s->low, middle);
    return close_in_from(s, t0, t);
}

/* guards that became positive take their new side; true: nothing else is contradicted */
static bool pass_over_guards(Events *e)
{
    bool only = true;
    for (size_t i = e->first; i < e->n; i++)
        if (crossing_contradicted(e, i, e->high[i])) {
            if (i >= e->ncrossing && e->high[i] >= 0)
                e->choices[i] = 0;
            else
                only = false;
        }
    return !ranks_any(e->team->system, !only);
}

bool events_locate(Events *e, Between *between, void *user, double t0, double t1, double decided,
                   double tolerance, double *t, double *x)
{
    if (e->n == e->first && !e->elsewhere)
        return false;
    /* a method that is exact for a flight steps over the whole run: no event is that vague */
    double step = fmin(t1 - t0, LONGEST_PART * e->span);
    CrossingSearch s = {.e = e,
                        .between = between,
                        .user = user,
                        .decided = decided,
                        .smallest = fmax(tolerance * step, 4e-16 * fabs(t1)),
                        .x = x};
    bool found = false;
    while (!found && locate_first(&s, t0, t1, t)) {
        events_evaluate(e, *t, decided, x, e->high);
        found = !pass_over_guards(e);
        t0 = *t;
    }
    e->fresh = false;
    if (found)
        e->begin_at = NAN;
    return found;
}
