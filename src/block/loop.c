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
            loop->stores.items[c->index + k] = (LoopStore){
                (uint16_t)(c->slot + k), stores[c->index + k].place, stores[c->index + k].step};
    }
    return true;
}

static void loop_drop(Loop *loop, const LiederAllocator *alloc)
{
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
    if (status == TAPE_DONE && (!take_slots(&loop, loads, nload, stores, g->alloc) ||
                                !vec_push(g->alloc, &code->loops, loop)))
        status = TAPE_NO_MEMORY;
    if (status == TAPE_DONE)
        tape_chain(&code->loops.items[code->loops.n - 1].body);
    else
        loop_drop(&loop, g->alloc);
    return status;
}

void loop_code_drop(LoopCode *code, const LiederAllocator *alloc)
{
    for (size_t i = 0; i < code->loops.n; i++)
        loop_drop(&code->loops.items[i], alloc);
    vec_drop(alloc, &code->loops);
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

/* what one turn reads and writes, at most ROOM of each at once */
static void see_turn(const Loop *l, uint32_t self, uint32_t turn, uint32_t size, LinkedStep *see,
                     void *user)
{
    enum { ROOM = 2 * LOOP_SLOTS };
    uint32_t from[ROOM + 1], to[ROOM + 1];
    size_t nfrom = 0, nto = 0;
    for (size_t k = 0; k < l->loads.n && nfrom < ROOM; k++)
        if (l->loads.items[k].from == LOOP_RECORD)
            from[nfrom++] =
                (self + l->loads.items[k].place + turn * (uint32_t)l->loads.items[k].step) * size;
    for (size_t k = 0; k < l->stores.n && nto < (l->kind == LOOP_FOLD ? 1 : ROOM); k++)
        to[nto++] =
            (self + l->stores.items[k].place + turn * (uint32_t)l->stores.items[k].step) * size;
    if (l->kind == LOOP_FOLD)
        from[nfrom++] = to[0];
    see(user, to, nto, from, nfrom);
}

void loop_steps(LiederCode code, int lanes, LinkedStep *see, void *user)
{
    const LoopLinked *linked = code.code;
    for (size_t i = 0; i < linked->block.whole.loops.n; i++)
        for (uint32_t k = 0; k < linked->block.whole.loops.items[i].n; k++)
            see_turn(&linked->block.whole.loops.items[i], linked->at[0], k,
                     (uint32_t)lanes * (uint32_t)sizeof(double), see, user);
}
