/* implicit.c - the solvers for stiff systems, by SUNDIALS: backward Euler and ESDIRK23 by ARKODE
 * with the tables below, BDF by CVODE; Newton with the Jacobian of jacobian.c and KLU.
 *
 * ESDIRK23 (Jorgensen, Kristensen, Thomsen, arXiv 1803.01613), g = 1 - 1/sqrt 2:
 *
 *   0  | 0
 *   2g | g        g
 *   1  | (1-g)/2  (1-g)/2  g
 *   ---+--------------------------------------------------
 *   b  | (1-g)/2  (1-g)/2  g                                order 2, L-stable, stiffly accurate
 *   b^ | (6g-1)/(12g)  1/(12g(1-2g))  (1-3g)/(3(1-2g))      order 3, for the error only
 *
 * Between the ends of a step ESDIRK23 is the cubic through both states with slopes that follow
 * from the stages z2 and x1, not from f:
 *
 *   h k3 = ((x1 - x0) - (1-g)/(2g) (z2 - x0)) / g,   k1 = k3 of the step before
 *
 * For stiff states f(x1) would multiply the error that Newton left by h lambda. ARKODE's own
 * interpolant is linear for a method of order two.
 *
 * The tolerance that a user gives is that of the run. A solver of order p whose steps have errors
 * of e leaves an error proportional to e^(p/(p+1)) at the end, and a run has many steps; so a step
 * is allowed
 *
 *   SAFETY tolerance^((p+1)/p)      p = 2 for ESDIRK23; 5 for BDF, which chooses between 1 and 5
 *
 * relative to nominal + |x|, in the state where it is largest: with the usual mean over all states
 * one lane of a large fleet could be wrong by the root of their number. With these factors event
 * times and end states of the benchmark cases are within the tolerance
 * (test/solve/test_tolerance.c). BDF begins at order one after every event, where short flights
 * would end at once: until it has reached order START_ORDER it works to the finest tolerance. Steps
 * grow tenfold, so that it costs a few of them.
 *
 * Backward Euler begins every step from nothing but (t, h, x): the solver is reset, the
 * predictor is x, the Jacobian is new. So a run that was split has the same bits.
 */
#include "solve/method/implicit.h"
#include "base/clock.h"
#include "solve/method/jacobian.h"
#include "solve/method/onestep.h"
#include "solve/run/ranks.h"
#include "solve/method/vectors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <arkode/arkode_arkstep.h>
#include <cvode/cvode.h>
#include <suitesparse/klu.h>
#include <sunlinsol/sunlinsol_klu.h>

#define GAMMA (1 - 0.70710678118654752440)

/* Newton in fixed steps: well below what any step of practical use leaves */
static const double FIXED_TOLERANCE = 1e-10;

/* of a step, see the top; beyond the finest one rounding decides */
static const double ESDIRK23_SAFETY = 0.01, BDF_SAFETY = 0.03, FINEST_TOLERANCE = 1e-14;
enum { START_ORDER = 3, MAX_TRIALS = 50 };

/* ratio of pivots below which KLU's manual advises another order: the roundoff to the power of
 * 2/3 */
static const double SMALLEST_RATIO = 3.666852862501036e-11;

/* on the shelf: SUNDIALS 6.4 clones 18, three are Implicit's own, three are spare */
enum { VECTORS = 24 };

struct Implicit {
    Team *team;
    const Moment *moment;
    LiederSolver solver;
    size_t n;
    SUNContext context;
    Shelf shelf;
    void *ark, *cv;
    N_Vector state, error, weight;
    SUNMatrix matrix;
    SUNLinearSolver linear;
    ARKodeButcherTable table;
    Jacobian jacobian;
    double tolerance; /* of a step */
    double longest;   /* step of an adaptive solver; 0: no limit */
    Glances glances;
    double *glance_room[3]; /* room for them: derivatives, slopes of the curve, their sum */
    double ahead;  /* a longer step has passed over something that begins here: steps end here */
    bool starting; /* BDF, below START_ORDER */
    /* the last step, for the interpolant */
    double t0, t1;
    double *x0, *x1, *stage[2], *slope0, *slope1; /* stage[1] is the latest */
    double *astray, astray_at;                    /* state and time of the last failed evaluation */
    size_t *limited;                              /* by state: how often it limited the step */
    size_t standing; /* steps in a row that moved the time by rounding only */
    /* statistics that survive resets */
    size_t steps, rejected, factorisations;
    double smallest, largest, jacobian_seconds, step_seconds;
    LiederStatus failure; /* of the last evaluation */
    char message[256];    /* the last one of SUNDIALS */
};

