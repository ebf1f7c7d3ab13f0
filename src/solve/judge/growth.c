/* growth.c - fixed steps of explicit methods whose numbers grow by the method, not by the model.
 *
 * A step outside the region of stability multiplies what the model lets decay or swing, and after
 * some steps the numbers mean nothing. Growth alone is no proof: unstable models, falling bodies
 * and resonance grow, too. So after every chunk of steps each state is compared with its level,
 *
 *   |x| > GROWTH (nominal + level)
 *
 * where the level is |x| at the start or when it was last examined. Only where that holds, the
 * subsystem of the state goes through the chunk again, alone, and every step that passes the level
 * is examined. That happens at most some hundred times up to 1e308, so that it costs little, and it
 * depends on the numbers of that subsystem only: the same verdict at the same step for any number
 * of lanes and threads. The growth is by the method in two cases.
 *
 * a) The step from x0 to x1 ends where its solution does not: |x1 - fine| > WRONG (nominal + max
 *    |fine|) in some state, with the solution by shorter steps (rk4 with an error below PRECISION,
 *    at most BUDGET slopes). One step is too short for chaos to matter, and a growing solution is
 *    met by both. This finds large factors, and contacts that one step passes through.
 *
 * b) The last change d0 of the states is a motion of the linearised model that the method makes
 *    grow. With d1 = J d0 and d2 = J d1 by differences of slopes, z = h lambda follows from
 *
 *      h^2 d2 = beta h d1 + alpha d0 (least squares),   z^2 = beta z + alpha
 *
 *    since a growing motion has one real eigenvalue or a pair, and dominates the change. Then
 *
 *      steps (ln |R(z)| - max(0, Re z)) > ln 2,   R(z) = sum of z^k / k! up to the order
 *
 *    says that the method, beyond what the model does, has multiplied by two or more. This finds
 *    slow growth, as of rk1 and rk2 along the imaginary axis.
 *
 * Then the run ends at the begin of that step. Numbers that grow by the method and that something
 * nonlinear keeps small are found by stability.c. Rejected: comparing every step with an embedded
 * one. It costs vectors and passes in the loop that is bound by them, and most large errors of
 * single steps (a transient of a stiff but damped mode) are harmless.
 */
#include "solve/run/ranks.h"
#include "solve/judge/subsystem.h"

#include <math.h>
#include <string.h>

static const double GROWTH = 10, PRECISION = 1e-3, WRONG = 2;
enum { BUDGET = 20000, MIN_BUDGET = 1000, BUDGET_STATES = 2000000, ROOMS = 10 };

/* ------------------------------------------------------------------ creation */

size_t subsystem_largest(const LiederSystem *system)
{
    size_t most = 0;
    for (size_t i = 0; i < system->shapes.n; i++)
        if (system->shapes.items[i].shape->states.n > most)
            most = system->shapes.items[i].shape->states.n;
    return most;
}

LiederStatus growth_fit(Growth *g)
{
    size_t most = subsystem_largest(g->system);
    if (g->room && most <= g->most)
        return LIEDER_DONE;
    size_t before = g->room ? ROOMS * g->most * sizeof(double) + 1 : 0;
    double *room =
        memory_resize(SYSTEM_ALLOC(g->system), g->room, before, ROOMS * most * sizeof(double) + 1);
    if (!room)
        return LIEDER_NO_MEMORY;
    g->room = room;
    g->most = most;
    return LIEDER_DONE;
}

LiederStatus growth_create(Growth *g, LiederSystem *system)
{
    *g = (Growth){.system = system, .nstate = system->nstate};
    g->level = memory_resize(SYSTEM_ALLOC(system), NULL, 0, g->nstate * sizeof(double) + 1);
    return g->level ? growth_fit(g) : LIEDER_NO_MEMORY;
}

void growth_drop(Growth *g)
{
    if (!g->system)
        return;
    const LiederAllocator *alloc = SYSTEM_ALLOC(g->system);
    if (g->level)
        memory_free(alloc, g->level, g->nstate * sizeof(double) + 1);
    if (g->room)
        memory_free(alloc, g->room, ROOMS * g->most * sizeof(double) + 1);
    *g = (Growth){0};
}

