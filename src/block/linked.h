/* linked.h - what linked code reads and writes, for readers outside of this folder
 * (solve/method/depend.c). */
#ifndef LIEDER_BLOCK_LINKED_H
#define LIEDER_BLOCK_LINKED_H

#include <lieder/component.h>

/* visits an instruction: the places of its results and operands in the record, in bytes */
typedef void LinkedStep(void *user, const uint32_t *to, size_t nto, const uint32_t *from,
                        size_t nfrom);
/* visits all of them in order; false: the code of this class is no linked tape */
bool linked_steps(const LiederKernels *kernels, LiederCode code, LinkedStep *visit, void *user);

#endif
