/* test_hybrid_conditions.c - start and end of runs with events: initial values, assert, terminate,
 * limits; random numbers at events. */
#include "hybrid_help.h"

/* ------------------------------------------------------------------ start and end */

static void test_start(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  Boolean b, edges(start = false), early(start = false), first;\n"
                    "  Integer n(start = 7), m, i(start = 0), k(start = 0);\n"
                    "  discrete Real z(start = 0), t1(start = -1);\n"
                    "  Real x(start = 4, fixed = true);\n"
                    "initial equation\n"
                    "  pre(b) = true;\n"
                    "  i = 5;\n"
                    "initial algorithm\n"
                    "  k := integer(2.5*3);\n"
                    "equation\n"
                    "  der(x) = -1;\n"
                    "  b = pre(b) and time < 1;\n"
                    "  m = if initial() then 1 else 2;\n"
                    "  first = x > 3;\n"
                    "  when initial() then\n"
                    "    z = 2*x;\n"
                    "  end when;\n"
                    "  when first then\n" /* true from the start: no edge */
                    "    edges = true;\n"
                    "  end when;\n"
                    "  when {initial(), time >= 0.5} then\n"
                    "    n = pre(n) + 1;\n"
                    "  end when;\n"
                    "  when time > 0 then\n" /* becomes true right after the start */
                    "    early = true;\n"
                    "    t1 = time;\n"
                    "  end when;\n"
                    "  when time >= 0.25 then\n"
                    "    i = pre(i) + 1;\n"
                    "    k = pre(k) + 1;\n"
                    "  end when;\n"
                    "end M;\n");
    Run r = run(&b, 0.9, "b edges n m z i k early");
    assert_true(r.last[0] == 1 && r.last[1] == 0 && r.last[2] == 9 && r.last[3] == 2);
    assert_true(r.last[4] == 8 && r.last[5] == 6 && r.last[6] == 8 && r.last[7] == 1);
    run_drop(&r);
    r = run(&b, 1.5, "b t1");
    assert_true(r.last[0] == 0);
    assert_near(r.last[1], 0, 1e-9);
    run_drop(&r);
    drop(&b);
}

/* Initial equations see what clauses assign in the first event, in the values before it: a lag
 * begins in the steady state of a source that such a clause sets, and of a clause that reads an
 * unknown of the initial equations. By hand: a = 0 + 3, x = 2 a; c = 2 u + 1 and u + c = 10. */
static void test_initial_clauses(void **state)
{
    (void)state;
    Built b = build("model M\n"
                    "  discrete Real a(start = 0, fixed = true), c(start = 100), d(start = 5);\n"
                    "  Real x(start = 1), y, u(start = 50), w(start = 1);\n"
                    "initial equation\n"
                    "  der(x) = 0;\n"
                    "  u + c = 10;\n"
                    "  der(w) = 0;\n"
                    "algorithm\n"
                    "  when {initial(), time >= 1} then\n"
                    "    a := pre(a) + 3;\n"
                    "  end when;\n"
                    "equation\n"
                    "  der(x) = y - x;\n"
                    "  y = 2*a;\n"
                    "  when initial() then\n"
                    "    c = 2*u + 1;\n"
                    "  end when;\n"
                    "  when time >= 1 then\n" /* does not fire: d begins at its start value */
                    "    d = pre(d) + 1;\n"
                    "  end when;\n"
                    "  der(u) = 0;\n"
                    "  der(w) = d - w;\n"
                    "end M;\n");
    Run r = run(&b, 0.5, "a x c u w");
    const double want[] = {3, 6, 7, 3, 5};
    for (int k = 0; k < 5; k++)
        assert_near(r.last[k], want[k], 1e-12);
    run_drop(&r);
    r = run(&b, 2, "a x w");
    assert_near(r.last[0], 6, 1e-12);
    assert_near(r.last[1], 12 - 6 * exp(-1), 1e-5);
    assert_near(r.last[2], 6 - exp(-1), 1e-5);
    run_drop(&r);
    drop(&b);
}