/* ------------------------------------------------------------------ what SUNDIALS calls */

static int sundials_flag(LiederStatus status)
{
    return status == LIEDER_DONE                                    ? 0
           : status == LIEDER_NO_MEMORY || status == LIEDER_STOPPED ? -1
                                                                    : 1; /* try a shorter step */
}

/* the right-hand side for SUNDIALS; where it fails is kept for the report */
static int evaluate_implicit(realtype t, N_Vector y, N_Vector dy, void *user)
{
    Implicit *m = user;
    double *to = N_VGetArrayPointer(dy);
    if (m->n == 0)
        to[0] = 0; /* see `room` */
    m->failure = team_derivatives(m->team, t, m->moment, N_VGetArrayPointer(y), to, false);
    m->failure = ranks_status(m->team->system, m->failure, m->team->system->session->diag.list.n);
    if (m->failure != LIEDER_DONE) {
        m->astray_at = t;
        memcpy(m->astray, N_VGetArrayPointer(y), m->n * sizeof(double));
    }
    return sundials_flag(m->failure);
}

static void write_pattern(const Implicit *m, SUNMatrix J)
{
    jacobian_pattern(&m->jacobian, SM_INDEXPTRS_S(J), SM_INDEXVALS_S(J));
    if (m->n == 0) { /* see `room` */
        SM_INDEXPTRS_S(J)[1] = 1;
        SM_INDEXVALS_S(J)[0] = 0;
        SM_DATA_S(J)[0] = 0;
    }
}

/* the Jacobian for SUNDIALS, with the time that it takes counted */
static int make_jacobian(realtype t, N_Vector y, N_Vector dy, SUNMatrix J, void *user, N_Vector a,
                         N_Vector b, N_Vector c)
{
    (void)a;
    (void)b;
    (void)c;
    Implicit *m = user;
    double began = clock_seconds();
    /* I - gamma J is formed in place: the pattern is written anew */
    write_pattern(m, J);
    m->failure = jacobian_evaluate(&m->jacobian, t, m->moment, N_VGetArrayPointer(y),
                                   N_VGetArrayPointer(dy), SM_DATA_S(J));
    m->failure = ranks_status(m->team->system, m->failure, m->team->system->session->diag.list.n);
    m->jacobian_seconds += clock_seconds() - began;
    return sundials_flag(m->failure);
}

static int keep_stage(realtype t, N_Vector y, void *user)
{
    (void)t;
    Implicit *m = user;
    double *oldest = m->stage[0];
    m->stage[0] = m->stage[1];
    m->stage[1] = oldest;
    memcpy(oldest, N_VGetArrayPointer(y), m->n * sizeof(double));
    return 0;
}

static void keep_message(int code, const char *module, const char *function, char *message,
                         void *user)
{
    (void)code;
    (void)module;
    (void)function;
    snprintf(((Implicit *)user)->message, sizeof((Implicit *)user)->message, "%s", message);
}

/* weights 1 / (tolerance (nominal + |x|)) */
static int weigh(N_Vector y, N_Vector weight, void *user)
{
    const Implicit *m = user;
    const double *x = N_VGetArrayPointer(y);
    double *w = N_VGetArrayPointer(weight);
    double tolerance = m->starting ? FINEST_TOLERANCE : m->tolerance;
    for (size_t i = 0; i < m->n; i++)
        w[i] = 1 / (tolerance * (state_nominal(m->team->system, i) + fabs(x[i])));
    if (m->n == 0)
        w[0] = 1; /* see `room` */
    return 0;
}

