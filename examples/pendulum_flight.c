/* pendulum_flight.c - modes of different dimension (paper 002, case study 3).
 *
 * A mass on a rope turns about a fixed point. While the rope is tight (bound: 2 states)
 *
 *   phi'' = g/l sin phi - k/m phi',   rope force F = m l phi'^2 - m g cos phi
 *
 * with phi from the upper perpendicular. Where F falls below zero it flies (4 states),
 *
 *   m x'' = -k x',   m y'' = -m g - k y'
 *
 * until x^2 + y^2 = l^2, where the radial velocity is lost. In the second run the mass dives,
 * bound, through a medium with another damping: a third mode, the same class with another k.
 */
#include <math.h>
#include <stdio.h>

#include <lieder/component.h>
#include <lieder/modes.h>

#define PENDULUM_G   9.81
#define MEDIUM_BEGIN (6 * M_PI / 7) /* and 8 pi / 7: where cos phi is less than here */

/* 1. the bound pendulum */
typedef struct Bound {
    real m, k, l;
    real phi, w, dphi, dw, force;
} Bound;

static inline void bound_explicit(Bound *c, Signal *y, Call call)
{
    (void)call;
    real s, co;
    sine_cosine(c->phi, &s, &co);
    c->dphi = c->w;
    c->dw = PENDULUM_G / c->l * s - c->k / c->m * c->w;
    c->force = c->m * (c->l * c->w * c->w - PENDULUM_G * co);
    y->y = c->phi;
}

#define CLASS    Bound
#define PORTS(X) X(0, OUT, Signal)
#define EXPLICIT bound_explicit
#include <lieder/kernels.inc>

/* 2. the flying mass */
typedef struct Flying {
    real m, k;
    real x, y, vx, vy, dx, dy, dvx, dvy;
} Flying;

static inline void flying_explicit(Flying *c, Signal *y, Call call)
{
    (void)call;
    c->dx = c->vx;
    c->dy = c->vy;
    c->dvx = -c->k / c->m * c->vx;
    c->dvy = -PENDULUM_G - c->k / c->m * c->vy;
    y->y = c->y;
}

#define CLASS    Flying
#define PORTS(X) X(0, OUT, Signal)
#define EXPLICIT flying_explicit
#include <lieder/kernels.inc>

static const LiederPortDef pendulum_ports[] = {
    {.name = "out", .domain = &lieder_signal, .role = LIEDER_OUT, .optional = true}};
static const LiederMember bound_members[] = {
    PARAMETER(Bound, m, "kg", 1.5, AT_LEAST(0), "mass"),
    PARAMETER(Bound, k, "kg/s", 0.9, AT_LEAST(0), "damping"),
    PARAMETER(Bound, l, "m", 1, AT_LEAST(0), "length of the rope"),
    STATE(Bound, phi, dphi, "rad", M_PI / 4, "angle from the upper perpendicular"),
    STATE(Bound, w, dw, "rad/s", 15, "its velocity"),
    OBSERVABLE(Bound, force, "N", "of the rope"),
};
static const LiederMember flying_members[] = {
    PARAMETER(Flying, m, "kg", 1.5, AT_LEAST(0), "mass"),
    PARAMETER(Flying, k, "kg/s", 0.9, AT_LEAST(0), "damping"),
    STATE(Flying, x, dx, "m", 0, "position"),
    STATE(Flying, y, dy, "m", 0, "position"),
    STATE(Flying, vx, dvx, "m/s", 0, "velocity"),
    STATE(Flying, vy, dvy, "m/s", 0, "velocity"),
};
static const LiederClassDef bound_class = {.name = "Bound",
                                           .text = "Pendulum on a tight rope",
                                           .nport = 1,
                                           .ports = pendulum_ports,
                                           .nmember = LIEDER_COUNT(bound_members),
                                           .members = bound_members,
                                           .kernels = &Bound_kernels};
static const LiederClassDef flying_class = {.name = "Flying",
                                            .text = "Mass on a loose rope",
                                            .nport = 1,
                                            .ports = pendulum_ports,
                                            .nmember = LIEDER_COUNT(flying_members),
                                            .members = flying_members,
                                            .kernels = &Flying_kernels};

/* 3. the transitions; states stand in the order of the table */
static void let_go(void *user, double t, const double *x, double *y)
{
    (void)user;
    (void)t;
    y[0] = sin(x[0]);
    y[1] = cos(x[0]);
    y[2] = x[1] * cos(x[0]);
    y[3] = -x[1] * sin(x[0]);
}

static void catch (void *user, double t, const double *x, double *y)
{
    (void)user;
    (void)t;
    double phi = atan2(x[0], x[1]);
    y[0] = phi < 0 ? phi + 2 * M_PI : phi;
    y[1] = x[2] * cos(phi) - x[3] * sin(phi);
}

/* where it lets go the mass is on the circle and leaves it with t^3: a margin for rounding */
static double slack(void *user, double t, const double *x)
{
    (void)user;
    (void)t;
    return 1 + 1e-12 - hypot(x[0], x[1]);
}

