/* test_net.c - nets: many small parts held together by damped springs. The method agrees with the
 * others where they can be had; where they cannot, the balance of momentum and closed forms say
 * whether the accelerations are right, however stiff the net is. */
#include "help/net_model.h"

#include "help/meter.h"
#include "model/net/net_plan.h"

#include <lieder/simulate.h>

#include <dlfcn.h>
#include <suitesparse/SuiteSparse_config.h>

enum { ANY_METHOD = -1 };

/* the states of the last row of a run */
typedef struct LastRow {
    double *x;
    size_t n;
} LastRow;

static bool keep_row(void *user, double t, const double *x, LiederRow kind)
{
    (void)t;
    (void)kind;
    memcpy(((LastRow *)user)->x, x, ((LastRow *)user)->n * sizeof(double));
    return true;
}

/* the numbers of the thread that calls, and the plan of the net */
static const NetWork *net_work_of(LiederSystem *system)
{
    for (size_t i = 0; i < system->shapes.n; i++)
        if (system->shapes.items[i].plan.net)
            return system->shapes.items[i].workspace->net;
    fail_msg("no shape is a net");
    return NULL;
}
static const Net *net_of(LiederSystem *system)
{
    return net_work_of(system)->net;
}

/* ------------------------------------------------------------------ the same as other methods */

static double disagreement(NetOptions o, LiederMethod method, int expected)
{
    Lieder *session = session_new();
    LiederSystem *systems[2];
    uint64_t seed = 7;
    net_model(session, "N", o);
    systems[0] = system_new_with(session, "N", (LiederSystemOptions){.method = LIEDER_METHOD_NET});
    systems[1] = system_new_with(session, "N", (LiederSystemOptions){.method = method});
    size_t n = lieder_system_state_count(systems[0]);
    double *x = malloc((3 * n + 1) * sizeof *x), worst = 0, scale = 1;
    assert_true(expected == ANY_METHOD || (int)net_of(systems[0])->method == expected);
    for (int trial = 0; trial < 3; trial++) {
        random_fill(&seed, x, n, -1, 1);
        for (int m = 0; m < 2; m++)
            derivatives(session, systems[m], 0.5, x, x + (size_t)(m + 1) * n);
        for (size_t i = 0; i < n; i++)
            scale = fmax(scale, fabs(x[n + i]));
        for (size_t i = 0; i < n; i++)
            worst = fmax(worst, fabs(x[n + i] - x[2 * n + i]) / scale);
    }
    free(x);
    for (int m = 0; m < 2; m++)
        lieder_system_destroy(systems[m]);
    lieder_destroy(session);
    return worst;
}

static void agree(NetOptions o, int expected, double tolerance)
{
    static const LiederMethod others[] = {LIEDER_METHOD_SPARSE, LIEDER_METHOD_PROBE,
                                          LIEDER_METHOD_TREE};
    for (int i = 0; i < 3; i++) {
        double d = disagreement(o, others[i], expected);
        if (!(d <= tolerance))
            fail_msg("cells %d, stiffness %g: differs from method %d by %g", (int)o.cell,
                     o.stiffness, (int)others[i], d);
    }
}

static void methods_agree(void **state)
{
    (void)state;
    static const NetCell cells[] = {CELL_SLIDES, CELL_TURNED, CELL_ARM,
                                    CELL_FREE,   CELL_MIXED,  CELL_LINE};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        for (int kind = 0; kind < 4; kind++)
            agree((NetOptions){.n = 4,
                               .cell = cells[i],
                               .mass = 1,
                               .stiffness = 1e4,
                               .damping = 3,
                               .TD = 1e-2,
                               .held = kind & 1,
                               .unequal = kind & 2},
                  NET_ITERATE, 1e-10);
}

/* joints with different T_D: the matrix is not symmetric */
static void lopsided_nets_agree(void **state)
{
    (void)state;
    for (int cell = CELL_SLIDES; cell <= CELL_LINE; cell++)
        agree((NetOptions){.n = 4,
                           .cell = (NetCell)cell,
                           .mass = 1,
                           .stiffness = 1e4,
                           .damping = 3,
                           .TD = 1e-2,
                           .other_TD = 3e-2,
                           .held = true},
              NET_LU, 1e-10);
}

