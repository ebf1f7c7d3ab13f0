/* event_side.c - relations and steps of a solved cell: what they are in continuous blocks, and the
 * crossings that the engine watches.
 *
 * They are gone through in the order in which their values depend on each other's sides; a
 * component of that order is a mixed system, whose sides are read as the engine holds them. In the
 * event block sides are read, too: the engine has decided them. */
#include "equation/event/event_work.h"

#include <float.h>

/* ------------------------------------------------------------------ relations and steps */

static Node less_than_zero(Graph *g, Node value)
{
    return node_make(g, NODE_LESS, value, node_constant(g, 0), NO_NODE);
}

static Node item_value(EventWork *w, const EventItem *item, Node value)
{
    Graph *g = &w->cell->graph;
    return item->is_step ? node_call(g, FUNCTION_FLOOR, value, NO_NODE) : less_than_zero(g, value);
}

static Node time_is_event_time(void *user, uint64_t symbol, Node node)
{
    Cell *cell = user;
    return symbol == CELL_TIME ? cell_flag(cell, MEANING_EVENT_TIME) : node;
}

static Node with_event_time(EventWork *w, Node node)
{
    Node result = replace_once(&w->cell->graph, time_is_event_time, w->cell, node);
    return result ? result : (event_fail(w), NO_NODE);
}

/* The next instant at which the sign of value = rest + factor time, or its floor, changes. A change
 * that is still to come has an instant ahead, also where rounding puts the quotient before the time
 * that has been decided: else it would never be met, nor any that follows. */
static Node next_instant(EventWork *w, const EventItem *item, Node factor, Node rest)
{
    Graph *g = &w->cell->graph;
    Node zero = node_constant(g, 0), never = node_constant(g, EVENT_NEVER), target = zero;
    Node decided = cell_flag(w->cell, MEANING_EVENT_TIME);
    Node now = item_value(w, item, with_event_time(w, item->value));
    Node rises = node_make(g, NODE_LESS, zero, factor, NO_NODE);
    Node ahead =
        node_make(g, NODE_NOT, node_make(g, NODE_EQUAL, factor, zero, NO_NODE), NO_NODE, NO_NODE);
    if (item->is_step) {
        target = node_add(g, now, rises);
    } else {
        Node changed = node_make(g, NODE_NOT, now, NO_NODE, NO_NODE);
        ahead = node_make(g, NODE_AND, ahead, node_select(g, rises, now, changed), NO_NODE);
    }
    Node instant = node_divide(g, node_subtract(g, target, rest), factor);
    Node size = node_call(g, FUNCTION_ABS, decided, NO_NODE);
    Node later = node_add(g, decided,
                          node_add(g, node_multiply(g, node_constant(g, DBL_EPSILON), size),
                                   node_constant(g, DBL_MIN)));
    instant = node_call(g, FUNCTION_MAX, instant, later);
    return node_select(g, ahead, instant, never);
}

/* While initial() the time itself decides, so that time > 0 becomes true by an event. */
static Node time_item(EventWork *w, const EventItem *item, Node value)
{
    Graph *g = &w->cell->graph;
    Node decided = item_value(w, item, with_event_time(w, value));
    return w->cell->events.starting && !item->is_step
               ? node_select(g, cell_initial(w->cell), item_value(w, item, value), decided)
               : decided;
}

/* A relation that is affine in time, with factors that stay between events: it changes exactly at
 * its instant. */
static bool take_time_item(EventWork *w, const EventItem *item)
{
    Graph *g = &w->cell->graph;
    uint64_t time = CELL_TIME;
    Node factor, rest, now = event_replace(w, &w->now, item->value);
    int affine = node_affine(g, item->value, &time, 1, &factor, &rest);
    if (affine < 0)
        return event_fail(w);
    if (!affine)
        return false;
    w->now.items[item->variable] = time_item(w, item, now);
    w->then.items[item->variable] = time_item(w, item, event_replace(w, &w->then, item->value));
    Node instant = next_instant(w, item, factor, rest);
    return instant && vec_push(g->alloc, &w->timers, instant) ? true : event_fail(w);
}

