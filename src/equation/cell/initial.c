/* initial.c - start values: all equations and the initial equations as one system.
 *
 * At the start every variable and every derivative that the stages of cell.c know is unknown, and
 * so is every parameter with fixed = false. What is known are the states whose start value holds
 * (fixed = true), the other parameters, inputs and time.
 *
 *   rows      equations with their derivatives, then initial equations
 *   columns   variables with their derivatives, then free parameters
 *
 * A matching of least cost gives every row a column; equations come first, so it is initial
 * equations that are left over when there are too many: they have to agree with the rest, which is
 * checked where the run begins (CellPlan.checks). Where there are too few, the columns that are
 * left over are states, since it costs most to solve for these: they keep their start values. It
 * costs less to solve for a state that StateSelect does not ask for, and for one without a start
 * value. Where such a state would begin at zero for want of a start value, a variable that is
 * preferred as a state and has one takes its place: the temperature of a tank, not its energy.
 * Components are sorted and solved as those of a stage are; only what start values and
 * checks need is solved at all.
 */
#include "equation/cell/cell.h"

#include <stdio.h>
#include <string.h>

#include "equation/system/eliminate.h"

enum {
    COST_OF_STATE = 1 << 28,  /* more than all equations of a model together */
    COST_OF_SELECT = 1 << 25, /* for each level of StateSelect */
    COST_OF_START = 1 << 24   /* a start value is given */
};

typedef struct Initial {
    Cell *cell;
    CellPlan *plan;
    VEC(uint32_t) first;       /* by variable: its first column, that of derivatives follow */
    VEC(uint64_t) symbols;     /* by column */
    VEC(uint32_t) state_of;    /* by column: the state of the plan that it is, or NO_COLUMN */
    VEC(CellEquation) sources; /* by row */
    NodeList residuals;        /* by row */
    NodeList mixed;            /* by row: with homotopy, or NO_NODE */
    VEC(uint64_t) row_symbols; /* unknowns of the row that is added, and what they cost */
    VEC(int32_t) row_costs;
    NodeList literal; /* by variable: what a discrete one is at the start, or NO_NODE */
    VEC(uint32_t) row_of_equation; /* its first row, those of derivatives follow */
    size_t nequation;              /* rows of equations; those of initial equations follow */
    size_t ncondition;             /* rows of both; those of preferred variables follow */
    size_t nchosen;                /* rows with these; those of corrections follow */
    Incidence table;
    VEC(uint32_t) column_of, row_of;
    RowList order, first_row; /* components */
    VEC(uint8_t) needed;      /* by column */
    NodeList found;           /* by column: its value, NO_NODE before it is known */
} Initial;

/* frees the work lists */
static void initial_drop(Initial *in)
{
    const LiederAllocator *alloc = in->cell->alloc;
    vec_drop(alloc, &in->first);
    vec_drop(alloc, &in->symbols);
    vec_drop(alloc, &in->state_of);
    vec_drop(alloc, &in->sources);
    vec_drop(alloc, &in->residuals);
    vec_drop(alloc, &in->mixed);
    vec_drop(alloc, &in->row_symbols);
    vec_drop(alloc, &in->row_costs);
    vec_drop(alloc, &in->literal);
    vec_drop(alloc, &in->row_of_equation);
    incidence_drop(&in->table, alloc);
    vec_drop(alloc, &in->column_of);
    vec_drop(alloc, &in->row_of);
    vec_drop(alloc, &in->order);
    vec_drop(alloc, &in->first_row);
    vec_drop(alloc, &in->needed);
    vec_drop(alloc, &in->found);
}

/* ------------------------------------------------------------------ derivatives */

/* the highest derivatives in the equations, and one in an initial equation that is none of them */
typedef struct DerivativeUse {
    Cell *cell;
    VEC(uint32_t) order; /* by variable */
    uint64_t missing;    /* 1 + symbol, or 0 */
} DerivativeUse;

