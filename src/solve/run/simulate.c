/* simulate.c - runs: rows, statistics, connections that change; fixed steps are in fixed.c,
 * adaptive ones and lanes with their own clocks in run_adaptive.c.
 *
 * A run goes through phases: check the options, allocate, take the start from the model, the caller
 * or a state file, loop, write the state file, sum up. At its end nothing of it remains in the
 * system.
 */
#include "solve/run/simulate.h"
#include "base/clock.h"
#include "solve/run/ranks.h"
#include "solve/run/restart.h"
#include "solve/run/run.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum {
    ROWS = 500,
    TIME_STEPS = 100, /* at least, of a run with crossings that time decides */
    CELLS = 200,      /* of a run, for glance.c */
    TIME_CELLS = 500, /* where components read the time, or as many as there are rows */
    STEPS_PER_ROW = 100,
    MAX_CHANGES = 32
};
static const double PROGRESS_SECONDS = 0.1;
static const double MAX_STEPS = 9e15;
/* The compiler is started when a run has lasted so long, since it is likely to go on as long
 * again. */
static const double COMPILATION_SECONDS = 0.25;
static const double COMPILATION_POLL_SECONDS = 0.01;
static const double COMPILATION_SHARE = 0.02; /* shapes with less of the work are left alone */

/* ------------------------------------------------------------------ options */

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
            bool steps = system_all_states(r->system) > 0 || run_has_events(r->system);
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

bool run_call_output(Run *r, double t, const double *x, LiederRow kind, const Moment *moment)
{
    meter_row(&r->meter, t, x, moment);
    if (!r->o.output && !watcher_wants_rows(&r->watcher))
        return true;
    double began = clock_seconds();
    /* observers called from there see jumps and choices as the run does */
    slide_shares(&r->events, t, moment, x);
    bool holds = watcher_row(&r->watcher, t, moment, x);
    if (!r->o.output)
        return holds;
    r->system->moment = *moment;
    bool on = r->o.output(r->o.user, t, x, kind) && holds;
    r->system->moment = (Moment){.event_time = NAN};
    on = !ranks_any(r->system, !on);
    r->s.output_seconds += clock_seconds() - began;
    return on;
}

Moment run_fixed_moment(const Run *r, double decided)
{
    return events_moment(&r->events, decided, true);
}

bool run_fixed_row(Run *r, double t, const double *x, LiederRow kind, double decided)
{
    Moment moment = run_fixed_moment(r, decided);
    return run_call_output(r, t, x, kind, &moment);
}

LiederStatus run_check_requests(Run *r, const Moment *moment, bool here)
{
    bool end = false;
    size_t said = r->system->session->diag.list.n;
    LiederStatus status =
        here ? events_check_requests(&r->events, r->t, moment, r->x, &end) : LIEDER_DONE;
    if (r->events.requests || r->events.elsewhere) {
        status = ranks_status(r->system, status, said);
        end = ranks_any(r->system, end);
    }
    r->s.terminated |= end;
    return status == LIEDER_DONE && end ? LIEDER_STOPPED : status;
}

LiederStatus run_start_events(Run *r, double decided)
{
    size_t said = r->system->session->diag.list.n;
    LiederStatus status = events_start(&r->events, r->t, decided, r->x, r->o.chatter);
    return ranks_status(r->system, status, said);
}

/* brings the statistics of the run up to date */
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

/* writes a state file */
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

