/* tube.h - is a curve inside the tube around a reference? The rule by which the libraries of the
 * Modelica Association are compared with their references.
 *
 *   w = tolerance max(t1 - t0, |t0|), h = tolerance max(max r - min r, |min r|, 0.001)
 *
 * for a reference r(t) on [t0, t1]. Every point of the reference gets a rectangle of half width w
 * and half height h; the tube is the envelope of all rectangles, straight between the times of the
 * reference. At an event (several points at one time) all of them count. A curve is inside when
 * each of its points in [t0, t1] is.
 */
#ifndef LIEDER_ANALYSIS_TUBE_H
#define LIEDER_ANALYSIS_TUBE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"

#define TUBE_TOLERANCE 2e-3

/* a curve; times never decrease */
typedef struct TubeCurve {
    const double *t, *y;
    size_t n;
} TubeCurve;

typedef struct TubeVerdict {
    size_t npoint, noutside; /* points between t0 and t1, and how many of them are outside */
    double worst; /* largest distance from the tube by max(max r - min r, |min r|, 0.001);
                     infinite for a value that is no number */
    double first; /* time of the first point outside */
} TubeVerdict;

/* false: no memory. A curve without a point in [t0, t1] has npoint = 0. */
bool tube_compare(const LiederAllocator *alloc, TubeCurve reference, TubeCurve curve,
                  double tolerance, TubeVerdict *verdict);

#endif
