/* seeds.c - states that were below what the tolerance shows and then grew by themselves.
 *
 * A tolerance is relative to nominal + |x|. While an unstable motion is much smaller than the
 * tolerance (a population of 1e-9, a pendulum that stands on its head by 1e-8 rad) steps only have
 * its order of magnitude right, and their errors grow along with it: x' = x from 1e-10 to 20 s
 * ended at a twentieth of the solution, without a message. No error of a step shows that; so it is
 * reported.
 *
 * For each state are kept its seed, the least |x| / nominal below SMALL tolerances since the last
 * event, and the times at which it had grown by ten, hundred, ... from there. A state that grows by
 * itself takes equal times for each decade:
 *
 *   t4 - t3 < EVEN (t2 - t1)    of the last four decades, all of them apart
 *
 * while a power of time takes 10^(1/p) times longer for each decade. States that grow because
 * something else drives them are distinguished by one more evaluation: with all states that began
 * as small put back to their seeds, the derivative of a driven state is as large as before. Ranks
 * examine their own lanes, and the first that has found a state reports it; nets that they share
 * are not examined.
 */
#include "solve/judge/seeds.h"
#include "solve/run/ranks.h"

#include <math.h>
#include <string.h>

enum { DECADES = 4, MAX_STATES = 100000 };
static const double SMALL = 100, EVEN = 2, DRIVEN = 0.01;

struct StateSeed {
    double x, size;    /* where it was least; 0: not small since the last event */
    double next;       /* the size at which the next decade ends */
    double t[DECADES]; /* when the last decades ended */
    int decades;
    bool driven; /* by something else: not examined again before the next event */
};

LiederStatus seeds_create(Seeds *s, LiederSystem *system, double tolerance)
{
    *s = (Seeds){.system = system, .tolerance = tolerance, .found = -1};
    if (!system->nstate || system->nstate > MAX_STATES || system->cut)
        return LIEDER_DONE;
    s->n = system->nstate;
    s->seeds = memory_zeroed(SYSTEM_ALLOC(system), s->n * sizeof *s->seeds);
    s->x = memory_zeroed(SYSTEM_ALLOC(system), s->n * sizeof(double));
    s->dx = memory_zeroed(SYSTEM_ALLOC(system), 2 * s->n * sizeof(double));
    return s->seeds && s->x && s->dx ? LIEDER_DONE : LIEDER_NO_MEMORY;
}

void seeds_drop(Seeds *s)
{
    if (!s->system)
        return;
    memory_free(SYSTEM_ALLOC(s->system), s->seeds, s->n * sizeof *s->seeds);
    memory_free(SYSTEM_ALLOC(s->system), s->x, s->n * sizeof(double));
    memory_free(SYSTEM_ALLOC(s->system), s->dx, 2 * s->n * sizeof(double));
    *s = (Seeds){0};
}

void seeds_event(Seeds *s)
{
    if (s->seeds)
        memset(s->seeds, 0, s->n * sizeof *s->seeds);
}

/* notes the state after a step; true: by its times it has grown by itself */
static bool follow_state(const Seeds *s, struct StateSeed *e, double t, double x, double size)
{
    if (size > 0 && size < SMALL * s->tolerance && (e->size == 0 || size < e->size)) {
        *e = (struct StateSeed){.x = x, .size = size, .next = 10 * size};
        return false;
    }
    if (e->size == 0 || !(size >= e->next) || !isfinite(size))
        return false;
    for (; size >= e->next; e->next *= 10, e->decades++) {
        memmove(e->t, e->t + 1, (DECADES - 1) * sizeof *e->t);
        e->t[DECADES - 1] = t;
    }
    double first = e->t[1] - e->t[0], last = e->t[3] - e->t[2];
    return e->decades >= DECADES && !e->driven && size > SMALL * s->tolerance && first > 0 &&
           last > 0 && last < EVEN * first;
}

static bool is_candidate(const struct StateSeed *e)
{
    return e->size > 0 && e->decades >= DECADES - 1 && !e->driven;
}

/* Is this state driven by something that has not grown from as little itself? States found to be
 * driven keep their values in the next round, since they may drive others. */
static bool is_driven(Seeds *s, Team *team, double t, const Moment *moment, const double *x,
                      size_t state)
{
    double *with = s->dx, *without = s->dx + s->n;
    if (team_derivatives(team, t, moment, x, with, false) != LIEDER_DONE)
        return true;
    for (bool again = true; again && !s->seeds[state].driven;) {
        for (size_t i = 0; i < s->n; i++)
            s->x[i] = is_candidate(&s->seeds[i]) ? s->seeds[i].x : x[i];
        if (team_derivatives(team, t, moment, s->x, without, false) != LIEDER_DONE)
            return true;
        again = false;
        for (size_t i = 0; i < s->n; i++)
            if (is_candidate(&s->seeds[i]) && !(fabs(without[i]) < DRIVEN * fabs(with[i])))
                again = s->seeds[i].driven = true;
    }
    return s->seeds[state].driven;
}

void seeds_step(Seeds *s, Team *team, double t, const Moment *moment, const double *x)
{
    for (size_t i = 0; i < s->n && s->seeds && s->found < 0; i++) {
        struct StateSeed *e = &s->seeds[i];
        double size = fabs(x[i]) / state_nominal(s->system, i);
        if (!follow_state(s, e, t, x[i], size))
            continue;
        if (is_driven(s, team, t, moment, x, i))
            continue;
        s->found = (ptrdiff_t)i;
        s->from = fabs(e->x);
        s->t = t;
    }
}

void seeds_report(const Seeds *s)
{
    char name[600];
    if (!s->system || !ranks_first_with(s->system, s->found >= 0) || s->found < 0)
        return;
    double nominal = state_nominal(s->system, (size_t)s->found);
    diag_warning(&s->system->session->diag, NULL,
                 lieder_system_state_name(s->system, (size_t)s->found, name, sizeof name),
                 "this state has grown by itself from %.2g, seen at t = %g, and the tolerance of "
                 "%g is one of %g + |value|: what that left open there has grown along, so that "
                 "the digits of the motion are not right\nsay how large the state is where it "
                 "begins, as in x(nominal = %.1g), or take a finer tolerance",
                 s->from, s->t, s->tolerance, nominal, s->from);
}