/* ------------------------------------------------------------------ factors */

/* Factors in the pivot order of the first matrix, and anew if that has become a bad one: where the
 * pivots differ as much as KLU's rule says. All ranks examine their pivots, and decide together. */
static int factor_implicit(SUNLinearSolver solver, SUNMatrix J)
{
    SUNLinearSolverContent_KLU c = solver->content;
    const LiederSystem *system = ((ShelfMatrix *)J)->shelf->system;
    double least = INFINITY, most = 0;
    bool failed = false;
    if (c->first_factorize) {
        int flag = SUNLinSolSetup_KLU(solver, J);
        bool all = !ranks_any(system, flag != 0);
        return all ? SUNLS_SUCCESS : flag < 0 ? flag : SUNLS_PACKAGE_FAIL_REC;
    }
    failed = !klu_l_refactor(SM_INDEXPTRS_S(J), SM_INDEXVALS_S(J), SM_DATA_S(J), c->symbolic,
                             c->numeric, &c->common);
    for (sunindextype i = 0; i < c->numeric->n && !failed; i++) {
        double pivot = fabs(((double *)c->numeric->Udiag)[i]);
        least = pivot < least ? pivot : least; /* NaN: KLU has refused it */
        most = pivot > most ? pivot : most;
    }
    if (ranks_any(system, failed))
        return SUNLS_PACKAGE_FAIL_REC;
    if (!(ranks_least(system, least) < SMALLEST_RATIO * ranks_greatest(system, most)))
        return SUNLS_SUCCESS;
    klu_l_free_numeric(&c->numeric, &c->common);
    c->numeric =
        klu_l_factor(SM_INDEXPTRS_S(J), SM_INDEXVALS_S(J), SM_DATA_S(J), c->symbolic, &c->common);
    return ranks_any(system, !c->numeric) ? SUNLS_PACKAGE_FAIL_UNREC : SUNLS_SUCCESS;
}

/* ------------------------------------------------------------------ creation */

static double step_tolerance(LiederSolver solver, double tolerance)
{
    if (solver == LIEDER_EULER_BACKWARD)
        return FIXED_TOLERANCE;
    double step = solver == LIEDER_BDF ? BDF_SAFETY * pow(tolerance, 6.0 / 5)
                                       : ESDIRK23_SAFETY * pow(tolerance, 3.0 / 2);
    return fmax(step, FINEST_TOLERANCE);
}

/* where the tolerance of a step is the finest one; for ESDIRK23 less, since it takes many steps */
double implicit_finest(LiederSolver solver)
{
    return solver == LIEDER_BDF ? 1e-10 : 1e-9;
}

ButcherTable implicit_table(LiederSolver solver)
{
    const double g = GAMMA, w = (1 - g) / 2;
    if (solver == LIEDER_EULER_BACKWARD)
        return (ButcherTable){.nstage = 1, .order = 1, .a = {{1}}, .b = {1}, .c = {1}};
    return (ButcherTable){
        .nstage = 3, .order = 2, .a = {{0}, {g, g}, {w, w, g}}, .b = {w, w, g}, .c = {0, 2 * g, 1}};
}

/* the Butcher table of a solver with its embedded method, as ARKODE wants it */
static ARKodeButcherTable make_table(LiederSolver solver)
{
    const double g = GAMMA;
    ButcherTable t = implicit_table(solver);
    double a[MAX_STAGES * MAX_STAGES];
    double third[] = {(6 * g - 1) / (12 * g), 1 / (12 * g * (1 - 2 * g)),
                      (1 - 3 * g) / (3 * (1 - 2 * g))};
    for (int i = 0; i < t.nstage; i++)
        for (int k = 0; k < t.nstage; k++)
            a[i * t.nstage + k] = t.a[i][k];
    bool adaptive = lieder_solver_info(solver)->adaptive;
    return ARKodeButcherTable_Create(t.nstage, t.order, adaptive ? 3 : 0, t.c, a, t.b,
                                     adaptive ? third : NULL);
}

