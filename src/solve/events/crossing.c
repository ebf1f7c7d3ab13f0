/* crossing.c - when the choice of a crossing is contradicted by its value.
 *
 * choice = (value < 0), held between events. There are two kinds:
 *
 *   edge  the value follows from time and states alone, so that it is the same number whatever the
 *         choice is. Its sign decides, strictly: a band would move impacts and feed energy. But a
 *         value that has become zero as a difference of states (the speed of a brake that holds) is
 *         rounding from there on, and would be an event in every step; of two corners that leave
 *         the ground together each would be sent back by the event of the other. So an edge whose
 *         events follow each other closely is not armed after an event until it leaves the rounding
 *         of its states, of time and of what else it is computed from. What that is, is measured
 *         again where the edge is about to change, since states have grown meanwhile.
 *   mode  the choice chooses a branch of the equations that the value is computed from. At the
 *         point where one branch ends the value of the other is zero up to rounding and up to what
 *         the tolerance of a step leaves in the states, with any sign. A strict rule would send
 *         the choice back at once, and so on without end. So
 *
 *   band         = max(BAND scale[side], 2 noise, ROUNDING largest)      largest: of the lane
 *   contradicted = (value < 0) != side  and  (armed or |value| > band)
 *   event        : the side changes; an edge is armed, a mode is not; noise is measured on the new
 *                  branch, as the change of the value when the states move by the tolerance;
 *                  new memory (a clutch that slides from now on) is a new branch for all modes, and
 *                  one that it leaves at its surface is not armed: of two brakes that stop one
 *                  shaft the one that was about to let go does
 *   clean point  : the end of a step, or a point tried while locating, at which nothing is
 *                  contradicted: scale[side] = max(scale[side], |value|); a mode that is on its
 *                  side by more than the band is armed
 *
 * An armed crossing is located at zero, one that is not armed where it leaves the band on the
 * wrong side. `scale` is kept for each side because a value may have another unit there (a diode:
 * volts and amperes). After an event a mode has to move by more than the band to fire again.
 *
 * The states are moved twice, all upwards and up and down in turn, so that differences of states
 * are seen, too; a value that is zero by symmetry is not moved at all, which is what ROUNDING is
 * for.
 *
 * What the tolerance leaves in a value is no more than an estimate: in a stiff model states move by
 * the tolerance in directions that its solutions never take, and the band may be larger than any
 * value of the run. But errors have any sign: a mode whose value grows inside its band at GROWS
 * clean points one after the other and becomes many times as large has left zero for good. It is
 * armed; on the wrong side its event comes at once then. One that stays on the wrong side for
 * DOUBTFUL points without growing so is reported when the run ends, and so is one that does for
 * SEVERAL points and a VISIBLE part of the run: whether an event was there is not known.
 *
 * A crossing that is held at its surface (choice 2) takes part again once it is HELD_BAND off.
 */
#include "solve/events/events.h"

#include <math.h>
#include <string.h>

static const double BAND = 1e-10, ROUNDING = 4e-16, HELD_BAND = 1e-6, DIGITS = 1e-14,
                    VISIBLE = 1e-3;
enum { DOUBTFUL = 40, SEVERAL = 8 };

static double band_of(const Events *e, size_t i)
{
    const Crossing *c = &e->crossings[i];
    double band = fmax(BAND * c->scale[e->choices[i] > 0.5], 2 * c->noise);
    return e->mode[i] ? fmax(band, ROUNDING * e->largest[e->lane_of[i]]) : band;
}

bool crossing_contradicted(const Events *e, size_t i, double value)
{
    if (e->choices[i] > 1.5)
        return fabs(value) > HELD_BAND;
    if ((value < 0) == (e->choices[i] > 0.5))
        return false;
    return e->crossings[i].armed > 0 || fabs(value) > band_of(e, i);
}

double crossing_surface(const Events *e, size_t i, double value)
{
    if (e->choices[i] > 1.5)
        return copysign(HELD_BAND, value);
    return e->crossings[i].armed > 0 ? 0 : copysign(band_of(e, i), value);
}

void crossing_flip(Events *e, size_t i, double value)
{
    e->choices[i] = value < 0;
    e->crossings[i].armed = !e->mode[i];
    e->crossings[i].first = 0;
}

void crossing_set(Events *e, size_t i, double value)
{
    e->choices[i] = value < 0;
    e->crossings[i].armed = 1;
}

