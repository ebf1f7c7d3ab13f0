/* branches.c - systems of nonlinear equations that go over from one of their solutions to another.
 *
 * An iteration begins at the solution of the last accepted point (guess.c). Where a system has
 * several solutions, the one at hand may end, or one that lies close to it may be found: unknowns
 * jump, and no event says so. So the unknowns are compared between points of the run with nothing
 * held changed in between: accepted steps and rows, or chunks of fixed steps if nothing is held.
 *
 * Where one has changed by more than CHANGE of its size, the straight line between the two points
 * (t, x) is bisected towards the larger part of the change. On a single solution the change shrinks
 * with the piece; one that keeps more than half of its size over 2^-PIECES of the line is a jump,
 * and is reported once. Steep solutions cost some bisections, others three evaluations. Of large
 * systems the unknowns that messages show are watched.
 */
#include "solve/watcher.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double CHANGE = 0.05;
enum { PIECES = 40, NAME = 700 };

/* the name of an unknown in its lane */
static void unknown_name(const Watcher *w, const WatchedValue *v, char name[NAME])
{
    char path[512];
    watched_path(w, v, path, sizeof path);
    snprintf(name, NAME, "%s%s%s", path, *path ? "." : "", v->text);
}

bool branches_watch(Watcher *w, WatchedValue *v, const LiederSystemDef *def)
{
    for (int k = 0; k < def->nvalue; k++) {
        char name[NAME];
        size_t before = w->system->session->diag.list.n;
        v->text = def->names[k];
        unknown_name(w, v, name);
        bool listed = lieder_observer_add(w->observer, name) >= 0;
        diag_forget(&w->system->session->diag,
                    before); /* what this trial reports does not concern the user */
        if (listed && !vec_push(SYSTEM_ALLOC(w->system), &w->values, *v))
            return false;
    }
    return true;
}

void branches_forget(Watcher *w)
{
    w->branches.known = false;
}

void branches_end(Watcher *w)
{
    w->branches.told = true;
}

bool branches_wanted(const Watcher *w)
{
    return w->end[WATCHED_UNKNOWN] > w->first[WATCHED_UNKNOWN] && !w->branches.told;
}

/* whether unknown i jumps on the line from (t0, x0) to (t, x1), where it is v0 and v1; *at, *from
 * and *to: where, and its values on both sides */
static bool jumps(Watcher *w, size_t i, double t, const Moment *moment, const double *x1, double v0,
                  double v1, double *at, double *from, double *to)
{
    double low = 0, high = 1, whole = fabs(v1 - v0), t0 = w->branches.t;
    const double *x0 = w->before;
    for (int k = 0; k < PIECES && fabs(v1 - v0) > 0.5 * whole; k++) {
        double middle = 0.5 * (low + high);
        for (size_t s = 0; s < w->system->nstate; s++)
            w->x[s] = (1 - middle) * x0[s] + middle * x1[s];
        if (!watcher_evaluate(w, (1 - middle) * t0 + middle * t, moment, w->x, w->other) ||
            !isfinite(w->other[i]))
            return false;
        double here = w->other[i];
        bool first = fabs(here - v0) >= fabs(v1 - here);
        *(first ? &high : &low) = middle;
        *(first ? &v1 : &v0) = here;
    }
    *at = (1 - high) * t0 + high * t;
    *from = v0;
    *to = v1;
    return fabs(v1 - v0) > 0.5 * whole;
}

/* an unknown of Newton's iteration jumped where no state did */
static void report_jump(Watcher *w, size_t i, double t, double from, double to)
{
    char name[NAME];
    unknown_name(w, &w->values.items[i], name);
    diag_warning(&w->system->session->diag, NULL, name,
                 "it jumps from %g to %g at t = %.9g, where no state does: its equations have "
                 "several solutions, and the one that it was on has ended there\ngive start values "
                 "near the solution that is meant (start = ...), or write the equations so that "
                 "they have one; a jump that is meant belongs into a relation without noEvent",
                 from, to, t);
    w->branches.told = true;
}

void branches_step(Watcher *w, double t, const Moment *moment, const double *x, bool good)
{
    size_t n = w->system->nstate, first = w->first[WATCHED_UNKNOWN], end = w->end[WATCHED_UNKNOWN];
    double *before = w->before + n, *now = w->numbers, at, from, to;
    for (size_t i = first; i < end && good; i++)
        good = isfinite(now[i]);
    for (size_t i = first; i < end && good && w->branches.known && !w->branches.told; i++)
        if (fabs(now[i] - before[i]) > CHANGE * (fabs(now[i]) + fabs(before[i])) &&
            jumps(w, i, t, moment, x, before[i], now[i], &at, &from, &to))
            report_jump(w, i, at, from, to);
    memcpy(w->before, x, n * sizeof(double));
    memcpy(before, now, w->values.n * sizeof(double));
    w->branches.t = t;
    w->branches.known = good;
}
