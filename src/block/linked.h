/* linked.h - what linked code reads and writes, for those who know nothing of expressions. */
#ifndef LIEDER_BLOCK_LINKED_H
#define LIEDER_BLOCK_LINKED_H

#include <lieder/component.h>

/* an instruction: where in the record its results and operands stand, in bytes */
typedef void LinkedStep(void *user, const uint32_t *to, size_t nto, const uint32_t *from,
                        size_t nfrom);
/* all of them in order; false: the code of this class is no linked tape */
bool linked_steps(const LiederKernels *kernels, LiederCode code, LinkedStep *see, void *user);

#endif
