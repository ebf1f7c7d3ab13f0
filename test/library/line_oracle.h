/* line_oracle.h - classes of Translational and Rotational in C, as they were before they became
 * Modelica text (library/Translational.mo, library/Rotational.mo): the oracle of tests.
 * "Translational.Body" is "OracleTranslational.Body" here, compiled by the file that includes this.
 * One set of blocks, two vocabularies.
 *
 * Notation (papers 001 and 000): s position and v kinetic velocity are signals, v_el elastic
 * velocity and a kinetic acceleration are potentials, f_el and f_ki the forces of the two
 * regimes, positive into the component. For rotation read phi, w, w_el, z, tau. Every joint
 * takes its acceleration as the unknown:
 *
 *   v' = a,   s' = v_el = v + T_D a,   residual f_el + f_ki + f_ext = 0
 *
 * Elastic elements between flange_a and flange_b, with Ds = s_b - s_a - l and Dv = v_b - v_a:
 *
 *   f_el = c Ds [ + d_el (v_el_b - v_el_a - Dv) ],   f_ki = d Dv,   d_el = d + c T_D
 *
 * The bracket is the damped extension of paper 000; it is the only term that couples the two
 * sides in the linear group. An element with T_D = 0 is classical and has none.
 */
#ifndef TEST_LIBRARY_LINE_ORACLE_H
#define TEST_LIBRARY_LINE_ORACLE_H

#include <lieder/mechanics.h>

#include "library/axis.h"
#include "library/either.h"
#include "library/friction.h"
#include "library/library.h"

/* ------------------------------------------------------------------ Fixed */

typedef struct Anchor {
    EITHER(s, phi);
} Anchor;

static inline void anchor_explicit(Anchor *c, Flange *out, Call call)
{
    (void)call;
    out->s = c->s;
    out->v = REAL(0.0);
}

static inline void anchor_outward(Anchor *c, Flange *out, Call call)
{
    (void)c;
    (void)call;
    out->v_el = REAL(0.0);
    out->a = REAL(0.0);
}

#define CLASS    Anchor
#define PORTS(X) X(0, OUT, Flange)
#define EXPLICIT anchor_explicit
#define OUTWARD  anchor_outward
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ Translation, Rotation */

typedef struct Offset {
    EITHER(l, phi0);
} Offset;

static inline void offset_explicit(Offset *c, Flange *in, Flange *out, Call call)
{
    out->s = in->s + call.dir * c->l;
    out->v = in->v;
}

static inline void offset_outward(Offset *c, Flange *in, Flange *out, Call call)
{
    (void)c;
    (void)call;
    out->v_el = in->v_el;
    out->a = in->a;
}

static inline void offset_inward(Offset *c, Flange *in, Flange *out, Call call)
{
    (void)c;
    (void)call;
    in->f_el = -out->f_el;
    in->f_ki = -out->f_ki;
}

#define CLASS    Offset
#define PORTS(X) X(0, IN, Flange) X(1, OUT, Flange)
#define EXPLICIT offset_explicit
#define OUTWARD  offset_outward
#define INWARD   offset_inward
#define REVERSIBLE
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ Body, Inertia */

typedef struct Mass {
    EITHER(m, J);
    real g;
} Mass;

static inline void mass_inward(Mass *c, Flange *in, Call call)
{
    in->f_ki = c->m * in->a;
    in->f_el = constant_term(-c->m * c->g);
}

static inline Energy mass_energy(Mass *c, Flange *in, Call call)
{
    (void)call;
    return (Energy){.kinetic = 0.5 * c->m * in->v * in->v, .potential = -c->m * c->g * in->s};
}

#define CLASS    Mass
#define PORTS(X) X(0, IN, Flange)
#define INWARD   mass_inward
#define ENERGY   mass_energy
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ Joint */

typedef struct Joint {
    real TD;
    EITHER(s, phi);
    EITHER(v, w);
    EITHER(a, z);       /* unknown, and derivative of v */
    EITHER(v_el, w_el); /* derivative of s */
    real residual;
} Joint;

static inline void joint_explicit(Joint *c, Flange *in, Flange *out, Flange *axis, Flange *support,
                                  Signal *f_ext, Call call)
{
    out->s = in->s + call.dir * c->s;
    out->v = in->v + call.dir * c->v;
    axis_explicit(axis, support, c->s, c->v);
    (void)f_ext;
}

