/* tape.c - from a graph to a tape: which nodes are needed, which products join the sum that uses
 * them alone, in which slots values stand. */
#include "block/tape.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_SLOTS = 65535 };

typedef struct Pending {
    uint16_t op;
    Node d, e, a, b, c; /* of a system: d is its node, e its number in the tape */
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
    VEC(NodeList) operands, parts; /* by system of the tape */
    CallGuards guards;
    bool keeps; /* numbers of the record and constants stay in their slots */
    TapeStatus status;
} TapeMaker;

static const uint32_t KEPT = UINT32_MAX;

static void release_body(TapeBody *body, const LiederAllocator *alloc)
{
    if (--body->users)
        return;
    tape_drop(&body->tape, alloc);
    vec_drop(alloc, &body->results);
    memory_free(alloc, body, sizeof *body);
}

void tape_bodies_release(TapeBody *list, const LiederAllocator *alloc)
{
    while (list) {
        TapeBody *next = list->next;
        release_body(list, alloc);
        list = next;
    }
}

/* what a system of a tape owns */
static void system_drop(TapeSystem *s, const LiederAllocator *alloc)
{
    if (s->body) {
        release_body(s->body, alloc);
    } else if (s->residuals) {
        tape_drop(s->residuals, alloc);
        memory_free(alloc, s->residuals, sizeof *s->residuals);
    }
    vec_drop(alloc, &s->pattern);
    vec_drop(alloc, &s->nominal);
    vec_drop(alloc, &s->guards);
    vec_drop(alloc, &s->from);
    vec_drop(alloc, &s->to);
}

static void check_memory(TapeMaker *m, bool ok)
{
    if (!ok)
        m->status = TAPE_NO_MEMORY;
}

/* ------------------------------------------------------------------ instructions */

/* has an instruction of its own; lists and parts belong to their system */
static bool is_operation(const TapeMaker *m, Node i)
{
    NodeKind kind = (NodeKind)node_data(m->g, i)->kind;
    return kind != NODE_SYMBOL && kind != NODE_CONSTANT && kind != NODE_LIST && kind != NODE_PART;
}

/* an output that stays as it is: it need not even be read */
static bool is_unchanged(const TapeMaker *m, const TapeOutput *o)
{
    const NodeData *node = node_data(m->g, o->node);
    return node->kind == NODE_SYMBOL && node->symbol == tape_symbol(o->group, o->index);
}

/* how often each node is read; what is stored is never joined with what reads it */
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

/* a sum with a product that nothing else reads becomes a fused multiply-add */
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
static void plan_fused(TapeMaker *m, Pending *p)
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

/* ------------------------------------------------------------------ systems */

/* the symbols of a template read the workspace */
static Node workspace_symbol(void *user, uint64_t symbol, Node node)
{
    Graph *g = user;
    return symbol >> 60 == 1 ? node_symbol(g, tape_symbol(TAPE_RECORD, (uint32_t)symbol)) : node;
}

/* the tape of residuals and entries of the Jacobian of a system */
static TapeStatus compile_residuals(Graph *g, uint32_t number, TapeSystem *s)
{
    TapeOutputs outputs = {0};
    bool good = (s->residuals = memory_zeroed(g->alloc, sizeof *s->residuals)) != NULL;
    size_t n = system_outputs(&g->systems.items[number]);
    for (size_t k = 0; good && k < n; k++) {
        Node node = system_output(&g->systems.items[number], k);
        TapeOutput o = {replace_once(g, workspace_symbol, g, node), TAPE_RECORD,
                        (uint32_t)(LIEDER_SYSTEM_R(&s->solver) + k)};
        good = o.node && vec_push(g->alloc, &outputs, o);
    }
    TapeStatus status =
        good ? tape_compile(s->residuals, g, outputs.items, outputs.n) : TAPE_NO_MEMORY;
    vec_drop(g->alloc, &outputs);
    return status;
}

LiederPattern tape_pattern(const GraphSystem *s)
{
    return (LiederPattern){.n = (int)s->n,
                           .noperand = s->linear ? 0 : (int)(s->ninput - s->n),
                           .nentry = (int)s->row.n,
                           .lenient = s->lenient,
                           .near = s->near,
                           .sized = s->size.n > 0,
                           .homotopy = (int)s->homotopy,
                           .guess = (int)s->guess,
                           .row = s->row.items,
                           .column = s->column.items,
                           .sparse = s->table.n ? s->table.items : NULL,
                           .nominal = s->nominal.n ? s->nominal.items : NULL};
}

