/* lower_partition.c - which variables belong to the same clock, and when it ticks (Modelica 16.7).
 *
 * Variables that stand in one equation have one clock: connected sets, across relations, but not
 * across the operators of clocks. Intervals and first instants are fractions of a unit (seconds,
 * the interval of a Real clock, the ticks of an event clock), which subSample (interval times n),
 * superSample (divided by n), shiftSample and backSample (start plus or minus k/r intervals) carry
 * from set to set in both directions until nothing new is known. */
#include "front/lower/lower.h"

#include <stdio.h>
#include <string.h>

uint32_t clock_set(ClockParts *p, uint32_t v)
{
    while (p->set.items[v] != v)
        v = p->set.items[v] = p->set.items[p->set.items[v]];
    return v;
}

static void unite_sets(ClockParts *p, uint32_t a, uint32_t b)
{
    p->set.items[clock_set(p, a)] = clock_set(p, b);
}

/* ------------------------------------------------------------------ variables of a node */

typedef struct Walk {
    Lower *lower;
    ClockParts *parts;
    ClockVisit *visit;
    void *user;
} Walk;

/* visits the variable of a symbol: that of pre(v), those of a relation; not parameters */
static bool walk_symbol(void *user, uint64_t symbol, Node node)
{
    Walk *w = user;
    (void)node;
    if (symbol == CELL_TIME || is_seed(symbol) || is_bound_symbol(symbol))
        return true;
    uint32_t v = symbol_variable(symbol);
    const CellVariable *x = &w->lower->cell.variables.items[v];
    const CellEvents *e = &w->lower->cell.events;
    uint32_t side = w->parts->side_of.items[v];
    if (side)
        return clock_symbols(w->lower, w->parts,
                             side <= e->relations.n
                                 ? e->relations.items[side - 1].value
                                 : e->steps.items[side - 1 - e->relations.n].value,
                             w->visit, w->user);
    if (x->meaning == MEANING_PRE)
        v = x->of;
    else if (x->role == CELL_PARAMETER || x->role == CELL_INPUT ||
             (x->role == CELL_DISCRETE && x->meaning != MEANING_WHEN &&
              !w->parts->call_of.items[v] && !w->lower->variables.items[v].is_clock))
        return true;
    return w->visit(w->user, v, symbol_order(symbol));
}

bool clock_symbols(Lower *lower, ClockParts *parts, Node node, ClockVisit *visit, void *user)
{
    Walk w = {lower, parts, visit, user};
    return !node || graph_symbols(&lower->cell.graph, &node, 1, walk_symbol, &w);
}

typedef struct Joining {
    ClockParts *parts;
    uint32_t first;
} Joining;

static bool join_variable(void *user, uint32_t v, uint32_t order)
{
    Joining *j = user;
    (void)order;
    if (j->first == UINT32_MAX)
        j->first = v;
    unite_sets(j->parts, v, j->first);
    return true;
}

/* ------------------------------------------------------------------ sets */

static bool has_argument_in_set(ClockKind kind)
{
    return kind == CLOCK_PREVIOUS || kind == CLOCK_INTERVAL || kind == CLOCK_FIRST_TICK ||
           kind == CLOCK_SOLVER;
}

/* one set for what stands in an equation, with the clock of the clause around it. Clauses do not
 * stand inside each other, and their equations follow the order of the text */
static void join_all(Lower *lower, ClockParts *p)
{
    Cell *cell = &lower->cell;
    size_t body = 0;
    for (size_t i = 0; i < cell->equations.n; i++) {
        Joining j = {p, UINT32_MAX};
        clock_symbols(lower, p, cell->equations.items[i].left, join_variable, &j);
        clock_symbols(lower, p, cell->equations.items[i].right, join_variable, &j);
        while (body < lower->clock_bodies.n && lower->clock_bodies.items[body].end <= i)
            body++;
        if (j.first != UINT32_MAX && body < lower->clock_bodies.n &&
            lower->clock_bodies.items[body].first <= i)
            unite_sets(p, j.first, lower->clock_bodies.items[body].clock);
    }
    for (size_t i = 0; i < lower->clocks.n; i++) {
        const ClockOperator *c = &lower->clocks.items[i];
        if (c->clock != UINT32_MAX)
            unite_sets(p, c->result, c->clock);
        if (c->of == UINT32_MAX)
            continue;
        if (has_argument_in_set(c->kind))
            unite_sets(p, c->result, c->of);
        Joining j = {p, c->of};
        clock_symbols(lower, p, c->is, join_variable, &j);
    }
}

