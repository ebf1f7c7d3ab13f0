/* test_own_class.c - classes written here, in a program's own file compiled with plain flags: they
 * are worth as much as the library's, and are refused with a reason if their blocks break the
 * rules. */
#include "help/engine.h"

#include <lieder/mechanics.h>

/* ------------------------------------------------------------------ a hardening spring */

typedef struct Hardening {
    real c, c3; /* f = c s + c3 s^3 */
    real force;
} Hardening;

static inline void hardening_explicit(Hardening *c, Flange *a, Flange *b, Call call)
{
    (void)call;
    real s = b->s - a->s;
    c->force = s * (c->c + c->c3 * s * s);
}

static inline void hardening_inward(Hardening *c, Flange *a, Flange *b, Call call)
{
    b->f_el = constant_term(c->force);
    a->f_el = constant_term(-c->force);
}

#define CLASS    Hardening
#define PORTS(X) X(0, IN, Flange) X(1, IN, Flange)
#define EXPLICIT hardening_explicit
#define INWARD   hardening_inward
#include <lieder/kernels.inc>

static const LiederPortDef hardening_ports[] = {
    {.name = "flange_a", .domain = &lieder_translational, .role = LIEDER_IN},
    {.name = "flange_b", .domain = &lieder_translational, .role = LIEDER_IN}};
static const LiederMember hardening_members[] = {
    PARAMETER(Hardening, c, "N/m", 1, AT_LEAST(0), "stiffness"),
    PARAMETER(Hardening, c3, "N/m3", NAN, ANY, "cubic stiffness"),
    OBSERVABLE(Hardening, force, "N", "force at flange_b"),
};
static const LiederClassDef hardening = {.name = "Own.Hardening",
                                         .text = "Spring that gets stiffer",
                                         .nport = 2,
                                         .ports = hardening_ports,
                                         .nmember = LIEDER_COUNT(hardening_members),
                                         .members = hardening_members,
                                         .kernels = &Hardening_kernels};

/* ------------------------------------------------------------------ a joint with a rotor */

/* armature: an inertia that moves with the relative acceleration only */
typedef struct Geared {
    real armature, TD;
    real s, v, a, v_el, residual;
} Geared;

static inline void geared_explicit(Geared *c, Flange *in, Flange *out, Call call)
{
    out->s = in->s + call.dir * c->s;
    out->v = in->v + call.dir * c->v;
}

static inline void geared_outward(Geared *c, Flange *in, Flange *out, Call call)
{
    c->v_el = constant_term(c->v) + c->TD * c->a;
    out->v_el = in->v_el + call.dir * c->v_el;
    out->a = in->a + call.dir * c->a;
}

static inline void geared_inward(Geared *c, Flange *in, Flange *out, Call call)
{
    in->f_el = -out->f_el;
    in->f_ki = -out->f_ki;
    c->residual = call.dir * (out->f_el + out->f_ki) - c->armature * c->a;
}

#define CLASS       Geared
#define PORTS(X)    X(0, IN, Flange) X(1, OUT, Flange)
#define UNKNOWNS(X) X(0, a, residual)
#define EXPLICIT    geared_explicit
#define OUTWARD     geared_outward
#define INWARD      geared_inward
#define REVERSIBLE
#include <lieder/kernels.inc>

static const LiederPortDef geared_ports[] = {
    {.name = "flange_a", .domain = &lieder_translational, .role = LIEDER_IN},
    {.name = "flange_b", .domain = &lieder_translational, .role = LIEDER_OUT, .optional = true}};
static const LiederMember geared_members[] = {
    PARAMETER(Geared, armature, "kg", 1, AT_LEAST(0), "inertia of the drive"),
    WORLD_PARAMETER(Geared, TD, "s", AT_LEAST(0), "dialectic time constant"),
    STATE(Geared, s, v_el, "m", 0, "position"),
    STATE(Geared, v, a, "m/s", 0, "velocity"),
    UNKNOWN(Geared, a, residual, "m/s2", "acceleration"),
};
static const LiederClassDef geared = {.name = "Own.Geared",
                                      .text = "Sliding joint with the inertia of its drive",
                                      .nport = 2,
                                      .ports = geared_ports,
                                      .nmember = LIEDER_COUNT(geared_members),
                                      .members = geared_members,
                                      .kernels = &Geared_kernels};

