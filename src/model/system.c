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

void fused_drop(Fused *fused, const LiederAllocator *alloc)
{
    vec_drop(alloc, &fused->explicit_);
    vec_drop(alloc, &fused->reduce);
    vec_drop(alloc, &fused->solve);
    vec_drop(alloc, &fused->at);
}

void forget_compiled(SystemShape *ss)
{
    if (ss->fused.at.n)
        fused_drop(&ss->fused, ss->lean.alloc);
    if (ss->library)
        dlclose(ss->library);
    ss->library = NULL;
    ss->compiled = NULL;
}

void set_lanes_differ(SystemShape *ss, bool differ)
{
    if (ss->lanes_differ != differ && ss->compiled)
        forget_compiled(ss); /* it knows of one record only, or of as many as the workspace has */
    ss->lanes_differ = differ;
}

/* ------------------------------------------------------------------ parameters of a shape */

/* the values of a slot of component i by lane: the list of the sheet if it has the same lanes, else
 * one of our own; NULL: no memory */
static NumberList *collect_lanes(const LiederSystem *system, const Shape *shape, size_t i,
                                 uint32_t s)
{
    const Batch *batch = &shape->batches.items[0];
    const Sheet *sheet = &system->flat.sheets.items[batch->sheet];
    if (shape->batches.n == 1)
        return number_list_hold(
            sheet_lanes(sheet, sheet->instances.items[batch->instances[i]].first_slot + s));
    NumberList *numbers = number_list_create(SYSTEM_ALLOC(system), shape->nlane);
    for (size_t b = 0; b < shape->batches.n && numbers; b++) {
        batch = &shape->batches.items[b];
        sheet = &system->flat.sheets.items[batch->sheet];
        uint32_t slot = sheet->instances.items[batch->instances[i]].first_slot + s;
        for (size_t l = 0; l < batch->nlane; l++)
            numbers->values[batch->first_lane + l] = sheet_value(sheet, slot, l);
    }
    return numbers;
}

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
            NumberList *numbers = collect_lanes(system, shape, i, s);
            if (!numbers)
                return false;
            v->lanes = numbers->values;
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

bool list_crossings(SystemShape *ss, const LiederAllocator *alloc)
{
    for (uint32_t i = 0; i < ss->shape->components.n; i++) {
        const LiederClassDef *def = ss->shape->components.items[i].class_->def;
        for (int m = 0; m < def->nmember; m++)
            if (def->members[m].kind == LIEDER_CROSSING &&
                !vec_push(alloc, &ss->crossings, (CrossingRef){i, &def->members[m]}))
                return false;
    }
    return true;
}

LiederStatus prepare_shape(LiederSystem *system, SystemShape *ss, size_t nlane)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    const Shape *shape = ss->shape;
    LiederIsa lean = shape_isa(shape, system->options.isa, nlane);
    if (lean == LIEDER_ISA_AUTO) {
        diag_error(&system->session->diag, NULL, NULL,
                   "the classes of this model have no code for a common instruction set\ncompile "
                   "all files with component classes for the same ones");
        return LIEDER_BAD_MODEL;
    }
    ss->lean_ops = lane_ops_of(lean);
    LiederStatus status = choose_method(shape, system->options.method, alloc, &ss->method);
    if (status != LIEDER_DONE)
        return status;
    if (ss->room && ss->method == LIEDER_METHOD_NET)
        ss->method = LIEDER_METHOD_SPARSE; /* guests come and go lane by lane */
    bool tree = ss->method == LIEDER_METHOD_TREE, net = ss->method == LIEDER_METHOD_NET;
    /* guests are looked at by observers that were made before them */
    bool full = (!tree && !net) || ss->crossings.n > 0 || ss->room;
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
            ss->strip = choose_strip(&ss->lean, &system->options, nlane);
        if (ss->room && ss->strip * ss->lean.lanes > GUEST_WIDTH)
            ss->strip = GUEST_WIDTH / ss->lean.lanes;
        status = workspace_prepare(ss, alloc);
    }
    choose_width(ss);
    if (status == LIEDER_DONE && full)
        status = full_prepare(system, ss);
    if (status == LIEDER_DONE)
        status = net ? net_check(system, ss) : check_pivots(system, ss, 0);
    if (status == LIEDER_DONE && ss->method == LIEDER_METHOD_PROBE)
        status = probe_prepare(ss, alloc);
    if (status == LIEDER_DONE && ss->method == LIEDER_METHOD_SPARSE)
        status = sparse_create(ss, alloc);
    if (status == LIEDER_DONE)
        workspace_refill(ss); /* now with the limits of the pivots */
    return status;
}

