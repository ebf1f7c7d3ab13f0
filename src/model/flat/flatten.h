/* flatten.h - from a model as written to native instances, parameter values and nodes.
 *
 * Instances live on sheets. A sheet stands for nlane equal copies of itself: an array of models
 * that no connection reaches into gets a sheet of its own with one lane per element, so a fleet of
 * a million costs what one costs. Everything else is expanded element by element. A sheet has
 * one axis for each such array around it; the lane number counts the last axis fastest.
 *
 * The instances of a declaration have neighbouring numbers and are kept as one entry, however many
 * they are; sheet_instance computes one of them. In a net that ranks share (split.h) all ranks
 * number all instances, so that names and handles are the same everywhere; a rank makes ports and
 * slots for those that it holds, in their order.
 */
#ifndef LIEDER_MODEL_FLATTEN_H
#define LIEDER_MODEL_FLATTEN_H

#include <lieder/variables.h>

#include "model/description/model.h"

enum { MAX_AXES = 8, NOWHERE = 0xffffffffu };

typedef struct Scope {            /* one instance of a model (for all lanes of its sheet) */
    const LiederClass *class_;    /* model or template */
    LiederModel *model;           /* what it contains */
    uint32_t parent, declaration; /* the scope around it, and where its model declares this one */
    int32_t index;                /* in its array: from 0, -1 for a scalar, -2 - axis for a lane */
    uint32_t sheet;
    uint32_t environment_sheet, environment; /* the instance of an environment, or NOWHERE */
    bool spare;
    uint32_t *first; /* by declaration: first instance, or first scope */
    size_t nfirst;
} Scope;

/* the native components of one declaration in one scope (for all lanes of its sheet) */
typedef struct InstanceRow {
    const LiederClass *class_;
    uint32_t scope, declaration;                 /* in the model of the scope */
    uint32_t first;                              /* number of its first instance */
    uint32_t first_held, first_port, first_slot; /* of the first that is held here or later */
    bool array, spare;
} InstanceRow;

/* instances one after the other that this rank holds and that have one owner */
typedef struct HeldRun {
    uint32_t first, n;
    uint32_t before; /* instances that are held before them */
    uint16_t owner;  /* as in Instance */
} HeldRun;
typedef VEC(HeldRun) HeldRuns;

typedef struct Instance { /* one of them */
    const LiederClass *class_;
    uint32_t scope, declaration;
    int32_t index;                   /* -1: no array */
    uint32_t number;                 /* among all instances of the sheet: handles have it */
    uint32_t held;                   /* among those held here; NOWHERE: it is not, */
    uint32_t first_port, first_slot; /* and these are NOWHERE, too */
    uint16_t owner;                  /* 1 + its rank in a net that ranks share, else 0 */
    bool spare;
} Instance;

static inline bool instance_is_held(const Instance *in)
{
    return in->held != NOWHERE;
}

typedef struct Sheet {
    size_t naxis, axis[MAX_AXES], nlane;
    VEC(InstanceRow) rows;
    uint32_t ninstance, nheld;
    HeldRuns held;             /* of a net that ranks share; empty: all are held */
    VEC(uint32_t) port_parent; /* union-find over the ports of all instances */
    VEC(uint32_t) port_held;   /* by port: its instance, as Instance.held */
    VEC(double) value;         /* by slot */
    VEC(uint8_t) is_set;
    VEC(uint8_t) is_bound; /* by slot, see model_bind; empty where there is none */
    /* by slot and StateAttribute: the slot of its number + 1, or 0; empty until one is given */
    VEC(uint32_t) attribute_of;
    VEC(uint32_t) lanes_of;    /* by slot: position in `lanes` + 1, or 0 */
    VEC(NumberList *) lanes;   /* nlane values of a slot that differs between the lanes, or NULL */
    VEC(LiederTable *) tables; /* value[slot] is then the position here */
} Sheet;

typedef struct Flat {
    Lieder *session;
    VEC(Scope) scopes;
    VEC(Sheet) sheets;
    LiederStatus status; /* LIEDER_NO_MEMORY once something could not be stored */
    size_t nwrong;
} Flat;

/* held: the instances of a net that this rank holds, which flat takes over; empty: all of them */
LiederStatus flatten(Flat *flat, Lieder *session, const LiederClass *root, HeldRuns *held);
/* Once shapes have copied the numbers that they need: frees all but names, places, tables and the
 * numbers of environments. */
bool flat_settle(Flat *flat);               /* false: no memory */
bool flat_has_attributes(const Flat *flat); /* before that: some state has one */
void flat_drop(Flat *flat);

Instance sheet_instance(const Sheet *sheet, uint32_t number);
Instance sheet_held(const Sheet *sheet, uint32_t held); /* by its number among those held */
/* the first instance from `number` on that is held, or ninstance */
uint32_t sheet_next_held(const Sheet *sheet, uint32_t number);
/* Appends n instances of a row, of which class, scope, declaration and bools are given, with ports
 * and slots for those that are held. False: no memory, or more than can be counted. */
bool sheet_add_row(Sheet *sheet, InstanceRow row, size_t n, const LiederAllocator *alloc);
uint32_t sheet_node(Sheet *sheet, uint32_t port); /* representative of its connection set */
/* the declarations that scopes and instances come from */
static inline const Declaration *scope_declaration(const Flat *flat, const Scope *s)
{
    return &flat->scopes.items[s->parent].model->declarations.items[s->declaration];
}
static inline const Declaration *instance_declaration(const Flat *flat, const Instance *in)
{
    return &flat->scopes.items[in->scope].model->declarations.items[in->declaration];
}

double sheet_value(const Sheet *sheet, uint32_t slot, size_t lane);
NumberList *sheet_lanes(const Sheet *sheet, uint32_t slot); /* if they differ, else NULL */
/* NaN: it is not given */
double sheet_attribute(const Sheet *sheet, uint32_t slot, StateAttribute attribute, size_t lane);

/* "crab[3].cart" into buffer; lane counts within the sheet */
char *flat_path(const Flat *flat, uint32_t sheet, uint32_t instance, size_t lane, char *buffer,
                size_t size);
/* component and port of a path, which may lead through an exposed port; false with a diagnostic */
bool flat_find_port(Flat *flat, const char *path, LiederElement *at, int *port);
size_t flat_bytes(const Flat *flat);

#endif
