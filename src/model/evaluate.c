/* evaluate.c - numbers through a program: strips of lanes for derivatives, one lane in full for
 * observers. Nothing here allocates after workspace_prepare.
 *
 * Networks are evaluated lane by lane in the full record. Components that iterate are asked after
 * each solve whether they are content; if not, they have changed what their linear blocks are made
 * of, and the group is solved again. Choices start from one side in every evaluation and are
 * all changed at once at first. That may go round in circles, so later only the first component
 * with a wrong choice changes it, and only when what is smooth has settled: the least-index rule of
 * Murty, which ends for every complementarity problem of a P-matrix, and such is a network of
 * ideal diodes. */
#include "model/system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ small helpers */

static void run(const OpList *list, const LiederStrip *strip, const uint32_t *at)
{
    for (size_t i = 0; i < list->n; i++) {
        const Op *op = &list->items[i];
        lieder_run(op->code, strip, at + op->at, op->add);
    }
}

char *lane_path(const LiederSystem *system, const SystemShape *ss, uint32_t component, size_t lane,
                char *buffer, size_t size)
{
    Element e = element_at(system, ss, component, lane);
    return flat_path(&system->flat, e.sheet, e.instance, e.lane, buffer, size);
}

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

/* `room` records and their scratch area */
static size_t strip_bytes(const Program *p, int room)
{
    return (size_t)room * ((size_t)p->nreal + p->nscratch) * (size_t)p->lanes * sizeof(double);
}

LiederStrip full_strip(const SystemShape *ss, double t)
{
    return strip_of(ss->record, &ss->full, 1, 1, t);
}

LiederStrip workspace_strip(const SystemShape *ss, void *workspace, int nvec, double t)
{
    return strip_of(workspace, &ss->lean, ss->strip, nvec, t);
}

/* pivot limits into the save areas */
static void fill_limits(SystemShape *ss, const Program *p, const LaneOps *ops,
                        const LiederStrip *strip)
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
static void fill_constants(SystemShape *ss, const Program *p, const LaneOps *ops,
                           LiederStrip *strip)
{
    size_t table = 0;
    for (size_t i = 0; i < p->parameters.n; i++) {
        const ParameterPlace *pp = &p->parameters.items[i];
        const LiederMember *m =
            ss->shape->components.items[pp->component].class_->slots[pp->slot].member;
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
                memcpy((double *)strip->base + ((size_t)v * strip->record +
                                                at_of(p, i)[LIEDER_AT_SELF] + (size_t)m->index) *
                                                   (size_t)p->lanes,
                       &t, sizeof t);
        }
    }
    fill_limits(ss, p, ops, strip);
    run(&p->constant, strip, p->at.items);
}

/* parameters of the lanes at hand, and what follows from them; all else is there already */
static void load_lanes(SystemShape *ss, const Program *p, const LaneOps *ops, LiederStrip *strip,
                       size_t lane, size_t n)
{
    for (size_t i = 0; i < p->lane_parameters.n; i++) {
        const ParameterPlace *pp = &p->lane_parameters.items[i];
        ops->load(strip, pp->place, slot_value(ss, pp)->lanes + lane, n);
    }
    run(&p->lane_constant, strip, p->at.items);
}

/* ------------------------------------------------------------------ what lanes do not share */

/* Components whose constants differ between lanes: they have such a parameter, or what drives one
 * of their ports is of that kind. Drivers stand first in the order as far as constants go. */
static void mark_lanes(const SystemShape *ss, const Program *p, uint8_t *differs)
{
    const Shape *shape = ss->shape;
    for (size_t i = 0; i < p->parameters.n; i++)
        if (slot_value(ss, &p->parameters.items[i])->lanes)
            differs[p->parameters.items[i].component] = 1;
    bool changed = true; /* once, unless blocks of one component stand apart */
    while (changed) {
        changed = false;
        for (size_t q = 0; q < shape->order.n; q++) {
            uint32_t i = shape->order.items[q].component;
            const Component *c = &shape->components.items[i];
            for (int port = 0; port < c->class_->def->nport; port++) {
                int driver = shape->nodes.items[c->node[port]].driver;
                if (driver < 0 || !port_incoming(c, port) || !differs[driver] || differs[i])
                    continue;
                differs[i] = 1;
                changed |= c->class_->facts.nunit > 1;
            }
        }
    }
}

static bool make_room(const SystemShape *ss, Program *p, const uint8_t *differs,
                      const LiederAllocator *alloc)
{
    size_t nparameter = 0, nconstant = 0;
    for (size_t i = 0; i < p->parameters.n; i++)
        nparameter += slot_value(ss, &p->parameters.items[i])->lanes != NULL;
    for (size_t i = 0; i < p->constant.n; i++)
        nconstant += differs[p->constant.items[i].component];
    return vec_reserve(alloc, &p->lane_parameters, nparameter) &&
           vec_reserve(alloc, &p->lane_constant, nconstant);
}

static void list_program(const SystemShape *ss, Program *p, const uint8_t *differs)
{
    p->lane_parameters.n = p->lane_constant.n = 0;
    for (size_t i = 0; i < p->parameters.n; i++)
        if (slot_value(ss, &p->parameters.items[i])->lanes)
            p->lane_parameters.items[p->lane_parameters.n++] = p->parameters.items[i];
    for (size_t i = 0; i < p->constant.n; i++)
        if (differs[p->constant.items[i].component])
            p->lane_constant.items[p->lane_constant.n++] = p->constant.items[i];
}

LiederStatus list_lanes(SystemShape *ss, const LiederAllocator *alloc)
{
    uint8_t few[256] = {0}; /* parts of nets are loaded again in the middle of evaluations */
    size_t n = ss->shape->components.n;
    uint8_t *differs = n <= sizeof few ? few : memory_zeroed(alloc, n);
    if (!differs)
        return LIEDER_NO_MEMORY;
    mark_lanes(ss, ss->lean.shape ? &ss->lean : &ss->full, differs);
    bool ok = make_room(ss, &ss->lean, differs, alloc) && make_room(ss, &ss->full, differs, alloc);
    if (ok) {
        list_program(ss, &ss->lean, differs);
        list_program(ss, &ss->full, differs);
    }
    if (differs != few)
        memory_free(alloc, differs, n);
    return ok ? LIEDER_DONE : LIEDER_NO_MEMORY;
}

