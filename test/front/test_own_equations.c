/* test_own_equations.c - users' own equations: against formulas, against the classes of the
 * library, in arrays. */
#include <stdlib.h>

#include <lieder/simulate.h>

#include <lieder/variables.h>

#include "equation_help.h"
#include "starved.h"

/* ------------------------------------------------------------------ plain models */

static void test_oscillator(void **state)
{
    (void)state;
    char *text = read_model("van_der_pol.mo");
    Built b = build(text);
    double x[2];
    assert_int_equal(lieder_system_state_count(b.system), 2);
    assert_start(&b, "x", 2);
    assert_value(&b, "mu", 5);
    for (int round = 0; round < 100; round++) {
        double p = 3 * draw(), q = 3 * draw();
        put_state(&b, x, "x", p);
        put_state(&b, x, "y", q);
        assert_number(derivative(&b, x, 0, "x"), q);
        assert_number(derivative(&b, x, 0, "y"), 5 * (1 - p * p) * q - p);
    }
    /* a parameter of a running system */
    assert_int_equal(lieder_system_set(b.system, "mu", 2), LIEDER_DONE);
    assert_number(derivative(&b, x, 0, "y"), 2 * (1 - x[0] * x[0]) * x[1] - x[0]);
    drop(&b);
    free(text);
}

/* sin(pi z) of the heat equation decays by the eigenvalue of the difference operator, for n lines
 */
static void lines_decay(const char *text, int n)
{
    char sized[4000];
    const char *size = strstr(text, "n = 50");
    assert_non_null(size);
    snprintf(sized, sizeof sized, "%.*sn = %d%s", (int)(size - text), text, n, size + 6);
    Built b = build(sized);
    double x[2000], h = 1.0 / (n + 1), a = 0.01;
    double rate = -4 * a / (h * h) * pow(sin(M_PI * h / 2), 2);
    assert_int_equal(lieder_system_state_count(b.system), n);
    for (int i = 0; i < n; i++) {
        char name[20];
        snprintf(name, sizeof name, "T[%d]", i + 1);
        /* the stationary part 1 - z carries the boundary value */
        put_state(&b, x, name, 1 - (i + 1) * h + sin(M_PI * (i + 1) * h));
    }
    for (int i = 0; i < n; i += 1 + n / 7) {
        char name[20];
        snprintf(name, sizeof name, "T[%d]", i + 1);
        double want = rate * sin(M_PI * (i + 1) * h);
        /* rounding of temperatures times 4 a / h^2 */
        assert_true(fabs(derivative(&b, x, 0, name) - want) < 1e-14 * a / (h * h) + 1e-12);
    }
    drop(&b);
}

/* the same rod by 10 to 2000 lines, few of them written out and many as loops */
static void test_lines(void **state)
{
    (void)state;
    static const int sizes[] = {10, 50, 99, 100, 400, 2000};
    char *text = read_model("heat.mo");
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        lines_decay(text, sizes[k]);
    free(text);
}

/* indices without a range take that of what they stand in; connectors are joined by names, not by
 * the order of declarations */
