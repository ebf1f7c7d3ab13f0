/* ranges.c - what a run reports about its numbers at its end, as warnings.
 *
 * Limits: a state that leaves the range of its attributes min and max, by more than the tolerance.
 *
 * Sizes (adaptive solvers): errors are relative to nominal + |x|. A subsystem that moves, but whose
 * states all stay below SMALL tolerances of their nominal values, is known to a few percent at
 * best; and an angle of more than BLURRED / tolerance has no known place in its turn.
 *
 * Slopes (adaptive solvers): where a model is stiff, an error of the state that the tolerance
 * allows becomes an error of its derivative that is lambda times larger, and so of everything that
 * is computed from the state by a large factor: the voltage of a diode that blocks by 1e-12 S is
 * its current, known to 1e-10 A, over 1e-12 S. The slope of the solver's polynomial is more
 * accurate. So at some rows of a run both are compared,
 *
 *   off_i = max |f_i(t, x) - p_i'(t)|,   slope_i = max |p_i'(t)|
 *
 * and off_i > OPEN (nominal_i + slope_i) is reported. It costs at most SAMPLES evaluations.
 *
 * Rounding (implicit solvers): a state is known to eps |x|, which becomes noise_i in derivatives,
 * by the Jacobian; noise_i > LOST (nominal_i + slope_i) is reported. A force c (s2 - s1 - l)
 * between absolute positions is the usual case: with 1e18 N/m the rounding of 0.1 m becomes 22 N.
 *
 * Steps: a state of 6e8 with a slope of 1 does not move at all in steps of 1e-8, since x + h x' is
 * x. STILL h |x'| < eps |x| for the mean step h is reported.
 *
 * In runs with fixed steps only limits are examined.
 */
#include "solve/judge/ranges.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double SMALL = 100, BLURRED = 0.1, OPEN = 0.02, SLACK = 1e-9, LOST = 1e-3, STILL = 0.1;
enum { MANY = 1000 }; /* steps */
enum { SAMPLES = 100 };

/* ------------------------------------------------------------------ creation */

static bool has_limits(const LiederSystem *system)
{
    const Scales *c = &system->scales;
    for (size_t i = 0; c->min && i < system->nstate; i++)
        if (isfinite(c->min[i]) || isfinite(c->max[i]))
            return true;
    return false;
}

static double *take_vector(const Ranges *g)
{
    return memory_zeroed(SYSTEM_ALLOC(g->system), g->n * sizeof(double) + 1);
}

LiederStatus ranges_create(Ranges *g, LiederSystem *system, double tolerance, bool adaptive,
                           double rows, const double *x)
{
    *g = (Ranges){.system = system,
                  .at = NAN,
                  .n = system->nstate,
                  .tolerance = adaptive ? tolerance : SLACK,
                  .limited = has_limits(system),
                  .adaptive = adaptive,
                  .stride = (size_t)fmin(fmax(1, ceil(rows / SAMPLES)), 1e9)};
    if (!adaptive)
        return LIEDER_DONE;
    double **vectors[] = {&g->least, &g->most, &g->off, &g->slope, &g->rate, &g->dx, &g->curve};
    bool ok = true;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        ok &= (*vectors[i] = take_vector(g)) != NULL;
    if (!ok)
        return LIEDER_NO_MEMORY;
    memcpy(g->least, x, g->n * sizeof(double));
    memcpy(g->most, x, g->n * sizeof(double));
    return LIEDER_DONE;
}

void ranges_drop(Ranges *g)
{
    if (!g->system)
        return;
    double *owned[] = {g->least, g->most, g->off, g->slope, g->rate, g->dx, g->curve};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        if (owned[i])
            memory_free(SYSTEM_ALLOC(g->system), owned[i], g->n * sizeof(double) + 1);
    *g = (Ranges){0};
}

/* ------------------------------------------------------------------ in a run */

/* how far a state lies beyond its limits, more than the tolerance leaves open */
static double beyond_limits(const Ranges *g, size_t i, double x)
{
    const Scales *c = &g->system->scales;
    double beyond = fmax(c->min[i] - x, x - c->max[i]);
    return beyond > g->tolerance * (c->nominal[i] + fabs(x)) ? beyond : 0;
}

/* bin k of step lengths: 2^(k-60-1) <= h < 2^(k-60) */
static int bin_of(double h)
{
    int exponent;
    frexp(h, &exponent);
    return exponent < -60 ? 0 : exponent > 3 ? 63 : exponent + 60;
}

