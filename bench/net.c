/* net.c - models/scale/Net.mo, soft to very stiff: time per degree of freedom and evaluation, and
 * beside it what CHOLMOD takes to factor the same matrix anew and to solve with it.
 *
 * CHOLMOD gets the matrix twice, and may use its supernodal module, which the engine does not call
 * (net_direct.c says why): as one who knows this net would write it, with the two axes apart
 * and nothing but what is not zero; and with the axes together, 2 x 2 blocks, as springs in any
 * other direction would have it and as our own solver holds it. It analyses once, by its own choice
 * of ordering. What it does not have to do is finding the coefficients and the right-hand side,
 * which is in our figure.
 *
 * The unit is a degree of freedom.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <suitesparse/cholmod.h>

#include "front/front.h"
#include "model/net/net_plan.h"

/* ------------------------------------------------------------------ CHOLMOD */

typedef struct Reference {
    cholmod_common common;
    cholmod_sparse *matrix;
    cholmod_factor *factor;
    cholmod_dense *right;
} Reference;

/* a row of the lower half: what is not zero, or the block that it stands in */
static int add_block(cholmod_sparse *m, int at, int row, int column, int axis, double x,
                     bool blocks)
{
    int *rows = m->i;
    double *values = m->x;
    for (int other = 0; other < 2; other++) {
        int r = 2 * row + other, c = 2 * column + axis;
        if (r < c || (!blocks && other != axis))
            continue;
        rows[at] = r;
        values[at++] = other == axis ? x : 0;
    }
    return at;
}

/* 1 + kappa L on an n x n net whose first row hangs on the ground, for two axes: lower half */
static Reference reference(int n, double kappa, bool blocks)
{
    Reference r;
    size_t order = 2 * (size_t)(n * n);
    cholmod_start(&r.common);
    r.matrix = cholmod_allocate_sparse(order, order, 6 * order, 1, 1, -1, CHOLMOD_REAL, &r.common);
    int *p = r.matrix->p, at = 0;
    for (int c = 0; c < n * n; c++)
        for (int axis = 0; axis < 2; axis++) {
            int row = c / n, column = c % n;
            int neighbours = 1 + (row + 1 < n) + (column > 0) + (column + 1 < n);
            p[2 * c + axis] = at;
            at = add_block(r.matrix, at, c, c, axis, 1 + kappa * neighbours, blocks);
            if (column + 1 < n)
                at = add_block(r.matrix, at, c + 1, c, axis, -kappa, blocks);
            if (row + 1 < n)
                at = add_block(r.matrix, at, c + n, c, axis, -kappa, blocks);
        }
    p[order] = at;
    r.right = cholmod_ones(order, 1, CHOLMOD_REAL, &r.common);
    r.factor = cholmod_analyze(r.matrix, &r.common);
    return r;
}

/* seconds to factor and solve, the best of some */
static double reference_time(Reference *r, int repetitions)
{
    double best = INFINITY;
    for (int k = 0; k < repetitions; k++) {
        double begin = clock_processor();
        cholmod_factorize(r->matrix, r->factor, &r->common);
        cholmod_dense *x = cholmod_solve(CHOLMOD_A, r->factor, r->right, &r->common);
        double seconds = clock_processor() - begin;
        best = seconds < best ? seconds : best;
        cholmod_free_dense(&x, &r->common);
    }
    return best;
}

static void drop_reference(Reference *r)
{
    cholmod_free_sparse(&r->matrix, &r->common);
    cholmod_free_factor(&r->factor, &r->common);
    cholmod_free_dense(&r->right, &r->common);
    cholmod_finish(&r->common);
}

/* ------------------------------------------------------------------ the net */

