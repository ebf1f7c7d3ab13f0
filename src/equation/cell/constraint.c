/* constraint.c - constraints between the variables of a stage that are kept in place of being
 * solved: those that are not linear, see cell.h. A relation between positions that no force
 * enforces, such as the angle of a rod that someone wants to know, is solved where that is all
 * there is: its derivatives are found one after the other, and do not act on what it follows from.
 */
#include "equation/cell/stage.h"

/* To be a state is worth this much: what StateSelect and start values say. A variable is better
 * than the derivative of one, which has no name of its own. */
int32_t state_worth(const CellVariable *v, int32_t order)
{
    static const int32_t by_select[] = {0, 1000, 5000, 10000, 1000000};
    int32_t start = v->start_fixed ? 3000 : v->start_given ? 2000 : 500;
    static const int32_t by_coordinate[] = {0, 20000, 60000};
    return by_select[v->select] + (order == 0 ? start + by_coordinate[v->coordinate] : 0);
}

bool visit_components(Stage *stage, CandidateVisit *visit, void *user)
{
    const LiederAllocator *alloc = stage->solve->cell->alloc;
    RowList order = {0}, first = {0}, place = {0}, columns = {0};
    bool good = sort_rows(&stage->table, alloc, stage->column_of.items, &order, &first) &&
                vec_resize(alloc, &place, stage->columns.n + 1);
    for (size_t k = 0; good && k + 1 < first.n; k++) {
        Candidate c = {stage, order.items + first.items[k], first.items[k + 1] - first.items[k],
                       place.items};
        if (stage->column_of.items[c.rows[0]] == NO_COLUMN)
            continue;
        columns.n = 0;
        for (uint32_t r = 0; good && r < c.n; r++) {
            place.items[stage->column_of.items[c.rows[r]]] = r + 1;
            good = vec_push(alloc, &columns, stage->column_of.items[c.rows[r]]);
        }
        good = good && visit(&c, user);
        for (uint32_t r = 0; r < columns.n; r++)
            place.items[columns.items[r]] = 0;
    }
    vec_drop(alloc, &order);
    vec_drop(alloc, &first);
    vec_drop(alloc, &place);
    vec_drop(alloc, &columns);
    return good;
}

/* is the constraint one between elements of an array that nothing distinguishes? */
static bool is_between_elements(const Solve *s, uint32_t i)
{
    const CellVariable *first = NULL;
    uint32_t count = 0, begin = 0;
    FOR_ENTRIES(&s->table, i, e)
    {
        uint32_t variable = s->unknown.items[e->column];
        const CellVariable *v = &s->cell->variables.items[variable];
        if (e->order + s->c.items[i] != s->d.items[e->column])
            continue;
        if (!first) {
            first = v;
            begin = variable - v->element;
        }
        if (e->cost != COST_NONLINEAR || v->role != CELL_UNKNOWN || v->length < 2 ||
            variable - v->element != begin || v->select != first->select ||
            v->start_fixed != first->start_fixed)
            return false;
        count++;
    }
    return count > 1;
}

static uint64_t symbol_of_column(const Stage *stage, uint32_t column)
{
    const Solve *s = stage->solve;
    uint32_t j = stage->columns.items[column];
    return cell_symbol(s->unknown.items[j], (uint32_t)(s->d.items[j] + stage->s));
}

int32_t plain_cost(const Stage *stage, const IncidenceEntry *e)
{
    const Solve *s = stage->solve;
    uint32_t j = stage->columns.items[e->column];
    if (e->cost == NEVER || stage->s == 0)
        return e->cost;
    return e->cost - state_worth(variable_at(s, j), s->d.items[j] + stage->s);
}

/* may the rows be other than affine? a factor of numbers and parameters says that they are */
static bool candidate_varies(const Candidate *c)
{
    for (uint32_t k = 0; k < c->n; k++)
        FOR_ENTRIES(&c->stage->table, c->rows[k], e)
    if (c->place[e->column] &&
        plain_cost(c->stage, e) >= (c->n > 1 ? COST_VARYING : COST_NONLINEAR))
        return true;
    return false;
}

/* Constraints whose highest derivative is solved together with equations that are not
 * differentiated: balances of forces, among them those that enforce it. */
bool find_forces(Solve *s)
{
    const LiederAllocator *alloc = s->cell->alloc;
    Incidence tight = {.ncolumn = s->table.ncolumn};
    RowList order = {0}, first = {0};
    bool good = vec_resize(alloc, &s->has_force, s->cell->equations.n + 1);
    for (uint32_t i = 0; good && i < incidence_rows(&s->table); i++) {
        FOR_ENTRIES(&s->table, i, e)
        if (e->order + s->c.items[i] == s->d.items[e->column])
            good = good && incidence_add(&tight, alloc, e->column, e->order, e->cost);
        good = good && incidence_end_row(&tight, alloc);
    }
    good = good && sort_rows(&tight, alloc, s->transversal.items, &order, &first);
    for (size_t k = 0; good && k + 1 < first.n; k++) {
        bool has_force = false;
        for (uint32_t r = first.items[k]; r < first.items[k + 1]; r++)
            has_force |= s->c.items[order.items[r]] == 0;
        for (uint32_t r = first.items[k]; r < first.items[k + 1]; r++)
            if (order.items[r] < s->cell->equations.n)
                s->has_force.items[order.items[r]] = has_force;
    }
    incidence_drop(&tight, alloc);
    vec_drop(alloc, &order);
    vec_drop(alloc, &first);
    return good;
}

