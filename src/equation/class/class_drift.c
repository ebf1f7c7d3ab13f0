/* class_drift.c - constraints that are kept (cell.h): how far they are off, and how near a change
 * point is. Numbers of the class that a run examines, see solve/judge/drift.c.
 *
 * Constraints g = 0 of one place in the text, such as x and y where a loop is closed, are one:
 *
 *   drift = sqrt(sum g^2 / (sum s^2 + s0^2))
 *
 * s is the size of a constraint: the terms of g as a mean square, in which sin and cos count as
 * 1/2 each, so that it does not vanish at dead points and a vector keeps its length when it is
 * turned. s0 keeps the quotient from rounding where all terms vanish: a length of 1e-3, or 1 where
 * velocities are tied, which may all rest.
 *
 * At a change point, a parallelogram that is flat, the gradients of constraints between positions
 * depend on each other: there the motion may go on in two ways. With J their matrix, its columns
 * divided by their sizes, and J J' = L D L',
 *
 *   regularity = min over i of sqrt(D_i / s_i^2),   s_i: the size of row i
 *
 * is the sine of the smallest angle between a gradient and those before it, less where it vanishes.
 */
#include "equation/class/class_maker.h"

#include "equation/system/eliminate.h"

#include <string.h>

/* ------------------------------------------------------------------ the size of a constraint */

static Node square(Graph *g, Node a)
{
    return node_multiply(g, a, a);
}

/* the mean square of a function's value, for the size of a residual */
static Node call_square(Graph *g, Node node, const NodeData *n, const Node *done)
{
    switch (n->function) {
    case FUNCTION_SIN:
    case FUNCTION_COS:
        return node_constant(g, 0.5);
    case FUNCTION_ABS:
        return done[n->a];
    case FUNCTION_SQRT:
        return node_call(g, FUNCTION_SQRT, done[n->a], NO_NODE);
    default:
        return square(g, node);
    }
}

static const Magnitude mean_square = {square, call_square};

/* ------------------------------------------------------------------ constraints of one place */

static bool same_place(const CellEquation *a, const CellEquation *b)
{
    bool path = a->path == b->path || (a->path && b->path && strcmp(a->path, b->path) == 0);
    return path && a->place.file == b->place.file && a->place.line == b->place.line &&
           a->place.column == b->place.column;
}

typedef struct EventUse {
    const Cell *cell;
    bool found;
} EventUse;

static bool note_discrete(void *user, uint64_t symbol, Node node)
{
    EventUse *use = user;
    (void)node;
    use->found |= symbol != CELL_TIME &&
                  use->cell->variables.items[symbol_variable(symbol)].role == CELL_DISCRETE;
    return true;
}

/* the drift of constraint k and of those that stand where it does; NO_NODE: there is nothing to
 * examine, since an earlier one has it, events change it, or memory ran out */
static Node drift_at(ClassMaker *m, size_t k)
{
    const CellPlan *plan = maker_plan(m);
    const CellEquation *equations = m->cell->equations.items;
    Graph *g = &m->cell->graph;
    EventUse use = {.cell = m->cell};
    uint32_t first = plan->kept.items[k];
    double least = plan->equations.items[first].n > 2 ? 1e-6 : 1;
    Node off = NO_NODE, size = node_constant(g, least);
    for (size_t j = 0; j < plan->kept.n; j++) {
        uint32_t i = plan->kept.items[j];
        if (!same_place(&equations[i], &equations[first]))
            continue;
        Node node = j < k ? NO_NODE : plan->kept_raw.items[j];
        if (!node || !TRY(m, graph_symbols(g, &node, 1, note_discrete, &use)) || use.found)
            return NO_NODE;
        off = off ? node_add(g, off, square(g, node)) : square(g, node);
        size = node_add(g, size, node_magnitude(g, node, &mean_square));
    }
    return node_call(g, FUNCTION_SQRT, node_divide(g, off, size), NO_NODE);
}

/* ------------------------------------------------------------------ change points */

/* two loops in the plane */
enum { MAX_ROWS = 4 };

typedef struct Gradients {
    size_t n;                          /* constraints */
    Node rows[MAX_ROWS];               /* what is zero */
    Node sizes[MAX_ROWS];              /* of the gradients, squares */
    Node products[MAX_ROWS][MAX_ROWS]; /* of two of them */
} Gradients;

/* the constraints between positions; false: there are none, or too many to examine */
static bool find_rows(ClassMaker *m, Gradients *a)
{
    const CellPlan *plan = maker_plan(m);
    EventUse use = {.cell = m->cell};
    for (size_t k = 0; k < plan->kept.n; k++) {
        const NodeList *equation = &plan->equations.items[plan->kept.items[k]];
        if (equation->n <= 2)
            continue;
        if (a->n == MAX_ROWS)
            return false;
        Node node = plan->kept_raw.items[k];
        if (!TRY(m, graph_symbols(&m->cell->graph, &node, 1, note_discrete, &use)))
            return false;
        a->rows[a->n++] = node;
    }
    return a->n > 0 && !use.found;
}

