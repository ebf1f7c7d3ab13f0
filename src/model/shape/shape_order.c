/* shape_order.c - what runs when: the units of all components by dependency, branch by branch; what
 * is constant, which nodes are grounded, which leaves couple, which unknowns are solved together.
 */
#include "model/shape/shape_find.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ order */

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
        const ShapeNode *node = &shape->nodes.items[c->node[p]];
        if (port_incoming(c, p) && node->driver >= 0 && unit_reads_port(c->class_, unit, p))
            n += writer_count(&shape->components.items[node->driver], node->driver_port);
    }
    for (int u = 0; u < unit; u++)
        n += c->class_->facts.after[unit * unit_count(c) + u];
    return n;
}

/* a unit waits for one block less; if it was the last one, the unit is ready */
static bool release_block(Ordering *o, uint32_t component, int unit)
{
    return --o->waiting[o->first[component] + (uint32_t)unit] > 0 ||
           vec_push(o->f->alloc, &o->ready, (Step){.component = component, .unit = (uint32_t)unit});
}

/* releases the units that wait for the signals of a port */
static bool release_takers(Ordering *o, uint32_t component, int port)
{
    const Shape *shape = o->shape;
    const ShapeNode *node = &shape->nodes.items[shape->components.items[component].node[port]];
    bool ok = true;
    if (node->driver != (int)component || node->driver_port != port)
        return true;
    for (uint32_t t = node->first_taker; t < node->first_taker + node->ntaker && ok; t++) {
        const Taker *taker = &shape->takers.items[t];
        const Component *c = &shape->components.items[taker->component];
        for (int u = 0; u < unit_count(c) && port_incoming(c, taker->port) && ok; u++)
            if (unit_reads_port(c->class_, u, taker->port))
                ok = release_block(o, taker->component, u);
    }
    return ok;
}

/* appends a step, and right behind it the units that become ready and have no outgoing port */
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
            ok = release_block(o, step.component, u);
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

/* reports one of the components that wait for each other */
static void report_loop(Finder *f, Shape *shape, const Ordering *o)
{
    char path[512];
    for (uint32_t i = 0; i < shape->components.n; i++)
        for (int u = 0; u < unit_count(&shape->components.items[i]); u++)
            if (o->waiting[o->first[i] + (uint32_t)u] > 0) {
                WRONG(finder_path(f, i, path, sizeof path),
                      "is part of an algebraic loop: its inputs depend on its own outputs\nput a "
                      "component with a state, such as a filtered sensor, into the loop");
                return;
            }
}

/* explicit blocks by dependency, branch by branch; inputs that only linear blocks read do not
 * count. A component without outgoing ports comes right behind what it reads. */
bool shape_order_blocks(Finder *f, Shape *shape)
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

/* ------------------------------------------------------------------ constants and groups */

/* whether a unit depends on nothing that changes */
static bool unit_is_constant(const Shape *shape, const Component *c, int unit)
{
    const LiederClassDef *def = c->class_->def;
    const LiederKernels *k = class_any_kernels(c->class_);
    bool constant = !def->uses_time && !(k && k->iterate.run); /* its search begins anew */
    for (int p = 0; p < def->nport && constant; p++) {
        const ShapeNode *node = &shape->nodes.items[c->node[p]];
        if (port_incoming(c, p) && unit_reads_port(c->class_, unit, p))
            constant = node->constant && node->driver >= 0;
    }
    for (int m = 0; m < def->nmember && constant; m++)
        constant = !member_has_start(&def->members[m]) && def->members[m].crossing != LIEDER_HELD;
    return constant;
}

/* whether incoming signals of a component change, and whether the nodes that it drives are
 * grounded */
