/* test_001.c - the experiments of paper 001: every number it claims, and its closed forms.
 *
 * The models run as the paper has them, without d_el, unless a test says so. */
#include "help/engine.h"
#include "help/run.h"

#define FOLDER "papers/001/"

static const char *const no_paths[] = {NULL};

/* ------------------------------------------------------------------ one mass on a spring */

/* A by columns: the model is affine, so that unit differences are exact up to rounding */
static void linearise(Run *run, double A[2][2])
{
    size_t s = state_at(run->system, "joint.s"), v = state_at(run->system, "joint.v");
    double zero[2] = {0, 0}, x[2], f0[2], f[2];
    derivatives(run->session, run->system, 0, zero, f0);
    for (int k = 0; k < 2; k++) {
        x[s] = k == 0;
        x[v] = k == 1;
        derivatives(run->session, run->system, 0, x, f);
        A[0][k] = f[s] - f0[s];
        A[1][k] = f[v] - f0[v];
    }
}

/* Equation 4: lambda = -(d + c T_D)/2m +- sqrt((d + c T_D)^2/4m^2 - c/m), which is the same as
 * sum -(d + c T_D)/m and product c/m. For d = 0 the imaginary part is largest, 1/T_D, at
 * c/m = 2/T_D^2, and from 4/T_D^2 on there is none. */
static void eigenvalues(void **state)
{
    (void)state;
    Run *run = run_load(FOLDER "mass_on_spring.mo", NULL, 0, no_paths);
    uint64_t seed = 1;
    double A[2][2], highest = 0;
    for (int i = 0; i < 1000; i++) {
        double m = pow(10, random_between(&seed, -2, 2)),
               TD = pow(10, random_between(&seed, -6, -1));
        double c = m / (TD * TD) * pow(10, random_between(&seed, -4, 1));
        double d = i % 2 ? 0 : sqrt(c * m) * random_between(&seed, 0, 1);
        lieder_system_set(run->system, "body.m", m);
        lieder_system_set(run->system, "spring.c", c);
        lieder_system_set(run->system, "spring.d", d);
        lieder_system_set(run->system, "joint.TD", TD);
        lieder_system_set(run->system, "spring.TD", TD);
        linearise(run, A);
        double sum = A[0][0] + A[1][1], product = A[0][0] * A[1][1] - A[0][1] * A[1][0];
        /* rounding of the products that cancel, and of f0 */
        double scale = fabs(A[0][0] * A[1][1]) + c / m;
        assert_close(sum, -(d + c * TD) / m, 1e-12 * (d + c * TD) / m);
        assert_close(product, c / m, 1e-11 * scale);
        double square = c / m - sum * sum / 4;
        if (d == 0 && square > 0) {
            highest = fmax(highest, TD * sqrt(square));
            assert_true(TD * sqrt(square) <= 1 + 1e-9);
        }
    }
    assert_true(highest > 0.99); /* the bound is reached */
    run_drop(run);
}

/* The whole trajectory: s = s_eq + exp(-sigma t)(A cos + B sin), omega^2 = w0^2 (1 - w0^2 T_D^2/4),
 * sigma = w0^2 T_D/2. Released at s = 0 with v = 0: s' = T_D g there. */
static void frequency_and_damping(void **state)
{
    (void)state;
    const char *const paths[] = {"joint.s", NULL};
    const double TDs[] = {1e-4, 1e-3, 5e-3, 1.8e-2};
    for (int i = 0; i < 4; i++) {
        double TD = TDs[i], w0 = 100, g = 9.81, rest = g / (w0 * w0);
        Number text = number(TD);
        FrontOverride set = {.name = "world.TD", .value = text.text};
        /* fourth order, h lambda = 0.01 at most: 1e-9 of the amplitude */
        Run *run = run_model(FOLDER "mass_on_spring.mo", &set, 1, LIEDER_RK4, 5e-5, 0, paths);
        double sigma = w0 * w0 * TD / 2, omega = w0 * sqrt(1 - w0 * w0 * TD * TD / 4);
        for (size_t k = 0; k < run->nrow; k++) {
            double t = run->t[k], B = (TD * g - sigma * rest) / omega;
            double s = rest + exp(-sigma * t) * (-rest * cos(omega * t) + B * sin(omega * t));
            assert_close(run->value[k][0], s, 1e-8 * rest);
        }
        run_drop(run);
    }
}

