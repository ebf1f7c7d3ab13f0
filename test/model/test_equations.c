/* test_equations.c - the engine against equations that were derived by hand: cart and pendulum,
 * momentum, order in T_D, energy, eigenvalues of one mass (papers 000 and 001). */
#include "help/engine.h"

#include <complex.h>

#undef I /* here a moment of inertia */

/* ------------------------------------------------------------------ crane crab */

typedef struct Crab {
    double M, m, I, L, g;
} Crab;

/* Lagrange with x = (s, L sin phi + s), y = -L cos phi:
 *   (M + m) s'' + m L cos phi phi'' = m L sin phi phi'^2
 *   m L cos phi s'' + (m L^2 + I) phi'' = -m g L sin phi                                       */
static void crab_accelerations(const Crab *p, double phi, double w, double *a, double *z)
{
    double A = p->M + p->m, B = p->m * p->L * cos(phi), C = p->m * p->L * p->L + p->I;
    double f = p->m * p->L * sin(phi) * w * w, t = -p->m * p->g * p->L * sin(phi);
    double det = A * C - B * B;
    *a = (C * f - B * t) / det;
    *z = (A * t - B * f) / det;
}

static double crab_energy(const Crab *p, const double *y) /* s, v, phi, w */
{
    double vx = y[1] + p->L * y[3] * cos(y[2]), vy = p->L * y[3] * sin(y[2]);
    return 0.5 * p->M * y[1] * y[1] + 0.5 * p->m * (vx * vx + vy * vy) + 0.5 * p->I * y[3] * y[3] -
           p->m * p->g * p->L * cos(y[2]);
}

typedef struct CrabSystem {
    Lieder *session;
    LiederSystem *system;
    size_t at[4]; /* s, v, phi, w in x */
} CrabSystem;

static CrabSystem crab_new(double TD, LiederMethod method)
{
    CrabSystem c = {.session = session_new()};
    LiederModel *m = lieder_model_create(c.session, "M", "");
    lieder_model_add(m, "world", "World");
    lieder_model_add(m, "crab", "Examples.CraneCrab");
    lieder_model_set(m, "world.TD", TD);
    c.system = system_new_with(c.session, "M", (LiederSystemOptions){.method = method});
    static const char *const names[] = {"crab.prismatic.s", "crab.prismatic.v", "crab.revolute.phi",
                                        "crab.revolute.w"};
    for (int i = 0; i < 4; i++)
        c.at[i] = state_at(c.system, names[i]);
    return c;
}

static void crab_drop(CrabSystem *c)
{
    lieder_system_destroy(c->system);
    lieder_destroy(c->session);
}

static void crab_set(CrabSystem *c, const Crab *p)
{
    assert_int_equal(lieder_system_set(c->system, "crab.cart.m", p->M), LIEDER_DONE);
    assert_int_equal(lieder_system_set(c->system, "crab.load.m", p->m), LIEDER_DONE);
    assert_int_equal(lieder_system_set(c->system, "crab.load.I", p->I), LIEDER_DONE);
    assert_int_equal(lieder_system_set(c->system, "crab.rod.r[2]", -p->L), LIEDER_DONE);
    assert_int_equal(lieder_system_set(c->system, "crab.cart.g", p->g), LIEDER_DONE);
    assert_int_equal(lieder_system_set(c->system, "crab.load.g", p->g), LIEDER_DONE);
}

static void crab_is_cart_and_pendulum(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int method = LIEDER_METHOD_TREE; method <= LIEDER_METHOD_PROBE; method++) {
        CrabSystem c = crab_new(0, (LiederMethod)method);
        for (int trial = 0; trial < 300; trial++) {
            Crab p = {random_between(&seed, 0.5, 5), random_between(&seed, 0.5, 5),
                      random_between(&seed, 0, 1), random_between(&seed, 0.5, 2),
                      random_between(&seed, -10, 10)};
            double x[4], dx[4], y[4], a, z;
            random_fill(&seed, y, 4, -4, 4);
            for (int i = 0; i < 4; i++)
                x[c.at[i]] = y[i];
            crab_set(&c, &p);
            derivatives(c.session, c.system, 0, x, dx);
            crab_accelerations(&p, y[2], y[3], &a, &z);
            /* 1e-12 as asked, relative where the accelerations are large */
            assert_near(dx[c.at[1]], a, 1e-12 * (1 + fabs(a)));
            assert_near(dx[c.at[3]], z, 1e-12 * (1 + fabs(z)));
            assert_true(dx[c.at[0]] == y[1] && dx[c.at[2]] == y[3]);
        }
        crab_drop(&c);
    }
}

