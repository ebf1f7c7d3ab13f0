/* shape.c - see shape.h.
 *
 * For each subsystem: (1) collect its components by walking over connections from its roots, in
 * an order that depends on nothing but the structure; (2) write that down as a signature and look
 * it up; (3) if it is new, orient the links from the roots outward, order the explicit blocks by
 * dependency, and find the linear groups. Only (1) and (2) are done per subsystem, in time
 * proportional to its size.
 *
 * In a domain without signals a node that no root drives is free. All leaves of such a network
 * join the groups of their nodes, and every part of it needs a root that says where zero is.
 */
#include "model/shape.h"

#include <stdlib.h>
#include <string.h>

typedef struct Finder {
    Flat *flat;
    ShapeList *list;
    const LiederAllocator *alloc;
    uint32_t sheet_id;
    Sheet *sheet;
    const Element *origin; /* by instance, for a sheet that is no part of the model; or NULL */
    /* ports of each node, by node representative */
    uint32_t *node_first, *node_ports;
    uint32_t *local_node;      /* by node representative: number in this subsystem, or NOWHERE */
    uint32_t *local_component; /* by instance, or NOWHERE */
    VEC(uint32_t) members;     /* instances of the subsystem */
    VEC(uint32_t) node_list;   /* representatives of its nodes */
    VEC(uint64_t) signature;
} Finder;

#define DIAG (&f->flat->session->diag)
#define WRONG(path, ...)                                                                           \
    (f->flat->nwrong++, shape->wrong = true, diag_error(DIAG, NULL, path, __VA_ARGS__))

/* path of a component of the subsystem at hand */
static const char *path_of(Finder *f, uint32_t component, char *buffer, size_t size)
{
    uint32_t instance = f->members.items[component];
    if (!f->origin)
        return flat_path(f->flat, f->sheet_id, instance, 0, buffer, size);
    const Element *e = &f->origin[instance];
    return flat_path(f->flat, e->sheet, e->instance, e->lane, buffer, size);
}

/* ------------------------------------------------------------------ (1) collecting */

static bool is_root(const LiederClass *class_)
{
    return class_physical_in(class_->def) == 0 && class_physical_out(class_->def) > 0;
}

static bool push_member(Finder *f, uint32_t instance)
{
    if (f->local_component[instance] != NOWHERE)
        return true;
    f->local_component[instance] = (uint32_t)f->members.n;
    return vec_push(f->alloc, &f->members, instance);
}

/* walks over all connections from the members that are there already */
static bool walk(Finder *f)
{
    for (size_t i = 0; i < f->members.n; i++) {
        const Instance *in = &f->sheet->instances.items[f->members.items[i]];
        for (int p = 0; p < in->class_->def->nport; p++) {
            uint32_t node = sheet_node(f->sheet, in->first_port + (uint32_t)p);
            if (f->local_node[node] != NOWHERE)
                continue;
            f->local_node[node] = (uint32_t)f->node_list.n;
            if (!vec_push(f->alloc, &f->node_list, node))
                return false;
            for (uint32_t k = f->node_first[node]; k < f->node_first[node + 1]; k++)
                if (!push_member(f, f->sheet->port_instance.items[f->node_ports[k]]))
                    return false;
        }
    }
    return true;
}

/* starts over, keeping only what the indices need */
static void forget(Finder *f)
{
    for (size_t i = 0; i < f->members.n; i++)
        f->local_component[f->members.items[i]] = NOWHERE;
    for (size_t i = 0; i < f->node_list.n; i++)
        f->local_node[f->node_list.items[i]] = NOWHERE;
    f->members.n = f->node_list.n = 0;
}

static int compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

typedef VEC(uint32_t) Ids;

/* the subsystem of an instance, roots first in the order in which they were declared */
static bool collect(Finder *f, uint32_t instance, Ids *roots)
{
    roots->n = 0;
    if (!push_member(f, instance) || !walk(f))
        return false;
    for (size_t i = 0; i < f->members.n; i++)
        if (is_root(f->sheet->instances.items[f->members.items[i]].class_) &&
            !vec_push(f->alloc, roots, f->members.items[i]))
            return false;
    if (roots->n == 0 || (roots->n == 1 && roots->items[0] == instance))
        return true; /* the order is right already */
    qsort(roots->items, roots->n, sizeof *roots->items, compare_ids);
    forget(f);
    for (size_t i = 0; i < roots->n; i++)
        if (!push_member(f, roots->items[i]))
            return false;
    return walk(f);
}

/* ------------------------------------------------------------------ (2) signatures */

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* does a leaf between two ports couple them, in any lane */
static bool couples_now(Finder *f, const Instance *in)
{
    const LiederClassDef *def = in->class_->def;
    if (class_physical_in(def) < 2 || !class_any_kernels(in->class_)->couple.run)
        return false;
    if (!def->couples)
        return in->class_->facts.couples;
    bool by_lane = false;
    for (int i = 0; i < in->class_->nslot; i++)
        by_lane |= f->sheet->lanes_of.items[in->first_slot + (uint32_t)i] != 0;
    for (size_t lane = 0; lane < (by_lane ? f->sheet->nlane : 1); lane++) {
        double *values = f->flat->session->values.items;
        for (int i = 0; i < in->class_->nslot; i++)
            values[i] = sheet_value(f->sheet, in->first_slot + (uint32_t)i, lane);
        if (def->couples(values))
            return true;
    }
    return false;
}

