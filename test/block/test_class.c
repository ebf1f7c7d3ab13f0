/* test_class.c - library classes written as expressions give the bits of their C in whole models:
 * every instruction set, one lane and many, any orientation, with and without loops, interpreted
 * and generated. Zeros may have another sign: a compiler that knows a factor to be zero does not
 * see the sign of the other one. */
#define LIEDER_LANES 1 /* classes in C that are compiled here have a scalar variant */
#include <limits.h>

#include <lieder/lieder.h>

#include "block/class_help.h"

/* models are built twice, with classes in C and with those in the set of `replaced` */
static unsigned replaced;
static const char *class_to_add(const char *class_)
{
    const char *name = strchr(class_, '.');
    for (int i = 0; i < BLOCK_CLASSES; i++)
        if (strncmp(class_, "Planar.", 7) == 0 &&
            strcmp(strchr(block_classes[i].oracle, '.'), name) == 0)
            return replaced >> i & 1 ? block_classes[i].name : block_classes[i].oracle;
    return class_;
}
#define lieder_model_add(model, name, class_) lieder_model_add(model, name, class_to_add(class_))

#include "help/own_cache.h"
#include "help/random_model.h"

static const LiederIsa isas[] = {LIEDER_ISA_SCALAR, LIEDER_ISA_SSE2, LIEDER_ISA_AVX2,
                                 LIEDER_ISA_AVX512};
enum { ALL = (1 << BLOCK_CLASSES) - 1 };

typedef struct Classes {
    Lieder *session;
    BlockClass *c[BLOCK_CLASSES];
} Classes;

static Classes classes_begin(void)
{
    Classes k = {.session = session_new()};
    assert_int_equal(planar_oracle_register(k.session), LIEDER_DONE);
    for (int i = 0; i < BLOCK_CLASSES; i++) {
        k.c[i] = block_class_make(i, &memory_default);
        assert_non_null(k.c[i]);
        if (block_class_register(k.session, k.c[i]) != LIEDER_DONE) {
            lieder_diagnostic_print_all(k.session, stderr);
            fail_msg("%s was refused", block_classes[i].name);
        }
    }
    return k;
}

static void classes_end(Classes *k)
{
    lieder_destroy(k->session);
    for (int i = 0; i < BLOCK_CLASSES; i++)
        block_class_destroy(k->c[i]);
}

/* ------------------------------------------------------------------ comparing */

static double *random_derivatives(Lieder *session, const char *model, LiederSystemOptions o,
                                  size_t *n)
{
    uint64_t seed = 5;
    LiederSystem *system = system_new_with(session, model, o);
    *n = lieder_system_state_count(system);
    double *x = malloc((*n + 1) * sizeof *x), *dx = malloc((*n + 1) * sizeof *dx);
    random_fill(&seed, x, *n, -1, 1);
    derivatives(session, system, 0.25, x, dx);
    lieder_system_destroy(system);
    free(x);
    return dx;
}

static void same_derivatives(const char *what, const double *native, const double *made, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (native[i] != made[i])
            fail_msg("%s: derivative %zu is %.17g in C and %.17g as instructions", what, i,
                     native[i], made[i]);
}

static void compare_models(Lieder *session, const char *native, const char *made)
{
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
        LiederSystemOptions o = lieder_system_defaults();
        o.isa = isas[i]; /* one that the machine does not have becomes the next smaller one */
        size_t n, m;
        double *a = random_derivatives(session, native, o, &n);
        double *b = random_derivatives(session, made, o, &m);
        assert_int_equal(n, m);
        same_derivatives(made, a, b, n);
        free(a);
        free(b);
    }
}

/* ------------------------------------------------------------------ models */

