/* lower_tick.c - clocked equations as what happens at events.
 *
 * A clocked variable x is memory that the ticks of its clock set. What it is at a tick is a hidden
 * variable x', which the equations of the text decide:
 *
 *   x = if tick then x' else pre(x)     equations in x', solved like any others (cell.h)
 *   previous(x)                          pre(x), which is the start value at the first tick
 *   hold(x), subSample(x), ...           x: what it was set to last
 *   sample(u)                            pre(u): the left limit
 *   relations, floor                     are computed where they stand: no events
 *
 * so that a loop of clocked equations is a system of the cell, and clocks that tick together are
 * sorted with the clauses of the event block. Ticks of a periodic clock are at
 * t0 + (s + k d) u / n with whole numbers s, d, n and the unit u, one product and one quotient:
 * ticks that fall together have the same bits. An event clock ticks with edge(pre(condition)), its
 * sub-clocks count these.
 *
 * der(x) is a hidden variable, too, and the method of the solver gives one more equation, with the
 * interval h: x' = pre(x) + h der, where der is that of the last tick (ExplicitEuler), of this one
 * (ImplicitEuler) or the mean (ImplicitTrapezoid). At the first tick an initial equation holds in
 * its place, or x' = pre(x). */
#include "front/lower/lower.h"

#include <stdio.h>
#include <string.h>

/* one clock: all sets with the same rate */
typedef struct Tick {
    ClockRate rate;
    Node fires, first, interval;
} Tick;

typedef struct Ticks {
    Lower *lower;
    ClockParts parts;
    VEC(Tick) all;
    VEC(uint32_t) inner; /* by variable: 1 + what it is at a tick */
    VEC(uint32_t) rate;  /* by variable: 1 + its hidden derivative */
    VEC(uint32_t) last;  /* by variable: 1 + the memory of that */
    Node origin;
    bool outside;    /* requests: variables are read as they are held */
    bool has_second; /* a second derivative was reported */
} Ticks;

static bool is_in(Ticks *t, uint32_t v)
{
    return v < t->parts.clocked.n && t->parts.clocked.items[clock_set(&t->parts, v)] == 1;
}

/* ------------------------------------------------------------------ ticks */

static uint32_t new_memory(Lower *lower, const char *what, CellMeaning meaning, LiederType type)
{
    uint32_t v = lower_hidden(lower, meaning, what, lower->cell.events.memories.n + 1,
                              lower->clocks.items[0].span);
    if (v != UINT32_MAX)
        lower->cell.variables.items[v].type = type;
    return v;
}

static void keep_memory(Lower *lower, uint32_t v, Node next)
{
    if (v != UINT32_MAX && next)
        lower_memory(lower, (CellMemory){.variable = v,
                                         .next = next,
                                         .place = lower->cell.variables.items[v].place});
    else
        lower->front->work.failed = true;
}

static Node engine_value(Lower *lower, CellMeaning meaning)
{
    Node node = cell_flag(&lower->cell, meaning);
    lower_sync(lower);
    return node;
}

/* the time at which the run began */
static Node origin_of(Ticks *t)
{
    Lower *lower = t->lower;
    if (!t->origin) {
        uint32_t v = new_memory(lower, "start time", MEANING_MEMORY, LIEDER_TYPE_REAL);
        t->origin = cell_variable(&lower->cell, v, 0);
        keep_memory(lower, v,
                    node_select(&lower->cell.graph, engine_value(lower, MEANING_INITIAL),
                                cell_time(&lower->cell), t->origin));
    }
    return t->origin;
}

/* where a periodic clock ticks: a counter in memory, as that of sample(start, interval) */
static Node periodic(Ticks *t, const ClockRate *r)
{
    Lower *lower = t->lower;
    Graph *g = &lower->cell.graph;
    double d = (double)t->parts.denominator;
    double s = (double)r->start[0] * (d / (double)r->start[1]);
    double i = (double)r->interval[0] * (d / (double)r->interval[1]);
    Node unit = r->unit ? r->unit : node_constant(g, 1);
    uint32_t v = new_memory(lower, "ticks", MEANING_MEMORY, LIEDER_TYPE_INTEGER);
    Node count = cell_variable(&lower->cell, v, 0), origin = origin_of(t), at[2];
    Node initial = lower_initial_flag(lower);
    Node fires = NO_NODE, next = count;
    for (int k = 0; k < 2; k++) {
        if (k) {
            Node early =
                node_make(g, NODE_LESS, engine_value(lower, MEANING_EVENT_TIME), at[0], NO_NODE);
            fires = lower_and(g, lower_not(g, early), lower_not(g, initial));
            next = node_select(g, engine_value(lower, MEANING_INITIAL), node_constant(g, 0),
                               node_add(g, count, fires));
        }
        Node m = node_add(g, node_constant(g, s), node_multiply(g, next, node_constant(g, i)));
        at[k] = node_add(g, origin, node_divide(g, node_multiply(g, m, unit), node_constant(g, d)));
    }
    keep_memory(lower, v, next);
    if (!at[1] || !vec_push(lower->cell.alloc, &lower->cell.events.timers, at[1]))
        lower->front->work.failed = true;
    return fires;
}

