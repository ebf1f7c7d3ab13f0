/* oneclock.c - rk45 and rodas4 with one clock for the whole system.
 *
 * The system is a block of one row (onestep.h): every state is a lane, all have the same step. An
 * error is the largest one of all states, so one lane of a fleet is as good as one alone, and a
 * system of one subsystem has the bits that clocks.c gives it.
 *
 * rodas4 needs 4/h I - J solved. The Jacobian is that of jacobian.c; subsystems of up to
 * DENSE_STATES states are full matrices side by side (lanes_factorise), larger ones and systems
 * whose connections have changed go to KLU. df/dt is found by differences where some component
 * reads the time.
 */
#include "base/clock.h"
#include "solve/method/jacobian.h"
#include "solve/method/onestep.h"
#include "solve/run/ranks.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include <suitesparse/klu.h>

enum { VECTORS = 14, EXAMINED = 16 /* one of so many steps for stiffness */ };

/* 4/h I - J, for systems that are no set of small blocks */
typedef struct StageMatrix {
    int64_t *columns, *rows;
    double *values;
    size_t nonzeros;
    klu_l_common common;
    klu_l_symbolic *symbolic;
    klu_l_numeric *numeric;
} StageMatrix;

struct OneClock {
    Team *team;
    const Moment *moment;
    LiederSolver solver;
    size_t n;
    double tolerance; /* of a step */
    double longest;   /* step; 0: no limit */
    Glances glances;
    double *vectors; /* memory of the vectors that follow, of the trial and its slopes */
    Trial trial;     /* the last one; y is the state */
    double *hs, *error, *f, *f_t, *stage;
    double t0, t1; /* begin and end of the last step */
    double h;      /* length of the next one; 0: not known */
    bool fresh;    /* k[0] is the slope at x */
    /* rodas4 */
    bool timed; /* some component reads the time */
    bool dense; /* small blocks, in `matrices`; else `sparse` */
    bool modes; /* some crossing chooses the equations that its value is computed from */
    Jacobian jacobian;
    double *values; /* of the Jacobian */
    double *matrices;
    uint32_t *pivots;
    size_t nmatrix; /* numbers in matrices */
    StageMatrix sparse;
    size_t *limited; /* by state: how often it limited the step */
    size_t steps, rejected, factorisations;
    size_t standing; /* steps in a row that moved the time by rounding only */
    size_t at_edge;  /* rk45: of the steps that are examined those that stability decides */
    double smallest, largest, step_seconds;
};

/* ------------------------------------------------------------------ creation */

bool solver_blocks_are_small(const LiederSystem *system)
{
    for (size_t i = 0; i < system->shapes.n; i++)
        if (system->shapes.items[i].shape->states.n > DENSE_STATES ||
            system->shapes.items[i].away.n || system->shapes.items[i].shape->asleep)
            return false;
    return system->shapes.n == system->nhome;
}

bool solver_sees_time(const LiederSystem *system)
{
    for (size_t i = 0; i < system->shapes.n; i++) {
        const Shape *shape = system->shapes.items[i].shape;
        for (size_t c = 0; c < shape->components.n; c++)
            if (shape->components.items[c].class_->def->uses_time)
                return true;
    }
    return false;
}

bool solver_holds_modes(const SystemShape *ss)
{
    for (size_t i = 0; i < ss->held.crossings.n; i++)
        if (ss->held.crossings.items[i].member->crossing != LIEDER_EDGE)
            return true;
    return false;
}

