/* system.c - from a model's name to a system, and what a program may ask of it. */
#include "model/system.h"
#include "model/split.h"

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
    return ISA_TABLE(isa, lane_ops);
}

/* the widest instruction set that machine and classes have, no wider than the lanes fill */
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
    if (shape->batches.n == 1 && shape->nlane == shape->all_lanes)
        return number_list_hold(
            sheet_lanes(sheet, sheet_instance(sheet, batch->instances[i]).first_slot + s));
    NumberList *numbers = number_list_create(SYSTEM_ALLOC(system), shape->nlane);
    for (size_t l = 0; l < shape->nlane && numbers;) {
        batch = batch_of_lane(shape, shape->first_lane + l);
        sheet = &system->flat.sheets.items[batch->sheet];
        uint32_t slot = sheet_instance(sheet, batch->instances[i]).first_slot + s;
        size_t from = shape->first_lane + l - batch->first_lane;
        for (; from < batch->nlane && l < shape->nlane; from++, l++)
            numbers->values[l] = sheet_value(sheet, slot, from);
    }
    return numbers;
}

/* the numbers of component i, behind those before it; false: no memory */
static bool collect_component(LiederSystem *system, SystemShape *ss, size_t i)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    const Shape *shape = ss->shape;
    uint32_t nslot = (uint32_t)shape->components.items[i].class_->nslot;
    if (!vec_push(alloc, &ss->slot_first, (uint32_t)ss->slots.n) ||
        !vec_resize(alloc, &ss->slots, ss->slots.n + nslot))
        return false;
    for (uint32_t s = 0; s < nslot; s++) {
        SlotValue *v = &ss->slots.items[ss->slot_first.items[i] + s];
        const Batch *first = &shape->batches.items[0];
        const Sheet *sheet = &system->flat.sheets.items[first->sheet];
        v->value = sheet_value(sheet, sheet_instance(sheet, first->instances[i]).first_slot + s, 0);
        bool differ = false;
        for (size_t b = 0; b < shape->batches.n && !differ; b++) {
            sheet = &system->flat.sheets.items[shape->batches.items[b].sheet];
            uint32_t slot =
                sheet_instance(sheet, shape->batches.items[b].instances[i]).first_slot + s;
            double other = sheet_value(sheet, slot, 0);
            differ = sheet->lanes_of.items[slot] ||
                     (other != v->value && !(isnan(other) && isnan(v->value)));
        }
        const LiederMember *m = shape->components.items[i].class_->slots[s].member;
        if (!differ || (m && m->structural) || shape->nlane == 0)
            continue;
        NumberList *numbers = collect_lanes(system, shape, i, s);
        if (!numbers)
            return false;
        v->lanes = numbers->values;
        if (!m || !member_has_start(m))
            ss->lanes_differ = true;
    }
    return true;
}

/* Components of a net that have the same numbers as one before of their class share them, but for
 * few exceptions (start values, say); what is set later gets a place of its own (own_slots). */
typedef struct SlotCommon {
    const LiederClass *class_;
    uint32_t first;
} SlotCommon;
typedef VEC(SlotCommon) SlotCommons;
/* slots take so many times the memory of their exceptions; different ones of a class */
enum { MIN_SAVING = 2, MAX_COMMON = 8 };

/* in how many numbers two components of a class differ; more than all: in some by lane */
static size_t count_different(const SlotValue *a, const SlotValue *b, size_t n)
{
    size_t differ = 0;
    for (size_t s = 0; s < n; s++) {
        if (a[s].lanes || b[s].lanes)
            return n + 1;
        differ += memcmp(&a[s].value, &b[s].value, sizeof a->value) != 0;
    }
    return differ;
}

