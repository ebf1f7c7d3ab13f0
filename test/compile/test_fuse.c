/* test_fuse.c - kernels for sequences of ops: the same bits as the kernels of the library, whatever
 * ran before, and one file for chains of every length. */
#include <lieder/simulate.h>

#include "compile/compile.h"
#include "help/meter.h"
#include "help/full.h"
#include "help/own_cache.h"
#include "help/random_model.h"

/* ------------------------------------------------------------------ same bits */

enum { PLAIN, FUSED };

/* the first shape, or the largest, runs in sequences and has fewer ops for it */
static void expect_fused(const LiederSystem *system)
{
    size_t fused = 0, plain = 0;
    for (size_t i = 0; i < system->shapes.n; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        if (!ss->code.fused.at.n)
            continue;
        fused += ss->code.fused.explicit_.n + ss->code.fused.reduce.n + ss->code.fused.solve.n;
        plain += ss->plan.lean.explicit_.n + ss->plan.lean.reduce.n + ss->plan.lean.solve.n;
    }
    assert_true(fused > 0 && fused < plain);
}

/* Derivatives of both at random states, several times: what a place holds of the last evaluation is
 * wrong in the next one. */
static void compare(Lieder *session, LiederSystem *const systems[2], uint64_t seed)
{
    size_t n = lieder_system_state_count(systems[PLAIN]);
    double *x = malloc(3 * n * sizeof *x);
    for (int round = 0; round < 4; round++) {
        random_fill(&seed, x, n, -1, 1);
        for (int k = PLAIN; k <= FUSED; k++)
            derivatives(session, systems[k], 0.5 + round, x, x + (size_t)(k + 1) * n);
        assert_memory_equal(x + n, x + 2 * n, n * sizeof *x);
    }
    free(x);
}

/* two systems of a model, the second one compiled */
static void make_systems(Lieder *session, const char *model, LiederSystem *systems[2])
{
    for (int k = PLAIN; k <= FUSED; k++)
        systems[k] = system_new(session, model);
    assert_int_equal(lieder_system_compile(systems[FUSED]), LIEDER_DONE);
    expect_fused(systems[FUSED]);
}

static void drop_systems(LiederSystem *systems[2])
{
    for (int k = PLAIN; k <= FUSED; k++)
        lieder_system_destroy(systems[k]);
}

static void check_bits(Lieder *session, const char *model)
{
    LiederSystem *systems[2];
    make_systems(session, model, systems);
    compare(session, systems, 7);
    drop_systems(systems);
}

static LiederModel *chains(Lieder *session, const char *name, size_t links, size_t count)
{
    LiederModel *m = lieder_model_create(session, name, "");
    lieder_model_add(m, "world", "World");
    lieder_model_add_array(m, "chain", "Examples.Chain", count);
    lieder_model_set(m, "chain.n", (double)links);
    return m;
}

/* the compiler is called once for all of them */
static void chains_of_every_length_share_a_file(void **state)
{
    (void)state;
    static const size_t links[] = {65, 66, 67, 68, 200, 1000, 20000};
    Lieder *session = session_new();
    long before = count_calls();
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        char name[16];
        snprintf(name, sizeof name, "Chain%zu", links[i]);
        chains(session, name, links[i], 1);
        check_bits(session, name);
    }
    assert_int_equal(count_calls() - before, 1);
    lieder_destroy(session);
}

/* a fraction of the ops, hence of the loads and stores */
static void chains_are_run_by_the_link(void **state)
{
    (void)state;
    enum { N = 1000 };
    Lieder *session = session_new();
    chains(session, "Chain", N, 1);
    LiederSystem *system = system_new(session, "Chain");
    assert_int_equal(lieder_system_compile(system), LIEDER_DONE);
    const Fused *f = &system->shapes.items[0].code.fused;
    assert_in_range(f->explicit_.n, 1, N / 2 + 10);
    assert_in_range(f->reduce.n, 1, N / 2 + 10);
    assert_in_range(f->solve.n, 1, N / 2 + 10);
    assert_in_range(f->at.n, 1, 12 * N);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* several domains, every component either way round, with and without loops */
static void random_trees_have_the_bits_of_the_kernels(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed += IN_FULL(1, 2)) {
        Lieder *session = session_new();
        random_model(session, "R", seed,
                     (RandomOptions){.joints = 20 + 12 * seed,
                                     .loops = seed % 3,
                                     .stiffness = 100,
                                     .planar = seed % 2,
                                     .time_constant = 1e-2});
        check_bits(session, "R");
        lieder_destroy(session);
    }
}

