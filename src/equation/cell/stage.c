/* stage.c - one stage of a cell: equations of one level of differentiation, matched, sorted and
 * solved. See cell.h for the algorithm.
 */
#include "equation/cell/stage.h"

#include <stdio.h>

/* which equations and variables a stage is about */
typedef struct StageChoice {
    const uint8_t *rows, *columns; /* by equation and by column of solve */
} StageChoice;

/* rows and columns of a stage and their incidence; false: no memory */
static bool stage_build(Stage *stage, StageChoice choice)
{
    Solve *s = stage->solve;
    const LiederAllocator *alloc = s->cell->alloc;
    VEC(uint32_t) place = {0}; /* by column of solve: column of the stage */
    bool good = vec_resize(alloc, &place, s->unknown.n + 1);
    for (uint32_t j = 0; good && j < s->unknown.n; j++) {
        place.items[j] = choice.columns[j] ? (uint32_t)stage->columns.n : (uint32_t)NO_COLUMN;
        if (choice.columns[j])
            good = vec_push(alloc, &stage->columns, j);
    }
    for (uint32_t i = 0; good && i < s->cell->equations.n; i++) {
        if (!choice.rows[i])
            continue;
        good = vec_push(alloc, &stage->rows, i);
        FOR_ENTRIES(&s->table, i, e)
        {
            if (e->order + s->c.items[i] != s->d.items[e->column] || !choice.columns[e->column])
                continue;
            int32_t cost = e->cost;
            if (stage->s < 0 && s->is_pinned.items[e->column])
                cost = NEVER;
            if (cost != NEVER && stage->s < 0)
                cost += state_worth(variable_at(s, e->column), s->d.items[e->column] + stage->s);
            if (cost != NEVER && stage->solves_algebraic && s->d.items[e->column] > 0)
                cost += COST_DERIVATIVE;
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
    if (vec_push(s->cell->alloc, &s->plan->values.items[s->unknown.items[column]], node))
        return true;
    s->cell->graph.failed = true;
    return false;
}

/* Booleans and Integers are assigned in order: in a loop nothing says which one comes first.
 * Systems of so many equations and more. */
static LiederStatus check_discrete(const System *system, size_t least)
{
    const Cell *cell = system->cell;
    char names[300];
    size_t at = 0, found = 0;
    names[0] = '\0';
    for (size_t k = 0; k < system->symbols.n && system->symbols.n >= least; k++) {
        const CellVariable *v = &cell->variables.items[symbol_variable(system->symbols.items[k])];
        if (v->type == LIEDER_TYPE_REAL || at >= sizeof names || found++ == 6)
            continue;
        at += (size_t)snprintf(names + at, sizeof names - at, "%s'%s'", at ? ", " : "", v->name);
    }
    if (!found)
        return LIEDER_DONE;
    const CellEquation *e = &system->source[system->equations.items[0]];
    diag_error(cell->diag, &e->place, e->path,
               "%s %s defined in terms of %s: %zu equation(s) depend on each other\n"
               "use pre(...) of a variable where the value before the event is meant",
               names, found > 1 ? "are" : "is", found > 1 ? "each other" : "itself",
               system->symbols.n);
    return LIEDER_BAD_MODEL;
}

/* what a reader is shown about equations that were solved together */
static bool note_component(Stage *stage, const System *system, size_t nsystem)
{
    const Cell *cell = system->cell;
    const CellSystem *left = cell->systems.n > nsystem ? &cell->systems.items[nsystem] : NULL;
    if (system->symbols.n < 2 && !left)
        return true;
    CellComponent c = {
        .nequation = (uint32_t)system->symbols.n,
        .nleft = left ? (uint32_t)left->symbols.n : 0,
        .is_constant = left && left->is_linear && left->is_constant,
        .is_sparse = left && left->is_sparse,
        .nentry = left ? left->nentry : 0,
        .solution = !left             ? SOLVED_SYMBOLIC
                    : left->is_linear ? SOLVED_LINEAR
                                      : SOLVED_ITERATED,
        .variable = symbol_variable((left ? left->symbols.items : system->symbols.items)[0])};
    return vec_push(cell->alloc, &stage->solve->plan->components, c);
}

/* Values are put in one into the other. One that needs a large system would have all of this system
 * examined by every equation that uses the variable; so the variable stands for it while such an
 * equation is solved, and the value is put in afterwards. */
typedef struct DeepUse {
    const CellPlan *plan;
    bool found;
} DeepUse;

static bool note_deep(void *user, uint64_t symbol, Node node)
{
    DeepUse *use = user;
    (void)node;
    use->found |= symbol != CELL_TIME && use->plan->deep.items[symbol_variable(symbol)];
    return true;
}

/* values of deep variables into the solution; *deep: what is solved for is deep as well */
static bool finish_solution(Solve *s, System *system, size_t nsystem, bool *deep)
{
    Cell *cell = s->cell;
    CellPlan *plan = s->plan;
    for (size_t k = nsystem; k < cell->systems.n; k++)
        *deep |= cell->systems.items[k].symbols.n >= SPARSE_FROM;
    if (*deep && !vec_resize(cell->alloc, &plan->deep, cell->variables.n))
        return false;
    if (!plan->any_deep)
        return true;
    DeepUse use = {.plan = plan};
    if (!graph_symbols(&cell->graph, system->solution.items, system->solution.n, note_deep, &use))
        return false;
    *deep |= use.found;
    for (size_t k = 0; use.found && k < system->solution.n; k++)
        system->solution.items[k] = known_put_in(cell, plan, system->solution.items[k]);
    return !cell->graph.failed;
}

/* one component of a stage: its equations with what is known put in, solved for its variables */
static LiederStatus solve_component(Stage *stage, uint32_t first, uint32_t end)
{
    Solve *s = stage->solve;
    Cell *cell = s->cell;
    System system = {.cell = cell, .plan = s->plan, .source = cell->equations.items};
    LiederStatus status = LIEDER_DONE;
    bool good = true;
    for (uint32_t k = first; good && k < end; k++) {
        uint32_t row = stage->order.items[k], i = stage->rows.items[row];
        uint32_t j = stage->columns.items[stage->column_of.items[row]];
        uint64_t symbol = cell_symbol(s->unknown.items[j], (uint32_t)(s->d.items[j] + stage->s));
        Node residual = residual_at(s, i, (uint32_t)(s->c.items[i] + stage->s));
        Node mixed = s->c.items[i] + stage->s == 0 ? homotopy_mixed(cell, residual) : NO_NODE;
        good = system_add(&system, shallow_put_in(cell, s->plan, residual), i, symbol) &&
               system_add_mixed(&system, mixed ? shallow_put_in(cell, s->plan, mixed) : NO_NODE);
    }
    if (good)
        status = check_discrete(&system, 2);
    size_t nsystem = cell->systems.n;
    if (good && status == LIEDER_DONE)
        status = system_solve(&system);
    if (good && status == LIEDER_DONE && cell->systems.n > nsystem) /* b = not b is iterated */
        status = check_discrete(&system, 1);
    bool deep = false;
    if (status == LIEDER_DONE)
        good = good && note_component(stage, &system, nsystem) &&
               finish_solution(s, &system, nsystem, &deep);
    for (uint32_t k = first; good && status == LIEDER_DONE && k < end; k++) {
        uint32_t j = stage->columns.items[stage->column_of.items[stage->order.items[k]]];
        good = set_value(s, j, system.solution.items[k - first]);
        if (deep)
            s->plan->deep.items[s->unknown.items[j]] = 1;
    }
    s->plan->any_deep |= deep;
    system_drop(&system);
    return good ? status : LIEDER_NO_MEMORY;
}

/* in the order of dependence; rows without a column are left alone */
static LiederStatus solve_components(Stage *stage)
{
    const LiederAllocator *alloc = stage->solve->cell->alloc;
    LiederStatus status = LIEDER_DONE;
    if (!sort_rows(&stage->table, alloc, stage->column_of.items, &stage->order, &stage->first))
        return LIEDER_NO_MEMORY;
    for (size_t k = 0; status == LIEDER_DONE && k + 1 < stage->first.n; k++) {
        uint32_t first = stage->first.items[k];
        if (stage->column_of.items[stage->order.items[first]] != NO_COLUMN)
            status = solve_component(stage, first, stage->first.items[k + 1]);
    }
    return status;
}

/* by column of a stage: no row is solved for it */
typedef VEC(uint8_t) Flags;

static bool find_free(const Stage *stage, Flags *is_free)
{
    if (!vec_resize(stage->solve->cell->alloc, is_free, stage->columns.n + 1))
        return false;
    for (size_t k = 0; k < stage->columns.n; k++)
        is_free->items[k] = 1;
    for (size_t r = 0; r < stage->rows.n; r++)
        if (stage->column_of.items[r] != NO_COLUMN)
            is_free->items[stage->column_of.items[r]] = 0;
    return true;
}

/* ------------------------------------------------------------------ stages before the last */

/* what a reader is shown about the choice of states, by set of columns that hang together */
typedef struct TiedSet {
    uint32_t ntied, nconstraint, rival, rival_order; /* as in CellState */
    int32_t worth;                                   /* of the rival */
} TiedSet;
typedef VEC(TiedSet) TiedSets;

/* why a state was chosen: what ties it to others; false: no memory */
static bool explain_states(const Stage *stage, const Flags *is_free, RowList *set_of,
                           TiedSets *sets)
{
    const Solve *s = stage->solve;
    if (!incidence_column_sets(&stage->table, s->cell->alloc, set_of) ||
        !vec_resize(s->cell->alloc, sets, stage->columns.n + 1))
        return false;
    for (size_t k = 0; k < stage->columns.n; k++) {
        uint32_t j = stage->columns.items[k];
        TiedSet *set = &sets->items[set_of->items[k]];
        const CellVariable *v = variable_at(s, j);
        int32_t order = s->d.items[j] + stage->s, worth = state_worth(v, order);
        bool preferred = v->select > SELECT_DEFAULT || (order == 0 && v->start_given);
        set->ntied++;
        set->nconstraint += !is_free->items[k];
        if (is_free->items[k] || !preferred || worth <= set->worth)
            continue;
        set->worth = worth;
        set->rival = 1 + s->unknown.items[j];
        set->rival_order = (uint32_t)order;
    }
    return true;
}

/* what no equation of the stage is solved for is integrated */
static bool take_states(Stage *stage)
{
    Solve *s = stage->solve;
    Flags is_free = {0};
    RowList set_of = {0};
    TiedSets sets = {0};
    bool good = find_free(stage, &is_free) && explain_states(stage, &is_free, &set_of, &sets);
    for (size_t k = 0; good && k < stage->columns.n; k++) {
        uint32_t j = stage->columns.items[k], variable = s->unknown.items[j];
        if (!is_free.items[k])
            continue;
        const TiedSet *set = &sets.items[set_of.items[k]];
        CellState state = {.variable = variable,
                           .order = (uint32_t)(s->d.items[j] + stage->s),
                           .is_kept = s->is_pinned.items[j],
                           .ntied = set->ntied,
                           .nconstraint = set->nconstraint,
                           .rival = set->rival,
                           .rival_order = set->rival_order};
        good = vec_push(s->cell->alloc, &s->plan->states, state) &&
               set_value(s, j, cell_variable(s->cell, variable, state.order));
    }
    vec_drop(s->cell->alloc, &is_free);
    vec_drop(s->cell->alloc, &set_of);
    vec_drop(s->cell->alloc, &sets);
    return good;
}

/* the equations that are differentiated far enough, and all variables of the level */
static bool choose_level(const Solve *s, int32_t number, Flags *rows, Flags *columns)
{
    const LiederAllocator *alloc = s->cell->alloc;
    if (!vec_resize(alloc, rows, s->cell->equations.n + 1) ||
        !vec_resize(alloc, columns, s->unknown.n + 1))
        return false;
    for (size_t i = 0; i < s->cell->equations.n; i++)
        rows->items[i] = s->c.items[i] + number >= 0 && !(number < 0 && s->is_kept.items[i]);
    for (uint32_t j = 0; j < s->unknown.n; j++) {
        const CellVariable *v = variable_at(s, j);
        bool given = v->role == CELL_INWARD && (s->plan->out >> v->port & 1);
        columns->items[j] = s->d.items[j] + number >= 0 && !given;
    }
    return true;
}

/* every row has a column, or the first one that has none is reported */
static LiederStatus all_assigned(const Stage *stage)
{
    Cell *cell = stage->solve->cell;
    for (size_t r = 0; r < stage->rows.n; r++)
        if (stage->column_of.items[r] == NO_COLUMN)
            return report_unsolvable(cell, &cell->equations.items[stage->rows.items[r]]);
    return LIEDER_DONE;
}

LiederStatus run_stage(Solve *s, int32_t number)
{
    Stage stage = {.solve = s, .s = number};
    const LiederAllocator *alloc = s->cell->alloc;
    Flags rows = {0}, columns = {0};
    bool good = choose_level(s, number, &rows, &columns) &&
                stage_build(&stage, (StageChoice){rows.items, columns.items}) &&
                assign_columns(&stage.table, alloc, stage.column_of.items, NULL) &&
                stage_make_regular(&stage);
    LiederStatus status = good ? all_assigned(&stage) : LIEDER_NO_MEMORY;
    if (status == LIEDER_DONE)
        status = keep_constraints(&stage) && take_states(&stage) ? solve_components(&stage)
                                                                 : LIEDER_NO_MEMORY;
    stage_drop(&stage);
    vec_drop(alloc, &rows);
    vec_drop(alloc, &columns);
    return status;
}

/* ------------------------------------------------------------------ the last stage */

bool replace_dependent(Solve *s, bool *replaced)
{
    Stage stage = {.solve = s};
    Flags rows = {0}, columns = {0};
    bool good = s->cell->nport || (choose_level(s, 0, &rows, &columns) &&
                                   stage_build(&stage, (StageChoice){rows.items, columns.items}));
    for (size_t r = 0; good && !s->cell->nport && r < stage.rows.n; r++)
        stage.column_of.items[r] = s->transversal.items[r]; /* all rows and columns are there */
    good = good && (s->cell->nport || stage_replace_dependent(&stage, replaced));
    stage_drop(&stage);
    vec_drop(s->cell->alloc, &rows);
    vec_drop(s->cell->alloc, &columns);
    return good;
}

static LiederStatus report_direction(Cell *cell, const CellVariable *v)
{
    diag_error(
        cell->diag, &v->place, NULL,
        "'%s' is decided by what comes back from the ports, but is needed on the way outward\n"
        "turn the component round, or connect something with states of its own",
        v->name);
    return LIEDER_BAD_MODEL;
}

/* Algebraic variables that no outward equation decides are decided inward, and so is everything
 * that depends on them: rows and columns move to the inward half until nothing changes. */
static LiederStatus move_inward(Stage *outward, const Flags *is_free, Flags *inward_rows,
                                Flags *inward_columns)
{
    Solve *s = outward->solve;
    for (size_t k = 0; k < outward->columns.n; k++) {
        uint32_t j = outward->columns.items[k];
        inward_columns->items[j] |= is_free->items[k] && s->d.items[j] == 0;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t r = 0; r < outward->rows.n; r++) {
            uint32_t i = outward->rows.items[r], own = outward->column_of.items[r];
            bool moves = false;
            if (inward_rows->items[i])
                continue;
            FOR_ENTRIES(&outward->table, r, e)
            moves |= inward_columns->items[outward->columns.items[e->column]];
            if (!moves)
                continue;
            uint32_t j = outward->columns.items[own];
            if (s->d.items[j] > 0)
                return report_direction(s->cell, variable_at(s, j));
            inward_rows->items[i] = inward_columns->items[j] = 1;
            changed = true;
        }
    }
    return LIEDER_DONE;
}

/* derivatives that no outward equation decides are the unknowns of the linear group */
static bool take_unknowns(Stage *outward, const Flags *is_free, const Flags *inward_columns)
{
    Solve *s = outward->solve;
    for (size_t k = 0; k < outward->columns.n; k++) {
        uint32_t j = outward->columns.items[k], variable = s->unknown.items[j];
        if (!is_free->items[k] || inward_columns->items[j])
            continue;
        CellState unknown = {.variable = variable, .order = (uint32_t)s->d.items[j]};
        if (!vec_push(s->cell->alloc, &s->plan->unknowns, unknown) ||
            !set_value(s, j, cell_variable(s->cell, variable, unknown.order)))
            return false;
    }
    return true;
}

/* equations without inward variables, solved for potentials, derivatives and what depends on these;
 * *turned: the choice of unknowns is the reason for a failure, and nothing has been solved yet */
static LiederStatus try_outward(Solve *s, bool solves_algebraic, Flags *inward_rows,
                                Flags *inward_columns, bool *turned)
{
    Stage stage = {.solve = s, .solves_algebraic = solves_algebraic};
    const LiederAllocator *alloc = s->cell->alloc;
    Flags rows = {0}, columns = {0}, is_free = {0};
    bool good = choose_level(s, 0, &rows, &columns);
    for (size_t i = 0; good && i < s->cell->equations.n; i++)
        rows.items[i] = !(inward_rows->items[i] = s->has_inward.items[i]);
    for (uint32_t j = 0; good && j < s->unknown.n; j++)
        if (variable_at(s, j)->role == CELL_INWARD) {
            inward_columns->items[j] = columns.items[j];
            columns.items[j] = 0;
        }
    good = good && stage_build(&stage, (StageChoice){rows.items, columns.items}) &&
           assign_columns(&stage.table, alloc, stage.column_of.items, NULL);
    LiederStatus status = good ? all_assigned(&stage) : LIEDER_NO_MEMORY;
    if (status == LIEDER_DONE)
        status = find_free(&stage, &is_free)
                     ? move_inward(&stage, &is_free, inward_rows, inward_columns)
                     : LIEDER_NO_MEMORY;
    *turned = status == LIEDER_BAD_MODEL && is_free.n;
    for (size_t r = 0; status == LIEDER_DONE && r < stage.rows.n; r++)
        if (inward_rows->items[stage.rows.items[r]])
            stage.column_of.items[r] = NO_COLUMN;
    if (status == LIEDER_DONE)
        status = take_unknowns(&stage, &is_free, inward_columns) ? solve_components(&stage)
                                                                 : LIEDER_NO_MEMORY;
    stage_drop(&stage);
    vec_drop(alloc, &rows);
    vec_drop(alloc, &columns);
    vec_drop(alloc, &is_free);
    return status;
}

/* Of m*a = f; a = der(v) any of a and der(v) may be left over. If it is the algebraic one, which
 * forces decide then, der(v) would depend on them; the derivative has to be the unknown. */
static LiederStatus run_outward(Solve *s, Flags *inward_rows, Flags *inward_columns)
{
    bool turned = false;
    size_t said = s->cell->diag->list.n;
    LiederStatus status = try_outward(s, false, inward_rows, inward_columns, &turned);
    if (!turned)
        return status;
    for (size_t j = 0; j < s->unknown.n; j++)
        inward_columns->items[j] = 0;
    diag_forget(s->cell->diag, said);
    return try_outward(s, true, inward_rows, inward_columns, &turned);
}

/* the table with rows and columns exchanged */
static bool transpose(const Incidence *table, const LiederAllocator *alloc, Incidence *exchanged)
{
    RowList first = {0}, rows = {0};
    bool good = incidence_by_column(table, alloc, &first, &rows);
    for (uint32_t j = 0; good && j < table->ncolumn; j++) {
        for (uint32_t k = first.items[j]; good && k < first.items[j + 1]; k++)
            FOR_ENTRIES(table, rows.items[k], e)
        if (e->column == j)
            good = good && incidence_add(exchanged, alloc, rows.items[k], e->order, e->cost);
        good = good && incidence_end_row(exchanged, alloc);
    }
    exchanged->ncolumn = incidence_rows(table);
    vec_drop(alloc, &first);
    vec_drop(alloc, &rows);
    return good;
}

/* every column gets a row; rows that are left over are the residuals */
static LiederStatus assign_answers(Stage *stage)
{
    Solve *s = stage->solve;
    const LiederAllocator *alloc = s->cell->alloc;
    Incidence exchanged = {0};
    RowList row_of = {0};
    bool good = transpose(&stage->table, alloc, &exchanged) &&
                vec_resize(alloc, &row_of, stage->columns.n + 1) &&
                assign_columns(&exchanged, alloc, row_of.items, NULL);
    LiederStatus status = good ? LIEDER_DONE : LIEDER_NO_MEMORY;
    for (size_t r = 0; r < stage->rows.n; r++)
        stage->column_of.items[r] = NO_COLUMN;
    for (uint32_t k = 0; status == LIEDER_DONE && k < stage->columns.n; k++) {
        if (row_of.items[k] == NO_COLUMN)
            status = report_direction(s->cell, variable_at(s, stage->columns.items[k]));
        else
            stage->column_of.items[row_of.items[k]] = k;
    }
    incidence_drop(&exchanged, alloc);
    vec_drop(alloc, &row_of);
    return status;
}

/* residuals of the stage with everything put in that is known by now */
static LiederStatus take_residuals(Stage *stage)
{
    Solve *s = stage->solve;
    Cell *cell = s->cell;
    for (size_t r = 0; r < stage->rows.n; r++) {
        uint32_t i = stage->rows.items[r];
        if (stage->column_of.items[r] != NO_COLUMN)
            continue;
        Node node = known_put_in(cell, s->plan, residual_at(s, i, (uint32_t)s->c.items[i]));
        if (!node || !vec_push(cell->alloc, &s->plan->residuals, node))
            return LIEDER_NO_MEMORY;
    }
    if (s->plan->residuals.n == s->plan->unknowns.n)
        return LIEDER_DONE;
    const CellEquation *e = &cell->equations.items[0];
    diag_error(cell->diag, &e->place, e->path,
               "%zu derivative(s) have to be found from %zu equation(s)\n"
               "the class does not fit the way its ports are used",
               s->plan->unknowns.n, s->plan->residuals.n);
    return LIEDER_BAD_MODEL;
}

/* the half that goes towards the root: flows from answers of what is behind */
static LiederStatus run_inward(Solve *s, const Flags *rows, const Flags *columns)
{
    Stage stage = {.solve = s};
    LiederStatus status = stage_build(&stage, (StageChoice){rows->items, columns->items})
                              ? assign_answers(&stage)
                              : LIEDER_NO_MEMORY;
    if (status == LIEDER_DONE)
        status = solve_components(&stage);
    if (status == LIEDER_DONE)
        status = take_residuals(&stage);
    stage_drop(&stage);
    return status;
}

LiederStatus run_last_stage(Solve *s)
{
    const LiederAllocator *alloc = s->cell->alloc;
    Flags rows = {0}, columns = {0}; /* of the inward half */
    if (!vec_resize(alloc, &rows, s->cell->equations.n + 1) ||
        !vec_resize(alloc, &columns, s->unknown.n + 1)) {
        vec_drop(alloc, &rows);
        vec_drop(alloc, &columns);
        return LIEDER_NO_MEMORY;
    }
    LiederStatus status = run_outward(s, &rows, &columns);
    if (status == LIEDER_DONE)
        status = run_inward(s, &rows, &columns);
    vec_drop(alloc, &rows);
    vec_drop(alloc, &columns);
    return status;
}
