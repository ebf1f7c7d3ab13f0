/* sticking.c - dry friction that really sticks: CoulombFriction, VariableFriction, Clutch, Brake,
 * OneWayClutch, for translation and rotation. Not Modelica text yet: between events the equations
 * of its two unknowns are chosen by a mode that is memory, and the margins that end the mode are
 * these unknowns.
 *
 * With v the kinetic velocity of flange_b against flange_a and f the force with which friction
 * opposes it, one of three modes holds between events:
 *
 *   slides forward (1), backward (-1)    f = mode F(|v|), F of that direction
 *   sticks (0)                           a_b - a_a = -v/T, f is whatever that takes
 *
 * F falls from its greatest value at rest to that of sliding. It begins to slide where |f| exceeds
 * the greatest value, and sticks again where the velocity has changed its sign. What a fixed step
 * leaves of the velocity then goes with the time constant T: that is T_D, so that positions rest at
 * once (v_el = v + T_D a = 0) and no eigenvalue is beyond 1/T_D; classical mechanics takes T_stick.
 *
 * While it sticks two margins are the unknowns, of which the first one stands for the force:
 *
 *   ahead = F(0) - f,   back = F_back(0) + f        negative: slides
 *
 * The whole linear group decides them, so no block can: they are crossings of the kind LIEDER_HELD.
 * Modes are memory, and an event has as many passes as it takes until all modes of a mechanism fit
 * each other. While it slides both margins are 1, a number without meaning.
 *
 * A one-way clutch slides forward only: it holds any force backward.
 *
 * Two frictions on one shaft that both stick would leave open who holds how much. So each gives way
 * a little, a_b - a_a = -v/T + SHARE f/F(0): they share the load as their strengths are, and creep
 * with SHARE T, 1e-9 m/s for T = 1 ms, at their limit.
 */
#include <lieder/mechanics.h>

#include "library/either.h"
#include "library/library.h"

typedef struct Sticking {
    real TD, T_stick;
    real one_way;                   /* 1: of a OneWayClutch */
    EITHER(F_Coulomb, tau_Coulomb); /* CoulombFriction: F = Coulomb + prop |v| + Stribeck e^(..) */
    EITHER(F_prop, tau_prop);
    EITHER(F_Stribeck, tau_Stribeck);
    real fexp;
    real mu, peak, cgeo, fn_max; /* Clutch, Brake: F = mu cgeo fn, and peak times that at rest */
    EITHER(v_rel, w_rel);
    EITHER(f, tau);
    real lossPower;
    real most, least;           /* F(0), and F at this velocity */
    real most_back, least_back; /* those of the way back */
    real ahead, residual_ahead, starts;
    real back, residual_back, starts_back;
    real turn, turned; /* 1 where the velocity has changed its sign */
    real mode, mode_next;
    real floor, floor_next; /* velocity in the direction of the mode when it began; at most 0 */
} Sticking;

/* a velocity that counts as none: what the location of events leaves is less */
#define NEARLY_AT_REST 1e-9
/* acceleration with which it gives way at its limit, m/s2 */
#define SHARE 1e-6

static inline void sticking_decide(Sticking *c, real v, Call call)
{
    c->v_rel = v;
    c->turn = choose((mask)(c->mode == 0.0), 1.0, c->mode * v - c->floor + NEARLY_AT_REST);
    hold_choice(call, (mask)(c->turn < 0.0), &c->turned);
    c->lossPower = choose((mask)(c->mode < 0.0), c->least_back, c->least) * c->mode * v;
}

static inline void sticking_both_ways(Sticking *c)
{
    c->most_back = c->most;
    c->least_back = c->least;
}

static inline void coulomb_force(Sticking *c, real v)
{
    real speed = absolute(v);
    c->most = c->F_Coulomb + c->F_Stribeck;
    c->least = c->F_Coulomb + c->F_prop * speed + c->F_Stribeck * real_exp(-c->fexp * speed);
    sticking_both_ways(c);
}

static inline void clutch_force(Sticking *c, real f_normalized)
{
    c->least = c->mu * c->cgeo * c->fn_max * maximum(f_normalized, 0.0);
    c->most = c->peak * c->least;
    sticking_both_ways(c);
}

