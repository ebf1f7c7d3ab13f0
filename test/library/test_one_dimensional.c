/* test_one_dimensional.c - Translational and Rotational, class by class against formulas. */
#include "help/engine.h"

#include <lieder/simulate.h>

/* the two vocabularies */
typedef struct Words {
    const char *library, *s, *v, *v_el, *a, *f_el, *f_ki, *s_rel, *v_rel;
    const char *mass, *m, *offset, *length, *spring_length, *f_ext, *source, *f, *position, *force;
    const char *adhesion, *slide;
} Words;

static const Words words[2] = {
    {"Translational",
     "s",
     "v",
     "v_el",
     "a",
     "f_el",
     "f_ki",
     "s_rel",
     "v_rel",
     "Body",
     "m",
     "Translation",
     "l",
     "l",
     "f_ext",
     "Force",
     "f",
     "PositionSensor",
     "ForceSensor",
     "vAdhesion",
     "vSlide"},
    {"Rotational",   "phi",       "w",       "w_el",    "z",   "tau_el",
     "tau_ki",       "phi_rel",   "w_rel",   "Inertia", "J",   "Rotation",
     "phi0",         "phi0",      "tau_ext", "Torque",  "tau", "AngleSensor",
     "TorqueSensor", "wAdhesion", "wSlide"}};

/* fixed - joint - mass, and whatever is added */
typedef struct Rig {
    const Words *w;
    Lieder *session;
    LiederModel *model;
    LiederSystem *system;
    size_t s, v;
    double g;
} Rig;

static void add(Rig *r, const char *name, const char *class_)
{
    char full[64];
    snprintf(full, sizeof full, "%s.%s", r->w->library, class_);
    lieder_model_add(r->model, name, full);
}

static void set(Rig *r, const char *name, const char *parameter, double value)
{
    char path[64];
    snprintf(path, sizeof path, "%s.%s", name, parameter);
    lieder_model_set(r->model, path, value);
}

static Rig rig_new(const Words *w, double m, double TD, double damped)
{
    Rig r = {.w = w, .session = session_new(), .g = w == words ? -9.81 : 0};
    r.model = lieder_model_create(r.session, "M", "");
    lieder_model_add(r.model, "world", "World");
    lieder_model_set(r.model, "world.TD", TD);
    lieder_model_set(r.model, "world.damped", damped);
    add(&r, "fixed", "Fixed");
    add(&r, "joint", "Joint");
    add(&r, "mass", w->mass);
    set(&r, "mass", w->m, m);
    lieder_model_connect(r.model, "fixed.flange_b", "joint.flange_a");
    lieder_model_connect(r.model, "joint.flange_b", "mass.flange_a");
    return r;
}

static void rig_ready(Rig *r)
{
    char path[32];
    r->system = system_new(r->session, "M");
    snprintf(path, sizeof path, "joint.%s", r->w->s);
    r->s = state_at(r->system, path);
    snprintf(path, sizeof path, "joint.%s", r->w->v);
    r->v = state_at(r->system, path);
}

static void rig_drop(Rig *r)
{
    lieder_system_destroy(r->system);
    lieder_destroy(r->session);
}

static double see(Rig *r, const double *x, const char *component, const char *variable)
{
    char path[96];
    snprintf(path, sizeof path, "%s.%s", component, variable);
    return look(r->system, 0, x, path);
}

/* ------------------------------------------------------------------ joint and body */

/* Two masses on absolute positions of 0.1 with a joint between them, in either direction. A spring
 * of 1e18 between its axis and its support sees the elongation of 5e-18 with all digits, which the
 * difference of the two positions has lost. */
