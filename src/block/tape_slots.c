/* tape_slots.c - which slot each value of a tape stands in.
 *
 * Instructions are in their final order here. A value lives from the instruction that computes it
 * to the last one that reads it; a slot is free outside of these lives. One pass from the first
 * instruction k = 0 on:
 *
 *   1. inputs take the first slots, sorted by their places, so that neighbours in the record are
 *      neighbours in slots and one copy loads a run of them; constants take the next ones;
 *   2. at k the slots of operands with last[operand] = k go to a stack of free slots, then the
 *      result takes the slot on top of it, or a new one. So d = a may hold for d = a op b, which is
 *      right because an instruction reads a lane before it writes it;
 *   3. of an instruction with two results (sine and cosine) the second takes its slot before the
 *      operand is released, since the first one is written while the operand is still read;
 *   4. outputs are never released (KEPT); each is a store, and neighbours are joined to one copy.
 *
 * The slot that was freed last is taken first: it is still in the first-level cache. Each value is
 * defined once, so the lives are intervals, and no more slots are taken than there are values alive
 * at a time. A tape that keeps its inputs (tape_compile_kept) never releases the slots
 * of numbers of the record and of constants, so that they are loaded once for many runs. */
#include "block/tape_make.h"

#include <stdlib.h>

static const uint32_t KEPT = UINT32_MAX;

static uint16_t take_slot(TapeMaker *m, Node i)
{
    if (m->free.n)
        m->slot.items[i] = m->free.items[--m->free.n];
    else
        m->slot.items[i] = m->t->nslot++;
    if (m->t->nslot > MAX_SLOTS)
        m->status = TAPE_TOO_LARGE;
    return (uint16_t)m->slot.items[i];
}

static bool reads_fourth(const TapePending *p)
{
    return operation_operands((Operation)p->op) == 4;
}

/* after which instruction the slot of each node is free */
static void find_last_uses(TapeMaker *m, const TapeOutput *outputs, size_t n)
{
    for (size_t k = 0; k < m->code.n; k++) {
        const TapePending *p = &m->code.items[k];
        m->last.items[p->a] = m->last.items[p->b] = m->last.items[p->c] = (uint32_t)k;
        if (reads_fourth(p))
            m->last.items[p->e] = (uint32_t)k;
        for (size_t i = 0; p->op == OPERATION_SYSTEM && i < m->operands.items[p->e].n; i++)
            m->last.items[m->operands.items[p->e].items[i]] = (uint32_t)k;
    }
    for (size_t i = 0; i < n; i++)
        m->last.items[outputs[i].node] = KEPT;
}

static int compare_places(const void *x, const void *y)
{
    const TapeCopy *p = x, *q = y;
    if (p->group != q->group)
        return p->group < q->group ? -1 : 1;
    return p->index < q->index ? -1 : p->index > q->index;
}

/* joins neighbours of a list; sorted, or in the order of stores */
static void join_copies(TapeCopy *copies, size_t *n)
{
    size_t to = 0;
    for (size_t i = 0; i < *n; i++) {
        TapeCopy *before = to ? &copies[to - 1] : NULL, *c = &copies[i];
        if (before && before->group == c->group && before->group != TAPE_CALL &&
            before->index + before->count == c->index && before->slot + before->count == c->slot)
            before->count += c->count;
        else
            copies[to++] = *c;
    }
    *n = to;
}

static bool is_of_record(const NodeData *node)
{
    return node->kind == NODE_SYMBOL &&
           node->symbol == tape_symbol(TAPE_RECORD, (uint32_t)node->symbol);
}

/* Slots that are kept must not drive the others out of the first-level cache. */
static void choose_kept(TapeMaker *m)
{
    enum { MAX_KEPT = 48 };
    size_t n = 0;
    for (size_t k = 0; k < m->order.n; k++)
        n += is_of_record(node_data(m->g, m->order.items[k]));
    m->keeps = m->keeps && n <= MAX_KEPT;
}

/* loads and constants: step 1 above */
static void place_inputs(TapeMaker *m)
{
    for (size_t k = 0; k < m->order.n; k++) {
        Node i = m->order.items[k];
        const NodeData *node = node_data(m->g, i);
        if (node->kind != NODE_SYMBOL)
            continue;
        uint32_t group = (uint32_t)(node->symbol >> 32) & INT32_MAX;
        if (is_bound_symbol(node->symbol)) /* an argument, in the workspace of the call */
            group = TAPE_RECORD;
        else if (!(node->symbol >> 63))
            m->status = TAPE_UNKNOWN_SYMBOL;
        else if (group > MAX_SLOTS)
            m->status = TAPE_TOO_LARGE;
        tape_check(m, vec_push(m->alloc, &m->t->loads,
                               (TapeCopy){(uint16_t)group, 0, (uint32_t)node->symbol, i}));
    }
    if (m->status != TAPE_DONE)
        return;
    if (m->t->loads.n)
        qsort(m->t->loads.items, m->t->loads.n, sizeof *m->t->loads.items, compare_places);
    for (size_t i = 0; i < m->t->loads.n; i++) {
        TapeCopy *load = &m->t->loads.items[i];
        load->slot = take_slot(m, load->count); /* its node so far */
        load->count = 1;
    }
    join_copies(m->t->loads.items, &m->t->loads.n);
    while (m->keeps && m->t->nkept < m->t->loads.n &&
           m->t->loads.items[m->t->nkept].group == TAPE_RECORD)
        m->t->nkept++;
    for (size_t k = 0; k < m->order.n; k++) {
        Node i = m->order.items[k];
        if (node_data(m->g, i)->kind == NODE_CONSTANT && m->uses.items[i]) {
            uint16_t slot = take_slot(m, i);
            tape_check(m, vec_push(m->alloc, &m->t->constants,
                                   (TapeConstant){slot, node_data(m->g, i)->value}));
        }
    }
}

