/* start.c - start values, with those that start blocks find, and whether the joints have inertia
 * there. */
#include "model/system/evaluate.h"

#include <string.h>

/* ------------------------------------------------------------------ start values */

/* the start value that parameters decide; NaN: its start block finds it */
static double start_of(const SystemShape *ss, size_t s, size_t lane)
{
    const StateRef *ref = &ss->shape->states.items[s];
    const SlotValue *v = slot_of(ss, ref->component, ref->slot);
    return v->lanes ? v->lanes[lane] : v->value;
}

bool shape_has_conditions(const Shape *shape)
{
    for (uint32_t i = 0; i < shape->components.n; i++) {
        const LiederClassDef *def = shape->components.items[i].class_->def;
        for (int k = 0; k < def->nsystem; k++)
            if (def->systems[k].at_start)
                return true;
    }
    return false;
}

LiederStatus find_open_start(LiederSystem *system, SystemShape *ss, size_t lane, double t,
                             double *x, size_t stride)
{
    bool open = shape_has_conditions(ss->shape);
    for (size_t s = 0; s < ss->shape->states.n; s++)
        open |= isnan(x[s * stride]);
    if (!open)
        return LIEDER_DONE;
    /* start blocks see the signals that the other states decide */
    const Program *p = &ss->plan.full;
    LiederStrip strip = full_strip(ss, t);
    if (ss->values.lanes_differ || ss->guest.room)
        load_lanes(ss, ss->workspace, p, ss->plan.full_ops, &strip, lane, 1);
    load_states(p, ss->plan.full_ops, &strip, x, stride, 1);
    held_load_start(ss, p, ss->plan.full_ops, &strip, lane);
    run_ops(&p->explicit_, &strip, p->at.items);
    for (size_t q = 0; q < ss->shape->order.n; q++) {
        uint32_t i = ss->shape->order.items[q].component;
        const LiederKernels *k = kernels_of(p, &ss->shape->components.items[i]);
        if (k->start.run && ss->shape->order.items[q].unit == 0)
            lieder_run(k->start, &strip, at_of(p, i), 0);
    }
    for (size_t s = 0; s < ss->shape->states.n; s++)
        if (isnan(x[s * stride]))
            ss->plan.full_ops->store(&strip, p->state_place.items[s], &x[s * stride], 1);
    return find_failed_system(system, ss, p, strip.base, 0, lane, t, true) ? LIEDER_GAVE_UP
                                                                           : LIEDER_DONE;
}

LiederStatus find_start(LiederSystem *system, SystemShape *ss, double t, double *x)
{
    bool open = shape_has_conditions(ss->shape);
    LiederStatus status = LIEDER_DONE;
    size_t nlane = ss->shape->nlane, nstate = ss->shape->states.n, n;
    for (size_t s = 0; s < nstate; s++)
        for (size_t l = 0; l < nlane; l++) {
            double start = start_of(ss, s, l);
            open |= isnan(start);
            x[home_state(ss, s, l)] = start;
        }
    if (!open)
        return LIEDER_DONE;
    for (size_t lane = 0; lanes_next(ss, &lane, &n, 1); lane++) {
        double *states = x + ss->first_state + lane;
        if (ss->guest.room)
            states = (double *)strip_view(system, ss, lane, 1, x, NULL, system->stages).x;
        LiederStatus found =
            find_open_start(system, ss, lane, t, states, ss->guest.room ? 1 : nlane);
        status = found != LIEDER_DONE ? found : status;
        for (size_t s = 0; s < nstate && ss->guest.room; s++)
            x[home_state(ss, s, lane)] = states[s];
    }
    /* sleepers have no signals to start from */
    for (size_t s = 0; s < nstate && (ss->shape->asleep || ss->away.n); s++)
        for (size_t l = 0; l < nlane; l++)
            if (isnan(x[home_state(ss, s, l)]))
                x[home_state(ss, s, l)] = 0;
    return status;
}

LiederStatus lane_start(LiederSystem *system, SystemShape *ss, size_t lane, double *x)
{
    for (size_t s = 0; s < ss->shape->states.n; s++)
        x[s] = start_of(ss, s, lane);
    return find_open_start(system, ss, lane, 0, x, 1);
}

/* ------------------------------------------------------------------ pivots */

/* the pivots of all links with unknowns of a lane, in the order of links, at its states x */
static void lane_pivots(SystemShape *ss, size_t lane, double t, const double *x, bool hold,
                        double *pivots)
{
    const Program *p = &ss->plan.lean;
    LiederStrip strip = workspace_strip(ss, ss->workspace, 1, t);
    size_t at = 0;
    strip.hold = hold;
    if (ss->values.lanes_differ || ss->guest.room)
        load_lanes(ss, ss->workspace, p, ss->plan.lean_ops, &strip, lane, 1);
    load_states(p, ss->plan.lean_ops, &strip, x, 1, 1);
    held_forget_past(ss, p, ss->plan.lean_ops, &strip);
    run_ops(&p->explicit_, &strip, p->at.items);
    run_ops(&p->reduce, &strip, p->at.items);
    ss->plan.lean_ops->fill(&strip, LIEDER_ALARM, 0.0);
    for (size_t q = 0; q < ss->shape->links.n; q++) {
        uint32_t i = ss->shape->links.items[q];
        const LiederKernels *k = kernels_of(p, &ss->shape->components.items[i]);
        const double *save =
            (const double *)strip.base + (size_t)at_of(p, i)[LIEDER_AT_SAVE] * (size_t)p->lanes;
        for (int u = 0; u < k->nunknown; u++)
            pivots[at++] = save[(k->save_pivot + u) * p->lanes];
    }
}

