/* dependent.c - rows of a component that depend on each other, whatever its other factors are.
 *
 * The structure of a component says nothing of the numbers in it. Rows whose factors are all
 * numbers, such as Kirchhoff's laws, may add up to nothing:
 *
 *   sum over rows k of y_k row_k = 0 in all columns of the component
 *
 * In a stage before the last one, where there are more columns than rows, it is the choice of
 * states that is wrong: a = x - y and b = x - y, where a and b both would rather be states. x and y
 * cannot follow from them. So one of these rows gives up its columns in the component and takes the
 * cheapest other one that it has and that no other row needs.
 *
 * In the last stage no other columns are left. The sum is an equation between variables of lower
 * order then, which nothing in the structure shows: the zero current of a winding, a state by
 * itself, is zero where the star of the winding is open. With it in place of one of these rows the
 * structure is right (the method of linear combinations; Tan, Nedialkov, Pryce, Conversion methods
 * for improving structural analysis of differential-algebraic equation systems, BIT 57, 2017).
 *
 * Rows are eliminated one by one; what is subtracted from each is kept, and leads back to y.
 */
#include "equation/cell/stage.h"

#include <math.h>

enum { MAX_ROWS = 3000, MAX_FILL = 1 << 20, MAX_CORRECTIONS = 40 };
#define ROUNDING 1e-9 /* of the numbers of a row: less of them is nothing */

/* an entry of a row, or an earlier row and how often it was subtracted */
typedef struct RowTerm {
    uint32_t at;
    double value;
} RowTerm;

/* a row without what earlier ones have: its first entry is the pivot */
typedef struct ReducedRow {
    uint32_t row; /* of the stage */
    size_t entry, entry_end, use, use_end;
} ReducedRow;

typedef struct RowElimination {
    const Candidate *c;
    VEC(ReducedRow) rows;
    VEC(RowTerm) entries, uses;
    VEC(double) work;      /* by column of the component: the row at hand; then by row: y */
    VEC(uint64_t) symbols; /* of the row at hand */
    NodeList factors;
} RowElimination;

typedef struct DependentRows {
    bool found;
    VEC(RowTerm) rows;       /* of the stage, and y */
    RowList columns;         /* of the component */
    VEC(uint8_t) is_settled; /* by row of the stage: nothing can be done about it */
} DependentRows;

static void elimination_drop(RowElimination *m)
{
    const LiederAllocator *alloc = m->c->stage->solve->cell->alloc;
    vec_drop(alloc, &m->rows);
    vec_drop(alloc, &m->entries);
    vec_drop(alloc, &m->uses);
    vec_drop(alloc, &m->work);
    vec_drop(alloc, &m->symbols);
    vec_drop(alloc, &m->factors);
}

/* may the row have numbers in all columns of the component? NEVER stands at those that it gave up */
static bool may_have_numbers(const Candidate *c, uint32_t row)
{
    if (c->stage->solve->cell->equations.items[c->stage->rows.items[row]].by_time)
        return false;
    FOR_ENTRIES(&c->stage->table, row, e)
    if (c->place[e->column] && e->cost != NEVER && plain_cost(c->stage, e) > COST_CONSTANT)
        return false;
    return true;
}

/* the factors of a row into the work; *size: the largest, 0 where one is no number. False: memory
 * ran out */
