/* evaluate.c - numbers through a program: strips of lanes for derivatives, one lane in full for
 * observers. Nothing here asks for memory.
 *
 * Networks are evaluated lane by lane in the full record. After each solution the `iterate` blocks
 * run; a component that has not converged has changed what its linear blocks read, and the group is
 * solved again. Choices start from one side in every evaluation and are all changed at once at
 * first. That may go round in circles, so later only the first component with a wrong choice
 * changes it, and only when components without choices have converged: the least-index rule of
 * Murty, which ends for every complementarity problem of a P-matrix, and a network of ideal diodes
 * is one. */
#include "model/system/evaluate.h"
#include "model/linear/linear.h"
#include "model/net/net.h"

#include <string.h>

/* ------------------------------------------------------------------ strips */

/* nvec of the `room` records at base; the scratch area follows these */
static LiederStrip strip_of(void *base, const Program *p, int room, int nvec, double t)
{
    size_t records = (size_t)room * p->nreal * (size_t)p->lanes;
    return (LiederStrip){.base = base,
                         .scratch = (double *)base + records,
                         .record = p->nreal,
                         .nvec = nvec,
                         .bias_scale = 1,
                         .time = t,
                         .event_time = t};
}

LiederStrip record_strip(const SystemShape *ss, const Workspace *workspace, double t)
{
    return strip_of(workspace->record, &ss->plan.full, 1, 1, t);
}

LiederStrip full_strip(const SystemShape *ss, double t)
{
    return record_strip(ss, ss->workspace, t);
}

LiederStrip workspace_strip(const SystemShape *ss, const Workspace *workspace, int nvec, double t)
{
    return strip_of(workspace->strip, &ss->plan.lean, ss->strip, nvec, t);
}

LiederStrip uniform_strip(const SystemShape *ss, const Workspace *workspace, double t)
{
    LiederStrip strip = workspace_strip(ss, workspace, ss->strip, t);
    strip.record = 0;
    return strip;
}

/* Wider than the workspace where all lanes have the same parameters: what a strip costs beside its
 * lanes does not count then, and its states still fit the first-level cache. */
void choose_width(SystemShape *ss)
{
    enum { STRIP_NUMBERS = 512 };
    ss->width = 1;
    if (ss->plan.method != LIEDER_METHOD_TREE)
        return;
    ss->width = workspace_width(ss);
    if (ss->values.lanes_differ || ss->shape->states.n == 0)
        return;
    size_t more = STRIP_NUMBERS / ss->shape->states.n / ss->width * ss->width;
    if (more > ss->width)
        ss->width = more;
}

StripView strip_view(const LiederSystem *system, const SystemShape *ss, size_t lane, size_t n,
                     const double *x, double *dx, double *buffer)
{
    if (!ss->guest.room) {
        size_t at = ss->first_state + lane;
        return (StripView){x + at, dx ? dx + at : NULL, ss->shape->nlane};
    }
    for (size_t s = 0; s < ss->shape->states.n; s++) {
        const size_t *home = ss->guest.state_home + s * ss->guest.room + lane;
        for (size_t l = 0; l < n; l++)
            buffer[s * n + l] = x[home[l]];
    }
    return (StripView){buffer, buffer + system->stage_room, n};
}

void strip_return(const SystemShape *ss, size_t lane, size_t n, const StripView *view, double *dx)
{
    for (size_t s = 0; s < ss->shape->states.n && ss->guest.room; s++) {
        const size_t *home = ss->guest.state_home + s * ss->guest.room + lane;
        for (size_t l = 0; l < n; l++)
            dx[home[l]] = view->dx[s * n + l];
    }
}

/* ------------------------------------------------------------------ one lane in full */

