/* class_events.c - what a class has for events: crossings with their sides, memory, a timer,
 * requests, and the assignments that compute them. See event.h for what is computed. */
#include "equation/class/class_maker.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool maker_visit_events(ClassMaker *m, SymbolVisit *visit, void *user)
{
    const EventPlan *e = &m->c->events;
    Graph *g = &m->cell->graph;
    bool good = true;
    for (size_t i = 0; good && i < e->crossings.n; i++)
        good = graph_symbols(g, &e->crossings.items[i].value, 1, visit, user);
    for (size_t i = 0; good && i < e->memories.n; i++)
        good = graph_symbols(g, &e->memories.items[i].next, 1, visit, user);
    for (size_t i = 0; good && i < e->states.n; i++)
        good = graph_symbols(g, &e->states.items[i].value, 1, visit, user);
    for (size_t i = 0; good && i < e->requests.n; i++)
        good = graph_symbols(g, &e->requests.items[i].node, 1, visit, user);
    for (size_t i = 0; good && i < e->delays.n; i++)
        good = graph_symbols(g, &e->delays.items[i].value, 1, visit, user) &&
               graph_symbols(g, &e->delays.items[i].time, 1, visit, user) &&
               graph_symbols(g, &e->delays.items[i].most, 1, visit, user);
    return good && (!e->timer || graph_symbols(g, &e->timer, 1, visit, user));
}

/* ------------------------------------------------------------------ members */

/* "relation 2 (line 17)"; of a class of the library, whose line is none of the model's, with its
 * file */
static const char *relation_name(ClassMaker *m, size_t i, Place place)
{
    char text[200];
    if (place.line > 0 && place.file && !strncmp(place.file, "library/", 8))
        snprintf(text, sizeof text, "relation %zu (%.100s:%d)", i + 1, place.file, place.line);
    else if (place.line > 0)
        snprintf(text, sizeof text, "relation %zu (line %d)", i + 1, place.line);
    else
        snprintf(text, sizeof text, "relation %zu", i + 1);
    return maker_keep_name(m, text, 0);
}

/* the variable of a class of the library that is the value of a crossing, or NULL */
static const CellVariable *crossing_variable(const ClassMaker *m, const EventCrossing *c)
{
    for (uint32_t v = 0; m->info->is_library && v < m->cell->variables.n; v++) {
        const NodeList *values = &m->c->plan[0].values.items[v];
        if (values->n && values->items[0] == c->value && maker_is_crossing(m, v))
            return &m->cell->variables.items[v];
    }
    return NULL;
}

/* The side that a mode begins with: b = v >= limit with b(start = false, fixed = true) begins where
 * the relation does not hold, if both are solutions. */
static double first_side(const ClassMaker *m, const EventCrossing *c)
{
    const Graph *g = &m->cell->graph;
    for (uint32_t v = 0; c->held && v < m->cell->variables.n; v++) {
        const CellVariable *x = &m->cell->variables.items[v];
        const NodeList *values = &m->c->plan[0].values.items[v];
        if (x->role != CELL_UNKNOWN || x->type != LIEDER_TYPE_BOOLEAN || !x->start || !values->n)
            continue;
        const NodeData *d = node_data(g, values->items[0]);
        bool negated = d->kind == NODE_NOT;
        if (negated)
            d = node_data(g, d->a);
        if (d->kind == NODE_SYMBOL && symbol_variable(d->symbol) == c->variable)
            return (node_data(g, x->start)->value != 0) != negated;
    }
    return 0;
}

/* a crossing with its value, its side and a name */
static void add_crossing(ClassMaker *m, size_t i)
{
    const EventCrossing *c = &m->c->events.crossings.items[i];
    const CellVariable *named = crossing_variable(m, c);
    int value = maker_new_real(m, 1), side = maker_new_real(m, 1);
    char name[40];
    snprintf(name, sizeof name, "side of relation %zu", i + 1);
    m->variable_at.items[c->variable] = side;
    TRY(m, vec_push(m->cell->alloc, &m->crossing_at, value));
    maker_add_member(
        m, (LiederMember){.kind = LIEDER_CROSSING,
                          .name = named ? maker_keep_name(m, named->name, 0)
                                        : relation_name(m, i, c->place),
                          .unit = maker_keep_name(m, named && named->unit ? named->unit : "", 0),
                          .index = value,
                          .other = side,
                          .fallback = first_side(m, c),
                          .other_name = maker_keep_name(m, name, 0),
                          .crossing = c->held ? LIEDER_HELD : LIEDER_EDGE,
                          .linear = c->linear,
                          .text = maker_keep_name(m, named && named->text ? named->text : "", 0)});
}

