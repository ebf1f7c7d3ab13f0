/* prepare.c - how a shape is evaluated: the instruction set, the method for its linear groups, its
 * programs, the lanes of a strip. */
#include "model/system/system.h"
#include "model/linear/linear.h"
#include "model/net/net.h"

#include <math.h>

const LaneOps *lane_ops_of(LiederIsa isa)
{
    return ISA_TABLE(isa, lane_ops);
}

/* the widest instruction set that machine and classes have, no wider than the lanes fill */
LiederIsa shape_isa(const Shape *shape, LiederIsa widest, size_t nlane)
{
    LiederIsa best = LIEDER_ISA_AUTO;
    if (widest == LIEDER_ISA_AUTO)
        widest = LIEDER_ISA_AVX512;
    for (LiederIsa isa = LIEDER_ISA_SCALAR; isa <= widest; isa++) {
        if (!machine_has(isa) || !shape_has_isa(shape, isa))
            continue;
        best = isa;
        if ((size_t)1 << (isa - LIEDER_ISA_SCALAR) >= nlane)
            break;
    }
    return best;
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

/* the joined code with known numbers folded in, unless it needs more scratch than the general
 * one */
static LiederStatus join_known(SystemShape *ss, const LiederAllocator *alloc)
{
    int nscratch = 0;
    if (!known_find(ss, alloc, &ss->code.joined_known))
        return LIEDER_NO_MEMORY;
    ss->code.joined = program_join(&ss->plan.lean, ss->code.joined_known.places.items,
                                   ss->code.joined_known.places.n, &nscratch);
    if (ss->code.joined.run && (uint32_t)nscratch > ss->plan.lean.nscratch)
        program_unjoin(&ss->plan.lean, &ss->code.joined);
    return nscratch < 0 ? LIEDER_NO_MEMORY : LIEDER_DONE;
}

/* how the linear groups of a shape are solved: ss->plan.method */
static LiederStatus settle_method(LiederSystem *system, SystemShape *ss)
{
    LiederStatus status =
        choose_method(ss->shape, system->options.method, SYSTEM_ALLOC(system), &ss->plan.method);
    if (status != LIEDER_DONE)
        return status;
    if (ss->guest.room && ss->plan.method == LIEDER_METHOD_NET)
        ss->plan.method = LIEDER_METHOD_SPARSE; /* guests come and go lane by lane */
    char problem[400];
    if (ss->plan.method == LIEDER_METHOD_NET && *cholmod_problem(problem, sizeof problem)) {
        diag_warning(&system->session->diag, NULL, NULL,
                     "CHOLMOD cannot be loaded: %s\na net is solved as one sparse system instead, "
                     "which takes longer",
                     problem);
        ss->plan.method = LIEDER_METHOD_SPARSE;
    }
    return LIEDER_DONE;
}

/* whether the full program is needed before anything is observed */
static bool needs_full(const SystemShape *ss)
{
    bool alone = ss->plan.method == LIEDER_METHOD_TREE || ss->plan.method == LIEDER_METHOD_NET;
    /* guests are read by observers that were made before them */
    bool full = !alone || ss->held.crossings.n > 0 || ss->held.memories.n > 0 || ss->guest.room ||
                shape_has_conditions(ss->shape);
    for (size_t s = 0; s < ss->shape->states.n; s++)
        full |= isnan(ss->shape->states.items[s].member->fallback); /* its start block finds it */
    return full;
}

/* the lean program of a shape, or its net, which has programs of its own; and its workspace */
static LiederStatus build_lean(LiederSystem *system, SystemShape *ss, LiederIsa isa, size_t nlane)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    bool tree = ss->plan.method == LIEDER_METHOD_TREE;
    LiederStatus status;
    ss->strip = 1;
    if (ss->plan.method == LIEDER_METHOD_NET) {
        ss->plan.lean = (Program){.isa = isa, .lanes = 1};
        status = net_create(system, ss, &ss->plan.net);
        if (status == LIEDER_DONE)
            ss->plan.lean.isa = net_isa(ss->plan.net);
    } else {
        status = program_build(&ss->plan.lean, ss->shape, isa, false, tree, alloc);
        if (status == LIEDER_DONE && tree)
            ss->strip = choose_strip(&ss->plan.lean, &system->options, nlane);
        if (status == LIEDER_DONE && ss->guest.room &&
            ss->strip * ss->plan.lean.lanes > GUEST_WIDTH)
            ss->strip = GUEST_WIDTH / ss->plan.lean.lanes;
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
    ss->plan.lean_ops = lane_ops_of(isa);
    LiederStatus status = settle_method(system, ss);
    if (status == LIEDER_DONE)
        status = build_lean(system, ss, isa, nlane);
    if (status != LIEDER_DONE)
        return status;
    bool tree = ss->plan.method == LIEDER_METHOD_TREE, net = ss->plan.method == LIEDER_METHOD_NET;
    choose_width(ss);
    if (needs_full(ss))
        status = full_prepare(system, ss);
    if (status == LIEDER_DONE)
        status = net ? net_check(system, ss, ss->workspace->net) : check_pivots(system, ss, 0);
    if (status == LIEDER_DONE && ss->plan.method == LIEDER_METHOD_PROBE)
        status = probe_prepare(ss, alloc);
    if (status == LIEDER_DONE && ss->plan.method == LIEDER_METHOD_SPARSE)
        status = sparse_create(ss, alloc);
    if (status == LIEDER_DONE && !tree && !net)
        status = workspace_add_method(system, ss);
    if (status == LIEDER_DONE && !workspace_refill(ss)) /* now with the limits of the pivots */
        status = LIEDER_NO_MEMORY;
    if (status == LIEDER_DONE && ss->plan.lean.joined.run)
        status = join_known(ss, alloc);
    return status;
}