void ranges_state(Ranges *g, double t, const double *x)
{
    if (t > g->at)
        g->lengths[bin_of(t - g->at)]++;
    g->at = t;
    for (size_t i = 0; i < g->n && g->adaptive; i++) {
        g->least[i] = fmin(g->least[i], x[i]);
        g->most[i] = fmax(g->most[i], x[i]);
    }
    for (size_t i = 0; i < g->n && g->limited && !g->violated; i++)
        if (beyond_limits(g, i, x[i]) > 0) {
            g->violated = true;
            g->state = i;
            g->t = t;
            g->value = x[i];
        }
}

void ranges_row(Ranges *g, Team *team, Adaptive *method, double t, const Moment *moment,
                const double *x)
{
    if (g->rows++ % g->stride != 0)
        return;
    adaptive_slope_between(method, t, g->curve);
    if (team_derivatives(team, t, moment, x, g->dx, false) != LIEDER_DONE)
        return;
    for (size_t i = 0; i < g->n; i++) {
        g->off[i] = fmax(g->off[i], fabs(g->dx[i] - g->curve[i]));
        g->slope[i] = fmax(g->slope[i], fabs(g->curve[i]));
        g->rate[i] = fmax(g->rate[i], fabs(g->dx[i]));
    }
}

/* ------------------------------------------------------------------ at its end */

static double largest_of(const Ranges *g, size_t i)
{
    return fmax(fabs(g->least[i]), fabs(g->most[i]));
}

/* part of a warning about one of n states */
static const char *and_others(size_t n)
{
    return n > 1 ? " (and others as well)" : "";
}

static const char *state_name(const Ranges *g, size_t i, char *buffer, size_t size)
{
    return lieder_system_state_name(g->system, i, buffer, size);
}

/* warns if a state was below its min or above its max */
static void report_limits(const Ranges *g)
{
    const Scales *c = &g->system->scales;
    char name[600];
    if (!g->violated)
        return;
    bool below = g->value < c->min[g->state];
    diag_warning(&g->system->session->diag, NULL, state_name(g, g->state, name, sizeof name),
                 "at t = %.15g this state is %g, %s %g\nthe model says by %s that it never is: a "
                 "parameter may be wrong, or the model does not hold there",
                 g->t, g->value, below ? "below" : "above",
                 below ? c->min[g->state] : c->max[g->state], below ? "min" : "max");
}

/* does the subsystem move, with all its states below `limit` of their nominal values? */
static bool moves_below(const Ranges *g, const SystemShape *ss, size_t lane, double limit,
                        size_t *state)
{
    bool moves = false;
    double largest = 0;
    for (size_t s = 0; s < ss->shape->states.n; s++) {
        size_t i = home_state(ss, s, lane);
        double size = largest_of(g, i), part = size / state_nominal(g->system, i);
        moves |= g->most[i] - g->least[i] > 1e-3 * size;
        if (part >= largest) {
            largest = part;
            *state = i;
        }
    }
    return moves && largest < limit;
}

/* a subsystem that moved less than the tolerance shows */
static void report_small(const Ranges *g)
{
    size_t n = 0, first = 0, state = 0;
    char name[600];
    for (size_t k = 0; k < g->system->nhome; k++) {
        const SystemShape *ss = &g->system->shapes.items[k];
        for (size_t lane = 0; lane < ss->shape->nlane && ss->shape->states.n; lane++)
            if (moves_below(g, ss, lane, SMALL * g->tolerance, &state) && n++ == 0)
                first = state;
    }
    if (n == 0)
        return;
    char finer[64] = "";
    double needed = fmax(1e-4 * largest_of(g, first), 1e-10);
    if (needed < g->tolerance)
        snprintf(finer, sizeof finer, ", or take a tolerance of %.1g", needed);
    diag_warning(&g->system->session->diag, NULL, state_name(g, first, name, sizeof name),
                 "no state of this subsystem exceeds %.2g, and the tolerance of %g is one of "
                 "%g + |value|: the digits of its motion are not right%s\nsay how large the "
                 "states are by their attribute nominal, here %.1g%s",
                 largest_of(g, first), g->tolerance, state_nominal(g->system, first), and_others(n),
                 largest_of(g, first), finer);
}

