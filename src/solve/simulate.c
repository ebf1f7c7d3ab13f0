/* simulate.c - runs: options, rows, statistics, the loops of fixed and of adaptive steps.
 *
 * A run goes through phases: check the options, make the parts ready, take the start from the
 * model, the caller or a state file, loop, write the state file, sum up. After that nothing of it
 * is left in the system.
 *
 * Fixed steps stand on a grid, origin + i h; rows on every per_row-th of its points. All steps
 * up to the next row are one chunk of work for the team. If a chunk fails somewhere, the run goes
 * back to its begin and repeats the steps that all lanes survived: so it ends at the last good time
 * whatever strip failed first.
 *
 * Adaptive steps go up to the next time event; rows are read off the solver's interpolant, so
 * that asking for many rows changes nothing.
 */
#include "compile/compile.h"
#include "solve/clocks.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum {
    LONGEST_CHUNK = 256,
    ROWS = 500,
    TIME_STEPS = 100, /* at least, of a run with crossings that time decides */
    STEPS_PER_ROW = 100,
    MOST_THREADS = 1024,
    MOST_CHANGES = 32
};
static const double PROGRESS_SECONDS = 0.1;
/* A result with more rows is no result; runs shorter than that part of their times are rounding. */
static const double MAX_ROWS = 1e9, MAX_STEPS = 9e15, SHORTEST_SPAN = 1e-12;
/* Finer than that no double can be; what solvers reach is a matter of their own: implicit.c. */
static const double FINEST_TOLERANCE = 1e-14;
/* A run that has lasted so long is likely to last long enough for a compiler, which takes as long.
 */
static const double COMPILATION_SECONDS = 0.25;
static const double COMPILATION_LOOK_SECONDS = 0.01;
static const double COMPILATION_SHARE = 0.02; /* shapes with less of the work are left alone */

typedef struct Run {
    LiederSystem *system;
    LiederSimulateOptions o;
    LiederStatistics s, past; /* past: of solvers before the connections changed */
    Team team;
    Events events;
    Moment moment;
    Adaptive method;          /* of implicit and of adaptive steps */
    Growth growth;            /* of explicit steps */
    Ranges ranges;            /* what is reported at the end */
    EnergyMeter meter;        /* energies, if somebody wants them */
    Guards *guards;           /* or NULL */
    Clocks *clocks;           /* of lanes that have their own, or NULL */
    double *x, *kept, *other; /* the state; a copy of an earlier one; a scratch */
    double t;
    double from, until; /* the fixed step in which guards are located; kept is its begin */
    /* grid of fixed steps */
    double origin, h, wanted;
    size_t counter, per_row;
    bool resumed;
    bool chosen; /* the solver is our choice */
    bool paused; /* the last steps were given up: the program has asked to stop */
    double began, next_progress, next_checkpoint, clock_origin;
    Compilation *compilation; /* under way, or NULL */
    double next_compilation;  /* when to look after it; infinite: not any more */
} Run;

/* ------------------------------------------------------------------ defaults */

LiederSimulateOptions lieder_simulate_defaults(void)
{
    return (LiederSimulateOptions){.stop = 1, .tolerance = 1e-6, .event_tolerance = 1e-10};
}

/* ------------------------------------------------------------------ options */

/* true if the condition holds, else a diagnostic */
#define DEMAND(condition, ...)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            diag_error(&r->system->session->diag, NULL, NULL, __VA_ARGS__);                        \
            ok = false;                                                                            \
        }                                                                                          \
    } while (0)

static LiederStatus check_options(Run *r)
{
    const LiederSimulateOptions *o = &r->o;
    bool ok = true;
    DEMAND(isfinite(o->start), "the start time %g is no number", o->start);
    DEMAND(isfinite(o->stop), "the stop time %g is no number", o->stop);
    DEMAND(o->resume || !(o->stop < o->start), "the run would stop at %g, before its start at %g",
           o->stop, o->start);
    DEMAND((unsigned)o->solver < LIEDER_SOLVER_COUNT,
           "there is no solver number %d\nsolvers are auto, %s", (int)o->solver,
           lieder_solver_names());
    DEMAND(o->step >= 0 && isfinite(o->step),
           "a step of %g is impossible\nthe step must be positive, or 0 to have one chosen",
           o->step);
    double span = o->stop - o->start, latest = fmax(fabs(o->start), fabs(o->stop));
    DEMAND(isfinite(span) || !isfinite(latest), "the run from %g to %g is longer than a number",
           o->start, o->stop);
    DEMAND(o->resume || r->guards || !(span > 0) || span > SHORTEST_SPAN * latest,
           "the run from %.17g to %.17g is as short as the rounding of its times\nlet the time "
           "begin at 0",
           o->start, o->stop);
    DEMAND(o->tolerance >= FINEST_TOLERANCE && o->tolerance < 1,
           "the tolerance %g is out of range\nit must lie between %g and 1, 1e-6 for example; bdf "
           "reaches %g, rk45 %g",
           o->tolerance, FINEST_TOLERANCE, adaptive_finest(LIEDER_BDF),
           adaptive_finest(LIEDER_RK45));
    DEMAND(!(o->interval > 0) || !(span / o->interval > MAX_ROWS),
           "an interval of %g gives %g rows in a run of %g s\ntake a longer one: %g rows are the "
           "limit",
           o->interval, span / o->interval, span, MAX_ROWS);
    DEMAND(o->interval >= 0 && isfinite(o->interval),
           "an interval of %g between rows is impossible\nit must be positive, or 0 to have one "
           "chosen",
           o->interval);
    DEMAND(o->event_tolerance > 0 && o->event_tolerance <= 0.1,
           "the event tolerance %g is out of range\nit is a part of a step, 1e-10 for example",
           o->event_tolerance);
    DEMAND((unsigned)o->clocks < LIEDER_CLOCKS_COUNT,
           "there is no choice of clocks number %d\nit is %s", (int)o->clocks,
           lieder_clocks_names());
    DEMAND(o->threads >= 0 && o->threads <= MOST_THREADS, "%d threads are impossible", o->threads);
    DEMAND(rank_count(r->system) < 2 || !r->guards,
           "a run over modes cannot be shared by several ranks\nrun it in one process");
    DEMAND(!o->real_time || !lieder_solver_info(o->solver)->adaptive,
           "%s chooses its steps and cannot follow the clock\nuse a fixed-step solver in real time",
           lieder_solver_name(o->solver));
    if (o->x0)
        for (size_t i = 0; i < r->system->nstate && ok; i++) {
            char name[600];
            if (!isfinite(o->x0[i]))
                DEMAND(false, "the start value of %s is %g",
                       lieder_system_state_name(r->system, i, name, sizeof name), o->x0[i]);
        }
    return ok ? LIEDER_DONE : LIEDER_BAD_USE;
}

bool simulate_has_event_blocks(const LiederSystem *system)
{
    if (system->nmemory || system->nheld)
        return true;
    for (size_t i = 0; i < system->shapes.n; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        for (size_t k = 0; k < ss->crossings.n; k++)
            if (class_any_kernels(
                    ss->shape->components.items[ss->crossings.items[k].component].class_)
                    ->event.run)
                return true;
    }
    return false;
}

