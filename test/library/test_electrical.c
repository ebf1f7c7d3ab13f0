/* test_electrical.c - networks. Laws first: in random networks Kirchhoff's laws and the law of
 * every element hold as observers see them, whatever the method. Then closed forms, the benchmark
 * circuit of paper 002 against plain equations, and what must be refused. */
#include "help/engine.h"
#include "help/meter.h"

#include <lieder/mechanics.h>
#include <lieder/simulate.h>

/* ------------------------------------------------------------------ helpers */

/* connects all pins of a list: "a.p b.n c.p" */
static void join(LiederModel *model, const char *pins)
{
    char first[64] = "", next[64];
    int used;
    for (; sscanf(pins, "%63s%n", next, &used) == 1; pins += used) {
        if (*first)
            lieder_model_connect(model, first, next);
        else
            strcpy(first, next);
    }
}

static void add(LiederModel *model, const char *name, const char *class_, const char *parameter,
                double value)
{
    char path[96];
    snprintf(path, sizeof path, "Electrical.%s", class_);
    lieder_model_add(model, name, path);
    if (!parameter)
        return;
    snprintf(path, sizeof path, "%s.%s", name, parameter);
    lieder_model_set(model, path, value);
}

/* a constant voltage */
static void add_battery(LiederModel *model, const char *name, double volt)
{
    char path[96];
    add(model, name, "SineVoltage", "V", 0);
    snprintf(path, sizeof path, "%s.offset", name);
    lieder_model_set(model, path, volt);
}

static LiederSystem *system_by(Lieder *session, const char *model, LiederMethod method)
{
    LiederSystemOptions options = lieder_system_defaults();
    options.method = method;
    return system_new_with(session, model, options);
}

/* some diagnostic is about this component and contains this text */
static void assert_said(const Lieder *session, const char *path, const char *text)
{
    for (size_t i = 0; i < lieder_diagnostic_count(session); i++) {
        const LiederDiagnostic *d = lieder_diagnostic_get(session, i);
        bool found = strstr(d->message, text) || (d->advice && strstr(d->advice, text));
        if (found && (!path || (d->path && strcmp(d->path, path) == 0)))
            return;
    }
    lieder_diagnostic_print_all(session, stderr);
    fail_msg("nobody said \"%s\" about %s", text, path ? path : "anything");
}

/* ------------------------------------------------------------------ random networks */

enum { MAX_NODES = 12, MAX_ELEMENTS = 48 };

typedef struct Element {
    char kind; /* R L C V D (ideal) S (Shockley) */
    int a, b;  /* nodes of p and n; 0 is ground */
    double value;
} Element;

typedef struct Net {
    int nnode, n;
    Element e[MAX_ELEMENTS];
} Net;

static const char *const kinds = "RLCVDS";
static const char *const class_of[] = {"Resistor",    "Inductor",   "Capacitor",
                                       "SineVoltage", "IdealDiode", "ShockleyDiode"};
static const char *const parameter_of[] = {"R", "L", "C", "V", "Vforward", NULL};

/* Voltages stand on the edges of a tree and currents beside it, so there is exactly one solution.
 * Diodes have a resistor in series, which is an edge of the tree. */
static Net random_net(uint64_t *seed, bool diodes)
{
    Net net = {.nnode = 3 + (int)random_below(seed, MAX_NODES - 3)};
    for (int k = 1; k < net.nnode; k++) {
        char kind = "RRCV"[random_below(seed, 4)];
        Element e = {kind, k, (int)random_below(seed, (size_t)k), random_between(seed, 0.5, 2)};
        if (random_below(seed, 2))
            e = (Element){kind, e.b, e.a, e.value};
        net.e[net.n++] = e;
    }
    int more = (int)random_below(seed, 10);
    for (int k = 0; k < more && net.n < MAX_ELEMENTS; k++) {
        char kind = diodes ? "RLDS"[random_below(seed, 4)] : "RL"[random_below(seed, 2)];
        int a = (int)random_below(seed, (size_t)net.nnode),
            b = (int)random_below(seed, (size_t)net.nnode);
        bool diode = kind == 'D' || kind == 'S';
        if (diode && (net.nnode >= MAX_NODES || net.n + 2 > MAX_ELEMENTS))
            continue;
        if (diode) { /* through a node of its own */
            int middle = net.nnode++;
            net.e[net.n++] = (Element){'R', a, middle, random_between(seed, 0.5, 2)};
            a = middle;
        }
        net.e[net.n++] = (Element){
            kind, a, b, kind == 'D' ? random_between(seed, 0, 0.5) : random_between(seed, 0.5, 2)};
    }
    /* no pin stays alone */
    for (int k = 1; k < net.nnode; k++) {
        int pins = 0;
        for (int q = 0; q < net.n; q++)
            pins += (net.e[q].a == k) + (net.e[q].b == k);
        if (pins < 2)
            net.e[net.n++] = (Element){'R', k, 0, random_between(seed, 0.5, 2)};
    }
    return net;
}

static void build_net(Lieder *session, const char *name, const Net *net)
{
    LiederModel *model = lieder_model_create(session, name, "");
    char text[64], other[64];
    lieder_model_add(model, "ground", "Electrical.Ground");
    for (int k = 0; k < net->n; k++) {
        const Element *e = &net->e[k];
        size_t kind = (size_t)(strchr(kinds, e->kind) - kinds);
        snprintf(text, sizeof text, "e%d", k);
        add(model, text, class_of[kind], parameter_of[kind], e->value);
        if (e->kind == 'V') {
            snprintf(other, sizeof other, "e%d.phase", k);
            lieder_model_set(model, other, 0.7 * k);
        }
    }
    for (int node = 0; node < net->nnode; node++) {
        strcpy(other, node == 0 ? "ground.p" : "");
        for (int k = 0; k < net->n; k++)
            for (int pin = 0; pin < 2; pin++) {
                if ((pin ? net->e[k].b : net->e[k].a) != node)
                    continue;
                snprintf(text, sizeof text, "e%d.%c", k, pin ? 'n' : 'p');
                if (*other)
                    lieder_model_connect(model, other, text);
                else
                    strcpy(other, text);
            }
    }
}

