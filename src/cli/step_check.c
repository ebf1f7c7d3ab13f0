/* step_check.c - is the step of a run stable at its start? Known before the first step, for models
 * so small that it costs less than their start. What happens later is watched by the run itself
 * (src/solve/judge/growth.c); here a warning is enough, since the motion may never be excited. */
#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "cli/cli.h"
#include "solve/method/butcher.h"

enum { MAX_STATES = 40 };

/* the solver of the run if it steps explicitly with a step that was given, or LIEDER_SOLVER_AUTO */
static LiederSolver judged_solver(const LiederSystem *system, const LiederSimulateOptions *o)
{
    LiederSolver solver = o->solver == LIEDER_SOLVER_AUTO ? LIEDER_RK4 : o->solver;
    bool judged = o->step > 0 && !o->resume && solver_steps_explicitly(solver) &&
                  system->nstate > 0 && system_all_states(system) <= MAX_STATES;
    return judged ? solver : LIEDER_SOLVER_AUTO;
}

/* warns if what a step adds beyond the model makes it ten times as much within the run */
static void judge_spectrum(const Spectrum *spectrum, LiederSystem *system, LiederSolver solver,
                           const LiederSimulateOptions *o)
{
    Method m = {solver, lieder_solver_info(solver)->order};
    ptrdiff_t at, limiting;
    double growth = spectrum_growth(spectrum, m, o->step, &at);
    if (at < 0 || stability_holds(growth) ||
        !((o->stop - o->start) / o->step * log(growth) > log(10)))
        return;
    const Eigenvalue *v = &spectrum->values.items[at];
    const Block *b = spectrum_block(spectrum, (size_t)at);
    const SystemShape *ss = &system->shapes.items[b->shape];
    char name[512];
    double longest = spectrum_step(spectrum, m, &limiting);
    lieder_system_state_name(system, home_state(ss, v->shares[0].state, b->lane), name,
                             sizeof name);
    if (longest > 0)
        diag_warning(&system->session->diag, NULL, name,
                     "a step of %g s is not stable: at the start %s multiplies a motion of this "
                     "state by %.4g in every step\nup to %.3g s are stable; 'lieder eigen' has the "
                     "details",
                     o->step, lieder_solver_name(solver), growth, longest);
    else
        diag_warning(&system->session->diag, NULL, name,
                     "no step of %s is stable: at the start it multiplies a motion of this state "
                     "by %.6g in every step of %g s\ntake rk3 or rk4",
                     lieder_solver_name(solver), growth, o->step);
}

void run_check_step(Log *log, const Loaded *loaded, LiederSystem *system,
                    const LiederSimulateOptions *o)
{
    LiederSolver solver = judged_solver(system, o);
    if (solver == LIEDER_SOLVER_AUTO)
        return;
    double x[MAX_STATES];
    Linear linear;
    Spectrum spectrum = {0};
    LinearPoint p = {.t = o->start, .x = x, .rough = true};
    size_t before = system->session->diag.list.n;
    lieder_system_start(system, x);
    LiederStatus status = linear_create(&linear, system, &p);
    if (status == LIEDER_DONE)
        status = spectrum_quick(&spectrum, &linear);
    if (status == LIEDER_DONE)
        judge_spectrum(&spectrum, system, solver, o);
    else
        diag_forget(&system->session->diag, before); /* the run will report it */
    spectrum_drop(&spectrum);
    linear_drop(&linear);
    log_diagnostics(log, loaded->session, loaded->front);
}
