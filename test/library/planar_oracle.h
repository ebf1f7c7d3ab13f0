/* planar_oracle.h - classes of Planar in C, as they were before they became Modelica text
 * (library/Planar.mo): the oracle of tests. "Planar.Body" is "OraclePlanar.Body"
 * here, compiled by the
 * file that includes this.
 *
 * Notation: J r = (-r_y, r_x), R(phi) the rotation, r0 = R(phi) r. Signals: elastic pose (p, phi)
 * and kinetic velocity (v, w). Potentials: elastic velocity (P, Phi) = (p', phi') and kinetic
 * acceleration (a, z) = (v', w'). A lever turns with the elastic angle, so differentiating its
 * kinetic velocity v + w J r0 gives
 *
 *   a + z J r0 + w J r0',   r0' = Phi J r0   =>   a + z J r0 - Phi w r0
 *
 * with Phi w where classical mechanics has w^2. That keeps the kinetic momentum of free motion
 * exact for any T_D. The joints follow paper 001, listing 7, with the acceleration as unknown.
 * Links are written from `in` to `out`; dir = -1 exchanges the frames.
 */
#ifndef TEST_LIBRARY_PLANAR_ORACLE_H
#define TEST_LIBRARY_PLANAR_ORACLE_H

#include <lieder/mechanics.h>

#include "library/axis.h"
#include "library/friction.h"
#include "library/library.h"

/* ------------------------------------------------------------------ shared pieces */

/* flows back through a lever r0 from in to out: f, t + r0 x f */
static inline Wrench through(Wrench out, real rx, real ry)
{
    return (Wrench){-out.fx, -out.fy, -(out.t + rx * out.fy - ry * out.fx)};
}

static inline Wrench sum(Wrench a, Wrench b)
{
    return (Wrench){a.fx + b.fx, a.fy + b.fy, a.t + b.t};
}

/* power at a frame, into the component */
static inline real frame_power(const Frame *f)
{
    return f->el.fx * f->vx_el + f->el.fy * f->vy_el + f->el.t * f->w_el + f->ki.fx * f->vx +
           f->ki.fy * f->vy + f->ki.t * f->w;
}

/* ------------------------------------------------------------------ Fixed */

typedef struct Fixed {
    real r[2], phi;
} Fixed;

static inline void fixed_explicit(Fixed *c, Frame *out, Call call)
{
    (void)call;
    out->x = c->r[0];
    out->y = c->r[1];
    out->phi = c->phi;
    out->vx = out->vy = out->w = REAL(0.0);
}

static inline void fixed_outward(Fixed *c, Frame *out, Call call)
{
    (void)c;
    (void)call;
    out->vx_el = out->vy_el = out->w_el = REAL(0.0);
    out->ax = out->ay = out->z = REAL(0.0);
}

#define CLASS    Fixed
#define PORTS(X) X(0, OUT, Frame)
#define EXPLICIT fixed_explicit
#define OUTWARD  fixed_outward
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ FixedTranslation */

typedef struct FixedTranslation {
    real r[2];
    real rx, ry; /* r0, from in to out */
} FixedTranslation;

/* a lever r0 that turns with frame `in` */
static inline void translation_to(FixedTranslation *c, Frame *in, Frame *out, real rx, real ry)
{
    c->rx = rx;
    c->ry = ry;
    out->x = in->x + rx;
    out->y = in->y + ry;
    out->phi = in->phi;
    out->vx = in->vx - in->w * ry;
    out->vy = in->vy + in->w * rx;
    out->w = in->w;
}

static inline void translation_explicit(FixedTranslation *c, Frame *in, Frame *out, Call call)
{
    real s, k;
    sine_cosine(in->phi, &s, &k);
    translation_to(c, in, out, call.dir * (k * c->r[0] - s * c->r[1]),
                   call.dir * (s * c->r[0] + k * c->r[1]));
}

static inline void translation_outward(FixedTranslation *c, Frame *in, Frame *out, Call call)
{
    (void)call;
    real w = in->w;
    out->vx_el = in->vx_el - in->w_el * c->ry;
    out->vy_el = in->vy_el + in->w_el * c->rx;
    out->w_el = in->w_el;
    out->ax = in->ax - in->z * c->ry - in->w_el * (w * c->rx);
    out->ay = in->ay + in->z * c->rx - in->w_el * (w * c->ry);
    out->z = in->z;
}

static inline void translation_inward(FixedTranslation *c, Frame *in, Frame *out, Call call)
{
    (void)call;
    in->el = through(out->el, c->rx, c->ry);
    in->ki = through(out->ki, c->rx, c->ry);
}

#define CLASS    FixedTranslation
#define PORTS(X) X(0, IN, Frame) X(1, OUT, Frame)
#define EXPLICIT translation_explicit
#define OUTWARD  translation_outward
#define INWARD   translation_inward
#define REVERSIBLE
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ FixedRotation */

typedef struct FixedRotation {
    real alpha;
} FixedRotation;

/* everything but the angle passes unchanged */
static inline void same_signals(Frame *in, Frame *out)
{
    out->x = in->x;
    out->y = in->y;
    out->phi = in->phi;
    out->vx = in->vx;
    out->vy = in->vy;
    out->w = in->w;
}

static inline void same_potentials(Frame *in, Frame *out)
{
    out->vx_el = in->vx_el;
    out->vy_el = in->vy_el;
    out->w_el = in->w_el;
    out->ax = in->ax;
    out->ay = in->ay;
    out->z = in->z;
}