static bool elimination_load(RowElimination *m, uint32_t row, double *size)
{
    const Candidate *c = m->c;
    Solve *s = c->stage->solve;
    Graph *g = &s->cell->graph;
    uint32_t i = c->stage->rows.items[row];
    Node rest;
    m->symbols.n = 0;
    *size = 0;
    FOR_ENTRIES(&c->stage->table, row, e)
    if (c->place[e->column] &&
        !vec_push(
            g->alloc, &m->symbols,
            cell_symbol(s->unknown.items[c->stage->columns.items[e->column]], (uint32_t)e->order)))
        return false;
    if (!vec_resize(g->alloc, &m->factors, m->symbols.n + 1))
        return false;
    int affine = node_affine(g, s->plan->equations.items[i].items[0], m->symbols.items,
                             m->symbols.n, m->factors.items, &rest);
    if (affine <= 0)
        return affine == 0;
    for (size_t k = 0; k < m->symbols.n; k++)
        if (node_data(g, m->factors.items[k])->kind != NODE_CONSTANT)
            return true;
    size_t k = 0;
    FOR_ENTRIES(&c->stage->table, row, e)
    if (c->place[e->column]) {
        double value = node_data(g, m->factors.items[k++])->value;
        m->work.items[c->place[e->column] - 1] = value;
        *size = fabs(value) > *size ? fabs(value) : *size;
    }
    return true;
}

/* what is left of the work is the next row, and the work is zero */
static bool elimination_store(RowElimination *m, uint32_t row, double size, size_t use)
{
    const LiederAllocator *alloc = m->c->stage->solve->cell->alloc;
    size_t first = m->entries.n, best = first;
    bool good = true;
    for (uint32_t j = 0; good && j < m->c->n; j++) {
        double value = m->work.items[j];
        m->work.items[j] = 0;
        if (fabs(value) > ROUNDING * size)
            good = vec_push(alloc, &m->entries, (RowTerm){j, value});
    }
    for (size_t k = first; good && k < m->entries.n; k++)
        if (fabs(m->entries.items[k].value) > fabs(m->entries.items[best].value))
            best = k;
    if (good && m->entries.n > first) {
        RowTerm pivot = m->entries.items[best];
        m->entries.items[best] = m->entries.items[first];
        m->entries.items[first] = pivot;
    }
    return good &&
           vec_push(alloc, &m->rows, (ReducedRow){row, first, m->entries.n, use, m->uses.n});
}

/* one more row; *left: it does not follow from those before it. False: memory ran out */
static bool elimination_add(RowElimination *m, uint32_t row, bool *left)
{
    const LiederAllocator *alloc = m->c->stage->solve->cell->alloc;
    double size;
    size_t use = m->uses.n;
    *left = true;
    if (!elimination_load(m, row, &size))
        return false;
    if (size == 0)
        return true;
    for (uint32_t k = 0; k < m->rows.n; k++) {
        const ReducedRow *r = &m->rows.items[k];
        const RowTerm *e = &m->entries.items[r->entry];
        double factor = m->work.items[e->at] / e->value;
        if (fabs(m->work.items[e->at]) <= ROUNDING * size)
            continue;
        if (!vec_push(alloc, &m->uses, (RowTerm){k, factor}))
            return false;
        m->work.items[e->at] = 0;
        for (size_t n = r->entry + 1; n < r->entry_end; n++) {
            const RowTerm *other = &m->entries.items[n];
            m->work.items[other->at] -= factor * other->value;
        }
    }
    if (!elimination_store(m, row, size, use))
        return false;
    const ReducedRow *last = &m->rows.items[m->rows.n - 1];
    *left = last->entry_end > last->entry;
    return true;
}

/* y of a last row of which nothing is left */
static bool elimination_combine(RowElimination *m, DependentRows *d)
{
    const LiederAllocator *alloc = m->c->stage->solve->cell->alloc;
    bool good = vec_resize(alloc, &m->work, m->rows.n + 1);
    d->rows.n = 0;
    if (!good)
        return false;
    for (size_t k = 0; k < m->rows.n; k++)
        m->work.items[k] = k + 1 == m->rows.n;
    for (size_t k = m->rows.n; good && k-- > 0;) {
        const ReducedRow *r = &m->rows.items[k];
        double y = m->work.items[k];
        for (size_t n = r->use; n < r->use_end; n++)
            m->work.items[m->uses.items[n].at] -= m->uses.items[n].value * y;
        if (fabs(y) > ROUNDING)
            good = vec_push(alloc, &d->rows, (RowTerm){r->row, y});
    }
    return good;
}

