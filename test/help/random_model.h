/* random_model.h - random trees of joints over several domains, every component connected either
 * way round, with springs that close loops if wanted. */
#ifndef TEST_HELP_RANDOM_MODEL_H
#define TEST_HELP_RANDOM_MODEL_H

#include "help/engine.h"

enum { RANDOM_PLANAR, RANDOM_TRANSLATIONAL, RANDOM_ROTATIONAL, RANDOM_DOMAINS };

typedef struct RandomModel {
    LiederModel *model;
    uint64_t seed;
    size_t n;                          /* components, for their names */
    char (*ports[RANDOM_DOMAINS])[48]; /* whose motion is decided */
    size_t nport[RANDOM_DOMAINS];
    char (*axes[2])[48]; /* joints with flange_a and support: sliding, turning */
    size_t naxis[2];
} RandomModel;

typedef struct RandomOptions {
    size_t joints, loops;
    double stiffness; /* greatest; a third of the springs has it */
    int damped;
    double time_constant; /* greatest TD of joints and springs */
    bool planar;          /* nothing else */
} RandomOptions;

#define RANDOM_ROOM 512

static inline double rm_between(RandomModel *r, double low, double high)
{
    return random_between(&r->seed, low, high);
}

static inline bool rm_chance(RandomModel *r, double p)
{
    return rm_between(r, 0, 1) < p;
}

static inline void rm_set(RandomModel *r, const char *name, const char *parameter, double value)
{
    char path[96];
    snprintf(path, sizeof path, "%s.%s", name, parameter);
    lieder_model_set(r->model, path, value);
}

static inline void rm_set_vector(RandomModel *r, const char *name, const char *parameter, double x,
                                 double y)
{
    char path[96];
    snprintf(path, sizeof path, "%s.%s", name, parameter);
    lieder_model_set_vector(r->model, path, (double[]){x, y}, 2);
}

static inline void rm_connect(RandomModel *r, const char *name, const char *port, const char *to)
{
    char path[96];
    snprintf(path, sizeof path, "%s.%s", name, port);
    if (rm_chance(r, 0.5))
        lieder_model_connect(r->model, path, to);
    else
        lieder_model_connect(r->model, to, path);
}

static inline const char *rm_pick(RandomModel *r, int domain)
{
    return r->ports[domain][random_below(&r->seed, r->nport[domain])];
}

static inline void rm_offer(RandomModel *r, int domain, const char *name, const char *port)
{
    if (r->nport[domain] < RANDOM_ROOM)
        snprintf(r->ports[domain][r->nport[domain]++], 48, "%.20s.%.20s", name, port);
}

static inline const char *rm_name(RandomModel *r, char *buffer)
{
    snprintf(buffer, 24, "c%zu", r->n++);
    return buffer;
}

/* a link with its first or its second port towards the root; `to` becomes its far port */
static inline void rm_link(RandomModel *r, const char *class_, const char *name, const char *a,
                           const char *b, char *to)
{
    bool reversed = rm_chance(r, 0.5);
    lieder_model_add(r->model, name, class_);
    rm_connect(r, name, reversed ? b : a, to);
    snprintf(to, 48, "%.20s.%.20s", name, reversed ? a : b);
}

static inline void rm_planar_joint(RandomModel *r, const RandomOptions *o)
{
    char name[24], to[48];
    snprintf(to, sizeof to, "%s", rm_pick(r, RANDOM_PLANAR));
    size_t kind = random_below(&r->seed, 5);
    rm_name(r, name);
    if (kind < 2) {
        rm_link(r, "Planar.Revolute", name, "frame_a", "frame_b", to);
    } else if (kind < 4) {
        rm_link(r, "Planar.Prismatic", name, "frame_a", "frame_b", to);
        rm_set_vector(r, name, "r", rm_between(r, 0.2, 1), rm_between(r, -1, 1));
    } else {
        rm_link(r, "Planar.FreeMotion", name, "frame_a", "frame_b", to);
    }
    rm_set(r, name, "TD", rm_chance(r, 0.3) ? 0 : rm_between(r, 0, o->time_constant));
    if (kind < 4) {
        int domain = kind < 2 ? RANDOM_ROTATIONAL : RANDOM_TRANSLATIONAL;
        rm_offer(r, domain, name, "flange_a");
        snprintf(r->axes[kind < 2][r->naxis[kind < 2]++], 48, "%s", name);
    }
    for (size_t k = random_below(&r->seed, 3); k-- > 0;) {
        rm_name(r, name);
        size_t which = random_below(&r->seed, 4);
        if (which < 2) {
            rm_link(r, "Planar.FixedTranslation", name, "frame_a", "frame_b", to);
            rm_set_vector(r, name, "r", rm_between(r, -1, 1), rm_between(r, -1, 1));
        } else if (which == 2) {
            rm_link(r, "Planar.FixedRotation", name, "frame_a", "frame_b", to);
            rm_set(r, name, "alpha", rm_between(r, -3, 3));
        } else {
            rm_link(r, "Planar.ForceSensor", name, "frame_a", "frame_b", to);
        }
    }
    if (r->nport[RANDOM_PLANAR] < RANDOM_ROOM)
        memcpy(r->ports[RANDOM_PLANAR][r->nport[RANDOM_PLANAR]++], to, sizeof to);
    rm_name(r, name);
    lieder_model_add(r->model, name, "Planar.Body");
    rm_connect(r, name, "frame_a", to);
    rm_set(r, name, "m", rm_between(r, 0.5, 2));
    rm_set(r, name, "I", rm_between(r, 0.2, 1));
}

