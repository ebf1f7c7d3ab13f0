/* tape.c - from a graph to a tape: which nodes are needed, which products join the sum that uses
 * them alone, in which slots values stand. */
#include "block/tape.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SLOTS = 65535 };

typedef struct Pending {
    uint16_t op;
    Node d, e, a, b, c;
} Pending;

typedef struct TapeMaker {
    Graph *g;
    const LiederAllocator *alloc;
    Tape *t;
    NodeList order;              /* what is needed, operands first */
    VEC(uint32_t) uses;          /* by node: of needed nodes and outputs */
    VEC(uint8_t) joined;         /* by node: has no instruction of its own */
    NodeList sine_of, cosine_of; /* by argument */
    VEC(Pending) code;
    VEC(uint32_t) last; /* by node: instruction that uses it last, or KEPT */
    VEC(uint32_t) slot; /* by node */
    VEC(uint16_t) free;
    TapeStatus status;
} TapeMaker;

static const uint32_t KEPT = UINT32_MAX;

static void check_memory(TapeMaker *m, bool ok)
{
    if (!ok)
        m->status = TAPE_NO_MEMORY;
}

/* ------------------------------------------------------------------ instructions */

static bool is_operation(const TapeMaker *m, Node i)
{
    NodeKind kind = (NodeKind)node_data(m->g, i)->kind;
    return kind != NODE_SYMBOL && kind != NODE_CONSTANT;
}

/* an output that stays as it is: it need not even be read */
static bool is_unchanged(const TapeMaker *m, const TapeOutput *o)
{
    const NodeData *node = node_data(m->g, o->node);
    return node->kind == NODE_SYMBOL && node->symbol == tape_symbol(o->group, o->index);
}

static void count_uses(TapeMaker *m, const TapeOutput *outputs, size_t n)
{
    NodeList roots = {0};
    for (size_t i = 0; i < n; i++) {
        if (is_unchanged(m, &outputs[i]))
            continue;
        check_memory(m, vec_push(m->alloc, &roots, outputs[i].node));
        m->uses.items[outputs[i].node] += 2; /* never joined */
    }
    check_memory(m, m->status == TAPE_DONE &&
                        graph_reach(m->g, roots.items, roots.n, NULL, &m->order));
    vec_drop(m->alloc, &roots);
    for (size_t k = 0; k < m->order.n; k++) {
        Node i = m->order.items[k];
        const NodeData *node = node_data(m->g, i);
        if (!is_operation(m, i))
            continue;
        m->uses.items[node->a]++;
        m->uses.items[node->b]++;
        m->uses.items[node->c]++;
        if (node->kind == NODE_CALL && node->function == FUNCTION_SIN)
            m->sine_of.items[node->a] = i;
        if (node->kind == NODE_CALL && node->function == FUNCTION_COS)
            m->cosine_of.items[node->a] = i;
    }
}

/* a product that only one sum uses */
static bool joins(const TapeMaker *m, Node product)
{
    return node_data(m->g, product)->kind == NODE_MULTIPLY && m->uses.items[product] == 1;
}

static void plan_sum(TapeMaker *m, Pending *p)
{
    bool sub = p->op == OPERATION_SUBTRACT;
    Node product = joins(m, p->b) ? p->b : p->a, other = product == p->b ? p->a : p->b;
    if (!joins(m, product))
        return;
    m->joined.items[product] = 1;
    p->op = !sub              ? OPERATION_MULTIPLY_ADD
            : product == p->b ? OPERATION_SUBTRACT_PRODUCT
                              : OPERATION_MULTIPLY_SUBTRACT;
    p->a = node_data(m->g, product)->a;
    p->b = node_data(m->g, product)->b;
    p->c = other;
}

/* sine and cosine of one argument */
static void plan_sine(TapeMaker *m, Pending *p)
{
    Node sine = m->sine_of.items[p->a], cosine = m->cosine_of.items[p->a];
    if (!sine || !cosine)
        return;
    m->joined.items[p->d == sine ? cosine : sine] = 1;
    p->op = OPERATION_SINCOS;
    p->d = sine;
    p->e = cosine;
}

/* From the last node to the first, so that a sum claims its product before that gets an
 * instruction; then in the order of evaluation. Of sine and cosine the first one gets the
 * instruction. */
static void plan_code(TapeMaker *m)
{
    VEC(Pending) back = {0};
    for (size_t k = m->order.n; k-- > 0;) {
        Node i = m->order.items[k];
        if (!is_operation(m, i) || m->joined.items[i])
            continue;
        const NodeData *node = node_data(m->g, i);
        Pending p = {(uint16_t)operation_of(node), i, 0, node->a, node->b, node->c};
        if (p.op == OPERATION_ADD || p.op == OPERATION_SUBTRACT)
            plan_sum(m, &p);
        check_memory(m, vec_push(m->alloc, &back, p));
    }
    for (size_t k = back.n; k-- > 0 && m->status == TAPE_DONE;) {
        Pending p = back.items[k];
        if (m->joined.items[p.d])
            continue;
        if (p.op == OPERATION_CALL_SIN || p.op == OPERATION_CALL_COS)
            plan_sine(m, &p);
        check_memory(m, vec_push(m->alloc, &m->code, p));
    }
    vec_drop(m->alloc, &back);
}