/* a set that is clocked; continuous: what sample reads and hold gives */
static void mark_all(Lower *lower, ClockParts *p)
{
    for (uint32_t v = 0; v < lower->variables.n; v++)
        if (lower->variables.items[v].is_clock)
            p->clocked.items[clock_set(p, v)] |= 1;
    for (size_t i = 0; i < lower->clocks.n; i++) {
        const ClockOperator *c = &lower->clocks.items[i];
        bool reads = c->kind == CLOCK_SAMPLE || c->kind == CLOCK_EVENT;
        p->clocked.items[clock_set(p, c->result)] |= c->kind == CLOCK_HOLD ? 2 : 1;
        if (c->of != UINT32_MAX)
            p->clocked.items[clock_set(p, c->of)] |= reads ? 2 : 1;
    }
}

/* reports sets that are clocked and continuous */
static bool check_marks(Lower *lower, ClockParts *p)
{
    bool good = true;
    for (size_t i = 0; i < lower->clocks.n && good; i++) {
        const ClockOperator *c = &lower->clocks.items[i];
        uint32_t of = c->kind == CLOCK_SAMPLE || c->kind == CLOCK_EVENT ? c->of : c->result;
        if (p->clocked.items[clock_set(p, of)] != 3)
            continue;
        report_error(lower->front, c->span, c->where,
                     "clocked and continuous variables stand in the same equations here\n"
                     "lead from one to the other by sample(u) or hold(u)");
        good = false;
    }
    return good;
}

/* ------------------------------------------------------------------ rates */

