/* mechanics.h - port types of dialectic mechanics.
 *
 * Signals are the elastic position and the kinetic velocity: functions of the states. Potentials
 * are the elastic velocity and the kinetic acceleration: linear in the unknown accelerations.
 * Flows are forces, one share per regime. Flow is positive into the component.
 */
#ifndef LIEDER_MECHANICS_H
#define LIEDER_MECHANICS_H

#include <lieder/component.h>

/* One dimension. Translation and rotation share the type, so that a spring is written once;
 * the domains below give the variables their names: s, v, v_el, a, f_el, f_ki or
 * phi, w, w_el, z, tau_el, tau_ki. */
typedef struct Flange {
    real s, v;       /* position, kinetic velocity */
    real v_el, a;    /* elastic velocity, kinetic acceleration */
    real f_el, f_ki; /* elastic and kinetic force */
} Flange;
enum {
    Flange_NS = 2,
    Flange_NP = 2,
    Flange_NF = 1,
    Flange_NR = 2,
    Flange_INERTIAL = 1 << 1,
    Flange_BASIC = 0
};

typedef struct Wrench {
    real fx, fy, t;
} Wrench;

/* The plane. */
typedef struct Frame {
    real x, y, phi, vx, vy, w;          /* elastic pose, kinetic velocity */
    real vx_el, vy_el, w_el, ax, ay, z; /* elastic velocity, kinetic acceleration */
    Wrench el, ki;                      /* elastic and kinetic force and torque */
} Frame;
enum {
    Frame_NS = 6,
    Frame_NP = 6,
    Frame_NF = 3,
    Frame_NR = 2,
    /* the lever turns with the elastic angle: its rate is inertial, too */
    Frame_INERTIAL = 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5,
    /* angle and angular velocity: all that links need of each other */
    Frame_BASIC = 1 << 2 | 1 << 5
};

extern const LiederDomain lieder_translational, lieder_rotational, lieder_planar;

#endif