/* 1: the rows are affine in the columns of the component; -1: memory ran out */
static int candidate_is_affine(const Candidate *c)
{
    Solve *s = c->stage->solve;
    Graph *g = &s->cell->graph;
    VEC(uint64_t) symbols = {0};
    NodeList factors = {0};
    int affine = 1;
    for (uint32_t k = 0; affine == 1 && k < c->n; k++) {
        uint32_t i = c->stage->rows.items[c->rows[k]];
        Node rest, residual = residual_at(s, i, (uint32_t)(s->c.items[i] + c->stage->s));
        symbols.n = 0;
        bool good = residual != NO_NODE;
        FOR_ENTRIES(&c->stage->table, c->rows[k], e)
        if (c->place[e->column])
            good = good && vec_push(g->alloc, &symbols, symbol_of_column(c->stage, e->column));
        good = good && vec_resize(g->alloc, &factors, symbols.n + 1);
        affine =
            good ? node_affine(g, residual, symbols.items, symbols.n, factors.items, &rest) : -1;
    }
    vec_drop(g->alloc, &symbols);
    vec_drop(g->alloc, &factors);
    return affine;
}

/* the component as assignments and the rest, as iterate.c has it; costs without the worth of states
 */
static bool candidate_tear(const Candidate *c, Torn *torn)
{
    const Solve *s = c->stage->solve;
    const LiederAllocator *alloc = s->cell->alloc;
    Incidence table = {.ncolumn = c->n};
    bool good = true;
    for (uint32_t k = 0; good && k < c->n; k++) {
        FOR_ENTRIES(&c->stage->table, c->rows[k], e)
        {
            if (good && c->place[e->column])
                good = incidence_add(&table, alloc, c->place[e->column] - 1, 0,
                                     plain_cost(c->stage, e));
        }
        good = good && incidence_end_row(&table, alloc);
    }
    good = good && tear_component(&table, alloc, COST_CONSTANT, NULL, torn);
    incidence_drop(&table, alloc);
    return good;
}

/* what is left of a torn component is not solved: its equations are kept, its columns are states */
static bool candidate_keep(const Candidate *c, const Torn *torn)
{
    Stage *stage = c->stage;
    Solve *s = stage->solve;
    const LiederAllocator *alloc = s->cell->alloc;
    RowList columns = {0}; /* of the component, by row that they belonged to */
    bool good = true;
    for (uint32_t k = 0; good && k < c->n; k++)
        good = vec_push(alloc, &columns, stage->column_of.items[c->rows[k]]);
    for (size_t k = 0; good && k < torn->row.n; k++)
        stage->column_of.items[c->rows[torn->row.items[k]]] = columns.items[torn->column.items[k]];
    for (size_t k = 0; good && k < torn->residual.n; k++) {
        uint32_t row = c->rows[torn->residual.items[k]], i = stage->rows.items[row];
        s->is_kept.items[i] = 1;
        stage->column_of.items[row] = NO_COLUMN;
        good = vec_push(alloc, &s->plan->kept, i) &&
               (!is_between_elements(s, i) || vec_push(alloc, &s->plan->even, i));
        s->is_pinned.items[stage->columns.items[columns.items[torn->torn.items[k]]]] =
            !s->cell->has_loops;
    }
    vec_drop(alloc, &columns);
    return good;
}

/* constraints that are not solved: see cell.h; false: memory ran out */
static bool keep_component(const Candidate *c, void *user)
{
    Solve *s = c->stage->solve;
    const LiederAllocator *alloc = s->cell->alloc;
    const bool *looks = user;
    Torn torn = {0};
    int affine = candidate_varies(c) ? candidate_is_affine(c) : 1;
    if (affine != 0)
        return affine > 0;
    bool good = candidate_tear(c, &torn), first = true, even = true, has_force = false;
    for (size_t k = 0; good && k < torn.residual.n; k++) {
        uint32_t i = c->stage->rows.items[c->rows[torn.residual.items[k]]];
        first &= s->c.items[i] + c->stage->s == 0; /* it has not been solved in an earlier stage */
        even &= is_between_elements(s, i);
        has_force |= s->has_force.items[i];
    }
    s->keeps |= first && has_force && !even && s->cell->events.reinits.n == 0;
    if (good && !*looks && first && (even || s->keeps))
        good = candidate_keep(c, &torn);
    torn_drop(&torn, alloc);
    return good;
}

/* With rigid loops kept the coordinates of joints are states: everything else follows from these
 * one after the other, and they do not depend on what the loops hang on. */
static bool choose_coordinates(Stage *stage)
{
    const Solve *s = stage->solve;
    bool any = false;
    for (uint32_t r = 0; r < stage->rows.n; r++) {
        if (!s->is_kept.items[stage->rows.items[r]])
            continue;
        any = true;
        for (uint32_t k = stage->table.first.items[r]; k < stage->table.first.items[r + 1]; k++)
            stage->table.entries.items[k].cost = NEVER;
    }
    return !any || assign_columns(&stage->table, s->cell->alloc, stage->column_of.items, NULL);
}

bool keep_constraints(Stage *stage)
{
    bool looks[] = {true, false};
    const Cell *cell = stage->solve->cell;
    return cell_is_shared(cell) || (visit_components(stage, keep_component, &looks[0]) &&
                                    visit_components(stage, keep_component, &looks[1]) &&
                                    (!cell->has_loops || choose_coordinates(stage)));
}