/* whether a number is loaded once for many runs of the tape: see tape_compile_kept */
static bool is_kept(const TapeMaker *m, Node i)
{
    const NodeData *node = node_data(m->g, i);
    return m->keeps && (node->kind == NODE_CONSTANT || is_of_record(node));
}

/* gives back the slot of an operand that instruction k reads last */
static void release(TapeMaker *m, Node operand, uint32_t k)
{
    if (!operand || m->last.items[operand] != k || is_kept(m, operand))
        return;
    m->last.items[operand] = KEPT; /* once */
    tape_check(m, vec_push(m->alloc, &m->free, (uint16_t)m->slot.items[operand]));
}

/* slots of operands and results of a system that is solved at run time */
static void place_system(TapeMaker *m, const TapePending *p, uint32_t k)
{
    TapeSystem *s = &m->t->systems.items[p->e];
    const GraphSystem *system = &m->g->systems.items[system_number(m->g, p->d)];
    const NodeList *operands = &m->operands.items[p->e], *parts = &m->parts.items[p->e];
    for (size_t i = 0; i < operands->n; i++)
        tape_check(m, vec_push(m->alloc, &s->from,
                               (TapeMove){(uint16_t)m->slot.items[operands->items[i]],
                                          tape_place_operand(s, system, i, operands->n)}));
    for (size_t i = 0; i < operands->n; i++)
        release(m, operands->items[i], k);
    for (size_t i = 0; i < parts->n; i++) {
        Node part = parts->items[i];
        double which = node_data(m->g, node_data(m->g, part)->b)->value;
        tape_check(m, vec_push(m->alloc, &s->to,
                               (TapeMove){take_slot(m, part),
                                          tape_place_part(s, system, (uint32_t)which)}));
    }
    tape_check(m, vec_push(m->alloc, &m->t->code,
                           (TapeInstruction){.op = OPERATION_SYSTEM, .a = (uint16_t)p->e}));
}

/* instructions on slots: steps 2 and 3 above */
static void place_code(TapeMaker *m)
{
    for (uint32_t k = 0; k < m->code.n && m->status == TAPE_DONE; k++) {
        const TapePending *p = &m->code.items[k];
        if (p->op == OPERATION_SYSTEM) {
            place_system(m, p, k);
            continue;
        }
        TapeInstruction i = {.op = p->op,
                             .a = (uint16_t)m->slot.items[p->a],
                             .b = (uint16_t)m->slot.items[p->b],
                             .c = (uint16_t)m->slot.items[p->c]};
        if (p->op == OPERATION_SINCOS)
            i.e = take_slot(m, p->e);
        if (reads_fourth(p))
            i.e = (uint16_t)m->slot.items[p->e];
        release(m, p->a, k);
        release(m, p->b, k);
        release(m, p->c, k);
        release(m, reads_fourth(p) ? p->e : NO_NODE, k);
        i.d = take_slot(m, p->d);
        tape_check(m, vec_push(m->alloc, &m->t->code, i));
    }
    tape_check(m, vec_push(m->alloc, &m->t->code, (TapeInstruction){.op = OPERATION_END}));
}

/* a store for each result; one that is the number it was loaded with is left out */
static void place_outputs(TapeMaker *m, const TapeOutput *outputs, size_t n)
{
    for (size_t i = 0; i < n && m->status == TAPE_DONE; i++) {
        const TapeOutput *o = &outputs[i];
        if (o->group > MAX_SLOTS)
            m->status = TAPE_TOO_LARGE;
        else if (!tape_is_unchanged(m, o))
            tape_check(m, vec_push(m->alloc, &m->t->stores,
                                   (TapeCopy){(uint16_t)o->group, (uint16_t)m->slot.items[o->node],
                                              o->index, 1}));
    }
    join_copies(m->t->stores.items, &m->t->stores.n);
}

void tape_place(TapeMaker *m, const TapeOutput *outputs, size_t n)
{
    find_last_uses(m, outputs, n);
    choose_kept(m);
    place_inputs(m);
    if (m->status != TAPE_DONE)
        return;
    place_code(m);
    place_outputs(m, outputs, n);
}
