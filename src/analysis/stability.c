/* stability.c - the solvers applied to the test equation x' = lambda x, z = h lambda.
 *
 * A Runge-Kutta method multiplies x by R(z) = 1 + z b' (I - z A)^-1 1 in a step; A and b are
 * those of the tables that src/solve runs with. Its region is |R(z)| <= 1.
 *
 * Bdf of order q is sum_k (1/k) nabla^k x = z x. With x_n = r^n and w = 1/r a motion of the formula
 * solves sum_k (1/k) (1 - w)^k = z, and it decays if all roots have |w| > 1.
 *
 * Boundaries: z(phi) with R(z) = exp(i phi), followed from z = 0 by Newton steps in phi. R takes
 * every value as often as its degree m says, so the curve closes after at most m turns. Of bdf the
 * boundary is explicit: w = exp(-i phi).
 *
 * Steps of explicit methods: along the ray z = r e^(i theta) the growth |R|^2 - 1 is a polynomial
 * in r. Its smallest positive root where it turns positive is the limit, found as an eigenvalue of
 * the companion matrix and polished by Newton.
 */
#include "analysis/analysis.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/delayed.h"
#include "solve/method/butcher.h"

/* zgeev of LAPACK */
typedef void Zgeev(const char *left, const char *right, const int *n, double complex *a,
                   const int *lda, double complex *w, double complex *vl, const int *ldvl,
                   double complex *vr, const int *ldvr, double complex *work, const int *lwork,
                   double *rwork, int *info, size_t, size_t);

/* looked up once: the address never changes */
static Zgeev *find_zgeev(void)
{
    static _Atomic(void *) known;
    void *address = known;
    if (!address)
        known = address = delayed_function(LIEDER_LAPACK, "zgeev_");
    return (Zgeev *)address;
}

const char *analysis_problem(char *buffer, size_t size)
{
    return delayed_problem(LIEDER_LAPACK, buffer, size);
}

/* ------------------------------------------------------------------ methods */

static bool is_multistep(LiederSolver solver)
{
    return lieder_solver_info(solver)->stages == 0;
}

/* a one-step solver is one method, a multistep solver one for each of its orders */
static size_t methods_of(LiederSolver solver)
{
    return is_multistep(solver) ? (size_t)lieder_solver_info(solver)->order : 1;
}

size_t method_count(void)
{
    size_t n = 0;
    for (LiederSolver s = LIEDER_SOLVER_AUTO + 1; s < LIEDER_SOLVER_COUNT; s++)
        n += methods_of(s);
    return n;
}

Method method_at(size_t index)
{
    LiederSolver s = LIEDER_SOLVER_AUTO + 1;
    for (; index >= methods_of(s); s++)
        index -= methods_of(s);
    return (Method){s, is_multistep(s) ? (int)index + 1 : lieder_solver_info(s)->order};
}

const char *method_name(Method m, char *buffer, size_t size)
{
    snprintf(buffer, size, is_multistep(m.solver) ? "%s%d" : "%s", lieder_solver_name(m.solver),
             m.order);
    return buffer;
}

bool method_is_explicit(Method m)
{
    return !lieder_solver_info(m.solver)->implicit;
}

/* ------------------------------------------------------------------ stability functions */

/* k = (I - z A)^-1 v, stage by stage: A is lower triangular */
static void solve_stages(const ButcherTable *t, double complex z, const double complex *v,
                         double complex *k)
{
    for (int i = 0; i < t->nstage; i++) {
        k[i] = v[i];
        for (int j = 0; j < i; j++)
            k[i] += z * t->a[i][j] * k[j];
        k[i] /= 1 - z * t->a[i][i];
    }
}

/* R(z), and dR/dz = b' (I - z A)^-2 1 */
static double complex evaluate_stability(const ButcherTable *t, double complex z,
                                         double complex *slope)
{
    double complex one[MAX_STAGES], k[MAX_STAGES], kk[MAX_STAGES], R = 1;
    for (int i = 0; i < MAX_STAGES; i++)
        one[i] = 1;
    solve_stages(t, z, one, k);
    solve_stages(t, z, k, kk);
    *slope = 0;
    for (int i = 0; i < t->nstage; i++) {
        R += z * t->b[i] * k[i];
        *slope += t->b[i] * kk[i];
    }
    return R;
}

