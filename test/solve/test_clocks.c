/* test_clocks.c - lanes with clocks of their own: the bits of one alone for any fleet, number of
 * threads, instruction set and rows; impacts by closed forms; lanes that fail alone; stiff fleets
 * against published values. */
#include "solve/hybrid.h"

#include <lieder/load.h>

/* x'' = mu (1 - x^2) x' - x */
typedef struct Vdp {
    real mu;
    real x, v, dx, dv;
} Vdp;

static inline void vdp_explicit(Vdp *c, Signal *y, Call call)
{
    (void)call;
    c->dx = c->v;
    c->dv = c->mu * (1.0 - c->x * c->x) * c->v - c->x;
    y->y = c->x;
}

#define CLASS    Vdp
#define PORTS(X) X(0, OUT, Signal)
#define EXPLICIT vdp_explicit
#include <lieder/kernels.inc>

static const LiederMember vdp_members[] = {
    PARAMETER(Vdp, mu, "", 5, ANY, ""), STATE(Vdp, x, dx, "", 2, ""), STATE(Vdp, v, dv, "", 0, "")};
static const LiederClassDef vdp_class = {.name = "Vdp",
                                         .text = "Van der Pol's oscillator",
                                         .nport = 1,
                                         .ports = ball_ports,
                                         .nmember = LIEDER_COUNT(vdp_members),
                                         .members = vdp_members,
                                         .kernels = &Vdp_kernels};

/* x' = a x^2 ends at t = 1 / (a x0); and it jumps: x' = x^2 a + (t >= at) */
typedef struct Burst {
    real a, at;
    real x, dx;
} Burst;

static inline void burst_explicit(Burst *c, Signal *y, Call call)
{
    c->dx = c->a * c->x * c->x + choose((mask)(call.event_time >= c->at), 1.0, 0.0);
    y->y = c->x;
}

static double burst_next(const double *p, const LiederTable *table, double t)
{
    (void)table;
    return p[1] > t ? p[1] : INFINITY;
}

#define CLASS    Burst
#define PORTS(X) X(0, OUT, Signal)
#define EXPLICIT burst_explicit
#include <lieder/kernels.inc>

static const LiederMember burst_members[] = {PARAMETER(Burst, a, "", 0, ANY, ""),
                                             PARAMETER(Burst, at, "s", 1e9, ANY, ""),
                                             STATE(Burst, x, dx, "", 1, "")};
static const LiederClassDef burst_class = {.name = "Burst",
                                           .text = "Grows without limit",
                                           .nport = 1,
                                           .ports = ball_ports,
                                           .nmember = LIEDER_COUNT(burst_members),
                                           .members = burst_members,
                                           .uses_time = true,
                                           .next_time = burst_next,
                                           .kernels = &Burst_kernels};

/* ------------------------------------------------------------------ fleets */

static Lieder *fleet_session(void)
{
    Lieder *session = lieder_create(NULL);
    const LiederClassDef *classes[] = {&ball_class, &elastic_class, &vdp_class, &burst_class};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(lieder_class_register(session, classes[i]), LIEDER_DONE);
    return session;
}

/* lane i of n differs from the others; `only`: that lane alone */
static double spread(size_t i, size_t n, double low, double high)
{
    return low + (high - low) * (double)(i * 7919 % n) / (double)n;
}

typedef struct Fleet {
    const char *class_, *parameter;
    double low, high, stop;
} Fleet;

static const Fleet BALLS = {"Ball", "e", 0.75, 0.85, 3.9}, DRAG = {"Ball", "beta", 0, 0.5, 3.9},
                   SOFT = {"ElasticBall", "d", 100, 900, 3}, VDP = {"Vdp", "mu", 3, 7, 20};

static LiederSystem *fleet_create(Lieder *session, const Fleet *f, size_t n, ptrdiff_t only)
{
    char name[64], path[64];
    static int count;
    snprintf(name, sizeof name, "Fleet%d", count++);
    snprintf(path, sizeof path, "m.%s", f->parameter);
    LiederModel *m = lieder_model_create(session, name, "");
    size_t lanes = only < 0 ? n : 1;
    lieder_model_add_array(m, "m", f->class_, lanes);
    double *each = malloc(lanes * sizeof *each);
    for (size_t i = 0; i < lanes; i++)
        each[i] = spread(only < 0 ? i : (size_t)only, n, f->low, f->high);
    lieder_model_set_each(m, path, each, lanes);
    free(each);
    LiederSystem *system = lieder_system_create(session, name, NULL);
    if (!system)
        lieder_diagnostic_print_all(session, stderr);
    assert_non_null(system);
    return system;
}

