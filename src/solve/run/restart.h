/* restart.h - state files: see restart.c. */
#ifndef LIEDER_SOLVE_RESTART_H
#define LIEDER_SOLVE_RESTART_H

#include "solve/events/events.h"

typedef struct Checkpoint {
    LiederSolver solver;
    double t;
    double origin, step, wanted; /* grid of fixed steps: origin + counter * step */
    size_t counter;
    bool synced; /* writing: wait for the disk, which takes milliseconds */
} Checkpoint;

/* x, and choices, crossings, memory and histories of `held`. Writing, all ranks call it together;
 * reading, each overwrites its own numbers. The diagnostics say why a file is refused. */
LiederStatus checkpoint_write(LiederSystem *system, const char *file, const Checkpoint *c,
                              const double *x, Events *held);
LiederStatus checkpoint_read(LiederSystem *system, const char *file, Checkpoint *c, double *x,
                             Events *held);

#endif