static bool copy_list(const LiederAllocator *alloc, TapeSystem *s, const uint32_t *items, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (!vec_push(alloc, &s->pattern, items[k]))
            return false;
    return true;
}

/* sizes, pattern and residuals of a system */
static TapeStatus describe_system(Graph *g, uint32_t number, TapeSystem *s)
{
    const GraphSystem *t = &g->systems.items[number];
    size_t nentry = t->row.n;
    if (!copy_list(g->alloc, s, t->row.items, nentry) ||
        !copy_list(g->alloc, s, t->column.items, nentry) ||
        !copy_list(g->alloc, s, t->table.items, t->table.n))
        return TAPE_NO_MEMORY;
    for (size_t k = 0; k < t->nominal.n; k++)
        if (!vec_push(g->alloc, &s->nominal, t->nominal.items[k]))
            return TAPE_NO_MEMORY;
    s->step = t->step;
    s->solver = tape_pattern(t);
    s->solver.row = s->pattern.items;
    s->solver.column = s->pattern.items + nentry;
    s->solver.sparse = t->table.n ? s->pattern.items + 2 * nentry : NULL;
    s->solver.nominal = t->nominal.n ? s->nominal.items : NULL;
    s->size = lieder_system_size(&s->solver);
    return t->linear ? TAPE_DONE : compile_residuals(g, number, s);
}

uint32_t tape_operand_place(const GraphSystem *system, size_t k)
{
    const LiederPattern s = tape_pattern(system);
    size_t nentry = (size_t)s.nentry,
           nfactor = system->step == SYSTEM_FACTORED ? system_nfactor(system) : 0;
    size_t place = !system->linear        ? k
                   : k < nentry           ? LIEDER_SYSTEM_E(&s) + k
                   : k < nentry + nfactor ? LIEDER_SYSTEM_MATRIX(&s) + (k - nentry)
                                          : LIEDER_SYSTEM_R(&s) + (k - nentry - nfactor);
    return (uint32_t)place;
}

uint32_t tape_part_place(const GraphSystem *system, uint32_t part)
{
    if (system->call)
        return system->ninput + part;
    const LiederPattern s = tape_pattern(system);
    uint32_t n = (uint32_t)s.n;
    if (system->step == SYSTEM_FACTORS)
        return (uint32_t)LIEDER_SYSTEM_MATRIX(&s) + part;
    return part < n ? part : (uint32_t)LIEDER_SYSTEM_LAST(&s) + part - n;
}

/* ------------------------------------------------------------------ calls */

/* the same results of a function as before, or NULL */
static TapeBody *known_body(const GraphCall *c, const NodeList *results)
{
    for (TapeBody *body = c->bodies; body; body = body->next) {
        bool same = body->results.n == results->n;
        for (size_t k = 0; same && k < results->n; k++)
            same = body->results.items[k] == results->items[k];
        if (same)
            return body;
    }
    return NULL;
}

/* the tape of some results of a function */
static TapeStatus compile_body(Graph *g, GraphCall *c, const NodeList *results, TapeBody **made)
{
    TapeOutputs outputs = {0};
    TapeBody *body = memory_zeroed(g->alloc, sizeof *body);
    bool good = body != NULL;
    for (size_t k = 0; good && k < results->n; k++)
        good = vec_push(g->alloc, &body->results, results->items[k]) &&
               vec_push(g->alloc, &outputs,
                        (TapeOutput){c->plain.items[results->items[k]], TAPE_RECORD,
                                     c->ninput + (uint32_t)k});
    TapeStatus status =
        good ? tape_compile(&body->tape, g, outputs.items, outputs.n) : TAPE_NO_MEMORY;
    vec_drop(g->alloc, &outputs);
    if (body)
        body->users = 1;
    if (status != TAPE_DONE && body) {
        release_body(body, g->alloc);
    } else if (body) {
        body->next = c->bodies;
        c->bodies = *made = body;
    }
    return status;
}

/* which results of a call a tape wants, in their order */
static bool wanted_results(const TapeMaker *m, Node system, NodeList *results)
{
    for (size_t k = 0; k < m->order.n; k++) {
        const NodeData *part = node_data(m->g, m->order.items[k]);
        if (part->kind != NODE_PART || part->a != system)
            continue;
        Node which = (Node)node_data(m->g, part->b)->value;
        size_t at = results->n;
        if (!vec_push(m->alloc, results, which))
            return false;
        for (; at > 0 && results->items[at - 1] > which; at--)
            results->items[at] = results->items[at - 1];
        results->items[at] = which;
    }
    return true;
}

