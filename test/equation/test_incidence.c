/* test_incidence.c - assignments, offsets, order and tearing against exhaustive search. */
#include "help/engine.h"
#include "help/meter.h"

#include "equation/graph/incidence.h"

static uint64_t dice = 88172645463325252u;

static uint32_t draw(uint32_t n)
{
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return (uint32_t)(dice >> 33) % n;
}

/* a table with entries at random places, orders 0 to 2 and costs 0 to 9, a few NEVER */
static void fill_random(Incidence *table, const LiederAllocator *alloc, uint32_t nrow,
                        uint32_t ncolumn, uint32_t density)
{
    for (uint32_t i = 0; i < nrow; i++) {
        for (uint32_t j = 0; j < ncolumn; j++)
            if (draw(10) < density)
                assert_true(incidence_add(table, alloc, j, (int32_t)draw(3),
                                          draw(12) ? (int32_t)draw(10) : NEVER));
        assert_true(incidence_end_row(table, alloc));
    }
    table->ncolumn = ncolumn;
}

/* most rows assigned, then the smallest cost: all ways, row by row */
static void try_all(const Incidence *table, uint32_t row, uint32_t used, uint32_t count,
                    int64_t cost, uint32_t *best_count, int64_t *best_cost)
{
    if (row == incidence_rows(table)) {
        if (count > *best_count || (count == *best_count && cost < *best_cost)) {
            *best_count = count;
            *best_cost = cost;
        }
        return;
    }
    try_all(table, row + 1, used, count, cost, best_count, best_cost);
    FOR_ENTRIES(table, row, e)
    if (e->cost != NEVER && !(used >> e->column & 1))
        try_all(table, row + 1, used | 1u << e->column, count + 1, cost + e->cost, best_count,
                best_cost);
}

static const IncidenceEntry *entry_at(const Incidence *table, uint32_t row, uint32_t column)
{
    FOR_ENTRIES(table, row, e)
    if (e->column == column)
        return e;
    return NULL;
}

static void assignments_are_the_cheapest(void **state)
{
    (void)state;
    Meter meter = {0};
    LiederAllocator alloc = METER_ALLOCATOR(&meter);
    for (int round = 0; round < 2000; round++) {
        Incidence table = {0};
        uint32_t nrow = 1 + draw(6), ncolumn = nrow + draw(3), column_of[8];
        fill_random(&table, &alloc, nrow, ncolumn, 3 + draw(6));
        RowList over = {0};
        assert_true(assign_columns(&table, &alloc, column_of, &over));
        uint32_t used = 0, count = 0, best_count = 0;
        int64_t cost = 0, best_cost = INT64_MAX;
        for (uint32_t i = 0; i < nrow; i++) {
            if (column_of[i] == NO_COLUMN)
                continue;
            const IncidenceEntry *e = entry_at(&table, i, column_of[i]);
            assert_non_null(e);
            assert_int_not_equal(e->cost, NEVER);
            assert_false(used >> column_of[i] & 1);
            used |= 1u << column_of[i];
            cost += e->cost;
            count++;
        }
        try_all(&table, 0, 0, 0, 0, &best_count, &best_cost);
        assert_int_equal(count, best_count);
        if (count == nrow) /* with rows left over, which of them are left is a matter of order */
            assert_int_equal(cost, best_cost);
        /* each set of competing rows has one column fewer than rows */
        for (size_t k = 0, nset = 0, columns = 0; k < over.n; k++) {
            if (over.items[k] == NO_ROW) {
                assert_int_equal(__builtin_popcountll(columns) + 1, nset);
                nset = columns = 0;
                continue;
            }
            nset++;
            FOR_ENTRIES(&table, over.items[k], e)
            if (e->cost != NEVER)
                columns |= (size_t)1 << e->column;
        }
        vec_drop(&alloc, &over);
        incidence_drop(&table, &alloc);
    }
    assert_int_equal(meter.bytes, 0);
}