static inline void rotation_explicit(FixedRotation *c, Frame *in, Frame *out, Call call)
{
    same_signals(in, out);
    out->phi = in->phi + call.dir * c->alpha;
}

static inline void rotation_outward(FixedRotation *c, Frame *in, Frame *out, Call call)
{
    (void)c;
    (void)call;
    same_potentials(in, out);
}

static inline void rotation_inward(FixedRotation *c, Frame *in, Frame *out, Call call)
{
    (void)c;
    (void)call;
    in->el = through(out->el, REAL(0.0), REAL(0.0));
    in->ki = through(out->ki, REAL(0.0), REAL(0.0));
}

#define CLASS    FixedRotation
#define PORTS(X) X(0, IN, Frame) X(1, OUT, Frame)
#define EXPLICIT rotation_explicit
#define OUTWARD  rotation_outward
#define INWARD   rotation_inward
#define REVERSIBLE
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ Revolute */

typedef struct Revolute {
    real TD;
    real phi, w;
    real z, w_el; /* unknown; derivatives of w and phi */
    real residual;
} Revolute;

static inline void revolute_explicit(Revolute *c, Frame *in, Frame *out, Flange *axis,
                                     Flange *support, Call call)
{
    same_signals(in, out);
    out->phi = in->phi + call.dir * c->phi;
    out->w = in->w + call.dir * c->w;
    axis_explicit(axis, support, c->phi, c->w);
}

static inline void revolute_outward(Revolute *c, Frame *in, Frame *out, Flange *axis,
                                    Flange *support, Call call)
{
    c->w_el = constant_term(c->w) + c->TD * c->z;
    same_potentials(in, out);
    out->w_el = in->w_el + call.dir * c->w_el;
    out->z = in->z + call.dir * c->z;
    axis_outward(axis, support, c->w_el, c->z);
}

static inline void revolute_inward(Revolute *c, Frame *in, Frame *out, Flange *axis,
                                   Flange *support, Call call)
{
    (void)support;
    in->el = through(out->el, REAL(0.0), REAL(0.0));
    in->ki = through(out->ki, REAL(0.0), REAL(0.0));
    c->residual = call.dir * (out->el.t + out->ki.t) + axis->f_el + axis->f_ki;
}

static inline Energy revolute_energy(Revolute *c, Frame *in, Frame *out, Flange *axis,
                                     Flange *support, Call call)
{
    (void)c;
    (void)support;
    (void)call;
    return (Energy){.filter = frame_power(in) + frame_power(out) + flange_power(axis)};
}

#define CLASS       Revolute
#define PORTS(X)    X(0, IN, Frame) X(1, OUT, Frame) X(2, OUT, Flange) X(3, OUT, Flange)
#define UNKNOWNS(X) X(0, z, residual)
#define EXPLICIT    revolute_explicit
#define OUTWARD     revolute_outward
#define INWARD      revolute_inward
#define ENERGY      revolute_energy
#define REVERSIBLE
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ Prismatic */

typedef struct Prismatic {
    real TD, r[2];
    real e[2]; /* r / |r| */
    real s, v;
    real a, v_el; /* unknown; derivatives of v and s */
    real residual;
    real ex, ey; /* e0 = R(phi) e */
} Prismatic;

static inline void prismatic_constant(Prismatic *c)
{
    real length = square_root(c->r[0] * c->r[0] + c->r[1] * c->r[1]);
    c->e[0] = c->r[0] / length;
    c->e[1] = c->r[1] / length;
}

static inline void prismatic_incoming(Prismatic *c, Frame *in, Frame *out, Flange *axis,
                                      Flange *support, Call call)
{
    (void)out;
    (void)axis;
    (void)support;
    real s, k;
    sine_cosine(in->phi, &s, &k);
    c->ex = call.dir * (k * c->e[0] - s * c->e[1]);
    c->ey = call.dir * (s * c->e[0] + k * c->e[1]);
}

static inline void prismatic_explicit(Prismatic *c, Frame *in, Frame *out, Flange *axis,
                                      Flange *support, Call call)
{
    (void)call;
    real rx = c->s * c->ex, ry = c->s * c->ey;
    out->x = in->x + rx;
    out->y = in->y + ry;
    out->phi = in->phi;
    out->vx = in->vx - in->w * ry + c->v * c->ex;
    out->vy = in->vy + in->w * rx + c->v * c->ey;
    out->w = in->w;
    axis_explicit(axis, support, c->s, c->v);
}

static inline void prismatic_outward(Prismatic *c, Frame *in, Frame *out, Flange *axis,
                                     Flange *support, Call call)
{
    real rx = c->s * c->ex, ry = c->s * c->ey;
    c->v_el = constant_term(c->v) + c->TD * c->a;
    /* r0' = Phi J r0 + e0 s' */
    real rx_ = c->ex * c->v_el - in->w_el * ry;
    real ry_ = c->ey * c->v_el + in->w_el * rx;
    out->vx_el = in->vx_el + rx_;
    out->vy_el = in->vy_el + ry_;
    out->w_el = in->w_el;
    /* a + z J r0 + w J r0' + a_s e0 + v Phi J e0 */
    out->ax = in->ax - in->z * ry - in->w * ry_ + c->a * c->ex - in->w_el * (c->v * c->ey);
    out->ay = in->ay + in->z * rx + in->w * rx_ + c->a * c->ey + in->w_el * (c->v * c->ex);
    out->z = in->z;
    axis_outward(axis, support, c->v_el, c->a);
}

