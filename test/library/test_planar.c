/* test_planar.c - Planar, class by class against formulas; links driven from either side. */
#include "help/engine.h"

static Lieder *session;
static LiederModel *model;
static LiederSystem *ready;

static void begin(double TD)
{
    session = session_new();
    model = lieder_model_create(session, "M", "");
    lieder_model_add(model, "world", "World");
    lieder_model_set(model, "world.TD", TD);
    ready = NULL;
}

static void end(void)
{
    lieder_system_destroy(ready);
    lieder_destroy(session);
}

static void add(const char *name, const char *class_)
{
    lieder_model_add(model, name, class_);
}

static void set(const char *path, double value)
{
    lieder_model_set(model, path, value);
}

static void set2(const char *path, double x, double y)
{
    lieder_model_set_vector(model, path, (double[]){x, y}, 2);
}

static void join(const char *a, const char *b)
{
    lieder_model_connect(model, a, b);
}

static double see(const double *x, const char *path)
{
    return look(ready, 0, x, path);
}

/* pose (x, y, phi) and velocity of a frame */
static void assert_frame(const double *x, const char *frame, const double expected[6],
                         double tolerance)
{
    static const char *const names[] = {"x", "y", "phi", "vx", "vy", "w"};
    for (int i = 0; i < 6; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s.%s", frame, names[i]);
        double value = see(x, path);
        if (!(fabs(value - expected[i]) <= tolerance))
            fail_msg("%s = %.17g, expected %.17g", path, value, expected[i]);
    }
}

/* ------------------------------------------------------------------ rigid links */

/* fixed - turn - stick - twist - body, each link either way round */
static void rigid_links(void **state)
{
    (void)state;
    double accelerations[8];
    for (int variant = 0; variant < 8; variant++) {
        begin(0.01);
        bool t = variant & 1, u = variant & 2, v = variant & 4;
        add("fixed", "Planar.Fixed");
        add("turn", "Planar.Revolute");
        add("stick", "Planar.FixedTranslation");
        add("twist", "Planar.FixedRotation");
        add("body", "Planar.Body");
        set2("fixed.r", 1, 2);
        set("fixed.phi", 0.3);
        set2("stick.r", (u ? -1 : 1) * 0.8, (u ? -1 : 1) * -0.5);
        set("twist.alpha", (v ? -1 : 1) * 0.25);
        set("body.I", 0.5);
        set("body.m", 2);
        join("fixed.frame", t ? "turn.frame_b" : "turn.frame_a");
        join(t ? "turn.frame_a" : "turn.frame_b", u ? "stick.frame_b" : "stick.frame_a");
        join(u ? "stick.frame_a" : "stick.frame_b", v ? "twist.frame_b" : "twist.frame_a");
        join(v ? "twist.frame_a" : "twist.frame_b", "body.frame_a");
        ready = system_new(session, "M");
        double x[2], dx[2], sign = t ? -1 : 1, phi = 0.3 + 0.6, w = 1.5;
        x[state_at(ready, "turn.phi")] = sign * 0.6;
        x[state_at(ready, "turn.w")] = sign * w;
        double rx = cos(phi) * 0.8 + sin(phi) * 0.5, ry = sin(phi) * 0.8 - cos(phi) * 0.5;
        double expected[6] = {1 + rx, 2 + ry, phi + 0.25, -w * ry, w * rx, w};
        assert_frame(x, "body.frame_a", expected, 1e-15);
        derivatives(session, ready, 0, x, dx);
        /* (m r^2 + I) z = -m g r_x */
        double z = -2 * 9.81 * rx / (2 * (rx * rx + ry * ry) + 0.5);
        accelerations[variant] = sign * dx[state_at(ready, "turn.w")];
        assert_near(accelerations[variant], z, 1e-13);
        /* Phi w, not w^2: the lever turns with the elastic angle */
        double Phi = w + 0.01 * z;
        assert_near(see(x, "body.frame_a.ax"), -z * ry - Phi * w * rx, 1e-13);
        assert_near(see(x, "body.frame_a.ay"), z * rx - Phi * w * ry, 1e-13);
        assert_near(see(x, "body.frame_a.vx_el"), -Phi * ry, 1e-13);
        assert_near(see(x, "body.frame_a.vy_el"), Phi * rx, 1e-13);
        assert_near(see(x, "body.frame_a.w_el"), Phi, 1e-13);
        end();
    }
}