/* s = m g / c, v = 0, whatever T_D, and with d_el as well. Damped so that the run gets there. */
static void steady_state(void **state)
{
    (void)state;
    const char *const paths[] = {"joint.s", "joint.v", NULL};
    for (int i = 0; i < 8; i++) {
        Number TD = number(pow(10, -5 + i / 2));
        FrontOverride set[] = {{.name = "world.TD", .value = TD.text},
                               {.name = "world.damped", .value = i % 2 ? "true" : "false"},
                               {.name = "d", .value = "100"},
                               {.name = "m", .value = "0.7"}};
        Run *run = run_load(FOLDER "mass_on_spring.mo", set, 4, paths);
        run->options.solver = LIEDER_RK4;
        run->options.step = 2e-4; /* below 2.7 m/(d + c T_D) for all of them but the last */
        run->options.stop = 1.2;
        if (i == 6) /* T_D = 1e-2: without d_el lambda = -286 */
            run->options.step = 1e-4;
        run_start(run, LIEDER_DONE);
        double rest = 0.7 * 9.81 / 1e4;
        assert_close(run_last(run, 0), rest, 2e-14 * rest); /* exp(-44) is left, and rounding */
        assert_close(run_last(run, 1), 0, 1e-15);
        run_drop(run);
    }
}

/* ------------------------------------------------------------------ clamp, figures 3 and 4 */

enum { PLAY, SLIDE, VELOCITY, LEFT, RIGHT };
static const char *const clamp_paths[] = {"play.s",        "slide.s",        "slide.v",
                                          "leftGap.s_rel", "rightGap.s_rel", NULL};

static Run *run_clamp(double TD, double step, double c, const char *damped, LiederStatus expected)
{
    Number texts[] = {number(TD), number(c)};
    FrontOverride set[] = {{.name = "world.TD", .value = texts[0].text},
                           {.name = "c", .value = texts[1].text},
                           {.name = "world.damped", .value = damped}};
    Run *run = run_load(FOLDER "clamp.mo", set, 3, clamp_paths);
    run->options.solver = LIEDER_RK3;
    run->options.step = step;
    run->options.interval = 1e-3;
    run_start(run, expected);
    return run;
}

static double mean_play(const Run *run, double from, double to)
{
    double sum = 0, n = 0;
    for (size_t i = 0; i < run->nrow; i++)
        if (run->t[i] > from && run->t[i] < to) {
            sum += run->value[i][PLAY];
            n++;
        }
    return sum / n;
}

/* Pushed with a = F/(M + m) the ball sits deeper in the jaw behind it by m a / 2c: at 1 ms as it
 * stands, at 1 us on time average, and the same on both. After 0.2 s critical damping has left
 * exp(-200), so that the difference of T_D = 1 ms to the closed form is rounding. */