static bool note_derivative(void *user, uint64_t symbol, Node node)
{
    DerivativeUse *use = user;
    (void)node;
    uint32_t *most = symbol == CELL_TIME ? NULL : &use->order.items[symbol_variable(symbol)];
    if (most && symbol_order(symbol) > *most)
        *most = symbol_order(symbol);
    return true;
}

static bool find_missing(void *user, uint64_t symbol, Node node)
{
    DerivativeUse *use = user;
    (void)node;
    if (symbol != CELL_TIME && symbol_order(symbol) > use->order.items[symbol_variable(symbol)] &&
        use->cell->variables.items[symbol_variable(symbol)].role == CELL_UNKNOWN)
        use->missing = symbol + 1;
    return true;
}

/* u = der(v) for a derivative that only an initial equation has, so that equations are
 * differentiated for it */
static bool add_derivative(DerivativeUse *use, const CellEquation *e)
{
    Cell *cell = use->cell;
    uint64_t symbol = use->missing - 1;
    CellVariable u = {.name = "derivative of an initial equation",
                      .place = e->place,
                      .role = CELL_UNKNOWN,
                      .select = SELECT_NEVER,
                      .length = 1};
    uint32_t v = cell_add_variable(cell, u);
    if (v == UINT32_MAX || !vec_resize(cell->alloc, &use->order, cell->variables.n))
        return false;
    use->order.items[symbol_variable(symbol)] = symbol_order(symbol);
    CellEquation defines = {.left = cell_variable(cell, v, 0),
                            .right = node_symbol(&cell->graph, symbol),
                            .place = e->place,
                            .path = e->path};
    return vec_push(cell->alloc, &cell->equations, defines) && !cell->graph.failed;
}

bool cell_prepare_initial(Cell *cell)
{
    DerivativeUse use = {.cell = cell};
    bool good = vec_resize(cell->alloc, &use.order, cell->variables.n);
    for (size_t i = 0; good && i < cell->equations.n; i++) {
        const Node sides[] = {cell->equations.items[i].left, cell->equations.items[i].right};
        good = graph_symbols(&cell->graph, sides, 2, note_derivative, &use);
    }
    for (size_t i = 0; good && i < cell->initial.n; i++) {
        const CellEquation e = cell->initial.items[i];
        const Node sides[] = {e.left, e.right};
        do {
            use.missing = 0;
            good = graph_symbols(&cell->graph, sides, 2, find_missing, &use) &&
                   (!use.missing || add_derivative(&use, &e));
        } while (good && use.missing);
    }
    vec_drop(cell->alloc, &use.order);
    return good;
}

/* ------------------------------------------------------------------ columns */

static bool is_fixed(const Cell *cell, const CellState *s)
{
    return s->order == 0 && cell->variables.items[s->variable].start_fixed;
}

/* the column of a symbol, or NO_COLUMN: it is known */
static uint32_t column_of_symbol(const Initial *in, uint64_t symbol)
{
    if (symbol == CELL_TIME)
        return NO_COLUMN;
    uint32_t v = symbol_variable(symbol), order = symbol_order(symbol);
    if (v >= in->plan->values.n)
        return NO_COLUMN;
    const CellVariable *x = &in->cell->variables.items[v];
    bool unknown = x->is_free ? order == 0 : order < in->plan->values.items[v].n;
    uint32_t column = unknown ? in->first.items[v] + order : (uint32_t)NO_COLUMN;
    if (!unknown || in->state_of.items[column] == NO_COLUMN)
        return column;
    return is_fixed(in->cell, &in->plan->states.items[in->state_of.items[column]]) ? NO_COLUMN
                                                                                   : column;
}

