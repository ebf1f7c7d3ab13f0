/* step.c - explicit Runge-Kutta steps, strip by strip: the formulas and the order of operations of
 * src/solve/method/rk.c.
 *
 *   k = f(t, x);              y = x + p k,            sum = k
 *   k = f(t + c h, y);        y = x + (p k + q sum),  sum = sum + r k       (stages between)
 *   k = f(t + h, y);          x = x + s (sum + k)
 *
 * Jumps are decided at the start of a step, with a margin for rounding. */
#include "fmu.h"

#include <math.h>
#include <stdio.h>

#define GRID_MARGIN 1e-6 /* of a step: communication points that are summed up drift */

typedef struct Method {
    size_t nstage;
    double c[4], p[4], q[4], r[4], s;
} Method;

static const Method methods[] = {
    {0},
    {.nstage = 1, .s = 1},
    {.nstage = 2, .c = {1}, .p = {1}, .s = 1.0 / 2},
    {.nstage = 3, .c = {0.5, 1}, .p = {0.5, 2}, .q = {0, -1}, .r = {0, 4}, .s = 1.0 / 6},
    {.nstage = 4, .c = {0.5, 0.5, 1}, .p = {0.5, 0.5, 1}, .r = {0, 2, 2}, .s = 1.0 / 6},
};

/* n lanes of a shape */
typedef struct Strip {
    ShapeValues *shape;
    size_t lane, n;
    double *x, *y, *k, *sum; /* x: in the whole vector */
} Strip;

FMU_STEP static bool strip_finite(Values *v, const Strip *w, double t)
{
    size_t nlane = w->shape->nlane;
    for (size_t s = 0; s < w->shape->shape->nstate; s++)
        for (size_t l = 0; l < w->n; l++)
            if (!fmu_finite(w->x[s * nlane + l])) {
                snprintf(v->wrong, sizeof v->wrong,
                         "a state is not finite at t = %g: the step is too long, or the model "
                         "leaves the range of numbers",
                         t);
                return false;
            }
    return true;
}

/* y and sum after a stage */
FMU_STEP static void finish_stage(const Strip *w, const Method *m, size_t number, double h)
{
    size_t nlane = w->shape->nlane, nstate = w->shape->shape->nstate, i = number - 1;
    double p = m->p[i] * h, q = m->q[i] * h, r = m->r[i];
    for (size_t s = 0; s < nstate; s++) {
        const double *x = w->x + s * nlane, *k = w->k + s * w->n;
        double *y = w->y + s * w->n, *sum = w->sum + s * w->n;
        for (size_t l = 0; l < w->n; l++)
            if (number == 1) {
                y[l] = x[l] + p * k[l];
                sum[l] = k[l];
            } else {
                y[l] = x[l] + (p * k[l] + q * sum[l]);
                sum[l] = sum[l] + r * k[l];
            }
    }
}

FMU_STEP static bool take_step(Values *v, const Strip *w, const Method *m, double t, double h)
{
    size_t nlane = w->shape->nlane, nstate = w->shape->shape->nstate;
    double decided = t + STEP_MARGIN * h;
    if (!lanes_derivatives(v, w->shape, t, decided, w->lane, w->n, w->x, nlane, w->k, w->n))
        return false;
    if (m->nstage == 1)
        memset(w->sum, 0, nstate * w->n * sizeof *w->sum);
    for (size_t number = 1; number < m->nstage; number++) {
        finish_stage(w, m, number, h);
        if (!lanes_derivatives(v, w->shape, t + m->c[number - 1] * h, decided, w->lane, w->n, w->y,
                               w->n, w->k, w->n))
            return false;
    }
    for (size_t s = 0; s < nstate; s++) {
        double *x = w->x + s * nlane, *k = w->k + s * w->n, *sum = w->sum + s * w->n;
        for (size_t l = 0; l < w->n; l++)
            x[l] = x[l] + (m->s * h) * (sum[l] + k[l]);
    }
    return strip_finite(v, w, t + h);
}

bool steps_take(Values *v, double origin, size_t first, size_t n, double h)
{
    const Method *m = &methods[fmu_solver];
    values_moved(v);
    for (size_t i = 0; i < fmu_nshape; i++) {
        ShapeValues *s = &v->shapes[i];
        size_t nlane = s->nlane, nstate = s->shape->nstate;
        size_t width = s->differ || nstate == 0 ? 1 : v->walk_room / nstate;
        for (size_t lane = 0; lane < nlane && nstate; lane += width) {
            Strip w = {.shape = s,
                       .lane = lane,
                       .n = nlane - lane < width ? nlane - lane : width,
                       .x = v->x + s->first_state + lane,
                       .y = v->walk,
                       .k = v->walk + v->walk_room,
                       .sum = v->walk + 2 * v->walk_room};
            for (size_t k = 0; k < n; k++)
                if (!take_step(v, &w, m, origin + (double)(first + k) * h, h))
                    return false;
        }
    }
    return true;
}

/* The steps of the grid that end at or before t, then a short one, after which the grid begins
 * anew. After a failure time and states are those before. If a component ends the run, t is not
 * reached. */
bool advance_to(Values *v, double t, Stepped *stepped, void *user)
{
    const double h = fmu_step, margin = STEP_MARGIN * h;
    double whole = floor((t - v->origin) / h + GRID_MARGIN);
    size_t last = whole > 0 ? (size_t)whole : 0;
    while (v->counter < last) {
        size_t n = stepped || fmu_events ? 1 : last - v->counter;
        double from = v->t;
        if (fmu_events)
            fmu_events->before_step(v);
        if (!steps_take(v, v->origin, v->counter, n, h))
            return false;
        v->counter += n;
        v->t = v->origin + (double)v->counter * h;
        v->event_time = v->t + margin;
        values_moved(v);
        if (fmu_late)
            fmu_late(v, from, h);
        if (fmu_events && !fmu_events->after_step(v, from))
            return false;
        if ((stepped && !stepped(user, v->t)) || v->ends)
            return true;
    }
    double rest = t - (v->origin + (double)v->counter * h);
    if (rest > GRID_MARGIN * h) {
        double from = v->t;
        if (fmu_events)
            fmu_events->before_step(v);
        if (!steps_take(v, v->t, 0, 1, t - v->t))
            return false;
        double h_last = t - v->t;
        v->origin = v->t = t;
        v->counter = 0;
        v->event_time = t + margin;
        values_moved(v);
        if (fmu_late)
            fmu_late(v, from, h_last);
        if (fmu_events && !fmu_events->after_step(v, from))
            return false;
        if (stepped)
            stepped(user, v->t);
    }
    return true;
}
