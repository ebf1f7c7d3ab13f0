/* test_describe.c - models by ids: loops of connections stay loops, whatever order they come in,
 * and stand for exactly the connections that were made; texts and ids say the same; source places
 * stay with what was said; connectors of components inside of components go by ids, too. */
#include <lieder/load.h>

#include "help/engine.h"
#include "model/system/system.h"

/* ------------------------------------------------------------------ loops */

enum { MAX_PAIRS = 20000 };

typedef struct Pair {
    uint32_t end[6];
} Pair;

static int compare_pairs(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(Pair));
}

/* the connections that a model stands for, sorted */
static size_t list_pairs(const LiederModel *model, Pair *pairs)
{
    ConnectionCursor cursor = {0};
    PortPath a, b;
    size_t n = 0;
    while (connection_next(model, &cursor, &a, &b)) {
        assert_true(n < MAX_PAIRS);
        pairs[n++] = (Pair){{a.declaration, a.element, (uint32_t)a.port, b.declaration, b.element,
                             (uint32_t)b.port}};
    }
    qsort(pairs, n, sizeof *pairs, compare_pairs);
    return n;
}

/* entries that stand for something */
static size_t count_entries(const LiederModel *model)
{
    ConnectionCursor cursor = {0};
    PortPath a, b;
    size_t n = 0, last = SIZE_MAX;
    while (connection_next(model, &cursor, &a, &b)) {
        n += cursor.current != last;
        last = cursor.current;
    }
    return n;
}

static LiederModel *begin_net(Lieder *session, const char *name, size_t n)
{
    LiederModel *m = lieder_model_create(session, name, "");
    lieder_model_add(m, "fixed", "Translational.Fixed");
    lieder_model_add_grid(m, "joint", "Translational.Joint", 2, (size_t[]){n, n});
    lieder_model_add_grid(m, "body", "Translational.Body", 2, (size_t[]){n, n});
    lieder_model_add_grid(m, "weft", "Translational.SpringDamper", 2, (size_t[]){n, n - 1});
    lieder_model_add_grid(m, "warp", "Translational.SpringDamper", 2, (size_t[]){n - 1, n});
    return m;
}

/* "name[i,j].port" */
static const char *port(char *buffer, const char *name, size_t i, size_t j, const char *end)
{
    snprintf(buffer, 60, "%s[%zu,%zu].%s", name, i, j, end);
    return buffer;
}

/* all connections of a net, one after the other as its text has them */
static void connect_net(LiederModel *m, size_t n)
{
    char a[60], b[60];
    for (size_t i = 1; i <= n; i++)
        for (size_t j = 1; j <= n; j++) {
            lieder_model_connect(m, "fixed.flange_b", port(a, "joint", i, j, "flange_a"));
            lieder_model_connect(m, port(a, "joint", i, j, "flange_b"),
                                 port(b, "body", i, j, "flange_a"));
            if (j < n) {
                lieder_model_connect(m, port(a, "joint", i, j, "flange_b"),
                                     port(b, "weft", i, j, "flange_a"));
                lieder_model_connect(m, port(a, "weft", i, j, "flange_b"),
                                     port(b, "joint", i, j + 1, "flange_b"));
            }
            if (i < n) {
                lieder_model_connect(m, port(a, "joint", i, j, "flange_b"),
                                     port(b, "warp", i, j, "flange_a"));
                lieder_model_connect(m, port(a, "warp", i, j, "flange_b"),
                                     port(b, "joint", i + 1, j, "flange_b"));
            }
        }
}

/* a net has six loops, whatever its size, and no byte more for each cell */
static void nets_are_loops(void **state)
{
    (void)state;
    static Pair pairs[MAX_PAIRS];
    size_t bytes[2];
    for (int k = 0; k < 2; k++) {
        size_t n = k ? 40 : 10;
        Lieder *session = session_new();
        LiederModel *m = begin_net(session, "Net", n);
        connect_net(m, n);
        assert_int_equal(count_entries(m), 6);
        assert_int_equal(list_pairs(m, pairs), 2 * n * n + 4 * n * (n - 1));
        for (size_t i = 1; i < 2 * n * n + 4 * n * (n - 1); i++)
            assert_true(compare_pairs(&pairs[i - 1], &pairs[i]) < 0); /* each of them once */
        bytes[k] = model_bytes(m);
        lieder_destroy(session);
    }
    assert_int_equal(bytes[0], bytes[1]);
}

