/* test_text.c - classes of the library that are Modelica text (library/Planar.mo, Translational.mo,
 * Rotational.mo) against the same classes in C (planar_oracle.h, line_oracle.h): ports, members,
 * derivatives and energies. */
#define LIEDER_LANES 1 /* classes in C that are compiled here have a scalar variant */
#include <string.h>

#include <lieder/energy.h>
#include <lieder/lieder.h>

#include "library/line_oracle.h"
#include "library/planar_oracle.h"
#include "library/signals_oracle.h"

static const struct {
    const LiederClassDef *classes;
    int n;
} oracles[] = {{planar_oracle, LIEDER_COUNT(planar_oracle)},
               {line_oracle, LIEDER_COUNT(line_oracle)},
               {signals_oracle, LIEDER_COUNT(signals_oracle)}};

/* models are built twice: from the library, and with what the oracle has in place of it */
static bool use_oracle;
static const char *class_to_add(const char *class_)
{
    for (int k = 0; use_oracle && k < LIEDER_COUNT(oracles); k++)
        for (int i = 0; i < oracles[k].n; i++)
            if (strcmp(oracles[k].classes[i].name + strlen("Oracle"), class_) == 0)
                return oracles[k].classes[i].name;
    return class_;
}
#define lieder_model_add(model, name, class_) lieder_model_add(model, name, class_to_add(class_))

#include "help/random_model.h"
#include "model/class/session.h"

static Lieder *begin(void)
{
    Lieder *session = session_new();
    assert_int_equal(planar_oracle_register(session), LIEDER_DONE);
    assert_int_equal(line_oracle_register(session), LIEDER_DONE);
    assert_int_equal(signals_oracle_register(session), LIEDER_DONE);
    return session;
}

/* ------------------------------------------------------------------ what a class tells of itself
 */

static void same_text(const char *a, const char *b)
{
    assert_string_equal(a ? a : "", b ? b : "");
}

static void same_number(double a, double b)
{
    assert_true(a == b || (isnan(a) && isnan(b)));
}

static void same_member(const LiederMember *a, const LiederMember *b)
{
    assert_int_equal(a->kind, b->kind);
    same_text(a->name, b->name);
    same_text(a->unit, b->unit);
    same_text(a->text, b->text);
    same_text(a->environment, b->environment);
    same_text(a->only_if, b->only_if);
    assert_int_equal(a->structural, b->structural);
    if (a->kind == LIEDER_PARAMETER) {
        assert_int_equal(a->length, b->length);
        same_number(a->min, b->min);
        same_number(a->max, b->max);
    }
    if (a->kind == LIEDER_PARAMETER || a->kind == LIEDER_STATE)
        same_number(a->fallback, b->fallback);
}

/* members of one kind in their order; an unknown and what is observed are distinguished by it */
static const LiederMember *member_of(const LiederClassDef *c, LiederMemberKind kind, int n)
{
    for (int i = 0; i < c->nmember; i++)
        if (c->members[i].kind == kind && n-- == 0)
            return &c->members[i];
    return NULL;
}

static void tells_the_same(const LiederClassDef *text, const LiederClassDef *c)
{
    same_text(text->text, c->text);
    assert_int_equal(text->nport, c->nport);
    assert_int_equal(text->nmember, c->nmember);
    assert_int_equal(text->kernels->reversible, c->kernels->reversible);
    assert_int_equal(text->kernels->energy != NULL, c->kernels->energy != NULL);
    assert_int_equal(text->kernels->inward[0].run != NULL, c->kernels->inward[0].run != NULL);
    assert_int_equal(text->check != NULL, c->check != NULL);
    assert_int_equal(text->uses_time, c->uses_time);
    assert_int_equal(text->next_time != NULL, c->next_time != NULL);
    for (int k = 0; k < c->nport; k++) {
        assert_string_equal(text->ports[k].name, c->ports[k].name);
        assert_ptr_equal(text->ports[k].domain, c->ports[k].domain);
        assert_int_equal(text->ports[k].role, c->ports[k].role);
        assert_int_equal(text->ports[k].optional, c->ports[k].optional);
        same_text(text->ports[k].text, c->ports[k].text);
    }
    for (int kind = 0; kind <= LIEDER_HISTORY; kind++)
        for (int k = 0; member_of(c, (LiederMemberKind)kind, k); k++) {
            const LiederMember *m = member_of(text, (LiederMemberKind)kind, k);
            assert_non_null(m);
            same_member(m, member_of(c, (LiederMemberKind)kind, k));
        }
}

