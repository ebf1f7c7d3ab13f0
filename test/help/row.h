/* row.h - masses in a row, each on a joint of its own from the ground, with an elastic element
 * between neighbours and between the first one and the ground. For tests and for the benchmark. */
#ifndef TEST_HELP_ROW_H
#define TEST_HELP_ROW_H

#include <stdio.h>

#include <lieder/lieder.h>

/* joint[n], body[n] and spring[n], the latter of the class `elastic` */
static inline void row_build(LiederModel *model, const char *elastic, size_t n)
{
    char a[64], b[64];
    lieder_model_add(model, "fixed", "Translational.Fixed");
    lieder_model_add_array(model, "joint", "Translational.Joint", n);
    lieder_model_add_array(model, "body", "Translational.Body", n);
    lieder_model_add_array(model, "spring", elastic, n);
    for (size_t i = 1; i <= n; i++) {
        snprintf(b, sizeof b, "joint[%zu].flange_a", i);
        lieder_model_connect(model, "fixed.flange_b", b);
        snprintf(a, sizeof a, "joint[%zu].flange_b", i);
        snprintf(b, sizeof b, "body[%zu].flange_a", i);
        lieder_model_connect(model, a, b);
        snprintf(b, sizeof b, "spring[%zu].flange_b", i);
        lieder_model_connect(model, a, b);
        snprintf(b, sizeof b, "spring[%zu].flange_a", i);
        snprintf(a, sizeof a, "joint[%zu].flange_b", i - 1);
        lieder_model_connect(model, i == 1 ? "fixed.flange_b" : a, b);
    }
}

#endif
