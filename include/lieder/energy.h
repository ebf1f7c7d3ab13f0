/* energy.h - where the energy of a mechanical system is, and what has taken it.
 *
 * Dialectic mechanics joins positions and velocities by a filter with the time constant T_D, and
 * the filter takes energy. With elastic velocities v_el = v + T_D z and kinetic velocities v,
 *
 *   kinetic + potential + dissipated + filter - supplied = constant
 *
 * of bodies (kinetic velocities), of gravity and springs (elastic positions), of dampers and
 * friction, of the filter, of sources. See docs/guide/contact.md for what it means and
 * src/model/system/energy.c for the formulas. */
#ifndef LIEDER_ENERGY_H
#define LIEDER_ENERGY_H

#include <lieder/lieder.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In J; the last three since the start of a run. */
typedef struct LiederEnergy {
    double kinetic, potential;
    double dissipated; /* by dampers and friction, and what events took */
    double filter;     /* by the filter of dialectic mechanics */
    double supplied;   /* by sources, prescribed motion, and whatever has equations of its own */
} LiederEnergy;

/* At a moment: kinetic and potential in J, the other three as powers in W. All zero for a system
 * without mechanics. What failed is in the diagnostics of the session. */
LiederStatus lieder_system_energy(LiederSystem *system, double t, const double *x,
                                  LiederEnergy *energy);

/* whether some part of the system has mechanical ports */
bool lieder_system_has_energy(LiederSystem *system);

/* Classes with mechanical ports and equations of their own that declare no energies: the work that
 * they take or give counts as supplied. The index-th name, or NULL at the end. */
const char *lieder_system_unmeasured(LiederSystem *system, size_t index);

#ifdef __cplusplus
}
#endif
#endif