/* cubes, and cubes of cubes, which are several entries */
static void cubes_are_loops(void **state)
{
    (void)state;
    static Pair pairs[MAX_PAIRS];
    enum { N = 4 };
    Lieder *session = session_new();
    LiederModel *m = lieder_model_create(session, "Cube", "");
    char a[60], b[60];
    size_t made = 0;
    lieder_model_add_grid(m, "joint", "Translational.Joint", 4, (size_t[]){N, N, N, N});
    lieder_model_add_grid(m, "body", "Translational.Body", 4,
                          (size_t[]){N + 1, N + 1, N + 1, N + 1});
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++)
            for (int k = 1; k <= N; k++)
                for (int l = 1; l <= N; l++, made++) {
                    snprintf(a, sizeof a, "joint[%d,%d,%d,%d].flange_b", i, j, k, l);
                    snprintf(b, sizeof b, "body[%d,%d,%d,%d].flange_a", i + 1, j, k + 1, l);
                    lieder_model_connect(m, a, b);
                }
    assert_true(count_entries(m) <= N);
    assert_int_equal(list_pairs(m, pairs), made);
    for (size_t i = 1; i < made; i++)
        assert_true(compare_pairs(&pairs[i - 1], &pairs[i]) < 0);
    lieder_destroy(session);
}

/* Random walks over two arrays, some of them regular: the entries stand for what was said, each
 * connection as often as it was made. */
static void loops_lose_nothing(void **state)
{
    (void)state;
    static Pair pairs[MAX_PAIRS], said[MAX_PAIRS];
    uint64_t seed = 7;
    for (int round = 0; round < 200; round++) {
        Lieder *session = session_new();
        LiederModel *m = lieder_model_create(session, "Walks", "");
        enum { N = 60 };
        size_t n = 0;
        lieder_model_add_array(m, "a", "Translational.Joint", N);
        lieder_model_add_array(m, "b", "Translational.Joint", N);
        for (int walk = 0; walk < 30; walk++) {
            size_t from[2] = {random_below(&seed, N), random_below(&seed, N)},
                   step[2] = {random_below(&seed, 4), random_below(&seed, 4)},
                   turns = 1 + random_below(&seed, 12), ports = random_below(&seed, 2);
            for (size_t t = 0; t < turns; t++) {
                size_t i = (from[0] + t * step[0]) % N, k = (from[1] + t * step[1]) % N;
                char a[60], b[60];
                snprintf(a, sizeof a, "a[%zu].flange_%s", i + 1, ports ? "a" : "b");
                snprintf(b, sizeof b, "b[%zu].flange_a", k + 1);
                lieder_model_connect(m, a, b);
                PortPath x = model_port_path(m, a), y = model_port_path(m, b);
                said[n++] = (Pair){{x.declaration, x.element, (uint32_t)x.port, y.declaration,
                                    y.element, (uint32_t)y.port}};
            }
        }
        qsort(said, n, sizeof *said, compare_pairs);
        assert_int_equal(list_pairs(m, pairs), n);
        assert_memory_equal(pairs, said, n * sizeof *said);
        lieder_destroy(session);
    }
}

/* ------------------------------------------------------------------ texts and ids */

static const char net_text[] =
    "model Net \"n x n masses\"\n"
    "  parameter Integer n = 5;\n"
    "  inner Dialectic.World world;\n"
    "  Dialectic.Translational.Fixed fixed;\n"
    "  Dialectic.Translational.Joint joint[n, n](s(start = {{i + j for j in 1:n} for i in 1:n}));\n"
    "  Dialectic.Translational.Body body[n, n];\n"
    "  Dialectic.Translational.SpringDamper weft[n, n - 1](each c = 10);\n"
    "equation\n"
    "  for i in 1:n loop\n"
    "    for j in 1:n loop\n"
    "      connect(fixed.flange_b, joint[i, j].flange_a);\n"
    "      connect(joint[i, j].flange_b, body[i, j].flange_a);\n"
    "      if j < n then\n"
    "        connect(joint[i, j].flange_b, weft[i, j].flange_a);\n"
    "        connect(weft[i, j].flange_b, joint[i, j + 1].flange_b);\n"
    "      end if;\n"
    "    end for;\n"
    "  end for;\n"
    "end Net;\n";

