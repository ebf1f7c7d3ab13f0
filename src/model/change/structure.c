/* structure.c - see structure.h.
 *
 * A change goes through phases. Everything that may fail comes before `commit`, the only phase that
 * has visible effects:
 *
 *   touch     the subsystems of all ports that are named; their components become parts
 *   rewire    a sheet of these components, with rings spliced and left by the changes
 *   find      subsystems and shapes of that sheet, by the same code that reads a model
 *   make      guest shapes with room for the new lanes, programs, pivots; all memory
 *   commit    lanes out of the old shapes, new ones in, rings and seats; cannot fail
 *
 * Up to `commit` parts have a seat `now` and one that comes `next`, lanes are written behind the
 * last one that counts, and guests that must grow are made anew beside the old ones. The last two
 * phases stand in structure_guests.c.
 */
#include "model/change/structure_work.h"

#include <stdlib.h>
#include <string.h>

#define DIAG (&system->session->diag)

/* ------------------------------------------------------------------ collecting changes */

static LiederStatus refuse_change(LiederSystem *system)
{
    system->structure.wrong = true;
    return LIEDER_BAD_USE;
}

static LiederStatus add_change(LiederSystem *system, const Change *change)
{
    if (vec_push(ALLOC, &system->structure.changes, *change))
        return LIEDER_DONE;
    system->structure.wrong = true;
    return LIEDER_NO_MEMORY;
}

/* refuses changes in a system of several ranks: connected components could belong to two of them */
static bool refuse_with_ranks(LiederSystem *system)
{
    if (rank_count(system) > 1)
        diag_error(DIAG, NULL, NULL,
                   "connections cannot change in a model that several processes share\nrun it in "
                   "one process");
    return rank_count(system) > 1;
}

LiederStatus lieder_system_connect(LiederSystem *system, const char *port, const char *other)
{
    Change c;
    if (refuse_with_ranks(system) || !flat_find_port(&system->flat, port, &c.a, &c.port_a) ||
        !flat_find_port(&system->flat, other, &c.b, &c.port_b))
        return refuse_change(system);
    const LiederDomain *a = def_of(system, &c.a)->ports[c.port_a].domain,
                       *b = def_of(system, &c.b)->ports[c.port_b].domain;
    if (a != b) {
        diag_error(DIAG, NULL, port,
                   "cannot be connected to %s: %s is not %s\nconnect ports of one domain; a wheel "
                   "or a gear leads from one to the other",
                   other, a->name, b->name);
        return refuse_change(system);
    }
    if (same_element(&c.a, &c.b) && c.port_a == c.port_b) {
        diag_error(DIAG, NULL, port, "cannot be connected to itself\nname another port");
        return refuse_change(system);
    }
    return add_change(system, &c);
}

LiederStatus lieder_system_disconnect(LiederSystem *system, const char *port)
{
    Change c = {.port_b = -1};
    if (refuse_with_ranks(system) || !flat_find_port(&system->flat, port, &c.a, &c.port_a))
        return refuse_change(system);
    return add_change(system, &c);
}

/* ------------------------------------------------------------------ a change at work */

/* frees the work lists and unmarks the touched parts */
static void drop_work(Work *w)
{
    LiederSystem *system = w->system;
    for (size_t i = 0; i < w->touched.n; i++)
        system->structure.parts.items[w->touched.items[i]].touched = false;
    vec_drop(ALLOC, &w->touched);
    vec_drop(ALLOC, &w->sheet.rows);
    vec_drop(ALLOC, &w->sheet.is_set);
    vec_drop(ALLOC, &w->sheet.port_parent);
    vec_drop(ALLOC, &w->sheet.port_held);
    vec_drop(ALLOC, &w->sheet.value);
    vec_drop(ALLOC, &w->sheet.lanes_of);
    vec_drop(ALLOC, &w->sheet.tables);
    vec_drop(ALLOC, &w->origin);
    vec_drop(ALLOC, &w->ring);
    vec_drop(ALLOC, &w->found.list);
    vec_drop(ALLOC, &w->found.members);
    for (size_t i = 0; i < w->targets.n; i++)
        if (w->targets.items[i].made)
            system_shape_drop(&w->targets.items[i].fresh, ALLOC);
    vec_drop(ALLOC, &w->targets);
    vec_drop(ALLOC, &w->target_of);
    vec_drop(ALLOC, &w->leaving);
    memory_free_aligned(ALLOC, w->stages, STAGE_VECTORS * w->stage_room * sizeof(double));
}

