/* dense.h - small systems of linear equations. */
#ifndef LIEDER_BASE_DENSE_H
#define LIEDER_BASE_DENSE_H

#include <stdbool.h>
#include <stddef.h>

/* A x = b by elimination with row exchange, in place: row i of A is a[i * stride] ... and b_i is
 * b[i * b_stride], which becomes x_i. False: column *bad has no pivot. */
bool dense_solve(size_t n, double *a, size_t stride, double *b, size_t b_stride, size_t *bad);

#endif
