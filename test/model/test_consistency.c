/* test_consistency.c - what must hold in every model, on random ones: potentials are the
 * derivatives of signals, s' = v + T_D v', flows add up to zero at every node, and the reaction
 * at the root carries all momentum and all weight. */
#include "help/random_model.h"

#include "model/system/system.h"

enum { MAX_PORTS = 6 }; /* of the library's classes */

/* an observer on every variable of every port, with where to find them */
typedef struct Watched {
    LiederSystem *system;
    LiederObserver *observer;
    size_t *first; /* by shape, component and port */
    double *now, *before, *after;
} Watched;

static Watched watch_ports(LiederSystem *system)
{
    Watched w = {system, lieder_observer_create(system), NULL, NULL, NULL, NULL};
    size_t n = 0;
    for (size_t s = 0; s < system->shapes.n; s++)
        n += system->shapes.items[s].shape->components.n * MAX_PORTS;
    w.first = calloc(n, sizeof *w.first);
    n = 0;
    for (size_t s = 0; s < system->shapes.n; s++) {
        const SystemShape *ss = &system->shapes.items[s];
        for (uint32_t i = 0; i < ss->shape->components.n; i++) {
            const LiederClassDef *def = ss->shape->components.items[i].class_->def;
            char component[64], path[128];
            lane_path(system, ss, i, 0, component, sizeof component);
            for (int p = 0; p < MAX_PORTS; p++, n++) {
                w.first[n] = lieder_observer_count(w.observer);
                if (p >= def->nport)
                    continue;
                const LiederDomain *d = def->ports[p].domain;
                for (int v = 0; v < d->nsignal + d->npotential + d->nflow * d->nregime; v++) {
                    snprintf(path, sizeof path, "%s.%s.%s", component, def->ports[p].name,
                             d->variables[v].name);
                    if (lieder_observer_add(w.observer, path) < 0)
                        fail_msg("no variable %s", path);
                }
            }
        }
    }
    n = lieder_observer_count(w.observer);
    w.now = malloc((n + 1) * sizeof *w.now);
    w.before = malloc((n + 1) * sizeof *w.before);
    w.after = malloc((n + 1) * sizeof *w.after);
    return w;
}

static void watch_drop(Watched *w)
{
    lieder_observer_destroy(w->observer);
    free(w->first);
    free(w->now);
    free(w->before);
    free(w->after);
}

/* position and velocity of every port move as its potentials say; central differences */
static void check_differentiation(Watched *w, const double *x, const double *dx)
{
    size_t n = lieder_system_state_count(w->system), at = 0;
    double *y = malloc((n + 1) * sizeof *y), h = 1e-6, rate = 1;
    for (size_t i = 0; i < n; i++)
        rate = fmax(rate, fabs(dx[i]));
    h /= rate;
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] - h * dx[i];
    assert_int_equal(lieder_observer_evaluate(w->observer, 0, y, w->before), LIEDER_DONE);
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] + h * dx[i];
    assert_int_equal(lieder_observer_evaluate(w->observer, 0, y, w->after), LIEDER_DONE);
    for (size_t s = 0; s < w->system->shapes.n; s++) {
        const Shape *shape = w->system->shapes.items[s].shape;
        for (uint32_t i = 0; i < shape->components.n; i++)
            for (int p = 0; p < MAX_PORTS; p++, at++) {
                const LiederClassDef *def = shape->components.items[i].class_->def;
                if (p >= def->nport || def->ports[p].domain->npotential == 0)
                    continue;
                int ns = def->ports[p].domain->nsignal;
                for (int k = 0; k < ns; k++) {
                    size_t from = w->first[at] + (size_t)k;
                    double slope = (w->after[from] - w->before[from]) / (2 * h);
                    double potential = w->now[from + (size_t)ns];
                    /* h^2 times third derivatives, and cancellation 1e-16 / h */
                    if (!(fabs(slope - potential) <= 1e-7 * rate * (1 + fabs(w->now[from]))))
                        fail_msg("%s port %d variable %d: slope %.12g, potential %.12g",
                                 shape->components.items[i].class_->name, p, k, slope, potential);
                }
            }
    }
    free(y);
}

