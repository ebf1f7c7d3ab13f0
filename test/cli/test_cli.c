/* test_cli.c - the program itself, run as a user runs it: exit codes, messages, results. */
#define _GNU_SOURCE /* nftw */
#include <ftw.h>

#include <lieder/simulate.h>

#include "cli/commands.h"
#include "help/program.h"
#include "help/full.h"

#define NAME(name) #name,

/* ------------------------------------------------------------------ models */

static const char crane[] = "model Small\n"
                            "  Dialectic.Translational.Fixed fixed;\n"
                            "  Dialectic.Translational.Joint joint(s(start = 1));\n"
                            "  Dialectic.Translational.Body body(m = 2, g = 0);\n"
                            "  Dialectic.Translational.SpringDamper spring(c = 8);\n"
                            "equation\n"
                            "  connect(fixed.flange_b, joint.flange_a);\n"
                            "  connect(joint.flange_b, body.flange_a);\n"
                            "  connect(fixed.flange_b, spring.flange_a);\n"
                            "  connect(spring.flange_b, body.flange_a);\n"
                            "  annotation(experiment(StopTime = 2, Interval = 0.02));\n"
                            "end Small;\n"
                            "\n"
                            "model Crane\n"
                            "  Dialectic.Examples.CraneCrab crab;\n"
                            "  annotation(experiment(StopTime = 0.5));\n"
                            "end Crane;\n";

static const char fleet[] = "model Fleet\n"
                            "  parameter Integer n = 3;\n"
                            "  Dialectic.Examples.CraneCrab crab[n];\n"
                            "end Fleet;\n";

static const char grid[] = "model Grid\n"
                           "  Dialectic.Examples.CraneCrab crab[2, 3];\n"
                           "  Dialectic.Translational.Fixed fixed;\n"
                           "  Dialectic.Translational.Joint joint[2, 2];\n"
                           "  Dialectic.Translational.Body body[2, 2](m = {{1, 2}, {3, 4}},\n"
                           "    each g = 0);\n"
                           "equation\n"
                           "  for i in 1:2, j in 1:2 loop\n"
                           "    connect(fixed.flange_b, joint[i, j].flange_a);\n"
                           "    connect(joint[i, j].flange_b, body[i, j].flange_a);\n"
                           "  end for;\n"
                           "end Grid;\n";

static const char wrong[] = "model Wrong\n"
                            "  Dialectic.Planar.Bodyy body;\n"
                            "  Dialectic.Planar.Fixed fixed(nothing = 1);\n"
                            "  Dialectic.Planar.Body other(m = -1);\n"
                            "end Wrong;\n";

static int set_up(void **state)
{
    (void)state;
    if (!enter_folder())
        return -1;
    write_text("crane.mo", crane);
    write_text("fleet.mo", fleet);
    write_text("grid.mo", grid);
    write_text("wrong.mo", wrong);
    write_text("syntax.mo", "model A\n  Real x = ;\n  Real y = 1 +;\nend A;\n");
    return 0;
}

/* ------------------------------------------------------------------ the command line */

static void test_help(void **state)
{
    (void)state;
    static const char *const names[] = {COMMANDS(NAME)};
    assert_exit(lieder("--help"), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_contains(out, names[i]);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_exit(lieder("%s --help", names[i]), 0);
        assert_contains(out, "Usage: lieder");
        assert_contains(out, "Examples:\n  lieder");
        assert_string_equal(err, "");
        char *first = strdup(out);
        assert_exit(lieder("help %s", names[i]), 0);
        assert_string_equal(out, first);
        free(first);
    }
    assert_exit(lieder("simulate crane.mo -h"), 0);
    assert_exit(lieder("--version"), 0);
    assert_contains(out, "lieder 0.1.0");
    assert_exit(lieder("-V"), 0);
}

static void test_usage(void **state)
{
    (void)state;
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        {"", "Usage"},
        {"simulat crane.mo", "did you mean 'lieder simulate'?"},
        {"frobnicate", "'lieder --help' lists the commands"},
        {"--frob", "unknown option --frob"},
        {"help frob", "unknown command"},
        {"simulate", "FILE.mo is missing"},
        {"check", "FILE.mo is missing"},
        {"show", "FILE.mo is missing"},
        {"doc", "CLASS is missing"},
        {"simulate crane.mo --stoptime 3", "did you mean --stop-time?"},
        {"simulate crane.mo --sto", "needs a value"},
        {"simulate crane.mo --st 3", "is ambiguous"},
        {"simulate crane.mo --stop-time", "needs a value"},
        {"simulate crane.mo --stop-time now", "needs a number, not \"now\""},
        {"simulate crane.mo --stop-time nan", "needs a number"},
        {"simulate crane.mo --stop-time -1", "is before the start time"},
        {"simulate crane.mo --step 0", "greater than zero"},
        {"simulate crane.mo --tolerance -1e-3", "greater than zero"},
        {"simulate crane.mo --intervals 1.5", "whole number"},
        {"simulate crane.mo --threads 0", "whole number"},
        {"simulate crane.mo --interval 1 --intervals 2", "give one of them"},
        {"simulate crane.mo --tolerance 2", "less than one"},
        {"simulate crane.mo --real-time --solver bdf", "cannot follow the clock"},
        {"simulate crane.mo --solver rk5", "did you mean rk"},
        {"simulate crane.mo --chatter ring", "there are auto, stop, hold"},
        {"simulate crane.mo --override body.m", "NAME=VALUE"},
        {"simulate crane.mo --override =3", "NAME=VALUE"},
        {"simulate crane.mo --log-format xml", "text or json"},
        {"simulate crane.mo --real-time=yes", "takes no value"},
        {"draw a.csv b.csv", "one RESULT is enough"},
        {"simulate crane.mo -x", "unknown option -x"},
        {"simulate crane.mo --record '(a'", "no regular expression"},
        {"simulate crane.mo --record nothing", "no variable matches"},
        {"simulate fleet.mo --record 'crab[1].revolute.phi'", "crab\\[1\\]\\.revolute\\.phi"},
        {"simulate crane.mo -o result.xyz", ".csv"},
        {"simulate Examples.CraneCrab --model X", "no file"},
        {"eigen", "FILE.mo is missing"},
        {"eigen crane.mo --at -1", "before the model starts"},
        {"eigen crane.mo --step 0", "greater than zero"},
        {"eigen crane.mo --solver bdf --step 1e-3", "bdf chooses its steps"},
        {"eigen crane.mo --solver esdirk23 --wanted-step 1", "whatever T_D is"},
        {"eigen crane.mo -o a.csv", ".mat or .json"},
        {"eigen crane.mo -u crab.cart.x -y nobody.s", "Planar.Body has no 'x'"},
        {"eigen crane.mo -u crab.cart.x -y nobody.s", "Crane has no 'nobody'"},
        {"eigen fleet.mo --override n=2000 -o a.mat", "up to 4000 states"},
        {"stability crane.mo", "lieder eigen crane.mo"},
        {"stability --solver rk9", "did you mean rk"},
        {"stability --solver auto", "all of them"},
        {"stability --points 3", "goes from 16"},
        {"stability -o a.xyz", ".csv"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int code = lieder("%s", cases[i].arguments);
        if (code != 2)
            fail_msg("lieder %s: exit code %d\n%s%s", cases[i].arguments, code, out, err);
        assert_contains(err, cases[i].message);
    }
}

/* the table of options, the man page and the completions say the same */
static void test_documents(void **state)
{
    (void)state;
    char *man = read_text(SOURCE_DIR "/docs/man/lieder.1");
    char *bash = read_text(SOURCE_DIR "/share/completions/lieder.bash");
    char *zsh = read_text(SOURCE_DIR "/share/completions/_lieder");
    static const char *const names[] = {COMMANDS(NAME)};
    int n = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_exit(lieder("%s --help", names[i]), 0);
        char *end = strstr(out, "Examples:");
        for (char *line = strstr(out, "Options:"); line < end; line = strchr(line, '\n') + 1) {
            /* "  -o, --output FILE ..." or "      --record REGEX ..." */
            if (strncmp(line, "      --", 8) != 0 && strncmp(line, "  -", 3) != 0)
                continue;
            char option[64], escaped[128] = "";
            snprintf(option, sizeof option, "%.*s", (int)strcspn(line + 6, " \n"), line + 6);
            size_t k = 0;
            for (const char *s = option; *s; s++) {
                if (*s == '-')
                    escaped[k++] = '\\';
                escaped[k++] = *s;
            }
            assert_contains(man, escaped);
            assert_contains(bash, option);
            assert_contains(zsh, option);
            n++;
        }
    }
    assert_true(n > 25);
    free(man);
    free(bash);
    free(zsh);
}

