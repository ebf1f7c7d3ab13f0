/* assign.c - a column for each row with the smallest sum of costs.
 *
 * Shortest augmenting paths (Jonker, Volgenant, Computing 38, 1987, without their initialisation)
 * on the sparse table: rows enter one by one; Dijkstra's search over reduced costs
 *
 *   r_ij = cost_ij - u_i - v_j >= 0, zero on assigned entries
 *
 * finds the cheapest way to a free column, exchanging assignments on the way. A row whose cheapest
 * entry is free takes it at once, which is what nearly all rows of a model do; so the time is close
 * to the number of entries, and entries times log of them for each row that is not so lucky.
 *
 * In large networks many rows are not so lucky, and all their searches are long. So in large tables
 * rows are taken together, in phases: one search from all rows that have no column, which changes
 * the reduced costs by the distance of the nearest free column, then ways that do not touch
 * each other along entries of reduced cost zero, as many as a depth-first search finds (Hopcroft,
 * Karp, SIAM J. Comput. 2, 1973). Rows that are left after some phases enter one by one.
 */
#include "equation/graph/incidence.h"

#include <string.h>

bool incidence_add(Incidence *table, const LiederAllocator *alloc, uint32_t column, int32_t order,
                   int32_t cost)
{
    if (table->first.n == 0 && !vec_push(alloc, &table->first, 0))
        return false;
    if (column >= table->ncolumn)
        table->ncolumn = column + 1;
    return vec_push(alloc, &table->entries, (IncidenceEntry){column, order, cost});
}

bool incidence_end_row(Incidence *table, const LiederAllocator *alloc)
{
    if (table->first.n == 0 && !vec_push(alloc, &table->first, 0))
        return false;
    return vec_push(alloc, &table->first, (uint32_t)table->entries.n);
}

bool incidence_by_column(const Incidence *table, const LiederAllocator *alloc, RowList *first,
                         RowList *rows)
{
    if (!vec_resize(alloc, first, table->ncolumn + 1) || !vec_resize(alloc, rows, table->entries.n))
        return false;
    for (size_t k = 0; k < table->entries.n; k++)
        first->items[table->entries.items[k].column + 1]++;
    for (uint32_t j = 0; j < table->ncolumn; j++)
        first->items[j + 1] += first->items[j];
    for (uint32_t i = incidence_rows(table); i-- > 0;)
        FOR_ENTRIES(table, i, e)
    rows->items[--first->items[e->column + 1]] = i;
    /* every end was moved to its begin: one place further down */
    memmove(first->items, first->items + 1, table->ncolumn * sizeof *first->items);
    first->items[table->ncolumn] = (uint32_t)table->entries.n;
    return true;
}

void incidence_drop(Incidence *table, const LiederAllocator *alloc)
{
    vec_drop(alloc, &table->first);
    vec_drop(alloc, &table->entries);
}

/* an entry of Dijkstra's queue: a column at a distance; entries that were overtaken stay */
typedef struct ColumnReach {
    int64_t distance;
    uint32_t column;
} ColumnReach;

typedef struct AssignSearch {
    const Incidence *table;
    const LiederAllocator *alloc;
    uint32_t *column_of, *row_of; /* assignments both ways */
    int64_t *u, *v;               /* reduced costs, by row and by column */
    int64_t *distance;            /* by column; valid where mark is that of the search */
    uint32_t *from, *mark;        /* by column: the row it was reached from; the search that did */
    uint32_t number;              /* of the search; even: reached, odd: settled */
    VEC(ColumnReach) queue;       /* binary heap */
    RowList settled;              /* columns */
} AssignSearch;

static bool reach_less(ColumnReach a, ColumnReach b)
{
    return a.distance < b.distance || (a.distance == b.distance && a.column < b.column);
}

