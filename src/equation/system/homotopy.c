/* homotopy.c - homotopy(actual, simplified) in systems that are iterated.
 *
 * Equations have the actual value, so that everything that is found out about them does not depend
 * on how their solution begins. Where a component of equations is iterated, the value stands as
 *
 *   actual + (1 - l) (simplified - actual)
 *
 * with a parameter l that the solver of the system moves from 0 to 1 (lieder/systems.h), so that of
 * several solutions it is the one that the simplified value leads to; l is 1 in every result.
 * Modelica 3.7.4.4 asks for this at the start; it is done in every evaluation alike, since a
 * solution depends on time and states alone and must not be another one later.
 *
 * A simplified value with variables that are solved for later is left out.
 *
 * Where relations choose the mode of a linear system nothing is iterated, and of several modes that
 * fit (a limited amplifier with positive feedback) the simplified value names one. If it has no
 * unknowns but such as follow from parameters (a limit), the equations have
 *
 *   if passed then actual else simplified
 *
 * with a memory that is false while the modes of the first pass are chosen and true ever after.
 */
#include "equation/system/eliminate.h"

bool cell_add_homotopy(Cell *cell, Node actual, Node simplified)
{
    Graph *g = &cell->graph;
    if (!g->homotopy) {
        uint32_t v = cell_add_variable(cell, (CellVariable){.name = "homotopy",
                                                            .role = CELL_PARAMETER,
                                                            .is_hint = true,
                                                            .has_number = true,
                                                            .number = 1,
                                                            .length = 1});
        if (v == UINT32_MAX)
            return false;
        g->homotopy = cell_symbol(v, 0) + 1;
    }
    CellHomotopy h = {actual, simplified};
    return actual == simplified || (vec_push(cell->alloc, &cell->homotopies, h) && !g->failed);
}

static Node same_symbol(void *user, uint64_t symbol, Node node)
{
    (void)user;
    (void)symbol;
    return node;
}

/* a pass that has the mixed value as the result of each actual one */
static bool begin_pass(Cell *cell, GraphPass *pass)
{
    Graph *g = &cell->graph;
    NodeList mixed = {0};
    Node rest = node_subtract(g, node_constant(g, 1), node_symbol(g, g->homotopy - 1));
    bool good = true;
    for (size_t k = 0; good && k < cell->homotopies.n; k++) {
        CellHomotopy h = cell->homotopies.items[k];
        Node more = node_multiply(g, rest, node_subtract(g, h.simplified, h.actual));
        good = vec_push(g->alloc, &mixed, node_add(g, h.actual, more));
    }
    *pass = (GraphPass){.graph = g, .of_symbol = same_symbol};
    good = good && !g->failed && vec_resize(g->alloc, &pass->done, g->nodes.n);
    for (size_t k = 0; good && k < mixed.n; k++)
        pass->done.items[cell->homotopies.items[k].actual] = mixed.items[k];
    vec_drop(g->alloc, &mixed);
    return good;
}

Node homotopy_mixed(Cell *cell, Node residual)
{
    GraphPass pass = {0};
    if (!cell->homotopies.n || cell->graph.failed)
        return NO_NODE;
    Node mixed = begin_pass(cell, &pass) ? replace_symbols(&pass, residual) : NO_NODE;
    pass_drop(&pass);
    if (!mixed)
        cell->graph.failed = true;
    return mixed == residual ? NO_NODE : mixed;
}

/* ------------------------------------------------------------------ modes at the start */

/* what an expression has in it: sides of relations, unknowns */
typedef struct ModeUse {
    const Cell *cell;
    bool sides, unknowns;
} ModeUse;

static bool note_use(void *user, uint64_t symbol, Node node)
{
    ModeUse *use = user;
    (void)node;
    if (symbol == CELL_TIME)
        return true;
    const CellVariable *x = &use->cell->variables.items[symbol_variable(symbol)];
    use->sides |= x->role == CELL_DISCRETE && x->meaning == MEANING_SIDE;
    use->unknowns |= x->role == CELL_UNKNOWN || x->role == CELL_INWARD || x->role == CELL_OUTWARD;
    return true;
}

/* what an equation `variable = ...` says that a variable is, else the variable */
static Node definition_of(void *user, uint64_t symbol, Node node)
{
    const Cell *cell = user;
    for (size_t i = 0; i < cell->equations.n && symbol != CELL_TIME; i++)
        if (cell->equations.items[i].left == node)
            return cell->equations.items[i].right;
    return node;
}

/* A simplified value without unknowns, for an actual one with modes; the unknowns that it has are
 * followed to what their equations say. NO_NODE: it is none. */