/* ARKODE with our table, tolerances and linear solver; false: it refused */
static bool start_arkode(Implicit *m, double t)
{
    m->ark = ARKStepCreate(NULL, evaluate_implicit, t, m->state, m->context);
    m->table = make_table(m->solver);
    if (!m->ark || !m->table)
        return false;
    bool fixed = !lieder_solver_info(m->solver)->adaptive;
    bool ok = ARKStepSetErrHandlerFn(m->ark, keep_message, m) == 0 &&
              ARKStepSetUserData(m->ark, m) == 0 &&
              ARKStepSetTables(m->ark, m->table->q, m->table->p, m->table, NULL) == 0 &&
              ARKStepWFtolerances(m->ark, weigh) == 0 &&
              ARKStepSetInterpolantType(m->ark, ARK_INTERP_LAGRANGE) == 0 &&
              ARKStepSetLinearSolver(m->ark, m->linear, m->matrix) == 0 &&
              ARKStepSetJacFn(m->ark, make_jacobian) == 0 &&
              ARKStepSetDeduceImplicitRhs(m->ark, 1) == 0 && ARKStepSetMaxNumSteps(m->ark, -1) == 0;
    if (ok && fixed)
        ok = ARKStepSetLSetupFrequency(m->ark, 1) == 0 &&
             ARKStepSetJacEvalFrequency(m->ark, 1) == 0 &&
             ARKStepSetMaxNonlinIters(m->ark, 20) == 0;
    if (ok && !fixed)
        /* stages begin with an extrapolation: a quarter less evaluations than from x */
        ok = ARKStepSetPostprocessStageFn(m->ark, keep_stage) == 0 &&
             ARKStepSetPredictorMethod(m->ark, 1) == 0 &&
             ARKStepSetMaxStep(m->ark, m->longest) == 0 &&
             /* after an event the step is still the one before it, which may be far too long */
             ARKStepSetMaxErrTestFails(m->ark, MAX_TRIALS) == 0;
    return ok;
}

static bool start_cvode(Implicit *m, double t)
{
    m->cv = CVodeCreate(CV_BDF, m->context);
    return m->cv && CVodeSetErrHandlerFn(m->cv, keep_message, m) == 0 &&
           CVodeInit(m->cv, evaluate_implicit, t, m->state) == 0 &&
           CVodeSetUserData(m->cv, m) == 0 && CVodeWFtolerances(m->cv, weigh) == 0 &&
           CVodeSetLinearSolver(m->cv, m->linear, m->matrix) == 0 &&
           CVodeSetJacFn(m->cv, make_jacobian) == 0 && CVodeSetMaxNumSteps(m->cv, -1) == 0 &&
           CVodeSetMaxStep(m->cv, m->longest) == 0 && CVodeSetStabLimDet(m->cv, 1) == 0;
}

Implicit *implicit_create(Team *team, LiederSolver solver, double tolerance, double longest,
                          const Glances *glances, double t, const Moment *moment, const double *x)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(team->system);
    Implicit *m = memory_zeroed(alloc, sizeof *m);
    if (!m)
        return NULL;
    /* a rank without states gets one with derivative 0, because SUNDIALS needs one */
    size_t n = team->system->nstate, room = n ? n : 1;
    *m = (Implicit){.team = team,
                    .moment = moment,
                    .solver = solver,
                    .n = n,
                    .tolerance = step_tolerance(solver, tolerance),
                    .longest = longest,
                    .glances = *glances,
                    .ahead = -INFINITY,
                    .smallest = INFINITY};
    double **vectors[] = {&m->x0,
                          &m->x1,
                          &m->stage[0],
                          &m->stage[1],
                          &m->slope0,
                          &m->slope1,
                          &m->glance_room[0],
                          &m->glance_room[1],
                          &m->glance_room[2],
                          &m->astray};
    bool ok = true;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        ok &= (*vectors[i] = memory_zeroed(alloc, n * sizeof(double))) != NULL;
    m->limited = memory_zeroed(alloc, n * sizeof(size_t));
    ok = ok && m->limited && jacobian_create(&m->jacobian, team, t, moment, x) == LIEDER_DONE &&
         SUNContext_Create(NULL, &m->context) == 0 &&
         shelf_create(&m->shelf, team->system, room, VECTORS, m->jacobian.nonzeros + (n == 0),
                      m->context);
    if (ok) {
        m->state = shelf_vector(&m->shelf);
        m->error = shelf_vector(&m->shelf);
        m->weight = shelf_vector(&m->shelf);
        m->matrix = shelf_matrix(&m->shelf);
        memcpy(N_VGetArrayPointer(m->state), x, n * sizeof(double));
        write_pattern(m, m->matrix);
        m->linear = SUNLinSol_KLU(m->state, m->matrix, m->context);
        if (m->linear)
            m->linear->ops->setup = factor_implicit;
        ok = m->linear && (solver == LIEDER_BDF ? start_cvode(m, t) : start_arkode(m, t));
    }
    if (!ok) {
        implicit_destroy(m);
        return NULL;
    }
    return m;
}

