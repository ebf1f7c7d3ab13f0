/* net_lanes.h - what net_lanes.c and net_vectors.c share; both are compiled once per instruction
 * set. */
#ifndef LIEDER_MODEL_NET_LANES_H
#define LIEDER_MODEL_NET_LANES_H

#include "model/net/net_plan.h"

/* loops are written for any block size, and made for the common ones */
#define FOR_BLOCK(k, call)                                                                         \
    do {                                                                                           \
        switch (k) {                                                                               \
        case 1: {                                                                                  \
            enum { K = 1 };                                                                        \
            call;                                                                                  \
        } break;                                                                                   \
        case 2: {                                                                                  \
            enum { K = 2 };                                                                        \
            call;                                                                                  \
        } break;                                                                                   \
        case 3: {                                                                                  \
            enum { K = 3 };                                                                        \
            call;                                                                                  \
        } break;                                                                                   \
        default: {                                                                                 \
            const int K = (int)(k);                                                                \
            call;                                                                                  \
        }                                                                                          \
        }                                                                                          \
    } while (0)

/* where the answers of the ties from `first` on begin; lanes divide NET_WIDTH */
static inline double *answer_of(const NetTieWork *work, int r, size_t first, const int k)
{
    return work->answer + (size_t)r * work->tie->answer_size +
           first / NET_WIDTH * NET_WIDTH * (size_t)(2 * k + 1) + first % NET_WIDTH;
}

#endif
