/* beside.c - crane crabs under other conditions: code that another compiler made, and two threads
 * while another program keeps one core busy. */
#define _GNU_SOURCE
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <lieder/simulate.h>

#include "bench.h"

/* ------------------------------------------------------------------ compilers */

static void race_compilers(Bench *bench, const void *job)
{
    static const char *const compilers[] = {"clang", "gcc"};
    size_t n = *(const size_t *)job;
    Subject s[2];
    Runner runners[2];
    for (int i = 0; i < 2; i++) {
        char path[32];
        snprintf(path, sizeof path, "/usr/bin/%s", compilers[i]);
        if (access(path, X_OK) != 0 || setenv("LIEDER_CC", path, 1) != 0)
            return; /* nothing to compare */
        subject_begin(&s[i], "crane crab, compilers", compilers[i], n);
        subject_array(&s[i], "Examples.CraneCrab", 1e-3, LIEDER_METHOD_AUTO);
        subject_compile(&s[i]);
        runners[i] = (Runner){.evaluate = subject_evaluate, .user = &s[i]};
    }
    race(runners, 2, (double)n);
    if (difference(s[0].dx, s[1].dx, s[0].nstate) != 0)
        bench_fail("two compilers disagree");
    for (int i = 0; i < 2; i++) {
        s[i].record.ns = runners[i].ns;
        s[i].record.resident = s[i].record.bytes = 0;
        bench_report(bench, &s[i].record);
    }
}

/* ------------------------------------------------------------------ another program */

enum { ROUNDS = 15 };

/* a process that computes on the first core until its parent ends it, or ends itself */
static pid_t keep_busy(void)
{
    pid_t child = fork();
    if (child == 0) {
        cpu_set_t first;
        CPU_ZERO(&first);
        CPU_SET(0, &first);
        sched_setaffinity(0, sizeof first, &first);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (volatile double x = 0;;)
            x = x + 1;
    }
    return child;
}

static double run_steps(Subject *s, size_t steps, int threads)
{
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.solver = LIEDER_RK4;
    o.step = 1e-3;
    o.stop = 1e-3 * (double)steps;
    o.interval = 1e-2;
    o.threads = threads;
    double begin = clock_wall();
    if (lieder_simulate(s->system, &o, NULL) != LIEDER_DONE)
        bench_fail("crabs do not run beside another program");
    return clock_wall() - begin;
}

static int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void run_beside(Bench *bench, const void *job)
{
    size_t n = *(const size_t *)job, steps = 200;
    double seconds[2][ROUNDS];
    Subject s;
    subject_begin(&s, "crane crabs beside another program", "kernels", n);
    subject_array(&s, "Examples.CraneCrab", 1e-3, LIEDER_METHOD_AUTO);
    pid_t other = keep_busy();
    if (other < 0)
        bench_fail("no other program");
    for (int k = 0; k < ROUNDS; k++)
        for (int threads = 1; threads <= 2; threads++)
            seconds[threads - 1][k] = run_steps(&s, steps, threads);
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    snprintf(s.record.solver, sizeof s.record.solver, "rk4");
    s.record.steps = steps;
    s.record.resident = s.record.bytes = 0;
    for (int threads = 1; threads <= 2; threads++) {
        qsort(seconds[threads - 1], ROUNDS, sizeof(double), compare_seconds);
        s.record.threads = threads;
        s.record.ns = seconds[threads - 1][ROUNDS / 2] * 1e9 / (4.0 * (double)(n * steps));
        bench_report(bench, &s.record);
    }
}

void bench_beside(Bench *bench)
{
    for (size_t n = 1; n <= 4096; n *= 64)
        bench_run(bench, race_compilers, &n);
    bench_run(bench, run_beside, &(size_t){4096});
}
