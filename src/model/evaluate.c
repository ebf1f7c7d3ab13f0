/* evaluate.c - numbers through a program: strips of lanes for derivatives, one lane in full for
 * observers. Nothing here allocates after workspace_prepare. */
#include "model/system.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ small helpers */

static void run(const OpList *list, const LiederStrip *strip, const uint32_t *at)
{
    for (size_t i = 0; i < list->n; i++) {
        const Op *op = &list->items[i];
        op->kernel(strip, at + op->at, op->add);
    }
}

char *lane_path(const LiederSystem *system, const SystemShape *ss, uint32_t component, size_t lane,
                char *buffer, size_t size)
{
    for (size_t b = 0; b < ss->shape->batches.n; b++) {
        const Batch *batch = &ss->shape->batches.items[b];
        if (lane - batch->first_lane < batch->nlane)
            return flat_path(&system->flat, batch->sheet, batch->instances[component],
                             lane - batch->first_lane, buffer, size);
    }
    return strcpy(buffer, "?");
}

static const SlotValue *slot_value(const SystemShape *ss, const ParameterPlace *p)
{
    return &ss->slots.items[ss->slot_first.items[p->component] + p->slot];
}

static LiederStrip strip_of(void *base, const Program *p, int nvec, double t)
{
    return (LiederStrip){.base = base, .record = p->nreal, .nvec = nvec,
                         .call = {.time = t, .decided = t, .dir = 1, .one = 1}};
}

LiederStrip full_strip(const SystemShape *ss, double t)
{
    return strip_of(ss->record, &ss->full, 1, t);
}

/* pivot limits into the save areas */
static void fill_limits(SystemShape *ss, const Program *p, const LaneOps *ops, const LiederStrip *strip)
{
    size_t at = 0;
    for (size_t q = 0; q < ss->shape->links.n; q++) {
        uint32_t i = ss->shape->links.items[q];
        const LiederKernels *k = kernels_of(p, &ss->shape->components.items[i]);
        for (int u = 0; u < k->nunknown; u++)
            ops->fill(strip, at_of(p, i)[LIEDER_AT_SAVE] + (uint32_t)(k->save_limit + u),
                      at < ss->limit.n ? ss->limit.items[at++] : 0.0);
    }
}

/* parameters that all lanes share, tables, and what follows from them */
static void fill_constants(SystemShape *ss, const Program *p, const LaneOps *ops, LiederStrip *strip)
{
    size_t table = 0;
    for (size_t i = 0; i < p->parameters.n; i++) {
        const ParameterPlace *pp = &p->parameters.items[i];
        const LiederMember *m = ss->shape->components.items[pp->component].class_->slots[pp->slot].member;
        if (m && m->kind == LIEDER_PARAMETER && m->length == 0)
            continue;
        const SlotValue *v = slot_value(ss, pp);
        ops->fill(strip, pp->place, v->lanes ? v->lanes[0] : v->value);
    }
    /* tables stand in the order of components */
    for (uint32_t i = 0; i < ss->shape->components.n; i++) {
        const LiederClass *class_ = ss->shape->components.items[i].class_;
        for (int s = 0; s < class_->nslot; s++) {
            const LiederMember *m = class_->slots[s].member;
            if (!m || m->kind != LIEDER_PARAMETER || m->length != 0)
                continue;
            const LiederTable *t = ss->shape->tables.items[table++];
            for (int v = 0; v < strip->nvec; v++)
                memcpy((double *)strip->base + ((size_t)v * strip->record + at_of(p, i)[LIEDER_AT_SELF] +
                                                (size_t)m->index) * (size_t)p->lanes,
                       &t, sizeof t);
        }
    }
    fill_limits(ss, p, ops, strip);
    run(&p->constant, strip, p->at.items);
}

/* parameters of the lanes at hand */
static void load_lanes(SystemShape *ss, const Program *p, const LaneOps *ops, LiederStrip *strip,
                       size_t lane, size_t n)
{
    for (size_t i = 0; i < p->parameters.n; i++) {
        const SlotValue *v = slot_value(ss, &p->parameters.items[i]);
        if (v->lanes)
            ops->load(strip, p->parameters.items[i].place, v->lanes + lane, n);
    }
    run(&p->constant, strip, p->at.items);
}

