/* test_class_kinds.c - what a class may be: as large as it likes, with lanes that have clocks of
 * their own. Every result is compared with equations written down here. */
#include "help/engine.h"

#include <lieder/mechanics.h>

#include "model/system.h"

static void registered(Lieder *session, const LiederClassDef *def)
{
    if (lieder_class_register(session, def) != LIEDER_DONE) {
        lieder_diagnostic_print_all(session, stderr);
        fail_msg("class %s was refused", def->name);
    }
}

/* ------------------------------------------------------------------ 200 members, 20 ports */

/* Six slides beside each other on one base, three more flanges fixed to it, five inputs, five
 * outputs. Slide i is pushed by p[i] times input i mod 5; output j is the input plus the
 * parameters p[20 j] ... p[20 j + 19]. */
enum { SLIDES = 6, NUMBERS = 170, INPUTS = 5 };
typedef struct Wide {
    real p[NUMBERS];
    real event_at, doubled, held, held_rate; /* slots 170, 171 and a state that `doubled` brings */
    real s[SLIDES], v[SLIDES], a[SLIDES], v_el[SLIDES], residual[SLIDES];
    real force[SLIDES];
} Wide;

#define WIDE_PORTS                                                                                 \
    Wide *c, Flange *in, Flange *o1, Flange *o2, Flange *o3, Flange *o4, Flange *o5, Flange *o6,   \
        Flange *o7, Flange *o8, Flange *o9, Signal *u1, Signal *u2, Signal *u3, Signal *u4,        \
        Signal *u5, Signal *y1, Signal *y2, Signal *y3, Signal *y4, Signal *y5, Call call
#define WIDE_OUT                                                                                   \
    Flange *const out[] = {o1, o2, o3, o4, o5, o6, o7, o8, o9};                                    \
    Signal *const u[] = {u1, u2, u3, u4, u5}, *const y[] = {y1, y2, y3, y4, y5};                   \
    (void)c, (void)in, (void)out, (void)u, (void)y, (void)call

static inline void wide_explicit(WIDE_PORTS)
{
    WIDE_OUT;
    for (int i = 0; i < 9; i++) {
        out[i]->s = in->s;
        out[i]->v = in->v;
    }
    for (int i = 0; i < SLIDES; i++) {
        out[i]->s = in->s + c->s[i];
        out[i]->v = in->v + c->v[i];
        c->force[i] = c->p[i] * u[i % INPUTS]->y;
    }
    for (int j = 0; j < INPUTS; j++) {
        y[j]->y = u[j]->y;
        for (int k = 0; k < 20; k++)
            y[j]->y = y[j]->y + c->p[20 * j + k];
    }
    c->held_rate = REAL(1.0);
}

static inline void wide_outward(WIDE_PORTS)
{
    WIDE_OUT;
    for (int i = 0; i < 9; i++) {
        out[i]->v_el = in->v_el;
        out[i]->a = in->a;
    }
    for (int i = 0; i < SLIDES; i++) {
        c->v_el[i] = constant_term(c->v[i]);
        out[i]->v_el = in->v_el + c->v_el[i];
        out[i]->a = in->a + c->a[i];
    }
}

static inline void wide_inward(WIDE_PORTS)
{
    WIDE_OUT;
    in->f_el = in->f_ki = REAL(0.0);
    for (int i = 0; i < 9; i++) {
        in->f_el = in->f_el - out[i]->f_el;
        in->f_ki = in->f_ki - out[i]->f_ki;
    }
    for (int i = 0; i < SLIDES; i++)
        c->residual[i] = out[i]->f_el + out[i]->f_ki + constant_term(c->force[i]);
}

#define CLASS Wide
#define PORTS(X)                                                                                   \
    X(0, IN, Flange)                                                                               \
    X(1, OUT, Flange)                                                                              \
    X(2, OUT, Flange)                                                                              \
    X(3, OUT, Flange)                                                                              \
    X(4, OUT, Flange)                                                                              \
    X(5, OUT, Flange)                                                                              \
    X(6, OUT, Flange)                                                                              \
    X(7, OUT, Flange)                                                                              \
    X(8, OUT, Flange)                                                                              \
    X(9, OUT, Flange)                                                                              \
    X(10, IN, Signal)                                                                              \
    X(11, IN, Signal)                                                                              \
    X(12, IN, Signal)                                                                              \
    X(13, IN, Signal)                                                                              \
    X(14, IN, Signal)                                                                              \
    X(15, OUT, Signal)                                                                             \
    X(16, OUT, Signal)                                                                             \
    X(17, OUT, Signal)                                                                             \
    X(18, OUT, Signal)                                                                             \
    X(19, OUT, Signal)