static LiederStatus build_shape(LiederSystem *system, Shape *shape)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    if (!vec_push(alloc, &system->shapes, (SystemShape){.shape = shape}))
        return LIEDER_NO_MEMORY;
    SystemShape *ss = &system->shapes.items[system->shapes.n - 1];
    system->nhome = system->shapes.n;
    ss->first_state = system->nstate;
    system->nstate += shape->states.n * shape->nlane;
    if (!list_crossings(ss, alloc))
        return LIEDER_NO_MEMORY;
    ss->first_choice = system->nchoice;
    system->nchoice += ss->crossings.n * shape->nlane;
    if (!collect_slots(system, ss))
        return LIEDER_NO_MEMORY;
    return shape->asleep ? LIEDER_DONE : prepare_shape(system, ss, shape->nlane);
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

size_t stage_need(const SystemShape *ss)
{
    return ss->shape->asleep ? 0 : ss->shape->states.n * ss->width;
}

static bool make_stages(LiederSystem *system)
{
    for (size_t i = 0; i < system->shapes.n; i++) {
        size_t n = stage_need(&system->shapes.items[i]);
        if (n > system->stage_room)
            system->stage_room = n;
    }
    system->stages =
        memory_aligned(SYSTEM_ALLOC(system), STAGE_VECTORS * system->stage_room * sizeof(double));
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
    system->moment.event_time = NAN;
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
    flat_settle(&system->flat);
    if (status == LIEDER_NO_MEMORY)
        diag_error(&session->diag, NULL, model_name, "not enough memory to make the model ready");
    if (status != LIEDER_DONE) {
        lieder_system_destroy(system);
        return NULL;
    }
    return system;
}

void system_shape_drop(SystemShape *ss, const LiederAllocator *alloc)
{
    size_t room = ss->room, ncomponent = ss->shape->components.n;
    for (size_t s = 0; s < ss->slots.n && !room; s++)
        number_list_release(alloc, number_list_of(ss->slots.items[s].lanes));
    memory_free(alloc, ss->slot_block, ss->slots.n * room * sizeof(double));
    memory_free(alloc, ss->members, ncomponent * room * sizeof *ss->members);
    memory_free(alloc, ss->state_home, ss->shape->states.n * room * sizeof *ss->state_home);
    memory_free(alloc, ss->choice_home, ss->crossings.n * room * sizeof *ss->choice_home);
    memory_free(alloc, ss->away.table, ss->away.ntable * sizeof *ss->away.table);
    vec_drop(alloc, &ss->slots);
    vec_drop(alloc, &ss->slot_first);
    vec_drop(alloc, &ss->crossings);
    vec_drop(alloc, &ss->limit);
    vec_drop(alloc, &ss->known);
    vec_drop(alloc, &ss->unknowns);
    vec_drop(alloc, &ss->found);
    forget_compiled(ss);
    program_drop(&ss->lean);
    program_drop(&ss->full);
    memory_free_aligned(alloc, ss->workspace, ss->workspace_bytes);
    memory_free_aligned(alloc, ss->record, ss->record_bytes);
    memory_free(alloc, ss->dense, ss->ndense * sizeof(double));
    sparse_destroy(ss, alloc);
    net_destroy(ss, alloc);
}

void lieder_system_destroy(LiederSystem *system)
{
    if (!system)
        return;
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    for (size_t i = 0; i < system->shapes.n; i++)
        system_shape_drop(&system->shapes.items[i], alloc);
    vec_drop(alloc, &system->shapes);
    structure_drop(system);
    memory_free_aligned(alloc, system->stages, STAGE_VECTORS * system->stage_room * sizeof(double));
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

Seat home_seat(const LiederSystem *system, const Element *e)
{
    const InstancePlace *place = &system->places.items[e->sheet][e->instance];
    if (place->shape == NOWHERE)
        return (Seat){.shape = NOWHERE};
    const Batch *batch = &system->list.shapes.items[place->shape]->batches.items[place->batch];
    return (Seat){place->shape, place->component, batch->first_lane + e->lane};
}

const Batch *batch_of_lane(const Shape *shape, size_t lane)
{
    size_t low = 0, high = shape->batches.n;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (shape->batches.items[middle].first_lane <= lane)
            low = middle;
        else
            high = middle;
    }
    return &shape->batches.items[low];
}

