/* parts.c - where components are evaluated when connections have changed: lanes that are away from
 * home, components as parts, their seats. See structure.h. */
#include "model/system/system.h"

#include <string.h>

#define ALLOC SYSTEM_ALLOC(system)

/* ------------------------------------------------------------------ lanes that are away */

static AwayBlock *find_block(const Away *away, size_t block)
{
    if (!away->ntable)
        return NULL;
    size_t at = (block * 0x9e3779b97f4a7c15ull >> 20) & (away->ntable - 1);
    while (away->table[at].block && away->table[at].block != block + 1)
        at = (at + 1) & (away->ntable - 1);
    return &away->table[at];
}

bool reserve_away(Away *away, size_t lane, const LiederAllocator *alloc)
{
    if (2 * (away->nblock + 1) > away->ntable) {
        Away larger = {.ntable = away->ntable ? 2 * away->ntable : 8, .n = away->n};
        larger.table = memory_zeroed(alloc, larger.ntable * sizeof *larger.table);
        if (!larger.table)
            return false;
        for (size_t i = 0; i < away->ntable; i++)
            if (away->table[i].mask) {
                *find_block(&larger, away->table[i].block - 1) = away->table[i];
                larger.nblock++;
            }
        memory_free(alloc, away->table, away->ntable * sizeof *away->table);
        *away = larger;
    }
    AwayBlock *b = find_block(away, lane / 64);
    away->nblock += b->block == 0;
    b->block = lane / 64 + 1;
    return true;
}

void set_away(Away *away, size_t lane, bool is)
{
    AwayBlock *b = find_block(away, lane / 64);
    uint64_t bit = 1ull << lane % 64;
    away->n += is;
    away->n -= !is;
    b->mask = is ? b->mask | bit : b->mask & ~bit;
}

bool lanes_next(const SystemShape *ss, size_t *lane, size_t *n, size_t most)
{
    size_t nlane = ss->shape->asleep ? 0 : ss->shape->nlane, end;
    if (ss->away.n == 0) {
        *n = nlane - *lane < most ? nlane - *lane : most;
        return *lane < nlane;
    }
    /* the first lane that is here */
    for (; *lane < nlane; *lane = (*lane / 64 + 1) * 64) {
        const AwayBlock *b = find_block(&ss->away, *lane / 64);
        uint64_t here = ~(b ? b->mask : 0) >> *lane % 64;
        if (here) {
            *lane += (size_t)__builtin_ctzll(here);
            break;
        }
    }
    if (*lane >= nlane)
        return false;
    /* and the first one after it that is not */
    for (end = *lane; end < nlane && end - *lane < most; end = (end / 64 + 1) * 64) {
        const AwayBlock *b = find_block(&ss->away, end / 64);
        uint64_t gone = (b ? b->mask : 0) >> end % 64;
        if (gone) {
            end += (size_t)__builtin_ctzll(gone);
            break;
        }
    }
    end = end < nlane ? end : nlane;
    *n = end - *lane < most ? end - *lane : most;
    return true;
}

/* Zeroes k rows of a home shape in the lanes that are away, if some of them may sleep; guests write
 * their values afterwards. Row r begins at first + r nlane. */
static void clear_away(const LiederSystem *system, const SystemShape *ss, size_t first, size_t k,
                       double *to)
{
    size_t nlane = ss->shape->nlane;
    if (ss->shape->asleep && k)
        memset(to + first, 0, k * nlane * sizeof *to);
    if (ss->away.n == 0 || system->structure.nasleep == 0)
        return;
    for (size_t i = 0; i < ss->away.ntable; i++)
        for (uint64_t bits = ss->away.table[i].mask; bits; bits &= bits - 1) {
            size_t lane = (ss->away.table[i].block - 1) * 64 + (size_t)__builtin_ctzll(bits);
            for (size_t r = 0; r < k; r++)
                to[first + r * nlane + lane] = 0;
        }
}

void rest_states(const LiederSystem *system, const SystemShape *ss, double *dx)
{
    if (!ss->guest.room)
        clear_away(system, ss, ss->first_state, ss->shape->states.n, dx);
}

void rest_choices(const LiederSystem *system, double *values)
{
    for (size_t i = 0; i < system->nhome; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        clear_away(system, ss, ss->held.first_choice, ss->held.crossings.n, values);
    }
}

/* ------------------------------------------------------------------ parts */

uint64_t hash_element(const LiederElement *e)
{
    uint64_t numbers[3] = {e->sheet, e->instance, e->lane};
    return hash_bytes(HASH_SEED, numbers, sizeof numbers);
}

bool same_element(const LiederElement *a, const LiederElement *b)
{
    return a->sheet == b->sheet && a->instance == b->instance && a->lane == b->lane;
}

