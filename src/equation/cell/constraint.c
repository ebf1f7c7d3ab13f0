/* constraint.c - constraints between the variables of a stage: which of these are states.
 *
 * Costs decide (stage.c), with two corrections.
 *
 * Two constraints may say the same of different variables: a = x - y and b = x - y, where a and b
 * both would rather be states. x and y cannot follow from them. So the components of a stage whose
 * factors are numbers are eliminated in numbers; where rows depend on each other, yA = 0, one of
 * these rows gives up its columns in the component and takes the cheapest other one that it has and
 * that no other row needs.
 *
 * Constraints that are not linear are kept in place of being solved: see cell.h. A relation between
 * positions that no force enforces, such as the angle of a rod that someone wants to know, is
 * solved where that is all there is: its derivatives are found one after the other, and do not act
 * on what it follows from.
 */
#include "equation/cell/stage.h"

#include <math.h>

/* To be a state is worth this much: what StateSelect and start values say. A variable is better
 * than the derivative of one, which has no name of its own. */
int32_t state_worth(const CellVariable *v, int32_t order)
{
    static const int32_t by_select[] = {0, 1000, 5000, 10000, 1000000};
    int32_t start = v->start_fixed ? 3000 : v->start_given ? 2000 : 500;
    static const int32_t by_coordinate[] = {0, 20000, 60000};
    return by_select[v->select] + (order == 0 ? start + by_coordinate[v->coordinate] : 0);
}

/* A component of a stage */
typedef struct Candidate {
    Stage *stage;
    const uint32_t *rows;
    uint32_t n;
    const uint32_t
        *place; /* by column of the stage: 1 + row of the component that is solved for it */
} Candidate;

/* What to do with each component; false: memory ran out. */
typedef bool CandidateVisit(const Candidate *c, void *user);

/* the strongly connected parts of a stage, in the order in which they are solved; false: no
 * memory, or the visitor stopped */
static bool visit_components(Stage *stage, CandidateVisit *visit, void *user)
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

