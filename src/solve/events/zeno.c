/* zeno.c - events that come faster and faster until the run passes through them.
 *
 * A ball that is thrown back at every impact has infinitely many of them before a certain time, and
 * its equations say nothing about what follows (Zeno). A run finds impacts until a hop is lower
 * than the location of an event is sharp, or shorter than a fixed step: after that impact the ball
 * is below the floor, where no condition becomes true again, and falls. So it is reported, and the
 * run ends, where a crossing
 *
 *   - has had MIN_BOUNCES events or more in a row in which components have set states,
 *   - each at most LONGER times as long after the one before as that was, and the last one within
 *     SHORT of the longest such time,
 *   - has no such event for STAYS times as long, and its value is on the side to which the last one
 *     led, away from where the event left it.
 *
 * A ball that comes to rest stays on that side, too, but does not move away. While events come
 * faster and faster, more of them in a short time are allowed than of others before they count as
 * chattering (iterate.c), since they may end by themselves.
 */
#include "solve/events/events.h"

#include <math.h>

enum { MIN_BOUNCES = 3 };
static const double LONGER = 2.5, SHORT = 0.25, STAYS = 10, FAR = 20, ROUNDING = 1e-14;

void zeno_note(Events *e, size_t i, double t)
{
    Bounces *b = &e->crossings[i].bounces;
    double interval = t - b->last;
    if (b->count == 0 || (b->count > 1 && interval > LONGER * b->interval)) {
        b->count = 0;
        b->longest = 0;
    } else {
        b->longest = fmax(b->longest, interval);
    }
    b->interval = b->count ? interval : INFINITY;
    b->count++;
    b->last = t;
    b->side = b->turned;
    b->value = e->high[i];
}

bool zeno_converges(const Events *e, size_t i)
{
    const Bounces *b = &e->crossings[i].bounces;
    return b->count >= MIN_BOUNCES && b->interval <= SHORT * b->longest;
}

bool zeno_suspects(const Events *e, size_t i, double t)
{
    const Bounces *b = &e->crossings[i].bounces;
    return zeno_converges(e, i) && t - b->last > STAYS * b->interval;
}

/* has crossing k of a lane moved away since its last event, to the side that this led to, by more
 * than rounding explains? */
static bool has_moved(Events *e, SystemShape *ss, size_t k, size_t lane, double t,
                      const Moment *moment, const double *x)
{
    size_t i = home_choice(ss, k, lane);
    const Bounces *b = &e->crossings[i].bounces;
    double largest = 0;
    for (size_t s = 0; s < ss->shape->states.n; s++)
        largest = fmax(largest, fabs(x[home_state(ss, s, lane)]));
    lane_crossings(e->team->system, ss, lane, t, moment, x, e->middle);
    return (e->middle[i] < 0) == (b->side > 0.5) &&
           fabs(e->middle[i] - b->value) > FAR * fabs(b->value) + ROUNDING * largest;
}

/* events came faster and faster, and the run passed through them */
static void report_zeno(const Events *e, const SystemShape *ss, size_t k, size_t lane)
{
    const CrossingRef *ref = &ss->held.crossings.items[k];
    const Bounces *b = &e->crossings[home_choice(ss, k, lane)].bounces;
    char path[512];
    lane_path(e->team->system, ss, ref->component, lane, path, sizeof path);
    diag_error(
        &e->team->system->session->diag, NULL, path,
        "events of %s came faster and faster, without end, until t = %.15g (%llu in a row, the "
        "last ones "
        "%.2g s apart), then the run passed through: there are infinitely many of them (Zeno), and "
        "the model does not say what follows; later results mean nothing\nlet it rest "
        "there, as in der(v) = if flying "
        "then -g else 0, with flying = not (h <= 0 and v <= 0); or give the contact an "
        "elasticity",
        ref->member->name, b->last, (unsigned long long)b->count, b->interval);
}

LiederStatus zeno_check(Events *e, double t, const Moment *moment, const double *x)
{
    LiederSystem *system = e->team->system;
    bool any = false;
    for (size_t i = 0; i < e->ncrossing && !any; i++)
        any = zeno_suspects(e, i, t);
    for (size_t s = 0; any && s < system->shapes.n; s++) {
        SystemShape *ss = &system->shapes.items[s];
        size_t n;
        for (size_t lane = 0; ss->held.crossings.n && lanes_next(ss, &lane, &n, 1); lane++)
            for (size_t k = 0; k < ss->held.crossings.n; k++)
                if (zeno_suspects(e, home_choice(ss, k, lane), t) &&
                    has_moved(e, ss, k, lane, t, moment, x)) {
                    report_zeno(e, ss, k, lane);
                    return LIEDER_GAVE_UP;
                }
    }
    return LIEDER_DONE;
}
