/* twin.c - how errors of steps add up over a run.
 *
 * A tolerance limits the error of a step. A motion that forgets its errors ends with those of its
 * last steps; a motion that keeps them ends with their sum: after 1000 periods an oscillator is 10
 * to 90 tolerances off, by its solver, though each step is right. No error of a step shows that,
 * and steps so accurate that the sum stays small would cost all other runs twice as much. So the
 * sum is measured, and reported.
 *
 * Windows of a run, each a PART-th of the steps before it, the next one after APART times as many
 * steps, are run again by a twin, the same solver from the same state with COARSE times the
 * tolerance. Its distance from the run is about COARSE times the error of the run, at TWIN_POINTS
 * points:
 *
 *   d_k = max_i |x_i - twin_i| / (COARSE tolerance (nominal_i + |x_i|))    in tolerances
 *
 * Where the sum of the later three is ADDS times that of the first three (it would be 2.5 times),
 * errors add up: by the most that a step of the window has added, in all steps that the window
 * stands for. A motion that forgets slowly looks like that for a while, so the first window that
 * shows a sum worth reporting goes on until it is EXTENSION times as long, and is believed if it
 * shows the same then. Where the sum is MULTIPLIES times as large in two windows in a row, errors
 * multiply; else they are forgotten.
 *
 * Events end a window, since the twin has no choices of its own: a run with events every few steps
 * is not measured. Neither are lanes with clocks of their own, delays, and runs of fewer than FIRST
 * steps, whose sums are small.
 */
#include "solve/judge/twin.h"
#include "solve/method/adaptive.h"
#include "solve/run/ranks.h"

#include <math.h>
#include <string.h>

enum {
    FIRST = 2000, /* steps before the first window */
    APART = 3,
    PART = 40,
    EXTENSION = 8,
    MAX_EXTENSIONS = 2,
    MAX_FACTOR = 16,          /* steps of the twin for each of the run */
    MAX_STATES = 100000,      /* of a model that is measured */
    VECTORS = TWIN_POINTS + 2 /* points of the run, its begin, the state of the twin */
};
static const double COARSE = 10, ADDS = 1.5, MULTIPLIES = 6;
static const double MANY = 10; /* tolerances that are reported */

LiederStatus twin_create(Twin *w, Team *team, const Moment *moment, LiederSolver solver,
                         double tolerance, double longest, double start, double stop)
{
    LiederSystem *system = team->system;
    *w = (Twin){0};
    size_t most = (size_t)ranks_greatest(system, (double)system->nstate);
    if (most == 0 || most > MAX_STATES || COARSE * tolerance > 0.5)
        return LIEDER_DONE;
    *w = (Twin){.system = system,
                .team = team,
                .moment = moment,
                .solver = solver,
                .tolerance = tolerance,
                .longest = longest,
                .n = system->nstate,
                .start = start,
                .stop = stop,
                .next = FIRST,
                .state = -1};
    return LIEDER_DONE;
}

void twin_drop(Twin *w)
{
    if (!w->system)
        return;
    memory_free(SYSTEM_ALLOC(w->system), w->x, (VECTORS * w->n + 1) * sizeof(double));
    *w = (Twin){0};
}

static double *point_of(const Twin *w, size_t k)
{
    return w->x + k * w->n;
}

/* the tolerance of the twin, by that of the run: where a first window has shown a sum it is finer,
 * so that the distance is the error of the run itself */
static double twin_factor(const Twin *w)
{
    bool finer =
        (w->extended || w->confirmed) && w->tolerance > COARSE * adaptive_finest(w->solver);
    return finer ? 1 / COARSE : COARSE;
}

/* how far the twin is off at a point, in tolerances of the run; *state: which one most, or -1 */
static double distance_at(const Twin *w, const double *twin, const double *x, ptrdiff_t *state)
{
    double most = 0, unit = fmax(1, twin_factor(w));
    *state = -1;
    for (size_t i = 0; i < w->n; i++) {
        double size = state_nominal(w->system, i) + fabs(x[i]);
        double off = fabs(twin[i] - x[i]) / (unit * w->tolerance * size);
        if (off > most) {
            most = off;
            *state = (ptrdiff_t)i;
        }
    }
    double all = ranks_greatest(w->system, most);
    if (!ranks_first_with(w->system, most))
        *state = -1;
    return all;
}

/* Runs the twin from the begin of the window through all its points. A twin that needs many more
 * steps than its tolerance explains follows the rounding of a state, and is given up. */
static LiederStatus run_twin(Twin *w, Adaptive *method, double *off, ptrdiff_t *state)
{
    double t = w->t[0], *x = point_of(w, TWIN_POINTS + 1);
    size_t left = MAX_FACTOR * w->length;
    memcpy(x, point_of(w, 0), w->n * sizeof(double));
    LiederStatus status = adaptive_create(method, w->team, w->solver, twin_factor(w) * w->tolerance,
                                          w->longest, &(Glances){0}, t, w->moment, x);
    status = ranks_status(w->system, status, w->system->session->diag.list.n);
    if (status == LIEDER_DONE)
        status = adaptive_restart(method, t, x);
    for (size_t k = 1; k <= TWIN_POINTS && status == LIEDER_DONE; k++) {
        while (t < w->t[k] && status == LIEDER_DONE)
            status = left-- ? adaptive_step(method, w->t[k], &t, x) : LIEDER_GAVE_UP;
        if (status == LIEDER_DONE)
            off[k - 1] = distance_at(w, x, point_of(w, k), &state[k - 1]);
    }
    return status;
}