void implicit_destroy(Implicit *m)
{
    if (!m)
        return;
    const LiederAllocator *alloc = SYSTEM_ALLOC(m->team->system);
    if (m->ark)
        ARKStepFree(&m->ark);
    if (m->cv)
        CVodeFree(&m->cv);
    ARKodeButcherTable_Free(m->table);
    if (m->linear)
        SUNLinSolFree(m->linear);
    shelf_drop(&m->shelf);
    if (m->context)
        SUNContext_Free(&m->context);
    jacobian_drop(&m->jacobian);
    double *owned[] = {m->x0,
                       m->x1,
                       m->stage[0],
                       m->stage[1],
                       m->slope0,
                       m->slope1,
                       m->glance_room[0],
                       m->glance_room[1],
                       m->glance_room[2],
                       m->astray};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        memory_free(alloc, owned[i], m->n * sizeof(double));
    memory_free(alloc, m->limited, m->n * sizeof(size_t));
    memory_free(alloc, m, sizeof *m);
}

double implicit_tolerance(const Implicit *m)
{
    return m->solver == LIEDER_EULER_BACKWARD ? 0 : m->tolerance;
}

/* ------------------------------------------------------------------ failures in words */

/* a flag of SUNDIALS in words; CVODE and ARKODE have the same numbers */
static const char *failure_words(const Implicit *m, int flag)
{
    switch (flag) {
    case CV_ERR_FAILURE:
        return "the error of a step is too large, however short it is";
    case CV_CONV_FAILURE:
        return "the equations of a step are not solved, however short it is";
    case CV_LSETUP_FAIL:
    case CV_LSOLVE_FAIL:
        return "the linear equations of a step have no solution";
    case CV_RHSFUNC_FAIL:
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR:
        return "the model gives no numbers in any step from here, however short it is";
    default:
        return m->message;
    }
}

/* Reports why SUNDIALS gave up: what the model says here or where a step would lead, else the state
 * that moves fastest as the tolerance sees it. */
