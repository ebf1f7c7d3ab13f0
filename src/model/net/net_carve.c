/* net_carve.c - one part of a net as a shape of its own; see net_build.c. */
#include "model/net/net_carve.h"

#include <string.h>

void carver_drop(Carver *c)
{
    vec_drop(c->alloc, &c->first);
    vec_drop(c->alloc, &c->own);
    vec_drop(c->alloc, &c->members);
    vec_drop(c->alloc, &c->local);
    vec_drop(c->alloc, &c->node);
    vec_drop(c->alloc, &c->nodes);
    vec_drop(c->alloc, &c->tied);
    vec_drop(c->alloc, &c->point);
    vec_drop(c->alloc, &c->order);
    vec_drop(c->alloc, &c->state);
    vec_drop(c->alloc, &c->link);
    vec_drop(c->alloc, &c->table);
    vec_drop(c->alloc, &c->signature);
    vec_drop(c->alloc, &c->buckets);
}

bool carver_index(Carver *c)
{
    const Shape *shape = c->shape;
    const Division *d = c->division;
    size_t n = shape->components.n;
    if (!vec_resize(c->alloc, &c->first, d->npart + 2) || !vec_resize(c->alloc, &c->own, n) ||
        !vec_resize(c->alloc, &c->local, n) || !vec_resize(c->alloc, &c->node, shape->nodes.n) ||
        !vec_resize(c->alloc, &c->tied, shape->nodes.n) ||
        !vec_resize(c->alloc, &c->point, shape->nodes.n) || !vec_resize(c->alloc, &c->order, n) ||
        !vec_resize(c->alloc, &c->state, n) || !vec_resize(c->alloc, &c->link, n) ||
        !vec_resize(c->alloc, &c->table, n) || !vec_resize(c->alloc, &c->buckets, 64))
        return false;
    uint32_t table = 0;
    for (uint32_t i = 0; i < n; i++) {
        const Component *component = &shape->components.items[i];
        c->local.items[i] = c->link.items[i] = NOWHERE;
        c->table.items[i] = table;
        for (int s = 0; s < component->class_->nslot; s++) {
            const LiederMember *m = component->class_->slots[s].member;
            table += m && m->kind == LIEDER_PARAMETER && m->length == 0;
        }
        if (d->part.items[i] != NOWHERE)
            c->first.items[d->part.items[i] + 2]++;
        if (net_is_tie(shape, component))
            c->tied.items[component->node[0]] = c->tied.items[component->node[1]] = 1;
    }
    for (size_t p = 0; p < d->npart; p++)
        c->first.items[p + 2] += c->first.items[p + 1];
    for (uint32_t i = 0; i < n; i++)
        if (d->part.items[i] != NOWHERE)
            c->own.items[c->first.items[d->part.items[i] + 1]++] = i;
    memset(c->node.items, 0xff, shape->nodes.n * sizeof(uint32_t));
    for (uint32_t q = 0; q < shape->order.n; q++)
        c->order.items[shape->order.items[q].component] = q;
    for (uint32_t q = 0; q < shape->links.n; q++)
        c->link.items[shape->links.items[q]] = q;
    for (size_t s = shape->states.n; s-- > 0;)
        c->state.items[shape->states.items[s].component] = (uint32_t)s;
    return true;
}

/* adds the shared components that a component reads, after those that they read */
static bool add_shared(Carver *c, uint32_t i)
{
    const Component *component = &c->shape->components.items[i];
    for (int p = 0; p < component->class_->def->nport; p++) {
        int driver = c->shape->nodes.items[component->node[p]].driver;
        if (driver < 0 || driver == (int)i || !c->division->shared.items[driver] ||
            c->local.items[driver] != NOWHERE)
            continue;
        if (!add_shared(c, (uint32_t)driver))
            return false;
        c->local.items[driver] = (uint32_t)c->members.n;
        if (!vec_push(c->alloc, &c->members, (uint32_t)driver))
            return false;
    }
    return true;
}

