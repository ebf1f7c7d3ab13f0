/* test_jacobian.c - patterns, colours and numbers of Jacobians. */
#include "solve/help.h"
#include "solve/method/jacobian.h"

/* n masses side by side, each on its own joint, with springs between neighbours and a contact at
 * the last one that is open */
static void build_row(Lieder *session, const char *name, size_t n)
{
    char a[64], b[64];
    LiederModel *m = lieder_model_create(session, name, "");
    lieder_model_add(m, "world", "World");
    lieder_model_set(m, "world.TD", 0);
    lieder_model_add(m, "fixed", "Translational.Fixed");
    lieder_model_add_array(m, "joint", "Translational.Joint", n);
    lieder_model_add_array(m, "body", "Translational.Body", n);
    lieder_model_add_array(m, "spring", "Translational.SpringDamper", n - 1);
    lieder_model_add(m, "gap", "Translational.ElastoGap");
    lieder_model_set(m, "gap.l", -100);
    lieder_model_set(m, "gap.c", 1000);
    lieder_model_set(m, "spring.c", 100);
    lieder_model_set(m, "spring.d", 1);
    lieder_model_set(m, "body.g", 0);
    lieder_model_set(m, "joint[1].v", 1);
    for (size_t i = 1; i <= n; i++) {
        snprintf(a, sizeof a, "joint[%zu].flange_a", i);
        lieder_model_connect(m, "fixed.flange_b", a);
        snprintf(a, sizeof a, "joint[%zu].flange_b", i);
        snprintf(b, sizeof b, "body[%zu].flange_a", i);
        lieder_model_connect(m, a, b);
        if (i == n)
            break;
        snprintf(b, sizeof b, "spring[%zu].flange_a", i);
        lieder_model_connect(m, a, b);
        snprintf(a, sizeof a, "joint[%zu].flange_b", i + 1);
        snprintf(b, sizeof b, "spring[%zu].flange_b", i);
        lieder_model_connect(m, a, b);
    }
    snprintf(b, sizeof b, "joint[%zu].flange_b", n);
    lieder_model_connect(m, "fixed.flange_b", "gap.flange_a");
    lieder_model_connect(m, b, "gap.flange_b");
}

static double entry(const int64_t *columns, const int64_t *rows, const double *values, size_t r,
                    size_t c)
{
    for (int64_t k = columns[c]; k < columns[c + 1]; k++)
        if (rows[k] == (int64_t)r)
            return values[k];
    return NAN;
}

