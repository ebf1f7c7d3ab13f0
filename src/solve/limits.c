/* limits.c - variables that are no states and leave the range of their attributes min and max.
 *
 * They are looked at in every row of a run, the first MAX_ELEMENTS of an array, and told at its end
 * as warnings. What counts is measured by what the variable amounts to, lowest and highest value
 * of the run: SLACK of that is rounding. States are looked at after every step, by ranges.c.
 */
#include "solve/solve.h"

#include <math.h>
#include <string.h>

enum { MAX_ELEMENTS = 16, MAX_WATCHES = 10000, MAX_TOLD = 3 };
static const double SLACK = 1e-6;

/* does some class have such a variable? */
static bool has_limits(const LiederSystem *system)
{
    for (size_t i = 0; i < system->nhome; i++) {
        const Shape *shape = system->shapes.items[i].shape;
        for (size_t c = 0; c < shape->components.n; c++) {
            const LiederClassDef *def = shape->components.items[c].class_->def;
            for (int k = 0; k < def->nmember; k++)
                if (member_has_limits(&def->members[k]))
                    return true;
        }
    }
    return false;
}

/* the elements of one row of the table of variables; false: memory ran out */
static bool watch_variable(Limits *l, size_t row)
{
    LiederVariableInfo v = lieder_variable_info(l->system, row);
    if ((v.kind != LIEDER_VARIABLE_OBSERVABLE && v.kind != LIEDER_VARIABLE_DISCRETE) ||
        (v.min == -INFINITY && v.max == INFINITY))
        return true;
    for (size_t i = 0; i < v.n && i < MAX_ELEMENTS && l->watches.n < MAX_WATCHES; i++) {
        Limit w = {.min = v.min, .max = v.max, .lowest = INFINITY, .highest = -INFINITY};
        if (!lieder_variable_handle(l->system, row, i, &w.handle) ||
            !lieder_handle_here(l->system, &w.handle))
            continue;
        if (lieder_observer_watch(l->observer, &w.handle) < 0 ||
            !vec_push(SYSTEM_ALLOC(l->system), &l->watches, w))
            return false;
    }
    return true;
}

LiederStatus limits_create(Limits *l, LiederSystem *system)
{
    *l = (Limits){.system = system};
    if (!has_limits(system))
        return LIEDER_DONE;
    bool good = (l->observer = lieder_observer_create(system)) != NULL;
    for (size_t i = 0, n = good ? lieder_variable_count(system) : 0; good && i < n; i++)
        good = watch_variable(l, i);
    if (good && l->watches.n)
        l->values = memory_zeroed(SYSTEM_ALLOC(system), l->watches.n * sizeof(double));
    return good && (l->values || !l->watches.n) ? LIEDER_DONE : LIEDER_NO_MEMORY;
}

void limits_drop(Limits *l)
{
    if (!l->system)
        return;
    if (l->observer)
        lieder_observer_destroy(l->observer);
    if (l->values)
        memory_free(SYSTEM_ALLOC(l->system), l->values, l->watches.n * sizeof(double));
    vec_drop(SYSTEM_ALLOC(l->system), &l->watches);
    *l = (Limits){0};
}

void limits_row(Limits *l, double t, const double *x)
{
    if (!l->values || lieder_observer_evaluate(l->observer, t, x, l->values) != LIEDER_DONE)
        return;
    for (size_t i = 0; i < l->watches.n; i++) {
        Limit *w = &l->watches.items[i];
        double value = l->values[i];
        bool below = value<w->min, above = value> w->max;
        if ((below && !(w->lowest < w->min)) || (above && !(w->highest > w->max))) {
            w->t = t;
            w->value = value;
        }
        w->lowest = fmin(w->lowest, value);
        w->highest = fmax(w->highest, value);
    }
}

void limits_report(const Limits *l)
{
    size_t told = 0;
    for (size_t i = 0; i < l->watches.n; i++) {
        const Limit *w = &l->watches.items[i];
        double slack = SLACK * fmax(fabs(w->lowest), fabs(w->highest));
        bool below = w->lowest<w->min - slack, above = w->highest> w->max + slack;
        char name[600];
        if ((!below && !above) || told++ >= MAX_TOLD)
            continue;
        diag_warning(&l->system->session->diag, NULL,
                     lieder_handle_name(l->system, &w->handle, name, sizeof name),
                     "this variable becomes %g, %s %g; it left its range by t = %.6g\nthe model "
                     "says by %s that it never does: a parameter may be wrong, or the model does "
                     "not hold there",
                     below ? w->lowest : w->highest, below ? "below" : "above",
                     below ? w->min : w->max, w->t, below ? "min" : "max");
    }
    if (told > MAX_TOLD)
        diag_warning(&l->system->session->diag, NULL, NULL,
                     "%zu other variables leave the ranges of min and max\nlook at these first",
                     told - MAX_TOLD);
}
