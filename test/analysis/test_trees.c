/* test_trees.c - matrices of random one-dimensional trees against their closed form.
 *
 * A node hangs on its parent by a joint, at times behind a gear: phi = ratio phi_parent +
 * phi_joint. With L the matrix of these paths (nodes by joints), J the inertias, and for every
 * elastic element the row b of its two nodes:
 *
 *   w = L w_j,   w_el = L (w_j + T z),   z_node = L z,   T the time constants of the joints
 *   torque of an element = c b phi + d b w + d_el b (w_el - w),
 *   d_el = d + c TD if damped and TD > 0, else 0
 *   (L' J L + D_el T) z = -K phi_j - D w_j,   phi_j' = w_j + T z
 *
 * with K = sum c g g', D = sum d g g', D_el = sum d_el g g', g = L' b, M = L' J L + D_el T. Solved
 * here in long double by elimination with pivots. Entry by entry an answer Z X, Z = M^-1, X = K or
 * D, may be off by what rounding does to a stable elimination, eps |Z| |M| |Z| |X|, and by what is
 * left of the rounding of all torques r at the point in a difference over LENGTH, eps |Z| |M| |Z| r
 * / LENGTH.
 */
#include "help/engine.h"

#include <float.h>

#include "analysis/analysis.h"

enum { TREES = 1000, MAX_NODES = 8, MAX_ELEMENTS = 12, LENGTH = 4000 };

/* an entry has ten digits; what ought to be zero is dust: at most 6.4e3 eps here (1.4e3 if the
 * elimination rounds products and sums apart) */
static const double RELATIVE = 1e-10, DUST = 20000;

typedef long double Matrix[MAX_NODES][MAX_NODES];

typedef struct Elastic {
    size_t a, b; /* nodes from 1, 0: the base */
    double c, d, d_el, phi0;
} Elastic;

typedef struct Tree {
    size_t n, nelement;
    double J[MAX_NODES], T[MAX_NODES], L[MAX_NODES + 1][MAX_NODES];
    Elastic elements[MAX_ELEMENTS];
} Tree;

static double decades(uint64_t *seed, double low, double high)
{
    return low * pow(high / low, random_between(seed, 0, 1));
}

static void set(LiederModel *model, const char *of, size_t k, const char *what, double value)
{
    char path[40];
    snprintf(path, sizeof path, "%s%zu.%s", of, k, what);
    lieder_model_set(model, path, value);
}

static void add(LiederModel *model, const char *name, size_t k, const char *class_name)
{
    char text[40];
    snprintf(text, sizeof text, "%s%zu", name, k);
    lieder_model_add(model, text, class_name);
}

static void flange_of(size_t node, char *text, size_t size)
{
    if (node)
        snprintf(text, size, "j%zu.flange_b", node);
    else
        snprintf(text, size, "base.flange_b");
}

static void join(LiederModel *model, const char *a, const char *what, size_t k, const char *port)
{
    char b[40];
    snprintf(b, sizeof b, "%s%zu.%s", what, k, port);
    lieder_model_connect(model, a, b);
}

/* joint, inertia and sometimes a gear */
static void add_node(Tree *tree, LiederModel *model, uint64_t *seed, size_t k)
{
    size_t parent = random_below(seed, k);
    char flange[40];
    double ratio = 1;
    flange_of(parent, flange, sizeof flange);
    add(model, "j", k, "Rotational.Joint");
    add(model, "b", k, "Rotational.Inertia");
    if (parent && random_below(seed, 3) == 0) {
        ratio = random_between(seed, -3, 3);
        add(model, "g", k, "Rotational.IdealGear");
        set(model, "g", k, "ratio", ratio);
        join(model, flange, "g", k, "flange_a");
        snprintf(flange, sizeof flange, "g%zu.flange_b", k);
    }
    join(model, flange, "j", k, "flange_a");
    flange_of(k, flange, sizeof flange);
    join(model, flange, "b", k, "flange_a");
    for (size_t i = 0; i < tree->n; i++)
        tree->L[k][i] = ratio * tree->L[parent][i];
    tree->L[k][k - 1] = 1;
    tree->J[k - 1] = decades(seed, 0.01, 100);
    set(model, "b", k, "J", tree->J[k - 1]);
    if (random_below(seed, 3) == 0)
        set(model, "j", k, "TD",
            tree->T[k - 1] = random_below(seed, 2) ? decades(seed, 1e-5, 0.1) : 0);
    set(model, "j", k, "phi", random_between(seed, -0.1, 0.1));
    set(model, "j", k, "w", random_between(seed, -1, 1));
}

