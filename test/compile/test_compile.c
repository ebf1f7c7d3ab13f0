/* test_compile.c - generated code: the same bits as the kernels, and a cache that can be trusted.
 */
#include <fcntl.h>
#include <sys/wait.h>

#include <lieder/simulate.h>

#include "compile/compile.h"
#include "help/full.h"
#include "help/own_cache.h"
#include "help/random_model.h"

/* ------------------------------------------------------------------ same bits */

/* Derivatives of n equal models before and after compiling. Zeros may have another sign: a compiler
 * that knows a factor to be zero does not look at the sign of the other one. */
static void check_bits(Lieder *session, const char *model, size_t ncompiled)
{
    uint64_t seed = 7;
    LiederSystem *system = system_new(session, model);
    size_t n = lieder_system_state_count(system);
    enum { SHIFTS = 8 }; /* places within a line of the cache */
    double *x = malloc((3 * n + SHIFTS) * sizeof *x);
    random_fill(&seed, x, n, -1, 1);
    derivatives(session, system, 0.5, x, x + n);
    assert_int_equal(lieder_system_compile(system), LIEDER_DONE);
    assert_int_equal(lieder_system_info(system).ncompiled, ncompiled);
    for (size_t shift = 0; shift < SHIFTS; shift++) {
        double *dx = x + 2 * n + shift;
        memset(x + 2 * n, 0xff, (n + SHIFTS) * sizeof *x);
        derivatives(session, system, 0.5, x, dx);
        for (size_t i = 0; i < n; i++)
            if (x[n + i] != dx[i])
                fail_msg("%s, state %zu: %.17g by kernels, %.17g compiled", model, i, x[n + i],
                         dx[i]);
        for (size_t i = 0; i < SHIFTS; i++)
            assert_true(isnan(i < shift ? x[2 * n + i] : x[3 * n + i]));
    }
    free(x);
    lieder_system_destroy(system);
}

static void lanes_have_the_bits_of_the_kernels(void **state)
{
    (void)state;
    /* derivatives of the last but one are written past the caches; rows of the last one begin at
     * places that do not allow it */
    static const size_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 11, 12, 13, 64, 1001, 270008, 270001};
    Lieder *session = session_new();
    const size_t n = sizeof sizes / sizeof *sizes - IN_FULL(0, 2); /* the last ones are large */
    for (size_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "Fleet%zu", sizes[i]);
        LiederModel *m = lieder_model_create(session, name, "");
        lieder_model_add_array(m, "crab", "Examples.CraneCrab", sizes[i]);
        check_bits(session, name, 1);
    }
    lieder_destroy(session);
}

/* every component either way round, several domains, with and without loops */
static void random_models_have_the_bits_of_the_kernels(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed += IN_FULL(1, 2)) {
        Lieder *session = session_new();
        random_model(session, "R", seed,
                     (RandomOptions){.joints = 2 + seed,
                                     .loops = seed % 3,
                                     .stiffness = 100,
                                     .planar = seed % 2,
                                     .time_constant = 1e-2});
        LiederSystem *system = system_new(session, "R");
        size_t n = lieder_system_info(system).nshape;
        lieder_system_destroy(system);
        check_bits(session, "R", n);
        lieder_destroy(session);
    }
}

/* A spring beside the tree: on the way of its unit flow the root has zeros as potentials, which
 * nothing else in this model looks at. */