/* ------------------------------------------------------------------ joints */

/* a block slides along a tilted axis: a = -g sin(tilt) */
static void prismatic(void **state)
{
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        begin(0.01);
        add("fixed", "Planar.Fixed");
        add("slide", "Planar.Prismatic");
        add("block", "Planar.Body");
        set("fixed.phi", 0.4);
        set2("slide.r", 3, 4); /* a direction, whatever its length */
        join("fixed.frame", turned ? "slide.frame_b" : "slide.frame_a");
        join(turned ? "slide.frame_a" : "slide.frame_b", "block.frame_a");
        ready = system_new(session, "M");
        double x[2], dx[2], sign = turned ? -1 : 1, tilt = 0.4 + atan2(4, 3);
        size_t s = state_at(ready, "slide.s"), v = state_at(ready, "slide.v");
        x[s] = sign * 2;
        x[v] = sign * 0.5;
        double expected[6] = {2 * cos(tilt),   2 * sin(tilt),   0.4,
                              0.5 * cos(tilt), 0.5 * sin(tilt), 0};
        assert_frame(x, "block.frame_a", expected, 1e-14);
        derivatives(session, ready, 0, x, dx);
        assert_near(sign * dx[v], -9.81 * sin(tilt), 1e-13);
        assert_near(dx[s], x[v] + 0.01 * dx[v], 1e-15);
        assert_near(see(x, "slide.flange_a.s"), x[s], 0);
        assert_near(see(x, "slide.flange_a.v"), x[v], 0);
        assert_near(see(x, "slide.flange_a.a"), dx[v], 0);
        assert_near(see(x, "slide.support.s"), 0, 0);
        end();
    }
}

/* bead on a turning rod, T_D = 0: s'' = s w^2 - g sin phi, Coriolis in the turning */
static void bead_on_a_rod(void **state)
{
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        begin(0);
        add("fixed", "Planar.Fixed");
        add("turn", "Planar.Revolute");
        add("slide", "Planar.Prismatic");
        add("rod", "Planar.Body");
        add("bead", "Planar.Body");
        set2("slide.r", 1, 0);
        set("rod.I", 0.7);
        set("rod.m", 0);
        set("bead.m", 2);
        set("slide.s", 1);
        join("fixed.frame", "turn.frame_a");
        join("turn.frame_b", "rod.frame_a");
        join("turn.frame_b", turned ? "slide.frame_b" : "slide.frame_a");
        join(turned ? "slide.frame_a" : "slide.frame_b", "bead.frame_a");
        ready = system_new(session, "M");
        uint64_t seed = 4;
        for (int trial = 0; trial < 30; trial++) {
            double x[4], dx[4], sign = turned ? -1 : 1;
            random_fill(&seed, x, 4, -2, 2);
            double phi = x[state_at(ready, "turn.phi")], w = x[state_at(ready, "turn.w")];
            double s = sign * x[state_at(ready, "slide.s")];
            double v = sign * x[state_at(ready, "slide.v")];
            derivatives(session, ready, 0, x, dx);
            double a = s * w * w - 9.81 * sin(phi);
            double z = (-2 * 2 * s * v * w - 2 * 9.81 * s * cos(phi)) / (0.7 + 2 * s * s);
            assert_near(sign * dx[state_at(ready, "slide.v")], a, 1e-13 * (1 + fabs(a)));
            assert_near(dx[state_at(ready, "turn.w")], z, 1e-13 * (10 + fabs(z)));
        }
        end();
    }
}