/* In a net every state moves every other, and the Jacobian is full: with 1600 states a step of bdf
 * takes as long as 10000 of rk4. rk45 finds the step that T_D or the stiffness allows: 159 of them
 * for models/scale/Net.mo, where a hundredth of a row would be 50000. */
static bool has_large_net(const LiederSystem *system)
{
    enum { LARGE = 500 };
    for (size_t i = 0; i < system->shapes.n; i++)
        if (system->shapes.items[i].method == LIEDER_METHOD_NET &&
            system->shapes.items[i].shape->states.n > LARGE)
            return true;
    return false;
}

/* can a sign change because time goes on, while all states rest? */
static bool crosses_in_time(const LiederSystem *system)
{
    for (size_t i = 0; i < system->shapes.n; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        for (size_t k = 0; k < ss->crossings.n; k++)
            if (ss->crossings.items[k].member->crossing == LIEDER_EDGE &&
                ss->shape->components.items[ss->crossings.items[k].component]
                    .class_->def->uses_time)
                return true;
    }
    return false;
}

/* is there anything that happens at an instant of its own? */
static bool has_events(const LiederSystem *system)
{
    for (size_t i = 0; i < system->shapes.n; i++)
        if (system->shapes.items[i].crossings.n || system->shapes.items[i].alert.n)
            return true;
    return simulate_has_event_blocks(system);
}

/* With one clock the events of a lane interrupt all others: so many lanes with events have their
 * own, unless somebody has said how the run shall go. Fewer keep their rows at events. */
static bool is_fleet_with_events(const LiederSystem *system, const LiederSimulateOptions *o,
                                 size_t copies)
{
    enum { MANY = 16 };
    const char *why;
    size_t n = 0;
    for (size_t i = 0; i < system->nhome; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        n += ss->crossings.n + ss->alert.n ? ss->shape->all_lanes : 0;
    }
    return copies * n >= MANY && o->clocks == LIEDER_CLOCKS_AUTO && rank_count(system) == 1 &&
           !(o->checkpoint && o->checkpoint_seconds > 0) && !o->restructured &&
           solver_blocks_are_small(system) && clocks_possible(system, &why);
}

/* Bdf for those who say nothing: stiff or not, it gets through, and at the default tolerance it
 * needs a fiftieth of the steps of esdirk23 (docs/solvers.md has the numbers). Who gives a step,
 * wants real time or has a large net gets rk4. Models without states take
 * steps only to find events. Lanes with clocks of their own begin with rk45 and go over to rodas4
 * where they are stiff (clocks.c). */
static LiederSolver choose_solver(const LiederSystem *system, const LiederSimulateOptions *o)
{
    bool any = system_all_states(system) > 0; /* on any rank */
    if (o->solver != LIEDER_SOLVER_AUTO && any)
        return o->solver;
    /* nothing to integrate: steps are there to find events */
    bool fixed = o->step > 0 || o->real_time ||
                 (o->solver != LIEDER_SOLVER_AUTO && !lieder_solver_info(o->solver)->adaptive);
    if (!any)
        return fixed || !has_events(system) ? LIEDER_RK1 : LIEDER_RK45;
    if (o->step > 0 || o->real_time)
        return LIEDER_RK4;
    return o->clocks == LIEDER_CLOCKS_OWN || has_large_net(system) ||
                   is_fleet_with_events(system, o, 1)
               ? LIEDER_RK45
               : LIEDER_BDF;
}

/* why choose_solver chose as it did, or NULL where the options name it */
static const char *reason_of(const LiederSystem *system, const LiederSimulateOptions *o)
{
    if (o->solver != LIEDER_SOLVER_AUTO)
        return NULL;
    if (system_all_states(system) == 0)
        return "there are no states";
    if (o->step > 0 || o->real_time)
        return "explicit, since a step was given";
    if (has_large_net(system))
        return "explicit with steps by the tolerance, since the Jacobian of a large net is full";
    return o->clocks == LIEDER_CLOCKS_OWN || is_fleet_with_events(system, o, 1)
               ? "explicit, a clock for each lane"
               : "implicit with steps by the tolerance, stiff or not";
}

/* Do lanes have clocks of their own in this run? why: why they cannot, if that was asked for */
static bool own_clocks(const LiederSystem *system, const LiederSimulateOptions *o, bool guarded,
                       const char **why)
{
    LiederSolver solver = choose_solver(system, o);
    bool possible = clocks_possible(system, why);
    if (guarded)
        *why = "the run changes between modes";
    else if (o->checkpoint && o->checkpoint_seconds > 0)
        *why = "state files on the way need one time for all";
    else if (!solver_is_one_step(solver) && system_all_states(system) > 0)
        *why = "this solver has one clock";
    if (o->clocks == LIEDER_CLOCKS_SHARED || !possible || *why || system_all_states(system) == 0)
        return false;
    bool small = solver == LIEDER_RK45 || solver_blocks_are_small(system);
    return o->clocks == LIEDER_CLOCKS_OWN || (small && clocks_count(system) > 1);
}

bool simulate_prefers_own_clocks(const LiederSystem *system, const LiederSimulateOptions *o,
                                 size_t copies)
{
    return o->solver == LIEDER_SOLVER_AUTO && o->step == 0 && system_all_states(system) > 0 &&
           !clocks_can_end(system) && is_fleet_with_events(system, o, copies);
}

/* Steps of SUNDIALS share their norms, the way in which nets are solved is chosen for the first lane,
 * and with one clock an event of one lane makes a row for all. */
bool simulate_keeps_lanes_apart(const LiederSystem *system, const LiederSimulateOptions *o)
{
    for (size_t i = 0; i < system->shapes.n; i++)
        if (system->shapes.items[i].method == LIEDER_METHOD_NET)
            return false;
    const char *why;
    LiederSimulateOptions own = *o;
    if (clocks_can_end(system)) /* each for itself */
        return false;
    if (own.clocks == LIEDER_CLOCKS_AUTO)
        own.clocks = LIEDER_CLOCKS_OWN;
    if (solver_is_one_step(choose_solver(system, o)))
        return own_clocks(system, &own, false, &why);
    return solver_steps_explicitly(choose_solver(system, o)) && !simulate_has_event_blocks(system);
}

/* step and rows of the grid from the options */
static LiederStatus choose_grid(Run *r)
{
    LiederSimulateOptions *o = &r->o;
    double span = o->stop - r->origin;
    bool ok = true;
    if (r->h == 0) {
        r->wanted = o->step;
        if (o->step == 0) {
            if (o->interval == 0)
                o->interval = span / ROWS;
            bool steps = system_all_states(r->system) > 0 || has_events(r->system);
            r->h = o->interval / (steps ? STEPS_PER_ROW : 1); /* or nothing happens between rows */
        } else {
            r->h = o->step;
        }
    }
    if (r->h == 0) { /* nothing to do */
        r->h = 1;
        r->per_row = 1;
        return LIEDER_DONE;
    }
    DEMAND(span / r->h < MAX_STEPS, "%g steps of %g are too many", span / r->h, r->h);
    DEMAND(r->h > 1e-15 * fmax(fabs(r->origin), fabs(o->stop)) || !(span > 0),
           "a step of %g is lost in the rounding of times about %g\nlet the time begin at 0, or "
           "take a longer step",
           r->h, o->stop);
    if (!ok)
        return LIEDER_BAD_USE;
    if (o->interval == 0) {
        r->per_row = (size_t)fmax(1, ceil(span / ROWS / r->h - 1e-9));
        o->interval = (double)r->per_row * r->h;
    } else {
        /* rows that lie beyond the run need no grid that meets them */
        double n = fmin(o->interval / r->h, MAX_STEPS), whole = fmax(1, nearbyint(n));
        if (fabs(n - whole) > 1e-9 * whole) {
            whole = ceil(n);
            if (r->resumed || r->t == r->origin) /* not again for every mode */
                diag_warning(&r->system->session->diag, NULL, NULL,
                             "the step %g does not divide the interval %g of rows: %.17g is used",
                             r->h, o->interval, o->interval / whole);
            r->h = o->interval / whole;
        }
        r->per_row = (size_t)whole;
    }
    return LIEDER_DONE;
}

