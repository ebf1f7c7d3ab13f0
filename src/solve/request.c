/* request.c - components that end the run, or find that a condition does not hold (REQUEST).
 *
 * A request is a number of a component that is not zero. An explicit block makes it in every
 * evaluation in which its condition holds, so it is looked at where a state is part of the
 * solution: after accepted steps, at the boundaries of fixed steps, after events and at the start.
 * It is told once when it begins. An event block makes it in one pass of an event, which is
 * remembered until the next look (LanePass).
 */
#include "solve/solve.h"

#include <string.h>

/* tells request k of a lane; LIEDER_GAVE_UP if it is an error */
static LiederStatus tell(const Events *e, const SystemShape *ss, size_t k, size_t lane, double t,
                         bool *end)
{
    const CrossingRef *ref = &ss->memories.items[k];
    Diagnostics *diag = &e->team->system->session->diag;
    char path[512];
    lane_path(e->team->system, ss, ref->component, lane, path, sizeof path);
    const char *text = ref->member->text && *ref->member->text ? ref->member->text : "no message";
    switch (ref->member->request) {
    case LIEDER_TERMINATE:
        *end = true;
        diag_warning(diag, NULL, path, "the model ends the run at t = %.15g: %s", t, text);
        return LIEDER_DONE;
    case LIEDER_ASSERT_WARNING:
        diag_warning(diag, NULL, path, "a condition does not hold from t = %.15g on: %s", t, text);
        return LIEDER_DONE;
    case LIEDER_ASSERT_ERROR:
        break;
    }
    diag_error(diag, NULL, path, "a condition does not hold at t = %.15g: %s", t, text);
    return LIEDER_GAVE_UP;
}

LiederStatus events_look_at_requests(Events *e, double t, const Moment *moment, const double *x,
                                     bool *end)
{
    const LiederSystem *system = e->team->system;
    LiederStatus status = LIEDER_DONE;
    if (!e->asked)
        return LIEDER_DONE;
    memset(e->asked, 0, system->nmemory * sizeof(double));
    team_look(e->team, t, moment, x, (Looks){.requests = e->asked});
    for (size_t i = 0; i < system->shapes.n; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        size_t n;
        for (size_t k = ss->nmemory; k < ss->memories.n; k++)
            for (size_t lane = 0; ss->memories.items[k].member->kind == LIEDER_REQUEST &&
                                  lanes_next(ss, &lane, &n, 1);
                 lane++) {
                size_t at = home_memory(ss, k, lane);
                bool now = e->asked[at] != 0, before = e->memory[at] != 0;
                if (((now && !before) || e->changed[at]) &&
                    tell(e, ss, k, lane, t, end) != LIEDER_DONE)
                    status = LIEDER_GAVE_UP;
                e->memory[at] = now;
                e->changed[at] = 0;
            }
    }
    return status;
}