/* a free body falls, whatever T_D and whichever way round */
static void free_fall(void **state)
{
    (void)state;
    for (int turned = 0; turned < 2; turned++)
        for (int dialectic = 0; dialectic < 2; dialectic++) {
            begin(dialectic ? 0.05 : 0);
            add("fixed", "Planar.Fixed");
            add("fly", "Planar.FreeMotion");
            add("bird", "Planar.Body");
            set("bird.m", 2);
            set("bird.I", 3);
            join("fixed.frame", turned ? "fly.frame_b" : "fly.frame_a");
            join(turned ? "fly.frame_a" : "fly.frame_b", "bird.frame_a");
            ready = system_new(session, "M");
            uint64_t seed = 5;
            for (int trial = 0; trial < 20; trial++) {
                double y[6], x[6]; /* pose and velocity of the bird; states */
                random_fill(&seed, y, 6, -2, 2);
                double s = sin(y[2]), c = cos(y[2]), r[6];
                memcpy(r, y, sizeof r);
                if (turned) {
                    /* frame_a is the bird, frame_b the fixed frame as the bird sees it */
                    double ux = -y[3] - y[5] * y[1], uy = -y[4] + y[5] * y[0];
                    r[0] = -(c * y[0] + s * y[1]);
                    r[1] = -(c * y[1] - s * y[0]);
                    r[2] = -y[2];
                    r[3] = c * ux + s * uy;
                    r[4] = c * uy - s * ux;
                    r[5] = -y[5];
                }
                static const char *const names[] = {"fly.x",  "fly.y",  "fly.phi",
                                                    "fly.vx", "fly.vy", "fly.w"};
                for (int i = 0; i < 6; i++)
                    x[state_at(ready, names[i])] = r[i];
                assert_frame(x, "bird.frame_a", y, 1e-14);
                assert_near(see(x, "bird.frame_a.ax"), 0, 1e-12);
                assert_near(see(x, "bird.frame_a.ay"), -9.81, 1e-12);
                assert_near(see(x, "bird.frame_a.z"), 0, 1e-12);
            }
            end();
        }
}

/* a parabola over time; RK4 is exact for it */
static void parabola(void **state)
{
    (void)state;
    begin(0);
    add("fixed", "Planar.Fixed");
    add("fly", "Planar.FreeMotion");
    add("bird", "Planar.Body");
    set("bird.I", 1);
    set("fly.vx", 3);
    set("fly.vy", 10);
    set("fly.w", 2);
    join("fixed.frame", "fly.frame_a");
    join("fly.frame_b", "bird.frame_a");
    ready = system_new(session, "M");
    double *x = state_new(ready);
    rk4_run(ready, 0, 2, 20, x);
    assert_near(x[state_at(ready, "fly.x")], 6, 1e-13);
    assert_near(x[state_at(ready, "fly.y")], 20 - 9.81 * 2, 1e-13);
    assert_near(x[state_at(ready, "fly.phi")], 4, 1e-13);
    free(x);
    end();
}

/* seen from a turning platform a free body still falls: no force acts on it, and none on the
 * platform */
static void free_motion_on_a_turning_base(void **state)
{
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        begin(0.02);
        add("fixed", "Planar.Fixed");
        add("turn", "Planar.Revolute");
        add("platform", "Planar.Body");
        add("arm", "Planar.FixedTranslation");
        add("fly", "Planar.FreeMotion");
        add("bird", "Planar.Body");
        set("platform.I", 5);
        set("platform.m", 0);
        set("bird.I", 0.3);
        set2("arm.r", 0.5, 0.2);
        join("fixed.frame", "turn.frame_a");
        join("turn.frame_b", "platform.frame_a");
        join("turn.frame_b", "arm.frame_a");
        join("arm.frame_b", turned ? "fly.frame_b" : "fly.frame_a");
        join(turned ? "fly.frame_a" : "fly.frame_b", "bird.frame_a");
        ready = system_new(session, "M");
        uint64_t seed = 6;
        for (int trial = 0; trial < 20; trial++) {
            double x[8], dx[8];
            random_fill(&seed, x, 8, -2, 2);
            derivatives(session, ready, 0, x, dx);
            assert_near(see(x, "bird.frame_a.ax"), 0, 1e-12); /* velocities up to 2 */
            assert_near(see(x, "bird.frame_a.ay"), -9.81, 1e-12);
            assert_near(see(x, "bird.frame_a.z"), 0, 1e-12);
            assert_near(dx[state_at(ready, "turn.w")], 0, 1e-12);
        }
        end();
    }
}