/* the force at flange_b, and what decides the margins, with the relative acceleration */
static inline real sticking_law(Sticking *c, real acceleration, Call call)
{
    mask sticks = (mask)(c->mode == 0.0);
    real T = choose((mask)(c->TD > 0.0), c->TD, c->T_stick);
    real strength = maximum(c->most, c->most_back);
    real soft = SHARE / maximum(strength, choose((mask)(c->one_way > 0.5), 1.0, SHARE));
    real slides = choose((mask)(c->mode < 0.0), -c->least_back, c->mode * c->least);
    c->f = choose(sticks, constant_term(c->most) - c->ahead, constant_term(slides));
    c->residual_ahead = choose(sticks, acceleration - soft * c->f + constant_term(c->v_rel / T),
                               c->ahead - constant_term(REAL(1.0)));
    c->residual_back = choose(sticks & (mask)(c->one_way < 0.5),
                              c->back + c->ahead - constant_term(c->most + c->most_back),
                              c->back - constant_term(REAL(1.0)));
    return c->f;
}

/* the next mode: at the start by the velocity; sliding ends where it turns, sticking where a margin
 * is used up */
static inline void sticking_event(Sticking *c, Call call)
{
    mask sticks = (mask)(c->mode == 0.0);
    real moves = choose((mask)(c->v_rel > NEARLY_AT_REST), 1.0,
                        choose((mask)(c->v_rel < -NEARLY_AT_REST), c->one_way - 1.0, 0.0));
    real begins =
        choose((mask)(c->starts > 0.5), 1.0, choose((mask)(c->starts_back > 0.5), -1.0, 0.0));
    real next = choose(sticks, begins, choose((mask)(c->turned > 0.5), 0.0, c->mode));
    c->mode_next = call.initial ? moves : next;
    mask fresh = (mask)(c->mode_next != c->mode);
    c->floor_next = choose(fresh, minimum(c->mode_next * c->v_rel, 0.0), c->floor);
}

/* ------------------------------------------------------------------ between two flanges */

typedef Sticking Coulomb;

static inline void coulomb_explicit(Coulomb *c, Flange *a, Flange *b, Signal *loss, Call call)
{
    coulomb_force(c, b->v - a->v);
    sticking_decide(c, b->v - a->v, call);
    loss->y = c->lossPower;
}

static inline void coulomb_inward(Coulomb *c, Flange *a, Flange *b, Signal *loss, Call call)
{
    (void)loss;
    b->f_ki = sticking_law(c, b->a - a->a, call);
    a->f_ki = -b->f_ki;
}

static inline void coulomb_event(Coulomb *c, Flange *a, Flange *b, Signal *loss, Call call)
{
    (void)a;
    (void)b;
    (void)loss;
    sticking_event(c, call);
}

#define CLASS       Coulomb
#define PORTS(X)    X(0, IN, Flange) X(1, IN, Flange) X(2, OUT, Signal)
#define UNKNOWNS(X) X(0, ahead, residual_ahead) X(1, back, residual_back)
#define EXPLICIT    coulomb_explicit
#define INWARD      coulomb_inward
#define EVENT       coulomb_event
#include <lieder/kernels.inc>

typedef Sticking Variable;

static inline void variable_explicit(Variable *c, Flange *a, Flange *b, Signal *forward,
                                     Signal *backward, Signal *loss, Call call)
{
    c->most = c->least = maximum(forward->y, 0.0);
    c->most_back = c->least_back = maximum(backward->y, 0.0);
    sticking_decide(c, b->v - a->v, call);
    loss->y = c->lossPower;
}

static inline void variable_inward(Variable *c, Flange *a, Flange *b, Signal *forward,
                                   Signal *backward, Signal *loss, Call call)
{
    (void)forward;
    (void)backward;
    coulomb_inward(c, a, b, loss, call);
}

static inline void variable_event(Variable *c, Flange *a, Flange *b, Signal *forward,
                                  Signal *backward, Signal *loss, Call call)
{
    (void)forward;
    (void)backward;
    coulomb_event(c, a, b, loss, call);
}

#define CLASS Variable
#define PORTS(X)                                                                                   \
    X(0, IN, Flange) X(1, IN, Flange) X(2, IN, Signal) X(3, IN, Signal) X(4, OUT, Signal)
#define UNKNOWNS(X) X(0, ahead, residual_ahead) X(1, back, residual_back)
#define EXPLICIT    variable_explicit
#define INWARD      variable_inward
#define EVENT       variable_event
#include <lieder/kernels.inc>

typedef Sticking Clutch;

static inline void clutch_explicit(Clutch *c, Flange *a, Flange *b, Signal *f_normalized,
                                   Signal *loss, Call call)
{
    clutch_force(c, f_normalized->y);
    sticking_decide(c, b->v - a->v, call);
    loss->y = c->lossPower;
}

static inline void clutch_inward(Clutch *c, Flange *a, Flange *b, Signal *f_normalized,
                                 Signal *loss, Call call)
{
    (void)f_normalized;
    coulomb_inward(c, a, b, loss, call);
}