static LiederSimulateOptions fleet_options(const Fleet *f, LiederSolver solver)
{
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.solver = solver;
    o.tolerance = 1e-7;
    o.stop = f->stop;
    o.interval = f->stop / 21;
    o.chatter = LIEDER_CHATTER_HOLD;
    return o;
}

/* rows of lane `lane` in a fleet of n are those of `one`, bit for bit */
static void assert_lane(const Rows *fleet, size_t lane, const Rows *one)
{
    size_t n = fleet->nstate / one->nstate, at = 0;
    for (size_t i = 0; i < one->n; i++) {
        if (one->kind[i] != LIEDER_ROW)
            continue;
        assert_true(at < fleet->n && fleet->t[at] == one->t[i]);
        for (size_t s = 0; s < one->nstate; s++) {
            double a = fleet->x[at * fleet->nstate + s * n + lane], b = one->x[i * one->nstate + s];
            if (memcmp(&a, &b, sizeof a) != 0)
                fail_msg("lane %zu row %zu state %zu: %.17g is not %.17g", lane, at, s, a, b);
        }
        at++;
    }
    assert_int_equal(at, fleet->n);
}

/* ------------------------------------------------------------------ bits */

static void check_bits(const Fleet *f, LiederSolver solver)
{
    enum { N = 150 };
    Lieder *session = fleet_session();
    LiederSystem *system = fleet_create(session, f, N, -1);
    LiederSimulateOptions o = fleet_options(f, solver);
    LiederStatistics s, one;
    Rows rows = {0}, alone = {0};
    size_t steps = 0, events = 0, most = 0;
    assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE);
    assert_true(s.lanes == N && s.failed_lanes == 0);
    for (size_t i = 0; i < N; i += 7) {
        LiederSystem *single = fleet_create(session, f, N, (ptrdiff_t)i);
        for (int own = 0; own < 2; own++) { /* one clock for one lane has the same bits */
            o.clocks = own ? LIEDER_CLOCKS_OWN : LIEDER_CLOCKS_SHARED;
            assert_int_equal(run_rows(single, o, &alone, &one), LIEDER_DONE);
            assert_lane(&rows, i, &alone);
            rows_drop(&alone);
        }
        steps += one.steps;
        events += one.state_events;
        most = one.steps > most ? one.steps : most;
        lieder_system_destroy(single);
    }
    printf("%s %s: %zu steps, %zu events of %d lanes, at most %zu of a lane\n", f->class_,
           lieder_solver_name(solver), s.steps, s.state_events, N, s.most_steps);
    assert_true(most <= s.most_steps && steps <= s.steps && events <= s.state_events);
    rows_drop(&rows);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

static void lanes_have_the_bits_of_one(void **unused)
{
    (void)unused;
    const Fleet *fleets[] = {&BALLS, &DRAG, &SOFT, &VDP};
    for (size_t i = 0; i < 4; i++) {
        check_bits(fleets[i], LIEDER_RK45);
        check_bits(fleets[i], LIEDER_RODAS4);
    }
}

