/* iterate.c - components of equations that are not linear.
 *
 * The component is torn (tear.c): equations with one unknown whose factor is a number become
 * assignments, one after the other, and the unknowns that are left over are solved for by iteration
 * where the class runs (NODE_SYSTEM). If the equations that are left are linear in these after all,
 * they are eliminated instead. A function whose author gives its inverse is solved by that
 * (annotated.c). Factors of parameters and of variables are not divided by: they may
 * be zero. In a large component factors that are small beside others are not divided by either, for
 * the reason that eliminate.c has. What homotopy() adds stands in homotopy.c.
 */
#include "equation/system/eliminate.h"

#include <math.h>
#include <stdlib.h>

typedef struct Iterate {
    System *system;
    Cell *cell;
    Incidence table;
    SymbolColumns columns;
    Torn torn;
    NodeList value;   /* by column: in torn symbols; NO_NODE: not known yet */
    GraphPass put_in; /* of values known so far */
} Iterate;

/* ------------------------------------------------------------------ tearing */

typedef struct RowSymbols {
    Iterate *t;
    uint32_t row;
} RowSymbols;

/* an entry of the table: what it costs to solve the row for the symbol */
static bool note_symbol(void *user, uint64_t symbol, Node node)
{
    RowSymbols *r = user;
    const System *s = r->t->system;
    const SymbolColumn key = {symbol, 0}, *at = bsearch(&key, r->t->columns.items, r->t->columns.n,
                                                        sizeof key, symbol_column_order);
    (void)node;
    int32_t cost;
    if (!at)
        return true;
    if (!solving_costs(s->cell, s->residuals.items[r->row], &symbol, 1, &cost))
        return false;
    if (cost >= COST_NONLINEAR && cost != NEVER && solve_by_inverse(s, r->row, symbol))
        cost = COST_CONSTANT;
    return !s->cell->graph.failed &&
           incidence_add(&r->t->table, s->cell->alloc, at->column, 0, cost);
}

/* entries that are less than another one of their row and than another one of their column are
 * nothing to solve for */
static bool refuse_small(Iterate *t)
{
    const System *s = t->system;
    Graph *g = &t->cell->graph;
    NodeList partial = {0};
    GraphNumbers numbers = {0};
    VEC(double) in_row = {0}, in_column = {0};
    bool good = vec_resize(g->alloc, &in_row, s->residuals.n) &&
                vec_resize(g->alloc, &in_column, s->symbols.n);
    for (uint32_t i = 0; good && i < s->residuals.n; i++)
        FOR_ENTRIES(&t->table, i, e)
    good = good && vec_push(g->alloc, &partial,
                            node_partial(g, s->residuals.items[i], s->symbols.items[e->column]));
    good = good && !g->failed && graph_samples(g, partial.items, partial.n, &numbers);
    const double *of_node = numbers.of_node.items;
    for (int pass = 0; good && pass < 2; pass++)
        for (uint32_t i = 0, k = 0; i < s->residuals.n; i++)
            for (uint32_t q = t->table.first.items[i]; q < t->table.first.items[i + 1]; q++, k++) {
                IncidenceEntry *e = &t->table.entries.items[q];
                double size = fabs(of_node[partial.items[k]]) * (1 + 1e-9);
                double *row = &in_row.items[i], *column = &in_column.items[e->column];
                size = isfinite(size) ? size : 1;
                if (pass && size < *row && size < *column && e->cost <= COST_CONSTANT)
                    e->cost = COST_NONLINEAR;
                *row = pass || size < *row ? *row : size / (1 + 1e-9);
                *column = pass || size < *column ? *column : size / (1 + 1e-9);
            }
    vec_drop(g->alloc, &partial);
    vec_drop(g->alloc, &in_row);
    vec_drop(g->alloc, &in_column);
    graph_numbers_drop(g, &numbers);
    return good;
}

/* without small factors, if many unknowns are left then; few are worth more than their factors */
static bool tear_large(Iterate *t)
{
    const LiederAllocator *alloc = t->cell->alloc;
    Torn torn = {0};
    if (!refuse_small(t) || !tear_component(&t->table, alloc, COST_CONSTANT, NULL, &torn))
        return false;
    Torn other = torn.torn.n >= SPARSE_FROM ? t->torn : torn;
    if (torn.torn.n >= SPARSE_FROM)
        t->torn = torn;
    torn_drop(&other, alloc);
    return true;
}

