/* test_fleet_text.c - fleets of own classes with events whose lanes have clocks of their own:
 * memory, samples, timers, modes, requests; each lane has the bits of one alone. */
#include "equation_help.h"

enum { LANES = 37, MAX_PATHS = 4, MAX_ROWS = 2000 };

/* what is watched in one instance, row by row */
typedef struct Track {
    LiederObserver *observer;
    size_t npath, n;
    double t[MAX_ROWS];
    double values[MAX_ROWS][MAX_PATHS];
} Track;

typedef struct Tracks {
    Track *items;
    size_t n;
    LiederStatistics statistics;
    LiederStatus status;
} Tracks;

static bool keep_row(void *user, double t, const double *x, LiederRow kind)
{
    Tracks *all = user;
    for (size_t i = 0; i < all->n && kind == LIEDER_ROW; i++) {
        Track *k = &all->items[i];
        assert_true(k->n < MAX_ROWS);
        k->t[k->n] = t;
        assert_int_equal(lieder_observer_evaluate(k->observer, t, x, k->values[k->n]), LIEDER_DONE);
        k->n++;
    }
    return true;
}

/* paths of every `stride`-th instance; "" stands for the model itself */
static Tracks follow(Built *b, LiederSimulateOptions o, size_t lanes, size_t stride,
                     const char *const *paths)
{
    Tracks all = {.n = (lanes + stride - 1) / stride};
    all.items = calloc(all.n, sizeof *all.items);
    assert_non_null(all.items);
    for (size_t i = 0; i < all.n; i++) {
        Track *k = &all.items[i];
        k->observer = lieder_observer_create(b->system);
        for (; paths[k->npath]; k->npath++) {
            char path[100];
            snprintf(path, sizeof path, "b[%zu].%s", i * stride + 1, paths[k->npath]);
            if (lieder_observer_add(k->observer, path) != (ptrdiff_t)k->npath)
                lieder_diagnostic_print_all(b->session, stderr);
        }
    }
    o.output = keep_row;
    o.user = &all;
    all.status = lieder_simulate(b->system, &o, &all.statistics);
    return all;
}

static void tracks_drop(Tracks *all)
{
    for (size_t i = 0; i < all->n; i++)
        lieder_observer_destroy(all->items[i].observer);
    free(all->items);
}

static double parameter_of(size_t lane)
{
    return 0.6 + 0.25 * (double)(lane * 7919 % LANES) / LANES;
}

/* a model of instances b[i] of the class, whose parameter p differs; `only` < 0: all of them */
static Built build_fleet(const char *class_text, ptrdiff_t only)
{
    char *text = malloc(20000);
    int at = snprintf(text, 20000, "%s\nmodel Fleet\n  Item b[%d](p = {", class_text,
                      only < 0 ? LANES : 1);
    for (size_t i = 0; i < (only < 0 ? LANES : 1); i++)
        at += snprintf(text + at, 20000 - (size_t)at, "%s%.17g", i ? ", " : "",
                       parameter_of(only < 0 ? i : (size_t)only));
    snprintf(text + at, 20000 - (size_t)at, "});\nend Fleet;\n");
    Built b = build_class(text, "Fleet");
    free(text);
    return b;
}

static LiederSimulateOptions fleet_options(LiederSolver solver, double stop)
{
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.solver = solver;
    o.stop = stop;
    o.interval = stop / 41;
    o.tolerance = 1e-7;
    return o;
}

static void assert_same(const Track *a, const Track *b, size_t lane)
{
    assert_int_equal(a->n, b->n);
    for (size_t i = 0; i < a->n; i++) {
        assert_true(a->t[i] == b->t[i]);
        for (size_t k = 0; k < a->npath; k++)
            if (memcmp(&a->values[i][k], &b->values[i][k], sizeof(double)) != 0)
                fail_msg("lane %zu at %g: variable %zu is %.17g, alone %.17g", lane, a->t[i], k,
                         a->values[i][k], b->values[i][k]);
    }
}

/* ------------------------------------------------------------------ classes */