/* A mode inside its band: does its value grow without end, or stay on the wrong side for long? */
static void watch_growth(Events *e, size_t i, double t, double value)
{
    enum { GROWS = 16, TIMES = 50 };
    Crossing *c = &e->crossings[i];
    bool wrong = (value < 0) != (e->choices[i] > 0.5);
    double least = fmax(BAND * c->scale[e->choices[i] > 0.5], ROUNDING * e->largest[e->lane_of[i]]);
    double size = fabs(value);
    bool grows = size > least && isfinite(size) && size > fabs(c->last) &&
                 (value < 0) == (c->last < 0) && c->first > 0;
    if (!grows) {
        c->first = size > least ? size : 0;
        c->grown = 0;
    } else if (++c->grown >= GROWS && size > TIMES * c->first) {
        c->armed = 1;
    }
    c->last = value;
    if (c->wrong >= DOUBTFUL)
        return;
    if (c->wrong == 0)
        c->since = t;
    c->wrong = wrong && size > least ? c->wrong + 1 : 0;
    if (c->wrong >= SEVERAL && t - c->since > VISIBLE * e->span)
        c->wrong = DOUBTFUL;
}

void crossing_report_doubts(const Events *e)
{
    LiederSystem *system = e->team->system;
    for (size_t k = 0; k < system->nhome && e->nmode; k++) {
        const SystemShape *ss = &system->shapes.items[k];
        for (size_t c = 0; c < ss->held.crossings.n; c++)
            for (size_t lane = 0; lane < ss->shape->nlane; lane++) {
                const CrossingRef *ref = &ss->held.crossings.items[c];
                size_t i = home_choice(ss, c, lane);
                char path[512];
                if (!e->mode[i] || e->crossings[i].wrong < DOUBTFUL)
                    continue;
                lane_path(system, ss, ref->component, lane, path, sizeof path);
                diag_warning(&system->session->diag, NULL, path,
                             "%s was on the wrong side for many steps: its values are smaller than "
                             "the %.2g that the tolerance leaves in them, and its events may be "
                             "late or missing\ntake a finer tolerance, or say how large the states "
                             "are by their attribute nominal",
                             ref->member->name, 2 * e->crossings[i].noise);
                return;
            }
    }
}

/* a clean point: what crossing i remembers of it; a value within rounding of zero is on the side of
 * its choice */
static void clean_one(Events *e, size_t i, double t, double value)
{
    Crossing *c = &e->crossings[i];
    bool side = e->choices[i] > 0.5;
    double size = fabs(value);
    if (e->mode[i] && e->choices[i] < 1.5 && c->armed == 0)
        watch_growth(e, i, t, value);
    if (e->choices[i] > 1.5 || (value < 0) != side || !isfinite(size))
        return;
    if (!e->mode[i]) {
        c->armed = c->armed > 0 || size > band_of(e, i);
        return;
    }
    c->scale[side] = fmax(c->scale[side], size);
    double *largest = &e->largest[e->lane_of[i]];
    *largest = fmax(*largest, size);
    if (size > band_of(e, i))
        c->armed = 1;
}

void crossing_clean(Events *e, double t, const double *values)
{
    for (size_t i = 0; i < e->ncrossing; i++)
        clean_one(e, i, t, values[i]);
}

/* raises `largest` of its lane to the scales of a crossing */
static void resume_one(Events *e, size_t i)
{
    const Crossing *c = &e->crossings[i];
    double *largest = &e->largest[e->lane_of[i]];
    *largest = fmax(*largest, fmax(c->scale[0], c->scale[1]));
}

void crossing_clean_lane(Events *e, const SystemShape *ss, size_t lane, double t,
                         const double *values, size_t stride)
{
    for (size_t k = 0; k < ss->held.crossings.n; k++)
        if (e->mode[home_choice(ss, k, lane)])
            resume_one(e, home_choice(ss, k, lane));
    for (size_t k = 0; k < ss->held.crossings.n; k++)
        clean_one(e, home_choice(ss, k, lane), t, values[k * stride]);
}

void crossing_resume(Events *e)
{
    for (size_t i = 0; i < e->ncrossing; i++) {
        if (e->mode[i])
            resume_one(e, i);
        if (e->choices[i] >= LIEDER_SLIDES && !slides_prepare(e->team))
            e->choices[i] = 1;
    }
}

