/* ranks.h - what several processes that share a model decide together: see ranks.c. */
#ifndef LIEDER_SOLVE_RANKS_H
#define LIEDER_SOLVE_RANKS_H

#include "model/system/system.h"

/* Decisions that all ranks of a model share, see LiederRanks: all call them in the same order, and
 * get the same. A system alone keeps what it has. */
bool ranks_any(const LiederSystem *system, bool here);
double ranks_greatest(const LiederSystem *system, double here);
double ranks_least(const LiederSystem *system, double here);
size_t ranks_sum(const LiederSystem *system, size_t here);
double ranks_total(const LiederSystem *system, double here); /* of any numbers, in rank order */
/* the worst one; only the first rank that has it keeps its diagnostics from `before` on */
LiederStatus ranks_status(LiederSystem *system, LiederStatus here, size_t before);
/* whether it is for this rank to say something about value `here`, the greatest of all: it is the
 * first one that has it */
bool ranks_first_with(const LiederSystem *system, double here);
/* the first lane of a shape limits the pivots of all */
LiederStatus ranks_share_limits(LiederSystem *system);

#endif
