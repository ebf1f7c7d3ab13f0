/* event.h - what of a cell happens at events.
 *
 * Between events discrete variables are numbers. What they are made of:
 *
 *   relation   a side that is held: 1 where value < 0. Every relation on Reals outside noEvent
 *   step       floor of something that varies: the number of the cell, held likewise
 *   memory     a number that an event changes: a variable assigned by when, pre(v), the condition
 *              of a when-clause before the event, the counter of a sample
 *   when       a clause: whether it fires in the pass of an event at hand
 *   history    where the past of a delayed expression stands
 *
 * Each is a variable of role CELL_DISCRETE, which equations use like any other known one, so
 * cell_solve sees no events at all: a loop through a relation (an ideal diode) is a linear system
 * whose coefficients a side chooses.
 *
 * cell_solve_events then says what the variables stand for. In continuous blocks:
 *
 *   a relation of parameters and discrete variables     is computed
 *   a relation that is affine in time                   is computed from the time of the event, and
 *                                                       its instant is a timer, solved exactly
 *   a relation whose value depends on its own side,     is read: LIEDER_HELD
 *   directly or through other relations, or on forces
 *   and accelerations at ports
 *   any other                                           hold ? side : value < 0, LIEDER_EDGE
 *   when-clauses                                        never fire
 *
 * and in the event block, which the engine runs until nothing changes: clauses and the variables
 * that they assign are sorted together, with everything continuous put in as the plan has it, so
 * that clauses on one event see the same pre values. A loop of Reals among them is solved, a loop
 * of Booleans is an error.
 *
 * The first event of a run: passes with initial = 1, in which pre values stay, then one more that
 * still counts as initial (memory `starting`), in which they become the values found, as
 * Modelica 8.6 asks for.
 */
#ifndef LIEDER_EQUATION_EVENT_H
#define LIEDER_EQUATION_EVENT_H

#include <lieder/lieder.h>

#include "base/diag.h"
#include "block/expression.h"

struct Cell;
struct CellPlan;

typedef enum CellMeaning {
    MEANING_NONE,
    MEANING_WHEN,   /* assigned by when: memory of its own */
    MEANING_PRE,    /* pre of a variable */
    MEANING_MEMORY, /* without a name in the text */
    MEANING_SIDE,   /* of a relation */
    MEANING_STEP,
    MEANING_FIRES,   /* of a when-clause */
    MEANING_HISTORY, /* where the past of an expression stands */
    /* what the engine gives: see Call of component.h */
    MEANING_INITIAL,
    MEANING_TERMINAL,
    MEANING_HOLD,
    MEANING_EVENT_TIME,
    MEANING_COUNT
} CellMeaning;

/* side = value < 0, and nothing at zero: a <= b is not (b - a < 0) */
typedef struct CellRelation {
    uint32_t variable;
    Node value;
    Place place;
    const char *path;
    Node sides; /* of other relations that it is made of (relation.c), or NO_NODE */
} CellRelation;

/* floor(value); the relations value - n < 0 and value - (n + 1) < 0 end the cell */
typedef struct CellStep {
    uint32_t variable, below, above;
    Node value;
} CellStep;

typedef struct CellWhen {
    uint32_t variable;
    Node fires;
    Place place;
} CellWhen;

typedef struct CellMemory {
    uint32_t variable;
    Node next;    /* what it is after a pass */
    Node initial; /* likewise while initial; NO_NODE: next, too */
    Place place;
    const char *path;
} CellMemory;

typedef struct CellReinit {
    uint32_t variable;
    Node fires, value;
    Place place;
    const char *path;
} CellReinit;

typedef enum CellRequestKind { REQUEST_END, REQUEST_ERROR, REQUEST_WARNING } CellRequestKind;

/* assert and terminate: not zero where the text is reported */
typedef struct CellRequest {
    CellRequestKind kind;
    Node node;
    const char *text;
    uint32_t
        system; /* 1 + the system that may leave an unknown undecided, which is reported; or 0 */
    bool of_function; /* an assertion in a function: left out where it cannot be checked */
    bool at_event;    /* only in passes of events */
    Place place;
} CellRequest;

/* delay(value, time, most): its past is read by the functions of history.h with `variable`. Before
 * the start it is memory, which the first event sets. */
typedef struct CellDelay {
    uint32_t variable;
    Node value, time, most;
    Place place;
    const char *path;
    Node result; /* what the text has in its place */
} CellDelay;

/* a == b or a <> b of Reals where no event is wanted or possible: a warning if they vary
 * continuously */
typedef struct CellEquality {
    Node difference;
    Place place;
    const char *path;
} CellEquality;

typedef struct CellEvents {
    VEC(CellRelation) relations;
    VEC(CellEquality) equalities;
    VEC(CellStep) steps;
    VEC(CellWhen) whens;
    VEC(CellMemory) memories;
    VEC(CellReinit) reinits;
    VEC(CellRequest) requests;
    VEC(CellDelay) delays;
    NodeList timers;               /* instants at which an event is wanted */
    uint32_t flags[MEANING_COUNT]; /* by meaning: 1 + variable of what the engine gives */
    uint32_t starting;             /* 1 + the memory of the last initial pass, or 0 */
} CellEvents;

/* later than anything: no instant */
#define EVENT_NEVER 1e300

void cell_events_init(struct Cell *cell);
void cell_events_drop(struct Cell *cell);
/* is there anything that needs an event block? */
bool cell_has_events(const struct Cell *cell);
/* a discrete variable that stands for something else; UINT32_MAX: memory ran out */
uint32_t cell_add_discrete(struct Cell *cell, CellMeaning meaning, const char *name, Place place);
/* what the engine gives, by one of the last meanings */
Node cell_flag(struct Cell *cell, CellMeaning meaning);
/* initial(), up to the last initial pass */
Node cell_initial(struct Cell *cell);

/* ------------------------------------------------------------------ what comes of it */

typedef struct EventCrossing {
    uint32_t variable; /* its side */
    Node value;
    bool held;
    bool linear; /* the value depends on what the linear group decides: held as well */
    Place place;
} EventCrossing;

typedef struct EventMemory {
    uint32_t variable;
    Node next;
} EventMemory;

typedef struct EventState {
    uint32_t state; /* of the plan */
    Node value;
} EventState;

typedef struct EventDelay {
    uint32_t variable;
    Node value, time, most;
    bool discrete, varies; /* only events change the value; the time is no parameter */
    Place place;
} EventDelay;

typedef struct EventPlan {
    VEC(EventDelay) delays;
    VEC(EventCrossing) crossings;
    VEC(EventMemory) memories;
    VEC(EventState) states;
    VEC(CellRequest) requests;
    Node timer; /* the next instant, or NO_NODE */
} EventPlan;

/* before the cell is solved: whatever is needed later is a variable now */
bool cell_prepare_events(struct Cell *cell);
/* after it: the plan's values are what continuous blocks compute */
LiederStatus cell_solve_events(struct Cell *cell, struct CellPlan *plan, EventPlan *events);
void event_plan_drop(EventPlan *events, const LiederAllocator *alloc);

#endif