static bool queue_push(AssignSearch *s, ColumnReach reach)
{
    if (!vec_push(s->alloc, &s->queue, reach))
        return false;
    ColumnReach *q = s->queue.items;
    size_t i = s->queue.n - 1;
    for (; i > 0 && reach_less(reach, q[(i - 1) / 2]); i = (i - 1) / 2)
        q[i] = q[(i - 1) / 2];
    q[i] = reach;
    return true;
}

/* takes the nearest column off the heap */
static ColumnReach queue_pop(AssignSearch *s)
{
    ColumnReach *q = s->queue.items, top = q[0], last = q[--s->queue.n];
    size_t n = s->queue.n, i = 0;
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && reach_less(q[child + 1], q[child]))
            child++;
        if (!reach_less(q[child], last))
            break;
        q[i] = q[child];
    }
    if (n)
        q[i] = last;
    return top;
}

/* offers the columns of a row that is reached at `distance` */
static bool search_offer(AssignSearch *s, uint32_t row, int64_t distance)
{
    FOR_ENTRIES(s->table, row, e)
    {
        uint32_t j = e->column;
        if (e->cost == NEVER || s->mark[j] == s->number + 1)
            continue;
        int64_t d = distance + e->cost - s->u[row] - s->v[j];
        if (s->mark[j] == s->number && d >= s->distance[j])
            continue;
        s->mark[j] = s->number;
        s->distance[j] = d;
        s->from[j] = row;
        if (!queue_push(s, (ColumnReach){d, j}))
            return false;
    }
    return true;
}

/* the cheapest way from a row to a free column; *end is NO_COLUMN if there is none */
static bool search_path(AssignSearch *s, uint32_t start, uint32_t *end)
{
    s->number += 2;
    s->queue.n = s->settled.n = 0;
    *end = NO_COLUMN;
    if (!search_offer(s, start, 0))
        return false;
    while (s->queue.n) {
        ColumnReach top = queue_pop(s);
        uint32_t j = top.column;
        if (s->mark[j] == s->number + 1 || top.distance > s->distance[j])
            continue;
        s->mark[j] = s->number + 1;
        if (s->row_of[j] == NO_ROW) {
            *end = j;
            return true;
        }
        if (!vec_push(s->alloc, &s->settled, j) || !search_offer(s, s->row_of[j], top.distance))
            return false;
    }
    return true;
}

/* new reduced costs, then the exchange along the path back to its start */
static void take_path(AssignSearch *s, uint32_t start, uint32_t end)
{
    int64_t length = s->distance[end];
    s->u[start] += length;
    for (size_t k = 0; k < s->settled.n; k++) {
        uint32_t j = s->settled.items[k];
        int64_t change = length - s->distance[j];
        s->u[s->row_of[j]] += change;
        s->v[j] -= change;
    }
    for (uint32_t j = end, row; j != NO_COLUMN;) {
        row = s->from[j];
        uint32_t next = row == start ? NO_COLUMN : s->column_of[row];
        s->column_of[row] = j;
        s->row_of[j] = row;
        j = next;
    }
}

/* the rows that compete with `start` for the settled columns */
static bool append_competitors(AssignSearch *s, uint32_t start, RowList *over)
{
    bool good = vec_push(s->alloc, over, start);
    for (size_t k = 0; good && k < s->settled.n; k++)
        good = vec_push(s->alloc, over, s->row_of[s->settled.items[k]]);
    return good && vec_push(s->alloc, over, NO_ROW);
}

/* ------------------------------------------------------------------ phases */

enum { PHASES_FROM = 1000, MAX_PHASES = 40 }; /* rows of a table */

/* every row that has none: its columns, at the reduced costs that u gives them */
static bool offer_open_rows(AssignSearch *s, uint32_t nrow)
{
    for (uint32_t i = 0; i < nrow; i++)
        if (s->column_of[i] == NO_COLUMN && !search_offer(s, i, 0))
            return false;
    return true;
}

