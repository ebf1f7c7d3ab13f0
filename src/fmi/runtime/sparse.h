/* sparse.h - the plan of a sparse system, in FMUs that have one. */
#ifndef LIEDER_FMU_SPARSE_H
#define LIEDER_FMU_SPARSE_H

#include "fmu.h"
#include "model/linear/lu.h"

/* The sparse system of a shape, see src/model/linear/sparse.c. Of each component that takes part:
 * its linear blocks, their inputs and outputs, outgoing flows that are set to zero for them, and
 * potentials that are known. */
typedef struct FmuQuantity {
    uint32_t place, number; /* in the record; unknown or row of the system */
    int16_t sign, regimes, stride;
} FmuQuantity;
typedef struct FmuMap {
    FmuRun *outward, *inward;                    /* or NULL */
    uint32_t at, input, ninput, output, noutput; /* in quantities */
    uint32_t flow, nflow, known, nknown;         /* in places */
} FmuMap;
/* a component that checks after each solution whether it has converged */
typedef struct FmuIterate {
    FmuRun *run;
    uint32_t at;
    bool choices;
} FmuIterate;
typedef struct FmuSparse {
    LuPlan plan;
    const FmuQuantity *quantities;
    const FmuMap *maps;
    size_t nmap;
    const uint32_t *entries, *places, *diagonal;
    size_t ndiagonal;
    size_t nknown; /* most of one component */
    const FmuIterate *iterates;
    size_t niterate;
} FmuSparse;

#endif
