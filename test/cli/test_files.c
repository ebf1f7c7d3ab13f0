/* test_files.c - the program and its files: nothing that exists is lost, no two files are one, what
 * is no ordinary file stays what it is, signals and full disks leave whole lines. */
#include <fcntl.h>
#include <dirent.h>

#include "help/program.h"

static const char oscillator[] = "model Oscillator\n"
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
                                 "end Oscillator;\n";

static int set_up(void **state)
{
    (void)state;
    if (!enter_folder())
        return -1;
    write_text("o.mo", oscillator);
    write_text("crane.mo", "model Crane\n  Dialectic.Examples.CraneCrab crab;\nend Crane;\n");
    return 0;
}

/* ------------------------------------------------------------------ nothing is lost */

static void shell(const char *command)
{
    int status = system(command);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("%s: %d", command, status);
}

static size_t count_hidden(void)
{
    DIR *d = opendir(".");
    size_t n = 0;
    for (struct dirent *e; (e = readdir(d));)
        n += e->d_name[0] == '.' && strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(d);
    return n;
}

/* a run that does not begin leaves the results of the run before as they were */
static void failing_runs_keep_old_results(void **state)
{
    (void)state;
    static const char *const failing[] = {
        "simulate crane.mo -o r.csv --resume s.state",
        "simulate o.mo -o r.csv --resume s.state --stop-time 1",
        "simulate o.mo -o r.csv --resume o.mo",
        "simulate o.mo -o r.csv --record nothing",
        "simulate o.mo -o r.csv --override body.m=-1",
        "simulate o.mo -o r.csv --checkpoint nowhere/s",
        "simulate nothing.mo -o r.csv",
        "sweep o.mo -o r.csv --vary body.nothing=1,2",
        "sweep o.mo -o r.csv --vary body.m=1,2 --record nothing",
        "simulate crane.mo -o r.mat --resume s.state",
        "simulate o.mo -o r.mat --resume s.state --stop-time 1",
    };
    assert_exit(lieder("simulate o.mo -o r.csv --checkpoint s.state"), 0);
    assert_contains(out, "s.state, of t = 2 s");
    assert_exit(lieder("simulate o.mo -o r.mat"), 0);
    shell("cp r.csv kept.csv && cp r.mat kept.mat");
    for (size_t i = 0; i < sizeof failing / sizeof *failing; i++) {
        int code = lieder("%s", failing[i]);
        if (code == 0)
            fail_msg("lieder %s: exit code 0", failing[i]);
        shell("cmp r.csv kept.csv && cmp r.mat kept.mat");
    }
    assert_int_equal(count_hidden(), 0);
}

/* an empty file is a file, and a wrong model no reason to remove it */
static void empty_files_stay(void **state)
{
    (void)state;
    write_text("empty", "");
    assert_exit(lieder("simulate nothing.mo --checkpoint empty"), 4);
    assert_int_equal(access("empty", F_OK), 0);
    assert_exit(lieder("simulate o.mo --checkpoint fresh --override body.m=-1"), 1);
    assert_int_equal(access("fresh", F_OK), -1);
}

/* ------------------------------------------------------------------ FMUs of a model */

/* beside the .mo file, in a process of their own or inside */
static void fmus_run_beside_and_inside(void **state)
{
    (void)state;
    write_text("lag.mo",
               "model Lag input Real u; output Real y; parameter Real T = 1; Real x(start = 1); "
               "equation T*der(x) = u - x; y = x; end Lag;");
    write_text("loop.mo",
               "model Loop FMU lag(file = \"lag.fmu\", T = 0.5); Signals.Gain gain(k = -2); "
               "equation connect(lag.y, gain.u); connect(gain.y, lag.u); end Loop;");
    assert_exit(lieder("export lag.mo -o lag.fmu --step 1e-2"), 0);
    assert_exit(lieder("simulate loop.mo --stop-time 1 --step 0.1 --interval 0.1 -o beside.csv"),
                0);
    assert_exit(
        lieder("simulate loop.mo --stop-time 1 --step 0.1 --interval 0.1 --fmus-inside -o in.csv"),
        0);
    shell("cmp beside.csv in.csv");
    /* rows need points of communication */
    assert_exit(lieder("simulate loop.mo --stop-time 1 --step 0.5 --interval 0.1 -o short.csv"), 0);
    assert_contains(err, "the step of 0.5 s is not taken");
    shell("cmp beside.csv short.csv");
}