/* conditions that fail between two steps, and in components; variables that leave min and max */
static void test_conditions(void **state)
{
    (void)state;
    Built b = build("package P\n"
                    "  connector Pin\n"
                    "    Real v;\n"
                    "    flow Real i;\n"
                    "  end Pin;\n"
                    "  model Part\n"
                    "    parameter Real k = 1;\n"
                    "    Pin p;\n"
                    "    Real x(start = 0, fixed = true), y(max = 1.5) = k*x;\n"
                    "  equation\n"
                    "    der(x) = 1;\n"
                    "    p.i = p.v;\n"
                    "    assert(y < 1, \"y = \" + String(y), AssertionLevel.warning);\n"
                    "  end Part;\n"
                    "  model M\n"
                    "    Part part[2](k = {1, 2});\n"
                    "    Real z = sin(20*time);\n"
                    "    Integer n(min = 0, max = 1) = if z > 0.5 then 1 else 0;\n"
                    "    String name = \"part\" + String(2);\n"
                    "  equation\n"
                    "    connect(part[1].p, part[2].p);\n"
                    "    assert(z < 0.99, \"z in \" + name, AssertionLevel.warning);\n"
                    "    assert(part[2].x < 0.9, \"end at \" + String(part[2].x));\n"
                    "  end M;\n"
                    "end P;\n");
    Run r = run_with(&b, adaptive(1), "z");
    assert_int_equal(r.status, LIEDER_GAVE_UP);
    assert_message(&b, "from t = 0.0714628");
    assert_message(&b, "from t = 0.385622");
    assert_message(&b, "from t = 0.699781");
    assert_message(&b, "z in part2");
    assert_message(&b, "from t = 0.5");
    assert_message(&b, "part[2]: y = 1");
    assert_message(&b, "end at 0.9");
    assert_message(&b, "this variable becomes 1.8, above 1.5");
    assert_near(r.statistics.t, 0.9, 1e-8);
    run_drop(&r);
    drop(&b);
}

/* A condition that fails for a part of a fixed step only, and ends with the step: it is found in
 * the middle and located; so is one in a lane that has a clock of its own. */
static void test_conditions_inside(void **state)
{
    (void)state;
    const char *text = "model Part\n"
                       "  parameter Real k = 1, w = 0.03;\n"
                       "  Real x(start = 0, fixed = true), y(start = 0, fixed = true);\n"
                       "equation\n"
                       "  der(x) = 1;\n"
                       "  der(y) = x;\n"
                       "  assert(y < 0.1, \"y is large\", AssertionLevel.warning);\n"
                       "  assert(noEvent(k*x < 0.725 or k*x > 0.725 + w), \"x = \" + String(x));\n"
                       "end Part;\n"
                       "model Parts\n"
                       "  Part part[20](k = linspace(1, 0.05, 20), each w = 1);\n"
                       "end Parts;\n";
    static const LiederSolver solvers[] = {LIEDER_RK1, LIEDER_RK4, LIEDER_EULER_BACKWARD};
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        Built b = build_class(text, "Part");
        LiederSimulateOptions o = fixed(1, 0.04);
        o.solver = solvers[i];
        Run r = run_with(&b, o, "x");
        assert_int_equal(r.status, LIEDER_GAVE_UP);
        assert_near(r.statistics.t, 0.725, 1e-9);
        assert_message(&b, "a condition does not hold at t = 0.725");
        assert_message(&b, "x = 0.725");
        if (solvers[i] == LIEDER_RK4)
            assert_message(&b, "from t = 0.44721");
        run_drop(&r);
        drop(&b);
    }
    Built b = build_class(text, "Parts");
    LiederSimulateOptions o = adaptive(0.8);
    o.solver = LIEDER_RK45;
    o.clocks = LIEDER_CLOCKS_OWN;
    Run r = {.b = &b, .observer = lieder_observer_create(b.system)};
    r.status = lieder_simulate(b.system, &o, &r.statistics);
    assert_int_equal(r.status, LIEDER_GAVE_UP);
    assert_message(&b, "a condition does not hold at t = 0.725");
    assert_message(&b, "from t = 0.44721");
    run_drop(&r);
    drop(&b);
}