/* what it costs to solve for an entry, without the worth of a state */
static int32_t plain_cost(const Stage *stage, const IncidenceEntry *e)
{
    const Solve *s = stage->solve;
    uint32_t j = stage->columns.items[e->column];
    int32_t worth = state_worth(variable_at(s, j), s->d.items[j] + stage->s);
    return e->cost == NEVER ? NEVER : e->cost - worth;
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

/* ------------------------------------------------------------------ rows that depend on each other
 */

enum { LARGEST_CHECKED = 250, MAX_CORRECTIONS = 40 };

/* a component in numbers: n rows of n entries, then of n multipliers of the rows that they come
 * from */
typedef struct DenseMatrix {
    VEC(double) a;
    size_t n;
} DenseMatrix;

/* false: memory ran out; *constant: all factors are numbers */
static bool dense_fill(const Candidate *c, DenseMatrix *m, bool *constant)
{
    Solve *s = c->stage->solve;
    Graph *g = &s->cell->graph;
    m->n = c->n;
    *constant = true;
    if (!vec_resize(g->alloc, &m->a, 2 * m->n * m->n))
        return false;
    for (uint32_t k = 0; k < c->n; k++) {
        uint32_t i = c->stage->rows.items[c->rows[k]];
        Node residual = residual_at(s, i, (uint32_t)(s->c.items[i] + c->stage->s));
        m->a.items[(2 * k + 1) * m->n + k] = 1;
        FOR_ENTRIES(&c->stage->table, c->rows[k], e)
        {
            uint64_t symbol = symbol_of_column(c->stage, e->column);
            Node factor, rest;
            if (!c->place[e->column])
                continue;
            if (!residual || node_affine(g, residual, &symbol, 1, &factor, &rest) != 1 ||
                node_data(g, factor)->kind != NODE_CONSTANT) {
                *constant = false;
                return residual != NO_NODE && !g->failed;
            }
            m->a.items[2 * k * m->n + c->place[e->column] - 1] = node_data(g, factor)->value;
        }
    }
    return true;
}

static void row_subtract(DenseMatrix *m, size_t from, size_t row, double factor)
{
    for (size_t j = 0; j < 2 * m->n; j++)
        m->a.items[2 * row * m->n + j] -= factor * m->a.items[2 * from * m->n + j];
}

/* eliminated in place; the first row that nothing is left of, or n */
static size_t dense_dependent(DenseMatrix *m)
{
    for (size_t k = 0, column = 0; column < m->n; column++) {
        size_t best = k;
        for (size_t i = k; i < m->n; i++)
            if (fabs(m->a.items[2 * i * m->n + column]) >
                fabs(m->a.items[2 * best * m->n + column]))
                best = i;
        if (fabs(m->a.items[2 * best * m->n + column]) < 1e-9)
            continue;
        for (size_t j = 0; best != k && j < 2 * m->n; j++) {
            double old = m->a.items[2 * k * m->n + j];
            m->a.items[2 * k * m->n + j] = m->a.items[2 * best * m->n + j];
            m->a.items[2 * best * m->n + j] = old;
        }
        for (size_t i = k + 1; i < m->n; i++)
            row_subtract(m, k, i,
                         m->a.items[2 * i * m->n + column] / m->a.items[2 * k * m->n + column]);
        if (++k == m->n)
            return m->n;
    }
    return m->n - 1;
}

/* A component whose rows depend on each other: those that add up to nothing and have another
 * column, and its own columns, one of which such a row gives up. */
typedef struct DependentRows {
    bool found;
    RowList rows, columns;   /* of the stage */
    VEC(uint8_t) is_settled; /* by row of the stage: nothing can be done about its component */
} DependentRows;

/* what the cheapest other column of a row costs; NEVER: it has none */
static int32_t turn_cost(const Incidence *table, uint32_t row, const RowList *columns)
{
    int32_t least = NEVER;
    FOR_ENTRIES(table, row, e)
    {
        bool own = false;
        for (size_t k = 0; k < columns->n; k++)
            own |= columns->items[k] == e->column;
        if (!own && e->cost < least)
            least = e->cost;
    }
    return least;
}

/* tries a small part in numbers: do its rows depend on each other? */
static bool check_component(const Candidate *c, void *user)
{
    DependentRows *d = user;
    const Stage *stage = c->stage;
    const LiederAllocator *alloc = stage->solve->cell->alloc;
    bool constant = false;
    DenseMatrix m = {0};
    for (uint32_t k = 0; k < c->n; k++)
        if (d->is_settled.items[c->rows[k]])
            return true;
    if (d->found || c->n < 2 || c->n > LARGEST_CHECKED)
        return true;
    bool good = dense_fill(c, &m, &constant);
    size_t dependent = good && constant ? dense_dependent(&m) : m.n;
    d->found = dependent < m.n;
    d->rows.n = d->columns.n = 0;
    for (uint32_t k = 0; d->found && good && k < c->n; k++)
        good = vec_push(alloc, &d->columns, stage->column_of.items[c->rows[k]]) &&
               (fabs(m.a.items[(2 * dependent + 1) * m.n + k]) <= 1e-9 ||
                vec_push(alloc, &d->rows, c->rows[k]));
    vec_drop(alloc, &m.a);
    return good;
}

static bool all_rows_assigned(const Stage *stage)
{
    bool all = true;
    for (size_t r = 0; r < stage->rows.n; r++)
        all &= stage->column_of.items[r] != NO_COLUMN;
    return all;
}

/* The row gives up the columns of its component, if each row has a column then; else nothing
 * changes but the assignment. False: memory ran out. */
static bool turn_row(Stage *stage, uint32_t row, const RowList *columns, bool *turned)
{
    Incidence *table = &stage->table;
    const LiederAllocator *alloc = stage->solve->cell->alloc;
    VEC(int32_t) before = {0};
    uint32_t first = table->first.items[row], end = table->first.items[row + 1];
    bool good = true;
    for (uint32_t k = first; good && k < end; k++) {
        IncidenceEntry *e = &table->entries.items[k];
        good = vec_push(alloc, &before, e->cost);
        for (size_t c = 0; c < columns->n; c++)
            if (columns->items[c] == e->column)
                e->cost = NEVER;
    }
    good = good && assign_columns(table, alloc, stage->column_of.items, NULL);
    *turned = good && all_rows_assigned(stage);
    for (uint32_t k = first; good && !*turned && k < end; k++)
        table->entries.items[k].cost = before.items[k - first];
    vec_drop(alloc, &before);
    return good;
}

/* of the rows that add up to nothing, the one with the cheapest other column that the others can
 * do without gives up those it has */
static bool turn_dependent(Stage *stage, DependentRows *d)
{
    bool good = true, turned = false;
    for (size_t n = d->rows.n; good && !turned && n > 0; n--) {
        size_t best = 0;
        int32_t least = NEVER;
        for (size_t k = 0; k < n; k++) {
            int32_t cost = turn_cost(&stage->table, d->rows.items[k], &d->columns);
            best = cost < least ? k : best;
            least = cost < least ? cost : least;
        }
        if (least == NEVER)
            break;
        good = turn_row(stage, d->rows.items[best], &d->columns, &turned);
        uint32_t last = d->rows.items[n - 1]; /* those that were tried stand behind the others */
        d->rows.items[n - 1] = d->rows.items[best];
        d->rows.items[best] = last;
    }
    for (size_t k = 0; !turned && k < d->rows.n; k++)
        d->is_settled.items[d->rows.items[k]] = 1;
    return good && (turned || assign_columns(&stage->table, stage->solve->cell->alloc,
                                             stage->column_of.items, NULL));
}

bool stage_make_regular(Stage *stage)
{
    const LiederAllocator *alloc = stage->solve->cell->alloc;
    DependentRows d = {.found = true};
    bool good = vec_resize(alloc, &d.is_settled, stage->rows.n + 1);
    for (int k = 0; good && d.found && k < MAX_CORRECTIONS && !stage->solve->cell->nport; k++) {
        d.found = false;
        good =
            visit_components(stage, check_component, &d) && (!d.found || turn_dependent(stage, &d));
    }
    vec_drop(alloc, &d.rows);
    vec_drop(alloc, &d.columns);
    vec_drop(alloc, &d.is_settled);
    return good;
}
