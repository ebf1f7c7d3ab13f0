/* test_discrete.c - components with discrete memory, timers, requests and held modes: bouncing
 * ball, chains of pre, samples, hysteresis, diodes as a mixed system, friction; start, end,
 * restart, lanes, generated code, memory that runs out. */
#define LIEDER_LANES 1 /* classes in C that are compiled here have a scalar variant */
#include "solve/help.h"

#include <unistd.h>

#include <lieder/component.h>
#include <lieder/variables.h>

#include "block/class_help.h"

/* ------------------------------------------------------------------ classes */

/* when h < 0 then reinit(v, -e v); with the hidden Boolean of the when clause */
typedef struct Bounce {
    real g, e;
    real h, v, dh, dv;
    real low, was, was_next, count, count_next;
} Bounce;

static inline void bounce_explicit(Bounce *c, Signal *y, Call call)
{
    hold_choice(call, (mask)(c->h < 0.0), &c->low);
    c->dh = c->v;
    c->dv = -c->g;
    y->y = c->h;
}

static inline void bounce_event(Bounce *c, Signal *y, Call call)
{
    (void)y;
    (void)call;
    mask hit = (mask)(c->low > 0.5) & (mask)(c->was < 0.5);
    c->v = choose(hit, -c->e * c->v, c->v);
    c->count_next = choose(hit, c->count + 1.0, c->count);
    c->was_next = c->low;
}

#define CLASS    Bounce
#define PORTS(X) X(0, OUT, Signal)
#define EXPLICIT bounce_explicit
#define EVENT    bounce_event
#include <lieder/kernels.inc>

static const LiederPortDef one_output[] = {
    {.name = "y", .domain = &lieder_signal, .role = LIEDER_OUT, .optional = true}};
static const LiederMember bounce_members[] = {
    PARAMETER(Bounce, g, "", 9.81, ANY, ""),
    PARAMETER(Bounce, e, "", 0.8, ANY, ""),
    STATE(Bounce, h, dh, "m", 1, ""),
    STATE(Bounce, v, dv, "m/s", 0, ""),
    CROSSING(Bounce, h, low, LIEDER_EDGE, "m", ""),
    MEMORY(Bounce, was, was_next, LIEDER_TYPE_BOOLEAN, "", 0, "of the when clause"),
    MEMORY(Bounce, count, count_next, LIEDER_TYPE_INTEGER, "", 0, "impacts")};

/* a = time >= 1; b = pre(a); c = pre(b); d = pre(c). And b = not pre(b) where `wrong` is set. */
typedef struct Chain {
    real wrong, x, dx;
    real a, b, c, d, a_next, b_next, c_next, d_next, timer;
} Chain;
static int chain_passes;

static inline void chain_explicit(Chain *c, Signal *y, Call call)
{
    (void)call;
    c->dx = c->d;
    y->y = c->x;
}

static inline void chain_event(Chain *c, Signal *y, Call call)
{
    (void)y;
    chain_passes++;
    c->a_next = choose((mask)(call.event_time >= 1.0), 1.0, 0.0);
    c->b_next = choose((mask)(c->wrong > 0.5), 1.0 - c->b, c->a);
    c->c_next = c->b;
    c->d_next = c->c;
    c->timer = choose((mask)(call.event_time >= 1.0), INFINITY + 0.0 * call.time, 1.0);
}

#define CLASS    Chain
#define PORTS(X) X(0, OUT, Signal)
#define EXPLICIT chain_explicit
#define EVENT    chain_event
#include <lieder/kernels.inc>

static const LiederMember chain_members[] = {
    PARAMETER(Chain, wrong, "", 0, ANY, ""),
    STATE(Chain, x, dx, "", 0, ""),
    MEMORY(Chain, a, a_next, LIEDER_TYPE_BOOLEAN, "", 0, ""),
    MEMORY(Chain, b, b_next, LIEDER_TYPE_BOOLEAN, "", 0, ""),
    MEMORY(Chain, c, c_next, LIEDER_TYPE_BOOLEAN, "", 0, ""),
    MEMORY(Chain, d, d_next, LIEDER_TYPE_BOOLEAN, "", 0, ""),
    TIMER(Chain, timer, "")};

/* x' = 1 or -1, turned at x > 1 and x < -1; ends the run or finds fault when set to */
typedef struct Wave {
    real end, fail, warn; /* where x asks for it */
    real x, dx, above, below, high, low, down, down_next, first, first_next, last, last_next;
    real ends, fails, warns;
} Wave;

static inline void wave_explicit(Wave *c, Signal *y, Call call)
{
    c->above = 1.0 - c->x;
    c->below = c->x + 1.0;
    hold_choice(call, (mask)(c->above < 0.0), &c->high);
    hold_choice(call, (mask)(c->below < 0.0), &c->low);
    c->dx = choose((mask)(c->down > 0.5), -1.0, 1.0);
    c->fails = choose((mask)(c->x > c->fail), 1.0, 0.0);
    c->warns = choose((mask)(c->x > c->warn), 1.0, 0.0);
    y->y = c->x;
}

