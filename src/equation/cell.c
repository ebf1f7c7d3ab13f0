/* cell.c - offsets and stages: which variables are states, and a node for every variable. The
 * algorithm stands in cell.h; components are solved in eliminate.c. */
#include "equation/cell.h"

#include <string.h>

#include "equation/eliminate.h"

void cell_init(Cell *cell, const LiederAllocator *alloc, Diagnostics *diag)
{
    *cell = (Cell){.alloc = alloc, .diag = diag};
    graph_init(&cell->graph, alloc);
}

void cell_drop(Cell *cell)
{
    for (size_t i = 0; i < cell->values.n; i++)
        vec_drop(cell->alloc, &cell->values.items[i]);
    vec_drop(cell->alloc, &cell->values);
    vec_drop(cell->alloc, &cell->variables);
    vec_drop(cell->alloc, &cell->equations);
    vec_drop(cell->alloc, &cell->initial);
    vec_drop(cell->alloc, &cell->states);
    vec_drop(cell->alloc, &cell->pivots);
    graph_drop(&cell->graph);
}

uint32_t cell_add_variable(Cell *cell, CellVariable variable)
{
    if (!vec_push(cell->alloc, &cell->variables, variable)) {
        cell->graph.failed = true;
        return UINT32_MAX;
    }
    return (uint32_t)cell->variables.n - 1;
}

bool cell_add_equation(Cell *cell, CellEquation equation)
{
    if (!vec_push(cell->alloc, &cell->equations, equation))
        cell->graph.failed = true;
    return !cell->graph.failed;
}

bool cell_add_initial(Cell *cell, CellEquation equation)
{
    if (!vec_push(cell->alloc, &cell->initial, equation))
        cell->graph.failed = true;
    return !cell->graph.failed;
}

Node cell_variable(Cell *cell, uint32_t variable, uint32_t order)
{
    return node_symbol(&cell->graph, cell_symbol(variable, order));
}

Node cell_time(Cell *cell)
{
    return node_symbol(&cell->graph, CELL_TIME);
}

/* the derivative of a symbol by time; inputs keep theirs as symbols, which are reported if needed
 */
static Node symbol_derivative(void *user, uint64_t symbol, Node node)
{
    Cell *cell = user;
    (void)node;
    if (symbol == CELL_TIME)
        return node_constant(&cell->graph, 1);
    CellRole role = cell->variables.items[symbol_variable(symbol)].role;
    if (role == CELL_PARAMETER || role == CELL_DISCRETE)
        return NO_NODE;
    return node_symbol(&cell->graph, symbol + 1);
}

Node cell_derivative(Cell *cell, Node node)
{
    GraphPass pass = {.graph = &cell->graph, .of_symbol = symbol_derivative, .user = cell};
    Node result = differentiate(&pass, node);
    pass_drop(&pass);
    return result;
}

/* ------------------------------------------------------------------ the work of cell_solve */

typedef struct Solve {
    Cell *cell;
    VEC(uint32_t) column;  /* by variable: its column, or NO_COLUMN */
    VEC(uint32_t) unknown; /* by column: its variable */
    Incidence table;       /* equations against unknowns, highest derivative and cost */
    VEC(uint32_t) transversal;
    VEC(int32_t) c, d;
    VEC(NodeList) residuals; /* by equation: left - right, differentiated 0, 1, ... times */
    GraphPass derivative;
} Solve;

static const CellVariable *variable_at(const Solve *s, uint32_t column)
{
    return &s->cell->variables.items[s->unknown.items[column]];
}

static bool solve_init(Solve *s)
{
    Cell *cell = s->cell;
    if (!vec_resize(cell->alloc, &s->column, cell->variables.n) ||
        !vec_resize(cell->alloc, &s->residuals, cell->equations.n) ||
        !vec_resize(cell->alloc, &cell->values, cell->variables.n))
        return false;
    for (uint32_t v = 0; v < cell->variables.n; v++) {
        bool unknown = cell->variables.items[v].role == CELL_UNKNOWN;
        s->column.items[v] = unknown ? (uint32_t)s->unknown.n : (uint32_t)NO_COLUMN;
        if (unknown && !vec_push(cell->alloc, &s->unknown, v))
            return false;
    }
    for (size_t i = 0; i < cell->equations.n; i++) {
        const CellEquation *e = &cell->equations.items[i];
        Node residual = node_subtract(&cell->graph, e->left, e->right);
        if (!residual || !vec_push(cell->alloc, &s->residuals.items[i], residual))
            return false;
    }
    s->derivative =
        (GraphPass){.graph = &cell->graph, .of_symbol = symbol_derivative, .user = cell};
    return true;
}

