/* sparse.c - the order of pivots of a sparse system, and the places of its factors.
 *
 * Gaussian elimination of samples of the matrix, one as at the start and one far from it. Of the
 * entries that are left the pivot is the one with the fewest further entries in its row and column
 * (Markowitz 1957) among those that are not less than a hundredth of the largest of their column,
 * ten times what they must have in a run, in both samples where there are such entries, else in the
 * first: so the order is also good for other numbers. Entries that cancel in a sample stay: the
 * pattern holds for all numbers. Columns stand in a heap by what their best entry costs; a cost
 * that has grown meanwhile is noticed when the column comes up.
 *
 * model/linear/lu.c eliminates sparse systems as well: it says why there are two.
 */
#include "block/sparse.h"

#include <math.h>
#include <stdlib.h>

#include <lieder/sparse.h>

/* the number of an entry in each sample */
typedef struct Sampled {
    double x[SPARSE_SAMPLES];
} Sampled;

typedef struct ActiveColumn {
    IndexVec row;
    VEC(Sampled) value;
    IndexVec above; /* pivots that have an entry of U in it */
    uint32_t version;
    bool done;
} ActiveColumn;

/* what a column offers; it counts while `version` is that of the column */
typedef struct Offer {
    uint64_t cost;
    uint32_t column, version;
} Offer;

typedef struct PivotOrder {
    const LiederAllocator *alloc;
    uint32_t n;
    VEC(ActiveColumn) columns;
    VEC(IndexVec) columns_of; /* by row: columns with an entry */
    IndexVec row_count;       /* entries in columns that are left */
    IndexVec place;           /* by row: 1 + index in the column at hand */
    IndexVec row_at, column_at;
    IndexVec lfirst, lrow; /* rows of the system */
    VEC(Sampled) factor;   /* of the pivot at hand */
    VEC(Offer) heap;
    size_t nu;
} PivotOrder;

/* ------------------------------------------------------------------ heap */

static bool offer_before(const Offer *a, const Offer *b)
{
    return a->cost < b->cost || (a->cost == b->cost && a->column < b->column);
}

static bool offer_push(PivotOrder *o, Offer offer)
{
    if (!vec_push(o->alloc, &o->heap, offer))
        return false;
    size_t i = o->heap.n - 1;
    for (; i > 0 && offer_before(&offer, &o->heap.items[(i - 1) / 2]); i = (i - 1) / 2)
        o->heap.items[i] = o->heap.items[(i - 1) / 2];
    o->heap.items[i] = offer;
    return true;
}

/* takes the best pivot off the heap */
static Offer offer_pop(PivotOrder *o)
{
    Offer *heap = o->heap.items, top = heap[0], last = heap[--o->heap.n];
    size_t n = o->heap.n, i = 0;
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && offer_before(&heap[child + 1], &heap[child]))
            child++;
        if (!offer_before(&heap[child], &last))
            break;
        heap[i] = heap[child];
    }
    if (n)
        heap[i] = last;
    return top;
}

/* ------------------------------------------------------------------ pivots */

static Sampled largest_of(const ActiveColumn *c)
{
    Sampled largest = {0};
    for (size_t k = 0; k < c->row.n; k++)
        for (int i = 0; i < SPARSE_SAMPLES; i++)
            largest.x[i] = fmax(largest.x[i], fabs(c->value.items[k].x[i]));
    return largest;
}

/* in how many samples, from the first on, an entry is large enough for a pivot */
static int samples_agree(const Sampled *value, const Sampled *largest)
{
    int n = 0;
    while (n < SPARSE_SAMPLES && fabs(value->x[n]) >= 10 * LIEDER_PIVOT_SHARE * largest->x[n] &&
           value->x[n] != 0)
        n++;
    return n;
}

/* the cheapest entry of a column; UINT64_MAX: it has none */
static uint64_t best_entry(const PivotOrder *o, uint32_t column, size_t *at)
{
    const ActiveColumn *c = &o->columns.items[column];
    const Sampled largest = largest_of(c);
    uint64_t best = UINT64_MAX;
    for (size_t k = 0; k < c->row.n; k++) {
        const Sampled *value = &c->value.items[k];
        uint64_t cost = (uint64_t)(o->row_count.items[c->row.items[k]] - 1) * (c->row.n - 1);
        int agree = samples_agree(value, &largest);
        if (agree == 0)
            cost += (uint64_t)1 << 62; /* only where the sample is singular */
        else if (agree < SPARSE_SAMPLES)
            cost += (uint64_t)1 << 60;
        if (cost < best || (cost == best && fabs(value->x[0]) > fabs(c->value.items[*at].x[0]))) {
            best = cost;
            *at = k;
        }
    }
    return best;
}

static bool offer_column(PivotOrder *o, uint32_t column)
{
    size_t at = 0;
    uint64_t cost = best_entry(o, column, &at);
    return cost == UINT64_MAX ||
           offer_push(o, (Offer){cost, column, ++o->columns.items[column].version});
}