/* x: state s of the l-th lane at hand is x[s * stride + l] */
static void load_states(const Program *p, const LaneOps *ops, const LiederStrip *strip,
                        const double *x, size_t stride, size_t n)
{
    ops->load_all(strip, p->state_place.items, p->state_place.n, x, stride, n);
}

/* times as the moment has them, from lane `skip` of the strip on */
static void load_times(LiederStrip *strip, const Moment *moment, size_t skip)
{
    if (!isnan(moment->event_time))
        strip->event_time = moment->event_time;
    if (!moment->times)
        return;
    strip->times = moment->times + skip;
    strip->event_times = (moment->event_times ? moment->event_times : moment->times) + skip;
}

/* numbers first ... end - 1 of what lanes remember */
static void load_memory(const SystemShape *ss, const Program *p, const LaneOps *ops,
                        const LiederStrip *strip, const Moment *moment, size_t lane, size_t n,
                        size_t first, size_t end)
{
    const double *memory = moment->memory ? moment->memory : ss->own_memory;
    for (size_t k = first; k < end; k++) {
        const CrossingRef *ref = &ss->memories.items[k];
        double fetched[GUEST_WIDTH];
        for (size_t l = 0; l < n && ss->room; l++)
            fetched[l] = memory[home_memory(ss, k, lane + l)];
        ops->load(strip, at_of(p, ref->component)[LIEDER_AT_SELF] + (uint32_t)ref->member->index,
                  ss->room ? fetched : memory + home_memory(ss, k, lane), n);
    }
}

/* timers as they are, and no requests: before blocks that may set them are looked at */
static void load_rest(const SystemShape *ss, const Program *p, const LaneOps *ops,
                      const LiederStrip *strip, const Moment *moment, size_t lane, size_t n)
{
    for (size_t k = ss->nmemory; k < ss->memories.n; k++) {
        const CrossingRef *ref = &ss->memories.items[k];
        if (ref->member->kind == LIEDER_TIMER)
            load_memory(ss, p, ops, strip, moment, lane, n, k, k + 1);
        else
            ops->fill(strip,
                      at_of(p, ref->component)[LIEDER_AT_SELF] + (uint32_t)ref->member->index, 0.0);
    }
}

/* times, memory and choices as the moment has them; `lane` is lane `skip` of the strip that it is
 * for */
static void load_moment(SystemShape *ss, const Program *p, const LaneOps *ops, LiederStrip *strip,
                        const Moment *moment, size_t lane, size_t skip, size_t n)
{
    load_times(strip, moment, skip);
    strip->initial = moment->initial;
    strip->terminal = moment->terminal;
    if (ss->nmemory)
        load_memory(ss, p, ops, strip, moment, lane, n, 0, ss->nmemory);
    if (!moment->choices)
        return;
    strip->hold = !moment->decides;
    for (size_t k = 0; k < ss->crossings.n; k++) {
        const CrossingRef *ref = &ss->crossings.items[k];
        if (moment->decides && ref->member->crossing != LIEDER_HELD)
            continue;
        double fetched[GUEST_WIDTH];
        const double *from = fetched;
        if (!ss->room)
            from = moment->choices + home_choice(ss, k, lane);
        for (size_t l = 0; l < n && ss->room; l++)
            fetched[l] = moment->choices[home_choice(ss, k, lane + l)];
        ops->load(strip, at_of(p, ref->component)[LIEDER_AT_SELF] + (uint32_t)ref->member->other,
                  from, n);
    }
}

/* ------------------------------------------------------------------ workspaces */

LiederStatus workspace_prepare(SystemShape *ss, const LiederAllocator *alloc)
{
    ss->workspace_bytes = strip_bytes(&ss->lean, ss->strip);
    ss->workspace = memory_aligned(alloc, ss->workspace_bytes);
    if (!ss->workspace || list_lanes(ss, alloc) != LIEDER_DONE)
        return LIEDER_NO_MEMORY;
    ss->direct = workspace_strip(ss, ss->workspace, 1, 0);
    workspace_refill(ss);
    return LIEDER_DONE;
}

LiederStatus full_prepare(LiederSystem *system, SystemShape *ss)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    if (ss->record)
        return LIEDER_DONE;
    LiederIsa isa = shape_isa(ss->shape, system->options.isa, 1);
    LiederStatus status =
        program_build(&ss->full, ss->shape, isa, true, ss->method == LIEDER_METHOD_TREE, alloc);
    if (status != LIEDER_DONE)
        return status;
    ss->full_ops = lane_ops_of(isa);
    ss->record_bytes = strip_bytes(&ss->full, 1);
    ss->record = memory_aligned(alloc, ss->record_bytes);
    if (!ss->record || list_lanes(ss, alloc) != LIEDER_DONE) {
        program_drop(&ss->full);
        memory_free_aligned(alloc, ss->record, ss->record_bytes);
        ss->record = NULL;
        return LIEDER_NO_MEMORY;
    }
    workspace_refill(ss);
    return LIEDER_DONE;
}

/* code that takes numbers for granted which are others now */
static void forget_unknown(SystemShape *ss)
{
    if (shape_compiled(ss) && !known_hold(ss, &ss->known))
        forget_compiled(ss);
    if (ss->joined.run && !known_hold(ss, &ss->joined_known))
        program_unjoin(&ss->lean, &ss->joined);
}

void workspace_refill(SystemShape *ss)
{
    net_refill(ss);
    if (ss->workspace)
        strip_fill(ss, ss->workspace);
    forget_unknown(ss);
    if (!ss->record)
        return;
    LiederStrip strip = full_strip(ss, 0);
    fill_constants(ss, &ss->full, ss->full_ops, &strip);
}

/* components whose constant blocks depend on one number; more than fit: all is filled again */
enum { MAX_DEPENDENT = 64 };
typedef struct Dependents {
    uint32_t items[MAX_DEPENDENT];
    size_t n;
    bool all;
} Dependents;

static bool is_dependent(const Dependents *d, uint32_t component)
{
    size_t i = 0;
    while (i < d->n && d->items[i] != component)
        i++;
    return i < d->n;
}

/* a component, and what it drives as far as that is constant */
static void add_dependents(const Shape *shape, uint32_t component, Dependents *d)
{
    const Component *c = &shape->components.items[component];
    if (d->all || is_dependent(d, component))
        return;
    if (d->n == MAX_DEPENDENT) {
        d->all = true;
        return;
    }
    d->items[d->n++] = component;
    for (int port = 0; c->constant && port < c->class_->def->nport; port++) {
        const Node *node = &shape->nodes.items[c->node[port]];
        if (node->driver != (int)component || node->driver_port != port)
            continue;
        for (uint32_t t = 0; t < node->ntaker; t++)
            add_dependents(shape, shape->takers.items[node->first_taker + t].component, d);
    }
}