static void stiff_spring_on_axis(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int reversed = 0; reversed < 2; reversed++) {
            const double m1 = 2.5, m2 = 0.5, c = 1e18, s_rel = 5e-18;
            Rig r = rig_new(&words[k], m1, 0, 0);
            char path[64];
            add(&r, "rel", "Joint");
            add(&r, "spring", "Spring");
            add(&r, "other", r.w->mass);
            set(&r, "other", r.w->m, m2);
            set(&r, "spring", "c", c);
            lieder_model_connect(r.model, "joint.flange_b",
                                 reversed ? "rel.flange_b" : "rel.flange_a");
            lieder_model_connect(r.model, reversed ? "rel.flange_a" : "rel.flange_b",
                                 "other.flange_a");
            lieder_model_connect(r.model, "rel.support", "spring.flange_a");
            lieder_model_connect(r.model, "rel.axis", "spring.flange_b");
            rig_ready(&r);
            double x[4] = {0}, dx[4];
            snprintf(path, sizeof path, "rel.%s", r.w->s);
            size_t rel_s = state_at(r.system, path);
            snprintf(path, sizeof path, "rel.%s", r.w->v);
            size_t rel_v = state_at(r.system, path);
            x[r.s] = 0.1;
            x[rel_s] = s_rel;
            derivatives(r.session, r.system, 0, x, dx);
            double sign = reversed ? -1 : 1;
            assert_near(dx[rel_v], -c * s_rel * (1 / m1 + 1 / m2), 1e-13);
            assert_near(dx[r.v], r.g + sign * c * s_rel / m1, 1e-13);
            assert_near(see(&r, x, "spring", k == 0 ? "f_el" : "tau_el"), c * s_rel, 1e-13);
            assert_true(see(&r, x, "other.flange_a", r.w->s) -
                            see(&r, x, "mass.flange_a", r.w->s) ==
                        0); /* lost, as it should be here */
            rig_drop(&r);
        }
}

/* m a = m g + f_ext, s' = v + T_D a, any T_D */
static void joint_and_mass(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int dialectic = 0; dialectic < 2; dialectic++) {
            double m = 2.5, TD = dialectic ? 0.02 : 0, f = 3;
            Rig r = rig_new(&words[k], m, TD, 1);
            set(&r, "joint", words[k].f_ext, f);
            set(&r, "fixed", words[k].s, 0.75);
            rig_ready(&r);
            double x[2], dx[2], a = r.g + f / m;
            x[r.s] = 0.3;
            x[r.v] = -0.8;
            derivatives(r.session, r.system, 0, x, dx);
            assert_near(dx[r.v], a, 1e-15 * 10);
            assert_near(dx[r.s], -0.8 + TD * a, 1e-15 * 10);
            assert_near(see(&r, x, "mass.flange_a", words[k].s), 1.05, 1e-15);
            assert_near(see(&r, x, "mass.flange_a", words[k].v), -0.8, 1e-15);
            assert_near(see(&r, x, "mass.flange_a", words[k].v_el), dx[r.s], 1e-15);
            assert_near(see(&r, x, "mass.flange_a", words[k].a), a, 1e-14);
            assert_near(see(&r, x, "joint", words[k].v_el), dx[r.s], 1e-15);
            assert_near(see(&r, x, "joint", words[k].a), a, 1e-14);
            /* into the body goes m a in the kinetic and -m g in the elastic regime */
            assert_near(see(&r, x, "mass.flange_a", words[k].f_ki), m * a, 1e-13);
            assert_near(see(&r, x, "mass.flange_a", words[k].f_el), -m * r.g, 1e-13);
            /* which the joint hands on to its base */
            assert_near(see(&r, x, "fixed.flange_b", words[k].f_ki), -m * a, 1e-13);
            assert_near(see(&r, x, "fixed.flange_b", words[k].f_el), m * r.g, 1e-13);
            rig_drop(&r);
        }
}

/* ------------------------------------------------------------------ elastic elements */

typedef struct Element {
    const char *class_;
    double c, d, l;
    bool gap;
} Element;

