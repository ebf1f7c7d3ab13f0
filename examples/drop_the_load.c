/* drop_the_load.c - connections that change while a system runs.
 *
 * A load swings on the hook of a crane. Where the rope is 40 degrees beyond the perpendicular it
 * lets go: the load is disconnected from the rope and connected to a joint with three degrees of
 * freedom, which has slept until then. The hook swings on, lighter now. Both come from one system:
 * no state vector changes its length, no index its meaning.
 *
 *   hanging:  wall - pivot - rope - hook              air - flight (asleep)
 *                               \ - load
 *   flying:   wall - pivot - rope - hook              air - flight - load
 *
 * What joints that take over must know, their positions and velocities, only the physics of the
 * change can tell. Here nothing jumps: the flight begins with the pose that the load has.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <lieder/modes.h>

#define LENGTH  3.0
#define FLOOR   -6.0
#define LETS_GO (40 * M_PI / 180)
#define GRAVITY 9.81
#define HOOK_M  0.5
#define LOAD_M  4.0
#define PICTURE 17
#define BREADTH 64

typedef struct Site {
    LiederSystem *system;
    LiederObserver *load, *hook; /* x, y, phi, vx, vy, w each */
    double at_release[6], released, landed, range;
    double energy[2]; /* before and after */
    char picture[PICTURE][BREADTH + 1];
} Site;

static const char *const pose[] = {"x", "y", "phi", "vx", "vy", "w"};

/* 1. the model: what is needed later is there from the beginning, as a spare part */
static LiederSystem *build(Lieder *session)
{
    LiederModel *m = lieder_model_create(session, "Site", "A crane that lets go");
    lieder_model_add(m, "world", "World");
    lieder_model_set(m, "world.TD", 0); /* classical mechanics */
    lieder_model_add(m, "wall", "Planar.Fixed");
    lieder_model_add(m, "pivot", "Planar.Revolute");
    lieder_model_add(m, "rope", "Planar.FixedTranslation");
    lieder_model_add(m, "hook", "Planar.Body");
    lieder_model_add(m, "load", "Planar.Body");
    lieder_model_set_vector(m, "rope.r", (double[]){0, -LENGTH}, 2);
    lieder_model_set(m, "hook.m", HOOK_M);
    lieder_model_set(m, "load.m", LOAD_M);
    lieder_model_set(m, "load.I", 0.2);
    lieder_model_set(m, "pivot.phi", -80 * M_PI / 180);
    lieder_model_connect(m, "wall.frame", "pivot.frame_a");
    lieder_model_connect(m, "pivot.frame_b", "rope.frame_a");
    lieder_model_connect(m, "rope.frame_b", "hook.frame_a");
    lieder_model_connect(m, "rope.frame_b", "load.frame_a");
    lieder_model_add(m, "air", "Planar.Fixed");
    lieder_model_add(m, "flight", "Planar.FreeMotion");
    lieder_model_connect(m, "air.frame", "flight.frame_a");
    lieder_model_spare(m, "air");
    lieder_model_spare(m, "flight");
    return lieder_system_create(session, "Site", NULL);
}

/* all six numbers of a frame; handles stay good when connections change */
static LiederObserver *watch(LiederSystem *system, const char *frame)
{
    LiederObserver *o = lieder_observer_create(system);
    char path[64];
    for (int i = 0; i < 6; i++) {
        snprintf(path, sizeof path, "%s.%s", frame, pose[i]);
        if (!o || lieder_observer_add(o, path) < 0)
            return o;
    }
    return o;
}

static double energy(const double *p, double m, double I)
{
    return m * (p[3] * p[3] + p[4] * p[4]) / 2 + I * p[5] * p[5] / 2 + m * GRAVITY * p[1];
}

static double energy_of_all(Site *s, double t, const double *x)
{
    double load[6], hook[6];
    if (lieder_observer_evaluate(s->load, t, x, load) != LIEDER_DONE ||
        lieder_observer_evaluate(s->hook, t, x, hook) != LIEDER_DONE)
        return NAN;
    return energy(load, LOAD_M, 0.2) + energy(hook, HOOK_M, 0);
}

/* 2. the change: two calls collect it, the run makes it */
static void let_go(void *user, LiederSystem *system, double t)
{
    Site *s = user;
    s->released = t;
    lieder_system_disconnect(system, "load.frame_a");
    lieder_system_connect(system, "flight.frame_b", "load.frame_a");
}