/* the values of options and the commands, as the tables of the program have them */
static void test_completions(void **state)
{
    (void)state;
#define WORD(constant, name, ...) " " name
#define COMMAND_WORD(name)        " " #name
    static const struct {
        const char *bash_before, *bash_after, *zsh_before, *zsh_after, *words;
    } lists[] = {{"--solver)\n        mapfile -t COMPREPLY < <(compgen -W \"", "\"",
                  "'--solver[integration method]:solver:(", ")'", LIEDER_SOLVERS(WORD)},
                 {"--solver)\n        mapfile -t COMPREPLY < <(compgen -W \"", "\"",
                  "'*--solver[this solver only]:solver:(", ")'", LIEDER_SOLVERS(WORD)},
                 {"--compile)\n        mapfile -t COMPREPLY < <(compgen -W \"", "\"",
                  "'--compile[generated code]:when:(", ")'", LIEDER_COMPILES(WORD)},
                 {"--chatter)\n        mapfile -t COMPREPLY < <(compgen -W \"", "\"",
                  "'--chatter[when events follow each other without end]:what:(", ")'",
                  LIEDER_CHATTERS(WORD)},
                 {"compgen -W \"", " help --help --version\"", NULL, NULL, COMMANDS(COMMAND_WORD)}};
    char *bash = read_text(SOURCE_DIR "/share/completions/lieder.bash");
    char *zsh = read_text(SOURCE_DIR "/share/completions/_lieder");
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        char wanted[1000];
        snprintf(wanted, sizeof wanted, "%s%s%s", lists[i].bash_before, lists[i].words + 1,
                 lists[i].bash_after);
        assert_contains(bash, wanted);
        snprintf(wanted, sizeof wanted, "%s%s%s", lists[i].zsh_before, lists[i].words + 1,
                 lists[i].zsh_after);
        if (lists[i].zsh_before)
            assert_contains(zsh, wanted);
    }
#define ZSH_COMMAND(name) assert_contains(zsh, "    '" #name ":");
    COMMANDS(ZSH_COMMAND)
    free(bash);
    free(zsh);
}

/* every solver has its row in docs/solvers.md and its name in the manual */
static void test_documented_solvers(void **state)
{
    (void)state;
    char *man = read_text(SOURCE_DIR "/docs/man/lieder.1");
    char *document = read_text(SOURCE_DIR "/docs/solvers.md");
    for (LiederSolver s = LIEDER_SOLVER_AUTO + 1; s < LIEDER_SOLVER_COUNT; s++) {
        const char *name = lieder_solver_name(s);
        char wanted[100] = "", *to = wanted;
        for (const char *from = name; *from; from++)
            to += sprintf(to, *from == '-' ? "\\%c" : "%c", *from);
        assert_contains(man, wanted);
        snprintf(wanted, sizeof wanted, "`%s`", name);
        assert_contains(document, wanted);
    }
    free(man);
    free(document);
}

static void test_library(void **state)
{
    (void)state;
    assert_exit(lieder("list"), 0);
    assert_contains(out, "Planar.Revolute");
    assert_exit(lieder("list 'dialectic.planar.*'"), 0);
    assert_contains(out, "Planar.Body");
    assert_null(strstr(out, "Translational"));
    assert_exit(lieder("list spring"), 0);
    assert_contains(out, "Translational.SpringDamper");
    assert_exit(lieder("list zebra"), 1);
    assert_exit(lieder("list --log-format=json"), 0);
    assert_true(assert_json_lines(out) > 20);
    assert_exit(lieder("doc Planar.Revolute"), 0);
    assert_contains(out, "frame_a");
    assert_contains(out, "rad/s");
    assert_contains(out, "world.TD");
    char *first = strdup(out);
    assert_exit(lieder("doc Dialectic.Planar.Revolute"), 0);
    assert_string_equal(out, first);
    free(first);
    assert_exit(lieder("doc Planar.Revolut"), 1);
    assert_contains(err, "did you mean Dialectic.Planar.Revolute?");
    /* variables of ports of classes in Modelica are listed once */
    assert_exit(
        lieder("simulate %s/models/machines/crane.mo --stop-time 0.1 --record '.*' -o all.csv",
               SOURCE_DIR),
        0);
    assert_exit(lieder("doc Planar.ResolveIn"), 0);
    assert_contains(out, "given");
    assert_exit(lieder("doc --html reference"), 0);
    char *page = read_text("reference/index.html");
    assert_contains(page, "<h3 id=\"Dialectic.Planar.ShapeContact\">");
    assert_contains(page, "<svg");
    assert_contains(page, "must be set");
    free(page);
}

/* ------------------------------------------------------------------ check, show */

static void test_check(void **state)
{
    (void)state;
    assert_exit(lieder("check crane.mo"), 0);
    assert_contains(out, "Crane: no errors");
    assert_exit(lieder("check crane.mo --model Small --quiet"), 0);
    assert_string_equal(out, "");
    assert_exit(lieder("check crane.mo --model Large"), 1);
    assert_exit(lieder("check nowhere.mo"), 4);
    assert_contains(err, "cannot read nowhere.mo: No such file");
    assert_exit(lieder("check syntax.mo"), 1);
    assert_contains(err, "syntax.mo:2:");
    assert_contains(err, "syntax.mo:3:");
    assert_contains(err, "^");
    assert_exit(lieder("check wrong.mo"), 1);
    assert_contains(err, "wrong.mo:2:");
    assert_contains(err, "Bodyy");
    assert_null(strstr(err, "\033"));
    assert_exit(lieder("check wrong.mo --log-format json"), 1);
    assert_true(assert_json_lines(out) >= 2);
    assert_string_equal(err, "");
    assert_true(json_member(out, "summary", "errors") >= 1);
    assert_true(json_member(out, "diagnostic", "line") == 2);
}

static void test_show(void **state)
{
    (void)state;
    assert_exit(lieder("show crane.mo"), 0);
    assert_contains(out, "crab");
    assert_contains(out, "revolute");
    assert_contains(out, "States  4");
    assert_contains(out, "Solver advice");
    assert_exit(lieder("show fleet.mo --override n=1000"), 0);
    assert_contains(out, "crab[1000]");
    assert_contains(out, "States  4000");
    assert_exit(lieder("show fleet.mo --log-format json"), 0);
    assert_json_lines(out);
    assert_true(json_member(out, "shape", "lanes") == 3);
    assert_exit(lieder("show crane.mo --record '.*revolute\\.(phi|w)'"), 0);
    assert_string_equal(
        out, "crab.revolute.phi                    rad      relative angle, elastic regime\n"
             "crab.revolute.w                      rad/s    relative angular velocity, kinetic "
             "regime\n");
    assert_exit(lieder("show wrong.mo"), 1);
    assert_exit(lieder("show Examples.CraneCrab"), 0);
}

/* two inertias on one shaft, a circuit with a loop of resistors */
static const char cells_text[] =
    "package Cells\n"
    "  connector Flange Real phi; flow Real tau; end Flange;\n"
    "  model Inertia Flange a, b; parameter Real J = 1; Real phi(start = 1), w;\n"
    "  equation phi = a.phi; phi = b.phi; w = der(phi); J*der(w) = a.tau + b.tau; end Inertia;\n"
    "  model Spring Flange a; equation a.tau = 10*a.phi; end Spring;\n"
    "  model Shaft Inertia one, two(phi(stateSelect = StateSelect.prefer)); Spring spring;\n"
    "  equation connect(one.b, two.a); connect(two.b, spring.a); end Shaft;\n"
    "  model Shafts Shaft shaft[7]; end Shafts;\n"
    "  model Loop Real x, y, z, v; equation x + z*y = 1; x - y*cos(v) = 2; z^3 + z = v + 1;\n"
    "  der(v) = -x; end Loop;\n"
    "end Cells;\n";

static void test_show_cells(void **state)
{
    (void)state;
    write_text("cells.mo", cells_text);
    assert_exit(lieder("show cells.mo --model Cells.Shafts"), 0);
    assert_contains(out, "Shaft  (7 instances, alone): ");
    assert_contains(out, "merged 3 components: one, two, spring\n");
    assert_contains(out, "one.a is a Flange");
    assert_contains(out, "state two.phi: stateSelect = StateSelect.prefer; ");
    assert_contains(out, "so that one.phi is computed\n");
    assert_contains(out, "equations solved together for ");
    assert_contains(out, "eliminated while the class was made");
    assert_exit(lieder("show cells.mo --model Cells.Loop"), 0);
    assert_contains(out, "1 equation solved together for z: nonlinear, 1 iterated");
    assert_contains(out, "2 equations solved together for ");
    assert_contains(out, "state v: it is differentiated, and no equation without derivatives");
    assert_exit(lieder("show cells.mo --model Cells.Shafts --log-format json"), 0);
    assert_json_lines(out);
    assert_true(json_member(out, "cell", "instances") == 7);
    assert_true(json_member(out, "cell", "merged") == 3);
    assert_exit(lieder("show crane.mo"), 0);
    assert_null(strstr(out, "Cells ("));
}

/* ------------------------------------------------------------------ eigen, stability */