/* a discrete variable with its place, its next value and its start value */
static void add_memory(ClassMaker *m, size_t i)
{
    const EventMemory *e = &m->c->events.memories.items[i];
    const CellVariable *v = &m->cell->variables.items[e->variable];
    int at = maker_new_real(m, 1), next = maker_new_real(m, 1);
    char name[340];
    snprintf(name, sizeof name, "next %.300s", v->name);
    m->variable_at.items[e->variable] = at;
    TRY(m, vec_push(m->cell->alloc, &m->next_at, next));
    maker_add_member(m, (LiederMember){.kind = LIEDER_MEMORY,
                                       .name = maker_keep_name(m, v->name, 0),
                                       .unit = maker_keep_name(m, v->unit ? v->unit : "", 0),
                                       .index = at,
                                       .other = next,
                                       .other_name = maker_keep_name(m, name, 0),
                                       .min = v->has_limits ? v->min : -INFINITY,
                                       .max = v->has_limits ? v->max : INFINITY,
                                       .type = v->type,
                                       .text = maker_keep_name(m, v->text ? v->text : "", 0)});
}

/* what is reported where a system leaves an unknown undecided: the unknowns that it may be */
static void describe_undecided(const ClassMaker *m, uint32_t system, char *text, size_t size)
{
    enum { MOST = 3 };
    const CellSystem *about = &m->cell->systems.items[system];
    size_t at = (size_t)snprintf(text, size, "the present mode of the model decides all of ");
    for (size_t k = 0; k < about->symbols.n && k < MOST && at < size; k++) {
        char name[200];
        cell_symbol_text(m->cell, about->symbols.items[k], name, sizeof name);
        at += (size_t)snprintf(text + at, size - at, "%s%.80s", k ? ", " : "", name);
    }
    if (at < size)
        snprintf(text + at, size - at,
                 "%s (%s); a factor is zero, and of all solutions the smallest is taken",
                 about->symbols.n > MOST ? ", ..." : "",
                 about->sources.items[0].path ? about->sources.items[0].path : "its equations");
}

/* what it says, and where it stands */
static void describe_request(const CellRequest *r, char *text, size_t size)
{
    const char *said = r->text && *r->text ? r->text : "no message";
    if (r->place.file)
        snprintf(text, size, "%.1700s (%.200s:%d:%d)", said, r->place.file, r->place.line,
                 r->place.column);
    else
        snprintf(text, size, "%.1700s", said);
}

/* an assert or a terminate, with its text and the place of its condition */
static void add_request(ClassMaker *m, size_t i)
{
    static const LiederRequestKind kinds[] = {[REQUEST_END] = LIEDER_TERMINATE,
                                              [REQUEST_ERROR] = LIEDER_ASSERT_ERROR,
                                              [REQUEST_WARNING] = LIEDER_ASSERT_WARNING};
    const CellRequest *r = &m->c->events.requests.items[i];
    int at = maker_new_real(m, 1);
    char name[40], text[2000];
    if (r->system)
        describe_undecided(m, r->system - 1, text, sizeof text);
    else
        describe_request(r, text, sizeof text);
    snprintf(name, sizeof name, "%s %zu", r->kind == REQUEST_END ? "terminate" : "assert", i + 1);
    TRY(m, vec_push(m->cell->alloc, &m->request_at, at));
    maker_add_member(m, (LiederMember){.kind = LIEDER_REQUEST,
                                       .name = maker_keep_name(m, name, 0),
                                       .unit = "",
                                       .index = at,
                                       .request = kinds[r->kind],
                                       .text = maker_keep_name(m, text, 0)});
}

