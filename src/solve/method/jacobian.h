/* jacobian.h - the block diagonal Jacobian of a system by differences: see jacobian.c,
 * pattern.c. */
#ifndef LIEDER_SOLVE_JACOBIAN_H
#define LIEDER_SOLVE_JACOBIAN_H

#include "solve/run/team.h"

/* Compressed columns of the whole system, block diagonal: a block for each lane. */
typedef struct Jacobian {
    Team *team;
    const LiederAllocator *alloc;
    size_t n, nonzeros;
    VEC(struct JacobianShape {
        size_t ncolour;
        uint32_t *colour; /* by state of a lane: columns of one colour share no row */
        uint32_t *column; /* by state, and the end: its first entry in `row` */
        uint32_t *row;
        size_t nrow;
        uint32_t *rank; /* of guests: by lane and entry of `row`, its place in its sorted column of
                           the whole; NULL: they are sorted */
        size_t nrank;
    })
    shapes;
    int64_t *columns;                      /* of the whole: n + 1 */
    double *moved, *base, *changed, *step; /* n each */
    double *noise; /* by state: the largest rounding of its derivative so far */
    size_t count;  /* Jacobians so far */
    size_t evaluations; /* of the whole system for one Jacobian: the most colours of a shape */
} Jacobian;

LiederStatus pattern_find(Jacobian *j, uint32_t shape, double t, const Moment *moment,
                          const double *x); /* pattern.c: of one shape */
LiederStatus jacobian_create(Jacobian *j, Team *team, double t, const Moment *moment,
                             const double *x);
void jacobian_drop(Jacobian *j);
/* pattern: columns n + 1, rows nonzeros, sorted */
void jacobian_pattern(const Jacobian *j, int64_t *columns, int64_t *rows);
/* the difference by which a state is moved */
double jacobian_step(double x, double nominal);
/* values in the order of the pattern; dx = f(t, x) is known */
LiederStatus jacobian_evaluate(Jacobian *j, double t, const Moment *moment, const double *x,
                               const double *dx, double *values);

#endif