/* The front end hands loops over as loops, and numbers by element as one list: what grows with the
 * net is that list alone. */
static void texts_become_loops(void **state)
{
    (void)state;
    size_t bytes[2], sizes[2] = {5, 35};
    for (int k = 0; k < 2; k++) {
        Lieder *session = session_new();
        char value[20];
        snprintf(value, sizeof value, "%zu", sizes[k]);
        assert_int_equal(lieder_load_text(session, "net.mo", net_text), LIEDER_DONE);
        LiederOverride override = {.name = "n", .value = value};
        LiederSystem *system = lieder_system_load(session, "Net", &override, 1, NULL, NULL);
        if (!system)
            lieder_diagnostic_print_all(session, stderr);
        assert_non_null(system);
        const LiederModel *model = system->flat.scopes.items[0].model;
        assert_int_equal(count_entries(model), 4);
        bytes[k] = model_bytes(model);
        double *x = state_new(system);
        ptrdiff_t at = lieder_system_state_index(system, "joint[3,2].s");
        assert_true(at >= 0 && x[at] == 5);
        free(x);
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
    size_t cells = sizes[1] * sizes[1] - sizes[0] * sizes[0];
    assert_int_equal(bytes[1] - bytes[0], cells * sizeof(double));
}

/* what the engine finds wrong with a number is reported where the text gives it */
static void places_stay(void **state)
{
    (void)state;
    static const char text[] = "model Wrong\n"
                               "  Signals.TimeTable source(\n"
                               "    table = [1, 0; 0.5, 1]);\n"
                               "end Wrong;\n";
    Lieder *session = session_new();
    assert_int_equal(lieder_load_text(session, "wrong.mo", text), LIEDER_DONE);
    assert_null(lieder_system_load(session, "Wrong", NULL, 0, NULL, NULL));
    const LiederDiagnostic *d = lieder_diagnostic_get(session, 0);
    assert_non_null(d);
    assert_string_equal(d->path, "source.table");
    assert_string_equal(d->file, "wrong.mo");
    assert_int_equal(d->line, 3);
    lieder_destroy(session);
}

/* a model may be said in any order: numbers before their components, below templates, in parts */
static void order_is_free(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederModel *m = lieder_model_create(session, "M", "");
    lieder_model_set(m, "chain.revolute[2].phi", 0.25); /* below a template */
    lieder_model_set(m, "joint[2].s", 3);
    lieder_model_connect(m, "fixed.flange_b", "joint[2].flange_a");
    lieder_model_set(m, "chain.n", 3);
    lieder_model_add(m, "chain", "Examples.Chain");
    lieder_model_add(m, "fixed", "Translational.Fixed");
    lieder_model_add_array(m, "joint", "Translational.Joint", 2);
    lieder_model_add(m, "mass", "Translational.Body");
    lieder_model_connect(m, "joint[2].flange_b", "mass.flange_a");
    lieder_model_connect(m, "fixed.flange_b", "joint[1].flange_a");
    lieder_model_add(m, "other", "Translational.Body");
    lieder_model_connect(m, "joint[1].flange_b", "other.flange_a");
    LiederSystem *system = system_new(session, "M");
    double *x = state_new(system);
    assert_true(x[lieder_system_state_index(system, "joint[2].s")] == 3);
    assert_true(x[lieder_system_state_index(system, "chain.revolute[2].phi")] == 0.25);
    assert_int_equal(lieder_system_state_count(system), 2 * 3 + 2 * 2);
    free(x);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ further inside */

static const char deep_text[] =
    "model Pair\n"
    "  Dialectic.Translational.Fixed fixed;\n"
    "  Dialectic.Translational.Joint joint[2](s(start = {1, 2}));\n"
    "  Dialectic.Translational.Body body[2];\n"
    "  Dialectic.Translational.Flange flange;\n"
    "equation\n"
    "  for i in 1:2 loop\n"
    "    connect(fixed.flange_b, joint[i].flange_a);\n"
    "    connect(joint[i].flange_b, body[i].flange_a);\n"
    "  end for;\n"
    "  connect(flange, body[2].flange_a);\n"
    "end Pair;\n"
    "model Both\n  Pair pair;\nend Both;\n"
    "model Deep\n"
    "  Both a[2];\n"
    "  Dialectic.Translational.SpringDamper spring(c = 3, d = 2);\n"
    "  Dialectic.Examples.Chain chain(n = 3, revolute(phi(start = {0.1, 0.2, 0.3})));\n"
    "equation\n"
    "  connect(a[1].pair.body[2].flange_a, spring.flange_a);\n"
    "  connect(spring.flange_b, a[2].pair.joint[1].flange_b);\n"
    "end Deep;\n"
    "model Shallow\n"
    "  Pair p, q;\n"
    "  Dialectic.Translational.SpringDamper spring(c = 3, d = 2);\n"
    "equation\n"
    "  connect(p.flange, spring.flange_a);\n"
    "  connect(spring.flange_b, q.joint[1].flange_b);\n"
    "end Shallow;\n";

/* every port of a connection and every number that is set is known by ids, without its name */
static void assert_ids_alone(const LiederModel *model)
{
    for (size_t i = 0; i < model->inner_ports.n; i++)
        assert_null(model->inner_ports.items[i].name);
    for (size_t i = 0; i < model->settings.n; i++)
        assert_true(model->settings.items[i].slot >= 0);
}

static double derivative_of(LiederSystem *system, const char *name)
{
    double *x = state_new(system), *dx = calloc(lieder_system_state_count(system), sizeof *dx);
    assert_int_equal(lieder_system_derivatives(system, 0, x, dx), LIEDER_DONE);
    ptrdiff_t at = lieder_system_state_index(system, name);
    assert_true(at >= 0);
    double d = dx[at];
    free(x);
    free(dx);
    return d;
}

/* Connectors of components inside of components, and numbers below a template, are known by ids; a
 * connector further inside is the one that an exposed port leads to. */
static void inside_by_ids(void **state)
{
    (void)state;
    Lieder *session = session_new();
    assert_int_equal(lieder_load_text(session, "deep.mo", deep_text), LIEDER_DONE);
    LiederSystem *deep = lieder_system_load(session, "Deep", NULL, 0, NULL, NULL);
    LiederSystem *shallow = lieder_system_load(session, "Shallow", NULL, 0, NULL, NULL);
    if (!deep || !shallow)
        lieder_diagnostic_print_all(session, stderr);
    assert_true(deep && shallow);
    const LiederModel *model = deep->flat.scopes.items[0].model;
    assert_true(model->inner_ports.n > 0);
    assert_ids_alone(model);
    double *x = state_new(deep);
    assert_true(x[lieder_system_state_index(deep, "chain.revolute[2].phi")] == 0.2);
    free(x);
    double pulled = derivative_of(deep, "a[1].pair.joint[2].v"),
           free_one = derivative_of(deep, "a[1].pair.joint[1].v");
    assert_true(pulled != free_one);
    assert_true(pulled == derivative_of(shallow, "p.joint[2].v"));
    assert_true(derivative_of(deep, "a[2].pair.joint[1].v") ==
                derivative_of(shallow, "q.joint[1].v"));
    lieder_system_destroy(deep);
    lieder_system_destroy(shallow);
    lieder_destroy(session);
}

/* the same from C, where the component inside is added after the connection */
static void inside_by_text(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederModel *inner = lieder_model_create(session, "Inner", ""),
                *m = lieder_model_create(session, "M", "");
    lieder_model_add(m, "inner", "Inner");
    lieder_model_add(m, "mass", "Translational.Body");
    lieder_model_connect(m, "inner.joint.flange_b", "mass.flange_a");
    assert_non_null(m->inner_ports.items[0].name);
    lieder_model_add(inner, "fixed", "Translational.Fixed");
    lieder_model_add(inner, "joint", "Translational.Joint");
    lieder_model_connect(inner, "fixed.flange_b", "joint.flange_a");
    LiederSystem *system = system_new(session, "M");
    assert_true(m->connections.items[0].a.port < 0);
    assert_null(model_inner_port(m, &m->connections.items[0].a)->name);
    char text[60];
    assert_string_equal(port_path_text(m, &m->connections.items[0].a, text, sizeof text),
                        "inner.joint.flange_b");
    assert_int_equal(lieder_system_state_count(system), 2);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nets_are_loops),     cmocka_unit_test(cubes_are_loops),
        cmocka_unit_test(loops_lose_nothing), cmocka_unit_test(texts_become_loops),
        cmocka_unit_test(places_stay),        cmocka_unit_test(order_is_free),
        cmocka_unit_test(inside_by_ids),      cmocka_unit_test(inside_by_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
