/* workspace.c - numbers into records: parameters and constants once, states, times, memory and
 * choices for each evaluation; and the workspaces that hold the records, one for each thread. Only
 * what is made before evaluations asks for memory. */
#include "model/system/evaluate.h"
#include "model/linear/linear.h"
#include "model/net/net.h"

#include <string.h>

/* ------------------------------------------------------------------ parameters */

/* pivot limits into the save areas */
static void fill_limits(const SystemShape *ss, const Program *p, const LaneOps *ops,
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

/* a parameter as a workspace has it */
static const SlotValue *workspace_slot(const SystemShape *ss, const Workspace *w,
                                       const ParameterPlace *p)
{
    return w->slots ? &w->slots[ss->values.slot_first.items[p->component] + p->slot]
                    : slot_value(ss, p);
}

/* parameters that all lanes share, tables, pivot limits, then the constant blocks */
static void fill_constants(const SystemShape *ss, const Workspace *w, const Program *p,
                           const LaneOps *ops, LiederStrip *strip)
{
    size_t table = 0;
    for (size_t i = 0; i < p->parameters.n; i++) {
        const ParameterPlace *pp = &p->parameters.items[i];
        const LiederMember *m =
            ss->shape->components.items[pp->component].class_->slots[pp->slot].member;
        if (m && m->kind == LIEDER_PARAMETER && m->length == 0)
            continue;
        const SlotValue *v = workspace_slot(ss, w, pp);
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
    run_ops(&p->constant, strip, p->at.items);
}

void load_lanes(const SystemShape *ss, const Workspace *w, const Program *p, const LaneOps *ops,
                LiederStrip *strip, size_t lane, size_t n)
{
    for (size_t i = 0; i < p->lane_parameters.n; i++) {
        const ParameterPlace *pp = &p->lane_parameters.items[i];
        ops->load(strip, pp->place, workspace_slot(ss, w, pp)->lanes + lane, n);
    }
    run_ops(&p->lane_constant, strip, p->at.items);
}

/* ------------------------------------------------------------------ what lanes do not share */

/* Components whose constants differ between lanes: they have such a parameter, or one of their
 * ports is driven by such a component. Drivers come first in the order. */
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
    mark_lanes(ss, ss->plan.lean.shape ? &ss->plan.lean : &ss->plan.full, differs);
    bool ok = make_room(ss, &ss->plan.lean, differs, alloc) &&
              make_room(ss, &ss->plan.full, differs, alloc);
    if (ok) {
        list_program(ss, &ss->plan.lean, differs);
        list_program(ss, &ss->plan.full, differs);
    }
    if (differs != few)
        memory_free(alloc, differs, n);
    return ok ? LIEDER_DONE : LIEDER_NO_MEMORY;
}

/* ------------------------------------------------------------------ a moment */

/* numbers first ... end - 1 of what lanes remember */
static void load_memory(const SystemShape *ss, const Program *p, const LaneOps *ops,
                        const LiederStrip *strip, const Moment *moment, size_t lane, size_t n,
                        size_t first, size_t end)
{
    const double *memory = moment->memory ? moment->memory : ss->held.own_memory;
    for (size_t k = first; k < end; k++) {
        const CrossingRef *ref = &ss->held.memories.items[k];
        double fetched[GUEST_WIDTH];
        for (size_t l = 0; l < n && ss->guest.room; l++)
            fetched[l] = memory[home_memory(ss, k, lane + l)];
        ops->load(strip, at_of(p, ref->component)[LIEDER_AT_SELF] + (uint32_t)ref->member->index,
                  ss->guest.room ? fetched : memory + home_memory(ss, k, lane), n);
    }
}

void load_rest(const SystemShape *ss, const Program *p, const LaneOps *ops,
               const LiederStrip *strip, const Moment *moment, size_t lane, size_t n)
{
    for (size_t k = ss->held.nmemory; k < ss->held.memories.n; k++) {
        const CrossingRef *ref = &ss->held.memories.items[k];
        if (ref->member->kind == LIEDER_TIMER)
            load_memory(ss, p, ops, strip, moment, lane, n, k, k + 1);
        else
            ops->fill(strip,
                      at_of(p, ref->component)[LIEDER_AT_SELF] + (uint32_t)ref->member->index, 0.0);
    }
}

void load_moment(SystemShape *ss, const Program *p, const LaneOps *ops, LiederStrip *strip,
                 const Moment *moment, size_t lane, size_t skip, size_t n)
{
    load_times(strip, moment, skip);
    strip->initial = moment->initial;
    strip->terminal = moment->terminal;
    if (ss->held.nmemory)
        load_memory(ss, p, ops, strip, moment, lane, n, 0, ss->held.nmemory);
    if (!moment->choices)
        return;
    strip->hold = !moment->decides;
    for (size_t k = 0; k < ss->held.crossings.n; k++) {
        const CrossingRef *ref = &ss->held.crossings.items[k];
        if (moment->decides && ref->member->crossing != LIEDER_HELD)
            continue;
        double fetched[GUEST_WIDTH];
        const double *from = fetched;
        if (!ss->guest.room)
            from = moment->choices + home_choice(ss, k, lane);
        for (size_t l = 0; l < n && ss->guest.room; l++)
            fetched[l] = moment->choices[home_choice(ss, k, lane + l)];
        ops->load(strip, at_of(p, ref->component)[LIEDER_AT_SELF] + (uint32_t)ref->member->other,
                  from, n);
    }
}

/* ------------------------------------------------------------------ workspaces */

/* `room` records and their scratch area */
static size_t strip_bytes(const Program *p, int room)
{
    return (size_t)room * ((size_t)p->nreal + p->nscratch) * (size_t)p->lanes * sizeof(double);
}

void workspace_size(SystemShape *ss)
{
    ss->strip_bytes = ss->plan.net ? 0 : strip_bytes(&ss->plan.lean, ss->strip);
}

Workspace *workspace_begin(const SystemShape *ss, const LiederAllocator *alloc)
{
    Workspace *w = memory_zeroed(alloc, sizeof *w);
    if (w && ss->strip_bytes && !(w->strip = memory_aligned(alloc, ss->strip_bytes))) {
        memory_free(alloc, w, sizeof *w);
        return NULL;
    }
    return w;
}

void workspace_destroy(const SystemShape *ss, Workspace *w, const LiederAllocator *alloc)
{
    if (!w)
        return;
    memory_free_aligned(alloc, w->strip, ss->strip_bytes);
    memory_free_aligned(alloc, w->record, ss->record_bytes);
    sparse_work_destroy(w->sparse);
    memory_free(alloc, w->dense, ss->plan.ndense * sizeof(double));
    memory_free(alloc, w->found, (ss->plan.unknowns.n + 1) * sizeof(double));
    if (w == ss->workspace || !ss->workspace || w->net != ss->workspace->net)
        net_work_destroy(w->net);
    slots_drop(ss, w, alloc);
    memory_free(alloc, w, sizeof *w);
}

bool slots_copy(const SystemShape *ss, Workspace *w, const LiederAllocator *alloc)
{
    size_t nlane = ss->shape->nlane;
    if (!w->slots &&
        !(w->slots = memory_zeroed(alloc, (ss->values.slots.n + 1) * sizeof *w->slots)))
        return false;
    for (size_t s = 0; s < ss->values.slots.n; s++) {
        const SlotValue *from = &ss->values.slots.items[s];
        SlotValue *to = &w->slots[s];
        to->value = from->value;
        if (from->lanes && !to->lanes) {
            NumberList *list = number_list_create(alloc, nlane);
            if (!list)
                return false;
            to->lanes = list->values;
        } else if (!from->lanes && to->lanes) {
            number_list_release(alloc, number_list_of(to->lanes));
            to->lanes = NULL;
        }
        if (from->lanes)
            memcpy(to->lanes, from->lanes, nlane * sizeof(double));
    }
    return true;
}

void slots_drop(const SystemShape *ss, Workspace *w, const LiederAllocator *alloc)
{
    for (size_t s = 0; s < ss->values.slots.n && w->slots; s++)
        number_list_release(alloc, number_list_of(w->slots[s].lanes));
    memory_free(alloc, w->slots, (ss->values.slots.n + 1) * sizeof *w->slots);
    w->slots = NULL;
}

/* what the method of a shape needs beside records */
static bool add_method(const SystemShape *ss, Workspace *w, const LiederAllocator *alloc)
{
    if (ss->plan.sparse && !(w->sparse = sparse_work_create(ss->plan.sparse)))
        return false;
    if (ss->plan.method == LIEDER_METHOD_PROBE) {
        w->dense = memory_zeroed(alloc, ss->plan.ndense * sizeof(double));
        w->found = memory_zeroed(alloc, (ss->plan.unknowns.n + 1) * sizeof(double));
        return w->dense && w->found;
    }
    if (ss->plan.net && ss->workspace != w && ss->shape->nlane == 1)
        w->net = ss->workspace->net; /* never evaluated by two threads at a time */
    return !ss->plan.net || w->net || (w->net = net_work_create(ss));
}

LiederStatus workspace_prepare(SystemShape *ss, const LiederAllocator *alloc)
{
    workspace_size(ss);
    ss->workspace = workspace_begin(ss, alloc);
    if (!ss->workspace || (!ss->plan.net && list_lanes(ss, alloc) != LIEDER_DONE))
        return LIEDER_NO_MEMORY;
    if (ss->plan.net)
        return add_method(ss, ss->workspace, alloc) ? LIEDER_DONE : LIEDER_NO_MEMORY;
    ss->direct = uniform_strip(ss, ss->workspace, 0);
    workspace_refill(ss);
    return LIEDER_DONE;
}

/* parameters and constants into the full record */
static void record_fill(const SystemShape *ss, const Workspace *w)
{
    LiederStrip strip = record_strip(ss, w, 0);
    fill_constants(ss, w, &ss->plan.full, ss->plan.full_ops, &strip);
}

void strip_fill(const SystemShape *ss, Workspace *workspace)
{
    if (ss->plan.method == LIEDER_METHOD_NET)
        return;
    LiederStrip strip = workspace_strip(ss, workspace, ss->strip, 0);
    ss->plan.lean_ops->fill(&strip, LIEDER_ALARM, 0.0);
    fill_constants(ss, workspace, &ss->plan.lean, ss->plan.lean_ops, &strip);
}

/* all records of a workspace */
static void records_fill(const SystemShape *ss, Workspace *w)
{
    strip_fill(ss, w);
    if (w->record)
        record_fill(ss, w);
    w->numbers = ss->values.numbers;
}

bool workspace_follow(SystemShape *ss, Workspace *w)
{
    if (w->numbers != ss->values.numbers)
        records_fill(ss, w);
    return !w->net || net_follow(ss, w->net);
}

void strip_load(const SystemShape *ss, Workspace *workspace, size_t lane, size_t n)
{
    if (!ss->values.lanes_differ || ss->plan.method != LIEDER_METHOD_TREE ||
        n > workspace_width(ss))
        return;
    LiederStrip strip = workspace_strip(ss, workspace, records_of(&ss->plan.lean, n), 0);
    load_lanes(ss, workspace, &ss->plan.lean, ss->plan.lean_ops, &strip, lane, n);
}

Workspace *workspace_create(LiederSystem *system, SystemShape *ss, bool record)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    Workspace *w = workspace_begin(ss, alloc);
    bool ok = w && add_method(ss, w, alloc);
    if (ok && shape_is_full(ss) && (record || w->sparse || w->dense))
        ok = (w->record = memory_aligned(alloc, ss->record_bytes)) != NULL;
    if (!ok) {
        workspace_destroy(ss, w, alloc);
        return NULL;
    }
    records_fill(ss, w);
    return w;
}