void growth_begin(Growth *g, const double *x)
{
    for (size_t i = 0; i < g->nstate; i++)
        g->level[i] = fabs(x[i]);
}

/* ------------------------------------------------------------------ a subsystem alone */

size_t subsystem_next(const LiederSystem *system, size_t i)
{
    for (uint32_t k = 0; k < system->nhome; k++) {
        const SystemShape *ss = &system->shapes.items[k];
        size_t nlane = ss->shape->nlane, n = ss->shape->states.n * nlane;
        if (i - ss->first_state >= n)
            continue;
        i++;
        if (i - ss->first_state >= nlane)
            i = ss->first_state + n;
        break;
    }
    return i < system->nstate ? i : 0;
}

SubsystemStep subsystem_find(LiederSystem *system, size_t i, double *whole)
{
    SubsystemStep l = {.system = system, .whole = whole};
    for (uint32_t k = 0; k < system->nhome; k++) {
        SystemShape *ss = &system->shapes.items[k];
        size_t nlane = ss->shape->nlane;
        if (i - ss->first_state >= ss->shape->states.n * nlane)
            continue;
        const StateRef *ref = &ss->shape->states.items[(i - ss->first_state) / nlane];
        l.lane = (i - ss->first_state) % nlane;
        LiederElement element = element_at(system, ss, ref->component, l.lane);
        Seat seat = current_seat(system, &element);
        if (seat.shape == NOWHERE)
            return l; /* asleep: it does not move */
        l.ss = &system->shapes.items[seat.shape];
        l.lane = seat.shape == k ? l.lane : seat.lane;
        l.n = l.ss->shape->states.n;
        return l;
    }
    return l;
}

void subsystem_get(const SubsystemStep *l, const double *whole, double *to)
{
    for (size_t s = 0; s < l->n; s++)
        to[s] = whole[home_state(l->ss, s, l->lane)];
}

double subsystem_nominal(const SubsystemStep *l, size_t s)
{
    return state_nominal(l->system, home_state(l->ss, s, l->lane));
}

void subsystem_put(const SubsystemStep *l, const double *from)
{
    for (size_t s = 0; s < l->n; s++)
        l->whole[home_state(l->ss, s, l->lane)] = from[s];
}

double subsystem_greatest(const SubsystemStep *l, double here)
{
    return l->system->cut ? ranks_greatest(l->system, here) : here;
}

bool subsystem_any(const SubsystemStep *l, bool here)
{
    return l->system->cut ? ranks_any(l->system, here) : here;
}

bool subsystem_slope(const SubsystemStep *l, double t, const double *x, double *k)
{
    subsystem_put(l, x);
    return rk_lane_slope(l->system, l->ss, l->lane, t, l->decided, l->moment, l->whole, k) ==
           LIEDER_DONE;
}

/* one step of rk4 from x to y; k: room for two */
static bool lane_rk4(const SubsystemStep *l, double t, double h, const double *x, double *y,
                     double *k)
{
    static const double c[] = {0, 0.5, 0.5, 1}, b[] = {1 / 6.0, 2 / 6.0, 2 / 6.0, 1 / 6.0};
    double *slope = k, *stage = k + l->n;
    memcpy(y, x, l->n * sizeof *y);
    for (int s = 0; s < 4; s++) {
        for (size_t i = 0; i < l->n; i++)
            stage[i] = s ? x[i] + c[s] * h * slope[i] : x[i];
        if (!subsystem_slope(l, t + c[s] * h, stage, slope))
            return false;
        for (size_t i = 0; i < l->n; i++)
            y[i] += b[s] * h * slope[i];
    }
    return true;
}

/* ------------------------------------------------------------------ a: the step by shorter ones */

