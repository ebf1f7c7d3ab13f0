/* test_structure.c - connections that change in a running system: whatever is connected,
 * derivatives are those of a system that was made with these connections; what is refused leaves no
 * trace; the cost depends on what is touched. */
#include "help/engine.h"
#include "help/meter.h"
#include "help/full.h"

#include <lieder/modes.h>

/* ------------------------------------------------------------------ a world to be rewired */

enum { UNITS = 6, SLIDES = 5, CELLS = 4, SPARE = 4, MAX_PORTS = 128 };

enum { PLANAR, FLANGE, PIN };

typedef struct Port {
    char path[40];
    int domain;
    int node; /* ports with the same number are connected */
} Port;

typedef struct World {
    Port ports[MAX_PORTS];
    size_t nport;
    double unit_mass[UNITS], slide_mass[SLIDES], capacity[CELLS];
} World;

static size_t add_port(World *w, int domain, const char *array, size_t i, const char *port)
{
    Port *p = &w->ports[w->nport];
    snprintf(p->path, sizeof p->path, "%s[%zu]%s%s", array, i + 1, *port ? "." : "", port);
    p->domain = domain;
    p->node = (int)w->nport;
    assert_true(w->nport < MAX_PORTS);
    return w->nport++;
}

static void join(World *w, size_t a, size_t b)
{
    int from = w->ports[b].node, to = w->ports[a].node;
    for (size_t i = 0; i < w->nport; i++)
        if (w->ports[i].node == from)
            w->ports[i].node = to;
}

static bool alone(const World *w, size_t port)
{
    for (size_t i = 0; i < w->nport; i++)
        if (i != port && w->ports[i].node == w->ports[port].node)
            return false;
    return true;
}

static void leave(World *w, size_t port)
{
    int unused = 0;
    for (size_t i = 0; i < w->nport; i++)
        if (w->ports[i].node >= unused)
            unused = w->ports[i].node + 1;
    w->ports[port].node = unused;
}

/* where the ports of the world stand */
enum { UNIT_PORTS = 6, SLIDE_PORTS = 5, CELL_PORTS = 6 };
static const char *const unit_ports[] = {"fixed.frame", "joint.frame_a", "joint.frame_b",
                                         "rod.frame_a", "rod.frame_b",   "body.frame_a"};
static const char *const slide_ports[] = {"fixed.flange_b", "joint.flange_a", "joint.flange_b",
                                          "mass.flange_a", "sensor.flange"};
static const char *const cell_ports[] = {"ground.p", "source.n", "source.p", "r.p", "r.n", "c.p"};
enum { FIRST_SLIDE = UNITS * UNIT_PORTS, FIRST_CELL = FIRST_SLIDE + SLIDES * SLIDE_PORTS };

static void world_init(World *w, uint64_t *seed)
{
    *w = (World){0};
    for (size_t i = 0; i < UNITS; i++) {
        w->unit_mass[i] = random_between(seed, 0.5, 2);
        size_t at = w->nport;
        for (int k = 0; k < UNIT_PORTS; k++)
            add_port(w, PLANAR, "unit", i, unit_ports[k]);
        join(w, at, at + 1);
        join(w, at + 2, at + 3);
        join(w, at + 4, at + 5);
    }
    for (size_t i = 0; i < SLIDES; i++) {
        w->slide_mass[i] = random_between(seed, 0.5, 2);
        size_t at = w->nport;
        for (int k = 0; k < SLIDE_PORTS; k++)
            add_port(w, FLANGE, "slide", i, slide_ports[k]);
        join(w, at, at + 1);
        join(w, at + 2, at + 3);
        join(w, at + 2, at + 4);
    }
    for (size_t i = 0; i < CELLS; i++) {
        w->capacity[i] = random_between(seed, 0.5, 2);
        size_t at = w->nport;
        for (int k = 0; k < CELL_PORTS; k++)
            add_port(w, PIN, "cell", i, cell_ports[k]);
        join(w, at, at + 1);
        join(w, at + 2, at + 3);
        join(w, at + 4, at + 5);
        size_t n = add_port(w, PIN, "cell", i, "c.n");
        join(w, at, n);
    }
    for (size_t i = 0; i < SPARE; i++) {
        add_port(w, PLANAR, "spring", i, "frame_a");
        add_port(w, PLANAR, "spring", i, "frame_b");
        add_port(w, PLANAR, "flight", i, "frame_a");
        add_port(w, PLANAR, "flight", i, "frame_b");
        add_port(w, FLANGE, "gap", i, "flange_a");
        add_port(w, FLANGE, "gap", i, "flange_b");
        add_port(w, PIN, "bridge", i, "p");
        add_port(w, PIN, "bridge", i, "n");
    }
}

/* the classes; `inner`: with the connections that units have at first */
static void add_classes(Lieder *session, bool inner)
{
    LiederModel *m = lieder_model_create(session, inner ? "Unit" : "LooseUnit", "");
    lieder_model_add(m, "fixed", "Planar.Fixed");
    lieder_model_add(m, "joint", "Planar.Revolute");
    lieder_model_add(m, "rod", "Planar.FixedTranslation");
    lieder_model_add(m, "body", "Planar.Body");
    lieder_model_set_vector(m, "rod.r", (double[]){0.7, -0.4}, 2);
    lieder_model_set(m, "body.I", 0.3);
    if (inner) {
        lieder_model_connect(m, "fixed.frame", "joint.frame_a");
        lieder_model_connect(m, "rod.frame_a", "joint.frame_b");
        lieder_model_connect(m, "rod.frame_b", "body.frame_a");
    }
    m = lieder_model_create(session, inner ? "Slide" : "LooseSlide", "");
    lieder_model_add(m, "fixed", "Translational.Fixed");
    lieder_model_add(m, "joint", "Translational.Joint");
    lieder_model_add(m, "mass", "Translational.Body");
    lieder_model_add(m, "sensor", "Translational.PositionSensor");
    lieder_model_set(m, "sensor.filtered", 1);
    lieder_model_set(m, "joint.s", 0.25);
    if (inner) {
        lieder_model_connect(m, "fixed.flange_b", "joint.flange_a");
        lieder_model_connect(m, "joint.flange_b", "mass.flange_a");
        lieder_model_connect(m, "joint.flange_b", "sensor.flange");
    }
    m = lieder_model_create(session, inner ? "Cell" : "LooseCell", "");
    lieder_model_add(m, "ground", "Electrical.Ground");
    lieder_model_add(m, "source", "Electrical.SineVoltage");
    lieder_model_add(m, "r", "Electrical.Resistor");
    lieder_model_add(m, "c", "Electrical.Capacitor");
    lieder_model_set(m, "source.V", 2);
    lieder_model_set(m, "source.f", 0.3);
    if (inner) {
        lieder_model_connect(m, "ground.p", "source.n");
        lieder_model_connect(m, "source.p", "r.p");
        lieder_model_connect(m, "r.n", "c.p");
        lieder_model_connect(m, "c.n", "ground.p");
    }
}

