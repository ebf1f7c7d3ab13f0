/* difference.c - derivatives by differences, with bounds of their errors.
 *
 * Central differences D(h) = (f(x + h) - f(x - h)) / 2h with h_k near 1, 1/2, 1/4 ... of the
 * natural size of the variable, and their extrapolation to h = 0 (Neville; Ridders 1982 for
 * derivatives):
 *
 *   T(k, 0) = D(h_k),   T(k, m) = T(k, m-1) + (T(k, m-1) - T(k-1, m-1)) / ((h_{k-m} / h_k)^p - 1)
 *
 * with p = 2, since the error of D is a series in h^2; one-sided differences have p = 1. The error
 * of an entry is its difference from its two neighbours, plus the rounding of f. The best entry of
 * all levels is kept, for every function on its own. A linear function keeps the longest step,
 * where rounding is least; sines need four levels.
 *
 * Rounding of f is measured, not guessed from |f|: f may be the small sum of large terms. At six
 * equally spaced points, so close that a smooth f is a straight line there, the third differences
 * are rounding alone, sqrt(20) times that of f (More, Wild 2011). This is done near the point and
 * near h = 1; in between the larger of the first and h times the second is used. The steps are not
 * powers of two: in a linear model those would scale all numbers exactly, and rounding errors with
 * them, so that all levels would agree on a wrong number.
 *
 * A function that is smooth at these lengths may bend at a shorter one (dry friction within
 * millimetres per second), so a difference over CONFIRM is compared; if it contradicts the result,
 * that is dropped, and the levels go on with shorter steps.
 *
 * Finally steps of several thousand natural sizes are tried: if a function is linear that far,
 * rounding of large terms at the point counts a thousand times less in such a derivative. It
 * replaces the result if both agree within the error, and the long steps agree better.
 */
#include "analysis/analysis.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { COLUMNS = 8, SAMPLES = 6, ROOM = 2 * SAMPLES, LEVELS = 28, NOT_YET = 4, LONG_STEPS = 3 };
static const double CONFIRM = 0x1.3p-20, SETTLED = 1e-15, WORSE = 8, ROUNDING = 1e3;
static const double SAMPLE_WIDTH = 0x1.3p-32; /* between two points of the samples */
static const double SIGMAS = 4;               /* of the measured rounding that count as possible */
static const double irregular[] = {1, 1.07, 0.96, 1.03};
static const double long_steps[LONG_STEPS] = {4219, 5003, 6151};

LiederStatus difference_create(Difference *d, const LiederAllocator *alloc, size_t n)
{
    *d = (Difference){.alloc = alloc, .n = n};
    double **vectors[] = {&d->value, &d->error, &d->high,  &d->low,
                          &d->width, &d->least, &d->noise, &d->near};
    bool ok = (d->table = memory_zeroed(alloc, (n * ROOM + 1) * sizeof(double)));
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        ok &= (*vectors[i] = memory_zeroed(alloc, (n + 1) * sizeof(double))) != NULL;
    ok &= (d->far = memory_zeroed(alloc, (n + 1) * sizeof(double))) != NULL;
    if (ok)
        return LIEDER_DONE;
    difference_drop(d);
    return LIEDER_NO_MEMORY;
}

void difference_drop(Difference *d)
{
    if (!d->alloc)
        return;
    double *vectors[] = {d->value, d->error, d->high, d->low, d->width,
                         d->least, d->noise, d->near, d->far};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        memory_free(d->alloc, vectors[i], (d->n + 1) * sizeof(double));
    memory_free(d->alloc, d->table, (d->n * ROOM + 1) * sizeof(double));
    *d = (Difference){0};
}

/* ------------------------------------------------------------------ rounding */

/* the largest third difference of equally spaced values, as rounding of one of them */
static double rounding_of(const double *y, size_t n)
{
    double largest = 0;
    for (size_t k = 0; k + 3 < n; k++)
        largest = fmax(largest, fabs(y[k] - 3 * y[k + 1] + 3 * y[k + 2] - y[k + 3]));
    return largest / sqrt(20);
}

/* rounding near the point: six points with the point in the middle, or from it on */
static LiederStatus measure_near(Difference *d, bool one_sided, DifferenceEnds *ends, void *user)
{
    LiederStatus status = LIEDER_DONE;
    size_t npair = one_sided ? SAMPLES - 1 : SAMPLES / 2;
    for (size_t k = 0; k < npair && status == LIEDER_DONE; k++) {
        double h = SAMPLE_WIDTH * (one_sided ? (double)(k + 1) : 0.5 + (double)k);
        status = ends(user, h, d->high, d->low, d->width);
        for (size_t i = 0; i < d->n; i++) {
            double *y = d->table + i * ROOM;
            if (one_sided) {
                y[0] = d->low[i];
                y[k + 1] = d->high[i];
            } else {
                y[SAMPLES / 2 - 1 - k] = d->low[i];
                y[SAMPLES / 2 + k] = d->high[i];
            }
        }
    }
    for (size_t i = 0; i < d->n; i++)
        d->near[i] = status == LIEDER_DONE ? rounding_of(d->table + i * ROOM, SAMPLES) : 0;
    return status;
}

/* rounding near h = 1 on both sides; 0 if the functions cannot be evaluated there */
static LiederStatus measure_far(Difference *d, DifferenceEnds *ends, void *user)
{
    LiederStatus status = LIEDER_DONE;
    for (size_t k = 0; k < SAMPLES && status == LIEDER_DONE; k++) {
        status = ends(user, 1 - (double)k * SAMPLE_WIDTH, d->high, d->low, d->width);
        for (size_t i = 0; i < d->n; i++) {
            d->table[i * ROOM + k] = d->high[i];
            d->table[i * ROOM + SAMPLES + k] = d->low[i];
        }
    }
    for (size_t i = 0; i < d->n; i++) {
        const double *y = d->table + i * ROOM;
        d->far[i] = status == LIEDER_DONE
                        ? fmax(rounding_of(y, SAMPLES), rounding_of(y + SAMPLES, SAMPLES))
                        : 0;
        if (!isfinite(d->far[i]))
            d->far[i] = 0;
    }
    return status;
}

