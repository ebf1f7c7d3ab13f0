/* event.c - relations, steps, memory and when-clauses of a solved cell: what they are in continuous
 * blocks and what the event block computes. The rules stand in event.h.
 *
 * Two replacements are made, variable by variable: `now` for continuous blocks, `then` for the
 * event block. Relations and steps are gone through in the order in which their values depend on
 * each other's sides (sort.c); a component of that order is a mixed system, whose sides are read as
 * the engine holds them. In the event block sides are read, too: the engine has decided them.
 */
#include "equation/event.h"

#include <stdio.h>

#include "equation/cell.h"
#include "equation/eliminate.h"

/* ------------------------------------------------------------------ what a cell has */

void cell_events_init(Cell *cell)
{
    cell->events = (CellEvents){0};
}

void cell_events_drop(Cell *cell)
{
    CellEvents *e = &cell->events;
    vec_drop(cell->alloc, &e->relations);
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

/* ------------------------------------------------------------------ replacements */

/* a relation, a step, a clause or a variable that clauses assign */
typedef struct EventItem {
    uint32_t variable;
    Node value; /* with continuous variables put in */
    Place place;
    bool is_step, done;
} EventItem;
typedef VEC(EventItem) EventItems;

typedef struct Work {
    Cell *cell;
    CellPlan *plan;
    EventPlan *events;
    NodeList now, then;              /* by variable: what it is, NO_NODE: itself */
    VEC(uint32_t) item_of;           /* by variable: 1 + item that is being sorted */
    VEC(uint32_t) noted;             /* by item: 1 + the last row that has it */
    VEC(uint32_t) memory_at, pre_at; /* see index_memories */
    NodeList timers;                 /* in variables of the event block */
    bool failed;
} Work;

static bool work_fail(Work *w)
{
    w->failed = true;
    return false;
}

typedef struct Replace {
    const NodeList *by;
} Replace;

static Node replaced_symbol(void *user, uint64_t symbol, Node node)
{
    const Replace *r = user;
    if (symbol == CELL_TIME || symbol_order(symbol))
        return node;
    Node other = r->by->items[symbol_variable(symbol)];
    return other ? other : node;
}

static Node replace_by(Work *w, const NodeList *by, Node node)
{
    Replace r = {by};
    Node result = node ? replace_once(&w->cell->graph, replaced_symbol, &r, node) : NO_NODE;
    if (node && !result)
        work_fail(w);
    return result;
}

static Node put_in(Work *w, Node node)
{
    Node result = node ? known_put_in(w->cell, w->plan, node) : NO_NODE;
    if (node && !result)
        work_fail(w);
    return result;
}

/* as the event block computes it */
static Node at_event(Work *w, Node node)
{
    return replace_by(w, &w->then, put_in(w, node));
}

/* what a node depends on */
typedef struct Depends {
    const Cell *cell;
    bool time, continuous, discrete;
} Depends;

static bool note_dependence(void *user, uint64_t symbol, Node node)
{
    Depends *d = user;
    (void)node;
    if (symbol == CELL_TIME) {
        d->time = true;
        return true;
    }
    CellRole role = d->cell->variables.items[symbol_variable(symbol)].role;
    d->continuous |= role != CELL_DISCRETE && role != CELL_PARAMETER;
    d->discrete |= role == CELL_DISCRETE;
    return true;
}

static Depends depends_on(Work *w, Node node)
{
    Depends d = {.cell = w->cell};
    if (!graph_symbols(&w->cell->graph, &node, 1, note_dependence, &d))
        work_fail(w);
    return d;
}

/* ------------------------------------------------------------------ order */

typedef struct RowOfItem {
    Work *work;
    Incidence *table;
    uint32_t row;
} RowOfItem;

static bool note_item(void *user, uint64_t symbol, Node node)
{
    RowOfItem *r = user;
    (void)node;
    uint32_t item = symbol == CELL_TIME ? 0 : r->work->item_of.items[symbol_variable(symbol)];
    if (!item || r->work->noted.items[item - 1] == r->row + 1)
        return true;
    r->work->noted.items[item - 1] = r->row + 1;
    return incidence_add(r->table, r->work->cell->alloc, item - 1, 0, 1);
}

typedef struct Sorted {
    Incidence table;
    RowList order, first, column_of;
} Sorted;

static void sorted_drop(Sorted *s, const LiederAllocator *alloc)
{
    incidence_drop(&s->table, alloc);
    vec_drop(alloc, &s->order);
    vec_drop(alloc, &s->first);
    vec_drop(alloc, &s->column_of);
}

/* items in the order in which they depend on each other, loops together */
static bool sort_items(Work *w, const EventItems *items, Sorted *s)
{
    const LiederAllocator *alloc = w->cell->alloc;
    w->noted.n = 0;
    bool good = vec_resize(alloc, &w->item_of, w->cell->variables.n + 1) &&
                vec_resize(alloc, &w->noted, items->n + 1) &&
                vec_resize(alloc, &s->column_of, items->n + 1);
    for (size_t v = 0; good && v < w->item_of.n; v++)
        w->item_of.items[v] = 0;
    for (uint32_t i = 0; good && i < items->n; i++) {
        w->item_of.items[items->items[i].variable] = i + 1;
        s->column_of.items[i] = i;
    }
    for (uint32_t i = 0; good && i < items->n; i++) {
        RowOfItem row = {.work = w, .table = &s->table, .row = i};
        good = graph_symbols(&w->cell->graph, &items->items[i].value, 1, note_item, &row) &&
               incidence_end_row(&s->table, alloc);
    }
    s->table.ncolumn = (uint32_t)items->n;
    return good && sort_rows(&s->table, alloc, s->column_of.items, &s->order, &s->first);
}

/* more than one, or one that depends on itself */
static bool is_loop(const Sorted *s, size_t component)
{
    uint32_t first = s->first.items[component], row = s->order.items[first];
    if (s->first.items[component + 1] - first > 1)
        return true;
    FOR_ENTRIES(&s->table, row, e)
    if (e->column == row)
        return true;
    return false;
}

/* ------------------------------------------------------------------ relations and steps */

static Node less_than_zero(Graph *g, Node value)
{
    return node_make(g, NODE_LESS, value, node_constant(g, 0), NO_NODE);
}

static Node item_value(Work *w, const EventItem *item, Node value)
{
    Graph *g = &w->cell->graph;
    return item->is_step ? node_call(g, FUNCTION_FLOOR, value, NO_NODE) : less_than_zero(g, value);
}

static Node time_is_event_time(void *user, uint64_t symbol, Node node)
{
    Cell *cell = user;
    return symbol == CELL_TIME ? cell_flag(cell, MEANING_EVENT_TIME) : node;
}

static Node with_event_time(Work *w, Node node)
{
    Node result = replace_once(&w->cell->graph, time_is_event_time, w->cell, node);
    return result ? result : (work_fail(w), NO_NODE);
}

/* the next instant at which the sign of rest + factor time, or its floor, changes */
static Node next_instant(Work *w, const EventItem *item, Node factor, Node rest)
{
    Graph *g = &w->cell->graph;
    Node zero = node_constant(g, 0), never = node_constant(g, EVENT_NEVER);
    Node decided = cell_flag(w->cell, MEANING_EVENT_TIME), target = zero;
    if (item->is_step) {
        Node value = node_add(g, node_multiply(g, factor, decided), rest);
        Node cell = node_call(g, FUNCTION_FLOOR, value, NO_NODE);
        Node rises = node_make(g, NODE_LESS, zero, factor, NO_NODE);
        target = node_add(g, cell, rises);
    }
    Node instant = node_divide(g, node_subtract(g, target, rest), factor);
    Node ahead = node_make(g, NODE_LESS, decided, instant, NO_NODE);
    Node still = node_make(g, NODE_EQUAL, factor, zero, NO_NODE);
    ahead = node_make(g, NODE_AND, ahead, node_make(g, NODE_NOT, still, NO_NODE, NO_NODE), NO_NODE);
    return node_select(g, ahead, instant, never);
}

/* While initial() the time itself decides, so that time > 0 becomes true by an event. */
static Node time_item(Work *w, const EventItem *item, Node value)
{
    Graph *g = &w->cell->graph;
    Node decided = item_value(w, item, with_event_time(w, value));
    return w->cell->events.starting && !item->is_step
               ? node_select(g, cell_initial(w->cell), item_value(w, item, value), decided)
               : decided;
}

/* A relation that is affine in time, with factors that stay between events: it changes exactly at
 * its instant. */
static bool take_time_item(Work *w, const EventItem *item)
{
    Graph *g = &w->cell->graph;
    uint64_t time = CELL_TIME;
    Node factor, rest, now = replace_by(w, &w->now, item->value);
    int affine = node_affine(g, item->value, &time, 1, &factor, &rest);
    if (affine < 0)
        return work_fail(w);
    if (!affine)
        return false;
    w->now.items[item->variable] = time_item(w, item, now);
    w->then.items[item->variable] = time_item(w, item, replace_by(w, &w->then, item->value));
    Node instant = next_instant(w, item, factor, rest);
    return instant && vec_push(g->alloc, &w->timers, instant) ? true : work_fail(w);
}

/* what the linear group decides: forces, accelerations at ports, unknowns */
static bool is_early_symbol(void *user, uint64_t symbol, Node node)
{
    const Work *w = user;
    (void)node;
    if (symbol == CELL_TIME)
        return true;
    uint32_t v = symbol_variable(symbol), order = symbol_order(symbol);
    const CellVariable *x = &w->cell->variables.items[v];
    bool late = x->role == CELL_INWARD ||
                (x->role == CELL_OUTWARD && order >= x->contract && !(w->plan->out >> x->port & 1));
    for (size_t k = 0; k < w->plan->unknowns.n && !late; k++)
        late =
            w->plan->unknowns.items[k].variable == v && w->plan->unknowns.items[k].order == order;
    return !late;
}

static bool is_late(Work *w, Node node)
{
    return w->cell->nport && !graph_symbols(&w->cell->graph, &node, 1, is_early_symbol, w);
}

static void add_crossing(Work *w, uint32_t variable, Node value, bool held, Place place)
{
    EventCrossing c = {variable, value, held, is_late(w, value), place};
    if (!vec_push(w->cell->alloc, &w->events->crossings, c))
        work_fail(w);
}

/* no event is needed: it follows from what is known between events */
static bool take_known_item(Work *w, const EventItem *item)
{
    Depends d = depends_on(w, item->value);
    if (d.continuous)
        return false;
    if (d.time)
        return take_time_item(w, item);
    w->now.items[item->variable] = item_value(w, item, replace_by(w, &w->now, item->value));
    w->then.items[item->variable] = item_value(w, item, replace_by(w, &w->then, item->value));
    return true;
}

/* decided by its sign where sides are not held */
static void take_edge(Work *w, const EventItem *item)
{
    Graph *g = &w->cell->graph;
    if (item->is_step)
        return; /* memory: read as it is */
    Node value = replace_by(w, &w->now, item->value);
    Node side = cell_variable(w->cell, item->variable, 0);
    if (is_late(w, value)) { /* no block can decide it in time */
        add_crossing(w, item->variable, value, true, item->place);
        return;
    }
    w->now.items[item->variable] =
        node_select(g, cell_flag(w->cell, MEANING_HOLD), side, less_than_zero(g, value));
    add_crossing(w, item->variable, value, false, item->place);
}

/* sides that decide each other's values */
static void take_mixed(Work *w, const EventItems *items, const Sorted *s, size_t component)
{
    for (uint32_t k = s->first.items[component]; k < s->first.items[component + 1]; k++) {
        const EventItem *item = &items->items[s->order.items[k]];
        if (!item->is_step)
            add_crossing(w, item->variable, replace_by(w, &w->now, item->value), true, item->place);
    }
}

/* the relations that bound a step are none of their own where it is computed */
static bool bounds_known_step(const Work *w, uint32_t variable)
{
    for (size_t i = 0; i < w->cell->events.steps.n; i++) {
        const CellStep *s = &w->cell->events.steps.items[i];
        if ((s->below == variable || s->above == variable) && w->now.items[s->variable])
            return true;
    }
    return false;
}

static bool list_sides(Work *w, EventItems *items)
{
    const CellEvents *e = &w->cell->events;
    bool good = true;
    for (size_t i = 0; good && i < e->relations.n; i++) {
        const CellRelation *r = &e->relations.items[i];
        good = vec_push(w->cell->alloc, items,
                        (EventItem){r->variable, put_in(w, r->value), r->place, false, false});
    }
    for (size_t i = 0; good && i < e->steps.n; i++) {
        const CellStep *s = &e->steps.items[i];
        good = vec_push(w->cell->alloc, items,
                        (EventItem){s->variable, put_in(w, s->value), (Place){0}, true, false});
    }
    return good && !w->failed;
}

static bool take_sides(Work *w)
{
    EventItems items = {0};
    Sorted s = {0};
    bool good = list_sides(w, &items) && sort_items(w, &items, &s);
    for (size_t k = 0; good && k + 1 < s.first.n && !w->failed; k++) {
        const EventItem *item = &items.items[s.order.items[s.first.items[k]]];
        if (is_loop(&s, k))
            take_mixed(w, &items, &s, k);
        else if (!bounds_known_step(w, item->variable) && !take_known_item(w, item))
            take_edge(w, item);
    }
    sorted_drop(&s, w->cell->alloc);
    vec_drop(w->cell->alloc, &items);
    return good && !w->failed;
}

/* the cell number of a step that events change */
static bool take_step_memory(Work *w)
{
    Graph *g = &w->cell->graph;
    for (size_t i = 0; i < w->cell->events.steps.n && !w->failed; i++) {
        const CellStep *s = &w->cell->events.steps.items[i];
        if (w->now.items[s->variable])
            continue;
        Node below = cell_variable(w->cell, s->below, 0);
        Node above = node_make(g, NODE_NOT, cell_variable(w->cell, s->above, 0), NO_NODE, NO_NODE);
        Node left = node_make(g, NODE_OR, below, above, NO_NODE);
        left = node_make(g, NODE_OR, left, cell_initial(w->cell), NO_NODE);
        Node next = node_select(g, left, node_call(g, FUNCTION_FLOOR, s->value, NO_NODE),
                                cell_variable(w->cell, s->variable, 0));
        EventMemory memory = {s->variable, at_event(w, next)};
        if (!memory.next || !vec_push(g->alloc, &w->events->memories, memory))
            return work_fail(w);
    }
    return !w->failed;
}

/* ------------------------------------------------------------------ clauses */

static LiederStatus report_loop(Work *w, const EventItems *items, const Sorted *s, size_t component)
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
static LiederStatus solve_loop(Work *w, const EventItems *items, const Sorted *s, size_t component)
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
        Node residual = node_subtract(g, own, replace_by(w, &w->then, item->value));
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

/* values of items at events: what they share is looked at once */
typedef struct EventPass {
    GraphPass known, then;
    Replace by;
} EventPass;

static void begin_pass(Work *w, EventPass *p)
{
    p->by = (Replace){&w->then};
    p->known = (GraphPass){.graph = &w->cell->graph, .of_symbol = known_value, .user = w->plan};
    p->then = (GraphPass){.graph = &w->cell->graph, .of_symbol = replaced_symbol, .user = &p->by};
}

static void end_pass(EventPass *p)
{
    pass_drop(&p->known);
    pass_drop(&p->then);
}

static Node pass_at_event(Work *w, EventPass *p, Node node)
{
    Node known = node ? replace_symbols(&p->known, node) : NO_NODE;
    Node result = known ? replace_symbols(&p->then, known) : NO_NODE;
    if (node && !result)
        work_fail(w);
    return result;
}

static bool list_clauses(Work *w, EventItems *items)
{
    const CellEvents *e = &w->cell->events;
    EventPass pass;
    bool good = true;
    begin_pass(w, &pass);
    for (size_t i = 0; good && i < e->whens.n; i++) {
        const CellWhen *c = &e->whens.items[i];
        EventItem item = {c->variable, pass_at_event(w, &pass, c->fires), c->place, false, false};
        good = vec_push(w->cell->alloc, items, item);
    }
    for (size_t i = 0; good && i < e->memories.n; i++) {
        const CellMemory *m = &e->memories.items[i];
        if (w->cell->variables.items[m->variable].meaning != MEANING_WHEN)
            continue;
        EventItem item = {m->variable, pass_at_event(w, &pass, m->next), m->place, false, false};
        good = vec_push(w->cell->alloc, items, item);
    }
    end_pass(&pass);
    return good && !w->failed;
}

static LiederStatus take_clauses(Work *w)
{
    EventItems items = {0};
    Sorted s = {0};
    bool good = list_clauses(w, &items) && sort_items(w, &items, &s);
    LiederStatus status = good ? LIEDER_DONE : LIEDER_NO_MEMORY;
    EventPass pass;
    begin_pass(w, &pass);
    for (size_t k = 0; status == LIEDER_DONE && k + 1 < s.first.n && !w->failed; k++) {
        const EventItem *item = &items.items[s.order.items[s.first.items[k]]];
        if (is_loop(&s, k)) {
            end_pass(&pass); /* it may have seen variables of the loop without their values */
            begin_pass(w, &pass);
            status = solve_loop(w, &items, &s, k);
        } else if (!(w->then.items[item->variable] = replace_symbols(&pass.then, item->value))) {
            work_fail(w);
        }
    }
    end_pass(&pass);
    sorted_drop(&s, w->cell->alloc);
    vec_drop(w->cell->alloc, &items);
    return w->failed ? LIEDER_NO_MEMORY : status;
}

/* relations of discrete variables see what clauses have assigned */
static bool close_sides(Work *w)
{
    for (uint32_t v = 0; v < w->cell->variables.n && !w->failed; v++) {
        CellMeaning meaning = w->cell->variables.items[v].meaning;
        if (w->then.items[v] && (meaning == MEANING_SIDE || meaning == MEANING_STEP))
            w->then.items[v] = replace_by(w, &w->then, w->then.items[v]);
    }
    return !w->failed;
}

/* ------------------------------------------------------------------ initial equations */

/* by variable: the first memory that is it, and the first pre of it */
static bool index_memories(Work *w)
{
    const Cell *cell = w->cell;
    if (!vec_resize(cell->alloc, &w->memory_at, cell->variables.n + 1) ||
        !vec_resize(cell->alloc, &w->pre_at, cell->variables.n + 1))
        return false;
    for (uint32_t i = (uint32_t)cell->events.memories.n; i-- > 0;)
        w->memory_at.items[cell->events.memories.items[i].variable] = i + 1;
    for (uint32_t v = (uint32_t)cell->variables.n; v-- > 0;)
        if (cell->variables.items[v].meaning == MEANING_PRE)
            w->pre_at.items[cell->variables.items[v].of] = v + 1;
    return true;
}

static uint32_t memory_of(const Work *w, uint32_t variable)
{
    return w->memory_at.items[variable] ? w->memory_at.items[variable] - 1 : (uint32_t)NO_COLUMN;
}

/* one side of an initial equation as memory: NO_COLUMN if it is none */
typedef struct MemorySide {
    uint32_t memory;
    bool negated; /* the side is not m */
} MemorySide;

static MemorySide memory_of_side(Work *w, Node side)
{
    const Cell *cell = w->cell;
    const Node tries[] = {side, put_in(w, side)};
    for (int k = 0; k < 2 && !w->failed; k++) {
        const NodeData *n = node_data(&cell->graph, tries[k]);
        bool negated = n->kind == NODE_NOT;
        if (negated)
            n = node_data(&cell->graph, n->a);
        if (n->kind != NODE_SYMBOL || n->symbol == CELL_TIME || symbol_order(n->symbol))
            continue;
        uint32_t v = symbol_variable(n->symbol);
        const CellVariable *x = &cell->variables.items[v];
        if (x->meaning == MEANING_PRE && memory_of(w, v) == NO_COLUMN)
            v = x->of;
        if (memory_of(w, v) != NO_COLUMN)
            return (MemorySide){memory_of(w, v), negated};
    }
    /* the equation of v says how it follows from pre(v), which is what can be chosen */
    const NodeData *n = node_data(&cell->graph, side);
    if (n->kind == NODE_SYMBOL && n->symbol != CELL_TIME && symbol_order(n->symbol) == 0 &&
        w->pre_at.items[symbol_variable(n->symbol)])
        return (MemorySide){memory_of(w, w->pre_at.items[symbol_variable(n->symbol)] - 1), false};
    return (MemorySide){NO_COLUMN, false};
}

/* which memory each initial equation could decide: its left side, or its right one */
static bool list_initial(Work *w, Incidence *table)
{
    Cell *cell = w->cell;
    bool good = true;
    for (size_t i = 0; good && i < cell->initial.n && !w->failed; i++) {
        const CellEquation *e = &cell->initial.items[i];
        uint32_t left = e->is_start ? NO_COLUMN : memory_of_side(w, e->left).memory;
        uint32_t right = e->is_start ? NO_COLUMN : memory_of_side(w, e->right).memory;
        if (left != NO_COLUMN)
            good = incidence_add(table, cell->alloc, left, 0, 1);
        if (right != NO_COLUMN && right != left)
            good = good && incidence_add(table, cell->alloc, right, 0, 2);
        good = good && incidence_end_row(table, cell->alloc);
    }
    table->ncolumn = (uint32_t)cell->events.memories.n;
    return good && !w->failed;
}

/* v = e and pre(v) = e decide memory, each a different one; the other initial equations stay */
static bool take_initial(Work *w)
{
    Cell *cell = w->cell;
    Incidence table = {0};
    RowList memory_of_row = {0};
    size_t kept = 0;
    bool good = index_memories(w) && list_initial(w, &table) &&
                vec_resize(cell->alloc, &memory_of_row, cell->initial.n + 1) &&
                assign_columns(&table, cell->alloc, memory_of_row.items, NULL);
    for (size_t i = 0; good && i < cell->initial.n && !w->failed; i++) {
        const CellEquation e = cell->initial.items[i];
        if (memory_of_row.items[i] == NO_COLUMN) {
            cell->initial.items[kept++] = e;
            continue;
        }
        CellMemory *m = &cell->events.memories.items[memory_of_row.items[i]];
        MemorySide left = memory_of_side(w, e.left), right = memory_of_side(w, e.right);
        bool is_left = left.memory == memory_of_row.items[i];
        m->initial = is_left ? e.right : e.left;
        if (is_left ? left.negated : right.negated)
            m->initial = node_make(&cell->graph, NODE_NOT, m->initial, NO_NODE, NO_NODE);
    }
    if (good)
        cell->initial.n = kept;
    incidence_drop(&table, cell->alloc);
    vec_drop(cell->alloc, &memory_of_row);
    return good ? !w->failed : work_fail(w);
}

/* ------------------------------------------------------------------ the event block */

static bool take_memory(Work *w)
{
    Graph *g = &w->cell->graph;
    EventPass pass;
    begin_pass(w, &pass);
    for (size_t i = 0; i < w->cell->events.memories.n && !w->failed; i++) {
        const CellMemory *m = &w->cell->events.memories.items[i];
        Node next = w->then.items[m->variable];
        if (!next)
            next = pass_at_event(w, &pass, m->next);
        if (m->initial)
            next = node_select(g, cell_flag(w->cell, MEANING_INITIAL),
                               pass_at_event(w, &pass, m->initial), next);
        EventMemory memory = {m->variable, next};
        if (!next || !vec_push(g->alloc, &w->events->memories, memory))
            work_fail(w);
    }
    end_pass(&pass);
    return !w->failed;
}

/* the state that a variable is, up to a factor and a rest: state = (value - rest) / factor */
static bool find_state(Work *w, Node node, Node value, uint32_t *state, Node *is)
{
    Graph *g = &w->cell->graph;
    for (uint32_t k = 0; k < w->plan->states.n; k++) {
        const CellState *s = &w->plan->states.items[k];
        uint64_t symbol = cell_symbol(s->variable, s->order);
        Node factor, rest;
        int affine = node_affine(g, node, &symbol, 1, &factor, &rest);
        if (affine < 0)
            return work_fail(w);
        if (!affine || node_is_constant(g, factor, 0) || depends_on(w, rest).continuous ||
            depends_on(w, factor).continuous)
            continue;
        *state = k;
        *is = node_divide(g, node_subtract(g, value, rest), factor);
        return true;
    }
    return false;
}

static LiederStatus take_reinit(Work *w, const CellReinit *r)
{
    Graph *g = &w->cell->graph;
    uint32_t k = 0;
    Node is = NO_NODE, before = NO_NODE;
    Node node = put_in(w, cell_variable(w->cell, r->variable, 0));
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
    Node value = node_select(g, at_event(w, r->fires), at_event(w, is), before);
    if (found)
        found->value = value;
    else if (!vec_push(g->alloc, &w->events->states, (EventState){k, value}))
        work_fail(w);
    return w->failed || !value ? LIEDER_NO_MEMORY : LIEDER_DONE;
}

static bool take_timer(Work *w)
{
    Graph *g = &w->cell->graph;
    Node timer = NO_NODE;
    for (size_t i = 0; i < w->cell->events.timers.n; i++)
        if (!vec_push(g->alloc, &w->timers, put_in(w, w->cell->events.timers.items[i])))
            return work_fail(w);
    for (size_t i = 0; i < w->timers.n && !w->failed; i++) {
        Node instant = replace_by(w, &w->then, w->timers.items[i]);
        timer = timer ? node_call(g, FUNCTION_MIN, timer, instant) : instant;
    }
    w->events->timer = timer;
    return !w->failed;
}

static bool take_requests(Work *w)
{
    for (size_t i = 0; i < w->cell->events.requests.n && !w->failed; i++) {
        CellRequest r = w->cell->events.requests.items[i];
        r.node = r.at_event ? at_event(w, r.node) : replace_by(w, &w->now, put_in(w, r.node));
        if (!r.node || !vec_push(w->cell->alloc, &w->events->requests, r))
            return work_fail(w);
    }
    return true;
}

static bool take_delays(Work *w)
{
    for (size_t i = 0; i < w->cell->events.delays.n && !w->failed; i++) {
        const CellDelay *d = &w->cell->events.delays.items[i];
        Node value = put_in(w, d->value), time = put_in(w, d->time);
        Depends of_value = depends_on(w, value), of_time = depends_on(w, time);
        EventDelay delay = {.variable = d->variable,
                            .value = replace_by(w, &w->now, value),
                            .time = replace_by(w, &w->now, time),
                            .most = replace_by(w, &w->now, put_in(w, d->most)),
                            .discrete = !of_value.continuous && !of_value.time,
                            .varies = of_time.continuous || of_time.time || of_time.discrete,
                            .place = d->place};
        if (!vec_push(w->cell->alloc, &w->events->delays, delay))
            return work_fail(w);
    }
    return !w->failed;
}

/* pre of a continuous variable: what it is when the event begins */
static bool take_left_limits(Work *w)
{
    const Cell *cell = w->cell;
    for (uint32_t v = 0; v < cell->variables.n && !w->failed; v++) {
        const CellVariable *x = &cell->variables.items[v];
        if (x->meaning != MEANING_PRE || cell->variables.items[x->of].role == CELL_DISCRETE ||
            cell->variables.items[x->of].type != LIEDER_TYPE_REAL)
            continue;
        w->then.items[v] = at_event(w, cell_variable(w->cell, x->of, 0));
    }
    return !w->failed;
}

/* ------------------------------------------------------------------ all of it */

/* no clause fires between events */
static bool clauses_rest(Work *w)
{
    for (size_t i = 0; i < w->cell->events.whens.n; i++)
        w->now.items[w->cell->events.whens.items[i].variable] = node_constant(&w->cell->graph, 0);
    return !w->cell->graph.failed;
}

/* the plan as continuous blocks compute it */
static bool rewrite_plan(Work *w)
{
    CellPlan *plan = w->plan;
    Replace r = {&w->now};
    GraphPass pass = {.graph = &w->cell->graph, .of_symbol = replaced_symbol, .user = &r};
    for (size_t v = 0; v < plan->values.n; v++)
        for (size_t k = 0; k < plan->values.items[v].n; k++)
            plan->values.items[v].items[k] = replace_symbols(&pass, plan->values.items[v].items[k]);
    for (size_t k = 0; k < plan->residuals.n; k++)
        plan->residuals.items[k] = replace_symbols(&pass, plan->residuals.items[k]);
    pass_drop(&pass);
    return w->cell->graph.failed ? work_fail(w) : !w->failed;
}

LiederStatus cell_solve_events(Cell *cell, CellPlan *plan, EventPlan *events)
{
    *events = (EventPlan){0};
    if (!cell_has_events(cell))
        return LIEDER_DONE;
    Work w = {.cell = cell, .plan = plan, .events = events};
    bool good = vec_resize(cell->alloc, &w.now, cell->variables.n + 1) &&
                vec_resize(cell->alloc, &w.then, cell->variables.n + 1) && clauses_rest(&w) &&
                take_sides(&w) && take_left_limits(&w);
    LiederStatus status = good ? take_clauses(&w) : LIEDER_NO_MEMORY;
    if (status == LIEDER_DONE && (!close_sides(&w) || !take_initial(&w)))
        status = LIEDER_NO_MEMORY;
    for (size_t i = 0; status == LIEDER_DONE && i < cell->events.reinits.n; i++)
        status = take_reinit(&w, &cell->events.reinits.items[i]);
    if (status == LIEDER_DONE && (!take_memory(&w) || !take_step_memory(&w) || !take_timer(&w) ||
                                  !take_requests(&w) || !take_delays(&w) || !rewrite_plan(&w)))
        status = LIEDER_NO_MEMORY;
    vec_drop(cell->alloc, &w.now);
    vec_drop(cell->alloc, &w.then);
    vec_drop(cell->alloc, &w.item_of);
    vec_drop(cell->alloc, &w.noted);
    vec_drop(cell->alloc, &w.memory_at);
    vec_drop(cell->alloc, &w.pre_at);
    vec_drop(cell->alloc, &w.timers);
    return w.failed || cell->graph.failed ? LIEDER_NO_MEMORY : status;
}
