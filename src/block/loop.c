/* loop.c - making loops, and linking them. How they run: loop_run.inc. See loop.h. */
#include "block/loop.h"

/* ------------------------------------------------------------------ making them */

/* slots of loads and stores, from the copies of the tape; what the body does not read has no load
 */
static bool take_slots(Loop *loop, const LoopLoad *loads, size_t nload, const LoopStore *stores,
                       const LiederAllocator *alloc)
{
    for (size_t i = 0; i < loop->body.loads.n; i++) {
        const TapeCopy *c = &loop->body.loads.items[i];
        for (uint32_t k = 0; k < c->count; k++) {
            if (c->group != TAPE_AT || c->index + k >= nload)
                return false;
            LoopLoad load = loads[c->index + k];
            load.slot = (uint16_t)(c->slot + k);
            if (!vec_push(alloc, &loop->loads, load))
                return false;
        }
    }
    for (size_t i = 0; i < loop->body.stores.n; i++) {
        const TapeCopy *c = &loop->body.stores.items[i];
        for (uint32_t k = 0; k < c->count; k++)
            loop->stores.items[c->index + k] =
                (LoopStore){(uint16_t)(c->slot + k), stores[c->index + k].place,
                            stores[c->index + k].step, stores[c->index + k].leap};
    }
    return true;
}

/* what a system gives depends on all that it is given */
static void system_needs(const TapeSystem *s, uint64_t *sets, size_t words)
{
    for (size_t w = 0; w < words; w++) {
        uint64_t set = 0;
        for (size_t k = 0; k < s->from.n; k++)
            set |= sets[words * s->from.items[k].slot + w];
        for (size_t k = 0; k < s->to.n; k++)
            sets[words * s->to.items[k].slot + w] = set;
    }
}

/* by store, the loads that its value depends on: sets of loads go through the instructions */
static bool find_needs(Loop *loop, const LiederAllocator *alloc)
{
    enum { BITS = 64 };
    size_t words = loop->loads.n / BITS + 1;
    VEC(uint64_t) sets = {0}; /* by slot */
    if (!vec_resize(alloc, &sets, words * ((size_t)loop->body.nslot + 1)))
        return false;
    for (size_t k = 0; k < loop->loads.n; k++)
        sets.items[words * loop->loads.items[k].slot + k / BITS] |= (uint64_t)1 << k % BITS;
    for (const TapeInstruction *i = loop->body.code.items; i->op != OPERATION_END; i++) {
        const uint16_t from[] = {i->a, i->b, i->c, i->e};
        if (i->op == OPERATION_SYSTEM) {
            system_needs(&loop->body.systems.items[i->a], sets.items, words);
            continue;
        }
        int n = operation_operands((Operation)i->op);
        for (size_t w = 0; w < words; w++) {
            uint64_t set = 0;
            for (int k = 0; k < n; k++)
                set |= sets.items[words * from[k] + w];
            sets.items[words * i->d + w] = set;
            if (i->op == OPERATION_SINCOS)
                sets.items[words * i->e + w] = set;
        }
    }
    bool good = true;
    for (size_t s = 0; s < loop->stores.n && good; s++) {
        good = vec_push(alloc, &loop->first_need, (uint32_t)loop->needs.n);
        for (size_t k = 0; k < loop->loads.n && good; k++)
            if (sets.items[words * loop->stores.items[s].slot + k / BITS] >> k % BITS & 1)
                good = vec_push(alloc, &loop->needs, (uint32_t)k);
    }
    vec_drop(alloc, &sets);
    return good && vec_push(alloc, &loop->first_need, (uint32_t)loop->needs.n);
}

static void loop_drop(Loop *loop, const LiederAllocator *alloc)
{
    vec_drop(alloc, &loop->first_need);
    vec_drop(alloc, &loop->needs);
    tape_drop(&loop->body, alloc);
    vec_drop(alloc, &loop->loads);
    vec_drop(alloc, &loop->stores);
}

