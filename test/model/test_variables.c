/* test_variables.c - the table of variables: rows, handles, names, numbers by handle. */
#include "help/engine.h"

#include <lieder/variables.h>

/* a force through constant blocks, lanes, expanded arrays, grids, a vector and ports of the model
 */
static void build(Lieder *session, size_t ncrab)
{
    LiederModel *drive = lieder_model_create(session, "Drive", "");
    lieder_model_add(drive, "level", "Signals.Constant");
    lieder_model_add(drive, "gain", "Signals.Gain");
    lieder_model_add(drive, "sum", "Signals.Add");
    lieder_model_add(drive, "fixed", "Translational.Fixed");
    lieder_model_add(drive, "joint", "Translational.Joint");
    lieder_model_add(drive, "mass", "Translational.Body");
    lieder_model_connect(drive, "fixed.flange_b", "joint.flange_a");
    lieder_model_connect(drive, "joint.flange_b", "mass.flange_a");
    lieder_model_connect(drive, "level.y", "gain.u");
    lieder_model_connect(drive, "gain.y", "sum.u1");
    lieder_model_connect(drive, "sum.y", "joint.f_ext");
    lieder_model_expose(drive, "extra", "sum.u2");
    lieder_model_expose(drive, "force", "sum.y");
    lieder_model_expose(drive, "end", "joint.flange_b");
    LiederModel *m = lieder_model_create(session, "Fleet", "");
    lieder_model_add(m, "world", "World");
    lieder_model_add_array(m, "crab", "Examples.CraneCrab", ncrab);
    lieder_model_add_grid(m, "grid", "Drive", 2, (size_t[]){2, 3});
    lieder_model_add_array(m, "pair", "Drive", 2);
    lieder_model_add_grid(m, "body", "Translational.Body", 2, (size_t[]){2, 2});
    lieder_model_add(m, "drive", "Drive");
    lieder_model_add(m, "spring", "Translational.Spring");
    lieder_model_connect(m, "pair[1].end", "spring.flange_a");
    lieder_model_connect(m, "pair[2].end", "spring.flange_b");
    for (size_t i = 0; i < 4; i++) {
        char at[32];
        snprintf(at, sizeof at, "body[%zu,%zu].flange_a", i / 2 + 1, i % 2 + 1);
        lieder_model_connect(m, "drive.end", at);
    }
    lieder_model_expose(m, "push", "drive.extra");
    lieder_model_expose(m, "pushed", "drive.force");
    lieder_model_set(m, "drive.level.k", 2);
    lieder_model_set(m, "grid[2,1].mass.m", 7);
    lieder_model_set(m, "body[1,2].m", 0.5);
}

typedef struct Table {
    Lieder *session;
    LiederSystem *system;
    double *x;
} Table;

static Table table_new(size_t ncrab)
{
    Table t = {.session = session_new()};
    build(t.session, ncrab);
    t.system = system_new(t.session, "Fleet");
    t.x = state_new(t.system);
    return t;
}

static void table_drop(Table *t)
{
    lieder_system_destroy(t->system);
    lieder_destroy(t->session);
    free(t->x);
}

static size_t row_of(const Table *t, const char *name)
{
    ptrdiff_t row = lieder_variable_find(t->system, name);
    if (row < 0)
        fail_msg("no row %s", name);
    return (size_t)row;
}

static LiederHandle handle_of(const Table *t, const char *path)
{
    LiederHandle h;
    if (lieder_handle_find(t->system, path, &h) != LIEDER_DONE)
        fail_msg("no variable %s", path);
    return h;
}

static bool same_handle(const LiederHandle *a, const LiederHandle *b)
{
    return a->element.sheet == b->element.sheet && a->element.instance == b->element.instance &&
           a->element.lane == b->element.lane && a->item == b->item && a->index == b->index;
}

