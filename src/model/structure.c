/* structure.c - see structure.h.
 *
 * A change goes through phases. All that may fail comes before the first thing that is seen:
 *
 *   touch     the subsystems of all ports that are named; their components become parts
 *   rewire    a sheet of their own with the rings spliced and left as the changes say
 *   find      subsystems and shapes of that sheet, by the same code that reads a model
 *   make      guest shapes with room for the new lanes, programs, pivots; all memory
 *   commit    lanes out of the old shapes, new ones in, rings and seats; cannot fail
 *
 * Up to `commit` parts have a seat `now` and one that comes `next`, lanes are written behind the
 * last one that counts, and guests that must grow are made anew beside the old ones.
 */
#include "model/system.h"

#include <stdlib.h>
#include <string.h>

#define ALLOC SYSTEM_ALLOC(system)
#define DIAG  (&system->session->diag)

/* what a guest is that was dropped: no lanes, nothing to do */
static const Shape nothing;

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

/* two components that are connected may belong to two processes */
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

/* a guest that gets lanes */
typedef struct Target {
    uint32_t shape; /* of the system */
    size_t nadd;    /* lanes that come */
    bool made;      /* fresh is to take its place */
    SystemShape fresh;
} Target;

typedef struct Work {
    LiederSystem *system;
    VEC(uint32_t) touched; /* parts */
    Sheet sheet;           /* of them, see shape.h */
    VEC(Element) origin;
    VEC(uint32_t) ring; /* by port of the sheet: the next one of its node */
    Subsystems found;
    VEC(Target) targets;
    VEC(uint32_t) target_of; /* by guest: position in targets + 1, or 0 */
    VEC(Seat) leaving;       /* seats of the old subsystems, any component */
    double *stages;
    size_t stage_room;
} Work;

static void drop_work(Work *w)
{
    LiederSystem *system = w->system;
    for (size_t i = 0; i < w->touched.n; i++)
        system->structure.parts.items[w->touched.items[i]].touched = false;
    vec_drop(ALLOC, &w->touched);
    vec_drop(ALLOC, &w->sheet.instances);
    vec_drop(ALLOC, &w->sheet.port_parent);
    vec_drop(ALLOC, &w->sheet.port_instance);
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

/* the part of a component, with all that it is connected to; NOWHERE: no memory */
static uint32_t part_of(LiederSystem *system, const Element *e)
{
    uint32_t part = find_part(&system->structure, e);
    if (part != NOWHERE)
        return part;
    Seat seat = home_seat(system, e);
    return make_parts(system, &seat) ? find_part(&system->structure, e) : NOWHERE;
}

static bool touch_part(Work *w, uint32_t part)
{
    Part *p = &w->system->structure.parts.items[part];
    if (p->touched)
        return true;
    if (!vec_push(SYSTEM_ALLOC(w->system), &w->touched, part))
        return false;
    p->touched = true;
    return true;
}

/* the whole subsystem of a component, over the rings of its ports */
static bool touch(Work *w, const Element *e)
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
        const Part *p = &s->parts.items[w->touched.items[i]];
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
    const Element *x = a, *y = b;
    if (x->sheet != y->sheet)
        return x->sheet < y->sheet ? -1 : 1;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return x->instance < y->instance ? -1 : x->instance > y->instance;
}

/* the number of a slot that counts: the one at home */
static double home_value(const LiederSystem *system, const Seat *home, uint32_t slot)
{
    const SystemShape *ss = &system->shapes.items[home->shape];
    const SlotValue *v = &ss->slots.items[ss->slot_first.items[home->component] + slot];
    return v->lanes ? v->lanes[home->lane] : v->value;
}

