/* test_lanes.c - one lane gives the same bits as a thousand, whatever the instruction set and
 * the length of strips, with equal and with unequal parameters. */
#include "help/random_model.h"

static const LiederIsa isas[] = {LIEDER_ISA_SCALAR, LIEDER_ISA_SSE2, LIEDER_ISA_AVX2,
                                 LIEDER_ISA_AVX512};

/* what the lanes of an array are made of */
typedef struct Case {
    const char *class_;
    const char *each[3]; /* parameters that differ between the lanes in the second round */
    double low[3], high[3];
} Case;

/* friction, gap, gear, loop, motor and table on few components */
static void build_workshop(Lieder *session)
{
    LiederModel *m = lieder_model_create(session, "Workshop", "one of everything");
    lieder_model_add(m, "fixed", "Planar.Fixed");
    lieder_model_add(m, "slide", "Planar.Prismatic");
    lieder_model_add(m, "cart", "Planar.Body");
    lieder_model_add(m, "turn", "Planar.Revolute");
    lieder_model_add(m, "arm", "Planar.FixedTranslation");
    lieder_model_add(m, "tip", "Planar.Body");
    lieder_model_add(m, "fly", "Planar.FreeMotion");
    lieder_model_add(m, "bird", "Planar.Body");
    lieder_model_add(m, "band", "Planar.SpringDamper");
    lieder_model_add(m, "limit", "Translational.ElastoGap");
    lieder_model_add(m, "brake", "Rotational.DryFriction");
    lieder_model_add(m, "motor", "Rotational.Torque");
    lieder_model_add(m, "wave", "Signals.Sine");
    lieder_model_add(m, "plan", "Signals.TimeTable");
    lieder_model_add(m, "mix", "Signals.Add");
    lieder_model_set_vector(m, "slide.r", (double[]){1, 0.5}, 2);
    lieder_model_set_vector(m, "arm.r", (double[]){0.3, -0.7}, 2);
    lieder_model_set(m, "bird.I", 0.5);
    lieder_model_set(m, "tip.I", 0.1);
    lieder_model_set(m, "limit.c", 100);
    lieder_model_set_vector(m, "plan.table", (double[]){0, 0, 1, 2, 1, -1, 4, 3}, 8);
    lieder_model_connect(m, "fixed.frame", "slide.frame_b");
    lieder_model_connect(m, "slide.frame_a", "cart.frame_a");
    lieder_model_connect(m, "slide.frame_a", "turn.frame_a");
    lieder_model_connect(m, "turn.frame_b", "arm.frame_a");
    lieder_model_connect(m, "arm.frame_b", "tip.frame_a");
    lieder_model_connect(m, "fixed.frame", "fly.frame_a");
    lieder_model_connect(m, "fly.frame_b", "bird.frame_a");
    lieder_model_connect(m, "bird.frame_a", "band.frame_a");
    lieder_model_connect(m, "band.frame_b", "tip.frame_a");
    lieder_model_connect(m, "slide.support", "limit.flange_a");
    lieder_model_connect(m, "slide.flange_a", "limit.flange_b");
    lieder_model_connect(m, "turn.support", "brake.flange_a");
    lieder_model_connect(m, "turn.flange_a", "brake.flange_b");
    lieder_model_connect(m, "motor.flange", "turn.flange_a");
    lieder_model_connect(m, "wave.y", "mix.u1");
    lieder_model_connect(m, "plan.y", "mix.u2");
    lieder_model_connect(m, "mix.y", "motor.tau");
}

/* a model with an array of n of the class */
static void build_fleet(Lieder *session, const char *name, const Case *c, size_t n, bool unequal)
{
    LiederModel *m = lieder_model_create(session, name, "");
    lieder_model_add_array(m, "unit", c->class_, n);
    for (int k = 0; k < 3 && unequal && c->each[k]; k++) {
        double *values = malloc(n * sizeof *values);
        uint64_t seed = 77 + (uint64_t)k;
        char path[64];
        random_fill(&seed, values, n, c->low[k], c->high[k]);
        snprintf(path, sizeof path, "unit.%s", c->each[k]);
        lieder_model_set_each(m, path, values, n);
        free(values);
    }
}

