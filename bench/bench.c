/* bench.c - time and memory: the list of cases, and a process for each piece of work.
 *
 *   lieder-bench                 all cases, in less than ten minutes
 *   lieder-bench quick           the small sizes, in about a minute
 *   lieder-bench huge [N]...     the fleet alone, 5.5 and 53 million crabs or as many as you say
 *   lieder-bench CASE...         only these, all sizes
 *
 * Numbers are compared within one run. A new case is a file with one function and a row here.
 *
 * Every case has a budget of processor time, compilers included; what it leaves goes to those that
 * follow. A piece of work that would begin beyond it is left out, and one that is still running
 * then is ended, so that the whole is bounded whatever becomes slow: ten minutes and one minute on
 * a machine of our own. Other programs on it stretch the time on the wall, but take away no rows.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
    const char *name;
    void (*run)(Bench *bench);
    double quick, full; /* seconds of the processor */
} cases[] = {
    {"fleet", bench_fleet, 22, 220}, {"chain", bench_chain, 14, 170},
    {"mixed", bench_mixed, 2, 20},   {"small", bench_small, 11, 40},
    {"record", bench_record, 2, 20}, {"regimes", bench_regimes, 1, 10},
    {"net", bench_net, 8, 100},      {"own", bench_own, 6, 20},
    {"balls", bench_balls, 5, 110},  {"start", bench_start, 4, 20},
    {"beside", bench_beside, 6, 15},
};
enum { NCASE = sizeof cases / sizeof *cases };

static bool failed;
static double budget; /* of the processor, for all cases so far */
static int left_out;  /* pieces of work */

/* ------------------------------------------------------------------ processes */

void bench_report(Bench *bench, const Record *record)
{
    if (write(bench->to, record, sizeof *record) != (ssize_t)sizeof *record)
        bench_fail("a record is lost");
}

/* the system ends a process that has used its time */
static void limit_time(double seconds)
{
    struct rlimit limit = {(rlim_t)seconds + 1, RLIM_INFINITY};
    if (setrlimit(RLIMIT_CPU, &limit) != 0)
        bench_fail("no limit of time");
}

void bench_run(Bench *bench, Work *work, const void *job)
{
    int ends[2], status = 1;
    bool bounded = bench->scope != BENCH_HUGE;
    double left = budget - clock_children();
    if (bounded && left <= 0) {
        left_out++;
        return;
    }
    fflush(NULL);
    if (pipe(ends) != 0) {
        perror("bench: pipe");
        exit(1);
    }
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        if (bounded)
            limit_time(left);
        bench->to = ends[1];
        work(bench, job);
        _exit(0);
    }
    close(ends[1]);
    Record record;
    while (child > 0 && read(ends[0], &record, sizeof record) == (ssize_t)sizeof record)
        report_add(&record);
    close(ends[0]);
    if (child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
        WTERMSIG(status) == SIGXCPU) {
        left_out++;
    } else if (child < 0 || status != 0) {
        fprintf(stderr, "bench: a case failed (status %d)\n", status);
        failed = true;
    }
}

/* ------------------------------------------------------------------ a cache of our own */

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)kind;
    (void)place;
    return remove(path);
}

/* compiled shapes of earlier runs must not count */
static char cache[] = "/tmp/lieder-bench-XXXXXX";

static void remove_cache(void)
{
    nftw(cache, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* ------------------------------------------------------------------ the command line */

static int usage(void)
{
    fputs("usage: lieder-bench [quick | huge [N]... | CASE...]\ncases:", stderr);
    for (int i = 0; i < NCASE; i++)
        fprintf(stderr, " %s", cases[i].name);
    fputc('\n', stderr);
    return 1;
}

static bool read_sizes(Bench *bench, int argc, char **argv)
{
    static size_t sizes[16] = {5500000, 53000000};
    bench->sizes = sizes;
    bench->nsize = argc ? 0 : 2;
    for (int i = 0; i < argc && i < 16; i++) {
        char *end;
        sizes[bench->nsize++] = (size_t)strtod(argv[i], &end);
        if (*end || sizes[i] == 0)
            return false;
    }
    return true;
}

static int find_case(const char *name)
{
    for (int i = 0; i < NCASE; i++)
        if (strcmp(cases[i].name, name) == 0)
            return i;
    return -1;
}

int main(int argc, char **argv)
{
    Bench bench = {.scope = BENCH_FULL};
    const char *stem = argc < 2 ? "bench" : "bench_some";
    bool wanted[NCASE] = {false}, all = argc < 2;
    if (argc > 1 && strcmp(argv[1], "huge") == 0) {
        bench.scope = BENCH_HUGE;
        stem = "bench_huge";
        wanted[find_case("fleet")] = true;
        if (!read_sizes(&bench, argc - 2, argv + 2))
            return usage();
    } else if (argc == 2 && strcmp(argv[1], "quick") == 0) {
        bench.scope = BENCH_QUICK;
        stem = "bench_quick";
        all = true;
    } else {
        for (int i = 1; i < argc; i++) {
            int found = find_case(argv[i]);
            if (found < 0)
                return usage();
            wanted[found] = true;
        }
    }
    mkdir("results", 0777);
    if (!mkdtemp(cache) || setenv("LIEDER_CACHE", cache, 1) != 0) {
        perror("bench: no directory for compiled shapes");
        return 1;
    }
    atexit(remove_cache);
    double begin = clock_wall();
    report_open(stem);
    double seconds[NCASE] = {0};
    for (int i = 0; i < NCASE; i++)
        if (all || wanted[i]) {
            double before = clock_children();
            budget += bench.scope == BENCH_QUICK ? cases[i].quick : cases[i].full;
            cases[i].run(&bench);
            seconds[i] = clock_children() - before;
        }
    failed |= !report_close();
    for (int i = 0; i < NCASE; i++)
        if (seconds[i] > 0)
            printf("%s %.0f s, ", cases[i].name, seconds[i]);
    printf("%.0f s of the processor, %.0f s in all\n", clock_children(), clock_wall() - begin);
    if (left_out)
        printf("%d pieces of work were left out: they would have taken more than %.0f s\n",
               left_out, budget);
    return failed;
}
