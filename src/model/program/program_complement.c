/* program_complement.c - the loops of a linear group as a small dense system of the flows of the
 * elastic elements that close them: which links their flows pass on the way to the root, and where
 * matrix, responses and flows stand in the record (lanes.c fills and solves it). */
#include "model/program/program_build.h"

/* links from a node inward, to the last one before a grounded node */
static bool path_inward(Builder *b, Complement *m, uint32_t node, uint32_t *first, uint32_t *n)
{
    *first = (uint32_t)m->path.n;
    while (!b->shape->nodes.items[node].grounded) {
        int driver = b->shape->nodes.items[node].driver;
        const Component *c = &b->shape->components.items[driver];
        LoopStep step = {m->position.items[driver], b->shape->nodes.items[node].driver_port};
        uint32_t nflow = (uint32_t)b->shape->nodes.items[node].domain->nflow;
        m->nflow = nflow > m->nflow ? nflow : m->nflow;
        if (!vec_push(b->alloc, &m->path, step))
            return false;
        node = c->node[c->reversed ? 1 : 0];
        nflow = (uint32_t)b->shape->nodes.items[node].domain->nflow;
        m->nflow = nflow > m->nflow ? nflow : m->nflow;
    }
    *n = (uint32_t)m->path.n - *first;
    return true;
}

void build_complement(Builder *b, int group)
{
    const Shape *shape = b->shape;
    Program *p = b->p;
    if (!vec_push(b->alloc, &p->complements, (Complement){0})) {
        b->failed = true;
        return;
    }
    Complement *m = &p->complements.items[p->complements.n - 1];
    b->failed |= !vec_resize(b->alloc, &m->position, shape->components.n);
    for (size_t q = 0; q < shape->links.n && !b->failed; q++) {
        uint32_t i = shape->links.items[q];
        const Component *c = &shape->components.items[i];
        if (c->group != group)
            continue;
        m->position.items[i] = (uint32_t)m->links.n;
        int in = c->reversed ? 1 : 0;
        LoopLink link = {.component = i,
                         .first_unknown = m->nunknown,
                         .grounded = shape->nodes.items[c->node[in]].grounded};
        uint32_t in_at = LIEDER_AT_PORT + LIEDER_PER_PORT * (uint32_t)in + LIEDER_POTENTIALS;
        link.inward = freeze_at(b, i);
        p->at.items[link.inward + in_at] = b->p->zero;
        link.outward = freeze_at(b, i);
        if (link.grounded)
            p->at.items[link.outward + in_at] = b->p->zero;
        m->nunknown += (uint32_t)kernels_of(p, c)->nunknown;
        b->failed |= !vec_push(b->alloc, &m->links, link);
    }
    for (uint32_t i = 0; i < shape->components.n && !b->failed; i++) {
        const Component *c = &shape->components.items[i];
        if (c->group != group || c->coupling != COUPLE_BOTH)
            continue;
        const LiederDomain *d = c->class_->def->ports[0].domain;
        CoupledLeaf leaf = {.component = i,
                            .save = at_of(p, i)[LIEDER_AT_SAVE],
                            .np = (uint32_t)d->npotential,
                            .nf = (uint32_t)d->nflow,
                            .column = m->n};
        m->n += leaf.nf;
        for (int port = 0; port < 2; port++) {
            leaf.potential[port] = p->potential_of.items[c->node[port]];
            b->failed |= !path_inward(b, m, c->node[port], &leaf.path[port], &leaf.npath[port]);
        }
        b->failed |= !vec_push(b->alloc, &m->leaves, leaf);
    }
    m->matrix = area_take(b, m->n * (m->n + 1));
    m->response = area_take(b, m->n * m->nunknown + 1);
    m->base = area_take(b, m->nunknown + 1);
    m->flow = area_take(b, 2 * m->nflow);
}