/* a part becomes an instance of the sheet, with the numbers it has now */
static bool add_instance(Work *w, uint32_t part)
{
    LiederSystem *system = w->system;
    Part *p = &system->structure.parts.items[part];
    Sheet *to = &w->sheet;
    const Sheet *from = &system->flat.sheets.items[p->element.sheet];
    Instance in = from->instances.items[p->element.instance];
    uint32_t first_slot = in.first_slot, nslot = (uint32_t)in.class_->nslot;
    Seat home = home_seat(system, &p->element);
    p->local = (uint32_t)to->instances.n;
    in.first_port = (uint32_t)to->port_parent.n;
    in.first_slot = (uint32_t)to->value.n;
    bool ok = vec_push(ALLOC, &to->instances, in) &&
              vec_resize(ALLOC, &to->lanes_of, to->lanes_of.n + nslot);
    for (uint32_t k = 0; k < (uint32_t)in.class_->def->nport && ok; k++)
        ok = vec_push(ALLOC, &to->port_instance, p->local) &&
             vec_push(ALLOC, &to->port_parent, in.first_port + k) && vec_push(ALLOC, &w->ring, 0);
    for (uint32_t k = 0; k < nslot && ok; k++) {
        const LiederMember *m = in.class_->slots[k].member;
        double value = home_value(system, &home, k);
        if (m && m->kind == LIEDER_PARAMETER && m->length == 0) {
            size_t table = (size_t)from->value.items[first_slot + k];
            value = (double)to->tables.n;
            ok = vec_push(ALLOC, &to->tables, from->tables.items[table]);
        }
        ok = ok && vec_push(ALLOC, &to->value, value);
    }
    return ok;
}