/* Small without its damper, T_D = 1e-3 by default: m' = m + c T_D^2, d' = c T_D */
static void test_eigen(void **state)
{
    (void)state;
    assert_exit(lieder("eigen crane.mo --model Small --override spring.d=0 --log-format json"), 0);
    assert_json_lines(out);
    double re = json_member(out, "eigenvalue", "real"),
           im = json_member(out, "eigenvalue", "imaginary"), m = 2 + 8e-6, d = 8e-3;
    assert_true(fabs(re + d / (2 * m)) < 1e-12);
    assert_true(fabs(hypot(re, im) - sqrt(8 / m)) < 1e-12);
    assert_contains(out, "\"states\":[\"joint.");
    assert_contains(out, "\"motion\":\"decaying\"");
    assert_exit(lieder("eigen crane.mo"), 0);
    assert_contains(out, "takes part");
    assert_contains(out, "crab.revolute.phi 50%");
    assert_contains(out, "Largest stable step");
    assert_exit(lieder("eigen crane.mo -q"), 0);
    assert_string_equal(out, "");
    /* at a time, by the default and by a given solver: the same pair within what they differ */
    assert_exit(lieder("eigen crane.mo --at 0.3 --log-format json"), 0);
    double there = json_member(out, "eigenvalue", "imaginary");
    assert_exit(lieder("eigen crane.mo --at 0.3 --solver rk4 --step 1e-3 --log-format json"), 0);
    assert_true(fabs(json_member(out, "eigenvalue", "imaginary") - there) < 1e-4);
    assert_true(json_member(out, "linearisation", "time") == 0.3);
    /* equal crabs count once */
    assert_exit(lieder("eigen fleet.mo --override n=1000 --log-format json"), 0);
    assert_true(json_member(out, "linearisation", "blocks") == 1);
    assert_true(json_member(out, "eigenvalue", "lanes") == 1000);
    assert_exit(lieder("eigen fleet.mo --override n=1000"), 0);
    assert_contains(out, "1000 subsystems of 4 states, 1 different");
    /* wrong models and names */
    assert_exit(lieder("eigen wrong.mo"), 1);
    assert_exit(lieder("eigen crane.mo --model Nobody"), 1);
    assert_exit(lieder("eigen nowhere.mo"), 4);
    assert_exit(lieder("eigen crane.mo -o nowhere/a.mat"), 4);
    assert_contains(err, "nowhere/a.mat");
}

static void test_stable_steps(void **state)
{
    (void)state;
    const char *masses = SOURCE_DIR "/models/papers/000/two_masses.mo";
    /* rk3 with the classical spring at its limit sqrt(3) / sqrt(2 c / m) = 1.2247e-3 s */
    assert_exit(lieder("eigen %s --override world.TD=0 --solver rk3 --step 1.22e-3", masses), 0);
    assert_contains(out, "is stable");
    assert_exit(lieder("eigen %s --override world.TD=0 --solver rk3 --step 1.23e-3", masses), 0);
    assert_contains(out, "NOT STABLE");
    /* m' = 1/2 + c TD^2, d' = c TD: the T_D from which on 5 ms are stable, and that it is */
    assert_exit(lieder("eigen %s --solver rk3 --wanted-step 5e-3 --log-format json", masses), 0);
    assert_json_lines(out);
    double TD = json_member(out, "dialectic", "TD");
    for (int side = -1; side <= 1; side += 2) {
        assert_exit(lieder("eigen %s --override world.TD=%.17g --solver rk3 --step 5e-3", masses,
                           (1 + 2e-3 * side) * TD),
                    0);
        assert_contains(out, side > 0 ? "is stable" : "NOT STABLE");
    }
    assert_exit(lieder("eigen %s --wanted-step 1e-4", masses), 0);
    assert_contains(out, "is stable as the model is");
    /* a spring without d_el: its T_D only damps, and 10 s stay out of reach; and without a World */
    assert_exit(lieder("eigen %s --override spring.damped=false --wanted-step 10", masses), 0);
    assert_contains(out, "T_D cannot help: no world.TD");
    assert_exit(lieder("eigen crane.mo --model Small --wanted-step 10"), 0);
    assert_contains(out, "T_D cannot help: the model has no World");
    /* a run that explodes on its way */
    assert_exit(lieder("eigen %s --at 0.3 --solver rk1 --step 0.1", masses), 3);
    assert_contains(err, "is too long for rk1");
    assert_exit(lieder("eigen %s --at 3000 --solver rk4 --step 0.1", masses), 3);
    assert_contains(err, "without --solver");
}

static void test_matrices(void **state)
{
    (void)state;
    assert_exit(lieder("eigen crane.mo --model Small -u spring.c -u joint.f_ext -y spring.f_el "
                       "-y 'der(joint.v)' -o a.json"),
                0);
    char *text = read_text("a.json");
    for (char *at = text; (at = strchr(at, '\n'));)
        *at = ' ';
    assert_non_null(json_value(text));
    static const char *const parts[] = {"\"A\": [[", "\"x_names\": [\"joint.s\"", "\"spring.c\"",
                                        "\"der(joint.v)\"", "\"D\": [["};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_contains(text, parts[i]);
    free(text);
    assert_exit(lieder("eigen fleet.mo -o a.mat"), 0);
    assert_contains(err, "a.mat");
    /* a connection gives the input its value: B would be zero */
    write_text("driven.mo",
               "model Driven inner Dialectic.World world(TD = 0); Dialectic.Rotational.Fixed f;\n"
               "Dialectic.Rotational.Joint j; Dialectic.Rotational.Inertia i(J = 1);\n"
               "Signals.Constant k(k = 1); equation connect(f.flange_b, j.flange_a);\n"
               "connect(j.flange_b, i.flange_a); connect(k.y, j.tau_ext); end Driven;\n");
    assert_exit(lieder("eigen driven.mo -u j.tau_ext -y j.phi"), 2);
    assert_contains(err, "cannot be an input: a connection gives it its value");
    assert_exit(lieder("eigen driven.mo -u k.k -y j.phi -o k.mat"), 0);
}

static void test_stability(void **state)
{
    (void)state;
    assert_exit(lieder("stability"), 0);
    assert_contains(out, "2.51274533");
    assert_contains(out, "1.73205081");
    assert_contains(out, "A(73.35)-stable");
    assert_exit(lieder("stability --solver rk4 --solver bdf --log-format json"), 0);
    assert_int_equal(assert_json_lines(out), 6);
    assert_true(fabs(json_member(out, "region", "imaginary_axis") - sqrt(8)) < 1e-12);
    assert_exit(lieder("stability --solver rk1 --points 101 -o a.csv"), 0);
    Csv c = read_csv("a.csv");
    assert_int_equal(c.nrow, 101);
    assert_int_equal(c.ncolumn, 3);
    for (size_t i = 0; i < c.nrow; i++) /* the circle around -1 */
        assert_true(fabs(hypot(c.values[3 * i + 1] + 1, c.values[3 * i + 2]) - 1) < 1e-12);
    drop_csv(&c);
    assert_exit(lieder("stability --solver rk1 -o nowhere/a.csv"), 4);
    assert_exit(lieder("stability --solver rk1 -o nowhere/a.svg"), 4);
    assert_contains(err, "nowhere/a.svg");
    assert_exit(lieder("stability --solver rk3 -o \"it's.svg\""), 0);
    char *picture = read_text("it's.svg");
    assert_contains(picture, "<svg");
    assert_contains(picture, "rk3");
    free(picture);
}

/* a result beside itself, beside a curve that leaves the tube, and without a variable of the
 * reference */
static void test_compare(void **state)
{
    (void)state;
    write_text("reference.csv", "\"time\",\"x[1, 2]\",\"y\"\n0,0,1\n1,1,1\n2,2,1\n");
    write_text("near.csv", "\"time\",\"x[1,2]\",\"y\"\n0,0,1\n1.5,1.501,1.001\n2,2,1\n");
    write_text("far.csv", "\"time\",\"x[1,2]\"\n0,0\n1.5,1.52\n2,2\n");
    write_text("names.txt", "time\nx[1, 2]\n");
    assert_exit(lieder("compare reference.csv near.csv"), 0);
    assert_contains(out, "x[1, 2]: inside");
    assert_contains(out, "2 variables inside the tube");
    assert_exit(lieder("compare reference.csv far.csv"), 1);
    assert_contains(out, "1 of 3 points outside, the first at 1.5 s");
    assert_contains(out, "y: missing in the result");
    assert_contains(out, "1 of 1 variables outside the tube, 1 missing");
    assert_exit(lieder("compare reference.csv far.csv --until 1.2 --signals names.txt"), 0);
    assert_exit(lieder("compare reference.csv far.csv --tolerance 0.02 --signals names.txt"), 0);
    assert_exit(lieder("compare reference.csv far.csv --log-format json"), 1);
    assert_int_equal(assert_json_lines(out), 3);
    assert_exit(lieder("compare reference.csv nothing.csv"), 4);
    /* a run that ended early is compared as far as it goes, which is reported */
    write_text("early.csv", "\"time\",\"x[1,2]\",\"y\"\n0,0,1\n1,1,1\n");
    assert_exit(lieder("compare reference.csv early.csv"), 0);
    assert_contains(err, "the result goes from 0 to 1 s, the reference from 0 to 2 s");
    assert_exit(lieder("compare reference.csv early.csv --until 1"), 0);
    assert_null(strstr(err, "the result goes"));
    /* times that do not rise read beyond what they were compared with */
    write_text("back.csv", "time,x\n0,1\n1,2\n2,1\n1.5,2\n-7,3\n");
    assert_exit(lieder("compare back.csv reference.csv"), 4);
    assert_contains(err, "time 1.5 of row 4 does not come after");
    assert_exit(lieder("compare reference.csv back.csv"), 4);
    assert_exit(lieder("compare reference.csv"), 2);
    assert_exit(lieder("compare reference.csv near.csv --signals nothing.txt"), 4);
    assert_contains(err, "nothing.txt");
}