/* (m + d_el T_D) a = m g - c (s - l) - d v where the element acts */
static void check_element(const Words *w, const Element *e, double TD, bool damped, bool turned)
{
    Rig r = rig_new(w, 1.5, TD, damped);
    add(&r, "e", e->class_);
    if (e->c != 0)
        set(&r, "e", "c", e->c);
    if (e->d != 0)
        set(&r, "e", "d", e->d);
    if (e->l != 0)
        set(&r, "e", w->spring_length, e->l);
    lieder_model_connect(r.model, turned ? "mass.flange_a" : "fixed.flange_b", "e.flange_a");
    lieder_model_connect(r.model, turned ? "fixed.flange_b" : "mass.flange_a", "e.flange_b");
    rig_ready(&r);
    uint64_t seed = 7;
    for (int trial = 0; trial < 20; trial++) {
        double x[2], dx[2], sign = turned ? -1 : 1;
        random_fill(&seed, x, 2, -2, 2);
        double s = sign * x[r.s], v = sign * x[r.v]; /* relative, from a to b */
        bool acts = !e->gap || s < e->l;
        double c = acts ? e->c : 0, d = acts ? e->d : 0;
        double d_el = damped && TD > 0 ? d + c * TD : 0;
        double spring = acts ? c * (s - e->l) : 0;
        derivatives(r.session, r.system, 0, x, dx);
        double a = (1.5 * r.g - sign * (spring + d * v)) / (1.5 + d_el * TD);
        double scale = 1e-13 * (1 + fabs(spring) + fabs(d * v)); /* rounding of these terms */
        assert_near(dx[r.v], a, scale);
        assert_near(see(&r, x, "e", w->s_rel), s, 1e-15);
        assert_near(see(&r, x, "e", w->v_rel), v, 1e-15);
        double f_el = spring + d_el * sign * TD * a;
        assert_near(see(&r, x, "e", w->f_el), f_el, 10 * scale);
        assert_near(see(&r, x, "e", w->f_ki), d * v, scale);
        /* opposite forces at the two flanges */
        assert_near(see(&r, x, "e.flange_b", w->f_el), f_el, 10 * scale);
        assert_near(see(&r, x, "e.flange_a", w->f_el), -f_el, 10 * scale);
        assert_near(see(&r, x, "e.flange_b", w->f_ki), d * v, scale);
        assert_near(see(&r, x, "e.flange_a", w->f_ki), -d * v, scale);
    }
    rig_drop(&r);
}

static void elastic_elements(void **state)
{
    (void)state;
    static const Element elements[] = {{"Spring", 50, 0, 0.4, false},
                                       {"Damper", 0, 7, 0, false},
                                       {"SpringDamper", 50, 7, 0.4, false},
                                       {"SpringDamper", 1e6, 100, -0.2, false},
                                       {"ElastoGap", 50, 7, 0.4, true}};
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
            for (int variant = 0; variant < 8; variant++)
                check_element(&words[k], &elements[i], variant & 1 ? 1e-2 : 0, variant & 2,
                              variant & 4);
}

/* the last row of three states */
static bool keep_last(void *user, double t, const double *x, LiederRow kind)
{
    (void)t;
    (void)kind;
    memcpy(user, x, 3 * sizeof *x);
    return true;
}

/* While it is whole it is a spring and damper, then nothing: c Ds + d Dv of either sign decides
 * when */
