/* rk.h - fixed steps of explicit Runge-Kutta methods: see rk.c. */
#ifndef LIEDER_SOLVE_RK_H
#define LIEDER_SOLVE_RK_H

#include "solve/method/butcher.h"
#include "solve/run/team.h"

/* Fixed steps first ... first + n - 1 of the grid origin + i h, in place. On failure x is
 * undefined, and `good` is the number of steps that all lanes survived. */
typedef struct RkSteps {
    LiederSolver solver;
    double origin, h;
    size_t first, n;
    double *x;
    size_t good;
    const Moment *moment;  /* choices and memory; its event time is not read */
    StopCheck *stop_check; /* or NULL; LIEDER_STOPPED leaves x undefined */
    /* the first step whose last stage stands far from its end, of a lane whose linear group may be
     * singular: step + 1, shape and lane in 16, 16 and 32 bits; 0: there is none */
    uint64_t apart;
} RkSteps;
LiederStatus rk_run(Team *team, RkSteps *steps);
/* repeats the step after steps->good from steps->x, the state there, and reports what is wrong */
LiederStatus rk_explain(Team *team, const RkSteps *steps, LiederStatus failure);
/* steps of one lane alone, in place in steps->x, with the bits that it has among others; the slope
 * k of a lane at x, with jumps decided for `decided` */
LiederStatus rk_lane_steps(LiederSystem *system, SystemShape *ss, size_t lane, RkSteps *steps);
LiederStatus rk_lane_slope(LiederSystem *system, SystemShape *ss, size_t lane, double t,
                           double decided, const Moment *moment, double *x, double *k);
ButcherTable rk_table(LiederSolver solver); /* rk1 ... rk4, as they are run */

/* times up to this part of a step behind its start count as its start */
#define STEP_MARGIN 1e-9

#endif