/* spare components that nothing else holds */
static bool sleeps(const Finder *f)
{
    for (size_t i = 0; i < f->members.n; i++)
        if (!f->sheet->instances.items[f->members.items[i]].spare)
            return false;
    return true;
}

static bool sign(Finder *f)
{
    f->signature.n = 0;
    bool ok = vec_push(f->alloc, &f->signature, f->members.n << 1 | (uint64_t)sleeps(f));
    for (size_t i = 0; i < f->members.n && ok; i++) {
        const Instance *in = &f->sheet->instances.items[f->members.items[i]];
        const LiederClassDef *def = in->class_->def;
        ok = vec_push(f->alloc, &f->signature,
                      (uint64_t)in->class_->id << 1 | (uint64_t)couples_now(f, in));
        for (int p = 0; p < def->nport && ok; p++)
            ok = vec_push(f->alloc, &f->signature,
                          f->local_node[sheet_node(f->sheet, in->first_port + (uint32_t)p)]);
        for (int s = 0; s < in->class_->nslot && ok; s++) {
            const LiederMember *m = in->class_->slots[s].member;
            if (!m || !m->structural)
                continue;
            double value = f->sheet->value.items[in->first_slot + (uint32_t)s];
            if (m->length == 0) {
                const LiederTable *t = f->sheet->tables.items[(size_t)value];
                ok = vec_push(f->alloc, &f->signature, t->rows);
                for (size_t k = 0; k < t->rows * t->columns && ok; k++)
                    ok = vec_push(f->alloc, &f->signature, bits_of(t->data[k]));
            } else {
                ok = vec_push(f->alloc, &f->signature,
                              bits_of(sheet_value(f->sheet, in->first_slot + (uint32_t)s, 0)));
            }
        }
    }
    return ok;
}

/* ------------------------------------------------------------------ (3) analysis */

static bool copy_structure(Finder *f, Shape *shape)
{
    const LiederAllocator *alloc = f->alloc;
    if (!vec_resize(alloc, &shape->nodes, f->node_list.n) ||
        !vec_resize(alloc, &shape->components, f->members.n))
        return false;
    for (size_t n = 0; n < f->node_list.n; n++) {
        Node *node = &shape->nodes.items[n];
        uint32_t at = f->node_list.items[n];
        *node = (Node){.driver = -1,
                       .group = -1,
                       .first_taker = (uint32_t)shape->takers.n,
                       .ntaker = f->node_first[at + 1] - f->node_first[at]};
        for (uint32_t k = f->node_first[at]; k < f->node_first[at + 1]; k++) {
            uint32_t port = f->node_ports[k], instance = f->sheet->port_instance.items[port];
            const Instance *in = &f->sheet->instances.items[instance];
            int p = (int)(port - in->first_port);
            node->domain = in->class_->def->ports[p].domain;
            if (!vec_push(alloc, &shape->takers, (Taker){f->local_component[instance], p}))
                return false;
        }
    }
    size_t nport = 0, nslot = 0, first_switch = 0;
    for (size_t i = 0; i < f->members.n; i++) {
        const LiederClass *class_ = f->sheet->instances.items[f->members.items[i]].class_;
        nport += (size_t)class_->def->nport;
        nslot += (size_t)class_->nslot;
    }
    if (!vec_resize(alloc, &shape->port_nodes, nport) ||
        !vec_resize(alloc, &shape->switches, nslot + 1))
        return false;
    nport = 0;
    for (size_t i = 0; i < f->members.n; i++) {
        Component *c = &shape->components.items[i];
        const Instance *in = &f->sheet->instances.items[f->members.items[i]];
        *c = (Component){.class_ = in->class_,
                         .node = shape->port_nodes.items + nport,
                         .switches = shape->switches.items + first_switch,
                         .group = -1};
        const LiederClassDef *def = in->class_->def;
        nport += (size_t)def->nport;
        int nin = class_physical_in(def), nout = class_physical_out(def);
        c->link = nin > 0 && nout > 0;
        const LiederKernels *k = class_any_kernels(in->class_);
        shape->general |= (c->link && nin > 1) || (k && k->iterate.run) ||
                          (k && k->nunknown && nin > 0 && nout == 0);
        c->root = is_root(in->class_);
        c->couples = couples_now(f, in);
        for (int p = 0; p < def->nport; p++) {
            shape->network |= port_is_network(&def->ports[p]);
            shape->general |= shape->network;
            c->node[p] = f->local_node[sheet_node(f->sheet, in->first_port + (uint32_t)p)];
        }
        for (int s = 0; s < in->class_->nslot; s++) {
            const LiederMember *m = in->class_->slots[s].member;
            uint32_t slot = in->first_slot + (uint32_t)s;
            if (m && m->structural && m->length > 0 && sheet_value(f->sheet, slot, 0) != 0)
                shape->switches.items[first_switch + (size_t)s] = 1;
            if (m && m->structural && m->length == 0 &&
                !vec_push(alloc, &shape->tables,
                          f->sheet->tables.items[(size_t)f->sheet->value.items[slot]]))
                return false;
        }
        first_switch += (size_t)in->class_->nslot;
    }
    return true;
}

static bool switch_on(const Component *c, const char *name)
{
    for (int s = 0; s < c->class_->nslot; s++)
        if (c->class_->slots[s].member && strcmp(c->class_->slots[s].member->name, name) == 0)
            return c->switches[s];
    return false;
}

