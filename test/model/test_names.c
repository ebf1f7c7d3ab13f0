/* test_names.c - states, parameters and variables by path: arrays, nested arrays, lanes. */
#include "help/engine.h"

/* crab: lanes; pair: elements that are connected; row: arrays inside arrays */
static void build(Lieder *session)
{
    LiederModel *one = lieder_model_create(session, "One", "");
    lieder_model_add(one, "fixed", "Translational.Fixed");
    lieder_model_add(one, "joint", "Translational.Joint");
    lieder_model_add(one, "mass", "Translational.Body");
    lieder_model_connect(one, "fixed.flange_b", "joint.flange_a");
    lieder_model_connect(one, "joint.flange_b", "mass.flange_a");
    lieder_model_expose(one, "end", "joint.flange_b");
    LiederModel *row = lieder_model_create(session, "Row", "");
    lieder_model_add_array(row, "one", "One", 3);
    lieder_model_add(row, "crab", "Examples.CraneCrab");
    LiederModel *m = lieder_model_create(session, "M", "");
    lieder_model_add_array(m, "crab", "Examples.CraneCrab", 4);
    lieder_model_add_array(m, "pair", "One", 2);
    lieder_model_add_array(m, "row", "Row", 2);
    lieder_model_add(m, "spring", "Translational.Spring");
    lieder_model_add(m, "chain", "Examples.Chain");
    lieder_model_connect(m, "pair[1].end", "spring.flange_a");
    lieder_model_connect(m, "pair[2].end", "spring.flange_b");
    lieder_model_set(m, "chain.n", 2);
    lieder_model_set(m, "crab[3].revolute.phi", 0.3);
    lieder_model_set(m, "row[2].one[3].joint.s", 2.3);
    lieder_model_set(m, "row.one[1].joint.s", 9.1); /* in all rows */
    lieder_model_set_each(m, "row.one.joint.v", (double[]){1.1, 1.2, 1.3, 2.1, 2.2, 2.3}, 6);
    lieder_model_set_each(m, "pair.joint.s", (double[]){0.1, 0.2}, 2);
    lieder_model_set(m, "crab[2].cart.m", 7);
    lieder_model_set(m, "crab[2].prismatic.TD", 0.25);
    lieder_model_set(m, "row[1].crab.rod.r[2]", -3);
}

typedef struct Named {
    Lieder *session;
    LiederSystem *system;
    double *x;
} Named;

static Named named_new(void)
{
    Named n = {.session = session_new()};
    build(n.session);
    n.system = system_new(n.session, "M");
    n.x = state_new(n.system);
    return n;
}

static void named_drop(Named *n)
{
    lieder_system_destroy(n->system);
    lieder_destroy(n->session);
    free(n->x);
}

/* every index has a name of its own, which leads back */
static void states_round_trip(void **state)
{
    (void)state;
    Named n = named_new();
    size_t count = lieder_system_state_count(n.system);
    /* 4 crabs, 2 rows of 3 masses and a crab, 2 masses, 2 links */
    assert_int_equal(count, 4 * 4 + 2 * (3 * 2 + 4) + 2 * 2 + 2 * 2);
    for (size_t i = 0; i < count; i++) {
        char name[128];
        assert_ptr_equal(lieder_system_state_name(n.system, i, name, sizeof name), name);
        if (lieder_system_state_index(n.system, name) != (ptrdiff_t)i)
            fail_msg("state %zu is called %s, which is %td", i, name,
                     lieder_system_state_index(n.system, name));
    }
    char none[8] = "x", small[6];
    assert_string_equal(lieder_system_state_name(n.system, count, none, sizeof none), "");
    lieder_system_state_name(n.system, 0, small, sizeof small); /* cut, not overrun */
    assert_int_equal(strlen(small), 5);
    named_drop(&n);
}

