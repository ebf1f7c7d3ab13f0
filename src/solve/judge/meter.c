/* meter.c - energies along a run: what dampers, filter and sources did since its start.
 *
 * Powers are integrated as the solver integrates the states. Explicit fixed steps repeat the stages
 * of the step and sum the powers there with the weights of the method, as if the integrals were
 * states; backward Euler takes the power at the end of the step; inside the steps of adaptive
 * one-step methods the powers are summed at points of Gauss on the solver's own polynomial.
 *
 * The steps of bdf are short beside the motions that they follow, so that a polynomial through
 * known powers is accurate enough, as in a formula of Adams: with nodes t_0 > t_1 > ..., where the
 * powers p are summed up to t_1 already,
 *
 *   integral from t_1 to t_0 of p  =  sum over j of p[t_0 ... t_j] W_j,
 *   W_j = integral of (t - t_0) ... (t - t_j-1)
 *
 * with divided differences p[...]. Rows are nodes, because powers are evaluated there anyway. The
 * last term measures the accuracy: where it is small, only one of several steps between two rows
 * becomes a node; where it is large, points of Gauss are used for the step.
 *
 * What an event does to the energy (a spring that breaks, a velocity that is set) counts as
 * dissipated; what a change of connections does counts as supplied.
 *
 * Lanes with clocks of their own have no common steps: their integrals are NaN. */
#include <math.h>
#include <string.h>

#include "solve/judge/meter.h"

enum { MAX_STRIDE = 4 };

static const double gauss_places[] = {0.11270166537925831, 0.5, 0.88729833462074169};
static const double gauss_weights[] = {5.0 / 18, 4.0 / 9, 5.0 / 18};

static size_t bytes_of(const EnergyMeter *m)
{
    return (size_t)(MAX_STAGES + 2) * m->n * sizeof(double) + 1;
}

LiederStatus meter_create(EnergyMeter *m, LiederSystem *system, LiederEnergy *to)
{
    *m = (EnergyMeter){.system = system, .to = to, .n = system->nstate};
    if (!to)
        return LIEDER_DONE;
    *to = (LiederEnergy){0};
    m->x = memory_zeroed(SYSTEM_ALLOC(system), bytes_of(m));
    return m->x ? LIEDER_DONE : LIEDER_NO_MEMORY;
}

void meter_drop(EnergyMeter *m)
{
    if (m->x)
        memory_free(SYSTEM_ALLOC(m->system), m->x, bytes_of(m));
    *m = (EnergyMeter){0};
}

/* evaluates energies and powers; false: that failed, is reported, and the integrals become NaN */
static bool observe_energy(EnergyMeter *m, double t, const double *x, const Moment *moment,
                           EnergyNow *now)
{
    Moment kept = m->system->moment;
    m->system->moment = *moment;
    LiederStatus status = energy_now(m->system, t, x, now);
    m->system->moment = kept;
    if (status != LIEDER_DONE)
        meter_lose_count(m);
    return status == LIEDER_DONE;
}

static void add_power(EnergyMeter *m, const EnergyNow *now, double weight)
{
    m->to->dissipated += weight * now->energy.dissipated;
    m->to->filter += weight * now->energy.filter;
    m->work += weight * now->energy.supplied;
}

static void show_meter(EnergyMeter *m, const EnergyNow *now)
{
    m->to->kinetic = now->energy.kinetic;
    m->to->potential = now->energy.potential;
    m->to->supplied = m->work + (now->declared - m->declared);
    m->before = now->energy.kinetic + now->energy.potential;
    m->declared_before = now->declared;
}

void meter_lose_count(EnergyMeter *m)
{
    if (m->to)
        m->to->dissipated = m->to->filter = m->work = NAN;
    for (int k = 0; k < METER_POWERS; k++)
        m->sum[k] = NAN;
}

/* ------------------------------------------------------------------ steps */

void meter_keep(EnergyMeter *m, const double *x)
{
    if (m->to && m->n)
        memcpy(m->x, x, m->n * sizeof(double));
}

