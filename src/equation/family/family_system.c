/* family_system.c - systems of equations that each element of an array has for itself: a nonlinear
 * equation in each volume, a few linear ones. See family.h.
 *
 * A system is a template in symbols of its own, and a node whose operands are what differs from
 * element to element (block/system.c). Two templates are the same if one is the other with another
 * number. Numbers of the text stand in templates, so that equations with a number that depends on
 * the element are none of them. Systems that grow with the size are none either.
 */
#include "equation/family/family_work.h"

#include <string.h>

static bool system_no_room(Family *f)
{
    f->failed = true;
    return false;
}

/* all nodes of a template, operands first */
static bool template_nodes(const LiederAllocator *alloc, Graph *g, const GraphSystem *s,
                           NodeList *roots, NodeList *order)
{
    for (size_t k = 0; k < system_outputs(s); k++)
        if (!vec_push(alloc, roots, system_output(s, k)))
            return false;
    return graph_reach(g, roots->items, roots->n, NULL, order);
}

/* the same sizes, matrix and way to solve it */
static bool same_lists(const GraphSystem *a, const GraphSystem *b)
{
    if (a->row.n != b->row.n || a->nominal.n != b->nominal.n || a->residual.n != b->residual.n ||
        a->entry.n != b->entry.n || a->size.n != b->size.n)
        return false;
    for (size_t k = 0; k < a->row.n; k++)
        if (a->row.items[k] != b->row.items[k] || a->column.items[k] != b->column.items[k])
            return false;
    for (size_t k = 0; k < a->nominal.n; k++)
        if (a->nominal.items[k] != b->nominal.items[k])
            return false;
    return a->linear == b->linear && a->lenient == b->lenient && a->near == b->near &&
           a->step == b->step && a->n == b->n && a->ninput == b->ninput &&
           a->homotopy == b->homotopy && a->guess == b->guess;
}

/* a template that is compared with another one */
typedef struct ReadTemplate {
    Graph *g;
    uint32_t number;
    NodeList roots, order;
    NodeList at; /* by node: 1 + its place in the order */
} ReadTemplate;

static bool read_template(Family *f, ReadTemplate *t)
{
    bool good =
        template_nodes(f->alloc, t->g, &t->g->systems.items[t->number], &t->roots, &t->order) &&
        vec_resize(f->alloc, &t->at, t->g->nodes.n);
    for (size_t i = 0; good && i < t->order.n; i++)
        t->at.items[t->order.items[i]] = (Node)i + 1;
    return good || system_no_room(f);
}

static void drop_template(Family *f, ReadTemplate *t)
{
    vec_drop(f->alloc, &t->roots);
    vec_drop(f->alloc, &t->order);
    vec_drop(f->alloc, &t->at);
}

/* Is a node of a template what one of another template is, where operands are? */
static bool same_node(const ReadTemplate *t, Node a, const ReadTemplate *u, Node b)
{
    const NodeData *x = node_data(t->g, a), *y = node_data(u->g, b);
    if (x->kind != y->kind || (x->kind == NODE_CALL && x->function != y->function))
        return false;
    if (x->kind == NODE_CONSTANT)
        return memcmp(&x->value, &y->value, sizeof x->value) == 0;
    if (x->kind == NODE_SYMBOL)
        return x->symbol - bound_symbol(t->number, 0) == y->symbol - bound_symbol(u->number, 0);
    return t->at.items[x->a] == u->at.items[y->a] && t->at.items[x->b] == u->at.items[y->b] &&
           t->at.items[x->c] == u->at.items[y->c];
}

/* the equations of two templates */
static bool same_equations(Family *f, Graph *g, uint32_t x, Graph *h, uint32_t y)
{
    ReadTemplate t = {.g = g, .number = x}, u = {.g = h, .number = y};
    bool same = read_template(f, &t) && read_template(f, &u) && t.order.n == u.order.n;
    for (size_t i = 0; same && i < t.order.n; i++)
        same = same_node(&t, t.order.items[i], &u, u.order.items[i]);
    for (size_t i = 0; same && i < t.roots.n; i++)
        same = t.at.items[t.roots.items[i]] == u.at.items[u.roots.items[i]];
    drop_template(f, &t);
    drop_template(f, &u);
    return same;
}