/* a component by path, at home, and what follows it; World has no home: shape NOWHERE */
static Seat find_component(const LiederSystem *system, const char *path, Element *e,
                           const char **rest)
{
    if (!flat_find(&system->flat, path, &e->sheet, &e->instance, &e->lane, rest))
        return (Seat){.shape = NOWHERE};
    return home_seat(system, e);
}

ptrdiff_t lieder_system_state_index(const LiederSystem *system, const char *path)
{
    Element e;
    const char *rest;
    Seat seat = find_component(system, path, &e, &rest);
    if (seat.shape == NOWHERE)
        return -1;
    const SystemShape *ss = &system->shapes.items[seat.shape];
    for (size_t s = shape_first_state(ss->shape, seat.component);
         s < ss->shape->states.n && ss->shape->states.items[s].component == seat.component; s++)
        if (strcmp(ss->shape->states.items[s].member->name, rest) == 0)
            return (ptrdiff_t)home_state(ss, s, seat.lane);
    return -1;
}

const char *lieder_system_state_name(const LiederSystem *system, size_t index, char *buffer,
                                     size_t size)
{
    for (size_t i = 0; i < system->nhome; i++) {
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

/* slot of a parameter, state start or input, by its number in the class; -1 with a diagnostic */
static int find_slot(LiederSystem *system, const char *path, Element *e, Seat *home)
{
    const char *rest;
    *home = find_component(system, path, e, &rest);
    PathStep step;
    if (home->shape != NOWHERE && path_next(&rest, &step) && *rest == '\0') {
        const LiederClass *class_ =
            system->flat.sheets.items[e->sheet].instances.items[e->instance].class_;
        for (int s = 0; s < class_->nslot; s++) {
            const Slot *sl = &class_->slots[s];
            const char *text = sl->member ? sl->member->name : class_->def->ports[sl->port].name;
            int element = step.index < 0 ? 0 : (int)step.index;
            if (strlen(text) == step.length && memcmp(text, step.name, step.length) == 0 &&
                sl->element == element)
                return s;
        }
    }
    diag_error(&system->session->diag, NULL, path, "there is no parameter of this name");
    return -1;
}

static SlotValue *slot_at(const LiederSystem *system, const Seat *seat, int slot)
{
    const SystemShape *ss = &system->shapes.items[seat->shape];
    return &ss->slots.items[ss->slot_first.items[seat->component] + (uint32_t)slot];
}

LiederStatus lieder_system_get(LiederSystem *system, const char *path, double *value)
{
    Element e;
    Seat home;
    int slot = find_slot(system, path, &e, &home);
    if (slot < 0)
        return LIEDER_BAD_USE;
    const SlotValue *v = slot_at(system, &home, slot);
    *value = v->lanes ? v->lanes[home.lane] : v->value;
    return LIEDER_DONE;
}

/* what the class says about its parameters if one of them had this value; NULL: nothing wrong */
static const char *refuse_value(const LiederSystem *system, const SystemShape *ss, const Seat *seat,
                                int slot, double value)
{
    const Component *c = &ss->shape->components.items[seat->component];
    const SlotValue *slots = ss->slots.items + ss->slot_first.items[seat->component];
    const LiederClassDef *def = c->class_->def;
    double *values = system->session->values.items;
    int nslot = c->class_->nslot;
    for (int s = 0; s < nslot; s++)
        values[s] = s == slot        ? value
                    : slots[s].lanes ? slots[s].lanes[seat->lane]
                                     : slots[s].value;
    if (!c->link && !c->couples && def->couples && class_physical_in(def) > 1 &&
        !ss->shape->asleep && def->couples(values))
        return "would couple what was made ready uncoupled\nset it in the model";
    return def->check ? def->check(values) : NULL;
}

/* lanes of a slot that may be written, where the shape is at home; false: no memory */
static bool own_lanes(const LiederSystem *system, const SystemShape *ss, SlotValue *v)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    NumberList *numbers = v->lanes ? number_list_own(alloc, number_list_of(v->lanes))
                                   : number_list_create(alloc, ss->shape->nlane);
    if (!numbers)
        return false;
    for (size_t l = 0; l < numbers->n && !v->lanes; l++)
        numbers->values[l] = v->value;
    v->lanes = numbers->values;
    return true;
}

/* a number of a component where it is at home, or a guest */
static LiederStatus put_slot(LiederSystem *system, const Seat *seat, int slot, double value)
{
    SystemShape *ss = &system->shapes.items[seat->shape];
    SlotValue *v = slot_at(system, seat, slot);
    const LiederMember *m = ss->shape->components.items[seat->component].class_->slots[slot].member;
    if (ss->shape->nlane == 1 && !v->lanes) {
        v->value = value;
    } else {
        bool shared = !v->lanes;
        if (!ss->room && !own_lanes(system, ss, v))
            return LIEDER_NO_MEMORY;
        if (shared && list_lanes(ss, SYSTEM_ALLOC(system)) != LIEDER_DONE) {
            number_list_release(SYSTEM_ALLOC(system), number_list_of(v->lanes));
            v->lanes = NULL;
            return LIEDER_NO_MEMORY;
        }
        v->lanes[seat->lane] = value;
        if (!m || m->kind != LIEDER_STATE)
            set_lanes_differ(ss, true);
    }
    workspace_refill(ss);
    return LIEDER_DONE;
}

/* what speaks against a value of a slot where the component is now, with advice; NULL: nothing */
static const char *refuse(const LiederSystem *system, const Seat *now, int slot, double value)
{
    const SystemShape *ss = &system->shapes.items[now->shape];
    const LiederMember *m = ss->shape->components.items[now->component].class_->slots[slot].member;
    if (m && m->structural)
        return "a switch, count or table cannot be changed in a running system\nset it in the "
               "model";
    if (!isfinite(value) || (m && (value < m->min || value > m->max)))
        return "this value is not admissible\nlieder doc shows the range";
    return refuse_value(system, ss, now, slot, value);
}

/* where a number counts: the component may sleep, then at home */
static Seat seat_of_number(const LiederSystem *system, const Element *e, const Seat *home)
{
    Seat now = current_seat(system, e);
    return now.shape == NOWHERE ? *home : now;
}

bool system_admits(LiederSystem *system, const char *path, double value)
{
    Element e;
    Seat home;
    int slot = find_slot(system, path, &e, &home);
    if (slot < 0)
        return false;
    Seat now = seat_of_number(system, &e, &home);
    return !refuse(system, &now, slot, value);
}

bool system_is_driven(LiederSystem *system, const char *path)
{
    Element e;
    Seat home;
    int slot = find_slot(system, path, &e, &home);
    Seat now = slot < 0 ? (Seat){.shape = NOWHERE} : current_seat(system, &e);
    if (now.shape == NOWHERE)
        return false;
    const Shape *shape = system->shapes.items[now.shape].shape;
    const Component *c = &shape->components.items[now.component];
    const Slot *s = &c->class_->slots[slot];
    return !s->member && shape->nodes.items[c->node[s->port]].driver >= 0;
}

LiederStatus lieder_system_set(LiederSystem *system, const char *path, double value)
{
    Element e;
    Seat home;
    int slot = find_slot(system, path, &e, &home);
    if (slot < 0)
        return LIEDER_BAD_USE;
    Seat now = seat_of_number(system, &e, &home);
    const char *wrong = refuse(system, &now, slot, value);
    if (wrong) {
        diag_error(&system->session->diag, NULL, path, "%g: %s", value, wrong);
        return LIEDER_BAD_USE;
    }
    /* the number at home is the one that counts when connections change; guests have a copy */
    LiederStatus status = put_slot(system, &home, slot, value);
    if (status == LIEDER_DONE && now.shape != home.shape)
        status = put_slot(system, &now, slot, value);
    return status;
}

LiederSystemInfo lieder_system_info(const LiederSystem *system)
{
    LiederSystemInfo info = {.nstate = system->nstate,
                             .bytes = sizeof *system + flat_bytes(&system->flat) +
                                      structure_bytes(system) +
                                      STAGE_VECTORS * system->stage_room * sizeof(double)};
    for (size_t i = 0; i < system->shapes.n; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        const Shape *shape = ss->shape;
        size_t nlane = shape->asleep ? 0 : shape->nlane - ss->away.n;
        info.nshape += nlane > 0;
        info.nlane += nlane;
        info.ncomponent += shape->components.n * nlane;
        info.ngroup += nlane ? shape->groups.n : 0;
        info.ncompiled += shape_compiled(ss);
        for (size_t g = 0; g < shape->groups.n && nlane; g++) {
            info.nunknown += shape->groups.items[g].nunknown * nlane;
            if (shape->groups.items[g].nunknown > info.largest_group)
                info.largest_group = shape->groups.items[g].nunknown;
        }
        if (ss->lean.isa > info.isa)
            info.isa = ss->lean.isa;
        info.bytes +=
            sizeof *ss + shape_bytes(shape) + program_bytes(&ss->lean) + program_bytes(&ss->full) +
            (ss->fused.explicit_.room + ss->fused.reduce.room + ss->fused.solve.room) * sizeof(Op) +
            ss->fused.at.room * sizeof(uint32_t) + ss->workspace_bytes + ss->record_bytes +
            ss->slot_first.room * sizeof(uint32_t) + ss->slots.room * sizeof(SlotValue) +
            ss->unknowns.room * sizeof(UnknownPlace) +
            (ss->limit.room + ss->found.room + ss->ndense) * sizeof(double) +
            ss->crossings.room * sizeof(CrossingRef) + ss->away.ntable * sizeof(AwayBlock) +
            ss->room * (shape->components.n * sizeof(uint32_t) +
                        (shape->states.n + ss->crossings.n) * sizeof(size_t));
        for (size_t s = 0; s < ss->slots.n; s++)
            if (ss->slots.items[s].lanes)
                info.bytes += lane_room(ss) * sizeof(double);
        if (ss->net)
            info.bytes += net_bytes(ss->net);
    }
    for (size_t s = 0; s < system->flat.sheets.n; s++)
        info.bytes += system->flat.sheets.items[s].instances.n * sizeof(InstancePlace);
    return info;
}

/* ------------------------------------------------------------------ observers */

/* A value to watch: a state straight from x, or a real of the full record. It is known by
 * its component; where that is evaluated is looked up again when connections have changed. */
typedef struct Watch {
    Element element;
    int area; /* LIEDER_SIGNALS ... of a port, or -1: in the struct */
    int port;
    uint32_t offset; /* there */
    bool state;
    size_t index; /* state: in x; else place in the record */
    uint32_t shape;
    size_t lane;
    const char *unit;
} Watch;

struct LiederObserver {
    LiederSystem *system;
    VEC(Watch) watches;
    VEC(uint32_t) order; /* by shape and lane, so that each lane is evaluated once */
    bool sorted, flows;
    size_t version; /* of the structure that the places belong to */
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
static bool find_port_variable(const LiederClass *class_, const char *rest, Watch *w, bool *flow)
{
    size_t n = strcspn(rest, ".");
    w->port = class_find_port(class_, rest, n);
    if (w->port < 0)
        return false;
    const LiederDomain *d = class_->def->ports[w->port].domain;
    const char *name = rest[n] == '.'       ? rest + n + 1
                       : d->npotential == 0 ? d->variables[0].name
                                            : "";
    for (int i = 0; i < d->nsignal + d->npotential + d->nflow * d->nregime; i++) {
        if (strcmp(d->variables[i].name, name) != 0)
            continue;
        int beyond = i - d->nsignal - d->npotential;
        w->unit = d->variables[i].unit;
        *flow = beyond >= 0;
        w->area = i < d->nsignal ? LIEDER_SIGNALS : *flow ? LIEDER_FLOWS : LIEDER_POTENTIALS;
        w->offset = (uint32_t)(i < d->nsignal ? i : *flow ? beyond : i - d->nsignal);
        return true;
    }
    return false;
}

/* where a value stands now */
static LiederStatus place_watch(LiederSystem *system, Watch *w)
{
    Seat seat = current_seat(system, &w->element);
    w->shape = seat.shape;
    w->lane = seat.lane;
    if (seat.shape == NOWHERE || w->state)
        return LIEDER_DONE;
    SystemShape *ss = &system->shapes.items[seat.shape];
    LiederStatus status = full_prepare(system, ss);
    if (status != LIEDER_DONE)
        return status;
    const uint32_t *at = at_of(&ss->full, seat.component);
    w->index = w->offset + (w->area < 0 ? at[LIEDER_AT_SELF]
                                        : at[LIEDER_AT_PORT + LIEDER_PER_PORT * w->port + w->area]);
    return LIEDER_DONE;
}

ptrdiff_t lieder_observer_add(LiederObserver *o, const char *path)
{
    LiederSystem *system = o->system;
    const char *rest;
    char inner[512];
    bool derivative = strncmp(path, "der(", 4) == 0 && path[strlen(path) - 1] == ')';
    if (derivative) {
        snprintf(inner, sizeof inner, "%.*s", (int)(strlen(path) - 5), path + 4);
        path = inner;
    }
    Watch w = {.area = -1};
    Seat home = find_component(system, path, &w.element, &rest);
    bool found = false, flow = false;
    if (home.shape != NOWHERE) {
        PathStep step;
        const char *name = rest;
        bool plain = path_next(&name, &step) && *name == '\0';
        const LiederClass *class_ =
            system->flat.sheets.items[w.element.sheet].instances.items[w.element.instance].class_;
        const LiederMember *m = plain ? class_find_member(class_, step.name, step.length) : NULL;
        if (m && derivative) {
            found = m->kind == LIEDER_STATE;
            w.offset = (uint32_t)m->other;
            w.unit = "";
        } else if (m && m->kind == LIEDER_STATE && lieder_system_state_index(system, path) >= 0) {
            found = w.state = true;
            w.index = (size_t)lieder_system_state_index(system, path);
            w.unit = m->unit;
        } else if (m && !(m->kind == LIEDER_PARAMETER && m->length == 0)) {
            int element = step.index < 0 ? 0 : (int)step.index;
            found = element < (m->kind == LIEDER_PARAMETER ? m->length : 1);
            w.offset = (uint32_t)(m->index + element);
            w.unit = m->unit;
            flow = m->kind == LIEDER_OBSERVABLE; /* sensors find theirs on the way inward */
        } else if (!derivative) {
            found = find_port_variable(class_, rest, &w, &flow);
        }
    }
    if (!found) {
        diag_error(&system->session->diag, NULL, path,
                   "there is no variable of this name\nname a component and a variable as in "
                   "\"crab[3].revolute.phi\"");
        return -1;
    }
    /* at home, too, so that a part that returns there finds all it needs */
    SystemShape *ss = &system->shapes.items[home.shape];
    if ((!ss->shape->asleep && full_prepare(system, ss) != LIEDER_DONE) ||
        place_watch(system, &w) != LIEDER_DONE ||
        !vec_reserve(SYSTEM_ALLOC(system), &o->order, o->watches.n + 1) ||
        !vec_push(SYSTEM_ALLOC(system), &o->watches, w)) {
        diag_error(&system->session->diag, NULL, path, "not enough memory");
        return -1;
    }
    o->flows |= flow;
    o->sorted = false;
    return (ptrdiff_t)o->watches.n - 1;
}

bool observer_place(const LiederObserver *o, size_t index, uint32_t *shape, size_t *lane)
{
    Seat seat = current_seat(o->system, &o->watches.items[index].element);
    *shape = seat.shape;
    *lane = seat.lane;
    return seat.shape != NOWHERE;
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
    LiederSystem *system = o->system;
    if (o->version != system->structure.version) {
        for (size_t i = 0; i < o->watches.n; i++) {
            LiederStatus status = place_watch(system, &o->watches.items[i]);
            if (status != LIEDER_DONE)
                return status;
        }
        o->version = system->structure.version;
        o->sorted = false;
    }
    if (!o->sorted)
        sort_watches(o);
    const Watch *last = NULL;
    for (size_t i = 0; i < o->watches.n; i++) {
        const Watch *w = &o->watches.items[o->order.items[i]];
        if (w->state || w->shape == NOWHERE) {
            values[o->order.items[i]] = w->shape == NOWHERE ? NAN : x[w->index];
            continue;
        }
        SystemShape *ss = &system->shapes.items[w->shape];
        if (!last || before(last, w)) {
            LiederStatus status = evaluate_lane(system, ss, w->lane, t, x, o->flows);
            if (status != LIEDER_DONE)
                return status;
            last = w;
        }
        values[o->order.items[i]] = ((double *)ss->record)[w->index * (size_t)ss->full.lanes];
    }
    return LIEDER_DONE;
}