static inline void wave_event(Wave *c, Signal *y, Call call)
{
    (void)y;
    c->down_next = choose((mask)(c->high > 0.5), 1.0, choose((mask)(c->low > 0.5), 0.0, c->down));
    c->ends =
        choose((mask)(c->high > 0.5) & (mask)(c->down < 0.5) & (mask)(c->end > 0.5), 1.0, 0.0);
    c->first_next = call.initial ? REAL(7.0) : c->first;
    c->last_next = call.terminal ? REAL(3.0) : c->last;
}

#define CLASS    Wave
#define PORTS(X) X(0, OUT, Signal)
#define EXPLICIT wave_explicit
#define EVENT    wave_event
#include <lieder/kernels.inc>

static const LiederMember wave_members[] = {
    PARAMETER(Wave, end, "", 0, ANY, ""),
    PARAMETER(Wave, fail, "", 9, ANY, ""),
    PARAMETER(Wave, warn, "", 9, ANY, ""),
    STATE(Wave, x, dx, "", 0, ""),
    CROSSING(Wave, above, high, LIEDER_EDGE, "", ""),
    CROSSING(Wave, below, low, LIEDER_EDGE, "", ""),
    MEMORY(Wave, down, down_next, LIEDER_TYPE_BOOLEAN, "", 0, ""),
    MEMORY(Wave, first, first_next, LIEDER_TYPE_REAL, "", 0, "set where initial"),
    MEMORY(Wave, last, last_next, LIEDER_TYPE_REAL, "", 0, "set where terminal"),
    REQUEST(Wave, ends, LIEDER_TERMINATE, "the wave has turned"),
    REQUEST(Wave, fails, LIEDER_ASSERT_ERROR, "the wave is too high"),
    REQUEST(Wave, warns, LIEDER_ASSERT_WARNING, "the wave is rather high")};

/* three sources with ideal diodes (Ron, Goff) feed one inductor with a resistor: the voltage v of
 * the node follows from the modes, and the modes from v */
typedef struct Rectifier {
    real ron, goff, r, l;
    real i, di, v;
    real value0, value1, value2, on0, on1, on2;
} Rectifier;

static inline void rectifier_explicit(Rectifier *c, Signal *y, Call call)
{
    real e0 = real_sin(call.time), e1 = real_sin(call.time + 2.0943951023931953),
         e2 = real_sin(call.time + 4.1887902047863905);
    real g0 = choose((mask)(c->on0 > 0.5), 1.0 / c->ron, c->goff),
         g1 = choose((mask)(c->on1 > 0.5), 1.0 / c->ron, c->goff),
         g2 = choose((mask)(c->on2 > 0.5), 1.0 / c->ron, c->goff);
    c->v = (g0 * e0 + g1 * e1 + g2 * e2 - c->i) / (g0 + g1 + g2);
    /* conducting: minus the current; blocking: minus the voltage. Negative: conducts */
    c->value0 = (c->v - e0) * choose((mask)(c->on0 > 0.5), g0, 1.0 + 0.0 * g0);
    c->value1 = (c->v - e1) * choose((mask)(c->on1 > 0.5), g1, 1.0 + 0.0 * g1);
    c->value2 = (c->v - e2) * choose((mask)(c->on2 > 0.5), g2, 1.0 + 0.0 * g2);
    c->di = (c->v - c->r * c->i) / c->l;
    y->y = c->v;
}

#define CLASS    Rectifier
#define PORTS(X) X(0, OUT, Signal)
#define EXPLICIT rectifier_explicit
#include <lieder/kernels.inc>

static const LiederMember rectifier_members[] = {
    PARAMETER(Rectifier, ron, "", 1e-3, ANY, ""),
    PARAMETER(Rectifier, goff, "", 1e-4, ANY, ""),
    PARAMETER(Rectifier, r, "", 1, ANY, ""),
    PARAMETER(Rectifier, l, "", 0.5, ANY, ""),
    STATE(Rectifier, i, di, "A", 0.3, ""),
    OBSERVABLE(Rectifier, v, "V", ""),
    CROSSING(Rectifier, value0, on0, LIEDER_HELD, "", ""),
    CROSSING(Rectifier, value1, on1, LIEDER_HELD, "", ""),
    CROSSING(Rectifier, value2, on2, LIEDER_HELD, "", "")};

/* a mass under 2 sin t with dry friction of 1: sticks (mode 0) or slides (1, -1) */
typedef struct Stick {
    real v, dv, ahead, back, turn, more, less, turned, mode, mode_next, starts, starts_next;
} Stick;

static inline void stick_explicit(Stick *c, Signal *y, Call call)
{
    real force = 2.0 * real_sin(call.time);
    c->ahead = 1.0 - force;
    c->back = 1.0 + force;
    c->turn = c->v * c->mode;
    hold_choice(call, (mask)(c->ahead < 0.0), &c->more);
    hold_choice(call, (mask)(c->back < 0.0), &c->less);
    hold_choice(call, (mask)(c->turn < 0.0), &c->turned);
    c->dv = choose((mask)(c->mode == 0.0), 0.0, force - c->mode);
    y->y = c->v;
}

