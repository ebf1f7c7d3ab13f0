/* annotated.c - calls of functions whose authors say more than their statements do.
 *
 * A call is part of the expression it stands in. Its value is noted with the elements of its inputs
 * (CellCall), and found again by its node, which is the same wherever the same is computed.
 *
 * annotation(inverse(u = g(..., y, ...))) (Modelica 12.8): where the equations that are left cannot
 * be solved for an unknown by its factor, the call is taken out of the residual,
 *
 *   r = a v + b,  v = f(..., u, ...)    with a a number, and the unknown in u alone,
 *
 * v = -b/a follows, then u = g(..., v, ...), and the unknown is what makes the input u, again by
 * its factor or by the inverse of a call inside. No iteration is left then.
 *
 * annotation(smoothOrder = n): derivatives up to the n-th are continuous. Who differentiates more
 * often is warned, since nothing in a run would show the jump.
 */
#include "equation/cell/stage.h"

enum { MAX_NESTED = 8 };

/* the value of a call, while it is taken out */
#define CALL_SYMBOL ((uint64_t)1 << 61)

/* calls by the nodes of their values, up to the last one; false: memory ran out */
static bool map_calls(Cell *cell)
{
    if (!vec_resize(cell->alloc, &cell->call_at, cell->graph.nodes.n))
        return false;
    for (; cell->nmapped < cell->calls.n; cell->nmapped++) {
        CellCall *call = &cell->calls.items[cell->nmapped];
        call->before = cell->call_at.items[call->value];
        cell->call_at.items[call->value] = (uint32_t)cell->nmapped + 1;
    }
    return true;
}

/* the calls with this value: 1 + the last of them, then CellCall.before; 0: there is none */
static uint32_t last_call(const Cell *cell, Node value)
{
    return value < cell->call_at.n ? cell->call_at.items[value] : 0;
}

bool cell_add_call(Cell *cell, CellCall call)
{
    if (!map_calls(cell))
        return false;
    for (uint32_t k = last_call(cell, call.value); k; k = cell->calls.items[k - 1].before)
        if (cell->calls.items[k - 1].which == call.which)
            return true;
    return vec_push(cell->alloc, &cell->calls, call);
}

void cell_forget_call_nodes(Cell *cell)
{
    vec_drop(cell->alloc, &cell->call_at);
    cell->nmapped = 0;
}

static Node same_node(void *user, uint64_t symbol, Node node)
{
    (void)user, (void)symbol;
    return node;
}

/* the node with a symbol in place of the value of a call */
static Node take_out(Graph *g, Node node, Node value)
{
    GraphPass pass = {.graph = g, .of_symbol = same_node};
    Node symbol = node_symbol(g, CALL_SYMBOL), result = NO_NODE;
    if (symbol && vec_resize(g->alloc, &pass.done, g->nodes.n)) {
        pass.done.items[value] = symbol;
        result = replace_symbols(&pass, node);
    }
    pass_drop(&pass);
    return result;
}

typedef struct SymbolSought {
    uint64_t symbol;
    bool found;
} SymbolSought;

static bool seek_symbol(void *user, uint64_t symbol, Node node)
{
    SymbolSought *sought = user;
    (void)node;
    sought->found |= symbol == sought->symbol;
    return true;
}

static bool node_has(Graph *g, Node node, uint64_t symbol)
{
    SymbolSought sought = {symbol, false};
    if (!graph_symbols(g, &node, 1, seek_symbol, &sought))
        g->failed = true;
    return sought.found;
}

/* -b/a of a symbol whose factor is a number; NO_NODE: it is none */
static Node solved_for(Graph *g, Node residual, uint64_t symbol)
{
    Node factor, rest;
    if (node_affine(g, residual, &symbol, 1, &factor, &rest) != 1 ||
        node_data(g, factor)->kind != NODE_CONSTANT || node_data(g, factor)->value == 0)
        return NO_NODE;
    return node_divide(g, node_negate(g, rest), factor);
}

static Node solve_by_calls(const System *system, const Node *written, size_t n, Node residual,
                           uint64_t symbol, int depth);

