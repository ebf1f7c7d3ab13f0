/* test_bad_input.c - wrong models and wrong calls: each is refused with the path of the component,
 * the value, and advice; all errors of a model come together; nothing leaks. */
#include "help/engine.h"
#include "help/meter.h"

typedef struct Expected {
    const char *path, *message; /* parts of them */
} Expected;

static bool contains(const char *text, const char *part)
{
    return text && strstr(text, part);
}

/* one diagnostic has this path and this message, and says what to do */
static void assert_says(const Lieder *session, Expected e)
{
    for (size_t i = 0; i < lieder_diagnostic_count(session); i++) {
        const LiederDiagnostic *d = lieder_diagnostic_get(session, i);
        if (strcmp(d->path ? d->path : "", e.path) == 0 && contains(d->message, e.message)) {
            assert_int_equal(d->severity, LIEDER_ERROR);
            if (!d->advice || !*d->advice)
                fail_msg("no advice for %s: %s", e.path, d->message);
            return;
        }
    }
    lieder_diagnostic_print_all(session, stderr);
    fail_msg("nothing says '%s: ... %s'", e.path, e.message);
}

/* the model "M" that build makes is refused; up to four diagnostics are expected */
static void assert_refused(void (*build)(Lieder *, LiederModel *), const Expected *e, size_t n)
{
    Meter meter = {0};
    LiederAllocator alloc = METER_ALLOCATOR(&meter);
    Lieder *session = lieder_create(&alloc);
    build(session, lieder_model_create(session, "M", ""));
    LiederSystem *system = lieder_system_create(session, "M", NULL);
    if (system)
        fail_msg("accepted, but expected '%s: ... %s'", e[0].path, e[0].message);
    for (size_t i = 0; i < n; i++)
        assert_says(session, e[i]);
    lieder_destroy(session);
    assert_int_equal(meter.live, 0);
    assert_int_equal(meter.bytes, 0);
}

#define REFUSED(name, ...)                                                                         \
    static void name(void **state)                                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        const Expected expected[] = {__VA_ARGS__};                                                 \
        assert_refused(build_##name, expected, sizeof expected / sizeof *expected);                \
    }
#define BUILD(name) static void build_##name(Lieder *session, LiederModel *m)

/* a pendulum that is right: the tests below spoil it */
static void pendulum(LiederModel *m)
{
    lieder_model_add(m, "fixed", "Planar.Fixed");
    lieder_model_add(m, "joint", "Planar.Revolute");
    lieder_model_add(m, "rod", "Planar.FixedTranslation");
    lieder_model_add(m, "bob", "Planar.Body");
    lieder_model_set_vector(m, "rod.r", (double[]){0, -1}, 2);
    lieder_model_connect(m, "fixed.frame", "joint.frame_a");
    lieder_model_connect(m, "joint.frame_b", "rod.frame_a");
    lieder_model_connect(m, "rod.frame_b", "bob.frame_a");
}

