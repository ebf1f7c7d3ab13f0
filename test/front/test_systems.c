/* test_systems.c - equations of a model that are solved together: nonlinear ones by iteration,
 * large linear ones with pivots, against closed forms, known roots and independent formulations. */
#include "equation_help.h"

/* text of a model, printed piece by piece */
typedef struct Writing {
    char text[40000];
    size_t n;
} Writing;

static __attribute__((format(printf, 2, 3))) void add(Writing *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    w->n += (size_t)vsnprintf(w->text + w->n, sizeof w->text - w->n, format, args);
    va_end(args);
    assert_true(w->n < sizeof w->text);
}

/* y^3 + y = x has Cardano's root */
static double cubic_root(double x)
{
    double q = sqrt(x * x / 4 + 1.0 / 27);
    return cbrt(x / 2 + q) + cbrt(x / 2 - q);
}

static void test_closed_forms(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  Real x(start = 1), y, w(start = 1), u, v(start = 0.6), z(start = 0.6);\n"
                    "equation\n"
                    "  der(x) = -y;\n"
                    "  y^3 + y = x;\n"
                    "  w*exp(w) = x*x + 0.1;\n" /* Lambert */
                    "  u = 2*v - z;\n"
                    "  v^2 + z^2 = 1 + x*x;\n"
                    "  v - z = 0.3*x;\n"
                    "end M;\n");
    for (double x = -3; x < 3; x += 0.37) {
        double s[] = {x}, half = 0.15 * x;
        /* v = m + half, z = m - half: 2 m^2 + 2 half^2 = 1 + x^2 */
        double m = sqrt((1 + x * x) / 2 - half * half);
        assert_true(fabs(derivative(&b, s, 0, "x") + cubic_root(x)) < 1e-14 * (1 + fabs(x)));
        double w = observe(&b, 0, s, "w");
        assert_true(fabs(w * exp(w) / (x * x + 0.1) - 1) < 1e-14);
        assert_true(fabs(observe(&b, 0, s, "v") - (m + half)) < 1e-14);
        assert_true(fabs(observe(&b, 0, s, "u") - (m + 3 * half)) < 1e-13);
    }
    drop(&b);
}

/* the order of evaluations does not matter: the same state gives the same bits */
static void test_no_history(void **state)
{
    (void)state;
    Built b =
        build("model M\n  Real x, y;\nequation\n  der(x) = y;\n  y + 0.3*sin(3*y) = x;\nend M;\n");
    double far[] = {7.5}, near[] = {0.4}, first[1], again[1];
    assert_int_equal(lieder_system_derivatives(b.system, 0, near, first), LIEDER_DONE);
    assert_int_equal(lieder_system_derivatives(b.system, 0, far, again), LIEDER_DONE);
    assert_int_equal(lieder_system_derivatives(b.system, 0, near, again), LIEDER_DONE);
    assert_true(first[0] == again[0]);
    drop(&b);
}

/* A z + 0.4 sin(z) = right sides of a known root; a well-conditioned random A */
static void test_random_roots(void **state)
{
    (void)state;
    srand(7);
    for (int round = 0; round < 12; round++) {
        int n = 1 + round;
        double root[12];
        Writing w = {.n = 0};
        add(&w, "model M\n  Real x, z[%d];\nequation\n  der(x) = z[1];\n", n);
        for (int i = 0; i < n; i++)
            root[i] = 2 * draw();
        for (int i = 0; i < n; i++) {
            double right = 0.4 * sin(root[i]) + 1.5;
            add(&w, "  0.4*sin(z[%d]) + x", i + 1);
            for (int j = 0; j < n; j++) {
                double a = i == j ? 3 : draw() / n;
                right += a * root[j];
                add(&w, " + (%.17g)*z[%d]", a, j + 1);
            }
            add(&w, " = %.17g;\n", right);
        }
        add(&w, "end M;\n");
        Built b = build(w.text);
        double x[] = {1.5};
        for (int i = 0; i < n; i++) {
            char name[20];
            snprintf(name, sizeof name, "z[%d]", i + 1);
            assert_true(fabs(observe(&b, 0, x, name) - root[i]) < 1e-13);
        }
        drop(&b);
    }
}

/* a turn by a right angle: the entry that would be divided by is zero in one of two instances, and
 * each gets the order of its own */
static void test_turn_by_parameters(void **state)
{
    (void)state;
    Built b =
        build("block B\n  parameter Real e[2];\n  Real x(start = 1), a, b;\nequation\n"
              "  der(x) = -a;\n  e[1]*a + e[2]*b = x;\n  -e[2]*a + e[1]*b = 2*x;\nend B;\n"
              "model M\n  B one(e = {1, 0}), two(e = {0, 1}), three(e = {0.6, 0.8});\nend M;\n");
    double x[3] = {0};
    put_state(&b, x, "one.x", 3);
    put_state(&b, x, "two.x", 5);
    put_state(&b, x, "three.x", 7);
    assert_true(fabs(derivative(&b, x, 0, "one.x") + 3) < 1e-15);
    assert_true(fabs(derivative(&b, x, 0, "two.x") - 10) < 1e-14);
    assert_true(fabs(derivative(&b, x, 0, "three.x") + 0.6 * 7 - 0.8 * 14) < 1e-14);
    drop(&b);
}