#define UNKNOWNS(X)                                                                                \
    X(0, a[0], residual[0])                                                                        \
    X(1, a[1], residual[1])                                                                        \
    X(2, a[2], residual[2])                                                                        \
    X(3, a[3], residual[3])                                                                        \
    X(4, a[4], residual[4])                                                                        \
    X(5, a[5], residual[5])
#define EXPLICIT wide_explicit
#define OUTWARD  wide_outward
#define INWARD   wide_inward
#include <lieder/kernels.inc>

static const char *wide_check(const double *values)
{
    return values[NUMBERS - 1] > 100 ? "the last number is too large" : NULL;
}

static double wide_next(const double *values, const LiederTable *table, double t)
{
    (void)table;
    return t < values[NUMBERS] ? values[NUMBERS] : INFINITY;
}

typedef struct WideTable {
    LiederPortDef ports[20];
    LiederMember members[NUMBERS + 3 + 3 * SLIDES + SLIDES];
    char names[NUMBERS + 20 + 4 * SLIDES][8];
    LiederClassDef def;
} WideTable;

/* a name of a letter and a number that stays where it is */
static const char *wide_name(WideTable *t, size_t *n, const char *letter, int number)
{
    snprintf(t->names[*n], sizeof *t->names, "%s%d", letter, number);
    return t->names[(*n)++];
}

static void make_wide(WideTable *t)
{
    size_t name = 0;
    int n = 0;
    for (int i = 0; i < 20; i++) {
        bool flange = i < 10, in = i == 0 || (i >= 10 && i < 15);
        const char *letter = flange ? (in ? "in" : "o") : in ? "u" : "y";
        t->ports[i] = (LiederPortDef){.name = wide_name(t, &name, letter, flange ? i : i % 5 + 1),
                                      .domain = flange ? &lieder_translational : &lieder_signal,
                                      .role = in ? LIEDER_IN : LIEDER_OUT,
                                      .optional = i > 0,
                                      .text = ""};
    }
    for (int i = 0; i < NUMBERS; i++)
        t->members[n++] = (LiederMember){.kind = LIEDER_PARAMETER,
                                         .name = wide_name(t, &name, "p", i + 1),
                                         .unit = "",
                                         .index = i,
                                         .length = 1,
                                         .fallback = 0.25 * i,
                                         ANY,
                                         .text = ""};
    t->members[n++] = (LiederMember)PARAMETER(Wide, event_at, "s", 7, ANY, "");
    t->members[n++] = (LiederMember)SWITCH(Wide, doubled, 0, "");
    t->members[n++] = (LiederMember)STATE_IF(doubled, Wide, held, held_rate, "", 3, "");
    for (int i = 0; i < SLIDES; i++) {
        LiederMember s = STATE(Wide, s[0], v_el[0], "m", 0, ""),
                     v = STATE(Wide, v[0], a[0], "m/s", 0, ""),
                     a = UNKNOWN(Wide, a[0], residual[0], "m/s2", ""),
                     force = OBSERVABLE(Wide, force[0], "N", "");
        LiederMember *const all[] = {&s, &v, &a, &force};
        const char *const letters[] = {"s", "v", "a", "f"};
        for (int k = 0; k < 4; k++) {
            all[k]->name = wide_name(t, &name, letters[k], i + 1);
            all[k]->index += i;
            all[k]->other += k < 3 ? i : 0;
            t->members[n++] = *all[k];
        }
    }
    t->def = (LiederClassDef){.name = "Own.Wide",
                              .text = "",
                              .nport = 20,
                              .ports = t->ports,
                              .nmember = n,
                              .members = t->members,
                              .kernels = &Wide_kernels,
                              .next_time = wide_next,
                              .check = wide_check};
}

static LiederModel *wide_model(Lieder *session, const char *name)
{
    char port[32], flange[32];
    LiederModel *m = lieder_model_create(session, name, "");
    lieder_model_add(m, "fixed", "Translational.Fixed");
    lieder_model_add(m, "wide", "Own.Wide");
    lieder_model_connect(m, "fixed.flange_b", "wide.in0");
    lieder_model_add_array(m, "mass", "Translational.Body", SLIDES + 1);
    for (int i = 1; i <= SLIDES + 1; i++) {
        snprintf(port, sizeof port, "mass[%d].m", i);
        lieder_model_set(m, port, i);
        snprintf(port, sizeof port, "wide.o%d", i);
        snprintf(flange, sizeof flange, "mass[%d].flange_a", i);
        lieder_model_connect(m, port, flange);
    }
    for (int j = 1; j <= INPUTS; j++) {
        snprintf(port, sizeof port, "wide.u%d", j);
        lieder_model_set(m, port, 10 * j);
    }
    return m;
}

