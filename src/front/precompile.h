/* precompile.h - classes of the library that are compiled when the project is built. */
#ifndef LIEDER_FRONT_PRECOMPILE_H
#define LIEDER_FRONT_PRECOMPILE_H

#include "equation/class/class.h"
#include "front/front.h"

/* the bits of the basic signals of a port of this domain, see lieder/mechanics.h */
typedef unsigned BasicSignals(const LiederDomain *domain);

/* The class "Dialectic.Planar.Body", to be called "Planar.Body", for all numbers of its parameters;
 * to be destroyed. NULL: what is wrong is in the diagnostics of the session. */
CellClass *front_precompile(Front *f, const char *class_name, const char *name,
                            BasicSignals *basic);

#endif