/* ------------------------------------------------------------------ rows */

static bool call_output(Run *r, double t, const double *x, LiederRow kind, const Moment *moment)
{
    meter_row(&r->meter, t, x, moment);
    if (!r->o.output)
        return true;
    double began = clock_seconds();
    /* observers called from there see jumps and choices as the run does */
    r->system->moment = *moment;
    bool on = r->o.output(r->o.user, t, x, kind);
    r->system->moment = (Moment){.event_time = NAN};
    on = !ranks_any(r->system, !on);
    r->s.output_seconds += clock_seconds() - began;
    return on;
}

/* what is held in fixed steps, decided at a time */
static Moment fixed_moment(const Run *r, double decided)
{
    return events_moment(&r->events, decided, true);
}

/* a row of fixed steps at a time */
static bool fixed_row(Run *r, double t, const double *x, LiederRow kind, double decided)
{
    Moment moment = fixed_moment(r, decided);
    return call_output(r, t, x, kind, &moment);
}

/* Components may end the run at (r->t, r->x): LIEDER_STOPPED, and the statistics say so. */
static LiederStatus look_at_requests(Run *r, const Moment *moment)
{
    bool end = false;
    size_t said = r->system->session->diag.list.n;
    LiederStatus status = events_look_at_requests(&r->events, r->t, moment, r->x, &end);
    if (r->events.requests && rank_count(r->system) > 1) {
        status = ranks_status(r->system, status, said);
        end = ranks_any(r->system, end);
    }
    r->s.terminated |= end;
    return status == LIEDER_DONE && end ? LIEDER_STOPPED : status;
}

/* choices and memory at the start */
static LiederStatus start_events(Run *r, double decided)
{
    size_t said = r->system->session->diag.list.n;
    LiederStatus status = events_start(&r->events, r->t, decided, r->x, r->o.chatter);
    return ranks_status(r->system, status, said);
}

static void sum_up(Run *r)
{
    r->s.t = r->t;
    r->s.evaluations = r->team.evaluations;
    r->s.evaluation_seconds = r->team.seconds;
    r->s.seconds = clock_seconds() - r->began;
    if (r->clocks)
        clocks_statistics(r->clocks, &r->s);
    if (!r->method.implicit && !r->method.clock)
        return;
    adaptive_statistics(&r->method, &r->s);
    r->s.steps += r->past.steps;
    r->s.rejected += r->past.rejected;
    r->s.jacobians += r->past.jacobians;
    r->s.factorisations += r->past.factorisations;
    r->s.solve_seconds += r->past.solve_seconds;
    r->s.largest_step = fmax(r->s.largest_step, r->past.largest_step);
    if (r->past.steps)
        r->s.smallest_step = r->s.steps > r->past.steps
                                 ? fmin(r->s.smallest_step, r->past.smallest_step)
                                 : r->past.smallest_step;
}

static LiederStatus write_checkpoint(Run *r)
{
    Checkpoint c = {.solver = r->o.solver,
                    .t = r->t,
                    .origin = r->origin,
                    .step = r->h,
                    .wanted = r->wanted,
                    .counter = r->counter,
                    .synced = r->o.checkpoint_seconds == 0 || r->o.checkpoint_seconds >= 1};
    LiederStatus status = checkpoint_write(r->system, r->o.checkpoint, &c, r->x, &r->events);
    if (status == LIEDER_DONE) {
        r->s.checkpoints++;
        r->s.checkpoint_t = r->t;
    }
    return status;
}

/* Compiles everything before the run goes on. A compiler may take its time: the progress callback
 * is asked meanwhile. */
static LiederStatus compile_all(Run *r)
{
    struct timespec pause = {.tv_nsec = 1000000};
    Compilation *c = compilation_begin(r->system, 0);
    if (!c)
        return LIEDER_NO_MEMORY;
    LiederStatus status = LIEDER_DONE;
    while (status == LIEDER_DONE && !compilation_poll(c)) {
        nanosleep(&pause, NULL);
        double now = clock_seconds();
        if (!r->o.progress || now < r->next_progress)
            continue;
        r->next_progress = now + PROGRESS_SECONDS;
        sum_up(r);
        if (!r->o.progress(r->o.user, r->t, &r->s))
            status = LIEDER_STOPPED;
    }
    compilation_end(c);
    return ranks_status(r->system, status, r->system->session->diag.list.n);
}

static bool compiles_beside(const Run *r)
{
    return r->o.compile == LIEDER_COMPILE_AUTO && !r->o.real_time;
}

/* starts to compile, or takes up what is ready */
static LiederStatus look_after_compilation(Run *r, double now)
{
    r->next_compilation = now + COMPILATION_LOOK_SECONDS;
    if (!r->compilation) {
        r->compilation = compilation_begin(r->system, COMPILATION_SHARE);
        return r->compilation ? LIEDER_DONE : LIEDER_NO_MEMORY;
    }
    if (compilation_poll(r->compilation)) {
        compilation_end(r->compilation);
        r->compilation = NULL;
        r->next_compilation = INFINITY;
    }
    return LIEDER_DONE;
}

/* what is done now and then: the progress callback, the state file, compiling */
static LiederStatus now_and_then(Run *r)
{
    bool saving = r->o.checkpoint && r->o.checkpoint_seconds > 0;
    if (!r->o.progress && !saving && r->next_compilation == INFINITY)
        return LIEDER_DONE;
    double now = clock_seconds();
    LiederStatus status = LIEDER_DONE;
    if (now >= r->next_compilation)
        status = look_after_compilation(r, now);
    if (r->o.progress && now >= r->next_progress && status == LIEDER_DONE) {
        r->next_progress = now + PROGRESS_SECONDS;
        sum_up(r);
        if (!r->o.progress(r->o.user, r->t, &r->s))
            status = LIEDER_STOPPED;
    }
    status = ranks_status(r->system, status, r->system->session->diag.list.n);
    if (status != LIEDER_DONE || !saving)
        return status;
    if (ranks_any(r->system, now >= r->next_checkpoint)) {
        r->next_checkpoint = now + r->o.checkpoint_seconds;
        return write_checkpoint(r);
    }
    return LIEDER_DONE;
}

/* ------------------------------------------------------------------ connections that change */

static bool changes_wait(const Run *r)
{
    return r->system->structure.changes.n || r->system->structure.wrong;
}