/* a call and the body that it runs */
static TapeStatus describe_call(const TapeMaker *m, Node system, TapeSystem *s)
{
    GraphCall *c = node_called(m->g, system);
    NodeList results = {0};
    TapeStatus status = wanted_results(m, system, &results) ? TAPE_DONE : TAPE_NO_MEMORY;
    TapeBody *body = known_body(c, &results);
    if (status == TAPE_DONE && !body)
        status = compile_body(m->g, c, &results, &body);
    if (status == TAPE_DONE) {
        body->users++;
        s->body = body;
        s->residuals = &body->tape;
        s->size = c->ninput + results.n;
        s->step = SYSTEM_CALL;
    }
    vec_drop(m->alloc, &results);
    return status;
}

/* the conditions of a call are operands as well */
static bool add_guards(const TapeMaker *m, Node system, TapeSystem *s, NodeList *operands)
{
    for (size_t i = 0; i < m->guards.n; i++) {
        const CallGuard *guard = &m->guards.items[i];
        if (guard->system != system)
            continue;
        if (!vec_push(m->alloc, &s->guards, guard->wanted) ||
            !vec_push(m->alloc, operands, guard->condition))
            return false;
        s->size++;
    }
    return true;
}

/* where an operand stands in the workspace, conditions being the last ones */
static uint32_t place_of_operand(const TapeSystem *s, const GraphSystem *system, size_t k, size_t n)
{
    return k + s->guards.n < n ? tape_operand_place(system, k) : (uint32_t)(s->size - (n - k));
}

/* where a part of a system stands in its workspace here */
static uint32_t place_of_part(const TapeSystem *s, const GraphSystem *system, uint32_t part)
{
    for (size_t k = 0; s->body && k < s->body->results.n; k++)
        if (s->body->results.items[k] == part)
            return system->ninput + (uint32_t)k;
    return tape_part_place(system, part);
}

