/* structure_guests.c - the phases `make` and `commit` of a change: guest shapes with room for new
 * lanes, then lanes out of the old shapes and into the new ones. See structure.c. */
#include "model/change/structure_work.h"

#include <string.h>

/* the shape of a guest that was dropped: without lanes */
static const Shape nothing;

/* ------------------------------------------------------------------ make */

/* fills one lane of a guest: its parts, their homes and numbers */
static void write_lane(LiederSystem *system, SystemShape *ss, size_t lane, const uint32_t *parts)
{
    const Shape *shape = ss->shape;
    const StructurePart *all = system->structure.parts.items;
    size_t ncomponent = shape->components.n;
    memcpy(ss->guest.members + lane * ncomponent, parts, ncomponent * sizeof *parts);
    for (size_t s = 0; s < shape->states.n; s++) {
        const StateRef *ref = &shape->states.items[s];
        Seat seat = home_seat(system, &all[parts[ref->component]].element);
        const SystemShape *home = &system->shapes.items[seat.shape];
        size_t k = shape_first_state(home->shape, seat.component);
        while (home->shape->states.items[k].member != ref->member)
            k++;
        ss->guest.state_home[s * ss->guest.room + lane] = home_state(home, k, seat.lane);
    }
    for (size_t s = 0; s < ss->held.crossings.n; s++) {
        const CrossingRef *ref = &ss->held.crossings.items[s];
        Seat seat = home_seat(system, &all[parts[ref->component]].element);
        const SystemShape *home = &system->shapes.items[seat.shape];
        size_t k = 0;
        while (home->held.crossings.items[k].component != seat.component ||
               home->held.crossings.items[k].member != ref->member)
            k++;
        ss->guest.choice_home[s * ss->guest.room + lane] = home_choice(home, k, seat.lane);
    }
    for (size_t s = 0; s < ss->held.memories.n; s++) {
        const CrossingRef *ref = &ss->held.memories.items[s];
        Seat seat = home_seat(system, &all[parts[ref->component]].element);
        const SystemShape *home = &system->shapes.items[seat.shape];
        size_t k = 0;
        while (home->held.memories.items[k].component != seat.component ||
               home->held.memories.items[k].member != ref->member)
            k++;
        ss->guest.memory_home[s * ss->guest.room + lane] = home_memory(home, k, seat.lane);
    }
    for (uint32_t c = 0; c < ncomponent; c++) {
        Seat seat = home_seat(system, &all[parts[c]].element);
        const LiederClass *class_ = shape->components.items[c].class_;
        for (uint32_t k = 0; k < (uint32_t)class_->nslot; k++) {
            SlotValue *v = &ss->values.slots.items[ss->values.slot_first.items[c] + k];
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
    *ss = (SystemShape){.shape = shape, .guest.room = room};
    bool ok = list_held(ss, ALLOC);
    ss->held.own_memory = system->memory;
    for (size_t c = 0; c < shape->components.n && ok; c++) {
        size_t nslot = (size_t)shape->components.items[c].class_->nslot;
        ok = vec_push(ALLOC, &ss->values.slot_first, (uint32_t)ss->values.slots.n) &&
             vec_resize(ALLOC, &ss->values.slots, ss->values.slots.n + nslot);
    }
    if (!ok)
        return false;
    ss->guest.slot_block = memory_zeroed(ALLOC, ss->values.slots.n * room * sizeof(double));
    ss->guest.members =
        memory_zeroed(ALLOC, shape->components.n * room * sizeof *ss->guest.members);
    ss->guest.state_home =
        memory_zeroed(ALLOC, shape->states.n * room * sizeof *ss->guest.state_home);
    ss->guest.choice_home =
        memory_zeroed(ALLOC, ss->held.crossings.n * room * sizeof *ss->guest.choice_home);
    ss->guest.memory_home =
        memory_zeroed(ALLOC, ss->held.memories.n * room * sizeof *ss->guest.memory_home);
    if (!ss->guest.slot_block || !ss->guest.members || !ss->guest.state_home ||
        !ss->guest.choice_home || !ss->guest.memory_home)
        return false;
    for (size_t c = 0; c < shape->components.n; c++) {
        const LiederClass *class_ = shape->components.items[c].class_;
        for (int k = 0; k < class_->nslot; k++) {
            const LiederMember *m = class_->slots[k].member;
            uint32_t at = ss->values.slot_first.items[c] + (uint32_t)k;
            if (!m || !m->structural)
                ss->values.slots.items[at].lanes = ss->guest.slot_block + at * room;
        }
    }
    return true;
}

static SystemShape *shape_at(const Work *w, const ShapeTarget *t)
{
    return t->made ? (SystemShape *)&t->fresh : &w->system->shapes.items[t->shape];
}

/* The guests that the new subsystems need, and how many lanes each gets. The next seats of the
 * parts are known then. */
LiederStatus plan_change(Work *w)
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
                if (!vec_push(ALLOC, &w->targets, (ShapeTarget){.shape = seat.shape}))
                    return LIEDER_NO_MEMORY;
                *target = (uint32_t)w->targets.n;
            }
            seat.lane = sub->shape->nlane + w->targets.items[*target - 1].nadd++;
        }
        for (uint32_t c = 0; c < sub->nmember; c++) {
            StructurePart *p = &s->parts.items[w->touched.items[members[c]]];
            p->next = (Seat){seat.shape, c, seat.lane};
        }
    }
    return LIEDER_DONE;
}

