/* evaluate.c - see fmu.h. The order of operations is that of src/model/system/evaluate.c. */
#include "fmu.h"

#include <math.h>
#include <stdio.h>

static __attribute__((noinline)) void run_list(const FmuList *list, const uint32_t *at, double *rec,
                                               Call call)
{
    for (size_t i = 0; i < list->n; i++)
        list->ops[i].run(rec, at + list->ops[i].at, call);
}

/* choices into a record: all if they are held, else those of kind LIEDER_HELD */
static void load_choices(const Values *v, const ShapeValues *s, const FmuLayout *layout,
                         double *rec, size_t lane, bool hold)
{
    for (size_t k = 0; k < s->shape->ncrossing && (hold || s->shape->nheld); k++)
        if (hold || s->shape->crossing_kind[k] == LIEDER_HELD)
            rec[layout->choice_place[k]] = v->choices[s->first_choice + k * s->nlane + lane];
}

/* memory of a lane into the full or the lean record */
static void load_memory(const Values *v, const ShapeValues *s, double *rec, bool lean, size_t lane)
{
    for (size_t k = 0; k < s->shape->nmemory; k++) {
        const FmuMemory *m = &s->shape->memories[k];
        uint32_t place = lean ? m->lean : m->full;
        if (place != FMU_NOWHERE)
            rec[place] = v->memory[s->first_memory + k * s->nlane + lane];
    }
}

/* a lane into the full record, and its explicit blocks */
static __attribute__((noinline)) void run_explicit(Values *v, ShapeValues *s, size_t lane,
                                                   const double *x, size_t stride, Call call)
{
    const FmuShape *shape = s->shape;
    lane_load(s, lane);
    s->seen = SIZE_MAX;
    for (size_t i = 0; i < shape->nstate; i++)
        s->full[shape->state_place[i]] = x[i * stride];
    load_memory(v, s, s->full, false, lane);
    for (size_t k = 0; k < shape->nrequest; k++)
        s->full[shape->requests[k].place] = 0;
    load_choices(v, s, &shape->full, s->full, lane, call.hold);
    run_list(&shape->explicit_, shape->full.at, s->full, call);
}

/* the linear groups, after the explicit blocks; NULL, or what is wrong */
static const char *run_linear(const ShapeValues *s, Call call)
{
    const FmuShape *shape = s->shape;
    if (shape->sparse)
        return fmu_sparse->solve(s, call);
    s->full[LIEDER_ALARM] = 0;
    run_list(&shape->reduce, shape->full.at, s->full, call);
    bool good = s->full[LIEDER_ALARM] == 0;
    run_list(&shape->solve, shape->full.at, s->full, call);
    if (shape->complement)
        shape->complement(s->full, call);
    return good ? NULL : "a linear group is singular";
}

/* a lane through the lists of the full layout; false: v->wrong */
static __attribute__((noinline)) bool run_lists(Values *v, ShapeValues *s, size_t lane,
                                                const double *x, size_t stride, Call call)
{
    run_explicit(v, s, lane, x, stride, call);
    const char *wrong = run_linear(s, call);
    if (wrong)
        snprintf(v->wrong, sizeof v->wrong,
                 "%s at t = %g: a mechanism may lock, a joint moves no inertia, or a circuit is "
                 "closed by ideal parts",
                 wrong, call.time);
    return !wrong;
}

/* ------------------------------------------------------------------ flows */

/* flows at an outgoing port: minus the sum of those of the other ports at its node */
static const uint32_t *gather(const uint32_t *g, double *rec)
{
    uint32_t to = g[0], n = g[1], k = g[2];
    for (uint32_t i = 0; i < n; i++)
        rec[to + i] = 0;
    for (uint32_t f = 0; f < k; f++)
        for (uint32_t i = 0; i < n; i++)
            rec[to + i] -= rec[g[3 + f] + i];
    return g + 3 + k;
}

/* all ports of one component; ended by FMU_NOWHERE */
static void gather_all(const uint32_t *g, double *rec)
{
    while (*g != FMU_NOWHERE)
        g = gather(g, rec);
}