/* ------------------------------------------------------------------ one file by two names */

static void same_files_are_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "simulate o.mo -o a.csv --checkpoint a.csv",
        "simulate o.mo -o a.csv --checkpoint ./a.csv",
        "simulate o.mo -o new.csv --checkpoint ./new.csv",
        "simulate o.mo -o a.csv --checkpoint hard.csv",
        "simulate o.mo -o soft.csv --checkpoint hard.csv",
        "simulate o.mo --resume a.csv -o a.csv",
        "simulate o.mo --resume hard.csv -o soft.csv",
        "simulate model.csv -o model.csv",
        "simulate model.csv -o ./model.csv",
        "simulate o.mo --checkpoint o.mo",
        "simulate o.mo --checkpoint ./o.mo -o b.csv",
        "simulate Oscillator_result.csv",
        "sweep model.csv --vary body.m=1,2 -o model.csv",
        "eigen model.mat -o model.mat",
        "plot a.csv --script a.csv",
        "plot a.csv --script hard.csv",
        "plot a.csv -o p.svg --script p.svg",
        "plot picture.svg -o picture.svg",
        "draw picture.svg --model o.mo -o picture.svg",
        "draw a.csv --model model.svg -o model.svg",
        "draw a.csv --model model.svg:Oscillator -o ./model.svg",
        "simulate o.mo --checkpoint stdout.txt",
        "simulate o.mo --checkpoint /dev/stdout",
        "export o.mo -o /proc/self/fd/2",
    };
    assert_exit(lieder("simulate o.mo -o a.csv"), 0);
    shell("ln a.csv hard.csv && ln -s hard.csv soft.csv && cp o.mo model.csv && cp o.mo model.mat "
          "&& cp o.mo model.svg && cp o.mo Oscillator_result.csv && cp a.csv picture.svg && "
          "cp a.csv kept.csv && cp o.mo kept.mo");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int code = lieder("%s", cases[i]);
        if (code != 2)
            fail_msg("lieder %s: exit code %d\n%s", cases[i], code, err);
        assert_contains(err, "are the same file");
        shell("cmp a.csv kept.csv && cmp picture.svg kept.csv && cmp o.mo kept.mo && "
              "cmp model.csv kept.mo && cmp model.mat kept.mo && cmp model.svg kept.mo && "
              "cmp Oscillator_result.csv kept.mo");
    }
    // a checkpoint goes on in the file that it came from
    assert_exit(lieder("simulate o.mo -o b.csv --checkpoint roll"), 0);
    assert_exit(lieder("simulate o.mo -o b.csv --checkpoint roll --resume roll --stop-time 3"), 0);
    assert_contains(out, "roll, of t = 3 s");
}

/* names are as long as they are */
static void long_names_are_kept(void **state)
{
    (void)state;
    char path[1600] = "";
    for (int i = 0; i < 300; i++)
        strcat(path, "././");
    strcat(path, "long.csv_v2.csv");
    assert_exit(lieder("simulate o.mo -o %s", path), 0);
    assert_int_equal(access("long.csv_v2.csv", F_OK), 0);
    assert_int_equal(access("long.csv", F_OK), -1);
    assert_exit(lieder("plot %s -o %s.svg", "long.csv_v2.csv", path), 0);
    assert_int_equal(access("long.csv_v2.csv.svg", F_OK), 0);
    shell("rm long.csv_v2.csv");
    assert_exit(lieder("sweep o.mo --vary body.m=1,2 -o %s", path), 0);
    assert_int_equal(access("long.csv_v2.csv", F_OK), 0);
    assert_exit(lieder("simulate o.mo --checkpoint %s.s", path), 0);
    assert_int_equal(access("long.csv_v2.csv.s", F_OK), 0);

    // longer than a name may be: refused, and nothing is written under another one
    char name[400];
    memset(name, 'n', sizeof name);
    strcpy(name + 300, ".csv");
    assert_exit(lieder("simulate o.mo -o %s", name), 4);
    assert_contains(err, "too long");
}

/* ------------------------------------------------------------------ devices, pipes, links */

static bool is_kind(const char *path, mode_t kind)
{
    struct stat st;
    return lstat(path, &st) == 0 && (st.st_mode & S_IFMT) == kind;
}