static void clamp_shift(void **state)
{
    (void)state;
    double a = 1000 / 100.5, shift = 0.5 * a / 2e6;
    Run *slow = run_clamp(1e-3, 1e-3, 1e6, "false", LIEDER_DONE);
    assert_close(run_at(slow, 0.299, PLAY), -shift, 1e-10 * shift + 1e-15);
    assert_close(run_at(slow, 0.299, LEFT), 0.05 - shift, 1e-15);
    assert_close(run_at(slow, 0.299, RIGHT), 0.05 + shift, 1e-15);
    assert_close(run_at(slow, 0.599, PLAY), 0, 1e-15);
    assert_close(run_at(slow, 0.799, PLAY), shift, 1e-10 * shift + 1e-15);
    /* pushed 0.2 s, coasting 0.3 s, stopped 0.2 s; what T_D adds while pushing, T_D v, it takes
     * back while stopping */
    assert_close(run_last(slow, VELOCITY), 0, 1e-14);
    assert_close(run_last(slow, SLIDE), a * 0.2 * 0.5, 1e-12);

    /* ten steps per microsecond's worth of the paper: the step is 1/300 of a period either way */
    Run *fast = run_clamp(1e-6, 1e-5, 1e6, "false", LIEDER_DONE);
    double omega = sqrt(2e6 * (1 / 0.5 + 1 / 100.0)), sigma = omega * omega * 1e-6 / 2;
    /* whole periods are not whole rows: the mean of 180 samples of a cosine, 1 % */
    assert_close(mean_play(fast, 0.11, 0.29), -shift, 0.02 * shift);
    assert_close(mean_play(fast, 0.61, 0.79), shift, 0.02 * shift);
    double first = 0, last = 0, end = 0;
    for (size_t i = 0; i < fast->nrow; i++) {
        double t = fast->t[i], swing = fabs(fast->value[i][PLAY] + shift);
        if (t > 0.1 && t < 0.12)
            first = fmax(first, swing);
        if (t > 0.28 && t < 0.3)
            last = fmax(last, swing);
        if (t > 0.98)
            end = fmax(end, fabs(fast->value[i][PLAY]));
    }
    assert_close(first, shift, 0.06 * shift); /* an oscillation around the shift, from zero */
    assert_close(last / first, exp(-sigma * 0.18), 0.02); /* rows catch the tops to 1 % */
    /* "decays roughly within a second": exp(-2) of it, four jumps add up */
    assert_true(end < 4 * shift * exp(-sigma * 0.18) && end > 0.05 * shift);
    run_drop(slow);
    run_drop(fast);
}

/* The relative motion has k = 2 c T_D^2 (1/m + 1/M) and lambda T_D = -(k + sqrt(k^2 - 4k))/2; RK3
 * with h = T_D takes it up to 2.5127, that is k = 4.174. The 2 MN/m of the paper are those of both
 * contacts together: k = 4.02, "almost perfectly damped". With 2 MN/m in each the solver makes
 * millimetres of micrometres; with d_el any stiffness will do. */
static void clamp_stability(void **state)
{
    (void)state;
    double z = 2.512745, limit = z * z / (z - 1) / (2 * 1e-6 * (1 / 0.5 + 1 / 100.0));
    assert_true(limit > 1e6 && limit < 1.05e6);
    const struct {
        double c;
        const char *damped;
        bool stays;
    } cases[] = {
        {1e6, "false", true},  {0.99 * limit, "false", true}, {1.01 * limit, "false", false},
        {2e6, "false", false}, {2e6, "true", true},           {2e9, "true", true}};
    for (int i = 0; i < 6; i++) {
        Run *run = run_clamp(1e-3, 1e-3, cases[i].c, cases[i].damped,
                             cases[i].stays ? LIEDER_DONE : LIEDER_GAVE_UP);
        double shift = 0.5 * 1000 / 100.5 / (2 * cases[i].c), worst = 0;
        for (size_t k = 0; k < run->nrow; k++)
            if (run->t[k] > 0.7 && run->t[k] < 0.7995)
                worst = fmax(worst, fabs(run->value[k][PLAY] - shift));
        /* 100 steps after the jump: at the limit 0.88^100 is left; or the jaws would knock for
         * ever, and the run ends soon after the first jump */
        assert_true(cases[i].stays ? worst < 1e-4 * shift : run->statistics.t < 0.3);
        run_drop(run);
    }
}

/* ------------------------------------------------------------------ limited joint */

/* at rest on the stop: c (phi_stop - phi) = m g l cos phi, the same bits or nearly so for any T_D
 */
