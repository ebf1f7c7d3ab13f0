/* slots.c - the numbers of the components of a shape (SlotValue): one for all lanes, or one for
 * each.
 *
 * They come from the sheets where the model was flattened. Lists of numbers are not copied where a
 * sheet and a shape have the same lanes (number_list.h). Of nets, whose components are many and
 * alike, equal numbers are kept once (ncommon, SlotException).
 */
#include "model/system/system.h"

#include <math.h>
#include <string.h>

/* the values of a slot of component i by lane: the list of the sheet if it has the same lanes, else
 * one of our own; NULL: no memory */
static NumberList *collect_lanes(const LiederSystem *system, const Shape *shape, size_t i,
                                 uint32_t s)
{
    const Batch *batch = &shape->batches.items[0];
    const Sheet *sheet = &system->flat.sheets.items[batch->sheet];
    if (shape->batches.n == 1 && shape->nlane == shape->all_lanes)
        return number_list_hold(
            sheet_lanes(sheet, sheet_instance(sheet, batch->instances[i]).first_slot + s));
    NumberList *numbers = number_list_create(SYSTEM_ALLOC(system), shape->nlane);
    for (size_t l = 0; l < shape->nlane && numbers;) {
        batch = batch_of_lane(shape, shape->first_lane + l);
        sheet = &system->flat.sheets.items[batch->sheet];
        uint32_t slot = sheet_instance(sheet, batch->instances[i]).first_slot + s;
        size_t from = shape->first_lane + l - batch->first_lane;
        for (; from < batch->nlane && l < shape->nlane; from++, l++)
            numbers->values[l] = sheet_value(sheet, slot, from);
    }
    return numbers;
}

/* appends the numbers of component i; false: no memory */
static bool collect_component(LiederSystem *system, SystemShape *ss, size_t i)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    const Shape *shape = ss->shape;
    uint32_t nslot = (uint32_t)shape->components.items[i].class_->nslot;
    if (!vec_push(alloc, &ss->values.slot_first, (uint32_t)ss->values.slots.n) ||
        !vec_resize(alloc, &ss->values.slots, ss->values.slots.n + nslot))
        return false;
    for (uint32_t s = 0; s < nslot; s++) {
        SlotValue *v = &ss->values.slots.items[ss->values.slot_first.items[i] + s];
        const Batch *first = &shape->batches.items[0];
        const Sheet *sheet = &system->flat.sheets.items[first->sheet];
        v->value = sheet_value(sheet, sheet_instance(sheet, first->instances[i]).first_slot + s, 0);
        bool differ = false;
        for (size_t b = 0; b < shape->batches.n && !differ; b++) {
            sheet = &system->flat.sheets.items[shape->batches.items[b].sheet];
            uint32_t slot =
                sheet_instance(sheet, shape->batches.items[b].instances[i]).first_slot + s;
            double other = sheet_value(sheet, slot, 0);
            differ = sheet->lanes_of.items[slot] ||
                     (other != v->value && !(isnan(other) && isnan(v->value)));
        }
        const LiederMember *m = shape->components.items[i].class_->slots[s].member;
        if (!differ || (m && m->structural) || shape->nlane == 0)
            continue;
        NumberList *numbers = collect_lanes(system, shape, i, s);
        if (!numbers)
            return false;
        v->lanes = numbers->values;
        if (!m || !member_has_start(m))
            ss->values.lanes_differ = true;
    }
    return true;
}

/* Components of a net that have the same numbers as an earlier one of their class share them, but
 * for few exceptions, such as start values; when a number is set later, the component gets slots of
 * its own (own_slots). */
typedef struct SlotCommon {
    const LiederClass *class_;
    uint32_t first;
} SlotCommon;
typedef VEC(SlotCommon) SlotCommons;
/* slots must take so many times the memory of exceptions; most sets of numbers of a class */
enum { MIN_SAVING = 2, MAX_COMMON = 8 };

/* in how many numbers two components of a class differ; n + 1: some differ between lanes */
static size_t count_different(const SlotValue *a, const SlotValue *b, size_t n)
{
    size_t differ = 0;
    for (size_t s = 0; s < n; s++) {
        if (a[s].lanes || b[s].lanes)
            return n + 1;
        differ += memcmp(&a[s].value, &b[s].value, sizeof a->value) != 0;
    }
    return differ;
}

/* the numbers of slots that are the same for equal components are kept once; false: no memory */
static bool share_slots(SystemShape *ss, size_t component, SlotCommons *known,
                        const LiederAllocator *alloc)
{
    const LiederClass *class_ = ss->shape->components.items[component].class_;
    uint32_t *first = &ss->values.slot_first.items[component];
    size_t n = (size_t)class_->nslot, nknown = 0, least = SIZE_MAX, best = 0;
    const SlotValue *own = ss->values.slots.items + *first;
    for (size_t k = 0; k < known->n && least > 0; k++) {
        if (known->items[k].class_ != class_)
            continue;
        size_t differ = count_different(ss->values.slots.items + known->items[k].first, own, n);
        best = differ < least ? k : best;
        least = differ < least ? differ : least;
        nknown++;
    }
    /* it keeps its own numbers, which later components may share */
    if (nknown == 0 || (least > 1 && nknown < MAX_COMMON))
        return vec_push(alloc, known, ((SlotCommon){class_, *first}));
    if (least > n || MIN_SAVING * least * sizeof(SlotException) >= n * sizeof(SlotValue)) {
        known->items[best].first = *first;
        return true;
    }
    const SlotValue *common = ss->values.slots.items + known->items[best].first;
    for (size_t s = 0; s < n && least > 0; s++)
        if (memcmp(&common[s].value, &own[s].value, sizeof own->value) != 0 &&
            !vec_push(alloc, &ss->values.exceptions,
                      ((SlotException){(uint32_t)component, (uint32_t)s, own[s]})))
            return false;
    ss->values.slots.n -= n;
    *first = known->items[best].first;
    return true;
}

const SlotValue *slot_exception(const SystemShape *ss, uint32_t component, uint32_t slot)
{
    size_t low = 0, high = ss->values.exceptions.n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const SlotException *e = &ss->values.exceptions.items[middle];
        if (e->component == component && e->slot == slot)
            return &e->value;
        bool before = e->component < component || (e->component == component && e->slot < slot);
        *(before ? &low : &high) = before ? middle + 1 : middle;
    }
    return NULL;
}

bool slots_collect(LiederSystem *system, SystemShape *ss)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    const Shape *shape = ss->shape;
    SlotCommons known = {0};
    size_t nslot = 0;
    for (size_t i = 0; i < shape->components.n; i++)
        nslot += (size_t)shape->components.items[i].class_->nslot;
    bool ok = vec_reserve(alloc, &ss->values.slot_first, shape->components.n) &&
              (shape->cut || vec_reserve(alloc, &ss->values.slots, nslot));
    for (size_t i = 0; i < shape->components.n && ok; i++) {
        ok = collect_component(system, ss, i) && (!shape->cut || share_slots(ss, i, &known, alloc));
    }
    if (shape->cut)
        ss->values.ncommon = (uint32_t)ss->values.slots.n;
    vec_drop(alloc, &known);
    return ok;
}