static inline void rm_flange_joint(RandomModel *r, const RandomOptions *o, int domain)
{
    char name[24], to[48];
    snprintf(to, sizeof to, "%s", rm_pick(r, domain));
    rm_name(r, name);
    const char *joint = domain == RANDOM_TRANSLATIONAL ? "Translational.Joint" : "Rotational.Joint";
    rm_link(r, joint, name, "flange_a", "flange_b", to);
    rm_set(r, name, "TD", rm_chance(r, 0.3) ? 0 : rm_between(r, 0, o->time_constant));
    rm_set(r, name, domain == RANDOM_TRANSLATIONAL ? "f_ext" : "tau_ext", rm_between(r, -1, 1));
    for (size_t k = random_below(&r->seed, 3); k-- > 0;) {
        rm_name(r, name);
        size_t which = random_below(&r->seed, 4);
        if (which == 0 && domain == RANDOM_TRANSLATIONAL) {
            rm_link(r, "Translational.Translation", name, "flange_a", "flange_b", to);
            rm_set(r, name, "l", rm_between(r, -1, 1));
        } else if (which == 0) {
            rm_link(r, "Rotational.Rotation", name, "flange_a", "flange_b", to);
            rm_set(r, name, "phi0", rm_between(r, -1, 1));
        } else if (which == 1) {
            /* a wheel leads into the other domain */
            lieder_model_add(r->model, name, "Rotational.RollingWheel");
            rm_set(r, name, "radius", rm_between(r, 0.3, 2));
            rm_connect(r, name, domain == RANDOM_TRANSLATIONAL ? "flangeT" : "flangeR", to);
            snprintf(to, sizeof to, "%s.%s", name,
                     domain == RANDOM_TRANSLATIONAL ? "flangeR" : "flangeT");
            domain = domain == RANDOM_TRANSLATIONAL ? RANDOM_ROTATIONAL : RANDOM_TRANSLATIONAL;
        } else if (which == 2 && domain == RANDOM_ROTATIONAL) {
            rm_link(r, "Rotational.IdealGear", name, "flange_a", "flange_b", to);
            rm_set(r, name, "ratio", rm_between(r, 0.4, 2) * (rm_chance(r, 0.5) ? 1 : -1));
        } else {
            rm_link(r,
                    domain == RANDOM_TRANSLATIONAL ? "Translational.ForceSensor"
                                                   : "Rotational.TorqueSensor",
                    name, "flange_a", "flange_b", to);
        }
    }
    if (r->nport[domain] < RANDOM_ROOM)
        memcpy(r->ports[domain][r->nport[domain]++], to, sizeof to);
    rm_name(r, name);
    lieder_model_add(r->model, name,
                     domain == RANDOM_TRANSLATIONAL ? "Translational.Body" : "Rotational.Inertia");
    rm_connect(r, name, "flange_a", to);
    rm_set(r, name, domain == RANDOM_TRANSLATIONAL ? "m" : "J", rm_between(r, 0.5, 2));
}