/* where an event clock ticks: edge(pre(condition)), which is the start value of the condition while
 * the run is initialised; its sub-clocks count */
static Node by_event(Ticks *t, const ClockRate *r)
{
    Lower *lower = t->lower;
    Graph *g = &lower->cell.graph;
    const ClockOperator *c = &lower->clocks.items[r->event - 1];
    Node initial = lower_initial_flag(lower);
    uint32_t named = lower_variable_of(lower, c->is);
    bool has_start = named != UINT32_MAX && lower->variables.items[named].member;
    Node before = lower_pre_of(lower, has_start ? named : c->of, c->span);
    uint32_t q = new_memory(lower, "condition", MEANING_MEMORY, LIEDER_TYPE_BOOLEAN);
    Node held = cell_variable(&lower->cell, q, 0);
    keep_memory(lower, q, before);
    Node fires = lower_and(g, lower_and(g, before, lower_not(g, held)), lower_not(g, initial));
    if (r->interval[0] == 1 && r->start[0] == 0)
        return fires;
    uint32_t v = new_memory(lower, "ticks", MEANING_MEMORY, LIEDER_TYPE_INTEGER);
    Node count = cell_variable(&lower->cell, v, 0);
    keep_memory(lower, v,
                node_select(g, engine_value(lower, MEANING_INITIAL), node_constant(g, 0),
                            node_add(g, count, fires)));
    Node since = node_subtract(g, count, node_constant(g, (double)r->start[0]));
    Node step = node_constant(g, (double)r->interval[0]);
    Node whole =
        node_multiply(g, step, node_call(g, FUNCTION_FLOOR, node_divide(g, since, step), NO_NODE));
    Node hits = node_make(g, NODE_EQUAL, since, whole, NO_NODE);
    Node begun = lower_not(g, node_make(g, NODE_LESS, since, node_constant(g, 0), NO_NODE));
    return lower_and(g, fires, lower_and(g, hits, begun));
}

/* h: the interval that the clock has, or since its last tick */
static Node interval_of(Ticks *t, const ClockRate *r, Node fires, Node first)
{
    Lower *lower = t->lower;
    Graph *g = &lower->cell.graph;
    if (!r->event) {
        Node unit = r->unit ? r->unit : node_constant(g, 1);
        return node_divide(g, node_multiply(g, node_constant(g, (double)r->interval[0]), unit),
                           node_constant(g, (double)r->interval[1]));
    }
    uint32_t v = new_memory(lower, "last tick", MEANING_MEMORY, LIEDER_TYPE_REAL);
    Node last = cell_variable(&lower->cell, v, 0), now = cell_time(&lower->cell);
    keep_memory(lower, v, node_select(g, fires, now, last));
    Node given = lower->clocks.items[r->event - 1].number;
    return node_select(g, first, given ? given : node_constant(g, 0), node_subtract(g, now, last));
}

/* the clock of a set of variables, made where it is the first with that rate; fires is NO_NODE
 * where memory ran out */