/* what the linear group decides: forces, accelerations at ports, unknowns */
static bool is_early_symbol(void *user, uint64_t symbol, Node node)
{
    const EventWork *w = user;
    (void)node;
    if (symbol == CELL_TIME)
        return true;
    uint32_t v = symbol_variable(symbol), order = symbol_order(symbol);
    const CellVariable *x = &w->cell->variables.items[v];
    bool linear = x->role == CELL_INWARD || (x->role == CELL_OUTWARD && order >= x->contract &&
                                             !(w->plan->out >> x->port & 1));
    for (size_t k = 0; k < w->plan->unknowns.n && !linear; k++)
        linear =
            w->plan->unknowns.items[k].variable == v && w->plan->unknowns.items[k].order == order;
    return !linear;
}

static bool is_late(EventWork *w, Node node)
{
    return w->cell->nport && !graph_symbols(&w->cell->graph, &node, 1, is_early_symbol, w);
}

static void add_crossing(EventWork *w, uint32_t variable, Node value, bool held, Place place)
{
    EventCrossing c = {variable, value, held, is_late(w, value), place};
    if (!vec_push(w->cell->alloc, &w->events->crossings, c))
        event_fail(w);
}

/* no event is needed: it follows from what is known between events */
static bool take_known_item(EventWork *w, const EventItem *item)
{
    EventDepends d = event_depends(w, item->value);
    if (d.continuous)
        return false;
    if (d.time)
        return take_time_item(w, item);
    w->now.items[item->variable] = item_value(w, item, event_replace(w, &w->now, item->value));
    w->then.items[item->variable] = item_value(w, item, event_replace(w, &w->then, item->value));
    return true;
}

/* the cell number that a step has after an event: another one where the old cell has been left */
static Node step_next(EventWork *w, const CellStep *s)
{
    Graph *g = &w->cell->graph;
    Node below = cell_variable(w->cell, s->below, 0);
    Node above = node_make(g, NODE_NOT, cell_variable(w->cell, s->above, 0), NO_NODE, NO_NODE);
    Node left = node_make(g, NODE_OR, below, above, NO_NODE);
    left = node_make(g, NODE_OR, left, cell_initial(w->cell), NO_NODE);
    return node_select(g, left, node_call(g, FUNCTION_FLOOR, s->value, NO_NODE),
                       cell_variable(w->cell, s->variable, 0));
}

/* graph_symbols ends where this is false */
static bool is_no_result(void *user, uint64_t symbol, Node node)
{
    const Cell *cell = user;
    (void)node;
    return symbol == CELL_TIME ||
           cell->variables.items[symbol_variable(symbol)].meaning != MEANING_WHEN;
}

/* Between events the cell number is memory. In an event block everything sees the new one at once,
 * so that no clause fires for what was before the event; where clauses decide the value itself, in
 * the next pass. */
static void take_step(EventWork *w, const EventItem *item)
{
    for (size_t i = 0; i < w->cell->events.steps.n && !w->failed; i++) {
        const CellStep *s = &w->cell->events.steps.items[i];
        if (s->variable == item->variable &&
            graph_symbols(&w->cell->graph, &item->value, 1, is_no_result, w->cell))
            w->then.items[s->variable] = event_at(w, step_next(w, s));
    }
}

/* decided by its sign where sides are not held */
static void take_edge(EventWork *w, const EventItem *item)
{
    Graph *g = &w->cell->graph;
    if (item->is_step) {
        take_step(w, item);
        return;
    }
    Node value = event_replace(w, &w->now, item->value);
    Node side = cell_variable(w->cell, item->variable, 0);
    if (is_late(w, value)) { /* no block can decide it in time */
        add_crossing(w, item->variable, value, true, item->place);
        return;
    }
    w->now.items[item->variable] =
        node_select(g, cell_flag(w->cell, MEANING_HOLD), side, less_than_zero(g, value));
    add_crossing(w, item->variable, value, false, item->place);
}

