/* interpret.h - runs tapes on lanes; one function per instruction set. */
#ifndef LIEDER_BLOCK_INTERPRET_H
#define LIEDER_BLOCK_INTERPRET_H

#include <lieder/component.h>

#include "block/tape.h"

/* Kernels whose code is a TapeCode. They need nslot reals of scratch per record. */
LiederKernel tape_run_scalar, tape_run_scalar_fma, tape_run_sse2, tape_run_avx2, tape_run_avx512;

/* joined code is a TapeCode with one tape, see tape_join; it needs nscratch reals per record */
LiederJoinedRun joined_run_scalar, joined_run_scalar_fma, joined_run_sse2, joined_run_avx2,
    joined_run_avx512;

/* Runs a LinkedTape that has runs on records of one lane; `scalar`, one of the kernels below, runs
 * its code. */
typedef void RunKernel(const LinkedTape *t, const LiederStrip *strip, LiederKernel *scalar);
RunKernel runs_scalar, runs_scalar_fma, runs_sse2, runs_avx2, runs_avx512;

/* kernels whose code is a LinkedTape */
LiederKernel linked_run_scalar, linked_run_scalar_fma, linked_run_sse2, linked_run_avx2,
    linked_run_avx512;

#endif