/* ------------------------------------------------------------------ touch */

/* the part of a component, whose subsystem becomes parts; NOWHERE: no memory */
static uint32_t part_of(LiederSystem *system, const LiederElement *e)
{
    uint32_t part = find_part(&system->structure, e);
    if (part != NOWHERE)
        return part;
    Seat seat = home_seat(system, e);
    return make_parts(system, &seat) ? find_part(&system->structure, e) : NOWHERE;
}

static bool touch_part(Work *w, uint32_t part)
{
    StructurePart *p = &w->system->structure.parts.items[part];
    if (p->touched)
        return true;
    if (!vec_push(SYSTEM_ALLOC(w->system), &w->touched, part))
        return false;
    p->touched = true;
    return true;
}

/* the whole subsystem of a component, over the rings of its ports */
static bool touch(Work *w, const LiederElement *e)
{
    LiederSystem *system = w->system;
    uint32_t part = part_of(system, e);
    if (part == NOWHERE)
        return false;
    const Structure *s = &system->structure;
    size_t begin = w->touched.n;
    if (s->parts.items[part].touched)
        return true;
    if (!touch_part(w, part) || !vec_push(ALLOC, &w->leaving, s->parts.items[part].now))
        return false;
    for (size_t i = begin; i < w->touched.n; i++) {
        const StructurePart *p = &s->parts.items[w->touched.items[i]];
        uint32_t nport = (uint32_t)def_of(system, &p->element)->nport;
        for (uint32_t k = p->first_port; k < p->first_port + nport; k++)
            for (uint32_t q = s->ports.items[k].next; q != k; q = s->ports.items[q].next)
                if (!touch_part(w, s->ports.items[q].part))
                    return false;
    }
    return true;
}

/* ------------------------------------------------------------------ rewire */

/* in the order in which a model of these connections would have declared them */
static int compare_elements(const void *a, const void *b)
{
    const LiederElement *x = a, *y = b;
    if (x->sheet != y->sheet)
        return x->sheet < y->sheet ? -1 : 1;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return x->instance < y->instance ? -1 : x->instance > y->instance;
}

/* a part becomes an instance of the sheet, with the numbers it has now */
static bool add_instance(Work *w, uint32_t part)
{
    LiederSystem *system = w->system;
    StructurePart *p = &system->structure.parts.items[part];
    Sheet *to = &w->sheet;
    const Sheet *from = &system->flat.sheets.items[p->element.sheet];
    Instance in = sheet_instance(from, p->element.instance);
    uint32_t nslot = (uint32_t)in.class_->nslot;
    Seat home = home_seat(system, &p->element);
    size_t first = to->value.n;
    p->local = to->ninstance;
    InstanceRow row = {in.class_, in.scope, in.declaration, .spare = in.spare};
    bool ok = sheet_add_row(to, row, 1, ALLOC) && vec_resize(ALLOC, &w->ring, to->port_parent.n);
    for (uint32_t k = 0; k < nslot && ok; k++) {
        const LiederMember *m = in.class_->slots[k].member;
        double value = home_value(system, &home, k);
        if (m && m->kind == LIEDER_PARAMETER && m->length == 0) {
            size_t table = (size_t)from->value.items[in.first_slot + k];
            value = (double)to->tables.n;
            ok = vec_push(ALLOC, &to->tables, from->tables.items[table]);
        }
        to->value.items[first + k] = value;
    }
    return ok;
}

