/* breakable.c - Breakable, for translation and rotation: a spring and damper that lets go when
 * |c Ds + d Dv| has reached f_max, with Ds = s_b - s_a - l and Dv = v_b - v_a. While it is whole it
 * is the SpringDamper of library/Translational.mo:
 *
 *   f_el = c Ds [ + d_el (v_el_b - v_el_a - Dv) ],   f_ki = d Dv,   d_el = d + c T_D
 *
 * `broken` is a state that only the event changes, so that a break lasts, also in a state file;
 * what the spring held in energy is gone with it. The bracket with d_el does not count: it is no
 * force of the real thing. That is why the class is in C: what an event of a class in Modelica
 * changes for good is memory, and programs find `broken` among the states.
 */
#include <lieder/mechanics.h>

#include "library/either.h"
#include "library/library.h"

typedef struct Breakable {
    real c, d, TD, damped;
    EITHER(l, phi0);
    EITHER(s_rel, phi_rel);
    EITHER(v_rel, w_rel);
    EITHER(f_el, tau_el);
    EITHER(f_ki, tau_ki);
    real elastic, d_el; /* the part of f_el that the states decide; d_el as it acts now */
    EITHER(f_max, tau_max);
    real broken, broken_der;
    real margin, over; /* 1 where the margin of strength is negative */
} Breakable;

/* what is left of the strength while it is whole */
static inline real breakable_margin(const Breakable *c)
{
    return c->f_max - absolute(c->c * (c->s_rel - c->l) + c->d * c->v_rel);
}

/* spring, damper and limit, as long as it is whole */
static inline void breakable_explicit(Breakable *c, Flange *a, Flange *b, Call call)
{
    mask whole = (mask)(c->broken < 0.5);
    real d_el = choose(c->TD > 0.0, c->damped * (c->d + c->c * c->TD), 0.0);
    c->s_rel = b->s - a->s;
    c->v_rel = b->v - a->v;
    c->d_el = choose(whole, d_el, 0.0);
    c->elastic = choose(whole, c->c * (c->s_rel - c->l) - d_el * c->v_rel, 0.0);
    c->f_ki = choose(whole, c->d * c->v_rel, 0.0);
    c->margin = choose(whole, breakable_margin(c), 1.0);
    c->broken_der = REAL(0.0);
    hold_choice(call, (mask)(c->margin < 0.0), &c->over);
}

/* too much already at the start: no crossing would tell */
static inline void breakable_start(Breakable *c, Flange *a, Flange *b, Call call)
{
    (void)a;
    (void)b;
    (void)call;
    c->broken = choose(breakable_margin(c) < 0.0, 1.0, 0.0);
}

static inline void breakable_inward(Breakable *c, Flange *a, Flange *b, Call call)
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
static inline Energy breakable_energy(Breakable *c, Flange *a, Flange *b, Call call)
{
    (void)call;
    real spring = c->elastic + c->d_el * c->v_rel, rate = b->v_el - a->v_el;
    real taken = c->d_el * (rate - c->v_rel) * rate + c->f_ki * c->v_rel;
    real heat = choose(c->d_el > 0.0, c->d * rate * rate, c->f_ki * c->v_rel);
    return (Energy){
        .potential = 0.5 * spring * (c->s_rel - c->l), .dissipated = heat, .filter = taken - heat};
}

static inline void breakable_event(Breakable *c, Flange *a, Flange *b, Call call)
{
    (void)a;
    (void)b;
    (void)call;
    c->broken = choose(c->over > 0.5, 1.0, c->broken);
}

#define CLASS    Breakable
#define PORTS(X) X(0, IN, Flange) X(1, IN, Flange)
#define EXPLICIT breakable_explicit
#define INWARD   breakable_inward
#define START    breakable_start
#define EVENT    breakable_event
#define ENERGY   breakable_energy
#include <lieder/kernels.inc>

#ifndef LIEDER_BLOCKS_ONLY
/* ------------------------------------------------------------------ the classes */

static const LiederPortDef translational_ports[] = {
    PORT_IN("flange_a", lieder_translational, "flange"),
    PORT_IN("flange_b", lieder_translational, "flange")};
static const LiederPortDef rotational_ports[] = {PORT_IN("flange_a", lieder_rotational, "flange"),
                                                 PORT_IN("flange_b", lieder_rotational, "flange")};

/* TD and damped come first: see breakable_couples */
#define BREAKABLE_MEMBERS(c_unit, d_unit, length, length_unit, length_text, limit, f_unit)         \
    TD_MEMBER(Breakable), DAMPED_MEMBER(Breakable),                                                \
        PARAMETER(Breakable, c, c_unit, 1, AT_LEAST(0), "stiffness"),                              \
        PARAMETER(Breakable, d, d_unit, 0, AT_LEAST(0), "damping"),                                \
        PARAMETER(Breakable, length, length_unit, 0, ANY, length_text),                            \
        PARAMETER(Breakable, limit, f_unit, NAN, AT_LEAST(0),                                      \
                  "strength: lets go when it is reached"),                                         \
        STATE(Breakable, broken, broken_der, "", NAN, "1 once it has let go"),                     \
        CROSSING(Breakable, margin, over, LIEDER_EDGE, f_unit, "what is left of the strength")
static const LiederMember translational_members[] = {
    BREAKABLE_MEMBERS("N/m", "N.s/m", l, "m", "length without force", f_max, "N"),
    OBSERVABLE(Breakable, s_rel, "m", "s_b - s_a"),
    OBSERVABLE(Breakable, v_rel, "m/s", "kinetic v_b - v_a"),
    OBSERVABLE(Breakable, f_el, "N", "elastic force at flange_b"),
    OBSERVABLE(Breakable, f_ki, "N", "kinetic force at flange_b")};
static const LiederMember rotational_members[] = {
    BREAKABLE_MEMBERS("N.m/rad", "N.m.s/rad", phi0, "rad", "angle without torque", tau_max, "N.m"),
    OBSERVABLE(Breakable, phi_rel, "rad", "phi_b - phi_a"),
    OBSERVABLE(Breakable, w_rel, "rad/s", "kinetic w_b - w_a"),
    OBSERVABLE(Breakable, tau_el, "N.m", "elastic torque at flange_b"),
    OBSERVABLE(Breakable, tau_ki, "N.m", "kinetic torque at flange_b")};

static bool breakable_couples(const double *parameters)
{
    return parameters[0] > 0 && parameters[1] > 0; /* TD and damped: d_el may not be zero */
}

static const LiederClassDef classes[] = {
    LIBRARY_CLASS("Translational.Breakable", "Spring and damper that let go for good at a force",
                  translational_ports, translational_members, Breakable_kernels,
                  .couples = breakable_couples),
    LIBRARY_CLASS("Rotational.Breakable", "Spring and damper that let go for good at a torque",
                  rotational_ports, rotational_members, Breakable_kernels,
                  .couples = breakable_couples),
};

const LiederClassList LIEDER_SYMBOL(library_breakable) = {LIEDER_COUNT(classes), classes};
#endif
