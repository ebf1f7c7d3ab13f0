/* test_lu.c - sparse factors: right, the same bits whatever was factored before, and no memory
 * asked for once they are there. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "help/meter.h"
#include "base/memory.h"
#include "model/linear/lu.h"

enum { MOST = 60 };

/* a pattern with a diagonal somewhere, as a matrix column by column */
typedef struct Matrix {
    int n, columns[MOST + 1], rows[MOST * MOST];
    double values[MOST * MOST];
} Matrix;

static double next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

static void make_pattern(Matrix *m, int n, double density, uint64_t *seed)
{
    int shift = (int)(fabs(next_random(seed)) * n), entries = 0;
    m->n = n;
    for (int c = 0; c < n; c++) {
        m->columns[c] = entries;
        for (int r = 0; r < n; r++)
            if (r == (c + shift) % n || fabs(next_random(seed)) < density)
                m->rows[entries++] = r;
    }
    m->columns[n] = entries;
}

/* of sizes over six decades, some of them zero: pivots move */
static void make_values(Matrix *m, uint64_t *seed)
{
    for (int e = 0; e < m->columns[m->n]; e++)
        m->values[e] =
            fabs(next_random(seed)) < 0.1 ? 0 : next_random(seed) * pow(10, 3 * next_random(seed));
}

/* max |A x - b| over max (|A| |x| + |b|) */
static double residual(const Matrix *m, const double *x, const double *b)
{
    double sum[MOST] = {0}, size[MOST] = {0}, worst = 0;
    for (int c = 0; c < m->n; c++)
        for (int e = m->columns[c]; e < m->columns[c + 1]; e++) {
            sum[m->rows[e]] += m->values[e] * x[c];
            size[m->rows[e]] += fabs(m->values[e] * x[c]);
        }
    for (int r = 0; r < m->n; r++)
        worst = fmax(worst, fabs(sum[r] - b[r]) / (size[r] + fabs(b[r]) + 1e-300));
    return worst;
}

/* Random matrices of many patterns: each is solved in place of the one before it and by factors
 * that never saw another one. */
static void factors_forget(void **state)
{
    (void)state;
    uint64_t seed = 5;
    Matrix m;
    size_t singular = 0, solved = 0;
    for (int round = 0; round < 60; round++) {
        Meter meter = {0};
        LiederAllocator alloc = METER_ALLOCATOR(&meter);
        LuPlan plan;
        Lu kept;
        make_pattern(&m, 1 + round % MOST, round % 3 == 0 ? 0.3 : 0.04, &seed);
        assert_int_equal(lu_plan_create(&plan, m.n, m.columns, m.rows, &alloc), LU_DONE);
        assert_int_equal(lu_create(&kept, &plan), LU_DONE);
        for (int k = 0; k < 6; k++) {
            int column = -1, other = -1;
            double b[MOST], x[MOST], y[MOST];
            Lu fresh;
            if (k == 2)
                for (int e = 0; e < m.columns[m.n]; e++) /* a little: the same pivots do */
                    m.values[e] *= 1 + 1e-6 * next_random(&seed);
            else
                make_values(&m, &seed);
            for (int r = 0; r < m.n; r++)
                x[r] = y[r] = b[r] = next_random(&seed);
            size_t calls = meter.calls;
            LuStatus status = lu_factor(&kept, m.values, &column);
            assert_int_equal(meter.calls, calls);
            assert_int_equal(lu_create(&fresh, &plan), LU_DONE);
            assert_int_equal(lu_factor(&fresh, m.values, &other), status);
            if (status == LU_DONE) {
                lu_solve(&kept, x);
                lu_solve(&fresh, y);
                assert_memory_equal(x, y, (size_t)m.n * sizeof(double));
                assert_true(residual(&m, x, b) < 1e-6); /* entries may grow a thousandfold */
                solved++;
            } else {
                assert_int_equal(column, other);
                singular++;
            }
            lu_drop(&fresh);
        }
        lu_drop(&kept);
        lu_plan_drop(&plan);
        assert_int_equal(meter.live, 0);
        assert_int_equal(meter.wrong, 0);
    }
    assert_true(solved > 100 && singular > 10);
}

/* a pivot that is nothing but rounding, rows of zeros, numbers that are none */
static void singular_matrices(void **state)
{
    (void)state;
    const int columns[] = {0, 2, 4}, rows[] = {0, 1, 0, 1};
    LuPlan plan;
    Lu lu;
    int column;
    assert_int_equal(lu_plan_create(&plan, 2, columns, rows, &memory_default), LU_DONE);
    assert_int_equal(lu_create(&lu, &plan), LU_DONE);
    double regular[] = {1, 2, 3, 4}, lost[] = {0.1, 0.3, 0.3, 0.9 * (1 + 2e-16)},
           none[] = {0, 0, 0, 0}, nan[] = {NAN, 1, 1, 1}, b[] = {1, 1};
    assert_int_equal(lu_factor(&lu, regular, &column), LU_DONE);
    assert_int_equal(lu_lost_pivot(&lu, regular, 1e-15), -1);
    if (lu_factor(&lu, lost, &column) == LU_DONE)
        assert_true(lu_lost_pivot(&lu, lost, 1e-15) >= 0);
    assert_int_equal(lu_factor(&lu, none, &column), LU_SINGULAR);
    if (lu_factor(&lu, nan, &column) == LU_DONE) {
        lu_solve(&lu, b);
        assert_true(isnan(b[0]) || isnan(b[1]));
    }
    assert_int_equal(lu_factor(&lu, regular, &column), LU_DONE);
    b[0] = b[1] = 1;
    lu_solve(&lu, b);
    assert_true(fabs(b[0] + 0.5) < 1e-15 && fabs(b[1] - 0.5) < 1e-15);
    lu_drop(&lu);
    lu_plan_drop(&plan);
}

static void failing_allocations(void **state)
{
    (void)state;
    uint64_t seed = 9;
    Matrix m;
    make_pattern(&m, 20, 0.2, &seed);
    make_values(&m, &seed);
    bool done = false;
    for (size_t k = 1; !done; k++) {
        Meter meter = {.fail_at = k};
        LiederAllocator alloc = METER_ALLOCATOR(&meter);
        LuPlan plan;
        Lu lu = {0};
        bool ok = lu_plan_create(&plan, m.n, m.columns, m.rows, &alloc) == LU_DONE;
        ok = ok && lu_create(&lu, &plan) == LU_DONE;
        done = meter.calls < k;
        assert_int_equal(ok, done);
        lu_drop(&lu);
        lu_plan_drop(&plan);
        assert_int_equal(meter.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_forget),
        cmocka_unit_test(singular_matrices),
        cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests_name("lu", tests, NULL, NULL);
}