static void test_names_and_ranges(void **state)
{
    (void)state;
    Built b = build("package P\n"
                    "  connector Pin\n"
                    "    Real v;\n"
                    "    Real T;\n"
                    "    flow Real i;\n"
                    "    flow Real Q;\n"
                    "  end Pin;\n"
                    "  connector Turned\n"
                    "    flow Real Q;\n"
                    "    flow Real i;\n"
                    "    Real T;\n"
                    "    Real v;\n"
                    "  end Turned;\n"
                    "  model Source\n"
                    "    Pin p;\n"
                    "  equation\n"
                    "    p.v = 2;\n"
                    "    p.T = 300;\n"
                    "  end Source;\n"
                    "  model Load\n"
                    "    Turned p;\n"
                    "  equation\n"
                    "    p.i = 3*p.v;\n"
                    "    p.Q = 5*p.T;\n"
                    "  end Load;\n"
                    "  function total\n"
                    "    input Real a[:, :];\n"
                    "    output Real s = 0;\n"
                    "  algorithm\n"
                    "    for i, j loop\n"
                    "      s := s + i*a[i, j];\n"
                    "    end for;\n"
                    "  end total;\n"
                    "  type Mode = enumeration(off, on, fast);\n"
                    "  model M\n"
                    "    Real level[Mode], turns[P.Mode];\n"
                    "    Source source;\n"
                    "    Load load[2];\n"
                    "    Real x[3], y[3] = {2*x[k] for k}, z = sum(x[k]*y[k] for k);\n"
                    "    Real s = total([1, 2; 3, 4]);\n"
                    "  equation\n"
                    "    for i loop\n"
                    "      x[i] = i;\n"
                    "    end for;\n"
                    "    for m in Mode loop\n"
                    "      level[m] = 10*Integer(m);\n"
                    "    end for;\n"
                    "    turns = {if m == Mode.on then 1 else 2 for m in P.Mode};\n"
                    "    for k loop\n"
                    "      connect(source.p, load[k].p);\n"
                    "    end for;\n"
                    "  end M;\n"
                    "end P;\n");
    double x[1] = {0};
    assert_int_equal(b.status, LIEDER_DONE);
    assert_number(observe(&b, 0, x, "load[2].p.i"), 6);
    assert_number(observe(&b, 0, x, "source.p.i"), -12);
    assert_number(observe(&b, 0, x, "source.p.Q"), -3000);
    assert_number(observe(&b, 0, x, "z"), 28);
    assert_number(observe(&b, 0, x, "s"), 1 + 2 + 2 * 7);
    assert_number(observe(&b, 0, x, "level[3]"), 30);
    assert_number(observe(&b, 0, x, "turns[1]") + observe(&b, 0, x, "turns[2]"), 3);
    drop(&b);
}

/* arrays, matrices, functions with loops and conditions, algorithms, choices, nested components */
static void test_language(void **state)
{
    (void)state;
    Built b = build("package P\n"
                    "  function f\n"
                    "    input Real x, k[:];\n"
                    "    output Real y = 0, z;\n"
                    "  algorithm\n"
                    "    for i in 1:size(k, 1) loop\n"
                    "      y := y + k[i]*x^i;\n"
                    "    end for;\n"
                    "    if x > 1 then\n"
                    "      z := 2*y;\n"
                    "    elseif x > 0 then\n"
                    "      z := -y;\n"
                    "    else\n"
                    "      z := 0;\n"
                    "    end if;\n"
                    "  end f;\n"
                    "  block Filter\n"
                    "    input Real u;\n"
                    "    output Real y;\n"
                    "    parameter Real k = 1, T = 1;\n"
                    "    Real x(start = 0.25);\n"
                    "  equation\n"
                    "    T*der(x) = u - x;\n"
                    "    y = k*x;\n"
                    "  end Filter;\n"
                    "  model M\n"
                    "    parameter Integer n = 2;\n"
                    "    Real a(start = 1), y, z, b[2], q, p, m[2, 2] = [1, a; -a, 1];\n"
                    "    Filter filter[n](each T = 0.5, k = {2, 3});\n"
                    "  equation\n"
                    "    der(a) = y - z;\n"
                    "    (y, z) = f(a, {0.5, -0.25, 0.125});\n"
                    "    b = m*{a, time};\n"
                    "    filter.u = {a, filter[1].y};\n"
                    "    if a > 0.5 then\n"
                    "      q = b*b;\n"
                    "    else\n"
                    "      q = -1;\n"
                    "    end if;\n"
                    "  algorithm\n"
                    "    p := q;\n"
                    "    for i in 1:n loop\n"
                    "      p := p + i*filter[i].y;\n"
                    "    end for;\n"
                    "  end M;\n"
                    "end P;\n");
    double x[3], t = 0.75;
    const double values[] = {1.5, 0.75, 0.25, -0.5};
    assert_int_equal(lieder_system_state_count(b.system), 3);
    assert_start(&b, "filter[2].x", 0.25);
    for (int k = 0; k < 4; k++) {
        double a = values[k], f1 = 0.3, f2 = -0.7;
        put_state(&b, x, "a", a);
        put_state(&b, x, "filter[1].x", f1);
        put_state(&b, x, "filter[2].x", f2);
        double y = 0.5 * a - 0.25 * a * a + 0.125 * a * a * a;
        double z = a > 1 ? 2 * y : a > 0 ? -y : 0, b1 = a + a * t, b2 = -a * a + t;
        double q = a > 0.5 ? b1 * b1 + b2 * b2 : -1;
        assert_number(derivative(&b, x, t, "a"), y - z);
        assert_number(derivative(&b, x, t, "filter[1].x"), (a - f1) / 0.5);
        assert_number(derivative(&b, x, t, "filter[2].x"), (2 * f1 - f2) / 0.5);
        assert_number(observe(&b, t, x, "q"), q);
        assert_number(observe(&b, t, x, "p"), q + 2 * f1 + 2 * 3 * f2);
        assert_number(observe(&b, t, x, "m[2,1]"), -a);
    }
    drop(&b);
}