/* the last diagnostic has this text */
static void assert_said(const Table *t, const char *text)
{
    size_t n = lieder_diagnostic_count(t->session);
    assert_true(n > 0);
    const LiederDiagnostic *d = lieder_diagnostic_get(t->session, n - 1);
    char all[1000];
    snprintf(all, sizeof all, "%s: %s\n%s", d->path ? d->path : "", d->message,
             d->advice ? d->advice : "");
    if (!strstr(all, text))
        fail_msg("expected \"%s\" in \"%s\"", text, all);
}

/* every row has a name that leads back to it, every element a path that leads to its handle */
static void names_lead_back(void **state)
{
    (void)state;
    Table t = table_new(3);
    size_t nrow = lieder_variable_count(t.system), nelement = 0;
    assert_true(nrow > 100);
    for (size_t i = 0; i < nrow; i++) {
        char name[128], path[128], again[128];
        LiederVariableInfo info = lieder_variable_info(t.system, i);
        lieder_variable_name(t.system, i, name, sizeof name);
        assert_int_equal(lieder_variable_find(t.system, name), i);
        size_t dim[8], n = 1;
        assert_int_equal(lieder_variable_dimensions(t.system, i, dim, 8), info.ndim);
        for (int k = 0; k < info.ndim; k++)
            n *= dim[k];
        assert_int_equal(n, info.n);
        for (size_t e = 0; e < n; e++, nelement++) {
            LiederHandle h, found;
            assert_true(lieder_variable_handle(t.system, i, e, &h));
            lieder_handle_name(t.system, &h, path, sizeof path);
            assert_int_equal(lieder_handle_find(t.system, path, &found), LIEDER_DONE);
            assert_true(same_handle(&h, &found));
            lieder_handle_name(t.system, &found, again, sizeof again);
            assert_string_equal(path, again);
        }
        LiederHandle beyond;
        assert_false(lieder_variable_handle(t.system, i, n, &beyond));
    }
    assert_true(nelement > 2 * nrow);
    assert_int_equal(lieder_diagnostic_count(t.session), 0);
    table_drop(&t);
}

/* a million crabs have the rows of three */
static void rows_do_not_grow(void **state)
{
    (void)state;
    Table few = table_new(3), many = table_new(1000000);
    size_t nrow = lieder_variable_count(few.system), dim;
    size_t before = lieder_system_info(few.system).bytes;
    assert_int_equal(lieder_variable_count(many.system), nrow);
    assert_true(before > 0);
    size_t row = row_of(&many, "crab.cart.m");
    assert_int_equal(lieder_variable_dimensions(many.system, row, &dim, 1), 1);
    assert_int_equal(dim, 1000000);
    LiederHandle h, same = handle_of(&many, "crab[777777].cart.m");
    assert_true(lieder_variable_handle(many.system, row, 777776, &h));
    assert_true(same_handle(&h, &same));
    table_drop(&few);
    table_drop(&many);
}

static void two_indices_stay(void **state)
{
    (void)state;
    Table t = table_new(3);
    size_t dim[4];
    double value;
    assert_int_equal(lieder_variable_dimensions(t.system, row_of(&t, "grid.mass.m"), dim, 4), 2);
    assert_true(dim[0] == 2 && dim[1] == 3);
    assert_int_equal(lieder_system_get(t.system, "grid[2,1].mass.m", &value), LIEDER_DONE);
    assert_near(value, 7, 0);
    assert_int_equal(lieder_system_get(t.system, "grid[1,2].mass.m", &value), LIEDER_DONE);
    assert_near(value, 1, 0);
    assert_int_equal(lieder_system_get(t.system, "body[1,2].m", &value), LIEDER_DONE);
    assert_near(value, 0.5, 0);
    /* the names of states have both, and no single index stands for two */
    size_t ngrid = 0;
    for (size_t i = 0; i < lieder_system_state_count(t.system); i++) {
        char name[128];
        lieder_system_state_name(t.system, i, name, sizeof name);
        unsigned a, b;
        ngrid += sscanf(name, "grid[%u,%u].", &a, &b) == 2;
        assert_int_equal(lieder_system_state_index(t.system, name), i);
    }
    assert_int_equal(ngrid, 2 * 6);
    assert_int_equal(lieder_system_get(t.system, "grid[4].mass.m", &value), LIEDER_BAD_USE);
    assert_said(&t, "'grid' is an array of [2,3]");
    assert_int_equal(lieder_system_get(t.system, "grid[1,4].mass.m", &value), LIEDER_BAD_USE);
    assert_said(&t, "'grid' is an array of [2,3]");
    table_drop(&t);
}