/* do rows of the component depend on each other? */
static bool check_component(const Candidate *c, void *user)
{
    DependentRows *d = user;
    const Stage *stage = c->stage;
    const LiederAllocator *alloc = stage->solve->cell->alloc;
    RowElimination m = {.c = c};
    if (d->found || c->n < 2 || c->n > MAX_ROWS)
        return true;
    bool left = true, good = vec_resize(alloc, &m.work, c->n + 1);
    for (uint32_t k = 0; good && left && k < c->n && m.entries.n + m.uses.n < MAX_FILL; k++)
        if (!d->is_settled.items[c->rows[k]] && may_have_numbers(c, c->rows[k]))
            good = elimination_add(&m, c->rows[k], &left);
    d->found = good && !left;
    good = good && (!d->found || elimination_combine(&m, d));
    d->columns.n = 0;
    for (uint32_t k = 0; good && d->found && k < c->n; k++)
        good = vec_push(alloc, &d->columns, stage->column_of.items[c->rows[k]]);
    elimination_drop(&m);
    return good;
}

static void settle_rows(DependentRows *d)
{
    for (size_t k = 0; k < d->rows.n; k++)
        d->is_settled.items[d->rows.items[k].at] = 1;
}

static void dependent_drop(DependentRows *d, const LiederAllocator *alloc)
{
    vec_drop(alloc, &d->rows);
    vec_drop(alloc, &d->columns);
    vec_drop(alloc, &d->is_settled);
}

/* ------------------------------------------------------------------ before the last stage */

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

static bool all_rows_assigned(const Stage *stage)
{
    bool all = true;
    for (size_t r = 0; r < stage->rows.n; r++)
        all &= stage->column_of.items[r] != NO_COLUMN;
    return all;
}

/* The row gives up the columns of its component, if each row has a column then; else nothing changes
 * but the assignment. False: memory ran out. */
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
            int32_t cost = turn_cost(&stage->table, d->rows.items[k].at, &d->columns);
            best = cost < least ? k : best;
            least = cost < least ? cost : least;
        }
        if (least == NEVER)
            break;
        good = turn_row(stage, d->rows.items[best].at, &d->columns, &turned);
        RowTerm last = d->rows.items[n - 1]; /* those that were tried stand behind the others */
        d->rows.items[n - 1] = d->rows.items[best];
        d->rows.items[best] = last;
    }
    if (!turned)
        settle_rows(d);
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
    dependent_drop(&d, alloc);
    return good;
}

/* ------------------------------------------------------------------ the last stage */

/* a sum of rows: factors of symbols, and the rest */
typedef struct RowSum {
    Solve *solve;
    VEC(uint64_t) symbols;
    VEC(double) factors; /* by symbol */
    NodeList rest;
    VEC(uint64_t) found; /* of the row at hand: symbols with a number as factor */
    NodeList coefficients;
} RowSum;

static bool note_symbol(void *user, uint64_t symbol, Node node)
{
    RowSum *sum = user;
    (void)node;
    return vec_push(sum->solve->cell->alloc, &sum->found, symbol);
}

/* only symbols that the node is linear in, with numbers as factors, are left of those found */
static bool keep_linear(RowSum *sum, Node node)
{
    Graph *g = &sum->solve->cell->graph;
    size_t n = 0;
    for (size_t k = 0; k < sum->found.n; k++) {
        uint64_t symbol = sum->found.items[k];
        Node factor, rest;
        int affine = node_affine(g, node, &symbol, 1, &factor, &rest);
        if (affine < 0)
            return false;
        if (affine && node_data(g, factor)->kind == NODE_CONSTANT)
            sum->found.items[n++] = symbol;
    }
    sum->found.n = n;
    return true;
}

