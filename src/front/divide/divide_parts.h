/* divide_parts.h - a model that is being divided, shared by divide.c and divide_choose.c. */
#ifndef LIEDER_FRONT_DIVIDE_PARTS_H
#define LIEDER_FRONT_DIVIDE_PARTS_H

#include "front/instance/semantic.h"

enum {
    MAX_PORTS = 4,   /* of a component */
    MAX_DOMAINS = 3, /* of a model */
    MAX_TRIES = 100000
};

/* a way in which the ports of a class can be used */
typedef struct PortUse {
    uint64_t out; /* ports that lead outward */
    size_t nstate;
    bool begun; /* the text gives the start values of all states */
    bool hangs;
} PortUse;

typedef struct DividedPart {
    Member *member;
    Inst *child;
    Inst *ports[MAX_PORTS];
    int nport, domain[MAX_PORTS]; /* by port */
    uint32_t first_port;          /* in Divide.ports */
    VEC(PortUse) ways;
    size_t way; /* chosen */
} DividedPart;

/* connectors with the same variables */
typedef struct DividedDomain {
    Inst *connector; /* one of them */
    int nflow;
    uint32_t order;
    const char *name;
    const LiederDomain *made;
} DividedDomain;

/* a port of an element, and the set of connected ports it is in */
typedef struct DividedPort {
    uint32_t part, port, element, set;
} DividedPort;

typedef struct Divide {
    Front *f;
    Inst *model;
    VEC(DividedPart) parts;
    DividedDomain domains[MAX_DOMAINS];
    int ndomain;
    VEC(DividedPort) ports;
    VEC(uint32_t) patterns; /* sets of (part, port), see find_patterns; each ended by UINT32_MAX */
    size_t ntry;
    bool failed;
} Divide;

/* divide_choose.c: one way for each part, so that every set of connected ports has one that drives
 * it; false: there is none */
bool divide_choose(Divide *d);

#endif
