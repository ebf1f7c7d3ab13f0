/* test_class_kinds.c - what a class may be: as large as it likes, with several explicit blocks,
 * with unknowns in a leaf, with several incoming ports, with an iteration of its own, with lanes
 * that have clocks of their own. Every result is compared with equations written down here. */
#include "help/engine.h"

#include <lieder/mechanics.h>

#include "model/system/system.h"

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

/* ------------------------------------------------------------------ several explicit blocks */

/* two amplifiers in one component: y1 = 2 u1 + 1 and y2 = k u2 */
typedef struct Pair {
    real k;
    real seen;
} Pair;

static inline void pair_first(Pair *c, Signal *u1, Signal *u2, Signal *y1, Signal *y2, Call call)
{
    (void)c, (void)u2, (void)y2, (void)call;
    y1->y = 2.0 * u1->y + 1.0;
}

static inline void pair_second(Pair *c, Signal *u1, Signal *u2, Signal *y1, Signal *y2, Call call)
{
    (void)u1, (void)y1, (void)call;
    y2->y = c->k * u2->y;
    c->seen = y2->y;
}

#define CLASS            Pair
#define PORTS(X)         X(0, IN, Signal) X(1, IN, Signal) X(2, OUT, Signal) X(3, OUT, Signal)
#define EXPLICIT         pair_first
#define MORE_EXPLICIT(X) X(1, pair_second)
#include <lieder/kernels.inc>

static const LiederPortDef pair_ports[] = {PORT_INPUT("u1", ""), PORT_INPUT("u2", ""),
                                           PORT_OUTPUT("y1", ""), PORT_OUTPUT("y2", "")};
static const LiederMember pair_members[] = {PARAMETER(Pair, k, "", 3, ANY, ""),
                                            OBSERVABLE(Pair, seen, "", "")};
static const LiederClassDef pair = {.name = "Own.Pair",
                                    .text = "",
                                    .nport = 4,
                                    .ports = pair_ports,
                                    .nmember = 2,
                                    .members = pair_members,
                                    .kernels = &Pair_kernels};

/* the second block reads what the first one sets */
typedef struct Row {
    real k, half;
} Row;

static inline void row_first(Row *c, Signal *u1, Signal *u2, Signal *y1, Signal *y2, Call call)
{
    (void)u2, (void)y2, (void)call;
    c->half = 0.5 * u1->y;
    y1->y = c->half + 1.0;
}

static inline void row_second(Row *c, Signal *u1, Signal *u2, Signal *y1, Signal *y2, Call call)
{
    (void)u1, (void)y1, (void)call;
    y2->y = c->k * u2->y + c->half;
}

#define CLASS            Row
#define PORTS(X)         X(0, IN, Signal) X(1, IN, Signal) X(2, OUT, Signal) X(3, OUT, Signal)
#define EXPLICIT         row_first
#define MORE_EXPLICIT(X) X(1, row_second)
#include <lieder/kernels.inc>

typedef Row Turned;
#define CLASS            Turned
#define PORTS(X)         X(0, IN, Signal) X(1, IN, Signal) X(2, OUT, Signal) X(3, OUT, Signal)
#define EXPLICIT         row_second
#define MORE_EXPLICIT(X) X(1, row_first)
#include <lieder/kernels.inc>

static const LiederMember row_members[] = {PARAMETER(Row, k, "", 3, ANY, "")};

static LiederModel *pushed_mass(Lieder *session, const char *name)
{
    LiederModel *m = lieder_model_create(session, name, "");
    lieder_model_add(m, "fixed", "Translational.Fixed");
    lieder_model_add(m, "slide", "Translational.Joint");
    lieder_model_add(m, "mass", "Translational.Body");
    lieder_model_add(m, "push", "Translational.Force");
    lieder_model_connect(m, "fixed.flange_b", "slide.flange_a");
    lieder_model_connect(m, "slide.flange_b", "mass.flange_a");
    lieder_model_connect(m, "slide.flange_b", "push.flange");
    return m;
}