static void breakable(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int sign = -1; sign < 2; sign += 2) {
            const Words *w = &words[k];
            Rig r = rig_new(w, 1.5, 1e-2, 1);
            add(&r, "e", "Breakable");
            set(&r, "e", "c", 50);
            set(&r, "e", "d", 7);
            set(&r, "e", k ? "tau_max" : "f_max", 40);
            set(&r, "joint", w->f_ext, -1.5 * r.g); /* weightless */
            lieder_model_connect(r.model, "fixed.flange_b", "e.flange_a");
            lieder_model_connect(r.model, "mass.flange_a", "e.flange_b");
            rig_ready(&r);
            size_t broken = state_at(r.system, "e.broken");
            double x[3], dx[3];
            x[r.s] = 0.4;
            x[r.v] = 1.5;
            x[broken] = 0;
            assert_near(see(&r, x, "e", "margin"), 40 - (50 * 0.4 + 7 * 1.5), 1e-14);
            derivatives(r.session, r.system, 0, x, dx);
            double m = 1.5 + (7 + 50 * 1e-2) * 1e-2;
            assert_near(dx[r.v], -(50 * 0.4 + 7 * 1.5) / m, 1e-13);
            x[broken] = 1;
            derivatives(r.session, r.system, 0, x, dx);
            assert_near(dx[r.v], 0, 1e-14);
            assert_near(dx[broken], 0, 0);
            /* what is too much at the start is broken at the start */
            for (int wild = 0; wild < 2; wild++) {
                char path[32];
                snprintf(path, sizeof path, "joint.%s", w->s);
                lieder_model_set(r.model, path, wild ? sign : sign * 0.5);
                LiederSystem *other = system_new(r.session, "M");
                lieder_system_start(other, x);
                assert_near(x[broken], wild, 0);
                lieder_system_destroy(other);
            }
            /* thrown until it breaks, and on */
            LiederSimulateOptions o = lieder_simulate_defaults();
            x[r.s] = 0;
            x[r.v] = sign * 5.5; /* the damper alone takes 38.5 */
            x[broken] = 0;
            double end[3];
            o.x0 = x;
            o.stop = 2;
            o.output = keep_last;
            o.user = end;
            assert_int_equal(lieder_simulate(r.system, &o, NULL), LIEDER_DONE);
            assert_near(end[broken], 1, 1e-12);
            assert_true(sign * end[r.s] > 4 && sign * end[r.v] > 3);
            rig_drop(&r);
        }
}

/* a spring may override the world's T_D and switch */
static void world_overrides(void **state)
{
    (void)state;
    Rig r = rig_new(&words[0], 1, 0.5, 1);
    add(&r, "e", "SpringDamper");
    set(&r, "e", "c", 10);
    set(&r, "e", "TD", 0.25);
    set(&r, "joint", "TD", 0.125);
    set(&r, "mass", "g", 0);
    lieder_model_connect(r.model, "fixed.flange_b", "e.flange_a");
    lieder_model_connect(r.model, "mass.flange_a", "e.flange_b");
    rig_ready(&r);
    double x[2], dx[2];
    x[r.s] = 1;
    x[r.v] = 0;
    derivatives(r.session, r.system, 0, x, dx);
    double d_el = 10 * 0.25,
           a = -10 / (1 + d_el * 0.125); /* d_el of the spring, T_D of the joint */
    assert_near(dx[r.v], a, 1e-14);
    assert_near(dx[r.s], 0.125 * a, 1e-14);
    assert_near(see(&r, x, "joint", "TD"), 0.125, 0);
    assert_near(see(&r, x, "e", "TD"), 0.25, 0);
    rig_drop(&r);
    r = rig_new(&words[0], 1, 0.5, 1);
    add(&r, "e", "Spring");
    set(&r, "e", "c", 10);
    set(&r, "e", "damped", 0);
    set(&r, "mass", "g", 0);
    lieder_model_connect(r.model, "fixed.flange_b", "e.flange_a");
    lieder_model_connect(r.model, "mass.flange_a", "e.flange_b");
    rig_ready(&r);
    derivatives(r.session, r.system, 0, x, dx);
    assert_near(dx[r.v], -10, 1e-14);
    rig_drop(&r);
}

