/* history.c - the past of delayed variables, as src/solve/events/history.c keeps it for fixed
 * steps.
 *
 * A lane has a history of each delayed variable (lieder/history.h), whose address is a number of
 * its memory. It grows by a cubic in every step, through states and slopes at both ends, and by a
 * value where only events change it. A jump arrives after the delay as an event, and so does the
 * begin of the run, where the past bends. Segments farther back than the longest delay are
 * forgotten. */
#include "fmu.h"

#include <math.h>
#include <stdio.h>

#include <lieder/history.h>

enum { POINTS = 4, HEAD = 6 };

struct Past {
    LiederHistory shared; /* what blocks read; first: memory has its address */
    LiederSegment *segments;
    double *jumps;
    size_t segment_room, jump_room;
    double end, last; /* up to where it is known, and the value there */
    double seen;      /* jumps that arrive up to here have had their event */
    double delay, most;
    double now[3]; /* value, delay and longest delay at the last point */
    double points[POINTS];
    ShapeValues *s;
    const FmuMemory *memory;
    size_t number, lane;
};

static size_t count_pasts(const Values *v, size_t shape)
{
    size_t n = 0;
    for (size_t k = 0; k < v->shapes[shape].shape->nmemory; k++)
        n += v->shapes[shape].shape->memories[k].kind == FMU_PAST;
    return n;
}

bool pasts_create(Values *v)
{
    size_t at = 0;
    for (size_t i = 0; i < fmu_nshape; i++)
        v->npast += count_pasts(v, i) * v->shapes[i].nlane;
    v->pasts = calloc(v->npast + 1, sizeof *v->pasts);
    v->before = v->npast ? calloc(4 * v->nstate + 1, sizeof *v->before) : NULL;
    if (!v->pasts || (v->npast && !v->before))
        return false;
    for (size_t i = 0; i < fmu_nshape; i++) {
        ShapeValues *s = &v->shapes[i];
        for (size_t k = 0; k < s->shape->nmemory; k++)
            for (size_t lane = 0; s->shape->memories[k].kind == FMU_PAST && lane < s->nlane;
                 lane++) {
                const FmuMemory *m = &s->shape->memories[k];
                v->pasts[at++] = (Past){.shared.strict = m->varies && !m->stepwise,
                                        .s = s,
                                        .memory = m,
                                        .number = k,
                                        .lane = lane};
            }
    }
    return true;
}

void pasts_drop(Values *v)
{
    for (size_t i = 0; v->pasts && i < v->npast; i++) {
        free(v->pasts[i].segments);
        free(v->pasts[i].jumps);
    }
    free(v->pasts);
    free(v->before);
}

/* ------------------------------------------------------------------ growing */

/* room for one more; false: no memory */
static bool make_room(void **list, size_t *room, size_t n, size_t size)
{
    if (n < *room)
        return true;
    size_t more = *room ? 2 * *room : 16;
    void *longer = realloc(*list, more * size);
    if (!longer)
        return false;
    *list = longer;
    *room = more;
    return true;
}

/* forgets segments and jumps that no delay reaches, once they are half of all */
static void forget(Past *p)
{
    double oldest = p->end - p->most * (1 + 1e-9) - 1e-12 * fabs(p->end);
    size_t gone = 0, jumps = 0, n = p->shared.n;
    while (gone + 1 < n && p->segments[gone].end < oldest)
        gone++;
    if (2 * gone < n || n < 16)
        return;
    while (jumps < p->shared.njump && p->jumps[jumps] < oldest)
        jumps++;
    memmove(p->segments, p->segments + gone, (n - gone) * sizeof *p->segments);
    p->shared.n -= gone;
    if (jumps)
        memmove(p->jumps, p->jumps + jumps, (p->shared.njump - jumps) * sizeof *p->jumps);
    p->shared.njump -= jumps;
}

static bool add_segment(Past *p, LiederSegment g)
{
    forget(p);
    if (!make_room((void **)&p->segments, &p->segment_room, p->shared.n, sizeof g))
        return false;
    p->segments[p->shared.n++] = g;
    p->shared.segments = p->segments;
    return true;
}

static bool add_jump(Past *p, double t)
{
    if (!make_room((void **)&p->jumps, &p->jump_room, p->shared.njump, sizeof t))
        return false;
    p->jumps[p->shared.njump++] = t;
    p->shared.jumps = p->jumps;
    return true;
}

/* a value that stays from t on, until the next one */
static bool add_value(Past *p, double t, double value)
{
    LiederSegment g = {.begin = t, .end = p->memory->stepwise ? LIEDER_LATE : t, .d = {value}};
    if (p->shared.n && p->memory->stepwise)
        p->segments[p->shared.n - 1].end = t;
    return add_segment(p, g);
}