static inline void stick_event(Stick *c, Signal *y, Call call)
{
    (void)y;
    (void)call;
    mask rests = (mask)(c->mode == 0.0), stops = (mask)(c->turned > 0.5);
    real new = choose((mask)(c->more > 0.5), 1.0, choose((mask)(c->less > 0.5), -1.0, 0.0));
    c->mode_next = choose(rests, new, choose(stops, 0.0, c->mode));
    c->starts_next = c->starts + choose(rests & (mask)(new != 0.0), 1.0, 0.0);
    c->v = choose(stops, 0.0, c->v);
}

#define CLASS    Stick
#define PORTS(X) X(0, OUT, Signal)
#define EXPLICIT stick_explicit
#define EVENT    stick_event
#include <lieder/kernels.inc>

static const LiederMember stick_members[] = {
    STATE(Stick, v, dv, "m/s", 0, ""),
    CROSSING(Stick, ahead, more, LIEDER_EDGE, "", ""),
    CROSSING(Stick, back, less, LIEDER_EDGE, "", ""),
    CROSSING(Stick, turn, turned, LIEDER_EDGE, "", ""),
    MEMORY(Stick, mode, mode_next, LIEDER_TYPE_INTEGER, "", 0, ""),
    MEMORY(Stick, starts, starts_next, LIEDER_TYPE_INTEGER, "", 0, "")};

#define DEFINITION(Class, members_, time)                                                          \
    {                                                                                              \
        .name = "Test." #Class, .text = "", .nport = 1, .ports = one_output,                       \
        .nmember = LIEDER_COUNT(members_), .members = members_, .kernels = &Class##_kernels,       \
        .uses_time = time                                                                          \
    }
static const LiederClassDef definitions[] = {
    DEFINITION(Bounce, bounce_members, false), DEFINITION(Chain, chain_members, false),
    DEFINITION(Wave, wave_members, false), DEFINITION(Rectifier, rectifier_members, true),
    DEFINITION(Stick, stick_members, true)};

/* A plant x' = -x + u with a controller u = -2 x at sample(0, d), as expressions; a second sample
 * of 0.3 counts where both come together. */
typedef struct Sampled {
    real d, x, dx, u, u_next, k, k_next, n, n_next, met, met_next, timer, slow;
} Sampled;
#define AT(field) LIEDER_AT(Sampled, field)

static const LiederMember sampled_members[] = {
    PARAMETER(Sampled, d, "s", 0.1, ANY, ""),
    STATE(Sampled, x, dx, "", 1, ""),
    MEMORY(Sampled, u, u_next, LIEDER_TYPE_REAL, "", 0, ""),
    MEMORY(Sampled, k, k_next, LIEDER_TYPE_INTEGER, "", 0, "samples"),
    MEMORY(Sampled, n, n_next, LIEDER_TYPE_INTEGER, "", 0, "slow samples"),
    MEMORY(Sampled, met, met_next, LIEDER_TYPE_INTEGER, "", 0, "both at once"),
    TIMER(Sampled, timer, ""),
    TIMER(Sampled, slow, "")};

static void make_sampled(Maker *m)
{
    Graph *g = m->g;
    Node one = node_constant(g, 1), now = get_place(m, PLACE_EVENT_TIME, 0, 0);
    Node later = node_make(g, NODE_NOT, get_place(m, PLACE_INITIAL, 0, 0), NO_NODE, NO_NODE);
    Node fires[2], next[2];
    int count[2] = {AT(k), AT(n)}, to[2] = {AT(k_next), AT(n_next)},
        timer[2] = {AT(timer), AT(slow)};
    for (int i = 0; i < 2; i++) {
        Node period = i ? node_constant(g, 0.3) : own(m, AT(d)), k = own(m, count[i]);
        Node due = node_make(g, NODE_LESS_EQUAL, MUL(k, period), now, NO_NODE);
        fires[i] = node_make(g, NODE_AND, due, later, NO_NODE);
        next[i] = node_select(g, fires[i], ADD(k, one), k);
        put(m, BLOCK_EVENT, PLACE_MEMBER, 0, to[i], next[i]);
        put(m, BLOCK_EVENT, PLACE_MEMBER, 0, timer[i], MUL(next[i], period));
    }
    Node both = node_make(g, NODE_AND, fires[0], fires[1], NO_NODE), x = own(m, AT(x));
    put(m, BLOCK_EVENT, PLACE_MEMBER, 0, AT(met_next),
        node_select(g, both, ADD(own(m, AT(met)), one), own(m, AT(met))));
    put(m, BLOCK_EVENT, PLACE_MEMBER, 0, AT(u_next),
        node_select(g, fires[0], MUL(node_constant(g, -2), x), own(m, AT(u))));
    put(m, BLOCK_EXPLICIT, PLACE_MEMBER, 0, AT(dx), SUB(own(m, AT(u)), x));
    put(m, BLOCK_EXPLICIT, PLACE_SIGNAL, 0, 0, x);
}

static Meter unlimited;
static const LiederAllocator plain = {meter_resize, &unlimited};