/* flows at outgoing ports, see FlowMove */
static void move_flows(const Program *p, const LiederStrip *strip, size_t first, size_t end)
{
    size_t lanes = (size_t)p->lanes;
    for (size_t k = first; k < end; k++) {
        const FlowMove *m = &p->moves.items[k];
        double *to = (double *)strip->base + m->to * lanes;
        size_t n = m->n * lanes;
        if (m->from == NOWHERE) {
            memset(to, 0, n * sizeof *to);
            continue;
        }
        const double *from = (const double *)strip->base + m->from * lanes;
        if (m->add)
            for (size_t i = 0; i < n; i++)
                to[i] -= from[i];
        else
            for (size_t i = 0; i < n; i++)
                to[i] = 0.0 - from[i];
    }
}

void linear_pass(const Program *p, const LiederStrip *strip, bool flows)
{
    const uint32_t *first = p->move_first.items;
    size_t i = 0;
    run_ops(&p->outward, strip, p->at.items);
    if (!flows)
        return;
    for (; i < p->inward.n; i++) {
        const Op *op = &p->inward.items[i];
        move_flows(p, strip, first[i], first[i + 1]);
        lieder_run(op->code, strip, p->at.items + op->at, op->add);
    }
    move_flows(p, strip, first[i], first[i + 1]);
}

bool find_small_pivot(SystemShape *ss, const Program *p, const LiederStrip *strip, int lane,
                      uint32_t *component, double *pivot)
{
    for (size_t q = ss->shape->links.n; q-- > 0;) {
        uint32_t i = ss->shape->links.items[q];
        const LiederKernels *k = kernels_of(p, &ss->shape->components.items[i]);
        if (ss->shape->components.items[i].group < 0)
            continue;
        for (int u = 0; u < k->nunknown; u++) {
            const double *save = (const double *)strip->base +
                                 (size_t)at_of(p, i)[LIEDER_AT_SAVE] * (size_t)p->lanes + lane;
            double value = save[(k->save_pivot + u) * p->lanes],
                   limit = save[(k->save_limit + u) * p->lanes];
            if (!(fabs(value) > limit)) {
                *component = i;
                *pivot = value;
                return true;
            }
        }
    }
    return false;
}

enum { JOINT_CHANGES = 16 };

/* runs the iterate blocks of components with choices, or without; `one`: until one has not
 * converged. True if some have not; *last is then the last of them. */
static bool move(SystemShape *ss, const LiederStrip *strip, bool choices, bool one, uint32_t *last)
{
    const Program *p = &ss->plan.full;
    bool moved = false;
    for (uint32_t i = 0; i < ss->shape->components.n && !(one && moved); i++) {
        const Component *c = &ss->shape->components.items[i];
        LiederCode code = kernels_of(p, c)->iterate;
        if (!code.run || class_has_member(c->class_->def, LIEDER_CROSSING) != choices)
            continue;
        ss->plan.full_ops->fill(strip, LIEDER_ALARM, 0.0);
        lieder_run(code, strip, at_of(p, i), 0);
        if (!ss->plan.full_ops->alarm(strip))
            continue;
        moved = true;
        *last = i;
    }
    return moved;
}

/* false: all have converged */
static bool iterate_components(SystemShape *ss, const LiederStrip *strip, int count, uint32_t *last)
{
    bool joint = count < JOINT_CHANGES;
    bool moved = move(ss, strip, false, false, last);
    if (joint || !moved)
        moved |= move(ss, strip, true, !joint, last);
    return moved;
}

/* solves the groups of the full record, whose explicit blocks have run, by sparse system or
 * probing */
static LiederStatus solve_record(SystemShape *ss, const Workspace *w, const LiederStrip *strip,
                                 uint32_t *culprit)
{
    for (int count = 0; count < MAX_ITERATIONS; count++) {
        LiederStatus status = (ss->plan.method == LIEDER_METHOD_PROBE ? probe_solve : sparse_solve)(
            ss, w, strip, culprit);
        if (status != LIEDER_DONE)
            return status;
        if (ss->shape->general && ss->plan.method == LIEDER_METHOD_PROBE)
            linear_pass(&ss->plan.full, strip, false); /* potentials that belong to the unknowns */
        if (!ss->shape->general || !iterate_components(ss, strip, count, culprit))
            return LIEDER_DONE;
    }
    return LIEDER_GAVE_UP;
}