static inline void prismatic_inward(Prismatic *c, Frame *in, Frame *out, Flange *axis,
                                    Flange *support, Call call)
{
    (void)support;
    (void)call;
    in->el = through(out->el, c->s * c->ex, c->s * c->ey);
    in->ki = through(out->ki, c->s * c->ex, c->s * c->ey);
    Wrench f = sum(out->el, out->ki);
    c->residual = f.fx * c->ex + f.fy * c->ey + axis->f_el + axis->f_ki;
}

static inline Energy prismatic_energy(Prismatic *c, Frame *in, Frame *out, Flange *axis,
                                      Flange *support, Call call)
{
    (void)c;
    (void)support;
    (void)call;
    return (Energy){.filter = frame_power(in) + frame_power(out) + flange_power(axis)};
}

#define CLASS       Prismatic
#define PORTS(X)    X(0, IN, Frame) X(1, OUT, Frame) X(2, OUT, Flange) X(3, OUT, Flange)
#define UNKNOWNS(X) X(0, a, residual)
#define CONSTANT    prismatic_constant
#define INCOMING    prismatic_incoming
#define EXPLICIT    prismatic_explicit
#define OUTWARD     prismatic_outward
#define INWARD      prismatic_inward
#define ENERGY      prismatic_energy
#define REVERSIBLE
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ Body */

typedef struct Body {
    real m, I, g;
} Body;

static inline void body_inward(Body *c, Frame *in, Call call)
{
    in->ki = (Wrench){c->m * in->ax, c->m * in->ay, c->I * in->z};
    in->el = (Wrench){REAL(0.0), constant_term(c->m * c->g), REAL(0.0)};
}

static inline Energy body_energy(Body *c, Frame *in, Call call)
{
    (void)call;
    real linear = c->m * (in->vx * in->vx + in->vy * in->vy);
    return (Energy){.kinetic = 0.5 * (linear + c->I * in->w * in->w),
                    .potential = c->m * c->g * in->y};
}

#define CLASS    Body
#define PORTS(X) X(0, IN, Frame)
#define INWARD   body_inward
#define ENERGY   body_energy
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ FreeMotion */

/* Three degrees of freedom: (x, y) in the axes of frame_a, then phi. With (phi_a, w_a, Phi_a,
 * z_a) the turn of frame_a, r0 = R(phi_a) (x, y), u = R(phi_a) (vx, vy), b = R(phi_a) (ax, ay):
 *   v_b = v_a + w_a J r0 + u,   r0' = Phi_a J r0 + R (x', y')
 *   a_b = a_a + z_a J r0 + w_a J r0' + Phi_a J u + b */
typedef struct FreeMotion {
    real TD;
    real x, y, phi, vx, vy, w;
    real ax, ay, z, x_der, y_der, phi_der;
    real res_x, res_y, res_t;
    real sine, cosine, wa; /* of frame_a */
} FreeMotion;

static inline void free_explicit(FreeMotion *c, Frame *in, Frame *out, Call call)
{
    real phi_a = call.dir > 0 ? in->phi : in->phi - c->phi;
    sine_cosine(phi_a, &c->sine, &c->cosine);
    c->wa = call.dir > 0 ? in->w : in->w - c->w;
    real rx = c->cosine * c->x - c->sine * c->y, ry = c->sine * c->x + c->cosine * c->y;
    real ux = c->cosine * c->vx - c->sine * c->vy, uy = c->sine * c->vx + c->cosine * c->vy;
    out->x = in->x + call.dir * rx;
    out->y = in->y + call.dir * ry;
    out->phi = in->phi + call.dir * c->phi;
    out->vx = in->vx + call.dir * (ux - c->wa * ry);
    out->vy = in->vy + call.dir * (uy + c->wa * rx);
    out->w = in->w + call.dir * c->w;
}

static inline void free_outward(FreeMotion *c, Frame *in, Frame *out, Call call)
{
    c->x_der = constant_term(c->vx) + c->TD * c->ax;
    c->y_der = constant_term(c->vy) + c->TD * c->ay;
    c->phi_der = constant_term(c->w) + c->TD * c->z;
    real turn = call.dir > 0 ? in->w_el : in->w_el - c->phi_der; /* Phi_a */
    real za = call.dir > 0 ? in->z : in->z - c->z;
    real rx = c->cosine * c->x - c->sine * c->y, ry = c->sine * c->x + c->cosine * c->y;
    real ux = c->cosine * c->vx - c->sine * c->vy, uy = c->sine * c->vx + c->cosine * c->vy;
    real bx = c->cosine * c->ax - c->sine * c->ay, by = c->sine * c->ax + c->cosine * c->ay;
    real rx_ = c->cosine * c->x_der - c->sine * c->y_der - turn * ry;
    real ry_ = c->sine * c->x_der + c->cosine * c->y_der + turn * rx;
    out->vx_el = in->vx_el + call.dir * rx_;
    out->vy_el = in->vy_el + call.dir * ry_;
    out->w_el = in->w_el + call.dir * c->phi_der;
    out->ax = in->ax + call.dir * (bx - za * ry - c->wa * ry_ - turn * uy);
    out->ay = in->ay + call.dir * (by + za * rx + c->wa * rx_ + turn * ux);
    out->z = in->z + call.dir * c->z;
}

static inline void free_inward(FreeMotion *c, Frame *in, Frame *out, Call call)
{
    real rx = call.dir * (c->cosine * c->x - c->sine * c->y);
    real ry = call.dir * (c->sine * c->x + c->cosine * c->y);
    in->el = through(out->el, rx, ry);
    in->ki = through(out->ki, rx, ry);
    /* nothing acts at frame_b along the three coordinates */
    Wrench b = call.dir > 0 ? sum(out->el, out->ki) : sum(in->el, in->ki);
    c->res_x = b.fx * c->cosine + b.fy * c->sine;
    c->res_y = b.fy * c->cosine - b.fx * c->sine;
    c->res_t = b.t;
}