/* Kirchhoff's laws and the law of every element at (t, x), as observers see them */
static void check_laws(LiederSystem *system, const Net *net, double t, const double *x)
{
    double sum[MAX_NODES] = {0}, size[MAX_NODES] = {0}, potential[MAX_NODES];
    for (int node = 0; node < MAX_NODES; node++)
        potential[node] = NAN;
    potential[0] = 0;
    for (int k = 0; k < net->n; k++) {
        const Element *e = &net->e[k];
        char path[64];
        double value[6];
        static const char *const names[] = {"p.v", "n.v", "p.i", "n.i", "v", "i"};
        for (int q = 0; q < 6; q++) {
            snprintf(path, sizeof path, "e%d.%s", k, names[q]);
            value[q] = look(system, t, x, path);
        }
        double v = value[4], i = value[5], tolerance = 1e-9 * (1 + fabs(v) + fabs(i));
        /* one potential for each node, and the pins belong to the element */
        int nodes[2] = {e->a, e->b};
        for (int pin = 0; pin < 2; pin++) {
            if (isnan(potential[nodes[pin]]))
                potential[nodes[pin]] = value[pin];
            assert_near(value[pin], potential[nodes[pin]], 0);
            sum[nodes[pin]] += value[2 + pin];
            size[nodes[pin]] += fabs(value[2 + pin]);
        }
        assert_near(v, value[0] - value[1], tolerance);
        assert_near(value[2], i, tolerance);
        assert_near(value[3], -i, tolerance);
        snprintf(path, sizeof path, "der(e%d.%c)", k, e->kind == 'L' ? 'i' : 'v');
        double derivative = strchr("LC", e->kind) ? look(system, t, x, path) : 0;
        if (e->kind == 'R')
            assert_near(v, e->value * i, tolerance);
        else if (e->kind == 'L')
            assert_near(v, e->value * derivative, tolerance);
        else if (e->kind == 'C')
            assert_near(i, e->value * derivative, tolerance);
        else if (e->kind == 'V')
            assert_near(v, e->value * sin(6.283185307179586 * t + 0.7 * k), tolerance);
        else if (e->kind == 'S') /* the current is the voltage's exponential: d i = i dv / U_T */
            assert_near(i, 1e-12 * expm1(v / 25e-3), tolerance + 1e-9 * fabs(i) * fabs(v) / 25e-3);
        else {
            assert_true(v <= e->value + tolerance && i >= -tolerance);
            assert_near(i * (v - e->value), 0, tolerance);
        }
    }
    for (int node = 1; node < net->nnode; node++)
        assert_near(sum[node], 0, 1e-9 * (1 + size[node]));
    assert_near(look(system, t, x, "ground.p.i"), -sum[0], 1e-9 * (1 + size[0]));
}

static void laws_hold_and_methods_agree(bool diodes)
{
    uint64_t seed = diodes ? 11 : 7;
    for (int trial = 0; trial < 60; trial++) {
        Lieder *session = session_new();
        Net net = random_net(&seed, diodes);
        build_net(session, "Net", &net);
        LiederSystem *sparse = system_by(session, "Net", LIEDER_METHOD_SPARSE);
        LiederSystem *probe = system_by(session, "Net", LIEDER_METHOD_PROBE);
        LiederSystem *tree = system_by(session, "Net", LIEDER_METHOD_TREE);
        size_t n = lieder_system_state_count(sparse);
        double *x = state_new(sparse), *d[3];
        random_fill(&seed, x, n, -2, 2);
        double t = random_between(&seed, 0, 1);
        LiederSystem *all[3] = {sparse, probe, tree};
        for (int s = 0; s < 3; s++) {
            d[s] = calloc(n + 1, sizeof *x);
            derivatives(session, all[s], t, x, d[s]);
        }
        for (size_t i = 0; i < n; i++) {
            assert_near(d[0][i], d[1][i], 1e-9 * (1 + fabs(d[0][i])));
            assert_near(d[0][i], d[2][i], 0); /* a network is never a tree: the same method */
        }
        check_laws(sparse, &net, t, x);
        check_laws(probe, &net, t, x);
        for (int s = 0; s < 3; s++) {
            free(d[s]);
            lieder_system_destroy(all[s]);
        }
        free(x);
        lieder_destroy(session);
    }
}

static void test_laws_of_linear_networks(void **state)
{
    (void)state;
    laws_hold_and_methods_agree(false);
}

static void test_laws_with_diodes(void **state)
{
    (void)state;
    laws_hold_and_methods_agree(true);
}

/* ------------------------------------------------------------------ closed forms */

