/* stability.c - explicit fixed steps outside the region of stability, where the model bounds their
 * growth.
 *
 * A diode that blocks has a time constant of L Goff, far below any step. The current, instead of
 * vanishing, is multiplied by R(z) in every step, until it has the other sign and the diode
 * conducts: numbers jump about and stay small, so that growth.c sees nothing, and they mean
 * nothing. Dry friction with a steep slope does the same.
 *
 * After AT_FIRST steps, then 32, 64 and 128 more, then every STRIDE, a step of up to LANES
 * subsystems is examined, which take turns.
 *
 * 1) The fastest motion of the linearised model at the begin x0 of the step: d = J^4 f(x0) is
 *    carried by it, and z = h lambda follows from d, J d, J^2 d (growth.c). If there are more than
 *    two such eigenvalues, nothing is reported. The step is suspect if ln |R(z)| - max(0, Re z) >
 *    SUSPECT, that is, if the method multiplies a motion that the model does not.
 *
 *    It is suspect, too, if some state turns round in each of three steps and does not decay: a
 *    ball that is thrown from jaw to jaw is never where the linearised model is that of both.
 *    (Where the fastest motion is an oscillation of |Im z| > TURNS inside the region, its own steps
 *    do so: they decay, which fade.c reports.)
 *
 * 2) A suspect step does harm if that motion is there: the step ends elsewhere than its solution by
 *    shorter steps,
 *
 *      |x1 - fine| > WRONG max |fine - x0| + VISIBLE (nominal + max(|x0|, level))
 *
 *    in some state. |R(z) - e^z| > WRONG |1 - e^z| wherever |R| > 1 on the real axis.
 *
 * The step after an event is examined, too, where the run can afford it (one such examination in
 * EVENT_STEPS steps): a diode may block for a single step, and be thrown back.
 *
 * After a suspect step that does no harm the next one is examined, up to AGAIN times, since the
 * motion comes and goes; then the number of steps between examinations is doubled. In a stable run
 * an examination costs two dozen slopes of a subsystem.
 *
 * rk1 and rk2 multiply every undamped oscillation in each step, by far less than SUSPECT in short
 * ones. The growth ln |R(z)| - max(0, Re z) and the error |x1 - fine| of a state are summed over
 * the run, an examined step standing for all since the last one. If both sums are beyond SLOW, they
 * are reported at the end: the motion is there, and it grows.
 *
 * A model that is itself unstable has Re z > 0, and goes on. Large steps of stiff but damped
 * motions inside the region go on: these are wrong for some steps, and decay.
 */
#include "solve/judge/subsystem.h"

#include <math.h>
#include <string.h>

static const double SUSPECT = 0.01, WRONG = 0.5, VISIBLE = 1e-5, LASTS = 0.999;
static const double SLOW = 0.05, SLOWEST = 1e-9, TURNS = 1;
enum { STRIDE = 256, AT_FIRST = 16, AGAIN = 32, POWER = 4, LANES = 64, EVENT_STEPS = 64 };

/* one step of the run for the subsystem, from `from` to `to` */
static bool lane_step(const SubsystemStep *l, const RkSteps *k, size_t step, const double *from,
                      double *to)
{
    RkSteps one = *k;
    one.first = step;
    one.n = 1;
    one.x = l->whole;
    subsystem_put(l, from);
    if (rk_lane_steps(l->system, l->ss, l->lane, &one) != LIEDER_DONE)
        return false;
    subsystem_get(l, l->whole, to);
    return true;
}

/* the error of state s that counts as harm */
static double visible(const Growth *g, const SubsystemStep *l, size_t s, double before)
{
    double level = g->level[home_state(l->ss, s, l->lane)];
    return VISIBLE * (subsystem_nominal(l, s) + fmax(fabs(before), level));
}