static void solve_drop(Solve *s)
{
    const LiederAllocator *alloc = s->cell->alloc;
    for (size_t i = 0; i < s->residuals.n; i++)
        vec_drop(alloc, &s->residuals.items[i]);
    vec_drop(alloc, &s->residuals);
    vec_drop(alloc, &s->column);
    vec_drop(alloc, &s->unknown);
    vec_drop(alloc, &s->transversal);
    vec_drop(alloc, &s->c);
    vec_drop(alloc, &s->d);
    incidence_drop(&s->table, alloc);
    if (s->derivative.graph)
        pass_drop(&s->derivative);
}

/* equation i differentiated n times */
static Node residual_at(Solve *s, size_t i, uint32_t n)
{
    NodeList *list = &s->residuals.items[i];
    while (list->n <= n) {
        Node next = differentiate(&s->derivative, list->items[list->n - 1]);
        if (!next || !vec_push(s->cell->alloc, list, next)) {
            s->cell->graph.failed = true;
            return NO_NODE;
        }
    }
    return list->items[n];
}

/* ------------------------------------------------------------------ incidence and costs */

enum {
    COST_ONE = 1,      /* factor 1 or -1 */
    COST_CONSTANT = 3, /* another number */
    COST_PARAMETER = 30,
    COST_VARYING = 300,
    COST_NONLINEAR = 3000
};

typedef struct Occurrence {
    Solve *solve;
    VEC(IncidenceEntry) entries; /* of one equation; the order is the highest */
} Occurrence;

static bool note_occurrence(void *user, uint64_t symbol, Node node)
{
    Occurrence *o = user;
    (void)node;
    if (symbol == CELL_TIME)
        return true;
    uint32_t column = o->solve->column.items[symbol_variable(symbol)];
    int32_t order = (int32_t)symbol_order(symbol);
    if (column == NO_COLUMN)
        return true;
    for (size_t k = 0; k < o->entries.n; k++)
        if (o->entries.items[k].column == column) {
            if (order > o->entries.items[k].order)
                o->entries.items[k].order = order;
            return true;
        }
    return vec_push(o->solve->cell->alloc, &o->entries, (IncidenceEntry){column, order, 0});
}

/* what a factor is made of */
typedef struct FactorUse {
    const Cell *cell;
    uint64_t self;
    bool has_self, varies;
} FactorUse;

static bool note_factor(void *user, uint64_t symbol, Node node)
{
    FactorUse *use = user;
    (void)node;
    use->has_self |= symbol == use->self;
    use->varies |= symbol == CELL_TIME ||
                   use->cell->variables.items[symbol_variable(symbol)].role != CELL_PARAMETER;
    return true;
}

/* the cost of solving a residual for a symbol; -1: memory ran out */
static int32_t solving_cost(Cell *cell, Node residual, uint64_t symbol)
{
    Graph *g = &cell->graph;
    Node factor, rest;
    int affine = node_affine(g, residual, &symbol, 1, &factor, &rest);
    if (affine < 0)
        return -1;
    if (!affine)
        return COST_NONLINEAR;
    const NodeData *f = node_data(g, factor);
    if (f->kind == NODE_CONSTANT)
        return f->value == 0 ? NEVER : f->value == 1 || f->value == -1 ? COST_ONE : COST_CONSTANT;
    FactorUse use = {.cell = cell, .self = symbol};
    if (!graph_symbols(g, &factor, 1, note_factor, &use))
        return -1;
    return node_may_vanish_by_choice(g, factor) ? NEVER
           : use.varies                         ? COST_VARYING
                                                : COST_PARAMETER;
}

static bool build_incidence(Solve *s)
{
    Cell *cell = s->cell;
    Occurrence o = {.solve = s};
    bool good = true;
    for (size_t i = 0; good && i < cell->equations.n; i++) {
        Node residual = s->residuals.items[i].items[0];
        o.entries.n = 0;
        good = graph_symbols(&cell->graph, &residual, 1, note_occurrence, &o);
        for (size_t k = 0; good && k < o.entries.n; k++) {
            IncidenceEntry *e = &o.entries.items[k];
            uint64_t symbol = cell_symbol(s->unknown.items[e->column], (uint32_t)e->order);
            e->cost = solving_cost(cell, residual, symbol);
            good =
                e->cost >= 0 && incidence_add(&s->table, cell->alloc, e->column, e->order, e->cost);
        }
        good = good && incidence_end_row(&s->table, cell->alloc);
    }
    s->table.ncolumn = (uint32_t)s->unknown.n;
    vec_drop(cell->alloc, &o.entries);
    return good;
}

/* ------------------------------------------------------------------ balance */

