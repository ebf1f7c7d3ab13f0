/* history.h - the past of variables that components delay: see history.c. */
#ifndef LIEDER_SOLVE_HISTORY_H
#define LIEDER_SOLVE_HISTORY_H

#include "solve/run/team.h"

typedef struct Events Events;
/* the state at a time inside the last step */
typedef void Between(void *user, double t, double *x);

/* what lanes were: see history.c */
typedef struct History History;
typedef struct Histories {
    size_t n;
    History *own;                 /* NULL: they are borrowed */
    History **items;              /* these, or those of the lane at hand */
    size_t *at;                   /* by item: of memory */
    double *values;               /* as Readings.delayed */
    double *points;               /* of the segments in the making */
    double *x;                    /* room for three states */
    const LiederAllocator *alloc; /* of what they keep */
} Histories;

bool histories_create(Events *e); /* false: memory ran out */
void histories_drop(Events *e);
/* has the system some, on any rank? */
bool histories_anywhere(const LiederSystem *system);
/* addresses of histories in the memory of the run, or none */
void histories_attach(Events *e, bool on);
/* These events have none of their own: those of the lane at hand, whose memory has the addresses.
 * alloc: of what they keep, for threads. */
void histories_borrow(Events *e, const LiederAllocator *alloc);
void histories_enter(Events *e);
/* before a run from (t, x): reports delays that are impossible, or shorter than fixed steps */
LiederStatus histories_check(Events *e, double t, const Moment *moment, const double *x,
                             double step);
/* the shortest delay that limits steps, once they were checked; of all ranks */
double histories_shortest(const Events *e);
/* the past begins */
LiederStatus histories_begin(Events *e, double t, double decided, const Moment *moment,
                             const double *x);
/* a step has been accepted up to (t, x); between: inside it */
LiederStatus histories_step(Events *e, double from, double t, Between *between, void *user,
                            const Moment *moment, const double *x);
LiederStatus histories_fixed_step(Events *e, double from, double t, const Moment *moment,
                                  const double *begin, const double *end);
/* an event has taken place */
LiederStatus histories_event(Events *e, double t, double decided, const Moment *moment,
                             const double *x);
/* when the next jump arrives after t; has one arrived that had no event yet? */
double histories_next(const Events *e, double t);
bool history_is_due(double handle, double decided);
/* Borrowed histories forget nothing: this does, up to what rows from `shown` on need. What is kept
 * may go back to marks, one for each. */
typedef struct HistoryMark {
    size_t n, njump;
    double end, last, seen, delay, most;
} HistoryMark;
void histories_forget(Events *e, double shown);
void histories_mark(const Events *e, HistoryMark *marks);
void histories_return(Events *e, const HistoryMark *marks);
/* what stands in a state file: a head, then segments and jumps */
typedef struct HistoryHead {
    double begin, end, last, seen;
    uint64_t n, njump;
} HistoryHead;
typedef struct HistoryParts {
    HistoryHead head;
    const LiederSegment *segments;
    const double *jumps;
} HistoryParts;
HistoryParts history_parts(const Events *e, size_t i);
/* the next one of a file becomes number i, or is passed over if there is none; false: it is wrong
 */
typedef bool HistoryGet(void *user, void *bytes, size_t n);
bool history_read(Events *e, size_t i, HistoryGet *get, void *user);

#endif