/* 1: does a state turn round in every step from x on? room: three */
static bool alternates(const Growth *g, const SubsystemStep *l, const RkSteps *k, size_t step,
                       const double *x, double *room)
{
    double *y[3] = {room, room + l->n, room + 2 * l->n};
    for (size_t i = 0; i < 3; i++)
        if (!lane_step(l, k, step + i, i ? y[i - 1] : x, y[i]))
            return false;
    bool turns = false;
    for (size_t s = 0; s < l->n && !turns; s++) {
        double d0 = y[0][s] - x[s], d1 = y[1][s] - y[0][s], d2 = y[2][s] - y[1][s];
        turns = d0 * d1 < 0 && d1 * d2 < 0 && fabs(d2) > LASTS * fabs(d0) &&
                fabs(d0) > visible(g, l, s, x[s]);
    }
    return subsystem_any(l, turns);
}

/* 1: the logarithm by which the method multiplies a motion that the model does not; below zero: it
 * does not, or that is not known. *turns: the fastest motion is an oscillation whose steps turn
 * round and decay. room: five */
static double motion_excess(const SubsystemStep *l, int order, const double *x, bool *turns,
                            double *room)
{
    double *d[3] = {room, room + l->n, room + 2 * l->n}, *rest = room + 3 * l->n;
    double complex z[2];
    *turns = false;
    if (!subsystem_slope(l, l->t, x, d[0]))
        return -INFINITY;
    for (int i = 0; i < POWER; i++) {
        double size = 0;
        if (!subsystem_product(l, x, d[0], d[1], rest))
            return -INFINITY;
        for (size_t s = 0; s < l->n; s++)
            size = fmax(size, fabs(d[1][s]));
        size = subsystem_greatest(l, size);
        if (!(size > 0) || !isfinite(size))
            return -INFINITY;
        for (size_t s = 0; s < l->n; s++)
            d[0][s] = d[1][s] / size;
    }
    bool known = subsystem_product(l, x, d[0], d[1], rest) &&
                 subsystem_product(l, x, d[1], d[2], rest) &&
                 subsystem_eigenvalues(l, d[0], d[1], d[2], z);
    if (!known)
        return -INFINITY;
    double excess = fmax(method_excess(order, z[0]), method_excess(order, z[1]));
    *turns = excess <= 0 && fabs(cimag(z[0])) > TURNS;
    return excess;
}

/* 2: the state that the step from `before` to `after` takes farthest from its solution, `fine`; -1:
 * none does harm. room: six */
static ptrdiff_t harmed_state(const Growth *g, const SubsystemStep *l, const double *before,
                              const double *after, double *fine, double *room)
{
    double *range = room, worst = 0;
    bool moves = false;
    ptrdiff_t found = -1;
    for (size_t s = 0; s < l->n; s++) {
        moves |= fabs(after[s] - before[s]) > visible(g, l, s, before[s]);
        fine[s] = before[s];
        range[s] = 0;
    }
    if (!subsystem_any(l, moves))
        return -1;
    subsystem_integrate(l, fine, before, range, room + l->n);
    for (size_t s = 0; s < l->n; s++) {
        double off = fabs(after[s] - fine[s]) - WRONG * range[s] - visible(g, l, s, before[s]);
        if (off > worst) {
            worst = off;
            found = (ptrdiff_t)s;
        }
    }
    return found;
}

/* sums the growth and the error of a step that is not suspect. room: eight */
static void add_slow_growth(Growth *g, const SubsystemStep *l, const RkSteps *k, size_t step,
                            double excess, const double *before, double *room)
{
    double *after = room, *fine = after + l->n, *range = fine + l->n, worst = 0;
    if (!lane_step(l, k, step, before, after))
        return;
    for (size_t s = 0; s < l->n; s++) {
        fine[s] = before[s];
        range[s] = 0;
    }
    subsystem_integrate(l, fine, before, range, range + l->n);
    for (size_t s = 0; s < l->n; s++)
        worst = fmax(worst, fabs(after[s] - fine[s]) / visible(g, l, s, before[s]));
    worst = VISIBLE * subsystem_greatest(l, worst);
    if (isfinite(worst)) {
        g->slow_growth += excess * (double)g->since;
        g->slow_error += worst * (double)g->since;
    }
}