/* No horizontal force acts: the rate of change of kinetic momentum is zero for any T_D. It is
 * zero only if levers turn with the elastic angle (Phi w, not w^2). */
static void kinetic_momentum_is_kept(void **state)
{
    (void)state;
    static const double TDs[] = {0, 1e-4, 1e-3, 1e-2, 0.1};
    uint64_t seed = 2;
    for (int k = 0; k < 5; k++) {
        CrabSystem c = crab_new(TDs[k], LIEDER_METHOD_AUTO);
        LiederObserver *o = lieder_observer_create(c.system);
        assert_int_equal(lieder_observer_add(o, "crab.cart.frame_a.ax"), 0);
        assert_int_equal(lieder_observer_add(o, "crab.load.frame_a.ax"), 1);
        assert_int_equal(lieder_observer_add(o, "crab.cart.frame_a.vx"), 2);
        assert_int_equal(lieder_observer_add(o, "crab.load.frame_a.vx"), 3);
        for (int trial = 0; trial < 100; trial++) {
            double x[4], v[4], dx[4];
            random_fill(&seed, x, 4, -2, 2);
            assert_int_equal(lieder_observer_evaluate(o, 0, x, v), LIEDER_DONE);
            double cart = 2 * v[0], load = 1 * v[1];
            assert_near(cart + load, 0, 1e-14 * (1 + fabs(cart) + fabs(load))); /* rounding */
            assert_true(fabs(cart) > 0);
            /* and it is the derivative of the momentum along the motion: difference quotient with
             * error h^2 */
            double h = 1e-5, p[2];
            derivatives(c.session, c.system, 0, x, dx);
            for (int side = 0; side < 2; side++) {
                double y[4];
                for (int i = 0; i < 4; i++)
                    y[i] = x[i] + (side ? h : -h) * dx[i];
                assert_int_equal(lieder_observer_evaluate(o, 0, y, v), LIEDER_DONE);
                p[side] = 2 * v[2] + v[3];
            }
            double rate = 0;
            for (int i = 0; i < 4; i++)
                rate = fmax(rate, fabs(dx[i]));
            assert_near((p[1] - p[0]) / (2 * h), 0, 1e-9 * (1 + rate * rate * rate));
        }
        lieder_observer_destroy(o);
        crab_drop(&c);
    }
}

static void crab_at(double TD, double end, size_t steps, double *y)
{
    CrabSystem c = crab_new(TD, LIEDER_METHOD_AUTO);
    double *x = state_new(c.system);
    rk4_run(c.system, 0, end, steps, x);
    for (int i = 0; i < 4; i++)
        y[i] = x[c.at[i]];
    free(x);
    crab_drop(&c);
}

static double distance(const double *a, const double *b)
{
    double d = 0;
    for (int i = 0; i < 4; i++)
        d = fmax(d, fabs(a[i] - b[i]));
    return d;
}

static void order_in_time_constant_is_one(void **state)
{
    (void)state;
    double classical[4], y[4], error[4];
    crab_at(0, 1, 4000, classical);
    for (int k = 0; k < 4; k++) {
        crab_at(1e-3 / (1 << k), 1, 4000, y);
        error[k] = distance(y, classical);
    }
    assert_true(error[0] > 1e-4); /* there is something to converge */
    for (int k = 0; k < 3; k++) {
        double order = log2(error[k] / error[k + 1]);
        assert_near(order, 1, 0.02); /* what is left is the next term, of size T_D */
    }
}

/* ------------------------------------------------------------------ energy */

static void classical_energy_is_conserved(void **state)
{
    (void)state;
    Crab p = {2, 1, 0, 1, 9.81};
    double start[4] = {0, 0, 1, 0}, drift[3];
    for (int k = 0; k < 3; k++) {
        double y[4];
        crab_at(0, 2, (size_t)250 << k, y);
        drift[k] = fabs(crab_energy(&p, y) - crab_energy(&p, start));
    }
    /* a step of order four: halving it divides the drift by 16 or (as here) 32 */
    assert_true(drift[0] / drift[1] > 14 && drift[1] / drift[2] > 14);
    assert_true(drift[2] < 1e-7);
}