static const char *const balls = "model Ball\n"
                                 "  parameter Real e = 0.8;\n"
                                 "  Real h(start = 1, fixed = true), v(start = 0, fixed = true);\n"
                                 "equation\n"
                                 "  der(h) = v;\n"
                                 "  der(v) = -9.81;\n"
                                 "  when h < 0 then\n"
                                 "    reinit(v, -e*pre(v));\n"
                                 "  end when;\n"
                                 "end Ball;\n"
                                 "model Balls\n"
                                 "  Ball ball[20](e = linspace(0.4, 0.8, 20));\n"
                                 "end Balls;\n"
                                 "model Resting\n"
                                 "  parameter Real e = 0.8;\n"
                                 "  Real h(start = 1, fixed = true), v(start = 0, fixed = true);\n"
                                 "  Boolean flying(start = true, fixed = true), impact = h <= 0;\n"
                                 "equation\n"
                                 "  der(h) = v;\n"
                                 "  der(v) = if flying then -9.81 else 0;\n"
                                 "  when {h <= 0 and v <= 0, impact} then\n"
                                 "    flying = edge(impact) and -e*pre(v) > 0;\n"
                                 "    reinit(v, if edge(impact) then -e*pre(v) else 0);\n"
                                 "  end when;\n"
                                 "end Resting;\n"
                                 "model AllRest\n"
                                 "  Resting ball[20](e = linspace(0.4, 0.8, 20));\n"
                                 "end AllRest;\n";

/* A ball whose impacts come faster and faster until it falls through the floor: the run ends and
 * says where, by every solver and with clocks of its own. One that comes to rest goes on, however
 * short its last hops are. */
/* a ball between two walls has two clauses for one state; in a corner both would hold */
static void test_two_reinits(void **state)
{
    (void)state;
    static const char text[] = "model M Real x(start = 0.5, fixed = true), v(start = 1, fixed = "
                               "true); parameter Real top;\n"
                               "equation der(x) = v; der(v) = 0;\n"
                               "  when x > 1 then reinit(v, -pre(v)); end when;\n"
                               "  when x < 0 or x > top then reinit(v, -0.5*pre(v)); end when;\n"
                               "end M;\n"
                               "model Apart extends M(top = 2); end Apart;\n"
                               "model Corner extends M(top = 1); end Corner;\n";
    Built b = build_class(text, "Apart");
    Run r = run(&b, 2, "x v");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_near(r.last[1], 0.5, 1e-12);
    assert_near(r.last[0], 0.25, 1e-7);
    run_drop(&r);
    drop(&b);
    b = build_class(text, "Corner");
    r = run_with(&b, adaptive(2), "x v");
    assert_int_equal(r.status, LIEDER_GAVE_UP);
    assert_message(&b, "two when-clauses set 'v' to different values at the same event, this one "
                       "and that of line 3");
    run_drop(&r);
    drop(&b);
}

static void test_zeno(void **state)
{
    (void)state;
    /* 1 m high: the last impact is at sqrt(2/g) (1 + 2 e/(1 - e)) */
    double end = sqrt(2 / 9.81) * 9;
    static const LiederSolver solvers[] = {LIEDER_BDF, LIEDER_RK45, LIEDER_RODAS4, LIEDER_RK4};
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        LiederSimulateOptions o = solvers[i] == LIEDER_RK4 ? fixed(10, 1e-3) : adaptive(10);
        o.solver = solvers[i];
        Built b = build_class(balls, "Ball");
        Run r = run_with(&b, o, "h");
        assert_int_equal(r.status, LIEDER_GAVE_UP);
        assert_message(&b, "came faster and faster, without end, until t = 4.0");
        assert_message(&b, "(Zeno)");
        assert_true(solvers[i] != LIEDER_BDF || fabs(r.statistics.t - end) < 1e-6);
        run_drop(&r);
        drop(&b);
        b = build_class(balls, "Resting");
        r = run_with(&b, o, "h v");
        assert_int_equal(r.status, LIEDER_DONE);
        assert_near(r.last[0], 0, solvers[i] == LIEDER_RK4 ? 1e-3 : 1e-9);
        assert_true(r.last[1] == 0);
        run_drop(&r);
        drop(&b);
    }
    LiederSimulateOptions o = adaptive(10);
    o.solver = LIEDER_RK45;
    o.clocks = LIEDER_CLOCKS_OWN;
    Built b = build_class(balls, "Balls");
    assert_int_equal(lieder_simulate(b.system, &o, NULL), LIEDER_GAVE_UP);
    assert_message(&b, "came faster and faster, without end, until t = 1.05");
    assert_message(&b, "came faster and faster, without end, until t = 4.06");
    drop(&b);
    b = build_class(balls, "AllRest");
    assert_int_equal(lieder_simulate(b.system, &o, NULL), LIEDER_DONE);
    drop(&b);
}

