/* drift.c - constraints that are kept by their derivatives (equation/cell.h) and come apart.
 *
 * Errors of integration add up in them faster than they fade if steps are too long: rods no longer
 * meet, energy comes from nowhere, and no equation of the run says so. The class computes how far
 * they are off in parts of their size (equation/class_drift.c). That is looked at in every row: by
 * more than NEAR is told once, by more than FAR ends the run. Of arrays of equal subsystems LANES
 * are watched. Rejected: assertions of the class, which every fixed step would have to look at.
 */
#include "solve/solve.h"

#include <math.h>

static const double NEAR = 1e-3, FAR = 0.1;
enum { LANES = 16 };

/* one number of a component in some lanes; false: memory ran out */
static bool watch_constraint(Drift *d, uint32_t shape, uint32_t component,
                             const LiederSystemDef *def)
{
    const SystemShape *ss = &d->system->shapes.items[shape];
    for (size_t lane = 0; lane < ss->shape->nlane && lane < LANES; lane++) {
        DriftValue v = {shape, component, lane, def->places[0]};
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
    *d = (Drift){.system = system};
    bool good = true;
    for (uint32_t k = 0; k < system->nhome && good && rank_count(system) == 1; k++)
        good = watch_shape(d, k);
    if (good && d->values.n)
        d->numbers = memory_zeroed(SYSTEM_ALLOC(system), d->values.n * sizeof(double));
    return good && (d->numbers || !d->values.n) ? LIEDER_DONE : LIEDER_NO_MEMORY;
}

void drift_drop(Drift *d)
{
    if (!d->system)
        return;
    lieder_observer_destroy(d->observer);
    if (d->numbers)
        memory_free(SYSTEM_ALLOC(d->system), d->numbers, d->values.n * sizeof(double));
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

bool drift_row(Drift *d, double t, const double *x)
{
    size_t said = d->system ? d->system->session->diag.list.n : 0, worst = 0;
    if (!d->numbers || d->failed)
        return !d->failed;
    if (lieder_observer_evaluate(d->observer, t, x, d->numbers) != LIEDER_DONE) {
        diag_forget(&d->system->session->diag, said); /* the run says so where it counts */
        return true;
    }
    for (size_t i = 1; i < d->values.n; i++)
        if (!(d->numbers[i] <= d->numbers[worst])) /* a lane that sleeps has no number */
            worst = isnan(d->numbers[i]) ? worst : i;
    d->failed = d->numbers[worst] > FAR;
    if (d->failed || (d->numbers[worst] > NEAR && !d->told))
        report_drift(d, worst, t);
    return !d->failed;
}