/* ------------------------------------------------------------------ simulate */

static void test_defaults(void **state)
{
    (void)state;
    assert_exit(lieder("simulate crane.mo"), 0);
    assert_contains(out, "Crane_result.csv");
    Csv c = read_csv("Crane_result.csv");
    assert_int_equal(c.nrow, 501);
    assert_int_equal(c.ncolumn, 1 + 4 + 4);
    assert_string_equal(
        c.header, "\"time\",\"crab.prismatic.s\",\"der(crab.prismatic.s)\",\"crab.prismatic.v\","
                  "\"der(crab.prismatic.v)\",\"crab.revolute.phi\",\"der(crab.revolute.phi)\","
                  "\"crab.revolute.w\",\"der(crab.revolute.w)\"");
    assert_true(c.values[0] == 0 && last_value(&c, 0) == 0.5);
    assert_true(c.values[5] == 1); /* start value of phi */
    drop_csv(&c);
    /* the annotation of the other model: 2 s in steps of 0.02 s */
    assert_exit(lieder("simulate crane.mo --model Small -o small.csv"), 0);
    c = read_csv("small.csv");
    assert_int_equal(c.nrow, 101);
    assert_true(last_value(&c, 0) == 2);
    drop_csv(&c);
    assert_exit(lieder("simulate Examples.CraneCrab --stop-time 0.1 -o library.csv"), 0);
    c = read_csv("library.csv");
    assert_true(last_value(&c, 0) == 0.1);
    drop_csv(&c);
}

static void test_options(void **state)
{
    (void)state;
    assert_exit(lieder("simulate crane.mo --start-time=1 --stop-time 3 --intervals 10 -o a.csv"),
                0);
    Csv c = read_csv("a.csv");
    assert_int_equal(c.nrow, 11);
    assert_true(c.values[0] == 1 && last_value(&c, 0) == 3);
    drop_csv(&c);
    assert_exit(lieder("simulate --interval 0.25 -qo a.csv -- crane.mo"), 0);
    assert_string_equal(out, "");
    assert_string_equal(err, "");
    c = read_csv("a.csv");
    assert_int_equal(c.nrow, 3);
    drop_csv(&c);
    for (LiederSolver s = LIEDER_SOLVER_AUTO + 1; s < LIEDER_SOLVER_COUNT; s++) {
        assert_exit(lieder("simulate crane.mo --solver %s %s --intervals 5 -o a.csv",
                           lieder_solver_name(s),
                           lieder_solver_info(s)->adaptive ? "--tolerance 1e-6" : ""),
                    0);
        assert_contains(out, lieder_solver_name(s));
        c = read_csv("a.csv");
        assert_int_equal(c.nrow, 6);
        drop_csv(&c);
    }
    assert_exit(lieder("simulate crane.mo --solver rk4 --step 1e-3 --threads 2 -o a.csv"), 0);
    assert_contains(out, "500 of 0.001 s");
}

static void test_override(void **state)
{
    (void)state;
    assert_exit(
        lieder("simulate crane.mo --model Small --record 'joint.s|body.m' --override joint.s=0.25 "
               "--override body.m=4 -o a.csv"),
        0);
    Csv c = read_csv("a.csv");
    assert_string_equal(c.header, "\"time\",\"joint.s\",\"body.m\"");
    assert_true(c.values[1] == 0.25 && c.values[2] == 4);
    drop_csv(&c);
    assert_exit(lieder("simulate crane.mo --override crab.nothing=3"), 1);
    assert_contains(err, "nothing");
    assert_exit(lieder("simulate crane.mo --model Small --override body.m=heavy"), 1);
    assert_exit(
        lieder("simulate fleet.mo --override n=7 --record 'crab.*phi' -o a.csv --intervals 2"), 0);

    /* rows, columns and single elements of a matrix of components */
    static const struct {
        const char *override;
        double expected[6];
    } cases[] = {
        {"b[2].m=5", {2, 2, 2, 5, 5, 5}},   {"b[2,1].m=5", {2, 2, 2, 5, 2, 2}},
        {"b[:,2].m=5", {2, 5, 2, 2, 5, 2}}, {"b[1:2,1].m=5", {5, 2, 2, 5, 2, 2}},
        {"b.m=5", {5, 5, 5, 5, 5, 5}},
    };
    write_text("matrix.mo", "model Matrix\n  Dialectic.Translational.Fixed fixed;\n"
                            "  Dialectic.Translational.Joint joint;\n"
                            "  Dialectic.Translational.Body b[2, 3](each m = 2, each g = 0);\n"
                            "equation\n  connect(fixed.flange_b, joint.flange_a);\n"
                            "  for i in 1:2 loop\n    for k in 1:3 loop\n"
                            "      connect(joint.flange_b, b[i, k].flange_a);\n"
                            "    end for;\n  end for;\nend Matrix;\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_exit(lieder("simulate matrix.mo --record 'b.*\\.m' --override '%s' -o a.csv",
                           cases[i].override),
                    0);
        c = read_csv("a.csv");
        assert_int_equal(c.ncolumn, 7);
        assert_memory_equal(c.values + 1, cases[i].expected, sizeof cases[i].expected);
        drop_csv(&c);
    }
    assert_exit(lieder("simulate matrix.mo --override 'b[3].m=5'"), 1);
    assert_exit(lieder("simulate matrix.mo --override 'b[1,1,1].m=5'"), 1);
    assert_exit(lieder("simulate matrix.mo --override 'b[2].m={1,2,3}'"), 1);
}

/* parameters of the model itself are constants of its results */
static void test_own_parameters(void **state)
{
    (void)state;
    write_text("own.mo", "model Own\n  parameter Real k(unit = \"N/m\") = 8 \"stiffness\";\n"
                         "  parameter Integer n = 2;\n  parameter Real both[2] = {k, 2 * k};\n"
                         "  Dialectic.Translational.Fixed fixed;\n"
                         "  Dialectic.Translational.Joint joint(s(start = 1));\n"
                         "  Dialectic.Translational.Body body(m = n);\n"
                         "  Dialectic.Translational.SpringDamper spring(c = both[2]);\n"
                         "equation\n  connect(fixed.flange_b, joint.flange_a);\n"
                         "  connect(joint.flange_b, body.flange_a);\n"
                         "  connect(fixed.flange_b, spring.flange_a);\n"
                         "  connect(spring.flange_b, body.flange_a);\nend Own;\n");
    assert_exit(lieder("simulate own.mo --record 'k|n|both.*|joint.s' --override k=3 -o own.csv"),
                0);
    Csv c = read_csv("own.csv");
    assert_string_equal(c.header, "\"time\",\"joint.s\",\"k\",\"n\",\"both[1]\",\"both[2]\"");
    assert_true(c.values[2] == 3 && c.values[3] == 2 && c.values[4] == 3 && c.values[5] == 6);
    assert_true(last_value(&c, 2) == 3 && last_value(&c, 5) == 6);
    drop_csv(&c);
    assert_exit(lieder("show own.mo --record k"), 0);
    assert_contains(out, "k");
    assert_exit(lieder("simulate own.mo --record 'k|joint.s' -o own.mat"), 0);
    assert_exit(lieder("sweep own.mo --vary k=1,2 --record 'n' -o own.csv"), 0);
}

/* states that a switch has left out are not listed */
static void test_show_states(void **state)
{
    (void)state;
    write_text("sensors.mo", "model Sensors\n  Dialectic.Rotational.Fixed fixed;\n"
                             "  Dialectic.Rotational.Joint joint;\n"
                             "  Dialectic.Rotational.Inertia body(J = 1);\n"
                             "  Dialectic.Rotational.AngleSensor plain;\n"
                             "  Dialectic.Rotational.AngleSensor two[2](each filtered = true);\n"
                             "equation\n  connect(fixed.flange_b, joint.flange_a);\n"
                             "  connect(joint.flange_b, body.flange_a);\n"
                             "  connect(joint.flange_b, plain.flange);\n"
                             "  connect(joint.flange_b, two[1].flange);\n"
                             "  connect(joint.flange_b, two[2].flange);\nend Sensors;\n");
    assert_exit(lieder("show sensors.mo"), 0);
    assert_contains(out, "plain   Rotational.AngleSensor\n");
    assert_contains(out, "two[2]  Rotational.AngleSensor  (x)\n");
    assert_contains(out, "(phi, w)");
}