static long long gcd(long long a, long long b)
{
    while (b) {
        long long rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

typedef struct Fraction {
    long long a, b;
} Fraction;

static Fraction fraction_of(long double a, long double b)
{
    if (a > 9e18L || a < -9e18L || b > 9e18L)
        return (Fraction){0, 0}; /* too long */
    long long x = (long long)a, y = (long long)b, d = gcd(x, y);
    return d ? (Fraction){x / d, y / d} : (Fraction){0, 0};
}

static Fraction fraction_times(const long long x[2], long long a, long long b)
{
    return fraction_of((long double)x[0] * a, (long double)x[1] * b);
}

static Fraction fraction_plus(const long long x[2], Fraction y)
{
    return fraction_of((long double)x[0] * y.b + (long double)y.a * x[1], (long double)x[1] * y.b);
}

static ClockRate make_rate(const ClockRate *like, Fraction interval, Fraction start)
{
    ClockRate r = *like;
    r.interval[0] = interval.a;
    r.interval[1] = interval.b;
    r.start[0] = start.a;
    r.start[1] = start.b;
    return r;
}

/* the rate on one side of an operator from that on the other; forward: of its result */
static ClockRate rate_across(const ClockOperator *c, const ClockRate *from, bool forward)
{
    Fraction interval = {from->interval[0], from->interval[1]};
    Fraction start = {from->start[0], from->start[1]};
    bool slower = (c->kind == CLOCK_SUB) == forward;
    if (c->kind == CLOCK_SUB || c->kind == CLOCK_SUPER)
        interval = slower ? fraction_times(from->interval, c->count, 1)
                          : fraction_times(from->interval, 1, c->count);
    bool later = (c->kind == CLOCK_SHIFT) == forward;
    if (c->kind == CLOCK_SHIFT || c->kind == CLOCK_BACK)
        start = fraction_plus(
            from->start, fraction_times(from->interval, later ? c->count : -c->count, c->parts));
    return make_rate(from, interval, start);
}

static bool same_rate(const ClockRate *a, const ClockRate *b)
{
    return memcmp(a->interval, b->interval, sizeof a->interval) == 0 &&
           memcmp(a->start, b->start, sizeof a->start) == 0 && a->unit == b->unit &&
           a->event == b->event;
}

/* a rate in words */
static const char *rate_text(const Lower *lower, const ClockRate *r, char text[80])
{
    double unit = r->unit ? node_data(&lower->cell.graph, r->unit)->value : 1;
    double interval = unit * (double)r->interval[0] / (double)r->interval[1];
    double start = unit * (double)r->start[0] / (double)r->start[1];
    if (r->event)
        snprintf(text, 80, "one that ticks at every %g. event from %g on", interval, start);
    else
        snprintf(text, 80, "one of %g s from %g s on", interval, start);
    return text;
}

/* 1: new, 0: known, -1 after an error */
static int give_rate(Lower *lower, ClockParts *p, const ClockOperator *c, uint32_t v,
                     ClockRate rate)
{
    ClockRate *to = &p->rates.items[clock_set(p, v)];
    if (!rate.interval[1] || !rate.start[1] || rate.start[0] < 0 || rate.interval[0] <= 0) {
        report_error(lower->front, c->span, c->where,
                     rate.start[1] && rate.start[0] < 0
                         ? "this clock would begin before its base clock\nshift it by less"
                         : "the factors of the clocks are too large\nuse smaller ones");
        return -1;
    }
    if (to->known && !same_rate(to, &rate)) {
        char a[80], b[80];
        report_error(lower->front, c->span, c->where,
                     "two clocks belong to the same equations: %s, and %s\n"
                     "use subSample, superSample, shiftSample or hold and sample between them%s",
                     rate_text(lower, to, a), rate_text(lower, &rate, b),
                     to->unit == rate.unit
                         ? ""
                         : "; clocks of a Real interval are related by these alone, whatever their "
                           "numbers are");
        return -1;
    }
    if (to->known)
        return 0;
    rate.known = true;
    rate.method = to->method;
    *to = rate;
    return 1;
}

static bool relates(const ClockOperator *c)
{
    return c->kind == CLOCK_SHIFT || c->kind == CLOCK_BACK ||
           ((c->kind == CLOCK_SUB || c->kind == CLOCK_SUPER) && c->count > 0);
}

/* rates of constructors, then of everything that follows from these; false after an error */
static bool find_rates(Lower *lower, ClockParts *p)
{
    int changed = 1;
    for (uint32_t i = 0; i < lower->clocks.n; i++) {
        const ClockOperator *c = &lower->clocks.items[i];
        ClockRate rate = {.interval = {1, 1}, .start = {0, 1}};
        if (c->kind == CLOCK_SOLVER && *c->method)
            p->rates.items[clock_set(p, c->result)].method = c->method;
        if (c->kind == CLOCK_RATIONAL && c->count > 0) {
            long long d = gcd(c->count, c->parts);
            rate.interval[0] = c->count / d;
            rate.interval[1] = c->parts / d;
        } else if (c->kind == CLOCK_REAL) {
            rate.unit = c->number;
        } else if (c->kind == CLOCK_EVENT) {
            rate.event = i + 1;
        } else {
            continue;
        }
        if (give_rate(lower, p, c, c->result, rate) < 0)
            return false;
    }
    while (changed > 0) {
        changed = 0;
        for (size_t i = 0; i < lower->clocks.n; i++) {
            const ClockOperator *c = &lower->clocks.items[i];
            if (!relates(c))
                continue;
            ClockRate a = p->rates.items[clock_set(p, c->of)];
            ClockRate b = p->rates.items[clock_set(p, c->result)];
            int one = a.known   ? give_rate(lower, p, c, c->result, rate_across(c, &a, true))
                      : b.known ? give_rate(lower, p, c, c->of, rate_across(c, &b, false))
                                : 0;
            if (one < 0)
                return false;
            changed |= one;
        }
    }
    return true;
}

/* factors that are left out are whole numbers; each set has a clock */
static bool check_rates(Lower *lower, ClockParts *p)
{
    bool good = true;
    for (size_t i = 0; i < lower->clocks.n && good; i++) {
        const ClockOperator *c = &lower->clocks.items[i];
        if (c->kind == CLOCK_HOLD)
            continue;
        const ClockRate *b = &p->rates.items[clock_set(p, c->result)];
        bool sub = c->kind == CLOCK_SUB;
        if (!b->known) {
            report_error(lower->front, c->span, c->where,
                         "no clock is given for the equations that this belongs to, and none can "
                         "be inferred\ngive one: sample(u, Clock(0.1)), or a factor");
            good = false;
        } else if ((sub || c->kind == CLOCK_SUPER) && c->count == 0) {
            const ClockRate *a = &p->rates.items[clock_set(p, c->of)];
            const ClockRate *slow = sub ? b : a, *fast = sub ? a : b;
            Fraction q = a->known
                             ? fraction_times(slow->interval, fast->interval[1], fast->interval[0])
                             : (Fraction){0, 0};
            if (q.b == 1 && a->unit == b->unit && a->event == b->event)
                continue;
            report_error(lower->front, c->span, c->where,
                         "the factor of %s is no whole number that the clocks on both sides give\n"
                         "give the factor, or clocks whose intervals are multiples",
                         sub ? "subSample" : "superSample");
            good = false;
        } else if (b->event && (b->interval[1] != 1 || b->start[1] != 1)) {
            report_error(lower->front, c->span, c->where,
                         "a clock that events trigger cannot be made faster\nuse subSample");
            good = false;
        }
    }
    for (uint32_t v = 0; v < lower->cell.variables.n && good; v++) {
        if (p->clocked.items[clock_set(p, v)] != 1 || p->rates.items[clock_set(p, v)].known)
            continue;
        const CellVariable *x = &lower->cell.variables.items[v];
        diag_error(lower->front->diag, &x->place, NULL,
                   "no clock is given for '%s', and none can be inferred\n"
                   "give one: Clock c = Clock(0.1)",
                   x->name);
        lower->front->nwrong++;
        good = false;
    }
    return good;
}

/* methods of solvers reach sets that are connected by operators */
static void spread_methods(Lower *lower, ClockParts *p)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < lower->clocks.n; i++) {
            const ClockOperator *c = &lower->clocks.items[i];
            if (c->kind < CLOCK_SUB || c->kind > CLOCK_NO_CLOCK || c->of == UINT32_MAX)
                continue;
            ClockRate *a = &p->rates.items[clock_set(p, c->of)];
            ClockRate *b = &p->rates.items[clock_set(p, c->result)];
            if (!a->method == !b->method)
                continue;
            changed = true;
            *(a->method ? &b->method : &a->method) = a->method ? a->method : b->method;
        }
    }
}

