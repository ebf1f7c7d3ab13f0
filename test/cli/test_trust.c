/* test_trust.c - nothing silent: what the program is asked for is used or refused, files that a
 * model is read from stay, numbers that a choice makes wrong are reported, work has limits. */
#include "help/program.h"

static const char decay[] = "model Decay\n  Real x(start = 1, fixed = true);\n"
                            "equation\n  der(x) = -x;\nend Decay;\n";
static const char crab[] = "model Crab\n  Dialectic.Examples.CraneCrab crab;\nend Crab;\n";

static int set_up(void **state)
{
    (void)state;
    if (!enter_folder())
        return -1;
    write_text("decay.mo", decay);
    write_text("crab.mo", crab);
    write_text("other.mo", "package Other\n  constant Real k = 2;\nend Other;\n");
    return 0;
}

static void assert_refused(int code, const char *message)
{
    assert_exit(code, 2);
    assert_contains(err, message);
}

static void assert_file(const char *path, const char *expected)
{
    char *text = read_text(path);
    assert_string_equal(text, expected);
    free(text);
}

/* ------------------------------------------------------------------ options */

/* an option is used, or refused: none is passed over in silence */
static void unused_options_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        {"simulate decay.mo --solver rk4 --tolerance 1e-8", "rk4 takes fixed ones"},
        {"simulate decay.mo --step 1e-3 --tolerance 1e-8", "rk4 takes fixed ones"},
        {"simulate decay.mo --solver rk1 --chatter hold", "--chatter is for solvers"},
        {"sweep decay.mo --vary x=1,2 --solver rk2 --tolerance 1e-8", "rk2 takes fixed ones"},
        {"simulate decay.mo --resume a.state --start-time 1", "--start-time does nothing"},
        {"simulate decay.mo -o view: --energy always", "goes without"},
        {"simulate decay.mo -o view: --fmus-inside", "goes without"},
        {"simulate decay.mo --stop-time 1 --stop-time 2", "--stop-time is given twice"},
        {"simulate decay.mo -o a.csv --output b.csv", "--output is given twice"},
        {"check decay.mo --model Decay --model Decay", "--model is given twice"},
        {"simulate decay.mo --model ''", "--model needs a name"},
        {"plot a.csv --size 300x200 --size 400x300", "--size is given twice"},
        {"export decay.mo --fmi 2 --fmi 3", "--fmi is given twice"},
        {"export decay.mo --record nothing", "no variable matches"},
        {"export decay.mo --record '(a'", "no regular expression"},
        {"export decay.mo --step 1e-320", "too many"},
        {"eigen decay.mo -u x", "-u and -y choose what --output writes"},
        {"eigen decay.mo --solver rk2", "--solver does nothing"},
        {"plot a.csv --panel", "--panel does nothing"},
        {"plot a.csv -y x --panel", "--panel does nothing"},
        {"draw a.csv --model crab.mo --speed 2", "--speed does nothing without --animate"},
        {"check decay.mo --library nowhere", "--library nowhere is no folder"},
        {"check decay.mo --override x=1 --override x=2", "--override x is given twice"},
        {"check decay.mo --override x=1 --override x.start=2", "--override x and x.start set the"},
        {"check crab.mo --override 'crab.rod.r={0,-2}' --override 'crab.rod.r[2]=-3'",
         "set the same number"},
        {"check decay.mo --limit steps=1e7 --limit steps=1e8", "--limit steps is given twice"},
        {"check decay.mo --limit ''", "--limit needs steps=N"},
        {"check decay.mo --limit memory=1G,memory=2G", "--limit memory is given twice"},
        {"simulate decay.mo --resume a.state --override x=2 --stop-time 1",
         "--override x does nothing with --resume"},
        {"simulate decay.mo --resume a.state --override x.start=2 --stop-time 1",
         "--override x.start does nothing with --resume"},
        {"view a.csv --record x", "--record does nothing"},
        {"view a.csv --model decay.mo --save p.html --stop-time 1", "--stop-time does nothing"},
        {"view a.csv --model decay.mo --save p.html --solver rk4", "--solver does nothing"},
        {"view a.csv --stop-time 1", "--stop-time does nothing"},
        {"view a.csv --override x=2", "--override does nothing"},
        {"view a.csv --threads 2", "--threads does nothing"},
        {"view decay.mo --save p.html --port 8000", "--port does nothing with --save"},
        {"view decay.mo --save p.html --keep", "--keep does nothing with --save"},
        {"view decay.mo --save p.html --no-open", "--no-open does nothing with --save"},
        {"view decay.mo --save p.html --real-time", "--real-time does nothing with --save"},
    };
    assert_exit(lieder("simulate decay.mo -o a.csv --checkpoint a.state --stop-time 0.5"), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(lieder("%s", cases[i].arguments), cases[i].message);
    /* what may be repeated says so */
    assert_exit(lieder("check crab.mo --override 'crab.rod.r[1]=0' --override 'crab.rod.r[2]=-2'"),
                0);
    assert_exit(lieder("check crab.mo --override crab.cart.m=1 --override crab.load.m=2 "
                       "--limit steps=1e7 --limit memory=1G"),
                0);
    assert_exit(lieder("check crab.mo --override crab.cart.m.start=3"), 1);
    assert_contains(err, "nothing reads its start value");
    assert_exit(lieder("simulate decay.mo -o b.csv --energy always"), 0);
    assert_contains(err, "--energy always does nothing");
    assert_exit(lieder("simulate decay.mo -o b.csv --resume a.state --stop-time 1"), 0);
}