static void test_end(void **state)
{
    (void)state;
    const char *text = "model M\n"
                       "  parameter Real limit = 2;\n"
                       "  Real x(start = 0, fixed = true);\n"
                       "  Integer n(start = 0);\n"
                       "equation\n"
                       "  der(x) = 1;\n"
                       "  assert(x < limit, \"x is too large: \" + String(x));\n"
                       "  assert(x < 0.5, \"x is large\", AssertionLevel.warning);\n"
                       "  when x > 3 then\n"
                       "    terminate(\"far enough\");\n"
                       "  end when;\n"
                       "  when terminal() then\n"
                       "    n = 1;\n"
                       "  end when;\n"
                       "end M;\n";
    Built b = build(text);
    Run r = run_with(&b, adaptive(10), "x");
    assert_int_not_equal(r.status, LIEDER_DONE);
    assert_message(&b, "x is too large: 2");
    assert_message(&b, "from t = 0.5");
    assert_near(r.statistics.t, 2, 1e-8);
    run_drop(&r);
    drop(&b);
    FrontOverride far = {.name = "limit", .value = "100"};
    b = build_with(text, NULL, &far, 1);
    r = run_with(&b, adaptive(10), "x");
    assert_int_equal(r.status, LIEDER_DONE);
    assert_near(r.statistics.t, 3, 1e-8);
    run_drop(&r);
    drop(&b);
}

/* a model of components alone may have conditions on their variables */
static void test_assertion_of_components(void **state)
{
    (void)state;
    Built b = build_class("package P\n"
                          "  block Ramp output Real y; equation y = 2*time; end Ramp;\n"
                          "  model M\n"
                          "    Ramp a, b;\n"
                          "  equation\n"
                          "    assert(abs(a.y) < 3, \"a is too large\");\n"
                          "  end M;\n"
                          "end P;\n",
                          "P.M");
    Run r = run_with(&b, adaptive(3), "b.y");
    assert_int_not_equal(r.status, LIEDER_DONE);
    assert_message(&b, "a is too large");
    assert_true(r.statistics.t >= 1.5 && r.statistics.t <= 3);
    run_drop(&r);
    drop(&b);
}

/* an assertion in a branch of an algorithm holds where the branch is taken */
static void test_assertion_in_branch(void **state)
{
    (void)state;
    const char *text = "model M\n"
                       "  parameter Integer most = 100;\n"
                       "  Integer n(start = 0, fixed = true);\n"
                       "algorithm\n"
                       "  when sample(0.25, 0.5) then\n"
                       "    n := pre(n) + 1;\n"
                       "    if n > most then\n"
                       "      assert(false, \"too often\");\n"
                       "    else\n"
                       "      assert(n < 1000, \"never\");\n"
                       "    end if;\n"
                       "  end when;\n"
                       "end M;\n";
    Built b = build(text);
    Run r = run_with(&b, adaptive(3), "n");
    assert_int_equal(r.status, LIEDER_DONE);
    run_drop(&r);
    drop(&b);
    FrontOverride few = {.name = "most", .value = "3"};
    b = build_with(text, NULL, &few, 1);
    r = run_with(&b, adaptive(3), "n");
    assert_int_not_equal(r.status, LIEDER_DONE);
    assert_message(&b, "too often");
    assert_near(r.statistics.t, 1.75, 1e-8);
    run_drop(&r);
    drop(&b);
}