/* An entry of the tape's systems for a node; operands are kept as nodes until slots are known. */
static void plan_system(TapeMaker *m, Pending *p)
{
    TapeSystem s = {0};
    NodeData d = *node_data(m->g, p->d);
    uint32_t number = system_number(m->g, p->d);
    TapeStatus status =
        node_called(m->g, p->d) ? describe_call(m, p->d, &s) : describe_system(m->g, number, &s);
    if (status != TAPE_DONE)
        m->status = status;
    if (!vec_push(m->alloc, &m->t->systems, s)) {
        system_drop(&s, m->alloc);
        m->status = TAPE_NO_MEMORY;
    }
    p->e = (Node)m->t->systems.n - 1;
    check_memory(m, m->status == TAPE_DONE && vec_push(m->alloc, &m->operands, (NodeList){0}) &&
                        vec_push(m->alloc, &m->parts, (NodeList){0}));
    if (m->status != TAPE_DONE)
        return;
    NodeList *operands = &m->operands.items[p->e], *parts = &m->parts.items[p->e];
    check_memory(m, list_items(m->g, d.a, operands) && list_items(m->g, d.c, operands) &&
                        add_guards(m, p->d, &m->t->systems.items[p->e], operands));
    for (size_t k = 0; k < m->order.n && m->status == TAPE_DONE; k++) {
        const NodeData *part = node_data(m->g, m->order.items[k]);
        if (part->kind == NODE_PART && part->a == p->d)
            check_memory(m, vec_push(m->alloc, parts, m->order.items[k]));
    }
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
        if (!m->uses.items[i] && node->kind == NODE_NEGATE) { /* see take_sign */
            m->uses.items[node->a]--;
            continue;
        }
        if (node->kind == NODE_SYSTEM) {
            check_memory(
                m, vec_push(m->alloc, &back,
                            (Pending){OPERATION_SYSTEM, i, NO_NODE, NO_NODE, NO_NODE, NO_NODE}));
            continue;
        }
        Pending p = {(uint16_t)operation_of(node), i, 0, node->a, node->b, node->c};
        if (p.op == OPERATION_ADD || p.op == OPERATION_SUBTRACT)
            plan_sum(m, &p);
        if (p.op == OPERATION_FUSED)
            plan_fused(m, &p);
        check_memory(m, vec_push(m->alloc, &back, p));
    }
    for (size_t k = back.n; k-- > 0 && m->status == TAPE_DONE;) {
        Pending p = back.items[k];
        if (m->joined.items[p.d])
            continue;
        if (p.op == OPERATION_CALL_SIN || p.op == OPERATION_CALL_COS)
            plan_sine(m, &p);
        if (p.op == OPERATION_SYSTEM)
            plan_system(m, &p);
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

static bool reads_fourth(const Pending *p)
{
    return operation_operands((Operation)p->op) == 4;
}

/* after which instruction the slot of each node is free */
static void find_last_uses(TapeMaker *m, const TapeOutput *outputs, size_t n)
{
    for (size_t k = 0; k < m->code.n; k++) {
        const Pending *p = &m->code.items[k];
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
        if (is_bound_symbol(node->symbol)) /* an argument, in the workspace of the call */
            group = TAPE_RECORD;
        else if (!(node->symbol >> 63))
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
    while (m->keeps && m->t->nkept < m->t->loads.n &&
           m->t->loads.items[m->t->nkept].group == TAPE_RECORD)
        m->t->nkept++;
    for (size_t k = 0; k < m->order.n; k++) {
        Node i = m->order.items[k];
        if (node_data(m->g, i)->kind == NODE_CONSTANT && m->uses.items[i]) {
            uint16_t slot = take_slot(m, i);
            check_memory(m, vec_push(m->alloc, &m->t->constants,
                                     (TapeConstant){slot, node_data(m->g, i)->value}));
        }
    }
}

/* a number that is read once for many runs of the tape: see tape_compile_kept */
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
    check_memory(m, vec_push(m->alloc, &m->free, (uint16_t)m->slot.items[operand]));
}

/* slots of operands and results of a system that is solved at run time */
static void place_system(TapeMaker *m, const Pending *p, uint32_t k)
{
    TapeSystem *s = &m->t->systems.items[p->e];
    const GraphSystem *system = &m->g->systems.items[system_number(m->g, p->d)];
    const NodeList *operands = &m->operands.items[p->e], *parts = &m->parts.items[p->e];
    for (size_t i = 0; i < operands->n; i++)
        check_memory(m, vec_push(m->alloc, &s->from,
                                 (TapeMove){(uint16_t)m->slot.items[operands->items[i]],
                                            place_of_operand(s, system, i, operands->n)}));
    for (size_t i = 0; i < operands->n; i++)
        release(m, operands->items[i], k);
    for (size_t i = 0; i < parts->n; i++) {
        Node part = parts->items[i];
        double which = node_data(m->g, node_data(m->g, part)->b)->value;
        check_memory(
            m, vec_push(m->alloc, &s->to,
                        (TapeMove){take_slot(m, part), place_of_part(s, system, (uint32_t)which)}));
    }
    check_memory(m, vec_push(m->alloc, &m->t->code,
                             (TapeInstruction){.op = OPERATION_SYSTEM, .a = (uint16_t)p->e}));
}

/* A result may stand in the slot of an operand that ends here: lanes are read before they are
 * written. Not so for two results. */
static void place_code(TapeMaker *m)
{
    for (uint32_t k = 0; k < m->code.n && m->status == TAPE_DONE; k++) {
        const Pending *p = &m->code.items[k];
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
        check_memory(m, vec_push(m->alloc, &m->t->code, i));
    }
    check_memory(m, vec_push(m->alloc, &m->t->code, (TapeInstruction){.op = OPERATION_END}));
}

/* a store for each result; one that is the number it was loaded with is left out */
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
        if (!is_unchanged(m, &outputs[i]))
            check_memory(m, vec_push(m->alloc, &roots, outputs[i].node));
    check_memory(m, m->status == TAPE_DONE &&
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
    check_memory(&m, vec_resize(m.alloc, &m.uses, size) && vec_resize(m.alloc, &m.joined, size) &&
                         vec_resize(m.alloc, &m.sine_of, size) &&
                         vec_resize(m.alloc, &m.cosine_of, size) &&
                         vec_resize(m.alloc, &m.last, size) && vec_resize(m.alloc, &m.slot, size));
    if (m.status == TAPE_DONE)
        count_uses(&m, outputs, n);
    if (m.status == TAPE_DONE)
        find_guards(&m, outputs, n);
    if (m.status == TAPE_DONE)
        plan_code(&m);
    if (m.status == TAPE_DONE) {
        find_last_uses(&m, outputs, n);
        choose_kept(&m);
        place_inputs(&m);
    }
    if (m.status == TAPE_DONE) {
        place_code(&m);
        place_outputs(&m, outputs, n);
        find_scratch(t);
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
        system_drop(&t->systems.items[i], alloc);
    vec_drop(alloc, &t->systems);
    vec_drop(alloc, &t->code);
    vec_drop(alloc, &t->constants);
    vec_drop(alloc, &t->loads);
    vec_drop(alloc, &t->stores);
    *t = (Tape){0};
}

/* ------------------------------------------------------------------ chains */

/* one of those that interpret.inc has with an operand in registers */
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