/* evaluates one lane, which may fail; x as for load_states. *culprit and *pivot: where it failed */
static LiederStatus try_one(SystemShape *ss, const Workspace *w, size_t lane, double t,
                            const Moment *moment, const double *x, size_t stride, bool flows,
                            uint32_t *culprit, double *pivot)
{
    const Program *p = &ss->plan.full;
    LiederStrip strip = record_strip(ss, w, t);
    LiederStatus status = LIEDER_DONE;
    if (ss->values.lanes_differ)
        load_lanes(ss, w, p, ss->plan.full_ops, &strip, lane, 1);
    load_states(p, ss->plan.full_ops, &strip, x, stride, 1);
    load_moment(ss, p, ss->plan.full_ops, &strip, moment, lane, 0, 1);
    run_ops(&p->explicit_, &strip, p->at.items);
    if (ss->plan.method == LIEDER_METHOD_TREE) {
        ss->plan.full_ops->fill(&strip, LIEDER_ALARM, 0.0);
        run_ops(&p->reduce, &strip, p->at.items);
        if (ss->plan.full_ops->alarm(&strip)) {
            find_small_pivot(ss, p, &strip, 0, culprit, pivot);
            return LIEDER_SINGULAR;
        }
        run_ops(&p->solve, &strip, p->at.items);
        for (size_t i = 0; i < p->complements.n; i++)
            ss->plan.full_ops->complement(&strip, p, &p->complements.items[i]);
    } else if (ss->plan.method == LIEDER_METHOD_NET) {
        status = net_observe(ss, w->net, w->record, t, moment, lane, x, stride, culprit);
    } else {
        status = solve_record(ss, w, &strip, culprit);
    }
    if (status == LIEDER_DONE && (flows || ss->plan.method != LIEDER_METHOD_TREE))
        linear_pass(p, &strip, flows || ss->shape->general); /* derivatives of leaves */
    if (status == LIEDER_DONE && flows)
        run_ops(&p->observe, &strip, p->at.items);
    return status;
}

/* the same, and a failure is reported */
static LiederStatus evaluate_one(LiederSystem *system, SystemShape *ss, const Workspace *w,
                                 size_t lane, double t, const Moment *moment, const double *x,
                                 size_t stride, bool flows)
{
    uint32_t culprit = 0;
    double pivot = 0;
    if (moment->times)
        t = moment->times[0];
    LiederStatus status = try_one(ss, w, lane, t, moment, x, stride, flows, &culprit, &pivot);
    return report_lane(system, ss, culprit, lane, pivot, t, status);
}

LiederStatus evaluate_lane(LiederSystem *system, SystemShape *ss, size_t lane, double t,
                           const double *x, bool flows)
{
    StripView v = strip_view(system, ss, lane, 1, x, NULL, system->stages);
    Moment moment = system->moment;
    if (moment.clocks)
        moment.event_time = moment.clocks[ss - system->shapes.items][lane];
    return evaluate_one(system, ss, ss->workspace, lane, t, &moment, v.x, v.stride, flows);
}

/* ------------------------------------------------------------------ derivatives */

/* derivatives of a strip out of its records; returns 0 if all are finite */
static double store_derivatives(const Program *p, const LaneOps *ops, const LiederStrip *strip,
                                double *dx, size_t stride, size_t n)
{
    return ops->store_all(strip, p->derivative_place.items, p->derivative_place.n, dx, stride, n);
}

/* at most as many lanes as the workspace holds, list by list; plain: by the ops themselves, which
 * leave everything in the records */
