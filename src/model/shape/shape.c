/* shape.c - see shape.h.
 *
 * For each subsystem: (1) collect its components by walking over connections from its roots, in
 * an order that depends on nothing but the structure; (2) write that down as a signature and look
 * it up; (3) if it is new, orient the links from the roots outward, order the explicit blocks by
 * dependency, and find the linear groups. Only (1) and (2) are done per subsystem, in time
 * proportional to its size.
 *
 * In a domain without signals a node that no root drives is free. All leaves of such a network join
 * the groups of their nodes, and every part of it needs a root that fixes the potential zero.
 */
#include "model/shape/shape_find.h"

#include <stdlib.h>
#include <string.h>

const char *finder_path(Finder *f, uint32_t component, char *buffer, size_t size)
{
    uint32_t instance = f->members.items[component];
    if (!f->origin)
        return flat_path(f->flat, f->sheet_id, sheet_held(f->sheet, instance).number, 0, buffer,
                         size);
    const LiederElement *e = &f->origin[instance];
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
static bool walk_shape(Finder *f)
{
    for (size_t i = 0; i < f->members.n; i++) {
        Instance in = sheet_held(f->sheet, f->members.items[i]);
        for (int p = 0; p < in.class_->def->nport; p++) {
            uint32_t node = sheet_node(f->sheet, in.first_port + (uint32_t)p);
            if (f->local_node[node] != NOWHERE)
                continue;
            f->local_node[node] = (uint32_t)f->node_list.n;
            if (!vec_push(f->alloc, &f->node_list, node))
                return false;
            for (uint32_t k = f->node_first[node]; k < f->node_first[node + 1]; k++)
                if (!push_member(f, f->sheet->port_held.items[f->node_ports[k]]))
                    return false;
        }
    }
    return true;
}

/* forgets the subsystem at hand; the index of the sheet stays */
static void forget_shape(Finder *f)
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
static bool collect_members(Finder *f, uint32_t instance, Ids *roots)
{
    roots->n = 0;
    if (!push_member(f, instance) || !walk_shape(f))
        return false;
    for (size_t i = 0; i < f->members.n; i++)
        if (is_root(sheet_held(f->sheet, f->members.items[i]).class_) &&
            !vec_push(f->alloc, roots, f->members.items[i]))
            return false;
    if (roots->n == 0 || (roots->n == 1 && roots->items[0] == instance))
        return true; /* the order is right already */
    qsort(roots->items, roots->n, sizeof *roots->items, compare_ids);
    forget_shape(f);
    for (size_t i = 0; i < roots->n; i++)
        if (!push_member(f, roots->items[i]))
            return false;
    return walk_shape(f);
}

/* ------------------------------------------------------------------ (2) signatures */

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* whether a leaf couples its two ports in some lane */
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

/* whether all components of the subsystem are spare */
static bool sleeps(const Finder *f)
{
    for (size_t i = 0; i < f->members.n; i++)
        if (!sheet_held(f->sheet, f->members.items[i]).spare)
            return false;
    return true;
}

/* what makes two subsystems equal: classes, couplings, connections by local numbers, switches;
 * false: no memory */
static bool sign(Finder *f)
{
    f->signature.n = 0;
    bool ok = vec_push(f->alloc, &f->signature, f->members.n << 1 | (uint64_t)sleeps(f));
    for (size_t i = 0; i < f->members.n && ok; i++) {
        const Instance one = sheet_held(f->sheet, f->members.items[i]), *in = &one;
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

/* where the switches of the last component of a class stand, for others that have the same */
typedef struct SwitchCommon {
    const LiederClass *class_;
    size_t first;
} SwitchCommon;
typedef VEC(SwitchCommon) SwitchCommons;

/* *first: where the switches of a component stand, those of one before it if they are equal; false:
 * no memory */
static bool copy_switches(Finder *f, Shape *shape, const Instance *in, SwitchCommons *known,
                          size_t *first)
{
    size_t n = (size_t)in->class_->nslot, k = 0, at = shape->switches.n;
    if (!vec_resize(f->alloc, &shape->switches, at + n))
        return false;
    for (size_t s = 0; s < n; s++) {
        const LiederMember *m = in->class_->slots[s].member;
        if (m && m->structural && m->length > 0 &&
            sheet_value(f->sheet, in->first_slot + (uint32_t)s, 0) != 0)
            shape->switches.items[at + s] = 1;
    }
    *first = at;
    while (k < known->n && known->items[k].class_ != in->class_)
        k++;
    if (k == known->n)
        return vec_push(f->alloc, known, ((SwitchCommon){in->class_, at}));
    const uint8_t *before = shape->switches.items + known->items[k].first;
    if (n && memcmp(before, shape->switches.items + at, n) == 0) {
        *first = known->items[k].first;
        shape->switches.n = at;
    } else {
        known->items[k].first = at;
    }
    return true;
}

/* the nodes of the subsystem at hand with the ports that take part in them; false: no memory */
static bool copy_nodes(Finder *f, Shape *shape)
{
    size_t ntaker = 0;
    for (size_t n = 0; n < f->node_list.n; n++)
        ntaker += f->node_first[f->node_list.items[n] + 1] - f->node_first[f->node_list.items[n]];
    if (!vec_resize(f->alloc, &shape->nodes, f->node_list.n) ||
        !vec_reserve(f->alloc, &shape->takers, ntaker))
        return false;
    for (size_t n = 0; n < f->node_list.n; n++) {
        ShapeNode *node = &shape->nodes.items[n];
        uint32_t at = f->node_list.items[n];
        *node = (ShapeNode){.driver = -1,
                            .group = -1,
                            .first_taker = (uint32_t)shape->takers.n,
                            .ntaker = f->node_first[at + 1] - f->node_first[at]};
        for (uint32_t k = f->node_first[at]; k < f->node_first[at + 1]; k++) {
            uint32_t port = f->node_ports[k], instance = f->sheet->port_held.items[port];
            Instance in = sheet_held(f->sheet, instance);
            int p = (int)(port - in.first_port);
            node->domain = in.class_->def->ports[p].domain;
            if (!vec_push(f->alloc, &shape->takers, (Taker){f->local_component[instance], p}))
                return false;
        }
    }
    return true;
}

/* the facts that follow from the class of a component, and the nodes of its ports */
static void copy_component(Finder *f, Shape *shape, Component *c, const Instance *in)
{
    const LiederClassDef *def = in->class_->def;
    int nin = class_physical_in(def), nout = class_physical_out(def);
    const LiederKernels *k = class_any_kernels(in->class_);
    c->link = nin > 0 && nout > 0;
    c->root = is_root(in->class_);
    c->couples = couples_now(f, in);
    shape->general |= (c->link && nin > 1) || (k && k->iterate.run) || class_is_whole(def);
    for (int p = 0; p < def->nport; p++) {
        shape->network |= port_is_network(&def->ports[p]);
        shape->general |= shape->network;
        c->node[p] = f->local_node[sheet_node(f->sheet, in->first_port + (uint32_t)p)];
    }
}

/* the tables by which subsystems of a class differ; false: no memory */
static bool copy_tables(Finder *f, Shape *shape, const Instance *in)
{
    for (int s = 0; s < in->class_->nslot; s++) {
        const LiederMember *m = in->class_->slots[s].member;
        uint32_t slot = in->first_slot + (uint32_t)s;
        if (m && m->structural && m->length == 0 &&
            !vec_push(f->alloc, &shape->tables,
                      f->sheet->tables.items[(size_t)f->sheet->value.items[slot]]))
            return false;
    }
    return true;
}

/* The components of the subsystem at hand; false: no memory. first_switch (one for each): where the
 * switches of a component stand in their list, which may move while it grows. */
static bool copy_components(Finder *f, Shape *shape, size_t *first_switch)
{
    size_t nport = 0;
    for (size_t i = 0; i < f->members.n; i++)
        nport += (size_t)sheet_held(f->sheet, f->members.items[i]).class_->def->nport;
    SwitchCommons known = {0};
    bool ok = vec_resize(f->alloc, &shape->port_nodes, nport);
    uint32_t *nodes = shape->port_nodes.items;
    for (size_t i = 0; i < f->members.n && ok; i++) {
        const Instance in = sheet_held(f->sheet, f->members.items[i]);
        Component *c = &shape->components.items[i];
        *c = (Component){.class_ = in.class_, .node = nodes, .group = -1};
        nodes += in.class_->def->nport;
        copy_component(f, shape, c, &in);
        ok = copy_switches(f, shape, &in, &known, &first_switch[i]) && copy_tables(f, shape, &in);
    }
    vec_drop(f->alloc, &known);
    return ok;
}

/* components and nodes of the subsystem at hand as those of a new shape; false: no memory */
static bool copy_structure(Finder *f, Shape *shape)
{
    size_t n = f->members.n, bytes = (n + 1) * sizeof(size_t);
    if (!vec_resize(f->alloc, &shape->components, n) || !copy_nodes(f, shape))
        return false;
    size_t *first_switch = memory_zeroed(f->alloc, bytes);
    bool ok = first_switch && copy_components(f, shape, first_switch) &&
              vec_resize(f->alloc, &shape->switches, shape->switches.n + 1); /* never NULL */
    for (size_t i = 0; i < n && ok; i++)
        shape->components.items[i].switches = shape->switches.items + first_switch[i];
    memory_free(f->alloc, first_switch, bytes);
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
           shape->nodes.room * sizeof(ShapeNode) + shape->takers.room * sizeof(Taker) +
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

/* doubles the table of shapes by hash; false: no memory */
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
    /* entries that it displaced move back */
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
        if (status != LIEDER_DONE) { /* it was reported */
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
    if (!shape || !copy_structure(f, shape) || !shape_list_states(f, shape) ||
        !examine_classes(f, shape))
        return NULL;
    if (shape->asleep || shape->wrong)
        return shape;
    if (!shape_orient(f, shape) || !shape_sort_links(f, shape))
        return NULL;
    shape_check_ports(f, shape);
    if (shape->network && !shape->wrong && !shape_check_grounds(f, shape))
        return NULL;
    if (!shape_order_blocks(f, shape) || (!shape->wrong && !shape_classify(f, shape)))
        return NULL;
    return shape;
}

/* the lanes of the sheet at hand become lanes of a shape; false: no memory */
static bool add_batch(Finder *f, Shape *shape)
{
    Batch batch = {.sheet = f->sheet_id, .first_lane = shape->nlane, .nlane = f->sheet->nlane};
    batch.instances = memory_copy(f->alloc, f->members.items, f->members.n * sizeof(uint32_t));
    if (!batch.instances)
        return false;
    for (size_t i = 0; i < f->members.n; i++)
        batch.instances[i] = sheet_held(f->sheet, batch.instances[i]).number;
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
    size_t nport = s->port_parent.n, ninstance = s->nheld;
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
    size_t nport = f->sheet->port_parent.n, ninstance = f->sheet->nheld;
    memory_free(f->alloc, f->node_first, (nport + 2) * sizeof(uint32_t));
    memory_free(f->alloc, f->node_ports, (nport + 1) * sizeof(uint32_t));
    memory_free(f->alloc, f->local_node, (nport + 1) * sizeof(uint32_t));
    memory_free(f->alloc, f->local_component, (ninstance + 1) * sizeof(uint32_t));
    f->node_first = f->node_ports = f->local_node = f->local_component = NULL;
}

/* calls `take` for each subsystem of the sheet at hand; false: no memory, or `take` returned
 * false */
static bool visit_sheet(Finder *f, bool (*take)(Finder *f, void *user), void *user)
{
    Ids roots = {0};
    VEC(uint8_t) done = {0};
    bool ok = index_sheet(f) && vec_resize(f->alloc, &done, f->sheet->nheld);
    for (uint32_t i = 0; i < f->sheet->nheld && ok; i++) {
        if (done.items[i] || sheet_held(f->sheet, i).class_->is_environment)
            continue;
        ok = collect_members(f, i, &roots) && sign(f) && take(f, user);
        for (size_t k = 0; k < f->members.n; k++)
            done.items[f->members.items[k]] = 1;
        forget_shape(f);
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

/* notes the members of a subsystem and its shape, the one at home if it is the same; false: no
 * memory */
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

LiederStatus find_subsystems(ShapeList *list, Flat *flat, Sheet *sheet, const LiederElement *origin,
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
    flat->nwrong = nwrong; /* wrong connections are no mistake of the model */
    return !ok ? LIEDER_NO_MEMORY : wrong ? LIEDER_BAD_MODEL : LIEDER_DONE;
}
