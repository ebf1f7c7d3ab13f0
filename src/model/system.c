/* system.c - from a model's name to a system, and what a program may ask of it. */
#include "model/system.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

LiederSystemOptions lieder_system_defaults(void)
{
    return (LiederSystemOptions){.method = LIEDER_METHOD_AUTO, .isa = LIEDER_ISA_AUTO};
}

const LaneOps *lane_ops_of(LiederIsa isa)
{
    switch (isa) {
    case LIEDER_ISA_AVX512:
        return &lane_ops_avx512;
    case LIEDER_ISA_AVX2:
        return &lane_ops_avx2;
    case LIEDER_ISA_SSE2:
        return &lane_ops_sse2;
    default:
        return &lane_ops_scalar;
    }
}

/* what this machine can run */
static bool machine_has(LiederIsa isa)
{
    __builtin_cpu_init();
    switch (isa) {
    case LIEDER_ISA_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
    case LIEDER_ISA_AVX2:
        return __builtin_cpu_supports("avx2");
    default:
        return true;
    }
}

LiederIsa shape_isa(const Shape *shape, LiederIsa most, size_t nlane)
{
    LiederIsa best = LIEDER_ISA_AUTO;
    if (most == LIEDER_ISA_AUTO)
        most = LIEDER_ISA_AVX512;
    for (LiederIsa isa = LIEDER_ISA_SCALAR; isa <= most; isa++) {
        if (!machine_has(isa) || !shape_has_isa(shape, isa))
            continue;
        best = isa;
        if ((size_t)1 << (isa - LIEDER_ISA_SCALAR) >= nlane)
            break;
    }
    return best;
}

static void forget_compiled(SystemShape *ss)
{
    if (ss->library)
        dlclose(ss->library);
    ss->library = NULL;
    ss->compiled = NULL;
}

/* ------------------------------------------------------------------ parameters of a shape */

