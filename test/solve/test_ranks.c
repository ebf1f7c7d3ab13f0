/* Several ranks, here threads, share a model: states, rows, events, failures and state files have
 * the bits of one process, however the lanes are split. Nets are cut: there it is 1e-10. */
#define _GNU_SOURCE /* for ranks_stay_here */
#include "solve/help.h"

#include <lieder/load.h>
#include <lieder/variables.h>
#include <unistd.h>

#include "help/ranks.h"
#include "help/full.h"

enum { MAX_STATES = 4000, MAX_ROWS = 64 };

/* a run, and what is left of it by states of the whole model */
typedef struct Shared {
    const char *text;
    LiederSimulateOptions options;
    LiederSystem *reference; /* alone: where a state stands in x */
    double *x;               /* MAX_ROWS rows of the states of the whole model */
    int nerror, nwarning, nowner[MAX_STATES];
    size_t nrow;
    char message[400], path[200];
    LiederStatus status;
    LiederStatistics statistics;
    size_t bytes;       /* of the largest system */
    size_t most_states; /* of a rank */
    size_t apart;       /* numbers of a halo that its owner has otherwise */
    pthread_mutex_t mutex;
} Shared;

typedef struct Rank {
    Shared *shared;
    const LiederRanks *ranks;
    LiederSystem *system;
    size_t *place; /* of own states in the whole */
    size_t nrow;
    bool stops;
} Rank;

static bool keep_row(void *user, double t, const double *x, LiederRow kind)
{
    Rank *r = user;
    (void)t;
    (void)kind;
    size_t n = lieder_system_state_count(r->system),
           all = lieder_system_state_count(r->shared->reference);
    pthread_mutex_lock(&r->shared->mutex);
    for (size_t i = 0; i < n && r->nrow < MAX_ROWS; i++) {
        double *to = &r->shared->x[r->nrow * all + r->place[i]];
        r->shared->apart += !isnan(*to) && *to != x[i];
        *to = x[i];
    }
    pthread_mutex_unlock(&r->shared->mutex);
    r->nrow++;
    return true;
}

static void keep_diagnostics(Shared *s, Lieder *session)
{
    for (size_t i = 0; i < lieder_diagnostic_count(session); i++) {
        const LiederDiagnostic *d = lieder_diagnostic_get(session, i);
        s->nwarning += d->severity == LIEDER_WARNING;
        if (d->severity != LIEDER_ERROR)
            continue;
        s->nerror++;
        snprintf(s->message, sizeof s->message, "%s", d->message);
        snprintf(s->path, sizeof s->path, "%s", d->path ? d->path : "");
    }
}

static LiederSystem *load_text(Lieder *session, const char *text, const LiederRanks *ranks)
{
    LiederSystemOptions o = lieder_system_defaults();
    o.ranks = ranks;
    LiederSystem *system = NULL;
    if (lieder_load_text(session, "test.mo", text) == LIEDER_DONE)
        system = lieder_system_load(session, "Fleet", NULL, 0, &o, NULL);
    if (!system)
        lieder_diagnostic_print_all(session, stderr);
    return system;
}

static void *run_rank(void *user)
{
    Rank *r = user;
    Shared *s = r->shared;
    Lieder *session = lieder_create(NULL);
    r->system = load_text(session, s->text, r->ranks);
    if (!r->system)
        abort();
    size_t n = lieder_system_state_count(r->system);
    r->place = calloc(n + 1, sizeof *r->place);
    pthread_mutex_lock(&s->mutex);
    for (size_t i = 0; i < n; i++) {
        char name[600];
        lieder_system_state_name(r->system, i, name, sizeof name);
        ptrdiff_t at = lieder_system_state_index(s->reference, name);
        if (at < 0)
            abort();
        r->place[i] = (size_t)at;
        s->nowner[at]++;
    }
    pthread_mutex_unlock(&s->mutex);
    LiederSimulateOptions o = s->options;
    LiederStatistics statistics;
    o.output = keep_row;
    o.user = r;
    LiederStatus status = lieder_simulate(r->system, &o, &statistics);
    pthread_mutex_lock(&s->mutex);
    keep_diagnostics(s, session);
    if (r->ranks && r->ranks->rank > 0) {
        /* all ranks tell the same */
        if (status != s->status && s->nrow)
            abort();
    }
    s->status = status;
    s->nrow = r->nrow;
    s->statistics = statistics;
    s->most_states = n > s->most_states ? n : s->most_states;
    if (lieder_system_info(r->system).bytes > s->bytes)
        s->bytes = lieder_system_info(r->system).bytes;
    pthread_mutex_unlock(&s->mutex);
    lieder_system_destroy(r->system);
    lieder_destroy(session);
    free(r->place);
    return NULL;
}