static const char BALL[] =
    "model Item\n  parameter Real p;\n"
    "  Real h(start = 1, fixed = true);\n  Real v(fixed = true);\n"
    "  Boolean flying(start = true, fixed = true);\n  Integer n(start = 0, fixed = true);\n"
    "equation\n  der(h) = v;\n  der(v) = if flying then -9.81 else 0;\n"
    "  when {h <= 0 and v <= 0, h <= 0} then\n    n = pre(n) + 1;\n"
    "    flying = -p*pre(v) > 1e-3;\n"
    "    reinit(v, if -p*pre(v) > 1e-3 then -p*pre(v) else 0);\n  end when;\nend Item;\n";

static const char DRAG[] =
    "model Item\n  parameter Real p;\n"
    "  Real h(start = 1, fixed = true);\n  Real v(start = 0, fixed = true);\n"
    "  Real top(start = 0);\n  Integer n(start = 0, fixed = true);\n"
    "equation\n  der(h) = v;\n  der(v) = -9.81 - 0.1*v*abs(v);\n"
    "  when h < 0 then\n    n = pre(n) + 1;\n    reinit(v, -p*pre(v));\n  end when;\n"
    "  when v < 0 then\n    top = pre(h);\n  end when;\nend Item;\n";

/* sampled control, a limiter, two instants of time */
static const char CONTROL[] =
    "model Item\n  parameter Real p;\n"
    "  Real x(start = 1, fixed = true);\n  discrete Real u(start = 0, fixed = true);\n"
    "  Real n(start = 0, fixed = true), limited, load;\n"
    "equation\n  load = if time > p then 1 else 0;\n"
    "  limited = if u > 0.5 then 0.5 else if u < -0.5 then -0.5 else u;\n"
    "  der(x) = -x + 3*limited + load;\n"
    "  when sample(0.1*p, 0.1*p) then\n    u = pre(u) - 0.4*(x - 0.2);\n    n = pre(n) + 1;\n"
    "  end when;\nend Item;\n";

/* a rectifier: its mode is part of the equations that decide it */
static const char DIODE[] =
    "model Item\n  parameter Real p;\n  parameter Real Ron = 1e-3, Goff = 1e-4;\n"
    "  Real s, u, i, source, q(start = 0, fixed = true);\n  Boolean off;\n"
    "equation\n  off = s < 0;\n  u = s*(if off then 1 else Ron);\n"
    "  i = s*(if off then Goff else 1);\n  source = 10*sin(6*p*time);\n"
    "  source = u + 2*i + q;\n  der(q) = i - 0.3*q;\nend Item;\n";

typedef struct Case {
    const char *name, *text;
    double stop;
    const char *paths[MAX_PATHS + 1];
} Case;

static const Case CASES[] = {{"ball", BALL, 2.5, {"h", "v", "n", "flying"}},
                             {"drag", DRAG, 1.6, {"h", "v", "n", "top"}},
                             {"control", CONTROL, 3, {"x", "u", "n", "limited"}},
                             {"diode", DIODE, 3, {"q", "i", "u", "off"}}};

/* ------------------------------------------------------------------ bits */

static void check_bits(const Case *c, LiederSolver solver)
{
    enum { STRIDE = 6 };
    LiederSimulateOptions o = fleet_options(solver, c->stop);
    Built b = build_fleet(c->text, -1);
    Tracks all = follow(&b, o, LANES, STRIDE, c->paths);
    if (all.status != LIEDER_DONE)
        lieder_diagnostic_print_all(b.session, stderr);
    assert_int_equal(all.status, LIEDER_DONE);
    assert_int_equal(all.statistics.lanes, LANES);
    printf("%s %s: %zu steps, %zu and %zu events\n", c->name, lieder_solver_name(solver),
           all.statistics.steps, all.statistics.state_events, all.statistics.time_events);
    assert_true(all.statistics.state_events + all.statistics.time_events > 3 * LANES);
    o.threads = 2;
    o.interval /= 7; /* other horizons */
    Tracks threads = follow(&b, o, LANES, STRIDE, c->paths);
    assert_memory_equal(threads.items[0].values[threads.items[0].n - 1],
                        all.items[0].values[all.items[0].n - 1], sizeof all.items[0].values[0]);
    assert_true(threads.statistics.steps == all.statistics.steps);
    tracks_drop(&threads);
    o = fleet_options(solver, c->stop);
    for (size_t i = 0; i < LANES; i += STRIDE)
        for (int own = 0; own < 2; own++) {
            Built one = build_fleet(c->text, (ptrdiff_t)i);
            o.clocks = own ? LIEDER_CLOCKS_OWN : LIEDER_CLOCKS_SHARED;
            Tracks alone = follow(&one, o, 1, 1, c->paths);
            assert_int_equal(alone.status, LIEDER_DONE);
            assert_same(&all.items[i / STRIDE], &alone.items[0], i);
            tracks_drop(&alone);
            drop(&one);
        }
    tracks_drop(&all);
    drop(&b);
}

