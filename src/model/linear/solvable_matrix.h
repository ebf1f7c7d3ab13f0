/* solvable_matrix.h - small dense matrices for solvable.c: row i, column j at a[i * n + j]. */
#ifndef LIEDER_MODEL_SOLVABLE_MATRIX_H
#define LIEDER_MODEL_SOLVABLE_MATRIX_H

#include <stdbool.h>

enum { SMALL = 32 }; /* rows and columns of what one component maps */

/* Eigenvalues of a symmetric matrix, ascending, and an orthonormal vector for each, in rows, by
 * Jacobi's rotations. `a` is destroyed. */
void symmetric_eigen(double *a, int n, double *values, double *vectors);

/* det(W W^T): 0 if the rows depend on each other; 1 if they are orthonormal */
double gram_determinant(const double *rows, int nrow, int n);

/* solves a x = b for each row b, in place; false: a is singular */
bool solve_rows(const double *a, int n, double *rows, int nrow);

#endif
