/* late.c - jumps inside of fixed steps, which take effect late: runs and steppers report them.
 *
 * An instant of a component (a sample, a pulse) that lies inside a step takes effect at its end,
 * and so does an event that sets states. Each kind is reported once. */
#include "solve/run/late.h"
#include "solve/run/ranks.h"

#include <math.h>
#include <string.h>

enum { MAX_INSTANTS = 16 };
/* LATE: part of a step by which an instant is late; JUMP: part of the derivatives that is a jump */
static const double LATE = 1e-6, JUMP = 1e-6;

/* Does something jump at the instant `due`? A timer counts as a jump; else derivatives differ on
 * its two sides. Ramps and tables only bend there, which costs little accuracy. */
static bool jumps_when_due(const LateStep *s, double due)
{
    LiederSystem *system = s->events->team->system;
    double margin = events_margin(s->events, due), most = 0, change = 0;
    if (ranks_any(system, events_due(s->events, due + margin)))
        return true;
    for (int i = 0; i < 2; i++) {
        Moment moment = events_moment(s->events, due + (i ? 2 : -2) * margin, true);
        if (team_derivatives(s->events->team, due, &moment, s->x, s->room[i], false) != LIEDER_DONE)
            most = INFINITY;
    }
    for (size_t i = 0; i < system->nstate; i++) {
        most = fmax(most, fmax(fabs(s->room[0][i]), fabs(s->room[1][i])));
        change = fmax(change, fabs(s->room[1][i] - s->room[0][i]));
    }
    return ranks_any(system, change > JUMP * most);
}

bool late_instants(Late *late, const LateStep *s)
{
    LiederSystem *system = s->events->team->system;
    double end = s->end + LATE * s->h;
    bool any = late->due <= end;
    for (int k = 0; k < MAX_INSTANTS && late->due <= end; k++) {
        double steps = (late->due - s->origin) / s->h,
               delay = fmin((ceil(steps - LATE) - steps) * s->h, end - late->due);
        if (delay > LATE * s->h && jumps_when_due(s, late->due)) {
            if (ranks_first_with(system, 0))
                diag_warning(
                    &system->session->diag, NULL, NULL,
                    "something happens at t = %.9g, between two fixed steps of %g s: it "
                    "takes effect at the end of its step, %.3g s late\nchoose a step that "
                    "divides such times (a sample that is due twice in a step fires once), "
                    "or an adaptive solver, which meets them",
                    late->due, s->h, delay);
            late->due = INFINITY;
            return true;
        }
        late->due = events_next_time(s->events, late->due);
    }
    return any;
}

void late_next(Late *late, const LateStep *s)
{
    if (late->due < INFINITY)
        late->due = events_next_time(s->events, s->end);
}

void late_jump(Late *late, const LateStep *s, const double *before)
{
    LiederSystem *system = s->events->team->system;
    if (late->jumped)
        return;
    bool set = system->nstate && memcmp(s->x, before, system->nstate * sizeof(double)) != 0;
    late->jumped = ranks_any(system, set);
    if (late->jumped && ranks_first_with(system, set))
        diag_warning(&system->session->diag, NULL, NULL,
                     "an event sets states at t = %.9g, the end of a fixed step of %g s: it takes "
                     "place inside the step, and every such event is late by up to a step\ntake a "
                     "smaller step, or an adaptive solver, which locates them",
                     s->end, s->h);
}