static inline void clutch_event(Clutch *c, Flange *a, Flange *b, Signal *f_normalized, Signal *loss,
                                Call call)
{
    (void)f_normalized;
    coulomb_event(c, a, b, loss, call);
}

#define CLASS       Clutch
#define PORTS(X)    X(0, IN, Flange) X(1, IN, Flange) X(2, IN, Signal) X(3, OUT, Signal)
#define UNKNOWNS(X) X(0, ahead, residual_ahead) X(1, back, residual_back)
#define EXPLICIT    clutch_explicit
#define INWARD      clutch_inward
#define EVENT       clutch_event
#include <lieder/kernels.inc>

typedef Sticking OneWayClutch;

static inline void one_way_constant(OneWayClutch *c)
{
    c->one_way = REAL(1.0);
}

#define CLASS       OneWayClutch
#define PORTS(X)    X(0, IN, Flange) X(1, IN, Flange) X(2, IN, Signal) X(3, OUT, Signal)
#define UNKNOWNS(X) X(0, ahead, residual_ahead) X(1, back, residual_back)
#define CONSTANT    one_way_constant
#define EXPLICIT    clutch_explicit
#define INWARD      clutch_inward
#define EVENT       clutch_event
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ against what rests */

typedef Sticking Brake;

static inline void brake_explicit(Brake *c, Flange *in, Signal *f_normalized, Signal *loss,
                                  Call call)
{
    clutch_force(c, f_normalized->y);
    sticking_decide(c, in->v, call);
    loss->y = c->lossPower;
}

static inline void brake_inward(Brake *c, Flange *in, Signal *f_normalized, Signal *loss, Call call)
{
    (void)f_normalized;
    (void)loss;
    in->f_ki = sticking_law(c, in->a, call);
}

static inline void brake_event(Brake *c, Flange *in, Signal *f_normalized, Signal *loss, Call call)
{
    (void)in;
    (void)f_normalized;
    (void)loss;
    sticking_event(c, call);
}

#define CLASS       Brake
#define PORTS(X)    X(0, IN, Flange) X(1, IN, Signal) X(2, OUT, Signal)
#define UNKNOWNS(X) X(0, ahead, residual_ahead) X(1, back, residual_back)
#define EXPLICIT    brake_explicit
#define INWARD      brake_inward
#define EVENT       brake_event
#include <lieder/kernels.inc>

#ifndef LIEDER_BLOCKS_ONLY
/* ------------------------------------------------------------------ the classes */