/* A crank of 0.3 and a rod of 0.8 whose end slides along a direction that follows from a parameter:
 * one of the two equations has no factor for the slide, and which one it is the numbers tell. */
static void test_factor_of_zero(void **state)
{
    (void)state;
    for (int upright = 0; upright < 2; upright++) {
        Writing w = {.n = 0};
        add(&w,
            "model M\n  parameter Real e[2] = {%d, %d};\n"
            "  Real phi(stateSelect = StateSelect.always), psi(start = %g), s, v, e0[2], "
            "r[2];\nequation\n"
            "  der(phi) = -2.5;\n  e0 = e;\n  r = e0*s;\n"
            "  0.3*cos(phi) + 0.8*cos(psi) = r[1];\n"
            "  0.3*sin(phi) + 0.8*sin(psi) = r[2];\n  v = der(s);\nend M;\n",
            !upright, upright, upright ? 1.5 : 0);
        Built b = build(w.text);
        for (double phi = -3; phi < 3; phi += 0.7) {
            double x[] = {phi};
            double psi = upright ? acos(-0.375 * cos(phi)) : asin(-0.375 * sin(phi));
            double turn = upright ? -0.3 * sin(phi) / (0.8 * sin(psi))
                                  : -0.3 * cos(phi) / (0.8 * cos(psi)); /* dpsi / dphi */
            double s = upright ? 0.3 * sin(phi) + 0.8 * sin(psi) : 0.3 * cos(phi) + 0.8 * cos(psi);
            double ds = upright ? 0.3 * cos(phi) + 0.8 * cos(psi) * turn
                                : -0.3 * sin(phi) - 0.8 * sin(psi) * turn;
            assert_true(fabs(observe(&b, 0, x, "s") - s) < 1e-13);
            assert_true(fabs(observe(&b, 0, x, "v") + 2.5 * ds) < 1e-12);
        }
        drop(&b);
    }
}

/* the start value of one variable says where the iteration for another begins */
static void test_start_of_others(void **state)
{
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        Writing w = {.n = 0};
        add(&w,
            "model M\n  parameter Real x0 = 3;\n  Real x, far(start = %d), y;\nequation\n"
            "  der(x) = y;\n  far = y - x0;\n  (y - 3)*(y - 3) + 0.1*(y - 3)^4 = 2.6 + 0*x;\n"
            "end M;\n",
            side);
        Built b = build(w.text);
        double x[] = {0}, z = sqrt((-1 + sqrt(1 + 4 * 0.1 * 2.6)) / 0.2);
        assert_true(fabs(observe(&b, 0, x, "far") - side * z) < 1e-13);
        drop(&b);
    }
}

/* starts decide between two roots; a sweep may set them */
static void test_start_values(void **state)
{
    (void)state;
    const char *text = "model M\n  parameter Real s = 1;\n  Real x, y(start = s);\nequation\n"
                       "  der(x) = y;\n  y*y = 2 + 0*x;\nend M;\n";
    Built b = build(text);
    double x[] = {0};
    assert_true(fabs(derivative(&b, x, 0, "x") - sqrt(2)) < 1e-15);
    drop(&b);
    const FrontOverride other[] = {{.name = "s", .value = "-1"}};
    b = build_with(text, NULL, other, 1);
    assert_int_equal(b.status, LIEDER_DONE);
    assert_true(fabs(derivative(&b, x, 0, "x") + sqrt(2)) < 1e-15);
    drop(&b);
}

/* Unknowns that are far from 1: their nominal value, or their start value, says when a step is
 * small. Each text has the same equation in other units; `scale` times the unknown is the root. */
static void test_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *attributes, *equation; /* in y */
        double scale, root;
    } cases[] = {
        {"start = 1e-15", "1e30*y^2 = 2 + 0*x", 1e15, 1.4142135623730951},
        {"nominal = 1e-15", "1e30*y^2 + 1e15*y = 3 + 0*x", 1e15, 1.3027756377319946},
        {"start = -5e-16, nominal = 1e-16", "exp(1e16*y) = 2 + 0*x", 1e16, 0.6931471805599453},
        {"start = -5e-16", "exp(1e16*y) = 2 + 0*x", 1e16, 0.6931471805599453},
        {"nominal = 1e-16", "exp(1e16*y - 5) = 2 + 0*x", 1e16, 5.6931471805599453},
        {"start = 1e12, nominal = 1e12", "1e-36*y^3 + 1e-12*y = 2 + 0*x", 1e-12, 1},
        /* zero, out of numbers that cancel: rounding is all that is left */
        {"nominal = 1e-6", "y + 1e3*y^3 = (1e3 + x)*0.3 - (0.3*x + 300)", 1, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Writing w = {.n = 0};
        add(&w, "model M\n  Real x, y(%s);\nequation\n  der(x) = y;\n  %s;\nend M;\n",
            cases[k].attributes, cases[k].equation);
        Built b = build(w.text);
        for (double at = 0; at < 3; at += 0.7) {
            double x[] = {at}, y = observe(&b, 0, x, "y") * cases[k].scale;
            if (!(fabs(y - cases[k].root) < 1e-12))
                fail_msg("%s: %.17g in place of %.17g", cases[k].equation, y, cases[k].root);
        }
        drop(&b);
    }
}