/* Large tables are assigned in phases: many small ones side by side, each as cheap as can be */
static void large_assignments_are_the_cheapest(void **state)
{
    (void)state;
    enum { BLOCKS = 400, MOST = 8 };
    const LiederAllocator *alloc = &memory_default;
    static Incidence block[BLOCKS];
    Incidence table = {0};
    RowList column_of = {0};
    for (uint32_t b = 0; b < BLOCKS; b++) {
        uint32_t nrow = 3 + draw(4);
        fill_random(&block[b], alloc, nrow, nrow + draw(3), 3 + draw(6));
        for (uint32_t i = 0; i < nrow; i++) {
            FOR_ENTRIES(&block[b], i, e)
            assert_true(incidence_add(&table, alloc, b * MOST + e->column, e->order, e->cost));
            assert_true(incidence_end_row(&table, alloc));
        }
    }
    assert_true(incidence_rows(&table) > 1000);
    assert_true(vec_resize(alloc, &column_of, incidence_rows(&table)));
    assert_true(assign_columns(&table, alloc, column_of.items, NULL));
    for (uint32_t b = 0, row = 0; b < BLOCKS; b++) {
        uint32_t nrow = incidence_rows(&block[b]), count = 0, best_count = 0;
        int64_t cost = 0, best_cost = INT64_MAX;
        for (uint32_t i = 0; i < nrow; i++, row++) {
            if (column_of.items[row] == NO_COLUMN)
                continue;
            cost += entry_at(&table, row, column_of.items[row])->cost;
            count++;
        }
        try_all(&block[b], 0, 0, 0, 0, &best_count, &best_cost);
        assert_int_equal(count, best_count);
        if (count == nrow)
            assert_int_equal(cost, best_cost);
        incidence_drop(&block[b], alloc);
    }
    vec_drop(alloc, &column_of);
    incidence_drop(&table, alloc);
}

/* a column may stay free exactly if forbidding it leaves as many rows assigned */
static void free_columns(void **state)
{
    (void)state;
    const LiederAllocator *alloc = &memory_default;
    for (int round = 0; round < 1000; round++) {
        Incidence table = {0};
        uint32_t nrow = 1 + draw(5), ncolumn = nrow + draw(4), column_of[8];
        uint8_t under[10];
        fill_random(&table, alloc, nrow, ncolumn, 3 + draw(5));
        assert_true(assign_columns(&table, alloc, column_of, NULL));
        assert_true(assign_free_columns(&table, alloc, column_of, under));
        uint32_t all = 0;
        int64_t cost = INT64_MAX;
        try_all(&table, 0, 0, 0, 0, &all, &cost);
        for (uint32_t j = 0; j < ncolumn; j++) {
            uint32_t without = 0;
            try_all(&table, 0, 1u << j, 0, 0, &without, &cost);
            assert_int_equal(under[j], without == all);
        }
        incidence_drop(&table, alloc);
    }
}

/* the inequalities of the definition, equality on the transversal, and that nothing can be smaller
 */
static void offsets_are_the_smallest(void **state)
{
    (void)state;
    const LiederAllocator *alloc = &memory_default;
    int nregular = 0;
    for (int round = 0; round < 2000; round++) {
        Incidence table = {0};
        uint32_t n = 1 + draw(6), transversal[8];
        int32_t c[8], d[8], least[8] = {0};
        bool regular;
        fill_random(&table, alloc, n, n, 3 + draw(5));
        for (uint32_t j = 0; j < n; j++)
            least[j] = draw(4) ? 0 : (int32_t)draw(3);
        assert_true(structural_offsets(&table, alloc, least, transversal, c, d, &regular, NULL));
        if (regular) {
            nregular++;
            int tight = 0;
            for (uint32_t i = 0; i < n; i++) {
                assert_true(c[i] >= 0);
                FOR_ENTRIES(&table, i, e)
                assert_true(d[e->column] >= e->order + c[i]);
                const IncidenceEntry *own = entry_at(&table, i, transversal[i]);
                assert_int_equal(d[transversal[i]], own->order + c[i]);
                tight += c[i] == 0 || d[transversal[i]] == least[transversal[i]];
            }
            assert_true(tight > 0);
        }
        incidence_drop(&table, alloc);
    }
    assert_true(nregular > 500);
}

