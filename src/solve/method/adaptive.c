/* adaptive.c - adaptive steps of a system with one clock: one interface for the solvers of
 * implicit.c (esdirk23, bdf) and those of oneclock.c (rk45, rodas4). */
#include "solve/method/adaptive.h"
#include "solve/method/onestep.h"
#include "solve/run/ranks.h"

bool solver_is_one_step(LiederSolver solver)
{
    return solver == LIEDER_RK45 || solver == LIEDER_RODAS4;
}

LiederStatus adaptive_create(Adaptive *a, Team *team, LiederSolver solver, double tolerance,
                             double longest, const Glances *glances, double t, const Moment *moment,
                             const double *x)
{
    *a = (Adaptive){0};
    if (solver_is_one_step(solver))
        a->clock = oneclock_create(team, solver, tolerance, longest, glances, t, moment, x);
    else
        a->implicit = implicit_create(team, solver, tolerance, longest, glances, t, moment, x);
    return a->clock || a->implicit            ? LIEDER_DONE
           : should_stop(team->stop_check, 0) ? LIEDER_STOPPED
                                              : LIEDER_NO_MEMORY;
}

void adaptive_destroy(Adaptive *a)
{
    oneclock_destroy(a->clock);
    implicit_destroy(a->implicit);
    *a = (Adaptive){0};
}

double adaptive_tolerance(const Adaptive *a)
{
    return a->clock ? oneclock_tolerance(a->clock) : implicit_tolerance(a->implicit);
}

double adaptive_finest(LiederSolver solver)
{
    return solver_is_one_step(solver) ? onestep_finest(solver) : implicit_finest(solver);
}

LiederStatus adaptive_restart(Adaptive *a, double t, const double *x)
{
    return a->clock ? oneclock_restart(a->clock, t, x) : implicit_restart(a->implicit, t, x);
}

LiederStatus adaptive_step(Adaptive *a, double limit, double *t, double *x)
{
    return a->clock ? oneclock_step(a->clock, limit, t, x)
                    : implicit_step(a->implicit, limit, t, x);
}

void adaptive_between(Adaptive *a, double t, double *x)
{
    if (a->clock)
        oneclock_between(a->clock, t, x);
    else
        implicit_between(a->implicit, t, x);
}

void adaptive_slope_between(Adaptive *a, double t, double *slope)
{
    if (a->clock)
        oneclock_slope_between(a->clock, t, slope);
    else
        implicit_slope_between(a->implicit, t, slope);
}

const double *adaptive_noise(const Adaptive *a)
{
    return a->clock ? oneclock_noise(a->clock) : a->implicit ? implicit_noise(a->implicit) : NULL;
}

void adaptive_statistics(const Adaptive *a, LiederStatistics *statistics)
{
    if (a->clock)
        oneclock_statistics(a->clock, statistics);
    else
        implicit_statistics(a->implicit, statistics);
}

void adaptive_agree(const Adaptive *a, const LiederSystem *system, LiederStatistics *statistics)
{
    ptrdiff_t state = statistics->limiting_state;
    double most = -1;
    if (!a->clock && !a->implicit)
        return;
    if (state >= 0)
        most = (double)(a->clock ? oneclock_limits(a->clock, (size_t)state)
                                 : implicit_limits(a->implicit, (size_t)state));
    if (!ranks_first_with(system, most))
        statistics->limiting_state = -1;
}