/* m a = p u - m g for every slide, outputs and all; every method, one lane and several */
static void two_hundred_members_and_twenty_ports(void **state)
{
    (void)state;
    Lieder *session = session_new();
    static WideTable wide;
    make_wide(&wide);
    assert_true(wide.def.nmember >= 196);
    registered(session, &wide.def);
    wide_model(session, "Unit");
    LiederModel *fleet = lieder_model_create(session, "Fleet", "");
    lieder_model_add_array(fleet, "unit", "Unit", 5);
    for (int method = LIEDER_METHOD_TREE; method <= LIEDER_METHOD_PROBE; method++) {
        LiederSystem *system = system_new_with(
            session, "Fleet", (LiederSystemOptions){.method = (LiederMethod)method});
        size_t n = lieder_system_state_count(system);
        assert_int_equal(n, 5 * 2 * SLIDES);
        double *x = state_new(system), *dx = state_new(system);
        uint64_t seed = 3;
        random_fill(&seed, x, n, -1, 1);
        derivatives(session, system, 0, x, dx);
        for (int unit = 1; unit <= 5; unit++) {
            char path[48];
            for (int i = 1; i <= SLIDES; i++) {
                snprintf(path, sizeof path, "unit[%d].wide.v%d", unit, i);
                size_t v = state_at(system, path);
                double force = 0.25 * (i - 1) * 10 * ((i - 1) % INPUTS + 1);
                assert_near(dx[v], force / i - 9.81, 1e-13 * (1 + force));
                snprintf(path, sizeof path, "unit[%d].wide.s%d", unit, i);
                assert_near(dx[state_at(system, path)], x[v], 1e-15);
            }
            for (int j = 0; j < INPUTS; j++) {
                double y = 10 * (j + 1);
                for (int k = 0; k < 20; k++)
                    y += 0.25 * (20 * j + k);
                snprintf(path, sizeof path, "unit[%d].wide.y%d.y", unit, j + 1);
                assert_near(look(system, 0, x, path), y, 1e-12 * y);
            }
        }
        free(x);
        free(dx);
        lieder_system_destroy(system);
    }
    lieder_destroy(session);
}

