/* dense.c - see dense.h. */
#include "base/dense.h"

#include <math.h>

static void exchange_numbers(double *x, double *y)
{
    double swap = *x;
    *x = *y;
    *y = swap;
}

bool dense_solve(size_t n, double *a, size_t stride, double *b, size_t b_stride, size_t *bad)
{
    for (size_t k = 0; k < n; k++) {
        double *pivot = a + k * stride;
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(a[i * stride + k]) > fabs(a[best * stride + k]))
                best = i;
        if (!(fabs(a[best * stride + k]) > 0) || !isfinite(a[best * stride + k])) {
            *bad = k;
            return false;
        }
        for (size_t j = k; j < n && best != k; j++)
            exchange_numbers(&pivot[j], &a[best * stride + j]);
        exchange_numbers(&b[k * b_stride], &b[best * b_stride]);
        for (size_t i = k + 1; i < n; i++) {
            double factor = a[i * stride + k] / pivot[k];
            for (size_t j = k + 1; j < n && factor != 0; j++)
                a[i * stride + j] -= factor * pivot[j];
            b[i * b_stride] -= factor * b[k * b_stride];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            b[k * b_stride] -= a[k * stride + j] * b[j * b_stride];
        b[k * b_stride] /= a[k * stride + k];
    }
    return true;
}