/* does the distance grow on the whole way, other than one that swings about a level? */
static bool distance_rises(const double *off)
{
    enum { MOST = TWIN_POINTS * (TWIN_POINTS - 1) / 2 };
    int up = 0;
    for (int i = 0; i < TWIN_POINTS; i++)
        for (int k = 0; k < i; k++)
            up += off[i] > off[k];
    return 5 * up >= 4 * MOST;
}

/* judges a window by its distances; true: it has to be longer before that is believed */
static bool judge_window(Twin *w, const double *off, const ptrdiff_t *state)
{
    double early = 0, late = 0, rate = 0, last = 0, t = w->t[TWIN_POINTS];
    for (size_t k = 0; k < TWIN_POINTS; k++) {
        bool later = 2 * k >= TWIN_POINTS;
        *(later ? &late : &early) += off[k];
        if (later && off[k] >= last) {
            last = off[k];
            w->state = state[k];
        }
        if (2 * (k + 1) >= TWIN_POINTS)
            rate = fmax(rate, off[k] * TWIN_POINTS / (double)((k + 1) * w->length));
    }
    w->kept = fmax(w->kept, last);
    w->last = last;
    w->last_at = t;
    w->growth = early > 0 ? late / early : 1;
    w->half = 0.5 * (t - w->t[0]);
    w->windows++;
    bool adds = late > ADDS * early && (!w->extended || distance_rises(off));
    if (!w->confirmed && !w->extended) {
        double steps = (double)w->steps * (w->stop - w->start) / (t - w->start);
        return adds && 2 * rate * steps > MANY && w->extensions++ < MAX_EXTENSIONS;
    }
    if (w->extended)
        *(adds ? &w->believed : &w->refuted) += 1;
    w->confirmed = w->believed > w->refuted;
    w->multiplied = adds && w->growth > MULTIPLIES ? w->multiplied + 1 : 0;
    /* the steps since the last window were like those of this one */
    w->rate = adds ? rate : 0;
    w->sum += w->rate * (double)(w->steps - w->covered);
    w->covered = w->steps;
    return false;
}

/* the window has ended: the same again by the twin. Its failure says nothing about the run. */
static LiederStatus close_window(Twin *w)
{
    double off[TWIN_POINTS] = {0};
    ptrdiff_t state[TWIN_POINTS] = {0};
    Adaptive method = {0};
    Diagnostics *diag = &w->system->session->diag;
    size_t said = diag->list.n;
    LiederStatus status = run_twin(w, &method, off, state);
    adaptive_destroy(&method);
    diag_forget(diag, said);
    w->extended = status == LIEDER_DONE && judge_window(w, off, state);
    if (w->extended) { /* all its points still lie ahead */
        w->length *= EXTENSION;
        w->point = 1;
    } else {
        w->begun = 0;
        w->next = APART * w->next;
    }
    return status == LIEDER_STOPPED || status == LIEDER_NO_MEMORY ? status : LIEDER_DONE;
}

LiederStatus twin_step(Twin *w, double t, const double *x, bool apart)
{
    if (!w->system)
        return LIEDER_DONE;
    w->steps++;
    if (apart && w->begun && w->extended) /* what it was for stays open */
        w->next = APART * w->next;
    if (apart) {
        w->begun = 0;
        w->extended = false;
    }
    if (!w->begun && w->steps < w->next)
        return LIEDER_DONE;
    if (!w->x) {
        w->x =
            memory_resize(SYSTEM_ALLOC(w->system), NULL, 0, (VECTORS * w->n + 1) * sizeof(double));
        if (ranks_any(w->system, !w->x))
            return LIEDER_NO_MEMORY;
    }
    if (!w->begun) {
        w->begun = w->steps;
        w->length = w->next / PART;
        w->point = 0;
    } else if (w->steps < w->begun + w->point * w->length / TWIN_POINTS) {
        return LIEDER_DONE;
    }
    memcpy(point_of(w, w->point), x, w->n * sizeof(double));
    w->t[w->point] = t;
    return w->point++ < TWIN_POINTS ? LIEDER_DONE : close_window(w);
}

void twin_report(const Twin *w, double t)
{
    char name[600];
    if (!w->system || !w->windows)
        return;
    double sum = fmax(w->sum + w->rate * (double)(w->steps - w->covered), w->kept);
    bool multiplies = w->multiplied > 1;
    if (multiplies)
        sum = fmin(w->last * pow(w->growth, (t - w->last_at) / w->half), 1 / w->tolerance);
    bool here = w->state >= 0;
    if (!(sum > MANY) || !here || !w->confirmed)
        return;
    lieder_system_state_name(w->system, (size_t)w->state, name, sizeof name);
    if (multiplies)
        diag_warning(&w->system->session->diag, NULL, name,
                     "this motion multiplies its errors, by %.2g in %.2g s: at t = %g they are "
                     "about %.1g tolerances, and no tolerance makes it right for long\nwhat is "
                     "right are averages and what is seen in a shorter run",
                     w->growth, w->half, t, sum);
    else
        diag_warning(&w->system->session->diag, NULL, name,
                     "errors of steps add up over this run: at its end this state is off by about "
                     "%.1g tolerances, %.1g of nominal + |value|, as a second run of some parts "
                     "shows\ntake a tolerance of %.1g if the end shall be right to %g",
                     sum, sum * w->tolerance, w->tolerance / sum, w->tolerance);
}