/* potentials everywhere, after the linear groups, and flows */
static __attribute__((noinline)) void run_flows(const ShapeValues *s, Call call, bool flows)
{
    const FmuShape *shape = s->shape;
    run_list(&shape->outward, shape->full.at, s->full, call);
    for (size_t i = 0; i < shape->inward.n && flows; i++) {
        const FmuOp *op = &shape->inward.ops[i];
        if (op->gather != FMU_NOWHERE)
            gather_all(shape->gathers + op->gather, s->full);
        op->run(s->full, shape->full.at + op->at, call);
    }
    for (const uint32_t *g = shape->last_gathers; *g != FMU_NOWHERE && flows; g++)
        gather_all(shape->gathers + *g, s->full);
}

/* ------------------------------------------------------------------ derivatives */

/* derivatives of a lane by the lists of ops; false with a sentence in v->wrong */
static bool lists_derivatives(Values *v, ShapeValues *s, size_t lane, const double *x,
                              size_t x_stride, double *dx, size_t dx_stride, Call call)
{
    if (!run_lists(v, s, lane, x, x_stride, call))
        return false;
    if (s->shape->sparse) /* derivatives of leaves */
        run_flows(s, call, s->shape->general);
    for (size_t i = 0; i < s->shape->nstate; i++) {
        double d = s->full[s->shape->derivative_place[i]];
        if (!fmu_finite(d)) {
            snprintf(v->wrong, sizeof v->wrong, "a derivative is not finite at t = %g", call.time);
            return false;
        }
        dx[i * dx_stride] = d;
    }
    return true;
}

FMU_STEP bool lanes_derivatives(Values *v, ShapeValues *s, double t, double event_time, size_t lane,
                                size_t n, const double *x, size_t x_stride, double *dx,
                                size_t dx_stride)
{
    bool hold = v->hold && s->shape->ncrossing;
    size_t width = s->differ || hold || s->shape->nmemory || s->shape->nheld ? 1 : n;
    for (size_t l = 0; l < n; l += width) {
        if (s->stale || s->differ || s->loaded != 0)
            lane_load(s, lane + l);
        if (s->folded) {
            LiederStrip strip = {.base = s->lean,
                                 .record = s->shape->lean.nreal,
                                 .nvec = 1,
                                 .hold = hold,
                                 .bias_scale = 1,
                                 .time = t,
                                 .event_time = event_time};
            if (s->shape->ncrossing)
                load_choices(v, s, &s->shape->lean, s->lean, lane + l, hold);
            if (s->shape->nmemory)
                load_memory(v, s, s->lean, true, lane + l);
            if (s->shape->function(&strip, x + l, x_stride, dx + l, dx_stride, width) ==
                LIEDER_DONE)
                continue;
        }
        /* the lists find the reason */
        for (size_t k = l; k < l + width; k++)
            if (!lists_derivatives(v, s, lane + k, x + k, x_stride, dx + k, dx_stride,
                                   call_at(t, event_time, hold)))
                return false;
    }
    return true;
}

__attribute__((noinline)) bool derivatives_update(Values *v)
{
    if (!start_find(v))
        return false;
    for (size_t i = 0; i < fmu_nshape && !v->has_dx; i++) {
        ShapeValues *s = &v->shapes[i];
        size_t n = s->nlane;
        if (!lanes_derivatives(v, s, v->t, v->event_time, 0, n, v->x + s->first_state, n,
                               v->dx + s->first_state, n))
            return false;
    }
    v->has_dx = true;
    return true;
}

/* ------------------------------------------------------------------ everything about a lane */

__attribute__((noinline)) void lane_explicit(Values *v, ShapeValues *s, size_t lane,
                                             const double *x, size_t stride, Call call)
{
    run_explicit(v, s, lane, x, stride, call);
    if (s->shape->linear_crossings || s->shape->general)
        run_linear(s, call); /* a failure shows in the derivatives */
    if (s->shape->linear_crossings)
        run_flows(s, call, true);
}

__attribute__((noinline)) bool lane_observe(Values *v, ShapeValues *s, size_t lane)
{
    if (s->seen == lane && !s->stale)
        return true;
    Call call = call_at(v->t, v->event_time, v->hold);
    if (!run_lists(v, s, lane, v->x + s->first_state + lane, s->nlane, call))
        return false;
    run_flows(s, call, true);
    s->seen = lane;
    return true;
}