static void test_divider_and_bridge(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederModel *m = lieder_model_create(session, "Bridge", "");
    static const double R[5] = {100, 220, 330, 470, 1000};
    char name[8];
    add_battery(m, "u", 10);
    add(m, "g", "Ground", NULL, 0);
    for (int k = 0; k < 5; k++) {
        snprintf(name, sizeof name, "r%d", k);
        add(m, name, "Resistor", "R", R[k]);
    }
    join(m, "u.n g.p r1.n r3.n");
    join(m, "u.p r0.p r2.p");
    join(m, "r0.n r1.p r4.p");
    join(m, "r2.n r3.p r4.n");
    LiederSystem *s = system_new(session, "Bridge");
    assert_int_equal(lieder_system_state_count(s), 0);
    double x[1] = {0};
    /* the bridge seen from its diagonal: Thevenin */
    double open = 10 * R[1] / (R[0] + R[1]) - 10 * R[3] / (R[2] + R[3]);
    double inner = R[0] * R[1] / (R[0] + R[1]) + R[2] * R[3] / (R[2] + R[3]);
    assert_near(look(s, 0, x, "r4.i"), open / (inner + R[4]), 1e-15);
    assert_near(look(s, 0, x, "u.i") * 10,
                -(look(s, 0, x, "r0.v") * look(s, 0, x, "r0.i") +
                  look(s, 0, x, "r1.v") * look(s, 0, x, "r1.i") +
                  look(s, 0, x, "r2.v") * look(s, 0, x, "r2.i") +
                  look(s, 0, x, "r3.v") * look(s, 0, x, "r3.i") +
                  look(s, 0, x, "r4.v") * look(s, 0, x, "r4.i")),
                1e-14); /* power */
    lieder_system_destroy(s);
    lieder_destroy(session);
}

static LiederSystem *series_circuit(Lieder *session, const char *name, double volt, double R,
                                    double L, double C)
{
    LiederModel *m = lieder_model_create(session, name, "");
    add_battery(m, "u", volt);
    add(m, "g", "Ground", NULL, 0);
    add(m, "r", "Resistor", "R", R);
    join(m, "u.n g.p");
    join(m, "u.p r.p");
    if (L > 0)
        add(m, "l", "Inductor", "L", L);
    if (C > 0)
        add(m, "c", "Capacitor", "C", C);
    join(m, L > 0 ? "r.n l.p" : "r.n c.p");
    if (L > 0 && C > 0)
        join(m, "l.n c.p");
    join(m, C > 0 ? "c.n g.p" : "l.n g.p");
    return system_new(session, name);
}

typedef struct Last {
    size_t n;
    double x[2];
} Last;

static bool take_last(void *user, double t, const double *x, LiederRow kind)
{
    (void)t;
    (void)kind;
    Last *last = user;
    memcpy(last->x, x, last->n * sizeof *x);
    return true;
}

static void test_transients(void **state)
{
    (void)state;
    Lieder *session = session_new();
    /* RC and RL: one exponential; the step of 0.01 time constants errs by 1e-2^4 / 120 */
    LiederSystem *rc = series_circuit(session, "RC", 5, 1000, 0, 1e-6);
    double x[2] = {0, 0};
    rk4_run(rc, 0, 2e-3, 200, x);
    assert_near(x[0], 5 * (1 - exp(-2.0)), 1e-9);
    LiederSystem *rl = series_circuit(session, "RL", 5, 10, 0.1, 0);
    x[0] = 0;
    rk4_run(rl, 0, 0.02, 200, x);
    assert_near(x[0], 0.5 * (1 - exp(-2.0)), 1e-9);
    /* RLC, underdamped */
    double R = 2, L = 0.1, C = 0.05, a = R / (2 * L), w = sqrt(1 / (L * C) - a * a), t = 0.7;
    LiederSystem *rlc = series_circuit(session, "RLC", 3, R, L, C);
    x[0] = x[1] = 0;
    rk4_run(rlc, 0, t, 2000, x);
    double v = 3 * (1 - exp(-a * t) * (cos(w * t) + a / w * sin(w * t)));
    double i = 3 / (w * L) * exp(-a * t) * sin(w * t);
    assert_near(x[state_at(rlc, "c.v")], v, 1e-9);
    assert_near(x[state_at(rlc, "l.i")], i, 1e-9);
    /* and with an adaptive solver to its tolerance */
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.stop = t;
    o.solver = LIEDER_ESDIRK23;
    o.tolerance = 1e-6;
    Last last = {.n = 2};
    o.output = take_last;
    o.user = &last;
    assert_int_equal(lieder_simulate(rlc, &o, NULL), LIEDER_DONE);
    assert_near(last.x[state_at(rlc, "c.v")], v, 1e-6);
    assert_near(last.x[state_at(rlc, "l.i")], i, 1e-6);
    lieder_system_destroy(rc);
    lieder_system_destroy(rl);
    lieder_system_destroy(rlc);
    lieder_destroy(session);
}