/* the pendulum in Cartesian coordinates: index 3, the length is differentiated twice */
static void offsets_of_the_pendulum(void **state)
{
    (void)state;
    const LiederAllocator *alloc = &memory_default;
    Incidence table = {0};
    enum { X, Y, FORCE };
    /* x'' = -F x; y'' = -F y - g; x^2 + y^2 = 1 */
    assert_true(incidence_add(&table, alloc, X, 2, 1) &&
                incidence_add(&table, alloc, FORCE, 0, 1) && incidence_end_row(&table, alloc));
    assert_true(incidence_add(&table, alloc, Y, 2, 1) &&
                incidence_add(&table, alloc, FORCE, 0, 1) && incidence_end_row(&table, alloc));
    assert_true(incidence_add(&table, alloc, X, 0, 1) && incidence_add(&table, alloc, Y, 0, 1) &&
                incidence_end_row(&table, alloc));
    uint32_t transversal[3];
    int32_t c[3], d[3];
    bool regular;
    assert_true(structural_offsets(&table, alloc, NULL, transversal, c, d, &regular, NULL));
    assert_true(regular);
    assert_int_equal(c[0], 0);
    assert_int_equal(c[1], 0);
    assert_int_equal(c[2], 2);
    assert_int_equal(d[X], 2);
    assert_int_equal(d[Y], 2);
    assert_int_equal(d[FORCE], 0);
    incidence_drop(&table, alloc);
}

/* components are ordered, maximal and strongly connected: compared with the closure of dependence
 */
static void rows_are_sorted(void **state)
{
    (void)state;
    const LiederAllocator *alloc = &memory_default;
    for (int round = 0; round < 1000; round++) {
        Incidence table = {0};
        uint32_t n = 1 + draw(8), column_of[10], row_of[10], place[10] = {0};
        bool depends[10][10] = {{false}};
        for (uint32_t i = 0; i < n; i++) {
            column_of[i] = (i + 3) % n;
            row_of[column_of[i]] = i;
            for (uint32_t j = 0; j < n; j++)
                if (j == column_of[i] || draw(10) < 2)
                    assert_true(incidence_add(&table, alloc, j, 0, 1));
            assert_true(incidence_end_row(&table, alloc));
        }
        RowList rows = {0}, first = {0};
        assert_true(sort_rows(&table, alloc, column_of, &rows, &first));
        for (uint32_t i = 0; i < n; i++)
            FOR_ENTRIES(&table, i, e)
        depends[i][row_of[e->column]] = true;
        for (uint32_t k = 0; k < n; k++)
            for (uint32_t i = 0; i < n; i++)
                for (uint32_t j = 0; j < n; j++)
                    depends[i][j] |= depends[i][k] && depends[k][j];
        assert_int_equal(rows.n, n);
        for (uint32_t k = 0; k + 1 < first.n; k++)
            for (uint32_t r = first.items[k]; r < first.items[k + 1]; r++)
                place[rows.items[r]] = k;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++) {
                assert_true(!depends[i][j] || place[j] <= place[i]);
                assert_int_equal(place[i] == place[j], depends[i][j] && depends[j][i]);
            }
        vec_drop(alloc, &rows);
        vec_drop(alloc, &first);
        incidence_drop(&table, alloc);
    }
}

/* a million rows in a chain need no deep stack, and time in proportion */
static void long_chains(void **state)
{
    (void)state;
    const LiederAllocator *alloc = &memory_default;
    enum { N = 200000 };
    Incidence table = {0};
    RowList column_of = {0}, rows = {0}, first = {0};
    for (uint32_t i = 0; i < N; i++) {
        assert_true(incidence_add(&table, alloc, i, 0, 1));
        if (i + 1 < N)
            assert_true(incidence_add(&table, alloc, i + 1, 0, 1));
        assert_true(incidence_end_row(&table, alloc));
    }
    assert_true(vec_resize(alloc, &column_of, N));
    assert_true(assign_columns(&table, alloc, column_of.items, NULL));
    assert_true(sort_rows(&table, alloc, column_of.items, &rows, &first));
    assert_int_equal(first.n, N + 1);
    assert_int_equal(rows.items[0], N - 1);
    vec_drop(alloc, &column_of);
    vec_drop(alloc, &rows);
    vec_drop(alloc, &first);
    incidence_drop(&table, alloc);
}