/* Jacobian and matrices for the linear systems of rodas4 */
static bool create_linear(OneClock *c, double t, const double *x)
{
    const LiederSystem *system = c->team->system;
    const LiederAllocator *alloc = SYSTEM_ALLOC(system);
    if (jacobian_create(&c->jacobian, c->team, t, c->moment, x) != LIEDER_DONE)
        return false;
    c->timed = solver_sees_time(system);
    for (size_t i = 0; i < system->shapes.n; i++)
        c->modes |= solver_holds_modes(&system->shapes.items[i]);
    c->dense = solver_blocks_are_small(system) || c->n == 0;
    c->sparse.nonzeros = c->jacobian.nonzeros;
    c->values = memory_zeroed(alloc, (c->jacobian.nonzeros + 1) * sizeof(double));
    for (size_t i = 0; i < system->nhome && c->dense; i++) {
        const Shape *shape = system->shapes.items[i].shape;
        c->nmatrix += shape->states.n * shape->states.n * shape->nlane;
    }
    if (c->dense) {
        c->matrices = memory_zeroed(alloc, (c->nmatrix + 1) * sizeof(double));
        c->pivots = memory_zeroed(alloc, (c->n + 1) * sizeof *c->pivots);
        return c->values && c->matrices && c->pivots;
    }
    StageMatrix *s = &c->sparse;
    s->columns = memory_zeroed(alloc, (c->n + 1) * sizeof *s->columns);
    s->rows = memory_zeroed(alloc, (s->nonzeros + 1) * sizeof *s->rows);
    s->values = memory_zeroed(alloc, (s->nonzeros + 1) * sizeof *s->values);
    if (!c->values || !s->columns || !s->rows || !s->values)
        return false;
    jacobian_pattern(&c->jacobian, s->columns, s->rows);
    klu_l_defaults(&s->common);
    s->symbolic = klu_l_analyze((SuiteSparse_long)c->n, (SuiteSparse_long *)s->columns,
                                (SuiteSparse_long *)s->rows, &s->common);
    return s->symbolic != NULL;
}

OneClock *oneclock_create(Team *team, LiederSolver solver, double tolerance, double longest,
                          const Glances *glances, double t, const Moment *moment, const double *x)
{
    const LiederAllocator *alloc = SYSTEM_ALLOC(team->system);
    size_t n = team->system->nstate;
    OneClock *c = memory_zeroed(alloc, sizeof *c);
    if (!c)
        return NULL;
    *c = (OneClock){.team = team,
                    .moment = moment,
                    .solver = solver,
                    .n = n,
                    .tolerance = onestep_tolerance(solver, tolerance),
                    .longest = longest > 0 ? longest : INFINITY,
                    .glances = *glances,
                    .smallest = INFINITY,
                    .t0 = t,
                    .t1 = t};
    c->vectors = memory_zeroed(alloc, (VECTORS * n + 1) * sizeof(double));
    c->limited = memory_zeroed(alloc, (n + 1) * sizeof *c->limited);
    if (!c->vectors || !c->limited || (solver == LIEDER_RODAS4 && !create_linear(c, t, x))) {
        oneclock_destroy(c);
        return NULL;
    }
    double **own[] = {&c->trial.x, &c->trial.y, &c->hs, &c->error, &c->f, &c->f_t, &c->stage};
    size_t count = sizeof own / sizeof *own;
    for (size_t i = 0; i < count; i++)
        *own[i] = c->vectors + i * n;
    for (size_t i = 0; i < ONESTEP_SLOPES; i++)
        c->trial.k[i] = c->vectors + (count + i) * n;
    c->trial.n = 1;
    c->trial.width = n;
    c->trial.h = c->hs;
    memcpy(c->trial.y, x, n * sizeof(double));
    return c;
}

void oneclock_destroy(OneClock *c)
{
    if (!c)
        return;
    const LiederAllocator *alloc = SYSTEM_ALLOC(c->team->system);
    StageMatrix *s = &c->sparse;
    if (s->numeric)
        klu_l_free_numeric(&s->numeric, &s->common);
    if (s->symbolic)
        klu_l_free_symbolic(&s->symbolic, &s->common);
    memory_free(alloc, s->columns, (c->n + 1) * sizeof *s->columns);
    memory_free(alloc, s->rows, (s->nonzeros + 1) * sizeof *s->rows);
    memory_free(alloc, s->values, (s->nonzeros + 1) * sizeof *s->values);
    memory_free(alloc, c->values, (s->nonzeros + 1) * sizeof *c->values);
    memory_free(alloc, c->matrices, (c->nmatrix + 1) * sizeof *c->matrices);
    memory_free(alloc, c->pivots, (c->n + 1) * sizeof *c->pivots);
    jacobian_drop(&c->jacobian);
    memory_free(alloc, c->vectors, (VECTORS * c->n + 1) * sizeof(double));
    memory_free(alloc, c->limited, (c->n + 1) * sizeof *c->limited);
    memory_free(alloc, c, sizeof *c);
}

double oneclock_tolerance(const OneClock *c)
{
    return c->tolerance;
}

static const double *nominals(const OneClock *c)
{
    return c->team->system->scales.nominal;
}

/* ------------------------------------------------------------------ linear systems */