static Tick tick_of(Ticks *t, uint32_t v)
{
    Lower *lower = t->lower;
    Graph *g = &lower->cell.graph;
    ClockRate rate = t->parts.rates.items[clock_set(&t->parts, v)];
    for (size_t i = 0; i < t->all.n; i++) {
        const ClockRate *o = &t->all.items[i].rate;
        if (memcmp(o->interval, rate.interval, sizeof rate.interval) == 0 &&
            memcmp(o->start, rate.start, sizeof rate.start) == 0 && o->unit == rate.unit &&
            o->event == rate.event)
            return t->all.items[i];
    }
    Node fires = rate.event ? by_event(t, &rate) : periodic(t, &rate);
    uint32_t clause =
        lower_hidden(lower, MEANING_FIRES, "tick", t->all.n + 1, lower->clocks.items[0].span);
    uint32_t ticked = new_memory(lower, "ticked", MEANING_MEMORY, LIEDER_TYPE_BOOLEAN);
    if (clause == UINT32_MAX || ticked == UINT32_MAX)
        return (Tick){0};
    Node done = cell_variable(&lower->cell, ticked, 0);
    CellWhen when = {clause, fires, span_place(lower->clocks.items[0].span)};
    Tick tick = {
        .rate = rate, .fires = cell_variable(&lower->cell, clause, 0), .first = lower_not(g, done)};
    keep_memory(lower, ticked,
                node_select(g, engine_value(lower, MEANING_INITIAL), node_constant(g, 0),
                            lower_or(g, done, tick.fires)));
    tick.interval = interval_of(t, &rate, tick.fires, tick.first);
    if (!vec_push(lower->cell.alloc, &lower->cell.events.whens, when) ||
        !vec_push(lower->front->alloc, &t->all, tick))
        lower->front->work.failed = true;
    return lower->front->work.failed ? (Tick){0} : tick;
}

/* ------------------------------------------------------------------ variables */

/* a hidden variable beside another one; UINT32_MAX: memory ran out */
static uint32_t variable_beside(Ticks *t, uint32_t v, CellRole role, const char *form)
{
    Lower *lower = t->lower;
    CellVariable x = lower->cell.variables.items[v];
    char name[330];
    snprintf(name, sizeof name, form, x.name);
    CellVariable other = {.name = arena_text(&lower->front->work, name, strlen(name)),
                          .place = x.place,
                          .role = role,
                          .meaning = role == CELL_DISCRETE ? MEANING_WHEN : MEANING_NONE,
                          .select = SELECT_DEFAULT,
                          .type = x.type,
                          .unit = x.unit,
                          .is_hidden = true,
                          .length = 1};
    uint32_t n = other.name ? cell_add_variable(&lower->cell, other) : UINT32_MAX;
    if (n == UINT32_MAX || !lower_sync(lower))
        lower->front->work.failed = true;
    return n;
}

/* x becomes memory, and x' what the equations decide */
static void take_variable(Ticks *t, uint32_t v)
{
    Lower *lower = t->lower;
    Tick tick = tick_of(t, v);
    uint32_t inner = tick.fires ? variable_beside(t, v, CELL_UNKNOWN, "%.300s") : UINT32_MAX;
    if (inner == UINT32_MAX)
        return;
    t->inner.items[v] = inner + 1;
    lower->cell.variables.items[v].role = CELL_DISCRETE;
    lower->cell.variables.items[v].meaning = MEANING_WHEN;
    lower->variables.items[v].is_clocked = true;
    Node before = lower_pre_of(lower, v, lower->clocks.items[0].span);
    keep_memory(
        lower, v,
        node_select(&lower->cell.graph, tick.fires, cell_variable(&lower->cell, inner, 0), before));
}

/* the hidden derivative of x', and its value at the last tick */
static Node hidden_derivative(Ticks *t, uint32_t v)
{
    Lower *lower = t->lower;
    if (!t->rate.items[v]) {
        uint32_t d = variable_beside(t, v, CELL_UNKNOWN, "der(%.300s)");
        uint32_t m = variable_beside(t, v, CELL_DISCRETE, "last der(%.300s)");
        Tick tick = tick_of(t, v);
        if (!tick.fires || d == UINT32_MAX || m == UINT32_MAX)
            return NO_NODE;
        t->rate.items[v] = d + 1;
        t->last.items[v] = m + 1;
        keep_memory(lower, m,
                    node_select(&lower->cell.graph, tick.fires, cell_variable(&lower->cell, d, 0),
                                lower_pre_of(lower, m, lower->clocks.items[0].span)));
    }
    return cell_variable(&lower->cell, t->rate.items[v] - 1, 0);
}

/* ------------------------------------------------------------------ equations */

static Node at_tick(void *user, uint64_t symbol, Node node);

