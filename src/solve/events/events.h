/* events.h - what interrupts the smooth motion of a system; the files are listed in the README. */
#ifndef LIEDER_SOLVE_EVENTS_H
#define LIEDER_SOLVE_EVENTS_H

#include "model/system/slides.h"
#include "solve/events/history.h"

/* What a program watches beside the crossings of components. A run ends where the first of them
 * becomes negative; they are located together with the crossings. See modes.c. */
typedef struct Guards {
    size_t n;
    void (*evaluate)(void *user, double t, const double *x, double *values);
    void *user;
    double origin;   /* of the grid of rows and of fixed steps: not after the start of the run */
    LiederRow entry; /* what the first row is */
    double *x;       /* room for the state at the end of the run */
    ptrdiff_t fired; /* afterwards: which one, or -1 */
} Guards;

/* by crossing or transition: what shows chattering */
typedef struct Recent {
    double since;
    uint64_t count;
} Recent;
/* counts how often something happens within `span`; true: too often */
#define CHATTER_SPAN 1e-8 /* of the run: what is short for things that may happen as they like */
bool chatter_count(Recent *r, double t, double span);

/* events of a crossing in a row that have set states: see zeno.c */
typedef struct Bounces {
    double last, interval; /* the last one, and how long after the one before */
    double longest;        /* of such times */
    double side, value;    /* to which the last one led, and where it left the crossing */
    double turned;         /* the side to which the last event of any kind led */
    uint64_t count;
} Bounces;

/* What a crossing remembers beside its choice: see crossing.c. Written to state files as it is. */
typedef struct Crossing {
    double armed;    /* 1: the sign of its value decides; 0: it has to leave the band */
    double scale[2]; /* the largest |value| seen on the sides of choice 0 and 1 */
    double noise;    /* what the tolerance of a step leaves in the value */
    Recent recent;
    Bounces bounces;
    /* of a mode that is not armed: |value| where it began to grow, its last value, and at how many
     * points it has grown since */
    double first, last, grown;
    double wrong, since; /* points in a row on the wrong side, in the band; the first */
} Crossing;

/* what happened to a crossing in the event at hand */
enum {
    CROSSING_FLIPPED = 1,
    CROSSING_COUNTED = 2,
    CROSSING_MOVED = 4,
    CROSSING_CHANGED = 8,
    CROSSING_OTHER = 16,  /* a mode whose equations are others now: memory has changed */
    CROSSING_DOUBTED = 32 /* an edge that is not armed, while its noise is measured */
};

struct Events {
    Team *team;
    Histories histories;
    Guards *guards;              /* or NULL */
    size_t ncrossing, n;         /* choices: of components; with the guards, which come last */
    size_t first;                /* the first one that counts; fixed steps locate guards only */
    bool elsewhere;              /* there are crossings, and other ranks may own them */
    bool requests;               /* some component makes them, on some rank */
    size_t nmode;                /* crossings of kind LIEDER_MODE or LIEDER_HELD */
    bool edges;                  /* there are others, of this rank or of another */
    double *choices;             /* held */
    double *memory;              /* what lanes remember, see model/system/held.c */
    double *old;                 /* choices and memory before the last event at a boundary */
    double *asked;               /* requests that are made now; NULL: there are none */
    double *slopes;              /* likewise: at both ends of a fixed step */
    double slopes_at;            /* where the later ones hold for the next step; NAN: nowhere */
    double *found;               /* by guess: see guess.c; NULL: there are none */
    unsigned char *changed;      /* by memory: what happened in this event, see LanePass */
    double *low, *high, *middle; /* values of crossings while locating */
    double *begin;               /* ... at begin_at, where the last step has ended */
    double *before, *probe;      /* ... at other points of the step */
    double begin_at, begin_decided;
    double *swing; /* what values have moved by lately in a step; < 0: not known */
    double *moved; /* a state beside the one at hand; NULL without modes */
    Crossing *crossings;
    unsigned char *mode, *news; /* by crossing: is it a mode; what happened in this event */
    uint32_t *lane_of;          /* by crossing: lane of the system; NULL without modes */
    double *largest;            /* by such lane: of all scales of its modes */
    size_t nlane;
    double late;      /* by what the tolerance has delayed events; infinite: reported (iterate.c) */
    bool fresh;       /* the next step begins with an event */
    bool alert;       /* some component has memory or timers */
    bool watches;     /* something happens at the boundaries of fixed steps */
    double tolerance; /* of a step, relative to nominal + |x|; 0: fixed steps */
    bool timed;       /* some component has time events */
    double span;      /* of the run: what is short is measured by it */
    /* Of a system that is one lane (lone.c): its shape, whose workspace has the lane's parameters;
     * else NULL. */
    SystemShape *alone;
};