/* one search from all open rows; new reduced costs, so that the cheapest ways cost nothing */
static bool search_phase(AssignSearch *s, uint32_t nrow, bool *found)
{
    s->number += 2;
    s->queue.n = s->settled.n = 0;
    *found = false;
    if (!offer_open_rows(s, nrow))
        return false;
    int64_t length = 0;
    while (s->queue.n && !*found) {
        ColumnReach top = queue_pop(s);
        uint32_t j = top.column;
        if (s->mark[j] == s->number + 1 || top.distance > s->distance[j])
            continue;
        s->mark[j] = s->number + 1;
        length = top.distance;
        *found = s->row_of[j] == NO_ROW;
        if (!*found &&
            (!vec_push(s->alloc, &s->settled, j) || !search_offer(s, s->row_of[j], top.distance)))
            return false;
    }
    for (uint32_t i = 0; *found && i < nrow; i++)
        if (s->column_of[i] == NO_COLUMN)
            s->u[i] += length;
    for (size_t k = 0; *found && k < s->settled.n; k++) {
        uint32_t j = s->settled.items[k];
        int64_t change = length - s->distance[j];
        s->u[s->row_of[j]] += change;
        s->v[j] -= change;
    }
    return true;
}

/* the next entry of a row that costs nothing and that the phase has not seen; free ones first */
static uint32_t tight_column(AssignSearch *s, uint32_t row, uint32_t *next)
{
    const IncidenceEntry *entries = s->table->entries.items;
    uint32_t end = s->table->first.items[row + 1];
    if (*next == s->table->first.items[row])
        FOR_ENTRIES(s->table, row, e)
    if (e->cost != NEVER && s->row_of[e->column] == NO_ROW && s->mark[e->column] != s->number &&
        e->cost == s->u[row] + s->v[e->column])
        return e->column;
    for (; *next < end; ++*next) {
        const IncidenceEntry *e = &entries[*next];
        if (e->cost != NEVER && s->mark[e->column] != s->number &&
            e->cost == s->u[row] + s->v[e->column])
            return e->column;
    }
    return NO_COLUMN;
}

/* a way from a row to a free column along such entries; the rows on it are those of `stack` */
static bool tight_path(AssignSearch *s, uint32_t start, uint32_t *next, RowList *stack)
{
    stack->n = 0;
    if (!vec_push(s->alloc, stack, start))
        return false;
    while (stack->n) {
        uint32_t row = stack->items[stack->n - 1], j = tight_column(s, row, &next[row]);
        if (j == NO_COLUMN) {
            stack->n--;
            continue;
        }
        s->mark[j] = s->number;
        s->from[j] = row;
        if (s->row_of[j] != NO_ROW) {
            if (!vec_push(s->alloc, stack, s->row_of[j]))
                return false;
            continue;
        }
        for (uint32_t next_column; j != NO_COLUMN; j = next_column) {
            row = s->from[j];
            next_column = row == start ? NO_COLUMN : s->column_of[row];
            s->column_of[row] = j;
            s->row_of[j] = row;
        }
        return true;
    }
    return true;
}

/* rows that find a column together */
static bool assign_in_phases(AssignSearch *s, uint32_t nrow)
{
    RowList next = {0}, stack = {0};
    bool found = true, good = vec_resize(s->alloc, &next, nrow + 1);
    for (uint32_t i = 0; i < nrow; i++) {
        int64_t least = INT64_MAX;
        FOR_ENTRIES(s->table, i, e)
        if (e->cost != NEVER && e->cost < least)
            least = e->cost;
        s->u[i] = least < INT64_MAX ? least : 0;
    }
    for (int phase = 0; good && found && phase < MAX_PHASES; phase++) {
        good = phase == 0 || search_phase(s, nrow, &found);
        s->number += 2;
        for (uint32_t i = 0; good && i < nrow; i++)
            next.items[i] = s->table->first.items[i];
        for (uint32_t i = 0; good && found && i < nrow; i++)
            if (s->column_of[i] == NO_COLUMN)
                good = tight_path(s, i, next.items, &stack);
    }
    vec_drop(s->alloc, &next);
    vec_drop(s->alloc, &stack);
    return good;
}

