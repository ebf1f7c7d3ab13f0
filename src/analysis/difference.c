/* difference.c - derivatives by differences that know how good they are.
 *
 * Central differences D(h) = (f(x + h) - f(x - h)) / 2h with h = 1, 1/2, 1/4 ... of the natural
 * size of the variable, and their extrapolation to h = 0 (Romberg; Ridders 1982 for derivatives):
 *
 *   T(k, 0) = D(h_k),   T(k, m) = T(k, m-1) + (T(k, m-1) - T(k-1, m-1)) / (2^(p m) - 1)
 *
 * with p = 2, since the error of D is a series in h^2; one-sided differences have p = 1. The error
 * of an entry is what it differs from its two neighbours, plus the rounding of f, eps |f| / h. The
 * best entry of all levels is kept, for every function on its own. A linear function keeps the
 * longest step, where rounding is least; sines want four levels.
 *
 * What looks settled at these lengths may bend at a shorter one (dry friction within millimetres
 * per second), so one difference over CONFIRM is compared; if it contradicts, the levels go
 * on from there, and what was found before is forgotten.
 */
#include "analysis/analysis.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { COLUMNS = 8, LEVELS = 28, NOT_YET = 4 };
static const double CONFIRM = 0x1p-20, SETTLED = 1e-15, WORSE = 8, ROUNDING = 1e3;

LiederStatus difference_create(Difference *d, const LiederAllocator *alloc, size_t n)
{
    *d = (Difference){.alloc = alloc, .n = n};
    double **vectors[] = {&d->value, &d->error, &d->high, &d->low, &d->width, &d->least, &d->noise};
    bool ok = (d->table = memory_zeroed(alloc, (n * COLUMNS + 1) * sizeof(double)));
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        ok &= (*vectors[i] = memory_zeroed(alloc, (n + 1) * sizeof(double))) != NULL;
    if (ok)
        return LIEDER_DONE;
    difference_drop(d);
    return LIEDER_NO_MEMORY;
}

void difference_drop(Difference *d)
{
    if (!d->alloc)
        return;
    double *vectors[] = {d->value, d->error, d->high, d->low, d->width, d->least, d->noise};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        memory_free(d->alloc, vectors[i], (d->n + 1) * sizeof(double));
    memory_free(d->alloc, d->table, (d->n * COLUMNS + 1) * sizeof(double));
    *d = (Difference){0};
}

/* D(h) of one function, and its rounding */
static double quotient(const Difference *d, size_t i, double *noise)
{
    double high = d->high[i], low = d->low[i], width = fabs(d->width[i]);
    *noise = DBL_EPSILON * (fabs(high) + fabs(low)) / width;
    return (high - low) / d->width[i];
}

/* One level more for one function; true if nothing better is to be expected. `level` counts the
 * levels before without a gap. */
static bool extend(Difference *d, size_t i, size_t level, double factor)
{
    double *row = d->table + i * COLUMNS, noise, above = row[0], power = factor;
    double entry = quotient(d, i, &noise), least = INFINITY;
    row[0] = entry;
    for (size_t m = 1; m <= level && m < COLUMNS; m++, power *= factor) {
        double next = entry + (entry - above) / (power - 1);
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

/* forgets what a much shorter difference contradicts; false if there was such */
static bool confirm(Difference *d, DifferenceEnds *ends, void *user)
{
    bool good = true;
    if (ends(user, CONFIRM, d->high, d->low, d->width) != LIEDER_DONE)
        return true;
    for (size_t i = 0; i < d->n; i++) {
        double noise, value = quotient(d, i, &noise);
        if (fabs(value - d->value[i]) <= 1e-4 * fabs(value) + ROUNDING * noise + d->error[i])
            continue;
        d->error[i] = INFINITY;
        good = false;
    }
    return good;
}

LiederStatus difference_find(Difference *d, bool one_sided, DifferenceEnds *ends, void *user)
{
    double h = 1, factor = one_sided ? 2 : 4;
    size_t level = 0;
    bool confirmed = false, found = false;
    LiederStatus failure = LIEDER_DONE;
    for (size_t i = 0; i < d->n; i++) {
        d->error[i] = INFINITY;
        d->value[i] = 0;
    }
    for (size_t k = 0; k < LEVELS; k++, h /= 2) {
        LiederStatus status = ends(user, h, d->high, d->low, d->width);
        if (status == LIEDER_NO_MEMORY)
            return status;
        if (status != LIEDER_DONE) { /* too far */
            failure = status;
            level = 0;
            continue;
        }
        bool settled = true;
        for (size_t i = 0; i < d->n; i++)
            settled &= extend(d, i, level, factor);
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
