/* program_layout.c - where everything stands in a record: areas that live as long as it does, and
 * areas of laws and potentials that are given back and used again. */
#include <string.h>

#include "model/program/program_build.h"

/* ------------------------------------------------------------------ areas */

uint32_t area_take(Builder *b, uint32_t size)
{
    for (size_t i = 0; i < b->nfree; i++)
        if (b->free_areas[i].size == size) {
            uint32_t place = b->free_areas[i].place;
            b->free_areas[i] = b->free_areas[--b->nfree];
            return place;
        }
    uint32_t place = b->next;
    b->next += size;
    return place;
}

void area_give_back(Builder *b, uint32_t place, uint32_t size)
{
    if (!b->p->full && b->nfree < sizeof b->free_areas / sizeof *b->free_areas)
        b->free_areas[b->nfree++] = (struct FreeArea){size, place};
}

uint32_t *builder_port(Builder *b, uint32_t component, int port, int what)
{
    return b->p->at.items + b->p->at_of.items[component] + LIEDER_AT_PORT + LIEDER_PER_PORT * port +
           what;
}

bool group_has_loops(const Builder *b, int group)
{
    return b->p->loops && b->shape->groups.items[group].ncoupling > 0;
}

uint32_t freeze_at(Builder *b, uint32_t component)
{
    uint32_t n = at_length(&b->shape->components.items[component]);
    uint32_t from = b->p->at_of.items[component], to = (uint32_t)b->p->at.n;
    if (!vec_resize(b->alloc, &b->p->at, to + n)) {
        b->failed = true;
        return from;
    }
    memcpy(b->p->at.items + to, b->p->at.items + from, n * sizeof(uint32_t));
    return to;
}

/* ------------------------------------------------------------------ layout */

/* room for the zero law, and a list of places for each component */
static void begin_layout(Builder *b)
{
    Program *p = b->p;
    const Shape *shape = b->shape;
    uint32_t longest = 1;
    for (size_t n = 0; n < shape->nodes.n; n++)
        if (law_size(shape->nodes.items[n].domain) > longest)
            longest = law_size(shape->nodes.items[n].domain);
    b->next = LIEDER_ALARM + 1;
    p->zero = area_take(b, longest);
    p->nzero = longest;
    for (size_t i = 0; i < shape->components.n && !b->failed; i++) {
        p->at_of.items[i] = (uint32_t)p->at.n;
        b->failed |=
            !vec_resize(b->alloc, &p->at, p->at.n + at_length(&shape->components.items[i]));
    }
    for (size_t n = 0; n < p->signal_of.n; n++)
        p->signal_of.items[n] = NOWHERE;
}

/* the struct of a component, and what its inward block keeps for the outward one */
static void place_struct(Builder *b, const Component *c, uint32_t *at)
{
    Program *p = b->p;
    const LiederKernels *k = kernels_of(p, c);
    at[LIEDER_AT_SELF] = area_take(b, (uint32_t)k->nreal);
    if ((uint32_t)k->nscratch > p->nscratch)
        p->nscratch = (uint32_t)k->nscratch;
    uint32_t nsave = (uint32_t)k->nsave;
    if (c->coupling == COUPLE_BOTH && p->loops) {
        const LiederDomain *d = c->class_->def->ports[0].domain;
        nsave = (uint32_t)(2 * d->nflow * (2 * d->npotential + 1));
    }
    at[LIEDER_AT_SAVE] = nsave ? area_take(b, nsave) : 0;
}

/* signals and known potentials of the nodes that nothing before has placed; flows at the ports */
static void place_ports(Builder *b, const Component *c, uint32_t *at)
{
    Program *p = b->p;
    bool flows = p->full || (c->link && c->group >= 0 && group_has_loops(b, c->group));
    for (int port = 0; port < c->class_->def->nport; port++) {
        uint32_t node = c->node[port], *place = at + LIEDER_AT_PORT + LIEDER_PER_PORT * port;
        const ShapeNode *nd = &b->shape->nodes.items[node];
        if (p->signal_of.items[node] == NOWHERE) {
            p->signal_of.items[node] = area_take(b, (uint32_t)nd->domain->nsignal);
            if (nd->grounded || p->full)
                p->potential_of.items[node] = area_take(b, (uint32_t)nd->domain->npotential);
        }
        place[LIEDER_LAW] = p->zero;
        if (flows)
            place[LIEDER_FLOWS] = area_take(b, (uint32_t)(nd->domain->nflow * nd->domain->nregime));
    }
}

/* the places of the parameters and open inputs of component i */
static void place_parameters(Builder *b, uint32_t i, const uint32_t *at)
{
    Program *p = b->p;
    const Component *c = &b->shape->components.items[i];
    for (int s = 0; s < c->class_->nslot && !b->failed; s++) {
        const Slot *slot = &c->class_->slots[s];
        uint32_t place = at[LIEDER_AT_SELF] + (uint32_t)slot->index;
        if (slot->port >= 0) {
            if (b->shape->nodes.items[c->node[slot->port]].driver >= 0)
                continue;
            place = p->signal_of.items[c->node[slot->port]];
        }
        if (!slot->member || !member_has_start(slot->member))
            b->failed |=
                !vec_push(b->alloc, &p->parameters, (ParameterPlace){i, (uint32_t)s, place});
    }
}

/* where states and derivatives stand */
static void place_states(Builder *b)
{
    Program *p = b->p;
    const Shape *shape = b->shape;
    for (size_t s = 0; s < shape->states.n && !b->failed; s++) {
        const StateRef *ref = &shape->states.items[s];
        uint32_t self = at_of(p, ref->component)[LIEDER_AT_SELF];
        b->failed |= !vec_push(b->alloc, &p->state_place, self + (uint32_t)ref->member->index) ||
                     !vec_push(b->alloc, &p->derivative_place, self + (uint32_t)ref->member->other);
    }
}

void place_fixed(Builder *b)
{
    Program *p = b->p;
    const Shape *shape = b->shape;
    begin_layout(b);
    /* in the order of evaluation, so that a chain is walked through front to back */
    for (size_t q = 0; q < shape->order.n && !b->failed; q++) {
        uint32_t i = shape->order.items[q].component;
        const Component *c = &shape->components.items[i];
        if (shape->order.items[q].unit > 0)
            continue;
        uint32_t *at = p->at.items + p->at_of.items[i];
        place_struct(b, c, at);
        place_ports(b, c, at);
        place_parameters(b, i, at);
    }
    place_states(b);
    for (size_t i = 0; i < shape->components.n && !b->failed; i++)
        for (int port = 0; port < shape->components.items[i].class_->def->nport; port++) {
            uint32_t node = shape->components.items[i].node[port];
            *builder_port(b, (uint32_t)i, port, LIEDER_SIGNALS) = p->signal_of.items[node];
            *builder_port(b, (uint32_t)i, port, LIEDER_POTENTIALS) = p->potential_of.items[node];
        }
}