static void load_states(SystemShape *ss, const Program *p, const LaneOps *ops,
                        const LiederStrip *strip, const double *x, size_t lane, size_t n)
{
    for (size_t s = 0; s < ss->shape->states.n; s++) {
        const StateRef *ref = &ss->shape->states.items[s];
        ops->load(strip, at_of(p, ref->component)[LIEDER_AT_SELF] + (uint32_t)ref->member->index,
                  x + ss->first_state + s * ss->shape->nlane + lane, n);
    }
}

/* ------------------------------------------------------------------ workspaces */

LiederStatus workspace_prepare(SystemShape *ss, const LiederAllocator *alloc)
{
    ss->workspace_bytes = (size_t)ss->strip * ss->lean.nreal * (size_t)ss->lean.lanes * sizeof(double);
    ss->record_bytes = (size_t)ss->full.nreal * (size_t)ss->full.lanes * sizeof(double);
    ss->workspace = memory_aligned(alloc, ss->workspace_bytes);
    ss->record = memory_aligned(alloc, ss->record_bytes);
    if (!ss->workspace || !ss->record)
        return LIEDER_NO_MEMORY;
    workspace_refill(ss);
    return LIEDER_DONE;
}

void workspace_refill(SystemShape *ss)
{
    LiederStrip strip = strip_of(ss->workspace, &ss->lean, ss->strip, 0);
    fill_constants(ss, &ss->lean, ss->lean_ops, &strip);
    strip = full_strip(ss, 0);
    fill_constants(ss, &ss->full, ss->full_ops, &strip);
}

/* ------------------------------------------------------------------ one lane in full */

/* flows at the outgoing ports of a component: minus what the others at the node take */
static void gather_flows(const Program *p, const LiederStrip *strip, uint32_t component)
{
    double *rec = strip->base;
    size_t lanes = (size_t)p->lanes;
    const Component *c = &p->shape->components.items[component];
    for (int port = 0; port < c->class_->def->nport; port++) {
        const Node *node = &p->shape->nodes.items[c->node[port]];
        int n = node->domain->nflow * node->domain->nregime;
        if (n == 0 || port_incoming(c, port) || node->driver != (int)component || node->driver_port != port)
            continue;
        double *to = rec + at_of(p, component)[LIEDER_AT_PORT + LIEDER_PER_PORT * port + LIEDER_FLOWS] * lanes;
        memset(to, 0, (size_t)n * lanes * sizeof *to);
        for (uint32_t t = node->first_taker; t < node->first_taker + node->ntaker; t++) {
            const Taker *taker = &p->shape->takers.items[t];
            if (taker->component == component && taker->port == port)
                continue;
            const double *from = rec + at_of(p, taker->component)[LIEDER_AT_PORT + LIEDER_PER_PORT * taker->port + LIEDER_FLOWS] * lanes;
            for (size_t i = 0; i < (size_t)n * lanes; i++)
                to[i] -= from[i];
        }
    }
}

void linear_pass(const Program *p, const LiederStrip *strip, bool flows)
{
    run(&p->outward, strip, p->at.items);
    if (!flows)
        return;
    for (size_t i = 0; i < p->inward.n; i++) {
        const Op *op = &p->inward.items[i];
        if (p->shape->components.items[op->component].link)
            gather_flows(p, strip, op->component);
        op->kernel(strip, p->at.items + op->at, op->add);
    }
    for (uint32_t i = 0; i < p->shape->components.n; i++)
        if (p->shape->components.items[i].root)
            gather_flows(p, strip, i);
}

/* the link whose pivot is too small, and the pivot */
static bool find_small_pivot(SystemShape *ss, const Program *p, const LiederStrip *strip, int lane,
                             uint32_t *component, double *pivot)
{
    for (size_t q = ss->shape->links.n; q-- > 0;) {
        uint32_t i = ss->shape->links.items[q];
        const LiederKernels *k = kernels_of(p, &ss->shape->components.items[i]);
        if (ss->shape->components.items[i].group < 0)
            continue;
        for (int u = 0; u < k->nunknown; u++) {
            const double *save = (const double *)strip->base + (size_t)at_of(p, i)[LIEDER_AT_SAVE] * (size_t)p->lanes + lane;
            double value = save[(k->save_pivot + u) * p->lanes], limit = save[(k->save_limit + u) * p->lanes];
            if (!(fabs(value) > limit)) {
                *component = i;
                *pivot = value;
                return true;
            }
        }
    }
    return false;
}

