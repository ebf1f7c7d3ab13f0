/* shape_orient.c - who drives whom in a subsystem: from the roots outward each node gets a driver
 * and each link a direction; then links branch by branch, ports that must lead somewhere, and
 * networks that need a ground. */
#include "model/shape/shape_find.h"

#include <string.h>

/* ------------------------------------------------------------------ from the roots outward */

/* makes a component the driver of a node, or reports why it cannot be */
static void drive(Finder *f, Shape *shape, uint32_t component, int port)
{
    char path[512], other[512];
    ShapeNode *node = &shape->nodes.items[shape->components.items[component].node[port]];
    const char *name = shape->components.items[component].class_->def->ports[port].name;
    if (node->driver < 0) {
        node->driver = (int)component;
        node->driver_port = port;
        return;
    }
    finder_path(f, component, path, sizeof path);
    finder_path(f, (uint32_t)node->driver, other, sizeof other);
    const Component *d = &shape->components.items[node->driver];
    if (node->domain->npotential == 0)
        WRONG(path, "output %s is connected to output %s of %s\nan input takes one output", name,
              d->class_->def->ports[node->driver_port].name, other);
    else if (shape->components.items[component].root && d->root)
        WRONG(path, "%s is connected to %s.%s, and both are fixed\nremove one of the two", name,
              other, d->class_->def->ports[node->driver_port].name);
    else
        WRONG(path, "closes a rigid loop: the motion of %s is given by %s already\n%s", name, other,
              class_advice(d->class_->def, LIEDER_ADVICE_RIGID_LOOP));
}

/* whether all incoming physical ports of a link with several of them are driven */
static bool all_driven(const Shape *shape, const Component *c)
{
    const LiederClassDef *def = c->class_->def;
    for (int p = 0; p < def->nport && class_physical_in(def) > 1; p++)
        if (!port_is_signal(&def->ports[p]) && def->ports[p].role == LIEDER_IN &&
            shape->nodes.items[c->node[p]].driver < 0)
            return false;
    return true;
}

/* the driven physical nodes whose takers are visited next, and the links that have been reached */
typedef struct Orientation {
    VEC(uint32_t) queue;
    VEC(uint8_t) placed; /* by component: it has its direction, or was reported */
} Orientation;

/* A link is driven from a port: it drives the nodes of its other side. False: no memory. */
static bool place_link(Finder *f, Shape *shape, Orientation *o, uint32_t i, bool backward)
{
    Component *c = &shape->components.items[i];
    const LiederClassDef *def = c->class_->def;
    o->placed.items[i] = 1;
    c->reversed = backward;
    if (!vec_push(f->alloc, &shape->links, i))
        return false;
    for (int p = 0; p < def->nport; p++) {
        if (port_is_signal(&def->ports[p]) || port_incoming(c, p))
            continue;
        bool fresh = shape->nodes.items[c->node[p]].driver < 0;
        drive(f, shape, i, p);
        if (fresh && !vec_push(f->alloc, &o->queue, c->node[p]))
            return false;
    }
    return true;
}

/* A driven node reaches a port of a component. One that has its place already is reached a second
 * time through a port that it drives itself: drive() has reported it, or will when the port is
 * driven. False: no memory. */
static bool reach_port(Finder *f, Shape *shape, Orientation *o, const Taker *taker, int driver)
{
    uint32_t i = taker->component;
    const Component *c = &shape->components.items[i];
    const LiederClassDef *def = c->class_->def;
    bool forward = def->ports[taker->port].role == LIEDER_IN;
    if (!c->link || (int)i == driver || o->placed.items[i])
        return true;
    if (forward && !all_driven(shape, c))
        return true; /* it waits for the last of its incoming ports */
    bool backward = taker->port == 1 && class_any_kernels(c->class_)->reversible;
    if (forward || backward)
        return place_link(f, shape, o, i, backward);
    char path[512];
    WRONG(finder_path(f, i, path, sizeof path),
          "%s cannot be driven from %s\nconnect its %s towards the root", c->class_->name,
          def->ports[taker->port].name, def->ports[0].name);
    o->placed.items[i] = 1;
    return true;
}