/* makes a component the driver of a node, or says why it cannot be */
static void drive(Finder *f, Shape *shape, uint32_t component, int port)
{
    char path[512], other[512];
    Node *node = &shape->nodes.items[shape->components.items[component].node[port]];
    const char *name = shape->components.items[component].class_->def->ports[port].name;
    if (node->driver < 0) {
        node->driver = (int)component;
        node->driver_port = port;
        return;
    }
    path_of(f, component, path, sizeof path);
    path_of(f, (uint32_t)node->driver, other, sizeof other);
    const Component *d = &shape->components.items[node->driver];
    if (node->domain->npotential == 0)
        WRONG(path, "output %s is connected to output %s of %s\nan input takes one output", name,
              d->class_->def->ports[node->driver_port].name, other);
    else if (shape->components.items[component].root && d->root)
        WRONG(path, "%s is connected to %s.%s, and both are fixed\nremove one of the two", name,
              other, d->class_->def->ports[node->driver_port].name);
    else
        WRONG(path,
              "closes a rigid loop: the motion of %s is given by %s already\nclose the loop "
              "with an elastic element such as a SpringDamper",
              name, other);
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

/* from the roots outward: who drives each node, which links are reversed */
static bool orient(Finder *f, Shape *shape)
{
    char path[512];
    size_t ncomponent = shape->components.n;
    for (uint32_t i = 0; i < ncomponent; i++) {
        const Component *c = &shape->components.items[i];
        for (int p = 0; p < c->class_->def->nport; p++) {
            const LiederPortDef *def = &c->class_->def->ports[p];
            if (def->role == LIEDER_OUT && (c->root || port_is_signal(def)))
                drive(f, shape, i, p);
        }
    }
    /* a queue of driven physical nodes */
    VEC(uint32_t) queue = {0};
    VEC(uint8_t) placed = {0};
    bool ok = vec_resize(f->alloc, &placed, ncomponent);
    for (uint32_t n = 0; n < shape->nodes.n && ok; n++)
        if (shape->nodes.items[n].driver >= 0 && shape->nodes.items[n].domain->npotential > 0)
            ok = vec_push(f->alloc, &queue, n);
    for (size_t q = 0; q < queue.n && ok; q++) {
        const Node node = shape->nodes.items[queue.items[q]];
        for (uint32_t t = node.first_taker; t < node.first_taker + node.ntaker && ok; t++) {
            uint32_t i = shape->takers.items[t].component;
            int port = shape->takers.items[t].port;
            Component *c = &shape->components.items[i];
            const LiederClassDef *def = c->class_->def;
            if (!c->link || (int)i == node.driver)
                continue;
            if (placed.items[i]) {
                /* reached a second time through a port that it drives itself: drive() has
                 * reported it, or will when the port is driven */
                continue;
            }
            bool forward = def->ports[port].role == LIEDER_IN;
            if (forward && !all_driven(shape, c))
                continue; /* until the last of its incoming ports is reached */
            bool backward = port == 1 && class_any_kernels(c->class_)->reversible;
            if (!forward && !backward) {
                WRONG(path_of(f, i, path, sizeof path),
                      "%s cannot be driven from %s\nconnect its %s towards the root",
                      c->class_->name, def->ports[port].name, def->ports[0].name);
                placed.items[i] = 1;
                continue;
            }
            placed.items[i] = 1;
            c->reversed = backward;
            ok = vec_push(f->alloc, &shape->links, i);
            for (int p = 0; p < def->nport && ok; p++)
                if (!port_is_signal(&def->ports[p]) && !port_incoming(c, p)) {
                    bool fresh = shape->nodes.items[c->node[p]].driver < 0;
                    drive(f, shape, i, p);
                    if (fresh)
                        ok = vec_push(f->alloc, &queue, c->node[p]);
                }
        }
    }
    vec_drop(f->alloc, &queue);
    vec_drop(f->alloc, &placed);
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

/* The same links branch by branch: what one hands to the next is still at hand then. Branches of a
 * node keep their order, so that sums have the same bits. */
static bool sort_links(Finder *f, Shape *shape)
{
    VEC(uint32_t) stack = {0}, sorted = {0};
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
            const Component *c = &shape->components.items[i];
            if (placed.items[i])
                continue; /* reached twice, which drive() has reported */
            placed.items[i] = 1;
            sorted.items[sorted.n++] = i;
            for (int p = c->class_->def->nport; p-- > 0 && ok;) {
                const Node *node = &shape->nodes.items[c->node[p]];
                if (port_is_signal(&c->class_->def->ports[p]) || port_incoming(c, p))
                    continue;
                for (uint32_t t = node->first_taker + node->ntaker;
                     t-- > node->first_taker && ok;) {
                    const Taker *taker = &shape->takers.items[t];
                    const Component *o = &shape->components.items[taker->component];
                    if (o->link && taker->component != i && port_incoming(o, taker->port) &&
                        !placed.items[taker->component] && all_placed(shape, o, placed.items))
                        ok = vec_push(f->alloc, &stack, taker->component);
                }
            }
        }
    }
    if (ok && sorted.n)
        memcpy(shape->links.items, sorted.items, sorted.n * sizeof(uint32_t));
    vec_drop(f->alloc, &stack);
    vec_drop(f->alloc, &sorted);
    vec_drop(f->alloc, &placed);
    return ok;
}

