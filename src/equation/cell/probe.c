/* probe.c - numbers at which factors are judged.
 *
 * Which variable an equation is solved for is decided by structure: by what the factor of the
 * variable is made of. A factor may be zero all the same for the numbers of the model: the
 * component of a direction that is a parameter, the sine of an angle that begins at zero. So a cell
 * has a probe: a number for as many variables as it takes no effort to find one for. Parameters
 * have the numbers of the instance at hand; from these, and from start values where nothing else
 * leads on, numbers spread along equations in which all variables but one have one and this one is
 * linear. A factor that is zero at the probe, and is not where all numbers are a little different,
 * is taken as the last choice only.
 *
 * Nothing but these choices, and where iterations begin, depends on the probe. A cell with ports
 * has none: what it is solved for follows from its ports, and is shared by all instances.
 */
#include "equation/system/eliminate.h"

#include <math.h>

typedef struct CellProber {
    Cell *cell;
    VEC(uint32_t) first, rows; /* rows of each variable, from first[v] on */
    VEC(uint32_t) open;        /* by row: variables in it without a number */
    NodeList residual;         /* by row; NO_NODE: has derivatives */
    VEC(uint32_t) ready;       /* rows with one open variable */
    VEC(uint64_t) found;       /* symbols of a row */
} CellProber;

/* ------------------------------------------------------------------ evaluation */

typedef struct At {
    const Cell *cell;
    uint32_t variable; /* that has the number z, or UINT32_MAX */
    double z;
    bool unknown, nearby;
} At;

/* a random number for each symbol, the same each time */
static double number_at(void *user, uint64_t symbol)
{
    At *at = user;
    if (symbol == CELL_TIME)
        return 0;
    uint32_t v = symbol_variable(symbol);
    if (v == at->variable)
        return at->z;
    bool known = symbol_order(symbol) == 0 && v < at->cell->probe.value.n;
    double x = known ? at->cell->probe.value.items[v] : NAN;
    at->unknown |= isnan(x);
    /* each number by another small amount, so that zeros by accident are none */
    double apart = 1e-3 * (0.5 + (double)((v + 1) * 2654435761u % 1024) / 1024);
    return at->nearby ? x * (1 + apart) + apart : x;
}

static double probe_number(Cell *cell, Node node, At *at)
{
    return node_evaluate_again(&cell->graph, node, number_at, at, &cell->probe.numbers);
}

double probe_number_of(const Cell *cell, uint64_t symbol)
{
    uint32_t v = symbol_variable(symbol);
    return symbol_order(symbol) == 0 && v < cell->probe.value.n ? cell->probe.value.items[v] : NAN;
}

/* nodes that have just got a number: does it depend on symbols that have none? */
static void note_unknown(Cell *cell, const NodeList *nodes)
{
    uint8_t *unknown = cell->probe.unknown.items;
    for (size_t i = 0; i < nodes->n; i++) {
        Node k = nodes->items[i];
        const NodeData *d = node_data(&cell->graph, k);
        At at = {.cell = cell, .variable = UINT32_MAX};
        if (d->kind == NODE_SYMBOL)
            number_at(&at, d->symbol);
        unknown[k] = at.unknown || (d->a && unknown[d->a]) || (d->b && unknown[d->b]) ||
                     (d->c && unknown[d->c]);
    }
}

/* zero at the probe, and another number beside it */
static bool is_zero_here(Cell *cell, Node node)
{
    CellProbe *probe = &cell->probe;
    At at = {.cell = cell, .variable = UINT32_MAX}, near = at;
    near.nearby = true;
    if (!vec_resize(cell->alloc, &probe->unknown, cell->graph.nodes.n)) {
        cell->graph.failed = true;
        return false;
    }
    double here = node_evaluate_more(&cell->graph, node, number_at, &at, &probe->here);
    note_unknown(cell, &probe->here.order);
    double there = node_evaluate_more(&cell->graph, node, number_at, &near, &probe->nearby);
    return !probe->unknown.items[node] && fabs(here) <= 1e-12 * fabs(there);
}

