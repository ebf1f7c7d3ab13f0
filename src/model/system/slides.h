/* slides.h - choices of lanes that slide along the surface of a crossing: see solve/events/slide.c,
 * which computes such lanes, and variables/observer.c, which mixes their variables. */
#ifndef LIEDER_MODEL_SLIDES_H
#define LIEDER_MODEL_SLIDES_H

#include <stdbool.h>

/* The part of side 1 is added to each. The first is the crossing that slides; others of the lane
 * with the same surface go with it or, if their value has the other sign, against it. Blocks read
 * any of these as 1. */
#define LIEDER_HELD_SURFACE   2.0 /* it does not slide: its class holds it there */
#define LIEDER_SLIDES         4.0
#define LIEDER_SLIDES_WITH    6.0
#define LIEDER_SLIDES_AGAINST 8.0

static inline bool slides(double choice)
{
    return choice >= LIEDER_SLIDES && choice < LIEDER_SLIDES_WITH;
}

/* a choice as it is on one side of the surface */
static inline double choice_on_side(double choice, int side)
{
    if (choice < LIEDER_SLIDES)
        return choice;
    return choice < LIEDER_SLIDES_AGAINST ? side : 1 - side;
}

#endif