static void the_pendulum_is_right(void **state)
{
    (void)state;
    Lieder *session = session_new();
    pendulum(lieder_model_create(session, "M", ""));
    lieder_system_destroy(system_new(session, "M"));
    assert_int_equal(lieder_diagnostic_count(session), 0);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ structure */

BUILD(two_domains)
{
    (void)session;
    pendulum(m);
    lieder_model_add(m, "mass", "Translational.Body");
    lieder_model_connect(m, "joint.flange_a", "mass.flange_a");
}
REFUSED(two_domains, {"joint.flange_a", "Rotational.Flange is not Translational.Flange"})

BUILD(open_port)
{
    (void)session;
    pendulum(m);
    lieder_model_add(m, "ball", "Planar.Body");
    lieder_model_add(m, "spring", "Planar.SpringDamper");
    lieder_model_connect(m, "spring.frame_b", "bob.frame_a");
}
REFUSED(open_port, {"ball", "port frame_a is not connected"},
        {"spring", "port frame_a is not connected"})

BUILD(no_way_to_a_root)
{
    (void)session;
    pendulum(m);
    lieder_model_add(m, "stick", "Planar.FixedTranslation");
    lieder_model_add(m, "ball", "Planar.Body");
    lieder_model_connect(m, "stick.frame_b", "ball.frame_a");
}
REFUSED(no_way_to_a_root, {"stick", "no way to a root"})

BUILD(rigid_loop)
{
    (void)session;
    pendulum(m);
    lieder_model_add(m, "bar", "Planar.FixedTranslation");
    lieder_model_connect(m, "rod.frame_b", "bar.frame_a");
    lieder_model_connect(m, "bar.frame_b", "fixed.frame");
}

/* either end of the loop may be named; the advice must be to use an elastic element */
static void rigid_loop(void **state)
{
    (void)state;
    Lieder *session = session_new();
    build_rigid_loop(session, lieder_model_create(session, "M", ""));
    assert_null(lieder_system_create(session, "M", NULL));
    bool said = false;
    for (size_t i = 0; i < lieder_diagnostic_count(session); i++) {
        const LiederDiagnostic *d = lieder_diagnostic_get(session, i);
        said |= contains(d->message, "closes a rigid loop") &&
                contains(d->advice, "SpringDamper") && d->path && strlen(d->path) > 0;
    }
    if (!said)
        lieder_diagnostic_print_all(session, stderr);
    assert_true(said);
    lieder_destroy(session);
}

BUILD(link_on_itself)
{
    (void)session;
    pendulum(m);
    lieder_model_add(m, "bar", "Planar.FixedTranslation");
    lieder_model_connect(m, "bar.frame_a", "rod.frame_b");
    lieder_model_connect(m, "bar.frame_b", "rod.frame_b");
}
REFUSED(link_on_itself, {"bar", "closes a rigid loop"})

BUILD(parallel_links)
{
    (void)session;
    pendulum(m);
    lieder_model_add(m, "bar", "Planar.FixedTranslation");
    lieder_model_connect(m, "bar.frame_a", "joint.frame_b");
    lieder_model_connect(m, "bar.frame_b", "rod.frame_b");
}

static void parallel_links(void **state)
{
    (void)state;
    Lieder *session = session_new();
    build_parallel_links(session, lieder_model_create(session, "M", ""));
    assert_null(lieder_system_create(session, "M", NULL));
    const LiederDiagnostic *d = lieder_diagnostic_get(session, 0);
    assert_non_null(d);
    assert_true(contains(d->message, "closes a rigid loop"));
    lieder_destroy(session);
}

BUILD(two_roots)
{
    (void)session;
    pendulum(m);
    lieder_model_add(m, "wall", "Planar.Fixed");
    lieder_model_connect(m, "wall.frame", "fixed.frame");
}
REFUSED(two_roots, {"wall", "both are fixed"})

BUILD(fixed_at_both_ends)
{
    (void)session;
    pendulum(m);
    lieder_model_add(m, "wall", "Planar.Fixed");
    lieder_model_connect(m, "wall.frame", "bob.frame_a");
}

static void fixed_at_both_ends(void **state)
{
    (void)state;
    Lieder *session = session_new();
    build_fixed_at_both_ends(session, lieder_model_create(session, "M", ""));
    assert_null(lieder_system_create(session, "M", NULL));
    assert_true(contains(lieder_diagnostic_get(session, 0)->message, "rigid loop"));
    lieder_destroy(session);
}

BUILD(no_inertia)
{
    (void)session;
    pendulum(m);
    lieder_model_add(m, "hinge", "Planar.Revolute");
    lieder_model_add(m, "stick", "Planar.FixedTranslation");
    lieder_model_set_vector(m, "stick.r", (double[]){1, 0}, 2);
    lieder_model_connect(m, "rod.frame_b", "hinge.frame_a");
    lieder_model_connect(m, "hinge.frame_b", "stick.frame_a");
}
REFUSED(no_inertia, {"hinge", "no inertia moves with this joint"})

BUILD(point_mass_on_the_axis)
{
    (void)session;
    pendulum(m);
    lieder_model_set_vector(m, "rod.r", (double[]){0, 0}, 2);
}
REFUSED(point_mass_on_the_axis, {"joint", "no inertia moves with this joint"})

BUILD(no_mass)
{
    (void)session;
    lieder_model_add_array(m, "one", "Examples.SpringMass", 3);
    lieder_model_set(m, "one.body.m", 0);
    lieder_model_set(m, "one.spring.damped", 0); /* d_el T_D would stand in for the mass */
}
REFUSED(no_mass, {"one[1].joint", "no inertia"})

BUILD(endless_mass)
{
    (void)session;
    lieder_model_add(m, "world", "World");
    lieder_model_set(m, "world.TD", 1e300);
    lieder_model_add(m, "one", "Examples.SpringMass");
    lieder_model_set(m, "one.spring.c", 1e6);
}
REFUSED(endless_mass, {"one.joint", "beyond the range of numbers"})

/* the joint inboard has a mass, and its pivot is no number only because of the one outboard */
static void inner_joint_is_not_blamed(void **unused)
{
    (void)unused;
    Lieder *session = session_new();
    LiederModel *m = lieder_model_create(session, "M", "");
    lieder_model_add(m, "fixed", "Translational.Fixed");
    lieder_model_add(m, "inner", "Translational.Joint");
    lieder_model_add(m, "outer", "Translational.Joint");
    lieder_model_add(m, "body", "Translational.Body");
    lieder_model_connect(m, "fixed.flange_b", "inner.flange_a");
    lieder_model_connect(m, "inner.flange_b", "body.flange_a");
    lieder_model_connect(m, "inner.flange_b", "outer.flange_a");
    assert_null(lieder_system_create(session, "M", NULL));
    assert_int_equal(lieder_diagnostic_count(session), 1);
    assert_true(contains(lieder_diagnostic_get(session, 0)->path, "outer"));
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ numbers */

BUILD(negative_mass)
{
    (void)session;
    pendulum(m);
    lieder_model_set(m, "bob.m", -2.5);
    lieder_model_set(m, "joint.TD", -0.001);
}
REFUSED(negative_mass, {"bob", "m = -2.5"}, {"joint", "TD = -0.001"})

BUILD(not_finite)
{
    (void)session;
    pendulum(m);
    lieder_model_set(m, "bob.I", NAN);
    lieder_model_set(m, "joint.w", INFINITY);
    lieder_model_set_vector(m, "fixed.r", (double[]){0, -INFINITY}, 2);
}
REFUSED(not_finite, {"bob.I", "nan"}, {"joint.w", "inf"}, {"fixed.r", "-inf"})

BUILD(missing_value)
{
    (void)session;
    pendulum(m);
    lieder_model_add(m, "slide", "Planar.Prismatic");
    lieder_model_add(m, "block", "Planar.Body");
    lieder_model_connect(m, "slide.frame_a", "fixed.frame");
    lieder_model_connect(m, "slide.frame_b", "block.frame_a");
}
REFUSED(missing_value, {"slide", "parameter r has no value"})

BUILD(zero_direction)
{
    build_missing_value(session, m);
    lieder_model_set_vector(m, "slide.r", (double[]){0, 0}, 2);
}
REFUSED(zero_direction, {"slide", "r must not be zero"})

BUILD(outside_the_range)
{
    (void)session;
    lieder_model_add(m, "pulse", "Signals.Pulse");
    lieder_model_set(m, "pulse.width", 120);
}
REFUSED(outside_the_range, {"pulse", "width = 120 must lie between 0 and 100"})

BUILD(wrong_lane)
{
    (void)session;
    lieder_model_add_array(m, "crab", "Examples.CraneCrab", 5);
    lieder_model_set(m, "crab[3].cart.m", -1);
    lieder_model_set_each(m, "crab.rod.r[1]", (double[]){0, 1, 2}, 3);
    lieder_model_set(m, "crab[7].cart.m", 1);
}
REFUSED(wrong_lane, {"crab[3].cart", "m = -1"}, {"crab.rod.r[1]", "3 values for the 5"},
        {"crab[7].cart.m", "index 7 is beyond the 5"})

/* the class's own check sees every lane */
BUILD(wrong_check_in_a_lane)
{
    LiederModel *unit = lieder_model_create(session, "Unit", "");
    lieder_model_add(unit, "fixed", "Rotational.Fixed");
    lieder_model_add(unit, "joint", "Rotational.Joint");
    lieder_model_add(unit, "gear", "Rotational.IdealGear");
    lieder_model_add(unit, "mass", "Rotational.Inertia");
    lieder_model_connect(unit, "fixed.flange_b", "joint.flange_a");
    lieder_model_connect(unit, "joint.flange_b", "gear.flange_a");
    lieder_model_connect(unit, "gear.flange_b", "mass.flange_a");
    lieder_model_add_array(m, "unit", "Unit", 4);
    lieder_model_set_each(m, "unit.gear.ratio", (double[]){1, 2, 0, 4}, 4);
}
REFUSED(wrong_check_in_a_lane, {"unit[3].gear", "must not be zero"})

/* a switch decides the structure: lanes must agree on it */
BUILD(switch_by_lane)
{
    (void)session;
    lieder_model_add_array(m, "one", "Examples.SpringMass", 3);
    lieder_model_set_each(m, "one.spring.damped", (double[]){1, 1, 0}, 3);
}
REFUSED(switch_by_lane, {"one[3].spring", "damped = 0"})

BUILD(friction_curve)
{
    (void)session;
    lieder_model_add(m, "fixed", "Translational.Fixed");
    lieder_model_add(m, "friction", "Translational.DryFriction");
    lieder_model_set(m, "friction.vAdhesion", 1);
    lieder_model_set(m, "friction.vSlide", 0.5);
    lieder_model_connect(m, "fixed.flange_b", "friction.flange_a");
    lieder_model_connect(m, "fixed.flange_b", "friction.flange_b");
}
REFUSED(friction_curve, {"friction", "sliding must be greater"})

/* ------------------------------------------------------------------ tables */

static void table_is_refused(const double *numbers, size_t n, const char *message)
{
    Lieder *session = session_new();
    LiederModel *m = lieder_model_create(session, "M", "");
    lieder_model_add(m, "plan", "Signals.TimeTable");
    if (n)
        lieder_model_set_vector(m, "plan.table", numbers, n);
    assert_null(lieder_system_create(session, "M", NULL));
    assert_says(session, (Expected){n ? "plan.table" : "plan", message});
    lieder_destroy(session);
}

static void wrong_tables(void **state)
{
    (void)state;
    table_is_refused(NULL, 0, "parameter table has no value");
    table_is_refused((double[]){0, 1}, 2, "row 1 of the table is (0, 1)");
    table_is_refused((double[]){0, 1, 2, 3, 4}, 5, "this one has 5 numbers");
    table_is_refused((double[]){0, 1, 2, 3, 1, 4}, 6, "row 3 of the table is (1, 4)");
    table_is_refused((double[]){0, 1, 2, NAN}, 4, "nan is not a finite number");
}

static void table_is_no_number(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederModel *m = lieder_model_create(session, "M", "");
    lieder_model_add(m, "plan", "Signals.TimeTable");
    lieder_model_set(m, "plan.table", 3);
    assert_null(lieder_system_create(session, "M", NULL));
    assert_says(session, (Expected){"plan.table", "cannot be set to one number"});
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ names and paths */

BUILD(unknown_names)
{
    (void)session;
    pendulum(m);
    lieder_model_add(m, "engine", "Planar.Rocket");
    lieder_model_set(m, "bob.mass", 1);
    lieder_model_set(m, "rob.m", 1);
    lieder_model_connect(m, "rod.frame_c", "bob.frame_a");
    lieder_model_connect(m, "nobody.frame_a", "bob.frame_a");
}
REFUSED(unknown_names, {"engine", "no class 'Planar.Rocket'"},
        {"bob.mass", "no parameter or state"}, {"rob.m", "no component 'rob'"},
        {"rod.frame_c", "no port 'frame_c'"}, {"nobody.frame_a", "no component or port 'nobody'"})

BUILD(duplicate_names)
{
    (void)session;
    pendulum(m);
    lieder_model_add(m, "bob", "Planar.Body");
}
REFUSED(duplicate_names, {"bob", "used twice"})

BUILD(names_that_are_none)
{
    (void)session;
    pendulum(m);
    lieder_model_add(m, "a.b", "Planar.Fixed");
    lieder_model_add(m, "c[1]", "Planar.Fixed");
    lieder_model_add(m, "", "Planar.Fixed");
}
REFUSED(names_that_are_none, {"a.b", "is not a name"}, {"c[1]", "is not a name"},
        {"", "is not a name"})

BUILD(malformed_paths)
{
    (void)session;
    pendulum(m);
    lieder_model_add_array(m, "ball", "Planar.Fixed", 2);
    lieder_model_set(m, "ball[0].phi", 1);
    lieder_model_set(m, "ball[x].phi", 1);
    lieder_model_set(m, "bob", 1);
    lieder_model_set(m, "bob[1].m", 1);
    lieder_model_set(m, "rod.r", 1);
    lieder_model_set(m, "rod.r[3]", 1);
    lieder_model_connect(m, "ball.frame", "bob.frame_a");
    lieder_model_connect(m, "bob", "rod.frame_b");
}
REFUSED(malformed_paths, {"ball[0].phi", "cannot be read"}, {"ball[x].phi", "cannot be read"},
        {"bob", "is a component, no parameter"}, {"bob[1].m", "is no array"},
        {"rod.r", "vector of 2"}, {"rod.r[3]", "index 3"}, {"ball.frame", "is an array of 2"},
        {"bob", "no port"})

BUILD(wrong_vectors)
{
    (void)session;
    pendulum(m);
    lieder_model_set_vector(m, "rod.r", (double[]){1, 2, 3}, 3);
    lieder_model_set_vector(m, "bob.m", (double[]){1}, 1);
}
REFUSED(wrong_vectors, {"rod.r", "3 numbers for a parameter of 2"},
        {"bob.m", "1 numbers for a parameter of 1"})

/* ------------------------------------------------------------------ models in models */

BUILD(two_worlds)
{
    (void)session;
    pendulum(m);
    lieder_model_add(m, "world", "World");
    lieder_model_add(m, "world2", "World");
}
REFUSED(two_worlds, {"world2", "one World"})

BUILD(contains_itself)
{
    (void)session;
    lieder_model_add(m, "me", "M");
}
REFUSED(contains_itself, {"me", "cannot contain itself"})

/* two of each in each other: expanding them would never end */
BUILD(recursion)
{
    LiederModel *other = lieder_model_create(session, "Other", "");
    lieder_model_add(m, "x", "Other");
    lieder_model_add(m, "y", "Other");
    lieder_model_add(other, "x", "M");
    lieder_model_add(other, "y", "M");
}
REFUSED(recursion, {"x.x.", "contains itself"})

BUILD(template_argument)
{
    (void)session;
    lieder_model_add(m, "chain", "Examples.Chain");
    lieder_model_set(m, "chain.n", 0);
    lieder_model_add_array(m, "chains", "Examples.Chain", 2);
    lieder_model_set(m, "chains[2].n", 5);
}
REFUSED(template_argument, {"chain", "n = 0 is outside"}, {"chains[2].n", "one number for all"})

/* a connection into an array that is evaluated in lanes must not get lost */
BUILD(array_out_of_reach)
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
    lieder_model_add(m, "row", "Row");
    lieder_model_add(m, "spring", "Translational.Spring");
    lieder_model_connect(m, "row.one[2].end", "spring.flange_a");
    lieder_model_connect(m, "row.one[3].end", "spring.flange_b");
}
REFUSED(array_out_of_reach, {"row.one[2].end", "cannot be reached"},
        {"row.one[3].end", "cannot be reached"})

/* ------------------------------------------------------------------ signals */

BUILD(algebraic_loop)
{
    (void)session;
    lieder_model_add(m, "a", "Signals.Gain");
    lieder_model_add(m, "b", "Signals.Gain");
    lieder_model_connect(m, "a.y", "b.u");
    lieder_model_connect(m, "b.y", "a.u");
}
REFUSED(algebraic_loop, {"a", "algebraic loop"})

BUILD(outputs_meet)
{
    (void)session;
    lieder_model_add(m, "a", "Signals.Constant");
    lieder_model_add(m, "b", "Signals.Step");
    lieder_model_add(m, "c", "Signals.Gain");
    lieder_model_connect(m, "a.y", "c.u");
    lieder_model_connect(m, "b.y", "c.u");
}
REFUSED(outputs_meet, {"b", "connected to output y of a"})

BUILD(inputs_meet)
{
    (void)session;
    lieder_model_add(m, "a", "Signals.Gain");
    lieder_model_add(m, "b", "Signals.Gain");
    lieder_model_connect(m, "a.u", "b.u");
}
REFUSED(inputs_meet, {"a", "connected to inputs only"}, {"b", "connected to inputs only"})

/* ------------------------------------------------------------------ all together */

BUILD(everything_at_once)
{
    (void)session;
    pendulum(m);
    lieder_model_add(m, "bob", "Planar.Body");
    lieder_model_add(m, "x", "No.Class");
    lieder_model_add(m, "ball", "Planar.Body");
    lieder_model_set(m, "bob.m", -1);
    lieder_model_set(m, "rod.length", 1);
    lieder_model_connect(m, "rod.frame_x", "ball.frame_a");
    lieder_model_add(m, "mass", "Translational.Body");
    lieder_model_connect(m, "mass.flange_a", "joint.flange_a");
}
REFUSED(everything_at_once, {"bob", "used twice"}, {"x", "no class"},
        {"ball", "port frame_a is not connected"}, {"bob", "m = -1"},
        {"rod.length", "no parameter"}, {"rod.frame_x", "no port"}, {"mass.flange_a", "is not"})

/* ------------------------------------------------------------------ wrong calls */

static void wrong_calls(void **state)
{
    (void)state;
    Lieder *session = session_new();
    assert_null(lieder_system_create(session, "Nothing", NULL));
    assert_true(contains(lieder_diagnostic_get(session, 0)->message, "no model"));
    assert_null(lieder_system_create(session, "Planar.Body", NULL));
    assert_null(lieder_model_create(session, "Planar.Body", ""));
    lieder_diagnostic_clear(session);
    assert_int_equal(lieder_diagnostic_count(session), 0);
    assert_null(lieder_diagnostic_get(session, 0));
    /* a builder that got no model needs no checks */
    lieder_model_add(NULL, "a", "Planar.Body");
    lieder_model_add_array(NULL, "a", "Planar.Body", 3);
    lieder_model_set(NULL, "a", 1);
    lieder_model_connect(NULL, "a", "b");
    lieder_model_expose(NULL, "a", "b");
    lieder_system_destroy(NULL);
    lieder_observer_destroy(NULL);
    lieder_destroy(NULL);
    /* the session is not spoilt by what went wrong */
    pendulum(lieder_model_create(session, "M", ""));
    LiederSystem *system = system_new(session, "M");
    LiederObserver *o = lieder_observer_create(system);
    static const char *const paths[] = {"",
                                        ".",
                                        "bob",
                                        "bob.",
                                        "bob.x",
                                        "bob.frame_a",
                                        "bob.frame_a.f",
                                        "der(bob.m)",
                                        "der(joint.phi",
                                        "der()",
                                        "nobody.x",
                                        "bob[1].m",
                                        "rod.r[3]",
                                        "rod.r[0]",
                                        "joint.phi.x"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        lieder_diagnostic_clear(session);
        if (lieder_observer_add(o, paths[i]) != -1)
            fail_msg("'%s' was found", paths[i]);
        assert_int_equal(lieder_diagnostic_count(session), 1);
        assert_int_equal(lieder_system_state_index(system, paths[i]), -1);
    }
    assert_int_equal(lieder_observer_count(o), 0);
    lieder_observer_destroy(o);
    double value;
    assert_int_equal(lieder_system_get(system, "bob.nothing", &value), LIEDER_BAD_USE);
    assert_int_equal(lieder_system_set(system, "bob.nothing", 1), LIEDER_BAD_USE);
    assert_int_equal(lieder_system_set(system, "bob.m", -1), LIEDER_BAD_USE);
    assert_int_equal(lieder_system_set(system, "bob.m", NAN), LIEDER_BAD_USE);
    assert_int_equal(lieder_system_get(system, "bob.m", &value), LIEDER_DONE);
    assert_true(value == 1);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* what was made ready without coupling, or with a check, stays so */
static void settings_that_change_the_structure(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederModel *m = lieder_model_create(session, "M", "");
    lieder_model_add(m, "world", "World");
    lieder_model_add(m, "two", "Examples.TwoMasses");
    lieder_model_add(m, "fixed", "Rotational.Fixed");
    lieder_model_add(m, "joint", "Rotational.Joint");
    lieder_model_add(m, "gear", "Rotational.IdealGear");
    lieder_model_add(m, "mass", "Rotational.Inertia");
    lieder_model_connect(m, "fixed.flange_b", "joint.flange_a");
    lieder_model_connect(m, "joint.flange_b", "gear.flange_a");
    lieder_model_connect(m, "gear.flange_b", "mass.flange_a");
    lieder_model_set(m, "world.TD", 0);
    LiederSystem *system = system_new(session, "M");
    assert_int_equal(lieder_system_set(system, "two.spring.TD", 1e-3), LIEDER_BAD_USE);
    assert_int_equal(lieder_system_set(system, "two.spring.damped", 0), LIEDER_BAD_USE);
    assert_int_equal(lieder_system_set(system, "gear.ratio", 0), LIEDER_BAD_USE);
    assert_int_equal(lieder_system_set(system, "gear.ratio", 2), LIEDER_DONE);
    assert_int_equal(lieder_system_set(system, "two.joint1.TD", 1e-3), LIEDER_DONE);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ at run time */

/* a point mass slides along a turning arm: at s = 0 nothing resists the turning */
static void build_arm(LiederModel *m)
{
    lieder_model_add(m, "fixed", "Planar.Fixed");
    lieder_model_add(m, "turn", "Planar.Revolute");
    lieder_model_add(m, "slide", "Planar.Prismatic");
    lieder_model_add(m, "mass", "Planar.Body");
    lieder_model_set_vector(m, "slide.r", (double[]){1, 0}, 2);
    lieder_model_set(m, "slide.s", 1);
    lieder_model_connect(m, "fixed.frame", "turn.frame_a");
    lieder_model_connect(m, "turn.frame_b", "slide.frame_a");
    lieder_model_connect(m, "slide.frame_b", "mass.frame_a");
}

static void singular_at_run_time(void **state)
{
    (void)state;
    for (int method = LIEDER_METHOD_TREE; method <= LIEDER_METHOD_PROBE; method++) {
        Lieder *session = session_new();
        build_arm(lieder_model_create(session, "Arm", ""));
        LiederModel *m = lieder_model_create(session, "M", "");
        lieder_model_add_array(m, "arm", "Arm", 20);
        LiederSystem *system =
            system_new_with(session, "M", (LiederSystemOptions){.method = (LiederMethod)method});
        double *x = state_new(system), *dx = state_new(system);
        derivatives(session, system, 0, x, dx);
        x[state_at(system, "arm[13].slide.s")] = 0;
        assert_int_equal(lieder_system_derivatives(system, 0.25, x, dx), LIEDER_SINGULAR);
        assert_says(session, (Expected){"arm[13].turn", "singular"});
        LiederObserver *o = lieder_observer_create(system);
        double value;
        assert_int_equal(lieder_observer_add(o, "arm[13].turn.z"), 0);
        assert_int_equal(lieder_observer_evaluate(o, 0.25, x, &value), LIEDER_SINGULAR);
        lieder_observer_destroy(o);
        /* and it goes on when the state is a good one again */
        x[state_at(system, "arm[13].slide.s")] = -1;
        lieder_diagnostic_clear(session);
        derivatives(session, system, 0.25, x, dx);
        assert_int_equal(lieder_diagnostic_count(session), 0);
        lieder_system_destroy(system);
        lieder_destroy(session);
        free(x);
        free(dx);
    }
}

static void not_finite_at_run_time(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederModel *m = lieder_model_create(session, "M", "");
    lieder_model_add_array(m, "crab", "Examples.CraneCrab", 10);
    LiederSystem *system = system_new(session, "M");
    double *x = state_new(system), *dx = state_new(system);
    static const double bad[] = {NAN, INFINITY, -INFINITY, 1e300};
    for (int i = 0; i < 4; i++) {
        lieder_diagnostic_clear(session);
        lieder_system_start(system, x);
        x[state_at(system, "crab[7].revolute.w")] = bad[i];
        LiederStatus status = lieder_system_derivatives(system, 0.5, x, dx);
        if (status >= 0)
            fail_msg("w = %g gives status %d", bad[i], (int)status);
        assert_true(contains(lieder_diagnostic_get(session, 0)->path, "crab[7]."));
    }
    lieder_system_start(system, x);
    derivatives(session, system, 0, x, dx);
    lieder_system_destroy(system);
    lieder_destroy(session);
    free(x);
    free(dx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pendulum_is_right),
        cmocka_unit_test(two_domains),
        cmocka_unit_test(open_port),
        cmocka_unit_test(no_way_to_a_root),
        cmocka_unit_test(rigid_loop),
        cmocka_unit_test(link_on_itself),
        cmocka_unit_test(parallel_links),
        cmocka_unit_test(two_roots),
        cmocka_unit_test(fixed_at_both_ends),
        cmocka_unit_test(no_inertia),
        cmocka_unit_test(point_mass_on_the_axis),
        cmocka_unit_test(no_mass),
        cmocka_unit_test(endless_mass),
        cmocka_unit_test(inner_joint_is_not_blamed),
        cmocka_unit_test(negative_mass),
        cmocka_unit_test(not_finite),
        cmocka_unit_test(missing_value),
        cmocka_unit_test(zero_direction),
        cmocka_unit_test(outside_the_range),
        cmocka_unit_test(wrong_lane),
        cmocka_unit_test(wrong_check_in_a_lane),
        cmocka_unit_test(switch_by_lane),
        cmocka_unit_test(friction_curve),
        cmocka_unit_test(wrong_tables),
        cmocka_unit_test(table_is_no_number),
        cmocka_unit_test(unknown_names),
        cmocka_unit_test(duplicate_names),
        cmocka_unit_test(names_that_are_none),
        cmocka_unit_test(malformed_paths),
        cmocka_unit_test(wrong_vectors),
        cmocka_unit_test(two_worlds),
        cmocka_unit_test(contains_itself),
        cmocka_unit_test(recursion),
        cmocka_unit_test(template_argument),
        cmocka_unit_test(array_out_of_reach),
        cmocka_unit_test(algebraic_loop),
        cmocka_unit_test(outputs_meet),
        cmocka_unit_test(inputs_meet),
        cmocka_unit_test(everything_at_once),
        cmocka_unit_test(wrong_calls),
        cmocka_unit_test(settings_that_change_the_structure),
        cmocka_unit_test(singular_at_run_time),
        cmocka_unit_test(not_finite_at_run_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
