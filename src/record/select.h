/* select.h - which variables of a system are recorded, and their values at a moment.
 *
 *   pattern.c   a regular expression as an automaton that is fed piece by piece
 *   select.c    walks the names of a system with it
 *   watch.c     the selected variables as numbers at (t, x)
 */
#ifndef LIEDER_RECORD_SELECT_H
#define LIEDER_RECORD_SELECT_H

#include <lieder/energy.h>
#include <lieder/variables.h>

#include "base/memory.h"

#define HEAP (&memory_default) /* the allocator of programs around the library */

/* ------------------------------------------------------------------ pattern.c: regular expressions
 */

/* A POSIX extended regular expression as an automaton that takes a name piece by piece, so that
 * names with a common beginning share the work; see pattern.c. */
typedef struct Pattern Pattern;
enum { PATTERN_DEAD = 0 }; /* a state: no continuation matches */
/* NULL: the message is the reason */
Pattern *pattern_create(const char *regex, char *message, size_t size);
void pattern_destroy(Pattern *p);
int pattern_start(const Pattern *p);
int pattern_step(Pattern *p, int state, const char *text, size_t n);
bool pattern_accepts(const Pattern *p, int state);
bool pattern_matches(Pattern *p, const char *text);
bool pattern_failed(const Pattern *p); /* memory ran out or too many states: results are wrong */

/* ------------------------------------------------------------------ select.c: what is recorded */

typedef struct Selected {
    const char *name; /* of the column */
    const char *unit, *text;
    bool constant;
    bool own; /* a parameter of the model itself, which no system has: its value is above */
    double value;
    bool of_model;       /* of the equations of a model, by a name with a point: brake.flange.w */
    int energy;          /* number from 1 of a field of LiederEnergy; 0: it is none */
    LiederHandle handle; /* in the system of the selection */
} Selected;

typedef struct Selection {
    Arena arena;
    VEC(Selected) list;
    const LiederSystem *system; /* whose handles these are; NULL: of several systems */
    bool failed;                /* memory ran out */
} Selection;

/* limits of the default: columns in all; variables of merged components; states of a larger
 * model */
enum { SELECT_FEW = 1000, SELECT_OWN = 100, SELECT_SAMPLE = 100 };

/* all variables whose whole name the expression matches */
void select_matching(Selection *s, LiederSystem *system, Pattern *pattern);
/* energy.kinetic, energy.potential ... of the whole system as far as the pattern names them,
 * which a run keeps up to date (LiederSimulateOptions.energy); a component of that name wins */
void select_energies(Selection *s, LiederSystem *system, Pattern *pattern);
/* States, derivatives, declared outputs and the variables that the text of the model itself
 * declares with equations; the latter and derivatives only if the columns are few, and states, too.
 * Where there is none of these all variables, if they are few. */
typedef enum SelectDefault { SELECT_SOME, SELECT_STATES, SELECT_ALL } SelectDefault;
SelectDefault select_default(Selection *s, LiederSystem *system);
/* a number that no system has: a parameter that the model itself declares. What is there under the
 * name stays. unit and text may be NULL. */
void selection_add_constant(Selection *s, const char *name, const char *unit, const char *text,
                            double value);
/* adds the variables that only the other one has */
void selection_join(Selection *s, const Selection *other);
void selection_drop(Selection *s);

/* ------------------------------------------------------------------ watch.c: their values */

/* The selected variables at a moment. The system is the model itself (nmember 0), or has an array
 * "member" of it: then the values stand member by member. Variables that a member does not have are
 * NaN. */
typedef struct Watch {
    LiederObserver *observer;
    double *values;   /* of a row, member by member */
    double *observed; /* by index in the observer */
    size_t *index;    /* by index in the observer: its place in values */
    const Selection *selection;
    bool energies;              /* energies are among them: then ... */
    const LiederEnergy *energy; /* ... the caller sets this before the first row */
    size_t nmissing;            /* variables that were not found */
    size_t wrong; /* index in the observer of the first value of a row that is not finite */
} Watch;
/* false: out of memory */
bool watch_open(Watch *w, LiederSystem *system, const Selection *selection, size_t nmember);
/* LIEDER_NOT_FINITE: all values are set, and w->wrong is one that is not finite */
LiederStatus watch_row(Watch *w, double t, const double *x);
void watch_close(Watch *w);

#endif