/* `--record '(){255}{255}{255}{255}'` hung in export, which had an automaton of its own */
static void expressions_of_exports_end(void **state)
{
    (void)state;
    assert_refused(lieder("export crab.mo -o a.fmu --binary no --record '(){255}{255}{255}{255}'"),
                   "too large");
    assert_exit(lieder("export crab.mo -o a.fmu --binary no --record '.*\\.frame_a\\.phi'"), 0);
    assert_exit(lieder("export crab.mo -o b.fmu --binary no"), 0);
    struct stat with, without;
    assert_true(stat("a.fmu", &with) == 0 && stat("b.fmu", &without) == 0);
    assert_true(with.st_size > without.st_size);
}

/* ------------------------------------------------------------------ solvers and messages */

static void assert_solver(const char *arguments, const char *solver)
{
    char wanted[64];
    assert_exit(
        lieder("simulate %s --stop-time 1e-3 --intervals 1 -o s.csv --log-format json", arguments),
        0);
    snprintf(wanted, sizeof wanted, "\"solver\":\"%s\"", solver);
    assert_contains(out, wanted);
}

/* a run that took very many steps says why, if the solver is the reason */
static void many_steps_are_explained(void **state)
{
    (void)state;
    assert_exit(
        lieder("simulate decay.mo --solver esdirk23 --tolerance 1e-9 --stop-time 5 -o d.csv"), 0);
    assert_contains(out, "esdirk23 is of order two");
    assert_exit(lieder("simulate decay.mo --solver bdf --tolerance 1e-9 --stop-time 5 -o d.csv"),
                0);
    assert_null(strstr(out, "many steps"));
    /* many steps of rk45 are explained where they are as long as stability allows */
    write_text("stiff.mo", "model Stiff\n  parameter Real k = 2e5, w = 0;\n"
                           "  Real x(start = 1, fixed = true), y(start = 0, fixed = true);\n"
                           "equation\n  der(x) = -w*y;\n  der(y) = w*x + k*(cos(time) - y);\n"
                           "end Stiff;\n");
    assert_exit(lieder("simulate stiff.mo --solver rk45 -o d.csv"), 0);
    assert_contains(out, "stability decides how long the steps of rk45");
    assert_exit(lieder("simulate stiff.mo --solver rk45 --tolerance 1e-12 --stop-time 4000 "
                       "--override k=0 --override w=1 -o d.csv"),
                0);
    assert_contains(out, "steps        ");
    assert_null(strstr(out, "many steps"));
}

/* A lane with its own clock that fails ends alone: it is named once, its rows are NaN, and the
 * others go on to the end. */
static void lanes_fail_alone(void **state)
{
    (void)state;
    write_text("lanes.mo", "model One\n  parameter Real k = 1;\n"
                           "  Real x(start = 1, fixed = true), y = 1/x;\n"
                           "equation\n  der(x) = k*x^2;\nend One;\n"
                           "model Lanes\n  One a[3](k = {1, -1, 0.3});\nend Lanes;\n");
    assert_exit(lieder("simulate lanes.mo --solver rk45 --clocks own --stop-time 2 --interval 0.5 "
                       "--record 'a.*y' -o lanes.csv"),
                3);
    assert_contains(err, "a[1].x: rk45 gives up at t = 1.0000");
    assert_null(strstr(err, "is no number"));
    char *csv = read_text("lanes.csv");
    const char *last = strstr(csv, "\n2,nan,");
    assert_non_null(last);
    assert_true(fabs(strtod(last + 7, NULL) - 3) < 1e-5); /* 1/x = 1 + 2 */
    free(csv);
}

