/* sweep.c - lieder sweep FILE --vary ...: one model for many parameter values, in one file.
 *
 * Members of the grid are cut into batches, which threads take one after the other, each with a
 * session of its own. Rows stay in memory until all earlier members are written: the file has the
 * order of the grid whatever the threads do. A batch is small enough for that. Several processes:
 * sweep_ranks.c.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/pool.h"
#include "base/text.h"
#include "cli/sweep.h"
#include "cluster/cluster.h"

/* ------------------------------------------------------------------ options */

enum { OPT_VARY = RUN_OPTIONS, OPT_SUMMARY, OPT_RESUME };

static const Option options[] = {
    RUN_OPTION_ROWS,
    [RUN_OUTPUT] = {"output", 'o', "FILE", "results: a .csv or .h5 file (MODEL_sweep.csv)"},
    [RUN_THREADS] = {"threads", 0, "N", "batches of members at a time (one for each processor)"},
    [OPT_VARY] =
        {"vary", 0, "NAME=VALUES",
         "parameter or start value to vary, and how: LOW:HIGH:N in equal steps, "
         "LOW:HIGH:log:N in equal ratios, or V1,V2,...; may be repeated: several make a grid, the "
         "last one varies fastest"},
    [OPT_SUMMARY] = {"summary", 0, NULL,
                     "one row for each member: final value, minimum, maximum and mean over time of "
                     "each variable"},
    [OPT_RESUME] = {"resume", 0, NULL,
                    "keep members that are finished in OUTPUT.kept until all are, and go on from "
                    "there if a run before has ended early"},
    {0}};

/* reads one option into SweepSettings; false after reporting an error */
static bool read_option(Arguments *a, int option, const char *value, void *settings)
{
    SweepSettings *w = settings;
    switch (option) {
    case OPT_VARY:
        return grid_add(&w->grid, a->log, value);
    case OPT_SUMMARY:
        return w->summary = true;
    case OPT_RESUME:
        return w->resume = true;
    default:
        return run_read_option(a, option, value, &w->run);
    }
}

/* what only all options together tell */
static bool check_settings(const SweepSettings *w, Log *log)
{
    const RunSettings *run = &w->run;
    if (!run_check_settings(run, log))
        return false;
    for (size_t i = 0; i < w->grid.axes.n; i++)
        for (size_t k = 0; k < run->source.overrides.n; k++)
            if (strcmp(w->grid.axes.items[i].name, run->source.overrides.items[k].name) == 0) {
                log_error(log, "%s has a --vary and an --override\ngive one of them",
                          run->source.overrides.items[k].name);
                return false;
            }
    if (run->output && !text_ends(run->output, ".csv") && !text_ends(run->output, ".h5")) {
        log_error(log,
                  "a sweep is written to a .csv or .h5 file, not to %s\n"
                  "time begins anew with every member, which other formats have no place for",
                  run->output);
        return false;
    }
    return true;
}

/* ------------------------------------------------------------------ all members */

static size_t choose_threads(const Sweep *s)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t n = s->settings->run.threads;
    if (cluster_count() > 1)
        processors = 1; /* who starts ranks has one for each */
    return n ? n : processors > 1 ? (size_t)processors : 1;
}

/* batches of one group of members with the same structure */
static size_t batches_per_group(const Sweep *s)
{
    return (s->group + s->batch - 1) / s->batch;
}

size_t sweep_batches(const Sweep *s)
{
    return s->grid->n / s->group * batches_per_group(s);
}

MemberBatch sweep_batch(const Sweep *s, size_t i)
{
    size_t in_group = i % batches_per_group(s) * s->batch, left = s->group - in_group;
    return (MemberBatch){.first = i / batches_per_group(s) * s->group + in_group,
                         .n = left < s->batch ? left : s->batch};
}

/* batches that are handed out one by one and written in the same order */
typedef struct BatchQueue {
    Sweep *sweep;
    Workplace *places; /* by thread */
    size_t n;
    pthread_mutex_t mutex; /* of what follows, and of what is written */
    pthread_cond_t written;
    size_t next, turn; /* to be run; to be written */
    bool out_of_memory;
} BatchQueue;

/* false: no memory */
static bool keep_batch(Sweep *s, size_t i, const MemberBatch *b)
{
    size_t n;
    char *bytes = batch_pack(b, &n);
    if (bytes && !kept_put(&s->kept, s->log, i, bytes, n))
        s->stopped = true;
    free(bytes);
    return bytes;
}

/* one batch: run or taken from those kept, kept, and written when its turn comes; skip: only the
 * turn is passed on */