static void add_element(Tree *tree, LiederModel *model, uint64_t *seed, size_t k, double TD,
                        bool damped)
{
    Elastic *e = &tree->elements[k];
    char flange[40];
    e->a = random_below(seed, tree->n + 1);
    do
        e->b = random_below(seed, tree->n + 1);
    while (e->b == e->a);
    bool damper = random_below(seed, 4) == 0;
    add(model, "s", k, damper ? "Rotational.Damper" : "Rotational.SpringDamper");
    e->c = damper ? 0 : decades(seed, 100, 1e6);
    e->d = damper || random_below(seed, 2) ? decades(seed, 0.1, 100) : 0;
    e->d_el = damped && TD > 0 ? e->d + e->c * TD : 0;
    if (!damper) {
        set(model, "s", k, "c", e->c);
        set(model, "s", k, "phi0", e->phi0 = random_between(seed, -0.1, 0.1));
    }
    set(model, "s", k, "d", e->d);
    flange_of(e->a, flange, sizeof flange);
    join(model, flange, "s", k, "flange_a");
    flange_of(e->b, flange, sizeof flange);
    join(model, flange, "s", k, "flange_b");
}

static void make_tree(Tree *tree, Lieder *session, const char *name, uint64_t *seed)
{
    *tree = (Tree){.n = 2 + random_below(seed, MAX_NODES - 1)};
    LiederModel *model = lieder_model_create(session, name, "");
    double TD = random_below(seed, 4) ? decades(seed, 1e-5, 0.1) : 0;
    bool damped = random_below(seed, 4) != 0;
    lieder_model_add(model, "world", "World");
    lieder_model_set(model, "world.TD", TD);
    lieder_model_set(model, "world.damped", damped);
    lieder_model_add(model, "base", "Rotational.Fixed");
    for (size_t k = 0; k < tree->n; k++)
        tree->T[k] = TD;
    for (size_t k = 1; k <= tree->n; k++)
        add_node(tree, model, seed, k);
    tree->nelement = 1 + random_below(seed, tree->n + 2);
    for (size_t k = 0; k < tree->nelement; k++)
        add_element(tree, model, seed, k, TD, damped);
}

/* ------------------------------------------------------------------ the closed form */

/* adds c g g' of an element */
static void add_square(const Tree *t, const Elastic *e, double factor, Matrix to)
{
    for (size_t i = 0; i < t->n; i++)
        for (size_t j = 0; j < t->n; j++)
            to[i][j] += (long double)factor * ((long double)t->L[e->a][i] - t->L[e->b][i]) *
                        ((long double)t->L[e->a][j] - t->L[e->b][j]);
}

/* Z = M^-1 by Gauss and Jordan with pivots */
static void invert(const Matrix M, size_t n, Matrix Z)
{
    Matrix W;
    memcpy(W, M, sizeof W);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            Z[i][j] = i == j;
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabsl(W[i][k]) > fabsl(W[pivot][k]))
                pivot = i;
        for (size_t j = 0; j < n; j++) {
            long double w = W[k][j], z = Z[k][j];
            W[k][j] = W[pivot][j], Z[k][j] = Z[pivot][j];
            W[pivot][j] = w, Z[pivot][j] = z;
        }
        long double p = W[k][k];
        for (size_t j = 0; j < n; j++)
            W[k][j] /= p, Z[k][j] /= p;
        for (size_t i = 0; i < n; i++) {
            long double factor = i == k ? 0 : W[i][k];
            for (size_t j = 0; j < n && factor != 0; j++)
                W[i][j] -= factor * W[k][j], Z[i][j] -= factor * Z[k][j];
        }
    }
}

/* Z X, or |Z| |X| */
static void multiply(const Matrix Z, const Matrix X, size_t n, bool magnitudes, Matrix to)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            to[i][j] = 0;
            for (size_t k = 0; k < n; k++)
                to[i][j] += magnitudes ? fabsl(Z[i][k]) * fabsl(X[k][j]) : Z[i][k] * X[k][j];
        }
}

/* z = -Y x for X = K or D, and what rounding may do to Y; R = |Z| |M| |Z| */
static void answer(const Matrix Z, const Matrix R, const Matrix X, size_t n, Matrix Y, Matrix off)
{
    multiply(Z, X, n, false, Y);
    multiply(R, X, n, true, off);
}