/* makes room in a guest shape for the lanes that a change brings, at least twice the old, and
 * copies those it has */
static LiederStatus make_lane_room(Work *w, ShapeTarget *t)
{
    LiederSystem *system = w->system;
    const Structure *s = &system->structure;
    Shape *shape = s->list.shapes.items[t->shape - system->nhome];
    const SystemShape *old = &system->shapes.items[t->shape];
    size_t need = shape->nlane + t->nadd;
    if (old->guest.room >= need)
        return LIEDER_DONE;
    t->made = true; /* dropped with the work if something fails */
    if (!make_guest(system, shape, need > 2 * old->guest.room ? need : 2 * old->guest.room,
                    &t->fresh))
        return LIEDER_NO_MEMORY;
    for (size_t lane = 0; lane < shape->nlane; lane++)
        write_lane(system, &t->fresh, lane, old->guest.members + lane * shape->components.n);
    return LIEDER_DONE;
}

/* checks the pivots of the new lanes; prepare_shape has checked the first one of a new guest */
static LiederStatus check_lanes(Work *w, const ShapeTarget *t)
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

LiederStatus make_guests(Work *w)
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
        ShapeTarget *t = &w->targets.items[i];
        LiederStatus made =
            t->made ? prepare_shape(system, &t->fresh, t->fresh.guest.room) : LIEDER_DONE;
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
        ss->guest.state_home[s * ss->guest.room + lane] =
            ss->guest.state_home[s * ss->guest.room + last];
    for (size_t k = 0; k < ss->held.crossings.n; k++)
        ss->guest.choice_home[k * ss->guest.room + lane] =
            ss->guest.choice_home[k * ss->guest.room + last];
    for (size_t k = 0; k < ss->held.memories.n; k++)
        ss->guest.memory_home[k * ss->guest.room + lane] =
            ss->guest.memory_home[k * ss->guest.room + last];
    for (size_t v = 0; v < ss->values.slots.n; v++)
        if (ss->values.slots.items[v].lanes)
            ss->values.slots.items[v].lanes[lane] = ss->values.slots.items[v].lanes[last];
    for (size_t c = 0; c < ncomponent; c++) {
        StructurePart *p =
            &system->structure.parts.items[ss->guest.members[lane * ncomponent + c] =
                                               ss->guest.members[last * ncomponent + c]];
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

/* guests without lanes are kept for a while: the same connections often come back */
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

/* puts the new guests into the system; the old ones that were too small are freed with the work */
static void install(Work *w)
{
    LiederSystem *system = w->system;
    for (size_t i = 0; i < w->targets.n; i++) {
        ShapeTarget *t = &w->targets.items[i];
        if (t->made) {
            SystemShape old = system->shapes.items[t->shape];
            system->shapes.items[t->shape] = t->fresh;
            t->fresh = old;
            t->made = old.guest.room > 0;
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
        StructurePart *p = &system->structure.parts.items[w->touched.items[i]];
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
        StructurePart *p = &s->parts.items[w->touched.items[i]];
        Instance in = sheet_instance(&w->sheet, (uint32_t)i);
        if (p->next.shape < system->nhome && p->next.component == 0)
            set_away(&system->shapes.items[p->next.shape].away, p->next.lane, false);
        s->nasleep += p->next.shape == NOWHERE;
        s->nasleep -= p->now.shape == NOWHERE;
        p->now = p->next;
        p->woken &= p->now.shape != NOWHERE && !system->shapes.items[p->now.shape].shape->asleep;
        for (uint32_t k = 0; k < (uint32_t)in.class_->def->nport; k++) {
            uint32_t next = w->ring.items[in.first_port + k],
                     other = w->sheet.port_held.items[next];
            s->ports.items[p->first_port + k].next =
                s->parts.items[w->touched.items[other]].first_port +
                (next - sheet_instance(&w->sheet, other).first_port);
        }
    }
}

/* keeps, or drops, guests that all lanes have left */
static void retire(Work *w)
{
    LiederSystem *system = w->system;
    for (size_t i = 0; i < w->leaving.n; i++) {
        uint32_t shape = w->leaving.items[i].shape;
        if (shape == NOWHERE || shape < system->nhome)
            continue;
        SystemShape *ss = &system->shapes.items[shape];
        if (ss->guest.room && ss->shape->nlane == 0) {
            set_lanes_differ(ss, false);
            forget_empty(&system->structure, shape); /* several lanes may have left */
            keep_empty(system, shape);
        }
    }
}

void commit_change(Work *w)
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

void start_woken(Work *w, double *x)
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
                    &ss->values.slots
                         .items[ss->values.slot_first.items[ref->component] + ref->slot];
                states[k] = v->lanes ? v->lanes[seat.lane] : v->value;
            }
        }
        find_open_start(system, ss, seat.lane, 0, states, 1);
        for (size_t k = 0; k < ss->shape->states.n; k++)
            x[home_state(ss, k, seat.lane)] = states[k];
    }
}