/* unknowns at the start: states, derivatives and free parameters; false: no memory */
static bool add_columns(Initial *in)
{
    Cell *cell = in->cell;
    const LiederAllocator *alloc = cell->alloc;
    bool good = vec_resize(alloc, &in->plan->values, cell->variables.n) &&
                vec_resize(alloc, &in->first, cell->variables.n + 1);
    for (uint32_t v = 0; good && v < cell->variables.n; v++) {
        size_t n = cell->variables.items[v].is_free ? 1 : in->plan->values.items[v].n;
        in->first.items[v] = (uint32_t)in->symbols.n;
        for (uint32_t order = 0; good && order < n; order++)
            good = vec_push(alloc, &in->symbols, cell_symbol(v, order)) &&
                   vec_push(alloc, &in->state_of, NO_COLUMN);
    }
    for (uint32_t k = 0; good && k < in->plan->states.n; k++) {
        const CellState *s = &in->plan->states.items[k];
        in->state_of.items[in->first.items[s->variable] + s->order] = k;
    }
    return good && vec_resize(alloc, &in->found, in->symbols.n + 1) &&
           vec_resize(alloc, &in->needed, in->symbols.n + 1);
}

static bool is_start_of_state(const Initial *in, const CellEquation *e)
{
    if (!e->is_start)
        return false;
    uint64_t symbol = node_data(&in->cell->graph, e->left)->symbol;
    return in->state_of.items[in->first.items[symbol_variable(symbol)]] != NO_COLUMN &&
           !in->cell->variables.items[symbol_variable(symbol)].is_free;
}

/* ------------------------------------------------------------------ relations */

/* What a clause assigns is what it assigns in the first event, where the clause fires there
 * (when initial()), else its start value, which is pre(v) as well. */
static void find_assigned(Initial *in)
{
    const CellEvents *e = &in->cell->events;
    for (size_t k = 0; k < e->memories.n; k++) {
        const CellMemory *m = &e->memories.items[k];
        if (!m->initial && in->cell->variables.items[m->variable].meaning == MEANING_WHEN)
            in->literal.items[m->variable] = m->next;
    }
}

/* At the start nothing is held: a side is what its relation says, initial() holds, no clause but
 * those of the first event fires. Memory is what initial equations say, else what these clauses do.
 */
static bool find_literals(Initial *in)
{
    Cell *cell = in->cell;
    Graph *g = &cell->graph;
    const CellEvents *e = &cell->events;
    if (!vec_resize(cell->alloc, &in->literal, cell->variables.n + 1))
        return false;
    Node zero = node_constant(g, 0), *literal = in->literal.items;
    for (size_t k = 0; k < e->relations.n; k++)
        literal[e->relations.items[k].variable] =
            node_make(g, NODE_LESS, e->relations.items[k].value, zero, NO_NODE);
    for (size_t k = 0; k < e->steps.n; k++)
        literal[e->steps.items[k].variable] =
            node_call(g, FUNCTION_FLOOR, e->steps.items[k].value, NO_NODE);
    for (size_t k = 0; k < e->whens.n; k++)
        literal[e->whens.items[k].variable] = e->whens.items[k].fires;
    for (size_t k = 0; k < e->memories.n; k++)
        literal[e->memories.items[k].variable] = e->memories.items[k].initial;
    for (uint32_t v = 0; v < cell->variables.n; v++) {
        const CellVariable *x = &cell->variables.items[v];
        if (x->meaning == MEANING_PRE && !literal[v] && literal[x->of] &&
            cell->variables.items[x->of].meaning == MEANING_WHEN)
            literal[v] = literal[x->of]; /* one memory for both */
    }
    find_assigned(in);
    for (size_t k = 0; k < e->delays.n; k++)
        literal[e->delays.items[k].variable] = zero;
    const Node flags[] = {node_constant(g, 1), zero, zero, cell_time(cell)};
    for (int k = 0; k < 4; k++)
        if (e->flags[MEANING_INITIAL + k])
            literal[e->flags[MEANING_INITIAL + k] - 1] = flags[k];
    return !g->failed;
}

typedef struct Literals {
    const Initial *in;
    bool any;
} Literals;

static Node literal_symbol(void *user, uint64_t symbol, Node node)
{
    Literals *l = user;
    if (symbol == CELL_TIME || symbol_variable(symbol) >= l->in->literal.n)
        return node;
    Node literal = l->in->literal.items[symbol_variable(symbol)];
    l->any |= literal != NO_NODE;
    return literal ? literal : node;
}