static LiederStatus evaluate_records(const Evaluation *e, bool plain, size_t lane, size_t skip,
                                     size_t n, const double *x, size_t x_stride, double *dx,
                                     size_t dx_stride)
{
    const Program *p = &e->ss->plan.lean;
    const Fused *f = &e->ss->code.fused;
    const LaneOps *ops = e->ss->plan.lean_ops;
    LiederStrip strip = workspace_strip(e->ss, e->workspace, records_of(p, n), e->t);
    load_moment(e->ss, p, ops, &strip, e->moment, lane, skip, n);
    load_states(p, ops, &strip, x, x_stride, n);
    bool fused = !plain && f->at.n;
    const uint32_t *at = fused ? f->at.items : p->at.items;
    run_ops(fused ? &f->explicit_ : &p->explicit_, &strip, at);
    run_ops(fused ? &f->reduce : &p->reduce, &strip, at);
    run_ops(fused ? &f->solve : &p->solve, &strip, at);
    for (size_t i = 0; i < p->complements.n; i++)
        ops->complement(&strip, p, &p->complements.items[i]);
    int small = ops->alarm(&strip);
    double not_finite = store_derivatives(p, ops, &strip, dx, dx_stride, n);
    return small ? LIEDER_SINGULAR : not_finite != 0 ? LIEDER_NOT_FINITE : LIEDER_DONE;
}

/* whether one code takes states to derivatives: generated, or joined from instructions */
static inline bool has_whole(const SystemShape *ss)
{
    return ss->code.compiled || (ss->plan.lean.joined.run && !ss->code.fused.at.n &&
                                 ss->plan.method == LIEDER_METHOD_TREE);
}

static inline LiederStatus run_whole(const SystemShape *ss, const LiederStrip *strip,
                                     const double *x, size_t x_stride, double *dx, size_t dx_stride,
                                     size_t n)
{
    if (ss->code.compiled)
        return ss->code.compiled(strip, x, x_stride, dx, dx_stride, n);
    LiederJoined joined = ss->code.joined.run ? ss->code.joined : ss->plan.lean.joined;
    return joined.run(joined.code, strip, x, x_stride, dx, dx_stride, n);
}

/* at most as many lanes as the workspace holds, by one code */
static LiederStatus evaluate_whole(const Evaluation *e, size_t lane, size_t skip, size_t n,
                                   const double *x, size_t x_stride, double *dx, size_t dx_stride)
{
    const Program *p = &e->ss->plan.lean;
    LiederStrip strip = workspace_strip(e->ss, e->workspace, records_of(p, n), e->t);
    load_moment(e->ss, p, e->ss->plan.lean_ops, &strip, e->moment, lane, skip, n);
    return run_whole(e->ss, &strip, x, x_stride, dx, dx_stride, n);
}

/* any number of lanes that share a record and have no choices; short, because it may be a single
 * lane */
static LiederStatus evaluate_uniform(const SystemShape *ss, const Workspace *workspace, double t,
                                     const Moment *moment, size_t n, const double *x,
                                     size_t x_stride, double *dx, size_t dx_stride)
{
    LiederStrip strip = uniform_strip(ss, workspace, t);
    load_times(&strip, moment, 0);
    return run_whole(ss, &strip, x, x_stride, dx, dx_stride, n);
}

/* Prefetches the lanes that come next, row by row: the rows of a large fleet lie so far apart that
 * the processor does not do so by itself (262144 crabs 15.1 to 12.1 ns). Vectors that fit the
 * second-level cache need it not. Addresses beyond the end do no harm. */
static void prefetch_rows(const double *x, size_t stride, size_t nrow, size_t n)
{
    enum { LINE = 64 / sizeof(double), CACHED = 65536 };
    if (stride * nrow < CACHED)
        return;
    for (size_t i = 0; i < nrow; i++)
        for (size_t k = 0; k < n; k += LINE)
            __builtin_prefetch(x + i * stride + k);
}

