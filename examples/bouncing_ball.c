/* bouncing_ball.c - events, Zeno and contact in a class of one's own (paper 002, case study 1).
 *
 * A ball falls from 10 m, x'' = -g - beta v |v|. Ball loses a part of its velocity at each impact:
 * an event. In a vacuum impact m is at t1 (2 (1 - e^m) / (1 - e) - 1), and at t1 (1 + e) / (1 - e)
 * there have been infinitely many: the run holds the floor from there on. ElasticBall is soft: a
 * spring and a damper push it up, never down, x'' = -g + max(-k x - d v, 0) for x < 0.
 */
#include <math.h>
#include <stdio.h>

#include <lieder/component.h>
#include <lieder/simulate.h>

/* 1. impact by an event; a memory of 2 says that events came too fast: at rest */
typedef struct Ball {
    real g, e, beta;
    real x, v, dx, dv;
    real below;
} Ball;

static inline void ball_explicit(Ball *c, Signal *y, Call call)
{
    hold_choice(call, (mask)(c->x < 0.0), &c->below);
    mask rest = (mask)(c->below > 1.5);
    c->dx = choose(rest, 0.0, c->v);
    c->dv = choose(rest, 0.0, -c->g - c->beta * c->v * absolute(c->v));
    y->y = c->x;
}

static inline void ball_event(Ball *c, Signal *y, Call call)
{
    (void)y;
    (void)call;
    mask rest = (mask)(c->below > 1.5), hit = (mask)(c->below > 0.5) & (mask)(c->v < 0.0);
    c->v = choose(rest, 0.0, choose(hit, -c->e * c->v, c->v));
    c->x = choose(rest, 0.0, choose(hit, 0.0, c->x));
}

#define CLASS    Ball
#define PORTS(X) X(0, OUT, Signal)
#define EXPLICIT ball_explicit
#define EVENT    ball_event
#include <lieder/kernels.inc>

/* 2. contact by a force; it acts where both k x and k x + d v are negative */
typedef struct ElasticBall {
    real g, k, d;
    real x, v, dx, dv;
    real gap, contact, force;
} ElasticBall;

static inline void elastic_explicit(ElasticBall *c, Signal *y, Call call)
{
    real pull = c->k * c->x + c->d * c->v;
    c->gap = maximum(c->k * c->x, pull);
    c->force = choose(hold_choice(call, (mask)(c->gap < 0.0), &c->contact), -pull, 0.0);
    c->dx = c->v;
    c->dv = c->force - c->g;
    y->y = c->x;
}

#define CLASS    ElasticBall
#define PORTS(X) X(0, OUT, Signal)
#define EXPLICIT elastic_explicit
#include <lieder/kernels.inc>

static const LiederPortDef ball_ports[] = {
    {.name = "y", .domain = &lieder_signal, .role = LIEDER_OUT, .optional = true}};
static const LiederMember ball_members[] = {
    PARAMETER(Ball, g, "m/s2", 9.81, ANY, "gravity"),
    PARAMETER(Ball, e, "", 0.9, BETWEEN(0, 1), "restitution"),
    PARAMETER(Ball, beta, "1/m", 0, AT_LEAST(0), "air drag"),
    STATE(Ball, x, dx, "m", 10, "height"),
    STATE(Ball, v, dv, "m/s", 0, "velocity"),
    CROSSING(Ball, x, below, LIEDER_EDGE, "m", "negative below the floor")};
static const LiederMember elastic_members[] = {
    PARAMETER(ElasticBall, g, "m/s2", 9.81, ANY, "gravity"),
    PARAMETER(ElasticBall, k, "1/s2", 1e6, AT_LEAST(0), "stiffness by mass"),
    PARAMETER(ElasticBall, d, "1/s", 500, AT_LEAST(0), "damping by mass"),
    STATE(ElasticBall, x, dx, "m", 10, "height"),
    STATE(ElasticBall, v, dv, "m/s", 0, "velocity"),
    OBSERVABLE(ElasticBall, force, "m/s2", "contact force by mass"),
    CROSSING(ElasticBall, gap, contact, LIEDER_EDGE, "m/s2", "negative in contact")};