bool probe_vanishes(Cell *cell, Node node)
{
    CellProbe *probe = &cell->probe;
    if (!probe->value.n || !node)
        return false;
    if (node >= probe->verdict.n &&
        !vec_resize(cell->alloc, &probe->verdict, cell->graph.nodes.n)) {
        cell->graph.failed = true;
        return false;
    }
    uint8_t *verdict = &probe->verdict.items[node];
    if (!*verdict)
        *verdict = is_zero_here(cell, node) ? 1 : 2;
    return *verdict == 1;
}

/* ------------------------------------------------------------------ spreading */

static bool note_variable(void *user, uint64_t symbol, Node node)
{
    CellProber *p = user;
    (void)node;
    return symbol == CELL_TIME || vec_push(p->cell->alloc, &p->found, symbol);
}

static bool has_number(const CellProber *p, uint32_t v)
{
    return !isnan(p->cell->probe.value.items[v]);
}

/* the variables of each row, as a list of rows for each variable */
static bool probe_rows(CellProber *p)
{
    Cell *cell = p->cell;
    Graph *g = &cell->graph;
    const LiederAllocator *alloc = cell->alloc;
    VEC(uint64_t) pairs = {0}; /* variable and row */
    bool good = vec_resize(alloc, &p->open, cell->equations.n + 1);
    for (uint32_t i = 0; good && i < cell->equations.n; i++) {
        Node r = node_subtract(g, cell->equations.items[i].left, cell->equations.items[i].right);
        bool derived = false;
        p->found.n = 0;
        good = r && graph_symbols(g, &r, 1, note_variable, p);
        for (size_t k = 0; good && k < p->found.n; k++) {
            uint32_t v = symbol_variable(p->found.items[k]);
            derived |= symbol_order(p->found.items[k]) > 0;
            if (!has_number(p, v)) {
                p->open.items[i]++;
                good = vec_push(alloc, &pairs, (uint64_t)v << 32 | i);
            }
        }
        good = good && vec_push(alloc, &p->residual, derived ? NO_NODE : r);
    }
    good = good && vec_resize(alloc, &p->first, cell->variables.n + 2) &&
           vec_resize(alloc, &p->rows, pairs.n + 1);
    for (size_t k = 0; good && k < pairs.n; k++)
        p->first.items[(pairs.items[k] >> 32) + 2]++;
    for (size_t v = 2; good && v < p->first.n; v++)
        p->first.items[v] += p->first.items[v - 1];
    for (size_t k = 0; good && k < pairs.n; k++)
        p->rows.items[p->first.items[(pairs.items[k] >> 32) + 1]++] = (uint32_t)pairs.items[k];
    vec_drop(alloc, &pairs);
    return good;
}

/* a variable has a number now: rows in which one other is left are ready */
static bool probe_set(CellProber *p, uint32_t v, double x)
{
    bool good = true;
    p->cell->probe.value.items[v] = x;
    for (uint32_t k = p->first.items[v]; good && k < p->first.items[v + 1]; k++)
        if (--p->open.items[p->rows.items[k]] == 1)
            good = vec_push(p->cell->alloc, &p->ready, p->rows.items[k]);
    return good;
}

/* the variable of a row that has no number; UINT32_MAX: none, or memory ran out */
static uint32_t open_variable(CellProber *p, Node residual)
{
    p->found.n = 0;
    if (!graph_symbols(&p->cell->graph, &residual, 1, note_variable, p))
        return UINT32_MAX;
    for (size_t k = 0; k < p->found.n; k++)
        if (!has_number(p, symbol_variable(p->found.items[k])))
            return symbol_variable(p->found.items[k]);
    return UINT32_MAX;
}