/* stiff enough for a factorisation; the others lose digits with c TD^2 / m */
static void stiff_nets_agree(void **state)
{
    (void)state;
    for (int cell = CELL_SLIDES; cell <= CELL_LINE; cell++)
        agree((NetOptions){.n = 5,
                           .cell = (NetCell)cell,
                           .mass = 1,
                           .stiffness = 1e8,
                           .TD = 1e-2,
                           .held = true},
              ANY_METHOD, 1e-9);
}

/* ------------------------------------------------------------------ stiff */

/* The net of CELL_SLIDES written down by hand, and solved by elimination with 113 bits. For one
 * axis: m a + sum over neighbours of d_el TD (a_i - a_j) = sum c (s_j - s_i) + d (v_j - v_i) - m g,
 * d_el = d + c TD. */
static void solve_by_hand(const NetOptions *o, double c, double g, const double *s, const double *v,
                          double *a)
{
    size_t n = o->n * o->n;
    __float128 *A = calloc(n * (n + 1), sizeof *A);
    for (size_t i = 0; i < n; i++) {
        A[i * (n + 1) + i] = o->mass;
        A[i * (n + 1) + n] = -(__float128)o->mass * g;
        for (int k = 0; k < 5; k++) {
            static const int down[] = {-1, 1, 0, 0, -1}, right[] = {0, 0, -1, 1, 0};
            size_t row = i / o->n + (size_t)down[k], column = i % o->n + (size_t)right[k];
            bool ground = k == 4 && o->held && i < o->n;
            if (!ground && (k == 4 || row >= o->n || column >= o->n))
                continue;
            size_t j = row * o->n + column;
            __float128 coupling = ((__float128)o->damping + (__float128)c * o->TD) * o->TD;
            A[i * (n + 1) + i] += coupling;
            if (!ground)
                A[i * (n + 1) + j] -= coupling;
            A[i * (n + 1) + n] += c * ((ground ? 0 : (__float128)s[j]) - s[i]) +
                                  o->damping * ((ground ? 0 : (__float128)v[j]) - v[i]);
        }
    }
    for (size_t k = 0; k < n; k++)
        for (size_t i = k + 1; i < n; i++) {
            __float128 f = A[i * (n + 1) + k] / A[k * (n + 1) + k];
            for (size_t j = k; j <= n && f != 0; j++)
                A[i * (n + 1) + j] -= f * A[k * (n + 1) + j];
        }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            A[k * (n + 1) + n] -= A[k * (n + 1) + j] * A[j * (n + 1) + n];
        A[k * (n + 1) + n] /= A[k * (n + 1) + k];
        a[k] = (double)A[k * (n + 1) + n];
    }
    free(A);
}

/* states of one axis, cell by cell; where their derivatives stand */
static ptrdiff_t *find_axis(LiederSystem *system, const char *joint, const char *name, size_t n)
{
    ptrdiff_t *at = malloc(n * n * sizeof *at);
    char path[64];
    for (size_t i = 0; i < n * n; i++) {
        snprintf(path, sizeof path, "%s_%zu_%zu.%s", joint, i / n, i % n, name);
        at[i] = lieder_system_state_index(system, path);
        assert_true(at[i] >= 0);
    }
    return at;
}