static void crab_loses_energy_with_time_constant(void **state)
{
    (void)state;
    Crab p = {2, 1, 0, 1, 9.81};
    double start[4] = {0, 0, 1, 0}, loss[3];
    for (int k = 0; k < 3; k++) {
        double y[4];
        crab_at(2e-3 / (1 << k), 3, 6000, y);
        loss[k] = crab_energy(&p, start) - crab_energy(&p, y);
        assert_true(loss[k] > 0);
    }
    assert_near(loss[0] / loss[1], 2, 0.05); /* proportional, up to the next order */
    assert_near(loss[1] / loss[2], 2, 0.03);
}

/* E' = -T_D m g^2 sin^2 phi by hand: never positive */
static void pendulum_never_gains_energy(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederModel *m = lieder_model_create(session, "Pendulum", "");
    lieder_model_add(m, "fixed", "Planar.Fixed");
    lieder_model_add(m, "joint", "Planar.Revolute");
    lieder_model_add(m, "rod", "Planar.FixedTranslation");
    lieder_model_add(m, "bob", "Planar.Body");
    lieder_model_set_vector(m, "rod.r", (double[]){0, -1}, 2);
    lieder_model_connect(m, "fixed.frame", "joint.frame_a");
    lieder_model_connect(m, "joint.frame_b", "rod.frame_a");
    lieder_model_connect(m, "rod.frame_b", "bob.frame_a");
    LiederSystem *system = system_new(session, "Pendulum");
    size_t phi = state_at(system, "joint.phi"), w = state_at(system, "joint.w");
    uint64_t seed = 3;
    for (int trial = 0; trial < 200; trial++) {
        double x[2], dx[2], TD = random_between(&seed, 0, 0.1);
        random_fill(&seed, x, 2, -5, 5);
        assert_int_equal(lieder_system_set(system, "joint.TD", TD), LIEDER_DONE);
        derivatives(session, system, 0, x, dx);
        double rate = x[w] * dx[w] + 9.81 * sin(x[phi]) * dx[phi];
        double expected = -TD * 9.81 * 9.81 * sin(x[phi]) * sin(x[phi]);
        assert_near(rate, expected, 1e-12 * 100); /* terms of size 50 cancel */
    }
    double x[2], work[10], before = INFINITY;
    x[phi] = 2;
    x[w] = 0;
    assert_int_equal(lieder_system_set(system, "joint.TD", 0.01), LIEDER_DONE);
    for (int step = 0; step < 3000; step++) {
        rk4_step(system, 0, 1e-3, x, work);
        double energy = 0.5 * x[w] * x[w] - 9.81 * cos(x[phi]);
        assert_true(energy <=
                    before + 1e-12); /* where sin phi = 0 the loss is less than rounding */
        before = energy;
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ one mass on a spring */

typedef struct Mass {
    Lieder *session;
    LiederSystem *system;
    size_t s, v;
} Mass;

static Mass mass_new(bool damped, double m, double d, double c, double TD)
{
    Mass k = {.session = session_new()};
    LiederModel *model = lieder_model_create(k.session, "M", "");
    lieder_model_add(model, "world", "World");
    lieder_model_add(model, "one", "Examples.SpringMass");
    lieder_model_add(model, "sensor", "Translational.PositionSensor");
    lieder_model_set(model, "world.damped", damped);
    lieder_model_set(model, "world.TD", TD);
    lieder_model_set(model, "one.body.m", m);
    lieder_model_set(model, "one.body.g", 0);
    lieder_model_set(model, "one.spring.c", c);
    lieder_model_set(model, "one.spring.d", d);
    lieder_model_set(model, "one.joint.s", 0.1);
    lieder_model_set(model, "one.joint.v", 0.3);
    lieder_model_set(model, "sensor.filtered", TD > 0);
    lieder_model_connect(model, "one.body.flange_a", "sensor.flange");
    k.system = system_new(k.session, "M");
    k.s = state_at(k.system, "one.joint.s");
    k.v = state_at(k.system, "one.joint.v");
    return k;
}

static void mass_drop(Mass *k)
{
    lieder_system_destroy(k->system);
    lieder_destroy(k->session);
}

/* the right-hand side is linear and homogeneous: unit states give its matrix exactly */
static void mass_matrix(Mass *k, double A[2][2])
{
    size_t at[2] = {k->s, k->v};
    for (int j = 0; j < 2; j++) {
        double x[3] = {0}, dx[3];
        x[at[j]] = 1;
        derivatives(k->session, k->system, 0, x, dx);
        for (int i = 0; i < 2; i++)
            A[i][j] = dx[at[i]];
    }
}

static double complex eigenvalue(double A[2][2], int which)
{
    double half = 0.5 * (A[0][0] + A[1][1]), det = A[0][0] * A[1][1] - A[0][1] * A[1][0];
    double complex root = csqrt(half * half - det);
    /* the smaller one from the product: no cancellation */
    double complex large = half < 0 ? half - root : half + root;
    return which == 0 || large == 0 ? large : det / large;
}

/* paper 000, table 1: m' = m + d_el T_D, d' = d + c T_D */
static void table_one_same_eigenvalues(void **state)
{
    (void)state;
    Mass dpm = mass_new(true, 1, 100, 1e6, 1e-3), msl = mass_new(true, 2.1, 1100, 1e6, 0);
    double A[2][2], B[2][2];
    mass_matrix(&dpm, A);
    mass_matrix(&msl, B);
    double expected_half = -1100 / 2.1 / 2, expected_det = 1e6 / 2.1;
    assert_near(B[0][0] + B[1][1], 2 * expected_half, 1e-12 * 1e3);
    assert_near(A[0][0] * A[1][1] - A[0][1] * A[1][0], expected_det, 1e-12 * 1e6);
    for (int i = 0; i < 2; i++) {
        double complex a = eigenvalue(A, i), b = eigenvalue(B, i);
        double complex by_hand =
            expected_half + (i ? 1 : -1) * csqrt(expected_half * expected_half - expected_det);
        assert_near(cabs(a - b), 0, 1e-11 * cabs(b)); /* rounding of a square root near 700 */
        assert_near(fabs(cimag(a)), fabs(cimag(by_hand)), 1e-11 * cabs(b));
        assert_near(creal(a), creal(by_hand), 1e-11 * cabs(b));
    }
    mass_drop(&dpm);
    mass_drop(&msl);
}

/* The filtered position of the dialectic mass moves like the classical mass. Both are linear and
 * RK4 keeps linear relations, so only rounding is left between them. */
static void table_one_same_filtered_trajectory(void **state)
{
    (void)state;
    Mass dpm = mass_new(true, 1, 100, 1e6, 1e-3), msl = mass_new(true, 2.1, 1100, 1e6, 0);
    double *x = state_new(dpm.system), *y = state_new(msl.system), work[15];
    size_t filtered = state_at(dpm.system, "sensor.x");
    assert_near(x[filtered], 0.1 - 1e-3 * 0.3, 1e-17); /* starts on the filter's own manifold */
    y[msl.s] = x[filtered];
    y[msl.v] = x[dpm.v];
    double moved = 0;
    for (int step = 0; step < 2000; step++) {
        rk4_step(dpm.system, 0, 1e-5, x, work);
        rk4_step(msl.system, 0, 1e-5, y, work);
        double seen = look(dpm.system, 0, x, "sensor.y");
        assert_near(seen, y[msl.s], 1e-13); /* amplitude 0.1 */
        moved = fmax(moved, fabs(seen - 0.1));
    }
    assert_true(moved > 0.1); /* it went through zero */
    /* without the filter the two differ */
    assert_true(fabs(x[dpm.s] - x[filtered]) > 1e-9);
    free(x);
    free(y);
    mass_drop(&dpm);
    mass_drop(&msl);
}

static double random_decade(uint64_t *seed, double low, double high)
{
    return exp(random_between(seed, log(low), log(high)));
}

/* undamped, paper 001 equation 4; damped, |lambda| < 1/T_D and |1 + T_D lambda| <= 1 */
static void eigenvalues_of_one_mass(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int damped = 0; damped < 2; damped++) {
        Mass k = mass_new(damped, 1, 1, 1, 1e-3);
        for (int trial = 0; trial < 400; trial++) {
            double m = random_decade(&seed, 1e-3, 1e3), d = random_decade(&seed, 1e-6, 1e6);
            double c = random_decade(&seed, 1e-3, 1e12), TD = random_decade(&seed, 1e-5, 1e-1);
            double A[2][2];
            lieder_system_set(k.system, "one.body.m", m);
            lieder_system_set(k.system, "one.spring.d", d);
            lieder_system_set(k.system, "one.spring.c", c);
            lieder_system_set(k.system, "one.spring.TD", TD);
            assert_int_equal(lieder_system_set(k.system, "one.joint.TD", TD), LIEDER_DONE);
            mass_matrix(&k, A);
            if (!damped) {
                double half = (d + c * TD) / (2 * m);
                assert_near(A[0][0] + A[1][1], -2 * half, 1e-13 * half);
                assert_near((A[0][0] * A[1][1] - A[0][1] * A[1][0]) / (c / m), 1,
                            1e-14 * (1 + d * TD / m)); /* the product of d and c T_D cancels */
                continue;
            }
            double det = c / (m + (d + c * TD) * TD),
                   trace = -(d + c * TD) / (m + (d + c * TD) * TD);
            assert_near(A[0][0] + A[1][1], trace, 1e-9 * fabs(trace));
            double B[2][2] = {{trace, -det}, {1, 0}};
            for (int i = 0; i < 2; i++) {
                double complex l = eigenvalue(B, i);
                assert_true(cabs(l) < (1 + 1e-12) / TD); /* equality is reached in rounding */
                assert_true(cabs(1 + TD * l) <= 1 + 1e-12);
            }
            /* the engine's own numbers, whose product cancels digits for stiff springs */
            double product = A[0][0] * A[1][1] - A[0][1] * A[1][0];
            double size = fabs(A[0][0] * A[1][1]) + fabs(A[0][1] * A[1][0]);
            assert_near(product, det, 1e-14 * size + 1e-9 * det);
        }
        mass_drop(&k);
    }
}

/* undamped E' = -T_D (c s + d v) c s / m - d v^2 with E of the states; damped: E of the filtered
 * position, E' = -(d + c T_D) v^2 */
static void mass_on_spring_never_gains_energy(void **state)
{
    (void)state;
    for (int damped = 0; damped < 2; damped++) {
        double m = 1, c = 1e3, TD = 1e-2;
        Mass k = mass_new(damped, m, 0, c, TD);
        double x[3] = {0}, dx[3], work[15], before = INFINITY, d_el = damped ? c * TD : 0;
        uint64_t seed = 6;
        for (int trial = 0; trial < 100; trial++) {
            random_fill(&seed, x, 3, -1, 1);
            derivatives(k.session, k.system, 0, x, dx);
            double s = x[k.s], v = x[k.v], rate;
            if (damped)
                rate = (m + d_el * TD) * v * dx[k.v] + c * (s - TD * v) * (dx[k.s] - TD * dx[k.v]);
            else
                rate = m * v * dx[k.v] + c * s * dx[k.s];
            double expected = damped ? -c * TD * v * v : -TD * c * c * s * s / m;
            assert_near(rate, expected, 1e-10); /* terms of size 1e4 */
        }
        x[k.s] = 0.1;
        x[k.v] = 1;
        for (int step = 0; step < 2000; step++) {
            double s = x[k.s], v = x[k.v], y = damped ? s - TD * v : s;
            double energy = 0.5 * (m + d_el * TD) * v * v + 0.5 * c * y * y;
            assert_true(energy <= before);
            before = energy;
            rk4_step(k.system, 0, 1e-3, x, work);
        }
        assert_true(before < 1e-3);
        mass_drop(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crab_is_cart_and_pendulum),
        cmocka_unit_test(kinetic_momentum_is_kept),
        cmocka_unit_test(order_in_time_constant_is_one),
        cmocka_unit_test(classical_energy_is_conserved),
        cmocka_unit_test(crab_loses_energy_with_time_constant),
        cmocka_unit_test(pendulum_never_gains_energy),
        cmocka_unit_test(table_one_same_eigenvalues),
        cmocka_unit_test(table_one_same_filtered_trajectory),
        cmocka_unit_test(eigenvalues_of_one_mass),
        cmocka_unit_test(mass_on_spring_never_gains_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