/* names of columns, as many as a person reads */
static void list_names(const Solve *s, const uint8_t *chosen, char *buffer, size_t size)
{
    size_t at = 0, count = 0;
    buffer[0] = '\0';
    for (uint32_t j = 0; j < s->unknown.n && at < size; j++) {
        if (!chosen[j])
            continue;
        if (count == 8) {
            snprintf(buffer + at, size - at, ", ...");
            return;
        }
        at += (size_t)snprintf(buffer + at, size - at, "%s'%s'", count++ ? ", " : "",
                               variable_at(s, j)->name);
    }
}

/* each equation of a set that is too large, at its place */
static void report_over(const Solve *s, const RowList *over)
{
    for (size_t k = 0, nset = 0; k < over->n; k++) {
        if (over->items[k] == NO_ROW) {
            nset = 0;
            continue;
        }
        const CellEquation *e = &s->cell->equations.items[over->items[k]];
        if (nset++ == 0)
            diag_error(s->cell->diag, &e->place, e->path,
                       "there are too many equations for the variables in them: this one is left "
                       "over\nremove one of the equations that decide the same variables");
    }
}

/* as many equations as unknowns, each with a variable of its own */
static bool report_balance(const Solve *s, const RowList *over)
{
    Cell *cell = s->cell;
    char names[400];
    VEC(uint8_t) under = {0};
    bool good = vec_resize(cell->alloc, &under, s->table.ncolumn + 1) &&
                assign_free_columns(&s->table, cell->alloc, s->transversal.items, under.items);
    if (good) {
        list_names(s, under.items, names, sizeof names);
        report_over(s, over);
        if (*names) {
            uint32_t first = 0;
            while (!under.items[first])
                first++;
            diag_error(cell->diag, &variable_at(s, first)->place, NULL,
                       "%zu equation(s) for %zu unknown(s): nothing decides %s\n"
                       "add an equation, give a value in the declaration, or make it a parameter",
                       cell->equations.n, s->unknown.n, names);
        }
    }
    vec_drop(cell->alloc, &under);
    return good;
}

/* transversal and offsets; *regular is false after reporting what is missing or too much */
static bool find_offsets(Solve *s, bool *regular)
{
    const LiederAllocator *alloc = s->cell->alloc;
    RowList over = {0};
    bool good = vec_resize(alloc, &s->transversal, s->cell->equations.n + 1) &&
                vec_resize(alloc, &s->c, s->cell->equations.n + 1) &&
                vec_resize(alloc, &s->d, s->unknown.n + 1) &&
                structural_offsets(&s->table, alloc, NULL, s->transversal.items, s->c.items,
                                   s->d.items, regular, &over);
    if (good && !*regular)
        good = report_balance(s, &over);
    vec_drop(alloc, &over);
    return good;
}

/* ------------------------------------------------------------------ stages */

/* to be a state is worth this much: what StateSelect and start values say */
static int32_t state_worth(const CellVariable *v)
{
    static const int32_t by_select[] = {0, 1000, 5000, 10000, 1000000};
    return by_select[v->select] + (v->start_fixed ? 3000 : v->start_given ? 2000 : 0);
}

/* The equations and variables of a stage, and what matters about them. An entry counts if the
 * variable occurs with its highest derivative; those of lower order are known from earlier stages.
 */
typedef struct Stage {
    Solve *solve;
    int32_t s;
    VEC(uint32_t) rows, columns; /* by row and column of the table: equation, column of solve */
    Incidence table;
    VEC(uint32_t) column_of;
    RowList order, first;
} Stage;

static bool stage_build(Stage *stage)
{
    Solve *s = stage->solve;
    const LiederAllocator *alloc = s->cell->alloc;
    VEC(uint32_t) place = {0}; /* by column of solve: column of the stage */
    bool good = vec_resize(alloc, &place, s->unknown.n + 1);
    for (uint32_t j = 0; good && j < s->unknown.n; j++) {
        place.items[j] = (uint32_t)stage->columns.n;
        if (s->d.items[j] + stage->s >= 0)
            good = vec_push(alloc, &stage->columns, j);
    }
    for (uint32_t i = 0; good && i < s->cell->equations.n; i++) {
        if (s->c.items[i] + stage->s < 0)
            continue;
        good = vec_push(alloc, &stage->rows, i);
        FOR_ENTRIES(&s->table, i, e)
        {
            if (e->order + s->c.items[i] != s->d.items[e->column])
                continue;
            int32_t cost = e->cost;
            if (cost != NEVER && stage->s < 0)
                cost += state_worth(variable_at(s, e->column));
            good =
                good && incidence_add(&stage->table, alloc, place.items[e->column], e->order, cost);
        }
        good = good && incidence_end_row(&stage->table, alloc);
    }
    stage->table.ncolumn = (uint32_t)stage->columns.n;
    vec_drop(alloc, &place);
    return good && vec_resize(alloc, &stage->column_of, stage->rows.n + 1);
}

