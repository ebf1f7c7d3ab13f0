/* drift.c - constraints that are kept by their derivatives (equation/cell.h) and come apart, or
 * depend on each other.
 *
 * Errors of integration add up in them faster than they fade if steps are too long: rods no longer
 * meet, energy comes from nowhere, and no equation of the run says so. The class computes how far
 * they are off in parts of their size (equation/class_drift.c). That is looked at in every row: by
 * more than NEAR is told once, by more than FAR ends the run. Of arrays of equal subsystems LANES
 * are watched. Rejected: assertions of the class, which every fixed step would have to look at.
 *
 * Likewise with change points, where the motion may go on in two ways: after a row in which one
 * is CLOSE, or may be before the next row, every step is looked at, and inside long ones; one
 * nearer than AT is told once.
 */
#include "solve/solve.h"

#include <math.h>
#include <string.h>

static const double NEAR = 1e-3, FAR = 0.1, CLOSE = 0.2, AT = 0.01;
enum { LANES = 16, THIRDS = 20 };

/* one number of a component in some lanes; false: memory ran out */
static bool watch_constraint(Drift *d, uint32_t shape, uint32_t component,
                             const LiederSystemDef *def)
{
    const SystemShape *ss = &d->system->shapes.items[shape];
    for (size_t lane = 0; lane < ss->shape->nlane && lane < LANES; lane++) {
        DriftValue v = {shape, component, lane, def->places[0],
                        strcmp(def->names[0], "regularity") == 0};
        Element element = element_at(d->system, ss, component, lane);
        if (observer_watch_real(d->observer, &element, def->values) < 0 ||
            !vec_push(SYSTEM_ALLOC(d->system), &d->values, v))
            return false;
    }
    return true;
}

/* a condition that holds at all times; those on start values are looked at there */
static bool is_kept(const LiederSystemDef *def)
{
    return def->kind == LIEDER_SYSTEM_CONDITION && !def->at_start;
}

static bool watch_shape(Drift *d, uint32_t shape)
{
    const Shape *s = d->system->shapes.items[shape].shape;
    for (uint32_t i = 0; i < s->components.n && !s->asleep; i++) {
        const LiederClassDef *def = s->components.items[i].class_->def;
        for (int k = 0; k < def->nsystem; k++) {
            if (!is_kept(&def->systems[k]))
                continue;
            if (!d->observer && !(d->observer = lieder_observer_create(d->system)))
                return false;
            if (!watch_constraint(d, shape, i, &def->systems[k]))
                return false;
        }
    }
    return true;
}

LiederStatus drift_create(Drift *d, LiederSystem *system)
{
    *d = (Drift){.system = system, .row = NAN, .last = NAN, .t = INFINITY};
    bool good = true;
    for (uint32_t k = 0; k < system->nhome && good && rank_count(system) == 1; k++)
        good = watch_shape(d, k);
    if (good && d->values.n)
        d->numbers = memory_zeroed(SYSTEM_ALLOC(system), d->values.n * sizeof(double));
    if (d->numbers)
        d->x = memory_zeroed(SYSTEM_ALLOC(system), (system->nstate + 1) * sizeof(double));
    return good && (d->x || !d->values.n) ? LIEDER_DONE : LIEDER_NO_MEMORY;
}

void drift_drop(Drift *d)
{
    if (!d->system)
        return;
    lieder_observer_destroy(d->observer);
    if (d->numbers)
        memory_free(SYSTEM_ALLOC(d->system), d->numbers, d->values.n * sizeof(double));
    if (d->x)
        memory_free(SYSTEM_ALLOC(d->system), d->x, (d->system->nstate + 1) * sizeof(double));
    vec_drop(SYSTEM_ALLOC(d->system), &d->values);
    *d = (Drift){0};
}

