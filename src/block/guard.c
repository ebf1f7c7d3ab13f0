/* guard.c - where a call is needed at all.
 *
 * A selection has both of its branches computed. That is cheap for a few operations, and a waste
 * for the call of a function in a branch that no lane takes: water has five regions, and a search
 * is written out with as many rounds as it may ever take. So a call is guarded by the conditions
 * under which its results are chosen, and is left out where these hold in no lane; its results are
 * then arbitrary numbers that no selection chooses.
 *
 *   needed(root) = always
 *   needed(n)    = what is common to needed(u) for all users u of n; in the branches of a selection
 *                  with its condition, or the opposite of it, in addition
 *
 * Conditions are a tree: each leaf is a branch inside of a branch, and what two have in common is
 * where their ways to the root meet. graph_reach lists a condition before the call that it guards,
 * because all ways to the call go through a selection whose condition is reached first.
 */
#include "block/expression.h"

enum { ALWAYS = 1, MAX_GUARDS = 6 };

/* a branch: one condition more than around it */
typedef struct NeedBranch {
    uint32_t around, depth;
    Node condition;
    bool wanted;
    uint32_t next; /* of the same place in the table */
} NeedBranch;

typedef struct NeedTree {
    Graph *g;
    VEC(NeedBranch) items; /* the first is not used, the second has no condition */
    VEC(uint32_t) table;   /* by hash: the last one */
    VEC(uint32_t) needed;  /* by node: a branch, 0: not known */
    VEC(uint8_t) passed;   /* by node: it stands before the call at hand */
    bool good;
} NeedTree;

/* the branch of a condition inside of another branch */
static uint32_t branch_inside(NeedTree *b, uint32_t around, Node condition, bool wanted)
{
    size_t at = ((uint64_t)around * 0x9e3779b97f4a7c15u + condition * 2u + wanted) % b->table.n;
    for (uint32_t k = b->table.items[at]; k; k = b->items.items[k].next) {
        const NeedBranch *old = &b->items.items[k];
        if (old->around == around && old->condition == condition && old->wanted == wanted)
            return k;
    }
    NeedBranch new = {around, b->items.items[around].depth + 1, condition, wanted,
                      b->table.items[at]};
    b->good = b->good && vec_push(b->g->alloc, &b->items, new);
    if (!b->good)
        return ALWAYS;
    return b->table.items[at] = (uint32_t)b->items.n - 1;
}

/* Notes that a node is needed in a branch: from now on in the innermost branch around this one and
 * the one where it was needed before. */
static void need(NeedTree *b, Node node, uint32_t branch)
{
    uint32_t *has = &b->needed.items[node];
    const NeedBranch *items = b->items.items;
    if (!node || !*has) {
        *has = branch;
        return;
    }
    while (*has != branch) /* where the ways meet */
        if (items[*has].depth >= items[branch].depth)
            *has = items[*has].around;
        else
            branch = items[branch].around;
}

/* the branch in which each node is needed, users before what they use */
static void find_needs(NeedTree *b, const NodeList *order, const Node *roots, size_t nroot)
{
    for (size_t i = 0; i < nroot; i++)
        need(b, roots[i], ALWAYS);
    for (size_t i = order->n; i-- > 0 && b->good;) {
        const NodeData *d = node_data(b->g, order->items[i]);
        uint32_t branch = b->needed.items[order->items[i]];
        bool is_choice = d->kind == NODE_SELECT;
        if (d->a)
            need(b, d->a, branch);
        if (d->b)
            need(b, d->b, is_choice ? branch_inside(b, branch, d->a, true) : branch);
        if (d->c)
            need(b, d->c, is_choice ? branch_inside(b, branch, d->a, false) : branch);
    }
}

bool graph_guards(Graph *g, const NodeList *order, const Node *roots, size_t nroot, CallGuards *to)
{
    NeedTree b = {.g = g, .good = true};
    bool any = false;
    for (size_t i = 0; i < order->n && !any; i++)
        any = node_data(g, order->items[i])->kind == NODE_SYSTEM && node_called(g, order->items[i]);
    if (!any)
        return true;
    b.good = vec_resize(g->alloc, &b.table, order->n + 1) &&
             vec_resize(g->alloc, &b.needed, g->nodes.n) &&
             vec_resize(g->alloc, &b.passed, g->nodes.n) &&
             vec_resize(g->alloc, &b.items, ALWAYS + 1);
    if (b.good)
        find_needs(&b, order, roots, nroot);
    for (size_t i = 0; i < order->n && b.good; i++) {
        Node node = order->items[i];
        b.passed.items[node] = 1;
        if (node_data(g, node)->kind != NODE_SYSTEM || !node_called(g, node))
            continue;
        int n = 0;
        for (uint32_t k = b.needed.items[node]; k > ALWAYS && n < MAX_GUARDS && b.good; n++) {
            const NeedBranch *branch = &b.items.items[k];
            b.good = !b.passed.items[branch->condition] ||
                     vec_push(g->alloc, to, (CallGuard){node, branch->condition, branch->wanted});
            k = branch->around;
        }
    }
    vec_drop(g->alloc, &b.items);
    vec_drop(g->alloc, &b.table);
    vec_drop(g->alloc, &b.needed);
    vec_drop(g->alloc, &b.passed);
    return b.good;
}
