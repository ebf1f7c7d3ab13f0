/* test_restart.c - state files: a split run is the whole run; wrong files are refused. */
#include "base/intern.h"
#include "help/full.h"
#include "model/system/system.h"
#include "solve/help.h"

#include <lieder/load.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int circuit_components_main(void);
#define main circuit_components_main
#include "../../examples/circuit_components.c"
#undef main

static char folder[] = "/tmp/lieder-restart-XXXXXX";
static char file[64], damaged[64];

static void split_run_has_the_same_bits(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_crabs(session, "Crabs", 9, 1e-3);
    LiederSystem *system = system_new(session, "Crabs");
    for (LiederSolver solver = LIEDER_RK1; solver < LIEDER_SOLVER_COUNT; solver++) {
        bool fixed = !lieder_solver_info(solver)->adaptive;
        LiederSimulateOptions o = lieder_simulate_defaults();
        Rows whole = {0}, half = {0};
        o.solver = solver;
        o.step = fixed ? 1e-3 : 0; /* not a binary number: sums of it would drift */
        o.start = 0.1;
        o.stop = 0.4;
        assert_int_equal(run_rows(system, o, &whole, NULL), LIEDER_DONE);
        /* the first part ends between two rows of the whole run */
        o.stop = 0.1 + 0.137;
        o.checkpoint = file;
        assert_int_equal(run_rows(system, o, &half, NULL), LIEDER_DONE);
        rows_drop(&half);
        o.checkpoint = NULL;
        o.resume = file;
        o.stop = 0.4;
        o.threads = 2;
        assert_int_equal(run_rows(system, o, &half, NULL), LIEDER_DONE);
        assert_true(half.t[half.n - 1] == 0.4);
        if (fixed)
            assert_memory_equal(last_row(&whole), last_row(&half), whole.nstate * sizeof(double));
        else
            for (size_t i = 0; i < whole.nstate; i++)
                assert_true(fabs(last_row(&whole)[i] - last_row(&half)[i]) < 1e-3);
        rows_drop(&whole);
        rows_drop(&half);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* Whenever a run is killed that writes its state file all the time, the file is there as a whole: a
 * run from it ends with the bits of the whole run. */
static void killed_runs_leave_whole_files(void **unused)
{
    (void)unused;
    enum { KILLS = 40 };
    Lieder *session = lieder_create(NULL);
    build_crabs(session, "Crabs", 9, 1e-3);
    LiederSystem *system = system_new(session, "Crabs");
    LiederSimulateOptions o = lieder_simulate_defaults();
    Rows whole = {0};
    int found = 0, inside = 0;
    o.solver = LIEDER_RK4;
    o.step = 1e-3;
    o.interval = 2e-3;
    o.stop = 3.5;
    assert_int_equal(run_rows(system, o, &whole, NULL), LIEDER_DONE);
    for (int k = 0; k < KILLS; k += IN_FULL(1, 4)) {
        remove(file);
        pid_t child = fork();
        if (child == 0) {
            o.stop = 3;
            o.checkpoint = file;
            o.checkpoint_seconds = 1e-9; /* at every row */
            _exit(lieder_simulate(system, &o, NULL) == LIEDER_DONE ? 0 : 1);
        }
        assert_true(child > 0);
        int status;
        usleep((useconds_t)(500 + k * 997));
        kill(child, SIGKILL);
        assert_true(waitpid(child, &status, 0) == child);
        if (access(file, F_OK) != 0)
            continue;
        Rows rest = {0};
        o.resume = file;
        assert_int_equal(run_rows(system, o, &rest, NULL), LIEDER_DONE);
        assert_memory_equal(last_row(&whole), last_row(&rest), whole.nstate * sizeof(double));
        found++;
        inside += rest.t[0] < 3;
        rows_drop(&rest);
        o.resume = NULL;
    }
    print_message("%d files, %d of them from inside of a run\n", found, inside);
    assert_true(inside > 0);
    remove(file);
    rows_drop(&whole);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* the solver may be left to the file */
static void file_knows_the_solver(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_crabs(session, "Crabs", 2, 1e-3);
    LiederSystem *system = system_new(session, "Crabs");
    LiederSimulateOptions o = lieder_simulate_defaults();
    Rows whole = {0}, half = {0};
    o.solver = LIEDER_RK3;
    o.step = 1e-3;
    assert_int_equal(run_rows(system, o, &whole, NULL), LIEDER_DONE);
    o.stop = 0.5;
    o.checkpoint = file;
    assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_DONE);
    o = lieder_simulate_defaults();
    o.resume = file;
    assert_int_equal(run_rows(system, o, &half, NULL), LIEDER_DONE);
    assert_true(half.t[0] == 0.5);
    assert_memory_equal(last_row(&whole), last_row(&half), whole.nstate * sizeof(double));
    o.stop = 0.25;
    assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_BAD_USE);
    assert_said(session, NULL, "after the stop time");
    rows_drop(&whole);
    rows_drop(&half);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

static char *slurp(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *bytes = malloc(1 << 16);
    *n = fread(bytes, 1, 1 << 16, f);
    fclose(f);
    return bytes;
}

static void spill(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

/* every byte of the file counts, and every length; as it is it serves */
static void refuse_damaged(Lieder *session, LiederSystem *system, LiederSimulateOptions o)
{
    size_t n;
    char *bytes = slurp(file, &n);
    o.resume = damaged;
    lieder_diagnostic_clear(session);
    for (size_t i = 0; i < n; i++) {
        bytes[i] ^= 0x10;
        spill(damaged, bytes, n);
        assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_IO);
        bytes[i] ^= 0x10;
        spill(damaged, bytes, i);
        assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_IO);
    }
    assert_said(session, NULL, "ends too early");
    assert_said(session, NULL, "checksum");
    assert_said(session, NULL, "no state file");
    spill(damaged, bytes, n + 1);
    assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_IO);
    spill(damaged, bytes, n);
    assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_DONE);
    free(bytes);
}

