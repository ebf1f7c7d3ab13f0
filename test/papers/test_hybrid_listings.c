/* test_hybrid_listings.c - ball and pendulum of paper 002 as Modelica text against the C classes of
 * examples/: the same steps and events, so the same numbers. */
#include "front/front.h"
#include "solve/hybrid.h"

static Front *load(Lieder *session, const char *file)
{
    char path[600];
    Front *front = front_create(session);
    assert_non_null(front);
    snprintf(path, sizeof path, "%s/models/papers/002/%s", SOURCE_DIR, file);
    assert_int_equal(front_load(front, path), LIEDER_DONE);
    return front;
}

static LiederSystem *from_text(Lieder *session, Front *front, const char *class_)
{
    const char *name = NULL;
    bool ok = front_instantiate(front, class_, NULL, 0, NULL, &name) == LIEDER_DONE;
    LiederSystem *system = ok ? lieder_system_create(session, name, NULL) : NULL;
    if (!system)
        lieder_diagnostic_print_all(session, stderr);
    assert_non_null(system);
    return system;
}

/* rows of text and C, those at events too */
static void assert_same_rows(LiederSystem *text, LiederSystem *native, const char *const *names,
                             LiederSimulateOptions o, double error)
{
    Rows a = {0}, b = {0};
    LiederStatistics s, t;
    assert_int_equal(run_rows(text, o, &a, &s), LIEDER_DONE);
    assert_int_equal(run_rows(native, o, &b, &t), LIEDER_DONE);
    printf("%s: %zu and %zu steps, %zu and %zu events\n", lieder_solver_name(s.solver), s.steps,
           t.steps, s.state_events, t.state_events);
    assert_true(s.state_events >= 2 && s.steps == t.steps && a.n == b.n);
    double worst = 0;
    for (int k = 0; k < 2; k++) {
        char path[40];
        snprintf(path, sizeof path, "ball.%s", names[k]);
        size_t i = state_at(text, names[k]), j = state_at(native, path);
        for (size_t row = 0; row < a.n; row++) {
            double x = a.x[row * a.nstate + i], y = b.x[row * b.nstate + j];
            worst = fmax(worst, fabs(x - y) / (1 + fabs(y)));
            assert_true(fabs(a.t[row] - b.t[row]) <= error && a.kind[row] == b.kind[row]);
        }
    }
    printf("  %zu rows, worst difference %.2g\n", a.n, worst);
    assert_true(worst <= error);
    rows_drop(&a);
    rows_drop(&b);
}

static void balls(void **unused)
{
    (void)unused;
    static const char *const names[] = {"x", "v"};
    static const LiederSolver solvers[] = {LIEDER_RK45, LIEDER_BDF, LIEDER_RODAS4, LIEDER_ESDIRK23};
    Lieder *session = lieder_create(NULL);
    Front *front = load(session, "bouncing_ball.mo");
    lieder_class_register(session, &ball_class);
    lieder_class_register(session, &elastic_class);
    LiederSystem *text = from_text(session, front, "BouncingBalls.Ball");
    LiederSystem *soft = from_text(session, front, "BouncingBalls.ElasticBall");
    LiederSystem *ball = ball_create(session, "Bouncing", "Ball");
    LiederSystem *elastic = ball_create(session, "Soft", "ElasticBall");
    LiederSimulateOptions o = lieder_simulate_defaults();
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
        for (int drag = 0; drag < 2; drag++) {
            o.solver = solvers[i];
            o.tolerance = i == 3 ? 1e-6 : 1e-8;
            o.stop = 8;
            lieder_system_set(text, "beta", drag * 0.05);
            lieder_system_set(ball, "ball.beta", drag * 0.05);
            assert_same_rows(text, ball, names, o, 1e-12);
        }
    o.solver = LIEDER_RK45;
    o.stop = 2;
    assert_same_rows(soft, elastic, names, o, 1e-12);
    o.solver = LIEDER_BDF;
    assert_same_rows(soft, elastic, names, o, 1e-12);
    /* fixed steps: impacts at their ends */
    o.solver = LIEDER_RK4;
    o.step = o.interval = 1e-3;
    o.stop = 4;
    assert_same_rows(text, ball, names, o, 1e-12);
    LiederSystem *systems[] = {text, soft, ball, elastic};
    for (int i = 0; i < 4; i++)
        lieder_system_destroy(systems[i]);
    front_destroy(front);
    lieder_destroy(session);
}

/* where the rope becomes loose and tight again, as the modes of the C classes find it; and the
 * motion after that, which is that of a bound pendulum alone */
static void pendulum(void **unused)
{
    (void)unused;
    Lieder *session = lieder_create(NULL);
    Front *front = load(session, "pendulum.mo");
    LiederSystem *system = from_text(session, front, "RotatingPendulum");
    LiederSimulateOptions o = lieder_simulate_defaults();
    static const LiederSolver solvers[] = {LIEDER_RK45, LIEDER_BDF, LIEDER_RODAS4};
    for (int i = 0; i < 3; i++) {
        Rows r = {0};
        LiederStatistics s;
        double at[4] = {0};
        size_t n = 0;
        o.solver = solvers[i];
        o.tolerance = 1e-10;
        o.stop = 9;
        o.interval = 0.01;
        assert_int_equal(run_rows(system, o, &r, &s), LIEDER_DONE);
        size_t phi = state_at(system, "phi"), w = state_at(system, "w"), x = state_at(system, "x");
        double calm = 0;
        for (size_t row = 1; row < r.n; row++) {
            const double *now = r.x + row * r.nstate, *old = now - r.nstate;
            if (r.kind[row] == LIEDER_ROW_BEFORE_EVENT && n < 4)
                at[n++] = r.t[row];
            /* the first turning point below pi/10 from the lower perpendicular */
            if (!calm && r.t[row] > BOUND_AT + 0.1 && now[w] * old[w] < 0 &&
                fabs(now[phi] - M_PI) < M_PI / 10)
                calm = r.t[row];
            assert_true(fabs(now[x]) < 1.0000001);
        }
        printf("%s: loose %.2g, tight %.2g s off, %zu events\n", lieder_solver_name(o.solver),
               at[0] - FLYING_AT, at[1] - BOUND_AT, s.state_events);
        assert_true(n == 2 && fabs(at[0] - FLYING_AT) < 1e-8 && fabs(at[1] - BOUND_AT) < 1e-8);
        assert_true(calm > CALM_AT - 1e-9 && calm < CALM_AT + 0.01);
        rows_drop(&r);
    }
    lieder_system_destroy(system);
    front_destroy(front);
    lieder_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(balls), cmocka_unit_test(pendulum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