/* a valve in Pa and kg/s between two volumes: flow and pressure are eleven orders apart, and both
 * have the bits of the same model with elements of an array as lanes */
static void test_sizes_together(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  model C\n    parameter Real k = 1e-9;\n"
        "    Real x(start = 0, fixed = true);\n"
        "    Real p(start = 2e5, nominal = 1e5), m(nominal = 1e-6), q(nominal = 1e-6);\n"
        "  equation\n    der(x) = 1;\n"
        "    m = k*sqrt(3e5 + x - p);\n    q = 2*k*sqrt(p - 1e5);\n"
        "    m + 1e5*m^2 = q + 1e5*q^2;\n  end C;\n"
        "  model M\n    C c[9](k = {1e-9*i for i in 1:9});\n  end M;\nend P;\n",
        "P.M");
    double x[9] = {0};
    for (int i = 1; i <= 9; i++) {
        char name[20];
        snprintf(name, sizeof name, "c[%d].p", i);
        /* equal flows: 3e5 - p = 4 (p - 1e5) */
        assert_true(fabs(observe(&b, 0, x, name) - 1.4e5) < 1e-6);
        snprintf(name, sizeof name, "c[%d].m", i);
        double m = i * 1e-9 * 400;
        assert_true(fabs(observe(&b, 0, x, name) - m) < 1e-12 * m);
    }
    drop(&b);
}

/* Freudenstein and Roth: below (11.4, -0.9) lies a valley of the residuals that is no solution, and
 * (5, 4) is the only one; Brown's almost linear equations, of which the product of all unknowns is
 * one. The start values are those of the papers. */
static void test_valleys(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  model C\n    parameter Real k = 1;\n    Real x(start = 0, fixed = true);\n"
        "    Real a(start = 0.5*k), b(start = -2*k);\n  equation\n    der(x) = 1;\n"
        "    a + ((5 - b)*b - 2)*b = 13 + x;\n    a + ((b + 1)*b - 14)*b = 29 + x;\n  end C;\n"
        "  model M\n    C c[5](k = {1, 10, 100, -1, 3});\n    Real z[10](each start = 0.5);\n"
        "  equation\n    for i in 1:9 loop\n      z[i] + sum(z) = 11 + 0*c[1].x;\n    end for;\n"
        "    product(z) = 1;\n  end M;\nend P;\n",
        "P.M");
    double x[5] = {0, 1, 2, 3, 4};
    for (int i = 0; i < 5; i++) {
        char name[20];
        snprintf(name, sizeof name, "c[%d].b", i + 1);
        assert_true(fabs(observe(&b, 0, x, name) - 4) < 1e-12);
        snprintf(name, sizeof name, "c[%d].a", i + 1);
        assert_true(fabs(observe(&b, 0, x, name) - 5 - x[i]) < 1e-11);
    }
    double product = 1, sum = 0, first = observe(&b, 0, x, "z[1]");
    for (int i = 0; i < 10; i++) {
        char name[20];
        snprintf(name, sizeof name, "z[%d]", i + 1);
        double z = observe(&b, 0, x, name);
        product *= z;
        sum += z;
    }
    assert_true(fabs(product - 1) < 1e-11 && fabs(first + sum - 11) < 1e-11);
    drop(&b);
}

/* a ladder of n equal resistors between nodes and to the ground: far along, the chain is the
 * golden-ratio ladder. Resistors are parameters, so no pivot is a number. */
static void test_ladder(void **state)
{
    (void)state;
    Built b =
        build("model M\n  parameter Integer n = 40;\n  parameter Real R = 2, G[n] = fill(1/R, n);\n"
              "  Real q(start = 1), v[n + 1], i[n];\nequation\n"
              "  der(q) = -i[1];\n  v[1] = q;\n"
              "  for k in 1:n loop\n    R*i[k] = v[k] - v[k + 1];\n"
              "    i[k] = G[k]*v[k + 1] + (if k < n then i[min(k + 1, n)] else 0);\n  end for;\n"
              "end M;\n");
    double x[] = {3}, golden = (1 + sqrt(5)) / 2;
    /* input resistance of the endless ladder is R golden; n = 40 is that to 1e-16 */
    assert_true(fabs(derivative(&b, x, 0, "q") + 3 / (2 * golden)) < 1e-15);
    assert_true(fabs(observe(&b, 0, x, "v[2]") - 3 * (1 - 1 / golden)) < 1e-15);
    drop(&b);
}

