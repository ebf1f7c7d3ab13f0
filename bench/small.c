/* small.c - a seven-joint arm and a figure of thirty joints: models of which there is one, where
 * neither lanes nor size help. And 64 of each, where they do. The unit is one arm or one figure. */
#include <stdio.h>

#include "tree.h"

static const int arm[] = {-1, 0, 1, 2, 3, 4, 5};
/* it stands on its left foot: leg, spine of five, head of two, two arms of six, right leg */
static const int figure[] = {-1, 0,  1,  2,  3,  4,  5, 6, 7, 8, /* leg to neck, head */
                             7,  10, 11, 12, 13, 14,             /* left arm */
                             7,  16, 17, 18, 19, 20,             /* right arm */
                             3,  22, 23, 24, 25,                 /* right leg */
                             15, 21, 26};                        /* fingers, toes */

typedef struct Small {
    const char *case_;
    const int *parent;
    size_t n, count;
} Small;

static void measure(Bench *bench, const void *job)
{
    const Small *small = job;
    Subject s[2];
    TreeByHand flat = tree_by_hand(small->parent, small->n, small->count, 0.3, 1);
    for (int i = 0; i < 2; i++) {
        subject_begin(&s[i], small->case_, i ? "compiled" : "kernels", small->count);
        tree_build(s[i].session, "Tree", small->parent, small->n, 0.3, 1);
        subject_array(&s[i], "Tree", 1e-3, LIEDER_METHOD_AUTO);
    }
    subject_compile(&s[1]);
    tree_compare(&flat, &s[0], "unit[1].revolute[%zu]", 1e-10);
    tree_compare(&flat, &s[1], "unit[1].revolute[%zu]", 1e-10);
    Runner runners[] = {{.evaluate = tree_evaluate, .user = &flat},
                        {.evaluate = subject_evaluate, .user = &s[0]},
                        {.evaluate = subject_evaluate, .user = &s[1]}};
    race(runners, 3, (double)small->count);
    Record by_hand = {.tier = "flat C", .n = small->count, .ns = runners[0].ns};
    snprintf(by_hand.case_, sizeof by_hand.case_, "%s", small->case_);
    bench_report(bench, &by_hand);
    for (int i = 0; i < 2; i++) {
        s[i].record.ns = runners[i + 1].ns;
        if (i == 1)
            s[i].record.resident = s[i].record.bytes = 0; /* a second system in this process */
        bench_report(bench, &s[i].record);
        subject_drop(&s[i]);
    }
    tree_drop(&flat);
}

void bench_small(Bench *bench)
{
    for (size_t count = 1; count <= 64; count *= 64) {
        bench_run(bench, measure,
                  &(Small){"arm of 7 joints", arm, sizeof arm / sizeof *arm, count});
        bench_run(bench, measure,
                  &(Small){"figure of 30 joints", figure, sizeof figure / sizeof *figure, count});
    }
}
