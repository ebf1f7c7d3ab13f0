/* structure_work.h - a change of connections while it is made, see structure.c. */
#ifndef LIEDER_MODEL_STRUCTURE_WORK_H
#define LIEDER_MODEL_STRUCTURE_WORK_H

#include "model/system/system.h"

#define ALLOC SYSTEM_ALLOC(system)

/* a guest that gets lanes */
typedef struct ShapeTarget {
    uint32_t shape; /* of the system */
    size_t nadd;    /* lanes to be added */
    bool made;      /* `fresh` will take its place */
    SystemShape fresh;
} ShapeTarget;

typedef struct Work {
    LiederSystem *system;
    VEC(uint32_t) touched; /* parts */
    Sheet sheet;           /* of them, see shape.h */
    VEC(LiederElement) origin;
    VEC(uint32_t) ring; /* by port of the sheet: the next one of its node */
    Subsystems found;
    VEC(ShapeTarget) targets;
    VEC(uint32_t) target_of; /* by guest: position in targets + 1, or 0 */
    VEC(Seat) leaving;       /* seats of the old subsystems, any component */
    double *stages;
    size_t stage_room;
} Work;

/* the number of a slot at home, of which guests have copies */
static inline double home_value(const LiederSystem *system, const Seat *home, uint32_t slot)
{
    const SystemShape *ss = &system->shapes.items[home->shape];
    const SlotValue *v = slot_of(ss, home->component, slot);
    return v->lanes ? v->lanes[home->lane] : v->value;
}

/* structure_guests.c: finds which guests are needed; then the phases `make` and `commit` */
LiederStatus plan_change(Work *w);
LiederStatus make_guests(Work *w);
void commit_change(Work *w);
/* components that wake up begin with their start values */
void start_woken(Work *w, double *x);

#endif