/* y times a residual is added */
static bool sum_add(RowSum *sum, Node node, double y)
{
    Graph *g = &sum->solve->cell->graph;
    Node rest;
    sum->found.n = 0;
    if (!graph_symbols(g, &node, 1, note_symbol, sum) || !keep_linear(sum, node) ||
        !vec_resize(g->alloc, &sum->coefficients, sum->found.n + 1) ||
        node_affine(g, node, sum->found.items, sum->found.n, sum->coefficients.items, &rest) != 1)
        return false;
    for (size_t k = 0; k < sum->found.n; k++) {
        size_t at = 0;
        while (at < sum->symbols.n && sum->symbols.items[at] != sum->found.items[k])
            at++;
        if (at == sum->symbols.n && (!vec_push(g->alloc, &sum->symbols, sum->found.items[k]) ||
                                     !vec_push(g->alloc, &sum->factors, 0)))
            return false;
        sum->factors.items[at] += y * node_data(g, sum->coefficients.items[k])->value;
    }
    return vec_push(g->alloc, &sum->rest, node_multiply(g, node_constant(g, y), rest));
}

/* all of it as one expression, without what cancels; NO_NODE: no memory */
static Node sum_node(RowSum *sum)
{
    Graph *g = &sum->solve->cell->graph;
    Node total = node_constant(g, 0);
    for (size_t k = 0; k < sum->symbols.n; k++)
        if (fabs(sum->factors.items[k]) > ROUNDING)
            total = node_add(g, total,
                             node_multiply(g, node_constant(g, sum->factors.items[k]),
                                           node_symbol(g, sum->symbols.items[k])));
    for (size_t k = 0; k < sum->rest.n; k++)
        total = node_add(g, total, sum->rest.items[k]);
    return g->failed ? NO_NODE : total;
}

/* The sum stands for the row that is differentiated least, unless nothing is left of it: then the
 * model says something twice, or contradicts itself. */
static bool replace_row(Stage *stage, const DependentRows *d, bool *replaced)
{
    Solve *s = stage->solve;
    Cell *cell = s->cell;
    RowSum sum = {.solve = s};
    uint32_t least = stage->rows.items[d->rows.items[0].at];
    for (size_t k = 1; k < d->rows.n; k++) {
        uint32_t i = stage->rows.items[d->rows.items[k].at];
        least = s->c.items[i] < s->c.items[least] ? i : least;
    }
    bool good = true;
    for (size_t k = 0; good && k < d->rows.n; k++) {
        uint32_t i = stage->rows.items[d->rows.items[k].at];
        Node node = residual_at(s, i, (uint32_t)(s->c.items[i] - s->c.items[least]));
        good = node && sum_add(&sum, node, d->rows.items[k].value);
    }
    Node total = good ? sum_node(&sum) : NO_NODE;
    *replaced = total && node_data(&cell->graph, total)->kind != NODE_CONSTANT;
    if (*replaced) {
        CellEquation *e = &cell->equations.items[least];
        e->left = total;
        e->right = node_constant(&cell->graph, 0);
        s->plan->equations.items[least].n = 0;
        good = vec_push(cell->alloc, &s->plan->equations.items[least], total);
    }
    vec_drop(cell->alloc, &sum.symbols);
    vec_drop(cell->alloc, &sum.factors);
    vec_drop(cell->alloc, &sum.rest);
    vec_drop(cell->alloc, &sum.found);
    vec_drop(cell->alloc, &sum.coefficients);
    return good && total != NO_NODE;
}

bool stage_replace_dependent(Stage *stage, bool *replaced)
{
    const LiederAllocator *alloc = stage->solve->cell->alloc;
    DependentRows d = {.found = true};
    bool good = vec_resize(alloc, &d.is_settled, stage->rows.n + 1);
    while (good && d.found && !*replaced) {
        d.found = false;
        good = visit_components(stage, check_component, &d) &&
               (!d.found || replace_row(stage, &d, replaced));
        settle_rows(&d);
    }
    dependent_drop(&d, alloc);
    return good;
}