/* ------------------------------------------------------------------ a domain of its own */

/* tanks that leak: level x, its rate r is the potential, flow f in one regime */
typedef struct Pipe {
    real x;
    real r;
    real f;
} Pipe;
enum { Pipe_NS = 1, Pipe_NP = 1, Pipe_NF = 1, Pipe_NR = 1, Pipe_INERTIAL = 1, Pipe_BASIC = 1 };
static const LiederVariable pipe_variables[] = {
    {"x", "m", "level"}, {"r", "m/s", "rate"}, {"f", "m3/s", "flow"}};
static const char *const pipe_advice[LIEDER_ADVICE_COUNT] = {
    [LIEDER_ADVICE_NO_ROOT] = "connect it to the ground of the house"};
static const LiederDomain pipe_domain = {.name = "Own.Pipe",
                                         .text = "pipe",
                                         .nsignal = Pipe_NS,
                                         .npotential = Pipe_NP,
                                         .nflow = Pipe_NF,
                                         .nregime = Pipe_NR,
                                         .inertial = Pipe_INERTIAL,
                                         .variables = pipe_variables,
                                         .advice = pipe_advice};

typedef struct Ground {
    real unused;
} Ground;

static inline void ground_explicit(Ground *c, Pipe *out, Call call)
{
    (void)c;
    (void)call;
    out->x = REAL(0.0);
}

static inline void ground_outward(Ground *c, Pipe *out, Call call)
{
    (void)c;
    (void)call;
    out->r = REAL(0.0);
}

#define CLASS    Ground
#define PORTS(X) X(0, OUT, Pipe)
#define EXPLICIT ground_explicit
#define OUTWARD  ground_outward
#include <lieder/kernels.inc>

typedef struct Tank {
    real x, r, residual;
} Tank;

static inline void tank_explicit(Tank *c, Pipe *in, Pipe *out, Call call)
{
    (void)call;
    out->x = in->x + c->x;
}

static inline void tank_outward(Tank *c, Pipe *in, Pipe *out, Call call)
{
    (void)call;
    out->r = in->r + c->r;
}

static inline void tank_inward(Tank *c, Pipe *in, Pipe *out, Call call)
{
    (void)call;
    in->f = -out->f;
    c->residual = out->f;
}

#define CLASS       Tank
#define PORTS(X)    X(0, IN, Pipe) X(1, OUT, Pipe)
#define UNKNOWNS(X) X(0, r, residual)
#define EXPLICIT    tank_explicit
#define OUTWARD     tank_outward
#define INWARD      tank_inward
#include <lieder/kernels.inc>

/* f = area r + k x */
typedef struct Leak {
    real area, k;
} Leak;

static inline void leak_inward(Leak *c, Pipe *in, Call call)
{
    in->f = c->area * in->r + constant_term(c->k * in->x);
}

#define CLASS    Leak
#define PORTS(X) X(0, IN, Pipe)
#define INWARD   leak_inward
#include <lieder/kernels.inc>

static const LiederPortDef ground_ports[] = {
    {.name = "out", .domain = &pipe_domain, .role = LIEDER_OUT, .optional = true}};
static const LiederPortDef tank_ports[] = {
    {.name = "in", .domain = &pipe_domain, .role = LIEDER_IN},
    {.name = "out", .domain = &pipe_domain, .role = LIEDER_OUT, .optional = true}};
static const LiederPortDef leak_ports[] = {
    {.name = "in", .domain = &pipe_domain, .role = LIEDER_IN}};
static const LiederMember tank_members[] = {STATE(Tank, x, r, "m", 1, "level"),
                                            UNKNOWN(Tank, r, residual, "m/s", "rate")};