/* ------------------------------------------------------------------ springs and forces */

static void spring_damper(void **state)
{
    (void)state;
    for (int damped = 0; damped < 2; damped++)
        for (int turned = 0; turned < 2; turned++) {
            double TD = 0.01;
            begin(TD);
            set("world.damped", damped);
            add("fixed", "Planar.Fixed");
            add("fly", "Planar.FreeMotion");
            add("bird", "Planar.Body");
            add("band", "Planar.SpringDamper");
            set("bird.I", 0.3);
            set2("fixed.r", 0.1, 0.2);
            const double c[3] = {10, 20, 30}, d[3] = {1, 2, 3}, l[3] = {0.5, -0.4, 0.3};
            static const char *const ends[] = {"x", "y", "phi"};
            static const char *const lengths[] = {"band.s_relx0", "band.s_rely0", "band.phi_rel0"};
            for (int i = 0; i < 3; i++) {
                char path[16];
                snprintf(path, sizeof path, "band.c_%s", ends[i]);
                set(path, c[i]);
                snprintf(path, sizeof path, "band.d_%s", ends[i]);
                set(path, d[i]);
                set(lengths[i], l[i]);
            }
            join("fixed.frame", "fly.frame_a");
            join("fly.frame_b", "bird.frame_a");
            join(turned ? "bird.frame_a" : "fixed.frame", "band.frame_a");
            join(turned ? "fixed.frame" : "bird.frame_a", "band.frame_b");
            ready = system_new(session, "M");
            static const char *const states[] = {"fly.x",  "fly.y",  "fly.phi",
                                                 "fly.vx", "fly.vy", "fly.w"};
            double x[6], dx[6], sign = turned ? -1 : 1;
            uint64_t seed = 8;
            random_fill(&seed, x, 6, -1, 1);
            derivatives(session, ready, 0, x, dx);
            for (int i = 0; i < 3; i++) {
                double s = sign * x[state_at(ready, states[i])];
                double v = sign * x[state_at(ready, states[3 + i])];
                double inertia = i == 2 ? 0.3 : 1, g = i == 1 ? -9.81 : 0;
                double d_el = damped ? d[i] + c[i] * TD : 0;
                double f = c[i] * (s - l[i]) + d[i] * v;
                double a = (inertia * g - sign * f) / (inertia + d_el * TD);
                assert_near(dx[state_at(ready, states[3 + i])], a, 1e-12);
                static const char *const el[] = {"band.frame_b.fx_el", "band.frame_b.fy_el",
                                                 "band.frame_b.t_el"};
                static const char *const ki[] = {"band.frame_a.fx_ki", "band.frame_a.fy_ki",
                                                 "band.frame_a.t_ki"};
                static const char *const rel[] = {"band.s_relx", "band.s_rely", "band.phi_rel"};
                static const char *const speed[] = {"band.v_relx", "band.v_rely", "band.w_rel"};
                assert_near(see(x, el[i]), c[i] * (s - l[i]) + d_el * sign * TD * a, 1e-12);
                assert_near(see(x, ki[i]), -d[i] * v, 1e-13);
                assert_near(see(x, rel[i]), s, 1e-15);
                assert_near(see(x, speed[i]), v, 1e-15);
            }
            end();
        }
}

