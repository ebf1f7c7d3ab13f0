/* orientation.c - steps that pass over a singular linear group.
 *
 * Where a motion leads to a point at which the equations have no solution, the determinant of the
 * linear group passes through zero. An adaptive solver mostly shortens its steps there until the
 * pivot is reported. A fixed step may pass over the point, and so may an adaptive one of a coarse
 * tolerance, and what follows means nothing though all numbers are finite. But then the determinant
 * has another sign than before. It is the product of the signs of the pivots. Single pivots may
 * change their sign: a part of a mechanism may be singular with its root held while the mechanism
 * is not; then the next pivot inwards changes, too.
 *
 * 1) A motion may be drawn to the singular points from both sides, and a step over one of them may
 * end on the side where it began. Its last stage and its end are then far apart, as they are in no
 * accurate step (rk.c compares them in one step of four and notes the first of a chunk): such a
 * step is taken again in PARTS, until the sign changes. One step of RARELY may be examined, so that
 * it costs little where stages are apart for other reasons. (rk1 has one stage, the begin.)
 *
 * 2) Every STRIDE steps or more the signs of up to LANES lanes are computed and compared with those
 * at the start. Lanes take turns, so that fleets pay as little as one mechanism; the verdict on a
 * lane depends on that lane alone, the row at which it is found may depend on the number of lanes.
 *
 * 3) After each step of an implicit or adaptive solver, before its rows are written, one lane in
 * TURNS is examined, at least one: it costs less than one evaluation of the model, and a mechanism
 * alone is examined in every step.
 *
 * The loops of a group are eliminated without exchange as the tree is, and their pivots count as
 * well. Networks and nets, whose systems are solved with pivoting, are not examined.
 *
 * 4) A lane with a clock of its own is examined every some steps and at its end (strip_lane.c).
 */
#include "solve/judge/growth.h"
#include "solve/run/ranks.h"

#include <math.h>

enum { STRIDE = 16, LANES = 64, PARTS = 64, RARELY = 512, AT_FIRST = 8, TURNS = 32 };

/* the sign at x; 0: some pivot is not a number */
static double lane_sign(SystemShape *ss, size_t lane, double t, const double *x, double *states,
                        uint32_t *component)
{
    for (size_t s = 0; s < ss->shape->states.n; s++)
        states[s] = x[home_state(ss, s, lane)];
    return pivot_sign(ss, lane, t, states, component);
}

/* the lane of the shape is on the other side of a singular point than it was at the start */
static LiederStatus report_passed(LiederSystem *system, double t, SystemShape *ss, size_t lane,
                                  uint32_t component, const char *advice)
{
    char path[512];
    diag_error(
        &system->session->diag, NULL, lane_path(system, ss, component, lane, path, sizeof path),
        "before t = %g a step passed over a point where the linear group is singular: the "
        "equations have no solution there, and what follows is wrong\n%s; %s",
        t, class_advice(ss->shape->components.items[component].class_->def, LIEDER_ADVICE_SINGULAR),
        advice);
    return LIEDER_SINGULAR;
}

static const char *const FOR_FIXED = "an adaptive solver (--solver bdf) tells the time",
                         *const FOR_ADAPTIVE = "a finer tolerance (--tolerance) tells the time";

/* the sign of a lane at its start values */
static double start_sign(LiederSystem *system, SystemShape *ss, size_t lane, double *states)
{
    uint32_t component;
    lane_start(system, ss, lane, states);
    return pivot_sign(ss, lane, 0, states, &component);
}

/* Where the next lane that is examined is; false: there is none. */
static bool next_turn(Growth *g, SystemShape **ss, size_t *lane)
{
    LiederSystem *system = g->system;
    for (size_t tried = 0; system->nhome && tried <= system->nhome; tried++) {
        if (g->turn_shape >= system->nhome)
            g->turn_shape = 0;
        *ss = &system->shapes.items[g->turn_shape];
        if (g->turn_lane < (*ss)->shape->nlane && shape_has_sign(*ss)) {
            *lane = g->turn_lane++;
            return true;
        }
        g->turn_lane = 0;
        g->turn_shape++;
    }
    return false;
}

