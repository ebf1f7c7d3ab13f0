/* kinds.h - kinds of variables of an FMU, for the exporter as for the FMU. */
#ifndef LIEDER_FMU_KINDS_H
#define LIEDER_FMU_KINDS_H

typedef enum FmuKind {
    FMU_TIME,
    FMU_CONSTANT,   /* place: in fmu_constants */
    FMU_SLOT,       /* parameters and inputs; place: slot of the shape */
    FMU_STATE,      /* place: state of the shape */
    FMU_DERIVATIVE, /* place: state of the shape */
    FMU_RECORD,     /* place: in the full record */
    FMU_LANES       /* how many lanes there are: a structural parameter */
} FmuKind;

typedef enum FmuMemoryKind { FMU_NUMBER, FMU_TIMER, FMU_PAST, FMU_GUESS } FmuMemoryKind;

typedef enum FmuType { FMU_REAL, FMU_INTEGER, FMU_BOOLEAN, FMU_COUNT } FmuType;

#endif