static LiederStatus explain(Implicit *m, double t, double h, int flag)
{
    LiederSystem *system = m->team->system;
    Lieder *session = system->session;
    if (m->failure == LIEDER_STOPPED)
        return LIEDER_STOPPED;
    if (ranks_any(system, flag == CV_MEM_FAIL || flag == ARK_MEM_FAIL ||
                              m->failure == LIEDER_NO_MEMORY ||
                              SUNLinSol_KLUGetCommon(m->linear)->status == KLU_OUT_OF_MEMORY))
        return LIEDER_NO_MEMORY;
    const double *x = N_VGetArrayPointer(m->state);
    double *dx = N_VGetArrayPointer(m->error), rate;
    size_t before = session->diag.list.n;
    char name[600];
    LiederStatus status = team_derivatives(m->team, t, m->moment, x, dx, true);
    status = ranks_status(system, session->diag.list.n > before ? status : LIEDER_DONE, before);
    if (status != LIEDER_DONE)
        return status;
    /* the model has derivatives here, but none where a step would lead: report the reason there */
    if (m->failure != LIEDER_DONE && flag <= CV_RHSFUNC_FAIL && flag >= CV_UNREC_RHSFUNC_ERR) {
        status = team_derivatives(m->team, m->astray_at, m->moment, m->astray, dx, true);
        status = ranks_status(system, session->diag.list.n > before ? status : LIEDER_DONE, before);
        if (status != LIEDER_DONE)
            return status;
        team_derivatives(m->team, t, m->moment, x, dx, false);
    }
    size_t fastest = onestep_fastest(m->n, dx, x, system->scales.nominal, &rate);
    LiederStatus verdict = m->failure == LIEDER_NOT_FINITE ? LIEDER_NOT_FINITE : LIEDER_GAVE_UP;
    if (!ranks_first_with(system, rate))
        return verdict;
    lieder_system_state_name(system, fastest, name, sizeof name);
    diag_error(&session->diag, NULL, name,
               "%s gives up at t = %.15g with a step of %g: %s\nthis state moves fastest there (%g "
               "per second); %s",
               lieder_solver_name(m->solver), t, h, failure_words(m, flag), dx[fastest],
               m->standing ? "does the solution end here, because the equations become singular "
                             "on the way? 'lieder eigen --at' shows what happens shortly before"
                           : "is something discontinuous or missing?");
    return verdict;
}

/* ------------------------------------------------------------------ steps */

LiederStatus implicit_restart(Implicit *m, double t, const double *x)
{
    memcpy(N_VGetArrayPointer(m->state), x, m->n * sizeof(double));
    m->t0 = m->t1 = t;
    m->standing = 0;
    if (m->cv) { /* CVodeReInit sets its counters to zero */
        long setups = 0;
        CVodeGetNumLinSolvSetups(m->cv, &setups);
        m->factorisations += (size_t)setups;
    }
    memcpy(m->x1, x, m->n * sizeof(double));
    int flag = m->cv ? CVodeReInit(m->cv, t, m->state) : ARKStepReset(m->ark, t, m->state);
    m->starting = m->cv != NULL;
    if (flag != 0)
        return LIEDER_GAVE_UP;
    if (m->solver != LIEDER_ESDIRK23)
        return LIEDER_DONE;
    size_t before = m->team->system->session->diag.list.n;
    return ranks_status(m->team->system,
                        team_derivatives(m->team, t, m->moment, x, m->slope1, true), before);
}

/* counts which state has limited the step: the one with the largest error for its weight */
static void count_limit(Implicit *m)
{
    int flag = m->cv ? CVodeGetEstLocalErrors(m->cv, m->error)
                     : ARKStepGetEstLocalErrors(m->ark, m->error);
    flag |= m->cv ? CVodeGetErrWeights(m->cv, m->weight) : ARKStepGetErrWeights(m->ark, m->weight);
    if (flag != 0)
        return;
    const double *e = N_VGetArrayPointer(m->error), *w = N_VGetArrayPointer(m->weight);
    size_t most = 0;
    for (size_t i = 1; i < m->n; i++)
        if (fabs(e[i] * w[i]) > fabs(e[most] * w[most]))
            most = i;
    double here = m->n ? fabs(e[most] * w[most]) : -1;
    if (here == ranks_greatest(m->team->system, here) && m->n)
        m->limited[most]++;
}

/* slope at the end of an ESDIRK23 step, times h: see the top */
static void deduce_slope(Implicit *m, double h)
{
    const double g = GAMMA, w = (1 - g) / (2 * g);
    for (size_t i = 0; i < m->n; i++)
        m->slope1[i] = ((m->x1[i] - m->x0[i]) - w * (m->stage[0][i] - m->x0[i])) / (g * h);
}