/* The last step of the chunk where that is its only one, else the step after it. *suspect: it is
 * outside the region of stability. */
static Verdict examine_point(Growth *g, const RkSteps *k, const double *begin, size_t state,
                             double *scratch, bool *suspect)
{
    SubsystemStep l = subsystem_find(g->system, state, scratch);
    size_t done = k->n == 1 ? 0 : k->n;
    double *before = g->room, *after = before + l.n, *fine = after + l.n, *room = fine + l.n;
    Verdict v = {.step = done};
    *suspect = false;
    if (l.n == 0)
        return v;
    l.h = k->h;
    l.moment = k->moment;
    v.t = l.t = k->origin + (double)(k->first + done) * k->h;
    l.decided = l.t + STEP_MARGIN * l.h;
    subsystem_get(&l, done ? k->x : begin, before);
    bool turns;
    double excess = motion_excess(&l, lieder_solver_info(k->solver)->order, before, &turns, after);
    *suspect = excess > SUSPECT || (!turns && alternates(g, &l, k, k->first + done, before, after));
    if (!*suspect && excess > SLOWEST)
        add_slow_growth(g, &l, k, k->first + done, excess, before, after);
    if (!*suspect || !lane_step(&l, k, k->first + done, before, after))
        return v;
    ptrdiff_t s = harmed_state(g, &l, before, after, fine, room);
    if (!subsystem_any(&l, s >= 0))
        return v;
    v.wrong = true;
    v.elsewhere = s < 0;
    if (v.elsewhere)
        return v;
    v.state = home_state(l.ss, (size_t)s, l.lane);
    v.before = before[s];
    v.after = after[s];
    v.fine = fine[s];
    return v;
}

void stability_event(Growth *g)
{
    if (g->credit < EVENT_STEPS || g->wait <= 1)
        return;
    g->credit -= EVENT_STEPS;
    g->wait = 1;
}

/* how many steps pass until growth is examined again: twice as many each time, one after a
 * suspicion */
static void choose_pause(Growth *g, bool suspect)
{
    if (suspect && g->again++ < AGAIN) {
        g->wait = 1;
        return;
    }
    if (suspect)
        g->turn_state = subsystem_next(g->system, g->turn_state);
    if (suspect || g->pause < STRIDE)
        g->pause *= 2;
    g->again = 0;
    g->wait = g->pause;
}

LiederStatus stability_check(Growth *g, const RkSteps *k, const double *begin, double *scratch,
                             size_t *good)
{
    size_t first = g->turn_state;
    bool suspect = false;
    if (g->nstate == 0 || k->n == 0)
        return LIEDER_DONE;
    if (g->pause == 0) {
        g->wait = g->pause = AT_FIRST;
        g->credit = AGAIN * EVENT_STEPS;
    }
    g->credit += k->n;
    g->since += k->n;
    if (g->wait > k->n) {
        g->wait -= k->n;
        return LIEDER_DONE;
    }
    for (size_t n = 0; n < LANES && !suspect; n++) {
        Verdict v = examine_point(g, k, begin, g->turn_state, scratch, &suspect);
        g->since = 0; /* the first subsystem stands for all steps since the last examination */
        if (v.wrong) {
            *good = v.step;
            return growth_report(g, k, &v);
        }
        if (!suspect)
            g->turn_state = subsystem_next(g->system, g->turn_state);
        if (g->turn_state == first || 8 * n > g->nstate)
            break;
    }
    choose_pause(g, suspect);
    return LIEDER_DONE;
}

void stability_report(const Growth *g, LiederSolver solver, double h)
{
    if (!g->system || !(fmin(g->slow_growth, g->slow_error) > SLOW))
        return;
    diag_warning(&g->system->session->diag, NULL, NULL,
                 "%s lets a motion grow that the model does not: in steps of %g s by a factor of "
                 "about %.3g over this run, which the results are off by\n%s",
                 lieder_solver_name(solver), h, exp(g->slow_growth),
                 "rk3, rk4 and adaptive solvers do not; a shorter step helps less, by its first "
                 "power with rk1 and its third with rk2");
}
