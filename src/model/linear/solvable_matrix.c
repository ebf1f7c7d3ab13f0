/* solvable_matrix.c - see solvable_matrix.h. */
#include "model/linear/solvable_matrix.h"

#include <math.h>
#include <string.h>

static double dot_rows(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* one rotation that makes a[p][q] zero */
static void rotate(double *a, double *vectors, int n, int p, int q)
{
    double apq = a[p * n + q];
    double theta = (a[q * n + q] - a[p * n + p]) / (2 * apq);
    double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < n; k++) {
        double x = a[k * n + p], y = a[k * n + q];
        a[k * n + p] = c * x - s * y;
        a[k * n + q] = s * x + c * y;
    }
    for (int k = 0; k < n; k++) {
        double x = a[p * n + k], y = a[q * n + k];
        a[p * n + k] = c * x - s * y;
        a[q * n + k] = s * x + c * y;
    }
    for (int k = 0; k < n; k++) {
        double x = vectors[p * n + k], y = vectors[q * n + k];
        vectors[p * n + k] = c * x - s * y;
        vectors[q * n + k] = s * x + c * y;
    }
}

void symmetric_eigen(double *a, int n, double *values, double *vectors)
{
    double size = sqrt(dot_rows(a, a, n * n));
    memset(vectors, 0, (size_t)(n * n) * sizeof *vectors);
    for (int i = 0; i < n; i++)
        vectors[i * n + i] = 1;
    for (int sweep = 0; sweep < 30; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++)
                if (fabs(a[p * n + q]) > 1e-17 * size)
                    rotate(a, vectors, n, p, q);
    for (int i = 0; i < n; i++)
        values[i] = a[i * n + i];
    for (int i = 0; i < n; i++) { /* few: by selection */
        int least = i;
        for (int k = i + 1; k < n; k++)
            least = values[k] < values[least] ? k : least;
        double swap = values[i];
        values[i] = values[least];
        values[least] = swap;
        for (int k = 0; k < n && least != i; k++) {
            swap = vectors[i * n + k];
            vectors[i * n + k] = vectors[least * n + k];
            vectors[least * n + k] = swap;
        }
    }
}

double gram_determinant(const double *rows, int nrow, int n)
{
    double g[SMALL * SMALL], result = 1;
    if (nrow > n)
        return 0;
    for (int i = 0; i < nrow; i++)
        for (int k = 0; k < nrow; k++)
            g[i * nrow + k] = dot_rows(rows + i * n, rows + k * n, n);
    for (int p = 0; p < nrow; p++) { /* positive semidefinite: no exchange of rows */
        double pivot = g[p * nrow + p];
        if (!(pivot > 0))
            return 0;
        result *= pivot;
        for (int i = p + 1; i < nrow; i++)
            for (int k = p + 1; k < nrow; k++)
                g[i * nrow + k] -= g[i * nrow + p] * g[p * nrow + k] / pivot;
    }
    return result;
}

bool solve_rows(const double *a, int n, double *rows, int nrow)
{
    double lu[SMALL * SMALL];
    double size = sqrt(dot_rows(a, a, n * n));
    memcpy(lu, a, (size_t)(n * n) * sizeof *lu);
    for (int p = 0; p < n; p++) {
        int best = p;
        for (int i = p + 1; i < n; i++)
            best = fabs(lu[i * n + p]) > fabs(lu[best * n + p]) ? i : best;
        if (!(fabs(lu[best * n + p]) > 1e-12 * size))
            return false;
        for (int k = 0; k < n && best != p; k++) {
            double swap = lu[p * n + k];
            lu[p * n + k] = lu[best * n + k];
            lu[best * n + k] = swap;
        }
        for (int r = 0; r < nrow && best != p; r++) {
            double swap = rows[r * n + p];
            rows[r * n + p] = rows[r * n + best];
            rows[r * n + best] = swap;
        }
        for (int i = p + 1; i < n; i++) {
            double factor = lu[i * n + p] / lu[p * n + p];
            for (int k = p; k < n; k++)
                lu[i * n + k] -= factor * lu[p * n + k];
            for (int r = 0; r < nrow; r++)
                rows[r * n + i] -= factor * rows[r * n + p];
        }
    }
    for (int r = 0; r < nrow; r++)
        for (int i = n; i-- > 0;) {
            for (int k = i + 1; k < n; k++)
                rows[r * n + i] -= lu[i * n + k] * rows[r * n + k];
            rows[r * n + i] /= lu[i * n + i];
        }
    return true;
}
