/* modes.c - systems that follow one another, see lieder/modes.h.
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
    ptrdiff_t observed; /* number in the observer of the old mode, or -1 */
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
typedef struct ModesRun {
    LiederModes *modes;
    const LiederModesOptions *o;
    LiederModesStatistics s;
    size_t mode;
    double *x, *y;       /* state, and room for the next one; as large as the largest mode */
    double *observed;    /* values of the observer */
    size_t *transition;  /* by guard of the mode: its number */
    double *sign;        /* by guard: +1 or -1 */
    size_t nguard, room; /* guards of the mode; the arrays by guard hold so many */
    size_t most;         /* length of x, y and observed */
    bool refused;        /* the output callback returned false */
    LiederStatus observer_state; /* of the last failure */
} ModesRun;

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
    ModesRun *run = user;
    const Mode *mode = &run->modes->modes.items[run->mode];
    if (mode->observer) {
        LiederStatus status = lieder_observer_evaluate(mode->observer, t, x, run->observed);
        if (status != LIEDER_DONE)
            run->observer_state = status;
    }
    for (size_t i = 0; i < run->nguard; i++) {
        const Transition *k = &run->modes->transitions.items[run->transition[i]];
        double value =
            k->observed >= 0 ? run->observed[k->observed] : k->given.guard(k->given.user, t, x);
        values[i] = run->sign[i] * (value - k->given.level);
    }
}

static void push_guard(ModesRun *run, size_t transition, double sign)
{
    run->transition[run->nguard] = transition;
    run->sign[run->nguard++] = sign;
}

/* lists the guards of the present mode */
static void collect_guards(ModesRun *run)
{
    run->nguard = 0;
    for (size_t i = 0; i < run->modes->transitions.n; i++) {
        const LiederTransition *t = &run->modes->transitions.items[i].given;
        if (t->from == run->mode && t->direction != LIEDER_RISING)
            push_guard(run, i, 1);
        if (t->from == run->mode && t->direction != LIEDER_FALLING)
            push_guard(run, i, -1);
    }
}

