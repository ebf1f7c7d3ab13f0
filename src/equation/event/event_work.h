/* event_work.h - the events of a solved cell under construction, shared by the files that find what
 * they are:
 *
 *   event_order.c   what stands for a discrete variable, and the order of such variables
 *   relation.c      relations of abs, min and max, before the cell is solved
 *   event_side.c    relations and steps
 *   event_limit.c   pre of continuous variables
 *   event_clause.c  when-clauses
 *   event_initial.c initial equations that decide memory
 *   event.c         memory, reinit, timers, requests and delays; all of it in order
 *
 * Private to equation/. */
#ifndef LIEDER_EQUATION_EVENT_WORK_H
#define LIEDER_EQUATION_EVENT_WORK_H

#include "equation/cell/cell.h"

/* a relation, a step, a clause or a variable that clauses assign */
typedef struct EventItem {
    uint32_t variable;
    Node value; /* with continuous variables put in */
    Place place;
    bool is_step;
    bool is_made; /* a relation that is made of others: the value is its side */
} EventItem;
typedef VEC(EventItem) EventItems;

typedef struct EventWork {
    Cell *cell;
    CellPlan *plan;
    EventPlan *events;
    NodeList now, then;              /* by variable: what it is, NO_NODE: itself */
    VEC(uint32_t) item_of;           /* by variable: 1 + item that is being sorted */
    VEC(uint32_t) noted;             /* by item: 1 + the last row that has it */
    VEC(uint32_t) memory_at, pre_at; /* see index_memories */
    NodeList timers;                 /* in variables of the event block */
    bool failed;
} EventWork;

/* false, after noting that memory ran out */
static inline bool event_fail(EventWork *w)
{
    w->failed = true;
    return false;
}

/* ------------------------------------------------------------------ event_order.c */

/* what a node depends on */
typedef struct EventDepends {
    const Cell *cell;
    bool time, continuous, discrete;
} EventDepends;
EventDepends event_depends(EventWork *w, Node node);

/* variables by what a list has for them, of_symbol of a pass over the graph; user: EventReplace */
typedef struct EventReplace {
    const NodeList *by;
} EventReplace;
Node event_replaced(void *user, uint64_t symbol, Node node);
/* NO_NODE: memory ran out, or there was no node */
Node event_replace(EventWork *w, const NodeList *by, Node node);
Node event_put_in(EventWork *w, Node node);
/* as the event block computes it */
Node event_at(EventWork *w, Node node);

/* items in the order in which they depend on each other, loops together */
typedef struct EventOrder {
    Incidence table;
    RowList order, first, column_of;
} EventOrder;
bool event_sort(EventWork *w, const EventItems *items, EventOrder *s);
/* more than one, or one that depends on itself */
bool event_is_loop(const EventOrder *s, size_t component);
void event_order_drop(EventOrder *s, const LiederAllocator *alloc);

/* ------------------------------------------------------------------ relation.c */

/* Relations that bend (abs, min, max) become relations that do not; false: memory ran out */
bool cell_divide_relations(Cell *cell);

/* ------------------------------------------------------------------ event_side.c */

bool event_take_sides(EventWork *w);
/* the cell number of a step that events change */
bool event_take_steps(EventWork *w);

/* ------------------------------------------------------------------ event_limit.c */

/* Before the cell is solved: memory that pre of a continuous variable needs; false: memory ran out
 */
bool cell_prepare_limits(Cell *cell);
/* pre of continuous variables, in the event block */
bool event_take_limits(EventWork *w);

/* ------------------------------------------------------------------ event_clause.c */

/* values of items at events: what they share is examined once */
typedef struct EventPass {
    GraphPass known, then, now;
    EventReplace by, by_now;
} EventPass;
void event_pass_begin(EventWork *w, EventPass *p);
void event_pass_end(EventPass *p);
Node event_pass_at(EventWork *w, EventPass *p, Node node);
/* the same between events, and with continuous variables put in alone */
Node event_pass_now(EventWork *w, EventPass *p, Node node);
Node event_pass_known(EventWork *w, EventPass *p, Node node);

LiederStatus event_take_clauses(EventWork *w);
/* relations of discrete variables see what clauses have assigned */
bool event_close_sides(EventWork *w);

/* ------------------------------------------------------------------ event_initial.c */

/* v = e and pre(v) = e decide memory, each a different one; the other initial equations stay */
LiederStatus event_take_initial(EventWork *w);

#endif