void subsystem_integrate(const SubsystemStep *l, double *x, const double *from, double *range,
                         double *room)
{
    double *once = room, *half = room + l->n, *twice = room + 2 * l->n, *k = room + 3 * l->n;
    double done = 0, h = l->h / 8;
    size_t budget = BUDGET_STATES / (l->n + 1);
    budget = budget > BUDGET ? BUDGET : budget < MIN_BUDGET ? MIN_BUDGET : budget;
    for (size_t used = 0; used < budget && done < l->h && h > 1e-15 * l->h; used += 12) {
        double t = l->t + done, error = 0;
        h = fmin(h, l->h - done);
        bool ok = lane_rk4(l, t, h, x, once, k) && lane_rk4(l, t, h / 2, x, half, k) &&
                  lane_rk4(l, t + h / 2, h / 2, half, twice, k);
        for (size_t i = 0; i < l->n && ok; i++) {
            double e =
                fabs(once[i] - twice[i]) / (PRECISION * (subsystem_nominal(l, i) + fabs(twice[i])));
            error = e <= error ? error : e; /* NaN stays */
        }
        error = subsystem_greatest(l, error);
        if (!ok || !(error <= 1)) {
            h *= ok && isfinite(error) ? fmax(0.1, 0.9 * pow(error, -0.2)) : 0.1;
            continue;
        }
        memcpy(x, twice, l->n * sizeof *x);
        for (size_t i = 0; i < l->n; i++)
            range[i] = fmax(range[i], fabs(from ? x[i] - from[i] : x[i]));
        done += h;
        h *= fmin(4, 0.9 * pow(fmax(error, 1e-10), -0.2));
    }
}

/* the state that the step from `before` to `after` takes farthest from its solution, `fine`; -1:
 * all are close to it */
static ptrdiff_t wrong_state(const SubsystemStep *l, const double *before, const double *after,
                             double *fine, double *room)
{
    double *range = room, worst = 1;
    ptrdiff_t found = -1;
    memcpy(fine, before, l->n * sizeof *fine);
    for (size_t i = 0; i < l->n; i++)
        range[i] = fabs(before[i]);
    subsystem_integrate(l, fine, NULL, range, room + l->n);
    for (size_t i = 0; i < l->n; i++) {
        double off = fabs(after[i] - fine[i]) / (WRONG * (subsystem_nominal(l, i) + range[i]));
        if (off > worst) {
            worst = off;
            found = (ptrdiff_t)i;
        }
    }
    return found;
}

/* ------------------------------------------------------------------ b: the linearised model */

bool subsystem_product(const SubsystemStep *l, const double *x, const double *d, double *y,
                       double *room)
{
    double *moved = room, *down = room + l->n, size = 0;
    for (size_t i = 0; i < l->n; i++)
        size = fmax(size, fabs(d[i]) / (subsystem_nominal(l, i) + fabs(x[i])));
    size = subsystem_greatest(l, size);
    if (!(size > 0) || !isfinite(size))
        return false;
    double part = 1e-6 / size;
    for (size_t i = 0; i < l->n; i++)
        moved[i] = x[i] - part * d[i];
    if (!subsystem_slope(l, l->t, moved, down))
        return false;
    for (size_t i = 0; i < l->n; i++)
        moved[i] = x[i] + part * d[i];
    if (!subsystem_slope(l, l->t, moved, y))
        return false;
    for (size_t i = 0; i < l->n; i++)
        y[i] = (y[i] - down[i]) / (2 * part);
    return true;
}