static inline Energy free_energy(FreeMotion *c, Frame *in, Frame *out, Call call)
{
    (void)c;
    (void)call;
    return (Energy){.filter = frame_power(in) + frame_power(out)};
}

#define CLASS       FreeMotion
#define PORTS(X)    X(0, IN, Frame) X(1, OUT, Frame)
#define UNKNOWNS(X) X(0, ax, res_x) X(1, ay, res_y) X(2, z, res_t)
#define EXPLICIT    free_explicit
#define OUTWARD     free_outward
#define INWARD      free_inward
#define ENERGY      free_energy
#define REVERSIBLE
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ SpringDamper */

/* Acts between the origins of two frames, along the axes of the world:
 *   f_el = c (D - D0) [ + d_el (DP - Dv) ],  f_ki = d Dv,  d_el = d + c T_D,  for x, y and phi */
typedef struct SpringDamper {
    real c_x, c_y, c_phi, d_x, d_y, d_phi, s_relx0, s_rely0, phi_rel0, TD, damped;
    real s_relx, s_rely, phi_rel, v_relx, v_rely, w_rel;
    Wrench elastic, kinetic, d_el; /* what the states decide, and the coupling */
    Wrench f_el;
} SpringDamper;

static inline void spring_explicit(SpringDamper *c, Frame *a, Frame *b, Call call)
{
    (void)call;
    c->s_relx = b->x - a->x;
    c->s_rely = b->y - a->y;
    c->phi_rel = b->phi - a->phi;
    c->v_relx = b->vx - a->vx;
    c->v_rely = b->vy - a->vy;
    c->w_rel = b->w - a->w;
    real on = choose(c->TD > 0.0, c->damped, 0.0); /* with T_D = 0 an element is classical */
    c->d_el = (Wrench){on * (c->d_x + c->c_x * c->TD), on * (c->d_y + c->c_y * c->TD),
                       on * (c->d_phi + c->c_phi * c->TD)};
    c->kinetic = (Wrench){c->d_x * c->v_relx, c->d_y * c->v_rely, c->d_phi * c->w_rel};
    c->elastic = (Wrench){c->c_x * (c->s_relx - c->s_relx0) - c->d_el.fx * c->v_relx,
                          c->c_y * (c->s_rely - c->s_rely0) - c->d_el.fy * c->v_rely,
                          c->c_phi * (c->phi_rel - c->phi_rel0) - c->d_el.t * c->w_rel};
}

static inline void spring_inward(SpringDamper *c, Frame *a, Frame *b, Call call)
{
    c->f_el = (Wrench){constant_term(c->elastic.fx) + c->d_el.fx * (b->vx_el - a->vx_el),
                       constant_term(c->elastic.fy) + c->d_el.fy * (b->vy_el - a->vy_el),
                       constant_term(c->elastic.t) + c->d_el.t * (b->w_el - a->w_el)};
    b->el = c->f_el;
    a->el = (Wrench){-c->f_el.fx, -c->f_el.fy, -c->f_el.t};
    b->ki = (Wrench){constant_term(c->kinetic.fx), constant_term(c->kinetic.fy),
                     constant_term(c->kinetic.t)};
    a->ki = (Wrench){constant_term(-c->kinetic.fx), constant_term(-c->kinetic.fy),
                     constant_term(-c->kinetic.t)};
}

/* what a damper and its bracket take at an elastic rate, and what of it is heat: see elastic_energy
 * of line_oracle.h */
static inline real damper_taken(real d_el, real rate, real kinetic_rate, real force)
{
    return d_el * (rate - kinetic_rate) * rate + force * kinetic_rate;
}
static inline real damper_heat(real d_el, real d, real rate, real kinetic_rate)
{
    return choose(d_el > 0.0, d * rate * rate, d * kinetic_rate * kinetic_rate);
}

static inline Energy spring_energy(SpringDamper *c, Frame *a, Frame *b, Call call)
{
    (void)call;
    real x = b->vx_el - a->vx_el, y = b->vy_el - a->vy_el, phi = b->w_el - a->w_el;
    real spring_x = c->elastic.fx + c->d_el.fx * c->v_relx;
    real spring_y = c->elastic.fy + c->d_el.fy * c->v_rely;
    real spring_phi = c->elastic.t + c->d_el.t * c->w_rel;
    real heat = damper_heat(c->d_el.fx, c->d_x, x, c->v_relx) +
                damper_heat(c->d_el.fy, c->d_y, y, c->v_rely) +
                damper_heat(c->d_el.t, c->d_phi, phi, c->w_rel);
    real taken = damper_taken(c->d_el.fx, x, c->v_relx, c->kinetic.fx) +
                 damper_taken(c->d_el.fy, y, c->v_rely, c->kinetic.fy) +
                 damper_taken(c->d_el.t, phi, c->w_rel, c->kinetic.t);
    return (Energy){.potential = 0.5 * (spring_x * (c->s_relx - c->s_relx0) +
                                        spring_y * (c->s_rely - c->s_rely0) +
                                        spring_phi * (c->phi_rel - c->phi_rel0)),
                    .dissipated = heat,
                    .filter = taken - heat};
}