/* 4/h I - J as full matrices, shape by shape */
static void fill_matrices(OneClock *c, double h)
{
    const LiederSystem *system = c->team->system;
    double *a = c->matrices, diagonal = RODAS4_DIAGONAL / h;
    memset(a, 0, c->nmatrix * sizeof *a);
    for (size_t i = 0; i < system->nhome; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        const struct JacobianShape *s = &c->jacobian.shapes.items[i];
        size_t n = ss->shape->states.n, width = ss->shape->nlane;
        for (size_t column = 0; column < n; column++)
            for (uint32_t k = s->column[column]; k < s->column[column + 1]; k++)
                for (size_t l = 0; l < width; l++) {
                    size_t first = (size_t)c->jacobian.columns[home_state(ss, column, l)];
                    a[(s->row[k] * n + column) * width + l] =
                        -c->values[first + (k - s->column[column])];
                }
        for (size_t k = 0; k < n; k++)
            for (size_t l = 0; l < width; l++)
                a[(k * n + k) * width + l] += diagonal;
        a += n * n * width;
    }
}

static void factorise_matrices(OneClock *c)
{
    const LiederSystem *system = c->team->system;
    double *a = c->matrices;
    for (size_t i = 0; i < system->nhome; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        size_t n = ss->shape->states.n, width = ss->shape->nlane;
        lanes_factorise(a, c->pivots + ss->first_state, n, width);
        a += n * n * width;
    }
}

/* factors of 1/(gamma h) - J with KLU, the pattern kept */
static bool factorise_sparse(OneClock *c, double h)
{
    StageMatrix *s = &c->sparse;
    double diagonal = RODAS4_DIAGONAL / h;
    for (size_t column = 0; column < c->n; column++)
        for (int64_t k = s->columns[column]; k < s->columns[column + 1]; k++)
            s->values[k] = (s->rows[k] == (int64_t)column ? diagonal : 0) - c->values[k];
    if (s->numeric)
        klu_l_free_numeric(&s->numeric, &s->common);
    s->numeric = klu_l_factor((SuiteSparse_long *)s->columns, (SuiteSparse_long *)s->rows,
                              s->values, s->symbolic, &s->common);
    return s->numeric != NULL;
}

static LiederStatus factorise_stages(OneClock *c, double h)
{
    c->factorisations++;
    if (c->dense) {
        fill_matrices(c, h);
        factorise_matrices(c);
        return LIEDER_DONE;
    }
    if (factorise_sparse(c, h))
        return LIEDER_DONE;
    return c->sparse.common.status == KLU_OUT_OF_MEMORY ? LIEDER_NO_MEMORY : LIEDER_SINGULAR;
}

/* a right side with the factors at hand, sparse or lane by lane */
static void solve_step(OneClock *c, double *b)
{
    const LiederSystem *system = c->team->system;
    const double *a = c->matrices;
    if (!c->dense) {
        klu_l_solve(c->sparse.symbolic, c->sparse.numeric, (SuiteSparse_long)c->n, 1, b,
                    &c->sparse.common);
        return;
    }
    for (size_t i = 0; i < system->nhome; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        size_t n = ss->shape->states.n, width = ss->shape->nlane;
        lanes_solve(a, c->pivots + ss->first_state, n, width, b + ss->first_state);
        a += n * n * width;
    }
}

/* ------------------------------------------------------------------ trial steps */

/* the worst status of all ranks; nothing is reported */
static LiederStatus agree_on_step(OneClock *c, LiederStatus status)
{
    return ranks_status(c->team->system, status, c->team->system->session->diag.list.n);
}

static LiederStatus slope(OneClock *c, double t, const double *x, double *dx)
{
    LiederStatus status = team_derivatives(c->team, t, c->moment, x, dx, false);
    return agree_on_step(c, status);
}

static LiederStatus try_rk45(OneClock *c, double t, double t1, double h)
{
    LiederStatus status = LIEDER_DONE;
    for (int stage = 1; stage < 7 && status == LIEDER_DONE; stage++) {
        double *to = stage == 6 ? c->trial.y : c->stage;
        rk45_stage(&c->trial, stage, to);
        double at = rk45_time(stage) < 1 ? t + rk45_time(stage) * h : t1;
        status = slope(c, at, to, c->trial.k[stage]);
    }
    return status;
}

