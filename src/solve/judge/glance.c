/* glance.c - short pulses inside a step that the evaluations of the solver have missed.
 *
 * An adaptive solver sees derivatives at the ends of its steps and at a few points between. While
 * all states rest, or move evenly, steps grow as long as the run, and a pulse that is shorter, of a
 * function of time or of the angle of a cam, is passed over: x' = exp(-((t - 5)/0.01)^2) ended at 0
 * by every solver. So the run is divided into cells with an instant in each, and in a step that is
 * longer than a cell the derivatives are evaluated at its instants t_k (glances):
 *
 *   d_k = f(t_k, p(t_k)) - p'(t_k),    S = cell sum_k d_k,    M e = S
 *
 * p is the curve of the solver, S about the integral of the pulses, and M is the matrix of its
 * implicit steps, I - gamma J, or the unit matrix: where a motion is much faster than the step, d
 * is the rounding of a state times a large factor, and e this rounding itself. A step with |e| >
 * tolerance (nominal + |x|) is taken again, up to the first instant of a pulse, from where the
 * solver meets it itself.
 *
 * The instant lies at another part of each cell, so that no wave fits the grid. Steps that are
 * right have e of a few hundredths of the tolerance and keep their bits.
 */
#include "solve/judge/glance.h"

#include <math.h>
#include <string.h>

/* parts of a cell: instants nearer to the begin of a step are left out, it has derivatives there */
static const double NEAR = 1.0 / 64;
/* a pulse begins at an instant with at least this part of the largest d */
static const double FAINT = 0.1;

/* the instant in cell k */
static double instant_of(const Glances *g, double k)
{
    double part = 0.6180339887498949 * (k + 1);
    return g->origin + (k + (part - floor(part))) * g->cell;
}

/* the next instant; false: it is not in the step any more */
static bool glance_next(const Glances *g, Glance *at)
{
    do {
        at->cell++;
        at->t = instant_of(g, at->cell);
    } while (at->t <= at->begin);
    return at->t < at->end;
}

bool glance_first(const Glances *g, double from, double to, Glance *at)
{
    if (!(g->cell > 0) || !(to - from > g->cell))
        return false;
    at->cell = floor((from - g->origin) / g->cell) - 1;
    at->begin = from + NEAR * g->cell;
    at->end = to;
    at->largest = at->when = 0;
    return glance_next(g, at);
}

/* adds d_k of this instant to the sum; at->when: the first instant of a pulse */
static void glance_add(const Glances *g, Glance *at, const GlanceCurve *c)
{
    double size = 0;
    for (size_t i = 0; i < c->n; i++) {
        double off = g->cell * (c->f[i] - c->slope[i]);
        size = fmax(size, fabs(off) / ((c->nominal ? c->nominal[i] : 1) + fabs(c->x[i])));
        c->sum[i] += off;
    }
    if (FAINT * size > at->largest) {
        at->largest = size;
        at->when = at->t;
    }
}

/* is e, an error of the state at the end of the step, more than the tolerance? */
static bool glance_sees(const Glances *g, const GlanceCurve *c)
{
    bool seen = false;
    for (size_t i = 0; i < c->n; i++)
        seen |= fabs(c->sum[i]) > g->tolerance * ((c->nominal ? c->nominal[i] : 1) + fabs(c->x[i]));
    return seen;
}

double glance_walk(const Glances *g, Glance *at, const GlanceCurve *c)
{
    memset(c->sum, 0, c->n * sizeof(double));
    do {
        if (c->read(c->user, at->t, c))
            glance_add(g, at, c);
    } while (glance_next(g, at));
    c->weigh(c->user, c);
    return at->largest > 0 && glance_sees(g, c) ? at->when : INFINITY;
}