static void run_batch(BatchQueue *all, int thread, size_t i, bool skip)
{
    Sweep *s = all->sweep;
    MemberBatch b = sweep_batch(s, i);
    bool before = kept_has(&s->kept, i),
         ran = !skip && (before || batch_run(s, &all->places[thread], &b));
    pthread_mutex_lock(&all->mutex);
    run_hold_files();
    if (ran && s->kept.file)
        ran = before ? kept_get(&s->kept, i, &b) : run_interrupted || keep_batch(s, i, &b);
    run_release_files();
    while (all->turn != i)
        pthread_cond_wait(&all->written, &all->mutex);
    /* what an interrupt cut short is not written */
    run_hold_files();
    if (ran && !run_interrupted)
        sweep_write_batch(s, &b);
    else if (!skip && !ran)
        all->out_of_memory = s->stopped = true;
    run_release_files();
    all->turn++;
    pthread_cond_broadcast(&all->written);
    pthread_mutex_unlock(&all->mutex);
    batch_drop(&b);
}

/* what one thread does: batches until there are no more */
static void run_batches(void *argument, int thread, size_t first, size_t end)
{
    BatchQueue *all = argument;
    (void)first;
    (void)end;
    for (;;) {
        pthread_mutex_lock(&all->mutex);
        size_t i = all->next;
        bool skip = all->sweep->stopped || run_interrupted;
        all->next += i < all->n;
        pthread_mutex_unlock(&all->mutex);
        if (i == all->n)
            return;
        run_batch(all, thread, i, skip);
    }
}

static ExitCode report_interrupted(const Sweep *s, bool kept)
{
    log_error(s->log, "interrupted after %zu of %zu members\n%s%s%s", s->ndone, s->grid->n,
              s->recorder.nrow ? "they are in " : "there are no results",
              s->recorder.nrow ? s->output : "", kept ? "; --resume does the rest" : "");
    return EXIT_INTERRUPTED;
}

/* Ctrl-C, and members that take longer than one waits */
static ExitCode end_in_place(void *user)
{
    Sweep *s = user;
    bool kept = s->kept.file;
    progress_end(&s->progress);
    kept_close(&s->kept, false);
    record_cancel(&s->recorder);
    return report_interrupted(s, kept);
}

/* all batches on the threads of a pool, each with a workplace of its own */
static ExitCode run_all(Sweep *s, size_t threads)
{
    BatchQueue all = {.sweep = s,
                      .places = calloc(threads, sizeof *all.places),
                      .n = sweep_batches(s),
                      .mutex = PTHREAD_MUTEX_INITIALIZER,
                      .written = PTHREAD_COND_INITIALIZER};
    Pool *pool = all.places ? pool_create(&memory_default, (int)threads) : NULL;
    if (!pool) {
        free(all.places);
        log_error(s->log, "out of memory");
        return EXIT_SIMULATION;
    }
    run_catch_signals(end_in_place, s);
    pool_run(pool, (size_t)pool_threads(pool), 1, run_batches, &all);
    pool_destroy(pool);
    for (size_t i = 0; i < threads; i++)
        workplace_close(&all.places[i]);
    free(all.places);
    if (all.out_of_memory)
        log_error(s->log, "out of memory after %zu of %zu members", s->ndone, s->grid->n);
    return all.out_of_memory || s->nfailed ? EXIT_SIMULATION : EXIT_DONE;
}

/* ------------------------------------------------------------------ what became of it */

/* the sum of the sweep as one JSON object */
static void print_json(const Sweep *s, ExitCode code, size_t threads, double seconds)
{
    json_begin(stdout, "summary");
    json_text(stdout, "model", s->main.loaded.title);
    json_text(stdout, "status", run_outcome(code));
    json_count(stdout, "exit_code", (size_t)code);
    json_count(stdout, "members", s->grid->n);
    json_count(stdout, "done", s->ndone - s->nfailed);
    json_count(stdout, "failed", s->nfailed);
    json_count(stdout, "lanes", s->batch);
    json_count(stdout, "threads", threads);
    if (cluster_count() > 1)
        json_count(stdout, "ranks", (size_t)cluster_count());
    json_number(stdout, "seconds", seconds);
    json_text(stdout, "output", s->output);
    json_count(stdout, "rows", s->recorder.nrow - s->recorder.nlost);
    json_count(stdout, "columns", s->recorder.ncolumn);
    json_end(stdout);
}

/* the same as lines of text */
static void print_text(const Sweep *s, size_t threads, double seconds)
{
    printf("%s for %zu members from %.6g to %.6g s\n", s->main.loaded.title, s->grid->n,
           s->options.start, s->options.stop);
    for (size_t i = 0; i < s->grid->axes.n; i++) {
        const GridAxis *axis = &s->grid->axes.items[i];
        printf("  %s         %s, %zu value%s%s\n", i ? "    " : "vary", axis->name, axis->values.n,
               axis->values.n == 1 ? "" : "s", axis->structural ? ", changes the structure" : "");
    }
    if (s->batch > 1)
        printf("  batches      up to %zu members as lanes of one system\n", s->batch);
    else
        printf("  batches      none, each member alone\n");
    if (s->nfailed)
        printf("  failed       %zu member%s\n", s->nfailed, s->nfailed == 1 ? "" : "s");
    printf("  wall time    %.4g s on %zu thread%s", seconds, threads, threads == 1 ? "" : "s");
    if (cluster_count() > 1)
        printf(" of each of %d ranks", cluster_count());
    printf("\n");
    printf("  results      %s, %zu rows of %zu columns\n", s->output,
           s->recorder.nrow - s->recorder.nlost, s->recorder.ncolumn + 1);
}