/* what a call is in a clocked equation */
static Node call_value(Ticks *t, const ClockOperator *c, Node node)
{
    Lower *lower = t->lower;
    switch (c->kind) {
    case CLOCK_SAMPLE:
    case CLOCK_PREVIOUS:
        return lower_pre_of(lower, c->of, c->span);
    case CLOCK_SUB:
    case CLOCK_SUPER:
    case CLOCK_SHIFT:
    case CLOCK_BACK:
    case CLOCK_NO_CLOCK:
        return cell_variable(&lower->cell, c->of, 0);
    case CLOCK_INTERVAL:
        return tick_of(t, c->result).interval;
    case CLOCK_FIRST_TICK:
        return tick_of(t, c->result).first;
    default:
        return node;
    }
}

static void report_second(Ticks *t, uint32_t v)
{
    const CellVariable *x = &t->lower->cell.variables.items[v];
    if (!t->has_second)
        diag_error(t->lower->front->diag, &x->place, NULL,
                   "'%s' is clocked and has a second derivative\n"
                   "give its derivative a name: der(x) = v; der(v) = ...",
                   x->name);
    t->lower->front->nwrong++;
    t->has_second = true;
}

/* what a symbol of a clocked equation is at a tick */
static Node at_tick(void *user, uint64_t symbol, Node node)
{
    Ticks *t = user;
    Lower *lower = t->lower;
    Graph *g = &lower->cell.graph;
    if (symbol == CELL_TIME || is_seed(symbol) || is_bound_symbol(symbol))
        return node;
    uint32_t v = symbol_variable(symbol), n = (uint32_t)t->parts.side_of.n;
    uint32_t side = v < n ? t->parts.side_of.items[v] : 0,
             call = v < n ? t->parts.call_of.items[v] : 0;
    size_t nrelation = lower->cell.events.relations.n;
    if (side) {
        bool step = side > nrelation;
        Node value = step ? lower->cell.events.steps.items[side - 1 - nrelation].value
                          : lower->cell.events.relations.items[side - 1].value;
        value = replace_once(g, at_tick, t, value);
        return step ? node_call(g, FUNCTION_FLOOR, value, NO_NODE)
                    : node_make(g, NODE_LESS, value, node_constant(g, 0), NO_NODE);
    }
    if (call)
        return call_value(t, &lower->clocks.items[call - 1], node);
    if (v >= n || !t->inner.items[v] || t->outside)
        return node;
    if (symbol_order(symbol) > 1)
        report_second(t, v);
    return symbol_order(symbol) ? hidden_derivative(t, v)
                                : cell_variable(&lower->cell, t->inner.items[v] - 1, 0);
}

static Node replaced(Ticks *t, Node node)
{
    Node result = node ? replace_once(&t->lower->cell.graph, at_tick, t, node) : NO_NODE;
    if (node && !result)
        t->lower->front->work.failed = true;
    return result;
}

/* the first clocked variable of a node, or a clock */
typedef struct FirstClocked {
    Ticks *ticks;
    uint32_t clocked, clock;
} FirstClocked;

static bool find_clocked(void *user, uint32_t v, uint32_t order)
{
    FirstClocked *first = user;
    (void)order;
    if (first->ticks->lower->variables.items[v].is_clock)
        first->clock = v;
    else if (is_in(first->ticks, v))
        first->clocked = v;
    return true;
}

static FirstClocked clocked_in(Ticks *t, Node a, Node b)
{
    FirstClocked first = {t, UINT32_MAX, UINT32_MAX};
    clock_symbols(t->lower, &t->parts, a, find_clocked, &first);
    clock_symbols(t->lower, &t->parts, b, find_clocked, &first);
    return first;
}

/* equations between clocks go, clocked ones become those of a tick */
static void take_equations(Ticks *t)
{
    Lower *lower = t->lower;
    Cell *cell = &lower->cell;
    size_t kept = 0;
    for (size_t i = 0; i < cell->equations.n; i++) {
        CellEquation e = cell->equations.items[i];
        FirstClocked first = clocked_in(t, e.left, e.right);
        if (first.clock != UINT32_MAX) {
            uint32_t a = lower_variable_of(lower, e.left), b = lower_variable_of(lower, e.right);
            if (a == UINT32_MAX || b == UINT32_MAX || !lower->variables.items[a].is_clock ||
                !lower->variables.items[b].is_clock) {
                diag_error(lower->front->diag, &e.place, e.path,
                           "a clock stands in an expression of numbers\n"
                           "clocks are only equal to clocks");
                lower->front->nwrong++;
            }
            continue;
        }
        if (first.clocked != UINT32_MAX) {
            e.left = replaced(t, e.left);
            e.right = replaced(t, e.right);
            e.by_time = NO_NODE;
        }
        cell->equations.items[kept++] = e;
    }
    cell->equations.n = kept;
}