/* a relation may depend on others, not on itself for ever: see MOST */
static Node as_at_start(Initial *in, Node node)
{
    enum { MOST = 20 };
    Literals l = {in, true};
    for (int k = 0; k < MOST && l.any && node; k++) {
        l.any = false;
        node = replace_once(&in->cell->graph, literal_symbol, &l, node);
    }
    return node;
}

/* ------------------------------------------------------------------ rows */

/* what it costs that a state gets its start value from an equation */
static int32_t state_cost(const Initial *in, uint32_t column)
{
    uint32_t k = in->state_of.items[column];
    if (k == NO_COLUMN)
        return 0;
    const CellState *s = &in->plan->states.items[k];
    const CellVariable *x = &in->cell->variables.items[s->variable];
    if (x->is_free)
        return 0;
    return COST_OF_STATE + (int32_t)x->select * COST_OF_SELECT +
           (x->start_given && s->order == 0 ? COST_OF_START : 0);
}

static bool note_entry(void *user, uint64_t symbol, Node node)
{
    Initial *in = user;
    (void)node;
    return column_of_symbol(in, symbol) == NO_COLUMN ||
           vec_push(in->cell->alloc, &in->row_symbols, symbol);
}

/* A parameter that initial equations decide and that the simplified form alone has: it has to be
 * known before. */
static bool note_before(void *user, uint64_t symbol, Node node)
{
    Initial *in = user;
    (void)node;
    if (symbol == CELL_TIME || !in->cell->variables.items[symbol_variable(symbol)].is_free)
        return true;
    for (size_t k = 0; k < in->row_symbols.n; k++)
        if (in->row_symbols.items[k] == symbol)
            return true;
    return note_entry(user, symbol, node);
}

/* one condition at the start, as it is and in its simplified form; false: no memory */
static bool add_row(Initial *in, Node residual, const CellEquation *source)
{
    Cell *cell = in->cell;
    Node mixed = homotopy_mixed(cell, residual);
    mixed = mixed ? as_at_start(in, mixed) : NO_NODE;
    residual = as_at_start(in, residual);
    in->row_symbols.n = 0;
    bool good = residual && vec_push(cell->alloc, &in->residuals, residual) &&
                vec_push(cell->alloc, &in->mixed, mixed) &&
                vec_push(cell->alloc, &in->sources, *source) &&
                graph_symbols(&cell->graph, &residual, 1, note_entry, in) &&
                vec_resize(cell->alloc, &in->row_costs, in->row_symbols.n + 1) &&
                solving_costs(cell, residual, in->row_symbols.items, in->row_symbols.n,
                              in->row_costs.items);
    size_t nown = in->row_symbols.n;
    good = good && (!mixed || graph_symbols(&cell->graph, &mixed, 1, note_before, in));
    for (size_t k = 0; good && k < in->row_symbols.n; k++) {
        uint32_t column = column_of_symbol(in, in->row_symbols.items[k]);
        int32_t cost = k < nown ? in->row_costs.items[k] : NEVER;
        good = incidence_add(&in->table, cell->alloc, column, 0,
                             cost == NEVER ? NEVER : cost + state_cost(in, column));
    }
    return good && incidence_end_row(&in->table, cell->alloc);
}

/* equations, initial equations and fixed start values as conditions; false: no memory */
static bool add_rows(Initial *in)
{
    Cell *cell = in->cell;
    bool good = true;
    for (size_t i = 0; good && i < cell->equations.n; i++) {
        good = vec_push(cell->alloc, &in->row_of_equation, (uint32_t)in->residuals.n);
        for (size_t k = 0; good && k < in->plan->equations.items[i].n; k++)
            good = add_row(in, in->plan->equations.items[i].items[k], &cell->equations.items[i]);
    }
    in->nequation = in->residuals.n;
    for (size_t i = 0; good && i < cell->initial.n; i++) {
        const CellEquation *e = &cell->initial.items[i];
        if (!is_start_of_state(in, e)) /* it is known */
            good = add_row(in, node_subtract(&cell->graph, e->left, e->right), e);
    }
    in->ncondition = in->residuals.n;
    in->table.ncolumn = (uint32_t)in->symbols.n;
    return good;
}