static const LiederClassDef ball_class = {.name = "Ball",
                                          .text = "Ball that bounces by an event",
                                          .nport = 1,
                                          .ports = ball_ports,
                                          .nmember = LIEDER_COUNT(ball_members),
                                          .members = ball_members,
                                          .kernels = &Ball_kernels};
static const LiederClassDef elastic_class = {.name = "ElasticBall",
                                             .text = "Ball that bounces by a force",
                                             .nport = 1,
                                             .ports = ball_ports,
                                             .nmember = LIEDER_COUNT(elastic_members),
                                             .members = elastic_members,
                                             .kernels = &ElasticBall_kernels};

/* 3. runs */
typedef struct Impacts {
    int n, most;
    double first; /* time of the first one in closed form */
    double e, power;
} Impacts;

static bool print_impact(void *user, double t, const double *x, LiederRow kind)
{
    Impacts *i = user;
    if (kind != LIEDER_ROW_BEFORE_EVENT)
        return true;
    double exact = i->first * (1 + 2 * i->e * (1 - i->power) / (1 - i->e));
    i->power *= i->e;
    if (i->n++ % 10 == 0 && i->n <= i->most)
        printf("%5d %18.13f %9.1e %12.4e\n", i->n, t, t - exact, x[1]);
    return true;
}

static bool print_contact(void *user, double t, const double *x, LiederRow kind)
{
    int *n = user;
    if (kind == LIEDER_ROW_BEFORE_EVENT && ++*n <= 6)
        printf("%18.13f  %-6s %12.4e %12.6f\n", t, *n % 2 ? "touch" : "leave", x[0], x[1]);
    return true;
}

static LiederSystem *ball_create(Lieder *session, const char *name, const char *class_name)
{
    LiederModel *m = lieder_model_create(session, name, "");
    lieder_model_add(m, "ball", class_name);
    return lieder_system_create(session, name, NULL);
}

int main(void)
{
    Lieder *session = lieder_create(NULL);
    if (!session || lieder_class_register(session, &ball_class) != LIEDER_DONE ||
        lieder_class_register(session, &elastic_class) != LIEDER_DONE)
        return 1;
    LiederSystem *ball = ball_create(session, "Bouncing", "Ball");
    LiederSystem *soft = ball_create(session, "Soft", "ElasticBall");
    Impacts vacuum = {.first = sqrt(2 * 10 / 9.81), .e = 0.9, .power = 1, .most = 121};
    LiederSimulateOptions o = lieder_simulate_defaults();
    LiederStatistics s;
    int contacts = 0;
    o.tolerance = 1e-10;
    o.stop = 30;
    o.chatter = LIEDER_CHATTER_HOLD;
    o.output = print_impact;
    o.user = &vacuum;
    printf("impact             time/s     error velocity/(m/s)\n");
    lieder_simulate(ball, &o, &s);
    printf("%d impacts; the floor is held from the Zeno point %.13f on\n\n", vacuum.n,
           vacuum.first * 1.9 / 0.1);
    lieder_system_set(ball, "ball.beta", 0.002);
    Impacts drag = {
        .first = acosh(exp(0.002 * 10)) / sqrt(9.81 * 0.002), .e = 0.9, .power = 1, .most = 1};
    o.user = &drag;
    o.stop = 2;
    printf("with air drag, beta = 0.002 1/m\n");
    lieder_simulate(ball, &o, &s);
    o.output = print_contact;
    o.user = &contacts;
    o.stop = 5;
    o.solver = LIEDER_BDF;
    printf("\nelastic, k = 1e6 1/s2, d = 500 1/s\n            time/s           height/m "
           "velocity/(m/s)\n");
    lieder_simulate(soft, &o, &s);
    lieder_diagnostic_print_all(session, stderr);
    lieder_system_destroy(ball);
    lieder_system_destroy(soft);
    lieder_destroy(session);
    return 0;
}