#define CLASS    SpringDamper
#define PORTS(X) X(0, IN, Frame) X(1, IN, Frame)
#define EXPLICIT spring_explicit
#define INWARD   spring_inward
#define ENERGY   spring_energy
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ WallSensor */

/* contact.c makes a Contact of them. WallSensor finds where a disc meets a wall, a Lever on either
 * side carries the force from there to the frame of the body, and Touch is the force. So both
 * bodies feel opposite forces in the same point, and their momentum and angular momentum stay.
 *
 * WallSensor: with the normal n of a straight wall through frame_a, and a disc around frame_b,
 *   gap = n.(p_b - p_a) - R,   point of contact p_b - R n */
typedef struct WallSensor {
    real n[2], radius;
    real direction; /* of n */
} WallSensor;

static inline void wall_constant(WallSensor *c)
{
    c->direction = arc_tangent2(c->n[1], c->n[0]);
}

static inline void wall_explicit(WallSensor *c, Frame *a, Frame *b, Signal *x, Signal *y,
                                 Signal *phi, Signal *gap, Call call)
{
    (void)call;
    real s, k;
    phi->y = a->phi + c->direction;
    sine_cosine(phi->y, &s, &k);
    gap->y = k * (b->x - a->x) + s * (b->y - a->y) - c->radius;
    x->y = b->x - c->radius * k;
    y->y = b->y - c->radius * s;
}

#define CLASS WallSensor
#define PORTS(X)                                                                                   \
    X(0, IN, Frame)                                                                                \
    X(1, IN, Frame) X(2, OUT, Signal) X(3, OUT, Signal) X(4, OUT, Signal) X(5, OUT, Signal)
#define CONSTANT wall_constant
#define EXPLICIT wall_explicit
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ Touch */

/* Touch: while the gap is negative, with the velocities of frame_b against frame_a along the normal
 * n = (cos phi, sin phi) and along t = J n,
 *
 *   along n: c gap [ + d_el (elastic - kinetic) ] + d kinetic,   d_el = d + c T_D
 *   along t: f [ + f/kinetic (elastic - kinetic) ],              f = N S(kinetic)
 *
 * with the normal force N of the states alone, and S the triple S-function. Close to standstill
 * friction is a very stiff damper; the second bracket does to it what the first one does to the
 * spring: no eigenvalue beyond 1/T_D. */
typedef struct Touch {
    real c, d, mu_A, mu_S, vAdhesion, vSlide, TD, damped;
    real opening, closed; /* 1 in contact, while the gap is negative */
    real nx, ny;
    real approach, slip;             /* kinetic, along n and t */
    real N, f_t;                     /* normal force, and friction on frame_b */
    real el_n, el_t, ki_n, d_n, d_t; /* what the states decide, and the coupling */
} Touch;

static inline void touch_explicit(Touch *c, Frame *a, Frame *b, Signal *phi, Signal *gap,
                                  Signal *loss, Call call)
{
    sine_cosine(phi->y, &c->ny, &c->nx);
    real ux = b->vx - a->vx, uy = b->vy - a->vy;
    c->opening = gap->y;
    c->approach = c->nx * ux + c->ny * uy;
    c->slip = c->nx * uy - c->ny * ux;
    mask inside = hold_choice(call, (mask)(c->opening < 0.0), &c->closed);
    real spring = choose(inside, c->c * c->opening, 0.0);
    c->ki_n = choose(inside, c->d * c->approach, 0.0);
    c->N = maximum(-(spring + c->ki_n), 0.0);
    c->f_t = -c->N * triple_s_function(c->vAdhesion, c->vSlide, c->mu_A, c->mu_S, c->slip);
    /* f/kinetic, and its limit at standstill */
    mask creeps = (mask)(absolute(c->slip) < 1e-6 * c->vAdhesion);
    real slope =
        choose(creeps, 1.5 * c->N * c->mu_A / c->vAdhesion, -c->f_t / choose(creeps, 1.0, c->slip));
    real on = choose(inside, choose(c->TD > 0.0, c->damped, 0.0), 0.0);
    c->d_n = on * (c->d + c->c * c->TD);
    c->d_t = on * slope;
    c->el_n = spring - c->d_n * c->approach;
    c->el_t = -c->d_t * c->slip;
    loss->y = c->ki_n * c->approach - c->f_t * c->slip;
}

/* a force along n and t as the flow at frame_b */
static inline Wrench touch_flow(const Touch *c, real along_n, real along_t)
{
    return (Wrench){along_n * c->nx - along_t * c->ny, along_n * c->ny + along_t * c->nx,
                    REAL(0.0)};
}

static inline void touch_inward(Touch *c, Frame *a, Frame *b, Signal *phi, Signal *gap,
                                Signal *loss, Call call)
{
    (void)phi;
    (void)gap;
    (void)loss;
    real ux = b->vx_el - a->vx_el, uy = b->vy_el - a->vy_el;
    b->el = touch_flow(c, constant_term(c->el_n) + c->d_n * (c->nx * ux + c->ny * uy),
                       constant_term(c->el_t) + c->d_t * (c->nx * uy - c->ny * ux));
    b->ki = touch_flow(c, constant_term(c->ki_n), constant_term(-c->f_t));
    a->el = (Wrench){-b->el.fx, -b->el.fy, REAL(0.0)};
    a->ki = (Wrench){-b->ki.fx, -b->ki.fy, REAL(0.0)};
}