static void kinds_and_causes(void **state)
{
    (void)state;
    Table t = table_new(3);
    static const struct {
        const char *name, *unit;
        LiederVariableKind kind;
        LiederCausality causality;
        bool tunable;
    } expected[] = {
        {"crab.cart.m", "kg", LIEDER_VARIABLE_PARAMETER, LIEDER_CAUSALITY_PARAMETER, true},
        {"crab.revolute.phi", "rad", LIEDER_VARIABLE_STATE, LIEDER_CAUSALITY_LOCAL, false},
        {"der(crab.revolute.phi)", "rad/s", LIEDER_VARIABLE_DERIVATIVE, LIEDER_CAUSALITY_LOCAL,
         false},
        {"crab.load.frame_a.x", "m", LIEDER_VARIABLE_SIGNAL, LIEDER_CAUSALITY_LOCAL, false},
        {"crab.load.frame_a.fx_ki", "N", LIEDER_VARIABLE_FLOW, LIEDER_CAUSALITY_LOCAL, false},
        {"drive.gain.u", "", LIEDER_VARIABLE_SIGNAL, LIEDER_CAUSALITY_LOCAL, false},
        {"drive.sum.u2", "", LIEDER_VARIABLE_SIGNAL, LIEDER_CAUSALITY_INPUT, true},
        {"push", "", LIEDER_VARIABLE_SIGNAL, LIEDER_CAUSALITY_INPUT, true},
        {"pushed", "", LIEDER_VARIABLE_SIGNAL, LIEDER_CAUSALITY_OUTPUT, false},
        {"world.TD", "s", LIEDER_VARIABLE_PARAMETER, LIEDER_CAUSALITY_PARAMETER, false},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        LiederVariableInfo v = lieder_variable_info(t.system, row_of(&t, expected[i].name));
        if (strcmp(v.unit, expected[i].unit) != 0 || v.kind != expected[i].kind ||
            v.causality != expected[i].causality || v.tunable != expected[i].tunable)
            fail_msg("%s: unit %s, %s, causality %d, tunable %d", expected[i].name, v.unit,
                     lieder_variable_kind_text(v.kind), v.causality, v.tunable);
    }
    LiederVariableInfo v = lieder_variable_info(t.system, row_of(&t, "crab.cart.m"));
    assert_near(v.start, 2, 0);
    assert_near(v.min, 0, 0);
    assert_true(v.max == INFINITY && v.n == 3 && v.ndim == 1 && !v.alias);
    assert_true(lieder_variable_info(t.system, row_of(&t, "push")).alias);
    assert_int_equal(lieder_variable_info(t.system, row_of(&t, "crab.rod.r")).n, 6);
    table_drop(&t);
}

/* Every number that may be set, one after the other: the derivatives and outputs are those of a
 * system in which all blocks ran on that number from the beginning, bit by bit. */
