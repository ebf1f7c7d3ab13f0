/* electrical.c - Electrical: ideal elements between two pins, for programs in C, and as an oracle.
 * Models in Modelica have library/Electrical.mo in its place, which is solved together with what it
 * is connected to.
 *
 * With v = v_p - v_n and i the current from p to n through the element, p.i = i and n.i = -i:
 *
 *   Resistor, VariableResistor   v = R i
 *   Inductor (state i)           L i' = v
 *   Capacitor (state v)          C v' = i
 *   SineVoltage                  v = offset + V sin(2 pi f (t - startTime) + phase)
 *   ShockleyDiode                i = I_S (exp(v / U_T) - 1)
 *   IdealDiode                   v = Vforward + Ron i, or i = Goff v, see there
 *
 * An element that gives the current as a function of the voltage needs no unknown. One that fixes
 * the voltage brings its current as an unknown, with its law as the residual. Derivatives come out
 * of the inward blocks, once the potentials are known.
 */
#include <lieder/electrical.h>

#include "library/library.h"

/* the current of an element out of its two pins */
static inline void pass_current(real i, Pin *p, Pin *n)
{
    p->i = i;
    n->i = -i;
}

/* ------------------------------------------------------------------ Ground */

typedef struct Ground {
    real unused;
} Ground;

static inline void ground_outward(Ground *c, Pin *p, Call call)
{
    (void)c;
    (void)call;
    p->v = REAL(0.0);
}

#define CLASS    Ground
#define PORTS(X) X(0, OUT, Pin)
#define OUTWARD  ground_outward
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ Resistor */

typedef struct Resistor {
    real R, v, i;
} Resistor;

static inline void resistor_inward(Resistor *c, Pin *p, Pin *n, Call call)
{
    (void)call;
    c->v = p->v - n->v;
    c->i = c->v / c->R;
    pass_current(c->i, p, n);
}

#define CLASS    Resistor
#define PORTS(X) X(0, IN, Pin) X(1, IN, Pin)
#define INWARD   resistor_inward
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ VariableResistor */

/* the current is an unknown, so that the resistance may well be zero */
typedef struct VariableResistor {
    real v, i, residual;
} VariableResistor;

static inline void variable_inward(VariableResistor *c, Pin *p, Pin *n, Signal *R, Call call)
{
    (void)call;
    c->v = p->v - n->v;
    c->residual = c->v - R->y * c->i;
    pass_current(c->i, p, n);
}

#define CLASS       VariableResistor
#define PORTS(X)    X(0, IN, Pin) X(1, IN, Pin) X(2, IN, Signal)
#define UNKNOWNS(X) X(0, i, residual)
#define INWARD      variable_inward
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ Inductor */

typedef struct Inductor {
    real L, i, i_der, v;
} Inductor;

static inline void inductor_inward(Inductor *c, Pin *p, Pin *n, Call call)
{
    c->v = p->v - n->v;
    c->i_der = c->v / c->L;
    pass_current(constant_term(c->i), p, n);
}

#define CLASS    Inductor
#define PORTS(X) X(0, IN, Pin) X(1, IN, Pin)
#define INWARD   inductor_inward
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ Capacitor */

typedef struct Capacitor {
    real C, v, v_der, i, residual;
} Capacitor;

static inline void capacitor_inward(Capacitor *c, Pin *p, Pin *n, Call call)
{
    c->v_der = c->i / c->C;
    c->residual = p->v - n->v - constant_term(c->v);
    pass_current(c->i, p, n);
}

#define CLASS       Capacitor
#define PORTS(X)    X(0, IN, Pin) X(1, IN, Pin)
#define UNKNOWNS(X) X(0, i, residual)
#define INWARD      capacitor_inward
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ SineVoltage */

typedef struct SineVoltage {
    real V, f, phase, offset, startTime;
    real v, i, residual;
} SineVoltage;