/* ------------------------------------------------------------------ random numbers at events */

/* the generators on words of 64 bits; see external_random.c */
static double draw_64(uint64_t *s)
{
    *s ^= *s >> 12;
    *s ^= *s << 25;
    *s ^= *s >> 27;
    *s *= 0x2545f4914f6cdd1du;
    return (double)(int64_t)*s / 18446744073709551616.0 + 0.5;
}

static double draw_128(uint64_t *s)
{
    uint64_t a = s[0] ^ s[0] << 23, b = s[1];
    s[0] = b;
    s[1] = (a ^ a >> 17 ^ b ^ b >> 26) + b;
    return (double)(int64_t)s[1] / 18446744073709551616.0 + 0.5;
}

static double draw_1024(uint64_t *s, int *at)
{
    uint64_t a = s[*at], b = s[ *at = (*at + 1) % 16];
    b ^= b << 31;
    s[*at] = b ^ b >> 11 ^ a ^ a >> 30;
    return (double)(int64_t)(s[*at] * 0x106689d45497fdb5u) / 18446744073709551616.0 + 0.5;
}

static uint64_t pair_of(double low, double high)
{
    return (uint64_t)(uint32_t)(int32_t)high << 32 | (uint32_t)(int32_t)low;
}

/* states that clauses hold: the numbers have the bits of those on words */
static void test_random_states(void **state)
{
    (void)state;
    Built b = build_class(
        "package P\n"
        "  function r64 input Integer s[2]; output Real r; output Integer n[2];\n"
        "    external \"C\" ModelicaRandom_xorshift64star(s, n, r); end r64;\n"
        "  function r128 input Integer s[4]; output Real r; output Integer n[4];\n"
        "    external \"C\" ModelicaRandom_xorshift128plus(s, n, r); end r128;\n"
        "  function r1024 input Integer s[33]; output Real r; output Integer n[33];\n"
        "    external \"C\" ModelicaRandom_xorshift1024star(s, n, r); end r1024;\n"
        "  model M\n"
        "    Integer a[2](start = {-5, 77}), b[4](start = {-1, 2, 2147483647, -2147483647});\n"
        "    Integer c[33](start = {if i == 33 then -66 else 65537*i*(1 - 2*mod(i, 2)) for i in "
        "1:33});\n"
        "    discrete Real x, y, z;\n"
        "  equation\n"
        "    when sample(0.5, 1) then\n"
        "      (x, a) = r64(pre(a));\n      (y, b) = r128(pre(b));\n"
        "      (z, c) = r1024(pre(c));\n"
        "    end when;\n"
        "  end M;\n"
        "end P;\n",
        "P.M");
    uint64_t s64 = pair_of(-5, 77), s128[] = {pair_of(-1, 2), pair_of(2147483647, -2147483647)};
    uint64_t s1024[16];
    int at = 14; /* -66 modulo 16 */
    for (int i = 1; i <= 31; i += 2)
        s1024[i / 2] = pair_of(-65537.0 * i, 65537.0 * (i + 1));
    LiederSimulateOptions o = adaptive(25);
    o.interval = 1;
    Run r = run_with(&b, o, "x y z");
    assert_int_equal(r.status, LIEDER_DONE);
    double number[3] = {0};
    int drawn = 0;
    for (size_t i = 0; i < r.nrow; i++) {
        const double *row = r.rows + i * (1 + MAX_PATHS);
        for (; drawn < (int)floor(row[0] + 0.5) && drawn + 0.5 < row[0]; drawn++) {
            number[0] = draw_64(&s64);
            number[1] = draw_128(s128);
            number[2] = draw_1024(s1024, &at);
        }
        for (int k = 0; k < 3 && row[0] == floor(row[0]); k++)
            assert_true(row[1 + k] == number[k]);
    }
    assert_int_equal(drawn, 25);
    run_drop(&r);
    drop(&b);
}