/* unknowns that are guessed so that the others follow one by one; false: no memory */
static bool tear(Iterate *t)
{
    const LiederAllocator *alloc = t->cell->alloc;
    bool good = symbol_columns(t->system, &t->columns);
    for (uint32_t i = 0; good && i < t->system->residuals.n; i++) {
        RowSymbols r = {t, i};
        good = graph_symbols(&t->cell->graph, &t->system->residuals.items[i], 1, note_symbol, &r) &&
               incidence_end_row(&t->table, alloc);
    }
    t->table.ncolumn = (uint32_t)t->system->symbols.n;
    VEC(uint8_t) prefers = {0};
    good = good && vec_resize(alloc, &prefers, t->system->symbols.n + 1);
    for (size_t k = 0; good && k < t->system->symbols.n; k++) {
        uint64_t symbol = t->system->symbols.items[k];
        prefers.items[k] = symbol_order(symbol) == 0 &&
                           t->cell->variables.items[symbol_variable(symbol)].coordinate;
    }
    good = good && tear_component(&t->table, alloc, COST_CONSTANT, prefers.items, &t->torn);
    vec_drop(alloc, &prefers);
    return good && (t->table.ncolumn < SPARSE_FROM || tear_large(t));
}

/* ------------------------------------------------------------------ assignments */

/* a symbol of the component by its value, if it has one */
static Node assigned_value(void *user, uint64_t symbol, Node node)
{
    Iterate *t = user;
    const SymbolColumn key = {symbol, 0}, *at = bsearch(&key, t->columns.items, t->columns.n,
                                                        sizeof key, symbol_column_order);
    return at && t->value.items[at->column] ? t->value.items[at->column] : node;
}

/* the assignments in order; later ones see the values of earlier ones */
static bool take_assignments(Iterate *t)
{
    Graph *g = &t->cell->graph;
    if (!vec_resize(g->alloc, &t->value, t->system->symbols.n))
        return false;
    for (size_t k = 0; k < t->torn.row.n; k++) {
        uint32_t column = t->torn.column.items[k];
        uint64_t symbol = t->system->symbols.items[column];
        uint32_t row = t->torn.row.items[k];
        Node factor, rest, value;
        int affine = node_affine(g, t->system->residuals.items[row], &symbol, 1, &factor, &rest);
        value = affine ? node_divide(g, node_negate(g, rest), factor)
                       : solve_by_inverse(t->system, row, symbol);
        if (affine < 0 || !value)
            return false;
        t->value.items[column] = replace_once(g, assigned_value, t, value);
    }
    return !g->failed;
}

/* ------------------------------------------------------------------ the rest */

/* the equations that are left, in the torn symbols */
static bool rest_fill(Iterate *t, System *rest)
{
    bool good = true;
    for (size_t k = 0; good && k < t->torn.residual.n; k++) {
        uint32_t row = t->torn.residual.items[k], column = t->torn.torn.items[k];
        Node node =
            replace_once(&t->cell->graph, assigned_value, t, t->system->residuals.items[row]);
        good = system_add(rest, node, t->system->equations.items[row],
                          t->system->symbols.items[column]);
    }
    return good;
}

/* 1: all residuals are affine in all symbols; -1: memory ran out */
static int rest_is_affine(System *rest)
{
    Graph *g = &rest->cell->graph;
    NodeList factors = {0};
    Node constant;
    int affine = vec_resize(g->alloc, &factors, rest->symbols.n) ? 1 : -1;
    for (size_t i = 0; affine == 1 && i < rest->residuals.n; i++)
        affine = node_affine(g, rest->residuals.items[i], rest->symbols.items, rest->symbols.n,
                             factors.items, &constant);
    vec_drop(g->alloc, &factors);
    return affine;
}

/* what a message needs to say about the system */
static bool rest_describe(Iterate *t, const System *rest)
{
    const LiederAllocator *alloc = t->cell->alloc;
    CellSystem about = {.nequation = t->system->symbols.n};
    bool good = true;
    for (size_t k = 0; good && k < rest->symbols.n; k++)
        good = vec_push(alloc, &about.symbols, rest->symbols.items[k]) &&
               vec_push(alloc, &about.sources, rest->source[rest->equations.items[k]]);
    if (good && vec_push(alloc, &t->cell->systems, about))
        return true;
    vec_drop(alloc, &about.symbols);
    vec_drop(alloc, &about.sources);
    return false;
}