static void build_crab(Lieder *session, const char *name, unsigned set)
{
    replaced = set;
    LiederModel *m = lieder_model_create(session, name, "");
    lieder_model_add(m, "fixed", "Planar.Fixed");
    lieder_model_add(m, "slide", "Planar.Prismatic");
    lieder_model_add(m, "cart", "Planar.Body");
    lieder_model_add(m, "turn", "Planar.Revolute");
    lieder_model_add(m, "rod", "Planar.FixedTranslation");
    lieder_model_add(m, "load", "Planar.Body");
    lieder_model_set_vector(m, "slide.r", (double[]){1, 0.3}, 2);
    lieder_model_set_vector(m, "rod.r", (double[]){0.2, -1}, 2);
    lieder_model_set(m, "slide.TD", 1e-3);
    lieder_model_set(m, "turn.TD", 2e-3);
    lieder_model_set(m, "cart.m", 2);
    lieder_model_set(m, "load.I", 0.3);
    lieder_model_connect(m, "fixed.frame", "slide.frame_a");
    lieder_model_connect(m, "slide.frame_b", "cart.frame_a");
    lieder_model_connect(m, "slide.frame_b", "turn.frame_a");
    lieder_model_connect(m, "turn.frame_b", "rod.frame_a");
    lieder_model_connect(m, "rod.frame_b", "load.frame_a");
    replaced = 0;
}

/* n crabs with masses of their own */
static void build_fleet(Lieder *session, const char *name, const char *class_, size_t n)
{
    LiederModel *m = lieder_model_create(session, name, "");
    lieder_model_add_array(m, "crab", class_, n);
    uint64_t seed = 3;
    double *mass = malloc(n * sizeof *mass);
    random_fill(&seed, mass, n, 1, 2);
    lieder_model_set_each(m, "crab.load.m", mass, n);
    free(mass);
}

static void crane_crabs(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 7, 13, 64, 1001};
    Classes k = classes_begin();
    build_crab(k.session, "Native", 0);
    build_crab(k.session, "Made", ALL);
    compare_models(k.session, "Native", "Made");
    for (unsigned one = 0; one < BLOCK_CLASSES; one++) { /* between native neighbours */
        char name[16];
        snprintf(name, sizeof name, "Mixed%u", one);
        build_crab(k.session, name, 1u << one);
        compare_models(k.session, "Native", name);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char native[24], made[24];
        snprintf(native, sizeof native, "Natives%zu", sizes[i]);
        snprintf(made, sizeof made, "Mades%zu", sizes[i]);
        build_fleet(k.session, native, "Native", sizes[i]);
        build_fleet(k.session, made, "Made", sizes[i]);
        compare_models(k.session, native, made);
    }
    classes_end(&k);
}

/* derivatives of a crab before and after numbers change that were 0 or 1, one by one */
static void change_numbers(Lieder *session, const char *model, double *to)
{
    static const struct {
        const char *path;
        double value;
    } changes[] = {{"rod.r[1]", 0.4}, {"slide.r[2]", -0.7}, {"load.m", 3}, {"turn.TD", 0}};
    uint64_t seed = 9;
    double x[4];
    LiederSystem *system = system_new_with(session, model, lieder_system_defaults());
    assert_int_equal(lieder_system_state_count(system), 4);
    random_fill(&seed, x, 4, -1, 1);
    lieder_system_set(system, "rod.r[1]", 0);
    derivatives(session, system, 0, x, to);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        assert_int_equal(lieder_system_set(system, changes[i].path, changes[i].value), LIEDER_DONE);
        derivatives(session, system, 0, x, to + 4 * (i + 1));
    }
    lieder_system_destroy(system);
}

/* what an evaluation takes for granted is given up when it no longer holds */
static void numbers_change(void **state)
{
    (void)state;
    Classes k = classes_begin();
    double native[20], made[20];
    build_crab(k.session, "Native", 0);
    build_crab(k.session, "Made", ALL);
    change_numbers(k.session, "Native", native);
    change_numbers(k.session, "Made", made);
    same_derivatives("after changes", native, made, 20);
    for (int i = 1; i < 5; i++) /* each change matters */
        assert_memory_not_equal(made + 4 * i, made + 4 * (i - 1), 4 * sizeof *made);
    classes_end(&k);
}

/* trees and loops, every component either way round, joints with and without drives */
static void random_models(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        Classes k = classes_begin();
        RandomOptions o = {.joints = 2 + seed % 9,
                           .loops = seed % 3 ? seed % 4 : 0,
                           .damped = seed % 2,
                           .stiffness = 100,
                           .planar = seed % 2,
                           .time_constant = 1e-2};
        random_model(k.session, "Native", seed, o);
        replaced = seed % 5 ? ALL : (unsigned)seed % ALL;
        random_model(k.session, "Made", seed, o);
        replaced = 0;
        compare_models(k.session, "Native", "Made");
        classes_end(&k);
    }
}