/* start values that initial equations decide; overrides of parameters reach them */
static void test_initial_equations(void **state)
{
    (void)state;
    const char *text = "model M\n"
                       "  parameter Real k = 4, u = 3;\n"
                       "  Real x, y(start = 0.5, fixed = true);\n"
                       "equation\n"
                       "  der(x) = u - k*x + y;\n"
                       "  der(y) = -y;\n"
                       "initial equation\n"
                       "  der(x) = 0;\n"
                       "end M;\n";
    Built b = build(text);
    double x[2];
    lieder_system_start(b.system, x);
    assert_number(x[lieder_system_state_index(b.system, "x")], 3.5 / 4);
    drop(&b);
    FrontOverride override = {.name = "k", .value = "7"};
    b = build_with(text, "M", &override, 1);
    assert_int_equal(b.status, LIEDER_DONE);
    lieder_system_start(b.system, x);
    assert_number(x[lieder_system_state_index(b.system, "x")], 3.5 / 7);
    drop(&b);
}

/* A start value with fixed = true holds, also of a variable that is no state: y = 2 x + z decides
 * x. */
static void test_fixed_start(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  parameter Real p = 5;\n"
                    "  Real x(stateSelect = StateSelect.always), z(start = 1, fixed = true);\n"
                    "  Real y(start = 2*p, fixed = true, stateSelect = StateSelect.never);\n"
                    "equation\n"
                    "  der(x) = -x;\n"
                    "  der(z) = 1;\n"
                    "  y = 2*x + z;\n"
                    "end M;\n");
    double x[2];
    lieder_system_start(b.system, x);
    assert_int_equal(lieder_system_state_count(b.system), 2);
    assert_number(x[lieder_system_state_index(b.system, "x")], 4.5);
    assert_number(x[lieder_system_state_index(b.system, "z")], 1);
    assert_number(observe(&b, 0, x, "y"), 10);
    drop(&b);
}

/* predefined names, built-ins from the root, calls for each element, classes that extend what they
 * replace */
static void test_library_idioms(void **state)
{
    (void)state;
    Built b =
        build("package P\n"
              "  constant Real pi = 2*Math.asin(1.0);\n"
              "  package Math\n"
              "    function asin input Real u; output Real y; algorithm y := .asin(u); end asin;\n"
              "    function twice input Real u; output Real y; algorithm y := 2*u; end twice;\n"
              "  end Math;\n"
              "  partial model Base\n"
              "    parameter Real L = 0.5;\n"
              "    replaceable function f input Real u; output Real y; algorithm y := u; end f;\n"
              "  end Base;\n"
              "  partial model Other parameter Real L = 0.5; end Other;\n"
              "  model M\n"
              "    extends Base;\n"
              "    extends Other;\n"
              "    redeclare function extends f algorithm y := 3*u; end f;\n"
              "    parameter String name = getInstanceName();\n"
              "    Real v[3] = Math.twice({1, 2, 3}*time), w = f(time) + L, c = pi*time;\n"
              "  end M;\n"
              "end P;\n");
    double x[1] = {0};
    assert_number(observe(&b, 2, x, "v[3]"), 12);
    assert_number(observe(&b, 2, x, "w"), 6.5);
    assert_number(observe(&b, 2, x, "c"), 2 * M_PI);
    drop(&b);
}

/* ------------------------------------------------------------------ index reduction */