bool subsystem_eigenvalues(const SubsystemStep *l, const double *d0, const double *d1,
                           const double *d2, double complex z[2])
{
    double pp = 0, pq = 0, qq = 0, pr = 0, qr = 0, rr = 0;
    for (size_t i = 0; i < l->n; i++) {
        double p = d0[i], q = l->h * d1[i], r = l->h * l->h * d2[i];
        double size = fabs(p) + fabs(q) + fabs(r), w = size > 0 ? 1 / size : 0;
        p *= w, q *= w, r *= w;
        pp += p * p, pq += p * q, qq += q * q, pr += p * r, qr += q * r, rr += r * r;
    }
    double *sums[] = {&pp, &pq, &qq, &pr, &qr, &rr};
    for (size_t i = 0; i < sizeof sums / sizeof *sums && l->system->cut; i++)
        *sums[i] = ranks_total(l->system, *sums[i]);
    double det = pp * qq - pq * pq;
    if (!isfinite(det) || pp == 0)
        return false;
    z[0] = z[1] = pq / pp;
    if (qq - pq * pq / pp <= 1e-4 * qq) /* one direction */
        return true;
    double alpha = (pr * qq - qr * pq) / det, beta = (qr * pp - pr * pq) / det;
    double rest = rr - alpha * pr - beta * qr;
    if (!(rest <= 0.01 * rr))
        return false;
    double complex root = csqrt(beta * beta / 4 + alpha);
    z[0] = beta / 2 + root;
    z[1] = beta / 2 - root;
    return true;
}

double complex method_factor(int order, double complex z)
{
    double complex R = 1, term = 1;
    for (int k = 1; k <= order; k++) {
        term *= z / k;
        R += term;
    }
    return R;
}

double method_excess(int order, double complex z)
{
    return log(cabs(method_factor(order, z))) - fmax(0, creal(z));
}

/* true if the method makes the last change grow; z: the eigenvalue times h */
static bool grows_by_method(const SubsystemStep *l, const double *before, const double *after,
                            int order, size_t steps, double *room, double complex *z)
{
    double *d0 = room, *d1 = room + l->n, *d2 = room + 2 * l->n;
    double complex both[2];
    for (size_t i = 0; i < l->n; i++)
        d0[i] = after[i] - before[i];
    if (!subsystem_product(l, after, d0, d1, room + 3 * l->n) ||
        !subsystem_product(l, after, d1, d2, room + 3 * l->n) ||
        !subsystem_eigenvalues(l, d0, d1, d2, both))
        return false;
    *z = method_excess(order, both[0]) > method_excess(order, both[1]) ? both[0] : both[1];
    return (double)steps * method_excess(order, *z) > log(2);
}

/* ------------------------------------------------------------------ verdict */

static const char ADVICE[] =
    "take a step that 'lieder eigen' calls stable, or a solver for stiff models (--solver bdf)";

LiederStatus growth_report(const Growth *g, const RkSteps *k, const Verdict *v)
{
    char name[600];
    if (v->elsewhere)
        return LIEDER_GAVE_UP;
    Diagnostics *diag = &g->system->session->diag;
    const char *solver = lieder_solver_name(k->solver);
    const char *softer = system_advice(g->system, LIEDER_ADVICE_LONG_STEP);
    softer = softer ? softer : "";
    lieder_system_state_name(g->system, v->state, name, sizeof name);
    if (v->z == 0)
        diag_error(diag, NULL, name,
                   "the step of %g s is too long for %s: at t = %.15g it takes this state from %g "
                   "to %g, where shorter steps give %g\n%s%s",
                   k->h, solver, v->t, v->before, v->after, v->fine, ADVICE, softer);
    else
        diag_error(
            diag, NULL, name,
            "the step of %g s is too long for %s: at t = %.15g every step multiplies a "
            "motion with the eigenvalue %.3g%+.3gi by %.6g, which the model multiplies by "
            "%.6g\n%s%s",
            k->h, solver, v->t, creal(v->z) / k->h, cimag(v->z) / k->h,
            exp(method_excess(lieder_solver_info(k->solver)->order, v->z) + fmax(0, creal(v->z))),
            exp(creal(v->z)), ADVICE, softer);
    return LIEDER_GAVE_UP;
}

/* the step number n of the chunk, from before to after */
static Verdict examine_step(const SubsystemStep *l, const RkSteps *k, size_t n,
                            const double *before, const double *after, double *room)
{
    Verdict v = {.step = n, .t = l->t};
    double *fine = room, worst = 0;
    ptrdiff_t s = wrong_state(l, before, after, fine, room + l->n);
    if (subsystem_any(l, s >= 0)) {
        v.wrong = true;
        if (s < 0) { /* another rank has it */
            v.elsewhere = true;
            return v;
        }
        v.state = home_state(l->ss, (size_t)s, l->lane);
        v.before = before[s];
        v.after = after[s];
        v.fine = fine[s];
        return v;
    }
    int order = lieder_solver_info(k->solver)->order;
    v.wrong = grows_by_method(l, before, after, order, k->first + n + 1, room, &v.z);
    for (size_t i = 0; i < l->n; i++)
        if (fabs(after[i]) >= worst) {
            worst = fabs(after[i]);
            v.state = home_state(l->ss, i, l->lane);
        }
    return v;
}