/* df/dt by a difference of second order towards the end of the step */
static LiederStatus time_slope(OneClock *c, double t, double h)
{
    double *near = c->trial.k[1], *far = c->trial.k[2];
    double d = onestep_time_difference(t, h);
    LiederStatus status = slope(c, t + d, c->trial.x, near);
    if (status == LIEDER_DONE)
        status = slope(c, t + 2 * d, c->trial.x, far);
    onestep_time_slope(c->n, c->trial.k[0], near, far, d, c->f_t);
    return status;
}

/* the defect of the curve of a step in c->stage, and the error of the curve in c->f_t */
static LiederStatus examine_curve(OneClock *c, double t, double h)
{
    rodas4_curve(&c->trial, c->stage, c->f_t);
    LiederStatus status = slope(c, t + RODAS4_CURVE * h, c->stage, c->f);
    for (size_t i = 0; i < c->n; i++)
        c->f_t[i] = c->stage[i] = c->f[i] - c->f_t[i];
    if (status == LIEDER_DONE)
        solve_step(c, c->f_t);
    return status;
}

/* the six stages of a step, its error estimate and the check of the curve between */
static LiederStatus try_rodas4(OneClock *c, double t, double t1, double h)
{
    Trial *b = &c->trial;
    LiederStatus status = agree_on_step(c, factorise_stages(c, h));
    if (status == LIEDER_DONE && c->timed)
        status = time_slope(c, t, h);
    for (int stage = 0; stage < 6 && status == LIEDER_DONE; stage++) {
        const double *f = b->k[0];
        double *to = stage == 5 ? b->y : c->stage;
        if (stage > 0) {
            rodas4_stage(b, stage, to);
            status = slope(c, rodas4_time(stage) < 1 ? t + rodas4_time(stage) * h : t1, to, c->f);
            f = c->f;
        }
        if (status != LIEDER_DONE)
            break;
        rodas4_right(b, stage, f, c->timed ? c->f_t : NULL, b->k[1 + stage]);
        solve_step(c, b->k[1 + stage]);
    }
    for (size_t i = 0; i < c->n && status == LIEDER_DONE; i++)
        b->y[i] += b->k[6][i];
    return status == LIEDER_DONE ? examine_curve(c, t, h) : status;
}

/* the largest error of all states of all ranks; *state: which one has it, c->n: one of another
 * rank */
static double largest_error(OneClock *c, size_t *state)
{
    double largest = 0;
    onestep_error(c->solver, &c->trial, c->tolerance, nominals(c), c->error);
    CurveDefect curve = {.f = c->f, .defect = c->stage, .off = c->f_t, .modes = c->modes};
    if (c->solver == LIEDER_RODAS4)
        rodas4_curve_error(&c->trial, &curve, c->tolerance, nominals(c), c->error);
    *state = 0;
    for (size_t i = 0; i < c->n; i++)
        if (c->error[i] > largest) {
            largest = c->error[i];
            *state = i;
        }
    double all = ranks_greatest(c->team->system, largest);
    if (largest < all || c->n == 0)
        *state = c->n;
    return all;
}

/* ------------------------------------------------------------------ the first step */

static double largest_size(OneClock *c, const double *v)
{
    double largest = 0;
    memset(c->error, 0, c->n * sizeof(double));
    onestep_sizes(1, c->n, v, c->trial.x, c->tolerance, nominals(c), c->error);
    for (size_t i = 0; i < c->n; i++)
        largest = c->error[i] > largest ? c->error[i] : largest;
    return ranks_greatest(c->team->system, largest);
}

/* the first step from sizes of state, slope and change of slope */
static void choose_first(OneClock *c, double t, double limit)
{
    double most = limit - t < c->longest ? limit - t : c->longest;
    double size_f = largest_size(c, c->trial.k[0]);
    double trial = onestep_first_trial(largest_size(c, c->trial.x), size_f, most);
    for (size_t i = 0; i < c->n; i++)
        c->stage[i] = c->trial.x[i] + trial * c->trial.k[0][i];
    double change = INFINITY;
    if (slope(c, t + trial, c->stage, c->f) == LIEDER_DONE) {
        for (size_t i = 0; i < c->n; i++)
            c->f[i] -= c->trial.k[0][i];
        change = largest_size(c, c->f);
    }
    c->h = onestep_first(c->solver, trial, size_f, change, most);
}

/* ------------------------------------------------------------------ steps */

LiederStatus oneclock_restart(OneClock *c, double t, const double *x)
{
    memcpy(c->trial.y, x, c->n * sizeof(double));
    c->t0 = c->t1 = t;
    c->fresh = false;
    c->standing = 0;
    return LIEDER_DONE;
}

