/* ranks.c - decisions of several processes that share a model: see LiederRanks.
 *
 * Everything is made of maxima, and of sums of whole numbers, so that the order in which numbers
 * meet on their way is of no importance: the result has the same bits for any number of ranks.
 *
 * A rank that runs out of memory may leave the others waiting: the program that started it ends
 * all.
 */
#include "solve/run/ranks.h"

#include <math.h>

static void combine(const LiederSystem *system, LiederCombine how, double *values, size_t n)
{
    const LiederRanks *r = system->options.ranks;
    if (rank_count(system) > 1)
        r->combine(r->user, how, values, n);
}

double ranks_greatest(const LiederSystem *system, double here)
{
    combine(system, LIEDER_GREATEST, &here, 1);
    return here;
}

double ranks_least(const LiederSystem *system, double here)
{
    return -ranks_greatest(system, -here);
}

bool ranks_any(const LiederSystem *system, bool here)
{
    return ranks_greatest(system, here) > 0;
}

size_t ranks_sum(const LiederSystem *system, size_t here)
{
    double sum = (double)here;
    combine(system, LIEDER_SUM, &sum, 1);
    return (size_t)sum;
}

/* Each rank's number is summed with zeros of the others, which rounds nothing; then all add the
 * numbers in the same order. */
double ranks_total(const LiederSystem *system, double here)
{
    const LiederRanks *r = system->options.ranks;
    double sum = 0;
    for (int i = 0; i < rank_count(system); i++) {
        double part = !r || i == r->rank ? here : 0;
        combine(system, LIEDER_SUM, &part, 1);
        sum += part;
    }
    return sum;
}

bool ranks_first_with(const LiederSystem *system, double here)
{
    if (rank_count(system) < 2)
        return true;
    double values[2] = {here, 0};
    combine(system, LIEDER_GREATEST, values, 1);
    bool has = !(here < values[0]); /* NaN has it */
    values[1] = has ? system->options.ranks->count - system->options.ranks->rank : 0;
    combine(system, LIEDER_GREATEST, values + 1, 1);
    return has && values[1] == system->options.ranks->count - system->options.ranks->rank;
}

/* a status as a number, the worse the greater: done, a stop, failures, no memory */
static double badness(LiederStatus status)
{
    return status == LIEDER_DONE        ? 0
           : status > 0                 ? 0.5
           : status == LIEDER_NO_MEMORY ? 100
                                        : -(double)status;
}

LiederStatus ranks_status(LiederSystem *system, LiederStatus here, size_t before)
{
    if (rank_count(system) < 2)
        return here;
    double bad[2] = {badness(here), 0};
    int place = system->options.ranks->count - system->options.ranks->rank;
    combine(system, LIEDER_GREATEST, bad, 1);
    if (bad[0] == 0)
        return LIEDER_DONE;
    /* of several ranks with this status the first that has reported something, else the first */
    int words = system->session->diag.list.n > before ? system->options.ranks->count : 0;
    place += badness(here) == bad[0] ? words : 0;
    bad[1] = badness(here) == bad[0] ? place : 0;
    combine(system, LIEDER_GREATEST, bad + 1, 1);
    if (bad[1] != place)
        diag_forget(&system->session->diag, before);
    return bad[0] == 0.5   ? LIEDER_STOPPED
           : bad[0] == 100 ? LIEDER_NO_MEMORY
                           : (LiederStatus)-bad[0];
}

LiederStatus ranks_share_limits(LiederSystem *system)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    for (size_t i = 0; i < system->nhome && rank_count(system) > 1; i++) {
        SystemShape *ss = &system->shapes.items[i];
        size_t n = 0;
        for (size_t g = 0; g < ss->shape->groups.n; g++)
            n += ss->shape->groups.items[g].nunknown;
        if (n == 0 || ss->shape->asleep || ss->shape->general || ss->shape->cut)
            continue;
        double *limits = memory_zeroed(alloc, n * sizeof(double));
        if (!limits)
            return LIEDER_NO_MEMORY;
        bool first = ss->shape->nlane && ss->shape->first_lane == 0 && ss->limit.n == n;
        for (size_t k = 0; k < n && first; k++)
            limits[k] = ss->limit.items[k];
        combine(system, LIEDER_GREATEST, limits, n);
        for (size_t k = 0; k < ss->limit.n && k < n; k++)
            ss->limit.items[k] = limits[k];
        memory_free(alloc, limits, n * sizeof(double));
        if (ss->workspace)
            workspace_refill(ss);
    }
    return LIEDER_DONE;
}
