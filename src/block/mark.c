/* mark.c - the linear blocks of a class, made ready for unit inputs.
 *
 * A linear block is affine in potentials, flows and unknowns. Its constant terms are multiplied by
 * the scale of the bias, which is 0 while the block is probed: then the columns of its linear map
 * are exact.
 *
 * In classes that were made of equations sums get their fused multiply-adds here, by the rule of
 * docs/architecture.md: where a coefficient times a linear variable is added to something, the
 * result is rounded once. Products of states and parameters alone are rounded by themselves, so
 * that two equal ones cancel; and a product that more than one sum reads, a force and its reaction,
 * stays one number. A crane crab alone takes 8 % less time by it, 4 % in lanes (AVX-512). */
#include <string.h>

#include "block/class.h"

typedef struct Marker {
    BlockClass *c;
    Graph *g;
    Node bias_scale;
    VEC(uint8_t) linear;  /* by real of the struct: an unknown, or assigned by a linear block */
    VEC(uint8_t) depends; /* by node */
    NodeList marked;      /* by node that depends: with its constant terms marked */
    VEC(uint32_t) uses;   /* by node: reads by the block at hand, and 2 for each assignment */
    bool affine;
} Marker;

static bool symbol_depends(const Marker *m, uint64_t symbol)
{
    const BlockPlace *place = block_place_of(m->c, symbol);
    return place && (place->kind == PLACE_POTENTIAL || place->kind == PLACE_FLOW ||
                     (place->kind == PLACE_MEMBER && m->linear.items[place->index]));
}

/* a summand of an affine expression: a constant one is multiplied by the scale of the bias */
static Node marked_term(Marker *m, Node term)
{
    return m->depends.items[term] ? m->marked.items[term]
                                  : node_multiply(m->g, term, m->bias_scale);
}

static Node marked_product(Marker *m, const NodeData *n)
{
    bool a = m->depends.items[n->a], b = m->depends.items[n->b];
    if ((a && b) || (b && n->kind == NODE_DIVIDE))
        m->affine = false;
    return node_make(m->g, (NodeKind)n->kind, a ? m->marked.items[n->a] : n->a,
                     b ? m->marked.items[n->b] : n->b, NO_NODE);
}

static Node marked_fused(Marker *m, const NodeData *n)
{
    bool a = m->depends.items[n->a], b = m->depends.items[n->b];
    if (a && b)
        m->affine = false;
    Node first = a ? m->marked.items[n->a] : b ? n->a : node_multiply(m->g, n->a, m->bias_scale);
    return node_fused(m->g, first, b ? m->marked.items[n->b] : n->b, marked_term(m, n->c));
}

/* whether a sum and this product in it are rounded once */
static bool joins_sum(const Marker *m, Node product)
{
    return m->c->info.is_of_equations && node_data(m->g, product)->kind == NODE_MULTIPLY &&
           m->depends.items[product] && product < m->uses.n && m->uses.items[product] == 1;
}

/* a sum of terms; s + a b and s - a b are rounded once */
static Node marked_sum(Marker *m, const NodeData *n)
{
    bool subtract = n->kind == NODE_SUBTRACT, last = joins_sum(m, n->b);
    if (!last && !joins_sum(m, n->a)) {
        Node a = marked_term(m, n->a), b = marked_term(m, n->b);
        return node_make(m->g, (NodeKind)n->kind, a, b, NO_NODE);
    }
    const NodeData product = *node_data(m->g, last ? n->b : n->a);
    Node rest = marked_term(m, last ? n->a : n->b);
    Node a = m->depends.items[product.a] ? m->marked.items[product.a] : product.a;
    Node b = m->depends.items[product.b] ? m->marked.items[product.b] : product.b;
    if (m->depends.items[product.a] && m->depends.items[product.b])
        m->affine = false;
    if (subtract && last)
        a = node_negate(m->g, a);
    return node_fused(m->g, a, b, subtract && !last ? node_negate(m->g, rest) : rest);
}

/* a list whose items are terms */
static Node marked_list(Marker *m, Node list)
{
    NodeList items = {0};
    if (!list_items(m->g, list, &items))
        m->g->failed = true;
    for (size_t k = 0; k < items.n && !m->g->failed; k++)
        items.items[k] = marked_term(m, items.items[k]);
    Node marked = m->g->failed ? NO_NODE : node_list(m->g, items.items, items.n);
    vec_drop(m->g->alloc, &items);
    return marked;
}

