/* planar.c - Planar.Lever, the class of dialectic mechanics in the plane that is not Modelica text
 * (library/Planar.mo has the others), and why: frame_b is a point of the body that is found anew at
 * every moment, where a contact is just now. Its velocity is that of the body there, v + w J r0
 * with J r = (-r_y, r_x), and not the derivative of its position; the text of a class says that the
 * velocity at a connector is the derivative of the position at it.
 *
 * Signals: elastic pose (p, phi) and kinetic velocity (v, w). Potentials: elastic velocity (P, Phi)
 * and kinetic acceleration (a, z) = (v', w'), at a lever a + z J r0 - Phi w r0.
 */
#include <lieder/mechanics.h>

#include "library/library.h"

/* flows back through a lever r0 from in to out: f, t + r0 x f */
static inline Wrench through(Wrench out, real rx, real ry)
{
    return (Wrench){-out.fx, -out.fy, -(out.t + rx * out.fy - ry * out.fx)};
}

typedef struct Lever {
    real rx, ry; /* r0, from in to out */
} Lever;

static inline void lever_explicit(Lever *c, Frame *in, Frame *out, Signal *x, Signal *y, Call call)
{
    (void)call;
    c->rx = x->y - in->x;
    c->ry = y->y - in->y;
    out->x = in->x + c->rx;
    out->y = in->y + c->ry;
    out->phi = in->phi;
    out->vx = in->vx - in->w * c->ry;
    out->vy = in->vy + in->w * c->rx;
    out->w = in->w;
}

/* velocities and accelerations at the end of an offset that signals move */
static inline void lever_outward(Lever *c, Frame *in, Frame *out, Signal *x, Signal *y, Call call)
{
    (void)x;
    (void)y;
    (void)call;
    real w = in->w;
    out->vx_el = in->vx_el - in->w_el * c->ry;
    out->vy_el = in->vy_el + in->w_el * c->rx;
    out->w_el = in->w_el;
    out->ax = in->ax - in->z * c->ry - in->w_el * (w * c->rx);
    out->ay = in->ay + in->z * c->rx - in->w_el * (w * c->ry);
    out->z = in->z;
}

static inline void lever_inward(Lever *c, Frame *in, Frame *out, Signal *x, Signal *y, Call call)
{
    (void)x;
    (void)y;
    (void)call;
    in->el = through(out->el, c->rx, c->ry);
    in->ki = through(out->ki, c->rx, c->ry);
}

#define CLASS    Lever
#define PORTS(X) X(0, IN, Frame) X(1, OUT, Frame) X(2, IN, Signal) X(3, IN, Signal)
#define EXPLICIT lever_explicit
#define OUTWARD  lever_outward
#define INWARD   lever_inward
#include <lieder/kernels.inc>

#ifndef LIEDER_BLOCKS_ONLY
static const LiederPortDef lever_ports[] = {
    PORT_IN("frame_a", lieder_planar, "frame"),
    PORT_OUT("frame_b", lieder_planar, "frame at (x, y) that moves with frame_a"),
    PORT_INPUT("x", "point in the world"), PORT_INPUT("y", "point in the world")};

static const LiederClassDef classes[] = {
    LIBRARY_CLASS_PLAIN("Planar.Lever", "Rigid offset to a point of the world", lever_ports,
                        Lever_kernels),
};

const LiederClassList LIEDER_SYMBOL(library_planar) = {LIEDER_COUNT(classes), classes};
#endif