/* a delayed variable: the place of its past, of its value, time and longest delay */
static void add_history(ClassMaker *m, size_t i)
{
    const EventDelay *d = &m->c->events.delays.items[i];
    int address = maker_new_real(m, 1), at = maker_new_real(m, 3);
    m->variable_at.items[d->variable] = address;
    TRY(m, vec_push(m->cell->alloc, &m->delay_at, at));
    const char *name = m->cell->variables.items[d->variable].name;
    maker_add_member(m, (LiederMember){.kind = LIEDER_HISTORY,
                                       .name = maker_keep_name(m, name, 0),
                                       .unit = "",
                                       .index = address,
                                       .other = at,
                                       .varies = d->varies,
                                       .type = d->discrete ? LIEDER_TYPE_INTEGER : LIEDER_TYPE_REAL,
                                       .text = ""});
}

void maker_add_event_members(ClassMaker *m)
{
    const EventPlan *e = &m->c->events;
    for (size_t i = 0; i < e->crossings.n && !m->failed; i++)
        add_crossing(m, i);
    for (size_t i = 0; i < e->memories.n && !m->failed; i++)
        add_memory(m, i);
    for (size_t i = 0; i < e->requests.n && !m->failed; i++)
        add_request(m, i);
    for (size_t i = 0; i < e->delays.n && !m->failed; i++)
        add_history(m, i);
    if (!e->timer || maker_has_next_time(m))
        return;
    m->timer_at = maker_new_real(m, 1);
    maker_add_member(m, (LiederMember){.kind = LIEDER_TIMER,
                                       .name = "next event",
                                       .unit = "s",
                                       .index = m->timer_at,
                                       .text = ""});
}

/* where a discrete variable is read: memory before the event, also of the variable that it is pre
 * of; sides; what the engine gives */
void maker_add_event_symbols(ClassMaker *m)
{
    static const PlaceKind places[MEANING_COUNT] = {[MEANING_INITIAL] = PLACE_INITIAL,
                                                    [MEANING_TERMINAL] = PLACE_TERMINAL,
                                                    [MEANING_HOLD] = PLACE_HOLD,
                                                    [MEANING_EVENT_TIME] = PLACE_EVENT_TIME};
    const Cell *cell = m->cell;
    for (uint32_t v = 0; v < cell->variables.n; v++) {
        const CellVariable *x = &cell->variables.items[v];
        if (x->role != CELL_DISCRETE)
            continue;
        int at = m->variable_at.items[v];
        if (at == NO_PLACE && x->meaning == MEANING_PRE)
            at = m->variable_at.items[x->of];
        if (x->meaning >= MEANING_INITIAL)
            maker_add_symbol(m, cell_symbol(v, 0), places[x->meaning], 0, 0);
        else if (at != NO_PLACE)
            maker_add_symbol(m, cell_symbol(v, 0), PLACE_MEMBER, 0, at);
    }
}

/* ------------------------------------------------------------------ assignments */

static LiederStatus report_late(ClassMaker *m, const Place *place, const char *what)
{
    diag_error(m->cell->diag, place->line > 0 ? place : NULL, NULL,
               "%s depends on forces or accelerations of the ports\n"
               "this is not supported yet; let it depend on positions and velocities",
               what);
    return LIEDER_BAD_MODEL;
}

static void assign_event(ClassMaker *m, int at, Node node)
{
    maker_assign(m, BLOCK_EVENT, LEVEL_SIGNAL, (BlockPlace){PLACE_MEMBER, 0, at}, node);
}

static bool is_early(ClassMaker *m, Node node)
{
    return maker_level_for(m, node, LEVEL_SIGNAL) <= LEVEL_INPUT;
}

static void assign_explicit(ClassMaker *m, BlockPlace place, Node node)
{
    maker_assign_at(m, maker_level_for(m, node, LEVEL_SIGNAL), place, node);
}