static void stage_drop(Stage *stage)
{
    const LiederAllocator *alloc = stage->solve->cell->alloc;
    vec_drop(alloc, &stage->rows);
    vec_drop(alloc, &stage->columns);
    vec_drop(alloc, &stage->column_of);
    vec_drop(alloc, &stage->order);
    vec_drop(alloc, &stage->first);
    incidence_drop(&stage->table, alloc);
}

/* the value of a variable at the order of a stage; orders come one after the other */
static bool set_value(Solve *s, uint32_t column, Node node)
{
    if (vec_push(s->cell->alloc, &s->cell->values.items[s->unknown.items[column]], node))
        return true;
    s->cell->graph.failed = true;
    return false;
}

/* what no equation of the stage is solved for is integrated */
static bool take_states(Stage *stage)
{
    Solve *s = stage->solve;
    VEC(uint8_t) taken = {0};
    bool good = vec_resize(s->cell->alloc, &taken, stage->columns.n + 1);
    for (size_t r = 0; good && r < stage->rows.n; r++)
        if (stage->column_of.items[r] != NO_COLUMN)
            taken.items[stage->column_of.items[r]] = 1;
    for (size_t k = 0; good && k < stage->columns.n; k++) {
        uint32_t j = stage->columns.items[k], variable = s->unknown.items[j];
        if (taken.items[k])
            continue;
        CellState state = {variable, (uint32_t)(s->d.items[j] + stage->s), NO_NODE};
        good = vec_push(s->cell->alloc, &s->cell->states, state) &&
               set_value(s, j, cell_variable(s->cell, variable, state.order));
    }
    vec_drop(s->cell->alloc, &taken);
    return good;
}

/* one component of a stage: its equations with what is known put in, solved for its variables */
static LiederStatus solve_component(Stage *stage, uint32_t first, uint32_t end)
{
    Solve *s = stage->solve;
    Cell *cell = s->cell;
    System system = {.cell = cell, .source = cell->equations.items};
    LiederStatus status = LIEDER_DONE;
    bool good = true;
    for (uint32_t k = first; good && k < end; k++) {
        uint32_t row = stage->order.items[k], i = stage->rows.items[row];
        uint32_t j = stage->columns.items[stage->column_of.items[row]];
        uint64_t symbol = cell_symbol(s->unknown.items[j], (uint32_t)(s->d.items[j] + stage->s));
        Node residual = residual_at(s, i, (uint32_t)(s->c.items[i] + stage->s));
        good = system_add(&system, known_put_in(cell, residual), i, symbol);
    }
    if (good)
        status = system_solve(&system);
    for (uint32_t k = first; good && status == LIEDER_DONE && k < end; k++) {
        uint32_t j = stage->columns.items[stage->column_of.items[stage->order.items[k]]];
        good = set_value(s, j, system.solution.items[k - first]);
    }
    system_drop(&system);
    return good ? status : LIEDER_NO_MEMORY;
}

static LiederStatus run_stage(Solve *s, int32_t number)
{
    Stage stage = {.solve = s, .s = number};
    const LiederAllocator *alloc = s->cell->alloc;
    LiederStatus status = LIEDER_DONE;
    bool good =
        stage_build(&stage) && assign_columns(&stage.table, alloc, stage.column_of.items, NULL);
    for (size_t r = 0; good && status == LIEDER_DONE && r < stage.rows.n; r++)
        if (stage.column_of.items[r] == NO_COLUMN)
            status = report_unsolvable(s->cell, &s->cell->equations.items[stage.rows.items[r]]);
    if (status == LIEDER_DONE) {
        good = good && (number == 0 || take_states(&stage)) &&
               sort_rows(&stage.table, alloc, stage.column_of.items, &stage.order, &stage.first);
        for (size_t k = 0; good && status == LIEDER_DONE && k + 1 < stage.first.n; k++)
            status = solve_component(&stage, stage.first.items[k], stage.first.items[k + 1]);
    }
    stage_drop(&stage);
    return good && !s->cell->graph.failed ? status : LIEDER_NO_MEMORY;
}

LiederStatus cell_solve(Cell *cell)
{
    Solve s = {.cell = cell};
    bool regular = false;
    bool good =
        !cell->graph.failed && solve_init(&s) && build_incidence(&s) && find_offsets(&s, &regular);
    LiederStatus status = !good ? LIEDER_NO_MEMORY : regular ? LIEDER_DONE : LIEDER_BAD_MODEL;
    int32_t highest = 0;
    for (size_t j = 0; status == LIEDER_DONE && j < s.unknown.n; j++)
        if (s.d.items[j] > highest)
            highest = s.d.items[j];
    for (int32_t number = -highest; status == LIEDER_DONE && number <= 0; number++)
        status = run_stage(&s, number);
    solve_drop(&s);
    return status;
}