/* the row solved for its variable, if it is linear in it */
static bool probe_row(CellProber *p, uint32_t row)
{
    Node residual = p->residual.items[row];
    uint32_t v = residual ? open_variable(p, residual) : UINT32_MAX;
    CellRole role = v == UINT32_MAX ? CELL_INPUT : p->cell->variables.items[v].role;
    if (role != CELL_UNKNOWN && role != CELL_OUTWARD)
        return true;
    double r[3];
    At at = {.cell = p->cell, .variable = v};
    for (int k = 0; k < 3; k++) {
        at.z = k;
        r[k] = probe_number(p->cell, residual, &at);
    }
    double slope = r[1] - r[0], bend = r[2] - 2 * r[1] + r[0];
    double x = -r[0] / slope;
    if (!(fabs(bend) <= 1e-12 * (fabs(r[0]) + fabs(r[1]) + fabs(slope))) || !isfinite(x))
        return true;
    return probe_set(p, v, x);
}

static bool probe_spread(CellProber *p)
{
    bool good = true;
    while (good && p->ready.n)
        good = probe_row(p, p->ready.items[--p->ready.n]);
    return good;
}

/* start values that hold first, then the others, where nothing is known yet */
static bool probe_starts(CellProber *p, bool fixed)
{
    Cell *cell = p->cell;
    bool good = true;
    for (uint32_t v = 0; good && v < cell->variables.n; v++) {
        const CellVariable *x = &cell->variables.items[v];
        if (x->role != CELL_UNKNOWN || x->type == LIEDER_TYPE_BOOLEAN || !x->start ||
            x->start_fixed != fixed || has_number(p, v))
            continue;
        At at = {.cell = cell, .variable = UINT32_MAX};
        double start = probe_number(cell, x->start, &at);
        if (isfinite(start))
            good = probe_set(p, v, start) && probe_spread(p);
    }
    return good;
}

/* for the order of pivots of a sparse system */
static double sample_number(void *user, uint64_t symbol, bool *holds)
{
    const Cell *cell = user;
    if (symbol == CELL_TIME || symbol >> 60)
        return NAN;
    const CellVariable *v = &cell->variables.items[symbol_variable(symbol)];
    *holds = v->role == CELL_PARAMETER && !v->is_free;
    return probe_number_of(cell, symbol);
}

/* What comes in through ports is zero: rigid loops have the same shape wherever they hang. */
static bool probe_incoming(CellProber *p, uint64_t out)
{
    Cell *cell = p->cell;
    bool good = true;
    for (uint32_t v = 0; good && v < cell->variables.n; v++) {
        const CellVariable *x = &cell->variables.items[v];
        if (x->role == CELL_OUTWARD && !(out >> x->port & 1) && !has_number(p, v))
            good = probe_set(p, v, 0) && probe_spread(p);
    }
    return good;
}

bool probe_take(Cell *cell, uint64_t out)
{
    const LiederAllocator *alloc = cell->alloc;
    CellProber p = {.cell = cell};
    if (cell_is_shared(cell))
        return true;
    graph_numbers_drop(&cell->graph, &cell->probe.here);
    graph_numbers_drop(&cell->graph, &cell->probe.nearby);
    cell->probe.here = cell->probe.nearby = (GraphNumbers){0};
    cell->probe.verdict.n = cell->probe.unknown.n = 0;
    cell->graph.sample = sample_number;
    cell->graph.sample_user = cell;
    bool good = vec_resize(alloc, &cell->probe.value, cell->variables.n);
    for (uint32_t v = 0; good && v < cell->variables.n; v++) {
        const CellVariable *x = &cell->variables.items[v];
        cell->probe.value.items[v] = x->has_number ? x->number : NAN;
    }
    good = good && probe_rows(&p);
    for (uint32_t i = 0; good && i < cell->equations.n; i++)
        if (p.open.items[i] == 1)
            good = vec_push(alloc, &p.ready, i);
    good = good && probe_spread(&p) && probe_incoming(&p, out) && probe_starts(&p, true) &&
           probe_starts(&p, false);
    vec_drop(alloc, &p.first);
    vec_drop(alloc, &p.rows);
    vec_drop(alloc, &p.open);
    vec_drop(alloc, &p.residual);
    vec_drop(alloc, &p.ready);
    vec_drop(alloc, &p.found);
    return good;
}
