/* history.h - what a variable was: the past of delay(expression, time) in a lane.
 *
 * A history is a row of segments, one for each accepted step: a polynomial through equidistant
 * points by its forward differences,
 *
 *   u(s) = d0 + m (d1 + (m - 1)/2 (d2 + (m - 2)/3 (d3 + ...))),   m = (s - begin) rate,
 *
 * and the times of its jumps. A number that events alone change has one segment for each value.
 * solve/events/history.c writes it; blocks read it by its address, which stands in a real of the
 * struct (component.h, HISTORY) as bits. No number that is computed has such bits: the upper 16 are
 * zero, so that a block that runs on any other numbers finds no history.
 *
 * At a jump the past has two values. Which one counts is decided where a step begins, as for all
 * jumps (Call.event_time), so blocks keep the time within
 * [real_history_from, real_history_until] of the time of decision.
 */
#ifndef LIEDER_HISTORY_H
#define LIEDER_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include <lieder/real.h>

enum { LIEDER_DIFFERENCES = 6 };

typedef struct LiederSegment {
    double begin, end, rate;
    double d[LIEDER_DIFFERENCES];
} LiederSegment;

typedef struct LiederHistory {
    double begin; /* what was before is the value there */
    int strict;   /* nothing is known after the last segment: NaN. Else its last value stays */
    size_t n, njump;
    const LiederSegment *segments; /* in the order of time */
    const double *jumps;
} LiederHistory;

#define LIEDER_LATE 1e300 /* no jump */

static inline const LiederHistory *lieder_history(double handle)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &handle, sizeof bits);
    return bits >> 48 ? NULL : (const LiederHistory *)(uintptr_t)bits;
}

static inline double lieder_no_number(void)
{
    const uint64_t bits = 0x7ff8000000000000;
    double x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

/* how many jumps are not after s */
static inline size_t lieder_jumps_until(const LiederHistory *h, double s)
{
    size_t low = 0, high = h->njump;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (h->jumps[middle] <= s)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* the last segment that begins not after s, or the first; there is one */
static inline const LiederSegment *lieder_segment_at(const LiederHistory *h, double s)
{
    size_t low = 0, high = h->n;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (h->segments[middle].begin <= s)
            low = middle;
        else
            high = middle;
    }
    return h->segments + low;
}

/* is the time of decision s in the history? */
static inline double lieder_history_ready(double handle, double s)
{
    const LiederHistory *h = lieder_history(handle);
    return h && h->n && s >= h->begin ? 1.0 : 0.0;
}

/* the last jump up to s */
static inline double lieder_history_from(double handle, double s)
{
    const LiederHistory *h = lieder_history(handle);
    size_t k = h ? lieder_jumps_until(h, s) : 0;
    return !h ? s : k ? h->jumps[k - 1] : h->begin;
}

/* the last time before the next jump after s */
static inline double lieder_history_until(double handle, double s)
{
    const LiederHistory *h = lieder_history(handle);
    size_t k = h ? lieder_jumps_until(h, s) : 0;
    uint64_t bits;
    if (!h || k == h->njump)
        return LIEDER_LATE;
    double x = h->jumps[k];
    __builtin_memcpy(&bits, &x, sizeof bits);
    bits = x > 0 ? bits - 1 : x < 0 ? bits + 1 : 0x8000000000000001;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

/* the segment of s and the place m in it; NULL: nothing is known there */
static inline const LiederSegment *lieder_history_find(double handle, double s, double *m)
{
    const LiederHistory *h = lieder_history(handle);
    if (!h || !h->n)
        return NULL;
    const LiederSegment *g = lieder_segment_at(h, s);
    double margin = 1e-9 * (g->end - g->begin) + 1e-13 * (s < 0 ? -s : s);
    if (s < g->begin - margin || (h->strict && s > g->end + margin))
        return NULL;
    s = s < g->begin ? g->begin : s > g->end ? g->end : s;
    *m = (s - g->begin) * g->rate;
    return g;
}

static inline double lieder_history_value(double handle, double s)
{
    double m = 0, y = 0;
    const LiederSegment *g = lieder_history_find(handle, s, &m);
    if (!g)
        return lieder_history(handle) ? lieder_no_number() : 0.0;
    for (int k = LIEDER_DIFFERENCES - 1; k > 0; k--)
        y = (g->d[k] + y) * (m - (double)(k - 1)) / (double)k;
    return g->d[0] + y;
}

/* its first or second derivative */
static inline double lieder_history_derivative(double handle, double s, int order)
{
    double m = 0, y = 0, slope = 0, curve = 0;
    const LiederSegment *g = lieder_history_find(handle, s, &m);
    if (!g)
        return lieder_history(handle) ? lieder_no_number() : 0.0;
    for (int k = LIEDER_DIFFERENCES - 1; k > 0; k--) {
        double factor = m - (double)(k - 1);
        curve = (2 * slope + curve * factor) / (double)k;
        slope = ((g->d[k] + y) + slope * factor) / (double)k;
        y = (g->d[k] + y) * factor / (double)k;
    }
    return order == 1 ? slope * g->rate : curve * g->rate * g->rate;
}

static inline double lieder_history_slope(double handle, double s)
{
    return lieder_history_derivative(handle, s, 1);
}

static inline double lieder_history_curve(double handle, double s)
{
    return lieder_history_derivative(handle, s, 2);
}

/* lane by lane */
#define LIEDER_HISTORY_LANES(name)                                                                 \
    static inline __attribute__((unused)) real real_history_##name(real handle, real s)            \
    {                                                                                              \
        double a[LIEDER_LANES], b[LIEDER_LANES];                                                   \
        __builtin_memcpy(a, &handle, sizeof handle);                                               \
        __builtin_memcpy(b, &s, sizeof s);                                                         \
        for (int i = 0; i < LIEDER_LANES; i++)                                                     \
            b[i] = lieder_history_##name(a[i], b[i]);                                              \
        __builtin_memcpy(&s, b, sizeof s);                                                         \
        return s;                                                                                  \
    }
LIEDER_HISTORY_LANES(ready)
LIEDER_HISTORY_LANES(from)
LIEDER_HISTORY_LANES(until)
LIEDER_HISTORY_LANES(value)
LIEDER_HISTORY_LANES(slope)
LIEDER_HISTORY_LANES(curve)

#endif
