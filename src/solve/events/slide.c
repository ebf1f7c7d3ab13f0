/* slide.c - a lane that slides along the surface of a crossing (Filippov).
 *
 * Where the equations of both sides lead back to the surface value = 0, the choice would change
 * without end. The solution in the sense of Filippov (Differential Equations with Discontinuous
 * Righthand Sides, 1988) stays on the surface, with a mixture of both sides:
 *
 *   x' = (1 - a) f0 + a f1,   v' = (1 - a) v0' + a v1' = -PULL v,   a in [0, 1]
 *
 * f0 and f1 are the derivatives with choice 0 and 1, v0' and v1' what they make of the value, by
 * differences along them; it slides where v0' < 0 < v1'. It ends where `a` would leave [0, 1]: it
 * stays at the end then, and the value leaves the band of a held crossing (crossing.c).
 *
 * The choice is SLIDES + a while this lasts, which blocks read as choice 1. What they compute for a
 * lane that slides is computed again here: derivatives of team.c for both sides, and variables by
 * observer.c, which mixes them by the same `a`. One surface of a lane slides at a time; crossings
 * with the same value up to its sign, as sign(x) has, change their sides together
 * (model/system/slides.h).
 */
#include "solve/events/events.h"

#include <math.h>
#include <string.h>

static const double PART = 1e-7, PULL = 10;

/* how many numbers: f0, f1, a state beside x, values and choices */
static size_t room_of(const LiederSystem *system)
{
    return 3 * system->nstate + 2 * system->nchoice + 1;
}

bool slides_prepare(Team *team)
{
    if (!team->slide_room)
        team->slide_room =
            memory_zeroed(SYSTEM_ALLOC(team->system), room_of(team->system) * sizeof(double));
    return team->slide_room != NULL;
}

void slides_drop(Team *team)
{
    if (team->slide_room)
        memory_free(SYSTEM_ALLOC(team->system), team->slide_room,
                    room_of(team->system) * sizeof(double));
    team->slide_room = NULL;
}

/* ------------------------------------------------------------------ both sides of one lane */

typedef struct Slide {
    Team *team;
    SystemShape *ss;
    size_t lane, choice; /* of the system */
    double t;
    const double *x;
    Moment moment;
    const double *held; /* the choices of the run */
    double *f[2], *moved, *values, *choices;
    double rate;       /* of the fastest state, in its own size */
    double value;      /* of the crossing */
    double towards[2]; /* its derivative on both sides */
} Slide;

/* a lane on a surface, with room for its states on both sides */
static Slide slide_of(Team *team, uint32_t shape, size_t lane, size_t choice, double t,
                      const Moment *moment, const double *x)
{
    const LiederSystem *system = team->system;
    size_t n = system->nstate;
    double *room = team->slide_room;
    Slide s = {.team = team,
               .ss = &team->system->shapes.items[shape],
               .lane = lane,
               .choice = choice,
               .t = t,
               .x = x,
               .moment = *moment,
               .f = {room, room + n},
               .moved = room + 2 * n,
               .values = room + 3 * n,
               .choices = room + 3 * n + system->nchoice};
    s.moment.choices = s.choices;
    s.held = moment->choices;
    return s;
}

/* s->f[side]: derivatives of the lane with the choice of one side of the surface; raises s->rate */
static LiederStatus side_derivatives(Slide *s, int side)
{
    LiederSystem *system = s->team->system;
    SystemShape *ss = s->ss;
    for (size_t k = 0; k < ss->held.crossings.n; k++) {
        size_t i = home_choice(ss, k, s->lane);
        s->choices[i] = i == s->choice ? side : choice_on_side(s->held[i], side);
    }
    StripView v = strip_view(system, ss, s->lane, 1, s->x, s->f[side], team_stages(s->team, 0));
    strip_load(ss, ss->workspace, s->lane, 1);
    LiederStatus status = strip_evaluate(system, ss, ss->workspace, s->t, &s->moment, s->lane, 1,
                                         v.x, v.stride, v.dx, v.stride);
    strip_return(ss, s->lane, 1, &v, s->f[side]);
    for (size_t k = 0; k < ss->shape->states.n; k++) {
        size_t i = home_state(ss, k, s->lane);
        s->rate = fmax(s->rate, fabs(s->f[side][i]) / (state_nominal(system, i) + fabs(s->x[i])));
    }
    return status;
}

static double value_at(Slide *s, double t, const double *x)
{
    lane_crossings(s->team->system, s->ss, s->lane, t, &s->moment, x, s->values);
    return s->values[s->choice];
}

/* f0, f1, and the derivatives of the value along them */
static LiederStatus both_sides(Slide *s)
{
    LiederStatus status = side_derivatives(s, 0);
    if (status == LIEDER_DONE)
        status = side_derivatives(s, 1);
    if (status != LIEDER_DONE)
        return status;
    double d = PART / fmax(s->rate, 1e-300);
    s->value = value_at(s, s->t, s->x);
    d = fmin(d, PART * fmax(1, fabs(s->t)) * 1e3);
    for (int side = 0; side < 2; side++) {
        for (size_t k = 0; k < s->ss->shape->states.n; k++) {
            size_t i = home_state(s->ss, k, s->lane);
            s->moved[i] = s->x[i] + d * s->f[side][i];
        }
        s->towards[side] = (value_at(s, s->t + d, s->moved) - s->value) / d;
    }
    return LIEDER_DONE;
}