/* one step by its error alone, without the instants inside (glance.c) */
static LiederStatus take_step(Implicit *m, double limit, double *t, double *x)
{
    double began = clock_seconds(), reached = *t, from = *t;
    double *swap = m->x0;
    m->x0 = m->x1;
    m->x1 = swap;
    swap = m->slope0;
    m->slope0 = m->slope1;
    m->slope1 = swap;
    long attempts = 0, failed = 0, after = 0;
    int flag;
    if (m->cv) {
        CVodeGetNumErrTestFails(m->cv, &failed);
        CVodeSetStopTime(m->cv, limit);
        flag = CVode(m->cv, limit, m->state, &reached, CV_ONE_STEP);
        CVodeGetNumErrTestFails(m->cv, &after);
        m->rejected += (size_t)(after - failed);
    } else {
        ARKStepGetNumStepAttempts(m->ark, &attempts);
        ARKStepSetStopTime(m->ark, limit);
        flag = ARKStepEvolve(m->ark, limit, m->state, &reached, ARK_ONE_STEP);
        ARKStepGetNumStepAttempts(m->ark, &after);
        m->rejected += (size_t)(after > attempts ? after - attempts - 1 : 0);
    }
    m->step_seconds += clock_seconds() - began;
    /* CVODE warns of this only */
    if (flag >= 0 && onestep_stands_still(&m->standing, from, reached, limit)) {
        snprintf(m->message, sizeof m->message, "the time does not move on any more");
        return explain(m, from, reached - from, 0);
    }
    if (flag < 0) {
        double h = 0;
        if (m->cv)
            CVodeGetCurrentStep(m->cv, &h);
        else
            ARKStepGetCurrentStep(m->ark, &h);
        memcpy(N_VGetArrayPointer(m->state), m->x0, m->n * sizeof(double));
        return explain(m, from, h, flag);
    }
    memcpy(m->x1, N_VGetArrayPointer(m->state), m->n * sizeof(double));
    memcpy(x, m->x1, m->n * sizeof(double));
    m->t0 = from;
    m->t1 = *t = reached;
    m->steps++;
    m->smallest = fmin(m->smallest, reached - from);
    m->largest = fmax(m->largest, reached - from);
    if (m->ark)
        deduce_slope(m, reached - from);
    count_limit(m);
    int order = 0;
    if (m->starting && CVodeGetLastOrder(m->cv, &order) == 0 && order >= START_ORDER)
        m->starting = false;
    return LIEDER_DONE;
}

/* the last step for glance_walk */
static bool read_last_step(void *user, double t, const GlanceCurve *curve)
{
    Implicit *m = user;
    LiederSystem *system = m->team->system;
    implicit_slope_between(m, t, curve->slope);
    implicit_between(m, t, curve->x);
    LiederStatus status = team_derivatives(m->team, t, m->moment, curve->x, curve->f, false);
    return ranks_status(system, status, system->session->diag.list.n) == LIEDER_DONE;
}

/* the error that the last step passes over: M e = S, with the matrix of the solver if it is
 * regular */
static void weigh_last(void *user, const GlanceCurve *curve)
{
    Implicit *m = user;
    const size_t size = m->n * sizeof(double);
    memcpy(N_VGetArrayPointer(m->error), curve->sum, size);
    if (SUNLinSolSolve(m->linear, m->matrix, m->weight, m->error, 0) == 0)
        memcpy(curve->sum, N_VGetArrayPointer(m->weight), size);
    memcpy(curve->x, m->x1, size);
}

/* Does the last step pass over something? *at: where it begins. See glance.c. */
static bool passes_over(Implicit *m, double *at)
{
    LiederSystem *system = m->team->system;
    GlanceCurve curve = {.n = m->n,
                         .nominal = system->scales.nominal,
                         .x = N_VGetArrayPointer(m->weight),
                         .slope = m->glance_room[1],
                         .f = m->glance_room[0],
                         .sum = m->glance_room[2],
                         .read = read_last_step,
                         .weigh = weigh_last,
                         .user = m};
    Glance g;
    if (!glance_first(&m->glances, m->t0, m->t1, &g))
        return false;
    *at = ranks_least(system, glance_walk(&m->glances, &g, &curve));
    return *at < INFINITY;
}

