/* test_sweep.c - lieder sweep: the grid, the bits of single runs, members that fail. */
#include "help/program.h"

/* a mass on a spring; its number of copies and its switch change the structure */
static const char spring[] = "model Spring\n"
                             "  inner Dialectic.World world;\n"
                             "  parameter Real k = 8;\n"
                             "  Dialectic.Translational.Fixed fixed;\n"
                             "  Dialectic.Translational.Joint joint(s(start = 1));\n"
                             "  Dialectic.Translational.Body body(m = 2, g = 0);\n"
                             "  Dialectic.Translational.SpringDamper spring(c = 2 * k);\n"
                             "equation\n"
                             "  connect(fixed.flange_b, joint.flange_a);\n"
                             "  connect(joint.flange_b, body.flange_a);\n"
                             "  connect(fixed.flange_b, spring.flange_a);\n"
                             "  connect(spring.flange_b, body.flange_a);\n"
                             "  annotation(experiment(StopTime = 1, Interval = 0.1));\n"
                             "end Spring;\n";

#define FIXED "--solver rk3 --step 1e-3 --quiet"

static int set_up(void **state)
{
    (void)state;
    if (!enter_folder())
        return -1;
    write_text("spring.mo", spring);
    return 0;
}

/* a value as the file shows it */
static double cell(const Csv *c, size_t row, size_t column)
{
    return c->values[row * c->ncolumn + column];
}

/* ------------------------------------------------------------------ the grid */

static void test_grid(void **state)
{
    (void)state;
    assert_exit(lieder("sweep spring.mo --vary body.m=1:3:3 --vary joint.s=0.5,2 --intervals 4 "
                       "-o a.csv " FIXED),
                0);
    Csv c = read_csv("a.csv");
    assert_string_equal(c.header,
                        "\"body.m\",\"start(joint.s)\",\"time\",\"joint.s\",\"der(joint.s)\","
                        "\"joint.v\",\"der(joint.v)\"");
    assert_int_equal(c.nrow, 6 * 5);
    for (size_t i = 0; i < c.nrow; i++) {
        /* the last one varies fastest, times of a member stand together */
        assert_true(cell(&c, i, 0) == (double)(1 + i / 10));
        assert_true(cell(&c, i, 1) == (i / 5 % 2 ? 2 : 0.5));
        assert_true(cell(&c, i, 2) == 0.25 * (double)(i % 5));
    }
    assert_true(cell(&c, 0, 3) == 0.5 && cell(&c, 5, 3) == 2);
    drop_csv(&c);
}

static void test_spacing(void **state)
{
    (void)state;
    assert_exit(lieder("sweep spring.mo --vary world.TD=1e-5:1e-2:log:7 --summary -o a.csv " FIXED),
                0);
    Csv c = read_csv("a.csv");
    const double decades[] = {1e-5, 1e-4, 1e-3, 1e-2};
    assert_int_equal(c.nrow, 7);
    for (size_t i = 0; i < 7; i++) {
        double x = cell(&c, i, 0);
        if (i % 2 == 0)
            assert_true(x == decades[i / 2]);
        assert_true(fabs(x / (1e-5 * pow(10, (double)i / 2)) - 1) < 1e-14);
    }
    drop_csv(&c);
    assert_exit(lieder("sweep spring.mo --vary k=0.1:0.7:7 --summary -o a.csv " FIXED), 0);
    c = read_csv("a.csv");
    const double tenths[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};
    for (size_t i = 0; i < 7; i++)
        assert_true(cell(&c, i, 0) == tenths[i]);
    drop_csv(&c);
    /* limits as they are written, also downwards */
    assert_exit(
        lieder("sweep spring.mo --vary k=7.3:0.12345678901234567:log:4 --summary -o a.csv " FIXED),
        0);
    c = read_csv("a.csv");
    assert_true(cell(&c, 0, 0) == 7.3);
    assert_true(fabs(cell(&c, 3, 0) - 0.12345678901234567) < 1e-16);
    drop_csv(&c);
}

/* ------------------------------------------------------------------ numbers */

