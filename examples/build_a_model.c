/* build_a_model.c - a model from library components, stepped in time.
 *
 * A thread pendulum (paper 001, figure 5): a body on a prismatic joint that turns about a fixed
 * point; an ElastoGap on the joint's flange is the thread. It swings, goes slack at the top and
 * falls into its thread. The program prints the distance from the centre.
 */
#include <stdio.h>

#include <lieder/lieder.h>
#include <lieder/simulate.h>

int main(void)
{
    Lieder *session = lieder_create(NULL);
    if (!session)
        return 1;
    LiederModel *m = lieder_model_create(session, "ThreadPendulum", "pendulum on a thread");
    lieder_model_add(m, "world", "World");
    lieder_model_add(m, "fixed", "Planar.Fixed");
    lieder_model_add(m, "revolute", "Planar.Revolute");
    lieder_model_add(m, "prismatic", "Planar.Prismatic");
    lieder_model_add(m, "hub", "Planar.Body"); /* a little inertia for the joint itself */
    lieder_model_add(m, "body", "Planar.Body");
    lieder_model_add(m, "end", "Translational.Fixed");
    lieder_model_add(m, "thread", "Translational.ElastoGap");
    lieder_model_set(m, "world.TD", 1e-3);
    lieder_model_set(m, "hub.m", 0);
    lieder_model_set(m, "hub.I", 1e-4);
    lieder_model_set_vector(m, "prismatic.r", (double[]){1, 0}, 2);
    lieder_model_set(m, "prismatic.s", 1);  /* start value: the thread is straight */
    lieder_model_set(m, "revolute.w", 4.8); /* not enough to go round */
    lieder_model_set(m, "revolute.phi", -1.5);
    lieder_model_set(m, "end.s", 1);
    lieder_model_set(m, "thread.c", 1e6);
    lieder_model_set(m, "thread.d", 1e3);
    lieder_model_connect(m, "fixed.frame", "revolute.frame_a");
    lieder_model_connect(m, "revolute.frame_b", "hub.frame_a");
    lieder_model_connect(m, "revolute.frame_b", "prismatic.frame_a");
    lieder_model_connect(m, "prismatic.frame_b", "body.frame_a");
    /* pushes back where s exceeds the length: the gap between flange_a and the end closes */
    lieder_model_connect(m, "prismatic.flange_a", "thread.flange_a");
    lieder_model_connect(m, "end.flange_b", "thread.flange_b");

    LiederSystem *system = lieder_system_create(session, "ThreadPendulum", NULL);
    lieder_diagnostic_print_all(session, stderr);
    if (!system)
        return 1;
    double x[4], value[3], h = 5e-4;
    LiederObserver *observer = lieder_observer_create(system);
    lieder_observer_add(observer, "prismatic.s");
    lieder_observer_add(observer, "body.frame_a.y");
    lieder_observer_add(observer, "thread.f_el");
    lieder_system_start(system, x);
    printf("  time/s  distance/m  height/m  thread force/N\n");
    for (int i = 0; i <= 50; i++) {
        if (lieder_observer_evaluate(observer, i * 0.05, x, value) != LIEDER_DONE)
            break;
        printf("%8.2f %11.5f %9.4f %15.2f\n", i * 0.05, value[0], value[1], value[2]);
        if (lieder_step(system, LIEDER_RK3, i * 0.05, h, 100, x) != LIEDER_DONE)
            break;
    }
    lieder_diagnostic_print_all(session, stderr);
    lieder_observer_destroy(observer);
    lieder_system_destroy(system);
    lieder_destroy(session);
    return 0;
}