/* x moved by the tolerance, all upwards or up and down in turn */
static void move_states(Events *e, const double *x, bool in_turn)
{
    const LiederSystem *system = e->team->system;
    for (size_t k = 0; k < system->nhome; k++) {
        const SystemShape *ss = &system->shapes.items[k];
        size_t nlane = ss->shape->nlane;
        for (size_t s = 0; s < ss->shape->states.n; s++) {
            double part = in_turn && s % 2 ? -e->tolerance : e->tolerance;
            for (size_t at = ss->first_state + s * nlane, n = nlane; n > 0; at++, n--)
                e->moved[at] = x[at] + part * (state_nominal(e->team->system, at) + fabs(x[at]));
        }
    }
}

void crossing_measure_noise(Events *e, double t, double decided, const double *x, unsigned which)
{
    bool any = false;
    for (size_t i = 0; i < e->ncrossing; i++)
        if (e->mode[i] && e->news[i] & which) {
            e->crossings[i].noise = 0;
            any = true;
        }
    if (!any || e->tolerance == 0)
        return;
    for (int in_turn = 0; in_turn < 2; in_turn++) {
        move_states(e, x, in_turn);
        events_evaluate(e, t, decided, e->moved, e->middle);
        for (size_t i = 0; i < e->ncrossing; i++) {
            double change = fabs(e->middle[i] - e->high[i]);
            if (e->mode[i] && e->news[i] & which && isfinite(change))
                e->crossings[i].noise = fmax(e->crossings[i].noise, change);
        }
    }
}

/* the same for the states of one lane */
static void move_lane(Events *e, const SystemShape *ss, size_t lane, const double *x, bool in_turn)
{
    for (size_t s = 0; s < ss->shape->states.n; s++) {
        double part = in_turn && s % 2 ? -e->tolerance : e->tolerance;
        size_t at = home_state(ss, s, lane);
        e->moved[at] = x[at] + part * (state_nominal(e->team->system, at) + fabs(x[at]));
    }
}

/* The states of a lane moved by a part of themselves, each in a direction of its own. */
static void round_lane(Events *e, const SystemShape *ss, size_t lane, const double *x, unsigned try,
                       double part)
{
    for (size_t s = 0; s < ss->shape->states.n; s++) {
        size_t at = home_state(ss, s, lane);
        bool up = ((s + 1) * 2654435761u >> (16 + try)) & 1;
        e->moved[at] = x[at] + (up ? part : -part) * fabs(x[at]);
    }
}

/* does `news` of an edge have a bit of `which`? One that has changed counts from the second time on
 * in a short time. */
static bool is_news(const Events *e, size_t i, unsigned which)
{
    enum { OFTEN = 2 };
    return !e->mode[i] && e->news[i] & which &&
           (which == CROSSING_DOUBTED || e->crossings[i].recent.count >= OFTEN);
}

/* What the values of edges, e->high, have at equal small distances on both sides beside a straight
 * line is rounding of what they are computed from: a difference of two potentials, say. Of a dozen
 * samples the largest counts, and twice, since there are others. */
static void add_bends(Events *e, SystemShape *ss, size_t lane, double t, const Moment *moment,
                      const double *x, unsigned which)
{
    double part = DIGITS;
    for (unsigned try = 0; try < 12; try++, part *= 1.5) {
        for (int side = -1; side <= 1; side += 2) {
            round_lane(e, ss, lane, x, try, side * part);
            lane_crossings(e->team->system, ss, lane, t + side * part * fabs(t), moment, e->moved,
                           side < 0 ? e->probe : e->middle);
        }
        for (size_t k = 0; k < ss->held.crossings.n; k++) {
            size_t i = home_choice(ss, k, lane);
            double bend = 2 * fabs(e->probe[i] - 2 * e->high[i] + e->middle[i]);
            if (is_news(e, i, which) && isfinite(bend))
                e->crossings[i].noise = fmax(e->crossings[i].noise, bend);
        }
    }
}

