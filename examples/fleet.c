/* fleet.c - many models of one kind, stepped together, each with an input of its own.
 *
 * Forty carts carry a pendulum each, and the array crab[n] is one shape with forty lanes:
 * their states lie beside each other, and a step computes several of them in one instruction. The
 * program finds the handles of the forces and of the angles once, from the rows of the table of
 * variables. Then it steps all carts together; every hundredth of a second each one gets a force by
 * its own gain. It prints which gain calms its pendulum best.
 *
 *   gcc fleet.c $(pkg-config --cflags --libs lieder) -lm
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <lieder/load.h>
#include <lieder/variables.h>

enum { N = 40 };

static const char text[] = "model Pushed\n"
                           "  Dialectic.Planar.Fixed fixed;\n"
                           "  Dialectic.Planar.Prismatic prismatic(r = {1, 0});\n"
                           "  Dialectic.Planar.Body cart(m = 4);\n"
                           "  Dialectic.Planar.Revolute revolute(phi(start = 1));\n"
                           "  Dialectic.Planar.FixedTranslation rod(r = {0, -1});\n"
                           "  Dialectic.Planar.Body load(m = 1);\n"
                           "  Dialectic.Translational.Force push(f = 0);\n"
                           "equation\n"
                           "  connect(fixed.frame, prismatic.frame_a);\n"
                           "  connect(prismatic.frame_b, cart.frame_a);\n"
                           "  connect(prismatic.frame_b, revolute.frame_a);\n"
                           "  connect(revolute.frame_b, rod.frame_a);\n"
                           "  connect(rod.frame_b, load.frame_a);\n"
                           "  connect(prismatic.flange_a, push.flange);\n"
                           "end Pushed;\n"
                           "model Fleet\n"
                           "  parameter Integer n = 1;\n"
                           "  Pushed crab[n];\n"
                           "end Fleet;\n";

/* the handles of all elements of a row such as "crab.push.f" */
static bool find_row(LiederSystem *system, const char *name, LiederHandle handles[N])
{
    ptrdiff_t row = lieder_variable_find(system, name);
    for (size_t i = 0; row >= 0 && i < N; i++)
        if (!lieder_variable_handle(system, (size_t)row, i, &handles[i]))
            return false;
    return row >= 0;
}

/* angles and their rates of all carts as one batch: values[i] and values[N + i] */
static LiederObserver *watch(LiederSystem *system)
{
    static LiederHandle angle[N], rate[N];
    LiederObserver *observer = lieder_observer_create(system);
    bool fine = observer && find_row(system, "crab.revolute.phi", angle) &&
                find_row(system, "crab.revolute.w", rate);
    for (size_t i = 0; fine && i < N; i++)
        fine = lieder_observer_watch(observer, &angle[i]) >= 0;
    for (size_t i = 0; fine && i < N; i++)
        fine = lieder_observer_watch(observer, &rate[i]) >= 0;
    if (fine)
        return observer;
    lieder_observer_destroy(observer);
    return NULL;
}

/* ten seconds; swing[i]: the largest angle of cart i in the last two */
static bool run(LiederSystem *system, LiederStepper *stepper, double swing[N])
{
    static LiederHandle force[N];
    static double values[2 * N];
    LiederObserver *observer = watch(system);
    bool fine = observer && find_row(system, "crab.push.f", force);
    for (int k = 0; fine && k < 1000; k++) {
        fine = lieder_stepper_observe(stepper, observer, values) == LIEDER_DONE;
        for (size_t i = 0; fine && i < N; i++) {
            if (k >= 800)
                swing[i] = fmax(swing[i], fabs(values[i]));
            fine = lieder_handle_set(system, &force[i], 0.75 * (double)i * values[N + i]) ==
                   LIEDER_DONE;
        }
        fine = fine && lieder_stepper_step(stepper, 5) == LIEDER_DONE;
    }
    lieder_observer_destroy(observer);
    return fine;
}

/* the cart with the smallest swing, or -1 */
static int best_of_fleet(Lieder *session)
{
    double swing[N] = {0};
    LiederOverride size = {.name = "n", .value = "40"};
    LiederSimulateOptions o = lieder_simulate_defaults();
    LiederSystem *system = NULL;
    LiederStepper *stepper = NULL;
    int best = 0;
    o.solver = LIEDER_RK4;
    o.step = 2e-3;
    if (lieder_load_text(session, "fleet.mo", text) == LIEDER_DONE)
        system = lieder_system_load(session, "Fleet", &size, 1, NULL, NULL);
    if (system)
        stepper = lieder_stepper_create(system, &o);
    bool fine = stepper && run(system, stepper, swing);
    for (int i = 1; fine && i < N; i++)
        best = swing[i] < swing[best] ? i : best;
    if (fine)
        printf("without a force the pendulum swings by %.3f rad, with %.1f N/(rad/s) by %.0e rad\n",
               swing[0], 0.75 * best, swing[best]);
    lieder_stepper_destroy(stepper); /* before its system */
    lieder_system_destroy(system);
    return fine && swing[0] > 0.9 && swing[best] < 0.2 ? best : -1;
}

int main(void)
{
    Lieder *session = lieder_create(NULL);
    int best = session ? best_of_fleet(session) : -1;
    if (session)
        lieder_diagnostic_print_all(session, stderr);
    lieder_destroy(session);
    return best > 0 ? 0 : 1;
}
