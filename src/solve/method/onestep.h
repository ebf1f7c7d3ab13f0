/* onestep.h - steps of rk45 and rodas4 over lanes that have times and steps of their own.
 *
 * A block is n states of `width` lanes, state by state: state s of lane l is x[s * width + l].
 * Every function here works on each lane by itself: no number of a lane depends on another lane, on
 * the width or on the instruction set. One clock for a whole system is a block of one row, whose
 * lanes all have the same step (oneclock.c); clocks.c has a block per strip. */
#ifndef LIEDER_SOLVE_ONESTEP_H
#define LIEDER_SOLVE_ONESTEP_H

#include "solve/method/butcher.h"
#include "solve/judge/glance.h"
#include "solve/run/team.h"

enum { ONESTEP_SLOPES = 7 };

/* a trial step: from x to y, with what lies between */
typedef struct Trial {
    size_t n, width;
    const double *h; /* by lane */
    double *x, *y;
    double *k[ONESTEP_SLOPES]; /* rk45: slopes, the last one at y; rodas4: f at x, then u1 ... u6 */
} Trial;

/* rk45: writes the state of stage 1 ... 6 (the first one is 0); that of stage 6 is y itself */
void rk45_stage(const Trial *b, int stage, double *to);
double rk45_time(int stage); /* as a part of the step */
/* |h lambda| of every lane for the fastest part of the motion, from the last two stages, both at
 * the end of the step: the states `stage` of stage 5, and y */
#define RK45_EDGE 3.25 /* in a step that the error decides it is well below */
void rk45_stiffness(const Trial *b, const double *stage, const double *nominal, double *product);

/* rodas4: writes the state of stage 1 ... 5 (the first one is 0), and the right side of its linear
 * system; f, f_t: derivatives there and df/dt, NULL: 0 */
void rodas4_stage(const Trial *b, int stage, double *to);
void rodas4_right(const Trial *b, int stage, const double *f, const double *f_t, double *to);
double rodas4_time(int stage);
/* The curve between x and y at a part of the step: state and slope there. Its defect is the slope f
 * of the model less its own; 4/h I - J times `off` is the defect. It raises errors; tolerance: of a
 * step. */
#define RODAS4_CURVE 0.25
typedef struct CurveDefect {
    const double *f, *defect, *off;
    bool modes; /* are held */
} CurveDefect;
void rodas4_curve(const Trial *b, double *x, double *slope);
void rodas4_curve_error(const Trial *b, const CurveDefect *d, double tolerance,
                        const double *nominal, double *error);
/* what multiplies the unit matrix, for a step of 1 */
#define RODAS4_DIAGONAL 4.0

/* The error of a trial step in units of what is allowed: by lane the largest one over its states,
 * relative to tolerance (nominal + |x|); infinite where something is not finite. nominal NULL: 1.
 */
void onestep_error(LiederSolver solver, const Trial *b, double tolerance, const double *nominal,
                   double *error);
/* the state of one lane at a part 0 ... 1 of the step; its slope there, per step */
void onestep_between(LiederSolver solver, const Trial *b, size_t lane, double part, double *x,
                     size_t stride);
void onestep_slope_between(LiederSolver solver, const Trial *b, size_t lane, double part,
                           double *slope, size_t stride);

/* raises size[lane] to the largest |v| / (tolerance (nominal + |x|)) of the lane */
void onestep_sizes(size_t n, size_t width, const double *v, const double *x, double tolerance,
                   const double *nominal, double *size);
/* The first step (Hairer, Norsett, Wanner, II.4) from the sizes of x, of f and, after an Euler step
 * of onestep_first_trial, of the change of f. */
double onestep_first_trial(double size_x, double size_f, double longest);
double onestep_first(LiederSolver solver, double trial, double size_f, double size_change,
                     double longest);
/* a step of h, or what is left up to the limit; two steps of about the same size rather than a long
 * and a tiny one */
typedef struct StepPlan {
    double h, end;
    bool cut;
} StepPlan;
StepPlan onestep_plan(double t, double h, double limit);
/* the step after one with this error; repeated: the one before it was rejected */
double onestep_next(LiederSolver solver, StepPlan plan, double h, double error, bool repeated);
/* steps below this part of |t| are given up */
#define ONESTEP_SHORTEST 1e-14
/* Does the time stand still? Where a solution ends, or derivatives are 1e300, steps move the time
 * by rounding only, or by so little that the run to `limit` takes 1e30 of them; after an event a
 * few may be as short. *standing: how many in a row; true from MAX_STANDING on. */
enum { MAX_STANDING = 1000 };
bool onestep_stands_still(size_t *standing, double from, double to, double limit);
/* df/dt = (4 f(t + d) - f(t + 2 d) - 3 f(t)) / 2 d */
double onestep_time_difference(double t, double h);
void onestep_time_slope(size_t n, const double *f, const double *near, const double *far, double d,
                        double *f_t);
/* the state that moves fastest; *rate: its |dx| / (nominal + |x|), -1: there is none; nominal NULL:
 * all are 1 */
size_t onestep_fastest(size_t n, const double *dx, const double *x, const double *nominal,
                       double *rate);
/* reports why a step is not possible, by the state that moves fastest; stands: the time does */
void onestep_report(LiederSystem *system, const char *state, LiederSolver solver, double t,
                    double h, double dx, bool stands);
/* the tolerance of a step, for a run that shall be right to `tolerance`; the finest one of a run */
double onestep_tolerance(LiederSolver solver, double tolerance);
double onestep_finest(LiederSolver solver);
ButcherTable onestep_table(LiederSolver solver);

/* LU of one n x n matrix per lane, a[(r * n + c) * width + lane], with pivots chosen by each lane;
 * a lane whose matrix is singular gets solutions that are not finite. */
void lanes_factorise(double *a, uint32_t *pivots, size_t n, size_t width);
void lanes_solve(const double *a, const uint32_t *pivots, size_t n, size_t width, double *b);

/* ------------------------------------------------------------------ oneclock.c */

/* subsystems with more states are sparse matrices */
enum { DENSE_STATES = 64 };
bool solver_blocks_are_small(const LiederSystem *system);
/* some component reads the time */
bool solver_sees_time(const LiederSystem *system);
/* some crossing of the shape chooses the equations that it is computed from */
bool solver_holds_modes(const SystemShape *ss);

/* rk45 and rodas4 with one clock for all lanes; the functions are as those of implicit.h */
typedef struct OneClock OneClock;
OneClock *oneclock_create(Team *team, LiederSolver solver, double tolerance, double longest,
                          const Glances *glances, double t, const Moment *moment, const double *x);
void oneclock_destroy(OneClock *c);
double oneclock_tolerance(const OneClock *c);
LiederStatus oneclock_restart(OneClock *c, double t, const double *x);
LiederStatus oneclock_step(OneClock *c, double limit, double *t, double *x);
void oneclock_between(OneClock *c, double t, double *x);
void oneclock_slope_between(OneClock *c, double t, double *slope);
const double *oneclock_noise(const OneClock *c);
void oneclock_statistics(const OneClock *c, LiederStatistics *statistics);
size_t oneclock_limits(const OneClock *c, size_t state); /* how often it limited the step */

#endif