/* without a World: g = 9.81, T_D = 1e-3, damped */
static void default_world(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederSystem *system = system_new(session, "Examples.SpringMass");
    double x[2] = {0}, value;
    assert_int_equal(lieder_system_get(system, "joint.TD", &value), LIEDER_DONE);
    assert_true(value == 1e-3);
    assert_int_equal(lieder_system_get(system, "spring.damped", &value), LIEDER_DONE);
    assert_true(value == 1);
    assert_true(look(system, 0, x, "body.g") == -9.81);
    lieder_system_destroy(system);
    system = system_new(session, "Examples.CraneCrab");
    assert_int_equal(lieder_system_get(system, "load.g", &value), LIEDER_DONE);
    assert_true(value == 9.81);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ friction */

static double friction_at(Rig *r, double v)
{
    double x[2];
    x[r->s] = 0;
    x[r->v] = v;
    return see(r, x, "friction", r->w->f_ki);
}

/* rises as N mu_A (3 q - q^3) / 2 to the top at vAdhesion, falls to N mu_S at vSlide, stays */
static void dry_friction(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const double N = 20, va = 0.1, vs = 0.4, mu_A = 0.9, mu_S = 0.5;
        Rig r = rig_new(&words[k], 2, 1e-3, 1);
        add(&r, "friction", "DryFriction");
        set(&r, "friction", "N", N);
        set(&r, "friction", words[k].adhesion, va);
        set(&r, "friction", words[k].slide, vs);
        set(&r, "friction", "mu_A", mu_A);
        set(&r, "friction", "mu_S", mu_S);
        lieder_model_connect(r.model, "fixed.flange_b", "friction.flange_a");
        lieder_model_connect(r.model, "mass.flange_a", "friction.flange_b");
        rig_ready(&r);
        double tight = 1e-14 * N;
        assert_near(friction_at(&r, 0), 0, 0);
        assert_near(friction_at(&r, va), N * mu_A, tight);
        assert_near(friction_at(&r, vs), N * mu_S, tight);
        assert_near(friction_at(&r, 5 * vs), N * mu_S, tight);
        assert_near(friction_at(&r, va / 2), N * mu_A * (1.5 * 0.5 - 0.5 * 0.125), tight);
        assert_near(friction_at(&r, (va + vs) / 2), N * (mu_A + mu_S) / 2, tight);
        for (double v = 0; v < 2 * vs; v += 0.0137) /* point-symmetric */
            assert_near(friction_at(&r, -v), -friction_at(&r, v), 0);
        /* continuous with its slope at the two corners, where the slope is zero */
        const double corners[] = {va, vs}, h = 1e-7;
        for (int i = 0; i < 2; i++) {
            double before = friction_at(&r, corners[i] - h), here = friction_at(&r, corners[i]);
            double after = friction_at(&r, corners[i] + h);
            /* curvature is of size N / va^2 = 2e3 */
            assert_near((here - before) / h, 0, 1e4 * h + 1e-6);
            assert_near((after - here) / h, 0, 1e4 * h + 1e-6);
        }
        /* it slows the mass down */
        double x[2], dx[2];
        x[r.s] = 0;
        x[r.v] = 1;
        derivatives(r.session, r.system, 0, x, dx);
        assert_near(dx[r.v], r.g - N * mu_S / 2, 1e-13);
        assert_near(see(&r, x, "friction", words[k].v_rel), 1, 0);
        rig_drop(&r);
    }
}

/* ------------------------------------------------------------------ sources and sensors */

static void sources(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        Rig r = rig_new(&words[k], 2, 1e-3, 1);
        char path[32];
        add(&r, "source", words[k].source);
        lieder_model_add(r.model, "level", "Signals.Ramp");
        lieder_model_connect(r.model, "source.flange", "mass.flange_a");
        snprintf(path, sizeof path, "source.%s", words[k].f);
        lieder_model_connect(r.model, "level.y", path);
        rig_ready(&r);
        double x[2] = {0}, dx[2];
        derivatives(r.session, r.system, 1, x, dx); /* the ramp stands at 0.5 */
        assert_near(dx[r.v], r.g + 0.5 / 2, 1e-14);
        rig_drop(&r);
    }
}

/* between joint and mass, either way round: what flange_a hands on to flange_b */
static void force_sensors(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int turned = 0; turned < 2; turned++) {
            Rig r = rig_new(&words[k], 2, 1e-3, 1);
            add(&r, "sensor", words[k].force);
            add(&r, "tail", words[k].mass);
            set(&r, "tail", words[k].m, 3);
            set(&r, "joint", words[k].f_ext, 10);
            lieder_model_connect(r.model, "mass.flange_a",
                                 turned ? "sensor.flange_b" : "sensor.flange_a");
            lieder_model_connect(r.model, turned ? "sensor.flange_a" : "sensor.flange_b",
                                 "tail.flange_a");
            rig_ready(&r);
            double x[2] = {0.1, 0.2}, dx[2];
            derivatives(r.session, r.system, 0, x, dx);
            assert_near(dx[r.v], r.g + 10.0 / 5, 1e-14);
            double handed = 3 * (dx[r.v] - r.g); /* what accelerates the tail */
            assert_near(see(&r, x, "sensor", "y"), turned ? -handed : handed, 1e-13);
            rig_drop(&r);
        }
}