/* where a number stands in the record; NOWHERE for a start value or an input that is driven */
static uint32_t number_place(const Program *p, uint32_t component, uint32_t slot)
{
    const Component *c = &p->shape->components.items[component];
    const Slot *s = &c->class_->slots[slot];
    if (s->member)
        return member_has_start(s->member)
                   ? NOWHERE
                   : at_of(p, component)[LIEDER_AT_SELF] + (uint32_t)s->index;
    uint32_t node = c->node[s->port];
    return p->shape->nodes.items[node].driver >= 0 ? NOWHERE : p->signal_of.items[node];
}

/* one number into the record of a program, and the constant blocks that depend on it */
static void update_program(SystemShape *ss, const Program *p, const LaneOps *ops,
                           LiederStrip *strip, uint32_t component, uint32_t slot,
                           const Dependents *d)
{
    uint32_t place = number_place(p, component, slot);
    if (place == NOWHERE)
        return;
    const SlotValue *v = &ss->slots.items[ss->slot_first.items[component] + slot];
    ops->fill(strip, place, v->lanes ? v->lanes[0] : v->value);
    for (size_t i = 0; i < p->constant.n && d->n; i++) {
        const Op *op = &p->constant.items[i];
        if (is_dependent(d, op->component))
            lieder_run(op->code, strip, p->at.items + op->at, op->add);
    }
}

void workspace_update(SystemShape *ss, uint32_t component, uint32_t slot)
{
    Dependents d = {0};
    /* an open input is no constant: what reads it runs in every evaluation */
    if (ss->shape->components.items[component].class_->slots[slot].member)
        add_dependents(ss->shape, component, &d);
    if (d.all || ss->method == LIEDER_METHOD_NET) {
        workspace_refill(ss);
        return;
    }
    if (ss->workspace) {
        LiederStrip strip = strip_of(ss->workspace, &ss->lean, ss->strip, ss->strip, 0);
        update_program(ss, &ss->lean, ss->lean_ops, &strip, component, slot, &d);
    }
    if (ss->record) {
        LiederStrip strip = full_strip(ss, 0);
        update_program(ss, &ss->full, ss->full_ops, &strip, component, slot, &d);
    }
    forget_unknown(ss);
}

