/* planar_oracle.h - classes of Planar in C, as they were before they became Modelica text
 * (library/Planar.mo): the oracle of tests. "Planar.Body" is "Oracle.Body" here, compiled by the
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
    PORT_IN("frame_a", lieder_planar, "frame"),
    PORT_OUT("frame_b", lieder_planar, "frame moved by s"),
    PORT_OUT("flange_a", lieder_translational, "moves with s: springs, motors, limits"),
    PORT_OUT("support", lieder_translational, "base of the joint: s = 0")};
static const LiederPortDef body_ports[] = {
    PORT_IN("frame_a", lieder_planar, "frame of the centre of mass")};

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

static const LiederClassDef planar_oracle[] = {
    LIBRARY_CLASS("Oracle.Fixed", "Fixed frame: a root", fixed_ports, fixed_members, Fixed_kernels),
    LIBRARY_CLASS("Oracle.FixedTranslation", "Rigid offset", link_ports, translation_members,
                  FixedTranslation_kernels),
    LIBRARY_CLASS("Oracle.FixedRotation", "Rigid turn", link_ports, rotation_members,
                  FixedRotation_kernels),
    LIBRARY_CLASS("Oracle.Body", "Mass and moment of inertia under gravity", body_ports,
                  body_members, Body_kernels),
    LIBRARY_CLASS("Oracle.Prismatic", "Sliding joint with a flange for springs, motors and limits",
                  prismatic_ports, prismatic_members, Prismatic_kernels, .check = prismatic_check),
    LIBRARY_CLASS("Oracle.Revolute", "Turning joint with a flange for springs, motors and limits",
                  revolute_ports, revolute_members, Revolute_kernels),
};

static inline LiederStatus planar_oracle_register(Lieder *session)
{
    LiederStatus status = LIEDER_DONE;
    for (int i = 0; i < LIEDER_COUNT(planar_oracle) && status == LIEDER_DONE; i++)
        status = lieder_class_register(session, &planar_oracle[i]);
    return status;
}

#endif
