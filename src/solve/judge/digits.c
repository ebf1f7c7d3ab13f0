/* digits.c - elastic elements whose elongation is lost in the rounding of positions.
 *
 * A spring between two absolute positions p computes c (s_b - s_a - l). The difference has an error
 * of eps p, the force one of c eps p: with c = 1e18 N/m and p = 0.1 m that is 22 N. Such a model is
 * not wrong, but its numbers are. At the end of a run every element that is stiff enough is
 * examined, in the first lane of its shape, and the first one whose force has fewer than four
 * digits left is reported. Elements that do not act (an open gap) have no force to lose. Which
 * classes are elastic, and how they name elongation, stiffness and force, their domain says
 * (LiederDomain.elastic).
 */
#include "solve/judge/ranges.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double LOST = 1e-4, MIN_FORCE = 1e-4, SOFT = 1e10;

/* an elastic element: two ports of a domain that names the variables of such classes */
typedef struct ElasticElement {
    const LiederDomain *domain;
    const char *ports[2];
} ElasticElement;

static bool has_member(const LiederClass *class_, const char *name)
{
    return class_find_member(class_, name, strlen(name)) != NULL;
}

/* is the class elastic? Then its ports are found */
static bool find_elastic(const LiederClass *class_, ElasticElement *e)
{
    const LiederClassDef *def = class_->def;
    int n = 0;
    for (int p = 0; p < def->nport; p++) {
        const LiederDomain *d = def->ports[p].domain;
        if (!d->elastic || n == 2 || (n && d != e->domain))
            continue;
        e->domain = d;
        e->ports[n++] = def->ports[p].name;
    }
    return n == 2 && has_member(class_, e->domain->elastic->elongation) &&
           has_member(class_, e->domain->elastic->flow);
}

/* stiffness of a component in the first lane; 0: it has none */
static double stiffness(const SystemShape *ss, uint32_t component, const LiederElastic *names)
{
    const LiederClass *class_ = ss->shape->components.items[component].class_;
    int slot = class_slot_named(class_, names->stiffness, strlen(names->stiffness));
    if (slot < 0)
        return 0;
    const SlotValue *v = slot_of(ss, component, (uint32_t)slot);
    return v->lanes ? v->lanes[0] : v->value;
}

/* values: positions of both ends and the force; false if they cannot be evaluated */
static bool observe_digits(LiederSystem *system, const char *path, const ElasticElement *e,
                           double t, const double *x, double values[3])
{
    size_t before = system->session->diag.list.n;
    LiederObserver *o = lieder_observer_create(system);
    char name[700];
    bool ok = o != NULL;
    for (int end = 0; end < 2 && ok; end++) {
        snprintf(name, sizeof name, "%s.%s.%s", path, e->ports[end], e->domain->variables[0].name);
        ok = lieder_observer_add(o, name) >= 0;
    }
    snprintf(name, sizeof name, "%s.%s", path, e->domain->elastic->flow);
    ok = ok && lieder_observer_add(o, name) >= 0 &&
         lieder_observer_evaluate(o, t, x, values) == LIEDER_DONE;
    if (o)
        lieder_observer_destroy(o);
    diag_forget(&system->session->diag,
                before); /* what this trial reports does not concern the user */
    return ok;
}

/* warns of an elastic element whose force is mostly the rounding of positions; true after that */
static bool report_element(LiederSystem *system, const SystemShape *ss, uint32_t component,
                           double t, const double *x)
{
    const LiederClass *class_ = ss->shape->components.items[component].class_;
    ElasticElement e = {0};
    bool elastic = find_elastic(class_, &e);
    double c = elastic ? stiffness(ss, component, e.domain->elastic) : 0, values[3];
    char path[512];
    if (!(c > SOFT))
        return false;
    lane_path(system, ss, component, 0, path, sizeof path);
    if (!observe_digits(system, path, &e, t, x, values))
        return false;
    double position = fmax(fabs(values[0]), fabs(values[1])), force = fabs(values[2]);
    double rounding = c * DBL_EPSILON * position;
    if (force == 0 || !(rounding > MIN_FORCE) || !(rounding > LOST * force))
        return false;
    const char *unit = e.domain->variables[e.domain->nsignal + e.domain->npotential].unit;
    diag_warning(&system->session->diag, NULL, path,
                 "this element has lost its digits: at t = %g its stiffness of %g makes %.2g %s of "
                 "the rounding of positions of %.3g, beside a force of %.3g %s\n%s",
                 t, c, rounding, unit, position, force, unit,
                 class_advice(class_->def, LIEDER_ADVICE_LOST_DIGITS));
    return true;
}

bool report_lost_digits(LiederSystem *system, double t, const double *x)
{
    for (size_t k = 0; k < system->nhome; k++) {
        const SystemShape *ss = &system->shapes.items[k];
        /* a net that is cut can only be observed by all ranks together */
        bool here = !ss->shape->asleep && !ss->away.n && ss->shape->nlane &&
                    !ss->shape->first_lane && !ss->shape->cut;
        for (uint32_t i = 0; i < ss->shape->components.n && here; i++)
            if (report_element(system, ss, i, t, x))
                return true;
    }
    return false;
}
