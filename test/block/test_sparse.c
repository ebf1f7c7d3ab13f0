/* test_sparse.c - sparse systems: as dense ones by an order from a table, lane by lane, whatever
 * the numbers are; factors that are kept give the bits of factors that are made anew. */
#include <lieder/systems.h>

#include "block/sparse.h"
#include "help/engine.h"

/* a system with its table and a workspace of `nvec` registers */
typedef struct Case {
    uint32_t n, nentry;
    uint32_t row[6000], column[6000];
    double sample[6000];
    SparseTable table;
    LiederPattern dense, sparse;
    int nvec;
    real *a, *b; /* workspaces */
} Case;

static void add_entry(Case *c, uint32_t i, uint32_t j, double x)
{
    for (uint32_t k = 0; k < c->nentry; k++)
        if (c->row[k] == i && c->column[k] == j)
            return;
    c->row[c->nentry] = i;
    c->column[c->nentry] = j;
    c->sample[c->nentry++] = x;
}

static real *workspace_new(const LiederPattern *s, int nvec)
{
    size_t bytes = lieder_system_size(s) * (size_t)nvec * sizeof(real);
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void case_prepare(Case *c, int nvec)
{
    c->table = (SparseTable){0};
    assert_true(sparse_table(&c->table, &memory_default, c->n, c->row, c->column,
                             (const double *const[]){c->sample, c->sample}, c->nentry));
    assert_true(c->table.n > 0);
    c->dense = (LiederPattern){
        .n = (int)c->n, .nentry = (int)c->nentry, .row = c->row, .column = c->column};
    c->sparse = c->dense;
    c->sparse.sparse = c->table.items;
    c->nvec = nvec;
    c->a = workspace_new(&c->dense, nvec);
    c->b = workspace_new(&c->sparse, nvec);
}

static void case_drop(Case *c)
{
    vec_drop(&memory_default, &c->table);
    free(c->a);
    free(c->b);
}

static double *number_at(const Case *c, real *w, size_t place, int lane)
{
    return (double *)(w + place * (size_t)c->nvec) + lane;
}

/* the same entry or right side into both workspaces */
static void put(Case *c, size_t place, int lane, double x)
{
    *number_at(c, c->a, place, lane) = *number_at(c, c->b, place, lane) = x;
}

/* is the order of the table good for the numbers that it was made for? */
static void sample_is_solved_by_the_table(Case *c)
{
    for (int lane = 0; lane < c->nvec * LIEDER_LANES; lane++)
        for (size_t k = 0; k < c->nentry; k++)
            put(c, LIEDER_SYSTEM_E(&c->dense) + k, lane, c->sample[k]);
    lieder_factor_linear(&c->sparse, c->b, c->nvec);
    for (int v = 0; v < c->nvec; v++) {
        LiederSparseAt t = lieder_sparse_at(&c->sparse, c->b, c->nvec, v);
        assert_false(mask_any((mask)(*t.f.refused != 0.0)));
    }
}

static void compare_solutions(Case *c, double tolerance)
{
    lieder_solve_linear(&c->dense, c->a, c->nvec);
    lieder_solve_linear(&c->sparse, c->b, c->nvec);
    for (int lane = 0; lane < c->nvec * LIEDER_LANES; lane++) {
        double status = *number_at(c, c->a, LIEDER_SYSTEM_STATUS(&c->dense), lane);
        assert_true((*number_at(c, c->b, LIEDER_SYSTEM_STATUS(&c->sparse), lane) == 0) ==
                    (status == 0));
        if (status != 0)
            continue;
        double largest = 0;
        for (size_t i = 0; i < c->n; i++)
            largest = fmax(largest, fabs(*number_at(c, c->a, i, lane)));
        for (size_t i = 0; i < c->n; i++)
            assert_true(fabs(*number_at(c, c->a, i, lane) - *number_at(c, c->b, i, lane)) <=
                        tolerance * largest);
    }
}

/* random numbers of the pattern; lanes of an odd number have small pivots where the sample has
 * large ones */
static void fill_lanes(Case *c, uint64_t *seed)
{
    for (int lane = 0; lane < c->nvec * LIEDER_LANES; lane++) {
        for (size_t k = 0; k < c->nentry; k++) {
            double x = c->sample[k] * random_between(seed, 0.5, 1.5);
            if (lane % 2 && c->row[k] == c->column[k] && k % 3 == 0)
                x *= lane % 4 == 1 ? 0 : 1e-9;
            put(c, LIEDER_SYSTEM_E(&c->dense) + k, lane, x);
        }
        for (size_t i = 0; i < c->n; i++)
            put(c, LIEDER_SYSTEM_R(&c->dense) + i, lane, random_between(seed, -1, 1));
    }
}

static void random_systems(void **state)
{
    (void)state;
    static Case c;
    uint64_t seed = 5;
    for (int round = 0; round < 12; round++) {
        c.n = 32 + (uint32_t)round * 11;
        c.nentry = 0;
        for (uint32_t i = 0; i < c.n; i++) {
            add_entry(&c, i, i, random_between(&seed, 1, 3));
            for (uint32_t k = 0; k < 3; k++) {
                uint32_t j = (uint32_t)random_between(&seed, 0, c.n - 0.01);
                add_entry(&c, i, round % 2 ? j : (i + k * k + 1) % c.n,
                          random_between(&seed, -1, 1));
            }
        }
        case_prepare(&c, 1 + round % 3);
        sample_is_solved_by_the_table(&c);
        fill_lanes(&c, &seed);
        compare_solutions(&c, 1e-8);
        case_drop(&c);
    }
}

/* a ladder of resistors as potentials and currents: L and U have no more entries than A */
static void a_chain_has_no_fill(void **state)
{
    (void)state;
    static Case c;
    c.n = 1000;
    c.nentry = 0;
    for (uint32_t i = 0; i < c.n; i++) {
        add_entry(&c, i, i, 2.1);
        if (i > 0)
            add_entry(&c, i, i - 1, -1);
        if (i + 1 < c.n)
            add_entry(&c, i, i + 1, -1);
    }
    c.table = (SparseTable){0};
    assert_true(sparse_table(&c.table, &memory_default, c.n, c.row, c.column,
                             (const double *const[]){c.sample, c.sample}, c.nentry));
    assert_int_equal(c.table.items[0] + c.table.items[1] + c.n, c.nentry);
    vec_drop(&memory_default, &c.table);
}

/* a lane of one register does not change with its neighbours, nor with factors that are kept */
static void lanes_are_alone(void **state)
{
    (void)state;
    static Case c;
    uint64_t seed = 8;
    c.n = 60;
    c.nentry = 0;
    for (uint32_t i = 0; i < c.n; i++)
        for (uint32_t k = 0; k < 4; k++)
            add_entry(&c, i, (i + k * k) % c.n, k ? random_between(&seed, -1, 1) : 2);
    case_prepare(&c, 2);
    fill_lanes(&c, &seed);
    LiederPattern *s = &c.sparse;
    lieder_solve_linear(s, c.b, c.nvec);
    double first[60];
    for (size_t i = 0; i < c.n; i++)
        first[i] = *number_at(&c, c.b, i, 1);
    for (int lane = 0; lane < 2 * LIEDER_LANES; lane++) /* others become singular */
        for (size_t k = 0; k < c.nentry && lane != 1; k++)
            *number_at(&c, c.b, LIEDER_SYSTEM_E(s) + k, lane) = 0;
    lieder_factor_linear(s, c.b, c.nvec);
    lieder_solve_factored(s, c.b, c.nvec);
    for (int lane = 0; lane < 2 * LIEDER_LANES; lane++) {
        assert_true((*number_at(&c, c.b, LIEDER_SYSTEM_STATUS(s), lane) == 0) == (lane == 1));
        for (size_t i = 0; i < c.n; i++)
            if (lane == 1)
                assert_memory_equal(&first[i], number_at(&c, c.b, i, lane), sizeof(double));
            else
                assert_true(isnan(*number_at(&c, c.b, i, lane)));
    }
    case_drop(&c);
}

/* two rows that are one: the column without a pivot is one of theirs */
static void singular_systems_are_found(void **state)
{
    (void)state;
    static Case c;
    c.n = 40;
    c.nentry = 0;
    for (uint32_t i = 0; i < c.n; i++) {
        add_entry(&c, i, i, 2);
        if (i % 10 != 9)
            add_entry(&c, i, i + 1, -1);
        if (i % 10 != 0)
            add_entry(&c, i, i - 1, -1);
    }
    case_prepare(&c, 1);
    for (int lane = 0; lane < LIEDER_LANES; lane++) {
        for (size_t k = 0; k < c.nentry; k++) {
            bool end = c.row[k] == c.column[k] && (c.row[k] == 20 || c.row[k] == 29);
            put(&c, LIEDER_SYSTEM_E(&c.dense) + k, lane, end && lane == 0 ? 1 : c.sample[k]);
        }
        for (size_t i = 0; i < c.n; i++)
            put(&c, LIEDER_SYSTEM_R(&c.dense) + i, lane, 1);
    }
    lieder_solve_linear(&c.sparse, c.b, 1);
    double status = *number_at(&c, c.b, LIEDER_SYSTEM_STATUS(&c.sparse), 0);
    assert_true(status >= 21 && status <= 30);
    assert_true(isnan(*number_at(&c, c.b, 0, 0)));
    for (int lane = 1; lane < LIEDER_LANES; lane++)
        assert_true(*number_at(&c, c.b, LIEDER_SYSTEM_STATUS(&c.sparse), lane) == 0);
    case_drop(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_systems),
        cmocka_unit_test(a_chain_has_no_fill),
        cmocka_unit_test(lanes_are_alone),
        cmocka_unit_test(singular_systems_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
