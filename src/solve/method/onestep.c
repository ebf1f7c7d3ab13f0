/* onestep.c - the formulas of rk45 and rodas4; see onestep.h for the layout.
 *
 * rk45: Dormand and Prince 5(4), J. Comp. Appl. Math. 6, 1980, with Shampine's dense output of
 * order 4 (Hairer, Norsett, Wanner, Solving ODEs I, II.5-6). The slope at the end of a step is the
 * first one of the next.
 *
 *   x(p) = x + p (d + q (a + p (b + q c)))      q = 1 - p, d = y - x
 *   a = h k1 - d,  b = d - h k7 - a,  c = h sum_i DENSE_i k_i
 *
 * rodas4: the Rosenbrock method of order 4(3) of Hairer and Wanner (Solving ODEs II, IV.7 and
 * VI.4), six stages, L-stable and stiffly accurate, with dense output of order 3. For x' = f(t, x),
 * J = df/dx
 *
 *   (4/h I - J) u_i = f(t + ALPHA_i h, x + sum_j A_ij u_j) + sum_j C_ij / h u_j + h GAMMA_i f_t
 *   y = (state of stage 6) + u6,  error u6
 *   x(p) = q x + p (y + q (sum_j H2_j u_j + p sum_j H3_j u_j))
 *
 * The state of stage 6 is that of stage 5 plus u5. There is no iteration, so a lane never waits for
 * another one.
 *
 * Where a motion is much faster than the step, all stages lie on the slow solution, the error u6
 * vanishes whatever the step is, and the curve between x and y means nothing: with a time
 * constant of 1e-8 s a sine was passed over by steps of several periods, and rows were wrong by
 * 300 %. So the curve is examined at p = 1/4 (in the middle its error may vanish by symmetry):
 *
 *   d = f(t + h/4, x(1/4)) - x'(1/4),   (4/h I - J) e = d
 *
 *   |e| <= half the tolerance of the run (nominal + |x|)
 *
 * which for slow motions is a part of h^4 and does not limit steps, and for fast ones the distance
 * to the slow solution. Where modes are held, what a crossing is computed from may be d rather than
 * e (the voltage of a diode that blocks follows from the derivative of a tiny current), so that
 *
 *   |d| <= CURVE_SLOPE (nominal + |x'|),   unless e is rounding
 *
 * is wanted, too; otherwise a step passes over all of the time in which the diode conducts.
 *
 * Both control the error of the lower order and go on with the higher one, so that the error of a
 * run is proportional to that which a step is allowed: SAFETY tolerance. The step factor err^(-1/5)
 * or err^(-1/4) is found by the four operations and sqrt alone: libraries of mathematics differ in
 * their last bits.
 */
#include "solve/method/onestep.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ tables */

enum { RK45_STAGES = 7, RODAS4_STAGES = 6 };

static const double RK45_A[RK45_STAGES][6] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
static const double RK45_C[RK45_STAGES] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
/* b - b^ */
static const double RK45_E[RK45_STAGES] = {
    71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
static const double RK45_DENSE[RK45_STAGES] = {
    -12715105075.0 / 11282082432,  0,
    87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
    701980252875.0 / 199316789632, -1453857185.0 / 822651844,
    69997945.0 / 29380423};

static const double RODAS4_ALPHA[RODAS4_STAGES] = {0, 0.386, 0.21, 0.63, 1, 1};
static const double RODAS4_GAMMA[RODAS4_STAGES] = {0.25, -0.1043, 0.1035, -0.03620000000000023,
                                                   0,    0};
static const double RODAS4_A[RODAS4_STAGES][5] = {
    {0},
    {1.544},
    {0.9466785280815826, 0.2557011698983284},
    {3.314825187068521, 2.896124015972201, 0.9986419139977817},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1}};