/* the polynomial through n values at equal distances */
static LiederSegment segment_through(double begin, double end, const double *values, int n)
{
    LiederSegment g = {.begin = begin, .end = end, .rate = (double)(n - 1) / (end - begin)};
    memcpy(g.d, values, (size_t)n * sizeof(double));
    for (int order = 1; order < n; order++)
        for (int k = n - 1; k >= order; k--)
            g.d[k] -= g.d[k - 1];
    return g;
}

/* variables and delays at (t, x) */
static void read_delays(Values *v, double t, double decided, const double *x)
{
    for (size_t i = 0; i < v->npast; i++) {
        Past *p = &v->pasts[i];
        lane_explicit(v, p->s, p->lane, x + p->s->first_state + p->lane, p->s->nlane,
                      call_at(t, decided, false));
        memcpy(p->now, &p->s->full[p->memory->next], sizeof p->now);
    }
}

static bool no_memory(Values *v)
{
    snprintf(v->wrong, sizeof v->wrong, "out of memory");
    return false;
}

/* false: the step does not fit to the delay */
static bool take_delay(Values *v, Past *p)
{
    p->delay = p->now[1];
    p->most = fmax(p->delay, p->now[2]);
    if (p->memory->varies || (p->delay >= 0 && fmu_finite(p->delay) &&
                              (p->delay == 0 || fmu_step <= p->delay * (1 + 1e-9))))
        return true;
    snprintf(v->wrong, sizeof v->wrong, "a step of %g s does not fit to a delay of %g s", fmu_step,
             p->delay);
    return false;
}

bool pasts_begin(Values *v)
{
    read_delays(v, v->t, v->event_time, v->x);
    for (size_t i = 0; i < v->npast; i++) {
        Past *p = &v->pasts[i];
        p->shared.n = p->shared.njump = 0;
        p->shared.begin = p->end = v->t;
        p->seen = v->event_time;
        p->last = p->now[0];
        if (!take_delay(v, p))
            return false;
        if (!add_value(p, v->t, p->last))
            return no_memory(v);
    }
    return true;
}

/* derivatives of all shapes that have a past */
static bool slopes(Values *v, double t, double decided, const double *x, double *dx)
{
    for (size_t i = 0; i < fmu_nshape; i++) {
        ShapeValues *s = &v->shapes[i];
        size_t n = s->nlane;
        if (count_pasts(v, i) && s->shape->nstate &&
            !lanes_derivatives(v, s, t, decided, 0, n, x + s->first_state, n, dx + s->first_state,
                               n))
            return false;
    }
    return true;
}

/* adds the segment of a step, whose points are known */
static bool add_step(Values *v, double t)
{
    for (size_t i = 0; i < v->npast; i++) {
        Past *p = &v->pasts[i];
        if (!take_delay(v, p))
            return false;
        if (p->memory->stepwise || !(t > p->end))
            continue;
        p->points[0] = p->last;
        if (!add_segment(p, segment_through(p->end, t, p->points, POINTS)))
            return no_memory(v);
        p->last = p->points[POINTS - 1];
        p->end = t;
    }
    return true;
}

static void keep_points(Values *v, int k)
{
    for (size_t i = 0; i < v->npast; i++)
        v->pasts[i].points[k] = v->pasts[i].now[0];
}

static bool any_continuous(const Values *v)
{
    for (size_t i = 0; i < v->npast; i++)
        if (!v->pasts[i].memory->stepwise)
            return true;
    return false;
}

bool pasts_step(Values *v, double from, double t, double decided)
{
    size_t n = v->nstate;
    double h = t - from, *begin = v->before, *x = begin + n, *f0 = x + n, *f1 = f0 + n;
    const double *end = v->x;
    if (!any_continuous(v))
        return true;
    if (!slopes(v, from, decided, begin, f0) || !slopes(v, t, decided, end, f1))
        return false;
    for (int k = 1; k < POINTS - 1; k++) {
        double a = (double)k / (POINTS - 1), b = 1 - a;
        for (size_t i = 0; i < n; i++)
            x[i] = b * begin[i] + a * end[i] +
                   a * b * ((a - b) * (end[i] - begin[i]) + h * (b * f0[i] - a * f1[i]));
        read_delays(v, from + a * h, decided, x);
        keep_points(v, k);
    }
    read_delays(v, t, decided, end);
    keep_points(v, POINTS - 1);
    return add_step(v, t);
}

