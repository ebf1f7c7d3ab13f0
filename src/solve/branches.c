/* branches.c - systems of nonlinear equations that go over from one of their solutions to another.
 *
 * An iteration begins at the start values in every evaluation, so that what it finds depends on
 * time and states alone (systems.h). Where a system has several solutions, a small change of the
 * states may lead it to another one: unknowns jump, no event says so, and what is computed from
 * them means nothing. So the unknowns are compared between points of the run with nothing held
 * changed in between: accepted steps and rows, or chunks of fixed steps if nothing is held.
 *
 * Where one has changed by more than CHANGE of its size, the straight line between the two points
 * (t, x) is bisected towards the larger part of the change. On a single solution the change shrinks
 * with the piece; one that keeps more than half of its size over 2^-PIECES of the line is a jump,
 * and is reported once. Steep solutions cost some bisections, others three evaluations. Of arrays
 * of equal subsystems LANES are watched, of large systems the unknowns that messages show.
 */
#include "solve/solve.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double CHANGE = 0.05;
enum { PIECES = 40, LANES = 16, NAME = 700 };

/* the name of unknown k of a system in one lane */
static void unknown_name(const Branches *b, const BranchValue *v, char name[NAME])
{
    const SystemShape *ss = &b->system->shapes.items[v->shape];
    char path[512];
    lane_path(b->system, ss, v->component, v->lane, path, sizeof path);
    snprintf(name, NAME, "%s%s%s", path, *path ? "." : "", v->name);
}

/* the unknowns of one system in some lanes; false: memory ran out */
static bool watch_system(Branches *b, uint32_t shape, uint32_t component,
                         const LiederSystemDef *def)
{
    size_t nlane = b->system->shapes.items[shape].shape->nlane;
    for (size_t lane = 0; lane < nlane && lane < LANES; lane++)
        for (int k = 0; k < def->nvalue; k++) {
            BranchValue v = {shape, component, lane, def->names[k]};
            char name[NAME];
            size_t before = b->system->session->diag.list.n;
            unknown_name(b, &v, name);
            bool listed = lieder_observer_add(b->observer, name) >= 0;
            diag_forget(&b->system->session->diag, before); /* nobody asked */
            if (listed && !vec_push(SYSTEM_ALLOC(b->system), &b->values, v))
                return false;
        }
    return true;
}

static bool watch_shape(Branches *b, uint32_t shape)
{
    const Shape *s = b->system->shapes.items[shape].shape;
    for (uint32_t i = 0; i < s->components.n && !s->asleep; i++) {
        const LiederClassDef *def = s->components.items[i].class_->def;
        for (int k = 0; k < def->nsystem; k++)
            if (def->systems[k].kind == LIEDER_SYSTEM_NONLINEAR && !def->systems[k].at_start &&
                !watch_system(b, shape, i, &def->systems[k]))
                return false;
    }
    return true;
}

static bool any_system(const LiederSystem *system)
{
    for (size_t k = 0; k < system->nhome; k++)
        for (uint32_t i = 0; i < system->shapes.items[k].shape->components.n; i++)
            if (system->shapes.items[k].shape->components.items[i].class_->def->nsystem)
                return true;
    return false;
}

LiederStatus branches_create(Branches *b, LiederSystem *system)
{
    *b = (Branches){.system = system};
    if (rank_count(system) > 1 || !any_system(system))
        return LIEDER_DONE;
    b->observer = lieder_observer_create(system);
    bool good = b->observer;
    for (uint32_t k = 0; k < system->nhome && good; k++)
        good = watch_shape(b, k);
    b->nroom = 2 * system->nstate + 3 * b->values.n + 1;
    b->room = good ? memory_zeroed(SYSTEM_ALLOC(system), b->nroom * sizeof(double)) : NULL;
    return b->room ? LIEDER_DONE : LIEDER_NO_MEMORY;
}

void branches_drop(Branches *b)
{
    if (!b->system)
        return;
    if (b->observer)
        lieder_observer_destroy(b->observer);
    if (b->room)
        memory_free(SYSTEM_ALLOC(b->system), b->room, b->nroom * sizeof(double));
    vec_drop(SYSTEM_ALLOC(b->system), &b->values);
    *b = (Branches){0};
}

void branches_forget(Branches *b)
{
    b->known = false;
}

/* the unknowns at a point; false: one is no number */
static bool look(Branches *b, double t, const Moment *moment, const double *x, double *to)
{
    size_t before = b->system->session->diag.list.n;
    b->system->moment = *moment;
    bool good = lieder_observer_evaluate(b->observer, t, x, to) == LIEDER_DONE;
    b->system->moment = (Moment){.event_time = NAN};
    diag_forget(&b->system->session->diag, before); /* the run says so where it counts */
    for (size_t i = 0; i < b->values.n && good; i++)
        good = isfinite(to[i]);
    return good;
}

/* whether unknown i jumps on the line from (b->t, x0) to (t, x1), where it is v0 and v1; *at, *from
 * and *to: where, and its values on both sides */
static bool jumps(Branches *b, size_t i, double t, const Moment *moment, const double *x1,
                  double v0, double v1, double *at, double *from, double *to)
{
    size_t n = b->system->nstate;
    double *x0 = b->room, *x = b->room + n, *here = b->room + 2 * n + 2 * b->values.n;
    double low = 0, high = 1, whole = fabs(v1 - v0);
    for (int k = 0; k < PIECES && fabs(v1 - v0) > 0.5 * whole; k++) {
        double middle = 0.5 * (low + high);
        for (size_t s = 0; s < n; s++)
            x[s] = (1 - middle) * x0[s] + middle * x1[s];
        if (!look(b, (1 - middle) * b->t + middle * t, moment, x, here))
            return false;
        bool first = fabs(here[i] - v0) >= fabs(v1 - here[i]);
        *(first ? &high : &low) = middle;
        *(first ? &v1 : &v0) = here[i];
    }
    *at = (1 - high) * b->t + high * t;
    *from = v0;
    *to = v1;
    return fabs(v1 - v0) > 0.5 * whole;
}

static void report_jump(Branches *b, size_t i, double t, double from, double to)
{
    char name[NAME];
    unknown_name(b, &b->values.items[i], name);
    diag_warning(&b->system->session->diag, NULL, name,
                 "it jumps from %g to %g at t = %.9g, where no state does: its equations have "
                 "several solutions, and the iteration, which begins at the start values each "
                 "time, has found another one\ngive start values near the solution that is meant "
                 "(start = ...), or write the equations so that they have one; a jump that is "
                 "meant belongs into a relation without noEvent",
                 from, to, t);
    b->told = true;
}

void branches_look(Branches *b, double t, const Moment *moment, const double *x)
{
    size_t n = b->system ? b->system->nstate : 0;
    if (!b->values.n || b->told)
        return;
    double *before = b->room + 2 * n, *now = before + b->values.n, at, from, to;
    bool good = look(b, t, moment, x, now);
    for (size_t i = 0; i < b->values.n && good && b->known && !b->told; i++)
        if (fabs(now[i] - before[i]) > CHANGE * (fabs(now[i]) + fabs(before[i])) &&
            jumps(b, i, t, moment, x, before[i], now[i], &at, &from, &to))
            report_jump(b, i, at, from, to);
    memcpy(b->room, x, n * sizeof(double));
    memcpy(before, now, b->values.n * sizeof(double));
    b->t = t;
    b->known = good;
}
