/* test_circuits.c - electrical networks and heat as Modelica text, against closed forms. */
#include <math.h>

#include <lieder/load.h>
#include <lieder/simulate.h>

#include "help/engine.h"
#include "help/run.h"

#define SOURCE "  Electrical.Ground g;\n"

/* the model T of a text to `stop` by an adaptive solver, or fixed steps; values at the end */
static void run_text(const char *text, LiederSolver solver, double stop, double step,
                     const char *const *names, double *values)
{
    Lieder *session = lieder_create(NULL);
    LiederSystem *system = NULL;
    if (lieder_load_text(session, "T.mo", text) == LIEDER_DONE)
        system = lieder_system_load(session, "T", NULL, 0, NULL, NULL);
    LiederSimulateOptions o = lieder_simulate_defaults();
    LiederStatistics s;
    o.solver = solver;
    o.stop = stop;
    o.step = step;
    o.tolerance = 1e-9;
    if (!system)
        lieder_diagnostic_print_all(session, stderr);
    assert_non_null(system);
    Run *run = calloc(1, sizeof *run);
    run->observer = lieder_observer_create(system);
    size_t n = 0;
    for (; names[n]; n++)
        if (lieder_observer_add(run->observer, names[n]) < 0)
            fail_msg("there is no %s", names[n]);
    o.output = run_keep_row;
    o.user = run;
    LiederStatus status = lieder_simulate(system, &o, &s);
    if (status != LIEDER_DONE)
        lieder_diagnostic_print_all(session, stderr);
    assert_int_equal(status, LIEDER_DONE);
    for (size_t i = 0; i < n; i++)
        values[i] = run_last(run, i);
    lieder_observer_destroy(run->observer);
    free(run);
    lieder_system_destroy(system);
    lieder_destroy(session);
}

static void first_order(void **unused)
{
    (void)unused;
    double v[2];
    run_text(
        "model T\n" SOURCE "  Electrical.StepVoltage u(V = 2, startTime = 0.1);\n"
        "  Electrical.Resistor r(R = 4), r2(R = 3); Electrical.Capacitor c(C = 0.25);\n"
        "  Electrical.Inductor l(L = 1.5);\n"
        "equation connect(g.p, u.n); connect(u.p, r.p); connect(r.n, c.p); connect(c.n, g.p);\n"
        "  connect(u.p, r2.p); connect(r2.n, l.p); connect(l.n, g.p); end T;\n",
        LIEDER_BDF, 1.1, 0, (const char *[]){"c.v", "l.i", NULL}, v);
    assert_close(v[0], 2 * (1 - exp(-1)), 1e-7);
    assert_close(v[1], 2.0 / 3 * (1 - exp(-2)), 1e-7);
}

/* an EMF between a network and dialectic mechanics: w = V/k (1 - exp(-t k^2/(R J))) */
static void motor(void **unused)
{
    (void)unused;
    double v[2];
    run_text("model T\n" SOURCE "  inner Dialectic.World world(TD = 0);\n"
             "  Electrical.ConstantVoltage u(V = 10); Electrical.Resistor r(R = 0.5);\n"
             "  Electrical.EMF emf(k = 0.2);\n"
             "  Dialectic.Rotational.Fixed f; Dialectic.Rotational.Joint j;\n"
             "  Dialectic.Rotational.Inertia J(J = 0.01);\n"
             "equation connect(g.p, u.n); connect(u.p, r.p); connect(r.n, emf.p);\n"
             "  connect(emf.n, g.p); connect(f.flange_b, j.flange_a);\n"
             "  connect(j.flange_b, J.flange_a); connect(emf.flange, J.flange_a); end T;\n",
             LIEDER_BDF, 0.2, 0, (const char *[]){"j.w", "r.i", NULL}, v);
    assert_close(v[0], 50 * (1 - exp(-1.6)), 1e-6);
    assert_close(v[1], 20 * exp(-1.6), 1e-6);
}