static inline void joint_outward(Joint *c, Flange *in, Flange *out, Flange *axis, Flange *support,
                                 Signal *f_ext, Call call)
{
    (void)f_ext;
    c->v_el = constant_term(c->v) + c->TD * c->a;
    out->v_el = in->v_el + call.dir * c->v_el;
    out->a = in->a + call.dir * c->a;
    axis_outward(axis, support, c->v_el, c->a);
}

static inline void joint_inward(Joint *c, Flange *in, Flange *out, Flange *axis, Flange *support,
                                Signal *f_ext, Call call)
{
    (void)support;
    in->f_el = -out->f_el;
    in->f_ki = -out->f_ki;
    c->residual =
        call.dir * (out->f_el + out->f_ki) + axis->f_el + axis->f_ki + constant_term(f_ext->y);
}

/* what goes into a joint at its flanges is what the filter takes, (v_el - v) f_ki of all that it
 * moves, and the work of f_ext, which acts like any force in the elastic regime, comes in here */
static inline Energy joint_energy(Joint *c, Flange *in, Flange *out, Flange *axis, Flange *support,
                                  Signal *f_ext, Call call)
{
    (void)support;
    (void)call;
    real external = f_ext->y * c->v_el;
    return (Energy){.filter = flange_power(in) + flange_power(out) + flange_power(axis) + external,
                    .supplied = external};
}

#define CLASS Joint
#define PORTS(X)                                                                                   \
    X(0, IN, Flange) X(1, OUT, Flange) X(2, OUT, Flange) X(3, OUT, Flange) X(4, IN, Signal)
#define UNKNOWNS(X) X(0, a, residual)
#define EXPLICIT    joint_explicit
#define OUTWARD     joint_outward
#define INWARD      joint_inward
#define ENERGY      joint_energy
#define REVERSIBLE
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ Spring, Damper, ElastoGap */

/* One struct for the four; Spring has d = 0, Damper c = 0. */
typedef struct Elastic {
    real c, d, TD, damped;
    EITHER(l, phi0);
    real closed, gap; /* ElastoGap: 1 in contact, while the gap is negative */
    EITHER(s_rel, phi_rel);
    EITHER(v_rel, w_rel);
    EITHER(f_el, tau_el);
    EITHER(f_ki, tau_ki);
    real elastic, d_el; /* the part of f_el that the states decide; d_el as it acts now */
} Elastic;

/* inside: where the element acts */
static inline void elastic_act(Elastic *c, Flange *a, Flange *b, mask inside)
{
    real d_el = choose(c->TD > 0.0, c->damped * (c->d + c->c * c->TD), 0.0);
    c->s_rel = b->s - a->s;
    c->v_rel = b->v - a->v;
    c->d_el = choose(inside, d_el, 0.0);
    c->elastic = choose(inside, c->c * (c->s_rel - c->l) - d_el * c->v_rel, 0.0);
    c->f_ki = choose(inside, c->d * c->v_rel, 0.0);
}

static inline void elastic_explicit(Elastic *c, Flange *a, Flange *b, Call call)
{
    (void)call;
    elastic_act(c, a, b, (mask)(c->c == c->c));
}

static inline void gap_explicit(Elastic *c, Flange *a, Flange *b, Call call)
{
    c->gap = b->s - a->s - c->l;
    elastic_act(c, a, b, hold_choice(call, (mask)(c->gap < 0.0), &c->closed));
}

static inline void elastic_inward(Elastic *c, Flange *a, Flange *b, Call call)
{
    c->f_el = constant_term(c->elastic) + c->d_el * (b->v_el - a->v_el);
    b->f_el = c->f_el;
    a->f_el = -c->f_el;
    b->f_ki = constant_term(c->f_ki);
    a->f_ki = constant_term(-c->f_ki);
}

/* The spring's own force is what is left of f_el without the bracket. With the bracket the damper
 * acts on the elastic velocity, d v_el, and heats by d v_el^2; what else goes in is the filter's.
 */
