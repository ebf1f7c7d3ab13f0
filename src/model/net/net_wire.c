/* net_wire.c - how the plain linear blocks of a part are run on unit inputs; see net.c.
 *
 * Outward and inward passes with the bias, and without it, where known potentials (of the ground)
 * must be zero; flows move from port to port in between. A unit flow at a point goes inward along
 * the links between it and the ground, and nothing else.
 */
#include "model/net/net_plan.h"

#include <string.h>

/* a copy of at[] in which the incoming potentials of some ports are zero */
typedef enum Zero { ZERO_NONE, ZERO_KNOWN, ZERO_ALL } Zero;

/* places of a component for a part, some of them turned to zeros; false: no memory */
static bool copy_at(NetPart *part, uint32_t component, Zero zero, const LiederAllocator *alloc,
                    uint32_t *place)
{
    const Program *p = &part->ss.plan.lean;
    const Component *c = &part->shape.components.items[component];
    int nport = c->class_->def->nport;
    size_t n = (size_t)(LIEDER_AT_PORT + LIEDER_PER_PORT * nport);
    *place = (uint32_t)part->at.n;
    if (!vec_resize(alloc, &part->at, part->at.n + n))
        return false;
    uint32_t *at = part->at.items + *place;
    memcpy(at, at_of(p, component), n * sizeof *at);
    for (int port = 0; port < nport; port++)
        if (port_incoming(c, port) &&
            (zero == ZERO_ALL ||
             (zero == ZERO_KNOWN && part->shape.nodes.items[c->node[port]].grounded)))
            at[LIEDER_AT_PORT + LIEDER_PER_PORT * port + LIEDER_POTENTIALS] = p->zero;
    return true;
}

static uint32_t flows_at(const NetPart *part, uint32_t component, int port)
{
    return at_of(&part->ss.plan.lean,
                 component)[LIEDER_AT_PORT + LIEDER_PER_PORT * port + LIEDER_FLOWS];
}

/* The flow at each port that a link drives: minus what is taken there, or (clear) zero. A port
 * where nothing is taken is zero from the beginning and stays so. */
static bool add_moves(NetPart *part, uint32_t component, bool clear, uint32_t *first, uint32_t *n,
                      const LiederAllocator *alloc)
{
    const Shape *shape = &part->shape;
    const Component *c = &shape->components.items[component];
    bool ok = true;
    *first = (uint32_t)part->moves.n;
    for (int port = 0; port < c->class_->def->nport && ok; port++) {
        const ShapeNode *node = &shape->nodes.items[c->node[port]];
        bool add = false;
        FlowMove move = {.to = flows_at(part, component, port),
                         .n = (uint32_t)(node->domain->nflow * node->domain->nregime)};
        for (uint32_t t = node->first_taker; t < node->first_taker + node->ntaker && ok; t++) {
            const Taker *taker = &shape->takers.items[t];
            if (move.n == 0 || port_incoming(c, port) || taker->component == component ||
                (clear && add))
                continue;
            move.from = clear ? NOWHERE : flows_at(part, taker->component, taker->port);
            move.add = add;
            ok = vec_push(alloc, &part->moves, move);
            add = true;
        }
    }
    *n = (uint32_t)part->moves.n - *first;
    return ok;
}

/* the ops of a pass in both forms, with and without known potentials; false: no memory */
static bool add_pass(NetPart *part, const OpList *ops, bool inward, const LiederAllocator *alloc)
{
    bool ok = true;
    for (size_t i = 0; i < ops->n && ok; i++) {
        const Op *op = &ops->items[i];
        const Component *component = &part->shape.components.items[op->component];
        if (component->group < 0)
            continue; /* shared, or fixed to the ground: known beforehand */
        PartOp to = {.code = op->code};
        ok = copy_at(part, op->component, ZERO_NONE, alloc, &to.on) &&
             copy_at(part, op->component, ZERO_KNOWN, alloc, &to.off);
        if (ok && inward && component->link)
            ok = add_moves(part, op->component, false, &to.first_move, &to.nmove, alloc);
        ok = ok &&
             (inward ? vec_push(alloc, &part->inward, to) : vec_push(alloc, &part->outward, to));
    }
    return ok;
}

