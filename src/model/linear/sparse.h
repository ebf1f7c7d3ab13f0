/* sparse.h - the plan of the sparse system of a shape, see sparse.c; fmi/ writes it into FMUs. */
#ifndef LIEDER_MODEL_SPARSE_H
#define LIEDER_MODEL_SPARSE_H

#include "model/class/linear_map.h"
#include "model/linear/lu.h"

/* an input or output of a component that takes part in the system */
typedef struct SparseQuantity {
    MapVariable variable;
    int number;  /* of an input: the unknown of the system; of an output: the row */
    double sign; /* of an output: how it enters the row */
} SparseQuantity;

typedef struct SparseMap {
    uint32_t component;
    uint32_t first_input, ninput, first_output, noutput;
} SparseMap;

struct Sparse {
    int n;
    VEC(SparseQuantity) quantities;
    VEC(SparseMap) maps;
    VEC(int) node_variable, flow_variable; /* by node */
    VEC(uint32_t) entry; /* by (map, input, output): position in value, in the order of probing */
    VEC(int) columns, rows;
    VEC(uint32_t) diagonal; /* of the rows of potentials and flows: coefficient one */
    size_t nkept;           /* most known potentials of one component */
    bool network;           /* a pivot may be lost */
    LuPlan plan;
    const LiederAllocator *alloc;
};

#endif
