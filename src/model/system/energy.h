/* energy.h - the energies of a system at a moment, see include/lieder/energy.h. */
#ifndef LIEDER_MODEL_ENERGY_H
#define LIEDER_MODEL_ENERGY_H

#include <lieder/energy.h>

#include "model/system/system.h"

typedef struct EnergyNow {
    LiederEnergy energy; /* as lieder_system_energy has it */
    double declared;     /* the share of kinetic and potential that classes declare as variables:
                            its change has to be added to the integral of `supplied` */
} EnergyNow;
LiederStatus energy_now(LiederSystem *system, double t, const double *x, EnergyNow *now);

/* the component that holds most potential energy, by its block in C: path and energy; 0: none */
LiederStatus energy_strongest(LiederSystem *system, double t, const double *x, char *name,
                              size_t size, double *energy);

#endif
