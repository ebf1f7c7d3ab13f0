/* circuit_equations.c - the switching RLC circuit as plain equations (paper 002, case study 2).
 *
 *        i ->  L
 *   +----------UUUU----+-------+---------+
 *   |                  |       |         |          L i'    = u_s - u_C
 *  u_s                 C u_C   R1       [R2]        C u_C'  = i - u_C / R1 + i_b
 *   |                  |       |         | ^ i_b
 *   +------------------+-------+---[X]---+          u_X     = -u_C - R2 i_b
 *
 * The paper's equation of the Shockley diode, I_S R2 (exp(u_D / U_T) - 1) + u_C + u_D = 0, says
 * that diode and R2 stand in series, across the capacitor and against it. What stands at X:
 *
 *   Rlc          nothing: i_b = 0
 *   RlcResistor  R(t) with ramps between off and on: i_b = -u_C / (R2 + R)
 *   RlcDiode     an ideal diode with a forward voltage: i_b = max(-u_C - U, 0) / R2
 *   RlcShockley  a diode with an exponential law
 *
 * For the last one let z = R2 (i_b + I_S) / U_T and s = ln z. Then
 *
 *   exp(s) + s = p,   p = (R2 I_S - u_C) / U_T + ln(R2 I_S / U_T)
 *
 * which is convex and increasing: Newton's method from the right of the root goes down to it
 * without fail, and exp(s) never exceeds what p allows, where exp(u_D / U_T) would overflow. The
 * start is min(p, 64 (p^(1/64) - 1)): the second is nearly ln p, and neither is less than the root.
 */
#include <math.h>
#include <stdio.h>

#include <lieder/component.h>
#include <lieder/simulate.h>

enum { CIRCUIT_NEWTON = 14, CIRCUIT_LOGARITHM = 80 };

typedef struct Rlc {
    real R1, R2, L, C, V, f;
    real R_off, R_on, t_on, t_off, ramp; /* RlcResistor */
    real U;                              /* RlcDiode */
    real I_S, U_T, shift;                /* RlcShockley; ln(R2 I_S / U_T) */
    real i, u_C, di, du_C;
    real i_b, u_X, margin, conducts;
} Rlc;
typedef Rlc RlcResistor;
typedef Rlc RlcDiode;
typedef Rlc RlcShockley;

static inline void circuit_rates(Rlc *c, Signal *y, Call call)
{
    real u_s = c->V * sine(2 * M_PI * c->f * call.time);
    c->di = (u_s - c->u_C) / c->L;
    c->du_C = (c->i - c->u_C / c->R1 + c->i_b) / c->C;
    c->u_X = -c->u_C - c->R2 * c->i_b;
    y->y = c->u_C;
}

static inline void rlc_explicit(Rlc *c, Signal *y, Call call)
{
    c->i_b = REAL(0.0);
    circuit_rates(c, y, call);
}

static inline void rlc_resistor_explicit(Rlc *c, Signal *y, Call call)
{
    /* 0 off, 1 on */
    real up = (call.time - c->t_on) / c->ramp, down = (call.time - c->t_off) / c->ramp;
    real on = minimum(maximum(up, 0.0), 1.0) - minimum(maximum(down, 0.0), 1.0);
    c->i_b = -c->u_C / (c->R2 + c->R_off + (c->R_on - c->R_off) * on);
    circuit_rates(c, y, call);
}

/* its four corners; parameters stand in the order of the table */
static double resistor_next_time(const double *p, const LiederTable *table, double t)
{
    (void)table;
    const double t_on = p[8], t_off = p[9], ramp = p[10];
    const double corners[] = {t_on, t_on + ramp, t_off, t_off + ramp};
    double next = INFINITY;
    for (int i = 0; i < 4; i++)
        if (corners[i] > t)
            next = fmin(next, corners[i]);
    return next;
}

static inline void rlc_diode_explicit(Rlc *c, Signal *y, Call call)
{
    c->margin = c->u_C + c->U;
    mask conducts = hold_choice(call, (mask)(c->margin < 0.0), &c->conducts);
    c->i_b = choose(conducts, -c->margin / c->R2, 0.0);
    circuit_rates(c, y, call);
}

