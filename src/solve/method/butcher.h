/* butcher.h - the tables of one-step methods, as they are run. */
#ifndef LIEDER_SOLVE_BUTCHER_H
#define LIEDER_SOLVE_BUTCHER_H

#include <lieder/simulate.h>

/* Butcher table of a one-step method; diagonally implicit at most. A Rosenbrock method has its
 * matrix of the linear part in a, and alpha where f is evaluated. */
enum { MAX_STAGES = 8 };
typedef struct ButcherTable {
    int nstage, order;
    double a[MAX_STAGES][MAX_STAGES], b[MAX_STAGES], c[MAX_STAGES];
    bool rosenbrock;
    double alpha[MAX_STAGES][MAX_STAGES];
} ButcherTable;

/* solver.c: of a solver that has stages */
ButcherTable solver_table(LiederSolver solver);
/* explicit with fixed steps: strip by strip, by rk.c */
bool solver_steps_explicitly(LiederSolver solver);

#endif
