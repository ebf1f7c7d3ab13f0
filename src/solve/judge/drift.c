/* drift.c - constraints that are kept by their derivatives (equation/cell/cell.h) and come apart,
 * or depend on each other.
 *
 * Errors of integration add up in them faster than they fade if steps are too long: rods no longer
 * meet, energy comes from nowhere, and no equation of the run shows it. The class computes how far
 * they are off in parts of their size (equation/class/class_drift.c), its drift. It is examined in
 * every row: more than NEAR is reported once, more than FAR ends the run. Rejected: assertions of
 * the class, which every fixed step would have to examine.
 *
 * Likewise with change points, where the motion may go on in two ways. The class computes their
 * regularity, which is zero there. After a row in which it is below CLOSE, or may be before the
 * next row, every step is examined, long ones inside, too; below AT it is reported once.
 *
 * Ranks report the worst value of all of them, and decide alike.
 */
#include "solve/run/ranks.h"
#include "solve/judge/watcher.h"

#include <math.h>

static const double NEAR = 1e-3, FAR = 0.1, CLOSE = 0.2, AT = 0.01;
enum { THIRDS = 20 };

/* a kept constraint came apart */
static void report_drift(Watcher *w, size_t i, double t)
{
    static const char advice[] = "it is kept by its derivatives, and errors of integration add up "
                                 "in it: take a smaller step or tolerance, or a solver of higher "
                                 "order";
    const WatchedValue *v = &w->values.items[i];
    char path[512];
    watched_path(w, v, path, sizeof path);
    if (w->drift.failed)
        diag_error(&w->system->session->diag, NULL, path,
                   "a constraint is off by %.3g of its size at t = %.9g, the motion is another "
                   "one (%s)\n%s",
                   w->numbers[i], t, v->text, advice);
    else
        diag_warning(&w->system->session->diag, NULL, path,
                     "a constraint is off by %.3g of its size at t = %.9g, and what follows from "
                     "it as well (%s)\n%s",
                     w->numbers[i], t, v->text, advice);
}

/* constraints depend on each other here: the mechanism may go on in two ways */
static void report_point(Watcher *w, size_t i, double t)
{
    const WatchedValue *v = &w->values.items[i];
    char path[512];
    diag_warning(&w->system->session->diag, NULL, watched_path(w, v, path, sizeof path),
                 "the constraints depend on each other at t = %.9g (%s): this is a change point, "
                 "where the mechanism may go on in two ways, as a parallelogram that is flat, or "
                 "angles in space are singular\nerrors of integration decide how it goes on: keep "
                 "away from it, guide the mechanism through it by something elastic, or choose "
                 "other angles",
                 t, v->text);
}

/* the value of a kind that is greatest times `sign`; a lane that sleeps has no number */
static size_t find_worst(const Watcher *w, WatchedKind kind, double sign)
{
    size_t worst = w->end[kind];
    for (size_t i = w->first[kind]; i < w->end[kind]; i++)
        if (!isnan(w->numbers[i]) &&
            (worst == w->end[kind] || sign * w->numbers[i] > sign * w->numbers[worst]))
            worst = i;
    return worst;
}

/* Judges the numbers of t in w->numbers; `good`: they are known. Returns the smallest regularity of
 * all ranks, NaN: not known. */
static double judge_drift(Watcher *w, double t, bool good)
{
    Drift *d = &w->drift;
    size_t worst = find_worst(w, WATCHED_DRIFT, 1), point = find_worst(w, WATCHED_REGULARITY, -1);
    bool has_worst = good && worst < w->end[WATCHED_DRIFT],
         has_point = good && point < w->end[WATCHED_REGULARITY];
    double off = has_worst ? w->numbers[worst] : -INFINITY,
           regular = has_point ? w->numbers[point] : INFINITY,
           most = ranks_greatest(w->system, off), least = ranks_least(w->system, regular);
    d->failed = most > FAR;
    if (least < AT && !d->passed) {
        if (ranks_first_with(w->system, -regular))
            report_point(w, point, t);
        d->passed = true;
    }
    if (d->failed || (most > NEAR && !d->reported)) {
        if (ranks_first_with(w->system, off))
            report_drift(w, worst, t);
        d->reported = true;
    }
    return least < INFINITY ? least : NAN;
}

bool drift_row(Watcher *w, double t, bool good)
{
    Drift *d = &w->drift;
    if (!d->shared)
        return true;
    double now = judge_drift(w, t, good);
    d->close = !d->passed && fmin(now, now - 2 * (d->row - now)) < CLOSE;
    if (t > d->t)
        d->speed = fabs(now - d->last) / (t - d->t);
    d->row = d->last = now;
    d->t = t;
    return !d->failed;
}

/* examines a point inside the last step */
static double examine_between(Watcher *w, double t, const Moment *moment, Adaptive *method)
{
    adaptive_between(method, t, w->x);
    bool good = w->values.n && watcher_evaluate(w, t, moment, w->x, w->numbers);
    return judge_drift(w, t, good);
}

/* finds the least regularity between the last point and t by thirds, since it has one minimum in so
 * short a time */
static void search_change(Watcher *w, double t, const Moment *moment, Adaptive *method)
{
    Drift *d = &w->drift;
    double low = d->t, high = t;
    for (int k = 0; k < THIRDS && !d->passed && !d->failed; k++) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        double at_a = examine_between(w, a, moment, method),
               at_b = examine_between(w, b, moment, method);
        *(at_a < at_b ? &high : &low) = at_a < at_b ? b : a;
    }
}

bool drift_wanted(const Watcher *w, double t)
{
    const Drift *d = &w->drift;
    return d->close && !d->passed && !d->failed && t > d->t;
}

bool drift_step(Watcher *w, double t, const Moment *moment, Adaptive *method, bool good)
{
    Drift *d = &w->drift;
    double now = judge_drift(w, t, good), change = fabs(now - d->last);
    /* by its last change or its speed before that it may have been near zero inside the step */
    if (method && fmax(change, d->speed * (t - d->t)) > 0.5 * fmin(now, d->last))
        search_change(w, t, moment, method);
    d->speed = change / (t - d->t);
    d->last = now;
    d->t = t;
    return !d->failed;
}
