/* program_build.h - what the files that make a program share: program_layout.c has places in the
 * record, program.c the lists of ops, program_complement.c what closes loops. */
#ifndef LIEDER_MODEL_PROGRAM_BUILD_H
#define LIEDER_MODEL_PROGRAM_BUILD_H

#include "model/program/program.h"

typedef struct Builder {
    Program *p;
    const Shape *shape;
    const LiederAllocator *alloc;
    uint32_t next;     /* first free real of the record */
    VEC(uint32_t) law; /* by node: where its law stands now, or NOWHERE */
    /* areas that may be used again: (size, place) */
    struct FreeArea {
        uint32_t size, place;
    } free_areas[64];
    size_t nfree;
    VEC(uint8_t) level;    /* by group: 1 if inertial columns suffice */
    VEC(uint8_t) needed;   /* by component: its solve is needed for derivatives */
    VEC(uint8_t) all_read; /* by component: all its outgoing signals are needed */
    VEC(uint8_t) wanted;   /* by component: its explicit block is needed */
    VEC(uint32_t) users;   /* by node: solves that still need its potentials */
    uint32_t unit;         /* of the explicit block at hand, else 0 */
    bool failed;
} Builder;

/* an area of the record, one that was given back if there is one of this size */
uint32_t area_take(Builder *b, uint32_t size);
void area_give_back(Builder *b, uint32_t place, uint32_t size);
/* the entry of a component's at[] for signals, potentials, law or flows of a port */
uint32_t *builder_port(Builder *b, uint32_t component, int port, int what);
/* whether a group gets a complement */
bool group_has_loops(const Builder *b, int group);
/* A copy of at[] of a component for one op, since places of laws and potentials change from op to
 * op. */
uint32_t freeze_at(Builder *b, uint32_t component);
/* signals, structs, save areas, parameters */
void place_fixed(Builder *b);
/* the loops of a group: elastic elements, the links on their paths, places of the matrix */
void build_complement(Builder *b, int group);

#endif
