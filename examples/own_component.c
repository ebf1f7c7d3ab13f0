/* own_component.c - a component class of one's own, on one page.
 *
 * A hardening spring, f = c s + c3 s^3, joins the library without any change to it: it holds a
 * mass that starts displaced, and the program prints how the period depends on the amplitude. For
 * c3 = 0 it is 2 pi sqrt(m / c) = 0.628 s.
 *
 *   gcc own_component.c $(pkg-config --cflags --libs lieder-class)
 *
 * The same file as a shared library gives the class to the program, where Modelica text may use it:
 *
 *   gcc -shared -fPIC -O2 own_component.c $(pkg-config --cflags lieder-class) -o own_component.so
 *   lieder simulate oscillator.mo --load own_component.so
 */
#include <stdio.h>

#include <lieder/mechanics.h>
#include <lieder/simulate.h>

/* 1. the variables */
typedef struct HardSpring {
    real c, c3;
    real s_rel, f;
} HardSpring;

/* 2. the blocks: what states decide, and how the flows answer */
static inline void hard_explicit(HardSpring *c, Flange *a, Flange *b, Call call)
{
    (void)call;
    c->s_rel = b->s - a->s;
    c->f = c->s_rel * (c->c + c->c3 * c->s_rel * c->s_rel);
}

static inline void hard_inward(HardSpring *c, Flange *a, Flange *b, Call call)
{
    b->f_el = constant_term(c->f);
    a->f_el = constant_term(-c->f);
}

/* 3. the loops over lanes */
#define CLASS    HardSpring
#define PORTS(X) X(0, IN, Flange) X(1, IN, Flange)
#define EXPLICIT hard_explicit
#define INWARD   hard_inward
#include <lieder/kernels.inc>

/* 4. the names */
static const LiederPortDef ports[] = {PORT_IN("flange_a", lieder_translational, "flange"),
                                      PORT_IN("flange_b", lieder_translational, "flange")};
static const LiederMember members[] = {
    PARAMETER(HardSpring, c, "N/m", 1, AT_LEAST(0), "stiffness"),
    PARAMETER(HardSpring, c3, "N/m3", 0, AT_LEAST(0), "hardening"),
    OBSERVABLE(HardSpring, s_rel, "m", "elongation"),
    OBSERVABLE(HardSpring, f, "N", "force"),
};
static bool never(const double *parameters)
{
    (void)parameters;
    return false; /* the force at one end does not answer to the potentials of the other */
}
static const LiederClassDef hard_spring = {.name = "HardSpring",
                                           .text = "Spring that hardens",
                                           .nport = LIEDER_COUNT(ports),
                                           .ports = ports,
                                           .nmember = LIEDER_COUNT(members),
                                           .members = members,
                                           .kernels = &HardSpring_kernels,
                                           .couples = never};

/* 5. for programs that load it as a shared library: lieder simulate ... --load own_component.so */
LIEDER_EXTENSION(&hard_spring);

/* period: twice the time between the first two changes of sign of the velocity */
static double period(LiederSystem *system)
{
    double x[2], t = 0, h = 1e-4, crossing[2];
    ptrdiff_t v = lieder_system_state_index(system, "joint.v");
    lieder_system_start(system, x);
    for (int n = 0; n < 2 && t < 100;) {
        double before = x[v];
        if (lieder_step(system, LIEDER_RK4, t, h, 1, x) != LIEDER_DONE)
            return -1;
        t += h;
        if (before * x[v] < 0)
            crossing[n++] = t - h * x[v] / (x[v] - before);
    }
    return 2 * (crossing[1] - crossing[0]);
}

int main(void)
{
    Lieder *session = lieder_create(NULL);
    if (!session || lieder_class_register(session, &hard_spring) != LIEDER_DONE)
        return 1;
    LiederModel *model = lieder_model_create(session, "Oscillator", "mass on a hardening spring");
    lieder_model_add(model, "world", "World");
    lieder_model_add(model, "fixed", "Translational.Fixed");
    lieder_model_add(model, "joint", "Translational.Joint");
    lieder_model_add(model, "body", "Translational.Body");
    lieder_model_add(model, "spring", "HardSpring");
    lieder_model_set(model, "world.TD", 0);
    lieder_model_set(model, "body.g", 0);
    lieder_model_set(model, "spring.c", 100);
    lieder_model_set(model, "spring.c3", 100);
    lieder_model_connect(model, "fixed.flange_b", "joint.flange_a");
    lieder_model_connect(model, "joint.flange_b", "body.flange_a");
    lieder_model_connect(model, "fixed.flange_b", "spring.flange_a");
    lieder_model_connect(model, "spring.flange_b", "body.flange_a");
    LiederSystem *system = lieder_system_create(session, "Oscillator", NULL);
    lieder_diagnostic_print_all(session, stderr);
    printf("amplitude/m  period/s\n");
    for (double amplitude = 0.01; system && amplitude < 4; amplitude *= 2) {
        lieder_system_set(system, "joint.s", amplitude);
        printf("%11.2f %9.4f\n", amplitude, period(system));
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
    return system ? 0 : 1;
}