/* threads, and rows in between */
static void bits_do_not_depend_on_company(void **unused)
{
    (void)unused;
    enum { N = 300 };
    const Fleet *fleets[] = {&DRAG, &VDP};
    for (int k = 0; k < 4; k++) {
        const Fleet *f = fleets[k / 2];
        LiederSimulateOptions o = fleet_options(f, k % 2 ? LIEDER_RODAS4 : LIEDER_RK45);
        Lieder *session = fleet_session();
        LiederSystem *system = fleet_create(session, f, N, -1);
        Rows rows = {0}, other = {0};
        LiederStatistics a, b;
        assert_int_equal(run_rows(system, o, &rows, &a), LIEDER_DONE);
        for (int threads = 2; threads < 4; threads++) {
            o.threads = threads;
            assert_int_equal(run_rows(system, o, &other, &b), LIEDER_DONE);
            assert_true(a.steps == b.steps && a.state_events == b.state_events);
            assert_memory_equal(rows.x, other.x, rows.n * rows.nstate * sizeof(double));
            rows_drop(&other);
        }
        o.threads = 0;
        /* many rows: many horizons */
        o.interval /= 32;
        assert_int_equal(run_rows(system, o, &other, &b), LIEDER_DONE);
        assert_true(a.steps == b.steps && other.n == 32 * (rows.n - 1) + 1);
        assert_memory_equal(last_row(&rows), last_row(&other), rows.nstate * sizeof(double));
        rows_drop(&other);
        o.interval *= 32;
        rows_drop(&rows);
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
}

/* kernels of the library, which has them for all instruction sets */
static void bits_do_not_depend_on_instructions(void **unused)
{
    (void)unused;
    static const LiederIsa isas[] = {LIEDER_ISA_AUTO, LIEDER_ISA_SCALAR, LIEDER_ISA_SSE2};
    Rows rows[3] = {0};
    for (int stiff = 0; stiff < 2; stiff++) {
        for (int i = 0; i < 3; i++) {
            Lieder *session = lieder_create(NULL);
            build_crabs(session, "Crabs", 20, 1e-2);
            LiederSystemOptions options = lieder_system_defaults();
            options.isa = isas[i];
            LiederSystem *system = lieder_system_create(session, "Crabs", &options);
            assert_non_null(system);
            LiederSimulateOptions o = lieder_simulate_defaults();
            LiederStatistics s;
            o.solver = stiff ? LIEDER_RODAS4 : LIEDER_RK45;
            assert_int_equal(run_rows(system, o, &rows[i], &s), LIEDER_DONE);
            assert_true(s.lanes == 20 && rows[i].n == rows[0].n);
            assert_memory_equal(rows[i].x, rows[0].x, rows[0].n * rows[0].nstate * sizeof(double));
            lieder_system_destroy(system);
            lieder_destroy(session);
        }
        for (int i = 0; i < 3; i++)
            rows_drop(&rows[i]);
    }
}

/* ------------------------------------------------------------------ impacts */

typedef struct Impacts2 {
    size_t n, lanes, wrong;
    double worst;
    size_t *count;
} Impacts2;

/* impacts of a ball without drag are at t1 (1 + 2 e (1 - e^m) / (1 - e)) */
static bool on_impact(void *user, const LiederLane *lane, double t, const double *x, LiederRow kind)
{
    Impacts2 *i = user;
    double e = spread(lane->number, i->lanes, BALLS.low, BALLS.high), t1 = sqrt(2 * 10 / 9.81);
    i->wrong += lane->nstate != 2 || lane->stride != i->lanes || lane->first_state != lane->number;
    if (kind == LIEDER_ROW_AFTER_EVENT) {
        i->wrong += x[0] < 0;
        return true;
    }
    size_t m = i->count[lane->number];
    if (x[1] >= 0 || m > 5) /* on its way up again, or close to rest */
        return true;
    i->count[lane->number]++;
    i->n++;
    i->worst = fmax(i->worst, fabs(t - t1 * (1 + 2 * e * (1 - pow(e, (double)m)) / (1 - e))));
    return true;
}

static void impacts_are_where_they_should_be(void **unused)
{
    (void)unused;
    enum { N = 100 };
    size_t count[N] = {0};
    Lieder *session = fleet_session();
    LiederSystem *system = fleet_create(session, &BALLS, N, -1);
    for (int stiff = 0; stiff < 2; stiff++) {
        Impacts2 impacts = {.lanes = N, .count = count};
        LiederSimulateOptions o = fleet_options(&BALLS, stiff ? LIEDER_RODAS4 : LIEDER_RK45);
        memset(count, 0, sizeof count);
        o.stop = 8;
        o.threads = 2;
        o.lane_event = on_impact;
        o.user = &impacts;
        assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_DONE);
        printf("%zu impacts, worst time %.2g s off\n", impacts.n, impacts.worst);
        assert_true(impacts.wrong == 0 && impacts.n > 4 * N && impacts.worst < 1e-8);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ lanes that fail, time events
 */

static void a_lane_fails_alone(void **unused)
{
    (void)unused;
    enum { N = 40 };
    Lieder *session = fleet_session();
    LiederModel *m = lieder_model_create(session, "Bursts", "");
    double a[N] = {0}, at[N];
    lieder_model_add_array(m, "m", "Burst", N);
    for (size_t i = 0; i < N; i++)
        at[i] = 0.1 + 0.05 * (double)i;
    a[17] = 1; /* x = 1 / (1 - t) */
    lieder_model_set_each(m, "m.a", a, N);
    at[17] = 1e9;
    lieder_model_set_each(m, "m.at", at, N);
    LiederSystem *system = system_new(session, "Bursts");
    LiederSimulateOptions o = lieder_simulate_defaults();
    LiederStatistics s;
    Rows rows = {0};
    o.solver = LIEDER_RK45;
    o.stop = 3;
    o.interval = 0.25;
    lieder_diagnostic_clear(session);
    LiederStatus status = run_rows(system, o, &rows, &s);
    assert_true(status < 0);
    assert_true(s.failed_lanes == 1 && s.lanes == N && s.time_events == N - 1);
    assert_said(session, "m[18]", "gives up at t = ");
    assert_int_equal(rows.n, 13);
    for (size_t r = 0; r < rows.n; r++)
        for (size_t i = 0; i < N; i++) {
            double x = rows.x[r * N + i], t = rows.t[r];
            if (i == 17 && t < 1)
                assert_true(fabs(x - 1 / (1 - t)) < 1e-5 * x * x);
            else if (i == 17) /* at its end it may be any large number */
                assert_true(isnan(x) || (t == 1 && x > 1e6));
            else
                assert_true(fabs(x - 1 - fmax(t - at[i], 0)) < 1e-12);
        }
    rows_drop(&rows);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ accuracy */

/* x = 2, v = 0 is not the start of the published case, which is y = (2, -0.66) in a time that is
 * mu times slower */
static void stiff_oscillators(void **unused)
{
    (void)unused;
    Lieder *session = fleet_session();
    LiederModel *m = lieder_model_create(session, "Stiff", "");
    double mu[] = {1000, 600, 1400};
    lieder_model_add_array(m, "m", "Vdp", 3);
    lieder_model_set_each(m, "m.mu", mu, 3);
    LiederSystem *system = system_new(session, "Stiff");
    /* Mazzia, Magherini: Test Set for Initial Value Problem Solvers, VDPOL */
    double x0[] = {2, 2, 2, -0.66e-3, 0, 0};
    LiederSimulateOptions o = lieder_simulate_defaults();
    LiederStatistics s;
    Rows rows = {0}, bdf = {0};
    o.solver = LIEDER_RODAS4;
    o.stop = 2000;
    o.x0 = x0;
    o.tolerance = 1e-7;
    o.interval = 100;
    assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE);
    double x = last_row(&rows)[0], v = last_row(&rows)[3];
    printf("x = %.12f, v = %.12f, %zu steps of three lanes, %zu rejected\n", x, 1e3 * v, s.steps,
           s.rejected);
    assert_true(fabs(x - 1.706167732170469) < 1e-6 && fabs(1e3 * v + 0.8928097010248125) < 1e-6);
    assert_true(s.steps < 15000 && s.lanes == 3);
    /* and the others as bdf has them */
    o.solver = LIEDER_BDF;
    o.tolerance = 1e-9;
    assert_int_equal(run_rows(system, o, &bdf, NULL), LIEDER_DONE);
    for (size_t i = 0; i < 6; i++)
        assert_true(fabs(last_row(&rows)[i] - last_row(&bdf)[i]) < 1e-5);
    rows_drop(&rows);
    rows_drop(&bdf);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* rows inside long steps are right: the order of the curve between the ends */
static void rows_between_steps(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    build_oscillator(session, "O", 1, 1, 0, 0, 1, 0);
    LiederSystem *system = system_new(session, "O");
    static const struct {
        LiederSolver solver;
        double order;
    } cases[] = {{LIEDER_RK45, 5}, {LIEDER_RODAS4, 4}};
    for (int k = 0; k < 2; k++) {
        double error[2], steps[2];
        for (int i = 0; i < 2; i++) {
            LiederSimulateOptions o = lieder_simulate_defaults();
            LiederStatistics s;
            Rows rows = {0};
            o.solver = cases[k].solver;
            o.tolerance = i ? 1e-7 : 1e-4;
            o.stop = 10;
            o.interval = 0.01;
            assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE);
            error[i] = 0;
            for (size_t r = 0; r < rows.n; r++)
                error[i] = fmax(error[i], fabs(rows.x[2 * r] - cos(rows.t[r])));
            steps[i] = (double)s.steps;
            rows_drop(&rows);
        }
        double seen = log(error[0] / error[1]) / log(steps[1] / steps[0]);
        printf("%s: rows wrong by %.2g, %.2g, order %.2f\n", lieder_solver_name(cases[k].solver),
               error[0], error[1], seen);
        assert_true(fabs(seen - cases[k].order) < 0.5);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ options */

static void options_are_checked(void **unused)
{
    (void)unused;
    Lieder *session = fleet_session();
    LiederSystem *system = fleet_create(session, &VDP, 3, -1);
    LiederSimulateOptions o = fleet_options(&VDP, LIEDER_BDF);
    LiederStatistics s;
    o.clocks = LIEDER_CLOCKS_OWN;
    assert_int_equal(lieder_simulate(system, &o, &s), LIEDER_BAD_USE);
    assert_said(session, NULL, "this solver has one clock");
    o.solver = LIEDER_SOLVER_AUTO;
    assert_int_equal(lieder_simulate(system, &o, &s), LIEDER_DONE);
    assert_true(s.solver == LIEDER_RK45 && s.lanes == 3);
    o.clocks = LIEDER_CLOCKS_SHARED;
    o.solver = LIEDER_RK45;
    assert_int_equal(lieder_simulate(system, &o, &s), LIEDER_DONE);
    assert_true(s.lanes == 0);
    LiederClocks clocks;
    assert_true(lieder_clocks_find("own", &clocks) && clocks == LIEDER_CLOCKS_OWN);
    assert_false(lieder_clocks_find("none", &clocks));
    assert_string_equal(lieder_clocks_names(), "auto, shared, own");
    lieder_system_destroy(system);
    lieder_destroy(session);
}

static bool never(void *user, double t, const LiederStatistics *s)
{
    (void)t;
    (void)s;
    ++*(int *)user;
    return false;
}

/* lanes that need 1e10 steps to their next row: the program that asks to stop is heard on the way
 */
static void long_ways_to_a_row_are_given_up(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    assert_int_equal(lieder_load_text(session, "stiff.mo",
                                      "model Stiff\n  model One\n    Real x(start = 1);\n"
                                      "  equation\n    der(x) = -1e10*(x - sin(time));\n"
                                      "  end One;\n  One one[4];\nend Stiff;\n"),
                     LIEDER_DONE);
    LiederSystem *system = lieder_system_load(session, "Stiff", NULL, 0, NULL, NULL);
    assert_non_null(system);
    for (int threads = 1; threads <= 2; threads++) {
        LiederSimulateOptions o = lieder_simulate_defaults();
        LiederStatistics s;
        int asked = 0;
        o.solver = LIEDER_RK45;
        o.clocks = LIEDER_CLOCKS_OWN;
        o.stop = o.interval = 10;
        o.threads = threads;
        o.progress = never;
        o.user = &asked;
        assert_int_equal(lieder_simulate(system, &o, &s), LIEDER_STOPPED);
        assert_true(asked >= 1 && s.t == 0);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lanes_have_the_bits_of_one),
                                       cmocka_unit_test(bits_do_not_depend_on_company),
                                       cmocka_unit_test(bits_do_not_depend_on_instructions),
                                       cmocka_unit_test(impacts_are_where_they_should_be),
                                       cmocka_unit_test(a_lane_fails_alone),
                                       cmocka_unit_test(stiff_oscillators),
                                       cmocka_unit_test(rows_between_steps),
                                       cmocka_unit_test(long_ways_to_a_row_are_given_up),
                                       cmocka_unit_test(options_are_checked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