static void devices_stay_devices(void **state)
{
    (void)state;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    shell("ln -s /dev/null null.csv && ln -s /dev/null null.mat && ln -s /dev/null null.svg");
    assert_exit(lieder("simulate o.mo --checkpoint /dev/null"), 4);
    assert_contains(err, "not a regular file");
    assert_true(is_kind("/dev/null", S_IFCHR));
    assert_exit(lieder("simulate o.mo --checkpoint pipe"), 4);
    assert_exit(lieder("simulate o.mo --resume pipe"), 4);
    assert_exit(lieder("simulate o.mo --resume /dev/zero"), 4);
    assert_exit(lieder("simulate o.mo -o null.csv"), 0);
    assert_exit(lieder("simulate o.mo -o null.mat"), 4);
    assert_exit(lieder("simulate o.mo -o /dev/stdout"), 2);
    assert_exit(lieder("eigen o.mo -o null.mat"), 0);
    assert_exit(lieder("simulate o.mo -o a.csv"), 0);
    assert_exit(lieder("plot a.csv -o null.svg"), 0);
    assert_exit(lieder("plot pipe"), 4);
    assert_exit(lieder("plot /dev/zero"), 4);
    assert_true(is_kind("/dev/null", S_IFCHR) && is_kind("pipe", S_IFIFO));

    // a pipe with a reader gets all rows
    shell("mkfifo p.csv; " PROGRAM " simulate o.mo -q -o p.csv & "
          "cat p.csv > got.csv && wait && cmp got.csv a.csv");
}

/* links that somebody planted under likely names of temporary files */
static void planted_links_are_not_followed(void **state)
{
    (void)state;
    write_text("victim", "precious");
    shell("for f in c a.csv a.mat a.svg a.json; do ln -sf victim $f.part; "
          "ln -sf victim $f.tmp; ln -sf victim .$f.part; done");
    assert_exit(lieder("simulate o.mo -o a.csv --checkpoint c"), 0);
    assert_exit(lieder("simulate o.mo -o a.mat"), 0);
    assert_exit(lieder("plot a.csv -o a.svg"), 0);
    assert_exit(lieder("eigen o.mo -o a.json"), 0);
    char *text = read_text("victim");
    assert_string_equal(text, "precious");
    free(text);
    assert_true(is_kind("c.part", S_IFLNK) && is_kind("a.svg.part", S_IFLNK));
}

/* ------------------------------------------------------------------ signals, limits, full disks */

/* every line has its end and as many fields as the first */
static size_t assert_whole_lines(const char *path)
{
    char *text = read_text(path), *line = text;
    size_t n = 0, ncomma = 0;
    for (char *end; *line; line = end + 1, n++) {
        end = strchr(line, '\n');
        if (!end)
            fail_msg("the last line of %s is torn: %s", path, line);
        size_t k = 0;
        for (char *c = line; c < end; c++)
            k += *c == ',';
        ncomma = n == 0 ? k : ncomma;
        assert_int_equal(k, ncomma);
    }
    free(text);
    return n;
}