/* linear groups about which check says the same are one entry, in which each counts once */
static void test_groups_that_are_alike(void **state)
{
    (void)state;
    write_text("pendulums.mo", "model Pendulums\n  inner Dialectic.World world;\n"
                               "  Dialectic.Planar.Fixed fixed;\n"
                               "  Dialectic.Planar.Revolute joint[5];\n"
                               "  Dialectic.Planar.Body body[5](m = 1:5, each I = 1);\n"
                               "  Dialectic.Planar.Prismatic slider(r = {1, 0});\n"
                               "  Dialectic.Planar.Revolute hinge;\n"
                               "  Dialectic.Planar.FixedTranslation rod(r = {0, -1});\n"
                               "  Dialectic.Planar.Body cart(m = 1), load(m = 1);\n"
                               "equation\n  for i in 1:5 loop\n"
                               "    connect(fixed.frame, joint[i].frame_a);\n"
                               "    connect(joint[i].frame_b, body[i].frame_a);\n  end for;\n"
                               "  connect(fixed.frame, slider.frame_a);\n"
                               "  connect(slider.frame_b, cart.frame_a);\n"
                               "  connect(slider.frame_b, hinge.frame_a);\n"
                               "  connect(hinge.frame_b, rod.frame_a);\n"
                               "  connect(rod.frame_b, load.frame_a);\nend Pendulums;\n");
    assert_exit(lieder("check pendulums.mo"), 0);
    assert_contains(out, "  5 linear groups, each of 1 unknown, 1 lane: regular for all states\n");
    assert_contains(out,
                    "  linear group of 2 unknowns, 1 lane: regular for all positions at rest\n");
}

/* an array with two indices has them in overrides, patterns, results and messages alike */
static void test_two_indices(void **state)
{
    (void)state;
    assert_exit(lieder("simulate grid.mo --override 'joint[2,1].s=0.25' "
                       "--override 'crab[1,3].revolute.phi=0.5' --intervals 4 -o a.csv "
                       "--record 'joint\\[2,1\\]\\.s|body\\[[12],2\\]\\.m|"
                       "crab\\[1,[23]\\]\\.revolute\\.phi'"),
                0);
    Csv c = read_csv("a.csv");
    assert_string_equal(c.header, "\"time\",\"crab[1,2].revolute.phi\",\"crab[1,3].revolute.phi\","
                                  "\"joint[2,1].s\",\"body[1,2].m\",\"body[2,2].m\"");
    assert_true(c.values[1] == 1 && c.values[2] == 0.5 && c.values[3] == 0.25);
    assert_true(c.values[4] == 2 && c.values[5] == 4);
    drop_csv(&c);
    assert_exit(lieder("plot a.csv -y 'joint[2,1].s' -o a.svg"), 0);
    assert_exit(lieder("simulate grid.mo --override 'body[2,1].m=-1'"), 1);
    assert_contains(err, "m = -1");
    assert_exit(lieder("eigen grid.mo --model Grid"), 0);
    assert_contains(out, "joint[1,1]");
    assert_exit(lieder("show grid.mo"), 0);
    assert_contains(out, "crab[2, 3]");
}

/* a class of one's own, compiled by the compiler of this machine, in Modelica text */
static void test_load(void **state)
{
    (void)state;
    write_text("own.mo", "model Own\n"
                         "  inner Dialectic.World world(TD = 0);\n"
                         "  Dialectic.Translational.Fixed fixed;\n"
                         "  Dialectic.Translational.Joint joint(s(start = 1));\n"
                         "  Dialectic.Translational.Body body(m = 1, g = 0);\n"
                         "  HardSpring spring(c = 4, c3 = 0);\n"
                         "equation\n"
                         "  connect(fixed.flange_b, joint.flange_a);\n"
                         "  connect(joint.flange_b, body.flange_a);\n"
                         "  connect(fixed.flange_b, spring.flange_a);\n"
                         "  connect(spring.flange_b, body.flange_a);\n"
                         "end Own;\n");
    /* never without being asked */
    assert_exit(lieder("simulate own.mo"), 1);
    assert_contains(err, "HardSpring");
    assert_exit(lieder("simulate own.mo --load nothing.so"), 4);
    assert_contains(err, "cannot be loaded");
    if (system("command -v cc > /dev/null") != 0)
        skip();
    assert_int_equal(system("cc -shared -fPIC -O2 -ffp-contract=off -fno-math-errno "
                            "-ffinite-math-only -fno-signed-zeros -I'" SOURCE_DIR
                            "/include' '" SOURCE_DIR "/examples/own_component.c' -o own.so"),
                     0);
    assert_exit(lieder("simulate own.mo --load own.so --solver rk4 --step 1e-3 --stop-time 1 "
                       "--record 'joint.s|spring.f' -o own.csv"),
                0);
    Csv c = read_csv("own.csv");
    assert_string_equal(c.header, "\"time\",\"joint.s\",\"spring.f\"");
    /* s = cos(2 t) */
    for (size_t i = 0; i < c.nrow; i++)
        assert_true(fabs(c.values[3 * i + 1] - cos(2 * c.values[3 * i])) < 1e-9);
    drop_csv(&c);
    assert_exit(lieder("check own.mo --load own.so"), 0);
    assert_exit(lieder("show own.mo --load own.so"), 0);
    assert_contains(out, "HardSpring");
    assert_exit(lieder("check own.mo --load own.so --load own.so"), 2);
    assert_contains(err, "exists already");
}

static void test_record(void **state)
{
    (void)state;
    assert_exit(
        lieder(
            "simulate fleet.mo --record 'crab\\[[13]\\]\\.revolute\\.phi' --intervals 4 -o a.csv"),
        0);
    Csv c = read_csv("a.csv");
    assert_string_equal(c.header, "\"time\",\"crab[1].revolute.phi\",\"crab[3].revolute.phi\"");
    assert_int_equal(c.nrow, 5);
    drop_csv(&c);
    assert_exit(lieder("simulate fleet.mo --record 'der\\(.*\\.phi\\)' --intervals 4 -o a.csv"), 0);
    c = read_csv("a.csv");
    assert_int_equal(c.ncolumn, 4);
    drop_csv(&c);
    /* everything there is, in both formats */
    assert_exit(lieder("simulate fleet.mo --record '.*' --intervals 4 -o a.csv"), 0);
    c = read_csv("a.csv");
    assert_true(c.ncolumn > 300);
    for (size_t i = 0; i < c.nrow * c.ncolumn; i++)
        assert_true(isfinite(c.values[i]));
    drop_csv(&c);
    assert_exit(lieder("simulate fleet.mo --record '.*' --intervals 4 -o a.mat"), 0);
    /* a quoted identifier is a name of the text, whatever stands in it */
    write_text("quoted.mo", "model Q\n  Real 'x (y)'(start = 1), 'a\\'b c';\nequation\n"
                            "  der('x (y)') = -'x (y)';\n  'a\\'b c' = 2*'x (y)';\nend Q;\n");
    assert_exit(lieder("simulate quoted.mo --record '.*' --intervals 4 -o a.csv"), 0);
    c = read_csv("a.csv");
    assert_int_equal(c.ncolumn, 4);
    assert_contains(c.header, "\"'x (y)'\"");
    assert_contains(c.header, "\"'a\\'b c'\"");
    drop_csv(&c);
    /* of many states a sample is recorded */
    assert_exit(lieder("simulate fleet.mo --override n=2000 --intervals 4 -o a.csv"), 0);
    assert_contains(err, "8000 states");
    c = read_csv("a.csv");
    assert_contains(c.header, "\"time\",\"crab[1].prismatic.s\",");
    assert_contains(c.header, "\"crab[2000].revolute.w\"");
    assert_int_equal(c.nrow, 5);
    drop_csv(&c);
}

static void test_checkpoint(void **state)
{
    (void)state;
    const char *rest = "--solver rk4 --step 1e-3 --interval 0.1 --quiet";
    assert_exit(lieder("simulate crane.mo --stop-time 2 -o whole.csv %s", rest), 0);
    assert_exit(
        lieder("simulate crane.mo --stop-time 1 -o first.csv --checkpoint half.state %s", rest), 0);
    assert_exit(
        lieder("simulate crane.mo --stop-time 2 -o second.csv --resume half.state %s", rest), 0);
    Csv whole = read_csv("whole.csv"), second = read_csv("second.csv");
    assert_int_equal(second.nrow, 11);
    assert_true(second.values[0] == 1);
    for (size_t i = 0; i < whole.ncolumn; i++)
        assert_true(last_value(&whole, i) == last_value(&second, i));
    drop_csv(&whole);
    drop_csv(&second);
    assert_exit(lieder("simulate crane.mo --resume nowhere.state"), 4);
    assert_contains(err, "nowhere.state");
    assert_exit(lieder("simulate crane.mo --checkpoint nowhere/a.state"), 4);
    write_text("junk.state", "this is no checkpoint at all");
    assert_exit(lieder("simulate crane.mo --resume junk.state -o a.csv"), 4);
    assert_contains(err, "junk.state");
    assert_null(strstr(err, "results up to there")); /* there was no run */
    /* the summary is about this run, not about the one before */
    assert_exit(lieder("simulate crane.mo --stop-time 2 --step 1e-3 -o b.csv --resume half.state"),
                0);
    assert_contains(out, "from 1 to 2 s");
}

