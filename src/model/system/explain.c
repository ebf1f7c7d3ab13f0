/* explain.c - why an evaluation failed: the joint, the network, the system of equations or the
 * derivative, by its path, with numbers and advice. Strips that failed in a thread are evaluated
 * again here, in the calling thread. */
#include "model/system/evaluate.h"

#include <stdio.h>

char *lane_path(const LiederSystem *system, const SystemShape *ss, uint32_t component, size_t lane,
                char *buffer, size_t size)
{
    LiederElement e = element_at(system, ss, component, lane);
    return flat_path(&system->flat, e.sheet, e.instance, e.lane, buffer, size);
}

/* ------------------------------------------------------------------ linear groups */

/* reports the component whose pivot vanished, with the advice of its domain */
static LiederStatus report_singular(LiederSystem *system, SystemShape *ss, uint32_t component,
                                    size_t lane, double pivot, double t)
{
    char path[512];
    const LiederClassDef *def = ss->shape->components.items[component].class_->def;
    if (def->nport && port_is_network(&def->ports[0])) {
        diag_error(&system->session->diag, NULL,
                   lane_path(system, ss, component, lane, path, sizeof path),
                   "the equations of the network have no unique solution here at t = %g\n%s", t,
                   class_advice(def, LIEDER_ADVICE_SINGULAR));
        return LIEDER_SINGULAR;
    }
    bool tree = ss->plan.method == LIEDER_METHOD_TREE; /* pivots were checked at the start */
    diag_error(
        &system->session->diag, NULL, lane_path(system, ss, component, lane, path, sizeof path),
        "the linear group is singular or badly scaled here at t = %g (pivot %g)\n%s%s%s the motion "
        "leads to where the equations have no solution; %s",
        t, pivot, tree ? "it was not at the start" : "at the start: ",
        tree ? ":" : class_advice(def, LIEDER_ADVICE_OPEN),
        tree ? "" : " Later:", class_advice(def, LIEDER_ADVICE_SINGULAR));
    return LIEDER_SINGULAR;
}

static LiederStatus report_unsettled(LiederSystem *system, SystemShape *ss, uint32_t component,
                                     size_t lane, double t)
{
    char path[512];
    diag_error(&system->session->diag, NULL,
               lane_path(system, ss, component, lane, path, sizeof path),
               "no solution was found in %d iterations at t = %g\nare the parameters of this "
               "component of a sensible size?",
               MAX_ITERATIONS, t);
    return LIEDER_GAVE_UP;
}

LiederStatus report_lane(LiederSystem *system, SystemShape *ss, uint32_t culprit, size_t lane,
                         double pivot, double t, LiederStatus status)
{
    if (culprit == NOWHERE) /* another rank has it and reports it */
        return status;
    if (status == LIEDER_SINGULAR)
        return report_singular(system, ss, culprit, lane, pivot, t);
    return status == LIEDER_GAVE_UP ? report_unsettled(system, ss, culprit, lane, t) : status;
}

/* reports the joint with a small pivot among n lanes that were evaluated last */
static void name_small_pivot(LiederSystem *system, SystemShape *ss, Workspace *workspace,
                             size_t lane, size_t n, double t)
{
    const Program *p = &ss->plan.lean;
    for (size_t l = 0; l < n; l++) {
        LiederStrip strip = workspace_strip(ss, workspace, 1, t);
        strip.base = workspace->strip + l / (size_t)p->lanes * p->nreal * (size_t)p->lanes;
        uint32_t component;
        double pivot;
        if (find_small_pivot(ss, p, &strip, (int)(l % (size_t)p->lanes), &component, &pivot)) {
            report_singular(system, ss, component, lane + l, pivot, t);
            break;
        }
    }
    LiederStrip all = workspace_strip(ss, workspace, ss->strip, t);
    ss->plan.lean_ops->fill(&all, LIEDER_ALARM, 0.0);
}

/* ------------------------------------------------------------------ systems of equations */

/* the last values of a system of equations, as "x = 1, y = 2" */
static void system_values(const LiederSystemDef *def, const double *self, size_t lanes,
                          char *buffer, size_t size)
{
    size_t at = 0;
    buffer[0] = '\0';
    for (int k = 0; k < def->nvalue && at < size; k++)
        at += (size_t)snprintf(buffer + at, size - at, "%s%s = %g", k ? ", " : "", def->names[k],
                               self[(size_t)(def->values + k) * lanes]);
}

