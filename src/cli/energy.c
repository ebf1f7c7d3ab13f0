/* energy.c - what a run says about energy: how much there was, who took it, and whether the filter
 * of dialectic mechanics took more than a result can bear.
 *
 * A share needs a whole. Potentials have no zero, so the whole is what was in motion: the energy at
 * the start above the lowest potential of any row, or what sources gave if that is more. */
#define _GNU_SOURCE /* memmem */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "library/texts.h"
#include "model/system/system.h"

static const double WORTH_A_WARNING = 0.03; /* share of the filter, or of the solver */
static const double WORTH_A_LINE = 1e-4;    /* share of the solver */
enum { MAX_MEASURED_SUBSYSTEMS = 64 };      /* that are measured without being asked */

void energy_look(EnergyReport *e, LiederSystem *system, double t, const double *x)
{
    if (!e->measured || e->integrated)
        return;
    lieder_system_energy(system, t, x, &e->now);
    e->now.dissipated = e->now.filter = e->now.supplied = NAN;
}

bool energy_is_cheap(LiederSystem *system)
{
    LiederSystemInfo info = lieder_system_info(system);
    return info.nlane <= MAX_MEASURED_SUBSYSTEMS && info.all_states <= 400;
}

void energy_row(EnergyReport *e)
{
    if (!e->measured)
        return;
    const LiederEnergy *now = &e->now;
    double sum = now->kinetic + now->potential;
    if (!e->nrow++) {
        e->start = *now;
        e->lowest = now->potential;
        e->highest = sum;
    }
    e->lowest = fmin(e->lowest, now->potential);
    e->highest = fmax(e->highest, sum);
}

/* what shares are parts of, in J */
static double whole_energy(const EnergyReport *e)
{
    double given = isfinite(e->now.supplied) ? fabs(e->now.supplied) : 0;
    double begun = e->start.kinetic + e->start.potential - e->lowest;
    double whole = fmax(begun, isfinite(e->now.supplied) ? given : e->highest - e->lowest);
    /* at rest: what is left is rounding */
    return whole > 1e-9 * fmax(fabs(e->highest), fabs(e->lowest)) ? whole : 0;
}

/* what the solver lost or made: the balance is not closed by so much */
static double gap_of(const EnergyReport *e)
{
    const LiederEnergy *a = &e->start, *b = &e->now;
    return a->kinetic + a->potential - b->kinetic - b->potential - b->dissipated - b->filter +
           b->supplied;
}

static double share(const EnergyReport *e, double part)
{
    double whole = whole_energy(e);
    return whole > 0 ? 100 * part / whole : 0;
}

static double sum_of(const LiederEnergy *e)
{
    return e->kinetic + e->potential;
}

void energy_print(const EnergyReport *e)
{
    double before = sum_of(&e->start), after = sum_of(&e->now);
    if (!e->measured || !e->nrow || whole_energy(e) == 0)
        return;
    printf("  energy       %.6g J of %.6g J at the start", after, before);
    if (isnan(e->now.filter)) {
        puts(e->integrated ? ": lanes with clocks of their own do not tell who took it (--clocks "
                             "shared does)"
                           : " (--energy always tells who took it)");
        return;
    }
    double least = 1e-12 * whole_energy(e);
    if (fabs(e->now.dissipated) > least)
        printf("; dampers and friction took %.4g J (%.3g %%)", e->now.dissipated,
               share(e, e->now.dissipated));
    if (fabs(e->now.filter) > least)
        printf("; the filter T_D took %.4g J (%.3g %%)", e->now.filter, share(e, e->now.filter));
    if (fabs(e->now.supplied) > least)
        printf("; sources gave %.4g J", e->now.supplied);
    if (fabs(gap_of(e)) > WORTH_A_LINE * whole_energy(e))
        printf("; the solver %s %.2g J (%.2g %%)", gap_of(e) > 0 ? "lost" : "made", fabs(gap_of(e)),
               fabs(share(e, gap_of(e))));
    putchar('\n');
}