static const LiederMember leak_members[] = {PARAMETER(Leak, area, "m2", 1, AT_LEAST(0), "area"),
                                            PARAMETER(Leak, k, "m2/s", 1, AT_LEAST(0), "leak")};
static const LiederClassDef pipes[] = {{.name = "Own.Ground",
                                        .text = "",
                                        .nport = 1,
                                        .ports = ground_ports,
                                        .kernels = &Ground_kernels},
                                       {.name = "Own.Tank",
                                        .text = "",
                                        .nport = 2,
                                        .ports = tank_ports,
                                        .nmember = 2,
                                        .members = tank_members,
                                        .kernels = &Tank_kernels},
                                       {.name = "Own.Leak",
                                        .text = "",
                                        .nport = 1,
                                        .ports = leak_ports,
                                        .nmember = 2,
                                        .members = leak_members,
                                        .kernels = &Leak_kernels}};

/* ------------------------------------------------------------------ using them */

static void registered(Lieder *session, const LiederClassDef *def)
{
    if (lieder_class_register(session, def) != LIEDER_DONE) {
        fail_msg("class %s was refused", def->name);
    }
}

static void build_mixed(Lieder *session)
{
    registered(session, &hardening);
    registered(session, &geared);
    LiederModel *m = lieder_model_create(session, "Unit", "");
    lieder_model_add(m, "fixed", "Translational.Fixed");
    lieder_model_add(m, "joint", "Own.Geared");
    lieder_model_add(m, "mass", "Translational.Body");
    lieder_model_add(m, "spring", "Own.Hardening");
    lieder_model_set(m, "joint.armature", 3);
    lieder_model_set(m, "mass.m", 2);
    lieder_model_set(m, "spring.c", 10);
    lieder_model_set(m, "spring.c3", 5);
    lieder_model_connect(m, "fixed.flange_b", "joint.flange_b"); /* reversed */
    lieder_model_connect(m, "joint.flange_a", "mass.flange_a");
    lieder_model_connect(m, "fixed.flange_b", "spring.flange_a");
    lieder_model_connect(m, "mass.flange_a", "spring.flange_b");
}

/* (m + armature) a = -m g + f along the joint's coordinate, which is turned */
static void own_classes_among_the_library(void **state)
{
    (void)state;
    Lieder *session = session_new();
    build_mixed(session);
    LiederModel *m = lieder_model_create(session, "M", "");
    lieder_model_add_array(m, "unit", "Unit", 5);
    for (int method = LIEDER_METHOD_TREE; method <= LIEDER_METHOD_PROBE; method++) {
        LiederSystem *system =
            system_new_with(session, "M", (LiederSystemOptions){.method = (LiederMethod)method});
        double x[10], dx[10];
        uint64_t seed = 1;
        random_fill(&seed, x, 10, -1, 1);
        derivatives(session, system, 0, x, dx);
        for (int i = 1; i <= 5; i++) {
            char path[32];
            snprintf(path, sizeof path, "unit[%d].joint.s", i);
            size_t s = state_at(system, path);
            snprintf(path, sizeof path, "unit[%d].joint.v", i);
            size_t v = state_at(system, path);
            double position = -x[s], f = position * (10 + 5 * position * position);
            assert_near(-dx[v], (-2 * 9.81 - f) / 5, 1e-14 * 20);
            assert_near(dx[s], x[v] + 1e-3 * dx[v], 1e-15);
            snprintf(path, sizeof path, "unit[%d].spring.force", i);
            assert_near(look(system, 0, x, path), f, 1e-14);
        }
        lieder_system_destroy(system);
    }
    lieder_destroy(session);
}