/* reports how a system of a component ended: which row, which values */
static void report_system(LiederSystem *system, const LiederSystemDef *def, const double *self,
                          size_t lanes, const char *path, double t)
{
    char values[500];
    int row = (int)self[(size_t)def->status * lanes] - 1;
    system_values(def, self, lanes, values, sizeof values);
    if (def->kind == LIEDER_SYSTEM_CONDITION)
        diag_error(&system->session->diag, NULL, path,
                   "an initial equation does not agree with the other conditions at t = %g: its "
                   "left side is %.10g, its right side %.10g (%s)\n"
                   "there are more conditions than start values: remove one that contradicts",
                   t, self[(size_t)def->values * lanes], self[(size_t)(def->values + 1) * lanes],
                   def->places[0]);
    else if (def->kind == LIEDER_SYSTEM_LINEAR)
        diag_error(&system->session->diag, NULL, path,
                   "%d linear equation(s) have no unique solution at t = %g: nothing decides %s "
                   "(%s)\nthis happens where a factor becomes zero: is something disconnected, a "
                   "parameter zero that must not be, or an ideal diode or switch closed between a "
                   "source and a state (give it a resistance)?",
                   def->nequation, t, def->names[row], def->places[0]);
    else if (self[(size_t)def->status * lanes] > row + 1)
        diag_error(
            &system->session->diag, NULL, path,
            "%d nonlinear equation(s) are not solved at t = %g: the equation %s has no value "
            "where the iteration begins, at %s\na function may be outside of its range there "
            "(root or logarithm of a negative number, division by zero): give other start "
            "values (start = ...)",
            def->nequation, t, def->places[row], values);
    else
        diag_error(&system->session->diag, NULL, path,
                   "%d nonlinear equation(s) are not solved at t = %g: the iteration ends at %s, "
                   "with the largest error in the equation %s\ngive start values that are near the "
                   "solution (start = ...), or check whether there is one: rods of a loop may be "
                   "too short "
                   "to meet",
                   def->nequation, t, values, def->places[row]);
}

bool find_failed_system(LiederSystem *system, const SystemShape *ss, const Program *p,
                        const double *record, size_t in_record, size_t lane, double t,
                        bool at_start)
{
    char path[512];
    for (uint32_t i = 0; i < p->shape->components.n; i++) {
        const LiederClassDef *class_ = p->shape->components.items[i].class_->def;
        const double *self =
            record + (size_t)at_of(p, i)[LIEDER_AT_SELF] * (size_t)p->lanes + in_record;
        for (int k = 0; k < class_->nsystem; k++)
            if (class_->systems[k].at_start == at_start &&
                !(self[(size_t)(class_->systems[k].status * p->lanes)] == 0)) {
                report_system(system, &class_->systems[k], self, (size_t)p->lanes,
                              lane_path(system, ss, i, lane, path, sizeof path), t);
                return true;
            }
    }
    return false;
}

/* Reports a system of equations of a block that has failed, if there is one: the lane is evaluated
 * again, by the kernels that leave everything in the record. */
static bool explain_system(const Evaluation *e, size_t lane, const double *x, size_t x_stride,
                           double *dx, size_t dx_stride)
{
    SystemShape *ss = e->ss;
    size_t at;
    bool any = false;
    for (uint32_t i = 0; i < ss->shape->components.n; i++)
        any |= ss->shape->components.items[i].class_->def->nsystem > 0;
    if (!any || ss->plan.method != LIEDER_METHOD_TREE)
        return false;
    strip_fill(ss, e->workspace);
    strip_load(ss, e->workspace, lane, 1);
    evaluate_pieces(e, TIER_PLAIN, lane, 1, x, x_stride, dx, dx_stride, &at);
    return find_failed_system(e->system, ss, &ss->plan.lean, e->workspace->strip, 0, lane, e->t,
                              false);
}

/* ------------------------------------------------------------------ all of it */

LiederStatus strip_explain(LiederSystem *system, SystemShape *ss, Workspace *workspace, double t,
                           const Moment *moment, size_t lane, size_t n, const double *x,
                           size_t x_stride, double *dx, size_t dx_stride, LiederStatus failure)
{
    char path[512];
    if (failure == LIEDER_SINGULAR && ss->plan.method == LIEDER_METHOD_TREE) {
        Evaluation e = {system, ss, workspace, t, moment};
        size_t at, width = workspace_width(ss);
        strip_fill(ss, workspace);
        strip_load(ss, workspace, lane, n);
        if (evaluate_pieces(&e, TIER_PLAIN, lane, n, x, x_stride, dx, dx_stride, &at) ==
            LIEDER_SINGULAR)
            name_small_pivot(system, ss, workspace, lane + at, n - at < width ? n - at : width, t);
    }
    if (ss->plan.method != LIEDER_METHOD_TREE &&
        (failure == LIEDER_SINGULAR || failure == LIEDER_GAVE_UP)) {
        uint32_t culprit = 0;
        double now = moment->times ? moment->times[0] : t;
        failure =
            evaluate_alone(ss, workspace, t, moment, lane, x, x_stride, dx, dx_stride, &culprit);
        return report_lane(system, ss, culprit, lane, 0.0, now, failure);
    }
    if (failure != LIEDER_NOT_FINITE)
        return failure;
    for (size_t s = 0; s < ss->shape->states.n; s++)
        for (size_t l = 0; l < n; l++) {
            double d = dx[s * dx_stride + l];
            if (isfinite(d))
                continue;
            const StateRef *ref = &ss->shape->states.items[s];
            Evaluation e = {system, ss, workspace, t, moment};
            if (explain_system(&e, lane + l, x + l, x_stride, dx + l, dx_stride))
                return failure;
            diag_error(
                &system->session->diag, NULL,
                lane_path(system, ss, ref->component, lane + l, path, sizeof path),
                "the derivative of %s is %g at t = %g\na function has left its range, or the "
                "numbers have grown too large: 'lieder eigen' has the longest stable step",
                ref->member->name, d, t);
            return failure;
        }
    return failure;
}
