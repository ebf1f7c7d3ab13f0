/* signals.c - Signals: the sources over time that are no Modelica text (library/Sources.mo has the
 * others), and why. A table has as many rows as a model gives it: blocks of a text are straight
 * lines, and its arrays have the sizes of the class. The pulses count periods: floor(time) of a
 * text is a number that an event changes, where this class computes it, so that no event has to be
 * located.
 *
 * Jumps are decided at call.event_time, the start of a step, so that the last stage of a step does
 * not see a jump that belongs to the next one; what is continuous follows call.time. */
#include <lieder/component.h>

#include "library/library.h"

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

/* ------------------------------------------------------------------ when they jump or bend */

/* Parameters in the order of the tables below. Exported models (src/fmi) call them by these names:
 * CLASS_next_time. */
#define TIMES static __attribute__((unused))

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
    /* a period below the rounding of times */
    return nperiod < 0 || first + 4 < nperiod ? nextafter(t, INFINITY) : INFINITY;
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

#define START_TIME(class_) PARAMETER(class_, startTime, "s", 0, ANY, "time of the start")
#define OFFSET(class_)     PARAMETER(class_, offset, "", 0, ANY, "value before the start")

static const LiederMember pulse_members[] = {
    PARAMETER(Pulse, amplitude, "", 1, ANY, "height of the pulses"),
    PARAMETER(Pulse, width, "", 50, BETWEEN(0, 100), "width in percent of the period"),
    PARAMETER(Pulse, period, "s", 1, AT_LEAST(1e-300), "period"),
    PARAMETER(Pulse, nperiod, "", -1, ANY, "number of pulses; negative: without end"),
    OFFSET(Pulse),
    START_TIME(Pulse)};
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

static const LiederClassDef classes[] = {
    LIBRARY_CLASS("Signals.Pulse", "Rectangular pulses", source_ports, pulse_members, Pulse_kernels,
                  .uses_time = true, .next_time = Pulse_next_time),
    LIBRARY_CLASS("Signals.TimeTable", "A table over time", source_ports, table_members,
                  TimeTable_kernels, .uses_time = true, .next_time = TimeTable_next_time,
                  .check_table = table_check),
};

const LiederClassList LIEDER_SYMBOL(library_signals) = {LIEDER_COUNT(classes), classes};
#endif