/* the text on so many ranks */
static Shared run_on(int count, const char *text, LiederSimulateOptions options)
{
    Shared s = {.text = text, .options = options};
    Lieder *session = lieder_create(NULL);
    pthread_mutex_init(&s.mutex, NULL);
    s.reference = load_text(session, text, NULL);
    assert_non_null(s.reference);
    size_t n = lieder_system_state_count(s.reference);
    assert_true(n <= MAX_STATES);
    s.x = calloc(MAX_ROWS * n + 1, sizeof *s.x);
    for (size_t i = 0; i < MAX_ROWS * n; i++)
        s.x[i] = NAN;
    ThreadRanks *all = ranks_create(count);
    Rank ranks[MAX_RANKS];
    pthread_t threads[MAX_RANKS];
    for (int r = 0; r < count; r++) {
        ranks[r] = (Rank){.shared = &s, .ranks = &all->ranks[r]};
        assert_int_equal(pthread_create(&threads[r], NULL, run_rank, &ranks[r]), 0);
    }
    for (int r = 0; r < count; r++)
        pthread_join(threads[r], NULL);
    for (size_t i = 0; i < n; i++) /* those of a halo have several */
        assert_true(s.nowner[i] == 1 || (s.nowner[i] > 1 && strstr(text, "is a net")));
    assert_int_equal(s.apart, 0);
    ranks_destroy(all);
    lieder_system_destroy(s.reference);
    lieder_destroy(session);
    s.reference = NULL;
    pthread_mutex_destroy(&s.mutex);
    s.bytes = n; /* numbers in a row, from here on */
    return s;
}

static void assert_same(const Shared *a, const Shared *b)
{
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->nrow, b->nrow);
    assert_int_equal(a->nerror, b->nerror);
    assert_string_equal(a->message, b->message);
    assert_string_equal(a->path, b->path);
    assert_int_equal(a->statistics.steps, b->statistics.steps);
    assert_int_equal(a->statistics.rejected, b->statistics.rejected);
    assert_int_equal(a->statistics.state_events, b->statistics.state_events);
    assert_int_equal(a->statistics.time_events, b->statistics.time_events);
    assert_int_equal(a->statistics.failed_lanes, b->statistics.failed_lanes);
    assert_int_equal(a->statistics.stiff_lanes, b->statistics.stiff_lanes);
    assert_true(a->statistics.t == b->statistics.t);
    size_t nrow = a->nrow < MAX_ROWS ? a->nrow : MAX_ROWS;
    assert_memory_equal(a->x, b->x, nrow * a->bytes * sizeof(double));
}

/* the same on 1 ... 5 ranks, in brief on 1, 2 and 5; returns the run of one */
static Shared same_on_all(const char *text, LiederSimulateOptions options)
{
    Shared one = run_on(1, text, options);
    for (int count = 2; count <= 5; count += IN_FULL(1, 3)) {
        Shared s = run_on(count, text, options);
        assert_same(&s, &one);
        free(s.x);
    }
    return one;
}

static LiederSimulateOptions options_of(LiederSolver solver, double stop, double step)
{
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.solver = solver;
    o.stop = stop;
    o.step = step;
    o.interval = stop / 10;
    o.clocks = LIEDER_CLOCKS_SHARED;
    return o;
}

/* ------------------------------------------------------------------ models */

static const char fleet[] =
    "model Fleet inner Dialectic.World world;\n"
    "  Dialectic.Examples.CraneCrab crab[37](cart(m = {1 + 0.1*mod(i, 10) for i in 1:37}),\n"
    "    revolute(phi(start = {0.02*i for i in 1:37})));\n"
    "end Fleet;\n";

/* shapes of several kinds, one of them without lanes on most ranks */
static const char mixed[] =
    "model Oscillator parameter Real w = 1; Real x(start = 1), v(start = 0);\n"
    "equation der(x) = v; der(v) = -w*w*x; end Oscillator;\n"
    "model Fleet inner Dialectic.World world;\n"
    "  Dialectic.Examples.CraneCrab one, other(cart(m = 3));\n"
    "  Dialectic.Examples.CraneCrab crab[3, 2](cart(m = {{1, 2}, {3, 4}, {5, 6}}));\n"
    "  Dialectic.Examples.SpringMass mass[5](spring(c = {10, 20, 30, 40, 50}));\n"
    "end Fleet;\n";

static const char few[] = "model Fleet inner Dialectic.World world;\n"
                          "  Dialectic.Examples.CraneCrab crab[2](cart(m = {1, 2}));\n"
                          "end Fleet;\n";

/* ------------------------------------------------------------------ tests */

static void test_fixed_steps(void **state)
{
    (void)state;
    Shared s = same_on_all(fleet, options_of(LIEDER_RK4, IN_FULL(0.5, 0.1), 1e-3));
    assert_int_equal(s.status, LIEDER_DONE);
    assert_int_equal(s.nrow, 11);
    free(s.x);
    s = same_on_all(fleet, options_of(LIEDER_EULER_BACKWARD, IN_FULL(0.1, 0.05), 1e-2));
    assert_int_equal(s.status, LIEDER_DONE);
    free(s.x);
}

