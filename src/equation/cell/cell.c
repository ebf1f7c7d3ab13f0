/* cell.c - offsets and stages: which variables are states, and a node for every variable. The
 * algorithm stands in cell.h; components are solved in eliminate.c. */
#include "equation/cell/cell.h"

#include <stdio.h>
#include <string.h>

#include "equation/cell/stage.h"

void cell_init(Cell *cell, const LiederAllocator *alloc, Diagnostics *diag)
{
    *cell = (Cell){.alloc = alloc, .diag = diag};
    cell_events_init(cell);
    graph_init(&cell->graph, alloc);
}

void cell_drop(Cell *cell)
{
    vec_drop(cell->alloc, &cell->variables);
    vec_drop(cell->alloc, &cell->equations);
    vec_drop(cell->alloc, &cell->initial);
    vec_drop(cell->alloc, &cell->assertions);
    for (size_t i = 0; i < cell->systems.n; i++) {
        vec_drop(cell->alloc, &cell->systems.items[i].symbols);
        vec_drop(cell->alloc, &cell->systems.items[i].sources);
    }
    vec_drop(cell->alloc, &cell->systems);
    vec_drop(cell->alloc, &cell->homotopies);
    vec_drop(cell->alloc, &cell->calls);
    vec_drop(cell->alloc, &cell->call_at);
    vec_drop(cell->alloc, &cell->probe.value);
    vec_drop(cell->alloc, &cell->probe.verdict);
    vec_drop(cell->alloc, &cell->probe.unknown);
    graph_numbers_drop(&cell->graph, &cell->probe.numbers);
    graph_numbers_drop(&cell->graph, &cell->probe.here);
    graph_numbers_drop(&cell->graph, &cell->probe.nearby);
    cell_events_drop(cell);
    graph_drop(&cell->graph);
}