static void starts_of_elements(void **state)
{
    (void)state;
    Named n = named_new();
    static const struct {
        const char *path;
        double value;
    } expected[] = {{"crab[1].revolute.phi", 1},    {"crab[3].revolute.phi", 0.3},
                    {"crab[4].revolute.phi", 1},    {"row[1].one[1].joint.s", 9.1},
                    {"row[2].one[1].joint.s", 9.1}, {"row[2].one[2].joint.s", 0},
                    {"row[2].one[3].joint.s", 2.3}, {"row[1].one[3].joint.s", 0},
                    {"row[1].one[2].joint.v", 1.2}, {"row[2].one[1].joint.v", 2.1},
                    {"row[2].one[3].joint.v", 2.3}, {"pair[1].joint.s", 0.1},
                    {"pair[2].joint.s", 0.2},       {"row[2].crab.revolute.phi", 1},
                    {"chain.revolute[2].phi", 0}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_near(n.x[state_at(n.system, expected[i].path)], expected[i].value, 0);
    named_drop(&n);
}

/* the same number as a parameter, in the running system and through an observer */
static void parameters(void **state)
{
    (void)state;
    Named n = named_new();
    static const struct {
        const char *path;
        double value;
    } expected[] = {{"crab[1].cart.m", 2},
                    {"crab[2].cart.m", 7},
                    {"crab[3].cart.m", 2},
                    {"crab[2].prismatic.TD", 0.25},
                    {"crab[1].prismatic.TD", 1e-3},
                    {"row[1].crab.rod.r[2]", -3},
                    {"row[2].crab.rod.r[2]", -1},
                    {"row[1].crab.rod.r[1]", 0},
                    {"spring.c", 1},
                    {"chain.body[2].m", 0.5},
                    {"pair[2].joint.f_ext", 0}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        double value = NAN;
        assert_int_equal(lieder_system_get(n.system, expected[i].path, &value), LIEDER_DONE);
        assert_near(value, expected[i].value, 0);
        assert_near(look(n.system, 0, n.x, expected[i].path), expected[i].value, 0);
    }
    named_drop(&n);
}

/* one lane changes, its neighbours do not */
static void changing_parameters(void **state)
{
    (void)state;
    Named n = named_new();
    size_t count = lieder_system_state_count(n.system);
    double *dx = malloc(count * sizeof *dx), *other = malloc(count * sizeof *other);
    derivatives(n.session, n.system, 0, n.x, dx);
    assert_int_equal(lieder_system_set(n.system, "crab[4].load.m", 5), LIEDER_DONE);
    assert_int_equal(lieder_system_set(n.system, "row[2].crab.cart.m", 4), LIEDER_DONE);
    assert_int_equal(lieder_system_set(n.system, "pair[1].joint.f_ext", 30), LIEDER_DONE);
    derivatives(n.session, n.system, 0, n.x, other);
    for (size_t i = 0; i < count; i++) {
        char name[128];
        lieder_system_state_name(n.system, i, name, sizeof name);
        bool touched = strncmp(name, "crab[4]", 7) == 0 || strncmp(name, "row[2].crab", 11) == 0 ||
                       strncmp(name, "pair[", 5) == 0;
        if (touched != (memcmp(&dx[i], &other[i], sizeof *dx) != 0))
            fail_msg("%s: %.17g before, %.17g after", name, dx[i], other[i]);
    }
    /* observers see the new numbers, too */
    assert_near(look(n.system, 0, n.x, "crab[4].load.m"), 5, 0);
    assert_near(look(n.system, 0, n.x, "crab[3].load.m"), 1, 0);
    size_t v = state_at(n.system, "crab[4].prismatic.v");
    assert_near(look(n.system, 0, n.x, "der(crab[4].prismatic.v)"), other[v], 1e-13);
    /* a start value may be set as well, and is seen by the next start */
    assert_int_equal(lieder_system_set(n.system, "crab[1].revolute.phi", -0.5), LIEDER_DONE);
    lieder_system_start(n.system, n.x);
    assert_near(n.x[state_at(n.system, "crab[1].revolute.phi")], -0.5, 0);
    assert_near(n.x[state_at(n.system, "crab[2].revolute.phi")], 1, 0);
    free(dx);
    free(other);
    named_drop(&n);
}

/* every kind of path in one observer, in any order over the lanes, each at its own index */
static void observers(void **state)
{
    (void)state;
    Named n = named_new();
    static const char *const paths[] = {"crab[4].revolute.phi",
                                        "row[2].one[3].mass.flange_a.s",
                                        "crab[1].load.frame_a.x",
                                        "der(crab[4].prismatic.s)",
                                        "pair[2].joint.a",
                                        "crab[2].prismatic.v_el",
                                        "row[1].one[2].joint.v",
                                        "crab[1].load.frame_a.y",
                                        "spring.s_rel",
                                        "spring.flange_b.f_el",
                                        "chain.body[2].frame_a.x",
                                        "crab[3].revolute.flange_a.phi",
                                        "crab[4].cart.m",
                                        "row[2].crab.load.frame_a.fy_el",
                                        "pair[1].joint.f_ext"};
    static const char *const units[] = {"rad", "m", "m", "",    "m/s2", "m/s", "m/s", "m",
                                        "m",   "N", "m", "rad", "kg",   "N",   ""};
    enum { COUNT = sizeof paths / sizeof *paths };
    LiederObserver *o = lieder_observer_create(n.system);
    double values[COUNT];
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(lieder_observer_add(o, paths[i]), i);
    assert_int_equal(lieder_observer_count(o), COUNT);
    assert_int_equal(lieder_observer_evaluate(o, 0, n.x, values), LIEDER_DONE);
    for (int i = 0; i < COUNT; i++) {
        assert_near(values[i], look(n.system, 0, n.x, paths[i]), 0);
        if (*units[i])
            assert_string_equal(lieder_observer_unit(o, (size_t)i), units[i]);
    }
    assert_near(values[0], 1, 0);
    assert_near(values[1], 2.3, 1e-15);
    assert_near(values[2], sin(1), 1e-15);
    assert_near(values[7], -cos(1), 1e-15);
    assert_near(values[8], 0.1, 1e-15);
    assert_near(values[10], 1, 1e-15); /* two links of a half */
    assert_near(values[11], 0.3, 0);
    assert_near(values[12], 2, 0);
    assert_near(values[13], 9.81, 1e-15);
    lieder_observer_destroy(o);
    named_drop(&n);
}

/* a World by lane holds for everything inside, arrays of arrays included */
static void worlds_by_lane(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederModel *planet = lieder_model_create(session, "Planet", "");
    lieder_model_add(planet, "world", "World");
    lieder_model_add_array(planet, "crab", "Examples.CraneCrab", 2);
    lieder_model_set(planet, "crab[2].load.g", 50); /* wins over the world */
    LiederModel *m = lieder_model_create(session, "M", "");
    lieder_model_add_array(m, "planet", "Planet", 3);
    lieder_model_set_each(m, "planet.world.g", (double[]){1, 2, 3}, 3);
    lieder_model_set(m, "planet[3].world.TD", 0);
    LiederSystem *system = system_new(session, "M");
    double *x = state_new(system), value;
    for (int i = 1; i <= 3; i++) {
        char path[64];
        snprintf(path, sizeof path, "planet[%d].crab[1].load.g", i);
        assert_near(look(system, 0, x, path), i, 0);
        snprintf(path, sizeof path, "planet[%d].crab[2].cart.g", i);
        assert_int_equal(lieder_system_get(system, path, &value), LIEDER_DONE);
        assert_near(value, i, 0);
        snprintf(path, sizeof path, "planet[%d].crab[2].load.g", i);
        assert_near(look(system, 0, x, path), 50, 0);
        snprintf(path, sizeof path, "planet[%d].crab[2].revolute.TD", i);
        assert_near(look(system, 0, x, path), i == 3 ? 0 : 1e-3, 0);
    }
    free(x);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* what a class says about itself */
static void reflection(void **state)
{
    (void)state;
    Lieder *session = session_new();
    static const char *const names[] = {"World",
                                        "Translational.Fixed",
                                        "Translational.Translation",
                                        "Translational.Body",
                                        "Translational.Joint",
                                        "Translational.Spring",
                                        "Translational.Damper",
                                        "Translational.SpringDamper",
                                        "Translational.ElastoGap",
                                        "Translational.Force",
                                        "Translational.DryFriction",
                                        "Translational.PositionSensor",
                                        "Translational.ForceSensor",
                                        "Rotational.Fixed",
                                        "Rotational.Rotation",
                                        "Rotational.Inertia",
                                        "Rotational.Joint",
                                        "Rotational.Spring",
                                        "Rotational.Damper",
                                        "Rotational.SpringDamper",
                                        "Rotational.ElastoGap",
                                        "Rotational.Torque",
                                        "Rotational.DryFriction",
                                        "Rotational.IdealGear",
                                        "Rotational.RollingWheel",
                                        "Planar.Fixed",
                                        "Planar.FixedTranslation",
                                        "Planar.FixedRotation",
                                        "Planar.Body",
                                        "Planar.Prismatic",
                                        "Planar.Revolute",
                                        "Planar.FreeMotion",
                                        "Planar.SpringDamper",
                                        "Planar.WorldForce",
                                        "Signals.Constant",
                                        "Signals.Step",
                                        "Signals.Pulse",
                                        "Signals.Ramp",
                                        "Signals.Sine",
                                        "Signals.TimeTable",
                                        "Signals.Gain",
                                        "Signals.Add",
                                        "Examples.CraneCrab",
                                        "Examples.Chain"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!lieder_class_find(session, names[i]))
            fail_msg("no class %s", names[i]);
    /* every member of every class has a name, a text and a unit; parameters have a range */
    for (size_t i = 0; i < lieder_class_count(session); i++) {
        const LiederClass *class_ = lieder_class_get(session, i);
        assert_true(*lieder_class_name(class_) && *lieder_class_text(class_));
        for (size_t k = 0; k < lieder_class_member_count(class_); k++) {
            LiederMemberInfo m = lieder_class_member(class_, k);
            assert_true(m.name && *m.name && m.text && *m.text && m.unit);
            if (m.kind == LIEDER_PARAMETER)
                assert_true(m.min <= m.max && !(m.fallback < m.min) && !(m.fallback > m.max));
            if (m.kind == LIEDER_STATE)
                assert_true(m.derivative && *m.derivative);
            if (m.kind == LIEDER_UNKNOWN)
                assert_true(m.residual && *m.residual);
            if (m.kind == LIEDER_PORT)
                assert_true(m.domain && m.domain->variables);
        }
    }
    assert_null(lieder_class_get(session, lieder_class_count(session)));
    assert_null(lieder_class_find(session, "Planar.Nothing"));
    assert_true(lieder_class_is_model(lieder_class_find(session, "Examples.Chain")));
    assert_false(lieder_class_is_model(lieder_class_find(session, "Planar.Body")));
    LiederMemberInfo g = lieder_class_member(lieder_class_find(session, "World"), 0);
    assert_string_equal(g.name, "g");
    assert_true(g.fallback == 9.81);
    lieder_destroy(session);
}

/* equal subsystems are lanes of one shape, however they are written down */
static void shapes(void **state)
{
    (void)state;
    Named n = named_new();
    LiederSystemInfo info = lieder_system_info(n.system);
    /* crabs of crab[] and row[].crab: one shape, 6 lanes; row[].one[]: 6 lanes; the pair with its
     * spring; the chain */
    assert_int_equal(info.nshape, 4);
    assert_int_equal(info.nlane, 6 + 6 + 1 + 1);
    assert_int_equal(info.nstate, lieder_system_state_count(n.system));
    assert_int_equal(info.nunknown, 6 * 2 + 6 + 2 + 2);
    assert_int_equal(info.ncomponent, 6 * 6 + 6 * 3 + 7 + 7);
    named_drop(&n);
}

/* numbers of lanes are data: another n, the same model, the same start */
static void arrays_of_any_size(void **state)
{
    (void)state;
    Lieder *session = session_new();
    for (size_t n = 0; n < 20; n++) {
        char name[16];
        snprintf(name, sizeof name, "M%zu", n);
        LiederModel *m = lieder_model_create(session, name, "");
        lieder_model_add_array(m, "crab", "Examples.CraneCrab", n);
        lieder_model_set(m, "crab.cart.m", 3);
        LiederSystem *system = system_new(session, name);
        assert_int_equal(lieder_system_state_count(system), 4 * n);
        double x[80], dx[80];
        lieder_system_start(system, x);
        derivatives(session, system, 0, x, dx);
        assert_int_equal(lieder_system_state_index(system, "crab[20].revolute.phi"), -1);
        lieder_system_destroy(system);
    }
    lieder_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_round_trip),
        cmocka_unit_test(starts_of_elements),
        cmocka_unit_test(parameters),
        cmocka_unit_test(changing_parameters),
        cmocka_unit_test(observers),
        cmocka_unit_test(reflection),
        cmocka_unit_test(shapes),
        cmocka_unit_test(arrays_of_any_size),
        cmocka_unit_test(worlds_by_lane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