static void a_small_loop_has_the_bits_of_the_kernels(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederModel *m = lieder_model_create(session, "QuarterCar", "");
    static const char *const parts[][2] = {
        {"road", "Translational.Fixed"},        {"hop", "Translational.Joint"},
        {"lift", "Translational.Joint"},        {"wheel", "Translational.Body"},
        {"body", "Translational.Body"},         {"tyre", "Translational.SpringDamper"},
        {"strut", "Translational.SpringDamper"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        lieder_model_add(m, parts[i][0], parts[i][1]);
    lieder_model_connect(m, "road.flange_b", "hop.flange_a");
    lieder_model_connect(m, "road.flange_b", "tyre.flange_a");
    lieder_model_connect(m, "hop.flange_b", "tyre.flange_b");
    lieder_model_connect(m, "hop.flange_b", "wheel.flange_a");
    lieder_model_connect(m, "hop.flange_b", "lift.flange_a");
    lieder_model_connect(m, "hop.flange_b", "strut.flange_a");
    lieder_model_connect(m, "lift.flange_b", "strut.flange_b");
    lieder_model_connect(m, "lift.flange_b", "body.flange_a");
    lieder_model_set(m, "tyre.c", 2e5);
    lieder_model_set(m, "strut.c", 2e4);
    check_bits(session, "QuarterCar", 1);
    lieder_destroy(session);
}

static void differing_lanes_have_the_bits_of_the_kernels(void **state)
{
    (void)state;
    enum { N = 37 };
    double mass[N];
    Lieder *session = session_new();
    LiederModel *m = lieder_model_create(session, "Unequal", "");
    lieder_model_add_array(m, "crab", "Examples.CraneCrab", N);
    for (size_t i = 0; i < N; i++)
        mass[i] = 1 + 0.1 * (double)i;
    lieder_model_set_each(m, "crab.load.m", mass, N);
    check_bits(session, "Unequal", 1);
    lieder_destroy(session);
}

/* the system's other compiler, which works on half as many lanes at a time */
static void gcc_has_the_bits_of_the_kernels(void **state)
{
    (void)state;
    char *kept = strdup(getenv("LIEDER_CC"));
    setenv("LIEDER_CC", "gcc", 1);
    Lieder *session = session_new();
    static const size_t sizes[] = {7, 270008};
    for (size_t i = 0; i < 2; i++) {
        char name[16];
        snprintf(name, sizeof name, "Fleet%zu", sizes[i]);
        LiederModel *m = lieder_model_create(session, name, "");
        lieder_model_add_array(m, "crab", "Examples.CraneCrab", sizes[i]);
        check_bits(session, name, 1);
    }
    lieder_destroy(session);
    setenv("LIEDER_CC", kept, 1);
    free(kept);
}

/* A parameter that is set afterwards counts, for one lane as for all; also where lanes differ
 * already, and the zero or one of the others was folded in. */
static void parameters_can_change(void **state)
{
    (void)state;
    enum { N = 20 };
    static const char *const paths[] = {"crab[3].load.m", "crab[4].load.I", "crab[5].rod.r[1]"};
    Lieder *session = session_new();
    LiederModel *m = lieder_model_create(session, "Later", "");
    lieder_model_add_array(m, "crab", "Examples.CraneCrab", N);
    LiederSystem *compiled = system_new(session, "Later"), *kernels = system_new(session, "Later");
    assert_int_equal(lieder_system_compile(compiled), LIEDER_DONE);
    size_t n = lieder_system_state_count(compiled);
    double *x = state_new(compiled), *a = state_new(compiled), *b = state_new(compiled);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 2; k++) {
            LiederSystem *s = k ? compiled : kernels;
            assert_int_equal(lieder_system_set(s, paths[i], 17), LIEDER_DONE);
            derivatives(session, s, 0, x, k ? a : b);
        }
        assert_memory_equal(a, b, n * sizeof *a);
        assert_int_equal(lieder_system_compile(compiled), LIEDER_DONE);
    }
    free(x);
    free(a);
    free(b);
    lieder_system_destroy(compiled);
    lieder_system_destroy(kernels);
    lieder_destroy(session);
}

/* Zeros and ones are folded into generated code: it goes when one of them changes, and comes back
 * when it is asked for. Other numbers and open inputs may change under it. */