/* ------------------------------------------------------------------ levels */

/* D(h) of one function, and its rounding */
static double quotient(const Difference *d, size_t i, double h, double *noise)
{
    double high = d->high[i], low = d->low[i], width = fabs(d->width[i]);
    double measured = SIGMAS * fmax(d->near[i], h * d->far[i]);
    *noise = fmax(DBL_EPSILON * (fabs(high) + fabs(low)), measured) / width;
    return (high - low) / d->width[i];
}

/* One level more for one function; true: further levels would hardly be better. h[0] ... h[level]
 * are the steps of all levels in a row that could be evaluated. */
static bool extend_table(Difference *d, size_t i, size_t level, const double *h, double power)
{
    double *row = d->table + i * ROOM, noise, above = row[0];
    double entry = quotient(d, i, h[level], &noise), least = INFINITY;
    row[0] = entry;
    for (size_t m = 1; m <= level && m < COLUMNS; m++) {
        double ratio = h[level - m] / h[level];
        double next = entry + (entry - above) / (pow(ratio, power) - 1);
        double error = fmax(fabs(next - entry), fabs(next - above)) + noise;
        above = row[m];
        row[m] = entry = next;
        least = fmin(least, error);
        if (error < d->error[i]) {
            d->error[i] = error;
            d->value[i] = next;
            d->noise[i] = noise;
        }
    }
    d->least[i] = least;
    return level >= 1 &&
           (d->error[i] <= 2 * d->noise[i] + SETTLED * fabs(d->value[i]) ||
            (level >= NOT_YET && least > WORSE * d->error[i] && least < ROUNDING * noise));
}

/* drops results that a much shorter difference contradicts; false: there were some */
static bool confirm(Difference *d, DifferenceEnds *ends, void *user)
{
    bool good = true;
    if (ends(user, CONFIRM, d->high, d->low, d->width) != LIEDER_DONE)
        return true;
    for (size_t i = 0; i < d->n; i++) {
        double noise, value = quotient(d, i, CONFIRM, &noise);
        if (fabs(value - d->value[i]) <= 1e-4 * fabs(value) + ROUNDING * noise + d->error[i])
            continue;
        d->error[i] = INFINITY;
        good = false;
    }
    return good;
}

/* ------------------------------------------------------------------ linear far away */

/* the mean over the long steps, where they agree with each other and with what was found */
static LiederStatus lengthen(Difference *d, DifferenceEnds *ends, void *user)
{
    for (size_t k = 0; k < LONG_STEPS; k++) {
        LiederStatus status = ends(user, long_steps[k], d->high, d->low, d->width);
        if (status != LIEDER_DONE)
            return status;
        for (size_t i = 0; i < d->n; i++)
            d->table[i * ROOM + k] = (d->high[i] - d->low[i]) / d->width[i];
    }
    for (size_t i = 0; i < d->n; i++) {
        const double *q = d->table + i * ROOM;
        double mean = (q[0] + q[1] + q[2]) / LONG_STEPS;
        double spread = fmax(fmax(fabs(q[0] - mean), fabs(q[1] - mean)), fabs(q[2] - mean));
        double error = 2 * spread + SIGMAS * d->near[i] / long_steps[0] + DBL_EPSILON * fabs(mean);
        if (isfinite(mean) && error < d->error[i] && fabs(mean - d->value[i]) <= d->error[i]) {
            d->value[i] = mean;
            d->error[i] = error;
        }
    }
    return LIEDER_DONE;
}

/* ------------------------------------------------------------------ all of it */

/* the levels of extrapolation; DONE if there were two in a row that could be evaluated */
static LiederStatus find_by_levels(Difference *d, double power, DifferenceEnds *ends, void *user)
{
    double h[LEVELS], length = 1;
    size_t level = 0;
    bool confirmed = false, found = false;
    LiederStatus failure = LIEDER_DONE;
    for (size_t k = 0; k < LEVELS; k++, length /= 2) {
        h[level] = length * irregular[k % 4];
        LiederStatus status = ends(user, h[level], d->high, d->low, d->width);
        if (status == LIEDER_NO_MEMORY)
            return status;
        if (status != LIEDER_DONE) { /* too far */
            failure = status;
            level = 0;
            continue;
        }
        bool settled = true;
        for (size_t i = 0; i < d->n; i++)
            settled &= extend_table(d, i, level, h, power);
        found |= level > 0;
        level++;
        if (!settled)
            continue;
        if (confirmed || confirm(d, ends, user))
            break;
        confirmed = true;
    }
    return found ? LIEDER_DONE : failure;
}

LiederStatus difference_find(Difference *d, bool one_sided, DifferenceEnds *ends, void *user)
{
    for (size_t i = 0; i < d->n; i++) {
        d->error[i] = INFINITY;
        d->value[i] = 0;
    }
    LiederStatus status = measure_near(d, one_sided, ends, user);
    if (status != LIEDER_NO_MEMORY)
        status = measure_far(d, ends, user);
    if (status != LIEDER_NO_MEMORY)
        status = find_by_levels(d, one_sided ? 1 : 2, ends, user);
    if (status != LIEDER_DONE)
        return status;
    return lengthen(d, ends, user) == LIEDER_NO_MEMORY ? LIEDER_NO_MEMORY : LIEDER_DONE;
}