/* a relation of others, between events and at them */
static void take_made(EventWork *w, const EventItem *item)
{
    w->now.items[item->variable] = event_replace(w, &w->now, item->value);
    w->then.items[item->variable] = event_replace(w, &w->then, item->value);
}

/* sides that decide each other's values */
static void take_mixed(EventWork *w, const EventItems *items, const EventOrder *s, size_t component)
{
    uint32_t first = s->first.items[component], end = s->first.items[component + 1];
    /* what is made of others stands for them in their values */
    for (uint32_t k = first; k < end; k++)
        if (items->items[s->order.items[k]].is_made)
            take_made(w, &items->items[s->order.items[k]]);
    for (uint32_t k = first; k < end; k++) {
        const EventItem *item = &items->items[s->order.items[k]];
        if (!item->is_step && !item->is_made)
            add_crossing(w, item->variable, event_replace(w, &w->now, item->value), true,
                         item->place);
    }
}

/* the relations that bound a step are none of their own where it is computed */
static bool bounds_known_step(const EventWork *w, uint32_t variable)
{
    for (size_t i = 0; i < w->cell->events.steps.n; i++) {
        const CellStep *s = &w->cell->events.steps.items[i];
        if ((s->below == variable || s->above == variable) && w->now.items[s->variable])
            return true;
    }
    return false;
}

/* sides of relations with what they read; false: no memory */
static bool list_sides(EventWork *w, EventItems *items)
{
    const CellEvents *e = &w->cell->events;
    bool good = true;
    EventPass pass;
    event_pass_begin(w, &pass);
    for (size_t i = 0; good && i < e->relations.n; i++) {
        const CellRelation *r = &e->relations.items[i];
        EventItem item = {.variable = r->variable, .place = r->place, .is_made = r->sides};
        item.value = r->sides ? r->sides : event_pass_known(w, &pass, r->value);
        good = vec_push(w->cell->alloc, items, item);
    }
    for (size_t i = 0; good && i < e->steps.n; i++) {
        const CellStep *s = &e->steps.items[i];
        EventItem item = {.variable = s->variable,
                          .value = event_pass_known(w, &pass, s->value),
                          .is_step = true};
        good = vec_push(w->cell->alloc, items, item);
    }
    event_pass_end(&pass);
    return good && !w->failed;
}

bool event_take_sides(EventWork *w)
{
    EventItems items = {0};
    EventOrder s = {0};
    bool good = list_sides(w, &items) && event_sort(w, &items, &s);
    for (size_t k = 0; good && k + 1 < s.first.n && !w->failed; k++) {
        const EventItem *item = &items.items[s.order.items[s.first.items[k]]];
        if (event_is_loop(&s, k))
            take_mixed(w, &items, &s, k);
        else if (item->is_made)
            take_made(w, item);
        else if (!bounds_known_step(w, item->variable) && !take_known_item(w, item))
            take_edge(w, item);
    }
    event_order_drop(&s, w->cell->alloc);
    vec_drop(w->cell->alloc, &items);
    return good && !w->failed;
}

bool event_take_steps(EventWork *w)
{
    for (size_t i = 0; i < w->cell->events.steps.n && !w->failed; i++) {
        const CellStep *s = &w->cell->events.steps.items[i];
        if (w->now.items[s->variable])
            continue;
        Node next = w->then.items[s->variable];
        EventMemory memory = {s->variable, next ? next : event_at(w, step_next(w, s))};
        if (!memory.next || !vec_push(w->cell->alloc, &w->events->memories, memory))
            return event_fail(w);
    }
    return !w->failed;
}
