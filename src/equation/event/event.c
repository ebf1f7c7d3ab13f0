/* event.c - relations, steps, memory and when-clauses of a solved cell: what they are in continuous
 * blocks and what the event block computes. The rules stand in event.h, the map of files in
 * event_work.h.
 *
 * Two replacements are made, variable by variable: `now` for continuous blocks, `then` for the
 * event block.
 */
#include "equation/system/eliminate.h"
#include "equation/event/event_work.h"

/* ------------------------------------------------------------------ what a cell has */

void cell_events_init(Cell *cell)
{
    cell->events = (CellEvents){0};
}

void cell_events_drop(Cell *cell)
{
    CellEvents *e = &cell->events;
    vec_drop(cell->alloc, &e->relations);
    vec_drop(cell->alloc, &e->equalities);
    vec_drop(cell->alloc, &e->steps);
    vec_drop(cell->alloc, &e->whens);
    vec_drop(cell->alloc, &e->memories);
    vec_drop(cell->alloc, &e->reinits);
    vec_drop(cell->alloc, &e->requests);
    vec_drop(cell->alloc, &e->delays);
    vec_drop(cell->alloc, &e->timers);
}

bool cell_has_events(const Cell *cell)
{
    const CellEvents *e = &cell->events;
    return e->relations.n || e->steps.n || e->whens.n || e->memories.n || e->reinits.n ||
           e->requests.n || e->delays.n || e->timers.n;
}

uint32_t cell_add_discrete(Cell *cell, CellMeaning meaning, const char *name, Place place)
{
    return cell_add_variable(cell, (CellVariable){.name = name,
                                                  .place = place,
                                                  .role = CELL_DISCRETE,
                                                  .meaning = meaning,
                                                  .type = LIEDER_TYPE_BOOLEAN,
                                                  .length = 1});
}

Node cell_flag(Cell *cell, CellMeaning meaning)
{
    static const char *const names[] = {[MEANING_INITIAL] = "initial()",
                                        [MEANING_TERMINAL] = "terminal()",
                                        [MEANING_HOLD] = "hold",
                                        [MEANING_EVENT_TIME] = "time of the event"};
    uint32_t *flag = &cell->events.flags[meaning];
    if (!*flag) {
        uint32_t v = cell_add_discrete(cell, meaning, names[meaning], (Place){0});
        if (v == UINT32_MAX)
            return NO_NODE;
        *flag = v + 1;
    }
    return cell_variable(cell, *flag - 1, 0);
}

Node cell_initial(Cell *cell)
{
    Graph *g = &cell->graph;
    Node initial = cell_flag(cell, MEANING_INITIAL);
    if (!cell->events.starting) {
        uint32_t v = cell_add_discrete(cell, MEANING_MEMORY, "first pass", (Place){0});
        CellMemory memory = {.variable = v, .next = initial};
        if (v == UINT32_MAX || !vec_push(cell->alloc, &cell->events.memories, memory)) {
            g->failed = true;
            return NO_NODE;
        }
        cell->events.starting = v + 1;
    }
    return node_make(g, NODE_OR, initial, cell_variable(cell, cell->events.starting - 1, 0),
                     NO_NODE);
}

bool cell_prepare_events(Cell *cell)
{
    if (cell->nport && !cell_divide_relations(cell))
        return false;
    if (!cell_prepare_limits(cell))
        return false;
    if (cell->events.relations.n || cell->events.steps.n) {
        cell_flag(cell, MEANING_HOLD);
        cell_flag(cell, MEANING_EVENT_TIME);
    }
    if (cell->events.memories.n || cell->events.steps.n)
        cell_initial(cell);
    return !cell->graph.failed;
}

void event_plan_drop(EventPlan *events, const LiederAllocator *alloc)
{
    vec_drop(alloc, &events->crossings);
    vec_drop(alloc, &events->memories);
    vec_drop(alloc, &events->states);
    vec_drop(alloc, &events->requests);
    vec_drop(alloc, &events->delays);
    *events = (EventPlan){0};
}

/* ------------------------------------------------------------------ the event block */