/* ------------------------------------------------------------------ start */

/* start values of states that start blocks compute from signals */
static void start_late(Values *v, ShapeValues *s, size_t lane, double *x)
{
    const FmuShape *shape = s->shape;
    Call call = call_at(0, 0, false);
    lane_explicit(v, s, lane, x, s->nlane, call);
    run_list(&shape->start, shape->full.at, s->full, call);
    for (size_t i = 0; i < shape->nstate; i++)
        if (fmu_nan(x[i * s->nlane]))
            x[i * s->nlane] = s->full[shape->state_place[i]];
}

__attribute__((noinline)) bool start_find(Values *v)
{
    if (!v->at_start || v->has_start)
        return true;
    values_moved(v);
    for (size_t i = 0; i < fmu_nshape; i++) {
        ShapeValues *s = &v->shapes[i];
        size_t nlane = s->nlane;
        for (size_t lane = 0; lane < nlane; lane++) {
            double *x = v->x + s->first_state + lane;
            bool open = false;
            if (fmu_events)
                fmu_events->prepare(v, s, lane);
            for (size_t k = 0; k < s->shape->nstate; k++) {
                x[k * nlane] = slot_value(s, s->shape->start_slot[k], lane);
                open |= fmu_nan(x[k * nlane]);
            }
            if (open)
                start_late(v, s, lane, x);
        }
    }
    for (size_t i = 0; i < v->nstate; i++)
        if (!fmu_finite(v->x[i])) {
            snprintf(v->wrong, sizeof v->wrong, "a start value is not finite");
            return false;
        }
    v->has_start = true;
    return !fmu_events || fmu_events->settle(v);
}

/* ------------------------------------------------------------------ events */

__attribute__((noinline)) bool choices_decide_at(Values *v, double t, double event_time)
{
    bool changed = false;
    for (size_t i = 0; i < fmu_nshape; i++) {
        ShapeValues *s = &v->shapes[i];
        const FmuShape *shape = s->shape;
        for (size_t lane = 0; lane < s->nlane && shape->ncrossing && !takes_part(v, shape);
             lane++) {
            lane_explicit(v, s, lane, v->x + s->first_state + lane, s->nlane,
                          call_at(t, event_time, false));
            for (size_t k = 0; k < shape->ncrossing; k++) {
                double *choice = &v->choices[s->first_choice + k * s->nlane + lane],
                       now = s->full[shape->full.choice_place[k]];
                changed |= *choice != now;
                *choice = now;
            }
        }
    }
    v->has_dx &= !changed;
    return changed;
}

bool choices_decide(Values *v)
{
    return choices_decide_at(v, v->t, v->event_time);
}

/* The indicator of a row's element changes its sign a little beyond the value's zero, on the side
 * where the choice is contradicted: an importer that stops close to the root finds it decided. */
static double indicator(const Values *v, const FmuPiece *p, size_t i, double value)
{
    const ShapeValues *s = &v->shapes[p->shape];
    size_t lane = p->lane + i / p->length;
    for (size_t k = 0; k < s->shape->ncrossing; k++)
        if (s->shape->crossing_place[k] == p->place + i % p->length) {
            double choice = v->choices[s->first_choice + k * s->nlane + lane];
            double band = 1e-10 + (fmu_events ? fmu_events->surface(v, s, k, lane) : 0);
            return choice > 0.5 ? value - band : value + band;
        }
    return value;
}

bool crossings_get(Values *v, double *to)
{
    for (size_t r = 0; r < fmu_ncrossing_row; r++) {
        const FmuRow *row = &fmu_rows[fmu_crossing_rows[r]];
        if (!row_get(v, row, 0, row_count(v, row), to))
            return false;
        for (uint32_t k = row->piece; k < row->piece + row->npiece; k++)
            for (size_t i = 0; i < piece_count(v, row, &fmu_pieces[k]); i++, to++)
                *to = indicator(v, &fmu_pieces[k], i, *to);
    }
    return true;
}

