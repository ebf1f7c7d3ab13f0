/* interpret.h - runs tapes on lanes; one function per instruction set. */
#ifndef LIEDER_BLOCK_INTERPRET_H
#define LIEDER_BLOCK_INTERPRET_H

#include <lieder/component.h>

#include "block/tape.h"

/* Kernels whose code is a TapeCode. They need nslot reals of scratch per record. */
LiederKernel tape_run_scalar, tape_run_scalar_fma, tape_run_sse2, tape_run_avx2, tape_run_avx512;

/* kernels whose code is a LinkedTape */
LiederKernel linked_run_scalar, linked_run_scalar_fma, linked_run_sse2, linked_run_avx2,
    linked_run_avx512;

#endif
