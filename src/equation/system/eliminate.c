/* eliminate.c - linear components of equations, solved symbolically.
 *
 * The residuals of a component are affine in its symbols, r = A u + b, with nodes as entries.
 * Gaussian elimination with a pivot order that is chosen once: of the entries that are left the
 * cheapest one (a factor of one, a number, parameters, anything else), of equal ones that with the
 * fewest further entries in its row and column (Markowitz). That is tearing and elimination in one:
 * equations u = expression are substituted first, and what remains is as dense as it has to be.
 * Pivots that are not numbers are kept in CellPlan.pivots. Where more than a few equations are left
 * that have no number as a pivot, or none that cannot become zero, the rest is a system that is
 * solved with pivots chosen by the numbers, where the class runs: the text grows with the entries,
 * not with what elimination makes of them.
 *
 * In a large component pivots that are small beside others would let errors grow from row to row:
 * 5 u[i] - u[i - 1] - u[i + 1] = 0 solved for u[i + 1], again and again. So each entry has a number
 * there, computed along from typical numbers of parameters and variables, and a pivot is the
 * largest of its row or of its column.
 */
#include "equation/system/eliminate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ values put in */

Node known_value(void *user, uint64_t symbol, Node node)
{
    const CellPlan *plan = user;
    if (symbol == CELL_TIME)
        return node;
    const NodeList *list = &plan->values.items[symbol_variable(symbol)];
    uint32_t order = symbol_order(symbol);
    return order < list->n ? list->items[order] : node;
}

Node known_put_in(Cell *cell, const CellPlan *plan, Node node)
{
    return replace_once(&cell->graph, known_value, (void *)plan, node);
}

static Node shallow_value(void *user, uint64_t symbol, Node node)
{
    const CellPlan *plan = user;
    bool deep = symbol != CELL_TIME && plan->deep.items[symbol_variable(symbol)];
    return deep ? node : known_value(user, symbol, node);
}

Node shallow_put_in(Cell *cell, const CellPlan *plan, Node node)
{
    SymbolNode *of_symbol = plan->any_deep ? shallow_value : known_value;
    return replace_once(&cell->graph, of_symbol, (void *)plan, node);
}

bool node_may_vanish_by_choice(const Graph *graph, Node node)
{
    const NodeData *n = node_data(graph, node);
    switch ((NodeKind)n->kind) {
    case NODE_CONSTANT:
        return n->value == 0;
    case NODE_NEGATE:
        return node_may_vanish_by_choice(graph, n->a);
    case NODE_MULTIPLY:
        return node_may_vanish_by_choice(graph, n->a) || node_may_vanish_by_choice(graph, n->b);
    case NODE_DIVIDE:
        return node_may_vanish_by_choice(graph, n->a);
    case NODE_SELECT:
        return node_may_vanish_by_choice(graph, n->b) || node_may_vanish_by_choice(graph, n->c);
    case NODE_LESS:
    case NODE_LESS_EQUAL:
    case NODE_EQUAL:
    case NODE_NOT:
    case NODE_AND:
    case NODE_OR:
        return true;
    default:
        return false;
    }
}

/* ------------------------------------------------------------------ messages */

LiederStatus report_unsolvable(Cell *cell, const CellEquation *e)
{
    diag_error(
        cell->diag, &e->place, e->path,
        "this equation cannot be solved for a variable: those it could decide are decided by "
        "other equations, or their factor is zero in some case\n"
        "is an equation written twice, or a variable missing in one?");
    return LIEDER_BAD_MODEL;
}

static LiederStatus report_singular(const System *system, size_t row)
{
    const Cell *cell = system->cell;
    const CellEquation *e = &system->source[system->equations.items[row]];
    diag_error(cell->diag, &e->place, e->path,
               "this equation follows from others, or contradicts them: %zu linear equation(s) "
               "that belong together have no unique solution\n"
               "is an equation written twice in other words?",
               system->symbols.n);
    return LIEDER_BAD_MODEL;
}

/* ------------------------------------------------------------------ elimination */