/* the help says which solver a model gets, and that is what it gets */
static void help_names_the_solver_that_runs(void **state)
{
    (void)state;
    assert_exit(lieder("simulate --help"), 0);
    char joined[8192] = "";
    for (char *word = strtok(out, " \n"); word; word = strtok(NULL, " \n"))
        snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "%s ", word);
    assert_contains(joined, "else bdf; rk4 with --step, rk45 for nets of more than 500 states");
    assert_solver("decay.mo", "bdf");
    assert_solver("decay.mo --step 1e-4", "rk4");
    write_text("net.mo", "model Nets\n  Net net(n = 12);\nend Nets;\n");
    assert_solver(SOURCE_DIR "/models/scale/Net.mo net.mo", "rk45");
}

/* the advice for a class that is not there names the options that bring it */
static void advice_names_the_options_that_load(void **state)
{
    (void)state;
    write_text("missing.mo", "model M\n  Absent.Thing thing;\nend M;\n");
    assert_exit(lieder("check missing.mo"), 1);
    assert_contains(err, "load the file that has it");
    assert_contains(err, "--library");
    assert_exit(lieder("check --help"), 0);
    assert_contains(out, "--library");
    assert_contains(out, "FILE.mo...");
    write_text("absent.mo",
               "package Absent\n  model Thing\n    Real x(start = 1, fixed = true);\n  equation\n"
               "    der(x) = -x;\n  end Thing;\nend Absent;\n");
    assert_exit(lieder("check absent.mo missing.mo"), 0);
}

/* a run that cannot keep up with the clock says how late it was and what helps */
static void overruns_are_explained(void **state)
{
    (void)state;
    write_text("fleet.mo",
               "model Fleet\n  Dialectic.Examples.CraneCrab crab[40000];\nend Fleet;\n");
    assert_exit(lieder("simulate fleet.mo --real-time --solver rk4 --step 1e-4 --stop-time 2e-3 "
                       "--interval 1e-3 -o a.csv"),
                0);
    assert_contains(err, "steps ended later than the clock allows; the longest took");
    assert_contains(err, "--compile always");
    assert_contains(out, "overruns");
}

/* numbers that overflow are followed by what helps */
static void advice_after_a_nan(void **state)
{
    (void)state;
    write_text("grows.mo", "model Grows\n  Real x(start = 1, fixed = true);\nequation\n"
                           "  der(x) = x^2;\nend Grows;\n");
    assert_exit(lieder("simulate grows.mo --solver rk4 --step 1e-2 --stop-time 3 -o a.csv"), 3);
    assert_contains(err, "'lieder eigen'");
}

/* a first step of 0, since the derivative is 1e302, was taken again and again: the time stood */
static void standing_times_are_ended(void **state)
{
    (void)state;
    static const char *const options[] = {"--solver rk45", "--solver rodas4",
                                          "--solver rk45 --clocks own"};
    write_text("stands.mo", "model Stands\n  Dialectic.Translational.Fixed road;\n"
                            "  Dialectic.Translational.Joint travel(v(start = 30));\n"
                            "  Dialectic.Translational.Body car(m = 1200, g = 0);\n"
                            "  Dialectic.Translational.QuadraticDrag drag(k = 1e300);\nequation\n"
                            "  connect(road.flange_b, travel.flange_a);\n"
                            "  connect(travel.flange_b, car.flange_a);\n"
                            "  connect(car.flange_a, drag.flange);\nend Stands;\n");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        char command[200];
        snprintf(command, sizeof command, "simulate stands.mo %s --stop-time 0.5 -o a.csv",
                 options[i]);
        assert_exit(lieder(command), 3);
        assert_contains(err, "travel.v: ");
        assert_contains(err, "1000 steps in a row have hardly moved the time");
    }
}

/* Ten ticks of a sample and one crossing of x = 0.35 are counted as what they are, by fixed steps
 * as by others. */