static const double RODAS4_C[RODAS4_STAGES][5] = {
    {0},
    {-5.6688},
    {-2.430093356833875, -0.2063599157091915},
    {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
    {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
    {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136,
     -6.058818238834054}};
static const double RODAS4_H2[5] = {10.12623508344586, -7.487995877610167, -34.80091861555747,
                                    -7.992771707568823, 1.025137723295662};
static const double RODAS4_H3[5] = {-0.6762803392801253, 6.087714651680015, 16.43084320892478,
                                    24.76722511418386, -6.594389125716872};

double rk45_time(int stage)
{
    return RK45_C[stage];
}

void rk45_stiffness(const Trial *b, const double *stage, const double *nominal, double *product)
{
    for (size_t l = 0; l < b->width; l++) {
        double slopes = 0, states = 0;
        for (size_t i = l; i < b->n * b->width; i += b->width) {
            double weight = 1 / (nominal[i] + fabs(b->x[i]));
            double f = (b->k[6][i] - b->k[5][i]) * weight, x = (b->y[i] - stage[i]) * weight;
            slopes += f * f;
            states += x * x;
        }
        product[l] = states > 0 ? b->h[l] * sqrt(slopes / states) : 0;
    }
}

double rodas4_time(int stage)
{
    return RODAS4_ALPHA[stage];
}

/* Rosenbrock: G^-1 = 4 I - C, alpha = A G, b = m G, where y = x + sum m u; a holds alpha + G */
static ButcherTable rodas4_table(void)
{
    enum { N = RODAS4_STAGES };
    double inverse[N][N] = {{0}}, G[N][N] = {{0}}, m[N];
    ButcherTable t = {.nstage = N, .order = 4, .rosenbrock = true};
    for (int i = 0; i < N; i++) {
        inverse[i][i] = RODAS4_DIAGONAL;
        for (int k = 0; k < i; k++)
            inverse[i][k] = -RODAS4_C[i][k];
        m[i] = i < 5 ? RODAS4_A[5][i] : 1;
    }
    for (int c = 0; c < N; c++)
        for (int r = c; r < N; r++) {
            double sum = r == c;
            for (int k = c; k < r; k++)
                sum -= inverse[r][k] * G[k][c];
            G[r][c] = sum / inverse[r][r];
        }
    for (int c = 0; c < N; c++)
        for (int r = c; r < N; r++) {
            for (int k = c; k < r; k++)
                t.alpha[r][c] += RODAS4_A[r][k] * G[k][c];
            t.a[r][c] = t.alpha[r][c] + G[r][c];
            t.b[c] += m[r] * G[r][c];
        }
    for (int i = 0; i < N; i++)
        t.c[i] = RODAS4_ALPHA[i];
    return t;
}

ButcherTable onestep_table(LiederSolver solver)
{
    if (solver == LIEDER_RODAS4)
        return rodas4_table();
    ButcherTable t = {.nstage = 6, .order = 5};
    for (int i = 0; i < t.nstage; i++) {
        t.b[i] = RK45_A[6][i];
        t.c[i] = RK45_C[i];
        for (int k = 0; k < i; k++)
            t.a[i][k] = RK45_A[i][k];
    }
    return t;
}

/* ------------------------------------------------------------------ sums over slopes */

/* One row: to = x + h (sum c_j k_j), or without x and h. The sums are written out so that every k
 * is read once. */
#define SUM_ROW(TERMS)                                                                             \
    for (size_t l = 0; l < width; l++) {                                                           \
        double sum = TERMS;                                                                        \
        to[l] = x ? x[l] + (h ? h[l] * sum : sum) : sum;                                           \
    }
/* to = x + h (c0 k0 + c1 k1 + ...), for up to six slopes with the same order of sums */
static void sum_row(double *restrict to, const double *restrict x, const double *restrict h,
                    const double *const *k, const double *c, int n, size_t width)
{
    const double *a = k[0], *b = n > 1 ? k[1] : a, *d = n > 2 ? k[2] : a, *e = n > 3 ? k[3] : a,
                 *f = n > 4 ? k[4] : a, *g = n > 5 ? k[5] : a;
    switch (n) {
    case 1:
        SUM_ROW(c[0] * a[l]);
        break;
    case 2:
        SUM_ROW(c[0] * a[l] + c[1] * b[l]);
        break;
    case 3:
        SUM_ROW(c[0] * a[l] + c[1] * b[l] + c[2] * d[l]);
        break;
    case 4:
        SUM_ROW(c[0] * a[l] + c[1] * b[l] + c[2] * d[l] + c[3] * e[l]);
        break;
    case 5:
        SUM_ROW(c[0] * a[l] + c[1] * b[l] + c[2] * d[l] + c[3] * e[l] + c[4] * f[l]);
        break;
    default:
        SUM_ROW(c[0] * a[l] + c[1] * b[l] + c[2] * d[l] + c[3] * e[l] + c[4] * f[l] + c[5] * g[l]);
    }
}

/* the same for all rows, with the slopes from `first` on */
static void sum_rows(const Trial *b, double *to, bool scaled, int first, const double *c, int n)
{
    for (size_t s = 0; s < b->n; s++) {
        const double *k[6] = {NULL};
        for (int j = 0; j < n; j++)
            k[j] = b->k[first + j] + s * b->width;
        sum_row(to + s * b->width, b->x + s * b->width, scaled ? b->h : NULL, k, c, n, b->width);
    }
}

void rk45_stage(const Trial *b, int stage, double *to)
{
    sum_rows(b, to, true, 0, RK45_A[stage], stage);
}

void rodas4_stage(const Trial *b, int stage, double *to)
{
    sum_rows(b, to, false, 1, RODAS4_A[stage], stage);
}

void rodas4_right(const Trial *b, int stage, const double *f, const double *f_t, double *to)
{
    const double *c = RODAS4_C[stage], gamma = RODAS4_GAMMA[stage];
    for (size_t s = 0; s < b->n; s++)
        for (size_t l = 0, i = s * b->width; l < b->width; l++, i++) {
            double sum = 0;
            for (int j = 0; j < stage; j++)
                sum += c[j] * b->k[1 + j][i];
            to[i] = f[i] + sum / b->h[l] + (f_t ? b->h[l] * gamma * f_t[i] : 0);
        }
}

/* ------------------------------------------------------------------ errors */

/* the error estimate of one state after a trial step: rodas4 has it as its last slope, rk45 as a
 * sum of them */
static inline double error_of(bool stiff, const Trial *b, size_t i, double h)
{
    if (stiff)
        return b->k[6][i];
    return h * (RK45_E[0] * b->k[0][i] + RK45_E[2] * b->k[2][i] + RK45_E[3] * b->k[3][i] +
                RK45_E[4] * b->k[4][i] + RK45_E[5] * b->k[5][i] + RK45_E[6] * b->k[6][i]);
}

void onestep_error(LiederSolver solver, const Trial *b, double tolerance, const double *nominal,
                   double *error)
{
    bool stiff = solver == LIEDER_RODAS4;
    for (size_t l = 0; l < b->width; l++)
        error[l] = 0;
    for (size_t s = 0; s < b->n; s++)
        for (size_t l = 0, i = s * b->width; l < b->width; l++, i++) {
            double x = fabs(b->x[i]), y = fabs(b->y[i]), larger = x > y ? x : y;
            double size = fabs(error_of(stiff, b, i, b->h[l])) /
                          (tolerance * ((nominal ? nominal[i] : 1) + larger));
            bool wrong = !(size < INFINITY) || !(y < INFINITY);
            size = wrong ? INFINITY : size;
            error[l] = size > error[l] ? size : error[l];
        }
}

void onestep_sizes(size_t n, size_t width, const double *v, const double *x, double tolerance,
                   const double *nominal, double *size)
{
    for (size_t s = 0; s < n; s++)
        for (size_t l = 0, i = s * width; l < width; l++, i++) {
            double part = fabs(v[i]) / (tolerance * ((nominal ? nominal[i] : 1) + fabs(x[i])));
            size[l] = part > size[l] || !(part < INFINITY) ? part : size[l];
        }
}

/* ------------------------------------------------------------------ dense output */

void onestep_between(LiederSolver solver, const Trial *b, size_t lane, double p, double *to,
                     size_t stride)
{
    const double h = b->h[lane], q = 1 - p;
    for (size_t s = 0, i = lane; s < b->n; s++, i += b->width) {
        double x = b->x[i], y = b->y[i];
        if (solver == LIEDER_RODAS4) {
            double c = 0, d = 0;
            for (int j = 0; j < 5; j++) {
                c += RODAS4_H2[j] * b->k[1 + j][i];
                d += RODAS4_H3[j] * b->k[1 + j][i];
            }
            to[s * stride] = q * x + p * (y + q * (c + p * d));
        } else {
            double whole = y - x, first = h * b->k[0][i] - whole;
            double second = whole - h * b->k[6][i] - first, third = RK45_DENSE[0] * b->k[0][i];
            for (int j = 2; j < RK45_STAGES; j++)
                third += RK45_DENSE[j] * b->k[j][i];
            to[s * stride] = x + p * (whole + q * (first + p * (second + q * (h * third))));
        }
    }
}

void onestep_slope_between(LiederSolver solver, const Trial *b, size_t lane, double p, double *to,
                           size_t stride)
{
    const double h = b->h[lane], q = 1 - p;
    for (size_t s = 0, i = lane; s < b->n; s++, i += b->width) {
        double whole = b->y[i] - b->x[i];
        if (solver == LIEDER_RODAS4) {
            double c = 0, d = 0;
            for (int j = 0; j < 5; j++) {
                c += RODAS4_H2[j] * b->k[1 + j][i];
                d += RODAS4_H3[j] * b->k[1 + j][i];
            }
            to[s * stride] = (whole + (q - p) * c + p * (2 * q - p) * d) / h;
        } else {
            double first = h * b->k[0][i] - whole, second = whole - h * b->k[6][i] - first,
                   third = RK45_DENSE[0] * b->k[0][i];
            for (int j = 2; j < RK45_STAGES; j++)
                third += RK45_DENSE[j] * b->k[j][i];
            to[s * stride] = (whole + (q - p) * first + p * (2 * q - p) * second +
                              2 * p * q * (q - p) * h * third) /
                             h;
        }
    }
}

void rodas4_curve(const Trial *b, double *x, double *slope)
{
    for (size_t l = 0; l < b->width; l++) {
        onestep_between(LIEDER_RODAS4, b, l, RODAS4_CURVE, x + l, b->width);
        onestep_slope_between(LIEDER_RODAS4, b, l, RODAS4_CURVE, slope + l, b->width);
    }
}

/* ------------------------------------------------------------------ steps */

static const double MIN_FACTOR = 0.2, MAX_FACTOR = 6, FACTOR = 0.9, FAILED_FACTOR = 0.25;
static const double RK45_SAFETY = 0.01, RODAS4_SAFETY = 0.03, FINEST = 1e-14;
static const double CURVE_PART = 0.5, CURVE_SLOPE = 0.02, CURVE_ROUNDING = 1e-13;

/* the root of degree 4 or 5 of a number above zero, the same bits everywhere */
static double root(double a, int degree)
{
    if (degree == 4)
        return sqrt(sqrt(a));
    uint64_t bits, one = 0x3ff0000000000000u;
    memcpy(&bits, &a, sizeof a);
    bits = one + (uint64_t)(((int64_t)bits - (int64_t)one) / 5);
    double r;
    memcpy(&r, &bits, sizeof r);
    for (int i = 0; i < 5; i++) {
        double square = r * r, fourth = square * square;
        r = r - (r * fourth - a) / (5 * fourth);
    }
    return r;
}

static int error_degree(LiederSolver solver)
{
    return solver == LIEDER_RODAS4 ? 4 : 5;
}

static double step_factor(LiederSolver solver, double error)
{
    if (!(error < 1e6))
        return error < INFINITY ? MIN_FACTOR : FAILED_FACTOR;
    if (error < 1e-6)
        return MAX_FACTOR;
    double factor = FACTOR / root(error, error_degree(solver));
    return factor < MIN_FACTOR ? MIN_FACTOR : factor > MAX_FACTOR ? MAX_FACTOR : factor;
}

double onestep_first_trial(double size_x, double size_f, double longest)
{
    double h = size_x < 1e-5 || size_f < 1e-5 ? 1e-6 : 0.01 * (size_x / size_f);
    return h < longest ? h : longest;
}

double onestep_first(LiederSolver solver, double trial, double size_f, double size_change,
                     double longest)
{
    double second = size_change / trial, largest = size_f > second ? size_f : second;
    double h = !(largest > 1e-15) ? (1e-6 > 1e-3 * trial ? 1e-6 : 1e-3 * trial)
                                  : root(0.01 / largest, error_degree(solver));
    if (!(largest < INFINITY))
        h = trial;
    h = h < 100 * trial ? h : 100 * trial;
    return h < longest ? h : longest;
}

StepPlan onestep_plan(double t, double h, double limit)
{
    double left = limit - t;
    if (h >= 0.999 * left)
        return (StepPlan){.h = left, .end = limit, .cut = h > left};
    bool cut = 2 * h > left;
    double end = t + (cut ? 0.5 * left : h);
    return (StepPlan){.h = end - t, .end = end, .cut = cut};
}

double onestep_next(LiederSolver solver, StepPlan plan, double h, double error, bool repeated)
{
    double factor = step_factor(solver, error);
    if (error <= 1 && repeated && factor > 1)
        factor = 1;
    double next = factor * plan.h;
    return error <= 1 && plan.cut && next < h ? h : next;
}

bool onestep_stands_still(size_t *standing, double from, double to, double limit)
{
    double least = fmax(8 * DBL_EPSILON * fabs(to), 1e-30 * (limit - from));
    *standing = to - from <= least ? *standing + 1 : 0;
    return *standing >= MAX_STANDING;
}

double onestep_time_difference(double t, double h)
{
    double d = 6e-6 * h, least = 1e-10 * fabs(t);
    volatile double moved = t + (d > least ? d : least);
    return moved - t;
}

void onestep_time_slope(size_t n, const double *f, const double *near, const double *far, double d,
                        double *f_t)
{
    for (size_t i = 0; i < n; i++)
        f_t[i] = (4 * (near[i] - f[i]) - (far[i] - f[i])) / (2 * d);
}

size_t onestep_fastest(size_t n, const double *dx, const double *x, const double *nominal,
                       double *rate)
{
    size_t fastest = 0;
    *rate = -1;
    for (size_t i = 0; i < n; i++) {
        double here = fabs(dx[i]) / ((nominal ? nominal[i] : 1) + fabs(x[i]));
        if (!(here <= *rate)) {
            *rate = here;
            fastest = i;
        }
    }
    return fastest;
}

void onestep_report(LiederSystem *system, const char *state, LiederSolver solver, double t,
                    double h, double dx, bool stands)
{
    if (stands) {
        diag_error(
            &system->session->diag, NULL, state,
            "%s gives up at t = %.15g: %d steps in a row have hardly moved the time, the last "
            "one by %g s\nthis state moves fastest there (%g per second); is a parameter far "
            "beyond what is meant, or does the solution end here?",
            lieder_solver_name(solver), t, MAX_STANDING, h, dx);
        return;
    }
    diag_error(&system->session->diag, NULL, state,
               "%s gives up at t = %.15g with a step of %g: no shorter one is possible\nthis state "
               "moves fastest there (%g per second); does the solution end here, or is something "
               "discontinuous? 'lieder eigen --at' shows what happens shortly before",
               lieder_solver_name(solver), t, h, dx);
}

double onestep_tolerance(LiederSolver solver, double tolerance)
{
    return fmax((solver == LIEDER_RODAS4 ? RODAS4_SAFETY : RK45_SAFETY) * tolerance, FINEST);
}

/* a defect as an error where modes are held; see above */
static double slope_error(double off, double defect, double slope, double size, double nominal)
{
    return fabs(off) > CURVE_ROUNDING * size
               ? fabs(defect) / (CURVE_SLOPE * (nominal + fabs(slope)))
               : 0;
}

void rodas4_curve_error(const Trial *b, const CurveDefect *d, double tolerance,
                        const double *nominal, double *error)
{
    double allowed = CURVE_PART * tolerance / RODAS4_SAFETY;
    onestep_sizes(b->n, b->width, d->off, b->x, allowed, nominal, error);
    for (size_t s = 0; s < b->n && d->modes; s++)
        for (size_t l = 0, i = s * b->width; l < b->width; l++, i++) {
            double one = nominal ? nominal[i] : 1, size = one + fabs(b->x[i]);
            double part = slope_error(d->off[i], d->defect[i], d->f[i] - d->defect[i], size, one);
            error[l] = part > error[l] ? part : error[l];
        }
    for (size_t l = 0; l < b->width; l++)
        error[l] = error[l] < INFINITY ? error[l] : INFINITY;
}

double onestep_finest(LiederSolver solver)
{
    return solver == LIEDER_RODAS4 ? 1e-10 : 1e-12;
}

/* ------------------------------------------------------------------ matrices of lanes */

/* the row of the largest number in column k of each lane, and that row in place of row k */
static void choose_pivots(double *a, uint32_t *pivots, size_t k, size_t n, size_t width)
{
    for (size_t l = 0; l < width; l++) {
        size_t best = k;
        double largest = fabs(a[(k * n + k) * width + l]);
        for (size_t r = k + 1; r < n; r++) {
            double size = fabs(a[(r * n + k) * width + l]);
            if (size > largest) {
                largest = size;
                best = r;
            }
        }
        pivots[k * width + l] = (uint32_t)best;
        for (size_t c = 0; c < n && best != k; c++) {
            double *one = &a[(k * n + c) * width + l], *other = &a[(best * n + c) * width + l];
            double swap = *one;
            *one = *other;
            *other = swap;
        }
    }
}

void lanes_factorise(double *a, uint32_t *pivots, size_t n, size_t width)
{
    for (size_t k = 0; k < n; k++) {
        choose_pivots(a, pivots, k, n, width);
        double *pivot = a + (k * n + k) * width;
        for (size_t l = 0; l < width; l++)
            pivot[l] = 1 / pivot[l];
        for (size_t r = k + 1; r < n; r++) {
            double *restrict factor = a + (r * n + k) * width;
            for (size_t l = 0; l < width; l++)
                factor[l] *= pivot[l];
            for (size_t c = k + 1; c < n; c++) {
                double *restrict to = a + (r * n + c) * width;
                const double *restrict from = a + (k * n + c) * width;
                for (size_t l = 0; l < width; l++)
                    to[l] -= factor[l] * from[l];
            }
        }
    }
}

void lanes_solve(const double *a, const uint32_t *pivots, size_t n, size_t width, double *b)
{
    for (size_t k = 0; k < n; k++)
        for (size_t l = 0; l < width; l++) {
            double *one = &b[k * width + l], *other = &b[pivots[k * width + l] * width + l];
            double swap = *one;
            *one = *other;
            *other = swap;
        }
    for (size_t r = 1; r < n; r++)
        for (size_t c = 0; c < r; c++)
            for (size_t l = 0; l < width; l++)
                b[r * width + l] -= a[(r * n + c) * width + l] * b[c * width + l];
    for (size_t r = n; r-- > 0;) {
        for (size_t c = r + 1; c < n; c++)
            for (size_t l = 0; l < width; l++)
                b[r * width + l] -= a[(r * n + c) * width + l] * b[c * width + l];
        for (size_t l = 0; l < width; l++)
            b[r * width + l] *= a[(r * n + r) * width + l];
    }
}