/* large enough for longer sequences to take all instances of shorter ones */
static void a_large_tree_has_the_bits_of_the_kernels(void **state)
{
    (void)state;
    enum { N = 3000 };
    char a[48], b[48];
    uint64_t seed = 3;
    Lieder *session = session_new();
    LiederModel *m = lieder_model_create(session, "Tree", "");
    lieder_model_add(m, "fixed", "Planar.Fixed");
    lieder_model_add_array(m, "revolute", "Planar.Revolute", N);
    lieder_model_add_array(m, "rod", "Planar.FixedTranslation", N);
    lieder_model_add_array(m, "body", "Planar.Body", N);
    lieder_model_set(m, "rod.r[1]", 0.3);
    for (size_t i = 1; i <= N; i++) {
        snprintf(a, sizeof a, i == 1 ? "fixed.frame" : "rod[%zu].frame_b",
                 i == 1 ? 0 : 1 + random_below(&seed, i - 1));
        snprintf(b, sizeof b, "revolute[%zu].frame_a", i);
        lieder_model_connect(m, a, b);
        snprintf(a, sizeof a, "revolute[%zu].frame_b", i);
        snprintf(b, sizeof b, "rod[%zu].frame_a", i);
        lieder_model_connect(m, a, b);
        snprintf(a, sizeof a, "rod[%zu].frame_b", i);
        snprintf(b, sizeof b, "body[%zu].frame_a", i);
        lieder_model_connect(m, a, b);
    }
    check_bits(session, "Tree");
    lieder_destroy(session);
}

static void lanes_have_the_bits_of_the_kernels(void **state)
{
    (void)state;
    static const size_t counts[] = {2, 5, 37};
    for (int differ = 0; differ < 2; differ++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            Lieder *session = session_new();
            LiederModel *m = chains(session, "Lanes", 100, counts[i]);
            double mass[37 * 100];
            for (size_t k = 0; k < 100 * counts[i]; k++)
                mass[k] = 0.01 + 1e-4 * (double)k;
            if (differ)
                lieder_model_set_each(m, "chain.body.m", mass, 100 * counts[i]);
            check_bits(session, "Lanes");
            lieder_destroy(session);
        }
}

static void gcc_has_the_bits_of_the_kernels(void **state)
{
    (void)state;
    char *kept = strdup(getenv("LIEDER_CC"));
    setenv("LIEDER_CC", "gcc", 1);
    Lieder *session = session_new();
    chains(session, "Gcc", 70, 3);
    check_bits(session, "Gcc");
    lieder_destroy(session);
    setenv("LIEDER_CC", kept, 1);
    free(kept);
}

/* ------------------------------------------------------------------ things that change */

/* Parameters of one link in one lane: some are zero in all lanes at first, and generated code has
 * them as numbers, whether lanes differ in something else already or not. */
static void parameters_can_change(void **state)
{
    (void)state;
    static const char *const changes[] = {"chain[2].body[1].m", "chain[4].rod[5].r[2]",
                                          "chain[1].rod[2].r[2]", "chain[1].body[4].I"};
    static const size_t links[] = {5, 80};
    for (size_t k = 0; k < sizeof links / sizeof *links; k++) {
        Lieder *session = session_new();
        LiederSystem *systems[2];
        chains(session, "Later", links[k], 5);
        for (int i = PLAIN; i <= FUSED; i++)
            systems[i] = system_new(session, "Later");
        for (size_t c = 0; c < sizeof changes / sizeof *changes; c += k ? IN_FULL(1, 2) : 1) {
            assert_int_equal(lieder_system_compile(systems[FUSED]), LIEDER_DONE);
            assert_int_equal(lieder_system_info(systems[FUSED]).ncompiled, 1);
            for (int i = PLAIN; i <= FUSED; i++)
                assert_int_equal(lieder_system_set(systems[i], changes[c], 0.5), LIEDER_DONE);
            compare(session, systems, c);
        }
        drop_systems(systems);
        lieder_destroy(session);
    }
}

