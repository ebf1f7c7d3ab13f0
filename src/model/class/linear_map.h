/* linear_map.h - the linear blocks of one component as a map, found by running them.
 *
 * Outward and inward block of a component read incoming potentials, flows at outgoing ports and
 * unknowns, and write outgoing potentials, flows at incoming ports and residuals. The functions
 * here list these inputs and outputs, run the map and read its results: for linear/sparse.c and
 * linear/solvable.c on unit inputs in the record of a shape, for check.c and facts.c on random ones
 * in records of a class alone. (Where several components are between an unknown and a residual,
 * whole passes run on units of the unknowns: linear/probe.c for a shape, net/net_lanes.c for the
 * cells of a net.)
 */
#ifndef LIEDER_MODEL_LINEAR_MAP_H
#define LIEDER_MODEL_LINEAR_MAP_H

#include "model/class/session.h"

typedef enum MapKind { MAP_POTENTIAL, MAP_FLOW, MAP_UNKNOWN /* or its residual */ } MapKind;

/* an input or output */
typedef struct MapVariable {
    MapKind kind;
    int port;       /* of an unknown -1 */
    int index;      /* of the potential, of the flow within its regime, of the unknown */
    int regimes;    /* how many are summed: a flow that is an output is the sum of its regimes */
    int stride;     /* reals from one of them to the next */
    uint32_t place; /* in the record */
} MapVariable;

/* Flows of a port with several regimes: one variable for all of them, the first regime as an input
 * and the sum as an output; or each regime apart. */
typedef enum MapRegimes { MAP_REGIMES_TOGETHER, MAP_REGIMES_APART } MapRegimes;

/* Inputs and outputs, port by port and then the unknowns. At most `room` are written; returns how
 * many there are. */
size_t map_inputs(const LiederClassDef *def, const uint32_t *at, bool reversed, MapRegimes regimes,
                  MapVariable *to, size_t room);
size_t map_outputs(const LiederClassDef *def, const uint32_t *at, bool reversed, MapRegimes regimes,
                   MapVariable *to, size_t room);

/* outward, then inward block, as far as there are any */
void map_run(const LiederKernels *k, bool reversed, const uint32_t *at, const LiederStrip *strip);

/* an output of the first lane of a record */
static inline double map_read(const double *record, size_t lanes, const MapVariable *v)
{
    double sum = 0;
    for (int g = 0; g < v->regimes; g++)
        sum += record[(v->place + (uint32_t)(g * v->stride)) * lanes];
    return sum;
}

/* ------------------------------------------------------------------ a class alone */

/* Where the struct and the ports of a class stand in a record of their own; at[] has
 * class_at_length. Returns the reals of the record, of which the first is the alarm. */
size_t class_lay_out(const LiederClassDef *def, const LiederKernels *k, uint32_t *at);
static inline size_t class_at_length(const LiederClassDef *def)
{
    return LIEDER_AT_PORT + LIEDER_PER_PORT * (size_t)def->nport;
}
/* writes a small table wherever a parameter is one, in nvec records of nreal reals */
void class_fill_tables(const LiederClassDef *def, const uint32_t *at, double *records, size_t nvec,
                       size_t nreal, size_t lanes);

/* the next number of a sequence, between 0 and 1 */
static inline double random_unit(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

#endif