static void folded_parameters_can_change(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        double value;
        size_t ncompiled;
    } steps[] = {{"crab.cart.m", 3.5, 1}, {"crab.load.I", 0.25, 0}, {"crab.load.I", 0.5, 1},
                 {"push.fx", 7, 1},       {"crab.load.m", 1.5, 0},  {"crab.load.m", 1, 1}};
    Lieder *session = session_new();
    LiederModel *m = lieder_model_create(session, "Folded", "");
    lieder_model_add(m, "crab", "Examples.CraneCrab");
    lieder_model_add(m, "push", "Planar.WorldForce");
    lieder_model_connect(m, "crab.prismatic.frame_b", "push.frame");
    LiederSystem *compiled = system_new(session, "Folded"),
                 *kernels = system_new(session, "Folded");
    size_t n = lieder_system_state_count(compiled);
    double *x = state_new(compiled), *a = state_new(compiled), *b = state_new(compiled);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        assert_int_equal(lieder_system_compile(compiled), LIEDER_DONE);
        assert_int_equal(lieder_system_info(compiled).ncompiled, 1);
        assert_int_equal(lieder_system_set(compiled, steps[i].path, steps[i].value), LIEDER_DONE);
        assert_int_equal(lieder_system_set(kernels, steps[i].path, steps[i].value), LIEDER_DONE);
        assert_int_equal(lieder_system_info(compiled).ncompiled, steps[i].ncompiled);
        derivatives(session, compiled, 0, x, a);
        derivatives(session, kernels, 0, x, b);
        assert_memory_equal(a, b, n * sizeof *a);
    }
    free(x);
    free(a);
    free(b);
    lieder_system_destroy(compiled);
    lieder_system_destroy(kernels);
    lieder_destroy(session);
}

/* Connections that change take compiled shapes apart and make others; lanes that join them may be
 * the first ones that differ. */
static void connections_can_change(void **state)
{
    (void)state;
    enum { N = 12 };
    Lieder *session = session_new();
    LiederModel *m = lieder_model_create(session, "Rewired", "");
    lieder_model_add_array(m, "crab", "Examples.CraneCrab", N);
    lieder_model_add_array(m, "extra", "Planar.Body", N);
    lieder_model_spare(m, "extra");
    lieder_model_set(m, "extra[7].m", 3);
    LiederSystem *systems[2] = {system_new(session, "Rewired"), system_new(session, "Rewired")};
    size_t n = lieder_system_state_count(systems[0]), count = 0;
    double *x = state_new(systems[0]), *dx[2] = {state_new(systems[0]), state_new(systems[0])};
    uint64_t seed = 11;
    random_fill(&seed, x, n, -1, 1);
    for (size_t k = 0; k < 2 * N + 6; k++) {
        char extra[32], load[32];
        for (int i = 0; i < 2; i++) {
            snprintf(extra, sizeof extra, "extra[%zu].frame_a", k % N + 1);
            snprintf(load, sizeof load, "crab[%zu].load.frame_a", k % N + 1);
            if (k / N % 2)
                lieder_system_disconnect(systems[i], extra);
            else
                lieder_system_connect(systems[i], extra, load);
            assert_int_equal(lieder_system_restructure(systems[i], x), LIEDER_DONE);
            if (i && k % 3 == 1)
                assert_int_equal(lieder_system_compile(systems[1]), LIEDER_DONE);
            derivatives(session, systems[i], 0, x, dx[i]);
        }
        assert_memory_equal(dx[0], dx[1], n * sizeof *x);
        count += lieder_system_info(systems[1]).ncompiled;
    }
    assert_true(count > N);
    free(x);
    for (int i = 0; i < 2; i++) {
        free(dx[i]);
        lieder_system_destroy(systems[i]);
    }
    lieder_destroy(session);
}

