/* plot_read.c - the results as runs.
 *
 * A file is one run, or one for every value of the columns it is grouped by (a sweep writes its
 * parameters before the time). A run keeps x and the variables; where its time begins anew without
 * a column that tells, the curves have a gap.
 */
#include <math.h>
#include <string.h>

#include "cli/plot.h"

/* a row begins with time and x */
enum { ROW_TIME, ROW_X, ROW_REST };

/* two values of a group are the same when they are, or when both are missing */
static bool same_groups(const Plot *p, const PlotRun *run)
{
    for (size_t i = 0; i < p->groups.n; i++)
        if (run->groups[i] != p->key[i] && !(isnan(run->groups[i]) && isnan(p->key[i])))
            return false;
    return true;
}

static PlotRun *new_run(Plot *p)
{
    PlotRun run = {.result = p->reading,
                   .groups = arena_zeroed(&p->arena, (p->groups.n + 1) * sizeof(double)),
                   .y = arena_zeroed(&p->arena, p->variables.n * sizeof(Series))};
    if (!run.groups || !run.y || !vec_push(HEAP, &p->runs, run))
        return NULL;
    memcpy(run.groups, p->key, p->groups.n * sizeof(double));
    return &p->runs.items[p->runs.n - 1];
}

/* the run that a row belongs to */
static PlotRun *find_run(Plot *p)
{
    for (size_t i = p->runs.n; i-- > 0 && p->runs.items[i].result == p->reading;)
        if (same_groups(p, &p->runs.items[i]))
            return &p->runs.items[i];
    return new_run(p);
}

/* values NULL: a gap */
static void push_point(Plot *p, PlotRun *run, const double *values)
{
    const ptrdiff_t *column = p->column + p->groups.n;
    p->failed |= !vec_push(HEAP, &run->x, values ? values[ROW_X] : NAN);
    for (size_t i = 0; i < p->variables.n; i++)
        if (column[i] != ABSENT)
            p->failed |= !vec_push(HEAP, &run->y[i], values ? values[column[i]] : NAN);
}

/* adds a row to the run with the same values of the group columns; false stops the reading */
static bool keep_plot_row(void *user, const double *values)
{
    Plot *p = user;
    double t = values[ROW_TIME];
    p->nrow++;
    if (t < p->given->from || t > p->given->to)
        return true;
    for (size_t i = 0; i < p->groups.n; i++)
        p->key[i] = p->column[i] == ABSENT ? NAN : values[p->column[i]];
    if (!p->run || !same_groups(p, p->run))
        p->run = find_run(p);
    else if (t < p->last && !p->summary) // another run begins, and no column tells it
        push_point(p, p->run, NULL);
    p->last = t;
    if (!p->run)
        return !(p->failed = true);
    push_point(p, p->run, values);
    return !p->failed;
}

/* the columns of a result that are needed, and where in a row they stand; their number */
static size_t choose_plot_columns(Plot *p, const Result *r, size_t x, size_t *wanted)
{
    size_t n = 0;
    wanted[n++] = r->time;
    wanted[n++] = x;
    for (size_t i = 0; i < p->groups.n + p->variables.n; i++) {
        const char *name =
            i < p->groups.n ? p->groups.items[i] : p->variables.items[i - p->groups.n].name;
        ptrdiff_t at = result_find(r, name);
        p->column[i] = at < 0 ? ABSENT : (ptrdiff_t)n;
        if (at >= 0)
            wanted[n++] = (size_t)at;
    }
    return n;
}

/* the wanted columns of one result; a result without the x column is left out */
static ExitCode read_result(Plot *p, size_t index)
{
    Result *r = &p->results.items[index];
    ptrdiff_t x = result_find(r, p->x);
    if (x < 0)
        return EXIT_DONE;
    size_t most = ROW_REST + p->groups.n + p->variables.n;
    size_t *wanted = arena_zeroed(&p->arena, most * sizeof *wanted);
    p->column = arena_zeroed(&p->arena, most * sizeof *p->column);
    p->key = arena_zeroed(&p->arena, (p->groups.n + 1) * sizeof *p->key);
    p->reading = index;
    p->run = NULL;
    if (!wanted || !p->column || !p->key)
        return plot_no_memory(p->log);
    size_t n = choose_plot_columns(p, r, (size_t)x, wanted);
    LiederStatus status = result_read(r, wanted, n, keep_plot_row, p);
    if (p->failed)
        return plot_no_memory(p->log);
    if (status < 0) {
        log_error(p->log, "%s", r->message);
        return EXIT_IO;
    }
    if (*r->message)
        log_note(p->log, "%s", r->message);
    return EXIT_DONE;
}

ExitCode plot_read(Plot *p)
{
    ExitCode code = EXIT_DONE;
    for (size_t i = 0; code == EXIT_DONE && i < p->results.n; i++)
        code = read_result(p, i);
    if (code != EXIT_DONE || p->runs.n)
        return code;
    if (p->nrow)
        log_error(p->log, "there are no rows between %g and %g s\ngive other --from and --to",
                  p->given->from, p->given->to);
    else
        log_error(p->log, "%s has no rows: there is nothing to draw", p->results.items[0].path);
    return EXIT_USAGE;
}