/* no step is possible: reports why, by the model or else by the state that moves fastest */
static LiederStatus give_up(OneClock *c, double t, double h, LiederStatus failure)
{
    if (failure == LIEDER_NO_MEMORY || failure == LIEDER_STOPPED)
        return failure;
    LiederSystem *system = c->team->system;
    double *dx = c->f, rate;
    size_t before = system->session->diag.list.n;
    char name[600];
    LiederStatus status = team_derivatives(c->team, t, c->moment, c->trial.x, dx, true);
    bool said = system->session->diag.list.n > before;
    status = ranks_status(system, said ? status : LIEDER_DONE, before);
    if (status != LIEDER_DONE)
        return status;
    size_t fastest = onestep_fastest(c->n, dx, c->trial.x, nominals(c), &rate);
    if (ranks_first_with(system, rate))
        onestep_report(system, lieder_system_state_name(system, fastest, name, sizeof name),
                       c->solver, t, h, dx[fastest], c->standing >= MAX_STANDING);
    return failure == LIEDER_NOT_FINITE ? failure : LIEDER_GAVE_UP;
}

/* slope, first length and Jacobian at the begin of a step, where they are not known */
static LiederStatus prepare_step(OneClock *c, double t, double limit)
{
    LiederStatus status = LIEDER_DONE;
    if (!c->fresh)
        status = slope(c, t, c->trial.x, c->trial.k[0]);
    c->fresh = status == LIEDER_DONE;
    if (status == LIEDER_DONE && !(c->h > 0))
        choose_first(c, t, limit);
    if (status == LIEDER_DONE && c->solver == LIEDER_RODAS4)
        status = agree_on_step(
            c, jacobian_evaluate(&c->jacobian, t, c->moment, c->trial.x, c->trial.k[0], c->values));
    return status;
}

/* the end of the last step is the begin of this one */
static void begin_at_end(OneClock *c)
{
    double *x = c->trial.x;
    c->trial.x = c->trial.y;
    c->trial.y = x;
    if (c->fresh && c->solver == LIEDER_RK45) {
        double *k = c->trial.k[0];
        c->trial.k[0] = c->trial.k[6];
        c->trial.k[6] = k;
    } else {
        c->fresh = false;
    }
}

/* now and then: is a good step of rk45 as long as stability allows, |h lambda| above RK45_EDGE? */
static void watch_stiffness(OneClock *c, double h)
{
    double slopes = 0, states = 0, *const *k = c->trial.k;
    const double *x = c->trial.x, *y = c->trial.y;
    if (c->solver != LIEDER_RK45 || c->steps % EXAMINED != 0)
        return;
    for (size_t i = 0; i < c->n; i++) {
        double weight = 1 / (state_nominal(c->team->system, i) + fabs(x[i]));
        double f = (k[6][i] - k[5][i]) * weight, moved = (y[i] - c->stage[i]) * weight;
        slopes += f * f;
        states += moved * moved;
    }
    c->at_edge += states > 0 && h * sqrt(slopes / states) > RK45_EDGE;
}

/* the trial step for glance_walk */
typedef struct TrialStep {
    OneClock *clock;
    double from, h;
} TrialStep;

static bool read_trial(void *user, double t, const GlanceCurve *curve)
{
    const TrialStep *trial = user;
    OneClock *c = trial->clock;
    double part = (t - trial->from) / trial->h;
    for (size_t i = 0; i < c->n; i++) {
        onestep_between(c->solver, &c->trial, i, part, curve->x + i, 1);
        onestep_slope_between(c->solver, &c->trial, i, part, curve->slope + i, 1);
    }
    return slope(c, t, curve->x, curve->f) == LIEDER_DONE;
}

/* the error that the trial step passes over: M e = S, where M is the unit matrix for rk45 */
static void weigh_trial(void *user, const GlanceCurve *curve)
{
    const TrialStep *trial = user;
    OneClock *c = trial->clock;
    for (size_t i = 0; i < c->n && c->solver == LIEDER_RODAS4; i++)
        curve->sum[i] *= RODAS4_DIAGONAL / trial->h;
    if (c->solver == LIEDER_RODAS4)
        solve_step(c, curve->sum);
    memcpy(curve->x, c->trial.y, c->n * sizeof(double));
}