static void setting_equals_building(void **state)
{
    (void)state;
    Table t = table_new(3);
    size_t n = lieder_system_state_count(t.system), ntried = 0;
    double *dx = malloc(n * sizeof *dx), *expected = malloc(n * sizeof *dx);
    uint64_t seed = 7;
    random_fill(&seed, t.x, n, -1, 1);
    for (size_t i = 0; i < lieder_variable_count(t.system); i++) {
        LiederVariableInfo info = lieder_variable_info(t.system, i);
        LiederHandle h;
        char path[128], model[32];
        double old;
        if (!info.tunable || info.alias || !lieder_variable_handle(t.system, i, info.n / 2, &h))
            continue;
        assert_int_equal(lieder_handle_get(t.system, &h, &old), LIEDER_DONE);
        double value = old == 0 ? 0.25 : 1.25 * old;
        if (lieder_handle_set(t.system, &h, value) != LIEDER_DONE)
            continue; /* its class has reasons */
        lieder_handle_name(t.system, &h, path, sizeof path);
        derivatives(t.session, t.system, 0.5, t.x, dx);
        double force = look(t.system, 0.5, t.x, "pushed");
        snprintf(model, sizeof model, "Set%zu", i);
        LiederModel *around = lieder_model_create(t.session, model, "");
        lieder_model_add(around, "f", "Fleet");
        char inner[140];
        snprintf(inner, sizeof inner, "f.%s", path);
        lieder_model_set(around, inner, value);
        LiederSystem *built = system_new(t.session, model);
        double *y = state_new(built);
        for (size_t k = 0; k < n; k++) {
            char name[128];
            snprintf(inner, sizeof inner, "f.%s",
                     lieder_system_state_name(t.system, k, name, sizeof name));
            y[state_at(built, inner)] = t.x[k];
        }
        derivatives(t.session, built, 0.5, y, expected);
        for (size_t k = 0; k < n; k++) {
            char name[128];
            snprintf(inner, sizeof inner, "f.%s",
                     lieder_system_state_name(t.system, k, name, sizeof name));
            if (memcmp(&dx[k], &expected[state_at(built, inner)], sizeof *dx) != 0)
                fail_msg("%s = %g: der(%s) is %.17g, not %.17g", path, value, name, dx[k],
                         expected[state_at(built, inner)]);
        }
        assert_near(force, look(built, 0.5, y, "f.drive.force"), 0);
        lieder_system_destroy(built);
        free(y);
        assert_int_equal(lieder_handle_set(t.system, &h, old), LIEDER_DONE);
        ntried++;
    }
    assert_true(ntried > 30);
    free(dx);
    free(expected);
    table_drop(&t);
}

/* an input of the model, by its name and by that of the port inside */
static void inputs_by_handle(void **state)
{
    (void)state;
    Table t = table_new(3);
    LiederHandle outer = handle_of(&t, "push"), inner = handle_of(&t, "drive.sum.u2");
    assert_true(same_handle(&outer, &inner));
    double before = look(t.system, 0, t.x, "pushed"), value;
    assert_int_equal(lieder_handle_set(t.system, &outer, 0.75), LIEDER_DONE);
    assert_near(look(t.system, 0, t.x, "pushed"), before + 0.75, 0);
    assert_int_equal(lieder_handle_get(t.system, &inner, &value), LIEDER_DONE);
    assert_near(value, 0.75, 0);
    /* of one element of a lane array alone */
    LiederHandle lane = handle_of(&t, "grid[2,3].extra");
    assert_int_equal(lieder_handle_set(t.system, &lane, 2), LIEDER_DONE);
    assert_near(look(t.system, 0, t.x, "grid[2,3].force"),
                look(t.system, 0, t.x, "grid[2,2].force") + 2, 0);
    table_drop(&t);
}

