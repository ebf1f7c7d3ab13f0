/* initial.c - start values from initial equations.
 *
 * Every variable is a node in states, parameters and time by now, so initial equations are
 * equations for the states. Each is assigned a state that is not fixed, one without a start value
 * first; components are solved as those of cell.c. What is not linear is reported.
 */
#include "equation/cell.h"

#include "equation/eliminate.h"

enum { COST_FREE = 1, COST_GIVEN = 1000 };

typedef struct Initial {
    Cell *cell;
    CellPlan *plan;
    NodeList residuals; /* by equation, in states */
    Incidence table;    /* equations against states */
    VEC(uint32_t) column_of;
    RowList order, first;
    NodeList found; /* by state: its start value, NO_NODE before it is known */
} Initial;

/* the state a symbol stands for, or UINT32_MAX */
static uint32_t state_of_symbol(const CellPlan *plan, uint64_t symbol)
{
    for (uint32_t k = 0; symbol != CELL_TIME && k < plan->states.n; k++) {
        const CellState *s = &plan->states.items[k];
        if (cell_symbol(s->variable, s->order) == symbol)
            return k;
    }
    return UINT32_MAX;
}

static bool is_state(const CellPlan *plan, uint64_t symbol)
{
    return state_of_symbol(plan, symbol) != UINT32_MAX;
}

typedef struct InitialRow {
    Initial *initial;
    Node residual;
} InitialRow;

static bool note_state(void *user, uint64_t symbol, Node node)
{
    InitialRow *row = user;
    Cell *cell = row->initial->cell;
    uint32_t k = state_of_symbol(row->initial->plan, symbol);
    (void)node;
    if (k == UINT32_MAX)
        return true;
    const CellVariable *v = &cell->variables.items[row->initial->plan->states.items[k].variable];
    bool fixed = v->start_fixed && row->initial->plan->states.items[k].order == 0;
    return incidence_add(&row->initial->table, cell->alloc, k, 0,
                         fixed            ? NEVER
                         : v->start_given ? COST_GIVEN
                                          : COST_FREE);
}

static bool build_rows(Initial *in)
{
    Cell *cell = in->cell;
    for (size_t i = 0; i < cell->initial.n; i++) {
        const CellEquation *e = &cell->initial.items[i];
        Node residual = node_subtract(&cell->graph, e->left, e->right);
        /* a state has its start value already: nothing to solve */
        if (e->is_start && is_state(in->plan, node_data(&cell->graph, e->left)->symbol))
            residual = node_constant(&cell->graph, 0);
        InitialRow row = {in, known_put_in(cell, in->plan, residual)};
        if (!row.residual || !vec_push(cell->alloc, &in->residuals, row.residual) ||
            !graph_symbols(&cell->graph, &row.residual, 1, note_state, &row) ||
            !incidence_end_row(&in->table, cell->alloc))
            return false;
    }
    in->table.ncolumn = (uint32_t)in->plan->states.n;
    return vec_resize(cell->alloc, &in->column_of, cell->initial.n + 1) &&
           vec_resize(cell->alloc, &in->found, in->plan->states.n + 1);
}

/* start values that are known are put in */
static Node start_value(void *user, uint64_t symbol, Node node)
{
    Initial *in = user;
    uint32_t k = state_of_symbol(in->plan, symbol);
    return k != UINT32_MAX && in->found.items[k] ? in->found.items[k] : node;
}

static LiederStatus solve_rows(Initial *in, uint32_t first, uint32_t end)
{
    Cell *cell = in->cell;
    System system = {.cell = cell, .plan = in->plan, .source = cell->initial.items};
    bool good = true;
    for (uint32_t k = first; good && k < end; k++) {
        uint32_t i = in->order.items[k];
        const CellState *s = &in->plan->states.items[in->column_of.items[i]];
        Node residual = replace_once(&cell->graph, start_value, in, in->residuals.items[i]);
        good = system_add(&system, residual, i, cell_symbol(s->variable, s->order));
    }
    LiederStatus status = good ? system_solve(&system) : LIEDER_NO_MEMORY;
    for (uint32_t k = first; status == LIEDER_DONE && k < end; k++)
        in->found.items[in->column_of.items[in->order.items[k]]] = system.solution.items[k - first];
    system_drop(&system);
    return status;
}

static LiederStatus solve_all(Initial *in)
{
    Cell *cell = in->cell;
    LiederStatus status = LIEDER_DONE;
    if (!build_rows(in) || !assign_columns(&in->table, cell->alloc, in->column_of.items, NULL))
        return LIEDER_NO_MEMORY;
    for (size_t i = 0; i < cell->initial.n; i++)
        if (in->column_of.items[i] == NO_COLUMN &&
            !node_is_constant(&cell->graph, in->residuals.items[i], 0)) {
            const CellEquation *e = &cell->initial.items[i];
            diag_error(cell->diag, &e->place, e->path,
                       "this initial equation decides no start value: there are %zu initial "
                       "equation(s) for the states that are not fixed\n"
                       "remove it, or let the start value of a state in it be free (fixed = false)",
                       cell->initial.n);
            status = LIEDER_BAD_MODEL;
        }
    if (status != LIEDER_DONE)
        return status;
    if (!sort_rows(&in->table, cell->alloc, in->column_of.items, &in->order, &in->first))
        return LIEDER_NO_MEMORY;
    for (size_t k = 0; status == LIEDER_DONE && k + 1 < in->first.n; k++)
        if (in->column_of.items[in->order.items[in->first.items[k]]] != NO_COLUMN)
            status = solve_rows(in, in->first.items[k], in->first.items[k + 1]);
    for (size_t k = 0; status == LIEDER_DONE && k < in->plan->states.n; k++)
        in->plan->states.items[k].initial = in->found.items[k];
    return status;
}

LiederStatus cell_solve_initial(Cell *cell, CellPlan *plan)
{
    Initial in = {.cell = cell, .plan = plan};
    if (cell->initial.n == 0)
        return LIEDER_DONE;
    LiederStatus status = solve_all(&in);
    vec_drop(cell->alloc, &in.residuals);
    vec_drop(cell->alloc, &in.column_of);
    vec_drop(cell->alloc, &in.order);
    vec_drop(cell->alloc, &in.first);
    vec_drop(cell->alloc, &in.found);
    incidence_drop(&in.table, cell->alloc);
    return cell->graph.failed ? LIEDER_NO_MEMORY : status;
}