static uint32_t local_port(const Work *w, const LiederElement *e, int port)
{
    const Structure *s = &w->system->structure;
    uint32_t local = s->parts.items[find_part(s, e)].local;
    return sheet_instance(&w->sheet, local).first_port + (uint32_t)port;
}

/* the port before this one on its ring */
static uint32_t ring_before(const uint32_t *ring, uint32_t port)
{
    uint32_t at = port;
    while (ring[at] != port)
        at = ring[at];
    return at;
}

static bool on_ring(const uint32_t *ring, uint32_t port, uint32_t other)
{
    uint32_t at = port;
    while (at != other && ring[at] != port)
        at = ring[at];
    return at == other;
}

/* connects two ports or takes one out of its node, on rings of ports */
static LiederStatus apply_change(Work *w, const Change *c)
{
    LiederSystem *system = w->system;
    uint32_t *ring = w->ring.items, a = local_port(w, &c->a, c->port_a);
    char path[512];
    if (c->port_b >= 0) {
        uint32_t b = local_port(w, &c->b, c->port_b), next = ring[a];
        if (!on_ring(ring, a, b)) { /* two rings become one, one would become two */
            ring[a] = ring[b];
            ring[b] = next;
        }
        return LIEDER_DONE;
    }
    if (ring[a] == a) {
        flat_path(&system->flat, c->a.sheet, c->a.instance, c->a.lane, path, sizeof path);
        diag_error(DIAG, NULL, path,
                   "port %s is not connected, so that it cannot be disconnected\nname a port that "
                   "is connected",
                   def_of(system, &c->a)->ports[c->port_a].name);
        return LIEDER_BAD_USE;
    }
    ring[ring_before(ring, a)] = ring[a];
    ring[a] = a;
    return LIEDER_DONE;
}

/* a sheet of all touched components with their connections after the changes */
static LiederStatus rewire(Work *w)
{
    LiederSystem *system = w->system;
    const Structure *s = &system->structure;
    w->sheet.nlane = 1;
    for (size_t i = 0; i < w->touched.n; i++)
        if (!vec_push(ALLOC, &w->origin, s->parts.items[w->touched.items[i]].element))
            return LIEDER_NO_MEMORY;
    qsort(w->origin.items, w->origin.n, sizeof *w->origin.items, compare_elements);
    for (size_t i = 0; i < w->touched.n; i++) {
        w->touched.items[i] = find_part(s, &w->origin.items[i]);
        if (!add_instance(w, w->touched.items[i]))
            return LIEDER_NO_MEMORY;
    }
    for (size_t i = 0; i < w->touched.n; i++) {
        const StructurePart *p = &s->parts.items[w->touched.items[i]];
        Instance in = sheet_instance(&w->sheet, (uint32_t)i);
        for (uint32_t k = 0; k < (uint32_t)in.class_->def->nport; k++) {
            uint32_t next = s->ports.items[p->first_port + k].next;
            const StructurePart *other = &s->parts.items[s->ports.items[next].part];
            w->ring.items[in.first_port + k] =
                sheet_instance(&w->sheet, other->local).first_port + (next - other->first_port);
        }
    }
    for (size_t i = 0; i < s->changes.n; i++) {
        LiederStatus status = apply_change(w, &s->changes.items[i]);
        if (status != LIEDER_DONE)
            return status;
    }
    /* the first port of a ring stands for the node */
    for (uint32_t k = 0; k < w->ring.n; k++)
        if (w->sheet.port_parent.items[k] == k)
            for (uint32_t q = w->ring.items[k]; q != k; q = w->ring.items[q])
                w->sheet.port_parent.items[q] = k;
    return LIEDER_DONE;
}

/* ------------------------------------------------------------------ find */