static void classes_tell_the_same(void **state)
{
    (void)state;
    Lieder *session = begin();
    for (int k = 0; k < LIEDER_COUNT(oracles); k++)
        for (int i = 0; i < oracles[k].n; i++) {
            const LiederClassDef *c = &oracles[k].classes[i];
            const LiederClass *found = lieder_class_find(session, c->name + strlen("Oracle"));
            assert_non_null(found);
            tells_the_same(found->def, c);
        }
    lieder_destroy(session);
}

/* which switches and time constants let the two sides of an element answer to each other */
static void elements_couple_alike(void **state)
{
    (void)state;
    Lieder *session = begin();
    for (int k = 0; k < LIEDER_COUNT(oracles); k++)
        for (int i = 0; i < oracles[k].n; i++) {
            const LiederClassDef *c = &oracles[k].classes[i];
            const LiederClassDef *text =
                lieder_class_find(session, c->name + strlen("Oracle"))->def;
            double numbers[16] = {0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
            for (int n = 0; c->couples && n < 4; n++) {
                numbers[0] = n & 1 ? 1e-3 : 0;
                numbers[1] = n >> 1;
                assert_non_null(text->couples);
                assert_int_equal(text->couples(numbers), c->couples(numbers));
            }
        }
    lieder_destroy(session);
}

static void sources_know_their_instants(void **state)
{
    (void)state;
    Lieder *session = begin();
    static const double numbers[] = {1.5, 0.75, 0.5, 0.25, -0.125};
    for (int i = 0; i < LIEDER_COUNT(signals_oracle); i++) {
        const LiederClassDef *c = &signals_oracle[i];
        const LiederClassDef *text = lieder_class_find(session, c->name + strlen("Oracle"))->def;
        for (double t = -1; c->next_time && t < 3; t += 0.125) {
            double next = text->next_time(numbers, NULL, t);
            assert_true(next == c->next_time(numbers, NULL, t));
            assert_true(next > t);
        }
    }
    lieder_destroy(session);
}

static void numbers_are_checked(void **state)
{
    (void)state;
    Lieder *session = begin();
    const LiederClassDef *slide = lieder_class_find(session, "Planar.Prismatic")->def;
    assert_null(slide->check((double[]){1e-3, 0, 2}));
    assert_null(slide->check((double[]){0, 1, 0}));
    assert_string_equal(slide->check((double[]){1e-3, 0, 0}), "the direction r must not be zero");
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ derivatives and energies */

enum { STATES = 40, SEEDS = 25 }; /* 1000 states in all */

/* the largest difference, in relation to the largest derivative of the state at hand */
static double compare(Lieder *session, LiederSystem *a, LiederSystem *b, uint64_t seed,
                      size_t *equal, size_t *all)
{
    size_t n = lieder_system_state_count(a);
    double *x = malloc((n + 1) * sizeof *x), *da = malloc((n + 1) * sizeof *x),
           *db = malloc((n + 1) * sizeof *x), worst = 0;
    assert_int_equal(n, lieder_system_state_count(b));
    for (int k = 0; k < STATES; k++) {
        random_fill(&seed, x, n, -2, 2);
        derivatives(session, a, 0.25, x, da);
        derivatives(session, b, 0.25, x, db);
        double size = 1;
        for (size_t i = 0; i < n; i++)
            size = fmax(size, fabs(da[i]));
        for (size_t i = 0; i < n; i++) {
            worst = fmax(worst, fabs(da[i] - db[i]) / size);
            *equal += da[i] == db[i];
        }
        *all += n;
    }
    LiederEnergy ea, eb;
    assert_int_equal(lieder_system_energy(a, 0.25, x, &ea), LIEDER_DONE);
    assert_int_equal(lieder_system_energy(b, 0.25, x, &eb), LIEDER_DONE);
    double energy = fabs(ea.kinetic) + fabs(ea.potential) + fabs(ea.filter) + 1;
    assert_true(fabs(ea.kinetic - eb.kinetic) < 1e-11 * energy);
    assert_true(fabs(ea.potential - eb.potential) < 1e-11 * energy);
    assert_true(fabs(ea.filter - eb.filter) < 1e-9 * energy);
    assert_true(fabs(ea.dissipated - eb.dissipated) < 1e-9 * energy);
    assert_true(fabs(ea.supplied - eb.supplied) < 1e-9 * energy);
    free(x);
    free(da);
    free(db);
    return worst;
}

static void random_models(void **state)
{
    (void)state;
    Lieder *session = begin();
    double worst = 0;
    size_t equal = 0, all = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        char text[16], oracle[16];
        RandomOptions o = {.joints = 1 + seed % 7,
                           .loops = seed % 4,
                           .stiffness = 100,
                           .damped = seed % 2,
                           .time_constant = seed % 5 ? 1e-2 : 0};
        snprintf(text, sizeof text, "T%d", (int)seed);
        snprintf(oracle, sizeof oracle, "O%d", (int)seed);
        random_model(session, text, seed, o);
        use_oracle = true;
        random_model(session, oracle, seed, o);
        use_oracle = false;
        LiederSystem *a = system_new(session, text), *b = system_new(session, oracle);
        worst = fmax(worst, compare(session, a, b, seed, &equal, &all));
        lieder_system_destroy(a);
        lieder_system_destroy(b);
    }
    print_message("           largest difference %.1e, %.0f %% of the bits equal\n", worst,
                  100.0 * (double)equal / (double)all);
    assert_true(worst < 1e-12);
    lieder_destroy(session);
}

/* what random models have none of: friction, contact, sources, sensors, a constraint */
static void build_rest(Lieder *session, const char *name, double TD)
{
    static const char *const parts[][2] = {{"t0", "Translational.Fixed"},
                                           {"t1", "Translational.Joint"},
                                           {"m1", "Translational.Body"},
                                           {"t2", "Translational.Joint"},
                                           {"m2", "Translational.Body"},
                                           {"dry", "Translational.DryFriction"},
                                           {"spring", "Translational.Spring"},
                                           {"push", "Translational.Force"},
                                           {"see", "Translational.PositionSensor"},
                                           {"plain", "Translational.PositionSensor"},
                                           {"square", "Translational.SquareLink"},
                                           {"m3", "Translational.Body"},
                                           {"r0", "Rotational.Fixed"},
                                           {"r1", "Rotational.Joint"},
                                           {"j1", "Rotational.Inertia"},
                                           {"rub", "Rotational.DryFriction"},
                                           {"wind", "Rotational.Spring"},
                                           {"twist", "Rotational.Torque"},
                                           {"turn", "Rotational.AngleSensor"},
                                           {"p0", "Planar.Fixed"},
                                           {"free", "Planar.FreeMotion"},
                                           {"body", "Planar.Body"},
                                           {"force", "Planar.WorldForce"},
                                           {"at", "Planar.PositionSensor"},
                                           {"wall", "Planar.WallSensor"},
                                           {"lever_a", "Planar.Lever"},
                                           {"lever_b", "Planar.Lever"},
                                           {"touch", "Planar.Touch"},
                                           {"k", "Signals.Constant"},
                                           {"step", "Signals.Step"},
                                           {"ramp", "Signals.Ramp"},
                                           {"sine", "Signals.Sine"},
                                           {"gain", "Signals.Gain"},
                                           {"add", "Signals.Add"}};
    static const char *const connections[][2] = {{"t0.flange_b", "t1.flange_a"},
                                                 {"t1.flange_b", "m1.flange_a"},
                                                 {"t1.flange_b", "t2.flange_a"},
                                                 {"t2.flange_b", "m2.flange_a"},
                                                 {"t1.flange_b", "dry.flange_a"},
                                                 {"t2.flange_b", "dry.flange_b"},
                                                 {"t1.support", "spring.flange_a"},
                                                 {"t1.axis", "spring.flange_b"},
                                                 {"t2.flange_b", "push.flange"},
                                                 {"t2.flange_b", "see.flange"},
                                                 {"t1.flange_b", "plain.flange"},
                                                 {"see.y", "push.f"},
                                                 {"t1.flange_b", "square.flange_a"},
                                                 {"square.flange_b", "m3.flange_a"},
                                                 {"r0.flange_b", "r1.flange_a"},
                                                 {"r1.flange_b", "j1.flange_a"},
                                                 {"r0.flange_b", "rub.flange_a"},
                                                 {"r1.flange_b", "rub.flange_b"},
                                                 {"r0.flange_b", "wind.flange_a"},
                                                 {"r1.flange_b", "wind.flange_b"},
                                                 {"r1.flange_b", "twist.flange"},
                                                 {"r1.flange_b", "turn.flange"},
                                                 {"plain.y", "twist.tau"},
                                                 {"turn.y", "t1.f_ext"},
                                                 {"p0.frame", "free.frame_a"},
                                                 {"free.frame_b", "body.frame_a"},
                                                 {"body.frame_a", "force.frame"},
                                                 {"body.frame_a", "at.frame"},
                                                 {"at.phi", "force.fx"},
                                                 {"at.x", "force.t"},
                                                 {"p0.frame", "wall.frame_a"},
                                                 {"body.frame_a", "wall.frame_b"},
                                                 {"p0.frame", "lever_a.frame_a"},
                                                 {"body.frame_a", "lever_b.frame_a"},
                                                 {"wall.x", "lever_a.x"},
                                                 {"wall.y", "lever_a.y"},
                                                 {"wall.x", "lever_b.x"},
                                                 {"wall.y", "lever_b.y"},
                                                 {"lever_a.frame_b", "touch.frame_a"},
                                                 {"lever_b.frame_b", "touch.frame_b"},
                                                 {"wall.phi", "touch.phi"},
                                                 {"wall.gap", "touch.gap"},
                                                 {"k.y", "gain.u"},
                                                 {"gain.y", "add.u1"},
                                                 {"sine.y", "add.u2"},
                                                 {"add.y", "t2.f_ext"},
                                                 {"ramp.y", "r1.tau_ext"},
                                                 {"step.y", "force.fy"}};
    LiederModel *m = lieder_model_create(session, name, "");
    lieder_model_add(m, "world", "World");
    lieder_model_set(m, "world.TD", TD);
    lieder_model_set(m, "world.damped", 1);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        lieder_model_add(m, parts[i][0], parts[i][1]);
    for (size_t i = 0; i < sizeof connections / sizeof *connections; i++)
        lieder_model_connect(m, connections[i][0], connections[i][1]);
    lieder_model_set(m, "see.filtered", 1);
    lieder_model_set(m, "dry.vSlide", 1);
    lieder_model_set(m, "rub.wSlide", 0.5);
    lieder_model_set(m, "spring.c", 30);
    lieder_model_set(m, "wind.c", 20);
    lieder_model_set(m, "square.k", 0.3);
    lieder_model_set(m, "body.I", 0.2);
    lieder_model_set_vector(m, "wall.n", (double[]){0.5, 1}, 2);
    lieder_model_set(m, "wall.radius", 0.5);
    lieder_model_set(m, "touch.c", 50);
    lieder_model_set(m, "touch.d", 2);
    lieder_model_set(m, "touch.mu_A", 0.8);
    lieder_model_set(m, "touch.mu_S", 0.5);
    lieder_model_set(m, "gain.k", 1.3);
    lieder_model_set(m, "add.k2", -0.7);
    lieder_model_set(m, "ramp.startTime", -0.6);
    lieder_model_set(m, "sine.f", 3);
    lieder_model_set(m, "step.startTime", 0.25);
}

static void other_classes(void **state)
{
    (void)state;
    Lieder *session = begin();
    for (int k = 0; k < 2; k++) {
        size_t equal = 0, all = 0;
        build_rest(session, k ? "T1" : "T0", 1e-2 * k);
        use_oracle = true;
        build_rest(session, k ? "O1" : "O0", 1e-2 * k);
        use_oracle = false;
        LiederSystem *a = system_new(session, k ? "T1" : "T0"),
                     *b = system_new(session, k ? "O1" : "O0");
        double worst = compare(session, a, b, 3, &equal, &all);
        print_message("           largest difference %.1e, %.0f %% of the bits equal\n", worst,
                      100.0 * (double)equal / (double)all);
        assert_true(worst < 1e-12);
        lieder_system_destroy(a);
        lieder_system_destroy(b);
    }
    lieder_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_tell_the_same),
        cmocka_unit_test(elements_couple_alike),
        cmocka_unit_test(sources_know_their_instants),
        cmocka_unit_test(numbers_are_checked),
        cmocka_unit_test(random_models),
        cmocka_unit_test(other_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