/* every assignment uses what is known, counts agree, rings need one torn column */
static void tearing(void **state)
{
    (void)state;
    const LiederAllocator *alloc = &memory_default;
    for (int round = 0; round < 1000; round++) {
        Incidence table = {0};
        uint32_t n = 2 + draw(8);
        bool ring = round % 4 == 0;
        for (uint32_t i = 0; i < n; i++) {
            for (uint32_t j = 0; j < n; j++)
                if (ring ? j == i || j == (i + 1) % n : draw(10) < 4)
                    assert_true(incidence_add(&table, alloc, j, 0, ring || draw(4) ? 1 : 3000));
            assert_true(incidence_end_row(&table, alloc));
        }
        table.ncolumn = n;
        Torn torn = {0};
        assert_true(tear_component(&table, alloc, 300, NULL, &torn));
        bool known[10] = {false}, row_done[10] = {false};
        assert_int_equal(torn.residual.n, torn.torn.n);
        assert_int_equal(torn.row.n + torn.residual.n, n);
        for (size_t k = 0; k < torn.torn.n; k++)
            known[torn.torn.items[k]] = true;
        for (size_t k = 0; k < torn.row.n; k++) {
            uint32_t row = torn.row.items[k], column = torn.column.items[k];
            assert_false(known[column] || row_done[row]);
            assert_true(entry_at(&table, row, column)->cost <= 300);
            FOR_ENTRIES(&table, row, e)
            assert_true(e->column == column || known[e->column]);
            known[column] = row_done[row] = true;
        }
        for (size_t k = 0; k < torn.residual.n; k++) {
            assert_false(row_done[torn.residual.items[k]]);
            row_done[torn.residual.items[k]] = true;
        }
        if (ring)
            assert_int_equal(torn.torn.n, 1);
        torn_drop(&torn, alloc);
        incidence_drop(&table, alloc);
    }
}

/* the k-th allocation fails: false, and nothing is left behind */
static void memory_runs_out(void **state)
{
    (void)state;
    Incidence table = {0};
    fill_random(&table, &memory_default, 6, 6, 6);
    for (size_t k = 1;; k++) {
        Meter meter = {.fail_at = k};
        LiederAllocator alloc = METER_ALLOCATOR(&meter);
        uint32_t column_of[6], transversal[6];
        int32_t c[6], d[6];
        uint8_t under[6];
        bool regular;
        RowList rows = {0}, first = {0}, over = {0};
        Torn torn = {0};
        bool good = assign_columns(&table, &alloc, column_of, &over) &&
                    assign_free_columns(&table, &alloc, column_of, under) &&
                    structural_offsets(&table, &alloc, NULL, transversal, c, d, &regular, &over) &&
                    sort_rows(&table, &alloc, column_of, &rows, &first) &&
                    tear_component(&table, &alloc, 5, NULL, &torn);
        torn_drop(&torn, &alloc);
        vec_drop(&alloc, &rows);
        vec_drop(&alloc, &first);
        vec_drop(&alloc, &over);
        assert_int_equal(meter.bytes, 0);
        assert_true(good || meter.calls >= k);
        if (good)
            break;
        assert_true(k < 1000);
    }
    incidence_drop(&table, &memory_default);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assignments_are_the_cheapest),
        cmocka_unit_test(large_assignments_are_the_cheapest),
        cmocka_unit_test(free_columns),
        cmocka_unit_test(offsets_are_the_smallest),
        cmocka_unit_test(offsets_of_the_pendulum),
        cmocka_unit_test(rows_are_sorted),
        cmocka_unit_test(long_chains),
        cmocka_unit_test(tearing),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
