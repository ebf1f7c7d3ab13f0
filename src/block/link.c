/* link.c - a tape with the places of one op of a program.
 *
 * Where the general interpreter copies what a tape reads into slots and its results back, linked
 * code works on the record itself: every operand is a place of it, and slots are places at its end,
 * which the program has reserved. So all operands of all instructions are the same distance apart
 * from one register of lanes to the next, and nothing is copied. A result is written to its place
 * at once if no later instruction reads what stands there; else it goes to its slot first.
 */
#include "block/tape.h"

#include <stdlib.h>
#include <string.h>

/* a place of the record, and the slot that is loaded from it or stored to it */
typedef struct PlaceUse {
    uint32_t place, slot;
} PlaceUse;
typedef VEC(PlaceUse) PlaceUses;

typedef struct Linker {
    const Tape *t;
    const uint32_t *at;
    const LiederAllocator *alloc;
    uint32_t scratch; /* place of the first slot */
    uint32_t size;    /* bytes of a real */
    LinkedTape *to;
    VEC(uint32_t) place;       /* by slot: where its value stands now */
    VEC(uint32_t) d, e;        /* by instruction: places of the results, or NOWHERE_YET */
    VEC(uint8_t) kept;         /* by store: its result is written at once */
    VEC(int32_t) made, read;   /* by slot, see find_uses */
    VEC(uint8_t) stored;       /* by slot: some store takes it */
    VEC(uint32_t) number_of;   /* by slot: 1 + the constant that stands in it */
    PlaceUses loaded, written; /* places, in order */
    bool ok;
} Linker;

static const uint32_t NOWHERE_YET = UINT32_MAX;

static uint32_t resolve(const Linker *l, const TapeCopy *c, uint32_t k)
{
    return (c->group >= TAPE_AT ? l->at[c->group - TAPE_AT] : 0) + c->index + k;
}

static void emit_linked(Linker *l, LinkedInstruction i)
{
    l->ok = l->ok && vec_push(l->alloc, &l->to->code, i);
}

static uint32_t bytes(const Linker *l, uint32_t place)
{
    return place * l->size;
}

static int compare_places(const void *a, const void *b)
{
    uint32_t x = ((const PlaceUse *)a)->place, y = ((const PlaceUse *)b)->place;
    return (x > y) - (x < y);
}

/* the list of all places of copies, in order; most tapes list them so */
static void list_places(Linker *l, const TapeCopies *copies, PlaceUses *to)
{
    bool sorted = true;
    for (size_t i = 0; i < copies->n && l->ok; i++) {
        const TapeCopy *c = &copies->items[i];
        for (uint32_t k = 0; k < c->count && c->group != TAPE_CALL && l->ok; k++) {
            PlaceUse use = {.place = resolve(l, c, k), .slot = c->slot + k};
            sorted = sorted && (!to->n || to->items[to->n - 1].place <= use.place);
            l->ok = vec_push(l->alloc, to, use);
        }
    }
    if (!sorted)
        qsort(to->items, to->n, sizeof *to->items, compare_places);
}

