/* guess.c - where the iterations of nonlinear systems begin.
 *
 * Every lane has a guess for each unknown of its systems: by how much the solution at the last
 * accepted point lay away from the start value. All evaluations of a step, its rows and the event
 * at its end begin there, so that their solutions depend on time, states and memory, not on the
 * order of evaluations; state files contain the guesses with the memory. So a system with several
 * solutions stays on its present one while this exists; where it ends, lieder/systems.h says how
 * another one is found.
 *
 * Guesses are taken at the start of a run, where a step has been accepted and where an event has
 * ended. A system whose iteration fails there keeps its guess, and the run reports the failure.
 * Outside of runs all are zero, and iterations begin at the start values. */
#include "solve/events/events.h"

#include <math.h>

/* the guesses of one shape: those of `from` that are numbers, or zero without `from` */
static void copy_shape(const SystemShape *ss, const double *from, double *to)
{
    for (size_t k = 0; k < ss->held.nmemory && ss->held.nguess; k++)
        for (size_t lane = 0;
             ss->held.memories.items[k].member->kind == LIEDER_GUESS && lane < ss->shape->nlane;
             lane++) {
            size_t i = home_memory(ss, k, lane);
            if (!from || isfinite(from[i]))
                to[i] = from ? from[i] : 0;
        }
}

void guesses_copy(const LiederSystem *system, const double *from, double *to)
{
    for (size_t i = 0; i < system->nhome; i++)
        copy_shape(&system->shapes.items[i], from, to);
}

void guesses_take(Events *e, double t, const Moment *moment, const double *x)
{
    if (e->team->system->nguess == 0)
        return;
    Readings to = {.found = e->found};
    if (e->alone)
        strip_read(e->alone, e->alone->workspace, t, moment, 0, 1, x, 1, to);
    else
        team_read(e->team, t, moment, x, to);
    guesses_copy(e->team->system, e->found, e->memory);
}
