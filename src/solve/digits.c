/* digits.c - elastic elements whose elongation is lost in the rounding of positions.
 *
 * A spring between two absolute positions p computes c (s_b - s_a - l). The difference has an error
 * of eps p, the force one of c eps p: with c = 1e18 N/m and p = 0.1 m that is 22 N. Such a model is
 * not wrong, but its numbers are. At the end of a run every element that is stiff enough is
 * examined, in the first lane of its shape, and the first one whose force has fewer than four
 * digits left is reported. Elements that do not act (an open gap) have no force to lose.
 */
#include "solve/solve.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double LOST = 1e-4, MIN_FORCE = 1e-4, SOFT = 1e10;

/* names of position and force of an elastic element, by its members */
typedef struct ElasticNames {
    const char *elongation, *position, *force, *unit;
} ElasticNames;
static const ElasticNames names[] = {{"s_rel", "s", "f_el", "N"},
                                     {"phi_rel", "phi", "tau_el", "N.m"}};

static const ElasticNames *elastic_names(const LiederClass *class_)
{
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (class_find_member(class_, names[k].elongation, strlen(names[k].elongation)) &&
            class_find_member(class_, names[k].force, strlen(names[k].force)))
            return &names[k];
    return NULL;
}

/* stiffness of a component in the first lane; 0: it has none */
static double stiffness(const SystemShape *ss, uint32_t component)
{
    const LiederClass *class_ = ss->shape->components.items[component].class_;
    for (int s = 0; s < class_->nslot; s++)
        if (class_->slots[s].member && strcmp(class_->slots[s].member->name, "c") == 0) {
            const SlotValue *v = slot_of(ss, component, (uint32_t)s);
            return v->lanes ? v->lanes[0] : v->value;
        }
    return 0;
}

/* positions of both ends and the force; false if they cannot be had */
static bool observe_digits(LiederSystem *system, const char *path, const ElasticNames *n, double t,
                           const double *x, double values[3])
{
    size_t before = system->session->diag.list.n;
    LiederObserver *o = lieder_observer_create(system);
    char name[700];
    bool ok = o != NULL;
    for (int end = 0; end < 2 && ok; end++) {
        snprintf(name, sizeof name, "%s.flange_%c.%s", path, "ab"[end], n -> position);
        ok = lieder_observer_add(o, name) >= 0;
    }
    snprintf(name, sizeof name, "%s.%s", path, n->force);
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
    const ElasticNames *n = elastic_names(ss->shape->components.items[component].class_);
    double c = n ? stiffness(ss, component) : 0, values[3];
    char path[512];
    if (!(c > SOFT))
        return false;
    lane_path(system, ss, component, 0, path, sizeof path);
    if (!observe_digits(system, path, n, t, x, values))
        return false;
    double position = fmax(fabs(values[0]), fabs(values[1])), force = fabs(values[2]);
    double rounding = c * DBL_EPSILON * position;
    if (force == 0 || !(rounding > MIN_FORCE) || !(rounding > LOST * force))
        return false;
    diag_warning(
        &system->session->diag, NULL, path,
        "this element has lost its digits: at t = %g its stiffness of %g makes %.2g %s of "
        "the rounding of positions of %.3g, beside a force of %.3g %s\nlet a joint between "
        "its ends have the elongation as its state and connect the element to its flanges axis and "
        "support (flange_a and support of a planar joint), or take a smaller stiffness",
        t, c, rounding, n->unit, position, force, n->unit);
    return true;
}

bool report_lost_digits(LiederSystem *system, double t, const double *x)
{
    for (size_t k = 0; k < system->nhome; k++) {
        const SystemShape *ss = &system->shapes.items[k];
        /* to observe a net that is cut needs all ranks */
        bool here = !ss->shape->asleep && !ss->away.n && ss->shape->nlane &&
                    !ss->shape->first_lane && !ss->shape->cut;
        for (uint32_t i = 0; i < ss->shape->components.n && here; i++)
            if (report_element(system, ss, i, t, x))
                return true;
    }
    return false;
}