/* sums the powers at the stages of an explicit step from the state that was kept */
void meter_explicit(EnergyMeter *m, Team *team, LiederSolver solver, double t, double h,
                    const Moment *moment)
{
    ButcherTable b = solver_table(solver);
    double *x = m->x + m->n;
    for (int i = 0; i < b.nstage; i++) {
        double *k = m->x + (size_t)(2 + i) * m->n, at = t + b.c[i] * h;
        EnergyNow now;
        for (size_t s = 0; s < m->n; s++) {
            double sum = 0;
            for (int j = 0; j < i; j++)
                sum += b.a[i][j] * m->x[(size_t)(2 + j) * m->n + s];
            x[s] = m->x[s] + h * sum;
        }
        if (!observe_energy(m, at, x, moment, &now))
            return;
        add_power(m, &now, b.b[i] * h);
        if (i + 1 < b.nstage && team_derivatives(team, at, moment, x, k, false) != LIEDER_DONE) {
            meter_lose_count(m);
            return;
        }
    }
    m->t = t + h;
}

void meter_implicit(EnergyMeter *m, double t, double h, const double *x, const Moment *moment)
{
    EnergyNow now;
    if (observe_energy(m, t, x, moment, &now))
        add_power(m, &now, h);
    m->t = t;
}

/* sums the powers from m->t to `until` by three points of Gauss inside the last step */
static void sum_inside(EnergyMeter *m, double until, const Moment *moment)
{
    double from = m->t, h = until - from;
    for (int i = 0; i < 3; i++) {
        EnergyNow now;
        double at = from + gauss_places[i] * h;
        adaptive_between(m->method, at, m->x);
        if (observe_energy(m, at, m->x, moment, &now))
            add_power(m, &now, gauss_weights[i] * h);
    }
    m->t = until;
}

static void powers_of(const EnergyNow *now, double p[METER_POWERS])
{
    p[0] = now->energy.dissipated;
    p[1] = now->energy.filter;
    p[2] = now->energy.supplied;
}

/* keeps the sums up to the last node, or goes back to them */
static void nodes_close(EnergyMeter *m)
{
    m->sum[0] = m->to->dissipated;
    m->sum[1] = m->to->filter;
    m->sum[2] = m->work;
}

static void nodes_open(EnergyMeter *m, double t)
{
    m->to->dissipated = m->sum[0];
    m->to->filter = m->sum[1];
    m->work = m->sum[2];
    m->t = t;
}

/* a new polynomial, from a moment where powers may have jumped */
static void nodes_begin(EnergyMeter *m, double t, const EnergyNow *now)
{
    m->nnode = 1;
    m->nstep = 0;
    m->stride = 1;
    m->step = 0;
    m->t = m->since = m->nodes[0].t = t;
    powers_of(now, m->nodes[0].p);
    nodes_close(m);
}

static void nodes_push(EnergyMeter *m, const MeterNode *node)
{
    memmove(m->nodes + 1, m->nodes, (METER_NODES - 1) * sizeof *m->nodes);
    m->nodes[0] = *node;
    m->nnode += m->nnode < METER_NODES;
    m->nstep = 0;
    nodes_close(m);
}

/* the polynomial through the nodes and a new one, from the last node to the new one; the size of
 * the last term is returned */
static double sum_nodes(const EnergyMeter *m, const MeterNode *to, double sum[METER_POWERS])
{
    const MeterNode *node = m->nodes;
    const int n = m->nnode;
    double h = to->t - node[0].t, weight[METER_NODES + 1] = {0}, last = 0;
    /* degree METER_NODES at most, which three points integrate exactly */
    for (int i = 0; i < 3; i++) {
        double t = node[0].t + gauss_places[i] * h, product = gauss_weights[i] * h;
        weight[0] += product;
        product *= t - to->t;
        for (int j = 1; j <= n; j++) {
            weight[j] += product;
            product *= t - node[j - 1].t;
        }
    }
    for (int k = 0; k < METER_POWERS; k++) {
        double d[METER_NODES + 1] = {to->p[k]};
        for (int j = 1; j <= n; j++)
            d[j] = node[j - 1].p[k];
        for (int level = 1; level <= n; level++)
            for (int j = n; j >= level; j--)
                d[j] = (d[j - 1] - d[j]) /
                       ((j == level ? to->t : node[j - level - 1].t) - node[j - 1].t);
        sum[k] = 0;
        for (int j = 0; j <= n; j++)
            sum[k] += d[j] * weight[j];
        last = fmax(last, fabs(d[n] * weight[n]));
    }
    return last;
}