/* from the roots outward: who drives each node, which links are reversed */
bool shape_orient(Finder *f, Shape *shape)
{
    size_t ncomponent = shape->components.n;
    for (uint32_t i = 0; i < ncomponent; i++) {
        const Component *c = &shape->components.items[i];
        for (int p = 0; p < c->class_->def->nport; p++) {
            const LiederPortDef *def = &c->class_->def->ports[p];
            if (def->role == LIEDER_OUT && (c->root || port_is_signal(def)))
                drive(f, shape, i, p);
        }
    }
    Orientation o = {0};
    bool ok = vec_resize(f->alloc, &o.placed, ncomponent);
    for (uint32_t n = 0; n < shape->nodes.n && ok; n++)
        if (shape->nodes.items[n].driver >= 0 && shape->nodes.items[n].domain->npotential > 0)
            ok = vec_push(f->alloc, &o.queue, n);
    for (size_t q = 0; q < o.queue.n && ok; q++) {
        const ShapeNode node = shape->nodes.items[o.queue.items[q]];
        for (uint32_t t = node.first_taker; t < node.first_taker + node.ntaker && ok; t++)
            ok = reach_port(f, shape, &o, &shape->takers.items[t], node.driver);
    }
    vec_drop(f->alloc, &o.queue);
    vec_drop(f->alloc, &o.placed);
    return ok;
}

/* whether the drivers of all incoming physical ports of a link have their place */
static bool all_placed(const Shape *shape, const Component *c, const uint8_t *placed)
{
    const LiederClassDef *def = c->class_->def;
    for (int p = 0; p < def->nport && class_physical_in(def) > 1; p++) {
        int driver = shape->nodes.items[c->node[p]].driver;
        if (!port_is_signal(&def->ports[p]) && def->ports[p].role == LIEDER_IN && driver >= 0 &&
            !placed[driver])
            return false;
    }
    return true;
}

typedef VEC(uint32_t) LinkStack;

/* the links that a link drives and that have no place yet, the last one first; false: no memory */
static bool push_driven(Finder *f, const Shape *shape, uint32_t i, const uint8_t *placed,
                        LinkStack *stack)
{
    const Component *c = &shape->components.items[i];
    for (int p = c->class_->def->nport; p-- > 0;) {
        const ShapeNode *node = &shape->nodes.items[c->node[p]];
        if (port_is_signal(&c->class_->def->ports[p]) || port_incoming(c, p))
            continue;
        for (uint32_t t = node->first_taker + node->ntaker; t-- > node->first_taker;) {
            const Taker *taker = &shape->takers.items[t];
            const Component *o = &shape->components.items[taker->component];
            if (o->link && taker->component != i && port_incoming(o, taker->port) &&
                !placed[taker->component] && all_placed(shape, o, placed) &&
                !vec_push(f->alloc, stack, taker->component))
                return false;
        }
    }
    return true;
}

/* The same links branch by branch, so that numbers that one passes to the next are still in the
 * cache. Branches of a node keep their order, so that sums have the same bits. */
bool shape_sort_links(Finder *f, Shape *shape)
{
    LinkStack stack = {0}, sorted = {0};
    VEC(uint8_t) placed = {0};
    bool ok = vec_resize(f->alloc, &placed, shape->components.n) &&
              vec_reserve(f->alloc, &sorted, shape->links.n);
    if (ok)
        memset(placed.items, 1, placed.n);
    for (size_t q = 0; q < shape->links.n && ok; q++)
        placed.items[shape->links.items[q]] = 0;
    for (size_t q = 0; q < shape->links.n && ok; q++) {
        uint32_t first = shape->links.items[q];
        if (!placed.items[first] &&
            all_placed(shape, &shape->components.items[first], placed.items))
            ok = vec_push(f->alloc, &stack, first);
        while (ok && stack.n) {
            uint32_t i = stack.items[--stack.n];
            if (placed.items[i])
                continue; /* reached twice, which drive() has reported */
            placed.items[i] = 1;
            sorted.items[sorted.n++] = i;
            ok = push_driven(f, shape, i, placed.items, &stack);
        }
    }
    if (ok && sorted.n)
        memcpy(shape->links.items, sorted.items, sorted.n * sizeof(uint32_t));
    vec_drop(f->alloc, &stack);
    vec_drop(f->alloc, &sorted);
    vec_drop(f->alloc, &placed);
    return ok;
}

/* ------------------------------------------------------------------ what must be connected */

