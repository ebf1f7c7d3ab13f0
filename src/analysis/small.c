/* small.c - eigenvalues of a small matrix without a library, for questions of every run: loading
 * LAPACK takes longer than a run of a small model.
 *
 *   1. balance: rows and columns are scaled by powers of two until they are of like size
 *   2. reduce: Householder reflections make it upper Hessenberg, H = Q^T A Q
 *   3. QR steps with Wilkinson's shift s: H - s I = Q R, H becomes R Q + s I, by rotations of two
 *      rows each; where an entry below the diagonal is lost in rounding the matrix falls apart
 *   4. left and right eigenvectors of the balanced matrix by inverse iteration
 *
 * (Golub, Van Loan, Matrix Computations, chapter 7.) In complex numbers, because one shift is then
 * enough. Error bounds and participations are those of eigen.c, which is for everything else: of
 * equal eigenvalues inverse iteration finds any vectors of their space. */
#include "analysis/analysis.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define AT(r, c) H[(c)*n + (r)]

/* powers of two that make the sums of each row and column alike: D^-1 H D */
static void balance(size_t n, double complex *H, double *D)
{
    for (size_t k = 0; k < n; k++)
        D[k] = 1;
    bool more = true;
    for (int round = 0; more && round < 20; round++) {
        more = false;
        for (size_t k = 0; k < n; k++) {
            double row = 0, column = 0;
            for (size_t i = 0; i < n; i++) {
                row += i == k ? 0 : fabs(creal(AT(k, i)));
                column += i == k ? 0 : fabs(creal(AT(i, k)));
            }
            if (!(row > 0 && column > 0))
                continue;
            int power = (int)lround(log2(row / column) / 2);
            if (power == 0 || ldexp(column, power) + ldexp(row, -power) >= 0.95 * (row + column))
                continue;
            more = true;
            D[k] *= ldexp(1, power);
            for (size_t i = 0; i < n; i++) {
                AT(i, k) *= ldexp(1, power);
                AT(k, i) *= ldexp(1, -power);
            }
        }
    }
}

/* H := P H P, P = I - 2 v v^T / v^T v, which makes column k zero below its subdiagonal */
static void reduce_column(size_t n, double complex *H, size_t k)
{
    double v[n], length = 0, vv = 0;
    for (size_t i = k + 1; i < n; i++) {
        v[i] = creal(AT(i, k));
        length = hypot(length, v[i]);
    }
    v[k + 1] += copysign(length, v[k + 1]);
    for (size_t i = k + 1; i < n; i++)
        vv += v[i] * v[i];
    if (!(vv > 0))
        return;
    for (size_t c = 0; c < n; c++) {
        double complex sum = 0;
        for (size_t i = k + 1; i < n; i++)
            sum += v[i] * AT(i, c);
        for (size_t i = k + 1; i < n; i++)
            AT(i, c) -= 2 * v[i] / vv * sum;
    }
    for (size_t r = 0; r < n; r++) {
        double complex sum = 0;
        for (size_t i = k + 1; i < n; i++)
            sum += AT(r, i) * v[i];
        for (size_t i = k + 1; i < n; i++)
            AT(r, i) -= 2 * v[i] / vv * sum;
    }
}

/* the eigenvalue of the last two rows and columns up to `last` that is nearer to the last entry */
static double complex wilkinson_shift(size_t n, const double complex *H, size_t last)
{
    double complex a = AT(last - 1, last - 1), b = AT(last - 1, last), c = AT(last, last - 1),
                   d = AT(last, last), half = (a - d) / 2, root = csqrt(half * half + b * c);
    double complex far = cabs(half + root) > cabs(half - root) ? half + root : half - root;
    return cabs(far) > 0 ? d - b * c / far : d;
}