TapeStatus loop_add(LoopCode *code, Graph *g, Loop loop, const LoopLoad *loads, size_t nload,
                    const LoopStore *stores, const Node *outputs, size_t noutput)
{
    TapeOutputs list = {0};
    bool good = vec_resize(g->alloc, &loop.stores, noutput);
    for (size_t k = 0; k < noutput && good; k++)
        good = vec_push(g->alloc, &list, (TapeOutput){outputs[k], TAPE_AT + 1, (uint32_t)k});
    TapeStatus status = good ? tape_compile(&loop.body, g, list.items, list.n) : TAPE_NO_MEMORY;
    vec_drop(g->alloc, &list);
    if (status == TAPE_DONE && loop.body.nscratch > LOOP_SLOTS)
        status = TAPE_TOO_LARGE;
    if (status == TAPE_DONE &&
        (!take_slots(&loop, loads, nload, stores, g->alloc) || !find_needs(&loop, g->alloc) ||
         !vec_push(g->alloc, &code->loops, loop)))
        status = TAPE_NO_MEMORY;
    if (status == TAPE_DONE)
        tape_chain(&code->loops.items[code->loops.n - 1].body);
    else
        loop_drop(&loop, g->alloc);
    return status;
}

static void drop_code(LoopCode *code, const LiederAllocator *alloc)
{
    for (size_t i = 0; i < code->loops.n; i++)
        loop_drop(&code->loops.items[i], alloc);
    vec_drop(alloc, &code->loops);
}

void loop_block_drop(LoopBlock *block, const LiederAllocator *alloc)
{
    if (!block)
        return;
    drop_code(&block->whole, alloc);
    drop_code(&block->lean, alloc);
    memory_free(alloc, block, sizeof *block);
}

size_t loop_code_size(const LoopCode *code)
{
    size_t n = code->loops.n;
    for (size_t i = 0; i < code->loops.n; i++) {
        const Loop *l = &code->loops.items[i];
        n += l->body.code.n + l->body.constants.n + l->loads.n + l->stores.n;
    }
    return n;
}

/* ------------------------------------------------------------------ linked code */

static void run_linked(const void *code, const LiederStrip *strip, const uint32_t *at, int add)
{
    const LoopLinked *l = code;
    (void)at;
    l->run(&l->block, strip, l->at, add);
}

LiederCode loop_link(LiederCode code, const uint32_t *at, int add, uint32_t scratch,
                     const LiederAllocator *alloc)
{
    const LoopBlock *from = code.code;
    LoopLinked *linked = memory_zeroed(alloc, sizeof *linked);
    (void)add;
    (void)scratch;
    if (!linked)
        return (LiederCode){0};
    linked->block.whole = from->lean;
    linked->at[0] = at[LIEDER_AT_SELF];
    linked->run = code.run;
    return (LiederCode){run_linked, linked};
}

void loop_unlink(LiederCode code, const LiederAllocator *alloc)
{
    memory_free(alloc, (void *)code.code, sizeof(LoopLinked));
}

/* what a store of one turn depends on */
static void visit_store(const Loop *l, size_t store, uint32_t self, uint32_t row, uint32_t turn,
                        uint32_t size, LinkedStep *visit, void *user)
{
    uint32_t from[LOOP_SLOTS + 2];
    size_t n = 0;
    const LoopStore *s = &l->stores.items[store];
    const uint32_t to =
        (self + s->place + row * (uint32_t)s->leap + turn * (uint32_t)s->step) * size;
    for (uint32_t k = l->first_need.items[store]; k < l->first_need.items[store + 1]; k++) {
        const LoopLoad *load = &l->loads.items[l->needs.items[k]];
        if (load->from == LOOP_RECORD && n <= LOOP_SLOTS)
            from[n++] =
                (self + load->place + row * (uint32_t)load->leap + turn * (uint32_t)load->step) *
                size;
    }
    if (l->kind == LOOP_FOLD)
        from[n++] = to;
    visit(user, &to, 1, from, n);
}

void loop_steps(LiederCode code, int lanes, LinkedStep *visit, void *user)
{
    const LoopLinked *linked = code.code;
    for (size_t i = 0; i < linked->block.whole.loops.n; i++) {
        const Loop *l = &linked->block.whole.loops.items[i];
        for (uint32_t row = 0; row < l->rows; row++)
            for (uint32_t k = 0; k < l->n; k++)
                for (size_t s = 0; s < l->stores.n; s++)
                    visit_store(l, s, linked->at[0], row, k,
                                (uint32_t)lanes * (uint32_t)sizeof(double), visit, user);
    }
}