static bool collect_slots(LiederSystem *system, SystemShape *ss)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    const Shape *shape = ss->shape;
    for (size_t i = 0; i < shape->components.n; i++) {
        if (!vec_push(alloc, &ss->slot_first, (uint32_t)ss->slots.n) ||
            !vec_resize(alloc, &ss->slots,
                        ss->slots.n + (size_t)shape->components.items[i].class_->nslot))
            return false;
        for (uint32_t s = 0; s < (uint32_t)shape->components.items[i].class_->nslot; s++) {
            SlotValue *v = &ss->slots.items[ss->slot_first.items[i] + s];
            const Batch *first = &shape->batches.items[0];
            const Sheet *sheet = &system->flat.sheets.items[first->sheet];
            v->value =
                sheet_value(sheet, sheet->instances.items[first->instances[i]].first_slot + s, 0);
            bool differ = false;
            for (size_t b = 0; b < shape->batches.n && !differ; b++) {
                sheet = &system->flat.sheets.items[shape->batches.items[b].sheet];
                uint32_t slot =
                    sheet->instances.items[shape->batches.items[b].instances[i]].first_slot + s;
                double other = sheet_value(sheet, slot, 0);
                differ = sheet->lanes_of.items[slot] ||
                         (other != v->value && !(isnan(other) && isnan(v->value)));
            }
            const LiederMember *m = shape->components.items[i].class_->slots[s].member;
            if (!differ || (m && m->structural))
                continue;
            v->lanes = memory_zeroed(alloc, shape->nlane * sizeof(double));
            if (!v->lanes)
                return false;
            for (size_t b = 0; b < shape->batches.n; b++) {
                const Batch *batch = &shape->batches.items[b];
                sheet = &system->flat.sheets.items[batch->sheet];
                uint32_t slot = sheet->instances.items[batch->instances[i]].first_slot + s;
                for (size_t l = 0; l < batch->nlane; l++)
                    v->lanes[batch->first_lane + l] = sheet_value(sheet, slot, l);
            }
            if (!m || m->kind != LIEDER_STATE)
                ss->lanes_differ = true;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ creation */

/* loops by the complement as long as it stays small, see docs/architecture.md */
enum { LARGEST_COMPLEMENT = 24 };

/* order of the largest complement: the flows of the coupling leaves of a group */
static size_t largest_complement(const Shape *shape)
{
    size_t largest = 0, flows = 1;
    for (size_t i = 0; i < shape->components.n; i++)
        if (shape->components.items[i].coupling == COUPLE_BOTH &&
            (size_t)shape->components.items[i].class_->def->ports[0].domain->nflow > flows)
            flows = (size_t)shape->components.items[i].class_->def->ports[0].domain->nflow;
    for (size_t g = 0; g < shape->groups.n; g++)
        if (shape->groups.items[g].ncoupling * flows > largest)
            largest = shape->groups.items[g].ncoupling * flows;
    return largest;
}

static LiederStatus choose_method(const Shape *shape, LiederMethod wanted,
                                  const LiederAllocator *alloc, LiederMethod *method)
{
    bool automatic = wanted == LIEDER_METHOD_AUTO, suits;
    *method = wanted;
    /* a network has no root to eliminate towards */
    if (shape->network && wanted != LIEDER_METHOD_PROBE)
        *method = LIEDER_METHOD_SPARSE;
    else if (automatic && largest_complement(shape) <= LARGEST_COMPLEMENT)
        *method = LIEDER_METHOD_TREE;
    else if (automatic || wanted == LIEDER_METHOD_NET) {
        LiederStatus status = net_suits(shape, alloc, &suits);
        *method = suits ? LIEDER_METHOD_NET : LIEDER_METHOD_SPARSE;
        return status;
    }
    return LIEDER_DONE;
}

/* lanes per strip: as many records as fit half of the first-level cache, at least one */
static int choose_strip(const Program *p, const LiederSystemOptions *options, size_t nlane)
{
    size_t bytes = p->nreal * (size_t)p->lanes * sizeof(double);
    size_t records = options->strip > 0
                         ? ((size_t)options->strip + (size_t)p->lanes - 1) / (size_t)p->lanes
                         : 24576 / bytes;
    size_t most = (nlane + (size_t)p->lanes - 1) / (size_t)p->lanes;
    if (records > 32 && options->strip <= 0)
        records = 32;
    if (records > most)
        records = most;
    return records < 1 ? 1 : (int)records;
}

static LiederStatus build_shape(LiederSystem *system, Shape *shape)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    if (!vec_push(alloc, &system->shapes, (SystemShape){.shape = shape}))
        return LIEDER_NO_MEMORY;
    SystemShape *ss = &system->shapes.items[system->shapes.n - 1];
    LiederIsa lean = shape_isa(shape, system->options.isa, shape->nlane);
    if (lean == LIEDER_ISA_AUTO) {
        diag_error(&system->session->diag, NULL, NULL,
                   "the classes of this model have no code for a common instruction set\ncompile "
                   "all files with component classes for the same ones");
        return LIEDER_BAD_MODEL;
    }
    ss->first_state = system->nstate;
    system->nstate += shape->states.n * shape->nlane;
    for (uint32_t i = 0; i < shape->components.n; i++) {
        const LiederClassDef *def = shape->components.items[i].class_->def;
        for (int m = 0; m < def->nmember; m++)
            if (def->members[m].kind == LIEDER_CROSSING &&
                !vec_push(alloc, &ss->crossings, (CrossingRef){i, &def->members[m]}))
                return LIEDER_NO_MEMORY;
    }
    ss->first_choice = system->nchoice;
    system->nchoice += ss->crossings.n * shape->nlane;
    ss->lean_ops = lane_ops_of(lean);
    if (!collect_slots(system, ss))
        return LIEDER_NO_MEMORY;
    LiederStatus status = choose_method(shape, system->options.method, alloc, &ss->method);
    if (status != LIEDER_DONE)
        return status;
    bool tree = ss->method == LIEDER_METHOD_TREE, net = ss->method == LIEDER_METHOD_NET;
    bool full = (!tree && !net) || ss->crossings.n > 0;
    for (size_t s = 0; s < shape->states.n; s++)
        full |= isnan(shape->states.items[s].member->fallback); /* its start block finds it */
    ss->strip = 1;
    if (net) { /* has programs of its own */
        ss->lean = (Program){.isa = lean, .lanes = 1};
        status = net_create(system, ss);
        if (status == LIEDER_DONE)
            ss->lean.isa = net_isa(ss->net);
    } else {
        status = program_build(&ss->lean, shape, lean, false, tree, alloc);
        if (status != LIEDER_DONE)
            return status;
        if (tree)
            ss->strip = choose_strip(&ss->lean, &system->options, shape->nlane);
        status = workspace_prepare(ss, alloc);
    }
    if (status == LIEDER_DONE && full)
        status = full_prepare(system, ss);
    if (status == LIEDER_DONE)
        status = net ? net_check(system, ss) : check_pivots(system, ss);
    if (status == LIEDER_DONE && ss->method == LIEDER_METHOD_PROBE)
        status = probe_prepare(ss, alloc);
    if (status == LIEDER_DONE && ss->method == LIEDER_METHOD_SPARSE)
        status = sparse_create(ss, alloc);
    if (status == LIEDER_DONE)
        workspace_refill(ss); /* now with the limits of the pivots */
    return status;
}

static bool index_places(LiederSystem *system)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    for (size_t s = 0; s < system->flat.sheets.n; s++) {
        size_t n = system->flat.sheets.items[s].instances.n;
        InstancePlace *places = memory_zeroed(alloc, n * sizeof *places);
        if (!places || !vec_push(alloc, &system->places, places)) {
            memory_free(alloc, places, n * sizeof *places);
            return false;
        }
        memset(places, 0xff, n * sizeof *places);
    }
    for (uint32_t k = 0; k < system->list.shapes.n; k++) {
        const Shape *shape = system->list.shapes.items[k];
        for (uint32_t b = 0; b < shape->batches.n; b++)
            for (uint32_t c = 0; c < shape->components.n; c++)
                system->places
                    .items[shape->batches.items[b].sheet][shape->batches.items[b].instances[c]] =
                    (InstancePlace){k, b, c};
    }
    return true;
}

