/* friction.h - the S-functions of paper 004, for every class with dry friction. */
#ifndef LIEDER_FRICTION_H
#define LIEDER_FRICTION_H

#include <lieder/component.h>

/* y = -x^3/2 + 3x/2, stretched from (x0, y0) to (x1, y1) and constant beyond (paper 004) */
static inline real s_function(real x0, real x1, real y0, real y1, real x)
{
    real q = (x - 0.5 * (x0 + x1)) * 2.0 / (x1 - x0);
    q = minimum(maximum(q, -1.0), 1.0);
    return 0.5 * (y0 + y1) + 0.5 * (y1 - y0) * (q * (1.5 - 0.5 * q * q));
}

/* point-symmetric: up to (x_max, y_max), then down to (x_sat, y_sat) */
static inline real triple_s_function(real x_max, real x_sat, real y_max, real y_sat, real x)
{
    real side = choose(x < 0.0, -1.0, 1.0), u = absolute(x);
    real rising = s_function(-x_max, x_max, -y_max, y_max, u);
    real falling = s_function(x_max, x_sat, y_max, y_sat, u);
    return side * choose(u > x_max, falling, rising);
}

#endif