LiederStatus evaluate_pieces(const Evaluation *e, Tier tier, size_t lane, size_t n, const double *x,
                             size_t x_stride, double *dx, size_t dx_stride, size_t *at)
{
    size_t width = workspace_width(e->ss);
    LiederStatus status = LIEDER_DONE;
    for (*at = 0; *at < n; *at += width) {
        size_t here = n - *at < width ? n - *at : width;
        if (n > width && e->ss->values.lanes_differ)
            strip_load(e->ss, e->workspace, lane + *at, here);
        if (tier == TIER_WHOLE) {
            status =
                evaluate_whole(e, lane + *at, *at, here, x + *at, x_stride, dx + *at, dx_stride);
        } else {
            prefetch_rows(x + *at + width, x_stride, e->ss->plan.lean.derivative_place.n, width);
            prefetch_rows(dx + *at + width, dx_stride, e->ss->plan.lean.derivative_place.n, width);
            status = evaluate_records(e, tier == TIER_PLAIN, lane + *at, *at, here, x + *at,
                                      x_stride, dx + *at, dx_stride);
        }
        if (status != LIEDER_DONE)
            break;
    }
    return status;
}

LiederStatus evaluate_alone(SystemShape *ss, const Workspace *w, double t, const Moment *moment,
                            size_t lane, const double *x, size_t x_stride, double *dx,
                            size_t dx_stride, uint32_t *culprit)
{
    double pivot;
    if (ss->plan.method == LIEDER_METHOD_NET)
        return net_evaluate(ss, w->net, t, moment, lane, x, x_stride, dx, dx_stride, culprit);
    LiederStatus status = try_one(ss, w, lane, t, moment, x, x_stride, false, culprit, &pivot);
    if (status != LIEDER_DONE)
        return status;
    LiederStrip strip = record_strip(ss, w, t);
    double not_finite =
        store_derivatives(&ss->plan.full, ss->plan.full_ops, &strip, dx, dx_stride, 1);
    return not_finite != 0 ? LIEDER_NOT_FINITE : LIEDER_DONE;
}

LiederStatus strip_evaluate(LiederSystem *system, SystemShape *ss, Workspace *workspace, double t,
                            const Moment *moment, size_t lane, size_t n, const double *x,
                            size_t x_stride, double *dx, size_t dx_stride)
{
    bool whole = has_whole(ss), uniform = whole && shape_uniform(ss);
    if (uniform &&
        evaluate_uniform(ss, workspace, t, moment, n, x, x_stride, dx, dx_stride) == LIEDER_DONE)
        return LIEDER_DONE;
    if (ss->plan.method != LIEDER_METHOD_TREE) {
        uint32_t culprit;
        return evaluate_alone(ss, workspace, t, moment, lane, x, x_stride, dx, dx_stride, &culprit);
    }
    Evaluation e = {system, ss, workspace, t, moment};
    size_t at;
    if (whole && !uniform &&
        evaluate_pieces(&e, TIER_WHOLE, lane, n, x, x_stride, dx, dx_stride, &at) == LIEDER_DONE)
        return LIEDER_DONE;
    /* one code finds that something is wrong, the kernels find what */
    return evaluate_pieces(&e, TIER_LISTS, lane, n, x, x_stride, dx, dx_stride, &at);
}

/* ------------------------------------------------------------------ crossings */

/* a real of the component of memory k into a vector of all memory */
static void store_memory(const SystemShape *ss, const Program *p, const LaneOps *ops,
                         const LiederStrip *strip, size_t k, int index, size_t lane, size_t n,
                         double *to)
{
    const CrossingRef *ref = &ss->held.memories.items[k];
    double fetched[GUEST_WIDTH];
    ops->store(strip, at_of(p, ref->component)[LIEDER_AT_SELF] + (uint32_t)index,
               ss->guest.room ? fetched : to + home_memory(ss, k, lane), n);
    for (size_t l = 0; l < n && ss->guest.room; l++)
        to[home_memory(ss, k, lane + l)] = fetched[l];
}