static Node mode_value(Cell *cell, const CellHomotopy *h)
{
    enum { MOST = 4 };
    Graph *g = &cell->graph;
    ModeUse actual = {.cell = cell}, simplified = {.cell = cell, .unknowns = true};
    Node value = h->simplified;
    if (!graph_symbols(g, &h->actual, 1, note_use, &actual) || !actual.sides)
        return NO_NODE;
    for (int k = 0; k < MOST && value && simplified.unknowns; k++) {
        value = k > 0 ? replace_once(g, definition_of, cell, value) : value;
        simplified.unknowns = false;
        if (value && !graph_symbols(g, &value, 1, note_use, &simplified))
            return NO_NODE;
    }
    return simplified.unknowns ? NO_NODE : value;
}

/* the memory `passed`, as a node; NO_NODE: no memory */
static Node add_passed(Cell *cell)
{
    uint32_t v = cell_add_discrete(cell, MEANING_MEMORY, "modes of the start", (Place){0});
    Node yes = node_constant(&cell->graph, 1);
    CellMemory memory = {.variable = v, .next = yes, .initial = yes};
    return v != UINT32_MAX && vec_push(cell->alloc, &cell->events.memories, memory)
               ? cell_variable(cell, v, 0)
               : NO_NODE;
}

/* puts what a pass makes of them in place of both sides of the equations */
static void replace_in(CellEquation *equations, size_t n, GraphPass *pass)
{
    for (size_t i = 0; i < n; i++) {
        equations[i].left = replace_symbols(pass, equations[i].left);
        equations[i].right = replace_symbols(pass, equations[i].right);
    }
}

bool cell_choose_modes(Cell *cell)
{
    Graph *g = &cell->graph;
    GraphPass pass = {.graph = g, .of_symbol = same_symbol};
    Node passed = NO_NODE;
    bool good = true;
    for (size_t k = 0, n = cell->homotopies.n; good && k < n; k++) {
        CellHomotopy h = cell->homotopies.items[k];
        Node first = mode_value(cell, &h);
        if (!first)
            continue;
        passed = passed ? passed : add_passed(cell);
        Node value = passed ? node_select(g, passed, h.actual, first) : NO_NODE;
        good = value && cell_add_homotopy(cell, value, first) &&
               vec_resize(g->alloc, &pass.done, g->nodes.n);
        if (good)
            pass.done.items[h.actual] = value;
    }
    if (good && passed) {
        replace_in(cell->equations.items, cell->equations.n, &pass);
        cell_initial(cell);
    }
    pass_drop(&pass);
    return good && !g->failed;
}

/* ------------------------------------------------------------------ in a system */

/* which symbols a component knows: those it is solved for, and those of its equations */
typedef struct KnownSymbols {
    const System *system;
    VEC(uint64_t) known;
    bool all;
} KnownSymbols;

static bool note_known(void *user, uint64_t symbol, Node node)
{
    KnownSymbols *k = user;
    (void)node;
    return vec_push(k->system->cell->alloc, &k->known, symbol);
}

/* does an expression have unknowns of the system in it? */
static bool check_known(void *user, uint64_t symbol, Node node)
{
    KnownSymbols *k = user;
    const Cell *cell = k->system->cell;
    (void)node;
    if (symbol == CELL_TIME || cell->variables.items[symbol_variable(symbol)].role != CELL_UNKNOWN)
        return true;
    for (size_t i = 0; i < k->known.n; i++)
        if (k->known.items[i] == symbol)
            return true;
    k->all = false;
    return true;
}

bool homotopy_put_in(System *system)
{
    Graph *g = &system->cell->graph;
    KnownSymbols k = {.system = system};
    bool good = true;
    if (!system->mixed.n)
        return true;
    for (size_t i = 0; good && i < system->symbols.n; i++)
        good = vec_push(g->alloc, &k.known, system->symbols.items[i]);
    good = good && graph_symbols(g, system->residuals.items, system->residuals.n, note_known, &k);
    for (size_t i = 0; good && i < system->residuals.n; i++) {
        Node mixed = system->mixed.items[i];
        k.all = true;
        good = !mixed || graph_symbols(g, &mixed, 1, check_known, &k);
        if (mixed && k.all)
            system->residuals.items[i] = mixed;
    }
    vec_drop(g->alloc, &k.known);
    return good;
}

static Node at_the_end(void *user, uint64_t symbol, Node node)
{
    Graph *g = user;
    return symbol == g->homotopy - 1 ? node_constant(g, 1) : node;
}

bool homotopy_take_out(System *system)
{
    Graph *g = &system->cell->graph;
    GraphPass pass = {.graph = g, .of_symbol = at_the_end, .user = g};
    for (size_t i = 0; system->mixed.n && i < system->solution.n; i++)
        system->solution.items[i] = replace_symbols(&pass, system->solution.items[i]);
    pass_drop(&pass);
    return !g->failed;
}