bool pasts_event(Values *v)
{
    read_delays(v, v->t, v->event_time, v->x);
    for (size_t i = 0; i < v->npast; i++) {
        Past *p = &v->pasts[i];
        if (!take_delay(v, p))
            return false;
        p->seen = v->event_time;
        if (p->memory->stepwise)
            p->end = v->t;
        if (p->now[0] == p->last)
            continue;
        p->last = p->now[0];
        if (!add_jump(p, v->t) || !add_value(p, v->t, p->last))
            return no_memory(v);
    }
    return true;
}

/* ------------------------------------------------------------------ reading */

double past_address(const Values *v, const ShapeValues *s, size_t number, size_t lane)
{
    double bits = 0;
    for (size_t i = 0; i < v->npast; i++) {
        const Past *p = &v->pasts[i];
        uint64_t address = (uintptr_t)&p->shared;
        if (p->s == s && p->number == number && p->lane == lane)
            memcpy(&bits, &address, sizeof bits);
    }
    return bits;
}

bool past_is_due(const Values *v, double handle)
{
    const Past *p = (const Past *)lieder_history(handle);
    if (!p || p->memory->varies || p->shared.n == 0)
        return false;
    double begin = p->shared.begin + p->delay;
    if (!p->memory->stepwise && begin > p->seen)
        return begin <= v->event_time;
    for (size_t k = 0; k < p->shared.njump; k++)
        if (p->jumps[k] + p->delay > p->seen)
            return p->jumps[k] + p->delay <= v->event_time;
    return false;
}

/* ------------------------------------------------------------------ copies of the state */

enum { SEGMENT = sizeof(LiederSegment) / sizeof(double) };

size_t pasts_size(const Values *v)
{
    size_t n = 0;
    for (size_t i = 0; i < v->npast; i++)
        n += HEAD + v->pasts[i].shared.n * SEGMENT + v->pasts[i].shared.njump;
    return n;
}

double *pasts_write(const Values *v, double *to)
{
    double *memory = to - v->nmark - v->nmemory; /* as state.c has written it */
    for (size_t i = 0; i < v->npast; i++) {
        const Past *p = &v->pasts[i];
        size_t n = p->shared.n * SEGMENT, jumps = p->shared.njump;
        /* an address is no part of a state: equal states are equal bytes */
        memory[p->s->first_memory + p->number * p->s->nlane + p->lane] = 0;
        const double head[HEAD] = {p->shared.begin,     p->end,       p->last, p->seen,
                                   (double)p->shared.n, (double)jumps};
        memcpy(to, head, sizeof head);
        to += HEAD;
        if (n)
            memcpy(to, p->segments, n * sizeof *to);
        to += n;
        if (jumps)
            memcpy(to, p->jumps, jumps * sizeof *to);
        to += jumps;
    }
    return to;
}

/* the numbers have been checked by pasts_length */
const double *pasts_read(Values *v, const double *from)
{
    for (size_t i = 0; i < v->npast; i++) {
        Past *p = &v->pasts[i];
        const double *head = from;
        size_t n = (size_t)head[4], jumps = (size_t)head[5];
        from += HEAD;
        p->shared.begin = head[0];
        p->end = head[1];
        p->last = head[2];
        p->seen = head[3];
        p->shared.n = p->shared.njump = 0;
        for (size_t k = 0; k < n; k++, from += SEGMENT) {
            LiederSegment g;
            memcpy(&g, from, sizeof g);
            if (!make_room((void **)&p->segments, &p->segment_room, p->shared.n, sizeof g))
                return NULL;
            p->segments[p->shared.n++] = g;
        }
        p->shared.segments = p->segments;
        for (size_t k = 0; k < jumps; k++)
            if (!add_jump(p, *from++))
                return NULL;
        v->memory[p->s->first_memory + p->number * p->s->nlane + p->lane] =
            past_address(v, p->s, p->number, p->lane);
    }
    return from;
}

size_t pasts_length(const Values *v, const double *numbers, size_t n)
{
    size_t at = 0;
    for (size_t i = 0; i < v->npast; i++) {
        if (n - at < HEAD)
            return n + 1;
        const double *head = numbers + at;
        for (size_t k = 0; k < HEAD; k++)
            if (!fmu_finite(head[k]))
                return n + 1;
        at += HEAD;
        if (!(head[4] >= 0 && head[4] <= (double)(n - at) / SEGMENT && head[5] >= 0 &&
              head[5] <= (double)(n - at) - head[4] * SEGMENT))
            return n + 1;
        at += (size_t)head[4] * SEGMENT + (size_t)head[5];
    }
    return at;
}
