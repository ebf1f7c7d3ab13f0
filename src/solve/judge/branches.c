/* branches.c - systems of nonlinear equations that go over from one of their solutions to another.
 *
 * An iteration begins at the solution of the last accepted point (guess.c). Where a system has
 * several solutions, the present one may end, or another one close to it may be found: unknowns
 * jump without an event. So the unknowns are compared between points of the run between which no
 * choice or memory has changed: accepted steps and rows, or chunks of fixed steps of models without
 * choices and memory.
 *
 * Where one has changed by more than CHANGE of its size, the straight line between the two points
 * (t, x) is bisected towards the larger part of the change. On a single solution the change shrinks
 * with the piece; a change of which more than SHARE is left over 2^-PIECES of the line is a jump.
 * Steep solutions cost some bisections, others about seven. Of large systems the unknowns that
 * messages show are watched.
 *
 * A jump need not be the end of the solution: the guess may be too far away, as after a long step.
 * So adaptive runs take a new guess right before the jump, where the solution is known, and examine
 * the rest of the line again, up to its end or to a jump that stays where it is. If its end is
 * reached, rows and the guess of the next step are on the solution that goes on. Either case is
 * reported once.
 */
#include "solve/judge/watcher.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double CHANGE = 0.05, SHARE = 0.01;
enum { PIECES = 44, MAX_GUESSES = 100, NAME = 700 };

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
    w->branches.reported = true;
}

bool branches_wanted(const Watcher *w)
{
    return w->end[WATCHED_UNKNOWN] > w->first[WATCHED_UNKNOWN] && !w->branches.reported;
}

/* unknown i on the line from the last point (0) to the present one (1), on which a jump is
 * sought */
typedef struct JumpLine {
    size_t i;
    double t;
    const double *x;
    const Moment *moment;
    double low, high; /* part of the line that is left; in the end the two sides of the jump */
    double from, to;  /* values there */
} JumpLine;

/* states of a point of the line in w->x; returns its time */
static double line_point(Watcher *w, const JumpLine *line, double at)
{
    for (size_t s = 0; s < w->system->nstate; s++)
        w->x[s] = (1 - at) * w->before[s] + at * line->x[s];
    return (1 - at) * w->branches.t + at * line->t;
}

/* whether the unknown jumps between low and high, which become the two sides of the jump */
static bool jumps(Watcher *w, JumpLine *line)
{
    double whole = fabs(line->to - line->from);
    for (int k = 0; k < PIECES && fabs(line->to - line->from) > SHARE * whole; k++) {
        double middle = 0.5 * (line->low + line->high), t = line_point(w, line, middle);
        if (!watcher_evaluate(w, t, line->moment, w->x, w->other) || !isfinite(w->other[line->i]))
            return false;
        double here = w->other[line->i];
        bool first = fabs(here - line->from) >= fabs(line->to - here);
        *(first ? &line->high : &line->low) = middle;
        *(first ? &line->to : &line->from) = here;
    }
    return whole > 0 && fabs(line->to - line->from) > SHARE * whole;
}

/* after a jump: whether guesses taken on the way lead to the end of the line without one; the
 * numbers there are new then */
static bool arrives(Watcher *w, JumpLine *line)
{
    for (int k = 0; k < MAX_GUESSES && w->events; k++) {
        double low = line->low, t = line_point(w, line, low);
        guesses_take(w->events, t, line->moment, w->x);
        if (!watcher_evaluate(w, line->t, line->moment, line->x, w->numbers) ||
            !isfinite(w->numbers[line->i]))
            return false;
        line->high = 1;
        line->to = w->numbers[line->i];
        if (!jumps(w, line))
            return true;
        if (!(line->low > low + ldexp(1, -PIECES / 2)))
            return false;
    }
    return false;
}

/* warns of an unknown that has jumped */
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
    w->branches.reported = true;
}

/* warns that guesses on the way were needed to follow the solution */
static void report_followed(Watcher *w, size_t i, double t)
{
    char name[NAME];
    if (w->branches.followed)
        return;
    w->branches.followed = true;
    unknown_name(w, &w->values.items[i], name);
    diag_warning(&w->system->session->diag, NULL, name,
                 "its equations have several solutions, and at t = %.9g an iteration from the last "
                 "step finds another one than that which goes on: the run follows the latter\n"
                 "where solutions move by more than their distance between rows this may be "
                 "missed: compare with a run of short steps (--step), or write the equations so "
                 "that they have one",
                 t);
}

void branches_step(Watcher *w, double t, const Moment *moment, const double *x, bool good)
{
    size_t n = w->system->nstate, first = w->first[WATCHED_UNKNOWN], end = w->end[WATCHED_UNKNOWN];
    double *before = w->before + n, *now = w->numbers;
    for (size_t i = first; i < end && good; i++)
        good = isfinite(now[i]);
    for (size_t i = first; i < end && good && w->branches.known && !w->branches.reported; i++) {
        JumpLine line = {i, t, x, moment, 0, 1, before[i], now[i]};
        if (!(fabs(now[i] - before[i]) > CHANGE * (fabs(now[i]) + fabs(before[i]))) ||
            !jumps(w, &line))
            continue;
        if (arrives(w, &line))
            report_followed(w, i, t);
        else
            report_jump(w, i, (1 - line.high) * w->branches.t + line.high * t, line.from, line.to);
    }
    memcpy(w->before, x, n * sizeof(double));
    memcpy(before, now, w->values.n * sizeof(double));
    w->branches.t = t;
    w->branches.known = good;
}