static inline Energy elastic_energy(Elastic *c, Flange *a, Flange *b, Call call)
{
    (void)call;
    real spring = c->elastic + c->d_el * c->v_rel, rate = b->v_el - a->v_el;
    real taken = c->d_el * (rate - c->v_rel) * rate + c->f_ki * c->v_rel;
    real heat = choose(c->d_el > 0.0, c->d * rate * rate, c->f_ki * c->v_rel);
    return (Energy){
        .potential = 0.5 * spring * (c->s_rel - c->l), .dissipated = heat, .filter = taken - heat};
}

#define CLASS    Elastic
#define PORTS(X) X(0, IN, Flange) X(1, IN, Flange)
#define EXPLICIT elastic_explicit
#define INWARD   elastic_inward
#define ENERGY   elastic_energy
#include <lieder/kernels.inc>

typedef Elastic Gap;
#define CLASS    Gap
#define PORTS(X) X(0, IN, Flange) X(1, IN, Flange)
#define EXPLICIT gap_explicit
#define INWARD   elastic_inward
#define ENERGY   elastic_energy
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ DryFriction */

typedef struct Friction {
    real N;
    EITHER(vAdhesion, wAdhesion);
    EITHER(vSlide, wSlide);
    real mu_A, mu_S;
    EITHER(v_rel, w_rel);
    EITHER(f_ki, tau_ki);
    real slide_back, stick_back, stick_ahead, slide_ahead; /* v_rel from the corners */
    real slides_back, leaves_back, held_ahead, slow_ahead; /* 1 where these are negative */
} Friction;

static inline void friction_explicit(Friction *c, Flange *a, Flange *b, Call call)
{
    c->v_rel = b->v - a->v;
    c->stick_back = c->v_rel + c->vAdhesion;
    c->stick_ahead = c->v_rel - c->vAdhesion;
    c->slide_back = c->v_rel + c->vSlide;
    c->slide_ahead = c->v_rel - c->vSlide;
    /* The curve bends there, and adaptive solvers begin anew; the force itself is not held, since
     * it has no jump that Newton's iteration would have to be kept from. */
    hold_choice(call, (mask)(c->slide_back < 0.0), &c->slides_back);
    hold_choice(call, (mask)(c->stick_back < 0.0), &c->leaves_back);
    hold_choice(call, (mask)(c->stick_ahead < 0.0), &c->held_ahead);
    hold_choice(call, (mask)(c->slide_ahead < 0.0), &c->slow_ahead);
    c->f_ki = c->N * triple_s_function(c->vAdhesion, c->vSlide, c->mu_A, c->mu_S, c->v_rel);
}

static inline void friction_inward(Friction *c, Flange *a, Flange *b, Call call)
{
    b->f_ki = constant_term(c->f_ki);
    a->f_ki = constant_term(-c->f_ki);
}

static inline Energy friction_energy(Friction *c, Flange *a, Flange *b, Call call)
{
    (void)a;
    (void)b;
    (void)call;
    return (Energy){.dissipated = c->f_ki * c->v_rel};
}

#define CLASS    Friction
#define PORTS(X) X(0, IN, Flange) X(1, IN, Flange)
#define EXPLICIT friction_explicit
#define INWARD   friction_inward
#define ENERGY   friction_energy
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ Force, Torque */

typedef struct Force {
    real unused;
} Force;

static inline void force_inward(Force *c, Flange *in, Signal *f, Call call)
{
    (void)c;
    in->f_el = constant_term(-f->y);
}

#define CLASS    Force
#define PORTS(X) X(0, IN, Flange) X(1, IN, Signal)
#define INWARD   force_inward
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ sensors */

/* y = s, or filtered: T_D y' = s - y, whose y' is the kinetic velocity (paper 000, 4.1) */
typedef struct MotionSensor {
    real filtered, TD;
    real x, x_der;
} MotionSensor;

static inline void motion_explicit(MotionSensor *c, Flange *in, Signal *y, Call call)
{
    (void)call;
    mask lag = (mask)(c->filtered * c->TD > 0.0);
    c->x_der = choose(lag, (in->s - c->x) / choose(lag, c->TD, 1.0), in->v);
    y->y = choose(lag, c->x, in->s);
}

static inline void position_start(MotionSensor *c, Flange *in, Signal *y, Call call)
{
    (void)y;
    (void)call;
    c->x = in->s - c->TD * in->v;
}