/* the force of a mass of 1 kg with gravity */
static double pushing_force(Lieder *session, const char *model)
{
    LiederSystem *system = system_new(session, model);
    double *x = state_new(system), *dx = state_new(system);
    derivatives(session, system, 0, x, dx);
    double a = dx[state_at(system, "slide.v")];
    free(x);
    free(dx);
    lieder_system_destroy(system);
    return a + 9.81;
}

/* each block runs when what it reads is there, whichever comes first */
static void blocks_are_ordered_one_by_one(void **state)
{
    (void)state;
    Lieder *session = session_new();
    registered(session, &pair);
    for (int turned = 0; turned < 2; turned++) {
        char name[8];
        snprintf(name, sizeof name, "M%d", turned);
        LiederModel *m = pushed_mass(session, name);
        lieder_model_set(m, "mass.m", 1);
        lieder_model_add(m, "pair", "Own.Pair");
        lieder_model_add(m, "gain", "Signals.Gain");
        lieder_model_set(m, "gain.k", 10);
        lieder_model_set(m, turned ? "pair.u1" : "pair.u2", 7);
        lieder_model_connect(m, turned ? "pair.y1" : "pair.y2", "gain.u");
        lieder_model_connect(m, "gain.y", turned ? "pair.u2" : "pair.u1");
        lieder_model_connect(m, turned ? "pair.y2" : "pair.y1", "push.f");
        double expected = turned ? 3 * 10 * (2 * 7 + 1) : 2 * 10 * 3 * 7 + 1;
        assert_near(pushing_force(session, name), expected, 1e-12 * expected);
    }
    /* a loop through one block stays a loop */
    LiederModel *m = pushed_mass(session, "Loop");
    lieder_model_add(m, "pair", "Own.Pair");
    lieder_model_connect(m, "pair.y1", "pair.u1");
    lieder_model_connect(m, "pair.y2", "push.f");
    assert_null(lieder_system_create(session, "Loop", NULL));
    assert_non_null(strstr(lieder_diagnostic_get(session, 0)->message, "algebraic loop"));
    lieder_destroy(session);
}