/* a model of the world; `inner`: as it is at first, else with the connections of w one by one */
static void world_model(Lieder *session, const char *name, const World *w, bool inner)
{
    LiederModel *m = lieder_model_create(session, name, "");
    lieder_model_add(m, "world", "World");
    lieder_model_set(m, "world.TD", 0.02);
    lieder_model_add_array(m, "unit", inner ? "Unit" : "LooseUnit", UNITS);
    lieder_model_add_array(m, "slide", inner ? "Slide" : "LooseSlide", SLIDES);
    lieder_model_add_array(m, "cell", inner ? "Cell" : "LooseCell", CELLS);
    static const char *const spare[][2] = {{"spring", "Planar.SpringDamper"},
                                           {"flight", "Planar.FreeMotion"},
                                           {"gap", "Translational.ElastoGap"},
                                           {"bridge", "Electrical.Resistor"}};
    for (int i = 0; i < 4; i++) {
        lieder_model_add_array(m, spare[i][0], spare[i][1], SPARE);
        lieder_model_spare(m, spare[i][0]);
    }
    lieder_model_set(m, "gap.c", 40);
    lieder_model_set(m, "gap.d", 3);
    lieder_model_set(m, "gap.l", 0.5);
    lieder_model_set(m, "spring.d_x", 2);
    lieder_model_set_each(m, "unit.body.m", w->unit_mass, UNITS);
    lieder_model_set_each(m, "slide.mass.m", w->slide_mass, SLIDES);
    lieder_model_set_each(m, "cell.c.C", w->capacity, CELLS);
    for (size_t i = 0; i < w->nport && !inner; i++)
        for (size_t k = i + 1; k < w->nport; k++)
            if (w->ports[k].node == w->ports[i].node) {
                lieder_model_connect(m, w->ports[i].path, w->ports[k].path);
                break;
            }
}

/* ------------------------------------------------------------------ random changes */

static void change_leave(LiederSystem *system, World *w, size_t port)
{
    if (alone(w, port))
        return;
    leave(w, port);
    assert_int_equal(lieder_system_disconnect(system, w->ports[port].path), LIEDER_DONE);
}

static void change_join(LiederSystem *system, World *w, size_t a, size_t b)
{
    if (a == b)
        return;
    join(w, a, b);
    assert_int_equal(lieder_system_connect(system, w->ports[a].path, w->ports[b].path),
                     LIEDER_DONE);
}

static size_t some_port(const World *w, uint64_t *seed, int domain)
{
    size_t i;
    do
        i = random_below(seed, w->nport);
    while (w->ports[i].domain != domain);
    return i;
}

/* where something can be hung: fixed or at the end of a link */
static size_t some_place(uint64_t *seed, int domain)
{
    if (domain == PLANAR)
        return random_below(seed, UNITS) * UNIT_PORTS + (random_below(seed, 3) ? 4 : 0);
    if (domain == FLANGE)
        return FIRST_SLIDE + random_below(seed, SLIDES) * SLIDE_PORTS +
               (random_below(seed, 3) ? 2 : 0);
    return FIRST_CELL + random_below(seed, CELLS) * (CELL_PORTS + 1) +
           (random_below(seed, 3) ? 5 : 0);
}

static void random_change(LiederSystem *system, World *w, uint64_t *seed)
{
    size_t first_spare = FIRST_CELL + CELLS * (CELL_PORTS + 1);
    size_t kind = random_below(seed, 20);
    if (kind < 6) { /* a link is hung up elsewhere */
        bool unit = random_below(seed, 2);
        size_t joint = unit ? random_below(seed, UNITS) * UNIT_PORTS + 1
                            : FIRST_SLIDE + random_below(seed, SLIDES) * SLIDE_PORTS + 1;
        change_leave(system, w, joint);
        change_join(system, w, joint, some_place(seed, unit ? PLANAR : FLANGE));
    } else if (kind < 9) { /* or where it was */
        bool unit = random_below(seed, 2);
        size_t fixed = unit ? random_below(seed, UNITS) * UNIT_PORTS
                            : FIRST_SLIDE + random_below(seed, SLIDES) * SLIDE_PORTS;
        change_leave(system, w, fixed + 1);
        change_join(system, w, fixed, fixed + 1);
    } else if (kind < 16) { /* something spare, at both ends */
        size_t a = first_spare + random_below(seed, SPARE) * 8 + random_below(seed, 4) * 2;
        bool hang = random_below(seed, 3);
        for (size_t end = 0; end < 2; end++) {
            change_leave(system, w, a + end);
            if (hang)
                change_join(system, w, a + end, some_place(seed, w->ports[a].domain));
        }
    } else if (kind < 18) { /* anything but pins, which make networks singular */
        size_t a = some_port(w, seed, random_below(seed, 2) ? PLANAR : FLANGE);
        change_join(system, w, a, some_port(w, seed, w->ports[a].domain));
    } else {
        change_leave(system, w, some_port(w, seed, random_below(seed, 2) ? PLANAR : FLANGE));
    }
}

/* ------------------------------------------------------------------ the same as a fresh one */

static const char *const watched[] = {"unit[2].body.frame_a.ax",
                                      "unit[5].joint.frame_b.fx_ki",
                                      "spring[1].s_relx",
                                      "slide[3].joint.a",
                                      "slide[1].mass.flange_a.f_ki",
                                      "cell[2].r.i",
                                      "bridge[1].v",
                                      "gap[2].f_el",
                                      "flight[1].x",
                                      "der(slide[4].joint.v)",
                                      "unit[1].fixed.frame.fy_ki"};
enum { WATCHED = sizeof watched / sizeof *watched };

typedef struct Twin {
    size_t accepted, refused, singular, same_bits, compared;
} Twin;

static void compare(LiederSystem *system, LiederSystem *fresh, LiederObserver *observer,
                    uint64_t *seed, Twin *twin)
{
    size_t n = lieder_system_state_count(system);
    assert_int_equal(n, lieder_system_state_count(fresh));
    double *x = calloc(4 * n, sizeof *x), *dx = x + n, *y = x + 2 * n, *dy = x + 3 * n;
    ptrdiff_t *to = calloc(n, sizeof *to);
    char name[200];
    for (size_t i = 0; i < n; i++) {
        to[i] = lieder_system_state_index(system, lieder_system_state_name(fresh, i, name, 200));
        assert_true(to[i] >= 0);
    }
    lieder_system_start(system, x);
    lieder_system_start(fresh, y);
    for (size_t i = 0; i < n; i++)
        assert_near(x[to[i]], y[i], 1e-13);
    for (size_t i = 0; i < n; i++)
        y[i] = x[to[i]] = random_between(seed, -0.8, 0.8);
    double t = random_between(seed, 0, 3), size = 1;
    memset(dx, 0xff, n * sizeof *dx);
    LiederStatus a = lieder_system_derivatives(system, t, x, dx),
                 b = lieder_system_derivatives(fresh, t, y, dy);
    assert_int_equal(a, b);
    twin->singular += a != LIEDER_DONE;
    for (size_t i = 0; i < n && a == LIEDER_DONE; i++)
        size = fmax(size, fabs(dy[i]));
    for (size_t i = 0; i < n && a == LIEDER_DONE; i++) {
        twin->compared++;
        twin->same_bits += dx[to[i]] == dy[i];
        if (!(fabs(dx[to[i]] - dy[i]) <= 1e-12 * size))
            fail_msg("der(%s) = %.17g, a fresh system has %.17g",
                     lieder_system_state_name(fresh, i, name, 200), dx[to[i]], dy[i]);
    }
    double values[WATCHED], expected[WATCHED];
    LiederObserver *o = lieder_observer_create(fresh);
    for (int i = 0; i < WATCHED; i++)
        assert_int_equal(lieder_observer_add(o, watched[i]), i);
    if (a == LIEDER_DONE) {
        assert_int_equal(lieder_observer_evaluate(observer, t, x, values), LIEDER_DONE);
        assert_int_equal(lieder_observer_evaluate(o, t, y, expected), LIEDER_DONE);
    }
    for (int i = 0; i < WATCHED && a == LIEDER_DONE; i++)
        if (!(isnan(values[i]) && isnan(expected[i])) &&
            !(fabs(values[i] - expected[i]) <= 1e-11 * (size + fabs(expected[i]))))
            fail_msg("%s = %.17g, a fresh system has %.17g", watched[i], values[i], expected[i]);
    lieder_observer_destroy(o);
    free(x);
    free(to);
}

