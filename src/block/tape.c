/* tape.c - from a graph to a tape: which nodes get an instruction, and which one.
 *
 * The outputs are nodes of a graph in which equal expressions are one node. In this order:
 *
 *   1. Nodes that an output needs, operands first (graph_reach), and how often each is read,
 *      uses[i]. An output that is the number it was loaded with needs nothing; any other one counts
 *      twice, so that it is never joined with what reads it.
 *   2. Conditions under which calls of functions are needed (guard.c).
 *   3. Instructions, from the last node to the first, so that a sum claims its product before the
 *      product gets an instruction of its own. A product p = a b with uses[p] = 1 joins its reader:
 *
 *        a b + c, a b - c, c - a b     one instruction, and still two roundings
 *        fused(+-a, b, +-c)            signs are taken in: negation is exact
 *        fused(+-a, b, c e)            the product c e is rounded before it is added
 *
 *      sin x and cos x of one x are one instruction, at the place of the first of them. Where one
 *      rounding stands in place of two is decided before, in the graph (mark.c): joining saves
 *      instructions and changes no bit.
 *   4. Slots (tape_slots.c); systems and calls have a workspace behind them (tape_system.c).
 *
 * A tape that the interpreter alone runs is chained afterwards: an operand that is the result of
 * the instruction before is taken from registers (tape_chain). */
#include "block/tape_make.h"

/* ------------------------------------------------------------------ instructions */

/* has an instruction of its own; lists and parts belong to their system */
static bool is_operation(const TapeMaker *m, Node i)
{
    NodeKind kind = (NodeKind)node_data(m->g, i)->kind;
    return kind != NODE_SYMBOL && kind != NODE_CONSTANT && kind != NODE_LIST && kind != NODE_PART;
}

bool tape_is_unchanged(const TapeMaker *m, const TapeOutput *o)
{
    const NodeData *node = node_data(m->g, o->node);
    return node->kind == NODE_SYMBOL && node->symbol == tape_symbol(o->group, o->index);
}