/* an unknown for each condition, and the order in which they are solved; false: no memory */
static bool match(Initial *in)
{
    const LiederAllocator *alloc = in->cell->alloc;
    in->order.n = in->first_row.n = 0;
    if (!vec_resize(alloc, &in->column_of, in->residuals.n + 1) ||
        !vec_resize(alloc, &in->row_of, in->symbols.n + 1) ||
        !assign_columns(&in->table, alloc, in->column_of.items, NULL) ||
        !sort_rows(&in->table, alloc, in->column_of.items, &in->order, &in->first_row))
        return false;
    for (size_t j = 0; j < in->symbols.n; j++)
        in->row_of.items[j] = NO_ROW;
    for (uint32_t i = 0; i < in->residuals.n; i++)
        if (in->column_of.items[i] != NO_COLUMN)
            in->row_of.items[in->column_of.items[i]] = i;
    return true;
}

/* ------------------------------------------------------------------ preferred variables */

/* states that nothing decides, for which no start value is given and which nobody prefers */
static size_t count_without_start(const Initial *in)
{
    size_t n = 0;
    for (uint32_t k = 0; k < in->plan->states.n; k++) {
        const CellState *s = &in->plan->states.items[k];
        const CellVariable *x = &in->cell->variables.items[s->variable];
        n += in->row_of.items[in->first.items[s->variable] + s->order] == NO_ROW &&
             !is_fixed(in->cell, s) && !x->start_given && !x->is_free && x->select < SELECT_PREFER;
    }
    return n;
}

/* a variable that is no state, though it is preferred, with a start value that does not hold */
static bool is_preferred(const Initial *in, uint32_t v)
{
    const CellVariable *x = &in->cell->variables.items[v];
    return x->role == CELL_UNKNOWN && x->select >= SELECT_PREFER && x->start_given && x->start &&
           !x->start_fixed && !x->is_free && in->plan->values.items[v].n > 0 &&
           in->state_of.items[in->first.items[v]] == NO_COLUMN;
}

static void remove_last_row(Initial *in)
{
    in->residuals.n--;
    in->mixed.n--;
    in->sources.n--;
    in->table.first.n--;
    in->table.entries.n = in->table.first.items[in->table.first.n - 1];
}

/* start values of preferred variables in place of states that have none, one after the other as
 * long as that decides one more; false: no memory */
static bool add_preferred(Initial *in)
{
    enum { MOST = 200 };
    Cell *cell = in->cell;
    bool good = true;
    size_t tried = 0, open = count_without_start(in);
    for (uint32_t v = 0; good && open && v < cell->variables.n && tried < MOST; v++) {
        if (!is_preferred(in, v))
            continue;
        const CellVariable *x = &cell->variables.items[v];
        Node self = cell_variable(cell, v, 0);
        CellEquation source = {.left = self, .right = x->start, .place = x->place};
        good = add_row(in, node_subtract(&cell->graph, self, x->start), &source) && match(in);
        size_t now = good ? count_without_start(in) : open;
        if (good && now >= open) {
            remove_last_row(in);
            good = match(in);
        }
        open = now < open ? now : open;
        tried++;
    }
    in->nchosen = in->residuals.n;
    return good;
}

/* ------------------------------------------------------------------ corrections */

/* A constraint g(q) = 0 that leaves open which of its states it decides moves all of them: from
 * their start values q0 along the gradient there, q = q0 + grad g(q0) z, and z is the unknown. */
typedef struct Correction {
    Initial *in;
    uint32_t row;    /* of g */
    uint32_t column; /* of z */
    Node z;
} Correction;

/* a state of the row that nothing decides, or that this row does */
static bool is_open(const Initial *in, uint32_t row, uint32_t column)
{
    uint32_t by = in->row_of.items[column];
    return in->state_of.items[column] != NO_COLUMN && (by == NO_ROW || by == row) &&
           !in->cell->variables.items[symbol_variable(in->symbols.items[column])].is_free;
}

