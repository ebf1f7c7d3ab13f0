/* program_join.c - programs of classes that are made of instructions.
 *
 * Such a class has a tape for each kernel (LiederKernels.link and .join; see block/join.c). Where
 * all classes of a program have one and nothing closes a loop, the three lists of ops become one
 * tape: it is *joined*. Elsewhere the ops of these classes are *linked*: each gets code of its own,
 * whose operands are places of the record.
 */
#include "model/program/program.h"

/* ------------------------------------------------------------------ one op after the other */

/* ops; a longer program keeps the tapes that its ops share, since linked code takes more memory */
enum { MAX_LINKED_OPS = 1000 };

bool program_links(const Program *p)
{
    return p->nscratch && !p->full && p->explicit_.n + p->reduce.n + p->solve.n <= MAX_LINKED_OPS;
}

/* kernels that are made for the places of an op, where a class offers them; false: no memory */
static bool link_list(const Program *p, const OpList *list, uint32_t scratch)
{
    for (size_t i = 0; i < list->n; i++) {
        Op *op = &list->items[i];
        const LiederKernels *k = kernels_of(p, &p->shape->components.items[op->component]);
        if (!k->link)
            continue;
        LiederCode code = k->link(op->code, p->at.items + op->at, op->add, scratch, p->alloc);
        if (!code.run)
            return false;
        op->code = code;
        op->linked = true;
    }
    return true;
}

bool program_link(Program *p, uint32_t scratch)
{
    return link_list(p, &p->explicit_, scratch) && link_list(p, &p->reduce, scratch) &&
           link_list(p, &p->solve, scratch);
}

static void unlink_list(const Program *p, const OpList *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const Op *op = &list->items[i];
        if (op->linked)
            kernels_of(p, &p->shape->components.items[op->component])->unlink(op->code, p->alloc);
    }
}

void program_unlink(const Program *p)
{
    unlink_list(p, &p->explicit_);
    unlink_list(p, &p->reduce);
    unlink_list(p, &p->solve);
}

/* ------------------------------------------------------------------ all of them at once */

typedef VEC(LiederPart) PartList;

/* whether an op is linked: it has no tape any more */
static bool is_linked(const OpList *list)
{
    bool linked = false;
    for (size_t i = 0; i < list->n; i++)
        linked |= list->items[i].linked;
    return linked;
}

/* kernels whose `join` all ops of the three lists have, of a compiled class if there is one; or
 * NULL */
static const LiederKernels *common_join(const Program *p)
{
    const OpList *lists[] = {&p->explicit_, &p->reduce, &p->solve};
    const LiederKernels *common = NULL;
    for (int l = 0; l < 3; l++)
        for (size_t i = 0; i < lists[l]->n; i++) {
            const LiederKernels *k =
                kernels_of(p, &p->shape->components.items[lists[l]->items[i].component]);
            if (!k->join || (common && common->join != k->join))
                return NULL;
            if (!common || !k->link)
                common = k;
        }
    return common;
}

static bool list_parts(const Program *p, const OpList *list, PartList *to)
{
    for (size_t i = 0; i < list->n; i++)
        if (!vec_push(p->alloc, to,
                      (LiederPart){list->items[i].code, p->at.items + list->items[i].at,
                                   list->items[i].add}))
            return false;
    return true;
}

/* One lane of a long tape waits for every instruction, where kernels in C keep a component in
 * registers: an arm of 7 joints takes 1230 ns joined and 550 apart, one of 64 arms 104 and 124. */
bool program_joins(const Program *p)
{
    enum { MIN_JOINED_LANES = 16, MAX_JOINED_PARTS = 24 };
    const LiederKernels *k = common_join(p);
    size_t nparts = p->explicit_.n + p->reduce.n + p->solve.n;
    return k && (k->link || p->shape->nlane >= MIN_JOINED_LANES || nparts <= MAX_JOINED_PARTS);
}

LiederJoined program_join(const Program *p, const LiederKnown *known, size_t nknown, int *nscratch)
{
    const LiederKernels *k = p->full || p->complements.n ? NULL : common_join(p);
    PartList parts = {0};
    LiederJoined joined = {0};
    if (!k || is_linked(&p->explicit_) || is_linked(&p->reduce) || is_linked(&p->solve))
        return joined;
    bool ok = list_parts(p, &p->explicit_, &parts) && list_parts(p, &p->reduce, &parts) &&
              list_parts(p, &p->solve, &parts);
    LiederSequence sequence = {.parts = parts.items,
                               .n = parts.n,
                               .nreal = p->nreal,
                               .zero = p->zero,
                               .nzero = p->nzero,
                               .known = known,
                               .nknown = nknown,
                               .states = p->state_place.items,
                               .derivatives = p->derivative_place.items,
                               .nstate = p->state_place.n};
    *nscratch = ok ? 0 : -1;
    if (ok)
        joined = k->join(&sequence, nscratch, p->alloc);
    vec_drop(p->alloc, &parts);
    return joined;
}

void program_unjoin(const Program *p, LiederJoined *joined)
{
    if (joined->run)
        common_join(p)->unjoin(*joined, p->alloc);
    *joined = (LiederJoined){0};
}