/* the common denominator of all periodic clocks, by which ticks that fall together have the same
 * bits: products with it must be exact in a double */
static bool find_denominator(Lower *lower, ClockParts *p)
{
    p->denominator = 1;
    for (uint32_t v = 0; v < lower->cell.variables.n; v++) {
        const ClockRate *r = &p->rates.items[v];
        for (int k = 0; k < 2 && r->known && !r->event; k++) {
            long long d = p->denominator, b = k ? r->start[1] : r->interval[1];
            long long times = b / gcd(d, b), start = r->start[0] / r->start[1];
            long double most =
                (long double)d * times * (1 + start + (long double)r->interval[0] / r->interval[1]);
            if (most > 9007199254740992.0L) { /* 2^53 */
                diag_error(lower->front->diag, &lower->cell.variables.items[v].place, NULL,
                           "the intervals of the clocks have no common unit that is exact: one of "
                           "them is %lld/%lld\nuse clocks that are multiples of each other",
                           r->interval[0], r->interval[1]);
                lower->front->nwrong++;
                return false;
            }
            p->denominator = d * times;
        }
    }
    return true;
}

bool clock_partition(Lower *lower, ClockParts *p)
{
    const LiederAllocator *alloc = lower->front->alloc;
    const CellEvents *e = &lower->cell.events;
    size_t n = lower->cell.variables.n + 1;
    if (!vec_resize(alloc, &p->set, n) || !vec_resize(alloc, &p->clocked, n) ||
        !vec_resize(alloc, &p->rates, n) || !vec_resize(alloc, &p->call_of, n) ||
        !vec_resize(alloc, &p->side_of, n)) {
        lower->front->work.failed = true;
        return false;
    }
    for (uint32_t v = 0; v < n; v++)
        p->set.items[v] = v;
    for (uint32_t i = 0; i < lower->clocks.n; i++)
        p->call_of.items[lower->clocks.items[i].result] = i + 1;
    for (uint32_t i = 0; i < e->relations.n; i++)
        p->side_of.items[e->relations.items[i].variable] = i + 1;
    for (uint32_t i = 0; i < e->steps.n; i++)
        p->side_of.items[e->steps.items[i].variable] = (uint32_t)e->relations.n + i + 1;
    join_all(lower, p);
    mark_all(lower, p);
    if (!check_marks(lower, p) || !find_rates(lower, p) || !check_rates(lower, p) ||
        !find_denominator(lower, p))
        return false;
    spread_methods(lower, p);
    return true;
}

void clock_parts_drop(Lower *lower, ClockParts *p)
{
    const LiederAllocator *alloc = lower->front->alloc;
    vec_drop(alloc, &p->set);
    vec_drop(alloc, &p->clocked);
    vec_drop(alloc, &p->rates);
    vec_drop(alloc, &p->call_of);
    vec_drop(alloc, &p->side_of);
}
