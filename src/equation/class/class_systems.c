/* class_systems.c - what a class reports about the systems of equations that its blocks solve: a
 * real for how it went, a few for what was found last, names and places for the message. */
#include "equation/class/class_maker.h"

#include <stdio.h>
#include <string.h>

enum { MAX_VALUES = 6 }; /* as many as a person reads */

static const char *const *keep_names(ClassMaker *m, const CellSystem *about)
{
    const char **names = arena_zeroed(&m->c->arena, (about->symbols.n + 1) * sizeof *names);
    if (!TRY(m, names))
        return NULL;
    for (size_t k = 0; k < about->symbols.n; k++) {
        char text[300];
        cell_symbol_text(m->cell, about->symbols.items[k], text, sizeof text);
        names[k] = maker_keep_name(m, text, 0);
    }
    return names;
}

const char *const *maker_keep_places(ClassMaker *m, const CellEquation *sources, size_t n)
{
    const char **places = arena_zeroed(&m->c->arena, (n + 1) * sizeof *places);
    if (!TRY(m, places))
        return NULL;
    for (size_t k = 0; k < n; k++) {
        const CellEquation *e = &sources[k];
        char text[290] = "";
        if (e->place.file)
            snprintf(text, sizeof text, "%.160s:%d:%d%s%.80s", e->place.file, e->place.line,
                     e->place.column, e->path ? " in " : "", e->path ? e->path : "");
        places[k] = maker_keep_name(m, text, 0);
    }
    return places;
}

static void add_assignment(ClassMaker *m, const Assignment *like, int at, Node node)
{
    Assignment a = {like->kind, like->direction, {PLACE_MEMBER, 0, at}, node};
    TRY(m, node && vec_push(m->cell->alloc, &m->assignments, a));
}

/* one system of a block: its outcome is stored as well */
static void add_system(ClassMaker *m, const Assignment *from, Node node)
{
    Graph *g = &m->cell->graph;
    const GraphSystem *s = &g->systems.items[system_number(g, node)];
    const CellSystem *about = &m->cell->systems.items[s->source];
    uint32_t n = s->n;
    int nvalue = n < MAX_VALUES ? (int)n : MAX_VALUES;
    LiederSystemDef def = {.status = maker_new_real(m, 1),
                           .values = maker_new_real(m, nvalue),
                           .nvalue = nvalue,
                           .nequation = (int)about->nequation,
                           .kind = s->linear ? LIEDER_SYSTEM_LINEAR : LIEDER_SYSTEM_NONLINEAR,
                           .at_start = from->kind == BLOCK_START,
                           .names = keep_names(m, about),
                           .places = maker_keep_places(m, about->sources.items, about->sources.n)};
    add_assignment(m, from, def.status, node_part(g, node, 2 * n));
    for (int k = 0; k < nvalue; k++)
        add_assignment(m, from, def.values + k, node_part(g, node, n + (uint32_t)k));
    TRY(m, vec_push(m->cell->alloc, &m->systems, def));
}

/* |left - right| within rounding and what iterations leave */
static Node is_violated(Graph *g, const CellCheck *c)
{
    Node far = node_call(g, FUNCTION_ABS, node_subtract(g, c->left, c->right), NO_NODE);
    Node left = node_call(g, FUNCTION_ABS, c->left, NO_NODE);
    Node right = node_call(g, FUNCTION_ABS, c->right, NO_NODE);
    Node larger = node_select(g, node_make(g, NODE_LESS, left, right, NO_NODE), right, left);
    Node allowed =
        node_add(g, node_multiply(g, node_constant(g, 1e-6), larger), node_constant(g, 1e-8));
    /* a side that is no number agrees with nothing */
    return node_make(g, NODE_NOT, node_make(g, NODE_LESS_EQUAL, far, allowed, NO_NODE), NO_NODE,
                     NO_NODE);
}

/* conditions on the start values, which the start block reads */
static void add_checks(ClassMaker *m)
{
    static const char *const sides[] = {"left", "right"};
    const CellPlan *plan = maker_plan(m);
    const Assignment start = {.kind = BLOCK_START, .direction = BLOCK_FORWARD};
    for (size_t k = 0; k < plan->checks.n && !m->failed; k++) {
        const CellCheck *c = &plan->checks.items[k];
        LiederSystemDef def = {.kind = LIEDER_SYSTEM_CONDITION,
                               .at_start = true,
                               .status = maker_new_real(m, 1),
                               .values = maker_new_real(m, 2),
                               .nvalue = 2,
                               .nequation = 1,
                               .names = sides,
                               .places = maker_keep_places(m, &c->source, 1)};
        add_assignment(m, &start, def.status, is_violated(&m->cell->graph, c));
        add_assignment(m, &start, def.values, c->left);
        add_assignment(m, &start, def.values + 1, c->right);
        TRY(m, vec_push(m->cell->alloc, &m->systems, def));
    }
}

void maker_add_systems(ClassMaker *m)
{
    Graph *g = &m->cell->graph;
    const LiederAllocator *alloc = g->alloc;
    NodeList order = {0};
    NodeList seen = {0}; /* by node: what an earlier assignment has reached is not read again */
    for (size_t i = 0, n = m->assignments.n; i < n && !m->failed; i++) {
        Assignment from = m->assignments.items[i];
        if (from.kind == BLOCK_OUTWARD || from.kind == BLOCK_INWARD)
            continue;
        order.n = 0;
        TRY(m, vec_resize(alloc, &seen, g->nodes.n) &&
                   graph_reach(g, &from.node, 1, seen.items, &order));
        for (size_t k = 0; k < order.n && !m->failed; k++) {
            Node node = order.items[k];
            seen.items[node] = node;
            if (node_data(g, node)->kind == NODE_SYSTEM && !node_called(g, node) &&
                g->systems.items[system_number(g, node)].step != SYSTEM_FACTORS)
                add_system(m, &from, node);
        }
    }
    vec_drop(alloc, &seen);
    vec_drop(alloc, &order);
    add_checks(m); /* last: a system that failed says more than a condition on what it gave */
}