/* equations of what operators are applied to, and of what hold gives */
static void add_arguments(Ticks *t)
{
    Lower *lower = t->lower;
    Cell *cell = &lower->cell;
    for (size_t i = 0; i < lower->clocks.n; i++) {
        const ClockOperator *c = &lower->clocks.items[i];
        bool continuous = c->kind == CLOCK_SAMPLE || c->kind == CLOCK_EVENT;
        CellEquation e = {.place = span_place(c->span), .path = lower_inst_text(lower, c->where)};
        if (c->is && c->of != UINT32_MAX) {
            uint32_t v = continuous ? c->of : t->inner.items[c->of] - 1;
            e.left = cell_variable(cell, v, 0);
            e.right = continuous ? c->is : replaced(t, c->is);
            if (!cell_add_equation(cell, e))
                lower->front->work.failed = true;
        }
        if (c->kind != CLOCK_HOLD)
            continue;
        e.left = cell_variable(cell, c->result, 0);
        e.right = cell_variable(cell, c->of, 0);
        if (!cell_add_equation(cell, e))
            lower->front->work.failed = true;
    }
}

/* the initial equation that holds at the first tick for x; false: there is none */
static bool first_equation(Ticks *t, uint32_t v, CellEquation *found)
{
    Cell *cell = &t->lower->cell;
    for (size_t i = 0; i < cell->initial.n; i++) {
        CellEquation e = cell->initial.items[i];
        Node x = cell_variable(cell, v, 0), d = cell_variable(cell, v, 1);
        if (e.left != x && e.right != x && e.left != d && e.right != d)
            continue;
        cell->initial.items[i] = cell->initial.items[--cell->initial.n];
        *found = e;
        return true;
    }
    return false;
}

/* the equation of a method for x with a derivative */
static void add_step(Ticks *t, uint32_t v)
{
    Lower *lower = t->lower;
    Cell *cell = &lower->cell;
    Graph *g = &cell->graph;
    const char *method = t->parts.rates.items[clock_set(&t->parts, v)].method;
    Tick tick = tick_of(t, v);
    const CellVariable x = cell->variables.items[v];
    bool explicit_ = method && strcmp(method, "ExplicitEuler") == 0;
    bool implicit = method && strcmp(method, "ImplicitEuler") == 0;
    if (!tick.fires)
        return;
    if ((!explicit_ && !implicit && !(method && strcmp(method, "ImplicitTrapezoid") == 0))) {
        diag_error(lower->front->diag, &x.place, NULL,
                   method
                       ? "'%s' has a derivative in a clocked partition, and the method %s of its "
                         "clock is not supported\nuse ExplicitEuler, ImplicitEuler or "
                         "ImplicitTrapezoid"
                       : "'%s' has a derivative in a clocked partition, whose clock has no "
                         "solver method%s\ngive one: Clock(c, \"ImplicitEuler\"); or use "
                         "hold(...) for a continuous variable",
                   x.name, method ? method : "");
        lower->front->nwrong++;
        return;
    }
    Node now = cell_variable(cell, t->rate.items[v] - 1, 0);
    Node last = lower_pre_of(lower, t->last.items[v] - 1, lower->clocks.items[0].span);
    Node rate = explicit_  ? last
                : implicit ? now
                           : node_multiply(g, node_constant(g, 0.5), node_add(g, now, last));
    Node before = lower_pre_of(lower, v, lower->clocks.items[0].span);
    CellEquation first = {.left = cell_variable(cell, t->inner.items[v] - 1, 0), .right = before};
    CellEquation e = {.left = first.left,
                      .right = node_add(g, before, node_multiply(g, tick.interval, rate)),
                      .place = x.place};
    if (first_equation(t, v, &first)) {
        first.left = replaced(t, first.left);
        first.right = replaced(t, first.right);
    }
    e.left = node_select(g, tick.first, first.left, e.left);
    e.right = node_select(g, tick.first, first.right, e.right);
    if (!cell_add_equation(cell, e))
        lower->front->work.failed = true;
}

/* ------------------------------------------------------------------ what is left */