/* a number that was zero, of one link of a single chain */
static void known_numbers_can_change(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederSystem *systems[2];
    chains(session, "Bent", 80, 1);
    make_systems(session, "Bent", systems);
    assert_true(systems[FUSED]->shapes.items[0].code.known.places.n > 0);
    for (int i = PLAIN; i <= FUSED; i++)
        assert_int_equal(lieder_system_set(systems[i], "chain[1].rod[40].r[2]", 0.1), LIEDER_DONE);
    compare(session, systems, 3);
    assert_int_equal(lieder_system_compile(systems[FUSED]), LIEDER_DONE);
    expect_fused(systems[FUSED]);
    compare(session, systems, 4);
    drop_systems(systems);
    lieder_destroy(session);
}

/* Lanes join and leave a shape that runs in sequences. */
static void connections_can_change(void **state)
{
    (void)state;
    enum { N = 4 };
    Lieder *session = session_new();
    LiederModel *m = chains(session, "Rewired", 70, N);
    lieder_model_add_array(m, "extra", "Planar.Body", N);
    lieder_model_spare(m, "extra");
    lieder_model_set(m, "extra[2].m", 3);
    LiederSystem *systems[2];
    make_systems(session, "Rewired", systems);
    double *x = state_new(systems[PLAIN]);
    for (size_t k = 0; k < 2 * N + 2; k++) {
        char extra[32], tip[48];
        snprintf(extra, sizeof extra, "extra[%zu].frame_a", k % N + 1);
        snprintf(tip, sizeof tip, "chain[%zu].body[70].frame_a", k % N + 1);
        for (int i = PLAIN; i <= FUSED; i++) {
            if (k / N % 2)
                lieder_system_disconnect(systems[i], extra);
            else
                lieder_system_connect(systems[i], extra, tip);
            assert_int_equal(lieder_system_restructure(systems[i], x), LIEDER_DONE);
        }
        if (k % 3 == 1)
            assert_int_equal(lieder_system_compile(systems[FUSED]), LIEDER_DONE);
        compare(session, systems, k);
    }
    expect_fused(systems[FUSED]);
    free(x);
    drop_systems(systems);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ runs */

/* masses on top of each other, each with a contact to the ground: choices that are held between
 * events, in a shape with several lanes */
static void runs_with_events_have_the_bits_of_the_kernels(void **state)
{
    (void)state;
    enum { N = 16, LANES = 3 };
    char a[48], b[48], file[2][96], command[256];
    Lieder *session = session_new();
    LiederModel *pile = lieder_model_create(session, "Pile", "");
    lieder_model_add(pile, "ground", "Translational.Fixed");
    lieder_model_add_array(pile, "joint", "Translational.Joint", N);
    lieder_model_add_array(pile, "mass", "Translational.Body", N);
    lieder_model_add_array(pile, "gap", "Translational.ElastoGap", N);
    lieder_model_set(pile, "gap.c", 1e3);
    lieder_model_set(pile, "gap.d", 5);
    for (size_t i = 1; i <= N; i++) {
        snprintf(b, sizeof b, "joint[%zu].flange_a", i);
        snprintf(a, sizeof a, i == 1 ? "ground.flange_b" : "joint[%zu].flange_b", i - 1);
        lieder_model_connect(pile, a, b);
        snprintf(a, sizeof a, "joint[%zu].flange_b", i);
        snprintf(b, sizeof b, "mass[%zu].flange_a", i);
        lieder_model_connect(pile, a, b);
        snprintf(b, sizeof b, "gap[%zu].flange_b", i);
        lieder_model_connect(pile, a, b);
        snprintf(b, sizeof b, "gap[%zu].flange_a", i);
        lieder_model_connect(pile, "ground.flange_b", b);
        snprintf(a, sizeof a, "joint[%zu].s", i);
        lieder_model_set(pile, a, 0.01 * (double)i);
    }
    LiederModel *m = lieder_model_create(session, "Piles", "");
    lieder_model_add_array(m, "pile", "Pile", LANES);
    lieder_model_set(m, "pile[2].joint[3].s", 0.2);
    LiederStatistics statistics[2];
    for (int k = PLAIN; k <= FUSED; k++) {
        LiederSystem *system = system_new(session, "Piles");
        LiederSimulateOptions o = lieder_simulate_defaults();
        snprintf(file[k], sizeof file[k], "%s/piles-%d", folder, k);
        o.stop = 0.5;
        o.solver = LIEDER_BDF;
        o.checkpoint = file[k];
        o.compile = k == FUSED ? LIEDER_COMPILE_ALWAYS : LIEDER_COMPILE_NEVER;
        assert_int_equal(lieder_simulate(system, &o, &statistics[k]), LIEDER_DONE);
        if (k == FUSED)
            expect_fused(system);
        lieder_system_destroy(system);
    }
    assert_true(statistics[PLAIN].state_events > 0);
    assert_int_equal(statistics[PLAIN].state_events, statistics[FUSED].state_events);
    snprintf(command, sizeof command, "cmp %s %s", file[PLAIN], file[FUSED]);
    assert_int_equal(system(command), 0);
    lieder_destroy(session);
}

/* kernels for sequences do not store pivots; the message names the joint all the same */
static void a_small_pivot_is_named(void **state)
{
    (void)state;
    char message[2][400];
    Lieder *session = session_new();
    chains(session, "Light", 90, 1);
    LiederSystem *systems[2];
    make_systems(session, "Light", systems);
    double *x = state_new(systems[PLAIN]), *dx = state_new(systems[PLAIN]);
    for (int k = PLAIN; k <= FUSED; k++) {
        lieder_diagnostic_clear(session);
        assert_int_equal(lieder_system_set(systems[k], "chain[1].body[90].m", 0), LIEDER_DONE);
        assert_int_equal(lieder_system_set(systems[k], "chain[1].body[90].I", 0), LIEDER_DONE);
        assert_int_equal(lieder_system_derivatives(systems[k], 0, x, dx), LIEDER_SINGULAR);
        assert_int_equal(lieder_diagnostic_count(session), 1);
        const LiederDiagnostic *d = lieder_diagnostic_get(session, 0);
        snprintf(message[k], sizeof message[k], "%s: %s", d->path, d->message);
    }
    assert_string_equal(message[PLAIN], message[FUSED]);
    assert_non_null(strstr(message[FUSED], "revolute[90]"));
    free(x);
    free(dx);
    drop_systems(systems);
    lieder_destroy(session);
}

/* whichever allocation fails: the system goes on with what it has, and nothing leaks */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    LiederStatus status = LIEDER_NO_MEMORY;
    for (size_t k = 1; status != LIEDER_DONE; k++) {
        Meter meter = {0};
        LiederAllocator alloc = METER_ALLOCATOR(&meter);
        Lieder *session = lieder_create(&alloc);
        chains(session, "Short", 30, 1);
        LiederSystem *system = system_new(session, "Short");
        double *x = state_new(system), *dx = state_new(system);
        meter.fail_at = meter.calls + k;
        status = lieder_system_compile(system);
        meter.fail_at = 0;
        assert_true(status == LIEDER_DONE || status == LIEDER_NO_MEMORY);
        derivatives(session, system, 0, x, dx);
        free(x);
        free(dx);
        lieder_system_destroy(system);
        lieder_destroy(session);
        assert_int_equal(meter.live, 0);
        assert_in_range(k, 1, 2000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_of_every_length_share_a_file),
        cmocka_unit_test(chains_are_run_by_the_link),
        cmocka_unit_test(random_trees_have_the_bits_of_the_kernels),
        cmocka_unit_test(a_large_tree_has_the_bits_of_the_kernels),
        cmocka_unit_test(lanes_have_the_bits_of_the_kernels),
        cmocka_unit_test(gcc_has_the_bits_of_the_kernels),
        cmocka_unit_test(parameters_can_change),
        cmocka_unit_test(known_numbers_can_change),
        cmocka_unit_test(connections_can_change),
        cmocka_unit_test(runs_with_events_have_the_bits_of_the_kernels),
        cmocka_unit_test(a_small_pivot_is_named),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