/* has the subsystem grown beyond its levels? Takes new ones. */
static bool pass_levels(Growth *g, const SubsystemStep *l, const double *x)
{
    bool passed = false;
    for (size_t s = 0; s < l->n; s++)
        passed |= fabs(x[s]) >
                  GROWTH * (subsystem_nominal(l, s) + g->level[home_state(l->ss, s, l->lane)]);
    passed = subsystem_any(l, passed);
    for (size_t s = 0; s < l->n && passed; s++) {
        double *level = &g->level[home_state(l->ss, s, l->lane)];
        *level = fmax(*level, fabs(x[s]));
    }
    return passed;
}

/* the chunk again for the subsystem of state i, step by step */
static Verdict examine(Growth *g, const RkSteps *k, const double *begin, size_t i, double *scratch)
{
    SubsystemStep l = subsystem_find(g->system, i, scratch);
    Verdict none = {0};
    double *before = g->room, *after = before + l.n, *room = after + l.n;
    if (l.n == 0) { /* it sleeps */
        g->level[i] = fabs(k->x[i]);
        return none;
    }
    subsystem_get(&l, begin, after);
    l.h = k->h;
    l.moment = k->moment;
    for (size_t n = 0; n < k->n; n++) {
        RkSteps one = *k;
        one.first = k->first + n;
        one.n = 1;
        one.x = scratch;
        memcpy(before, after, l.n * sizeof *before);
        subsystem_put(&l, before);
        if (rk_lane_steps(g->system, l.ss, l.lane, &one) != LIEDER_DONE)
            return none;
        subsystem_get(&l, scratch, after);
        if (!pass_levels(g, &l, after))
            continue;
        l.t = k->origin + (double)(k->first + n) * k->h;
        l.decided = l.t + STEP_MARGIN * l.h;
        Verdict v = examine_step(&l, k, n, before, after, room);
        if (v.wrong)
            return v;
    }
    return none;
}

/* has some state grown? */
static bool any_grown(const Growth *g, const double *x)
{
    double beyond = 0;
    for (size_t i = 0; i < g->nstate; i++) {
        double b = fabs(x[i]) - GROWTH * (state_nominal(g->system, i) + g->level[i]);
        beyond = b > beyond ? b : beyond;
    }
    return g->system->cut ? ranks_any(g->system, beyond > 0) : beyond > 0;
}

/* checks that are made now and then, whether numbers grow or not */
static LiederStatus check_points(Growth *g, const RkSteps *k, const double *begin, double *scratch,
                                 size_t *good)
{
    LiederStatus status = orientation_check(g, k, begin, scratch, good);
    return status == LIEDER_DONE ? stability_check(g, k, begin, scratch, good) : status;
}

LiederStatus growth_check(Growth *g, const RkSteps *k, const double *begin, double *scratch,
                          size_t *good)
{
    Verdict first = {0};
    *good = k->n;
    if (!any_grown(g, k->x))
        return check_points(g, k, begin, scratch, good);
    for (size_t i = 0; i < g->nstate; i++) {
        if (g->system->cut
                ? i > 0 /* one subsystem for all ranks */
                : !(fabs(k->x[i]) > GROWTH * (state_nominal(g->system, i) + g->level[i])))
            continue;
        Verdict v = examine(g, k, begin, i, scratch);
        if (v.wrong && (!first.wrong || v.step < first.step))
            first = v;
    }
    if (!first.wrong)
        return check_points(g, k, begin, scratch, good);
    *good = first.step;
    return growth_report(g, k, &first);
}