bool carver_collect(Carver *c, uint32_t part)
{
    c->members.n = c->nodes.n = 0;
    uint32_t begin = c->first.items[part], end = c->first.items[part + 1];
    bool ok = true;
    for (uint32_t i = begin; i < end && ok; i++)
        ok = add_shared(c, c->own.items[i]);
    for (uint32_t i = begin; i < end && ok; i++) {
        c->local.items[c->own.items[i]] = (uint32_t)c->members.n;
        ok = vec_push(c->alloc, &c->members, c->own.items[i]);
    }
    for (size_t i = 0; i < c->members.n && ok; i++) {
        const Component *component = &c->shape->components.items[c->members.items[i]];
        for (int p = 0; p < component->class_->def->nport && ok; p++)
            if (c->node.items[component->node[p]] == NOWHERE) {
                c->node.items[component->node[p]] = (uint32_t)c->nodes.n;
                ok = vec_push(c->alloc, &c->nodes, component->node[p]);
            }
    }
    return ok;
}

void carver_forget(Carver *c)
{
    for (size_t i = 0; i < c->members.n; i++)
        c->local.items[c->members.items[i]] = NOWHERE;
    for (size_t i = 0; i < c->nodes.n; i++)
        c->node.items[c->nodes.items[i]] = NOWHERE;
}

bool carver_sign(Carver *c)
{
    const LiederAllocator *alloc = c->alloc;
    c->signature.n = 0;
    bool ok = vec_push(alloc, &c->signature, c->members.n);
    for (size_t i = 0; i < c->members.n && ok; i++) {
        uint32_t id = c->members.items[i];
        const Component *k = &c->shape->components.items[id];
        uint64_t flags = (uint64_t)k->reversed | (uint64_t)k->constant << 1 |
                         (uint64_t)k->incoming_constant << 2 | (uint64_t)k->coupled_port << 3 |
                         (uint64_t)k->coupling << 4 | (uint64_t)k->class_->id << 8;
        ok = vec_push(alloc, &c->signature, flags);
        for (int s = 0; s < k->class_->nslot && ok; s++)
            if (k->switches[s])
                ok = vec_push(alloc, &c->signature, (uint64_t)s);
        ok = ok && vec_push(alloc, &c->signature, UINT64_MAX);
        for (int p = 0; p < k->class_->def->nport && ok; p++)
            ok = vec_push(alloc, &c->signature,
                          (uint64_t)c->node.items[k->node[p]] << 2 |
                              (uint64_t)c->tied.items[k->node[p]] << 1 |
                              c->shape->nodes.items[k->node[p]].grounded);
        uint32_t end = id + 1 < c->table.n ? c->table.items[id + 1] : (uint32_t)c->shape->tables.n;
        for (uint32_t t = c->table.items[id]; t < end && ok; t++)
            ok = vec_push(alloc, &c->signature, (uint64_t)(uintptr_t)c->shape->tables.items[t]);
    }
    return ok;
}

/* the members that have a place in a list of the whole, in the order of that list */
static void sort_members(Carver *c, const uint32_t *place, uint32_t *out, size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < c->members.n; i++)
        if (place[c->members.items[i]] != NOWHERE) {
            size_t at = (*n)++;
            for (; at > 0 && place[c->members.items[out[at - 1]]] > place[c->members.items[i]];
                 at--)
                out[at] = out[at - 1];
            out[at] = (uint32_t)i;
        }
}

/* states and tables of a component of the whole, which is component i of the part; false: no memory
 */
static bool carve_lists(const Carver *c, uint32_t id, uint32_t i, Shape *to)
{
    const Shape *from = c->shape;
    for (size_t s = c->state.items[id]; s < from->states.n && from->states.items[s].component == id;
         s++) {
        StateRef ref = from->states.items[s];
        ref.component = i;
        if (!vec_push(c->alloc, &to->states, ref))
            return false;
    }
    uint32_t end = id + 1 < c->table.n ? c->table.items[id + 1] : (uint32_t)from->tables.n;
    for (uint32_t t = c->table.items[id]; t < end; t++)
        if (!vec_push(c->alloc, &to->tables, from->tables.items[t]))
            return false;
    return true;
}