static void world_force_and_sensors(void **state)
{
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        begin(1e-3);
        add("fixed", "Planar.Fixed");
        add("fly", "Planar.FreeMotion");
        add("bird", "Planar.Body");
        add("sensor", "Planar.ForceSensor");
        add("push", "Planar.WorldForce");
        add("pose", "Planar.PositionSensor");
        add("level", "Signals.Constant");
        set("bird.m", 2);
        set("bird.I", 4);
        set("fixed.phi", 0.7); /* the force keeps to the world's axes */
        set("level.k", 6);
        set("push.fy", 8);
        set("push.t", -2);
        join("fixed.frame", "fly.frame_a");
        join("fly.frame_b", turned ? "sensor.frame_b" : "sensor.frame_a");
        join(turned ? "sensor.frame_a" : "sensor.frame_b", "bird.frame_a");
        join("push.frame", "fly.frame_b");
        join("pose.frame", "bird.frame_a");
        join("level.y", "push.fx");
        ready = system_new(session, "M");
        double x[6];
        uint64_t seed = 10;
        random_fill(&seed, x, 6, -1, 1);
        assert_near(see(x, "bird.frame_a.ax"), 6.0 / 2, 1e-13);
        assert_near(see(x, "bird.frame_a.ay"), 8.0 / 2 - 9.81, 1e-13);
        assert_near(see(x, "bird.frame_a.z"), -2.0 / 4, 1e-13);
        double sign = turned ? -1 : 1;
        assert_near(see(x, "sensor.fx"), sign * 6, 1e-12); /* the bird alone is beyond the sensor */
        assert_near(see(x, "sensor.fy"), sign * 8, 1e-12);
        assert_near(see(x, "sensor.t"), sign * -2, 1e-12);
        assert_near(see(x, "pose.x"), see(x, "bird.frame_a.x"), 0);
        assert_near(see(x, "pose.y"), see(x, "bird.frame_a.y"), 0);
        assert_near(see(x, "pose.phi"), see(x, "bird.frame_a.phi"), 0);
        end();
    }
}

/* ------------------------------------------------------------------ contact */

/* a wall on one free body and a disc on another; states of both at random, close together */
static void contact_rig(double TD, double damped)
{
    begin(TD);
    set("world.damped", damped);
    set("world.g", 0);
    add("fixed", "Planar.Fixed");
    add("one", "Planar.FreeMotion");
    add("two", "Planar.FreeMotion");
    add("house", "Planar.Body");
    add("disc", "Planar.Body");
    add("contact", "Planar.Contact");
    set("house.m", 3);
    set("house.I", 0.7);
    set("disc.m", 2);
    set("disc.I", 0.3);
    set2("contact.wall.n", 3, 4);
    set("contact.wall.radius", 0.5);
    set("contact.touch.c", 1e3);
    set("contact.touch.d", 5);
    set("contact.touch.mu_A", 0.6);
    set("contact.touch.mu_S", 0.4);
    join("fixed.frame", "one.frame_a");
    join("fixed.frame", "two.frame_a");
    join("one.frame_b", "house.frame_a");
    join("two.frame_b", "disc.frame_a");
    join("house.frame_a", "contact.frame_a");
    join("disc.frame_a", "contact.frame_b");
    ready = system_new(session, "M");
}

/* the same by vectors in the world: both forces in the point p_b - R n, from relative velocities
 * there; with d_el the unknown accelerations stand on both sides, which the check puts in */