/* the part of side 1 */
static double share_of(const Slide *s)
{
    double across = s->towards[0] - s->towards[1];
    if (!(across < 0))
        return s->value < 0;
    double a = (s->towards[0] + PULL * s->rate * s->value) / across;
    return fmin(1, fmax(0, a));
}

/* ------------------------------------------------------------------ in a run */

/* Crossings of the lane that have the same value beside the surface, up to its sign, are marked:
 * their sides are those of the one that slides, or the others. */
static void mark_partners(Events *e, Slide *s)
{
    const SystemShape *ss = s->ss;
    for (size_t k = 0; k < ss->held.crossings.n; k++)
        s->choices[home_choice(ss, k, s->lane)] = e->choices[home_choice(ss, k, s->lane)] > 0.5;
    for (size_t k = 0; k < ss->shape->states.n; k++) {
        size_t i = home_state(ss, k, s->lane);
        double part = PART * (1 + 0.1 * (double)(k * 2654435761u % 97));
        s->moved[i] = s->x[i] + part * (state_nominal(s->team->system, i) + fabs(s->x[i]));
    }
    double value = value_at(s, s->t, s->moved);
    for (size_t k = 0; k < ss->held.crossings.n; k++) {
        size_t i = home_choice(ss, k, s->lane);
        if (i == s->choice || e->mode[i] || value == 0)
            continue;
        if (s->values[i] == value)
            e->choices[i] = LIEDER_SLIDES_WITH;
        else if (s->values[i] == -value)
            e->choices[i] = LIEDER_SLIDES_AGAINST;
    }
}

bool slide_begins(Events *e, uint32_t shape, size_t lane, size_t choice, double t,
                  const Moment *moment, const double *x)
{
    Team *team = e->team;
    const SystemShape *ss = &team->system->shapes.items[shape];
    if (e->alone || e->mode[choice] || !slides_prepare(team))
        return false;
    for (size_t k = 0; k < ss->held.crossings.n; k++)
        if (e->choices[home_choice(ss, k, lane)] >= LIEDER_SLIDES)
            return false;
    Slide s = slide_of(team, shape, lane, choice, t, moment, x);
    mark_partners(e, &s);
    bool begins = both_sides(&s) == LIEDER_DONE && s.towards[0] < 0 && s.towards[1] > 0;
    for (size_t k = 0; k < ss->held.crossings.n && !begins; k++) {
        size_t i = home_choice(ss, k, lane);
        if (e->choices[i] >= LIEDER_SLIDES) /* as it was */
            crossing_set(e, i, s.values[i]);
    }
    if (begins)
        e->choices[choice] = LIEDER_SLIDES + share_of(&s);
    return begins;
}

typedef LiederStatus SlideVisit(Slide *s, void *user);

/* every lane of a shape that slides */
static LiederStatus visit_slides(Team *team, uint32_t shape, double t, const Moment *moment,
                                 const double *x, SlideVisit *visit, void *user)
{
    const SystemShape *ss = &team->system->shapes.items[shape];
    LiederStatus status = LIEDER_DONE;
    size_t n;
    for (size_t k = 0; k < ss->held.crossings.n; k++)
        for (size_t lane = 0; lanes_next(ss, &lane, &n, 1) && status == LIEDER_DONE; lane++) {
            size_t i = home_choice(ss, k, lane);
            if (!slides(moment->choices[i]))
                continue;
            Slide s = slide_of(team, shape, lane, i, t, moment, x);
            status = both_sides(&s);
            if (status == LIEDER_DONE)
                status = visit(&s, user);
        }
    return status;
}

static LiederStatus mix_derivatives(Slide *s, void *user)
{
    double *dx = user, a = share_of(s);
    for (size_t k = 0; k < s->ss->shape->states.n; k++) {
        size_t i = home_state(s->ss, k, s->lane);
        dx[i] = (1 - a) * s->f[0][i] + a * s->f[1][i];
    }
    return LIEDER_DONE;
}

LiederStatus slide_derivatives(Team *team, uint32_t shape, double t, const Moment *moment,
                               const double *x, double *dx)
{
    if (!team->slide_room || !moment->choices || moment->decides)
        return LIEDER_DONE;
    return visit_slides(team, shape, t, moment, x, mix_derivatives, dx);
}

static LiederStatus keep_share(Slide *s, void *user)
{
    double *choices = user;
    choices[s->choice] = LIEDER_SLIDES + share_of(s);
    return LIEDER_DONE;
}

void slide_shares(Events *e, double t, const Moment *moment, const double *x)
{
    if (!e->team->slide_room || moment->choices != e->choices)
        return;
    for (uint32_t i = 0; i < e->team->system->shapes.n; i++)
        visit_slides(e->team, i, t, moment, x, keep_share, e->choices);
}