static inline Energy touch_energy(Touch *c, Frame *a, Frame *b, Signal *phi, Signal *gap,
                                  Signal *loss, Call call)
{
    (void)phi;
    (void)gap;
    (void)call;
    real ux = b->vx_el - a->vx_el, uy = b->vy_el - a->vy_el;
    real normal = c->nx * ux + c->ny * uy, across = c->nx * uy - c->ny * ux;
    real taken = damper_taken(c->d_n, normal, c->approach, c->ki_n) +
                 damper_taken(c->d_t, across, c->slip, -c->f_t);
    return (Energy){.potential = 0.5 * (c->el_n + c->d_n * c->approach) * c->opening,
                    .dissipated = loss->y,
                    .filter = taken - loss->y};
}

#define CLASS    Touch
#define PORTS(X) X(0, IN, Frame) X(1, IN, Frame) X(2, IN, Signal) X(3, IN, Signal) X(4, OUT, Signal)
#define EXPLICIT touch_explicit
#define INWARD   touch_inward
#define ENERGY   touch_energy
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ WorldForce */

typedef struct WorldForce {
    real unused;
} WorldForce;

static inline void world_force_inward(WorldForce *c, Frame *in, Signal *fx, Signal *fy, Signal *t,
                                      Call call)
{
    (void)c;
    in->el = (Wrench){constant_term(-fx->y), constant_term(-fy->y), constant_term(-t->y)};
}

#define CLASS    WorldForce
#define PORTS(X) X(0, IN, Frame) X(1, IN, Signal) X(2, IN, Signal) X(3, IN, Signal)
#define INWARD   world_force_inward
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ sensors */

typedef struct PositionSensor {
    real unused;
} PositionSensor;

static inline void position_explicit(PositionSensor *c, Frame *in, Signal *x, Signal *y,
                                     Signal *phi, Call call)
{
    (void)c;
    (void)call;
    x->y = in->x;
    y->y = in->y;
    phi->y = in->phi;
}

#define CLASS    PositionSensor
#define PORTS(X) X(0, IN, Frame) X(1, OUT, Signal) X(2, OUT, Signal) X(3, OUT, Signal)
#define EXPLICIT position_explicit
#include <lieder/kernels.inc>

/* between two parts: what frame_a hands on to frame_b */
typedef struct ForceSensor {
    real fx, fy, t;
} ForceSensor;

static inline void sensor_explicit(ForceSensor *c, Frame *in, Frame *out, Call call)
{
    (void)c;
    (void)call;
    same_signals(in, out);
}

static inline void sensor_outward(ForceSensor *c, Frame *in, Frame *out, Call call)
{
    (void)c;
    (void)call;
    same_potentials(in, out);
}

static inline void sensor_inward(ForceSensor *c, Frame *in, Frame *out, Call call)
{
    in->el = through(out->el, REAL(0.0), REAL(0.0));
    in->ki = through(out->ki, REAL(0.0), REAL(0.0));
    c->fx = call.dir * (in->el.fx + in->ki.fx);
    c->fy = call.dir * (in->el.fy + in->ki.fy);
    c->t = call.dir * (in->el.t + in->ki.t);
}

#define CLASS    ForceSensor
#define PORTS(X) X(0, IN, Frame) X(1, OUT, Frame)
#define EXPLICIT sensor_explicit
#define OUTWARD  sensor_outward
#define INWARD   sensor_inward
#define REVERSIBLE
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ the classes */

static const LiederPortDef fixed_ports[] = {PORT_OUT("frame", lieder_planar, "fixed frame")};
static const LiederPortDef link_ports[] = {PORT_IN("frame_a", lieder_planar, "frame"),
                                           PORT_OUT("frame_b", lieder_planar, "frame")};
static const LiederPortDef revolute_ports[] = {
    PORT_IN("frame_a", lieder_planar, "frame"),
    PORT_OUT("frame_b", lieder_planar, "frame turned by phi"),
    PORT_OUT("flange_a", lieder_rotational, "moves with phi: springs, motors, limits"),
    PORT_OUT("support", lieder_rotational, "base of the joint: phi = 0")};
static const LiederPortDef prismatic_ports[] = {
    PORT_IN("frame_a", lieder_planar, "frame"), PORT_OUT("frame_b", lieder_planar, "frame"),
    PORT_OUT("flange_a", lieder_translational, "moves with s: springs, motors, limits"),
    PORT_OUT("support", lieder_translational, "base of the joint: s = 0")};
static const LiederPortDef body_ports[] = {
    PORT_IN("frame_a", lieder_planar, "frame of the centre of mass")};

static const LiederPortDef between_ports[] = {PORT_IN("frame_a", lieder_planar, "frame"),
                                              PORT_IN("frame_b", lieder_planar, "frame")};
static const LiederPortDef world_force_ports[] = {
    PORT_IN("frame", lieder_planar, "frame that is pushed"),
    PORT_INPUT("fx", "force along x of the world"), PORT_INPUT("fy", "force along y of the world"),
    PORT_INPUT("t", "torque")};
static const LiederPortDef sensor_ports[] = {
    PORT_IN("frame", lieder_planar, "frame that is measured"), PORT_OUTPUT("x", "position along x"),
    PORT_OUTPUT("y", "position along y"), PORT_OUTPUT("phi", "angle")};

static const LiederPortDef wall_ports[] = {
    PORT_IN("frame_a", lieder_planar, "frame of the wall"),
    PORT_IN("frame_b", lieder_planar, "centre of the disc"),
    PORT_OUTPUT("x", "point of contact"),
    PORT_OUTPUT("y", "point of contact"),
    PORT_OUTPUT("phi", "direction of the normal, from the wall to the disc"),
    PORT_OUTPUT("gap", "negative in contact")};