/* its parameters are checked and reflected like ours */
static void own_classes_are_reflected(void **state)
{
    (void)state;
    Lieder *session = session_new();
    registered(session, &hardening);
    const LiederClass *class_ = lieder_class_find(session, "Own.Hardening");
    assert_non_null(class_);
    assert_string_equal(lieder_class_text(class_), "Spring that gets stiffer");
    assert_int_equal(lieder_class_member_count(class_), 5);
    LiederMemberInfo c = lieder_class_member(class_, 2);
    assert_int_equal(c.kind, LIEDER_PARAMETER);
    assert_string_equal(c.name, "c");
    assert_string_equal(c.unit, "N/m");
    assert_true(c.fallback == 1 && c.min == 0);
    LiederModel *m = lieder_model_create(session, "M", "");
    lieder_model_add(m, "fixed", "Translational.Fixed");
    lieder_model_add(m, "spring", "Own.Hardening");
    lieder_model_connect(m, "fixed.flange_b", "spring.flange_a");
    lieder_model_connect(m, "fixed.flange_b", "spring.flange_b");
    assert_null(lieder_system_create(session, "M", NULL)); /* c3 has no default */
    assert_int_equal(lieder_diagnostic_count(session), 1);
    assert_string_equal(lieder_diagnostic_get(session, 0)->path, "spring");
    /* twice the same name */
    assert_int_equal(lieder_class_register(session, &hardening), LIEDER_BAD_USE);
    lieder_destroy(session);
}

/* two tanks in a row, each with a leak; levels and rates add up along the pipe */
static void a_domain_of_its_own(void **state)
{
    (void)state;
    Lieder *session = session_new();
    for (int i = 0; i < 3; i++)
        registered(session, &pipes[i]);
    LiederModel *m = lieder_model_create(session, "M", "");
    lieder_model_add(m, "ground", "Own.Ground");
    lieder_model_add_array(m, "tank", "Own.Tank", 2);
    lieder_model_add_array(m, "leak", "Own.Leak", 2);
    lieder_model_set(m, "leak[1].area", 2);
    lieder_model_set(m, "leak[2].area", 3);
    lieder_model_set(m, "leak[2].k", 4);
    lieder_model_connect(m, "ground.out", "tank[1].in");
    lieder_model_connect(m, "tank[1].out", "leak[1].in");
    lieder_model_connect(m, "tank[1].out", "tank[2].in");
    lieder_model_connect(m, "tank[2].out", "leak[2].in");
    for (int method = LIEDER_METHOD_TREE; method <= LIEDER_METHOD_PROBE; method++) {
        LiederSystem *system =
            system_new_with(session, "M", (LiederSystemOptions){.method = (LiederMethod)method});
        double x[2], dx[2];
        size_t one = state_at(system, "tank[1].x"), two = state_at(system, "tank[2].x");
        x[one] = 0.5;
        x[two] = 0.25;
        derivatives(session, system, 0, x, dx);
        /* 3 (r1 + r2) + 4 (x1 + x2) = 0 and 2 r1 + x1 = 0 */
        double r1 = -0.5 / 2, r2 = -4 * 0.75 / 3 - r1;
        assert_near(dx[one], r1, 1e-15);
        assert_near(dx[two], r2, 1e-15);
        assert_near(look(system, 0, x, "leak[2].in.r"), r1 + r2, 1e-15);
        assert_near(look(system, 0, x, "leak[1].in.f"), 0, 1e-15);
        lieder_system_destroy(system);
    }
    lieder_destroy(session);
}

static bool advised(const Lieder *session, const char *text)
{
    for (size_t i = 0; i < lieder_diagnostic_count(session); i++)
        if (lieder_diagnostic_get(session, i)->advice &&
            strstr(lieder_diagnostic_get(session, i)->advice, text))
            return true;
    return false;
}