static void limited_joint(void **state)
{
    (void)state;
    const char *const paths[] = {"revolute.phi", "revolute.w", NULL};
    double first = 0;
    for (int i = 0; i < 4; i++) {
        Number TD = number(pow(10, -5 + i));
        FrontOverride set = {.name = "world.TD", .value = TD.text};
        Run *run = run_load(FOLDER "limited_joint.mo", &set, 1, paths);
        run->options.solver = LIEDER_RK4;
        run->options.step = 1e-3;
        run->options.stop = 8; /* with T_D = 10 ms what is left decays by exp(-5) a second */
        run_start(run, LIEDER_DONE);
        double phi = run_last(run, 0);
        assert_close(run_last(run, 1), 0, 1e-13);
        assert_close(1e5 * (-0.5 - phi), 9.81 * cos(phi), 1e-10); /* rounding of phi times c */
        if (i == 0)
            first = phi;
        assert_close(phi, first, 1e-15);
        run_drop(run);
    }
}

/* ------------------------------------------------------------------ thread pendulum, figures 5-8
 */

enum { LENGTH, X, Y, VX, VY, ANGLE, RADIAL };
static const char *const thread_paths[] = {
    "prismatic.s",     "body.frame_a.x", "body.frame_a.y", "body.frame_a.vx",
    "body.frame_a.vy", "revolute.phi",   "prismatic.v",    NULL};

static Run *run_thread(double TD, const FrontOverride *more, size_t nmore)
{
    Number text = number(TD);
    FrontOverride set[8] = {{.name = "world.TD", .value = text.text}};
    for (size_t i = 0; i < nmore; i++)
        set[1 + i] = more[i];
    return run_model(FOLDER "thread_pendulum.mo", set, 1 + nmore, LIEDER_BDF, 0, 1e-9,
                     thread_paths);
}

