/* class_guess.c - where the iterations of a class begin: beside the start value of an unknown a
 * member of kind LIEDER_GUESS, the distance from there at which the last accepted point had its
 * solution. Every nonlinear system that an explicit block solves has them, in all blocks that solve
 * it. Classes with connectors have none: there are many of them in nets, which hold nothing. */
#include "equation/class/class_maker.h"

#include <stdio.h>

typedef struct Guesses {
    ClassMaker *m;
    NodeList nodes;      /* systems below the assignments, operands first */
    VEC(int) first;      /* by number of a system: 1 + the real of its first guess, or 0 */
    VEC(uint64_t) names; /* symbols of the system at hand */
    GraphPass pass;
} Guesses;

static bool is_explicit(const Assignment *a)
{
    return a->kind == BLOCK_EXPLICIT || a->kind == BLOCK_EXPLICIT_SECOND;
}

/* the nonlinear system of a node, or NULL; a projection begins at zero, so that it depends on the
 * states alone */
static const GraphSystem *nonlinear_of(const Cell *cell, Node node)
{
    const Graph *g = &cell->graph;
    if (node_data(g, node)->kind != NODE_SYSTEM)
        return NULL;
    const GraphSystem *s = &g->systems.items[system_number(g, node)];
    return s->linear || s->call || cell->systems.items[s->source].is_projection ? NULL : s;
}

/* the reals of a system's guesses, the values found behind them */
static void add_guesses(Guesses *u, uint32_t number)
{
    ClassMaker *m = u->m;
    uint32_t n = m->cell->graph.systems.items[number].n;
    int at = maker_new_real(m, (int)n), found = maker_new_real(m, (int)n);
    u->first.items[number] = 1 + at;
    for (uint32_t k = 0; k < n && !m->failed; k++) {
        char name[80];
        snprintf(name, sizeof name, "guess %u of system %u", k + 1, number + 1);
        maker_add_symbol(m, GUESS_SYMBOL + (uint64_t)at + k, PLACE_MEMBER, 0, at + (int)k);
        maker_add_member(m, (LiederMember){.kind = LIEDER_GUESS,
                                           .name = maker_keep_name(m, name, 0),
                                           .unit = "",
                                           .index = at + (int)k,
                                           .other = found + (int)k,
                                           .other_name = maker_keep_name(m, name, 0),
                                           .text = ""});
    }
}

/* what the iteration of a system has found, where the explicit block solves it first */
static void assign_found(Guesses *u, const Assignment *from, Node node)
{
    ClassMaker *m = u->m;
    Graph *g = &m->cell->graph;
    uint32_t number = system_number(g, node), n = g->systems.items[number].n;
    int found = u->first.items[number] - 1 + (int)n;
    Node list = node_data(g, node)->a;
    for (uint32_t k = 0; k < n && !m->failed; k++, list = node_data(g, list)->b) {
        Node away = node_subtract(g, node_part(g, node, k), node_data(g, list)->a);
        Assignment a = {from->kind, from->direction, {PLACE_MEMBER, 0, found + (int)k}, away};
        TRY(m, vec_push(m->cell->alloc, &m->assignments, a));
    }
}

/* a system with its guesses, the systems below it having theirs */
static void replace_system(Guesses *u, Node node)
{
    ClassMaker *m = u->m;
    Graph *g = &m->cell->graph;
    uint32_t number = system_number(g, node), n = g->systems.items[number].n;
    if (!TRY(m, vec_resize(g->alloc, &u->names, n)))
        return;
    for (uint32_t k = 0; k < n; k++)
        u->names.items[k] = GUESS_SYMBOL + (uint64_t)(u->first.items[number] - 1) + k;
    Node list = replace_symbols(&u->pass, node_data(g, node)->a);
    Node with = list ? node_guess_system(g, node, list, u->names.items) : NO_NODE;
    if (TRY(m, with && vec_resize(g->alloc, &u->pass.done, g->nodes.n)))
        u->pass.done.items[node] = with;
}

static Node same_symbol(void *user, uint64_t symbol, Node node)
{
    (void)user;
    (void)symbol;
    return node;
}

/* systems below all assignments, and which of them explicit blocks solve */
static void list_systems(Guesses *u)
{
    ClassMaker *m = u->m;
    Graph *g = &m->cell->graph;
    NodeList roots = {0}, order = {0};
    for (int pass = 0; pass < 2; pass++) {
        roots.n = order.n = 0;
        for (size_t i = 0; i < m->assignments.n; i++)
            if (pass || is_explicit(&m->assignments.items[i]))
                TRY(m, vec_push(g->alloc, &roots, m->assignments.items[i].node));
        TRY(m, graph_reach(g, roots.items, roots.n, NULL, &order));
        for (size_t i = 0; i < order.n && !m->failed; i++) {
            Node node = order.items[i];
            if (!nonlinear_of(m->cell, node))
                continue;
            uint32_t number = system_number(g, node);
            if (!pass && !u->first.items[number])
                add_guesses(u, number);
            if (pass && u->first.items[number])
                TRY(m, vec_push(g->alloc, &u->nodes, node));
        }
    }
    vec_drop(g->alloc, &roots);
    vec_drop(g->alloc, &order);
}

/* the first explicit assignment that needs a system, once for each number */
static void assign_all_found(Guesses *u)
{
    ClassMaker *m = u->m;
    Graph *g = &m->cell->graph;
    NodeList order = {0}, seen = {0};
    VEC(uint8_t) has = {0};
    TRY(m, vec_resize(g->alloc, &has, g->systems.n + 1));
    for (size_t i = 0, n = m->assignments.n; i < n && !m->failed; i++) {
        Assignment from = m->assignments.items[i];
        if (!is_explicit(&from))
            continue;
        order.n = 0;
        TRY(m, vec_resize(g->alloc, &seen, g->nodes.n) &&
                   graph_reach(g, &from.node, 1, seen.items, &order));
        for (size_t k = 0; k < order.n && !m->failed; k++) {
            Node node = order.items[k];
            seen.items[node] = node;
            uint32_t number = nonlinear_of(m->cell, node) ? system_number(g, node) : 0;
            if (!nonlinear_of(m->cell, node) || has.items[number])
                continue;
            has.items[number] = 1;
            assign_found(u, &from, node);
        }
    }
    vec_drop(g->alloc, &has);
    vec_drop(g->alloc, &seen);
    vec_drop(g->alloc, &order);
}

void maker_add_guesses(ClassMaker *m)
{
    Graph *g = &m->cell->graph;
    Guesses u = {.m = m, .pass = {.graph = g, .of_symbol = same_symbol}};
    if (m->cell->nport || m->info->is_library || g->systems.n == 0)
        return;
    TRY(m, vec_resize(g->alloc, &u.first, g->systems.n + 1));
    if (!m->failed)
        list_systems(&u);
    for (size_t i = 0; i < u.nodes.n && !m->failed; i++)
        replace_system(&u, u.nodes.items[i]);
    for (size_t i = 0; u.nodes.n && i < m->assignments.n && !m->failed; i++) {
        Node *node = &m->assignments.items[i].node;
        if (*node)
            TRY(m, *node = replace_symbols(&u.pass, *node));
    }
    if (u.nodes.n && !m->failed)
        assign_all_found(&u);
    pass_drop(&u.pass);
    vec_drop(g->alloc, &u.first);
    vec_drop(g->alloc, &u.names);
    vec_drop(g->alloc, &u.nodes);
}