/* places of unknowns and residuals of the links of a part; false: no memory */
static bool add_unknowns(NetPart *part, const LiederAllocator *alloc)
{
    for (size_t q = 0; q < part->shape.links.n; q++) {
        uint32_t i = part->shape.links.items[q];
        const LiederClassDef *def = part->shape.components.items[i].class_->def;
        uint32_t self = at_of(&part->ss.plan.lean, i)[LIEDER_AT_SELF];
        const LiederMember *u;
        for (int m = 0; (u = next_unknown(def, &m));)
            if (!vec_push(alloc, &part->unknowns,
                          (PartUnknown){self + (uint32_t)u->index, self + (uint32_t)u->other, i}))
                return false;
    }
    return true;
}

/* the steps from a point to the ground; false: no memory */
static bool add_path(NetPart *part, uint32_t node, TiePoint *point, const LiederAllocator *alloc)
{
    const Shape *shape = &part->shape;
    point->first_step = (uint32_t)part->steps.n;
    while (!shape->nodes.items[node].grounded) {
        uint32_t i = (uint32_t)shape->nodes.items[node].driver;
        const Component *link = &shape->components.items[i];
        int out = shape->nodes.items[node].driver_port, in = link->reversed ? 1 : 0;
        const LiederDomain *domain = link->class_->def->ports[in].domain;
        GroundStep step = {
            .code = kernels_of(&part->ss.plan.lean, link)->inward[link->reversed],
            .out = flows_at(part, i, out),
            .in = flows_at(part, i, in),
            .nout = (uint32_t)shape->nodes.items[node].domain->nflow,
            .nin = (uint32_t)domain->nflow,
            .in_regimes = (uint32_t)domain->nregime,
            .open = shape->nodes.items[node].ntaker == 1,
        };
        while (step.first_unknown < part->unknowns.n &&
               part->unknowns.items[step.first_unknown].component != i)
            step.first_unknown++;
        while (step.first_unknown + step.nunknown < part->unknowns.n &&
               part->unknowns.items[step.first_unknown + step.nunknown].component == i)
            step.nunknown++;
        if (!copy_at(part, i, ZERO_ALL, alloc, &step.at) ||
            !add_moves(part, i, true, &step.first_zero, &step.nzero, alloc) ||
            !vec_push(alloc, &part->steps, step))
            return false;
        node = link->node[in];
    }
    point->nstep = (uint32_t)part->steps.n - point->first_step;
    return true;
}

/* the points of a part, and the path from each to the ground; false: no memory */
static bool add_points(NetPart *part, const uint8_t *tied, const LiederAllocator *alloc)
{
    const Program *p = &part->ss.plan.lean;
    for (uint32_t i = 0; i < part->shape.nodes.n; i++) {
        const LiederDomain *d = part->shape.nodes.items[i].domain;
        TiePoint point = {.signals = p->signal_of.items[i],
                          .potentials = p->potential_of.items[i],
                          .ns = (uint32_t)d->nsignal,
                          .np = (uint32_t)d->npotential,
                          .nf = (uint32_t)d->nflow};
        if (tied[i] &&
            (!add_path(part, i, &point, alloc) || !vec_push(alloc, &part->points, point)))
            return false;
    }
    return true;
}

bool net_wire(NetPart *part, const uint8_t *tied, const LiederAllocator *alloc)
{
    part->points.n = 0;
    return add_unknowns(part, alloc) && add_pass(part, &part->ss.plan.lean.outward, false, alloc) &&
           add_pass(part, &part->ss.plan.lean.inward, true, alloc) && add_points(part, tied, alloc);
}