/* largest error of the accelerations relative to the largest of them, and of their mean */
static void check_stiff(double kappa, bool held)
{
    enum { SIDE = 7, CELLS = SIDE * SIDE };
    NetOptions o = {.n = SIDE, .mass = 1, .damping = 2, .TD = 1e-2, .held = held};
    o.stiffness = kappa * o.mass / (o.TD * o.TD);
    Lieder *session = session_new();
    net_model(session, "N", o);
    LiederSystem *system =
        system_new_with(session, "N", (LiederSystemOptions){.method = LIEDER_METHOD_NET});
    size_t n = lieder_system_state_count(system);
    double *x = malloc(2 * n * sizeof *x), *dx = x + n;
    uint64_t seed = 3;
    random_fill(&seed, x, n, -1, 1);
    derivatives(session, system, 0, x, dx);
    for (int axis = 0; axis < 2; axis++) {
        ptrdiff_t *s = find_axis(system, axis ? "end" : "first", "s", SIDE);
        ptrdiff_t *v = find_axis(system, axis ? "end" : "first", "v", SIDE);
        double position[CELLS], velocity[CELLS], a[CELLS], most = 0, worst = 0, mean = 0;
        for (size_t i = 0; i < CELLS; i++) {
            position[i] = x[s[i]];
            velocity[i] = x[v[i]];
        }
        double g = axis ? 9.81 : 0;
        solve_by_hand(&o, axis ? 0.7 * o.stiffness : o.stiffness, g, position, velocity, a);
        for (size_t i = 0; i < CELLS; i++) {
            most = fmax(most, fabs(a[i]));
            worst = fmax(worst, fabs(dx[v[i]] - a[i]));
            mean += (dx[v[i]] + g) / CELLS;
        }
        if (!(worst <= 1e-12 * most))
            fail_msg("c TD^2/m = %g, axis %d: accelerations off by %g of %g", kappa, axis, worst,
                     most);
        /* nothing but gravity acts on a free net as a whole, whatever its springs do */
        if (!held && !(fabs(mean) <= 1e-12 * most))
            fail_msg("c TD^2/m = %g, axis %d: the whole is accelerated by %g", kappa, axis, mean);
        free(s);
        free(v);
    }
    free(x);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

static void stiff_nets_are_right(void **state)
{
    (void)state;
    for (int e = -3; e <= 14; e++)
        for (int held = 0; held < 2; held++)
            check_stiff(pow(10, e), held);
}

/* A large free net that is not stretched falls as one, and one that is stretched keeps its
 * momentum. */
static void large_nets_fall(void **state)
{
    (void)state;
    for (double kappa = 1e-3; kappa < 1e13; kappa *= 1e3) {
        NetOptions o = {.n = 60, .mass = 1, .TD = 1e-2, .stiffness = kappa * 1e4};
        Lieder *session = session_new();
        net_model(session, "N", o);
        LiederSystem *system =
            system_new_with(session, "N", (LiederSystemOptions){.method = LIEDER_METHOD_AUTO});
        size_t n = lieder_system_state_count(system);
        double *x = calloc(2 * n, sizeof *x), *dx = x + n, sum[2] = {0}, most = 0;
        ptrdiff_t *v[2] = {find_axis(system, "first", "v", o.n),
                           find_axis(system, "end", "v", o.n)};
        derivatives(session, system, 0, x, dx);
        for (size_t i = 0; i < o.n * o.n; i++) {
            assert_true(fabs(dx[v[0][i]]) < 1e-12);
            assert_true(fabs(dx[v[1][i]] + 9.81) < 1e-11);
        }
        uint64_t seed = 5;
        random_fill(&seed, x, n, -0.1, 0.1);
        derivatives(session, system, 0, x, dx);
        for (size_t i = 0; i < o.n * o.n; i++)
            for (int axis = 0; axis < 2; axis++) {
                sum[axis] += dx[v[axis][i]];
                most = fmax(most, fabs(dx[v[axis][i]]));
            }
        /* to the rounding of the sum itself */
        assert_true(fabs(sum[0]) < 1e-12 * most * (double)n);
        assert_true(fabs(sum[1] + 9.81 * (double)(o.n * o.n)) < 1e-12 * most * (double)n);
        print_message("           c TD^2/m = %g: %s, %zu steps, %zu rounds\n", kappa,
                      net_of(system)->method == NET_ITERATE ? "iteration" : "factorisation",
                      net_work_of(system)->iterations, net_work_of(system)->rounds);
        free(v[0]);
        free(v[1]);
        free(x);
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
}

/* ------------------------------------------------------------------ nothing but (t, x) counts */

static const NetOptions kinds[] = {
    {.n = 6, .cell = CELL_MIXED, .mass = 1, .stiffness = 1e4, .damping = 1, .TD = 1e-2},
    {.n = 9, .cell = CELL_SLIDES, .mass = 1, .stiffness = 1e9, .TD = 1e-2, .held = true},
    {.n = 9, .cell = CELL_TURNED, .mass = 1, .stiffness = 1e9, .TD = 1e-2, .unequal = true},
    {.n = 5, .cell = CELL_SLIDES, .mass = 1, .stiffness = 1e4, .TD = 1e-2, .other_TD = 1e-3},
    {.n = 9, .cell = CELL_FREE, .mass = 1, .stiffness = 1e9, .TD = 1e-2, .held = true},
    {.n = 9, .cell = CELL_ARM, .mass = 1, .stiffness = 1e9, .TD = 1e-2, .held = true},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* whatever was evaluated before */
static void history_does_not_count(void **state)
{
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        Lieder *session = session_new();
        net_model(session, "N", kinds[i]);
        LiederSystem *system = system_new(session, "N");
        size_t n = lieder_system_state_count(system);
        double *x = calloc(6 * n, sizeof *x), *y = x + n, *zero = y + n, *first = zero + n;
        double *again = first + n;
        uint64_t seed = 11;
        random_fill(&seed, x, 2 * n, -1, 1);
        net_of(system);
        derivatives(session, system, 0, x, first);
        derivatives(session, system, 0, y, again);
        derivatives(session, system, 0, x, again);
        assert_memory_equal(first, again, n * sizeof *first);
        /* where all cells are parallel, unknowns keep apart that answer to each other elsewhere */
        derivatives(session, system, 0, zero, again);
        derivatives(session, system, 0, x, again);
        assert_memory_equal(first, again, n * sizeof *first);
        free(x);
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
}

/* a net over time: implicit steps, whose Jacobian is taken by differences, and explicit ones */
static void solvers_agree(void **state)
{
    (void)state;
    Lieder *session = session_new();
    NetOptions o = {.n = 5, .mass = 1, .stiffness = 1e4, .damping = 3, .TD = 1e-2, .held = true};
    net_model(session, "N", o);
    LiederSystem *system =
        system_new_with(session, "N", (LiederSystemOptions){.method = LIEDER_METHOD_NET});
    size_t n = lieder_system_state_count(system);
    double *end[2] = {malloc(n * sizeof(double)), malloc(n * sizeof(double))};
    static const LiederSolver solvers[] = {LIEDER_RK4, LIEDER_BDF};
    for (int i = 0; i < 2; i++) {
        LiederSimulateOptions run = lieder_simulate_defaults();
        run.stop = 0.2;
        run.solver = solvers[i];
        run.step = solvers[i] == LIEDER_RK4 ? 1e-4 : 0;
        run.output = keep_row;
        run.user = &(LastRow){end[i], n};
        assert_int_equal(lieder_simulate(system, &run, NULL), LIEDER_DONE);
    }
    for (size_t s = 0; s < n; s++)
        assert_true(fabs(end[0][s] - end[1][s]) <= 1e-5 * (1 + fabs(end[0][s])));
    free(end[0]);
    free(end[1]);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* A matrix that does not depend on the states is put together once; one that does, every time; and
 * either way when a parameter changes. */
static void matrices_are_kept(void **state)
{
    (void)state;
    for (int turns = 0; turns < 2; turns++) {
        Lieder *session = session_new();
        NetOptions o = {.n = 6, .cell = turns ? CELL_ARM : CELL_SLIDES, .mass = 1, .TD = 1e-2};
        o.stiffness = 1e4;
        net_model(session, "N", o);
        LiederSystem *system = system_new(session, "N");
        size_t n = lieder_system_state_count(system);
        double *x = calloc(2 * n, sizeof *x);
        uint64_t seed = 23;
        const NetWork *work = net_work_of(system);
        derivatives(session, system, 0, x, x + n);
        size_t version = work->version;
        for (size_t i = 0; i < 3; i++) {
            random_fill(&seed, x, n, -1, 1);
            derivatives(session, system, 0, x, x + n);
            assert_int_equal(work->version, turns ? version + i + 1 : version);
        }
        assert_true(work->net->constant == !turns);
        version = work->version;
        lieder_system_set(system, "body_3_4.m", 5);
        derivatives(session, system, 0, x, x + n);
        assert_int_equal(work->version, version + 1);
        free(x);
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
}

/* springs along two axes: two systems, each with half of the unknowns */
static void axes_keep_apart(void **state)
{
    (void)state;
    for (int cell = CELL_SLIDES; cell <= CELL_FREE; cell++) {
        Lieder *session = session_new();
        net_model(
            session, "N",
            (NetOptions){.n = 5, .cell = (NetCell)cell, .mass = 1, .stiffness = 1e4, .TD = 1e-2});
        LiederSystem *system = system_new(session, "N");
        size_t n = lieder_system_state_count(system);
        double *x = malloc(2 * n * sizeof *x);
        uint64_t seed = 29;
        random_fill(&seed, x, n, -1, 1);
        derivatives(session, system, 0, x, x + n);
        const NetWork *work = net_work_of(system);
        for (size_t i = 0; i < work->net->block; i++)
            for (size_t j = 0; j < work->net->block; j++)
                assert_true(net_couples(work->net, (work)->couples, i, j) ==
                            (i == j || cell == CELL_TURNED));
        free(x);
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
}

/* whatever the machine */
static void bits_are_equal(void **state)
{
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        Lieder *session = session_new();
        net_model(session, "N", kinds[i]);
        double *results[2] = {NULL, NULL};
        size_t n = 0;
        for (int isa = LIEDER_ISA_SCALAR; isa <= LIEDER_ISA_AVX512; isa++) {
            LiederSystem *system =
                system_new_with(session, "N", (LiederSystemOptions){.isa = (LiederIsa)isa});
            n = lieder_system_state_count(system);
            double *x = malloc(2 * n * sizeof *x);
            uint64_t seed = 13;
            random_fill(&seed, x, n, -1, 1);
            derivatives(session, system, 0, x, x + n);
            free(results[0]);
            results[0] = results[1];
            results[1] = x;
            if (results[0])
                assert_memory_equal(results[0], results[1], 2 * n * sizeof *x);
            lieder_system_destroy(system);
        }
        free(results[0]);
        free(results[1]);
        lieder_destroy(session);
    }
}

/* ------------------------------------------------------------------ parameters, lanes, observers
 */

/* three nets as lanes of a shape, one of them with another mass; or set afterwards */
static void lanes_are_nets(void **state)
{
    (void)state;
    Lieder *session = session_new();
    net_model(session, "N", kinds[1]);
    LiederModel *m = lieder_model_create(session, "Fleet", "");
    lieder_model_add_array(m, "net", "N", 3);
    lieder_model_set(m, "net[2].body_3_4.m", 5);
    LiederModel *one = lieder_model_create(session, "One", "");
    lieder_model_add(one, "net", "N");
    LiederSystem *fleet = system_new(session, "Fleet"), *single = system_new(session, "One");
    size_t n = lieder_system_state_count(single);
    assert_int_equal(lieder_system_state_count(fleet), 3 * n);
    double *x = malloc(8 * n * sizeof *x), *dx = x + 3 * n, *y = dx + 3 * n, *dy = y + n;
    uint64_t seed = 17;
    random_fill(&seed, x, 3 * n, -1, 1);
    net_of(fleet);
    derivatives(session, fleet, 0, x, dx);
    for (size_t lane = 0; lane < 3; lane++) {
        for (size_t s = 0; s < n; s++)
            y[s] = x[3 * s + lane];
        lieder_system_set(single, "net.body_3_4.m", lane == 1 ? 5 : 1);
        derivatives(session, single, 0, y, dy);
        for (size_t s = 0; s < n; s++)
            assert_true(dy[s] == dx[3 * s + lane]);
    }
    free(x);
    lieder_system_destroy(fleet);
    lieder_system_destroy(single);
    lieder_destroy(session);
}

/* Lanes with different masses take turns in the net of a thread, and nobody asks for memory then,
 * nor in the first evaluation after a mass was set, which gives the bits of a net made with it. */
static void lanes_allocate_nothing(void **state)
{
    (void)state;
    Meter meter = {0};
    LiederAllocator alloc = METER_ALLOCATOR(&meter);
    Lieder *session = lieder_create(&alloc);
    net_model(session, "N", kinds[1]);
    LiederModel *m = lieder_model_create(session, "Fleet", "");
    lieder_model_add_array(m, "net", "N", 2);
    lieder_model_set(m, "net[2].body_3_4.m", 5);
    LiederSystem *fleet = system_new(session, "Fleet");
    size_t n = lieder_system_state_count(fleet), before = meter.calls;
    double *x = malloc(2 * n * sizeof *x);
    uint64_t seed = 23;
    random_fill(&seed, x, n, -1, 1);
    net_of(fleet);
    for (int i = 0; i < 3; i++)
        derivatives(session, fleet, 0, x, x + n);
    assert_int_equal(meter.calls, before);
    /* setting a number asks for what it needs, the evaluation after it for nothing */
    static const char *const set[] = {"net[1].body_2_2.m", "net[2].body_2_2.m", "net[1].body_1_1.m",
                                      "net[2].body_1_2.m"};
    LiederModel *made = lieder_model_create(session, "Made", "");
    lieder_model_add_array(made, "net", "N", 2);
    lieder_model_set(made, "net[2].body_3_4.m", 5);
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        lieder_model_set(made, set[i], 3 + (double)i);
        assert_int_equal(lieder_system_set(fleet, set[i], 3 + (double)i), LIEDER_DONE);
        before = meter.calls;
        derivatives(session, fleet, 0, x, x + n);
        assert_int_equal(meter.calls, before);
    }
    double *dx = malloc(n * sizeof *dx);
    LiederSystem *other = system_new(session, "Made");
    derivatives(session, other, 0, x, dx);
    assert_memory_equal(x + n, dx, n * sizeof *dx);
    free(dx);
    lieder_system_destroy(other);
    free(x);
    lieder_system_destroy(fleet);
    lieder_destroy(session);
    assert_int_equal(meter.bytes, 0);
}

static size_t library_calls;

static void *count_malloc(size_t size)
{
    library_calls++;
    return malloc(size);
}

static void *count_realloc(void *block, size_t size)
{
    library_calls++;
    return realloc(block, size);
}

/* evaluations of a net where cells are parallel, so that unknowns keep apart that answer to each
 * other elsewhere, and where they are not */
static void evaluate_here_and_there(Lieder *session, LiederSystem *system, double *x)
{
    size_t n = lieder_system_state_count(system);
    uint64_t seed = 31;
    for (int i = 0; i < 4; i++) {
        memset(x, 0, n * sizeof *x);
        if (i)
            random_fill(&seed, x, n, i < 3 ? -1e-3 : -1, i < 3 ? 1e-3 : 1);
        derivatives(session, system, 0, x, x + n);
    }
}

/* From the first evaluation on neither we ask for memory nor does CHOLMOD, whose calls do not come
 * through our hook: not for factors of a matrix that changes, not where its pattern changes, and
 * not where iteration gives up. */
static void factors_allocate_nothing(void **state)
{
    (void)state;
    size_t changed = 0, gave_up = 0;
    for (int i = 0; i <= KINDS; i++) {
        NetOptions o = kinds[i < KINDS ? i : KINDS - 1];
        if (i == KINDS) /* beyond what iteration can do */
            o = (NetOptions){.n = 9, .cell = CELL_SLIDES, .mass = 1, .stiffness = 1e16, .TD = 1e-2};
        Meter meter = {0};
        LiederAllocator alloc = METER_ALLOCATOR(&meter);
        Lieder *session = lieder_create(&alloc);
        net_model(session, "N", o);
        LiederSystem *system = system_new(session, "N");
        size_t n = lieder_system_state_count(system), before = meter.calls;
        Net *net = system->shapes.items[0].plan.net;
        const NetWork *w = net_work_of(system);
        size_t version = w->version;
        double *x = malloc(2 * n * sizeof *x);
        void *library = dlopen("libcholmod.so.3", RTLD_NOW | RTLD_NOLOAD);
        struct SuiteSparse_config_struct *config =
            library ? dlsym(library, "SuiteSparse_config") : NULL;
        assert_non_null(config);
        struct SuiteSparse_config_struct kept = *config;
        config->malloc_func = count_malloc;
        config->realloc_func = count_realloc;
        evaluate_here_and_there(session, system, x);
        changed += w->version == version + 4;
        if (net->method == NET_CHOLESKY) { /* by iteration first, which is in vain */
            net->method = NET_ITERATE;
            evaluate_here_and_there(session, system, x);
            gave_up += w->direct != NULL && w->iterations == 0;
        }
        *config = kept;
        assert_int_equal(library_calls, 0);
        assert_int_equal(meter.calls, before);
        free(x);
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
    assert_true(changed >= 1);
    assert_true(gave_up >= 1);
}

/* A soft net of arms iterates, and its matrix changes with the angles: what iteration needs when it
 * gives up is there from the start. */
static void soft_nets_are_prepared(void **state)
{
    (void)state;
    NetOptions o = kinds[5];
    o.stiffness = 1e3;
    Lieder *session = session_new();
    net_model(session, "N", o);
    LiederSystem *system = system_new(session, "N");
    assert_int_equal(net_of(system)->method, NET_ITERATE);
    assert_true(net_of(system)->needs_factors);
    assert_non_null(net_work_of(system)->direct);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* Threads have numbers of their own and one plan, whichever way the net is solved: the same bits,
 * and each allocation of a run may fail. */
static void threads_share_a_plan(void **state)
{
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        NetOptions o = kinds[i];
        o.n = 3;
        Meter meter = {0};
        LiederAllocator alloc = METER_ALLOCATOR(&meter);
        Lieder *session = lieder_create(&alloc);
        net_model(session, "N", o);
        LiederModel *m = lieder_model_create(session, "Fleet", "");
        lieder_model_add_array(m, "net", "N", 4);
        lieder_model_set(m, "net[2].body_1_2.m", 5);
        LiederSystem *fleet =
            system_new_with(session, "Fleet", (LiederSystemOptions){.method = LIEDER_METHOD_NET});
        size_t n = lieder_system_state_count(fleet), failed = 0;
        LastRow one = {malloc(n * sizeof(double)), n}, two = {malloc(n * sizeof(double)), n};
        LiederSimulateOptions run = lieder_simulate_defaults();
        run.stop = 2e-3;
        run.solver = LIEDER_RK2;
        run.step = 1e-3;
        run.output = keep_row;
        run.user = &one;
        assert_int_equal(lieder_simulate(fleet, &run, NULL), LIEDER_DONE);
        run.user = &two;
        run.threads = 2;
        for (LiederStatus status = LIEDER_NO_MEMORY; status != LIEDER_DONE; failed++) {
            meter.fail_at = meter.calls + failed + 1;
            status = lieder_simulate(fleet, &run, NULL);
            assert_true(status == (meter.calls < meter.fail_at ? LIEDER_DONE : LIEDER_NO_MEMORY));
        }
        assert_true(failed > 20);
        assert_memory_equal(one.x, two.x, n * sizeof(double));
        free(one.x);
        free(two.x);
        lieder_system_destroy(fleet);
        lieder_destroy(session);
        assert_int_equal(meter.bytes, 0);
        assert_int_equal(meter.wrong, 0);
    }
}

/* forces and derivatives as another method sees them */
static void observers_agree(void **state)
{
    (void)state;
    static const char *const names[] = {"der(first_1_2.v)",       "end_1_2.v_el",
                                        "weft_1_1.frame_b.fx_el", "warp_1_1.frame_a.fy_el",
                                        "body_2_2.frame_a.fx_ki", "first_2_1.frame_a.t_el"};
    Lieder *session = session_new();
    NetOptions o = kinds[0];
    o.cell = CELL_SLIDES;
    net_model(session, "N", o);
    LiederSystem *net = system_new(session, "N");
    LiederSystem *sparse =
        system_new_with(session, "N", (LiederSystemOptions){.method = LIEDER_METHOD_SPARSE});
    double *x = state_new(net);
    uint64_t seed = 19;
    random_fill(&seed, x, lieder_system_state_count(net), -1, 1);
    net_of(net);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        LiederObserver *a = lieder_observer_create(net), *b = lieder_observer_create(sparse);
        double value[2];
        if (lieder_observer_add(a, names[i]) < 0 || lieder_observer_add(b, names[i]) < 0) {
            lieder_diagnostic_print_all(session, stderr);
            fail_msg("%s cannot be seen", names[i]);
        }
        assert_int_equal(lieder_observer_evaluate(a, 0, x, &value[0]), LIEDER_DONE);
        assert_int_equal(lieder_observer_evaluate(b, 0, x, &value[1]), LIEDER_DONE);
        assert_true(fabs(value[0] - value[1]) <= 1e-9 * (1 + fabs(value[1])));
        lieder_observer_destroy(a);
        lieder_observer_destroy(b);
    }
    free(x);
    lieder_system_destroy(net);
    lieder_system_destroy(sparse);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ wrong models, no memory */

/* a joint without mass is named, whichever cell it is in */
static void massless_cells_are_named(void **state)
{
    (void)state;
    Lieder *session = session_new();
    NetOptions o = kinds[0];
    o.cell = CELL_SLIDES;
    net_model(session, "N", o);
    LiederModel *m = lieder_model_create(session, "M", "");
    lieder_model_add(m, "net", "N");
    lieder_model_set(m, "net.body_4_2.m", 0);
    assert_null(lieder_system_create(session, "M", NULL));
    bool named = false;
    for (size_t i = 0; i < lieder_diagnostic_count(session); i++)
        named |= strstr(lieder_diagnostic_get(session, i)->path, "_4_2") != NULL;
    assert_true(named);
    lieder_destroy(session);
}

/* what the method does not know is solved by another one */
static void contacts_are_left_to_others(void **state)
{
    (void)state;
    Lieder *session = session_new();
    NetOptions o = {.n = 6, .cell = CELL_LINE, .mass = 1, .stiffness = 1e4, .TD = 1e-2};
    LiederModel *n = net_model(session, "N", o);
    lieder_model_add(n, "gap", "Translational.ElastoGap");
    lieder_model_set(n, "gap.TD", 1e-2);
    lieder_model_connect(n, "gap.flange_a", "end_0_0.flange_b");
    lieder_model_connect(n, "gap.flange_b", "end_5_5.flange_b");
    LiederSystem *system = system_new(session, "N");
    assert_int_equal(system->shapes.items[0].plan.method, LIEDER_METHOD_SPARSE);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

static bool live(const LiederAllocator *alloc, NetOptions o)
{
    Lieder *session = lieder_create(alloc);
    if (!session)
        return false;
    net_model(session, "N", o);
    LiederSystem *system =
        lieder_system_create(session, "N", &(LiederSystemOptions){.method = LIEDER_METHOD_NET});
    bool ok = system != NULL;
    if (system) {
        double *x = calloc(2 * lieder_system_state_count(system), sizeof *x);
        lieder_system_start(system, x);
        ok = lieder_system_derivatives(system, 0, x, x + lieder_system_state_count(system)) ==
             LIEDER_DONE;
        free(x);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
    return ok;
}

/* the k-th allocation failing is survived; those of model building are tested elsewhere */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        NetOptions o = kinds[i];
        o.n = 3;
        Meter meter = {0};
        LiederAllocator alloc = METER_ALLOCATOR(&meter);
        assert_true(live(&alloc, o));
        size_t calls = meter.calls;
        for (size_t k = calls / 2; k <= calls; k++) {
            meter = (Meter){.fail_at = k};
            alloc = METER_ALLOCATOR(&meter);
            bool ok = live(&alloc, o);
            if (ok || meter.live || meter.bytes || meter.wrong)
                fail_msg("kind %d, allocation %zu of %zu: %s, %zu blocks left, %zu wrong", i, k,
                         calls, ok ? "not noticed" : "noticed", meter.live, meter.wrong);
        }
    }
}

/* ------------------------------------------------------------------ size */

/* Memory, allocations and steps per cell do not grow with the net; nothing is allocated by an
 * evaluation. */
static void costs_are_linear(void **state)
{
    (void)state;
    double bytes[3];
    size_t calls[3], steps[3];
    for (int i = 0; i < 3; i++) {
        NetOptions o = kinds[0];
        o.cell = CELL_SLIDES;
        o.n = (size_t)20 << i;
        Meter meter = {0};
        LiederAllocator alloc = METER_ALLOCATOR(&meter);
        Lieder *session = lieder_create(&alloc);
        net_model(session, "N", o);
        size_t before = meter.calls;
        LiederSystem *system = system_new(session, "N");
        calls[i] = meter.calls - before;
        bytes[i] = (double)lieder_system_info(system).bytes / (double)(o.n * o.n);
        double *x = state_new(system), *dx = state_new(system);
        before = meter.calls;
        derivatives(session, system, 0, x, dx);
        assert_int_equal(meter.calls, before);
        steps[i] = net_work_of(system)->iterations;
        free(x);
        free(dx);
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
    assert_true(steps[0] <= 30 && steps[2] <= steps[0] + 4);
    assert_true(bytes[2] < 1.2 * bytes[0]);
    /* vectors grow by half again and again, everything else is allocated once */
    assert_true(calls[2] < calls[0] + 400);
    print_message("           %.0f bytes a cell, %zu allocations, %zu steps\n", bytes[2], calls[2],
                  steps[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_agree),
        cmocka_unit_test(lopsided_nets_agree),
        cmocka_unit_test(solvers_agree),
        cmocka_unit_test(matrices_are_kept),
        cmocka_unit_test(axes_keep_apart),
        cmocka_unit_test(stiff_nets_agree),
        cmocka_unit_test(stiff_nets_are_right),
        cmocka_unit_test(large_nets_fall),
        cmocka_unit_test(history_does_not_count),
        cmocka_unit_test(bits_are_equal),
        cmocka_unit_test(lanes_are_nets),
        cmocka_unit_test(lanes_allocate_nothing),
        cmocka_unit_test(factors_allocate_nothing),
        cmocka_unit_test(soft_nets_are_prepared),
        cmocka_unit_test(threads_share_a_plan),
        cmocka_unit_test(observers_agree),
        cmocka_unit_test(massless_cells_are_named),
        cmocka_unit_test(contacts_are_left_to_others),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(costs_are_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