static void position_sensors(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int filtered = 0; filtered < 2; filtered++) {
            double TD = 0.01;
            Rig r = rig_new(&words[k], 2, TD, 1);
            add(&r, "sensor", words[k].position);
            set(&r, "sensor", "filtered", filtered);
            set(&r, "fixed", words[k].s, 3);
            set(&r, "joint", words[k].s, 0.5);
            set(&r, "joint", words[k].v, 0.25);
            lieder_model_connect(r.model, "mass.flange_a", "sensor.flange");
            rig_ready(&r);
            assert_int_equal(lieder_system_state_count(r.system), filtered ? 3 : 2);
            double *x = state_new(r.system), dx[3];
            if (filtered) {
                size_t y = state_at(r.system, "sensor.x");
                assert_near(x[y], 3.5 - TD * 0.25, 1e-15); /* the filter is settled: y' = v */
                assert_near(see(&r, x, "sensor", "y"), x[y], 0);
                x[y] = 3;
                derivatives(r.session, r.system, 0, x, dx);
                assert_near(dx[y], 0.5 / TD, 1e-12);
            } else {
                assert_near(see(&r, x, "sensor", "y"), 3.5, 1e-15);
            }
            rig_drop(&r);
            free(x);
        }
}

/* a sensor may act on the joint that it measures: the input of a joint is late */
static void feedback(void **state)
{
    (void)state;
    Rig r = rig_new(&words[0], 2, 0, 1);
    add(&r, "sensor", "PositionSensor");
    lieder_model_add(r.model, "gain", "Signals.Gain");
    lieder_model_set(r.model, "gain.k", -30);
    set(&r, "mass", "g", 0);
    lieder_model_connect(r.model, "mass.flange_a", "sensor.flange");
    lieder_model_connect(r.model, "sensor.y", "gain.u");
    lieder_model_connect(r.model, "gain.y", "joint.f_ext");
    rig_ready(&r);
    double x[2], dx[2];
    x[r.s] = 0.5;
    x[r.v] = 0;
    derivatives(r.session, r.system, 0, x, dx);
    assert_near(dx[r.v], -30 * 0.5 / 2, 1e-14);
    rig_drop(&r);
}

/* ------------------------------------------------------------------ links */

static double port_power(LiederSystem *system, const double *x, const char *port, const Words *w)
{
    char path[64];
    double v[3];
    const char *names[3] = {w->v, w->f_el, w->f_ki};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s.%s", port, names[i]);
        v[i] = look(system, 0, x, path);
    }
    return v[0] * (v[1] + v[2]);
}