double next_time(const Values *v, double t)
{
    double next = fmu_events ? fmu_events->next_time(v, t) : INFINITY, numbers[64];
    for (size_t i = 0; i < fmu_nshape; i++) {
        const ShapeValues *s = &v->shapes[i];
        for (size_t k = 0; k < s->shape->ntimed; k++) {
            const FmuTimed *timed = &s->shape->timed[k];
            for (size_t lane = 0; lane < (s->differ ? s->nlane : 1); lane++) {
                for (uint32_t n = 0; n < timed->nslot; n++)
                    numbers[n] = slot_value(s, timed->slot + n, lane);
                double at = timed->next(numbers, timed->table, t);
                if (fmu_finite(at) && (!fmu_finite(next) || at < next))
                    next = at;
            }
        }
    }
    return next;
}

/* ------------------------------------------------------------------ directional derivatives */

/* sets the knowns to base + h seed */
static bool move_knowns(Values *v, const Direction *d, const double *base, double h)
{
    size_t at = 0;
    for (size_t k = 0; k < d->nknown; k++) {
        uint32_t first;
        const FmuRow *row = row_of(d->knowns[k], &first);
        size_t n = FMI_VERSION == 2 ? 1 : row_count(v, row), before = 0;
        for (uint32_t q = row->piece; q < row->piece + row->npiece; q++) {
            const FmuPiece *p = &fmu_pieces[q];
            ShapeValues *s = &v->shapes[p->shape];
            for (size_t i = 0; i < piece_count(v, row, p); i++) {
                size_t e = before + i, place = p->place + i % p->length,
                       lane = p->lane + i / p->length;
                if (e < first || e >= first + n)
                    continue;
                double value = base[at + e - first] + h * d->seed[at + e - first];
                if (row->kind == FMU_STATE)
                    v->x[s->first_state + place * s->nlane + lane] = value;
                else if (!row_set(v, row, e, 1, &value))
                    return false;
            }
            before += piece_count(v, row, p);
        }
        at += n;
    }
    values_moved(v);
    return true;
}

static bool gather_unknowns(Values *v, const Direction *d, double *to)
{
    for (size_t k = 0; k < d->nunknown; k++) {
        uint32_t first;
        const FmuRow *row = row_of(d->unknowns[k], &first);
        size_t n = FMI_VERSION == 2 ? 1 : row_count(v, row);
        if (!row_get(v, row, first, n, to))
            return false;
        to += n;
    }
    return true;
}

/* Four evaluations about the point, along the seed, of fourth order: with a step of eps^(1/5) the
 * error is about 1e-12 of the numbers. Choices hold meanwhile. */
bool direction_get(Values *v, const Direction *d)
{
    static const double weights[] = {1, -8, 8, -1}, steps[] = {-2, -1, 1, 2};
    double *base = malloc((d->nseed + d->nto + 1) * sizeof *base), *values = base + d->nseed;
    double size = 0, seed = 0;
    bool ok = base != NULL, hold = v->hold;
    size_t at = 0;
    for (size_t k = 0; ok && k < d->nknown; k++) {
        uint32_t first;
        const FmuRow *row = row_of(d->knowns[k], &first);
        size_t n = FMI_VERSION == 2 ? 1 : row_count(v, row);
        ok = row_get(v, row, first, n, base + at);
        at += n;
    }
    for (size_t i = 0; ok && i < d->nseed; i++) {
        double b = base[i] < 0 ? -base[i] : base[i], s = d->seed[i] < 0 ? -d->seed[i] : d->seed[i];
        size = s > 0 && b > size ? b : size;
        seed = s > seed ? s : seed;
    }
    memset(d->to, 0, d->nto * sizeof *d->to);
    double h = seed > 0 ? 7.4e-4 * (1 + size) / seed : 0;
    if (ok && !hold)
        choices_decide(v);
    v->hold = true;
    for (int k = 0; ok && k < 4 && h > 0; k++) {
        ok = move_knowns(v, d, base, steps[k] * h) && gather_unknowns(v, d, values);
        for (size_t i = 0; ok && i < d->nto; i++)
            d->to[i] += weights[k] * values[i] / (12 * h);
    }
    v->hold = hold;
    if (base)
        ok &= move_knowns(v, d, base, 0);
    free(base);
    return ok;
}
