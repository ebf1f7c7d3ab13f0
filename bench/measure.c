/* measure.c - clocks, memory, systems that are measured, races. See bench.h.
 *
 * Evaluations are timed by the processor time of the thread: on a machine that others use as well
 * it says what the work costs, not how long it waited. What is compared runs in turn, and the best
 * of several rounds counts, because disturbance only ever adds. */
#include "bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* a case has a process of its own, whose parent writes the files: nothing of it is cleaned up */
void bench_fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("bench: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    _exit(1);
}

static double read_clock(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double clock_wall(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double clock_processor(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

double clock_children(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

double resident_now(void)
{
    unsigned long total, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%lu %lu", &total, &resident) != 2)
        resident = 0;
    if (f)
        fclose(f);
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

double resident_peak(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

/* ------------------------------------------------------------------ subjects */

void subject_begin(Subject *s, const char *case_, const char *tier, size_t n)
{
    *s = (Subject){.session = lieder_create(NULL)};
    if (!s->session)
        bench_fail("out of memory");
    snprintf(s->record.case_, sizeof s->record.case_, "%s", case_);
    snprintf(s->record.tier, sizeof s->record.tier, "%s", tier);
    s->record.n = n;
    s->floor = resident_now();
    s->begin = clock_processor();
}

void subject_ready(Subject *s, const char *model, LiederMethod method, double low, double high)
{
    LiederSystemOptions o = lieder_system_defaults();
    o.method = method;
    s->system = model ? lieder_system_create(s->session, model, &o) : NULL;
    s->record.instantiation = clock_processor() - s->begin;
    if (!s->system) {
        lieder_diagnostic_print_all(s->session, stderr);
        bench_fail("%s: the model was refused", s->record.case_);
    }
    s->nstate = lieder_system_state_count(s->system);
    /* as the solvers have them: at the begin of a line of the cache */
    size_t bytes = (s->nstate * sizeof(double) + 63) / 64 * 64;
    s->x = aligned_alloc(64, bytes);
    s->dx = aligned_alloc(64, bytes);
    if (!s->x || !s->dx)
        bench_fail("out of memory");
    srand(1);
    for (size_t i = 0; i < s->nstate; i++)
        s->x[i] = low + (high - low) * rand() / RAND_MAX;
    subject_evaluate(s);
    subject_weigh(s);
}

void subject_array(Subject *s, const char *class_, double TD, LiederMethod method)
{
    LiederModel *m = lieder_model_create(s->session, "Array", "");
    lieder_model_add(m, "world", "World");
    lieder_model_set(m, "world.TD", TD);
    lieder_model_add_array(m, "unit", class_, s->record.n);
    subject_ready(s, "Array", method, -1, 1);
}

void subject_compile(Subject *s)
{
    double begin = clock_children() + clock_processor();
    LiederStatus status = lieder_system_compile(s->system);
    s->record.compilation = clock_children() + clock_processor() - begin;
    if (status != LIEDER_DONE || lieder_system_info(s->system).ncompiled == 0) {
        lieder_diagnostic_print_all(s->session, stderr);
        bench_fail("%s: not compiled", s->record.case_);
    }
}

void subject_weigh(Subject *s)
{
    s->record.resident = resident_peak();
    s->record.bytes = fmax(s->record.resident - s->floor, 0) / (double)s->record.n;
}

void subject_drop(Subject *s)
{
    lieder_system_destroy(s->system);
    lieder_destroy(s->session);
    free(s->x);
    free(s->dx);
    *s = (Subject){0};
}

void subject_evaluate(void *subject)
{
    Subject *s = subject;
    if (lieder_system_derivatives(s->system, 0, s->x, s->dx) == LIEDER_DONE)
        return;
    lieder_diagnostic_print_all(s->session, stderr);
    bench_fail("%s: no derivatives", s->record.case_);
}

size_t *subject_states(const Subject *s, const char *format, size_t n)
{
    char path[128];
    size_t *at = malloc(n * sizeof *at);
    for (size_t i = 0; at && i < n; i++) {
        snprintf(path, sizeof path, format, i + 1);
        ptrdiff_t found = lieder_system_state_index(s->system, path);
        if (found < 0)
            bench_fail("no state %s", path);
        at[i] = (size_t)found;
    }
    return at;
}

/* ------------------------------------------------------------------ races */

static const double ROUND = 5e-3; /* seconds of a round, or one evaluation */
static const double PATIENCE = 1; /* for all rounds of a runner, when evaluations are long */
enum { ROUNDS = 15, FEWEST = 3 };

static double time_runner(const Runner *r)
{
    double begin = clock_processor();
    for (size_t i = 0; i < r->repeat; i++)
        r->evaluate(r->user);
    return clock_processor() - begin;
}

void race(Runner *runners, size_t n, double units)
{
    for (size_t i = 0; i < n; i++) {
        Runner *r = &runners[i];
        double seconds = 0;
        for (r->repeat = 1; (seconds = time_runner(r)) < ROUND / 4; r->repeat *= 2)
            ;
        r->repeat = (size_t)fmax(1, (double)r->repeat * ROUND / seconds);
        r->ns = INFINITY;
    }
    double spent = 0;
    for (int k = 0; k < ROUNDS && (k < FEWEST || spent < PATIENCE * (double)n); k++)
        for (size_t i = 0; i < n; i++) {
            double seconds = time_runner(&runners[i]);
            spent += seconds;
            runners[i].ns =
                fmin(runners[i].ns, seconds * 1e9 / (units * (double)runners[i].repeat));
        }
}

double difference(const double *a, const double *b, size_t n)
{
    double most = 0, size = 1e-300;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
    }
    return most / size;
}