double complex stability_function(Method m, double complex z)
{
    ButcherTable t = solver_table(m.solver);
    double complex slope;
    return evaluate_stability(&t, z, &slope);
}

enum { MAX_DEGREE = 2 * MAX_STAGES };
/* all roots of c[0] + c[1] w + ... + c[n] w^n, c[n] not zero, as eigenvalues of the companion
 * matrix; false: LAPACK is missing or failed */
static bool find_roots(const double complex *c, int n, double complex *roots)
{
    double complex companion[MAX_DEGREE * MAX_DEGREE] = {0}, work[8 * MAX_DEGREE], none;
    double rwork[2 * MAX_DEGREE];
    int info, nwork = 8 * MAX_DEGREE, one = 1;
    for (int i = 0; i < n; i++) {
        companion[(n - 1) * n + i] = -c[i] / c[n];
        if (i > 0)
            companion[(i - 1) * n + i] = 1;
    }
    Zgeev *zgeev = find_zgeev();
    if (!zgeev)
        return false;
    zgeev("N", "N", &n, companion, &n, roots, &none, &one, &none, &one, work, &nwork, rwork, &info,
          1, 1);
    return info == 0;
}

/* sum_k (1/k) (1 - w)^k as coefficients of w */
static void bdf_polynomial(int order, double complex *c)
{
    double power[BDF_ORDERS + 1] = {1}; /* (1 - w)^k */
    for (int i = 0; i <= order; i++)
        c[i] = 0;
    for (int k = 1; k <= order; k++) {
        for (int i = k; i > 0; i--)
            power[i] -= power[i - 1];
        for (int i = 0; i <= k; i++)
            c[i] += power[i] / k;
    }
}

double stability_growth(Method m, double complex z)
{
    if (!is_multistep(m.solver))
        return cabs(stability_function(m, z));
    double complex c[BDF_ORDERS + 1], roots[BDF_ORDERS];
    double least = INFINITY;
    bdf_polynomial(m.order, c);
    c[0] -= z;
    if (!find_roots(c, m.order, roots))
        return NAN;
    for (int i = 0; i < m.order; i++)
        least = fmin(least, cabs(roots[i]));
    return 1 / least;
}

/* ------------------------------------------------------------------ steps */

/* |R(r e)|^2 - 1 over r, as coefficients of r; the degree */
static int growth_polynomial(const ButcherTable *t, double complex e, double *c)
{
    double R[MAX_STAGES + 1] = {1}, v[MAX_STAGES];
    for (int i = 0; i < t->nstage; i++)
        v[i] = 1;
    for (int j = 1; j <= t->nstage; j++) { /* R_j = b' A^(j-1) 1 */
        double next[MAX_STAGES] = {0};
        R[j] = 0;
        for (int i = 0; i < t->nstage; i++) {
            R[j] += t->b[i] * v[i];
            for (int k = 0; k < i; k++)
                next[i] += t->a[i][k] * v[k];
        }
        memcpy(v, next, sizeof v);
    }
    int degree = -1;
    for (int j = 1; j <= 2 * t->nstage; j++) { /* sum_k R_k R_(j-k) Re(e^k conj(e)^(j-k)) */
        double sum = 0, size = 0;
        for (int k = 0; k <= j; k++) {
            if (k > t->nstage || j - k > t->nstage)
                continue;
            double term = R[k] * R[j - k] * creal(cpow(e, k) * cpow(conj(e), j - k));
            sum += term;
            size += fabs(R[k] * R[j - k]);
        }
        c[j - 1] = fabs(sum) > 8 * DBL_EPSILON * size ? sum : 0;
        if (c[j - 1] != 0)
            degree = j - 1;
    }
    return degree;
}

