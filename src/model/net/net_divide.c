/* net_divide.c - which parts a shape falls into when its ties are taken out; see net.c.
 *
 * Components that have no states, no unknowns and depend on nothing that moves (grounds, rigid
 * links to them, sources) are shared: they hold no parts together, and every part that reads them
 * gets a copy. Other components that share a node are one part.
 */
#include "model/net/net_plan.h"

void net_division_drop(Division *d, const LiederAllocator *alloc)
{
    vec_drop(alloc, &d->shared);
    vec_drop(alloc, &d->part);
    vec_drop(alloc, &d->unknowns);
    vec_drop(alloc, &d->states);
}

static bool has_table(const LiederClassDef *def)
{
    for (int m = 0; m < def->nmember; m++)
        if (def->members[m].kind == LIEDER_PARAMETER && def->members[m].length == 0)
            return true;
    return false;
}

/* a leaf between two nodes that move */
bool net_is_tie(const Shape *shape, const Component *c)
{
    const LiederClassDef *def = c->class_->def;
    return !c->link && !c->root && class_physical_in(def) == 2 && c->coupling != COUPLE_ONE &&
           !shape->nodes.items[c->node[0]].grounded && !shape->nodes.items[c->node[1]].grounded;
}

/* whether a tie has only properties that this method handles */
static bool plain_tie(const Component *c)
{
    const LiederClassDef *def = c->class_->def;
    const LiederDomain *d = def->ports[0].domain;
    return def->nport == 2 && d == def->ports[1].domain &&
           class_any_kernels(c->class_)->couple.run && d->npotential <= NET_POTENTIALS &&
           d->nflow <= NET_FLOWS && !class_has_member(def, LIEDER_STATE) &&
           !class_has_member(def, LIEDER_UNKNOWN) && !has_table(def);
}

static uint32_t find_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* in the order of explicit blocks, so that what a component depends on is known before */
static void find_shared(const Shape *shape, Division *d)
{
    for (size_t q = 0; q < shape->order.n; q++) {
        uint32_t i = shape->order.items[q].component;
        const Component *c = &shape->components.items[i];
        const LiederClassDef *def = c->class_->def;
        bool shared = class_any_kernels(c->class_)->nunknown == 0 &&
                      !class_has_member(def, LIEDER_STATE),
             drives = false;
        for (int p = 0; p < def->nport; p++) {
            int driver = shape->nodes.items[c->node[p]].driver;
            drives |= !port_incoming(c, p);
            if (port_incoming(c, p) && driver >= 0)
                shared &= d->shared.items[driver];
        }
        d->shared.items[i] = shared && drives;
    }
}

/* components at a node that no shared component drives are one part */
static bool join_parts(const Shape *shape, Division *d, const LiederAllocator *alloc)
{
    size_t n = shape->components.n;
    VEC(uint32_t) parent = {0}, number = {0};
    bool ok = vec_resize(alloc, &parent, n) && vec_resize(alloc, &number, n) &&
              vec_resize(alloc, &d->part, n);
    for (uint32_t i = 0; i < n && ok; i++) {
        parent.items[i] = i;
        number.items[i] = NOWHERE;
        bool tie = net_is_tie(shape, &shape->components.items[i]);
        d->part.items[i] = tie || d->shared.items[i] ? NOWHERE : 0;
        d->ntie += tie;
    }
    for (size_t q = 0; q < shape->nodes.n && ok; q++) {
        const ShapeNode *node = &shape->nodes.items[q];
        uint32_t first = NOWHERE;
        if (node->driver >= 0 && d->shared.items[node->driver])
            continue;
        for (uint32_t t = node->first_taker; t < node->first_taker + node->ntaker; t++) {
            uint32_t i = shape->takers.items[t].component;
            if (d->part.items[i] == NOWHERE)
                continue;
            i = find_root(parent.items, i);
            if (first != NOWHERE)
                parent.items[first < i ? i : first] = first < i ? first : i;
            first = first < i ? first : i;
        }
    }
    /* numbered in the order of components; parts that never move are left out */
    for (uint32_t i = 0; i < n && ok; i++) {
        const Component *c = &shape->components.items[i];
        uint32_t root = find_root(parent.items, i);
        uint32_t unknowns = (uint32_t)class_any_kernels(c->class_)->nunknown;
        if (d->part.items[i] == NOWHERE)
            continue;
        if (number.items[root] == NOWHERE) {
            number.items[root] = (uint32_t)d->npart++;
            ok = vec_push(alloc, &d->unknowns, 0) && vec_push(alloc, &d->states, 0);
        }
        d->part.items[i] = number.items[root];
        if (ok) {
            uint32_t *count = &d->unknowns.items[d->part.items[i]];
            *count += unknowns;
            d->nunknown += unknowns;
            d->largest = *count > d->largest ? *count : d->largest;
            d->states.items[d->part.items[i]] += class_has_member(c->class_->def, LIEDER_STATE);
        }
    }
    vec_drop(alloc, &parent);
    vec_drop(alloc, &number);
    return ok;
}

bool net_divide(const Shape *shape, Division *d, const LiederAllocator *alloc)
{
    if (!vec_resize(alloc, &d->shared, shape->components.n))
        return false;
    find_shared(shape, d);
    return join_parts(shape, d, alloc);
}

LiederStatus net_suits(const Shape *shape, const LiederAllocator *alloc, bool *suits)
{
    Division d = {0};
    bool ok = net_divide(shape, &d, alloc);
    *suits = ok && !shape->network && d.ntie > 0 && d.largest <= NET_BLOCK &&
             d.npart * d.largest <= 2 * d.nunknown + 64;
    for (size_t i = 0; i < shape->components.n && *suits; i++) {
        const Component *c = &shape->components.items[i];
        *suits = !class_has_member(c->class_->def, LIEDER_CROSSING) &&
                 !class_has_member(c->class_->def, LIEDER_MEMORY) &&
                 !class_has_member(c->class_->def, LIEDER_TIMER) &&
                 !class_has_member(c->class_->def, LIEDER_HISTORY) &&
                 !class_has_member(c->class_->def, LIEDER_REQUEST) && c->class_->facts.nunit == 1 &&
                 !class_any_kernels(c->class_)->iterate.run &&
                 (net_is_tie(shape, c) ? plain_tie(c) : c->coupling != COUPLE_BOTH);
    }
    net_division_drop(&d, alloc);
    return ok ? LIEDER_DONE : LIEDER_NO_MEMORY;
}
