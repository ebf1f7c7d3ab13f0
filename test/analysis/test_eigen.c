/* test_eigen.c - linear models and their eigenvalues against closed forms. */
#include "help/engine.h"

#include "analysis/analysis.h"
#include "help/meter.h"
#include "help/row.h"
#include "help/full.h"

static void linear_at(Linear *l, LiederSystem *system, const double *x)
{
    double *start = calloc(lieder_system_state_count(system) + 1, sizeof *start);
    lieder_system_start(system, start);
    LiederStatus status = linear_create(l, system, &(LinearPoint){.x = x ? x : start});
    free(start);
    if (status != LIEDER_DONE)
        lieder_diagnostic_print_all(system->session, stderr);
    assert_int_equal(status, LIEDER_DONE);
}

static Spectrum spectrum_of(Linear *l)
{
    Spectrum s;
    assert_int_equal(spectrum_create(&s, l), LIEDER_DONE);
    return s;
}

static LiederSystem *new_system(Lieder *session, const char *model)
{
    return system_new_with(session, model, lieder_system_defaults());
}

/* ------------------------------------------------------------------ paper 000 */

enum { SETS = UNLESS_SANITIZED(1000, 100) };

/* m' x'' + d' x' + c x = 0, the root of larger magnitude first; of a pair the upper one first */
static void roots_of(double m, double d, double c, double complex roots[2])
{
    double beta = d / (2 * m), D = beta * beta - c / m;
    if (D >= 0) {
        double fast = -beta - sqrt(D);
        roots[0] = fast;
        roots[1] = c / m / fast; /* without cancellation */
    } else {
        roots[0] = -beta + I * sqrt(-D);
        roots[1] = conj(roots[0]);
    }
}

/* Eigenvalues of SETS masses on springs and dampers, each with its own parameters, against
 * equation 3 to 1e-9. The bound: rounding in A, a few eps |A|, moves an eigenvalue by
 * eps |lambda_1| / s with s = |l1 - l2| / |l1|, near a double root by its square root; and a slow
 * one beside a fast one by eps times their ratio. Sets within 1e-6 of a double root or with
 * a ratio beyond 1e5 are compared through sum and product, which are entries of A. */