/* the entry of a part in the table, or the empty one where it belongs */
static uint32_t *find_entry(const Structure *s, const LiederElement *e)
{
    size_t at = hash_element(e) & (s->ntable - 1);
    while (s->table[at] && !same_element(&s->parts.items[s->table[at] - 1].element, e))
        at = (at + 1) & (s->ntable - 1);
    return &s->table[at];
}

uint32_t find_part(const Structure *s, const LiederElement *e)
{
    return s->ntable ? *find_entry(s, e) - 1 : NOWHERE; /* zero minus one is NOWHERE */
}

Seat current_seat(const LiederSystem *system, const LiederElement *e)
{
    uint32_t part = find_part(&system->structure, e);
    Seat seat = part != NOWHERE ? system->structure.parts.items[part].now : home_seat(system, e);
    if (seat.shape != NOWHERE && system->shapes.items[seat.shape].shape->asleep)
        seat.shape = NOWHERE;
    return seat;
}

LiederElement element_at(const LiederSystem *system, const SystemShape *ss, uint32_t component,
                         size_t lane)
{
    if (ss->guest.room)
        return system->structure.parts
            .items[ss->guest.members[lane * ss->shape->components.n + component]]
            .element;
    lane += ss->shape->first_lane;
    const Batch *batch = batch_of_lane(ss->shape, lane);
    return (LiederElement){batch->sheet, batch->instances[component], lane - batch->first_lane};
}

/* room for so many parts, at most half full; false: no memory */
static bool grow_table(Structure *s, size_t nparts, const LiederAllocator *alloc)
{
    size_t n = s->ntable ? s->ntable : 64;
    while (n < 2 * nparts)
        n *= 2;
    if (n == s->ntable)
        return true;
    uint32_t *table = memory_zeroed(alloc, n * sizeof *table);
    if (!table)
        return false;
    memory_free(alloc, s->table, s->ntable * sizeof *table);
    s->table = table;
    s->ntable = n;
    for (uint32_t i = 0; i < s->parts.n; i++)
        *find_entry(s, &s->parts.items[i].element) = i + 1;
    return true;
}

const LiederClassDef *def_of(const LiederSystem *system, const LiederElement *e)
{
    return sheet_instance(&system->flat.sheets.items[e->sheet], e->instance).class_->def;
}

static uint32_t add_part(LiederSystem *system, const LiederElement *e, const Seat *seat)
{
    Structure *s = &system->structure;
    uint32_t id = (uint32_t)s->parts.n, nport = (uint32_t)def_of(system, e)->nport;
    s->parts.items[s->parts.n++] =
        (StructurePart){.element = *e, .now = *seat, .first_port = (uint32_t)s->ports.n};
    *find_entry(s, e) = id + 1;
    for (uint32_t p = 0; p < nport; p++, s->ports.n++)
        s->ports.items[s->ports.n] = (PartPort){id, (uint32_t)s->ports.n};
    return id;
}

bool make_parts(LiederSystem *system, const Seat *seat)
{
    Structure *s = &system->structure;
    const Shape *shape = system->shapes.items[seat->shape].shape;
    const Batch *batch = batch_of_lane(shape, seat->lane);
    Sheet *sheet = &system->flat.sheets.items[batch->sheet];
    size_t nport = 0;
    for (size_t c = 0; c < shape->components.n; c++)
        nport += (size_t)shape->components.items[c].class_->def->nport;
    if (!vec_reserve(ALLOC, &s->parts, s->parts.n + shape->components.n) ||
        !vec_reserve(ALLOC, &s->ports, s->ports.n + nport) ||
        !grow_table(s, s->parts.n + shape->components.n, ALLOC))
        return false;
    uint32_t first = (uint32_t)s->parts.n;
    for (uint32_t c = 0; c < shape->components.n; c++) {
        LiederElement e = {batch->sheet, batch->instances[c], seat->lane - batch->first_lane};
        add_part(system, &e, &(Seat){seat->shape, c, seat->lane});
    }
    /* a node is a ring: each port after the one that stands for the node */
    for (uint32_t c = 0; c < shape->components.n; c++) {
        Instance in = sheet_instance(sheet, batch->instances[c]);
        for (uint32_t p = 0; p < (uint32_t)in.class_->def->nport; p++) {
            uint32_t node = sheet_node(sheet, in.first_port + p);
            Instance chief = sheet_held(sheet, sheet->port_held.items[node]);
            if (node == in.first_port + p)
                continue;
            const StructurePart *of =
                &s->parts.items[first + system_place(system, batch->sheet, chief.number).component];
            PartPort *a = &s->ports.items[of->first_port + (node - chief.first_port)];
            uint32_t id = s->parts.items[first + c].first_port + p;
            s->ports.items[id].next = a->next;
            a->next = id;
        }
    }
    return true;
}