/* two inertias on a gear: (J1 r^2 + J2) phi2'' = -c phi2 - d phi2' */
static void test_drive_train(void **state)
{
    (void)state;
    char *text = read_model("drive_train.mo");
    FrontOverride override = {.name = "spring.d", .value = "0.25"};
    Built b = build_with(text, "DriveTrain.Train", &override, 1);
    assert_int_equal(b.status, LIEDER_DONE);
    assert_int_equal(lieder_system_state_count(b.system), 2);
    double x[2];
    for (int round = 0; round < 100; round++) {
        double phi1 = draw(), w1 = draw(), phi2 = phi1 / 2, w2 = w1 / 2;
        put_state(&b, x, "J1.phi", phi1);
        put_state(&b, x, "J2.w", w2);
        double a2 = (-10 * phi2 - 0.25 * w2) / (2 * 4 + 5);
        assert_true(fabs(derivative(&b, x, 0, "J2.w") - a2) < 1e-14);
        assert_number(derivative(&b, x, 0, "J1.phi"), w1);
        assert_number(observe(&b, 0, x, "J2.phi"), phi2);
        assert_true(fabs(observe(&b, 0, x, "gear.a.tau") - -2 * 2 * a2) < 1e-13);
    }
    drop(&b);
    free(text);
}

/* ------------------------------------------------------------------ text and native */

/* the text with some classes replaced by those of the library */
static char *replaced(const char *text, const char *from, const char *to)
{
    char *copy = calloc(1, 100000), *out = copy;
    for (const char *p = text; *p;) {
        size_t n = strlen(from);
        if (strncmp(p, from, n) == 0) {
            out += sprintf(out, "%s", to);
            p += n;
        } else {
            *out++ = *p++;
        }
    }
    return copy;
}

/* The same model of own classes and of the library's, at random states. The formulas are the same,
 * but differentiated by the compiler and not by hand: sums may stand in another order. */
static void compare_with_native(const char *text, const char *class_name, const char *native_text,
                                double tolerance)
{
    Built own = build_class(text, class_name), native = build(native_text);
    size_t n = lieder_system_state_count(own.system);
    assert_int_equal(n, lieder_system_state_count(native.system));
    double x[20], y[20], dx[20], dy[20];
    for (int round = 0; round < 1000; round++) {
        for (size_t i = 0; i < n; i++) {
            char name[100];
            x[i] = 3 * draw();
            put_state(&native, y, lieder_system_state_name(own.system, i, name, sizeof name), x[i]);
        }
        assert_int_equal(lieder_system_derivatives(own.system, 0, x, dx), LIEDER_DONE);
        assert_int_equal(lieder_system_derivatives(native.system, 0, y, dy), LIEDER_DONE);
        for (size_t i = 0; i < n; i++) {
            char name[100];
            lieder_system_state_name(own.system, i, name, sizeof name);
            double want = dy[lieder_system_state_index(native.system, name)];
            assert_true(fabs(dx[i] - want) <= tolerance * (1 + fabs(want)));
        }
    }
    drop(&own);
    drop(&native);
}

static void test_crane_crab(void **state)
{
    (void)state;
    char *text = read_model("OwnMechanics.mo");
    compare_with_native(text, "OwnMechanics.CraneCrab",
                        "model M\n"
                        "  inner Dialectic.World world(TD = 1e-3);\n"
                        "  Dialectic.Planar.Fixed fixed;\n"
                        "  Dialectic.Planar.Prismatic prismatic(r = {1, 0});\n"
                        "  Dialectic.Planar.Body cart(m = 2), load(m = 1);\n"
                        "  Dialectic.Planar.Revolute revolute(phi(start = 1));\n"
                        "  Dialectic.Planar.FixedTranslation rod(r = {0, -1});\n"
                        "equation\n"
                        "  connect(fixed.frame, prismatic.frame_a);\n"
                        "  connect(prismatic.frame_b, cart.frame_a);\n"
                        "  connect(prismatic.frame_b, revolute.frame_a);\n"
                        "  connect(revolute.frame_b, rod.frame_a);\n"
                        "  connect(rod.frame_b, load.frame_a);\n"
                        "end M;\n",
                        1e-12);
    free(text);
}