static const LiederPortDef touch_ports[] = {
    PORT_IN("frame_a", lieder_planar, "frame"), PORT_IN("frame_b", lieder_planar, "frame"),
    PORT_INPUT("phi", "direction of the normal, from frame_a to frame_b"),
    PORT_INPUT("gap", "negative in contact"),
    PORT_OUTPUT("lossPower", "heat of damping and friction in W, for Thermal.PrescribedHeatFlow")};

static const LiederMember fixed_members[] = {
    PARAMETER(Fixed, r, "m", 0, ANY, "position"),
    PARAMETER(Fixed, phi, "rad", 0, ANY, "angle"),
};
static const LiederMember translation_members[] = {
    PARAMETER(FixedTranslation, r, "m", 0, ANY, "from frame_a to frame_b, in the axes of frame_a"),
};
static const LiederMember rotation_members[] = {
    PARAMETER(FixedRotation, alpha, "rad", 0, ANY, "from frame_a to frame_b"),
};
static const LiederMember revolute_members[] = {
    TD_MEMBER(Revolute),
    STATE(Revolute, phi, w_el, "rad", 0, "relative angle, elastic regime"),
    STATE(Revolute, w, z, "rad/s", 0, "relative angular velocity, kinetic regime"),
    UNKNOWN(Revolute, z, residual, "rad/s2", "kinetic angular acceleration"),
    OBSERVABLE(Revolute, w_el, "rad/s", "elastic angular velocity"),
    OBSERVABLE(Revolute, z, "rad/s2", "kinetic angular acceleration"),
};
static const LiederMember prismatic_members[] = {
    TD_MEMBER(Prismatic),
    PARAMETER(Prismatic, r, "m", NAN, ANY, "direction in the axes of frame_a"),
    STATE(Prismatic, s, v_el, "m", 0, "relative position, elastic regime"),
    STATE(Prismatic, v, a, "m/s", 0, "relative velocity, kinetic regime"),
    UNKNOWN(Prismatic, a, residual, "m/s2", "kinetic acceleration"),
    OBSERVABLE(Prismatic, v_el, "m/s", "elastic velocity"),
    OBSERVABLE(Prismatic, a, "m/s2", "kinetic acceleration"),
};
static const LiederMember body_members[] = {
    PARAMETER(Body, m, "kg", 1, AT_LEAST(0), "mass"),
    PARAMETER(Body, I, "kg.m2", 0, AT_LEAST(0), "moment of inertia about the centre of mass"),
    WORLD_PARAMETER(Body, g, "m/s2", ANY, "gravity along -y"),
};
static const char *prismatic_check(const double *parameters)
{
    return parameters[1] != 0 || parameters[2] != 0 ? NULL : "the direction r must not be zero";
}

/* observables beside the unknowns, as the other joints have them */
static const LiederMember free_members[] = {
    TD_MEMBER(FreeMotion),
    STATE(FreeMotion, x, x_der, "m", 0, "position in the axes of frame_a, elastic regime"),
    STATE(FreeMotion, y, y_der, "m", 0, "position in the axes of frame_a, elastic regime"),
    STATE(FreeMotion, phi, phi_der, "rad", 0, "relative angle, elastic regime"),
    STATE(FreeMotion, vx, ax, "m/s", 0, "velocity, kinetic regime"),
    STATE(FreeMotion, vy, ay, "m/s", 0, "velocity, kinetic regime"),
    STATE(FreeMotion, w, z, "rad/s", 0, "angular velocity, kinetic regime"),
    UNKNOWN(FreeMotion, ax, res_x, "m/s2", "kinetic acceleration"),
    UNKNOWN(FreeMotion, ay, res_y, "m/s2", "kinetic acceleration"),
    UNKNOWN(FreeMotion, z, res_t, "rad/s2", "kinetic angular acceleration"),
    OBSERVABLE(FreeMotion, ax, "m/s2", "kinetic acceleration"),
    OBSERVABLE(FreeMotion, ay, "m/s2", "kinetic acceleration"),
    OBSERVABLE(FreeMotion, z, "rad/s2", "kinetic angular acceleration"),
};
/* TD and damped come first: see spring_couples */
static const LiederMember spring_members[] = {
    TD_MEMBER(SpringDamper),
    DAMPED_MEMBER(SpringDamper),
    PARAMETER(SpringDamper, c_x, "N/m", 1, AT_LEAST(0), "stiffness along x"),
    PARAMETER(SpringDamper, c_y, "N/m", 1, AT_LEAST(0), "stiffness along y"),
    PARAMETER(SpringDamper, c_phi, "N.m/rad", 1, AT_LEAST(0), "rotational stiffness"),
    PARAMETER(SpringDamper, d_x, "N.s/m", 0, AT_LEAST(0), "damping along x"),
    PARAMETER(SpringDamper, d_y, "N.s/m", 0, AT_LEAST(0), "damping along y"),
    PARAMETER(SpringDamper, d_phi, "N.m.s/rad", 0, AT_LEAST(0), "rotational damping"),
    PARAMETER(SpringDamper, s_relx0, "m", 0, ANY, "distance without force along x"),
    PARAMETER(SpringDamper, s_rely0, "m", 0, ANY, "distance without force along y"),
    PARAMETER(SpringDamper, phi_rel0, "rad", 0, ANY, "angle without torque"),
    OBSERVABLE(SpringDamper, s_relx, "m", "x_b - x_a"),
    OBSERVABLE(SpringDamper, s_rely, "m", "y_b - y_a"),
    OBSERVABLE(SpringDamper, phi_rel, "rad", "phi_b - phi_a"),
    OBSERVABLE(SpringDamper, v_relx, "m/s", "kinetic vx_b - vx_a"),
    OBSERVABLE(SpringDamper, v_rely, "m/s", "kinetic vy_b - vy_a"),
    OBSERVABLE(SpringDamper, w_rel, "rad/s", "kinetic w_b - w_a"),
};
static bool spring_couples(const double *parameters)
{
    return parameters[0] > 0 && parameters[1] > 0; /* TD and damped: d_el may not be zero */
}
static const LiederMember wall_members[] = {
    PARAMETER(WallSensor, n, "1", NAN, ANY, "normal of the wall in the axes of frame_a"),
    PARAMETER(WallSensor, radius, "m", 0, AT_LEAST(0), "of the disc; 0 is a point"),
};
static const char *wall_check(const double *parameters)
{
    return parameters[0] != 0 || parameters[1] != 0 ? NULL : "the normal n must not be zero";
}
/* TD and damped come first: see spring_couples */
static const LiederMember touch_members[] = {
    TD_MEMBER(Touch),
    DAMPED_MEMBER(Touch),
    PARAMETER(Touch, c, "N/m", 1, AT_LEAST(0), "stiffness"),
    PARAMETER(Touch, d, "N.s/m", 0, AT_LEAST(0), "damping"),
    PARAMETER(Touch, mu_A, "1", 0, AT_LEAST(0), "friction coefficient at adhesion"),
    PARAMETER(Touch, mu_S, "1", 0, AT_LEAST(0), "friction coefficient at sliding"),
    PARAMETER(Touch, vAdhesion, "m/s", 1e-3, AT_LEAST(1e-300), "velocity of highest friction"),
    PARAMETER(Touch, vSlide, "m/s", 1e-2, AT_LEAST(0), "velocity where sliding is reached"),
    OBSERVABLE(Touch, approach, "m/s", "kinetic velocity of frame_b along the normal"),
    OBSERVABLE(Touch, slip, "m/s", "kinetic velocity of frame_b across the normal"),
    OBSERVABLE(Touch, N, "N", "normal force"),
    OBSERVABLE(Touch, f_t, "N", "friction on frame_b"),
    CROSSING(Touch, opening, closed, LIEDER_EDGE, "m", "negative in contact"),
};
static const char *touch_check(const double *parameters)
{
    return parameters[7] > parameters[6]
               ? NULL
               : "the velocity of sliding must be greater than the velocity of adhesion";
}
static const LiederMember sensor_members[] = {
    OBSERVABLE(ForceSensor, fx, "N", "force handed on from frame_a to frame_b"),
    OBSERVABLE(ForceSensor, fy, "N", "force handed on from frame_a to frame_b"),
    OBSERVABLE(ForceSensor, t, "N.m", "torque handed on from frame_a to frame_b"),
};