/* three neighbours a row: a handful of colours whatever the length; an open contact is no hole */
static void sparse_row_of_masses(void **unused)
{
    (void)unused;
    enum { N = 40 };
    Lieder *session = lieder_create(NULL);
    build_row(session, "Row", N);
    LiederSystem *system = system_new(session, "Row");
    Team team;
    Jacobian j;
    size_t n = lieder_system_state_count(system);
    double *x = calloc(n, sizeof *x), *dx = calloc(n, sizeof *dx);
    lieder_system_start(system, x);
    Moment moment = {.event_time = NAN};
    assert_int_equal(team_create(&team, system, 1), LIEDER_DONE);
    assert_int_equal(jacobian_create(&j, &team, 0, &moment, x), LIEDER_DONE);
    printf("%d masses: %zu of %zu entries, %zu colours\n", N, j.nonzeros, n * n,
           j.shapes.items[0].ncolour);
    assert_true(j.shapes.items[0].ncolour <= 8);
    assert_true(j.nonzeros <= 8 * n);
    int64_t *columns = calloc(n + 1, sizeof *columns), *rows = calloc(j.nonzeros, sizeof *rows);
    double *values = calloc(j.nonzeros, sizeof *values);
    jacobian_pattern(&j, columns, rows);
    assert_int_equal(team_derivatives(&team, 0, &moment, x, dx, true), LIEDER_DONE);
    assert_int_equal(jacobian_evaluate(&j, 0, &moment, x, dx, values), LIEDER_DONE);
    size_t s7 = state_at(system, "joint[7].s"), v7 = state_at(system, "joint[7].v"),
           s8 = state_at(system, "joint[8].s"), s9 = state_at(system, "joint[9].s"),
           last_s = state_at(system, "joint[40].s"), last_v = state_at(system, "joint[40].v");
    /* differences of a linear function are exact to the square root of eps */
    assert_true(fabs(entry(columns, rows, values, v7, s7) + 200) < 1e-4);
    assert_true(fabs(entry(columns, rows, values, v7, s8) - 100) < 1e-4);
    assert_true(fabs(entry(columns, rows, values, s7, v7) - 1) < 1e-6);
    assert_true(isnan(entry(columns, rows, values, v7, s9)));
    assert_true(fabs(entry(columns, rows, values, last_v, last_s) + 100) < 1e-4);
    /* with the contact closed */
    double closed = 1;
    moment.choices = &closed;
    assert_int_equal(team_derivatives(&team, 0, &moment, x, dx, true), LIEDER_DONE);
    assert_int_equal(jacobian_evaluate(&j, 0, &moment, x, dx, values), LIEDER_DONE);
    assert_true(fabs(entry(columns, rows, values, last_v, last_s) + 1100) < 1e-2);
    free(x);
    free(dx);
    free(columns);
    free(rows);
    free(values);
    jacobian_drop(&j);
    team_drop(&team);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* a mass with springs to all others: its row is full, so no two columns are taken together, and the
 * entries are those of the springs */
static void full_row_of_a_star(void **unused)
{
    (void)unused;
    enum { N = 12 };
    char a[64];
    Lieder *session = lieder_create(NULL);
    LiederModel *m = lieder_model_create(session, "Star", "");
    lieder_model_add(m, "world", "World");
    lieder_model_set(m, "world.TD", 0);
    lieder_model_add(m, "fixed", "Translational.Fixed");
    lieder_model_add_array(m, "joint", "Translational.Joint", N);
    lieder_model_add_array(m, "body", "Translational.Body", N);
    lieder_model_add_array(m, "spring", "Translational.SpringDamper", N - 1);
    lieder_model_set(m, "spring.c", 100);
    lieder_model_set(m, "spring.d", 1);
    lieder_model_set(m, "body.g", 0);
    for (size_t i = 1; i <= N; i++) {
        char b[64];
        snprintf(a, sizeof a, "joint[%zu].flange_a", i);
        lieder_model_connect(m, "fixed.flange_b", a);
        snprintf(a, sizeof a, "joint[%zu].flange_b", i);
        snprintf(b, sizeof b, "body[%zu].flange_a", i);
        lieder_model_connect(m, a, b);
        if (i == 1)
            continue;
        snprintf(b, sizeof b, "spring[%zu].flange_b", i - 1);
        lieder_model_connect(m, a, b);
        snprintf(b, sizeof b, "spring[%zu].flange_a", i - 1);
        lieder_model_connect(m, "joint[1].flange_b", b);
    }
    LiederSystem *system = system_new(session, "Star");
    Team team;
    Jacobian j;
    size_t n = lieder_system_state_count(system);
    double *x = calloc(n, sizeof *x), *dx = calloc(n, sizeof *dx);
    lieder_system_start(system, x);
    Moment moment = {.event_time = NAN};
    assert_int_equal(team_create(&team, system, 1), LIEDER_DONE);
    assert_int_equal(jacobian_create(&j, &team, 0, &moment, x), LIEDER_DONE);
    assert_int_equal(j.shapes.items[0].ncolour, n);
    int64_t *columns = calloc(n + 1, sizeof *columns), *rows = calloc(j.nonzeros, sizeof *rows);
    double *values = calloc(j.nonzeros, sizeof *values);
    jacobian_pattern(&j, columns, rows);
    assert_int_equal(team_derivatives(&team, 0, &moment, x, dx, true), LIEDER_DONE);
    assert_int_equal(jacobian_evaluate(&j, 0, &moment, x, dx, values), LIEDER_DONE);
    size_t v1 = state_at(system, "joint[1].v");
    assert_true(fabs(entry(columns, rows, values, v1, state_at(system, "joint[1].s")) + 1100) <
                1e-2);
    for (size_t i = 2; i <= N; i++) {
        snprintf(a, sizeof a, "joint[%zu].s", i);
        size_t s = state_at(system, a);
        snprintf(a, sizeof a, "joint[%zu].v", i);
        size_t v = state_at(system, a);
        assert_true(fabs(entry(columns, rows, values, v1, s) - 100) < 1e-3);
        assert_true(fabs(entry(columns, rows, values, v1, v) - 1) < 1e-5);
        assert_true(fabs(entry(columns, rows, values, v, s) + 100) < 1e-3);
    }
    free(x);
    free(dx);
    free(columns);
    free(rows);
    free(values);
    jacobian_drop(&j);
    team_drop(&team);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* lanes are blocks of their own: the entries of many crabs are those of each of them */
static void blocks_of_lanes(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_crabs(session, "Crabs", 21, 1e-2);
    LiederSystem *system = system_new(session, "Crabs");
    Team team;
    Jacobian j;
    size_t n = lieder_system_state_count(system), nlane = 21;
    double *x = calloc(n, sizeof *x), *dx = calloc(n, sizeof *dx),
           *moved = calloc(n, sizeof *moved);
    lieder_system_start(system, x);
    Moment moment = {.event_time = NAN};
    assert_int_equal(team_create(&team, system, 2), LIEDER_DONE);
    assert_int_equal(jacobian_create(&j, &team, 0, &moment, x), LIEDER_DONE);
    assert_int_equal(j.nonzeros, nlane * 16);
    int64_t *columns = calloc(n + 1, sizeof *columns), *rows = calloc(j.nonzeros, sizeof *rows);
    double *values = calloc(j.nonzeros, sizeof *values);
    jacobian_pattern(&j, columns, rows);
    lieder_system_derivatives(system, 0, x, dx);
    assert_int_equal(jacobian_evaluate(&j, 0, &moment, x, dx, values), LIEDER_DONE);
    for (size_t c = 0; c < n; c += 5) {
        double keep = x[c], d = 1e-6;
        x[c] = keep + d;
        lieder_system_derivatives(system, 0, x, moved);
        x[c] = keep;
        for (size_t r = 0; r < n; r++) {
            double slope = (moved[r] - dx[r]) / d, found = entry(columns, rows, values, r, c);
            if (r % nlane != c % nlane)
                assert_true(isnan(found) && slope == 0);
            else
                assert_true(fabs(found - slope) < 1e-4 * (1 + fabs(slope)));
        }
    }
    free(x);
    free(dx);
    free(moved);
    free(columns);
    free(rows);
    free(values);
    jacobian_drop(&j);
    team_drop(&team);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* the solvers that use it agree with rk4 */
static void long_row_is_solved(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_row(session, "Row", 40);
    LiederSystem *system = system_new(session, "Row");
    size_t n = lieder_system_state_count(system);
    double *x = calloc(n, sizeof *x);
    lieder_system_start(system, x);
    assert_int_equal(lieder_step(system, LIEDER_RK4, 0, 1e-3, 2000, x), LIEDER_DONE);
    for (LiederSolver solver = LIEDER_ESDIRK23; solver <= LIEDER_BDF; solver++) {
        LiederSimulateOptions o = lieder_simulate_defaults();
        LiederStatistics s;
        Rows rows = {0};
        o.solver = solver;
        o.stop = 2;
        assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE);
        double worst = 0;
        for (size_t i = 0; i < n; i++)
            worst = fmax(worst, fabs(last_row(&rows)[i] - x[i]));
        printf("%s: error %.1e, %zu steps, %zu evaluations\n", lieder_solver_name(solver), worst,
               s.steps, s.evaluations);
        assert_true(worst < 1e-3);
        rows_drop(&rows);
    }
    free(x);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_row_of_masses), cmocka_unit_test(full_row_of_a_star),
        cmocka_unit_test(blocks_of_lanes), cmocka_unit_test(long_row_is_solved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