/* a joint from either side, springs that close loops */
static void test_two_masses(void **state)
{
    (void)state;
    char *text = read_model("OwnMechanics.mo");
    compare_with_native(text, "OwnMechanics.TwoMasses",
                        "model M\n"
                        "  inner Dialectic.World world(TD = 1e-3, damped = true);\n"
                        "  Dialectic.Translational.Fixed fixed;\n"
                        "  Dialectic.Translational.Joint j1, j2;\n"
                        "  Dialectic.Translational.Body m1(m = 2, g = 0), m2(m = 1, g = 0);\n"
                        "  Dialectic.Translational.SpringDamper s1(c = 50, d = 0.5),\n"
                        "    s2(c = 400, l = 0.5);\n"
                        "equation\n"
                        "  connect(fixed.flange_b, j1.flange_a);\n"
                        "  connect(j1.flange_b, m1.flange_a);\n"
                        "  connect(fixed.flange_b, j2.flange_b);\n"
                        "  connect(j2.flange_a, m2.flange_a);\n"
                        "  connect(fixed.flange_b, s1.flange_a);\n"
                        "  connect(s1.flange_b, j1.flange_b);\n"
                        "  connect(j1.flange_b, s2.flange_a);\n"
                        "  connect(s2.flange_b, j2.flange_a);\n"
                        "end M;\n",
                        1e-12);
    free(text);
}

/* ------------------------------------------------------------------ instances are data */

/* a fleet with different masses: one class, one shape, the bits of one alone */
static void test_fleet(void **state)
{
    (void)state;
    char *text = read_model("OwnMechanics.mo"),
         *fleet = replaced(text, "end OwnMechanics;\n",
                           "  model Fleet\n"
                           "    parameter Integer n = 100;\n"
                           "    CraneCrab crab[n](load(m = {1 + 0.1*i for i in 1:n}));\n"
                           "  end Fleet;\n"
                           "end OwnMechanics;\n");
    Built many = build_class(fleet, "OwnMechanics.Fleet");
    LiederSystemInfo info = lieder_system_info(many.system);
    assert_int_equal(info.nshape, 1);
    assert_int_equal(info.nstate, 400);
    FrontOverride override = {.name = "load.m", .value = "1 + 0.1*37"};
    Built one = build_with(fleet, "OwnMechanics.CraneCrab", &override, 1);
    assert_int_equal(one.status, LIEDER_DONE);
    double *x = calloc(400, sizeof *x), *dx = calloc(400, sizeof *dx), y[4], dy[4];
    const char *names[] = {"prismatic.s", "prismatic.v", "revolute.phi", "revolute.w"};
    for (int i = 0; i < 400; i++)
        x[i] = draw();
    for (int k = 0; k < 4; k++) {
        char name[60];
        snprintf(name, sizeof name, "crab[37].%s", names[k]);
        put_state(&one, y, names[k], x[lieder_system_state_index(many.system, name)]);
    }
    assert_int_equal(lieder_system_derivatives(many.system, 0, x, dx), LIEDER_DONE);
    assert_int_equal(lieder_system_derivatives(one.system, 0, y, dy), LIEDER_DONE);
    for (int k = 0; k < 4; k++) {
        char name[60];
        snprintf(name, sizeof name, "crab[37].%s", names[k]);
        double a = dx[lieder_system_state_index(many.system, name)],
               c = dy[lieder_system_state_index(one.system, names[k])];
        assert_memory_equal(&a, &c, sizeof a);
    }
    free(x);
    free(dx);
    drop(&many);
    drop(&one);
    free(text);
    free(fleet);
}

/* Loops of one lane are operations on arrays, those of many lanes are not: the same bits. Ends,
 * reversed indices, sums, functions, a relation, parameters that differ. */