/* a spring between any two ports of a domain, roots among them, or across a joint */
static inline void rm_spring(RandomModel *r, const RandomOptions *o)
{
    char name[24], a[48], b[48];
    double c = rm_chance(r, 0.33) ? o->stiffness : rm_between(r, 1, 100);
    int domain = o->planar || rm_chance(r, 0.6)
                     ? RANDOM_PLANAR
                     : RANDOM_TRANSLATIONAL + (int)random_below(&r->seed, 2);
    rm_name(r, name);
    snprintf(a, sizeof a, "%s", rm_pick(r, domain));
    snprintf(b, sizeof b, "%s", rm_pick(r, domain));
    if (domain != RANDOM_PLANAR && r->naxis[domain == RANDOM_ROTATIONAL] && rm_chance(r, 0.3)) {
        int kind = domain == RANDOM_ROTATIONAL;
        const char *joint = r->axes[kind][random_below(&r->seed, r->naxis[kind])];
        snprintf(a, sizeof a, "%.30s.support", joint);
        snprintf(b, sizeof b, "%.30s.flange_a", joint);
    }
    if (domain == RANDOM_PLANAR) {
        lieder_model_add(r->model, name, "Planar.SpringDamper");
        rm_connect(r, name, "frame_a", a);
        rm_connect(r, name, "frame_b", b);
        static const char *const axes[] = {"x", "y", "phi"};
        for (int k = 0; k < 3; k++) {
            char parameter[8];
            snprintf(parameter, sizeof parameter, "c_%s", axes[k]);
            rm_set(r, name, parameter, rm_chance(r, 0.2) ? 0 : c);
            snprintf(parameter, sizeof parameter, "d_%s", axes[k]);
            rm_set(r, name, parameter, rm_chance(r, 0.5) ? 0 : rm_between(r, 0, 10));
        }
    } else {
        static const char *const classes[2][3] = {
            {"Translational.SpringDamper", "Translational.Damper", "Translational.ElastoGap"},
            {"Rotational.SpringDamper", "Rotational.Damper", "Rotational.ElastoGap"}};
        size_t which = random_below(&r->seed, 3);
        lieder_model_add(r->model, name, classes[domain == RANDOM_ROTATIONAL][which]);
        rm_connect(r, name, "flange_a", a);
        rm_connect(r, name, "flange_b", b);
        if (which != 1)
            rm_set(r, name, "c", c);
        rm_set(r, name, "d", rm_chance(r, 0.5) ? 0 : rm_between(r, 0, 10));
    }
    rm_set(r, name, "damped", o->damped);
    rm_set(r, name, "TD", rm_chance(r, 0.15) ? 0 : rm_between(r, 0.1, 1) * o->time_constant);
}

/* a model of the given name; it owns nothing once it is built */
static inline void random_model(Lieder *session, const char *name, uint64_t seed, RandomOptions o)
{
    RandomModel r = {.model = lieder_model_create(session, name, "random tree"), .seed = seed};
    for (int d = 0; d < RANDOM_DOMAINS; d++)
        r.ports[d] = malloc(RANDOM_ROOM * sizeof *r.ports[d]);
    for (int k = 0; k < 2; k++)
        r.axes[k] = malloc((o.joints + 1) * sizeof *r.axes[k]);
    lieder_model_add(r.model, "p0", "Planar.Fixed");
    lieder_model_add(r.model, "t0", "Translational.Fixed");
    lieder_model_add(r.model, "r0", "Rotational.Fixed");
    rm_set_vector(&r, "p0", "r", rm_between(&r, -1, 1), rm_between(&r, -1, 1));
    rm_set(&r, "p0", "phi", rm_between(&r, -3, 3));
    rm_set(&r, "t0", "s", rm_between(&r, -1, 1));
    rm_offer(&r, RANDOM_PLANAR, "p0", "frame");
    rm_offer(&r, RANDOM_TRANSLATIONAL, "t0", "flange_b");
    rm_offer(&r, RANDOM_ROTATIONAL, "r0", "flange_b");
    for (size_t i = 0; i < o.joints; i++) {
        int domain = o.planar || rm_chance(&r, 0.6)
                         ? RANDOM_PLANAR
                         : RANDOM_TRANSLATIONAL + (int)random_below(&r.seed, 2);
        if (domain == RANDOM_PLANAR)
            rm_planar_joint(&r, &o);
        else
            rm_flange_joint(&r, &o, domain);
    }
    for (size_t i = 0; i < o.loops; i++)
        rm_spring(&r, &o);
    for (int d = 0; d < RANDOM_DOMAINS; d++)
        free(r.ports[d]);
    for (int k = 0; k < 2; k++)
        free(r.axes[k]);
}

#endif