void plan_drop(CellPlan *plan, const LiederAllocator *alloc)
{
    for (size_t i = 0; i < plan->values.n; i++)
        vec_drop(alloc, &plan->values.items[i]);
    vec_drop(alloc, &plan->deep);
    vec_drop(alloc, &plan->values);
    for (size_t i = 0; i < plan->equations.n; i++)
        vec_drop(alloc, &plan->equations.items[i]);
    vec_drop(alloc, &plan->equations);
    vec_drop(alloc, &plan->checks);
    vec_drop(alloc, &plan->kept);
    vec_drop(alloc, &plan->kept_raw);
    vec_drop(alloc, &plan->even);
    vec_drop(alloc, &plan->components);
    vec_drop(alloc, &plan->states);
    vec_drop(alloc, &plan->pivots);
    vec_drop(alloc, &plan->unknowns);
    vec_drop(alloc, &plan->residuals);
    vec_drop(alloc, &plan->reads);
    *plan = (CellPlan){0};
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

void cell_symbol_text(const Cell *cell, uint64_t symbol, char *buffer, size_t size)
{
    const char *name = cell->variables.items[symbol_variable(symbol)].name;
    uint32_t order = symbol_order(symbol);
    if (order >= CELL_RAW)
        snprintf(buffer, size, "the correction of %s%s", order % 64 ? "der " : "", name);
    else if (order == 0)
        snprintf(buffer, size, "%s", name);
    else if (order == 1)
        snprintf(buffer, size, "der(%s)", name);
    else
        snprintf(buffer, size, "derivative %u of %s", order, name);
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
    GraphPass pass = {
        .graph = &cell->graph, .of_symbol = symbol_derivative, .user = cell, .by_time = true};
    Node result = differentiate(&pass, node);
    pass_drop(&pass);
    return result;
}

/* ------------------------------------------------------------------ the work of cell_solve */

/* outward variables of outgoing ports and inward ones of incoming ports are unknown; given inward
 * ones are columns as well, see add_virtual_rows */
static bool is_column(const Solve *s, const CellVariable *v)
{
    bool out = v->role >= CELL_OUTWARD && (s->plan->out >> v->port & 1);
    return v->role == CELL_UNKNOWN || v->role == CELL_INWARD || (v->role == CELL_OUTWARD && out);
}

/* a parameter that initial equations decide: a state that does not change */
static bool take_free_parameter(Solve *s, uint32_t variable)
{
    Cell *cell = s->cell;
    NodeList *values = &s->plan->values.items[variable];
    CellState state = {.variable = variable};
    return vec_push(cell->alloc, &s->plan->states, state) &&
           vec_push(cell->alloc, values, cell_variable(cell, variable, 0)) &&
           vec_push(cell->alloc, values, node_constant(&cell->graph, 0));
}

/* columns for all variables and room for what is found; false: no memory */
static bool solve_init(Solve *s)
{
    Cell *cell = s->cell;
    if (!vec_resize(cell->alloc, &s->column, cell->variables.n) ||
        !vec_resize(cell->alloc, &s->plan->equations, cell->equations.n) ||
        !vec_resize(cell->alloc, &s->plan->values, cell->variables.n) ||
        !vec_resize(cell->alloc, &s->is_kept, cell->equations.n + 1) ||
        !vec_resize(cell->alloc, &s->is_pinned, cell->variables.n + 1) ||
        !vec_resize(cell->alloc, &s->has_inward, cell->equations.n + 1))
        return false;
    for (uint32_t v = 0; v < cell->variables.n; v++) {
        bool unknown = is_column(s, &cell->variables.items[v]);
        s->column.items[v] = unknown ? (uint32_t)s->unknown.n : (uint32_t)NO_COLUMN;
        if (unknown && !vec_push(cell->alloc, &s->unknown, v))
            return false;
        if (cell->variables.items[v].is_free && !take_free_parameter(s, v))
            return false;
    }
    for (size_t i = 0; i < cell->equations.n; i++) {
        const CellEquation *e = &cell->equations.items[i];
        Node residual = node_subtract(&cell->graph, e->left, e->right);
        if (!residual || !vec_push(cell->alloc, &s->plan->equations.items[i], residual))
            return false;
        if (e->by_time && (!vec_resize(cell->alloc, &s->marked, cell->equations.n) ||
                           !vec_push(cell->alloc, &s->marked.items[i], e->by_time)))
            return false;
    }
    s->plain = (GraphPass){.graph = &cell->graph};
    s->derivative = (GraphPass){
        .graph = &cell->graph, .of_symbol = symbol_derivative, .user = cell, .by_time = true};
    return true;
}

/* frees the work lists */
static void solve_drop(Solve *s)
{
    const LiederAllocator *alloc = s->cell->alloc;
    vec_drop(alloc, &s->column);
    vec_drop(alloc, &s->unknown);
    vec_drop(alloc, &s->transversal);
    vec_drop(alloc, &s->c);
    vec_drop(alloc, &s->d);
    vec_drop(alloc, &s->has_inward);
    vec_drop(alloc, &s->is_kept);
    vec_drop(alloc, &s->is_pinned);
    vec_drop(alloc, &s->has_force);
    incidence_drop(&s->table, alloc);
    for (size_t i = 0; i < s->marked.n; i++)
        vec_drop(alloc, &s->marked.items[i]);
    vec_drop(alloc, &s->marked);
    vec_drop(alloc, &s->own_entries);
    if (s->derivative.graph) {
        pass_drop(&s->derivative);
        pass_drop(&s->plain);
    }
}

/* equation i differentiated n times */
Node residual_at(Solve *s, size_t i, uint32_t n)
{
    NodeList *list = &s->plan->equations.items[i];
    NodeList *marked = s->cell->equations.items[i].by_time ? &s->marked.items[i] : list;
    while (list->n <= n) {
        Node last = marked->items[list->n - 1];
        Node next = differentiate(&s->derivative, last);
        if (s->is_kept.items[i])
            next = node_add(&s->cell->graph, next, last);
        if (marked != list && next && vec_push(s->cell->alloc, marked, next))
            next = node_plain(&s->plain, next);
        if (!next || !vec_push(s->cell->alloc, list, next)) {
            s->cell->graph.failed = true;
            return NO_NODE;
        }
    }
    return list->items[n];
}

/* ------------------------------------------------------------------ incidence and costs */

/* the unknowns of one equation */
typedef struct Occurrence {
    Solve *solve;
    VEC(IncidenceEntry) entries; /* the order is the highest */
    VEC(uint32_t) entry_of;      /* by column: 1 + entry of the last equation that has it */
    VEC(uint64_t) symbols;       /* by entry */
    VEC(int32_t) costs;
} Occurrence;

/* a variable stands in the equation at hand, with this order of its derivative */
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
    uint32_t k = o->entry_of.items[column];
    if (k > 0 && k <= o->entries.n && o->entries.items[k - 1].column == column) {
        if (order > o->entries.items[k - 1].order)
            o->entries.items[k - 1].order = order;
        return true;
    }
    o->entry_of.items[column] = (uint32_t)o->entries.n + 1;
    return vec_push(o->solve->cell->alloc, &o->entries, (IncidenceEntry){column, order, 0});
}