/* every member against lieder simulate --override, as text: the same bits */
static void compare_with_single_runs(const char *file, const char *const *names, size_t n,
                                     const char *options)
{
    char *text = read_text("all.csv"), *line = strchr(text, '\n') + 1, last[512] = "", *one = NULL;
    const char *expected = NULL;
    size_t nmember = 0;
    while (*line) {
        char key[512] = "", overrides[1024] = "";
        for (size_t i = 0; i < n; i++) {
            size_t length = strcspn(line, ",");
            sprintf(overrides + strlen(overrides), " --override '%s=%.*s'", names[i], (int)length,
                    line);
            sprintf(key + strlen(key), "%.*s,", (int)length, line);
            line += length + 1;
        }
        if (strcmp(key, last) != 0) {
            if (expected)
                assert_string_equal(expected, ""); /* all its rows were there */
            free(one);
            assert_exit(lieder("simulate %s %s %s -o one.csv", file, overrides, options), 0);
            one = read_text("one.csv");
            expected = strchr(one, '\n') + 1;
            strcpy(last, key);
            nmember++;
        }
        size_t length = strcspn(line, "\n") + 1;
        if (strncmp(line, expected, length) != 0)
            fail_msg("member %s: %.*s is not %.*s", key, (int)length, line, (int)length, expected);
        line += length;
        expected += length;
    }
    assert_string_equal(expected, "");
    assert_true(nmember > 1);
    free(one);
    free(text);
}

static void test_same_bits(void **state)
{
    (void)state;
    const char *crab = SOURCE_DIR "/models/crane_crab.mo";
    const char *options = "--solver rk4 --step 1e-3 --stop-time 1 --interval 0.1 "
                          "--override load.m=0.7 --quiet";
    assert_exit(lieder("sweep %s --vary world.TD=1e-4:1e-2:log:5 --vary 'rod.r[1]=-0.1,0.2' "
                       "--vary cartMass=1:2:3 --vary revolute.phi=0.3,1 %s --threads 3 -o all.csv",
                       crab, options),
                0);
    const char *const names[] = {"world.TD", "rod.r[1]", "cartMass", "revolute.phi"};
    compare_with_single_runs(crab, names, 4, options);
    char *first = read_text("all.csv");
    assert_exit(lieder("sweep %s --vary world.TD=1e-4:1e-2:log:5 --vary 'rod.r[1]=-0.1,0.2' "
                       "--vary cartMass=1:2:3 --vary revolute.phi=0.3,1 %s --threads 1 -o all.csv",
                       crab, options),
                0);
    char *second = read_text("all.csv");
    assert_string_equal(first, second);
    free(first);
    free(second);
    /* adaptive steps are each member's own */
    assert_exit(lieder("sweep spring.mo --vary k=1,1000 --quiet -o all.csv"), 0);
    compare_with_single_runs("spring.mo", (const char *const[]){"k"}, 1, "--quiet");
    /* a switch in the outer loop, lanes in the inner one */
    assert_exit(lieder("sweep spring.mo --vary world.damped=0,1 --vary k=1:9:5 " FIXED
                       " --log-format json -o all.csv"),
                0);
    compare_with_single_runs("spring.mo", (const char *const[]){"world.damped", "k"}, 2, FIXED);
}

static void test_summary(void **state)
{
    (void)state;
    assert_exit(
        lieder("sweep spring.mo --vary k=1,4 --record 'joint.s|body.m|spring.c' -o a.csv " FIXED),
        0);
    assert_exit(lieder("sweep spring.mo --vary k=1,4 --record 'joint.s|body.m|spring.c' --summary "
                       "-o b.csv " FIXED),
                0);
    Csv a = read_csv("a.csv"), b = read_csv("b.csv");
    assert_string_equal(a.header, "\"k\",\"time\",\"joint.s\",\"body.m\",\"spring.c\"");
    assert_string_equal(b.header, "\"k\",\"time\",\"failed\",\"final(joint.s)\",\"min(joint.s)\","
                                  "\"max(joint.s)\",\"mean(joint.s)\",\"body.m\",\"spring.c\"");
    assert_int_equal(b.nrow, 2);
    for (size_t m = 0; m < 2; m++) {
        double least = INFINITY, most = -INFINITY, integral = 0;
        for (size_t i = 11 * m; i < 11 * m + 11; i++) {
            least = fmin(least, cell(&a, i, 2));
            most = fmax(most, cell(&a, i, 2));
            if (i > 11 * m)
                integral += 0.05 * (cell(&a, i - 1, 2) + cell(&a, i, 2));
        }
        assert_true(cell(&b, m, 1) == 1 && cell(&b, m, 2) == 0);
        assert_true(cell(&b, m, 3) == cell(&a, 11 * m + 10, 2));
        assert_true(cell(&b, m, 4) == least && cell(&b, m, 5) == most);
        assert_true(fabs(cell(&b, m, 6) - integral) < 1e-14); /* sums of eleven numbers near 1 */
        assert_true(cell(&b, m, 7) == 2 && cell(&b, m, 8) == (m ? 8 : 2));
    }
    drop_csv(&a);
    drop_csv(&b);
}

