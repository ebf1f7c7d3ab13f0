/* record.c - recording a thousand signals of a fleet: what matters is the number of signals, not
 * the number of crabs.
 *
 * States are copied; a force needs the crab it belongs to, and that one alone, to be evaluated once
 * more. Here every signal is of another crab. ns is per signal and row, file included. */
#include <stdio.h>
#include <stdlib.h>

#include <lieder/variables.h>

#include "record/record.h"

#include "bench.h"

enum { SIGNALS = 1000 };

typedef struct Recording {
    size_t n;
    bool forces; /* instead of states */
} Recording;

typedef struct Rows {
    Subject *subject;
    LiederObserver *observer;
    Recorder recorder;
    double values[SIGNALS];
    size_t row;
} Rows;

static void write_row(void *user)
{
    Rows *r = user;
    if (lieder_observer_evaluate(r->observer, 0, r->subject->x, r->values) != LIEDER_DONE ||
        record_row(&r->recorder, (double)r->row++, r->values) != LIEDER_DONE)
        bench_fail("a row cannot be recorded");
}

static void record_fleet(Bench *bench, const void *job)
{
    const Recording *recording = job;
    static char paths[SIGNALS][64];
    RecordColumn columns[SIGNALS] = {0};
    Subject s;
    static Rows rows;
    size_t n = recording->n;
    subject_begin(&s, recording->forces ? "1000 forces recorded" : "1000 states recorded",
                  "kernels", n);
    subject_array(&s, "Examples.CraneCrab", 1e-3, LIEDER_METHOD_AUTO);
    rows.subject = &s;
    rows.observer = lieder_observer_create(s.system);
    double begin = clock_processor();
    ptrdiff_t row = lieder_variable_find(s.system, recording->forces ? "unit.load.frame_a.fx_ki"
                                                                     : "unit.revolute.phi");
    for (size_t i = 0; i < SIGNALS; i++) {
        LiederHandle handle;
        if (row < 0 || !lieder_variable_handle(s.system, (size_t)row, i * (n / SIGNALS), &handle) ||
            lieder_observer_watch(rows.observer, &handle) < 0)
            bench_fail("no signal %zu", i);
        columns[i].name = lieder_handle_name(s.system, &handle, paths[i], sizeof paths[i]);
    }
    s.record.instantiation += clock_processor() - begin;
    if (record_open(&rows.recorder, NULL, "results/bench_record.mat", columns, SIGNALS, NULL) !=
        LIEDER_DONE)
        bench_fail("%s", record_message(&rows.recorder));
    Runner runner = {.evaluate = write_row, .user = &rows};
    race(&runner, 1, SIGNALS);
    if (record_close(&rows.recorder) != LIEDER_DONE)
        bench_fail("%s", record_message(&rows.recorder));
    remove("results/bench_record.mat");
    s.record.ns = runner.ns;
    subject_weigh(&s);
    bench_report(bench, &s.record);
    lieder_observer_destroy(rows.observer);
    subject_drop(&s);
}

void bench_record(Bench *bench)
{
    for (int forces = 0; forces <= 1; forces++)
        for (size_t n = 1000; n <= (bench->scope == BENCH_QUICK ? 100000u : 1000000u); n *= 10)
            bench_run(bench, record_fleet, &(Recording){n, forces});
}