static Node start_of_open(void *user, uint64_t symbol, Node node)
{
    const Correction *c = user;
    uint32_t column = column_of_symbol(c->in, symbol);
    if (column == NO_COLUMN || column == c->column || !is_open(c->in, c->row, column))
        return node;
    Node start = c->in->cell->variables.items[symbol_variable(symbol)].start;
    return start ? start : node_constant(&c->in->cell->graph, 0);
}

/* the unknown z as a variable of the cell that nobody sees */
static bool add_unknown(Correction *c)
{
    Initial *in = c->in;
    Cell *cell = in->cell;
    const LiederAllocator *alloc = cell->alloc;
    uint32_t v = cell_add_variable(cell, (CellVariable){.name = "correction of start values",
                                                        .place = in->sources.items[c->row].place,
                                                        .role = CELL_PARAMETER,
                                                        .is_hint = true,
                                                        .is_free = true,
                                                        .length = 1});
    if (v == UINT32_MAX || !vec_resize(alloc, &in->plan->values, cell->variables.n) ||
        !vec_resize(alloc, &in->first, cell->variables.n + 1))
        return false;
    c->column = in->first.items[v] = (uint32_t)in->symbols.n;
    c->z = cell_variable(cell, v, 0);
    return vec_push(alloc, &in->symbols, cell_symbol(v, 0)) &&
           vec_push(alloc, &in->state_of, NO_COLUMN) &&
           vec_resize(alloc, &in->found, in->symbols.n + 1) &&
           vec_resize(alloc, &in->needed, in->symbols.n + 1);
}

/* a row q_k = q0_k + (dg / dq_k)(q0) z for each open state of the constraint */
static bool add_correction(Initial *in, uint32_t row)
{
    Graph *g = &in->cell->graph;
    Correction c = {.in = in, .row = row};
    VEC(uint64_t) open = {0};
    bool good = true;
    FOR_ENTRIES(&in->table, row, e)
    if (is_open(in, row, e->column))
        good = good && vec_push(g->alloc, &open, in->symbols.items[e->column]);
    if (open.n > 1)
        good = good && add_unknown(&c);
    for (size_t k = 0; good && open.n > 1 && k < open.n; k++) {
        Node slope = node_partial(g, in->residuals.items[row], open.items[k]);
        Node start = start_of_open(&c, open.items[k], NO_NODE);
        slope = replace_once(g, start_of_open, &c, slope);
        Node moved = node_add(g, start, node_multiply(g, slope, c.z));
        Node q = node_symbol(g, open.items[k]);
        CellEquation source = in->sources.items[row];
        good = add_row(in, node_subtract(g, q, moved), &source);
    }
    vec_drop(g->alloc, &open);
    return good;
}

static bool add_corrections(Initial *in)
{
    bool good = true;
    for (size_t k = 0; good && k < in->plan->even.n; k++)
        good = add_correction(in, in->row_of_equation.items[in->plan->even.items[k]]);
    in->table.ncolumn = (uint32_t)in->symbols.n;
    return good && (in->residuals.n == in->ncondition || match(in));
}

/* ------------------------------------------------------------------ too few, too many */

/* one more name for a list of as many as a person reads */
static void list_name(const Initial *in, uint64_t symbol, char *buffer, size_t size, size_t count)
{
    size_t at = strlen(buffer);
    char name[300];
    cell_symbol_text(in->cell, symbol, name, sizeof name);
    if (count < 8)
        snprintf(buffer + at, size - at, "%s%s", count ? ", " : "", name);
    else if (count == 8)
        snprintf(buffer + at, size - at, ", ...");
}

/* "x, y": states that nothing decides, and preferred variables that stand for some */
static size_t list_chosen(const Initial *in, char *buffer, size_t size)
{
    size_t count = 0;
    buffer[0] = '\0';
    for (uint32_t k = 0; k < in->plan->states.n; k++) {
        const CellState *s = &in->plan->states.items[k];
        uint32_t column = in->first.items[s->variable] + s->order;
        if (in->row_of.items[column] == NO_ROW && !is_fixed(in->cell, s))
            list_name(in, in->symbols.items[column], buffer, size, count++);
    }
    for (size_t i = in->ncondition; i < in->nchosen; i++)
        list_name(in, node_data(&in->cell->graph, in->sources.items[i].left)->symbol, buffer, size,
                  count++);
    return count;
}