/* the pendulum on a rigid rod, by Runge-Kutta with small steps: phi'' = -g cos phi / l */
static void rigid_pendulum(double t, double *phi, double *w)
{
    int n = 1 + (int)(t / 1e-4);
    double h = t / n, g = 9.81;
    *phi = -acos(-1);
    *w = 3;
    for (int i = 0; i < n; i++) {
        double w1 = *w, a1 = -g * cos(*phi);
        double w2 = *w + h / 2 * a1, a2 = -g * cos(*phi + h / 2 * w1);
        double w3 = *w + h / 2 * a2, a3 = -g * cos(*phi + h / 2 * w2);
        double w4 = *w + h * a3, a4 = -g * cos(*phi + h * w3);
        *phi += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
        *w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
}

/* Figure 7, the slow mode: through the lower half circle the thread carries m (l w^2 - g sin phi)
 * of a rigid pendulum, by its length and its damper. T_D shifts the phase: by less
 * than T_D times the rate of change, 8e3 N/s. The thread that gets longer by 0.4 % counts for 0.6 %
 * of the 3840 N. */
static void thread_slow_mode(void **state)
{
    (void)state;
    const double TDs[] = {1e-5, 1e-4, 1e-3, 1e-2};
    for (int i = 0; i < 4; i++) {
        Run *run = run_thread(TDs[i], NULL, 0);
        double tolerance = 0.006 * 3840 + 8e3 * TDs[i];
        bool left = false;
        for (size_t k = 0; k < run->nrow && !left; k++) {
            double phi, w;
            const double *v = run->value[k];
            rigid_pendulum(run->t[k], &phi, &w);
            left = run->t[k] > 0.5 && v[LENGTH] < 1;
            if (run->t[k] < 0.8)
                assert_close(1e6 * (v[LENGTH] - 1) + 1e3 * v[RADIAL],
                             100 * (w * w - 9.81 * sin(phi)), tolerance);
            /* it leaves the circle where m v^2 / l = m g sin phi: sin phi = v0^2 / 3 g l; there the
             * force falls by 2600 N a radian */
            if (left)
                assert_close(v[ANGLE], asin(9 / (3 * 9.81)), 0.01 + tolerance / 2600);
        }
        assert_true(left);
        run_drop(run);
    }
}

/* Figure 6: then it falls freely: the kinetic velocity along x stays, and energy, with T_D = 1e-5;
 * the rest of the run stays within the circle as far as the thread gives, and energy is only lost.
 */
static void thread_free_fall(void **state)
{
    (void)state;
    Run *run = run_thread(1e-5, NULL, 0);
    double first = 0, last = 0, vx = 0;
    bool falls = false;
    int bounces = 0;
    for (size_t k = 0; k < run->nrow; k++) {
        const double *v = run->value[k];
        double stretch = fmax(v[LENGTH] - 1, 0);
        double energy = (v[VX] * v[VX] + v[VY] * v[VY]) / 2 + 9.81 * v[Y] + 5e3 * stretch * stretch;
        if (k == 0)
            first = energy;
        assert_true(energy < first + 1e-3); /* T_D g v for the time of a swing */
        /* all of it, 4.6 + 9.81 J/kg, in the thread */
        assert_true(stretch < sqrt((4.6 + 9.81) / 5e3));
        bool slack = v[LENGTH] < 1 - 1e-3;
        if (slack && falls) {
            assert_close(v[VX], vx, 1e-6); /* the bearing turns with it: I w' = 1e-3 N m */
            assert_close(energy, last, 1e-3);
        }
        bounces += !slack && falls;
        falls = slack;
        vx = v[VX];
        last = energy;
    }
    assert_true(bounces >= 3);
    run_drop(run);
}

/* Figure 8, the fast mode: how much of its velocity the body keeps when it falls into the thread.
 * Straight outward without gravity this is half an oscillation of equation 4,
 *
 *   e = exp(-pi sigma / omega),  sigma = (d + c T_D)/2m,  omega^2 = c/m - sigma^2
 *
 * and with d_el the same with m + d_el T_D for m. The paper's sentence on figure 8 says that low
 * values of T_D damp; equation 4, its caption and the run say high values. */
static void thread_bounce(void **state)
{
    (void)state;
    const double TDs[] = {1e-5, 1e-4, 1e-3, 1e-2};
    for (int damped = 0; damped < 2; damped++) {
        double before = 1;
        for (int i = 0; i < 4; i++) {
            FrontOverride set[] = {{.name = "world.g", .value = "0"},
                                   {.name = "revolute.w", .value = "0"},
                                   {.name = "prismatic.s", .value = "0.5"},
                                   {.name = "prismatic.v", .value = "2"},
                                   {.name = "world.damped", .value = damped ? "true" : "false"}};
            Run *run = run_thread(TDs[i], set, 5);
            double c = 1e6, d = 1e3, TD = TDs[i], m = 100;
            if (damped)
                m += (d + c * TD) * TD;
            double sigma = (d + c * TD) / (2 * m), omega = sqrt(c / m - sigma * sigma);
            double e = exp(-acos(-1) * sigma / omega);
            assert_close(-run_last(run, RADIAL) / 2, e, 1e-5); /* tolerance 1e-9, some 100 steps */
            assert_true(e < before);
            before = e;
            run_drop(run);
        }
    }
}

/* ------------------------------------------------------------------ landing gear, figures 9, 10 */

/* the rigid loop: bodies as a function of the angle of the leg, by two circles */
typedef struct Gear {
    double x[4], y[4], turn[4]; /* wheel, lower brace, knee, upper brace: ends and angles */
} Gear;

static const double gear_mass[4] = {20, 1, 0.5, 1}, gear_inertia[4] = {0.5, 0.02, 0.005, 0.02};

static Gear rigid_gear(double phi)
{
    double px = 0.7 * sin(phi), py = -0.7 * cos(phi), far = hypot(px - 1, py);
    double upper = atan2(py, px - 1) + acos(far / 2 / 0.59);
    double kx = 1 + 0.59 * cos(upper), ky = 0.59 * sin(upper), lower = atan2(ky - py, kx - px);
    return (Gear){
        {1.5 * sin(phi), kx, kx, kx}, {-1.5 * cos(phi), ky, ky, ky}, {phi, lower, upper, upper}};
}

/* kinetic energy over w^2/2, and potential energy */
static double gear_inertia_of(double phi)
{
    double h = 1e-5, sum = 0;
    Gear a = rigid_gear(phi - h), b = rigid_gear(phi + h);
    for (int i = 0; i < 4; i++) {
        double x = (b.x[i] - a.x[i]) / (2 * h), y = (b.y[i] - a.y[i]) / (2 * h);
        double turn = (b.turn[i] - a.turn[i]) / (2 * h);
        sum += gear_mass[i] * (x * x + y * y) + gear_inertia[i] * turn * turn;
    }
    return sum;
}

static double gear_potential(double phi)
{
    Gear g = rigid_gear(phi);
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += gear_mass[i] * 9.81 * g.y[i];
    return sum;
}

/* maximal extension: |P - D| = 2 * 0.59 with |P - D|^2 = 0.7^2 + 1 - 1.4 sin phi */
static double straight(void)
{
    return asin((0.49 + 1 - 1.18 * 1.18) / 1.4);
}

/* all states, and how far the loop is open */
static const char *const gear_paths[] = {"legJoint.phi",
                                         "legJoint.w",
                                         "knee.phi",
                                         "closure.s_relx",
                                         "closure.s_rely",
                                         "knee.w",
                                         "braceJoint.phi",
                                         "braceJoint.w",
                                         "hingeJoint.phi",
                                         "hingeJoint.w",
                                         NULL};

static Run *run_gear(double TD, const char *damper, double stop)
{
    Number text = number(TD);
    FrontOverride set[] = {{.name = "world.TD", .value = text.text},
                           {.name = "damper.d", .value = damper}};
    Run *run = run_load(FOLDER "landing_gear.mo", set, 2, gear_paths);
    run->options.solver = LIEDER_BDF;
    run->options.tolerance = 1e-7;
    run->options.stop = stop;
    run_start(run, LIEDER_DONE);
    return run;
}

/* Eight states and four unknowns, three on the leg and one on the hinge. It unfolds as the rigid
 * loop does, M(phi) w^2/2 + V(phi) + what the damper took = V(phi0), whatever T_D. */
static void gear_unfolds(void **state)
{
    (void)state;
    const double TDs[] = {1e-5, 1e-4, 1e-3};
    for (int i = 0; i < 3; i++) {
        Run *run = run_gear(TDs[i], "5", 3);
        LiederSystemInfo info = lieder_system_info(run->system);
        assert_int_equal(info.nstate, 8);
        assert_int_equal(info.nunknown, 4);
        assert_int_equal(info.ngroup, 2); /* without d_el a spring hides one side from the other */
        assert_int_equal(info.largest_group, 3);
        double lost = 0;
        int compared = 0;
        for (size_t k = 1; k < run->nrow && run->value[k][0] > straight() + 0.05; k++) {
            const double *a = run->value[k - 1], *b = run->value[k];
            lost += 5 * (a[1] * a[1] + b[1] * b[1]) / 2 * (run->t[k] - run->t[k - 1]);
            double left = gear_potential(1.2) - gear_potential(b[0]) - lost;
            double w = -sqrt(2 * left / gear_inertia_of(b[0]));
            if (run->t[k] > 0.1) { /* T_D is a delay: T_D w' of w at most, w' < 10 rad/s2 */
                assert_close(b[1], w, 2e-3 + 10 * TDs[i]);
                compared++;
            }
        }
        assert_true(compared > 80);
        run_drop(run);
    }
}

/* The brace becomes straight and goes on beyond, knee angle -pi, where det d(loop)/d(angles) =
 * L1 L2 sin(knee) of a rigid loop is zero; the spring takes what the leg has, and the loop is
 * together again. */
static void gear_beyond_extension(void **state)
{
    (void)state;
    const double TDs[] = {1e-5, 1e-4, 1e-3};
    for (int i = 0; i < 3; i++) {
        Run *run = run_gear(TDs[i], "5", 3);
        double lowest = 2, apart = 0;
        bool before = false, beyond = false;
        for (size_t k = 0; k < run->nrow; k++) {
            double knee = run->value[k][2] + acos(-1);
            before |= knee > 0.1 && !beyond;
            beyond |= knee < -0.1;
            lowest = fmin(lowest, run->value[k][0]);
            apart = fmax(apart, hypot(run->value[k][3], run->value[k][4]));
        }
        assert_true(before && beyond);
        /* the leg stops at maximal extension: 49 kg m2 at 2.6 rad/s against 1e7 N/m at 0.64 m are
         * 9 mm in a loop that keeps all of it */
        assert_close(lowest, straight(), 0.015);
        assert_true(apart < 9e-3 && apart > 1e-4);
        run_drop(run);
    }
}

/* the paper counts one linear system of four unknowns: that is what d_el makes of the two */
static void gear_group(void **state)
{
    (void)state;
    FrontOverride damped = {.name = "world.damped", .value = "true"};
    Run *run = run_load(FOLDER "landing_gear.mo", &damped, 1, no_paths);
    LiederSystemInfo info = lieder_system_info(run->system);
    assert_int_equal(info.ngroup, 1);
    assert_int_equal(info.largest_group, 4);
    run_drop(run);
}

/* Newton's method for f(x) = 0, differences for the Jacobian; x is close */
static void find_rest(Run *run, double *x)
{
    double f[8], A[8][9];
    for (int round = 0; round < 6; round++) {
        derivatives(run->session, run->system, 0, x, f);
        for (int k = 0; k < 8; k++) {
            double moved[8], g[8];
            memcpy(moved, x, sizeof moved);
            moved[k] += 1e-7;
            derivatives(run->session, run->system, 0, moved, g);
            for (int i = 0; i < 8; i++)
                A[i][k] = (g[i] - f[i]) / 1e-7;
        }
        for (int i = 0; i < 8; i++)
            A[i][8] = -f[i];
        for (int k = 0; k < 8; k++) { /* Gauss-Jordan with the largest pivot */
            int top = k;
            for (int i = k; i < 8; i++)
                top = fabs(A[i][k]) > fabs(A[top][k]) ? i : top;
            for (int j = 0; j < 9; j++) {
                double swap = A[k][j];
                A[k][j] = A[top][j];
                A[top][j] = swap;
            }
            for (int i = 0; i < 8; i++)
                for (int j = 8; i != k && j >= k; j--)
                    A[i][j] -= A[i][k] / A[k][k] * A[k][j];
        }
        for (int i = 0; i < 8; i++)
            x[i] += A[i][8] / A[i][i];
    }
}

/* It comes to rest close to the straight brace, which sags under its own weight: dV/dphi = 0. The
 * state without derivatives is the same for every T_D; a heavy damper brings the leg there. */
static void gear_rest(void **state)
{
    (void)state;
    double low = straight() + 1e-4, high = 0.5, first = 0;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (gear_potential(middle + 1e-6) > gear_potential(middle - 1e-6))
            high = middle;
        else
            low = middle;
    }
    for (int i = 0; i < 3; i++) {
        Run *run = run_gear(pow(10, -5 + i), "200", 12);
        assert_close(run_last(run, 0), low, 2e-4); /* the brace stretches by its force over 1e7 */
        double x[8];
        for (size_t k = 0; gear_paths[k]; k++)
            if (strncmp(gear_paths[k], "closure", 7) != 0)
                x[state_at(run->system, gear_paths[k])] = run_last(run, k);
        find_rest(run, x);
        double phi = x[state_at(run->system, "legJoint.phi")];
        if (i == 0)
            first = phi;
        assert_close(phi, run_last(run, 0), 1e-5); /* the run gets there, tolerance 1e-7 */
        assert_close(phi, first, 1e-12);
        run_drop(run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenvalues),
        cmocka_unit_test(frequency_and_damping),
        cmocka_unit_test(steady_state),
        cmocka_unit_test(clamp_shift),
        cmocka_unit_test(clamp_stability),
        cmocka_unit_test(limited_joint),
        cmocka_unit_test(thread_slow_mode),
        cmocka_unit_test(thread_free_fall),
        cmocka_unit_test(thread_bounce),
        cmocka_unit_test(gear_unfolds),
        cmocka_unit_test(gear_beyond_extension),
        cmocka_unit_test(gear_group),
        cmocka_unit_test(gear_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