/* flows at every node, regime by regime */
static void check_balance(Watched *w)
{
    size_t before = 0;
    for (size_t s = 0; s < w->system->shapes.n; s++) {
        const Shape *shape = w->system->shapes.items[s].shape;
        for (size_t n = 0; n < shape->nodes.n; n++) {
            const ShapeNode *node = &shape->nodes.items[n];
            const LiederDomain *d = node->domain;
            for (int k = 0; k < d->nflow * d->nregime; k++) {
                double sum = 0, size = 1;
                for (uint32_t t = node->first_taker; t < node->first_taker + node->ntaker; t++) {
                    const Taker *taker = &shape->takers.items[t];
                    size_t at =
                        w->first[before + taker->component * MAX_PORTS + (size_t)taker->port];
                    double flow = w->now[at + (size_t)(d->nsignal + d->npotential + k)];
                    sum += flow;
                    size += fabs(flow);
                }
                assert_near(sum, 0, 1e-14 * size); /* rounding of one sum */
            }
        }
        before += shape->components.n * MAX_PORTS;
    }
}

static void signals_potentials_and_flows(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        Lieder *session = session_new();
        random_model(session, "R", seed,
                     (RandomOptions){.joints = 1 + seed % 12,
                                     .loops = seed % 4,
                                     .damped = seed % 2,
                                     .stiffness = 100,
                                     .time_constant = 2e-2});
        LiederSystem *system = system_new(session, "R");
        size_t n = lieder_system_state_count(system);
        double *x = malloc((n + 1) * sizeof *x), *dx = malloc((n + 1) * sizeof *dx);
        Watched w = watch_ports(system);
        uint64_t bits = seed;
        random_fill(&bits, x, n, -1, 1);
        derivatives(session, system, 0, x, dx);
        assert_int_equal(lieder_observer_evaluate(w.observer, 0, x, w.now), LIEDER_DONE);
        check_balance(&w);
        check_differentiation(&w, x, dx);
        watch_drop(&w);
        free(x);
        free(dx);
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
}