static void test_json(void **state)
{
    (void)state;
    assert_exit(lieder("simulate crane.mo --intervals 20 -o a.csv --log-format json"), 0);
    assert_int_equal(assert_json_lines(out), 1);
    assert_string_equal(err, "");
    assert_true(json_member(out, "summary", "rows") == 21);
    assert_true(json_member(out, "summary", "columns") == 8);
    assert_true(json_member(out, "summary", "steps") > 0);
    assert_contains(out, "\"status\":\"done\"");
    assert_contains(out, "\"output\":\"a.csv\"");
    /* errors of every kind */
    assert_exit(lieder("simulate crane.mo --log-format json --frob"), 2);
    assert_int_equal(assert_json_lines(out), 1);
    assert_exit(lieder("simulate --log-format=json 'no\\where\"\t\x01\xff.mo'"), 4);
    assert_int_equal(assert_json_lines(out), 1);
    assert_string_equal(err, "");
    assert_exit(lieder("simulate wrong.mo --log-format json"), 1);
    assert_true(assert_json_lines(out) >= 1);
}

static void test_failures(void **state)
{
    (void)state;
    assert_exit(lieder("simulate wrong.mo"), 1);
    assert_exit(lieder("simulate syntax.mo"), 1);
    assert_exit(lieder("simulate nowhere.mo"), 4);
    assert_exit(lieder("simulate Examples.CraneCrabb"), 1);
    assert_contains(err, "Examples.CraneCrab?");
    assert_exit(lieder("simulate crane.mo -o nowhere/a.csv"), 4);
    assert_contains(err, "nowhere/a.csv");
    assert_exit(lieder("simulate crane.mo -o tcp://127.0.0.1:1"), 4);
    /* a disk that is full */
    assert_int_equal(symlink("/dev/full", "full.csv"), 0);
    assert_exit(lieder("simulate crane.mo -o full.csv"), 4);
    assert_contains(err, "No space left");
    int status = system(PROGRAM " list >/dev/full 2>/dev/null");
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 4);
    /* a step far beyond stability: the rows up to there stay */
    assert_exit(
        lieder("simulate crane.mo --model Small --override spring.c=100 --solver rk1 --step 0.1 "
               "--interval 0.1 --stop-time 100 -o failed.csv"),
        3);
    assert_contains(err, "a step of 0.1 s is not stable"); /* before the run */
    assert_contains(err, "is too long for rk1");           /* in it */
    assert_contains(err, "results up to there");
    Csv c = read_csv("failed.csv");
    assert_true(c.nrow > 1);
    drop_csv(&c);
    /* without mass the cart cannot follow when the rod hangs down: there the motion ends */
    assert_exit(lieder("simulate crane.mo --override crab.cart.m=0 -o ended.csv"), 3);
    assert_contains(err, "at t = 0.302");
    assert_exit(lieder("simulate crane.mo --model Crab"), 1);
    assert_contains(err, "'Crane'");
}

/* Ctrl-C keeps what there is */
static void test_interrupt(void **state)
{
    (void)state;
    interrupt((const char *[]){"simulate", "crane.mo", "--real-time", "--stop-time", "60",
                               "--interval", "0.05", "--solver", "rk4", "--step", "0.001", "-o",
                               "interrupted.csv", NULL});
    assert_contains(err, "interrupted at t = ");
    assert_contains(err, "interrupted.csv");
    Csv c = read_csv("interrupted.csv");
    assert_true(c.nrow > 3 && c.nrow < 60);
    drop_csv(&c);
}

/* ------------------------------------------------------------------ pictures */

static void assert_picture(const char *path, const char *signature)
{
    char *bytes = read_text(path);
    if (strncmp(bytes, signature, strlen(signature)) != 0)
        fail_msg("%s begins with %.8s", path, bytes);
    free(bytes);
}

static void test_plot(void **state)
{
    (void)state;
    assert_exit(lieder("simulate Examples.CraneCrab --stop-time 2 -qo crab.csv"), 0);
    assert_exit(lieder("simulate Examples.CraneCrab --stop-time 2 -qo crab.mat"), 0);
    // the states, with the units that the library knows, by text alone
    assert_exit(lieder("plot crab.csv"), 0);
    assert_contains(out, "prismatic.s / m");
    assert_contains(out, "revolute.w / rad/s");
    assert_contains(out, "time / s");
    assert_null(strstr(out, "der("));
    assert_exit(lieder("plot crab.csv -o crab.svg"), 0);
    assert_contains(out, "crab.svg: 4 curves in 4 panels");
    assert_picture("crab.svg", "<?xml");
    assert_exit(lieder("plot crab.csv crab.mat --y 'rev.*' -qo crab.png"), 0);
    assert_string_equal(out, "");
    assert_picture("crab.png", "\x89PNG");
    assert_exit(lieder("plot crab.mat --x revolute.phi --y revolute.w -o crab.pdf"), 0);
    assert_picture("crab.pdf", "%PDF");
    // names go on after --y, and files are known by their end
    assert_exit(lieder("plot --y prismatic.s revolute.phi crab.csv --script a.gp -o a.svg"), 0);
    char *script = read_text("a.gp");
    assert_contains(script, "set output \"a.svg\"");
    assert_contains(script, "\"prismatic.s / m\"");
    assert_contains(script, "\"revolute.phi / rad\"");
    free(script);
    // one panel by wish; two results with labels
    assert_exit(lieder("plot crab.csv crab.mat --label one --label two --panel --y prismatic.s "
                       "revolute.phi --script a.gp"),
                0);
    assert_contains(out, "4 curves in 1 panel");
    script = read_text("a.gp");
    assert_contains(script, "\"revolute.phi, two\"");
    free(script);
    assert_exit(lieder("plot crab.csv --log-format json -o a.svg"), 0);
    assert_int_equal(assert_json_lines(out), 1);
    assert_true(json_member(out, "picture", "curves") == 4);
}

/* a sweep: the parameter before the time, one run after the other */
static void test_plot_groups(void **state)
{
    (void)state;
    FILE *f = fopen("sweep.csv", "w");
    assert_non_null(f);
    fputs("\"world.TD\",\"time\",\"cart.s\"\n", f);
    for (int run = 0; run < 9; run++)
        for (int i = 0; i < 5; i++)
            fprintf(f, "%g,%d,%d\n", pow(10, -run), i, run + i * i);
    fclose(f);
    assert_exit(lieder("plot sweep.csv -o a.svg --script a.gp"), 0);
    assert_contains(out, "9 curves in 1 panel, from 45 rows");
    char *script = read_text("a.gp");
    assert_contains(script, "set cblabel \"world.TD / s\"");
    assert_contains(script, "set logscale cb");
    free(script);
    assert_exit(lieder("plot sweep.csv --group cart.s --y world.TD --script a.gp"), 0);
    write_text("few.csv", "a,time,x\n1,0,3\n1,1,4\n2,0,3\n2,1,5\n");
    assert_exit(lieder("plot few.csv --script a.gp"), 0);
    script = read_text("a.gp");
    assert_contains(script, "\"a = 1\"");
    assert_contains(script, "\"a = 2\"");
    free(script);
}