LiederStatus full_prepare(LiederSystem *system, SystemShape *ss)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    if (shape_is_full(ss))
        return LIEDER_DONE;
    LiederIsa isa = shape_isa(ss->shape, system->options.isa, 1);
    LiederStatus status = program_build(&ss->plan.full, ss->shape, isa, true,
                                        ss->plan.method == LIEDER_METHOD_TREE, alloc);
    if (status != LIEDER_DONE)
        return status;
    ss->plan.full_ops = lane_ops_of(isa);
    ss->record_bytes = strip_bytes(&ss->plan.full, 1);
    double *record = memory_aligned(alloc, ss->record_bytes);
    if (!record || list_lanes(ss, alloc) != LIEDER_DONE) {
        program_drop(&ss->plan.full);
        memory_free_aligned(alloc, record, ss->record_bytes);
        return LIEDER_NO_MEMORY;
    }
    ss->workspace->record = record;
    workspace_refill(ss);
    return LIEDER_DONE;
}

LiederStatus workspace_add_method(LiederSystem *system, SystemShape *ss)
{
    return add_method(ss, ss->workspace, SYSTEM_ALLOC(system)) ? LIEDER_DONE : LIEDER_NO_MEMORY;
}

/* ------------------------------------------------------------------ parameters that change */

/* drops code with folded numbers that are others now */
static void forget_unknown(SystemShape *ss)
{
    if (shape_compiled(ss) && !known_hold(ss, &ss->code.known))
        forget_compiled(ss);
    if (ss->code.joined.run && !known_hold(ss, &ss->code.joined_known))
        program_unjoin(&ss->plan.lean, &ss->code.joined);
}