static void contact(void **state)
{
    (void)state;
    static const char *const coordinates[] = {"x", "y", "phi", "vx", "vy", "w"};
    uint64_t seed = 5;
    int touching = 0;
    for (int variant = 0; variant < 3; variant++) {
        double TD = variant ? 0.01 : 0, damped = variant != 1;
        contact_rig(TD, damped);
        for (int trial = 0; trial < 40; trial++) {
            double x[12], dx[12], q[2][6], a[2][3];
            size_t at[2][6];
            for (int b = 0; b < 2; b++)
                for (int i = 0; i < 6; i++) {
                    char path[16];
                    snprintf(path, sizeof path, "%s.%s", b ? "two" : "one", coordinates[i]);
                    at[b][i] = state_at(ready, path);
                }
            random_fill(&seed, x, 12, -0.5, 0.5);
            /* slips from far below adhesion to sliding */
            if (trial % 4 == 0)
                for (int i = 3; i < 6; i++)
                    x[at[0][i]] = x[at[1][i]] = 0;
            derivatives(session, ready, 0, x, dx);
            for (int b = 0; b < 2; b++)
                for (int i = 0; i < 6; i++) {
                    q[b][i] = x[at[b][i]];
                    if (i >= 3)
                        a[b][i - 3] = dx[at[b][i]];
                }
            double angle = q[0][2] + atan2(4, 3), nx = cos(angle), ny = sin(angle);
            double gap = nx * (q[1][0] - q[0][0]) + ny * (q[1][1] - q[0][1]) - 0.5;
            double px = q[1][0] - 0.5 * nx, py = q[1][1] - 0.5 * ny;
            assert_near(see(x, "contact.wall.gap"), gap, 1e-14);
            assert_near(see(x, "contact.wall.x"), px, 1e-14);
            assert_near(see(x, "contact.wall.y"), py, 1e-14);
            /* velocities of the two in the point; elastic less kinetic ones are T_D a */
            double u[2][2], e[2][2];
            for (int b = 0; b < 2; b++) {
                double rx = px - q[b][0], ry = py - q[b][1];
                u[b][0] = q[b][3] - q[b][5] * ry;
                u[b][1] = q[b][4] + q[b][5] * rx;
                e[b][0] = TD * (a[b][0] - a[b][2] * ry);
                e[b][1] = TD * (a[b][1] + a[b][2] * rx);
            }
            double ux = u[1][0] - u[0][0], uy = u[1][1] - u[0][1];
            double ex = e[1][0] - e[0][0], ey = e[1][1] - e[0][1];
            double approach = nx * ux + ny * uy, slip = nx * uy - ny * ux;
            double fn = 0, ft = 0;
            if (gap < 0) {
                double N = fmax(-(1e3 * gap + 5 * approach), 0), speed = fabs(slip);
                double middle = (speed - 0.0055) / 0.0045; /* from 1e-3 to 1e-2 m/s */
                double rising = 0.6 * (1.5 * speed / 1e-3 - 0.5 * pow(speed / 1e-3, 3));
                double mu = speed > 1e-2   ? 0.4
                            : speed > 1e-3 ? 0.5 - 0.1 * (1.5 * middle - 0.5 * pow(middle, 3))
                                           : rising;
                double slope = speed > 0 ? N * mu / speed : N * 0.6 * 1.5 / 1e-3;
                fn = -1e3 * gap - 5 * approach;
                ft = -N * copysign(mu, slip) * (speed > 0);
                if (damped && TD > 0) {
                    fn -= (5 + 1e3 * TD) * (nx * ex + ny * ey);
                    ft -= slope * (nx * ey - ny * ex);
                }
                touching++;
            }
            double fx = fn * nx - ft * ny, fy = fn * ny + ft * nx; /* on the disc */
            double tight = 1e-11 * (1 + fabs(fn) + fabs(ft));
            for (int b = 0; b < 2; b++) {
                double sign = b ? 1 : -1, rx = px - q[b][0], ry = py - q[b][1];
                double m = b ? 2 : 3, I = b ? 0.3 : 0.7;
                assert_near(m * a[b][0], sign * fx, tight);
                assert_near(m * a[b][1], sign * fy, tight);
                assert_near(I * a[b][2], sign * (rx * fy - ry * fx), tight);
            }
        }
        end();
    }
    assert_true(touching > 60);
}

/* the ways of getting it wrong */
static void contact_refused(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        begin(0);
        add("fixed", "Planar.Fixed");
        add("contact", "Planar.Contact");
        if (k == 0) {
            set2("contact.wall.n", 0, 0);
        } else {
            set2("contact.wall.n", 0, 1);
            set("contact.touch.vSlide", 1e-4);
        }
        join("fixed.frame", "contact.frame_a");
        join("fixed.frame", "contact.frame_b");
        assert_null(lieder_system_create(session, "M", NULL));
        const LiederDiagnostic *d = lieder_diagnostic_get(session, 0);
        assert_non_null(strstr(d->message, k ? "velocity of sliding" : "normal n"));
        end();
    }
}

/* ------------------------------------------------------------------ joints with a flange */