/* a node with the bias marked: its constant part is multiplied by the scale */
static Node marked_node(Marker *m, Node i)
{
    const NodeData n = *node_data(m->g, i);
    switch ((NodeKind)n.kind) {
    case NODE_SYMBOL:
        return i;
    case NODE_NEGATE:
        return node_negate(m->g, m->marked.items[n.a]);
    case NODE_ADD:
    case NODE_SUBTRACT:
        return marked_sum(m, &n);
    case NODE_MULTIPLY:
    case NODE_DIVIDE:
        return marked_product(m, &n);
    case NODE_FUSED:
        return marked_fused(m, &n);
    case NODE_SELECT: {
        if (m->depends.items[n.a])
            m->affine = false;
        Node yes = marked_term(m, n.b), no = marked_term(m, n.c);
        return node_select(m->g, n.a, yes, no);
    }
    case NODE_LIST: /* right sides of a linear system */
        return marked_list(m, i);
    case NODE_SYSTEM:
        if (m->depends.items[n.a] || !m->g->systems.items[system_number(m->g, i)].linear)
            m->affine = false;
        return node_make(m->g, NODE_SYSTEM, n.a, n.b, n.c ? marked_list(m, n.c) : NO_NODE);
    case NODE_PART:
        return node_make(m->g, NODE_PART, m->marked.items[n.a], n.b, NO_NODE);
    default: /* functions, comparisons */
        m->affine = false;
        return i;
    }
}

/* an assignment of a linear block with its constant part marked; false: no memory */
static bool mark_assignment(Marker *m, BlockAssignment *a)
{
    NodeList order = {0};
    const LiederAllocator *alloc = m->c->alloc;
    bool ok = vec_resize(alloc, &m->depends, m->g->nodes.n) &&
              vec_resize(alloc, &m->marked, m->g->nodes.n) &&
              graph_reach(m->g, &a->node, 1, NULL, &order);
    for (size_t k = 0; k < order.n && ok && m->affine; k++) {
        Node i = order.items[k];
        const NodeData *n = node_data(m->g, i);
        bool depends =
            n->kind == NODE_SYMBOL ? symbol_depends(m, n->symbol)
            : n->kind != NODE_CONSTANT
                ? m->depends.items[n->a] | m->depends.items[n->b] | m->depends.items[n->c]
                : false;
        m->depends.items[i] = depends;
        if (depends)
            ok = (m->marked.items[i] = marked_node(m, i)) != NO_NODE;
    }
    if (ok && m->affine)
        a->node = marked_term(m, a->node);
    else
        m->c->trouble = a->place;
    vec_drop(alloc, &order);
    return ok && a->node;
}

/* how often a block reads each node below its assignments; false: no memory */
static bool count_reads(Marker *m, const BlockAssignments *block)
{
    NodeList roots = {0}, order = {0};
    const LiederAllocator *alloc = m->c->alloc;
    bool ok = vec_resize(alloc, &m->uses, m->g->nodes.n);
    for (size_t i = 0; i < block->n && ok; i++)
        ok = vec_push(alloc, &roots, block->items[i].node);
    ok = ok && graph_reach(m->g, roots.items, roots.n, NULL, &order);
    if (ok)
        memset(m->uses.items, 0, m->uses.n * sizeof *m->uses.items);
    for (size_t i = 0; i < roots.n && ok; i++)
        m->uses.items[roots.items[i]] += 2;
    for (size_t k = 0; k < order.n && ok; k++) {
        const NodeData *n = node_data(m->g, order.items[k]);
        if (n->kind <= NODE_SYMBOL)
            continue;
        m->uses.items[n->a]++;
        m->uses.items[n->b]++;
        m->uses.items[n->c]++;
    }
    vec_drop(alloc, &roots);
    vec_drop(alloc, &order);
    return ok;
}

TapeStatus mark_linear_blocks(BlockClass *c)
{
    Marker m = {.c = c, .g = c->info.graph, .affine = true};
    static const BlockKind kinds[] = {BLOCK_OUTWARD, BLOCK_INWARD};
    m.bias_scale = node_symbol(m.g, tape_symbol(TAPE_CALL, TAPE_BIAS_SCALE));
    bool ok = m.bias_scale && vec_resize(c->alloc, &m.linear, (size_t)c->info.nreal);
    for (int i = 0; i < c->nunknown && ok; i++)
        m.linear.items[c->unknown.items[i]] = 1;
    for (int k = 0; k < 4 && ok; k++) {
        const BlockAssignments *block = &c->blocks[kinds[k / 2]][k % 2];
        for (size_t i = 0; i < block->n; i++)
            if (block->items[i].place.kind == PLACE_MEMBER)
                m.linear.items[block->items[i].place.index] = 1;
    }
    for (int k = 0; k < 4 && ok; k++) {
        BlockAssignments *block = &c->blocks[kinds[k / 2]][k % 2];
        ok = count_reads(&m, block);
        for (size_t i = 0; i < block->n && ok && m.affine; i++)
            ok = mark_assignment(&m, &block->items[i]);
    }
    vec_drop(c->alloc, &m.linear);
    vec_drop(c->alloc, &m.depends);
    vec_drop(c->alloc, &m.marked);
    vec_drop(c->alloc, &m.uses);
    return !m.affine ? TAPE_NOT_AFFINE : ok ? TAPE_DONE : TAPE_NO_MEMORY;
}