/* the start is a jump, decided at the start of a step as in signals.c */
static inline void source_explicit(SineVoltage *c, Pin *p, Pin *n, Call call)
{
    (void)p;
    (void)n;
    real since = call.time - c->startTime;
    real wave = sine(6.28318530717958647692 * c->f * since + c->phase);
    c->v = c->offset + choose(c->startTime <= call.event_time, c->V * wave, 0.0);
}

static inline void source_inward(SineVoltage *c, Pin *p, Pin *n, Call call)
{
    c->residual = p->v - n->v - constant_term(c->v);
    pass_current(c->i, p, n);
}

#define CLASS       SineVoltage
#define PORTS(X)    X(0, IN, Pin) X(1, IN, Pin)
#define UNKNOWNS(X) X(0, i, residual)
#define EXPLICIT    source_explicit
#define INWARD      source_inward
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ IdealDiode */

/* Both branches with one parameter m, the margin to the knee. While the diode blocks it is the
 * voltage that is missing, while it conducts minus the current beyond the knee:
 *
 *   blocks             v = Vforward - m         i = Goff (Vforward - m)
 *   conducts (m < 0)   v = Vforward - Ron m     i = Goff Vforward - m
 *
 * The margin is the unknown and the crossing: it passes through zero whichever branch it comes
 * from. Where choices are not held, the search starts with a diode that blocks. */
typedef struct IdealDiode {
    real Vforward, Ron, Goff;
    real margin, residual, conducts;
    real v, i;
} IdealDiode;

static inline void ideal_explicit(IdealDiode *c, Pin *p, Pin *n, Call call)
{
    (void)p;
    (void)n;
    c->conducts = call.hold ? c->conducts : REAL(0.0);
}

static inline void ideal_inward(IdealDiode *c, Pin *p, Pin *n, Call call)
{
    mask conducts = (mask)(c->conducts > 0.5);
    c->v = p->v - n->v;
    c->residual = c->v - constant_term(c->Vforward) + choose(conducts, c->Ron, 1.0) * c->margin;
    c->i = constant_term(c->Goff * c->Vforward) - choose(conducts, 1.0, c->Goff) * c->margin;
    pass_current(c->i, p, n);
}

static inline real ideal_iterate(IdealDiode *c, Pin *p, Pin *n, Call call)
{
    (void)p;
    (void)n;
    if (call.hold)
        return REAL(0.0);
    real before = c->conducts;
    c->conducts = choose(c->margin < 0.0, 1.0, 0.0);
    return absolute(c->conducts - before);
}

/* nothing to do, but fixed steps give rows on both sides of the change */
static inline void ideal_event(IdealDiode *c, Pin *p, Pin *n, Call call)
{
    (void)c;
    (void)p;
    (void)n;
    (void)call;
}

#define CLASS       IdealDiode
#define PORTS(X)    X(0, IN, Pin) X(1, IN, Pin)
#define UNKNOWNS(X) X(0, margin, residual)
#define EXPLICIT    ideal_explicit
#define INWARD      ideal_inward
#define ITERATE     ideal_iterate
#define EVENT       ideal_event
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ ShockleyDiode */

/* Newton's method with the tangent at v0,
 *
 *   i = i0 + g (v - v0),   i0 = I_S (exp(v0 / U_T) - 1),   g = I_S / U_T exp(v0 / U_T)
 *
 * starting at the voltage of strongest curvature, v_crit = U_T ln(U_T / (sqrt 2 I_S)). From above
 * the solution it converges by itself, because the curve is convex. A step upwards beyond
 * v_crit may end where exp overflows: there the current is taken over instead of the voltage,
 * v0 + U_T ln(1 + (v - v0) / U_T) (Nagel, SPICE2, 1975). Beyond v / U_T = EXPONENT the curve goes
 * on as its tangent: currents of 1e88 A are no physics, but they are numbers. */
typedef struct ShockleyDiode {
    real I_S, U_T;
    real v_crit, v0, i0, g;
    real v, i;
} ShockleyDiode;