static BlockClass *sampled_class(const LiederAllocator *alloc)
{
    LiederClassDef def = {.name = "Test.Sampled",
                          .text = "",
                          .nport = 1,
                          .ports = one_output,
                          .nmember = LIEDER_COUNT(sampled_members),
                          .members = sampled_members};
    Graph graph;
    graph_init(&graph, alloc);
    Maker m = {.g = &graph};
    int nreal = (int)(sizeof(Sampled) / sizeof(real));
    add_places(&m, &def, nreal);
    add_place(&m, PLACE_EVENT_TIME, 0, 0);
    add_place(&m, PLACE_INITIAL, 0, 0);
    BlockClassInfo info = {.def = def,
                           .tag = "TestSampled",
                           .nreal = nreal,
                           .graph = &graph,
                           .symbols = m.symbols,
                           .nsymbol = m.n};
    m.c = block_class_create(alloc, &info);
    assert_non_null(m.c);
    make_sampled(&m);
    assert_int_equal(block_class_finish(m.c), TAPE_DONE);
    graph_drop(&graph);
    return m.c;
}

/* ------------------------------------------------------------------ models and runs */

static void model_of(Lieder *session, const char *name, const char *class_, size_t n)
{
    LiederModel *m = lieder_model_create(session, name, "");
    if (n == 1)
        lieder_model_add(m, "c", class_);
    else
        lieder_model_add_array(m, "c", class_, n);
}

/* a session with all classes, and a model of one component of each */
static Lieder *make_session(const LiederAllocator *alloc)
{
    Lieder *session = lieder_create(alloc);
    if (!session)
        return NULL;
    for (int i = 0; i < LIEDER_COUNT(definitions); i++)
        if (lieder_class_register(session, &definitions[i]) != LIEDER_DONE) {
            lieder_destroy(session);
            return NULL;
        }
    model_of(session, "Ball", "Test.Bounce", 1);
    model_of(session, "Chain", "Test.Chain", 1);
    model_of(session, "Wave", "Test.Wave", 1);
    model_of(session, "Rectifier", "Test.Rectifier", 1);
    model_of(session, "Stick", "Test.Stick", 1);
    return session;
}

/* rows with one observed value */
typedef struct Watched {
    LiederObserver *observer;
    size_t n, room;
    double *t, *value;
    LiederRow *kind;
} Watched;

static bool watch_row(void *user, double t, const double *x, LiederRow kind)
{
    Watched *w = user;
    if (w->n == w->room) {
        w->room = 2 * w->room + 64;
        w->t = realloc(w->t, w->room * sizeof *w->t);
        w->value = realloc(w->value, w->room * sizeof *w->value);
        w->kind = realloc(w->kind, w->room * sizeof *w->kind);
    }
    w->t[w->n] = t;
    w->kind[w->n] = kind;
    assert_int_equal(lieder_observer_evaluate(w->observer, t, x, &w->value[w->n]), LIEDER_DONE);
    w->n++;
    return true;
}

static Watched watch(Lieder *session, LiederSystem *system, LiederSimulateOptions o,
                     const char *path, LiederStatus status, LiederStatistics *s)
{
    Watched w = {.observer = lieder_observer_create(system)};
    assert_true(lieder_observer_add(w.observer, path) == 0);
    o.output = watch_row;
    o.user = &w;
    LiederStatus got = lieder_simulate(system, &o, s);
    if (got != status)
        lieder_diagnostic_print_all(session, stderr);
    assert_int_equal(got, status);
    return w;
}

static double watched_last(const Watched *w)
{
    return w->value[w->n - 1];
}

static void watched_drop(Watched *w)
{
    lieder_observer_destroy(w->observer);
    free(w->t);
    free(w->value);
    free(w->kind);
}

static LiederSimulateOptions options_of(LiederSolver solver, double stop)
{
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.solver = solver;
    o.stop = stop;
    o.tolerance = 1e-8;
    if (!lieder_solver_info(solver)->adaptive)
        o.step = 1e-3;
    return o;
}

static const LiederSolver solvers[] = {
    LIEDER_BDF, LIEDER_ESDIRK23, LIEDER_RK4, LIEDER_EULER_BACKWARD, LIEDER_RK45, LIEDER_RODAS4};

/* ------------------------------------------------------------------ tests */

/* impact n at t1 (1 + 2 e (1 - e^n) / (1 - e)). The ball stays a little below the floor where it
 * was turned, so that it passes the floor upwards again at once: solvers that are exact for a
 * flight must not step over both. */