static void test_plot_wrong(void **state)
{
    (void)state;
    assert_exit(lieder("simulate Examples.CraneCrab --stop-time 1 -qo crab.csv"), 0);
    write_text("empty.csv", "");
    write_text("head.csv", "time,x\n");
    write_text("nan.csv", "time,x\n0,nan\n1,nan\n");
    static const struct {
        const char *arguments;
        int code;
        const char *message;
    } cases[] = {
        {"plot", 2, "RESULT is missing"},
        {"plot crab.csv --y prismatik.s", 2, "did you mean prismatic.s?"},
        {"plot crab.csv --y zzz", 2, "crab.csv has time, prismatic.s"},
        {"plot crab.csv --x tim", 2, "did you mean time?"},
        {"plot crab.csv --group nothing", 2, "(--group)"},
        {"plot crab.csv -o crab.jpg", 2, ".svg, .png or .pdf"},
        {"plot crab.csv -o crab.gif", 2, ".svg, .png or .pdf"},
        {"plot crab.csv -o /nowhere/a.svg", 4, "the directory does not exist"},
        {"plot crab.csv --script /nowhere/a.gp", 4,
         "cannot write /nowhere/a.gp: the directory does not exist"},
        {"plot nowhere.csv", 4, "No such file"},
        {"plot empty.csv", 4, "is empty"},
        {"plot head.csv", 2, "has no rows"},
        {"plot nan.csv", 4, "nothing to draw"},
        {"plot crane.mo", 2, "is it a file of results?"},
        {"plot crab.csv --from 5", 2, "no rows between"},
        {"plot crab.csv --from 1 --to 0", 2, "is after"},
        {"plot crab.csv --size big", 2, "as in --size 1200x800"},
        {"plot crab.csv --log z", 2, "x, y or xy"},
        {"plot crab.csv --label a --label b", 2, "2 labels, but 1 result"},
        {"draw", 2, "RESULT is missing"},
        {"draw crab.csv", 2, "--model is missing"},
        {"draw crab.csv --model Examples.Chain", 2, "lacks the state"},
        {"draw crab.csv --model nowhere.mo", 4, "cannot read nowhere.mo"},
        {"draw crab.csv --model crane.mo:Nothing", 1, "Nothing"},
        {"draw nowhere.csv --model Examples.CraneCrab", 4, "No such file"},
        {"draw head.csv --model Examples.CraneCrab", 2, "lacks the state"},
        {"draw crab.csv --model Examples.CraneCrab --from 7", 2, "no rows in that time"},
        {"draw crab.csv --model Examples.CraneCrab -o a.gif", 2, "--animate makes a .gif"},
        {"draw crab.csv --model Examples.CraneCrab --animate -o a.png", 2, ".svg or .gif"},
        {"draw crab.csv --model Examples.CraneCrab --animate -o /nowhere/a.svg", 4, "directory"},
        {"draw Examples.CraneCrab --diagram -o a.png", 2, "a diagram is an .svg"},
        {"draw Examples.CraneCrab --diagram --animate", 2, "no motion"},
        {"draw Examples.CraneCrab --diagram --from 1", 2, "no motion"},
        {"draw nowhere.mo --diagram", 4, "nowhere.mo"},
        {"draw Examples.CraneCrab --diagram -o /nowhere/a.svg", 4, "directory"},
        {"draw crab.csv --model Examples.CraneCrab --speed 0", 2, "greater than zero"},
        {"draw crab.csv --model Examples.CraneCrab --frames 100000", 2, "goes up to"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int code = lieder("%s", cases[i].arguments);
        if (code != cases[i].code)
            fail_msg("lieder %s: exit code %d\n%s%s", cases[i].arguments, code, out, err);
        assert_contains(err, cases[i].message);
    }
}

/* any text is a title, and none is a command */
static void test_titles(void **state)
{
    (void)state;
    static const char *const titles[] = {"it's",
                                         "'",
                                         "''",
                                         "'''a",
                                         "a''",
                                         "\"",
                                         "a\\",
                                         "\\140 \\n",
                                         "`touch X`",
                                         "$x @y %d",
                                         "{/Symbol a}",
                                         "a\nb",
                                         "'; system('touch X'); '"};
    assert_exit(lieder("simulate crane.mo -o t.csv"), 0);
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        setenv("TITLE", titles[i], 1);
        assert_exit(lieder("plot t.csv --title \"$TITLE\" --label \"$TITLE\" -o t.svg"), 0);
        assert_exit(lieder("plot t.csv --title \"$TITLE\""), 0);
        if (i % IN_FULL(1, 4) == 0)
            assert_exit(lieder("draw t.csv --model crane.mo --title \"$TITLE\" -o t.png"), 0);
    }
    assert_int_equal(access("X", F_OK), -1);
    unsetenv("TITLE");
    assert_exit(lieder("plot t.csv --title \"say 'hi' to \\\"all\\\"\" -o t.svg"), 0);
    char *text = read_text("t.svg");
    assert_contains(text, "say 'hi' to \"all\"");
    free(text);
}

/* FOLDER:NAME as well as FILE.mo:NAME; a member that cannot be made says nothing about structure */
static void test_folder_of_models(void **state)
{
    (void)state;
    assert_int_equal(mkdir("Pkg", 0755), 0);
    write_text("Pkg/package.mo", "package Pkg\nend Pkg;\n");
    write_text("Pkg/A.mo", "within Pkg;\nmodel A\n  Dialectic.Examples.CraneCrab crab;\nend A;\n");
    write_text("Pkg/B.mo", "within Pkg;\nmodel B\n  Dialectic.Examples.CraneCrab other;\nend B;\n");
    assert_exit(lieder("simulate Pkg --model Pkg.A -o p.csv"), 0);
    assert_exit(lieder("draw p.csv --model Pkg:Pkg.A"), 0);
    assert_exit(lieder("draw p.csv --model ./Pkg/:Pkg.A"), 0);
    assert_exit(lieder("draw p.csv --model Pkg:Pkg.B"), 2);
    assert_contains(err, "lacks the state other");
    assert_exit(lieder("draw p.csv --model Pkg:Pkg.C"), 1);
    assert_int_not_equal(lieder("draw p.csv --model Nothing:Pkg.A"), 0);

    assert_exit(lieder("sweep crane.mo --model Small --vary body.m=-1,1 -o p.csv"), 3);
    assert_contains(err, "must be");
    assert_null(strstr(out, "changes the structure"));
    assert_exit(lieder("sweep fleet.mo --vary n=1,2 -o p.csv"), 0);
    assert_contains(out, "changes the structure");
}

static void test_draw(void **state)
{
    (void)state;
    assert_exit(lieder("simulate Examples.CraneCrab --stop-time 2 -qo crab.csv"), 0);
    assert_exit(lieder("draw crab.csv --model Examples.CraneCrab"), 0);
    assert_contains(out, "crab_motion.svg: 9 frames from 0 to 2 s");
    assert_picture("crab_motion.svg", "<?xml");
    assert_exit(lieder("draw crab.csv --model Examples.CraneCrab --frames 3 --to 1 -o a.png"), 0);
    assert_picture("a.png", "\x89PNG");
    // two bodies, a rod, a joint, a slider: circles and lines that move
    assert_exit(lieder("draw crab.csv --model Examples.CraneCrab --animate -o a.svg"), 0);
    assert_contains(out, "shown in 3 s");
    char *svg = read_text("a.svg");
    assert_contains(svg, "attributeName='cx'");
    assert_contains(svg, "attributeName='points'");
    free(svg);
    // the model of a file by its name, and nothing to see in a circuit
    assert_exit(lieder("simulate crane.mo --model Crane -qo b.mat"), 0);
    assert_exit(lieder("draw b.mat --model crane.mo:Crane -qo b.pdf"), 0);
    assert_picture("b.pdf", "%PDF");
    assert_exit(lieder("simulate " SOURCE_DIR "/models/circuit.mo -qo c.csv"), 0);
    assert_exit(lieder("draw c.csv --model " SOURCE_DIR "/models/circuit.mo"), 1);
    assert_contains(err, "nothing that could be drawn");
    // one dimension: in rows; a thread in the plane
    assert_exit(lieder("simulate " SOURCE_DIR "/models/papers/000/two_masses.mo -qo d.csv"), 0);
    assert_exit(
        lieder("draw d.csv --model " SOURCE_DIR "/models/papers/000/two_masses.mo -o d.svg"), 0);
    assert_exit(lieder("simulate " SOURCE_DIR "/models/papers/001/thread_pendulum.mo -qo e.csv"),
                0);
    assert_exit(lieder("draw e.csv --model " SOURCE_DIR
                       "/models/papers/001/thread_pendulum.mo --animate -o "
                       "e.gif"),
                0);
    assert_picture("e.gif", "GIF89a");
}

/* from text to result; far above the 50 ms that are promised for a quiet machine */
static void test_start_up(void **state)
{
    (void)state;
    double best = INFINITY;
    for (int i = 0; i < 5; i++) {
        struct timespec a, b;
        clock_gettime(CLOCK_MONOTONIC, &a);
        assert_exit(lieder("simulate crane.mo --model Small -qo a.csv"), 0);
        clock_gettime(CLOCK_MONOTONIC, &b);
        double seconds = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
        best = seconds < best ? seconds : best;
    }
    if (best > 0.5)
        fail_msg("a small model takes %g s", best);
}

/* ------------------------------------------------------------------ what a model says of a run */

static const char disc[] = SOURCE_DIR "/models/papers/phenomena/hard_contact.mo";

/* solver and step of the annotation, unless the command line has its own */
static void test_annotated_solver(void **state)
{
    (void)state;
    static const struct {
        const char *options, *solver;
        double step; /* 0: any */
    } cases[] = {{"", "rk3", 1e-3},
                 {"--step 5e-4", "rk3", 5e-4},
                 {"--solver rk4", "rk4", 5e-5}, /* a hundredth of the interval */
                 {"--solver rk4 --step 1e-3", "rk4", 1e-3},
                 {"--solver bdf --chatter hold", "bdf", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char wanted[64];
        assert_exit(lieder("simulate %s --log-format json -o d.csv %s", disc, cases[i].options), 0);
        snprintf(wanted, sizeof wanted, "\"solver\":\"%s\"", cases[i].solver);
        assert_contains(out, wanted);
        snprintf(wanted, sizeof wanted, "\"steps\":%.0f,", 1.5 / cases[i].step);
        if (cases[i].step > 0)
            assert_contains(out, wanted);
    }
    assert_exit(lieder("show %s", disc), 0);
    assert_contains(out, "Annotated  stop 1.5, interval 0.005, step 0.001, solver rk3");
    /* the disc rests on the floor: adaptive steps meet one event after the other */
    assert_exit(lieder("simulate %s --solver bdf -o d.csv", disc), 0);
    assert_exit(lieder("simulate %s --solver bdf --chatter stop -o d.csv", disc), 3);
    assert_contains(err, "--chatter hold");
    assert_exit(lieder("simulate %s --solver bdf --chatter hold -o d.csv", disc), 0);
    assert_contains(err, "held at its surface");
}

/* every model that we ship runs with nothing but its name, in brief every third one */
static size_t models_seen, models_run;
static int run_model(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)place;
    size_t n = strlen(path);
    if (kind != FTW_F || n < 4 || strcmp(path + n - 3, ".mo") != 0)
        return 0;
    if (models_seen++ % IN_FULL(1, 3) != 0)
        return 0;
    int code = lieder("simulate %s -o model.csv", path);
    if (code != 0)
        fail_msg("lieder simulate %s ends with %d: %s", path, code, err);
    models_run++;
    return 0;
}

