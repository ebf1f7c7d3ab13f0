/* events.h - what interrupts the smooth motion of a system; the files are listed in the README. */
#ifndef LIEDER_SOLVE_EVENTS_H
#define LIEDER_SOLVE_EVENTS_H

#include "model/system/slides.h"
#include "solve/events/history.h"

/* Functions that are located together with the crossings of components: the run ends where the
 * first of them becomes negative. Set by modes.c. */
typedef struct Guards {
    size_t n; /* values that `evaluate` computes */
    void (*evaluate)(void *user, double t, const double *x, double *values);
    void *user;
    double origin;   /* of the grid of rows and of fixed steps: not after the start of the run */
    LiederRow entry; /* what the first row is */
    double *x;       /* of the caller: the run writes the state at its end */
    ptrdiff_t fired; /* set by the run: which one has ended it, or -1 */
} Guards;

/* how often a crossing or a transition has changed lately: shows chattering */
typedef struct Recent {
    double since;
    uint64_t count;
} Recent;
/* counts how often something happens within `span`; true: too often */
#define CHATTER_SPAN 1e-8 /* part of the run that counts as short for chattering */
bool chatter_count(Recent *r, double t, double span);

/* events of a crossing in a row that have set states: see zeno.c */
typedef struct Bounces {
    double last, interval; /* time of the last one, and since the one before it */
    double longest;        /* such interval */
    double side, value;    /* the side to which the last one led, and the value after it */
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

/* what happened to a crossing in the current event: bits of Events.news */
enum {
    CROSSING_FLIPPED = 1, /* its choice has changed in this pass */
    CROSSING_COUNTED = 2, /* it was counted for chattering in this event */
    CROSSING_MOVED = 4,   /* the event block that it triggered has set states */
    CROSSING_CHANGED = 8, /* its choice has changed since forget_changes (iterate.c) */
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
    double *requested;           /* by memory: requests at the last point; NULL: there are none */
    double *slopes;              /* with requests: at begin and end of a fixed step, n each */
    double slopes_at;            /* time of the later ones if they hold after it; else NAN */
    double *found;               /* by memory: guesses, see guess.c; NULL: there are none */
    unsigned char *changed;      /* by memory: what happened in this event, see LanePass */
    double *low, *high, *middle; /* by crossing: values while locating */
    double *begin;               /* ... at begin_at, where the last step has ended */
    double *before, *probe;      /* ... at other points of the step */
    double begin_at, begin_decided;
    double *swing; /* by crossing: how far its value has moved in steps lately; < 0: not known */
    double *moved; /* a state beside the current one; NULL without modes until it is needed */
    Crossing *crossings;
    unsigned char *mode, *news; /* by crossing: is it a mode; what happened in this event */
    uint32_t *lane_of;          /* by crossing: lane of the system; NULL without modes */
    double *largest;            /* by such lane: of all scales of its modes */
    size_t nlane;
    double late;      /* how much the tolerance leaves in late events; infinite: reported */
    bool fresh;       /* the next step begins with an event */
    bool alert;       /* some component has memory or timers */
    bool watches;     /* something happens at the boundaries of fixed steps */
    double tolerance; /* of a step, relative to nominal + |x|; 0: fixed steps */
    bool timed;       /* some component has time events */
    double span;      /* of the run, or a step of a stepper: measures what is short */
    /* Of a system that is one lane (lane_system.c): its shape, whose workspace has the lane's
     * parameters; else NULL. */
    SystemShape *alone;
};

LiederStatus events_create(Events *e, Team *team, double span, Guards *guards);
void events_drop(Events *e);
/* What blocks read between events: choices, memory, the time `decided` for which jumps are decided.
 * `fixed`: blocks decide all choices but those of held modes. */
Moment events_moment(const Events *e, double decided, bool fixed);
/* the same before the last event at a boundary of fixed steps */
Moment events_moment_before(const Events *e, double decided);
/* computes the values of crossings and guards with the choices that are held */
void events_evaluate(Events *e, double t, double decided, const double *x, double *values);
/* sets choices by the state; those of held modes stay */
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
/* the first time event, timer or arrival of a jump after t, of all ranks; infinite: there is none
 */
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
/* the same at the boundary of fixed steps, where it first finds out whether there is an event */
typedef struct Boundary {
    size_t ran;        /* lanes and components that had an event */
    bool crossed, due; /* a choice was contradicted; an instant was due */
} Boundary;
LiederStatus events_at_boundary(Events *e, double t, double decided, double *x,
                                LiederChatter chatter, Boundary *b);

/* ------------------------------------------------------------------ crossing.c: when a choice is
 * contradicted */

/* Before an event of a lane: edges that are about to change while they may be rounding are not
 * armed if they are, by the states as they are now. */
void crossing_doubt_lane(Events *e, SystemShape *ss, size_t lane, double t, const Moment *moment,
                         const double *x);
/* at the end of a run: reports a mode that the tolerance has left undecided for long */
void crossing_report_doubts(const Events *e);
/* is the choice of crossing i contradicted by its value? */
bool crossing_contradicted(const Events *e, size_t i, double value);
/* the value at which the contradiction begins, on the side of `value` */
double crossing_surface(const Events *e, size_t i, double value);
/* takes the side of `value`, as an event */
void crossing_flip(Events *e, size_t i, double value);
/* takes the side of `value`, armed: at a start, or after an event block has set states */
void crossing_set(Events *e, size_t i, double value);
/* a clean point, where nothing is contradicted: scales, arming of modes */
void crossing_clean(Events *e, double t, const double *values);
/* the same for the crossings of one lane, whose values stand `stride` apart */
void crossing_clean_lane(Events *e, const SystemShape *ss, size_t lane, double t,
                         const double *values, size_t stride);
/* after crossings were read from a state file or copied: what follows from them */
void crossing_resume(Events *e);
/* Measures what the tolerance of a step at (t, x) leaves in the values of modes whose `news` has a
 * bit of `which`; overwrites e->middle. Of all lanes, or (also of edges) of one. */
void crossing_measure_noise(Events *e, double t, double decided, const double *x, unsigned which);
void crossing_measure_lane(Events *e, SystemShape *ss, size_t lane, double t, const Moment *moment,
                           const double *x, unsigned which);

/* ------------------------------------------------------------------ locate.c: where in a step */

/* forgets values of the last step: the next one is that of another lane */
void events_forget_steps(Events *e);
/* Where in the last step, between t0 and t1, a choice is contradicted first: *t, with the state x
 * there, on the new side. False: nowhere; x is scratch. Guards that become positive are passed
 * over. */
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

/* ------------------------------------------------------------------ iterate.c: the event of one
 * lane */

/* Where an event takes place, and what chattering does; patient: it is not counted. */
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

/* ------------------------------------------------------------------ slide.c: along the surface of
 * a crossing */

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
/* do its events come faster and faster, so that they may end by themselves? */
bool zeno_converges(const Events *e, size_t i);
/* may its events have ended by passing through? */
bool zeno_suspects(const Events *e, size_t i, double t);
/* after an accepted step: LIEDER_GAVE_UP after reporting that the run has passed such a point */
LiederStatus zeno_check(Events *e, double t, const Moment *moment, const double *x);

/* ------------------------------------------------------------------ request.c: ends of a run,
 * faults */

/* Reads the requests of all components, also those that event blocks have made since the last call.
 * Warnings are reported when they begin; LIEDER_GAVE_UP after an error; *end becomes true if a
 * component ends the run. */
LiederStatus events_check_requests(Events *e, double t, const Moment *moment, const double *x,
                                   bool *end);

/* Where requests begin between two times inside the last step; warnings are reported. True: one
 * ends the run, at *t with the state x; events_check_requests reports it there. */
bool events_locate_requests(Events *e, Between *between, void *user, double from, double to,
                            const Moment *moment, double *t, double *x);
/* The same for a fixed step from `begin` to `end`, on the cubic polynomial between them: it is
 * examined in the middle, and with `at_end` (no event has changed what holds there) at its end. The
 * caller sets e->slopes_at to NAN after an event. */
bool events_locate_in_step(Events *e, double from, double to, const Moment *moment,
                           const double *begin, const double *end, bool at_end, double *t,
                           double *x);

/* ------------------------------------------------------------------ guess.c: where iterations
 * begin */

/* takes the guesses of the point (t, x), where a step has been accepted or an event has ended */
void guesses_take(Events *e, double t, const Moment *moment, const double *x);
/* copies the guesses among memory, leaving the rest; from NULL: zeros, as outside of runs */
void guesses_copy(const LiederSystem *system, const double *from, double *to);

#endif
