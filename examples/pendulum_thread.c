/* pendulum_thread.c - the pendulum of pendulum_flight.c without modes: a dialectic thread.
 *
 * Paper 001, figure 5: the mass hangs on a prismatic joint that turns about a fixed point, and an
 * ElastoGap on the joint's flange is the thread. The set of states is always the same; tight and
 * slack are a matter of force. Dialectic mechanics bounds the eigenvalues by 1/T_D, so an explicit
 * method with a step of T_D gets through however stiff the thread is. The price is a deviation,
 * which the table shows against the ideal rope, where the radial velocity is lost at once.
 */
#include <math.h>
#include <stdio.h>

#include <lieder/simulate.h>

static const double THREAD_FLYING = 1.921999019786355, THREAD_BOUND = 2.661498894058365;

static LiederSystem *thread_create(Lieder *session, double TD)
{
    char name[40];
    snprintf(name, sizeof name, "Thread.%g", TD);
    LiederModel *m = lieder_model_create(session, name, "pendulum on a thread");
    lieder_model_add(m, "world", "World");
    lieder_model_add(m, "fixed", "Planar.Fixed");
    lieder_model_add(m, "revolute", "Planar.Revolute");
    lieder_model_add(m, "prismatic", "Planar.Prismatic");
    lieder_model_add(m, "body", "Planar.Body");
    lieder_model_add(m, "air", "Planar.SpringDamper"); /* damper to the world: -k v */
    lieder_model_add(m, "end", "Translational.Fixed");
    lieder_model_add(m, "thread", "Translational.ElastoGap");
    lieder_model_set(m, "world.TD", TD);
    lieder_model_set(m, "body.m", 1.5);
    lieder_model_set(m, "air.c_x", 0);
    lieder_model_set(m, "air.c_y", 0);
    lieder_model_set(m, "air.c_phi", 0);
    lieder_model_set(m, "air.d_x", 0.9);
    lieder_model_set(m, "air.d_y", 0.9);
    lieder_model_set_vector(m, "prismatic.r", (double[]){1, 0}, 2);
    lieder_model_set(m, "revolute.phi", M_PI / 2 - M_PI / 4); /* from the x axis, the other way */
    lieder_model_set(m, "revolute.w", -15);
    double c = 1e10; /* 327 N stretch it by 33 nm */
    lieder_model_set(m, "prismatic.s", 1 + 1.5 * (225 - 9.81 * cos(M_PI / 4)) / c);
    lieder_model_set(m, "end.s", 1);
    lieder_model_set(m, "thread.c", c);
    lieder_model_set(m, "thread.d", 2 * sqrt(c * 1.5)); /* no bounce: the radial velocity is lost */
    lieder_model_connect(m, "fixed.frame", "revolute.frame_a");
    lieder_model_connect(m, "revolute.frame_b", "prismatic.frame_a");
    lieder_model_connect(m, "prismatic.frame_b", "body.frame_a");
    lieder_model_connect(m, "fixed.frame", "air.frame_a");
    lieder_model_connect(m, "air.frame_b", "body.frame_a");
    /* the gap between flange_a and the end closes where s exceeds the length */
    lieder_model_connect(m, "prismatic.flange_a", "thread.flange_a");
    lieder_model_connect(m, "end.flange_b", "thread.flange_b");
    return lieder_system_create(session, name, NULL);
}

/* the flight: the first interval of slack longer than 0.1 s, and the longest distance */
typedef struct Flight {
    ptrdiff_t s;
    double last, last_t, begin, flying, bound, longest;
} Flight;

static bool watch_flight(void *user, double t, const double *x, LiederRow kind)
{
    (void)kind;
    Flight *f = user;
    double s = x[f->s] - 1, at = f->last_t + (t - f->last_t) * f->last / (f->last - s);
    f->longest = fmax(f->longest, s);
    if (f->last > 0 && s <= 0)
        f->begin = at;
    if (f->last <= 0 && s > 0 && t - f->begin > 0.1) {
        f->flying = f->begin;
        f->bound = at;
        return false;
    }
    f->last = s;
    f->last_t = t;
    return true;
}

static Flight thread_flight(LiederSystem *system, double TD)
{
    LiederSimulateOptions o = lieder_simulate_defaults();
    Flight f = {.s = lieder_system_state_index(system, "prismatic.s"), .begin = NAN, .bound = NAN};
    o.solver = LIEDER_RK4;
    o.step = o.interval = TD;
    o.stop = 3;
    o.output = watch_flight;
    o.user = &f;
    lieder_simulate(system, &o, NULL);
    return f;
}

int main(void)
{
    Lieder *session = lieder_create(NULL);
    if (!session)
        return 1;
    printf("   T_D/s    flying/s  deviation     bound/s  deviation  longest - l\n");
    for (double TD = 1e-3; TD > 0.5e-5; TD *= 0.1) {
        LiederSystem *system = thread_create(session, TD);
        lieder_diagnostic_print_all(session, stderr);
        if (!system)
            return 1;
        Flight f = thread_flight(system, TD);
        printf("%8.0e %11.6f %10.1e %11.6f %10.1e %12.1e\n", TD, f.flying, f.flying - THREAD_FLYING,
               f.bound, f.bound - THREAD_BOUND, f.longest);
        lieder_system_destroy(system);
    }
    printf("  modes  %11.6f            %11.6f\n", THREAD_FLYING, THREAD_BOUND);
    lieder_destroy(session);
    return 0;
}