static uint32_t local_port(const Work *w, const Element *e, int port)
{
    const Structure *s = &w->system->structure;
    uint32_t local = s->parts.items[find_part(s, e)].local;
    return w->sheet.instances.items[local].first_port + (uint32_t)port;
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
        const Part *p = &s->parts.items[w->touched.items[i]];
        const Instance *in = &w->sheet.instances.items[i];
        for (uint32_t k = 0; k < (uint32_t)in->class_->def->nport; k++) {
            uint32_t next = s->ports.items[p->first_port + k].next;
            const Part *other = &s->parts.items[s->ports.items[next].part];
            w->ring.items[in->first_port + k] =
                w->sheet.instances.items[other->local].first_port + (next - other->first_port);
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

/* the shape in which these parts are at home together, if it looks the same */
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

/* ------------------------------------------------------------------ make */

/* fills one lane of a guest: its parts, their homes and numbers */
static void write_lane(LiederSystem *system, SystemShape *ss, size_t lane, const uint32_t *parts)
{
    const Shape *shape = ss->shape;
    const Part *all = system->structure.parts.items;
    size_t ncomponent = shape->components.n;
    memcpy(ss->members + lane * ncomponent, parts, ncomponent * sizeof *parts);
    for (size_t s = 0; s < shape->states.n; s++) {
        const StateRef *ref = &shape->states.items[s];
        Seat seat = home_seat(system, &all[parts[ref->component]].element);
        const SystemShape *home = &system->shapes.items[seat.shape];
        size_t k = shape_first_state(home->shape, seat.component);
        while (home->shape->states.items[k].member != ref->member)
            k++;
        ss->state_home[s * ss->room + lane] = home_state(home, k, seat.lane);
    }
    for (size_t s = 0; s < ss->crossings.n; s++) {
        const CrossingRef *ref = &ss->crossings.items[s];
        Seat seat = home_seat(system, &all[parts[ref->component]].element);
        const SystemShape *home = &system->shapes.items[seat.shape];
        size_t k = 0;
        while (home->crossings.items[k].component != seat.component ||
               home->crossings.items[k].member != ref->member)
            k++;
        ss->choice_home[s * ss->room + lane] = home_choice(home, k, seat.lane);
    }
    for (size_t s = 0; s < ss->memories.n; s++) {
        const CrossingRef *ref = &ss->memories.items[s];
        Seat seat = home_seat(system, &all[parts[ref->component]].element);
        const SystemShape *home = &system->shapes.items[seat.shape];
        size_t k = 0;
        while (home->memories.items[k].component != seat.component ||
               home->memories.items[k].member != ref->member)
            k++;
        ss->memory_home[s * ss->room + lane] = home_memory(home, k, seat.lane);
    }
    for (uint32_t c = 0; c < ncomponent; c++) {
        Seat seat = home_seat(system, &all[parts[c]].element);
        const LiederClass *class_ = shape->components.items[c].class_;
        for (uint32_t k = 0; k < (uint32_t)class_->nslot; k++) {
            SlotValue *v = &ss->slots.items[ss->slot_first.items[c] + k];
            const LiederMember *m = class_->slots[k].member;
            double value = home_value(system, &seat, k);
            bool parameter = !m || !member_has_start(m);
            if (!v->lanes) {
                v->value = value;
                continue;
            }
            v->lanes[lane] = value;
            if (parameter && value != v->lanes[0])
                set_lanes_differ(ss, true);
        }
    }
}

/* an empty guest of a shape with room for lanes; false: no memory */
static bool make_guest(LiederSystem *system, Shape *shape, size_t room, SystemShape *ss)
{
    *ss = (SystemShape){.shape = shape, .room = room};
    bool ok = list_held(ss, ALLOC);
    ss->own_memory = system->memory;
    for (size_t c = 0; c < shape->components.n && ok; c++) {
        size_t nslot = (size_t)shape->components.items[c].class_->nslot;
        ok = vec_push(ALLOC, &ss->slot_first, (uint32_t)ss->slots.n) &&
             vec_resize(ALLOC, &ss->slots, ss->slots.n + nslot);
    }
    if (!ok)
        return false;
    ss->slot_block = memory_zeroed(ALLOC, ss->slots.n * room * sizeof(double));
    ss->members = memory_zeroed(ALLOC, shape->components.n * room * sizeof *ss->members);
    ss->state_home = memory_zeroed(ALLOC, shape->states.n * room * sizeof *ss->state_home);
    ss->choice_home = memory_zeroed(ALLOC, ss->crossings.n * room * sizeof *ss->choice_home);
    ss->memory_home = memory_zeroed(ALLOC, ss->memories.n * room * sizeof *ss->memory_home);
    if (!ss->slot_block || !ss->members || !ss->state_home || !ss->choice_home || !ss->memory_home)
        return false;
    for (size_t c = 0; c < shape->components.n; c++) {
        const LiederClass *class_ = shape->components.items[c].class_;
        for (int k = 0; k < class_->nslot; k++) {
            const LiederMember *m = class_->slots[k].member;
            uint32_t at = ss->slot_first.items[c] + (uint32_t)k;
            if (!m || !m->structural)
                ss->slots.items[at].lanes = ss->slot_block + at * room;
        }
    }
    return true;
}

static SystemShape *shape_at(const Work *w, const Target *t)
{
    return t->made ? (SystemShape *)&t->fresh : &w->system->shapes.items[t->shape];
}

/* The guests that the new subsystems need, and how many lanes each gets. The next seats of the
 * parts are known then. */
static LiederStatus plan_change(Work *w)
{
    LiederSystem *system = w->system;
    Structure *s = &system->structure;
    if (!vec_resize(ALLOC, &w->target_of, s->list.shapes.n))
        return LIEDER_NO_MEMORY;
    for (size_t i = 0; i < w->found.list.n; i++) {
        const Subsystem *sub = &w->found.list.items[i];
        const uint32_t *members = w->found.members.items + sub->first;
        Seat seat = {.shape = NOWHERE};
        if (sub->shape && sub->shape->id < system->list.shapes.n &&
            system->list.shapes.items[sub->shape->id] == sub->shape) {
            seat = home_seat(system, &w->origin.items[members[0]]);
            seat.component = 0;
        } else if (sub->shape) {
            uint32_t *target = &w->target_of.items[sub->shape->id];
            seat.shape = (uint32_t)system->nhome + sub->shape->id;
            if (!*target) {
                if (!vec_push(ALLOC, &w->targets, (Target){.shape = seat.shape}))
                    return LIEDER_NO_MEMORY;
                *target = (uint32_t)w->targets.n;
            }
            seat.lane = sub->shape->nlane + w->targets.items[*target - 1].nadd++;
        }
        for (uint32_t c = 0; c < sub->nmember; c++) {
            Part *p = &s->parts.items[w->touched.items[members[c]]];
            p->next = (Seat){seat.shape, c, seat.lane};
        }
    }
    return LIEDER_DONE;
}

/* room for the lanes that come */
static LiederStatus make_lane_room(Work *w, Target *t)
{
    LiederSystem *system = w->system;
    const Structure *s = &system->structure;
    Shape *shape = s->list.shapes.items[t->shape - system->nhome];
    const SystemShape *old = &system->shapes.items[t->shape];
    size_t need = shape->nlane + t->nadd;
    if (old->room >= need)
        return LIEDER_DONE;
    t->made = true; /* dropped with the work if something fails */
    if (!make_guest(system, shape, need > 2 * old->room ? need : 2 * old->room, &t->fresh))
        return LIEDER_NO_MEMORY;
    for (size_t lane = 0; lane < shape->nlane; lane++)
        write_lane(system, &t->fresh, lane, old->members + lane * shape->components.n);
    return LIEDER_DONE;
}

/* pivots of the lanes that come; the first one of a new guest was checked by prepare_shape */
static LiederStatus check_lanes(Work *w, const Target *t)
{
    SystemShape *ss = shape_at(w, t);
    LiederStatus status = LIEDER_DONE;
    for (size_t lane = ss->shape->nlane + (t->made && ss->shape->nlane == 0);
         lane < ss->shape->nlane + t->nadd && status != LIEDER_NO_MEMORY; lane++) {
        LiederStatus checked = check_pivots(w->system, ss, lane);
        status = checked != LIEDER_DONE ? checked : status;
    }
    workspace_refill(ss); /* for the lanes that are there */
    return status;
}

static LiederStatus make(Work *w)
{
    LiederSystem *system = w->system;
    Structure *s = &system->structure;
    LiederStatus status = LIEDER_DONE;
    size_t nguest = system->shapes.n - system->nhome;
    if (!vec_reserve(ALLOC, &system->shapes, system->nhome + s->list.shapes.n))
        return LIEDER_NO_MEMORY;
    for (; nguest < s->list.shapes.n; nguest++)
        system->shapes.items[system->shapes.n++] = (SystemShape){.shape = (Shape *)&nothing};
    for (size_t i = 0; i < w->targets.n && status == LIEDER_DONE; i++)
        status = make_lane_room(w, &w->targets.items[i]);
    if (status != LIEDER_DONE)
        return status;
    for (size_t i = 0; i < w->found.list.n; i++) {
        const Subsystem *sub = &w->found.list.items[i];
        uint32_t *members = w->found.members.items + sub->first;
        for (uint32_t c = 0; c < sub->nmember; c++)
            members[c] = w->touched.items[members[c]]; /* parts from now on */
        Seat seat = s->parts.items[members[0]].next;
        if (seat.shape == NOWHERE || seat.shape < system->nhome)
            continue;
        uint32_t target = w->target_of.items[seat.shape - system->nhome];
        write_lane(system, shape_at(w, &w->targets.items[target - 1]), seat.lane, members);
    }
    /* all errors are reported together */
    for (size_t i = 0; i < w->targets.n && status != LIEDER_NO_MEMORY; i++) {
        Target *t = &w->targets.items[i];
        LiederStatus made = t->made ? prepare_shape(system, &t->fresh, t->fresh.room) : LIEDER_DONE;
        if (made == LIEDER_DONE)
            made = check_lanes(w, t);
        status = made != LIEDER_DONE ? made : status;
        size_t stage = made == LIEDER_DONE ? stage_need(shape_at(w, t)) : 0;
        w->stage_room = stage > w->stage_room ? stage : w->stage_room;
    }
    for (size_t i = 0; i < w->leaving.n && status == LIEDER_DONE; i++) {
        const Seat *seat = &w->leaving.items[i];
        if (seat->shape < system->nhome &&
            !reserve_away(&system->shapes.items[seat->shape].away, seat->lane, ALLOC))
            status = LIEDER_NO_MEMORY;
    }
    if (w->stage_room <= system->stage_room)
        w->stage_room = 0;
    else if (status == LIEDER_DONE &&
             !(w->stages = memory_aligned(ALLOC, STAGE_VECTORS * w->stage_room * sizeof(double))))
        status = LIEDER_NO_MEMORY;
    return status;
}

/* ------------------------------------------------------------------ commit */

/* the last lane of a guest takes the place of one that leaves */
static void take_out(LiederSystem *system, uint32_t shape, size_t lane)
{
    SystemShape *ss = &system->shapes.items[shape];
    size_t last = --ss->shape->nlane, ncomponent = ss->shape->components.n;
    if (lane == last)
        return;
    for (size_t s = 0; s < ss->shape->states.n; s++)
        ss->state_home[s * ss->room + lane] = ss->state_home[s * ss->room + last];
    for (size_t k = 0; k < ss->crossings.n; k++)
        ss->choice_home[k * ss->room + lane] = ss->choice_home[k * ss->room + last];
    for (size_t k = 0; k < ss->memories.n; k++)
        ss->memory_home[k * ss->room + lane] = ss->memory_home[k * ss->room + last];
    for (size_t v = 0; v < ss->slots.n; v++)
        if (ss->slots.items[v].lanes)
            ss->slots.items[v].lanes[lane] = ss->slots.items[v].lanes[last];
    for (size_t c = 0; c < ncomponent; c++) {
        Part *p =
            &system->structure.parts
                 .items[ss->members[lane * ncomponent + c] = ss->members[last * ncomponent + c]];
        bool coming = p->touched && p->next.shape == shape && p->next.lane == last;
        *(coming ? &p->next.lane : &p->now.lane) = lane;
    }
}

static void drop_guest(LiederSystem *system, uint32_t shape)
{
    system_shape_drop(&system->shapes.items[shape], ALLOC);
    system->shapes.items[shape] = (SystemShape){.shape = (Shape *)&nothing};
    shape_remove(&system->structure.list, shape - (uint32_t)system->nhome, ALLOC);
}

/* guests without lanes are kept for a while: who lets go often takes hold again */
static void keep_empty(LiederSystem *system, uint32_t shape)
{
    Structure *s = &system->structure;
    if (s->nempty == KEPT_EMPTY) {
        drop_guest(system, s->empty[0]);
        memmove(s->empty, s->empty + 1, --s->nempty * sizeof *s->empty);
    }
    s->empty[s->nempty++] = shape;
}

static void forget_empty(Structure *s, uint32_t shape)
{
    for (size_t i = 0; i < s->nempty; i++)
        if (s->empty[i] == shape) {
            memmove(s->empty + i, s->empty + i + 1, (--s->nempty - i) * sizeof *s->empty);
            return;
        }
}

/* guests with their new lanes; those that were too small go with the work */
static void install(Work *w)
{
    LiederSystem *system = w->system;
    for (size_t i = 0; i < w->targets.n; i++) {
        Target *t = &w->targets.items[i];
        if (t->made) {
            SystemShape old = system->shapes.items[t->shape];
            system->shapes.items[t->shape] = t->fresh;
            t->fresh = old;
            t->made = old.room > 0;
        }
        system->shapes.items[t->shape].shape->nlane += t->nadd;
        forget_empty(&system->structure, t->shape);
    }
}

/* lanes out of the old shapes, each by the seat of its first part: take_out may have moved it */
static void vacate(Work *w)
{
    LiederSystem *system = w->system;
    for (size_t i = 0; i < w->touched.n; i++) {
        Part *p = &system->structure.parts.items[w->touched.items[i]];
        bool asleep = p->now.shape == NOWHERE || system->shapes.items[p->now.shape].shape->asleep;
        p->woken = asleep;
        if (p->now.component != 0 || p->now.shape == NOWHERE)
            continue;
        if (p->now.shape < system->nhome)
            set_away(&system->shapes.items[p->now.shape].away, p->now.lane, true);
        else
            take_out(system, p->now.shape, p->now.lane);
    }
}

/* parts take their new seats and rings */
static void settle_guests(Work *w)
{
    LiederSystem *system = w->system;
    Structure *s = &system->structure;
    for (size_t i = 0; i < w->touched.n; i++) {
        Part *p = &s->parts.items[w->touched.items[i]];
        const Instance *in = &w->sheet.instances.items[i];
        if (p->next.shape < system->nhome && p->next.component == 0)
            set_away(&system->shapes.items[p->next.shape].away, p->next.lane, false);
        s->nasleep += p->next.shape == NOWHERE;
        s->nasleep -= p->now.shape == NOWHERE;
        p->now = p->next;
        p->woken &= p->now.shape != NOWHERE && !system->shapes.items[p->now.shape].shape->asleep;
        for (uint32_t k = 0; k < (uint32_t)in->class_->def->nport; k++) {
            uint32_t next = w->ring.items[in->first_port + k],
                     other = w->sheet.port_instance.items[next];
            s->ports.items[p->first_port + k].next =
                s->parts.items[w->touched.items[other]].first_port +
                (next - w->sheet.instances.items[other].first_port);
        }
    }
}

/* guests that all lanes have left */
static void retire(Work *w)
{
    LiederSystem *system = w->system;
    for (size_t i = 0; i < w->leaving.n; i++) {
        uint32_t shape = w->leaving.items[i].shape;
        if (shape == NOWHERE || shape < system->nhome)
            continue;
        SystemShape *ss = &system->shapes.items[shape];
        if (ss->room && ss->shape->nlane == 0) {
            set_lanes_differ(ss, false);
            forget_empty(&system->structure, shape); /* several lanes may have left */
            keep_empty(system, shape);
        }
    }
}

static void commit_change(Work *w)
{
    LiederSystem *system = w->system;
    install(w);
    vacate(w);
    settle_guests(w);
    for (size_t i = 0; i < w->targets.n; i++)
        workspace_refill(&system->shapes.items[w->targets.items[i].shape]);
    retire(w);
    if (w->stages) {
        double *stages = system->stages;
        size_t room = system->stage_room;
        system->stages = w->stages;
        system->stage_room = w->stage_room;
        w->stages = stages;
        w->stage_room = room;
    }
    system->structure.version++;
}

/* components that wake up begin with their start values */
static void start_woken(Work *w, double *x)
{
    LiederSystem *system = w->system;
    const Structure *s = &system->structure;
    for (size_t i = 0; i < w->found.list.n; i++) {
        const Subsystem *sub = &w->found.list.items[i];
        const uint32_t *parts = w->found.members.items + sub->first;
        const Seat seat = s->parts.items[parts[0]].now;
        bool woken = false;
        for (uint32_t c = 0; c < sub->nmember; c++)
            woken |= s->parts.items[parts[c]].woken;
        if (!woken)
            continue;
        SystemShape *ss = &system->shapes.items[seat.shape];
        double *states = system->stages;
        for (size_t k = 0; k < ss->shape->states.n; k++) {
            const StateRef *ref = &ss->shape->states.items[k];
            states[k] = x[home_state(ss, k, seat.lane)];
            if (s->parts.items[parts[ref->component]].woken) {
                const SlotValue *v =
                    &ss->slots.items[ss->slot_first.items[ref->component] + ref->slot];
                states[k] = v->lanes ? v->lanes[seat.lane] : v->value;
            }
        }
        find_late(system, ss, seat.lane, 0, states, 1);
        for (size_t k = 0; k < ss->shape->states.n; k++)
            x[home_state(ss, k, seat.lane)] = states[k];
    }
}

/* ------------------------------------------------------------------ the whole */

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
    return status == LIEDER_DONE ? make(w) : status;
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
    return s->changes.room * sizeof(Change) + s->parts.room * sizeof(Part) +
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
                const Part *p = &system->structure.parts.items[ss->members[lane * n + c]];
                uint64_t element = hash_element(&p->element);
                hash = hash_bytes(hash, &element, sizeof element);
            }
            sum += hash; /* in whatever order the lanes stand */
        }
    }
    return sum;
}