/* contacts with choices that are held between events, jumps, a run with events */
static void runs_have_the_bits_of_the_kernels(void **state)
{
    (void)state;
    enum { N = 5 };
    static const LiederSolver solvers[] = {LIEDER_RK3, LIEDER_BDF};
    double height[N];
    Lieder *session = session_new();
    LiederModel *ball = lieder_model_create(session, "Ball", "");
    lieder_model_add(ball, "ground", "Translational.Fixed");
    lieder_model_add(ball, "joint", "Translational.Joint");
    lieder_model_add(ball, "mass", "Translational.Body");
    lieder_model_add(ball, "gap", "Translational.ElastoGap");
    lieder_model_add(ball, "push", "Translational.Force");
    lieder_model_add(ball, "step", "Signals.Step");
    lieder_model_set(ball, "gap.c", 1e4);
    lieder_model_set(ball, "gap.d", 10);
    lieder_model_set(ball, "step.startTime", 0.3);
    lieder_model_set(ball, "step.height", -20);
    lieder_model_connect(ball, "ground.flange_b", "joint.flange_a");
    lieder_model_connect(ball, "joint.flange_b", "mass.flange_a");
    lieder_model_connect(ball, "joint.flange_b", "gap.flange_b");
    lieder_model_connect(ball, "ground.flange_b", "gap.flange_a");
    lieder_model_connect(ball, "joint.flange_b", "push.flange");
    lieder_model_connect(ball, "step.y", "push.f");
    LiederModel *m = lieder_model_create(session, "Balls", "");
    lieder_model_add_array(m, "ball", "Ball", N);
    for (size_t i = 0; i < N; i++)
        height[i] = 0.1 + 0.05 * (double)i;
    lieder_model_set_each(m, "ball.joint.s", height, N);
    for (size_t k = 0; k < 2; k++) {
        LiederStatistics statistics[2];
        char file[2][96];
        for (int compiled = 0; compiled < 2; compiled++) {
            LiederSystem *system = system_new(session, "Balls");
            LiederSimulateOptions o = lieder_simulate_defaults();
            snprintf(file[compiled], sizeof file[compiled], "%s/state-%d", folder, compiled);
            o.stop = 1;
            o.solver = solvers[k];
            o.step = k == 0 ? 1e-3 : 0;
            o.checkpoint = file[compiled];
            o.compile = compiled ? LIEDER_COMPILE_ALWAYS : LIEDER_COMPILE_NEVER;
            assert_int_equal(lieder_simulate(system, &o, &statistics[compiled]), LIEDER_DONE);
            assert_int_equal(lieder_system_info(system).ncompiled, compiled);
            lieder_system_destroy(system);
        }
        assert_int_equal(statistics[0].steps, statistics[1].steps);
        assert_int_equal(statistics[0].state_events, statistics[1].state_events);
        char command[256];
        snprintf(command, sizeof command, "cmp %s %s", file[0], file[1]);
        assert_int_equal(system(command), 0);
    }
    lieder_destroy(session);
}

/* gives the compiler time, a little at every row and a minute in all */
static bool wait_for_compiler(void *user, double t, const double *x, LiederRow kind)
{
    (void)t;
    (void)x;
    (void)kind;
    if (lieder_system_info(user).ncompiled == 0)
        usleep(200000);
    return true;
}

/* a compiler comes in on the way, and nothing else changes */
static void automatic_runs_have_the_bits_of_the_kernels(void **state)
{
    (void)state;
    enum { N = 100 };
    Lieder *session = session_new();
    LiederModel *m = lieder_model_create(session, "Long", "");
    lieder_model_add_array(m, "crab", "Examples.CraneCrab", N);
    char file[2][96];
    for (int automatic = 0; automatic < 2; automatic++) {
        LiederSystem *system = system_new(session, "Long");
        LiederSimulateOptions o = lieder_simulate_defaults();
        snprintf(file[automatic], sizeof file[automatic], "%s/long-%d", folder, automatic);
        o.stop = 1;
        o.interval = 0.004;
        o.solver = LIEDER_RK4;
        o.step = 1e-3;
        o.checkpoint = file[automatic];
        o.output = automatic ? wait_for_compiler : NULL;
        o.user = system;
        o.compile = automatic ? LIEDER_COMPILE_AUTO : LIEDER_COMPILE_NEVER;
        assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_DONE);
        if (automatic)
            assert_int_equal(lieder_system_info(system).ncompiled, 1);
        lieder_system_destroy(system);
    }
    char command[256];
    snprintf(command, sizeof command, "cmp %s %s", file[0], file[1]);
    assert_int_equal(system(command), 0);
    lieder_destroy(session);
}

