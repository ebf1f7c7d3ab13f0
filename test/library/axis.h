/* axis.h - the two flanges at which a joint shows its own motion: `axis` moves with the state of
 * the joint, `support` rests. A spring between them has the state itself as its elongation, with
 * all its digits; between the outer flanges it would be the difference of two positions. */
#ifndef LIEDER_AXIS_H
#define LIEDER_AXIS_H

#include <lieder/mechanics.h>

static inline void axis_explicit(Flange *axis, Flange *support, real s, real v)
{
    axis->s = s;
    axis->v = v;
    support->s = REAL(0.0);
    support->v = REAL(0.0);
}

static inline void axis_outward(Flange *axis, Flange *support, real v_el, real a)
{
    axis->v_el = v_el;
    axis->a = a;
    support->v_el = REAL(0.0);
    support->a = REAL(0.0);
}

/* power at a flange, into the component */
static inline real flange_power(const Flange *f)
{
    return f->f_el * f->v_el + f->f_ki * f->v;
}

#endif