/* the logarithm, once: exp(s) = q from the right of the root, too */
static inline void rlc_shockley_constant(Rlc *c)
{
    real q = c->R2 * c->I_S / c->U_T, s = maximum(q - 1.0, 0.0);
    for (int k = 0; k < CIRCUIT_LOGARITHM; k++)
        s = s - 1.0 + q * exponential(-s);
    c->shift = s;
}

static inline void rlc_shockley_explicit(Rlc *c, Signal *y, Call call)
{
    real p = (c->R2 * c->I_S - c->u_C) / c->U_T + c->shift;
    real root = maximum(p, 1.0);
    for (int k = 0; k < 6; k++)
        root = square_root(root);
    real s = choose(p > 1.0, minimum(p, 64.0 * (root - 1.0)), p);
    for (int k = 0; k < CIRCUIT_NEWTON; k++) {
        real e = exponential(s);
        s = s - (e + s - p) / (e + 1.0);
    }
    c->i_b = exponential(s) * c->U_T / c->R2 - c->I_S;
    circuit_rates(c, y, call);
}

#define CLASS    Rlc
#define PORTS(X) X(0, OUT, Signal)
#define EXPLICIT rlc_explicit
#include <lieder/kernels.inc>

#define CLASS    RlcResistor
#define PORTS(X) X(0, OUT, Signal)
#define EXPLICIT rlc_resistor_explicit
#include <lieder/kernels.inc>

#define CLASS    RlcDiode
#define PORTS(X) X(0, OUT, Signal)
#define EXPLICIT rlc_diode_explicit
#include <lieder/kernels.inc>

#define CLASS    RlcShockley
#define PORTS(X) X(0, OUT, Signal)
#define CONSTANT rlc_shockley_constant
#define EXPLICIT rlc_shockley_explicit
#include <lieder/kernels.inc>

static const LiederPortDef circuit_ports[] = {
    {.name = "y", .domain = &lieder_signal, .role = LIEDER_OUT, .optional = true}};
static const LiederMember circuit_members[] = {
    PARAMETER(Rlc, R1, "Ohm", 1000, AT_LEAST(0), "load"),
    PARAMETER(Rlc, R2, "Ohm", 20, AT_LEAST(0), "in the branch"),
    PARAMETER(Rlc, L, "H", 25.3e-6, AT_LEAST(0), "coil"),
    PARAMETER(Rlc, C, "F", 100e-9, AT_LEAST(0), "capacitor"),
    PARAMETER(Rlc, V, "V", 5, ANY, "amplitude of the source"),
    PARAMETER(Rlc, f, "Hz", 0.15e6, AT_LEAST(0), "its frequency"),
    PARAMETER(Rlc, R_off, "Ohm", 1e5, AT_LEAST(0), "R(t) before t_on and after t_off"),
    PARAMETER(Rlc, R_on, "Ohm", 1, AT_LEAST(0), "R(t) between"),
    PARAMETER(Rlc, t_on, "s", 20e-6, ANY, "begin of the first ramp"),
    PARAMETER(Rlc, t_off, "s", 60e-6, ANY, "begin of the second ramp"),
    PARAMETER(Rlc, ramp, "s", 0.1e-6, AT_LEAST(0), "length of each"),
    PARAMETER(Rlc, U, "V", 0, ANY, "forward voltage of the ideal diode"),
    PARAMETER(Rlc, I_S, "A", 1e-12, AT_LEAST(0), "saturation current"),
    PARAMETER(Rlc, U_T, "V", 25e-3, AT_LEAST(0), "temperature voltage"),
    STATE(Rlc, i, di, "A", 0, "current of the coil"),
    STATE(Rlc, u_C, du_C, "V", 0, "voltage of the capacitor"),
    OBSERVABLE(Rlc, i_b, "A", "current of the branch"),
    OBSERVABLE(Rlc, u_X, "V", "voltage at X"),
    CROSSING(Rlc, margin, conducts, LIEDER_EDGE, "V",
             "negative: the diode conducts"), /* RlcDiode; the last */
};
#define CIRCUIT_CLASS(name_, text_, nmember_, ...)                                                 \
    {                                                                                              \
        .name = #name_, .text = text_, .nport = 1, .ports = circuit_ports, .nmember = nmember_,    \
        .members = circuit_members, .kernels = &name_##_kernels, .uses_time = true, __VA_ARGS__    \
    }
