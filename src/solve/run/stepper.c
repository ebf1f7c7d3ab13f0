/* stepper.c - a system that is stepped from outside: closed loops, co-simulation.
 *
 * The parts are those of a run with fixed steps (fixed.c): the grid origin + i h, the team, event
 * blocks at the boundaries of steps, growth.c. So a stepper whose inputs rest has the bits of
 * lieder_simulate with the same solver and step. Time, state, choices and memory remain between two
 * calls.
 */
#include "compile/compile.h"
#include "solve/run/late.h"
#include "solve/run/simulate.h"
#include "solve/judge/watcher.h"

#include <math.h>
#include <string.h>

struct LiederStepper {
    LiederSystem *system;
    LiederSimulateOptions o;
    Team team;
    Events events;
    Moment moment;
    Implicit *implicit; /* euler-backward, else NULL */
    Growth growth;      /* of explicit steps */
    Watcher watcher;    /* of kept constraints, examined when a call returns */
    Late late;
    double *x, *kept, *other;
    double origin, t;
    size_t counter; /* t = origin + counter h */
    bool blocks;    /* some component has an event block */
};

/* ------------------------------------------------------------------ creation */

/* reports options that a stepper cannot follow; true: there is one */
static bool report_bad_option(LiederSystem *system, const LiederSimulateOptions *o)
{
    Diagnostics *diag = &system->session->diag;
    if (rank_count(system) > 1)
        diag_error(diag, NULL, NULL,
                   "a stepper does not work with several ranks\nstep a system of one process");
    else if (lieder_solver_info(o->solver)->adaptive)
        diag_error(diag, NULL, NULL,
                   "%s chooses its steps\na stepper takes a solver with fixed steps: rk1 ... rk4 "
                   "or euler-backward",
                   lieder_solver_name(o->solver));
    else if (!(o->step > 0) || !isfinite(o->step) || !isfinite(o->start))
        diag_error(diag, NULL, NULL,
                   "steps of %g from t = %g are impossible\nthe step must be positive", o->step,
                   o->start);
    else if (o->step < 1e-15 * fabs(o->start))
        diag_error(
            diag, NULL, NULL,
            "a step of %g is lost in the rounding of times about %g\nlet the time begin at 0",
            o->step, o->start);
    else if (o->threads < 0 || o->threads > 1024)
        diag_error(diag, NULL, NULL, "%d threads are impossible", o->threads);
    else
        return false;
    return true;
}

/* team, vectors and start values */
static LiederStatus stepper_prepare(LiederStepper *s)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(s->system);
    size_t bytes = (s->system->nstate + 1) * sizeof(double);
    LiederStatus status = team_create(&s->team, s->system, s->o.threads);
    if (status != LIEDER_DONE)
        return status;
    s->x = memory_zeroed(alloc, bytes);
    s->kept = memory_zeroed(alloc, bytes);
    s->other = memory_zeroed(alloc, bytes);
    if (!s->x || !s->kept || !s->other)
        return LIEDER_NO_MEMORY;
    status = events_create(&s->events, &s->team, s->o.step, NULL);
    if (status != LIEDER_DONE)
        return status;
    s->moment = events_moment(&s->events, NAN, false);
    if (solver_steps_explicitly(s->o.solver))
        status = growth_create(&s->growth, s->system);
    if (status == LIEDER_DONE)
        status =
            watcher_create(&s->watcher, s->system, 1u << WATCHED_UNKNOWN | 1u << WATCHED_LIMIT);
    if (status != LIEDER_DONE || s->o.compile != LIEDER_COMPILE_ALWAYS)
        return status;
    status = lieder_system_compile(s->system);
    return status < 0 ? status : LIEDER_DONE;
}