#define CLASS    MotionSensor
#define PORTS(X) X(0, IN, Flange) X(1, OUT, Signal)
#define EXPLICIT motion_explicit
#define START    position_start
#include <lieder/kernels.inc>

/* between two parts: y is the force that flange_a hands on to flange_b */
typedef struct FlowSensor {
    real y;
} FlowSensor;

static inline void flow_explicit(FlowSensor *c, Flange *in, Flange *out, Call call)
{
    (void)c;
    (void)call;
    out->s = in->s;
    out->v = in->v;
}

static inline void flow_outward(FlowSensor *c, Flange *in, Flange *out, Call call)
{
    (void)c;
    (void)call;
    out->v_el = in->v_el;
    out->a = in->a;
}

static inline void flow_inward(FlowSensor *c, Flange *in, Flange *out, Call call)
{
    in->f_el = -out->f_el;
    in->f_ki = -out->f_ki;
    c->y = -call.dir * (out->f_el + out->f_ki);
}

#define CLASS    FlowSensor
#define PORTS(X) X(0, IN, Flange) X(1, OUT, Flange)
#define EXPLICIT flow_explicit
#define OUTWARD  flow_outward
#define INWARD   flow_inward
#define REVERSIBLE
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ IdealGear, RollingWheel */

/* s_b = k s_a and, since no power is lost, f_a = -k f_b */
typedef struct Gear {
    union {
        real ratio, radius;
    };
} Gear;

static inline real gear_factor(const Gear *c, Call call)
{
    return call.dir > 0 ? c->ratio : 1.0 / c->ratio;
}

static inline void gear_explicit(Gear *c, Flange *in, Flange *out, Call call)
{
    out->s = gear_factor(c, call) * in->s;
    out->v = gear_factor(c, call) * in->v;
}

static inline void gear_outward(Gear *c, Flange *in, Flange *out, Call call)
{
    out->v_el = gear_factor(c, call) * in->v_el;
    out->a = gear_factor(c, call) * in->a;
}

static inline void gear_inward(Gear *c, Flange *in, Flange *out, Call call)
{
    in->f_el = -(gear_factor(c, call) * out->f_el);
    in->f_ki = -(gear_factor(c, call) * out->f_ki);
}

#define CLASS    Gear
#define PORTS(X) X(0, IN, Flange) X(1, OUT, Flange)
#define EXPLICIT gear_explicit
#define OUTWARD  gear_outward
#define INWARD   gear_inward
#define REVERSIBLE
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ SquareLink */

/* A holonomic constraint on positions, s_b = k |s_a| s_a. Differentiated along the motion, and
 * with a power that is not lost (paper 004):
 *   v_b = 2 k |s_a| v_a,   a_b = 2 k (|s_a| a_a + sign(s_a) v_el_a v_a),   f_a = -2 k |s_a| f_b */
typedef struct SquareLink {
    real k;
    real slope, bend;
} SquareLink;

static inline void square_explicit(SquareLink *c, Flange *in, Flange *out, Call call)
{
    (void)call;
    c->slope = 2.0 * c->k * absolute(in->s);
    c->bend = 2.0 * c->k * in->v * choose(in->s < 0.0, -1.0, 1.0);
    out->s = c->k * absolute(in->s) * in->s;
    out->v = c->slope * in->v;
}

static inline void square_outward(SquareLink *c, Flange *in, Flange *out, Call call)
{
    (void)call;
    out->v_el = c->slope * in->v_el;
    out->a = c->slope * in->a + c->bend * in->v_el;
}

static inline void square_inward(SquareLink *c, Flange *in, Flange *out, Call call)
{
    (void)call;
    in->f_el = -(c->slope * out->f_el);
    in->f_ki = -(c->slope * out->f_ki);
}

#define CLASS    SquareLink
#define PORTS(X) X(0, IN, Flange) X(1, OUT, Flange)
#define EXPLICIT square_explicit
#define OUTWARD  square_outward
#define INWARD   square_inward
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ the classes */

