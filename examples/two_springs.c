/* two_springs.c - a holonomic constraint on two levels (paper 004, TwoSpringsWithConstraint).
 *
 *   m1 s1'' = -s1 + f,   m2 s2'' = -20 (s2 - 5) - 2 |s2| f,   s1 = |s2| s2
 *
 * On the level of positions the constraint leaves one coordinate. With s1' = 2 |s2| v2,
 * s1'' = 2 |s2| v2' + 2 sign(s2) v2^2 the force f drops out:
 *
 *   s2' = v2,   (m2 + 4 m1 s2^2) v2' = -20 (s2 - 5) - 2 |s2| s1 - 4 m1 s2 v2^2
 *
 * and s1 is computed from s2. On the level of velocities s1 is integrated on its own, s1' = 2 |s2|
 * v2: no equation holds it on the constraint, and it drifts off with the error of the solver.
 */
#include <math.h>
#include <stdio.h>

#include <lieder/component.h>
#include <lieder/simulate.h>

typedef struct Springs {
    real m1, m2;
    real s1, s2, v2, ds1, ds2, dv2; /* s1 and ds1 are states of DriftingSprings only */
    real error, energy;
} Springs;

static inline void springs_rates(Springs *c)
{
    real slope = 2.0 * absolute(c->s2), v1 = slope * c->v2, stretch = c->s2 - 5.0;
    c->ds1 = v1;
    c->ds2 = c->v2;
    c->dv2 = -(20.0 * stretch + slope * c->s1 + 4.0 * c->m1 * c->s2 * c->v2 * c->v2) /
             (c->m2 + c->m1 * slope * slope);
    c->error = c->s1 - absolute(c->s2) * c->s2;
    c->energy =
        0.5 * (c->m1 * v1 * v1 + c->m2 * c->v2 * c->v2 + c->s1 * c->s1) + 10.0 * stretch * stretch;
}

static inline void springs_explicit(Springs *c, Signal *y, Call call)
{
    (void)call;
    c->s1 = absolute(c->s2) * c->s2;
    springs_rates(c);
    y->y = c->s1;
}

#define CLASS    Springs
#define PORTS(X) X(0, OUT, Signal)
#define EXPLICIT springs_explicit
#include <lieder/kernels.inc>

typedef Springs DriftingSprings;

static inline void drifting_explicit(DriftingSprings *c, Signal *y, Call call)
{
    (void)call;
    springs_rates(c);
    y->y = c->s1;
}

#define CLASS    DriftingSprings
#define PORTS(X) X(0, OUT, Signal)
#define EXPLICIT drifting_explicit
#include <lieder/kernels.inc>

static const LiederPortDef springs_ports[] = {
    {.name = "y", .domain = &lieder_signal, .role = LIEDER_OUT, .optional = true}};
#define SPRINGS_MEMBERS                                                                            \
    PARAMETER(Springs, m1, "kg", 10, AT_LEAST(0), "mass at s1"),                                   \
        PARAMETER(Springs, m2, "kg", 2, AT_LEAST(0), "mass at s2"),                                \
        STATE(Springs, s2, ds2, "m", 0, "position"),                                               \
        STATE(Springs, v2, dv2, "m/s", 0, "velocity"),                                             \
        OBSERVABLE(Springs, error, "m", "s1 - |s2| s2"),                                           \
        OBSERVABLE(Springs, energy, "J", "of masses and springs")
static const LiederMember springs_members[] = {SPRINGS_MEMBERS,
                                               OBSERVABLE(Springs, s1, "m", "position")};
static const LiederMember drifting_members[] = {SPRINGS_MEMBERS,
                                                STATE(Springs, s1, ds1, "m", 0, "position")};
static const LiederClassDef springs_classes[] = {{.name = "Springs",
                                                  .text = "Constraint on positions",
                                                  .nport = 1,
                                                  .ports = springs_ports,
                                                  .nmember = LIEDER_COUNT(springs_members),
                                                  .members = springs_members,
                                                  .kernels = &Springs_kernels},
                                                 {.name = "DriftingSprings",
                                                  .text = "Constraint on velocities",
                                                  .nport = 1,
                                                  .ports = springs_ports,
                                                  .nmember = LIEDER_COUNT(drifting_members),
                                                  .members = drifting_members,
                                                  .kernels = &DriftingSprings_kernels}};

/* the largest errors of a run */
typedef struct Worst {
    LiederObserver *observer;
    double constraint, energy, s1;
} Worst;

static bool keep_worst(void *user, double t, const double *x, LiederRow kind)
{
    (void)kind;
    Worst *w = user;
    double value[3];
    if (lieder_observer_evaluate(w->observer, t, x, value) != LIEDER_DONE)
        return false;
    w->constraint = fmax(w->constraint, fabs(value[0]));
    w->energy = fmax(w->energy, fabs(value[1] - 250)); /* at the start: 20/2 5^2 */
    w->s1 = fmax(w->s1, value[2]);
    return true;
}

/* level 0: positions, 1: velocities */
static LiederSystem *springs_create(Lieder *session, int level)
{
    const char *name = level ? "OnVelocities" : "OnPositions";
    LiederModel *m = lieder_model_create(session, name, "");
    lieder_model_add(m, "pair", springs_classes[level].name);
    return lieder_system_create(session, name, NULL);
}

static Worst springs_run(LiederSystem *system, LiederSimulateOptions o)
{
    Worst w = {.observer = lieder_observer_create(system)};
    lieder_observer_add(w.observer, "pair.error");
    lieder_observer_add(w.observer, "pair.energy");
    lieder_observer_add(w.observer, "pair.s1");
    o.output = keep_worst;
    o.user = &w;
    lieder_simulate(system, &o, NULL);
    lieder_observer_destroy(w.observer);
    return w;
}

int main(void)
{
    static const char *const levels[] = {"position", "velocity"};
    Lieder *session = lieder_create(NULL);
    if (!session || lieder_class_register(session, &springs_classes[0]) != LIEDER_DONE ||
        lieder_class_register(session, &springs_classes[1]) != LIEDER_DONE)
        return 1;
    LiederSystem *systems[] = {springs_create(session, 0), springs_create(session, 1)};
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.stop = 100;
    printf("solver     tolerance or step  constraint on  s1 - |s2| s2/m   energy error/J of 250\n");
    for (int run = 0; run < 3; run++)
        for (int level = 0; level < 2; level++) {
            o.solver = run < 2 ? LIEDER_BDF : LIEDER_RK4;
            o.tolerance = run == 0 ? 1e-2 : 1e-6; /* the first is that of the paper */
            o.step = run == 2 ? 1e-3 : 0;
            Worst w = springs_run(systems[level], o);
            printf("%-8s %19.0e  %-13s %15.1e %23.1e\n", lieder_solver_name(o.solver),
                   run < 2 ? o.tolerance : o.step, levels[level], w.constraint, w.energy);
        }
    lieder_diagnostic_print_all(session, stderr);
    lieder_system_destroy(systems[0]);
    lieder_system_destroy(systems[1]);
    lieder_destroy(session);
    return 0;
}