LiederStepper *lieder_stepper_create(LiederSystem *system, const LiederSimulateOptions *options)
{
    LiederSimulateOptions o = *options;
    if (o.solver == LIEDER_SOLVER_AUTO || system->nstate == 0)
        o.solver = system->nstate ? LIEDER_RK4 : LIEDER_RK1;
    if (report_bad_option(system, &o))
        return NULL;
    LiederStepper *s = memory_zeroed(SYSTEM_ALLOC(system), sizeof *s);
    LiederStatus status = LIEDER_NO_MEMORY;
    if (s) {
        s->system = system;
        s->o = o;
        s->blocks = simulate_has_event_blocks(system);
        system->structure.busy = true; /* the team knows the shapes as they are */
        status = stepper_prepare(s);
    }
    if (status == LIEDER_DONE)
        status = lieder_stepper_reset(s, o.start, o.x0);
    if (status == LIEDER_DONE)
        return s;
    if (status == LIEDER_NO_MEMORY)
        diag_error(&system->session->diag, NULL, NULL, "not enough memory for the stepper");
    lieder_stepper_destroy(s);
    return NULL;
}

void lieder_stepper_destroy(LiederStepper *s)
{
    if (!s)
        return;
    LiederSystem *system = s->system;
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    size_t bytes = (system->nstate + 1) * sizeof(double);
    implicit_destroy(s->implicit);
    growth_drop(&s->growth);
    watcher_drop(&s->watcher);
    if (s->team.system)
        events_drop(&s->events);
    memory_free(alloc, s->x, bytes);
    memory_free(alloc, s->kept, bytes);
    memory_free(alloc, s->other, bytes);
    if (s->team.system)
        team_drop(&s->team);
    memory_free(alloc, s, sizeof *s);
    system->structure.busy = false;
}

/* ------------------------------------------------------------------ where it stands */

static double decided_at(const LiederStepper *s)
{
    return s->t + STEP_MARGIN * s->o.step;
}

/* LIEDER_STOPPED: a component ends the run here */
static LiederStatus check_requests(LiederStepper *s)
{
    Moment moment = events_moment(&s->events, decided_at(s), true);
    bool end = false;
    LiederStatus status = events_check_requests(&s->events, s->t, &moment, s->x, &end);
    return status == LIEDER_DONE && end ? LIEDER_STOPPED : status;
}

LiederStatus lieder_stepper_reset(LiederStepper *s, double t, const double *x)
{
    LiederSystem *system = s->system;
    if (!isfinite(t)) {
        diag_error(&system->session->diag, NULL, NULL, "the time %g is no number", t);
        return LIEDER_BAD_USE;
    }
    if (x)
        memcpy(s->x, x, system->nstate * sizeof(double));
    else {
        LiederStatus found = system_start(system, t, s->x);
        if (found != LIEDER_DONE)
            return found;
    }
    s->origin = s->t = t;
    s->counter = 0;
    s->late.jumped = false;
    s->watcher.drift.reported = s->watcher.drift.failed = s->watcher.drift.passed = false;
    LiederStatus status = LIEDER_DONE;
    if (s->blocks)
        status = events_start(&s->events, t, decided_at(s), s->x, s->o.chatter);
    Moment moment = events_moment(&s->events, decided_at(s), true);
    if (status == LIEDER_DONE)
        guesses_take(&s->events, t, &moment, s->x);
    if (status == LIEDER_DONE)
        status = histories_check(&s->events, t, &moment, s->x, s->o.step);
    if (status == LIEDER_DONE)
        status = check_requests(s);
    if (status < 0)
        return status;
    s->late.due = events_next_time(&s->events, t);
    if (solver_steps_explicitly(s->o.solver)) {
        growth_begin(&s->growth, s->x);
        return LIEDER_DONE;
    }
    implicit_destroy(s->implicit);
    s->implicit = implicit_create(&s->team, s->o.solver, s->o.tolerance, s->o.step, &(Glances){0},
                                  t, &s->moment, s->x);
    return s->implicit ? LIEDER_DONE : LIEDER_NO_MEMORY;
}

double lieder_stepper_time(const LiederStepper *s)
{
    return s->t;
}

double *lieder_stepper_state(LiederStepper *s)
{
    return s->x;
}

LiederStatus lieder_stepper_observe(LiederStepper *s, LiederObserver *observer, double *values)
{
    s->system->moment = events_moment(&s->events, decided_at(s), true);
    LiederStatus status = lieder_observer_evaluate(observer, s->t, s->x, values);
    s->system->moment = (Moment){.event_time = NAN};
    return status;
}

