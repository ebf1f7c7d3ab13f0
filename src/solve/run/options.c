/* options.c - options of a run: defaults, checks, and the solver where none is named. */
#include "solve/run/run.h"
#include "solve/run/simulate.h"

#include <math.h>
#include <string.h>

enum { MAX_THREADS = 1024 };
/* rows of a run: more are refused */
static const double MAX_ROWS = 1e9;
/* part of its largest time below which the length of a run is rounding */
static const double SHORTEST_SPAN = 1e-12;
/* the rounding of a double; what solvers reach is coarser, see adaptive_finest */
static const double FINEST_TOLERANCE = 1e-14;

LiederSimulateOptions lieder_simulate_defaults(void)
{
    return (LiederSimulateOptions){.stop = 1, .tolerance = 1e-6, .event_tolerance = 1e-10};
}

LiederStatus run_check_options(Run *r)
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
    DEMAND(o->threads >= 0 && o->threads <= MAX_THREADS, "%d threads are impossible", o->threads);
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
    if (system->nmemory > system->nguess || system->nheld)
        return true;
    for (size_t i = 0; i < system->shapes.n; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        for (size_t k = 0; k < ss->held.crossings.n; k++)
            if (class_any_kernels(
                    ss->shape->components.items[ss->held.crossings.items[k].component].class_)
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
        if (system->shapes.items[i].plan.method == LIEDER_METHOD_NET &&
            system->shapes.items[i].shape->states.n > LARGE)
            return true;
    return system->cut;
}

bool run_crosses_in_time(const LiederSystem *system)
{
    for (size_t i = 0; i < system->shapes.n; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        for (size_t k = 0; k < ss->held.crossings.n; k++)
            if (ss->held.crossings.items[k].member->crossing == LIEDER_EDGE &&
                ss->shape->components.items[ss->held.crossings.items[k].component]
                    .class_->def->uses_time)
                return true;
    }
    return false;
}

bool run_has_events(const LiederSystem *system)
{
    for (size_t i = 0; i < system->shapes.n; i++)
        if (system->shapes.items[i].held.crossings.n || system->shapes.items[i].held.alert.n)
            return true;
    return simulate_has_event_blocks(system);
}

/* With one clock the events of a lane interrupt all others: so MANY or more lanes with events have
 * their own, unless an option needs one time for all. Fewer keep their rows at events. */
static bool is_fleet_with_events(const LiederSystem *system, const LiederSimulateOptions *o,
                                 size_t copies)
{
    enum { MANY = 16 };
    const char *why;
    size_t n = 0;
    for (size_t i = 0; i < system->nhome; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        n += ss->held.crossings.n + ss->held.alert.n ? ss->shape->all_lanes : 0;
    }
    return copies * n >= MANY && o->clocks == LIEDER_CLOCKS_AUTO &&
           !(o->checkpoint && o->checkpoint_seconds > 0) && !o->restructured &&
           solver_blocks_are_small(system) && clocks_possible(system, &why);
}

LiederSolver run_choose_solver(const LiederSystem *system, const LiederSimulateOptions *o)
{
    bool any = system_all_states(system) > 0; /* on any rank */
    if (o->solver != LIEDER_SOLVER_AUTO && any)
        return o->solver;
    /* without states steps only serve to find events */
    bool fixed = o->step > 0 || o->real_time ||
                 (o->solver != LIEDER_SOLVER_AUTO && !lieder_solver_info(o->solver)->adaptive);
    if (!any)
        return fixed || !run_has_events(system) ? LIEDER_RK1 : LIEDER_RK45;
    if (o->step > 0 || o->real_time)
        return LIEDER_RK4;
    return o->clocks == LIEDER_CLOCKS_OWN || has_large_net(system) ||
                   is_fleet_with_events(system, o, 1)
               ? LIEDER_RK45
               : LIEDER_BDF;
}

const char *run_reason_of(const LiederSystem *system, const LiederSimulateOptions *o)
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

bool run_own_clocks(const LiederSystem *system, const LiederSimulateOptions *o, bool guarded,
                    const char **why)
{
    LiederSolver solver = run_choose_solver(system, o);
    bool possible = clocks_possible(system, why);
    if (guarded)
        *why = "the run changes between modes";
    else if (system->cut)
        *why = "several ranks share one net";
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

/* Steps of SUNDIALS share their norms, the way in which nets are solved is chosen for the first
 * lane, and with one clock an event of one lane makes a row for all. */
bool simulate_keeps_lanes_apart(const LiederSystem *system, const LiederSimulateOptions *o)
{
    for (size_t i = 0; i < system->shapes.n; i++)
        if (system->shapes.items[i].plan.method == LIEDER_METHOD_NET)
            return false;
    const char *why;
    LiederSimulateOptions own = *o;
    if (clocks_can_end(system)) /* each for itself */
        return false;
    if (own.clocks == LIEDER_CLOCKS_AUTO)
        own.clocks = LIEDER_CLOCKS_OWN;
    if (solver_is_one_step(run_choose_solver(system, o)))
        return run_own_clocks(system, &own, false, &why);
    return solver_steps_explicitly(run_choose_solver(system, o)) &&
           !simulate_has_event_blocks(system);
}
