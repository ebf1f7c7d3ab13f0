/* limits.c - variables that are no states and leave the range of their attributes min and max.
 *
 * They are examined in every row of a run, the first MAX_ELEMENTS of an array, and reported at its
 * end as warnings. SLACK times the largest |value| of the run counts as rounding. States are
 * examined after every step, by ranges.c.
 */
#include "solve/judge/watcher.h"

#include <math.h>

enum { MAX_ELEMENTS = 16, MAX_WATCHES = 10000, MAX_REPORTED = 3 };
static const double SLACK = 1e-6;

/* the elements of one row of the table of variables; false: memory ran out */
static bool watch_variable(Watcher *w, size_t row)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(w->system);
    LiederVariableInfo v = lieder_variable_info(w->system, row);
    if ((v.kind != LIEDER_VARIABLE_OBSERVABLE && v.kind != LIEDER_VARIABLE_DISCRETE) ||
        (v.min == -INFINITY && v.max == INFINITY))
        return true;
    for (size_t i = 0; i < v.n && i < MAX_ELEMENTS && w->limits.n < MAX_WATCHES; i++) {
        Limit l = {.min = v.min, .max = v.max, .lowest = INFINITY, .highest = -INFINITY};
        if (!lieder_variable_handle(w->system, row, i, &l.handle) ||
            !lieder_handle_here(w->system, &l.handle))
            continue;
        if (lieder_observer_watch(w->observer, &l.handle) < 0 || !vec_push(alloc, &w->limits, l) ||
            !vec_push(alloc, &w->values, (WatchedValue){.kind = WATCHED_LIMIT}))
            return false;
    }
    return true;
}

bool limits_watch(Watcher *w)
{
    for (size_t i = 0, n = lieder_variable_count(w->system); i < n; i++)
        if (!watch_variable(w, i))
            return false;
    return true;
}

void limits_row(Watcher *w, double t)
{
    for (size_t i = 0; i < w->limits.n; i++) {
        Limit *l = &w->limits.items[i];
        double value = w->numbers[w->first[WATCHED_LIMIT] + i];
        bool below = value<l->min, above = value> l->max;
        if ((below && !(l->lowest < l->min)) || (above && !(l->highest > l->max))) {
            l->t = t;
            l->value = value;
        }
        l->lowest = fmin(l->lowest, value);
        l->highest = fmax(l->highest, value);
    }
}

void limits_report(const Watcher *w)
{
    size_t reported = 0;
    for (size_t i = 0; i < w->limits.n; i++) {
        const Limit *l = &w->limits.items[i];
        double slack = SLACK * fmax(fabs(l->lowest), fabs(l->highest));
        bool below = l->lowest<l->min - slack, above = l->highest> l->max + slack;
        char name[600];
        if ((!below && !above) || reported++ >= MAX_REPORTED)
            continue;
        diag_warning(&w->system->session->diag, NULL,
                     lieder_handle_name(w->system, &l->handle, name, sizeof name),
                     "this variable becomes %g, %s %g; it left its range by t = %.6g\nthe model "
                     "says by %s that it never does: a parameter may be wrong, or the model does "
                     "not hold there",
                     below ? l->lowest : l->highest, below ? "below" : "above",
                     below ? l->min : l->max, l->t, below ? "min" : "max");
    }
    if (reported > MAX_REPORTED)
        diag_warning(&w->system->session->diag, NULL, NULL,
                     "%zu other variables leave the ranges of min and max\nlook at these first",
                     reported - MAX_REPORTED);
}