/* states that nothing decides keep their start values, which is reported */
static void report_chosen(const Initial *in)
{
    Cell *cell = in->cell;
    char names[600];
    size_t count = list_chosen(in, names, sizeof names), given = in->plan->states.n - count;
    if (!count)
        return;
    diag_warning(cell->diag, &cell->initial.items[0].place, NULL,
                 "%zu condition(s) for %zu start values: chosen are the start attributes of %s\n"
                 "write fixed = true where they are meant, or further initial equations",
                 given, in->plan->states.n, names);
}

/* a parameter that no initial equation decides takes its start value; without one, an error */
static LiederStatus settle_parameters(Initial *in)
{
    Cell *cell = in->cell;
    LiederStatus status = LIEDER_DONE;
    for (uint32_t v = 0; v < cell->variables.n; v++) {
        const CellVariable *x = &cell->variables.items[v];
        if (!x->is_free || in->row_of.items[in->first.items[v]] != NO_ROW)
            continue;
        in->found.items[in->first.items[v]] = x->start;
        if (x->start)
            continue;
        diag_error(cell->diag, &x->place, NULL,
                   "nothing decides the parameter '%s': it has fixed = false\n"
                   "write an initial equation for it, or give it a value",
                   x->name);
        status = LIEDER_BAD_MODEL;
    }
    return status;
}

/* every variable has an equation: else the factors of one may vanish */
static LiederStatus all_decided(const Initial *in)
{
    for (uint32_t j = 0; j < in->symbols.n; j++) {
        if (in->row_of.items[j] != NO_ROW || in->state_of.items[j] != NO_COLUMN)
            continue;
        const CellVariable *x = &in->cell->variables.items[symbol_variable(in->symbols.items[j])];
        diag_error(in->cell->diag, &x->place, NULL,
                   "the initial equations decide other variables in place of '%s', whose factor "
                   "is zero in some case\nwrite the conditions for states",
                   x->name);
        return LIEDER_BAD_MODEL;
    }
    return LIEDER_DONE;
}

/* ------------------------------------------------------------------ solution */

/* what start values and checks depend on, from the last component to the first */
static void mark_needed(Initial *in)
{
    for (uint32_t j = 0; j < in->symbols.n; j++)
        in->needed.items[j] = in->state_of.items[j] != NO_COLUMN;
    for (size_t i = 0; i < in->ncondition; i++)
        if (in->column_of.items[i] == NO_COLUMN)
            FOR_ENTRIES(&in->table, i, e)
    in->needed.items[e->column] = 1;
    for (size_t c = in->first_row.n - 1; c-- > 0;) {
        uint32_t begin = in->first_row.items[c], end = in->first_row.items[c + 1];
        bool needed = false;
        for (uint32_t k = begin; k < end; k++) {
            uint32_t column = in->column_of.items[in->order.items[k]];
            needed |= column != NO_COLUMN && in->needed.items[column];
        }
        for (uint32_t k = begin; needed && k < end; k++)
            FOR_ENTRIES(&in->table, in->order.items[k], e)
        in->needed.items[e->column] = 1;
    }
}

static Node found_value(void *user, uint64_t symbol, Node node)
{
    const Initial *in = user;
    uint32_t column = column_of_symbol(in, symbol);
    return column != NO_COLUMN && in->found.items[column] ? in->found.items[column] : node;
}