static void ticks_are_events_of_time(void **state)
{
    (void)state;
    static const char *const solvers[] = {"rk1 --step 1e-2", "rk4 --step 1e-2",
                                          "euler-backward --step 1e-2", "bdf", "rk45"};
    write_text("ticks.mo", "model Ticks Real x(start = 0); discrete Real k(start = 0);"
                           " Boolean high(start = false); equation der(x) = 1;"
                           " when sample(0.05, 0.1) then k = pre(k) + x; end when;"
                           " high = x > 0.353; end Ticks;\n");
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        char command[200];
        snprintf(command, sizeof command, "simulate ticks.mo --solver %s -o a.csv", solvers[i]);
        assert_exit(lieder(command), 0);
        assert_contains(out, "1 of states");
        assert_contains(out, "10 of time");
    }
}

/* the table of promises names tests that there are */
static void promises_have_tests(void **state)
{
    (void)state;
    char *text = read_text(SOURCE_DIR "/docs/trust.md"), *source = NULL;
    size_t count = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *cell = *line == '|' ? strchr(line + 1, '|') : NULL;
        for (char *word = cell ? cell + 1 : NULL; word && *word;) {
            size_t n = strcspn(word, " ,;|`");
            if (n > 7 && strncmp(word, "test_", 5) == 0 && strncmp(word + n - 2, ".c", 2) == 0) {
                char command[600];
                snprintf(command, sizeof command,
                         "cat " SOURCE_DIR "/test/*/%.*s > source.txt 2>&1", (int)n, word);
                assert_int_equal(system(command), 0);
                free(source);
                source = read_text("source.txt");
            } else if (n > 4 && source) {
                char name[200];
                snprintf(name, sizeof name, "%.*s", (int)n, word);
                if (!strstr(source, name))
                    fail_msg("docs/trust.md names %s, which is no test", name);
                count++;
            }
            word += n + (word[n] != '\0');
        }
    }
    assert_true(count > 80);
    free(source);
    free(text);
}

/* a word of a document that names a test: a file, a wrong model, or a function of one; `tests` has
 * the text of all files */
static bool names_test(const char *word, const char *tests)
{
    char command[400], function[300];
    size_t n = strlen(word);
    bool model = n > 3 && strcmp(word + n - 3, ".mo") == 0;
    if (model || (n > 2 && strcmp(word + n - 2, ".c") == 0)) {
        snprintf(command, sizeof command, "ls " SOURCE_DIR "/test/%s%.200s > names.txt 2>&1",
                 model ? "front/wrong/" : "*/", word);
        return system(command) == 0;
    }
    snprintf(function, sizeof function, "static void %.200s(", word);
    return strstr(tests, function) != NULL;
}

/* every item of docs/language.md names a test, and those that it names are there */
static void language_has_tests(void **state)
{
    (void)state;
    assert_int_equal(system("cat " SOURCE_DIR "/test/*/*.c > tests.txt"), 0);
    char *tests = read_text("tests.txt"), *text = read_text(SOURCE_DIR "/docs/language.md");
    size_t nline = 0;
    for (char *next, *line = text; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (strncmp(line, "- ", 2) != 0)
            continue;
        while (next && strncmp(next, "  ", 2) == 0) { /* goes on in the next line */
            next[-1] = ' ';
            next = strchr(next, '\n');
            if (next)
                *next++ = '\0';
        }
        size_t found = 0;
        char start[60];
        snprintf(start, sizeof start, "%.50s", line);
        for (char *word = strchr(line, '`'), *end; word; word = end ? strchr(end + 1, '`') : NULL) {
            end = strchr(++word, '`');
            if (!end)
                break;
            *end = '\0';
            size_t n = strlen(word);
            bool file = n > 3 && !strchr(word, '/') && !strchr(word, ' ') &&
                        (strcmp(word + n - 3, ".mo") == 0 ||
                         (strncmp(word, "test_", 5) == 0 && strcmp(word + n - 2, ".c") == 0));
            if (!file && strncmp(word, "test_", 5) != 0)
                continue;
            if (!names_test(word, tests))
                fail_msg("docs/language.md names %s, which is no test", word);
            found++;
        }
        if (!found)
            fail_msg("docs/language.md: an item without a test: %s", start);
        nline++;
    }
    assert_true(nline > 40);
    free(text);
    free(tests);
}