/* what takes the steps of all but explicit fixed ones */
static LiederStatus make_method(Run *r)
{
    LiederStatus status = adaptive_create(&r->method, &r->team, r->o.solver, r->o.tolerance,
                                          r->o.step, r->t, &r->moment, r->x);
    if (status == LIEDER_DONE)
        r->events.tolerance = adaptive_tolerance(&r->method);
    return status;
}

/* the system with other connections, and what in the run depends on them */
static LiederStatus restructure(Run *r)
{
    LiederSystem *system = r->system;
    sum_up(r);
    r->past = r->s;
    adaptive_destroy(&r->method);
    compilation_end(r->compilation); /* its shapes may go */
    r->compilation = NULL;
    size_t evaluations = r->team.evaluations;
    double seconds = r->team.seconds;
    team_drop(&r->team);
    system->structure.busy = false;
    LiederStatus status = lieder_system_restructure(system, r->x);
    system->structure.busy = true;
    LiederStatus made = team_create(&r->team, system, r->o.threads);
    r->team.evaluations = evaluations;
    r->team.seconds = seconds;
    if (made == LIEDER_DONE && r->growth.system)
        made = growth_fit(&r->growth);
    if (status != LIEDER_DONE || made != LIEDER_DONE)
        return status != LIEDER_DONE ? status : made;
    if (r->o.restructured)
        r->o.restructured(r->o.user, r->t, r->x);
    for (size_t i = 0; i < system->nstate; i++)
        if (!isfinite(r->x[i])) {
            char name[600];
            diag_error(&system->session->diag, NULL,
                       lieder_system_state_name(system, i, name, sizeof name),
                       "the state is %g after the connections changed at t = %.15g", r->x[i], r->t);
            return LIEDER_NOT_FINITE;
        }
    status = r->o.compile == LIEDER_COMPILE_ALWAYS ? compile_all(r) : LIEDER_DONE;
    if (status != LIEDER_DONE)
        return status;
    if (compiles_beside(r))
        r->next_compilation = clock_seconds() + COMPILATION_SECONDS;
    status = events_decide_again(&r->events, r->t, r->moment.event_time, r->x, r->o.chatter);
    if (status != LIEDER_DONE)
        return status;
    return solver_steps_explicitly(r->o.solver) ? LIEDER_DONE : make_method(r);
}

/* what `output` has collected at r->t */
static LiederStatus take_changes(Run *r)
{
    for (int count = 0; changes_wait(r); count++) {
        if (count == MOST_CHANGES) {
            diag_error(&r->system->session->diag, NULL, NULL,
                       "the connections were changed %d times at t = %.15g\nchange them once, and "
                       "not again in the row after the event",
                       MOST_CHANGES, r->t);
            return LIEDER_GAVE_UP;
        }
        bool fixed = !lieder_solver_info(r->o.solver)->adaptive;
        if (fixed)
            r->moment.event_time = r->t + STEP_MARGIN * r->h;
        LiederStatus status = restructure(r);
        if (status != LIEDER_DONE)
            return status;
        Moment moment = fixed ? fixed_moment(r, r->moment.event_time) : r->moment;
        meter_after(&r->meter, r->t, r->x, &moment, true);
        if (!call_output(r, r->t, r->x, LIEDER_ROW_AFTER_EVENT, &moment))
            return LIEDER_STOPPED;
        if (!fixed)
            status = adaptive_restart(&r->method, r->t, r->x);
        if (status != LIEDER_DONE)
            return status;
    }
    return LIEDER_DONE;
}

/* ------------------------------------------------------------------ fixed steps */

static double grid_time(const Run *r, size_t i)
{
    return i % r->per_row == 0 && !r->resumed ? r->origin + (double)(i / r->per_row) * r->o.interval
                                              : r->origin + (double)i * r->h;
}

LiederStatus simulate_explicit_steps(Team *team, Growth *growth, RkSteps *k, double *kept,
                                     double *other, size_t *good)
{
    size_t nstate = team->system->nstate, bytes = nstate * sizeof(double);
    double *x = k->x;
    team_copy(team, kept, x, nstate);
    LiederStatus status = rk_run(team, k);
    if (k->pause && k->pause->stopped) {
        memcpy(x, kept, bytes);
        *good = 0;
        return LIEDER_STOPPED;
    }
    k->pause = NULL;
    if (status != LIEDER_DONE) {
        memcpy(x, kept, bytes);
        k->n = k->good;
        rk_run(team, k);
    }
    /* numbers that grow by the method, also those that led to a failure */
    LiederStatus grown = growth_check(growth, k, kept, other, good);
    if (grown != LIEDER_DONE && *good < k->n) {
        memcpy(x, kept, bytes);
        k->n = *good;
        rk_run(team, k);
    }
    if (grown != LIEDER_DONE || status == LIEDER_DONE)
        return grown;
    memcpy(other, x, bytes);
    k->x = other;
    k->good = *good;
    return rk_explain(team, k, status);
}

/* The steps that all ranks survived: who came further goes back, and who came that far and no
 * further says why. */
static LiederStatus join_failures(Run *r, const RkSteps *k, size_t n, LiederStatus status,
                                  size_t before, size_t *good)
{
    size_t here = status == LIEDER_DONE ? n : *good;
    double least = ranks_least(r->system, status == LIEDER_DONE ? (double)n : (double)here - 0.5);
    if (least == (double)n)
        return LIEDER_DONE;
    *good = (size_t)ceil(least);
    if (here > *good) {
        RkSteps again = *k;
        again.x = r->x;
        again.n = *good;
        if (r->system->nstate)
            memcpy(r->x, r->kept, r->system->nstate * sizeof(double));
        rk_run(&r->team, &again);
        diag_forget(&r->system->session->diag, before);
        status = LIEDER_DONE;
    }
    return ranks_status(r->system, status, before);
}

static bool asks_to_go_on(void *user)
{
    Run *r = user;
    return r->o.progress(r->o.user, r->t, &r->s);
}

/* n steps of h from origin + first h; on failure x is the state after *good of them */
static LiederStatus explicit_steps(Run *r, double origin, size_t first, double h, size_t n,
                                   size_t *good)
{
    Moment moment = fixed_moment(r, NAN);
    RkSteps k = {.solver = r->o.solver,
                 .origin = origin,
                 .h = h,
                 .first = first,
                 .n = n,
                 .x = r->x,
                 .moment = &moment};
    RkPause pause = {asks_to_go_on, r, clock_seconds() + PROGRESS_SECONDS, 0};
    k.pause = r->o.progress && rank_count(r->system) == 1 ? &pause : NULL;
    size_t before = r->system->session->diag.list.n;
    LiederStatus status =
        simulate_explicit_steps(&r->team, &r->growth, &k, r->kept, r->other, good);
    return rank_count(r->system) > 1 ? join_failures(r, &k, n, status, before, good) : status;
}

static LiederStatus implicit_steps(Run *r, double origin, size_t first, double h, size_t n,
                                   size_t *good)
{
    for (*good = 0; *good < n; (*good)++) {
        double t = origin + (double)(first + *good) * h;
        r->moment.event_time = t + STEP_MARGIN * h;
        events_decide(&r->events, t, r->moment.event_time, r->x);
        LiederStatus status = implicit_fixed_step(r->method.implicit, t, h, r->x);
        if (status != LIEDER_DONE)
            return status;
    }
    return LIEDER_DONE;
}