/* members of another size have columns of their own */
static void test_structure(void **state)
{
    (void)state;
    assert_exit(
        lieder("sweep %s/models/scale/Chain.mo --vary n=2,4,3 --stop-time 0.1 --intervals 2 "
               "--record 'revolute[^.]*\\.phi' --solver rk4 --step 1e-3 -o a.csv",
               SOURCE_DIR),
        0);
    assert_contains(out, "changes the structure");
    Csv c = read_csv("a.csv");
    assert_string_equal(c.header, "\"n\",\"time\",\"revolute[1].phi\",\"revolute[2].phi\","
                                  "\"revolute[3].phi\",\"revolute[4].phi\"");
    assert_int_equal(c.nrow, 9);
    const double n[] = {2, 4, 3};
    for (size_t i = 0; i < 9; i++) {
        assert_true(cell(&c, i, 0) == n[i / 3]);
        for (size_t k = 0; k < 4; k++)
            assert_int_equal(isfinite(cell(&c, i, 2 + k)), (double)k < n[i / 3]);
    }
    drop_csv(&c);
    /* what the first structure does not have at all */
    assert_exit(lieder("sweep %s/models/scale/Chain.mo --vary n=2,4 --stop-time 0.1 --summary "
                       "--record 'revolute.4.\\.phi' -o a.csv",
                       SOURCE_DIR),
                0);
    c = read_csv("a.csv");
    assert_int_equal(c.ncolumn, 3 + 4);
    assert_true(isnan(cell(&c, 0, 3)) && isfinite(cell(&c, 1, 3)));
    drop_csv(&c);
}

/* ------------------------------------------------------------------ failures */

/* rk3 with a step of 1e-3 is far from stable for the stiffest two of 40 */
static void test_failing_members(void **state)
{
    (void)state;
    const char *vary = "--vary k=1,2,4,1e12,8,16,2e12,32 --vary body.m=1:5:5";
    assert_exit(lieder("sweep spring.mo %s --override world.TD=0 --override spring.d=0 "
                       "--solver rk3 --step 1e-3 --threads 1 -o a.csv",
                       vary),
                3);
    assert_contains(err, "member 16 (k = 1e+12, body.m = 1) failed at t = ");
    assert_contains(err, "10 of 40 members failed");
    assert_contains(out, "10 members");
    Csv c = read_csv("a.csv");
    size_t rows[8] = {0}, marks[8] = {0};
    const double k[] = {1, 2, 4, 1e12, 8, 16, 2e12, 32};
    for (size_t i = 0; i < c.nrow; i++)
        for (size_t m = 0; m < 8; m++)
            if (cell(&c, i, 0) == k[m]) {
                rows[m]++;
                marks[m] += isnan(cell(&c, i, 3));
            }
    for (size_t m = 0; m < 8; m++) {
        assert_int_equal(marks[m], k[m] > 1e6 ? 5 : 0);
        if (k[m] < 1e6)
            assert_int_equal(rows[m], 5 * 11); /* nothing is lost */
        else
            assert_true(rows[m] >= 2 * 5); /* the start and the mark */
    }
    drop_csv(&c);
    /* a value that the model refuses, first and last */
    assert_exit(
        lieder("sweep spring.mo --vary body.m=-1,2,3,-4 --summary --log-format json -o a.csv "
               "--solver rk3 --step 1e-3"),
        3);
    assert_int_equal(assert_json_lines(out), 3);
    assert_true(json_member(out, "summary", "failed") == 2);
    assert_true(json_member(out, "member", "member") == 1);
    c = read_csv("a.csv");
    assert_int_equal(c.nrow, 4);
    for (size_t i = 0; i < 4; i++) {
        bool bad = i == 0 || i == 3;
        assert_true(cell(&c, i, 2) == bad);
        assert_int_equal(isnan(cell(&c, i, 3)), bad);
    }
    drop_csv(&c);
}