static LiederStatus report_singular(LiederSystem *system, SystemShape *ss, uint32_t component,
                                    size_t lane, double pivot, double t)
{
    char path[512];
    diag_error(&system->session->diag, NULL, lane_path(system, ss, component, lane, path, sizeof path),
               "the linear group is singular or badly scaled here at t = %g (pivot %g)\nis there "
               "inertia outboard along this degree of freedom?", t, pivot);
    return LIEDER_SINGULAR;
}

LiederStatus evaluate_lane(LiederSystem *system, SystemShape *ss, size_t lane, double t,
                           const double *x, bool flows)
{
    const Program *p = &ss->full;
    LiederStrip strip = full_strip(ss, t);
    uint32_t culprit = 0;
    double pivot = 0;
    if (ss->lanes_differ)
        load_lanes(ss, p, ss->full_ops, &strip, lane, 1);
    load_states(ss, p, ss->full_ops, &strip, x, lane, 1);
    run(&p->explicit_, &strip, p->at.items);
    if (ss->method == LIEDER_METHOD_TREE) {
        ss->full_ops->fill(&strip, LIEDER_ALARM, 0.0);
        run(&p->reduce, &strip, p->at.items);
        if (*(double *)strip.base != 0) {
            find_small_pivot(ss, p, &strip, 0, &culprit, &pivot);
            return report_singular(system, ss, culprit, lane, pivot, t);
        }
        run(&p->solve, &strip, p->at.items);
        for (size_t i = 0; i < p->complements.n; i++)
            ss->full_ops->complement(&strip, p, &p->complements.items[i]);
    } else if (!(ss->method == LIEDER_METHOD_PROBE ? probe_solve : sparse_solve)(ss, &strip, &culprit)) {
        return report_singular(system, ss, culprit, lane, 0.0, t);
    }
    if (flows || ss->method != LIEDER_METHOD_TREE)
        linear_pass(p, &strip, flows);
    return LIEDER_DONE;
}

/* ------------------------------------------------------------------ derivatives */

static LiederStatus report_not_finite(LiederSystem *system, SystemShape *ss, double t,
                                      const double *dx)
{
    char path[512];
    for (size_t s = 0; s < ss->shape->states.n; s++)
        for (size_t lane = 0; lane < ss->shape->nlane; lane++) {
            double d = dx[ss->first_state + s * ss->shape->nlane + lane];
            if (isfinite(d))
                continue;
            const StateRef *ref = &ss->shape->states.items[s];
            diag_error(&system->session->diag, NULL,
                       lane_path(system, ss, ref->component, lane, path, sizeof path),
                       "the derivative of %s is %g at t = %g", ref->member->name, d, t);
            return LIEDER_NOT_FINITE;
        }
    return LIEDER_NOT_FINITE;
}

/* one strip: n lanes from `lane` on. Positive: some lane had a pivot that is too small */
static int evaluate_strip(SystemShape *ss, double t, const double *x, double *dx, size_t lane,
                          size_t n, double *not_finite)
{
    const Program *p = &ss->lean;
    LiederStrip strip = strip_of(ss->workspace, p, (int)((n + (size_t)p->lanes - 1) / (size_t)p->lanes), t);
    if (ss->lanes_differ)
        load_lanes(ss, p, ss->lean_ops, &strip, lane, n);
    load_states(ss, p, ss->lean_ops, &strip, x, lane, n);
    run(&p->explicit_, &strip, p->at.items);
    run(&p->reduce, &strip, p->at.items);
    run(&p->solve, &strip, p->at.items);
    for (size_t i = 0; i < p->complements.n; i++)
        ss->lean_ops->complement(&strip, p, &p->complements.items[i]);
    int small = 0;
    for (int v = 0; v < strip.nvec; v++) {
        double *alarm = (double *)strip.base + (size_t)v * p->nreal * (size_t)p->lanes;
        for (int l = 0; l < p->lanes; l++)
            small |= alarm[l] != 0;
    }
    for (size_t s = 0; s < ss->shape->states.n; s++) {
        const StateRef *ref = &ss->shape->states.items[s];
        *not_finite += ss->lean_ops->store(
            &strip, at_of(p, ref->component)[LIEDER_AT_SELF] + (uint32_t)ref->member->other,
            dx + ss->first_state + s * ss->shape->nlane + lane, n);
    }
    return small;
}

