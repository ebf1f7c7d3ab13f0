/* joined.h - the hooks by which the ops of a program become one code (LiederKernels.join), for
 * classes of instructions and for compiled ones that have their tapes beside them (pack.h). One
 * function for each instruction set: its interpreter runs what was joined. */
#ifndef LIEDER_BLOCK_JOINED_H
#define LIEDER_BLOCK_JOINED_H

#include <lieder/component.h>

#include "base/text.h"

typedef LiederJoined LiederJoin(const LiederSequence *sequence, int *nscratch,
                                const LiederAllocator *alloc);
LiederJoin code_join_scalar, code_join_scalar_fma, code_join_sse2, code_join_avx2, code_join_avx512;
void code_unjoin(LiederJoined joined, const LiederAllocator *alloc);

/* straight.c: how many instructions joined code has; 0: it was not made here */
size_t joined_instructions(LiederJoined joined);
/* these as C text, the body of a function; false: there are none, or memory ran out */
bool joined_write(LiederJoined joined, const LiederAllocator *alloc, TextBuffer *to);

#endif