static void add_to(Graph *g, Node *sum, Node term)
{
    *sum = *sum ? node_add(g, *sum, term) : term;
}

/* one state: its column, divided by its size */
static void add_column(Graph *g, Gradients *a, uint64_t symbol)
{
    Node column[MAX_ROWS], sizes[MAX_ROWS], size = node_constant(g, 1e-30);
    for (size_t i = 0; i < a->n; i++) {
        column[i] = node_partial(g, a->rows[i], symbol);
        sizes[i] = node_magnitude(g, column[i], &mean_square);
        if (!g->failed && !node_is_constant(g, column[i], 0))
            size = node_add(g, size, sizes[i]);
    }
    for (size_t i = 0; i < a->n && !g->failed; i++) {
        if (node_is_constant(g, column[i], 0))
            continue;
        add_to(g, &a->sizes[i], node_divide(g, sizes[i], size));
        for (size_t k = 0; k <= i; k++)
            if (!node_is_constant(g, column[k], 0))
                add_to(g, &a->products[i][k],
                       node_divide(g, node_multiply(g, column[i], column[k]), size));
    }
}

/* elimination in place; the least of D_i / s_i^2 */
static Node least_pivot(Graph *g, Gradients *a)
{
    Node tiny = node_constant(g, 1e-30), least = node_constant(g, 1);
    for (size_t i = 0; i < a->n; i++) {
        for (size_t k = 0; k <= i; k++)
            for (size_t j = 0; j < k && a->products[i][k]; j++)
                if (a->products[i][j] && a->products[k][j])
                    a->products[i][k] = node_subtract(
                        g, a->products[i][k],
                        node_divide(g, node_multiply(g, a->products[i][j], a->products[k][j]),
                                    node_add(g, a->products[j][j], tiny)));
        least = node_call(g, FUNCTION_MIN, least,
                          node_divide(g, a->products[i][i], node_add(g, a->sizes[i], tiny)));
    }
    return least;
}

/* NO_NODE: nothing to examine, or memory ran out */
static Node regularity(ClassMaker *m)
{
    const CellPlan *plan = maker_plan(m);
    Graph *g = &m->cell->graph;
    Gradients a = {0};
    if (!find_rows(m, &a))
        return NO_NODE;
    for (size_t k = 0; k < plan->states.n && !g->failed; k++)
        if (plan->states.items[k].order == 0)
            add_column(g, &a,
                       cell_symbol(plan->states.items[k].variable,
                                   plan->states.items[k].is_projected ? CELL_RAW : 0));
    for (size_t i = 0; i < a.n; i++)
        for (size_t k = 0; k <= i; k++) {
            if (i == k && !a.products[i][i])
                return NO_NODE; /* no state decides it */
            if (!a.products[i][k])
                a.products[i][k] = node_constant(g, 0);
        }
    Node least = least_pivot(g, &a);
    return node_call(g, FUNCTION_SQRT, node_call(g, FUNCTION_MAX, least, node_constant(g, 0)),
                     NO_NODE);
}

/* ------------------------------------------------------------------ both */

/* a number that is examined, as a system of the class */
static void add_number(ClassMaker *m, Node node, const char *const *name, uint32_t equation)
{
    if (!TRY(m, !m->cell->graph.failed) || m->failed || !node)
        return;
    Level level = maker_level_for(m, node, LEVEL_SIGNAL);
    if (level > LEVEL_INPUT)
        return;
    LiederSystemDef def = {.kind = LIEDER_SYSTEM_CONDITION,
                           .status = maker_new_real(m, 1),
                           .values = maker_new_real(m, 1),
                           .nvalue = 1,
                           .nequation = 1,
                           .names = name,
                           .places = maker_keep_places(m, &m->cell->equations.items[equation], 1)};
    maker_assign_at(m, LEVEL_PARAMETER, (BlockPlace){PLACE_MEMBER, 0, def.status},
                    node_constant(&m->cell->graph, 0));
    maker_assign_at(m, level, (BlockPlace){PLACE_MEMBER, 0, def.values}, node);
    TRY(m, vec_push(m->cell->alloc, &m->systems, def));
}

void maker_assign_drift(ClassMaker *m)
{
    static const char *const drift[] = {"drift"}, *const point[] = {"regularity"};
    const CellPlan *plan = maker_plan(m);
    if (m->direction != 0 || !plan->kept.n)
        return;
    for (size_t k = 0; k < plan->kept.n && !m->failed; k++)
        add_number(m, drift_at(m, k), drift, plan->kept.items[k]);
    if (!m->failed)
        add_number(m, regularity(m), point, plan->kept.items[0]);
}