void energy_json(const EnergyReport *e)
{
    if (!e->measured || !e->nrow)
        return;
    json_number(stdout, "energy_start", sum_of(&e->start));
    json_number(stdout, "energy_kinetic", e->now.kinetic);
    json_number(stdout, "energy_potential", e->now.potential);
    json_number(stdout, "energy_dissipated", e->now.dissipated);
    json_number(stdout, "energy_filter", e->now.filter);
    json_number(stdout, "energy_supplied", e->now.supplied);
    json_number(stdout, "energy_solver", gap_of(e));
    json_number(stdout, "energy_filter_share", share(e, e->now.filter) / 100);
}

/* is a class of this name in the texts of the library? Its sources are meant to be sources. */
static bool is_of_library(const char *name)
{
    char pattern[128];
    size_t n;
    const LibraryText *texts = library_texts(&n);
    snprintf(pattern, sizeof pattern, "model %.*s \"", (int)strcspn(name, "#"), name);
    for (size_t i = 0; i < n; i++)
        if (memmem(texts[i].begin, (size_t)(texts[i].end - texts[i].begin), pattern,
                   strlen(pattern)))
            return true;
    return false;
}

/* the first class of the user's own whose work cannot be judged, or NULL; *more: there are others
 */
static const char *unmeasured(LiederSystem *system, bool *more)
{
    const char *first = NULL, *name;
    *more = false;
    for (size_t i = 0; (name = lieder_system_unmeasured(system, i)); i++) {
        if (is_of_library(name))
            continue;
        *more |= first != NULL;
        first = first ? first : name;
    }
    return first;
}

/* what helps against a gap in the balance */
static const char *gap_advice(LiederSolver solver)
{
    if (!lieder_solver_info(solver)->adaptive)
        return "its steps are too long for this model\ntake shorter steps, or an adaptive solver "
               "(--solver rodas4)";
    if (solver == LIEDER_RK45)
        return "this solver does not follow what is so stiff, though it may keep what the "
               "tolerance "
               "says\ntake a solver for stiff models (--solver rodas4)";
    return "the tolerance leaves so much open, because of elements that are very stiff\ntake a "
           "finer tolerance where energies matter";
}

/* the filter took more than a result can bear, as far as the balance is closed */
static void warn_of_filter(const EnergyReport *e, LiederSystem *system)
{
    double part = share(e, e->now.filter) / 100, open = share(e, gap_of(e)) / 100;
    if (fabs(part) - fabs(open) > WORTH_A_WARNING)
        diag_warning(&system->session->diag, NULL, NULL,
                     "the filter of dialectic mechanics took %.3g J, %.3g %% of the energy in "
                     "motion: the result is that far from Newton's\na smaller world.TD takes less "
                     "(--td-check tells what it changes); joints without a stiff element can have "
                     "TD = 0",
                     e->now.filter, 100 * part);
}

void energy_warn(const EnergyReport *e, LiederSystem *system, LiederSolver solver,
                 const Loaded *loaded, Log *log)
{
    if (!e->measured || !e->nrow || whole_energy(e) == 0 || isnan(e->now.filter))
        return;
    warn_of_filter(e, system);
    double part = share(e, gap_of(e)) / 100;
    if (fabs(part) > WORTH_A_WARNING)
        diag_warning(&system->session->diag, NULL, NULL,
                     "the solver %s %.3g J, %.3g %% of the energy in motion: %s",
                     part > 0 ? "lost" : "made", fabs(gap_of(e)), fabs(100 * part),
                     gap_advice(solver));
    log_diagnostics(log, loaded->session, loaded->front);
    bool more;
    const char *name = unmeasured(system, &more);
    if (name && fabs(e->now.supplied) > 1e-9 * whole_energy(e))
        log_note(log,
                 "the work of %s%s counts as given by sources: its equations are its own\nit takes "
                 "part when it declares kineticEnergy, potentialEnergy, lossPower or filterPower",
                 name, more ? " and others" : "");
}
