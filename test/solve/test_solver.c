/* test_solver.c - the table of solvers agrees with what the solvers are: order conditions and
 * stages of the Butcher tables, names found again. */
#include "help/engine.h"

#include "solve/method/butcher.h"

/* Sums over the stages that a method of order p has to get right, up to order 4 (Hairer, Norsett,
 * Wanner, II.2). Of a Rosenbrock method f is evaluated by alpha, the rest is linear (Hairer,
 * Wanner, IV.7). */
static double row_sum(const ButcherTable *t, int row)
{
    double sum = 0;
    for (int k = 0; k < t->nstage; k++)
        sum += t->a[row][k];
    return sum;
}

static void check_order(LiederSolver solver, const ButcherTable *t)
{
    enum { CONDITIONS = 8 };
    static const int order[CONDITIONS] = {1, 2, 3, 3, 4, 4, 4, 4};
    static const double exact[CONDITIONS] = {1,       1.0 / 2, 1.0 / 3,  1.0 / 6,
                                             1.0 / 4, 1.0 / 8, 1.0 / 12, 1.0 / 24};
    double sum[CONDITIONS] = {0};
    for (int i = 0; i < t->nstage; i++) {
        const double *alpha = t->rosenbrock ? t->alpha[i] : t->a[i];
        double c = t->c[i], b = 0, ab = 0, ac = 0, acc = 0, aab = 0, row = 0;
        for (int j = 0; j < t->nstage; j++) {
            double beta = row_sum(t, j);
            row += alpha[j];
            b += t->a[i][j];
            ac += alpha[j] * beta;
            ab += t->a[i][j] * beta;
            acc += t->a[i][j] * t->c[j] * t->c[j];
            for (int k = 0; k < t->nstage; k++)
                aab += t->a[i][j] * t->a[j][k] * row_sum(t, k);
        }
        assert_near(row, c, 1e-14);
        const double terms[CONDITIONS] = {1, b, c * c, ab, c * c * c, c * ac, acc, aab};
        for (int k = 0; k < CONDITIONS; k++)
            sum[k] += t->b[i] * terms[k];
    }
    bool higher = true; /* the conditions of the next order, all of them */
    int p = lieder_solver_info(solver)->order;
    for (int k = 0; k < CONDITIONS; k++) {
        if (order[k] <= p)
            assert_near(sum[k], exact[k], 1e-14);
        if (order[k] == p + 1)
            higher &= fabs(sum[k] - exact[k]) < 1e-6;
    }
    if (p < 4 && higher)
        fail_msg("the order of %s is higher than %d", lieder_solver_name(solver), p);
}

static void test_tables(void **state)
{
    (void)state;
    for (LiederSolver s = LIEDER_SOLVER_AUTO + 1; s < LIEDER_SOLVER_COUNT; s++) {
        const LiederSolverInfo *info = lieder_solver_info(s);
        assert_true(info->order > 0 && info->text[0]);
        if (info->stages == 0)
            continue;
        ButcherTable t = solver_table(s);
        assert_int_equal(t.nstage, info->stages);
        assert_int_equal(t.order, info->order);
        assert_true(t.nstage <= MAX_STAGES);
        bool implicit = false;
        for (int i = 0; i < t.nstage; i++)
            for (int j = i; j < t.nstage; j++) {
                implicit |= t.a[i][j] != 0;
                assert_true(j == i || t.a[i][j] == 0);
            }
        assert_true(implicit == info->implicit);
        check_order(s, &t);
    }
}

static void test_names(void **state)
{
    (void)state;
    for (LiederSolver s = LIEDER_SOLVER_AUTO; s < LIEDER_SOLVER_COUNT; s++) {
        LiederSolver found;
        assert_true(lieder_solver_find(lieder_solver_name(s), &found));
        assert_int_equal(found, s);
        bool listed = strstr(lieder_solver_names(), lieder_solver_name(s)) != NULL;
        assert_true(listed == (s != LIEDER_SOLVER_AUTO));
    }
    LiederSolver solver = LIEDER_RK2;
    assert_false(lieder_solver_find("rk", &solver));
    assert_int_equal(solver, LIEDER_RK2);
    assert_string_equal(lieder_solver_name(LIEDER_SOLVER_COUNT), "unknown");
    LiederChatter chatter;
    assert_true(lieder_chatter_find("hold", &chatter) && chatter == LIEDER_CHATTER_HOLD);
    assert_false(lieder_chatter_find("", &chatter));
    LiederCompile compile;
    assert_true(lieder_compile_find("always", &compile) && compile == LIEDER_COMPILE_ALWAYS);
    assert_string_equal(lieder_compile_names(), "never, auto, always");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tables), cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
