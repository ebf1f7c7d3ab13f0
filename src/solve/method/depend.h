/* depend.h - which states each derivative of a shape may depend on. */
#ifndef LIEDER_SOLVE_DEPEND_H
#define LIEDER_SOLVE_DEPEND_H

#include "model/system/system.h"

/* by derivative of a lane: the states it may depend on, from state[first[i]] on, each once */
typedef struct Dependence {
    VEC(uint32_t) first, state;
} Dependence;

/* false: memory ran out, or the shape is no tree or has classes without instructions */
bool dependence_find(Dependence *to, const SystemShape *ss, const LiederAllocator *alloc);
void dependence_drop(Dependence *d, const LiederAllocator *alloc);

#endif