/* a low pass swings with |H| = 1 / sqrt(1 + (w R C)^2) and lags by atan(w R C) */
static void test_sine_in_steady_state(void **state)
{
    (void)state;
    Lieder *session = session_new();
    double R = 1000, C = 1e-6, f = 200, w = 2 * 3.14159265358979323846 * f, V = 3, phase = 0.4;
    LiederSystem *s = series_circuit(session, "LowPass", 0, R, 0, C);
    assert_int_equal(lieder_system_set(s, "u.V", V), LIEDER_DONE);
    assert_int_equal(lieder_system_set(s, "u.f", f), LIEDER_DONE);
    assert_int_equal(lieder_system_set(s, "u.phase", phase), LIEDER_DONE);
    double size = V / sqrt(1 + w * R * C * w * R * C), lag = atan(w * R * C), x[1] = {0};
    /* 20 time constants: the transient has gone to 2e-9 */
    rk4_run(s, 0, 0.02, 4000, x);
    for (int k = 0; k < 20; k++) {
        double t = 0.02 + 0.00025 * k;
        assert_near(x[0], size * sin(w * t + phase - lag), 2e-8);
        assert_near(look(s, t, x, "u.i"), -(V * sin(w * t + phase) - x[0]) / R, 1e-12);
        rk4_run(s, t, t + 0.00025, 50, x);
    }
    lieder_system_destroy(s);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ the circuit of paper 002 */

/* The source feeds the coil and the capacitor; R1 and a branch stand in parallel to the capacitor.
 * The branch is nothing, a resistor that changes with time, or R2 and a diode that conducts for
 * u_C < 0:
 *
 *   L i' = u_S - u_C,   C u_C' = i - u_C / R1 - i_branch
 */
typedef enum Branch { BASIC, SWITCHED, IDEAL, FORWARD, SHOCKLEY, BRANCHES } Branch;
static const double R1 = 1e3, R2 = 20, L = 25.3e-6, C = 100e-9, FREQUENCY = 0.15e6, V = 5;
static const double CORNERS[][2] = {{0, 1e3}, {20e-6, 1e3}, {21e-6, 20}, {40e-6, 20}, {41e-6, 1e3}};

static void build_circuit(Lieder *session, const char *name, Branch branch)
{
    LiederModel *m = lieder_model_create(session, name, "");
    add(m, "g", "Ground", NULL, 0);
    add(m, "source", "SineVoltage", "V", V);
    lieder_model_set(m, "source.f", FREQUENCY);
    add(m, "l", "Inductor", "L", L);
    add(m, "c", "Capacitor", "C", C);
    add(m, "r1", "Resistor", "R", R1);
    join(m, "g.p source.n c.n r1.n");
    join(m, "source.p l.p");
    join(m, "l.n c.p r1.p");
    if (branch == SWITCHED) {
        add(m, "r", "VariableResistor", NULL, 0);
        lieder_model_add(m, "table", "Signals.TimeTable");
        lieder_model_set_vector(m, "table.table", CORNERS[0], sizeof CORNERS / sizeof(double));
        lieder_model_connect(m, "table.y", "r.R");
        join(m, "c.p r.p");
        join(m, "g.p r.n");
    } else if (branch != BASIC) {
        add(m, "r2", "Resistor", "R", R2);
        add(m, "d", branch == SHOCKLEY ? "ShockleyDiode" : "IdealDiode",
            branch == FORWARD ? "Vforward" : NULL, 0.7);
        join(m, "c.p d.n");
        join(m, "d.p r2.n");
        join(m, "r2.p g.p");
    }
}

/* I_S R2 (exp(u_D / U_T) - 1) + u_C + u_D = 0 by bisection: the current through the diode */
static double shockley_current(double u)
{
    double low = fmin(-u, 0) - 1, high = fmin(fmax(-u, 0), 25e-3 * 700) + 1e-9;
    for (int k = 0; k < 200; k++) {
        double middle = 0.5 * (low + high);
        if (1e-12 * R2 * expm1(middle / 25e-3) + u + middle > 0)
            high = middle;
        else
            low = middle;
    }
    return 1e-12 * expm1(low / 25e-3);
}

static double branch_current(Branch branch, double t, double u)
{
    double R = 0;
    switch (branch) {
    case SWITCHED:
        R = CORNERS[4][1];
        for (int k = 0; k < 4; k++)
            if (t >= CORNERS[k][0] && t < CORNERS[k + 1][0])
                R = CORNERS[k][1] + (t - CORNERS[k][0]) / (CORNERS[k + 1][0] - CORNERS[k][0]) *
                                        (CORNERS[k + 1][1] - CORNERS[k][1]);
        return u / R;
    case IDEAL:
        return -fmax(0, -u) / R2;
    case FORWARD:
        return -fmax(0, -u - 0.7) / R2;
    case SHOCKLEY:
        return -shockley_current(u);
    default:
        return 0;
    }
}

static void plain(Branch branch, double t, const double x[2], double dx[2])
{
    dx[0] = (V * sin(2 * 3.14159265358979323846 * FREQUENCY * t) - x[1]) / L;
    dx[1] = (x[0] - x[1] / R1 - branch_current(branch, t, x[1])) / C;
}

static void test_circuit_has_the_plain_derivatives(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (Branch branch = BASIC; branch < BRANCHES; branch++) {
        Lieder *session = session_new();
        build_circuit(session, "Circuit", branch);
        LiederSystem *s = system_new(session, "Circuit");
        size_t i = state_at(s, "l.i"), v = state_at(s, "c.v");
        for (int trial = 0; trial < 300; trial++) {
            double x[2], dx[2], y[2], dy[2], t = random_between(&seed, 0, 60e-6);
            y[0] = x[i] = random_between(&seed, -1, 1);
            y[1] = x[v] = random_between(&seed, -10, 10) * (trial % 3 ? 1 : 0.1);
            derivatives(session, s, t, x, dx);
            plain(branch, t, y, dy);
            /* sums of terms of this size, each with a few roundings */
            assert_near(dx[i], dy[0], 1e-13 * (V + 10) / L);
            assert_near(dx[v], dy[1], 1e-12 * (1 + 10 / R1 + 10 / 5.0) / C);
        }
        lieder_system_destroy(s);
        lieder_destroy(session);
    }
}

static void test_circuit_over_time(void **state)
{
    (void)state;
    enum { STEPS = 60000 };
    const double stop = 60e-6, h = stop / STEPS;
    for (Branch branch = BASIC; branch < BRANCHES; branch++) {
        double y[2] = {0, 0}, k[4][2], z[2];
        for (int n = 0; n < STEPS; n++) {
            plain(branch, n * h, y, k[0]);
            for (int q = 1; q < 4; q++) {
                for (int c = 0; c < 2; c++)
                    z[c] = y[c] + (q < 3 ? 0.5 : 1) * h * k[q - 1][c];
                plain(branch, n * h + (q < 3 ? 0.5 : 1) * h, z, k[q]);
            }
            for (int c = 0; c < 2; c++)
                y[c] += h / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
        }
        Lieder *session = session_new();
        build_circuit(session, "Circuit", branch);
        LiederSystem *s = system_new(session, "Circuit");
        size_t i = state_at(s, "l.i"), v = state_at(s, "c.v");
        LiederSimulateOptions o = lieder_simulate_defaults();
        LiederStatistics statistics;
        Last last = {.n = 2};
        o.stop = stop;
        o.output = take_last;
        o.user = &last;
        static const LiederSolver solvers[] = {LIEDER_ESDIRK23, LIEDER_BDF, LIEDER_RK4};
        for (int q = 0; q < 3; q++) {
            o.solver = solvers[q];
            o.tolerance = q == 0 ? 1e-5 : 1e-9;
            o.step = o.interval = q == 2 ? stop / 6000 : 0;
            if (lieder_simulate(s, &o, &statistics) != LIEDER_DONE) {
                lieder_diagnostic_print_all(session, stderr);
                fail_msg("branch %d, solver %d", (int)branch, q);
            }
            /* the integration beside it and fixed steps do not meet the corners of the branch and
             * err by the square of the step there */
            assert_near(last.x[i], y[0], 1e-6);
            assert_near(last.x[v], y[1], q == 1 ? 5e-6 : 2e-5);
            if (q < 2 && (branch == IDEAL || branch == FORWARD))
                assert_true(statistics.state_events >= 8); /* two each period, but for transients */
            if (q < 2 && branch == SWITCHED)
                assert_true(statistics.time_events >= 4); /* the corners */
        }
        lieder_system_destroy(s);
        lieder_destroy(session);
    }
}

/* ------------------------------------------------------------------ diodes in difficult places */

/* four diodes and a load: |v| less two forward voltages, whatever the polarity */
static void test_rectifier(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederModel *m = lieder_model_create(session, "Rectifier", "");
    add(m, "u", "SineVoltage", "V", 10);
    add(m, "load", "Resistor", "R", 100);
    add(m, "g", "Ground", NULL, 0);
    for (int k = 0; k < 4; k++) {
        char name[16], path[32];
        snprintf(name, sizeof name, "d%d", k);
        add(m, name, "IdealDiode", "Vforward", 0.7);
        snprintf(path, sizeof path, "%s.Goff", name);
        lieder_model_set(m, path, 1e-12);
    }
    join(m, "u.p d0.p d1.n");
    join(m, "u.n d2.p d3.n");
    join(m, "load.p d0.n d2.n");
    join(m, "load.n d1.p d3.p g.p");
    LiederSystem *s = system_new(session, "Rectifier");
    double x[1] = {0};
    for (int k = 0; k <= 40; k++) {
        double t = k / 40.0, u = fabs(10 * sin(2 * 3.14159265358979323846 * t));
        assert_near(look(s, t, x, "load.v"), fmax(0, u - 1.4), 1e-9); /* Goff lets 1e-11 A pass */
    }
    lieder_system_destroy(s);
    lieder_destroy(session);
}

/* The current of a coil goes on through a second diode when the source turns negative: both diodes
 * switch at the same time, and one of them would be a short circuit without the other. */
static void test_commutation(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederModel *m = lieder_model_create(session, "M", "");
    add(m, "u", "SineVoltage", "V", 10);
    lieder_model_set(m, "u.f", 50);
    add(m, "d1", "IdealDiode", "Ron", 1e-3);
    add(m, "d2", "IdealDiode", "Ron", 1e-3);
    lieder_model_set(m, "d1.Goff", 1e-6);
    lieder_model_set(m, "d2.Goff", 1e-6);
    add(m, "r", "Resistor", "R", 10);
    add(m, "l", "Inductor", "L", 0.05);
    add(m, "g", "Ground", NULL, 0);
    join(m, "u.p d1.p");
    join(m, "d1.n d2.n r.p");
    join(m, "r.n l.p");
    join(m, "u.n d2.p l.n g.p");
    LiederSystem *s = system_new(session, "M");
    double i = 0, h = 1e-6, stop = 0.05;
    for (int k = 0; k < 50000; k++) { /* Heun; one diode or the other conducts */
        double w = 2 * 3.14159265358979323846 * 50, rate[2], at = i;
        for (int q = 0; q < 2; q++) {
            rate[q] = (fmax(0, 10 * sin(w * (k + q) * h)) - (10 + 1e-3) * at) / 0.05;
            at = i + h * rate[0];
        }
        i += 0.5 * h * (rate[0] + rate[1]);
    }
    LiederSimulateOptions o = lieder_simulate_defaults();
    LiederStatistics statistics;
    Last last = {.n = 1};
    o.stop = stop;
    o.output = take_last;
    o.user = &last;
    o.tolerance = 1e-6;
    static const LiederSolver solvers[] = {LIEDER_ESDIRK23, LIEDER_BDF, LIEDER_RK2};
    for (int q = 0; q < 3; q++) {
        o.solver = solvers[q];
        o.step = o.interval = q == 2 ? 1e-4 : 0;
        if (lieder_simulate(s, &o, &statistics) != LIEDER_DONE) {
            lieder_diagnostic_print_all(session, stderr);
            fail_msg("solver %d", q);
        }
        /* what Goff adds is 1e-8; fixed steps of 1e-4 miss the corners */
        assert_near(last.x[0], i, q == 2 ? 1e-3 : 2e-5);
        if (q < 2)
            assert_in_range(statistics.state_events, 4, 12);
    }
    lieder_system_destroy(s);
    lieder_destroy(session);
}

static void test_shockley_where_exp_overflows(void **state)
{
    (void)state;
    static const double resistances[] = {1e-3, 1, 1e6},
                        volts[] = {-1000, -1, -1e-3, 0, 0.3, 1, 50, 1000};
    for (size_t a = 0; a < 3; a++)
        for (size_t b = 0; b < 8; b++) {
            Lieder *session = session_new();
            LiederModel *m = lieder_model_create(session, "M", "");
            add_battery(m, "u", volts[b]);
            add(m, "r", "Resistor", "R", resistances[a]);
            add(m, "d", "ShockleyDiode", NULL, 0);
            add(m, "g", "Ground", NULL, 0);
            join(m, "u.p r.p");
            join(m, "r.n d.p");
            join(m, "d.n u.n g.p");
            LiederSystem *s = system_new(session, "M");
            double x[1] = {0}, v = look(s, 0, x, "d.v"), i = look(s, 0, x, "d.i");
            assert_near(v + resistances[a] * i, volts[b], 1e-12 * fabs(volts[b]) + 1e-18);
            /* where the current is what the resistor lets pass, it has the digits of 1000 V */
            assert_near(i, 1e-12 * expm1(v / 25e-3), 1e-10 * fabs(i) + 1e-24);
            lieder_system_destroy(s);
            lieder_destroy(session);
        }
    /* no resistor at all: beyond what exp can do the curve is straight */
    Lieder *session = session_new();
    LiederModel *m = lieder_model_create(session, "Short", "");
    add_battery(m, "u", 100);
    add(m, "d", "ShockleyDiode", NULL, 0);
    add(m, "g", "Ground", NULL, 0);
    join(m, "u.p d.p");
    join(m, "d.n u.n g.p");
    LiederSystem *s = system_new(session, "Short");
    double x[1] = {0}, i = look(s, 0, x, "d.i");
    assert_true(isfinite(i) && i > 1e80);
    lieder_system_destroy(s);
    lieder_destroy(session);
}

/* what was evaluated before leaves no trace: the same bits, and a run may be split */
static void test_no_memory_of_the_past(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (Branch branch = SWITCHED; branch < BRANCHES; branch++) {
        Lieder *session = session_new();
        build_circuit(session, "Circuit", branch);
        LiederSystem *s = system_new(session, "Circuit");
        double x[2] = {0.3, -0.8}, dx[2], again[2], far[2];
        derivatives(session, s, 1e-6, x, dx);
        for (int k = 0; k < 20; k++) {
            double y[2] = {random_between(&seed, -1, 1), random_between(&seed, -20, 20)};
            derivatives(session, s, 30e-6, y, far);
            look(s, 2e-6, y, "r1.i");
            derivatives(session, s, 1e-6, x, again);
            assert_memory_equal(dx, again, sizeof dx);
        }
        double whole[2] = {0, 0}, split[2] = {0, 0};
        assert_int_equal(lieder_step(s, LIEDER_RK4, 0, 1e-8, 2000, whole), LIEDER_DONE);
        LiederSystem *other = system_new(session, "Circuit");
        assert_int_equal(lieder_step(s, LIEDER_RK4, 0, 1e-8, 1024, split), LIEDER_DONE);
        assert_int_equal(lieder_step(other, LIEDER_RK4, 1024 * 1e-8, 1e-8, 976, split),
                         LIEDER_DONE);
        assert_near(whole[0], split[0], 1e-12); /* times are sums, so not to the last bit */
        assert_near(whole[1], split[1], 1e-11);
        lieder_system_destroy(other);
        lieder_system_destroy(s);
        lieder_destroy(session);
    }
}

/* ------------------------------------------------------------------ beside other things */

/* lanes with different parameters, and mechanics in the same model */
static void test_lanes_and_mechanics(void **state)
{
    (void)state;
    Lieder *session = session_new();
    build_circuit(session, "Circuit", SHOCKLEY);
    static const double R[5] = {10, 20, 30, 40, 1e-3};
    LiederModel *m = lieder_model_create(session, "Mixed", "");
    lieder_model_add(m, "world", "World");
    lieder_model_add_array(m, "circuit", "Circuit", 5);
    lieder_model_set_each(m, "circuit.r2.R", R, 5);
    lieder_model_add(m, "crab", "Examples.CraneCrab");
    LiederModel *alone = lieder_model_create(session, "Alone", "");
    lieder_model_add(alone, "world", "World");
    lieder_model_add(alone, "crab", "Examples.CraneCrab");
    LiederSystem *mixed = system_new(session, "Mixed"), *one = system_new(session, "Circuit");
    LiederSystem *crab = system_new(session, "Alone");
    double *x = state_new(mixed), *dx = state_new(mixed), *y = state_new(crab),
           *dy = state_new(crab);
    char path[64];
    for (int k = 0; k < 5; k++) {
        snprintf(path, sizeof path, "circuit[%d].c.v", k + 1);
        x[state_at(mixed, path)] = k - 2.5;
    }
    derivatives(session, mixed, 1e-6, x, dx);
    derivatives(session, crab, 1e-6, y, dy);
    for (size_t i = 0; i < lieder_system_state_count(crab); i++)
        assert_true(dx[state_at(mixed, lieder_system_state_name(crab, i, path, sizeof path))] ==
                    dy[i]);
    for (int k = 0; k < 5; k++) {
        double z[2] = {0, 0}, dz[2];
        assert_int_equal(lieder_system_set(one, "r2.R", R[k]), LIEDER_DONE);
        z[state_at(one, "c.v")] = k - 2.5;
        derivatives(session, one, 1e-6, z, dz);
        snprintf(path, sizeof path, "circuit[%d].c.v", k + 1);
        assert_true(dx[state_at(mixed, path)] == dz[state_at(one, "c.v")]);
    }
    free(x);
    free(dx);
    free(y);
    free(dy);
    lieder_system_destroy(mixed);
    lieder_system_destroy(one);
    lieder_system_destroy(crab);
    lieder_destroy(session);
}

/* a slider moves a resistor: one shape with joints and free nodes */
static void test_sensor_moves_resistor(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederModel *m = lieder_model_create(session, "M", "");
    lieder_model_add(m, "world", "World");
    lieder_model_add(m, "o", "Examples.SpringMass");
    lieder_model_set(m, "o.joint.s", 3);
    LiederModel *alone = lieder_model_create(session, "Alone", "");
    lieder_model_add(alone, "world", "World");
    lieder_model_add(alone, "o", "Examples.SpringMass");
    lieder_model_set(alone, "o.joint.s", 3);
    lieder_model_add(m, "sensor", "Translational.PositionSensor");
    lieder_model_set(m, "sensor.filtered", 0);
    lieder_model_connect(m, "sensor.flange", "o.joint.flange_b");
    add_battery(m, "u", 12);
    add(m, "r", "VariableResistor", NULL, 0);
    add(m, "g", "Ground", NULL, 0);
    lieder_model_connect(m, "sensor.y", "r.R");
    join(m, "u.p r.p");
    join(m, "u.n r.n g.p");
    for (LiederMethod method = LIEDER_METHOD_AUTO; method <= LIEDER_METHOD_PROBE; method++) {
        LiederSystem *s = system_by(session, "M", method), *a = system_new(session, "Alone");
        double *x = state_new(s), *dx = state_new(s), *y = state_new(a), *dy = state_new(a);
        char path[64];
        derivatives(session, s, 0, x, dx);
        derivatives(session, a, 0, y, dy);
        for (size_t i = 0; i < lieder_system_state_count(a); i++) {
            size_t k = state_at(s, lieder_system_state_name(a, i, path, sizeof path));
            assert_near(dx[k], dy[i], 1e-12 * (1 + fabs(dy[i])));
        }
        assert_near(look(s, 0, x, "r.i"), 4, 1e-14);
        free(x);
        free(dx);
        free(y);
        free(dy);
        lieder_system_destroy(s);
        lieder_system_destroy(a);
    }
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ what must be refused */

/* a model from a list of classes a, b, c ... and lists of pins; it must not become a system */
static void refuse(const char *const *classes, const char *const *nets, const char *path,
                   const char *text, LiederStatus at_run_time)
{
    Lieder *session = session_new();
    LiederModel *m = lieder_model_create(session, "M", "");
    for (int k = 0; classes[k]; k++)
        add(m, (char[2]){(char)('a' + k), 0}, classes[k], NULL, 0);
    for (int k = 0; nets[k]; k++)
        join(m, nets[k]);
    for (LiederMethod method = LIEDER_METHOD_SPARSE; method <= LIEDER_METHOD_PROBE; method++) {
        LiederSystemOptions o = {.method = method};
        lieder_diagnostic_clear(session);
        LiederSystem *s = lieder_system_create(session, "M", &o);
        if (at_run_time == LIEDER_DONE) {
            assert_null(s);
        } else {
            assert_non_null(s);
            double *x = state_new(s), *dx = state_new(s);
            assert_int_equal(lieder_system_derivatives(s, 0, x, dx), at_run_time);
            LiederSimulateOptions run = lieder_simulate_defaults();
            if (lieder_system_state_count(s) > 0)
                assert_int_equal(lieder_simulate(s, &run, NULL), at_run_time);
            free(x);
            free(dx);
        }
        assert_said(session, path, text);
        lieder_system_destroy(s);
    }
    lieder_destroy(session);
}
#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_wrong_networks(void **state)
{
    (void)state;
    /* at instantiation */
    refuse(LIST("SineVoltage", "Resistor"), LIST("a.p b.p", "a.n b.n"), "a",
           "add an Electrical.Ground", LIEDER_DONE);
    refuse(LIST("SineVoltage", "Resistor", "Ground"), LIST("a.p b.p", "a.n c.p"), "b",
           "port n is not connected", LIEDER_DONE);
    refuse(LIST("Resistor", "Ground", "Ground"), LIST("a.p b.p c.p", "a.n b.p"), "c",
           "both are fixed", LIEDER_DONE);
    refuse(LIST("VariableResistor", "SineVoltage", "Ground"), LIST("a.p b.p", "a.n b.n c.p"), "a",
           "input R is not connected", LIEDER_DONE);
    /* no unique solution */
    refuse(LIST("SineVoltage", "SineVoltage", "Resistor", "Ground"),
           LIST("a.p b.p c.p", "a.n b.n c.n d.p"), NULL, "no unique solution", LIEDER_SINGULAR);
    refuse(LIST("Capacitor", "Capacitor", "Capacitor", "Ground", "Resistor"),
           LIST("a.p b.p e.p", "b.n c.p", "a.n c.n d.p e.n"), NULL, "no unique solution",
           LIEDER_SINGULAR);
    refuse(LIST("Capacitor", "Ground"), LIST("a.p a.n b.p"), "a", "no unique solution",
           LIEDER_SINGULAR);
    refuse(LIST("Inductor", "Inductor", "SineVoltage", "Ground"),
           LIST("a.p c.p", "a.n b.p", "b.n c.n d.p"), NULL, "no unique solution", LIEDER_SINGULAR);
    refuse(LIST("IdealDiode", "IdealDiode", "SineVoltage", "Ground"),
           LIST("a.p c.p", "a.n b.n", "b.p c.n d.p"), NULL, "no unique solution", LIEDER_SINGULAR);
}

/* one network hangs on the ground, the other only on the same signal */
static void test_each_part_needs_a_ground(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederModel *m = lieder_model_create(session, "M", "");
    lieder_model_add(m, "k", "Signals.Constant");
    add(m, "g", "Ground", NULL, 0);
    for (int part = 0; part < 2; part++) {
        char pins[64];
        add(m, part ? "u2" : "u1", "SineVoltage", NULL, 0);
        add(m, part ? "r2" : "r1", "VariableResistor", NULL, 0);
        lieder_model_connect(m, "k.y", part ? "r2.R" : "r1.R");
        snprintf(pins, sizeof pins, "u%d.p r%d.p", part + 1, part + 1);
        join(m, pins);
        snprintf(pins, sizeof pins, "u%d.n r%d.n%s", part + 1, part + 1, part ? "" : " g.p");
        join(m, pins);
    }
    assert_null(lieder_system_create(session, "M", NULL));
    assert_int_equal(lieder_diagnostic_count(session), 1);
    assert_said(session, NULL, "add an Electrical.Ground");
    assert_true(strchr(lieder_diagnostic_get(session, 0)->path, '2') != NULL);
    lieder_destroy(session);
}

/* a leaf whose unknown force holds its flange */
typedef struct Stuck {
    real f, residual;
} Stuck;

static inline void stuck_inward(Stuck *c, Flange *a, Call call)
{
    (void)call;
    a->f_el = c->f;
    c->residual = a->a;
}

#define CLASS       Stuck
#define PORTS(X)    X(0, IN, Flange)
#define UNKNOWNS(X) X(0, f, residual)
#define INWARD      stuck_inward
#include <lieder/kernels.inc>

/* outside networks the unknown of a leaf is solved for as well: it carries the weight and the mass
 * does not move */
static void test_leaf_with_unknown_in_a_tree(void **state)
{
    (void)state;
    static const LiederPortDef ports[] = {PORT_IN("flange", lieder_translational, "flange")};
    static const LiederMember members[] = {UNKNOWN(Stuck, f, residual, "N", "force")};
    static const LiederClassDef class_ = {.name = "Test.Stuck",
                                          .nport = 1,
                                          .ports = ports,
                                          .nmember = 1,
                                          .members = members,
                                          .kernels = &Stuck_kernels};
    Lieder *session = session_new();
    assert_int_equal(lieder_class_register(session, &class_), LIEDER_DONE);
    LiederModel *m = lieder_model_create(session, "M", "");
    lieder_model_add(m, "fixed", "Translational.Fixed");
    lieder_model_add(m, "joint", "Translational.Joint");
    lieder_model_add(m, "mass", "Translational.Body");
    lieder_model_add(m, "stuck", "Test.Stuck");
    lieder_model_set(m, "mass.m", 2);
    lieder_model_connect(m, "fixed.flange_b", "joint.flange_a");
    lieder_model_connect(m, "joint.flange_b", "mass.flange_a");
    lieder_model_connect(m, "joint.flange_b", "stuck.flange");
    LiederSystem *system = system_new(session, "M");
    double x[2] = {0, 0}, dx[2];
    derivatives(session, system, 0, x, dx);
    assert_near(dx[state_at(system, "joint.v")], 0, 1e-14);
    assert_near(look(system, 0, x, "stuck.f"), -2 * 9.81, 1e-13);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* the k-th allocation fails, from the first to the last of making a network ready */
static void test_allocation_fails(void **state)
{
    (void)state;
    for (LiederMethod method = LIEDER_METHOD_SPARSE; method <= LIEDER_METHOD_PROBE; method++) {
        Meter meter = {0};
        LiederAllocator alloc = METER_ALLOCATOR(&meter);
        LiederSystemOptions o = {.method = method};
        bool made = false;
        for (size_t k = 1; !made; k++) {
            meter.fail_at = 0;
            Lieder *session = lieder_create(&alloc);
            assert_non_null(session);
            build_circuit(session, "Circuit", SHOCKLEY);
            meter.calls = 0;
            meter.fail_at = k;
            LiederSystem *s = lieder_system_create(session, "Circuit", &o);
            made = s && meter.calls < k;
            lieder_system_destroy(s);
            lieder_destroy(session);
            assert_int_equal(meter.live, 0);
            assert_int_equal(meter.wrong, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws_of_linear_networks),
        cmocka_unit_test(test_laws_with_diodes),
        cmocka_unit_test(test_divider_and_bridge),
        cmocka_unit_test(test_transients),
        cmocka_unit_test(test_sine_in_steady_state),
        cmocka_unit_test(test_circuit_has_the_plain_derivatives),
        cmocka_unit_test(test_circuit_over_time),
        cmocka_unit_test(test_rectifier),
        cmocka_unit_test(test_commutation),
        cmocka_unit_test(test_shockley_where_exp_overflows),
        cmocka_unit_test(test_no_memory_of_the_past),
        cmocka_unit_test(test_lanes_and_mechanics),
        cmocka_unit_test(test_sensor_moves_resistor),
        cmocka_unit_test(test_wrong_networks),
        cmocka_unit_test(test_each_part_needs_a_ground),
        cmocka_unit_test(test_leaf_with_unknown_in_a_tree),
        cmocka_unit_test(test_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