/* ------------------------------------------------------------------ slots */

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

static void find_last_uses(TapeMaker *m, const TapeOutput *outputs, size_t n)
{
    for (size_t k = 0; k < m->code.n; k++) {
        const Pending *p = &m->code.items[k];
        m->last.items[p->a] = m->last.items[p->b] = m->last.items[p->c] = (uint32_t)k;
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

/* Inputs have the first slots, in the order of their places, so that neighbours are loaded
 * together; constants have the following ones. */
static void place_inputs(TapeMaker *m)
{
    for (size_t k = 0; k < m->order.n; k++) {
        Node i = m->order.items[k];
        const NodeData *node = node_data(m->g, i);
        if (node->kind != NODE_SYMBOL)
            continue;
        uint32_t group = (uint32_t)(node->symbol >> 32) & INT32_MAX;
        if (!(node->symbol >> 63))
            m->status = TAPE_UNKNOWN_SYMBOL;
        else if (group > MAX_SLOTS)
            m->status = TAPE_TOO_LARGE;
        check_memory(m, vec_push(m->alloc, &m->t->loads,
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
    for (size_t k = 0; k < m->order.n; k++) {
        Node i = m->order.items[k];
        if (node_data(m->g, i)->kind == NODE_CONSTANT) {
            uint16_t slot = take_slot(m, i);
            check_memory(m, vec_push(m->alloc, &m->t->constants,
                                     (TapeConstant){slot, node_data(m->g, i)->value}));
        }
    }
}

static void release(TapeMaker *m, Node operand, uint32_t k)
{
    if (!operand || m->last.items[operand] != k)
        return;
    m->last.items[operand] = KEPT; /* once */
    check_memory(m, vec_push(m->alloc, &m->free, (uint16_t)m->slot.items[operand]));
}

/* A result may stand in the slot of an operand that ends here: lanes are read before they are
 * written. Not so for two results. */
static void place_code(TapeMaker *m)
{
    for (uint32_t k = 0; k < m->code.n && m->status == TAPE_DONE; k++) {
        const Pending *p = &m->code.items[k];
        TapeInstruction i = {.op = p->op,
                             .a = (uint16_t)m->slot.items[p->a],
                             .b = (uint16_t)m->slot.items[p->b],
                             .c = (uint16_t)m->slot.items[p->c]};
        if (p->e)
            i.e = take_slot(m, p->e);
        release(m, p->a, k);
        release(m, p->b, k);
        release(m, p->c, k);
        i.d = take_slot(m, p->d);
        check_memory(m, vec_push(m->alloc, &m->t->code, i));
    }
    check_memory(m, vec_push(m->alloc, &m->t->code, (TapeInstruction){.op = OPERATION_END}));
}

static void place_outputs(TapeMaker *m, const TapeOutput *outputs, size_t n)
{
    for (size_t i = 0; i < n && m->status == TAPE_DONE; i++) {
        const TapeOutput *o = &outputs[i];
        if (o->group > MAX_SLOTS)
            m->status = TAPE_TOO_LARGE;
        else if (!is_unchanged(m, o))
            check_memory(m, vec_push(m->alloc, &m->t->stores,
                                     (TapeCopy){(uint16_t)o->group,
                                                (uint16_t)m->slot.items[o->node], o->index, 1}));
    }
    join_copies(m->t->stores.items, &m->t->stores.n);
}

TapeStatus tape_compile(Tape *t, Graph *g, const TapeOutput *outputs, size_t n)
{
    *t = (Tape){0};
    TapeMaker m = {.g = g, .alloc = g->alloc, .t = t};
    if (g->failed)
        return TAPE_NO_MEMORY;
    size_t size = g->nodes.n;
    check_memory(&m, vec_resize(m.alloc, &m.uses, size) && vec_resize(m.alloc, &m.joined, size) &&
                         vec_resize(m.alloc, &m.sine_of, size) &&
                         vec_resize(m.alloc, &m.cosine_of, size) &&
                         vec_resize(m.alloc, &m.last, size) && vec_resize(m.alloc, &m.slot, size));
    if (m.status == TAPE_DONE)
        count_uses(&m, outputs, n);
    if (m.status == TAPE_DONE)
        plan_code(&m);
    if (m.status == TAPE_DONE) {
        find_last_uses(&m, outputs, n);
        place_inputs(&m);
    }
    if (m.status == TAPE_DONE) {
        place_code(&m);
        place_outputs(&m, outputs, n);
    }
    vec_drop(m.alloc, &m.order);
    vec_drop(m.alloc, &m.uses);
    vec_drop(m.alloc, &m.joined);
    vec_drop(m.alloc, &m.sine_of);
    vec_drop(m.alloc, &m.cosine_of);
    vec_drop(m.alloc, &m.code);
    vec_drop(m.alloc, &m.last);
    vec_drop(m.alloc, &m.slot);
    vec_drop(m.alloc, &m.free);
    if (m.status != TAPE_DONE)
        tape_drop(t, g->alloc);
    return m.status;
}

void tape_drop(Tape *t, const LiederAllocator *alloc)
{
    vec_drop(alloc, &t->code);
    vec_drop(alloc, &t->constants);
    vec_drop(alloc, &t->loads);
    vec_drop(alloc, &t->stores);
    *t = (Tape){0};
}
