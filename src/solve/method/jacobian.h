/* jacobian.h - the block diagonal Jacobian of a system by differences: see jacobian.c,
 * pattern.c. */
#ifndef LIEDER_SOLVE_JACOBIAN_H
#define LIEDER_SOLVE_JACOBIAN_H

#include "solve/run/team.h"

/* Compressed columns of the whole system; the blocks of lanes do not meet. */
typedef struct Jacobian {
    Team *team;
    const LiederAllocator *alloc;
    size_t n, nonzeros;
    VEC(struct JacobianShape {
        size_t ncolour;
        uint32_t *colour; /* by state */
        uint32_t *column; /* by state, and the end: first in row */
        uint32_t *row;
        size_t nrow;
        uint32_t *rank; /* guests: by lane and row, where it stands in its column of the whole */
        size_t nrank;
    })
    shapes;
    int64_t *columns;                      /* of the whole: n + 1 */
    double *moved, *base, *changed, *step; /* n each */
    double *noise; /* by state: the most that rounding of states makes in its derivative, so far */
    size_t count, evaluations;
} Jacobian;

LiederStatus pattern_find(Jacobian *j, uint32_t shape, double t, const Moment *moment,
                          const double *x); /* pattern.c: of one shape */
LiederStatus jacobian_create(Jacobian *j, Team *team, double t, const Moment *moment,
                             const double *x);
void jacobian_drop(Jacobian *j);
/* pattern: columns n + 1, rows nonzeros, sorted */
void jacobian_pattern(const Jacobian *j, int64_t *columns, int64_t *rows);
/* by what a state is moved */
double jacobian_step(double x, double nominal);
/* values in the order of the pattern; dx = f(t, x) is known */
LiederStatus jacobian_evaluate(Jacobian *j, double t, const Moment *moment, const double *x,
                               const double *dx, double *values);

#endif