/* a domain advises in its own words; where it has none, the engine speaks of no other domain */
static void a_domain_advises(void **state)
{
    (void)state;
    for (int grounds = 0; grounds < 3; grounds += 2) {
        Lieder *session = session_new();
        for (int i = 0; i < 3; i++)
            registered(session, &pipes[i]);
        LiederModel *m = lieder_model_create(session, "M", "");
        lieder_model_add_array(m, "tank", "Own.Tank", 2);
        lieder_model_add(m, "leak", "Own.Leak");
        lieder_model_connect(m, "tank[1].out", "leak.in");
        lieder_model_connect(m, "tank[2].out", "leak.in");
        if (grounds) {
            lieder_model_add(m, "ground", "Own.Ground");
            lieder_model_connect(m, "ground.out", "tank[1].in");
            lieder_model_connect(m, "ground.out", "tank[2].in");
        } else {
            lieder_model_connect(m, "tank[1].in", "tank[2].in");
        }
        assert_null(lieder_system_create(session, "M", NULL));
        assert_true(advised(session, grounds ? "close the loop with a component that answers"
                                             : "connect it to the ground of the house"));
        assert_false(advised(session, "SpringDamper") || advised(session, "Fixed"));
        lieder_destroy(session);
    }
}

/* ------------------------------------------------------------------ classes that are wrong */

typedef struct Bad {
    real c, s, v, a, v_el, residual;
} Bad;
typedef Bad Bent, Unbiased, Overbiased, Partial, OneSided, Unmatched, Halved;

static inline void pass_outward(Bad *c, Flange *in, Flange *out, Call call)
{
    (void)call;
    out->v_el = in->v_el + constant_term(c->v);
    out->a = in->a + c->a;
}

static inline void pass_inward(Bad *c, Flange *in, Flange *out, Call call)
{
    (void)call;
    in->f_el = -out->f_el;
    in->f_ki = -out->f_ki;
    c->residual = out->f_el + out->f_ki;
}

static inline void bent_inward(Bad *c, Flange *in, Flange *out, Call call)
{
    pass_inward(c, in, out, call);
    c->residual = c->residual + 0.1 * c->a * c->a; /* not linear */
}
#define CLASS       Bent
#define PORTS(X)    X(0, IN, Flange) X(1, OUT, Flange)
#define UNKNOWNS(X) X(0, a, residual)
#define OUTWARD     pass_outward
#define INWARD      bent_inward
#include <lieder/kernels.inc>

static inline void unbiased_outward(Bad *c, Flange *in, Flange *out, Call call)
{
    (void)call;
    out->v_el = in->v_el + c->v; /* bias forgotten */
    out->a = in->a + c->a;
}
#define CLASS       Unbiased
#define PORTS(X)    X(0, IN, Flange) X(1, OUT, Flange)
#define UNKNOWNS(X) X(0, a, residual)
#define OUTWARD     unbiased_outward
#define INWARD      pass_inward
#include <lieder/kernels.inc>

static inline void overbiased_outward(Bad *c, Flange *in, Flange *out, Call call)
{
    out->v_el = in->v_el + constant_term(c->v);
    out->a = in->a + constant_term(c->a); /* an unknown inside bias */
}
#define CLASS       Overbiased
#define PORTS(X)    X(0, IN, Flange) X(1, OUT, Flange)
#define UNKNOWNS(X) X(0, a, residual)
#define OUTWARD     overbiased_outward
#define INWARD      pass_inward
#include <lieder/kernels.inc>

static inline void partial_inward(Bad *c, Flange *in, Flange *out, Call call)
{
    pass_inward(c, in, out, call);
    in->f_ki = -2.0 * out->f_ki; /* the regimes differ */
}
#define CLASS       Partial
#define PORTS(X)    X(0, IN, Flange) X(1, OUT, Flange)
#define UNKNOWNS(X) X(0, a, residual)
#define OUTWARD     pass_outward
#define INWARD      partial_inward
#include <lieder/kernels.inc>

static inline void one_sided_inward(Bad *c, Flange *a, Flange *b, Call call)
{
    (void)call;
    b->f_el = c->c * (b->v_el - a->v_el);
    a->f_el = -0.5 * b->f_el; /* force without reaction */
}
#define CLASS    OneSided
#define PORTS(X) X(0, IN, Flange) X(1, IN, Flange)
#define INWARD   one_sided_inward
#include <lieder/kernels.inc>