static const double EXPONENT = 230;

static inline void shockley_constant(ShockleyDiode *c)
{
    c->v_crit = c->U_T * real_log(c->U_T / (1.41421356237309504880 * c->I_S));
}

static inline void shockley_tangent(ShockleyDiode *c, real v0)
{
    c->v0 = minimum(v0, EXPONENT * c->U_T);
    real e = exponential(c->v0 / c->U_T);
    c->g = c->I_S / c->U_T * e;
    c->i0 = c->I_S * (e - 1.0);
}

static inline void shockley_explicit(ShockleyDiode *c, Pin *p, Pin *n, Call call)
{
    (void)p;
    (void)n;
    (void)call;
    shockley_tangent(c, c->v_crit);
}

static inline void shockley_inward(ShockleyDiode *c, Pin *p, Pin *n, Call call)
{
    c->v = p->v - n->v;
    c->i = constant_term(c->i0 - c->g * c->v0) + c->g * c->v;
    pass_current(c->i, p, n);
}

/* Near the solution the error squares: a step of 1e-6 U_T leaves 5e-13 of the current. The second
 * term is the rounding of the potentials. */
static inline real shockley_iterate(ShockleyDiode *c, Pin *p, Pin *n, Call call)
{
    (void)call;
    real v = p->v - n->v, step = v - c->v0;
    mask straight = (mask)(c->v0 >= EXPONENT * c->U_T) & (mask)(step >= 0.0);
    mask settled =
        (mask)(absolute(step) <= 1e-6 * c->U_T + 1e-12 * (absolute(p->v) + absolute(n->v)));
    settled = settled | straight;
    mask limit = (mask)(v > c->v_crit) & (mask)(step > 2.0 * c->U_T);
    real by_current = c->v0 + c->U_T * real_log(1.0 + choose(limit, step, 0.0) / c->U_T);
    shockley_tangent(c, choose(settled, c->v0, choose(limit, by_current, v)));
    return choose(settled, 0.0, 1.0);
}

#define CLASS    ShockleyDiode
#define PORTS(X) X(0, IN, Pin) X(1, IN, Pin)
#define CONSTANT shockley_constant
#define EXPLICIT shockley_explicit
#define INWARD   shockley_inward
#define ITERATE  shockley_iterate
#include <lieder/kernels.inc>

/* when the source begins; exported models (src/fmi) call it by this name */
static __attribute__((unused)) double SineVoltage_next_time(const double *p,
                                                            const LiederTable *table, double t)
{
    (void)table;
    return p[4] > t ? p[4] : INFINITY;
}

#ifndef LIEDER_BLOCKS_ONLY
/* ------------------------------------------------------------------ the classes */

static const LiederPortDef ground_ports[] = {PORT_OUT("p", lieder_electrical, "pin")};
static const LiederPortDef element_ports[] = {PORT_IN("p", lieder_electrical, "positive pin"),
                                              PORT_IN("n", lieder_electrical, "negative pin")};
/* an open input would be a short circuit, so this one is not optional */
static const LiederPortDef variable_ports[] = {
    PORT_IN("p", lieder_electrical, "positive pin"),
    PORT_IN("n", lieder_electrical, "negative pin"),
    {.name = "R", .domain = &lieder_signal, .role = LIEDER_IN, .text = "resistance"}};

#define VOLTAGE(class_) OBSERVABLE(class_, v, "V", "voltage between p and n")
#define CURRENT(class_) OBSERVABLE(class_, i, "A", "current from p to n")
#define POSITIVE        AT_LEAST(1e-300)

static const LiederMember resistor_members[] = {
    PARAMETER(Resistor, R, "Ohm", 1, POSITIVE, "resistance"), VOLTAGE(Resistor), CURRENT(Resistor)};
static const LiederMember variable_members[] = {
    UNKNOWN(VariableResistor, i, residual, "A", "current from p to n"), VOLTAGE(VariableResistor)};
