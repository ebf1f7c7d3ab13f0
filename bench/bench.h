/* bench.h - what the cases of the benchmark share.
 *
 *   bench.c     the list of cases; each piece of work in a process of its own
 *   measure.c   clocks, systems that are measured, races between ways to do the same
 *   report.c    the table, results/bench.json, .md and .csv
 *   aims.c      what was aimed at beside what was measured
 *   flat.c      the same equations written by hand
 *   others      one file per case, one function each, listed below
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <lieder/lieder.h>

typedef enum BenchScope { BENCH_QUICK, BENCH_FULL, BENCH_HUGE } BenchScope;

/* One line of the table. What does not apply is zero. */
typedef struct Record {
    char case_[48], tier[16], solver[16];
    size_t n;             /* units: crabs, links, instances */
    int threads;          /* 0: one evaluation, no solver */
    double ns;            /* per unit and evaluation of the right-hand side */
    double instantiation; /* seconds of the processor, from nothing or from text to a system */
    double compilation;   /* the same for generated code, compiler included */
    double resident;      /* bytes: peak of the process in all */
    double bytes;         /* per unit: growth of the process since the session stood */
    size_t steps;
} Record;

typedef struct Bench {
    BenchScope scope;
    int to; /* in a child: where records go */
    const size_t *sizes;
    size_t nsize; /* of the fleet, if the user names them */
} Bench;

/* ------------------------------------------------------------------ bench.c */

/* work in a process of its own, so that memory is counted for it alone; what it reports arrives */
typedef void Work(Bench *bench, const void *job);
void bench_run(Bench *bench, Work *work, const void *job);
void bench_report(Bench *bench, const Record *record);
/* ends the child: a case cannot be measured, or two ways that must agree do not */
_Noreturn void bench_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ------------------------------------------------------------------ the cases */

void bench_fleet(Bench *bench);
void bench_chain(Bench *bench);
void bench_mixed(Bench *bench);
void bench_small(Bench *bench);
void bench_record(Bench *bench);
void bench_regimes(Bench *bench);
void bench_net(Bench *bench);
void bench_own(Bench *bench);
void bench_balls(Bench *bench);
void bench_start(Bench *bench);
void bench_beside(Bench *bench);

/* ------------------------------------------------------------------ measure.c */

double clock_wall(void);
double clock_processor(void); /* of this thread: other processes do not disturb it */
double clock_children(void);  /* of the processor in processes that have ended, compilers too */
double resident_now(void);
double resident_peak(void);

/* A system that is measured. */
typedef struct Subject {
    Lieder *session;
    LiederSystem *system;
    double *x, *dx;
    size_t nstate;
    double floor; /* resident bytes when the session stood */
    double begin; /* clock */
    Record record;
} Subject;

/* A session; then a model is built; then it becomes a system with random states. */
void subject_begin(Subject *s, const char *case_, const char *tier, size_t n);
void subject_ready(Subject *s, const char *model, LiederMethod method, double low, double high);
/* n crane crabs, spring masses ...: an array of a class of the library under a world */
void subject_array(Subject *s, const char *class_, double TD, LiederMethod method);
void subject_compile(Subject *s);
void subject_drop(Subject *s);
/* the memory that the process has needed since subject_begin */
void subject_weigh(Subject *s);

/* "path[i]" becomes a number of the state vector; the whole list for i = 1 ... n */
size_t *subject_states(const Subject *s, const char *format, size_t n);

/* Ways to do the same, measured in turn; ns per unit, the best of several rounds. */
typedef struct Runner {
    void (*evaluate)(void *user);
    void *user;
    size_t repeat;
    double ns;
} Runner;
void race(Runner *runners, size_t n, double units);
void subject_evaluate(void *subject); /* as a runner */

/* largest difference, relative to the largest number */
double difference(const double *a, const double *b, size_t n);

/* ------------------------------------------------------------------ report.c */

/* stem: of the files under results/ */
void report_open(const char *stem);
void report_add(const Record *record);
/* false: a file could not be written */
bool report_close(void);

/* ------------------------------------------------------------------ aims.c */

/* a line for each aim: text, limit, what was measured, yes or no */
void aims_write(FILE *f, const char *format, const Record *records, size_t n);

#endif
