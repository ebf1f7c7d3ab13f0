/* modes.c - systems that take turns, see lieder/modes.h.
 *
 * A run over modes is a chain of runs of one system each (simulate_guarded). The transitions that
 * leave a mode are its guards, located with the crossings of its components; the run of the mode
 * ends where one of them becomes negative:
 *
 *   falling:  value        rising:  -value        either:  both, as two guards
 *
 * Then the map makes the new state, and the next run begins with it: the same grid of rows and
 * fixed steps, other states, another Jacobian. The cost of a change is that of the new mode's
 * solver, whatever the other modes are.
 *
 * A transition whose guard is beyond zero at once (at_entry) is taken before a run begins. All
 * transitions are counted: what comes without end is Zeno or chattering, also if no time passes.
 */
#include <lieder/modes.h>

#include "solve/run/simulate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Mode {
    char *name;
    LiederSystem *system;
    LiederObserver *observer; /* of the guards given by path; NULL: none */
} Mode;

typedef struct Transition {
    LiederTransition given;
    char *name;
    ptrdiff_t observed; /* in the observer of the old mode, or -1 */
    bool rests;         /* lieder_modes_rest */
    size_t rest;
    LiederStateMap *rest_map;
    void *rest_user;
    Recent recent; /* in a run */
} Transition;

struct LiederModes {
    Lieder *session;
    VEC(Mode) modes;
    VEC(Transition) transitions;
};

/* a run over modes */
typedef struct Tour {
    LiederModes *modes;
    const LiederModesOptions *o;
    LiederModesStatistics s;
    size_t mode;
    double *x, *y;      /* state, and room for the next one; as large as the largest mode */
    double *observed;   /* values of the observer */
    size_t *transition; /* by guard of the mode: its number */
    double *sign;       /* by guard: +1 or -1 */
    size_t nguard, room, most;
    bool refused;                /* the output callback returned false */
    LiederStatus observer_state; /* of the last failure */
} Tour;

/* ------------------------------------------------------------------ definition */

LiederModes *lieder_modes_create(Lieder *session)
{
    LiederModes *m = memory_zeroed(&session->alloc, sizeof *m);
    if (m)
        m->session = session;
    return m;
}

void lieder_modes_destroy(LiederModes *m)
{
    if (!m)
        return;
    const LiederAllocator *alloc = &m->session->alloc;
    for (size_t i = 0; i < m->modes.n; i++) {
        memory_free_text(alloc, m->modes.items[i].name);
        lieder_observer_destroy(m->modes.items[i].observer);
    }
    for (size_t i = 0; i < m->transitions.n; i++)
        memory_free_text(alloc, m->transitions.items[i].name);
    vec_drop(alloc, &m->modes);
    vec_drop(alloc, &m->transitions);
    memory_free(alloc, m, sizeof *m);
}

static void report_no_memory(LiederModes *m)
{
    diag_error(&m->session->diag, NULL, NULL, "not enough memory for the modes");
}

ptrdiff_t lieder_modes_add(LiederModes *m, const char *name, LiederSystem *system)
{
    if (!system || system->session != m->session) {
        diag_error(&m->session->diag, NULL, NULL,
                   "mode %s has no system of this session\nlieder_system_create has reported why",
                   name);
        return -1;
    }
    char *copy = memory_text(&m->session->alloc, name);
    if (!copy || !vec_push(&m->session->alloc, &m->modes, (Mode){copy, system, NULL})) {
        memory_free_text(&m->session->alloc, copy);
        report_no_memory(m);
        return -1;
    }
    return (ptrdiff_t)m->modes.n - 1;
}

/* what is wrong with a transition, or NULL */
static const char *check_transition(const LiederModes *m, const LiederTransition *t)
{
    if (t->from >= m->modes.n || t->to >= m->modes.n)
        return "there is no such mode";
    if (!t->guard == !t->path)
        return "give either a guard or the path of a variable";
    if ((unsigned)t->direction > LIEDER_EITHER)
        return "there is no such direction";
    if (t->direction == LIEDER_EITHER && t->at_entry)
        return "at_entry needs a direction: falling or rising";
    return isfinite(t->level) ? NULL : "the level is no number";
}