static double above_medium(void *user, double t, const double *x)
{
    (void)user;
    (void)t;
    return cos(x[0]) - cos(MEDIUM_BEGIN);
}

static double outside_tenth(void *user, double t, const double *x)
{
    (void)user;
    (void)t;
    return cos(x[0]) - cos(0.9 * M_PI);
}

static double velocity(void *user, double t, const double *x)
{
    (void)user;
    (void)t;
    return x[1];
}

enum { PENDULUM_BOUND, PENDULUM_FLYING, PENDULUM_DIVING };
typedef struct Pendulum {
    LiederSystem *systems[3];
    LiederModes *modes;
} Pendulum;

/* k2: damping in the medium; 0: there is none */
static Pendulum pendulum_create(Lieder *session, double k2)
{
    static const char *const names[] = {"bound", "flying", "diving"};
    Pendulum p = {.modes = lieder_modes_create(session)};
    for (int i = 0; i < 3; i++) {
        char name[40];
        snprintf(name, sizeof name, "%s.%g", names[i], k2);
        LiederModel *m = lieder_model_create(session, name, "");
        lieder_model_add(m, "mass", i == PENDULUM_FLYING ? "Flying" : "Bound");
        if (i == PENDULUM_DIVING)
            lieder_model_set(m, "mass.k", k2);
        p.systems[i] = lieder_system_create(session, name, NULL);
        lieder_modes_add(p.modes, names[i], p.systems[i]);
    }
    LiederTransition t[] = {
        {.from = PENDULUM_BOUND,
         .to = PENDULUM_FLYING,
         .path = "mass.force",
         .at_entry = true,
         .map = let_go},
        {.from = PENDULUM_FLYING, .to = PENDULUM_BOUND, .guard = slack, .map = catch},
        {.name = "turning", .guard = velocity, .direction = LIEDER_EITHER},
        {.from = PENDULUM_BOUND, .to = PENDULUM_DIVING, .guard = above_medium},
        {.from = PENDULUM_DIVING,
         .to = PENDULUM_BOUND,
         .guard = above_medium,
         .direction = LIEDER_RISING},
        {.name = "turning",
         .from = PENDULUM_DIVING,
         .to = PENDULUM_DIVING,
         .guard = velocity,
         .direction = LIEDER_EITHER},
        {.name = "calm", .from = PENDULUM_DIVING, .to = PENDULUM_DIVING, .guard = outside_tenth},
    };
    for (int i = 0; i < (k2 > 0 ? 7 : 3); i++)
        lieder_modes_connect(p.modes, &t[i]);
    return p;
}

static void pendulum_destroy(Pendulum *p)
{
    lieder_modes_destroy(p->modes);
    for (int i = 0; i < 3; i++)
        lieder_system_destroy(p->systems[i]);
}

/* Prints changes of modes. The run ends at the first turning point below pi/10; in the medium,
 * which damps more than critically, the pendulum creeps below it once and for all. */
typedef struct Print {
    size_t mode;
    double calm; /* when it came below pi/10, last */
} Print;

static bool print_change(void *user, size_t mode, double t, const double *x, LiederRow kind)
{
    static const char *const names[] = {"bound", "flying", "diving"};
    Print *p = user;
    bool flies = mode == PENDULUM_FLYING, event = kind == LIEDER_ROW_BEFORE_EVENT && !flies;
    if (kind == LIEDER_ROW_AFTER_EVENT && mode != p->mode)
        printf("%18.13f  %-7s %9.5f %9.5f\n", t, names[mode], flies ? x[0] : sin(x[0]),
               flies ? x[1] : cos(x[0]));
    p->mode = mode;
    if (event && fabs(outside_tenth(NULL, t, x)) < 1e-9)
        p->calm = t;
    if (!event || fabs(x[1]) > 1e-6 || outside_tenth(NULL, t, x) > 0)
        return true;
    p->calm = t;
    return false;
}

int main(void)
{
    Lieder *session = lieder_create(NULL);
    if (!session || lieder_class_register(session, &bound_class) != LIEDER_DONE ||
        lieder_class_register(session, &flying_class) != LIEDER_DONE)
        return 1;
    for (int run = 0; run < 2; run++) {
        Pendulum p = pendulum_create(session, run ? 12.9 : 0);
        LiederModesOptions o = lieder_modes_defaults();
        LiederModesStatistics s;
        Print print = {PENDULUM_BOUND, 0};
        o.run.stop = 20;
        o.run.solver = LIEDER_RK4;
        o.run.step = 1e-3;
        o.output = print_change;
        o.user = &print;
        printf(run ? "with a medium, k2 = 12.9 kg/s\n" : "k = 0.9 kg/s\n");
        printf("            time/s  mode          x/m       y/m\n");
        lieder_modes_simulate(p.modes, &o, &s);
        printf("%18.13f  does not exceed pi/10 any more; %zu transitions, %zu steps\n\n",
               print.calm, s.transitions, s.run.steps);
        lieder_diagnostic_print_all(session, stderr);
        pendulum_destroy(&p);
    }
    lieder_destroy(session);
    return 0;
}