/* a signal after a second; the exit code */
static int run_and_signal(int number, const char *const *arguments)
{
    pid_t child = fork();
    if (child == 0) {
        if (freopen("stdout.txt", "w", stdout) && freopen("stderr.txt", "w", stderr))
            execv(PROGRAM, (char *const *)arguments);
        _exit(99);
    }
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    kill(child, number);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    free(out);
    free(err);
    out = read_text("stdout.txt");
    err = read_text("stderr.txt");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* the terminal goes away: the run ends with its results and a checkpoint */
static void hangup_leaves_a_checkpoint(void **state)
{
    (void)state;
    static const char *const arguments[] = {
        "lieder", "simulate", "o.mo", "--stop-time", "1e9",   "--interval",   "1",       "--solver",
        "rk4",    "--step",   "1e-2", "-o",          "h.csv", "--checkpoint", "h.state", NULL};
    for (size_t i = 0; i < 3; i++) {
        remove("h.state");
        assert_int_equal(run_and_signal((int[]){SIGHUP, SIGTERM, SIGINT}[i], arguments), 130);
        assert_contains(out, "h.state, of t = ");
        assert_int_equal(access("h.state", F_OK), 0);
        assert_true(assert_whole_lines("h.csv") > 2);
    }
    assert_exit(lieder("simulate o.mo --resume h.state --stop-time 1"), 2);
    assert_contains(err, "after the stop time");
}

/* ------------------------------------------------------------------ children */

static double wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* is one of the processes alive whose numbers the file has, a line each? Zombies are dead. */
static bool any_alive(const char *path)
{
    char *text = read_text(path), *at = text;
    bool alive = false;
    for (long pid; (pid = strtol(at, &at, 10)) > 0;) {
        char stat[64], line[512] = "";
        snprintf(stat, sizeof stat, "/proc/%ld/stat", pid);
        FILE *f = fopen(stat, "r");
        if (f && fgets(line, sizeof line, f))
            alive |= !strstr(line, ") Z");
        if (f)
            fclose(f);
    }
    free(text);
    return alive;
}

static void assert_children_end(const char *path)
{
    for (int i = 0; i < 100 && any_alive(path); i++)
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    assert_false(any_alive(path));
}

/* A class whose evaluation does not come back after a while, as one factorisation of a huge matrix
 * would: the run is ended in its place, within a second, and what it had written is there. */
static void steps_without_end_are_ended(void **state)
{
    (void)state;
    static const char text[] =
        "#include <unistd.h>\n"
        "#include <lieder/component.h>\n"
        "typedef struct Sleeper { real x, dx; } Sleeper;\n"
        "static inline void sleeper_explicit(Sleeper *c, Signal *y, Call call) {\n"
        "  static long count;\n"
        "  if (++count > 20000) sleep(1000);\n"
        "  (void)call; c->dx = -c->x; y->y = c->x; }\n"
        "#define CLASS Sleeper\n"
        "#define PORTS(X) X(0, OUT, Signal)\n"
        "#define EXPLICIT sleeper_explicit\n"
        "#include <lieder/kernels.inc>\n"
        "static const LiederPortDef ports[] = {PORT_OUTPUT(\"y\", \"\")};\n"
        "static const LiederMember members[] = {STATE(Sleeper, x, dx, \"\", 1, \"\")};\n"
        "static const LiederClassDef sleeper = {.name = \"Sleeper\", .text = \"\", .nport = 1,\n"
        "  .ports = ports, .nmember = 1, .members = members, .kernels = &Sleeper_kernels};\n"
        "LIEDER_EXTENSION(&sleeper);\n";
    static const char *const runs[][20] = {
        {"lieder", "simulate", "sleeper.mo", "--load", "./sleeper.so", "--solver", "rk1", "--step",
         "1e-4", "--interval", "0.01", "--stop-time", "1000", "--compile", "never", "-o",
         "sleeper.csv", NULL},
        {"lieder",   "sweep",     "sleeper.mo", "--load", "./sleeper.so", "--vary", "s.x=1,2",
         "--solver", "rk1",       "--step",     "1e-4",   "--interval",   "0.01",   "--stop-time",
         "1000",     "--threads", "1",          "-o",     "sleepers.csv", NULL}};
    if (system("command -v cc > /dev/null") != 0)
        skip();
    write_text("sleeper.c", text);
    write_text("sleeper.mo", "model M Sleeper s; end M;\n");
    assert_int_equal(system("cc -shared -fPIC -O2 -ffp-contract=off -fno-math-errno "
                            "-ffinite-math-only -fno-signed-zeros -I'" SOURCE_DIR
                            "/include' sleeper.c -o sleeper.so"),
                     0);
    for (size_t i = 0; i < 2; i++) {
        double start = wall();
        assert_int_equal(run_and_signal(SIGINT, runs[i]), 130);
        assert_true(wall() - start < 1 + 1.5); /* the signal comes after one second */
        char *said = read_text("stderr.txt");
        assert_contains(said, i ? "interrupted after 0 of 2 members" : "in a step that takes long");
        free(said);
    }
    Csv c = read_csv("sleeper.csv");
    assert_true(c.nrow > 10 && fabs(last_value(&c, 1) - exp(-last_value(&c, 0))) < 1e-3);
    drop_csv(&c);
}

/* a compiler that hangs, deaf to signals, and has a child that hangs as well */
static void hanging_compilers_end_with_us(void **state)
{
    (void)state;
    static const char *const runs[][16] = {
        {"lieder", "simulate", "o.mo", "--compile", "always", "-o", "hang.csv", NULL},
        {"lieder", "simulate", "o.mo", "--stop-time", "1e9", "--interval", "1", "--solver", "rk4",
         "--step", "1e-2", "-o", "hang.csv", NULL},
        {"lieder", "sweep", "o.mo", "--vary", "body.m=1,2", "--compile", "always", "-o", "hang.csv",
         NULL},
    };
    write_text("cc", "#!/bin/sh\ntrap '' INT TERM HUP\necho $$ >> pids\nsleep 300 &\n"
                     "echo $! >> pids\nwait\n");
    assert_int_equal(chmod("cc", 0755), 0);
    char path[300];
    snprintf(path, sizeof path, "%s/cc", folder);
    setenv("LIEDER_CC", path, 1);
    snprintf(path, sizeof path, "%s/cache", folder);
    setenv("LIEDER_CACHE", path, 1);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        write_text("pids", "");
        write_text("hang.csv", "old");
        double start = wall();
        assert_int_equal(run_and_signal(SIGINT, runs[i]), 130);
        assert_true(wall() - start < 1 + 1.5); /* the signal comes after one second */
        char *pids = read_text("pids");
        assert_true(strlen(pids) > 2); /* there was a compiler */
        free(pids);
        assert_children_end("pids");
        if (i != 1) { /* no row yet: what was there is there */
            char *text = read_text("hang.csv");
            assert_string_equal(text, "old");
            free(text);
        }
    }
    /* the compiler itself ends with us however we end */
    write_text("cc", "#!/bin/sh\necho $$ >> pids\nexec sleep 300\n");
    write_text("pids", "");
    assert_int_equal(run_and_signal(SIGKILL, runs[0]), -SIGKILL);
    char *pids = read_text("pids");
    assert_true(strlen(pids) > 1);
    free(pids);
    assert_children_end("pids");
    unsetenv("LIEDER_CC");
    unsetenv("LIEDER_CACHE");
}