static bool make_stages(LiederSystem *system)
{
    for (size_t i = 0; i < system->shapes.n; i++) {
        size_t n = system->shapes.items[i].shape->states.n * strip_width(&system->shapes.items[i]);
        if (n > system->stage_room)
            system->stage_room = n;
    }
    system->stages = memory_aligned(SYSTEM_ALLOC(system), 3 * system->stage_room * sizeof(double));
    return system->stages;
}

LiederSystem *lieder_system_create(Lieder *session, const char *model_name,
                                   const LiederSystemOptions *options)
{
    const LiederClass *class_ = lieder_class_find(session, model_name);
    if (!class_ || class_->def) {
        diag_error(&session->diag, NULL, model_name,
                   class_ ? "is a component, not a model\nput it into a model first"
                          : "there is no model of this name");
        return NULL;
    }
    LiederSystem *system = memory_zeroed(&session->alloc, sizeof *system);
    if (!system)
        return NULL;
    system->session = session;
    system->moment.decided = NAN;
    system->options = options ? *options : lieder_system_defaults();
    LiederStatus status = flatten(&system->flat, session, class_);
    /* go on after wrong numbers: all problems are shown at once */
    if (status == LIEDER_DONE || status == LIEDER_BAD_MODEL) {
        LiederStatus found = system->flat.status == LIEDER_DONE && system->flat.scopes.n
                                 ? find_shapes(&system->list, &system->flat)
                                 : LIEDER_BAD_MODEL;
        if (found != LIEDER_DONE)
            status = found;
    }
    for (size_t i = 0; i < system->list.shapes.n && status == LIEDER_DONE; i++) {
        LiederStatus built = LIEDER_DONE;
        built = build_shape(system, system->list.shapes.items[i]);
        if (built == LIEDER_BAD_MODEL)
            system->flat.nwrong++;
        else
            status = built;
    }
    if (status == LIEDER_DONE && system->flat.nwrong)
        status = LIEDER_BAD_MODEL;
    if (status == LIEDER_DONE && (!index_places(system) || !make_stages(system)))
        status = LIEDER_NO_MEMORY;
    if (status == LIEDER_NO_MEMORY)
        diag_error(&session->diag, NULL, model_name, "not enough memory to make the model ready");
    if (status != LIEDER_DONE) {
        lieder_system_destroy(system);
        return NULL;
    }
    return system;
}