/* a pivot that is zero for these parameters: other rows are taken, R = 0 is a wire */
static void test_zero_pivot(void **state)
{
    (void)state;
    const char *text =
        "model M\n  parameter Real a = 0, c = 0, d = 0, e = 0;\n  Real x(start = 1), p, q, r, s;\n"
        "equation\n  der(x) = p;\n"
        "  a*p + (1 + x*x)*q + d*s = 5;\n  (2 + x)*p + c*q + e*r = 3;\n"
        "  a*p + e*q + d*r + (3 + x)*s = 8;\n  c*p + a*q + (1 + x)*r + e*s = 2;\nend M;\n";
    Built b = build(text);
    double x[] = {1};
    assert_true(derivative(&b, x, 0, "x") == 1);
    assert_true(observe(&b, 0, x, "q") == 2.5);
    assert_true(observe(&b, 0, x, "s") == 2);
    assert_true(observe(&b, 0, x, "r") == 1);
    /* 2 + x = 0: nothing decides p */
    x[0] = -2;
    double dx[1];
    assert_int_equal(lieder_system_derivatives(b.system, 0.5, x, dx), LIEDER_NOT_FINITE);
    assert_message(&b, "have no unique solution at t = 0.5: nothing decides p");
    drop(&b);
}

static void test_no_solution(void **state)
{
    (void)state;
    Built b = build("model M\n  Real x(start = 0), y(start = 0.3), z;\nequation\n  der(x) = -y;\n"
                    "  y^2 + 1 = x + 0.1*z;\n  z = exp(-y^2);\nend M;\n");
    double x[] = {2}, dx[1];
    assert_int_equal(lieder_system_derivatives(b.system, 0, x, dx), LIEDER_DONE);
    x[0] = 0;
    assert_int_equal(lieder_system_derivatives(b.system, 0.25, x, dx), LIEDER_NOT_FINITE);
    assert_message(&b, "2 nonlinear equation(s) are not solved at t = 0.25");
    assert_message(&b, ":5:3");
    drop(&b);
}

/* an equation that has no value at the start values of its system is named, and not as one with an
 * error; with start values inside of its range it is solved */
static void test_no_value(void **state)
{
    (void)state;
    static const char text[] =
        "model M\n  parameter Real s = %s;\n  Real x(start = 1), y(start = s);\nequation\n"
        "  der(x) = -y;\n  y + log(y) = x;\nend M;\n";
    char with[sizeof text + 8];
    double x[] = {1}, dx[1];
    snprintf(with, sizeof with, text, "-2");
    Built b = build(with);
    assert_int_equal(lieder_system_derivatives(b.system, 0.5, x, dx), LIEDER_NOT_FINITE);
    assert_message(&b, "are not solved at t = 0.5: the equation");
    assert_message(&b, ":6:3 has no value where the iteration begins, at y = -2");
    drop(&b);
    snprintf(with, sizeof with, text, "2");
    b = build(with);
    assert_int_equal(lieder_system_derivatives(b.system, 0.5, x, dx), LIEDER_DONE);
    assert_true(fabs(dx[0] + 1) < 1e-12);
    drop(&b);
}

/* the solution of a system is differentiated by index reduction: a slider crank driven at constant
 * speed, w/o trigonometric closed form in the model */
/* From x = 1.5 Newton's method and the homotopy from there end where x^3 - 3 x is smallest; the
 * simplified equation leads to the one solution. Lanes with and without need of it, the derivative,
 * a simplified value that is known later only. */
static void test_homotopy(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  model C\n"
        "    parameter Real c = 3;\n"
        "    Real x(start = 1.5), y(start = 0, fixed = true), late, z(start = 1), far;\n"
        "  equation\n"
        "    0 = homotopy(actual = x^3 - 3*x + c + time, simplified = x + 2);\n"
        "    der(y) = x;\n"
        "    z^2 = homotopy(4 + time, late);\n"
        "    late = z + 1;\n"
        "    0 = homotopy(sin(far)*(far - 100), far - 100);\n"
        "  end C;\n"
        "  model M\n"
        "    C a[9](c = {3, 2.5, 1, 3.5, 0, 5, 10, 1.9, 2.1});\n"
        "  end M;\n"
        "end P;\n",
        "P.M");
    static const double c[] = {3, 2.5, 1, 3.5, 0, 5, 10, 1.9, 2.1};
    double y[9] = {0}, dy[9];
    for (double t = 0; t < 2; t += 0.5) {
        assert_int_equal(lieder_system_derivatives(b.system, t, y, dy), LIEDER_DONE);
        for (int i = 0; i < 9; i++)
            assert_true(fabs(dy[i] * dy[i] * dy[i] - 3 * dy[i] + c[i] + t) < 1e-9);
        assert_true(fabs(observe(&b, t, y, "a[1].far") - 100) < 1e-9);
        assert_true(fabs(observe(&b, t, y, "a[2].late") - 1 - sqrt(4 + t)) < 1e-12);
    }
    drop(&b);
}