/* One hidden state for all calls, in the order of the text; a clause that does not fire, and a
 * branch that is not taken, take no number. The seed stands behind the clauses. */
static void check_hidden_random(const char *class_name)
{
    const char *text =
        "package P\n"
        "  function set input Integer s[33]; input Integer id;\n"
        "    external \"C\" ModelicaRandom_setInternalState_xorshift1024star(s, size(s, 1), id);\n"
        "  end set;\n"
        "  function begin input Integer seed; output Integer id;\n"
        "  algorithm\n"
        "    id := 7;\n"
        "    set({if i == 33 then 14 else seed*i*(1 - 2*mod(i, 2)) for i in 1:33}, id);\n"
        "  end begin;\n"
        "  function next input Integer id; output Real y;\n"
        "    external \"C\" y = ModelicaRandom_impureRandom_xorshift1024star(id); end next;\n"
        "  partial model Clauses\n"
        "    parameter Integer id;\n"
        "    discrete Real x, y, z(start = 0);\n"
        "    Boolean even(start = false);\n"
        "  algorithm\n"
        "    when {initial(), sample(0.5, 1)} then\n"
        "      x := next(id);\n"
        "      y := next(id);\n"
        "    end when;\n"
        "    when sample(0.5, 1) then\n"
        "      even := not pre(even);\n"
        "      if even then\n"
        "        z := next(id);\n"
        "      end if;\n"
        "    end when;\n"
        "  end Clauses;\n"
        "  model M extends Clauses(id(fixed = false)); parameter Integer seed(fixed = false);\n"
        "  initial equation\n"
        "    seed = 65537;\n"
        "    id = begin(seed);\n"
        "  end M;\n"
        "  model N extends Clauses(id = begin(65537)); end N;\n"
        "  model Large parameter Integer n = 3000; Real w[n](each start = 1, each fixed = true);\n"
        "    extends Clauses(id = begin(62537 + n));\n"
        "  equation\n"
        "    der(w) = -w;\n"
        "  end Large;\n"
        "end P;\n";
    Built b = build_class(text, class_name);
    uint64_t s1024[16];
    int at = 14;
    for (int i = 1; i <= 31; i += 2)
        s1024[i / 2] = pair_of(-65537.0 * i, 65537.0 * (i + 1));
    double x = draw_1024(s1024, &at), y = draw_1024(s1024, &at), z = 0;
    LiederSimulateOptions o = adaptive(12);
    o.interval = 1;
    Run r = run_with(&b, o, "x y z");
    assert_int_equal(r.status, LIEDER_DONE);
    int drawn = 0;
    for (size_t i = 0; i < r.nrow; i++) {
        const double *row = r.rows + i * (1 + MAX_PATHS);
        if (row[0] != floor(row[0]))
            continue;
        for (; drawn + 0.5 < row[0]; drawn++) {
            x = draw_1024(s1024, &at);
            y = draw_1024(s1024, &at);
            z = drawn % 2 == 0 ? draw_1024(s1024, &at) : z;
        }
        assert_true(row[1] == x && row[2] == y && row[3] == z);
    }
    assert_int_equal(drawn, 12);
    run_drop(&r);
    drop(&b);
}

/* the seed of an initial equation, and of the binding of a parameter, which stands for one
 * (Modelica 12.3); and one that depends on the size of an array, which other sizes are tried for */
static void test_hidden_random(void **state)
{
    (void)state;
    check_hidden_random("P.M");
    check_hidden_random("P.N");
    check_hidden_random("P.Large");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_initial_clauses),
        cmocka_unit_test(test_end),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_conditions_inside),
        cmocka_unit_test(test_two_reinits),
        cmocka_unit_test(test_zeno),
        cmocka_unit_test(test_random_states),
        cmocka_unit_test(test_hidden_random),
        cmocka_unit_test(test_assertion_of_components),
        cmocka_unit_test(test_assertion_in_branch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