/* a guard that fires when its mode begins (at_entry), or -1; values: room for all of them */
static ptrdiff_t guard_at_entry(ModesRun *run, double t, double *values)
{
    bool some = false;
    for (size_t i = 0; i < run->nguard; i++)
        some |= run->modes->transitions.items[run->transition[i]].given.at_entry;
    if (!some)
        return -1;
    evaluate_guards(run, t, run->x, values);
    for (size_t i = 0; i < run->nguard; i++)
        if (run->modes->transitions.items[run->transition[i]].given.at_entry && values[i] < 0)
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
static LiederStatus change_mode(ModesRun *run, size_t guard, double t)
{
    LiederModes *m = run->modes;
    Transition *k = &m->transitions.items[run->transition[guard]];
    size_t to = k->given.to;
    LiederStateMap *map = k->given.map;
    void *user = k->given.user;
    if (chatter_count(&k->recent, t, CHATTER_SPAN * (run->o->run.stop - run->o->run.start))) {
        if (!k->rests || run->o->run.chatter != LIEDER_CHATTER_HOLD) {
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
    LiederSystem *from = m->modes.items[run->mode].system, *next = m->modes.items[to].system;
    lieder_system_start(next, run->y);
    if (from == next && k->given.change)
        map_by_name(from, next, run->x, run->y);
    if (k->given.change)
        k->given.change(k->given.user, next, t);
    LiederStatus status = lieder_system_restructure(next, run->y);
    if (status != LIEDER_DONE)
        return status;
    if (map)
        map(user, t, run->x, run->y);
    else if (from != next || !k->given.change)
        map_by_name(from, next, run->x, run->y);
    for (size_t i = 0; i < next->nstate; i++)
        if (!isfinite(run->y[i])) {
            char name[600];
            lieder_system_state_name(next, i, name, sizeof name);
            diag_error(&m->session->diag, NULL, name,
                       "the map of transition \"%s\" makes this state %g at t = %.15g", k->name,
                       run->y[i], t);
            return LIEDER_NOT_FINITE;
        }
    double *swap = run->x;
    run->x = run->y;
    run->y = swap;
    run->mode = to;
    run->s.transitions++;
    run->s.last_transition = (ptrdiff_t)run->transition[guard];
    return LIEDER_DONE;
}

/* ------------------------------------------------------------------ a run */

static bool show_row(void *user, double t, const double *x, LiederRow kind)
{
    ModesRun *run = user;
    if (!run->o->output || run->o->output(run->o->user, run->mode, t, x, kind))
        return true;
    run->refused = true;
    return false;
}

static void show_change(void *user, double t, double *x)
{
    ModesRun *run = user;
    if (run->o->run.restructured)
        run->o->run.restructured(run->o->user, t, x);
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
static LiederStatus check_modes_run(const ModesRun *run)
{
    const LiederSimulateOptions *o = &run->o->run;
    Diagnostics *diag = &run->modes->session->diag;
    if (run->o->mode >= run->modes->modes.n) {
        diag_error(diag, NULL, NULL, "there is no mode %zu to begin with, only %zu modes",
                   run->o->mode, run->modes->modes.n);
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
static LiederStatus prepare_modes_run(ModesRun *run)
{
    LiederModes *m = run->modes;
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
    run->most = most;
    run->room = 2 * m->transitions.n + 1;
    run->x = memory_zeroed(alloc, most * sizeof(double));
    run->y = memory_zeroed(alloc, most * sizeof(double));
    run->observed = memory_zeroed(alloc, most * sizeof(double));
    run->transition = memory_zeroed(alloc, run->room * sizeof(size_t));
    run->sign = memory_zeroed(alloc, 2 * run->room * sizeof(double));
    if (run->x && run->y && run->observed && run->transition && run->sign)
        return LIEDER_DONE;
    report_no_memory(m);
    return LIEDER_NO_MEMORY;
}

static void drop_modes_run(ModesRun *run)
{
    const LiederAllocator *alloc = &run->modes->session->alloc;
    memory_free(alloc, run->x, run->most * sizeof(double));
    memory_free(alloc, run->y, run->most * sizeof(double));
    memory_free(alloc, run->observed, run->most * sizeof(double));
    memory_free(alloc, run->transition, run->room * sizeof(size_t));
    memory_free(alloc, run->sign, 2 * run->room * sizeof(double));
}

/* runs the mode from *t on; *t: its end, *guard: the guard that ended it, or -1 */
static LiederStatus stay_in_mode(ModesRun *run, LiederRow entry, double *t, ptrdiff_t *guard)
{
    LiederSystem *system = run->modes->modes.items[run->mode].system;
    LiederSimulateOptions o = run->o->run;
    o.energy = NULL; /* of one system: there is no sum over modes */
    LiederStatistics s;
    collect_guards(run);
    *guard = guard_at_entry(run, *t, run->sign + run->room);
    if (*guard >= 0)
        return show_row(run, *t, run->x, entry) ? LIEDER_DONE : LIEDER_STOPPED;
    Guards guards = {.n = run->nguard,
                     .evaluate = evaluate_guards,
                     .user = run,
                     .origin = o.start,
                     .entry = entry,
                     .x = run->y,
                     .fired = -1};
    o.x0 = run->x;
    o.start = *t;
    o.output = show_row;
    o.restructured = show_change;
    o.user = run;
    o.progress = NULL;
    LiederStatus status = simulate_guarded(system, &o, &s, &guards);
    add_statistics(&run->s.run, &s);
    if (system->nstate)
        memcpy(run->x, run->y, system->nstate * sizeof(double));
    *t = s.t;
    *guard = guards.fired;
    if (status >= 0 && run->observer_state != LIEDER_DONE)
        return run->observer_state;
    return run->refused || guards.fired < 0 || status < 0 ? status : LIEDER_DONE;
}

LiederStatus lieder_modes_simulate(LiederModes *modes, const LiederModesOptions *options,
                                   LiederModesStatistics *statistics)
{
    LiederModesOptions o = *options;
    ModesRun run = {.modes = modes,
                    .o = &o,
                    .s = {.run = {.limiting_state = -1, .t = o.run.start}, .last_transition = -1},
                    .mode = o.mode};
    double t = o.run.start;
    ptrdiff_t guard = -1;
    LiederRow entry = LIEDER_ROW;
    LiederStatus status = check_modes_run(&run);
    if (status == LIEDER_DONE)
        status = prepare_modes_run(&run);
    if (status == LIEDER_DONE) {
        const LiederSystem *first = modes->modes.items[o.mode].system;
        if (o.run.x0)
            memcpy(run.x, o.run.x0, first->nstate * sizeof(double));
        else
            status = lieder_system_start(first, run.x);
        /* one grid for all modes */
        if (o.run.interval == 0 && o.run.step == 0 && o.run.stop > o.run.start)
            o.run.interval = (o.run.stop - o.run.start) / 500;
    }
    while (status == LIEDER_DONE) {
        status = stay_in_mode(&run, entry, &t, &guard);
        if (status != LIEDER_DONE || guard < 0)
            break;
        status = change_mode(&run, (size_t)guard, t);
        entry = LIEDER_ROW_AFTER_EVENT;
    }
    drop_modes_run(&run);
    run.s.mode = run.mode;
    if (statistics)
        *statistics = run.s;
    return status;
}