/* one strongly connected part of the conditions */
static LiederStatus solve_rows(Initial *in, uint32_t first, uint32_t end)
{
    Cell *cell = in->cell;
    System system = {.cell = cell, .plan = in->plan, .source = in->sources.items};
    bool good = true;
    for (uint32_t k = first; good && k < end; k++) {
        uint32_t i = in->order.items[k];
        Node residual = in->residuals.items[i], mixed = in->mixed.items[i];
        residual = replace_once(&cell->graph, found_value, in, residual);
        mixed = mixed ? replace_once(&cell->graph, found_value, in, mixed) : NO_NODE;
        good = system_add(&system, residual, i, in->symbols.items[in->column_of.items[i]]) &&
               system_add_mixed(&system, mixed);
    }
    LiederStatus status = good ? system_solve(&system) : LIEDER_NO_MEMORY;
    for (uint32_t k = first; status == LIEDER_DONE && k < end; k++)
        in->found.items[in->column_of.items[in->order.items[k]]] = system.solution.items[k - first];
    system_drop(&system);
    return status;
}

static LiederStatus solve_components(Initial *in)
{
    LiederStatus status = LIEDER_DONE;
    for (size_t c = 0; status == LIEDER_DONE && c + 1 < in->first_row.n; c++) {
        uint32_t begin = in->first_row.items[c];
        uint32_t column = in->column_of.items[in->order.items[begin]];
        if (column != NO_COLUMN && in->needed.items[column])
            status = solve_rows(in, begin, in->first_row.items[c + 1]);
    }
    return status;
}

/* conditions that decide nothing, which is reported once for all */
static LiederStatus take_checks(Initial *in)
{
    Cell *cell = in->cell;
    Graph *g = &cell->graph;
    const CellEquation *one = NULL;
    for (size_t i = 0; i < in->ncondition; i++) {
        if (in->column_of.items[i] != NO_COLUMN)
            continue;
        const CellEquation *e = &in->sources.items[i];
        bool is_constraint = i < in->nequation; /* between states whose start values hold */
        Node left = is_constraint ? in->residuals.items[i] : as_at_start(in, e->left);
        Node right = is_constraint ? node_constant(g, 0) : as_at_start(in, e->right);
        CellCheck check = {replace_once(g, found_value, in, left),
                           replace_once(g, found_value, in, right), *e};
        if (!check.left || !check.right || !vec_push(cell->alloc, &in->plan->checks, check))
            return LIEDER_NO_MEMORY;
        one = one || is_constraint ? one : e;
    }
    if (one)
        diag_warning(cell->diag, &one->place, one->path,
                     "%zu initial condition(s) more than start values: this one decides nothing, "
                     "it is compared with the others when the run begins\n"
                     "remove what follows from other conditions",
                     in->plan->checks.n);
    return LIEDER_DONE;
}

/* conditions, matching, start values that are given up, then all parts in order */
static LiederStatus solve_all(Initial *in)
{
    if (!find_literals(in) || !add_rows(in) || !match(in) || !add_preferred(in) ||
        !add_corrections(in))
        return LIEDER_NO_MEMORY;
    LiederStatus status = settle_parameters(in);
    if (status == LIEDER_DONE)
        status = all_decided(in);
    if (status != LIEDER_DONE)
        return status;
    if (in->cell->initial.n)
        report_chosen(in);
    mark_needed(in);
    status = solve_components(in);
    if (status == LIEDER_DONE)
        status = take_checks(in);
    for (size_t k = 0; status == LIEDER_DONE && k < in->plan->states.n; k++) {
        CellState *s = &in->plan->states.items[k];
        s->initial = in->found.items[in->first.items[s->variable] + s->order];
    }
    return status;
}

/* is there anything to solve? start values that hold, of states, are known */
static bool is_trivial(const Initial *in)
{
    for (size_t i = 0; i < in->cell->initial.n; i++)
        if (!is_start_of_state(in, &in->cell->initial.items[i]))
            return false;
    for (size_t v = 0; v < in->cell->variables.n; v++)
        if (in->cell->variables.items[v].is_free)
            return false;
    return in->plan->kept.n == 0;
}

LiederStatus cell_solve_initial(Cell *cell, CellPlan *plan)
{
    Initial in = {.cell = cell, .plan = plan};
    LiederStatus status = add_columns(&in) ? LIEDER_DONE : LIEDER_NO_MEMORY;
    if (status == LIEDER_DONE && !is_trivial(&in))
        status = solve_all(&in);
    initial_drop(&in);
    return cell->graph.failed ? LIEDER_NO_MEMORY : status;
}