/* at the start: two equations together, of which the initial one has the simplified form */
static void test_homotopy_at_start(void **state)
{
    (void)state;
    Built b = build_class("model M\n"
                          "  parameter Real p(fixed = false, start = 1.5);\n"
                          "  Real x(start = 1);\n"
                          "initial equation\n"
                          "  homotopy(p^3 - 3*p + 3, p + 2) = der(x);\n"
                          "  der(x) = 0;\n"
                          "equation\n"
                          "  der(x) = p - x;\n"
                          "end M;\n",
                          "M");
    double x[2];
    assert_int_equal(lieder_system_start(b.system, x), LIEDER_DONE);
    ptrdiff_t i = lieder_system_state_index(b.system, "x");
    assert_true(fabs(x[i] * x[i] * x[i] - 3 * x[i] + 3) < 1e-9);
    drop(&b);
}

/* a parameter that initial equations decide and that only the simplified form has is known
 * before */
static void test_homotopy_of_decided(void **state)
{
    (void)state;
    double x[3];
    Built b = build("model M\n"
                    "  parameter Real k(fixed = false, start = 1), j(fixed = false);\n"
                    "  Real x, y(start = 1);\n"
                    "initial equation\n  der(x) = 0;\n  k = 4*j;\n  j = 1;\n"
                    "equation\n"
                    "  homotopy(y^3 + y, k*y) = 10;\n"
                    "  der(x) = y - x;\n"
                    "end M;\n");
    assert_int_equal(lieder_system_start(b.system, x), LIEDER_DONE);
    assert_true(fabs(x[lieder_system_state_index(b.system, "x")] - 2) < 1e-12);
    drop(&b);
}

static void test_derivative_of_solution(void **state)
{
    (void)state;
    Built b =
        build("model M\n  Real x(start = 0, fixed = true), y(start = 1), v, a;\nequation\n"
              "  der(x) = 1;\n  y^3 + y = 2 + sin(x);\n  v = der(y);\n  a = der(v);\nend M;\n");
    for (double p = 0; p < 6; p += 0.7) {
        double x[] = {p}, y = cubic_root(2 + sin(p)), d = 3 * y * y + 1;
        double v = cos(p) / d, a = (-sin(p) - 6 * y * v * v) / d;
        assert_true(fabs(observe(&b, 0, x, "v") - v) < 1e-14);
        assert_true(fabs(observe(&b, 0, x, "a") - a) < 1e-14);
    }
    drop(&b);
}

static const char fleet_text[] =
    "package P\n  model One\n    parameter Real a = 1, b = 0.3;\n"
    "    Real x(start = 1, fixed = true), y(start = 0.5), z, u, i[5];\n  equation\n"
    "    der(x) = -y*a + 0.01*i[1];\n    y^3 + y*a = x + z;\n"
    "    z = 0.1*sin(u) + b*exp(-y*y);\n    u = y + 0.5*z;\n"
    "    for k in 1:5 loop\n      (a + k)*i[k] + b*sum(i) = x*k;\n    end for;\n  end One;\n"
    "  model Fleet\n    One one[100](a = {1 + 0.01*k for k in 1:100}, b = {0.3 - 0.002*k for k in "
    "1:100});\n  end Fleet;\nend P;\n";

/* a hundred lanes give the bits of one alone */
static void test_fleet(void **state)
{
    (void)state;
    Built all = build_class(fleet_text, "P.Fleet");
    double x[100], end[100];
    assert_int_equal(lieder_system_state_count(all.system), 100);
    lieder_system_start(all.system, x);
    for (int k = 0; k < 100; k++)
        x[k] += 0.1 * k;
    memcpy(end, x, sizeof end);
    assert_int_equal(lieder_step(all.system, LIEDER_RK4, 0, 0.02, 50, end), LIEDER_DONE);
    for (int k = 0; k < 100; k += 33) {
        Built one = build_class(fleet_text, "P.One");
        assert_int_equal(lieder_system_set(one.system, "a", 1 + 0.01 * (k + 1)), LIEDER_DONE);
        assert_int_equal(lieder_system_set(one.system, "b", 0.3 - 0.002 * (k + 1)), LIEDER_DONE);
        char name[30];
        snprintf(name, sizeof name, "one[%d].x", k + 1);
        ptrdiff_t at = lieder_system_state_index(all.system, name);
        double alone[] = {x[at]};
        assert_int_equal(lieder_step(one.system, LIEDER_RK4, 0, 0.02, 50, alone), LIEDER_DONE);
        assert_true(alone[0] == end[at]);
        drop(&one);
    }
    drop(&all);
}

/* Rings of 60 unknowns: a matrix of parameters, which is factored once, two of its pivots are zero
 * where d is 3; one that varies, and a nonlinear one. Roots are known, one is differentiated. */