static void test_arrays_as_runs(void **state)
{
    (void)state;
    enum { N = 43, LANES = 5 };
    const char *text = "model Chain\n"
                       "  parameter Integer N = 43;\n"
                       "  parameter Real k[N] = linspace(1, 2, N);\n"
                       "  Real x[N], v[N], s[N], e;\n"
                       "equation\n"
                       "  for i in 1:N loop\n"
                       "    der(x[i]) = v[i]*cos(0.1*x[i]);\n"
                       "    s[i] = sin(x[i]) + exp(-v[i]^2);\n"
                       "  end for;\n"
                       "  der(v[1]) = k[1]*(x[2] - x[1]) - s[1];\n"
                       "  for i in 2:N - 1 loop\n"
                       "    der(v[i]) = k[i]*(x[i - 1] - x[i]) + k[i]*(x[i + 1] - x[i])\n"
                       "      - s[i]/(1 + abs(v[N + 1 - i]));\n"
                       "  end for;\n"
                       "  der(v[N]) = if x[N] > 0.5 then x[N - 1] - x[N] else sum(x);\n"
                       "  e = sum(v) + x*x;\n"
                       "end Chain;\n"
                       "model Fleet\n"
                       "  Chain c[5];\n"
                       "end Fleet;\n";
    Built one = build_class(text, "Chain"), many = build_class(text, "Fleet");
    double x[2 * N], dx[2 * N], y[2 * N * LANES], dy[2 * N * LANES], e = 0, square = 0;
    assert_int_equal(lieder_system_state_count(one.system), 2 * N);
    assert_int_equal(lieder_system_state_count(many.system), 2 * N * LANES);
    for (int i = 0; i < 2 * N * LANES; i++)
        y[i] = draw();
    char name[40], own[20];
    for (int i = 0; i < 2 * N; i++) {
        snprintf(own, sizeof own, "%c[%d]", i < N ? 'x' : 'v', i % N + 1);
        snprintf(name, sizeof name, "c[3].%s", own);
        double value = y[lieder_system_state_index(many.system, name)];
        put_state(&one, x, own, value);
        e += i < N ? 0 : value;
        square += i < N ? value * value : 0;
    }
    assert_int_equal(lieder_system_derivatives(one.system, 0, x, dx), LIEDER_DONE);
    assert_int_equal(lieder_system_derivatives(many.system, 0, y, dy), LIEDER_DONE);
    for (int i = 0; i < 2 * N; i++) {
        snprintf(own, sizeof own, "%c[%d]", i < N ? 'x' : 'v', i % N + 1);
        snprintf(name, sizeof name, "c[3].%s", own);
        double a = dx[lieder_system_state_index(one.system, own)],
               b = dy[lieder_system_state_index(many.system, name)];
        assert_memory_equal(&a, &b, sizeof a);
    }
    double p = x[lieder_system_state_index(one.system, "x[7]")],
           v = x[lieder_system_state_index(one.system, "v[7]")],
           left = x[lieder_system_state_index(one.system, "x[6]")],
           right = x[lieder_system_state_index(one.system, "x[8]")],
           mirror = x[lieder_system_state_index(one.system, "v[37]")], k = 1 + 6.0 / 42;
    assert_number(derivative(&one, x, 0, "v[7]"),
                  k * (left - p) + k * (right - p) - (sin(p) + exp(-v * v)) / (1 + fabs(mirror)));
    assert_true(fabs(observe(&one, 0, x, "e") - e - square) < 1e-12);
    drop(&one);
    drop(&many);
}

/* two components of one class and other parameters are instances of one class */
static void test_one_class(void **state)
{
    (void)state;
    Built b = build("block Lag\n"
                    "  input Real u;\n"
                    "  output Real y(start = 0);\n"
                    "  parameter Real T = 1;\n"
                    "equation\n"
                    "  T*der(y) = u - y;\n"
                    "end Lag;\n"
                    "model M\n"
                    "  Signals.Constant one(k = 1);\n"
                    "  Lag a(T = 2), b(T = 3), c[3](T = {1, 2, 4});\n"
                    "equation\n"
                    "  connect(one.y, a.u);\n"
                    "  connect(a.y, b.u);\n"
                    "  connect(b.y, c[1].u);\n"
                    "  connect(c[1].y, c[2].u);\n"
                    "  connect(c[2].y, c[3].u);\n"
                    "end M;\n");
    double x[5] = {0};
    size_t nclass = 0;
    for (size_t i = 0; i < lieder_class_count(b.session); i++)
        nclass += strncmp(lieder_class_name(lieder_class_get(b.session, i)), "Lag", 3) == 0;
    assert_int_equal(nclass, 1);
    put_state(&b, x, "a.y", 0.5);
    put_state(&b, x, "b.y", 0.25);
    put_state(&b, x, "c[2].y", -1);
    assert_number(derivative(&b, x, 0, "a.y"), 0.5 / 2);
    assert_number(derivative(&b, x, 0, "b.y"), 0.25 / 3);
    assert_number(derivative(&b, x, 0, "c[1].y"), 0.25 / 1);
    assert_number(derivative(&b, x, 0, "c[2].y"), 1.0 / 2);
    assert_number(derivative(&b, x, 0, "c[3].y"), -1.0 / 4);
    drop(&b);
}

