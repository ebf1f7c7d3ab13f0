/* signals_oracle.h - blocks of Signals in C, as they were before they became Modelica text
 * (library/Sources.mo): the oracle of tests. "Signals.Step" is "OracleSignals.Step" here, compiled
 * by the file that includes this.
 *
 * Jumps are decided at call.event_time, the start of a step, so that the last stage of a step does
 * not see a jump that belongs to the next one; what is continuous follows call.time. */
#ifndef TEST_LIBRARY_SIGNALS_ORACLE_H
#define TEST_LIBRARY_SIGNALS_ORACLE_H

#include <lieder/component.h>

#include "library/library.h"

/* ------------------------------------------------------------------ Constant */

typedef struct Constant {
    real k;
} Constant;

static inline void constant_explicit(Constant *c, Signal *y, Call call)
{
    (void)call;
    y->y = c->k;
}

#define CLASS    Constant
#define PORTS(X) X(0, OUT, Signal)
#define EXPLICIT constant_explicit
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ Step */

typedef struct Step {
    real height, offset, startTime;
} Step;

static inline void step_explicit(Step *c, Signal *y, Call call)
{
    y->y = c->offset + choose(c->startTime <= call.event_time, c->height, 0.0);
}

#define CLASS    Step
#define PORTS(X) X(0, OUT, Signal)
#define EXPLICIT step_explicit
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ Ramp */

typedef struct Ramp {
    real height, duration, offset, startTime;
} Ramp;

static inline void ramp_explicit(Ramp *c, Signal *y, Call call)
{
    real since = call.time - c->startTime;
    mask gradual = (mask)(c->duration > 0.0);
    real part = minimum(maximum(since / choose(gradual, c->duration, 1.0), 0.0), 1.0);
    real jump = choose(c->startTime <= call.event_time, 1.0, 0.0);
    y->y = c->offset + c->height * choose(gradual, part, jump);
}

#define CLASS    Ramp
#define PORTS(X) X(0, OUT, Signal)
#define EXPLICIT ramp_explicit
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ Sine */

typedef struct Sine {
    real amplitude, f, phase, offset, startTime;
} Sine;

static inline void sine_explicit(Sine *c, Signal *y, Call call)
{
    real since = call.time - c->startTime;
    real wave = sine(6.28318530717958647692 * c->f * since + c->phase);
    y->y = c->offset + choose(c->startTime <= call.event_time, c->amplitude * wave, 0.0);
}

#define CLASS    Sine
#define PORTS(X) X(0, OUT, Signal)
#define EXPLICIT sine_explicit
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ Gain, Add */

typedef struct Gain {
    real k;
} Gain;

static inline void gain_explicit(Gain *c, Signal *u, Signal *y, Call call)
{
    (void)call;
    y->y = c->k * u->y;
}

#define CLASS    Gain
#define PORTS(X) X(0, IN, Signal) X(1, OUT, Signal)
#define EXPLICIT gain_explicit
#include <lieder/kernels.inc>

typedef struct Add {
    real k1, k2;
} Add;

static inline void add_explicit(Add *c, Signal *u1, Signal *u2, Signal *y, Call call)
{
    (void)call;
    y->y = c->k1 * u1->y + c->k2 * u2->y;
}

#define CLASS    Add
#define PORTS(X) X(0, IN, Signal) X(1, IN, Signal) X(2, OUT, Signal)
#define EXPLICIT add_explicit
#include <lieder/kernels.inc>

/* ------------------------------------------------------------------ when they jump or bend */

/* Parameters in the order of the tables below. */
#define TIMES static __attribute__((unused))

TIMES double Step_next_time(const double *p, const LiederTable *table, double t)
{
    (void)table;
    return p[2] > t ? p[2] : INFINITY;
}

TIMES double Sine_next_time(const double *p, const LiederTable *table, double t)
{
    (void)table;
    return p[4] > t ? p[4] : INFINITY;
}

TIMES double Ramp_next_time(const double *p, const LiederTable *table, double t)
{
    (void)table;
    double start = p[3], end = p[3] + p[1];
    return start > t ? start : end > t ? end : INFINITY;
}

/* ------------------------------------------------------------------ the classes */

static const LiederPortDef source_ports[] = {PORT_OUTPUT("y", "output")};
static const LiederPortDef gain_ports[] = {PORT_INPUT("u", "input"), PORT_OUTPUT("y", "output")};
static const LiederPortDef add_ports[] = {PORT_INPUT("u1", "input"), PORT_INPUT("u2", "input"),
                                          PORT_OUTPUT("y", "output")};

#define START_TIME(class_) PARAMETER(class_, startTime, "s", 0, ANY, "time of the start")
#define OFFSET(class_)     PARAMETER(class_, offset, "", 0, ANY, "value before the start")

static const LiederMember constant_members[] = {PARAMETER(Constant, k, "", 1, ANY, "value")};
static const LiederMember step_members[] = {
    PARAMETER(Step, height, "", 1, ANY, "height of the step"), OFFSET(Step), START_TIME(Step)};
static const LiederMember ramp_members[] = {
    PARAMETER(Ramp, height, "", 1, ANY, "height of the ramp"),
    PARAMETER(Ramp, duration, "s", 2, AT_LEAST(0), "duration; 0 is a step"), OFFSET(Ramp),
    START_TIME(Ramp)};
static const LiederMember sine_members[] = {
    PARAMETER(Sine, amplitude, "", 1, ANY, "amplitude"),
    PARAMETER(Sine, f, "Hz", 1, ANY, "frequency"),
    PARAMETER(Sine, phase, "rad", 0, ANY, "phase at the start"), OFFSET(Sine), START_TIME(Sine)};
static const LiederMember gain_members[] = {PARAMETER(Gain, k, "", 1, ANY, "y = k u")};
static const LiederMember add_members[] = {PARAMETER(Add, k1, "", 1, ANY, "y = k1 u1 + k2 u2"),
                                           PARAMETER(Add, k2, "", 1, ANY, "y = k1 u1 + k2 u2")};

static const LiederClassDef signals_oracle[] = {
    LIBRARY_CLASS("OracleSignals.Constant", "A constant", source_ports, constant_members,
                  Constant_kernels),
    LIBRARY_CLASS("OracleSignals.Step", "A step", source_ports, step_members, Step_kernels,
                  .uses_time = true, .next_time = Step_next_time),
    LIBRARY_CLASS("OracleSignals.Ramp", "A ramp", source_ports, ramp_members, Ramp_kernels,
                  .uses_time = true, .next_time = Ramp_next_time),
    LIBRARY_CLASS("OracleSignals.Sine", "A sine", source_ports, sine_members, Sine_kernels,
                  .uses_time = true, .next_time = Sine_next_time),
    LIBRARY_CLASS("OracleSignals.Gain", "A factor", gain_ports, gain_members, Gain_kernels),
    LIBRARY_CLASS("OracleSignals.Add", "A weighted sum", add_ports, add_members, Add_kernels),
};

static inline LiederStatus signals_oracle_register(Lieder *session)
{
    LiederStatus status = LIEDER_DONE;
    for (int i = 0; i < LIEDER_COUNT(signals_oracle) && status == LIEDER_DONE; i++)
        status = lieder_class_register(session, &signals_oracle[i]);
    return status;
}

#endif