static const char rings[] =
    "model One\n  parameter Real g = 1, d = 3;\n"
    "  constant Real f[60] = {if i == 8 then 4 else 1 for i in 1:60};\n"
    "  constant Integer n[60] = {mod(i, 60) + 1 for i in 1:60};\n"
    "  constant Integer k[60] = {if i == 8 then 7 else mod(i + 2, 60) + 1 for i in 1:60};\n"
    "  Real x(start = 2, stateSelect = StateSelect.always), v[60], w[60];\n"
    "  Real z[60](each start = 1), r, c[60], h[60];\nequation\n"
    "  der(x) = -x + 0*z[1];\n"
    "  for i in 1:60 loop\n"
    "    c[i] = if i == 7 or i == 8 then d - 3 else d + i/60;\n"
    "    h[i] = if i == 7 then 4 else g;\n"
    "    c[i]*v[i] - h[i]*v[n[i]] - f[i]*v[k[i]] = x*(c[i]*i - h[i]*n[i] - f[i]*k[i]);\n"
    "    (d + x)*w[i] - g*w[n[i]] - w[mod(i + 58, 60) + 1] = d + x - g - 1;\n"
    "    z[i]^3 + d*z[i] - g*z[n[i]] - z[mod(i + 58, 60) + 1] = x^3 + (d - g - 1)*x;\n"
    "  end for;\n"
    "  r = der(v[9]);\nend One;\n";

static void test_large_systems(void **state)
{
    (void)state;
    Writing w = {.n = 0};
    add(&w, "%smodel M\n  extends One;\nend M;\n", rings);
    Built b = build(w.text);
    for (double x = 0.5; x < 3; x += 0.7) {
        double s[] = {x};
        for (int i = 1; i <= 60; i += 3) {
            char name[20];
            snprintf(name, sizeof name, "v[%d]", i);
            assert_true(fabs(observe(&b, 0, s, name) - x * i) < 1e-11 * x * 60);
            name[0] = 'w';
            assert_true(fabs(observe(&b, 0, s, name) - 1) < 1e-13);
            name[0] = 'z';
            assert_true(fabs(observe(&b, 0, s, name) - x) < 1e-13 * (1 + x));
        }
        assert_true(fabs(observe(&b, 0, s, "r") + 9 * x) < 1e-11 * 60);
    }
    drop(&b);
}

static Built build_rings(int lanes)
{
    Writing w = {.n = 0};
    add(&w,
        "%smodel M\n  One one[%d](g = {1 + 0.01*k for k in 1:%d}, d = {if mod(k, 3) == 0 then 3 "
        "else 3 + k/10 for k in 1:%d});\nend M;\n",
        rings, lanes, lanes, lanes);
    return build(w.text);
}

/* lanes with other numbers, some of which need other pivots, have the bits of one alone */
static void test_large_lanes(void **state)
{
    (void)state;
    enum { LANES = 11 };
    Built all = build_rings(LANES), one = build_rings(1);
    double x[LANES];
    for (int k = 0; k < LANES; k++)
        x[k] = 1 + 0.1 * k;
    for (int k = 1; k <= LANES; k += 2) {
        char name[30];
        double d = k % 3 == 0 ? 3 : 3 + k / 10.0;
        assert_int_equal(lieder_system_set(one.system, "one[1].g", 1 + 0.01 * k), LIEDER_DONE);
        assert_int_equal(lieder_system_set(one.system, "one[1].d", d), LIEDER_DONE);
        snprintf(name, sizeof name, "one[%d].x", k);
        double alone[] = {x[lieder_system_state_index(all.system, name)]};
        for (int i = 1; i <= 60; i += 7)
            for (int q = 0; q < 3; q++) {
                snprintf(name, sizeof name, "one[%d].%c[%d]", k, "vwz"[q], i);
                double there = observe(&all, 0, x, name);
                snprintf(name, sizeof name, "one[1].%c[%d]", "vwz"[q], i);
                assert_true(observe(&one, 0, alone, name) == there);
            }
    }
    drop(&one);
    drop(&all);
}

/* several solutions: where the one at hand ends, the iteration goes over to another one, which is
 * reported; one that goes on, or a single one that is steep, is not */
