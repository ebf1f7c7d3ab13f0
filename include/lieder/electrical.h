/* electrical.h - the port type of electrical networks.
 *
 * A pin has a potential and a current, positive into the component, and no signal. So nothing runs
 * outward from a root: a node is free, its potential is an unknown of the linear group, and the
 * sum of the currents into what is connected there is the equation.
 */
#ifndef LIEDER_ELECTRICAL_H
#define LIEDER_ELECTRICAL_H

#include <lieder/component.h>

typedef struct Pin {
    real v; /* potential */
    real i; /* current into the component */
} Pin;
enum { Pin_NS = 0, Pin_NP = 1, Pin_NF = 1, Pin_NR = 1, Pin_INERTIAL = 1, Pin_BASIC = 0 };

extern const LiederDomain lieder_electrical;

#endif