/* reports inputs and ports that must be connected and are not, and parts without a way to a root */
void shape_check_ports(Finder *f, Shape *shape)
{
    char path[512];
    size_t lost = 0;
    uint32_t first_lost = 0;
    for (uint32_t i = 0; i < shape->components.n; i++) {
        const Component *c = &shape->components.items[i];
        const LiederClassDef *def = c->class_->def;
        bool alone = true;
        for (int p = 0; p < def->nport; p++)
            alone &= shape->nodes.items[c->node[p]].ntaker == 1;
        for (int p = 0; p < def->nport; p++) {
            const ShapeNode *node = &shape->nodes.items[c->node[p]];
            if (port_is_signal(&def->ports[p])) {
                if (def->ports[p].role == LIEDER_IN && node->driver < 0 && node->ntaker > 1)
                    WRONG(finder_path(f, i, path, sizeof path),
                          "input %s is connected to inputs only\nconnect it to an output",
                          def->ports[p].name);
                else if (def->ports[p].role == LIEDER_IN && node->ntaker == 1 &&
                         !def->ports[p].optional)
                    WRONG(finder_path(f, i, path, sizeof path),
                          "input %s is not connected\nconnect it to an output", def->ports[p].name);
                continue;
            }
            if (node->driver >= 0)
                continue;
            bool must =
                c->link && class_physical_in(def) == 1 ? p == 0 : def->ports[p].role == LIEDER_IN;
            if (!must)
                continue;
            if (node->ntaker == 1 && (!c->link || alone))
                WRONG(finder_path(f, i, path, sizeof path), "port %s is not connected\nconnect it",
                      def->ports[p].name);
            else if (port_is_network(&def->ports[p]))
                continue; /* check_grounds */
            else if (lost++ == 0)
                first_lost = i;
        }
    }
    if (lost)
        WRONG(finder_path(f, first_lost, path, sizeof path), "has no way to a root%s\n%s",
              lost > 1 ? ", and so have the components connected to it" : "",
              class_advice(shape->components.items[first_lost].class_->def, LIEDER_ADVICE_NO_ROOT));
}

uint32_t find_group(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* brings the nodes of a component that have potentials and are not grounded into one set, named
 * by its smallest */
void join_nodes(const Shape *shape, const Component *c, uint32_t *parent)
{
    uint32_t first = NOWHERE;
    for (int p = 0; p < c->class_->def->nport; p++) {
        const ShapeNode *node = &shape->nodes.items[c->node[p]];
        if (port_is_signal(&c->class_->def->ports[p]) || node->grounded)
            continue;
        uint32_t g = find_group(parent, c->node[p]);
        uint32_t low = first < g ? first : g;
        if (first != NOWHERE)
            parent[first < g ? g : first] = low;
        first = low;
    }
}

/* marks the free nodes; every part of a network must reach a root */
bool shape_check_grounds(Finder *f, Shape *shape)
{
    char path[512];
    size_t n = shape->nodes.n;
    VEC(uint32_t) parent = {0};
    VEC(uint8_t) reached = {0};
    bool ok = vec_resize(f->alloc, &parent, n) && vec_resize(f->alloc, &reached, n);
    for (uint32_t i = 0; i < n && ok; i++) {
        ShapeNode *node = &shape->nodes.items[i];
        parent.items[i] = i;
        node->free = node->domain->nsignal == 0 && node->driver < 0;
    }
    for (size_t i = 0; i < shape->components.n && ok; i++)
        if (!shape->components.items[i].link)
            join_nodes(shape, &shape->components.items[i], parent.items);
    for (uint32_t i = 0; i < n && ok; i++)
        if (shape->nodes.items[i].driver >= 0)
            reached.items[find_group(parent.items, i)] = 1;
    for (uint32_t i = 0; i < n && ok; i++) {
        uint32_t part = find_group(parent.items, i);
        if (!shape->nodes.items[i].free || reached.items[part])
            continue;
        reached.items[part] = 1; /* one message for each part */
        uint32_t taker = shape->takers.items[shape->nodes.items[i].first_taker].component;
        WRONG(finder_path(f, taker, path, sizeof path),
              "is part of a network without a potential zero\n%s",
              class_advice(shape->components.items[taker].class_->def, LIEDER_ADVICE_NO_ZERO));
    }
    vec_drop(f->alloc, &parent);
    vec_drop(f->alloc, &reached);
    return ok;
}