/* values, and sides that blocks decide */
static LiederStatus assign_crossings(ClassMaker *m)
{
    Graph *g = &m->cell->graph;
    const EventPlan *e = &m->c->events;
    for (size_t i = 0; i < e->crossings.n && !m->failed; i++) {
        const EventCrossing *c = &e->crossings.items[i];
        if (c->linear && !maker_is_affine(m, c->value)) {
            diag_error(m->cell->diag, c->place.line > 0 ? &c->place : NULL, NULL,
                       "a relation of forces or accelerations of the ports is not linear in these\n"
                       "write one relation for each side: f > limit or f < -limit instead of "
                       "abs(f) > limit");
            return LIEDER_BAD_MODEL;
        }
        BlockPlace value = {PLACE_MEMBER, 0, m->crossing_at.items[i]};
        BlockPlace side = {PLACE_MEMBER, 0, m->variable_at.items[c->variable]};
        assign_explicit(m, value, c->value);
        if (c->held)
            continue;
        Node zero = node_constant(g, 0);
        Node decided =
            node_select(g, cell_flag(m->cell, MEANING_HOLD), cell_variable(m->cell, c->variable, 0),
                        node_make(g, NODE_LESS, c->value, zero, NO_NODE));
        assign_explicit(m, side, decided);
    }
    return LIEDER_DONE;
}

/* next values of discrete variables, and their values before any event */
static LiederStatus assign_memory(ClassMaker *m)
{
    const EventPlan *e = &m->c->events;
    for (size_t i = 0; i < e->memories.n && !m->failed; i++) {
        const EventMemory *x = &e->memories.items[i];
        const CellVariable *v = &m->cell->variables.items[x->variable];
        if (!is_early(m, x->next))
            return report_late(m, &v->place, "what an event assigns");
        assign_event(m, m->next_at.items[i], x->next);
        if (v->is_output)
            assign_explicit(m, (BlockPlace){PLACE_SIGNAL, m->input_port.items[x->variable], 0},
                            cell_variable(m->cell, x->variable, 0));
    }
    return LIEDER_DONE;
}

/* new states, requests and timers of an event */
static LiederStatus assign_rest(ClassMaker *m)
{
    const EventPlan *e = &m->c->events;
    for (size_t i = 0; i < e->states.n && !m->failed; i++) {
        const EventState *s = &e->states.items[i];
        const CellState *state = &maker_plan(m)->states.items[s->state];
        if (!is_early(m, s->value))
            return report_late(m, &m->cell->variables.items[state->variable].place, "a reinit");
        assign_event(m, m->state_at.items[s->state], s->value);
    }
    for (size_t i = 0; i < e->requests.n && !m->failed; i++) {
        const CellRequest *r = &e->requests.items[i];
        Node node = r->node;
        bool early = is_early(m, node);
        if (!early && !r->of_function)
            return report_late(m, &r->place, "an assertion");
        if (!early) {
            diag_warning(m->cell->diag, &r->place, NULL,
                         "this assertion depends on forces or accelerations of the ports\n"
                         "it is not checked during the simulation");
            node = node_constant(&m->cell->graph, 0);
        }
        if (r->at_event)
            assign_event(m, m->request_at.items[i], node);
        else
            assign_explicit(m, (BlockPlace){PLACE_MEMBER, 0, m->request_at.items[i]}, node);
    }
    if (e->timer && !maker_has_next_time(m)) {
        if (!is_early(m, e->timer))
            return report_late(m, &(Place){0}, "the time of an event");
        assign_event(m, m->timer_at, e->timer);
    }
    return LIEDER_DONE;
}

/* what is delayed, by how much and by how much at most */
static LiederStatus assign_delays(ClassMaker *m)
{
    const EventPlan *e = &m->c->events;
    for (size_t i = 0; i < e->delays.n && !m->failed; i++) {
        const EventDelay *d = &e->delays.items[i];
        const Node nodes[] = {d->value, d->time, d->most};
        if (d->discrete && d->varies) {
            diag_error(m->cell->diag, &d->place, NULL,
                       "the time of a delay varies, and events alone change what it delays\n"
                       "use a parameter as the time, or delay a Real that varies");
            return LIEDER_BAD_MODEL;
        }
        for (int k = 0; k < 3; k++) {
            if (!is_early(m, nodes[k]))
                return report_late(m, &d->place, "what is delayed");
            assign_explicit(m, (BlockPlace){PLACE_MEMBER, 0, m->delay_at.items[i] + k}, nodes[k]);
        }
    }
    return LIEDER_DONE;
}

LiederStatus maker_assign_events(ClassMaker *m)
{
    LiederStatus status = assign_crossings(m);
    if (status == LIEDER_DONE)
        status = assign_memory(m);
    if (status == LIEDER_DONE)
        status = assign_delays(m);
    return status == LIEDER_DONE ? assign_rest(m) : status;
}
