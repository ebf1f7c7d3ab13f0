/* several.c - systems of equations that may have several solutions.
 *
 * A limited amplifier that feeds its output back to its input in the same sense has two stable
 * solutions, and stays at one until it vanishes: hysteresis. Iterations begin at start values in
 * every evaluation, so that results depend on time and states alone; they do not follow that, and a
 * warning says so.
 *
 * By degree theory the solution of a system is unique where the determinant of its Jacobian has
 * one sign. Whether it has is tried with all sides of relations among the unknowns, as chance has
 * it, and numbers for the unknowns of all sizes; all others have the numbers of the probe. This is
 * asked only of systems that have corners (if, min, max, abs of an unknown): most smooth ones have
 * further solutions that are of no interest, far away from their start values. Of systems with many
 * corners (properties of media are functions with hundreds) it is not asked either: sides by chance
 * are then pieces that never hold together, and say nothing.
 */
#include "equation/system/eliminate.h"

#include <math.h>
#include <stdio.h>

enum { TRIES = 256, MOST = 6, MAX_CORNERS = 24 };

/* relations of the unknowns are symbols of their own while sides are tried */
#define SIDE_SYMBOL ((uint64_t)1 << 60)

typedef struct SidesTrial {
    const System *system;
    double z[MOST];
    uint32_t sides; /* decides them */
} SidesTrial;

static double trial_number(void *user, uint64_t symbol)
{
    const SidesTrial *t = user;
    if (symbol != CELL_TIME && symbol >= SIDE_SYMBOL)
        return ((uint32_t)symbol * 2654435761u ^ t->sides) * 2246822519u >> 31;
    for (size_t k = 0; k < t->system->symbols.n; k++)
        if (t->system->symbols.items[k] == symbol)
            return t->z[k];
    double x = symbol == CELL_TIME ? 0 : probe_number_of(t->system->cell, symbol);
    return isnan(x) ? 0.1 : x;
}

/* does a node below some residual bend or jump where an unknown passes a number, and not too many?
 */
static int has_corner(const System *s)
{
    Graph *g = &s->cell->graph;
    NodeList order = {0};
    bool good = graph_reach(g, s->residuals.items, s->residuals.n, NULL, &order);
    size_t found = 0;
    for (size_t i = 0; good && found <= MAX_CORNERS && i < order.n; i++) {
        const NodeData *n = node_data(g, order.items[i]);
        found +=
            n->kind == NODE_SELECT ||
            (n->kind == NODE_CALL && (n->function == FUNCTION_MIN || n->function == FUNCTION_MAX ||
                                      n->function == FUNCTION_ABS || n->function == FUNCTION_SIGN));
    }
    vec_drop(g->alloc, &order);
    return !good ? -1 : found > 0 && found <= MAX_CORNERS;
}

/* by elimination with pivots, in place */
static double determinant(double *a, size_t n)
{
    double d = 1;
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k]))
                best = i;
        for (size_t j = 0; j < n && best != k; j++) {
            double x = a[k * n + j];
            a[k * n + j] = a[best * n + j];
            a[best * n + j] = x;
        }
        d *= best != k ? -a[k * n + k] : a[k * n + k];
        if (d == 0)
            return 0;
        for (size_t i = k + 1; i < n; i++) {
            double f = a[i * n + k] / a[k * n + k];
            for (size_t j = k; j < n; j++)
                a[i * n + j] -= f * a[k * n + j];
        }
    }
    return d;
}

static bool is_no_unknown(void *user, uint64_t symbol, Node node)
{
    const System *s = user;
    (void)node;
    for (size_t k = 0; k < s->symbols.n; k++)
        if (s->symbols.items[k] == symbol)
            return false;
    return true;
}

/* the node with its operands replaced; relations that depend on unknowns become symbols */
static Node free_sides(GraphPass *pass, Node node, const Node *done)
{
    Graph *g = pass->graph;
    NodeData d = *node_data(g, node);
    if (d.kind == NODE_CONSTANT || d.kind == NODE_SYMBOL || d.kind >= NODE_LIST)
        return node;
    if ((d.kind == NODE_LESS || d.kind == NODE_LESS_EQUAL) &&
        !graph_symbols(g, &node, 1, is_no_unknown, pass->user))
        return node_symbol(g, SIDE_SYMBOL + node);
    Node a = done[d.a], b = d.b ? done[d.b] : NO_NODE, c = d.c ? done[d.c] : NO_NODE;
    return d.kind == NODE_CALL ? node_call(g, d.function, a, b) : node_make(g, d.kind, a, b, c);
}

/* all partial derivatives, row by row; false: memory ran out */
static bool list_partials(System *s, NodeList *to)
{
    Graph *g = &s->cell->graph;
    size_t n = s->symbols.n;
    if (!vec_resize(g->alloc, to, n * n))
        return false;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            to->items[i * n + j] =
                pass_once(g, NULL, s, node_partial(g, s->residuals.items[i], s->symbols.items[j]),
                          free_sides);
    return !g->failed;
}

/* numbers between 1e-8 and 1e4 of both signs, the same in every run */
static double next_number(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    double x = (double)(*seed >> 8) / (1 << 24);
    return (*seed & 128 ? -1 : 1) * pow(10, -8 + 12 * x);
}

int system_has_several(System *s)
{
    Graph *g = &s->cell->graph;
    size_t n = s->symbols.n;
    if (s->cell->nport || n > MOST)
        return 0;
    int corner = has_corner(s);
    if (corner != 1)
        return corner;
    NodeList partial = {0};
    GraphNumbers numbers = {0};
    bool good = list_partials(s, &partial), sign[2] = {false, false};
    uint32_t seed = 1;
    for (int k = 0; good && k < TRIES && !(sign[0] && sign[1]); k++) {
        SidesTrial t = {.system = s};
        double a[MOST * MOST];
        for (size_t j = 0; j < n; j++)
            t.z[j] = next_number(&seed);
        t.sides = seed;
        for (size_t e = 0; e < n * n; e++)
            a[e] = node_evaluate_again(g, partial.items[e], trial_number, &t, &numbers);
        double d = determinant(a, n);
        if (d != 0 && isfinite(d))
            sign[d > 0] = true;
    }
    graph_numbers_drop(g, &numbers);
    vec_drop(g->alloc, &partial);
    return !good || g->failed ? -1 : sign[0] && sign[1];
}

/* what a user has to know about such a system */
void report_several(const System *s)
{
    char names[300];
    size_t at = 0;
    const CellEquation *e = &s->source[s->equations.items[0]];
    if (s->cell->several_reported)
        return;
    s->cell->several_reported = true;
    names[0] = '\0';
    for (size_t k = 0; k < s->symbols.n && at < sizeof names; k++) {
        char name[100];
        cell_symbol_text(s->cell, s->symbols.items[k], name, sizeof name);
        at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", k ? ", " : "", name);
    }
    diag_warning(
        s->cell->diag, e->place.line > 0 ? &e->place : NULL, e->path,
        "the equations for %s may have several solutions, as a limited amplifier with "
        "positive feedback has: a run begins with the one that iterations from the start values "
        "find and stays on it up to its end\nsay which one is meant by start values, or write what "
        "is remembered as a Boolean: high = v > upper or pre(high) and v > lower",
        names);
}