/* the exact solution of a linear oscillator, by a run of its own */
static void test_run(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  Real s(start = 1);\n"
                    "equation\n"
                    "  der(der(s)) = -4*s;\n"
                    "end M;\n");
    double x[2];
    lieder_system_start(b.system, x);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(lieder_step(b.system, LIEDER_RK4, i * 1e-3, 1e-3, 1, x), LIEDER_DONE);
    assert_true(fabs(x[lieder_system_state_index(b.system, "s")] - cos(2)) < 1e-11);
    drop(&b);
}

static void test_memory(void **state)
{
    (void)state;
    char *text = read_model("OwnMechanics.mo");
    starve((Starved){.text = text, .class_name = "OwnMechanics.TwoMasses", .finer = 8});
    free(text);
}

/* A block that equates inputs cannot be solved alone, and the inverse of a lag needs the derivative
 * of its input: the model is solved as one system. */
static void test_inverse(void **state)
{
    (void)state;
    Built b = build("block Pair\n  input Real u1, u2;\n  output Real y1, y2;\nequation\n"
                    "  u1 = u2;\n  y1 = y2;\nend Pair;\n"
                    "block Lag\n  parameter Real T = 0.3;\n  input Real u;\n  output Real y;\n"
                    "equation\n  T*der(y) = u - y;\nend Lag;\n"
                    "block Source\n  output Real y = sin(2*time);\nend Source;\n"
                    "model M\n  Source s;\n  Lag a, b(T = 0.5, y(stateSelect = "
                    "StateSelect.always));\n  Pair p;\nequation\n"
                    "  connect(s.y, p.u1);\n  connect(a.y, p.u2);\n  connect(p.y2, a.u);\n"
                    "  connect(p.y1, b.u);\nend M;\n");
    for (double t = 0; t < 3; t += 0.4) {
        double y[] = {0.2 * t}, u = sin(2 * t) + 0.6 * cos(2 * t);
        assert_int_equal(lieder_system_state_count(b.system), 1);
        assert_true(fabs(derivative(&b, y, t, "b.y") - (u - y[0]) / 0.5) < 1e-14);
        assert_true(fabs(observe(&b, t, y, "a.y") - sin(2 * t)) < 1e-15);
    }
    drop(&b);
}

/* inputs with values of their own: of the model, of blocks, of connectors that are inputs; a
 * modifier gives another */
static void test_inputs_with_values(void **state)
{
    (void)state;
    Built b = build("connector In = input Real;\n"
                    "block B\n  input Real u = 2*time;\n  In w = 3;\n  output Real y;\nequation\n"
                    "  y = u + 10*w;\nend B;\n"
                    "model M\n  input Real v = 4;\n  B a, b(u = 5), c(w = v);\n"
                    "  Real x(start = 0);\nequation\n  der(x) = v;\nend M;\n");
    double x[] = {0};
    assert_int_equal(lieder_system_state_count(b.system), 1);
    assert_true(derivative(&b, x, 0, "x") == 4);
    assert_true(observe(&b, 0.5, x, "a.y") == 31 && observe(&b, 0.5, x, "b.y") == 35);
    assert_true(observe(&b, 0.5, x, "c.y") == 41);
    drop(&b);
    b = build("block B\n  input Real u = 3;\n  output Real y = 2*u;\nend B;\n"
              "model M\n  B b;\nend M;\n");
    assert_true(observe(&b, 0, x, "b.y") == 6);
    drop(&b);
}

/* an output that is a state is listed once */
static void test_listed_once(void **state)
{
    (void)state;
    Built b = build("block B\n  input Real u;\n  output Real x[2], z, y;\nequation\n"
                    "  der(x) = -x;\n  der(z) = u - z;\n  y = 2*z;\nend B;\n"
                    "model M\n  B a(u = 1), b;\nequation\n  connect(a.z, b.u);\nend M;\n");
    size_t n = lieder_variable_count(b.system);
    char one[200], other[200];
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(lieder_variable_name(b.system, i, one, sizeof one),
                                    lieder_variable_name(b.system, k, other, sizeof other));
    drop(&b);
}

/* A parameter that is a matrix keeps both indices: in the table, in names, where it is set and
 * overridden, in arrays of components and without. */
