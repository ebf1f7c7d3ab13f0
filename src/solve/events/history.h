/* history.h - the past of variables that components delay: see history.c. */
#ifndef LIEDER_SOLVE_HISTORY_H
#define LIEDER_SOLVE_HISTORY_H

#include "solve/run/team.h"

typedef struct Events Events;
/* the state at a time inside the last step */
typedef void Between(void *user, double t, double *x);

/* the past of delayed variables: see history.c */
typedef struct History History;
typedef struct Histories {
    size_t n;
    History *own;                 /* n; NULL: they are borrowed */
    History **items;              /* n: of `own`, or of the lane that was entered */
    size_t *at;                   /* by item: its place in memory */
    double *values;               /* as Readings.delayed */
    double *points;               /* by item: its values at the points of the next segment */
    double *x;                    /* room for three states */
    const LiederAllocator *alloc; /* of segments and jumps */
} Histories;

bool histories_create(Events *e); /* false: memory ran out */
void histories_drop(Events *e);
/* does any rank have histories? */
bool histories_anywhere(const LiederSystem *system);
/* writes the addresses of the histories, or with `on` false zeros, into the memory of the run */
void histories_attach(Events *e, bool on);
/* From now on these events borrow the histories of the lane that histories_enter finds in their
 * memory. alloc: of segments and jumps, may be called by several threads. */
void histories_borrow(Events *e, const LiederAllocator *alloc);
void histories_enter(Events *e);
/* before a run from (t, x): reports delays that are impossible, or shorter than `step` */
LiederStatus histories_check(Events *e, double t, const Moment *moment, const double *x,
                             double step);
/* the shortest delay that limits steps, once they were checked; of all ranks */
double histories_shortest(const Events *e);
/* the past begins at (t, x) */
LiederStatus histories_begin(Events *e, double t, double decided, const Moment *moment,
                             const double *x);
/* a step from `from` has been accepted up to (t, x); between: the state inside it */
LiederStatus histories_step(Events *e, double from, double t, Between *between, void *user,
                            const Moment *moment, const double *x);
LiederStatus histories_fixed_step(Events *e, double from, double t, const Moment *moment,
                                  const double *begin, const double *end);
/* an event has taken place */
LiederStatus histories_event(Events *e, double t, double decided, const Moment *moment,
                             const double *x);
/* when the next jump arrives after t; has one arrived by `decided` that had no event yet? */
double histories_next(const Events *e, double t);
bool history_is_due(double handle, double decided);
/* Borrowed histories are not shortened while they grow; histories_forget does it, for rows from
 * `shown` on. They can go back to marks, one for each. */
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
/* reads the next history of a file to number i, or skips it if there is no such number; false: its
 * numbers are impossible */
typedef bool HistoryGet(void *user, void *bytes, size_t n);
bool history_read(Events *e, size_t i, HistoryGet *get, void *user);

#endif