/* ports that must lead somewhere */
static void check_ports(Finder *f, Shape *shape)
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
            const Node *node = &shape->nodes.items[c->node[p]];
            if (port_is_signal(&def->ports[p])) {
                if (def->ports[p].role == LIEDER_IN && node->driver < 0 && node->ntaker > 1)
                    WRONG(path_of(f, i, path, sizeof path),
                          "input %s is connected to inputs only\nconnect it to an output",
                          def->ports[p].name);
                else if (def->ports[p].role == LIEDER_IN && node->ntaker == 1 &&
                         !def->ports[p].optional)
                    WRONG(path_of(f, i, path, sizeof path),
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
                WRONG(path_of(f, i, path, sizeof path), "port %s is not connected\nconnect it",
                      def->ports[p].name);
            else if (port_is_network(&def->ports[p]))
                continue; /* check_grounds */
            else if (lost++ == 0)
                first_lost = i;
        }
    }
    if (lost)
        WRONG(path_of(f, first_lost, path, sizeof path),
              "has no way to a root%s\nconnect the part to a Fixed through joints; a body that "
              "flies freely hangs on a FreeMotion joint",
              lost > 1 ? ", and so have the components connected to it" : "");
}

static uint32_t find_group(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* brings the nodes of a component that have potentials and are not grounded into one set, named
 * by its smallest */
static void join_nodes(const Shape *shape, const Component *c, uint32_t *parent)
{
    uint32_t first = NOWHERE;
    for (int p = 0; p < c->class_->def->nport; p++) {
        const Node *node = &shape->nodes.items[c->node[p]];
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
static bool check_grounds(Finder *f, Shape *shape)
{
    char path[512];
    size_t n = shape->nodes.n;
    VEC(uint32_t) parent = {0};
    VEC(uint8_t) reached = {0};
    bool ok = vec_resize(f->alloc, &parent, n) && vec_resize(f->alloc, &reached, n);
    for (uint32_t i = 0; i < n && ok; i++) {
        Node *node = &shape->nodes.items[i];
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
        uint32_t taker = shape->nodes.items[i].first_taker;
        WRONG(path_of(f, shape->takers.items[taker].component, path, sizeof path),
              "is part of a network without a potential zero\nadd an Electrical.Ground");
    }
    vec_drop(f->alloc, &parent);
    vec_drop(f->alloc, &reached);
    return ok;
}

/* ------------------------------------------------------------------ order of explicit blocks */

/* the units of all components, numbered through, and what each still waits for */
typedef struct Ordering {
    Finder *f;
    Shape *shape;
    uint32_t *first;   /* by component: number of its unit 0 */
    uint32_t *waiting; /* by number */
    VEC(Step) ready;   /* the next one last */
} Ordering;

static int unit_count(const Component *c)
{
    return c->class_->facts.nunit;
}

/* the units of a component that set the signals of a port */
static uint32_t writer_count(const Component *c, int port)
{
    uint32_t n = 0;
    for (int u = 0; u < unit_count(c); u++)
        n += unit_writes_port(c->class_, u, port);
    return n;
}

static bool has_outgoing(const Component *c)
{
    for (int p = 0; p < c->class_->def->nport; p++)
        if (!port_incoming(c, p))
            return true;
    return false;
}

/* how many units must have run before this one */
static uint32_t count_waiting(const Shape *shape, uint32_t component, int unit)
{
    const Component *c = &shape->components.items[component];
    uint32_t n = 0;
    for (int p = 0; p < c->class_->def->nport; p++) {
        const Node *node = &shape->nodes.items[c->node[p]];
        if (port_incoming(c, p) && node->driver >= 0 && unit_reads_port(c->class_, unit, p))
            n += writer_count(&shape->components.items[node->driver], node->driver_port);
    }
    for (int u = 0; u < unit; u++)
        n += c->class_->facts.after[unit * unit_count(c) + u];
    return n;
}

/* one thing less that a unit waits for; if it was the last, the unit is ready */
static bool release(Ordering *o, uint32_t component, int unit)
{
    return --o->waiting[o->first[component] + (uint32_t)unit] > 0 ||
           vec_push(o->f->alloc, &o->ready, (Step){.component = component, .unit = (uint32_t)unit});
}

/* releases what waits for the signals of a port */
static bool release_takers(Ordering *o, uint32_t component, int port)
{
    const Shape *shape = o->shape;
    const Node *node = &shape->nodes.items[shape->components.items[component].node[port]];
    bool ok = true;
    if (node->driver != (int)component || node->driver_port != port)
        return true;
    for (uint32_t t = node->first_taker; t < node->first_taker + node->ntaker && ok; t++) {
        const Taker *taker = &shape->takers.items[t];
        const Component *c = &shape->components.items[taker->component];
        for (int u = 0; u < unit_count(c) && port_incoming(c, taker->port) && ok; u++)
            if (unit_reads_port(c->class_, u, taker->port))
                ok = release(o, taker->component, u);
    }
    return ok;
}

/* puts one step in its place, and beside it what becomes ready and has no outgoing port */
static bool place_step(Ordering *o, Step step)
{
    Shape *shape = o->shape;
    const Component *c = &shape->components.items[step.component];
    size_t first = o->ready.n, kept = first;
    bool ok = vec_push(o->f->alloc, &shape->order, step);
    for (int p = 0; p < c->class_->def->nport && ok; p++)
        if (!port_incoming(c, p) && unit_writes_port(c->class_, (int)step.unit, p))
            ok = release_takers(o, step.component, p);
    for (int u = (int)step.unit + 1; u < unit_count(c) && ok; u++)
        if (c->class_->facts.after[u * unit_count(c) + (int)step.unit])
            ok = release(o, step.component, u);
    for (size_t k = first; k < o->ready.n && ok; k++) {
        Step taker = o->ready.items[k];
        if (has_outgoing(&shape->components.items[taker.component]))
            o->ready.items[kept++] = taker;
        else
            ok = vec_push(o->f->alloc, &shape->order, taker);
    }
    o->ready.n = kept;
    for (size_t a = first, b = kept; a + 1 < b; a++) { /* the first one is taken first */
        Step last = o->ready.items[--b];
        o->ready.items[b] = o->ready.items[a];
        o->ready.items[a] = last;
    }
    return ok;
}

/* a component among those that wait for each other */
static void report_loop(Finder *f, Shape *shape, const Ordering *o)
{
    char path[512];
    for (uint32_t i = 0; i < shape->components.n; i++)
        for (int u = 0; u < unit_count(&shape->components.items[i]); u++)
            if (o->waiting[o->first[i] + (uint32_t)u] > 0) {
                WRONG(path_of(f, i, path, sizeof path),
                      "is part of an algebraic loop: its inputs depend on its own outputs\nput a "
                      "component with a state, such as a filtered sensor, into the loop");
                return;
            }
}

/* explicit blocks by dependency, branch by branch; inputs that only linear blocks read do not
 * count. What has no outgoing port comes at once, beside what it reads. */
static bool order_blocks(Finder *f, Shape *shape)
{
    size_t n = shape->components.n, nunit = 0;
    for (size_t i = 0; i < n; i++)
        nunit += (size_t)unit_count(&shape->components.items[i]);
    Ordering o = {.f = f, .shape = shape};
    o.first = memory_zeroed(f->alloc, (n + 1) * sizeof *o.first);
    o.waiting = memory_zeroed(f->alloc, (nunit + 1) * sizeof *o.waiting);
    bool ok = o.first && o.waiting;
    for (size_t i = 0, at = 0; i < n && ok; i++) {
        o.first[i] = (uint32_t)at;
        at += (size_t)unit_count(&shape->components.items[i]);
    }
    for (uint32_t i = (uint32_t)n; i-- > 0 && ok;)
        for (int u = unit_count(&shape->components.items[i]); u-- > 0 && ok;) {
            uint32_t waiting = count_waiting(shape, i, u);
            o.waiting[o.first[i] + (uint32_t)u] = waiting;
            if (waiting == 0)
                ok = vec_push(f->alloc, &o.ready, (Step){.component = i, .unit = (uint32_t)u});
        }
    while (ok && o.ready.n)
        ok = place_step(&o, o.ready.items[--o.ready.n]);
    if (ok && !shape->wrong && shape->order.n < nunit)
        report_loop(f, shape, &o);
    memory_free(f->alloc, o.first, (n + 1) * sizeof *o.first);
    memory_free(f->alloc, o.waiting, (nunit + 1) * sizeof *o.waiting);
    vec_drop(f->alloc, &o.ready);
    return ok;
}

/* whether a unit depends on nothing that changes */
static bool unit_is_constant(const Shape *shape, const Component *c, int unit)
{
    const LiederClassDef *def = c->class_->def;
    const LiederKernels *k = class_any_kernels(c->class_);
    bool constant = !def->uses_time && !(k && k->iterate.run); /* it begins its search anew */
    for (int p = 0; p < def->nport && constant; p++) {
        const Node *node = &shape->nodes.items[c->node[p]];
        if (port_incoming(c, p) && unit_reads_port(c->class_, unit, p))
            constant = node->constant && node->driver >= 0;
    }
    for (int m = 0; m < def->nmember && constant; m++)
        constant = !member_has_start(&def->members[m]) && def->members[m].crossing != LIEDER_HELD;
    return constant;
}

/* a component with its first unit: what comes in, and what it hands on */
static void classify_component(Shape *shape, Component *c)
{
    const LiederClassDef *def = c->class_->def;
    bool grounded = true;
    c->constant = true;
    c->incoming_constant = true;
    for (int p = 0; p < def->nport; p++)
        if (port_incoming(c, p)) {
            const Node *node = &shape->nodes.items[c->node[p]];
            if (unit_reads_port(c->class_, 0, p))
                c->incoming_constant &= node->constant && node->driver >= 0;
            if (!port_is_signal(&def->ports[p]))
                grounded &= node->grounded;
        }
    for (int p = 0; p < def->nport; p++)
        if (!port_incoming(c, p))
            shape->nodes.items[c->node[p]].grounded =
                c->root || c->class_->facts.rests[p] ||
                (c->link && grounded && class_any_kernels(c->class_)->nunknown == 0);
}

/* constants, grounded nodes, coupling leaves, linear groups */
static bool classify(Finder *f, Shape *shape)
{
    size_t nnode = shape->nodes.n;
    for (size_t n = 0; n < nnode; n++)
        shape->nodes.items[n].constant = shape->nodes.items[n].driver < 0 ? false : true;
    for (size_t q = 0; q < shape->order.n; q++) {
        Step *step = &shape->order.items[q];
        Component *c = &shape->components.items[step->component];
        if (step->unit == 0)
            classify_component(shape, c);
        step->constant = unit_is_constant(shape, c, (int)step->unit);
        for (size_t k = 0; k < q && step->constant && unit_count(c) > 1; k++)
            if (shape->order.items[k].component == step->component &&
                c->class_->facts
                    .after[(int)step->unit * unit_count(c) + (int)shape->order.items[k].unit])
                step->constant = shape->order.items[k].constant;
        for (int p = 0; p < c->class_->def->nport; p++)
            if (!port_incoming(c, p) && !c->class_->facts.rests[p] &&
                unit_writes_port(c->class_, (int)step->unit, p))
                shape->nodes.items[c->node[p]].constant &= step->constant;
    }
    for (size_t q = 0; q < shape->order.n; q++)
        shape->components.items[shape->order.items[q].component].constant &=
            shape->order.items[q].constant;
    /* groups: whatever shares a node that is not grounded, and what couples */
    VEC(uint32_t) parent = {0};
    if (!vec_resize(f->alloc, &parent, nnode))
        return false;
    for (uint32_t n = 0; n < nnode; n++)
        parent.items[n] = n;
    for (size_t i = 0; i < shape->components.n; i++) {
        Component *c = &shape->components.items[i];
        /* a leaf that the sparse system holds with all its ports */
        bool member = !c->root && !c->link && c->class_->def->nport &&
                      (port_is_network(&c->class_->def->ports[0]) ||
                       (class_any_kernels(c->class_) && class_any_kernels(c->class_)->nunknown));
        if (!c->link && c->couples && !member) {
            bool a = shape->nodes.items[c->node[0]].grounded,
                 b = shape->nodes.items[c->node[1]].grounded;
            c->coupling = a && b ? COUPLE_NONE : a || b ? COUPLE_ONE : COUPLE_BOTH;
            c->coupled_port = a ? 1 : 0;
        }
        if (c->link || c->coupling == COUPLE_BOTH || member)
            join_nodes(shape, c, parent.items);
    }
    bool ok = true;
    for (uint32_t n = 0; n < nnode && ok; n++) {
        Node *node = &shape->nodes.items[n];
        if (node->domain->npotential == 0 || node->grounded)
            continue;
        uint32_t g = find_group(parent.items, n);
        if (g == n) {
            node->group = (int)shape->groups.n;
            ok = vec_push(f->alloc, &shape->groups, (Group){0});
        } else {
            node->group = shape->nodes.items[g].group;
        }
        if (ok && node->free)
            shape->groups.items[node->group].nunknown += (uint32_t)node->domain->npotential;
    }
    vec_drop(f->alloc, &parent);
    for (uint32_t i = 0; i < shape->components.n && ok; i++) {
        Component *c = &shape->components.items[i];
        const LiederClassDef *def = c->class_->def;
        uint32_t nunknown =
            class_any_kernels(c->class_) ? (uint32_t)class_any_kernels(c->class_)->nunknown : 0;
        for (int p = 0; p < def->nport && c->group < 0; p++)
            c->group = port_is_signal(&def->ports[p]) ? -1 : shape->nodes.items[c->node[p]].group;
        /* a leaf between grounded nodes has its unknowns to itself */
        if (c->group < 0 && nunknown && !c->link && !c->root) {
            c->group = (int)shape->groups.n;
            ok = vec_push(f->alloc, &shape->groups, (Group){0});
        }
        if (c->group >= 0 && ok) {
            shape->groups.items[c->group].nunknown += nunknown;
            shape->groups.items[c->group].ncoupling += c->coupling == COUPLE_BOTH;
        }
    }
    return ok;
}

static bool list_states(Finder *f, Shape *shape)
{
    bool ok = true;
    for (uint32_t i = 0; i < shape->components.n; i++) {
        const Component *c = &shape->components.items[i];
        for (uint32_t s = 0; s < (uint32_t)c->class_->nslot && ok; s++) {
            const LiederMember *m = c->class_->slots[s].member;
            if (m && m->kind == LIEDER_STATE && (!m->only_if || switch_on(c, m->only_if)))
                ok = vec_push(f->alloc, &shape->states, (StateRef){i, m, s});
        }
    }
    return ok;
}

/* ------------------------------------------------------------------ putting it together */

void shape_empty(Shape *shape, const LiederAllocator *alloc)
{
    for (size_t i = 0; i < shape->batches.n; i++)
        memory_free(alloc, shape->batches.items[i].instances,
                    shape->components.n * sizeof(uint32_t));
    vec_drop(alloc, &shape->components);
    vec_drop(alloc, &shape->port_nodes);
    vec_drop(alloc, &shape->switches);
    vec_drop(alloc, &shape->nodes);
    vec_drop(alloc, &shape->takers);
    vec_drop(alloc, &shape->order);
    vec_drop(alloc, &shape->links);
    vec_drop(alloc, &shape->states);
    vec_drop(alloc, &shape->groups);
    vec_drop(alloc, &shape->tables);
    vec_drop(alloc, &shape->batches);
    vec_drop(alloc, &shape->signature);
}

static void shape_destroy(Shape *shape, const LiederAllocator *alloc)
{
    shape_empty(shape, alloc);
    memory_free(alloc, shape, sizeof *shape);
}

void shapes_drop(ShapeList *list, const LiederAllocator *alloc)
{
    for (size_t i = 0; i < list->shapes.n; i++)
        if (list->shapes.items[i])
            shape_destroy(list->shapes.items[i], alloc);
    vec_drop(alloc, &list->shapes);
    vec_drop(alloc, &list->places);
    memory_free(alloc, list->table, list->ntable * sizeof *list->table);
    list->table = NULL;
    list->ntable = 0;
}

size_t shape_bytes(const Shape *shape)
{
    return sizeof *shape + shape->components.room * sizeof(Component) +
           shape->nodes.room * sizeof(Node) + shape->takers.room * sizeof(Taker) +
           shape->batches.room * sizeof(Batch) +
           shape->batches.n * shape->components.n * sizeof(uint32_t) +
           shape->order.room * sizeof(Step) +
           (shape->links.room + shape->port_nodes.room) * sizeof(uint32_t) + shape->switches.room +
           shape->states.room * sizeof(StateRef) + shape->groups.room * sizeof(Group) +
           shape->signature.room * sizeof(uint64_t) + shape->tables.room * sizeof(LiederTable *);
}

size_t shape_first_state(const Shape *shape, uint32_t component)
{
    size_t low = 0, high = shape->states.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (shape->states.items[middle].component < component)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool grow_table(ShapeList *list, const LiederAllocator *alloc)
{
    size_t n = list->ntable ? list->ntable * 2 : 64;
    uint32_t *table = memory_zeroed(alloc, n * sizeof *table);
    if (!table)
        return false;
    for (size_t i = 0; i < list->shapes.n; i++) {
        if (!list->shapes.items[i])
            continue;
        size_t at = list->shapes.items[i]->hash & (n - 1);
        while (table[at])
            at = (at + 1) & (n - 1);
        table[at] = (uint32_t)i + 1;
    }
    memory_free(alloc, list->table, list->ntable * sizeof *table);
    list->table = table;
    list->ntable = n;
    return true;
}

void shape_remove(ShapeList *list, uint32_t id, const LiederAllocator *alloc)
{
    size_t most = list->ntable - 1, at = list->shapes.items[id]->hash & most;
    while (list->table[at] != id + 1)
        at = (at + 1) & most;
    /* what was pushed on by it moves back */
    for (size_t next = (at + 1) & most; list->table[next]; next = (next + 1) & most) {
        size_t wanted = list->shapes.items[list->table[next] - 1]->hash & most;
        if (((next - wanted) & most) >= ((next - at) & most)) {
            list->table[at] = list->table[next];
            at = next;
        }
    }
    list->table[at] = 0;
    shape_destroy(list->shapes.items[id], alloc);
    list->shapes.items[id] = NULL;
    list->places.items[list->places.n++] = id; /* enter_shape has made room */
}

/* a new shape with the signature at hand at this place of the table */
static Shape *enter_shape(Finder *f, size_t at, uint64_t hash)
{
    ShapeList *list = f->list;
    Shape *shape = memory_zeroed(f->alloc, sizeof *shape);
    if (!shape)
        return NULL;
    if (!vec_resize(f->alloc, &shape->signature, f->signature.n) ||
        (list->places.n == 0 && !(vec_reserve(f->alloc, &list->places, list->shapes.n + 1) &&
                                  vec_push(f->alloc, &list->shapes, NULL)))) {
        shape_destroy(shape, f->alloc);
        return NULL;
    }
    shape->id =
        list->places.n ? list->places.items[--list->places.n] : (uint32_t)list->shapes.n - 1;
    list->shapes.items[shape->id] = shape;
    list->table[at] = shape->id + 1;
    shape->older = list->fresh;
    list->fresh = shape;
    shape->hash = hash;
    shape->asleep = sleeps(f);
    memcpy(shape->signature.items, f->signature.items, f->signature.n * sizeof(uint64_t));
    return shape;
}

/* runs the blocks of classes that no model has used before; false: no memory */
static bool examine_classes(Finder *f, Shape *shape)
{
    for (size_t i = 0; i < shape->components.n; i++) {
        LiederStatus status = class_examine(
            f->flat->session, (LiederClass *)(uintptr_t)shape->components.items[i].class_);
        if (status == LIEDER_NO_MEMORY)
            return false;
        if (status != LIEDER_DONE) { /* which it has reported */
            shape->wrong = true;
            f->flat->nwrong++;
        }
    }
    return true;
}

/* the shape of the subsystem at hand, which is signed, new or known; NULL: no memory */
static Shape *shape_of(Finder *f)
{
    ShapeList *list = f->list;
    if (list->shapes.n * 2 >= list->ntable && !grow_table(list, f->alloc))
        return NULL;
    size_t bytes = f->signature.n * sizeof(uint64_t);
    uint64_t hash = hash_bytes(HASH_SEED, f->signature.items, bytes);
    size_t at = hash & (list->ntable - 1);
    for (; list->table[at]; at = (at + 1) & (list->ntable - 1)) {
        Shape *s = list->shapes.items[list->table[at] - 1];
        if (s->hash == hash && s->signature.n == f->signature.n &&
            memcmp(s->signature.items, f->signature.items, bytes) == 0)
            return s;
    }
    Shape *shape = enter_shape(f, at, hash);
    if (!shape || !copy_structure(f, shape) || !list_states(f, shape) || !examine_classes(f, shape))
        return NULL;
    if (shape->asleep || shape->wrong)
        return shape;
    if (!orient(f, shape) || !sort_links(f, shape))
        return NULL;
    check_ports(f, shape);
    if (shape->network && !shape->wrong && !check_grounds(f, shape))
        return NULL;
    if (!order_blocks(f, shape) || (!shape->wrong && !classify(f, shape)))
        return NULL;
    return shape;
}

static bool add_batch(Finder *f, Shape *shape)
{
    Batch batch = {.sheet = f->sheet_id, .first_lane = shape->nlane, .nlane = f->sheet->nlane};
    batch.instances = memory_copy(f->alloc, f->members.items, f->members.n * sizeof(uint32_t));
    if (!batch.instances)
        return false;
    if (!vec_push(f->alloc, &shape->batches, batch)) {
        memory_free(f->alloc, batch.instances, f->members.n * sizeof(uint32_t));
        return false;
    }
    shape->nlane += batch.nlane;
    return true;
}

/* ports by node, instance by port */
static bool index_sheet(Finder *f)
{
    Sheet *s = f->sheet;
    size_t nport = s->port_parent.n, ninstance = s->instances.n;
    f->node_first = memory_zeroed(f->alloc, (nport + 2) * sizeof(uint32_t));
    f->node_ports = memory_zeroed(f->alloc, (nport + 1) * sizeof(uint32_t));
    f->local_node = memory_zeroed(f->alloc, (nport + 1) * sizeof(uint32_t));
    f->local_component = memory_zeroed(f->alloc, (ninstance + 1) * sizeof(uint32_t));
    if (!f->node_first || !f->node_ports || !f->local_node || !f->local_component)
        return false;
    for (uint32_t p = 0; p < nport; p++)
        f->node_first[sheet_node(s, p) + 2]++;
    for (size_t p = 0; p < nport; p++)
        f->node_first[p + 2] += f->node_first[p + 1];
    for (uint32_t p = 0; p < nport; p++)
        f->node_ports[f->node_first[sheet_node(s, p) + 1]++] = p;
    memset(f->local_node, 0xff, (nport + 1) * sizeof(uint32_t));
    memset(f->local_component, 0xff, (ninstance + 1) * sizeof(uint32_t));
    return true;
}

static void drop_index(Finder *f)
{
    size_t nport = f->sheet->port_parent.n, ninstance = f->sheet->instances.n;
    memory_free(f->alloc, f->node_first, (nport + 2) * sizeof(uint32_t));
    memory_free(f->alloc, f->node_ports, (nport + 1) * sizeof(uint32_t));
    memory_free(f->alloc, f->local_node, (nport + 1) * sizeof(uint32_t));
    memory_free(f->alloc, f->local_component, (ninstance + 1) * sizeof(uint32_t));
    f->node_first = f->node_ports = f->local_node = f->local_component = NULL;
}

/* all subsystems of the sheet at hand, one after the other; `take` does something with each */
static bool visit_sheet(Finder *f, bool (*take)(Finder *f, void *user), void *user)
{
    Ids roots = {0};
    VEC(uint8_t) done = {0};
    bool ok = index_sheet(f) && vec_resize(f->alloc, &done, f->sheet->instances.n);
    for (uint32_t i = 0; i < f->sheet->instances.n && ok; i++) {
        if (done.items[i] || f->sheet->instances.items[i].class_->is_environment)
            continue;
        ok = collect(f, i, &roots) && sign(f) && take(f, user);
        for (size_t k = 0; k < f->members.n; k++)
            done.items[f->members.items[k]] = 1;
        forget(f);
    }
    drop_index(f);
    vec_drop(f->alloc, &roots);
    vec_drop(f->alloc, &done);
    return ok;
}

static void drop_finder(Finder *f)
{
    vec_drop(f->alloc, &f->members);
    vec_drop(f->alloc, &f->node_list);
    vec_drop(f->alloc, &f->signature);
}

static bool take_lanes(Finder *f, void *user)
{
    (void)user;
    Shape *shape = shape_of(f);
    return shape && add_batch(f, shape);
}

LiederStatus find_shapes(ShapeList *list, Flat *flat)
{
    Finder f = {.flat = flat, .list = list, .alloc = &flat->session->alloc};
    bool ok = true;
    for (uint32_t s = 0; s < flat->sheets.n && ok; s++) {
        f.sheet_id = s;
        f.sheet = &flat->sheets.items[s];
        ok = f.sheet->nlane == 0 || visit_sheet(&f, take_lanes, NULL);
    }
    drop_finder(&f);
    if (!ok)
        return LIEDER_NO_MEMORY;
    for (size_t i = 0; i < list->shapes.n; i++)
        list->shapes.items[i]->all_lanes = list->shapes.items[i]->nlane;
    return flat->nwrong ? LIEDER_BAD_MODEL : LIEDER_DONE;
}

static bool take_subsystem(Finder *f, void *user)
{
    Subsystems *found = user;
    Subsystem s = {.first = (uint32_t)found->members.n, .nmember = (uint32_t)f->members.n};
    s.shape = found->home(found->user, f->members.items, f->members.n, f->signature.items,
                          f->signature.n);
    if (!s.shape && !sleeps(f) && !(s.shape = shape_of(f)))
        return false;
    for (size_t i = 0; i < f->members.n; i++)
        if (!vec_push(f->alloc, &found->members, f->members.items[i]))
            return false;
    return vec_push(f->alloc, &found->list, s);
}

LiederStatus find_subsystems(ShapeList *list, Flat *flat, Sheet *sheet, const Element *origin,
                             Subsystems *found)
{
    Finder f = {.flat = flat,
                .list = list,
                .alloc = &flat->session->alloc,
                .sheet = sheet,
                .origin = origin};
    size_t nwrong = flat->nwrong;
    bool ok = visit_sheet(&f, take_subsystem, found);
    drop_finder(&f);
    bool wrong = flat->nwrong > nwrong;
    flat->nwrong = nwrong; /* the model is as good as before */
    return !ok ? LIEDER_NO_MEMORY : wrong ? LIEDER_BAD_MODEL : LIEDER_DONE;
}