/* an inverting amplifier, ideal and within limits; a transformer: i1 = v1/(n^2 R) */
static void amplifiers(void **unused)
{
    (void)unused;
    double v[4];
    run_text(
        "model T\n" SOURCE "  Electrical.ConstantVoltage u(V = 2), u2(V = 5);\n"
        "  Electrical.Resistor r1(R = 1000), r2(R = 5000), q1(R = 1000), q2(R = 5000), w(R = 2);\n"
        "  Electrical.IdealOpAmp a; Electrical.OpAmp b(VMax = 15);\n"
        "  Electrical.IdealTransformer t(n = 5); Electrical.CurrentSensor s;\n"
        "  Electrical.Capacitor c(C = 1);\n"
        "equation connect(g.p, u.n); connect(u.p, r1.p); connect(r1.n, a.in_n);\n"
        "  connect(a.in_n, r2.p); connect(r2.n, a.out); connect(a.in_p, g.p);\n"
        "  connect(g.p, u2.n); connect(u2.p, q1.p); connect(q1.n, b.in_n);\n"
        "  connect(b.in_n, q2.p); connect(q2.n, b.out); connect(b.in_p, g.p);\n"
        "  connect(u.p, s.p); connect(s.n, t.p1); connect(t.n1, g.p); connect(t.p2, w.p);\n"
        "  connect(w.n, t.n2); connect(t.n2, g.p); connect(u.p, c.p); connect(c.n, g.p); end T;\n",
        LIEDER_RK4, 0.01, 1e-3, (const char *[]){"a.out.v", "b.out.v", "w.v", "s.y", NULL}, v);
    assert_close(v[0], -10, 1e-9);
    assert_close(v[1], -15, 1e-9);
    assert_close(v[2], 0.4, 1e-12);
    assert_close(v[3], 2.0 / 50, 1e-12);
}

/* losses heat the resistor, which then conducts less: dT (1 + alpha dT) = V^2/(R G) */
static void losses(void **unused)
{
    (void)unused;
    double v;
    run_text("model T\n" SOURCE "  Electrical.ConstantVoltage u(V = 10);\n"
             "  Electrical.HeatingResistor r(R = 5, alpha = 0.004);\n"
             "  Thermal.HeatCapacitor c(C = 10); Thermal.ThermalConductor k(G = 0.5);\n"
             "  Thermal.FixedTemperature room;\n"
             "equation connect(g.p, u.n); connect(u.p, r.p); connect(r.n, g.p);\n"
             "  connect(r.port, c.port); connect(c.port, k.port_a); connect(k.port_b, room.port); "
             "end T;\n",
             LIEDER_BDF, 1000, 0, (const char *[]){"c.T", NULL}, &v);
    assert_close(v, 293.15 + (sqrt(1 + 4 * 0.004 * 40) - 1) / 0.008, 1e-5);
}

/* a thyristor fired a quarter of a period after the zero: the charge of one period through R is
 * V/(R w) (1 + cos(w t0)), t0 = 5 ms: half of that of a diode */
static void thyristor(void **unused)
{
    (void)unused;
    double v[2];
    run_text(
        "model T\n" SOURCE "  Electrical.SineVoltage u(V = 10, f = 50);\n"
        "  Electrical.Resistor r(R = 10), r2(R = 10);\n"
        "  Electrical.IdealThyristor th(fire = time > 0.005, Ron = 0, Goff = 0);\n"
        "  Electrical.IdealDiode d; Real Q(start = 0), Q2(start = 0);\n"
        "equation connect(g.p, u.n); connect(u.p, r.p); connect(r.n, th.p); connect(th.n, g.p);\n"
        "  connect(u.p, r2.p); connect(r2.n, d.p); connect(d.n, g.p);\n"
        "  der(Q) = th.i; der(Q2) = d.i; end T;\n",
        LIEDER_BDF, 0.0199, 0, (const char *[]){"Q", "Q2", NULL}, v);
    double w = 2 * acos(-1) * 50;
    assert_close(v[0], 1 / w, 1e-8);
    assert_close(v[1], 2 / w, 1e-8);
}