/* many members with events are lanes with clocks of their own, without an option */
static void test_events(void **state)
{
    (void)state;
    write_text("ball.mo", "model Ball\n  parameter Real e = 0.7;\n"
                          "  Real h(start = 1, fixed = true), v(start = 0, fixed = true);\n"
                          "  Integer n(start = 0, fixed = true);\n"
                          "equation\n  der(h) = v;\n  der(v) = -9.81;\n"
                          "  when h < 0 then\n    n = pre(n) + 1;\n    reinit(v, -e*pre(v));\n"
                          "  end when;\n"
                          "  annotation(experiment(StopTime = 1, Interval = 0.1));\nend Ball;\n");
    assert_exit(lieder("sweep ball.mo --vary e=0.6:0.9:31 --record 'h|n' -o a.csv --quiet"), 0);
    assert_exit(lieder("simulate ball.mo --override e=0.9 --clocks own --record 'h|n' -o b.csv "
                       "--quiet"),
                0);
    Csv all = read_csv("a.csv"), one = read_csv("b.csv");
    assert_int_equal(all.nrow, 31 * 11);
    assert_int_equal(one.nrow, 11);
    for (size_t i = 0; i < 11; i++)
        for (size_t k = 0; k < 3; k++)
            assert_true(cell(&all, 30 * 11 + i, 1 + k) == cell(&one, i, k));
    assert_true(cell(&all, all.nrow - 1, 3) == 1 && cell(&all, 10, 3) == 2);
    drop_csv(&all);
    drop_csv(&one);
}

