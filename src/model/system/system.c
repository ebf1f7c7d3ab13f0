/* system.c - from a model's name to a system, and the functions of lieder.h on systems. */
#include "model/system/system.h"
#include "model/linear/linear.h"
#include "model/net/net.h"
#include "model/flat/split.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

LiederSystemOptions lieder_system_defaults(void)
{
    return (LiederSystemOptions){.method = LIEDER_METHOD_AUTO, .isa = LIEDER_ISA_AUTO};
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
    if (ss->code.fused.at.n)
        fused_drop(&ss->code.fused, ss->plan.lean.alloc);
    if (ss->code.library)
        dlclose(ss->code.library);
    ss->code.library = NULL;
    ss->code.compiled = NULL;
}

void set_lanes_differ(SystemShape *ss, bool differ)
{
    if (ss->values.lanes_differ != differ && ss->code.compiled)
        forget_compiled(ss); /* it knows of one record only, or of as many as the workspace has */
    ss->values.lanes_differ = differ;
}

/* ------------------------------------------------------------------ creation */

/* the variables of all classes of the model, so that finding them later needs no memory */
static bool list_variables(LiederSystem *system)
{
    const Flat *flat = &system->flat;
    bool ok = true;
    for (size_t s = 0; s < flat->sheets.n && ok; s++)
        for (size_t i = 0; i < flat->sheets.items[s].rows.n && ok; i++)
            ok = class_list_variables(system->session, flat->sheets.items[s].rows.items[i].class_);
    return ok;
}

/* states, choices and numbers of a shape get their places */
static LiederStatus list_shape(LiederSystem *system, Shape *shape)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    if (!vec_push(alloc, &system->shapes, (SystemShape){.shape = shape}))
        return LIEDER_NO_MEMORY;
    SystemShape *ss = &system->shapes.items[system->shapes.n - 1];
    system->nhome = system->shapes.n;
    ss->first_state = system->nstate;
    system->nstate += shape->states.n * shape->nlane;
    if (!list_held(ss, alloc))
        return LIEDER_NO_MEMORY;
    ss->held.first_choice = system->nchoice;
    system->nchoice += ss->held.crossings.n * shape->nlane;
    system->nheld += ss->held.nheld * shape->nlane;
    ss->held.first_memory = system->nmemory;
    system->nmemory += ss->held.memories.n * shape->nlane;
    system->nguess += ss->held.nguess * shape->nlane;
    return slots_collect(system, ss) ? LIEDER_DONE : LIEDER_NO_MEMORY;
}

/* a shape is made ready to be evaluated, unless it sleeps or its lanes are on other ranks */
static LiederStatus build_shape(LiederSystem *system, SystemShape *ss)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    const Shape *shape = ss->shape;
    if (shape->asleep)
        return LIEDER_DONE;
    if (shape->nlane ==
        0) /* all of it is elsewhere; what depends on the method is the same there */
        return choose_method(shape, system->options.method, alloc, &ss->plan.method);
    return prepare_shape(system, ss, shape->nlane);
}

/* where each component is evaluated: shape, component, first lane; false: no memory */
static bool index_places(LiederSystem *system)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    for (size_t s = 0; s < system->flat.sheets.n; s++) {
        size_t n = system->flat.sheets.items[s].nheld;
        Seat *places = memory_zeroed(alloc, n * sizeof *places);
        if (!places || !vec_push(alloc, &system->places, places)) {
            memory_free(alloc, places, n * sizeof *places);
            return false;
        }
        memset(places, 0xff, n * sizeof *places);
    }
    for (uint32_t k = 0; k < system->list.shapes.n; k++) {
        const Shape *shape = system->list.shapes.items[k];
        for (uint32_t b = 0; b < shape->batches.n; b++) {
            const Batch *batch = &shape->batches.items[b];
            const Sheet *sheet = &system->flat.sheets.items[batch->sheet];
            for (uint32_t c = 0; c < shape->components.n; c++)
                system->places
                    .items[batch->sheet][sheet_instance(sheet, batch->instances[c]).held] =
                    (Seat){k, c, batch->first_lane};
        }
    }
    return true;
}

