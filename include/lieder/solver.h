/* solver.h - the table of solvers. The enum, the names, the help, the checks of options and the
 * stability analysis are made of it; test/solve/test_solver.c compares Butcher tables, completions,
 * manual and documents with it.
 *
 * A new solver is one row here and its code in src/solve. State files hold the number of a solver:
 * add rows at the end.
 *
 *   X(constant, name, order, stages, steps, kind, text)
 *     order   of the method; of a multistep method its highest order
 *     stages  of a one-step method; 0: a multistep method, whose order changes from 1 to `order`
 *     steps   FIXED: of the size `step`; ADAPTIVE: chosen by `tolerance`
 *     kind    EXPLICIT or IMPLICIT */
#ifndef LIEDER_SOLVER_H
#define LIEDER_SOLVER_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
#define LIEDER_SOLVERS(X)                                                                          \
    X(RK1,            "rk1",            1, 1, FIXED,    EXPLICIT, "Euler")                         \
    X(RK2,            "rk2",            2, 2, FIXED,    EXPLICIT, "Heun")                          \
    X(RK3,            "rk3",            3, 3, FIXED,    EXPLICIT, "Kutta")                         \
    X(RK4,            "rk4",            4, 4, FIXED,    EXPLICIT, "classical Runge-Kutta")         \
    X(EULER_BACKWARD, "euler-backward", 1, 1, FIXED,    IMPLICIT, "backward Euler")                \
    X(ESDIRK23,       "esdirk23",       2, 3, ADAPTIVE, IMPLICIT, "singly diagonally implicit Runge-Kutta, L-stable") \
    X(BDF,            "bdf",            5, 0, ADAPTIVE, IMPLICIT, "backward differentiation formulas") \
    X(RK45,           "rk45",           5, 6, ADAPTIVE, EXPLICIT, "Runge-Kutta of Dormand and Prince") \
    X(RODAS4,         "rodas4",         4, 6, ADAPTIVE, IMPLICIT, "Rosenbrock, L-stable, for stiff models")
/* clang-format on */

typedef enum LiederSolver {
    LIEDER_SOLVER_AUTO, /* the run chooses one */
#define LIEDER_SOLVER_CONSTANT(constant, ...) LIEDER_##constant,
    LIEDER_SOLVERS(LIEDER_SOLVER_CONSTANT)
#undef LIEDER_SOLVER_CONSTANT
        LIEDER_SOLVER_COUNT
} LiederSolver;

typedef struct LiederSolverInfo {
    const char *name, *text;
    int order, stages; /* 0 for auto */
    bool adaptive, implicit;
} LiederSolverInfo;

/* a row of the table; for a number outside it the name is "unknown" and the rest 0 */
const LiederSolverInfo *lieder_solver_info(LiederSolver solver);
const char *lieder_solver_name(LiederSolver solver); /* "rk4", "euler-backward" ... */
const char *lieder_solver_names(void);               /* "rk1, rk2, ...", without auto */
bool lieder_solver_find(const char *name, LiederSolver *solver);

#ifdef __cplusplus
}
#endif
#endif