uint32_t family_system(Family *f, int size, uint32_t number)
{
    enum { MAX_SYSTEMS = 200 };
    Graph *g = (Graph *)&f->sizes[size].cell->graph;
    const GraphSystem *s = &g->systems.items[number];
    if (s->call || s->step != SYSTEM_WHOLE || s->table.n) {
        family_refuse(f, "equations of several elements are solved together where it runs");
        return UINT32_MAX;
    }
    for (uint32_t i = 0; i < f->systems.n; i++) {
        const FamilySystem *known = &f->systems.items[i];
        Graph *h = (Graph *)&f->sizes[known->size].cell->graph;
        if (known->size == size && known->number == number)
            return i;
        if (same_lists(&h->systems.items[known->number], s) &&
            same_equations(f, h, known->number, g, number))
            return i;
    }
    if (f->systems.n >= MAX_SYSTEMS) {
        family_refuse(f, "each element has equations of another form that are solved together");
        return UINT32_MAX;
    }
    if (f->failed || !vec_push(f->alloc, &f->systems, (FamilySystem){size, number})) {
        system_no_room(f);
        return UINT32_MAX;
    }
    return (uint32_t)f->systems.n - 1;
}

/* a node of a template in the graph of a loop, where it has another number */
static Node written_node(const Graph *from, Node node, uint32_t number, Graph *to, uint32_t as,
                         const Node *image)
{
    const NodeData *d = node_data(from, node);
    switch (d->kind) {
    case NODE_CONSTANT:
        return node_constant(to, d->value);
    case NODE_SYMBOL:
        return node_symbol(to, bound_symbol(as, (uint32_t)(d->symbol - bound_symbol(number, 0))));
    case NODE_CALL:
        return node_call(to, d->function, image[d->a], image[d->b]);
    default:
        return node_make(to, (NodeKind)d->kind, image[d->a], image[d->b], image[d->c]);
    }
}

/* the lists of a system, without equations */
static bool copy_lists(const LiederAllocator *alloc, const GraphSystem *from, GraphSystem *to)
{
    *to = (GraphSystem){.linear = from->linear,
                        .lenient = from->lenient,
                        .near = from->near,
                        .step = from->step,
                        .n = from->n,
                        .ninput = from->ninput,
                        .homotopy = from->homotopy,
                        .guess = from->guess};
    bool good = true;
    for (size_t k = 0; k < from->row.n && good; k++)
        good = vec_push(alloc, &to->row, from->row.items[k]) &&
               vec_push(alloc, &to->column, from->column.items[k]);
    for (size_t k = 0; k < from->nominal.n && good; k++)
        good = vec_push(alloc, &to->nominal, from->nominal.items[k]);
    return good;
}

uint32_t family_write_system(const Family *f, uint32_t system, Graph *to)
{
    const FamilySystem *known = &f->systems.items[system];
    Graph *g = (Graph *)&f->sizes[known->size].cell->graph;
    const GraphSystem *s = &g->systems.items[known->number];
    const uint32_t as = (uint32_t)to->systems.n;
    NodeList roots = {0}, order = {0}, image = {0};
    GraphSystem copy;
    bool good = copy_lists(to->alloc, s, &copy) && template_nodes(f->alloc, g, s, &roots, &order) &&
                vec_resize(f->alloc, &image, g->nodes.n);
    for (size_t i = 0; good && i < order.n; i++)
        image.items[order.items[i]] =
            written_node(g, order.items[i], known->number, to, as, image.items);
    for (size_t k = 0; good && k < roots.n; k++) {
        NodeList *list = k < s->residual.n                ? &copy.residual
                         : k < s->residual.n + s->entry.n ? &copy.entry
                                                          : &copy.size;
        good = vec_push(to->alloc, list, image.items[roots.items[k]]);
    }
    good = good && !to->failed && vec_push(to->alloc, &to->systems, copy);
    if (!good)
        graph_system_drop(to, &copy);
    vec_drop(f->alloc, &roots);
    vec_drop(f->alloc, &order);
    vec_drop(f->alloc, &image);
    return good ? as : UINT32_MAX;
}

bool family_solves(const Body *b)
{
    for (size_t i = 0; i < b->nstep; i++)
        if (b->steps[i].kind == NODE_SYSTEM)
            return true;
    return false;
}