static void wrong_files_are_refused(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_crabs(session, "Crabs", 2, 1e-3);
    build_crabs(session, "More", 3, 1e-3);
    build_oscillator(session, "A", 1, 1, 0, 0, 0, 1);
    LiederModel *m = lieder_model_create(session, "B", "");
    lieder_model_add(m, "other", "Examples.SpringMass"); /* the same shape, another name */
    LiederSystem *system = system_new(session, "Crabs"), *more = system_new(session, "More");
    LiederSystem *a = system_new(session, "A"), *b = system_new(session, "B");
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.stop = 0.1;
    o.checkpoint = file;
    assert_int_equal(lieder_simulate(a, &o, NULL), LIEDER_DONE);
    o.checkpoint = NULL;
    o.resume = file;
    o.stop = 0.2;
    assert_int_equal(lieder_simulate(b, &o, NULL), LIEDER_IO);
    assert_said(session, NULL, "another model");
    o.resume = NULL;
    o.checkpoint = file;
    assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_DONE);
    o.checkpoint = NULL;
    o.resume = file;
    o.stop = 0.3;
    lieder_diagnostic_clear(session);
    assert_int_equal(lieder_simulate(more, &o, NULL), LIEDER_IO);
    assert_said(session, NULL, "another model");
    refuse_damaged(session, system, o);
    /* places that do not exist */
    o.resume = "/nowhere/state";
    assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_IO);
    o.resume = NULL;
    o.checkpoint = "/nowhere/state";
    lieder_diagnostic_clear(session);
    assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_IO);
    assert_said(session, NULL, "cannot be written");
    lieder_system_destroy(system);
    lieder_system_destroy(more);
    lieder_system_destroy(a);
    lieder_system_destroy(b);
    lieder_destroy(session);
}