/* the port tables of one domain */
#define PORT_TABLES(domain)                                                                        \
    static const LiederPortDef domain##_root[] = {                                                 \
        PORT_OUT("flange_b", lieder_##domain, "flange")};                                          \
    static const LiederPortDef domain##_link[] = {                                                 \
        PORT_IN("flange_a", lieder_##domain, "flange"),                                            \
        PORT_OUT("flange_b", lieder_##domain, "flange")};                                          \
    static const LiederPortDef domain##_body[] = {PORT_IN("flange_a", lieder_##domain, "flange")}; \
    static const LiederPortDef domain##_between[] = {                                              \
        PORT_IN("flange_a", lieder_##domain, "flange"),                                            \
        PORT_IN("flange_b", lieder_##domain, "flange")};                                           \
    static const LiederPortDef domain##_sensor[] = {PORT_IN("flange", lieder_##domain, "flange"),  \
                                                    PORT_OUTPUT("y", "measured position")}
PORT_TABLES(translational);
PORT_TABLES(rotational);
static const LiederPortDef translational_joint[] = {
    PORT_IN("flange_a", lieder_translational, "flange"),
    PORT_OUT("flange_b", lieder_translational, "flange"),
    PORT_OUT("axis", lieder_translational, "moves with s alone: springs, motors, limits"),
    PORT_OUT("support", lieder_translational, "base of the axis: s = 0"),
    PORT_INPUT("f_ext", "external force along s")};
static const LiederPortDef rotational_joint[] = {
    PORT_IN("flange_a", lieder_rotational, "flange"),
    PORT_OUT("flange_b", lieder_rotational, "flange"),
    PORT_OUT("axis", lieder_rotational, "moves with phi alone: springs, motors, limits"),
    PORT_OUT("support", lieder_rotational, "base of the axis: phi = 0"),
    PORT_INPUT("tau_ext", "external torque along phi")};
static const LiederPortDef force_ports[] = {PORT_IN("flange", lieder_translational, "flange"),
                                            PORT_INPUT("f", "force that acts on the flange")};
static const LiederPortDef torque_ports[] = {PORT_IN("flange", lieder_rotational, "flange"),
                                             PORT_INPUT("tau", "torque that acts on the flange")};
static const LiederPortDef wheel_ports[] = {PORT_IN("flangeR", lieder_rotational, "flange"),
                                            PORT_OUT("flangeT", lieder_translational, "flange")};

static const LiederMember translational_fixed[] = {
    PARAMETER(Anchor, s, "m", 0, ANY, "position"),
};
static const LiederMember rotational_fixed[] = {
    PARAMETER(Anchor, phi, "rad", 0, ANY, "angle"),
};
static const LiederMember translational_offset[] = {
    PARAMETER(Offset, l, "m", 0, ANY, "length from flange_a to flange_b"),
};
static const LiederMember rotational_offset[] = {
    PARAMETER(Offset, phi0, "rad", 0, ANY, "angle from flange_a to flange_b"),
};
static const LiederMember translational_mass[] = {
    PARAMETER(Mass, m, "kg", 1, AT_LEAST(0), "mass"),
    PARAMETER(Mass, g, "m/s2", -9.81, ANY, "gravity along s"),
};
static const LiederMember rotational_mass[] = {
    PARAMETER(Mass, J, "kg.m2", 1, AT_LEAST(0), "moment of inertia"),
};
static const LiederMember translational_joint_members[] = {
    TD_MEMBER(Joint),
    STATE(Joint, s, v_el, "m", 0, "relative position, elastic regime"),
    STATE(Joint, v, a, "m/s", 0, "relative velocity, kinetic regime"),
    UNKNOWN(Joint, a, residual, "m/s2", "kinetic acceleration"),
    OBSERVABLE(Joint, v_el, "m/s", "elastic velocity"),
    OBSERVABLE(Joint, a, "m/s2", "kinetic acceleration"),
};
static const LiederMember rotational_joint_members[] = {
    TD_MEMBER(Joint),
    STATE(Joint, phi, w_el, "rad", 0, "relative angle, elastic regime"),
    STATE(Joint, w, z, "rad/s", 0, "relative angular velocity, kinetic regime"),
    UNKNOWN(Joint, z, residual, "rad/s2", "kinetic angular acceleration"),
    OBSERVABLE(Joint, w_el, "rad/s", "elastic angular velocity"),
    OBSERVABLE(Joint, z, "rad/s2", "kinetic angular acceleration"),
};

/* TD and damped come first: see elastic_couples */
#define C_MEMBER(unit_) PARAMETER(Elastic, c, unit_, 1, AT_LEAST(0), "stiffness")
#define D_MEMBER(unit_) PARAMETER(Elastic, d, unit_, 0, AT_LEAST(0), "damping")
#define TRANSLATIONAL_ELASTIC                                                                      \
    OBSERVABLE(Elastic, s_rel, "m", "s_b - s_a"),                                                  \
        OBSERVABLE(Elastic, v_rel, "m/s", "kinetic v_b - v_a"),                                    \
        OBSERVABLE(Elastic, f_el, "N", "elastic force at flange_b"),                               \
        OBSERVABLE(Elastic, f_ki, "N", "kinetic force at flange_b")
#define ROTATIONAL_ELASTIC                                                                         \
    OBSERVABLE(Elastic, phi_rel, "rad", "phi_b - phi_a"),                                          \
        OBSERVABLE(Elastic, w_rel, "rad/s", "kinetic w_b - w_a"),                                  \
        OBSERVABLE(Elastic, tau_el, "N.m", "elastic torque at flange_b"),                          \
        OBSERVABLE(Elastic, tau_ki, "N.m", "kinetic torque at flange_b")
#define L_MEMBER    PARAMETER(Elastic, l, "m", 0, ANY, "length without force")
#define PHI0_MEMBER PARAMETER(Elastic, phi0, "rad", 0, ANY, "angle without torque")

static const LiederMember translational_spring[] = {
    TD_MEMBER(Elastic), DAMPED_MEMBER(Elastic), C_MEMBER("N/m"), L_MEMBER, TRANSLATIONAL_ELASTIC};
static const LiederMember rotational_spring[] = {TD_MEMBER(Elastic), DAMPED_MEMBER(Elastic),
                                                 C_MEMBER("N.m/rad"), PHI0_MEMBER,
                                                 ROTATIONAL_ELASTIC};
static const LiederMember translational_damper[] = {TD_MEMBER(Elastic), DAMPED_MEMBER(Elastic),
                                                    D_MEMBER("N.s/m"), TRANSLATIONAL_ELASTIC};
static const LiederMember rotational_damper[] = {TD_MEMBER(Elastic), DAMPED_MEMBER(Elastic),
                                                 D_MEMBER("N.m.s/rad"), ROTATIONAL_ELASTIC};
static const LiederMember translational_spring_damper[] = {
    TD_MEMBER(Elastic), DAMPED_MEMBER(Elastic), C_MEMBER("N/m"), D_MEMBER("N.s/m"),
    L_MEMBER,           TRANSLATIONAL_ELASTIC};
static const LiederMember rotational_spring_damper[] = {TD_MEMBER(Elastic),  DAMPED_MEMBER(Elastic),
                                                        C_MEMBER("N.m/rad"), D_MEMBER("N.m.s/rad"),
                                                        PHI0_MEMBER,         ROTATIONAL_ELASTIC};
#define GAP_MEMBER(unit_) CROSSING(Elastic, gap, closed, LIEDER_EDGE, unit_, "negative in contact")
static const LiederMember translational_gap[] = {
    TD_MEMBER(Elastic), DAMPED_MEMBER(Elastic), C_MEMBER("N/m"), D_MEMBER("N.s/m"),
    L_MEMBER,           TRANSLATIONAL_ELASTIC,  GAP_MEMBER("m")};
static const LiederMember rotational_gap[] = {
    TD_MEMBER(Elastic), DAMPED_MEMBER(Elastic), C_MEMBER("N.m/rad"), D_MEMBER("N.m.s/rad"),
    PHI0_MEMBER,        ROTATIONAL_ELASTIC,     GAP_MEMBER("rad")};

static bool elastic_couples(const double *parameters)
{
    return parameters[0] > 0 && parameters[1] > 0; /* TD and damped: d_el may not be zero */
}

#define FRICTION_MEMBERS(v_, w_unit, n_unit)                                                       \
    PARAMETER(Friction, N, n_unit, 1, AT_LEAST(0), "normal force"),                                \
        PARAMETER(Friction, v_##Adhesion, w_unit, 1e-3, AT_LEAST(0),                               \
                  "velocity of highest friction"),                                                 \
        PARAMETER(Friction, v_##Slide, w_unit, 1e-2, AT_LEAST(0),                                  \
                  "velocity where sliding is reached"),                                            \
        PARAMETER(Friction, mu_A, "1", 1, AT_LEAST(0), "friction coefficient at adhesion"),        \
        PARAMETER(Friction, mu_S, "1", 0.7, AT_LEAST(0), "friction coefficient at sliding")
#define FRICTION_CORNERS(unit_)                                                                    \
    CROSSING(Friction, slide_back, slides_back, LIEDER_EDGE, unit_, "negative: slides backwards"), \
        CROSSING(Friction, stick_back, leaves_back, LIEDER_EDGE, unit_,                            \
                 "negative: beyond adhesion backwards"),                                           \
        CROSSING(Friction, stick_ahead, held_ahead, LIEDER_EDGE, unit_,                            \
                 "positive: beyond adhesion forwards"),                                            \
        CROSSING(Friction, slide_ahead, slow_ahead, LIEDER_EDGE, unit_,                            \
                 "positive: slides forwards")
static const LiederMember translational_friction[] = {
    FRICTION_MEMBERS(v, "m/s", "N"),
    FRICTION_CORNERS("m/s"),
    OBSERVABLE(Friction, v_rel, "m/s", "kinetic v_b - v_a"),
    OBSERVABLE(Friction, f_ki, "N", "friction force at flange_b"),
};
static const LiederMember rotational_friction[] = {
    FRICTION_MEMBERS(w, "rad/s", "N.m"),
    FRICTION_CORNERS("rad/s"),
    OBSERVABLE(Friction, w_rel, "rad/s", "kinetic w_b - w_a"),
    OBSERVABLE(Friction, tau_ki, "N.m", "friction torque at flange_b"),
};
static bool friction_couples(const double *parameters)
{
    (void)parameters;
    return false; /* the velocities alone decide */
}
static const char *friction_check(const double *parameters)
{
    if (!(parameters[1] > 0))
        return "the velocity of adhesion must be greater than zero";
    return parameters[2] > parameters[1]
               ? NULL
               : "the velocity of sliding must be greater than the velocity of adhesion";
}

#define SENSOR_MEMBERS(unit_)                                                                      \
    SWITCH(MotionSensor, filtered, 0,                                                              \
           "first-order filter with TD, as the kinetic regime sees it"),                           \
        TD_MEMBER(MotionSensor),                                                                   \
        STATE_IF(filtered, MotionSensor, x, x_der, unit_, NAN, "filtered position")
static const LiederMember position_sensor[] = {SENSOR_MEMBERS("m")};
static const LiederMember angle_sensor[] = {SENSOR_MEMBERS("rad")};
static const LiederMember force_sensor[] = {
    OBSERVABLE(FlowSensor, y, "N", "force handed on from flange_a to flange_b")};
static const LiederMember torque_sensor[] = {
    OBSERVABLE(FlowSensor, y, "N.m", "torque handed on from flange_a to flange_b")};
static const LiederMember square_members[] = {
    PARAMETER(SquareLink, k, "1/m", 1, ANY, "curvature: s_b = k |s_a| s_a")};
static const LiederMember gear_members[] = {
    PARAMETER(Gear, ratio, "1", 1, ANY, "phi_b = ratio phi_a")};
static const LiederMember wheel_members[] = {
    PARAMETER(Gear, radius, "m", 1, AT_LEAST(0), "radius: s = radius phi")};
static const char *gear_check(const double *parameters)
{
    return parameters[0] != 0 ? NULL : "must not be zero";
}

static const LiederClassDef line_oracle[] = {
    LIBRARY_CLASS("OracleTranslational.Fixed", "Fixed position: a root", translational_root,
                  translational_fixed, Anchor_kernels),
    LIBRARY_CLASS("OracleTranslational.Translation", "Rigid offset", translational_link,
                  translational_offset, Offset_kernels),
    LIBRARY_CLASS("OracleTranslational.Body", "Mass under gravity", translational_body,
                  translational_mass, Mass_kernels),
    LIBRARY_CLASS("OracleTranslational.Joint", "Degree of freedom along s", translational_joint,
                  translational_joint_members, Joint_kernels),
    LIBRARY_CLASS("OracleTranslational.Spring", "Linear spring", translational_between,
                  translational_spring, Elastic_kernels, .couples = elastic_couples),
    LIBRARY_CLASS("OracleTranslational.Damper", "Linear damper", translational_between,
                  translational_damper, Elastic_kernels, .couples = elastic_couples),
    LIBRARY_CLASS("OracleTranslational.SpringDamper", "Linear spring and damper in parallel",
                  translational_between, translational_spring_damper, Elastic_kernels,
                  .couples = elastic_couples),
    LIBRARY_CLASS("OracleTranslational.ElastoGap",
                  "Spring and damper that act while flange_b is closer to flange_a than l",
                  translational_between, translational_gap, Gap_kernels,
                  .couples = elastic_couples),
    LIBRARY_CLASS_PLAIN("OracleTranslational.Force", "Force that acts on one flange", force_ports,
                        Force_kernels),
    LIBRARY_CLASS("OracleTranslational.DryFriction",
                  "Dry friction, regularised by the triple S-function", translational_between,
                  translational_friction, Friction_kernels, .couples = friction_couples,
                  .check = friction_check),
    LIBRARY_CLASS("OracleTranslational.PositionSensor", "Measures the position of a flange",
                  translational_sensor, position_sensor, MotionSensor_kernels),
    LIBRARY_CLASS("OracleTranslational.ForceSensor", "Measures the force between two flanges",
                  translational_link, force_sensor, FlowSensor_kernels),
    LIBRARY_CLASS("OracleTranslational.SquareLink", "Constraint on positions: s_b = k |s_a| s_a",
                  translational_link, square_members, SquareLink_kernels),

    LIBRARY_CLASS("OracleRotational.Fixed", "Fixed angle: a root", rotational_root,
                  rotational_fixed, Anchor_kernels),
    LIBRARY_CLASS("OracleRotational.Rotation", "Rigid offset", rotational_link, rotational_offset,
                  Offset_kernels),
    LIBRARY_CLASS("OracleRotational.Inertia", "Moment of inertia", rotational_body, rotational_mass,
                  Mass_kernels),
    LIBRARY_CLASS("OracleRotational.Joint", "Degree of freedom along phi", rotational_joint,
                  rotational_joint_members, Joint_kernels),
    LIBRARY_CLASS("OracleRotational.Spring", "Linear spring", rotational_between, rotational_spring,
                  Elastic_kernels, .couples = elastic_couples),
    LIBRARY_CLASS("OracleRotational.Damper", "Linear damper", rotational_between, rotational_damper,
                  Elastic_kernels, .couples = elastic_couples),
    LIBRARY_CLASS("OracleRotational.SpringDamper", "Linear spring and damper in parallel",
                  rotational_between, rotational_spring_damper, Elastic_kernels,
                  .couples = elastic_couples),
    LIBRARY_CLASS("OracleRotational.ElastoGap",
                  "Spring and damper that act while flange_b is closer to flange_a than phi0",
                  rotational_between, rotational_gap, Gap_kernels, .couples = elastic_couples),
    LIBRARY_CLASS_PLAIN("OracleRotational.Torque", "Torque that acts on one flange", torque_ports,
                        Force_kernels),
    LIBRARY_CLASS("OracleRotational.DryFriction",
                  "Dry friction, regularised by the triple S-function", rotational_between,
                  rotational_friction, Friction_kernels, .couples = friction_couples,
                  .check = friction_check),
    LIBRARY_CLASS("OracleRotational.AngleSensor", "Measures the angle of a flange",
                  rotational_sensor, angle_sensor, MotionSensor_kernels),
    LIBRARY_CLASS("OracleRotational.TorqueSensor", "Measures the torque between two flanges",
                  rotational_link, torque_sensor, FlowSensor_kernels),
    LIBRARY_CLASS("OracleRotational.IdealGear", "Gear without loss: phi_b = ratio phi_a",
                  rotational_link, gear_members, Gear_kernels, .check = gear_check),
    LIBRARY_CLASS("OracleRotational.RollingWheel", "Wheel that rolls without slip: s = radius phi",
                  wheel_ports, wheel_members, Gear_kernels, .check = gear_check),
};

static inline LiederStatus line_oracle_register(Lieder *session)
{
    LiederStatus status = LIEDER_DONE;
    for (int i = 0; i < LIEDER_COUNT(line_oracle) && status == LIEDER_DONE; i++)
        status = lieder_class_register(session, &line_oracle[i]);
    return status;
}

#endif
