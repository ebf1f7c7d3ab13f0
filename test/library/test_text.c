/* test_text.c - classes of the library that are Modelica text (library/Planar.mo) against the same
 * classes in C (planar_oracle.h): ports, members, derivatives and energies. */
#define LIEDER_LANES 1 /* classes in C that are compiled here have a scalar variant */
#include <string.h>

#include <lieder/energy.h>
#include <lieder/lieder.h>

#include "library/planar_oracle.h"

/* models are built twice: from the library, and with what the oracle has in place of it */
static bool use_oracle;
static const char *class_to_add(const char *class_)
{
    for (int i = 0; i < LIEDER_COUNT(planar_oracle); i++)
        if (use_oracle && strncmp(class_, "Planar.", 7) == 0 &&
            strcmp(strchr(planar_oracle[i].name, '.'), strchr(class_, '.')) == 0)
            return planar_oracle[i].name;
    return class_;
}
#define lieder_model_add(model, name, class_) lieder_model_add(model, name, class_to_add(class_))

#include "help/random_model.h"
#include "model/session.h"

static Lieder *begin(void)
{
    Lieder *session = session_new();
    assert_int_equal(planar_oracle_register(session), LIEDER_DONE);
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
    assert_int_equal(a->structural, b->structural);
    if (a->kind == LIEDER_PARAMETER) {
        assert_int_equal(a->length, b->length);
        same_number(a->min, b->min);
        same_number(a->max, b->max);
    }
    if (a->kind == LIEDER_PARAMETER || a->kind == LIEDER_STATE)
        same_number(a->fallback, b->fallback);
}

static void classes_tell_the_same(void **state)
{
    (void)state;
    Lieder *session = begin();
    for (int i = 0; i < LIEDER_COUNT(planar_oracle); i++) {
        const LiederClassDef *c = &planar_oracle[i];
        char name[64];
        snprintf(name, sizeof name, "Planar%s", strchr(c->name, '.'));
        const LiederClass *found = lieder_class_find(session, name);
        assert_non_null(found);
        const LiederClassDef *text = found->def;
        same_text(text->text, c->text);
        assert_int_equal(text->nport, c->nport);
        assert_int_equal(text->nmember, c->nmember);
        assert_int_equal(text->kernels->reversible, c->kernels->reversible);
        assert_int_equal(text->kernels->energy != NULL, c->kernels->energy != NULL);
        assert_int_equal(text->check != NULL, c->check != NULL);
        for (int k = 0; k < c->nport; k++) {
            assert_string_equal(text->ports[k].name, c->ports[k].name);
            assert_ptr_equal(text->ports[k].domain, c->ports[k].domain);
            assert_int_equal(text->ports[k].role, c->ports[k].role);
            assert_int_equal(text->ports[k].optional, c->ports[k].optional);
        }
        for (int k = 0; k < c->nmember; k++)
            same_member(&text->members[k], &c->members[k]);
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
                           .loops = seed % 3 == 0,
                           .stiffness = 100,
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_tell_the_same),
        cmocka_unit_test(numbers_are_checked),
        cmocka_unit_test(random_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