static double polynomial(const double *c, int n, double r, double *slope)
{
    double value = 0;
    *slope = 0;
    for (int i = n; i >= 0; i--) {
        *slope = *slope * r + value;
        value = value * r + c[i];
    }
    return value;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* the first r from which on |R(r e)| > 1 */
static double explicit_limit(Method m, double complex e)
{
    ButcherTable t = solver_table(m.solver);
    double c[MAX_DEGREE] = {0}, limits[MAX_DEGREE + 1], slope;
    double complex complex_c[MAX_DEGREE], roots[MAX_DEGREE];
    int degree = growth_polynomial(&t, e, c), low = 0, n = 0;
    if (degree < 0)
        return INFINITY;
    while (c[low] == 0)
        low++; /* of higher order at 0 */
    if (c[low] > 0)
        return 0;
    for (int i = low; i <= degree; i++)
        complex_c[i - low] = c[i];
    if (degree == low || !find_roots(complex_c, degree - low, roots))
        return INFINITY;
    for (int i = 0; i < degree - low; i++) {
        double r = creal(roots[i]);
        if (!(r > 0) || fabs(cimag(roots[i])) > 1e-6 * r)
            continue;
        for (int k = 0; k < 4; k++) {
            double value = polynomial(c + low, degree - low, r, &slope);
            if (slope != 0 && fabs(value / slope) < 0.01 * r)
                r -= value / slope;
        }
        limits[n++] = r;
    }
    qsort(limits, (size_t)n, sizeof *limits, compare_numbers);
    for (int i = 0; i < n; i++) { /* it may only touch 1 and go back */
        double after = i + 1 < n ? (limits[i] + limits[i + 1]) / 2 : 2 * limits[i];
        if (polynomial(c + low, degree - low, after, &slope) > 0)
            return limits[i];
    }
    return INFINITY;
}

/* The same for implicit methods, which are stable far out: by a search along the ray, then
 * bisection. Bdf3 and bdf4 leave the imaginary axis at 0 by r^4 and r^6: if the first point is
 * stable, shorter steps are. */
static double scanned_limit(Method m, double complex e)
{
    const double margin = 1 + 1e-12, ratio = 1.02, first = 0.03;
    double low = 0;
    for (double r = first; r < 1e6; r *= ratio) {
        if (stability_growth(m, r * e) <= margin) {
            low = r;
            continue;
        }
        for (int k = 0; k < 60 && low > 0; k++) {
            double middle = (low + r) / 2;
            *(stability_growth(m, middle * e) <= margin ? &low : &r) = middle;
        }
        return low;
    }
    return INFINITY;
}

double stability_step(Method m, double complex lambda)
{
    double size = cabs(lambda);
    if (size == 0)
        return INFINITY;
    double complex e = lambda / size;
    return (method_is_explicit(m) ? explicit_limit(m, e) : scanned_limit(m, e)) / size;
}

/* ------------------------------------------------------------------ regions */

/* from a point near by to the one with R(z) = exp(i phi) */
static double complex follow(const ButcherTable *t, double complex z, double phi)
{
    for (int round = 0; round < 4; round++) {
        double complex slope, value = evaluate_stability(t, z, &slope);
        z -= (value - cexp(I * phi)) / slope;
    }
    return z;
}

/* turns of phi until the curve through 0 closes: as many as the degree of R, unless the region has
 * islands */
static int turns_of(const ButcherTable *t)
{
    enum { STEPS = 4000 };
    const double turn = 2 * acos(-1);
    double complex z = 0;
    for (int k = 1; k < t->nstage; k++) {
        for (int i = 1; i <= STEPS; i++)
            z = follow(t, z, turn * (double)i / STEPS);
        if (cabs(z) < 1e-6)
            return k;
    }
    return t->nstage;
}

void stability_curve(Method m, size_t n, double complex *points)
{
    enum { BETWEEN = 32 }; /* steps of the continuation from point to point */
    const double turn = 2 * acos(-1);
    if (is_multistep(m.solver)) {
        double complex c[BDF_ORDERS + 1];
        bdf_polynomial(m.order, c);
        for (size_t i = 0; i < n; i++) {
            double complex w = cexp(-I * turn * (double)i / (double)(n - 1)), z = 0;
            for (int k = m.order; k >= 0; k--)
                z = z * w + c[k];
            points[i] = z;
        }
        points[n - 1] = points[0] = 0;
        return;
    }
    ButcherTable t = solver_table(m.solver);
    double span = turn * turns_of(&t), phi = 0;
    double complex z = 0;
    for (size_t i = 0; i < n; i++) {
        points[i] = z;
        for (int k = 1; k <= BETWEEN; k++) {
            phi = span * ((double)i + (double)k / BETWEEN) / (double)(n - 1);
            z = follow(&t, z, phi);
        }
    }
    points[n - 1] = 0;
}

double stability_angle(Method m)
{
    enum { POINTS = 20001 };
    if (method_is_explicit(m))
        return 0;
    static const double degrees = 57.295779513082320877;
    const LiederAllocator *alloc = &memory_default;
    double complex *points = memory_zeroed(alloc, POINTS * sizeof *points);
    double least = 90;
    if (!points)
        return NAN;
    stability_curve(m, POINTS, points);
    for (size_t i = 0; i < POINTS; i++) /* near 0 and on the axis rounding decides */
        if (creal(points[i]) < -1e-9)
            least = fmin(least, degrees * atan2(fabs(cimag(points[i])), -creal(points[i])));
    memory_free(alloc, points, POINTS * sizeof *points);
    return least;
}

/* ------------------------------------------------------------------ a spectrum and a step */

bool stability_holds(double growth)
{
    const double rounding = 1e-10;
    return growth <= 1 + rounding;
}

/* *lambda: an eigenvalue that limits steps; false: it is at rest, grows by itself, or is the second
 * of a pair */
static bool relevant(const Eigenvalue *v, double complex *lambda)
{
    Motion motion = eigen_motion(v);
    *lambda = (motion == MOTION_UNDAMPED ? 0 : v->re) + I * v->im;
    return (motion == MOTION_DECAYING || motion == MOTION_UNDAMPED) && v->im >= 0;
}

double spectrum_step(const Spectrum *s, Method m, ptrdiff_t *limiting)
{
    double least = INFINITY;
    *limiting = -1;
    for (size_t i = 0; i < s->values.n; i++) {
        double complex lambda;
        if (!relevant(&s->values.items[i], &lambda))
            continue;
        /* regions have no holes towards 0: stable with the least step so far, it needs none
         * shorter */
        if (isfinite(least) && least > 0 && method_is_explicit(m) &&
            stability_growth(m, least * lambda) <= 1)
            continue;
        double h = stability_step(m, lambda);
        if (h < least) {
            least = h;
            *limiting = (ptrdiff_t)i;
        }
    }
    return least;
}

double spectrum_growth(const Spectrum *s, Method m, double h, ptrdiff_t *worst)
{
    double most = 0;
    *worst = -1;
    for (size_t i = 0; i < s->values.n; i++) {
        double complex lambda;
        if (!relevant(&s->values.items[i], &lambda))
            continue;
        double growth = stability_growth(m, h * lambda);
        if (growth > most) {
            most = growth;
            *worst = (ptrdiff_t)i;
        }
    }
    return most;
}

/* ------------------------------------------------------------------ T_D */

/* From h/16 on T_D is doubled until the step is stable; then the begin of stability is
 * bisected. One damped mass needs h over 1, 2, 2.33 and 2.62 for rk1 ... rk4. */
DialecticResult dialectic_search(DialecticProbe *probe, void *user, double h, double *TD)
{
    enum { DOUBLINGS = 14 };
    double low = 0, high = h / 16;
    int stable = probe(user, high);
    if (stable > 0) {
        *TD = high;
        for (int i = 0; i < 4 && stable > 0; i++) { /* shorter ones may do */
            low = high / 8;
            stable = probe(user, low);
            if (stable > 0)
                *TD = high = low;
        }
        if (stable > 0)
            return DIALECTIC_ANY;
    } else {
        for (int i = 0; i < DOUBLINGS && stable == 0; i++) {
            low = high;
            high *= 2;
            stable = probe(user, high);
        }
        if (stable == 0)
            return DIALECTIC_NEVER;
    }
    while (stable >= 0 && high - low > 1e-3 * high) {
        double middle = sqrt(low * high);
        stable = probe(user, middle);
        *(stable > 0 ? &high : &low) = middle;
    }
    *TD = high;
    return stable < 0 ? DIALECTIC_FAILED : DIALECTIC_FOUND;
}