static void report_drift(Drift *d, size_t i, double t)
{
    static const char advice[] = "it is kept by its derivatives, and errors of integration add up "
                                 "in it: take a smaller step or tolerance, or a solver of higher "
                                 "order";
    const DriftValue *v = &d->values.items[i];
    char path[512];
    lane_path(d->system, &d->system->shapes.items[v->shape], v->component, v->lane, path,
              sizeof path);
    if (d->failed)
        diag_error(&d->system->session->diag, NULL, path,
                   "a constraint is off by %.3g of its size at t = %.9g, the motion is another "
                   "one (%s)\n%s",
                   d->numbers[i], t, v->place, advice);
    else
        diag_warning(&d->system->session->diag, NULL, path,
                     "a constraint is off by %.3g of its size at t = %.9g, and what follows from "
                     "it as well (%s)\n%s",
                     d->numbers[i], t, v->place, advice);
    d->told = true;
}

static void report_point(Drift *d, size_t i, double t)
{
    const DriftValue *v = &d->values.items[i];
    char path[512];
    lane_path(d->system, &d->system->shapes.items[v->shape], v->component, v->lane, path,
              sizeof path);
    diag_warning(&d->system->session->diag, NULL, path,
                 "the constraints depend on each other at t = %.9g (%s): this is a change point, "
                 "where the mechanism may go on in two ways, as a parallelogram that is flat, or "
                 "angles in space are singular\nerrors of integration decide how it goes on: keep "
                 "away from it, guide the mechanism through it by something elastic, or choose "
                 "other angles",
                 t, v->place);
    d->passed = true;
}

/* the largest drift or the smallest regularity; a lane that sleeps has no number */
static size_t find_worst(const Drift *d, bool point)
{
    size_t worst = d->values.n;
    for (size_t i = 0; i < d->values.n; i++) {
        double now = d->numbers[i];
        if (d->values.items[i].is_regularity == point && !isnan(now) &&
            (worst == d->values.n || (point ? now < d->numbers[worst] : now > d->numbers[worst])))
            worst = i;
    }
    return worst;
}

/* looks at (t, x) and tells what is wrong there; the smallest regularity, NaN: not known */
static double look(Drift *d, double t, const double *x)
{
    size_t said = d->system->session->diag.list.n;
    if (lieder_observer_evaluate(d->observer, t, x, d->numbers) != LIEDER_DONE) {
        diag_forget(&d->system->session->diag, said); /* the run says so where it counts */
        return NAN;
    }
    size_t worst = find_worst(d, false), point = find_worst(d, true), n = d->values.n;
    d->failed = worst < n && d->numbers[worst] > FAR;
    if (point < n && d->numbers[point] < AT && !d->passed)
        report_point(d, point, t);
    if (d->failed || (worst < n && d->numbers[worst] > NEAR && !d->told))
        report_drift(d, worst, t);
    return point < n ? d->numbers[point] : NAN;
}

bool drift_row(Drift *d, double t, const double *x)
{
    if (!d->numbers || d->failed)
        return !d->failed;
    double now = look(d, t, x);
    d->close = !d->passed && fmin(now, now - 2 * (d->row - now)) < CLOSE;
    if (t > d->t)
        d->speed = fabs(now - d->last) / (t - d->t);
    d->row = d->last = now;
    d->t = t;
    return !d->failed;
}

/* the least between the last look and t, by thirds: it has no other minimum in so short a time */
static void search(Drift *d, double t, Adaptive *method)
{
    double low = d->t, high = t;
    for (int k = 0; k < THIRDS && !d->passed && !d->failed; k++) {
        double a = low + (high - low) / 3, b = high - (high - low) / 3;
        adaptive_between(method, a, d->x);
        double at_a = look(d, a, d->x);
        adaptive_between(method, b, d->x);
        double at_b = look(d, b, d->x);
        *(at_a < at_b ? &high : &low) = at_a < at_b ? b : a;
    }
}

bool drift_step(Drift *d, double t, const Moment *moment, const double *x, Adaptive *method)
{
    if (!d->close || d->passed || d->failed || !(t > d->t))
        return !d->failed;
    d->system->moment = *moment;
    double now = look(d, t, x), change = fabs(now - d->last);
    /* it falls and rises again, or falls: it may have been near zero, at the speed of before */
    if (method && fmax(change, d->speed * (t - d->t)) > 0.5 * fmin(now, d->last))
        search(d, t, method);
    d->system->moment = (Moment){.event_time = NAN};
    d->speed = change / (t - d->t);
    d->last = now;
    d->t = t;
    return !d->failed;
}