/* rows of entries by column; the last column is b */
typedef struct SparseRow {
    VEC(uint32_t) column;
    NodeList entry;
    VEC(double) number; /* of large components, see above */
} SparseRow;

/* The cheapest pivot of a row, as an entry of a heap. It counts while `version` is that of the row.
 */
typedef struct PivotOffer {
    int64_t rank;
    uint32_t row, column, version;
} PivotOffer;

typedef struct Elimination {
    System *system;
    size_t n;
    VEC(SparseRow) rows;
    VEC(uint8_t) row_done, column_done;
    VEC(uint32_t) in_column;               /* by column: rows that had an entry */
    VEC(uint32_t) pivot_row, pivot_column; /* in order */
    SymbolColumns columns;                 /* by symbol */
    VEC(IndexVec) rows_of;                 /* by column: rows that had an entry, some twice */
    IndexVec version;                      /* by row */
    VEC(PivotOffer) offers;                /* binary heap */
    IndexVec touched,
        changed;     /* by a pivot: rows; columns whose number of entries is another one */
    IndexVec found;  /* columns of a row that is filled */
    FreeNodes free_; /* of the symbols of the system, while rows are filled */
    bool failed;
} Elimination;

static ptrdiff_t row_find(const SparseRow *row, uint32_t column)
{
    for (size_t k = 0; k < row->column.n; k++)
        if (row->column.items[k] == column)
            return (ptrdiff_t)k;
    return -1;
}

static bool row_put(SparseRow *row, const LiederAllocator *alloc, uint32_t column, Node node,
                    double number)
{
    ptrdiff_t k = row_find(row, column);
    if (k >= 0) {
        row->entry.items[k] = node;
        row->number.items[k] = number;
        return true;
    }
    return vec_push(alloc, &row->column, column) && vec_push(alloc, &row->entry, node) &&
           vec_push(alloc, &row->number, number);
}