static LiederSystem *make_net(Lieder *session, Front *front, int n, double kappa)
{
    char side[32], stiffness[32];
    const char *model;
    snprintf(side, sizeof side, "%d", n);
    snprintf(stiffness, sizeof stiffness, "%.17g", kappa * 1e4); /* m = 1, TD = 0.01 */
    FrontOverride overrides[] = {{.name = "n", .value = side}, {.name = "c", .value = stiffness}};
    LiederSystem *system = NULL;
    if (front_instantiate(front, "Net", overrides, 2, NULL, &model) == LIEDER_DONE)
        system = lieder_system_create(session, model, NULL);
    if (!system)
        lieder_diagnostic_print_all(session, stderr);
    return system;
}

/* seconds of one evaluation, the best of some */
static double evaluation_time(LiederSystem *system, int repetitions)
{
    size_t n = lieder_system_state_count(system);
    double *x = malloc(2 * n * sizeof *x), best = INFINITY;
    if (!x)
        return NAN;
    lieder_system_start(system, x);
    for (int k = 0; k < repetitions; k++) {
        for (size_t i = 0; i < n; i++) /* never the same twice */
            x[i] += 1e-6 * sin((double)(i + (size_t)k));
        double begin = clock_processor();
        if (lieder_system_derivatives(system, 0, x, x + n) != LIEDER_DONE)
            best = NAN;
        double seconds = clock_processor() - begin;
        best = seconds < best ? seconds : best;
    }
    free(x);
    return best;
}

static const Net *net_of(const LiederSystem *system)
{
    return system->shapes.n ? system->shapes.items[0].plan.net : NULL;
}

/* ------------------------------------------------------------------ the case */

typedef struct NetJob {
    int side;
    double kappa; /* c TD^2 / m */
} NetJob;

static void report(Bench *bench, const NetJob *job, const char *tier, double ns, double made,
                   double bytes)
{
    Record r = {.n = 2 * (size_t)job->side * (size_t)job->side,
                .ns = ns,
                .instantiation = made,
                .bytes = bytes};
    snprintf(r.case_, sizeof r.case_, "net, c TD^2/m = %g", job->kappa);
    snprintf(r.tier, sizeof r.tier, "%s", tier);
    bench_report(bench, &r);
}

static void measure_net(Bench *bench, const void *data)
{
    static const char *const names[] = {"iteration", "Cholesky", "LU"};
    const NetJob *job = data;
    Lieder *session = lieder_create(NULL);
    Front *front = session ? front_create(session) : NULL;
    if (!front || front_load(front, "models/scale/Net.mo") != LIEDER_DONE)
        bench_fail("models/scale/Net.mo cannot be read: run this in the project's folder");
    int repetitions = job->side < 300 ? 20 : 8;
    double begin = clock_processor(), degrees = 2.0 * job->side * job->side;
    LiederSystem *system = make_net(session, front, job->side, job->kappa);
    double made = clock_processor() - begin;
    const Net *net = system ? net_of(system) : NULL;
    if (!net)
        bench_fail("the net of %d x %d is not solved as a net", job->side, job->side);
    double ours = 1e9 * evaluation_time(system, repetitions) / degrees;
    report(bench, job, names[net->method], ours, made,
           (double)lieder_system_info(system).bytes / degrees);
    for (int blocks = 0; blocks < 2; blocks++) {
        Reference r = reference(job->side, job->kappa, blocks);
        report(bench, job, blocks ? "CHOLMOD blocks" : "CHOLMOD",
               1e9 * reference_time(&r, repetitions / 4) / degrees, 0, 0);
        drop_reference(&r);
    }
    lieder_system_destroy(system);
    front_destroy(front);
    lieder_destroy(session);
}

void bench_net(Bench *bench)
{
    static const int sides[] = {30, 100, 300};
    static const double kappas[] = {1e-2, 1, 1e2, 1e4, 1e6};
    for (size_t s = 0; s < (bench->scope == BENCH_QUICK ? 2 : 3); s++)
        for (size_t k = 0; k < 5; k++)
            bench_run(bench, measure_net, &(NetJob){sides[s], kappas[k]});
}