/* what it costs to solve an equation for each variable that occurs in it */
static bool find_costs(Occurrence *o, Node residual)
{
    Cell *cell = o->solve->cell;
    bool good = vec_resize(cell->alloc, &o->costs, o->entries.n + 1);
    o->symbols.n = 0;
    for (size_t k = 0; good && k < o->entries.n; k++) {
        const IncidenceEntry *e = &o->entries.items[k];
        uint32_t variable = o->solve->unknown.items[e->column];
        good = vec_push(cell->alloc, &o->symbols, cell_symbol(variable, (uint32_t)e->order));
    }
    return good && solving_costs(cell, residual, o->symbols.items, o->symbols.n, o->costs.items);
}

/* What is connected to an outgoing port answers its potentials: a row for each inward variable
 * there, with the outward variables at the order of their contract. It is never solved; it says how
 * often equations have to be differentiated. */
static bool add_virtual_rows(Solve *s)
{
    const Cell *cell = s->cell;
    bool good = true;
    for (uint32_t g = 0; good && g < cell->variables.n; g++) {
        const CellVariable *given = &cell->variables.items[g];
        if (given->role != CELL_INWARD || !(s->plan->out >> given->port & 1))
            continue;
        good = incidence_add(&s->table, cell->alloc, s->column.items[g], 0, NEVER);
        for (uint32_t v = 0; good && v < cell->variables.n; v++) {
            const CellVariable *q = &cell->variables.items[v];
            if (q->role == CELL_OUTWARD && q->port == given->port)
                good = incidence_add(&s->table, cell->alloc, s->column.items[v],
                                     (int32_t)q->contract, NEVER);
        }
        good = good && incidence_end_row(&s->table, cell->alloc);
    }
    return good;
}

/* what derivatives of the equation have beyond it: it is never solved for that */
static bool add_own_derivatives(Occurrence *o, uint32_t row)
{
    const Solve *s = o->solve;
    for (size_t k = 0; k < s->own_entries.n; k++) {
        OwnDerivativeEntry t = s->own_entries.items[k];
        size_t at = 0;
        if (t.row != row)
            continue;
        while (at < o->entries.n && o->entries.items[at].column != t.column)
            at++;
        if (at == o->entries.n &&
            (!vec_push(s->cell->alloc, &o->entries, (IncidenceEntry){t.column, t.order, 0}) ||
             !vec_resize(s->cell->alloc, &o->costs, o->entries.n + 1)))
            return false;
        if (o->entries.items[at].order < t.order)
            o->entries.items[at].order = t.order;
        o->costs.items[at] = NEVER;
    }
    return true;
}