static const LiederClassDef planar_oracle[] = {
    LIBRARY_CLASS("OraclePlanar.Fixed", "Fixed frame: a root", fixed_ports, fixed_members,
                  Fixed_kernels),
    LIBRARY_CLASS("OraclePlanar.FixedTranslation", "Rigid offset", link_ports, translation_members,
                  FixedTranslation_kernels),
    LIBRARY_CLASS("OraclePlanar.FixedRotation", "Rigid turn", link_ports, rotation_members,
                  FixedRotation_kernels),
    LIBRARY_CLASS("OraclePlanar.Body", "Mass and moment of inertia under gravity", body_ports,
                  body_members, Body_kernels),
    LIBRARY_CLASS("OraclePlanar.Prismatic",
                  "Sliding joint with a flange for springs, motors and limits", prismatic_ports,
                  prismatic_members, Prismatic_kernels, .check = prismatic_check),
    LIBRARY_CLASS("OraclePlanar.Revolute",
                  "Turning joint with a flange for springs, motors and limits", revolute_ports,
                  revolute_members, Revolute_kernels),
    LIBRARY_CLASS("OraclePlanar.FreeMotion", "Three degrees of freedom", link_ports, free_members,
                  FreeMotion_kernels),
    LIBRARY_CLASS("OraclePlanar.SpringDamper",
                  "Springs and dampers in x, y and phi between two frames", between_ports,
                  spring_members, SpringDamper_kernels, .couples = spring_couples),
    LIBRARY_CLASS("OraclePlanar.WallSensor",
                  "Measures where a disc around frame_b meets a straight wall through frame_a",
                  wall_ports, wall_members, WallSensor_kernels, .check = wall_check),
    LIBRARY_CLASS("OraclePlanar.Touch", "Hard contact of two frames that meet, with dry friction",
                  touch_ports, touch_members, Touch_kernels, .couples = spring_couples,
                  .check = touch_check),
    LIBRARY_CLASS_PLAIN("OraclePlanar.WorldForce", "Force and torque in the axes of the world",
                        world_force_ports, WorldForce_kernels),
    LIBRARY_CLASS_PLAIN("OraclePlanar.PositionSensor", "Measures the pose of a frame", sensor_ports,
                        PositionSensor_kernels),
    LIBRARY_CLASS("OraclePlanar.ForceSensor", "Measures force and torque between two frames",
                  link_ports, sensor_members, ForceSensor_kernels),
};

static inline LiederStatus planar_oracle_register(Lieder *session)
{
    LiederStatus status = LIEDER_DONE;
    for (int i = 0; i < LIEDER_COUNT(planar_oracle) && status == LIEDER_DONE; i++)
        status = lieder_class_register(session, &planar_oracle[i]);
    return status;
}

#endif