static void test_bits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        check_bits(&CASES[i], LIEDER_RK45);
        check_bits(&CASES[i], LIEDER_RODAS4);
    }
}

/* ------------------------------------------------------------------ no option at all */

/* Van der Pol's oscillators from calm to stiff: those that are take their steps with rodas4, by
 * numbers of their own */
static const char OSCILLATOR[] =
    "model Item\n  parameter Real p;\n  Real x(start = 2, fixed = true), v(fixed = true);\n"
    "  Integer n(start = 0, fixed = true);\nequation\n  der(x) = v;\n"
    "  der(v) = 4000*(p - 0.59)^2*(1 - x^2)*v - x;\n"
    "  when x < 0 then\n    n = pre(n) + 1;\n  end when;\nend Item;\n";

static void test_auto(void **state)
{
    (void)state;
    static const char *const paths[] = {"x", "v", "n", NULL};
    LiederSimulateOptions o = fleet_options(LIEDER_SOLVER_AUTO, 60);
    Built b = build_fleet(OSCILLATOR, -1);
    Tracks all = follow(&b, o, LANES, 6, paths);
    assert_int_equal(all.status, LIEDER_DONE);
    printf("%zu lanes, %zu stiff, %zu steps\n", all.statistics.lanes, all.statistics.stiff_lanes,
           all.statistics.steps);
    assert_true(all.statistics.lanes == LANES && all.statistics.solver == LIEDER_RK45);
    assert_true(all.statistics.stiff_lanes > 5 && all.statistics.stiff_lanes < LANES);
    o.clocks = LIEDER_CLOCKS_OWN;
    for (size_t i = 0; i < LANES; i += 6) {
        Built one = build_fleet(OSCILLATOR, (ptrdiff_t)i);
        Tracks alone = follow(&one, o, 1, 1, paths);
        assert_same(&all.items[i / 6], &alone.items[0], i);
        tracks_drop(&alone);
        drop(&one);
    }
    o = fleet_options(LIEDER_RODAS4, 60);
    o.tolerance = 1e-9;
    Tracks fine = follow(&b, o, LANES, 6, paths);
    for (size_t i = 0; i < fine.n; i++) {
        const Track *k = &all.items[i], *f = &fine.items[i];
        for (size_t row = 0; row < k->n; row++)
            assert_true(fabs(k->values[row][0] - f->values[row][0]) < 2e-3);
        assert_true(k->values[k->n - 1][2] == f->values[f->n - 1][2]);
    }
    /* few keep one clock, and their rows at events */
    Built one = build_fleet(OSCILLATOR, 3);
    Tracks few = follow(&one, fleet_options(LIEDER_SOLVER_AUTO, 60), 1, 1, paths);
    assert_true(few.statistics.lanes == 0 && few.statistics.solver == LIEDER_BDF);
    tracks_drop(&few);
    drop(&one);
    tracks_drop(&fine);
    tracks_drop(&all);
    drop(&b);
}

/* ------------------------------------------------------------------ requests */