/* magnitudes of all torques along the joints at the point, summed without signs */
static void torques(const Tree *t, const double *phi, const double *w, long double *r)
{
    for (size_t i = 0; i < t->n; i++)
        r[i] = 0;
    for (size_t k = 0; k < t->nelement; k++) {
        const Elastic *e = &t->elements[k];
        double angle = fabs(e->phi0), speed = 0;
        for (size_t i = 0; i < t->n; i++) {
            double g = fabs(t->L[e->a][i]) + fabs(t->L[e->b][i]);
            angle += g * fabs(phi[i]);
            speed += g * fabs(w[i]);
        }
        for (size_t i = 0; i < t->n; i++)
            r[i] += (fabs(t->L[e->a][i]) + fabs(t->L[e->b][i])) *
                    (e->c * angle + (e->d + e->d_el) * speed);
    }
}

/* worst ratio of an entry's error to what is allowed */
static double compare(const Tree *t, LiederSystem *system, const double *x, const double *A)
{
    Matrix M = {{0}}, Z, W, R, K = {{0}}, D = {{0}}, YK, YD, offK, offD;
    size_t n = t->n, s[MAX_NODES], v[MAX_NODES], nstate = 2 * n;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                M[i][j] += (long double)t->J[k] * t->L[k + 1][i] * t->L[k + 1][j];
    Matrix del = {{0}};
    for (size_t k = 0; k < t->nelement; k++) {
        add_square(t, &t->elements[k], t->elements[k].c, K);
        add_square(t, &t->elements[k], t->elements[k].d, D);
        add_square(t, &t->elements[k], t->elements[k].d_el, del);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            M[i][j] += del[i][j] * t->T[j];
    invert(M, n, Z);
    multiply(Z, M, n, true, W);
    multiply(W, Z, n, true, R);
    answer(Z, R, K, n, YK, offK);
    answer(Z, R, D, n, YD, offD);
    for (size_t k = 0; k < n; k++) {
        char name[32];
        snprintf(name, sizeof name, "j%zu.phi", k + 1);
        s[k] = state_at(system, name);
        snprintf(name, sizeof name, "j%zu.w", k + 1);
        v[k] = state_at(system, name);
    }
    double worst = 0, phi[MAX_NODES], w[MAX_NODES];
    long double r[MAX_NODES];
    for (size_t k = 0; k < n; k++)
        phi[k] = x[s[k]], w[k] = x[v[k]];
    torques(t, phi, w, r);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            long double base = 0;
            for (size_t k = 0; k < n; k++)
                base += R[i][k] * r[k] / LENGTH;
            long double T = t->T[i];
            const struct {
                double have;
                long double want, off;
            } entries[] = {{A[s[j] * nstate + v[i]], -YK[i][j], offK[i][j] + base},
                           {A[v[j] * nstate + v[i]], -YD[i][j], offD[i][j] + base},
                           {A[s[j] * nstate + s[i]], -T * YK[i][j],
                            T * (offK[i][j] + base) + fabs(w[i]) / LENGTH},
                           {A[v[j] * nstate + s[i]], (i == j) - T * YD[i][j],
                            (i == j) + T * (offD[i][j] + base) + fabs(w[i]) / LENGTH}};
            for (size_t k = 0; k < 4; k++) {
                double error = (double)fabsl(entries[k].have - entries[k].want);
                double allowed = RELATIVE * (double)fabsl(entries[k].want) +
                                 DUST * DBL_EPSILON * (double)entries[k].off;
                worst = fmax(worst, allowed > 0 ? error / allowed : error == 0 ? 0 : INFINITY);
            }
        }
    return worst;
}

/* Joints with masses and stiffnesses over four decades and T_D from 0 to 0.1. The engine eliminates
 * in double in another order, and takes differences. */
static void test_closed_form(void **state)
{
    (void)state;
    uint64_t seed = 17;
    double worst = 0;
    for (int k = 0; k < TREES; k++) {
        Lieder *session = session_new();
        Tree tree;
        make_tree(&tree, session, "Tree", &seed);
        LiederSystem *system = system_new(session, "Tree");
        double x[2 * MAX_NODES], A[4 * MAX_NODES * MAX_NODES] = {0};
        lieder_system_start(system, x);
        Linear l;
        assert_int_equal(linear_create(&l, system, &(LinearPoint){.x = x}), LIEDER_DONE);
        linear_matrix(&l, A);
        worst = fmax(worst, compare(&tree, system, x, A));
        linear_drop(&l);
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
    if (worst > 1)
        fail_msg("an entry is off by %g times what is allowed", worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_closed_form)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