enum { CIRCUIT_MEMBERS = LIEDER_COUNT(circuit_members) };
static const LiederClassDef circuit_classes[] = {
    CIRCUIT_CLASS(Rlc, "Circuit without a branch", CIRCUIT_MEMBERS - 1, ),
    CIRCUIT_CLASS(RlcResistor, "Circuit with R(t)", CIRCUIT_MEMBERS - 1,
                  .next_time = resistor_next_time),
    CIRCUIT_CLASS(RlcDiode, "Circuit with an ideal diode", CIRCUIT_MEMBERS, ),
    CIRCUIT_CLASS(RlcShockley, "Circuit with a Shockley diode", CIRCUIT_MEMBERS - 1, ),
};

enum { CIRCUIT_BASIC, CIRCUIT_RESISTOR, CIRCUIT_DIODE, CIRCUIT_SHOCKLEY, CIRCUITS };

static LiederSystem *circuit_create(Lieder *session, int which)
{
    char name[40];
    snprintf(name, sizeof name, "Circuit.%s", circuit_classes[which].name);
    if (lieder_class_register(session, &circuit_classes[which]) != LIEDER_DONE)
        return NULL;
    LiederModel *m = lieder_model_create(session, name, "");
    lieder_model_add(m, "c", circuit_classes[which].name);
    return lieder_system_create(session, name, NULL);
}

static bool keep_last(void *user, double t, const double *x, LiederRow kind)
{
    (void)t;
    (void)kind;
    ((double *)user)[0] = x[0];
    ((double *)user)[1] = x[1];
    return true;
}

/* i and u_C after 100 us */
static LiederStatus circuit_run(LiederSystem *system, LiederSolver solver, double tolerance,
                                double *x, LiederStatistics *s)
{
    LiederSimulateOptions o = lieder_simulate_defaults();
    o.solver = solver;
    o.tolerance = tolerance;
    o.stop = 100e-6;
    o.output = keep_last;
    o.user = x;
    return lieder_simulate(system, &o, s);
}

int main(void)
{
    static const struct {
        const char *name;
        int which;
        double U;
    } runs[] = {{"basic", CIRCUIT_BASIC, 0},
                {"resistor", CIRCUIT_RESISTOR, 0},
                {"ideal diode", CIRCUIT_DIODE, 0},
                {"forward voltage 0.7 V", CIRCUIT_DIODE, 0.7},
                {"Shockley", CIRCUIT_SHOCKLEY, 0}};
    Lieder *session = lieder_create(NULL);
    LiederSystem *systems[CIRCUITS] = {0};
    if (!session)
        return 1;
    for (int i = 0; i < CIRCUITS; i++)
        systems[i] = circuit_create(session, i);
    printf("circuit at 100 us              i/mA        u_C/V  state and time events  steps\n");
    for (int k = 0; k < 5; k++) {
        LiederStatistics s;
        double x[2];
        lieder_system_set(systems[runs[k].which], "c.U", runs[k].U);
        if (circuit_run(systems[runs[k].which], LIEDER_BDF, 1e-10, x, &s) == LIEDER_DONE)
            printf("%-22s %12.7f %12.9f %15zu %6zu %6zu\n", runs[k].name, 1e3 * x[0], x[1],
                   s.state_events, s.time_events, s.steps);
    }
    lieder_diagnostic_print_all(session, stderr);
    for (int i = 0; i < CIRCUITS; i++)
        lieder_system_destroy(systems[i]);
    lieder_destroy(session);
    return 0;
}
