/* tube.c - the tube around a reference, see tube.h.
 *
 * The envelope at the times of the reference is the largest (smallest) value within w of each: a
 * window that moves to the right over a list of candidates with falling (rising) values, whose
 * first is the answer; every point enters and leaves it once. One list of bounds for each side,
 * then one walk along the curve with the reference beside it.
 */
#include "analysis/tube.h"

#include <math.h>

/* bound[i] = the largest of sign r[k] with |t[k] - t[i]| <= w; `queue` holds n candidates */
static void tube_envelope(TubeCurve r, double sign, double w, double *bound, size_t *queue)
{
    size_t first = 0, last = 0, next = 0; // candidates are queue[first ... last - 1]
    for (size_t i = 0; i < r.n; i++) {
        for (; next < r.n && r.t[next] <= r.t[i] + w; next++) {
            while (last > first && sign * r.y[queue[last - 1]] <= sign * r.y[next])
                last--;
            queue[last++] = next;
        }
        while (r.t[queue[first]] < r.t[i] - w)
            first++;
        bound[i] = sign * r.y[queue[first]];
    }
}

/* Envelope at time t: points at t itself if there are any, the largest of them; else between the
 * points around it. *at: the first point at or after t, which moves with rising t. */
static double envelope_at(TubeCurve r, const double *bound, double t, size_t *at)
{
    while (*at < r.n && r.t[*at] < t)
        ++*at;
    if (*at == r.n)
        return bound[r.n - 1];
    if (r.t[*at] == t) {
        double best = bound[*at];
        for (size_t i = *at + 1; i < r.n && r.t[i] == t; i++)
            best = fmax(best, bound[i]);
        return best;
    }
    if (*at == 0)
        return bound[0];
    double part = (t - r.t[*at - 1]) / (r.t[*at] - r.t[*at - 1]);
    return bound[*at - 1] * (1 - part) + bound[*at] * part;
}

/* the base of the height: range, distance from zero, or a thousandth */
static double tube_size(TubeCurve r)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < r.n; i++) {
        least = fmin(least, r.y[i]);
        most = fmax(most, r.y[i]);
    }
    return fmax(fmax(most - least, fabs(least)), 1e-3);
}

/* counts and measures the points of a curve outside of the tube */
static void tube_judge(TubeCurve reference, TubeCurve curve, const double *high, const double *low,
                       double height, double size, TubeVerdict *v)
{
    double t0 = reference.t[0], t1 = reference.t[reference.n - 1];
    double slack = 1e-9 * fmax(t1 - t0, fabs(t0)); // times are written with rounding
    size_t at_high = 0, at_low = 0;
    for (size_t i = 0; i < curve.n; i++) {
        double t = curve.t[i], y = curve.y[i];
        if (!(t >= t0 - slack && t <= t1 + slack))
            continue;
        v->npoint++;
        double above = y - envelope_at(reference, high, t, &at_high) - height;
        double below = -y - envelope_at(reference, low, t, &at_low) - height;
        double distance = isfinite(y) ? fmax(fmax(above, below), 0) / size : INFINITY;
        if (distance > 0 && v->noutside++ == 0)
            v->first = t;
        v->worst = fmax(v->worst, distance);
    }
}

bool tube_compare(const LiederAllocator *alloc, TubeCurve reference, TubeCurve curve,
                  double tolerance, TubeVerdict *verdict)
{
    *verdict = (TubeVerdict){0};
    if (reference.n == 0)
        return true;
    size_t bytes = reference.n * (2 * sizeof(double) + sizeof(size_t));
    double *high = memory_zeroed(alloc, bytes);
    if (!high)
        return false;
    double *low = high + reference.n;
    double t0 = reference.t[0], t1 = reference.t[reference.n - 1];
    double w = tolerance * fmax(t1 - t0, fabs(t0)), size = tube_size(reference);
    tube_envelope(reference, 1, w, high, (size_t *)(low + reference.n));
    tube_envelope(reference, -1, w, low, (size_t *)(low + reference.n));
    tube_judge(reference, curve, high, low, tolerance * size, size, verdict);
    memory_free(alloc, high, bytes);
    return true;
}