/* 3. the map: x and y have the same indices, and y is x until we write into it */
static void begin_flight(void *user, double t, const double *x, double *y)
{
    Site *s = user;
    const double *p = s->at_release;
    (void)x;
    for (int i = 0; i < 6; i++) {
        char path[32];
        snprintf(path, sizeof path, "flight.%s", pose[i]);
        y[lieder_system_state_index(s->system, path)] = p[i];
    }
    s->energy[1] = energy_of_all(s, t, y);
}

/* 4. rows: paint, and remember the pose at the end of the swing */
static void paint(Site *s, const double *p, char with)
{
    int column = (int)lround((p[0] + 4) * 5), line = (int)lround((0.5 - p[1]) * 2.5);
    if (column >= 0 && column < BREADTH && line >= 0 && line < PICTURE)
        s->picture[line][column] = with;
}

static bool show(void *user, size_t mode, double t, const double *x, LiederRow kind)
{
    Site *s = user;
    double load[6], hook[6];
    if (lieder_observer_evaluate(s->load, t, x, load) != LIEDER_DONE ||
        lieder_observer_evaluate(s->hook, t, x, hook) != LIEDER_DONE)
        return false;
    if (mode == 0 && kind == LIEDER_ROW_BEFORE_EVENT) {
        memcpy(s->at_release, load, sizeof load);
        s->energy[0] = energy_of_all(s, t, x);
    }
    s->landed = t;
    s->range = load[0];
    if (mode > 0)
        paint(s, hook, '.');
    paint(s, load, mode ? '*' : 'o');
    return mode < 2;
}

int main(void)
{
    Lieder *session = lieder_create(NULL);
    Site s = {.system = session ? build(session) : NULL};
    if (!s.system) {
        if (session)
            lieder_diagnostic_print_all(session, stderr);
        return 1;
    }
    s.load = watch(s.system, "load.frame_a");
    s.hook = watch(s.system, "hook.frame_a");
    for (int i = 0; i < PICTURE; i++)
        memset(s.picture[i], i == PICTURE - 1 ? '_' : ' ', BREADTH);
    paint(&s, (double[2]){0, 0}, '+');

    /* modes of one and the same system: a guard ends the swing, another one the flight */
    LiederModes *modes = lieder_modes_create(session);
    lieder_modes_add(modes, "hanging", s.system);
    lieder_modes_add(modes, "flying", s.system);
    lieder_modes_add(modes, "landed", s.system);
    lieder_modes_connect(modes, &(LiederTransition){.from = 0,
                                                    .to = 1,
                                                    .path = "pivot.phi",
                                                    .level = LETS_GO,
                                                    .direction = LIEDER_RISING,
                                                    .change = let_go,
                                                    .map = begin_flight,
                                                    .user = &s});
    lieder_modes_connect(modes, &(LiederTransition){.from = 1,
                                                    .to = 2,
                                                    .path = "load.frame_a.y",
                                                    .level = FLOOR,
                                                    .direction = LIEDER_FALLING});
    LiederModesOptions o = lieder_modes_defaults();
    LiederModesStatistics statistics;
    o.run.stop = 10;
    o.run.interval = 0.04;
    o.run.tolerance = 1e-9;
    o.output = show;
    o.user = &s;
    LiederStatus status = lieder_modes_simulate(modes, &o, &statistics);

    if (status == LIEDER_STOPPED && statistics.mode == 2) {
        for (int i = 0; i < PICTURE; i++)
            printf("%s\n", s.picture[i]);
        /* the closed form: a parabola from where it was let go */
        const double *p = s.at_release;
        double fall = (p[4] + sqrt(p[4] * p[4] + 2 * GRAVITY * (p[1] - FLOOR))) / GRAVITY;
        printf("let go at %.6f s with %.4f m/s\n", s.released, hypot(p[3], p[4]));
        printf("landed at %.6f s, %.6f m from the wall; the parabola says %.6f s, %.6f m\n",
               s.landed, s.range, s.released + fall, p[0] + p[3] * fall);
        printf("energy before %.9f J, after %.9f J\n", s.energy[0], s.energy[1]);
        if (fabs(s.range - p[0] - p[3] * fall) > 1e-6 ||
            fabs(s.energy[1] - s.energy[0]) > 1e-9 * fabs(s.energy[0]))
            status = LIEDER_GAVE_UP;
    }
    lieder_diagnostic_print_all(session, stderr);
    lieder_modes_destroy(modes);
    lieder_observer_destroy(s.load);
    lieder_observer_destroy(s.hook);
    lieder_system_destroy(s.system);
    lieder_destroy(session);
    return status == LIEDER_STOPPED ? 0 : 1;
}