/* which unknowns stand in which equations, with the highest order of each; false: no memory */
static bool build_incidence(Solve *s)
{
    Cell *cell = s->cell;
    Occurrence o = {.solve = s};
    incidence_drop(&s->table, cell->alloc);
    s->table = (Incidence){0};
    bool good = vec_resize(cell->alloc, &o.entry_of, s->unknown.n + 1);
    for (size_t i = 0; good && i < cell->equations.n; i++) {
        Node residual = s->plan->equations.items[i].items[0];
        o.entries.n = 0;
        good = graph_symbols(&cell->graph, &residual, 1, note_occurrence, &o) &&
               find_costs(&o, residual) && add_own_derivatives(&o, (uint32_t)i);
        for (size_t k = 0; good && k < o.entries.n; k++) {
            const IncidenceEntry *e = &o.entries.items[k];
            s->has_inward.items[i] |= variable_at(s, e->column)->role == CELL_INWARD;
            good = incidence_add(&s->table, cell->alloc, e->column, e->order, o.costs.items[k]);
        }
        good = good && incidence_end_row(&s->table, cell->alloc);
    }
    s->table.ncolumn = (uint32_t)s->unknown.n;
    vec_drop(cell->alloc, &o.entries);
    vec_drop(cell->alloc, &o.entry_of);
    vec_drop(cell->alloc, &o.symbols);
    vec_drop(cell->alloc, &o.costs);
    return good && add_virtual_rows(s);
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

/* "lines 3, 5 and others": where the rest of a set stands */
static void list_lines(const Solve *s, const uint32_t *rows, size_t n, char *buffer, size_t size)
{
    enum { MAX_LINES = 4 };
    size_t at = 0, count = 0;
    buffer[0] = '\0';
    for (size_t k = 0; k < n && at < size; k++) {
        if (rows[k] >= s->cell->equations.n || s->cell->equations.items[rows[k]].place.line <= 0)
            continue;
        int line = s->cell->equations.items[rows[k]].place.line;
        if (count < MAX_LINES)
            at += (size_t)snprintf(buffer + at, size - at, "%s%d", count ? ", " : "", line);
        count++;
    }
    if (count > MAX_LINES && at < size)
        snprintf(buffer + at, size - at, " and others");
}

/* equations that have fewer variables than they are: one is reported at its place, with the
 * variables and the lines of the others */
static void report_set(const Solve *s, const uint32_t *rows, size_t n)
{
    char names[300], lines[100];
    VEC(uint8_t) chosen = {0};
    size_t first = 0, nname = 0;
    while (first < n && rows[first] >= s->cell->equations.n)
        first++;
    if (first == n || !vec_resize(s->cell->alloc, &chosen, s->table.ncolumn + 1))
        return;
    for (size_t k = 0; k < n; k++)
        FOR_ENTRIES(&s->table, rows[k], e)
    chosen.items[e->column] = 1;
    for (size_t j = 0; j < s->unknown.n; j++)
        nname += chosen.items[j];
    list_names(s, chosen.items, names, sizeof names);
    list_lines(s, rows + first + 1, n - first - 1, lines, sizeof lines);
    const CellEquation *e = &s->cell->equations.items[rows[first]];
    diag_error(s->cell->diag, &e->place, e->path,
               "there are too many equations for the variables in them: this one is left "
               "over%s%s%s%s%s\nremove one of the equations that decide the same variables",
               nname ? "; others decide " : "", nname ? names : "", *lines ? " (line " : "", lines,
               *lines ? ")" : "");
    vec_drop(s->cell->alloc, &chosen);
}

/* one equation of each set that is too large */
static void report_over(const Solve *s, const RowList *over)
{
    for (size_t k = 0; k < over->n; k++) {
        size_t first = k;
        while (k < over->n && over->items[k] != NO_ROW)
            k++;
        if (k > first)
            report_set(s, over->items + first, k - first);
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
    size_t nrow = incidence_rows(&s->table) + 1;
    VEC(int32_t) least = {0};
    bool good = vec_resize(alloc, &s->transversal, nrow) && vec_resize(alloc, &s->c, nrow) &&
                vec_resize(alloc, &s->d, s->unknown.n + 1) &&
                vec_resize(alloc, &least, s->unknown.n + 1);
    for (uint32_t j = 0; good && j < s->unknown.n; j++)
        if (variable_at(s, j)->role == CELL_OUTWARD)
            least.items[j] = (int32_t)variable_at(s, j)->contract;
    good = good && structural_offsets(&s->table, alloc, least.items, s->transversal.items,
                                      s->c.items, s->d.items, regular, &over);
    vec_drop(alloc, &least);
    if (good && !*regular)
        good = report_balance(s, &over);
    vec_drop(alloc, &over);
    return good;
}

/* incidence and offsets, again while own derivatives of functions bring more */
static bool find_structure(Solve *s, bool *regular)
{
    enum { MOST = 20 };
    bool good = true, more = true;
    for (int round = 0; good && more && round < MOST; round++) {
        more = false;
        good = build_incidence(s) && find_offsets(s, regular) &&
               (!*regular || !s->marked.n || own_derivative_entries(s, &more));
    }
    return good;
}

/* the structure, once more for each hidden constraint that takes the place of an equation */
static bool find_whole_structure(Solve *s, bool *regular)
{
    bool good = true, replaced = true;
    for (size_t round = 0; good && replaced && round <= s->cell->equations.n; round++) {
        replaced = false;
        good = find_structure(s, regular) && (!*regular || replace_dependent(s, &replaced));
    }
    return good;
}

LiederStatus cell_solve(Cell *cell, uint64_t out, CellPlan *plan)
{
    *plan = (CellPlan){.out = out};
    Solve s = {.cell = cell, .plan = plan};
    bool regular = false;
    bool good = !cell->graph.failed && solve_init(&s) && probe_take(cell, out) &&
                find_whole_structure(&s, &regular) &&
                (!regular || (raise_preferred(&s) && find_forces(&s) && check_smooth(&s)));
    LiederStatus status = !good ? LIEDER_NO_MEMORY : regular ? LIEDER_DONE : LIEDER_BAD_MODEL;
    int32_t highest = 0;
    for (size_t j = 0; status == LIEDER_DONE && j < s.unknown.n; j++)
        if (s.d.items[j] > highest)
            highest = s.d.items[j];
    for (size_t i = 0; status == LIEDER_DONE && i < cell->equations.n; i++)
        plan->ndifferentiated += s.c.items[i] > 0;
    for (int32_t number = -highest; status == LIEDER_DONE && number < 0; number++)
        status = run_stage(&s, number);
    if (status == LIEDER_DONE)
        status = run_last_stage(&s);
    if (status == LIEDER_DONE && !project_states(&s, highest))
        status = LIEDER_NO_MEMORY;
    solve_drop(&s);
    return cell->graph.failed ? LIEDER_NO_MEMORY : status;
}