/* next values of discrete variables, with everything put in that is known at an event */
static bool take_memory(EventWork *w)
{
    Graph *g = &w->cell->graph;
    EventPass pass;
    event_pass_begin(w, &pass);
    for (size_t i = 0; i < w->cell->events.memories.n && !w->failed; i++) {
        const CellMemory *m = &w->cell->events.memories.items[i];
        Node next = w->then.items[m->variable];
        if (!next)
            next = event_pass_at(w, &pass, m->next);
        if (m->initial)
            next = node_select(g, cell_flag(w->cell, MEANING_INITIAL),
                               event_pass_at(w, &pass, m->initial), next);
        EventMemory memory = {m->variable, next};
        if (!next || !vec_push(g->alloc, &w->events->memories, memory))
            event_fail(w);
    }
    event_pass_end(&pass);
    return !w->failed;
}

/* the state that a variable is, up to a factor and a rest: state = (value - rest) / factor */
static bool find_state(EventWork *w, Node node, Node value, uint32_t *state, Node *is)
{
    Graph *g = &w->cell->graph;
    for (uint32_t k = 0; k < w->plan->states.n; k++) {
        const CellState *s = &w->plan->states.items[k];
        uint64_t symbol = cell_symbol(s->variable, s->order);
        Node factor, rest;
        int affine = node_affine(g, node, &symbol, 1, &factor, &rest);
        if (affine < 0)
            return event_fail(w);
        if (!affine || node_is_constant(g, factor, 0) || event_depends(w, rest).continuous ||
            event_depends(w, factor).continuous)
            continue;
        *state = k;
        *is = node_divide(g, node_subtract(g, value, rest), factor);
        return true;
    }
    return false;
}

/* the new value of a state; reports a variable that is none */
static LiederStatus take_reinit(EventWork *w, const CellReinit *r)
{
    Graph *g = &w->cell->graph;
    uint32_t k = 0;
    Node is = NO_NODE, before = NO_NODE;
    Node node = event_put_in(w, cell_variable(w->cell, r->variable, 0));
    if (!node || !find_state(w, node, r->value, &k, &is)) {
        diag_error(w->cell->diag, &r->place, r->path,
                   "reinit of '%s', which is no state of the model\n"
                   "name a variable whose derivative occurs, and which no equation decides",
                   w->cell->variables.items[r->variable].name);
        return w->failed ? LIEDER_NO_MEMORY : LIEDER_BAD_MODEL;
    }
    EventState *found = NULL;
    for (size_t i = 0; i < w->events->states.n; i++)
        if (w->events->states.items[i].state == k)
            found = &w->events->states.items[i];
    const CellState *s = &w->plan->states.items[k];
    before = found ? found->value : cell_variable(w->cell, s->variable, s->order);
    Node value = node_select(g, event_at(w, r->fires), event_at(w, is), before);
    if (found)
        found->value = value;
    else if (!vec_push(g->alloc, &w->events->states, (EventState){k, value}))
        event_fail(w);
    return w->failed || !value ? LIEDER_NO_MEMORY : LIEDER_DONE;
}

/* the next instant at which something happens by time alone */
static bool take_timer(EventWork *w)
{
    Graph *g = &w->cell->graph;
    Node timer = NO_NODE;
    for (size_t i = 0; i < w->cell->events.timers.n; i++)
        if (!vec_push(g->alloc, &w->timers, event_put_in(w, w->cell->events.timers.items[i])))
            return event_fail(w);
    for (size_t i = 0; i < w->timers.n && !w->failed; i++) {
        Node instant = event_replace(w, &w->then, w->timers.items[i]);
        timer = timer ? node_call(g, FUNCTION_MIN, timer, instant) : instant;
    }
    w->events->timer = timer;
    return !w->failed;
}

/* terminations and assertions, with what they read put in as it is at an event or between events */
static bool take_requests(EventWork *w)
{
    EventPass pass; /* functions may have hundreds of assertions on the same values */
    event_pass_begin(w, &pass);
    for (size_t i = 0; i < w->cell->events.requests.n && !w->failed; i++) {
        CellRequest r = w->cell->events.requests.items[i];
        r.node = r.at_event ? event_pass_at(w, &pass, r.node) : event_pass_now(w, &pass, r.node);
        if (!r.node || !vec_push(w->cell->alloc, &w->events->requests, r))
            event_fail(w);
    }
    event_pass_end(&pass);
    return !w->failed;
}