/* the shape in which these parts are at home together, if they are connected again as there */
static Shape *find_home(void *user, const uint32_t *members, size_t n, const uint64_t *signature,
                        size_t nsignature)
{
    const Work *w = user;
    const LiederSystem *system = w->system;
    Seat first = home_seat(system, &w->origin.items[members[0]]);
    Shape *shape = system->shapes.items[first.shape].shape;
    if (shape->components.n != n || shape->signature.n != nsignature ||
        memcmp(shape->signature.items, signature, nsignature * sizeof *signature) != 0)
        return NULL;
    for (uint32_t c = 0; c < n; c++) {
        Seat seat = home_seat(system, &w->origin.items[members[c]]);
        if (seat.shape != first.shape || seat.lane != first.lane || seat.component != c)
            return NULL;
    }
    return shape;
}

/* ------------------------------------------------------------------ the whole */

/* from the collected changes to new subsystems and the lanes that they become */
static LiederStatus work_through(Work *w)
{
    LiederSystem *system = w->system;
    Structure *s = &system->structure;
    for (size_t i = 0; i < s->changes.n; i++) {
        const Change c = s->changes.items[i];
        if (!touch(w, &c.a) || (c.port_b >= 0 && !touch(w, &c.b)))
            return LIEDER_NO_MEMORY;
    }
    LiederStatus status = rewire(w);
    if (status != LIEDER_DONE)
        return status;
    w->found.home = find_home;
    w->found.user = w;
    status = find_subsystems(&s->list, &system->flat, &w->sheet, w->origin.items, &w->found);
    if (status == LIEDER_DONE)
        status = plan_change(w);
    return status == LIEDER_DONE ? make_guests(w) : status;
}

LiederStatus lieder_system_restructure(LiederSystem *system, double *x)
{
    Structure *s = &system->structure;
    Work w = {.system = system};
    if (s->busy) {
        diag_error(DIAG, NULL, NULL,
                   "the system is in a run\nlet the callback connect and disconnect only: the run "
                   "restructures when it returns");
        return LIEDER_BAD_USE;
    }
    s->list.fresh = NULL;
    LiederStatus status = s->wrong ? LIEDER_BAD_USE : s->changes.n ? work_through(&w) : LIEDER_DONE;
    if (status == LIEDER_DONE && s->changes.n) {
        commit_change(&w);
        if (x)
            start_woken(&w, x);
    }
    if (status == LIEDER_NO_MEMORY)
        diag_error(DIAG, NULL, NULL, "not enough memory to change the connections");
    drop_work(&w);
    while (status != LIEDER_DONE && s->list.fresh) {
        Shape *shape = s->list.fresh;
        s->list.fresh = shape->older;
        shape_remove(&s->list, shape->id, ALLOC);
    }
    s->changes.n = 0;
    s->wrong = false;
    return status;
}

void structure_drop(LiederSystem *system)
{
    Structure *s = &system->structure;
    vec_drop(ALLOC, &s->changes);
    vec_drop(ALLOC, &s->parts);
    vec_drop(ALLOC, &s->ports);
    memory_free(ALLOC, s->table, s->ntable * sizeof *s->table);
    shapes_drop(&s->list, ALLOC);
}

size_t structure_bytes(const LiederSystem *system)
{
    const Structure *s = &system->structure;
    return s->changes.room * sizeof(Change) + s->parts.room * sizeof(StructurePart) +
           s->ports.room * sizeof(PartPort) + s->ntable * sizeof *s->table +
           (s->list.ntable + s->list.places.room) * sizeof(uint32_t) +
           s->list.shapes.room * sizeof(Shape *);
}

uint64_t structure_hash(const LiederSystem *system)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < system->nhome; i++)
        sum += system->shapes.items[i].away.n;
    for (size_t i = system->nhome; i < system->shapes.n; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        size_t n = ss->shape->components.n;
        for (size_t lane = 0; lane < ss->shape->nlane; lane++) {
            uint64_t hash = ss->shape->hash;
            for (size_t c = 0; c < n; c++) {
                const StructurePart *p =
                    &system->structure.parts.items[ss->guest.members[lane * n + c]];
                uint64_t element = hash_element(&p->element);
                hash = hash_bytes(hash, &element, sizeof element);
            }
            sum += hash; /* in whatever order the lanes stand */
        }
    }
    return sum;
}