/* gear and wheel, driven from either side */
static void gear_and_wheel(void **state)
{
    (void)state;
    for (int wheel = 0; wheel < 2; wheel++)
        for (int turned = 0; turned < 2; turned++) {
            double k = wheel ? 0.4 : -2.5;
            const Words *wa = &words[1], *wb = wheel ? &words[0] : &words[1];
            const char *a = wheel ? "link.flangeR" : "link.flange_a";
            const char *b = wheel ? "link.flangeT" : "link.flange_b";
            /* near: the side of the joint */
            const Words *near_ = turned ? wb : wa, *far_ = turned ? wa : wb;
            Rig r = rig_new(near_, 2, 1e-2, 1);
            char path[64];
            lieder_model_add(r.model, "link",
                             wheel ? "Rotational.RollingWheel" : "Rotational.IdealGear");
            lieder_model_set(r.model, wheel ? "link.radius" : "link.ratio", k);
            snprintf(path, sizeof path, "%s.%s", far_->library, far_->mass);
            lieder_model_add(r.model, "load", path);
            snprintf(path, sizeof path, "load.%s", far_->m);
            lieder_model_set(r.model, path, 3);
            if (near_ == &words[0])
                lieder_model_set(r.model, "mass.g", 0);
            if (far_ == &words[0])
                lieder_model_set(r.model, "load.g", 0);
            set(&r, "joint", near_->f_ext, 7);
            lieder_model_connect(r.model, "joint.flange_b", turned ? b : a);
            lieder_model_connect(r.model, turned ? a : b, "load.flange_a");
            rig_ready(&r);
            double x[2], dx[2], factor = turned ? 1 / k : k;
            x[r.s] = 0.3;
            x[r.v] = 1.2;
            derivatives(r.session, r.system, 0, x, dx);
            /* reflected inertia: m + factor^2 M */
            assert_near(dx[r.v], 7 / (2 + factor * factor * 3), 1e-14);
            assert_near(see(&r, x, "load.flange_a", far_->s), factor * 0.3, 1e-15);
            assert_near(see(&r, x, "load.flange_a", far_->v), factor * 1.2, 1e-14);
            assert_near(see(&r, x, "load.flange_a", far_->a), factor * dx[r.v], 1e-14);
            assert_near(see(&r, x, "load.flange_a", far_->v_el), factor * dx[r.s], 1e-14);
            /* what goes in comes out */
            double in = port_power(r.system, x, a, wa), out = port_power(r.system, x, b, wb);
            assert_near(in + out, 0, 1e-13);
            assert_true(fabs(in) > 0.1);
            rig_drop(&r);
        }
}

/* A mass m on a spring behind s_b = k |s| s. With slope = 2 k |s|, bend = 2 k sign(s) v and
 * v_el = v + T_D a at the near side,
 *   M a + slope (m (slope a + bend v_el) + c s_b + d_el slope T_D a) = M g */
static void square_link(void **state)
{
    (void)state;
    for (int dialectic = 0; dialectic < 2; dialectic++) {
        const double M = 2, m = 3, c = 40, k = 0.7, TD = dialectic ? 0.05 : 0;
        Rig r = rig_new(&words[0], M, TD, 1);
        add(&r, "link", "SquareLink");
        add(&r, "load", "Body");
        add(&r, "spring", "Spring");
        set(&r, "link", "k", k);
        set(&r, "load", "m", m);
        set(&r, "load", "g", 0);
        set(&r, "spring", "c", c);
        lieder_model_connect(r.model, "mass.flange_a", "link.flange_a");
        lieder_model_connect(r.model, "link.flange_b", "load.flange_a");
        lieder_model_connect(r.model, "fixed.flange_b", "spring.flange_a");
        lieder_model_connect(r.model, "spring.flange_b", "load.flange_a");
        rig_ready(&r);
        uint64_t seed = 11;
        for (int trial = 0; trial < 50; trial++) {
            double x[2], dx[2];
            random_fill(&seed, x, 2, -2, 2);
            double s = x[r.s], v = x[r.v], slope = 2 * k * fabs(s), bend = 2 * k * (s < 0 ? -v : v);
            double right = M * r.g - slope * (c * k * fabs(s) * s + m * bend * v);
            double a = right / (M + slope * slope * (m + c * TD * TD) + slope * m * bend * TD);
            derivatives(r.session, r.system, 0, x, dx);
            assert_near(dx[r.v], a, 1e-11 * (1 + fabs(a))); /* forces up to 1e3 cancel */
            assert_near(see(&r, x, "load.flange_a", "s"), k * fabs(s) * s, 1e-14);
            assert_near(see(&r, x, "load.flange_a", "v"), slope * v, 1e-14);
            double in = port_power(r.system, x, "link.flange_a", &words[0]);
            double out = port_power(r.system, x, "link.flange_b", &words[0]);
            assert_near(in + out, 0, 1e-12 * (1 + fabs(in)));
        }
        rig_drop(&r);
    }
}

/* offset and joint driven from flange_b: the same motion with the sign of their coordinate turned
 */