/* the derivatives of a fleet, state by state and lane by lane */
static double *fleet_derivatives(Lieder *session, const char *name, size_t lanes,
                                 LiederSystemOptions options, size_t *nstate)
{
    LiederSystem *system = system_new_with(session, name, options);
    size_t n = lieder_system_state_count(system);
    double *x = malloc(n * sizeof *x), *dx = malloc(n * sizeof *dx);
    /* the state of lane l depends on l alone: lanes of any fleet look the same */
    size_t first = 0;
    *nstate = n / lanes;
    for (size_t s = 0; s < *nstate; s++)
        for (size_t l = 0; l < lanes; l++, first++) {
            uint64_t seed = 1000003 * l + s;
            x[first] = random_between(&seed, -1, 1);
        }
    derivatives(session, system, 0.75, x, dx);
    lieder_system_destroy(system);
    free(x);
    return dx;
}

static void compare(const double *a, size_t a_lanes, const double *b, size_t b_lanes, size_t nstate,
                    const char *what, const char *class_)
{
    size_t lanes = a_lanes < b_lanes ? a_lanes : b_lanes;
    for (size_t s = 0; s < nstate; s++)
        if (memcmp(a + s * a_lanes, b + s * b_lanes, lanes * sizeof *a) != 0)
            for (size_t l = 0; l < lanes; l++)
                if (memcmp(a + s * a_lanes + l, b + s * b_lanes + l, sizeof *a) != 0)
                    fail_msg("%s, %s: derivative %zu of lane %zu is %.17g here and %.17g there",
                             class_, what, s, l, a[s * a_lanes + l], b[s * b_lanes + l]);
}

static void check_case(const Case *c)
{
    Lieder *session = session_new();
    enum { MANY = 1000 };
    build_workshop(session);
    random_model(session, "Tree", 11, (RandomOptions){.joints = 8, .time_constant = 1e-3});
    random_model(
        session, "Loops", 12,
        (RandomOptions){
            .joints = 8, .loops = 4, .damped = 1, .stiffness = 1e6, .time_constant = 1e-3});
    build_fleet(session, "One", c, 1, false);
    build_fleet(session, "Many", c, MANY, false);
    build_fleet(session, "Odd", c, 13, false);
    build_fleet(session, "Each", c, MANY, true);
    size_t n = 0, n_one = 0;
    double *many = fleet_derivatives(session, "Many", MANY,
                                     (LiederSystemOptions){.isa = LIEDER_ISA_SCALAR}, &n);
    double *each = fleet_derivatives(session, "Each", MANY,
                                     (LiederSystemOptions){.isa = LIEDER_ISA_SCALAR}, &n_one);
    assert_int_equal(n, n_one);
    if (c->each[0])
        assert_memory_not_equal(many, each, n * MANY * sizeof *many);
    for (int i = 0; i < 4; i++)
        for (int strip = 0; strip <= 40; strip += strip ? 39 : 1) {
            LiederSystemOptions o = {.isa = isas[i], .strip = strip};
            char what[64];
            snprintf(what, sizeof what, "isa %d, strip %d", (int)isas[i], strip);
            struct {
                const char *name;
                size_t lanes;
                const double *like;
            } fleets[] = {
                {"One", 1, many}, {"Odd", 13, many}, {"Many", MANY, many}, {"Each", MANY, each}};
            for (int f = 0; f < 4; f++) {
                double *dx = fleet_derivatives(session, fleets[f].name, fleets[f].lanes, o, &n);
                compare(dx, fleets[f].lanes, fleets[f].like, MANY, n, what, c->class_);
                free(dx);
            }
        }
    free(many);
    free(each);
    lieder_destroy(session);
}

static void crane_crab(void **state)
{
    (void)state;
    check_case(&(Case){
        "Examples.CraneCrab", {"cart.m", "rod.r[2]", "revolute.TD"}, {1, -2, 0}, {3, -1, 1e-2}});
}

static void chain(void **state)
{
    (void)state;
    check_case(&(Case){"Examples.Chain", {NULL}, {0}, {0}});
}

