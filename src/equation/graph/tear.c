/* tear.c - a strongly connected component as assignments and few implicit equations.
 *
 * Greedy: an equation with one unknown left that it may be solved for is an assignment; where there
 * is none, the unknown is torn, that is taken as known, that most of the open equations cannot be
 * solved for; of equal ones that which occurs in most of them, then that with most occurrences in
 * equations of two unknowns, which become assignments at once. Equations that have no unknown left
 * are residuals. Finding the fewest is NP-hard; this finds the one of a ring, the few of meshes,
 * and never solves for an entry beyond the limit. Columns may be given that are torn before others:
 * the coordinates of joints say what a loop of rods is like.
 */
#include "equation/graph/incidence.h"

enum { IS_OPEN, IS_DONE };

typedef struct Tearing {
    const Incidence *table;
    const LiederAllocator *alloc;
    int32_t limit;
    const uint8_t *prefers;               /* by column: torn before others; or NULL */
    VEC(uint8_t) row_state, column_state; /* by row and column of the table */
    RowList nopen;                        /* by row: open columns in it */
    RowList first, rows;                  /* by column: rows with it */
    RowList ready;                        /* rows that may have one open column */
} Tearing;

/* the one open column of a row if it may be solved for it */
static uint32_t single_column(const Tearing *t, uint32_t row)
{
    if (t->row_state.items[row] != IS_OPEN || t->nopen.items[row] != 1)
        return NO_COLUMN;
    FOR_ENTRIES(t->table, row, e)
    if (t->column_state.items[e->column] == IS_OPEN)
        return e->cost <= t->limit ? e->column : NO_COLUMN;
    return NO_COLUMN;
}

/* a column is known from here on */
static bool close_column(Tearing *t, uint32_t column, Torn *torn)
{
    t->column_state.items[column] = IS_DONE;
    for (uint32_t k = t->first.items[column]; k < t->first.items[column + 1]; k++) {
        uint32_t row = t->rows.items[k];
        if (t->row_state.items[row] != IS_OPEN)
            continue;
        uint32_t left = --t->nopen.items[row];
        if (left == 0) {
            t->row_state.items[row] = IS_DONE;
            if (!vec_push(t->alloc, &torn->residual, row))
                return false;
        } else if (left == 1 && !vec_push(t->alloc, &t->ready, row))
            return false;
    }
    return true;
}

/* assignments as long as there are any */
static bool take_assignments(Tearing *t, Torn *torn)
{
    for (size_t k = 0; k < t->ready.n; k++) {
        uint32_t row = t->ready.items[k], column = single_column(t, row);
        if (column == NO_COLUMN)
            continue;
        t->row_state.items[row] = IS_DONE;
        if (!vec_push(t->alloc, &torn->row, row) || !vec_push(t->alloc, &torn->column, column) ||
            !close_column(t, column, torn))
            return false;
    }
    t->ready.n = 0;
    return true;
}

/* may the row be solved for the column? */
static bool is_solvable(const Tearing *t, uint32_t row, uint32_t column)
{
    FOR_ENTRIES(t->table, row, e)
    if (e->column == column)
        return e->cost <= t->limit;
    return false;
}

/* How much is gained by tearing a column: rows that cannot be solved for it, then rows that it is
 * in, then those of them that have one unknown beside it. */
static uint64_t tearing_worth(const Tearing *t, uint32_t column)
{
    uint64_t count = 0, pairs = 0, fixed = 0;
    for (uint32_t k = t->first.items[column]; k < t->first.items[column + 1]; k++) {
        uint32_t row = t->rows.items[k];
        if (t->row_state.items[row] != IS_OPEN)
            continue;
        count++;
        pairs += t->nopen.items[row] == 2;
        fixed += !is_solvable(t, row, column);
    }
    return fixed << 42 | count << 21 | pairs;
}

/* the open column that is best torn; NO_COLUMN: all are done */
static uint32_t choose_torn(const Tearing *t)
{
    uint32_t best = NO_COLUMN;
    uint64_t best_worth = 0;
    for (uint32_t column = 0; column < t->table->ncolumn; column++) {
        if (t->column_state.items[column] != IS_OPEN)
            continue;
        uint64_t worth = tearing_worth(t, column) | (uint64_t)(t->prefers && t->prefers[column])
                                                        << 63;
        if (best == NO_COLUMN || worth > best_worth) {
            best = column;
            best_worth = worth;
        }
    }
    return best;
}

/* open unknowns of each row; rows without any are residuals already; false: no memory */
static bool tearing_init(Tearing *t, Torn *torn)
{
    uint32_t n = incidence_rows(t->table);
    if (!vec_resize(t->alloc, &t->row_state, n) || !vec_resize(t->alloc, &t->nopen, n) ||
        !vec_resize(t->alloc, &t->column_state, t->table->ncolumn) ||
        !incidence_by_column(t->table, t->alloc, &t->first, &t->rows))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        t->nopen.items[i] = t->table->first.items[i + 1] - t->table->first.items[i];
        bool empty = t->nopen.items[i] == 0;
        t->row_state.items[i] = empty ? IS_DONE : IS_OPEN;
        if (!(empty ? vec_push(t->alloc, &torn->residual, i) : vec_push(t->alloc, &t->ready, i)))
            return false;
    }
    return true;
}

void torn_drop(Torn *torn, const LiederAllocator *alloc)
{
    vec_drop(alloc, &torn->row);
    vec_drop(alloc, &torn->column);
    vec_drop(alloc, &torn->residual);
    vec_drop(alloc, &torn->torn);
}

bool tear_component(const Incidence *table, const LiederAllocator *alloc, int32_t limit,
                    const uint8_t *prefers, Torn *torn)
{
    Tearing t = {.table = table, .alloc = alloc, .limit = limit, .prefers = prefers};
    bool good = tearing_init(&t, torn) && take_assignments(&t, torn);
    for (uint32_t column; good && (column = choose_torn(&t)) != NO_COLUMN;)
        good = vec_push(alloc, &torn->torn, column) && close_column(&t, column, torn) &&
               take_assignments(&t, torn);
    vec_drop(alloc, &t.row_state);
    vec_drop(alloc, &t.column_state);
    vec_drop(alloc, &t.nopen);
    vec_drop(alloc, &t.first);
    vec_drop(alloc, &t.rows);
    vec_drop(alloc, &t.ready);
    if (!good)
        torn_drop(torn, alloc);
    return good;
}