/* the numbers of slots that are the same for equal components are kept once; false: no memory */
static bool share_slots(SystemShape *ss, size_t component, SlotCommons *known,
                        const LiederAllocator *alloc)
{
    const LiederClass *class_ = ss->shape->components.items[component].class_;
    uint32_t *first = &ss->slot_first.items[component];
    size_t n = (size_t)class_->nslot, nknown = 0, least = SIZE_MAX, best = 0;
    const SlotValue *own = ss->slots.items + *first;
    for (size_t k = 0; k < known->n && least > 0; k++) {
        if (known->items[k].class_ != class_)
            continue;
        size_t differ = count_different(ss->slots.items + known->items[k].first, own, n);
        best = differ < least ? k : best;
        least = differ < least ? differ : least;
        nknown++;
    }
    /* its own numbers are worth keeping, for those that follow */
    if (nknown == 0 || (least > 1 && nknown < MAX_COMMON))
        return vec_push(alloc, known, ((SlotCommon){class_, *first}));
    if (least > n || MIN_SAVING * least * sizeof(SlotException) >= n * sizeof(SlotValue)) {
        known->items[best].first = *first;
        return true;
    }
    const SlotValue *common = ss->slots.items + known->items[best].first;
    for (size_t s = 0; s < n && least > 0; s++)
        if (memcmp(&common[s].value, &own[s].value, sizeof own->value) != 0 &&
            !vec_push(alloc, &ss->exceptions,
                      ((SlotException){(uint32_t)component, (uint32_t)s, own[s]})))
            return false;
    ss->slots.n -= n;
    *first = known->items[best].first;
    return true;
}

const SlotValue *slot_exception(const SystemShape *ss, uint32_t component, uint32_t slot)
{
    size_t low = 0, high = ss->exceptions.n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const SlotException *e = &ss->exceptions.items[middle];
        if (e->component == component && e->slot == slot)
            return &e->value;
        bool before = e->component < component || (e->component == component && e->slot < slot);
        *(before ? &low : &high) = before ? middle + 1 : middle;
    }
    return NULL;
}

/* values of all slots of a shape, as one number or by lane; false: no memory */
static bool collect_slots(LiederSystem *system, SystemShape *ss)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    const Shape *shape = ss->shape;
    SlotCommons known = {0};
    size_t nslot = 0;
    for (size_t i = 0; i < shape->components.n; i++)
        nslot += (size_t)shape->components.items[i].class_->nslot;
    bool ok = vec_reserve(alloc, &ss->slot_first, shape->components.n) &&
              (shape->cut || vec_reserve(alloc, &ss->slots, nslot));
    for (size_t i = 0; i < shape->components.n && ok; i++) {
        ok = collect_component(system, ss, i) && (!shape->cut || share_slots(ss, i, &known, alloc));
    }
    if (shape->cut)
        ss->ncommon = (uint32_t)ss->slots.n;
    vec_drop(alloc, &known);
    return ok;
}

/* ------------------------------------------------------------------ creation */

/* the variables of all classes at hand, so that finding them later needs no memory */
static bool list_variables(LiederSystem *system)
{
    const Flat *flat = &system->flat;
    bool ok = true;
    for (size_t s = 0; s < flat->sheets.n && ok; s++)
        for (size_t i = 0; i < flat->sheets.items[s].rows.n && ok; i++)
            ok = class_list_variables(system->session, flat->sheets.items[s].rows.items[i].class_);
    return ok;
}

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