static void workshop(void **state)
{
    (void)state;
    check_case(&(Case){"Workshop", {"limit.c", "band.c_x", "slide.r[1]"}, {1, 1, 0.5}, {9, 9, 2}});
}

static void random_tree(void **state)
{
    (void)state;
    check_case(&(Case){"Tree", {"p0.phi", NULL}, {-1}, {1}});
}

static void random_loops(void **state)
{
    (void)state;
    check_case(&(Case){"Loops", {"p0.phi", "t0.s"}, {-1, -1}, {1, 1}});
}

/* the sparse method goes lane by lane, and must give each lane its own numbers */
static void sparse_lanes(void **state)
{
    (void)state;
    Lieder *session = session_new();
    Case c = {"Workshop", {"limit.c", "band.c_x", "slide.r[1]"}, {1, 1, 0.5}, {9, 9, 2}};
    size_t n = 0;
    build_workshop(session);
    build_fleet(session, "Each", &c, 100, true);
    double *tree = fleet_derivatives(session, "Each", 100,
                                     (LiederSystemOptions){.method = LIEDER_METHOD_TREE}, &n);
    double *sparse = fleet_derivatives(session, "Each", 100,
                                       (LiederSystemOptions){.method = LIEDER_METHOD_SPARSE}, &n);
    for (size_t i = 0; i < 100 * n; i++) /* two methods: rounding apart */
        assert_near(sparse[i], tree[i], 1e-10 * (1 + fabs(tree[i])));
    free(tree);
    free(sparse);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ one parameter at a time */

/* constants that hand each other on: what is rigidly fixed, and signals that never change */
static void build_rigid(Lieder *session)
{
    LiederModel *m = lieder_model_create(session, "Rigid", "constants in a row");
    lieder_model_add(m, "fixed", "Planar.Fixed");
    lieder_model_add(m, "bar", "Planar.FixedTranslation");
    lieder_model_add(m, "bend", "Planar.FixedRotation");
    lieder_model_add(m, "turn", "Planar.Revolute");
    lieder_model_add(m, "arm", "Planar.FixedTranslation");
    lieder_model_add(m, "tip", "Planar.Body");
    lieder_model_add(m, "level", "Signals.Constant");
    lieder_model_add(m, "gain", "Signals.Gain");
    lieder_model_add(m, "mix", "Signals.Add");
    lieder_model_add(m, "motor", "Rotational.Torque");
    lieder_model_set_vector(m, "bar.r", (double[]){0.3, -0.7}, 2);
    lieder_model_set_vector(m, "arm.r", (double[]){0.3, -0.7}, 2);
    lieder_model_set(m, "bend.alpha", 0.3);
    lieder_model_set(m, "tip.I", 0.1);
    lieder_model_set(m, "level.k", 0.6);
    lieder_model_set(m, "gain.k", 1.5);
    lieder_model_connect(m, "fixed.frame", "bar.frame_a");
    lieder_model_connect(m, "bar.frame_b", "bend.frame_a");
    lieder_model_connect(m, "bend.frame_b", "turn.frame_a");
    lieder_model_connect(m, "turn.frame_b", "arm.frame_a");
    lieder_model_connect(m, "arm.frame_b", "tip.frame_a");
    lieder_model_connect(m, "level.y", "gain.u");
    lieder_model_connect(m, "gain.y", "mix.u1");
    lieder_model_connect(m, "level.y", "mix.u2");
    lieder_model_connect(m, "mix.y", "motor.tau");
    lieder_model_connect(m, "motor.flange", "turn.flange_a");
}

enum { LANES = 11 };

/* A fleet in which one parameter differs from lane to lane against one for each of its values.
 * False: the class does not admit the values. */
static bool check_parameter(Lieder *session, const char *class_, const char *path, double value,
                            LiederMethod method)
{
    static int number;
    char name[32], each[128];
    double values[LANES];
    LiederSystemOptions o = {.method = method};
    for (int l = 0; l < LANES; l++)
        values[l] = value + 0.25 * l;
    snprintf(name, sizeof name, "Each%d", ++number);
    snprintf(each, sizeof each, "unit.%s", path);
    LiederModel *m = lieder_model_create(session, name, "");
    lieder_model_add_array(m, "unit", class_, LANES);
    lieder_model_set_each(m, each, values, LANES);
    LiederSystem *fleet = lieder_system_create(session, name, &o);
    if (!fleet) {
        lieder_diagnostic_clear(session);
        return false;
    }
    lieder_system_destroy(fleet);
    size_t n, n_one;
    double *together = fleet_derivatives(session, name, LANES, o, &n);
    for (int l = 0; l < LANES; l++) {
        snprintf(name, sizeof name, "Same%d", ++number);
        m = lieder_model_create(session, name, "");
        lieder_model_add_array(m, "unit", class_, LANES);
        lieder_model_set(m, each, values[l]);
        double *same = fleet_derivatives(session, name, LANES, o, &n_one);
        /* sparse factors choose their pivots by the numbers of the first lane */
        double most = method == LIEDER_METHOD_SPARSE ? 1e-10 : 0;
        for (size_t s = 0; s < n; s++) {
            double a = same[s * LANES + (size_t)l], b = together[s * LANES + (size_t)l];
            if (!(fabs(a - b) <= most * (1 + fabs(a))))
                fail_msg("%s.%s = %g: derivative %zu is %.17g alone and %.17g in a fleet", class_,
                         path, values[l], s, a, b);
        }
        free(same);
    }
    free(together);
    return true;
}

/* constant blocks run again where a parameter that differs can reach them, and nowhere else: no
 * parameter may be one that was thought not to reach something */
static void each_parameter_reaches_what_it_must(void **state)
{
    (void)state;
    static const struct {
        const char *model, *component, *class_;
    } cases[] = {{"Workshop", "fixed", "Planar.Fixed"},
                 {"Workshop", "slide", "Planar.Prismatic"},
                 {"Workshop", "turn", "Planar.Revolute"},
                 {"Workshop", "arm", "Planar.FixedTranslation"},
                 {"Workshop", "tip", "Planar.Body"},
                 {"Workshop", "fly", "Planar.FreeMotion"},
                 {"Workshop", "band", "Planar.SpringDamper"},
                 {"Workshop", "limit", "Translational.ElastoGap"},
                 {"Workshop", "brake", "Rotational.DryFriction"},
                 {"Workshop", "wave", "Signals.Sine"},
                 {"Workshop", "mix", "Signals.Add"},
                 {"Rigid", "fixed", "Planar.Fixed"},
                 {"Rigid", "bar", "Planar.FixedTranslation"},
                 {"Rigid", "bend", "Planar.FixedRotation"},
                 {"Rigid", "tip", "Planar.Body"},
                 {"Rigid", "level", "Signals.Constant"},
                 {"Rigid", "gain", "Signals.Gain"},
                 {"Rigid", "mix", "Signals.Add"}};
    static const LiederMethod methods[] = {LIEDER_METHOD_TREE, LIEDER_METHOD_SPARSE};
    Lieder *session = session_new();
    int ntested = 0;
    build_workshop(session);
    build_rigid(session);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        LiederSystem *one = system_new(session, cases[k].model);
        const LiederClass *class_ = lieder_class_find(session, cases[k].class_);
        for (size_t i = 0; i < lieder_class_member_count(class_); i++) {
            LiederMemberInfo member = lieder_class_member(class_, i);
            char path[64];
            double value;
            if (member.kind != LIEDER_PARAMETER || member.structural || member.length == 0)
                continue;
            snprintf(path, sizeof path, member.length > 1 ? "%s.%s[1]" : "%s.%s",
                     cases[k].component, member.name);
            assert_int_equal(lieder_system_get(one, path, &value), LIEDER_DONE);
            for (int method = 0; method < 2; method++)
                ntested += check_parameter(session, cases[k].model, path, value, methods[method]);
        }
        lieder_system_destroy(one);
    }
    assert_true(ntested > 80);
    lieder_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crane_crab),
        cmocka_unit_test(chain),
        cmocka_unit_test(workshop),
        cmocka_unit_test(random_tree),
        cmocka_unit_test(random_loops),
        cmocka_unit_test(sparse_lanes),
        cmocka_unit_test(each_parameter_reaches_what_it_must),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