static void test_branches(void **state)
{
    (void)state;
    static const struct {
        const char *equations;
        bool jumps;
    } cases[] = {{"Real y(start = 0.9); equation der(x) = cos(time); y^3 - 3*y = x;", false},
                 {"Real y(start = 2); equation der(x) = 3*cos(time); y^3 - 3*y = x;", true},
                 {"Real y(start = 4); Real z(start = 0); equation der(x) = 1;"
                  " tan(y) = x*0.5 + y; der(z) = y;",
                  false},
                 {"Real y(start = 3); equation der(x) = 1; sin(y) + 0.1*y = 0.5*cos(x);", false},
                 {"Real y; equation der(x) = 1; y + 0.01*y^3 = tanh(1e7*(x - 5.123));", false},
                 {"Real y(start = 1); equation der(x) = 1;"
                  " y + 0.1*y^3 = (if x > 5 then 3 else -3);",
                  false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (LiederSolver solver = LIEDER_BDF; solver <= LIEDER_RK45; solver++) {
            char text[400];
            snprintf(text, sizeof text, "model M Real x(start = 0); %s end M;", cases[i].equations);
            Built b = build(text);
            LiederSimulateOptions o = lieder_simulate_defaults();
            o.solver = solver;
            o.stop = 12;
            assert_int_equal(lieder_simulate(b.system, &o, NULL), LIEDER_DONE);
            size_t reported = 0;
            for (size_t k = 0; k < lieder_diagnostic_count(b.session); k++)
                reported += strstr(lieder_diagnostic_get(b.session, k)->message, "it jumps from") &&
                            strcmp(lieder_diagnostic_get(b.session, k)->path, "y") == 0;
            if (reported != cases[i].jumps)
                fail_msg("case %zu by %s", i, lieder_solver_name(solver));
            drop(&b);
        }
}

typedef struct Rows {
    LiederObserver *observer;
    size_t n;
    double t[2000], y[2000][8];
} Rows;

static bool keep_row(void *user, double t, const double *x, LiederRow kind)
{
    Rows *r = user;
    if (kind != LIEDER_ROW || r->n == 2000)
        return true;
    r->t[r->n] = t;
    assert_int_equal(lieder_observer_evaluate(r->observer, t, x, r->y[r->n++]), LIEDER_DONE);
    return true;
}

/* rows of up to eight variables */
static Rows *run_rows(Built *b, LiederSimulateOptions o, const char *const *names)
{
    Rows *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->observer = lieder_observer_create(b->system);
    for (int k = 0; names[k]; k++)
        assert_int_equal(lieder_observer_add(r->observer, names[k]), k);
    o.output = keep_row;
    o.user = r;
    assert_int_equal(lieder_simulate(b->system, &o, NULL), LIEDER_DONE);
    lieder_observer_destroy(r->observer);
    return r;
}

/* which side of a bistable system a row is on, by the path of x = 3 sin t through the limits +-2 */
static int side_at(double t)
{
    int passed = (int)floor((t - asin(2.0 / 3)) / acos(-1));
    return passed > 0 && passed % 2 ? -1 : 1;
}

/* A solution is followed to where it ends, by every solver, and an amplifier with positive feedback
 * has its hysteresis: no start value says that. */
static void test_hysteresis(void **state)
{
    (void)state;
    static const LiederSolver solvers[] = {LIEDER_BDF, LIEDER_RODAS4, LIEDER_RK45, LIEDER_RK4};
    static const char *const names[] = {"y", "v", "x", NULL};
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        Built b = build("model M\n  Real x(start = 0, fixed = true), y(start = 2), v(start = 15);\n"
                        "equation\n  der(x) = 3*cos(time);\n  y^3 - 3*y = x;\n"
                        "  v = noEvent(min(15, max(-15, 1e4*(v + 7.5*x))));\nend M;\n");
        LiederSimulateOptions o = lieder_simulate_defaults();
        o.solver = solvers[i];
        o.stop = 12;
        o.interval = 0.01;
        o.step = solvers[i] == LIEDER_RK4 ? 0.01 : 0;
        Rows *r = run_rows(&b, o, names);
        assert_true(r->n > 1000);
        for (size_t k = 0; k < r->n; k++) {
            double x = r->y[k][2], y = r->y[k][0], v = r->y[k][1];
            if (fabs(fabs(x) - 2) < 0.05)
                continue; /* a step may lie across the limit */
            assert_true(fabs(y * y * y - 3 * y - x) < 1e-9);
            assert_true(fabs(y) > 1 - 1e-9 && y * side_at(r->t[k]) > 0);
            assert_true(v == 15.0 * side_at(r->t[k]));
        }
        free(r);
        drop(&b);
    }
}

/* What a restart file holds is enough: the second part of a run has the bits of the whole one. */
static void test_hysteresis_resumed(void **state)
{
    (void)state;
    static const char *const names[] = {"y", "z", NULL};
    static const char text[] = "model M\n  Real x(start = 0, fixed = true), y(start = 2), z;\n"
                               "equation\n  der(x) = 3*cos(time);\n  y^3 - 3*y = x;\n"
                               "  z^3 + z*y = x + 10;\nend M;\n";
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.solver = LIEDER_RK4;
    o.step = o.interval = 0.01;
    o.stop = 7;
    Built b = build(text);
    Rows *whole = run_rows(&b, o, names);
    o.stop = 4.5; /* x = -2.9: the lower one, which the start values do not find */
    o.checkpoint = "hysteresis.state";
    free(run_rows(&b, o, names));
    o.checkpoint = NULL;
    o.resume = "hysteresis.state";
    o.stop = 7;
    Rows *rest = run_rows(&b, o, names);
    assert_true(rest->n > 200 && whole->n > rest->n);
    for (size_t k = 0; k < rest->n; k++)
        for (int q = 0; q < 2; q++)
            assert_true(rest->y[rest->n - 1 - k][q] == whole->y[whole->n - 1 - k][q]);
    assert_true(rest->y[0][0] < -1);
    remove("hysteresis.state");
    free(rest);
    free(whole);
    drop(&b);
}

/* A thousand with other numbers have the bits of each alone: a system that jumps, at other times in
 * each, and a circuit of components that are merged into one cell, with an ideal diode's events, a
 * Shockley diode and a bridge of resistors. */
static void test_thousand(void **state)
{
    (void)state;
    enum { SOME = 4 }; /* that are compared */
    static const char parts[] =
        "package C\n  connector Pin Real v; flow Real i; end Pin;\n"
        "  partial model Two Pin p, n; Real v, i;\n"
        "  equation v = p.v - n.v; i = p.i; p.i + n.i = 0; end Two;\n"
        "  model R extends Two; parameter Real r = 10; equation v = r*i; end R;\n"
        "  model C extends Two(v(start = 0, fixed = true)); equation 1e-3*der(v) = i; end C;\n"
        "  model L extends Two(i(start = 0, fixed = true)); equation 0.1*der(i) = v; end L;\n"
        "  model D extends Two; equation i = 1e-9*(exp(v/0.04) - 1); end D;\n"
        "  model I extends Two; Real s; Boolean off(start = true);\n"
        "  equation off = s < 0; v = s*(if off then 1 else 1e-5);\n"
        "    i = s*(if off then 1e-5 else 1); end I;\n"
        "  model V extends Two; parameter Real a = 3; equation v = a*sin(50*time); end V;\n"
        "  model G Pin p; equation p.v = 0; end G;\n";
    static const char circuit[] =
        "  model One parameter Real a = 3; V s(a = a); R r1, r2(r = 20), r3(r = 5), r4, r5(r = "
        "2);\n"
        "    D d; C c; L l; I k; R w(r = 50); G g;\n"
        "  equation connect(s.n, g.p); connect(s.p, r1.p); connect(r1.n, r2.p);\n"
        "    connect(r1.n, r3.p); connect(r2.n, r4.p); connect(r3.n, r4.n); connect(r2.n, r5.p);\n"
        "    connect(r5.n, r3.n); connect(r4.n, d.p); connect(d.n, c.p); connect(c.n, g.p);\n"
        "    connect(c.p, l.p); connect(l.n, w.p); connect(w.n, k.p); connect(k.n, g.p); end "
        "One;\n";
    static const char jump[] = "  model One\n    parameter Real a = 3;\n"
                               "    Real x(start = 0, fixed = true), y(start = 2);\n  equation\n"
                               "    der(x) = a*cos(time);\n    y^3 - 3*y = x;\n  end One;\n";
    static const char all_of_them[] = "  model All\n    One one[1000](a = {2.5 + 0.001*k for k in "
                                      "1:1000});\n  end All;\nend C;\n";
    static const struct {
        const char *text, *names[2];
        double step, stop;
    } cases[] = {{jump, {"x", "y"}, 0.01, 8}, {circuit, {"c.v", "d.i"}, 2e-4, 0.1}};
    for (int c = 0; c < 2; c++) {
        char whole[6000];
        snprintf(whole, sizeof whole, "%s%s%s", parts, cases[c].text, all_of_them);
        LiederSimulateOptions o = lieder_simulate_defaults();
        o.solver = LIEDER_RK4;
        o.step = o.interval = cases[c].step;
        o.stop = cases[c].stop;
        Built all = build_class(whole, "C.All");
        char name[2 * SOME][40];
        const char *names[2 * SOME + 1] = {NULL};
        for (int k = 0; k < 2 * SOME; k++) {
            snprintf(name[k], sizeof name[k], "one[%d].%s", 1 + k / 2 * 333, cases[c].names[k % 2]);
            names[k] = name[k];
        }
        Rows *there = run_rows(&all, o, names);
        for (int k = 0; k < SOME; k++) {
            snprintf(whole, sizeof whole,
                     "%s%s  model All extends One(a = 2.5 + 0.001*%d); end All;\nend C;\n", parts,
                     cases[c].text, 1 + k * 333);
            Built one = build_class(whole, "C.All");
            Rows *alone = run_rows(
                &one, o, (const char *const[]){cases[c].names[0], cases[c].names[1], NULL});
            assert_int_equal(there->n, alone->n);
            for (size_t i = 0; i < there->n; i++)
                for (int q = 0; q < 2; q++)
                    assert_true(there->y[i][2 * k + q] == alone->y[i][q]);
            assert_true(alone->y[alone->n - 1][0] != 0);
            free(alone);
            drop(&one);
        }
        free(there);
        drop(&all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_no_history),
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_hysteresis),
        cmocka_unit_test(test_hysteresis_resumed),
        cmocka_unit_test(test_thousand),
        cmocka_unit_test(test_random_roots),
        cmocka_unit_test(test_turn_by_parameters),
        cmocka_unit_test(test_factor_of_zero),
        cmocka_unit_test(test_start_of_others),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_sizes_together),
        cmocka_unit_test(test_valleys),
        cmocka_unit_test(test_start_values),
        cmocka_unit_test(test_ladder),
        cmocka_unit_test(test_zero_pivot),
        cmocka_unit_test(test_no_solution),
        cmocka_unit_test(test_no_value),
        cmocka_unit_test(test_homotopy),
        cmocka_unit_test(test_homotopy_at_start),
        cmocka_unit_test(test_homotopy_of_decided),
        cmocka_unit_test(test_derivative_of_solution),
        cmocka_unit_test(test_fleet),
        cmocka_unit_test(test_large_systems),
        cmocka_unit_test(test_large_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