static void test_adaptive_steps(void **state)
{
    (void)state;
    Shared s = same_on_all(fleet, options_of(LIEDER_BDF, IN_FULL(0.5, 0.1), 0));
    assert_int_equal(s.status, LIEDER_DONE);
    assert_true(s.statistics.steps > 20);
    free(s.x);
    s = same_on_all(fleet, options_of(LIEDER_ESDIRK23, IN_FULL(0.2, 0.02), 0));
    assert_int_equal(s.status, LIEDER_DONE);
    free(s.x);
}

static void test_more_ranks_than_lanes(void **state)
{
    (void)state;
    const LiederSolver solvers[] = {LIEDER_RK3, LIEDER_BDF, LIEDER_EULER_BACKWARD, LIEDER_RK45,
                                    LIEDER_RODAS4};
    for (int i = 0; i < 5; i++) {
        Shared s = same_on_all(
            few, options_of(solvers[i], 0.1, lieder_solver_info(solvers[i])->adaptive ? 0 : 1e-3));
        assert_int_equal(s.status, LIEDER_DONE);
        free(s.x);
    }
}

static void test_mixed_shapes(void **state)
{
    (void)state;
    Shared s = same_on_all(mixed, options_of(LIEDER_RK4, 0.2, 1e-3));
    assert_int_equal(s.status, LIEDER_DONE);
    free(s.x);
    s = same_on_all(mixed, options_of(LIEDER_BDF, 0.2, 0));
    assert_int_equal(s.status, LIEDER_DONE);
    free(s.x);
}

/* lanes of a shape that is solved as a sparse system: a winch answers in the plane and about an
 * axis
 */
static void test_sparse_lanes(void **state)
{
    (void)state;
    static const char winches[] =
        "model Winch Dialectic.Planar.Frame frame; Dialectic.Rotational.Flange flange;\n"
        "  Real f = 1e4*(frame.y + 1 + 0.1*flange.phi) + 50*(der(frame.y) + 0.1*der(flange.phi));\n"
        "equation\n"
        "  {frame.fx_el, frame.fy_el, frame.t_el} = {0, f, 0};\n"
        "  {frame.fx_ki, frame.fy_ki, frame.t_ki} = zeros(3);\n"
        "  flange.tau_el = 0.1*f; flange.tau_ki = 0;\n"
        "end Winch;\n"
        "model Lift Dialectic.Planar.Fixed fixed;\n"
        "  Dialectic.Planar.Prismatic prismatic(r = {0, 1}, s(start = -1));\n"
        "  Dialectic.Planar.Body load(m = 3); Dialectic.Rotational.Fixed base;\n"
        "  Dialectic.Rotational.Joint shaft; Dialectic.Rotational.Inertia drum(J = 0.05);\n"
        "  Winch winch;\n"
        "equation\n"
        "  connect(fixed.frame, prismatic.frame_a); connect(prismatic.frame_b, load.frame_a);\n"
        "  connect(base.flange_b, shaft.flange_a); connect(shaft.flange_b, drum.flange_a);\n"
        "  connect(prismatic.frame_b, winch.frame); connect(shaft.flange_b, winch.flange);\n"
        "end Lift;\n"
        "model Fleet inner Dialectic.World world(TD = 1e-3);\n"
        "  Lift lift[7](load(m = {1, 2, 3, 4, 5, 6, 7}));\n"
        "end Fleet;\n";
    ThreadRanks *all = ranks_create(3);
    Lieder *session = lieder_create(NULL);
    LiederSystem *system = load_text(session, winches, &all->ranks[1]);
    assert_non_null(system);
    LiederSystemInfo info = lieder_system_info(system);
    assert_true(info.nstate > 0 && 2 * info.nstate < info.all_states); /* a part of them */
    lieder_system_destroy(system);
    lieder_destroy(session);
    ranks_destroy(all);
    Shared s = same_on_all(winches, options_of(LIEDER_RK4, 0.1, 1e-4));
    assert_int_equal(s.status, LIEDER_DONE);
    free(s.x);
    s = same_on_all(winches, options_of(LIEDER_BDF, 0.1, 0));
    assert_int_equal(s.status, LIEDER_DONE);
    free(s.x);
}

/* the text of a model, and a fleet of it */
static char *fleet_of(const char *file, const char *fleet_text)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", SOURCE_DIR, file);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    char *text = calloc(1, 20000);
    size_t n = fread(text, 1, 15000, f);
    fclose(f);
    snprintf(text + n, 20000 - n, "%s", fleet_text);
    return text;
}

/* an event of any lane is one of the run: contacts, threads that break, friction, diodes; several
 * solvers locate them, fixed steps handle them at their boundaries */