static void search_drop(AssignSearch *s, uint32_t nrow, uint32_t ncolumn)
{
    memory_free(s->alloc, s->row_of, ncolumn * sizeof *s->row_of);
    memory_free(s->alloc, s->u, nrow * sizeof *s->u);
    memory_free(s->alloc, s->v, ncolumn * sizeof *s->v);
    memory_free(s->alloc, s->distance, ncolumn * sizeof *s->distance);
    memory_free(s->alloc, s->from, ncolumn * sizeof *s->from);
    memory_free(s->alloc, s->mark, ncolumn * sizeof *s->mark);
    vec_drop(s->alloc, &s->queue);
    vec_drop(s->alloc, &s->settled);
}

bool assign_columns(const Incidence *table, const LiederAllocator *alloc, uint32_t *column_of,
                    RowList *over)
{
    uint32_t nrow = incidence_rows(table), ncolumn = table->ncolumn;
    AssignSearch s = {.table = table,
                      .alloc = alloc,
                      .column_of = column_of,
                      .row_of = memory_zeroed(alloc, ncolumn * sizeof *s.row_of),
                      .u = memory_zeroed(alloc, nrow * sizeof *s.u),
                      .v = memory_zeroed(alloc, ncolumn * sizeof *s.v),
                      .distance = memory_zeroed(alloc, ncolumn * sizeof *s.distance),
                      .from = memory_zeroed(alloc, ncolumn * sizeof *s.from),
                      .mark = memory_zeroed(alloc, ncolumn * sizeof *s.mark)};
    bool good = s.row_of && s.u && s.v && s.distance && s.from && s.mark;
    for (uint32_t j = 0; good && j < ncolumn; j++)
        s.row_of[j] = NO_ROW;
    for (uint32_t i = 0; i < nrow; i++)
        column_of[i] = NO_COLUMN;
    if (good && nrow >= PHASES_FROM)
        good = assign_in_phases(&s, nrow);
    for (uint32_t i = 0; good && i < nrow; i++) {
        uint32_t end;
        if (column_of[i] != NO_COLUMN)
            continue;
        good = search_path(&s, i, &end);
        if (good && end != NO_COLUMN)
            take_path(&s, i, end);
        else if (good && over)
            good = append_competitors(&s, i, over);
    }
    search_drop(&s, nrow, ncolumn);
    return good;
}

static bool may_take(const Incidence *table, uint32_t row, uint32_t column)
{
    FOR_ENTRIES(table, row, e)
    if (e->column == column)
        return e->cost != NEVER;
    return false;
}

bool assign_free_columns(const Incidence *table, const LiederAllocator *alloc,
                         const uint32_t *column_of, uint8_t *under)
{
    RowList first = {0}, rows = {0}, stack = {0};
    memset(under, 1, table->ncolumn);
    for (uint32_t i = 0; i < incidence_rows(table); i++)
        if (column_of[i] != NO_COLUMN)
            under[column_of[i]] = 0;
    bool good = incidence_by_column(table, alloc, &first, &rows);
    for (uint32_t j = 0; good && j < table->ncolumn; j++)
        if (under[j])
            good = vec_push(alloc, &stack, j);
    /* a row that could take a free column frees its own */
    while (good && stack.n) {
        uint32_t j = stack.items[--stack.n];
        for (uint32_t k = first.items[j]; good && k < first.items[j + 1]; k++) {
            uint32_t other = column_of[rows.items[k]];
            if (other == NO_COLUMN || under[other] || !may_take(table, rows.items[k], j))
                continue;
            under[other] = 1;
            good = vec_push(alloc, &stack, other);
        }
    }
    vec_drop(alloc, &first);
    vec_drop(alloc, &rows);
    vec_drop(alloc, &stack);
    return good;
}