static void test_spring_mass(void **state)
{
    (void)state;
    uint64_t seed = 7;
    Lieder *session = session_new();
    LiederModel *model = lieder_model_create(session, "Many", "");
    static double m[SETS], c[SETS], d[SETS], TD[SETS];
    for (size_t i = 0; i < SETS; i++) {
        m[i] = pow(10, random_between(&seed, -1, 2));
        c[i] = pow(10, random_between(&seed, 0, 9));
        d[i] = pow(10, random_between(&seed, -2, 5));
        TD[i] = pow(10, random_between(&seed, -5, -2));
    }
    lieder_model_add(model, "world", "World");
    lieder_model_add_array(model, "o", "Examples.SpringMass", SETS);
    lieder_model_set_each(model, "o.body.m", m, SETS);
    lieder_model_set_each(model, "o.spring.c", c, SETS);
    lieder_model_set_each(model, "o.spring.d", d, SETS);
    lieder_model_set_each(model, "o.spring.TD", TD, SETS);
    lieder_model_set_each(model, "o.joint.TD", TD, SETS);
    LiederSystem *system = new_system(session, "Many");
    Linear l;
    linear_at(&l, system, NULL);
    Spectrum s = spectrum_of(&l);
    assert_int_equal(s.blocks.n, SETS);
    size_t compared = 0;
    double worst = 0;
    for (size_t i = 0; i < SETS; i++) {
        const Block *b = &s.blocks.items[i];
        const Eigenvalue *v = s.values.items + b->first;
        double complex expected[2], found[2] = {v[0].re + I * v[0].im, v[1].re + I * v[1].im};
        double d_el = d[b->lane] + c[b->lane] * TD[b->lane], mass = m[b->lane] + d_el * TD[b->lane];
        roots_of(mass, d_el, c[b->lane], expected);
        /* equations 18 and 19, and the sharper disk of dialectic mechanics */
        assert_true(cabs(found[0]) < 1 / TD[b->lane]);
        assert_true(-creal(found[0] + found[1]) / 2 < 1 / (2 * TD[b->lane]));
        assert_true(cabs(1 + TD[b->lane] * found[0]) <= 1 + 1e-12);
        double gap = cabs(expected[0] - expected[1]) / cabs(expected[0]);
        double ratio = cabs(expected[0]) / cabs(expected[1]);
        double sum = cabs(found[0] + found[1] + d_el / mass) / (d_el / mass);
        assert_true(sum < 1e-10); /* the weight, 9.81 m, is rounded, too */
        if (gap < 1e-6 || ratio > 1e5)
            continue;
        compared++;
        for (int k = 0; k < 2; k++) {
            double off = cabs(found[k] - expected[k]) / cabs(expected[k]);
            worst = fmax(worst, off);
            /* what it says about its own error is true, and not idle */
            assert_true(cabs(found[k] - expected[k]) <= 4 * v[k].error);
            assert_true(v[k].error < 1e-6 * cabs(expected[k]));
        }
    }
    if (worst > 1e-9)
        fail_msg("relative error %g", worst);
    assert_true(compared > SETS * 9 / 10);
    spectrum_drop(&s);
    linear_drop(&l);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* equations 20 and 21: stiff systems end at -1/2 +- i sqrt(3/4), damped ones at -1 and 0, over T_D
 */
static void test_limits(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederModel *model = lieder_model_create(session, "Limits", "");
    lieder_model_add(model, "world", "World");
    lieder_model_set(model, "world.TD", 1e-3);
    lieder_model_add_array(model, "o", "Examples.SpringMass", 2);
    lieder_model_set_each(model, "o.spring.c", (double[]){1e18, 1e-6}, 2);
    lieder_model_set_each(model, "o.spring.d", (double[]){0, 1e12}, 2);
    LiederSystem *system = new_system(session, "Limits");
    Linear l;
    linear_at(&l, system, NULL);
    Spectrum s = spectrum_of(&l);
    const Eigenvalue *v = s.values.items;
    assert_near(v[0].re, -500, 500 * 1e-9);
    assert_near(v[0].im, 1000 * sqrt(0.75), 1000 * 1e-9);
    assert_near(v[2].re, -1000, 1000 * 1e-6);
    assert_near(v[3].re, 0, 1e-6);
    spectrum_drop(&s);
    linear_drop(&l);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* Two bodies that only a spring holds together: their relative motion is that of the reduced mass,
 * and the pair as a whole rests or glides (a double zero with one eigenvector). */
static void test_two_masses(void **state)
{
    (void)state;
    uint64_t seed = 11;
    Lieder *session = session_new();
    LiederModel *model = lieder_model_create(session, "Pair", "");
    lieder_model_add(model, "world", "World");
    lieder_model_add(model, "p", "Examples.TwoMasses");
    LiederSystem *system = new_system(session, "Pair");
    for (int i = 0; i < UNLESS_SANITIZED(200, 20); i++) {
        double m1 = pow(10, random_between(&seed, -1, 1)),
               m2 = pow(10, random_between(&seed, -1, 1)), c = pow(10, random_between(&seed, 2, 8)),
               TD = pow(10, random_between(&seed, -5, -2));
        lieder_system_set(system, "p.body1.m", m1);
        lieder_system_set(system, "p.body2.m", m2);
        lieder_system_set(system, "p.spring.c", c);
        lieder_system_set(system, "p.spring.TD", TD);
        lieder_system_set(system, "p.joint1.TD", TD);
        lieder_system_set(system, "p.joint2.TD", TD);
        Linear l;
        linear_at(&l, system, NULL);
        Spectrum s = spectrum_of(&l);
        double complex expected[2];
        double mass = m1 * m2 / (m1 + m2);
        roots_of(mass + c * TD * TD, c * TD, c, expected);
        assert_int_equal(s.values.n, 4);
        for (int k = 0; k < 2; k++) {
            const Eigenvalue *v = &s.values.items[k];
            double off = cabs(v->re + I * v->im - expected[k]) / cabs(expected[k]);
            if (off > 1e-9)
                fail_msg("set %d: %g", i, off);
            assert_int_equal(eigen_motion(v), MOTION_DECAYING);
            assert_int_equal(eigen_motion(&s.values.items[2 + k]), MOTION_REST);
        }
        spectrum_drop(&s);
        linear_drop(&l);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ differences */

/* The crane crab is nonlinear: its A at rest, and the same by classical formulas at TD = 0. */
static void test_crab(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederModel *model = lieder_model_create(session, "Crab", "");
    lieder_model_add(model, "world", "World");
    lieder_model_set(model, "world.TD", 0);
    lieder_model_add(model, "crab", "Examples.CraneCrab");
    LiederSystem *system = new_system(session, "Crab");
    size_t s = (size_t)lieder_system_state_index(system, "crab.prismatic.s"),
           v = (size_t)lieder_system_state_index(system, "crab.prismatic.v"),
           phi = (size_t)lieder_system_state_index(system, "crab.revolute.phi"),
           w = (size_t)lieder_system_state_index(system, "crab.revolute.w");
    /* (M + m) a + m l (z cos - w^2 sin) = 0,  l z + a cos + g sin = 0: with M = 2, m = l = 1
     * z = -(3 g sin + w^2 sin cos) / (3 - cos^2), a = sin (w^2 + g cos) / (3 - cos^2) */
    double x[4], g = 9.81, p = 0.7, W = 1.3;
    x[s] = 0.4;
    x[v] = -0.2;
    x[phi] = p;
    x[w] = W;
    Linear l;
    linear_at(&l, system, x);
    const double *A = l.shapes.items[0].A;
    double S = sin(p), C = cos(p), N = 3 - C * C, dN = 2 * C * S;
    double u = -(3 * g * S + W * W * S * C), du = -(3 * g * C + W * W * (C * C - S * S));
    double q = S * (W * W + g * C), dq = C * (W * W + g * C) - g * S * S;
    double exact[16] = {0};
    exact[v * 4 + s] = exact[w * 4 + phi] = 1;
    exact[phi * 4 + w] = (du * N - u * dN) / (N * N);
    exact[w * 4 + w] = -2 * W * S * C / N;
    exact[phi * 4 + v] = (dq * N - q * dN) / (N * N);
    exact[w * 4 + v] = 2 * W * S / N;
    for (int i = 0; i < 16; i++) {
        assert_near(A[i], exact[i], 1e-12);
        assert_true(fabs(A[i] - exact[i]) <= 2 * l.shapes.items[0].error[i] + 1e-15);
        assert_true(l.shapes.items[0].error[i] < 1e-11);
    }
    linear_drop(&l);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* Dry friction bends within vAdhesion, far below the natural size of a velocity: slope of the
 * triple S at 0, 3/2 mu N / vAdhesion. Neither the levels nor the samples of rounding may step over
 * it. */
static void test_small_scale(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederModel *model = lieder_model_create(session, "Rub", "");
    lieder_model_add(model, "world", "World");
    lieder_model_set(model, "world.TD", 0);
    lieder_model_add(model, "fixed", "Translational.Fixed");
    lieder_model_add(model, "joint", "Translational.Joint");
    lieder_model_add(model, "body", "Translational.Body");
    lieder_model_add(model, "rub", "Translational.DryFriction");
    lieder_model_set(model, "rub.N", 10);
    lieder_model_set(model, "rub.vSlide", 1e-2);
    lieder_model_set(model, "rub.mu_A", 0.8);
    lieder_model_set(model, "rub.mu_S", 0.5);
    lieder_model_connect(model, "fixed.flange_b", "joint.flange_a");
    lieder_model_connect(model, "joint.flange_b", "body.flange_a");
    lieder_model_connect(model, "fixed.flange_b", "rub.flange_a");
    lieder_model_connect(model, "rub.flange_b", "body.flange_a");
    LiederSystem *system = new_system(session, "Rub");
    size_t v = (size_t)lieder_system_state_index(system, "joint.v");
    for (double adhesion = 1e-3; adhesion > 0.9e-5; adhesion /= 10) {
        lieder_system_set(system, "rub.vAdhesion", adhesion);
        Linear l;
        linear_at(&l, system, NULL);
        double expected = -1.5 * 0.8 * 10 / adhesion;
        assert_near(l.shapes.items[0].A[v * 2 + v], expected, 1e-9 * fabs(expected));
        linear_drop(&l);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* a gap counts as open or closed as it is, however close the contact */
static void test_contact(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederModel *model = lieder_model_create(session, "Gap", "");
    lieder_model_add(model, "world", "World");
    lieder_model_set(model, "world.TD", 0);
    lieder_model_add(model, "fixed", "Translational.Fixed");
    lieder_model_add(model, "joint", "Translational.Joint");
    lieder_model_add(model, "body", "Translational.Body");
    lieder_model_add(model, "gap", "Translational.ElastoGap");
    lieder_model_set(model, "gap.c", 1e6);
    lieder_model_connect(model, "fixed.flange_b", "joint.flange_a");
    lieder_model_connect(model, "joint.flange_b", "body.flange_a");
    lieder_model_connect(model, "fixed.flange_b", "gap.flange_a");
    lieder_model_connect(model, "gap.flange_b", "body.flange_a");
    LiederSystem *system = new_system(session, "Gap");
    size_t s = (size_t)lieder_system_state_index(system, "joint.s"), v = 1 - s;
    for (int side = -1; side <= 1; side += 2) {
        double x[2] = {0};
        x[s] = side * 1e-9;
        Linear l;
        linear_at(&l, system, x);
        double c = l.shapes.items[0].A[s * 2 + v];
        assert_near(c, side < 0 ? -1e6 : 0, 1e-6);
        linear_drop(&l);
        /* and as a run holds it, against the state */
        double held = side > 0;
        Linear h;
        assert_int_equal(
            linear_create(&h, system, &(LinearPoint){.t = 0, .x = x, .choices = &held}), 0);
        assert_near(h.shapes.items[0].A[s * 2 + v], side > 0 ? -1e6 : 0, 1e-6);
        linear_drop(&h);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ inputs and outputs */

static void test_ports(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederModel *model = lieder_model_create(session, "Driven", "");
    lieder_model_add(model, "world", "World");
    lieder_model_set(model, "world.TD", 0);
    lieder_model_add_array(model, "o", "Examples.TwoMasses", 3);
    lieder_model_set(model, "o.body1.m", 2);
    lieder_model_set(model, "o.body2.m", 4);
    lieder_model_set(model, "o.spring.c", 100);
    LiederSystem *system = new_system(session, "Driven");
    /* a force that nobody is connected to; a parameter; one at the end of its range */
    const char *inputs[] = {"o[2].force.f", "o[2].spring.l", "o[3].joint1.TD"};
    const char *outputs[] = {"o[2].spring.f_el", "o[2].joint1.s", "der(o[2].joint2.v)",
                             "o[1].spring.f_el"};
    double x[12] = {0};
    Linear l;
    LinearPoint p = {.x = x, .inputs = inputs, .ninput = 3, .outputs = outputs, .noutput = 4};
    size_t s1 = (size_t)lieder_system_state_index(system, "o[2].joint1.s"),
           s2 = (size_t)lieder_system_state_index(system, "o[2].joint2.s"),
           v1 = (size_t)lieder_system_state_index(system, "o[2].joint1.v"),
           v2 = (size_t)lieder_system_state_index(system, "o[2].joint2.v"),
           s3 = (size_t)lieder_system_state_index(system, "o[3].joint1.s");
    x[s2] = 0.5;
    x[(size_t)lieder_system_state_index(system, "o[3].joint2.s")] = 0.5;
    assert_int_equal(linear_create(&l, system, &p), LIEDER_DONE);
    assert_near(l.B[v1], 0.5, 1e-15); /* f / m1 */
    assert_near(l.B[v2], 0, 1e-15);
    assert_near(l.B[12 + v1], -50, 1e-12); /* l: c / m */
    assert_near(l.B[12 + v2], 25, 1e-12);
    assert_near(l.B[24 + s3], 25, 1e-10); /* s' = v + TD a, a = c x / m */
    assert_near(l.C[s1 * 4 + 0], -100, 1e-12);
    assert_near(l.C[s2 * 4 + 0], 100, 1e-12);
    assert_near(l.C[s1 * 4 + 1], 1, 0);
    assert_near(l.C[s2 * 4 + 2], -25, 1e-12);
    assert_near(l.C[s2 * 4 + 3], 0, 0);
    assert_near(l.D[4 + 0], -100, 1e-12);
    assert_near(l.D[4 + 2], 25, 1e-12);
    assert_near(l.D[0], 0, 1e-13);
    assert_near(l.y[0], 50, 1e-12);
    linear_drop(&l);
    /* everything is as it was */
    double value;
    lieder_system_get(system, "o[2].spring.l", &value);
    assert_near(value, 0, 0);
    assert_int_equal(lieder_diagnostic_count(session), 0);
    /* wrong names, all of them */
    const char *wrong[] = {"o[2].spring.x", "nobody.y"};
    p.inputs = p.outputs = wrong;
    p.ninput = p.noutput = 2;
    assert_int_equal(linear_create(&l, system, &p), LIEDER_BAD_USE);
    linear_drop(&l);
    assert_int_equal(lieder_diagnostic_count(session), 4);
    lieder_diagnostic_clear(session);
    /* an input that a connection gives its value */
    model = lieder_model_create(session, "Wired", "");
    lieder_model_add(model, "masses", "Examples.TwoMasses");
    lieder_model_add(model, "source", "Signals.Constant");
    lieder_model_connect(model, "source.y", "masses.force.f");
    LiederSystem *wired = new_system(session, "Wired");
    const char *driven[] = {"masses.force.f"}, *driver[] = {"source.k"};
    p = (LinearPoint){.x = x, .inputs = driven, .ninput = 1};
    assert_int_equal(linear_create(&l, wired, &p), LIEDER_BAD_USE);
    linear_drop(&l);
    assert_int_equal(lieder_diagnostic_count(session), 1);
    lieder_diagnostic_clear(session);
    p.inputs = driver;
    assert_int_equal(linear_create(&l, wired, &p), LIEDER_DONE);
    assert_true(fabs(l.B[lieder_system_state_index(wired, "masses.joint1.v")]) > 0.1);
    linear_drop(&l);
    lieder_system_destroy(wired);
    const char *one_switch[] = {"o[2].spring.damped"};
    p = (LinearPoint){.x = x, .inputs = one_switch, .ninput = 1};
    assert_int_equal(linear_create(&l, system, &p), LIEDER_BAD_USE);
    linear_drop(&l);
    assert_int_equal(lieder_diagnostic_count(session), 1);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ participation, fleets */

/* without LAPACK: the same eigenvalues, bounds of the same size, the same states take part */
static void compare_small(size_t n, const double *A, const double *error, const Eigenvalue *values)
{
    Eigenvalue small[EIGEN_SMALL];
    assert_true(eigen_small(n, A, error, small));
    for (size_t k = 0; k < n; k++) {
        size_t same = 0;
        while (same < n && hypot(values[k].re - small[same].re, values[k].im - small[same].im) >
                               1e-9 * (1 + hypot(values[k].re, values[k].im)))
            same++;
        assert_true(same < n);
        assert_true(small[same].error < 10 * values[k].error &&
                    values[k].error < 10 * small[same].error);
        assert_near(small[same].shares[0].part, values[k].shares[0].part, 1e-5);
        assert_true((small[same].im == 0) == (values[k].im == 0));
    }
}

static void test_small(void **state)
{
    (void)state;
    uint64_t seed = 11;
    double A[EIGEN_SMALL * EIGEN_SMALL], error[EIGEN_SMALL * EIGEN_SMALL] = {0};
    Eigenvalue values[EIGEN_SMALL];
    for (size_t n = 1; n <= EIGEN_SMALL; n += n < 9 ? 1 : 31) {
        random_fill(&seed, A, n * n, -1, 1);
        for (size_t c = 0; c < n; c++) /* of very different sizes */
            for (size_t r = 0; r < n; r++)
                A[c * n + r] *= (r % 3 ? 1e4 : 1) / (c % 3 ? 1e4 : 1);
        assert_int_equal(eigen_dense(&memory_default, n, A, error, values, NULL), 0);
        compare_small(n, A, error, values);
    }
    /* a body that nothing holds rests; zeros; a circle, which no shift moves by itself */
    double body[4] = {0, 0, 1, 0}, none[4] = {0}, circle[9] = {0, 1, 0, 0, 0, 1, 1, 0, 0};
    assert_true(eigen_small(2, body, error, values));
    assert_true(eigen_motion(&values[0]) == MOTION_REST && eigen_motion(&values[1]) == MOTION_REST);
    assert_true(eigen_small(2, none, error, values));
    assert_true(values[0].re == 0 && values[1].re == 0);
    assert_true(eigen_small(3, circle, error, values));
    for (int k = 0; k < 3; k++)
        assert_near(hypot(values[k].re, values[k].im), 1, 1e-14);
    body[0] = NAN;
    assert_false(eigen_small(2, body, error, values));
}

static void test_participation(void **state)
{
    (void)state;
    uint64_t seed = 3;
    enum { N = 9 };
    double A[N * N], error[N * N] = {0}, parts[N * N], again[N * N];
    Eigenvalue values[N], scaled[N];
    for (int round = 0; round < UNLESS_SANITIZED(50, 10); round++) {
        random_fill(&seed, A, N * N, -1, 1);
        assert_int_equal(eigen_dense(&memory_default, N, A, error, values, parts), 0);
        for (int k = 0; k < N; k++) {
            double sum = 0;
            for (int r = 0; r < N; r++) {
                assert_true(parts[k * N + r] >= 0);
                sum += parts[k * N + r];
            }
            assert_near(sum, 1, 1e-12);
            for (int i = 1; i < SHARES; i++)
                assert_true(values[k].shares[i].part <= values[k].shares[i - 1].part);
            assert_near(values[k].shares[0].part, parts[k * N + values[k].shares[0].state], 1e-6);
        }
        /* in millimetres instead of metres: the same */
        for (int c = 0; c < N; c++)
            for (int r = 0; r < N; r++)
                A[c * N + r] *= (r % 2 ? 1000.0 : 1) / (c % 2 ? 1000.0 : 1);
        assert_int_equal(eigen_dense(&memory_default, N, A, error, scaled, again), 0);
        for (int k = 0; k < N; k++) {
            int same = 0;
            while (same < N &&
                   hypot(values[k].re - scaled[same].re, values[k].im - scaled[same].im) > 1e-9)
                same++;
            assert_true(same < N);
            for (int r = 0; r < N; r++)
                assert_near(parts[k * N + r], again[same * N + r], 1e-9);
        }
    }
    /* two blocks that do not meet: nobody takes part in the other's motion */
    double two[16] = {0, -4, 0, 0, 1, -1, 0, 0, 0, 0, 0, -9, 0, 0, 1, -1};
    assert_int_equal(eigen_dense(&memory_default, 4, two, error, values, parts), 0);
    for (int k = 0; k < 4; k++) {
        bool first = fabs(hypot(values[k].re, values[k].im) - 2) < 1e-9;
        assert_near(parts[k * 4] + parts[k * 4 + 1], first, 1e-12);
    }
}

/* Ten kinds of crabs among a hundred thousand, in brief a thousand: ten blocks. */
static void test_fleet(void **state)
{
    (void)state;
    enum { KINDS = 10 };
    const size_t ncrab = IN_FULL(100000, 1000);
    Lieder *session = session_new();
    LiederModel *model = lieder_model_create(session, "Fleet", "");
    lieder_model_add(model, "world", "World");
    lieder_model_add_array(model, "crab", "Examples.CraneCrab", ncrab);
    double *m = malloc(ncrab * sizeof *m);
    for (size_t i = 0; i < ncrab; i++)
        m[i] = 1 + 0.1 * (double)(i % KINDS);
    lieder_model_set_each(model, "crab.cart.m", m, ncrab);
    lieder_model_set(model, "crab.revolute.phi", 0); /* hanging */
    free(m);
    LiederSystem *system = new_system(session, "Fleet");
    Linear l;
    linear_at(&l, system, NULL);
    Spectrum s = spectrum_of(&l);
    assert_int_equal(s.blocks.n, KINDS);
    for (size_t i = 0; i < KINDS; i++) {
        const Block *b = &s.blocks.items[i];
        assert_int_equal(b->lane, i);
        assert_int_equal(b->nlane, ncrab / KINDS);
        /* hanging: w^2 = g (M + m) / (M l), and T_D, with the elastic lever, changes the pair:
         * m' l z + TD ... so only the classical part is compared, to order T_D w */
        double M = 1 + 0.1 * (double)i, w = sqrt(9.81 * (M + 1) / M);
        const Eigenvalue *v = s.values.items + b->first;
        assert_near(hypot(v[0].re, v[0].im), w, 1e-3 * w);
        for (size_t k = 0; k < b->n; k++)
            assert_ptr_equal(spectrum_block(&s, b->first + k), b);
    }
    /* the light ones are the fastest, the heavy ones the slowest */
    size_t count;
    double least, most;
    assert_int_equal(spectrum_fastest(&s, s.blocks.items[0].shape, &count)->lane, 0);
    assert_int_equal(count, KINDS);
    spectrum_range(&s, s.blocks.items[0].shape, 0, &least, &most);
    assert_near(most, sqrt(9.81 * 2), 1e-2);
    assert_near(least, sqrt(9.81 * 2.9 / 1.9), 1e-2);
    assert_true(spectrum_complete(&s));
    spectrum_drop(&s);
    linear_drop(&l);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* One of three masses lost its spring, which now stays on the ground, in the running system: it
 * glides, the others swing on. */
static void test_restructured(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederModel *model = lieder_model_create(session, "Three", "");
    lieder_model_add(model, "world", "World");
    lieder_model_set(model, "world.TD", 0);
    lieder_model_add_array(model, "o", "Examples.SpringMass", 3);
    lieder_model_set(model, "o.spring.c", 4);
    lieder_model_set(model, "o.spring.d", 0);
    LiederSystem *system = new_system(session, "Three");
    double x[6];
    lieder_system_start(system, x);
    lieder_system_disconnect(system, "o[2].spring.flange_b");
    lieder_system_connect(system, "o[2].spring.flange_b", "o[2].fixed.flange_b");
    assert_int_equal(lieder_system_restructure(system, x), LIEDER_DONE);
    Linear l;
    const char *outputs[] = {"der(o[2].joint.s)"};
    LinearPoint p = {.x = x, .outputs = outputs, .noutput = 1};
    assert_int_equal(linear_create(&l, system, &p), LIEDER_DONE);
    Spectrum s = spectrum_of(&l);
    size_t swinging = 0, resting = 0;
    for (size_t i = 0; i < s.blocks.n; i++)
        for (size_t k = 0; k < s.blocks.items[i].n; k++) {
            const Block *b = &s.blocks.items[i];
            const Eigenvalue *v = &s.values.items[b->first + k];
            bool rests = eigen_motion(v) == MOTION_REST;
            *(rests ? &resting : &swinging) += b->nlane;
            if (!rests)
                assert_near(fabs(v->im), 2, 1e-12);
        }
    assert_int_equal(swinging, 4);
    assert_int_equal(resting, 2);
    assert_near(l.C[lieder_system_state_index(system, "o[2].joint.v")], 1, 1e-15);
    /* s' = v, v' = -4 s but for the second; nobody else meets */
    double A[36] = {0}, expected[36] = {0};
    for (int i = 1; i <= 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "o[%d].joint.s", i);
        size_t at = (size_t)lieder_system_state_index(system, name);
        snprintf(name, sizeof name, "o[%d].joint.v", i);
        size_t v = (size_t)lieder_system_state_index(system, name);
        expected[v * 6 + at] = 1;
        expected[at * 6 + v] = i == 2 ? 0 : -4;
    }
    linear_matrix(&l, A);
    for (int i = 0; i < 36; i++)
        assert_near(A[i], expected[i], 1e-12);
    spectrum_drop(&s);
    linear_drop(&l);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ long chains */

/* n masses in a row, joined by springs, the first one to the ground: with m = 1 and c = 1
 * w_k = 2 sin((2 k - 1) pi / (4 n + 2)), undamped. Joints from ground to every mass, so that the
 * states are positions. */
static LiederSystem *build_row(Lieder *session, size_t n)
{
    LiederModel *model = lieder_model_create(session, "Row", "");
    lieder_model_add(model, "world", "World");
    lieder_model_set(model, "world.TD", 0);
    row_build(model, "Translational.Spring", n);
    return new_system(session, "Row");
}

static double row_frequency(size_t n, size_t k)
{
    return 2 * sin((2 * (double)k - 1) * acos(-1) / (4 * (double)n + 2));
}

static void test_row(void **state)
{
    (void)state;
    const size_t n = IN_FULL(150, 50);
    Lieder *session = session_new();
    LiederSystem *system = build_row(session, n);
    Linear l;
    linear_at(&l, system, NULL);
    Spectrum s = spectrum_of(&l);
    assert_int_equal(s.blocks.n, 1);
    for (size_t k = 0; k < n; k++) {
        const Eigenvalue *v = &s.values.items[2 * k];
        double w = row_frequency(n, n - k);
        assert_near(v->im, w, 1e-12 * 2);
        assert_near(v->re, 0, 1e-12 * 2);
        assert_int_equal(eigen_motion(v), MOTION_UNDAMPED);
    }
    /* the same by products alone; the closed form is the judge of both */
    Eigenvalue few[8];
    size_t found = 8, products = 0;
    assert_int_equal(eigen_extreme(&l, 0, 0, few, &found, &products), LIEDER_DONE);
    assert_true(found >= 6 && products > 0);
    for (size_t k = 0; k < found / 2; k++)
        assert_near(few[2 * k].im, row_frequency(n, n - k), 1e-9);
    spectrum_drop(&s);
    linear_drop(&l);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* A hanging chain of 500 links, 1000 states, in brief of 60: its fastest motions by LAPACK out of
 * the whole matrix and by ARPACK out of products. They are real and stand about 1 percent apart. */
static void test_chain(void **state)
{
    (void)state;
    const size_t nlink = IN_FULL(500, 60);
    Lieder *session = session_new();
    LiederModel *model = lieder_model_create(session, "Hanging", "");
    lieder_model_add(model, "world", "World");
    lieder_model_add(model, "chain", "Examples.Chain");
    lieder_model_set(model, "chain.n", (double)nlink);
    lieder_model_set(model, "chain.revolute[1].phi", -acos(-1) / 2);
    LiederSystem *system = new_system(session, "Hanging");
    Linear l;
    linear_at(&l, system, NULL);
    Spectrum s = spectrum_of(&l);
    assert_int_equal(s.values.n, 2 * nlink);
    Eigenvalue few[6];
    size_t found = 6, products = 0;
    assert_int_equal(eigen_extreme(&l, 0, 0, few, &found, &products), LIEDER_DONE);
    assert_int_equal(found, 6);
    for (size_t k = 0; k < found; k++) {
        const Eigenvalue *v = &s.values.items[k];
        double size = hypot(v->re, v->im);
        assert_near(few[k].re, v->re, 1e-8 * size);
        assert_near(few[k].im, v->im, 1e-8 * size);
        assert_true(v->error < 1e-6 * size);
    }
    spectrum_drop(&s);
    linear_drop(&l);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* a row of 5000 states has no matrix; in full only */
static void test_large_row(void **state)
{
    (void)state;
    const size_t n = 2500;
    if (!tests_are_full())
        skip();
    Lieder *session = session_new();
    LiederSystem *system = build_row(session, n);
    Linear l;
    linear_at(&l, system, NULL);
    assert_null(l.shapes.items[0].A);
    Spectrum s = spectrum_of(&l);
    assert_int_equal(s.blocks.n, 1);
    assert_false(spectrum_complete(&s));
    assert_true(s.values.n >= 2);
    assert_near(hypot(s.values.items[0].re, s.values.items[0].im), 2, 1e-5);
    spectrum_drop(&s);
    linear_drop(&l);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ memory */

/* whichever allocation fails: it is said, and nothing is lost */
static void test_allocation(void **state)
{
    (void)state;
    Meter meter = {0};
    Lieder *session = lieder_create(&METER_ALLOCATOR(&meter));
    LiederModel *model = lieder_model_create(session, "Two", "");
    lieder_model_add(model, "world", "World");
    lieder_model_add_array(model, "crab", "Examples.CraneCrab", 2);
    LiederSystem *system = new_system(session, "Two");
    const char *inputs[] = {"crab[1].cart.m"}, *outputs[] = {"crab[2].revolute.w"};
    double x[8];
    lieder_system_start(system, x);
    LinearPoint p = {.x = x, .inputs = inputs, .ninput = 1, .outputs = outputs, .noutput = 1};
    size_t failed = 0;
    bool done = false;
    for (int round = 0; !done; round++) {
        Linear l;
        Spectrum s = {0};
        long long before = meter.bytes;
        meter.calls = 0;
        meter.fail_at = round == 0 ? 0 : (size_t)round;
        LiederStatus status = linear_create(&l, system, &p);
        if (status == LIEDER_DONE)
            status = spectrum_create(&s, &l);
        done = round > 0 && meter.calls < meter.fail_at;
        meter.fail_at = 0;
        spectrum_drop(&s);
        linear_drop(&l);
        failed += status == LIEDER_NO_MEMORY;
        assert_true(status == LIEDER_NO_MEMORY || status == LIEDER_DONE ||
                    status == LIEDER_BAD_USE);
        lieder_diagnostic_clear(session);
        if (round > 1) /* what stays: the layout of observers, values by lane, the list of errors */
            assert_true(meter.bytes <= before);
    }
    assert_true(failed > 20);
    lieder_system_destroy(system);
    lieder_destroy(session);
    assert_int_equal(meter.bytes, 0);
    assert_int_equal(meter.wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spring_mass),   cmocka_unit_test(test_limits),
        cmocka_unit_test(test_two_masses),    cmocka_unit_test(test_crab),
        cmocka_unit_test(test_small_scale),   cmocka_unit_test(test_contact),
        cmocka_unit_test(test_ports),         cmocka_unit_test(test_small),
        cmocka_unit_test(test_participation), cmocka_unit_test(test_fleet),
        cmocka_unit_test(test_restructured),  cmocka_unit_test(test_row),
        cmocka_unit_test(test_chain),         cmocka_unit_test(test_large_row),
        cmocka_unit_test(test_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