/* a Zener diode holds the voltage of a divider; a switch lets through what it is set to */
static void clamps_and_switches(void **unused)
{
    (void)unused;
    double v[2];
    run_text(
        "model T\n" SOURCE "  Electrical.ConstantVoltage u(V = 12);\n"
        "  Electrical.Resistor r(R = 100), load(R = 10), s(R = 1);\n"
        "  Electrical.ZDiode z(Vz = 5, Ron = 0.1, Goff = 0); Electrical.IdealSwitch k(Ron = 0, "
        "Goff = 0);\n"
        "  Electrical.Capacitor c(C = 1e-6); Signals.Step on(height = 2, offset = -1, startTime = "
        "0.5);\n"
        "equation connect(g.p, u.n); connect(u.p, r.p); connect(r.n, z.n); connect(z.p, g.p);\n"
        "  connect(r.n, c.p); connect(c.n, g.p);\n"
        "  connect(u.p, k.p); connect(k.n, s.p); connect(s.n, g.p); connect(on.y, k.u);\n"
        "  connect(u.p, load.p); connect(load.n, g.p); end T;\n",
        LIEDER_BDF, 1, 0, (const char *[]){"c.v", "s.i", NULL}, v);
    /* (12 - v)/100 = (v - 5)/0.1 */
    assert_close(v[0], (12.0 / 100 + 5 / 0.1) / (1.0 / 100 + 1 / 0.1), 1e-7);
    assert_close(v[1], 12, 1e-9);
}

/* controlled sources, one of each kind, from 2 V and 3 A; a switch with a truth value, a sensor of
 * power */
static void controlled(void **unused)
{
    (void)unused;
    double v[7];
    run_text("model T\n" SOURCE "  Electrical.ConstantVoltage u(V = 2);\n"
             "  Electrical.ConstantCurrent i(I = -3); Electrical.Resistor r[4](each R = 5);\n"
             "  Electrical.VCV vcv(gain = 4); Electrical.VCC vcc(transConductance = 0.5);\n"
             "  Electrical.CCV ccv(transResistance = 7); Electrical.CCC ccc(gain = 6);\n"
             "  Electrical.IdealClosingSwitch on; Electrical.Resistor lamp(R = 2);\n"
             "  Electrical.PowerSensor power; Signals.BooleanStep late(startTime = 0.5);\n"
             "  Real x(start = 0, fixed = true);\n"
             "equation\n"
             "  der(x) = power.y;\n"
             "  connect(u.n, g.p); connect(u.p, vcv.p1); connect(u.p, vcc.p1); connect(i.n, g.p);\n"
             "  connect(i.p, ccv.p1); connect(ccv.n1, ccc.p1); connect(ccc.n1, g.p);\n"
             "  connect(vcv.n1, g.p); connect(vcc.n1, g.p);\n"
             "  connect(vcv.p2, r[1].p); connect(vcc.p2, r[2].p); connect(ccv.p2, r[3].p);\n"
             "  connect(ccc.p2, r[4].p); connect(vcv.n2, g.p); connect(vcc.n2, g.p);\n"
             "  connect(ccv.n2, g.p); connect(ccc.n2, g.p);\n"
             "  for k in 1:4 loop connect(r[k].n, g.p); end for;\n"
             "  connect(late.y, on.control); connect(u.p, on.p); connect(on.n, power.pc);\n"
             "  connect(power.nc, lamp.p); connect(lamp.n, g.p); connect(power.pv, lamp.p);\n"
             "  connect(power.nv, g.p); end T;\n",
             LIEDER_BDF, 1, 0,
             (const char *[]){"r[1].v", "r[2].i", "r[3].v", "r[4].i", "lamp.i", "x", NULL}, v);
    assert_close(v[0], 8, 1e-9);
    assert_close(v[1], -1, 1e-9);
    assert_close(v[2], 21, 1e-9);
    assert_close(v[3], -18, 1e-9);
    assert_close(v[4], 1, 1e-4);
    assert_close(v[5], 1, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_order), cmocka_unit_test(motor),
        cmocka_unit_test(amplifiers),  cmocka_unit_test(losses),
        cmocka_unit_test(thyristor),   cmocka_unit_test(clamps_and_switches),
        cmocka_unit_test(controlled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