bool workspace_refill(SystemShape *ss)
{
    bool ok = net_refill(ss);
    ss->values.numbers++;
    if (ss->workspace)
        records_fill(ss, ss->workspace);
    forget_unknown(ss);
    return ok;
}

/* components whose constant blocks depend on one number; if there are more, all is filled again */
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

/* adds a component, and those that it drives as long as its blocks are constant */
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
        const ShapeNode *node = &shape->nodes.items[c->node[port]];
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
    const SlotValue *v = slot_of(ss, component, slot);
    ops->fill(strip, place, v->lanes ? v->lanes[0] : v->value);
    for (size_t i = 0; i < p->constant.n && d->n; i++) {
        const Op *op = &p->constant.items[i];
        if (is_dependent(d, op->component))
            lieder_run(op->code, strip, p->at.items + op->at, op->add);
    }
}

bool workspace_update(SystemShape *ss, uint32_t component, uint32_t slot)
{
    Dependents d = {0};
    bool ok = ss->plan.method != LIEDER_METHOD_NET || net_update(ss, component, slot);
    /* an open input is no constant: blocks that read it run in every evaluation */
    if (ss->shape->components.items[component].class_->slots[slot].member)
        add_dependents(ss->shape, component, &d);
    if (d.all && ss->plan.method != LIEDER_METHOD_NET)
        return workspace_refill(ss);
    ss->values.numbers++;
    if (ss->workspace)
        ss->workspace->numbers = ss->values.numbers;
    if (ss->workspace && ss->plan.method != LIEDER_METHOD_NET) {
        LiederStrip strip = workspace_strip(ss, ss->workspace, ss->strip, 0);
        update_program(ss, &ss->plan.lean, ss->plan.lean_ops, &strip, component, slot, &d);
    }
    if (d.all && shape_is_full(ss)) {
        record_fill(ss, ss->workspace);
    } else if (shape_is_full(ss)) {
        LiederStrip strip = full_strip(ss, 0);
        update_program(ss, &ss->plan.full, ss->plan.full_ops, &strip, component, slot, &d);
    }
    forget_unknown(ss);
    return ok;
}
