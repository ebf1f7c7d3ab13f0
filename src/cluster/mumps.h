/* mumps.h - factors that the ranks of MPI share, where lieder-mpi was built with MUMPS. */
#ifndef LIEDER_CLUSTER_MUMPS_H
#define LIEDER_CLUSTER_MUMPS_H

#include "base/rank_factors.h"

extern const RankFactors mumps_factors;

#endif
