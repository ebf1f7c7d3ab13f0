/* sweep_plan.c - what is found out about a model before its sweep: which of the varied parameters
 * change its structure, which columns all structures have together, how many members go into a
 * batch. */
#include <math.h>
#include <string.h>

#include "cli/sweep.h"
#include "cluster/cluster.h"
#include "solve/method/adaptive.h"
#include "solve/run/simulate.h"

enum {
    MAX_BATCH = 1024,      /* members of one system */
    BATCH_BYTES = 16 << 20, /* of their rows in memory */
    RANK_BATCHES = 4        /* at least, for each thread of a rank */
};

/* ------------------------------------------------------------------ structure */

/* The model as it is for some member that can be made: mostly the first. */
static ExitCode find_typical(Sweep *s, LiederSystem **system)
{
    size_t n = s->grid->n, tries[] = {0, n - 1, n / 2};
    ExitCode code = workplace_open(&s->main, s, s->log);
    for (int i = 0; i < 3 && code == EXIT_DONE && !*system; i++) {
        lieder_diagnostic_clear(s->main.loaded.session);
        s->typical = tries[i];
        *system = members_create(&s->main, s, s->typical, 1, 1);
    }
    if (code != EXIT_DONE || *system)
        return code;
    /* what is wrong, in the words of the first */
    lieder_diagnostic_clear(s->main.loaded.session);
    s->log->shown = 0;
    lieder_system_destroy(members_create(&s->main, s, 0, 1, 1));
    log_diagnostics(s->log, s->main.loaded.session, s->main.loaded.front);
    return EXIT_MODEL;
}

static bool can_be_made(Sweep *s, size_t member)
{
    LiederSystem *system = members_create(&s->main, s, member, 1, 1);
    lieder_system_destroy(system);
    return system;
}

/* Two members that differ in this axis alone cannot be lanes of one system, although each of them
 * can be made: a member with a wrong value says nothing about the structure. */
static bool is_structural(Sweep *s, size_t axis, LiederSystemInfo alone)
{
    size_t stride = grid_stride(s->grid, axis), last = s->grid->n - 1;
    const size_t firsts[] = {0, last - stride};
    bool differ = false;
    for (int i = 0; i < 2; i++) {
        LiederSystem *system = members_create(&s->main, s, firsts[i], stride, 2);
        LiederSystemInfo info = system ? lieder_system_info(system) : (LiederSystemInfo){0};
        lieder_system_destroy(system);
        if (system && info.nshape == alone.nshape && info.nlane == 2 * alone.nlane)
            return false;
        differ |= system || (can_be_made(s, firsts[i]) && can_be_made(s, firsts[i] + stride));
    }
    return differ;
}

static void find_structure(Sweep *s, const LiederSystem *system)
{
    s->group = s->grid->n;
    for (size_t i = 0; i < s->grid->axes.n; i++) {
        GridAxis *axis = &s->grid->axes.items[i];
        axis->structural = axis->values.n > 1 && is_structural(s, i, lieder_system_info(system));
        if (axis->structural)
            s->group = grid_stride(s->grid, i);
    }
    lieder_diagnostic_clear(s->main.loaded.session);
}

/* ------------------------------------------------------------------ columns */

/* is this the first member of its structure? */
static bool begins_structure(const Grid *g, size_t member)
{
    for (size_t i = 0; i < g->axes.n; i++)
        if (!g->axes.items[i].structural && grid_index(g, member, i) != 0)
            return false;
    return true;
}

/* a varied parameter is a column already */
static void drop_varied(Sweep *s)
{
    Selection *list = &s->selection;
    size_t kept = 0;
    for (size_t i = 0; i < list->list.n; i++) {
        bool varied = false;
        for (size_t k = 0; k < s->grid->axes.n && list->list.items[i].constant; k++)
            varied |= strcmp(list->list.items[i].name, s->grid->axes.items[k].name) == 0;
        if (!varied)
            list->list.items[kept++] = list->list.items[i];
    }
    list->list.n = kept;
}

/* Parameters of the model itself that are recorded and not varied follow from those that are, and
 * energies are those of one system: each member is instantiated alone to know them. */
static bool records_own(const Sweep *s)
{
    for (size_t i = 0; i < s->selection.list.n; i++)
        if (s->selection.list.items[i].own || s->selection.list.items[i].energy)
            return true;
    return false;
}

/* adds the columns of a structure, none of them if --record is no expression; the system was the
 * last one to be instantiated */