/* what stands behind the 64th number: the check of the class, and a switch that brings a state */
static void late_members_count(void **state)
{
    (void)state;
    Lieder *session = session_new();
    static WideTable wide;
    make_wide(&wide);
    registered(session, &wide.def);
    LiederModel *m = wide_model(session, "Checked");
    lieder_model_set(m, "wide.p170", 101);
    assert_null(lieder_system_create(session, "Checked", NULL));
    assert_int_equal(lieder_diagnostic_count(session), 1);
    assert_non_null(strstr(lieder_diagnostic_get(session, 0)->message, "the last number"));
    lieder_diagnostic_clear(session);
    m = wide_model(session, "Switched");
    lieder_model_set(m, "wide.doubled", 1);
    LiederSystem *system = system_new(session, "Switched");
    assert_int_equal(lieder_system_state_count(system), 2 * SLIDES + 1);
    double *x = state_new(system), *dx = state_new(system);
    assert_true(x[state_at(system, "wide.held")] == 3);
    derivatives(session, system, 0, x, dx);
    assert_true(dx[state_at(system, "wide.held")] == 1);
    /* set to a value that the class refuses */
    assert_int_equal(lieder_system_set(system, "wide.p170", 200), LIEDER_BAD_USE);
    assert_int_equal(lieder_system_set(system, "wide.p170", 20), LIEDER_DONE);
    free(x);
    free(dx);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ templates with many arguments
 */

enum { ARGUMENTS = 90 };

static void build_many(LiederModel *m, const double *arguments, void *user)
{
    (void)user;
    double sum = 0;
    for (int i = 0; i < ARGUMENTS; i++)
        sum += arguments[i];
    lieder_model_add(m, "one", "Signals.Constant");
    lieder_model_set(m, "one.k", sum);
}

/* equal but for the last one, whose digits stand far behind in the name of the model */
static void templates_with_many_arguments(void **state)
{
    (void)state;
    Lieder *session = session_new();
    struct LiederArgument arguments[ARGUMENTS];
    char names[ARGUMENTS][8];
    for (int i = 0; i < ARGUMENTS; i++) {
        snprintf(names[i], sizeof *names, "n%d", i + 1);
        arguments[i] = (struct LiederArgument){
            .name = names[i], .text = "", .fallback = 1.0 / 3, .min = -1e9, .max = 1e9};
    }
    LiederTemplate many = {.name = "Own.Many",
                           .text = "",
                           .nargument = ARGUMENTS,
                           .arguments = arguments,
                           .build = build_many};
    assert_int_equal(lieder_template_register(session, &many), LIEDER_DONE);
    LiederModel *m = lieder_model_create(session, "M", "");
    lieder_model_add(m, "a", "Own.Many");
    lieder_model_add(m, "b", "Own.Many");
    lieder_model_set(m, "b.n90", 2);
    LiederSystem *system = system_new(session, "M");
    double none = 0;
    assert_near(look(system, 0, &none, "a.one.y.y"), 30, 1e-12);
    assert_near(look(system, 0, &none, "b.one.y.y"), 89.0 / 3 + 2, 1e-12);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ a clock for each lane */

/* lanes with times of their own give the bits of lanes that are evaluated alone */
static void lanes_have_clocks(void **state)
{
    (void)state;
    enum { N = 21 };
    static const char *const sources[] = {"Signals.Sine", "Signals.Pulse", "Signals.TimeTable"};
    Lieder *session = session_new();
    LiederModel *unit = lieder_model_create(session, "Unit", "");
    lieder_model_add(unit, "fixed", "Translational.Fixed");
    lieder_model_add(unit, "slide", "Translational.Joint");
    lieder_model_add(unit, "mass", "Translational.Body");
    lieder_model_add(unit, "push", "Translational.Force");
    lieder_model_connect(unit, "fixed.flange_b", "slide.flange_a");
    lieder_model_connect(unit, "slide.flange_b", "mass.flange_a");
    lieder_model_connect(unit, "slide.flange_b", "push.flange");
    for (size_t k = 0; k < sizeof sources / sizeof *sources; k++) {
        char name[16];
        snprintf(name, sizeof name, "M%zu", k);
        LiederModel *m = lieder_model_create(session, name, "");
        lieder_model_add(m, "source", sources[k]);
        if (k == 2)
            lieder_model_set_vector(m, "source.table", (double[]){0, 1, 1, 4, 1, 2, 3, -1}, 8);
        lieder_model_add(m, "unit", "Unit");
        lieder_model_expose(unit, "f", "push.f");
        lieder_model_connect(m, "source.y", "unit.f");
        char fleet[16];
        snprintf(fleet, sizeof fleet, "F%zu", k);
        LiederModel *f = lieder_model_create(session, fleet, "");
        lieder_model_add_array(f, "m", name, N);
        LiederSystem *system = system_new(session, fleet);
        assert_int_equal(system->shapes.n, 1);
        SystemShape *ss = &system->shapes.items[0];
        double x[2 * N], dx[2 * N], alone[2];
        double times[N + 2 * LIEDER_TIMES] = {0}, event_times[N + 2 * LIEDER_TIMES] = {0};
        uint64_t seed = 5;
        random_fill(&seed, x, 2 * N, -1, 1);
        random_fill(&seed, times, N, 0, 3);
        for (int i = 0; i < N; i++)
            event_times[i] = times[i] - 0.1 * (i % 3);
        Moment moment = {.event_time = NAN, .times = times, .event_times = event_times};
        for (size_t lane = 0; lane < N; lane += ss->width) {
            size_t n = N - lane < ss->width ? N - lane : ss->width;
            Moment here = moment;
            here.times += lane;
            here.event_times += lane;
            strip_load(ss, ss->workspace, lane, n);
            assert_int_equal(strip_evaluate(system, ss, ss->workspace, -1, &here, lane, n, x + lane,
                                            N, dx + lane, N),
                             LIEDER_DONE);
        }
        for (int i = 0; i < N; i++) {
            Moment one = {.event_time = event_times[i]};
            assert_int_equal(strip_evaluate(system, ss, ss->workspace, times[i], &one, (size_t)i, 1,
                                            x + i, N, alone, 1),
                             LIEDER_DONE);
            assert_true(dx[i] == alone[0] && dx[N + i] == alone[1]);
        }
        lieder_system_destroy(system);
    }
    lieder_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_hundred_members_and_twenty_ports),
        cmocka_unit_test(late_members_count),
        cmocka_unit_test(templates_with_many_arguments),
        cmocka_unit_test(lanes_have_clocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