LiederStatus choose_method(const Shape *shape, LiederMethod wanted, const LiederAllocator *alloc,
                           LiederMethod *method)
{
    bool automatic = wanted == LIEDER_METHOD_AUTO, suits;
    *method = wanted;
    if (shape->cut) {
        *method = LIEDER_METHOD_NET;
        return LIEDER_DONE;
    }
    /* no tree to eliminate along */
    if (shape->general && wanted != LIEDER_METHOD_PROBE)
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

/* Lanes per strip: as many records as fit half of the first-level cache, at least one. Instructions
 * are dispatched once for eight records, the most that they are run on at a time, and once more for
 * each power of two of what is left over: with tapes a strip is about as many eights. */
static int choose_strip(const Program *p, const LiederSystemOptions *options, size_t nlane)
{
    size_t bytes = p->nreal * (size_t)p->lanes * sizeof(double);
    size_t records = options->strip > 0
                         ? ((size_t)options->strip + (size_t)p->lanes - 1) / (size_t)p->lanes
                         : 24576 / bytes;
    size_t most = (nlane + (size_t)p->lanes - 1) / (size_t)p->lanes;
    if (records > 32 && options->strip <= 0)
        records = 32;
    if (p->nscratch > 0 && options->strip <= 0)
        records = records < 8 ? 8 : (records + 4) / 8 * 8;
    if (records > most)
        records = most;
    return records < 1 ? 1 : (int)records;
}

/* the ops of a shape at once, with the numbers that are known; it fits where the general one does
 */
static LiederStatus join_known(SystemShape *ss, const LiederAllocator *alloc)
{
    int nscratch = 0;
    if (!known_find(ss, alloc, &ss->joined_known))
        return LIEDER_NO_MEMORY;
    ss->joined = program_join(&ss->lean, ss->joined_known.places.items, ss->joined_known.places.n,
                              &nscratch);
    if (ss->joined.run && (uint32_t)nscratch > ss->lean.nscratch)
        program_unjoin(&ss->lean, &ss->joined);
    return nscratch < 0 ? LIEDER_NO_MEMORY : LIEDER_DONE;
}

/* how the linear groups of a shape are solved: ss->method */
static LiederStatus settle_method(LiederSystem *system, SystemShape *ss)
{
    LiederStatus status =
        choose_method(ss->shape, system->options.method, SYSTEM_ALLOC(system), &ss->method);
    if (status != LIEDER_DONE)
        return status;
    if (ss->room && ss->method == LIEDER_METHOD_NET)
        ss->method = LIEDER_METHOD_SPARSE; /* guests come and go lane by lane */
    char problem[400];
    if (ss->method == LIEDER_METHOD_NET && *cholmod_problem(problem, sizeof problem)) {
        diag_warning(&system->session->diag, NULL, NULL,
                     "CHOLMOD cannot be loaded: %s\na net is solved as one sparse system instead, "
                     "which takes longer",
                     problem);
        ss->method = LIEDER_METHOD_SPARSE;
    }
    return LIEDER_DONE;
}

/* is the full program run before anything is observed? */
static bool needs_full(const SystemShape *ss)
{
    bool alone = ss->method == LIEDER_METHOD_TREE || ss->method == LIEDER_METHOD_NET;
    /* guests are read by observers that were made before them */
    bool full = !alone || ss->crossings.n > 0 || ss->memories.n > 0 || ss->room ||
                shape_has_conditions(ss->shape);
    for (size_t s = 0; s < ss->shape->states.n; s++)
        full |= isnan(ss->shape->states.items[s].member->fallback); /* its start block finds it */
    return full;
}

/* the lean program of a shape, or its net, which has programs of its own; and its workspace */
static LiederStatus build_lean(LiederSystem *system, SystemShape *ss, LiederIsa isa, size_t nlane)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    bool tree = ss->method == LIEDER_METHOD_TREE;
    LiederStatus status;
    ss->strip = 1;
    if (ss->method == LIEDER_METHOD_NET) {
        ss->lean = (Program){.isa = isa, .lanes = 1};
        status = net_create(system, ss, &ss->net);
        if (status == LIEDER_DONE)
            ss->lean.isa = net_isa(ss->net);
    } else {
        status = program_build(&ss->lean, ss->shape, isa, false, tree, alloc);
        if (status == LIEDER_DONE && tree)
            ss->strip = choose_strip(&ss->lean, &system->options, nlane);
        if (status == LIEDER_DONE && ss->room && ss->strip * ss->lean.lanes > GUEST_WIDTH)
            ss->strip = GUEST_WIDTH / ss->lean.lanes;
    }
    return status == LIEDER_DONE ? workspace_prepare(ss, alloc) : status;
}

LiederStatus prepare_shape(LiederSystem *system, SystemShape *ss, size_t nlane)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    LiederIsa isa = shape_isa(ss->shape, system->options.isa, nlane);
    if (isa == LIEDER_ISA_AUTO) {
        diag_error(&system->session->diag, NULL, NULL,
                   "the classes of this model have no code for a common instruction set\ncompile "
                   "all files with component classes for the same ones");
        return LIEDER_BAD_MODEL;
    }
    ss->lean_ops = lane_ops_of(isa);
    LiederStatus status = settle_method(system, ss);
    if (status == LIEDER_DONE)
        status = build_lean(system, ss, isa, nlane);
    if (status != LIEDER_DONE)
        return status;
    bool tree = ss->method == LIEDER_METHOD_TREE, net = ss->method == LIEDER_METHOD_NET;
    choose_width(ss);
    if (needs_full(ss))
        status = full_prepare(system, ss);
    if (status == LIEDER_DONE)
        status = net ? net_check(system, ss, ss->workspace->net) : check_pivots(system, ss, 0);
    if (status == LIEDER_DONE && ss->method == LIEDER_METHOD_PROBE)
        status = probe_prepare(ss, alloc);
    if (status == LIEDER_DONE && ss->method == LIEDER_METHOD_SPARSE)
        status = sparse_create(ss, alloc);
    if (status == LIEDER_DONE && !tree && !net)
        status = workspace_add_method(system, ss);
    if (status == LIEDER_DONE && !workspace_refill(ss)) /* now with the limits of the pivots */
        status = LIEDER_NO_MEMORY;
    if (status == LIEDER_DONE && ss->lean.joined.run)
        status = join_known(ss, alloc);
    return status;
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
    ss->first_choice = system->nchoice;
    system->nchoice += ss->crossings.n * shape->nlane;
    system->nheld += ss->nheld * shape->nlane;
    ss->first_memory = system->nmemory;
    system->nmemory += ss->memories.n * shape->nlane;
    system->nguess += ss->nguess * shape->nlane;
    return collect_slots(system, ss) ? LIEDER_DONE : LIEDER_NO_MEMORY;
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
        return choose_method(shape, system->options.method, alloc, &ss->method);
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