/* the first use of a place, or of what lies behind it */
static size_t first_use(const PlaceUses *list, uint32_t place)
{
    size_t from = 0, to = list->n;
    while (from < to) {
        size_t middle = (from + to) / 2;
        if (list->items[middle].place < place)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* whether a store of the tape writes this place */
static bool is_written(const Linker *l, uint32_t place)
{
    size_t i = first_use(&l->written, place);
    return i < l->written.n && l->written.items[i].place == place;
}

static void find_system_uses(Linker *l, const TapeSystem *s, int32_t k)
{
    for (size_t n = 0; n < s->from.n; n++)
        if (l->made.items[s->from.items[n].slot] < 0)
            l->read.items[s->from.items[n].slot] = k;
    for (size_t n = 0; n < s->to.n; n++)
        l->made.items[s->to.items[n].slot] = k;
}

/* For each slot the instruction that makes its last value (-1: an input or a constant), and the
 * last one that reads its first value (-1: none does). */
static void find_uses(Linker *l)
{
    for (uint32_t s = 0; s <= l->t->nslot; s++)
        l->made.items[s] = l->read.items[s] = -1;
    for (int32_t k = 0; k + 1 < (int32_t)l->t->code.n; k++) {
        const TapeInstruction *i = &l->t->code.items[k];
        const uint16_t operands[] = {i->a, i->b, i->c, i->e};
        if (i->op == OPERATION_SYSTEM) {
            find_system_uses(l, &l->t->systems.items[i->a], k);
            continue;
        }
        for (int n = operation_operands((Operation)i->op); n-- > 0;)
            if (l->made.items[operands[n]] < 0)
                l->read.items[operands[n]] = k;
        l->made.items[i->d] = k;
        if (i->op == OPERATION_SINCOS)
            l->made.items[i->e] = k;
    }
}

/* whether the input at a place is read after instruction k */
static bool is_read_after(const Linker *l, uint32_t place, int32_t k)
{
    for (size_t i = first_use(&l->loaded, place);
         i < l->loaded.n && l->loaded.items[i].place == place; i++)
        if (l->read.items[l->loaded.items[i].slot] > k)
            return true;
    return false;
}

/* results that can be written at once */
static void place_results(Linker *l)
{
    size_t number = 0;
    for (size_t i = 0; i < l->t->stores.n && l->ok; i++)
        for (uint32_t k = 0; k < l->t->stores.items[i].count && l->ok; k++, number++) {
            uint32_t slot = l->t->stores.items[i].slot + k,
                     place = resolve(l, &l->t->stores.items[i], k);
            int32_t at = l->made.items[slot];
            l->ok = vec_push(l->alloc, &l->kept, 0);
            if (at < 0 || !l->ok || l->t->code.items[at].op == OPERATION_SYSTEM ||
                is_read_after(l, place, at))
                continue;
            uint32_t *result = l->t->code.items[at].d == slot ? &l->d.items[at] : &l->e.items[at];
            if (*result != NOWHERE_YET)
                continue;
            *result = place;
            l->kept.items[number] = 1;
        }
}

/* whether a store takes the value that a slot has at the beginning */
static bool is_stored_input(const Linker *l, uint32_t slot)
{
    return l->made.items[slot] < 0 && l->stored.items[slot];
}

/* inputs stay where they are, unless a store needs what another one overwrites */
static void link_inputs(Linker *l)
{
    for (size_t i = 0; i < l->t->loads.n; i++) {
        const TapeCopy *c = &l->t->loads.items[i];
        for (uint32_t k = 0; k < c->count; k++) {
            uint32_t slot = c->slot + k, own = l->scratch + slot, place = own;
            if (c->group == TAPE_CALL)
                emit_linked(l, (LinkedInstruction){
                                   .op = OPERATION_GIVEN, .d = bytes(l, own), .a = c->index});
            else if (is_written(l, place = resolve(l, c, k)) && is_stored_input(l, slot)) {
                emit_linked(l, (LinkedInstruction){
                                   .op = OPERATION_COPY, .d = bytes(l, own), .a = bytes(l, place)});
                place = own;
            }
            l->place.items[slot] = place;
        }
    }
}

static void link_constants(Linker *l)
{
    for (size_t i = 0; i < l->t->constants.n; i++) {
        uint32_t slot = l->t->constants.items[i].slot;
        l->place.items[slot] = l->scratch + slot;
        l->ok = l->ok && vec_push(l->alloc, &l->to->values, l->t->constants.items[i].value);
        if (l->read.items[slot] >= 0)
            emit_linked(l, (LinkedInstruction){.op = OPERATION_NUMBER,
                                               .d = bytes(l, l->scratch + slot),
                                               .a = (uint32_t)i});
    }
}

/* operands where they stand now, results in their slots */
static void link_system(Linker *l, const TapeSystem *s)
{
    LinkedSystem to = {.system = s};
    for (size_t k = 0; k < s->from.n && l->ok; k++)
        l->ok = vec_push(l->alloc, &to.from, bytes(l, l->place.items[s->from.items[k].slot]));
    for (size_t k = 0; k < s->to.n && l->ok; k++) {
        uint32_t slot = s->to.items[k].slot;
        l->place.items[slot] = l->scratch + slot;
        l->ok = vec_push(l->alloc, &to.to, bytes(l, l->place.items[slot]));
    }
    emit_linked(l, (LinkedInstruction){.op = OPERATION_SYSTEM, .a = (uint32_t)l->to->systems.n});
    if (l->ok && vec_push(l->alloc, &l->to->systems, to))
        return;
    l->ok = false;
    vec_drop(l->alloc, &to.from);
    vec_drop(l->alloc, &to.to);
}

/* instructions with slots replaced by places in the record */
static void link_code(Linker *l)
{
    for (size_t k = 0; k + 1 < l->t->code.n; k++) {
        const TapeInstruction *i = &l->t->code.items[k];
        uint32_t *place = l->place.items;
        if (i->op == OPERATION_SYSTEM) {
            link_system(l, &l->t->systems.items[i->a]);
            continue;
        }
        LinkedInstruction to = {.op = i->op,
                                .a = bytes(l, place[i->a]),
                                .b = bytes(l, place[i->b]),
                                .c = bytes(l, place[i->c])};
        uint32_t d = l->d.items[k] != NOWHERE_YET ? l->d.items[k] : l->scratch + i->d;
        uint32_t e = l->e.items[k] != NOWHERE_YET ? l->e.items[k] : l->scratch + i->e;
        to.d = bytes(l, d);
        if (operation_operands((Operation)i->op) == 4)
            to.e = bytes(l, place[i->e]);
        if (i->op == OPERATION_SINCOS) {
            to.e = bytes(l, e);
            place[i->e] = e;
        }
        place[i->d] = d;
        emit_linked(l, to);
    }
}

/* results that are computed in their places need no copy; the others are stored */
static void link_stores(Linker *l)
{
    size_t number = 0;
    for (size_t i = 0; i < l->t->stores.n && l->ok; i++)
        for (uint32_t k = 0; k < l->t->stores.items[i].count; k++, number++) {
            uint32_t slot = l->t->stores.items[i].slot + k,
                     place = resolve(l, &l->t->stores.items[i], k);
            if (l->kept.items[number])
                continue;
            LinkedInstruction to = {
                .op = OPERATION_COPY, .d = bytes(l, place), .a = bytes(l, l->place.items[slot])};
            if (l->number_of.items[slot] && l->made.items[slot] < 0) {
                to.op = OPERATION_NUMBER;
                to.a = l->number_of.items[slot] - 1;
            }
            emit_linked(l, to);
        }
}

/* tables of constants and stores by slot, of loads and stores by place */
static void index_tape(Linker *l)
{
    for (size_t i = 0; i < l->t->constants.n; i++)
        l->number_of.items[l->t->constants.items[i].slot] = (uint32_t)i + 1;
    for (size_t i = 0; i < l->t->stores.n; i++)
        memset(l->stored.items + l->t->stores.items[i].slot, 1, l->t->stores.items[i].count);
    list_places(l, &l->t->loads, &l->loaded);
    list_places(l, &l->t->stores, &l->written);
}

bool tape_link(LinkedTape *to, const Tape *t, const uint32_t *at, uint32_t scratch, int lanes,
               const LiederAllocator *alloc)
{
    *to = (LinkedTape){0};
    Linker l = {.t = t,
                .at = at,
                .alloc = alloc,
                .scratch = scratch,
                .size = (uint32_t)lanes * sizeof(double),
                .to = to,
                .ok = true};
    l.ok = vec_resize(alloc, &l.place, (size_t)t->nslot + 1) &&
           vec_resize(alloc, &l.made, (size_t)t->nslot + 1) &&
           vec_resize(alloc, &l.read, (size_t)t->nslot + 1) &&
           vec_resize(alloc, &l.stored, (size_t)t->nslot + 1) &&
           vec_resize(alloc, &l.number_of, (size_t)t->nslot + 1) &&
           vec_resize(alloc, &l.d, t->code.n) && vec_resize(alloc, &l.e, t->code.n);
    if (l.ok) {
        memset(l.d.items, 0xff, l.d.n * sizeof *l.d.items);
        memset(l.e.items, 0xff, l.e.n * sizeof *l.e.items);
        index_tape(&l);
    }
    if (l.ok) {
        find_uses(&l);
        place_results(&l);
    }
    if (l.ok) {
        link_inputs(&l);
        link_constants(&l);
        link_code(&l);
        link_stores(&l);
        emit_linked(&l, (LinkedInstruction){.op = OPERATION_END});
    }
    vec_drop(alloc, &l.place);
    vec_drop(alloc, &l.d);
    vec_drop(alloc, &l.e);
    vec_drop(alloc, &l.kept);
    vec_drop(alloc, &l.made);
    vec_drop(alloc, &l.read);
    vec_drop(alloc, &l.stored);
    vec_drop(alloc, &l.number_of);
    vec_drop(alloc, &l.loaded);
    vec_drop(alloc, &l.written);
    if (!l.ok)
        linked_drop(to, alloc);
    return l.ok;
}

void linked_drop(LinkedTape *t, const LiederAllocator *alloc)
{
    for (size_t i = 0; i < t->systems.n; i++) {
        vec_drop(alloc, &t->systems.items[i].from);
        vec_drop(alloc, &t->systems.items[i].to);
    }
    vec_drop(alloc, &t->systems);
    vec_drop(alloc, &t->code);
    vec_drop(alloc, &t->values);
    vec_drop(alloc, &t->runs);
}
