/* event_clause.c - when-clauses of a solved cell as the event block computes them: clauses and the
 * variables that they assign are sorted together. */
#include <stdio.h>

#include "equation/system/eliminate.h"
#include "equation/event/event_work.h"

/* ------------------------------------------------------------------ clauses */

/* discrete equations that need each other within one event */
static LiederStatus report_loop(EventWork *w, const EventItems *items, const EventOrder *s,
                                size_t component)
{
    char names[300];
    size_t at = 0;
    const EventItem *first = NULL;
    names[0] = '\0';
    for (uint32_t k = s->first.items[component];
         k < s->first.items[component + 1] && at < sizeof names; k++) {
        const EventItem *item = &items->items[s->order.items[k]];
        const CellVariable *v = &w->cell->variables.items[item->variable];
        if (v->meaning != MEANING_WHEN)
            continue;
        if (!first)
            first = item;
        at += (size_t)snprintf(names + at, sizeof names - at, "%s'%s'", at ? ", " : "", v->name);
    }
    if (!first)
        first = &items->items[s->order.items[s->first.items[component]]];
    diag_error(w->cell->diag, &first->place, NULL,
               "at an event %s would have to be known before %s computed: the when-clauses depend "
               "on each other\nuse pre(...) of one of the variables",
               *names ? names : "a condition", at ? "they are" : "it is");
    return LIEDER_BAD_MODEL;
}

/* Reals that clauses assign, in terms of each other */
static LiederStatus solve_loop(EventWork *w, const EventItems *items, const EventOrder *s,
                               size_t component)
{
    Cell *cell = w->cell;
    Graph *g = &cell->graph;
    VEC(CellEquation) sources = {0};
    System system = {.cell = cell, .plan = w->plan};
    uint32_t first = s->first.items[component], end = s->first.items[component + 1];
    bool good = true, reals = true;
    for (uint32_t k = first; good && k < end; k++) {
        const EventItem *item = &items->items[s->order.items[k]];
        const CellVariable *v = &cell->variables.items[item->variable];
        Node own = cell_variable(cell, item->variable, 0);
        reals = reals && v->meaning == MEANING_WHEN && v->type == LIEDER_TYPE_REAL;
        CellEquation e = {.left = own, .right = item->value, .place = item->place};
        Node residual = node_subtract(g, own, event_replace(w, &w->then, item->value));
        good = vec_push(g->alloc, &sources, e) &&
               system_add(&system, residual, k - first, cell_symbol(item->variable, 0));
    }
    system.source = sources.items;
    LiederStatus status = !good   ? LIEDER_NO_MEMORY
                          : reals ? system_solve(&system)
                                  : report_loop(w, items, s, component);
    for (uint32_t k = first; status == LIEDER_DONE && k < end; k++)
        w->then.items[items->items[s->order.items[k]].variable] = system.solution.items[k - first];
    system_drop(&system);
    vec_drop(g->alloc, &sources);
    return status;
}

void event_pass_begin(EventWork *w, EventPass *p)
{
    p->by = (EventReplace){&w->then};
    p->known = (GraphPass){.graph = &w->cell->graph, .of_symbol = known_value, .user = w->plan};
    p->then = (GraphPass){.graph = &w->cell->graph, .of_symbol = event_replaced, .user = &p->by};
    p->by_now = (EventReplace){&w->now};
    p->now = (GraphPass){.graph = &w->cell->graph, .of_symbol = event_replaced, .user = &p->by_now};
}

void event_pass_end(EventPass *p)
{
    pass_drop(&p->known);
    pass_drop(&p->then);
    pass_drop(&p->now);
}

Node event_pass_known(EventWork *w, EventPass *p, Node node)
{
    Node known = node ? replace_symbols(&p->known, node) : NO_NODE;
    if (node && !known)
        event_fail(w);
    return known;
}

/* what a pass makes of a node whose known symbols are replaced */
static Node pass_after_known(EventWork *w, EventPass *p, GraphPass *pass, Node node)
{
    Node known = event_pass_known(w, p, node);
    Node result = known ? replace_symbols(pass, known) : NO_NODE;
    if (known && !result)
        event_fail(w);
    return result;
}

Node event_pass_at(EventWork *w, EventPass *p, Node node)
{
    return pass_after_known(w, p, &p->then, node);
}

Node event_pass_now(EventWork *w, EventPass *p, Node node)
{
    return pass_after_known(w, p, &p->now, node);
}

/* each clause with what it reads and sets; false: no memory */
static bool list_clauses(EventWork *w, EventItems *items)
{
    const CellEvents *e = &w->cell->events;
    EventPass pass;
    bool good = true;
    event_pass_begin(w, &pass);
    for (size_t i = 0; good && i < e->whens.n; i++) {
        const CellWhen *c = &e->whens.items[i];
        EventItem item = {
            .variable = c->variable, .value = event_pass_at(w, &pass, c->fires), .place = c->place};
        good = vec_push(w->cell->alloc, items, item);
    }
    for (size_t i = 0; good && i < e->memories.n; i++) {
        const CellMemory *m = &e->memories.items[i];
        if (w->cell->variables.items[m->variable].meaning != MEANING_WHEN)
            continue;
        EventItem item = {
            .variable = m->variable, .value = event_pass_at(w, &pass, m->next), .place = m->place};
        good = vec_push(w->cell->alloc, items, item);
    }
    event_pass_end(&pass);
    return good && !w->failed;
}

LiederStatus event_take_clauses(EventWork *w)
{
    EventItems items = {0};
    EventOrder s = {0};
    bool good = list_clauses(w, &items) && event_sort(w, &items, &s);
    LiederStatus status = good ? LIEDER_DONE : LIEDER_NO_MEMORY;
    EventPass pass;
    event_pass_begin(w, &pass);
    for (size_t k = 0; status == LIEDER_DONE && k + 1 < s.first.n && !w->failed; k++) {
        const EventItem *item = &items.items[s.order.items[s.first.items[k]]];
        if (event_is_loop(&s, k)) {
            event_pass_end(&pass); /* it may have seen variables of the loop without their values */
            event_pass_begin(w, &pass);
            status = solve_loop(w, &items, &s, k);
        } else if (!(w->then.items[item->variable] = replace_symbols(&pass.then, item->value))) {
            event_fail(w);
        }
    }
    event_pass_end(&pass);
    event_order_drop(&s, w->cell->alloc);
    vec_drop(w->cell->alloc, &items);
    return w->failed ? LIEDER_NO_MEMORY : status;
}

bool event_close_sides(EventWork *w)
{
    for (uint32_t v = 0; v < w->cell->variables.n && !w->failed; v++) {
        CellMeaning meaning = w->cell->variables.items[v].meaning;
        if (w->then.items[v] && (meaning == MEANING_SIDE || meaning == MEANING_STEP))
            w->then.items[v] = event_replace(w, &w->then, w->then.items[v]);
    }
    return !w->failed;
}
