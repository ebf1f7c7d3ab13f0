/* divide.h - see divide.c: models of many components with connectors of their own. */
#ifndef LIEDER_FRONT_DIVIDE_H
#define LIEDER_FRONT_DIVIDE_H

#include "front/instance/semantic.h"

/* how the ports of a component are used, if its model is divided */
struct DividedWay {
    uint64_t out; /* ports through which outward variables leave */
    bool hangs;   /* on a root that rests, see equation/class/class.h */
    int domain;   /* of its first port, counted in the model */
};

/* Divides the model if that is worth it and possible: its connectors then are ports of the engine,
 * and the model is composed. Otherwise nothing has changed. */
bool divide_model(Front *f, Inst *inst);
/* roots that rest for the components that hang on one, and connections to them */
void divide_hang(Front *f, Inst *inst);

#endif