/* Where the iteration for a symbol begins: the start value; without one, what follows from the
 * start values of others along equations (see probe.c), else zero. */
static Node start_of_symbol(Cell *cell, uint64_t symbol)
{
    uint32_t v = symbol_variable(symbol);
    Node start = cell->variables.items[v].start;
    if (start && symbol_order(symbol) == 0)
        return start;
    double number = probe_number_of(cell, symbol);
    return node_constant(&cell->graph, isfinite(number) ? number : 0);
}

/* how large the text says that a symbol is; 0: nothing */
static double nominal_of_symbol(const Cell *cell, uint64_t symbol)
{
    return symbol_order(symbol) == 0 ? cell->variables.items[symbol_variable(symbol)].nominal : 0;
}

/* what follows from the guesses: linear systems, or a smaller iteration */
static LiederStatus rest_solve(Iterate *t, System *rest)
{
    Graph *g = &t->cell->graph;
    int affine = rest_is_affine(rest);
    if (affine != 0)
        return affine < 0 ? LIEDER_NO_MEMORY : system_solve(rest);
    size_t n = rest->symbols.n;
    NodeList starts = {0};
    VEC(double) nominal = {0};
    bool any_nominal = false;
    int several = system_has_several(rest);
    if (several > 0)
        report_several(rest);
    bool good = several >= 0 && vec_resize(g->alloc, &starts, n) &&
                vec_resize(g->alloc, &nominal, n) && vec_resize(g->alloc, &rest->solution, n) &&
                rest_describe(t, rest);
    for (size_t k = 0; good && k < n; k++) {
        starts.items[k] = start_of_symbol(t->cell, rest->symbols.items[k]);
        nominal.items[k] = nominal_of_symbol(t->cell, rest->symbols.items[k]);
        any_nominal |= nominal.items[k] > 0;
    }
    if (good) {
        Node node = node_nonlinear_system(
            g, (uint32_t)n, rest->residuals.items, rest->symbols.items, starts.items,
            any_nominal ? nominal.items : NULL, (uint32_t)t->cell->systems.n - 1);
        for (uint32_t k = 0; k < n; k++)
            rest->solution.items[k] = node_part(g, node, k);
        cell_note_matrix(t->cell, (uint32_t)t->cell->systems.n - 1, node);
    }
    vec_drop(g->alloc, &starts);
    vec_drop(g->alloc, &nominal);
    return good && !g->failed ? LIEDER_DONE : LIEDER_NO_MEMORY;
}

/* values of all symbols: torn ones as found, then the assignments with these put in */
static bool take_solution(Iterate *t, const System *rest)
{
    Graph *g = &t->cell->graph;
    NodeList assigned = {0};
    bool good = vec_resize(g->alloc, &assigned, t->value.n);
    for (size_t j = 0; good && j < t->value.n; j++) {
        assigned.items[j] = t->value.items[j];
        t->value.items[j] = NO_NODE;
    }
    for (size_t k = 0; good && k < t->torn.torn.n; k++)
        t->value.items[t->torn.torn.items[k]] = rest->solution.items[k];
    t->put_in = (GraphPass){.graph = g, .of_symbol = assigned_value, .user = t};
    for (size_t j = 0; good && j < assigned.n; j++)
        t->system->solution.items[j] =
            assigned.items[j] ? replace_symbols(&t->put_in, assigned.items[j]) : t->value.items[j];
    pass_drop(&t->put_in);
    vec_drop(g->alloc, &assigned);
    return good && !g->failed;
}

LiederStatus system_iterate(System *system)
{
    const LiederAllocator *alloc = system->cell->alloc;
    Iterate t = {.system = system, .cell = system->cell};
    System rest = {.cell = system->cell, .plan = system->plan, .source = system->source};
    bool good = homotopy_put_in(system) && tear(&t) && take_assignments(&t) && rest_fill(&t, &rest);
    LiederStatus status = good ? rest_solve(&t, &rest) : LIEDER_NO_MEMORY;
    if (status == LIEDER_DONE && !(take_solution(&t, &rest) && homotopy_take_out(system)))
        status = LIEDER_NO_MEMORY;
    incidence_drop(&t.table, alloc);
    torn_drop(&t.torn, alloc);
    vec_drop(alloc, &t.value);
    vec_drop(alloc, &t.columns);
    system_drop(&rest);
    return status;
}