/* angles that grew so large that their sine lost digits */
static void report_angles(const Ranges *g)
{
    size_t n = 0, first = 0;
    char name[600];
    for (size_t k = 0; k < g->system->nhome; k++) {
        const SystemShape *ss = &g->system->shapes.items[k];
        for (size_t s = 0; s < ss->shape->states.n; s++)
            for (size_t lane = 0; lane < ss->shape->nlane &&
                                  strcmp(ss->shape->states.items[s].member->unit, "rad") == 0;
                 lane++)
                if (largest_of(g, home_state(ss, s, lane)) * g->tolerance > BLURRED && n++ == 0)
                    first = home_state(ss, s, lane);
    }
    if (n)
        diag_warning(&g->system->session->diag, NULL, state_name(g, first, name, sizeof name),
                     "the angle reaches %.3g rad, and the tolerance of %g is relative to that: it "
                     "is not known where in its turn it is%s\nlet it start near 0, or take a finer "
                     "tolerance",
                     largest_of(g, first), g->tolerance, and_others(n));
}

/* states whose tolerance leaves too much of their derivative open */
static void report_slopes(const Ranges *g)
{
    size_t n = 0, worst = 0;
    double largest = 0;
    char name[600];
    for (size_t i = 0; i < g->n; i++) {
        double part = g->off[i] / (state_nominal(g->system, i) + g->slope[i]);
        n += part > OPEN;
        if (part > largest) {
            largest = part;
            worst = i;
        }
    }
    if (n)
        diag_warning(&g->system->session->diag, NULL, state_name(g, worst, name, sizeof name),
                     "the tolerance of %g leaves %.2g in the derivative of this state, which is at "
                     "most %.2g: the model is so stiff there that what is computed from the state "
                     "by large factors is not right%s\nsay how large the state is where it "
                     "matters, by its attribute nominal, or take a finer tolerance",
                     g->tolerance, g->off[worst], g->slope[worst], and_others(n));
}

/* states whose derivatives are mostly rounding */
static void report_rounding(const Ranges *g, const double *noise)
{
    size_t n = 0, worst = 0;
    double largest = 0;
    char name[600];
    for (size_t i = 0; i < g->n; i++) {
        double part = noise[i] / (state_nominal(g->system, i) + g->slope[i]);
        n += part > LOST;
        if (part > largest) {
            largest = part;
            worst = i;
        }
    }
    if (n)
        diag_warning(
            &g->system->session->diag, NULL, state_name(g, worst, name, sizeof name),
            "the rounding of states makes %.2g in the derivative of this state, which is at "
            "most %.2g: its digits are lost%s\na large factor times a difference of two "
            "states does that; let the difference be a state itself, or take a smaller "
            "factor",
            noise[worst], g->slope[worst], and_others(n));
}

/* the steps that were shorter than h */
static size_t shorter_steps(const Ranges *g, double h)
{
    size_t n = 0;
    for (int k = 0; k < bin_of(h); k++)
        n += g->lengths[k];
    return n;
}

/* States that steps are too small to move: those of the average length, or most of very many. Where
 * the state moves slower some long steps may hide the others in the average. */
static void report_still(const Ranges *g, double seconds, size_t steps)
{
    size_t n = 0, first = 0, lost = 0;
    double step = seconds / (double)(steps + 1), shorter = 0;
    char name[600];
    for (size_t i = 0; i < g->n; i++) {
        double unit = DBL_EPSILON * largest_of(g, i), slope = g->rate[i];
        double still = slope > 0 ? unit / (STILL * slope) : 0;
        size_t short_steps = shorter_steps(g, still);
        bool most = short_steps > MANY && short_steps > steps / 2;
        if ((step < still || most) && seconds * slope > 10 * unit && n++ == 0) {
            first = i;
            lost = most ? short_steps : steps;
            shorter = most ? still : step;
        }
    }
    if (n)
        diag_warning(
            &g->system->session->diag, NULL, state_name(g, first, name, sizeof name),
            "this state is as large as %.3g and changes by %.2g in a second: steps of less than "
            "%.2g "
            "s, %zu of the %zu that the solver took, are lost in its rounding%s\nlet it start near "
            "0, or take another solver (rk45)",
            largest_of(g, first), g->rate[first], shorter, lost, steps, and_others(n));
}

void ranges_report(const Ranges *g, const double *noise, double seconds, size_t steps, bool failed)
{
    if (!g->system)
        return;
    report_limits(g);
    if (!g->adaptive)
        return;
    if (!failed)
        report_small(g);
    report_angles(g);
    report_slopes(g);
    if (noise)
        report_rounding(g, noise);
    if (!failed)
        report_still(g, seconds, steps);
}