/* a gnuplot that hangs ends with us, and leaves neither a picture nor a part of one */
static void hanging_gnuplot_ends_with_us(void **state)
{
    (void)state;
    static const char *const run[] = {"lieder", "plot", "g.csv", "-o", "g.png", NULL};
    assert_exit(lieder("simulate o.mo -o g.csv"), 0);
    assert_int_equal(mkdir("bin", 0755), 0);
    write_text("bin/gnuplot", "#!/bin/sh\necho $$ >> pids\nexec sleep 300\n");
    assert_int_equal(chmod("bin/gnuplot", 0755), 0);
    char *before = strdup(getenv("PATH")), path[4096];
    snprintf(path, sizeof path, "%s/bin:%s", folder, before);
    setenv("PATH", path, 1);
    write_text("pids", "");
    write_text("g.png", "old");
    assert_int_equal(run_and_signal(SIGINT, run), -SIGINT);
    assert_children_end("pids");
    char *text = read_text("g.png");
    assert_string_equal(text, "old");
    free(text);
    setenv("PATH", before, 1);
    free(before);
}

/* ------------------------------------------------------------------ limits */

static void limit_of_file_size_tears_nothing(void **state)
{
    (void)state;
    assert_exit(lieder("simulate o.mo -o whole.csv --interval 1e-3"), 0);
    size_t whole = assert_whole_lines("whole.csv");
    int status = system("ulimit -f 32; exec " PROGRAM
                        " simulate o.mo -o cut.csv --interval 1e-3 > stdout.txt 2> stderr.txt");
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 4);
    size_t n = assert_whole_lines("cut.csv");
    assert_true(n > 10 && n < whole);
}

static void failed_checkpoints_are_not_listed(void **state)
{
    (void)state;
    shell("mkdir gone; " PROGRAM " simulate o.mo --real-time --stop-time 1 -o g.csv "
          "--checkpoint gone/s > stdout.txt 2> stderr.txt & sleep 0.5; rm -r gone; "
          "wait $!; test $? = 4");
    char *said = read_text("stdout.txt"), *wrong = read_text("stderr.txt");
    assert_contains(said, "checkpoint   none");
    assert_null(strstr(said, "gone/s"));
    assert_contains(wrong, "the state file gone/s cannot be written");
    free(said);
    free(wrong);
}