void strip_fill(SystemShape *ss, void *workspace)
{
    if (ss->method == LIEDER_METHOD_NET)
        return;
    LiederStrip strip = workspace_strip(ss, workspace, ss->strip, 0);
    ss->lean_ops->fill(&strip, LIEDER_ALARM, 0.0);
    fill_constants(ss, &ss->lean, ss->lean_ops, &strip);
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
        if (n == 0 || port_incoming(c, port) || node->driver != (int)component ||
            node->driver_port != port)
            continue;
        double *to =
            rec +
            at_of(p, component)[LIEDER_AT_PORT + LIEDER_PER_PORT * port + LIEDER_FLOWS] * lanes;
        memset(to, 0, (size_t)n * lanes * sizeof *to);
        for (uint32_t t = node->first_taker; t < node->first_taker + node->ntaker; t++) {
            const Taker *taker = &p->shape->takers.items[t];
            if (taker->component == component && taker->port == port)
                continue;
            const double *from =
                rec + at_of(p, taker->component)[LIEDER_AT_PORT + LIEDER_PER_PORT * taker->port +
                                                 LIEDER_FLOWS] *
                          lanes;
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
        lieder_run(op->code, strip, p->at.items + op->at, op->add);
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

static LiederStatus report_singular(LiederSystem *system, SystemShape *ss, uint32_t component,
                                    size_t lane, double pivot, double t)
{
    char path[512];
    const LiederClassDef *def = ss->shape->components.items[component].class_->def;
    if (def->nport && port_is_network(&def->ports[0])) {
        diag_error(&system->session->diag, NULL,
                   lane_path(system, ss, component, lane, path, sizeof path),
                   "the equations of the network have no unique solution here at t = %g\nlook for "
                   "voltages in parallel or in a loop (sources, capacitors, conducting diodes) and "
                   "for nodes that only currents reach (inductors, blocking diodes); Ron and Goff "
                   "of ideal diodes help",
                   t);
        return LIEDER_SINGULAR;
    }
    diag_error(
        &system->session->diag, NULL, lane_path(system, ss, component, lane, path, sizeof path),
        "the linear group is singular or badly scaled here at t = %g (pivot %g)\n%s", t, pivot,
        ss->method == LIEDER_METHOD_TREE
            ? "it was not at the start: the motion leads to where the equations have no "
              "solution. A mechanism may lock; in dialectic mechanics a smaller T_D may keep "
              "it away"
            : "at the start: is there inertia outboard along this degree of freedom? later: "
              "the motion leads to where the equations have no solution");
    return LIEDER_SINGULAR;
}

enum { MOST_ITERATIONS = 1000, JOINT_CHANGES = 16 };

/* lets the components that iterate move, those with choices or those without; `one`: not more than
 * one. True if some did; *last is then the last of them. */
static bool move(SystemShape *ss, const LiederStrip *strip, bool choices, bool one, uint32_t *last)
{
    const Program *p = &ss->full;
    bool moved = false;
    for (uint32_t i = 0; i < ss->shape->components.n && !(one && moved); i++) {
        const Component *c = &ss->shape->components.items[i];
        LiederCode code = kernels_of(p, c)->iterate;
        if (!code.run || class_has_crossing(c->class_->def) != choices)
            continue;
        ss->full_ops->fill(strip, LIEDER_ALARM, 0.0);
        lieder_run(code, strip, at_of(p, i), 0);
        if (!ss->full_ops->alarm(strip))
            continue;
        moved = true;
        *last = i;
    }
    return moved;
}

/* false: all are content */
static bool iterate(SystemShape *ss, const LiederStrip *strip, int count, uint32_t *last)
{
    bool joint = count < JOINT_CHANGES;
    bool moved = move(ss, strip, false, false, last);
    if (joint || !moved)
        moved |= move(ss, strip, true, !joint, last);
    return moved;
}

/* the explicit part has run; solves the groups of the full record by sparse or probing method */
static LiederStatus solve_record(SystemShape *ss, const LiederStrip *strip, uint32_t *culprit)
{
    for (int count = 0; count < MOST_ITERATIONS; count++) {
        LiederStatus status =
            (ss->method == LIEDER_METHOD_PROBE ? probe_solve : sparse_solve)(ss, strip, culprit);
        if (status != LIEDER_DONE)
            return status;
        if (ss->shape->general && ss->method == LIEDER_METHOD_PROBE)
            linear_pass(&ss->full, strip, false); /* potentials that belong to the unknowns */
        if (!ss->shape->general || !iterate(ss, strip, count, culprit))
            return LIEDER_DONE;
    }
    return LIEDER_GAVE_UP;
}

static LiederStatus report_unsettled(LiederSystem *system, SystemShape *ss, uint32_t component,
                                     size_t lane, double t)
{
    char path[512];
    diag_error(&system->session->diag, NULL,
               lane_path(system, ss, component, lane, path, sizeof path),
               "no solution was found in %d iterations at t = %g\nare the parameters of this "
               "component of a sensible size?",
               MOST_ITERATIONS, t);
    return LIEDER_GAVE_UP;
}

/* one lane; x as for load_states */
static LiederStatus evaluate_one(LiederSystem *system, SystemShape *ss, size_t lane, double t,
                                 const Moment *moment, const double *x, size_t stride, bool flows)
{
    const Program *p = &ss->full;
    LiederStrip strip = full_strip(ss, t);
    uint32_t culprit = 0;
    double pivot = 0;
    if (moment->times)
        t = moment->times[0];
    if (ss->lanes_differ)
        load_lanes(ss, p, ss->full_ops, &strip, lane, 1);
    load_states(p, ss->full_ops, &strip, x, stride, 1);
    load_moment(ss, p, ss->full_ops, &strip, moment, lane, 0, 1);
    run(&p->explicit_, &strip, p->at.items);
    if (ss->method == LIEDER_METHOD_TREE) {
        ss->full_ops->fill(&strip, LIEDER_ALARM, 0.0);
        run(&p->reduce, &strip, p->at.items);
        if (ss->full_ops->alarm(&strip)) {
            find_small_pivot(ss, p, &strip, 0, &culprit, &pivot);
            return report_singular(system, ss, culprit, lane, pivot, t);
        }
        run(&p->solve, &strip, p->at.items);
        for (size_t i = 0; i < p->complements.n; i++)
            ss->full_ops->complement(&strip, p, &p->complements.items[i]);
    } else {
        LiederStatus status = ss->method == LIEDER_METHOD_NET
                                  ? net_observe(system, ss, t, moment, lane, x, stride, &culprit)
                                  : solve_record(ss, &strip, &culprit);
        if (status == LIEDER_SINGULAR)
            return report_singular(system, ss, culprit, lane, 0.0, t);
        if (status == LIEDER_GAVE_UP)
            return report_unsettled(system, ss, culprit, lane, t);
        if (status != LIEDER_DONE)
            return status;
    }
    if (flows || ss->method != LIEDER_METHOD_TREE)
        linear_pass(p, &strip, flows || ss->shape->general); /* derivatives of leaves */
    return LIEDER_DONE;
}

LiederStatus evaluate_lane(LiederSystem *system, SystemShape *ss, size_t lane, double t,
                           const double *x, bool flows)
{
    StripView v = strip_view(system, ss, lane, 1, x, NULL, system->stages);
    Moment moment = system->moment;
    if (moment.clocks)
        moment.event_time = moment.clocks[ss - system->shapes.items][lane];
    return evaluate_one(system, ss, lane, t, &moment, v.x, v.stride, flows);
}

/* ------------------------------------------------------------------ derivatives */

/* lanes that the records of a workspace hold */
static size_t workspace_width(const SystemShape *ss)
{
    return (size_t)(ss->strip * ss->lean.lanes);
}

/* Wider than the workspace where all lanes have the same parameters: what a strip costs beside its
 * lanes does not count then, and its states still fit the first-level cache. */
void choose_width(SystemShape *ss)
{
    enum { STRIP_NUMBERS = 512 };
    ss->width = 1;
    if (ss->method != LIEDER_METHOD_TREE)
        return;
    ss->width = workspace_width(ss);
    if (ss->lanes_differ || ss->shape->states.n == 0)
        return;
    size_t more = STRIP_NUMBERS / ss->shape->states.n / ss->width * ss->width;
    if (more > ss->width)
        ss->width = more;
}

static int records_of(const Program *p, size_t n)
{
    return (int)((n + (size_t)p->lanes - 1) / (size_t)p->lanes);
}

void strip_load(SystemShape *ss, void *workspace, size_t lane, size_t n)
{
    if (!ss->lanes_differ || ss->method != LIEDER_METHOD_TREE || n > workspace_width(ss))
        return;
    LiederStrip strip = workspace_strip(ss, workspace, records_of(&ss->lean, n), 0);
    load_lanes(ss, &ss->lean, ss->lean_ops, &strip, lane, n);
}

StripView strip_view(const LiederSystem *system, const SystemShape *ss, size_t lane, size_t n,
                     const double *x, double *dx, double *buffer)
{
    if (!ss->room) {
        size_t at = ss->first_state + lane;
        return (StripView){x + at, dx ? dx + at : NULL, ss->shape->nlane};
    }
    for (size_t s = 0; s < ss->shape->states.n; s++) {
        const size_t *home = ss->state_home + s * ss->room + lane;
        for (size_t l = 0; l < n; l++)
            buffer[s * n + l] = x[home[l]];
    }
    return (StripView){buffer, buffer + system->stage_room, n};
}

void strip_return(const SystemShape *ss, size_t lane, size_t n, const StripView *view, double *dx)
{
    for (size_t s = 0; s < ss->shape->states.n && ss->room; s++) {
        const size_t *home = ss->state_home + s * ss->room + lane;
        for (size_t l = 0; l < n; l++)
            dx[home[l]] = view->dx[s * n + l];
    }
}

/* derivatives of a strip out of its records; not zero if one is not finite */
static double store_derivatives(const Program *p, const LaneOps *ops, const LiederStrip *strip,
                                double *dx, size_t stride, size_t n)
{
    return ops->store_all(strip, p->derivative_place.items, p->derivative_place.n, dx, stride, n);
}

/* one evaluation of a strip */
typedef struct Evaluation {
    LiederSystem *system;
    SystemShape *ss;
    void *workspace;
    double t;
    const Moment *moment;
} Evaluation;

/* no more lanes than the workspace holds, at once or list by list; plain: by the ops as they are,
 * which leave everything in the records */
static LiederStatus evaluate_records(const Evaluation *e, bool plain, size_t lane, size_t skip,
                                     size_t n, const double *x, size_t x_stride, double *dx,
                                     size_t dx_stride)
{
    const Program *p = &e->ss->lean;
    const Fused *f = &e->ss->fused;
    const LaneOps *ops = e->ss->lean_ops;
    LiederStrip strip = workspace_strip(e->ss, e->workspace, records_of(p, n), e->t);
    load_moment(e->ss, p, ops, &strip, e->moment, lane, skip, n);
    load_states(p, ops, &strip, x, x_stride, n);
    bool fused = !plain && f->at.n;
    LiederCode joined = e->ss->joined.run ? e->ss->joined : p->joined;
    const uint32_t *at = fused ? f->at.items : p->at.items;
    if (!plain && !fused && joined.run) {
        lieder_run(joined, &strip, at, 0);
    } else {
        run(fused ? &f->explicit_ : &p->explicit_, &strip, at);
        run(fused ? &f->reduce : &p->reduce, &strip, at);
        run(fused ? &f->solve : &p->solve, &strip, at);
    }
    for (size_t i = 0; i < p->complements.n; i++)
        ops->complement(&strip, p, &p->complements.items[i]);
    int small = ops->alarm(&strip);
    double not_finite = store_derivatives(p, ops, &strip, dx, dx_stride, n);
    return small ? LIEDER_SINGULAR : not_finite != 0 ? LIEDER_NOT_FINITE : LIEDER_DONE;
}

/* the same by generated code */
static LiederStatus evaluate_compiled(const Evaluation *e, size_t lane, size_t skip, size_t n,
                                      const double *x, size_t x_stride, double *dx,
                                      size_t dx_stride)
{
    const Program *p = &e->ss->lean;
    LiederStrip strip = workspace_strip(e->ss, e->workspace, records_of(p, n), e->t);
    load_moment(e->ss, p, e->ss->lean_ops, &strip, e->moment, lane, skip, n);
    return e->ss->compiled(&strip, x, x_stride, dx, dx_stride, n);
}

/* any number of lanes that have one record and no choices; short, because it may be a single lane
 */
static LiederStatus evaluate_uniform(const SystemShape *ss, void *workspace, double t,
                                     const Moment *moment, size_t n, const double *x,
                                     size_t x_stride, double *dx, size_t dx_stride)
{
    LiederStrip strip = workspace_strip(ss, workspace, 1, t);
    load_times(&strip, moment, 0);
    return ss->compiled(&strip, x, x_stride, dx, dx_stride, n);
}

typedef enum Tier { TIER_PLAIN, TIER_LISTS, TIER_WHOLE } Tier;

/* by as many lanes as the workspace holds; *at: lane of the strip where it failed */
static LiederStatus evaluate_pieces(const Evaluation *e, Tier tier, size_t lane, size_t n,
                                    const double *x, size_t x_stride, double *dx, size_t dx_stride,
                                    size_t *at)
{
    size_t width = workspace_width(e->ss);
    LiederStatus status = LIEDER_DONE;
    for (*at = 0; *at < n; *at += width) {
        size_t here = n - *at < width ? n - *at : width;
        if (n > width && e->ss->lanes_differ)
            strip_load(e->ss, e->workspace, lane + *at, here);
        if (tier == TIER_WHOLE)
            status =
                evaluate_compiled(e, lane + *at, *at, here, x + *at, x_stride, dx + *at, dx_stride);
        else
            status = evaluate_records(e, tier == TIER_PLAIN, lane + *at, *at, here, x + *at,
                                      x_stride, dx + *at, dx_stride);
        if (status != LIEDER_DONE)
            break;
    }
    return status;
}

LiederStatus strip_evaluate(LiederSystem *system, SystemShape *ss, void *workspace, double t,
                            const Moment *moment, size_t lane, size_t n, const double *x,
                            size_t x_stride, double *dx, size_t dx_stride)
{
    bool uniform = ss->compiled && shape_uniform(ss);
    if (uniform &&
        evaluate_uniform(ss, workspace, t, moment, n, x, x_stride, dx, dx_stride) == LIEDER_DONE)
        return LIEDER_DONE;
    if (ss->method == LIEDER_METHOD_NET) {
        uint32_t culprit;
        LiederStatus status =
            net_evaluate(system, ss, t, moment, lane, x, x_stride, dx, dx_stride, &culprit);
        return status == LIEDER_SINGULAR ? report_singular(system, ss, culprit, lane, 0.0, t)
                                         : status;
    }
    if (ss->method != LIEDER_METHOD_TREE) {
        LiederStatus status = evaluate_one(system, ss, lane, t, moment, x, x_stride, false);
        if (status != LIEDER_DONE)
            return status;
        LiederStrip strip = full_strip(ss, t);
        double not_finite = store_derivatives(&ss->full, ss->full_ops, &strip, dx, dx_stride, 1);
        return not_finite != 0 ? LIEDER_NOT_FINITE : LIEDER_DONE;
    }
    Evaluation e = {system, ss, workspace, t, moment};
    size_t at;
    if (ss->compiled && !uniform &&
        evaluate_pieces(&e, TIER_WHOLE, lane, n, x, x_stride, dx, dx_stride, &at) == LIEDER_DONE)
        return LIEDER_DONE;
    /* where generated code sees that something is wrong, the kernels see what */
    return evaluate_pieces(&e, TIER_LISTS, lane, n, x, x_stride, dx, dx_stride, &at);
}

/* names the joint among n lanes that were evaluated last */
static void name_small_pivot(LiederSystem *system, SystemShape *ss, void *workspace, size_t lane,
                             size_t n, double t)
{
    const Program *p = &ss->lean;
    for (size_t l = 0; l < n; l++) {
        LiederStrip strip = workspace_strip(ss, workspace, 1, t);
        strip.base = (double *)workspace + l / (size_t)p->lanes * p->nreal * (size_t)p->lanes;
        uint32_t component;
        double pivot;
        if (find_small_pivot(ss, p, &strip, (int)(l % (size_t)p->lanes), &component, &pivot)) {
            report_singular(system, ss, component, lane + l, pivot, t);
            break;
        }
    }
    LiederStrip all = workspace_strip(ss, workspace, ss->strip, t);
    ss->lean_ops->fill(&all, LIEDER_ALARM, 0.0);
}

/* the values that a system of equations has found in the end, as "x = 1, y = 2" */
static void system_values(const LiederSystemDef *def, const double *self, size_t lanes,
                          char *buffer, size_t size)
{
    size_t at = 0;
    buffer[0] = '\0';
    for (int k = 0; k < def->nvalue && at < size; k++)
        at += (size_t)snprintf(buffer + at, size - at, "%s%s = %g", k ? ", " : "", def->names[k],
                               self[(size_t)(def->values + k) * lanes]);
}

static void report_system(LiederSystem *system, const LiederSystemDef *def, const double *self,
                          size_t lanes, const char *path, double t)
{
    char values[500];
    int row = (int)self[(size_t)def->status * lanes] - 1;
    system_values(def, self, lanes, values, sizeof values);
    if (def->kind == LIEDER_SYSTEM_CONDITION)
        diag_error(&system->session->diag, NULL, path,
                   "an initial equation does not agree with the other conditions at t = %g: its "
                   "left side is %.10g, its right side %.10g (%s)\n"
                   "there are more conditions than start values: remove one that contradicts",
                   t, self[(size_t)def->values * lanes], self[(size_t)(def->values + 1) * lanes],
                   def->places[0]);
    else if (def->kind == LIEDER_SYSTEM_LINEAR)
        diag_error(&system->session->diag, NULL, path,
                   "%d linear equation(s) have no unique solution at t = %g: nothing decides %s "
                   "(%s)\nthis happens where a factor becomes zero: is something disconnected, or "
                   "a parameter zero that must not be?",
                   def->nequation, t, def->names[row], def->places[0]);
    else
        diag_error(&system->session->diag, NULL, path,
                   "%d nonlinear equation(s) are not solved at t = %g: the iteration ends at %s, "
                   "with the largest error in the equation %s\ngive start values that are near the "
                   "solution (start = ...), or check whether there is one",
                   def->nequation, t, values, def->places[row]);
}

/* the first system of a lane of a record that has failed, of start blocks or of the others; false:
 * none */
static bool find_failed_system(LiederSystem *system, const SystemShape *ss, const Program *p,
                               const double *record, size_t in_record, size_t lane, double t,
                               bool at_start)
{
    char path[512];
    for (uint32_t i = 0; i < p->shape->components.n; i++) {
        const LiederClassDef *class_ = p->shape->components.items[i].class_->def;
        const double *self =
            record + (size_t)at_of(p, i)[LIEDER_AT_SELF] * (size_t)p->lanes + in_record;
        for (int k = 0; k < class_->nsystem; k++)
            if (class_->systems[k].at_start == at_start &&
                !(self[(size_t)(class_->systems[k].status * p->lanes)] == 0)) {
                report_system(system, &class_->systems[k], self, (size_t)p->lanes,
                              lane_path(system, ss, i, lane, path, sizeof path), t);
                return true;
            }
    }
    return false;
}

/* Was it a system of equations of a block? The lane that failed is evaluated again, by the kernels
 * that leave everything in the record. */
static bool explain_system(const Evaluation *e, size_t lane, const double *x, size_t x_stride,
                           double *dx, size_t dx_stride)
{
    SystemShape *ss = e->ss;
    size_t at;
    bool any = false;
    for (uint32_t i = 0; i < ss->shape->components.n; i++)
        any |= ss->shape->components.items[i].class_->def->nsystem > 0;
    if (!any || ss->method != LIEDER_METHOD_TREE)
        return false;
    strip_fill(ss, e->workspace);
    strip_load(ss, e->workspace, lane, 1);
    evaluate_pieces(e, TIER_PLAIN, lane, 1, x, x_stride, dx, dx_stride, &at);
    return find_failed_system(e->system, ss, &ss->lean, e->workspace, 0, lane, e->t, false);
}

LiederStatus strip_explain(LiederSystem *system, SystemShape *ss, void *workspace, double t,
                           const Moment *moment, size_t lane, size_t n, const double *x,
                           size_t x_stride, double *dx, size_t dx_stride, LiederStatus failure)
{
    char path[512];
    if (failure == LIEDER_SINGULAR && ss->method == LIEDER_METHOD_TREE) {
        Evaluation e = {system, ss, workspace, t, moment};
        size_t at, width = workspace_width(ss);
        strip_fill(ss, workspace);
        strip_load(ss, workspace, lane, n);
        if (evaluate_pieces(&e, TIER_PLAIN, lane, n, x, x_stride, dx, dx_stride, &at) ==
            LIEDER_SINGULAR)
            name_small_pivot(system, ss, workspace, lane + at, n - at < width ? n - at : width, t);
    }
    if (failure != LIEDER_NOT_FINITE)
        return failure;
    for (size_t s = 0; s < ss->shape->states.n; s++)
        for (size_t l = 0; l < n; l++) {
            double d = dx[s * dx_stride + l];
            if (isfinite(d))
                continue;
            const StateRef *ref = &ss->shape->states.items[s];
            Evaluation e = {system, ss, workspace, t, moment};
            if (explain_system(&e, lane + l, x + l, x_stride, dx + l, dx_stride))
                return failure;
            diag_error(
                &system->session->diag, NULL,
                lane_path(system, ss, ref->component, lane + l, path, sizeof path),
                "the derivative of %s is %g at t = %g\na function has left its range, or the "
                "numbers have grown too large: 'lieder eigen' has the longest stable step",
                ref->member->name, d, t);
            return failure;
        }
    return failure;
}

/* a real of the component of memory k into a vector of all that is remembered */
static void store_memory(const SystemShape *ss, const Program *p, const LaneOps *ops,
                         const LiederStrip *strip, size_t k, int index, size_t lane, size_t n,
                         double *to)
{
    const CrossingRef *ref = &ss->memories.items[k];
    double fetched[GUEST_WIDTH];
    ops->store(strip, at_of(p, ref->component)[LIEDER_AT_SELF] + (uint32_t)index,
               ss->room ? fetched : to + home_memory(ss, k, lane), n);
    for (size_t l = 0; l < n && ss->room; l++)
        to[home_memory(ss, k, lane + l)] = fetched[l];
}

/* a variable of crossing k into a vector of all choices */
static void store_crossing(const SystemShape *ss, const LaneOps *ops, const LiederStrip *strip,
                           uint32_t place, size_t k, size_t lane, size_t n, double *to)
{
    double fetched[GUEST_WIDTH];
    ops->store(strip, place, ss->room ? fetched : to + home_choice(ss, k, lane), n);
    for (size_t l = 0; l < n && ss->room; l++)
        to[home_choice(ss, k, lane + l)] = fetched[l];
}

/* no more lanes than the workspace holds */
static void record_look(SystemShape *ss, void *workspace, double t, const Moment *moment,
                        size_t lane, size_t skip, size_t n, const double *x, size_t stride,
                        const Looks *to)
{
    bool tree = ss->method == LIEDER_METHOD_TREE;
    const Program *p = tree ? &ss->lean : &ss->full;
    const LaneOps *ops = tree ? ss->lean_ops : ss->full_ops;
    LiederStrip strip =
        tree ? workspace_strip(ss, workspace, records_of(p, n), t) : full_strip(ss, t);
    if (!tree && ss->lanes_differ)
        load_lanes(ss, p, ops, &strip, lane, n);
    load_states(p, ops, &strip, x, stride, n);
    load_moment(ss, p, ops, &strip, moment, lane, skip, n);
    load_rest(ss, p, ops, &strip, moment, lane, n);
    run(&p->explicit_, &strip, p->at.items);
    uint32_t culprit;
    if (ss->shape->general) /* crossings may be unknowns; a failure shows in the derivatives */
        solve_record(ss, &strip, &culprit);
    for (size_t k = 0; k < ss->crossings.n; k++) {
        const CrossingRef *ref = &ss->crossings.items[k];
        uint32_t self = at_of(p, ref->component)[LIEDER_AT_SELF];
        if (to->values)
            store_crossing(ss, ops, &strip, self + (uint32_t)ref->member->index, k, lane, n,
                           to->values);
        if (to->choices)
            store_crossing(ss, ops, &strip, self + (uint32_t)ref->member->other, k, lane, n,
                           to->choices);
    }
    for (size_t k = ss->nmemory; k < ss->memories.n && to->requests; k++)
        if (ss->memories.items[k].member->kind == LIEDER_REQUEST)
            store_memory(ss, p, ops, &strip, k, ss->memories.items[k].member->index, lane, n,
                         to->requests);
    for (size_t k = 0; k < ss->nmemory && to->delayed && ss->nhistory; k++)
        for (int i = 0; i < 3 && ss->memories.items[k].member->kind == LIEDER_HISTORY; i++)
            store_memory(ss, p, ops, &strip, k, ss->memories.items[k].member->other + i, lane, n,
                         to->delayed + (size_t)i * to->nmemory);
}

void strip_look(SystemShape *ss, void *workspace, double t, const Moment *moment, size_t lane,
                size_t n, const double *x, size_t stride, Looks to)
{
    size_t width = ss->method == LIEDER_METHOD_TREE ? workspace_width(ss) : 1;
    for (size_t at = 0; at < n; at += width) {
        size_t here = n - at < width ? n - at : width;
        if (n > width)
            strip_load(ss, workspace, lane + at, here);
        record_look(ss, workspace, t, moment, lane + at, at, here, x + at, stride, &to);
    }
}

LiederStrip lane_explicit(LiederSystem *system, SystemShape *ss, size_t lane, double t,
                          const Moment *moment, const double *x)
{
    const Program *p = &ss->full;
    LiederStrip strip = full_strip(ss, t);
    StripView v = strip_view(system, ss, lane, 1, x, NULL, system->stages);
    if (ss->lanes_differ)
        load_lanes(ss, p, ss->full_ops, &strip, lane, 1);
    load_states(p, ss->full_ops, &strip, v.x, v.stride, 1);
    load_moment(ss, p, ss->full_ops, &strip, moment, lane, 0, 1);
    load_rest(ss, p, ss->full_ops, &strip, moment, lane, 1);
    run(&p->explicit_, &strip, p->at.items);
    uint32_t culprit;
    if (ss->shape->general) /* a failure shows in the derivatives */
        solve_record(ss, &strip, &culprit);
    return strip;
}

/* All lanes at once by generated code, if that can be: one small mechanism feels every step between
 * its states and this code, so that the strip is kept and only its times are written. */
static inline bool evaluate_directly(LiederSystem *system, SystemShape *ss, double t,
                                     const double *x, double *dx)
{
    size_t n = ss->shape->nlane;
    if (!ss->compiled || !shape_uniform(ss) || ss->room || ss->shape->asleep || ss->away.n)
        return false;
    LiederStrip *strip = &ss->direct;
    strip->time = strip->event_time = t;
    strip->times = strip->event_times = NULL;
    load_times(strip, &system->moment, 0);
    return ss->compiled(strip, x + ss->first_state, n, dx + ss->first_state, n, n) == LIEDER_DONE;
}

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

/* ------------------------------------------------------------------ start */

/* the start value that parameters tell; NaN: its start block finds it */
static double start_of(const SystemShape *ss, size_t s, size_t lane)
{
    const StateRef *ref = &ss->shape->states.items[s];
    const SlotValue *v = &ss->slots.items[ss->slot_first.items[ref->component] + ref->slot];
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

LiederStatus find_late(LiederSystem *system, SystemShape *ss, size_t lane, double t, double *x,
                       size_t stride)
{
    bool late = shape_has_conditions(ss->shape);
    for (size_t s = 0; s < ss->shape->states.n; s++)
        late |= isnan(x[s * stride]);
    if (!late)
        return LIEDER_DONE;
    /* start blocks see the signals that the other states decide */
    const Program *p = &ss->full;
    LiederStrip strip = full_strip(ss, t);
    if (ss->lanes_differ || ss->room)
        load_lanes(ss, p, ss->full_ops, &strip, lane, 1);
    load_states(p, ss->full_ops, &strip, x, stride, 1);
    run(&p->explicit_, &strip, p->at.items);
    for (size_t q = 0; q < ss->shape->order.n; q++) {
        uint32_t i = ss->shape->order.items[q].component;
        const LiederKernels *k = kernels_of(p, &ss->shape->components.items[i]);
        if (k->start.run && ss->shape->order.items[q].unit == 0)
            lieder_run(k->start, &strip, at_of(p, i), 0);
    }
    for (size_t s = 0; s < ss->shape->states.n; s++)
        if (isnan(x[s * stride]))
            ss->full_ops->store(&strip, p->state_place.items[s], &x[s * stride], 1);
    return find_failed_system(system, ss, p, strip.base, 0, lane, t, true) ? LIEDER_GAVE_UP
                                                                           : LIEDER_DONE;
}

LiederStatus find_start(LiederSystem *system, SystemShape *ss, double t, double *x)
{
    bool late = shape_has_conditions(ss->shape);
    LiederStatus status = LIEDER_DONE;
    size_t nlane = ss->shape->nlane, nstate = ss->shape->states.n, n;
    for (size_t s = 0; s < nstate; s++)
        for (size_t l = 0; l < nlane; l++) {
            double start = start_of(ss, s, l);
            late |= isnan(start);
            x[home_state(ss, s, l)] = start;
        }
    if (!late)
        return LIEDER_DONE;
    for (size_t lane = 0; lanes_next(ss, &lane, &n, 1); lane++) {
        double *states = x + ss->first_state + lane;
        if (ss->room)
            states = (double *)strip_view(system, ss, lane, 1, x, NULL, system->stages).x;
        LiederStatus found = find_late(system, ss, lane, t, states, ss->room ? 1 : nlane);
        status = found != LIEDER_DONE ? found : status;
        for (size_t s = 0; s < nstate && ss->room; s++)
            x[home_state(ss, s, lane)] = states[s];
    }
    /* what sleeps has no signals to start from */
    for (size_t s = 0; s < nstate && (ss->shape->asleep || ss->away.n); s++)
        for (size_t l = 0; l < nlane; l++)
            if (isnan(x[home_state(ss, s, l)]))
                x[home_state(ss, s, l)] = 0;
    return status;
}

/* the pivots of all links with unknowns of a lane, in the order of links, at its states x */
static void lane_pivots(SystemShape *ss, size_t lane, double t, const double *x, bool hold,
                        double *pivots)
{
    const Program *p = &ss->lean;
    LiederStrip strip = workspace_strip(ss, ss->workspace, 1, t);
    size_t at = 0;
    strip.hold = hold;
    if (ss->lanes_differ || ss->room)
        load_lanes(ss, p, ss->lean_ops, &strip, lane, 1);
    load_states(p, ss->lean_ops, &strip, x, 1, 1);
    run(&p->explicit_, &strip, p->at.items);
    run(&p->reduce, &strip, p->at.items);
    ss->lean_ops->fill(&strip, LIEDER_ALARM, 0.0);
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
    if (ss->method != LIEDER_METHOD_TREE || ss->shape->general || ss->away.n || ss->room)
        return false;
    for (size_t g = 0; g < ss->shape->groups.n; g++)
        if (ss->shape->groups.items[g].ncoupling)
            return false;
    return ss->limit.n > 0;
}

double pivot_sign(SystemShape *ss, size_t lane, double t, const double *x, uint32_t *component)
{
    double sign = 1, least = INFINITY, *pivots = ss->pivots.items;
    size_t at = 0;
    lane_pivots(ss, lane, t, x, false, pivots);
    for (size_t q = 0; q < ss->shape->links.n; q++) {
        uint32_t i = ss->shape->links.items[q];
        int nunknown = kernels_of(&ss->lean, &ss->shape->components.items[i])->nunknown;
        for (int u = 0; u < nunknown; u++, at++) {
            double size = fabs(pivots[at]) / ss->limit.items[at];
            sign *= isfinite(size) ? copysign(1, pivots[at]) : 0;
            if (size < least) {
                least = size;
                *component = i;
            }
        }
    }
    return sign;
}

LiederStatus lane_start(LiederSystem *system, SystemShape *ss, size_t lane, double *x)
{
    for (size_t s = 0; s < ss->shape->states.n; s++)
        x[s] = start_of(ss, s, lane);
    return find_late(system, ss, lane, 0, x, 1);
}

/* A pivot that is zero but for rounding is noise: it changes by as much as itself when the states
 * move a little. Comparing its size with something would not do, because a pivot may be honestly
 * small: that of a chain of n links shrinks with n^-3 against the inertia of the whole. */
static bool is_noise(double pivot, double moved)
{
    return !(fabs(pivot - moved) < 0.1 * fabs(pivot));
}

LiederStatus report_pivot(LiederSystem *system, const SystemShape *ss, uint32_t component,
                          size_t lane, double pivot)
{
    char path[512];
    lane_path(system, ss, component, lane, path, sizeof path);
    if (isinf(pivot))
        diag_error(&system->session->diag, NULL, path,
                   "the inertia that moves with this joint is beyond the range of numbers (pivot "
                   "%g)\nis TD, a mass or a stiffness far too large?",
                   pivot);
    else
        diag_error(&system->session->diag, NULL, path,
                   "no inertia moves with this joint (pivot %g)\nconnect a Body or an Inertia "
                   "outboard, or give the one that is there a mass",
                   pivot + 0.0); /* no -0 */
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
    double *pivots = memory_zeroed(alloc, 2 * n * sizeof(double));
    if (x && pivots && vec_resize(alloc, &ss->limit, n) && vec_resize(alloc, &ss->pivots, n)) {
        status = n ? lane_start(system, ss, lane, x) : LIEDER_DONE;
        lane_pivots(ss, lane, 0, x, false, pivots);
        /* the states moved a little; contacts stay as they are */
        for (size_t s = 0; s < nstate; s++)
            x[s] += 1e-11 * (1 + fabs(x[s])) * (1 + (double)(s % 7));
        lane_pivots(ss, lane, 0, x, true, pivots + n);
        bool culprit = false;
        for (size_t i = 0; i < n; i++)
            culprit |= !isnan(pivots[i]) && is_noise(pivots[i], pivots[n + i]);
        size_t at = 0;
        for (size_t q = 0; q < ss->shape->links.n; q++) {
            uint32_t i = ss->shape->links.items[q];
            bool bad = false;
            int nunknown = kernels_of(&ss->lean, &ss->shape->components.items[i])->nunknown;
            for (int u = 0; u < nunknown; u++, at++) {
                double a = pivots[at], b = pivots[n + at];
                if (lane == 0)
                    ss->limit.items[at] = 1e-12 * fabs(a);
                if (!is_noise(a, b) || bad || (isnan(a) && culprit))
                    continue; /* nan is what an inner joint gets from the culprit outboard */
                bad = true;
                status = report_pivot(system, ss, i, lane, a);
            }
        }
    }
    memory_free(alloc, x, nstate * sizeof(double));
    memory_free(alloc, pivots, 2 * n * sizeof(double));
    return status;
}