static void test_events(void **state)
{
    (void)state;
    static const struct {
        const char *file, *fleet;
        LiederSolver solver;
        double stop, step;
    } cases[] = {
        {"models/papers/phenomena/hard_contact.mo",
         "model Fleet HardContact x[7](flight(y(start = {0.11 + 0.005*i for i in 1:7})), c = "
         "fill(1e5, 7));"
         "end Fleet;",
         LIEDER_BDF, 0.12, 0},
        {"models/papers/phenomena/breaking_thread.mo",
         "model Fleet BreakingThread x[7](strength = {15 + 2*i for i in 1:7}); end Fleet;",
         LIEDER_BDF, 0.7, 0},
        {"models/papers/phenomena/breaking_thread.mo",
         "model Fleet BreakingThread x[7](strength = {15 + 2*i for i in 1:7}); end Fleet;",
         LIEDER_RK4, 0.7, 2e-4},
        {"models/papers/phenomena/stick_slip.mo",
         "model Fleet StickSlip x[5](v0 = {0.05*i for i in 1:5}); end Fleet;", LIEDER_ESDIRK23, 0.3,
         0},
        {"models/circuit.mo",
         "model Fleet Circuit x[6](Vforward = {0.1*i for i in 1:6}); end Fleet;", LIEDER_BDF, 1e-5,
         0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = fleet_of(cases[i].file, cases[i].fleet);
        Shared s = same_on_all(text, options_of(cases[i].solver, cases[i].stop, cases[i].step));
        assert_int_equal(s.status, LIEDER_DONE);
        if (s.statistics.state_events == 0)
            fail_msg("no event in case %zu", i);
        free(s.x);
        free(text);
    }
}

/* diodes that conduct and block again inside one step: all ranks look at the same points for them
 */
static void test_short_charges(void **state)
{
    (void)state;
    static const char text[] =
        "model Charger parameter Real load, last; Electrical.Ground G; Electrical.SineVoltage V[3]("
        "V = {100, 100, last}, each f = 50, phase = {0, 2.0943951, 4.1887902});"
        "Electrical.Resistor R[3](R = {0.05, 0.2, 0.5}); Electrical.IdealDiode D[3];"
        "Electrical.Resistor L(R = load); Electrical.Capacitor C(C = 1e-2);"
        "equation for k in 1:3 loop connect(V[k].n, G.p); connect(V[k].p, R[k].p);"
        "connect(R[k].n, D[k].p); connect(D[k].n, C.p); end for; connect(C.n, G.p);"
        "connect(L.p, C.p); connect(L.n, G.p); end Charger;"
        "model Fleet Charger x[4](load = {300, 300, 300, 301}, each last = 100);"
        "end Fleet;";
    static const LiederSolver solvers[] = {LIEDER_BDF, LIEDER_ESDIRK23};
    for (size_t i = 0; i < 2; i++) {
        LiederSimulateOptions o = options_of(solvers[i], 0.1, 0);
        o.tolerance = i == 0 ? 1e-5 : 1e-3;
        o.interval = o.stop; // steps as long as the tolerance lets them be
        Shared s = same_on_all(text, o);
        assert_int_equal(s.status, LIEDER_DONE);
        assert_true(s.statistics.state_events > 10);
        free(s.x);
    }
}

/* lanes with clocks of their own: events, stiff lanes that change the solver, a lane that ends the
 * run for all, one that fails alone */
static void test_own_clocks(void **state)
{
    (void)state;
    static const char balls[] =
        "model Ball parameter Real e = 0.8; Real h(start = 1, fixed = true), v(start = 0, fixed = "
        "true); Integer n(start = 0, fixed = true); equation der(h) = v; der(v) = -9.81; when h < "
        "0 "
        "then reinit(v, -e*pre(v)); n = pre(n) + 1; end when; end Ball;\n"
        "model Stiff parameter Real k = 1; Real x(start = 1, fixed = true); Boolean b; equation "
        "der(x) = -k*(x - cos(time)); b = x > 0.99; end Stiff;\n"
        "model Fleet Ball b[19](e = {0.5 + 0.02*i for i in 1:19}); Stiff s[3](k = {1e2, 1e4, "
        "1e6}); end Fleet;\n";
    static const char ends[] = "model End parameter Real T = 1; Real x(start = 0, fixed = true); "
                               "equation der(x) = 1; when "
                               "x > T then terminate(\"done\"); end when; end End;\n"
                               "model Fleet End e[5](T = {3, 2, 0.33, 1, 4}); end Fleet;\n";
    static const char breaks[] =
        "model Grows parameter Real a = 0; Real x(start = 1, fixed = true);\n"
        "equation der(x) = a*x*x; end Grows;\n"
        "model Fleet Grows g[9](a = {if i == 7 then 2.5 else 0.1 for i in 1:9}); end Fleet;\n";
    LiederSimulateOptions o = options_of(LIEDER_SOLVER_AUTO, 1, 0);
    o.clocks = LIEDER_CLOCKS_AUTO;
    Shared s = same_on_all(balls, o);
    assert_int_equal(s.status, LIEDER_DONE);
    assert_int_equal(s.statistics.lanes, 22);
    assert_true(s.statistics.stiff_lanes > 0 && s.statistics.state_events > 40);
    free(s.x);
    o.clocks = LIEDER_CLOCKS_OWN;
    for (o.solver = LIEDER_RK45; o.solver <= LIEDER_RODAS4; o.solver++) {
        const char *const texts[] = {few, ends, breaks};
        for (int i = 0; i < 3; i++) {
            s = same_on_all(texts[i], o);
            assert_true(i == 2 ? s.status < 0 : s.status == LIEDER_DONE);
            assert_true(i != 1 || fabs(s.statistics.t - 0.33) < 1e-3);
            assert_true(i != 2 || (s.statistics.failed_lanes == 1 && strstr(s.path, "g[7]")));
            free(s.x);
        }
    }
}

/* one lane breaks down: the run ends at the same step, and one rank says so */
static void test_failure(void **state)
{
    (void)state;
    static const char text[] =
        "model Grows parameter Real a = 0; Real x(start = 1);\n"
        "equation der(x) = a*x*x; end Grows;\n"
        "model Fleet Grows g[23](a = {if i == 17 then 2.5 else 0.1 for i in 1:23}); end Fleet;\n";
    Shared s = same_on_all(text, options_of(LIEDER_RK4, 2, 1e-2));
    assert_true(s.status < 0);
    assert_int_equal(s.nerror, 1);
    assert_non_null(strstr(s.path, "g[17]"));
    free(s.x);
    s = same_on_all(text, options_of(LIEDER_BDF, 2, 0));
    assert_true(s.status < 0);
    assert_non_null(strstr(s.path, "g[17]"));
    free(s.x);
}

/* a state file of two ranks goes on with three, and the other way round */
static void test_state_files(void **state)
{
    (void)state;
    const LiederSolver solvers[] = {LIEDER_RK4, LIEDER_BDF};
    for (int i = 0; i < 2; i++) {
        char file[64];
        snprintf(file, sizeof file, "/tmp/lieder_ranks_%d.state", (int)getpid());
        LiederSimulateOptions half = options_of(solvers[i], 0.2, i ? 0 : 1e-3), rest = half;
        half.checkpoint = file;
        rest.resume = file;
        rest.stop = 0.4;
        Shared whole[4];
        const int counts[4][2] = {{1, 1}, {2, 3}, {3, 1}, {1, 4}};
        for (int k = 0; k < 4; k++) {
            Shared first = run_on(counts[k][0], fleet, half);
            assert_int_equal(first.status, LIEDER_DONE);
            whole[k] = run_on(counts[k][1], fleet, rest);
            assert_int_equal(whole[k].status, LIEDER_DONE);
            assert_same(&whole[k], &whole[0]);
            free(first.x);
        }
        for (int k = 0; k < 4; k++)
            free(whole[k].x);
        unlink(file);
    }
}

/* lanes have delays of their own, what is delayed jumps; most ranks have no lane of the second kind
 */
static const char delays[] =
    "model D parameter Real T = 1; Real x(start = 1, fixed = true), u;\n"
    "  Real s(start = 0, fixed = true);\n"
    "equation der(x) = -delay(x, T)/T; u = if x > 0.1 then 1 else -1;\n"
    "  der(s) = delay(u, 0.4); end D;\n"
    "model E extends D; Integer n(start = 0, fixed = true); Real z(start = 0, fixed = true);\n"
    "equation when x < 0.5 then n = pre(n) + 1; end when; der(z) = delay(n, 0.25); end E;\n"
    "model Fleet D d[13](T = linspace(0.5, 1.5, 13)); E e[2](T = {0.5, 0.75}); end Fleet;\n";

/* delays over ranks: fixed steps, one clock, own clocks, and state files of other numbers of ranks
 */
static void test_delays(void **state)
{
    (void)state;
    const LiederSolver solvers[] = {LIEDER_RK4,  LIEDER_EULER_BACKWARD, LIEDER_BDF,
                                    LIEDER_RK45, LIEDER_RK45,           LIEDER_RODAS4};
    char file[64];
    snprintf(file, sizeof file, "/tmp/lieder_ranks_%d.state", (int)getpid());
    for (int i = 0; i < 6; i++) {
        bool adaptive = lieder_solver_info(solvers[i])->adaptive;
        LiederSimulateOptions o = options_of(solvers[i], 2, adaptive ? 0 : 0.0125), fine = o;
        o.clocks = i > 3 ? LIEDER_CLOCKS_OWN : LIEDER_CLOCKS_SHARED;
        Shared s = same_on_all(delays, o);
        assert_int_equal(s.status, LIEDER_DONE);
        free(s.x);
        /* short steps meet events right after events, which ranks have to look for together */
        fine.step = 0.0197;
        s = same_on_all(delays, adaptive ? fine : o);
        assert_int_equal(s.status, LIEDER_DONE);
        free(s.x);
        LiederSimulateOptions half = o, rest = o;
        half.stop = 1;
        half.checkpoint = file;
        rest.resume = file;
        const int counts[3][2] = {{1, 1}, {2, 3}, {4, 1}};
        Shared whole[3];
        for (int k = 0; k < 3; k++) {
            Shared first = run_on(counts[k][0], delays, half);
            assert_int_equal(first.status, LIEDER_DONE);
            whole[k] = run_on(counts[k][1], delays, rest);
            assert_int_equal(whole[k].status, LIEDER_DONE);
            assert_same(&whole[k], &whole[0]);
            free(first.x);
        }
        for (int k = 0; k < 3; k++)
            free(whole[k].x);
    }
    unlink(file);
    /* a step that is longer than the delay of a lane is found by all together, and reported once */
    LiederSimulateOptions o = options_of(LIEDER_RK4, 2, 0.5);
    o.interval = 0.5;
    Shared s = same_on_all(delays, o);
    assert_int_equal(s.status, LIEDER_BAD_USE);
    assert_int_equal(s.nerror, 1);
    assert_non_null(strstr(s.message, "longer than the delay of 0.4"));
    free(s.x);
}

/* a rank has what it owns: a part of the memory, and no number of another rank */
static void test_shares(void **state)
{
    (void)state;
    ThreadRanks *all = ranks_create(4);
    size_t sum = 0, lanes = 0;
    for (int r = 0; r < 4; r++) {
        Lieder *session = lieder_create(NULL);
        LiederSystem *system = load_text(session, fleet, &all->ranks[r]);
        assert_non_null(system);
        LiederSystemInfo info = lieder_system_info(system);
        assert_true(info.nstate < info.all_states / 3);
        sum += info.nstate;
        lanes += info.nlane;
        LiederHandle handle;
        double value;
        assert_int_equal(lieder_handle_find(system, "crab[1].cart.m", &handle), LIEDER_DONE);
        assert_int_equal(lieder_handle_here(system, &handle), r == 0);
        assert_int_equal(lieder_handle_get(system, &handle, &value),
                         r == 0 ? LIEDER_DONE : LIEDER_BAD_USE);
        assert_int_equal(lieder_handle_set(system, &handle, 2),
                         r == 0 ? LIEDER_DONE : LIEDER_BAD_USE);
        assert_int_equal(lieder_handle_find(system, "crab[37].revolute.phi", &handle), LIEDER_DONE);
        assert_int_equal(lieder_handle_here(system, &handle), r == 3);
        assert_int_equal(lieder_handle_state(system, &handle) >= 0, r == 3);
        assert_int_equal(
            lieder_system_connect(system, "crab[1].cart.frame_a", "crab[2].cart.frame_a"),
            LIEDER_BAD_USE);
        LiederSimulateOptions o = lieder_simulate_defaults();
        o.step = 1e-3;
        assert_null(lieder_stepper_create(system, &o));
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
    assert_int_equal(sum, 4 * 37);
    assert_int_equal(lanes, 37);
    ranks_destroy(all);
}

/* ------------------------------------------------------------------ nets */

static const char net[] =
    "model Fleet \"is a net\" parameter Integer n = 16; inner Dialectic.World world(TD = 1e-2);\n"
    "  Dialectic.Planar.Fixed fixed;\n"
    "  Dialectic.Planar.Prismatic along_x[n, n](each r = {1, 0},\n"
    "    s(start = {{0.01*(j + 0.2*sin(0.7*i)) for j in 1:n} for i in 1:n}));\n"
    "  Dialectic.Planar.Prismatic along_y[n, n](each r = {0, 1},\n"
    "    s(start = {{-0.01*(i + 0.2*sin(0.9*j)) for j in 1:n} for i in 1:n}));\n"
    "  Dialectic.Planar.Body body[n, n](m = {{1 + 0.1*mod(i + 3*j, 5) for j in 1:n} for i in "
    "1:n});\n"
    "  Dialectic.Planar.SpringDamper weft[n, n - 1](each c_x = 1e4, each c_y = 1e4,\n"
    "    each c_phi = 0, each d_x = 1, each d_y = 1, each s_relx0 = 0.01);\n"
    "  Dialectic.Planar.SpringDamper warp[n - 1, n](each c_x = 1e4, each c_y = 1e4,\n"
    "    each c_phi = 0, each d_x = 1, each d_y = 1, each s_rely0 = -0.01);\n"
    "  Dialectic.Planar.SpringDamper edge[n](each c_x = 1e4, each c_y = 1e4, each c_phi = 0,\n"
    "    each d_x = 1, each d_y = 1, s_relx0 = {0.01*j for j in 1:n}, each s_rely0 = -0.01);\n"
    "equation\n"
    "  for i in 1:n loop for j in 1:n loop\n"
    "    connect(fixed.frame, along_x[i, j].frame_a);\n"
    "    connect(along_x[i, j].frame_b, along_y[i, j].frame_a);\n"
    "    connect(along_y[i, j].frame_b, body[i, j].frame_a);\n"
    "    if j < n then connect(along_y[i, j].frame_b, weft[i, j].frame_a);\n"
    "      connect(weft[i, j].frame_b, along_y[i, j + 1].frame_b); end if;\n"
    "    if i < n then connect(along_y[i, j].frame_b, warp[i, j].frame_a);\n"
    "      connect(warp[i, j].frame_b, along_y[i + 1, j].frame_b); end if;\n"
    "  end for; end for;\n"
    "  for j in 1:n loop connect(fixed.frame, edge[j].frame_a);\n"
    "    connect(edge[j].frame_b, along_y[1, j].frame_b); end for;\n"
    "end Fleet;\n";

static void assert_close(const Shared *a, const Shared *b)
{
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->nrow, b->nrow);
    assert_true(a->statistics.t == b->statistics.t);
    for (size_t i = 0; i < a->nrow * a->bytes; i++)
        if (!(fabs(a->x[i] - b->x[i]) <= 1e-10 * (1 + fabs(b->x[i]))))
            fail_msg("number %zu of row %zu: %.17g, %.17g", i % a->bytes, i / a->bytes, a->x[i],
                     b->x[i]);
}

/* each rank has a part of the net and its neighbours, which move there as here */
static void test_nets(void **state)
{
    (void)state;
    const LiederSolver solvers[] = {LIEDER_RK4, LIEDER_RK45};
    for (int i = 0; i < 2; i++) {
        LiederSimulateOptions o = options_of(solvers[i], IN_FULL(0.02, 0.01), i ? 0 : 2e-3);
        Shared one = run_on(1, net, o);
        assert_int_equal(one.status, LIEDER_DONE);
        for (int count = 2; count <= 5; count += i ? 3 : IN_FULL(1, 3)) {
            Shared s = run_on(count, net, o);
            assert_close(&s, &one);
            assert_true(s.most_states < one.most_states * 3 / 4);
            free(s.x);
        }
        free(one.x);
    }
}

/* state files of nets: any number of ranks goes on with that of any other */
static void test_state_files_of_nets(void **state)
{
    (void)state;
    char file[64];
    snprintf(file, sizeof file, "/tmp/lieder_ranks_%d.state", (int)getpid());
    LiederSimulateOptions half = options_of(LIEDER_RK4, 0.01, 2e-3), rest = half;
    half.checkpoint = file;
    rest.resume = file;
    rest.stop = 0.02;
    Shared whole[3];
    const int counts[3][2] = {{1, 1}, {2, 3}, {3, 1}};
    for (int k = 0; k < 3; k++) {
        Shared first = run_on(counts[k][0], net, half);
        assert_int_equal(first.status, LIEDER_DONE);
        whole[k] = run_on(counts[k][1], net, rest);
        assert_int_equal(whole[k].status, LIEDER_DONE);
        assert_close(&whole[k], &whole[0]);
        free(first.x);
    }
    for (int k = 0; k < 3; k++)
        free(whole[k].x);
    unlink(file);
}

/* what a net over ranks cannot do is refused; a step that is too long is found by all together */
static void test_nets_refuse(void **state)
{
    (void)state;
    Shared s = run_on(3, net, options_of(LIEDER_BDF, 0.02, 0));
    assert_int_equal(s.status, LIEDER_BAD_USE);
    assert_int_equal(s.nerror, 1);
    assert_non_null(strstr(s.message, "Jacobian"));
    free(s.x);
    LiederSimulateOptions o = options_of(LIEDER_RK4, 20, 0.1);
    Shared one = run_on(1, net, o);
    s = run_on(3, net, o);
    assert_true(one.status < 0 && s.status == one.status);
    assert_int_equal(s.nerror, 1);
    assert_int_equal(s.nrow, one.nrow);
    free(s.x);
    free(one.x);
}

/* Constraints that are kept and come apart are reported by the rank that has the worst of them,
 * once, and end the run of all. One pendulum of twelve swings, the others rest. */
static void test_kept_constraints(void **state)
{
    (void)state;
    static const char text[] =
        "model Fleet\n"
        "  model Pendulum\n    parameter Real x0 = 0;\n"
        "    Real x(start = x0, fixed = true), y(start = -1), u(start = 0, fixed = true), v, F;\n"
        "  equation\n    der(x) = u;\n    der(y) = v;\n    der(u) = -F*x;\n"
        "    der(v) = -F*y - 9.81;\n    x^2 + y^2 = 1;\n  end Pendulum;\n"
        "  Pendulum p[12](x0 = {if i == 8 then 0.9 else 0 for i in 1:12});\n"
        "end Fleet;\n";
    Shared s = same_on_all(text, options_of(LIEDER_RK4, 1, 1e-3));
    assert_true(s.status == LIEDER_DONE && s.nwarning == 0);
    free(s.x);
    s = same_on_all(text, options_of(LIEDER_RK1, 1, 2e-3));
    assert_true(s.status == LIEDER_DONE && s.nwarning == 1);
    free(s.x);
    s = run_on(3, text, options_of(LIEDER_RK1, 1, 2e-3));
    assert_true(s.status == LIEDER_DONE && s.nwarning == 1);
    free(s.x);
    s = same_on_all(text, options_of(LIEDER_RK1, 5, 2e-2));
    assert_true(s.status == LIEDER_GAVE_UP && s.nerror == 1);
    assert_string_equal(s.path, "p[8]");
    free(s.x);
}

/* An unstable motion from below the tolerance is reported once, by whichever rank has it; errors
 * that add up as well, and a pulse that only one lane has is seen by all. */
static void test_judgements(void **state)
{
    (void)state;
    static const char seed[] = "model Fleet\n  model Seed\n    parameter Real x0 = 1;\n"
                               "    Real x(start = x0);\n  equation\n    der(x) = x;\n  end Seed;\n"
                               "  Seed s[12](x0 = {if i > 6 then 1e-10 else 1 for i in 1:12});\n"
                               "end Fleet;\n";
    static const char swing[] =
        "model Fleet\n  model Swing\n    parameter Real x0 = 0;\n"
        "    Real x(start = x0), v(start = 0);\n  equation\n    der(x) = v;\n    der(v) = -x;\n"
        "  end Swing;\n  Swing s[6](x0 = {if i == 5 then 1 else 0 for i in 1:6});\nend Fleet;\n";
    static const char pulse[] =
        "model Fleet\n  model Pulse\n    parameter Real a = 0;\n    Real x(start = 1);\n"
        "  equation\n    der(x) = a*exp(-((time - 5)/0.01)^2);\n  end Pulse;\n"
        "  Pulse p[6](a = {if i == 4 then 100 else 0 for i in 1:6});\nend Fleet;\n";
    for (int solver = 0; solver < 3; solver++) {
        LiederSimulateOptions o = options_of(solver == 0   ? LIEDER_BDF
                                             : solver == 1 ? LIEDER_RK45
                                                           : LIEDER_RODAS4,
                                             20, 0);
        for (int count = 1; count <= 3; count++) {
            Shared s = run_on(count, seed, o);
            assert_true(s.status == LIEDER_DONE && s.nwarning == 1);
            free(s.x);
        }
        o.tolerance = 1e-4;
        o.stop = 3000;
        o.interval = 300;
        for (int count = 1; count <= 3 && solver != 1; count++) {
            Shared s = run_on(count, swing, o);
            assert_true(s.status == LIEDER_DONE && s.nwarning == 1);
            free(s.x);
        }
        o.stop = 10;
        o.interval = 1;
        Shared one = run_on(1, pulse, o), two = run_on(3, pulse, o);
        double most = 0;
        assert_int_equal(one.nrow, two.nrow);
        for (size_t i = 0; i < one.nrow * 6; i++) {
            most = fmax(most, one.x[i]);
            assert_true(fabs(one.x[i] - two.x[i]) < 1e-10);
        }
        assert_true(fabs(most - 2.7724538509) < 1e-3);
        free(one.x);
        free(two.x);
    }
}

/* a net that is stiff, c T_D^2 / m = 1e6: the ranks factor its matrix together. (Bits are
 * compared by test_mpi.sh: METIS, which orders, has one random number for all threads of a
 * process.) */
static void test_stiff_nets(void **state)
{
    (void)state;
    char *stiff = strdup(net);
    for (char *at = stiff; (at = strstr(at, "= 1e4")); at++)
        memcpy(at, "= 1e9", 5);
    for (char *at = stiff; (at = strstr(at, "TD = 1e-2")); at++)
        memcpy(at, "TD = 3e-2", 9);
    LiederSimulateOptions o = options_of(LIEDER_RK4, 6e-3, 2e-3);
    Shared one = run_on(1, stiff, o);
    assert_int_equal(one.status, LIEDER_DONE);
    for (int count = 2; count <= 5; count += IN_FULL(1, 3)) {
        Shared s = run_on(count, stiff, o);
        assert_close(&s, &one);
        free(s.x);
    }
    free(one.x);
    free(stiff);
}

int main(void)
{
    ranks_stay_here();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_fixed_steps),
        cmocka_unit_test(test_adaptive_steps),
        cmocka_unit_test(test_more_ranks_than_lanes),
        cmocka_unit_test(test_mixed_shapes),
        cmocka_unit_test(test_sparse_lanes),
        cmocka_unit_test(test_kept_constraints),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_short_charges),
        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_state_files),
        cmocka_unit_test(test_delays),
        cmocka_unit_test(test_own_clocks),
        cmocka_unit_test(test_nets),
        cmocka_unit_test(test_state_files_of_nets),
        cmocka_unit_test(test_nets_refuse),
        cmocka_unit_test(test_stiff_nets),
        cmocka_unit_test(test_judgements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