/* a full disk behind stdout is an error of every command that writes there */
static void full_stdout_is_reported(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "--help",
        "--version",
        "simulate --help",
        "simulate o.mo -o f.csv",
        "list",
        "doc Planar.Body",
        "show o.mo",
        "check o.mo",
        "eigen o.mo",
        "stability",
        "compare f.csv f.csv",
        "sweep o.mo --vary body.m=1,2 -o f.csv",
        "plot f.csv",
        "plot f.csv -o f.svg",
        "draw f.csv --model o.mo",
        "simulate o.mo -o f.csv --log-format json",
        "plot f.csv --log-format json",
    };
    assert_exit(lieder("simulate o.mo -o f.csv"), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char command[512];
        snprintf(command, sizeof command, "%s %s > /dev/full 2> stderr.txt", PROGRAM, cases[i]);
        int status = system(command);
        char *said = read_text("stderr.txt");
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 4)
            fail_msg("lieder %s > /dev/full: %d\n%s", cases[i], status, said);
        assert_contains(said, "standard output");
        free(said);
        if (strncmp(cases[i], "sweep", 5) == 0)
            assert_exit(lieder("simulate o.mo -o f.csv"), 0);
    }
}

/* a result must not get the number of a standard descriptor that is closed */
static void closed_descriptors_do_no_harm(void **state)
{
    (void)state;
    assert_exit(lieder("simulate o.mo -o open.csv"), 0);
    static const char *const closed[] = {">&-", "2>&-", "<&-", ">&- 2>&- <&-"};
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
        char command[512];
        snprintf(command, sizeof command, "%s simulate o.mo -o closed.csv %s", PROGRAM, closed[i]);
        assert_true(WIFEXITED(system(command)));
        shell("cmp open.csv closed.csv");
    }
}

/* a pipe that nobody writes to is refused, wherever a file is read; one that is written to is a
 * file like any other */
static void silent_pipes_are_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "check pipe.mo",
        "simulate u.mo --library pipe.mo",
        "compare o.csv o.csv --signals pipe.mo",
        "simulate o.mo --resume pipe.mo -o p.csv",
        "plot pipe.mo",
        "simulate pipe.fmu",
        "simulate table.mo -o p.csv",
        "simulate o.mo --load pipe.mo -o p.csv",
        "compare o.csv o.csv --signals /dev/zero", /* has no end */
        "simulate zeros.mo -o p.csv",
    };
    write_text("zeros.mo", "model Z Signals.CombiTimeTable t(tableOnFile = true, fileName = "
                           "\"/dev/zero\", tableName = \"t\"); end Z;");
    write_text("table.mo",
               "model T parameter Real n = Modelica.Utilities.Streams.countLines(\"pipe.mo\"); "
               "Real x = n; end T;");
    assert_exit(lieder("simulate o.mo -o o.csv"), 0);
    shell("mkfifo pipe.mo pipe.fmu");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char command[512];
        snprintf(command, sizeof command, "timeout 20 %s %s > /dev/null 2>&1", PROGRAM, cases[i]);
        int status = system(command);
        if (!WIFEXITED(status) || WEXITSTATUS(status) == 0 || WEXITSTATUS(status) > 4)
            fail_msg("lieder %s: %d", cases[i], status);
    }
    char command[512];
    snprintf(command, sizeof command,
             "(sleep 0.3; cat o.mo > pipe.mo) & timeout 20 %s check pipe.mo", PROGRAM);
    shell(command);
    shell("rm pipe.mo pipe.fmu");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failing_runs_keep_old_results),
        cmocka_unit_test(empty_files_stay),
        cmocka_unit_test(fmus_run_beside_and_inside),
        cmocka_unit_test(same_files_are_refused),
        cmocka_unit_test(long_names_are_kept),
        cmocka_unit_test(devices_stay_devices),
        cmocka_unit_test(planted_links_are_not_followed),
        cmocka_unit_test(hangup_leaves_a_checkpoint),
        cmocka_unit_test(steps_without_end_are_ended),
        cmocka_unit_test(hanging_compilers_end_with_us),
        cmocka_unit_test(hanging_gnuplot_ends_with_us),
        cmocka_unit_test(limit_of_file_size_tears_nothing),
        cmocka_unit_test(failed_checkpoints_are_not_listed),
        cmocka_unit_test(full_stdout_is_reported),
        cmocka_unit_test(closed_descriptors_do_no_harm),
        cmocka_unit_test(silent_pipes_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