/* the unknown from one call, as it is written and with its values put in; NO_NODE: not from it */
static Node solve_by_call(const System *system, CellCall call, Node residual, uint64_t symbol,
                          int depth)
{
    Cell *cell = system->cell;
    Graph *g = &cell->graph;
    Node value = shallow_put_in(cell, system->plan, call.value);
    Node list = shallow_put_in(cell, system->plan, call.list);
    Node rest = value && list ? take_out(g, residual, value) : NO_NODE;
    if (!rest || rest == residual || node_has(g, rest, symbol))
        return NO_NODE;
    Node result = solved_for(g, rest, CALL_SYMBOL), solution = NO_NODE;
    NodeList items = {0}, written = {0};
    size_t which = 0, n = 0;
    bool good = result && list_items(g, list, &items) && list_items(g, call.list, &written);
    for (size_t k = 0; good && k < items.n; k++)
        if (node_has(g, items.items[k], symbol)) {
            which = k;
            n++;
        }
    Node input = good && n == 1
                     ? g->inverse(g->function_user, call.which, list, (uint32_t)which, result)
                     : NO_NODE;
    GraphPass plain = {.graph = g};
    input = input ? node_plain(&plain, input) : NO_NODE;
    pass_drop(&plain);
    if (input && !node_has(g, input, symbol)) {
        Node inside = node_subtract(g, items.items[which], input);
        solution = solved_for(g, inside, symbol);
        if (!solution)
            solution = solve_by_calls(system, &written.items[which], 1, inside, symbol, depth + 1);
    }
    vec_drop(g->alloc, &items);
    vec_drop(g->alloc, &written);
    return solution;
}

/* the unknown from the outermost call that leads to it */
static Node solve_by_calls(const System *system, const Node *written, size_t n, Node residual,
                           uint64_t symbol, int depth)
{
    Cell *cell = system->cell;
    NodeList order = {0};
    Node solution = NO_NODE;
    if (depth < MAX_NESTED &&
        !(graph_reach(&cell->graph, written, n, NULL, &order) && map_calls(cell)))
        cell->graph.failed = true;
    for (size_t i = order.n; !solution && !cell->graph.failed && i-- > 0;)
        for (uint32_t k = last_call(cell, order.items[i]); !solution && k;
             k = cell->calls.items[k - 1].before)
            if (cell->calls.items[k - 1].has_inverse)
                solution = solve_by_call(system, cell->calls.items[k - 1], residual, symbol, depth);
    vec_drop(cell->alloc, &order);
    return solution;
}

Node solve_by_inverse(const System *system, size_t row, uint64_t symbol)
{
    const CellEquation *e = &system->source[system->equations.items[row]];
    const Node written[] = {e->left, e->right};
    return system->cell->graph.inverse && e->left && e->right
               ? solve_by_calls(system, written, 2, system->residuals.items[row], symbol, 0)
               : NO_NODE;
}

/* ------------------------------------------------------------------ smoothOrder */

static void warn_of_jump(Cell *cell, CellCall *call, int32_t times)
{
    if (call->warned)
        return;
    call->warned = true;
    diag_warning(cell->diag, &call->place, call->path,
                 "'%s' is differentiated %d time(s), its smoothOrder is %d: the derivative may "
                 "jump without an event\n"
                 "give it a higher smoothOrder if it is as smooth as that, or a derivative",
                 call->name, (int)(times + call->derived), (int)(call->smooth + call->derived));
}

/* the calls that are differentiated in an expression; more: those of its derivative are noted */
static bool check_calls(Cell *cell, const Node *nodes, size_t n, int32_t times, bool more)
{
    NodeList order = {0};
    bool good = graph_reach(&cell->graph, nodes, n, NULL, &order) && map_calls(cell);
    for (size_t i = 0; good && i < order.n; i++)
        for (uint32_t k = last_call(cell, order.items[i]); good && k;
             k = cell->calls.items[k - 1].before) {
            CellCall *call = &cell->calls.items[k - 1];
            if (call->smooth < 0)
                continue;
            Node rate = cell_derivative(cell, call->value);
            if (!rate || node_is_constant(&cell->graph, rate, 0))
                continue;
            if (call->smooth < times)
                warn_of_jump(cell, call, times);
            CellCall derived = *call;
            derived.value = rate;
            derived.has_inverse = false;
            derived.smooth--;
            derived.derived++;
            good = !more || derived.smooth < 0 || cell_add_call(cell, derived);
        }
    vec_drop(cell->alloc, &order);
    return good;
}

static bool has_smooth(const Cell *cell)
{
    for (size_t k = 0; k < cell->calls.n; k++)
        if (cell->calls.items[k].smooth >= 0)
            return true;
    return false;
}

bool cell_note_derivative(Cell *cell, Node node)
{
    return !has_smooth(cell) || check_calls(cell, &node, 1, 1, true);
}

bool check_smooth(Solve *s)
{
    bool good = true;
    for (size_t i = 0; good && has_smooth(s->cell) && i < s->cell->equations.n; i++) {
        const Node sides[] = {s->cell->equations.items[i].left, s->cell->equations.items[i].right};
        good = s->c.items[i] == 0 || check_calls(s->cell, sides, 2, s->c.items[i], false);
    }
    return good;
}