/* instances and shapes of all of it, or of what this rank holds; goes on after wrong numbers: all
 * problems are shown at once */
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

/* whether what this rank holds is one net after all */
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

/* of all ranks, each its own */
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
            status = LIEDER_BAD_MODEL; /* on another rank, which says why */
        system->cut = status == LIEDER_DONE && !bad[1];
        if (system->cut) {
            system->list.shapes.items[0]->cut = true;
            /* nothing will be compared with it */
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
    size_t room = ss->room, ncomponent = ss->shape->components.n;
    for (size_t s = 0; s < ss->slots.n && !room; s++)
        number_list_release(alloc, number_list_of(ss->slots.items[s].lanes));
    memory_free(alloc, ss->slot_block, ss->slots.n * room * sizeof(double));
    memory_free(alloc, ss->members, ncomponent * room * sizeof *ss->members);
    memory_free(alloc, ss->state_home, ss->shape->states.n * room * sizeof *ss->state_home);
    memory_free(alloc, ss->choice_home, ss->crossings.n * room * sizeof *ss->choice_home);
    memory_free(alloc, ss->memory_home, ss->memories.n * room * sizeof *ss->memory_home);
    memory_free(alloc, ss->away.table, ss->away.ntable * sizeof *ss->away.table);
    vec_drop(alloc, &ss->slots);
    vec_drop(alloc, &ss->exceptions);
    vec_drop(alloc, &ss->slot_first);
    vec_drop(alloc, &ss->crossings);
    vec_drop(alloc, &ss->memories);
    vec_drop(alloc, &ss->alert);
    vec_drop(alloc, &ss->limit);
    vec_drop(alloc, &ss->pivots);
    vec_drop(alloc, &ss->known.places);
    vec_drop(alloc, &ss->joined_known.places);
    vec_drop(alloc, &ss->energies);
    forget_compiled(ss);
    if (ss->joined.run)
        program_unjoin(&ss->lean, &ss->joined);
    workspace_destroy(ss, ss->workspace, alloc); /* as the shape says how large it is */
    vec_drop(alloc, &ss->unknowns);
    program_drop(&ss->lean);
    program_drop(&ss->full);
    sparse_destroy(ss, alloc);
    net_destroy(ss->net);
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
        if (ss->lean.isa > info.isa)
            info.isa = ss->lean.isa;
        info.bytes +=
            sizeof *ss + shape_bytes(shape) + program_bytes(&ss->lean) + program_bytes(&ss->full) +
            (ss->fused.explicit_.room + ss->fused.reduce.room + ss->fused.solve.room) * sizeof(Op) +
            ss->fused.at.room * sizeof(uint32_t) + ss->strip_bytes + ss->record_bytes +
            ss->slot_first.room * sizeof(uint32_t) + ss->slots.room * sizeof(SlotValue) +
            ss->exceptions.room * sizeof(SlotException) + ss->unknowns.room * sizeof(UnknownPlace) +
            (ss->limit.room + ss->pivots.room + ss->unknowns.n + ss->ndense) * sizeof(double) +
            (ss->crossings.room + ss->memories.room) * sizeof(CrossingRef) +
            ss->alert.room * sizeof(uint32_t) + ss->away.ntable * sizeof(AwayBlock) +
            ss->room * (shape->components.n * sizeof(uint32_t) +
                        (shape->states.n + ss->crossings.n + ss->memories.n) * sizeof(size_t));
        for (size_t s = 0; s < ss->slots.n; s++)
            if (ss->slots.items[s].lanes)
                info.bytes += lane_room(ss) * sizeof(double);
        if (ss->net && ss->workspace->net)
            info.bytes += net_bytes(ss->net, ss->workspace->net);
    }
    for (size_t s = 0; s < system->flat.sheets.n; s++)
        info.bytes += system->flat.sheets.items[s].nheld * sizeof(Seat);
    return info;
}