/* Compiles everything before the run goes on, and calls the progress callback meanwhile. */
static LiederStatus compile_all(Run *r)
{
    struct timespec wait = {.tv_nsec = 1000000};
    Compilation *c = compilation_begin(r->system, 0);
    if (!c)
        return LIEDER_NO_MEMORY;
    LiederStatus status = LIEDER_DONE;
    while (status == LIEDER_DONE && !compilation_poll(c)) {
        nanosleep(&wait, NULL);
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

/* starts to compile, or takes over code that is ready */
static LiederStatus continue_compilation(Run *r, double now)
{
    r->next_compilation = now + COMPILATION_POLL_SECONDS;
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

LiederStatus run_now_and_then(Run *r)
{
    bool saving = r->o.checkpoint && r->o.checkpoint_seconds > 0;
    if (!r->o.progress && !saving && r->next_compilation == INFINITY)
        return LIEDER_DONE;
    double now = clock_seconds();
    LiederStatus status = LIEDER_DONE;
    if (now >= r->next_compilation)
        status = continue_compilation(r, now);
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

bool run_changes_wait(const Run *r)
{
    return r->system->structure.changes.n || r->system->structure.wrong;
}

/* makes the solver of implicit and of adaptive steps */
static LiederStatus make_method(Run *r)
{
    LiederStatus status = adaptive_create(&r->method, &r->team, r->o.solver, r->o.tolerance,
                                          r->o.step, &r->glances, r->t, &r->moment, r->x);
    if (status == LIEDER_DONE)
        r->events.tolerance = adaptive_tolerance(&r->method);
    return status;
}

static bool may_go_on(void *user)
{
    Run *r = user;
    r->s.t = r->t;
    return r->o.progress(r->o.user, r->t, &r->s);
}

/* makes the threads; in one process they ask inside steps, too, whether to go on */
static LiederStatus make_team(Run *r)
{
    LiederStatus status = team_create(&r->team, r->system, r->o.threads);
    r->stop_check.go_on = may_go_on;
    r->stop_check.user = r;
    r->stop_check.next = clock_seconds() + PROGRESS_SECONDS;
    if (r->o.progress && rank_count(r->system) == 1)
        r->team.stop_check = &r->stop_check;
    return status;
}

/* changes the connections of the system, and remakes what depends on them */
static LiederStatus restructure(Run *r)
{
    LiederSystem *system = r->system;
    sum_up(r);
    branches_end(&r->watcher);
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
    LiederStatus made = make_team(r);
    r->team.evaluations = evaluations;
    r->team.seconds = seconds;
    if (made == LIEDER_DONE && r->growth.system)
        made = growth_fit(&r->growth);
    if (made == LIEDER_DONE && r->fade.system)
        made = fade_fit(&r->fade);
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

LiederStatus run_take_changes(Run *r)
{
    r->events.slopes_at = NAN;
    for (int count = 0; run_changes_wait(r); count++) {
        if (count == MAX_CHANGES) {
            diag_error(&r->system->session->diag, NULL, NULL,
                       "the connections were changed %d times at t = %.15g\nchange them once, and "
                       "not again in the row after the event",
                       MAX_CHANGES, r->t);
            return LIEDER_GAVE_UP;
        }
        bool fixed = !lieder_solver_info(r->o.solver)->adaptive;
        if (fixed)
            r->moment.event_time = r->t + STEP_MARGIN * r->h;
        LiederStatus status = restructure(r);
        if (status != LIEDER_DONE)
            return status;
        Moment moment = fixed ? run_fixed_moment(r, r->moment.event_time) : r->moment;
        meter_after(&r->meter, r->t, r->x, &moment, TAKEN_BY_PROGRAM);
        if (!run_call_output(r, r->t, r->x, LIEDER_ROW_AFTER_EVENT, &moment))
            return LIEDER_STOPPED;
        if (!fixed)
            status = adaptive_restart(&r->method, r->t, r->x);
        if (status != LIEDER_DONE)
            return status;
    }
    return LIEDER_DONE;
}

/* ------------------------------------------------------------------ a run */

/* team, vectors, watchers and start values of a run */
static LiederStatus prepare_run(Run *r)
{
    LiederSystem *system = r->system;
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    size_t bytes = (system->nstate + 1) * sizeof(double);
    LiederStatus status = make_team(r);
    if (status != LIEDER_DONE)
        return status;
    /* all are written before they are read, the last one only after an event or a failure: until
     * then the operating system gives it no memory */
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

/* x: start values, those of the options, or those of the state file, whose rest is *c then */
static LiederStatus begin_state(Run *r, Checkpoint *c)
{
    r->t = r->o.start;
    r->origin = r->guards ? r->guards->origin : r->t;
    if (r->o.x0)
        memcpy(r->x, r->o.x0, r->system->nstate * sizeof(double));
    else if (!r->o.resume)
        return system_start(r->system, r->t, r->x);
    if (!r->o.resume)
        return LIEDER_DONE;
    LiederStatus status = checkpoint_read(r->system, r->o.resume, c, r->x, &r->events);
    if (status != LIEDER_DONE)
        return status;
    crossing_resume(&r->events);
    r->resumed = true;
    r->t = r->origin = c->t;
    if (c->t > r->o.stop) {
        diag_error(&r->system->session->diag, NULL, NULL,
                   "the state file is from t = %g, after the stop time %g", c->t, r->o.stop);
        return LIEDER_BAD_USE;
    }
    return LIEDER_DONE;
}

/* interval and longest step of a solver that chooses its steps */
static void choose_intervals(Run *r)
{
    if (r->o.interval == 0)
        r->o.interval = (r->o.stop - r->t) / ROWS;
    /* no error says how far to go where a crossing is a function of time, not of states */
    if (r->o.step == 0 && system_all_states(r->system) == 0)
        r->o.step = r->o.interval;
    else if (r->o.step == 0 && run_crosses_in_time(r->system))
        r->o.step = (r->o.stop - r->origin) / TIME_STEPS;
    if (r->o.tolerance < adaptive_finest(r->o.solver) && (r->resumed || r->t == r->origin))
        diag_warning(&r->system->session->diag, NULL, NULL,
                     "the tolerance %g is finer than %s reaches, which is about %g: rounding "
                     "decides beyond",
                     r->o.tolerance, lieder_solver_name(r->o.solver), adaptive_finest(r->o.solver));
}

/* the state at the start; solver, interval and grid of steps by the options, the state file or
 * chosen */
static LiederStatus begin_simulation(Run *r)
{
    Checkpoint c = {0};
    r->chosen = r->o.solver == LIEDER_SOLVER_AUTO;
    LiederStatus status = begin_state(r, &c);
    if (status != LIEDER_DONE)
        return status;
    if (r->resumed && r->chosen)
        r->o.solver = c.solver;
    r->s.why = run_reason_of(r->system, &r->o);
    r->o.solver = r->s.solver = run_choose_solver(r->system, &r->o);
    if (r->system->cut && r->o.solver != LIEDER_RK45 && !solver_steps_explicitly(r->o.solver)) {
        diag_error(&r->system->session->diag, NULL, NULL,
                   "%s needs the Jacobian of a net that several ranks share\nuse rk1 ... rk4 or "
                   "rk45, or one process",
                   lieder_solver_name(r->o.solver));
        return LIEDER_BAD_USE;
    }
    if (lieder_solver_info(r->o.solver)->adaptive) {
        choose_intervals(r);
        return LIEDER_DONE;
    }
    /* the grid goes on where it was left */
    if (r->resumed && c.solver == r->o.solver && (r->o.step == 0 || r->o.step == c.wanted)) {
        r->origin = c.origin;
        r->h = c.step;
        r->wanted = c.wanted;
        r->counter = c.counter;
    }
    status = choose_grid(r);
    if (status == LIEDER_DONE && r->guards)
        r->counter = (size_t)ceil((r->t - r->origin) / r->h - STEP_MARGIN);
    return status;
}

/* the last pass of event blocks, and their requests */
static LiederStatus finish_simulation(Run *r, bool adaptive)
{
    Moment moment = adaptive ? r->moment : run_fixed_moment(r, r->t + STEP_MARGIN * r->h);
    bool changed = events_finish(&r->events, r->t, moment.event_time, r->x);
    if (changed && !run_call_output(r, r->t, r->x, LIEDER_ROW_AFTER_EVENT, &moment))
        return LIEDER_STOPPED;
    LiederStatus status = run_check_requests(r, &moment, true);
    return status == LIEDER_STOPPED ? LIEDER_DONE : status;
}

/* no step is longer than a delay; lanes with clocks of their own have their own limits */
static LiederStatus limit_steps(Run *r, bool own)
{
    bool adaptive = lieder_solver_info(r->o.solver)->adaptive;
    Moment moment = run_fixed_moment(r, r->t);
    LiederStatus status = histories_check(&r->events, r->t, &moment, r->x, adaptive ? 0 : r->h);
    double shortest =
        adaptive && !own && status == LIEDER_DONE ? histories_shortest(&r->events) : INFINITY;
    if (shortest < INFINITY)
        r->o.step = r->o.step > 0 ? fmin(r->o.step, shortest) : shortest;
    return status;
}

/* the cells in which long steps are examined, see glance.c */
static void choose_glances(Run *r)
{
    bool timed = ranks_any(r->system, solver_sees_time(r->system));
    double cell = (r->o.stop - r->origin) / (timed ? TIME_CELLS : CELLS);
    r->glances = (Glances){.origin = r->origin,
                           .cell = timed ? fmin(cell, r->o.interval) : cell,
                           .tolerance = r->o.tolerance};
}

/* *own: lanes have clocks of their own; reports where the options want that and it is impossible */
static LiederStatus choose_clocks(Run *r, bool *own)
{
    const char *why;
    *own = run_own_clocks(r->system, &r->o, r->guards, &why);
    if (r->o.clocks != LIEDER_CLOCKS_OWN || !why)
        return LIEDER_DONE;
    diag_error(&r->system->session->diag, NULL, NULL,
               "lanes cannot have clocks of their own: %s\nrk45 and rodas4 can, for subsystems "
               "that nothing connects; or let the run choose (--clocks auto)",
               why);
    return LIEDER_BAD_USE;
}

/* limits of steps, cells for glance.c, the solver */
static LiederStatus make_steps(Run *r, bool own)
{
    LiederStatus status = limit_steps(r, own);
    if (status == LIEDER_DONE && lieder_solver_info(r->o.solver)->adaptive)
        choose_glances(r);
    if (status == LIEDER_DONE && !own && !solver_steps_explicitly(r->o.solver))
        status = make_method(r);
    return status;
}

/* makes the judges, which examine the steps and the results of the run */
static LiederStatus make_judges(Run *r, bool own)
{
    bool adaptive = lieder_solver_info(r->o.solver)->adaptive;
    LiederStatus status = LIEDER_DONE;
    if (solver_steps_explicitly(r->o.solver) ||
        (!own && ranks_any(r->system, orientation_wanted(r->system)))) {
        status = growth_create(&r->growth, r->system);
        if (status == LIEDER_DONE)
            growth_begin(&r->growth, r->x);
    }
    if (status == LIEDER_DONE && !adaptive && !r->guards)
        status = fade_create(&r->fade, r->system, r->o.solver, r->h);
    if (status == LIEDER_DONE)
        status = ranges_create(&r->ranges, r->system, r->o.tolerance, adaptive,
                               (r->o.stop - r->t) / r->o.interval, r->x);
    /* with clocks of their own lanes are examined at rows only, where events are not known */
    if (status == LIEDER_DONE && adaptive &&
        !(own && ranks_any(r->system, run_has_events(r->system))))
        status = seeds_create(&r->seeds, r->system, r->o.tolerance);
    if (status == LIEDER_DONE && adaptive && !own && !histories_anywhere(r->system))
        status = twin_create(&r->twin, &r->team, &r->moment, r->o.solver, r->o.tolerance, r->o.step,
                             r->t, r->o.stop);
    if (status != LIEDER_DONE)
        return status;
    ranges_state(&r->ranges, r->t, r->x);
    return watcher_create(&r->watcher, r->system,
                          (r->guards ? 1u << WATCHED_LIMIT : 0) |
                              (own ? 1u << WATCHED_UNKNOWN : 0));
}

/* Warnings of the judges; fewer of a run that has failed or goes on in another mode. `lost`: lost
 * digits were reported already. */
static void report_judges(Run *r, LiederStatus status, bool lost)
{
    bool adaptive = lieder_solver_info(r->o.solver)->adaptive, whole = status >= 0 && !r->guards;
    if (whole)
        stability_report(&r->growth, r->o.solver, r->h);
    if (status >= 0 && r->fade.system) {
        Moment end = run_fixed_moment(r, r->t + STEP_MARGIN * r->h);
        fade_examine(&r->fade, 0, r->t, &end, r->x, r->other);
        fade_report(&r->fade);
    }
    limits_report(&r->watcher);
    if (status >= 0 && adaptive)
        crossing_report_doubts(&r->events);
    if (!r->guards)
        seeds_report(&r->seeds);
    if (whole)
        twin_report(&r->twin, r->t);
    if (!r->guards)
        ranges_report(&r->ranges, lost || status < 0 ? NULL : adaptive_noise(&r->method),
                      r->t - r->o.start, r->s.steps, status < 0 && status != LIEDER_STOPPED);
}

/* compiles if the options say so, runs with the loop of its solver, and reports at the end */
static LiederStatus loop(Run *r)
{
    bool own = false, adaptive = lieder_solver_info(r->o.solver)->adaptive;
    LiederStatus status = r->o.compile == LIEDER_COMPILE_ALWAYS ? compile_all(r) : LIEDER_DONE;
    if (status == LIEDER_DONE)
        status = choose_clocks(r, &own);
    if (status == LIEDER_DONE)
        status = make_steps(r, own);
    if (status == LIEDER_DONE)
        status = make_judges(r, own);
    if (status != LIEDER_DONE)
        return status;
    status = own ? run_clocks(r) : adaptive ? run_adaptive(r) : run_fixed(r);
    if (status == LIEDER_STOPPED && r->watcher.drift.failed)
        status = LIEDER_GAVE_UP;
    if (status == LIEDER_STOPPED && r->s.terminated)
        status = LIEDER_DONE;
    if (status == LIEDER_DONE && r->events.alert && !r->guards)
        status = finish_simulation(r, adaptive);
    run_report_overruns(r);
    bool lost = false;
    if (status >= 0 && !r->guards) {
        r->system->moment = run_fixed_moment(r, r->t + events_margin(&r->events, r->t));
        lost = report_lost_digits(r->system, r->t, r->x);
        r->system->moment = (Moment){.event_time = NAN};
    }
    sum_up(r);
    report_judges(r, status, lost);
    return status;
}

/* ends the compilation and frees what a run owns */
static void clean_up(Run *r)
{
    compilation_end(r->compilation);
    const LiederAllocator *alloc = SYSTEM_ALLOC(r->system);
    size_t bytes = (r->system->nstate + 1) * sizeof(double);
    adaptive_destroy(&r->method);
    clocks_destroy(r->clocks);
    growth_drop(&r->growth);
    fade_drop(&r->fade);
    watcher_drop(&r->watcher);
    ranges_drop(&r->ranges);
    seeds_drop(&r->seeds);
    twin_drop(&r->twin);
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
    LiederStatus status = run_check_options(&r);
    system->structure.busy = true;
    if (status == LIEDER_DONE)
        status = prepare_run(&r);
    if (status == LIEDER_DONE)
        status = begin_simulation(&r);
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
        clocks_agree(r.clocks, &r.s);
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