/* members tie the blocks of a class together */
static void blocks_follow_the_members_they_read(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederClassDef row = pair;
    row.name = "Own.Row";
    row.nmember = 1;
    row.members = row_members;
    row.kernels = &Row_kernels;
    registered(session, &row);
    LiederModel *m = pushed_mass(session, "M");
    lieder_model_set(m, "mass.m", 1);
    lieder_model_add(m, "row", "Own.Row");
    lieder_model_add(m, "gain", "Signals.Gain");
    lieder_model_set(m, "gain.k", 10);
    lieder_model_set(m, "row.u1", 8);
    lieder_model_connect(m, "row.y1", "gain.u");
    lieder_model_connect(m, "gain.y", "row.u2");
    lieder_model_connect(m, "row.y2", "push.f");
    assert_near(pushing_force(session, "M"), 3 * 10 * (4 + 1) + 4, 1e-12 * 154);
    /* the other way round there is no order */
    row.name = "Own.Turned";
    row.kernels = &Turned_kernels;
    assert_int_equal(lieder_class_register(session, &row), LIEDER_BAD_USE);
    assert_non_null(strstr(lieder_diagnostic_get(session, 0)->message,
                           "explicit block 1 reads what block 2 sets"));
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ what is found out about
 * classes */

static const ClassFacts *facts_of(Lieder *session, const char *name)
{
    LiederClass *class_ = (LiederClass *)(uintptr_t)lieder_class_find(session, name);
    assert_non_null(class_);
    assert_int_equal(class_examine(session, class_), LIEDER_DONE);
    return &class_->facts;
}

static bool reads(Lieder *session, const char *name, const char *port)
{
    const LiederClass *class_ = lieder_class_find(session, name);
    int p = class_find_port(class_, port, strlen(port));
    assert_true(p >= 0);
    return facts_of(session, name)->reads[p];
}

static bool rests(Lieder *session, const char *name, const char *port)
{
    const LiederClass *class_ = lieder_class_find(session, name);
    int p = class_find_port(class_, port, strlen(port));
    assert_true(p >= 0);
    return facts_of(session, name)->rests[p];
}

/* what authors had to declare before, class by class of the library */
static void facts_of_the_library(void **state)
{
    (void)state;
    Lieder *session = session_new();
    static const char *const linear_only[][2] = {
        {"Translational.Joint", "f_ext"}, {"Rotational.Joint", "tau_ext"},
        {"Translational.Force", "f"},     {"Rotational.Torque", "tau"},
        {"Planar.WorldForce", "fx"},      {"Planar.WorldForce", "fy"},
        {"Planar.WorldForce", "t"},       {"Electrical.VariableResistor", "R"}};
    for (size_t i = 0; i < sizeof linear_only / sizeof *linear_only; i++)
        if (lieder_class_find(session, linear_only[i][0]))
            assert_false(reads(session, linear_only[i][0], linear_only[i][1]));
    assert_true(reads(session, "Signals.Gain", "u"));
    assert_true(rests(session, "Planar.Revolute", "support"));
    assert_true(rests(session, "Planar.Prismatic", "support"));
    assert_false(rests(session, "Planar.Revolute", "frame_b"));
    static const char *const inertial[] = {"Planar.Body", "Translational.Body",
                                           "Rotational.Inertia"};
    for (size_t i = 0; i < sizeof inertial / sizeof *inertial; i++)
        if (lieder_class_find(session, inertial[i]))
            assert_true(facts_of(session, inertial[i])->inertial);
    assert_false(facts_of(session, "Translational.SpringDamper")->inertial);
    static const char *const basic[] = {"Planar.Revolute", "Planar.Prismatic",
                                        "Planar.FixedTranslation", "Planar.Body", "Planar.Fixed"};
    for (size_t i = 0; i < sizeof basic / sizeof *basic; i++)
        if (!facts_of(session, basic[i])->basic_signals)
            fail_msg("%s needs all signals", basic[i]);
    assert_false(facts_of(session, "Planar.SpringDamper")->basic_signals);
    lieder_destroy(session);
}

/* a start costs what a model uses: its blocks run, and those of no other class of the library */
static void others_are_not_examined(void **state)
{
    (void)state;
    Lieder *session = session_new();
    LiederSystem *crab = system_new(session, "Examples.CraneCrab");
    size_t examined = 0;
    for (size_t i = 0; i < session->classes.n; i++)
        examined += session->classes.items[i]->examined;
    assert_int_equal(examined, 5); /* Fixed, Prismatic, Body, Revolute, FixedTranslation */
    lieder_system_destroy(crab);
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ a clutch as a leaf */

/* between two flanges: locked 1: no relative acceleration; 0: no force. The force is its unknown.
 */
typedef struct Clutch {
    real locked, f, residual;
} Clutch;

static inline void clutch_inward(Clutch *c, Flange *a, Flange *b, Call call)
{
    (void)call;
    b->f_el = c->f;
    a->f_el = -c->f;
    c->residual = c->locked * (b->a - a->a) + (1.0 - c->locked) * c->f;
}

#define CLASS       Clutch
#define PORTS(X)    X(0, IN, Flange) X(1, IN, Flange)
#define UNKNOWNS(X) X(0, f, residual)
#define INWARD      clutch_inward
#include <lieder/kernels.inc>

static const LiederPortDef flange_pair[] = {PORT_IN("flange_a", lieder_translational, ""),
                                            PORT_IN("flange_b", lieder_translational, "")};
static const LiederMember clutch_members[] = {PARAMETER(Clutch, locked, "", 0, BETWEEN(0, 1), ""),
                                              UNKNOWN(Clutch, f, residual, "N", "")};
static const LiederClassDef clutch = {.name = "Own.Clutch",
                                      .text = "",
                                      .nport = 2,
                                      .ports = flange_pair,
                                      .nmember = 2,
                                      .members = clutch_members,
                                      .kernels = &Clutch_kernels};

static const LiederMethod general_methods[] = {LIEDER_METHOD_AUTO, LIEDER_METHOD_TREE,
                                               LIEDER_METHOD_SPARSE, LIEDER_METHOD_PROBE};
enum { GENERAL_METHODS = 4 };

/* masses of 2 and 3 kg, the second one pushed; locked in some lanes */
static void a_clutch_is_a_leaf(void **state)
{
    (void)state;
    Lieder *session = session_new();
    registered(session, &clutch);
    LiederModel *m = pushed_mass(session, "Unit");
    lieder_model_set(m, "mass.m", 3);
    lieder_model_set(m, "push.f", 60);
    lieder_model_add(m, "other", "Translational.Joint");
    lieder_model_add(m, "light", "Translational.Body");
    lieder_model_set(m, "light.m", 2);
    lieder_model_add(m, "clutch", "Own.Clutch");
    lieder_model_connect(m, "fixed.flange_b", "other.flange_a");
    lieder_model_connect(m, "other.flange_b", "light.flange_a");
    lieder_model_connect(m, "other.flange_b", "clutch.flange_a");
    lieder_model_connect(m, "slide.flange_b", "clutch.flange_b");
    m = lieder_model_create(session, "M", "");
    lieder_model_add_array(m, "unit", "Unit", 3);
    lieder_model_set_each(m, "unit.clutch.locked", (double[]){1, 0, 1}, 3);
    for (int k = 0; k < GENERAL_METHODS; k++) {
        LiederSystem *system =
            system_new_with(session, "M", (LiederSystemOptions){.method = general_methods[k]});
        double *x = state_new(system), *dx = state_new(system);
        derivatives(session, system, 0, x, dx);
        for (int i = 1; i <= 3; i++) {
            char path[32];
            bool locked = i != 2;
            snprintf(path, sizeof path, "unit[%d].slide.v", i);
            assert_near(dx[state_at(system, path)], (locked ? 12 : 20) - 9.81, 1e-12);
            snprintf(path, sizeof path, "unit[%d].other.v", i);
            assert_near(dx[state_at(system, path)], (locked ? 12 : 0) - 9.81, 1e-12);
            snprintf(path, sizeof path, "unit[%d].clutch.f", i);
            assert_near(look(system, 0, x, path), locked ? 60 - 3 * 12 : 0, 1e-11);
        }
        free(x);
        free(dx);
        lieder_system_destroy(system);
    }
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ a local Newton in a tree */

/* f = k a + q a^3 at its flange, by iteration on the acceleration */
typedef struct Stiffening {
    real k, q;
    real point, slope, offset;
} Stiffening;

static inline void stiffening_about(Stiffening *c, real a)
{
    c->point = a;
    c->slope = c->k + 3.0 * c->q * a * a;
    c->offset = -2.0 * c->q * a * a * a;
}

static inline void stiffening_explicit(Stiffening *c, Flange *in, Call call)
{
    (void)in, (void)call;
    stiffening_about(c, REAL(0.0));
}

static inline void stiffening_inward(Stiffening *c, Flange *in, Call call)
{
    in->f_ki = c->slope * in->a + constant_term(c->offset);
}

static inline real stiffening_iterate(Stiffening *c, Flange *in, Call call)
{
    (void)call;
    real moved = choose(absolute(in->a - c->point) > 1e-13 * (1.0 + absolute(in->a)), 1.0, 0.0);
    stiffening_about(c, in->a);
    return moved;
}

#define CLASS    Stiffening
#define PORTS(X) X(0, IN, Flange)
#define EXPLICIT stiffening_explicit
#define INWARD   stiffening_inward
#define ITERATE  stiffening_iterate
#include <lieder/kernels.inc>

static const LiederMember stiffening_members[] = {
    PARAMETER(Stiffening, k, "kg", 1, AT_LEAST(0), ""),
    PARAMETER(Stiffening, q, "", 1, AT_LEAST(0), "")};
static const LiederClassDef stiffening = {.name = "Own.Stiffening",
                                          .text = "",
                                          .nport = 1,
                                          .ports = flange_pair,
                                          .nmember = 2,
                                          .members = stiffening_members,
                                          .kernels = &Stiffening_kernels};

static void a_tree_iterates(void **state)
{
    (void)state;
    Lieder *session = session_new();
    registered(session, &stiffening);
    LiederModel *m = pushed_mass(session, "Unit");
    lieder_model_set(m, "mass.m", 2);
    lieder_model_add(m, "stiffening", "Own.Stiffening");
    lieder_model_connect(m, "slide.flange_b", "stiffening.flange_a");
    m = lieder_model_create(session, "M", "");
    lieder_model_add_array(m, "unit", "Unit", 4);
    const double force[] = {0, 5, 100, -30}, q[] = {0, 0.5, 2, 0.01};
    lieder_model_set_each(m, "unit.push.f", force, 4);
    lieder_model_set_each(m, "unit.stiffening.q", q, 4);
    for (int k = 0; k < GENERAL_METHODS; k++) {
        LiederSystem *system =
            system_new_with(session, "M", (LiederSystemOptions){.method = general_methods[k]});
        double *x = state_new(system), *dx = state_new(system);
        for (int again = 0; again < 2; again++) { /* the same whatever was evaluated before */
            derivatives(session, system, 0, x, dx);
            for (int i = 0; i < 4; i++) {
                char path[32];
                snprintf(path, sizeof path, "unit[%d].slide.v", i + 1);
                double low = -100, high = 100; /* by bisection: 3 a + q a^3 = F - 2 g */
                for (int n = 0; n < 100; n++) {
                    double a = 0.5 * (low + high);
                    if (3 * a + q[i] * a * a * a < force[i] - 2 * 9.81)
                        low = a;
                    else
                        high = a;
                }
                assert_near(dx[state_at(system, path)], low, 1e-11 * (1 + fabs(low)));
            }
        }
        free(x);
        free(dx);
        lieder_system_destroy(system);
    }
    lieder_destroy(session);
}

/* ------------------------------------------------------------------ a junction with two incoming
 * ports */

/* the middle between two flanges: s = (s1 + s2)/2, each carries half of the force */
typedef struct Middle {
    real unused;
} Middle;

static inline void middle_explicit(Middle *c, Flange *a, Flange *b, Flange *out, Call call)
{
    (void)c, (void)call;
    out->s = 0.5 * (a->s + b->s);
    out->v = 0.5 * (a->v + b->v);
}

static inline void middle_outward(Middle *c, Flange *a, Flange *b, Flange *out, Call call)
{
    (void)c, (void)call;
    out->v_el = 0.5 * (a->v_el + b->v_el);
    out->a = 0.5 * (a->a + b->a);
}

static inline void middle_inward(Middle *c, Flange *a, Flange *b, Flange *out, Call call)
{
    (void)c, (void)call;
    a->f_el = b->f_el = -0.5 * out->f_el;
    a->f_ki = b->f_ki = -0.5 * out->f_ki;
}

#define CLASS    Middle
#define PORTS(X) X(0, IN, Flange) X(1, IN, Flange) X(2, OUT, Flange)
#define EXPLICIT middle_explicit
#define OUTWARD  middle_outward
#define INWARD   middle_inward
#include <lieder/kernels.inc>

static const LiederPortDef middle_ports[] = {PORT_IN("flange_a", lieder_translational, ""),
                                             PORT_IN("flange_b", lieder_translational, ""),
                                             PORT_OUT("flange_c", lieder_translational, "")};
static const LiederClassDef middle = {.name = "Own.Middle",
                                      .text = "",
                                      .nport = 3,
                                      .ports = middle_ports,
                                      .kernels = &Middle_kernels};

/* m1 a1 + M/4 (a1 + a2) = F - m1 g - M g/2 and the same for m2 without F; behind the junction hangs
 * another joint with a mass that falls freely in between */
static void a_junction_has_two_incoming_ports(void **state)
{
    (void)state;
    Lieder *session = session_new();
    registered(session, &middle);
    LiederModel *m = pushed_mass(session, "M");
    lieder_model_set(m, "mass.m", 3);
    lieder_model_set(m, "push.f", 60);
    lieder_model_add(m, "other", "Translational.Joint");
    lieder_model_add(m, "light", "Translational.Body");
    lieder_model_set(m, "light.m", 2);
    lieder_model_add(m, "middle", "Own.Middle");
    lieder_model_add(m, "load", "Translational.Body");
    lieder_model_set(m, "load.m", 4);
    lieder_model_add(m, "last", "Translational.Joint");
    lieder_model_add(m, "free", "Translational.Body");
    lieder_model_connect(m, "fixed.flange_b", "other.flange_a");
    lieder_model_connect(m, "other.flange_b", "light.flange_a");
    lieder_model_connect(m, "slide.flange_b", "middle.flange_a");
    lieder_model_connect(m, "other.flange_b", "middle.flange_b");
    lieder_model_connect(m, "middle.flange_c", "load.flange_a");
    lieder_model_connect(m, "middle.flange_c", "last.flange_a");
    lieder_model_connect(m, "last.flange_b", "free.flange_a");
    for (int k = 0; k < GENERAL_METHODS; k++) {
        LiederSystem *system =
            system_new_with(session, "M", (LiederSystemOptions){.method = general_methods[k]});
        double *x = state_new(system), *dx = state_new(system);
        size_t s1 = state_at(system, "slide.s"), s2 = state_at(system, "other.s");
        x[s1] = 3;
        x[s2] = 5;
        derivatives(session, system, 0, x, dx);
        /* (3 + 1) a1 + a2 = 60 - 5 g, a1 + (2 + 1) a2 = -4 g */
        double r1 = 60 - 5 * 9.81, r2 = -4 * 9.81, a2 = (4 * r2 - r1) / 11, a1 = (r1 - a2) / 4;
        assert_near(dx[state_at(system, "slide.v")], a1, 1e-12 * 20);
        assert_near(dx[state_at(system, "other.v")], a2, 1e-12 * 20);
        assert_near(dx[state_at(system, "last.v")], -9.81 - 0.5 * (a1 + a2), 1e-12 * 20);
        assert_near(look(system, 0, x, "load.flange_a.s"), 4, 1e-15);
        assert_near(look(system, 0, x, "load.flange_a.a"), 0.5 * (a1 + a2), 1e-12 * 20);
        free(x);
        free(dx);
        lieder_system_destroy(system);
    }
    /* one of its ports hangs in the air */
    m = lieder_model_create(session, "Open", "");
    lieder_model_add(m, "fixed", "Translational.Fixed");
    lieder_model_add(m, "middle", "Own.Middle");
    lieder_model_add(m, "load", "Translational.Body");
    lieder_model_connect(m, "fixed.flange_b", "middle.flange_a");
    lieder_model_connect(m, "middle.flange_c", "load.flange_a");
    assert_null(lieder_system_create(session, "Open", NULL));
    assert_true(lieder_diagnostic_count(session) > 0);
    lieder_destroy(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_hundred_members_and_twenty_ports),
        cmocka_unit_test(late_members_count),
        cmocka_unit_test(templates_with_many_arguments),
        cmocka_unit_test(lanes_have_clocks),
        cmocka_unit_test(blocks_are_ordered_one_by_one),
        cmocka_unit_test(blocks_follow_the_members_they_read),
        cmocka_unit_test(facts_of_the_library),
        cmocka_unit_test(others_are_not_examined),
        cmocka_unit_test(a_clutch_is_a_leaf),
        cmocka_unit_test(a_tree_iterates),
        cmocka_unit_test(a_junction_has_two_incoming_ports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