/* s' = v + T_D v' for every pair of states of every joint */
static void every_joint_is_dialectic(void **state)
{
    (void)state;
    for (uint64_t seed = 101; seed <= 130; seed++) {
        Lieder *session = session_new();
        random_model(session, "R", seed, (RandomOptions){.joints = 10, .time_constant = 0.1});
        LiederSystem *system = system_new(session, "R");
        size_t n = lieder_system_state_count(system), npair = 0;
        double *x = malloc((n + 1) * sizeof *x), *dx = malloc((n + 1) * sizeof *dx);
        uint64_t bits = seed;
        random_fill(&bits, x, n, -1, 1);
        derivatives(session, system, 0, x, dx);
        static const char *const pairs[][2] = {
            {".s", ".v"}, {".phi", ".w"}, {".x", ".vx"}, {".y", ".vy"}};
        for (size_t i = 0; i < n; i++)
            for (int k = 0; k < 4; k++) {
                char name[64], other[96];
                double TD;
                lieder_system_state_name(system, i, name, sizeof name);
                char *dot = strrchr(name, '.');
                if (strcmp(dot, pairs[k][0]) != 0)
                    continue;
                *dot = '\0';
                snprintf(other, sizeof other, "%s%s", name, pairs[k][1]);
                size_t v = state_at(system, other);
                snprintf(other, sizeof other, "%s.TD", name);
                assert_int_equal(lieder_system_get(system, other, &TD), LIEDER_DONE);
                assert_near(dx[i], x[v] + TD * dx[v], 1e-14 * (1 + fabs(TD * dx[v])));
                npair++;
            }
        assert_int_equal(2 * npair, n);
        free(x);
        free(dx);
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
}

/* force and moment at the root against m a, m g and I z of all bodies */
static void root_carries_everything(void **state)
{
    (void)state;
    for (uint64_t seed = 201; seed <= 240; seed++) {
        Lieder *session = session_new();
        random_model(session, "R", seed,
                     (RandomOptions){.joints = 1 + seed % 15,
                                     .loops = seed % 3,
                                     .damped = 1,
                                     .stiffness = 100,
                                     .time_constant = 1e-2,
                                     .planar = true});
        LiederSystem *system = system_new(session, "R");
        size_t n = lieder_system_state_count(system);
        double *x = malloc((n + 1) * sizeof *x), total[3] = {0}, size = 1;
        uint64_t bits = seed;
        random_fill(&bits, x, n, -1, 1);
        double px = look(system, 0, x, "p0.frame.x"), py = look(system, 0, x, "p0.frame.y");
        for (size_t s = 0; s < system->shapes.n; s++) {
            const SystemShape *ss = &system->shapes.items[s];
            for (uint32_t i = 0; i < ss->shape->components.n; i++) {
                if (strcmp(ss->shape->components.items[i].class_->name, "Planar.Body") != 0)
                    continue;
                static const char *const names[] = {"m",          "I",         "g",
                                                    "frame_a.x",  "frame_a.y", "frame_a.ax",
                                                    "frame_a.ay", "frame_a.z"};
                double v[8];
                for (int k = 0; k < 8; k++) {
                    char component[64], path[128];
                    lane_path(system, ss, i, 0, component, sizeof component);
                    snprintf(path, sizeof path, "%s.%s", component, names[k]);
                    v[k] = look(system, 0, x, path);
                }
                double fx = v[0] * v[5], fy = v[0] * (v[6] + v[2]);
                total[0] += fx;
                total[1] += fy;
                total[2] += (v[3] - px) * fy - (v[4] - py) * fx + v[1] * v[7];
                size += fabs(fx) + fabs(fy) + fabs(v[1] * v[7]);
            }
        }
        static const char *const root[3][2] = {{"p0.frame.fx_el", "p0.frame.fx_ki"},
                                               {"p0.frame.fy_el", "p0.frame.fy_ki"},
                                               {"p0.frame.t_el", "p0.frame.t_ki"}};
        for (int k = 0; k < 3; k++) {
            double reaction = look(system, 0, x, root[k][0]) + look(system, 0, x, root[k][1]);
            /* springs that end at the root pull there too, but their moment does not: they act
             * along the world's axes at their ends, not along the line between them */
            if (k == 2 && seed % 3)
                continue;
            if (!(fabs(reaction + total[k]) <= 1e-11 * size)) /* arms up to 20 m */
                fail_msg("seed %llu: reaction %d is %.12g, all bodies together %.12g",
                         (unsigned long long)seed, k, reaction, total[k]);
        }
        free(x);
        lieder_system_destroy(system);
        lieder_destroy(session);
    }
}

/* the same numbers however often and in whatever order one asks, and der() is the derivative */
static void looking_changes_nothing(void **state)
{
    (void)state;
    for (int method = LIEDER_METHOD_TREE; method <= LIEDER_METHOD_PROBE; method++)
        for (uint64_t seed = 301; seed <= 315; seed++) {
            Lieder *session = session_new();
            random_model(session, "R", seed,
                         (RandomOptions){.joints = 1 + seed % 12,
                                         .loops = seed % 4,
                                         .damped = 1,
                                         .stiffness = 100,
                                         .time_constant = 1e-2});
            LiederSystem *system = system_new_with(
                session, "R", (LiederSystemOptions){.method = (LiederMethod)method});
            size_t n = lieder_system_state_count(system), bytes = n * sizeof(double);
            double *x = malloc(bytes), *dx = malloc(bytes), *again = malloc(bytes);
            double *seen = malloc(bytes);
            Watched w = watch_ports(system);
            LiederObserver *slopes = lieder_observer_create(system);
            for (size_t i = 0; i < n; i++) {
                char name[64], path[80];
                lieder_system_state_name(system, i, name, sizeof name);
                snprintf(path, sizeof path, "der(%s)", name);
                assert_int_equal(lieder_observer_add(slopes, path), i);
            }
            size_t nport = lieder_observer_count(w.observer);
            uint64_t bits = seed;
            random_fill(&bits, x, n, -1, 1);
            derivatives(session, system, 0, x, dx);
            assert_int_equal(lieder_observer_evaluate(w.observer, 0, x, w.now), LIEDER_DONE);
            derivatives(session, system, 0, x, again);
            assert_memory_equal(dx, again, bytes);
            random_fill(&bits, x, n, -1, 1);
            assert_int_equal(lieder_observer_evaluate(w.observer, 0, x, w.before), LIEDER_DONE);
            bits = seed;
            random_fill(&bits, x, n, -1, 1);
            assert_int_equal(lieder_observer_evaluate(w.observer, 0, x, w.after), LIEDER_DONE);
            for (size_t i = 0; i < nport; i++)
                if (memcmp(&w.now[i], &w.after[i], sizeof(double)) != 0)
                    fail_msg("method %d, seed %llu: port variable %zu is %.17g, then %.17g", method,
                             (unsigned long long)seed, i, w.now[i], w.after[i]);
            assert_int_equal(lieder_observer_evaluate(slopes, 0, x, seen), LIEDER_DONE);
            for (size_t i = 0; i < n; i++) /* the lean and the full program: rounding apart */
                assert_near(seen[i], dx[i], 1e-10 * (1 + fabs(dx[i])));
            lieder_observer_destroy(slopes);
            watch_drop(&w);
            free(x);
            free(dx);
            free(again);
            free(seen);
            lieder_system_destroy(system);
            lieder_destroy(session);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looking_changes_nothing),
        cmocka_unit_test(signals_potentials_and_flows),
        cmocka_unit_test(every_joint_is_dialectic),
        cmocka_unit_test(root_carries_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
