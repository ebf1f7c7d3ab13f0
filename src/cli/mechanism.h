/* mechanism.h - the components of a system that can be drawn, and where they are: for draw and
 * view.
 *
 * symbol.c says which classes have a symbol. An observer gives the poses of their ports at (t, x).
 * Elements of one dimension that act along a sliding joint lie in its axis.
 */
#ifndef LIEDER_CLI_MECHANISM_H
#define LIEDER_CLI_MECHANISM_H

#include <lieder/variables.h>

#include "base/memory.h"
#include "picture/picture.h"

enum { MECHANISM_NO_JOINT = -1 };

/* elements of arrays of components, from 0, rising */
typedef VEC(size_t) Lanes;

/* a component that is drawn */
typedef struct DrawnPart {
    SymbolPart drawn;
    LiederElement element;
    const char *path; /* inside the class of the element: "rod.half_a."; usually "" */
    size_t at;        /* its first observed value: x, y, phi for a frame, s for a flange */
    ptrdiff_t joint;  /* the sliding joint along which it acts, or MECHANISM_NO_JOINT */
    double mass;
} DrawnPart;

typedef struct Mechanism {
    LiederSystem *system;
    LiederObserver *observer;
    double *observed;
    VEC(DrawnPart) parts;
    size_t nall; /* parts of all lanes, chosen or not */
    bool planar; /* there are frames */
    bool failed; /* memory */
} Mechanism;

typedef enum MechanismStatus {
    MECHANISM_DONE,
    MECHANISM_EMPTY,     /* nothing can be drawn */
    MECHANISM_TOO_LARGE, /* more parts than the limit */
    MECHANISM_NO_MEMORY
} MechanismStatus;

/* lanes NULL: all. mechanism_close is due in any case. */
MechanismStatus mechanism_open(Mechanism *m, LiederSystem *system, size_t max_parts,
                               const Lanes *lanes);
void mechanism_close(Mechanism *m);
/* all poses at (t, x); false: the system cannot be evaluated there */
bool mechanism_place(Mechanism *m, double t, const double *x);
/* the variable that has number 0 to 2 of the pose of a port, s of a flange; returns name */
const char *mechanism_pose_name(const DrawnPart *part, int port, int number, char *name,
                                size_t size);
/* the node that a port of a part is connected to: ports of one node have one pose */
uint32_t mechanism_node(Mechanism *m, const DrawnPart *p, const char *port);
/* the point of a sliding joint's axis with this coordinate */
SymbolPose mechanism_on_axis(const SymbolPart *joint, double s);

#endif