static void wrong_names_are_answered(void **state)
{
    (void)state;
    Table t = table_new(3);
    static const struct {
        const char *path, *said;
    } expected[] = {
        {"crub[3].cart.m", "did you mean \"crab[3].cart.m\"?"},
        {"crab[3].carr.m", "did you mean \"crab[3].cart.m\"?"},
        {"crab[3].revolute.phy", "did you mean \"crab[3].revolute.phi\"?"},
        {"der(crab[3].revolute.phy)", "did you mean \"der(crab[3].revolute.phi)\"?"},
        {"der(crab[3].cart.m)", "has no state 'm'"},
        {"crab[3].load.frame_a.xx", "did you mean \"crab[3].load.frame_a.x\"?"},
        {"pusht", "did you mean \"push"},
        {"crab.cart.m", "'crab' is an array of [3]"},
        {"crab[4].cart.m", "'crab' is an array of [3]"},
        {"drive[1].mass.m", "'drive' is no array"},
        {"crab[1].rod.r", "does not name one number"},
        {"crab[1].rod.r[3]", "does not name one number"},
        {"crab[1]", "there is no variable of this name"},
        {"crab[1].cart", "there is no variable of this name"},
        {"", "there is no variable of this name"},
        {"[", "there is no variable of this name"},
        {"der()", "there is no variable of this name"},
        {"crab[1].cart.m.m", "there is no variable of this name"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        LiederHandle h;
        assert_int_equal(lieder_handle_find(t.system, expected[i].path, &h), LIEDER_BAD_USE);
        assert_said(&t, expected[i].said);
        assert_false(lieder_handle_search(t.system, NULL, expected[i].path, &h));
    }
    assert_int_equal(lieder_variable_find(t.system, "crab.cart.frame_a.yy"), -1);
    assert_said(&t, "did you mean \"crab.cart.frame_a.y\"?");
    assert_int_equal(lieder_variable_find(t.system, "crab[1].cart.m"), -1);
    assert_said(&t, "leave out the indices");
    /* what has no number, and what cannot change */
    LiederHandle h = handle_of(&t, "crab[1].load.frame_a.x"), world = handle_of(&t, "world.TD");
    double value;
    assert_int_equal(lieder_handle_get(t.system, &h, &value), LIEDER_BAD_USE);
    assert_int_equal(lieder_handle_get(t.system, &world, &value), LIEDER_DONE);
    assert_near(value, 1e-3, 0);
    assert_near(look(t.system, 0, t.x, "world.TD"), 1e-3, 0);
    assert_int_equal(lieder_handle_set(t.system, &world, 1), LIEDER_BAD_USE);
    assert_said(&t, "set it in the model");
    table_drop(&t);
}

/* the tree of names leads to every row once, in the order of the table */
static size_t walk_tree(const Table *t, LiederElement at, const char *path, size_t row)
{
    for (size_t i = 0; i < lieder_tree_item_count(t->system, &at); i++, row++) {
        const LiederVariableInfo *v = lieder_tree_item(t->system, &at, i);
        char name[200], expected[200];
        bool derivative = v->kind == LIEDER_VARIABLE_DERIVATIVE;
        snprintf(expected, sizeof expected, "%s%s.%s%s", derivative ? "der(" : "", path, v->name,
                 derivative ? ")" : "");
        assert_string_equal(lieder_variable_name(t->system, row, name, sizeof name), expected);
    }
    for (size_t i = 0; i < lieder_tree_count(t->system, &at); i++) {
        LiederBranch b = lieder_tree_branch(t->system, &at, i);
        char inner[200];
        snprintf(inner, sizeof inner, "%s%s%s", path, *path ? "." : "", b.name);
        row = walk_tree(t, lieder_tree_element(t->system, &at, i, b.n - 1), inner, row);
    }
    return row;
}

static void tree_has_all_rows(void **state)
{
    (void)state;
    Table t = table_new(3);
    size_t n = walk_tree(&t, lieder_tree_root(t.system), "", 0);
    assert_int_equal(n + lieder_tree_port_count(t.system), lieder_variable_count(t.system));
    assert_int_equal(lieder_tree_port_count(t.system), 2);
    table_drop(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_lead_back),          cmocka_unit_test(rows_do_not_grow),
        cmocka_unit_test(two_indices_stay),         cmocka_unit_test(kinds_and_causes),
        cmocka_unit_test(setting_equals_building),  cmocka_unit_test(inputs_by_handle),
        cmocka_unit_test(wrong_names_are_answered), cmocka_unit_test(tree_has_all_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