/* waits until the clock shows t */
static void wait_for(const Run *r, double t)
{
    double when = r->clock_origin + t;
    struct timespec until = {.tv_sec = (time_t)floor(when),
                             .tv_nsec = (long)((when - floor(when)) * 1e9)};
    if (when > clock_seconds())
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* the state inside a fixed step: that of a shorter step from its begin */
static void between_fixed(void *user, double t, double *x)
{
    Run *r = user;
    memcpy(x, t >= r->until ? r->x : r->kept, r->system->nstate * sizeof(double));
    if (t >= r->until || !(t > r->from))
        return;
    Moment moment = fixed_moment(r, NAN);
    RkSteps k = {.solver = r->o.solver,
                 .origin = r->from,
                 .h = t - r->from,
                 .n = 1,
                 .x = x,
                 .moment = &moment};
    if (r->method.implicit)
        implicit_fixed_step(r->method.implicit, r->from, t - r->from, x);
    else
        rk_run(&r->team, &k);
}

/* Guards are located inside fixed steps, too: they end the run, and time goes on from there. */
static LiederStatus watch_guards(Run *r, double from, double until)
{
    Events *e = &r->events;
    double at, decided = from + STEP_MARGIN * (until - from);
    r->from = from;
    r->until = until;
    e->first = e->ncrossing;
    if (events_locate(e, between_fixed, r, from, until, decided, r->o.event_tolerance, &at,
                      r->other)) {
        r->t = at;
        memcpy(r->x, r->other, r->system->nstate * sizeof(double));
        events_handle(e, at, decided, r->x, r->o.chatter);
    }
    e->first = 0;
    if (r->guards->fired < 0)
        return LIEDER_DONE;
    r->s.state_events++;
    fixed_row(r, r->t, r->x, LIEDER_ROW_BEFORE_EVENT, decided);
    return LIEDER_STOPPED;
}

/* energies of the one step that has just been taken */
static void measure_step(Run *r, double from, double end, double h)
{
    if (!r->meter.to)
        return;
    Moment moment = fixed_moment(r, from + STEP_MARGIN * h);
    if (r->method.implicit)
        meter_implicit(&r->meter, end, h, r->x, &moment);
    else
        meter_explicit(&r->meter, &r->team, r->o.solver, from, h, &moment);
}

/* the past of delayed variables over the one step that has just been taken */
static LiederStatus grow_histories(Run *r, double from, double end)
{
    Moment moment = fixed_moment(r, from + STEP_MARGIN * (end - from));
    return r->events.histories.n
               ? histories_fixed_step(&r->events, from, end, &moment, r->kept, r->x)
               : LIEDER_DONE;
}

/* steps, then what happens at their end; t is the time there */
static LiederStatus advance(Run *r, double origin, size_t first, double h, size_t n, double end,
                            bool blocks)
{
    double began = r->o.real_time ? clock_seconds() : 0;
    size_t good;
    if (r->method.implicit && (r->guards || r->events.histories.n))
        memcpy(r->kept, r->x, r->system->nstate * sizeof(double));
    meter_keep(&r->meter, r->x);
    LiederStatus status = r->method.implicit ? implicit_steps(r, origin, first, h, n, &good)
                                             : explicit_steps(r, origin, first, h, n, &good);
    r->s.steps += good;
    r->paused = status == LIEDER_STOPPED;
    if (status != LIEDER_DONE) {
        r->counter += good;
        r->t = origin + (double)(first + good) * h;
        return status;
    }
    r->t = end;
    ranges_state(&r->ranges, end, r->x);
    measure_step(r, origin + (double)first * h, end, h);
    status = grow_histories(r, origin + (double)first * h, end);
    if (status == LIEDER_DONE && r->guards)
        status = watch_guards(r, origin + (double)first * h, end);
    if (status != LIEDER_DONE)
        return status;
    if (blocks) {
        double decided = end + STEP_MARGIN * h;
        if (r->system->nstate)
            memcpy(r->other, r->x, r->system->nstate * sizeof(double));
        size_t ran, said = r->system->session->diag.list.n;
        status = events_at_boundary(&r->events, end, decided, r->x, r->o.chatter, &ran);
        Moment before = events_moment_before(&r->events, decided), after = fixed_moment(r, decided);
        if (status == LIEDER_DONE)
            status = histories_event(&r->events, end, decided, &after, r->x);
        status = ranks_status(r->system, status, said);
        ran = ranks_sum(r->system, ran);
        r->s.state_events += ran;
        if (status < 0)
            return status;
        if (ran)
            stability_event(&r->growth);
        if (ran) {
            meter_row(&r->meter, end, r->other, &before);
            meter_after(&r->meter, end, r->x, &after, false);
        }
        if (ran && !(call_output(r, end, r->other, LIEDER_ROW_BEFORE_EVENT, &before) &&
                     call_output(r, end, r->x, LIEDER_ROW_AFTER_EVENT, &after)))
            status = LIEDER_STOPPED;
        if (status == LIEDER_DONE)
            status = look_at_requests(r, &after);
        if (r->guards && r->guards->fired >= 0)
            status = LIEDER_STOPPED;
    }
    if (r->o.real_time)
        r->s.worst_step_seconds = fmax(r->s.worst_step_seconds, clock_seconds() - began);
    return status;
}

/* the row of a grid point, if there is one */
static LiederStatus grid_row(Run *r, bool last)
{
    bool due = r->counter % r->per_row == 0 || last;
    due |= r->s.terminated;
    return !due || fixed_row(r, last ? r->o.stop : r->t, r->x, LIEDER_ROW,
                             r->t + STEP_MARGIN * r->h)
               ? LIEDER_DONE
               : LIEDER_STOPPED;
}

/* why steps may be late */
static void report_overruns(const Run *r)
{
    if (r->s.overruns)
        diag_warning(&r->system->session->diag, NULL, NULL,
                     "%zu of %zu steps ended later than the clock allows; the longest took %.3g ms "
                     "of a step of %.3g ms\na longer step, less recorded variables, generated code "
                     "(--compile always) or a machine with less other work make steps end in time",
                     r->s.overruns, r->s.steps, 1e3 * r->s.worst_step_seconds, 1e3 * r->h);
}

static LiederStatus run_fixed(Run *r)
{
    const double margin = STEP_MARGIN * r->h;
    bool blocks = simulate_has_event_blocks(r->system),
         single = blocks || r->o.real_time || r->guards || r->meter.to;
    size_t whole = (size_t)floor((r->o.stop - r->origin) / r->h + STEP_MARGIN);
    double rest = r->o.stop - (r->origin + (double)whole * r->h);
    LiederStatus status = LIEDER_DONE;
    if ((blocks || r->guards) && !r->resumed)
        status = start_events(r, r->t + margin);
    if (status != LIEDER_DONE)
        return status;
    r->clock_origin = clock_seconds() - r->t;
    r->s.smallest_step = r->s.largest_step = r->h;
    Moment start = fixed_moment(r, r->t + margin);
    meter_begin(&r->meter, r->t, r->x, &start);
    if (!fixed_row(r, r->t, r->x, r->guards ? r->guards->entry : LIEDER_ROW, r->t + margin))
        return LIEDER_STOPPED;
    status = look_at_requests(r, &start);
    if (status == LIEDER_DONE)
        status = take_changes(r);
    /* a mode begins anywhere: a short step back to the grid */
    if (status == LIEDER_DONE && r->counter <= whole && grid_time(r, r->counter) - r->t > margin &&
        r->guards) {
        double end = grid_time(r, r->counter);
        status = advance(r, r->t, 0, end - r->t, 1, end, blocks);
        if (status == LIEDER_DONE)
            status = grid_row(r, r->counter == whole && !(rest > margin));
        if (status == LIEDER_DONE && r->t < r->o.stop)
            status = take_changes(r);
    }
    while (r->counter < whole && status == LIEDER_DONE) {
        size_t i = r->counter, n = r->per_row - i % r->per_row;
        if (n > whole - i)
            n = whole - i;
        if (n > LONGEST_CHUNK)
            n = LONGEST_CHUNK;
        if (single)
            n = 1;
        if (r->o.real_time)
            wait_for(r, r->t);
        status = advance(r, r->origin, i, r->h, n, grid_time(r, i + n), blocks);
        if (status < 0 || r->paused)
            return status;
        r->counter += n;
        if (status == LIEDER_STOPPED && r->guards && r->guards->fired >= 0)
            return status;
        LiederStatus shown = grid_row(r, r->counter == whole && !(rest > margin));
        if (shown != LIEDER_DONE)
            status = shown;
        if (r->o.real_time && clock_seconds() > r->clock_origin + r->t)
            r->s.overruns++;
        LiederStatus written = now_and_then(r);
        if (written != LIEDER_DONE)
            return written;
        if (status == LIEDER_DONE && r->t < r->o.stop)
            status = take_changes(r);
    }
    /* the last step is shorter; the grid begins anew after it */
    if (status == LIEDER_DONE && rest > margin && r->o.stop > r->t) {
        double t = r->counter > whole ? r->t : r->origin + (double)whole * r->h;
        status = advance(r, t, 0, r->o.stop - t, 1, r->o.stop, blocks);
        if (status < 0 || r->paused || (r->guards && r->guards->fired >= 0))
            return status;
        r->s.smallest_step = rest;
        r->origin = r->t = r->o.stop;
        r->counter = 0;
        if (!fixed_row(r, r->t, r->x, LIEDER_ROW, r->t + margin))
            status = LIEDER_STOPPED;
    }
    return status;
}

/* ------------------------------------------------------------------ adaptive steps */

static void between_adaptive(void *user, double t, double *x)
{
    adaptive_between(user, t, x);
}

/* the rows that the last step has passed, up to t */
static bool rows_until(Run *r, size_t *row, double t)
{
    for (;; (*row)++) {
        double at = r->origin + (double)*row * r->o.interval;
        if (!(at <= t) || at > r->o.stop)
            return true;
        adaptive_between(&r->method, at, r->other);
        ranges_row(&r->ranges, &r->team, &r->method, at, &r->moment, r->other);
        meter_adaptive(&r->meter, &r->method, at, &r->moment);
        if (!call_output(r, at, r->other, LIEDER_ROW, &r->moment))
            return false;
        if (changes_wait(r) && at < t) { /* back to the row: the rest of the step is void */
            r->t = at;
            memcpy(r->x, r->other, r->system->nstate * sizeof(double));
            (*row)++;
            return true;
        }
    }
}

/* An event at r->t: rows on both sides, new choices, a new beginning. `segment`: a time event. */
static LiederStatus take_event(Run *r, bool segment)
{
    if (!call_output(r, r->t, r->x, LIEDER_ROW_BEFORE_EVENT, &r->moment))
        return LIEDER_STOPPED;
    LiederStatus status = LIEDER_DONE;
    r->s.time_events += segment;
    /* what is due by now is part of the event, and instants that it sets lie behind it */
    r->moment.event_time = r->t + events_margin(&r->events, r->t);
    bool violated = events_violated(&r->events, r->t, r->moment.event_time, r->x);
    bool due = events_due(&r->events, r->moment.event_time);
    r->s.state_events += ranks_any(r->system, violated);
    size_t before = r->system->session->diag.list.n;
    if (violated || due)
        status = events_handle(&r->events, r->t, r->moment.event_time, r->x, r->o.chatter);
    if (status == LIEDER_DONE)
        status = histories_event(&r->events, r->t, r->moment.event_time, &r->moment, r->x);
    status = ranks_status(r->system, status, before);
    if (status != LIEDER_DONE)
        return status;
    meter_after(&r->meter, r->t, r->x, &r->moment, false);
    if (r->guards && r->guards->fired >= 0)
        return LIEDER_STOPPED;
    if (!call_output(r, r->t, r->x, LIEDER_ROW_AFTER_EVENT, &r->moment))
        return LIEDER_STOPPED;
    return adaptive_restart(&r->method, r->t, r->x);
}

static LiederStatus run_adaptive(Run *r)
{
    size_t row = 1 + (size_t)fmax(0, floor((r->t - r->origin) / r->o.interval + STEP_MARGIN));
    r->moment.event_time = r->t + events_margin(&r->events, r->t);
    LiederStatus status = LIEDER_DONE;
    if (!r->resumed)
        status = start_events(r, r->moment.event_time);
    if (status != LIEDER_DONE)
        return status;
    meter_begin(&r->meter, r->t, r->x, &r->moment);
    if (!call_output(r, r->t, r->x, r->guards ? r->guards->entry : LIEDER_ROW, &r->moment))
        return LIEDER_STOPPED;
    status = look_at_requests(r, &r->moment);
    if (status == LIEDER_DONE)
        status = take_changes(r);
    if (status == LIEDER_DONE)
        status = adaptive_restart(&r->method, r->t, r->x);
    double due = events_next_time(&r->events, r->t);
    while (status == LIEDER_DONE && r->o.stop - r->t > events_margin(&r->events, r->t)) {
        double from = r->t, at;
        double limit = fmin(r->o.stop, due);
        status = adaptive_step(&r->method, limit, &r->t, r->x);
        if (status != LIEDER_DONE)
            return status;
        ranges_state(&r->ranges, r->t, r->x);
        bool event = events_locate(&r->events, between_adaptive, &r->method, from, r->t,
                                   r->moment.event_time, r->o.event_tolerance, &at, r->other);
        if (event) {
            r->t = at;
            memcpy(r->x, r->other, r->system->nstate * sizeof(double));
        }
        status =
            histories_step(&r->events, from, r->t, between_adaptive, &r->method, &r->moment, r->x);
        if (status != LIEDER_DONE)
            return status;
        double reached = r->t;
        if (!rows_until(r, &row, reached))
            return LIEDER_STOPPED;
        meter_adaptive(&r->meter, &r->method, r->t, &r->moment);
        if (r->t < reached) {
            /* nothing else happens before the connections change */
        } else if (event) {
            status = take_event(r, false);
            due = events_next_time(&r->events, r->t);
        } else if (r->t >= due - events_margin(&r->events, due)) {
            r->t = due;
            status = take_event(r, true);
            due = events_next_time(&r->events, r->t);
        }
        if (status == LIEDER_DONE)
            status = look_at_requests(r, &r->moment);
        if (r->s.terminated && !call_output(r, r->t, r->x, LIEDER_ROW, &r->moment))
            return LIEDER_STOPPED;
        if (status == LIEDER_DONE && changes_wait(r) && r->t < r->o.stop) {
            status = take_changes(r);
            due = events_next_time(&r->events, r->t);
        }
        if (status == LIEDER_DONE)
            status = now_and_then(r);
    }
    /* a stop that is no multiple of the interval */
    bool shown = row > 0 && r->origin + (double)(row - 1) * r->o.interval >= r->o.stop;
    if (status == LIEDER_DONE && !shown && r->o.stop > r->origin &&
        !call_output(r, r->o.stop, r->x, LIEDER_ROW, &r->moment))
        return LIEDER_STOPPED;
    if (status == LIEDER_DONE)
        r->t = r->o.stop;
    return status;
}

/* ------------------------------------------------------------------ lanes with own clocks */

/* a row of all lanes, as they saw it */
static bool clocks_output(Run *r, size_t row)
{
    const double *x;
    Moment moment;
    r->t = clocks_row(r->clocks, row, &x, &moment);
    ranges_state(&r->ranges, r->t, x);
    return call_output(r, r->t, x, LIEDER_ROW, &moment);
}

/* A component has ended the run: its last row is where all lanes are. */
static void end_clocks(Run *r, size_t row)
{
    const double *x;
    Moment moment;
    r->t = clocks_row(r->clocks, row, &x, &moment);
    r->s.terminated = true;
    if (r->system->nstate)
        memcpy(r->x, x, r->system->nstate * sizeof(double));
    if (r->system->nchoice)
        memcpy(r->events.choices, moment.choices, r->system->nchoice * sizeof(double));
    memcpy(r->events.memory, moment.memory, r->system->nmemory * sizeof(double));
}

/* what happened up to the rows at hand, and these */
static LiederStatus hand_out(Run *r, size_t nrow)
{
    if (r->o.lane_event && !clocks_events(r->clocks, r->o.lane_event, r->o.user))
        return LIEDER_STOPPED;
    for (size_t i = 0; i < nrow; i++) {
        if (!clocks_output(r, i))
            return LIEDER_STOPPED;
        if (changes_wait(r)) {
            diag_error(
                &r->system->session->diag, NULL, NULL,
                "connections cannot change while lanes have clocks of their own\ngive all one "
                "clock (--clocks shared, LIEDER_CLOCKS_SHARED)");
            return LIEDER_BAD_USE;
        }
    }
    return LIEDER_DONE;
}

static LiederStatus run_clocks(Run *r)
{
    /* lanes that turn out stiff go over to rodas4, whose matrices are small */
    bool switches = r->chosen && r->o.solver == LIEDER_RK45 && solver_blocks_are_small(r->system);
    ClocksSetup setup = {.solver = switches ? LIEDER_SOLVER_AUTO : r->o.solver,
                         .tolerance = r->o.tolerance,
                         .longest = r->o.step > 0 ? r->o.step : INFINITY,
                         .start = r->t,
                         .stop = r->o.stop,
                         .origin = r->origin,
                         .interval = r->o.interval,
                         .event_tolerance = r->o.event_tolerance,
                         .chatter = r->o.chatter,
                         .resumed = r->resumed,
                         .watched = r->o.lane_event != NULL};
    r->clocks = clocks_create(&r->team, &setup, &r->events, r->x);
    if (!r->clocks)
        return LIEDER_NO_MEMORY;
    LiederStatus status = LIEDER_DONE;
    meter_lose_count(&r->meter);
    for (size_t nrow = 1; status == LIEDER_DONE && nrow;) {
        double began = clock_seconds();
        status = clocks_advance(r->clocks, &nrow);
        r->team.seconds += clock_seconds() - began;
        if (status == LIEDER_DONE)
            status = hand_out(r, nrow);
        if (nrow && clocks_ended(r->clocks))
            end_clocks(r, nrow - 1);
        if (status == LIEDER_DONE)
            status = now_and_then(r);
    }
    clocks_tell_rest(r->clocks);
    r->moment.event_time = r->t + events_margin(&r->events, r->t);
    return status == LIEDER_DONE ? clocks_status(r->clocks) : status;
}

/* ------------------------------------------------------------------ a run */

static LiederStatus prepare(Run *r)
{
    LiederSystem *system = r->system;
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    size_t bytes = (system->nstate + 1) * sizeof(double);
    LiederStatus status = team_create(&r->team, system, r->o.threads);
    if (status != LIEDER_DONE)
        return status;
    /* all are written before they are read, the last one only where something happens inside a
     * step or goes wrong: until then it costs no memory */
    r->x = memory_resize(alloc, NULL, 0, bytes);
    r->kept = memory_resize(alloc, NULL, 0, bytes);
    r->other = memory_resize(alloc, NULL, 0, bytes);
    if (!r->x || !r->kept || !r->other)
        return LIEDER_NO_MEMORY;
    status = meter_create(&r->meter, system, r->o.energy);
    if (status != LIEDER_DONE)
        return status;
    double origin = r->guards ? r->guards->origin : r->o.start;
    status = events_create(&r->events, &r->team, fabs(r->o.stop - origin), r->guards);
    if (status != LIEDER_DONE)
        return status;
    r->moment = events_moment(&r->events, NAN, false);
    return LIEDER_DONE;
}

/* where the run begins */
static LiederStatus begin(Run *r)
{
    r->t = r->o.start;
    r->chosen = r->o.solver == LIEDER_SOLVER_AUTO;
    r->origin = r->guards ? r->guards->origin : r->t;
    if (r->o.x0)
        memcpy(r->x, r->o.x0, r->system->nstate * sizeof(double));
    else if (!r->o.resume) {
        LiederStatus found = system_start(r->system, r->t, r->x);
        if (found != LIEDER_DONE)
            return found;
    }
    Checkpoint c = {0};
    if (r->o.resume) {
        LiederStatus status = checkpoint_read(r->system, r->o.resume, &c, r->x, &r->events);
        if (status != LIEDER_DONE)
            return status;
        crossing_resume(&r->events);
        r->resumed = true;
        r->t = r->origin = c.t;
        if (r->o.solver == LIEDER_SOLVER_AUTO)
            r->o.solver = c.solver;
        if (c.t > r->o.stop) {
            diag_error(&r->system->session->diag, NULL, NULL,
                       "the state file is from t = %g, after the stop time %g", c.t, r->o.stop);
            return LIEDER_BAD_USE;
        }
    }
    r->s.why = reason_of(r->system, &r->o);
    r->o.solver = r->s.solver = choose_solver(r->system, &r->o);
    if (lieder_solver_info(r->o.solver)->adaptive) {
        if (r->o.interval == 0)
            r->o.interval = (r->o.stop - r->t) / ROWS;
        /* no error says how far to go where a crossing is a function of time, not of states */
        if (r->o.step == 0 && system_all_states(r->system) == 0)
            r->o.step = r->o.interval;
        else if (r->o.step == 0 && crosses_in_time(r->system))
            r->o.step = (r->o.stop - r->origin) / TIME_STEPS;
        if (r->o.tolerance < adaptive_finest(r->o.solver) && (r->resumed || r->t == r->origin))
            diag_warning(&r->system->session->diag, NULL, NULL,
                         "the tolerance %g is finer than %s reaches, which is about %g: rounding "
                         "decides beyond",
                         r->o.tolerance, lieder_solver_name(r->o.solver),
                         adaptive_finest(r->o.solver));
        return LIEDER_DONE;
    }
    /* the grid goes on where it was left */
    if (r->resumed && c.solver == r->o.solver && (r->o.step == 0 || r->o.step == c.wanted)) {
        r->origin = c.origin;
        r->h = c.step;
        r->wanted = c.wanted;
        r->counter = c.counter;
    }
    LiederStatus status = choose_grid(r);
    if (status == LIEDER_DONE && r->guards)
        r->counter = (size_t)ceil((r->t - r->origin) / r->h - STEP_MARGIN);
    return status;
}

/* the last pass of event blocks, and what they have to say */
static LiederStatus finish(Run *r, bool adaptive)
{
    Moment moment = adaptive ? r->moment : fixed_moment(r, r->t + STEP_MARGIN * r->h);
    bool changed = events_finish(&r->events, r->t, moment.event_time, r->x);
    if (changed && !call_output(r, r->t, r->x, LIEDER_ROW_AFTER_EVENT, &moment))
        return LIEDER_STOPPED;
    LiederStatus status = look_at_requests(r, &moment);
    return status == LIEDER_STOPPED ? LIEDER_DONE : status;
}

/* no step is longer than a delay */
static LiederStatus limit_steps(Run *r)
{
    bool adaptive = lieder_solver_info(r->o.solver)->adaptive;
    Moment moment = fixed_moment(r, r->t);
    double shortest;
    LiederStatus status =
        histories_check(&r->events, r->t, &moment, r->x, adaptive ? 0 : r->h, &shortest);
    if (adaptive && shortest < INFINITY)
        r->o.step = r->o.step > 0 ? fmin(r->o.step, shortest) : shortest;
    return status;
}

static LiederStatus loop(Run *r)
{
    LiederStatus compiled = r->o.compile == LIEDER_COMPILE_ALWAYS ? compile_all(r) : LIEDER_DONE;
    if (compiled != LIEDER_DONE)
        return compiled;
    const char *why;
    bool own = own_clocks(r->system, &r->o, r->guards, &why);
    if (own && rank_count(r->system) > 1) {
        if (r->system->options.ranks->rank == 0)
            diag_error(&r->system->session->diag, NULL, NULL,
                       "lanes with clocks of their own do not work on several ranks yet\ngive all "
                       "lanes one clock (--clocks shared), or take bdf or a fixed step");
        return LIEDER_BAD_USE;
    }
    if (r->o.clocks == LIEDER_CLOCKS_OWN && why) {
        diag_error(&r->system->session->diag, NULL, NULL,
                   "lanes cannot have clocks of their own: %s\nrk45 and rodas4 can, for subsystems "
                   "that nothing connects; or let the run choose (--clocks auto)",
                   why);
        return LIEDER_BAD_USE;
    }
    LiederStatus limited = limit_steps(r);
    if (limited != LIEDER_DONE)
        return limited;
    if (!own && !solver_steps_explicitly(r->o.solver)) {
        LiederStatus made = make_method(r);
        if (made != LIEDER_DONE)
            return made;
    }
    if (solver_steps_explicitly(r->o.solver)) {
        LiederStatus status = growth_create(&r->growth, r->system);
        if (status != LIEDER_DONE)
            return status;
        growth_begin(&r->growth, r->x);
    }
    bool adaptive = lieder_solver_info(r->o.solver)->adaptive;
    LiederStatus status = ranges_create(&r->ranges, r->system, r->o.tolerance, adaptive,
                                        (r->o.stop - r->t) / r->o.interval, r->x);
    if (status != LIEDER_DONE)
        return status;
    ranges_state(&r->ranges, r->t, r->x);
    status = own ? run_clocks(r) : adaptive ? run_adaptive(r) : run_fixed(r);
    if (status == LIEDER_STOPPED && r->s.terminated)
        status = LIEDER_DONE;
    if (status == LIEDER_DONE && r->events.alert && !r->guards)
        status = finish(r, adaptive);
    report_overruns(r);
    bool lost = false; /* then the derivatives have no digits left, either */
    if (status >= 0 && !r->guards) {
        r->system->moment = fixed_moment(r, r->t + events_margin(&r->events, r->t));
        lost = report_lost_digits(r->system, r->t, r->x);
        r->system->moment = (Moment){.event_time = NAN};
    }
    sum_up(r);
    if (!r->guards)
        ranges_report(&r->ranges, lost ? NULL : adaptive_noise(&r->method), r->t - r->o.start,
                      r->s.steps);
    return status;
}

static void clean_up(Run *r)
{
    compilation_end(r->compilation);
    const LiederAllocator *alloc = SYSTEM_ALLOC(r->system);
    size_t bytes = (r->system->nstate + 1) * sizeof(double);
    adaptive_destroy(&r->method);
    clocks_destroy(r->clocks);
    growth_drop(&r->growth);
    ranges_drop(&r->ranges);
    meter_drop(&r->meter);
    if (r->team.system)
        events_drop(&r->events);
    memory_free(alloc, r->x, bytes);
    memory_free(alloc, r->kept, bytes);
    memory_free(alloc, r->other, bytes);
    if (r->team.system)
        team_drop(&r->team);
}

LiederStatus lieder_simulate(LiederSystem *system, const LiederSimulateOptions *options,
                             LiederStatistics *statistics)
{
    return simulate_guarded(system, options, statistics, NULL);
}

LiederStatus simulate_guarded(LiederSystem *system, const LiederSimulateOptions *options,
                              LiederStatistics *statistics, Guards *guards)
{
    Run r = {.system = system,
             .guards = guards,
             .o = *options,
             .s = {.limiting_state = -1, .t = options->start},
             .began = clock_seconds()};
    size_t before = system->session->diag.list.n;
    r.next_checkpoint = r.began + r.o.checkpoint_seconds;
    r.next_compilation = compiles_beside(&r) ? r.began + COMPILATION_SECONDS : INFINITY;
    LiederStatus status = check_options(&r);
    system->structure.busy = true;
    if (status == LIEDER_DONE)
        status = prepare(&r);
    if (status == LIEDER_DONE)
        status = begin(&r);
    status = ranks_status(system, status, before);
    if (status == LIEDER_DONE)
        status = ranks_share_limits(system);
    if (status == LIEDER_DONE) {
        status = loop(&r);
        bool together = !r.clocks || status == LIEDER_DONE;
        if (r.o.checkpoint && !together)
            diag_warning(
                &system->session->diag, NULL, NULL,
                "the state file %s is not written: the lanes have ended at different times",
                r.o.checkpoint);
        if (r.o.checkpoint && together && status != LIEDER_NO_MEMORY && status != LIEDER_IO) {
            LiederStatus written = write_checkpoint(&r);
            if (status >= 0 && written < 0)
                status = written;
        }
        sum_up(&r);
        adaptive_agree(&r.method, system, &r.s);
    }
    if (status == LIEDER_NO_MEMORY)
        diag_error(&system->session->diag, NULL, NULL, "not enough memory for the run");
    if (guards && r.x && system->nstate)
        memcpy(guards->x, r.x, system->nstate * sizeof(double));
    clean_up(&r);
    system->structure.busy = false;
    if (statistics)
        *statistics = r.s;
    return status;
}
