/* test_methods.c - tree, sparse and probing solve the same linear groups: on random trees over
 * three domains, with every component either way round, with and without loops. */
#include "help/random_model.h"

static const LiederMethod methods[] = {LIEDER_METHOD_TREE, LIEDER_METHOD_SPARSE,
                                       LIEDER_METHOD_PROBE};

/* largest difference between the methods, relative to the largest derivative */
static double disagreement(uint64_t seed, RandomOptions o)
{
    Lieder *session = session_new();
    LiederSystem *systems[3];
    random_model(session, "R", seed, o);
    for (int m = 0; m < 3; m++)
        systems[m] = system_new_with(session, "R", (LiederSystemOptions){.method = methods[m]});
    size_t n = lieder_system_state_count(systems[0]);
    double *x = malloc((4 * n + 1) * sizeof *x), worst = 0;
    assert_true(n >= 2 * o.joints);
    for (int trial = 0; trial < 2; trial++) {
        random_fill(&seed, x, n, -1, 1);
        double scale = 1;
        for (int m = 0; m < 3; m++)
            derivatives(session, systems[m], 0.5, x, x + (size_t)(m + 1) * n);
        for (size_t i = 0; i < n; i++)
            scale = fmax(scale, fabs(x[n + i]));
        for (int m = 1; m < 3; m++)
            for (size_t i = 0; i < n; i++)
                worst = fmax(worst, fabs(x[n + i] - x[(size_t)(m + 1) * n + i]) / scale);
    }
    free(x);
    for (int m = 0; m < 3; m++)
        lieder_system_destroy(systems[m]);
    lieder_destroy(session);
    return worst;
}

/* a spread of sizes: many small models, some with sixty joints */
static size_t joints_of(uint64_t seed)
{
    static const size_t sizes[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 60};
    return sizes[seed % (sizeof sizes / sizeof *sizes)];
}

static void check_many(RandomOptions o, uint64_t first, uint64_t count, size_t most_loops,
                       double tolerance)
{
    double worst = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        o.joints = joints_of(seed);
        o.loops = most_loops ? 1 + seed % most_loops : 0;
        double d = disagreement(seed, o);
        if (!(d <= tolerance))
            fail_msg("seed %llu, %zu joints, %zu loops: methods differ by %g",
                     (unsigned long long)seed, o.joints, o.loops, d);
        worst = fmax(worst, d);
    }
    print_message("           %llu models, largest difference %.2g\n", (unsigned long long)count,
                  worst);
}

/* 1e-9 is what is asked for; elimination itself keeps about 1e-13 */
static void trees_agree(void **state)
{
    (void)state;
    check_many((RandomOptions){.time_constant = 1e-2}, 1, 120, 0, 1e-9);
}

static void classical_trees_agree(void **state)
{
    (void)state;
    check_many((RandomOptions){.time_constant = 0}, 1001, 48, 0, 1e-9);
}

static void undamped_loops_agree(void **state)
{
    (void)state;
    check_many((RandomOptions){.time_constant = 1e-2, .stiffness = 1e4, .damped = 0}, 2001, 60, 6,
               1e-9);
}

static void damped_loops_agree(void **state)
{
    (void)state;
    check_many((RandomOptions){.time_constant = 1e-2, .stiffness = 1e3, .damped = 1}, 3001, 120, 6,
               1e-9);
}

/* c TD^2 / m = 1e2 */
static void stiff_loops_agree(void **state)
{
    (void)state;
    check_many((RandomOptions){.time_constant = 1e-3, .stiffness = 1e8, .damped = 1}, 4001, 120, 6,
               1e-9);
}

/* Here c TD^2 / m = 1e8 is the condition of the group: rounding costs eight digits in the soft
 * directions whatever the method, and the dense oracle loses one or two more with its size. */
static void very_stiff_loops_agree(void **state)
{
    (void)state;
    check_many((RandomOptions){.time_constant = 1e-2, .stiffness = 1e12, .damped = 1}, 5001, 120, 6,
               1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_agree),          cmocka_unit_test(classical_trees_agree),
        cmocka_unit_test(undamped_loops_agree), cmocka_unit_test(damped_loops_agree),
        cmocka_unit_test(stiff_loops_agree),    cmocka_unit_test(very_stiff_loops_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
