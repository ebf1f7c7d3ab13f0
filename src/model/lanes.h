/* lanes.h - the engine's own loops over lanes, once per instruction set like the library. */
#ifndef LIEDER_MODEL_LANES_H
#define LIEDER_MODEL_LANES_H

#include "model/program.h"

typedef struct LaneOps {
    /* n numbers into one variable of a strip; the rest of the last record repeats the last one */
    void (*load)(const LiederStrip *strip, uint32_t place, const double *from, size_t n);
    /* one number into all lanes of a variable */
    void (*fill)(const LiederStrip *strip, uint32_t place, double value);
    /* n numbers out of a variable; returns 0 if all are finite, else something that is not 0 */
    double (*store)(const LiederStrip *strip, uint32_t place, double *to, size_t n);
    /* solves a group with loops, after its solve kernels ran without the coupling leaves */
    void (*complement)(const LiederStrip *strip, const Program *program, const Complement *m);
} LaneOps;

extern const LaneOps lane_ops_scalar, lane_ops_sse2, lane_ops_avx2, lane_ops_avx512;
const LaneOps *lane_ops_of(LiederIsa isa);

#endif