/* one QR step on rows and columns first ... last */
static void qr_step(size_t n, double complex *H, size_t first, size_t last, double complex shift)
{
    double complex cosine[n], sine[n];
    for (size_t k = first; k <= last; k++)
        AT(k, k) -= shift;
    for (size_t k = first; k < last; k++) {
        double complex a = AT(k, k), b = AT(k + 1, k);
        double length = hypot(cabs(a), cabs(b));
        cosine[k] = length > 0 ? a / length : 1;
        sine[k] = length > 0 ? b / length : 0;
        for (size_t c = k; c <= last; c++) {
            double complex x = AT(k, c), y = AT(k + 1, c);
            AT(k, c) = conj(cosine[k]) * x + conj(sine[k]) * y;
            AT(k + 1, c) = cosine[k] * y - sine[k] * x;
        }
    }
    for (size_t k = first; k < last; k++)
        for (size_t r = first; r <= (k + 2 < last ? k + 2 : last); r++) {
            double complex x = AT(r, k), y = AT(r, k + 1);
            AT(r, k) = x * cosine[k] + y * sine[k];
            AT(r, k + 1) = y * conj(cosine[k]) - x * conj(sine[k]);
        }
    for (size_t k = first; k <= last; k++)
        AT(k, k) += shift;
}

/* where the block begins that ends at `last` */
static size_t block_begin(size_t n, const double complex *H, size_t last)
{
    size_t first = last;
    while (first > 0 && cabs(AT(first, first - 1)) >
                            DBL_EPSILON * (cabs(AT(first, first)) + cabs(AT(first - 1, first - 1))))
        first--;
    return first;
}

/* eigenvalues of H, which is overwritten; false: they were not found */
static bool find_values(size_t n, double complex *H, double complex *values)
{
    enum { MAX_STEPS = 60, UNUSUAL = 10 };
    for (size_t k = 0; k + 2 < n; k++)
        reduce_column(n, H, k);
    int steps = 0;
    for (size_t left = n; left > 0;) {
        size_t last = left - 1, first = block_begin(n, H, last);
        if (first == last) {
            values[last] = AT(last, last);
            left--;
            steps = 0;
            continue;
        }
        if (++steps > MAX_STEPS)
            return false;
        double complex shift = wilkinson_shift(n, H, last);
        if (steps % UNUSUAL == 0) /* it does not converge */
            shift = cabs(AT(last, last - 1)) + AT(last, last);
        qr_step(n, H, first, last, shift);
    }
    return true;
}

/* a real matrix has real eigenvalues and conjugate pairs, but for rounding */
static void pair_values(size_t n, double complex *values)
{
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (cabs(values[i] - conj(values[k])) < cabs(values[best] - conj(values[k])))
                best = i;
        double complex mean = (values[k] + conj(values[best])) / 2;
        double complex other = values[k + (best > k)];
        if (best > k) { /* which comes next, and the one that was there takes its place */
            values[best] = other;
            values[++k] = conj(mean);
            values[k - 1] = mean;
        } else {
            values[k] = creal(mean);
        }
    }
}

/* ------------------------------------------------------------------ vectors */

/* H = L U with rows exchanged; pivots that vanish become `least` */
static void factor(size_t n, double complex *H, size_t *rows, double least)
{
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (cabs(AT(i, k)) > cabs(AT(best, k)))
                best = i;
        rows[k] = best;
        for (size_t c = 0; c < n && best != k; c++) {
            double complex other = AT(k, c);
            AT(k, c) = AT(best, c);
            AT(best, c) = other;
        }
        if (!(cabs(AT(k, k)) > least))
            AT(k, k) = least;
        for (size_t i = k + 1; i < n; i++) {
            double complex f = AT(i, k) /= AT(k, k);
            for (size_t c = k + 1; c < n && f != 0; c++)
                AT(i, c) -= f * AT(k, c);
        }
    }
}

static void normalise(size_t n, double complex *x)
{
    double length = 0;
    for (size_t i = 0; i < n; i++)
        length = hypot(length, cabs(x[i]));
    for (size_t i = 0; i < n; i++)
        x[i] /= length;
}