/* the components of the part at hand; false: no memory */
static bool carve_components(const Carver *c, Shape *to)
{
    const Shape *from = c->shape;
    size_t n = c->members.n, nport = 0;
    for (size_t i = 0; i < n; i++)
        nport += (size_t)from->components.items[c->members.items[i]].class_->def->nport;
    if (!vec_resize(c->alloc, &to->components, n) || !vec_resize(c->alloc, &to->port_nodes, nport))
        return false;
    uint32_t *nodes = to->port_nodes.items;
    for (size_t i = 0; i < n; i++) {
        uint32_t id = c->members.items[i];
        Component *component = &to->components.items[i];
        *component = from->components.items[id];
        component->node = nodes;
        for (int p = 0; p < component->class_->def->nport; p++)
            *nodes++ = c->node.items[from->components.items[id].node[p]];
        component->group = component->group >= 0 ? 0 : -1;
        to->groups.items[0].nunknown += (uint32_t)class_any_kernels(component->class_)->nunknown;
        if (!carve_lists(c, id, (uint32_t)i, to))
            return false;
    }
    return true;
}

/* The takers of node i of the part, which is node `at` of the whole. Many parts hang on one ground:
 * its takers are found from their side. False: no memory. */
static bool carve_takers(const Carver *c, uint32_t at, uint32_t i, Shape *to)
{
    const Shape *from = c->shape;
    const ShapeNode *node = &from->nodes.items[at];
    if (node->driver >= 0 && c->division->shared.items[node->driver]) {
        for (size_t k = 0; k < to->components.n; k++)
            for (int p = 0; p < to->components.items[k].class_->def->nport; p++)
                if (to->components.items[k].node[p] == i &&
                    !vec_push(c->alloc, &to->takers, (Taker){(uint32_t)k, p}))
                    return false;
        return true;
    }
    for (uint32_t t = node->first_taker; t < node->first_taker + node->ntaker; t++) {
        Taker taker = from->takers.items[t];
        taker.component = c->local.items[taker.component];
        if (taker.component != NOWHERE && !vec_push(c->alloc, &to->takers, taker))
            return false;
    }
    return true;
}

/* the nodes of the part at hand; ties are no takers there; false: no memory */
static bool carve_nodes(const Carver *c, Shape *to)
{
    if (!vec_resize(c->alloc, &to->nodes, c->nodes.n))
        return false;
    for (uint32_t i = 0; i < c->nodes.n; i++) {
        ShapeNode *node = &to->nodes.items[i];
        *node = c->shape->nodes.items[c->nodes.items[i]];
        node->driver = node->driver >= 0 ? (int)c->local.items[node->driver] : -1;
        node->group = node->group >= 0 ? 0 : -1;
        node->first_taker = (uint32_t)to->takers.n;
        if (!carve_takers(c, c->nodes.items[i], i, to))
            return false;
        node->ntaker = (uint32_t)to->takers.n - node->first_taker;
    }
    return true;
}

bool carver_shape(Carver *c, Shape *to)
{
    size_t n = c->members.n;
    if (!vec_resize(c->alloc, &to->order, n) || !vec_resize(c->alloc, &to->links, n + 1) ||
        !vec_push(c->alloc, &to->groups, (Group){0}) || !carve_components(c, to) ||
        !carve_nodes(c, to))
        return false;
    /* every component is one step here, see net_suits */
    sort_members(c, c->order.items, to->links.items, &to->order.n);
    for (size_t q = 0; q < to->order.n; q++)
        to->order.items[q] = (Step){.component = to->links.items[q]};
    for (size_t q = 0; q < to->order.n; q++)
        to->order.items[q].constant = to->components.items[to->order.items[q].component].constant;
    sort_members(c, c->link.items, to->links.items, &to->links.n);
    return true;
}