/* names the joint in the strip that was evaluated last */
static LiederStatus name_small_pivot(LiederSystem *system, SystemShape *ss, size_t lane, size_t n,
                                     double t)
{
    const Program *p = &ss->lean;
    LiederStatus status = LIEDER_SINGULAR;
    for (size_t l = 0; l < n; l++) {
        LiederStrip strip = strip_of((double *)ss->workspace + l / (size_t)p->lanes * p->nreal * (size_t)p->lanes, p, 1, t);
        uint32_t component;
        double pivot;
        if (find_small_pivot(ss, p, &strip, (int)(l % (size_t)p->lanes), &component, &pivot)) {
            status = report_singular(system, ss, component, lane + l, pivot, t);
            break;
        }
    }
    LiederStrip all = strip_of(ss->workspace, p, ss->strip, t);
    ss->lean_ops->fill(&all, LIEDER_ALARM, 0.0);
    return status;
}

static LiederStatus derivatives_by_lane(LiederSystem *system, SystemShape *ss, double t,
                                        const double *x, double *dx)
{
    double not_finite = 0;
    for (size_t lane = 0; lane < ss->shape->nlane; lane++) {
        LiederStatus status = evaluate_lane(system, ss, lane, t, x, false);
        if (status != LIEDER_DONE)
            return status;
        LiederStrip strip = full_strip(ss, t);
        for (size_t s = 0; s < ss->shape->states.n; s++) {
            const StateRef *ref = &ss->shape->states.items[s];
            not_finite += ss->full_ops->store(
                &strip, at_of(&ss->full, ref->component)[LIEDER_AT_SELF] + (uint32_t)ref->member->other,
                dx + ss->first_state + s * ss->shape->nlane + lane, 1);
        }
    }
    return not_finite != 0 ? report_not_finite(system, ss, t, dx) : LIEDER_DONE;
}

LiederStatus lieder_system_derivatives(LiederSystem *system, double t, const double *x, double *dx)
{
    for (size_t i = 0; i < system->shapes.n; i++) {
        SystemShape *ss = &system->shapes.items[i];
        if (ss->method != LIEDER_METHOD_TREE) {
            LiederStatus status = derivatives_by_lane(system, ss, t, x, dx);
            if (status != LIEDER_DONE)
                return status;
            continue;
        }
        size_t width = (size_t)(ss->strip * ss->lean.lanes);
        double not_finite = 0;
        for (size_t lane = 0; lane < ss->shape->nlane; lane += width) {
            size_t n = ss->shape->nlane - lane < width ? ss->shape->nlane - lane : width;
            if (evaluate_strip(ss, t, x, dx, lane, n, &not_finite))
                return name_small_pivot(system, ss, lane, n, t);
        }
        if (not_finite != 0)
            return report_not_finite(system, ss, t, dx);
    }
    return LIEDER_DONE;
}

/* ------------------------------------------------------------------ start */