/* the step whose stages stand far apart, in short ones: does it pass over a singular point? */
static LiederStatus examine_apart(Growth *g, const RkSteps *k, const double *begin, double *scratch,
                                  size_t *good)
{
    size_t step = (size_t)(k->apart >> 48) - 1, lane = k->apart & UINT32_MAX;
    SystemShape *ss = &g->system->shapes.items[k->apart >> 32 & UINT16_MAX];
    double t = k->origin + (double)(k->first + step) * k->h, h = k->h / PARTS;
    double sign = start_sign(g->system, ss, lane, g->room);
    uint32_t component = 0;
    for (size_t s = 0; s < ss->shape->states.n; s++)
        scratch[home_state(ss, s, lane)] = begin[home_state(ss, s, lane)];
    RkSteps some = *k;
    some.n = step;
    some.x = scratch;
    LiederStatus status = step ? rk_lane_steps(g->system, ss, lane, &some) : LIEDER_DONE;
    some.origin = t;
    some.h = h;
    some.n = 1;
    for (some.first = 0; some.first < PARTS && status == LIEDER_DONE; some.first++) {
        status = rk_lane_steps(g->system, ss, lane, &some);
        double end = t + (double)(some.first + 1) * h;
        if (status == LIEDER_DONE &&
            sign * lane_sign(ss, lane, end, scratch, g->room, &component) < 0)
            status = LIEDER_SINGULAR;
    }
    if (status != LIEDER_SINGULAR)
        return LIEDER_DONE;
    *good = step;
    return report_passed(g->system, t + k->h, ss, lane, component, FOR_FIXED);
}

LiederStatus orientation_check(Growth *g, const RkSteps *k, const double *begin, double *scratch,
                               size_t *good)
{
    SystemShape *ss, *first = NULL;
    size_t lane, first_lane = 0;
    g->taken += k->n;
    if (k->apart && g->examined < AT_FIRST + g->taken / RARELY) {
        g->examined++;
        LiederStatus status = examine_apart(g, k, begin, scratch, good);
        if (status != LIEDER_DONE)
            return status;
    }
    g->steps += k->n;
    if (g->steps < STRIDE)
        return LIEDER_DONE;
    g->steps = 0;
    for (int n = 0; n < LANES && next_turn(g, &ss, &lane); n++) {
        if (ss == first && lane == first_lane)
            return LIEDER_DONE; /* all of them */
        if (n == 0) {
            first = ss;
            first_lane = lane;
        }
        uint32_t component;
        double t = k->origin + (double)(k->first + k->n) * k->h;
        double now = lane_sign(ss, lane, t, k->x, g->room, &component);
        if (now * start_sign(g->system, ss, lane, g->room) < 0) {
            *good = 0;
            return report_passed(g->system, t, ss, lane, component, FOR_FIXED);
        }
    }
    return LIEDER_DONE;
}

bool orientation_wanted(const LiederSystem *system)
{
    for (size_t i = 0; i < system->nhome; i++)
        if (shape_has_sign(&system->shapes.items[i]))
            return true;
    return false;
}

LiederStatus orientation_step(Growth *g, double t, const double *x)
{
    LiederSystem *system = g->system;
    LiederStatus status = LIEDER_DONE;
    size_t before = system->session->diag.list.n, nlane = 0, lane;
    SystemShape *ss;
    for (size_t i = 0; i < system->nhome; i++)
        nlane +=
            shape_has_sign(&system->shapes.items[i]) ? system->shapes.items[i].shape->nlane : 0;
    for (size_t n = 0; nlane && n <= nlane / TURNS && next_turn(g, &ss, &lane); n++) {
        uint32_t component;
        double now = lane_sign(ss, lane, t, x, g->room, &component);
        if (now * start_sign(system, ss, lane, g->room) < 0) {
            status = report_passed(system, t, ss, lane, component, FOR_ADAPTIVE);
            break;
        }
    }
    return ranks_status(system, status, before);
}

bool orientation_turned(LiederSystem *system, SystemShape *ss, size_t lane, double t,
                        const double *states, signed char *sign)
{
    uint32_t component;
    double now = pivot_sign(ss, lane, t, states, &component);
    if (now * *sign < 0) {
        report_passed(system, t, ss, lane, component, FOR_ADAPTIVE);
        return true;
    }
    if (!*sign)
        *sign = (signed char)now;
    return false;
}