/* ------------------------------------------------------------------ files of the model */

static void files_of_the_model_stay(void **state)
{
    (void)state;
    static const char table[] = "t,u\n0,0\n1,2\n";
    write_text("road.csv", table);
    write_text("reads.mo",
               "model Reads\n  Signals.CsvInput u(fileName = \"road.csv\", column = 2);\n"
               "  Real x(start = 0, fixed = true);\nequation\n  der(x) = u.y;\nend Reads;\n");
    char *other = read_text("other.mo");
    assert_refused(lieder("simulate other.mo decay.mo --checkpoint other.mo -o a.csv"),
                   "the same file");
    assert_refused(lieder("simulate other.mo decay.mo --checkpoint ./other.mo -o a.csv"),
                   "the same file");
    assert_refused(lieder("export other.mo decay.mo -o other.mo"), "the same file");
    assert_file("other.mo", other);
    free(other);
    assert_refused(lieder("simulate reads.mo -o road.csv"), "the same file");
    assert_refused(lieder("simulate reads.mo -o a.csv --checkpoint road.csv"), "the same file");
    assert_refused(lieder("sweep reads.mo --vary x=1,2 -o road.csv"), "the same file");
    assert_file("road.csv", table);
    assert_exit(lieder("simulate reads.mo -o a.csv"), 0);
}

/* a link that somebody has planted where a sweep keeps its members is not followed */
static void planted_links_stay_unread(void **state)
{
    (void)state;
    write_text("victim", "precious");
    assert_int_equal(symlink("victim", "s.csv.kept"), 0);
    assert_exit(lieder("sweep decay.mo --vary x=1,2 -o s.csv --resume"), 4);
    assert_file("victim", "precious");
    unlink("s.csv.kept");
    assert_int_equal(mkfifo("s.csv.kept", 0600), 0);
    assert_exit(lieder("sweep decay.mo --vary x=1,2 -o s.csv --resume"), 4);
    unlink("s.csv.kept");
    assert_exit(lieder("sweep decay.mo --vary x=1,2 -o s.csv --resume"), 0);
}

/* the page of the reference replaces a file as a whole, or leaves it */
static void reference_replaces_whole_files(void **state)
{
    (void)state;
    assert_int_equal(mkdir("html", 0700), 0);
    assert_int_equal(mkdir("html/index.html", 0700), 0);
    assert_exit(lieder("doc --html html"), 4);
    assert_int_equal(rmdir("html/index.html"), 0);
    assert_exit(lieder("doc --html html"), 0);
}

/* ------------------------------------------------------------------ numbers and work */

/* a model without any component has steps, too */
static void empty_models_run(void **state)
{
    (void)state;
    write_text("empty.mo", "model Empty\nend Empty;\n");
    static const char *const solvers[] = {"rk1", "rk4", "bdf", "rk45", "rodas4", "euler-backward"};
    assert_exit(lieder("simulate empty.mo -o a.csv"), 0);
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
        assert_exit(lieder("simulate empty.mo --solver %s -o a.csv", solvers[i]), 0);
}

static const char late[] = "takes effect at the end of its step";

/* what happens between two fixed steps is late by a part of a step: reported, unless it only
 * bends */
static void late_instants_are_reported(void **state)
{
    (void)state;
    write_text("sampled.mo",
               "model Sampled\n  Real x(start = 1, fixed = true);\n"
               "  discrete Real u(start = 0, fixed = true);\nequation\n  der(x) = u - x;\n"
               "  when sample(0.0005, 0.0137) then\n    u = 0.5*x + 1;\n  end when;\n"
               "end Sampled;\n");
    write_text("jumps.mo", "model Jumps\n  Signals.Step u(startTime = 0.0105);\n"
                           "  Real x(start = 0, fixed = true);\nequation\n  der(x) = u.y;\n"
                           "end Jumps;\n");
    write_text("bends.mo", "model Bends\n  Signals.Ramp u(startTime = 0.0105, duration = 0.1);\n"
                           "  Real x(start = 0, fixed = true);\nequation\n  der(x) = u.y;\n"
                           "end Bends;\n");
    static const char *const late_ones[] = {"sampled", "jumps"};
    for (size_t i = 0; i < 2; i++) {
        const char *model = late_ones[i];
        static const char *const solvers[] = {"rk1", "rk4", "euler-backward"};
        for (size_t k = 0; k < 3; k++) {
            assert_exit(lieder("simulate %s.mo --solver %s --step 1e-3 --stop-time 0.1 -o a.csv",
                               model, solvers[k]),
                        0);
            assert_contains(err, late);
            assert_null(strstr(strstr(err, late) + 1, late)); /* once */
            assert_exit(lieder("simulate %s.mo --solver %s --step 1e-4 --stop-time 0.1 -o a.csv",
                               model, solvers[k]),
                        0);
            assert_null(strstr(err, late));
        }
        assert_exit(lieder("simulate %s.mo --stop-time 0.1 -o a.csv", model), 0);
        assert_null(strstr(err, late));
    }
    assert_exit(lieder("simulate bends.mo --solver rk4 --step 1e-3 --stop-time 0.2 -o a.csv"), 0);
    assert_null(strstr(err, late));
}