LiederStatus find_start(LiederSystem *system, SystemShape *ss, double *x)
{
    (void)system;
    bool late = false;
    size_t nlane = ss->shape->nlane;
    for (size_t s = 0; s < ss->shape->states.n; s++) {
        const StateRef *ref = &ss->shape->states.items[s];
        const SlotValue *v = &ss->slots.items[ss->slot_first.items[ref->component] + ref->slot];
        for (size_t l = 0; l < nlane; l++) {
            double start = v->lanes ? v->lanes[l] : v->value;
            late |= isnan(start);
            x[ss->first_state + s * nlane + l] = start;
        }
    }
    if (!late)
        return LIEDER_DONE;
    /* start blocks see the signals that the other states decide */
    const Program *p = &ss->full;
    for (size_t l = 0; l < nlane; l++) {
        LiederStrip strip = full_strip(ss, 0);
        if (ss->lanes_differ)
            load_lanes(ss, p, ss->full_ops, &strip, l, 1);
        load_states(ss, p, ss->full_ops, &strip, x, l, 1);
        run(&p->explicit_, &strip, p->at.items);
        for (size_t q = 0; q < ss->shape->order.n; q++) {
            uint32_t i = ss->shape->order.items[q];
            const LiederKernels *k = kernels_of(p, &ss->shape->components.items[i]);
            if (k->start)
                k->start(&strip, at_of(p, i), 0);
        }
        for (size_t s = 0; s < ss->shape->states.n; s++) {
            const StateRef *ref = &ss->shape->states.items[s];
            double *to = &x[ss->first_state + s * nlane + l];
            if (isnan(*to))
                ss->full_ops->store(&strip, at_of(p, ref->component)[LIEDER_AT_SELF] + (uint32_t)ref->member->index, to, 1);
        }
    }
    return LIEDER_DONE;
}

/* largest entry of the laws that a link hands on, as a measure for its pivots */
static double law_scale(const SystemShape *ss, uint32_t component)
{
    const Program *p = &ss->full;
    const Component *c = &ss->shape->components.items[component];
    double scale = 0;
    for (int port = 0; port < c->class_->def->nport; port++) {
        const LiederDomain *d = c->class_->def->ports[port].domain;
        if (d->npotential == 0 || port_incoming(c, port))
            continue;
        const double *law = (const double *)ss->record + (size_t)at_of(p, component)[LIEDER_AT_PORT + LIEDER_PER_PORT * port + LIEDER_LAW] * (size_t)p->lanes;
        for (int i = 0; i < d->npotential * d->nflow; i++)
            if (d->inertial >> (i / d->nflow) & 1)
                scale = fmax(scale, fabs(law[i * p->lanes]));
    }
    return scale;
}

LiederStatus check_pivots(LiederSystem *system, SystemShape *ss)
{
    const Program *p = &ss->full;
    char path[512];
    LiederStatus status = LIEDER_DONE;
    LiederStrip strip = full_strip(ss, 0);
    double *x = memory_zeroed(SYSTEM_ALLOC(system), system->nstate * sizeof(double));
    if (!x)
        return LIEDER_NO_MEMORY;
    find_start(system, ss, x);
    if (ss->lanes_differ)
        load_lanes(ss, p, ss->full_ops, &strip, 0, 1);
    load_states(ss, p, ss->full_ops, &strip, x, 0, 1);
    memory_free(SYSTEM_ALLOC(system), x, system->nstate * sizeof(double));
    run(&p->explicit_, &strip, p->at.items);
    run(&p->reduce, &strip, p->at.items);
    ss->limit.n = 0;
    for (size_t q = 0; q < ss->shape->links.n; q++) {
        uint32_t i = ss->shape->links.items[q];
        const Component *c = &ss->shape->components.items[i];
        const LiederKernels *k = kernels_of(p, c);
        bool reported = false;
        for (int u = 0; u < k->nunknown; u++) {
            const double *save = (const double *)strip.base + (size_t)at_of(p, i)[LIEDER_AT_SAVE] * (size_t)p->lanes;
            double pivot = save[(k->save_pivot + u) * p->lanes];
            if (!(fabs(pivot) > 1e-14 * law_scale(ss, i)) && !reported) {
                reported = true;
                diag_error(&system->session->diag, NULL, lane_path(system, ss, i, 0, path, sizeof path),
                           "no inertia moves with this joint (pivot %g)\nconnect a Body or an "
                           "Inertia outboard, or give the one that is there a mass", pivot);
                status = LIEDER_BAD_MODEL;
            }
            if (!vec_push(SYSTEM_ALLOC(system), &ss->limit, 1e-12 * fabs(pivot)))
                return LIEDER_NO_MEMORY;
        }
    }
    ss->full_ops->fill(&strip, LIEDER_ALARM, 0.0);
    return status;
}