/* the next pivot; 0: none is left, -1: memory ran out */
static int choose_pivot(PivotOrder *o, uint32_t *column, size_t *at)
{
    while (o->heap.n) {
        Offer top = offer_pop(o);
        const ActiveColumn *c = &o->columns.items[top.column];
        if (c->done || c->version != top.version)
            continue;
        uint64_t cost = best_entry(o, top.column, at);
        *column = top.column;
        if (cost <= top.cost)
            return 1;
        if (cost != UINT64_MAX && !offer_push(o, (Offer){cost, top.column, top.version}))
            return -1;
    }
    return 0;
}

static void remove_entry(ActiveColumn *c, size_t at)
{
    c->row.items[at] = c->row.items[--c->row.n];
    c->value.items[at] = c->value.items[--c->value.n];
}

/* column minus the pivot's column times its entry in the pivot's row */
static bool subtract_column(PivotOrder *o, uint32_t column, uint32_t pivot_row, size_t first)
{
    ActiveColumn *c = &o->columns.items[column];
    uint32_t *place = o->place.items;
    size_t at = 0;
    while (at < c->row.n && c->row.items[at] != pivot_row)
        at++;
    if (at == c->row.n)
        return true;
    const Sampled u = c->value.items[at];
    remove_entry(c, at);
    bool good = vec_push(o->alloc, &c->above, (uint32_t)o->row_at.n - 1);
    o->nu++;
    for (size_t k = 0; k < c->row.n; k++)
        place[c->row.items[k]] = (uint32_t)k + 1;
    for (size_t k = first; good && k < o->lrow.n; k++) {
        const uint32_t i = o->lrow.items[k];
        Sampled change = o->factor.items[k - first];
        for (int q = 0; q < SPARSE_SAMPLES; q++)
            change.x[q] *= -u.x[q];
        if (place[i]) {
            for (int q = 0; q < SPARSE_SAMPLES; q++)
                c->value.items[place[i] - 1].x[q] += change.x[q];
            continue;
        }
        good = vec_push(o->alloc, &c->row, i) && vec_push(o->alloc, &c->value, change) &&
               vec_push(o->alloc, &o->columns_of.items[i], column);
        o->row_count.items[i]++;
    }
    for (size_t k = 0; k < c->row.n; k++)
        place[c->row.items[k]] = 0;
    return good;
}

/* takes the entry `at` of a column as the next pivot */
static bool take_pivot(PivotOrder *o, uint32_t column, size_t at)
{
    ActiveColumn *c = &o->columns.items[column];
    const uint32_t row = c->row.items[at];
    const Sampled pivot = c->value.items[at];
    const size_t first = o->lrow.n;
    bool good = vec_push(o->alloc, &o->row_at, row) && vec_push(o->alloc, &o->column_at, column) &&
                vec_push(o->alloc, &o->lfirst, (uint32_t)first);
    c->done = true;
    o->factor.n = 0;
    for (size_t k = 0; good && k < c->row.n; k++) {
        if (k == at)
            continue;
        Sampled factor = {0};
        for (int q = 0; q < SPARSE_SAMPLES; q++)
            factor.x[q] = pivot.x[q] != 0 ? c->value.items[k].x[q] / pivot.x[q] : 0;
        o->row_count.items[c->row.items[k]]--;
        good =
            vec_push(o->alloc, &o->lrow, c->row.items[k]) && vec_push(o->alloc, &o->factor, factor);
    }
    const IndexVec *columns = &o->columns_of.items[row];
    for (size_t k = 0; good && k < columns->n; k++)
        if (!o->columns.items[columns->items[k]].done)
            good = subtract_column(o, columns->items[k], row, first) &&
                   offer_column(o, columns->items[k]);
    return good;
}

/* ------------------------------------------------------------------ the table */

/* the samples by columns, rows scaled by their largest entry */
static bool order_fill(PivotOrder *o, const uint32_t *row, const uint32_t *column,
                       const double *const sample[SPARSE_SAMPLES], size_t nentry)
{
    VEC(Sampled) scale = {0};
    bool good = vec_resize(o->alloc, &o->columns, o->n) &&
                vec_resize(o->alloc, &o->columns_of, o->n) &&
                vec_resize(o->alloc, &o->row_count, o->n) &&
                vec_resize(o->alloc, &o->place, o->n) && vec_resize(o->alloc, &scale, o->n);
    for (size_t k = 0; good && k < nentry; k++)
        for (int i = 0; i < SPARSE_SAMPLES; i++)
            scale.items[row[k]].x[i] = fmax(scale.items[row[k]].x[i], fabs(sample[i][k]));
    for (size_t k = 0; good && k < nentry; k++) {
        ActiveColumn *c = &o->columns.items[column[k]];
        Sampled value = {0};
        for (int i = 0; i < SPARSE_SAMPLES; i++) {
            double largest = scale.items[row[k]].x[i];
            value.x[i] = largest > 0 ? sample[i][k] / largest : 0;
        }
        o->row_count.items[row[k]]++;
        good = vec_push(o->alloc, &c->row, row[k]) && vec_push(o->alloc, &c->value, value) &&
               vec_push(o->alloc, &o->columns_of.items[row[k]], column[k]);
    }
    for (uint32_t j = 0; good && j < o->n; j++)
        good = offer_column(o, j);
    vec_drop(o->alloc, &scale);
    return good;
}