/* a ball that bounces at the ends of fixed steps bounces late */
static void late_jumps_are_reported(void **state)
{
    (void)state;
    static const char words[] = "late by up to a step";
    write_text("ball.mo",
               "model Ball\n  Real h(start = 1, fixed = true), v(start = 0, fixed = true);\n"
               "equation\n  der(h) = v;\n  der(v) = -9.81;\n"
               "  when h < 0 then\n    reinit(v, -0.8*pre(v));\n  end when;\nend Ball;\n");
    static const char *const solvers[] = {"rk1", "rk4", "euler-backward"};
    for (size_t k = 0; k < 3; k++) {
        assert_exit(lieder("simulate ball.mo --solver %s --step 1e-3 -o a.csv", solvers[k]), 0);
        assert_contains(err, words);
        assert_null(strstr(strstr(err, words) + 1, words)); /* once */
        assert_contains(out, "met at the ends of steps");
    }
    assert_exit(lieder("simulate ball.mo -o a.csv"), 0);
    assert_null(strstr(err, words));
    /* samples on the grid set states when they should */
    write_text("resets.mo", "model Resets\n  Real x(start = 1, fixed = true);\nequation\n"
                            "  der(x) = -x;\n  when sample(0.1, 0.1) then\n    reinit(x, 1);\n"
                            "  end when;\nend Resets;\n");
    assert_exit(lieder("simulate resets.mo --solver rk4 --step 1e-3 -o a.csv"), 0);
    assert_string_equal(err, "");
}

/* sizes of models that the library builds have ranges, and count as work */
static void sizes_of_templates_are_checked(void **state)
{
    (void)state;
    static const char *const wrong[] = {"-2", "0", "4294967296", "1e300"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[128];
        snprintf(text, sizeof text,
                 "model M\n  Dialectic.Examples.Chain chain(n = integer(%s));\nend M;\n", wrong[i]);
        write_text("chain.mo", text);
        assert_exit(lieder("check chain.mo"), 1);
    }
    write_text("chain.mo", "model M\n  Dialectic.Examples.Chain chain(n = -2);\nend M;\n");
    assert_exit(lieder("check chain.mo"), 1);
    assert_contains(err, "n = -2");
    write_text("chain.mo", "model M\n  Dialectic.Examples.Chain chain(n = 100000000);\nend M;\n");
    assert_exit(lieder("check chain.mo"), 1);
    assert_contains(err, "--limit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unused_options_are_refused),
        cmocka_unit_test(expressions_of_exports_end),
        cmocka_unit_test(help_names_the_solver_that_runs),
        cmocka_unit_test(many_steps_are_explained),
        cmocka_unit_test(lanes_fail_alone),
        cmocka_unit_test(advice_names_the_options_that_load),
        cmocka_unit_test(overruns_are_explained),
        cmocka_unit_test(advice_after_a_nan),
        cmocka_unit_test(standing_times_are_ended),
        cmocka_unit_test(ticks_are_events_of_time),
        cmocka_unit_test(promises_have_tests),
        cmocka_unit_test(language_has_tests),
        cmocka_unit_test(files_of_the_model_stay),
        cmocka_unit_test(planted_links_stay_unread),
        cmocka_unit_test(reference_replaces_whole_files),
        cmocka_unit_test(empty_models_run),
        cmocka_unit_test(late_instants_are_reported),
        cmocka_unit_test(late_jumps_are_reported),
        cmocka_unit_test(sizes_of_templates_are_checked),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