static void ball_bounces(void **unused)
{
    (void)unused;
    Lieder *session = make_session(NULL);
    LiederSystem *system = system_new(session, "Ball");
    for (int k = 0; k < LIEDER_COUNT(solvers); k++) {
        bool adaptive = lieder_solver_info(solvers[k])->adaptive;
        double first = sqrt(2 / 9.81), power = 1, stop = 2.6, worst = 0;
        LiederStatistics s;
        Watched w =
            watch(session, system, options_of(solvers[k], stop), "c.count", LIEDER_DONE, &s);
        size_t n = 0;
        for (size_t i = 1; i < w.n; i++) {
            if (w.value[i] == w.value[i - 1])
                continue;
            assert_true(w.kind[i] == LIEDER_ROW_AFTER_EVENT);
            double exact = first * (1 + 2 * 0.8 * (1 - power) / (1 - 0.8));
            worst = fmax(worst, fabs(w.t[i] - exact));
            power *= 0.8;
            n++;
        }
        size_t expected = 0;
        for (power = 1; first * (1 + 2 * 0.8 * (1 - power) / (1 - 0.8)) < stop; power *= 0.8)
            expected++;
        printf("%s: %zu impacts, worst time error %.1e\n", lieder_solver_name(solvers[k]), n,
               worst);
        assert_int_equal(n, expected);
        assert_true(watched_last(&w) == (double)expected);
        assert_true(worst < (adaptive ? 1e-7 : 2e-2));
        watched_drop(&w);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* a becomes true in the first pass, d in the fourth, and the fifth changes nothing */
static void chain_takes_five_passes(void **unused)
{
    (void)unused;
    Lieder *session = make_session(NULL);
    LiederSystem *system = system_new(session, "Chain");
    for (int k = 0; k < LIEDER_COUNT(solvers); k++) {
        LiederSimulateOptions o = options_of(solvers[k], 0.5);
        LiederStatistics s;
        Watched before = watch(session, system, o, "c.d", LIEDER_DONE, &s);
        assert_true(watched_last(&before) == 0);
        int until = chain_passes;
        o.stop = 2;
        Watched w = watch(session, system, o, "c.d", LIEDER_DONE, &s);
        /* the start and the end take as many passes as before */
        chain_passes -= until;
        o.stop = 0.5;
        int start = chain_passes;
        watched_drop(&before);
        before = watch(session, system, o, "c.d", LIEDER_DONE, &s);
        start = chain_passes - start;
        assert_int_equal(chain_passes - 2 * start, 5);
        chain_passes = 0;
        assert_true(watched_last(&w) == 1);
        Rows rows = {0};
        o.stop = 2;
        assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE);
        assert_true(fabs(last_row(&rows)[0] - 1) < 1e-9);
        chain_passes = 0;
        rows_drop(&rows);
        watched_drop(&w);
        watched_drop(&before);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

static void what_alternates_is_named(void **unused)
{
    (void)unused;
    Lieder *session = make_session(NULL);
    LiederModel *m = lieder_model_create(session, "Wrong", "");
    lieder_model_add(m, "c", "Test.Chain");
    lieder_model_set(m, "c.wrong", 1);
    LiederSystem *system = system_new(session, "Wrong");
    LiederSimulateOptions o = options_of(LIEDER_BDF, 1);
    assert_int_equal(lieder_simulate(system, &o, NULL), LIEDER_GAVE_UP);
    assert_said(session, NULL, "c.b (");
    assert_said(session, NULL, "in turn");
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* x[k + 1] = x[k] exp(-d) - 2 x[k] (1 - exp(-d)); times of samples are products, to the bit */
static void samples_come_exactly(void **unused)
{
    (void)unused;
    Lieder *session = make_session(NULL);
    BlockClass *c = sampled_class(&plain);
    assert_int_equal(block_class_register(session, c), LIEDER_DONE);
    model_of(session, "Sampled", "Test.Sampled", 1);
    LiederSystem *system = system_new(session, "Sampled");
    for (int k = 0; k < LIEDER_COUNT(solvers); k++) {
        LiederSimulateOptions o = options_of(solvers[k], 2.95);
        bool adaptive = lieder_solver_info(solvers[k])->adaptive;
        LiederStatistics s;
        Rows rows = {0};
        assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE);
        size_t n = 0;
        for (size_t i = 0; i < rows.n; i++) {
            if (rows.kind[i] != LIEDER_ROW_BEFORE_EVENT)
                continue;
            n++;
            if (adaptive)
                assert_true(rows.t[i] == 0.1 * (double)n ||
                            fabs(rows.t[i] - 0.1 * (double)n) < 1e-15);
            else
                assert_true(fabs(rows.t[i] - 0.1 * (double)n) < 1e-9);
        }
        assert_int_equal(n, 29);
        double x = 1, q = exp(-0.1), end = exp(-0.05);
        for (int i = 0; i < 29; i++)
            x = x * q - 2 * x * (1 - q);
        x = x * end - 2 * x * (1 - end);
        double error = fabs(last_row(&rows)[0] - x);
        printf("%s: end state %.1e off\n", lieder_solver_name(solvers[k]), error);
        assert_true(error < (solvers[k] == LIEDER_EULER_BACKWARD ? 1e-3 : 1e-7));
        rows_drop(&rows);
        Watched w = watch(session, system, o, "c.met", LIEDER_DONE, &s);
        assert_true(watched_last(&w) == 10); /* 0, 0.3 ... 2.7 */
        watched_drop(&w);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
    block_class_destroy(c);
}

/* memory in generated code: the bits of the kernels, for one and for many */
static void generated_code_has_the_bits(void **unused)
{
    (void)unused;
    enum { N = 37 };
    Lieder *session = make_session(NULL);
    BlockClass *c = sampled_class(&plain);
    assert_int_equal(block_class_register(session, c), LIEDER_DONE);
    model_of(session, "Many", "Test.Sampled", N);
    double each[N], last[2][N];
    for (int i = 0; i < N; i++)
        each[i] = 0.05 + 0.01 * i;
    LiederModel *m = lieder_model_create(session, "Different", "");
    lieder_model_add_array(m, "c", "Test.Sampled", N);
    lieder_model_set_each(m, "c.d", each, N);
    const char *models[] = {"Many", "Different"};
    for (int model = 0; model < 2; model++) {
        for (int k = 0; k < 2; k++) {
            LiederSystem *system = system_new(session, models[model]);
            LiederSimulateOptions o = options_of(LIEDER_RK4, 1);
            Rows rows = {0};
            LiederStatistics s;
            o.compile = k ? LIEDER_COMPILE_ALWAYS : LIEDER_COMPILE_NEVER;
            assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE);
            memcpy(last[k], last_row(&rows), sizeof last[k]);
            assert_int_equal(lieder_system_info(system).ncompiled, k);
            rows_drop(&rows);
            lieder_system_destroy(system);
        }
        assert_memory_equal(last[0], last[1], sizeof last[0]);
    }
    lieder_destroy(session);
    block_class_destroy(c);
}

/* a triangle of height 1 and period 4 */
static void hysteresis_turns(void **unused)
{
    (void)unused;
    Lieder *session = make_session(NULL);
    LiederSystem *system = system_new(session, "Wave");
    for (int k = 0; k < LIEDER_COUNT(solvers); k++) {
        Rows rows = {0};
        LiederStatistics s;
        assert_int_equal(run_rows(system, options_of(solvers[k], 10.5), &rows, &s), LIEDER_DONE);
        /* up to 1 at 1, down to -1 at 3, ... 1 at 9, then down */
        assert_true(fabs(last_row(&rows)[0] - -0.5) < 2e-2);
        if (lieder_solver_info(solvers[k])->adaptive)
            assert_true(fabs(last_row(&rows)[0] - -0.5) < 1e-7);
        assert_false(s.terminated);
        rows_drop(&rows);
        Watched w = watch(session, system, options_of(solvers[k], 2), "c.first", LIEDER_DONE, &s);
        assert_true(w.value[0] == 7);
        watched_drop(&w);
        w = watch(session, system, options_of(solvers[k], 2), "c.last", LIEDER_DONE, &s);
        assert_true(w.value[0] == 0 && watched_last(&w) == 3);
        watched_drop(&w);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

static void requests_end_the_run(void **unused)
{
    (void)unused;
    Lieder *session = make_session(NULL);
    LiederModel *m = lieder_model_create(session, "Ends", "");
    lieder_model_add(m, "c", "Test.Wave");
    lieder_model_set(m, "c.end", 1);
    lieder_model_set(m, "c.warn", 0.25);
    LiederSystem *system = system_new(session, "Ends");
    for (int k = 0; k < LIEDER_COUNT(solvers); k++) {
        LiederStatistics s;
        LiederSimulateOptions o = options_of(solvers[k], 5);
        Rows rows = {0};
        lieder_diagnostic_clear(session);
        assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE);
        assert_true(s.terminated && fabs(s.t - 1) < 2e-3 && rows.t[rows.n - 1] == s.t);
        assert_int_equal(lieder_diagnostic_count(session), 2);
        assert_said(session, "c", "the wave has turned");
        assert_said(session, "c", "the wave is rather high");
        rows_drop(&rows);
        lieder_diagnostic_clear(session);
        LiederHandle fail;
        assert_int_equal(lieder_handle_find(system, "c.fail", &fail), LIEDER_DONE);
        assert_int_equal(lieder_handle_set(system, &fail, 0.5), LIEDER_DONE);
        assert_int_equal(lieder_simulate(system, &o, &s), LIEDER_GAVE_UP);
        assert_said(session, "c", "the wave is too high");
        assert_true(s.t >= 0.5 && s.t < 1.01);
        assert_int_equal(lieder_handle_set(system, &fail, 9), LIEDER_DONE);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* the voltage of the node by trying all modes */
static double node_voltage(double t, double i)
{
    for (int modes = 0; modes < 8; modes++) {
        double sum = 0, all = 0, e[3], g[3];
        for (int k = 0; k < 3; k++) {
            e[k] = sin(t + 2.0943951023931953 * k);
            g[k] = modes >> k & 1 ? 1e3 : 1e-4;
            sum += g[k] * e[k];
            all += g[k];
        }
        double v = (sum - i) / all;
        bool right = true;
        for (int k = 0; k < 3; k++)
            right &= (v < e[k]) == (modes >> k & 1);
        if (right)
            return v;
    }
    fail();
    return 0;
}

static void diodes_find_their_modes(void **unused)
{
    (void)unused;
    Lieder *session = make_session(NULL);
    LiederSystem *system = system_new(session, "Rectifier");
    /* outside of runs: decided anew */
    double x = 0.3, dx;
    for (int k = 0; k < 100; k++) {
        double t = 0.173 * k;
        x = 0.02 * k;
        assert_int_equal(lieder_system_derivatives(system, t, &x, &dx), LIEDER_DONE);
        assert_true(fabs(dx - (node_voltage(t, x) - x) / 0.5) < 1e-9);
    }
    double i = 0.3, h = 1e-4;
    for (int n = 0; n < 100000; n++) { /* Heun */
        double t = h * n, a = (node_voltage(t, i) - i) / 0.5,
               b = (node_voltage(t + h, i + h * a) - i - h * a) / 0.5;
        i += h / 2 * (a + b);
    }
    for (int k = 0; k < LIEDER_COUNT(solvers); k++) {
        Rows rows = {0};
        LiederStatistics s;
        assert_int_equal(run_rows(system, options_of(solvers[k], 10), &rows, &s), LIEDER_DONE);
        double error = fabs(last_row(&rows)[0] - i);
        printf("%s: current %.1e off, %zu state events\n", lieder_solver_name(solvers[k]), error,
               s.state_events);
        assert_true(error < (lieder_solver_info(solvers[k])->adaptive ? 1e-6 : 1e-3));
        rows_drop(&rows);
        Watched w = watch(session, system, options_of(solvers[k], 10), "c.v", LIEDER_DONE, &s);
        for (size_t r = 0; r < w.n; r++)
            assert_true(fabs(w.value[r]) < 1.01); /* no row sees modes that are no solution */
        watched_drop(&w);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* slides from asin(1/2) on with v = 2 cos t0 - 2 cos t - (t - t0), until that is zero again */
static void friction_sticks(void **unused)
{
    (void)unused;
    Lieder *session = make_session(NULL);
    LiederSystem *system = system_new(session, "Stick");
    double t0 = asin(0.5), low = 2, high = 4;
    for (int n = 0; n < 60; n++) {
        double t = 0.5 * (low + high);
        *(2 * cos(t0) - 2 * cos(t) - (t - t0) > 0 ? &low : &high) = t;
    }
    /* at the stop the force is beyond -1 already, or will be at pi + t0 */
    printf("slides from %.6f to %.6f\n", t0, low);
    for (int k = 0; k < LIEDER_COUNT(solvers); k++) {
        LiederStatistics s;
        Watched w = watch(session, system, options_of(solvers[k], 12), "c.mode", LIEDER_DONE, &s);
        bool adaptive = lieder_solver_info(solvers[k])->adaptive;
        double began = 0, ended = 0;
        for (size_t r = 1; r < w.n; r++) {
            if (!began && w.value[r] == 1)
                began = w.t[r];
            if (began && !ended && w.value[r] != 1)
                ended = w.t[r];
        }
        assert_true(fabs(began - t0) < (adaptive ? 1e-7 : 2e-3));
        assert_true(fabs(ended - low) < (adaptive ? 1e-6 : 5e-3));
        watched_drop(&w);
        w = watch(session, system, options_of(solvers[k], 12), "c.starts", LIEDER_DONE, &s);
        assert_true(watched_last(&w) == 4);
        watched_drop(&w);
    }
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* the second half of a run from its state file has the bits of the whole; also inside a period */
static void restart_has_the_bits(void **unused)
{
    (void)unused;
    static const char *models[] = {"Ball", "Wave", "Stick", "Rectifier", "Sampled"};
    const char *file = "memory-test.state";
    Lieder *session = make_session(NULL);
    BlockClass *c = sampled_class(&plain);
    assert_int_equal(block_class_register(session, c), LIEDER_DONE);
    model_of(session, "Sampled", "Test.Sampled", 1);
    for (int i = 0; i < LIEDER_COUNT(models); i++) {
        LiederSystem *system = system_new(session, models[i]);
        Rows whole = {0}, rest = {0};
        LiederStatistics s;
        LiederSimulateOptions o = options_of(LIEDER_RK4, 2.345);
        assert_int_equal(run_rows(system, o, &whole, &s), LIEDER_DONE);
        o.checkpoint = file;
        o.stop = 1.234;
        assert_int_equal(lieder_simulate(system, &o, &s), LIEDER_DONE);
        o.checkpoint = NULL;
        o.resume = file;
        o.stop = 2.345;
        assert_int_equal(run_rows(system, o, &rest, &s), LIEDER_DONE);
        assert_memory_equal(last_row(&whole), last_row(&rest), whole.nstate * sizeof(double));
        rows_drop(&whole);
        rows_drop(&rest);
        lieder_system_destroy(system);
    }
    unlink(file);
    lieder_destroy(session);
    block_class_destroy(c);
}

/* a hundred balls of different heights, and one of them alone */
static void one_lane_has_the_bits_of_many(void **unused)
{
    (void)unused;
    enum { N = 100, ONE = 37 };
    Lieder *session = make_session(NULL);
    double each[N], bits[2], all[2 * N];
    for (int i = 0; i < N; i++)
        each[i] = 1 + 0.01 * i;
    LiederModel *m = lieder_model_create(session, "Many", "");
    lieder_model_add_array(m, "c", "Test.Bounce", N);
    lieder_model_set_each(m, "c.h", each, N);
    m = lieder_model_create(session, "One", "");
    lieder_model_add(m, "c", "Test.Bounce");
    lieder_model_set(m, "c.h", each[ONE]);
    const char *models[] = {"One", "Many"};
    double *to[] = {bits, all}, count[2];
    for (int k = 0; k < 2; k++) {
        LiederSystem *system = system_new(session, models[k]);
        Rows rows = {0};
        LiederStatistics s;
        assert_int_equal(run_rows(system, options_of(LIEDER_RK4, 3), &rows, &s), LIEDER_DONE);
        memcpy(to[k], last_row(&rows), rows.nstate * sizeof(double));
        rows_drop(&rows);
        char path[40];
        snprintf(path, sizeof path, k ? "c[%d].count" : "c.count", ONE + 1);
        Watched w = watch(session, system, options_of(LIEDER_RK4, 3), path, LIEDER_DONE, &s);
        count[k] = watched_last(&w);
        watched_drop(&w);
        lieder_system_destroy(system);
    }
    assert_true(bits[0] == all[ONE] && bits[1] == all[N + ONE]);
    assert_true(count[0] == count[1] && count[0] > 2);
    lieder_destroy(session);
}

/* steps one by one have the bits of a run, and see the same memory */
static void stepper_keeps_memory(void **unused)
{
    (void)unused;
    Lieder *session = make_session(NULL);
    LiederSystem *system = system_new(session, "Ball");
    LiederSimulateOptions o = options_of(LIEDER_RK4, 2);
    LiederStatistics s;
    Rows rows = {0};
    double count;
    assert_int_equal(run_rows(system, o, &rows, &s), LIEDER_DONE);
    LiederStepper *a = lieder_stepper_create(system, &o), *b = lieder_stepper_create(system, &o);
    assert_true(a && b);
    LiederObserver *observer = lieder_observer_create(system);
    assert_true(lieder_observer_add(observer, "c.count") == 0);
    assert_int_equal(lieder_stepper_step(a, 1000), LIEDER_DONE);
    assert_int_equal(lieder_stepper_step(b, 100), LIEDER_DONE); /* has memory of its own */
    assert_int_equal(lieder_stepper_step(a, 1000), LIEDER_DONE);
    assert_memory_equal(lieder_stepper_state(a), last_row(&rows), 2 * sizeof(double));
    assert_int_equal(lieder_stepper_observe(a, observer, &count), LIEDER_DONE);
    assert_true(count > 2);
    assert_int_equal(lieder_stepper_observe(b, observer, &count), LIEDER_DONE);
    assert_true(count == 0);
    assert_int_equal(lieder_stepper_reset(a, 0, NULL), LIEDER_DONE);
    assert_int_equal(lieder_stepper_observe(a, observer, &count), LIEDER_DONE);
    assert_true(count == 0);
    lieder_observer_destroy(observer);
    lieder_stepper_destroy(a);
    lieder_stepper_destroy(b);
    rows_drop(&rows);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

/* the table of variables: kind, type, start value, which may be set */
static void memory_is_a_variable(void **unused)
{
    (void)unused;
    Lieder *session = make_session(NULL);
    LiederSystem *system = system_new(session, "Ball");
    ptrdiff_t row = lieder_variable_find(system, "c.count");
    assert_true(row >= 0);
    LiederVariableInfo info = lieder_variable_info(system, (size_t)row);
    assert_int_equal(info.kind, LIEDER_VARIABLE_DISCRETE);
    assert_int_equal(info.type, LIEDER_TYPE_INTEGER);
    assert_true(info.start == 0);
    LiederHandle handle;
    assert_int_equal(lieder_handle_find(system, "c.count", &handle), LIEDER_DONE);
    assert_int_equal(lieder_handle_set(system, &handle, 40), LIEDER_DONE);
    LiederStatistics s;
    Watched w = watch(session, system, options_of(LIEDER_BDF, 0.5), "c.count", LIEDER_DONE, &s);
    assert_true(w.value[0] == 40 && watched_last(&w) == 41);
    /* outside of a run it has its start value again */
    double x[2] = {1, 0}, value;
    assert_int_equal(lieder_observer_evaluate(w.observer, 0, x, &value), LIEDER_DONE);
    assert_true(value == 40);
    watched_drop(&w);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

static void memory_runs_out(void **unused)
{
    (void)unused;
    static const char *models[] = {"Ball", "Wave", "Rectifier"};
    for (int i = 0; i < LIEDER_COUNT(models); i++) {
        bool done = false;
        for (size_t k = 1; !done; k++) {
            Meter meter = {0};
            LiederAllocator alloc = METER_ALLOCATOR(&meter);
            Lieder *session = make_session(&alloc);
            assert_non_null(session);
            LiederSimulateOptions o = options_of(LIEDER_BDF, 0.6);
            meter.fail_at = meter.calls + k;
            size_t limit = meter.fail_at;
            LiederSystem *system = lieder_system_create(session, models[i], NULL);
            if (system) {
                LiederStatus status = lieder_simulate(system, &o, NULL);
                done = meter.calls < limit;
                assert_true(!done || status == LIEDER_DONE);
                lieder_system_destroy(system);
            }
            lieder_destroy(session);
            assert_true(meter.live == 0 && meter.bytes == 0 && meter.wrong == 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_bounces),
        cmocka_unit_test(chain_takes_five_passes),
        cmocka_unit_test(what_alternates_is_named),
        cmocka_unit_test(samples_come_exactly),
        cmocka_unit_test(generated_code_has_the_bits),
        cmocka_unit_test(hysteresis_turns),
        cmocka_unit_test(requests_end_the_run),
        cmocka_unit_test(diodes_find_their_modes),
        cmocka_unit_test(friction_sticks),
        cmocka_unit_test(restart_has_the_bits),
        cmocka_unit_test(one_lane_has_the_bits_of_many),
        cmocka_unit_test(stepper_keeps_memory),
        cmocka_unit_test(memory_is_a_variable),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