/* eight bytes of the file set to something else, with the checksum that belongs to it */
static void forge(size_t at, uint64_t bits)
{
    char bytes[4096];
    FILE *f = fopen(file, "rb");
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    memcpy(bytes + at, &bits, 8);
    unsigned long long sum = hash_bytes(HASH_SEED, bytes, n - 8);
    memcpy(bytes + n - 8, &sum, 8);
    f = fopen(damaged, "wb");
    fwrite(bytes, 1, n, f);
    fclose(f);
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

/* a right checksum makes no right file */
static void forged_numbers_are_refused(void **unused)
{
    (void)unused;
    enum { SOLVER = 24, COUNTER = 32, T = 40, ORIGIN = 48, STEP = 56, WANTED = 64, STATES = 96 };
    const struct {
        size_t at;
        uint64_t bits;
    } cases[] = {
        {SOLVER, 0},
        {SOLVER, 99},
        {SOLVER, UINT64_MAX},
        {COUNTER, (uint64_t)1 << 63},
        {COUNTER, 12345},
        {T, bits_of(NAN)},
        {T, bits_of(INFINITY)},
        {T, bits_of(-1e9)},
        {ORIGIN, bits_of(INFINITY)},
        {ORIGIN, bits_of(NAN)},
        {ORIGIN, bits_of(1e9)},
        {STEP, bits_of(-1)},
        {STEP, bits_of(INFINITY)},
        {STEP, bits_of(NAN)},
        {STEP, bits_of(-INFINITY)},
        {WANTED, bits_of(-1)},
        {WANTED, bits_of(NAN)},
        {STATES, bits_of(NAN)},
        {STATES, bits_of(INFINITY)},
    };
    Lieder *session = lieder_create(NULL);
    build_crabs(session, "Crabs", 2, 1e-3);
    LiederSystem *system = system_new(session, "Crabs");
    LiederSimulateOptions o = lieder_simulate_defaults();
    LiederStatistics s;
    o.solver = LIEDER_RK4;
    o.step = 1e-3;
    o.stop = 0.1;
    o.checkpoint = file;
    assert_int_equal(lieder_simulate(system, &o, &s), LIEDER_DONE);
    assert_int_equal(s.checkpoints, 1);
    assert_true(s.checkpoint_t == s.t);
    o.checkpoint = NULL;
    o.stop = 0.2;
    o.resume = damaged;
    forge(WANTED, bits_of(o.step)); /* what it was: the checksum is the right one */
    assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_DONE);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        forge(cases[i].at, cases[i].bits);
        lieder_diagnostic_clear(session);
        if (lieder_simulate(system, &o, NULL) != LIEDER_IO)
            fail_msg("case %zu is accepted", i);
        assert_said(session, NULL, "cannot be used");
        assert_null(strstr(lieder_diagnostic_get(session, 0)->message, "checksum"));
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ circuits */

/* unknown nodes, tables, and diodes whose choice is part of the state: split between two events */
static void circuits_are_split(void **unused)
{
    (void)unused;
    const double stop = IN_FULL(50e-6, 5e-6), split = IN_FULL(23.45e-6, 2.35e-6);
    for (int branch = 0; branch < BRANCH_COUNT; branch++) {
        Lieder *session = lieder_create(NULL);
        branch_build(lieder_model_create(session, "Circuit", ""), branch);
        LiederSystem *system = system_new(session, "Circuit");
        for (LiederSolver solver = LIEDER_RK1; solver < LIEDER_SOLVER_COUNT; solver++) {
            bool fixed = !lieder_solver_info(solver)->adaptive;
            LiederSimulateOptions o = lieder_simulate_defaults();
            Rows whole = {0}, half = {0};
            o.solver = solver;
            o.tolerance = 1e-5;
            o.step = fixed ? 5e-8 : 0;
            o.stop = stop;
            assert_int_equal(run_rows(system, o, &whole, NULL), LIEDER_DONE);
            o.stop = split;
            o.checkpoint = file;
            assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_DONE);
            o.checkpoint = NULL;
            o.resume = file;
            o.stop = stop;
            assert_int_equal(run_rows(system, o, &half, NULL), LIEDER_DONE);
            for (size_t i = 0; i < 2 && !fixed; i++)
                assert_true(fabs(last_row(&whole)[i] - last_row(&half)[i]) < 5e-5);
            if (fixed)
                assert_memory_equal(last_row(&whole), last_row(&half), 2 * sizeof(double));
            rows_drop(&whole);
            rows_drop(&half);
        }
        LiederSimulateOptions o = lieder_simulate_defaults();
        o.resume = file;
        o.stop = split + 0.5e-6;
        if (branch == BRANCH_IDEAL)
            refuse_damaged(session, system, o);
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
}

/* a diode is no resistor, though both have the same states */
static void circuits_are_distinguished(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    branch_build(lieder_model_create(session, "Ideal", ""), BRANCH_IDEAL);
    branch_build(lieder_model_create(session, "Shockley", ""), BRANCH_SHOCKLEY);
    LiederSystem *ideal = system_new(session, "Ideal"), *other = system_new(session, "Shockley");
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.stop = 1e-6;
    o.checkpoint = file;
    assert_int_equal(lieder_simulate(ideal, &o, NULL), LIEDER_DONE);
    o.checkpoint = NULL;
    o.resume = file;
    o.stop = 2e-6;
    assert_int_equal(lieder_simulate(other, &o, NULL), LIEDER_IO);
    assert_said(session, NULL, "another model");
    lieder_system_destroy(ideal);
    lieder_system_destroy(other);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ files on the way */

static bool die_in_the_middle(void *user, double t, const double *x, LiederRow kind)
{
    (void)user;
    (void)x;
    (void)kind;
    if (t > 30e-6)
        _exit(7);
    return true;
}

/* a program that ends all of a sudden has left a state from before, and goes on from there */
static void last_state_survives(void **unused)
{
    (void)unused;
    for (LiederSolver solver = LIEDER_RK1; solver <= LIEDER_EULER_BACKWARD; solver++) {
        Lieder *session = lieder_create(NULL);
        branch_build(lieder_model_create(session, "Circuit", ""), BRANCH_IDEAL);
        LiederSystem *system = system_new(session, "Circuit");
        LiederSimulateOptions o = lieder_simulate_defaults();
        Rows whole = {0}, rest = {0};
        o.solver = solver;
        o.step = 5e-8;
        o.stop = 50e-6;
        assert_int_equal(run_rows(system, o, &whole, NULL), LIEDER_DONE);
        remove(file);
        fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            o.checkpoint = file;
            o.checkpoint_seconds = 1e-9; /* whenever there is an occasion */
            o.output = die_in_the_middle;
            lieder_simulate(system, &o, NULL);
            _exit(0);
        }
        int status;
        waitpid(child, &status, 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
        o.resume = file;
        assert_int_equal(run_rows(system, o, &rest, NULL), LIEDER_DONE);
        assert_true(rest.t[0] > 25e-6 && rest.t[0] <= 30.1e-6);
        assert_memory_equal(last_row(&whole), last_row(&rest), 2 * sizeof(double));
        rows_drop(&whole);
        rows_drop(&rest);
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
}

/* two states, one choice, and what its crossing remembers: armed, scales, noise, since, count */
static void forged_memory_is_refused(void **unused)
{
    (void)unused;
    enum { STATES = 96, SINCE = 7, COUNT = 8, FIELDS = 9 };
    static const double wild[] = {INFINITY, -INFINITY, NAN, -1};
    Lieder *session = lieder_create(NULL);
    branch_build(lieder_model_create(session, "Circuit", ""), BRANCH_IDEAL);
    LiederSystem *system = system_new(session, "Circuit");
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.solver = LIEDER_RK4;
    o.step = 5e-8;
    o.stop = 20e-6;
    o.checkpoint = file;
    assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_DONE);
    o = lieder_simulate_defaults();
    o.resume = damaged;
    o.stop = 20.5e-6;
    for (size_t field = 0; field < FIELDS; field++)
        for (size_t k = 0; k < 4; k++) {
            forge(STATES + 8 * field, field == COUNT ? 1ull << (40 + k) : bits_of(wild[k]));
            /* a state may be negative, and an event long ago */
            bool serves = field < 2 ? wild[k] == -1
                                    : field == SINCE && (wild[k] == -INFINITY || wild[k] == -1);
            LiederStatus status = lieder_simulate(system, &o, NULL);
            assert_int_equal(status, serves ? LIEDER_DONE : LIEDER_IO);
        }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* discrete numbers and timers stand at the end of the file: only a timer may be infinite, and whole
 * numbers are whole */
static void forged_discrete_numbers_are_refused(void **unused)
{
    (void)unused;
    static const double wild[] = {NAN, -INFINITY, INFINITY, 0.5};
    Lieder *session = lieder_create(NULL);
    assert_int_equal(
        lieder_load_text(session, "M.mo",
                         "model M Integer n(start = 0, fixed = true); Boolean b(start = "
                         "false, fixed = true); discrete Real r(start = 0, fixed = true);"
                         "Real x(start = 0, fixed = true); equation der(x) = r; when "
                         "sample(0, 0.1) then n = pre(n) + 1; b = not pre(b); r = n/4; "
                         "end when; end M;"),
        LIEDER_DONE);
    LiederSystem *system = lieder_system_load(session, "M", NULL, 0, NULL, NULL);
    assert_non_null(system);
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.solver = LIEDER_RK4;
    o.step = 0.01;
    o.stop = 0.5;
    o.checkpoint = file;
    assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_DONE);
    struct stat info;
    assert_int_equal(stat(file, &info), 0);
    o.checkpoint = NULL;
    o.resume = damaged;
    o.stop = 0.6;
    size_t first = (size_t)info.st_size - 8 - 8 * system->nmemory, taken[4] = {0};
    assert_true(system->nmemory >= 4);
    for (size_t k = 0; k < 4; k++)
        for (size_t i = 0; i < system->nmemory; i++) {
            forge(first + 8 * i, bits_of(wild[k]));
            LiederStatus status = lieder_simulate(system, &o, NULL);
            assert_true(status == LIEDER_DONE || status == LIEDER_IO);
            taken[k] += status == LIEDER_DONE;
        }
    assert_int_equal(taken[0], 0);
    assert_true(taken[1] == taken[2] && taken[1] < system->nmemory - 2);
    assert_true(taken[3] > 0 && taken[3] <= system->nmemory - 2);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

int main(void)
{
    if (!mkdtemp(folder))
        return 1;
    snprintf(file, sizeof file, "%s/state", folder);
    snprintf(damaged, sizeof damaged, "%s/damaged", folder);
    const struct CMUnitTest tests[] = {cmocka_unit_test(split_run_has_the_same_bits),
                                       cmocka_unit_test(killed_runs_leave_whole_files),
                                       cmocka_unit_test(file_knows_the_solver),
                                       cmocka_unit_test(wrong_files_are_refused),
                                       cmocka_unit_test(circuits_are_split),
                                       cmocka_unit_test(circuits_are_distinguished),
                                       cmocka_unit_test(last_state_survives),
                                       cmocka_unit_test(forged_numbers_are_refused),
                                       cmocka_unit_test(forged_memory_is_refused),
                                       cmocka_unit_test(forged_discrete_numbers_are_refused)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(file);
    remove(damaged);
    rmdir(folder);
    return failed;
}