#define PRESSED PORT_INPUT("f_normalized", "normal force as a share of fn_max, 0 to 1")
#define LOSS    PORT_OUTPUT("lossPower", "heat in W")
#define PORT_TABLES(domain)                                                                        \
    static const LiederPortDef domain##_coulomb[] = {                                              \
        PORT_IN("flange_a", lieder_##domain, "flange"),                                            \
        PORT_IN("flange_b", lieder_##domain, "flange"), LOSS};                                     \
    static const LiederPortDef domain##_variable[] = {                                             \
        PORT_IN("flange_a", lieder_##domain, "flange"),                                            \
        PORT_IN("flange_b", lieder_##domain, "flange"),                                            \
        PORT_INPUT("forward", "friction against sliding forward, and what it holds at rest"),      \
        PORT_INPUT("backward", "friction against sliding backward, and what it holds at rest"),    \
        LOSS};                                                                                     \
    static const LiederPortDef domain##_brake[] = {                                                \
        PORT_IN("flange", lieder_##domain, "what is braked"), PRESSED, LOSS}
PORT_TABLES(translational);
PORT_TABLES(rotational);
static const LiederPortDef clutch_ports[] = {PORT_IN("flange_a", lieder_rotational, "flange"),
                                             PORT_IN("flange_b", lieder_rotational, "flange"),
                                             PRESSED, LOSS};

#define STICKING_MEMBERS(v_, v_unit, f_, f_unit, f_text)                                           \
    TD_MEMBER(Sticking),                                                                           \
        PARAMETER(Sticking, T_stick, "s", 1e-3, AT_LEAST(1e-60),                                   \
                  "with TD = 0: time constant in which a rest of velocity goes; fixed steps up "   \
                  "to twice that"),                                                                \
        MEMORY(Sticking, mode, mode_next, LIEDER_TYPE_INTEGER, "", 0,                              \
               "0 sticks, 1 slides forward, -1 backward"),                                         \
        MEMORY(Sticking, floor, floor_next, LIEDER_TYPE_REAL, v_unit, 0,                           \
               "velocity from which on it turns"),                                                 \
        OBSERVABLE(Sticking, v_, v_unit, "kinetic velocity of flange_b against flange_a"),         \
        OBSERVABLE(Sticking, f_, f_unit, f_text),                                                  \
        UNKNOWN(Sticking, ahead, residual_ahead, f_unit, "what is left until it slides forward"),  \
        UNKNOWN(Sticking, back, residual_back, f_unit, "what is left until it slides backward"),   \
        CROSSING(Sticking, ahead, starts, LIEDER_HELD, f_unit, "negative: begins to slide"),       \
        CROSSING(Sticking, back, starts_back, LIEDER_HELD, f_unit, "negative: begins to slide"),   \
        CROSSING(Sticking, turn, turned, LIEDER_EDGE, v_unit, "negative: comes to rest")
#define TRANSLATIONAL_STICKING                                                                     \
    STICKING_MEMBERS(v_rel, "m/s", f, "N", "friction force at flange_b, against the motion")
#define ROTATIONAL_STICKING                                                                        \
    STICKING_MEMBERS(w_rel, "rad/s", tau, "N.m", "friction torque at flange_b, against the motion")
#define COULOMB_MEMBERS(f_, f_unit, d_unit, v_unit)                                                \
    PARAMETER(Sticking, f_##_Coulomb, f_unit, NAN, AT_LEAST(0), "friction while it slides"),       \
        PARAMETER(Sticking, f_##_prop, d_unit, 0, AT_LEAST(0), "more with the velocity"),          \
        PARAMETER(Sticking, f_##_Stribeck, f_unit, 0, AT_LEAST(0),                                 \
                  "more at rest: it goes with exp(-fexp |v|)"),                                    \
        PARAMETER(Sticking, fexp, v_unit, 0, AT_LEAST(0), "how fast that goes")
#define CLUTCH_MEMBERS                                                                             \
    PARAMETER(Sticking, mu, "1", 0.5, AT_LEAST(0), "friction coefficient while it slides"),        \
        PARAMETER(Sticking, peak, "1", 1, AT_LEAST(1), "times that before it begins to slide"),    \
        PARAMETER(Sticking, fn_max, "N", NAN, AT_LEAST(0), "greatest normal force")
#define CGEO(unit_)                                                                                \
    PARAMETER(Sticking, cgeo, unit_, 1, AT_LEAST(0),                                               \
              "geometry: number of faces, for rotation times their mean radius")

static const LiederMember translational_coulomb_members[] = {
    COULOMB_MEMBERS(F, "N", "N.s/m", "s/m"), TRANSLATIONAL_STICKING};
static const LiederMember rotational_coulomb_members[] = {
    COULOMB_MEMBERS(tau, "N.m", "N.m.s/rad", "s/rad"), ROTATIONAL_STICKING};
static const LiederMember translational_variable_members[] = {TRANSLATIONAL_STICKING};
static const LiederMember rotational_variable_members[] = {ROTATIONAL_STICKING};
static const LiederMember translational_clutch_members[] = {CLUTCH_MEMBERS, CGEO("1"),
                                                            TRANSLATIONAL_STICKING};
static const LiederMember rotational_clutch_members[] = {CLUTCH_MEMBERS, CGEO("m"),
                                                         ROTATIONAL_STICKING};

static const LiederClassDef classes[] = {
    LIBRARY_CLASS("Translational.CoulombFriction", "Dry friction between two flanges that sticks",
                  translational_coulomb, translational_coulomb_members, Coulomb_kernels),
    LIBRARY_CLASS("Translational.VariableFriction",
                  "Dry friction that sticks, as strong as two signals say: one for each direction",
                  translational_variable, translational_variable_members, Variable_kernels),
    LIBRARY_CLASS("Translational.Brake", "Pads against a rail that rests; sticks",
                  translational_brake, translational_clutch_members, Brake_kernels),
    LIBRARY_CLASS("Rotational.CoulombFriction", "Dry friction between two flanges that sticks",
                  rotational_coulomb, rotational_coulomb_members, Coulomb_kernels),
    LIBRARY_CLASS("Rotational.VariableFriction",
                  "Dry friction that sticks, as strong as two signals say: one for each direction",
                  rotational_variable, rotational_variable_members, Variable_kernels),
    LIBRARY_CLASS("Rotational.Clutch", "Discs that are pressed together; stick", clutch_ports,
                  rotational_clutch_members, Clutch_kernels),
    LIBRARY_CLASS("Rotational.Brake", "Pads against a disc; sticks", rotational_brake,
                  rotational_clutch_members, Brake_kernels),
    LIBRARY_CLASS("Rotational.OneWayClutch",
                  "Freewheel, with a clutch in parallel: flange_b may overtake flange_a",
                  clutch_ports, rotational_clutch_members, OneWayClutch_kernels),
};

const LiederClassList LIEDER_SYMBOL(library_sticking) = {LIEDER_COUNT(classes), classes};
#endif
