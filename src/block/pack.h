/* pack.h - tapes as numbers of 16 bits.
 *
 * A class that was compiled when the project was built has its kernels in machine code. Its tapes
 * are needed where the ops of a whole program become one (join.c): they stand in the program as
 * constant numbers without addresses, which cost nothing until they are read. A code consists of:
 *
 *   second                         where its tape that adds to laws begins, from here; 0: none
 *   the tape that stores:
 *   nslot nconstant nload nstore ninstruction
 *   slot, bits of the value (4)    for each constant
 *   group slot index count         for each load and each store
 *   operation d operands           for each instruction; the sine has a second result at its end
 */
#ifndef LIEDER_BLOCK_PACK_H
#define LIEDER_BLOCK_PACK_H

#include "block/tape.h"

typedef VEC(uint16_t) PackedTapes;

/* behind what is there; TAPE_TOO_LARGE: it solves systems, or has a number beyond 16 bits */
TapeStatus tape_pack(const TapeCode *code, PackedTapes *to, const LiederAllocator *alloc);
/* The tape that stores, or the one that adds, in place of what `to` holds; false: memory ran out.
 * How many instructions it has. */
bool tape_unpack(const uint16_t *code, bool add, Tape *to, const LiederAllocator *alloc);
size_t packed_instructions(const uint16_t *code, bool add);

#endif