static const LiederMember inductor_members[] = {
    PARAMETER(Inductor, L, "H", 1, POSITIVE, "inductance"),
    STATE(Inductor, i, i_der, "A", 0, "current from p to n"), VOLTAGE(Inductor)};
static const LiederMember capacitor_members[] = {
    PARAMETER(Capacitor, C, "F", 1, POSITIVE, "capacitance"),
    STATE(Capacitor, v, v_der, "V", 0, "voltage between p and n"),
    UNKNOWN(Capacitor, i, residual, "A", "current from p to n")};
static const LiederMember source_members[] = {
    PARAMETER(SineVoltage, V, "V", 1, ANY, "amplitude"),
    PARAMETER(SineVoltage, f, "Hz", 1, ANY, "frequency"),
    PARAMETER(SineVoltage, phase, "rad", 0, ANY, "phase at the start"),
    PARAMETER(SineVoltage, offset, "V", 0, ANY, "voltage before the start, and added to the sine"),
    PARAMETER(SineVoltage, startTime, "s", 0, ANY, "time of the start"),
    UNKNOWN(SineVoltage, i, residual, "A", "current from p to n"),
    VOLTAGE(SineVoltage)};
static const LiederMember ideal_members[] = {
    PARAMETER(IdealDiode, Vforward, "V", 0, AT_LEAST(0), "forward voltage"),
    PARAMETER(IdealDiode, Ron, "Ohm", 0, AT_LEAST(0),
              "resistance while it conducts; > 0 if parallel to a voltage"),
    PARAMETER(IdealDiode, Goff, "S", 0, AT_LEAST(0),
              "conductance while it blocks; > 0 at a node of diodes and inductors alone"),
    UNKNOWN(IdealDiode, margin, residual, "", "to the knee: voltage, or minus the current beyond"),
    CROSSING(IdealDiode, margin, conducts, LIEDER_MODE, "",
             "conducts while the margin is negative"),
    VOLTAGE(IdealDiode),
    CURRENT(IdealDiode)};
static const LiederMember shockley_members[] = {
    PARAMETER(ShockleyDiode, I_S, "A", 1e-12, POSITIVE, "saturation current"),
    PARAMETER(ShockleyDiode, U_T, "V", 25e-3, POSITIVE, "temperature voltage"),
    VOLTAGE(ShockleyDiode), CURRENT(ShockleyDiode)};

/* the diodes start their search anew in every evaluation, hence uses_time */
static const LiederClassDef classes[] = {
    LIBRARY_CLASS_PLAIN("Electrical.Ground", "Potential zero; every network needs one",
                        ground_ports, Ground_kernels),
    LIBRARY_CLASS("Electrical.Resistor", "Resistance", element_ports, resistor_members,
                  Resistor_kernels),
    LIBRARY_CLASS("Electrical.VariableResistor", "Resistance given by a signal, zero included",
                  variable_ports, variable_members, VariableResistor_kernels),
    LIBRARY_CLASS("Electrical.Inductor", "Inductance", element_ports, inductor_members,
                  Inductor_kernels),
    LIBRARY_CLASS("Electrical.Capacitor", "Capacitance", element_ports, capacitor_members,
                  Capacitor_kernels),
    LIBRARY_CLASS("Electrical.SineVoltage", "Voltage source, a sine", element_ports, source_members,
                  SineVoltage_kernels, .uses_time = true, .next_time = SineVoltage_next_time),
    LIBRARY_CLASS("Electrical.IdealDiode", "Diode that blocks or conducts", element_ports,
                  ideal_members, IdealDiode_kernels, .uses_time = true),
    LIBRARY_CLASS("Electrical.ShockleyDiode", "Diode with exponential law", element_ports,
                  shockley_members, ShockleyDiode_kernels, .uses_time = true),
};

const LiederClassList LIEDER_SYMBOL(library_electrical) = {LIEDER_COUNT(classes), classes};
#endif