/* a variable of crossing k into a vector of all choices */
static void store_crossing(const SystemShape *ss, const LaneOps *ops, const LiederStrip *strip,
                           uint32_t place, size_t k, size_t lane, size_t n, double *to)
{
    double fetched[GUEST_WIDTH];
    ops->store(strip, place, ss->guest.room ? fetched : to + home_choice(ss, k, lane), n);
    for (size_t l = 0; l < n && ss->guest.room; l++)
        to[home_choice(ss, k, lane + l)] = fetched[l];
}

/* Solves for the readings that explicit blocks do not give: unknowns, and with `linear_crossings`
 * flows. A failure shows in the derivatives. */
static void solve_for_readings(SystemShape *ss, const Workspace *w, const LiederStrip *strip)
{
    const Program *p = &ss->plan.full;
    uint32_t culprit;
    if (ss->shape->general) {
        solve_record(ss, w, strip, &culprit);
    } else if (ss->held.linear_crossings) {
        ss->plan.full_ops->fill(strip, LIEDER_ALARM, 0.0);
        run_ops(&p->reduce, strip, p->at.items);
        run_ops(&p->solve, strip, p->at.items);
        for (size_t i = 0; i < p->complements.n; i++)
            ss->plan.full_ops->complement(strip, p, &p->complements.items[i]);
    }
    if (ss->held.linear_crossings)
        linear_pass(p, strip, true);
}

/* at most as many lanes as the workspace holds */
static void record_read(SystemShape *ss, Workspace *workspace, double t, const Moment *moment,
                        size_t lane, size_t skip, size_t n, const double *x, size_t stride,
                        const Readings *to)
{
    bool tree = ss->plan.method == LIEDER_METHOD_TREE && !ss->held.linear_crossings;
    const Program *p = tree ? &ss->plan.lean : &ss->plan.full;
    const LaneOps *ops = tree ? ss->plan.lean_ops : ss->plan.full_ops;
    LiederStrip strip =
        tree ? workspace_strip(ss, workspace, records_of(p, n), t) : record_strip(ss, workspace, t);
    if (!tree && ss->values.lanes_differ)
        load_lanes(ss, workspace, p, ops, &strip, lane, n);
    load_states(p, ops, &strip, x, stride, n);
    load_moment(ss, p, ops, &strip, moment, lane, skip, n);
    load_rest(ss, p, ops, &strip, moment, lane, n);
    run_ops(&p->explicit_, &strip, p->at.items);
    solve_for_readings(ss, workspace, &strip);
    for (size_t k = 0; k < ss->held.crossings.n; k++) {
        const CrossingRef *ref = &ss->held.crossings.items[k];
        uint32_t self = at_of(p, ref->component)[LIEDER_AT_SELF];
        if (to->values)
            store_crossing(ss, ops, &strip, self + (uint32_t)ref->member->index, k, lane, n,
                           to->values);
        if (to->choices)
            store_crossing(ss, ops, &strip, self + (uint32_t)ref->member->other, k, lane, n,
                           to->choices);
    }
    for (size_t k = ss->held.nmemory; k < ss->held.memories.n && to->requests; k++)
        if (ss->held.memories.items[k].member->kind == LIEDER_REQUEST)
            store_memory(ss, p, ops, &strip, k, ss->held.memories.items[k].member->index, lane, n,
                         to->requests);
    for (size_t k = 0; k < ss->held.nmemory && to->delayed && ss->held.nhistory; k++)
        for (int i = 0; i < 3 && ss->held.memories.items[k].member->kind == LIEDER_HISTORY; i++)
            store_memory(ss, p, ops, &strip, k, ss->held.memories.items[k].member->other + i, lane,
                         n, to->delayed + (size_t)i * to->nmemory);
    for (size_t k = 0; k < ss->held.nmemory && to->found && ss->held.nguess; k++)
        if (ss->held.memories.items[k].member->kind == LIEDER_GUESS)
            store_memory(ss, p, ops, &strip, k, ss->held.memories.items[k].member->other, lane, n,
                         to->found);
}