ptrdiff_t lieder_modes_connect(LiederModes *m, const LiederTransition *given)
{
    const LiederAllocator *alloc = &m->session->alloc;
    const char *wrong = check_transition(m, given);
    if (wrong) {
        diag_error(&m->session->diag, NULL, NULL, "transition %s from mode %zu to mode %zu: %s",
                   given->name ? given->name : "", given->from, given->to, wrong);
        return -1;
    }
    Mode *from = &m->modes.items[given->from];
    Transition t = {.given = *given, .observed = -1};
    char name[256];
    snprintf(name, sizeof name, "%s to %s", from->name, m->modes.items[given->to].name);
    t.name = memory_text(alloc, given->name ? given->name : name);
    bool ok = t.name != NULL;
    if (ok && given->path) {
        if (!from->observer)
            from->observer = lieder_observer_create(from->system);
        ok = from->observer != NULL;
        if (ok && (t.observed = lieder_observer_add(from->observer, given->path)) < 0) {
            memory_free_text(alloc, t.name);
            return -1; /* the observer has reported why */
        }
    }
    t.given.name = t.given.path = NULL;
    if (!ok || !vec_push(alloc, &m->transitions, t)) {
        memory_free_text(alloc, t.name);
        report_no_memory(m);
        return -1;
    }
    return (ptrdiff_t)m->transitions.n - 1;
}

LiederStatus lieder_modes_rest(LiederModes *m, size_t transition, size_t mode, LiederStateMap *map,
                               void *user)
{
    if (transition >= m->transitions.n || mode >= m->modes.n) {
        diag_error(
            &m->session->diag, NULL, NULL,
            "transition %zu cannot rest in mode %zu: there are %zu transitions and %zu modes",
            transition, mode, m->transitions.n, m->modes.n);
        return LIEDER_BAD_USE;
    }
    Transition *t = &m->transitions.items[transition];
    t->rests = true;
    t->rest = mode;
    t->rest_map = map;
    t->rest_user = user;
    return LIEDER_DONE;
}

LiederModesOptions lieder_modes_defaults(void)
{
    return (LiederModesOptions){.run = lieder_simulate_defaults()};
}

/* ------------------------------------------------------------------ guards */

/* values of the guards of the mode that runs, signed so that a transition is due below zero */
static void evaluate_guards(void *user, double t, const double *x, double *values)
{
    Tour *tour = user;
    const Mode *mode = &tour->modes->modes.items[tour->mode];
    if (mode->observer) {
        LiederStatus status = lieder_observer_evaluate(mode->observer, t, x, tour->observed);
        if (status != LIEDER_DONE)
            tour->observer_state = status;
    }
    for (size_t i = 0; i < tour->nguard; i++) {
        const Transition *k = &tour->modes->transitions.items[tour->transition[i]];
        double value =
            k->observed >= 0 ? tour->observed[k->observed] : k->given.guard(k->given.user, t, x);
        values[i] = tour->sign[i] * (value - k->given.level);
    }
}

static void push_guard(Tour *tour, size_t transition, double sign)
{
    tour->transition[tour->nguard] = transition;
    tour->sign[tour->nguard++] = sign;
}

/* the guards of the mode we are in */
static void collect_guards(Tour *tour)
{
    tour->nguard = 0;
    for (size_t i = 0; i < tour->modes->transitions.n; i++) {
        const LiederTransition *t = &tour->modes->transitions.items[i].given;
        if (t->from == tour->mode && t->direction != LIEDER_RISING)
            push_guard(tour, i, 1);
        if (t->from == tour->mode && t->direction != LIEDER_FALLING)
            push_guard(tour, i, -1);
    }
}

/* a guard that is to be obeyed at once, or -1; values: room for all of them */
static ptrdiff_t guard_at_entry(Tour *tour, double t, double *values)
{
    bool some = false;
    for (size_t i = 0; i < tour->nguard; i++)
        some |= tour->modes->transitions.items[tour->transition[i]].given.at_entry;
    if (!some)
        return -1;
    evaluate_guards(tour, t, tour->x, values);
    for (size_t i = 0; i < tour->nguard; i++)
        if (tour->modes->transitions.items[tour->transition[i]].given.at_entry && values[i] < 0)
            return (ptrdiff_t)i;
    return -1;
}

/* ------------------------------------------------------------------ transitions */

/* states of the same name keep their values */
static void map_by_name(const LiederSystem *from, const LiederSystem *to, const double *x,
                        double *y)
{
    char name[600];
    if (from == to && to->nstate) {
        memcpy(y, x, to->nstate * sizeof(double));
        return;
    }
    for (size_t i = 0; i < to->nstate; i++) {
        lieder_system_state_name(to, i, name, sizeof name);
        ptrdiff_t k = lieder_system_state_index(from, name);
        if (k >= 0)
            y[i] = x[k];
    }
}

