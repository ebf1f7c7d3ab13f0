/* load_a_model.c - a model from Modelica text, run from C.
 *
 * A load hangs on a cart that a force pushes. The program loads the text, sets a parameter from
 * outside, and steps the model with a force that it chooses anew every hundredth of a second from
 * what it observes, so that the load comes to rest: a controller outside the model. It prints the
 * angle of the load over time.
 *
 *   gcc load_a_model.c $(pkg-config --cflags --libs lieder)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <lieder/load.h>
#include <lieder/variables.h>

/* a program has this in a file and calls lieder_load(session, "pushed.mo") */
static const char text[] =
    "model Pushed \"a load on a cart that is pushed\"\n"
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
    "  annotation(experiment(StopTime = 10), __Lieder(solver = \"rk4\", step = 1e-3));\n"
    "end Pushed;\n";

/* steps to the end of the experiment; returns the largest angle of the last second, or -1 */
static double run(LiederSystem *system, const LiederSimulateOptions *o)
{
    LiederHandle force, angle;
    ptrdiff_t v, w, s;
    double *x = calloc(lieder_system_state_count(system), sizeof *x), phi, last = 0;
    LiederObserver *observer = lieder_observer_create(system);
    if (!x || !observer || lieder_handle_find(system, "push.f", &force) != LIEDER_DONE ||
        lieder_handle_find(system, "load.frame_a.phi", &angle) != LIEDER_DONE ||
        lieder_observer_watch(observer, &angle) < 0)
        return -1;
    s = lieder_system_state_index(system, "prismatic.s");
    v = lieder_system_state_index(system, "prismatic.v");
    w = lieder_system_state_index(system, "revolute.w");
    lieder_system_start(system, x);
    printf("time/s  angle/rad\n");
    for (int i = 0; i * 0.01 < o->stop; i++) {
        double t = i * 0.01;
        if (lieder_observer_evaluate(observer, t, x, &phi) != LIEDER_DONE)
            return -1;
        if (i % 50 == 0)
            printf("%6.2f  %9.4f\n", t, phi);
        if (t > o->stop - 1)
            last = fmax(last, fabs(phi));
        /* the cart goes along with the swing, which takes energy out of it, and comes back */
        lieder_handle_set(system, &force, 15 * x[w] - 4 * x[v] - 3 * x[s]);
        if (lieder_step(system, o->solver, t, o->step, (size_t)lround(0.01 / o->step), x) !=
            LIEDER_DONE)
            return -1;
    }
    lieder_observer_destroy(observer);
    free(x);
    return last;
}

int main(void)
{
    LiederExperiment experiment;
    LiederOverride heavy = {.name = "load.m", .value = "2"};
    LiederSystem *system = NULL;
    Lieder *session = lieder_create(NULL);
    double last = -1;
    if (session && lieder_load_text(session, "pushed.mo", text) == LIEDER_DONE)
        system = lieder_system_load(session, "Pushed", &heavy, 1, NULL, &experiment);
    if (system) {
        LiederSimulateOptions options = lieder_experiment_options(&experiment);
        last = run(system, &options);
        printf("largest angle of the last second: %.4f rad\n", last);
    }
    if (session)
        lieder_diagnostic_print_all(session, stderr);
    lieder_system_destroy(system);
    lieder_destroy(session);
    return last >= 0 && last < 0.1 ? 0 : 1;
}