void strip_read(SystemShape *ss, Workspace *workspace, double t, const Moment *moment, size_t lane,
                size_t n, const double *x, size_t stride, Readings to)
{
    size_t width = ss->plan.method == LIEDER_METHOD_TREE && !ss->held.linear_crossings
                       ? workspace_width(ss)
                       : 1;
    for (size_t at = 0; at < n; at += width) {
        size_t here = n - at < width ? n - at : width;
        if (n > width)
            strip_load(ss, workspace, lane + at, here);
        record_read(ss, workspace, t, moment, lane + at, at, here, x + at, stride, &to);
    }
}

LiederStrip lane_explicit(LiederSystem *system, SystemShape *ss, size_t lane, double t,
                          const Moment *moment, const double *x)
{
    const Program *p = &ss->plan.full;
    LiederStrip strip = full_strip(ss, t);
    StripView v = strip_view(system, ss, lane, 1, x, NULL, system->stages);
    if (ss->values.lanes_differ)
        load_lanes(ss, ss->workspace, p, ss->plan.full_ops, &strip, lane, 1);
    load_states(p, ss->plan.full_ops, &strip, v.x, v.stride, 1);
    load_moment(ss, p, ss->plan.full_ops, &strip, moment, lane, 0, 1);
    load_rest(ss, p, ss->plan.full_ops, &strip, moment, lane, 1);
    run_ops(&p->explicit_, &strip, p->at.items);
    solve_for_readings(ss, ss->workspace, &strip);
    return strip;
}

/* ------------------------------------------------------------------ the whole system */

/* All lanes at once by one code, where possible. For one small mechanism each instruction on the
 * way to this code counts, so the strip is kept and only its times are written. */
static inline bool evaluate_directly(LiederSystem *system, SystemShape *ss, double t,
                                     const double *x, double *dx)
{
    size_t n = ss->shape->nlane;
    if (!has_whole(ss) || !shape_uniform(ss) || ss->guest.room || ss->shape->asleep || ss->away.n)
        return false;
    LiederStrip *strip = &ss->direct;
    strip->time = strip->event_time = t;
    strip->times = strip->event_times = NULL;
    load_times(strip, &system->moment, 0);
    return run_whole(ss, strip, x + ss->first_state, n, dx + ss->first_state, n, n) == LIEDER_DONE;
}

/* all lanes of a shape, strip by strip; a failure is explained by evaluating its strip again */
static __attribute__((noinline)) LiederStatus evaluate_strips(LiederSystem *system, SystemShape *ss,
                                                              double t, const double *x, double *dx)
{
    size_t n;
    rest_states(system, ss, dx);
    for (size_t lane = 0; lanes_next(ss, &lane, &n, ss->width); lane += n) {
        StripView v = strip_view(system, ss, lane, n, x, dx, system->stages);
        strip_load(ss, ss->workspace, lane, n);
        LiederStatus status = strip_evaluate(system, ss, ss->workspace, t, &system->moment, lane, n,
                                             v.x, v.stride, v.dx, v.stride);
        strip_return(ss, lane, n, &v, dx);
        if (status != LIEDER_DONE)
            return strip_explain(system, ss, ss->workspace, t, &system->moment, lane, n, v.x,
                                 v.stride, v.dx, v.stride, status);
    }
    return LIEDER_DONE;
}

static __attribute__((noinline)) LiederStatus evaluate_shapes(LiederSystem *system, double t,
                                                              const double *x, double *dx)
{
    LiederStatus status = held_enter(system, t, x);
    for (size_t i = 0; i < system->shapes.n && status == LIEDER_DONE; i++) {
        SystemShape *ss = &system->shapes.items[i];
        if (!evaluate_directly(system, ss, t, x, dx))
            status = evaluate_strips(system, ss, t, x, dx);
    }
    held_leave(system);
    return status;
}

LiederStatus lieder_system_derivatives(LiederSystem *system, double t, const double *x, double *dx)
{
    if (system->shapes.n == 1 && evaluate_directly(system, system->shapes.items, t, x, dx))
        return LIEDER_DONE;
    return evaluate_shapes(system, t, x, dx);
}