/* Sums up to t, where powers and energies are `now`: a row (step: infinite), or the end of a step
 * of this length. */
static void sum_until(EnergyMeter *m, double t, double step, const EnergyNow *now,
                      const Moment *moment)
{
    MeterNode to = {.t = t};
    double sum[METER_POWERS];
    double h = t - m->nodes[0].t, before = m->nnode > 1 ? m->nodes[0].t - m->nodes[1].t : 0;
    powers_of(now, to.p);
    m->most = fmax(m->most, now->energy.kinetic);
    double error = sum_nodes(m, &to, sum), small = 0.01 * m->tolerance * m->most;
    bool serves = error <= small && m->nnode > 2 && h <= 2 * before;

    nodes_open(m, m->nodes[0].t);
    if (!serves && m->nodes[0].t >= m->since) {
        sum_inside(m, t, moment);
    } else {
        m->to->dissipated += sum[0];
        m->to->filter += sum[1];
        m->work += sum[2];
        m->t = t;
    }
    if (step < 0.3 * before) { /* what was before is too far away to be of use */
        nodes_begin(m, t, now);
    } else if (!(h < 0.3 * before)) {
        m->stride = !serves               ? 1
                    : error > 0.1 * small ? m->stride
                                          : (m->stride < MAX_STRIDE ? m->stride + 1 : MAX_STRIDE);
        nodes_push(m, &to);
    } /* else a node right behind another one would spoil the differences */
}

/* Steps become shorter where something sudden begins: the begin of the last step becomes a node. */
static void nodes_come_closer(EnergyMeter *m, const Moment *moment)
{
    EnergyNow now;
    m->stride = 1;
    if (!(m->nodes[0].t < m->since))
        return;
    adaptive_between(m->method, m->since, m->x);
    if (observe_energy(m, m->since, m->x, moment, &now))
        sum_until(m, m->since, INFINITY, &now, moment);
}

void meter_adaptive(EnergyMeter *m, double t, const double *x, const Moment *moment)
{
    EnergyNow now;
    double step = t - m->since;
    if (!m->to)
        return;
    if (m->multistep && step < 0.7 * m->step)
        nodes_come_closer(m, moment);
    if (!m->multistep && t > m->t)
        sum_inside(m, t, moment);
    else if (m->multistep && ++m->nstep >= m->stride && t > m->t &&
             observe_energy(m, t, x, moment, &now))
        sum_until(m, t, step, &now, moment);
    m->since = t;
    m->step = step;
}

/* ------------------------------------------------------------------ rows */

void meter_begin(EnergyMeter *m, double t, const double *x, const Moment *moment)
{
    EnergyNow now;
    m->t = t;
    if (m->to && observe_energy(m, t, x, moment, &now)) {
        m->declared = now.declared;
        nodes_begin(m, t, &now);
        show_meter(m, &now);
    }
}

void meter_row(EnergyMeter *m, double t, const double *x, const Moment *moment)
{
    EnergyNow now;
    if (!m->to || !observe_energy(m, t, x, moment, &now))
        return;
    if (m->method && t > m->t)
        m->multistep ? sum_until(m, t, INFINITY, &now, moment) : sum_inside(m, t, moment);
    show_meter(m, &now);
}

/* ------------------------------------------------------------------ jumps */

void meter_after(EnergyMeter *m, double t, const double *x, const Moment *moment, MeterTaker taker)
{
    EnergyNow now;
    if (!m->to || !observe_energy(m, t, x, moment, &now))
        return;
    double gain = now.energy.kinetic + now.energy.potential - m->before;
    /* what declared energies did is no work of their component */
    m->declared += now.declared - m->declared_before;
    if (taker == TAKEN_BY_PROGRAM)
        m->work += gain;
    else if (taker == TAKEN_BY_FILTER)
        m->to->filter -= gain;
    else
        m->to->dissipated -= gain;
    nodes_begin(m, t, &now);
    show_meter(m, &now);
}