/* frees the columns and lists of an elimination */
static void order_drop(PivotOrder *o)
{
    for (size_t j = 0; j < o->columns.n; j++) {
        vec_drop(o->alloc, &o->columns.items[j].row);
        vec_drop(o->alloc, &o->columns.items[j].value);
        vec_drop(o->alloc, &o->columns.items[j].above);
    }
    for (size_t i = 0; i < o->columns_of.n; i++)
        vec_drop(o->alloc, &o->columns_of.items[i]);
    vec_drop(o->alloc, &o->columns);
    vec_drop(o->alloc, &o->columns_of);
    vec_drop(o->alloc, &o->row_count);
    vec_drop(o->alloc, &o->place);
    vec_drop(o->alloc, &o->row_at);
    vec_drop(o->alloc, &o->column_at);
    vec_drop(o->alloc, &o->lfirst);
    vec_drop(o->alloc, &o->lrow);
    vec_drop(o->alloc, &o->factor);
    vec_drop(o->alloc, &o->heap);
}

/* entries of the system by columns in the order of the pivots; rows by position */
static uint32_t *write_entries(const PivotOrder *o, uint32_t *to, const uint32_t *row,
                               const uint32_t *column, size_t nentry, const uint32_t *position)
{
    const uint32_t n = o->n;
    uint32_t *first = to, *entry = first + n + 1, *rows = entry + nentry, *next = o->place.items;
    uint32_t *column_position = o->row_count.items; /* not needed any more */
    for (uint32_t j = 0; j < n; j++)
        column_position[o->column_at.items[j]] = j;
    for (uint32_t j = 0; j <= n; j++)
        first[j] = 0;
    for (size_t k = 0; k < nentry; k++)
        first[column_position[column[k]] + 1]++;
    for (uint32_t j = 0; j < n; j++) {
        first[j + 1] += first[j];
        next[j] = first[j];
    }
    for (size_t k = 0; k < nentry; k++) {
        uint32_t at = next[column_position[column[k]]]++;
        entry[at] = (uint32_t)k;
        rows[at] = position[row[k]];
    }
    return rows + nentry;
}

/* order, pattern and steps of an elimination as the table that runs at run time; false: no memory
 */
static bool order_write(const PivotOrder *o, SparseTable *table, const uint32_t *row,
                        const uint32_t *column, size_t nentry)
{
    const uint32_t n = o->n;
    IndexVec position = {0}; /* by row */
    bool good = vec_resize(o->alloc, table, lieder_sparse_table(n, nentry, o->lrow.n, o->nu)) &&
                vec_resize(o->alloc, &position, n);
    if (good) {
        uint32_t *to = table->items;
        *to++ = (uint32_t)o->lrow.n;
        *to++ = (uint32_t)o->nu;
        for (uint32_t k = 0; k < n; k++) {
            position.items[o->row_at.items[k]] = k;
            to[k] = o->row_at.items[k];
            to[n + k] = o->column_at.items[k];
        }
        to = write_entries(o, to + 2 * n, row, column, nentry, position.items);
        for (uint32_t k = 0; k < n; k++)
            *to++ = o->lfirst.items[k];
        *to++ = (uint32_t)o->lrow.n;
        for (size_t k = 0; k < o->lrow.n; k++)
            *to++ = position.items[o->lrow.items[k]];
        uint32_t *ufirst = to, *urow = to + n + 1, nu = 0;
        for (uint32_t k = 0; k < n; k++) {
            const IndexVec *above = &o->columns.items[o->column_at.items[k]].above;
            ufirst[k] = nu;
            for (size_t q = 0; q < above->n; q++)
                urow[nu++] = above->items[q];
        }
        ufirst[n] = nu;
    }
    vec_drop(o->alloc, &position);
    return good;
}

bool sparse_table(SparseTable *to, const LiederAllocator *alloc, uint32_t n, const uint32_t *row,
                  const uint32_t *column, const double *const sample[SPARSE_SAMPLES], size_t nentry)
{
    if (n < SPARSE_FROM)
        return true;
    PivotOrder o = {.alloc = alloc, .n = n};
    const size_t most = (size_t)n * n / 4;
    bool good = order_fill(&o, row, column, sample, nentry);
    int found = 1;
    while (good && found == 1 && o.row_at.n < n && o.lrow.n + o.nu < most) {
        uint32_t pivot_column = 0;
        size_t at = 0;
        found = choose_pivot(&o, &pivot_column, &at);
        good = found >= 0 && (found == 0 || take_pivot(&o, pivot_column, at));
    }
    if (good && o.row_at.n == n && o.lrow.n + o.nu < most)
        good = order_write(&o, to, row, column, nentry);
    order_drop(&o);
    return good;
}
