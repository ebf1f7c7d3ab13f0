/* signals.c - Signals: sources over time and simple arithmetic, all explicit.
 *
 * Jumps are decided at call.event_time, the start of a step, so that the last stage of a step does
 * not see a jump that belongs to the next one; what is continuous follows call.time. */
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

/* ------------------------------------------------------------------ Pulse */

typedef struct Pulse {
    real amplitude, width, period, nperiod, offset, startTime;
} Pulse;

/* greatest whole number that is not above x */
static inline real whole(real x)
{
    mask bits;
    real n = real_round(x, &bits);
    return choose(n > x, n - 1.0, n);
}

static inline void pulse_explicit(Pulse *c, Signal *y, Call call)
{
    real since = call.event_time - c->startTime;
    real count = whole(since / c->period);
    real phase = since - count * c->period;
    mask on = (mask)(since >= 0.0) & (mask)(phase < 0.01 * c->width * c->period);
    on = on & ((mask)(c->nperiod < 0.0) | (mask)(count < c->nperiod));
    y->y = c->offset + choose(on, c->amplitude, 0.0);
}

#define CLASS    Pulse
#define PORTS(X) X(0, OUT, Signal)
#define EXPLICIT pulse_explicit
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

/* ------------------------------------------------------------------ TimeTable */

typedef struct TimeTable {
    TableSlot table;
} TimeTable;

/* how many rows of a table have a time up to t; times do not fall */
static inline size_t table_passed(const LiederTable *table, double t)
{
    size_t low = 0, high = table->rows;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->data[2 * middle] <= t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* linear in between, constant beyond the ends; two rows of one time are a jump */
static inline double table_value(const LiederTable *t, double time, double event_time)
{
    size_t passed = table_passed(t, event_time);
    const double *row = t->data + 2 * (passed > 0 ? passed - 1 : 0);
    const double *last = t->data + 2 * (t->rows - 1);
    double value = row[1];
    if (row < last && time > row[0])
        value += (row[3] - row[1]) * fmin((time - row[0]) / (row[2] - row[0]), 1.0);
    return value;
}

/* lanes share the table; they share the time as well unless they have clocks of their own */
static inline void table_explicit(TimeTable *c, Signal *y, Call call)
{
    const LiederTable *t = c->table.table;
    double value = 0;
    for (int l = 0; l < LIEDER_LANES; l++) {
        double time = LIEDER_LANE(call.time, l), event_time = LIEDER_LANE(call.event_time, l);
        if (l == 0 || time != LIEDER_LANE(call.time, l - 1) ||
            event_time != LIEDER_LANE(call.event_time, l - 1))
            value = table_value(t, time, event_time);
        LIEDER_LANE(y->y, l) = value;
    }
}

#define CLASS    TimeTable
#define PORTS(X) X(0, OUT, Signal)
#define EXPLICIT table_explicit
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

/* Parameters in the order of the tables below. Exported models (src/fmi) call them by these names:
 * CLASS_next_time. */
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

TIMES double Pulse_next_time(const double *p, const LiederTable *table, double t)
{
    (void)table;
    double width = 0.01 * p[1] * p[2], period = p[2], nperiod = p[3], start = p[5];
    /* from the period before t on, to be safe against rounding */
    double first = fmax(floor((t - start) / period) - 1, 0);
    for (double k = first; k < first + 4; k++) {
        if (nperiod >= 0 && k >= nperiod)
            return INFINITY;
        if (start + k * period > t)
            return start + k * period;
        if (start + k * period + width > t)
            return start + k * period + width;
    }
    return INFINITY;
}

TIMES double TimeTable_next_time(const double *p, const LiederTable *table, double t)
{
    (void)p;
    size_t passed = table_passed(table, t);
    return passed < table->rows ? table->data[2 * passed] : INFINITY;
}

#ifndef LIEDER_BLOCKS_ONLY
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
static const LiederMember pulse_members[] = {
    PARAMETER(Pulse, amplitude, "", 1, ANY, "height of the pulses"),
    PARAMETER(Pulse, width, "", 50, BETWEEN(0, 100), "width in percent of the period"),
    PARAMETER(Pulse, period, "s", 1, AT_LEAST(1e-300), "period"),
    PARAMETER(Pulse, nperiod, "", -1, ANY, "number of pulses; negative: without end"),
    OFFSET(Pulse),
    START_TIME(Pulse)};
static const LiederMember ramp_members[] = {
    PARAMETER(Ramp, height, "", 1, ANY, "height of the ramp"),
    PARAMETER(Ramp, duration, "s", 2, AT_LEAST(0), "duration; 0 is a step"), OFFSET(Ramp),
    START_TIME(Ramp)};
static const LiederMember sine_members[] = {
    PARAMETER(Sine, amplitude, "", 1, ANY, "amplitude"),
    PARAMETER(Sine, f, "Hz", 1, ANY, "frequency"),
    PARAMETER(Sine, phase, "rad", 0, ANY, "phase at the start"), OFFSET(Sine), START_TIME(Sine)};
static const LiederMember table_members[] = {
    TABLE(TimeTable, table, "", "rows of time and value, linear in between")};
static const char *table_check(const LiederTable *table, size_t *row)
{
    for (size_t i = 1; i < table->rows; i++)
        if (table->data[2 * i] < table->data[2 * i - 2]) {
            *row = i;
            return "times must not decrease";
        }
    return table->rows > 1 ? NULL : "a table over time needs at least two rows";
}
static const LiederMember gain_members[] = {PARAMETER(Gain, k, "", 1, ANY, "y = k u")};
static const LiederMember add_members[] = {PARAMETER(Add, k1, "", 1, ANY, "y = k1 u1 + k2 u2"),
                                           PARAMETER(Add, k2, "", 1, ANY, "y = k1 u1 + k2 u2")};

static const LiederClassDef classes[] = {
    LIBRARY_CLASS("Signals.Constant", "A constant", source_ports, constant_members,
                  Constant_kernels),
    LIBRARY_CLASS("Signals.Step", "A step", source_ports, step_members, Step_kernels,
                  .uses_time = true, .next_time = Step_next_time),
    LIBRARY_CLASS("Signals.Pulse", "Rectangular pulses", source_ports, pulse_members, Pulse_kernels,
                  .uses_time = true, .next_time = Pulse_next_time),
    LIBRARY_CLASS("Signals.Ramp", "A ramp", source_ports, ramp_members, Ramp_kernels,
                  .uses_time = true, .next_time = Ramp_next_time),
    LIBRARY_CLASS("Signals.Sine", "A sine", source_ports, sine_members, Sine_kernels,
                  .uses_time = true, .next_time = Sine_next_time),
    LIBRARY_CLASS("Signals.TimeTable", "A table over time", source_ports, table_members,
                  TimeTable_kernels, .uses_time = true, .next_time = TimeTable_next_time,
                  .check_table = table_check),
    LIBRARY_CLASS("Signals.Gain", "A factor", gain_ports, gain_members, Gain_kernels),
    LIBRARY_CLASS("Signals.Add", "A weighted sum", add_ports, add_members, Add_kernels),
};

const LiederClassList LIEDER_SYMBOL(library_signals) = {LIEDER_COUNT(classes), classes};
#endif