void lieder_system_destroy(LiederSystem *system)
{
    if (!system)
        return;
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    for (size_t i = 0; i < system->shapes.n; i++) {
        SystemShape *ss = &system->shapes.items[i];
        for (size_t s = 0; s < ss->slots.n; s++)
            memory_free(alloc, ss->slots.items[s].lanes, ss->shape->nlane * sizeof(double));
        vec_drop(alloc, &ss->slots);
        vec_drop(alloc, &ss->slot_first);
        vec_drop(alloc, &ss->crossings);
        vec_drop(alloc, &ss->limit);
        vec_drop(alloc, &ss->unknowns);
        vec_drop(alloc, &ss->found);
        program_drop(&ss->lean);
        program_drop(&ss->full);
        memory_free_aligned(alloc, ss->workspace, ss->workspace_bytes);
        memory_free_aligned(alloc, ss->record, ss->record_bytes);
        memory_free(alloc, ss->dense, ss->ndense * sizeof(double));
        sparse_destroy(ss, alloc);
        forget_compiled(ss);
        net_destroy(ss, alloc);
    }
    vec_drop(alloc, &system->shapes);
    memory_free_aligned(alloc, system->stages, 3 * system->stage_room * sizeof(double));
    for (size_t s = 0; s < system->places.n; s++)
        memory_free(alloc, system->places.items[s],
                    system->flat.sheets.items[s].instances.n * sizeof(InstancePlace));
    vec_drop(alloc, &system->places);
    shapes_drop(&system->list, alloc);
    flat_drop(&system->flat);
    memory_free(alloc, system, sizeof *system);
}

/* ------------------------------------------------------------------ states */

size_t lieder_system_state_count(const LiederSystem *system)
{
    return system->nstate;
}

void lieder_system_start(const LiederSystem *system, double *x)
{
    for (size_t i = 0; i < system->shapes.n; i++)
        find_start((LiederSystem *)system, &system->shapes.items[i], x);
}

/* a component by path: shape, lane and what follows the component */
static SystemShape *find_component(const LiederSystem *system, const char *path,
                                   uint32_t *component, size_t *lane, const char **rest)
{
    uint32_t sheet, instance;
    size_t sheet_lane;
    if (!flat_find(&system->flat, path, &sheet, &instance, &sheet_lane, rest))
        return NULL;
    const InstancePlace *place = &system->places.items[sheet][instance];
    if (place->shape == NOWHERE)
        return NULL;
    SystemShape *ss = &system->shapes.items[place->shape];
    *component = place->component;
    *lane = ss->shape->batches.items[place->batch].first_lane + sheet_lane;
    return ss;
}

ptrdiff_t lieder_system_state_index(const LiederSystem *system, const char *path)
{
    uint32_t component;
    size_t lane;
    const char *rest;
    SystemShape *ss = find_component(system, path, &component, &lane, &rest);
    if (!ss)
        return -1;
    for (size_t s = 0; s < ss->shape->states.n; s++)
        if (ss->shape->states.items[s].component == component &&
            strcmp(ss->shape->states.items[s].member->name, rest) == 0)
            return (ptrdiff_t)(ss->first_state + s * ss->shape->nlane + lane);
    return -1;
}

const char *lieder_system_state_name(const LiederSystem *system, size_t index, char *buffer,
                                     size_t size)
{
    for (size_t i = 0; i < system->shapes.n; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        size_t n = ss->shape->states.n * ss->shape->nlane;
        if (index - ss->first_state >= n)
            continue;
        size_t s = (index - ss->first_state) / ss->shape->nlane,
               lane = (index - ss->first_state) % ss->shape->nlane;
        const StateRef *ref = &ss->shape->states.items[s];
        char path[512];
        lane_path(system, ss, ref->component, lane, path, sizeof path);
        snprintf(buffer, size, "%s.%s", path, ref->member->name);
        return buffer;
    }
    if (size)
        buffer[0] = '\0';
    return buffer;
}

/* ------------------------------------------------------------------ parameters */

/* slot of a parameter, state start or input; NULL with a diagnostic */
static SlotValue *find_slot(LiederSystem *system, const char *path, SystemShape **ss, size_t *lane,
                            const Slot **slot)
{
    uint32_t component;
    const char *rest;
    *ss = find_component(system, path, &component, lane, &rest);
    PathStep step;
    const char *name = rest;
    if (*ss && path_next(&name, &step) && *name == '\0') {
        const LiederClass *class_ = (*ss)->shape->components.items[component].class_;
        for (int s = 0; s < class_->nslot; s++) {
            const Slot *sl = &class_->slots[s];
            const char *text = sl->member ? sl->member->name : class_->def->ports[sl->port].name;
            int element = step.index < 0 ? 0 : (int)step.index;
            if (strlen(text) == step.length && memcmp(text, step.name, step.length) == 0 &&
                sl->element == element) {
                *slot = sl;
                return &(*ss)->slots.items[(*ss)->slot_first.items[component] + (uint32_t)s];
            }
        }
    }
    diag_error(&system->session->diag, NULL, path, "there is no parameter of this name");
    return NULL;
}