static void test_matrices(void **state)
{
    (void)state;
    static const char text[] =
        "block Mixer\n  parameter Real k[2,3] = {{1, 2, 3}, {4, 5, 6}};\n  Real x[2];\n"
        "equation\n  der(x[1]) = k[1,2]*x[2] + k[1,3];\n  der(x[2]) = k[2,1]*x[1] + k[2,3];\n"
        "end Mixer;\n"
        "model M\n  parameter Real g[2,2] = {{7, 8}, {9, 10}};\n  Mixer a, b[2](k = "
        "{g[1,1]*i*ones(2, "
        "3) for i in 1:2});\nend M;\n";
    const FrontOverride overrides[] = {{.name = "a.k[1,3]", .value = "0.25"},
                                       {.name = "g[1,1]", .value = "0.5"}};
    Built m = build_with(text, "M", overrides, 2);
    assert_int_equal(m.status, LIEDER_DONE);
    static const struct {
        const char *row;
        size_t ndim, dim[3];
        const char *first, *last;
    } rows[] = {{"a.k", 2, {2, 3}, "a.k[1,1]", "a.k[2,3]"},
                {"b.k", 3, {2, 2, 3}, "b[1].k[1,1]", "b[2].k[2,3]"}};
    for (size_t i = 0; i < 2; i++) {
        ptrdiff_t row = lieder_variable_find(m.system, rows[i].row);
        size_t dim[4], n = 1;
        char name[100];
        LiederHandle h, same;
        assert_true(row >= 0);
        assert_int_equal(lieder_variable_dimensions(m.system, (size_t)row, dim, 4), rows[i].ndim);
        for (size_t k = 0; k < rows[i].ndim; k++, n *= dim[k - 1])
            assert_int_equal(dim[k], rows[i].dim[k]);
        for (size_t k = 0; k < n; k++) { /* every name leads back */
            assert_true(lieder_variable_handle(m.system, (size_t)row, k, &h));
            lieder_handle_name(m.system, &h, name, sizeof name);
            assert_int_equal(lieder_handle_find(m.system, name, &same), LIEDER_DONE);
            assert_true(h.index == same.index && h.item == same.item &&
                        h.element.lane == same.element.lane);
            if (k == 0 || k + 1 == n)
                assert_string_equal(name, k ? rows[i].last : rows[i].first);
        }
    }
    assert_true(get(&m, "a.k[1,2]") == 2);
    assert_true(get(&m, "a.k[1,3]") == 0.25);
    assert_true(get(&m, "a.k[2,1]") == 4);
    assert_true(get(&m, "b[2].k[2,1]") == 1);
    /* one that is set is the one that the equations read */
    assert_int_equal(lieder_system_set(m.system, "a.k[2,1]", 11), LIEDER_DONE);
    assert_int_equal(lieder_system_set(m.system, "b[2].k[1,2]", 13), LIEDER_DONE);
    double x[6] = {0};
    put_state(&m, x, "a.x[1]", 2);
    put_state(&m, x, "b[2].x[2]", 3);
    assert_true(derivative(&m, x, 0, "a.x[2]") == 11 * 2 + 6);
    assert_true(derivative(&m, x, 0, "a.x[1]") == 0.25);
    assert_true(derivative(&m, x, 0, "b[2].x[1]") == 13 * 3 + 1);
    static const char *const wrong[] = {"a.k",      "a.k[2]",     "a.k[3,1]",
                                        "a.k[1,4]", "a.k[1,1,1]", "b.k"};
    double value;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(lieder_system_get(m.system, wrong[i], &value), LIEDER_BAD_USE);
    drop(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_oscillator),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_language),
        cmocka_unit_test(test_names_and_ranges),
        cmocka_unit_test(test_initial_equations),
        cmocka_unit_test(test_drive_train),
        cmocka_unit_test(test_inverse),
        cmocka_unit_test(test_inputs_with_values),
        cmocka_unit_test(test_listed_once),
        cmocka_unit_test(test_crane_crab),
        cmocka_unit_test(test_two_masses),
        cmocka_unit_test(test_fleet),
        cmocka_unit_test(test_one_class),
        cmocka_unit_test(test_run),
        cmocka_unit_test(test_fixed_start),
        cmocka_unit_test(test_library_idioms),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_arrays_as_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