/* x = t; the lane with the smallest p ends the run of all */
static void test_terminate(void **state)
{
    (void)state;
    static const char text[] =
        "model Item\n  parameter Real p;\n  Real x(start = 0, fixed = true);\n"
        "  Integer ends(start = 0, fixed = true);\nequation\n  der(x) = 1;\n"
        "  when x > p then\n    terminate(\"far enough\");\n  end when;\n"
        "  when terminal() then\n    ends = pre(ends) + 1;\n  end when;\nend Item;\n";
    static const char *const paths[] = {"x", "ends", NULL};
    for (int threads = 1; threads < 3; threads++) {
        Built b = build_fleet(text, -1);
        LiederSimulateOptions o = fleet_options(LIEDER_RK45, 2);
        o.interval = 0.011;
        o.threads = threads;
        Tracks all = follow(&b, o, LANES, 1, paths);
        assert_int_equal(all.status, LIEDER_DONE);
        assert_true(all.statistics.terminated && all.statistics.lanes == LANES);
        assert_true(fabs(all.statistics.t - 0.6) < 1e-9);
        assert_int_equal(lieder_diagnostic_count(b.session), 1);
        const LiederDiagnostic *d = lieder_diagnostic_get(b.session, 0);
        assert_true(strstr(d->message, "far enough") && strcmp(d->path, "b[1]") == 0);
        for (size_t i = 0; i < LANES; i++) {
            const Track *k = &all.items[i];
            assert_int_equal(k->n, 56); /* 0 ... 54, and the end */
            assert_true(fabs(k->t[k->n - 1] - 0.6) < 1e-9);
            assert_true(fabs(k->values[k->n - 1][0] - 0.6) < 1e-9);
        }
        tracks_drop(&all);
        drop(&b);
    }
}

/* assertions: a warning is reported, an error ends its lane and names it */
static void test_assert(void **state)
{
    (void)state;
    static const char text[] =
        "model Item\n  parameter Real p;\n  Real x(start = 0, fixed = true);\n"
        "equation\n  der(x) = 1;\n"
        "  assert(x < p + 1.2, \"too far\");\n"
        "  assert(x < 0.3 + 1000*(p - 0.6), \"far\", AssertionLevel.warning);\nend Item;\n";
    static const char *const paths[] = {"x", NULL};
    Built b = build_fleet(text, -1);
    LiederSimulateOptions o = fleet_options(LIEDER_RK45, 2);
    o.step = 0.05;
    Tracks all = follow(&b, o, LANES, 1, paths);
    assert_int_equal(all.status, LIEDER_GAVE_UP);
    size_t failed = 0, errors = 0, warnings = 0;
    for (size_t i = 0; i < LANES; i++) {
        const Track *k = &all.items[i];
        double end = parameter_of(i) + 1.2;
        failed += end <= 2 - 1e-9;
        if (end < 1.9 || end > 2) /* else it may end with its last step */
            assert_true(isnan(k->values[k->n - 1][0]) == (end < 1.9));
    }
    for (size_t i = 0; i < lieder_diagnostic_count(b.session); i++) {
        const LiederDiagnostic *d = lieder_diagnostic_get(b.session, i);
        if (strstr(d->message, "other lanes"))
            continue;
        size_t lane = (size_t)atoi(d->path + 2) - 1;
        assert_true(strncmp(d->path, "b[", 2) == 0 && lane < LANES);
        errors += strstr(d->message, "too far") && parameter_of(lane) + 1.2 <= 2;
        warnings += strstr(d->message, "on: far") && lane == 0;
    }
    assert_true(failed > 5 && failed < LANES);
    assert_int_equal(all.statistics.failed_lanes, failed);
    assert_true(errors == 20 && failed > 20); /* and one says how many more there are */
    assert_int_equal(warnings, 1);
    tracks_drop(&all);
    drop(&b);
}

static void test_interval(void **state)
{
    (void)state;
    static const char text[] =
        "model Item\n  parameter Real p;\n  Real x(start = 0, fixed = true);\n"
        "equation\n  when sample(0, p - 0.7) then\n    x = pre(x) + 1;\n  end when;\nend Item;\n";
    static const char *const paths[] = {"x", NULL};
    Built b = build_fleet(text, -1);
    Tracks all = follow(&b, fleet_options(LIEDER_RK45, 2), LANES, 1, paths);
    assert_int_equal(all.status, LIEDER_GAVE_UP);
    for (size_t i = 0; i < lieder_diagnostic_count(b.session); i++) {
        const LiederDiagnostic *d = lieder_diagnostic_get(b.session, i);
        assert_non_null(strstr(d->message, "the interval of sample must be positive"));
        assert_true(parameter_of((size_t)atoi(d->path + 2) - 1) <= 0.7);
    }
    tracks_drop(&all);
    drop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits), cmocka_unit_test(test_auto), cmocka_unit_test(test_terminate),
        cmocka_unit_test(test_assert), cmocka_unit_test(test_interval)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
