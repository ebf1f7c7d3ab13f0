/* mixed.c - many shapes and one shape.
 *
 * A thousand arms of one to ten links, ten of each. The joints of arm k turn or slide as the binary
 * digits of k say, so no two arms have the same shape. The unit is one arm. For comparison a
 * million instances of one class. */
#include <stdio.h>

#include "bench.h"

/* digits of k below its leading one: one link each */
static void build_arm(Lieder *session, const char *name, size_t k)
{
    LiederModel *m = lieder_model_create(session, name, "");
    char joint[32], rod[32], body[32], a[48], b[48];
    snprintf(a, sizeof a, "fixed.frame");
    lieder_model_add(m, "fixed", "Planar.Fixed");
    for (int i = 0; k > 1; k /= 2, i++) {
        snprintf(joint, sizeof joint, "joint%d", i);
        snprintf(rod, sizeof rod, "rod%d", i);
        snprintf(body, sizeof body, "body%d", i);
        lieder_model_add(m, joint, k % 2 ? "Planar.Revolute" : "Planar.Prismatic");
        lieder_model_add(m, rod, "Planar.FixedTranslation");
        lieder_model_add(m, body, "Planar.Body");
        if (k % 2 == 0) { /* two slides in a row must not have the same direction */
            snprintf(b, sizeof b, "%s.r", joint);
            lieder_model_set_vector(m, b, (double[]){1, i % 2}, 2);
        }
        snprintf(b, sizeof b, "%s.r", rod);
        lieder_model_set_vector(m, b, (double[]){1, 0}, 2);
        snprintf(b, sizeof b, "%s.I", body);
        lieder_model_set(m, b, 0.1);
        snprintf(b, sizeof b, "%s.frame_a", joint);
        lieder_model_connect(m, a, b);
        snprintf(a, sizeof a, "%s.frame_b", joint);
        snprintf(b, sizeof b, "%s.frame_a", rod);
        lieder_model_connect(m, a, b);
        snprintf(a, sizeof a, "%s.frame_b", rod);
        snprintf(b, sizeof b, "%s.frame_a", body);
        lieder_model_connect(m, a, b);
    }
}

static void many_shapes(Bench *bench, const void *job)
{
    size_t nshape = *(const size_t *)job, each = 10;
    Subject s;
    char name[48], array[48];
    snprintf(name, sizeof name, "%zu shapes of %zu", nshape, each);
    subject_begin(&s, name, "kernels", nshape * each);
    LiederModel *m = lieder_model_create(s.session, "Mixed", "");
    lieder_model_add(m, "world", "World");
    for (size_t k = 2; k < nshape + 2; k++) {
        snprintf(name, sizeof name, "Arm%zu", k);
        build_arm(s.session, name, k);
        snprintf(array, sizeof array, "arm%zu", k);
        lieder_model_add_array(m, array, name, each);
    }
    subject_ready(&s, "Mixed", LIEDER_METHOD_AUTO, -1, 1);
    if (lieder_system_info(s.system).nshape < nshape)
        bench_fail("%zu shapes instead of %zu", lieder_system_info(s.system).nshape, nshape);
    Runner runner = {.evaluate = subject_evaluate, .user = &s};
    race(&runner, 1, (double)(nshape * each));
    s.record.ns = runner.ns;
    bench_report(bench, &s.record);
    subject_drop(&s);
}

static void one_shape(Bench *bench, const void *job)
{
    Subject s;
    subject_begin(&s, "one shape (mass on a spring)", "kernels", *(const size_t *)job);
    subject_array(&s, "Examples.SpringMass", 1e-3, LIEDER_METHOD_AUTO);
    Runner runner = {.evaluate = subject_evaluate, .user = &s};
    race(&runner, 1, (double)s.record.n);
    s.record.ns = runner.ns;
    bench_report(bench, &s.record);
    subject_drop(&s);
}

void bench_mixed(Bench *bench)
{
    bool quick = bench->scope == BENCH_QUICK;
    for (size_t n = 10; n <= (quick ? 100u : 1000u); n *= 10)
        bench_run(bench, many_shapes, &n);
    bench_run(bench, one_shape, &(size_t){quick ? 100000 : 1000000});
}
