/* examples.c - Examples: models composed of the library's own classes. */
#include <math.h>
#include <stdio.h>

#include "library/library.h"

/* paper 003, figure 5: a pendulum on a slider */
static void build_crane_crab(LiederModel *m, const double *arguments, void *user)
{
    (void)arguments;
    (void)user;
    lieder_model_add(m, "fixed", "Planar.Fixed");
    lieder_model_add(m, "prismatic", "Planar.Prismatic");
    lieder_model_add(m, "cart", "Planar.Body");
    lieder_model_add(m, "revolute", "Planar.Revolute");
    lieder_model_add(m, "rod", "Planar.FixedTranslation");
    lieder_model_add(m, "load", "Planar.Body");
    lieder_model_set_vector(m, "prismatic.r", (double[]){1, 0}, 2);
    lieder_model_set(m, "cart.m", 2);
    lieder_model_set(m, "load.m", 1);
    lieder_model_set_vector(m, "rod.r", (double[]){0, -1}, 2);
    lieder_model_set(m, "revolute.phi", 1);
    lieder_model_connect(m, "fixed.frame", "prismatic.frame_a");
    lieder_model_connect(m, "prismatic.frame_b", "cart.frame_a");
    lieder_model_connect(m, "prismatic.frame_b", "revolute.frame_a");
    lieder_model_connect(m, "revolute.frame_b", "rod.frame_a");
    lieder_model_connect(m, "rod.frame_b", "load.frame_a");
}

/* n links hanging on each other, each a joint, a rod and a body at its end */
static void build_chain(LiederModel *m, const double *arguments, void *user)
{
    (void)user;
    size_t n = (size_t)arguments[0];
    char a[64], b[64];
    lieder_model_add(m, "fixed", "Planar.Fixed");
    lieder_model_add_array(m, "revolute", "Planar.Revolute", n);
    lieder_model_add_array(m, "rod", "Planar.FixedTranslation", n);
    lieder_model_add_array(m, "body", "Planar.Body", n);
    for (size_t i = 1; i <= n; i++) {
        snprintf(a, sizeof a, "rod[%zu].r", i);
        lieder_model_set_vector(m, a, (double[]){arguments[1] / (double)n, 0}, 2);
        if (i == 1)
            snprintf(a, sizeof a, "fixed.frame");
        else
            snprintf(a, sizeof a, "rod[%zu].frame_b", i - 1);
        snprintf(b, sizeof b, "revolute[%zu].frame_a", i);
        lieder_model_connect(m, a, b);
        snprintf(a, sizeof a, "revolute[%zu].frame_b", i);
        snprintf(b, sizeof b, "rod[%zu].frame_a", i);
        lieder_model_connect(m, a, b);
        snprintf(a, sizeof a, "rod[%zu].frame_b", i);
        snprintf(b, sizeof b, "body[%zu].frame_a", i);
        lieder_model_connect(m, a, b);
    }
    lieder_model_set(m, "body.m", arguments[2] / (double)n);
}

/* one mass on a spring and a damper (papers 001 and 000) */
static void build_spring_mass(LiederModel *m, const double *arguments, void *user)
{
    (void)arguments;
    (void)user;
    lieder_model_add(m, "fixed", "Translational.Fixed");
    lieder_model_add(m, "joint", "Translational.Joint");
    lieder_model_add(m, "body", "Translational.Body");
    lieder_model_add(m, "spring", "Translational.SpringDamper");
    lieder_model_connect(m, "fixed.flange_b", "joint.flange_a");
    lieder_model_connect(m, "joint.flange_b", "body.flange_a");
    lieder_model_connect(m, "fixed.flange_b", "spring.flange_a");
    lieder_model_connect(m, "spring.flange_b", "body.flange_a");
}

/* paper 000, figure 5: two bodies joined by a stiff spring, pushed by a force on the first */
static void build_two_masses(LiederModel *m, const double *arguments, void *user)
{
    (void)arguments;
    (void)user;
    lieder_model_add(m, "fixed", "Translational.Fixed");
    const char *names[2][2] = {{"joint1", "body1"}, {"joint2", "body2"}};
    for (int i = 0; i < 2; i++) {
        char a[64], b[64], g[64];
        lieder_model_add(m, names[i][0], "Translational.Joint");
        lieder_model_add(m, names[i][1], "Translational.Body");
        snprintf(a, sizeof a, "%s.flange_a", names[i][0]);
        lieder_model_connect(m, "fixed.flange_b", a);
        snprintf(a, sizeof a, "%s.flange_b", names[i][0]);
        snprintf(b, sizeof b, "%s.flange_a", names[i][1]);
        lieder_model_connect(m, a, b);
        snprintf(g, sizeof g, "%s.g", names[i][1]);
        lieder_model_set(m, g, 0);
    }
    lieder_model_add(m, "spring", "Translational.Spring");
    lieder_model_set(m, "spring.c", 1e6);
    lieder_model_add(m, "force", "Translational.Force");
    lieder_model_connect(m, "body1.flange_a", "spring.flange_a");
    lieder_model_connect(m, "spring.flange_b", "body2.flange_a");
    lieder_model_connect(m, "force.flange", "body1.flange_a");
    lieder_model_expose(m, "f", "force.f");
}

static const struct LiederArgument chain_arguments[] = {
    {"n", "number of links", 3, 1, 1e9},
    {"length", "length of all links together in m", 1, 1e-300, 1e300},
    {"mass", "mass of all links together in kg", 1, 1e-300, 1e300},
};

LiederStatus library_register_examples(Lieder *session)
{
    const LiederTemplate templates[] = {
        {.name = "Examples.CraneCrab",
         .text = "Pendulum on a slider (paper 003)",
         .build = build_crane_crab},
        {.name = "Examples.Chain",
         .text = "Chain of n planar links",
         .build = build_chain,
         .nargument = 3,
         .arguments = chain_arguments},
        {.name = "Examples.SpringMass",
         .text = "One mass on a spring and a damper",
         .build = build_spring_mass},
        {.name = "Examples.TwoMasses",
         .text = "Two masses joined by a stiff spring (paper 000)",
         .build = build_two_masses},
    };
    for (size_t i = 0; i < sizeof templates / sizeof *templates; i++) {
        LiederStatus status = lieder_template_register(session, &templates[i]);
        if (status != LIEDER_DONE)
            return status;
    }
    return LIEDER_DONE;
}