bool stepper_row(LiederStepper *s, const LiederSimulateOptions *o)
{
    s->system->moment = events_moment(&s->events, decided_at(s), true);
    bool on = !o->output || o->output(o->user, s->t, s->x, LIEDER_ROW);
    s->system->moment = (Moment){.event_time = NAN};
    return on;
}

/* ------------------------------------------------------------------ steps */

static LiederStatus implicit_one_step(LiederStepper *s)
{
    double t = s->origin + (double)s->counter * s->o.step;
    s->moment.event_time = t + STEP_MARGIN * s->o.step;
    events_decide(&s->events, t, s->moment.event_time, s->x);
    memcpy(s->kept, s->x, s->system->nstate * sizeof(double));
    LiederStatus status = implicit_fixed_step(s->implicit, t, s->o.step, s->x);
    if (status != LIEDER_DONE)
        memcpy(s->x, s->kept, s->system->nstate * sizeof(double));
    return status;
}

static LateStep late_step(LiederStepper *s)
{
    return (LateStep){&s->events, s->origin, s->o.step, s->t, s->x, {s->kept, s->other}};
}

/* the past grows by a step, and events at its end */
static LiederStatus end_of_step(LiederStepper *s, double from, size_t *ran)
{
    Events *e = &s->events;
    double decided = decided_at(s);
    Moment step = events_moment(e, from + STEP_MARGIN * s->o.step, true);
    Moment after = events_moment(e, decided, true);
    LiederStatus status = LIEDER_DONE;
    Boundary b = {0};
    if (e->histories.n)
        status = histories_fixed_step(e, from, s->t, &step, s->kept, s->x);
    LateStep late = late_step(s);
    bool due = late_instants(&s->late, &late), jumps = !s->late.jumped && !events_due(e, decided);
    if (jumps)
        memcpy(s->other, s->x, s->system->nstate * sizeof(double));
    if (status == LIEDER_DONE)
        status = events_at_boundary(e, s->t, decided, s->x, s->o.chatter, &b);
    *ran = b.ran;
    if (jumps && *ran)
        late_jump(&s->late, &late, s->other);
    if (due)
        late_next(&s->late, &late);
    return status == LIEDER_DONE ? histories_event(e, s->t, decided, &after, s->x) : status;
}

LiederStatus lieder_stepper_step(LiederStepper *s, size_t n)
{
    enum { LONGEST_CHUNK = 256 };
    LiederStatus status = LIEDER_DONE;
    while (n > 0 && status == LIEDER_DONE) {
        double before = s->t;
        bool single = s->blocks || s->implicit || s->system->nguess;
        size_t chunk = single ? 1 : n < LONGEST_CHUNK ? n : LONGEST_CHUNK;
        size_t good = chunk, ran = 0;
        Moment moment = events_moment(&s->events, NAN, true);
        RkSteps k = {.solver = s->o.solver,
                     .moment = &moment,
                     .origin = s->origin,
                     .h = s->o.step,
                     .first = s->counter,
                     .n = chunk,
                     .x = s->x};
        if (s->implicit) {
            status = implicit_one_step(s);
            good = status == LIEDER_DONE;
        } else {
            status = simulate_explicit_steps(&s->team, &s->growth, &k, s->kept, s->other, &good);
        }
        s->counter += good;
        s->t = s->origin + (double)s->counter * s->o.step;
        n -= chunk;
        if (status == LIEDER_DONE && s->blocks) {
            status = end_of_step(s, before, &ran);
        } else if (status == LIEDER_DONE) {
            LateStep late = late_step(s);
            late_instants(&s->late, &late);
        }
        if (status == LIEDER_DONE) {
            Moment here = events_moment(&s->events, decided_at(s), true);
            guesses_take(&s->events, s->t, &here, s->x);
        }
        if (status == LIEDER_DONE && s->blocks && ran)
            stability_event(&s->growth);
        if (status == LIEDER_DONE && s->blocks)
            status = check_requests(s);
    }
    Moment moment = events_moment(&s->events, decided_at(s), true);
    if (status == LIEDER_DONE && !watcher_row(&s->watcher, s->t, &moment, s->x))
        status = LIEDER_GAVE_UP;
    return status;
}