/* one parameter of the running system and of the fresh ones to come */
static void random_parameter(LiederSystem *system, World *w, uint64_t *seed)
{
    char path[64];
    size_t i = random_below(seed, UNITS);
    w->unit_mass[i] = random_between(seed, 0.5, 2);
    snprintf(path, sizeof path, "unit[%zu].body.m", i + 1);
    assert_int_equal(lieder_system_set(system, path, w->unit_mass[i]), LIEDER_DONE);
}

static void fuzz(uint64_t seed, size_t count, LiederMethod method, Twin *twin)
{
    Lieder *session = session_new();
    LiederSystemOptions options = {.method = method};
    World w;
    world_init(&w, &seed);
    add_classes(session, true);
    add_classes(session, false);
    world_model(session, "Running", &w, true);
    LiederSystem *system = system_new_with(session, "Running", options);
    LiederObserver *observer = lieder_observer_create(system);
    for (int i = 0; i < WATCHED; i++)
        assert_int_equal(lieder_observer_add(observer, watched[i]), i);
    for (size_t k = 0; k < count; k++) {
        World before = w;
        char name[32];
        for (size_t c = 1 + random_below(&seed, 3); c-- > 0;)
            random_change(system, &w, &seed);
        if (random_below(&seed, 4) == 0)
            random_parameter(system, &w, &seed);
        memcpy(before.unit_mass, w.unit_mass, sizeof w.unit_mass);
        LiederStatus status = lieder_system_restructure(system, NULL);
        lieder_diagnostic_clear(session);
        snprintf(name, sizeof name, "Fresh%zu", k);
        world_model(session, name, &w, false);
        LiederSystem *fresh = lieder_system_create(session, name, &options);
        if ((fresh != NULL) != (status == LIEDER_DONE)) {
            lieder_diagnostic_print_all(session, stderr);
            fail_msg("change %zu: status %d, a fresh system is %s", k, status,
                     fresh ? "made" : "refused");
        }
        if (!fresh) { /* the old connections still hold */
            twin->refused++;
            w = before;
            snprintf(name, sizeof name, "Again%zu", k);
            world_model(session, name, &w, false);
            fresh = system_new_with(session, name, options);
        } else {
            twin->accepted++;
        }
        lieder_diagnostic_clear(session);
        compare(system, fresh, observer, &seed, twin);
        lieder_system_destroy(fresh);
    }
    lieder_observer_destroy(observer);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* twelve seeds and 150 changes each were clean; this is what a test run can afford */
enum { CHANGES = UNLESS_SANITIZED(50, 20) };

static void equals_a_fresh_system(void **state)
{
    (void)state;
    Twin twin = {0};
    const size_t seeds = IN_FULL(5, 1);
    for (uint64_t seed = 1; seed <= seeds; seed++)
        fuzz(seed, CHANGES, LIEDER_METHOD_AUTO, &twin);
    for (int method = LIEDER_METHOD_TREE; method <= LIEDER_METHOD_PROBE; method++)
        fuzz(100 + (uint64_t)method, CHANGES, (LiederMethod)method, &twin);
    print_message("%zu changes accepted, %zu refused; %zu of %zu derivatives have the same bits, "
                  "%zu states were singular\n",
                  twin.accepted, twin.refused, twin.same_bits, twin.compared, twin.singular);
    assert_true(twin.singular * 10 < twin.accepted);
    assert_true(twin.accepted > 20 * seeds && twin.refused > 5 * seeds);
    assert_true((double)twin.same_bits > 0.9 * (double)twin.compared);
}

/* ------------------------------------------------------------------ cranes */

/* a cart with a hook on a rod, and a load on the hook */
static void add_crane(Lieder *session)
{
    LiederModel *m = lieder_model_create(session, "Crane", "");
    lieder_model_add(m, "fixed", "Planar.Fixed");
    lieder_model_add(m, "prismatic", "Planar.Prismatic");
    lieder_model_add(m, "cart", "Planar.Body");
    lieder_model_add(m, "revolute", "Planar.Revolute");
    lieder_model_add(m, "rod", "Planar.FixedTranslation");
    lieder_model_add(m, "hook", "Planar.Body");
    lieder_model_add(m, "load", "Planar.Body");
    lieder_model_set_vector(m, "prismatic.r", (double[]){1, 0}, 2);
    lieder_model_set_vector(m, "rod.r", (double[]){0, -2}, 2);
    lieder_model_set(m, "cart.m", 5);
    lieder_model_set(m, "hook.m", 0.25);
    lieder_model_set(m, "load.m", 2);
    lieder_model_set(m, "load.I", 0.125);
    lieder_model_set(m, "revolute.phi", 0.9);
    lieder_model_connect(m, "fixed.frame", "prismatic.frame_a");
    lieder_model_connect(m, "prismatic.frame_b", "cart.frame_a");
    lieder_model_connect(m, "prismatic.frame_b", "revolute.frame_a");
    lieder_model_connect(m, "revolute.frame_b", "rod.frame_a");
    lieder_model_connect(m, "rod.frame_b", "hook.frame_a");
    lieder_model_connect(m, "rod.frame_b", "load.frame_a");
    lieder_model_expose(m, "grip", "load.frame_a");
}

/* n cranes, and a spare joint for a load that flies; `hold`: a spring between two of them */
static void build_cranes(Lieder *session, const char *name, size_t n, bool hold)
{
    LiederModel *m = lieder_model_create(session, name, "");
    lieder_model_add(m, "world", "World");
    lieder_model_set(m, "world.TD", 0);
    lieder_model_add_array(m, "crane", "Crane", n);
    lieder_model_add(m, "ground", "Planar.Fixed");
    lieder_model_add(m, "flight", "Planar.FreeMotion");
    lieder_model_spare(m, "ground");
    lieder_model_spare(m, "flight");
    lieder_model_connect(m, "ground.frame", "flight.frame_a");
    if (hold) {
        lieder_model_add(m, "spring", "Planar.SpringDamper");
        lieder_model_connect(m, "crane[1].hook.frame_a", "spring.frame_a");
        lieder_model_connect(m, "crane[2].hook.frame_a", "spring.frame_b");
    }
}

static void let_go(LiederSystem *system, size_t crane)
{
    char grip[40];
    snprintf(grip, sizeof grip, "crane[%zu].grip", crane);
    lieder_system_disconnect(system, grip);
    lieder_system_connect(system, "flight.frame_b", grip);
}

static void take_hold(LiederSystem *system, size_t crane)
{
    char grip[40], rod[40];
    snprintf(grip, sizeof grip, "crane[%zu].grip", crane);
    snprintf(rod, sizeof rod, "crane[%zu].rod.frame_b", crane);
    lieder_system_disconnect(system, grip);
    lieder_system_connect(system, rod, grip);
}

static void restructure(Lieder *session, LiederSystem *system, double *x)
{
    if (lieder_system_restructure(system, x) != LIEDER_DONE) {
        lieder_diagnostic_print_all(session, stderr);
        fail_msg("the change was refused");
    }
}

/* allocations and bytes of letting go, taking hold, letting go again, out of n cranes */
static void cost_of_changes(size_t n, bool hold, size_t *calls, size_t *bytes)
{
    Meter meter = {0};
    LiederAllocator alloc = METER_ALLOCATOR(&meter);
    Lieder *session = lieder_create(&alloc);
    add_crane(session);
    build_cranes(session, "Fleet", n, hold);
    LiederSystem *system = system_new(session, "Fleet");
    for (int k = 0; k < 3; k++) {
        size_t calls_before = meter.calls, bytes_before = meter.asked;
        (k == 1 ? take_hold : let_go)(system, n / 2);
        restructure(session, system, NULL);
        calls[k] = meter.calls - calls_before;
        bytes[k] = meter.asked - bytes_before;
    }
    /* the state vector is as it was, and so are the others */
    size_t other = state_at(system, "crane[1].revolute.phi");
    double *x = state_new(system), *dx = state_new(system);
    derivatives(session, system, 0, x, dx);
    assert_near(dx[other], 0, 0);
    lieder_system_destroy(system);
    lieder_destroy(session);
    assert_int_equal(meter.live, 0);
    assert_int_equal(meter.wrong, 0);
    free(x);
    free(dx);
}

/* lanes, and elements that a connection has expanded */
static void cost_depends_on_what_changes(void **state)
{
    (void)state;
    for (int hold = 0; hold < 2; hold++) {
        size_t few[3], many[3], few_bytes[3], many_bytes[3];
        cost_of_changes(100, hold, few, few_bytes);
        cost_of_changes(IN_FULL(hold ? 20000 : 100000, 1000), hold, many, many_bytes);
        for (int k = 0; k < 3; k++) {
            print_message("change %d: %zu allocations, %zu bytes\n", k, many[k], many_bytes[k]);
            assert_int_equal(few[k], many[k]);
            assert_int_equal(few_bytes[k], many_bytes[k]);
        }
        assert_true(many[2] < many[0] && many_bytes[2] < many_bytes[0] / 2); /* remembered */
    }
}

/* back and forth a thousand times holds no more memory than ten times */
static void toggling_holds_no_memory(void **state)
{
    (void)state;
    Meter meter = {0};
    LiederAllocator alloc = METER_ALLOCATOR(&meter);
    Lieder *session = lieder_create(&alloc);
    add_crane(session);
    build_cranes(session, "Fleet", 50, false);
    LiederSystem *system = system_new(session, "Fleet");
    long long held = 0;
    for (size_t k = 0; k < 500; k++) {
        let_go(system, 1 + k % 50);
        restructure(session, system, NULL);
        take_hold(system, 1 + k % 50);
        restructure(session, system, NULL);
        if (k == 249)
            held = meter.bytes;
    }
    assert_int_equal(meter.bytes, held);
    assert_int_equal(lieder_system_info(system).nlane, 50);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* every element of an array goes away and comes back, in some order */
static void a_whole_fleet_goes_and_returns(void **state)
{
    (void)state;
    enum { N = 300 };
    Lieder *session = session_new();
    add_crane(session);
    LiederModel *m = lieder_model_create(session, "Tied", "");
    lieder_model_add(m, "world", "World");
    lieder_model_set(m, "world.TD", 0);
    lieder_model_add_array(m, "crane", "Crane", N);
    lieder_model_add_array(m, "tie", "Planar.SpringDamper", N);
    lieder_model_spare(m, "tie");
    LiederSystem *system = system_new(session, "Tied");
    size_t n = lieder_system_state_count(system);
    double *x = state_new(system), *dx = malloc(n * sizeof *dx), *first = malloc(n * sizeof *dx);
    uint64_t seed = 5;
    random_fill(&seed, x, n, -1, 1);
    derivatives(session, system, 0, x, first);
    char hook[40], tie[40];
    size_t order[N];
    for (size_t i = 0; i < N; i++)
        order[i] = i + 1;
    for (size_t i = N; i-- > 1;) {
        size_t k = random_below(&seed, i + 1), swap = order[i];
        order[i] = order[k];
        order[k] = swap;
    }
    for (size_t i = 0; i < N; i++) {
        snprintf(tie, sizeof tie, "tie[%zu].frame_a", order[i]);
        snprintf(hook, sizeof hook, "crane[%zu].hook.frame_a", order[i]);
        lieder_system_connect(system, tie, hook);
        snprintf(tie, sizeof tie, "tie[%zu].frame_b", order[i]);
        snprintf(hook, sizeof hook, "crane[%zu].fixed.frame", order[i]);
        lieder_system_connect(system, tie, hook);
        restructure(session, system, NULL);
    }
    LiederSystemInfo info = lieder_system_info(system);
    assert_int_equal(info.nlane, N);
    assert_int_equal(info.nshape, 1);
    derivatives(session, system, 0, x, dx);
    size_t different = 0;
    for (size_t i = 0; i < n; i++)
        different += dx[i] != first[i];
    assert_true(different > N); /* the springs pull */
    for (size_t i = N; i-- > 0;) {
        for (int end = 0; end < 2; end++) {
            snprintf(tie, sizeof tie, "tie[%zu].frame_%c", order[i], 'a' + end);
            lieder_system_disconnect(system, tie);
        }
        if (i % 7 == 0)
            restructure(session, system, NULL);
    }
    derivatives(session, system, 0, x, dx);
    assert_memory_equal(dx, first, n * sizeof *dx);
    lieder_system_destroy(system);
    lieder_destroy(session);
    free(x);
    free(dx);
    free(first);
}

/* ------------------------------------------------------------------ what is refused */

static void assert_said(const Lieder *session, const char *path, const char *text)
{
    for (size_t i = 0; i < lieder_diagnostic_count(session); i++) {
        const LiederDiagnostic *d = lieder_diagnostic_get(session, i);
        if (strstr(d->message, text) && strstr(d->path ? d->path : "", path))
            return;
    }
    lieder_diagnostic_print_all(session, stderr);
    fail_msg("nobody said \"%s\" about %s", text, path);
}

static void wrong_changes_leave_no_trace(void **state)
{
    (void)state;
    Lieder *session = session_new();
    add_crane(session);
    LiederModel *m = lieder_model_create(session, "M", "");
    lieder_model_add(m, "world", "World");
    lieder_model_add_array(m, "crane", "Crane", 4);
    lieder_model_add_array(m, "crab", "Examples.CraneCrab", 3);
    lieder_model_add(m, "stiff", "Planar.FixedTranslation");
    lieder_model_spare(m, "stiff");
    lieder_model_spare(m, "nobody");
    assert_said(session, "nobody", "has no component");
    lieder_diagnostic_clear(session);
    assert_null(lieder_system_create(session, "M", NULL)); /* the mistake counts */
    m = lieder_model_create(session, "N", "");
    lieder_model_add(m, "world", "World");
    lieder_model_add_array(m, "crane", "Crane", 4);
    lieder_model_add_array(m, "crab", "Examples.CraneCrab", 3);
    lieder_model_add(m, "stiff", "Planar.FixedTranslation");
    lieder_model_spare(m, "stiff");
    LiederSystem *system = system_new(session, "N");
    size_t n = lieder_system_state_count(system);
    double *x = state_new(system), *before = malloc(n * sizeof *x), *dx = malloc(n * sizeof *x);
    derivatives(session, system, 0, x, before);
    static const struct {
        const char *disconnect, *a, *b; /* NULL: none */
        const char *path, *said;
        LiederStatus status;
    } cases[] = {
        {"crane[9].grip", NULL, NULL, "crane[9].grip", "beyond the 4 elements", LIEDER_BAD_USE},
        {"crane.grip", NULL, NULL, "crane.grip", "array of 4", LIEDER_BAD_USE},
        {"crane[2].nose", NULL, NULL, "crane[2].nose", "no component or port", LIEDER_BAD_USE},
        {"crane[2].load.frame_z", NULL, NULL, "load.frame_z", "no port", LIEDER_BAD_USE},
        {"crane[2]..", NULL, NULL, "crane[2]", "cannot be read", LIEDER_BAD_USE},
        {"", NULL, NULL, "", "names no port", LIEDER_BAD_USE},
        {"stiff.frame_a", NULL, NULL, "stiff", "is not connected", LIEDER_BAD_USE},
        {NULL, "crane[1].grip", "crane[1].revolute.flange_a", "crane[1].grip", "is not",
         LIEDER_BAD_USE},
        {NULL, "crane[1].grip", "crane[1].grip", "crane[1].grip", "to itself", LIEDER_BAD_USE},
        {NULL, "crane[1].fixed.frame", "crane[3].fixed.frame", "crane[3].fixed", "both are fixed",
         LIEDER_BAD_MODEL},
        {NULL, "crane[1].grip", "crane[2].grip", "crane[", "closes a rigid loop", LIEDER_BAD_MODEL},
        {"crane[3].grip", NULL, NULL, "crane[3].load", "is not connected", LIEDER_BAD_MODEL},
        {"crane[3].revolute.frame_a", NULL, NULL, "crane[3].revolute", "no way to a root",
         LIEDER_BAD_MODEL},
        {"crab[2].load.frame_a", "crab[1].rod.frame_b", "crab[2].load.frame_a", "crab[2].revolute",
         "no inertia moves", LIEDER_BAD_MODEL},
        {NULL, "stiff.frame_a", "crane[4].grip", NULL, NULL, LIEDER_DONE},
        {"stiff.frame_a", NULL, NULL, NULL, NULL, LIEDER_DONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lieder_diagnostic_clear(session);
        if (cases[i].disconnect)
            lieder_system_disconnect(system, cases[i].disconnect);
        if (cases[i].a)
            lieder_system_connect(system, cases[i].a, cases[i].b);
        LiederStatus status = lieder_system_restructure(system, x);
        if (status != cases[i].status) {
            lieder_diagnostic_print_all(session, stderr);
            fail_msg("case %zu: status %d", i, status);
        }
        if (cases[i].said)
            assert_said(session, cases[i].path, cases[i].said);
        derivatives(session, system, 0, x, dx);
        assert_memory_equal(before, dx, n * sizeof *dx);
    }
    /* one mistake refuses the lot, and the next lot starts afresh */
    lieder_diagnostic_clear(session);
    assert_int_equal(lieder_system_connect(system, "stiff.frame_a", "crane[4].grip"), LIEDER_DONE);
    assert_int_equal(lieder_system_disconnect(system, "nose"), LIEDER_BAD_USE);
    assert_int_equal(lieder_system_restructure(system, x), LIEDER_BAD_USE);
    assert_int_equal(lieder_system_info(system).nshape, 2);
    assert_int_equal(lieder_system_restructure(system, x), LIEDER_DONE); /* nothing to do */
    lieder_system_destroy(system);
    lieder_destroy(session);
    free(x);
    free(before);
    free(dx);
}

/* ------------------------------------------------------------------ physics */

typedef struct Pose {
    double x, y, phi, vx, vy, w;
} Pose;

static Pose pose(LiederSystem *system, double t, const double *x, const char *frame)
{
    static const char *const names[] = {"x", "y", "phi", "vx", "vy", "w"};
    double v[6];
    char path[80];
    for (int i = 0; i < 6; i++) {
        snprintf(path, sizeof path, "%s.%s", frame, names[i]);
        v[i] = look(system, t, x, path);
    }
    return (Pose){v[0], v[1], v[2], v[3], v[4], v[5]};
}

static double energy(Pose p, double m, double I, double g)
{
    return 0.5 * m * (p.vx * p.vx + p.vy * p.vy) + 0.5 * I * p.w * p.w + m * g * p.y;
}

static void put_pose(LiederSystem *system, double *x, const char *joint, Pose p)
{
    static const char *const names[] = {"x", "y", "phi", "vx", "vy", "w"};
    const double v[] = {p.x, p.y, p.phi, p.vx, p.vy, p.w};
    char path[80];
    for (int i = 0; i < 6; i++) {
        snprintf(path, sizeof path, "%s.%s", joint, names[i]);
        x[state_at(system, path)] = v[i];
    }
}

static void steps(Lieder *session, LiederSystem *system, double t, double h, size_t n, double *x)
{
    if (lieder_step(system, LIEDER_RK4, t, h, n, x) != LIEDER_DONE) {
        lieder_diagnostic_print_all(session, stderr);
        fail_msg("no step");
    }
}

/* the load flies a parabola, what hangs swings on, and nothing of energy or momentum is lost */
static void a_crane_drops_its_load(void **state)
{
    (void)state;
    Lieder *session = session_new();
    add_crane(session);
    build_cranes(session, "M", 3, false);
    LiederSystem *system = system_new(session, "M");
    double *x = state_new(system);
    const double h = 1e-3, g = 9.81;
    const char *frame = "crane[2].load.frame_a";
    assert_true(isnan(look(system, 0, x, "flight.frame_b.x")));
    assert_true(isnan(look(system, 0, x, "flight.x")));
    steps(session, system, 0, h, 600, x);
    Pose before = pose(system, 0.6, x, frame), hook = pose(system, 0.6, x, "crane[2].hook.frame_a"),
         cart = pose(system, 0.6, x, "crane[2].cart.frame_a");
    double all = energy(before, 2, 0.125, g) + energy(hook, 0.25, 0, g) + energy(cart, 5, 0, g);
    assert_near(all, 2 * -g * 2 * cos(0.9) - 0.25 * g * 2 * cos(0.9), 1e-8);
    let_go(system, 2);
    restructure(session, system, x);
    assert_near(x[state_at(system, "flight.x")], 0, 0); /* its start value */
    put_pose(system, x, "flight", before);
    Pose after = pose(system, 0.6, x, frame);
    assert_near(after.vx, before.vx, 0);
    steps(session, system, 0.6, h, 400, x);
    double t = 0.4;
    Pose now = pose(system, 1, x, frame);
    assert_near(now.x, before.x + before.vx * t, 1e-10);
    assert_near(now.y, before.y + before.vy * t - g * t * t / 2, 1e-10);
    assert_near(now.w, before.w, 1e-10);
    assert_near(energy(now, 2, 0.125, g), energy(before, 2, 0.125, g), 1e-9);
    hook = pose(system, 1, x, "crane[2].hook.frame_a");
    cart = pose(system, 1, x, "crane[2].cart.frame_a");
    assert_near(energy(now, 2, 0.125, g) + energy(hook, 0.25, 0, g) + energy(cart, 5, 0, g), all,
                1e-8);
    /* the other cranes hold theirs */
    assert_near(look(system, 1, x, "crane[1].load.frame_a.x"),
                look(system, 1, x, "crane[3].hook.frame_a.x"), 0);
    lieder_system_destroy(system);
    lieder_destroy(session);
    free(x);
}

/* linear and angular momentum of two satellites about the origin */
static void momentum(LiederSystem *system, const double *x, double p[3])
{
    static const double m[2] = {3, 1.5}, I[2] = {0.8, 0.3};
    static const char *const frames[2] = {"a.body.frame_a", "b.body.frame_a"};
    p[0] = p[1] = p[2] = 0;
    for (int i = 0; i < 2; i++) {
        Pose q = pose(system, 0, x, frames[i]);
        p[0] += m[i] * q.vx;
        p[1] += m[i] * q.vy;
        p[2] += m[i] * (q.x * q.vy - q.y * q.vx) + I[i] * q.w;
    }
}

/* The satellites become one body: its velocity about the first one's centre is what conserves
 * momentum. Undocking gives the second one the motion it had as a part of the whole. */
static void satellites_dock_and_undock(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederModel *s = lieder_model_create(session, "Satellite", "");
    lieder_model_add(s, "body", "Planar.Body");
    lieder_model_add(s, "arm", "Planar.FixedTranslation");
    lieder_model_connect(s, "body.frame_a", "arm.frame_a");
    lieder_model_set_vector(s, "arm.r", (double[]){1.25, 0.5}, 2);
    LiederModel *m = lieder_model_create(session, "M", "");
    lieder_model_add(m, "world", "World");
    lieder_model_set(m, "world.TD", 0);
    lieder_model_set(m, "world.g", 0);
    static const char *const names[2] = {"a", "b"};
    for (int i = 0; i < 2; i++) {
        char name[20], other[20];
        lieder_model_add(m, names[i], "Satellite");
        snprintf(name, sizeof name, "space_%s", names[i]);
        lieder_model_add(m, name, "Planar.Fixed");
        lieder_model_spare(m, name);
        snprintf(name, sizeof name, "orbit_%s", names[i]);
        lieder_model_add(m, name, "Planar.FreeMotion");
        lieder_model_spare(m, name);
        snprintf(name, sizeof name, "space_%s.frame", names[i]);
        snprintf(other, sizeof other, "orbit_%s.frame_a", names[i]);
        lieder_model_connect(m, name, other);
        snprintf(name, sizeof name, "orbit_%s.frame_b", names[i]);
        snprintf(other, sizeof other, "%s.body.frame_a", names[i]);
        lieder_model_connect(m, name, other);
    }
    lieder_model_set(m, "a.body.m", 3);
    lieder_model_set(m, "a.body.I", 0.8);
    lieder_model_set(m, "b.body.m", 1.5);
    lieder_model_set(m, "b.body.I", 0.3);
    LiederSystem *system = system_new(session, "M");
    double *x = state_new(system), before[3], after[3];
    put_pose(system, x, "orbit_a", (Pose){0.1, 0.2, 0.4, 0.3, -0.2, 0.5});
    Pose dock = pose(system, 0, x, "a.arm.frame_b");
    Pose b = {dock.x, dock.y, dock.phi, -0.4, 0.1, -0.7};
    put_pose(system, x, "orbit_b", b);
    momentum(system, x, before);

    lieder_system_disconnect(system, "orbit_b.frame_b");
    lieder_system_connect(system, "a.arm.frame_b", "b.body.frame_a");
    restructure(session, system, x);
    /* P = (m1 + m2) v + m2 w x d,  L = x x P + m2 d x (v + w x d) + (I1 + I2) w */
    Pose a = pose(system, 0, x, "a.body.frame_a");
    double dx = dock.x - a.x, dy = dock.y - a.y, mass = 3 + 1.5;
    double spin = before[2] - (a.x * before[1] - a.y * before[0]);
    double J = 0.8 + 0.3 + 1.5 * (dx * dx + dy * dy) * (1 - 1.5 / mass);
    a.w = (spin - 1.5 / mass * (dx * before[1] - dy * before[0])) / J;
    a.vx = (before[0] + 1.5 * a.w * dy) / mass;
    a.vy = (before[1] - 1.5 * a.w * dx) / mass;
    put_pose(system, x, "orbit_a", a);
    momentum(system, x, after);
    for (int i = 0; i < 3; i++)
        assert_near(after[i], before[i], 1e-14);
    size_t asleep = state_at(system, "orbit_b.vx");
    double slept = x[asleep];
    steps(session, system, 0, 0.01, 300, x);
    momentum(system, x, after);
    for (int i = 0; i < 3; i++)
        assert_near(after[i], before[i], 1e-9);
    assert_near(x[asleep], slept, 0);
    dock = pose(system, 3, x, "a.arm.frame_b");
    b = pose(system, 3, x, "b.body.frame_a");
    assert_near(b.x, dock.x, 0);

    lieder_system_disconnect(system, "b.body.frame_a");
    lieder_system_connect(system, "b.body.frame_a", "orbit_b.frame_b");
    restructure(session, system, x);
    put_pose(system, x, "orbit_b", b);
    steps(session, system, 3, 0.01, 300, x);
    momentum(system, x, after);
    for (int i = 0; i < 3; i++)
        assert_near(after[i], before[i], 1e-9);
    Pose apart = pose(system, 6, x, "b.body.frame_a");
    assert_near(apart.vx, b.vx, 1e-13);
    assert_true(hypot(apart.x - pose(system, 6, x, "a.arm.frame_b").x, 1e-30) > 0.01);
    lieder_system_destroy(system);
    lieder_destroy(session);
    free(x);
}

/* ------------------------------------------------------------------ in a run */

typedef struct Drop {
    LiederSystem *system;
    LiederObserver *observer; /* of the load, made before the run */
    Pose pose;
    double when;
    bool quiet; /* no diagnostics, which need memory */
    size_t changes, rows, after;
    double t, x; /* of the load in the last row */
    double *state;
} Drop;

static bool drop_row(void *user, double t, const double *x, LiederRow kind)
{
    Drop *d = user;
    double v[6];
    assert_int_equal(lieder_observer_evaluate(d->observer, t, x, v), LIEDER_DONE);
    d->rows++;
    d->after += kind == LIEDER_ROW_AFTER_EVENT;
    d->t = t;
    d->x = v[0];
    memcpy(d->state, x, lieder_system_state_count(d->system) * sizeof *x);
    if (d->changes || t < d->when - 1e-9)
        return true;
    d->changes++;
    d->when = t;
    d->pose = (Pose){v[0], v[1], v[2], v[3], v[4], v[5]};
    let_go(d->system, 2);
    /* the run restructures, and nobody else */
    if (!d->quiet)
        assert_int_equal(lieder_system_restructure(d->system, NULL), LIEDER_BAD_USE);
    return true;
}

static void drop_map(void *user, double t, double *x)
{
    Drop *d = user;
    assert_near(t, d->when, 0);
    put_pose(d->system, x, "flight", d->pose);
}

static LiederObserver *watch_pose(LiederSystem *system, const char *frame)
{
    static const char *const names[] = {"x", "y", "phi", "vx", "vy", "w"};
    LiederObserver *o = lieder_observer_create(system);
    char path[80];
    for (int i = 0; i < 6; i++) {
        snprintf(path, sizeof path, "%s.%s", frame, names[i]);
        assert_int_equal(lieder_observer_add(o, path), i);
    }
    return o;
}

/* with every solver, on and between its own steps; rk4 by two threads, too */
static void runs_go_on_after_a_change(void **state)
{
    (void)state;
    Lieder *session = session_new();
    add_crane(session);
    build_cranes(session, "M", UNLESS_SANITIZED(70, 17), false);
    for (LiederSolver solver = LIEDER_RK1; solver <= LIEDER_BDF; solver++)
        for (int threads = 1; threads <= (solver == LIEDER_RK4 ? 2 : 1); threads++) {
            LiederSystem *system = system_new(session, "M");
            LiederSimulateOptions o = lieder_simulate_defaults();
            LiederStatistics s;
            bool adaptive = solver > LIEDER_EULER_BACKWARD;
            Drop d = {.system = system,
                      .when = 0.6,
                      .observer = watch_pose(system, "crane[2].load.frame_a"),
                      .state = state_new(system)};
            o.stop = 1;
            o.interval = 0.1;
            o.solver = solver;
            o.step = adaptive ? 0 : 5e-3;
            o.tolerance = solver == LIEDER_ESDIRK23 ? 1e-6 : 1e-9; /* it is of second order */
            o.threads = threads;
            o.output = drop_row;
            o.restructured = drop_map;
            o.user = &d;
            LiederStatus status = lieder_simulate(system, &o, &s);
            if (status != LIEDER_DONE)
                lieder_diagnostic_print_all(session, stderr);
            assert_int_equal(status, LIEDER_DONE);
            assert_int_equal(d.after, 1);
            assert_int_equal(d.rows, 12);
            assert_near(d.when, 0.6, 1e-12);
            assert_near(d.t, 1, 1e-12);
            assert_true(s.steps >= (adaptive ? 10 : 200) && s.evaluations >= s.steps);
            double fall = d.t - d.when;
            Pose p = pose(system, 1, d.state, "crane[2].load.frame_a");
            /* free flight is a parabola: exact from order two on */
            double tolerance =
                solver == LIEDER_RK1 || solver == LIEDER_EULER_BACKWARD ? 5e-2 : 1e-7;
            assert_near(p.x, d.pose.x + d.pose.vx * fall, tolerance);
            assert_near(p.y, d.pose.y + d.pose.vy * fall - 9.81 / 2 * fall * fall, tolerance);
            assert_near(d.x, p.x, 0);
            lieder_observer_destroy(d.observer);
            lieder_system_destroy(system);
            free(d.state);
        }
    lieder_destroy(session);
}

/* the k-th allocation fails, before, in and after the change */
static void a_run_survives_without_memory(void **state)
{
    (void)state;
    static const LiederSolver solvers[] = {LIEDER_RK4, LIEDER_BDF};
    for (int i = 0; i < 2; i++) {
        size_t k = 1, calls = 0;
        for (;; k++) {
            Meter meter = {0};
            LiederAllocator alloc = METER_ALLOCATOR(&meter);
            Lieder *session = lieder_create(&alloc);
            add_crane(session);
            build_cranes(session, "M", 3, false);
            LiederSystem *system = system_new(session, "M");
            LiederSimulateOptions o = lieder_simulate_defaults();
            Drop d = {.system = system,
                      .when = IN_FULL(0.6, 0.1),
                      .quiet = true,
                      .observer = watch_pose(system, "crane[2].load.frame_a"),
                      .state = state_new(system)};
            o.solver = solvers[i];
            o.interval = 0.1;
            o.stop = IN_FULL(1, 0.2);
            o.output = drop_row;
            o.restructured = drop_map;
            o.user = &d;
            calls = meter.calls;
            meter.fail_at = calls + k;
            LiederStatus status = lieder_simulate(system, &o, NULL);
            bool failed = meter.calls >= meter.fail_at;
            assert_int_equal(failed, status != LIEDER_DONE);
            lieder_observer_destroy(d.observer);
            lieder_system_destroy(system);
            lieder_destroy(session);
            free(d.state);
            assert_int_equal(meter.live, 0);
            assert_int_equal(meter.wrong, 0);
            if (!failed)
                break;
        }
        assert_true(k > 100);
    }
}

/* a change that is refused ends the run there, and the system is whole */
static bool wrong_row(void *user, double t, const double *x, LiederRow kind)
{
    (void)x;
    (void)kind;
    if (t > 0.35)
        lieder_system_disconnect(user, "crane[1].grip");
    return true;
}

static void a_refused_change_ends_the_run(void **state)
{
    (void)state;
    Lieder *session = session_new();
    add_crane(session);
    build_cranes(session, "M", 2, false);
    LiederSystem *system = system_new(session, "M");
    for (int adaptive = 0; adaptive < 2; adaptive++) {
        LiederSimulateOptions o = lieder_simulate_defaults();
        LiederStatistics s;
        o.interval = 0.1;
        o.solver = adaptive ? LIEDER_ESDIRK23 : LIEDER_RK4;
        o.output = wrong_row;
        o.user = system;
        lieder_diagnostic_clear(session);
        assert_int_equal(lieder_simulate(system, &o, &s), LIEDER_BAD_MODEL);
        assert_said(session, "crane[1].load", "is not connected");
        assert_near(s.t, 0.4, 1e-9);
        assert_int_equal(lieder_system_info(system).nlane, 2);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* Two slides that meet in a gap which was connected in the running system, against a system made
 * so: the same events. */
static void guests_have_events(void **state)
{
    (void)state;
    Lieder *session = session_new();
    World w;
    uint64_t seed = 3;
    world_init(&w, &seed);
    add_classes(session, true);
    add_classes(session, false);
    world_model(session, "Running", &w, true);
    LiederSystem *systems[2] = {system_new(session, "Running")};
    size_t gap = FIRST_CELL + CELLS * (CELL_PORTS + 1) + 4;
    change_join(systems[0], &w, FIRST_SLIDE, gap);
    change_join(systems[0], &w, FIRST_SLIDE + SLIDE_PORTS + 2, gap + 1);
    change_leave(systems[0], &w, FIRST_SLIDE + SLIDE_PORTS + 1);
    change_join(systems[0], &w, FIRST_SLIDE, FIRST_SLIDE + SLIDE_PORTS + 1);
    restructure(session, systems[0], NULL);
    world_model(session, "Fresh", &w, false);
    systems[1] = system_new(session, "Fresh");
    for (int i = 0; i < 2; i++) /* so that it bounces off */
        assert_int_equal(lieder_system_set(systems[i], "gap[1].d", 0), LIEDER_DONE);
    for (LiederSolver solver = LIEDER_EULER_BACKWARD; solver <= LIEDER_BDF; solver++) {
        Drop d[2] = {{0}};
        LiederStatistics s[2];
        for (int i = 0; i < 2; i++) {
            double *x0 = state_new(systems[i]);
            x0[state_at(systems[i], "slide[2].joint.s")] = 1.5;
            x0[state_at(systems[i], "slide[2].joint.v")] = -2;
            d[i] = (Drop){.system = systems[i],
                          .changes = 1,
                          .observer = watch_pose(systems[i], "unit[1].body.frame_a"),
                          .state = state_new(systems[i])};
            LiederSimulateOptions o = lieder_simulate_defaults();
            o.stop = IN_FULL(4, 1.5); /* the first bounce only */
            o.tolerance = solver == LIEDER_ESDIRK23 ? IN_FULL(1e-6, 1e-5) : 1e-8;
            o.solver = solver;
            o.step = solver == LIEDER_EULER_BACKWARD ? 1e-3 : 0;
            o.x0 = x0;
            o.output = drop_row;
            o.user = &d[i];
            assert_int_equal(lieder_simulate(systems[i], &o, &s[i]), LIEDER_DONE);
            lieder_observer_destroy(d[i].observer);
            free(x0);
        }
        assert_int_equal(s[0].state_events, s[1].state_events);
        assert_true(solver == LIEDER_EULER_BACKWARD || s[0].state_events >= 2);
        assert_near(d[0].state[state_at(systems[0], "slide[2].joint.s")],
                    d[1].state[state_at(systems[1], "slide[2].joint.s")],
                    2e-5); /* tolerance, after some bounces */
        free(d[0].state);
        free(d[1].state);
    }
    lieder_system_destroy(systems[0]);
    lieder_system_destroy(systems[1]);
    lieder_destroy(session);
}

/* modes that share a system: the rope is cut where the load passes a height */
typedef struct Cut {
    LiederSystem *system;
    double y;
    size_t rows[2];
} Cut;

static void cut_change(void *user, LiederSystem *system, double t)
{
    (void)user;
    (void)t;
    let_go(system, 1);
}

static void cut_map(void *user, double t, const double *x, double *y)
{
    Cut *c = user;
    /* the structure is the new one; the old signals follow from the joints */
    size_t s = state_at(c->system, "crane[1].prismatic.s"),
           v = state_at(c->system, "crane[1].prismatic.v"),
           phi = state_at(c->system, "crane[1].revolute.phi"),
           w = state_at(c->system, "crane[1].revolute.w");
    (void)t;
    put_pose(c->system, y, "flight",
             (Pose){x[s] + 2 * sin(x[phi]), -2 * cos(x[phi]), x[phi], x[v] + 2 * cos(x[phi]) * x[w],
                    2 * sin(x[phi]) * x[w], x[w]});
}

static bool cut_row(void *user, size_t mode, double t, const double *x, LiederRow kind)
{
    Cut *c = user;
    (void)t;
    (void)kind;
    c->rows[mode]++;
    c->y = x[state_at(c->system, "flight.y")];
    return true;
}

static void a_guard_changes_connections(void **state)
{
    (void)state;
    Lieder *session = session_new();
    add_crane(session);
    build_cranes(session, "M", 2, false);
    for (int adaptive = 0; adaptive < 2; adaptive++) {
        LiederSystem *system = system_new(session, "M");
        LiederModes *modes = lieder_modes_create(session);
        Cut cut = {.system = system};
        lieder_modes_add(modes, "hanging", system);
        lieder_modes_add(modes, "falling", system);
        LiederTransition t = {.name = "cut",
                              .from = 0,
                              .to = 1,
                              .path = "crane[1].load.frame_a.y",
                              .level = -1.9,
                              .direction = LIEDER_FALLING,
                              .change = cut_change,
                              .map = cut_map,
                              .user = &cut};
        assert_int_equal(lieder_modes_connect(modes, &t), 0);
        LiederModesOptions o = lieder_modes_defaults();
        LiederModesStatistics s;
        o.run.solver = adaptive ? LIEDER_BDF : LIEDER_RK4;
        o.run.tolerance = 1e-9;
        o.run.step = adaptive ? 0 : 0.01;
        o.run.interval = 0.1;
        o.run.stop = 1.5;
        o.output = cut_row;
        o.user = &cut;
        assert_int_equal(lieder_modes_simulate(modes, &o, &s), LIEDER_DONE);
        assert_int_equal(s.transitions, 1);
        assert_int_equal(s.mode, 1);
        assert_true(cut.rows[0] > 3 && cut.rows[1] > 3);
        assert_true(cut.y < -2.5); /* it falls */
        assert_int_equal(lieder_system_info(system).nlane, 3);
        lieder_modes_destroy(modes);
        lieder_system_destroy(system);
    }
    lieder_destroy(session);
}

/* a state file knows the structure it was written in */
static void state_files_know_the_structure(void **state)
{
    (void)state;
    const char *file = "test_structure.state";
    Lieder *session = session_new();
    add_crane(session);
    build_cranes(session, "M", 3, false);
    LiederSystem *system = system_new(session, "M");
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.stop = 0.1;
    o.solver = LIEDER_RK4;
    o.checkpoint = file;
    let_go(system, 3);
    restructure(session, system, NULL);
    assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_DONE);
    o.checkpoint = NULL;
    o.resume = file;
    o.stop = 0.2;
    assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_DONE);
    take_hold(system, 3);
    restructure(session, system, NULL);
    assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_IO);
    let_go(system, 2); /* as many, but others */
    restructure(session, system, NULL);
    assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_IO);
    take_hold(system, 2);
    let_go(system, 3);
    restructure(session, system, NULL);
    assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_DONE);
    remove(file);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_a_fresh_system),
        cmocka_unit_test(cost_depends_on_what_changes),
        cmocka_unit_test(toggling_holds_no_memory),
        cmocka_unit_test(a_whole_fleet_goes_and_returns),
        cmocka_unit_test(wrong_changes_leave_no_trace),
        cmocka_unit_test(a_crane_drops_its_load),
        cmocka_unit_test(satellites_dock_and_undock),
        cmocka_unit_test(runs_go_on_after_a_change),
        cmocka_unit_test(a_run_survives_without_memory),
        cmocka_unit_test(a_refused_change_ends_the_run),
        cmocka_unit_test(guests_have_events),
        cmocka_unit_test(a_guard_changes_connections),
        cmocka_unit_test(state_files_know_the_structure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