/* the oracle of the engine, which probes plain outward and inward blocks */
static void other_methods(void **state)
{
    (void)state;
    static const LiederMethod methods[] = {LIEDER_METHOD_SPARSE, LIEDER_METHOD_PROBE};
    Classes k = classes_begin();
    build_crab(k.session, "Native", 0);
    build_crab(k.session, "Made", ALL);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        LiederSystemOptions o = lieder_system_defaults();
        o.method = methods[i];
        size_t n, m;
        double *a = random_derivatives(k.session, "Native", o, &n);
        double *b = random_derivatives(k.session, "Made", o, &m);
        assert_int_equal(n, m);
        same_derivatives("method", a, b, n);
        free(a);
        free(b);
    }
    classes_end(&k);
}

/* ------------------------------------------------------------------ explicit classes */

enum { MU, TAU, VX_, VY_, VX_DER, VY_DER, FILTERED, FILTERED_DER, OSCILLATOR_REALS };
static const LiederMember oscillator_members[] = {
    {.kind = LIEDER_PARAMETER,
     .name = "mu",
     .unit = "1",
     .index = MU,
     .length = 1,
     .fallback = 2,
     ANY},
    {.kind = LIEDER_PARAMETER,
     .name = "tau",
     .unit = "s",
     .index = TAU,
     .length = 1,
     .fallback = 0.1,
     ANY},
    {.kind = LIEDER_STATE,
     .name = "x",
     .unit = "1",
     .index = VX_,
     .other = VX_DER,
     .other_name = "x_der",
     .fallback = 1,
     ANY},
    {.kind = LIEDER_STATE,
     .name = "v",
     .unit = "1",
     .index = VY_,
     .other = VY_DER,
     .other_name = "v_der",
     .fallback = 0,
     ANY},
    {.kind = LIEDER_STATE,
     .name = "f",
     .unit = "1",
     .index = FILTERED,
     .other = FILTERED_DER,
     .other_name = "f_der",
     .fallback = 0,
     ANY},
};
static const LiederPortDef oscillator_ports[] = {PORT_INPUT("u", "drives v"),
                                                 PORT_OUTPUT("y", "v, filtered")};

/* Van der Pol's oscillator, driven by a signal and by the time, with a filter behind */
static BlockClass *oscillator_make(Graph *g)
{
    Maker maker = {.g = g}, *m = &maker;
    BlockClassInfo info = {.def = {.name = "Block.Oscillator",
                                   .text = "",
                                   .nport = 2,
                                   .nmember = LIEDER_COUNT(oscillator_members),
                                   .ports = oscillator_ports,
                                   .members = oscillator_members},
                           .nreal = OSCILLATOR_REALS,
                           .graph = g};
    add_places(m, &info.def, OSCILLATOR_REALS);
    add_place(m, PLACE_TIME, 0, 0);
    info.symbols = m->symbols;
    info.nsymbol = m->n;
    m->c = block_class_create(&memory_default, &info);
    assert_non_null(m->c);
    Node x = own(m, VX_), v = own(m, VY_), one = node_constant(g, 1);
    Node drive =
        ADD(signal_of(m, 0, 0), node_call(g, FUNCTION_SIN, get_place(m, PLACE_TIME, 0, 0), 0));
    put(m, BLOCK_EXPLICIT, PLACE_MEMBER, 0, VX_DER, v);
    put(m, BLOCK_EXPLICIT, PLACE_MEMBER, 0, VY_DER,
        ADD(SUB(MUL(MUL(own(m, MU), SUB(one, MUL(x, x))), v), x), drive));
    put(m, BLOCK_EXPLICIT, PLACE_MEMBER, 0, FILTERED_DER,
        node_divide(g, SUB(v, own(m, FILTERED)), own(m, TAU)));
    put(m, BLOCK_EXPLICIT, PLACE_SIGNAL, 1, 0, own(m, FILTERED));
    assert_int_equal(block_class_finish(m->c), TAPE_DONE);
    return m->c;
}

