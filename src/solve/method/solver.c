/* solver.c - the table of solvers (lieder/solver.h): names, properties, Butcher tables; the names
 * of the other choices that a run has. */
#include "solve/method/adaptive.h"
#include "solve/method/onestep.h"
#include "solve/method/rk.h"

#include <string.h>

static const LiederSolverInfo infos[] = {{.name = "auto", .text = "chosen by the run"},
#define FIXED    false
#define ADAPTIVE true
#define EXPLICIT false
#define IMPLICIT true
#define ROW(constant, name, order, stages, steps, kind, text)                                      \
    [LIEDER_##constant] = {name, text, order, stages, steps, kind},
                                         LIEDER_SOLVERS(ROW)
#undef ROW
#undef FIXED
#undef ADAPTIVE
#undef EXPLICIT
#undef IMPLICIT
};

const LiederSolverInfo *lieder_solver_info(LiederSolver solver)
{
    static const LiederSolverInfo unknown = {.name = "unknown", .text = ""};
    return (unsigned)solver < LIEDER_SOLVER_COUNT ? &infos[solver] : &unknown;
}

const char *lieder_solver_name(LiederSolver solver)
{
    return lieder_solver_info(solver)->name;
}

/* a table as "first, second, third" */
#define LISTED(constant, name, ...) ", " name
#define NAMES(TABLE)                (&TABLE(LISTED)[2])

const char *lieder_solver_names(void)
{
    return NAMES(LIEDER_SOLVERS);
}

bool lieder_solver_find(const char *name, LiederSolver *solver)
{
    for (unsigned i = 0; i < LIEDER_SOLVER_COUNT; i++)
        if (strcmp(name, infos[i].name) == 0) {
            *solver = (LiederSolver)i;
            return true;
        }
    return false;
}

bool solver_steps_explicitly(LiederSolver solver)
{
    const LiederSolverInfo *info = lieder_solver_info(solver);
    return info->stages > 0 && !info->implicit && !info->adaptive;
}

ButcherTable solver_table(LiederSolver solver)
{
    if (solver_is_one_step(solver))
        return onestep_table(solver);
    return lieder_solver_info(solver)->implicit ? implicit_table(solver) : rk_table(solver);
}

/* ------------------------------------------------------------------ chatter and compilation */

#define NAMED(constant, name) name,
static const char *const chatters[] = {LIEDER_CHATTERS(NAMED)};
static const char *const compiles[] = {LIEDER_COMPILES(NAMED)};
static const char *const clocks_[] = {LIEDER_CLOCKS(NAMED)};

/* position of a name in a list of n, or n */
static unsigned find_name(const char *const *list, unsigned n, const char *name)
{
    unsigned i = 0;
    while (i < n && strcmp(name, list[i]) != 0)
        i++;
    return i;
}

const char *lieder_chatter_name(LiederChatter chatter)
{
    return (unsigned)chatter < LIEDER_CHATTER_COUNT ? chatters[chatter] : "unknown";
}

const char *lieder_chatter_names(void)
{
    return NAMES(LIEDER_CHATTERS);
}

bool lieder_chatter_find(const char *name, LiederChatter *chatter)
{
    unsigned i = find_name(chatters, LIEDER_CHATTER_COUNT, name);
    if (i < LIEDER_CHATTER_COUNT)
        *chatter = (LiederChatter)i;
    return i < LIEDER_CHATTER_COUNT;
}

const char *lieder_clocks_name(LiederClocks clocks)
{
    return (unsigned)clocks < LIEDER_CLOCKS_COUNT ? clocks_[clocks] : "unknown";
}

const char *lieder_clocks_names(void)
{
    return NAMES(LIEDER_CLOCKS);
}

bool lieder_clocks_find(const char *name, LiederClocks *clocks)
{
    unsigned i = find_name(clocks_, LIEDER_CLOCKS_COUNT, name);
    if (i < LIEDER_CLOCKS_COUNT)
        *clocks = (LiederClocks)i;
    return i < LIEDER_CLOCKS_COUNT;
}

const char *lieder_compile_name(LiederCompile compile)
{
    return (unsigned)compile < LIEDER_COMPILE_COUNT ? compiles[compile] : "unknown";
}

const char *lieder_compile_names(void)
{
    return NAMES(LIEDER_COMPILES);
}

bool lieder_compile_find(const char *name, LiederCompile *compile)
{
    unsigned i = find_name(compiles, LIEDER_COMPILE_COUNT, name);
    if (i < LIEDER_COMPILE_COUNT)
        *compile = (LiederCompile)i;
    return i < LIEDER_COMPILE_COUNT;
}