bool shape_has_sign(const SystemShape *ss)
{
    return ss->plan.method == LIEDER_METHOD_TREE && !ss->shape->general && !ss->away.n &&
           !ss->guest.room && ss->limit.n > 0;
}

/* The sign of the determinants of the loops of a lane, whose tree is in the workspace as
 * lane_pivots has left it: they are eliminated without exchange, so that it is that of the product
 * of the pivots on the diagonal. 0: not a number. */
static double complement_sign(SystemShape *ss, double t)
{
    const Program *p = &ss->plan.lean;
    LiederStrip strip = workspace_strip(ss, ss->workspace, 1, t);
    double sign = 1;
    run_ops(&p->solve, &strip, p->at.items);
    for (size_t g = 0; g < p->complements.n; g++) {
        const Complement *m = &p->complements.items[g];
        ss->plan.lean_ops->complement(&strip, p, m);
        const double *A = (const double *)strip.base + (size_t)m->matrix * (size_t)p->lanes;
        for (size_t k = 0; k < m->n; k++) {
            double pivot = A[k * (m->n + 2) * (size_t)p->lanes];
            sign *= isfinite(pivot) ? copysign(1, pivot) : 0;
        }
    }
    return sign;
}

double pivot_sign(SystemShape *ss, size_t lane, double t, const double *x, uint32_t *component)
{
    double sign = 1, least = INFINITY, *pivots = ss->pivots.items;
    size_t at = 0;
    lane_pivots(ss, lane, t, x, false, pivots);
    for (size_t q = 0; q < ss->shape->links.n; q++) {
        uint32_t i = ss->shape->links.items[q];
        int nunknown = kernels_of(&ss->plan.lean, &ss->shape->components.items[i])->nunknown;
        for (int u = 0; u < nunknown; u++, at++) {
            double size = fabs(pivots[at]) / ss->limit.items[at];
            sign *= isfinite(size) ? copysign(1, pivots[at]) : 0;
            if (size < least) {
                least = size;
                *component = i;
            }
        }
    }
    return ss->plan.lean.complements.n ? sign * complement_sign(ss, t) : sign;
}

enum { MOVES = 4 }; /* the states at the start, and moved three times */

static bool agree(double pivot, double moved)
{
    return fabs(pivot - moved) < 0.1 * fabs(pivot);
}

/* A pivot that is zero but for rounding is noise: it changes by as much as itself when the states
 * move a little. Comparing its size with a limit would not do, because a correct pivot may be
 * small: that of a chain of n links shrinks with n^-3 against the inertia of the whole. Where a
 * stiffness has a kink at the start, it jumps once and stays: see pivot 0, n, 2 n, 3 n. */
static bool is_noise(const double *pivot, size_t n)
{
    return !agree(pivot[0], pivot[n]) &&
           !(agree(pivot[n], pivot[2 * n]) && agree(pivot[n], pivot[3 * n]));
}

LiederStatus report_pivot(LiederSystem *system, const SystemShape *ss, uint32_t component,
                          size_t lane, double pivot)
{
    char path[512];
    lane_path(system, ss, component, lane, path, sizeof path);
    const char *advice =
        class_advice(ss->shape->components.items[component].class_->def,
                     isinf(pivot) ? LIEDER_ADVICE_LARGE_PIVOT : LIEDER_ADVICE_NO_PIVOT);
    int what = (int)strcspn(advice, "\n"); /* the number stands before what to do */
    diag_error(&system->session->diag, NULL, path, "%.*s (pivot %g)%s", what, advice,
               pivot + 0.0 /* no -0 */, advice + what);
    return LIEDER_BAD_MODEL;
}

LiederStatus check_pivots(LiederSystem *system, SystemShape *ss, size_t lane)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    LiederStatus status = LIEDER_NO_MEMORY;
    size_t n = 0, nstate = ss->shape->states.n;
    if (ss->shape->general) /* it has no pivots; singular groups show when they are solved */
        return LIEDER_DONE;
    for (size_t g = 0; g < ss->shape->groups.n; g++)
        n += ss->shape->groups.items[g].nunknown;
    double *x = memory_zeroed(alloc, nstate * sizeof(double));
    double *pivots = memory_zeroed(alloc, MOVES * n * sizeof(double));
    if (x && pivots && vec_resize(alloc, &ss->limit, n) && vec_resize(alloc, &ss->pivots, n)) {
        status = n ? lane_start(system, ss, lane, x) : LIEDER_DONE;
        lane_pivots(ss, lane, 0, x, false, pivots);
        /* the states moved a little; contacts stay as they are */
        for (size_t k = 1; k < MOVES; k++) {
            for (size_t s = 0; s < nstate; s++)
                x[s] += 1e-11 * (1 + fabs(x[s])) * (1 + (double)(s % 7));
            lane_pivots(ss, lane, 0, x, true, pivots + k * n);
        }
        bool culprit = false;
        for (size_t i = 0; i < n; i++)
            culprit |= !isnan(pivots[i]) && is_noise(pivots + i, n);
        size_t at = 0;
        for (size_t q = 0; q < ss->shape->links.n; q++) {
            uint32_t i = ss->shape->links.items[q];
            bool bad = false;
            int nunknown = kernels_of(&ss->plan.lean, &ss->shape->components.items[i])->nunknown;
            for (int u = 0; u < nunknown; u++, at++) {
                double a = pivots[at];
                if (lane == 0)
                    ss->limit.items[at] = 1e-12 * fabs(a);
                if (!is_noise(pivots + at, n) || bad || (isnan(a) && culprit))
                    continue; /* nan is what an inner joint gets from the culprit outboard */
                bad = true;
                status = report_pivot(system, ss, i, lane, a);
            }
        }
    }
    memory_free(alloc, x, nstate * sizeof(double));
    memory_free(alloc, pivots, MOVES * n * sizeof(double));
    return status;
}