static void join_columns(Sweep *s, LiederSystem *system)
{
    const char *regex = s->settings->run.record;
    char message[64];
    Pattern *pattern = regex ? pattern_create(regex, message, sizeof message) : NULL;
    if (regex && !pattern)
        return;
    Selection selection;
    if (pattern) {
        select_matching(&selection, system, pattern);
        select_own(&selection, s->main.loaded.front, pattern);
        select_energies(&selection, system, pattern);
    } else {
        select_default(&selection, system);
    }
    s->selection.failed |= selection.failed || (pattern && pattern_failed(pattern));
    pattern_destroy(pattern);
    selection_join(&s->selection, &selection);
    selection_drop(&selection);
}

/* the columns of all structures that the grid has */
static ExitCode choose_columns(Sweep *s, LiederSystem *system)
{
    const RunSettings *w = &s->settings->run;
    ExitCode code = EXIT_DONE;
    for (size_t m = 0; m < s->grid->n && s->group < s->grid->n; m += s->group) {
        LiederSystem *other =
            begins_structure(s->grid, m) ? members_create(&s->main, s, m, 1, 1) : NULL;
        if (other)
            join_columns(s, other);
        lieder_system_destroy(other);
    }
    lieder_diagnostic_clear(s->main.loaded.session);
    /* one structure, or nothing found: its messages are printed here */
    if (s->selection.list.n == 0 && !s->selection.failed) {
        selection_drop(&s->selection);
        lieder_system_destroy(members_create(&s->main, s, s->typical, 1, 1));
        code = run_select(w, s->log, system, s->main.loaded.front, true, &s->selection);
    }
    drop_varied(s);
    s->lanes &= !records_own(s);
    if (code == EXIT_DONE && s->selection.failed) {
        log_error(s->log, "out of memory for the columns");
        code = EXIT_SIMULATION;
    }
    return code;
}

/* ------------------------------------------------------------------ all of it */

/* as many members as keep their rows within bounds and all threads busy */
static void choose_batch(Sweep *s, size_t threads)
{
    const LiederSimulateOptions *o = &s->options;
    double rows = o->interval > 0 ? (o->stop - o->start) / o->interval + 2 : 502;
    double bytes = 8 * (double)(s->selection.list.n + 1) * (s->settings->summary ? SUMS : rows);
    size_t n = s->lanes ? (size_t)fmin(MAX_BATCH, BATCH_BYTES / bytes) : 1;
    /* some for each rank, so that none waits long for the last */
    size_t workers =
        cluster_count() > 1 ? RANK_BATCHES * threads * (size_t)cluster_count() : threads;
    size_t share = (s->grid->n + workers - 1) / workers;
    if (n > share)
        n = share;
    s->batch = n < 1 ? 1 : n > s->group ? s->group : n;
}

/* the path of the results, which must not be a file that is read */
static ExitCode choose_output(Sweep *s)
{
    const RunSettings *w = &s->settings->run;
    s->output = path_of_results(s->log, w->output, s->main.loaded.title, "_sweep.csv");
    if (!s->output)
        return EXIT_SIMULATION;
    const PathOfCommand paths[] = {{"the result", s->output, true},
                                   {"the model", w->source.file, false}};
    return paths_check(s->log, paths, 2) &&
                   paths_check_read(s->log, &s->main.loaded, "the result", s->output)
               ? EXIT_DONE
               : EXIT_USAGE;
}

ExitCode sweep_plan(Sweep *s, size_t threads)
{
    LiederSystem *system = NULL;
    ExitCode code = find_typical(s, &system);
    if (code == EXIT_DONE && !s->unwritten)
        code = choose_output(s);
    if (code == EXIT_DONE) {
        s->options = run_options(&s->settings->run, &s->main.loaded.experiment);
        if (simulate_prefers_own_clocks(system, &s->options, s->grid->n))
            s->options.clocks = LIEDER_CLOCKS_OWN;
        s->lanes = simulate_keeps_lanes_apart(system, &s->options);
        if (s->lanes && solver_is_one_step(s->options.solver))
            s->options.clocks =
                LIEDER_CLOCKS_OWN; /* a member alone has the rows of one among many */
        if (!run_check_times(&s->options, s->log) ||
            !run_check_adaptive(&s->settings->run, &s->options, s->log))
            code = EXIT_USAGE;
    }
    if (code == EXIT_DONE) {
        find_structure(s, system);
        code = choose_columns(s, system);
    }
    if (code == EXIT_DONE) {
        choose_batch(s, threads);
        if (cluster_rank() == 0 && !s->unwritten)
            code = sweep_open_file(s, system);
    }
    lieder_system_destroy(system);
    return code;
}