static void test_all_models(void **state)
{
    (void)state;
    assert_int_equal(nftw(SOURCE_DIR "/models", run_model, 8, FTW_PHYS), 0);
    assert_true(models_seen >= 50 && models_run >= IN_FULL(50, 16));
}

/* a variable that no state depends on, and that is no number: never with exit code 0 */
static void test_not_finite(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"model A Real x(start = 1, fixed = true), y; equation der(x) = -1; y = sqrt(x); "
         "annotation(experiment(StopTime = 2)); end A;\n",
         "y: is no number at t = 1.00"},
        {"model A Real x(start = 1, fixed = true), y(start = 1); equation der(x) = -1; y^2 = x; "
         "annotation(experiment(StopTime = 2)); end A;\n",
         "1 nonlinear equation(s) are not solved at t = 1.00"},
        {"model A Real x(start = 1, fixed = true), y; equation der(x) = 0; y = 1/(x - 1); end A;\n",
         "y: is infinite at t = 0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text("not_finite.mo", cases[i].text);
        assert_exit(lieder("simulate not_finite.mo --record '.*' -o not_finite.csv"), 3);
        assert_contains(err, cases[i].message);
        assert_exit(lieder("simulate not_finite.mo --record x -o not_finite.csv"), 0);
        assert_exit(lieder("sweep not_finite.mo --vary x=1,0.5 --record y -o not_finite.csv"), 3);
    }
}

/* What the model itself declares is recorded without being asked for; what the compiler adds
 * (relations, conditions, pre) only where a pattern names it. */
static void test_own_variables(void **state)
{
    (void)state;
    write_text("own.mo",
               "model A Real x(start = 1, fixed = true); Boolean b(start = false, fixed = "
               "true); Real y = 2 * x; Real l[3] = linspace(0, x, 3);\n"
               "equation der(x) = -x; b = x < 0.5 or pre(b); end A;\n");
    assert_exit(lieder("simulate own.mo -o own.csv"), 0);
    char *csv = read_text("own.csv");
    assert_contains(csv, "\"time\",\"x\",\"der(x)\",\"b\",\"y\",\"l[1]\",\"l[2]\",\"l[3]\"\n");
    assert_exit(lieder("simulate own.mo --record '.*' -o own.csv"), 0);
    free(csv);
    csv = read_text("own.csv");
    assert_contains(csv, "\"b\"");
    assert_null(strstr(csv, "relation"));
    free(csv);
    assert_exit(lieder("show own.mo --record 'rel.*'"), 0);
    assert_contains(out, "relation 1 (line 2)");
    write_text("own.mo", "model A Real x[1500](each start = 1, each fixed = true); equation der(x) "
                         "= -x; end A;\n");
    assert_exit(lieder("simulate own.mo --solver rk4 --step 0.1 --stop-time 0.1 -o own.csv"), 0);
    assert_contains(err, "the model has 1500 states: 100 variables are recorded");
    csv = read_text("own.csv");
    assert_contains(csv, "\"time\",\"x[1]\",");
    assert_contains(csv, ",\"x[1500]\"\n");
    free(csv);
}

/* an override of what is no attribute, of a component, or of what is not there is never ignored */
static void test_override_attributes(void **state)
{
    (void)state;
    write_text("attribute.mo", "model A Real x(start = 1); equation der(x) = -x; end A;\n");
    assert_exit(
        lieder("simulate attribute.mo --override x.start=2 --override x.nominal=3 -o a.csv"), 0);
    assert_exit(lieder("simulate attribute.mo --override x.nominel=2 -o a.csv"), 1);
    assert_contains(err, "'x' has no attribute 'nominel'");
    assert_exit(lieder("simulate attribute.mo --override x.start.z=2 -o a.csv"), 1);
    assert_contains(err, "no attribute");
    static const char *const cases[][2] = {
        {"z.unit=3", "attribute unit of 'z' must be of type String"},
        {"z.quantity=foo", "there is no 'foo'"},
        {"z.stateSelect=1", "must be a literal of StateSelect"},
        {"p.x.displayUnit=2", "attribute displayUnit of 'x' must be of type String"},
        {"p=3", "'p' is a component and cannot be given a value"},
        {"p[1].x=3", "'p' is no array and has no index"},
        {"r=3", "this is no 'R' and gives its fields no values"},
        {"absent.x=3", "'absent' is absent by its condition"},
        {"w=3", "'w' is absent by its condition"},
        {"none.x=3", "'none' is an array without elements"},
    };
    write_text("beside.mo",
               "package B\n"
               "record R parameter Real a = 1; end R;\n"
               "model P parameter Real x = 1; Real y; equation der(y) = x; end P;\n"
               "model M P p; parameter R r; P absent if false; Real w if false; P none[0]; Real z; "
               "equation der(z) = p.y + r.a; end M;\n"
               "end B;\n");
    assert_exit(lieder("simulate beside.mo --override z.stateSelect=StateSelect.prefer "
                       "--override 'r=B.R(a=2)' -o a.csv"),
                0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_exit(lieder("simulate beside.mo --override '%s' -o a.csv", cases[i][0]), 1);
        assert_contains(err, cases[i][1]);
    }
}

/* start values of single elements are theirs alone, of arrays of variables and of components */
static void test_override_elements(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"x[2].start=3", "0,1,3,1,2,2,2,2"}, {"x[2]=3", "0,1,3,1,2,2,2,2"},
        {"x.start=3", "0,3,3,3,2,2,2,2"},    {"c[2].y.start=7", "0,1,1,1,2,2,7,2"},
        {"c[2].y=7", "0,1,1,1,2,2,7,2"},     {"c[1].z[1].start=5", "0,1,1,1,2,5,2,2"},
        {"c[1].z[1]=5", "0,1,1,1,2,5,2,2"},
    };
    write_text(
        "elements.mo",
        "package P\n"
        "model C Real y(start = 2), z[1](each start = 2); equation der(y) = 0; der(z) = {0}; "
        "end C;\n"
        "model A Real x[3](each start = 1); C c[2]; equation der(x) = zeros(3); end A;\n"
        "end P;\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_exit(lieder("simulate elements.mo --model P.A --stop-time 1 --record "
                           "'x.*|c.1..[yz].*|c.2..[yz].*' --override '%s' -o e.csv",
                           cases[i][0]),
                    0);
        char *text = read_text("e.csv");
        assert_contains(text, cases[i][1]);
        free(text);
    }
    assert_exit(lieder("simulate elements.mo --model P.A --override 'c[2].y.max=1' -o e.csv"), 1);
    assert_contains(err, "of one element of 'y', but the others have none");
    assert_exit(lieder("simulate elements.mo --model P.A --override 'x[2].nominal=3' -o e.csv"), 1);
    assert_contains(err, "of one element of 'x'");
    assert_exit(lieder("simulate elements.mo --model P.A --override 'x[4].start=3' -o e.csv"), 1);
    assert_contains(err, "index 4 of 'x' is outside 1 ... 3");
}

/* a model of components alone, without states: their variables are recorded, not nothing */
static void test_components_recorded(void **state)
{
    (void)state;
    write_text("components.mo", "package P model A Real y = 2*time; end A; model M A a, b[2]; "
                                "end M; end P;\n");
    assert_exit(lieder("simulate components.mo --model P.M -o components.csv"), 0);
    assert_contains(out, "501 rows of time and 3 variables");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_help),
        cmocka_unit_test(test_usage),
        cmocka_unit_test(test_documents),
        cmocka_unit_test(test_library),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_show),
        cmocka_unit_test(test_show_cells),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_override),
        cmocka_unit_test(test_record),
        cmocka_unit_test(test_two_indices),
        cmocka_unit_test(test_load),
        cmocka_unit_test(test_checkpoint),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_plot),
        cmocka_unit_test(test_plot_groups),
        cmocka_unit_test(test_plot_wrong),
        cmocka_unit_test(test_draw),
        cmocka_unit_test(test_start_up),
        cmocka_unit_test(test_eigen),
        cmocka_unit_test(test_stable_steps),
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_stability),
        cmocka_unit_test(test_compare),
        cmocka_unit_test(test_annotated_solver),
        cmocka_unit_test(test_all_models),
        cmocka_unit_test(test_completions),
        cmocka_unit_test(test_documented_solvers),
        cmocka_unit_test(test_show_states),
        cmocka_unit_test(test_groups_that_are_alike),
        cmocka_unit_test(test_own_parameters),
        cmocka_unit_test(test_not_finite),
        cmocka_unit_test(test_own_variables),
        cmocka_unit_test(test_override_attributes),
        cmocka_unit_test(test_override_elements),
        cmocka_unit_test(test_titles),
        cmocka_unit_test(test_folder_of_models),
        cmocka_unit_test(test_components_recorded),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