#define CLASS    Unmatched
#define PORTS(X) X(0, IN, Flange) X(1, OUT, Flange)
#define OUTWARD  pass_outward
#define INWARD   pass_inward
#include <lieder/kernels.inc>

#define CLASS       Halved
#define PORTS(X)    X(0, IN, Flange) X(1, OUT, Flange)
#define UNKNOWNS(X) X(0, a, residual)
#define OUTWARD     pass_outward
#include <lieder/kernels.inc>

static const LiederMember bad_members[] = {
    PARAMETER(Bad, c, "", 1, ANY, ""),
    STATE(Bad, s, v_el, "m", 0, ""),
    STATE(Bad, v, a, "m/s", 0, ""),
    UNKNOWN(Bad, a, residual, "m/s2", ""),
};
static const LiederMember far_members[] = {{.kind = LIEDER_PARAMETER,
                                            .name = "far",
                                            .unit = "",
                                            .index = 1000,
                                            .length = 1,
                                            .fallback = 0,
                                            ANY}};

static void assert_class_refused(LiederClassDef def, const char *message)
{
    Lieder *session = session_new();
    def.text = "";
    def.name = "Own.Bad";
    size_t before = lieder_class_count(session);
    LiederStatus status = lieder_class_register(session, &def);
    if (status != LIEDER_BAD_USE)
        fail_msg("status %d where '%s' was expected", (int)status, message);
    assert_int_equal(lieder_diagnostic_count(session), 1);
    const LiederDiagnostic *d = lieder_diagnostic_get(session, 0);
    assert_string_equal(d->path, "Own.Bad");
    if (!strstr(d->message, message) || !d->advice)
        fail_msg("'%s' where '%s' was expected", d->message, message);
    assert_int_equal(lieder_class_count(session), before);
    lieder_destroy(session);
}

static void broken_rules(void **state)
{
    (void)state;
    LiederClassDef link = {.nport = 2, .ports = geared_ports, .nmember = 4, .members = bad_members};
    LiederClassDef between = {.nport = 2, .ports = hardening_ports};
    link.kernels = &Bent_kernels;
    assert_class_refused(link, "block inward is not linear");
    link.kernels = &Unbiased_kernels;
    assert_class_refused(link, "block outward gives");
    link.kernels = &Overbiased_kernels;
    assert_class_refused(link, "block outward changes its linear part");
    link.kernels = &Partial_kernels;
    assert_class_refused(link, "regimes of a flow differently");
    between.kernels = &OneSided_kernels;
    assert_class_refused(between, "flange_a and flange_b are not opposite");
}

static void wrong_tables_of_classes(void **state)
{
    (void)state;
    LiederClassDef link = {.nport = 2, .ports = geared_ports, .nmember = 4, .members = bad_members};
    link.kernels = &Unmatched_kernels;
    assert_class_refused(link, "1 unknowns and UNKNOWNS has 0");
    link.kernels = &Halved_kernels;
    assert_class_refused(link, "a link needs an inward block");
    link.kernels = NULL;
    assert_class_refused(link, "needs kernels");
    link.kernels = &Geared_kernels;
    link.nmember = 1;
    link.members = far_members;
    assert_class_refused(link, "far lies outside the struct");
    LiederDomain wide = pipe_domain;
    wide.npotential = 32; /* more than its mask has bits */
    LiederPortDef port = {.name = "in", .domain = &wide, .role = LIEDER_IN};
    link = (LiederClassDef){.nport = 1, .ports = &port, .kernels = &Leak_kernels};
    assert_class_refused(link, "more than 31 signals or potentials");
    wide = pipe_domain;
    wide.power = true; /* of one regime and one potential */
    assert_class_refused(link, "says that it has a power");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_classes_among_the_library),
        cmocka_unit_test(own_classes_are_reflected),
        cmocka_unit_test(a_domain_of_its_own),
        cmocka_unit_test(a_domain_advises),
        cmocka_unit_test(broken_rules),
        cmocka_unit_test(wrong_tables_of_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
