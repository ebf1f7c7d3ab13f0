/* lu.h - sparse LU factors with pivoting that allocate nothing while they are made: see lu.c. */
#ifndef LIEDER_MODEL_LU_H
#define LIEDER_MODEL_LU_H

#include <stdbool.h>
#include <stdint.h>

#include <lieder/lieder.h>

/* Pattern and order of a square matrix, column by column: constant, and shared by all threads. */
typedef struct LuPlan {
    const LiederAllocator *alloc;
    int n, nblock;
    const int *columns, *rows; /* owned by the caller */
    const int *row_order;      /* by position: row; and the inverse */
    const int *row_position;
    const int *column_order; /* by position: column */
    const int *block;        /* first position of each diagonal block; nblock + 1 */
    size_t most;             /* room for the entries of L and of U */
    /* entries above the diagonal blocks, by the position of their column */
    const int *above_first; /* n + 1 */
    const int *above;       /* which of the matrix */
    void *arrays;           /* all of them, from row_order on */
    size_t bytes;
} LuPlan;

/* The entries of L or U, column by column. */
typedef struct LuFactor {
    uint32_t *first; /* by step; n + 1 */
    int *rows;       /* steps; ascending dependences, not ascending numbers */
    double *values;
    size_t n, room, room_rows; /* room: for values */
} LuFactor;

/* in Lu.passed: the column has its preferred row; it has another one, the preferred one is zero */
enum { LU_OWN = -1, LU_OTHER = -2 };

/* Factors, and what a thread needs to make them and to solve with them. */
typedef struct Lu {
    const LuPlan *plan;
    LuFactor lower, upper; /* without the diagonals: that of L is one */
    double *pivot;         /* diagonal of U, by step */
    double *scale;         /* by row: rows are scaled to a largest entry of one */
    int *pivot_row;        /* by step: position of the row that was chosen; and the inverse */
    int *step;
    double *above;             /* scaled, in the order of the plan */
    double *x, *y;             /* one column, or right-hand side, by position or step */
    int *stack, *begun, *seen; /* of the search, by position */
    int *diagonal, *owner;     /* the preferred row of a column, and the inverse */
    int *passed;               /* by step: the step of the preferred row that was passed over, or
                                  above */
    bool complete;             /* there are factors, whose pivots are tried first */
    void *block;               /* that holds the arrays */
    size_t bytes;
} Lu;

typedef enum LuStatus { LU_DONE, LU_SINGULAR, LU_NO_MEMORY } LuStatus;

LuStatus lu_plan_create(LuPlan *plan, int n, const int *columns, const int *rows,
                        const LiederAllocator *alloc);
void lu_plan_drop(LuPlan *plan);
LuStatus lu_create(Lu *lu, const LuPlan *plan);
void lu_drop(Lu *lu);
/* *column: the one without a pivot, if singular */
LuStatus lu_factor(Lu *lu, const double *values, int *column);
/* b becomes the solution */
void lu_solve(Lu *lu, double *b);
/* Of a network: a pivot with a smaller share of the largest entry of its column is rounding. */
#define LU_SMALLEST_PIVOT 1e-15
/* The column of a pivot that is at most `least` times the largest entry of its column, or -1. */
int lu_lost_pivot(const Lu *lu, const double *values, double least);

#endif
