/* lanes.h - the engine's own loops over lanes, once per instruction set like the library. */
#ifndef LIEDER_MODEL_LANES_H
#define LIEDER_MODEL_LANES_H

#include "model/program/program.h"

typedef struct LaneOps {
    /* n numbers into one variable of a strip; the rest of the last record repeats the last one */
    void (*load)(const LiederStrip *strip, uint32_t place, const double *from, size_t n);
    /* the same for k variables whose numbers stand `stride` apart */
    void (*load_all)(const LiederStrip *strip, const uint32_t *places, size_t k, const double *from,
                     size_t stride, size_t n);
    /* one number into all lanes of a variable */
    void (*fill)(const LiederStrip *strip, uint32_t place, double value);
    /* n numbers out of a variable; returns 0 if all are finite, else NaN */
    double (*store)(const LiederStrip *strip, uint32_t place, double *to, size_t n);
    double (*store_all)(const LiederStrip *strip, const uint32_t *places, size_t k, double *to,
                        size_t stride, size_t n);
    /* whether a reduce met a pivot that is too small */
    int (*alarm)(const LiederStrip *strip);
    /* solves a group with loops, after its solve kernels ran without the coupling leaves */
    void (*complement)(const LiederStrip *strip, const Program *program, const Complement *m);
    /* the sums of explicit Runge-Kutta steps over n numbers, see solve/method/rk.c: after the first
     * stage y = x + p k, sum = k; after the next ones y = x + (p k + q sum), sum = sum + r k; after
     * the last one x = x + s (sum + k), which returns 0 if all x are finite. */
    void (*stage_first)(double *y, double *sum, const double *x, const double *k, double p,
                        size_t n);
    void (*stage_next)(double *y, double *sum, const double *x, const double *k, double p, double q,
                       double r, size_t n);
    double (*stage_last)(double *x, const double *sum, const double *k, double s, size_t n);
    /* the first of n states x that is far from y: |y - x| > part (1 + |x|); n: none is */
    size_t (*first_apart)(const double *x, const double *y, double part, size_t n);
} LaneOps;

/* one of the tables that a file which is compiled once per instruction set defines */
#define ISA_TABLE(isa, table)                                                                      \
    ((isa) == LIEDER_ISA_AVX512     ? &table##_avx512                                              \
     : (isa) == LIEDER_ISA_AVX2     ? &table##_avx2                                                \
     : (isa) == LIEDER_ISA_SSE2     ? &table##_sse2                                                \
     : machine_has(LIEDER_ISA_AVX2) ? &table##_scalar_fma                                          \
                                    : &table##_scalar)

extern const LaneOps lane_ops_scalar, lane_ops_scalar_fma, lane_ops_sse2, lane_ops_avx2,
    lane_ops_avx512;
const LaneOps *lane_ops_of(LiederIsa isa);

#endif