/* What rounding of states and time makes of the values of edges, e->high, is noise at least. */
static void add_rounding(Events *e, SystemShape *ss, size_t lane, double t, const Moment *moment,
                         const double *x, unsigned which)
{
    const LiederSystem *system = e->team->system;
    if (!e->moved) /* allocated at the start for modes only; without memory signs decide */
        e->moved = memory_zeroed(SYSTEM_ALLOC(system), system->nstate * sizeof(double) + 1);
    for (unsigned try = 0; try < 3 && e->moved; try++) {
        double shift = try % 2 ? DIGITS * fabs(t) : -DIGITS * fabs(t);
        round_lane(e, ss, lane, x, try, DIGITS);
        lane_crossings(e->team->system, ss, lane, t + shift, moment, e->moved, e->middle);
        for (size_t k = 0; k < ss->held.crossings.n; k++) {
            size_t i = home_choice(ss, k, lane);
            double change = fabs(e->middle[i] - e->high[i]);
            if (is_news(e, i, which) && isfinite(change))
                e->crossings[i].noise = fmax(e->crossings[i].noise, change);
        }
    }
    if (e->moved)
        add_bends(e, ss, lane, t, moment, x, which);
}

/* edges that change often are armed again where their value is more than rounding */
static void measure_edges(Events *e, SystemShape *ss, size_t lane, double t, const Moment *moment,
                          const double *x, unsigned which)
{
    bool any = false;
    for (size_t k = 0; k < ss->held.crossings.n; k++) {
        size_t i = home_choice(ss, k, lane);
        if (!is_news(e, i, which))
            continue;
        e->crossings[i].noise = 0;
        any = true;
    }
    if (any)
        add_rounding(e, ss, lane, t, moment, x, which);
    for (size_t k = 0; k < ss->held.crossings.n && any; k++) {
        size_t i = home_choice(ss, k, lane);
        if (is_news(e, i, which))
            e->crossings[i].armed = fabs(e->high[i]) > 2 * e->crossings[i].noise;
    }
}

/* an edge that is about to change while it may be rounding: it is not armed, or has just changed */
static bool is_doubtful(const Events *e, size_t i, double t)
{
    const Crossing *c = &e->crossings[i];
    bool lately = c->recent.count > 0 && t - c->recent.since < CHATTER_SPAN * e->span;
    return !e->mode[i] && (lately || c->armed == 0) && crossing_contradicted(e, i, e->high[i]);
}

void crossing_doubt_lane(Events *e, SystemShape *ss, size_t lane, double t, const Moment *moment,
                         const double *x)
{
    bool any = false;
    for (size_t k = 0; k < ss->held.crossings.n; k++) {
        size_t i = home_choice(ss, k, lane);
        if (!is_doubtful(e, i, t))
            continue;
        e->news[i] |= CROSSING_DOUBTED;
        e->crossings[i].noise = 0;
        any = true;
    }
    if (!any)
        return;
    add_rounding(e, ss, lane, t, moment, x, CROSSING_DOUBTED);
    for (size_t k = 0; k < ss->held.crossings.n; k++) {
        size_t i = home_choice(ss, k, lane);
        if (is_news(e, i, CROSSING_DOUBTED) && fabs(e->high[i]) <= 2 * e->crossings[i].noise)
            e->crossings[i].armed = 0;
        e->news[i] &= (unsigned char)~CROSSING_DOUBTED;
    }
}

void crossing_measure_lane(Events *e, SystemShape *ss, size_t lane, double t, const Moment *moment,
                           const double *x, unsigned which)
{
    bool any = false;
    measure_edges(e, ss, lane, t, moment, x, which);
    for (size_t k = 0; k < ss->held.crossings.n; k++) {
        size_t i = home_choice(ss, k, lane);
        if (e->mode[i] && e->news[i] & which) {
            e->crossings[i].noise = 0;
            any = true;
        }
    }
    for (int in_turn = 0; in_turn < 2 && any && e->tolerance > 0; in_turn++) {
        move_lane(e, ss, lane, x, in_turn);
        lane_crossings(e->team->system, ss, lane, t, moment, e->moved, e->middle);
        for (size_t k = 0; k < ss->held.crossings.n; k++) {
            size_t i = home_choice(ss, k, lane);
            double change = fabs(e->middle[i] - e->high[i]);
            if (e->mode[i] && e->news[i] & which && isfinite(change))
                e->crossings[i].noise = fmax(e->crossings[i].noise, change);
        }
    }
    for (size_t k = 0; k < ss->held.crossings.n; k++) {
        size_t i = home_choice(ss, k, lane);
        if (e->mode[i] && e->news[i] & which & CROSSING_OTHER && fabs(e->high[i]) <= band_of(e, i))
            e->crossings[i].armed = 0;
    }
}