/* Does the trial step pass over something? *at: where it begins. See glance.c. */
static bool passes_over(OneClock *c, double from, StepPlan plan, double *at)
{
    TrialStep trial = {c, from, plan.h};
    GlanceCurve curve = {.n = c->n,
                         .nominal = nominals(c),
                         .x = c->stage,
                         .slope = c->f_t,
                         .f = c->f,
                         .sum = c->error,
                         .read = read_trial,
                         .weigh = weigh_trial,
                         .user = &trial};
    Glance g;
    if (!glance_first(&c->glances, from, plan.end, &g))
        return false;
    *at = ranks_least(c->team->system, glance_walk(&c->glances, &g, &curve));
    return *at < INFINITY;
}

LiederStatus oneclock_step(OneClock *c, double limit, double *t, double *x)
{
    double began = clock_seconds(), from = *t;
    begin_at_end(c);
    LiederStatus status = prepare_step(c, from, limit);
    if (status != LIEDER_DONE)
        return give_up(c, from, c->h, status);
    for (bool repeated = false;; repeated = true) {
        size_t state;
        StepPlan plan = onestep_plan(from, c->h < c->longest ? c->h : c->longest, limit);
        for (size_t i = 0; i < c->n; i++)
            c->hs[i] = plan.h;
        status = c->solver == LIEDER_RK45 ? try_rk45(c, from, plan.end, plan.h)
                                          : try_rodas4(c, from, plan.end, plan.h);
        double error = status == LIEDER_DONE ? largest_error(c, &state) : INFINITY;
        bool good = error <= 1;
        double at;
        c->h = onestep_next(c->solver, plan, c->h, error, repeated);
        if (good) /* while the last stage stands in c->stage */
            watch_stiffness(c, plan.h);
        if (good && passes_over(c, from, plan, &at)) {
            c->h = at - from;
            c->rejected++;
            continue;
        }
        if (good) {
            c->limited[state]++; /* n + 1 counters: the last one is for states of other ranks */
            c->t0 = from;
            *t = c->t1 = plan.end;
            break;
        }
        c->rejected++;
        if (status == LIEDER_NO_MEMORY || status == LIEDER_STOPPED ||
            c->h < ONESTEP_SHORTEST * fabs(from) || c->h < 1e-300)
            return give_up(c, from, plan.h, status);
    }
    if (onestep_stands_still(&c->standing, from, c->t1, limit))
        return give_up(c, from, c->t1 - from, LIEDER_GAVE_UP);
    memcpy(x, c->trial.y, c->n * sizeof(double));
    c->steps++;
    c->smallest = fmin(c->smallest, c->t1 - c->t0);
    c->largest = fmax(c->largest, c->t1 - c->t0);
    c->step_seconds += clock_seconds() - began;
    return LIEDER_DONE;
}

void oneclock_between(OneClock *c, double t, double *x)
{
    if (t >= c->t1 || t <= c->t0) {
        memcpy(x, t >= c->t1 ? c->trial.y : c->trial.x, c->n * sizeof(double));
        return;
    }
    double part = (t - c->t0) / c->hs[0];
    for (size_t i = 0; i < c->n; i++)
        onestep_between(c->solver, &c->trial, i, part, x + i, 1);
}

const double *oneclock_noise(const OneClock *c)
{
    return c->jacobian.noise;
}

void oneclock_slope_between(OneClock *c, double t, double *slope_)
{
    double part = fmin(fmax((t - c->t0) / c->hs[0], 0), 1);
    for (size_t i = 0; i < c->n; i++)
        onestep_slope_between(c->solver, &c->trial, i, part, slope_ + i, 1);
}

size_t oneclock_limits(const OneClock *c, size_t state)
{
    return c->limited[state];
}

void oneclock_statistics(const OneClock *c, LiederStatistics *s)
{
    s->steps = c->steps;
    s->rejected = c->rejected;
    s->stiff_steps = EXAMINED * c->at_edge;
    s->jacobians = c->jacobian.count;
    s->factorisations = c->factorisations;
    s->smallest_step = c->steps ? c->smallest : 0;
    s->largest_step = c->largest;
    s->solve_seconds = fmax(c->step_seconds - c->team->seconds, 0);
    s->limiting_state = -1;
    size_t most = 0;
    for (size_t i = 0; i < c->n; i++)
        if (c->limited[i] > most) {
            most = c->limited[i];
            s->limiting_state = (ptrdiff_t)i;
        }
}