LiederStatus lieder_system_get(LiederSystem *system, const char *path, double *value)
{
    SystemShape *ss;
    size_t lane;
    const Slot *slot;
    SlotValue *v = find_slot(system, path, &ss, &lane, &slot);
    if (!v)
        return LIEDER_BAD_USE;
    *value = v->lanes ? v->lanes[lane] : v->value;
    return LIEDER_DONE;
}

/* what the class says about its parameters if one of them had this value; NULL: nothing wrong */
static const char *refuse_value(const SystemShape *ss, const SlotValue *v, size_t lane,
                                double value)
{
    uint32_t i = 0, at = (uint32_t)(v - ss->slots.items);
    while (i + 1 < ss->slot_first.n && ss->slot_first.items[i + 1] <= at)
        i++;
    const Component *c = &ss->shape->components.items[i];
    const LiederClassDef *def = c->class_->def;
    double values[64];
    size_t nslot = (size_t)c->class_->nslot;
    if (nslot > sizeof values / sizeof *values)
        return NULL;
    for (size_t s = 0; s < nslot; s++) {
        const SlotValue *other = &ss->slots.items[ss->slot_first.items[i] + s];
        values[s] = other == v ? value : other->lanes ? other->lanes[lane] : other->value;
    }
    if (!c->link && !c->couples && def->couples && class_physical_in(def) > 1 &&
        def->couples(values))
        return "would couple what was made ready uncoupled\nset it in the model";
    return def->check ? def->check(values) : NULL;
}

LiederStatus lieder_system_set(LiederSystem *system, const char *path, double value)
{
    SystemShape *ss;
    size_t lane;
    const Slot *slot;
    SlotValue *v = find_slot(system, path, &ss, &lane, &slot);
    if (!v)
        return LIEDER_BAD_USE;
    const LiederMember *m = slot->member;
    if (m && m->structural) {
        diag_error(
            &system->session->diag, NULL, path,
            "a switch, count or table cannot be changed in a running system\nset it in the model");
        return LIEDER_BAD_USE;
    }
    if (!isfinite(value) || (m && (value < m->min || value > m->max))) {
        diag_error(&system->session->diag, NULL, path,
                   "the value %g is not admissible\nlieder doc shows the range", value);
        return LIEDER_BAD_USE;
    }
    const char *wrong = refuse_value(ss, v, lane, value);
    if (wrong) {
        diag_error(&system->session->diag, NULL, path, "%g: %s", value, wrong);
        return LIEDER_BAD_USE;
    }
    if (ss->shape->nlane == 1 && !v->lanes) {
        v->value = value;
    } else {
        if (!v->lanes) {
            v->lanes = memory_zeroed(SYSTEM_ALLOC(system), ss->shape->nlane * sizeof(double));
            if (!v->lanes)
                return LIEDER_NO_MEMORY;
            for (size_t l = 0; l < ss->shape->nlane; l++)
                v->lanes[l] = v->value;
        }
        v->lanes[lane] = value;
        if (!m || m->kind != LIEDER_STATE) {
            if (shape_uniform(ss))
                forget_compiled(ss); /* it knows of one record only */
            ss->lanes_differ = true;
        }
    }
    workspace_refill(ss);
    return LIEDER_DONE;
}

