/* meter.h - energies along a run: see meter.c. */
#ifndef LIEDER_SOLVE_METER_H
#define LIEDER_SOLVE_METER_H

#include "model/system/energy.h"
#include "solve/method/adaptive.h"

enum { METER_POWERS = 3, METER_NODES = 5 };

/* the powers of dampers, filter and sources at a moment */
typedef struct MeterNode {
    double t, p[METER_POWERS];
} MeterNode;

/* Energies along a run. to NULL: they are not wanted, and all functions return at once. */
typedef struct EnergyMeter {
    LiederSystem *system;
    LiederEnergy *to;
    size_t n;
    double *x;       /* n each: a state that is kept, a scratch, slopes of the stages */
    double t;        /* up to where the powers are summed */
    double work;     /* of sources, without what declared energies did: see EnergyNow */
    double declared; /* at the start */
    double before, declared_before; /* energy of the last row, and what is declared of it */
    /* set by run_adaptive.c: the solver of adaptive steps, whether it is bdf, the tolerance of the
     * run; NULL in fixed steps */
    Adaptive *method;
    bool multistep;
    double tolerance;
    /* multistep: moments whose powers are known, the latest first, and the sums up to the latest */
    MeterNode nodes[METER_NODES];
    double sum[METER_POWERS];
    int nnode, nstep, stride; /* steps since the last node; so many steps are between nodes */
    double since, step;       /* where the last step began, how long the one before was */
    double most;              /* kinetic energy so far */
} EnergyMeter;
LiederStatus meter_create(EnergyMeter *m, LiederSystem *system, LiederEnergy *to);
void meter_drop(EnergyMeter *m);
void meter_begin(EnergyMeter *m, double t, const double *x, const Moment *moment);
/* energies of a row; the powers are summed up to it */
void meter_row(EnergyMeter *m, double t, const double *x, const Moment *moment);
void meter_lose_count(EnergyMeter *m); /* integrals become NaN */
/* the state before a fixed step, and the step from there */
void meter_keep(EnergyMeter *m, const double *x);
void meter_explicit(EnergyMeter *m, Team *team, LiederSolver solver, double t, double h,
                    const Moment *moment);
/* a step of backward Euler that has ended at (t, x) */
void meter_implicit(EnergyMeter *m, double t, double h, const double *x, const Moment *moment);
/* a step of an adaptive solver has ended at (t, x); rows inside it are behind */
void meter_adaptive(EnergyMeter *m, double t, const double *x, const Moment *moment);
/* To what the energy is added that a jump has taken since the last row: dissipated by an event,
 * work of the program that has changed connections, or taken by the filter where a contact is held
 * at its surface. */
typedef enum MeterTaker { TAKEN_BY_EVENT, TAKEN_BY_PROGRAM, TAKEN_BY_FILTER } MeterTaker;
void meter_after(EnergyMeter *m, double t, const double *x, const Moment *moment, MeterTaker taker);

#endif