int symbol_column_order(const void *a, const void *b)
{
    const SymbolColumn *x = a, *y = b;
    return (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

bool symbol_columns(const System *system, SymbolColumns *to)
{
    for (uint32_t j = 0; j < system->symbols.n; j++)
        if (!vec_push(system->cell->alloc, to, (SymbolColumn){system->symbols.items[j], j}))
            return false;
    if (to->n)
        qsort(to->items, to->n, sizeof *to->items, symbol_column_order);
    return true;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static bool note_column(void *user, uint64_t symbol, Node node)
{
    Elimination *e = user;
    (void)node;
    SymbolColumn key = {symbol, 0};
    const SymbolColumn *at = bsearch(&key, e->columns.items, e->columns.n, sizeof *e->columns.items,
                                     symbol_column_order);
    return !at || vec_push(e->system->cell->alloc, &e->found, at->column);
}

/* one row of A and b: the factors of the unknowns that occur in it */
static int fill_row(Elimination *e, uint32_t i, NodeList *factors)
{
    System *system = e->system;
    Graph *g = &system->cell->graph;
    const LiederAllocator *alloc = g->alloc;
    VEC(uint64_t) symbols = {0};
    Node rest;
    e->found.n = 0;
    bool good =
        graph_symbols_among(g, system->residuals.items[i], &e->free_.of_node, note_column, e) &&
        vec_resize(alloc, factors, e->found.n + 1);
    if (good && e->found.n)
        qsort(e->found.items, e->found.n, sizeof *e->found.items, by_number);
    for (size_t k = 0; good && k < e->found.n; k++)
        good = vec_push(alloc, &symbols, system->symbols.items[e->found.items[k]]);
    int affine = good ? node_affine_among(g, system->residuals.items[i], &e->free_.of_node,
                                          symbols.items, symbols.n, factors->items, &rest)
                      : -1;
    for (size_t k = 0; affine == 1 && k < e->found.n; k++) {
        uint32_t j = e->found.items[k];
        if (node_is_constant(g, factors->items[k], 0))
            continue;
        e->in_column.items[j]++;
        if (!row_put(&e->rows.items[i], alloc, j, factors->items[k], 1) ||
            !vec_push(alloc, &e->rows_of.items[j], i))
            affine = -1;
    }
    if (affine == 1 && !row_put(&e->rows.items[i], alloc, (uint32_t)e->n, rest, 0))
        affine = -1;
    vec_drop(alloc, &symbols);
    return affine;
}

/* A and b of the residuals; 0 if they are not affine, -1 when memory ran out */
static int fill_rows(Elimination *e)
{
    NodeList factors = {0};
    const System *system = e->system;
    if (!symbol_columns(system, &e->columns))
        return -1;
    int affine =
        graph_free_begin(&system->cell->graph, system->residuals.items, system->residuals.n,
                         system->symbols.items, system->symbols.n, true, &e->free_)
            ? 1
            : -1;
    for (uint32_t i = 0; affine == 1 && i < e->n; i++)
        affine = fill_row(e, i, &factors);
    graph_free_end(&system->cell->graph, &e->free_);
    vec_drop(e->system->cell->alloc, &factors);
    return affine;
}

/* the same of a sum whose terms all may vanish: m*(if m > 0 then 1 else 0) + ... */
static bool sum_may_vanish(const Graph *g, Node node)
{
    const NodeData *n = node_data(g, node);
    if (n->kind == NODE_ADD || n->kind == NODE_SUBTRACT)
        return sum_may_vanish(g, n->a) && sum_may_vanish(g, n->b);
    if (n->kind == NODE_NEGATE)
        return sum_may_vanish(g, n->a);
    return node_may_vanish_by_choice(g, node);
}

/* numbers of the entries of a large component */
static bool fill_numbers(Elimination *e)
{
    Graph *g = &e->system->cell->graph;
    NodeList all = {0};
    GraphNumbers numbers = {0};
    bool good = true;
    for (size_t i = 0; i < e->n; i++)
        for (size_t k = 0; good && k < e->rows.items[i].column.n; k++)
            if (e->rows.items[i].column.items[k] < e->n)
                good = vec_push(g->alloc, &all, e->rows.items[i].entry.items[k]);
    good = good && graph_samples(g, all.items, all.n, &numbers);
    for (size_t i = 0; good && i < e->n; i++)
        for (size_t k = 0; k < e->rows.items[i].column.n; k++) {
            double x = numbers.of_node.items[e->rows.items[i].entry.items[k]];
            e->rows.items[i].number.items[k] = isfinite(x) ? x : 1;
        }
    vec_drop(g->alloc, &all);
    graph_numbers_drop(g, &numbers);
    return good;
}

/* is the entry k of row i the largest of its row, or of its column? */
static bool is_stable(const Elimination *e, uint32_t i, size_t k)
{
    enum { MAX_LOOKED_AT = 100 }; /* a longer column is none to be eliminated by a small pivot */
    const SparseRow *row = &e->rows.items[i];
    const uint32_t column = row->column.items[k];
    const double size = fabs(row->number.items[k]) * (1 + 1e-9);
    bool good = true;
    for (size_t m = 0; good && m < row->column.n; m++)
        good = row->column.items[m] >= e->n || e->column_done.items[row->column.items[m]] ||
               fabs(row->number.items[m]) <= size;
    if (good)
        return true;
    const IndexVec *rows = &e->rows_of.items[column];
    good = rows->n <= MAX_LOOKED_AT;
    for (size_t m = 0; good && m < rows->n; m++) {
        const SparseRow *other = &e->rows.items[rows->items[m]];
        ptrdiff_t at = e->row_done.items[rows->items[m]] ? -1 : row_find(other, column);
        good = at < 0 || fabs(other->number.items[at]) <= size;
    }
    return good;
}

enum { COST_OF_NUMBERS = 1 };

/* how good an entry is as a pivot: less is better; NEVER: not at all */
static int32_t pivot_cost(const Elimination *e, Node node)
{
    const Cell *cell = e->system->cell;
    const NodeData *n = node_data(&cell->graph, node);
    if (n->kind == NODE_CONSTANT)
        return n->value == 1 || n->value == -1 ? 0 : 1;
    if (cell_is_shared(cell) ? node_may_vanish_by_choice(&cell->graph, node)
                             : sum_may_vanish(&cell->graph, node))
        return NEVER;
    if (n->kind == NODE_SYMBOL && n->symbol != CELL_TIME &&
        cell->variables.items[symbol_variable(n->symbol)].role == CELL_PARAMETER &&
        !cell->variables.items[symbol_variable(n->symbol)].is_free)
        return probe_vanishes(e->system->cell, node) ? NEVER : 2;
    return probe_vanishes(e->system->cell, node) ? NEVER : 3;
}

/* cheapest first, then the row that stands first */
static bool offer_less(const PivotOffer *a, const PivotOffer *b)
{
    return a->rank < b->rank || (a->rank == b->rank && a->row < b->row);
}

static void offer_push(Elimination *e, PivotOffer offer)
{
    if (!vec_push(e->system->cell->alloc, &e->offers, offer)) {
        e->failed = true;
        return;
    }
    PivotOffer *heap = e->offers.items;
    size_t i = e->offers.n - 1;
    for (; i > 0 && offer_less(&offer, &heap[(i - 1) / 2]); i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = offer;
}

/* takes the best pivot off the heap */
static void offer_pop(Elimination *e)
{
    PivotOffer *heap = e->offers.items, last = heap[--e->offers.n];
    size_t n = e->offers.n, i = 0;
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && offer_less(&heap[child + 1], &heap[child]))
            child++;
        if (!offer_less(&heap[child], &last))
            break;
        heap[i] = heap[child];
    }
    if (n)
        heap[i] = last;
}

/* the cheapest entry of a row; what was offered before does not count any more */
static void offer_row(Elimination *e, uint32_t i)
{
    const SparseRow *r = &e->rows.items[i];
    PivotOffer best = {.rank = INT64_MAX, .row = i, .version = ++e->version.items[i]};
    int64_t nrow = 0;
    for (size_t k = 0; k < r->column.n; k++)
        nrow += r->column.items[k] < e->n && !e->column_done.items[r->column.items[k]];
    for (size_t k = 0; k < r->column.n; k++) {
        uint32_t j = r->column.items[k];
        if (j >= e->n || e->column_done.items[j])
            continue;
        int32_t cost = pivot_cost(e, r->entry.items[k]);
        if (cost == NEVER || (e->n >= SPARSE_FROM && !is_stable(e, i, k)))
            continue;
        int64_t fill = (nrow - 1) * (int64_t)(e->in_column.items[j] - 1);
        int64_t rank = ((int64_t)cost << 40) + fill;
        if (rank < best.rank) {
            best.rank = rank;
            best.column = j;
        }
    }
    if (best.rank < INT64_MAX)
        offer_push(e, best);
}

/* the cheapest entry that is left; NEVER: none */
static int32_t choose_pivot(Elimination *e, uint32_t *row, uint32_t *column)
{
    while (e->offers.n) {
        PivotOffer top = e->offers.items[0];
        if (!e->row_done.items[top.row] && e->version.items[top.row] == top.version) {
            *row = top.row;
            *column = top.column;
            return (int32_t)(top.rank >> 40);
        }
        offer_pop(e);
    }
    return NEVER;
}

/* The difference of two entries. Numbers that cancel to rounding are zero: else the equation "0.3 u
 * = 0.1 u
 * + 0.2 u" would be solved for u. */
static Node entry_difference(Graph *g, Node a, Node b)
{
    Node node = node_subtract(g, a, b);
    const NodeData *d = node_data(g, node), *na = node_data(g, a);
    if (node && d->kind == NODE_CONSTANT && na->kind == NODE_CONSTANT &&
        fabs(d->value) <= 1e-13 * fabs(na->value))
        return node_constant(g, 0);
    return node;
}

static void row_remove(SparseRow *row, size_t at)
{
    row->column.items[at] = row->column.items[--row->column.n];
    row->entry.items[at] = row->entry.items[--row->entry.n];
    row->number.items[at] = row->number.items[--row->number.n];
}

/* row i minus (its entry in the pivot's column / pivot) times the pivot's row */
static bool subtract_row(Elimination *e, uint32_t i, uint32_t row, uint32_t column)
{
    Cell *cell = e->system->cell;
    Graph *g = &cell->graph;
    SparseRow *to = &e->rows.items[i];
    const SparseRow *from = &e->rows.items[row];
    ptrdiff_t at = row_find(to, column);
    if (at < 0)
        return true;
    const size_t of_pivot = (size_t)row_find(from, column);
    Node factor = node_divide(g, to->entry.items[at], from->entry.items[of_pivot]);
    const double times = to->number.items[at] / from->number.items[of_pivot];
    row_remove(to, (size_t)at);
    for (size_t k = 0; k < from->column.n; k++) {
        uint32_t j = from->column.items[k];
        if (j == column || (j < e->n && e->column_done.items[j]))
            continue;
        ptrdiff_t old = row_find(to, j);
        Node change = node_multiply(g, factor, from->entry.items[k]);
        Node entry =
            old >= 0 ? entry_difference(g, to->entry.items[old], change) : node_negate(g, change);
        const double number =
            (old >= 0 ? to->number.items[old] : 0) - times * from->number.items[k];
        if (j < e->n && node_is_constant(g, entry, 0)) {
            if (old >= 0) {
                row_remove(to, (size_t)old);
                e->in_column.items[j]--;
                if (!vec_push(cell->alloc, &e->changed, j))
                    return false;
            }
            continue;
        }
        if (j < e->n && old < 0) {
            e->in_column.items[j]++;
            if (!vec_push(cell->alloc, &e->changed, j) ||
                !vec_push(cell->alloc, &e->rows_of.items[j], i))
                return false;
        }
        if (!row_put(to, cell->alloc, j, entry, number))
            return false;
    }
    return !g->failed;
}

/* each number once, in order */
static void sort_once(IndexVec *list)
{
    size_t n = 0;
    if (list->n)
        qsort(list->items, list->n, sizeof *list->items, by_number);
    for (size_t k = 0; k < list->n; k++)
        if (n == 0 || list->items[n - 1] != list->items[k])
            list->items[n++] = list->items[k];
    list->n = n;
}

/* open rows that have an entry in a column are touched */
static bool touch_column(Elimination *e, uint32_t column)
{
    const IndexVec *rows = &e->rows_of.items[column];
    for (size_t k = 0; k < rows->n; k++)
        if (!e->row_done.items[rows->items[k]] &&
            row_find(&e->rows.items[rows->items[k]], column) >= 0 &&
            !vec_push(e->system->cell->alloc, &e->touched, rows->items[k]))
            return false;
    return true;
}

/* takes the pivot out of all other rows, whose offers are made again */
static bool take_pivot(Elimination *e, uint32_t row, uint32_t column)
{
    e->touched.n = e->changed.n = 0;
    e->row_done.items[row] = 1;
    if (!touch_column(e, column))
        return false;
    e->column_done.items[column] = 1;
    sort_once(&e->touched);
    for (size_t k = 0, n = e->touched.n; k < n; k++)
        if (!subtract_row(e, e->touched.items[k], row, column))
            return false;
    sort_once(&e->changed);
    for (size_t k = 0; k < e->changed.n; k++)
        if (!touch_column(e, e->changed.items[k]))
            return false;
    sort_once(&e->touched);
    for (size_t k = 0; k < e->touched.n; k++)
        offer_row(e, e->touched.items[k]);
    return !e->failed;
}

/* from the last pivot to the first: u = -(b + sum of known) / pivot */
static bool substitute_back(Elimination *e)
{
    System *system = e->system;
    Cell *cell = system->cell;
    Graph *g = &cell->graph;
    for (size_t p = e->pivot_row.n; p-- > 0;) {
        uint32_t i = e->pivot_row.items[p], j = e->pivot_column.items[p];
        const SparseRow *row = &e->rows.items[i];
        Node sum = row->entry.items[row_find(row, (uint32_t)e->n)];
        for (size_t k = 0; k < row->column.n; k++) {
            uint32_t other = row->column.items[k];
            if (other < e->n && other != j)
                sum = node_add(
                    g, sum, node_multiply(g, row->entry.items[k], system->solution.items[other]));
        }
        Node pivot = row->entry.items[row_find(row, j)];
        system->solution.items[j] = node_divide(g, node_negate(g, sum), pivot);
        CellPivot note = {pivot, system->equations.items[i],
                          symbol_variable(system->symbols.items[j])};
        if (node_data(g, pivot)->kind != NODE_CONSTANT &&
            !vec_push(cell->alloc, &system->plan->pivots, note))
            return false;
    }
    return !g->failed;
}

/* ------------------------------------------------------------------ what is left over */

/* Rows and columns without a pivot as a system that is solved where the class runs. A row or a
 * column without entries has no solution for any numbers. */
typedef struct Core {
    VEC(uint32_t) place;       /* by column of the elimination: column of the core */
    VEC(uint32_t) columns;     /* back again */
    VEC(uint32_t) row, column; /* of the entries */
    NodeList entry, right;
    CellSystem about;
} Core;

static void core_drop(Core *core, const LiederAllocator *alloc)
{
    vec_drop(alloc, &core->place);
    vec_drop(alloc, &core->columns);
    vec_drop(alloc, &core->row);
    vec_drop(alloc, &core->column);
    vec_drop(alloc, &core->entry);
    vec_drop(alloc, &core->right);
    vec_drop(alloc, &core->about.symbols);
    vec_drop(alloc, &core->about.sources);
}

/* columns that are left when no pivot is certain; false: no memory */
static bool core_columns(const Elimination *e, Core *core)
{
    const System *system = e->system;
    const LiederAllocator *alloc = system->cell->alloc;
    bool good = vec_resize(alloc, &core->place, e->n);
    for (uint32_t j = 0; good && j < e->n; j++) {
        core->place.items[j] = (uint32_t)core->columns.n;
        if (!e->column_done.items[j])
            good = vec_push(alloc, &core->columns, j) &&
                   vec_push(alloc, &core->about.symbols, system->symbols.items[j]);
    }
    return good;
}

/* the entries of one row; *empty: it has none */
static bool core_row(const Elimination *e, Core *core, uint32_t i, bool *empty)
{
    System *system = e->system;
    Cell *cell = system->cell;
    const SparseRow *r = &e->rows.items[i];
    uint32_t row = (uint32_t)core->right.n;
    Node rest = r->entry.items[row_find(r, (uint32_t)e->n)];
    bool good =
        vec_push(cell->alloc, &core->right, node_negate(&cell->graph, rest)) &&
        vec_push(cell->alloc, &core->about.sources, system->source[system->equations.items[i]]);
    *empty = true;
    for (size_t k = 0; good && k < r->column.n; k++) {
        uint32_t j = r->column.items[k];
        if (j >= e->n || e->column_done.items[j])
            continue;
        *empty = false;
        good = vec_push(cell->alloc, &core->row, row) &&
               vec_push(cell->alloc, &core->column, core->place.items[j]) &&
               vec_push(cell->alloc, &core->entry, r->entry.items[k]);
    }
    return good;
}

/* entries of the rest that is solved as a dense system at run time */
static LiederStatus core_fill(const Elimination *e, Core *core)
{
    Cell *cell = e->system->cell;
    if (!core_columns(e, core))
        return LIEDER_NO_MEMORY;
    for (uint32_t i = 0; i < e->n; i++) {
        bool empty = false;
        if (e->row_done.items[i])
            continue;
        if (!core_row(e, core, i, &empty))
            return LIEDER_NO_MEMORY;
        if (empty)
            return report_singular(e->system, i);
    }
    core->about.nequation = e->n;
    core->about.is_linear = true;
    return vec_push(cell->alloc, &cell->systems, (CellSystem){0}) ? LIEDER_DONE : LIEDER_NO_MEMORY;
}

/* what a pivot or a coefficient is made of */
typedef struct PivotUse {
    const Cell *cell;
    bool varies, switches;
} PivotUse;

static bool note_pivot(void *user, uint64_t symbol, Node node)
{
    PivotUse *use = user;
    const CellVariable *v =
        symbol == CELL_TIME ? NULL : &use->cell->variables.items[symbol_variable(symbol)];
    (void)node;
    use->varies |= !v || v->role != CELL_PARAMETER || v->is_free;
    use->switches |= v && v->role == CELL_DISCRETE;
    return true;
}

/* what decides whether the pivots of the rest vanish: parameters alone, or states */
static PivotUse core_use(const Core *core, Cell *cell)
{
    PivotUse use = {.cell = cell};
    if (!graph_symbols(&cell->graph, core->entry.items, core->entry.n, note_pivot, &use))
        cell->graph.failed = true;
    NodeList parts = {0};
    if (!graph_reach(&cell->graph, core->entry.items, core->entry.n, NULL, &parts))
        cell->graph.failed = true;
    for (size_t k = 0; k < parts.n; k++)
        use.switches |= node_data(&cell->graph, parts.items[k])->kind == NODE_SELECT;
    vec_drop(cell->alloc, &parts);
    return use;
}

/* In a mode of the model a factor may be zero: no flow through a pipe, two brakes that hold one
 * shaft. What nothing decides then is zero, which is reported. */
enum { LARGEST_LENIENT = 64 };
static bool make_lenient(Cell *cell, Node node, uint32_t source)
{
    Graph *g = &cell->graph;
    if (g->failed)
        return false;
    GraphSystem *s = &g->systems.items[system_number(g, node)];
    s->table.n = 0; /* pivots come from all rows and columns */
    s->lenient = true;
    CellRequest r = {.kind = REQUEST_WARNING, .system = source + 1};
    r.node = node_make(g, NODE_LESS, node_part(g, node, 2 * s->n), node_constant(g, 0), NO_NODE);
    return r.node && vec_push(cell->alloc, &cell->events.requests, r);
}

void cell_note_matrix(Cell *cell, uint32_t system, Node node)
{
    const Graph *g = &cell->graph;
    if (g->failed)
        return;
    const GraphSystem *s = &g->systems.items[system_number(g, node)];
    cell->systems.items[system].nentry = (uint32_t)s->row.n;
    cell->systems.items[system].is_sparse = s->table.n > 0;
}

/* the rest as a system that chooses its pivots at run time */
static LiederStatus solve_core(Elimination *e)
{
    System *system = e->system;
    Cell *cell = system->cell;
    Graph *g = &cell->graph;
    Core core = {0};
    LiederStatus status = core_fill(e, &core);
    if (status == LIEDER_DONE) {
        uint32_t source = (uint32_t)cell->systems.n - 1;
        PivotUse use = core_use(&core, cell);
        bool lenient = use.switches && cell->nport == 0 && core.columns.n <= LARGEST_LENIENT;
        core.about.is_constant = !use.varies;
        Node node = node_linear_system(g, (uint32_t)core.columns.n, core.row.items,
                                       core.column.items, core.entry.items, core.entry.n,
                                       core.right.items, source, !use.varies && !lenient);
        for (uint32_t k = 0; k < core.columns.n; k++)
            system->solution.items[core.columns.items[k]] = node_part(g, node, k);
        cell->systems.items[source] = core.about;
        core.about = (CellSystem){0};
        bool good = !lenient || make_lenient(cell, node, source);
        cell_note_matrix(cell, source, node);
        status = good && !g->failed ? LIEDER_DONE : LIEDER_NO_MEMORY;
    }
    core_drop(&core, cell->alloc);
    return status;
}

/* is a node made of unknowns of a system, whose numbers only a tape finds? */
static bool is_of_systems(Cell *cell, Node node)
{
    NodeList parts = {0};
    bool any = false;
    if (!graph_reach(&cell->graph, &node, 1, NULL, &parts))
        cell->graph.failed = true;
    for (size_t k = 0; k < parts.n && !any; k++)
        any = node_data(&cell->graph, parts.items[k])->kind == NODE_PART;
    vec_drop(cell->alloc, &parts);
    return any;
}

/* How many equations are eliminated symbolically though their pivots are no numbers: few if these
 * are made of parameters, whose numbers are at hand (probe.c); one if they vary, since of two
 * equations the one may lose its pivot where the other does not. What a system finds varies, too:
 * start values that parameters decide through an iteration, say. More for a class with ports, where
 * the blocks are traced for every potential.
 */
static size_t symbolic_limit(Cell *cell, Node pivot)
{
    PivotUse use = {.cell = cell};
    if (!graph_symbols(&cell->graph, &pivot, 1, note_pivot, &use))
        cell->graph.failed = true;
    return cell_is_shared(cell) ? 8 : use.varies || is_of_systems(cell, pivot) ? 1 : 3;
}

static Node entry_at(const Elimination *e, uint32_t row, uint32_t column)
{
    const SparseRow *r = &e->rows.items[row];
    return r->entry.items[row_find(r, column)];
}

/* rows one after the other with pivots that are certain and cheap; what is left is the core */
static LiederStatus eliminate(Elimination *e)
{
    const LiederAllocator *alloc = e->system->cell->alloc;
    if (!vec_resize(alloc, &e->rows, e->n) || !vec_resize(alloc, &e->row_done, e->n) ||
        !vec_resize(alloc, &e->column_done, e->n) || !vec_resize(alloc, &e->in_column, e->n) ||
        !vec_resize(alloc, &e->rows_of, e->n) || !vec_resize(alloc, &e->version, e->n) ||
        !vec_resize(alloc, &e->system->solution, e->n))
        return LIEDER_NO_MEMORY;
    int affine = fill_rows(e);
    if (affine != 1)
        return affine < 0 ? LIEDER_NO_MEMORY : system_iterate(e->system);
    if (e->n >= SPARSE_FROM && !fill_numbers(e))
        return LIEDER_NO_MEMORY;
    for (uint32_t i = 0; i < e->n; i++)
        offer_row(e, i);
    for (size_t p = 0; p < e->n && !e->failed; p++) {
        uint32_t row = 0, column = 0;
        int32_t cost = choose_pivot(e, &row, &column);
        if (cost == NEVER ||
            (cost > COST_OF_NUMBERS &&
             e->n - p > symbolic_limit(e->system->cell, entry_at(e, row, column)))) {
            LiederStatus status = solve_core(e);
            return status != LIEDER_DONE ? status
                   : substitute_back(e)  ? LIEDER_DONE
                                         : LIEDER_NO_MEMORY;
        }
        if (!vec_push(alloc, &e->pivot_row, row) || !vec_push(alloc, &e->pivot_column, column) ||
            !take_pivot(e, row, column))
            return LIEDER_NO_MEMORY;
    }
    return !e->failed && substitute_back(e) ? LIEDER_DONE : LIEDER_NO_MEMORY;
}

LiederStatus system_solve(System *system)
{
    Cell *cell = system->cell;
    Elimination e = {.system = system, .n = system->residuals.n};
    LiederStatus status = eliminate(&e);
    if (e.n > system->plan->largest_component)
        system->plan->largest_component = e.n;
    for (size_t i = 0; i < e.rows.n; i++) {
        vec_drop(cell->alloc, &e.rows.items[i].column);
        vec_drop(cell->alloc, &e.rows.items[i].entry);
        vec_drop(cell->alloc, &e.rows.items[i].number);
    }
    vec_drop(cell->alloc, &e.rows);
    vec_drop(cell->alloc, &e.row_done);
    vec_drop(cell->alloc, &e.column_done);
    vec_drop(cell->alloc, &e.in_column);
    vec_drop(cell->alloc, &e.pivot_row);
    vec_drop(cell->alloc, &e.pivot_column);
    for (size_t j = 0; j < e.rows_of.n; j++)
        vec_drop(cell->alloc, &e.rows_of.items[j]);
    vec_drop(cell->alloc, &e.rows_of);
    vec_drop(cell->alloc, &e.columns);
    vec_drop(cell->alloc, &e.version);
    vec_drop(cell->alloc, &e.offers);
    vec_drop(cell->alloc, &e.touched);
    vec_drop(cell->alloc, &e.changed);
    vec_drop(cell->alloc, &e.found);
    return cell->graph.failed ? LIEDER_NO_MEMORY : status;
}
