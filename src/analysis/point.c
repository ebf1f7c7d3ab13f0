/* point.c - the state of a system at a time, with the choices that hold there: its start, or the
 * end of a run. */
#include "analysis/analysis.h"

#include <stdlib.h>
#include <string.h>

/* keeps the last row */
static bool point_take(void *user, double t, const double *x, LiederRow kind)
{
    MotionPoint *p = user;
    const Moment *moment = &p->system->moment;
    (void)kind;
    p->t = t;
    p->taken = true;
    memcpy(p->x, x, p->system->nstate * sizeof(double));
    p->held = moment->choices && !moment->decides;
    if (moment->memory)
        memcpy(p->memory, moment->memory, p->system->nmemory * sizeof(double));
    if (p->held)
        memcpy(p->choices, moment->choices, p->system->nchoice * sizeof(double));
    return true;
}

static bool point_progress(void *user, double t, const LiederStatistics *statistics)
{
    MotionPoint *p = user;
    return !p->progress || p->progress(p->user, t, statistics);
}

LiederStatus point_find(MotionPoint *p, LiederSystem *system, const LiederSimulateOptions *options,
                        LiederStatistics *statistics)
{
    LiederSimulateOptions o = *options;
    size_t n = system->nstate;
    *p = (MotionPoint){.system = system, .t = o.start, .progress = o.progress, .user = o.user};
    *statistics = (LiederStatistics){.t = o.start};
    p->x = memory_zeroed(SYSTEM_ALLOC(system), (n + 1) * sizeof *p->x);
    p->choices = memory_zeroed(SYSTEM_ALLOC(system), (system->nchoice + 1) * sizeof *p->choices);
    p->memory = memory_zeroed(SYSTEM_ALLOC(system), (system->nmemory + 1) * sizeof *p->memory);
    if (!p->x || !p->choices || !p->memory) {
        diag_error(&system->session->diag, NULL, NULL, "not enough memory for %zu states", n);
        return LIEDER_NO_MEMORY;
    }
    LiederStatus found = lieder_system_start(system, p->x);
    if (found != LIEDER_DONE)
        return found;
    held_start(system, p->memory);
    if (!(o.stop > o.start) || n == 0)
        return LIEDER_DONE;
    o.output = point_take;
    o.progress = point_progress;
    o.user = p;
    return lieder_simulate(system, &o, statistics);
}

void point_drop(MotionPoint *p)
{
    if (!p->system)
        return;
    memory_free(SYSTEM_ALLOC(p->system), p->x, (p->system->nstate + 1) * sizeof *p->x);
    memory_free(SYSTEM_ALLOC(p->system), p->choices, (p->system->nchoice + 1) * sizeof *p->choices);
    memory_free(SYSTEM_ALLOC(p->system), p->memory, (p->system->nmemory + 1) * sizeof *p->memory);
    *p = (MotionPoint){0};
}

/* the component of the first delay; NULL: there is none */
static const char *find_delay(const LiederSystem *system, char *path, size_t size)
{
    for (size_t i = 0; i < system->nhome; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        for (size_t k = 0; k < ss->held.nmemory && ss->held.nhistory; k++)
            if (ss->held.memories.items[k].member->kind == LIEDER_HISTORY)
                return lane_path(system, ss, ss->held.memories.items[k].component, 0, path, size);
    }
    return NULL;
}

LiederStatus refuse_delays(LiederSystem *system, const char *how)
{
    char path[512];
    const char *where = find_delay(system, path, sizeof path);
    if (!where)
        return LIEDER_DONE;
    diag_error(&system->session->diag, NULL, where,
               "a model with a delay cannot be %s: its past is no state\nput a Pade "
               "approximation (Signals.PadeDelay) in the place of the delay",
               how);
    return LIEDER_BAD_MODEL;
}

void warn_of_delays(LiederSystem *system)
{
    char path[512];
    const char *where = find_delay(system, path, sizeof path);
    if (where)
        diag_warning(&system->session->diag, NULL, where,
                     "what a delay brings is held: these are numbers of the model without the way "
                     "back through its delays\na Pade approximation (Signals.PadeDelay) has states "
                     "for it");
}