static void reversed_links(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        double a[2], at[2], sensor[2];
        const Words *w = &words[k];
        for (int turned = 0; turned < 2; turned++) {
            Lieder *session = session_new();
            Rig r = {.w = w, .session = session, .model = lieder_model_create(session, "M", "")};
            double sign = turned ? -1 : 1;
            const char *in = turned ? "flange_b" : "flange_a",
                       *out = turned ? "flange_a" : "flange_b";
            static const char *const names[] = {"fixed", "joint", "offset", "sensor", "mass"};
            const char *classes[] = {"Fixed", "Joint", w->offset, w->force, w->mass};
            char from[64], to[64];
            for (int i = 0; i < 5; i++)
                add(&r, names[i], classes[i]);
            snprintf(from, sizeof from, "fixed.flange_b");
            for (int i = 1; i < 5; i++) {
                snprintf(to, sizeof to, "%s.%s", names[i], i == 4 ? "flange_a" : in);
                lieder_model_connect(r.model, from, to);
                snprintf(from, sizeof from, "%s.%s", names[i], out);
            }
            set(&r, "joint", w->f_ext, sign * 5);
            set(&r, "offset", w->length, sign * 0.7);
            set(&r, "joint", "TD", 0.01);
            rig_ready(&r);
            double x[2], dx[2];
            x[r.s] = sign * 0.2;
            x[r.v] = sign * 0.9;
            derivatives(session, r.system, 0, x, dx);
            a[turned] = sign * dx[r.v];
            at[turned] = see(&r, x, "mass.flange_a", w->s);
            sensor[turned] = sign * see(&r, x, "sensor", "y");
            assert_near(dx[r.s], x[r.v] + 0.01 * dx[r.v], 1e-15);
            rig_drop(&r);
        }
        assert_near(a[0], (k ? 0 : -9.81) + 5, 1e-14);
        assert_near(a[1], a[0], 1e-14);
        assert_near(at[0], 0.9, 1e-15);
        assert_near(at[1], at[0], 1e-15);
        assert_near(sensor[1], sensor[0], 1e-14);
    }
}

/* two masses and a spring between them: the d_el term couples both accelerations (paper 000) */
static void two_masses(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederModel *m = lieder_model_create(session, "M", "");
    lieder_model_add(m, "two", "Examples.TwoMasses");
    lieder_model_add(m, "push", "Signals.Constant");
    lieder_model_set(m, "push.k", 10);
    lieder_model_set(m, "two.body2.m", 3);
    lieder_model_connect(m, "push.y", "two.f");
    LiederSystem *system = system_new(session, "M");
    size_t s1 = state_at(system, "two.joint1.s"), v1 = state_at(system, "two.joint1.v");
    size_t s2 = state_at(system, "two.joint2.s"), v2 = state_at(system, "two.joint2.v");
    uint64_t seed = 9;
    for (int trial = 0; trial < 50; trial++) {
        double x[4], dx[4], c = 1e6, TD = 1e-3, d_el = c * TD, h = d_el * TD;
        random_fill(&seed, x, 4, -1e-3, 1e-3);
        derivatives(session, system, 0, x, dx);
        /* (m1 + h) a1 - h a2 = 10 + f,  -h a1 + (m2 + h) a2 = -f,  f = c (s2 - s1) */
        double f = c * (x[s2] - x[s1]), det = (1 + h) * (3 + h) - h * h;
        double a1 = ((3 + h) * (10 + f) - h * f) / det, a2 = (-(1 + h) * f + h * (10 + f)) / det;
        assert_near(dx[v1], a1, 1e-10); /* f is of size 1e3 and cancels */
        assert_near(dx[v2], a2, 1e-10);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joint_and_mass),   cmocka_unit_test(stiff_spring_on_axis),
        cmocka_unit_test(elastic_elements), cmocka_unit_test(breakable),
        cmocka_unit_test(world_overrides),  cmocka_unit_test(default_world),
        cmocka_unit_test(dry_friction),     cmocka_unit_test(sources),
        cmocka_unit_test(force_sensors),    cmocka_unit_test(position_sensors),
        cmocka_unit_test(feedback),         cmocka_unit_test(gear_and_wheel),
        cmocka_unit_test(square_link),      cmocka_unit_test(reversed_links),
        cmocka_unit_test(two_masses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
