/* meter.c - energies along a run: what dampers, filter and sources did since its start.
 *
 * Powers are integrated as the solver integrates the states. Explicit fixed steps repeat the stages
 * of the step and sum the powers there with the weights of the method, as if the integrals were
 * states; backward Euler takes the power at the end of the step; inside adaptive steps the powers
 * are summed at points of Gauss on the solver's own polynomial, from row to row, which never looks
 * at the ends, where events are. What an event does to the energy (a
 * spring that breaks, a velocity that is set) counts as dissipated; what a change of connections
 * does counts as supplied.
 *
 * Lanes with clocks of their own have no common steps: their integrals are NaN. */
#include <math.h>
#include <string.h>

#include "solve/solve.h"

enum { MAX_GAUSS = 3 };

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

/* An observation that fails says so once, and the integrals are void; the run goes on. */
static bool look(EnergyMeter *m, double t, const double *x, const Moment *moment, EnergyNow *now)
{
    Moment kept = m->system->moment;
    m->system->moment = *moment;
    LiederStatus status = energy_now(m->system, t, x, now);
    m->system->moment = kept;
    if (status != LIEDER_DONE)
        m->to->dissipated = m->to->filter = m->work = NAN;
    return status == LIEDER_DONE;
}

static void add_power(EnergyMeter *m, const EnergyNow *now, double weight)
{
    m->to->dissipated += weight * now->energy.dissipated;
    m->to->filter += weight * now->energy.filter;
    m->work += weight * now->energy.supplied;
}

static void show(EnergyMeter *m, const EnergyNow *now)
{
    m->to->kinetic = now->energy.kinetic;
    m->to->potential = now->energy.potential;
    m->to->supplied = m->work + (now->declared - m->declared);
    m->before = now->energy.kinetic + now->energy.potential;
    m->declared_before = now->declared;
}

void meter_begin(EnergyMeter *m, double t, const double *x, const Moment *moment)
{
    EnergyNow now;
    m->t = t;
    if (m->to && look(m, t, x, moment, &now)) {
        m->declared = now.declared;
        show(m, &now);
    }
}

void meter_row(EnergyMeter *m, double t, const double *x, const Moment *moment)
{
    EnergyNow now;
    if (m->to && look(m, t, x, moment, &now))
        show(m, &now);
}

void meter_lose_count(EnergyMeter *m)
{
    if (m->to)
        m->to->dissipated = m->to->filter = m->work = NAN;
}

/* ------------------------------------------------------------------ steps */

void meter_keep(EnergyMeter *m, const double *x)
{
    if (m->to && m->n)
        memcpy(m->x, x, m->n * sizeof(double));
}

/* the stages of an explicit step from the state that was kept */
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
        if (!look(m, at, x, moment, &now))
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
    if (look(m, t, x, moment, &now))
        add_power(m, &now, h);
    m->t = t;
}

/* Points of Gauss: three for methods whose steps are long. The steps of bdf, whose order is at most
 * five, are short beside what they follow, and two lose nothing. */
static int gauss_points(LiederSolver solver, const double **place, const double **weight)
{
    static const double places[][MAX_GAUSS] = {{0.21132486540518712, 0.78867513459481288},
                                               {0.11270166537925831, 0.5, 0.88729833462074169}};
    static const double weights[][MAX_GAUSS] = {{0.5, 0.5}, {5.0 / 18, 4.0 / 9, 5.0 / 18}};
    int three = solver != LIEDER_BDF;
    *place = places[three];
    *weight = weights[three];
    return 2 + three;
}

void meter_adaptive(EnergyMeter *m, Adaptive *method, LiederSolver solver, double until,
                    const Moment *moment)
{
    const double *place, *weight;
    double from = m->t, h = until - from;
    if (!m->to || !(h > 0))
        return;
    int n = gauss_points(solver, &place, &weight);
    for (int i = 0; i < n; i++) {
        EnergyNow now;
        adaptive_between(method, from + place[i] * h, m->x);
        if (look(m, from + place[i] * h, m->x, moment, &now))
            add_power(m, &now, weight[i] * h);
    }
    m->t = until;
}

/* ------------------------------------------------------------------ jumps */

/* before it: the last row */
void meter_after(EnergyMeter *m, double t, const double *x, const Moment *moment, bool by_program)
{
    EnergyNow now;
    if (!m->to || !look(m, t, x, moment, &now))
        return;
    double gain = now.energy.kinetic + now.energy.potential - m->before;
    /* what declared energies did is no work of their component */
    m->declared += now.declared - m->declared_before;
    if (by_program)
        m->work += gain;
    else
        m->to->dissipated -= gain;
    show(m, &now);
}