static void test_usage(void **state)
{
    (void)state;
    static const struct {
        const char *arguments, *message;
        int code;
    } cases[] = {
        {"", "FILE.mo is missing", 2},
        {"spring.mo", "--vary NAME=VALUES is missing", 2},
        {"spring.mo --vary k", "NAME=LOW:HIGH:N", 2},
        {"spring.mo --vary k=", "NAME=LOW:HIGH:N", 2},
        {"spring.mo --vary =1,2", "NAME=LOW:HIGH:N", 2},
        {"spring.mo --vary k=1:2", "NAME=LOW:HIGH:N", 2},
        {"spring.mo --vary k=1:2:x", "NAME=LOW:HIGH:N", 2},
        {"spring.mo --vary k=1:2:lin:3", "NAME=LOW:HIGH:N", 2},
        {"spring.mo --vary k=1:inf:3", "NAME=LOW:HIGH:N", 2},
        {"spring.mo --vary k=1,,2", "NAME=LOW:HIGH:N", 2},
        {"spring.mo --vary k=1,true", "NAME=LOW:HIGH:N", 2},
        {"spring.mo --vary k=1:2:0", "must be from 1 to", 2},
        {"spring.mo --vary k=1:2:-3", "must be from 1 to", 2},
        {"spring.mo --vary k=1:2:1", "one value cannot be both", 2},
        {"spring.mo --vary k=0:2:log:3", "greater than zero", 2},
        {"spring.mo --vary k=1:-2:log:3", "greater than zero", 2},
        {"spring.mo --vary k=1,2,1", "the value 1 twice", 2},
        {"spring.mo --vary k=1:1:3", "the value 1 twice", 2},
        {"spring.mo --vary k=1,2 --vary k=3,4", "is given twice", 2},
        {"spring.mo --vary k=1,2 --override k=3", "a --vary and an --override", 2},
        {"spring.mo --vary k=1:2:100000 --vary body.m=1:2:100000", "more than 100000000", 2},
        {"spring.mo --vary k=1,2 -o a.mat", "written to a .csv or .h5 file", 2},
        {"spring.mo --vary k=1,2 --stop-time -1", "before the start time", 2},
        {"spring.mo --vary k=1,2 --record nothing", "no variable matches", 2},
        {"spring.mo --vary world.damped=0,1 --record nothing", "no variable matches", 2},
        {"spring.mo --vary world.damped=0,1 --record '(a'", "no regular expression", 2},
        {"spring.mo --vary k=1,2 --real-time", "unknown option --real-time", 2},
        {"spring.mo --vary world.TDD=1,2", "did you mean 'TD'?", 1},
        {"spring.mo --vary body.m=-1,-2", "must be at least 0", 1},
        {"nowhere.mo --vary k=1,2", "cannot read nowhere.mo", 4},
        {"spring.mo --vary k=1,2 -o nowhere/a.csv", "nowhere/a.csv", 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int code = lieder("sweep %s", cases[i].arguments);
        if (code != cases[i].code)
            fail_msg("lieder sweep %s: exit code %d\n%s%s", cases[i].arguments, code, out, err);
        assert_contains(err, cases[i].message);
    }
    assert_int_equal(symlink("/dev/full", "full.csv"), 0);
    assert_exit(lieder("sweep spring.mo --vary k=1:2:500 -o full.csv " FIXED), 4);
    assert_contains(err, "No space left");
}

/* parameters of the model itself, also those that follow from a varied one */
static void test_own_parameters(void **state)
{
    (void)state;
    write_text("own.mo",
               "model Own parameter Real k = 2; parameter Real w = 3*k; parameter Real v[2] "
               "= {k, 7}; Real x(start = 1); equation der(x) = -w*x; end Own;\n");
    assert_exit(lieder("sweep own.mo --vary k=1,2,5 --record 'k|w|v.*|x' --summary -o a.csv "
                       "--quiet"),
                0);
    Csv a = read_csv("a.csv");
    assert_string_equal(a.header, "\"k\",\"time\",\"failed\",\"final(x)\",\"min(x)\",\"max(x)\","
                                  "\"mean(x)\",\"w\",\"v[1]\",\"v[2]\"");
    for (size_t m = 0; m < 3; m++) {
        double k = cell(&a, m, 0);
        assert_true(cell(&a, m, 7) == 3 * k && cell(&a, m, 8) == k && cell(&a, m, 9) == 7);
        assert_true(fabs(cell(&a, m, 3) - exp(-3 * k)) < 1e-6);
    }
    drop_csv(&a);
    assert_exit(lieder("sweep own.mo --vary k=1,2 --record w --summary -o b.csv " FIXED), 0);
    Csv b = read_csv("b.csv");
    assert_true(cell(&b, 0, 3) == 3 && cell(&b, 1, 3) == 6);
    drop_csv(&b);
    assert_exit(lieder("sweep own.mo --vary k=1,2 --record zz -o b.csv --quiet"), 2);
}

/* the energies of each member, at 1 s: kinetic + potential + filter stay what the spring had */
static void test_energies(void **state)
{
    (void)state;
    static const char *const ways[] = {"--tolerance 1e-9 --quiet", FIXED};
    for (size_t way = 0; way < 2; way++) {
        assert_exit(
            lieder("sweep spring.mo --vary k=4,8,16 --record 'energy\\.[kpf].*' --intervals 1 "
                   "-o a.csv %s",
                   ways[way]),
            0);
        Csv a = read_csv("a.csv");
        assert_string_equal(a.header, "\"k\",\"time\",\"energy.kinetic\",\"energy.potential\","
                                      "\"energy.filter\"");
        assert_int_equal(a.nrow, 6);
        for (size_t m = 0; m < a.nrow; m++) {
            double k = cell(&a, m, 0), sum = cell(&a, m, 2) + cell(&a, m, 3) + cell(&a, m, 4);
            assert_true(k == (double)(4 << m / 2));
            assert_true(fabs(sum - k) < 1e-6 * k);
            assert_true(m % 2 == 0 || cell(&a, m, 4) > 0);
        }
        drop_csv(&a);
    }
}

/* Ctrl-C does not wait for the next row */
static void test_interrupt(void **state)
{
    (void)state;
    interrupt((const char *[]){"sweep", "spring.mo", "--vary", "k=1,2", "--solver", "rk4", "--step",
                               "1e-6", "--stop-time", "1e6", "--interval", "1e6", "-o",
                               "interrupted.csv", NULL});
    assert_contains(err, "interrupted after 0 of 2 members");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid),      cmocka_unit_test(test_spacing),
        cmocka_unit_test(test_same_bits), cmocka_unit_test(test_summary),
        cmocka_unit_test(test_structure), cmocka_unit_test(test_failing_members),
        cmocka_unit_test(test_events),    cmocka_unit_test(test_usage),
        cmocka_unit_test(test_interrupt), cmocka_unit_test(test_own_parameters),
        cmocka_unit_test(test_energies),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