/* delayed variables and how long; reports delays that depend on themselves */
static bool take_delays(EventWork *w)
{
    for (size_t i = 0; i < w->cell->events.delays.n && !w->failed; i++) {
        const CellDelay *d = &w->cell->events.delays.items[i];
        Node value = event_put_in(w, d->value), time = event_put_in(w, d->time);
        EventDepends of_value = event_depends(w, value), of_time = event_depends(w, time);
        EventDelay delay = {.variable = d->variable,
                            .value = event_replace(w, &w->now, value),
                            .time = event_replace(w, &w->now, time),
                            .most = event_replace(w, &w->now, event_put_in(w, d->most)),
                            .discrete = !of_value.continuous && !of_value.time,
                            .varies = of_time.continuous || of_time.time || of_time.discrete,
                            .place = d->place};
        if (!vec_push(w->cell->alloc, &w->events->delays, delay))
            return event_fail(w);
    }
    return !w->failed;
}

/* ------------------------------------------------------------------ all of it */

/* a == b of what varies is true at single instants, which no event finds */
static bool warn_of_equalities(EventWork *w)
{
    for (size_t i = 0; i < w->cell->events.equalities.n && !w->failed; i++) {
        const CellEquality *e = &w->cell->events.equalities.items[i];
        EventDepends on = event_depends(w, event_put_in(w, e->difference));
        if ((on.continuous || on.time) && !w->failed)
            diag_warning(w->cell->diag, &e->place, e->path,
                         "these Reals vary: they are equal at single instants, which make no event "
                         "and which steps pass over\n"
                         "compare by < or >; noEvent(...) around it says that it is meant so");
    }
    return !w->failed;
}

/* no clause fires between events */
static bool clauses_rest(EventWork *w)
{
    for (size_t i = 0; i < w->cell->events.whens.n; i++)
        w->now.items[w->cell->events.whens.items[i].variable] = node_constant(&w->cell->graph, 0);
    return !w->cell->graph.failed;
}

/* the plan as continuous blocks compute it */
static bool rewrite_plan(EventWork *w)
{
    CellPlan *plan = w->plan;
    EventReplace r = {&w->now};
    GraphPass pass = {.graph = &w->cell->graph, .of_symbol = event_replaced, .user = &r};
    for (size_t v = 0; v < plan->values.n; v++)
        for (size_t k = 0; k < plan->values.items[v].n; k++)
            plan->values.items[v].items[k] = replace_symbols(&pass, plan->values.items[v].items[k]);
    for (size_t k = 0; k < plan->residuals.n; k++)
        plan->residuals.items[k] = replace_symbols(&pass, plan->residuals.items[k]);
    pass_drop(&pass);
    return w->cell->graph.failed ? event_fail(w) : !w->failed;
}

/* what clauses, reinit, timers and requests make, once sides and clauses are known */
static LiederStatus take_all(EventWork *w, LiederStatus status)
{
    if (status == LIEDER_DONE)
        status = event_close_sides(w) ? event_take_initial(w) : LIEDER_NO_MEMORY;
    for (size_t i = 0; status == LIEDER_DONE && i < w->cell->events.reinits.n; i++)
        status = take_reinit(w, &w->cell->events.reinits.items[i]);
    if (status == LIEDER_DONE &&
        (!warn_of_equalities(w) || !take_memory(w) || !event_take_steps(w) || !take_timer(w) ||
         !take_requests(w) || !take_delays(w) || !rewrite_plan(w)))
        status = LIEDER_NO_MEMORY;
    return status;
}

LiederStatus cell_solve_events(Cell *cell, CellPlan *plan, EventPlan *events)
{
    *events = (EventPlan){0};
    bool any = cell_has_events(cell);
    if (!any && !cell->events.equalities.n)
        return LIEDER_DONE;
    EventWork w = {.cell = cell, .plan = plan, .events = events};
    bool good = (!any || cell_settle_new_own_derivatives(cell)) &&
                vec_resize(cell->alloc, &w.now, cell->variables.n + 1) &&
                vec_resize(cell->alloc, &w.then, cell->variables.n + 1) &&
                (any ? clauses_rest(&w) && event_take_sides(&w) && event_take_limits(&w)
                     : warn_of_equalities(&w));
    LiederStatus status = !good ? LIEDER_NO_MEMORY : any ? event_take_clauses(&w) : LIEDER_DONE;
    if (any)
        status = take_all(&w, status);
    vec_drop(cell->alloc, &w.now);
    vec_drop(cell->alloc, &w.then);
    vec_drop(cell->alloc, &w.item_of);
    vec_drop(cell->alloc, &w.noted);
    vec_drop(cell->alloc, &w.memory_at);
    vec_drop(cell->alloc, &w.pre_at);
    vec_drop(cell->alloc, &w.timers);
    return w.failed || cell->graph.failed ? LIEDER_NO_MEMORY : status;
}