static void classify_component(Shape *shape, Component *c)
{
    const LiederClassDef *def = c->class_->def;
    bool grounded = true;
    c->constant = true;
    c->incoming_constant = true;
    for (int p = 0; p < def->nport; p++)
        if (port_incoming(c, p)) {
            const ShapeNode *node = &shape->nodes.items[c->node[p]];
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

/* what never changes: units of components in the order of evaluation, and the nodes that they
 * set */
static void find_constants(Shape *shape)
{
    for (size_t n = 0; n < shape->nodes.n; n++)
        shape->nodes.items[n].constant = shape->nodes.items[n].driver >= 0;
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
}

/* Coupling leaves, and the nodes that are solved together: parent becomes a forest of them. Links
 * and members of networks join their nodes that are not grounded, and so do coupling leaves. */
static void join_components(Shape *shape, uint32_t *parent)
{
    for (uint32_t n = 0; n < shape->nodes.n; n++)
        parent[n] = n;
    for (size_t i = 0; i < shape->components.n; i++) {
        Component *c = &shape->components.items[i];
        /* a leaf that the sparse system holds with all its ports */
        bool member =
            !c->root && !c->link && c->class_->def->nport &&
            (port_is_network(&c->class_->def->ports[0]) || class_is_whole(c->class_->def));
        if (!c->link && c->couples && !member) {
            bool a = shape->nodes.items[c->node[0]].grounded,
                 b = shape->nodes.items[c->node[1]].grounded;
            c->coupling = a && b ? COUPLE_NONE : a || b ? COUPLE_ONE : COUPLE_BOTH;
            c->coupled_port = a ? 1 : 0;
        }
        if (c->link || c->coupling == COUPLE_BOTH || member)
            join_nodes(shape, c, parent);
    }
}

/* a group for each tree of the forest; false: no memory */
static bool group_nodes(Shape *shape, uint32_t *parent, const LiederAllocator *alloc)
{
    for (uint32_t n = 0; n < shape->nodes.n; n++) {
        ShapeNode *node = &shape->nodes.items[n];
        if (node->domain->npotential == 0 || node->grounded)
            continue;
        uint32_t g = find_group(parent, n);
        if (g == n) {
            node->group = (int)shape->groups.n;
            if (!vec_push(alloc, &shape->groups, (Group){0}))
                return false;
        } else {
            node->group = shape->nodes.items[g].group;
        }
        if (node->free)
            shape->groups.items[node->group].nunknown += (uint32_t)node->domain->npotential;
    }
    return true;
}

/* components with the groups of their nodes; false: no memory */
static bool group_components(Shape *shape, const LiederAllocator *alloc)
{
    for (uint32_t i = 0; i < shape->components.n; i++) {
        Component *c = &shape->components.items[i];
        const LiederClassDef *def = c->class_->def;
        uint32_t nunknown =
            class_any_kernels(c->class_) ? (uint32_t)class_any_kernels(c->class_)->nunknown : 0;
        for (int p = 0; p < def->nport && c->group < 0; p++)
            c->group = port_is_signal(&def->ports[p]) ? -1 : shape->nodes.items[c->node[p]].group;
        /* a leaf between grounded nodes is a group of its own */
        if (c->group < 0 && nunknown && !c->link && !c->root) {
            c->group = (int)shape->groups.n;
            if (!vec_push(alloc, &shape->groups, (Group){0}))
                return false;
        }
        if (c->group >= 0) {
            shape->groups.items[c->group].nunknown += nunknown;
            shape->groups.items[c->group].ncoupling += c->coupling == COUPLE_BOTH;
        }
    }
    return true;
}

/* constants, grounded nodes, coupling leaves, linear groups; false: no memory */
bool shape_classify(Finder *f, Shape *shape)
{
    VEC(uint32_t) parent = {0};
    find_constants(shape);
    if (!vec_resize(f->alloc, &parent, shape->nodes.n))
        return false;
    join_components(shape, parent.items);
    bool ok = group_nodes(shape, parent.items, f->alloc) && group_components(shape, f->alloc);
    vec_drop(f->alloc, &parent);
    return ok;
}

/* ------------------------------------------------------------------ states */

static bool switch_on(const Component *c, const char *name)
{
    for (int s = 0; s < c->class_->nslot; s++)
        if (c->class_->slots[s].member && strcmp(c->class_->slots[s].member->name, name) == 0)
            return c->switches[s];
    return false;
}

bool shape_list_states(Finder *f, Shape *shape)
{
    bool ok = true;
    for (uint32_t i = 0; i < shape->components.n; i++) {
        const Component *c = &shape->components.items[i];
        for (uint32_t s = 0; s < (uint32_t)c->class_->nslot && ok; s++) {
            const LiederMember *m = c->class_->slots[s].member;
            if (m && m->kind == LIEDER_STATE && (!m->only_if || switch_on(c, m->only_if)))
                ok = vec_push(f->alloc, &shape->states, (StateRef){m, i, s});
        }
    }
    return ok;
}