/* from the old mode to the new one at time t */
static LiederStatus change_mode(Tour *tour, size_t guard, double t)
{
    LiederModes *m = tour->modes;
    Transition *k = &m->transitions.items[tour->transition[guard]];
    size_t to = k->given.to;
    LiederStateMap *map = k->given.map;
    void *user = k->given.user;
    if (chatter_count(&k->recent, t, CHATTER_SPAN * (tour->o->run.stop - tour->o->run.start))) {
        if (!k->rests || tour->o->run.chatter != LIEDER_CHATTER_HOLD) {
            diag_error(&m->session->diag, NULL, NULL,
                       "transitions \"%s\" follow each other without end from t = %.15g on "
                       "(chattering or Zeno)\nname a mode that rests there (lieder_modes_rest) and "
                       "let the run hold it (LIEDER_CHATTER_HOLD)",
                       k->name, t);
            return LIEDER_GAVE_UP;
        }
        to = k->rest;
        map = k->rest_map;
        user = k->rest_user;
        diag_warning(&m->session->diag, NULL, NULL,
                     "transitions \"%s\" follow each other without end from t = %.15g on "
                     "(chattering or Zeno): resting in mode %s",
                     k->name, t, m->modes.items[to].name);
    }
    LiederSystem *from = m->modes.items[tour->mode].system, *next = m->modes.items[to].system;
    lieder_system_start(next, tour->y);
    if (from == next && k->given.change)
        map_by_name(from, next, tour->x, tour->y);
    if (k->given.change)
        k->given.change(k->given.user, next, t);
    LiederStatus status = lieder_system_restructure(next, tour->y);
    if (status != LIEDER_DONE)
        return status;
    if (map)
        map(user, t, tour->x, tour->y);
    else if (from != next || !k->given.change)
        map_by_name(from, next, tour->x, tour->y);
    for (size_t i = 0; i < next->nstate; i++)
        if (!isfinite(tour->y[i])) {
            char name[600];
            lieder_system_state_name(next, i, name, sizeof name);
            diag_error(&m->session->diag, NULL, name,
                       "the map of transition \"%s\" makes this state %g at t = %.15g", k->name,
                       tour->y[i], t);
            return LIEDER_NOT_FINITE;
        }
    double *swap = tour->x;
    tour->x = tour->y;
    tour->y = swap;
    tour->mode = to;
    tour->s.transitions++;
    tour->s.last_transition = (ptrdiff_t)tour->transition[guard];
    return LIEDER_DONE;
}

/* ------------------------------------------------------------------ a run */

static bool show_row(void *user, double t, const double *x, LiederRow kind)
{
    Tour *tour = user;
    if (!tour->o->output || tour->o->output(tour->o->user, tour->mode, t, x, kind))
        return true;
    tour->refused = true;
    return false;
}

static void show_change(void *user, double t, double *x)
{
    Tour *tour = user;
    if (tour->o->run.restructured)
        tour->o->run.restructured(tour->o->user, t, x);
}

/* counts and times add up; of step sizes the extremes count */
static void add_statistics(LiederStatistics *sum, const LiederStatistics *s)
{
    sum->smallest_step = sum->steps && s->steps ? fmin(sum->smallest_step, s->smallest_step)
                                                : fmax(sum->smallest_step, s->smallest_step);
    sum->largest_step = fmax(sum->largest_step, s->largest_step);
    sum->worst_step_seconds = fmax(sum->worst_step_seconds, s->worst_step_seconds);
    sum->steps += s->steps;
    sum->rejected += s->rejected;
    sum->evaluations += s->evaluations;
    sum->jacobians += s->jacobians;
    sum->factorisations += s->factorisations;
    sum->state_events += s->state_events;
    sum->time_events += s->time_events;
    sum->overruns += s->overruns;
    sum->seconds += s->seconds;
    sum->evaluation_seconds += s->evaluation_seconds;
    sum->solve_seconds += s->solve_seconds;
    sum->output_seconds += s->output_seconds;
    sum->t = s->t;
}

/* errors of the options that only a run over modes has */
static LiederStatus check_tour(const Tour *tour)
{
    const LiederSimulateOptions *o = &tour->o->run;
    Diagnostics *diag = &tour->modes->session->diag;
    if (tour->o->mode >= tour->modes->modes.n) {
        diag_error(diag, NULL, NULL, "there is no mode %zu to begin with, only %zu modes",
                   tour->o->mode, tour->modes->modes.n);
        return LIEDER_BAD_USE;
    }
    if (o->resume || o->checkpoint) {
        diag_error(diag, NULL, NULL,
                   "a run over modes has no state file\nkeep mode, time and state of the last row, "
                   "and begin there with x0");
        return LIEDER_BAD_USE;
    }
    return LIEDER_DONE;
}

