/* depend.c - which states each derivative of a shape may depend on, as its instructions say.
 *
 * Linked code (block/link.c) works on places of the record, one instruction after the other, and
 * places are used again. So each instruction is noted with the earlier ones whose results it reads,
 * and a walk back from the instruction that sets a derivative ends at states, parameters and time.
 * A walk costs as many steps as there are instructions on which its derivative depends, however
 * large the shape is. Zeros that follow from numbers are not seen: pattern.c tries the entries.
 */
#include "solve/method/depend.h"

#include "block/linked.h"

enum { OF_RECORD = 0 }; /* made by no instruction; the first one is number 1 */
static const uint32_t PLACE = 1u << 31;

typedef struct DependTrace {
    const LiederAllocator *alloc;
    uint32_t size;          /* bytes of a real */
    VEC(uint32_t) made;     /* by place: the last instruction that wrote it */
    VEC(uint32_t) first;    /* by instruction */
    VEC(uint32_t) from;     /* operands: an instruction, or PLACE and a place of the record */
    VEC(uint32_t) state_of; /* by place: 1 + state */
    VEC(uint32_t) seen;     /* by instruction: the last walk that was there */
    VEC(uint32_t) seen_state;
    VEC(uint32_t) stack;
    bool good;
} DependTrace;

/* one instruction of a program: the places it sets depend on those it reads */
static void note_step(void *user, const uint32_t *to, size_t nto, const uint32_t *from,
                      size_t nfrom)
{
    DependTrace *t = user;
    uint32_t number = (uint32_t)t->first.n;
    t->good = t->good && vec_push(t->alloc, &t->first, (uint32_t)t->from.n);
    for (size_t i = 0; i < nfrom && t->good; i++) {
        uint32_t place = from[i] / t->size, made = t->made.items[place];
        if (made != OF_RECORD || t->state_of.items[place])
            t->good = vec_push(t->alloc, &t->from, made != OF_RECORD ? made : PLACE | place);
    }
    for (size_t i = 0; i < nto && t->good; i++)
        t->made.items[to[i] / t->size] = number;
}

/* the instructions of an op that the program has not linked, with slots behind the record */
static bool note_unlinked(DependTrace *t, const Program *p, const Op *op, const LiederKernels *k)
{
    if (!k->link)
        return false;
    LiederCode code = k->link(op->code, p->at.items + op->at, op->add, p->nreal, t->alloc);
    bool good = code.run && linked_steps(k, code, note_step, t);
    if (code.run)
        k->unlink(code, t->alloc);
    return good;
}

static bool note_list(DependTrace *t, const Program *p, const OpList *list)
{
    for (size_t i = 0; i < list->n && t->good; i++) {
        const Op *op = &list->items[i];
        const LiederKernels *k = kernels_of(p, &p->shape->components.items[op->component]);
        if (op->linked ? !linked_steps(k, op->code, note_step, t) : !note_unlinked(t, p, op, k))
            return false;
    }
    return t->good;
}

/* notes all instructions of a program; false: no memory, or a class without instructions */
static bool trace_fill(DependTrace *t, const Program *p)
{
    const LiederAllocator *alloc = t->alloc;
    size_t nplace = (size_t)p->nreal + p->nscratch;
    if (!vec_resize(alloc, &t->made, nplace) || !vec_resize(alloc, &t->state_of, nplace) ||
        !vec_push(alloc, &t->first, 0))
        return false;
    for (uint32_t s = 0; s < p->state_place.n; s++)
        t->state_of.items[p->state_place.items[s]] = s + 1;
    if (!note_list(t, p, &p->explicit_) || !note_list(t, p, &p->reduce) ||
        !note_list(t, p, &p->solve))
        return false;
    return vec_resize(alloc, &t->seen, t->first.n) &&
           vec_resize(alloc, &t->seen_state, p->state_place.n + 1) &&
           vec_push(alloc, &t->first, (uint32_t)t->from.n);
}

static bool find_state(DependTrace *t, Dependence *to, uint32_t walk, uint32_t place)
{
    uint32_t state = t->state_of.items[place];
    if (!state || t->seen_state.items[state - 1] == walk)
        return true;
    t->seen_state.items[state - 1] = walk;
    return vec_push(t->alloc, &to->state, state - 1);
}

/* the states behind the place of one derivative */
static bool walk_back(DependTrace *t, Dependence *to, uint32_t walk, uint32_t place)
{
    uint32_t made = t->made.items[place];
    if (made == OF_RECORD)
        return find_state(t, to, walk, place);
    t->stack.n = 0;
    bool good = vec_push(t->alloc, &t->stack, made);
    t->seen.items[made] = walk;
    while (good && t->stack.n) {
        uint32_t top = t->stack.items[--t->stack.n];
        for (uint32_t k = t->first.items[top]; good && k < t->first.items[top + 1]; k++) {
            uint32_t from = t->from.items[k];
            if (from & PLACE)
                good = find_state(t, to, walk, from & ~PLACE);
            else if (t->seen.items[from] != walk) {
                t->seen.items[from] = walk;
                good = vec_push(t->alloc, &t->stack, from);
            }
        }
    }
    return good;
}

static void trace_drop(DependTrace *t)
{
    vec_drop(t->alloc, &t->made);
    vec_drop(t->alloc, &t->first);
    vec_drop(t->alloc, &t->from);
    vec_drop(t->alloc, &t->state_of);
    vec_drop(t->alloc, &t->seen);
    vec_drop(t->alloc, &t->seen_state);
    vec_drop(t->alloc, &t->stack);
}

bool dependence_find(Dependence *to, const SystemShape *ss, const LiederAllocator *alloc)
{
    const Program *p = &ss->plan.lean;
    *to = (Dependence){0};
    if (ss->plan.method != LIEDER_METHOD_TREE || p->complements.n || p->nreal >= PLACE)
        return false;
    DependTrace t = {.alloc = alloc, .size = (uint32_t)p->lanes * sizeof(double), .good = true};
    bool good = trace_fill(&t, p);
    for (uint32_t s = 0; good && s < p->derivative_place.n; s++)
        good = vec_push(alloc, &to->first, (uint32_t)to->state.n) &&
               walk_back(&t, to, s + 1, p->derivative_place.items[s]);
    good = good && vec_push(alloc, &to->first, (uint32_t)to->state.n);
    trace_drop(&t);
    if (!good)
        dependence_drop(to, alloc);
    return good;
}

void dependence_drop(Dependence *d, const LiederAllocator *alloc)
{
    vec_drop(alloc, &d->first);
    vec_drop(alloc, &d->state);
}