static void the_number_of_lanes_does_not_enter(void **state)
{
    (void)state;
    Lieder *session = session_new();
    TextBuffer text[2] = {{0}};
    for (int k = 0; k < 2; k++) {
        char name[16];
        snprintf(name, sizeof name, "N%d", k);
        LiederModel *m = lieder_model_create(session, name, "");
        lieder_model_add_array(m, "crab", "Examples.CraneCrab", k ? 100000 : 8);
        LiederSystem *system = system_new(session, name);
        assert_true(shape_generate(system, &system->shapes.items[0], false, &text[k]));
        lieder_system_destroy(system);
    }
    assert_string_equal(text[0].items, text[1].items);
    /* one statement for each instruction, and no blocks of classes */
    assert_non_null(strstr(text[0].items, "\n    dx[3] = s"));
    assert_null(strstr(text[0].items, "Revolute"));
    vec_drop(&memory_default, &text[0]);
    vec_drop(&memory_default, &text[1]);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ the cache */

/* a shell command for every file $f of the cache that ends so */
static void each_file(const char *ending, const char *command)
{
    char line[256];
    snprintf(line, sizeof line, "for f in %s/*%s; do %s; done", cache, ending, command);
    assert_int_equal(system(line), 0);
}

/* compiles a crab; the status, the number of compilers that were started in *started */
static LiederStatus compile_crab(long *started, size_t *ncompiled)
{
    Lieder *session = session_new();
    long before = count_calls();
    LiederModel *m = lieder_model_create(session, "One", "");
    lieder_model_add(m, "crab", "Examples.CraneCrab");
    LiederSystem *system = system_new(session, "One");
    LiederStatus status = lieder_system_compile(system);
    if (status == LIEDER_STOPPED) {
        assert_int_equal(lieder_diagnostic_count(session), 1);
        assert_int_equal(lieder_diagnostic_get(session, 0)->severity, LIEDER_WARNING);
    }
    *started = count_calls() - before;
    *ncompiled = lieder_system_info(system).ncompiled;
    double *x = state_new(system), *dx = state_new(system);
    assert_int_equal(lieder_system_derivatives(system, 0, x, dx), LIEDER_DONE);
    free(x);
    free(dx);
    lieder_system_destroy(system);
    lieder_destroy(session);
    return status;
}

static void expect(LiederStatus status, long started, size_t ncompiled)
{
    long calls_made;
    size_t compiled;
    assert_int_equal(compile_crab(&calls_made, &compiled), status);
    assert_int_equal(calls_made, started);
    assert_int_equal(compiled, ncompiled);
}

static void a_second_time_needs_no_compiler(void **state)
{
    (void)state;
    each_file("", "rm -rf $f");
    expect(LIEDER_DONE, 1, 1);
    expect(LIEDER_DONE, 0, 1);
}

static void damaged_files_are_made_anew(void **state)
{
    (void)state;
    each_file(".so", "truncate -s -1000 $f");
    expect(LIEDER_DONE, 1, 1);
    each_file(".so", "printf x | dd of=$f bs=1 seek=2000 conv=notrunc 2>/dev/null");
    expect(LIEDER_DONE, 1, 1);
    each_file(".so", ": > $f");
    expect(LIEDER_DONE, 1, 1);
    each_file(".so", "chmod 0666 $f");
    expect(LIEDER_DONE, 1, 1);
    expect(LIEDER_DONE, 0, 1);
}

static void a_file_of_another_shape_is_not_taken(void **state)
{
    (void)state;
    char command[256];
    each_file(".so", "mv $f $f.kept");
    snprintf(command, sizeof command,
             "printf 'const char lieder_shape_key[]=\"0\";' > %s/o.c && cc -shared -o %s/o.so "
             "%s/o.c",
             folder, folder, folder);
    assert_int_equal(system(command), 0);
    char from[128];
    snprintf(from, sizeof from, "%s/o.so", folder);
    /* sealed as if it were ours, under the name of the crab */
    snprintf(command, sizeof command, "ls %s/*.kept | sed 's/.kept//'", cache);
    FILE *pipe = popen(command, "r");
    char to[256] = "";
    assert_non_null(fgets(to, sizeof to, pipe));
    pclose(pipe);
    to[strcspn(to, "\n")] = 0;
    assert_true(cache_keep(from, to));
    assert_true(cache_intact(to));
    expect(LIEDER_DONE, 1, 1);
    each_file(".kept", "rm $f");
}

static void a_directory_of_others_is_refused(void **state)
{
    (void)state;
    assert_int_equal(chmod(cache, 0777), 0);
    expect(LIEDER_STOPPED, 0, 0);
    assert_int_equal(chmod(cache, 0700), 0);
    expect(LIEDER_DONE, 0, 1);
}

static void a_failing_compiler_is_a_warning(void **state)
{
    (void)state;
    char *kept = strdup(getenv("LIEDER_CC"));
    setenv("LIEDER_CC", "/bin/false", 1);
    expect(LIEDER_STOPPED, 0, 0);
    setenv("LIEDER_CC", "/nowhere/cc", 1);
    expect(LIEDER_STOPPED, 0, 0);
    setenv("LIEDER_CC", kept, 1);
    free(kept);
    each_file("", "case $f in *new.*) exit 1;; esac"); /* nothing is left behind */
}

static void two_processes_do_not_disturb_each_other(void **state)
{
    (void)state;
    each_file("", "rm -rf $f");
    pid_t child[2];
    for (int k = 0; k < 2; k++) {
        child[k] = fork();
        if (child[k] == 0) {
            long started;
            size_t compiled;
            _exit(compile_crab(&started, &compiled) == LIEDER_DONE && compiled == 1 ? 0 : 1);
        }
    }
    for (int k = 0; k < 2; k++) {
        int status;
        assert_int_equal(waitpid(child[k], &status, 0), child[k]);
        assert_int_equal(status, 0);
    }
    expect(LIEDER_DONE, 0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_have_the_bits_of_the_kernels),
        cmocka_unit_test(random_models_have_the_bits_of_the_kernels),
        cmocka_unit_test(a_small_loop_has_the_bits_of_the_kernels),
        cmocka_unit_test(differing_lanes_have_the_bits_of_the_kernels),
        cmocka_unit_test(gcc_has_the_bits_of_the_kernels),
        cmocka_unit_test(parameters_can_change),
        cmocka_unit_test(folded_parameters_can_change),
        cmocka_unit_test(connections_can_change),
        cmocka_unit_test(runs_have_the_bits_of_the_kernels),
        cmocka_unit_test(automatic_runs_have_the_bits_of_the_kernels),
        cmocka_unit_test(the_number_of_lanes_does_not_enter),
        cmocka_unit_test(a_second_time_needs_no_compiler),
        cmocka_unit_test(damaged_files_are_made_anew),
        cmocka_unit_test(a_file_of_another_shape_is_not_taken),
        cmocka_unit_test(a_directory_of_others_is_refused),
        cmocka_unit_test(a_failing_compiler_is_a_warning),
        cmocka_unit_test(two_processes_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