LiederSystemInfo lieder_system_info(const LiederSystem *system)
{
    LiederSystemInfo info = {.nstate = system->nstate,
                             .nshape = system->shapes.n,
                             .bytes = sizeof *system + flat_bytes(&system->flat) +
                                      3 * system->stage_room * sizeof(double)};
    for (size_t i = 0; i < system->shapes.n; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        const Shape *shape = ss->shape;
        info.nlane += shape->nlane;
        info.ncomponent += shape->components.n * shape->nlane;
        info.ngroup += shape->groups.n;
        info.ncompiled += ss->compiled != NULL;
        for (size_t g = 0; g < shape->groups.n; g++) {
            info.nunknown += shape->groups.items[g].nunknown * shape->nlane;
            if (shape->groups.items[g].nunknown > info.largest_group)
                info.largest_group = shape->groups.items[g].nunknown;
        }
        if (ss->lean.isa > info.isa)
            info.isa = ss->lean.isa;
        info.bytes +=
            sizeof *ss + sizeof *shape + program_bytes(&ss->lean) + program_bytes(&ss->full) +
            ss->workspace_bytes + ss->record_bytes + shape->components.room * sizeof(Component) +
            shape->nodes.room * sizeof(Node) + shape->takers.room * sizeof(Taker) +
            shape->batches.room * sizeof(Batch) +
            shape->batches.n * shape->components.n * sizeof(uint32_t) +
            (shape->order.room + shape->links.room + ss->slot_first.room) * sizeof(uint32_t) +
            shape->states.room * sizeof(StateRef) + shape->groups.room * sizeof(Group) +
            shape->signature.room * sizeof(uint64_t) + shape->tables.room * sizeof(LiederTable *) +
            ss->slots.room * sizeof(SlotValue) + ss->unknowns.room * sizeof(UnknownPlace) +
            (ss->limit.room + ss->found.room + ss->ndense) * sizeof(double) +
            ss->crossings.room * sizeof(CrossingRef);
        for (size_t s = 0; s < ss->slots.n; s++)
            if (ss->slots.items[s].lanes)
                info.bytes += shape->nlane * sizeof(double);
        if (ss->net)
            info.bytes += net_bytes(ss->net);
    }
    for (size_t s = 0; s < system->flat.sheets.n; s++)
        info.bytes += system->flat.sheets.items[s].instances.n * sizeof(InstancePlace);
    return info;
}

/* ------------------------------------------------------------------ observers */

/* a value to watch: a state straight from x, or a real of the full record */
typedef struct Watch {
    uint32_t shape;
    size_t lane;
    bool state;
    size_t index; /* in x, or place in the record */
    const char *unit;
} Watch;

struct LiederObserver {
    LiederSystem *system;
    VEC(Watch) watches;
    VEC(uint32_t) order; /* by shape and lane, so that each lane is evaluated once */
    bool sorted, flows;
};

LiederObserver *lieder_observer_create(LiederSystem *system)
{
    LiederObserver *o = memory_zeroed(SYSTEM_ALLOC(system), sizeof *o);
    if (o)
        o->system = system;
    return o;
}

void lieder_observer_destroy(LiederObserver *o)
{
    if (!o)
        return;
    const LiederAllocator *alloc = SYSTEM_ALLOC(o->system);
    vec_drop(alloc, &o->watches);
    vec_drop(alloc, &o->order);
    memory_free(alloc, o, sizeof *o);
}

size_t lieder_observer_count(const LiederObserver *o)
{
    return o->watches.n;
}

const char *lieder_observer_unit(const LiederObserver *o, size_t index)
{
    return o->watches.items[index].unit;
}

/* a variable of a port: "frame_a.x", or the port itself if it is a signal */
static bool find_port_variable(const SystemShape *ss, uint32_t component, const char *rest,
                               Watch *w, bool *flow)
{
    const Component *c = &ss->shape->components.items[component];
    const uint32_t *at = at_of(&ss->full, component);
    size_t n = strcspn(rest, ".");
    int port = class_find_port(c->class_, rest, n);
    if (port < 0)
        return false;
    const LiederDomain *d = c->class_->def->ports[port].domain;
    const char *name = rest[n] == '.'       ? rest + n + 1
                       : d->npotential == 0 ? d->variables[0].name
                                            : "";
    for (int i = 0; i < d->nsignal + d->npotential + d->nflow * d->nregime; i++) {
        if (strcmp(d->variables[i].name, name) != 0)
            continue;
        const uint32_t *place = at + LIEDER_AT_PORT + LIEDER_PER_PORT * port;
        w->unit = d->variables[i].unit;
        *flow = i >= d->nsignal + d->npotential;
        w->index = i < d->nsignal ? place[LIEDER_SIGNALS] + (uint32_t)i
                   : !*flow       ? place[LIEDER_POTENTIALS] + (uint32_t)(i - d->nsignal)
                            : place[LIEDER_FLOWS] + (uint32_t)(i - d->nsignal - d->npotential);
        return true;
    }
    return false;
}