/* how often each node is read; what is stored is never joined with what reads it */
static void count_uses(TapeMaker *m, const TapeOutput *outputs, size_t n)
{
    NodeList roots = {0};
    for (size_t i = 0; i < n; i++) {
        if (tape_is_unchanged(m, &outputs[i]))
            continue;
        tape_check(m, vec_push(m->alloc, &roots, outputs[i].node));
        m->uses.items[outputs[i].node] += 2; /* never joined */
    }
    tape_check(m,
               m->status == TAPE_DONE && graph_reach(m->g, roots.items, roots.n, NULL, &m->order));
    vec_drop(m->alloc, &roots);
    for (size_t k = 0; k < m->order.n; k++) {
        Node i = m->order.items[k];
        const NodeData *node = node_data(m->g, i);
        if (node->kind == NODE_LIST)
            m->uses.items[node->a]++;
        if (!is_operation(m, i) || node->kind == NODE_SYSTEM)
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

/* a sum with a product that nothing else reads: one instruction, the product is rounded as
 * before */
static void plan_sum(TapeMaker *m, TapePending *p)
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

/* whether an operand is a negation; then it becomes what is negated */
static bool take_sign(TapeMaker *m, Node *operand)
{
    const NodeData *node = node_data(m->g, *operand);
    if (node->kind != NODE_NEGATE)
        return false;
    m->uses.items[*operand]--;
    m->uses.items[node->a]++;
    *operand = node->a;
    return true;
}

/* signs, and a product as what is added to */
static void plan_fused(TapeMaker *m, TapePending *p)
{
    bool minus = take_sign(m, &p->a) != take_sign(m, &p->b), less = take_sign(m, &p->c);
    if (!less && joins(m, p->c)) {
        const NodeData *product = node_data(m->g, p->c);
        m->joined.items[p->c] = 1;
        p->c = product->a;
        p->e = product->b;
        p->op = minus ? OPERATION_MINUS_FUSED_PRODUCT : OPERATION_FUSED_PRODUCT;
    } else if (less) {
        p->op = minus ? OPERATION_MINUS_FUSED_MINUS : OPERATION_FUSED_MINUS;
    } else if (minus) {
        p->op = OPERATION_MINUS_FUSED;
    }
}

/* sine and cosine of one argument */
static void plan_sine(TapeMaker *m, TapePending *p)
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
    VEC(TapePending) back = {0};
    for (size_t k = m->order.n; k-- > 0;) {
        Node i = m->order.items[k];
        if (!is_operation(m, i) || m->joined.items[i])
            continue;
        const NodeData *node = node_data(m->g, i);
        if (!m->uses.items[i] && node->kind == NODE_NEGATE) { /* see take_sign */
            m->uses.items[node->a]--;
            continue;
        }
        if (node->kind == NODE_SYSTEM) {
            tape_check(m, vec_push(m->alloc, &back,
                                   (TapePending){OPERATION_SYSTEM, i, NO_NODE, NO_NODE, NO_NODE,
                                                 NO_NODE}));
            continue;
        }
        TapePending p = {(uint16_t)operation_of(node), i, 0, node->a, node->b, node->c};
        if (p.op == OPERATION_ADD || p.op == OPERATION_SUBTRACT)
            plan_sum(m, &p);
        if (p.op == OPERATION_FUSED)
            plan_fused(m, &p);
        tape_check(m, vec_push(m->alloc, &back, p));
    }
    for (size_t k = back.n; k-- > 0 && m->status == TAPE_DONE;) {
        TapePending p = back.items[k];
        if (m->joined.items[p.d])
            continue;
        if (p.op == OPERATION_CALL_SIN || p.op == OPERATION_CALL_COS)
            plan_sine(m, &p);
        if (p.op == OPERATION_SYSTEM)
            tape_plan_system(m, &p);
        tape_check(m, vec_push(m->alloc, &m->code, p));
    }
    vec_drop(m->alloc, &back);
}

static void find_scratch(Tape *t)
{
    size_t largest = 0;
    for (size_t i = 0; i < t->systems.n; i++) {
        const TapeSystem *s = &t->systems.items[i];
        size_t size = s->size + (s->residuals ? s->residuals->nscratch : 0);
        largest = size > largest ? size : largest;
    }
    t->nscratch = t->nslot + (uint32_t)largest;
}

/* the conditions under which calls are needed */
static void find_guards(TapeMaker *m, const TapeOutput *outputs, size_t n)
{
    NodeList roots = {0};
    for (size_t i = 0; i < n; i++)
        if (!tape_is_unchanged(m, &outputs[i]))
            tape_check(m, vec_push(m->alloc, &roots, outputs[i].node));
    tape_check(m, m->status == TAPE_DONE &&
                      graph_guards(m->g, &m->order, roots.items, roots.n, &m->guards));
    vec_drop(m->alloc, &roots);
}

/* needed nodes, instructions, slots, copies, in this order */
static TapeStatus make_tape(Tape *t, Graph *g, const TapeOutput *outputs, size_t n, bool keeps)
{
    *t = (Tape){0};
    TapeMaker m = {.g = g, .alloc = g->alloc, .t = t, .keeps = keeps};
    if (g->failed)
        return TAPE_NO_MEMORY;
    size_t size = g->nodes.n;
    tape_check(&m, vec_resize(m.alloc, &m.uses, size) && vec_resize(m.alloc, &m.joined, size) &&
                       vec_resize(m.alloc, &m.sine_of, size) &&
                       vec_resize(m.alloc, &m.cosine_of, size) &&
                       vec_resize(m.alloc, &m.last, size) && vec_resize(m.alloc, &m.slot, size));
    if (m.status == TAPE_DONE)
        count_uses(&m, outputs, n);
    if (m.status == TAPE_DONE)
        find_guards(&m, outputs, n);
    if (m.status == TAPE_DONE)
        plan_code(&m);
    if (m.status == TAPE_DONE)
        tape_place(&m, outputs, n);
    if (m.status == TAPE_DONE)
        find_scratch(t);
    vec_drop(m.alloc, &m.order);
    vec_drop(m.alloc, &m.uses);
    vec_drop(m.alloc, &m.joined);
    vec_drop(m.alloc, &m.sine_of);
    vec_drop(m.alloc, &m.cosine_of);
    vec_drop(m.alloc, &m.code);
    vec_drop(m.alloc, &m.last);
    vec_drop(m.alloc, &m.slot);
    vec_drop(m.alloc, &m.free);
    for (size_t i = 0; i < m.operands.n; i++)
        vec_drop(m.alloc, &m.operands.items[i]);
    for (size_t i = 0; i < m.parts.n; i++)
        vec_drop(m.alloc, &m.parts.items[i]);
    vec_drop(m.alloc, &m.guards);
    vec_drop(m.alloc, &m.operands);
    vec_drop(m.alloc, &m.parts);
    if (m.status != TAPE_DONE)
        tape_drop(t, g->alloc);
    return m.status;
}

TapeStatus tape_compile(Tape *t, Graph *g, const TapeOutput *outputs, size_t n)
{
    return make_tape(t, g, outputs, n, false);
}

TapeStatus tape_compile_kept(Tape *t, Graph *g, const TapeOutput *outputs, size_t n)
{
    return make_tape(t, g, outputs, n, true);
}

void tape_drop(Tape *t, const LiederAllocator *alloc)
{
    for (size_t i = 0; i < t->systems.n; i++)
        tape_system_drop(&t->systems.items[i], alloc);
    vec_drop(alloc, &t->systems);
    vec_drop(alloc, &t->code);
    vec_drop(alloc, &t->constants);
    vec_drop(alloc, &t->loads);
    vec_drop(alloc, &t->stores);
    *t = (Tape){0};
}

/* ------------------------------------------------------------------ chains */

/* whether interpret.inc has this operation with an operand in registers */
static bool is_arithmetic(unsigned op)
{
    return (op >= OPERATION_NEGATE && op <= OPERATION_FUSED) ||
           (op >= OPERATION_MULTIPLY_ADD && op <= OPERATION_SUBTRACT_PRODUCT);
}

static bool leaves_result(unsigned op)
{
    return op >= OPERATION_NEGATE && op <= OPERATION_SUBTRACT_PRODUCT;
}

static void exchange(uint16_t *x, uint16_t *y)
{
    uint16_t kept = *x;
    *x = *y;
    *y = kept;
}

/* The operand of an instruction that stands in a slot. Factors and summands change places for it,
 * which does not change a bit. */
static int chained_operand(TapeInstruction *i, uint16_t slot)
{
    int n = operation_operands((Operation)i->op);
    bool symmetric = i->op != OPERATION_SUBTRACT && i->op != OPERATION_DIVIDE;
    if (i->a == slot)
        return CHAIN_A;
    if (n > 1 && i->b == slot && !symmetric)
        return CHAIN_B;
    if (n > 1 && i->b == slot) {
        exchange(&i->a, &i->b);
        return CHAIN_A;
    }
    if (n > 3 && i->e == slot)
        exchange(&i->c, &i->e);
    return n > 2 && i->c == slot ? CHAIN_C : CHAIN_NONE;
}

void tape_chain(Tape *t)
{
    for (size_t k = t->code.n; k-- > 1;) { /* from the end: operations before k are unmarked */
        TapeInstruction *i = &t->code.items[k];
        const TapeInstruction *before = i - 1;
        if (is_arithmetic(i->op) && leaves_result(before->op))
            i->op = (uint16_t)(i->op | chained_operand(i, before->d) << CHAIN_SHIFT);
    }
}