LiederStatus events_create(Events *e, Team *team, double span, Guards *guards);
void events_drop(Events *e);
/* How the system is seen between events. `fixed`: blocks decide all choices but those of held
 * modes. */
Moment events_moment(const Events *e, double decided, bool fixed);
/* the same before the last event at a boundary of fixed steps */
Moment events_moment_before(const Events *e, double decided);
/* values of crossings and guards with the choices that are held */
void events_evaluate(Events *e, double t, double decided, const double *x, double *values);
/* choices as the state has them; those of held modes stay */
void events_decide(Events *e, double t, double decided, const double *x);
/* the begin of a run at (t, x), which event blocks may change: start values of memory, choices,
 * and the first event, with `initial` and then without */
LiederStatus events_start(Events *e, double t, double decided, double *x, LiederChatter chatter);
/* the last pass of event blocks; true: something has changed */
bool events_finish(Events *e, double t, double decided, double *x);
/* Decides again after a change of the system; what is held at its surface stays so, and so does
 * memory. An event of all lanes that have memory or held modes. */
LiederStatus events_decide_again(Events *e, double t, double decided, double *x,
                                 LiederChatter chatter);
/* times closer than this count as one */
double events_margin(const Events *e, double t);
double events_next_time(const Events *e, double t);
/* The same after a time event at t. Where events of time follow each other as closely as times can
 * be told apart, *crowded counts them, and in the end they are reported: LIEDER_GAVE_UP. */
LiederStatus events_next_after(const Events *e, double t, size_t *crowded, double *next);
/* is some timer due at the time of decision? */
bool events_due(const Events *e, double decided);
/* is some contact held at its surface (iterate.c, chattering)? */
bool events_hold_surface(const Events *e);
/* is some choice contradicted by the values? */
bool events_contradicted(const Events *e, const double *values);
/* is some choice contradicted at (t, x)? The values stay in e->high. */
bool events_violated(Events *e, double t, double decided, const double *x);
/* The event at (t, x), whose values are in e->high, of all lanes that have one there. Chattering
 * stops or holds. */
LiederStatus events_handle(Events *e, double t, double decided, double *x, LiederChatter chatter);
/* the same at the boundary of fixed steps; what there was */
typedef struct Boundary {
    size_t ran;        /* lanes and components that had an event */
    bool crossed, due; /* a choice was contradicted; an instant was due */
} Boundary;
LiederStatus events_at_boundary(Events *e, double t, double decided, double *x,
                                LiederChatter chatter, Boundary *b);

/* ------------------------------------------------------------------ crossing.c: when a choice is contradicted */

/* where a lane is about to have an event: edges that are not armed may be rounding, of the states
 * as they are now */
void crossing_doubt_lane(Events *e, SystemShape *ss, size_t lane, double t, const Moment *moment,
                         const double *x);
/* modes that the tolerance leaves undecided for long are reported, where a run ends */
void crossing_report_doubts(const Events *e);
/* is the choice of crossing i contradicted by its value? */
bool crossing_contradicted(const Events *e, size_t i, double value);
/* the value at which it begins to be so, on the side of `value` */
double crossing_surface(const Events *e, size_t i, double value);
/* the side that `value` asks for, as an event */
void crossing_flip(Events *e, size_t i, double value);
/* the side of `value` by its sign alone: a start, or states that an event block has set */
void crossing_set(Events *e, size_t i, double value);
/* a point where nothing is contradicted: what is seen there */
void crossing_clean(Events *e, double t, const double *values);
/* the same for the crossings of one lane, whose values stand `stride` apart */
void crossing_clean_lane(Events *e, const SystemShape *ss, size_t lane, double t,
                         const double *values, size_t stride);
/* what else the memory of crossings says once it has been read from a state file */
void crossing_resume(Events *e);
/* what the tolerance of a step at (t, x) leaves in the values of modes, where `news` has a bit of
 * `which`; uses e->middle. Of all lanes, or of one. */
void crossing_measure_noise(Events *e, double t, double decided, const double *x, unsigned which);
void crossing_measure_lane(Events *e, SystemShape *ss, size_t lane, double t, const Moment *moment,
                           const double *x, unsigned which);