/* closes the files, reports interruption and failed members, prints the sum */
static ExitCode finish_sweep(Sweep *s, ExitCode code, size_t threads)
{
    double seconds = clock_seconds() - s->progress.begun;
    progress_end(&s->progress);
    bool whole = !run_interrupted && !s->stopped, kept = s->kept.file;
    kept_close(&s->kept, whole);
    if ((whole ? record_close : record_cancel)(&s->recorder) < 0) {
        log_error(s->log, "%s\n%s", record_message(&s->recorder), record_kept(&s->recorder));
        code = EXIT_IO;
    } else if (run_interrupted) {
        code = report_interrupted(s, kept);
    } else if (s->stopped && code == EXIT_DONE) {
        code = EXIT_IO; /* the finished members, which was reported */
    } else if (s->nfailed && !s->log->json) {
        log_error(s->log, "%zu of %zu members failed\n%s", s->nfailed, s->grid->n,
                  s->settings->summary ? "the column \"failed\" marks them"
                                       : "each ends with a row of nan; the others are whole");
    }
    if (s->log->json && !s->log->quiet)
        print_json(s, code, threads, seconds);
    else if (!s->log->quiet)
        print_text(s, threads, seconds);
    return code;
}

/* ------------------------------------------------------------------ the command */

/* plans, runs by threads or ranks, finishes; frees all of it */
static ExitCode sweep(Log *log, const SweepSettings *w)
{
    Sweep s = {.log = log, .settings = w, .grid = &w->grid};
    arena_init(&s.selection.arena, HEAP);
    size_t threads = choose_threads(&s);
    ExitCode code = sweep_plan(&s, threads);
    if (code == EXIT_DONE && cluster_rank() == 0 && (w->resume || cluster_count() > 1))
        code = kept_open(&s.kept, &s, w->resume);
    code = ranks_code(code);
    if (cluster_count() > 1) /* as rank 0 has chosen or found it */
        s.batch = (size_t)ranks_worst(cluster_rank() == 0 ? (double)s.batch : 0);
    if (code == EXIT_DONE) {
        s.progress = progress_begin(log, s.main.loaded.title, 0, (double)w->grid.n);
        s.progress.counts = true;
        code = cluster_count() > 1 ? sweep_by_ranks(&s, threads) : run_all(&s, threads);
        run_end_signals();
        if (cluster_rank() == 0)
            code = finish_sweep(&s, code, threads);
    }
    kept_close(&s.kept, false);
    selection_drop(&s.selection);
    workplace_close(&s.main);
    record_cancel(&s.recorder);
    free(s.output);
    free(s.row);
    free(s.warning);
    return code;
}

/* lieder sweep */
static ExitCode sweep_command(const Command *command, int argc, char **argv)
{
    Log log = log_open();
    Arguments a = arguments_read(command, &log, argc, argv);
    SweepSettings w = {.run = run_settings()};
    a.source = &w.run.source;
    ExitCode code = EXIT_USAGE;
    if (arguments_all(&a, read_option, &w, &code))
        code = !w.run.source.file && !w.run.source.model ? arguments_missing(&a, "FILE.mo")
               : !w.grid.axes.n           ? arguments_missing(&a, "--vary NAME=VALUES")
               : check_settings(&w, &log) ? sweep(&log, &w)
                                          : EXIT_USAGE;
    model_source_drop(&w.run.source);
    grid_drop(&w.grid);
    return code;
}

const Command command_sweep = {
    .name = "sweep",
    .operands = "FILE.mo...",
    .text = "Run a model for many values of its parameters",
    .description =
        "Every --vary has a parameter or start value and its values; all combinations are run.\n"
        "With an explicit solver of fixed step (rk1 ... rk4) the members are lanes of one system\n"
        "and give the same numbers as 'lieder simulate --override', many times faster; otherwise\n"
        "they run one by one, spread over threads. The result has the varied parameters in its\n"
        "first columns, then time and the variables, member after member. A member that fails\n"
        "ends with a row of nan and the others go on; the exit code is then 3. Parameters that\n"
        "change the structure (counts, switches) best come first.",
    .examples = "  lieder sweep crane.mo --vary world.TD=1e-5:1e-2:log:7\n"
                "  lieder sweep crane.mo --vary cart.m=1:3:5 --vary revolute.phi=0.5,1,1.5 \\\n"
                "    --solver rk4 --step 1e-3 --record '.*\\.phi' -o crane.csv\n"
                "  lieder sweep chain.mo --vary n=2,4,8 --summary\n",
    .options = options,
    .run = sweep_command,
    .shared = true};
