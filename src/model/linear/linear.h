/* linear.h - the linear groups of a shape that elimination along a tree does not solve, by one
 * sparse system (sparse.c) or by probing (probe.c); what evaluate.c and workspace.c call. Both work
 * on one lane in the full record. */
#ifndef LIEDER_MODEL_LINEAR_H
#define LIEDER_MODEL_LINEAR_H

#include "model/system/system.h"

/* sparse.c: the plan of a shape becomes ss->plan.sparse; sparse_destroy takes an incomplete one */
LiederStatus sparse_create(SystemShape *ss, const LiederAllocator *alloc);
void sparse_destroy(SystemShape *ss, const LiederAllocator *alloc);
/* the numbers of one thread; NULL: no memory. NULL may be destroyed. */
SparseWork *sparse_work_create(const Sparse *sparse);
void sparse_work_destroy(SparseWork *work);
/* The unknowns of the record behind `strip`, whose explicit blocks have run. *culprit: a component
 * of the group that is singular. */
LiederStatus sparse_solve(SystemShape *ss, const Workspace *workspace, const LiederStrip *strip,
                          uint32_t *culprit);

/* probe.c: the scheme of paper 003; the same for all unknowns of each group */
LiederStatus probe_prepare(SystemShape *ss, const LiederAllocator *alloc);
LiederStatus probe_solve(SystemShape *ss, const Workspace *workspace, const LiederStrip *strip,
                         uint32_t *culprit);

#endif