ptrdiff_t lieder_observer_add(LiederObserver *o, const char *path)
{
    LiederSystem *system = o->system;
    uint32_t component;
    size_t lane;
    const char *rest;
    char inner[512];
    bool derivative = strncmp(path, "der(", 4) == 0 && path[strlen(path) - 1] == ')';
    if (derivative) {
        snprintf(inner, sizeof inner, "%.*s", (int)(strlen(path) - 5), path + 4);
        path = inner;
    }
    SystemShape *ss = find_component(system, path, &component, &lane, &rest);
    Watch w = {.lane = lane};
    bool found = false, flow = false;
    if (ss && full_prepare(system, ss) != LIEDER_DONE) {
        diag_error(&system->session->diag, NULL, path, "not enough memory");
        return -1;
    }
    if (ss) {
        w.shape = (uint32_t)(ss - system->shapes.items);
        PathStep step;
        const char *name = rest;
        bool plain = path_next(&name, &step) && *name == '\0';
        const Component *c = &ss->shape->components.items[component];
        uint32_t self = at_of(&ss->full, component)[LIEDER_AT_SELF];
        const LiederMember *m = plain ? class_find_member(c->class_, step.name, step.length) : NULL;
        if (m && derivative) {
            found = m->kind == LIEDER_STATE;
            w.index = self + (uint32_t)m->other;
            w.unit = "";
        } else if (m && m->kind == LIEDER_STATE && lieder_system_state_index(system, path) >= 0) {
            found = w.state = true;
            w.index = (size_t)lieder_system_state_index(system, path);
            w.unit = m->unit;
        } else if (m && !(m->kind == LIEDER_PARAMETER && m->length == 0)) {
            int element = step.index < 0 ? 0 : (int)step.index;
            found = element < (m->kind == LIEDER_PARAMETER ? m->length : 1);
            w.index = self + (uint32_t)(m->index + element);
            w.unit = m->unit;
            flow = m->kind == LIEDER_OBSERVABLE; /* sensors find theirs on the way inward */
        } else if (!derivative) {
            found = find_port_variable(ss, component, rest, &w, &flow);
        }
    }
    if (!found) {
        diag_error(&system->session->diag, NULL, path,
                   "there is no variable of this name\nname a component and a variable as in "
                   "\"crab[3].revolute.phi\"");
        return -1;
    }
    if (!vec_push(SYSTEM_ALLOC(system), &o->watches, w) ||
        !vec_push(SYSTEM_ALLOC(system), &o->order, 0)) {
        diag_error(&system->session->diag, NULL, path, "not enough memory");
        return -1;
    }
    o->flows |= flow;
    o->sorted = false;
    return (ptrdiff_t)o->watches.n - 1;
}

static bool before(const Watch *a, const Watch *b)
{
    return a->shape != b->shape ? a->shape < b->shape : a->lane < b->lane;
}

/* heap sort of the order: no allocation, no recursion */
static void sift(LiederObserver *o, size_t root, size_t n)
{
    uint32_t *order = o->order.items;
    for (size_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n &&
            before(&o->watches.items[order[child]], &o->watches.items[order[child + 1]]))
            child++;
        if (!before(&o->watches.items[order[root]], &o->watches.items[order[child]]))
            return;
        uint32_t swap = order[root];
        order[root] = order[child];
        order[child] = swap;
    }
}

static void sort_watches(LiederObserver *o)
{
    size_t n = o->watches.n;
    for (size_t i = 0; i < n; i++)
        o->order.items[i] = (uint32_t)i;
    for (size_t i = n / 2; i-- > 0;)
        sift(o, i, n);
    for (size_t end = n; end-- > 1;) {
        uint32_t swap = o->order.items[0];
        o->order.items[0] = o->order.items[end];
        o->order.items[end] = swap;
        sift(o, 0, end);
    }
    o->sorted = true;
}

LiederStatus lieder_observer_evaluate(LiederObserver *o, double t, const double *x, double *values)
{
    if (!o->sorted)
        sort_watches(o);
    const Watch *last = NULL;
    for (size_t i = 0; i < o->watches.n; i++) {
        const Watch *w = &o->watches.items[o->order.items[i]];
        if (w->state) {
            values[o->order.items[i]] = x[w->index];
            continue;
        }
        SystemShape *ss = &o->system->shapes.items[w->shape];
        if (!last || before(last, w)) {
            LiederStatus status = evaluate_lane(o->system, ss, w->lane, t, x, o->flows);
            if (status != LIEDER_DONE)
                return status;
            last = w;
        }
        values[o->order.items[i]] = ((double *)ss->record)[w->index * (size_t)ss->full.lanes];
    }
    return LIEDER_DONE;
}
