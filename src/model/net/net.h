/* net.h - a shape of many small parts that coupling leaves hold together, as the rest of the engine
 * calls it; see net.c for the idea. A Net is the plan, made once for all lanes and threads; a
 * NetWork has the numbers of one thread. Both stand in net_plan.h. */
#ifndef LIEDER_MODEL_NET_H
#define LIEDER_MODEL_NET_H

#include "model/system/system.h"

/* whether a shape can be solved as a net; LIEDER_NO_MEMORY, or done */
LiederStatus net_suits(const Shape *shape, const LiederAllocator *alloc, bool *suits);
/* *net is set even if it is not complete, for net_destroy */
LiederStatus net_create(LiederSystem *system, const SystemShape *ss, Net **net);
void net_destroy(Net *net);
/* the widest instruction set that its parts and ties use */
LiederIsa net_isa(const Net *net);
size_t net_bytes(const Net *net, const NetWork *work);

/* the numbers of one thread; NULL: no memory. NULL may be destroyed. */
NetWork *net_work_create(const SystemShape *ss);
void net_work_destroy(NetWork *work);
/* pivots at the start; then the way of solving is chosen for all threads */
LiederStatus net_check(LiederSystem *system, SystemShape *ss, NetWork *work);

/* After parameters changed: lists for what cells and ties do not share, and the numbers of the
 * workspace of the shape; one number, or all of them. False: no memory. */
bool net_update(const SystemShape *ss, uint32_t component, uint32_t slot);
bool net_refill(const SystemShape *ss);
/* then: the numbers of a thread, which may need memory; false: there is none */
bool net_follow(const SystemShape *ss, NetWork *work);

/* Derivatives of one lane; x and dx as for strip_evaluate. *culprit: a component of the cell that
 * failed; NOWHERE: another rank has it. */
LiederStatus net_evaluate(const SystemShape *ss, NetWork *work, double t, const Moment *moment,
                          size_t lane, const double *x, size_t x_stride, double *dx,
                          size_t dx_stride, uint32_t *culprit);
/* the unknowns of one lane into the full record */
LiederStatus net_observe(const SystemShape *ss, NetWork *work, double *record, double t,
                         const Moment *moment, size_t lane, const double *x, size_t stride,
                         uint32_t *culprit);
/* what other ranks need of this one where they observe a net that is cut */
LiederStatus net_take_part(const SystemShape *ss, NetWork *work, double t, const Moment *moment,
                           const double *x);

/* cholmod.c: why CHOLMOD cannot be loaded, "" if it can; returns buffer */
const char *cholmod_problem(char *buffer, size_t size);

#endif