/* gap between support and flange_a: the joint is limited to s >= l */
static void limited_joint(void **state)
{
    (void)state;
    begin(0);
    add("fixed", "Planar.Fixed");
    add("slide", "Planar.Prismatic");
    add("block", "Planar.Body");
    add("stop", "Translational.ElastoGap");
    set2("slide.r", 0, 1);
    set("stop.c", 1000);
    set("stop.l", 0.5);
    join("fixed.frame", "slide.frame_a");
    join("slide.frame_b", "block.frame_a");
    join("slide.support", "stop.flange_a");
    join("slide.flange_a", "stop.flange_b");
    ready = system_new(session, "M");
    double x[2], dx[2];
    size_t s = state_at(ready, "slide.s"), v = state_at(ready, "slide.v");
    x[v] = 0;
    x[s] = 0.6;
    derivatives(session, ready, 0, x, dx);
    assert_near(dx[v], -9.81, 1e-13);
    x[s] = 0.4;
    derivatives(session, ready, 0, x, dx);
    assert_near(dx[v], -9.81 + 1000 * 0.1, 1e-11);
    end();
}

/* motor, spring, friction and rotor on a revolute; the reaction goes into its base */
static void driven_joint(void **state)
{
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        begin(0);
        add("fixed", "Planar.Fixed");
        add("turn", "Planar.Revolute");
        add("wheel", "Planar.Body");
        add("motor", "Rotational.Torque");
        add("spring", "Rotational.Spring");
        add("friction", "Rotational.DryFriction");
        add("rotor", "Rotational.Inertia");
        set("wheel.I", 2);
        set("wheel.m", 0);
        set("rotor.J", 3);
        set("spring.c", 10);
        set("motor.tau", 4);
        join("fixed.frame", turned ? "turn.frame_b" : "turn.frame_a");
        join(turned ? "turn.frame_a" : "turn.frame_b", "wheel.frame_a");
        join("motor.flange", "turn.flange_a");
        join("turn.support", "spring.flange_a");
        join("turn.flange_a", "spring.flange_b");
        join("turn.support", "friction.flange_a");
        join("turn.flange_a", "friction.flange_b");
        join("rotor.flange_a", "turn.flange_a");
        ready = system_new(session, "M");
        double x[2], dx[2];
        size_t phi = state_at(ready, "turn.phi"), w = state_at(ready, "turn.w");
        x[phi] = 0.3;
        x[w] = 5;
        derivatives(session, ready, 0, x, dx);
        assert_near(dx[w], (4 - 3 - 0.7) / (2 + 3), 1e-14);
        end();
    }
}

/* g of the world, of an inner world, and of one body */
static void gravity(void **state)
{
    (void)state;
    Lieder *s = session_new();
    LiederModel *moon = lieder_model_create(s, "Moon", "");
    lieder_model_add(moon, "world", "World");
    lieder_model_set(moon, "world.g", 1.62);
    lieder_model_add(moon, "crab", "Examples.CraneCrab");
    LiederModel *m = lieder_model_create(s, "M", "");
    lieder_model_add(m, "crab", "Examples.CraneCrab");
    lieder_model_add(m, "moon", "Moon");
    lieder_model_add(m, "world", "World");
    lieder_model_set(m, "world.g", 5);
    lieder_model_set(m, "world.TD", 0.125);
    lieder_model_set(m, "crab.load.g", 7);
    LiederSystem *system = system_new(s, "M");
    static const struct {
        const char *path;
        double value;
    } expected[] = {{"crab.cart.g", 5},
                    {"crab.load.g", 7},
                    {"moon.crab.load.g", 1.62},
                    {"crab.prismatic.TD", 0.125},
                    {"moon.crab.revolute.TD", 1e-3}};
    for (int i = 0; i < 5; i++) {
        double value;
        assert_int_equal(lieder_system_get(system, expected[i].path, &value), LIEDER_DONE);
        assert_near(value, expected[i].value, 0);
    }
    lieder_system_destroy(system);
    lieder_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_links),   cmocka_unit_test(prismatic),
        cmocka_unit_test(bead_on_a_rod), cmocka_unit_test(free_fall),
        cmocka_unit_test(parabola),      cmocka_unit_test(free_motion_on_a_turning_base),
        cmocka_unit_test(spring_damper), cmocka_unit_test(world_force_and_sensors),
        cmocka_unit_test(contact),       cmocka_unit_test(contact_refused),
        cmocka_unit_test(limited_joint), cmocka_unit_test(driven_joint),
        cmocka_unit_test(gravity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