/* one drives the other, in many lanes, interpreted and generated */
static void own_equations(void **state)
{
    (void)state;
    enum { LANES = 11 };
    Lieder *session = session_new();
    Graph g;
    graph_init(&g, &memory_default);
    BlockClass *c = oscillator_make(&g);
    graph_drop(&g);
    assert_int_equal(block_class_register(session, c), LIEDER_DONE);
    LiederModel *m = lieder_model_create(session, "Pair", "");
    lieder_model_add(m, "a", "Block.Oscillator");
    lieder_model_add(m, "b", "Block.Oscillator");
    lieder_model_connect(m, "a.y", "b.u");
    lieder_model_set(m, "b.mu", 3);
    m = lieder_model_create(session, "Pairs", "");
    lieder_model_add_array(m, "pair", "Pair", LANES);
    LiederSystem *system = system_new(session, "Pairs");
    assert_int_equal(lieder_system_state_count(system), 6 * LANES);
    for (int generated = 0; generated < 2; generated++) {
        uint64_t seed = 8;
        double x[6 * LANES], dx[6 * LANES];
        random_fill(&seed, x, 6 * LANES, -2, 2);
        if (generated) {
            assert_int_equal(lieder_system_compile(system), LIEDER_DONE);
            assert_int_equal(lieder_system_info(system).ncompiled, 1);
        }
        derivatives(session, system, 0.7, x, dx);
        for (int lane = 0; lane < LANES; lane++)
            for (int which = 0; which < 2; which++) {
                const double *own_ = x + (size_t)which * 3 * LANES + lane;
                const double *d = dx + (size_t)which * 3 * LANES + lane;
                double s = own_[0], v = own_[LANES], f = own_[2 * LANES], mu = which ? 3 : 2;
                double u = which ? x[2 * LANES + lane] : 0;
                double drive = u + function_value(FUNCTION_SIN, 0.7, 0);
                assert_true(d[0] == v);
                assert_true(d[LANES] == mu * (1 - s * s) * v - s + drive);
                assert_true(d[2 * LANES] == (v - f) / 0.1);
            }
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
    block_class_destroy(c);
}

/* ------------------------------------------------------------------ generated code */

static void check_generated(Lieder *session, const char *model, const double *native, size_t n)
{
    uint64_t seed = 5;
    LiederSystem *system = system_new(session, model);
    double *x = malloc((n + 1) * sizeof *x), *dx = malloc((n + 1) * sizeof *dx);
    random_fill(&seed, x, n, -1, 1);
    assert_int_equal(lieder_system_compile(system), LIEDER_DONE);
    assert_int_equal(lieder_system_info(system).ncompiled, lieder_system_info(system).nshape);
    derivatives(session, system, 0.25, x, dx);
    same_derivatives("generated", native, dx, n);
    lieder_system_destroy(system);
    free(x);
    free(dx);
}

static void generated_code(void **state)
{
    (void)state;
    Classes k = classes_begin();
    size_t n;
    build_crab(k.session, "Native", 0);
    build_crab(k.session, "Made", ALL);
    build_fleet(k.session, "Natives", "Native", 9);
    build_fleet(k.session, "Mades", "Made", 9);
    double *one = random_derivatives(k.session, "Native", lieder_system_defaults(), &n);
    check_generated(k.session, "Made", one, n);
    double *nine = random_derivatives(k.session, "Natives", lieder_system_defaults(), &n);
    check_generated(k.session, "Mades", nine, n);
    free(one);
    free(nine);
    for (uint64_t seed = 3; seed <= 5; seed++) {
        char native[16], made[16];
        RandomOptions o = {
            .joints = 3 + seed, .loops = seed % 2, .stiffness = 100, .time_constant = 1e-2};
        snprintf(native, sizeof native, "N%d", (int)seed);
        snprintf(made, sizeof made, "M%d", (int)seed);
        random_model(k.session, native, seed, o);
        replaced = ALL;
        random_model(k.session, made, seed, o);
        replaced = 0;
        double *dx = random_derivatives(k.session, native, lieder_system_defaults(), &n);
        check_generated(k.session, made, dx, n);
        free(dx);
    }
    classes_end(&k);
}

/* ------------------------------------------------------------------ what can go wrong */

/* the square of a potential, and a symbol that no one has given */
static void wrong_blocks(void **state)
{
    (void)state;
    Lieder *session = session_new();
    const LiederClassDef *body = lieder_class_find(session, "Planar.Body")->def;
    Graph graph;
    for (int wrong = 0; wrong < 2; wrong++) {
        graph_init(&graph, &memory_default);
        Maker m = {.g = &graph};
        add_places(&m, body, 3);
        BlockClassInfo info = {.def = *body,
                               .tag = "Wrong",
                               .nreal = 3,
                               .graph = &graph,
                               .symbols = m.symbols,
                               .nsymbol = m.n};
        info.def.kernels = NULL;
        m.c = block_class_create(&memory_default, &info);
        Node z = potential_of(&m, 0, AZ);
        put(&m, BLOCK_INWARD, PLACE_FLOW, 0, KI_T,
            wrong ? node_symbol(&graph, 77) : node_call(&graph, FUNCTION_ABS, z, NO_NODE));
        assert_int_equal(block_class_finish(m.c), wrong ? TAPE_UNKNOWN_SYMBOL : TAPE_NOT_AFFINE);
        if (!wrong)
            assert_true(m.c->trouble.kind == PLACE_FLOW && m.c->trouble.index == KI_T);
        block_class_destroy(m.c);
        graph_drop(&graph);
    }
    lieder_destroy(session);
}

typedef struct Meter {
    long left, live;
} Meter;

static void *metered(void *user, void *block, size_t old_size, size_t size)
{
    Meter *meter = user;
    if (size > old_size && meter->left-- <= 0)
        return NULL;
    meter->live += (long)size - (long)old_size;
    if (size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, size);
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    Lieder *session = session_new();
    long k = 0;
    for (BlockClass *c = NULL; !c; k += 1 + k / 40) {
        Meter meter = {.left = k};
        LiederAllocator alloc = {metered, &meter};
        c = block_class_make(1, &alloc);
        bool made = c != NULL;
        block_class_destroy(c);
        assert_int_equal(meter.live, 0);
        if (made)
            break;
    }
    print_message("           %ld allocations\n", k);
    assert_true(k > 100);
    lieder_destroy(session);
}

/* a session of its own for each k, since one that ran out of memory stays so */
static bool system_survives(BlockClass *const *classes, long k)
{
    Meter meter = {.left = LONG_MAX};
    LiederAllocator alloc = {metered, &meter};
    Lieder *session = lieder_create(&alloc);
    assert_non_null(session);
    for (int i = 0; i < BLOCK_CLASSES; i++)
        assert_int_equal(block_class_register(session, classes[i]), LIEDER_DONE);
    build_crab(session, "Made", ALL);
    LiederSystemOptions o = lieder_system_defaults();
    meter.left = k;
    LiederSystem *system = lieder_system_create(session, "Made", &o);
    meter.left = LONG_MAX;
    lieder_system_destroy(system);
    lieder_destroy(session);
    assert_int_equal(meter.live, 0);
    return system;
}

/* a system whose ops are linked, with the k-th allocation failing */
static void systems_may_fail(void **state)
{
    (void)state;
    Classes c = classes_begin();
    long k = 0;
    while (k < 1000000 && !system_survives(c.c, k))
        k += 1 + k / 50;
    assert_true(k > 30 && k < 1000000);
    classes_end(&c);
}

/* A sine and a cosine of one angle are one call in the text of a class, and none is left alone: all
 * classes here need both. */
static void sines_are_written_with_cosines(void **unused)
{
    (void)unused;
    size_t npair = 0;
    for (int i = 0; i < BLOCK_CLASSES; i++) {
        BlockClass *c = block_class_make(i, &memory_default);
        assert_non_null(c);
        const char *text = c->text.items;
        for (const char *at = text; (at = strstr(at, "real_sincos(")); at++)
            npair++;
        assert_null(strstr(text, "real_sin("));
        assert_null(strstr(text, "real_cos("));
        block_class_destroy(c);
    }
    printf("%zu pairs of sine and cosine\n", npair);
    assert_true(npair >= 2); /* translation and prismatic joint, at least one direction each */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crane_crabs),      cmocka_unit_test(numbers_change),
        cmocka_unit_test(random_models),    cmocka_unit_test(own_equations),
        cmocka_unit_test(other_methods),    cmocka_unit_test(generated_code),
        cmocka_unit_test(wrong_blocks),     cmocka_unit_test(any_allocation_may_fail),
        cmocka_unit_test(systems_may_fail), cmocka_unit_test(sines_are_written_with_cosines),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
