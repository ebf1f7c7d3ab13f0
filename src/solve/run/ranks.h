/* ranks.h - decisions of several processes that share a model: see ranks.c. */
#ifndef LIEDER_SOLVE_RANKS_H
#define LIEDER_SOLVE_RANKS_H

#include "model/system/system.h"

/* Numbers joined over all ranks of a model, see LiederRanks: all ranks call these functions in the
 * same order, and all get the same result. In one process the result is `here`. */
bool ranks_any(const LiederSystem *system, bool here);
double ranks_greatest(const LiederSystem *system, double here);
double ranks_least(const LiederSystem *system, double here);
size_t ranks_sum(const LiederSystem *system, size_t here);
double ranks_total(const LiederSystem *system, double here); /* sum of any numbers, in rank order */
/* the worst status; only one rank that has it keeps its diagnostics from number `before` on */
LiederStatus ranks_status(LiederSystem *system, LiederStatus here, size_t before);
/* Is `here` the greatest of all ranks, and this rank the first that has it? Then it reports. */
bool ranks_first_with(const LiederSystem *system, double here);
/* gives all ranks the limits of pivots that follow from the first lane of each shape */
LiederStatus ranks_share_limits(LiederSystem *system);

#endif
