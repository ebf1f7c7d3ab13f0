/* summary.h - what a reader wants to know about a class made of equations: lieder show. Knows no
 * other header of this folder, so that anyone can read it. */
#ifndef LIEDER_EQUATION_SUMMARY_H
#define LIEDER_EQUATION_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* how equations that depend on each other were solved */
typedef enum CellSolution {
    SOLVED_SYMBOLIC, /* eliminated: assignments are left */
    SOLVED_LINEAR,   /* a linear system is left that is solved where the class runs */
    SOLVED_ITERATED  /* an iteration is left */
} CellSolution;

typedef struct CellStateSummary {
    const char *name, *why;
    const char *instead;         /* what the text prefers most of the others, or NULL */
    uint32_t ntied, nconstraint; /* it is one of so many that hang together by so many equations */
} CellStateSummary;

typedef struct CellSystemSummary {
    uint32_t nequation, nleft; /* before and after elimination or tearing */
    CellSolution solution;
    bool is_constant;     /* a linear system whose coefficients never change */
    bool is_sparse;       /* few of its coefficients are there, and the order of pivots is known */
    uint32_t nentry;      /* coefficients that are there */
    const char *variable; /* one of those solved for */
    size_t times;         /* equal ones, one after the other */
} CellSystemSummary;

/* a component of the library that was merged into the class */
typedef struct CellPart {
    const char *path, *class_name; /* "rod.half_a.", with the dot behind it */
} CellPart;

/* equations that stayed a loop, for all elements of an array; see family.h */
typedef struct CellLoopSummary {
    const char *name; /* what it computes: "der(x[2:1000])" */
    const char *kind; /* "lanes", "sweep", "sum" */
    size_t nturn;
} CellLoopSummary;

typedef struct CellSummary {
    const char *name, *role; /* "leaf", "link", "root", or "alone" without ports */
    const char *merged, *merged_why;
    size_t nmerged, nvariable, nequation, ndifferentiated, nport;
    size_t nunknown; /* that the linear group around it decides */
    size_t nkept;    /* constraints that hold by their derivatives, see cell.h */
    const CellStateSummary *states;
    const CellSystemSummary *systems;
    size_t nstate, nsystem;
    const CellPart *parts;
    size_t npart;
    const CellLoopSummary *loops; /* of a class whose code does not grow with its arrays, or NULL */
    size_t nloop, npoint;         /* and equations apart from loops */
    size_t nelement;              /* its states, of which `states` has each array once */
    size_t ncode;                 /* instructions, loads and stores */
} CellSummary;

#endif