/* room for the states of the largest mode and for the guards of all transitions */
static LiederStatus prepare_tour(Tour *tour)
{
    LiederModes *m = tour->modes;
    const LiederAllocator *alloc = &m->session->alloc;
    size_t most = 1;
    for (size_t i = 0; i < m->modes.n; i++) {
        const Mode *mode = &m->modes.items[i];
        size_t seen = mode->observer ? lieder_observer_count(mode->observer) : 0;
        most = mode->system->nstate > most ? mode->system->nstate : most;
        most = seen > most ? seen : most;
    }
    for (size_t i = 0; i < m->transitions.n; i++)
        m->transitions.items[i].recent = (Recent){.since = -INFINITY};
    tour->most = most;
    tour->room = 2 * m->transitions.n + 1;
    tour->x = memory_zeroed(alloc, most * sizeof(double));
    tour->y = memory_zeroed(alloc, most * sizeof(double));
    tour->observed = memory_zeroed(alloc, most * sizeof(double));
    tour->transition = memory_zeroed(alloc, tour->room * sizeof(size_t));
    tour->sign = memory_zeroed(alloc, 2 * tour->room * sizeof(double));
    if (tour->x && tour->y && tour->observed && tour->transition && tour->sign)
        return LIEDER_DONE;
    report_no_memory(m);
    return LIEDER_NO_MEMORY;
}

static void drop_tour(Tour *tour)
{
    const LiederAllocator *alloc = &tour->modes->session->alloc;
    memory_free(alloc, tour->x, tour->most * sizeof(double));
    memory_free(alloc, tour->y, tour->most * sizeof(double));
    memory_free(alloc, tour->observed, tour->most * sizeof(double));
    memory_free(alloc, tour->transition, tour->room * sizeof(size_t));
    memory_free(alloc, tour->sign, 2 * tour->room * sizeof(double));
}

/* one mode from t on; *guard: the one that ended it, or -1 */
static LiederStatus stay_in_mode(Tour *tour, LiederRow entry, double *t, ptrdiff_t *guard)
{
    LiederSystem *system = tour->modes->modes.items[tour->mode].system;
    LiederSimulateOptions o = tour->o->run;
    o.energy = NULL; /* of one system: there is no sum over modes */
    LiederStatistics s;
    collect_guards(tour);
    *guard = guard_at_entry(tour, *t, tour->sign + tour->room);
    if (*guard >= 0)
        return show_row(tour, *t, tour->x, entry) ? LIEDER_DONE : LIEDER_STOPPED;
    Guards guards = {.n = tour->nguard,
                     .evaluate = evaluate_guards,
                     .user = tour,
                     .origin = o.start,
                     .entry = entry,
                     .x = tour->y,
                     .fired = -1};
    o.x0 = tour->x;
    o.start = *t;
    o.output = show_row;
    o.restructured = show_change;
    o.user = tour;
    o.progress = NULL;
    LiederStatus status = simulate_guarded(system, &o, &s, &guards);
    add_statistics(&tour->s.run, &s);
    if (system->nstate)
        memcpy(tour->x, tour->y, system->nstate * sizeof(double));
    *t = s.t;
    *guard = guards.fired;
    if (status >= 0 && tour->observer_state != LIEDER_DONE)
        return tour->observer_state;
    return tour->refused || guards.fired < 0 || status < 0 ? status : LIEDER_DONE;
}

LiederStatus lieder_modes_simulate(LiederModes *modes, const LiederModesOptions *options,
                                   LiederModesStatistics *statistics)
{
    LiederModesOptions o = *options;
    Tour tour = {.modes = modes,
                 .o = &o,
                 .s = {.run = {.limiting_state = -1, .t = o.run.start}, .last_transition = -1},
                 .mode = o.mode};
    double t = o.run.start;
    ptrdiff_t guard = -1;
    LiederRow entry = LIEDER_ROW;
    LiederStatus status = check_tour(&tour);
    if (status == LIEDER_DONE)
        status = prepare_tour(&tour);
    if (status == LIEDER_DONE) {
        const LiederSystem *first = modes->modes.items[o.mode].system;
        if (o.run.x0)
            memcpy(tour.x, o.run.x0, first->nstate * sizeof(double));
        else
            status = lieder_system_start(first, tour.x);
        /* one grid for all modes */
        if (o.run.interval == 0 && o.run.step == 0 && o.run.stop > o.run.start)
            o.run.interval = (o.run.stop - o.run.start) / 500;
    }
    while (status == LIEDER_DONE) {
        status = stay_in_mode(&tour, entry, &t, &guard);
        if (status != LIEDER_DONE || guard < 0)
            break;
        status = change_mode(&tour, (size_t)guard, t);
        entry = LIEDER_ROW_AFTER_EVENT;
    }
    drop_tour(&tour);
    tour.s.mode = tour.mode;
    if (statistics)
        *statistics = tour.s;
    return status;
}