/* initial equations and Boolean when-clauses cannot read clocked variables */
static void check_rest(Ticks *t)
{
    Lower *lower = t->lower;
    Cell *cell = &lower->cell;
    for (size_t i = 0; i < cell->initial.n; i++) {
        FirstClocked first =
            clocked_in(t, cell->initial.items[i].left, cell->initial.items[i].right);
        if (first.clocked == UINT32_MAX)
            continue;
        diag_error(lower->front->diag, &cell->initial.items[i].place, cell->initial.items[i].path,
                   "'%s' is clocked and stands in an initial equation\n"
                   "give it a start value: previous(x) is that at the first tick",
                   cell->variables.items[first.clocked].name);
        lower->front->nwrong++;
    }
    for (size_t i = 0; i < cell->events.memories.n; i++) {
        const CellMemory *m = &cell->events.memories.items[i];
        FirstClocked first = clocked_in(t, m->next, NO_NODE);
        if (first.clocked == UINT32_MAX ||
            cell->variables.items[m->variable].meaning != MEANING_WHEN)
            continue;
        diag_error(lower->front->diag, &m->place, m->path,
                   "a when-clause with a Boolean condition reads '%s', which is clocked\n"
                   "use hold(...) of it, or a clocked when-clause",
                   cell->variables.items[first.clocked].name);
        lower->front->nwrong++;
    }
    for (size_t i = 0; i < cell->events.delays.n; i++)
        if (clocked_in(t, cell->events.delays.items[i].value, NO_NODE).clocked != UINT32_MAX) {
            diag_error(lower->front->diag, &cell->events.delays.items[i].place, NULL,
                       "delay of a clocked variable is not supported\nuse previous or shiftSample");
            lower->front->nwrong++;
        }
}

/* relations of clocked variables are no events; assertions read what is held */
static void take_relations(Ticks *t)
{
    CellEvents *e = &t->lower->cell.events;
    t->outside = true;
    for (size_t i = 0; i < e->requests.n; i++)
        if (clocked_in(t, e->requests.items[i].node, NO_NODE).clocked != UINT32_MAX)
            e->requests.items[i].node = replaced(t, e->requests.items[i].node);
    size_t kept = 0, kept_step = 0;
    for (size_t i = 0; i < e->relations.n; i++)
        if (clocked_in(t, e->relations.items[i].value, NO_NODE).clocked == UINT32_MAX)
            e->relations.items[kept++] = e->relations.items[i];
    for (size_t i = 0; i < e->steps.n; i++)
        if (clocked_in(t, e->steps.items[i].value, NO_NODE).clocked == UINT32_MAX)
            e->steps.items[kept_step++] = e->steps.items[i];
    e->relations.n = kept;
    e->steps.n = kept_step;
}

void lower_end_clocks(Lower *lower, bool reports)
{
    Front *f = lower->front;
    Ticks t = {.lower = lower};
    bool any = lower->clocks.n > 0;
    uint32_t n = (uint32_t)lower->cell.variables.n;
    for (uint32_t v = 0; v < n && !any; v++)
        any = lower->variables.items[v].is_clock;
    if (!any || !reports)
        return;
    lower->in_when = true; /* pre of continuous variables is what sample reads */
    bool good = clock_partition(lower, &t.parts) && vec_resize(f->alloc, &t.inner, n + 1) &&
                vec_resize(f->alloc, &t.rate, n + 1) && vec_resize(f->alloc, &t.last, n + 1);
    if (good)
        check_rest(&t);

    for (uint32_t v = 0; good && v < n && !f->work.failed; v++) {
        CellVariable *x = &lower->cell.variables.items[v];
        if (lower->variables.items[v].is_clock)
            x->role = CELL_DISCRETE;
        else if (x->role == CELL_UNKNOWN && is_in(&t, v))
            take_variable(&t, v);
    }
    if (good && !f->work.failed) {
        take_equations(&t);
        add_arguments(&t);
        for (uint32_t v = 0; v < n && !f->work.failed; v++)
            if (t.rate.items[v])
                add_step(&t, v);
        take_relations(&t);
    }
    lower->in_when = false;
    clock_parts_drop(lower, &t.parts);
    vec_drop(f->alloc, &t.all);
    vec_drop(f->alloc, &t.inner);
    vec_drop(f->alloc, &t.rate);
    vec_drop(f->alloc, &t.last);
}