/* L U x = x */
static void solve_small(size_t n, const double complex *H, const size_t *rows, double complex *x)
{
    for (size_t k = 0; k < n; k++) {
        double complex first = x[rows[k]];
        x[rows[k]] = x[k];
        x[k] = first;
    }
    for (size_t k = 0; k < n; k++)
        for (size_t i = k + 1; i < n; i++)
            x[i] -= AT(i, k) * x[k];
    for (size_t k = n; k-- > 0;) {
        x[k] /= AT(k, k);
        for (size_t i = 0; i < k; i++)
            x[i] -= AT(i, k) * x[k];
    }
}

/* (L U)^H x = x */
static void solve_adjoint(size_t n, const double complex *H, const size_t *rows, double complex *x)
{
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < k; i++)
            x[k] -= conj(AT(i, k)) * x[i];
        x[k] /= conj(AT(k, k));
    }
    for (size_t k = n; k-- > 0;)
        for (size_t i = k + 1; i < n; i++)
            x[k] -= conj(AT(i, k)) * x[i];
    for (size_t k = n; k-- > 0;) {
        double complex first = x[rows[k]];
        x[rows[k]] = x[k];
        x[k] = first;
    }
}

/* w and v of length one with w* A = lambda w*, A v = lambda v; returns |w* v|. room: n n */
static double find_vectors(size_t n, const double complex *balanced, double complex lambda,
                           double norm, double complex *H, double complex *w, double complex *v)
{
    size_t rows[EIGEN_SMALL];
    for (size_t i = 0; i < n * n; i++)
        H[i] = balanced[i];
    for (size_t k = 0; k < n; k++) {
        AT(k, k) -= lambda;
        w[k] = v[k] = 1 + 0.1 * (double)(k % 7); /* along no vector in particular */
    }
    factor(n, H, rows, DBL_EPSILON * norm);
    for (int round = 0; round < 3; round++) {
        solve_small(n, H, rows, v);
        normalise(n, v);
        solve_adjoint(n, H, rows, w);
        normalise(n, w);
    }
    double complex product = 0;
    for (size_t k = 0; k < n; k++)
        product += conj(w[k]) * v[k];
    return cabs(product);
}

/* ------------------------------------------------------------------ all of it */

/* || D^-1 E D ||_1 + eps sqrt(n) || D^-1 A D ||_1 */
static double perturbation(size_t n, const double complex *balanced, const double *error,
                           const double *D, double *norm)
{
    double most = 0;
    *norm = 0;
    for (size_t c = 0; c < n; c++) {
        double sum = 0, column = 0;
        for (size_t r = 0; r < n; r++) {
            sum += error[c * n + r] * D[c] / D[r];
            column += cabs(balanced[c * n + r]);
        }
        most = fmax(most, sum);
        *norm = fmax(*norm, column);
    }
    return most + DBL_EPSILON * sqrt((double)n) * *norm;
}

bool eigen_small(size_t n, const double *A, const double *error, Eigenvalue *values)
{
    double complex balanced[EIGEN_SMALL * EIGEN_SMALL], room[EIGEN_SMALL * EIGEN_SMALL];
    double complex lambda[EIGEN_SMALL], w[EIGEN_SMALL], v[EIGEN_SMALL];
    double D[EIGEN_SMALL], left[EIGEN_SMALL], right[EIGEN_SMALL], parts[EIGEN_SMALL], norm;
    for (size_t i = 0; i < n * n; i++) {
        balanced[i] = A[i];
        if (!isfinite(A[i]))
            return false;
    }
    balance(n, balanced, D);
    memcpy(room, balanced, n * n * sizeof *room);
    if (!find_values(n, room, lambda))
        return false;
    pair_values(n, lambda);
    double off = perturbation(n, balanced, error, D, &norm);
    for (size_t k = 0; k < n; k++) {
        double condition = find_vectors(n, balanced, lambda[k], norm, room, w, v);
        values[k] = (Eigenvalue){.re = creal(lambda[k]),
                                 .im = cimag(lambda[k]),
                                 .error = condition > 0 ? off / condition : INFINITY};
        for (size_t i = 0; i < n; i++) {
            left[i] = cabs(w[i]);
            right[i] = cabs(v[i]);
        }
        eigen_parts(n, left, right, condition, parts);
        eigen_shares(&values[k], parts, n);
    }
    return true;
}