/* ------------------------------------------------------------------ locate.c: where in a step */

/* the next step has nothing to do with the last one: another lane */
void events_forget_steps(Events *e);
/* Where in the last step, between t0 and t1, the first choice is contradicted; false: not at all.
 * x is the state there, on the new side. Guards that become positive are passed over. */
bool events_locate(Events *e, Between *between, void *user, double t0, double t1, double decided,
                   double tolerance, double *t, double *x);

/* The state at part a of a fixed step of length h: the cubic polynomial through its ends, f0 and f1
 * the slopes there. */
static inline void cubic_between(size_t n, double a, double h, const double *begin,
                                 const double *end, const double *f0, const double *f1, double *x)
{
    double b = 1 - a;
    for (size_t i = 0; i < n; i++)
        x[i] = b * begin[i] + a * end[i] +
               a * b * ((a - b) * (end[i] - begin[i]) + h * (b * f0[i] - a * f1[i]));
}

/* ------------------------------------------------------------------ iterate.c: the event of one lane */

/* Where an event takes place, and what chattering does: patient runs do not count it. */
typedef struct Instant {
    double t, decided;
    double *x; /* of the whole system */
    LiederChatter chatter;
    bool patient, initial;
    size_t ran; /* lanes and components that had an event, in all */
} Instant;

/* The event of one lane of a shape: choices that their values contradict change, event blocks run,
 * memory and states take their new values, until nothing changes any more. The values of the lane's
 * crossings stand in e->high. Nothing but the choices, crossings, memory and states of this lane
 * is touched, and nothing of other lanes is read, so that its bits do not depend on them. It works
 * in the full record of the shape: one thread at a time. */
LiederStatus events_iterate_lane(Events *e, uint32_t shape, size_t lane, Instant *at);

/* ------------------------------------------------------------------ slide.c: along the surface of a crossing */

/* room of the team, before something slides; false: memory ran out */
bool slides_prepare(Team *team);
void slides_drop(Team *team);
/* Do both sides of a crossing lead back to its surface at (t, x)? Then its choice says so. */
bool slide_begins(Events *e, uint32_t shape, size_t lane, size_t choice, double t,
                  const Moment *moment, const double *x);
/* the derivatives of lanes that slide, after those of all */
LiederStatus slide_derivatives(Team *team, uint32_t shape, double t, const Moment *moment,
                               const double *x, double *dx);
/* choices say what part each side has, for observers */
void slide_shares(Events *e, double t, const Moment *moment, const double *x);

/* ------------------------------------------------------------------ zeno.c: faster and faster */

/* crossing i has changed in an event at t in which components have set states */
void zeno_note(Events *e, size_t i, double t);
/* do its events come faster and faster? They may come to an end then */
bool zeno_converges(const Events *e, size_t i);
/* may its events have ended by passing through? */
bool zeno_suspects(const Events *e, size_t i, double t);
/* after an accepted step: LIEDER_GAVE_UP after reporting that they have */
LiederStatus zeno_look(Events *e, double t, const Moment *moment, const double *x);

/* ------------------------------------------------------------------ request.c: ends of a run, faults */

/* Reads the requests of all components, also those that event blocks have made since the last call.
 * Warnings are reported when they begin; LIEDER_GAVE_UP after an error; *end becomes true if a
 * component ends the run. */
LiederStatus events_look_at_requests(Events *e, double t, const Moment *moment, const double *x,
                                     bool *end);

/* Where requests begin between two times inside the last step; warnings are reported. True: one
 * ends the run, at *t with the state x, and is reported when it is examined there. */
bool events_locate_requests(Events *e, Between *between, void *user, double from, double to,
                            const Moment *moment, double *t, double *x);
/* The same for a fixed step from `begin` to `end`, on the cubic polynomial between them: it is
 * examined in the middle, and at the end unless an event has changed what holds there. An event at
 * the end makes e->slopes_at NAN. */
bool events_locate_in_step(Events *e, double from, double to, const Moment *moment,
                           const double *begin, const double *end, bool at_end, double *t,
                           double *x);

/* ------------------------------------------------------------------ guess.c: where iterations begin */

/* a point of the run, where a step has been accepted or an event has ended */
void guesses_take(Events *e, double t, const Moment *moment, const double *x);
/* of what is remembered only the guesses; from NULL: those outside of runs */
void guesses_copy(const LiederSystem *system, const double *from, double *to);

#endif