Seat system_place(const LiederSystem *system, uint32_t sheet, uint32_t instance)
{
    Instance in = sheet_instance(&system->flat.sheets.items[sheet], instance);
    return instance_is_held(&in) ? system->places.items[sheet][in.held]
                                 : (Seat){NOWHERE, NOWHERE, 0};
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

/* instances and shapes of the model, or of what this rank holds; continues after wrong numbers, so
 * that all mistakes are reported at once */
static LiederStatus find_structure(LiederSystem *system, const LiederClass *class_, HeldRuns *held)
{
    LiederStatus status = flatten(&system->flat, system->session, class_, held);
    if (status != LIEDER_DONE && status != LIEDER_BAD_MODEL)
        return status;
    LiederStatus found = system->flat.status == LIEDER_DONE && system->flat.scopes.n
                             ? find_shapes(&system->list, &system->flat)
                             : LIEDER_BAD_MODEL;
    return found != LIEDER_DONE ? found : status;
}

/* whether the part that this rank holds is one net, as split.c expects */
static bool part_suits(const LiederSystem *system, LiederStatus *status)
{
    const ShapeList *list = &system->list;
    bool suits =
        list->shapes.n == 1 && list->shapes.items[0]->nlane == 1 && !list->shapes.items[0]->asleep;
    char problem[8];
    if (suits)
        *status = net_suits(list->shapes.items[0], SYSTEM_ALLOC(system), &suits);
    return suits && !*cholmod_problem(problem, sizeof problem);
}

/* the sum over the ranks of their own states */
static void count_cut_states(LiederSystem *system)
{
    double n = 0;
    const Shape *shape = system->list.shapes.items[0];
    for (size_t s = 0; s < shape->states.n; s++)
        n += owns_state(system, shape, s);
    system->options.ranks->combine(system->options.ranks->user, LIEDER_SUM, &n, 1);
    system->cut_states = (size_t)n;
}

/* A net that ranks share is cut; system->cut says whether. All ranks come to the same decision: if
 * one of them holds something else than a net, all hold all of it. */
static LiederStatus cut_structure(LiederSystem *system, const LiederClass *class_)
{
    const LiederRanks *ranks = system->options.ranks;
    LiederMethod method = system->options.method;
    Split split;
    if (rank_count(system) < 2 || (method != LIEDER_METHOD_AUTO && method != LIEDER_METHOD_NET) ||
        ranks->rank < 0 || ranks->rank >= ranks->count)
        return LIEDER_DONE;
    if (class_->model)
        model_resolve(class_->model);
    LiederStatus status = split_find(&split, class_->model, ranks);
    if (status == LIEDER_DONE && split.cut) {
        status = find_structure(system, class_, &split.held);
        double bad[2] = {status != LIEDER_DONE,
                         status == LIEDER_DONE && !part_suits(system, &status)};
        ranks->combine(ranks->user, LIEDER_GREATEST, bad, 2);
        if (status == LIEDER_DONE && bad[0])
            status = LIEDER_BAD_MODEL; /* on another rank, which reports it */
        system->cut = status == LIEDER_DONE && !bad[1];
        if (system->cut) {
            system->list.shapes.items[0]->cut = true;
            /* no other subsystem will be compared with it */
            vec_drop(SYSTEM_ALLOC(system), &system->list.shapes.items[0]->signature);
            count_cut_states(system);
        } else if (status == LIEDER_DONE) {
            shapes_drop(&system->list, SYSTEM_ALLOC(system));
            flat_drop(&system->flat);
            system->list = (ShapeList){0};
        }
    }
    split_drop(&split, SYSTEM_ALLOC(system));
    return status;
}

LiederSystem *lieder_system_create(Lieder *session, const char *model_name,
                                   const LiederSystemOptions *options)
{
    const Loader *loader = &session->loader;
    if (loader->front && loader->knows(loader->front, model_name))
        return loader->create(loader->front, model_name, options);
    return system_of_model(session, model_name, options);
}

LiederSystem *system_of_model(Lieder *session, const char *model_name,
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
    LiederStatus status = cut_structure(system, class_);
    HeldRuns all = {0};
    if (status == LIEDER_DONE && !system->cut)
        status = find_structure(system, class_, &all);
    if (status == LIEDER_DONE)
        status = share_lanes(system);
    for (size_t i = 0; i < system->list.shapes.n && status == LIEDER_DONE; i++)
        status = list_shape(system, system->list.shapes.items[i]);
    /* before programs and nets need their memory */
    bool settled = status == LIEDER_DONE && !flat_has_attributes(&system->flat);
    if (settled && !flat_settle(&system->flat))
        status = LIEDER_NO_MEMORY;
    for (size_t i = 0; i < system->shapes.n && status == LIEDER_DONE; i++) {
        LiederStatus built = build_shape(system, &system->shapes.items[i]);
        if (built == LIEDER_BAD_MODEL)
            system->flat.nwrong++;
        else
            status = built;
    }
    if (status == LIEDER_DONE && system->flat.nwrong)
        status = LIEDER_BAD_MODEL;
    if (status == LIEDER_DONE && (!index_places(system) || !make_stages(system) ||
                                  !held_create(system) || !list_variables(system)))
        status = LIEDER_NO_MEMORY;
    if (status == LIEDER_DONE)
        status = scales_create(system);
    if (status == LIEDER_DONE && !settled && !flat_settle(&system->flat))
        status = LIEDER_NO_MEMORY;
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
    size_t room = ss->guest.room, ncomponent = ss->shape->components.n;
    for (size_t s = 0; s < ss->values.slots.n && !room; s++)
        number_list_release(alloc, number_list_of(ss->values.slots.items[s].lanes));
    memory_free(alloc, ss->guest.slot_block, ss->values.slots.n * room * sizeof(double));
    memory_free(alloc, ss->guest.members, ncomponent * room * sizeof *ss->guest.members);
    memory_free(alloc, ss->guest.state_home,
                ss->shape->states.n * room * sizeof *ss->guest.state_home);
    memory_free(alloc, ss->guest.choice_home,
                ss->held.crossings.n * room * sizeof *ss->guest.choice_home);
    memory_free(alloc, ss->guest.memory_home,
                ss->held.memories.n * room * sizeof *ss->guest.memory_home);
    memory_free(alloc, ss->away.table, ss->away.ntable * sizeof *ss->away.table);
    vec_drop(alloc, &ss->values.slots);
    vec_drop(alloc, &ss->values.exceptions);
    vec_drop(alloc, &ss->values.slot_first);
    vec_drop(alloc, &ss->held.crossings);
    vec_drop(alloc, &ss->held.memories);
    vec_drop(alloc, &ss->held.alert);
    vec_drop(alloc, &ss->limit);
    vec_drop(alloc, &ss->pivots);
    vec_drop(alloc, &ss->code.known.places);
    vec_drop(alloc, &ss->code.joined_known.places);
    vec_drop(alloc, &ss->energies);
    forget_compiled(ss);
    if (ss->code.joined.run)
        program_unjoin(&ss->plan.lean, &ss->code.joined);
    workspace_destroy(ss, ss->workspace, alloc); /* before its sizes are gone */
    vec_drop(alloc, &ss->plan.unknowns);
    program_drop(&ss->plan.lean);
    program_drop(&ss->plan.full);
    sparse_destroy(ss, alloc);
    net_destroy(ss->plan.net);
}

void lieder_system_destroy(LiederSystem *system)
{
    if (!system)
        return;
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    for (size_t i = 0; i < system->shapes.n; i++)
        system_shape_drop(&system->shapes.items[i], alloc);
    vec_drop(alloc, &system->shapes);
    scales_drop(system);
    held_drop(system);
    structure_drop(system);
    row_counts_drop(system);
    memory_free_aligned(alloc, system->stages, STAGE_VECTORS * system->stage_room * sizeof(double));
    for (size_t s = 0; s < system->places.n; s++)
        memory_free(alloc, system->places.items[s],
                    system->flat.sheets.items[s].nheld * sizeof(Seat));
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

LiederStatus system_start(LiederSystem *system, double t, double *x)
{
    LiederStatus status = LIEDER_DONE;
    for (size_t i = 0; i < system->shapes.n; i++) {
        LiederStatus found = find_start(system, &system->shapes.items[i], t, x);
        status = found != LIEDER_DONE ? found : status;
    }
    return status;
}

LiederStatus lieder_system_start(const LiederSystem *system, double *x)
{
    return system_start((LiederSystem *)system, 0, x);
}

Seat home_seat(const LiederSystem *system, const LiederElement *e)
{
    Seat seat = system_place(system, e->sheet, e->instance);
    if (seat.shape == NOWHERE)
        return seat;
    const Shape *shape = system->shapes.items[seat.shape].shape;
    seat.lane += e->lane - shape->first_lane;
    if (seat.lane >= shape->nlane)
        seat.shape = NOWHERE; /* of another rank */
    return seat;
}

bool owns_element(const LiederSystem *system, const LiederElement *e)
{
    Instance in = sheet_instance(&system->flat.sheets.items[e->sheet], e->instance);
    if (in.owner || !instance_is_held(&in))
        return in.owner == 1 + system->options.ranks->rank;
    return system->places.items[e->sheet][in.held].shape == NOWHERE ||
           home_seat(system, e).shape != NOWHERE;
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
        snprintf(buffer, size, "%s%s%s", path, *path ? "." : "", ref->member->name);
        return buffer;
    }
    if (size)
        buffer[0] = '\0';
    return buffer;
}

bool owns_state(const LiederSystem *system, const Shape *shape, size_t s)
{
    const Batch *batch = &shape->batches.items[0];
    uint32_t component = shape->states.items[s].component;
    return !shape->cut ||
           owns_element(system, &(LiederElement){.sheet = batch->sheet,
                                                 .instance = batch->instances[component]});
}

size_t system_all_states(const LiederSystem *system)
{
    size_t n = 0;
    if (system->cut)
        return system->cut_states;
    for (size_t i = 0; i < system->nhome; i++)
        n += system->shapes.items[i].shape->states.n * system->shapes.items[i].shape->all_lanes;
    return n;
}

LiederSystemInfo lieder_system_info(const LiederSystem *system)
{
    LiederSystemInfo info = {
        .nstate = system->nstate,
        .all_states = system_all_states(system),
        .bytes = sizeof *system + flat_bytes(&system->flat) +
                 (system->nmemory + (system->choices ? 2 * system->nchoice : 0)) * sizeof(double) +
                 structure_bytes(system) + row_counts_bytes(system) +
                 STAGE_VECTORS * system->stage_room * sizeof(double) +
                 (system->scales.nominal ? 3 * system->scales.bytes : 0)};
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
        if (ss->plan.lean.isa > info.isa)
            info.isa = ss->plan.lean.isa;
        info.bytes +=
            sizeof *ss + shape_bytes(shape) + program_bytes(&ss->plan.lean) +
            program_bytes(&ss->plan.full) +
            (ss->code.fused.explicit_.room + ss->code.fused.reduce.room +
             ss->code.fused.solve.room) *
                sizeof(Op) +
            ss->code.fused.at.room * sizeof(uint32_t) + ss->strip_bytes + ss->record_bytes +
            ss->values.slot_first.room * sizeof(uint32_t) +
            ss->values.slots.room * sizeof(SlotValue) +
            ss->values.exceptions.room * sizeof(SlotException) +
            ss->plan.unknowns.room * sizeof(UnknownPlace) +
            (ss->limit.room + ss->pivots.room + ss->plan.unknowns.n + ss->plan.ndense) *
                sizeof(double) +
            (ss->held.crossings.room + ss->held.memories.room) * sizeof(CrossingRef) +
            ss->held.alert.room * sizeof(uint32_t) + ss->away.ntable * sizeof(AwayBlock) +
            ss->guest.room *
                (shape->components.n * sizeof(uint32_t) +
                 (shape->states.n + ss->held.crossings.n + ss->held.memories.n) * sizeof(size_t));
        for (size_t s = 0; s < ss->values.slots.n; s++)
            if (ss->values.slots.items[s].lanes)
                info.bytes += lane_room(ss) * sizeof(double);
        if (ss->plan.net && ss->workspace->net)
            info.bytes += net_bytes(ss->plan.net, ss->workspace->net);
    }
    for (size_t s = 0; s < system->flat.sheets.n; s++)
        info.bytes += system->flat.sheets.items[s].nheld * sizeof(Seat);
    return info;
}