LiederStatus implicit_step(Implicit *m, double limit, double *t, double *x)
{
    double from = *t, largest = m->largest, at;
    LiederStatus status = take_step(m, from < m->ahead ? fmin(limit, m->ahead) : limit, t, x);
    while (status == LIEDER_DONE && passes_over(m, &at)) {
        m->ahead = at;
        m->largest = largest;
        m->steps--;
        m->rejected++;
        *t = from;
        memcpy(x, m->x0, m->n * sizeof(double));
        status = implicit_restart(m, from, x);
        if (status == LIEDER_DONE)
            status = take_step(m, fmin(limit, at), t, x);
    }
    return status;
}

void implicit_between(Implicit *m, double t, double *x)
{
    if (t >= m->t1) {
        memcpy(x, m->x1, m->n * sizeof(double));
        return;
    }
    if (t <= m->t0) {
        memcpy(x, m->x0, m->n * sizeof(double));
        return;
    }
    if (m->cv) {
        CVodeGetDky(m->cv, t, 0, m->error);
        memcpy(x, N_VGetArrayPointer(m->error), m->n * sizeof(double));
        return;
    }
    double h = m->t1 - m->t0, a = (t - m->t0) / h, b = 1 - a;
    double f0 = b * b * (1 + 2 * a), f1 = a * a * (1 + 2 * b), s0 = h * a * b * b,
           s1 = -h * a * a * b;
    for (size_t i = 0; i < m->n; i++)
        x[i] = f0 * m->x0[i] + f1 * m->x1[i] + (s0 * m->slope0[i] + s1 * m->slope1[i]);
}

const double *implicit_noise(const Implicit *m)
{
    return m->jacobian.noise;
}

void implicit_slope_between(Implicit *m, double t, double *slope)
{
    if (m->cv) {
        CVodeGetDky(m->cv, t, 1, m->error);
        memcpy(slope, N_VGetArrayPointer(m->error), m->n * sizeof(double));
        return;
    }
    double h = m->t1 - m->t0, a = h > 0 ? fmin(fmax((t - m->t0) / h, 0), 1) : 1, b = 1 - a;
    for (size_t i = 0; i < m->n; i++)
        slope[i] = (h > 0 ? 6 * a * b * (m->x1[i] - m->x0[i]) / h : 0) +
                   b * (1 - 3 * a) * m->slope0[i] + a * (1 - 3 * b) * m->slope1[i];
}

LiederStatus implicit_fixed_step(Implicit *m, double t, double h, double *x)
{
    double began = clock_seconds(), reached;
    memcpy(N_VGetArrayPointer(m->state), x, m->n * sizeof(double));
    int flag = ARKStepReset(m->ark, t, m->state);
    if (flag == 0)
        flag = ARKStepSetFixedStep(m->ark, h);
    if (flag == 0)
        flag = ARKStepEvolve(m->ark, t + h, m->state, &reached, ARK_ONE_STEP);
    m->step_seconds += clock_seconds() - began;
    m->smallest = fmin(m->smallest, h);
    m->largest = fmax(m->largest, h);
    if (flag < 0) {
        memcpy(N_VGetArrayPointer(m->state), x, m->n * sizeof(double));
        return explain(m, t, h, flag);
    }
    m->steps++;
    memcpy(x, N_VGetArrayPointer(m->state), m->n * sizeof(double));
    return LIEDER_DONE;
}

size_t implicit_limits(const Implicit *m, size_t state)
{
    return m->limited[state];
}

void implicit_statistics(const Implicit *m, LiederStatistics *s)
{
    long setups = 0;
    if (m->cv)
        CVodeGetNumLinSolvSetups(m->cv, &setups);
    else
        ARKStepGetNumLinSolvSetups(m->ark, &setups);
    s->steps = m->steps;
    s->rejected = m->rejected;
    s->jacobians = m->jacobian.count;
    s->factorisations = m->factorisations + (size_t)setups;
    s->smallest_step = m->steps ? m->smallest : 0;
    s->largest_step = m->largest;
    s->solve_seconds = fmax(m->step_seconds - m->team->seconds, 0);
    s->limiting_state = -1;
    size_t most = 0;
    for (size_t i = 0; i < m->n; i++)
        if (m->limited[i] > most) {
            most = m->limited[i];
            s->limiting_state = (ptrdiff_t)i;
        }
}
